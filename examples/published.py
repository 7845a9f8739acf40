"""What the examples share: derived equations and computed numbers against printed ones; how well constraints hold."""

from __future__ import annotations

import random
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np

import latchwork as lw
from latchwork import dt

TOLERANCE = 1e-12  # relative to the largest number compared: a few thousand roundings
STATES = 12


def letters(model: lw.Model) -> SimpleNamespace:
    """The model's symbols as attributes, so that formulas read as they are printed: ``-s.m * s.g * sin(s.q1)``."""
    return SimpleNamespace(**model.symbols)


def agree(eq: lw.Equations, derived: Iterable[Any], printed: Iterable[Any]) -> None:
    """Assert that expressions or vectors are equal, pair by pair, at random states, accelerations and parameters."""
    ours, theirs = _scalars(eq, derived), _scalars(eq, printed)
    assert len(ours) == len(theirs), f"{len(ours)} derived, {len(theirs)} printed"
    rng = random.Random(len(ours))
    for _ in range(STATES):
        a, b = _values(eq, ours + theirs, rng)
        gap, size = max(abs(x - y) for x, y in zip(a, b, strict=True)), max(1.0, *map(abs, b))
        assert gap <= TOLERANCE * size, f"'{eq.name}': derived {a}, printed {b}"


def agree_table(eq: lw.Equations, title: str, rows: dict[str, tuple[lw.Vector, ...]]) -> None:
    """Assert that partial velocities are those of a printed table, and print both."""
    derived = eq.partial_velocities()
    for label, printed in rows.items():
        agree(eq, derived.rows[label], printed)
    print(f"\n{derived}\n\n{title}")
    for label, printed in rows.items():
        print(f"  {label:10} " + ",   ".join(map(str, printed)))


def near(what: str, found: Any, known: Any, within: float, source: str = "closed form") -> None:
    """Assert that numbers are those that are known, to ``within``, and print both."""
    ours, theirs = np.atleast_1d(np.asarray(found, dtype=float)), np.atleast_1d(np.asarray(known, dtype=float))
    assert ours.shape == theirs.shape, f"{what}: {len(ours)} found, {len(theirs)} known: {ours}, {theirs}"
    off = float(abs(ours - theirs).max(initial=0.0))
    shown = ", ".join(f"{x:.10g}" for x in ours[:8]) + (" ..." if len(ours) > 8 else "")
    print(f"{what}: {shown}; off by {off:.1e} ({source})")
    assert off <= within, f"{what} is off by {off}: found {ours}, known {theirs}"


def times(run: lw.Trajectory, *kinds: str) -> list[float]:
    """When events of these kinds happened; all of them if no kind is named."""
    return [event.t for event in run.events if not kinds or event.kind in kinds]


def jumps(run: lw.Trajectory, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Values just before and just after each impact, where the run has two samples."""
    last = np.searchsorted(run.t, times(run, "impact"), side="right") - 1
    return run[what][last - 1], run[what][last]


def _scalars(eq: lw.Equations, items: Iterable[Any]) -> list[Any]:
    N = eq.system.tree.newtonian
    return [e for item in items for e in (item.measures(N) if isinstance(item, lw.Vector) else [item])]


def _values(eq: lw.Equations, entries: list[Any], rng: random.Random) -> tuple[list[float], list[float]]:
    def draw(symbols: Iterable[lw.Expr]) -> dict[lw.Expr, float]:
        return {symbol: rng.uniform(0.2, 1.4) for symbol in symbols}

    accelerations = draw(dt(u) for u in eq.u)
    fixed = [e.subs(accelerations) if isinstance(e, lw.Expr) else e for e in entries]
    values = eq.evaluate(fixed, q=draw(eq.q), u=draw(eq.u), r=draw(eq.r), p=draw(eq.p)).tolist()
    return values[: len(values) // 2], values[len(values) // 2 :]


def agree_constrained(constrained: lw.Constrained, printed: list[Any]) -> None:
    """Assert that constrained equations are the printed F̃_r + F̃_r* = 0, in each of the three ways to have them.

    Derived directly in the independent speeds; M̃ and f̃ recombined as symbols; u̇ recombined in numbers.
    """
    eq, u = constrained.equations, constrained.independent
    agree(eq, [F + F_star for F, F_star in zip(eq.Fr, eq.Fr_star, strict=True)], printed)
    moved = [sum((constrained.M[i, j] * dt(u_j) for j, u_j in enumerate(u)), start=0 * u[0]) for i in range(len(u))]
    agree(eq, [f - Mu for f, Mu in zip(constrained.f, moved, strict=True)], printed)
    rng = random.Random(len(u))
    for _ in range(STATES):
        at = {key: {s.name: rng.uniform(0.2, 1.4) for s in getattr(eq, key)} for key in "qurp"}
        udot = dict(zip(constrained.unconstrained.u_names, constrained.udot(**at), strict=True))
        rest = [e.subs({dt(u_j): 0.0 for u_j in u}) for e in printed]
        left = eq.evaluate([*(e.subs({dt(u_j): udot[u_j.name] for u_j in u}) for e in printed), *rest], **at)
        gap, size = abs(left[: len(u)]).max(), max(1.0, *abs(left[len(u) :]))
        assert gap <= TOLERANCE * size, f"'{eq.name}': {gap} is left of the printed equations"


def residual(run: lw.Trajectory, constraints: Iterable[lw.Constraint]) -> Any:
    """How far the constraints are from being met at each sample: the largest |Φ|, and |B u + C| of rows and rates."""
    rows = [e for constraint in constraints for e in constraint.zero]
    moving = {"rate", "speed"}
    rates = [dt(e) for e in rows if not moving & {symbol.kind for symbol in e.free_symbols}]
    return abs(np.column_stack([run[e] for e in rows + rates])).max(axis=1)

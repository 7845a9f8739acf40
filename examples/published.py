"""What the examples share: a derived equation against a printed one, as numbers."""

from __future__ import annotations

import random
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

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

"""Operating points: equilibria (u = 0, u̇ = 0) and steady motions (chosen u̇ = 0), with all constraints.

    Φ(q, t) = 0,   B u + C = 0,   u̇_k(t, q, u, r) = 0          in the unknown part of z = (q, u, r)

Damped Newton steps of least norm: what the equations do not determine, such as the place of a bicycle, stays where it
was. Derivatives are exact. Steps and what remains are measured in units of the mechanism (`units`), an input in what
moves it as fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latchwork.algebra.linear import lstsq
from latchwork.algebra.products import norm
from latchwork.constraint.consistency import assemble_q, assemble_u, normalised
from latchwork.constraint.constrained_state import must_be_finite
from latchwork.constraint.linearization.linearize import lengths
from latchwork.constraint.selection import select
from latchwork.constraint.terms import Array
from latchwork.errors import ConstraintError, did_you_mean, listed
from latchwork.symbolic.expr import Expr

if TYPE_CHECKING:
    from latchwork.constraint.constrained import Constrained

MAX_NEWTON_STEPS = 100  # Newton steps
HALVES = 30  # of a step, before it is given up
FOUND = 1e-9  # what may remain, in units of each row, or of what moves it
CUT = 1e-10  # singular values below this part of the largest take no part in a step
LONGEST = 0.7  # of a step of coordinates and speeds, in their units
ROUGH = 1e-11  # where less than this remains, steps that do not help are rounding
EXACT = 1e-15  # steps shorter than this part of what they move are rounding


@dataclass(frozen=True)
class Steady:
    """An equilibrium or a steady motion: q, u and the inputs r that keep it, with parameters p at time t.

    ``equations.linearize(**steady.arguments)`` linearizes about it; ``residual`` is the largest acceleration left.
    """

    q: dict[str, float]
    u: dict[str, float]
    r: dict[str, float]
    t: float
    p: dict[str, float]
    residual: float

    @property
    def arguments(self) -> dict[str, Any]:
        """q, u, r, t and p, as every method takes them."""
        return {"q": self.q, "u": self.u, "r": self.r, "t": self.t, "p": self.p}

    def __str__(self) -> str:
        return "\n".join(f"{name} = {value:.9g}" for name, value in (self.q | self.u | self.r).items())


class Problem(NamedTuple):
    """Which columns of z may move, and which speeds shall have u̇ = 0."""

    constrained: Constrained
    free: list[int]
    vanish: list[int]

    def residual(self, x: Array) -> tuple[Array, Array]:
        """What must vanish, and its derivatives in the free columns; quaternions keep their length."""
        c = self.constrained
        place, M = c.terms.place(x), c.terms.motion(x).M
        chosen = select(place.B, M, c.selection.rank, unit=c.terms.base.units.u, rows=c.terms.typical(x))
        at = c.slopes.at(x, chosen)
        rows, n = c.rows.configuration, len(c.unconstrained.u)
        unit = lengths(c, x)
        unit = np.hstack([unit, np.zeros((len(unit), n + len(c.unconstrained.r)))])
        value = np.concatenate([at.Phi[rows], np.zeros(len(unit)), at.psi, at.udot[self.vanish]])
        slope = np.vstack([at.dPhi[rows], unit, at.dpsi, at.dudot[self.vanish]])
        return value, slope[:, self.free]

    def rows_in(self, x: Array) -> Array:
        """One of each entry of the residual."""
        c, base = self.constrained, self.constrained.terms.base
        typical, T = c.terms.typical(x), base.scales.time
        return np.concatenate([typical[c.rows.configuration], np.ones(len(c.unconstrained.system.quaternions)),
                               typical / T, base.units.u[self.vanish] / T / T])  # fmt: skip

    def columns_in(self, slope: Array, rows: Array) -> Array:
        """One of each free column: of an input, what changes some entry of the residual by one."""
        base, n_r = self.constrained.terms.base, len(self.constrained.unconstrained.r)
        states = np.concatenate([base.units.q, base.units.u / base.scales.time, np.full(n_r, np.nan)])[self.free]
        moved = np.abs(slope / rows[:, None]).max(axis=0, initial=0.0)
        return np.where(np.isnan(states), 1.0 / np.where(moved > 0.0, moved, 1.0), states)

    def names(self) -> list[str]:
        """What each entry of the residual is."""
        c = self.constrained
        rows, four = c.rows, len(c.unconstrained.system.quaternions)
        return [*(f"'{rows.names[i]}'" for i in rows.configuration), *("a quaternion's length",) * four,
                *(f"the rate of '{name}'" for name in rows.names),
                *(f"dt({c.unconstrained.u_names[j]})" for j in self.vanish)]  # fmt: skip


def equilibrium(constrained: Constrained, x: Array, hold: Sequence[Any], find: Sequence[Any]) -> Steady:
    """u = 0 and u̇ = 0 for all speeds."""
    equations = constrained.unconstrained
    held = _names(hold, equations.q_names, "coordinate", equations.name)
    sought = _names(find, [s.name for s in equations.r], "input", equations.name)
    n_q, n = len(equations.q), len(equations.u)
    free = [i for i in range(n_q) if i not in held] + [n_q + n + i for i in sought]
    x = _placed(constrained, x, held)
    x[1 + n_q : 1 + n_q + n] = 0.0
    return _solved(Problem(constrained, free, list(range(n))), x, "equilibrium")


def steady(constrained: Constrained, x: Array, hold: Sequence[Any], find: Sequence[Any],
           vanish: Sequence[Any] | None) -> Steady:  # fmt: skip
    """Chosen u̇ = 0, the others as they come."""
    equations = constrained.unconstrained
    n_q = len(equations.q)
    movable = [*equations.u_names, *(s.name for s in equations.r)]
    held = _names(hold, [*equations.q_names, *movable], "coordinate, speed or input", equations.name)
    sought = [n_q + i for i in _names(find, movable, "speed or input", equations.name)]
    free = {*range(n_q), *(n_q + j for j in constrained.selection.dependent), *sought} - set(held)
    still = constrained.selection.independent if vanish is None else \
        _names(vanish, equations.u_names, "speed", equations.name)  # fmt: skip
    x = _placed(constrained, x, [i for i in held if i < n_q])
    x, _ = assemble_u(constrained.terms, x, constrained.selection.independent)
    return _solved(Problem(constrained, sorted(free), list(still)), x, "steady motion")


def _placed(constrained: Constrained, x: Array, held: Sequence[int]) -> Array:
    """A guess near one that meets Φ = 0, with the held coordinates as they were given."""
    placed = assemble_q(constrained.terms, normalised(constrained.terms, x), held)
    columns = [1 + i for i in held]
    placed[columns] = x[columns]
    return placed


def _names(given: Sequence[Any], known: Sequence[str], what: str, model: str) -> list[int]:
    every = listed(given, f"what is held or found of '{model}'", f"Give a list, each a {what}, or its name.")
    names = [item.name if isinstance(item, Expr) and item.is_symbol else str(item) for item in every]
    for name in names:
        if name not in known:
            raise ConstraintError(f"'{name}' is no {what} of '{model}'.{did_you_mean(name, known)}")
    return [list(known).index(name) for name in names]


def _solved(problem: Problem, x: Array, what: str) -> Steady:
    x, left = _newton(problem, x)
    equations = problem.constrained.unconstrained
    if not np.abs(left).max(initial=0.0) <= FOUND:
        worst = sorted(zip(np.abs(left), problem.names(), problem.residual(x)[0], strict=True), reverse=True)[:6]
        shown = ", ".join(f"{name} is {value:.3g}" for size, name, value in worst if size > FOUND)
        raise ConstraintError(
            f"no {what} of '{equations.name}' was found: what should vanish does not ({shown}) at the nearest state "
            f"met ({equations._state_text(x)}). Start from a guess closer to one, hold less, or let more be found."
        )
    n_q, n, n_r = len(equations.q), len(equations.u), len(equations.r)
    t, q, u, r, p = np.split(x, np.cumsum([1, n_q, n, n_r]))
    residual = float(np.abs(left).max(initial=0.0))
    return Steady(_by_name(equations.q, q), _by_name(equations.u, u), _by_name(equations.r, r), float(t[0]),
                  _by_name(equations.p, p), residual)  # fmt: skip


def _by_name(symbols: Sequence[Expr], values: Array) -> dict[str, float]:
    return dict(zip((symbol.name for symbol in symbols), values.tolist(), strict=True))


def _newton(problem: Problem, x: Array) -> tuple[Array, Array]:
    """The best state met, and what remains there, in units of each row."""
    terms = problem.constrained.terms
    columns = [1 + i for i in problem.free]
    x = normalised(terms, x.copy())
    value, slope = problem.residual(x)
    must_be_finite(problem.constrained, value, x)
    rows = problem.rows_in(x)
    unit = problem.columns_in(slope, rows)
    states = np.array([i < sum(terms.sizes[:2]) for i in problem.free], dtype=bool)
    for _ in range(MAX_NEWTON_STEPS):
        sizes = rows * np.maximum(norm(slope / rows[:, None] * unit, axis=1), 1.0)  # or of what moves them
        step = -lstsq(slope / sizes[:, None] * unit, value / sizes, CUT)
        longest = float(np.abs(step[states]).max(initial=0.0))
        size = float(norm(value / sizes))
        moved = float(np.abs(step).max(initial=0.0))
        if size == 0.0 or moved <= EXACT * (1.0 + float(np.abs(x[columns] / unit).max(initial=0.0))):
            break
        step *= unit * min(1.0, LONGEST / max(longest, LONGEST))
        for half in range(1 if size <= ROUGH else HALVES):
            trial = x.copy()
            trial[columns] += step * 0.5**half
            there = problem.residual(normalised(terms, trial))
            better = float(norm(there[0] / sizes))  # not a number: no step ends there
            if better < size * (0.5 if size <= ROUGH else 1.0 - 1e-4 * 0.5**half):
                break
        else:
            break
        x, (value, slope) = trial, there
    return x, value / (rows * np.maximum(norm(slope / rows[:, None] * unit, axis=1), 1.0))

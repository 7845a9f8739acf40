"""One set of states tried: the forces it needs, and which contacts break their laws.

    open    λ = 0                       slide   a_n = 0,  λ_t = −mu_d λ_n d
    stick   a_n = 0,  a_t = 0           begins to slide:  the same with d = a_t/|a_t|
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.problem import OPEN, Choice, Problem, State
from latchwork.contact.complementarity.slip_onset import CONVERGED, begun_slowly, least

TOL = 1e-8  # laws hold to this part of the forces and accelerations at hand
LIMIT = 1e-6  # a contact that must slide may leave the limit of its cone this slowly
NEWTON = 30


class Solved(NamedTuple):
    """Forces for a set of states, with directions that followed; ``spare`` where they are not the only ones."""

    choices: list[Choice]
    lam: Array
    a: Array
    spare: bool


class Judged(NamedTuple):
    """Which contacts should do something else, and whether some acceleration could not be had at all."""

    moves: dict[int, Choice]
    broken: bool

    @property
    def lawful(self) -> bool:
        return not self.moves and not self.broken


def maps(problem: Problem, choices: Sequence[Choice]) -> tuple[Array, list[int]]:
    """λ = E x for the unknown forces x of these states, and the rows of a that vanish, as many."""
    rows: list[int] = []
    entries: list[tuple[int, int, float]] = []
    for i, (state, direction, _) in enumerate(choices):
        at = problem.at[i]
        if state is State.OPEN:
            continue
        entries.append((at, len(rows), 1.0))
        rows.append(at)
        if state is State.STICK:
            for j in range(1, problem.t[i] + 1):
                entries.append((at + j, len(rows), 1.0))
                rows.append(at + j)
        elif direction is not None:
            mu = problem.mu_d[i]
            entries += [(at + 1 + j, len(rows) - 1, -mu * d) for j, d in enumerate(direction.tolist())]
    E = np.zeros((len(problem.b), len(rows)))
    for r, c, value in entries:
        E[r, c] = value
    return E, rows


def solve(problem: Problem, choices: list[Choice], near: Array | None = None) -> Solved:
    """λ of least norm for these states, or the nearest to ``near``; directions that are free are found with it."""
    A, b = problem.A, problem.b
    E, rows = maps(problem, choices)
    if not rows:
        return Solved(choices, np.zeros(len(b)), b.copy(), False)
    whole = len(rows) == len(b)  # E is 1
    S = A if whole else dot(A[rows], E)
    if near is None:
        x, spare = least(S, -b[rows])
    else:
        step, spare = least(S, -b[rows] - dot(S, near[rows]))
        x = near[rows] + step
    lam = x if whole else dot(E, x)
    if any(choice.free and problem.t[i] == 2 for i, choice in enumerate(choices)):
        lam, spare = turned(problem, choices, lam)
        choices = redirected(problem, choices, dot(A, lam) + b)
    return Solved(choices, lam, dot(A, lam) + b, spare)


def turned(problem: Problem, choices: Sequence[Choice], lam: Array) -> tuple[Array, bool]:
    """Newton on a_n = 0, λ_t + mu λ_n a_t/|a_t| = 0 and the rows of the others, damped; else as slip begins."""
    first, lam, spare = lam, lam.copy(), False
    F, rows = residual(problem, choices, lam)
    size = float(np.abs(F).max())
    for _ in range(NEWTON):
        if size < CONVERGED * (1.0 + float(np.abs(lam).max())):
            break
        step, spare = least(slope(problem, choices, lam, rows), -F)
        for part in (1.0, 0.5, 0.25, 0.1, 0.02):
            trial = lam.copy()
            trial[rows] += part * step
            F_next, _ = residual(problem, choices, trial)
            if float(np.abs(F_next).max()) < size * (1.0 - 0.1 * part):
                break
        else:
            break
        lam, F, size = trial, F_next, float(np.abs(F_next).max())
    if size > TOL * (1.0 + float(np.abs(lam).max())):
        lam = begun_slowly(problem, choices, first)
    return lam, spare


def _direction(problem: Problem, i: int, choice: Choice, a: Array) -> tuple[Array, float]:
    """Direction of friction of a sliding contact, and the pace at which it turns (0 if it is fixed)."""
    assert choice.direction is not None
    if not choice.free:
        return choice.direction, 0.0
    a_t = a[problem.at[i] + 1 : problem.at[i] + 1 + problem.t[i]]
    pace = float(norm(a_t))
    return (a_t / pace, pace) if pace > 1e-13 else (choice.direction, 0.0)


def residual(problem: Problem, choices: Sequence[Choice], lam: Array) -> tuple[Array, list[int]]:
    """What vanishes, one for each row of the closed contacts."""
    a = dot(problem.A, lam) + problem.b
    F = a.copy()
    rows: list[int] = []
    for i, choice in enumerate(choices):
        if choice.state is State.OPEN:
            continue
        at, end = problem.at[i], problem.at[i] + 1 + problem.t[i]
        rows += range(at, end)
        if choice.state is State.SLIDE:
            F[at + 1 : end] = lam[at + 1 : end]
            if choice.direction is not None:
                F[at + 1 : end] += problem.mu_d[i] * lam[at] * _direction(problem, i, choice, a)[0]
    return F[rows], rows


def slope(problem: Problem, choices: Sequence[Choice], lam: Array, rows: list[int]) -> Array:
    """∂F/∂λ on these rows: where d turns, mu d eₙᵀ + mu λ_n/|a_t| (1 − d dᵀ) A_t."""
    a, J = dot(problem.A, lam) + problem.b, problem.A.copy()
    for i, choice in enumerate(choices):
        if choice.state is not State.SLIDE:
            continue
        at, end = problem.at[i], problem.at[i] + 1 + problem.t[i]
        J[at + 1 : end] = np.eye(end - at - 1, len(a), at + 1)
        if choice.direction is not None:
            mu, (d, pace) = problem.mu_d[i], _direction(problem, i, choice, a)
            J[at + 1 : end, at] += mu * d
            if pace > 0.0:
                across = np.eye(len(d)) - np.outer(d, d)
                J[at + 1 : end] += dot(mu * lam[at] / pace * across, problem.A[at + 1 : end])
    return np.asarray(J[np.ix_(rows, rows)])


def redirected(problem: Problem, choices: Sequence[Choice], a: Array) -> list[Choice]:
    """The same choices with free directions as the accelerations have them."""
    return [
        Choice(choice.state, _direction(problem, i, choice, a)[0], True) if choice.free else choice
        for i, choice in enumerate(choices)
    ]


def judge(problem: Problem, solved: Solved) -> Judged:
    """Every law of every contact; for one that is broken, what the contact should do instead."""
    lam, a = solved.lam.tolist(), solved.a.tolist()
    most = float(np.abs(solved.lam).max(initial=0.0))
    sizes = np.abs(problem.b) + dot(np.abs(problem.A), np.abs(solved.lam))
    floor = 1e-4 * float(sizes.max(initial=0.0))
    noise = sizes.tolist()
    moves: dict[int, Choice] = {}
    broken = not math.isfinite(most) or most > 1e10
    for i, choice in enumerate(solved.choices):
        at, end = problem.at[i], problem.at[i] + 1 + problem.t[i]
        tol_a = TOL * max(floor, *noise[at:end])
        if choice.state is State.OPEN:
            if a[at] < -tol_a:
                moves[i] = problem.closed(i)
            continue
        broken = broken or abs(a[at]) > tol_a
        if lam[at] < -TOL * most:
            moves[i] = OPEN
        elif choice.state is State.STICK:
            broken = broken or problem.must[i] is not None or any(abs(value) > tol_a for value in a[at + 1 : end])
            if math.hypot(*lam[at + 1 : end]) > problem.mu_s[i] * lam[at] + TOL * most:
                moves[i] = begun(lam[at + 1 : end])
        elif choice.direction is not None and problem.slip[i] is None:
            push = problem.mu_d[i] * lam[at]
            off = (f + push * d for f, d in zip(lam[at + 1 : end], choice.direction.tolist(), strict=True))
            broken = broken or math.hypot(*off) > TOL * most
            instead = astray(problem, i, choice, a[at + 1 : end], tol_a)
            if instead is not None:
                moves[i] = instead
    return Judged(moves, broken)


def begun(friction: list[float]) -> Choice:
    """Sliding that begins against this friction."""
    size = math.hypot(*friction)
    return Choice(State.SLIDE, np.array([-value / size for value in friction]), True)


def astray(problem: Problem, i: int, choice: Choice, a_t: list[float], tol: float) -> Choice | None:
    """What contact i should do instead where it does not begin to slide along its direction; None where it does."""
    assert choice.direction is not None
    d = choice.direction.tolist()
    must = problem.must[i] is not None
    along = sum(x * y for x, y in zip(a_t, d, strict=True))
    allowed = LIMIT / TOL * tol if must and not choice.free else tol
    off = math.hypot(*(x - max(along, 0.0) * y for x, y in zip(a_t, d, strict=True)))
    if off <= allowed:
        return None
    size = math.hypot(*a_t)
    if must and size > tol and not (choice.free and along < 0.0):
        return Choice(State.SLIDE, np.array(a_t) / size, True)
    if along > 0.0:
        return Choice(State.SLIDE, np.array(a_t) / size, True)
    return problem.closed(i)

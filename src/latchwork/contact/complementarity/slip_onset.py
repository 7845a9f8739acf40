"""Slip in space that hardly begins: its direction turns quickly with the forces, its acceleration does not.

    a_n = 0,    mu λ_n a_t + s λ_t = 0,    |λ_t|² = mu² λ_n²,    unknown λ and s = |a_t|

Where s is zero, this is a contact that sticks at the limit of its cone: nothing is divided by |a_t|.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latchwork.algebra.linear import SingularMatrix, inv, least_squares
from latchwork.algebra.products import dot
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.problem import Choice, Problem, State

RANK = 1e-11  # singular values below this part of the largest are redundancy
REGULAR = 1e4  # entries of an inverse below which a system is clearly regular, and singular values need not be found
CONVERGED, NEWTON = 1e-14, 30


def least(S: Array, y: Array) -> tuple[Array, bool]:
    """x of least norm with S x = y as nearly as can be, and whether there are others."""
    if len(y) == 1:
        pivot = S[0, 0]
        return (y / pivot, False) if abs(pivot) > RANK else (np.zeros(1), True)
    try:
        inverse = inv(S)
    except SingularMatrix:
        inverse = np.full((1, 1), np.inf)
    if max(inverse.max(), -inverse.min()) < REGULAR:
        return dot(inverse, y), False
    x, rank = least_squares(S, y, RANK)
    return x, rank < len(y)


def begun_slowly(problem: Problem, choices: Sequence[Choice], lam: Array) -> Array:
    """λ by Newton's method on the equations above, the others as they are; damped."""
    free = [i for i, choice in enumerate(choices) if choice.free and problem.t[i] == 2]
    y = np.append(lam, [_along(problem, i, choices[i], lam) for i in free])
    F, slope = _equations(problem, choices, free, y)
    size = float(np.abs(F).max())
    for _ in range(NEWTON):
        if size < CONVERGED * (1.0 + float(np.abs(y).max())):
            break
        step, before = least(slope, -F)[0], size
        for part in (1.0, 0.5, 0.25, 0.1, 0.02):
            F, slope = _equations(problem, choices, free, y + part * step)
            size = float(np.abs(F).max())
            if size < before * (1.0 - 0.1 * part):
                break
        else:
            break
        y = y + part * step
    return np.asarray(y[: len(lam)])


def _along(problem: Problem, i: int, choice: Choice, lam: Array) -> float:
    """The acceleration of contact i along its direction."""
    assert choice.direction is not None
    own = slice(problem.at[i] + 1, problem.at[i] + 1 + problem.t[i])
    return float(dot(choice.direction, dot(problem.A[own], lam) + problem.b[own]))


def _equations(problem: Problem, choices: Sequence[Choice], free: Sequence[int], y: Array) -> tuple[Array, Array]:
    """What vanishes, and its slope: a row for each force, then for each s."""
    n = len(problem.b)
    a = dot(problem.A, y[:n]) + problem.b
    F, slope = y.copy(), np.eye(len(y))
    F[n:] = 0.0
    for i, choice in enumerate(choices):
        at, end = problem.at[i], problem.at[i] + 1 + problem.t[i]
        if choice.state is State.OPEN:
            continue
        held = slice(at, end if choice.state is State.STICK else at + 1)
        F[held], slope[held, :n] = a[held], problem.A[held]
        if choice.state is State.SLIDE and choice.direction is not None:
            mu, own = problem.mu_d[i], slice(at + 1, end)
            if i in free:
                s = n + free.index(i)
                F[own] = mu * y[at] * a[own] + y[s] * y[own]
                slope[own, :n] = mu * y[at] * problem.A[own] + y[s] * slope[own, :n]
                slope[own, at] += mu * a[own]
                slope[own, s] = y[own]
                F[s] = 0.5 * float(dot(y[own], y[own]) - (mu * y[at]) * (mu * y[at]))
                slope[s] = 0.0
                slope[s, own], slope[s, at] = y[own], -(mu * mu) * y[at]
            else:
                F[own] = y[own] + mu * y[at] * choice.direction
                slope[own, at] += mu * choice.direction
    return F, slope

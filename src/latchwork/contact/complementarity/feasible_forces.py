"""Forces that are not unique: of all λ that give the same accelerations, one well inside the cones of friction.

    max m   with   x = x₀ + N z,   λ_n ≥ m s,   mu λ_n − |λ_t| ≥ m s,   m ≤ 1,
    a_n ≥ 0 where it opens,   d · a_t ≥ 0 where it begins to slide

a linear program in the plane (`linear_program`); in space the cone is cut by planes d · λ_t ≤ mu λ_n − m s where a
solution leaves it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latchwork.algebra.linear import svd
from latchwork.algebra.products import dot, norm
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.linear_program import largest_margin
from latchwork.contact.complementarity.problem import Choice, Problem, State
from latchwork.contact.complementarity.slip_onset import RANK
from latchwork.contact.complementarity.trial import TOL, maps
from latchwork.contact.directions import all_round

CUTS = 16
ROUNDS = 40
FINE = 1e-12  # of the forces: cuts are made where a cone is left by more
NEARLY = 0.8  # of the largest margin, at which cutting ends


def inside(problem: Problem, choices: Sequence[Choice], only: int | None = None, slack: float = 0.0) -> Array | None:
    """λ for these states with the largest least margin, or None where no λ is within the cones.

    With ``only``, the margin is that of one contact, and the others are within their cones, but for some slack.
    """
    E, rows = maps(problem, choices)
    if not rows:
        return np.zeros(len(problem.b)) if _apart(problem, choices)[1].min(initial=0.0) >= -TOL else None
    S = dot(problem.A[rows], E)
    U, singular, Vt = svd(S)
    rank = int((singular > RANK * singular[0]).sum()) if singular[0] > RANK else 0
    x0 = dot(Vt[:rank].T, dot(U[:, :rank].T, -problem.b[rows]) / singular[:rank])
    lam0, spread = dot(E, x0), dot(E, Vt[rank:].T)
    size = float(np.abs(lam0).max(initial=0.0)) or 1.0
    if np.abs(dot(S, x0) + problem.b[rows]).max() > TOL * (1.0 + size) or not np.isfinite(size):
        return None
    return _widest(problem, choices, lam0, spread, size, only, slack)


def margins(problem: Problem, choices: Sequence[Choice], lam: Array) -> list[float]:
    """How far inside its cone each contact is that sticks, as a part of the largest force: mu λ_n − |λ_t|; else inf."""
    size = float(np.abs(lam).max(initial=0.0)) or 1.0
    found = []
    for i, choice in enumerate(choices):
        at = problem.at[i]
        edge = problem.mu_s[i] * lam[at] - float(norm(lam[at + 1 : at + 1 + problem.t[i]]))
        found.append(edge / size if choice.state is State.STICK else np.inf)
    return found


def _widest(problem: Problem, choices: Sequence[Choice], lam0: Array, spread: Array, size: float,
            only: int | None, slack: float) -> Array | None:  # fmt: skip
    """The linear programs: planes G λ ≥ m size, or G λ ≥ 0 of others, and accelerations W λ ≥ −w."""
    planes = _planes(problem, choices)
    W, w = _apart(problem, choices)
    lam = lam0
    for _ in range(ROUNDS if spread.shape[1] else 0):
        G = np.array([plane for i, plane in planes if only in (None, i)])
        H = np.array([plane for i, plane in planes if only not in (None, i)]).reshape(-1, len(lam0))
        sides = np.concatenate([(dot(W, lam0) + w) / size + TOL, dot(H, lam0) / size + FINE + slack])
        found = largest_margin(dot(G, lam0) / size, dot(G, spread), sides, np.vstack([dot(W, spread), dot(H, spread)]))
        if found is None or found[1] < -TOL:
            return None
        lam = lam0 + dot(spread, size * found[0])
        margin = found[1] * size * (NEARLY if found[1] > 0.0 else 1.0)
        more = _cuts(problem, choices, lam, margin, (FINE + slack) * size, only)
        if not more:
            break
        planes += more
    margins = dot(np.array([plane for _, plane in planes]), lam)
    least = min(float(margins.min()), float((dot(W, lam) + w).min(initial=0.0)))
    outside = least < -TOL * size or _cuts(problem, choices, lam, 0.0, TOL * size)
    return None if outside else np.asarray(lam)


def _apart(problem: Problem, choices: Sequence[Choice]) -> tuple[Array, Array]:
    """Accelerations W λ + w that are not negative: a_n where it opens, d · a_t where it begins to slide along d."""
    picked = np.zeros((len(choices), len(problem.b)))
    for i, (state, direction, _) in enumerate(choices):
        at = problem.at[i]
        if state is State.OPEN:
            picked[i, at] = 1.0
        elif state is State.SLIDE and direction is not None and problem.slip[i] is None:
            picked[i, at + 1 : at + 1 + problem.t[i]] = direction
    return dot(picked, problem.A), dot(picked, problem.b)


def _planes(problem: Problem, choices: Sequence[Choice]) -> list[tuple[int, Array]]:
    """λ_n ≥ 0 of each closed contact, and mu λ_n − d · λ_t ≥ 0 of each that sticks, for directions d all round."""
    planes: list[tuple[int, Array]] = []
    for i, choice in enumerate(choices):
        if choice.state is State.OPEN:
            continue
        unit = np.zeros(len(problem.b))
        unit[problem.at[i]] = 1.0
        planes.append((i, unit))
        if choice.state is State.STICK:
            round_ = np.array([[1.0], [-1.0]]) if problem.t[i] == 1 else all_round(CUTS)
            planes += [(i, _plane(problem, i, d)) for d in round_]
    return planes


def _plane(problem: Problem, i: int, d: Array) -> Array:
    plane = np.zeros(len(problem.b))
    at = problem.at[i]
    plane[at] = problem.mu_s[i]
    plane[at + 1 : at + 1 + problem.t[i]] = -d
    return plane


def _cuts(problem: Problem, choices: Sequence[Choice], lam: Array, margin: float, fine: float,
          only: int | None = None) -> list[tuple[int, Array]]:  # fmt: skip
    """Planes that part λ from the cones it is outside of, or inside of by less than the margin, in space."""
    cuts: list[tuple[int, Array]] = []
    for i, choice in enumerate(choices):
        if choice.state is State.STICK and problem.t[i] == 2:
            at = problem.at[i]
            friction = lam[at + 1 : at + 3]
            size = float(norm(friction))
            if size > problem.mu_s[i] * lam[at] - (margin if only in (None, i) else 0.0) + fine and size > 0.0:
                cuts.append((i, _plane(problem, i, friction / size)))
    return cuts

"""Coulomb's law as one linear complementarity problem, the circle of friction directions made a polygon.

    0 ≤ λ_n ⊥ a_n ≥ 0,    0 ≤ β_j ⊥ e_j · a_t + σ ≥ 0,    0 ≤ σ ⊥ mu λ_n − Σ β_j ≥ 0,    λ_t = Σ β_j e_j

[Stewart, Trinkle 1996].  In the plane e = ±1 and nothing is lost. A contact that slides already has λ_n alone, with
λ_t = −mu λ_n d. Without such contacts the matrix is copositive, and Lemke's method ends at a solution.
"""

from __future__ import annotations

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.lemke import lemke
from latchwork.contact.complementarity.problem import OPEN, Choice, Problem, State
from latchwork.program.elementary.scalars import atan2, cos, sin

FACETS = 8
SAME = 1e-7


def fan(t: int, around: Array | None, narrow: float) -> Array:
    """Directions e_j as columns: ±1 in the plane; else an even fan, or one that is narrow about ±``around``."""
    if t == 1:
        return np.array([[1.0, -1.0]])
    angles = np.arange(FACETS) * (2.0 * np.pi / FACETS)
    if around is not None:
        middle = atan2(around[1], around[0])
        near = np.array([-3.0, -1.0, 0.0, 1.0, 3.0]) * narrow
        angles = middle + np.concatenate((near + np.pi, np.array([0.0, 0.5, -0.5]) * np.pi))
    return np.array([[cos(x) for x in angles], [sin(x) for x in angles]])


def complementary(
    problem: Problem, mu: list[float], around: list[Array | None], narrow: float, cover: int = 0
) -> tuple[list[Choice] | None, Array, int]:
    """States and forces that solve the problem with these coefficients, and the pivots it took; None on a ray."""
    force, motion, pairs = columns(problem, around, narrow)
    M, q = dot(motion, problem.A, force), dot(motion, problem.b)
    for i, normal, first, sigma in pairs:
        M[first:sigma, sigma] = 1.0
        M[sigma, first:sigma] = -1.0
        M[sigma, normal] = mu[i]
    z, count = lemke(M, q, np.random.default_rng(cover).uniform(0.1, 1.0, len(q)) if cover else None)
    if z is None:
        return None, np.zeros(len(problem.b)), count
    lam = dot(force, z)
    return read(problem, lam, dot(problem.A, lam) + problem.b), lam, count


def columns(problem: Problem, around: list[Array | None], narrow: float) -> tuple[Array, Array, list[tuple[int, ...]]]:
    """H and K of λ = H z and of w = K a, and the places of λ_n, β and σ of each contact that may slide or stick."""
    unit, none = np.eye(len(problem.b)), np.zeros(len(problem.b))
    force, motion = [], []
    pairs: list[tuple[int, ...]] = []
    for i, at in enumerate(problem.at):
        slip, tangents = problem.slip[i], unit[at + 1 : at + 1 + problem.t[i]]
        motion.append(unit[at])
        if problem.moving(i):
            rubbing = np.zeros(len(tangents)) if slip is None or not problem.rough(i) else slip
            force.append(unit[at] - problem.mu_d[i] * dot(rubbing, tangents))
            continue
        rays = dot(fan(problem.t[i], around[i], narrow).T, tangents)
        pairs.append((i, len(force), len(force) + 1, len(force) + 1 + len(rays)))
        force += [unit[at], *rays, none]
        motion += [*rays, none]
    return np.array(force).T, np.array(motion), pairs


def read(problem: Problem, lam: Array, a: Array) -> list[Choice]:
    """The states that forces and accelerations show; a contact that neither presses nor parts stays closed."""
    small_a = SAME * float((np.abs(problem.b) + dot(np.abs(problem.A), np.abs(lam))).max(initial=0.0))
    choices = []
    for i, at in enumerate(problem.at):
        a_t = a[at + 1 : at + 1 + problem.t[i]]
        pace = float(norm(a_t))
        if a[at] > small_a:
            choices.append(OPEN)
        elif problem.moving(i) or pace <= small_a:
            choices.append(problem.closed(i))
        else:
            choices.append(Choice(State.SLIDE, a_t / pace, True))
    return choices

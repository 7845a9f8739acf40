"""Reference integrators of constrained equations, in NumPy: to compare with, short rather than fast.

    q̇ = W u + X,   M u̇ = f + Bᵀλ,   B u + C = 0

`projected` goes by accelerations and projects q and u after each step; `half_explicit` is an explicit method whose
stages meet B u + C = 0. Module `bdf` has the implicit ones. x = (t, q, u, r, p) is the consistent state at the start.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from latchwork.constraint.assemble import assemble_q, assemble_u, normalised
from latchwork.constraint.solvers.designs import DESIGNS
from latchwork.constraint.terms import Array, Terms

CUT = 1e-22  # singular values below this part of the largest: redundant rows
STAGES = [np.array(row) for row in ((1 / 3,), (-1.0, 2.0), (0.0, 3 / 4, 1 / 4))]  # none ends in zero; order three
NODES = (0.0, 1 / 3, 1.0, 1.0)


class Path(NamedTuple):
    """Times (k), coordinates (k × n_q) and speeds (k × n)."""

    t: Array
    q: Array
    u: Array


def moved(terms: Terms, x: Array, t: float, q: Array, u: Array) -> Array:
    """x at another time, place and motion."""
    n_q, n, _ = terms.sizes
    return np.concatenate([[t], q, u, x[1 + n_q + n :]])


def parts(terms: Terms, x: Array) -> tuple[Array, Array]:
    """q and u."""
    n_q, n, _ = terms.sizes
    return x[1 : 1 + n_q].copy(), x[1 + n_q : 1 + n_q + n].copy()


def rates(terms: Terms, x: Array) -> tuple[Array, Array]:
    """q̇ and u̇, by accelerations (index 1)."""
    motion = terms.motion(x)
    solve = DESIGNS["null space by QR"].accelerations
    return motion.q_rates, solve(motion.M, motion.f, terms.place(x).B, motion.c)


def path(terms: Terms, states: list[Array]) -> Path:
    n_q, n, _ = terms.sizes
    table = np.array(states)
    return Path(table[:, 0], table[:, 1 : 1 + n_q], table[:, 1 + n_q : 1 + n_q + n])


def projected(terms: Terms, x: Array, until: float, steps: int) -> Path:
    """Classical Runge-Kutta steps by accelerations; q and u are projected onto the constraints after each."""
    states, h = [x], (until - x[0]) / steps
    for _ in range(steps):
        q, u = parts(terms, x)
        stages = [rates(terms, x)]
        for part in (0.5, 0.5, 1.0):
            v, a = stages[-1]
            stages.append(rates(terms, moved(terms, x, x[0] + part * h, q + part * h * v, u + part * h * a)))
        v, a = (np.average(k, axis=0, weights=(1, 2, 2, 1)) for k in zip(*stages, strict=True))
        x = moved(terms, x, x[0] + h, q + h * v, u + h * a)
        x = assemble_u(terms, assemble_q(terms, normalised(terms, x)))[0]
        states.append(x)
    return path(terms, states)


def half_explicit(terms: Terms, x: Array, until: float, steps: int) -> Path:
    """Each stage takes the λ that brings the next one onto B u + C = 0.  [Hairer, Lubich and Roche 1989, III.3]"""
    states, h = [x], (until - x[0]) / steps
    for _ in range(steps):
        (q, u), here = parts(terms, x), x
        V, K = np.zeros((len(STAGES), len(q))), np.zeros((len(STAGES), len(u)))
        for i, row in enumerate(STAGES):
            motion, B = terms.motion(here), terms.place(here).B
            V[i] = motion.q_rates
            there = moved(terms, x, x[0] + NODES[i + 1] * h, q + h * row @ V[: i + 1], u)
            known, place = u + h * row[:-1] @ K[:i], terms.place(there)
            K[i] = _bordered(motion.M, motion.f, B, place.B, (place.B @ known + place.C) / (h * row[-1]))
            here = moved(terms, x, there[0], parts(terms, there)[0], known + h * row[-1] * K[i])
        x = normalised(terms, here)
        states.append(x)
    return path(terms, states)


def _bordered(M: Array, f: Array, B: Array, ahead: Array, off: Array) -> Array:
    """u̇ with M u̇ = f + Bᵀλ and B_ahead u̇ = −off."""
    n, m = len(f), len(off)
    size = np.diag(M).max(initial=1e-300)
    whole = np.block([[M / size, -B.T], [ahead, np.zeros((m, m))]])
    return np.asarray(np.linalg.lstsq(whole, np.concatenate([f / size, -off]), rcond=CUT)[0][:n])

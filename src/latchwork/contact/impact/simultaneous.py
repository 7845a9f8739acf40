"""Impulses of several contacts that act at once: complementarity with Coulomb friction.

    0 ≤ Λ_n ⟂ v_n⁺ − a ≥ 0,   |Λ_t| ≤ μ Λ_n,   Λ_t = −μ Λ_n v_t⁺/|v_t⁺| where v_t⁺ ≠ 0,      v⁺ = v + W Λ

From the impulses without friction, sweeps over the contacts, each solved exactly while the others wait, come near; and
Newton's method on

    Λ_n − (Λ_n − (v_n⁺ − a))₊ = 0,   Λ_t − P(Λ_t − v_t⁺; μ (Λ_n − (v_n⁺ − a))₊) = 0       [Alart and Curnier 1991]

(P: nearest point in a disk of that radius; rows scaled so that W_nn = 1) gives the rest of the digits.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latchwork.algebra.linear import lstsq
from latchwork.algebra.products import dot, norm
from latchwork.contact.impact.coulomb import Array, coulomb
from latchwork.contact.impact.nonnegative import nonnegative

SWEEPS = (3, 15, 60, 240)  # Newton's method is tried after so many more
DONE = 1e-13  # residual, as a part of the speeds
GOOD = 1e-10  # one that will do


@dataclass(frozen=True, eq=False)
class Problem:
    """W with W_nn = 1, v, what v_n⁺ must not be below, μ; ``rows`` of each contact, normal first."""

    W: Array
    v: Array
    least: Array
    mu: Array
    rows: tuple[slice, ...]


def rows_of(tangents: Sequence[int]) -> tuple[slice, ...]:
    """The rows of each contact."""
    ends = [0, *itertools.accumulate(1 + d for d in tangents)]
    return tuple(slice(a, b) for a, b in itertools.pairwise(ends))


def swept(problem: Problem, x: Array, times: int) -> Array:
    """Each contact in turn, the others waiting; over and over."""
    x = x.copy()
    for _ in range(times):
        before = x.copy()
        for i, rows in enumerate(problem.rows):
            block = problem.W[rows, rows]
            free = problem.v[rows] + dot(problem.W[rows], x) - dot(block, x[rows])
            rise, mu = float(problem.least[i] - free[0]), float(problem.mu[i])
            found = coulomb(block, free, rise, mu, mu) if rise > 0.0 else None
            x[rows] = 0.0 if found is None else found
        if np.abs(x - before).max() <= 1e-15 * np.abs(x).max():
            break
    return x


def equations(problem: Problem, x: Array) -> tuple[Array, Array]:
    """The equations above, and their Jacobian."""
    after = problem.v + dot(problem.W, x)
    value, J = np.zeros(len(x)), np.eye(len(x))
    for i, rows in enumerate(problem.rows):
        n, t, mu = rows.start, slice(rows.start + 1, rows.stop), float(problem.mu[i])
        push, toward = x[n] - (after[n] - problem.least[i]), x[t] - after[t]
        D_push, D_toward = -problem.W[n].copy(), -problem.W[t].copy()
        D_push[n] += 1.0
        D_toward[:, t] += np.eye(t.stop - t.start)
        if push <= 0.0:
            value[rows] = x[rows]
            continue
        value[n], J[n] = x[n] - push, J[n] - D_push
        size = float(norm(toward))
        if size <= mu * push:
            value[t], J[t] = x[t] - toward, J[t] - D_toward
        else:
            s = toward / size
            turn = (mu * push / size) * (D_toward - np.outer(s, dot(s, D_toward)))
            value[t], J[t] = x[t] - mu * push * s, J[t] - mu * np.outer(s, D_push) - turn
    return value, J


def newton(problem: Problem, x: Array) -> tuple[Array, float]:
    """The best of a few of Newton's steps, the shortest ones where they are not unique, and its residual."""
    value, J = equations(problem, x)
    best, least = x, float(np.abs(value).max())
    for _ in range(30):
        if least <= 1e-16:
            break
        x = x - lstsq(J, value, 1e-12)
        value, J = equations(problem, x)
        size = float(np.abs(value).max())
        if not np.isfinite(size) or size > 1e6:
            break
        stalls = size >= 0.5 * least and least <= DONE
        best, least = (x, size) if size < least else (best, least)
        if stalls:
            break
    return best, least


def clipped(problem: Problem, x: Array) -> Array:
    """Rounding taken away: no contact pulls, none is outside its cone."""
    x = x.copy()
    for i, rows in enumerate(problem.rows):
        n, t = rows.start, slice(rows.start + 1, rows.stop)
        x[n] = max(x[n], 0.0)
        size, most = float(norm(x[t])), float(problem.mu[i] * x[n])
        if size > most:
            x[t] *= most / size
    return x


def together(W: Array, v: Array, least: Array, mu: Array, tangents: Sequence[int], speed: float = 0.0) -> Array | None:
    """Λ of contacts that act at once, exact to a small part of ``speed`` or of v; None where none was found."""
    rows = rows_of(tangents)
    sizes = [1.0 / math.sqrt(W[r.start, r.start]) for r in rows]
    scale = np.concatenate([np.full(1 + d, size) for d, size in zip(tangents, sizes, strict=True)])
    first = np.array([r.start for r in rows])
    size = float(max(np.abs(scale * v).max(), np.abs(scale[first] * least).max(), speed * scale.min()))
    if size == 0.0:
        return np.zeros_like(v)
    problem = Problem(W * np.outer(scale, scale), scale * v / size, scale[first] * least / size, mu, rows)
    x = smooth(problem, first)
    for times in (0, *(SWEEPS if np.any(mu) else ())):
        x = swept(problem, x, times)
        found, residual = newton(problem, x)
        if residual <= DONE or (residual <= GOOD and times in (0, SWEEPS[-1])):
            return clipped(problem, found) * scale * size
    return None


def smooth(problem: Problem, normals: Array) -> Array:
    """The impulses without friction, exactly."""
    x = np.zeros_like(problem.v)
    x[normals] = nonnegative(problem.W[np.ix_(normals, normals)], problem.v[normals] - problem.least)
    return x

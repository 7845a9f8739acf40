"""Impulses of many contacts over a time step: complementarity with Coulomb's cones, to rounding.

    w = A P + b,    0 ≤ P_n − least ⟂ w_n ≥ 0,    |P_t| ≤ μ P_n,  P_t = −μ P_n w_t/|w_t| where w_t ≠ 0

Sweeps of projected Gauss-Seidel find which contacts open, slide and stick; Newton's method on the projections (Alart
and Curnier) then makes the answer exact. Where sweeps go round in circles, Lemke's method takes their place: its path
ends at a solution, in the plane an exact one. Where A is singular (more contacts than freedoms), impulses are not
unique and stay near those of the sweeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.linear import SingularMatrix, lstsq, solve
from latchwork.algebra.products import dot
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.lemke import lemke
from latchwork.contact.complementarity.polygonal_cone import FACETS
from latchwork.contact.directions import all_round
from latchwork.contact.time_stepping.gauss_seidel import sweep
from latchwork.program.native import invoke

EXACT = 1e-13  # of the velocities at hand: what is left of w
SOFT = 1e-11  # of A: added to its diagonal, so that redundant contacts can be solved for
ROUNDS = 3  # each with four times the sweeps of the one before
NEAR = 1e-8  # of the velocities at hand: what is as good as this after the second round is taken
PIVOTS = 4  # for each unknown, at most
SWEEPS = 20  # of the first round
NEWTON = 6  # steps of one round
WORSE = 2  # steps that led away, after which it ends


@dataclass(frozen=True, eq=False)
class Cones:
    """Contacts with their rows, normal first; ``tangents`` counts the directions of slip of each: 0, 1 or 2."""

    A: Array
    b: Array
    tangents: tuple[int, ...]
    mu: Array
    least: Array  # of each normal impulse: not below 0

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The normal row of each contact."""
        return np.cumsum([0, *(1 + k for k in self.tangents)])[:-1].astype(np.int64)

    @cached_property
    def rho(self) -> Array:
        """For each row, the inverse of how far it goes along its velocity."""
        d = np.diag(self.A).copy()
        for i, k in zip(self.first, self.tangents, strict=True):
            if k == 2:
                d[i + 1 : i + 3] = d[i + 1 : i + 3].max() + abs(self.A[i + 1, i + 2])
        return np.where(d > 0.0, d, np.inf)

    @cached_property
    def given(self) -> Array:
        """The impulses that are there in any case."""
        P = np.zeros(len(self.b))
        P[self.first] = self.least
        return P

    @cached_property
    def scale(self) -> float:
        """The velocities at hand."""
        return float(max(np.abs(self.b).max(initial=0.0), np.abs(dot(self.A, self.given)).max(initial=0.0)))

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The contact of each row."""
        return np.repeat(np.arange(len(self.tangents)), [1 + k for k in self.tangents])

    def off(self, P: Array) -> float:
        """By how much, as a velocity, the laws are not met."""
        goal = self._projected(P, dot(self.A, P) + self.b)[0]
        return float((np.abs(P - goal) * np.where(np.isfinite(self.rho), self.rho, 0.0)).max(initial=0.0))

    def _projected(self, P: Array, w: Array) -> tuple[Array, Array, Array]:
        """P − w/ρ brought into the cones; lengths and limits of the tangential parts, row by row."""
        z = P - w / self.rho
        n = np.maximum(z[self.first], self.least)
        across = np.ones(len(z), dtype=bool)
        across[self.first] = False
        size = np.sqrt(np.bincount(self.owner, np.where(across, z * z, 0.0), minlength=len(n)))[self.owner]
        limit = (self.mu * n)[self.owner]
        cut = np.where(size > limit, limit / np.where(size > 0.0, size, 1.0), 1.0)
        goal = z * cut
        goal[self.first] = n
        return goal, size, limit


def impulses(cones: Cones, warm: Array | None = None) -> tuple[Array, float]:
    """P, and by how much the laws are not met, as a part of the velocities at hand."""
    m = len(cones.b)
    P = np.zeros(m) if warm is None else warm.copy()
    if cones.scale == 0.0:
        return np.zeros(m), 0.0
    kinds = np.array(cones.tangents, np.int64)
    A, mu, least = map(np.ascontiguousarray, (cones.A, cones.mu, cones.least))
    P[cones.first] = np.maximum(P[cones.first], least)
    small, best = EXACT * cones.scale, np.inf
    for round_ in range(ROUNDS):
        w = dot(A, P) + cones.b
        invoke(sweep, len(kinds), m, cones.first, kinds, A, mu, least, P, w, SWEEPS << 2 * round_, small)
        exact, off = newton(cones, P, small)
        if off < best:
            best, found = off, exact
        if best <= 10.0 * small or (round_ and best <= NEAR * cones.scale):
            return found, best / cones.scale
    pivoted = by_pivots(cones)
    if pivoted is not None:
        exact, off = newton(cones, pivoted, small)
        if off < best:
            best, found = off, exact
    return found, best / cones.scale


def by_pivots(cones: Cones) -> Array | None:
    """P by one linear complementarity problem, circles of friction made polygons; None where the path ends on a ray.

        0 ≤ P_n ⊥ w_n ≥ 0,    0 ≤ β_j ⊥ e_j · w_t + σ ≥ 0,    0 ≤ σ ⊥ mu P_n − Σ β_j ≥ 0,    P_t = Σ β_j e_j
    """
    blocks: list[tuple[int, Array]] = []  # first row, and columns that span a part of the impulses
    sides: list[tuple[int, int, int, float]] = []  # columns: normal, first and last of a fan, friction
    rough: list[tuple[int, float]] = []
    at = 0
    for c, (i, k) in enumerate(zip(cones.first.tolist(), cones.tangents, strict=True)):
        blocks.append((i, np.ones((1, 1))))
        at += 1
        if k and cones.mu[c] > 0.0:
            e = all_round(FACETS).T if k == 2 else np.array([[1.0, -1.0]])
            blocks.append((i + 1, e))
            rough.append((c, float(cones.mu[c])))
            sides.append((at - 1, at, at + e.shape[1], float(cones.mu[c])))
            at += e.shape[1]
    H = np.zeros((len(cones.b), at))
    column = 0
    for row, e in blocks:
        H[row : row + e.shape[0], column : column + e.shape[1]] = e
        column += e.shape[1]
    M = np.zeros((at + len(sides), at + len(sides)))
    M[:at, :at] = dot(H.T, cones.A, H)
    for s, (normal, first, last, mu) in enumerate(sides, start=at):
        M[first:last, s] = 1.0
        M[s, first:last] = -1.0
        M[s, normal] = mu
    rest = [mu * cones.least[c] for c, mu in rough]
    start = np.concatenate([dot(H.T, cones.b + dot(cones.A, cones.given)), rest])
    z, _ = lemke(M, start, most=PIVOTS * len(start) + 50)
    return None if z is None else np.asarray(cones.given + dot(H, z[:at]))


def newton(cones: Cones, P: Array, small: float) -> tuple[Array, float]:
    """Newton steps on P = proj(P − w/ρ); the best P met, and by how much it is off."""
    best, found, worse = cones.off(P), P, 0
    for _ in range(NEWTON):
        P = _newton_step(cones, P)
        off = cones.off(P)
        worse = 0 if off < best else worse + 1
        if off < best:
            best, found = off, P
        if best <= small or worse == WORSE or not np.isfinite(off):
            break
    return found, best


def _newton_step(cones: Cones, P: Array) -> Array:
    """P + δ with K δ = −F: rows of open contacts P_n − least, of closed ones w, of those that slide P_t − μ P_n d."""
    A = cones.A
    w = dot(A, P) + cones.b
    z = P - w / cones.rho
    _, size, limit = cones._projected(P, w)
    K, F = A.copy(), w.copy()
    soft = SOFT * np.diag(A).max(initial=0.0)
    K.flat[:: len(K) + 1] += soft
    n = cones.first[z[cones.first] <= cones.least]  # open
    K[n] = 0.0
    K[n, n] = 1.0
    F[n] = (P - cones.given)[n]
    slides = size >= limit
    slides[cones.first] = False
    _slide(cones, K, F, P, z, np.flatnonzero(slides), size)
    try:
        return np.asarray(P - solve(K, F))
    except SingularMatrix:
        return np.asarray(P - lstsq(K, F))


def _slide(cones: Cones, K: Array, F: Array, P: Array, z: Array, rows: NDArray[np.int64], size: Array) -> None:
    """F = P_t − μ P_n d with d = z/|z|, and its derivatives; in the plane d does not change."""
    c = cones.owner[rows]
    n, mu, size = cones.first[c], cones.mu[c], size[rows]
    d = z[rows] / np.where(size > 0.0, size, 1.0)
    K[rows] = 0.0
    K[rows, rows] = 1.0
    K[rows, n] = -mu * d
    F[rows] = P[rows] - mu * P[n] * d
    bends = (np.array(cones.tangents)[c] == 2) & (size > 0.0)
    for i, d_i, length in zip(rows[bends], d[bends], size[bends], strict=True):
        k = cones.owner[i]
        first = cones.first[k]
        for j in (first + 1, first + 2):
            turn = cones.mu[k] * P[first] * ((i == j) - d_i * z[j] / length) / length  # μ P_n ∂d_i/∂z_j
            K[i] += turn * cones.A[j] / cones.rho[j]
            K[i, j] -= turn


def stacked(parts: Sequence[Any], width: int) -> Array:
    """Rows below each other; none is an empty matrix of this width."""
    return np.vstack([np.zeros((0, width)), *parts])

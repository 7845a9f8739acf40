"""Meeting: numbers of some contacts at one state, with everything else that holds held.

    v = J u + C,    a = A λ + b,    A = J T M̃⁻¹ Tᵀ Jᵀ,    b = J u̇₀ + c,    u̇₀ = T M̃⁻¹ Tᵀ (f − M γ) + γ

T spans the speeds that the constraints B u + C = 0 leave, γ is an acceleration that meets B γ + c = 0. Impulses change
speeds by T M̃⁻¹ Tᵀ Jᵀ Λ. Friction of contacts that the coordinates hold, g (N0 + N1 · u̇), is part of M and f.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from latchwork.algebra.linear import SingularMatrix, solve, svd
from latchwork.algebra.products import dot, norm
from latchwork.constraint.branch_limit import rows_at
from latchwork.constraint.delassus_kernel import ROUNDING
from latchwork.constraint.selection import FAINT, RANK, weights_of
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.errors import ConstraintError
from latchwork.hybrid.contacts.contact_point import ContactPoint


class Free(NamedTuple):
    """M and f, the inverse inertia that is left to contacts, T M̃⁻¹ Tᵀ, and accelerations without them, u̇₀."""

    M: Array
    f: Array
    inverse: Array
    udot: Array


@dataclass(frozen=True, eq=False)
class Held:
    """What holds at a state besides the contacts: rows of ``terms``, rows (B, c) more, and friction (g, N1, N0)."""

    base: Base
    terms: Terms
    x: Array
    extra: Sequence[tuple[Array, Array]]
    drags: Sequence[tuple[Array, Array, float]]
    before: Held | None = None  # the same at the same place, with other speeds

    @cached_property
    def inertia(self) -> tuple[Array, Array]:
        """M and T M̃⁻¹ Tᵀ, which no speed changes."""
        if self.extra or self.drags or len(self.terms.rows):
            return self.free.M, self.free.inverse
        if self.before is not None:
            return self.before.inertia
        M = self.terms.motion(self.x).M
        return M, _solved(self.base, M, np.eye(len(M)))

    @cached_property
    def free(self) -> Free:
        motion = self.terms.motion(self.x)
        if not (self.extra or self.drags or len(self.terms.rows)):
            M, inverse = self.inertia
            return Free(M, motion.f, inverse, dot(inverse, motion.f))
        M, f, (B, c, usual) = motion.M, motion.f, rows_at(self.terms, self.x)
        for row, bias in self.extra:
            B, c, usual = np.vstack([B, row]), np.append(c, bias), np.vstack([usual, row])
        for g, N1, N0 in self.drags:
            M, f = M - np.outer(g, N1), f + g * N0
        return Free(M, f, *left_over(self.base, M, f, B, c, usual))


@dataclass(frozen=True, eq=False)
class DelassusOperator:
    """J and C of some contacts, row by row, the normal first; forces and accelerations are found where asked for."""

    contact_points: tuple[ContactPoint, ...]
    u: Array
    J: Array
    C: Array
    held: Held
    tangents: tuple[int, ...]

    @cached_property
    def M(self) -> Array:
        return self.held.inertia[0]

    @cached_property
    def f(self) -> Array:
        return self.held.free.f

    @cached_property
    def inverse(self) -> Array:
        """T M̃⁻¹ Tᵀ."""
        return self.held.inertia[1]

    @cached_property
    def udot(self) -> Array:
        """u̇₀."""
        return self.held.free.udot

    @cached_property
    def c(self) -> Array:
        """Ḃ u + Ċ of the contacts."""
        return stacked(
            [contact_point.terms.bias_function(self.held.x) for contact_point in self.contact_points], np.zeros(0)
        )

    @cached_property
    def v(self) -> Array:
        """Relative velocities: for each contact the normal one, then along the tangents."""
        return np.asarray(dot(self.J, self.u) + self.C)

    @cached_property
    def normal_speeds(self) -> list[float]:
        """The normal ones alone."""
        v = self.v.tolist()
        return [v[row] for row in self.first]

    @cached_property
    def pace(self) -> float:
        """How fast things move there: Σ |J_ij u_j| + |C_i| at most. Differences of speeds are judged by it."""
        return float((dot(np.abs(self.J), np.abs(self.u)) + np.abs(self.C)).max(initial=0.0))

    @cached_property
    def swiftest(self) -> Array:
        """√(A_ii · uᵀ M u): no normal velocity of contact i is above it, whichever way the same energy moves. [Schwarz]

        Where all motion is across the normal, this is what rounding of the normal velocity is judged by.
        """
        if not self.contact_points:
            return np.zeros(0)
        energy = max(float(dot(self.u, self.M, self.u)), 0.0)
        return np.asarray(np.sqrt(np.maximum(np.diag(self.A)[self.first], 0.0) * energy))

    @cached_property
    def A(self) -> Array:
        return np.asarray(dot(self.J, self.inverse, self.J.T))

    @cached_property
    def b(self) -> Array:
        """Accelerations without contact forces; what is left of terms that cancel is rounding, and none."""
        b, sizes = dot(self.J, self.udot) + self.c, dot(np.abs(self.J), np.abs(self.udot)) + np.abs(self.c)
        return np.where(np.abs(b) > ROUNDING * sizes, b, 0.0)

    @cached_property
    def first(self) -> list[int]:
        """The normal row of each contact."""
        return list(accumulate((1 + k for k in self.tangents), initial=0))[:-1]

    def only(self, some: Sequence[int]) -> DelassusOperator:
        """The same of some of its contacts."""
        first = self.first
        rows = [row for i in some for row in range(first[i], first[i] + 1 + self.tangents[i])]
        return DelassusOperator(
            tuple(self.contact_points[i] for i in some),
            self.u,
            self.J[rows],
            self.C[rows],
            self.held,
            tuple(self.tangents[i] for i in some),
        )

    def moved(self, impulses: Array) -> Array:
        """Speeds after impulses."""
        return np.asarray(self.u + dot(self.inverse, dot(self.J.T, impulses)))


def stacked(parts: list[Array], none: Array) -> Array:
    """Rows below each other."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else none


def left_over(base: Base, M: Array, f: Array, B: Array, c: Array, usual: Array) -> tuple[Array, Array]:
    """T M̃⁻¹ Tᵀ and u̇₀; ``usual`` is B elsewhere, by which rows are measured that are faint here."""
    n = len(M)
    if not len(B):
        inverse = _solved(base, M, np.eye(n))
        return inverse, np.asarray(dot(inverse, f))
    weights = weights_of(M, base.units.u)
    scaled = B * weights
    lengths = np.maximum(norm(scaled, axis=1), FAINT * norm(usual * weights, axis=1))
    keep = lengths > RANK * lengths.max(initial=0.0)
    left, singular, right = svd(scaled[keep] / lengths[keep, None])
    rank = int((singular > RANK * singular.max(initial=0.0)).sum())
    T = right[rank:].T * weights[:, None]
    goal = dot(left[:, :rank].T, -c[keep] / lengths[keep]) / singular[:rank]
    gamma = dot(right[:rank].T, goal) * weights
    inverse = dot(T, _solved(base, dot(T.T, M, T), T.T)) if T.shape[1] else np.zeros((n, n))
    return inverse, dot(inverse, f - dot(M, gamma)) + gamma


def _solved(base: Base, M: Array, right: Array) -> Array:
    """M⁻¹ R, where all speeds have inertia."""
    try:
        return np.asarray(solve(M, right))
    except SingularMatrix:
        light = ", ".join(name for name, m in zip(base.equations.u_names, np.diag(M), strict=True) if m == 0.0)
        raise ConstraintError(
            f"'{base.equations.name}' has speeds without inertia ({light or 'some of them together'}) that nothing "
            "holds where bodies touch. Give every body a mass and an inertia, or hold such speeds by constraints."
        ) from None

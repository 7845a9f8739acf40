"""Meeting: numbers of some contacts at one state, with everything else that holds held.

    v = J u + C,    a = A λ + b,    A = J T M̃⁻¹ Tᵀ Jᵀ,    b = J u̇₀ + c,    u̇₀ = T M̃⁻¹ Tᵀ (f − M γ) + γ

T spans the speeds that the constraints B u + C = 0 leave, γ is an acceleration that meets B γ + c = 0. Impulses change
speeds by T M̃⁻¹ Tᵀ Jᵀ Λ. Friction of contacts that the coordinates hold, g (N0 + N1 · u̇), is part of M and f.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np

from latchwork.constraint.selection import RANK, weights_of
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.errors import ConstraintError
from latchwork.hybrid.touching.touch import Touch


@dataclass(frozen=True, eq=False)
class Meeting:
    """J, C and c of some contacts, row by row; the inverse inertia that is left to them, and accelerations without."""

    touches: tuple[Touch, ...]
    u: Array
    J: Array
    C: Array
    c: Array
    M: Array
    f: Array
    inverse: Array  # T M̃⁻¹ Tᵀ
    udot: Array  # u̇₀
    tangents: tuple[int, ...]

    @cached_property
    def v(self) -> Array:
        """Relative velocities: for each contact the normal one, then along the tangents."""
        return np.asarray(self.J @ self.u + self.C)

    @cached_property
    def pace(self) -> float:
        """How fast things move there: Σ |J_ij u_j| + |C_i| at most. Differences of speeds are judged by it."""
        return float((np.abs(self.J) @ np.abs(self.u) + np.abs(self.C)).max(initial=0.0))

    @cached_property
    def A(self) -> Array:
        return np.asarray(self.J @ self.inverse @ self.J.T)

    @cached_property
    def b(self) -> Array:
        return np.asarray(self.J @ self.udot + self.c)

    @cached_property
    def first(self) -> list[int]:
        """The normal row of each contact."""
        return list(accumulate((1 + k for k in self.tangents), initial=0))[:-1]

    def only(self, some: Sequence[int]) -> Meeting:
        """The same of some of its contacts."""
        first = self.first
        rows = [row for i in some for row in range(first[i], first[i] + 1 + self.tangents[i])]
        return replace(self, touches=tuple(self.touches[i] for i in some), J=self.J[rows], C=self.C[rows],
                       c=self.c[rows], tangents=tuple(self.tangents[i] for i in some))  # fmt: skip

    def moved(self, impulses: Array) -> Array:
        """Speeds after impulses."""
        return np.asarray(self.u + self.inverse @ (self.J.T @ impulses))


def meet(base: Base, held: Terms, touches: Sequence[Touch], x: Array, extra: Sequence[tuple[Array, Array]] = (),
         drags: Sequence[tuple[Array, Array, float]] = ()) -> Meeting:  # fmt: skip
    """The contacts of some touches at x = (t, q, u, rest), the rows of ``held`` held.

    ``extra`` are rows (B, c) that hold besides; ``drags`` are (g, N1, N0) of friction where the coordinates hold.
    """
    n_q, n = len(base.equations.q), len(base.equations.u)
    u = x[1 + n_q : 1 + n_q + n]
    motion = held.motion(x)
    M, f, B, c = motion.M, motion.f, held.place(x).B, motion.c
    for row, bias in extra:
        B, c = np.vstack([B, row]), np.append(c, bias)
    for g, N1, N0 in drags:
        M, f = M - np.outer(g, N1), f + g * N0
    inverse, udot = _left(base, M, f, B, c)
    rows = [(touch.terms.place(x), touch.terms.bias_function(x)) for touch in touches]
    J = np.vstack([np.zeros((0, n)), *(place.B for place, _ in rows)])
    return Meeting(tuple(touches), u, J, np.concatenate([np.zeros(0), *(place.C for place, _ in rows)]),
                   np.concatenate([np.zeros(0), *(bias for _, bias in rows)]), M, f, inverse, udot,
                   tuple(len(touch.tangents) for touch in touches))  # fmt: skip


def _left(base: Base, M: Array, f: Array, B: Array, c: Array) -> tuple[Array, Array]:
    """T M̃⁻¹ Tᵀ and u̇₀."""
    n = len(M)
    if not len(B):
        T, gamma = np.eye(n), np.zeros(n)
    else:
        weights = weights_of(M)
        scaled = B * weights
        lengths = np.linalg.norm(scaled, axis=1)
        keep = lengths > RANK * lengths.max(initial=0.0)
        left, singular, right = np.linalg.svd(scaled[keep] / lengths[keep, None])
        rank = int((singular > RANK * singular.max(initial=0.0)).sum())
        T = right[rank:].T * weights[:, None]
        goal = left[:, :rank].T @ (-c[keep] / lengths[keep]) / singular[:rank]
        gamma = (right[:rank].T @ goal) * weights
    try:
        inverse = T @ np.linalg.solve(T.T @ M @ T, T.T) if T.shape[1] else np.zeros((n, n))
    except np.linalg.LinAlgError:
        raise ConstraintError(
            f"'{base.equations.name}' has speeds without inertia that nothing holds where bodies touch. Give every "
            "body a mass, or hold massless speeds by constraints."
        ) from None
    return inverse, inverse @ (f - M @ gamma) + gamma

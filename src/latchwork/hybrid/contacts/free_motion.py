"""Free motion: what moves at a state without contacts, with everything else that holds held, where that takes care.

    P = T M̃⁻¹ Tᵀ,    u̇₀ = T M̃⁻¹ Tᵀ (f − M γ) + γ

T spans the speeds that the constraints B u + C = 0 leave, γ is an acceleration that meets B γ + c = 0: rows may be
redundant, faint or at a singular position. Elsewhere the kernel of `delassus_operator` finds the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from latchwork.algebra.linear import SingularMatrix, solve, svd
from latchwork.algebra.products import dot, norm
from latchwork.constraint.branch_limit import rows_at
from latchwork.constraint.selection import FAINT, RANK, VANISHED, weights_of
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.errors import ConstraintError


class Free(NamedTuple):
    """M and f, the inverse inertia that is left to contacts, T M̃⁻¹ Tᵀ, and accelerations without them, u̇₀."""

    M: Array
    f: Array
    inverse: Array
    udot: Array


def free_motion_of(base: Base, held: Terms, x: Array, extra: Sequence[tuple[Array, Array]] = (),
                   drags: Sequence[tuple[Array, Array, float]] = ()) -> Free:  # fmt: skip
    """M, f, P and u̇₀ at x = (t, q, u, rest) with the rows of ``held`` held, also at and near singular positions.

    ``extra`` are rows (B, c) that hold besides; ``drags`` are (g, N1, N0) of friction where the coordinates enforce
    contacts.
    """
    motion = held.motion(x)
    M, f, (B, c, usual, rows) = motion.M, motion.f, rows_at(held, x)
    for row, bias in extra:
        B, c, usual = np.vstack([B, row]), np.append(c, bias), np.vstack([usual, row])
        rows = np.append(rows, np.abs(row * base.units.u).max(initial=0.0) or 1.0)
    for g, N1, N0 in drags:
        M, f = M - np.outer(g, N1), f + g * N0
    return Free(M, f, *left_over(base, M, f, B, c, usual, rows))


def left_over(base: Base, M: Array, f: Array, B: Array, c: Array, usual: Array,
              rows: Array) -> tuple[Array, Array]:  # fmt: skip
    """T M̃⁻¹ Tᵀ and u̇₀; ``usual`` is B elsewhere, by which rows are measured that are faint here; ``rows`` are units."""
    n = len(M)
    if not len(B):
        inverse = _solved(base, M, np.eye(n))
        return inverse, np.asarray(dot(inverse, f))
    weights = weights_of(M, base.units.u)
    scaled = B * weights
    lengths = np.maximum(norm(scaled, axis=1), FAINT * norm(usual * weights, axis=1))
    keep = lengths / rows > VANISHED * (lengths / rows).max(initial=0.0)
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

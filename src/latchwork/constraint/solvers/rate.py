"""Ṗ, the rate of Aghili's projection operator, from Ḃ: by singular values and by the pseudoinverse.

On the constraint Ṗu = −B⁺ (Ḃ u + Ċ), which is all that the designs need; the whole matrix is for analysis and control.
"""

from __future__ import annotations

import numpy as np

from latchwork.constraint.terms import Array, Terms
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import tangents

CUT = 1e-9  # singular values below this part of the largest are zero


def rows_rate(terms: Terms, x: Array) -> Array:
    """Ḃ along the motion."""
    rows = terms.rows
    g, along = rows.equations.system.graph, rows.equations.derivation.kinematics.along
    nodes = tangents(g, [b for row in rows.B_nodes for b in row], along)
    return Function(lower(g, nodes, tuple(rows.equations.arguments)))(x).reshape(len(rows), -1)


def projector_rate_svd(B: Array, B_rate: Array) -> Array:
    """Ṗ = S + Sᵀ with S = V̇₂V₂ᵀ and V̇₂ = −V₁Σ⁻¹U₁ᵀ Ḃ V₂, where the rank stays.  [Aghili Eq. 14]"""
    U, s, Vt = np.linalg.svd(B)
    r = int((s > CUT * s.max(initial=0.0)).sum())
    V2 = Vt[r:].T
    S = -(Vt[:r].T / s[:r]) @ U[:, :r].T @ B_rate @ V2 @ V2.T
    return np.asarray(S + S.T)


def projector_rate_pseudoinverse(B: Array, B_rate: Array) -> Array:
    """Ṗ = −B⁺ḂP − (B⁺ḂP)ᵀ with P = I − B⁺B, where the rank stays.  [from Aghili Eq. 15]"""
    inverse = np.linalg.pinv(B, rcond=CUT)
    half = inverse @ B_rate @ (np.eye(B.shape[1]) - inverse @ B)
    return np.asarray(-half - half.T)

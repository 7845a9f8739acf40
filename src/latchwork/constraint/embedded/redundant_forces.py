"""How redundant rows share the load: λ_red = R λ_kept + c, with a constant R and c, as one matrix [R c].

Rows that say the same could carry it in many ways. What they carry where a mode begins is c beyond the share of least
norm, and what comes later is shared by least norm, the fair way: c is a stress of its own, which moves nothing.
"""

from __future__ import annotations

import numpy as np

from latchwork.algebra.linear import cond, lstsq, solve
from latchwork.algebra.products import dot
from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array

POOR = 1e8  # a condition beyond which other rows cannot stand for those kept


def least_norm_share(B: Array, selection: Selection) -> Array:
    """[R 0] for which λ is of least norm, among all with the same Bᵀ λ.

    B_red = C B_kept, so that ``λ_kept + Cᵀ λ_red`` is given; |λ_kept|² + |λ_red|² is least for ``λ_red = C λ_kept``.
    Hence ``R = C = B_red B_kept⁺``.
    """
    kept, lost = B[list(selection.kept)], B[list(selection.redundant)]
    return np.pad(lstsq(kept.T, lost.T).T, ((0, 0), (0, 1)))


def share_at(B: Array, share: Array | None, old: Selection, new: Selection) -> Array | None:
    """The same share in terms of other rows kept: λ = P λ_kept + p with ``P = [1; R]``, ``p = [0; c]``, so that
    ``R' = P_red' P_kept'⁻¹`` and ``c' = p_red' − R' p_kept'``.

    Of least norm where that cannot be: rows kept now that carried nothing of their own before, or another rank.
    """
    if new.kept == old.kept:
        return share
    P = np.zeros((len(B), old.rank + 1))
    P[list(old.kept), : old.rank] = np.eye(old.rank)
    P[list(old.redundant)] = 0.0 if share is None else share
    kept, lost = P[list(new.kept)], P[list(new.redundant)]
    if new.rank != old.rank or (kept.size and not cond(kept[:, :-1]) < POOR):
        return least_norm_share(B, new)
    R = solve(kept[:, :-1].T, lost[:, :-1].T).T
    return np.column_stack((R, lost[:, -1] - dot(R, kept[:, -1])))

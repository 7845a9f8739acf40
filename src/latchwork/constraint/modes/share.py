"""How redundant rows share the load: λ_red = R λ_kept, with a constant R.

Rows that say the same could carry it in many ways; equal contacts side by side share it by their own law, least norm is
the fair one.
"""

from __future__ import annotations

import numpy as np

from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array

POOR = 1e8  # a condition beyond which other rows cannot stand for those kept


def least_norm_share(B: Array, selection: Selection) -> Array:
    """R for which λ is of least norm, among all with the same Bᵀ λ.

    B_red = C B_kept, so that ``λ_kept + Cᵀ λ_red`` is given; |λ_kept|² + |λ_red|² is least for ``λ_red = C λ_kept``.
    Hence ``R = C = B_red B_kept⁺``.
    """
    kept, lost = B[list(selection.kept)], B[list(selection.redundant)]
    return np.asarray(np.linalg.lstsq(kept.T, lost.T, rcond=None)[0].T)


def share_at(B: Array, share: Array | None, old: Selection, new: Selection) -> Array | None:
    """The same share in terms of other rows kept: λ = P λ_kept with ``P = [1; R]``, so ``R' = P_red' P_kept'⁻¹``.

    Of least norm where that cannot be: rows kept now that carried nothing of their own before, or another rank.
    """
    if new.kept == old.kept:
        return share
    P = np.zeros((len(B), old.rank))
    P[list(old.kept)], P[list(old.redundant)] = np.eye(old.rank), 0.0 if share is None else share
    kept = P[list(new.kept)]
    if new.rank != old.rank or (kept.size and not np.linalg.cond(kept) < POOR):
        return least_norm_share(B, new)
    return np.asarray(np.linalg.solve(kept.T, P[list(new.redundant)].T).T)

"""How redundant rows share the load: λ_red = R λ_kept + c, with a constant R and c, as one matrix [R c].

Rows that say the same could carry it in many ways. What they carry where a mode begins is c beyond the share of least
norm, and what comes later is shared by least norm, the fair way: c is a stress of its own, which moves nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.linear import EPS, cond, least_tall, solve
from latchwork.algebra.products import dot
from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array
from latchwork.program.kernel import f64p, i64, i64p, kernel, offset
from latchwork.program.native import briefly, together

POOR = 1e8  # a condition beyond which other rows cannot stand for those kept


@kernel
def room_of_share(rows: i64, n: i64, rank: i64) -> i64:
    """Numbers that `share_by_least_norm` needs as room."""
    lost = rows - rank
    return n * rank + n * lost + rank * rank + rank + rank * lost


@kernel
def share_by_least_norm(rows: i64, n: i64, rank: i64, B: f64p, kept: i64p, share: f64p, room: f64p) -> None:
    """[R 0] for which λ is of least norm, among all with the same Bᵀ λ; ``kept``: 1 for each row that is kept.

    B_red = C B_kept, so that ``λ_kept + Cᵀ λ_red`` is given; |λ_kept|² + |λ_red|² is least for ``λ_red = C λ_kept``.
    Hence ``R = C = B_red B_kept⁺``.
    """
    lost = rows - rank
    given, wanted, V = room, offset(room, n * rank), offset(room, n * rank + n * lost)
    s, found = offset(V, rank * rank), offset(V, rank * rank + rank)
    a, b = 0, 0
    for i in range(rows):
        for j in range(n):
            if kept[i] != 0:
                given[j * rank + a] = B[i * n + j]
            else:
                wanted[j * lost + b] = B[i * n + j]
        a += 1 if kept[i] != 0 else 0
        b = i + 1 - a
    least_tall(n, rank, lost, float(n) * EPS, given, wanted, V, s, found)
    for r in range(lost):
        for k in range(rank):
            share[r * (rank + 1) + k] = found[k * lost + r]
        share[r * (rank + 1) + rank] = 0.0


together(share_by_least_norm)


def kept_rows(selection: Selection) -> NDArray[np.int64]:
    """1 for each row that is kept."""
    flags = np.zeros(len(selection.kept) + len(selection.redundant), dtype=np.int64)
    flags[list(selection.kept)] = 1
    return flags


def least_norm_share(B: Array, selection: Selection) -> Array:
    """[R 0] for which λ is of least norm: see `share_by_least_norm`."""
    (rows, n), rank = B.shape, selection.rank
    share = np.empty((rows - rank, rank + 1))
    briefly(share_by_least_norm, rows, n, rank, np.ascontiguousarray(B), kept_rows(selection), share,
            np.empty(room_of_share(rows, n, rank)))  # fmt: skip
    return share


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

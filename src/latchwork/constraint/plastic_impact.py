"""The plastic impact of rows that are clearly independent, in one call: what `consistency.assemble_u` says of them.

    δu = M⁻¹ Bᵀ p,    B M⁻¹ Bᵀ p = −(B u + C)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from latchwork.algebra.elimination import lu, lu_solve
from latchwork.constraint.inertia import invert, square, times, unpack
from latchwork.constraint.selection_kernel import selected_speeds
from latchwork.constraint.terms import Array, Terms
from latchwork.program.kernel import divide, f64p, i64, kernel, offset, sqrt
from latchwork.program.native import briefly, together

APART = 1e-6  # pivots of S, whose diagonal is made 1: below it rows are close to depending on each other
REFINED = 2  # times: once for the answer, once for what rounding left of it


class Struck(NamedTuple):
    """Speeds after, impulses of all rows, the energy gained, and the largest |Φ|, each in units of what moves it."""

    u: Array
    impulses: Array
    gained: float
    off: float


@kernel
def take_up(n: i64, m: i64, packed: f64p, B: f64p, C: f64p, u: f64p, p: f64p, w: f64p) -> i64:
    """u and p in place, the energy gained into w[0]; 0 where M or the rows are close to singular."""
    M, inverse, G, S = offset(w, 1), offset(w, 1 + n * n), offset(w, 1 + 2 * n * n), offset(w, 1 + 2 * n * n + m * n)
    scale, order, right = offset(S, m * m), offset(S, m * m + m), offset(S, m * m + 2 * m)
    work = offset(S, m * m + 3 * m)
    unpack(n, packed, M)
    for i in range(n):
        inverse[i] = M[i * n + i]
    if invert(n, M, inverse, work) == 0:
        return 0
    for r in range(m):
        p[r] = 0.0
        for i in range(n):
            G[r * n + i] = times(n, offset(inverse, i * n), offset(B, r * n))
        scale[r] = sqrt(divide(1.0, times(n, offset(B, r * n), offset(G, r * n))))
    for r in range(m):
        for s in range(m):
            S[r * m + s] = times(n, offset(B, r * n), offset(G, s * n)) * scale[r] * scale[s]
    if m > 0 and not lu(m, S, order) > APART:
        return 0
    before = square(n, M, u)
    for _ in range(REFINED):
        for r in range(m):
            right[r] = -(times(n, offset(B, r * n), u) + C[r]) * scale[r]
        lu_solve(m, S, order, right)
        for r in range(m):
            p[r] += right[r] * scale[r]
            for i in range(n):
                u[i] += G[r * n + i] * right[r] * scale[r]
    w[0] = 0.5 * (square(n, M, u) - before)
    return 1


together(take_up)


def struck(terms: Terms, x: Array) -> Struck | None:
    """The impact that makes speeds consistent with all rows at x = (t, q, u, rest); none where it takes more care."""
    n_q, n, m = terms.sizes
    found = selected_speeds(terms, x)
    if found is None or found.selection.redundant:
        return None
    place, packed = terms.place(x), terms.base.motion(x)[n_q : n_q + n * (n + 1) // 2]
    u, p, w = x[1 + n_q : 1 + n_q + n].copy(), np.zeros(m), np.zeros(1 + 3 * n * n + 2 * n + m * n + m * m + 3 * m)
    if not briefly(take_up, n, m, packed.copy(), np.ascontiguousarray(place.B), place.C.copy(), u, p, w):
        return None
    off = float(np.abs(terms.measured(place, found.typical)).max(initial=0.0))
    return Struck(u, p, float(w[0]), off)

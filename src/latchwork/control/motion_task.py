"""The motion that a law asks for, as rows of its inputs: J U ρ = a − J u̇₀, measured by Gauss's principle.

    A = L⁻¹ J U,   b = L⁻¹ (a − J u̇₀),   L Lᵀ = J M⁻¹ Jᵀ

Where all motion can be had the metric does not matter, and lengths by M_jj alone are taken. Of motion that the mode
does not allow, the nearest has P M (u̇ − u̇*) = 0, which is what projection does.   [Aghili Eq. 43]
"""

from __future__ import annotations

from latchwork.algebra.elimination import add_row, cholesky
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.recombination import entry
from latchwork.control.law_record import Law
from latchwork.control.response import respond
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

CUT = 1e-9  # of the largest: what inputs do to a motion in a smaller part is nothing
HELD = 1e-10  # of J M⁻¹ Jᵀ: outputs that a mode accelerates by less are held
MEETS = 1e-7  # accelerations that inputs are to give may be off by this part of what cancels


@kernel
def read_jacobian(law: Law) -> None:
    """J by rows."""
    J, entries = law.J, offset(law.out, law.entries_G)
    for i in range(law.k * law.n):
        J[i] = 0.0
    for e in range(law.entries_J):
        J[law.J_row[e] * law.n + law.J_speed[e]] = entries[e]


@kernel
def diagonal_metric(mode: EmbeddedMode, law: Law) -> None:
    """Lengths of rows of J where speeds are measured by M_jj alone: enough where all motion can be had."""
    k, N, entries = law.k, law.metric, offset(law.out, law.entries_G)
    packed = offset(mode.motion, mode.n_q)
    for r in range(k):
        law.dropped[r] = 0
        for s in range(r + 1):
            N[r * k + s] = 0.0
    for e in range(law.entries_J):
        r, j = law.J_row[e], law.J_speed[e]
        N[r * k + r] += divide(entries[e] * entries[e], packed[j * (j + 1) // 2 + j])
    for r in range(k):
        N[r * k + r] = sqrt(N[r * k + r])


@kernel
def drop_held(mode: EmbeddedMode, law: Law) -> None:
    """Outputs that no force accelerates in this mode, J S Jᵀ = 0: they are held, whatever their errors."""
    respond_to_rows(mode, law)
    for r in range(law.k):
        size = law.metric[r * law.k + r]
        if size > 0.0 and not law.C[r * law.k + r] > HELD * size * size:
            law.dropped[r] = 1


@kernel
def respond_to_rows(mode: EmbeddedMode, law: Law) -> None:
    """C = J S Jᵀ: what generalized forces along the outputs do to them."""
    n, k, J, g, U = law.n, law.k, law.J, law.along, law.along_effect
    read_jacobian(law)
    for r in range(k):
        for j in range(n):
            g[j * k + r] = J[r * n + j]
    respond(mode, law.slides, 0, k, g, law.every, law.block, U, law.spare)
    for s in range(k):
        row = offset(law.C, s * k)
        for r in range(k):
            row[r] = 0.0
        for j in range(n):
            add_row(k, J[s * n + j], offset(U, j * k), row)


@kernel
def gauss_metric(mode: EmbeddedMode, law: Law) -> None:
    """The factor of J M⁻¹ Jᵀ: of its inverse, motion that cannot be had is measured."""
    n, k, J = law.n, law.k, law.J
    packed, L, half, N = offset(mode.motion, mode.n_q), law.chol, law.half, law.metric
    read_jacobian(law)
    for i in range(n):
        for j in range(i + 1):
            L[i * n + j] = entry(packed, i, j)
    cholesky(n, L)
    for r in range(k):
        for i in range(n):
            total = J[r * n + i] if law.dropped[r] == 0 else 0.0
            for j in range(i):
                total -= L[i * n + j] * half[r * n + j]
            half[r * n + i] = divide(total, L[i * n + i])
    for r in range(k):
        for s in range(r + 1):
            total = 0.0
            for j in range(n):
                total += half[r * n + j] * half[s * n + j]
            N[r * k + s] = total if r != s or law.dropped[r] == 0 else 1.0
    for r in range(k):
        law.cost[r] = N[r * k + r]
    cholesky(k, N)
    for r in range(k):
        if not N[r * k + r] > CUT * sqrt(law.cost[r]):
            law.dependent = 1


@kernel
def motion_rows(mode: EmbeddedMode, law: Law) -> None:
    """A and b, where `effects` has been called; and the size of what cancels in b."""
    p, k = law.p, law.k
    wanted_motion(mode, law)
    for i in range(k * p):
        law.A[i] = 0.0
    entries = offset(law.out, law.entries_G)
    for e in range(law.entries_J):
        r = law.J_row[e]
        if law.dropped[r] == 0:
            add_row(p, entries[e], offset(law.effect, law.J_speed[e] * p), offset(law.A, r * p))
    for r in range(k):
        for s in range(r):
            factor = law.metric[r * k + s]
            if factor != 0.0:
                law.b[r] -= factor * law.b[s]
                law.cost[r] += fabs(factor) * law.cost[s]
                add_row(p, -factor, offset(law.A, s * p), offset(law.A, r * p))
        pivot, row = law.metric[r * k + r], offset(law.A, r * p)
        law.b[r], law.cost[r] = divide(law.b[r], pivot), divide(law.cost[r], pivot)
        for c in range(p):
            row[c] = divide(row[c], pivot)


@kernel
def wanted_motion(mode: EmbeddedMode, law: Law) -> None:
    """b = a − J u̇₀, and what cancels in it; where a generalized force h is wanted, J = 1 and b is what h does."""
    wanted, entries = offset(law.out, law.at_wanted), offset(law.out, law.entries_G)
    for r in range(law.k):
        law.b[r], law.cost[r] = wanted[r], wanted[r] * wanted[r]
    for e in range(law.entries_J):
        r = law.J_row[e]
        term = entries[e] * law.udot[law.J_speed[e]]
        law.b[r] -= term
        law.cost[r] += term * term
    if law.by_force != 0:
        respond(mode, law.slides, 0, 1, wanted, law.every, law.block, law.x, law.spare)
    for r in range(law.k):
        law.cost[r] = sqrt(law.cost[r])
        if law.by_force != 0:
            law.b[r], law.cost[r] = law.x[r], fabs(law.x[r])
        if law.dropped[r] != 0:
            law.b[r], law.cost[r] = 0.0, 0.0


@kernel
def loses_motion(mode: EmbeddedMode, law: Law) -> i64:
    """1 where motion that forces on all speeds could give is not given by ρ; what is left of b in ``right``."""
    p, off, size = law.p, 0.0, 0.0
    for i in range(law.k):
        total, row = law.b[i], offset(law.A, i * p)
        for c in range(p):
            total -= row[c] * law.rho[c]
        law.right[i] = total
        off += total * total
        size = maximum(size, law.cost[i])
    return 1 if off > MEETS * MEETS * size * size and can_be_had(mode, law, size) == 1 else 0


@kernel
def can_be_had(mode: EmbeddedMode, law: Law, size: f64) -> i64:
    """1 where some generalized force gives a part of what is left, b, of the motion: Cᵀ b ≠ 0, C = L⁻¹ J S Jᵀ L⁻ᵀ.

    What no force gives, the rows of the mode hold.
    """
    k, C = law.k, law.C
    respond_to_rows(mode, law)
    for r in range(k):
        for s in range(k):
            C[s * k + r] = C[s * k + r] if law.dropped[r] + law.dropped[s] == 0 else 0.0
    for r in range(k):
        lower_solve(k, law.metric, C, r, k)
    for r in range(k):
        lower_solve(k, law.metric, C, r * k, 1)
    off = 0.0
    for r in range(k):
        total = 0.0
        for s in range(k):
            total += C[s * k + r] * law.right[s]
        off = maximum(off, fabs(total))
    return 1 if off > MEETS * size else 0


@kernel
def lower_solve(k: i64, L: f64p, x: f64p, first: i64, stride: i64) -> None:
    """``x ← L⁻¹ x`` of numbers that stand a stride apart."""
    for i in range(k):
        total = x[first + i * stride]
        for j in range(i):
            total -= L[i * k + j] * x[first + j * stride]
        x[first + i * stride] = divide(total, L[i * k + i])

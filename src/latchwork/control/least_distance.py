"""The least inputs within limits, among those that move and press as asked: least distance programming.

    ρ = ρ₀ + N x:   least ‖x‖  over  G x ≥ h
    u ≥ 0 of least ‖[Gᵀ; hᵀ] u − (0, 1)‖, r what is left of it:   x = −r_x / r_h;   none where r = 0

ρ₀ is least without limits, and N what motion and force leave free, at right angles to it. Limits are planes of cones
and bounds of inputs.   [Lawson and Hanson 1974, ch. 23]
"""

from __future__ import annotations

from latchwork.algebra.elimination import add_row
from latchwork.contact.impact.nonnegative import nearest_in_cone
from latchwork.control.law_record import Law
from latchwork.program.kernel import divide, f64, fabs, i64, kernel, offset
from latchwork.program.scalar import maximum

NO_BOUND = 1e299  # bounds beyond are none
INFEASIBLE = 1e-10  # what is left of (0, 1) where no x is within limits


@kernel
def least_distance(law: Law) -> i64:
    """ρ within all limits, as near to ρ₀ as can be; 0 where there is none with the same motion and force."""
    p, left = law.p, law.left
    count, size = gather_limits(law)
    if left == 0 or count == 0:
        return 0
    E, c = law.limit_E, law.limit_c
    for i in range(count):
        for j in range(left):
            E[j * count + i] = law.limit_G[i * p + j]
        E[left * count + i] = divide(law.limit_h[i], size)
        law.limit_u[i], law.limit_free[i] = 0.0, 0
    for j in range(left + 1):
        c[j] = 0.0 if j < left else -1.0
    nearest_in_cone(left + 1, count, E, c, 1.0, law.limit_u, law.limit_free, law.limit_z, law.limit_r, law.limit_part,
                    law.limit_F, law.limit_tau, law.limit_order, law.limit_turned)  # fmt: skip
    for j in range(left + 1):
        for i in range(count):
            c[j] += E[j * count + i] * law.limit_u[i]
    if not -c[left] > INFEASIBLE:
        return 0
    for k in range(p):
        law.rho[k] = law.plain[k]
    for j in range(left):
        add_row(p, divide(-size * c[j], c[left]), offset(law.basis, j * p), law.rho)
    settle_limits(law, count)
    return 1


@kernel
def gather_limits(law: Law) -> tuple[i64, f64]:
    """G and h of all limits; how many, and the largest |h|."""
    p, left, count, size = law.p, law.left, 0, 0.0
    for i in range(law.cuts):
        row, total = offset(law.cut_A, i * p), law.cut_b[i]
        for k in range(p):
            total -= row[k] * law.plain[k]
        for j in range(left):
            along = 0.0
            for k in range(p):
                along += row[k] * law.basis[j * p + k]
            law.limit_G[count * p + j] = along
        law.limit_h[count], law.limit_of[count] = total, p + i
        size = maximum(size, fabs(total))
        count += 1
    for k in range(p):
        for high in range(2):
            bound = law.high[k] if high == 1 else law.low[k]
            if fabs(bound) < NO_BOUND:
                sign = -1.0 if high == 1 else 1.0
                for j in range(left):
                    law.limit_G[count * p + j] = sign * law.basis[j * p + k]
                law.limit_h[count], law.limit_of[count] = sign * (bound - law.plain[k]), k
                size = maximum(size, fabs(law.limit_h[count]))
                count += 1
    return count, size if size > 0.0 else 1.0


@kernel
def settle_limits(law: Law, count: i64) -> None:
    """Which limits are reached; inputs at a bound are exactly there."""
    law.at_bound, law.at_edge = 0, 0
    for k in range(law.p):
        law.side[k] = 0
        if law.rho[k] < law.low[k] or law.rho[k] > law.high[k]:
            law.rho[k] = law.low[k] if law.rho[k] < law.low[k] else law.high[k]
    for i in range(count):
        if law.limit_u[i] > 0.0 and law.limit_of[i] >= law.p:
            law.at_edge = 1
        elif law.limit_u[i] > 0.0:
            law.at_bound, law.side[law.limit_of[i]] = 1, 1

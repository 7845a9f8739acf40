"""One contact with Coulomb friction between impulses: stick if the cone allows, else slip along what slips after.

    v⁺ = v⁻ + W Λ,   v_n⁺ given,   v_t⁺ = 0 and |Λ_t| ≤ μ_s Λ_n   or   Λ_t = −μ_d Λ_n v_t⁺/|v_t⁺|

[Kane, Levinson 1987]. With ρ = Λ_t/Λ_n and one tangent, v_t⁺ grows with ρ wherever D = W_nn + W_nt ρ > 0 (its slope is
det W Λ_n²/rise), and falls without bound towards the pole D = 0. So if no ρ inside the cone gives v_t⁺ = 0, just one
end of the cone has v_t⁺ against ρ: exactly one of stick, slip forwards and slip backwards is consistent, however large
μ. With two tangents a solution exists wherever D > 0 all over the cone (a variational inequality on a disk); beyond,
there may be none.

W is of n = 1, 2 or 3 rows, the normal first. Kernels give 1 where there is an answer, else 0.
"""

from __future__ import annotations

from latchwork.algebra.factors import eigen
from latchwork.algebra.products import length
from latchwork.contact.impact.planar import slip_in_plane, stop_in_plane
from latchwork.contact.impact.spatial import slip_in_space, stop_in_space
from latchwork.contact.impact.tolerances import CUT, EDGE, LIFT, MET
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, local_f64, offset, sqrt
from latchwork.program.scalar import maximum


@kernel
def least(n: i64, W: f64p, b: f64p, x: f64p) -> i64:
    """The shortest x with W x = b, W symmetric and positive semi-definite, of three rows at most; 0 where none is.

    Shortest where the diagonal of W is made one.
    """
    S, V, scale, right = local_f64(9), local_f64(9), local_f64(3), local_f64(3)
    for i in range(n):
        scale[i] = divide(1.0, sqrt(W[i * n + i])) if W[i * n + i] > 0.0 else 1.0
        right[i], x[i] = b[i] * scale[i], 0.0
    for i in range(n):
        for j in range(n):
            S[i * n + j] = W[i * n + j] * (scale[i] * scale[j])
    eigen(n, S, V)
    largest, residual, most = 0.0, 0.0, 0.0
    for j in range(n):
        largest = maximum(largest, S[j * n + j])
    for j in range(n):
        if S[j * n + j] > CUT * largest:
            part = 0.0
            for i in range(n):
                part += V[i * n + j] * right[i]
            part = divide(part, S[j * n + j])
            for i in range(n):
                x[i] += V[i * n + j] * part
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += W[i * n + j] * (scale[i] * scale[j]) * x[j]
        residual, most = maximum(residual, fabs(total - right[i])), maximum(most, fabs(right[i]))
    for i in range(n):
        x[i] *= scale[i]
    return 0 if residual > MET * most else 1


@kernel
def in_cone(n: i64, impulse: f64p, mu: f64) -> i64:
    """1 where |Λ_t| ≤ μ Λ_n."""
    return 1 if length(n - 1, offset(impulse, 1)) <= mu * impulse[0] * (1.0 + EDGE) else 0


@kernel
def impulse_of(n: i64, W: f64p, rise: f64, rho: f64p, impulse: f64p) -> i64:
    """Λ = Λ_n (1, ρ) that lifts v_n by ``rise``; none beyond the pole, where pushing harder makes it approach."""
    slope = W[0]
    for i in range(n - 1):
        slope += W[1 + i] * rho[i]
    if slope <= LIFT * W[0]:
        return 0
    impulse[0] = divide(rise, slope)
    for i in range(n - 1):
        impulse[1 + i] = rho[i] * impulse[0]
    return 1


@kernel
def without_friction(n: i64, W: f64p, rise: f64, impulse: f64p) -> i64:
    """Λ_n that lifts v_n by ``rise``."""
    rho = local_f64(2)
    rho[0], rho[1] = 0.0, 0.0
    return impulse_of(n, W, rise, rho, impulse)


@kernel
def slip(n: i64, W: f64p, v: f64p, rise: f64, mu: f64, impulse: f64p) -> i64:
    """Λ_t = −μ Λ_n v_t⁺/|v_t⁺|; where several are consistent, that of the least energy; none where none is."""
    if mu == 0.0 or n == 1:
        return without_friction(n, W, rise, impulse)
    if n == 2:
        return slip_in_plane(W, v, rise, mu, impulse)
    return slip_in_space(W, v, rise, mu, impulse)


@kernel
def stick(n: i64, W: f64p, v: f64p, rise: f64, mu: f64, impulse: f64p) -> i64:
    """Λ with v_t⁺ = 0, if it is in the cone of μ."""
    found = stop_in_plane(W, v, rise, impulse) if n == 2 else stop_in_space(W, v, rise, impulse)
    if found == 0:
        b = local_f64(3)
        b[0] = rise
        for i in range(1, n):
            b[i] = -v[i]
        found = least(n, W, b, impulse)
    if found == 0 or not impulse[0] > 0.0:
        return 0
    return in_cone(n, impulse, mu)


@kernel
def coulomb(n: i64, W: f64p, v: f64p, rise: f64, mu_s: f64, mu_d: f64, impulse: f64p) -> i64:
    """Λ that lifts v_n by ``rise`` > 0: stick if |Λ_t| ≤ μ_s Λ_n, else slip with μ_d; none where neither fits."""
    if n == 1:
        return without_friction(n, W, rise, impulse)
    if stick(n, W, v, rise, mu_s, impulse) == 1:
        return 1
    return slip(n, W, v, rise, mu_d, impulse)

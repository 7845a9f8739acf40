"""One contact with one tangent and Coulomb friction between impulses; see `coulomb`.

    v_n⁺ given,   v_t⁺ = 0   or   Λ_t = −μ_d Λ_n s,   s = ±1 the sign of v_t⁺
"""

from __future__ import annotations

from latchwork.contact.impact.tolerances import EDGE, LIFT, REGULAR
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, local_f64, sqrt
from latchwork.program.scalar import maximum


@kernel
def lift(W: f64p, rise: f64, rho: f64, impulse: f64p) -> i64:
    """Λ = Λ_n (1, ρ) that lifts v_n by ``rise``; none beyond the pole, where pushing harder makes it approach."""
    slope = W[0] + W[1] * rho
    if slope <= LIFT * W[0]:
        return 0
    impulse[0] = divide(rise, slope)
    impulse[1] = rho * impulse[0]
    return 1


@kernel
def stop_in_plane(W: f64p, v: f64p, rise: f64, impulse: f64p) -> i64:
    """Λ with v_t⁺ = 0; none where W is close to singular."""
    if not (W[0] > 0.0 and W[3] > 0.0):
        return 0
    s_n, s_t = divide(1.0, sqrt(W[0])), divide(1.0, sqrt(W[3]))
    cosine, up, along = W[1] * (s_n * s_t), rise * s_n, -v[1] * s_t
    det = 1.0 - cosine * cosine
    if not det > REGULAR:
        return 0
    impulse[0] = s_n * divide(up - cosine * along, det)
    impulse[1] = s_t * divide(along - cosine * up, det)
    return 1


@kernel
def slip_in_plane(W: f64p, v: f64p, rise: f64, mu: f64, impulse: f64p) -> i64:
    """Λ_t = −μ Λ_n s with s the sign of v_t⁺; where both are consistent, that of the least energy; none where none."""
    size = maximum(fabs(v[0]), fabs(v[1])) + divide(rise * maximum(fabs(W[2]), fabs(W[3])), W[0])
    tried, found, least = local_f64(2), 0, 0.0
    s = 1.0
    for _ in range(2):
        if lift(W, rise, -mu * s, tried) == 1:
            n, t = tried[0], tried[1]
            if (v[1] + (W[2] * n + W[3] * t)) * s >= -EDGE * size:
                energy = n * (v[0] + 0.5 * (W[0] * n + W[1] * t)) + t * (v[1] + 0.5 * (W[2] * n + W[3] * t))
                if found == 0 or energy < least:
                    impulse[0], impulse[1], least, found = n, t, energy, 1
        s = -1.0
    return found

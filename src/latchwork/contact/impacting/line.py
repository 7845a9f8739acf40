"""One contact with one tangent or none, in plain numbers: what `coulomb` and `smith` say, where little is to calculate.

    v_n⁺ given,   v_t⁺ = 0 and |Λ_t| ≤ μ_s Λ_n   or   Λ_t = −μ_d Λ_n s,   s = ±1 the sign of v_t⁺
"""

from __future__ import annotations

import math

from latchwork.program.kernel import divide, f64, fabs, kernel
from latchwork.program.native import native

Rows = list[list[float]]
Pair = tuple[float, float]

LIFT = 1e-8  # dv_n/dΛ_n below this part of W_nn is none: friction wedges
EDGE = 1e-12  # how far outside the cone still is inside
REGULAR = 1e-6  # 1 − W_nt²/(W_nn W_tt) below this asks for more care


def lifting(W: Rows, rise: float, rho: float) -> Pair | None:
    """Λ = Λ_n (1, ρ) that lifts v_n by ``rise``; None beyond the pole, where pushing harder makes it approach."""
    W_nn, W_nt = W[0]
    lift = W_nn + W_nt * rho
    if lift <= LIFT * W_nn:
        return None
    push = rise / lift
    return push, rho * push


def stopping(W: Rows, v_t: float, rise: float) -> Pair | None:
    """Λ with v_t⁺ = 0; None where W is close to singular."""
    (W_nn, W_nt), (_, W_tt) = W
    if not (W_nn > 0.0 and W_tt > 0.0):
        return None
    s_n, s_t = 1.0 / math.sqrt(W_nn), 1.0 / math.sqrt(W_tt)
    cosine, up, along = W_nt * (s_n * s_t), rise * s_n, -v_t * s_t
    det = 1.0 - cosine * cosine
    if not det > REGULAR:
        return None
    return s_n * ((up - cosine * along) / det), s_t * ((along - cosine * up) / det)


def slipping(W: Rows, v: list[float], rise: float, mu: float) -> Pair | None:
    """Λ_t = −μ Λ_n s with s the sign of v_t⁺; where both are consistent, that of the least energy."""
    (W_nn, W_nt), (W_tn, W_tt) = W
    v_n, v_t = v
    size = max(abs(v_n), abs(v_t)) + rise * max(abs(W_tn), abs(W_tt)) / W_nn
    found: list[tuple[float, Pair]] = []
    for s in (1.0, -1.0):
        impulse = lifting(W, rise, -mu * s)
        if impulse is not None:
            n, t = impulse
            if (v_t + (W_tn * n + W_tt * t)) * s >= -EDGE * size:
                energy = n * (v_n + 0.5 * (W_nn * n + W_nt * t)) + t * (v_t + 0.5 * (W_tn * n + W_tt * t))
                found.append((energy, impulse))
    return min(found, key=lambda item: item[0])[1] if found else None


@kernel
def mean_root(W_nn: f64, W_nt: f64, W_tn: f64, W_tt: f64, a: f64, rise: f64, mu: f64) -> f64:
    """ρ of Smith's law, by bisection: below the pole the residual counts as negative on its side."""
    low, high = -mu, mu
    while high - low > 2e-16 * mu:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        lift = W_nn + W_nt * middle
        above = W_nt < 0.0  # ρ beyond the pole is against W_nt, and so counts its residual
        if lift > LIFT * W_nn:
            normal = divide(rise, lift)
            b = a + (W_tn * normal + W_tt * (middle * normal))
            size = a * a + b * b
            mean = divide(fabs(a) * a + fabs(b) * b, size) if size != 0.0 else 0.0
            above = middle + mu * mean > 0.0
        if above:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def meaning(W: Rows, v_t: float, rise: float, mu: float) -> Pair | None:
    """Λ along Smith's mean."""
    rho: float = native(mean_root).brief(*W[0], *W[1], v_t, rise, mu)
    return lifting(W, rise, rho)

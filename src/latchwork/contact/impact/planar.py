"""One contact with one tangent or none, as kernels: what `coulomb` and `smith` say, and a whole impact by their laws.

    v_n⁺ given,   v_t⁺ = 0 and |Λ_t| ≤ μ_s Λ_n   or   Λ_t = −μ_d Λ_n s,   s = ±1 the sign of v_t⁺

Where an answer takes more care, there is none here (0), and `coulomb`, `single_act` and `impact` find it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from latchwork.program.kernel import Kernel, divide, f64, f64p, fabs, i64, kernel, local_f64, sqrt
from latchwork.program.native import native, together
from latchwork.program.scalar import maximum

Array = np.ndarray

LIFT = 1e-8  # dv_n/dΛ_n below this part of W_nn is none: friction wedges
EDGE = 1e-12  # how far outside the cone still is inside
MET = 1e-9  # residual of equations that have a solution, as a part of their right side
REGULAR = 1e-6  # 1 − W_nt²/(W_nn W_tt) below this asks for more care
GAIN = 1e-10  # energy gained, as a part of what the impulses move, above which a law does not act
FLOOR = 1e-14  # of the energy that the whole impact could move: below notice
REST = 1e-11  # speeds below this part of the largest are zero
IMMOVABLE = 1e-13  # W_nn below this part of the largest is zero
COUPLED = 1e-10  # W between two contacts below this part of their own is zero
NEWTON, SMITH = 0, 1
LAWS = {"newton": NEWTON, "smith": SMITH}


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
def stop(W: f64p, v: f64p, rise: f64, impulse: f64p) -> i64:
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
def slip(W: f64p, v: f64p, rise: f64, mu: f64, impulse: f64p) -> i64:
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


@kernel
def mean(W: f64p, v: f64p, rise: f64, mu: f64, impulse: f64p) -> i64:
    """Λ along Smith's mean; ρ by bisection: below the pole the residual counts as negative on its side."""
    a, low, high = v[1], -mu, mu
    while high - low > 2e-16 * mu:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        slope = W[0] + W[1] * middle
        above = W[1] < 0.0  # ρ beyond the pole is against W_nt, and so counts its residual
        if slope > LIFT * W[0]:
            normal = divide(rise, slope)
            b = a + (W[2] * normal + W[3] * (middle * normal))
            size = a * a + b * b
            along = divide(fabs(a) * a + fabs(b) * b, size) if size != 0.0 else 0.0
            above = middle + mu * along > 0.0
        if above:
            high = middle
        else:
            low = middle
    return lift(W, rise, 0.5 * (low + high), impulse)


@kernel
def _acts(law: i64, W: f64p, v: f64p, e: f64, mu_s: f64, mu_d: f64, impulse: f64p) -> i64:
    """Λ by a law that says how much faster v_n is after: stick if the cone of μ_s allows, else slip with μ_d."""
    rise = -(1.0 + e) * v[0]
    if stop(W, v, rise, impulse) == 0:
        return 0
    if impulse[0] > 0.0 and fabs(impulse[1]) <= mu_s * impulse[0] * (1.0 + EDGE):
        return 1
    if mu_d == 0.0:
        return lift(W, rise, 0.0, impulse)
    return slip(W, v, rise, mu_d, impulse) if law == NEWTON else mean(W, v, rise, mu_d, impulse)


@kernel
def _is_lawful(W: f64p, v: f64p, impulse: f64p, floor: f64) -> i64:
    """1 where impulses gain no energy."""
    after_n, after_t = v[0] + (W[0] * impulse[0] + W[1] * impulse[1]), v[1] + (W[2] * impulse[0] + W[3] * impulse[1])
    energy = 0.5 * (impulse[0] * (v[0] + after_n) + impulse[1] * (v[1] + after_t))
    moved = fabs(impulse[0]) * (fabs(v[0]) + fabs(after_n)) + fabs(impulse[1]) * (fabs(v[1]) + fabs(after_t))
    return 0 if energy > floor and energy > floor + GAIN * moved else 1


@kernel
def act(law: i64, tangents: i64, W: f64p, v: f64p, e: f64, mu_s: f64, mu_d: f64, capture: f64, floor: f64,
        impulse: f64p) -> i64:  # fmt: skip
    """Λ of one contact; e = 0 where it would part slower than ``capture``; 0 where that takes more care."""
    impulse[1] = 0.0
    for _ in range(2):
        done = _acts(law, W, v, e, mu_s, mu_d, impulse) if tangents == 1 else lift(W, -(1.0 + e) * v[0], 0.0, impulse)
        if done == 0 or _is_lawful(W, v, impulse, floor) == 0:
            return 0
        after = v[0] + (W[0] * impulse[0] + W[1] * impulse[1])
        if not (e > 0.0 and impulse[0] != 0.0 and after < capture):
            return 1
        e = 0.0
    return 0


@kernel
def strike(law: i64, tangents: i64, given_W: f64p, given_v: f64p, e: f64, mu_s: f64, mu_d: f64, capture: f64,
           impulse: f64p) -> i64:  # fmt: skip
    """Λ of one contact that approaches, and no other is there; 0 where that is not all."""
    W, v = local_f64(4), local_f64(2)
    for i in range(4):
        W[i] = 0.0
    W[0], v[0], v[1] = given_W[0], given_v[0], 0.0
    if tangents == 1:
        W[1], W[2], W[3], v[1] = given_W[1], given_W[2], given_W[3], given_v[1]
    fastest, slow = maximum(fabs(v[0]), fabs(v[1])), REST * maximum(fabs(v[0]), fabs(v[1]))
    if not v[0] < -slow or W[0] <= IMMOVABLE * maximum(W[0], W[3]):
        return 0
    floor = FLOOR * divide(fastest * fastest, maximum(W[0], W[3]))
    if act(law, tangents, W, v, e, mu_s, mu_d, capture, floor, impulse) == 0:
        return 0
    return 1 if v[0] + (W[0] * impulse[0] + W[1] * impulse[1]) >= -slow else 0


together(stop, slip, mean, strike)


def found(kernel: Kernel[..., int], W: Array, v: Array, *numbers: float) -> Array | None:
    """What `stop`, `slip` or `mean`, or those in space, give for arrays."""
    impulse = np.zeros(len(v))
    held, here = np.ascontiguousarray(W, dtype=float), np.ascontiguousarray(v, dtype=float)
    run: Callable[..., int] = native(kernel).brief
    return impulse if run(held.ctypes.data, here.ctypes.data, *numbers, impulse.ctypes.data) else None

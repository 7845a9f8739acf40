"""Smith's law: the tangential impulse is along a mean of the slip before and after, each weighted with its size.

    Λ_t = −μ_d Λ_n φ,   φ = (|a| a + |b| b)/(|a|² + |b|²),   a = v_t⁻,  b = v_t⁺          [Smith 1991, Eq. 15]

|φ| ≤ 1 keeps it in the cone, and φ·(a + b) ≥ (|a| + |b|)(|a| − |b|)²/(|a|² + |b|²) ≥ 0 keeps it from gaining energy.
It is implicit in b. With one tangent ρ + μ φ(a, b(ρ)) grows with ρ, so it has one root; with two it maps the cone into
itself, so it has one at least.
"""

from __future__ import annotations

from latchwork.contact.directions import all_round
from latchwork.contact.impact.coulomb import impulse_of, stick, without_friction
from latchwork.contact.impact.planar import lift
from latchwork.contact.impact.tolerances import LIFT
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, local_f64, sqrt

TINY = 1e-13  # residual of a root, as a part of μ
GOOD = 1e-10  # one that will do
SINGULAR = 1e-14
BESIDE = 1e-6  # of μ: steps of differences
STEPS, HALVINGS = 60, 30
NEXT = 2e-16  # of μ: no number lies between two ends as near
AROUND = 12
COS, SIN = (tuple(float(x) for x in column) for column in all_round(AROUND).T)


@kernel
def mean_in_plane(W: f64p, v: f64p, rise: f64, mu: f64, impulse: f64p) -> i64:
    """Λ along Smith's mean; ρ by bisection: below the pole the residual counts as negative on its side."""
    a, low, high = v[1], -mu, mu
    while high - low > NEXT * mu:
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
def residual(W: f64p, v: f64p, rise: f64, mu: f64, x: f64, y: f64) -> tuple[i64, f64, f64]:
    """ρ + μ φ at ρ = (x, y), φ = 0 where nothing slips before nor after; 0 first beyond the pole of Λ_n."""
    rho, impulse = local_f64(2), local_f64(3)
    rho[0], rho[1] = x, y
    if impulse_of(3, W, rise, rho, impulse) == 0:
        return 0, 0.0, 0.0
    first = v[1] + (W[3] * impulse[0] + W[4] * impulse[1] + W[5] * impulse[2])
    second = v[2] + (W[6] * impulse[0] + W[7] * impulse[1] + W[8] * impulse[2])
    before, after = v[1] * v[1] + v[2] * v[2], first * first + second * second
    size = before + after
    if size == 0.0:
        return 1, x, y
    a, b = sqrt(before), sqrt(after)
    return 1, x + mu * divide(a * v[1] + b * first, size), y + mu * divide(a * v[2] + b * second, size)


@kernel
def root_near(W: f64p, v: f64p, rise: f64, mu: f64, x: f64, y: f64, rho: f64p) -> i64:
    """The root next to (x, y) by Newton's method with halved steps, Jacobian by central differences."""
    there, first, second = residual(W, v, rise, mu, x, y)
    if there == 0:
        return 0
    beside, size = BESIDE * mu, sqrt(first * first + second * second)
    for _ in range(STEPS):
        if size <= TINY * mu:
            break
        east, east_1, east_2 = residual(W, v, rise, mu, x + beside, y)
        west, west_1, west_2 = residual(W, v, rise, mu, x - beside, y)
        north, north_1, north_2 = residual(W, v, rise, mu, x, y + beside)
        south, south_1, south_2 = residual(W, v, rise, mu, x, y - beside)
        if east + west + north + south < 4:
            return 0
        wide = 2.0 * beside
        a, b = divide(east_1 - west_1, wide), divide(north_1 - south_1, wide)
        c, d = divide(east_2 - west_2, wide), divide(north_2 - south_2, wide)
        det = a * d - b * c
        if fabs(det) < SINGULAR:
            return 0
        step_x, step_y = divide(b * second - d * first, det), divide(c * first - a * second, det)
        shorter = False
        for _ in range(HALVINGS):
            there, next_1, next_2 = residual(W, v, rise, mu, x + step_x, y + step_y)
            reached = sqrt(next_1 * next_1 + next_2 * next_2)
            if there == 1 and reached < size:
                x, y, first, second, size, shorter = x + step_x, y + step_y, next_1, next_2, reached, True
                break
            step_x, step_y = 0.5 * step_x, 0.5 * step_y
        if not shorter:
            break
    rho[0], rho[1] = x, y
    return 1 if size <= GOOD * mu else 0


@kernel
def mean_in_space(W: f64p, v: f64p, rise: f64, mu: f64, impulse: f64p) -> i64:
    """A root with two tangents: from where it slips before, from no friction, then from all round the cone."""
    rho, size = local_f64(2), sqrt(v[1] * v[1] + v[2] * v[2])
    if size > 0.0 and root_near(W, v, rise, mu, divide(-mu * v[1], size), divide(-mu * v[2], size), rho) == 1:
        return impulse_of(3, W, rise, rho, impulse)
    if root_near(W, v, rise, mu, 0.0, 0.0, rho) == 1:
        return impulse_of(3, W, rise, rho, impulse)
    share = 0.99
    for _ in range(2):
        for i in range(AROUND):
            if root_near(W, v, rise, mu, -mu * share * COS[i], -mu * share * SIN[i], rho) == 1:
                return impulse_of(3, W, rise, rho, impulse)
        share = 0.5
    return 0


@kernel
def smith(n: i64, W: f64p, v: f64p, rise: f64, mu_s: f64, mu_d: f64, impulse: f64p) -> i64:
    """Λ that lifts v_n by ``rise``: stick if the cone of μ_s allows, else along Smith's mean with μ_d."""
    if n > 1 and stick(n, W, v, rise, mu_s, impulse) == 1:
        return 1
    if mu_d == 0.0 or n == 1:
        return without_friction(n, W, rise, impulse)
    if n == 2:
        return mean_in_plane(W, v, rise, mu_d, impulse)
    return mean_in_space(W, v, rise, mu_d, impulse)

"""Steps of Radau IIA, order 5, as kernels: an implicit method, stiffly accurate, for motions with fast decay.

    z_i = h Σ_j a_ij f(t + c_j h, x + z_j),   c = (4 − √6, 4 + √6, 10) / 10,   x₊ = x + z_3

The collocation polynomial through x and x + z_i has the slopes f there [Hairer and Wanner, Solving ODEs II, IV.5].
Newton's method is simplified, with one J for many steps, on w = T⁻¹ z, where A⁻¹ falls into γ and a pair α ± iβ:

    (γ/h − J) Δw_1 = r_1,   [α/h − J, −β/h; β/h, α/h − J] (Δw_2, Δw_3) = (r_2, r_3),   r = T⁻¹ f − Λ w / h

J is taken by differences, so that any right-hand side serves; what it is off by costs iterations, no accuracy. Errors
are estimated by the embedded formula of order 3, h chosen as Gustafsson's predictive controller does (IV.8).

Near a fast decay f amplifies every error of x. So the slope at the end of a step, which dense output starts the next
interval with, is that of the collocation polynomial; and the quartic term is what brings dense output to x + z_2. What
decays fast is exact at the end of a step of any length, and not between: events are located there, so that the quartic
term counts as an error as well, as large as the estimate is where nothing decays.
"""

from __future__ import annotations

from latchwork.algebra.elimination import lu, lu_solve
from latchwork.integrate.adaptive import GROW, SAFETY, SHRINK, SMALLEST_ERROR, STRETCH, scaled_norm
from latchwork.integrate.integration import Collocation, Integration
from latchwork.integrate.status import Status
from latchwork.integrate.step import evaluate, not_finite
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum

C = (0.1550510257216822, 0.6449489742783178, 1.0)
GAMMA, ALPHA, BETA = 3.637834252744496, 2.6810828736277523, 3.0504301992474105  # eigenvalues of A⁻¹
T = (0.09443876248897524, -0.1412552950209542, -0.030029194105147424,
     0.2502131229653333, 0.20412935229379994, 0.3829421127572619,
     1.0, 1.0, 0.0)  # A⁻¹ T = T Λ, row by row  # fmt: skip
T_INVERSE = (4.178718591551905, 0.32768282076106237, 0.5233764454994495,
             -4.178718591551905, -0.32768282076106237, 0.47662355450055044,
             -0.5028726349457868, 2.571926949855605, -0.5960392048282249)  # fmt: skip
ERROR = (-10.048809399827416, 1.382142733160749, -0.3333333333333333)  # (−13 ∓ 7 √6, −1) / 3
SLOPE = (5.531972647421808, -7.531972647421808, 5.0)  # of the collocation polynomial at the end
POLYNOMIAL = (10.048809399827416, -25.62959144707664, 15.580782047249224,
              -1.382142733160749, 10.296258113743306, -8.914115380582556,
              0.3333333333333333, -2.6666666666666665, 3.3333333333333335)  # its θ, θ², θ³ for each z_i  # fmt: skip

ITERATIONS = 6  # of Newton's method
SLOW = 1e-3  # a rate of convergence beyond which J is taken anew,
QUICK = 2  # unless so many iterations were enough
SAME_STEP = 1e-9  # of a step: one that differs by less has the factors of the other
STAY = 1.2  # a step that could grow by less stays as it is, with its factors
HALF = 2.0**-26  # half of the digits: the step of a difference, of the state
LEAST_STATE = 2.0**-10  # of the unit of a state: differences are not taken as if it were smaller
ROUNDING = 2.0**-49
QUARTIC = 0.0275  # of the quartic term: Σ e_i c_i⁴ / γ, the estimate of the error where it is x⁗ h⁴ / 24
LOOSE, TINY = 0.03, 1e-14  # Newton's tolerance at most, of that of the step; rtol below which rounding says it


@kernel
def jacobian(integration: Integration) -> None:
    """J = ∂f/∂x at (t, x) by differences, column by column; f(t, x) is known as ``rate``."""
    c, n, x, t = integration.collocation, integration.n, integration.x, integration.control.t
    column, moved, units = c.stage, integration.scratch, integration.control.units
    for i in range(n):
        moved[i] = x[i]
    for j in range(n):
        by = HALF * maximum(fabs(x[j]), LEAST_STATE * units[integration.kept[j]])
        moved[j] = x[j] + by
        evaluate(integration.equations, n, t, moved, column)
        by = moved[j] - x[j]
        for i in range(n):
            c.J[i * n + j] = divide(column[i] - c.rate[i], by)
        moved[j] = x[j]
    integration.control.evaluations += n
    c.is_current, c.is_known, c.h = 1, 1, 0.0


@kernel
def factorise(n: i64, c: Collocation, h: f64) -> None:
    """The factors of γ/h − J, and of the pair."""
    real, pair, size = c.real, c.pair, 2 * n
    for i in range(n):
        for j in range(n):
            entry = -c.J[i * n + j]
            real[i * n + j] = entry
            pair[i * size + j], pair[(n + i) * size + n + j] = entry, entry
            pair[i * size + n + j], pair[(n + i) * size + j] = 0.0, 0.0
        real[i * n + i] += divide(GAMMA, h)
        pair[i * size + i] += divide(ALPHA, h)
        pair[(n + i) * size + n + i] += divide(ALPHA, h)
        pair[i * size + n + i], pair[(n + i) * size + i] = -divide(BETA, h), divide(BETA, h)
    lu(n, real, c.real_order)
    lu(size, pair, c.pair_order)
    c.h = h


@kernel
def to_stages(n: i64, w: f64p, z: f64p) -> None:
    """z = T w."""
    for k in range(n):
        for i in range(3):
            z[i * n + k] = T[3 * i] * w[k] + T[3 * i + 1] * w[n + k] + T[3 * i + 2] * w[2 * n + k]


@kernel
def from_stages(n: i64, z: f64p, w: f64p) -> None:
    """w = T⁻¹ z."""
    for k in range(n):
        for i in range(3):
            at = 3 * i
            w[i * n + k] = T_INVERSE[at] * z[k] + T_INVERSE[at + 1] * z[n + k] + T_INVERSE[at + 2] * z[2 * n + k]


@kernel
def guess(n: i64, c: Collocation, h: f64) -> None:
    """Stages on the collocation polynomial of the step before, drawn out; 0 where there is none."""
    ratio = divide(h, c.before) if c.before > 0.0 else 0.0
    last, z = c.last, c.z
    for i in range(3):
        theta = 1.0 + ratio * C[i]
        for k in range(n):
            value = -last[2 * n + k]
            for j in range(3):
                share = theta * (POLYNOMIAL[3 * j] + theta * (POLYNOMIAL[3 * j + 1] + theta * POLYNOMIAL[3 * j + 2]))
                value += share * last[j * n + k]
            z[i * n + k] = value if c.before > 0.0 else 0.0
    from_stages(n, z, c.w)


@kernel
def stage_rates(integration: Integration, t: f64, h: f64, end: f64) -> i64:
    """f at the three stages; the first component that is not finite, or −1."""
    c, n, x, point = integration.collocation, integration.n, integration.x, integration.scratch
    for i in range(3):
        for k in range(n):
            point[k] = x[k] + c.z[i * n + k]
        evaluate(integration.equations, n, end if i == 2 else t + C[i] * h, point, offset(c.f, i * n))
        integration.control.evaluations += 1
        bad = not_finite(n, offset(c.f, i * n))
        if bad >= 0:
            return bad
    return -1


@kernel
def newton_step(integration: Integration, h: f64) -> f64:
    """w ← w + Δw; the size of Δw, of the tolerances."""
    c, control, n, x = integration.collocation, integration.control, integration.n, integration.x
    right, w = c.stage, c.w
    from_stages(n, c.f, right)
    for k in range(n):
        one, two, three = w[k], w[n + k], w[2 * n + k]
        right[k] -= divide(GAMMA * one, h)
        right[n + k] -= divide(ALPHA * two - BETA * three, h)
        right[2 * n + k] -= divide(BETA * two + ALPHA * three, h)
    lu_solve(n, c.real, c.real_order, right)
    lu_solve(2 * n, c.pair, c.pair_order, offset(right, n))
    square = 0.0
    for i in range(3):
        part = scaled_norm(n, control.rtol, control.atol, x, x, offset(right, i * n))
        square += part * part
    for k in range(3 * n):
        w[k] += right[k]
    to_stages(n, w, c.z)
    return sqrt(divide(square, 3.0))


@kernel
def converge(integration: Integration, t: f64, h: f64, end: f64) -> i64:
    """Newton's method for the stages: how many iterations were made; 0 where they do not converge."""
    c, control = integration.collocation, integration.control
    tolerance = minimum(LOOSE, maximum(divide(ROUNDING, maximum(control.rtol, TINY)), sqrt(control.rtol)))
    before, c.convergence = 0.0, 0.0
    for made in range(ITERATIONS):
        control.component = stage_rates(integration, t, h, end)
        if control.component >= 0:
            return 0
        size = newton_step(integration, h)
        if size - size != 0.0:
            return 0
        if made > 0:
            rate = divide(size, before)
            c.convergence = rate
            left = size
            for _ in range(ITERATIONS - 1 - made):
                left = left * rate
            if rate >= 1.0 or left > tolerance * (1.0 - rate):
                return 0
            if rate * size < tolerance * (1.0 - rate):
                return made + 1
        if size == 0.0:
            return made + 1
        before = size
    return 0


@kernel
def estimate(integration: Integration, t: f64, h: f64, again: i64) -> f64:
    """The scaled error of a step whose stages are known: (γ/h − J)⁻¹ (f + Σ e_i z_i / h); ``again`` where it is large
    and steps have just begun, or been rejected: then with f at x + error, which damps what decays."""
    c, control, n, x, e, right = (integration.collocation, integration.control, integration.n, integration.x,
                                  integration.scratch, integration.collocation.stage)  # fmt: skip
    end, size = offset(right, n), 0.0
    for k in range(n):
        end[k] = x[k] + c.z[2 * n + k]
        e[k] = divide(ERROR[0] * c.z[k] + ERROR[1] * c.z[n + k] + ERROR[2] * c.z[2 * n + k], h)
        right[k] = c.rate[k] + e[k]
    lu_solve(n, c.real, c.real_order, right)
    size = scaled_norm(n, control.rtol, control.atol, x, end, right)
    if size > 1.0 and again == 1:
        moved = offset(right, 2 * n)
        for k in range(n):
            moved[k] = x[k] + right[k]
        evaluate(integration.equations, n, t, moved, right)
        control.evaluations += 1
        for k in range(n):
            right[k] += e[k]
        lu_solve(n, c.real, c.real_order, right)
        size = scaled_norm(n, control.rtol, control.atol, x, end, right)
    return size


@kernel
def bend_of(integration: Integration, h: f64) -> f64:
    """The quartic term of dense output, and its scaled size as an error."""
    c, control, n, x, k, bend = (integration.collocation, integration.control, integration.n, integration.x,
                                 offset(integration.x, integration.n), integration.guards.step.bend)  # fmt: skip
    theta, rest, part = C[1], 1.0 - C[1], c.stage
    for i in range(n):
        one, two, delta = c.z[i], c.z[n + i], c.z[2 * n + i]
        slope = SLOPE[0] * one + SLOPE[1] * two + SLOPE[2] * delta
        beta = h * k[i] - delta
        cubic = theta * (delta + rest * (beta + theta * (delta - slope - beta)))
        bend[i] = divide(two - cubic, theta * theta * rest * rest)
        part[i] = QUARTIC * bend[i]
    return scaled_norm(n, control.rtol, control.atol, x, x, part)


@kernel
def step_factor(c: Collocation, h: f64, err: f64) -> f64:
    """By how much the step should change: err^(−1/4), less where errors grow from step to step [Gustafsson]."""
    err = maximum(err, SMALLEST_ERROR)
    root = divide(1.0, sqrt(sqrt(err)))
    if c.before > 0.0:
        root = root * minimum(1.0, divide(h, c.before) * sqrt(sqrt(divide(c.error, err))))
    return root


@kernel
def accept_stages(integration: Integration, h: f64, err: f64) -> None:
    """x ← x + z_3, and the slope there."""
    c, n, x, k = integration.collocation, integration.n, integration.x, offset(integration.x, integration.n)
    for i in range(n):
        k[i] = divide(SLOPE[0] * c.z[i] + SLOPE[1] * c.z[n + i] + SLOPE[2] * c.z[2 * n + i], h)
        x[i] += c.z[2 * n + i]
        for j in range(3):
            c.last[j * n + i] = c.z[j * n + i]
    c.before, c.error, c.is_current = h, maximum(err, SMALLEST_ERROR), 0


@kernel
def implicit_step(integration: Integration, until: f64) -> i64:
    """Try steps until one is accepted, FULL; or the reason why none is."""
    control, c, n = integration.control, integration.collocation, integration.n
    rejected, known = 0, 0
    while control.tried + control.steps + control.rejected < control.max_steps:
        t, h = control.t, minimum(control.h, minimum(control.step, control.longest))
        if t + 0.0625 * h == t:
            return Status.TOO_SMALL if control.component < 0 else Status.NOT_FINITE
        end = until if t + STRETCH * h >= until else t + h
        h = end - t
        if known == 0:
            evaluate(integration.equations, n, t, integration.x, c.rate)
            control.evaluations += 1
            known = 1
        if c.is_known == 0:
            jacobian(integration)
        if not fabs(h - c.h) <= SAME_STEP * h:
            factorise(n, c, h)
        guess(n, c, h)
        made = converge(integration, t, h, end)
        if made == 0 and c.is_current == 0:
            c.is_known = 0
            continue
        if made == 0:
            control.rejected += 1
            rejected, control.h, c.before = 1, 0.5 * h, 0.0
            continue
        again = 1 if rejected == 1 or c.before == 0.0 else 0
        err = maximum(estimate(integration, t, h, again), bend_of(integration, h))
        safety = divide(SAFETY * float(2 * ITERATIONS + 1), float(2 * ITERATIONS + made))
        change = safety * step_factor(c, h, err)
        if err <= 1.0:
            accept_stages(integration, h, err)
            if made > QUICK and c.convergence > SLOW:
                c.is_known = 0
            elif change < STAY and change >= 1.0:
                change = 1.0
            control.t, control.h, control.component = end, h * minimum(1.0 if rejected == 1 else GROW, change), -1
            return Status.FULL
        control.rejected += 1
        rejected = 1
        control.h = h * (maximum(SHRINK, change) if err - err == 0.0 else SHRINK)
    return Status.TOO_MANY

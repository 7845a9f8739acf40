"""Adaptive steps as kernels: error estimate, step control and the first step.

    err = √(1/n Σ (h Σ_j e_j k_j / (atol_i + rtol max(|x_i|, |x₊_i|)))²);  a step is accepted where err ≤ 1
    h₊ = h · 0.9 err^(−0.17) err_before^0.04, within a factor of 0.2 to 10

The proportional-integral control and the first step follow Hairer, Nørsett and Wanner, Solving ODEs I, II.4 and
IV.2 (order 5: 0.17 = 1/5 − 3/4 · 0.04).
"""

from __future__ import annotations

from latchwork.integrate.status import END, FULL, NOT_FINITE, TOO_MANY, TOO_SMALL
from latchwork.integrate.steppers import accept, advance_fixed, combine, derivative, not_finite, record, step
from latchwork.program.elementary.power import pow
from latchwork.program.kernel import divide, executor, f64, f64p, fabs, i32p, i64, i64p, kernel, offset, sqrt
from latchwork.program.native import together
from latchwork.program.scalar import maximum, minimum

SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0
PROPORTIONAL, INTEGRAL = -0.17, 0.04
SMALLEST_ERROR = 1e-10  # keeps the factor finite where the error vanishes
SMALL, TINY = 1e-5, 1e-15  # of tolerances: less tells no step
SHORT = 1e-6  # of the unit of time: a first step where nothing tells one
LEAST = 1e-12  # of the time: the first step is not guessed smaller, however small the state is
STRETCH = 1.000001  # a last step this much longer avoids a sliver after it
T, H, BEFORE = 0, 1, 2  # memory: time, step to try, error of the step before
RECORDED, STEPS, REJECTED, COMPONENT = 0, 1, 2, 3  # counts


@kernel
def scaled_norm(n: i64, rtol: f64, atol: f64p, x: f64p, y: f64p, v: f64p) -> f64:
    """``√(1/n Σ (v_i / (atol_i + rtol max(|x_i|, |y_i|)))²)``."""
    total = 0.0
    for i in range(n):
        part = divide(v[i], atol[i] + rtol * maximum(fabs(x[i]), fabs(y[i])))
        total += part * part
    return sqrt(divide(total, maximum(float(n), 1.0)))


@kernel
def first_step(
    run: executor, code: i32p, z: f64p, n: i64, t: f64, rtol: f64, atol: f64p, x: f64p, k: f64p, unit: f64,
) -> f64:  # fmt: skip
    """A first step from the sizes of x, T ẋ and T² ẍ, T the unit of time; k_0 = ẋ is given, the rows after it are
    scratch."""
    size = scaled_norm(n, rtol, atol, x, x, x)
    rate = unit * scaled_norm(n, rtol, atol, x, x, k)
    known = not (size < SMALL or rate < SMALL)
    h = maximum(0.01 * unit * divide(size, rate), LEAST * fabs(t)) if known else SHORT * unit
    probe, bend = offset(k, n), offset(k, 2 * n)
    for i in range(n):
        probe[i] = x[i] + h * k[i]
    derivative(run, code, z, n, t + h, probe, bend)
    for i in range(n):
        bend[i] = divide(bend[i] - k[i], h)
    most = maximum(rate, unit * unit * scaled_norm(n, rtol, atol, x, x, bend))
    if most - most != 0.0:
        return 0.001 * h
    return minimum(100.0 * h, unit * pow(divide(0.01, most), 0.2) if most > TINY else maximum(SHORT * unit, 0.001 * h))


@kernel
def factor(err: f64, before: f64) -> f64:
    """By how much the step should change after an error, given the one before."""
    err = maximum(err, SMALLEST_ERROR)
    return minimum(GROW, maximum(SHRINK, SAFETY * pow(err, PROPORTIONAL) * pow(before, INTEGRAL)))


@kernel
def trial_error(n: i64, s: i64, m: f64p, h: f64, rtol: f64, atol: f64p, x: f64p, z: f64p, k: f64p, e: f64p) -> f64:
    """The scaled error of a step just tried; e is scratch."""
    for i in range(n):
        e[i] = h * combine(n, s, offset(m, s * s + s), k, i)
    return scaled_norm(n, rtol, atol, x, offset(z, 1), e)


@kernel
def advance_adaptive(
    run: executor, code: i32p, z: f64p, n: i64, s: i64, m: f64p, t_end: f64, rtol: f64, atol: f64p, max_step: f64,
    max_steps: i64, memory: f64p, counts: i64p, x: f64p, k: f64p, e: f64p, capacity: i64,
    out_t: f64p, out_x: f64p, out_dx: f64p, out_bend: f64p,
) -> i64:  # fmt: skip
    """Accepted steps until t_end, a full record, or a failure; each is recorded with its quartic ``h Σ_j d_j k_j``."""
    counts[RECORDED] = 0
    grow = GROW
    while memory[T] < t_end:
        t, h = memory[T], minimum(memory[H], max_step)
        if counts[RECORDED] == capacity:
            return FULL
        if counts[STEPS] + counts[REJECTED] >= max_steps:
            return TOO_MANY
        if t + 0.0625 * h == t:
            return TOO_SMALL if counts[COMPONENT] < 0 else NOT_FINITE
        end = t_end if t + STRETCH * h >= t_end else t + h
        h = end - t
        step(run, code, z, n, s, m, t, h, end, x, k)
        err = trial_error(n, s, m, h, rtol, atol, x, z, k, e)
        counts[COMPONENT] = not_finite(n, e)
        if err <= 1.0:
            r = counts[RECORDED]
            for i in range(n):
                out_bend[r * n + i] = h * combine(n, s, offset(m, s * s + 2 * s), k, i)
            accept(n, s, z, x, k)
            record(r, n, end, x, k, out_t, out_x, out_dx)
            counts[RECORDED] += 1
            counts[STEPS] += 1
            memory[T] = end
            memory[H] = h * minimum(grow, factor(err, memory[BEFORE]))
            memory[BEFORE] = maximum(err, 1e-4)
            grow = GROW
        else:
            counts[REJECTED] += 1
            memory[H] = h * (minimum(0.9, factor(err, 1.0)) if err - err == 0.0 else SHRINK)
            grow = 1.0
    return END


together(derivative, advance_fixed, first_step, advance_adaptive)

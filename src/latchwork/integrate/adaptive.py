"""Adaptive steps as kernels: error estimate, step control and the first step.

    err = √(1/n Σ (h Σ_j e_j k_j / (atol_i + rtol max(|x_i|, |x₊_i|)))²);  a step is accepted where err ≤ 1
    h₊ = h · 0.9 err^(−0.17) err_before^0.04, within a factor of 0.2 to 10

The proportional-integral control and the first step follow Hairer, Nørsett and Wanner, Solving ODEs I, II.4 and
IV.2 (order 5: 0.17 = 1/5 − 3/4 · 0.04).
"""

from __future__ import annotations

from latchwork.integrate.integration import StateFunction
from latchwork.integrate.step import combine, evaluate
from latchwork.program.elementary.power import pow
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum

SAFETY, SHRINK, GROW = 0.9, 0.2, 10.0
PROPORTIONAL, INTEGRAL = -0.17, 0.04
SMALLEST_ERROR = 1e-10  # keeps the factor finite where the error vanishes
SMALL, TINY = 1e-5, 1e-15  # of tolerances: less tells no step
SHORT = 1e-6  # of the unit of time: a first step where nothing tells one
LEAST = 1e-12  # of the time: the first step is not guessed smaller, however small the state is
ENDLESS = 1e300  # a tolerance that nothing exceeds
STRETCH = 1.000001  # a last step this much longer avoids a sliver after it


@kernel
def scaled_norm(n: i64, rtol: f64, atol: f64p, x: f64p, y: f64p, v: f64p) -> f64:
    """``√(1/n Σ (v_i / (atol_i + rtol max(|x_i|, |y_i|)))²)`` of states that move: others have an endless tolerance."""
    total, moving = 0.0, 0
    for i in range(n):
        if atol[i] < ENDLESS:
            part = divide(v[i], atol[i] + rtol * maximum(fabs(x[i]), fabs(y[i])))
            total += part * part
            moving += 1
    return sqrt(divide(total, maximum(float(moving), 1.0)))


@kernel
def first_step(program: StateFunction, n: i64, t: f64, rtol: f64, atol: f64p, x: f64p, k: f64p, unit: f64) -> f64:
    """A first step from the sizes of x, T ẋ and T² ẍ, T the unit of time; k_0 = ẋ is given, the rows after it are
    scratch."""
    size = scaled_norm(n, rtol, atol, x, x, x)
    rate = unit * scaled_norm(n, rtol, atol, x, x, k)
    known = not (size < SMALL or rate < SMALL)
    h = maximum(0.01 * unit * divide(size, rate), LEAST * fabs(t)) if known else SHORT * unit
    probe, bend = offset(k, n), offset(k, 2 * n)
    for i in range(n):
        probe[i] = x[i] + h * k[i]
    evaluate(program, n, t + h, probe, bend)
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
    combine(n, s, offset(m, s * s + s), k, e)
    for i in range(n):
        e[i] = h * e[i]
    return scaled_norm(n, rtol, atol, x, offset(z, 1), e)

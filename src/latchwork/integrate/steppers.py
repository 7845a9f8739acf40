"""Explicit Runge-Kutta steps as kernels: many steps in one call, any program as right-hand side.

The program's inputs are ``(t, x, rest)`` and its outputs are ẋ. ``run(code, z, out)`` executes it on slots z, whose
inputs beyond x are in place. ``m`` is a tableau as packed by `tableau.Tableau`; k holds its stages, row by row.
"""

from __future__ import annotations

from latchwork.integrate.status import END, FULL, NOT_FINITE
from latchwork.program.kernel import executor, f64, f64p, i32p, i64, i64p, kernel, offset


@kernel
def derivative(run: executor, code: i32p, z: f64p, n: i64, t: f64, x: f64p, dx: f64p) -> None:
    """``ẋ = f(t, x)``."""
    z[0] = t
    for i in range(n):
        z[1 + i] = x[i]
    run(code, z, dx)


@kernel
def combine(n: i64, s: i64, w: f64p, k: f64p, i: i64) -> f64:
    """``Σ_j w_j k_j`` of component i, over those of s stages that have a weight."""
    first = 0
    while first + 1 < s and w[first] == 0.0:
        first += 1
    total = w[first] * k[first * n + i]
    for j in range(first + 1, s):
        if w[j] != 0.0:
            total += w[j] * k[j * n + i]
    return total


@kernel
def step(
    run: executor, code: i32p, z: f64p, n: i64, s: i64, m: f64p, t: f64, h: f64, end: f64, x: f64p, k: f64p,
) -> None:  # fmt: skip
    """One step from t to ``end = t + h``, given k_0; leaves the new state in z and its derivative in the last stage."""
    for stage in range(1, s):
        c = m[s * s + stage]
        z[0] = end if c == 1.0 else t + c * h
        for i in range(n):
            z[1 + i] = x[i] + h * combine(n, stage, offset(m, stage * s), k, i)
        run(code, z, offset(k, stage * n))


@kernel
def accept(n: i64, s: i64, z: f64p, x: f64p, k: f64p) -> None:
    """The new state becomes x; the last stage becomes the first."""
    for i in range(n):
        x[i] = z[1 + i]
        k[i] = k[(s - 1) * n + i]


@kernel
def not_finite(n: i64, dx: f64p) -> i64:
    """The first component that is inf or nan, or −1."""
    for i in range(n):
        if dx[i] - dx[i] != 0.0:
            return i
    return -1


@kernel
def record(r: i64, n: i64, t: f64, x: f64p, dx: f64p, out_t: f64p, out_x: f64p, out_dx: f64p) -> None:
    """Write row r of the record: t, x and ẋ."""
    out_t[r] = t
    for i in range(n):
        out_x[r * n + i] = x[i]
        out_dx[r * n + i] = dx[i]


@kernel
def advance_fixed(
    run: executor, code: i32p, z: f64p, n: i64, s: i64, m: f64p, t0: f64, h: f64, t_end: f64, first: i64, stop: i64,
    last: i64, every: i64, x: f64p, k: f64p, counts: i64p, out_t: f64p, out_x: f64p, out_dx: f64p,
) -> i64:  # fmt: skip
    """Steps ``first`` to ``stop`` of ``last``: ``t_i = t0 + i h`` without accumulation, and t_end exactly at the last.

    Records every so many steps and the last. counts: recorded, steps, component that is not finite.
    """
    counts[0] = 0
    for i in range(first, stop):
        t = t0 + float(i) * h
        end = t0 + float(i + 1) * h if i + 1 < last else t_end
        step(run, code, z, n, s, m, t, h if i + 1 < last else t_end - t, end, x, k)
        accept(n, s, z, x, k)
        counts[1] += 1
        counts[2] = not_finite(n, k)
        if (i + 1) % every == 0 or i + 1 == last or counts[2] >= 0:
            record(counts[0], n, end, x, k, out_t, out_x, out_dx)
            counts[0] += 1
        if counts[2] >= 0:
            return NOT_FINITE
    return END if stop == last else FULL

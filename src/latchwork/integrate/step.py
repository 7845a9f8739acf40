"""A step of an explicit Runge-Kutta method as kernels, any program as right-hand side.

The program's inputs are ``(t, x, rest)`` and its outputs are ẋ. ``m`` is a tableau as packed by `tableau.Tableau`; k
holds its stages, row by row.
"""

from __future__ import annotations

from latchwork.integrate.integration import StateFunction
from latchwork.program.kernel import f64, f64p, i64, kernel, offset


@kernel
def copy(n: i64, a: f64p, b: f64p) -> None:
    """b becomes a."""
    for i in range(n):
        b[i] = a[i]


@kernel
def evaluate(program: StateFunction, n: i64, t: f64, x: f64p, out: f64p) -> None:
    """``out = f(t, x)``: ẋ of equations, or guards and their rates."""
    z = program.slots
    z[0] = t
    for i in range(n):
        z[1 + i] = x[i]
    program.run(program.code, z, out)


@kernel
def combine(n: i64, s: i64, w: f64p, k: f64p, out: f64p) -> None:
    """``Σ_j w_j k_j`` of all components, in order, over those of s stages that have a weight."""
    first = 0
    while first + 1 < s and w[first] == 0.0:
        first += 1
    a, row = w[first], offset(k, first * n)
    for i in range(n):
        out[i] = a * row[i]
    for j in range(first + 1, s):
        a, row = w[j], offset(k, j * n)
        if a != 0.0:
            for i in range(n):
                out[i] += a * row[i]


@kernel
def step(program: StateFunction, n: i64, s: i64, m: f64p, t: f64, h: f64, end: f64, x: f64p, k: f64p) -> None:
    """One step from t to ``end = t + h``, given k_0: the new state in the slots, its derivative in the last stage."""
    z = program.slots
    for stage in range(1, s):
        c = m[s * s + stage]
        z[0] = end if c == 1.0 else t + c * h
        combine(n, stage, offset(m, stage * s), k, offset(z, 1))
        for i in range(n):
            z[1 + i] = x[i] + h * z[1 + i]
        program.run(program.code, z, offset(k, stage * n))


@kernel
def accept(program: StateFunction, n: i64, s: i64, x: f64p, k: f64p) -> None:
    """The new state becomes x; the last stage becomes the first."""
    z = program.slots
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

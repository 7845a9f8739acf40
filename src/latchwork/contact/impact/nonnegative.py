"""Impulses without friction: the nearest point of a cone, exactly, by active sets (Lawson and Hanson 1974).

    0 ≤ x ⟂ W x + b ≥ 0,   W = AᵀA positive semi-definite:   min |A x + c|² over x ≥ 0,   Aᵀc = b

It has a solution wherever b is in the range of W, and finds it in finitely many steps, also where W is singular.
"""

from __future__ import annotations

import numpy as np

from latchwork.algebra.factors import eigen, least_norm
from latchwork.contact.impact.tolerances import CUT
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, sqrt
from latchwork.program.native import briefly, together
from latchwork.program.scalar import maximum, minimum

Array = np.ndarray

NULL = 1e-13  # eigenvalues of W below this part of the largest are zero
SMALL = 1e-12
EVEN = 1e-8  # of W: what makes shares of redundant contacts even


@kernel
def roots(n: i64, W: f64p, V: f64p, b: f64p, more: f64, A: f64p, c: f64p) -> i64:
    """A and c of W + ``more``, and how many rows they have; W has its eigenvalues on the diagonal, V its vectors."""
    largest, rows = 0.0, 0
    for j in range(n):
        largest = maximum(largest, W[j * n + j])
    for j in range(n):
        if W[j * n + j] > NULL * largest or more > 0.0:
            root, part = sqrt(maximum(W[j * n + j], 0.0) + more), 0.0
            for i in range(n):
                A[rows * n + i] = V[i * n + j] * root
                part += V[i * n + j] * b[i]
            c[rows] = divide(part, root)
            rows += 1
    return rows


@kernel
def steepest(m: i64, n: i64, A: f64p, c: f64p, x: f64p, free: i64p, size: f64, r: f64p) -> i64:
    """The one that is not free and lowers |A x + c| most, of equals the first; −1 where none lowers it."""
    best, slope = -1, 0.0
    for k in range(m):
        r[k] = c[k]
        for j in range(n):
            r[k] += A[k * n + j] * x[j]
    for j in range(n):
        if free[j] == 0:
            down = 0.0
            for k in range(m):
                down += A[k * n + j] * r[k]
            if down < slope - SMALL * size:
                best, slope = j, down
    return best


@kernel
def least_over_free(
    m: i64, n: i64, A: f64p, c: f64p, free: i64p, z: f64p, F: f64p, r: f64p, part: f64p, tau: f64p, order: f64p, T: f64p
) -> i64:
    """z with the least |A z + c|, zero where it is not free; how many are."""
    count = 0
    for j in range(n):
        count += free[j]
    for k in range(m):
        r[k], at = -c[k], 0
        for j in range(n):
            if free[j] == 1:
                F[k * count + at] = A[k * n + j]
                at += 1
    least_norm(m, count, CUT, F, tau, T, order, r, part)
    at = 0
    for j in range(n):
        z[j] = 0.0
        if free[j] == 1:
            z[j] = part[at]
            at += 1
    return count


@kernel
def step_back(n: i64, x: f64p, z: f64p, free: i64p) -> i64:
    """From x towards z as far as nothing turns negative; those that would are freed no longer. 0 where x is z."""
    share, most, falls = 1.0, 0.0, 0
    for j in range(n):
        if free[j] == 1 and z[j] < 0.0:
            share, falls = minimum(share, divide(x[j], x[j] - z[j])), 1
    if falls == 0:
        for j in range(n):
            x[j] = z[j]
        return 0
    for j in range(n):
        x[j] += share * (z[j] - x[j])
        most = maximum(most, fabs(x[j]))
    for j in range(n):
        if free[j] == 1 and z[j] < 0.0 and x[j] <= SMALL * most:
            free[j] = 0
        x[j] = maximum(x[j], 0.0) if free[j] == 1 else 0.0
    return 1


@kernel
def nearest_in_cone(
    m: i64, n: i64, A: f64p, c: f64p, size: f64, x: f64p, free: i64p, z: f64p, r: f64p, part: f64p, F: f64p, tau: f64p,
    order: f64p, T: f64p,
) -> None:  # fmt: skip
    """x ≥ 0 with the least |A x + c|, from x on, which is zero where it is not ``free``; slopes below rounding of
    ``size`` are none. Where it is not unique, the shortest of those with the same ones free."""
    for _ in range(10 * n + 10):
        while True:
            if least_over_free(m, n, A, c, free, z, F, r, part, tau, order, T) == 0:
                for j in range(n):
                    x[j] = 0.0
                break
            if step_back(n, x, z, free) == 0:
                break
        best = steepest(m, n, A, c, x, free, size, r)
        if best < 0:
            break
        free[best] = 1


@kernel
def nonnegative(
    n: i64, W: f64p, b: f64p, x: f64p, free: i64p, V: f64p, A: f64p, c: f64p, z: f64p, r: f64p, part: f64p, F: f64p,
    tau: f64p, order: f64p, T: f64p,
) -> None:  # fmt: skip
    """x, for W whose diagonal is of order one; the best there is where none is exact. W becomes its eigenvalues.

    Where W is singular, as that of a box on more than three corners, x is not unique: what pushes is what would if W
    were a trace stiffer, which shares evenly, and the exact answer goes on from there.
    """
    size = 0.0
    for j in range(n):
        x[j], free[j], size = 0.0, 0, maximum(size, fabs(b[j]))
    eigen(n, W, V)
    for exact in range(2):
        rows = roots(n, W, V, b, EVEN if exact == 0 else 0.0, A, c)
        nearest_in_cone(rows, n, A, c, size, x, free, z, r, part, F, tau, order, T)


together(nearest_in_cone)


def nearest_in(A: Array, c: Array, size: float = 1.0) -> Array:
    """x ≥ 0 with the least |A x + c|; slopes below rounding of ``size`` are none."""
    m, n = A.shape
    x, longer = np.zeros(n), max(m, n)
    briefly(nearest_in_cone, m, n, np.ascontiguousarray(A), np.ascontiguousarray(c), size, x, np.zeros(n, np.int64),
            np.empty(n), np.empty(longer), np.empty(n), np.empty(m * n), np.empty(3 * n), np.empty(2 * n),
            np.empty(n * n))  # fmt: skip
    return x

"""Least squares within bounds, min ‖A x − b‖ over low ≤ x ≤ high, by active sets (Stark and Parker 1995).

Lawson and Hanson's method for x ≥ 0, with two sides: what leaves its bounds is bound, what lowers the norm most is
freed, until nothing does. Columns are to be independent, as they are with a little of the identity below them.
"""

from __future__ import annotations

from latchwork.algebra.factors import least_squares
from latchwork.program.kernel import divide, f64p, fabs, i64, i64p, kernel, offset
from latchwork.program.native import together
from latchwork.program.scalar import maximum

SMALL = 1e-13  # of what cancels in a slope: less is rounding
CUT = 1e-14
FREE, LOW, HIGH = 0, -1, 1


@kernel
def work_size(rows: i64, cols: i64) -> i64:
    """Numbers of workspace."""
    return rows * cols + rows + 5 * cols


@kernel
def least_over_free(rows: i64, cols: i64, A: f64p, b: f64p, x: f64p, side: i64p, work: f64p) -> None:
    """z of least ‖A z − b‖, with those at a bound as in x, in front of the workspace."""
    z, F = work, offset(work, cols)
    right = offset(F, rows * cols)
    tau = offset(right, rows)
    order, part = offset(tau, cols), offset(tau, 2 * cols)
    count = 0
    for j in range(cols):
        if side[j] == FREE:
            count += 1
    for i in range(rows):
        total, at = b[i], 0
        for j in range(cols):
            if side[j] == FREE:
                F[i * count + at] = A[i * cols + j]
                at += 1
            else:
                total -= A[i * cols + j] * x[j]
        right[i] = total
    least_squares(rows, count, CUT, F, tau, order, right, part)
    at = 0
    for j in range(cols):
        z[j] = x[j]
        if side[j] == FREE:
            z[j] = part[at]
            at += 1


@kernel
def step_within(cols: i64, low: f64p, high: f64p, x: f64p, z: f64p, side: i64p) -> i64:
    """x on the way to z as far as all stay within bounds; what comes to one first is bound. 1 where it came to z."""
    step, first = 1.0, -1
    for j in range(cols):
        if side[j] == FREE:
            bound = low[j] if z[j] < low[j] else high[j]
            if z[j] < low[j] or z[j] > high[j]:
                share = divide(bound - x[j], z[j] - x[j])
                if share < step or first < 0:
                    step, first = share, j
    for j in range(cols):
        if side[j] == FREE:
            x[j] += step * (z[j] - x[j])
    if first < 0:
        return 1
    side[first] = LOW if z[first] < low[first] else HIGH
    x[first] = low[first] if side[first] == LOW else high[first]
    return 0


@kernel
def best_to_free(rows: i64, cols: i64, A: f64p, b: f64p, x: f64p, side: i64p, least: f64p, but: i64, r: f64p) -> i64:
    """The one at a bound, other than one, that lowers the norm most where it is freed; −1 where none does. r is room
    for what is left of b."""
    best, most, largest = -1, 0.0, 0.0
    for i in range(rows):
        r[i] = b[i]
        for l in range(cols):
            r[i] -= A[i * cols + l] * x[l]
    for j in range(cols):
        slope, size = 0.0, 0.0
        for i in range(rows):
            slope += A[i * cols + j] * r[i]
            size += fabs(A[i * cols + j] * b[i])
        largest = maximum(largest, size)
        gain = slope if side[j] == LOW else (-slope if side[j] == HIGH else 0.0)
        if gain > most and j != but:
            best, most = j, gain
    if least[0] < 0.0:
        least[0] = SMALL * largest
    return best if most > least[0] else -1


@kernel
def least_within(
    rows: i64, cols: i64, A: f64p, b: f64p, low: f64p, high: f64p, x: f64p, side: i64p, work: f64p,
) -> i64:  # fmt: skip
    """x of least ‖A x − b‖ within bounds; ``side`` says which are free or at a bound. 1 where it was found."""
    least, own, r = work, offset(work, 1), offset(work, 1 + cols)  # r in the place of factors, between two of them
    least[0] = -1.0
    for j in range(cols):
        side[j], x[j] = FREE, 0.0
    least_over_free(rows, cols, A, b, x, side, own)
    for j in range(cols):  # begin with what is best without bounds, cut off
        x[j] = own[j]
        if own[j] < low[j]:
            side[j], x[j] = LOW, low[j]
        elif own[j] > high[j]:
            side[j], x[j] = HIGH, high[j]
    freed, spent = -1, 0
    while spent < 10 + 6 * cols:
        spent += 1
        least_over_free(rows, cols, A, b, x, side, own)
        if freed >= 0:
            wrong = own[freed] - x[freed]
            if (x[freed] == low[freed] and wrong <= 0.0) or (x[freed] == high[freed] and wrong >= 0.0):
                side[freed] = LOW if x[freed] == low[freed] else HIGH
                freed = best_to_free(rows, cols, A, b, x, side, least, freed, r)
                if freed < 0:
                    return 1
                side[freed] = FREE
                continue
        if step_within(cols, low, high, x, own, side) == 0:
            freed = -1
            continue
        freed = best_to_free(rows, cols, A, b, x, side, least, -1, r)
        if freed < 0:
            return 1
        side[freed] = FREE
    return 0


together(least_within, loops=True)

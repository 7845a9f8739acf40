"""Projected Gauss-Seidel as a kernel: contact after contact, each brought into its cone while the others rest.

    P_n ← max(least, P_n − w_n/A_nn),    P_t ← P_t − w_t/ρ, cut to |P_t| ≤ μ P_n,    w = A P + b
"""

from __future__ import annotations

from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, sqrt
from latchwork.program.scalar import maximum


@kernel
def push(rows: i64, A: f64p, i: i64, change: f64, w: f64p) -> None:
    """``w ← w + A e_i change``; A is symmetric."""
    if change != 0.0:
        for j in range(rows):
            w[j] += A[i * rows + j] * change


@kernel
def normal(rows: i64, A: f64p, i: i64, least: f64, P: f64p, w: f64p) -> f64:
    """The normal impulse of row i made right; returns by how much its velocity changes."""
    d = A[i * rows + i]
    if d <= 0.0:
        return 0.0
    change = maximum(P[i] - divide(w[i], d), least) - P[i]
    P[i] += change
    push(rows, A, i, change, w)
    return fabs(change) * d


@kernel
def tangent(rows: i64, A: f64p, i: i64, limit: f64, P: f64p, w: f64p) -> f64:
    """One direction of slip: −limit ≤ P ≤ limit."""
    d = A[i * rows + i]
    if d <= 0.0:
        return 0.0
    goal = P[i] - divide(w[i], d)
    if goal > limit:
        goal = limit
    if goal < -limit:
        goal = -limit
    change = goal - P[i]
    P[i] += change
    push(rows, A, i, change, w)
    return fabs(change) * d


@kernel
def tangents(rows: i64, A: f64p, i: i64, limit: f64, P: f64p, w: f64p) -> f64:
    """Two directions of slip, rows i and i + 1: |P_t| ≤ limit."""
    d = maximum(A[i * rows + i], A[(i + 1) * rows + i + 1]) + fabs(A[i * rows + i + 1])
    if d <= 0.0:
        return 0.0
    x = P[i] - divide(w[i], d)
    y = P[i + 1] - divide(w[i + 1], d)
    size = sqrt(x * x + y * y)
    if size > limit:
        x = x * divide(limit, size)
        y = y * divide(limit, size)
    first = x - P[i]
    second = y - P[i + 1]
    P[i] += first
    P[i + 1] += second
    push(rows, A, i, first, w)
    push(rows, A, i + 1, second, w)
    return maximum(fabs(first), fabs(second)) * d


@kernel
def sweep(contacts: i64, rows: i64, first: i64p, kinds: i64p, A: f64p, mu: f64p, least: f64p, P: f64p, w: f64p,
          most: i64, small: f64) -> f64:  # fmt: skip
    """Sweeps over all contacts until velocities change by less than ``small``, or ``most`` of them; the last change."""
    worst = 0.0
    for _ in range(most):
        worst = 0.0
        for c in range(contacts):
            i = first[c]
            worst = maximum(worst, normal(rows, A, i, least[c], P, w))
            if kinds[c] == 1:
                worst = maximum(worst, tangent(rows, A, i + 1, mu[c] * P[i], P, w))
            if kinds[c] == 2:
                worst = maximum(worst, tangents(rows, A, i + 1, mu[c] * P[i], P, w))
        if worst <= small:
            break
    return worst

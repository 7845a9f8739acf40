"""Projected Gauss-Seidel as a kernel: contact after contact, each brought into its cone while the others rest.

    P_n ← max(least, P_n − w_n/A_nn),    P_t ← P_t − w_t/ρ, cut to |P_t| ≤ μ P_n,    w = A P + b
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import ConeProblem, velocities
from latchwork.program.kernel import divide, f64, fabs, i64, kernel, sqrt
from latchwork.program.scalar import maximum


@kernel
def push(problem: ConeProblem, i: i64, change: f64) -> f64:
    """``P_i ← P_i + change`` and ``w ← w + A e_i change``; A is symmetric. By how much the velocity changes."""
    if change != 0.0:
        start = i * problem.rows
        problem.P[i] += change
        for k in range(problem.count[i]):
            j = problem.index[start + k]
            problem.w[j] += problem.A[start + j] * change
    return fabs(change) * problem.rho[i]


@kernel
def normal(problem: ConeProblem, i: i64, least: f64) -> f64:
    """The normal impulse of row i made right."""
    if problem.rho[i] <= 0.0:
        return 0.0
    return push(problem, i, maximum(problem.P[i] - divide(problem.w[i], problem.rho[i]), least) - problem.P[i])


@kernel
def tangent(problem: ConeProblem, i: i64, limit: f64) -> f64:
    """One direction of slip: −limit ≤ P ≤ limit."""
    if problem.rho[i] <= 0.0:
        return 0.0
    goal = problem.P[i] - divide(problem.w[i], problem.rho[i])
    if goal > limit:
        goal = limit
    if goal < -limit:
        goal = -limit
    return push(problem, i, goal - problem.P[i])


@kernel
def tangents(problem: ConeProblem, i: i64, limit: f64) -> f64:
    """Two directions of slip, rows i and i + 1: |P_t| ≤ limit."""
    P, d = problem.P, problem.rho[i]
    if d <= 0.0:
        return 0.0
    x = P[i] - divide(problem.w[i], d)
    y = P[i + 1] - divide(problem.w[i + 1], d)
    size = sqrt(x * x + y * y)
    if size > limit:
        x = x * divide(limit, size)
        y = y * divide(limit, size)
    first, second = x - P[i], y - P[i + 1]
    return maximum(push(problem, i, first), push(problem, i + 1, second))


@kernel
def sweep(problem: ConeProblem, most: i64, small: f64) -> f64:
    """Sweeps over all contacts until velocities change by less than ``small``, or ``most`` of them; the last change."""
    velocities(problem, problem.P)
    worst = 0.0
    for _ in range(most):
        worst = 0.0
        for c in range(problem.contacts):
            i = problem.first[c]
            worst = maximum(worst, normal(problem, i, problem.least[c]))
            if problem.tangents[c] == 1:
                worst = maximum(worst, tangent(problem, i + 1, problem.mu[c] * problem.P[i]))
            if problem.tangents[c] == 2:
                worst = maximum(worst, tangents(problem, i + 1, problem.mu[c] * problem.P[i]))
        if worst <= small:
            break
    return worst

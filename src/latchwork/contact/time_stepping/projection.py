"""Projections of the cone problem and their derivatives, as kernels: Λ = Π(y) of one contact.

    COULOMB     Λ_n = max(y_n, least),  Λ_t = y_t cut to |Λ_t| ≤ μ Λ_n                  [Alart and Curnier 1991]
    CONVEX      the nearest Λ with |Λ_t| ≤ μ Λ_n and Λ_n ≥ least

The second one is the derivative of a convex function. With y_n less μ |w_t| in it both have the same fixed points
[De Saxcé and Feng 1998].
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import ConeProblem
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

COULOMB, CONVEX = range(2)
OPEN, STICKS, SLIDES, PRESSED, HELD_BACK = range(5)  # the last two: at ``least``; tangents stick (odd) or slide


@kernel
def project(problem: ConeProblem, c: i64, kind: i64, impulse: f64p) -> i64:
    """Λ of a contact from its y, and in which region of the cone it is."""
    i, t, y, least, mu = problem.first[c], problem.tangents[c], problem.y, problem.least[c], problem.mu[c]
    size = tangent_size(problem, c)
    n, region = maximum(y[i], least), STICKS
    if y[i] <= least or problem.fixed[c] == 1:
        n, region = least, PRESSED
    if kind == CONVEX and problem.fixed[c] == 0 and size > mu * y[i]:
        n, region = divide(y[i] + mu * size, 1.0 + mu * mu), STICKS
        if n <= least:
            n, region = least, PRESSED
    limit = mu * n
    impulse[i] = n
    if t == 0:
        return OPEN if region == PRESSED else region
    if size > limit:
        if t == 1:
            impulse[i + 1] = limit if y[i + 1] > 0.0 else -limit
        else:
            for j in range(i + 1, i + 1 + t):
                impulse[j] = divide(y[j] * limit, size)
        return SLIDES if region == STICKS else (HELD_BACK if limit > 0.0 else OPEN)
    for j in range(i + 1, i + 1 + t):
        impulse[j] = y[j]
    return region if region == STICKS or limit > 0.0 else OPEN


@kernel
def tangent_size(problem: ConeProblem, c: i64) -> f64:
    """``|y_t|`` of a contact."""
    i, total = problem.first[c] + 1, 0.0
    if problem.tangents[c] == 1:
        return fabs(problem.y[i])
    for j in range(problem.tangents[c]):
        total += problem.y[i + j] * problem.y[i + j]
    return sqrt(total)


@kernel
def differentiate(problem: ConeProblem, c: i64, kind: i64, impulse: f64p) -> None:
    """``D = ∂Π/∂y`` of a contact, 3 × 3, in the region that its y is in."""
    i, t, y, mu, region = problem.first[c], problem.tangents[c], problem.y, problem.mu[c], problem.region[c]
    D = offset(problem.D, 9 * c)
    for k in range(9):
        D[k] = 0.0
    D[0] = 1.0 if region == STICKS else 0.0
    held, slips = region % 2 == 1, region % 2 == 0 and region > 0
    if held:
        for j in range(1, 1 + t):
            D[4 * j] = 1.0
    if slips:
        size, share = tangent_size(problem, c), 0.0
        if region == SLIDES:
            share = divide(1.0, 1.0 + mu * mu) if kind == CONVEX else 1.0
            D[0] = share
        turn = divide(mu * impulse[i], size)
        for j in range(1, 1 + t):
            d = divide(y[i + j], size)
            D[3 * j] = mu * d * share
            if kind == CONVEX:
                D[j] = mu * d * share
            for k in range(1, 1 + t):
                both = d * divide(y[i + k], size)
                D[3 * j + k] = turn * ((1.0 if j == k else 0.0) - both)
                if kind == CONVEX:
                    D[3 * j + k] += mu * mu * share * both

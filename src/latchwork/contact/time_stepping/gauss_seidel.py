"""Projected Gauss-Seidel as a kernel: contact after contact, each brought into its cone while the others rest.

    P_n ← max(least, P_n − w_n/A_nn),    P_t ← P_t − w_t/ρ, cut to |P_t| ≤ μ P_n,    w = G ξ + b,  ξ = Gᵀ P
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import ConeProblem, along, push
from latchwork.program.kernel import divide, f64, fabs, i64, kernel, sqrt
from latchwork.program.scalar import maximum


@kernel
def relax(problem: ConeProblem, c: i64) -> f64:
    """P of one contact made right where ξ is known, and ξ with it; by how much its velocities change."""
    first, P, size, change = problem.first[c], problem.P, 0.0, 0.0
    if problem.fixed[c] == 0 and problem.rho[first] > 0.0:
        w = along(problem, c, 0, problem.xi) + problem.b[first]
        goal = maximum(P[first] - divide(w, problem.rho[first]), problem.least[c])
        change = fabs(goal - P[first]) * problem.rho[first]
        push(problem, c, 0, goal - P[first], problem.xi)
        P[first] = goal
    for i in range(1, 1 + problem.tangents[c]):
        w, rho = along(problem, c, i, problem.xi) + problem.b[first + i], problem.rho[first + i]
        problem.y[first + i] = P[first + i] - divide(w, rho) if rho > 0.0 else P[first + i]
        size += problem.y[first + i] * problem.y[first + i]
    size, limit = sqrt(size), problem.mu[c] * P[first]
    cut = divide(limit, size) if size > limit else 1.0
    for i in range(1, 1 + problem.tangents[c]):
        goal = problem.y[first + i] * cut
        change = maximum(change, fabs(goal - P[first + i]) * problem.rho[first + i])
        push(problem, c, i, goal - P[first + i], problem.xi)
        P[first + i] = goal
    return change


@kernel
def sweep(problem: ConeProblem, island: i64, most: i64, small: f64) -> None:
    """Sweeps over the contacts of an island, there and back, until velocities change by less; ξ is that of P."""
    begin, end = problem.island_contact[island], problem.island_contact[island + 1]
    for _ in range(most):
        change = 0.0
        for k in range(begin, end):
            change = maximum(change, relax(problem, problem.listed[k]))
        for k in range(end - 1, begin - 1, -1):
            change = maximum(change, relax(problem, problem.listed[k]))
        if change <= small:
            break

"""Newton's method on the projections of the cone problem, P = proj(P − w/ρ), as a kernel.

    open:  P_n = least,    closed:  w = 0,    sliding:  P_t = μ P_n d,  d = z_t/|z_t|,  z = P − w/ρ

[Alart and Curnier 1991]. Where A is singular (more contacts than freedoms) a little is added to its diagonal: impulses
are not unique, and stay near those it began with.
"""

from __future__ import annotations

from latchwork.algebra.elimination import sparse_lu, sparse_lu_solve
from latchwork.contact.time_stepping.cone_problem import ConeProblem, lawlessness, tangent_size, velocities
from latchwork.program.kernel import divide, f64, f64p, i64, kernel
from latchwork.program.scalar import maximum

SOFT = 1e-11  # of A: added to its diagonal, so that redundant contacts can be solved for
PIVOT = 1e-2  # of what is added: smaller pivots are none
STEPS = 6
WORSE = 2  # steps that led away, after which it ends
INFINITE = 1e300


@kernel
def newton(problem: ConeProblem, P: f64p, small: f64) -> f64:
    """``found``: the best P met from a guess on, which is overwritten; by how much the laws are not met."""
    n, trial, found, worse = problem.rows, P, problem.found, 0
    best = lawlessness(problem, trial)
    for i in range(n):
        found[i] = trial[i]
    for _ in range(STEPS):
        if best <= small:
            break
        if newton_step(problem, trial) == 0:
            break
        off = lawlessness(problem, trial)
        if off < best:
            best, worse = off, 0
            for i in range(n):
                found[i] = trial[i]
        else:
            worse += 1
        if worse == WORSE or not off < INFINITE:
            break
    return best


@kernel
def newton_step(problem: ConeProblem, P: f64p) -> i64:
    """P + δ with K δ = −F in place; 0 where K is singular."""
    n, A, K, F, largest = problem.rows, problem.A, problem.K, problem.F, 0.0
    velocities(problem, P)
    for i in range(n):
        largest = maximum(largest, A[i * n + i])
    for i in range(n * n):
        K[i] = A[i]
    for i in range(n):
        K[i * n + i] += SOFT * largest
        F[i] = problem.w[i]
    for c in range(problem.contacts):
        i = problem.first[c]
        if problem.z[i] <= problem.least[c]:
            unit_row(problem, i)
            F[i] = P[i] - problem.least[c]
        size, limit = tangent_size(problem, c), problem.mu[c] * maximum(problem.z[i], problem.least[c])
        if size >= limit:
            for j in range(i + 1, i + 1 + problem.tangents[c]):
                slide(problem, c, j, P, size)
    if sparse_lu(n, K, problem.order, problem.entries, problem.columns, PIVOT * SOFT * largest) == 0:
        return 0
    sparse_lu_solve(n, K, problem.order, F)
    for i in range(n):
        P[i] -= F[i]
    return 1


@kernel
def unit_row(problem: ConeProblem, i: i64) -> None:
    """``K_ij = δ_ij``."""
    n = problem.rows
    for j in range(n):
        problem.K[i * n + j] = 0.0
    problem.K[i * n + i] = 1.0


@kernel
def slide(problem: ConeProblem, c: i64, i: i64, P: f64p, size: f64) -> None:
    """F = P_t − μ P_n d of one tangent, and its derivatives; in the plane d does not change."""
    n, first, mu, K, z = problem.rows, problem.first[c], problem.mu[c], problem.K, problem.z
    d = divide(z[i], size if size > 0.0 else 1.0)
    unit_row(problem, i)
    K[i * n + first] = -mu * d
    problem.F[i] = P[i] - mu * P[first] * d
    if problem.tangents[c] == 2 and size > 0.0:
        for j in range(first + 1, first + 3):
            own = 1.0 if i == j else 0.0
            turn = divide(mu * P[first] * (own - divide(d * z[j], size)), size)  # μ P_n ∂d_i/∂z_j
            if problem.rho[j] > 0.0:
                for k in range(n):
                    K[i * n + k] += divide(turn * problem.A[j * n + k], problem.rho[j])
            K[i * n + j] -= turn

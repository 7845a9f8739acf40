"""Projected Gauss-Seidel as a kernel: contact after contact, each brought into its cone while the others rest.

    Λ_n ← max(least, Λ_n − w_n/A_nn),    Λ_t ← Λ_t − w_t/ρ, cut to |Λ_t| ≤ μ Λ_n,    w = G ξ + b,  ξ = Gᵀ Λ

w of a contact is taken once; what its normal impulse changes of w_t is A_tn ΔΛ_n.
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import ConeProblem, push, velocity
from latchwork.program.kernel import divide, f64, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum


@kernel
def relax(problem: ConeProblem, c: i64) -> f64:
    """Λ of one contact made right where ξ is known, and ξ with it; by how much its velocities change."""
    first, tangents = problem.first[c], problem.tangents[c]
    impulse, rho, along_w = offset(problem.impulse, first), offset(problem.rho, first), offset(problem.along_w, first)
    cross = offset(problem.cross, 2 * c)
    w, w_s, w_t = velocity(problem, c, problem.xi)
    n, s, t, b = 0.0, 0.0, 0.0, offset(problem.b, first)
    if problem.fixed[c] == 0:
        n = maximum(impulse[0] - (w + b[0]) * along_w[0], problem.least[c]) - impulse[0]
    change, limit = fabs(n) * rho[0], problem.mu[c] * (impulse[0] + n)
    impulse[0] += n
    if tangents == 1:
        y = impulse[1] - ((w_s + b[1]) + cross[0] * n) * along_w[1]
        s = maximum(-limit, minimum(y, limit)) - impulse[1]
        change = maximum(change, fabs(s) * rho[1])
        impulse[1] += s
    elif tangents == 2:
        y = impulse[1] - ((w_s + b[1]) + cross[0] * n) * along_w[1]
        z = impulse[2] - ((w_t + b[2]) + cross[1] * n) * along_w[2]
        size = y * y + z * z
        if size > limit * limit:
            cut = divide(limit, sqrt(size))
            y, z = y * cut, z * cut
        s, t = y - impulse[1], z - impulse[2]
        change = maximum(change, maximum(fabs(s), fabs(t)) * rho[1])
        impulse[1] += s
        impulse[2] += t
    if change > 0.0:
        push(problem, c, n, s, t, problem.xi)
    return change


@kernel
def sweep(problem: ConeProblem, island: i64, most: i64, small: f64) -> None:
    """Sweeps over the contacts of an island, there and back, until velocities change by less; ξ is that of Λ."""
    begin, end = problem.island_contact[island], problem.island_contact[island + 1]
    for _ in range(most):
        change = 0.0
        for k in range(begin, end):
            change = maximum(change, relax(problem, problem.listed[k]))
        for k in range(end - 1, begin - 1, -1):
            change = maximum(change, relax(problem, problem.listed[k]))
        if change <= small:
            break

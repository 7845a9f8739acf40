"""The cone problem as a record: impulses of many contacts over a time step, by complementarity with Coulomb's cones.

    w = A P + b,    0 ≤ P_n − least ⟂ w_n ≥ 0,    |P_t| ≤ μ P_n,  P_t = −μ P_n w_t/|w_t| where w_t ≠ 0

Rows: normal, tangents of each contact in turn. The same as a fixed point, P = proj(P − w/ρ)  [Alart and Curnier 1991].
"""

from __future__ import annotations

from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, sqrt
from latchwork.program.records.record import array, record
from latchwork.program.scalar import maximum


@record
class ConeProblem:
    """The question, the answer, and room to work in; a problem may have fewer contacts than there is room for."""

    most_contacts: i64
    most_rows: i64
    most_pairs: i64  # of a linear complementarity problem
    # the question
    contacts: i64
    tangents: i64p = array("most_contacts")  # 0, 1 or 2 of each contact
    mu: f64p = array("most_contacts")
    least: f64p = array("most_contacts")  # of each normal impulse: not below 0
    A: f64p = array("most_rows * most_rows")  # (rows, rows), row by row, symmetric
    b: f64p = array("most_rows")
    # the answer
    P: f64p = array("most_rows")  # before: a guess of it
    off: f64  # by how much the laws are not met, as a part of the velocities at hand
    # what follows from the question
    rows: i64
    scale: f64  # the velocities at hand
    first: i64p = array("most_contacts")  # the normal row of each contact
    rho: f64p = array("most_rows")  # the inverse of how far P goes along w; 0 where nothing moves
    count: i64p = array("most_rows")  # entries of each row of A that are not zero
    index: i64p = array("most_rows * most_rows")  # and where they are
    # room
    w: f64p = array("most_rows")
    z: f64p = array("most_rows")
    trial: f64p = array("most_rows")
    found: f64p = array("most_rows")
    best: f64p = array("most_rows")
    K: f64p = array("most_rows * most_rows")
    F: f64p = array("most_rows")
    order: i64p = array("most_rows")
    entries: i64p = array("most_rows")
    columns: i64p = array("most_rows")
    # linear complementarity
    owner: i64p = array("most_pairs")  # the contact of each pair, and the direction of P_t; none of P_n and of slip
    kind: i64p = array("most_pairs")
    along: f64p = array("2 * most_pairs")
    table: f64p = array("most_pairs * (most_pairs + 3)")
    basic: i64p = array("most_pairs")
    outside: i64p = array("most_pairs + 1")


@kernel
def begin(problem: ConeProblem) -> None:
    """First rows, ρ, the entries of A that are not zero, the velocities at hand; the guess is made no less than least.

        ρ = A_ii; along two tangents max A_ii + |A_12|
    """
    A, row, rho = problem.A, 0, problem.rho
    for c in range(problem.contacts):
        problem.first[c] = row
        row += 1 + problem.tangents[c]
    n = row
    problem.rows = n
    scale = 0.0
    for i in range(n):
        count, rho[i] = 0, maximum(A[i * n + i], 0.0)
        for j in range(n):
            if A[i * n + j] != 0.0:
                problem.index[i * n + count] = j
                count += 1
        problem.count[i] = count
        scale = maximum(scale, fabs(problem.b[i]))
        problem.z[i] = 0.0
    for c in range(problem.contacts):
        i, least = problem.first[c], problem.least[c]
        problem.P[i] = maximum(problem.P[i], least)
        problem.z[i] = least
        if problem.tangents[c] == 2:
            d = maximum(rho[i + 1], rho[i + 2]) + fabs(A[(i + 1) * n + i + 2])
            rho[i + 1], rho[i + 2] = d, d
    for i in range(n):
        scale = maximum(scale, fabs(row_times(problem, i, problem.z)))
    problem.scale = scale


@kernel
def row_times(problem: ConeProblem, i: i64, P: f64p) -> f64:
    """``A P`` in one row."""
    start, total = i * problem.rows, 0.0
    for k in range(problem.count[i]):
        j = problem.index[start + k]
        total += problem.A[start + j] * P[j]
    return total


@kernel
def velocities(problem: ConeProblem, P: f64p) -> None:
    """``w = A P + b``, and ``z = P − w/ρ``."""
    for i in range(problem.rows):
        w, rho = row_times(problem, i, P) + problem.b[i], problem.rho[i]
        problem.w[i] = w
        problem.z[i] = P[i] - divide(w, rho) if rho > 0.0 else P[i]


@kernel
def tangent_size(problem: ConeProblem, c: i64) -> f64:
    """``|z_t|`` of a contact."""
    i, total = problem.first[c] + 1, 0.0
    for j in range(problem.tangents[c]):
        total += problem.z[i + j] * problem.z[i + j]
    return sqrt(total)


@kernel
def lawlessness(problem: ConeProblem, P: f64p) -> f64:
    """By how much, as a velocity, the laws are not met: ρ |P − proj(P − w/ρ)|; nan where P is no number."""
    velocities(problem, P)
    worst = 0.0
    for c in range(problem.contacts):
        i = problem.first[c]
        n = maximum(problem.z[i], problem.least[c])
        worst = maximum(worst, fabs(P[i] - n) * problem.rho[i])
        size, limit = tangent_size(problem, c), problem.mu[c] * n
        cut = divide(limit, size) if size > limit else 1.0
        for j in range(i + 1, i + 1 + problem.tangents[c]):
            worst = maximum(worst, fabs(P[j] - problem.z[j] * cut) * problem.rho[j])
    return worst

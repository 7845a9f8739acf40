"""Forces of redundant contacts in proportion: every contact that sticks uses the same part of its cone, |λ_t|/(mu λ_n).

    min λᵀ K⁻¹ λ,    K = λ_n (1, ρᵀ; ρ, 1 + ρρᵀ) for each contact,    |ρ| = mu Σ |λ_t| / Σ mu λ_n

with λ_n and the direction of ρ from λ of least norm. Where λ_n (1, ρ) balances the load, it is the answer. As the load
grows in the mode that follows, contacts that share it so come to the edges of their cones together (`hybrid.contacts.
friction`); from a vertex of the set of all λ, one after the other would, and the load would be shared again and again.
"""

from __future__ import annotations

from latchwork.contact.complementarity.feasible_forces import parting_rate
from latchwork.contact.complementarity.linear_system import accelerations, form_system, least_forces, place_forces
from latchwork.contact.complementarity.problem import OPEN, STICK, ContactProblem, largest_size, tangent_part
from latchwork.contact.complementarity.slip_onset import TOL
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, sqrt
from latchwork.program.scalar import maximum, minimum

LIGHT = 1e-3  # of the most that presses: what is pressed by less shares as if by this
AT_EDGE = 1e-9  # of a cone: a contact that is nearer to its edge is at it
TIMES = 4  # that forces are shared anew


@kernel
def used_part(problem: ContactProblem, c: i64, lam: f64p) -> f64:
    """Σ |λ_t| / Σ mu λ_n of contacts that stick."""
    friction, most = 0.0, 0.0
    for i in range(problem.contacts):
        if problem.choices[c * problem.contacts + i].state == STICK:
            x, y = tangent_part(problem, i, lam)
            friction += sqrt(x * x + y * y)
            most += problem.mu_s[i] * maximum(lam[problem.first[i]], 0.0)
    return divide(friction, most) if most > 0.0 else 0.0


@kernel
def scale_columns(problem: ContactProblem, c: i64, r: i64, lam: f64p, columns: f64p) -> None:
    """S L of K = L Lᵀ, in place; L = √λ_n (1, 0; ρ, 1) by contact, its √λ_n and ρ into ``columns``."""
    S, part, most, column = problem.S, used_part(problem, c, lam), 0.0, 0
    for i in range(problem.contacts):
        most = maximum(most, lam[problem.first[i]])
    most = most if most > 0.0 else 1.0
    for i in range(problem.contacts):
        state = problem.choices[c * problem.contacts + i].state
        if state == OPEN:
            continue
        root = sqrt(maximum(divide(lam[problem.first[i]], most), LIGHT))
        x, y = tangent_part(problem, i, lam)
        size, tangents = sqrt(x * x + y * y), problem.tangents[i] if state == STICK else 0
        lean = divide(problem.mu_s[i] * part, size) if size > 0.0 else 0.0
        columns[3 * i], columns[3 * i + 1], columns[3 * i + 2] = root, x * lean, y * lean
        for p in range(r):
            total = S[p * r + column]
            for j in range(tangents):
                total += columns[3 * i + 1 + j] * S[p * r + column + 1 + j]
                S[p * r + column + 1 + j] *= root
            S[p * r + column] = root * total
        column += 1 + tangents


@kernel
def unscale_forces(problem: ContactProblem, c: i64, columns: f64p, x: f64p) -> None:
    """x = L y, in place."""
    column = 0
    for i in range(problem.contacts):
        state = problem.choices[c * problem.contacts + i].state
        if state == OPEN:
            continue
        normal, root, tangents = x[column], columns[3 * i], problem.tangents[i] if state == STICK else 0
        for j in range(tangents):
            x[column + 1 + j] = root * (x[column + 1 + j] + columns[3 * i + 1 + j] * normal)
        x[column] = root * normal
        column += 1 + tangents


@kernel
def is_inside(problem: ContactProblem, c: i64, lam: f64p) -> i64:
    """1 where λ gives the accelerations of choices c, and every contact that carries something is well inside its
    cone."""
    size, r = largest_size(problem.rows, lam), form_system(problem, c)
    if not size > 0.0 or size - size != 0.0:
        return 0
    accelerations(problem, lam, problem.right)
    for p in range(r):
        if not fabs(problem.right[problem.unknown[p]]) <= TOL * (1.0 + size):
            return 0
    for i in range(problem.contacts):
        state, normal = problem.choices[c * problem.contacts + i].state, lam[problem.first[i]]
        x, y = tangent_part(problem, i, lam)
        if maximum(fabs(normal), fabs(x) + fabs(y)) <= TOL * size:  # it carries nothing, however the load is shared
            continue
        edge = minimum(normal, problem.mu_s[i] * normal - sqrt(x * x + y * y)) if state == STICK else normal
        if state != OPEN and not edge > AT_EDGE * maximum(normal, LIGHT * size):
            return 0
        if parting_rate(problem, c, i, lam, 1.0) < -TOL * size:
            return 0
    return 1


@kernel
def proportional_forces(problem: ContactProblem, c: i64) -> i64:
    """λ of choices in proportion into ``problem.trial``; 0 where it is not well inside the cones."""
    lam = problem.trial
    for time in range(TIMES):
        r = form_system(problem, c)
        if time > 0:
            scale_columns(problem, c, r, lam, problem.base)
        for p in range(r):
            problem.right[p] = -problem.y[problem.unknown[p]]
        if r == 0 or least_forces(problem, r, problem.x) == 0:
            return 0
        if time > 0:
            unscale_forces(problem, c, problem.base, problem.x)
        place_forces(problem, c, problem.x, lam)
    return is_inside(problem, c, lam)

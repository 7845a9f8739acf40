"""Forces that are not unique: of all λ that give the same accelerations, one well inside the cones of friction.

    max m   with   x = x₀ + N z,   λ_n ≥ m s,   mu λ_n − |λ_t| ≥ m s,   m ≤ 1,
    a_n ≥ 0 where it opens,   d · a_t ≥ 0 where it begins to slide

a linear program in the plane (`linear_program`); in space the cone is cut by planes d · λ_t ≤ mu λ_n − m s where a
solution leaves it.
"""

from __future__ import annotations

from latchwork.algebra.factors import least_norm, null_vector
from latchwork.contact.complementarity.linear_program import POINT, UNENDED, widest
from latchwork.contact.complementarity.linear_system import (
    RANK,
    accelerations,
    form_system,
    know_limits,
    least_forces,
    place_forces,
)
from latchwork.contact.complementarity.problem import (
    NONE,
    OPEN,
    SLIDE,
    STICK,
    ContactProblem,
    largest_felt,
    tangent_part,
)
from latchwork.contact.complementarity.slip_onset import TOL
from latchwork.contact.directions import all_round
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum

CUTS = 16
CIRCLE = tuple(all_round(CUTS).ravel().tolist())
ROUNDS = 40
FIXED = 1e-9  # of unit changes of a share: a force that none of them changes
FINE = 1e-12  # of the forces: cuts are made where a cone is left by more
NEARLY = 0.8  # of the largest margin, at which cutting ends
INNER_CONE = 0.2  # of a limit of friction: so far inside are forces that carry as little of it as they can
MOST_SHARE = 1e4  # of the least forces: contacts that would have to press so much harder hold nothing
PLANES_EACH, PLANES = 9, 40  # there is room for: of each row, and besides
UNBOUNDED = 1e300
ALL = -1  # contacts whose margin counts


@kernel
def forces_inside(problem: ContactProblem, c: i64, only: i64, slack: f64) -> i64:
    """λ of choices with the largest least margin into ``problem.trial``; 0 where no λ is within the cones.

    With ``only``, the margin is that of one contact, and the others are within their cones, but for some slack.
    """
    n, r, base = problem.rows, form_system(problem, c), problem.base
    for p in range(r):
        problem.right[p] = -problem.y[problem.unknown[p]]
    rank = least_forces(problem, r, problem.x) if r > 0 else 0
    know_limits(problem, r, problem.x)
    place_forces(problem, c, problem.x, base)
    for v in range(r - rank):
        null_vector(r, rank, v, problem.S, problem.turned, problem.order, problem.right, problem.x)
        place_forces(problem, c, problem.x, offset(problem.spread, v * n))
    accelerations(problem, base, problem.trial)
    size = largest_felt(problem, base)
    size = size if size != 0.0 else 1.0
    if size - size != 0.0:
        return 0
    for p in range(r):
        if not fabs(problem.trial[problem.unknown[p]]) <= TOL * (1.0 + size):
            return 0
    return inside_spread(problem, c, r - rank, size, only, slack)


@kernel
def inside_spread(problem: ContactProblem, c: i64, r: i64, size: f64, only: i64, slack: f64) -> i64:
    """The same for λ = base + size Σ z spread, by linear programs with more and more planes in space."""
    n, lam, z = problem.rows, problem.trial, problem.z
    planes = first_planes(problem, c)
    if only == ALL and least_friction(problem, c, r, planes, size) == 1:
        return 1
    for j in range(n):
        lam[j] = problem.base[j]
    for _ in range(ROUNDS if r > 0 else 0):
        if widest_margin(problem, c, r, planes, size, only, slack) == 0 or z[r] < -TOL:
            return 0
        for j in range(n):
            total = 0.0
            for v in range(r):
                total += problem.spread[v * n + j] * (size * z[v])
            lam[j] = problem.base[j] + total
        if not largest_felt(problem, lam) <= MOST_SHARE * size:
            return 0
        margin = z[r] * size * (NEARLY if z[r] > 0.0 else 1.0)
        more = cut_cones(problem, c, planes, margin, (FINE + slack) * size, only)
        if more == planes:
            break
        planes = more
    for p in range(planes):
        if plane_value(problem, p, lam) < -TOL * size:
            return 0
    for i in range(problem.contacts):
        if parting_rate(problem, c, i, lam, 1.0) < -TOL * size or leaves_circle(problem, c, i, 0.0, TOL * size) == 1:
            return 0
    return 1


@kernel
def least_friction(problem: ContactProblem, c: i64, r: i64, planes: i64, size: f64) -> i64:
    """λ in which friction of joints that stick carries as little as it can, Σ (λ_t/limit)² least; 0 where there is
    none, or where that leaves other cones. Stops and clutches that share a load with it are not limited."""
    k, n, lam, S, count = problem.contacts, problem.rows, problem.trial, problem.S, 0
    for i in range(k):
        row, limit = problem.first[i] + 1, problem.mu_s[i] * problem.base[problem.first[i]]
        if problem.fixed[i] == 1 and problem.choices[c * k + i].state == STICK and limit > 0.0:
            for v in range(r):
                S[count * r + v] = divide(problem.spread[v * n + row], limit)
            problem.right[count] = divide(-problem.base[row], limit)
            count += 1
    if count == 0 or r == 0:
        return 0
    least_norm(count, r, RANK, S, problem.tau, problem.turned, problem.order, problem.right, problem.x)
    for j in range(n):
        lam[j] = problem.base[j]
        for v in range(r):
            lam[j] += problem.spread[v * n + j] * problem.x[v]
    for p in range(planes):
        i = problem.plane_of[p]
        inside = INNER_CONE * problem.mu_s[i] * lam[problem.first[i]] if problem.fixed[i] == 1 else 0.0
        if not plane_value(problem, p, lam) >= inside:
            return 0
    for i in range(k):
        if parting_rate(problem, c, i, lam, 1.0) < -TOL * size or leaves_circle(problem, c, i, 0.0, 0.0) == 1:
            return 0
    return 1


@kernel
def plane_value(problem: ContactProblem, p: i64, lam: f64p) -> f64:
    """``G λ`` of one plane."""
    i = problem.plane_of[p]
    x, y = tangent_part(problem, i, lam)
    return problem.plane[3 * p] * lam[problem.first[i]] + problem.plane[3 * p + 1] * x + problem.plane[3 * p + 2] * y


@kernel
def parting_rate(problem: ContactProblem, c: i64, i: i64, lam: f64p, share: f64) -> f64:
    """What is not negative of A λ + share b: a_n where contact i opens, d · a_t where it begins to slide along d."""
    choice, at = problem.choices[c * problem.contacts + i], problem.first[i]
    if choice.state == OPEN:
        return row_value(problem, at, lam, share)
    if choice.state == SLIDE and choice.direction != NONE and problem.slips[i] == 0:
        total = choice.x * row_value(problem, at + 1, lam, share)
        return total + choice.y * row_value(problem, at + 2, lam, share) if problem.tangents[i] == 2 else total
    return 0.0


@kernel
def row_value(problem: ContactProblem, row: i64, lam: f64p, share: f64) -> f64:
    """``A λ + share b``, one row."""
    n, total = problem.rows, 0.0
    for j in range(n):
        total += problem.W[row * n + j] * lam[j]
    return total + share * problem.y[row]


@kernel
def is_parting(problem: ContactProblem, c: i64, i: i64) -> i64:
    """1 where contact i opens, or begins to slide."""
    choice = problem.choices[c * problem.contacts + i]
    begins = choice.state == SLIDE and choice.direction != NONE and problem.slips[i] == 0
    return 1 if choice.state == OPEN or begins else 0


@kernel
def widest_margin(problem: ContactProblem, c: i64, r: i64, planes: i64, size: f64, only: i64, slack: f64) -> i64:
    """(z, m) of the linear program with these planes, G λ ≥ m size, or G λ ≥ 0 of others; 0 where there is none, or
    (`ContactProblem.unended`) none was found. Forces that are the same in every share, as of what carries nothing, do
    not bound the margin."""
    n, wide, sides = problem.rows, 0, 0
    for i in range(problem.contacts):
        if is_parting(problem, c, i) == 1:
            problem.w[sides] = divide(parting_rate(problem, c, i, problem.base, 1.0), size) + TOL
            for v in range(r):
                problem.V[sides * r + v] = parting_rate(problem, c, i, offset(problem.spread, v * n), 0.0)
            sides += 1
    for p in range(planes):
        value, moves = divide(plane_value(problem, p, problem.base), size), 0.0
        for v in range(r):
            moves = maximum(moves, fabs(plane_value(problem, p, offset(problem.spread, v * n))))
        if only == ALL and moves <= FIXED:
            continue
        if only == ALL or only == problem.plane_of[p]:
            problem.g[wide] = value
            for v in range(r):
                problem.H[wide * r + v] = plane_value(problem, p, offset(problem.spread, v * n))
            wide += 1
        else:
            problem.w[sides] = value + FINE + slack
            for v in range(r):
                problem.V[sides * r + v] = plane_value(problem, p, offset(problem.spread, v * n))
            sides += 1
    found = widest(r, wide, sides, problem.g, problem.H, problem.w, problem.V, problem.T, problem.basis, problem.z)
    problem.unended = 1 if found == UNENDED else problem.unended
    return 1 if found == POINT else 0


@kernel
def add_plane(problem: ContactProblem, p: i64, i: i64, normal: f64, x: f64, y: f64) -> i64:
    """``normal λ_n + (x, y) · λ_t ≥ 0`` of contact i; gives how many planes there are then."""
    problem.plane_of[p] = i
    problem.plane[3 * p], problem.plane[3 * p + 1], problem.plane[3 * p + 2] = normal, x, y
    return p + 1


@kernel
def first_planes(problem: ContactProblem, c: i64) -> i64:
    """λ_n ≥ 0 of each closed contact, and mu λ_n − d · λ_t ≥ 0 of each that sticks, for directions d all round."""
    p = 0
    for i in range(problem.contacts):
        state, mu = problem.choices[c * problem.contacts + i].state, problem.mu_s[i]
        if state != OPEN:
            p = add_plane(problem, p, i, 1.0, 0.0, 0.0)
        if state == STICK and problem.tangents[i] == 1:
            p = add_plane(problem, p, i, mu, -1.0, 0.0)
            p = add_plane(problem, p, i, mu, 1.0, 0.0)
        elif state == STICK:
            for j in range(CUTS):
                p = add_plane(problem, p, i, mu, -CIRCLE[2 * j], -CIRCLE[2 * j + 1])
    return p


@kernel
def leaves_circle(problem: ContactProblem, c: i64, i: i64, margin: f64, fine: f64) -> i64:
    """1 where λ is outside the cone of contact i that sticks in space, or inside of it by less than the margin."""
    if problem.choices[c * problem.contacts + i].state != STICK or problem.tangents[i] < 2:
        return 0
    x, y = tangent_part(problem, i, problem.trial)
    friction = sqrt(x * x + y * y)
    return 1 if friction > problem.mu_s[i] * problem.trial[problem.first[i]] - margin + fine and friction > 0.0 else 0


@kernel
def cut_cones(problem: ContactProblem, c: i64, planes: i64, margin: f64, fine: f64, only: i64) -> i64:
    """Planes that part λ from the cones it leaves, in space, as many as there is room for; gives how many there are."""
    p = planes
    for i in range(problem.contacts):
        own = 0.0 if only != ALL and only != i else margin
        if leaves_circle(problem, c, i, own, fine) == 1 and p < PLANES_EACH * problem.most_rows + PLANES:
            x, y = tangent_part(problem, i, problem.trial)
            friction = sqrt(x * x + y * y)
            p = add_plane(problem, p, i, problem.mu_s[i], divide(-x, friction), divide(-y, friction))
    return p


@kernel
def cone_margins(problem: ContactProblem, c: i64, lam: f64p) -> f64:
    """How far inside its cone each contact is that sticks, mu λ_n − |λ_t| as a part of the largest force; the least."""
    size, least_edge = largest_felt(problem, lam), UNBOUNDED
    size = size if size != 0.0 else 1.0
    for i in range(problem.contacts):
        x, y = tangent_part(problem, i, lam)
        edge = divide(problem.mu_s[i] * lam[problem.first[i]] - sqrt(x * x + y * y), size)
        edge = edge if problem.choices[c * problem.contacts + i].state == STICK else UNBOUNDED
        problem.margin[i] = edge
        least_edge = minimum(least_edge, edge)
    return least_edge

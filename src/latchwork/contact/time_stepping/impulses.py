"""Impulses of many contacts over a time step: the cone problem solved island by island, as a kernel.

    P⁺ = Π(P − (w⁺ + s)/R)    a proximal problem about P, by Newton's method in speeds; then again about its answer

Its fixed points are those of the cone problem, for every R > 0 [Rockafellar 1976]. A large R is solved in a few steps
and leads to the answer slowly, a small one the other way round: R falls while Newton's method converges, and rises
where it does not. Where A is singular (more contacts than freedoms) impulses are not unique: those near the guess are
taken.

Sweeps of projected Gauss-Seidel come first, for they find out cheaply who opens, slides and sticks. Where Newton's
method with Coulomb's projection ends, a convex problem leads on, with the slip before it as a shift of normal
velocities [De Saxcé and Feng 1998; Acary, Cadoux, Lemaréchal, Malick 2011].
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import ConeProblem, lawlessness, row_of, spread
from latchwork.contact.time_stepping.gauss_seidel import sweep
from latchwork.contact.time_stepping.islands import find_islands, find_profile
from latchwork.contact.time_stepping.newton import CONVERGED, dot, newton
from latchwork.contact.time_stepping.projection import CONVEX, COULOMB
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, sqrt
from latchwork.program.scalar import maximum, minimum

EXACT = 1e-10  # of the velocities at hand: what is left of w
FEW, NEAR = 2, 1e-8  # what is as good as this after so many proximal problems is taken
CROWD_NEAR = 1e-5  # the same where a crowd of contacts goes on with the next step
MANY, CROWD, ROUGH = 8, 12, 1e-3  # and of that, after more problems; a crowd are more contacts than this
ROUNDS = 25  # problems, after which the best is taken
SWEEPS = 30  # there and back
SOFT = 1e-1  # R, as a part of A, to begin with; less where the guess is good
FIRM, CROWD_FIRM = 1e-4, 1e-2  # and at least: rounding is 1e-16/R of the impulses
DOWN, UP = 0.2, 5.0  # how R changes
PATIENCE = 1  # convex problems after a failure


@kernel
def begin(problem: ConeProblem) -> None:
    """First rows, ρ and R, islands, the velocities at hand; the guess is made no less than least.

    ρ = A_ii; along two tangents max A_ii + |A_12|
    """
    row, rho, scale, longest = 0, problem.rho, 0.0, 0.0
    for c in range(problem.contacts):
        tangents, wide = problem.tangents[c], 0
        for k in range(problem.touch_at[c], problem.touch_at[c + 1]):
            block = problem.touched[k]
            wide += problem.block_start[block + 1] - problem.block_start[block]
        problem.first[c], problem.wide[c] = row, wide
        most = 0.0
        for i in range(1 + tangents):
            rho[row + i] = dot(wide, row_of(problem, c, i), row_of(problem, c, i))
            most = maximum(most, rho[row + i])
            scale = maximum(scale, fabs(problem.b[row + i]))
        for i in range(tangents):
            problem.cross[2 * c + i] = dot(wide, row_of(problem, c, 0), row_of(problem, c, 1 + i))
        if tangents == 2:
            across = dot(wide, row_of(problem, c, 1), row_of(problem, c, 2))
            rho[row + 1] = maximum(rho[row + 1], rho[row + 2]) + fabs(across)
            rho[row + 2] = rho[row + 1]
        for i in range(row, row + 1 + tangents):
            problem.along_w[i] = divide(1.0, rho[i]) if rho[i] > 0.0 else 0.0
        longest = maximum(longest, most)
        problem.R[c] = most if most > 0.0 else 1.0
        problem.shift[c], problem.factored[c] = 0.0, -1
        problem.P[row] = maximum(problem.P[row], problem.least[c])
        if problem.fixed[c] == 1 or wide == 0:
            problem.P[row] = problem.least[c]
        scale = maximum(scale, problem.least[c] * most)
        row += 1 + tangents
    problem.rows, problem.scale, problem.longest = row, scale, sqrt(longest)
    find_islands(problem)


@kernel
def restart(problem: ConeProblem, island: i64, P: f64p) -> None:
    """P from where it was kept."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
            problem.P[i] = P[i]


@kernel
def proximal(problem: ConeProblem, island: i64, n: i64, soft: f64, kind: i64) -> i64:
    """P ← the answer of the proximal problem about P, or near it."""
    if soft != problem.soft or kind != problem.kind:
        problem.factored[problem.listed[problem.island_contact[island]]] = -1
        problem.soft, problem.kind = soft, kind
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
            problem.center[i] = problem.P[i]
        problem.shift[c] = problem.mu[c] * slip(problem, c) if kind == CONVEX else 0.0
    spread(problem, island, problem.P, problem.xi)
    return newton(problem, island, n, kind)


@kernel
def slip(problem: ConeProblem, c: i64) -> f64:
    """``|w_t|`` of a contact."""
    total = 0.0
    for j in range(problem.first[c] + 1, problem.first[c] + 1 + problem.tangents[c]):
        total += problem.w[j] * problem.w[j]
    return sqrt(total)


@kernel
def is_idle(problem: ConeProblem, island: i64) -> i64:
    """1 where no contact of an island approaches, and none has to push; then P = 0."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        if problem.b[problem.first[c]] < -problem.idle or problem.least[c] > 0.0:
            return 0
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
            problem.P[i] = 0.0
    return 1


@kernel
def is_crowd(problem: ConeProblem, island: i64) -> i64:
    """1 for an island of many contacts with friction.

    There are forces without motion in it, and with them impulses that a gap of a nanometre redistributes: they are
    followed from step to step, for each step begins with those of the one before.
    """
    if problem.island_contact[island + 1] - problem.island_contact[island] <= CROWD:
        return 0
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        if problem.tangents[problem.listed[k]] > 0:
            return 1
    return 0


@kernel
def solve_island(problem: ConeProblem, island: i64) -> f64:
    """P of an island; by how much the laws are not met."""
    n, small, P, patience = find_profile(problem, island), EXACT * problem.scale, problem.P, 0
    near, rough, firm = NEAR, NEAR, FIRM
    if is_crowd(problem, island) == 1:
        near, rough, firm = CROWD_NEAR, ROUGH, CROWD_FIRM
    off = lawlessness(problem, island, P)
    if off > small:
        sweep(problem, island, SWEEPS, 0.1 * small)
        off = lawlessness(problem, island, P)
    least = off
    soft = minimum(maximum(divide(off, problem.scale), firm), SOFT)
    keep(problem, island)
    for turn in range(ROUNDS):
        if least <= small or (turn > FEW and least <= (near if turn <= MANY else rough) * problem.scale):
            break
        problem.rounds += 1
        status = proximal(problem, island, n, soft, CONVEX if patience > 0 else COULOMB)
        off = lawlessness(problem, island, P)
        if off < least:
            least = off
            keep(problem, island)
        if status != CONVERGED:
            problem.convex += 1
            soft, patience = minimum(UP * soft, 1.0), PATIENCE
            restart(problem, island, problem.center)
            lawlessness(problem, island, P)
        elif patience > 0:
            patience -= 1
        else:
            soft = maximum(DOWN * soft, firm)
    restart(problem, island, problem.best)
    return least


@kernel
def keep(problem: ConeProblem, island: i64) -> None:
    """P of an island is the best so far."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
            problem.best[i] = problem.P[i]


@kernel
def solve_cones(problem: ConeProblem) -> None:
    """P, and by how much the laws are not met."""
    begin(problem)
    problem.off, problem.rounds, problem.steps, problem.convex = 0.0, 0, 0, 0
    if problem.scale == 0.0:
        for i in range(problem.rows):
            problem.P[i] = 0.0
        return
    for island in range(problem.islands):
        if is_idle(problem, island) == 0:
            problem.off = maximum(problem.off, divide(solve_island(problem, island), problem.scale))

"""Impulses of many contacts over a time step: the cone problem solved island by island, as a kernel.

    Λ⁺ = Π(Λ − (w⁺ + s)/R)    a proximal problem about Λ, by Newton's method in speeds; then again about its answer

Π is the projection onto the cone of `projection`. R regularises a problem that is solved, not the answer: the term R
(Λ⁺ − Λ) vanishes where Λ⁺ = Λ, and so the fixed points are those of the cone problem, Coulomb's law with nothing
smoothed, for every R > 0 [Rockafellar 1976]. A large R is solved in a few steps and leads to the answer slowly, a small
one the other way round: R falls while Newton's method converges, rises where it does not, and stays for a while above
what was too small. Where A is singular (more
contacts than freedoms) impulses are not unique: those near the guess are taken.

Without friction each of Newton's steps descends: where it does not end within its steps, the next proximal problem goes
on from where it came to. Sweeps of projected Gauss-Seidel come first, for they find out cheaply who opens, slides and
sticks, and again where Newton's method with Coulomb's projection ends. There a convex problem leads on, with the slip
before it as a shift of normal velocities [De Saxcé and Feng 1998; Acary, Cadoux, Lemaréchal, Malick 2011].
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import ConeProblem, lawlessness, row_of, unmet
from latchwork.contact.time_stepping.gauss_seidel import sweep
from latchwork.contact.time_stepping.islands import find_islands, find_profile
from latchwork.contact.time_stepping.newton import CONVERGED, dot, newton
from latchwork.contact.time_stepping.projection import CONVEX, COULOMB, OPEN
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, sqrt
from latchwork.program.scalar import maximum, minimum

EXACT = 1e-10  # of the velocities at hand: what is left of w
FEW, NEAR = 2, 1e-8  # what is as good as this after so many proximal problems is taken
CROWD, CROWD_NEAR = 12, 1e-6  # and this at once in a crowd, of more contacts with friction, which goes on from there
ROUNDS = 200  # problems, after which the best is taken
SWEEPS = 30  # there and back
CONVEX_SWEEPS = 10  # where there is no friction
SOFT, FIRST = 1e-1, 10.0  # R, as a part of A, to begin with: so many times what is off, and no more
FIRM = 1e-5  # and at least: rounding is 1e-16/R of the impulses
DOWN, UP = 0.4, 3.0  # how R changes
OVER, EASES = 1.5, 0.8  # R is at least so many times one at which Newton's method ended; that falls with every answer
PATIENCE = 1  # convex problems after a failure
LITTLE = 0.5  # of what was off: what more than this is left of it is led on along the way that impulses take
FAR = 1e6  # times that way: as far as they are led at most


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
        problem.impulse[row] = maximum(problem.impulse[row], problem.least[c])
        if problem.fixed[c] == 1 or wide == 0:
            problem.impulse[row] = problem.least[c]
        scale = maximum(scale, problem.least[c] * most)
        row += 1 + tangents
    problem.rows, problem.scale, problem.longest = row, scale, sqrt(longest)
    find_islands(problem)


@kernel
def restart(problem: ConeProblem, island: i64, impulse: f64p) -> None:
    """Λ from where it was kept."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
            problem.impulse[i] = impulse[i]


@kernel
def proximal(problem: ConeProblem, island: i64, n: i64, soft: f64, kind: i64) -> i64:
    """Λ ← the answer of the proximal problem about Λ, or near it; ξ and w are those of Λ, before and after."""
    if soft != problem.soft or kind != problem.kind:
        problem.factored[problem.listed[problem.island_contact[island]]] = -1
        problem.soft, problem.kind = soft, kind
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
            problem.center[i] = problem.impulse[i]
        problem.stood[c], problem.stiff[c] = problem.region[c], divide(1.0, soft * problem.R[c])
        problem.shift[c] = problem.mu[c] * slip(problem, c) if kind == CONVEX else 0.0
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
    """1 where no contact of an island approaches, and none has to push; then Λ = 0."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        if problem.b[problem.first[c]] < -problem.idle or problem.least[c] > 0.0:
            return 0
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
            problem.impulse[i] = 0.0
    return 1


@kernel
def to_edge(problem: ConeProblem, c: i64) -> f64:
    """How many times as far Λ of a contact may go on the way that it took, until it leaves its cone or is none.

    |Λ_t + s d_t| = μ (Λ_n + s d_n),    a s² + 2 b s + c = 0,  a = μ² d_n² − d_t²,  b = μ² Λ_n d_n − Λ_t · d_t
    """
    first, region, most = problem.first[c], problem.region[c], FAR
    n, own = problem.impulse[first], problem.impulse[first] - problem.center[first]
    if region == OPEN:
        return most
    if own < 0.0 and problem.fixed[c] == 0:
        most = minimum(most, divide(n - problem.least[c], -own))
    if region % 2 == 1:  # its tangents stick
        mu = problem.mu[c]
        a, b, left = mu * mu * own * own, mu * mu * n * own, mu * mu * n * n
        for i in range(first + 1, first + 1 + problem.tangents[c]):
            d = problem.impulse[i] - problem.center[i]
            a, b, left = a - d * d, b - problem.impulse[i] * d, left - problem.impulse[i] * problem.impulse[i]
        root = sqrt(maximum(b * b - a * left, 0.0)) - b
        if root > 0.0 and b * b >= a * left:
            most = minimum(most, divide(maximum(left, 0.0), root))
    return most


@kernel
def lead_on(problem: ConeProblem, island: i64, off: f64, before: f64) -> i64:
    """Where no contact has changed its region, Λ goes on along the way that it took, as far as it would in the end, or
    to the first edge of a cone; 1 where it does.

    Redundant contacts may ask for what no motion meets: their impulses go the same way again and again, by |w|/R, until
    one of them opens, or slips. Else what is off falls by a factor r, and all of the way is 1/(1 − r) of this part.
    """
    far = FAR if off >= before else minimum(divide(off, before - off), FAR)
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        if problem.region[c] != problem.stood[c]:
            return 0
        far = minimum(far, to_edge(problem, c))
    if far >= FAR:
        return 0
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
            problem.impulse[i] += far * (problem.impulse[i] - problem.center[i])
    lawlessness(problem, island, problem.impulse)
    return 1


@kernel
def has_friction(problem: ConeProblem, island: i64) -> i64:
    """1 for an island with friction; without, Coulomb's projection is convex."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        if problem.tangents[problem.listed[k]] > 0:
            return 1
    return 0


@kernel
def solve_island(problem: ConeProblem, island: i64) -> f64:
    """Λ of an island; by how much the laws are not met.

    A crowd is an island of many contacts with friction. There are forces without motion in it, and with them impulses
    that a gap of a nanometre redistributes: they are followed from step to step, for each begins with those before.
    """
    n, small, impulse, patience, before = find_profile(problem, island), EXACT * problem.scale, problem.impulse, 0, 0.0
    rubs, near, few = has_friction(problem, island), NEAR * problem.scale, FEW
    sweeps = SWEEPS if rubs == 1 else CONVEX_SWEEPS
    if rubs == 1 and problem.island_contact[island + 1] - problem.island_contact[island] > CROWD:
        near, few = CROWD_NEAR * problem.scale, 0
    off = lawlessness(problem, island, impulse)
    if off > small:
        sweep(problem, island, sweeps, 0.1 * small)
        off = lawlessness(problem, island, impulse)
    least, failed = off, 0.0
    soft = minimum(maximum(FIRST * divide(off, problem.scale), FIRM), SOFT if rubs == 1 else FIRM)
    keep(problem, island)
    for turn in range(ROUNDS):
        if least <= small or (turn >= few and least <= near):
            break
        problem.rounds += 1
        status = proximal(problem, island, n, soft, CONVEX if patience > 0 or rubs == 0 else COULOMB)
        off, descends = unmet(problem, island, impulse), 0
        if off < least:
            least, descends = off, 1 - rubs
            keep(problem, island)
        if status != CONVERGED and descends == 1:
            before = 0.0
        elif status != CONVERGED:
            problem.convex += 1
            failed = soft
            soft, patience, before = minimum(UP * soft, 1.0), PATIENCE, 0.0
            restart(problem, island, problem.center)
            off = lawlessness(problem, island, impulse)
            if rubs == 1:
                sweep(problem, island, sweeps, 0.1 * small)
                off = lawlessness(problem, island, impulse)
            if off < least:
                least = off
                keep(problem, island)
        elif patience > 0:
            patience -= 1
        elif before > 0.0 and off > LITTLE * before and off > near and lead_on(problem, island, off, before) == 1:
            before = 0.0
        else:
            failed *= EASES
            soft, before = maximum(maximum(DOWN * soft, FIRM), OVER * failed), off
    restart(problem, island, problem.best)
    return least


@kernel
def keep(problem: ConeProblem, island: i64) -> None:
    """Λ of an island is the best so far."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
            problem.best[i] = problem.impulse[i]


@kernel
def solve_cones(problem: ConeProblem) -> None:
    """Λ, and by how much the laws are not met."""
    begin(problem)
    problem.off, problem.rounds, problem.steps, problem.convex = 0.0, 0, 0, 0
    if problem.scale == 0.0:
        for i in range(problem.rows):
            problem.impulse[i] = 0.0
        return
    for island in range(problem.islands):
        if is_idle(problem, island) == 0:
            problem.off = maximum(problem.off, divide(solve_island(problem, island), problem.scale))

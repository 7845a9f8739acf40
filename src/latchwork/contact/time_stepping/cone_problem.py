"""The cone problem as a record: impulses of many contacts over a time step, by complementarity with Coulomb's cones.

    w = G ξ + b,  ξ = Gᵀ Λ,    0 ≤ Λ_n − least ⟂ w_n ≥ 0,    |Λ_t| ≤ μ Λ_n,  Λ_t = −μ Λ_n w_t/|w_t| where w_t ≠ 0

Rows: normal, tangents of each contact in turn. G are the rows of the contacts in speeds ξ whose inertia is one, so that
A = G Gᵀ is Delassus' operator; it is never formed. Speeds come in blocks, which only contacts couple (free bodies,
mechanisms); a contact touches the blocks that its row names, and has no entries elsewhere. The same as a fixed point:
Λ = proj(Λ − w/ρ)  [Alart and Curnier 1991].
"""

from __future__ import annotations

from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, offset, sqrt
from latchwork.program.records.record import array, record
from latchwork.program.scalar import maximum


@record
class ConeProblem:
    """The question, the answer, and room to work in; a problem may have fewer contacts than there is room for."""

    most_contacts: i64
    most_rows: i64
    most_touched: i64  # blocks of all contacts together
    most_entries: i64  # of G
    n: i64  # speeds
    blocks: i64
    block_start: i64p = array("blocks + 1")  # the first speed of each block
    # the question
    contacts: i64
    tangents: i64p = array("most_contacts")  # 0, 1 or 2 of each contact
    mu: f64p = array("most_contacts")
    least: f64p = array("most_contacts")  # of each normal impulse: not below 0
    fixed: i64p = array("most_contacts")  # 1 where the normal impulse is ``least``, whatever the velocity
    touch_at: i64p = array("most_contacts + 1")  # where the blocks of a contact begin in ``touched``
    touched: i64p = array("most_touched")
    entry_at: i64p = array("most_contacts + 1")  # where its rows begin in G: each over all speeds of its blocks
    G: f64p = array("most_entries")
    b: f64p = array("most_rows")
    idle: f64  # islands in which nothing approaches faster are left without impulses
    # the answer
    impulse: f64p = array("most_rows")  # before: a guess of it
    off: f64  # by how much the laws are not met, as a part of the velocities at hand
    rounds: i64  # proximal problems that were solved
    steps: i64  # of Newton's method
    convex: i64  # how often convex problems had to lead on
    # what follows from the question
    rows: i64
    scale: f64  # the velocities at hand
    longest: f64  # row of G
    soft: f64  # R, as a part of it
    kind: i64  # the projection
    first: i64p = array("most_contacts")  # the normal row of each contact
    wide: i64p = array("most_contacts")  # entries of each of its rows
    column_at: i64p = array("most_contacts")  # where its speeds begin in ``column``
    column: i64p = array("most_entries")  # the speeds of every contact, in the order of elimination
    cross: f64p = array("2 * most_contacts")  # A between the normal and each tangent
    rho: f64p = array("most_rows")  # A_ii, or a bound of it over two tangents
    along_w: f64p = array("most_rows")  # 1/ρ: how far Λ goes along w; 0 where nothing moves
    R: f64p = array("most_contacts")  # the proximal term
    stiff: f64p = array("most_contacts")  # and over it
    # islands: blocks and contacts in the order of elimination
    islands: i64
    island_block: i64p = array("blocks + 1")
    island_contact: i64p = array("blocks + 1")
    order: i64p = array("blocks")
    listed: i64p = array("most_contacts")
    visited: i64p = array("blocks")
    degree: i64p = array("blocks")
    meets: i64p = array("blocks + 1")  # where the contacts of a block begin in ``met``
    met: i64p = array("most_touched")
    place: i64p = array("blocks")  # of the first speed of a block, in the order of elimination
    # the profile of H: columns from ``left`` on of each row
    left: i64p = array("n + 1")
    row_at: i64p = array("n + 1")
    L: f64p = array("n * (n + 1) // 2")
    U: f64p = array("n * (n + 1) // 2")
    # room
    w: f64p = array("most_rows")
    y: f64p = array("most_rows")
    center: f64p = array("most_rows")  # of the proximal term
    shift: f64p = array("most_contacts")  # of the normal velocity
    best: f64p = array("most_rows")
    D: f64p = array("9 * most_contacts")  # ∂Λ/∂y of each contact
    region: i64p = array("most_contacts")  # where in its cone each stands, and where it stood when H was factored
    factored: i64p = array("most_contacts")
    stood: i64p = array("most_contacts")  # and after the proximal problem before
    xi: f64p = array("n")
    trial: f64p = array("n")
    F: f64p = array("n")
    step: f64p = array("n")
    slope: f64p = array("most_rows")
    trial_impulse: f64p = array("most_rows")


@kernel
def row_of(problem: ConeProblem, c: i64, i: i64) -> f64p:
    """The entries of a row of a contact, over the speeds of its blocks."""
    return offset(problem.G, problem.entry_at[c] + i * problem.wide[c])


@kernel
def velocity(problem: ConeProblem, c: i64, xi: f64p) -> tuple[f64, f64, f64]:
    """``G ξ`` of the normal and of two tangents of a contact; 0 for tangents that it does not have. Two sums each, so
    that half of them waits for the other half only."""
    wide, column, tangents = problem.wide[c], offset(problem.column, problem.column_at[c]), problem.tangents[c]
    g, n, s, t, n_odd, s_odd, t_odd, j = offset(problem.G, problem.entry_at[c]), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    even = wide - wide % 2
    if tangents == 0:
        while j < even:
            n += g[j] * xi[column[j]]
            n_odd += g[j + 1] * xi[column[j + 1]]
            j += 2
        if j < wide:
            n += g[j] * xi[column[j]]
    elif tangents == 1:
        one = offset(g, wide)
        while j < even:
            x, y = xi[column[j]], xi[column[j + 1]]
            n += g[j] * x
            s += one[j] * x
            n_odd += g[j + 1] * y
            s_odd += one[j + 1] * y
            j += 2
        if j < wide:
            x = xi[column[j]]
            n += g[j] * x
            s += one[j] * x
    else:
        one, other = offset(g, wide), offset(g, 2 * wide)
        while j < even:
            x, y = xi[column[j]], xi[column[j + 1]]
            n += g[j] * x
            s += one[j] * x
            t += other[j] * x
            n_odd += g[j + 1] * y
            s_odd += one[j + 1] * y
            t_odd += other[j + 1] * y
            j += 2
        if j < wide:
            x = xi[column[j]]
            n += g[j] * x
            s += one[j] * x
            t += other[j] * x
    return n + n_odd, s + s_odd, t + t_odd


@kernel
def push(problem: ConeProblem, c: i64, n: f64, s: f64, t: f64, xi: f64p) -> None:
    """``ξ ← ξ + Gᵀ Λ`` of a contact, Λ along its normal and two tangents."""
    wide, column = problem.wide[c], offset(problem.column, problem.column_at[c])
    g, tangents = offset(problem.G, problem.entry_at[c]), problem.tangents[c]
    one, other = offset(g, wide), offset(g, 2 * wide)
    if tangents == 0:
        for j in range(wide):
            xi[column[j]] += g[j] * n
    elif tangents == 1:
        for j in range(wide):
            xi[column[j]] += g[j] * n + one[j] * s
    else:
        for j in range(wide):
            xi[column[j]] += g[j] * n + (one[j] * s + other[j] * t)


@kernel
def push_all(problem: ConeProblem, c: i64, sign: f64, impulse: f64p, xi: f64p) -> None:
    """``ξ ← ξ ± Gᵀ Λ`` of a contact."""
    first, tangents = problem.first[c], problem.tangents[c]
    n = sign * impulse[first]
    s = sign * impulse[first + 1] if tangents > 0 else 0.0
    t = sign * impulse[first + 2] if tangents > 1 else 0.0
    if n != 0.0 or s != 0.0 or t != 0.0:
        push(problem, c, n, s, t, xi)


@kernel
def island_size(problem: ConeProblem, island: i64) -> i64:
    """How many speeds an island has; they come first in ξ while it is solved."""
    total = 0
    for k in range(problem.island_block[island], problem.island_block[island + 1]):
        block = problem.order[k]
        total += problem.block_start[block + 1] - problem.block_start[block]
    return total


@kernel
def spread(problem: ConeProblem, island: i64, impulse: f64p, xi: f64p) -> None:
    """``ξ = Gᵀ Λ`` of an island."""
    for i in range(island_size(problem, island)):
        xi[i] = 0.0
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        push_all(problem, problem.listed[k], 1.0, impulse, xi)


@kernel
def put_velocity(problem: ConeProblem, c: i64, xi: f64p, out: f64p) -> None:
    """``G ξ`` of a contact, row by row."""
    first, tangents = problem.first[c], problem.tangents[c]
    n, s, t = velocity(problem, c, xi)
    out[first] = n
    if tangents > 0:
        out[first + 1] = s
    if tangents > 1:
        out[first + 2] = t


@kernel
def times_A(problem: ConeProblem, impulse: f64p, out: f64p) -> None:
    """``A Λ``, once the problem was begun."""
    for island in range(problem.islands):
        spread(problem, island, impulse, problem.trial)
        for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
            put_velocity(problem, problem.listed[k], problem.trial, out)


@kernel
def take_velocities(problem: ConeProblem, island: i64, xi: f64p) -> None:
    """``w = G ξ + b`` of an island."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        put_velocity(problem, c, xi, problem.w)
        for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
            problem.w[i] += problem.b[i]


@kernel
def unmet(problem: ConeProblem, island: i64, impulse: f64p) -> f64:
    """By how much, as a velocity, the laws are not met in an island: ρ |Λ − proj(Λ − w/ρ)|; w is that of Λ."""
    worst = 0.0
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        first, tangents, size = problem.first[c], problem.tangents[c], 0.0
        z = impulse[first] - problem.w[first] * problem.along_w[first]
        n = problem.least[c] if problem.fixed[c] == 1 else maximum(z, problem.least[c])
        worst, limit = maximum(worst, fabs(impulse[first] - n) * problem.rho[first]), problem.mu[c] * n
        for j in range(first + 1, first + 1 + tangents):
            z = impulse[j] - problem.w[j] * problem.along_w[j]
            problem.y[j] = z
            size += z * z
        size = sqrt(size)
        cut = divide(limit, size) if size > limit else 1.0
        for j in range(first + 1, first + 1 + tangents):
            worst = maximum(worst, fabs(impulse[j] - problem.y[j] * cut) * problem.rho[j])
    return worst


@kernel
def lawlessness(problem: ConeProblem, island: i64, impulse: f64p) -> f64:
    """The same, ξ and w taken first."""
    spread(problem, island, impulse, problem.xi)
    take_velocities(problem, island, problem.xi)
    return unmet(problem, island, impulse)

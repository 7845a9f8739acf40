"""The cone problem as a record: impulses of many contacts over a time step, by complementarity with Coulomb's cones.

    w = G ξ + b,  ξ = Gᵀ P,    0 ≤ P_n − least ⟂ w_n ≥ 0,    |P_t| ≤ μ P_n,  P_t = −μ P_n w_t/|w_t| where w_t ≠ 0

Rows: normal, tangents of each contact in turn. G are the rows of the contacts in speeds ξ whose inertia is one, so that
A = G Gᵀ is Delassus' operator; it is never formed. Speeds come in blocks, which only contacts couple (free bodies,
mechanisms); a contact touches the blocks that its row names, and has no entries elsewhere. The same as a fixed point:
P = proj(P − w/ρ)  [Alart and Curnier 1991].
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
    P: f64p = array("most_rows")  # before: a guess of it
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
    along_w: f64p = array("most_rows")  # 1/ρ: how far P goes along w; 0 where nothing moves
    R: f64p = array("most_contacts")  # the proximal term
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
    D: f64p = array("9 * most_contacts")  # ∂P/∂y of each contact
    region: i64p = array("most_contacts")  # where in its cone each stands, and where it stood when H was factored
    factored: i64p = array("most_contacts")
    xi: f64p = array("n")
    trial: f64p = array("n")
    F: f64p = array("n")
    step: f64p = array("n")
    slope: f64p = array("most_rows")
    trial_P: f64p = array("most_rows")


@kernel
def row_of(problem: ConeProblem, c: i64, i: i64) -> f64p:
    """The entries of a row of a contact, over the speeds of its blocks."""
    return offset(problem.G, problem.entry_at[c] + i * problem.wide[c])


@kernel
def along(problem: ConeProblem, c: i64, i: i64, xi: f64p) -> f64:
    """``G ξ`` in one row of a contact; ξ in the order of elimination."""
    wide, column, total = problem.wide[c], offset(problem.column, problem.column_at[c]), 0.0
    g = offset(problem.G, problem.entry_at[c] + i * wide)
    for j in range(wide):
        total += g[j] * xi[column[j]]
    return total


@kernel
def push(problem: ConeProblem, c: i64, i: i64, P: f64, xi: f64p) -> None:
    """``ξ ← ξ + Gᵀ P`` of one row of a contact."""
    wide, column = problem.wide[c], offset(problem.column, problem.column_at[c])
    g = offset(problem.G, problem.entry_at[c] + i * wide)
    for j in range(wide):
        xi[column[j]] += g[j] * P


@kernel
def island_size(problem: ConeProblem, island: i64) -> i64:
    """How many speeds an island has; they come first in ξ while it is solved."""
    total = 0
    for k in range(problem.island_block[island], problem.island_block[island + 1]):
        block = problem.order[k]
        total += problem.block_start[block + 1] - problem.block_start[block]
    return total


@kernel
def spread(problem: ConeProblem, island: i64, P: f64p, xi: f64p) -> None:
    """``ξ = Gᵀ P`` of an island."""
    for i in range(island_size(problem, island)):
        xi[i] = 0.0
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(1 + problem.tangents[c]):
            if P[problem.first[c] + i] != 0.0:
                push(problem, c, i, P[problem.first[c] + i], xi)


@kernel
def times_A(problem: ConeProblem, P: f64p, out: f64p) -> None:
    """``A P``, once the problem was begun."""
    for island in range(problem.islands):
        spread(problem, island, P, problem.trial)
        for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
            c = problem.listed[k]
            for i in range(1 + problem.tangents[c]):
                out[problem.first[c] + i] = along(problem, c, i, problem.trial)


@kernel
def lawlessness(problem: ConeProblem, island: i64, P: f64p) -> f64:
    """By how much, as a velocity, the laws are not met in an island: ρ |P − proj(P − w/ρ)|; ξ and w are those of P."""
    worst, z = 0.0, problem.y
    spread(problem, island, P, problem.xi)
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        first, size = problem.first[c], 0.0
        for i in range(1 + problem.tangents[c]):
            w = along(problem, c, i, problem.xi) + problem.b[first + i]
            problem.w[first + i] = w
            z[first + i] = P[first + i] - w * problem.along_w[first + i]
            size += z[first + i] * z[first + i] if i > 0 else 0.0
        n = problem.least[c] if problem.fixed[c] == 1 else maximum(z[first], problem.least[c])
        worst = maximum(worst, fabs(P[first] - n) * problem.rho[first])
        size, limit = sqrt(size), problem.mu[c] * n
        cut = divide(limit, size) if size > limit else 1.0
        for j in range(first + 1, first + 1 + problem.tangents[c]):
            worst = maximum(worst, fabs(P[j] - z[j] * cut) * problem.rho[j])
    return worst

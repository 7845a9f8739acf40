"""Laws for several contacts at once: complementarity with the ratio of speeds or of impulses that they ask for.

    newton, smith   0 ≤ Λ_n ⟂ v_n⁺ + e min(v_n⁻, 0) ≥ 0                        a ratio of speeds  [Moreau 1988]
    poisson         Λ_n = (1 + e) Λ_cn,   0 ≤ Λ_cn ⟂ v_cn ≥ 0                   a ratio of impulses
    energetic       that of impulses, with the least e of those that push

Compression is that of Glocker and Pfeiffer (1995); in restitution they let contacts part from each other sooner. With
friction in proportion the velocity would move on a straight line through the end of compression, on which all three
ratios are one, and with ½ Λᵀ(v⁻ + v⁺) ≤ −½ (1 − e²) |Λ_cᵀ v⁻|; friction that loses most loses more, and does not turn
back what it has stopped.
"""

from __future__ import annotations

from latchwork.algebra.products import length
from latchwork.contact.impact.alart_curnier import scale_group, solve_scaled
from latchwork.contact.impact.dissipation import rubbed
from latchwork.contact.impact.laws import gained
from latchwork.contact.impact.notes import note_group
from latchwork.contact.impact.problem import ImpactLaw, ImpactProblem, NoteCode, Status
from latchwork.contact.impact.tolerances import ENERGY_FLOOR
from latchwork.program.kernel import divide, f64, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum

EDGE = 1e-9  # this near the edge of its cone a contact may slip
SLOW = 1e-9  # of the fastest speed: slower slip is none

NEWTON, POISSON, ENERGETIC = int(ImpactLaw.NEWTON), int(ImpactLaw.POISSON), int(ImpactLaw.ENERGETIC)
RESOLVED, UNYIELDING = int(Status.RESOLVED), int(Status.UNYIELDING)
GAINS, NO_SLIP, SMOOTH = int(NoteCode.GAINS_AT_ONCE), int(NoteCode.NO_SLIP_AT_ONCE), int(NoteCode.SMOOTH_AT_ONCE)


@kernel
def group_up(problem: ImpactProblem) -> None:
    """The part of an impact that belongs to the ``members``: their rows, W and v."""
    n, rows = 0, problem.rows
    for c in range(problem.members):
        i = problem.member[c]
        problem.group_first[c] = n
        for j in range(1 + problem.tangents[i]):
            problem.group_row[n] = problem.first[i] + j
            n += 1
    problem.group_rows = n
    for i in range(n):
        row = problem.group_row[i]
        problem.group_v[i] = problem.now[row]
        for j in range(n):
            problem.group_W[i * n + j] = problem.W[row * rows + problem.group_row[j]]


@kernel
def slips(problem: ImpactProblem, c: i64) -> i64:
    """1 where a contact of the group is at the edge of its cone, and what was ``found`` leaves it slipping."""
    n, row, tangents, square = problem.group_rows, problem.group_first[c], problem.tangents[problem.member[c]], 0.0
    edge = problem.mu[c] * problem.found[row] * (1.0 - EDGE)
    if not edge > 0.0 or length(tangents, offset(problem.found, row + 1)) < edge:
        return 0
    for i in range(row + 1, row + 1 + tangents):
        after = problem.group_v[i]
        for j in range(n):
            after += problem.group_W[i * n + j] * problem.found[j]
        square += after * after
    return 1 if sqrt(square) > SLOW * problem.fastest else 0


@kernel
def coulombs(problem: ImpactProblem) -> i64:
    """``found`` with v_n⁺ ≥ ``least``: each contact sticks within the cone of μ_s, or slips with μ_d; 0 for none."""
    for c in range(problem.members):
        problem.mu[c] = problem.mu_s[problem.member[c]]
    for _ in range(problem.members + 1):
        if solve_scaled(problem) == 0:
            return 0
        slower = 0
        for c in range(problem.members):
            i = problem.member[c]
            if problem.mu[c] != problem.mu_d[i] and slips(problem, c) == 1:
                problem.mu[c], slower = problem.mu_d[i], 1
        if slower == 0:
            break
    return 1


@kernel
def press(problem: ImpactProblem) -> i64:
    """``pressed`` with 0 ≤ Λ_n ⟂ v_n⁺ ≥ 0, without friction where there is none with it. It never gains: Λᵀv⁺ ≤ 0.
    Gives 1 where friction acted, 0 where it did not, −1 where no impulses part the contacts."""
    rough = 1
    for c in range(problem.members):
        problem.least[c] = 0.0
    scale_group(problem)
    if coulombs(problem) == 0:
        rough = 0
        for c in range(problem.members):
            problem.mu[c] = 0.0
        if solve_scaled(problem) == 0:
            return -1
    for i in range(problem.group_rows):
        problem.pressed[i] = problem.found[i]
    return rough


@kernel
def by_speeds(problem: ImpactProblem) -> i64:
    """Newton's law at once: 0 ≤ Λ_n ⟂ v_n⁺ + e v_n⁻ ≥ 0 where it approaches, v_n⁺ ≥ 0 elsewhere."""
    for c in range(problem.members):
        v_n = problem.group_v[problem.group_first[c]]
        problem.least[c] = problem.lively[problem.member[c]] * maximum(0.0, -v_n)
    scale_group(problem)
    return coulombs(problem)


@kernel
def by_impulses(problem: ImpactProblem, same: i64, e: f64) -> None:
    """Poisson's law at once: Λ_n = (1 + e) Λ_c at each contact, and friction in restitution that loses most.

    e is that of each contact, or the ``same`` for all. What stuck in compression may use as much of its cone again: the
    start is then within, and energy can only fall.
    """
    n, v = problem.group_rows, problem.step
    for c in range(problem.members):
        i, row = problem.member[c], problem.group_first[c]
        ratio, used = e if same == 1 else problem.lively[i], 0.0
        if problem.pressed[row] > 0.0:
            used = divide(length(problem.tangents[i], offset(problem.pressed, row + 1)), problem.pressed[row])
        problem.mu[c] = maximum(problem.mu_d[i], used)
        for r in range(row, row + 1 + problem.tangents[i]):
            problem.again[r] = ratio * problem.pressed[r]
    for i in range(n):
        v[i] = problem.group_v[i]
        for j in range(n):
            v[i] += problem.group_W[i * n + j] * problem.pressed[j]
    rubbed(problem, v, problem.again)
    for i in range(n):
        problem.found[i] = problem.pressed[i] + problem.again[i]


@kernel
def most_careful(problem: ImpactProblem) -> i64:
    """The law of a group: the most careful of those of its contacts."""
    law = NEWTON
    for c in range(problem.members):
        asked = problem.law[problem.member[c]]
        if asked == ENERGETIC or (asked == POISSON and law == NEWTON):
            law = asked
    return law


@kernel
def several(problem: ImpactProblem) -> tuple[i64, i64]:
    """``found``: the ``members`` at once, by the most careful of their laws; by one that cannot gain energy where it
    would. Gives a status and the law that acted."""
    group_up(problem)
    law, n = most_careful(problem), problem.group_rows
    floor = ENERGY_FLOOR * divide(problem.fastest * problem.fastest, problem.largest)
    lawful = 0
    if law == NEWTON:
        lawful = by_speeds(problem)
    if lawful == 0:
        rough = press(problem)
        if rough < 0:
            return UNYIELDING, law
        if rough == 0:
            note_group(problem, SMOOTH, law, 0.0)
        elif law == NEWTON:
            note_group(problem, NO_SLIP, law, 0.0)
        elif law == POISSON:
            by_impulses(problem, 0, 0.0)
            lawful = 1
    if lawful == 1:
        energy = gained(n, problem.group_W, problem.group_v, problem.found, floor)
        if energy == 0.0:
            return RESOLVED, law
        note_group(problem, GAINS, law, energy)
        rough = press(problem) if law == NEWTON else 1
        if rough < 0:
            return UNYIELDING, law
        if rough == 0:
            note_group(problem, SMOOTH, law, 0.0)
    e, pushes = 1.0, 0
    for c in range(problem.members):
        if problem.pressed[problem.group_first[c]] > 0.0:
            own = problem.lively[problem.member[c]]
            e, pushes = own if pushes == 0 else minimum(e, own), 1
    by_impulses(problem, 1, e if pushes == 1 else 0.0)
    return RESOLVED, ENERGETIC

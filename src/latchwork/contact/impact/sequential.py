"""Impact: contacts of zero gap at one instant, resolved in Kane's impulse-momentum form.

    v⁺ = v⁻ + W Λ,   W = J M̃⁻¹ Jᵀ,   ½ Λᵀ(v⁻ + v⁺) ≤ 0       (constraints are already held in M̃)  [Kane, Levinson 1987]

Several contacts act in one of three ways:
  * in sequence: the one that approaches most strongly (v_n/√W_nn) acts alone, by its law, the others free, also those
    at rest; and so on until none approaches. Those that approach as strongly, and feel nothing of it, act in the same
    round: what is its own mirror image stays so. A blow travels through what rests: Newton's cradle, billiards. A
    sequence that does not end converges; its remainder is finished at once with e = 0, and a note.
  * at once: all contacts that are coupled act together, those at rest as well; none may penetrate. A block that lands
    flat keeps its symmetry.
  * as they come: in sequence, but contacts that approach at the same time and feel each other's impulses act together.
    A block lands flat, a cradle swings, and a ball at the head of a rack moves both behind it.
"""

from __future__ import annotations

from latchwork.contact.impact.laws import AS_ASKED, ENERGETIC, NEWTON, act_alone
from latchwork.contact.impact.notes import add_note, note_group
from latchwork.contact.impact.problem import NO_LAW, ImpactProblem, NoteCode, Order, Status
from latchwork.contact.impact.simultaneous import group_up, press, several
from latchwork.contact.impact.tolerances import COUPLED, ENERGY_FLOOR, IMMOVABLE, REST
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, local_f64, sqrt
from latchwork.program.scalar import maximum

ROUNDS = 200  # acts of a sequence, for each contact, before what is left is taken up at once
TIE = 1e-12  # approaches that differ less, as a part of themselves, are equally strong
EQUAL = 1e-9  # and as strong as each other where they feel nothing of each other
PARTING_SPEED = 1e-13  # of the fastest: what parts slower than this does not part
DEAR = 5  # so many of them for an act of several at once

RESOLVED, BLOCKED, UNYIELDING = int(Status.RESOLVED), int(Status.BLOCKED), int(Status.UNYIELDING)
NOT_FINITE, NO_ROOM = int(Status.NOT_FINITE), int(Status.NO_ROOM)
WEDGED, SMOOTH, UNENDING = int(NoteCode.WEDGED), int(NoteCode.SMOOTH_AT_ONCE), int(NoteCode.UNENDING)
IN_SEQUENCE, AT_ONCE = int(Order.IN_SEQUENCE), int(Order.AT_ONCE)


@kernel
def is_finite(n: i64, x: f64p) -> i64:
    """1 where all numbers are."""
    for i in range(n):
        if x[i] - x[i] != 0.0:
            return 0
    return 1


@kernel
def begin_impact(problem: ImpactProblem) -> i64:
    """Nothing has acted yet; a status."""
    k, rows, row = problem.contacts, problem.rows, 0
    if k > problem.most_contacts or rows > problem.most_rows:
        return NO_ROOM
    problem.notes, problem.groups, problem.members, problem.blocked, problem.energy = 0, 0, 0, -1, 0.0
    problem.largest, problem.fastest = 0.0, 0.0
    for i in range(k):
        problem.first[i], problem.acted[i] = row, NO_LAW
        row += 1 + problem.tangents[i]
    for i in range(rows):
        problem.impulses[i], problem.after[i] = 0.0, problem.v[i]
        problem.fastest = maximum(problem.fastest, fabs(problem.v[i]))
        problem.largest = maximum(problem.largest, problem.W[i * rows + i])
    coefficients = is_finite(k, problem.e) + is_finite(k, problem.mu_s) + is_finite(k, problem.mu_d)
    if is_finite(rows * rows, problem.W) + is_finite(rows, problem.v) + coefficients < 5:
        return NOT_FINITE
    return RESOLVED


@kernel
def speeds_after(problem: ImpactProblem, v: f64p) -> None:
    """v⁻ + W Λ."""
    rows = problem.rows
    for i in range(rows):
        change = 0.0
        for j in range(rows):
            change += problem.W[i * rows + j] * problem.impulses[j]
        v[i] = problem.v[i] + change


@kernel
def is_movable(problem: ImpactProblem, i: i64) -> i64:
    """1 where an impulse along the normal changes its speed."""
    row = problem.first[i]
    return 1 if problem.W[row * problem.rows + row] > IMMOVABLE * problem.largest else 0


@kernel
def are_coupled(problem: ImpactProblem, a: i64, b: i64) -> i64:
    """1 where an impulse at one contact changes the velocity of the other."""
    rows, own_a, own_b, most = problem.rows, 0.0, 0.0, 0.0
    a_first, a_end = problem.first[a], problem.first[a] + 1 + problem.tangents[a]
    b_first, b_end = problem.first[b], problem.first[b] + 1 + problem.tangents[b]
    for i in range(a_first, a_end):
        own_a = maximum(own_a, problem.W[i * rows + i])
        for j in range(b_first, b_end):
            most = maximum(most, fabs(problem.W[i * rows + j]))
    for j in range(b_first, b_end):
        own_b = maximum(own_b, problem.W[j * rows + j])
    return 1 if most > COUPLED * sqrt(own_a * own_b) else 0


@kernel
def join_coupled(problem: ImpactProblem, first: i64, slow: f64) -> None:
    """``members``: the contacts that feel each other's impulses, from the first on; at once all that can move, else
    those that approach."""
    k, joined, member, found = problem.contacts, problem.joined, problem.member, 1
    for i in range(k):
        comes = problem.at_once == AT_ONCE or problem.now[problem.first[i]] < -slow
        joined[i] = 1 if comes and i != first and is_movable(problem, i) == 1 else 0  # may join
    member[0], looked = first, 0
    while looked < found:
        for j in range(k):
            if joined[j] == 1 and are_coupled(problem, member[looked], j) == 1:
                joined[j], member[found] = 0, j
                found += 1
        looked += 1
    for i in range(k):
        joined[i] = 0
    for c in range(found):
        joined[member[c]] = 1
    at = 0
    for i in range(k):
        if joined[i] == 1:
            member[at] = i
            at += 1
    problem.members = found


@kernel
def next_members(problem: ImpactProblem) -> i64:
    """The ``members`` that act next: none where none approaches; a status."""
    rows, first, strongest, slow = problem.rows, -1, 0.0, REST * problem.fastest
    problem.members = 0
    for i in range(problem.contacts):
        problem.took_part[i] = 0
        row = problem.first[i]
        if problem.now[row] < -slow:
            if is_movable(problem, i) == 0:
                problem.blocked = i
                return BLOCKED
            strength = divide(problem.now[row], sqrt(problem.W[row * rows + row]))
            if first < 0 or strength < strongest * (1.0 + TIE):  # of equals, the first
                first, strongest = i, strength
    problem.strongest = strongest
    if first >= 0:
        join_members(problem, first, slow)
    return RESOLVED


@kernel
def join_members(problem: ImpactProblem, first: i64, slow: f64) -> None:
    """The ``members`` that act with a contact; they take part in this round."""
    problem.member[0], problem.members = first, 1
    if problem.at_once != IN_SEQUENCE:
        join_coupled(problem, first, slow)
    for c in range(problem.members):
        problem.took_part[problem.member[c]] = 1


@kernel
def next_equals(problem: ImpactProblem) -> i64:
    """1 where there are further ``members`` that approach as strongly, and feel nothing of what acted in this round."""
    rows, slow = problem.rows, REST * problem.fastest
    for i in range(problem.contacts):
        row = problem.first[i]
        if problem.took_part[i] == 0 and problem.now[row] < -slow:
            strength = divide(problem.now[row], sqrt(problem.W[row * rows + row]))
            equal = strength <= problem.strongest * (1.0 - EQUAL)
            for j in range(problem.contacts):
                if problem.took_part[j] == 1 and are_coupled(problem, i, j) == 1:
                    equal = False
            if equal:
                join_members(problem, i, slow)
                return 1
    return 0


@kernel
def act_of_one(problem: ImpactProblem, i: i64, law: i64, v: f64p, e: f64) -> i64:
    """``part``: contact i by its law, and notes where another acted; the law that did."""
    row, rows, n = problem.first[i], problem.rows, 1 + problem.tangents[i]
    own, here, impulse = local_f64(9), local_f64(3), local_f64(3)
    floor = ENERGY_FLOOR * divide(problem.fastest * problem.fastest, problem.largest)
    for a in range(n):
        here[a] = v[row + a]
        for b in range(n):
            own[n * a + b] = problem.W[(row + a) * rows + row + b]
    acted, why, wedged, surplus = act_alone(law, n, own, here, e, problem.mu_s[i], problem.mu_d[i], floor, impulse)
    if why != AS_ASKED:
        add_note(problem, why, i, law, surplus)
    if wedged == 1:
        add_note(problem, WEDGED, i, ENERGETIC, 0.0)
    for a in range(rows):
        problem.part[a] = 0.0
    for a in range(n):
        problem.part[row + a] = impulse[a]
    return acted


@kernel
def take_group(problem: ImpactProblem) -> None:
    """``part`` from what was ``found`` for a group."""
    for i in range(problem.rows):
        problem.part[i] = 0.0
    for i in range(problem.group_rows):
        problem.part[problem.group_row[i]] = problem.found[i]


@kernel
def capture_slow(problem: ImpactProblem, capture: f64) -> i64:
    """How many members the act would part, but slower than ``capture``: their e is zero from now on."""
    rows, count, still = problem.rows, 0, PARTING_SPEED * problem.fastest
    for c in range(problem.members):
        i = problem.member[c]
        row = problem.first[i]
        if problem.part[row] != 0.0 and problem.lively[i] > 0.0:
            change = 0.0
            for j in range(rows):
                change += problem.W[row * rows + j] * problem.part[j]
            parts = problem.now[row] + change
            if parts > still and parts < capture:
                problem.lively[i] = 0.0
                count += 1
    return count


@kernel
def add_part(problem: ImpactProblem, law: i64) -> None:
    """What ``part`` adds to the impulses, by a law."""
    for i in range(problem.rows):
        problem.impulses[i] += problem.part[i]
    for c in range(problem.members):
        if problem.part[problem.first[problem.member[c]]] != 0.0:
            problem.acted[problem.member[c]] = law


@kernel
def act_of_members(problem: ImpactProblem, capture: f64) -> i64:
    """One act of the ``members``; those that it would part slower than ``capture`` act again with e = 0; a status."""
    notes, law, status = problem.notes, NEWTON, RESOLVED
    for i in range(problem.contacts):
        problem.lively[i] = problem.e[i]
    for _ in range(1 + problem.members):
        problem.notes = notes
        if problem.members == 1:
            i = problem.member[0]
            law = act_of_one(problem, i, problem.law[i], problem.now, problem.lively[i])
        else:
            status, law = several(problem)
            if status != RESOLVED:
                return status
            take_group(problem)
        if capture_slow(problem, capture) == 0:
            break
    add_part(problem, law)
    return RESOLVED


@kernel
def take_up_rest(problem: ImpactProblem) -> i64:
    """What a sequence that does not end leaves, at once and with e = 0; a status."""
    problem.members, left = 0, 0.0
    for i in range(problem.contacts):
        if is_movable(problem, i) == 1:
            problem.member[problem.members] = i
            problem.members += 1
            left = maximum(left, -problem.now[problem.first[i]])
    group_up(problem)
    rough = press(problem)
    if rough < 0:
        return UNYIELDING
    if rough == 0:
        note_group(problem, SMOOTH, NEWTON, 0.0)
    add_note(problem, UNENDING, 0, NEWTON, left)
    for i in range(problem.group_rows):
        problem.found[i] = problem.pressed[i]
    take_group(problem)
    add_part(problem, NEWTON)
    return RESOLVED


@kernel
def conclude_impact(problem: ImpactProblem) -> i64:
    """v⁺ and ½ Λᵀ(v⁻ + v⁺) from the impulses; a status."""
    speeds_after(problem, problem.after)
    problem.energy = 0.0
    for i in range(problem.rows):
        problem.energy += 0.5 * problem.impulses[i] * (problem.v[i] + problem.after[i])
    return RESOLVED if is_finite(problem.rows, problem.impulses) == 1 else NOT_FINITE


@kernel
def finish_impact(problem: ImpactProblem, capture: f64) -> i64:
    """Acts, one after the other, until nothing approaches; what comes out of them; a status."""
    left = ROUNDS * problem.contacts
    while True:
        speeds_after(problem, problem.now)
        status = next_members(problem)
        if status == RESOLVED and problem.members > 0:
            status = act_of_members(problem, capture) if left > 0 else take_up_rest(problem)
            while status == RESOLVED and left > 0 and next_equals(problem) == 1:
                status = act_of_members(problem, capture)
        if status != RESOLVED:
            return status
        if problem.members == 0 or left <= 0:
            break
        left -= 1 if problem.members == 1 else DEAR
    return conclude_impact(problem)


@kernel
def resolve_impact(problem: ImpactProblem) -> i64:
    """The impulses of an impact by the law of each contact; a contact that would part slower than ``capture`` does not.
    A status.

    Where a law would gain energy, as Newton's may with friction, the energetic law acts instead, and a note says so.
    """
    status = begin_impact(problem)
    return finish_impact(problem, problem.capture) if status == RESOLVED else status

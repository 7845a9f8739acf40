"""The contact problem as a record: what is asked about contacts that touch at one state, what is answered, and room.

    a = A λ + b,    A = J M̃⁻¹ Jᵀ;    rows: normal, tangents of each contact in turn

All other constraints are already eliminated from A and b. A is symmetric and not negative where all rows are those
of contacts. Friction of a joint, whose limits are given, is a contact as well, pressed by the limit itself
(`press_fixed`); so is what resists turns, pressed by κ N of another contact: with its row a = A_tt (λ − κ N) A is not
symmetric (`press_turns` in `hybrid/contacts/reset_problem.py`). A record has room for so many contacts and rows; a
problem in it may have fewer. `solve_contact_problem` solves it. Inside, the problem is without units,

    λ = beta s λ',    s a = beta a',    so that A' = s A s is 1 and b' is 1 at most,

with one number s for each contact, the root of an effective mass, so that cones of friction stay as they are.
"""

from __future__ import annotations

from enum import IntEnum

from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, sqrt
from latchwork.program.records.record import array, record
from latchwork.program.scalar import maximum


class State(IntEnum):
    """What a contact does next."""

    OPEN = 0
    SLIDE = 1
    STICK = 2


class Status(IntEnum):
    """How a contact problem ends."""

    SOLVED = 0
    JAMMED = 1  # contacts that slide can neither stay closed nor open: no finite force holds them
    UNSETTLED = 2  # no set of states was found
    NOT_FINITE = 3  # A or b
    NO_ROOM = 4  # more contacts or rows than the record has room for


class Note(IntEnum):
    """What is to be known of one contact of an answer; codes add up."""

    STICKS_AFTER_ALL = 1  # it was to slide and sticks: others changed in the same moment
    PRESSES_KEPT = 2  # friction presses, so that to slide on and to open are both lawful; the present states are kept
    PRESSES_OPENS = 4  # the same; the answer that opens is taken
    JAMS = 8  # it slides, and can neither stay closed nor open


OPEN, SLIDE, STICK = map(int, State)
SOLVED, JAMMED, UNSETTLED, NOT_FINITE, NO_ROOM = map(int, Status)
STICKS_AFTER_ALL, PRESSES_KEPT, PRESSES_OPENS, JAMS = map(int, Note)
NONE, GIVEN, FREE = range(3)  # directions of a choice
TRIED, START, PATH, KEPT, FOUND = range(5)  # sets of choices, with their forces and accelerations
SETS = 5
CHANGES = 12  # sets of states tried before Lemke's method, for a few contacts
PLANES = "(9 * most_rows + 40)"  # room in a linear program: a contact in space has 17 of them, and cuts
SIDES = "(9 * most_rows + 40 + most_contacts)"
PAIRS = "(10 * most_rows // 3 + 1)"  # 1, 4 or 10 of a contact with 0, 1 or 2 tangents


@record
class Choice:
    """A state tried for one contact; its direction is none, given, or ``FREE`` to follow from the acceleration."""

    state: i64
    direction: i64
    x: f64
    y: f64


@record
class ContactProblem:
    """Contacts whose gaps and normal velocities are zero: the question, the answer, and room to work in."""

    most_contacts: i64
    most_rows: i64
    # the question
    contacts: i64
    rows: i64  # of all of them: written by the kernels
    tangents: i64p = array("most_contacts")  # 0, 1 or 2 orthonormal ones of each contact
    A: f64p = array("most_rows * most_rows")  # (rows, rows), row by row
    b: f64p = array("most_rows")  # free relative accelerations, velocity terms included
    mu_s: f64p = array("most_contacts")
    mu_d: f64p = array("most_contacts")  # not above mu_s
    fixed: i64p = array("most_contacts")  # 1 where mu_s and mu_d are limits of the force itself: see `press_fixed`
    slips: i64p = array("most_contacts")  # 1 where the slip velocity is not zero
    slip: f64p = array("2 * most_contacts")  # its unit direction there
    must_slip: i64p = array("most_contacts")  # 1 where it has just left its cone
    onset: f64p = array("2 * most_contacts")  # how it begins to slide there
    guess: i64p = array("most_contacts")  # the present states; only whether they are open is read
    # the answer; `feasible` and `hold_on` read states and directions here
    state: i64p = array("most_contacts")
    directed: i64p = array("most_contacts")  # 1 where it slides with friction
    direction: f64p = array("2 * most_contacts")  # of the slip, there
    lam: f64p = array("most_rows")
    a: f64p = array("most_rows")
    note: i64p = array("most_contacts")  # codes of `Note`
    tries: i64  # sets of states, and pivots
    # without units
    first: i64p = array("most_contacts + 1")  # row of each contact, and behind the last
    W: f64p = array("most_rows * most_rows")
    y: f64p = array("most_rows")
    s: f64p = array("most_rows")
    beta: f64
    calm: i64  # 1 where ``must_slip`` is left out of account
    unended: i64  # 1 where a linear program did not end, so that it is not known whether there is a share
    # sets of choices, one after the other
    choices: list[Choice] = array(f"{SETS} * most_contacts")
    instead: list[Choice] = array("most_contacts")  # what contacts that break their laws should do; else state −1
    force: f64p = array(f"{SETS} * most_rows")
    motion: f64p = array(f"{SETS} * most_rows")
    spare: i64  # 1 where forces are not the only ones
    seen: i64p = array(f"{CHANGES} * most_contacts")  # choices tried before, told apart
    # linear systems
    unknown: i64p = array("most_rows")  # rows of a that vanish
    S: f64p = array("(most_rows + most_contacts) * (most_rows + most_contacts)")
    tau: f64p = array("most_rows + most_contacts")
    turned: f64p = array("most_rows + most_contacts")
    order: f64p = array("most_rows + most_contacts")
    right: f64p = array("most_rows + most_contacts")
    x: f64p = array("most_rows + most_contacts")
    step: f64p = array("most_rows + most_contacts")
    trial: f64p = array("most_rows + most_contacts")
    pressed: i64p = array("most_contacts")
    # linear programs over the forces that are not unique
    base: f64p = array("most_rows")  # λ of least norm
    spread: f64p = array("most_rows * most_rows")  # a λ in each row, of those that change no acceleration
    margin: f64p = array("most_contacts")
    plane: f64p = array(f"3 * {PLANES}")
    plane_of: i64p = array(PLANES)
    g: f64p = array(PLANES)
    H: f64p = array(f"{PLANES} * most_rows")
    w: f64p = array(SIDES)
    V: f64p = array(f"{SIDES} * most_rows")
    T: f64p = array(f"(most_rows + 2) * ({SIDES} + most_rows + 3)")
    basis: i64p = array("most_rows + 1")
    z: f64p = array("most_rows + 1")
    # linear complementarity
    owner: i64p = array(PAIRS)  # the contact of each pair
    pull: f64p = array(f"3 * {PAIRS}")  # λ of its contact for one of z
    watch: f64p = array(f"3 * {PAIRS}")  # w of it, from a of its contact
    table: f64p = array(f"{PAIRS} * ({PAIRS} + 3)")
    basic: i64p = array(PAIRS)
    outside: i64p = array(f"{PAIRS} + 1")
    slid: i64p = array("most_contacts")  # 1 where it began to slide with mu_s: mu_d from then on
    aims: i64p = array("most_contacts")  # 1 where directions are narrow about one
    aim: f64p = array("2 * most_contacts")
    digit: i64p = array("most_contacts")  # of a combination of states


@kernel
def set_choice(choice: Choice, state: i64, direction: i64, x: f64, y: f64) -> None:
    """What a contact is to do."""
    choice.state, choice.direction, choice.x, choice.y = state, direction, x, y


@kernel
def copy_choices(problem: ContactProblem, source: i64, target: i64) -> None:
    """One set of choices becomes another."""
    k = problem.contacts
    for i in range(k):
        of = problem.choices[source * k + i]
        set_choice(problem.choices[target * k + i], of.state, of.direction, of.x, of.y)


@kernel
def copy_forces(problem: ContactProblem, source: i64, target: i64) -> None:
    """Forces and accelerations of a set of choices become those of another."""
    n = problem.rows
    for j in range(n):
        problem.force[target * n + j] = problem.force[source * n + j]
        problem.motion[target * n + j] = problem.motion[source * n + j]


@kernel
def is_rough(problem: ContactProblem, i: i64) -> i64:
    """1 where contact i has friction."""
    return 1 if problem.tangents[i] > 0 and problem.mu_s[i] > 0.0 else 0


@kernel
def is_moving(problem: ContactProblem, i: i64) -> i64:
    """1 where friction of contact i has a direction already, or needs none."""
    return 1 if problem.slips[i] == 1 or is_rough(problem, i) == 0 else 0


@kernel
def must_begin(problem: ContactProblem, i: i64) -> i64:
    """1 where contact i has just left its cone."""
    return 1 if problem.must_slip[i] == 1 and problem.calm == 0 else 0


@kernel
def close_contact(problem: ContactProblem, i: i64, choice: Choice) -> None:
    """What contact i does first if it stays closed: slides on, begins to slide where it must, or else sticks."""
    if is_rough(problem, i) == 0:
        set_choice(choice, SLIDE, NONE, 0.0, 0.0)
    elif problem.slips[i] == 1:
        set_choice(choice, SLIDE, GIVEN, problem.slip[2 * i], problem.slip[2 * i + 1])
    elif must_begin(problem, i) == 1:
        set_choice(choice, SLIDE, GIVEN, problem.onset[2 * i], problem.onset[2 * i + 1])
    else:
        set_choice(choice, STICK, NONE, 0.0, 0.0)


@kernel
def tangent_part(problem: ContactProblem, i: i64, v: f64p) -> tuple[f64, f64]:
    """The parts of v along the tangents of contact i, 0 where there is none."""
    at, t = problem.first[i], problem.tangents[i]
    x, y = 0.0, 0.0
    if t > 0:
        x = v[at + 1]
    if t > 1:
        y = v[at + 2]
    return x, y


@kernel
def largest_size(n: i64, v: f64p) -> f64:
    """``max |v_i|``; nan where one is."""
    most = 0.0
    for i in range(n):
        most = maximum(most, fabs(v[i]))
    return most


@kernel
def press_fixed(problem: ContactProblem) -> None:
    """Dry friction with limits of its own, |λ_t| ≤ mu_s: a contact pressed by λ_n = p, with mu_s/p and mu_d/p.

    Its normal row is that of a mass of its own, A_tt, which is pressed by p, and which nothing else moves. p is the
    limit, but no more than the forces at work, as b and what slides tell them: a brake may be far above.
    """
    k, row, n, work = problem.contacts, 0, problem.rows, 0.0
    for i in range(k):
        for j in range(row + problem.fixed[i], row + 1 + problem.tangents[i]):
            own = problem.A[j * n + j]
            work = maximum(work, divide(fabs(problem.b[j]), sqrt(own)) if own > 0.0 else 0.0)
            if problem.fixed[i] == 1 and problem.slips[i] + problem.must_slip[i] > 0:
                work = maximum(work, problem.mu_d[i] * sqrt(maximum(own, 0.0)))
        row += 1 + problem.tangents[i]
    row = 0
    for i in range(k):
        t = problem.tangents[i]
        if problem.fixed[i] == 1:
            limit = problem.mu_s[i] if t > 0 else 0.0
            mass = problem.A[(row + t) * n + row + t] if t > 0 else 1.0
            mass = mass if mass > 0.0 else 1.0
            for j in range(n):
                problem.A[row * n + j], problem.A[j * n + row] = 0.0, 0.0
            at_work = divide(work, sqrt(mass))
            pressed = at_work if at_work > 0.0 and at_work < limit else limit
            problem.A[row * n + row], problem.b[row] = mass, -(mass * pressed)
            if t > 0:
                problem.mu_s[i], problem.mu_d[i] = divide(limit, pressed), divide(problem.mu_d[i], pressed)
        row += 1 + t


@kernel
def first_felt(problem: ContactProblem, i: i64) -> i64:
    """The first row of contact i whose force moves anything: behind that of a limit."""
    return problem.first[i] + problem.fixed[i]


@kernel
def largest_felt(problem: ContactProblem, v: f64p) -> f64:
    """``max |v_i|`` but for rows of limits, which may be far above all forces at work; nan where one is."""
    most = 0.0
    for i in range(problem.contacts):
        for j in range(first_felt(problem, i), problem.first[i + 1]):
            most = maximum(most, fabs(v[j]))
    return most


@kernel
def without_units(problem: ContactProblem) -> i64:
    """First rows, ``W = s A s`` and ``y = s b / beta``; gives a `Status`."""
    k, row, A, b, W, y, s = problem.contacts, 0, problem.A, problem.b, problem.W, problem.y, problem.s
    if k > problem.most_contacts:
        return NO_ROOM
    for i in range(k):
        problem.first[i] = row
        row += 1 + problem.tangents[i]
    if row > problem.most_rows:
        return NO_ROOM
    problem.first[k], problem.rows, problem.calm, problem.unended, n = row, row, 0, 0, row
    for i in range(k):
        mass = 0.0
        for j in range(problem.first[i], problem.first[i + 1]):
            mass = maximum(mass, A[j * n + j])
        root = divide(1.0, sqrt(mass if mass > 0.0 else 1.0))
        for j in range(problem.first[i], problem.first[i + 1]):
            s[j] = root
    total = 0.0
    for i in range(n):
        y[i] = s[i] * b[i]
        total += b[i]
        for j in range(n):
            W[i * n + j] = s[i] * A[i * n + j] * s[j]
            total += A[i * n + j]
    beta = largest_felt(problem, y)
    for i in range(k):
        if problem.fixed[i] == 1 and problem.slips[i] + problem.must_slip[i] > 0:
            beta = maximum(beta, problem.mu_d[i] * fabs(y[problem.first[i]]))
    problem.beta = beta if beta > 0.0 else 1.0
    for i in range(n):
        y[i] = divide(y[i], problem.beta)
    return SOLVED if total - total == 0.0 else NOT_FINITE

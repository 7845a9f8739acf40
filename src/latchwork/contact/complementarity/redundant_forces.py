"""Loads that redundant contacts share: other forces for states that are given, and contacts that slip together.

States and directions are read from the answer of the problem, `ContactProblem.state`, ``directed`` and ``direction``.
"""

from __future__ import annotations

from latchwork.contact.complementarity.active_set import take_forces
from latchwork.contact.complementarity.feasible_forces import ALL, cone_margins, forces_inside
from latchwork.contact.complementarity.open_slide_stick import solve_contact_problem, write_forces
from latchwork.contact.complementarity.problem import (
    FOUND,
    GIVEN,
    NONE,
    OPEN,
    SLIDE,
    SOLVED,
    STICK,
    ContactProblem,
    is_rough,
    largest_felt,
    set_choice,
    tangent_part,
    without_units,
)
from latchwork.contact.complementarity.proportional_forces import proportional_forces
from latchwork.program.kernel import divide, f64, f64p, i64, kernel, offset, sqrt
from latchwork.program.native import together
from latchwork.program.scalar import maximum

NO_SHARE, HELD, SLIP_TOGETHER, INVALID = range(4)  # INVALID: numbers are not finite, no room, or it is not known
BEYOND = (0.0, 2.5e-12, 2.5e-10)  # of a cone, with 0, 1 and 2 tangents: so little outside, a contact is not
NOTHING, WIDE = 1e-9, 1e-6  # of the forces at work: less friction is none; contacts slip together that no share of the
# load takes further than this away from their edges


@kernel
def given_states(problem: ContactProblem) -> i64:
    """States that are given become `FOUND`; gives a `Status`."""
    k, status = problem.contacts, without_units(problem)
    for i in range(k if status == SOLVED else 0):
        choice, rough = problem.choices[FOUND * k + i], is_rough(problem, i) == 1
        if problem.state[i] == OPEN:
            set_choice(choice, OPEN, NONE, 0.0, 0.0)
        elif problem.state[i] == STICK and rough:
            set_choice(choice, STICK, NONE, 0.0, 0.0)
        elif problem.state[i] == SLIDE and rough and problem.directed[i] == 1:
            set_choice(choice, SLIDE, GIVEN, problem.direction[2 * i], problem.direction[2 * i + 1])
        else:
            set_choice(choice, SLIDE, NONE, 0.0, 0.0)
    return status


@kernel
def without_share(problem: ContactProblem) -> i64:
    """`NO_SHARE`, but `INVALID` where that is not known."""
    return INVALID if problem.unended == 1 else NO_SHARE


@kernel
def feasible(problem: ContactProblem) -> i64:
    """λ within the cones, as far inside as can be, with which the states that are given go on, and a: `HELD`; or
    `NO_SHARE` where there is none."""
    if given_states(problem) != SOLVED:
        return INVALID
    if forces_inside(problem, FOUND, ALL, 0.0) == 0:
        return without_share(problem)
    take_forces(problem, FOUND)
    write_forces(problem, FOUND)
    return HELD


@kernel
def stays_at_edge(problem: ContactProblem, i: i64, lam: f64p, most: f64, slack: f64) -> i64:
    """1 where contact i carries friction, and cannot be further inside its cone, whatever the others carry."""
    x, y = tangent_part(problem, i, lam)
    if sqrt(x * x + y * y) <= NOTHING * most:
        return 0
    if forces_inside(problem, FOUND, i, slack) == 0:
        return 1
    cone_margins(problem, FOUND, problem.trial)
    return 1 if problem.margin[i] <= WIDE else 0


@kernel
def hold_on(problem: ContactProblem, firm: f64p) -> i64:
    """Whether contacts that stick can go on, one of which is at the edge of its cone as the load is shared now.

    ``firm`` says how many times further each of them may be beyond its cone.

    Where λ is not unique, it may be shared otherwise: `HELD`, with λ and a. Only where no other share helps, contacts
    begin to slip, and all of them together that are at their edges in every share: `SLIP_TOGETHER`, with
    ``must_slip`` and ``onset``, −λ_t/|λ_t|, of these. `NO_SHARE` where no λ is within the cones, or none slips.
    """
    if given_states(problem) != SOLVED:
        return INVALID
    if proportional_forces(problem, FOUND) == 0 and forces_inside(problem, FOUND, ALL, 0.0) == 0:
        return without_share(problem)
    take_forces(problem, FOUND)
    k, lam = problem.contacts, offset(problem.force, FOUND * problem.rows)
    most, least_edge, held, slipping = largest_felt(problem, lam), cone_margins(problem, FOUND, lam), 1, 0
    most = most if most != 0.0 else 1.0
    for i in range(k):
        allowed = -BEYOND[problem.tangents[i]] * firm[i] * problem.mu_s[i] * lam[problem.first[i]]
        held = 0 if not problem.margin[i] * most >= allowed else held
    if held == 1:
        write_forces(problem, FOUND)
        return HELD
    for i in range(k):
        problem.pressed[i] = 1 if problem.margin[i] <= WIDE else 0
    for i in range(k):
        if problem.pressed[i] == 1:
            problem.pressed[i] = stays_at_edge(problem, i, lam, most, 2.0 * maximum(0.0, -least_edge))
            slipping += problem.pressed[i]
    if slipping == 0 or problem.unended == 1:
        return without_share(problem)
    for i in range(k):
        problem.must_slip[i] = problem.pressed[i]
        if problem.pressed[i] == 1:
            x, y = tangent_part(problem, i, lam)
            friction = sqrt(x * x + y * y)
            problem.onset[2 * i], problem.onset[2 * i + 1] = divide(-x, friction), divide(-y, friction)
    return SLIP_TOGETHER


together(solve_contact_problem, feasible, hold_on)

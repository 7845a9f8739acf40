"""Which contacts open, slide or stick: states, forces and accelerations that obey every law at once.

    open    λ = 0,  a_n ≥ 0
    slide   a_n = 0,  λ_n ≥ 0,  λ_t = −mu_d λ_n d,     d = slip/|slip|, or a_t/|a_t| where the slip is zero
    stick   a_n = 0,  a_t = 0,  |λ_t| ≤ mu_s λ_n

Three methods in turn, from quick to thorough: the states as they are and a few changes from there (`active_set`);
Lemke's method, with directions of friction made exact afterwards (`polygonal_cone`), and a few changes from all closed;
for a few contacts, all combinations (`enumeration`). What any of them proposes is judged by the laws above before it is
returned (`trial`).

Coulomb's law does not always have one answer, and these are the rules by which one is taken.

* mu_s > mu_d: a contact with zero slip may often stick or slide; it sticks if it can, with mu_s, and the others slide
  with mu_d.
* Redundant contacts: λ is not unique; contacts stick if *some* λ within the cones holds them, and a λ is returned that
  is of least norm, or else well inside the cones. Where redundant contacts *slide* in different directions, how they
  share the load changes the friction, and so the motion too: rigid bodies do not say, and λ of least norm does.
* Sliding contacts whose friction presses them together as fast as the normal force parts them (A_nn − mu A_nt d ≤ 0,
  Painlevé): there may be two answers, and the one that is the guess is taken (all closed where there is no guess), else
  the one that opens, also where slip would have to begin; notes say so. Or there is none, and they are `JAMMED`: no
  finite force holds them.
* A contact that carries nothing and does not part may be closed or open: it is as it is guessed to be.
* A contact that must slide, and can only stick because others changed in the same moment, sticks; notes say so.
"""

from __future__ import annotations

from latchwork.contact.complementarity.active_set import change_states, is_lawful, open_unloaded, stick_idle
from latchwork.contact.complementarity.enumeration import combine_states
from latchwork.contact.complementarity.linear_system import form_system, least_forces
from latchwork.contact.complementarity.polygonal_cone import follow_paths
from latchwork.contact.complementarity.problem import (
    FOUND,
    JAMMED,
    JAMS,
    NONE,
    OPEN,
    PRESSES_KEPT,
    PRESSES_OPENS,
    SLIDE,
    SOLVED,
    START,
    STICK,
    STICKS_AFTER_ALL,
    TRIED,
    UNSETTLED,
    Choice,
    ContactProblem,
    close_contact,
    copy_choices,
    copy_forces,
    is_rough,
    must_begin,
    set_choice,
    without_units,
)
from latchwork.program.kernel import divide, i64, kernel

REDUNDANT = 1e-9  # without units: a contact that others hold has no inertia of its own, but for rounding


@kernel
def begin_states(problem: ContactProblem) -> None:
    """The states tried first: the guess."""
    k = problem.contacts
    for i in range(k):
        choice = problem.choices[TRIED * k + i]
        if problem.guess[i] == OPEN:
            set_choice(choice, OPEN, NONE, 0.0, 0.0)
        else:
            close_contact(problem, i, choice)


@kernel
def close_all(problem: ContactProblem) -> None:
    """`TRIED` is all closed."""
    k = problem.contacts
    for i in range(k):
        close_contact(problem, i, problem.choices[TRIED * k + i])


@kernel
def quick_answer(problem: ContactProblem) -> tuple[i64, i64]:
    """1 where one of the quick methods leads from `TRIED` to a lawful answer, which is `TRIED` then; and the tries."""
    found, tries = change_states(problem)
    if found == 1:
        return 1, tries
    found, more = follow_paths(problem)
    tries += more
    if found == 1:
        return 1, tries
    close_all(problem)
    found, more = change_states(problem)
    return found, tries + more


@kernel
def presses(problem: ContactProblem, i: i64, choice: Choice) -> i64:
    """1 where friction presses contact i together as fast as the normal force parts it: A_nn − mu A_nt d ≤ 0."""
    if choice.state != SLIDE or choice.direction == NONE:
        return 0
    at, mu = problem.first[i] * (problem.rows + 1), problem.mu_d[i]
    along = mu * problem.W[at + 1] * choice.x
    if problem.tangents[i] == 2:
        along += mu * problem.W[at + 2] * choice.y
    return 1 if problem.W[at] - along <= 0.0 else 0


@kernel
def begins_pressed(problem: ContactProblem, i: i64) -> i64:
    """The same for a contact that begins to slide, with the others as `TRIED`: they share the inertia."""
    if must_begin(problem, i) == 0 or problem.choices[TRIED * problem.contacts + i].state != SLIDE:
        return 0
    r, S, own, place = form_system(problem, TRIED), problem.S, 0, 0
    for p in range(r):
        own = p if problem.unknown[p] == problem.first[i] else own
    whole = S[own * r + own]
    for p in range(r):
        if p != own:
            problem.trial[place], problem.right[place] = S[own * r + p], S[p * r + own]
            place += 1
    place = 0
    for p in range(r):
        for q in range(r):
            if p != own and q != own:
                S[place] = S[p * r + q]
                place += 1
    least_forces(problem, r - 1, problem.x)
    for p in range(r - 1):
        whole -= problem.trial[p] * problem.x[p]
    return 1 if whole < -REDUNDANT else 0


@kernel
def list_pressed(problem: ContactProblem) -> tuple[i64, i64]:
    """``problem.pressed`` where friction presses, were `TRIED` all closed, which it becomes: how many, and how many of
    them are closed in `FOUND`."""
    k, count, closed = problem.contacts, 0, 0
    copy_choices(problem, FOUND, TRIED)
    for i in range(k):
        if problem.choices[FOUND * k + i].state == OPEN:
            close_contact(problem, i, problem.choices[TRIED * k + i])
    for i in range(k):
        pressed = presses(problem, i, problem.choices[TRIED * k + i])
        problem.pressed[i] = 1 if pressed == 1 or begins_pressed(problem, i) == 1 else 0
        count += problem.pressed[i]
        closed += problem.pressed[i] if problem.choices[FOUND * k + i].state != OPEN else 0
    return count, closed


@kernel
def same_states(problem: ContactProblem, one: i64, other: i64) -> i64:
    """1 where two sets of choices have the same states."""
    k = problem.contacts
    for i in range(k):
        if problem.choices[one * k + i].state != problem.choices[other * k + i].state:
            return 0
    return 1


@kernel
def count_open(problem: ContactProblem, c: i64) -> i64:
    """How many contacts open."""
    k, count = problem.contacts, 0
    for i in range(k):
        count += 1 if problem.choices[c * k + i].state == OPEN else 0
    return count


@kernel
def prefer_states(problem: ContactProblem) -> None:
    """Of two answers, the guess, else the one that opens; and a note of the doubt."""
    k, begins = problem.contacts, 0
    count, closed = list_pressed(problem)
    if count == 0:
        return
    if closed > 0:
        copy_choices(problem, FOUND, TRIED)
        for i in range(k):
            if problem.pressed[i] == 1:
                set_choice(problem.choices[TRIED * k + i], OPEN, NONE, 0.0, 0.0)
        found, _ = change_states(problem)
    else:
        found = is_lawful(problem)
    if found == 0 or same_states(problem, TRIED, FOUND) == 1:
        return
    for i in range(k):  # friction that presses would stop what begins at once
        begins = 1 if problem.pressed[i] == 1 and must_begin(problem, i) == 1 else begins
    guessed = 1 if begins == 0 and same_states(problem, FOUND, START) == 1 else 0
    if guessed == 0 and count_open(problem, TRIED) > count_open(problem, FOUND):
        copy_choices(problem, TRIED, FOUND)
        copy_forces(problem, TRIED, FOUND)
    for i in range(k):
        if problem.pressed[i] == 1:
            problem.note[i] += PRESSES_KEPT if guessed == 1 else PRESSES_OPENS


@kernel
def calm_down(problem: ContactProblem) -> tuple[i64, i64]:
    """An answer in which none must slide, with notes of those that stick; 1 where there is one, and the tries."""
    k = problem.contacts
    problem.calm = 1
    begin_states(problem)
    found, tries = quick_answer(problem)
    for i in range(k):
        if found == 1 and problem.must_slip[i] == 1 and problem.choices[TRIED * k + i].state == STICK:
            problem.note[i] += STICKS_AFTER_ALL
    problem.calm = found
    return found, tries


@kernel
def refuse_states(problem: ContactProblem) -> i64:
    """Why there is no answer; contacts that slide, and press if any does, are noted."""
    k, jammed, pressing = problem.contacts, 0, 0
    for i in range(k):
        choice = problem.choices[TRIED * k + i]
        close_contact(problem, i, choice)
        slides = is_rough(problem, i) == 1 and problem.slips[i] == 1 and problem.mu_d[i] > 0.0
        slides = slides and problem.fixed[i] == 0
        problem.pressed[i] = 1 if slides and presses(problem, i, choice) == 1 else 0
        pressing += problem.pressed[i]
        problem.note[i] = JAMS if slides else 0
        jammed += 1 if slides else 0
    for i in range(k):
        if pressing > 0 and problem.pressed[i] == 0:
            problem.note[i] = 0
    return JAMMED if jammed > 0 else UNSETTLED


@kernel
def write_forces(problem: ContactProblem, c: i64) -> None:
    """λ and a of choices in the caller's units."""
    n = problem.rows
    for j in range(n):
        problem.lam[j] = problem.beta * problem.s[j] * problem.force[c * n + j]
        problem.a[j] = divide(problem.beta, problem.s[j]) * problem.motion[c * n + j]


@kernel
def write_answer(problem: ContactProblem, c: i64) -> None:
    """The answer in the caller's units."""
    k = problem.contacts
    for i in range(k):
        choice = problem.choices[c * k + i]
        problem.state[i], problem.directed[i] = choice.state, 0 if choice.direction == NONE else 1
        problem.direction[2 * i], problem.direction[2 * i + 1] = choice.x, choice.y
    write_forces(problem, c)


@kernel
def solve_contact_problem(problem: ContactProblem) -> i64:
    """States that obey every law, nearest to the guess, with λ and a; gives a `Status`."""
    k, status, leaving = problem.contacts, without_units(problem), 0
    if status != SOLVED:
        return status
    for i in range(k):
        problem.note[i] = 0
        leaving = 1 if problem.must_slip[i] == 1 else leaving
    begin_states(problem)
    copy_choices(problem, TRIED, START)
    found, tries = quick_answer(problem)
    if found == 0 and leaving == 1:
        found, more = calm_down(problem)
        tries += more
    if found == 0:
        found, more = combine_states(problem)
        tries += more
    problem.tries = tries
    if found == 0:
        return refuse_states(problem)
    copy_choices(problem, TRIED, FOUND)
    copy_forces(problem, TRIED, FOUND)
    stick_idle(problem)
    open_unloaded(problem)
    prefer_states(problem)
    write_answer(problem, FOUND)
    return SOLVED

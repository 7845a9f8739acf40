"""States as they are, and a few changes from there: every contact that breaks its law changes, until none does."""

from __future__ import annotations

from latchwork.contact.complementarity.feasible_forces import ALL, forces_inside
from latchwork.contact.complementarity.linear_system import accelerations
from latchwork.contact.complementarity.problem import (
    CHANGES,
    FOUND,
    FREE,
    KEPT,
    NONE,
    OPEN,
    STICK,
    TRIED,
    Choice,
    ContactProblem,
    copy_choices,
    copy_forces,
    largest_felt,
    must_begin,
    set_choice,
    tangent_part,
)
from latchwork.contact.complementarity.slip_onset import TOL
from latchwork.contact.complementarity.trial import judge_states, solve_forces
from latchwork.program.kernel import fabs, floor, i64, kernel, offset

FEW, FEW_CHANGES = 60, 3  # of more rows, fewer changes are tried


@kernel
def attempt_states(problem: ContactProblem) -> tuple[i64, i64]:
    """Forces for the states `TRIED`, judged: changes, and 1 where broken.

    Where λ is not unique and the least one is outside its cones, one inside them is looked for.
    """
    solve_forces(problem, TRIED, 0)
    moves, broken = judge_states(problem, TRIED)
    if problem.spare == 1 and moves > 0 and broken == 0 and forces_inside(problem, TRIED, ALL, 0.0) == 1:
        copy_forces(problem, TRIED, KEPT)
        take_forces(problem, TRIED)
        again, worse = judge_states(problem, TRIED)
        if again < moves:
            return again, worse
        copy_forces(problem, KEPT, TRIED)
        moves, broken = judge_states(problem, TRIED)
    return moves, broken


@kernel
def take_forces(problem: ContactProblem, c: i64) -> None:
    """λ of choices c becomes the one that `forces_inside` found."""
    n = problem.rows
    lam = offset(problem.force, c * n)
    for j in range(n):
        lam[j] = problem.trial[j]
    accelerations(problem, lam, offset(problem.motion, c * n))


@kernel
def is_lawful(problem: ContactProblem) -> i64:
    """1 where there are forces for the states `TRIED` that obey every law."""
    moves, broken = attempt_states(problem)
    return 1 if moves == 0 and broken == 0 else 0


@kernel
def choice_key(choice: Choice) -> i64:
    """A choice told apart from others; directions to a tenth."""
    if choice.direction == NONE or not fabs(choice.x) + fabs(choice.y) < 2.0:
        return choice.state
    x, y = int(floor(10.0 * choice.x + 0.5)), int(floor(10.0 * choice.y + 16.5))
    return 3 + choice.direction + 8 * (x + 16) + 512 * y


@kernel
def met_before(problem: ContactProblem, count: i64) -> i64:
    """1 where the states `TRIED` are among the first ``count`` that were noted; they are noted too."""
    k, again = problem.contacts, 0
    for i in range(k):
        problem.seen[count * k + i] = choice_key(problem.choices[TRIED * k + i])
    for before in range(count):
        same = 1
        for i in range(k):
            if problem.seen[before * k + i] != problem.seen[count * k + i]:
                same = 0
        again = 1 if same == 1 else again
    return again


@kernel
def change_states(problem: ContactProblem) -> tuple[i64, i64]:
    """From the states `TRIED`, every contact that breaks its law changes; one at a time once states come back.

    Gives 1 where that leads to a lawful answer, which is `TRIED` then, and how many sets of states were tried.
    """
    k, most = problem.contacts, CHANGES if problem.rows <= FEW else FEW_CHANGES
    for count in range(most):
        again = met_before(problem, count)
        moves, broken = attempt_states(problem)
        if moves == 0:
            return 1 - broken, count + 1
        for i in range(k):
            instead = problem.instead[i]
            if instead.state >= 0 and again < 2:
                set_choice(problem.choices[TRIED * k + i], instead.state, instead.direction, instead.x, instead.y)
                again = 2 if again == 1 else again
    return 0, most


@kernel
def is_idle(problem: ContactProblem, i: i64) -> i64:
    """1 where contact i of `FOUND` was to begin to slide, and has no acceleration along its tangents."""
    x, y = tangent_part(problem, i, offset(problem.motion, FOUND * problem.rows))
    if problem.choices[FOUND * problem.contacts + i].direction != FREE or must_begin(problem, i) == 1:
        return 0
    return 1 if fabs(x) <= TOL and fabs(y) <= TOL else 0


@kernel
def still_idle(problem: ContactProblem) -> i64:
    """`TRIED` becomes `FOUND` with all sticking that are idle; gives how many."""
    k, count = problem.contacts, 0
    copy_choices(problem, FOUND, TRIED)
    for i in range(k):
        if is_idle(problem, i) == 1:
            set_choice(problem.choices[TRIED * k + i], STICK, NONE, 0.0, 0.0)
            count += 1
    return count


@kernel
def stick_idle(problem: ContactProblem) -> None:
    """`FOUND`, where contacts that were to begin to slide and do not accelerate stick: λ_t is within their cones."""
    if still_idle(problem) == 0:
        return
    if problem.rows <= FEW and is_lawful(problem) == 1:
        copy_choices(problem, TRIED, FOUND)
        copy_forces(problem, TRIED, FOUND)
        return
    still_idle(problem)
    copy_forces(problem, FOUND, TRIED)
    moves, broken = judge_states(problem, TRIED)
    if moves == 0 and broken == 0:
        copy_choices(problem, TRIED, FOUND)


@kernel
def open_unloaded(problem: ContactProblem) -> None:
    """`FOUND`, where contacts open that carry nothing and are guessed to be open, or have left their cones with a load
    that is gone: both are lawful."""
    k, n, count = problem.contacts, problem.rows, 0
    lam = offset(problem.force, FOUND * n)
    nothing = TOL * largest_felt(problem, lam)
    copy_choices(problem, FOUND, TRIED)
    for i in range(k):
        closed = problem.choices[FOUND * k + i].state != OPEN and problem.fixed[i] == 0
        opens = problem.guess[i] == OPEN or must_begin(problem, i) == 1
        if closed and opens and lam[problem.first[i]] <= nothing:
            set_choice(problem.choices[TRIED * k + i], OPEN, NONE, 0.0, 0.0)
            count += 1
    if count > 0 and problem.rows <= FEW and is_lawful(problem) == 1:
        copy_choices(problem, TRIED, FOUND)
        copy_forces(problem, TRIED, FOUND)

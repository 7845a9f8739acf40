"""Every combination of states, where they are few."""

from __future__ import annotations

from latchwork.contact.complementarity.active_set import is_lawful
from latchwork.contact.complementarity.problem import (
    FREE,
    NONE,
    OPEN,
    SLIDE,
    TRIED,
    ContactProblem,
    close_contact,
    is_moving,
    set_choice,
)
from latchwork.contact.directions import all_round
from latchwork.program.kernel import i64, kernel

WAYS = 6  # directions to begin from, in space
ROUND = tuple(all_round(WAYS).ravel().tolist())
ALL, ALL_IN_SPACE = 5000, 600  # combinations


@kernel
def count_options(problem: ContactProblem, i: i64) -> i64:
    """How many things contact i may do."""
    return 2 if is_moving(problem, i) == 1 else 2 + (2 if problem.tangents[i] == 1 else WAYS)


@kernel
def take_option(problem: ContactProblem, i: i64, which: i64) -> None:
    """Contact i opens, does what it does first if it stays closed, or begins to slide in a direction all round."""
    choice = problem.choices[TRIED * problem.contacts + i]
    if which == 0:
        set_choice(choice, OPEN, NONE, 0.0, 0.0)
    elif which == 1:
        close_contact(problem, i, choice)
    elif problem.tangents[i] == 1:
        set_choice(choice, SLIDE, FREE, 1.0 if which == 2 else -1.0, 0.0)
    else:
        set_choice(choice, SLIDE, FREE, ROUND[2 * which - 4], ROUND[2 * which - 3])


@kernel
def combine_states(problem: ContactProblem) -> tuple[i64, i64]:
    """1 where a combination is lawful, the first of them, which is `TRIED` then; and how many were tried."""
    k, count, most = problem.contacts, 1, ALL
    for i in range(k):
        problem.digit[i] = 0
        most = ALL_IN_SPACE if problem.tangents[i] == 2 else most
    for i in range(k):
        count = count * count_options(problem, i) if count <= most else count
    if count > most:
        return 0, 0
    for tries in range(count):
        for i in range(k):
            take_option(problem, i, problem.digit[i])
        if is_lawful(problem) == 1:
            return 1, tries + 1
        last = k - 1
        while last >= 0:  # count on, the last contact first
            problem.digit[last] += 1
            if problem.digit[last] < count_options(problem, last):
                break
            problem.digit[last] = 0
            last -= 1
    return 0, count

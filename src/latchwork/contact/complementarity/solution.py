"""Which contacts open, slide or stick: states, forces and accelerations that obey every law at once.

    open    λ = 0,  a_n ≥ 0
    slide   a_n = 0,  λ_n ≥ 0,  λ_t = −mu_d λ_n d,     d = slip/|slip|, or a_t/|a_t| where the slip is zero
    stick   a_n = 0,  a_t = 0,  |λ_t| ≤ mu_s λ_n

Three methods in turn, from quick to thorough: the states as they are and a few changes from there; Lemke's method, with
directions of friction made exact afterwards; for a few contacts, all combinations. What any of them proposes is judged
by the laws above before it is returned. The first of them, for one contact and for a few in the plane, is done in plain
numbers (`alone`, `few`), where there is one answer.

Coulomb's law does not always have one answer, and these are the rules by which one is taken.

* mu_s > mu_d: a contact with zero slip may often stick or slide; it sticks if it can, with mu_s, and the others slide
  with mu_d.
* Redundant contacts: λ is not unique; contacts stick if *some* λ within the cones holds them, and a λ is returned that
  is of least norm, or else well inside the cones. Where redundant contacts *slide* in different directions, how they
  share the load changes the friction, and so the motion too: rigid bodies do not say, and λ of least norm does.
* Sliding contacts whose friction presses them together as fast as the normal force parts them (A_nn − mu A_nt d ≤ 0,
  Painlevé): there may be two answers, and the one that is the guess is taken (all closed where there is no guess), else
  the one that opens, also where slip would have to begin; ``notes`` say so. Or there is none, and they are `Jammed`: no
  finite force holds them.
* A contact that must slide, and can only stick because others changed in the same moment, sticks; ``notes`` say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.active_set import answer, changed, combined, lawful, tidy
from latchwork.contact.complementarity.feasible_forces import inside, margins
from latchwork.contact.complementarity.planar_contacts import settle_together
from latchwork.contact.complementarity.problem import (
    OPEN,
    STICK,
    Choice,
    ContactProblem,
    ContactSolution,
    Problem,
    State,
    scaled,
)
from latchwork.contact.complementarity.single_contact import settle_alone
from latchwork.contact.complementarity.slip_onset import least
from latchwork.contact.complementarity.trial import Solved, maps
from latchwork.errors import Jammed, Unsettled

__all__ = ["HeldOn", "ContactProblem", "State", "ContactSolution", "feasible", "hold_on", "settle", "settle_all"]

BEYOND = (0.0, 2.5e-12, 2.5e-10)  # of a cone, with 0, 1 and 2 tangents: so little outside, a contact is not
NOTHING, WIDE = 1e-9, 1e-6  # of the forces at work: less friction is none; contacts slip together that no share of the
# load takes further than this away from their edges


def settle(resting: ContactProblem, guess: Sequence[State] | None = None) -> ContactSolution:
    """States that obey every law, nearest to ``guess`` (the present ones; all closed if not given)."""
    quick = None
    if len(resting.names) == 1:
        quick = settle_alone(resting, None if guess is None else guess[0])
    elif resting.names:
        quick = settle_together(resting, guess)
    return settle_all(resting, guess) if quick is None else quick


def settle_all(resting: ContactProblem, guess: Sequence[State] | None = None) -> ContactSolution:
    """The same by the methods for many contacts."""
    problem = scaled(resting)
    start = begin(problem, guess)
    found, notes = answer(problem, start), []
    if found.solved is None and any(must is not None for must in problem.must):
        calm = problem._replace(must=(None,) * len(problem.must))
        found = answer(calm, begin(calm, guess))
        if found.solved is not None:
            notes = [
                f"'{problem.names[i]}' was to slide and sticks: others changed in the same moment"
                for i, c in enumerate(found.solved.choices)
                if c.state is State.STICK and problem.must[i] is not None
            ]
            problem = calm
    if found.solved is None:
        found = combined(problem)
    if found.solved is None:
        raise refusal(problem)
    solved, doubts = preferred(problem, start, tidy(problem, found.solved))
    return solution(problem, solved, found.tries, (*notes, *doubts))


def feasible(resting: ContactProblem, states: Sequence[State], directions: Sequence[Array | None]) -> Array | None:
    """λ within the cones, as far inside as can be, with which these states go on; None where there is none."""
    problem = scaled(resting)
    lam = inside(problem, as_choices(problem, states, directions))
    return None if lam is None else np.asarray(problem.beta * problem.s * lam)


def as_choices(problem: Problem, states: Sequence[State], directions: Sequence[Array | None]) -> list[Choice]:
    """States that are given, as they are tried."""
    choices = []
    for i, (state, direction) in enumerate(zip(states, directions, strict=True)):
        sticks = state is State.STICK and problem.rough(i)
        d = direction if state is State.SLIDE and problem.rough(i) else None
        choices.append(OPEN if state is State.OPEN else STICK if sticks else Choice(State.SLIDE, d))
    return choices


class HeldOn(NamedTuple):
    """Forces within the cones with which contacts go on; or, where there are none, how those begin to slip that
    cannot be further inside, whatever the others carry."""

    lam: Array | None
    must_slip: tuple[Array | None, ...]


def hold_on(resting: ContactProblem, states: Sequence[State], directions: Sequence[Array | None],
            firm: Sequence[float]) -> HeldOn:  # fmt: skip
    """Whether contacts that stick can go on, one of which is at the edge of its cone as the load is shared now.

    ``firm`` says how many times further each of them may be beyond its cone.

    Where λ is not unique, it may be shared otherwise; only where no other share helps, contacts begin to slip, and
    all of them together that are at their edges in every share.
    """
    problem = scaled(resting)
    choices = as_choices(problem, states, directions)
    lam = inside(problem, choices)
    if lam is None:
        return HeldOn(None, (None,) * len(choices))
    edges, size = margins(problem, choices, lam), float(np.abs(lam).max(initial=0.0)) or 1.0
    if all(
        edge * size >= -BEYOND[t] * firmness * mu * lam[at]
        for edge, t, firmness, mu, at in zip(edges, problem.t, firm, problem.mu_s, problem.at, strict=True)
    ):
        return HeldOn(np.asarray(problem.beta * problem.s * lam), ())
    slack = 2.0 * max(0.0, -min(edges))
    return HeldOn(None, tuple(_slips(problem, choices, lam, i, slack) if edge <= WIDE else None
                              for i, edge in enumerate(edges)))  # fmt: skip


def _slips(problem: Problem, choices: list[Choice], lam: Array, i: int, slack: float) -> Array | None:
    """How contact i begins to slip, −λ_t/|λ_t|; None where it may be further inside its cone, or carries nothing."""
    at = problem.at[i]
    friction = lam[at + 1 : at + 1 + problem.t[i]]
    if float(norm(friction)) <= NOTHING * float(np.abs(lam).max()):
        return None
    own = inside(problem, choices, i, slack)
    if own is not None and margins(problem, choices, own)[i] > WIDE:
        return None
    return np.asarray(-friction / norm(friction))


def begin(problem: Problem, guess: Sequence[State] | None) -> list[Choice]:
    """The states tried first."""
    closed = [problem.closed(i) for i in range(len(problem.names))]
    if guess is None:
        return closed
    return [OPEN if state is State.OPEN else choice for state, choice in zip(guess, closed, strict=True)]


def presses(problem: Problem, i: int, choice: Choice) -> bool:
    """Whether friction presses contact i together as fast as the normal force parts it: A_nn − mu A_nt d ≤ 0."""
    if choice.state is not State.SLIDE or choice.direction is None:
        return False
    at = problem.at[i]
    line = problem.A[at, at : at + 1 + problem.t[i]]
    return bool(line[0] - dot(problem.mu_d[i] * line[1:], choice.direction) <= 0.0)


def begins_pressed(problem: Problem, i: int, choices: Sequence[Choice]) -> bool:
    """The same for a contact that begins to slide, with the other contacts as they are: they share the inertia."""
    if problem.must[i] is None or choices[i].state is not State.SLIDE:
        return False
    E, rows = maps(problem, choices)
    S, own = dot(problem.A[rows], E), rows.index(problem.at[i])
    others = [k for k in range(len(rows)) if k != own]
    carried = dot(S[own, others], least(S[np.ix_(others, others)], S[others, own])[0]) if others else 0.0
    return bool(S[own, own] - carried <= 0.0)


def preferred(problem: Problem, start: list[Choice], solved: Solved) -> tuple[Solved, list[str]]:
    """Of two answers, the guess, else the one that opens; and a note of the doubt."""
    closed = [problem.closed(i) if c.state is State.OPEN else c for i, c in enumerate(solved.choices)]
    pressed = [i for i, c in enumerate(closed) if presses(problem, i, c) or begins_pressed(problem, i, closed)]
    if not pressed:
        return solved, []
    opened = [OPEN if i in pressed else choice for i, choice in enumerate(solved.choices)]
    if states(opened) != states(solved.choices):
        other = changed(problem, opened).solved
    else:
        other = lawful(problem, closed)
    if other is None or states(other.choices) == states(solved.choices):
        return solved, []
    begins = any(problem.must[i] is not None for i in pressed)  # friction that presses would stop it at once
    guessed = not begins and states(solved.choices) == states(start)
    chosen = max(solved, other, key=lambda one: states(one.choices).count(State.OPEN)) if not guessed else solved
    names = ", ".join(f"'{problem.names[i]}'" for i in pressed)
    taken = "the present states are kept" if guessed else "the answer that opens is taken"
    return chosen, [f"{names}: friction presses, so that to slide on and to open are both lawful; {taken}"]


def states(choices: Sequence[Choice]) -> list[State]:
    """The states alone."""
    return [choice.state for choice in choices]


def solution(problem: Problem, solved: Solved, tries: int, notes: tuple[str, ...]) -> ContactSolution:
    """The answer in the caller's units."""
    return ContactSolution(
        tuple(states(solved.choices)),
        tuple(choice.direction for choice in solved.choices),
        problem.beta * problem.s * solved.lam,
        problem.beta / problem.s * solved.a,
        tries,
        notes,
    )


def refusal(problem: Problem) -> Jammed | Unsettled:
    """Why there is no answer, and for which contacts."""
    closed = [problem.closed(i) for i in range(len(problem.names))]
    sliding = [i for i, c in enumerate(closed) if c.direction is problem.slip[i] is not None and problem.mu_d[i] > 0.0]
    pressed = [i for i in sliding if presses(problem, i, closed[i])] or sliding
    free = (problem.b * problem.beta / problem.s)[problem.at]
    if pressed:
        seen = ", ".join(f"'{problem.names[i]}' (mu = {problem.mu_d[i]:.4g}, {free[i]:.4g} m/s²)" for i in pressed)
        return Jammed(
            f"sliding contacts can neither stay closed nor open: {seen}, with their free accelerations along the "
            "normal. No finite force holds them: resolve it as an impact, or lower the friction.",
            [problem.names[i] for i in pressed],
        )
    names = ", ".join(f"'{name}'" for name in problem.names)
    return Unsettled(
        f"no set of open, sliding and sticking contacts was found for {names}: their free accelerations along the "
        f"normals are {[float(f'{x:.4g}') for x in free]} m/s². Look for contacts that hold one body between them "
        "and disagree about its motion.",
        problem.names,
    )

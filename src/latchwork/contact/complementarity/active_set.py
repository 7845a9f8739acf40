"""The search for states that obey every law: a few changes, Lemke's method, all combinations, in turn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.feasible_forces import inside
from latchwork.contact.complementarity.polygonal_cone import complementary
from latchwork.contact.complementarity.problem import OPEN, STICK, Choice, Problem, State
from latchwork.contact.complementarity.trial import TOL, Judged, Solved, judge, solve
from latchwork.contact.directions import all_round

CHANGES = 12  # sets of states tried before Lemke's method, for a few contacts
FEW = 60  # rows
ALL, ALL_IN_SPACE = 5000, 600  # combinations
COVERS = 3  # paths of Lemke's method
NARROW = 0.02  # rad between directions of a polygon, at which refinement ends


class Found(NamedTuple):
    """A lawful answer, and how many sets of states or pivots it took."""

    solved: Solved | None
    tries: int


def answer(problem: Problem, start: list[Choice]) -> Found:
    """The first lawful answer of the quick methods."""
    tries = 0
    for method in (changed, pivoted):
        found = method(problem, start)
        tries += found.tries
        if found.solved is not None:
            return Found(found.solved, tries)
    return Found(None, tries)


def attempt(problem: Problem, choices: list[Choice]) -> tuple[Solved, Judged]:
    """Forces for these states, judged.

    Where λ is not unique and the least one is outside its cones, one inside them is looked for.
    """
    solved = solve(problem, choices)
    judged = judge(problem, solved)
    if solved.spare and judged.moves and not judged.broken:
        lam = inside(problem, solved.choices)
        if lam is not None:
            within = solved._replace(lam=lam, a=dot(problem.A, lam) + problem.b)
            again = judge(problem, within)
            if len(again.moves) < len(judged.moves):
                return within, again
    return solved, judged


def lawful(problem: Problem, choices: list[Choice]) -> Solved | None:
    """Forces for these states, where they obey every law."""
    solved, judged = attempt(problem, choices)
    return solved if judged.lawful else None


def key(choices: Sequence[Choice]) -> tuple[object, ...]:
    """States told apart; directions to a tenth."""
    return tuple(
        c.state if c.direction is None else (c.free, *(round(x, 1) for x in c.direction.tolist())) for c in choices
    )


def changed(problem: Problem, start: list[Choice]) -> Found:
    """From ``start``, every contact that breaks its law changes; one at a time once states come back."""
    choices = start
    seen: set[tuple[object, ...]] = set()
    for count in range(1, (CHANGES if len(problem.b) <= FEW else 3) + 1):
        solved, (moves, broken) = attempt(problem, choices)
        if not moves:
            return Found(None if broken else solved, count)
        name = key(choices)
        if name in seen:
            moves = dict([min(moves.items())])
        seen.add(name)
        choices = [moves.get(i, choice) for i, choice in enumerate(solved.choices)]
    return Found(None, count)


def pivoted(problem: Problem, start: list[Choice]) -> Found:
    """Lemke's method: with mu_s, then again with mu_d for all that slid, until none more does.

    More and more contacts slide, so that it ends. In space polygons become narrower about the directions found.
    """
    tries = 0
    for cover in range(COVERS):
        slid = [must is not None for must in problem.must]
        around = list(problem.must)
        narrow = 0.5
        while True:
            mu = [d if s else m for s, d, m in zip(slid, problem.mu_d, problem.mu_s, strict=True)]
            choices, lam, count = complementary(problem, mu, around, narrow, cover)
            tries += count
            if choices is None:
                break
            for trial in limited(problem, choices):
                found = polished(problem, trial, lam)
                tries += found.tries
                if found.solved is not None:
                    return Found(found.solved, tries)
            begins = [c.state is State.SLIDE and not problem.moving(i) for i, c in enumerate(choices)]
            steady = all(s or not b for s, b in zip(slid, begins, strict=True))
            if steady and (max(problem.t) < 2 or narrow < NARROW):
                break
            slid = [s or b for s, b in zip(slid, begins, strict=True)]
            around = [c.direction if b else None for c, b in zip(choices, begins, strict=True)]
            narrow *= 0.5
    return Found(None, tries)


def limited(problem: Problem, choices: list[Choice]) -> list[list[Choice]]:
    """First, where there are any, contacts that must slide in the direction given, at the limit of their cones."""
    turned = [i for i, choice in enumerate(choices) if choice.free and problem.must[i] is not None]
    edge = [problem.closed(i) if i in turned else choice for i, choice in enumerate(choices)]
    return [edge, choices] if turned else [choices]


def polished(problem: Problem, choices: list[Choice], lam: Array) -> Found:
    """An answer from states and forces that are nearly right: these states with forces near to these, or a change."""
    solved = solve(problem, choices, lam)
    if judge(problem, solved).lawful:
        return Found(solved, 1)
    return changed(problem, choices)


def tidy(problem: Problem, solved: Solved) -> Solved:
    """The same, where contacts that were to begin to slide and do not accelerate stick: λ_t is within their cones."""
    still = [i for i, c in enumerate(solved.choices) if c.free and idle(problem, i, solved.a)]
    if not still:
        return solved
    choices = [STICK if i in still else choice for i, choice in enumerate(solved.choices)]
    better = lawful(problem, choices) if len(problem.b) <= FEW else None
    near = solved._replace(choices=choices)
    return better or (near if judge(problem, near).lawful else solved)


def idle(problem: Problem, i: int, a: Array) -> bool:
    """Whether contact i has no acceleration along its tangents."""
    at = problem.at[i]
    return problem.must[i] is None and float(np.abs(a[at + 1 : at + 1 + problem.t[i]]).max()) <= TOL


def options(problem: Problem, i: int) -> list[Choice]:
    """Everything contact i may do; in space, directions all round to begin from."""
    if problem.moving(i):
        return [OPEN, problem.closed(i)]
    ways = np.array([[1.0], [-1.0]]) if problem.t[i] == 1 else all_round(6)
    must = problem.must[i]
    first = [OPEN, STICK] if must is None else [OPEN, problem.closed(i)]
    return first + [Choice(State.SLIDE, d, True) for d in ways]


def combined(problem: Problem) -> Found:
    """Every combination of states, where they are few."""
    table = [options(problem, i) for i in range(len(problem.names))]
    if math.prod(map(len, table)) > (ALL if max(problem.t, default=0) < 2 else ALL_IN_SPACE):
        return Found(None, 0)
    tries = 0
    for tries, choices in enumerate(itertools.product(*table), 1):
        solved = lawful(problem, list(choices))
        if solved is not None:
            return Found(solved, tries)
    return Found(None, tries)

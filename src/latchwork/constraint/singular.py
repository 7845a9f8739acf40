"""Redundant or singular? Both lose rank. Redundant rows lose it everywhere on Φ = 0, a singular position only there.

A step away from the position, along the motion if there is one, and back onto Φ = 0, tells them apart. At a singular
position branches of motion may cross: the motion says which one is meant; where nothing moves, nobody knows.
"""

from __future__ import annotations

import numpy as np

from latchwork.algebra.linear import svd
from latchwork.algebra.products import dot
from latchwork.constraint.assemble import assemble_q
from latchwork.constraint.constrained import choose
from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array, Terms
from latchwork.constraint.units import units_at
from latchwork.errors import ConstraintError, EvaluationError

ASIDE = 0.02  # length of the step away, in units of the coordinates
ASTRAY = 0.2  # part of that step by which the way back onto the constraints may differ from the motion
TRIES = 4  # directions that are tried where nothing moves
RANK = "rank"  # of rows that were found redundant, kept with their terms


def choose_regular(terms: Terms, x: Array) -> tuple[Selection, Array]:
    """Rows and speeds at x = (t, q, u, rest), and a state where they are well conditioned.

    That is x itself, unless it is a singular position: then it lies beside x, on the branch along which it moves.
    """
    chosen, (n_q, n, _) = choose(terms, x), terms.sizes
    if not chosen.redundant or chosen.rank == n or chosen.rank == terms.frames.get(RANK):
        return chosen, x
    moving = bool(np.abs(x[1 + n_q : 1 + n_q + n]).max(initial=0.0) > 0.0)
    beside = [(choose(terms, state), state) for state in _beside(terms, x, moving)]
    selection, state = max(beside, key=lambda pair: pair[0].rank, default=(chosen, x))
    if selection.rank <= chosen.rank:
        if beside:
            terms.frames[RANK] = chosen.rank
        return chosen, x
    if not moving or _astray(terms, x, state):
        _refuse(terms, x, chosen.rank, selection.rank, moving)
    return selection, state


def _beside(terms: Terms, x: Array, moving: bool) -> list[Array]:
    """States a step away that can be assembled: along the motion; where there is none, along what the rows allow."""
    n_q, n, _ = terms.sizes
    directions = [x[1 + n_q : 1 + n_q + n]] if moving else _allowed(terms.place(x).B)
    states = []
    for direction in directions:
        moved, step = x.copy(), dot(terms.spread(x), direction)
        moved[1 : 1 + n_q] += ASIDE * step / max(float(np.abs(step).max(initial=0.0)), 1e-300)
        try:
            states.append(assemble_q(terms, moved, units=units_at(terms, x)))
        except (ConstraintError, EvaluationError):
            continue
    return states


def _allowed(B: Array) -> list[Array]:
    """Some speeds with B u = 0."""
    _, singular, vt = svd(B)
    free = vt[int((singular > 1e-9 * max(float(singular.max(initial=0.0)), 1e-300)).sum()) :]
    rng = np.random.default_rng(5)
    return [dot(rng.normal(size=len(free)), free) for _ in range(TRIES)] if len(free) else []


def _astray(terms: Terms, x: Array, state: Array) -> bool:
    """Whether the way to a state beside x, along a branch, is not the way the mechanism moves."""
    n_q, n, _ = terms.sizes
    motion = dot(terms.spread(x), x[1 + n_q : 1 + n_q + n])
    expected = ASIDE * motion / max(float(np.abs(motion).max(initial=0.0)), 1e-300)
    return bool(np.abs(state[1 : 1 + n_q] - x[1 : 1 + n_q] - expected).max() > ASTRAY * ASIDE)


def _refuse(terms: Terms, x: Array, here: int, nearby: int, moving: bool) -> None:
    rows = terms.rows
    names = (*rows.equations.q_names, *rows.equations.u_names)
    where = ", ".join(f"{name} = {value:.6g}" for name, value in zip(names[:8], x[1:], strict=False))
    does, do = (
        ("moves as no branch of motion does", "Give speeds along a branch")
        if moving
        else ("stands still, so that nobody knows which branch of motion is meant", "Give it a speed")
    )
    raise ConstraintError(
        f"'{rows.equations.name}' is at a singular position and {does}: {', '.join(rows.slices)} hold {here} of its "
        f"speeds there and {nearby} close by ({where}). {do}, or start beside it; a run that passes through needs no "
        "help."
    )

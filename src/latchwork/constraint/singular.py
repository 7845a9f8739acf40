"""Redundant or singular? Both lose rank. Redundant rows lose it everywhere on Φ = 0, a singular position only there.

A step away from the position, along the motion if there is one, and back onto Φ = 0, tells them apart. At a singular
position branches of motion may cross: the motion says which one is meant; where nothing moves, nobody knows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latchwork.algebra.linear import svd
from latchwork.algebra.products import dot
from latchwork.constraint.consistency import assemble_q
from latchwork.constraint.constrained import choose
from latchwork.constraint.embedded.mode import Mode, mode_of, usual_pivot
from latchwork.constraint.embedded.slider import Slider
from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array, Terms
from latchwork.constraint.units import units_at
from latchwork.errors import ConstraintError, EvaluationError

ASIDE = 0.02  # length of the step away, in units of the coordinates
ASTRAY = 0.2  # part of that step by which the way back onto the constraints may differ from the motion
NEAR_PIVOT = 0.02  # of the pivot some way off: closer to a singular position than this, speeds are chosen beside it
CUT = 1e-9  # singular values of rows in their units below this part of the largest are zero
ROUNDING_OF_SPEEDS = 1e-9  # in units of the speeds: what an impact leaves of them by rounding tells no branch
TRIES = 4  # directions that are tried where nothing moves
RANK = "rank"  # of rows that were found redundant, kept with their terms


def choose_regular(terms: Terms, x: Array) -> tuple[Selection, Array]:
    """Rows and speeds at x = (t, q, u, rest), and a state where they are well conditioned.

    That is x itself, unless it is a singular position, or close to one: then it lies beside x, on the branch along
    which it moves.
    """
    chosen = choose(terms, x)
    if chosen.rank == terms.sizes[1]:
        return chosen, x
    moving = _is_moving(terms, x)
    if chosen.redundant and chosen.rank != terms.frames.get(RANK):
        beside = [(choose(terms, state), state) for state in _beside(terms, x, moving)]
        selection, state = max(beside, key=lambda pair: pair[0].rank, default=(chosen, x))
        if selection.rank > chosen.rank:
            if not moving or _astray(terms, x, state):
                refuse(terms, x, chosen.rank, selection.rank)
            return selection, state
        if beside:
            terms.frames[RANK] = chosen.rank
    return _clear_of(terms, x, chosen, moving) if _is_close(terms, x, chosen) else (chosen, x)


def mode_beside(terms: Terms, selection: Selection, x: Array, regular: Array, rest: tuple[str, ...],
                sliders: tuple[Slider, ...] = ()) -> Mode:  # fmt: skip
    """The mode of a selection made at a regular state; beside a singular x its usual pivot is that of some way off."""
    mode = mode_of(terms, selection, regular, rest, sliders)
    if regular is x:
        return mode
    off = usual_pivot(terms.usual_rows(x), selection, mode.lengths, mode.weights)
    return replace(mode, usual_pivot=max(mode.usual_pivot, off))


def _is_close(terms: Terms, x: Array, chosen: Selection) -> bool:
    """Whether x is close to a singular position: the pivot of B1 is small against what it is some way off."""
    lengths, weights = _units(terms, x)
    off = usual_pivot(terms.usual_rows(x), chosen, lengths, weights)
    return usual_pivot(terms.place(x).B, chosen, lengths, weights) < NEAR_PIVOT * off


def _units(terms: Terms, x: Array) -> tuple[Array, Array]:
    """Lengths of rows some way off x, and weights of speeds."""
    weights = terms.weights(x)
    B = terms.usual_rows(x)
    lengths = np.sqrt((B * B / weights).sum(axis=1))
    return np.where(lengths > 0.0, lengths, 1.0), weights


def _clear_of(terms: Terms, x: Array, chosen: Selection, moving: bool) -> tuple[Selection, Array]:
    """Speeds chosen at the best state beside x; those at x where none is better."""
    beside = [(choose(terms, state), state) for state in _beside(terms, x, moving)]
    beside, units = [pair for pair in beside if pair[0].rank == chosen.rank], _units(terms, x)
    pivots = [usual_pivot(terms.place(state).B, speeds, *units) for speeds, state in beside]
    if not max(pivots, default=0.0) > usual_pivot(terms.place(x).B, chosen, *units):
        return chosen, x
    return beside[pivots.index(max(pivots))]


def _beside(terms: Terms, x: Array, moving: bool) -> list[Array]:
    """States a step away that can be assembled: along the motion; where there is none, along what the rows allow."""
    n_q, n, _ = terms.sizes
    directions = [x[1 + n_q : 1 + n_q + n]] if moving else _allowed(terms, x)
    states = []
    for direction in directions:
        moved, step = x.copy(), dot(terms.spread(x), direction)
        moved[1 : 1 + n_q] += ASIDE * step / max(float(np.abs(step / terms.base.units.q).max(initial=0.0)), 1e-300)
        try:
            states.append(assemble_q(terms, moved, units=units_at(terms, x)))
        except (ConstraintError, EvaluationError):
            continue
    return states


def _allowed(terms: Terms, x: Array) -> list[Array]:
    """Some speeds with B u = 0; rows and speeds in their units."""
    unit = terms.base.units.u
    _, singular, vt = svd(terms.place(x).B * unit / terms.typical(x)[:, None])
    free = vt[int((singular > CUT * max(float(singular.max(initial=0.0)), 1e-300)).sum()) :]
    rng = np.random.default_rng(5)
    return [unit * dot(rng.normal(size=len(free)), free) for _ in range(TRIES)] if len(free) else []


def _astray(terms: Terms, x: Array, state: Array) -> bool:
    """Whether the way to a state beside x, along a branch, is not the way the mechanism moves."""
    n_q, n, _ = terms.sizes
    motion = dot(terms.spread(x), x[1 + n_q : 1 + n_q + n]) / terms.base.units.q
    expected = ASIDE * motion / max(float(np.abs(motion).max(initial=0.0)), 1e-300)
    step = (state[1 : 1 + n_q] - x[1 : 1 + n_q]) / terms.base.units.q
    return bool(np.abs(step - expected).max() > ASTRAY * ASIDE)


def _is_moving(terms: Terms, x: Array) -> bool:
    """Whether speeds are more than what an impact leaves of them by rounding."""
    n_q, n, _ = terms.sizes
    speeds = np.abs(x[1 + n_q : 1 + n_q + n] / terms.base.units.u)
    return bool(terms.base.scales.time * float(speeds.max(initial=0.0)) > ROUNDING_OF_SPEEDS)


def refuse(terms: Terms, x: Array, here: int, nearby: int) -> None:
    """A singular position at which no branch of motion is known, by name."""
    rows, moving = terms.rows, _is_moving(terms, x)
    names = (*rows.equations.q_names, *rows.equations.u_names)
    where = ", ".join(f"{name} = {value:.6g}" for name, value in zip(names[:8], x[1:], strict=False))
    does, do = (
        ("moves as no branch of motion does", "Give speeds along a branch")
        if moving
        else ("stands still, so that nobody knows which branch of motion is meant", "Give it a speed")
    )
    if nearby == terms.sizes[1]:
        does, do = "is locked in it, by forces without bound", "Impose what locks it elsewhere"
    raise ConstraintError(
        f"'{rows.equations.name}' is at a singular position and {does}: {', '.join(rows.slices)} hold {here} of its "
        f"speeds there and {nearby} close by ({where}). {do}, or start beside it; a run that passes through needs no "
        "help."
    )

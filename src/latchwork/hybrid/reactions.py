"""Reactions along a run: what every constraint and joint exerts at each sample, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.products import dot
from latchwork.constraint.reacting.reaction_items import Item
from latchwork.constraint.reacting.reaction_plan import Plan, plan_of
from latchwork.constraint.rows import Rows
from latchwork.constraint.solve import least_norm, multipliers
from latchwork.constraint.terms import Array, Terms
from latchwork.errors import EvaluationError, did_you_mean
from latchwork.hybrid.path import Stage, at_jumps
from latchwork.hybrid.stages import ByAcceleration, Held
from latchwork.hybrid.trajectory import Samples, Trajectory
from latchwork.mechanics.point import Point


@dataclass(frozen=True, eq=False)
class ReactionAlong:
    """Force and torque in N, (samples, 3) each, zero while it does not act; λ of a constraint, (samples, rows)."""

    name: str
    on: str | None
    other: str | None
    at: Point | None
    force: Array | None
    torque: Array | None
    lam: Array

    def __repr__(self) -> str:
        where = "" if self.on is None else f" on {self.on} from {self.other}"
        where += "" if self.at is None else f" at {self.at.name}"
        return f"<Reaction '{self.name}'{where}: force, torque and lam of {len(self.lam)} samples>"


class ReactionsAlong(Mapping[str, ReactionAlong]):
    """Reactions by name."""

    def __init__(self, model: str, found: dict[str, ReactionAlong]) -> None:
        self.model, self.found = model, found

    def __getitem__(self, name: str) -> ReactionAlong:
        if name not in self.found:
            raise EvaluationError(f"'{self.model}' has no reaction named '{name}'.{did_you_mean(name, self.found)}")
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        return f"<Reactions along a run of '{self.model}': {', '.join(self.found)}>"


def reactions_along(run: Trajectory, at: Point | None) -> ReactionsAlong:
    """Segment by segment: u̇ and λ from the mode, then all wrenches by one program."""
    equations = run.equations
    found: dict[str, ReactionAlong] = {}
    r = np.column_stack([np.empty((len(run.t), 0)), *(run[symbol] for symbol in equations.r)])
    p = run.rest[len(equations.r) :][: len(equations.p)]
    udot = run.udot if run.udot is not None else _accelerations(run)
    starts = np.array([segment.solution.t[0] for segment in run.path.segments])
    which = at_jumps(starts, run.t)
    plans: dict[Rows | None, Plan] = {}
    for number, segment in enumerate(run.path.segments):
        here = np.flatnonzero(which == number)
        if not len(here):
            continue
        states = np.nan_to_num(run.x[here, :-1])  # coordinates that came into the run later act on nothing yet
        x = np.column_stack([run.t[here], states, r[here], np.tile(p, (len(here), 1))])
        terms = segment.stage.mode.terms if isinstance(segment.stage, Held) else None
        rows = None if terms is None else terms.rows
        if rows not in plans:
            plans[rows] = plan_of(equations, rows, at)
        plan, lam = plans[rows], _multipliers(run, segment.stage, terms, here, udot)
        wrenches = plan.wrenches(x, udot[here], lam)
        place = {item.name: i for i, item in enumerate(plan.physical)}
        for item in plan.items:
            own = found[item.name] = _with_room(found.get(item.name), item, len(run.t))
            own.lam[here, : len(item.rows)] = lam[:, list(item.rows)]
            if own.force is not None and own.torque is not None and item.name in place:
                own.force[here], own.torque[here] = np.split(wrenches[:, place[item.name]], 2, axis=1)
    return ReactionsAlong(equations.name, found)


def _with_room(known: ReactionAlong | None, item: Item, samples: int) -> ReactionAlong:
    """What is known of a reaction, with room for all its rows: a contact has more of them while it sticks."""
    if known is None:
        room = None if item.wrench is None else np.zeros((samples, 3))
        return ReactionAlong(item.name, item.on, item.other, None if item.wrench is None else item.wrench.about, room,
                             None if room is None else room.copy(), np.zeros((samples, len(item.rows))))  # fmt: skip
    missing = len(item.rows) - known.lam.shape[1]
    return replace(known, lam=np.pad(known.lam, ((0, 0), (0, missing)))) if missing > 0 else known


def _accelerations(run: Samples) -> Array:
    return np.column_stack([run[rate] for rate in run.equations.system.u_rates])


def _multipliers(run: Trajectory, stage: Stage, terms: Terms | None, here: NDArray[np.intp], udot: Array) -> Array:
    """λ of all rows at some samples; of least norm where rows are redundant and no share of theirs is given."""
    if terms is None or not isinstance(stage, Held):
        return np.zeros((len(here), 0))
    rest = run.driven.rest_at(run.rest, run.t[here])
    told = not stage.mode.selection.redundant or not stage.mode.is_plain
    full = np.column_stack([run.t[here], _known(run.x[here])[:, :-1], rest])
    if not isinstance(stage, ByAcceleration):
        states = np.array([stage.reduced(row) for row in _known(run.x[here])]).reshape(len(here), -1)
        lam = stage.mode.multipliers(np.column_stack([run.t[here], states, rest]))
        if told:
            return lam
        return np.array([least_norm(*row) for row in zip(lam, *_rows(terms, full), strict=True)]).reshape(lam.shape)
    lam = np.zeros((len(here), len(terms.rows)))
    for i, state in enumerate(full):
        motion, B = terms.motion(state), terms.place(state).B
        lam[i] = multipliers(B, dot(motion.M, udot[here[i]]) - motion.f, motion.M)
    return lam


def _rows(terms: Terms, full: Array) -> tuple[list[Array], list[Array]]:
    """B and M at many states."""
    return [terms.place(state).B for state in full], [terms.motion(state).M for state in full]


def _known(x: Array) -> Array:
    """States without the coordinates that came into the run later."""
    return x[:, ~np.isnan(x).all(axis=0)]

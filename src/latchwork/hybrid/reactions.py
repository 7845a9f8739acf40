"""Reactions along a run: what every constraint and joint exerts at its samples, or at any times, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.products import dot
from latchwork.constraint.reactions.reaction_items import Item, about, must_be_names
from latchwork.constraint.reactions.reaction_plan import Plan, plan_of
from latchwork.constraint.rows import Rows, joined
from latchwork.constraint.solve import least_norm, multipliers
from latchwork.constraint.terms import Array, Terms
from latchwork.contact.law import Contact
from latchwork.errors import EvaluationError, did_you_mean
from latchwork.hybrid.contacts.contact_point import enforced_by_coordinates, normal_force
from latchwork.hybrid.event import STATES
from latchwork.hybrid.friction_forces import friction_rows, sliding_friction
from latchwork.hybrid.mode_dynamics import ByAcceleration, Recombined
from latchwork.hybrid.path import ModeDynamics, at_jumps
from latchwork.hybrid.time_stepping.stepped_dynamics import Stepped
from latchwork.hybrid.trajectory import Samples
from latchwork.mechanics.point import Point


@dataclass(frozen=True, eq=False)
class ReactionAlong:
    """Force and torque in N, (samples, 3) each, zero while it does not act; λ of a constraint, (samples, rows).

    At one time, where samples were asked for at a number, (3,) and (rows,).
    """

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
        if name not in self:
            hint = did_you_mean(str(name), self.found)
            raise EvaluationError(f"'{self.model}' has no reaction named '{name}'.{hint}")
        return self.found[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.found

    def get(self, name: str, default: Any = None) -> Any:
        """The reaction of a name, or else the default: what never touched has none."""
        return self.found[name] if name in self else default

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def _repr_html_(self) -> str:
        from latchwork.hybrid.overview import reactions_html

        return reactions_html(self.found)

    def __repr__(self) -> str:
        return f"<Reactions along a run of '{self.model}': {', '.join(self.found)}>"


def reactions_along(samples: Samples, at: Any = None, motors: bool = False) -> ReactionsAlong:
    """Segment by segment: u̇ and λ from the mode, then all wrenches by one program."""
    equations, x = samples.equations, _arguments(samples)
    found: dict[str, ReactionAlong] = {}
    places, plans = about(equations.system, at), dict[tuple[Rows | None, tuple[str, ...]], Plan]()
    udot = _accelerations(samples)
    for dynamics, here in _pieces(samples):
        terms = dynamics.mode.terms if isinstance(dynamics, Recombined) else None
        lam = _multipliers(samples, dynamics, terms, here, udot)
        rows, slid = None if terms is None else terms.rows, list(sliding_friction(samples, dynamics, here, lam))
        key = rows, tuple([each.feature.name for each in slid])
        if key not in plans:
            parts = [*([rows] if rows is not None and len(rows) else []),
                     *[friction_rows(samples, each.feature) for each in slid]]  # fmt: skip
            plans[key] = plan_of(equations, joined(parts) if slid else rows, places, bool(motors))
        plan = plans[key]
        lam = np.column_stack([lam, *[each.lam for each in slid]])
        wrenches = plan.wrenches(x[here], udot[here], lam)
        place = {item.name: i for i, item in enumerate(plan.physical)}
        for item in plan.items:
            own = found[item.name] = _with_room(found.get(item.name), item, len(x))
            own.lam[here, : len(item.rows)] = lam[:, list(item.rows)]
            if own.force is not None and own.torque is not None and item.name in place:
                own.force[here], own.torque[here] = np.split(wrenches[:, place[item.name]], 2, axis=1)
    must_be_names(equations, [item for plan in plans.values() for item in plan.items], places)
    one = np.ndim(samples.t) == 0
    return ReactionsAlong(equations.name, {name: _only(each) if one else each for name, each in found.items()})


def forces_along(samples: Samples, names: Sequence[str]) -> Array:
    """The forces that ``constraint.force`` and ``contact.force`` stand for: one column for each row or contact.

    0 while it does not act, nan while it was time-stepped.
    """
    found, udot = np.zeros((np.size(samples.t), len(names))), _accelerations(samples)
    places = [feature for contact in samples.contacts for feature in contact.features if feature.name in names]
    gaps = [feature for feature in places if feature.rate is None and feature.closed_with is None]
    enforced = {each.name: each for each in gaps if enforced_by_coordinates(samples.equations, each)}
    for dynamics, here in _pieces(samples):
        if isinstance(dynamics, Stepped):
            found[here] = np.nan
        elif isinstance(dynamics, Recombined):
            lam, rows = _multipliers(samples, dynamics, dynamics.mode.terms, here, udot), dynamics.mode.terms.rows
            for k, name in enumerate(names):
                if name not in enforced:
                    found[here, k] = lam[:, _rows_of(rows, name, samples.contacts)].sum(axis=1)
            for feature, own in sliding_friction(samples, dynamics, here, lam):
                for k, name in enumerate(names):
                    if name == feature.name:
                        found[here, k] = own[:, 0]
        for k, name in enumerate(names):
            if name in enforced and any(f"{name}: {state}" in dynamics.names for state in STATES):
                found[here, k] = np.ravel(samples[normal_force(samples.equations, enforced[name])])[here]
    return found


def components_along(samples: Samples, asked: Sequence[tuple[str, str, int]]) -> Array:
    """Single measure numbers of reactions: (name, force or torque, component); 0 while it does not act."""
    found, columns = reactions_along(samples), []
    for name, part, k in asked:
        values = getattr(found[name], part) if name in found else np.zeros((np.size(samples.t), 3))
        if values is None:
            raise EvaluationError(f"'{name}' of '{samples.equations.name}' says what must be zero, not where it acts: "
                                  f"its {part} has no direction. Ask for force(...) of its rows, or make it with "
                                  "model.close, roll or another of the constraints that know.")  # fmt: skip
        columns.append(values.reshape(-1, 3)[:, k])
    return np.column_stack(columns)


def _rows_of(rows: Rows, name: str, contacts: Sequence[Contact]) -> list[int]:
    """The rows behind a name: a row of that name, or the normal rows of all places of a contact."""
    if name in rows.names:
        return [rows.names.index(name)]
    places = [feature.name for contact in contacts if contact.whole.name == name for feature in contact.features
              if feature.closed_with is None]  # fmt: skip
    return [rows.slices[place].start for place in dict.fromkeys((name, *places)) if place in rows.slices]


def _pieces(samples: Samples) -> Iterator[tuple[ModeDynamics, NDArray[np.intp]]]:
    """The modes that samples were made in, and which samples those are."""
    if samples.path is None:
        raise EvaluationError(f"these samples of '{samples.equations.name}' come without their run. Ask the run.")
    segments = samples.path.segments
    which = at_jumps(np.array([segment.solution.t[0] for segment in segments]), np.ravel(samples.t))
    for number, segment in enumerate(segments):
        here = np.flatnonzero(which == number)
        if len(here):
            yield segment.dynamics, here


def _arguments(samples: Samples) -> Array:
    """(t, q, u, r, p), one row for each sample."""
    t, equations = np.ravel(samples.t), samples.equations
    r = [np.ravel(samples[symbol]) for symbol in equations.r]
    p = samples.rest[len(equations.r) :][: len(equations.p)]
    states = np.nan_to_num(_states(samples)[:, :-1])  # coordinates that came into the run later act on nothing yet
    return np.column_stack([t, states, *r, np.tile(p, (len(t), 1))])


def _states(samples: Samples) -> Array:
    return samples.x.reshape(np.size(samples.t), -1)


def _only(each: ReactionAlong) -> ReactionAlong:
    """A reaction at one time."""
    force, torque = (None if part is None else part[0] for part in (each.force, each.torque))
    return replace(each, force=force, torque=torque, lam=each.lam[0])


def _with_room(known: ReactionAlong | None, item: Item, samples: int) -> ReactionAlong:
    """What is known of a reaction, with room for all its rows: a contact has more of them while it sticks."""
    if known is None:
        room = None if item.wrench is None else np.zeros((samples, 3))
        return ReactionAlong(item.name, item.on, item.other, None if item.wrench is None else item.wrench.about, room,
                             None if room is None else room.copy(), np.zeros((samples, len(item.rows))))  # fmt: skip
    missing = len(item.rows) - known.lam.shape[1]
    return replace(known, lam=np.pad(known.lam, ((0, 0), (0, missing)))) if missing > 0 else known


def _accelerations(samples: Samples) -> Array:
    if samples.udot is not None:
        return samples.udot.reshape(np.size(samples.t), -1)
    return np.column_stack([np.ravel(samples[rate]) for rate in samples.equations.system.u_rates])


def _multipliers(samples: Samples, dynamics: ModeDynamics, terms: Terms | None, here: NDArray[np.intp],
                 udot: Array) -> Array:  # fmt: skip
    """λ of all rows at some samples; of least norm where rows are redundant and no share of theirs is given."""
    if terms is None or not isinstance(dynamics, Recombined):
        return np.zeros((len(here), 0))
    t, x = np.ravel(samples.t)[here], _known(_states(samples)[here])
    rest = samples.driven.rest_at(samples.rest, t)
    told = not dynamics.mode.selection.redundant or not dynamics.mode.is_plain
    full = np.column_stack([t, x[:, :-1], rest])
    if not isinstance(dynamics, ByAcceleration):
        states = np.array([dynamics.reduced(row) for row in x]).reshape(len(here), -1)
        lam = dynamics.mode.multipliers(np.column_stack([t, states, rest]))
        if told:
            return lam
        rows = zip(lam, *_rows(terms, full), strict=True)
        units = terms.base.units.u, terms.typical(full[0]) if len(full) else 1.0
        return np.array([least_norm(*row, *units) for row in rows]).reshape(lam.shape)
    lam = np.zeros((len(here), len(terms.rows)))
    for i, state in enumerate(full):
        motion, B = terms.motion(state), terms.place(state).B
        force, units = dot(motion.M, udot[here[i]]) - motion.f, (terms.base.units.u, terms.typical(state))
        lam[i] = multipliers(B, force, motion.M, *units)
    return lam


def _rows(terms: Terms, full: Array) -> tuple[list[Array], list[Array]]:
    """B and M at many states."""
    return [terms.place(state).B for state in full], [terms.motion(state).M for state in full]


def _known(x: Array) -> Array:
    """States without the coordinates that came into the run later."""
    return x[:, ~np.isnan(x).all(axis=0)]

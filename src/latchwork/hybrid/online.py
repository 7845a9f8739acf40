"""Constraints imposed and released while a run goes on, with the plastic impact that makes speeds consistent.

Every change takes a state and gives the next one, with what there is to be told of it; one that is refused gives none.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.branch_limit import impact_on_branch
from latchwork.constraint.consistency import EXACT, assemble_q, assemble_u, residual_of
from latchwork.constraint.constraint import Constraint
from latchwork.constraint.joints.closure import latch
from latchwork.constraint.joints.methods import Part, Parts
from latchwork.constraint.plastic_impact import struck, take_up
from latchwork.constraint.rule import Rule
from latchwork.errors import ConstraintError, ModelError, did_you_mean
from latchwork.hybrid.constraint_impulses import felt
from latchwork.hybrid.controllers import begun, plan_of
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.mode_table import Hold, ModeTable
from latchwork.hybrid.record import Record
from latchwork.hybrid.row_inputs import names_at
from latchwork.hybrid.rules import Watched, put_in
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.program.native import native

AS_BEFORE = 1e-9  # of the state and of its units: what an input changes by less is rounding
APART = 1e-6  # how far from zero Φ may be where a constraint is imposed in the run


class Changed(NamedTuple):
    """A state after a change of what holds, and what to tell of it: an event, and when its work began and ended."""

    state: SimState
    event: RunEvent
    began: float
    ended: float

    def noted(self, record: Record) -> RunEvent:
        """Put it down in a record; a jump of inputs is no switch."""
        t, names = self.event.t, self.state.active
        if self.event.kind == "input":
            record.worked("embed", names, t, self.began, self.ended)
        else:
            record.switched(t, self.event.before, names, self.began, self.ended)
        return record.tell(self.event)


# --- constraints ------------------------------------------------------------------------------------------------------


def constrain(table: ModeTable, state: SimState, constraint: Constraint, limit: Any = None) -> list[Changed]:
    """A constraint imposed: constraints are let go whose limits the impact would pass, then it holds."""
    began, name = time.perf_counter(), constraint.name
    if name in state.holds:
        raise ConstraintError(f"'{name}' holds already. Release it, or name the new one otherwise.")
    if name in state.contacts.names:
        raise ConstraintError(f"'{name}' is a contact of '{state.driven.equations.name}'. Name the constraint "
                              "otherwise.")  # fmt: skip
    hold, x, released = Hold(constraint, False, _limit(name, limit)), state.x, list[Changed]()
    after, impulses = impact(table, _with(state, hold), name)
    broken = after.limited - {name}
    if broken:
        terms = table.constraint_terms(after.holds)
        B = terms.place(after.row).B
        broken &= felt(terms, B, impulses, dot(B.T, np.concatenate([*impulses.values()]))).keys()
    if broken:
        released = let_go(table, _with(state, hold), broken)
        after, impulses = impact(table, released[-1].state, name)
    if not after.contacts.members:
        table.mode(table.constraint_terms(after.holds), after.row)
    after, jumped = follow_inputs(table, after.unsettled())
    event = RunEvent(state.t, name, state.active, after.active, impulses, "constrain", float(x[-1] - after.x[-1]))
    return [*released, *([] if jumped is None else [jumped]), Changed(after, event, began, time.perf_counter())]


def _with(state: SimState, hold: Hold) -> SimState:
    return state.but(holds={**state.holds, hold.constraint.name: hold})


def release(table: ModeTable, state: SimState, name: str | Constraint) -> Changed:
    """A constraint let go. Nothing jumps."""
    began, model = time.perf_counter(), state.driven.equations.name
    if isinstance(name, Constraint):
        name = name.name
    if not isinstance(name, str) or name not in state.holds:
        if isinstance(name, str) and name in state.contacts.names:
            raise ConstraintError(f"'{name}' is a contact of '{model}', which opens by itself where its force comes to "
                                  "zero. Only constraints are released.")  # fmt: skip
        hint = did_you_mean(str(name), state.holds) or " No constraint does."
        raise ConstraintError(f"'{name}' does not hold now.{hint}")
    if state.holds[name].permanent:
        raise ConstraintError(
            f"'{name}' is a constraint of the model '{model}' and holds in every run. Leave it out "
            "of the model and impose it with sim.constrain to be able to release it."
        )
    after = state.but(holds={key: hold for key, hold in state.holds.items() if key != name}).unsettled()
    if after.holds and after.settled:
        table.mode(table.constraint_terms(after.holds), after.row)
    event = RunEvent(state.t, name, state.active, after.active, {}, "release", 0.0)
    return Changed(after, event, began, time.perf_counter())


def let_go(table: ModeTable, state: SimState, names: Iterable[str]) -> list[Changed]:
    """Constraints released whose force limits an impact would pass, before it acts."""
    found = list[Changed]()
    for name in [name for name in state.holds if name in names]:
        found.append(release(table, state, name))
        state = found[-1].state
    return found


def welded(state: SimState, name: str, a: Part, b: Part) -> Constraint:
    """The constraint that fixes b to a in the pose that they have now."""
    equations, n_q = state.driven.equations, len(state.driven.equations.q)
    parts = Parts(equations.system)
    one, other = parts.side(name, a, None), parts.side(name, b, None)
    cosines = [e for row in one.frame.direction_cosines(other.frame) for e in row]
    way = other.point.position(one.point).measures(one.frame)
    numbers = equations.evaluate([*cosines, *way], state.x[:n_q], state.x[n_q:-1], state.inputs, t=state.t,
                                 p=state.parameters)  # fmt: skip
    return latch(name, one, other, numbers[:9].reshape(3, 3), numbers[9:])


def impact(table: ModeTable, state: SimState, name: str) -> tuple[SimState, dict[str, Array]]:
    """Speeds made consistent with all that holds; the energy it costs is booked as work. The impulses by name."""
    terms, x = table.constraint_terms(state.holds), state.row
    quick = struck(terms, x)
    if quick is not None and quick.off <= EXACT:
        n_q = terms.sizes[0]
        found = np.concatenate([state.x[:n_q], quick.u, state.x[-1:] + quick.gained])
        return state.but(x=found), {key: quick.impulses[part] for key, part in terms.rows.slices.items()}
    off = residual_of(terms, x)
    if off > APART:
        raise ConstraintError(
            f"'{name}' cannot be imposed at t = {state.t:.6g}: it is off by {off:.3g}. Wait until it is met "
            "(stop_when), or latch what is now (subtract its present value)."
        )
    placed = assemble_q(terms, x) if off > EXACT else x
    others = {key: hold for key, hold in state.holds.items() if key != name}
    held = table.constraint_terms(others) if others else None
    after, impulses = (held and impact_on_branch(held, terms, placed, name)) or assemble_u(terms, placed)
    n_q, n, _ = terms.sizes
    old, new, M = x[1 + n_q : 1 + n_q + n], after[1 + n_q : 1 + n_q + n], terms.motion(after).M
    lost = 0.5 * float(dot(new, M, new) - dot(old, M, old))
    found = np.append(after[1 : len(state.x)], state.x[-1] + lost)
    return state.but(x=found), {key: impulses[part] for key, part in terms.rows.slices.items()}


def _limit(name: str, limit: Any) -> float | None:
    """A force limit: none, or a positive number."""
    if limit is None:
        return None
    try:
        value = float(limit)
    except (TypeError, ValueError):
        value = -1.0
    if not 0.0 < value < np.inf or isinstance(limit, str):
        raise ConstraintError(f"the force limit of '{name}' is {limit!r}. Give a positive number, or leave it out.")
    return value


# --- inputs in rows ---------------------------------------------------------------------------------------------------


def follow_inputs(table: ModeTable, state: SimState) -> tuple[SimState, Changed | None]:
    """Speeds that follow inputs in rows which have jumped since they were seen, by an impact; what to tell of it."""
    places = table.inputs_in_rows(state.holds, state.contacts.members) if state.driven.equations.r else ()
    if not places:
        return state, None
    rest = state.rest_now
    now = {i: float(rest[i]) for i in places}
    jumped = [i for i in places if i in state.inputs_seen and state.inputs_seen[i] != now[i]]
    state = state.but(inputs_seen=now)
    if not jumped:
        return state, None
    return _jumped(table, state, names_at(state.driven, jumped), any(i < len(state.driven.equations.r) for i in jumped))


def _jumped(table: ModeTable, state: SimState, names: str, by_itself: bool) -> tuple[SimState, Changed | None]:
    """After a jump of inputs; of a linear table only the slope jumps, which may change nothing, and is no event."""
    began, was = time.perf_counter(), state.x
    off = residual_of(table.constraint_terms(state.holds), state.row) if state.holds else 0.0
    if off > APART:
        raise ConstraintError(
            f"{names} of '{state.driven.equations.name}' jumps at t = {state.t:.6g}, and what holds is off by "
            f"{off:.3g} then: coordinates cannot jump with it. Let it move steadily: by a law in t, or by a linear "
            "lw.Table."
        )
    after, impulses = impact(table, state, names) if state.holds else (state, {})
    after = after.unsettled()
    units = table.base.state_units[:-1]
    moved, size = (float(np.abs(part[:-1] / units).max(initial=0.0)) for part in (after.x - was, was))
    if not (by_itself or moved > AS_BEFORE * (1.0 + size)):
        return after, None
    event = RunEvent(state.t, names, state.active, state.active, impulses, "input", float(was[-1] - after.x[-1]))
    return after, Changed(after, event, began, time.perf_counter())


# --- rules ------------------------------------------------------------------------------------------------------------


def with_rules(state: SimState, rules: Iterable[Rule]) -> SimState:
    """The state with more rules, which act from now on."""
    rules, contacts = list(rules), state.contacts
    if not rules:
        return state
    for rule in rules:
        for name in set(contacts.names).intersection(rule.release):
            raise ModelError(f"rule '{rule.name}' is to release '{name}', a contact, which opens by itself where "
                             "its force comes to zero. Only constraints are released.")  # fmt: skip
    permanent = [name for name, hold in state.holds.items() if hold.permanent]
    if any(rule.held for rule in rules):
        native(take_up)  # what holds something is met by an impact
    return state.but(rules=state.rules.add(rules, state.driven, (*state.holds, *contacts.names), permanent))


def fire(table: ModeTable, state: SimState, due: Watched) -> tuple[SimState, RunEvent]:
    """The state after a rule has fired: it lets go, sets speeds and inputs, holds, x⁺ = R(x⁻). What energy that takes
    is booked as work."""
    rule, energy = due.rule, float(table.energy(state.row)[0])
    rules = state.rules.count(due, state.t, table.base.scales.time, state.driven.equations.name)
    effect = due.effect(table.base, state.row)
    holds = {name: hold for name, hold in state.holds.items() if name not in rule.release}
    holds |= {constraint.name: Hold(constraint, False, None, latched) for constraint, latched in effect.hold}
    x = state.x.copy()
    x[list(effect.states)] = list(effect.states.values())
    driven = put_in(state.driven, state.rest, state.began, state.t, effect.inputs)
    after, impulses = state.but(rules=rules, holds=holds, x=x, driven=driven), dict[str, Array]()
    if holds and (effect.states or effect.hold):
        after, impulses = impact(table, after, rule.name)
    gained = float(table.energy(after.row)[0]) - energy
    x = after.x.copy()
    x[-1] = state.x[-1] + gained
    after = after.but(x=x).unsettled()
    return after, RunEvent(state.t, rule.name, state.active, after.active, impulses, "rule", 0.0 - gained)


def with_controllers(table: ModeTable, state: SimState, controllers: Sequence[Any]) -> SimState:
    """The state with other sampled controllers in the place of those before, which command inputs from now on."""
    equations = state.driven.equations
    names = [name for name, hold in state.holds.items() if hold.permanent]
    made = plan_of(controllers, equations, names, [each.name for each in state.contacts.members])
    if made.law is not None or made.expressions or made.equations is not equations:
        raise ModelError(
            f"'{equations.name}' runs already: laws that act continuously, and forces with gains, are part of "
            "its equations. Give them where it starts, or lw.control.Sampled(law, period)."
        )
    for law in made.sampled:
        law.start(table.base, state.row)
    return state.but(controllers=begun(made, state.t))

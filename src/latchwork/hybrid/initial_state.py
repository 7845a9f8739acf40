"""The state that a run begins in: what holds at the start, in the scales and units of the start, contacts undecided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from latchwork.constraint.consistency import Start, consistent
from latchwork.contact.law import Contact
from latchwork.errors import ModelError, must_be
from latchwork.hybrid.contacts.broad_phase import BroadPhase
from latchwork.hybrid.contacts.initial_contacts import contacts_of
from latchwork.hybrid.controllers import begun
from latchwork.hybrid.designs import Automaton
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.mode_table import Hold
from latchwork.hybrid.online import follow_inputs, with_rules
from latchwork.hybrid.online_contacts import with_contacts
from latchwork.hybrid.rules import rules_of
from latchwork.hybrid.start import seconds, start_of
from latchwork.hybrid.state import SimState
from latchwork.hybrid.time_stepping.settings import EventRate, TimeStepping, event_rate_of
from latchwork.hybrid.undefined import must_have_inertia
from latchwork.hybrid.world import World
from latchwork.kane.coupling import largest_tree


def initial_state(world: World, q: Any, u: Any, parameters: Mapping[str, float] | None, start: float,
                  thick: TimeStepping | Literal[False] | None,
                  has_design: bool) -> tuple[SimState, Start | None]:  # fmt: skip
    """The state at the start, with speeds that meet what is permanent, and how it was made to; of what collides, pairs
    that are near are contacts from here on."""
    shared, drives = world.shared, world.shared.driven
    model, plan = shared.model, shared.plan
    if thick is not False:
        must_be(thick, (TimeStepping, type(None)), "thick", "Give lw.TimeStepping(step), False, or leave it out.")
    t, holds = seconds("start", start), {k.name: Hold(k, True, None) for k in shared.permanent}
    contacts = contacts_of(model)
    given = start_of(shared.equations, q, u, shared.held, parameters, t, contacts)
    n = 1 + given.states
    x, rest = given.x, np.append(given.x[n:], np.zeros(len(drives.rest) - len(given.x[n:])))
    row = np.concatenate([x[:n], drives.rest_at(rest, x[0])])
    world.broad_phase = BroadPhase(model, world.keeps_awake or isinstance(world.design, Automaton))
    drives = world.measured(drives, row, contacts)
    made: Start | None = None
    if shared.permanent:
        terms = world.table(drives).constraint_terms(holds)
        x, made = consistent(terms, row, given.q_held, given.u_held, given.q_unsaid)
    else:
        must_have_inertia(world.table(drives).base, drives, t, np.append(x[1:n], 0.0), rest)
    rate = initial_event_rate(world, drives, contacts, thick, has_design)
    state = SimState(t, np.append(x[1:n], 0.0), rest, drives, rate, t, holds)
    near = world.broad_phase.first(world.table(drives).base, state.row)
    state = world.with_pairs_of(with_contacts(world, state, (*contacts, *near)), rules_of(model))
    state = with_rules(state, rules_of(model))
    for law in (plan.law, *plan.sampled):
        if law is not None:
            law.start(world.table(state.driven).base, state.row)
    state = state.but(controllers=begun(plan, t))
    return follow_inputs(world.table(state.driven), state)[0], made


def initial_event_rate(world: World, drives: Driven, contacts: tuple[Contact, ...],
                       thick: TimeStepping | Literal[False] | None, has_design: bool) -> EventRate:  # fmt: skip
    """How events are counted, by how many contacts there may be; not where a law acts continuously, or by a design."""
    plan, pairs, equations = world.shared.plan, world.broad_phase.pairs, world.shared.equations
    drawn = [contact for contact in contacts if not (contact.recipe or contact.bounds)]
    if plan.law is not None and isinstance(thick, TimeStepping):
        raise ModelError(f"law '{plan.law_name}' acts continuously, and time steps of {thick} hold inputs. Sample "
                         "the law, or leave thick out.")  # fmt: skip
    count = max(len(drawn) + pairs, len(contacts) - len(drawn))  # of shapes, or of joints
    count = 0 if has_design or plan.law is not None else count
    tree = largest_tree(equations.derivation.motion) if count and pairs else 0
    return event_rate_of(thick, count, world.table(drives).base.scales.time, len(equations.u), tree)

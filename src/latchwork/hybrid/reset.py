"""The reset of a run: from the state where guards fell to the state after. Zones, impacts, contacts that stay closed.

    x⁺, contact states⁺ = R(x⁻, contact states⁻)        where guards of contacts fall

They are decided in a kernel (`contacts.reset_kernel`), which works on records of a copy of the contact states.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.terms import Terms
from latchwork.errors import IntegrationError
from latchwork.hybrid.constraint_impulses import constraint_impulses
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.contacts.reset import Passed
from latchwork.hybrid.online import Changed, let_go
from latchwork.hybrid.record import Record
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.hybrid.world import World


class Notes(NamedTuple):
    """What there is to tell of a reset: constraints that it let go, what events are made of, the names of what holds
    before and after, when it began by the clock; the row (t, q, u, rest) after it, none where contacts come to no rest.
    """

    released: Sequence[Changed] = ()
    told: tuple[Any, ...] | None = None
    names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    began: float = 0.0
    row: Array | None = None

    def noted(self, t: float, record: Record) -> None:
        """Put it down in a record."""
        for changed in self.released:
            changed.noted(record)
        if self.row is None:
            return
        if self.told is not None:
            record.tell_later(*self.told)
        before, after = self.names
        if before != after or record.pending is None:
            record.begin_switch(t, before, after, self.began)


def reset(world: World, state: SimState, hits: Sequence[Guard], lam: Mapping[str, Array],
          tell: bool = False) -> tuple[SimState, Notes]:  # fmt: skip
    """The state after some guards fell, with forces where a contact slipped.

    What is closed to begin with is no event; what a rule or a constraint makes open or close is (``tell``).
    """
    began, table, x = time.perf_counter(), world.table(state.driven), state.row
    names = state.active
    before, contacts = state.contacts, state.contacts.copied()
    held = table.held(state.holds)
    passed = _passed(world, state, contacts, held, x, hits, lam)
    if passed is None:
        return state.but(contacts=contacts, event_rate=replace(state.event_rate, stuck=True)), Notes()
    limited = state.limited
    if limited and passed.impacts:
        impulses = {name: part for impact in passed.impacts for name, part in impact.impulses.items()}
        broken = limited & constraint_impulses(held, x, passed.x, contacts.contact_points, impulses).keys()
        if broken:
            released = let_go(table, state, broken)
            after, notes = reset(world, released[-1].state, hits, lam, True)
            return after, notes._replace(released=[*released, *notes.released])
    found = np.empty(len(state.x))
    found[:-1], found[-1] = passed.x[1 : len(found)], state.x[-1] + passed.work
    after = state.but(x=found, contacts=contacts, settled=True)
    both = names, names if contacts.closed == before.closed else after.active
    told = None
    if hits or passed.impacts or tell:
        parts = held, x, passed.x, contacts.contact_points
        told = (state.t, before.closed, contacts.closed, contacts.contact_points, passed.impacts, hits, both,
                partial(constraint_impulses, *parts))  # fmt: skip
    return after, Notes((), told, both, began, passed.x)


def _passed(world: World, state: SimState, contacts: ContactStates, held: Terms, x: Array, hits: Sequence[Guard],
            lam: Mapping[str, Array]) -> Passed | None:  # fmt: skip
    """The reset of contacts, whose states it changes; none where they come to no rest and may be stepped."""
    try:
        return world.table(state.driven).resets(contacts, held, x, hits, lam, world.at_once, world.brief)
    except IntegrationError:
        if not state.event_rate.allowed:
            raise
        return None

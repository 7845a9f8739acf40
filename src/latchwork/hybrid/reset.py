"""The reset of a run: from the state where guards fell to the state after. Zones, impacts, contacts that stay closed.

    x⁺, contact states⁺ = R(x⁻, contact states⁻)        where guards of contacts fall

They are decided in a kernel (`contacts.reset_kernel`), which works on records of a copy of the contact states. What a
reset began from is kept (`KeptReset`), so that it can be made again as Python.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.terms import Terms
from latchwork.errors import EvaluationError, IntegrationError
from latchwork.hybrid.constraint_impulses import constraint_impulses
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.contacts.reset_requests import Call, Happened, Passed, as_machine_code, as_python
from latchwork.hybrid.online import Changed, let_go
from latchwork.hybrid.record import Record
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.hybrid.world import World

Began = tuple[SimState, Mapping[str, Array]]  # the state before a reset, and forces where a contact slips


class Reset(NamedTuple):
    """A reset: the state before and after it, the impulses of contacts, the energy that impacts took, and notes."""

    before: SimState
    after: SimState
    impulses: Mapping[str, Array]
    energy: float
    notes: tuple[str, ...]


class KeptReset:
    """What a reset began from and came to, so that it can be made again; ``began`` gives the state and forces there.

    It is not pickled, and a run keeps no more than its last ones: `drop` lets go of all it holds.
    """

    __slots__ = ("_given",)

    def __init__(self, world: World | None = None, began: Callable[[], Began] | None = None, hits: Sequence[Guard] = (),
                 after: SimState | None = None) -> None:  # fmt: skip
        self._given = None if world is None or began is None or after is None else (world, began, hits, after)

    def __reduce__(self) -> Any:
        return KeptReset, ()

    def drop(self) -> None:
        """Forget it."""
        self._given = None

    def replay(self, call: Call = as_python) -> Reset:
        """The same reset once more, as Python, which must come to the same bits; the run stays as it is."""
        if self._given is None:
            raise EvaluationError("what this reset began from is not kept: a run keeps its last resets, and a pickle "
                                  "none. Run again until the time of the event, and replay it there.")  # fmt: skip
        world, began, hits, after = self._given
        state, lam = began()
        contacts, held = state.contacts.copied(), world.table(state.driven).constraint_terms(state.holds)
        passed = _passed(world, state, contacts, held, state.row, hits, lam, call)
        found = state.but(contacts=contacts) if passed is None else _reached(state, contacts, passed)
        differs = [name for name, one in _bits(found).items() if one != _bits(after)[name]]
        if passed is None or differs:
            raise IntegrationError(
                f"the reset of '{state.driven.equations.name}' at t = {state.t:.9g} comes to other bits than the run "
                f"did, in {', '.join(differs)}. This is a defect of Latchwork: please report it with the model."
            )
        happened = passed.impacts[0] if passed.impacts else Happened({}, 0.0)
        return Reset(state, found, happened.impulses, happened.energy, happened.notes)


def _bits(state: SimState) -> dict[str, Any]:
    """All that a reset decides, by name, so that equal is equal bit by bit."""
    s = state.contacts
    return {
        "x": state.x.tobytes(),
        "contact states": {point.name: (how.state, _words(how.slip), _words(how.impending), how.cone_margin,
                                        how.unloaded) for point, how in s.closed.items()},
        "leaving depths": {point.name: deep for point, deep in s.leaving_depths.items()},
        "what is met from behind": {point.name for point in s.behind},
        "zones": list(s.zones.values()),
        "scales": _words((s.approach_scale, s.motion_scale, s.shared)),
        "forces": {name: force.tobytes() for name, force in s.lam.items()},
        "slip": {point.name: (_words((since,)), margin) for point, (since, margin) in s.slipped.items()},
    }  # fmt: skip


def _words(numbers: Sequence[float] | None) -> bytes | None:
    return None if numbers is None else np.array(numbers, dtype=float).tobytes()


class Notes(NamedTuple):
    """What there is to tell of a reset: constraints that it let go, what events are made of, the names of what holds
    before and after, when it began by the clock; the row (t, q, u, rest) after it, none where contacts come to no rest;
    and what it can be made again from.
    """

    released: Sequence[Changed] = ()
    told: tuple[Any, ...] | None = None
    names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    began: float = 0.0
    row: Array | None = None
    kept: KeptReset | None = None

    def noted(self, t: float, record: Record) -> None:
        """Put it down in a record."""
        for changed in self.released:
            changed.noted(record)
        if self.row is None or self.kept is None:
            return
        kept = record.keep(self.kept)
        if self.told is not None:
            record.tell_later(*self.told, kept)
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
    held = table.constraint_terms(state.holds)
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
    after = _reached(state, contacts, passed)
    both = names, names if contacts.closed == before.closed else after.active
    told = None
    if hits or passed.impacts or tell:
        parts = held, x, passed.x, contacts.contact_points
        told = (state.t, before.closed, contacts.closed, contacts.contact_points, passed.impacts, hits, both,
                partial(constraint_impulses, *parts))  # fmt: skip
    return after, Notes((), told, both, began, passed.x, KeptReset(world, lambda: (state, lam), hits, after))


def _reached(state: SimState, contacts: ContactStates, passed: Passed) -> SimState:
    """The state after a reset."""
    x = np.empty(len(state.x))
    x[:-1], x[-1] = passed.x[1 : len(x)], state.x[-1] + passed.work
    return state.but(x=x, contacts=contacts, settled=True)


def _passed(world: World, state: SimState, contacts: ContactStates, held: Terms, x: Array, hits: Sequence[Guard],
            lam: Mapping[str, Array], call: Call = as_machine_code) -> Passed | None:  # fmt: skip
    """The reset of contacts, whose states it changes; none where they come to no rest and may be stepped."""
    try:
        return world.table(state.driven).resets(contacts, held, x, hits, lam, world.at_once, world.brief, call)
    except IntegrationError:
        if not state.event_rate.allowed:
            raise
        return None

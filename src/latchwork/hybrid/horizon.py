"""Horizons: times until which a run may flow before something has to be looked at again.

    rows of tables     inputs are held, or linear, between them
    what sleeps        the room of contacts that are not watched is used up,    t + ½ min room / pace
    tracked curves     another place of a curve may have come nearer

Afterwards it is checked that nothing can have happened that was not looked at. Of what sleeps, along the steps,

    spent + ∫ pace dt < room

where between two steps the pace is taken as the larger of both, and some more; of curves, that none is met elsewhere at
the end. Where something may have happened, the run is taken back, and runs again as far as it was good: the state is a
value, and nothing is lost but time. What sleeps is part of the state (`rooms`): events do not end what was seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.initial_contacts import refuse_fit
from latchwork.hybrid.contacts.rooms import Rooms, Sleeping
from latchwork.hybrid.mode_integration import Broken, FlowResult
from latchwork.hybrid.online_contacts import with_place
from latchwork.hybrid.path import Segment
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.integrate.dense_output import Event, Record, join
from latchwork.integrate.reusable_integration import Samples

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

Run = Callable[[float, bool], FlowResult | None]
Paces = tuple[Array, Array, Array]  # of pairs, of contacts and of curves, see `World.paces`


def look_around(sim: Simulation, limit: float) -> float | None:
    """Look at tracked curves where it is time, for another place may be nearer now: the time until which the run may
    flow. None where a curve is about to be met at one more place, which is tracked from here on."""
    state = sim.state
    until = limit if not state.driven.columns else min(limit, state.driven.next_row(state.t))
    tracked = state.contacts.tracked
    if (tracked or state.sleeping.curves.sleeps) and not look_at_curves(sim, tracked):
        return None
    return min([until, *[rooms.until for rooms in sim.state.sleeping.rooms if rooms.sleeps]])


def look_at_curves(sim: Simulation, tracked: Sequence[ContactPoint]) -> bool:
    """Look at tracked curves, where what was seen last may not be relied on any more, and let them be tracked at the
    places that are nearest; false where one is about to be met at one more place, which is tracked from here on."""
    state, of = sim.state, sim.state.asleep_with[2]
    curves = state.sleeping.curves
    if state.t < curves.until and curves.is_of(of) and state.sleeping.place == state.place:
        return True
    until, rooms, s = math.inf, list[float](), state.contacts
    for point in tracked:
        x, seconds, room, is_crowded = point.tracked_place.looked(
            sim.state.row, point in s.closed, s.places_of(point.contact, point.feature)
        )
        sim.state = sim.state.at(x)
        if is_crowded:
            sim.state = with_place(sim.world, sim.state, point)
            return False
        until = min(until, state.t + seconds)
        rooms.append(room)
    curves = Rooms(state.t, until, np.array(rooms), np.zeros(len(rooms)), of=of)
    sim.state = sim.state.having_slept(replace(state.sleeping, curves=curves))
    return True


# --- what is looked at afterwards -------------------------------------------------------------------------------------


def flow_to(sim: Simulation, until: float, samples: Array | None, run: Run) -> FlowResult | None:
    """Run until a horizon or an event, as far as nothing may have happened unseen.

    ``run(until, whole)`` runs; every step is kept, where it is ``whole``, until it is checked. None where it has to be
    looked sooner at what sleeps, or a curve is met at one more place now, which is tracked from here on.
    """
    if not sim.state.sleeping.sleeps:
        return run(until, False)
    failed: Broken | None = None
    try:
        ran = run(until, True)
        if ran is None:
            return None
        segments = ran.segments
    except Broken as error:
        failed, segments = error, error.segments
    after, again = relied(sim, [Leg(segments, lambda: sim.state.contacts)])
    if again is not None:
        sim.state = again(sim.state)
        return None
    if failed is not None:
        raise failed
    assert ran is not None, "it ran"
    kept = None if samples is None else Samples(samples, sim.state.rest_now)
    made = ran.segments if kept is None else [thinned(segment, kept) for segment in ran.segments]
    return ran._replace(segments=made, sleeping=after[0])


class Leg(NamedTuple):
    """What was run between two events, and the contact states there."""

    segments: Sequence[Segment]
    contacts: Callable[[], ContactStates]


def relied(sim: Simulation, legs: Sequence[Leg]) -> tuple[list[Sleeping], Callable[[SimState], SimState] | None]:
    """How much of the rooms of what sleeps is spent after each of some legs that follow each other from where the run
    stands, as far as nothing that sleeps can have touched. Where it may have, in the first leg that is not told of:
    what makes of the state where that begins one with an earlier time of the next look, or with one more place of a
    curve that is tracked."""
    state, sleeping = sim.state, sim.state.sleeping
    if not sleeping.sleeps or not any([leg.segments for leg in legs]):
        return [sleeping] * len(legs), None
    t, rows, ends = _rows(state, legs)
    spent = [rooms.spent_along(t, paces)
             for rooms, paces in zip(sleeping.rooms, sim.world.paces(state, rows), strict=True)]  # fmt: skip
    enough = [rooms.holds(each) for rooms, each in zip(sleeping.rooms, spent, strict=True)]
    made, blink = list[Sleeping](), sim.mode_table.tolerances.blink
    for leg, (i, j) in zip(legs, pairwise(ends), strict=True):
        known = made[-1] if made else sleeping
        if j == i:
            made.append(known)
            continue
        is_brief = t[j - 1] - t[i] < blink
        if not is_brief and not all([each[i:j].all() for each in enough]):
            times = _sooner(sleeping, t[i:j], [each[i:j] for each in enough])
            return made, partial(_to_be_seen, known.looked_at(times))
        s = leg.contacts() if sleeping.curves.sleeps else state.contacts
        met = _met_elsewhere(s, rows[j - 1])
        if met and not is_brief:
            return made, partial(_to_be_seen, known.looked_at([math.inf, math.inf, 0.5 * float(t[i] + t[j - 1])]))
        for point in met:
            _must_not_fit(s, point, rows[j - 1])
        held = [point for point in met if point in s.closed]
        if held:
            return made, partial(with_place, sim.world, contact_point=held[0])
        made.append(sleeping.with_spent([each[j - 1] for each in spent]))
    return made, None


def relied_in_tick(sim: Simulation, made: SimState, then: Paces) -> tuple[SimState | None, Paces]:
    """The state after a tick, with what it has spent of the rooms of what sleeps, and the paces there, after those
    where it began; none where rooms are used up, and it has to be looked before."""
    before, sleeping = sim.state, sim.state.sleeping
    now = sim.world.paces(before, made.row[None])
    t = np.array([before.t, made.t])
    spent = [rooms.spent_along(t, np.concatenate(both))[1]
             for rooms, *both in zip(sleeping.rooms, then, now, strict=True)]  # fmt: skip
    good = [rooms.holds(each) for rooms, each in zip(sleeping.rooms, spent, strict=True)]
    if all(good):
        return made.having_slept(sleeping.with_spent(spent)), now
    times = [math.inf if enough or rooms.since == before.t else before.t
             for rooms, enough in zip(sleeping.rooms, good, strict=True)]  # fmt: skip
    sim.state = before.but(sleeping=sleeping.looked_at(times))
    return None, then


def _to_be_seen(sleeping: Sleeping, state: SimState) -> SimState:
    """A state with what sleeps there."""
    return state.having_slept(sleeping)


def _rows(state: SimState, legs: Sequence[Leg]) -> tuple[Array, Array, list[int]]:
    """The times and states (t, q, u, rest) of some legs from where a run stands, and where each begins and ends."""
    held, t = state.rest_now, np.concatenate([segment.solution.t for leg in legs for segment in leg.segments])
    rows = np.empty((len(t), len(state.x) + len(held)))
    rows[:, 0], rows[:, len(state.x) :] = t, held
    first, ends = 0, [0]
    for leg in legs:
        for solution, dynamics in leg.segments:
            last = first + len(solution.t)
            full, _ = dynamics.full(solution.t, solution.x, rows[first:last, len(state.x) :])
            rows[first:last, 1 : len(state.x)] = full[:, :-1]
            first = last
        ends.append(first)
    return t, rows, ends


def _sooner(sleeping: Sleeping, t: Array, enough: Sequence[NDArray[np.bool_]]) -> list[float]:
    """When it has to be looked again at the rooms of pairs, and of contacts, in a leg in which some are used up: where
    one was not yet; after half a step, where that is where it was looked last."""
    firsts = [len(t) if each.all() else int(each.argmin()) for each in enough]
    first, times = min(firsts), list[float]()
    for rooms, mine in zip(sleeping.rooms, firsts, strict=True):
        begin = float(t[max(first - 1, 0)])
        is_fresh = begin == float(t[0]) and rooms.since == begin
        times.append(math.inf if mine > first else 0.5 * (begin + float(t[1])) if is_fresh else begin)
    return times


def _met_elsewhere(s: ContactStates, x: Array) -> list[ContactPoint]:
    """Contacts whose curves are met, at (t, q, u, rest), at places that are not tracked."""
    return [point for point in s.tracked if point not in s.behind and point.tracked_place.is_met_elsewhere(
            x, point.tolerances.reach, s.places_of(point.contact, point.feature))]  # fmt: skip


def _must_not_fit(s: ContactStates, point: ContactPoint, x: Array) -> None:
    """Refuse a curve that is met all along a piece of it, as a surface by a rim that lies round it: looking again finds
    no place that could be tracked."""
    if point.tracked_place.is_met_along(x, point.tolerances.reach, s.places_of(point.contact, point.feature)):
        refuse_fit(point.contact.whole, "no one place", float(x[0]))


def jumped(state: SimState, ran: FlowResult) -> FlowResult:
    """A run that has come to the row of a table, with the guards that an input takes below zero as it jumps there."""
    rest, t, dynamics = state.driven.rest_at(state.rest, ran.end), ran.end, ran.dynamics
    if ran.hit or dynamics.guards is None or np.array_equal(rest, state.rest_now):
        return ran
    m = len(ran.guards)
    before, after = (dynamics.look(t, ran.x, held)[:m] for held in (state.rest_now, rest))
    hit = tuple(np.flatnonzero((before >= 0.0) & (after < 0.0)).tolist())
    if not hit:
        return ran
    last = ran.segments[-1]
    solution = replace(last.solution, event=Event(t, hit, dynamics.reduced(ran.x)))
    return ran._replace(segments=[*ran.segments[:-1], last._replace(solution=solution)], hit=hit)


def joined(segments: Sequence[Segment], first: int, onward: Collection[int]) -> list[Segment]:
    """Segments from a first one on, those that go ``onward`` from the row of a table with the segment before as one.

    Not where the rows of a mode have inputs: what they were before they jumped belongs to the end of its segment.
    """
    groups: list[list[Segment]] = []
    for k, segment in enumerate(segments[first:], first):
        last = groups[-1][-1] if k in onward and groups else None
        if last is None or last.dynamics is not segment.dynamics or getattr(last.dynamics, "follows_inputs", False):
            groups.append([])
        groups[-1].append(segment)
    return [Segment(join([segment.solution for segment in group]), group[0].dynamics) for group in groups]


def thinned(segment: Segment, samples: Samples) -> Segment:
    """The samples that were asked for, and both ends."""
    s, function = segment.solution, segment.dynamics.function

    def rates(t: Array, x: Array) -> Array:
        return function.many(np.column_stack([t, x, np.tile(samples.rest, (len(t), 1))]))

    record = Record(float(s.t[0]), s.x[0], s.dx[0], samples.within(float(s.t[0]), float(s.t[-1])), rates)
    record.keep((s.t[1:], s.x[1:], s.dx[1:], s.bend), len(s.t) - 1)
    return segment._replace(solution=record.solution(s.stats, s.event))

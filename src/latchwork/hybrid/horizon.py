"""Horizons: times until which a run may flow before something has to be looked at again.

    rows of tables     inputs are held, or linear, between them
    what sleeps        the room of contacts that are not watched is used up,    t + ½ min room / pace
    tracked curves     another place of a curve may have come nearer

Afterwards it is checked that nothing can have happened that was not looked at. Of what sleeps, along the steps,

    ∫ pace dt < room

where between two steps the pace is taken as the larger of both, and some more; of curves, that none is met elsewhere at
the end. Where something may have happened, the run is taken back, and runs again as far as it was good: the state is a
value, and nothing is lost but time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.watch_set import FASTER, FULL, Asleep
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


def horizon(state: SimState, sleeping: Sequence[Asleep], step: float | None, grid: float, limit: float) -> float:
    """The time until which the run may flow as far as tables and what sleeps say, by whole steps from a grid where they
    are fixed."""
    until = limit if not state.driven.columns else min(limit, state.driven.next_row(state.t))
    for asleep in sleeping:
        until = min(until, _asleep_until(asleep.until, state.t, step, grid))
    return until


def look_at_curves(sim: Simulation, until: float) -> float | None:
    """Look at tracked curves, for another place may be nearer now; the time until which the run may flow.

    None where a curve is about to be met at one more place, which is tracked from here on.
    """
    state = sim.state
    for contact_point in state.contacts.contact_points:
        if contact_point.feature.tracked is not None:
            s = state.contacts
            x, seconds, is_crowded = contact_point.tracked_place.looked(
                sim.state.row, contact_point in s.closed, s.places_of(contact_point.contact, contact_point.feature)
            )
            sim.state = sim.state.at(x)
            until = min(until, state.t + seconds)
            if is_crowded:
                sim.state = with_place(sim.world, sim.state, contact_point)
                return None
    return until


def _asleep_until(horizon: float, t: float, step: float | None, grid: float) -> float:
    """Until when what sleeps may be relied on; by whole steps, of which there is one at least, where they are fixed."""
    if step is None or not np.isfinite(horizon):
        return horizon
    now, then = (np.floor((time - grid) / step) for time in (t, horizon))
    until = float(grid + max(now + 1.0, then) * step)
    return until if until > t else until + step


# --- what is looked at afterwards -------------------------------------------------------------------------------------


def flow_to(sim: Simulation, until: float, samples: Array | None, run: Run) -> FlowResult | None:
    """Run until a horizon or an event; again, as far as it was good, where something may have happened unseen.

    ``run(until, whole)`` runs; every step is kept, where it is ``whole``, until it is checked. None where a curve is
    met at one more place now, which is tracked from here on.
    """
    state, sleeps = sim.state, bool(sim.world.asleep)
    tracked = [point for point in state.contacts.contact_points
               if point.feature.tracked is not None and point not in state.contacts.behind]  # fmt: skip
    if not (sleeps or tracked):
        return run(until, False)
    while True:
        ran = _relied_on(sim, until, run) if sleeps else run(until, False)
        assert ran is not None, "changes are passed one by one where something sleeps or is tracked"
        met = _met_elsewhere(state, ran, tracked)
        if met and ran.end - state.t >= sim.mode_table.tolerances.blink:
            until = 0.5 * (state.t + ran.end)
            continue
        held = [point for point in met if point in state.contacts.closed]
        if held:
            sim.state = with_place(sim.world, state, held[0])
            return None
        if samples is None or not sleeps:
            return ran
        return ran._replace(segments=[_thinned(s, Samples(samples, state.held)) for s in ran.segments])


def _relied_on(sim: Simulation, until: float, run: Run) -> FlowResult:
    """Run as far as nothing that sleeps can have touched."""
    state = sim.state
    while True:
        failed: Broken | None = None
        try:
            ran = run(until, True)
            assert ran is not None, "changes are passed one by one where something sleeps"
            segments = ran.segments
        except Broken as error:
            failed, segments = error, error.segments
        good = relied(sim.world.asleep, state, segments)
        end = float(segments[-1].solution.t[-1]) if segments else state.t
        if good >= end or end - state.t < sim.mode_table.tolerances.blink:
            break
        until = good if good > state.t else state.t + 0.5 * (float(segments[0].solution.t[1]) - state.t)
    if failed is not None:
        raise failed
    assert ran is not None, "it ran"
    return ran


def relied(asleep: Sequence[Asleep], state: SimState, segments: Sequence[Segment]) -> float:
    """The last time up to which nothing that sleeps can have touched."""
    if not asleep or not segments:
        return np.inf
    t = np.concatenate([segment.solution.t for segment in segments])
    rest = np.tile(state.held, (len(t), 1))
    ends = np.cumsum([0, *(len(segment.solution.t) for segment in segments)])
    states = [segment.dynamics.full(segment.solution.t, segment.solution.x, rest[i:j])[0][:, :-1]
              for segment, i, j in zip(segments, ends[:-1], ends[1:], strict=True)]  # fmt: skip
    rows = np.column_stack([t, np.concatenate(states), rest])
    return min(_relied(each, t, rows) for each in asleep)


def _relied(asleep: Asleep, t: Array, rows: Array) -> float:
    paces = asleep.along(rows)
    most = FASTER * np.maximum(paces[1:], paces[:-1]) * np.diff(t)[:, None]
    good = (np.cumsum(most, axis=0) < FULL * asleep.room).all(axis=1)
    return float(t[-1]) if good.all() else float(t[int(good.argmin())])


def _met_elsewhere(state: SimState, ran: FlowResult, tracked: Sequence[ContactPoint]) -> list[ContactPoint]:
    """Contacts whose curves are met, where a run has ended, at places that are not tracked."""
    if not tracked:
        return []
    x = np.concatenate([[ran.end], ran.x[:-1], state.driven.rest_at(state.rest, ran.end)])
    return [point for point in tracked
            if point.tracked_place.is_met_elsewhere(x, point.tolerances.reach,
                                      state.contacts.places_of(point.contact, point.feature))]  # fmt: skip


def jumped(state: SimState, ran: FlowResult) -> FlowResult:
    """A run that has come to the row of a table, with the guards that an input takes below zero as it jumps there."""
    rest, t, dynamics = state.driven.rest_at(state.rest, ran.end), ran.end, ran.dynamics
    if ran.hit or dynamics.guards is None or np.array_equal(rest, state.held):
        return ran
    m = len(ran.guards)
    before, after = (dynamics.look(t, ran.x, held)[:m] for held in (state.held, rest))
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


def _thinned(segment: Segment, samples: Samples) -> Segment:
    """The samples that were asked for, and both ends."""
    s, function = segment.solution, segment.dynamics.function

    def rates(t: Array, x: Array) -> Array:
        return function.many(np.column_stack([t, x, np.tile(samples.rest, (len(t), 1))]))

    record = Record(float(s.t[0]), s.x[0], s.dx[0], samples.within(float(s.t[0]), float(s.t[-1])), rates)
    record.keep((s.t[1:], s.x[1:], s.dx[1:], s.bend), len(s.t) - 1)
    return segment._replace(solution=record.solution(s.stats, s.event))

"""Going: how a run goes on from where it stands, until a time or an event.

In laps, where it can (`laps`); else planned piece by piece (`plan`), in legs where contacts sleep (`legs`), and half as
far where a tracked curve was met elsewhere meanwhile.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.contact.law import Contact
from latchwork.hybrid.constraint_impulses import constraint_impulses
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.foresight import Around
from latchwork.hybrid.handover import Change, Entered
from latchwork.hybrid.interference.watch import Passed
from latchwork.hybrid.laps import Lap, can_lap, lap_end
from latchwork.hybrid.legs import leg_end, run_leg
from latchwork.hybrid.mode_table import least_pivot
from latchwork.hybrid.path import Segment, Stage
from latchwork.hybrid.plan import Broken, Departed, Plan, Ran, end_of
from latchwork.hybrid.prefetch import coming, successors
from latchwork.hybrid.relay import MOST, NOT_YET, Note
from latchwork.hybrid.rules import eager, waiting
from latchwork.hybrid.running import Running, Switch
from latchwork.hybrid.table import Array
from latchwork.integrate.again import Again
from latchwork.integrate.methods import RK4, DormandPrince
from latchwork.integrate.status import END, EVENT, FULL
from latchwork.program.interrupt import interrupted


class Going(Running):
    """The part of a simulation that runs stages."""

    if TYPE_CHECKING:

        def _add_place(self, contact: Contact) -> None: ...

    looks_ahead = True  # whether modes that may come next are prepared beside the integration
    brief = 0.0  # s: hops shorter than this end in contact
    _change: Change | None = None  # the last one, if it may be made again

    def _lap(self, stage: Stage, guards: Guards, samples: Array | None, x: Array, until: float) -> Lap | None:
        """A stage that is begun where the run stands, ready to go on to the next event; none where it takes more."""
        if samples is not None or self._rules or self.driven.columns or stage.guards is None or self._sight.sleeps:
            return None
        for contact_point in self._contact_states.contact_points:
            if contact_point.feature.tracked is not None:
                return None
        again = self._begun(stage, guards, self.t, self._x, until)
        return None if again is None else Lap(again, stage, guards, self._longest(x), time.perf_counter(), self.t)

    def _begun(self, stage: Stage, guards: Guards, t: float, x: Array, until: float) -> Again | None:
        method = self.method
        if isinstance(method, (DormandPrince, RK4)) and can_lap(method, until - t):
            return self._mode_table.laps.begun(stage, guards, method, t, x, self._rest)
        return None

    def _run_laps(self, lap: Lap, until: float, x: Array, crossings: Crossings) -> tuple[Ran | None, Lap]:
        """Run from lap to lap, until a time, or an event that is new here; the last lap, and what it gave.

        None where it was handed over to a lap that takes more care to begin. A stage goes on in other speeds where it
        asks for them.
        """
        segments: list[Segment] = []
        hands = self._sight.is_idle(self._contact_states, self._mode_table.base) and not self._limited
        relay, ended = self._mode_table.relay, False
        try:
            while True:
                most = min(MOST, self._thicket.left) if hands else 0
                status = self._relay(lap, ended, until, int(most))
                self._learn(lap, bool(segments), status != EVENT and not lap.again.is_brief)
                if notes := relay.notes(lap):
                    passed = self._first_passed(lap, segments, notes)
                    notes = notes if passed is None else notes[: passed[0]]
                    self._segments += segments
                    lap, segments = self._handed(lap, notes, relay.begun == 1, crossings), []
                    if passed is not None:
                        raise passed[1]
                    if relay.begun != 1 and not self._begun_late(notes[-1], relay.begun):
                        return None, lap
                    self._switched_over()
                    self._look_ahead(lap.guards, {}, lap.again.now)
                    if relay.begun != 1:
                        continue
                stops = interrupted()
                ended = status == EVENT and (relay.is_full or relay.stale >= 0) and not stops
                if relay.stale >= 0:
                    lap.again.following[relay.stale].ready()
                if status == FULL and stops:
                    status = END
                if status == FULL:
                    self._mode_table.laps.make_room(lap.again)
                if ended or status == FULL:
                    continue
                ran = lap_end(lap.again, lap.stage, status, until, self._rest)
                segments += ran.segments
                if ran.stage is lap.stage or stops:
                    return (ran if len(segments) == 1 else ran._replace(segments=segments)), lap
                t = float(segments[-1].solution.t[-1])
                again = self._begun(ran.stage, lap.guards, t, ran.x, until)
                if again is None:
                    ran = self._plan(lap.guards, None, x).run(ran.stage, ran.x, np.array([t, until]), self._rest)
                    return ran._replace(segments=segments + ran.segments), lap
                lap = lap._replace(again=again, stage=ran.stage)
        except Departed as error:
            raise Departed(str(error), segments + error.segments, error.t, error.x) from None
        except Broken as error:
            raise Broken(str(error), segments + error.segments, error.reason) from None

    # --- from lap to lap ----------------------------------------------------------------------------------------

    def _relay(self, lap: Lap, ended: bool, until: float, most: int) -> int:
        """Run on from a lap, which an event has ended already or not; the status of the stepper.

        What its end needs is made afterwards: the first step does not wait for that.
        """
        relay, s = self._mode_table.relay, self._contact_states
        relay.scales[:] = s.speed, s.pace, self.brief
        status = relay(lap, ended, until, self._rest, most)
        if self.progress is not None:
            self.progress(relay.reached)
        self._switched_over(lap.began)
        lap.stage.get_ready()
        return status

    def _handed(self, lap: Lap, notes: Sequence[Note], begun: bool, crossings: Crossings) -> Lap:
        """Account for changes that were made from lap to lap; the last lap, which has begun or not."""
        s = self._contact_states
        for note in notes:
            handover, after, t = note.handover, note.after, note.t
            mode = after.mode
            self._segments.append(Segment(note.solution, lap.stage))
            self._worked("integrate", lap.stage.names, lap.t, lap.began, note.ended)
            was = self._struck_from(self._segments[-1], t) if self._holds else None
            self.t, self._x = t, note.state[:-1].copy()
            self._count(handover.hits, crossings)
            s.closed, s.leaving_depths, s.zones = mode.closed, mode.leaving_depths, mode.zones.copy()
            s.speed, s.pace, s.lam = note.speed, note.pace, handover.forces(note.found)
            events = handover.events(t, after, note.found)
            self._events += events if was is None else [self._with_constraints(event, was) for event in events]
            self._pending = t, handover.names, mode.names, note.ended
            if begun or note is not notes[-1]:
                self._switched_over(note.ready)
            lap = Lap(mode.again, mode.stage, mode.guards, float(note.state[-1]), note.ready, t)
        return lap

    def _struck_from(self, segment: Segment, t: float) -> Array:
        """(t, q, u, rest) where a segment ends, before what happens there."""
        rest = self.driven.rest_at(self._rest, t)
        return np.concatenate([[t], end_of(segment, rest)[1][:-1], rest])

    def _with_constraints(self, event: RunEvent, before: Array) -> RunEvent:
        """An impact with what constraints took up of it."""
        if event.kind != "impact":
            return event
        held, contact_points = self._mode_table.held(self._holds), self._contact_states.contact_points
        return replace(
            event,
            impulses={
                **event.impulses,
                **constraint_impulses(held, before, self._state(), contact_points, event.impulses),
            },
        )

    def _count(self, hits: Sequence[Guard], crossings: Crossings) -> None:
        """One more change, by what was hit: too many may be stepped through, or given up."""
        if self._thicket.allowed:
            self._thicket.count(self.t)
        else:
            crossings.count(self.t, hits)

    def _begun_late(self, note: Note, begun: int) -> bool:
        """Begin the lap after the last change, where machine code could not; whether it can be begun as always."""
        if begun == NOT_YET:
            begun = note.handover.begin(note.after, note.t, self._rest)
        if begun < 0:
            note.handover.forget(note.after)
        return begun > 0

    def _learn(self, lap: Lap, rewritten: bool, spare: bool) -> None:
        """Remember a change of mode that was made before a lap, and the mode; where there is time, others to come.

        ``rewritten``: the lap is in other speeds than those in which the mode is entered.
        """
        change, foresight = self._change, self._mode_table.foresight
        is_new = change is not None or not foresight.knows(lap.again)
        if is_new or spare:
            self._ahead.wait()  # what is learned makes symbols
        if is_new:
            s, self._change = self._contact_states, None
            mode = Entered(lap.again, lap.stage, lap.guards, self.active, s.closed, s.leaving_depths, s.zones.copy(),
                           least_pivot(lap.stage))  # fmt: skip
            around = Around(tuple(s.contact_points), frozenset(s.behind), self._mode_table.held(self._holds))
            if change is not None:
                foresight.learn(change, mode, around)
            if not foresight.knows(lap.again):
                foresight.enter(mode, around, rewritten)
        if spare:
            foresight.foresee()

    def _look_ahead(self, guards: Sequence[Guard], stops: Mapping[str, Any], values: Array) -> None:
        """Prepare, beside the integration, what is likely to come when the next gaps close."""
        moments = coming(guards, values) if self.looks_ahead else ()
        if not moments:
            return
        self._ahead.wait()  # what may come is looked up in symbols
        x = self._state()
        work = [contact_states for moment in moments for contact_states in successors(self._contact_states, moment, x)]
        holds, mode_table, t = dict(self._holds), self._mode_table, self.t
        work = [contact_states for contact_states in work if not mode_table.is_prepared(holds, contact_states, stops)]
        if work:

            def prepare() -> None:
                for contact_states in work:
                    began = time.perf_counter()
                    mode_table.prepared(holds, contact_states, stops)
                    self._worked("embed", (*holds, *contact_states.labels), t, began)

            self._ahead.start(prepare)

    def _switched_over(self, ready: float | None = None) -> None:
        """Note what the last switch took, from the guard to equations that are ready, now or at a time of the clock."""
        if self._pending is not None:
            t, before, after, began = self._pending
            ready = time.perf_counter() if ready is None else ready
            self._worked("embed", after, t, began, ready)
            self.switches.append(Switch(t, before, after, 1e6 * (ready - began)))
            self._pending = None

    # --- interference -------------------------------------------------------------------------------------------

    def _keep_watch(self, x: Array) -> None:
        """Decide at a state (t, q, u, rest) which contacts the watch looks at from here on."""
        s = self._contact_states
        awake = None if self._sight.bounds is None else [contact_point.contact for contact_point in s.contact_points]
        self._watch.see(self.driven, s.members, x, awake)

    def _must_not_pass(self, segments: Sequence[Segment], between: bool = True) -> None:
        """Refuse segments, from where the run stands on, in which shapes pass into each other."""
        found = self._watch.first([s.solution for s in segments], self._held_now(), between=between)
        if found is not None:
            raise Passed(found[1], segments)

    def _first_passed(self, lap: Lap, segments: Sequence[Segment], notes: Sequence[Note]) -> tuple[int, Passed] | None:
        """Where shapes pass into each other in what was run from lap to lap: so many changes come before."""
        solutions = [*(s.solution for s in segments), *(note.solution for note in notes)]
        found = self._watch.first(solutions, self._held_now())
        if found is None:
            return None
        i, passing = max(found[0] - len(segments), 0), found[1]
        stage = lap.stage if i == 0 else notes[i - 1].after.mode.stage
        ended = Segment(notes[i].solution, stage)
        if i == 0:
            raise Passed(passing, [*segments, ended])
        return i, Passed(passing, [ended])

    def _held_now(self) -> Array:
        """What stands behind (t, q, u) now."""
        return self.driven.rest_at(self._rest, self.t)

    # --- piece by piece -----------------------------------------------------------------------------------------

    def _plan(self, guards: Guards, samples: Array | None, x: Array) -> Plan:
        ended = self._ended_here()
        spent = waiting(guards) if guards.of_rules or ended else None
        if spent is not None and ended:
            spent |= np.array([guard.kind == "stop" and guard.about in ended for guard in guards], dtype=bool)
        return Plan(self.driven, self.method, samples, self.progress, eager(guards), self._longest(x), spent,
                    guards.heights, self._mode_table.laps.scales._replace(guards=guards.units))  # fmt: skip

    def _ended_here(self) -> set[str]:
        """Conditions that ended the run at this very instant: they must rise before they end it again."""
        now = takewhile(lambda event: event.t == self.t, reversed(self._events))
        return {event.name for event in now if event.kind == "stop"}

    def _longest(self, x: Array) -> float:
        """A step that is short enough for gaps to be followed."""
        return self._mode_table.pacing(x) if self._contact_states.members else math.inf

    def _look(self, t_end: float) -> float | None:
        """Whether another place of a curve is nearer now; gives the time until which that can be relied on.

        None where a curve is about to be met at one more place, which is tracked from here on.
        """
        s, until = self._contact_states, t_end
        if self._sight.sleeps:
            until = min(until, leg_end(self._sight, self.t, getattr(self.method, "step", None)))
        for contact_point in s.contact_points:
            if contact_point.feature.tracked is not None:
                x, seconds, is_crowded = contact_point.looked(
                    self._state(), contact_point in s.closed, s.places_of(contact_point.contact)
                )
                self._x = np.append(x[1 : len(self._x)], self._x[-1])
                until = min(until, self.t + seconds)
                if is_crowded:
                    self._add_place(contact_point.contact)
                    return None
        return until

    def _run(self, plan: Plan, stage: Stage, until: float, values: Array | None) -> Ran | None:
        """Run a stage until a time or an event; again, half as far, where a curve was met elsewhere meanwhile.

        None where it is met at one more place now, which is tracked from here on.
        """
        s = self._contact_states
        tracked = [
            contact_point
            for contact_point in s.contact_points
            if contact_point.feature.tracked is not None and contact_point not in s.behind
        ]
        while True:
            ran = run_leg(self._sight, plan, stage, self._x, self.t, until, self._rest, values)
            t = float(ran.segments[-1].solution.t[-1])
            x = np.concatenate([[t], ran.x[:-1], self.driven.rest_at(self._rest, t)]) if tracked else ran.x
            met = [
                contact_point
                for contact_point in tracked
                if contact_point.is_met_elsewhere(x, contact_point.tolerances.reach, s.places_of(contact_point.contact))
            ]
            if not met:
                return ran
            if t - self.t < self._mode_table.tolerances.blink:
                held = [contact_point for contact_point in met if contact_point in s.closed]
                if not held:
                    return ran
                self._add_place(held[0].contact)
                return None
            until = 0.5 * (self.t + t)

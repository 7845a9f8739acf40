"""Simulation: a mechanism that runs, and is changed while it runs.

Constraints of the model are permanent. Those added in the run are temporary: `constrain` embeds them on line, with the
plastic impact that makes speeds consistent; `release` takes them out again, and so does a force limit. Contacts close,
slide, stick and open by themselves.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from latchwork.constraint.constrained import Constrained
from latchwork.constraint.terms import Terms
from latchwork.errors import ConstraintError, EvaluationError, IntegrationError
from latchwork.hybrid.audit import entry, judge
from latchwork.hybrid.changing import NEAR, Changing
from latchwork.hybrid.constraint_impulses import constraint_impulses
from latchwork.hybrid.contacts.friction import forces_in
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings, contacts_of
from latchwork.hybrid.contacts.quick_reset import swiftly
from latchwork.hybrid.contacts.reset import Reset
from latchwork.hybrid.designs import Automaton
from latchwork.hybrid.event import Events, RunEvent
from latchwork.hybrid.going import Going
from latchwork.hybrid.handover import Change
from latchwork.hybrid.interference.told import explained, up_to
from latchwork.hybrid.interference.watch import STEPPED, Passed
from latchwork.hybrid.interrupted import interruptible
from latchwork.hybrid.laps import Lap
from latchwork.hybrid.path import Stage
from latchwork.hybrid.plan import Broken, Departed, Ran
from latchwork.hybrid.rules import rules_of
from latchwork.hybrid.ruling import Ruling
from latchwork.hybrid.start import seconds, times_of
from latchwork.hybrid.stops import stops_of
from latchwork.hybrid.successors import prepare_all
from latchwork.hybrid.table import Array
from latchwork.hybrid.ticking import tick
from latchwork.hybrid.time_stepping.interval import STEPPING, scene_of, through
from latchwork.kane.equations import Equations
from latchwork.model import Model
from latchwork.program.interrupt import interrupted


class Simulation(Changing, Going, Ruling):
    """A run that is advanced, changed and looked at.

    ``sim.advance(until)``, ``sim.constrain(name, zero)``, ``sim.release(name)``; ``sim.run`` is the trajectory so far.
    """

    _parted = -math.inf  # when rows of contacts were left last
    _short: tuple[float, float] | None = None  # from when until when steps are short, as shapes may pass unseen there

    def _begin(self, model: Model | Equations | Constrained) -> None:
        self._add_all(contacts_of(model))
        self._add_rules(rules_of(model))
        if self.equations.r and self._may_jump:
            self._follow_inputs()

    # --- going on -----------------------------------------------------------------------------------------------

    @interruptible
    def advance(self, until: float, *, stop_when: Mapping[str, Any] | None = None,
                samples: Array | None = None) -> Events:  # fmt: skip
        """Run until a time, or until the first of ``stop_when`` falls through zero; gives the events on the way."""
        seen, t_end = len(self._events), seconds("until", until)
        if not (np.isfinite(t_end) and t_end >= self.t):
            raise EvaluationError(f"a run at t = {self.t:.6g} cannot be advanced to {until}. Give a later time.")
        if samples is not None:
            samples = np.atleast_1d(times_of(samples, "the samples of a run"))
            if samples.ndim != 1:
                raise EvaluationError(f"the samples of a run are {samples.ndim} deep. Give a list of times.")
        asked = stops_of(stop_when)
        since = None if self.audit == "off" else entry(self)
        self._fetch(self._bounds_entered())
        self._change, crossings = None, Crossings(self.equations.name, self._mode_table.base.scales.time)
        rules, thicket, passed, limit = self._rules, self._thicket, None, t_end
        while (self.t < t_end or rules.pending) and not interrupted():
            state, passed = passed, None
            self._see()
            jump = self._follow_inputs() if self.equations.r and self._may_jump else math.inf
            if not (self._settled or thicket.is_thick):
                state = self._cross((), {}, bool(self._segments))
                self._see()
            stops = asked | self._bounds() if self._waiting else asked
            if thicket.is_thick:
                if self._step_through(t_end, stops):
                    break
                continue
            self._enumerate(stops)
            x = self._state() if state is None else state
            staged = self._stage(stops, x)
            if staged is None:
                continue
            stage, guards = staged
            limit = min(self._next_limit(limit if self.t < limit else t_end), jump)
            lap = self._lap(stage, guards, samples, x, limit) if self.t < t_end else None
            values = stage.look(self.t, self._x, x[len(self._x) :]) if lap is None else lap.again.now
            if lap is None:
                if self._at_once(stage, guards, values, crossings):
                    continue
                due = rules and rules.look(self.t, (*self._holds, *self._contact_states.told), guards, values,
                                           not (self._segments or self._events))  # fmt: skip
                if due:
                    if self._fire(due):
                        break
                    continue
                if self.t >= t_end:
                    break
            was = self._x
            looked = self._look(limit) if lap is None else limit
            if looked is None:
                continue
            self._note_backs()
            self._look_ahead(guards, stops, values)
            self._keep_watch(x)
            began, before = time.perf_counter(), self.t
            ran: Ran | None
            try:
                if lap is None:
                    self._switched_over()
                    plan = self._plan(guards, samples, x)
                    ran = self._run(plan, stage, looked, values if self._x is was else None)
                else:
                    ran, lap = self._run_laps(lap, looked, x, crossings)
                self._must_not_pass(ran.segments if ran is not None else (), samples is None)
            except Passed as found:
                limit = self._go_back(found)
                continue
            except Departed as error:
                if not self._contact_states.closed:
                    self._segments += error.segments
                    raise self._explained(error) from None
                limit = self._depart(error, crossings)
                continue
            except Broken as error:
                self._segments += error.segments
                raise self._explained(error) from None
            finally:
                self._ahead.wait()
            if ran is None:
                continue
            if lap is not None:
                _, stage, guards, _, began, before = lap
            self._segments += ran.segments
            self._worked("integrate", stage.names, before, began)
            self.t, self._x = float(ran.segments[-1].solution.t[-1]), ran.x
            hits = [guards[i] for i in ran.guards]
            if not (rules or stops):
                passed = self._pass(ran.stage, hits, crossings, lap)
                continue
            rules.hit(hits)
            named = [guard.about for guard in hits if guard.kind == "stop"]
            stopped = [name for name in named if name in asked]
            self._events += [RunEvent(self.t, name, self.active, self.active) for name in stopped]
            changes = [guard for guard in hits if guard.kind not in ("stop", "rule")]
            self._pass(ran.stage, changes, crossings)
            self._fetch(name.removeprefix(NEAR) for name in named if name not in asked)
            due = None if changes else rules.first
            if (due is not None and self._fire(due)) or stopped:
                break
        if since is not None:
            judge(self, since)
        return Events(self._events[seen:])

    def tick(self, step: float) -> Events:
        """Run by one step of RK4, and tell what happened: for a loop that cannot wait, and keeps nothing of the past.

        Inputs may be set between ticks. Where nothing changes a tick takes microseconds; ``sim.run`` has the last step
        at most.
        """
        return tick(self, step)

    def _depart(self, error: Departed, crossings: Crossings) -> float:
        """Contacts that hold together cannot go on so, as where what grips a thing begins to lift it off the floor: run
        to where they contradict each other, and decide there. Gives the time until which to run next."""
        if error.t - self.t > self._mode_table.tolerances.blink:
            return self.t + 0.5 * (error.t - self.t)
        self._segments += error.segments
        if self._parted == error.t:
            raise self._explained(error) from None
        self.t, self._x = error.t, error.x
        self._parted, self._settled = error.t, False
        self._count((), crossings)
        return math.inf

    def _next_limit(self, limit: float) -> float:
        """The time until which to run: in short steps where shapes may pass unseen."""
        if self._short is None or self.t < self._short[0]:
            return limit
        if self.t < self._short[1]:
            return min(limit, self._short[1])
        self._short = None
        return limit

    def _go_back(self, found: Passed) -> float:
        """Shapes have passed into each other: run again to the instant before it, then in short steps, in which guards
        are found that a long one leaps over. Gives the time until which to run next; ends the run where that was
        tried."""
        passing = found.passing
        if self._short is not None and self.t >= self._short[0]:
            segments = up_to(found.segments, passing.t)
            self._segments += segments
            raise explained(self._explained(Broken("", segments)), self.equations.name, passing)
        blink = self._mode_table.tolerances.blink
        begin = passing.before if passing.before - self.t > blink else self.t
        self._short = begin, max(2.0 * passing.after - passing.before, begin + blink)
        return begin if begin > self.t else self._short[1]

    def _stage(self, stops: Mapping[str, Any], x: Array) -> tuple[Stage, Guards] | None:
        """How to step what holds; none where contacts contradict each other by now, and what holds is decided anew."""
        try:
            return self._mode_table.stage(self._holds, self._contact_states, stops, x)
        except ConstraintError:
            if not self._contact_states.closed or self._parted == self.t:
                raise
        self._parted, self._settled = self.t, False
        return None

    def _enumerate(self, stops: Mapping[str, Any]) -> None:
        """Where all modes are to be known before: make them ready, once for what can change."""
        if not isinstance(self.design, Automaton) or not self._contact_states.members:
            return
        key = tuple(self._holds.items()), tuple(self._contact_states.contact_points), tuple(stops.items())
        if key not in self._listed:
            began = time.perf_counter()
            self._listed[key] = prepare_all(self._mode_table, self._holds, self._contact_states, stops, self._state(),
                                            self.design.most)  # fmt: skip
            self._worked("embed", (f"{len(self._listed[key])} modes",), self.t, began)

    def _at_once(self, stage: Stage, guards: Guards, values: Array, crossings: Crossings) -> bool:
        """Pass the guards on forces that are below zero to begin with."""
        hits = [guards[i] for i in guards.on_forces if values[i] < 0.0]
        if hits:
            self._pass(stage, hits, crossings)
        return bool(hits)

    def _pass(self, stage: Stage, hits: Sequence[Guard], crossings: Crossings, lap: Lap | None = None) -> Array | None:
        """Go through what was hit: constraints let go at their limits, contacts change. The state after, if known.

        ``lap`` is what the guards ended, where the change may be made again.
        """
        touched, slips = [], False
        for guard in hits:
            if guard.kind == "limit":
                self.release(guard.about)
            else:
                touched.append(guard)
                slips = slips or guard.kind == "slip"
        if touched:
            self._count(touched, crossings)
            lam = forces_in(stage, self.t, self._x, self.driven.rest_at(self._rest, self.t)) if slips else {}
            return self._cross(touched, lam, lap=lap if len(touched) == len(hits) else None)
        return None

    # --- contacts -----------------------------------------------------------------------------------------------

    def _note_backs(self) -> None:
        """Note which features are met from behind from now on, where that has changed."""
        if not (self._backs or self._contact_states.behind):
            return
        backs = frozenset(contact_point.feature for contact_point in self._contact_states.behind)
        if backs != (self._backs[-1][1] if self._backs else frozenset()):
            self._backs.append((self.t, backs))

    def _cross(self, hits: Sequence[Guard], lam: Mapping[str, Array], tell: bool = False,
               lap: Lap | None = None) -> Array | None:  # fmt: skip
        """From one mode to the next: zones, impacts, then what stays closed; nothing is known beforehand.

        What is closed to begin with is no event; what a rule or a constraint makes open or close is (``tell``). The
        state after it; none where it may only be stepped through.
        """
        began, s = time.perf_counter(), self._contact_states
        kept = s.copied() if self._limited else None
        names = self.active if lap is None else lap.stage.names
        before, leaving_depths, zones = dict(s.closed), s.leaving_depths, s.zones
        shop, state = self._mode_table, self._state()
        held = shop.held(self._holds)
        quick = swiftly(s, shop.delassus_programs, held, state, hits, lam, self.brief)
        passed = self._cross_all(hits, lam, held, state) if quick is None else quick
        if passed is None:
            self._thicket.stuck = True
            return None
        if kept is not None and passed.impacts:
            impulses = {name: part for impact in passed.impacts for name, part in impact.impulses.items()}
            broken = self._limited & constraint_impulses(held, state, passed.x, s.contact_points, impulses).keys()
            if broken:
                self._contact_states = kept
                self._let_go(broken)
                return self._cross(hits, lam, True)
        self._settled = True
        x = np.empty(len(self._x))
        x[:-1], x[-1] = passed.x[1 : len(x)], self._x[-1] + passed.work
        self._x = x
        after = names if s.closed == before else self.active
        if hits or passed.impacts or tell:
            parts = held, state, passed.x, s.contact_points
            self._untold.append((self.t, before, s.closed, s.contact_points, passed.impacts, hits, (names, after),
                                 partial(constraint_impulses, *parts)))  # fmt: skip
        if names != after or self._pending is None:
            self._pending = self.t, names, after, began
        self._change = None
        if lap is not None and quick is not None and quick.alone is not None:
            again, key = lap.again, lap.again.hit.tobytes()
            self._change = Change(again, lap.stage, hits, names, before, leaving_depths, zones, quick.alone, key)
        return passed.x

    def _cross_all(self, hits: Sequence[Guard], lam: Mapping[str, Array], held: Terms, x: Array) -> Reset | None:
        """The same for any contacts; none where they come to no rest and may be stepped."""
        crossing = Reset(
            self._contact_states, self._mode_table.delassus_programs, held, x, at_once=self.at_once, brief=self.brief
        )
        crossing.take(hits, lam)
        try:
            crossing.go()
        except IntegrationError:
            if not self._thicket.allowed:
                raise
            return None
        return crossing

    def _step_through(self, t_end: float, stops: Mapping[str, Any]) -> bool:
        """Time stepping until things are calm; whether a stop ended it."""
        before, s = self.active, self._contact_states
        self._sight.wake(s, self._mode_table.base, self._state())
        self._keep_watch(self._state())
        scene = scene_of(self.driven, self._mode_table.base, self._mode_table.held(self._holds), s, self._rest)
        made = through(scene, self._state(), float(self._x[-1]), t_end, self._thicket, stops, self.progress)
        segment = made.segment()
        found = self._watch.first([segment.solution], self._held_now(), STEPPED, between=False)
        if found is not None:
            passing = found[1]
            segments = up_to([segment], passing.t)
            self._segments += segments
            raise explained(self._explained(Broken("", segments)), self.equations.name, passing)
        self._segments.append(segment)
        self._events.append(RunEvent(self.t, STEPPING, before, (STEPPING,), kind=STEPPING))
        self.t, self._x = float(made.x[0]), made.states[-1]
        s.left(made.x)
        self._settled = made.rests is not None
        if made.rests is not None:
            s.rest(made.x, made.rests)
        after = self.active if self._settled else (*self._holds, *made.labels())
        self._events.append(RunEvent(self.t, STEPPING, (STEPPING,), after, kind=STEPPING, notes=made.told()))
        self._events += [RunEvent(self.t, name, after, after) for name in made.stopped]
        self._thicket.leave(self._settled)
        return bool(made.stopped)

"""Going: how a run goes on from where it stands, until a time or an event.

In laps, where it can (`laps`); else planned piece by piece (`plan`), in legs where contacts sleep (`legs`), and half as
far where a tracked curve was met elsewhere meanwhile.
"""

from __future__ import annotations

import math
from itertools import takewhile

import numpy as np

from latchwork.hybrid.laps import run_lap
from latchwork.hybrid.legs import BLINK, leg_end, run_leg
from latchwork.hybrid.path import Segment, Stage
from latchwork.hybrid.plan import Broken, Plan, Ran
from latchwork.hybrid.rules import eager, waiting
from latchwork.hybrid.running import Running
from latchwork.hybrid.table import Array
from latchwork.hybrid.touching.pacing import longest_step
from latchwork.hybrid.touching.placing import must_hold_one_place
from latchwork.hybrid.touching.scales import REACH, TOUCH
from latchwork.hybrid.touching.standing import Guards
from latchwork.integrate.again import Again
from latchwork.integrate.method import DormandPrince


class Going(Running):
    """The part of a simulation that runs stages."""

    def _lap(self, stage: Stage, guards: Guards, samples: Array | None) -> Again | None:
        """A stage that is begun where the run stands, ready to go on to the next event; none where it takes more."""
        if samples is not None or self._rules or self.driven.columns or stage.guards is None or self._sight.sleeps:
            return None
        for touch in self._standings.touches:
            if touch.feature.tracked is not None:
                return None
        return self._begun(stage, guards, self.t, self._x)

    def _begun(self, stage: Stage, guards: Guards, t: float, x: Array) -> Again | None:
        method = self.method
        if type(method) is not DormandPrince or isinstance(method.atol, tuple):
            return None
        return self._workshop.laps.begun(stage, guards, method, t, x, self._rest)

    def _run_lap(self, lap: Again, stage: Stage, guards: Guards, until: float, x: Array) -> Ran:
        """Run a stage that has begun until a time or an event; in other speeds where it asks for them."""
        segments: list[Segment] = []
        try:
            while True:
                ran = run_lap(lap, stage, until, self._longest(x), self._rest, self.progress)
                segments += ran.segments
                if ran.stage is stage:
                    return ran if len(segments) == 1 else ran._replace(segments=segments)
                stage, t = ran.stage, float(segments[-1].solution.t[-1])
                again = self._begun(stage, guards, t, ran.x)
                if again is None:
                    ran = self._plan(guards, None, x).run(stage, ran.x, np.array([t, until]), self._rest)
                    return ran._replace(segments=segments + ran.segments)
                lap = again
        except Broken as error:
            raise Broken(str(error), segments + error.segments) from None

    def _plan(self, guards: Guards, samples: Array | None, x: Array) -> Plan:
        ended = self._ended_here()
        spent = waiting(guards) if guards.of_rules or ended else None
        if spent is not None and ended:
            spent |= np.array([guard.kind == "stop" and guard.about in ended for guard in guards], dtype=bool)
        return Plan(self.driven, self.method, samples, self.progress, eager(guards), self._longest(x), spent,
                    guards.heights)  # fmt: skip

    def _ended_here(self) -> set[str]:
        """Conditions that ended the run at this very instant: they must rise before they end it again."""
        now = takewhile(lambda event: event.t == self.t, reversed(self._events))
        return {event.name for event in now if event.kind == "stop"}

    def _longest(self, x: Array) -> float:
        """A step that is short enough for gaps to be followed."""
        return longest_step(self._workshop.turning(x)) if self._standings.members else math.inf

    def _look(self, t_end: float) -> float:
        """Whether another place of a curve is nearer now; gives the time until which that can be relied on."""
        s, until = self._standings, t_end
        if self._sight.sleeps:
            until = min(until, leg_end(self._sight, self.t, getattr(self.method, "step", None)))
        for touch in s.touches:
            if touch.feature.tracked is not None:
                x, interval = touch.looked(self._state(), touch in s.closed)
                self._x = np.append(x[1 : len(self._x)], self._x[-1])
                until = min(until, self.t + interval)
        return until

    def _run(self, plan: Plan, stage: Stage, until: float, values: Array | None) -> Ran:
        """Run a stage until a time or an event; again, half as far, where a curve was met elsewhere meanwhile."""
        s = self._standings
        tracked = [touch for touch in s.touches if touch.feature.tracked is not None and touch not in s.behind]
        while True:
            ran = run_leg(self._sight, plan, stage, self._x, self.t, until, self._rest, values)
            t = float(ran.segments[-1].solution.t[-1])
            x = np.concatenate([[t], ran.x[:-1], self.driven.rest_at(self._rest, t)]) if tracked else ran.x
            met = [touch for touch in tracked if touch.is_met_elsewhere(x, REACH * TOUCH)]
            if not met:
                return ran
            if t - self.t < BLINK:
                must_hold_one_place([touch for touch in met if touch in s.closed], t)
                return ran
            until = 0.5 * (self.t + t)

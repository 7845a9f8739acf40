"""Plan: by which method to run, what to keep; and the run itself, piece by piece and stage by stage."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import ConstraintError, IntegrationError
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.path import Segment, Stage
from latchwork.hybrid.table import Array
from latchwork.integrate.dense_output import Event, Solution, join
from latchwork.integrate.methods import Method, integrate
from latchwork.integrate.problem import UNSCALED, StateScales
from latchwork.integrate.status import Status
from latchwork.program.interrupt import interrupted

Flags = NDArray[np.bool_]


class Ran(NamedTuple):
    """Segments, the last stage, the full state at the end, and the guards that ended the run, if any."""

    segments: list[Segment]
    stage: Stage
    x: Array
    guards: tuple[int, ...]


class Broken(IntegrationError):
    """A run that could not go on, with the segments up to there."""

    def __init__(self, message: str, segments: list[Segment], reason: Status | None = None) -> None:
        super().__init__(message, reason=reason)
        self.segments = segments


class Departed(Broken):
    """A run whose state has left some rows at time t: they say nothing new where the stage begins, and contradict the
    others later."""

    def __init__(self, message: str, segments: list[Segment], t: float, x: Array) -> None:
        super().__init__(message, segments)
        self.t, self.x = t, x


@dataclass(frozen=True, eq=False)
class Plan:
    """By which method, which samples to keep (or every step), and who hears of progress."""

    driven: Driven
    method: Method
    samples: Array | None
    progress: Callable[[float], None] | None
    eager: Flags | None = None  # guards that are armed also below zero: they may rise, but not fall further
    longest: float = math.inf  # steps that are chosen in the run are no longer
    waiting: Flags | None = None  # guards that have triggered and must be above zero before they are armed again
    heights: Array | float = 0.0  # of guards: see `integrate.guards`
    scales: StateScales = UNSCALED  # of (q, u, work), and of guards

    def run(self, stage: Stage, x: Array, times: Array, rest: Array, values: Array | None = None) -> Ran:
        """Piece after piece, each with the inputs that its table rows give, until the end or an event.

        ``values`` are guards and rates at the start, where they are known.
        """
        segments: list[Segment] = []
        armed: Flags | None = None
        waiting = self.waiting
        for t, t_end in pairwise(times.tolist()):
            held = self.driven.rest_at(rest, t)
            while True:
                now, values = self.guards(stage, t, x, held) if values is None else values, None
                g = now[: len(now) // 2]
                if armed is not None and (fell := np.flatnonzero(armed & (g < 0.0))).size:  # an input jumped at a row
                    hit = tuple(fell.tolist())
                    ended = replace(segments[-1].solution, event=Event(t, hit, stage.reduced(x)))
                    return Ran(_joined([*segments[:-1], Segment(ended, stage)]), stage, x, hit)
                try:
                    ready = self.armed(g) if waiting is None else self.armed(g) & ~(waiting & (g <= 0.0))
                    solution = self.piece(stage, x, t, t_end, held, ready, self.left(segments))
                except IntegrationError as error:
                    known = [] if error.solution is None else [Segment(error.solution, stage)]
                    at, last, _ = end_of(known[0], held) if known else (t, x, True)
                    told = stage.told(at, last, held, error.reason)
                    raise Broken(f"{error}{told}", _joined([*segments, *known]), error.reason) from None
                segments.append(Segment(solution, stage))
                armed = None
                t, x, belongs = end_of(segments[-1], held)
                try:
                    if not belongs:
                        stage.verify(t, x, held)
                except ConstraintError as error:
                    raise Departed(str(error), _joined(segments), t, x) from None
                hit = () if solution.event is None else solution.event.guards
                if hit or interrupted():
                    return Ran(_joined(segments), stage, x, hit)
                if solution.event is None:
                    break
                stage = stage.rewritten(t, x, held)
                waiting = self.still(waiting, stage, t, x, held)
            waiting = self.still(waiting, stage, t, x, held)
            armed = self.guard(stage, t, x, held) >= 0.0
        return Ran(_joined(segments), stage, x, ())

    def still(self, waiting: Flags | None, stage: Stage, t: float, x: Array, rest: Array) -> Flags | None:
        """Which guards still wait: those that have not come above zero."""
        return None if waiting is None else waiting & (self.guard(stage, t, x, rest) <= 0.0)

    def armed(self, g: Array) -> Flags:
        """Which guards are armed where they have these values."""
        return armed_at(g, self.eager, self.heights)

    def guard(self, stage: Stage, t: float, x: Array, rest: Array) -> Array:
        """The guards at one state."""
        values = self.guards(stage, t, x, rest)
        return np.asarray(values[: len(values) // 2])

    def guards(self, stage: Stage, t: float, x: Array, rest: Array) -> Array:
        """The guards at one state, then their rates."""
        return stage.look(t, x, rest)

    def left(self, segments: list[Segment]) -> Method:
        """The method with the steps that are left: however often speeds are chosen anew, ``max_steps`` is for all."""
        if not segments:
            return self.method
        used = sum(s.solution.stats.steps + s.solution.stats.rejected for s in segments)
        most = getattr(self.method, "max_steps", None)
        return self.method if most is None else replace(self.method, max_steps=max(most - used, 0))  # type: ignore[type-var]

    def piece(self, stage: Stage, x: Array, t: float, t_end: float, rest: Array, armed: Flags,
              method: Method) -> Solution:  # fmt: skip
        """From t to t_end with what is held there. A guard that is below zero at t waits until it was above."""
        samples = None
        if self.samples is not None:
            inside = self.samples[slice(*np.searchsorted(self.samples, [t, np.nextafter(t_end, np.inf)]))]
            samples = inside if len(inside) and inside[0] == t else np.append(t, inside)
        time, units, guards = self.scales
        scales = StateScales(time, stage.reduced(np.asarray(units)), guards)
        return integrate(stage.function, stage.reduced(x), t, t_end, rest, method, self.progress,
                         guards=stage.guards, armed=None if stage.guards is None else armed, samples=samples,
                         settle=stage.settle, memory=stage.memory, longest=self.longest,
                         heights=self.heights, scales=scales)  # fmt: skip


def armed_at(g: Array, eager: Flags | None, heights: Array | float) -> Flags:
    """Which guards are armed where they have these values; ``eager`` ones are also below zero."""
    usual = g >= 0.0 if eager is None else (g >= 0.0) | eager
    if isinstance(heights, float):
        return usual
    return np.where(heights == 0.0, usual, np.where(heights > 0.0, g > heights, g <= -heights))


def end_of(segment: Segment, rest: Array) -> tuple[float, Array, bool]:
    """Time and state (q, u, work) at the end of a segment, as far as it is finite; whether it surely belongs."""
    solution = segment.solution
    last = len(solution.t) - 1
    if not math.isfinite(sum(solution.x[last].tolist())):
        last = int(np.flatnonzero(np.isfinite(solution.x).all(axis=1))[-1])
    t = float(solution.t[last])
    return t, *segment.stage.end(t, solution.x[last], rest)


def _joined(segments: list[Segment]) -> list[Segment]:
    """Segments of one stage that follow each other as one."""
    if len(segments) == 1:
        return segments
    return [Segment(join([s.solution for s in group]), stage)
            for stage, group in ((k, list(g)) for k, g in groupby(segments, key=lambda s: s.stage))]  # fmt: skip

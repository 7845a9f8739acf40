"""Legs: stretches of a run in which some contacts sleep, and the check afterwards that none of them can have touched.

    ∫ pace dt < room

along the steps, for each that sleeps. Between two steps the pace is taken as the larger of both, and some more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from latchwork.hybrid.contacts.watch_set import FASTER, FULL, WatchSet
from latchwork.hybrid.path import Segment, Stage
from latchwork.hybrid.plan import Broken, Plan, Ran
from latchwork.hybrid.table import Array
from latchwork.integrate.dense_output import Solution


def leg_end(sight: WatchSet, t: float, plan_step: float | None) -> float:
    """Until when what sleeps may be relied on; by whole steps of a method whose steps are fixed."""
    if plan_step is None or not np.isfinite(sight.until):
        return sight.until
    return t + max(1.0, np.floor((sight.until - t) / plan_step)) * plan_step


def run_leg(sight: WatchSet, plan: Plan, stage: Stage, x: Array, t: float, until: float, rest: Array,
            values: Array | None) -> Ran:  # fmt: skip
    """Run a stage until a time or an event; again, as far as it was good, where something that sleeps may have touched.

    Every step is kept until it is checked, then the samples that were asked for.
    """
    pieces = plan.driven.pieces
    if not sight.sleeps:
        return plan.run(stage, x, pieces(t, until), rest, values)
    steps = replace(plan, samples=None)
    while True:
        broken: Broken | None = None
        try:
            ran = steps.run(stage, x, pieces(t, until), rest, values)
            segments = ran.segments
        except Broken as error:
            broken, segments = error, error.segments
        good = relied(sight, plan, segments, rest)
        end = float(segments[-1].solution.t[-1]) if segments else t
        if good >= end or end - t < sight.tolerances.blink:
            break
        until = good if good > t else t + 0.5 * (_first(segments) - t)
    if broken is not None:
        raise broken
    return ran if plan.samples is None else ran._replace(segments=[_thinned(s, plan, rest) for s in ran.segments])


def relied(sight: WatchSet, plan: Plan, segments: Sequence[Segment], rest: Array) -> float:
    """The last time up to which nothing that sleeps can have touched."""
    if sight.bounds is None or not segments:
        return np.inf
    t = np.concatenate([segment.solution.t for segment in segments])
    states = [segment.stage.full(s.t, s.x, plan.driven.rest_at(rest, s.t))[0][:, :-1]
              for segment in segments for s in (segment.solution,)]  # fmt: skip
    rows = np.column_stack([t, np.concatenate(states), plan.driven.rest_at(rest, t)])
    paces = sight.paces(sight.bounds.along(rows))
    most = FASTER * np.maximum(paces[1:], paces[:-1]) * np.diff(t)[:, None]
    good = (np.cumsum(most, axis=0) < FULL * sight.rooms.room).all(axis=1)
    return float(t[-1]) if good.all() else float(t[int(good.argmin())])


def _first(segments: Sequence[Segment]) -> float:
    """The end of the first step."""
    return float(segments[0].solution.t[1])


def _thinned(segment: Segment, plan: Plan, rest: Array) -> Segment:
    """The samples that were asked for, and both ends; all steps where an input jumps in between."""
    s, samples = segment.solution, plan.samples
    if samples is None or s.ends is not None:
        return segment
    inside = samples[(samples > s.t[0]) & (samples < s.t[-1])]
    t = np.concatenate([s.t[:1], inside, s.t[-1:]]) if len(s.t) > 1 else s.t
    x = s.at(t)
    dx = segment.stage.function.many(np.column_stack([t, x, plan.driven.rest_at(rest, t)]))
    return Segment(Solution(t, x, dx, np.zeros((len(t) - 1, x.shape[1])), s.stats, s.event), segment.stage)

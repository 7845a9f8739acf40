"""What a run went through: its modes, numbered in the order in which they were first visited, and its transitions.

A mode is what holds, in any order: what the segments of the path say, and each event after it. What holds for no time
(passed through at one instant) is no visit: the events on both sides make one transition.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.hybrid.path import Path, at_jumps

if TYPE_CHECKING:
    from latchwork.hybrid.event import RunEvent

Names = tuple[str, ...]
Key = frozenset[str]
MARKS_ONLY = ("stop", "near")  # kinds of events that leave the mode as it is and reset nothing


class Span(NamedTuple):
    """For a while, the same holds."""

    begin: float
    end: float
    names: Names


class Transition(NamedTuple):
    """From one mode to another, or back to itself, by number; with the events that did it, all at one instant."""

    before: int
    after: int
    events: tuple[RunEvent, ...]

    @property
    def label(self) -> str:
        """Kinds and names of what happened: ``impact: ball on floor``."""
        kinds: dict[str, list[str]] = {}
        for event in self.events:
            kinds.setdefault(event.name, []).append(event.kind)
        return " + ".join(f"{', '.join(kind)}: {name}" for name, kind in kinds.items())


class Step(NamedTuple):
    """A span, and the events that began it; none for the first, and where a change is no event."""

    span: Span
    events: tuple[RunEvent, ...] = ()


@dataclass(frozen=True)
class ModeHistory:
    """Modes by number, from 1, what each held; the spans of time in them; and every transition."""

    modes: tuple[Names, ...]
    spans: tuple[Span, ...]
    transitions: tuple[Transition, ...]

    def number(self, names: Sequence[str]) -> int:
        """k of the mode in which these hold."""
        return [frozenset(mode) for mode in self.modes].index(frozenset(names)) + 1

    def at(self, t: ArrayLike) -> NDArray[np.intp]:
        """k at some times; at the instant of a change, the later mode counts, at a jump both."""
        times = np.atleast_1d(np.asarray(t, dtype=float))
        numbers = np.array([self.number(span.names) for span in self.spans])
        return numbers[at_jumps([span.begin for span in self.spans], times)]


def mode_history(path: Path, events: Sequence[RunEvent]) -> ModeHistory:
    """Modes, spans and transitions of a run."""
    steps = list(_steps(path, events))
    modes: dict[Key, Names] = {}
    for step in steps:
        if step.span.end > step.span.begin or step is steps[-1]:
            modes.setdefault(frozenset(step.span.names), step.span.names)
    numbers = {key: k for k, key in enumerate(modes, start=1)}
    return ModeHistory(tuple(modes.values()), tuple(_spans(steps)), tuple(_transitions(steps, numbers)))


def _steps(path: Path, events: Sequence[RunEvent]) -> Iterator[Step]:
    """Every change of what holds, and every event that changed nothing, with the time until the next."""
    end = float(path.segments[-1].solution.t[-1])
    changes = list(_changes(path, events))
    for (t, names, happened), until in zip(changes, [*(t for t, _, _ in changes[1:]), end], strict=True):
        yield Step(Span(t, max(until, t), names), happened)


def _changes(path: Path, events: Sequence[RunEvent]) -> Iterator[tuple[float, Names, tuple[RunEvent, ...]]]:
    """(t, what holds from there, the events), in the order of time: events of one instant that tell the same are one.

    Between events, the segments of the path say what holds; at one instant, the events come first.
    """
    begin, first = float(path.segments[0].solution.t[0]), path.segments[0].dynamics.names
    here = events[0].before if events and events[0].t <= begin else first
    yield begin, here, ()
    told: list[tuple[float, int, Names, tuple[RunEvent, ...]]]
    told = [(float(s.solution.t[0]), 1, s.dynamics.names, ()) for s in path.segments]
    for (t, _, after), same in itertools.groupby(events, key=lambda e: (e.t, e.before, e.after)):
        told.append((max(float(t), begin), 0, after, tuple(e for e in same if e.kind not in MARKS_ONLY)))
    for t, _, names, happened in sorted(told, key=lambda item: item[:2]):
        if happened or frozenset(names) != frozenset(here):
            yield t, names, happened
            here = names


def _spans(steps: Sequence[Step]) -> Iterator[Span]:
    """Neighbours in which the same holds made one; without those that last no time, but with the last mode."""
    kept = [s.span for s in steps if s.span.end > s.span.begin]
    final = steps[-1].span
    if not kept or frozenset(kept[-1].names) != frozenset(final.names):
        kept.append(final)
    for _, same in itertools.groupby(kept, key=lambda span: frozenset(span.names)):
        first, *others = same
        yield Span(first.begin, others[-1].end if others else first.end, first.names)


def _transitions(steps: Sequence[Step], numbers: dict[Key, int]) -> Iterator[Transition]:
    """From each mode that lasts to the next, and loops; events on the way wait until there is a mode to stay in."""
    here: int | None = None
    waiting: tuple[RunEvent, ...] = ()
    for step in steps:
        there = numbers.get(frozenset(step.span.names))
        waiting += step.events
        lasts = step.span.end > step.span.begin or step is steps[-1]
        if there is None or (there != here and not lasts):
            continue
        if here is not None and (waiting or there != here):
            yield Transition(here, there, waiting)
        here, waiting = there, ()

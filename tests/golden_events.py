"""Golden event logs: what happened in the runs of all examples and of all scenes that ever failed.

    python tests/golden_events.py [names]           what differs now from tests/golden/events.txt
    python tests/golden_events.py --write [names]   write the file anew, or these runs in it

A line is an event: its time, its kind, whom it concerns, and what ends (−) and begins (+) to hold with it; a line
"holds" says what does where it is not what the event before left. A run is held as far as rounding leaves it where it
is: up to the first event that another start, off by 1e-15 of each number, moves by more than 1e-9 or changes. Where
things start aligned, as a block that moves with its belt, that would part them: so coordinates are moved with speeds,
and without them, and it is enough that one of the two changes nothing. Times are compared to 1e-9 of max(1, t).

Which corners of a crate carry it is often rounding. A run that is not held to its end is told by pairs as well: of all
places where two things touch as one, and of all that happens within a microsecond as one event.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any
from unittest.mock import patch

import latchwork as lw
from latchwork.hybrid.event import STATES, RunEvent
from latchwork.view import gallery
from random_scenes import SUITE, Endless, scene

GOLDEN = Path(__file__).resolve().parent / "golden" / "events.txt"
EXACT = 1e-9  # of max(1, t)
NUDGE = 1e-15  # of each number of the start
END, NOTHING = "end", "nothing"
Telling = Callable[[Sequence[RunEvent]], Sequence[RunEvent]]
TOGETHER = 1e-6  # s: by pairs, what happens within it is one event
BY_PAIRS = " by pairs"


# --- lines --------------------------------------------------------------------------------------------------------


def lines(events: Sequence[RunEvent]) -> list[str]:
    """Events as lines, from which time, kind, names, before and after of each can be had again."""
    found, held = [], tuple[str, ...]()
    for event in events:
        if event.before != held:
            found.append(f"holds {', '.join(event.before) or NOTHING}")
        ends = [f" -[{label}]" for label in event.before if label not in event.after]
        begins = [f" +[{label}]" for label in event.after if label not in event.before]
        found.append(f"{event.t:.12g} {event.kind}, {event.name}:{''.join([*ends, *begins]) or ' no change'}")
        held = event.after
    return [*found, END]


def by_pairs(events: Sequence[RunEvent]) -> list[RunEvent]:
    """The same of pairs of things, wherever they touch; without what changes no pair and is no impact."""
    found = []
    groups: list[list[RunEvent]] = []
    for event in events:
        if groups and event.t - groups[-1][0].t <= TOGETHER:
            groups[-1].append(event)
        else:
            groups.append([event])
    for group in groups:
        before, after = pairs(group[0].before), pairs(group[-1].after)
        kinds = sorted({event.kind for event in group})
        if before != after or "impact" in kinds:
            kind = "impact" if "impact" in kinds else "change"
            found.append(RunEvent(group[0].t, ", ".join(pairs(touched(group))), before, after, kind=kind))
    return found


def touched(events: Sequence[RunEvent]) -> list[str]:
    """All that took part in some events."""
    return [name for event in events for name in event.name.split(", ")]


def pairs(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels of contacts without the places where they touch, each once, in order."""
    parts = [label.split(": ") for label in labels]
    return tuple(sorted({": ".join([part[0], *part[-1:]] if part[-1] in STATES else part[:1]) for part in parts}))


def differs(old: str, new: str) -> bool:
    """Whether two lines tell of different events; times may differ by what they are compared to."""
    (a, _, before), (b, _, after) = (line.partition(" ") for line in (old, new))
    if {a, b} & {"holds", END, NOTHING}:
        return old != new
    return before != after or abs(float(a) - float(b)) > EXACT * max(1.0, abs(float(a)))


def agreement(run: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two runs have in common."""
    pairs = zip_longest(run, other, fillvalue=NOTHING)
    return next((k for k, (a, b) in enumerate(pairs) if differs(a, b)), len(run))


# --- the file -----------------------------------------------------------------------------------------------------


def kept() -> dict[str, str]:
    """The blocks of the file, by the name of each run."""
    blocks = GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")[1:]
    return {part.partition(" | ")[0]: part for part in blocks}


@cache
def golden() -> Mapping[str, tuple[str, ...]]:
    """The lines that are held, by the name of each run."""
    return {name: tuple(line.strip() for line in part.splitlines()[1:]) for name, part in kept().items()}


def unlike_golden(name: str, events: Sequence[RunEvent]) -> str:
    """How the events of a run differ from those that are held of it: the first line that does, as it was and is."""
    for which, told in ((name, events), (name + BY_PAIRS, by_pairs(events))):
        old, new = golden().get(which, ()), lines(told)
        k = agreement(old, new[: len(old)])
        if k < len(old):
            now = new[k] if k < len(new) else NOTHING
            return f"{which}, line {k + 1}\n    was: {old[k]}\n    now: {now}"
    return ""


def block(name: str, run: Sequence[str], agree: int) -> str:
    """What the file says of a run of which so many lines are held."""
    count, whole = (sum(line[0].isdigit() for line in part) for part in (run[:agree], run))
    return "\n".join([f"{name} | {count} of {whole} events", *(f"  {line}" for line in run[:agree])])


# --- runs ---------------------------------------------------------------------------------------------------------


def events_of(name: str) -> Sequence[RunEvent]:
    """The events of an example, or of a scene by its seed; up to where it is refused."""
    if not name.isdigit():
        example = gallery.load(name)
        return example.run(example.models()[0]).events
    s = scene(int(name))
    with suppress(lw.IntegrationError, Endless):
        s.play()
    return s.sim.events


@contextmanager
def nudged(sign: float, speeds: bool) -> Iterator[None]:
    """Runs start a little beside where they are told to."""
    init: Callable[..., None] = lw.Simulation.__init__

    def start(self: lw.Simulation, model: Any, q: Any = None, u: Any = None, **more: Any) -> None:
        init(self, model, moved(q, sign), moved(u, -sign) if speeds else u, **more)

    with patch.object(lw.Simulation, "__init__", start):
        yield


def moved(given: Any, sign: float) -> Any:
    """Numbers of a start, each off by a part of 1e-15, by turns up and down."""
    if given is None:
        return None
    names = list(given) if isinstance(given, Mapping) else None
    numbers = [given[name] for name in names] if names is not None else list(given)
    off = [x * (1.0 + sign * (-1) ** k * NUDGE) for k, x in enumerate(numbers)]
    return off if names is None else dict(zip(names, off, strict=True))


def written(name: str) -> dict[str, str]:
    """The block of a run, held as far as runs that start beside it agree; by pairs, too, if that is not to its end."""
    run = events_of(name)
    others = [[beside(name, sign, speeds) for sign in (1.0, -1.0)] for speeds in (True, False)]
    found = {name: block(name, lines(run), held(run, others, list))}
    if not found[name].endswith(END):
        found[name + BY_PAIRS] = block(name + BY_PAIRS, lines(by_pairs(run)), held(run, others, by_pairs))
    return found


def held(run: Sequence[RunEvent], others: Sequence[Sequence[Sequence[RunEvent]]], told: Telling) -> int:
    """How many lines of a run are those of all runs of one of some sets."""
    return max(min(agreement(lines(told(run)), lines(told(other))) for other in some) for some in others)


def beside(name: str, sign: float, speeds: bool) -> Sequence[RunEvent]:
    """The events of a run that starts a little beside another."""
    with nudged(sign, speeds):
        return events_of(name)


def names() -> list[str]:
    """All runs that are held: examples, and seeds that broke a law once or are in every run."""
    seeds = {int(name.split(" ")[0]) for name in kept() if name[0].isdigit()}
    return [*gallery.NAMES, *map(str, sorted({*SUITE, *seeds}))]


def main(arguments: Sequence[str]) -> None:
    """Write the file, or say what differs from it."""
    warnings.simplefilter("ignore")
    asked = [name for name in arguments if name != "--write"]
    if "--write" in arguments:
        blocks = {} if not asked else {name: part for name, part in kept().items() if name.split(" ")[0] not in asked}
        for name in asked or names():
            blocks |= written(name)
        order = [each for name in names() for each in (name, name + BY_PAIRS) if each in blocks]
        GOLDEN.write_text("\n\n".join([HEAD, *(blocks[name] for name in order)]) + "\n", encoding="utf-8")
        return
    for name in asked or [name for name in golden() if not name.endswith(BY_PAIRS)]:
        found = unlike_golden(name, events_of(name))
        print(f"{name}: {found or 'the same'}", flush=True)


HEAD = "Event logs that are held; written by `python tests/golden_events.py --write`, which says what the lines mean."

if __name__ == "__main__":
    main(sys.argv[1:])

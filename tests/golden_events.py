"""Golden event logs: what happened in the runs of all examples and of all scenes that ever failed.

    python tests/golden_events.py [names]           what differs now from tests/golden/events.txt
    python tests/golden_events.py --write [names]   write the file anew, or these runs in it

A line is an event: its time, its kind, whom it concerns, and what ends (−) and begins (+) to hold with it; a line
"holds" says what does where it is not what the event before left. A run is held as far as rounding leaves it where it
is: up to the first event that another start, off by 1e-15 of each number, moves by more than 1e-9 or changes. Where
things start aligned, as a block that moves with its belt, that would part them: so coordinates are moved with speeds,
and without them, and it is enough that one of the two changes nothing. Times are compared to 1e-9 of max(1, t).
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
from latchwork.hybrid.event import RunEvent
from latchwork.view import gallery
from random_scenes import Endless, scene

GOLDEN = Path(__file__).resolve().parent / "golden" / "events.txt"
EXACT = 1e-9  # of max(1, t)
NUDGE = 1e-15  # of each number of the start
ENDS = "and no more"


# --- lines --------------------------------------------------------------------------------------------------------


def lines(events: Sequence[RunEvent]) -> list[str]:
    """Events as lines, from which time, kind, names, before and after of each can be had again."""
    found, held = [], tuple[str, ...]()
    for event in events:
        if event.before != held:
            found.append(f"holds {', '.join(event.before) or 'nothing'}")
        ends = [f" -[{label}]" for label in event.before if label not in event.after]
        begins = [f" +[{label}]" for label in event.after if label not in event.before]
        found.append(f"{event.t:.12g} {event.kind}, {event.name}:{''.join([*ends, *begins]) or ' no change'}")
        held = event.after
    return found


def differs(old: str, new: str) -> bool:
    """Whether two lines tell of different events; times may differ by what they are compared to."""
    (a, before), (b, after) = (line.split(" ", 1) for line in (old, new))
    if a == "holds" or b == "holds" or ENDS in (old, new):
        return old != new
    return before != after or abs(float(a) - float(b)) > EXACT * max(1.0, abs(float(a)))


def first_difference(old: Sequence[str], new: Sequence[str]) -> str:
    """The first line that differs, as it was and as it is; nothing where none does."""
    for k, (was, now) in enumerate(zip_longest(old, new, fillvalue=ENDS)):
        if differs(was, now):
            return f"line {k + 1}\n    was: {was}\n    now: {now}"
    return ""


# --- the file -----------------------------------------------------------------------------------------------------


def kept() -> list[str]:
    """The blocks of the file, one for each run."""
    return GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")[1:]


@cache
def golden() -> Mapping[str, tuple[tuple[str, ...], bool]]:
    """By the name of each run: the lines that are held, and whether they are all."""
    found: dict[str, tuple[tuple[str, ...], bool]] = {}
    for part in kept():
        head, *rest = part.splitlines()
        found[head.partition(" | ")[0]] = tuple(line.strip() for line in rest), head.endswith("all")
    return found


def unlike_golden(name: str, events: Sequence[RunEvent]) -> str:
    """How the events of a run differ from those that are held of it: the first line that does."""
    if name not in golden():
        return ""
    held, are_all = golden()[name]
    new = lines(events)
    return first_difference(held, new if are_all else new[: len(held)])


def block(name: str, run: Sequence[str], agree: int) -> str:
    """What the file says of a run of which so many lines are held."""
    held = run[:agree]
    count, whole = (sum(not line.startswith("holds") for line in part) for part in (held, run))
    told = f"{count} of {whole} events" if agree < len(run) else f"{whole} events, all"
    return "\n".join([f"{name} | {told}", *(f"  {line}" for line in held)])


def agreement(run: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two runs have in common; all and the end, or those before the first that differs."""
    for k, (a, b) in enumerate(zip_longest(run, other, fillvalue=ENDS)):
        if differs(a, b):
            return k
    return len(run)


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


def written(name: str) -> str:
    """The block of a run, held as far as runs that start beside it agree."""
    run, held = lines(events_of(name)), 0
    for speeds in (True, False):
        if held < max(len(run), 1):
            held = max(held, min(agreement(run, beside(name, sign, speeds)) for sign in (1.0, -1.0)))
    return block(name, run, held)


def beside(name: str, sign: float, speeds: bool) -> list[str]:
    """The lines of a run that starts a little beside another."""
    with nudged(sign, speeds):
        return lines(events_of(name))


def names() -> list[str]:
    """All runs that are held: examples, and seeds that broke a law once or are in every run."""
    from hybrid.test_random_scenes import LONG, SUITE

    return [*gallery.NAMES, *map(str, sorted({*SUITE, *LONG}))]


def main(arguments: Sequence[str]) -> None:
    """Write the file, or say what differs from it."""
    warnings.simplefilter("ignore")
    asked = [name for name in arguments if name != "--write"]
    if "--write" in arguments:
        blocks = {} if not asked else {part.partition(" | ")[0]: part for part in kept()}
        blocks |= {name: written(name) for name in asked or names()}
        GOLDEN.write_text("\n\n".join([HEAD, *blocks.values()]) + "\n", encoding="utf-8")
        return
    for name in asked or golden():
        found = unlike_golden(name, events_of(name))
        print(f"{name}: {found or 'the same'}", flush=True)


HEAD = "Event logs that are held; written by `python tests/golden_events.py --write`, which says what the lines mean."

if __name__ == "__main__":
    main(sys.argv[1:])

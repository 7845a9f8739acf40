"""News of a running mechanism: rows of plain values, for other processes and pages."""

from __future__ import annotations

from typing import Any

import numpy as np

from latchwork.hybrid.event import RunEvent

WORDS = {"slide": "slip", "constrain": "hold"}
Row = dict[str, Any]


class Modes:
    """Sets of what holds, numbered in the order in which they are met, from 1."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, ...], int] = {}

    def number(self, names: tuple[str, ...]) -> int:
        return self._numbers.setdefault(names, len(self._numbers) + 1)


def event_row(event: RunEvent, modes: Modes, constraints: set[str]) -> Row:
    """An event as a row: what happened to whom, from which mode to which, with what impulse and loss of energy."""
    what = WORDS.get(event.kind, event.kind)
    if event.kind == "release" and event.name not in constraints:
        what = "open"
    size = float(np.sqrt(sum(float(np.dot(part, part)) for part in event.impulses.values())))
    return {"kind": "event", "t": event.t, "name": event.name, "what": what, "before": modes.number(event.before),
            "after": modes.number(event.after), "impulse": size, "energy": event.energy,
            "notes": list(event.notes)}  # fmt: skip


def mode_row(t: float, number: int, names: tuple[str, ...], rows: list[tuple[str, int]]) -> Row:
    """What holds from now on, and in which order its forces stand."""
    return {"kind": "mode", "t": t, "number": number, "names": list(names), "rows": [list(row) for row in rows]}


def answer_row(answer: Row, name: Any) -> Row:
    """What became of a command."""
    return {"kind": "answer", "id": name, **answer}

"""A recording of a hand: what was read at which tick, played again to the last bit."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from latchwork.errors import FileError
from latchwork.files import read_text, write_text
from latchwork.realtime.devices.device import FREE, Device, Reading, Triple

FORMAT = "latchwork hand 1"
MOST_BYTES = 64_000_000  # of a file; days of a hand
WIDTHS = {"arm": 3, "place": 3, "velocity": 3, "turn": 4, "spin": 3, "force": 3, "torque": 3}
Row = tuple[int, Reading]


class Recording:
    """Readings by tick; each holds until the next one."""

    def __init__(self, rows: Sequence[Row], damping: float | None = None) -> None:
        self.rows, self.damping = tuple(rows), damping
        self._ticks = [tick for tick, _ in self.rows]

    def read(self, tick: int, t: float) -> Reading:
        """What was read at a tick."""
        i = bisect_right(self._ticks, tick) - 1
        return self.rows[i][1] if i >= 0 else FREE

    def write(self, tick: int, t: float, force: Triple, torque: Triple) -> None:
        """A recording feels nothing."""

    def close(self) -> None:
        """There is nothing to give back."""


class Recorder:
    """A device with someone who writes down what is read from it, where it changes."""

    def __init__(self, device: Device) -> None:
        self.device, self.damping = device, device.damping
        self.rows: list[Row] = []

    def read(self, tick: int, t: float) -> Reading:
        """What the device reads."""
        reading = self.device.read(tick, t)
        if reading != (self.rows[-1][1] if self.rows else FREE):
            self.rows.append((tick, reading))
        return reading

    def write(self, tick: int, t: float, force: Triple, torque: Triple) -> None:
        """Hand it on."""
        self.device.write(tick, t, force, torque)

    def close(self) -> None:
        """Close the device."""
        self.device.close()

    def recording(self) -> Recording:
        """What has been written down until now."""
        return Recording(self.rows, self.damping)


def save(recording: Recording, path: str | Path) -> Path:
    """Write a recording as JSON, a row to a line; numbers keep all their digits."""
    head = {"format": FORMAT, "damping": recording.damping}
    lines = [json.dumps(head), *(json.dumps([tick, *reading], allow_nan=False) for tick, reading in recording.rows)]
    return write_text(path, "\n".join(lines) + "\n")


def load(path: str | Path) -> Recording:
    """Read a recording; a file that is none is refused with its line."""
    lines = read_text(path, MOST_BYTES).splitlines()
    head = _json(lines[0] if lines else "", str(path), 1)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise FileError(f"not a recording of a hand: it should begin with {FORMAT!r}. Give a file that `save` wrote.",
                        str(path), 1)  # fmt: skip
    rows = [_row(_json(line, str(path), k), str(path), k) for k, line in enumerate(lines[1:], 2)]
    for k, (before, after) in enumerate(pairwise(rows), 3):
        if after[0] <= before[0]:
            raise FileError(f"tick {after[0]} comes after tick {before[0]}. Sort the rows.", str(path), k)
    damping = head.get("damping")
    if damping is not None and not _numbers([damping], 1):
        raise FileError(f"its damping is {str(damping)[:60]}. Give a finite number or null.", str(path), 1)
    return Recording(rows, None if damping is None else float(damping))


def _json(text: str, source: str, line: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise FileError(f"no JSON: {text[:40]!r}. Give a file that `save` wrote.", source, line) from None


def _row(found: Any, source: str, line: int) -> Row:
    """A tick and a reading, every value looked at."""
    expected = 1 + len(Reading._fields)
    if not isinstance(found, list) or len(found) != expected or type(found[0]) is not int:
        raise FileError(f"a row is a tick and {expected - 1} parts of a reading; got {str(found)[:60]}.", source, line)
    values: dict[str, Any] = dict(zip(Reading._fields, found[1:], strict=True))
    if not isinstance(values["body"], str | None):
        raise FileError(f"the body of a row is {values['body']!r}. Give a name or null.", source, line)
    for name, width in WIDTHS.items():
        if name == "turn" and values[name] is None:
            continue
        if not _numbers(values[name], width):
            raise FileError(f"{name} of a row is {str(values[name])[:60]}. Give {width} numbers.", source, line)
        values[name] = tuple(map(float, values[name]))
    return found[0], Reading(**values)


def _numbers(value: Any, width: int) -> bool:
    return isinstance(value, list) and len(value) == width and all(
        isinstance(item, int | float) and not isinstance(item, bool) and math.isfinite(item) for item in value
    )  # fmt: skip

"""Session: all that reached a mechanism while it ran, by tick. From it the run is made again, bit for bit.

A file of lines of JSON. The first line is the head; each other line is a row:

    {"format": "latchwork session 1", "source": "caster", "digest": "...", "step": 0.001, "device": "pointer", ...}
    ["do", tick, {"do": "grab", ...}]     a command that came before this tick
    ["hand", tick, body, arm, place, velocity, turn, spin, force, torque]   what was read at this tick, where it changed
    ["sum", tick, "..."]                  checksum of all states before this tick
    ["end", tick, "..."]                  how many ticks there were, and their checksum

What the page's pointer reads follows from the commands, and is left out. The source is the name of an example or the
path of a model file, and has to be what it was. Nothing in a file is executed, nor anything that it names: a session of
a script says null, and whoever replays it names the script. What is malformed or too long is refused; ticks are
believed as far as there are checksums for them.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import tempfile
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from latchwork.errors import FileError, must_be
from latchwork.files import read_bytes, read_text, write_text
from latchwork.realtime.board import Array
from latchwork.realtime.devices.device import FREE, Reading
from latchwork.realtime.exhibit import is_script, script_of

FORMAT = "latchwork session 1"
SUMMED = 1000  # ticks between checksums
MOST_ROWS = 200_000  # that are kept of a run; an hour of dragging
MOST_BYTES = 64_000_000  # of a file
LONGEST = 100_000  # characters of a line
MOST_SOURCE = 20_000_000  # bytes of what ran
MOST_TICKS = 100_000_000
WIDTHS = {"arm": 3, "place": 3, "velocity": 3, "turn": 4, "spin": 3, "force": 3, "torque": 3}
SKIPPED = {"pause", "go", "step", "speed", "record"}  # these change when ticks are made, not what they do
Row = list[Any]


class Log:
    """The session of a live mechanism since it was at its start; a reset begins anew."""

    def __init__(self, most: int = MOST_ROWS) -> None:
        self._most = most
        self.begin(0)

    def begin(self, tick: int) -> None:
        """The mechanism is at its start."""
        self._first, self.ticks, self.rows = tick, 0, list[str]()
        self._last: Reading = FREE
        self._sum = hashlib.blake2b(digest_size=16)
        self.full = self.partial = False  # too long; or begun without what a device did

    def command(self, command: dict[str, Any]) -> None:
        """A command came, before the next tick."""
        if command["do"] not in SKIPPED:
            self._add(["do", self.ticks, {key: value for key, value in command.items() if key != "id"}])

    def reading(self, reading: Reading) -> None:
        """What was read at this tick."""
        if reading != self._last:
            self._last = reading
            self._add(["hand", self.ticks, *reading])

    def state(self, t: float, x: Array) -> None:
        """A tick has been made."""
        self._sum.update(x.tobytes())
        self.ticks += 1
        if self.ticks % SUMMED == 0:
            self._add(["sum", self.ticks, self.checksum])

    def _add(self, row: Row) -> None:
        if len(self.rows) < self._most:
            self.rows.append(json.dumps(row, allow_nan=False))
        else:
            self.full = True

    @property
    def checksum(self) -> str:
        """Of all states until now."""
        return self._sum.hexdigest()

    def save(self, path: str | Path, source: str, step: float, device: str, display: str = "impedance",
             damping: tuple[float | None, float | None] = (None, None)) -> Path:  # fmt: skip
        """Write what is known until now."""
        if self.partial:
            raise FileError("what the device did at the start was not written down. Record, then reset: the session "
                            "begins there.")  # fmt: skip
        if self.full:
            raise FileError(f"the session is longer than {self._most} rows, and cannot be recorded from its start. "
                            "Reset, and record again.")  # fmt: skip
        named = None if is_script(source) else source
        head = {"format": FORMAT, "source": named, "digest": digest(source), "step": step, "device": device,
                "display": display, "damping": list(damping), "made by": versions()}  # fmt: skip
        lines = [json.dumps(head), *self.rows, json.dumps(["end", self.ticks, self.checksum])]
        return write_text(path, "\n".join(lines) + "\n")


class Session(NamedTuple):
    """A session as it was read from a file."""

    source: str
    step: float
    device: str
    commands: dict[int, list[dict[str, Any]]]
    hand: list[tuple[int, Reading]]
    sums: dict[int, str]
    ticks: int
    made_by: dict[str, str]
    display: str = "impedance"
    damping: tuple[float | None, float | None] = (None, None)  # of the device, in translation and rotation


def digest(source: str) -> str:
    """A checksum of the script or file that a source names."""
    return hashlib.blake2b(read_bytes(script_of(source), MOST_SOURCE), digest_size=16).hexdigest()


def versions() -> dict[str, str]:
    """What ran: numbers may differ from other versions, or other machines."""
    try:
        own = version("latchwork")
    except PackageNotFoundError:
        own = "from its sources"
    return {"latchwork": own, "numpy": np.__version__, "machine": platform.machine()}


def recording_path(source: str) -> Path:
    """A file that is not there yet, in the folder for what does not last."""
    handle, path = tempfile.mkstemp(prefix=f"latchwork-{Path(source).stem}-", suffix=".jsonl")
    os.close(handle)
    return Path(path)


def load_session(path: str | Path, script: str | Path | None = None) -> Session:
    """Read a session; every value is looked at. ``script`` is what ran, where that was a script."""
    must_be(path, (str, PathLike), "a session", "Give the path of a file that a loop recorded.")
    name, rows = str(path), _lines(Path(path))
    head = rows[0] if rows else None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise FileError(f"this is no session: it should begin with {FORMAT!r}. Give a file that a loop recorded.", name)
    source, step, device = _source(head.get("source"), script, name), head.get("step", 0.0), head.get("device")
    display, damping = head.get("display", "impedance"), head.get("damping", [None, None])
    if not (isinstance(device, str) and _number(step) and 1e-5 <= step <= 0.1
            and isinstance(display, str) and isinstance(damping, list) and len(damping) == 2
            and all(each is None or _number(each) for each in damping)):  # fmt: skip
        raise FileError("its first line says not well what ran. Give a file that a loop recorded.", name, 1)
    if digest(source) != head.get("digest"):
        raise FileError(f"'{source}' is not what it was when this was recorded. Use the version that made it.", name, 1)
    made_by = head.get("made by")
    made_by = made_by if isinstance(made_by, dict) else {}
    found = Session(source, float(step), device, {}, [], {}, 0, made_by, display, (damping[0], damping[1]))
    ticks = 0
    for k, row in enumerate(rows[1:], 2):
        ticks = _take(found, row, ticks, name, k)
    if not rows[1:] or rows[-1][0] != "end":
        raise FileError("it has no end. The recording was cut off.", name)
    unknown = next((k for k in range(SUMMED, ticks, SUMMED) if k not in found.sums), None)
    if unknown is not None:
        raise FileError(f"it claims {ticks} ticks, and has no checksum at {unknown}. Give a file that a loop recorded.",
                        name)  # fmt: skip
    return found._replace(ticks=ticks)


def _source(named: Any, script: str | Path | None, name: str) -> str:
    """What ran: what a session names, if that is an example or a model file; else the script of whoever asks."""
    if script is not None and named is None:
        return str(script)
    if script is not None:
        raise FileError(f"it was recorded from {named!r:.60}, not from a script. Leave script= out.", name, 1)
    if named is None:
        raise FileError("it was recorded from a script, which is executed only where you name it yourself: "
                        'lw.replay(path, script="mine.py").', name, 1)  # fmt: skip
    if not isinstance(named, str) or is_script(named):
        raise FileError(f"it names {named!r:.60}, which is neither an example nor a model file; no other source of a "
                        "session is opened. Give a file that a loop recorded.", name, 1)  # fmt: skip
    return named


def _lines(path: Path) -> list[Any]:
    found: list[Any] = []
    try:
        for k, line in enumerate(read_text(path, MOST_BYTES).splitlines(), 1):
            if len(line) > LONGEST or k > MOST_ROWS + 2:
                raise FileError("it is longer than any session. Give a file that a loop recorded.", str(path), k)
            found.append(json.loads(line))
    except (ValueError, RecursionError):
        raise FileError("this is no JSON. Give a file that a loop recorded.", str(path), len(found) + 1) from None
    return found


def _take(found: Session, row: Any, before: int, name: str, line: int) -> int:
    """One row, put where it belongs; gives its tick."""
    if not isinstance(row, list) or len(row) < 3 or type(row[1]) is not int or not before <= row[1] <= MOST_TICKS:
        raise FileError(f"a row should be a word, a tick that is not before the last, and what happened; got "
                        f"{str(row)[:60]}.", name, line)  # fmt: skip
    word, tick, *rest = row
    if word == "do" and isinstance(rest[0], dict) and rest[0].get("do") not in SKIPPED:
        found.commands.setdefault(tick, []).append(rest[0])
    elif word == "hand":
        found.hand.append((tick, _reading(rest, name, line)))
    elif word in ("sum", "end") and isinstance(rest[0], str):
        found.sums[tick] = rest[0]
    else:
        raise FileError(f"no row begins with {str(word)[:20]!r} and goes on so.", name, line)
    return tick


def _reading(parts: list[Any], name: str, line: int) -> Reading:
    values = dict(zip(Reading._fields, parts, strict=False))
    fits = len(parts) == len(Reading._fields) and isinstance(values["body"], str | None)
    for key, width in WIDTHS.items():
        if fits and not (key == "turn" and values[key] is None):
            value = values[key]
            fits = isinstance(value, list) and len(value) == width and all(map(_number, value))
            values[key] = tuple(map(float, value)) if fits else value
    if not fits:
        raise FileError(f"this is no reading of a hand: {str(parts)[:60]}.", name, line)
    return Reading(**values)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)

"""What stands around a moment: name and mode above it; time, modes as colours and events as ticks below."""

from __future__ import annotations

import numpy as np

from latchwork.view.film.moment import Moment
from latchwork.view.film.palette import palette
from latchwork.view.film.pen import SMALL, Pen, fitted, width
from latchwork.view.film.sight import Room

HEAD = 32.0  # pixels above a picture
FOOT = 46.0  # pixels below it
EDGE = 14.0  # pixels on either side
WORDS = 130.0  # pixels that a mode takes at least with its words
BAR = 5.0  # pixels: how thick the bar of modes is


def decimals(length: float) -> int:
    """Of a clock that runs so many seconds."""
    return 1 if length >= 100 else 3 if length >= 1 else 6


def tells_modes(moment: Moment) -> bool:
    """Whether there is anything to tell: an event, or more than one mode."""
    return len(moment.scene["modes"]) > 1 or bool(moment.scene["events"])


def head(pen: Pen, moment: Moment, room: Room, title: str) -> None:
    """The title, and the mode that holds, as far as there is room."""
    y, colors = room.y + 0.5 * room.high + 0.36 * SMALL, palette()
    end, x = room.x + room.wide - EDGE, room.x + EDGE
    several = tells_modes(moment)
    words = fitted(title, (0.45 if several else 1.0) * (end - x), bold=True)
    pen.text(words, x, y, "left", colors["ink"], bold=True)
    if several:
        mode(pen, moment, x + width(words, bold=True) + 22, y, end)


def mode(pen: Pen, moment: Moment, x: float, y: float, end: float) -> None:
    """A square of the colour of the mode, its number and, where a few words have room, what holds."""
    words, color = moment.scene["modes"][moment.mode - 1]
    pen.rectangle(x, y - 9.5, 10, 10, color)
    told = f"mode {moment.mode}: {words}" if end - x > WORDS else f"mode {moment.mode}"
    pen.text(fitted(told, end - x - 16), x + 16, y, "left", palette()["soft"])


def clock(moment: Moment) -> str:
    """The time, with as many decimals as the page shows."""
    return f"t = {moment.t:.{decimals(moment.reel.length)}f} s"


def foot(pen: Pen, moment: Moment, room: Room, speed: float | None = None) -> None:
    """The run from left to right, with a handle where it is; the time, how fast it passes, and what happened last."""
    colors, last = palette(), float(moment.reel.t[-1])
    _bar(pen, moment, Room(room.x + EDGE, room.y + 6, room.wide - 2 * EDGE, 14))
    y, x, end = room.y + room.high - 11, room.x + EDGE, room.x + room.wide - EDGE
    after = f" of {last:.{decimals(moment.reel.length)}f}" + ("" if speed in (None, 1.0) else f", {speed:g} ×")
    pen.text(fitted(clock(moment) + after, end - x), x, y, "left", colors["ink"])
    if moment.event is not None:
        t, kind, name = moment.event
        taken = width(clock(moment.reel.at(last)) + after) + 24
        what = kind if name == kind else f"{kind}, {name}"
        pen.text(fitted(f"{what} at {t:.6g} s", end - x - taken), end, y, "right", colors["soft"])


def _bar(pen: Pen, moment: Moment, room: Room) -> None:
    colors, scene = palette(), moment.scene
    first, length = float(moment.reel.t[0]), moment.reel.length or 1.0
    top = room.y + room.high - BAR

    def x(t: float) -> float:
        return room.x + room.wide * (t - first) / length

    pen.rectangle(room.x, top, room.wide, BAR, colors["rule"])
    if len(scene["modes"]) > 1:
        for begin, end, number in scene["spans"]:
            pen.rectangle(x(begin), top, max(x(end) - x(begin), 1.0), BAR, scene["modes"][number - 1][1])
    for t, kind, _ in scene["events"]:
        pen.rectangle(x(t) - 0.75, room.y, 1.5, room.high - BAR - 1, colors["force" if kind == "impact" else "soft"])
    pen.disk(np.array([x(moment.t), top + BAR / 2]), 5.5, colors["rod"], colors["paper"])

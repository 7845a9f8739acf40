"""Sheets: one moment with what is told around it, or a strip of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from latchwork.view.film.drawing import draw
from latchwork.view.film.moment import Moment, Reel
from latchwork.view.film.palette import palette
from latchwork.view.film.pen import Pen, fitted, width
from latchwork.view.film.renderer import Renderer
from latchwork.view.film.sight import Room, sight
from latchwork.view.film.telling import EDGE, FOOT, HEAD, clock, foot, head, mode, tells_modes

MARGIN = (56.0, 48.0)  # pixels around a scene in a panel
LABEL = 24.0  # pixels above a panel
COLUMNS = (1, 2, 3, 6)


def sheet(pen: Pen, moment: Moment, renderer: Renderer, speed: float | None = None) -> None:
    """One moment: name and mode, the scene, time and events."""
    wide, high = pen.size
    pen.clear()
    draw(pen, moment, sight(moment.scene, inner(pen), middle=moment.middle), renderer)
    pen.within(0, 0, wide, high)
    head(pen, moment, Room(0, 0, wide, HEAD), moment.scene["name"])
    foot(pen, moment, Room(0, high - FOOT, wide, FOOT), speed)


def inner(pen: Pen) -> Room:
    """Where the scene of a sheet is."""
    wide, high = pen.size
    return Room(0, HEAD, wide, high - HEAD - FOOT)


def strip(pen: Pen, reel: Reel, times: Sequence[float]) -> None:
    """Several moments beside and under each other, all seen alike, each with its time and mode."""
    wide, high = pen.size
    rooms = panels(reel.scene, Room(0, HEAD, wide, high - HEAD), len(times))
    pen.clear()
    title = fitted(reel.scene["name"], wide - 2 * EDGE, bold=True)
    pen.text(title, EDGE, HEAD - 10, "left", palette()["ink"], bold=True)
    inside = _inside(rooms[0])
    renderer = Renderer(int(inside.wide), int(inside.high))
    for k, (t, room) in enumerate(zip(times, rooms, strict=True)):
        _panel(pen, reel.at(float(t)), room, renderer, scaled=k == len(times) - 1, turned=k == 0)


def panels(scene: Mapping[str, Any], room: Room, count: int) -> list[Room]:
    """Rooms in rows, in that many columns which shows the scene largest."""
    chosen = max(COLUMNS, key=lambda columns: min(_scales(scene, _rooms(room, count, columns))))
    return _rooms(room, count, chosen)


def _rooms(room: Room, count: int, columns: int) -> list[Room]:
    wide, high = room.wide // columns, room.high // -(-count // columns)
    return [Room(room.x + wide * (k % columns), room.y + high * (k // columns), wide, high) for k in range(count)]


def _scales(scene: Mapping[str, Any], rooms: Iterable[Room]) -> Iterable[float]:
    return (sight(scene, _inside(room), MARGIN).scale for room in rooms)


def _inside(room: Room) -> Room:
    """Where the scene of a panel is."""
    return Room(room.x, room.y + LABEL, room.wide, room.high - LABEL)


def _panel(pen: Pen, moment: Moment, room: Room, renderer: Renderer, scaled: bool, turned: bool) -> None:
    draw(pen, moment, sight(moment.scene, _inside(room), MARGIN, moment.middle), renderer, scaled, turned)
    pen.within(room.x, room.y, room.wide, room.high)
    pen.rectangle(room.x, room.y, room.wide, 1, palette()["rule"])
    if room.x > 0:
        pen.rectangle(room.x, room.y, 1, room.high, palette()["rule"])
    x, y = room.x + EDGE, room.y + LABEL - 7
    pen.text(clock(moment), x, y, "left", palette()["ink"])
    if tells_modes(moment):
        mode(pen, moment, x + width(clock(moment)) + 16, y, room.x + room.wide - 6)

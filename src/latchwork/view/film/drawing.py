"""A moment of a scene in a room of a sheet, stroke by stroke as ``draw.js`` and ``player.js`` draw it on a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from latchwork.view.film.moment import Moment
from latchwork.view.film.palette import palette
from latchwork.view.film.pen import Pen
from latchwork.view.film.renderer import Renderer
from latchwork.view.film.sight import Sight

Array = np.ndarray
FAINT = {"hatch": 0.6, "net": 0.2}


def draw(pen: Pen, moment: Moment, sight: Sight, renderer: Renderer, scaled: bool = True, turned: bool = True) -> None:
    """Grid, lines, path, solids, forces; ``scaled`` with a bar that says how long, ``turned`` with the axes."""
    room, scene, solids = sight.room, moment.scene, moment.reel.solids
    pen.within(room.x, room.y, room.wide, room.high)
    if scene["flat"]:
        _grid(pen, sight)
    for item in scene["shapes"]:
        _lines(pen, moment, sight, item)
    _trail(pen, moment, sight)
    pen.image(renderer.picture(scene, list(solids.at(moment)), sight), room.x, room.y)
    if scaled and scene["flat"]:
        _scale(pen, sight)
    if turned:
        _triad(pen, sight)
    for item in scene["forces"]:
        _arrow(pen, moment, sight, item)


def _grid(pen: Pen, sight: Sight) -> None:
    """Lines at round distances, counted from the origin."""
    room, gap = sight.room, sight.step * sight.scale
    zero, color = sight.screen(np.zeros(3)), palette()["grid"]
    for x in np.arange(room.x + (zero[0] - room.x) % gap, room.x + room.wide, gap):
        pen.line(np.array([[x, room.y], [x, room.y + room.high]]), color, 1)
    for y in np.arange(room.y + (zero[1] - room.y) % gap, room.y + room.high, gap):
        pen.line(np.array([[room.x, y], [room.x + room.wide, y]]), color, 1)


def _scale(pen: Pen, sight: Sight) -> None:
    """A bar as long as lines of the grid are apart, and how long that is."""
    room, gap, soft = sight.room, sight.step * sight.scale, palette()["soft"]
    end, y = room.x + room.wide - 18, room.y + room.high - 18
    pen.line(np.array([[end - gap, y - 4], [end - gap, y], [end, y], [end, y - 4]]), soft, 1.2)
    pen.text(f"{sight.step:.3g}", end - gap / 2, y - 6, "center", soft)


def _triad(pen: Pen, sight: Sight) -> None:
    corner, soft = np.array([sight.room.x + 34, sight.room.y + sight.room.high - 30]), palette()["soft"]
    for name, axis in zip("xyz", sight.axes[:2].T, strict=True):
        if np.hypot(*axis) > 0.1:
            way = 24 * axis * [1, -1]
            pen.line(np.array([corner, corner + way]), soft, 1.4)
            x, y = corner + 1.35 * way
            pen.text(name, x, y + 4, "center", soft)


def _lines(pen: Pen, moment: Moment, sight: Sight, item: Mapping[str, Any]) -> None:
    """The lines of a shape, ``p + R · place`` each, R by two of its columns."""
    if not item["parts"]:
        return
    x, y = moment.row(item["turn"], 6).reshape(2, 3)
    turn = np.array([x, y, np.cross(x, y)])
    at, color = moment.row(item["at"]), item["color"] or palette()["ground"]
    for kind, numbers in item["parts"]:
        local = np.reshape(numbers, (-1, 3))
        places = sight.screen(at + local @ turn)
        if kind in FAINT:
            pen.strokes(places, color, 1, FAINT[kind])
        else:
            pen.line(places, color, 1.6 if item["color"] else 2, alpha=0.9)


def _trail(pen: Pen, moment: Moment, sight: Sight) -> None:
    """All of the path lightly, and darker what has been passed."""
    if len(moment.reel.trail) > 1:
        pen.line(sight.screen(moment.reel.trail), palette()["trail"], 1, alpha=0.16)
        pen.line(sight.screen(moment.passed), palette()["trail"], 1.2, alpha=0.7)


def _arrow(pen: Pen, moment: Moment, sight: Sight, item: Mapping[str, Any]) -> None:
    """From a place along a force, as long as it is strong."""
    force, strongest = moment.row(item["force"]), moment.reel.strongest
    size = float(np.linalg.norm(force))
    if size < 1e-9 * strongest:
        return
    at, color = moment.row(item["at"]), palette()["force"]
    reach = 0.2 * min(sight.room.wide, sight.room.high) * min(size / strongest, 1.5) / (size * sight.scale)
    a, b = sight.screen(np.array([at, at + reach * force]))
    long = float(np.hypot(*(b - a)))
    if long >= 2:
        way, tip = (b - a) / long, min(9.0, long)
        side = 0.45 * tip * np.array([way[1], -way[0]])
        pen.line(np.array([a, b - 0.5 * tip * way]), color, 2)
        pen.face(np.array([b, b - tip * way + side, b - tip * way - side]), color)

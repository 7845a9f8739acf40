"""The picture of an exhibit: what is drawn, once, as plain data; and one program that says where it all is now.

    frame = (tracks, one after the other; quantities to plot) as a function of (t, q, u, r, p)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from latchwork.errors import LatchworkError
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.trajectory import quantity
from latchwork.mechanics.body import Body
from latchwork.mechanics.cuts import Cuts
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.realtime.exhibit import Exhibit
from latchwork.symbolic.traverse import rebuild
from latchwork.view.live.posture import Posture, exact_states, posture, spread, travels
from latchwork.view.mechanism import WAY, mechanism
from latchwork.view.posing import Drawn, Tracks, digits, dots, framed, point_named, shapes_of
from latchwork.view.sketch import Outline

Array = np.ndarray
MOST_PLOTS = 40  # quantities that a page may choose from


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn (plain data), the start, and the program of a frame; ``plots`` are the names of what comes last."""

    drawn: dict[str, Any]
    start: Posture
    program: Function
    plots: tuple[str, ...]

    @property
    def driven(self) -> Driven:
        return self.start.driven

    def frame(self, t: float, x: Array, rest: Array) -> Array:
        """Tracks and quantities at a state x = (q, u), with r and p in ``rest``."""
        return self.program(np.concatenate([[t], x, [0.0], self.driven.rest_at(rest, t)]))

    @cached_property
    def scene(self) -> dict[str, Any]:
        """What is drawn, and where it is at the start: numbers for all tracks."""
        numbers = np.nan_to_num(self.frame(0.0, self.start.start, self.start.rest))
        ends = np.cumsum(self.drawn["widths"])
        rows = np.split(numbers[: ends[-1]] if len(ends) else numbers[:0], ends[:-1])
        return self.drawn | {"tracks": [np.round(row, self.drawn["digits"]).tolist() for row in rows]}

    @property
    def still(self) -> dict[str, Any]:
        """The scene seen as near as its start allows."""
        return self.scene | {"box": self.scene["snug"]}


def warm() -> None:
    """Load what pictures need of other libraries, before somebody waits for one."""
    import llvmlite.binding  # noqa: F401
    import scipy.spatial  # noqa: F401


def picture_of(exhibit: Exhibit) -> Picture:
    """The picture of an exhibit as it starts."""
    start = posture(exhibit.model, exhibit.q, exhibit.u, exhibit.inputs)
    return pictured(exhibit, start)


def pictured(exhibit: Exhibit, start: Posture) -> Picture:
    """The picture with the parameters that a posture has."""
    shapes = shapes_of(start, (*exhibit.shapes, *exhibit.fence))
    low, high, outlines = framed(start, shapes, exhibit.view, start.states)
    bounded = any(made.parts and not made.endless and _stands(start, made.frame) for made in outlines)
    poses = spread(start, exhibit.model, bounded)
    at = poses.states
    places = dict(zip(start.points, at.each(*start.points), strict=True))
    chosen = [point_named(start, item) for item in exhibit.draw]
    made = mechanism(poses, shapes, exhibit.view, at, places, chosen, exact_states(exhibit.model, poses))
    standing = [each for each in outlines if _stands(start, each.frame) and (made.flat or not each.endless)]
    follows = travels(start) and not standing
    floats = made.ground is None and not made.flat
    if follows or floats or start.equations.system.visuals:  # how far it could go says little of where it will be
        made = made.around(low, high, start, shapes, WAY if follows else 0.0)
    tracks = Tracks(digits(made.size))
    hung = Hung(start, tracks)
    for point, rows in places.items():
        hung.point(point, rows)
    parts = Drawn(made, at, tracks)
    drawn = {
        "name": start.equations.name, **made.seen, "digits": tracks.decimals, **parts.data,
        "follows": follows, "end": hung.point(chosen[-1], places[chosen[-1]]) if chosen else None,
        "dots": list(dots(start, places, tracks, any(each["parts"] for each in parts.shapes))),
    }  # fmt: skip
    for outline in made.outlines:
        hung.outline(outline, *at.each(outline.at, outline.frame))
    _belong(drawn, hung)
    names, plotted = _plots(exhibit, start)
    program = _program(start.driven, [*hung.nodes(), *plotted])
    drawn |= {"widths": hung.widths, "snug": [low.tolist(), high.tolist()]}
    return Picture(drawn, start, program, names)


def _stands(start: Posture, frame: Frame) -> bool:
    return Cuts(start.equations.system).carrier(frame) is None


class Hung:
    """What hangs on which track: points and frames by number; and the bodies that carry them."""

    def __init__(self, start: Posture, tracks: Tracks) -> None:
        self.equations, self.tracks = start.equations, tracks
        self.cuts = Cuts(start.equations.system)
        self.what: dict[int, Point | Frame] = {}
        self.body: dict[int, str | None] = {}

    def point(self, point: Point, rows: Array) -> int:
        """The track of a point, which the first that has it carries."""
        track = self.tracks.add(rows)
        if track not in self.what:
            self.what[track], self.body[track] = point, self._carrier(point)
        return track

    def outline(self, made: Outline, place: Array, cosines: Array) -> None:
        """The tracks of the point and of two axes of a shape."""
        self.point(made.at, place)
        track = self.tracks.add(np.concatenate([cosines[:, :, 0], cosines[:, :, 1]], axis=1), 6)
        self.what.setdefault(track, made.frame)
        self.body.setdefault(track, self._carrier(made.frame) or self._carrier(made.at))

    def _carrier(self, what: Point | Frame) -> str | None:
        found = self.cuts.carrier(what)
        return found.name if isinstance(found, Body) else None

    @property
    def widths(self) -> list[int]:
        return [6 if isinstance(self.what[track], Frame) else 3 for track in range(len(self.tracks.lists))]

    def nodes(self) -> list[int]:
        """The numbers of all tracks: three for a point, the first two columns of a frame's cosines."""
        found: list[int] = []
        for track in range(len(self.tracks.lists)):
            nodes, shape = quantity(self.equations, self.what[track])
            found += nodes if shape == (3,) else [*nodes[0::3], *nodes[1::3]]
        return found


def _belong(scene: dict[str, Any], hung: Hung) -> None:
    """Say of every dot which body it belongs to, if any."""
    centers = {body.name for body in hung.equations.system.bodies}
    for item in scene["dots"]:
        own = item["kind"] in ("particle", "center") and item["name"] in centers
        item["body"] = item["name"] if own else hung.body[item["at"]]


def _plots(exhibit: Exhibit, start: Posture) -> tuple[tuple[str, ...], list[int]]:
    """Names that a page may plot, and their nodes: those of the exhibit, coordinates, speeds; numbers only."""
    equations = start.equations
    nodes: dict[str, int] = {}
    for name in (*exhibit.plots, *equations.q_names, *equations.u_names):
        try:
            found, shape = quantity(equations, name)
        except LatchworkError:
            continue
        if shape == () and len(nodes) < MOST_PLOTS:
            nodes[name] = found[0]
    return tuple(nodes), list(nodes.values())


def _program(driven: Driven, nodes: list[int]) -> Function:
    """Numbers as one program of (t, q, u, work, r, p)."""
    g = driven.equations.system.graph
    closed = rebuild(g, driven.equations.in_states(nodes), driven.laws)
    return Function(lower(g, closed, driven.arguments))

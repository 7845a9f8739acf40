"""Where bodies are cut free, and which body a point or a frame belongs to, as far as the description tells."""

from __future__ import annotations

from typing import NamedTuple

from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.symbolic.traverse import reachable


class Cut(NamedTuple):
    """Where a body is cut free, with all beyond or with what rides on a frame from there; and the joint, if any."""

    held: Point
    frame: Frame | None
    link: Link | None


class Cuts:
    """The cuts of all bodies.

    A body is held where the steps that are fixed in it begin: at a joint's origin, or where coordinates move it. A
    particle that is not fixed to a joint's frame is held where it is. A point that coordinates move goes along with the
    body that does not turn where its step is written, or with the only body that is held there.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.origins = {link.origin: link for link in system.links}
        cuts = {body: self._cut(body) for body in system.bodies}
        places = [cut.held for cut in cuts.values()]
        self.of = {body: _whole(cut, places.count(cut.held) == 1) for body, cut in cuts.items()}
        carried: dict[Link, Body] = {cut.link: body for body, cut in reversed(self.of.items()) if cut.link is not None}
        self.owners: dict[Frame, Body | Link] = {
            body.frame: body for body in reversed(system.bodies) if body.frame is not None
        }
        self.owners |= {link.frame: carried.get(link, link) for link in system.links}

    def _cut(self, body: Body) -> Cut:
        link = next((self.origins[point] for point in path_of(body.center) if point in self.origins), None)
        frame = body.frame or (None if link is None else link.frame)
        held = body.center if frame is None else self._root(body.center, frame)
        if link is not None and held is link.origin and (held is body.center or _together(frame, link.frame)):
            return Cut(held, None, link)
        if body.frame is None or held is body.center:
            return Cut(body.center, None, None)
        return Cut(held, body.frame, None)

    def _root(self, point: Point, frame: Frame) -> Point:
        """Where the steps to a point that are fixed in a frame begin; a joint's origin is never passed."""
        while point.parent is not None and point not in self.origins and _fixed(point, frame):
            point = point.parent
        return point

    def carrier(self, what: Point | Frame) -> Body | Link | None:
        """The body (or the joint, where it carries none) that a point or a frame is fixed to; None for the ground."""
        if isinstance(what, Frame):
            return next((self.owners[frame] for frame in what.ancestry() if frame in self.owners), None)
        step: Point | None = what
        while step is not None:
            found = self._owner(step)
            if found is not None:
                return found
            step = step.parent
        return None

    def _owner(self, point: Point) -> Body | Link | None:
        """A point is a mass centre or an origin, or is fixed to one, or is written in the frame of a body."""
        centers = {body.center: body for body in reversed(self.system.bodies)}
        if point in self.origins:
            return self.owners[self.origins[point].frame]
        if point in centers:
            return centers[point]
        frame = max(reversed(point.offset.parts), key=lambda each: each.depth, default=None)
        if frame is None:
            return None
        root = self._root(point, frame)
        fixed = (body for body, cut in self.of.items() if cut.held is root and _together(body.frame, frame))
        found = next(fixed, None)
        if found is not None or root in centers:
            return found or centers[root]
        return self.carrier(frame)


def _whole(cut: Cut, alone: bool) -> Cut:
    """The cut with all beyond the point where a body is held, where that point is the body's own."""
    if cut.frame is None or _still(cut.held):
        return cut
    with_it = all(_together(cut.frame, frame) for frame in cut.held.offset.parts)
    return cut._replace(frame=None) if alone or with_it else cut


def stiff(frame: Frame) -> Frame:
    """The lowest frame that a frame does not turn in."""
    while frame.parent is not None and frame.relative_spin().is_zero:
        frame = frame.parent
    return frame


def _together(frame: Frame | None, other: Frame) -> bool:
    return frame is not None and stiff(frame) is stiff(other)


def path_of(point: Point) -> list[Point]:
    """A point, its parent, ... up to the origin."""
    path = [point]
    while path[-1].parent is not None:
        path.append(path[-1].parent)
    return path


def _fixed(point: Point, frame: Frame) -> bool:
    """Whether the step to a point is constant in a frame."""
    return _still(point) and all(_together(other, frame) for other in point.offset.parts)


def _still(point: Point) -> bool:
    """Whether the measure numbers of the step to a point are constant."""
    g = point.tree.graph
    return all(g.symbols[i].kind == "parameter" for i in reachable(g, point.offset.nodes()) if i in g.symbols)

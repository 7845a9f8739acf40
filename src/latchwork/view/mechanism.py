"""A mechanism as it is drawn, wherever it stands: solids of its bodies, members between its points, symbols, ground."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from latchwork.contact.shapes import Plane
from latchwork.hybrid.trajectory import Samples
from latchwork.mechanics.cuts import Cuts
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point, anchor
from latchwork.mechanics.system import System
from latchwork.view import symbols
from latchwork.view.members import Bars, Carriers, Member, is_still, ropes, springs, thicknesses
from latchwork.view.posing import Posed, across, framed, located, room_of
from latchwork.view.sketch import Array, Measured, Outline, Part, behind

BAR = 0.011  # radius of a bar, of the size of the mechanism
FLAT = 1e-6  # in units of the model: what leaves the plane by less does not
LIGHT = {True: (-0.45, 0.75, 1.3), False: (-0.55, 1.5, 0.75)}  # towards it, to the right, up and out; by flatness
TURN = (-0.55, 0.3)  # rad: how a mechanism in space is seen at first, about what points up, then what points right
BELOW = 0.01  # of the size of what hangs or lies: how far the ground is below it
AIR = 0.15  # of the room that a robot takes: what is seen besides it on either side
WAY = 0.25  # of its size: the same for what may go anywhere, and is followed
EYE = 2.6  # of the size of the scene: how far away the eye is that looks at it


@dataclass(frozen=True, eq=False)
class Mechanism:
    """What is drawn, the box around it, and how it is seen at first."""

    view: str
    flat: bool
    low: Array
    high: Array
    places: Mapping[Point, Array]
    outlines: Sequence[Outline]
    members: Sequence[Member]
    ground: Array | None  # the height of the ground along what points up
    up: Array
    carriers: Carriers

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.high - self.low))

    def around(self, low: Array, high: Array, run: Posed, shapes: Sequence[Any], way: float = 0.0) -> Mechanism:
        """The same seen about another room, with some air around it, and the ground under it.

        ``way``, of its size, is what is seen of the way that it may go.
        """
        m = Measured(run.at(float(run.t[0])), float(np.linalg.norm(high - low)), across(run, self.view))
        ground = None if self.ground is None else _ground(run, shapes, m, self.up, low)
        air = (AIR * (high - low) + way * m.size) * (1.0 - np.abs(self.up)) + 0.5 * way * m.size * np.abs(self.up)
        return replace(self, low=low - air, high=high + air, ground=ground)

    @property
    def seen(self) -> dict[str, Any]:
        """How a scene of it is lit and looked at."""
        right, up = axes_of(self.view)
        light = np.array(LIGHT[self.flat]) @ np.array([right, up, np.cross(right, up)])
        size = self.size
        return {
            "view": self.view, "flat": self.flat, "box": [self.low.tolist(), self.high.tolist()],
            "light": np.round(light / np.linalg.norm(light), 6).tolist(),
            "turn": [0.0, 0.0] if self.flat else list(TURN), "eye": 0.0 if self.flat else round(1.0 / (EYE * size), 9),
            "ground": None if self.ground is None else {"at": self.ground.tolist(), "up": self.up.tolist()},
        }  # fmt: skip


def axes_of(view: str) -> Array:
    """(2, 3): the axes of N to the right and upwards."""
    found: Array = np.eye(3)[["xyz".index(letter) for letter in view]]
    return found


def usual_view(run: Posed) -> str:
    """The plane of a planar mechanism; else x to the right, and upwards the axis that weights hang along, or z."""
    points = run.at(run.t).each(*located(run))
    up = _upwards(run, "xz")
    if abs(up[1]) > 0.9 or (points and all(np.abs(np.atleast_2d(rows)[:, 2]).max() < FLAT for rows in points)):
        return "xy"
    return "xz" if abs(up[2]) > 0.9 else "yx"


def mechanism(run: Posed, shapes: Sequence[Any], view: str, at: Samples, places: Mapping[Point, Array],
              chosen: Sequence[Point] = (), exact: Array | None = None) -> Mechanism:  # fmt: skip
    """What is drawn of a run, or of a mechanism that stands; ``chosen`` points are joined by bars.

    ``exact`` are the numbers of the states in which constraints hold, where they do not in all.
    """
    system = run.equations.system
    low, high, outlines = framed(run, shapes, view, at, places)
    cuts = Cuts(system)
    solid = {_owner(cuts, made) for made in outlines if made.solid is not None} - {""}
    flat, up = is_flat(view, places, outlines, at), _upwards(run, view)
    carriers = Carriers(cuts, frozenset(solid), frozenset(solid if flat else ()))
    m = Measured(run.at(float(run.t[0])), float(np.linalg.norm(high - low)), across(run, view))
    bars = Bars(places, chosen, carriers, m.size, _poses(system, at, carriers), exact)
    radius = BAR * max(_extent(places), 0.3 * m.size)
    bodies, links, loads = system.bodies, system.links, system.loads
    near = {link for link in links if link.base in places}
    if system.visuals:
        return _robot(run, shapes, view, places, outlines, carriers, m, up, (low, high))
    bulky = [*symbols.particles(bodies, radius, m, carriers), *symbols.unknown(bodies, bars, radius, m)]
    made = [
        *outlines, *bulky,
        *symbols.joints(near, loads, radius, m, carriers), *symbols.pins(bars, links, radius, m, flat),
        *symbols.supports(bars, links, radius, m, up, flat), *_standing(chosen, places, m, up),
    ]  # fmt: skip
    members = [*bars.members(radius, thicknesses(bodies, m)), *springs(loads, places, radius),
               *ropes(run.contacts, places, radius, m)]  # fmt: skip
    low, high = room_of(bulky, at, low, high) if not flat or not outlines else (low, high)
    ground = None if flat or _floats(run, shapes) else _ground(run, shapes, m, up, low - BELOW * _extent(places))
    kept = [one for one in made if not _is_ground(one, ground, m, up)]
    return Mechanism(view, flat, low, high, places, kept, members, ground, up, carriers)


def _robot(run: Posed, shapes: Sequence[Any], view: str, places: Mapping[Point, Array], outlines: Sequence[Outline],
           carriers: Carriers, m: Measured, up: Array, room: tuple[Array, Array]) -> Mechanism:  # fmt: skip
    """What has visuals is drawn as these, without symbols, and without the shapes of what they show."""
    shown = {_owner(carriers.cuts, made) for made in outlines if made.solid is not None and not made.parts}
    ground = None if _floats(run, shapes) else _ground(run, shapes, m, up, room[0])
    kept = [made for made in outlines if not made.parts or _owner(carriers.cuts, made) not in shown]
    kept = [made for made in kept if not _is_ground(made, ground, m, up)]
    radius = BAR * m.size
    members = [*springs(run.equations.system.loads, places, radius), *ropes(run.contacts, places, radius, m)]
    return Mechanism(view, False, *room, places, kept, members, ground, up, carriers)


def _poses(system: System, at: Samples, carriers: Carriers) -> dict[str, tuple[Array, Array]]:
    """Where the centres of bodies are and how their frames stand, of those that have no solid yet."""
    bodies = [body for body in system.bodies if body.frame is not None
              and anchor(body.center) is None and body.name not in carriers.solid]  # fmt: skip
    if not bodies:
        return {}
    found = at.each(*(what for body in bodies for what in (body.center, body.frame)))
    return {body.name: (found[2 * k], found[2 * k + 1]) for k, body in enumerate(bodies)}


def _owner(cuts: Cuts, made: Outline) -> str:
    found = cuts.carrier(made.frame) or cuts.carrier(made.at)
    return made.body or (found.name if found is not None else "")


def _extent(places: Mapping[Point, Array]) -> float:
    """The largest size that the points of a mechanism have together at any time."""
    rows = np.array(list(places.values()))
    return float(np.linalg.norm(np.ptp(rows, axis=0), axis=1).max()) if len(rows) else 0.0


def _upwards(run: Posed, view: str) -> Array:
    """Against gravity, or along the second axis of the view."""
    gravity = run.equations.system.gravity
    right, up = axes_of(view)
    if gravity is None:
        return up
    found = np.asarray(run.at(float(run.t[0]))[gravity], dtype=float)
    size = float(np.linalg.norm(found))
    if not size > 0.0:
        return up
    out = -found / size
    flat: Array = out - np.cross(right, up) * (out @ np.cross(right, up))
    return out if float(np.linalg.norm(flat)) > 0.1 else up


def is_flat(view: str, places: Mapping[Point, Array], outlines: Sequence[Outline], at: Samples) -> bool:
    """Whether all that moves stays in the plane of the view."""
    k = next(k for k in range(3) if "xyz"[k] not in view)
    depths = [rows[:, k] for rows in places.values()]
    for made in outlines:
        place, cosines = at.each(made.at, made.frame)
        depths += [(part.places @ cosines[i].T + place[i])[:, k] for part in made.parts for i in range(len(place))
                   if part.kind != "ball"]  # fmt: skip
        depths += [np.ones(1) for part in made.parts if part.kind == "ball"]
        depths += [np.ones(1)] if made.solid is not None and not made.parts else []
    return max((float(np.abs(rows).max()) for rows in depths), default=0.0) < FLAT


def _standing(chosen: Sequence[Point], places: Mapping[Point, Array], m: Measured, up: Array) -> Iterator[Outline]:
    """Two points of the ground that are to be joined: a line of ground, hatched below."""
    for a, b in pairwise(chosen):
        if is_still(places[a], m.size) and is_still(places[b], m.size) and (places[a][0] != places[b][0]).any():
            line = np.array([np.zeros(3), places[b][0] - places[a][0]])
            yield Outline(a, a.tree.newtonian, (Part("edge", line), behind(line, -up, m)))


def _floats(run: Posed, shapes: Sequence[Any]) -> bool:
    """Whether bodies move freely where nothing weighs: then there is no ground below them."""
    system = run.equations.system
    return system.gravity is None and not any(isinstance(shape, Plane) for shape in shapes) and any(
        link.joint.name == "free" for link in system.links)  # fmt: skip


def _ground(run: Posed, shapes: Sequence[Any], m: Measured, up: Array, low: Array) -> Array:
    """A place of the ground: that of a plane that stands across what points up, or below everything."""
    N = run.equations.system.tree.newtonian
    for shape in shapes:
        if isinstance(shape, Plane) and _stands(run, shape.frame):
            (normal,) = m.local(N, shape.normal)
            if normal @ up > 0.999:
                return np.asarray(m.samples[shape.point], dtype=float)
    k = int(np.argmax(np.abs(up)))
    at = np.zeros(3)
    at[k] = low[k] if up[k] > 0.0 else -low[k]
    return at


def _stands(run: Posed, frame: Frame) -> bool:
    return Cuts(run.equations.system).carrier(frame) is None


def _is_ground(made: Outline, ground: Array | None, m: Measured, up: Array) -> bool:
    """Whether an outline is that of the plane which is drawn as the ground."""
    if ground is None or not made.endless or any(part.kind != "net" and part.kind != "edge" for part in made.parts):
        return False
    return bool(abs(float((np.asarray(m.samples[made.at]) - ground) @ up)) < 1e-9 * (m.size or 1.0))

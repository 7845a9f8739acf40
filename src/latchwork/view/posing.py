"""What of a mechanism is drawn, wherever it stands: lines, dots and shapes, by the tracks of what they hang on.

A track is where something is, state by state, as one flat list; what never moves has one row only.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from latchwork.contact.law import Contact
from latchwork.errors import EvaluationError
from latchwork.hybrid.symbol_lookup import look_up
from latchwork.hybrid.trajectory import Samples
from latchwork.kane.equations import Equations
from latchwork.mechanics.point import Point, anchor
from latchwork.view.marks import tint
from latchwork.view.mesh import Mesh
from latchwork.view.outlines import outline, walls_of
from latchwork.view.sketch import Measured, Outline
from latchwork.view.visuals import visual_outlines

if TYPE_CHECKING:
    from latchwork.view.mechanism import Mechanism
    from latchwork.view.members import Member

Array = np.ndarray
DIGITS = 6  # of the size of the scene
ALL = ("face", "edge", "hatch", "net", "ball")  # parts that are drawn of what is no solid
LINES = ("hatch",)  # parts that are drawn besides a solid
METAL = {"spring": "#8b95a3", "damper": "#6b7480", "rope": "#8a6d3b"}  # colours of what is no body


class Posed(Protocol):
    """What can be drawn: a run, or a mechanism that stands."""

    @property
    def equations(self) -> Equations: ...

    @property
    def t(self) -> Array: ...

    @property
    def contacts(self) -> tuple[Contact, ...]: ...

    def at(self, t: Any) -> Samples: ...


class Tracks:
    """Tracks by number; equal ones are kept once."""

    def __init__(self, decimals: int) -> None:
        self.decimals = decimals
        self.found: dict[bytes, int] = {}
        self.lists: list[list[float]] = []

    def add(self, rows: Array, decimals: int | None = None) -> int:
        """The number of a track whose frames are these rows."""
        rows = np.round(rows, self.decimals if decimals is None else decimals) + 0.0
        rows = rows[:1] if (rows == rows[0]).all() else rows
        key = rows.tobytes() + b"%d" % rows.shape[1]
        if key not in self.found:
            self.found[key] = len(self.lists)
            self.lists.append([int(x) if x == int(x) else x for x in rows.ravel().tolist()])
        return self.found[key]


def must_be_a_view(view: str) -> None:
    if not isinstance(view, str) or len(view) != 2 or set(view) - set("xyz") or view[0] == view[1]:
        raise EvaluationError(f"a view is two of the axes x, y, z, such as 'xy'; got {view!r}.")


def across(run: Posed, view: str) -> Any:
    N = run.equations.system.tree.newtonian
    return getattr(N, view[0]).cross(getattr(N, view[1]))


def located(run: Posed) -> list[Point]:
    """The points whose place the coordinates tell."""
    return [point for point in run.equations.system.tree.points.values() if anchor(point) is None]


def point_named(run: Posed, item: Any) -> Point:
    point = look_up(run.equations, item) if isinstance(item, str) else item
    if not isinstance(point, Point) or point not in located(run):
        raise EvaluationError(f"an animation joins points of '{run.equations.name}'; {item!r} is none that is located.")
    return point


def digits(size: float) -> int:
    """Decimals to which numbers of a size are rounded."""
    return DIGITS - math.ceil(math.log10(size)) if size > 0.0 else DIGITS


MOST_PLACES = 150  # of a shape, that its room is found by


def _box(rows: Iterable[Array]) -> tuple[Array, Array]:
    """The room that places take; a little where they take none."""
    both = np.array([[some.min(axis=0), some.max(axis=0)] for some in rows])
    low, high = both[:, 0].min(axis=0), both[:, 1].max(axis=0)
    return (low, high) if (high - low).any() else (low - 0.5, high + 0.5)


def shapes_of(run: Posed, more: Sequence[Any] = ()) -> list[Any]:
    """The shapes of the contacts of a run, those that collide, and some more, each once."""
    touching = (*(s for contact in run.contacts for s in contact.shapes), *getattr(run, "colliding", ()))
    own = (s for body in run.equations.system.bodies for s in body.shapes)
    drawn = (getattr(s, "stands_for", None) or s for s in (*touching, *more, *own))
    return list({id(s): s for s in drawn}.values())


def framed(run: Posed, shapes: Sequence[Any], view: str, at: Samples,
           places: Mapping[Point, Array] | None = None) -> tuple[Array, Array, list[Outline]]:  # fmt: skip
    """The room that points and shapes take, and the shapes drawn to that size; what has no end takes none."""
    if places is None:
        points = located(run)
        places = dict(zip(points, at.each(*points), strict=True))
    m = Measured(run.at(float(run.t[0])), 0.0, across(run, view))
    low, high = _box(places.values())
    looks = list(visual_outlines(run.equations.system.visuals))
    found: list[Outline | None] = [*looks]
    if looks:
        low, high = _box([*places.values(), *(_reached(made, at) for made in looks)])
    for _ in range(2 if shapes else 0):
        m = dataclasses.replace(m, size=float(np.linalg.norm(high - low)), box=(low, high), walls=walls_of(shapes, m))
        found = [*looks, *(outline(shape, m) for shape in shapes)]
        finite = [made for made in found if made is not None and not made.endless]
        low, high = _box([*places.values(), *(_reached(made, at) for made in finite)])
    return low, high, [made for made in found if made is not None]


def _reached(made: Outline, at: Samples) -> Array:
    """Corners of the room that a shape takes, wherever it goes; by some of its places, where it has many."""
    parts = [made.solid.places] if made.solid is not None else [part.places for part in made.parts]
    place, cosines = at.each(made.at, made.frame)
    if not (np.ptp(place, axis=0).any() or np.ptp(cosines, axis=0).any()):
        return np.vstack([place[:1] + places @ cosines[0].T for places in parts])
    some = np.vstack([places[:: max(1, len(places) // MOST_PLACES)] for places in parts])
    everywhere = place[:, None] + np.einsum("kij,nj->kni", cosines, some)
    return np.array([everywhere.min(axis=(0, 1)), everywhere.max(axis=(0, 1))])


def room_of(outlines: Sequence[Outline], at: Samples, low: Array, high: Array) -> tuple[Array, Array]:
    """The room with some solids in it, wherever they go."""
    for made in outlines:
        if made.solid is not None:
            place, far = at.each(made.at)[0], made.solid.reach
            low, high = np.minimum(low, place.min(axis=0) - far), np.maximum(high, place.max(axis=0) + far)
    return low, high


def dots(run: Posed, places: Mapping[Point, Array], tracks: Tracks, shaped: bool) -> Iterable[dict[str, Any]]:
    """Particles, centres of bodies, joints and other points, each place once, by the first of these it is."""
    system, seen = run.equations.system, set()
    kinds = [
        *((body.center, "particle" if body.is_particle else "center", body.name) for body in system.bodies),
        *((link.origin, "joint", link.name) for link in system.links),
        *((p, "point", p.name) for p, rows in places.items() if not (shaped and p.parent and (rows == rows[0]).all())),
    ]
    for point, kind, name in kinds:
        if point in places and (track := tracks.add(places[point])) not in seen:
            seen.add(track)
            yield {"at": track, "kind": kind, "name": name}


class Meshes:
    """Meshes by number; equal ones are kept once."""

    def __init__(self) -> None:
        self.found: dict[str, int] = {}
        self.data: list[dict[str, Any]] = []

    def add(self, mesh: Mesh) -> int:
        key = json.dumps(mesh.data)
        if key not in self.found:
            self.found[key] = len(self.data)
            self.data.append(mesh.data)
        return self.found[key]


class Drawn:
    """Solids, members and lines of a mechanism as plain data; what belongs to one body has one colour."""

    def __init__(self, made: Mechanism, at: Samples, tracks: Tracks) -> None:
        self.made, self.at, self.tracks = made, at, tracks
        self.meshes, self.colors = Meshes(), dict[Any, str]()
        self.shapes = list(self._shapes())
        self.members = [self._member(each) for each in made.members]

    @property
    def data(self) -> dict[str, Any]:
        return {"shapes": self.shapes, "members": self.members, "meshes": self.meshes.data}

    def _tint(self, whole: Any) -> str:
        return self.colors.setdefault(whole, tint(len(self.colors) + 1))

    def _shapes(self) -> Iterable[dict[str, Any]]:
        """Each shape once, also where several contacts have one that is the same."""
        seen: list[dict[str, Any]] = []
        carriers = self.made.carriers
        for made in self.made.outlines:
            shape, stands = self._shape(made)
            if shape not in seen:
                seen.append(shape)
                body = made.body or carriers.body(made.frame) or carriers.body(made.at)
                whole = body or (made.at if made.frame is made.frame.tree.newtonian else made.frame)
                color = made.color or ("" if stands and body is None else self._tint(whole))
                yield shape | {"color": color, "body": body}

    def _shape(self, made: Outline) -> tuple[dict[str, Any], bool]:
        """An outline with the tracks of its point and of two axes of its frame; whether these stand still."""
        place, cosines = self.at.each(made.at, made.frame)
        axes = np.concatenate([cosines[:, :, 0], cosines[:, :, 1]], axis=1)
        stands = not (np.ptp(place, axis=0).any() or np.ptp(axes, axis=0).any())
        shape: dict[str, Any] = {"at": self.tracks.add(place), "turn": self.tracks.add(axes, DIGITS)}
        kinds = LINES if made.solid is not None else ALL
        shape["parts"] = [[part.kind, np.round(part.places, self.tracks.decimals).ravel().tolist()]
                          for part in made.parts if part.kind in kinds]  # fmt: skip
        if made.solid is not None:
            shape["mesh"] = self.meshes.add(made.solid)
        return shape, stands

    def _member(self, each: Member) -> dict[str, Any]:
        a, b = (self.tracks.add(self.made.places[point]) for point in (each.a, each.b))
        color = each.color or (self._tint(each.body) if each.kind == "bar" else METAL[each.kind])
        found = {"kind": each.kind, "a": a, "b": b, "radius": float(f"{each.radius:.6g}"), "color": color,
                 "body": each.body, "mesh": self.meshes.add(each.mesh)}  # fmt: skip
        return found | ({"length": each.length} if each.length else {})

"""The scene of a run: everything that moves or stands in it as plain numbers, for a page that draws it.

A track is where something is, frame by frame, as one flat list; what never moves has one frame only.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.constraint.making.spot import Spot
from latchwork.errors import EvaluationError
from latchwork.hybrid.trajectory import Samples, named
from latchwork.mechanics.point import Point, anchor
from latchwork.mechanics.vector import Vector
from latchwork.view.marks import tint
from latchwork.view.outlines import outline
from latchwork.view.sketch import Measured, Outline

if TYPE_CHECKING:
    from latchwork.hybrid.trajectory import Trajectory

Array = np.ndarray
RATE = 60.0  # frames per second of the run
FINE = 300.0  # places per second of a path
FRAMES = 1500  # at most, besides the instants of events
INSTANTS = 400  # of events that have a frame of their own
DIGITS = 6  # of the size of the scene
RIGID = 1e-6  # of the size of the scene: what changes its length by less is a rod
STILL = 1e-9  # of the size of the scene: what moves less does not


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


def scene(run: Trajectory, view: str = "xy", draw: Sequence[Any] = (), shapes: Sequence[Any] = (),
          forces: bool | Mapping[str, tuple[Any, Any]] = False) -> dict[str, Any]:  # fmt: skip
    """All that the page needs, as what JSON can say."""
    _must_be_a_view(view)
    at = run.at(frame_times(run))
    points = _located(run)
    places = dict(zip(points, at.each(*points), strict=True))
    chosen = [_point(run, item) for item in draw]
    low, high, outlines = framed(run, shapes_of(run, shapes), view, at, places)
    size = float(np.linalg.norm(high - low))
    tracks = Tracks(digits(size))
    made = {
        "name": run.equations.name, "view": view, "t": _rounded(at.t), "box": [low.tolist(), high.tolist()],
        "chain": [tracks.add(places[point]) for point in chosen],
        "lines": [] if chosen else list(_lines(places, tracks, size, bool(outlines))),
        "dots": list(_dots(run, places, tracks, bool(outlines))),
        "shapes": list(_shapes(outlines, at, tracks)),
        "forces": list(_forces(run, at, forces, tracks)),
        "trail": _trail(run, chosen[-1] if chosen else _farthest(run, places), tracks),
        **_told(run),
    }  # fmt: skip
    return made | {"tracks": tracks.lists}


def frame_times(run: Trajectory, rate: float = RATE) -> Array:
    """So many to a second, but not too many, and the instants of events."""
    begin, end = float(run.t[0]), float(run.t[-1])
    count = int(np.clip(math.ceil(rate * (end - begin)) + 1, 2, FRAMES))
    events = [event.t for event in run.events[:INSTANTS] if begin <= event.t <= end]
    return np.unique(np.concatenate([np.linspace(begin, end, count), events]))


def _must_be_a_view(view: str) -> None:
    if len(view) != 2 or set(view) - set("xyz") or view[0] == view[1]:
        raise EvaluationError(f"a view is two of the axes x, y, z, such as 'xy'; got {view!r}.")


def _across(run: Trajectory, view: str) -> Any:
    N = run.equations.system.tree.newtonian
    return getattr(N, view[0]).cross(getattr(N, view[1]))


def _located(run: Trajectory) -> list[Point]:
    """The points whose place the coordinates tell."""
    return [point for point in run.equations.system.tree.points.values() if anchor(point) is None]


def _point(run: Trajectory, item: Any) -> Point:
    point = named(run.equations, item) if isinstance(item, str) else item
    if not isinstance(point, Point) or point not in _located(run):
        raise EvaluationError(f"an animation joins points of '{run.equations.name}'; {item!r} is none that is located.")
    return point


def digits(size: float) -> int:
    """Decimals to which numbers of a size are rounded."""
    return DIGITS - math.ceil(math.log10(size)) if size > 0.0 else DIGITS


def _box(rows: Iterable[Array]) -> tuple[Array, Array]:
    """The room that places take; a little where they take none."""
    both = np.array([[some.min(axis=0), some.max(axis=0)] for some in rows])
    low, high = both[:, 0].min(axis=0), both[:, 1].max(axis=0)
    return (low, high) if (high - low).any() else (low - 0.5, high + 0.5)


def shapes_of(run: Trajectory, more: Sequence[Any] = ()) -> list[Any]:
    """The shapes of the contacts of a run, and some more, each once."""
    return list({id(s): s for s in (*(s for contact in run.contacts for s in contact.shapes), *more)}.values())


def framed(run: Trajectory, shapes: Sequence[Any], view: str, at: Samples,
           places: Mapping[Point, Array] | None = None) -> tuple[Array, Array, list[Outline]]:  # fmt: skip
    """The room that points and shapes take, and the shapes drawn to that size; what has no end takes none."""
    if places is None:
        points = _located(run)
        places = dict(zip(points, at.each(*points), strict=True))
    m = Measured(run.at(float(run.t[0])), 0.0, _across(run, view))
    low, high = _box(places.values())
    found: list[Outline | None] = []
    for _ in range(2 if shapes else 0):
        m = dataclasses.replace(m, size=float(np.linalg.norm(high - low)))
        found = [outline(shape, m) for shape in shapes]
        finite = [made for made in found if made is not None and not made.endless]
        low, high = _box([*places.values(), *(_reached(made, at) for made in finite)])
    return low, high, [made for made in found if made is not None]


def _reached(made: Outline, at: Samples) -> Array:
    """Corners of the room around a shape, wherever it is."""
    far = max(float(np.linalg.norm(part.places, axis=1).max()) for part in made.parts)
    place, cosines = at.each(made.at, made.frame)
    if np.ptp(place, axis=0).any() or np.ptp(cosines, axis=0).any():
        return np.vstack([place - far, place + far])
    return np.vstack([place[:1] + part.places @ cosines[0].T for part in made.parts])


def _rounded(t: Array) -> list[float]:
    step = max(float(t[-1] - t[0]), 1e-12)
    return [float(x) for x in np.round(t, 8 - math.ceil(math.log10(step)))]


def _lines(places: Mapping[Point, Array], tracks: Tracks, size: float, shaped: bool) -> Iterable[dict[str, Any]]:
    """Every point with its parent: a rod where their distance stays, ground where neither moves, else a way.

    Where shapes show what stands and moves, the ground is left out, and the ways from it.
    """
    seen = set()
    for point, rows in places.items():
        if point.parent is None or point.parent not in places:
            continue
        start = places[point.parent]
        length = np.linalg.norm(rows - start, axis=1)
        a, b = tracks.add(start), tracks.add(rows)
        if length.max() <= STILL * size or (a, b) in seen:
            continue
        seen.add((a, b))
        based = np.ptp(start, axis=0).max() <= STILL * size
        stands = based and np.ptp(rows, axis=0).max() <= STILL * size
        kind = "ground" if stands else "rod" if np.ptp(length) <= RIGID * size else "way"
        if not (shaped and based and kind != "rod"):
            yield {"a": a, "b": b, "kind": kind}


def _dots(run: Trajectory, places: Mapping[Point, Array], tracks: Tracks, shaped: bool) -> Iterable[dict[str, Any]]:
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


def _shapes(outlines: Sequence[Outline], at: Samples, tracks: Tracks) -> Iterable[dict[str, Any]]:
    """Each shape once, also where several contacts have one that is the same; what moves has a colour of its own."""
    seen: list[dict[str, Any]] = []
    for made in outlines:
        shape, stands = _drawn(made, at, tracks)
        if shape not in seen:
            seen.append(shape)
            yield shape | {"color": "" if stands else tint(len(seen))}


def _drawn(made: Outline, at: Samples, tracks: Tracks) -> tuple[dict[str, Any], bool]:
    """An outline with the tracks of its point and of two axes of its frame; whether these stand still."""
    place, cosines = at.each(made.at, made.frame)
    axes = np.concatenate([cosines[:, :, 0], cosines[:, :, 1]], axis=1)
    stands = not (np.ptp(place, axis=0).any() or np.ptp(axes, axis=0).any())
    parts = [[part.kind, np.round(part.places, tracks.decimals).ravel().tolist()] for part in made.parts]
    return {"at": tracks.add(place), "turn": tracks.add(axes, DIGITS), "parts": parts}, stands


def _forces(run: Trajectory, at: Samples, forces: bool | Mapping[str, tuple[Any, Any]],
            tracks: Tracks) -> Iterable[dict[str, Any]]:  # fmt: skip
    """Arrows: where and how strong, as given (anything of the run, or one row for each sample), or what is exerted."""
    if not forces:
        return
    if not isinstance(forces, Mapping):
        forces = _exerted(run, at)
    for name, (where, vector) in forces.items():
        place, rows = (np.nan_to_num(_along(run, at, what)) for what in (where, vector))  # not known before it is met
        force = tracks.add(rows, digits(float(np.abs(rows).max())))
        yield {"name": name, "at": tracks.add(place), "force": force}


def _exerted(run: Trajectory, at: Samples) -> dict[str, tuple[Any, Any]]:
    """The forces of constraints and contacts, these where they touch, and of joints."""
    spots = {feature.name: _place(feature.on) for contact in run.contacts for feature in contact.features}
    joints = {link.name for link in run.equations.system.links}
    along = dataclasses.replace(run, t=at.t, x=at.x, udot=at.udot).reactions()
    return {
        name: (spots.get(name, r.at), r.force)
        for name, r in along.items()
        if r.at is not None and r.force is not None and (name in joints or r.lam.shape[1])
    }


def _place(on: Point | Spot) -> Point | Vector:
    return on.point.position() + on.arm if isinstance(on, Spot) else on


def _along(run: Trajectory, at: Samples, what: Any) -> Array:
    """(frames, 3): anything of the run, rows at the frames, or rows at its samples, joined by straight lines."""
    if not isinstance(what, np.ndarray):
        return np.asarray(at[what])
    if len(what) == len(at.t) != len(run.t):
        return what
    return np.column_stack([np.interp(at.t, run.t, what[:, k]) for k in range(3)])


def _farthest(run: Trajectory, places: Mapping[Point, Array]) -> Point:
    """Of the points that carry no other and are no joint, the one that goes farthest."""
    parents = {point.parent for point in places} | {link.origin for link in run.equations.system.links}
    parents = parents if places.keys() - parents else set()
    ways = {p: np.linalg.norm(np.diff(rows, axis=0), axis=1).sum() for p, rows in places.items() if p not in parents}
    return max(ways, key=lambda point: ways[point])


def _trail(run: Trajectory, point: Point, tracks: Tracks) -> dict[str, Any]:
    """The path of a point, finer than the frames, with the times at which it passes."""
    at = run.at(frame_times(run, FINE))
    return {"t": _rounded(at.t), "track": tracks.add(at[point])}


def _told(run: Trajectory) -> dict[str, Any]:
    """Modes, spans and events in words."""
    visited = run.visited
    return {
        "modes": [[", ".join(names) or "free", tint(k)] for k, names in enumerate(visited.modes, start=1)],
        "spans": [[s.begin, s.end, visited.number(s.names)] for s in visited.spans],
        "events": [[event.t, event.kind, event.name] for event in run.events],
    }

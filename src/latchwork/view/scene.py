"""The scene of a run: everything that moves or stands in it as plain numbers, for pages and pictures to draw."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.constraint.joints.spot import Spot
from latchwork.hybrid.trajectory import Samples
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.view.marks import tint
from latchwork.view.mechanism import Mechanism, mechanism, usual_view
from latchwork.view.posing import (
    Drawn,
    Tracks,
    digits,
    dots,
    located,
    must_be_a_view,
    point_named,
    shapes_of,
)

if TYPE_CHECKING:
    from latchwork.hybrid.trajectory import Trajectory

Array = np.ndarray
RATE = 60.0  # frames per second of the run
FINE = 300.0  # places per second of a path
FRAMES = 1500  # at most, besides the instants of events
INSTANTS = 400  # of events that have a frame of their own
SMALL = {False: 4.0, True: 10.0}  # sizes that it goes at least where the eye follows it; by whether anything stands by
ROOM = 1.7  # of its size: what is seen around it then


def scene(run: Trajectory, view: str | None = None, draw: Sequence[Any] = (), shapes: Sequence[Any] = (),
          forces: bool | Mapping[str, tuple[Any, Any]] = False, times: Any = (),
          most: int = FRAMES) -> dict[str, Any]:  # fmt: skip
    """All that a page or a picture needs, as what JSON can say; with frames at some more times, and not too many."""
    seen = usual_view(run) if view is None else view
    must_be_a_view(seen)
    at = run.at(np.union1d(frame_times(run, most=most), times))
    points = located(run)
    places = dict(zip(points, at.each(*points), strict=True))
    chosen, system = [point_named(run, item) for item in draw], run.equations.system
    of_none = bool(system.visuals and system.quaternions) and not chosen  # a robot that goes about: a path of no point
    made = mechanism(run, shapes_of(run, shapes), seen, at, places, chosen)
    tracks = Tracks(digits(made.size))
    drawn = Drawn(made, at, tracks)
    found = {
        "name": run.equations.name, "t": _rounded(at.t), **made.seen, **drawn.data,
        "dots": list(dots(run, places, tracks, any(each["parts"] for each in drawn.shapes))),
        "forces": list(_forces(run, at, forces, tracks)),
        "trail": _trail(run, chosen[-1] if chosen else _farthest(run, places), tracks, 0 if of_none else most),
        **_followed(made, at, tracks), **_told(run),
    }  # fmt: skip
    return found | {"tracks": tracks.lists}


def _followed(made: Mechanism, at: Samples, tracks: Tracks) -> dict[str, Any]:
    """Where the eye goes, if what moves is small against the way that it goes: its middle, smoothly, and its room."""
    rows = np.array([places for places in made.places.values() if np.ptp(places, axis=0).any()])
    tied = [each for each in made.members for point in (each.a, each.b) if not np.ptp(made.places[point], axis=0).any()]
    if not len(rows) or len(at.t) < 3 or tied:
        return {}
    low, high = rows.min(axis=0), rows.max(axis=0)
    middle, size = (low + high) / 2, np.linalg.norm(high - low, axis=1).max()
    far = float(np.linalg.norm(np.ptp(middle, axis=0)))
    reach = max([size, *(2.0 * one.solid.reach for one in made.outlines if one.solid is not None)])
    stands = any(one.frame is one.frame.tree.newtonian for one in made.outlines)
    if far < SMALL[stands] * reach:
        return {}
    width = max(3, len(at.t) // 12) | 1
    padded = np.pad(middle, ((width // 2, width // 2), (0, 0)), mode="edge")
    smooth = np.column_stack([np.convolve(padded[:, k], np.full(width, 1.0 / width), mode="valid") for k in range(3)])
    off = float(np.abs(middle - smooth).max())
    half = np.full(3, 0.5 * reach * ROOM + off)
    return {"follow": tracks.add(smooth), "box": [(smooth[0] - half).tolist(), (smooth[0] + half).tolist()]}


def frame_times(run: Trajectory, rate: float = RATE, most: int = FRAMES) -> Array:
    """So many to a second, but not too many, and the instants of events, where there may be many."""
    begin, end = float(run.t[0]), float(run.t[-1])
    count = int(np.clip(math.ceil(rate * (end - begin)) + 1, 2, most))
    events = [event.t for event in run.events[:INSTANTS] if begin <= event.t <= end and most == FRAMES]
    return np.unique(np.concatenate([np.linspace(begin, end, count), events]))


def _rounded(t: Array) -> list[float]:
    step = max(float(t[-1] - t[0]), 1e-12)
    return [float(x) for x in np.round(t, 8 - math.ceil(math.log10(step)))]


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
    spots = {feature.name: _place(feature.on) for contact in run.contacts for feature in contact.features
             if not isinstance(feature.on, Frame)}  # fmt: skip
    joints = {link.name for link in run.equations.system.links}
    along = at.reactions()
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


def _trail(run: Trajectory, point: Point, tracks: Tracks, most: int) -> dict[str, Any]:
    """The path of a point, finer than the frames, with the times at which it passes; where it begins, for none."""
    at = run.at(frame_times(run, FINE, most) if most else run.t[:1])
    return {"t": _rounded(at.t), "track": tracks.add(at[point])}


def _told(run: Trajectory) -> dict[str, Any]:
    """Modes, spans and events in words."""
    visited = run.visited
    return {
        "modes": [[", ".join(names) or "free", tint(k)] for k, names in enumerate(visited.modes, start=1)],
        "spans": [[s.begin, s.end, visited.number(s.names)] for s in visited.spans],
        "events": [[event.t, event.kind, event.name] for event in run.events],
    }

"""What of a mechanism is drawn, wherever it stands: lines, dots and shapes, by the tracks of what they hang on.

A track is where something is, state by state, as one flat list; what never moves has one row only.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from latchwork.contact.law import Contact
from latchwork.errors import EvaluationError
from latchwork.hybrid.named import named
from latchwork.hybrid.trajectory import Samples
from latchwork.kane.equations import Equations
from latchwork.mechanics.point import Point, anchor
from latchwork.view.marks import tint
from latchwork.view.outlines import outline
from latchwork.view.sketch import Measured, Outline

Array = np.ndarray
DIGITS = 6  # of the size of the scene
RIGID = 1e-6  # of the size of the scene: what changes its length by less is a rod
STILL = 1e-9  # of the size of the scene: what moves less does not


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


def _across(run: Posed, view: str) -> Any:
    N = run.equations.system.tree.newtonian
    return getattr(N, view[0]).cross(getattr(N, view[1]))


def located(run: Posed) -> list[Point]:
    """The points whose place the coordinates tell."""
    return [point for point in run.equations.system.tree.points.values() if anchor(point) is None]


def point_named(run: Posed, item: Any) -> Point:
    point = named(run.equations, item) if isinstance(item, str) else item
    if not isinstance(point, Point) or point not in located(run):
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


def shapes_of(run: Posed, more: Sequence[Any] = ()) -> list[Any]:
    """The shapes of the contacts of a run, those that collide, and some more, each once."""
    touching = (*(s for contact in run.contacts for s in contact.shapes), *getattr(run, "colliding", ()))
    return list({id(s): s for s in (*touching, *more)}.values())


def framed(run: Posed, shapes: Sequence[Any], view: str, at: Samples,
           places: Mapping[Point, Array] | None = None) -> tuple[Array, Array, list[Outline]]:  # fmt: skip
    """The room that points and shapes take, and the shapes drawn to that size; what has no end takes none."""
    if places is None:
        points = located(run)
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


def lines(places: Mapping[Point, Array], tracks: Tracks, size: float, shaped: bool) -> Iterable[dict[str, Any]]:
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


def drawn_shapes(outlines: Sequence[Outline], at: Samples, tracks: Tracks) -> Iterable[dict[str, Any]]:
    """Each shape once, also where several contacts have one that is the same; what turns together has one colour."""
    seen: list[dict[str, Any]] = []
    colors: dict[Any, str] = {}
    for made in outlines:
        shape, stands = _drawn(made, at, tracks)
        if shape not in seen:
            seen.append(shape)
            whole = made.at if made.frame is made.frame.tree.newtonian else made.frame
            yield shape | {"color": "" if stands else colors.setdefault(whole, tint(len(colors) + 1))}


def _drawn(made: Outline, at: Samples, tracks: Tracks) -> tuple[dict[str, Any], bool]:
    """An outline with the tracks of its point and of two axes of its frame; whether these stand still."""
    place, cosines = at.each(made.at, made.frame)
    axes = np.concatenate([cosines[:, :, 0], cosines[:, :, 1]], axis=1)
    stands = not (np.ptp(place, axis=0).any() or np.ptp(axes, axis=0).any())
    parts = [[part.kind, np.round(part.places, tracks.decimals).ravel().tolist()] for part in made.parts]
    return {"at": tracks.add(place), "turn": tracks.add(axes, DIGITS), "parts": parts}, stands

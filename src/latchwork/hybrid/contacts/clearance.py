"""How far apart the shapes of many contacts are at least, and how fast that can change: one program for all of them.

Enclosures of two shapes come nearer by no more than the ends of their segments move relative to each other. Places of
two solids do by no more than

    |v_a − v_b − ω_b × (C_a − C_b)| + |ω_a − ω_b| ρ_a

with a the smaller one, of radius ρ_a about its centre: wherever they touch, it is on a.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from latchwork.algebra.products import norm
from latchwork.constraint.joints.spot import velocity
from latchwork.constraint.terms import Array, Base
from latchwork.contact.broad_phase.enclosures import Enclosure, apart, can_be_parted, enclosed
from latchwork.contact.law import Contact
from latchwork.contact.narrow_phase.convex_pairs import Picker
from latchwork.contact.narrow_phase.nearest_points import Pose
from latchwork.contact.shapes.base import Shape
from latchwork.contact.shapes.flat import Polyline
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.contact.tolerances import tolerances_in
from latchwork.hybrid.state_function import state_function
from latchwork.program.function import Function

CLOSED = 32.0  # closed gaps: shapes that are no further apart may be closed
ENDS, POSE = 12, 12  # numbers of an enclosure: p, q, v_p, v_q; and of a solid besides: ω, R


class Solids(NamedTuple):
    """Two solids in space: who picks, where their centres stand among the enclosures, and where ω and R begin."""

    picker: Picker
    centers: tuple[int, int]
    turns: tuple[int, int]


class EnclosedPair(NamedTuple):
    """Two enclosures by their places: segments with radii (``kind`` 1), or one over the half-space of the other (2)."""

    kind: int
    one: int
    other: int
    normal: Array


class Bounds:
    """The enclosures of some contacts. ``bounded`` are the places of those that have them, (k,), in what was given;
    ``solids`` by their place among these; ``centers`` which enclosure a shape has."""

    def __init__(self, base: Base, contacts: Sequence[Contact]) -> None:
        kept: dict[Any, Enclosure] = {}
        made = base.remembered.setdefault("enclosures of contacts", {})
        sides = [made[each] if each in made else made.setdefault(each, _sides(each)) for each in contacts]
        for one in (one for pair in sides if pair is not None for one in pair):
            kept.setdefault(_content(one), one)
        places = {content: i for i, content in enumerate(kept)}
        known = [pair for pair in sides if pair is not None]
        self.bounded = np.array([k for k, pair in enumerate(sides) if pair is not None], dtype=int)
        self._i, self._j = np.array([[places[_content(one)] for one in pair] for pair in known],
                                    dtype=int).reshape(-1, 2).T  # fmt: skip
        both = zip(self.bounded.tolist(), self._i.tolist(), self._j.tolist(), strict=True)
        self.centers = {shape: at for k, *pair in both for shape, at in zip(contacts[k].shapes, pair, strict=True)}
        self._count, self._radii = len(kept), np.array([one.radius for one in kept.values()])
        self._lay_flats([*kept.values()])
        shapes = self._lay_solids([contacts[k] for k in self.bounded])
        ends = [e for one in kept.values() for e in end_measures(one)]
        self._closed = CLOSED * tolerances_in(base.scales).closed
        self._function = state_function(base, [*ends, *(e for shape in shapes for e in _pose(shape))])

    def _lay_flats(self, kept: list[Enclosure]) -> None:
        """Which contacts have a half-space on one side, and something finite on the other."""
        rows = [
            (k, flat, other)
            for k, (i, j) in enumerate(zip(self._i.tolist(), self._j.tolist(), strict=True))
            for flat, other in ((i, j), (j, i))
            if kept[flat].normal is not None and kept[other].is_finite
        ]
        self._above = np.array(rows, dtype=int).reshape(-1, 3)
        self._normals = np.array([kept[flat].normal for _, flat, _ in rows]).reshape(-1, 3)

    def _lay_solids(self, contacts: list[Contact]) -> list[Shape]:
        """Contacts between solids; gives the shapes with corners that turn, ``turning`` where their ω begins."""
        self.solids: dict[int, Solids] = {}
        self.turning: dict[Shape, int] = {}
        for k, contact in enumerate(contacts):
            turns = [self.turning.setdefault(shape, ENDS * self._count + POSE * len(self.turning))
                     for shape in contact.shapes if isinstance(shape, Box | Hull | Polyline)]  # fmt: skip
            if contact.picker is not None:
                a, b = turns
                self.solids[k] = Solids(contact.picker, (int(self._i[k]), int(self._j[k])), (a, b))
        return list(self.turning)

    def pairs(self) -> list[EnclosedPair]:
        """The pairs of enclosures of the contacts that have them."""
        above = {k: (flat, other, n) for (k, flat, other), n in zip(self._above.tolist(), self._normals, strict=True)}
        return [EnclosedPair(2, *above[k]) if k in above else EnclosedPair(1, i, j, np.zeros(3))
                for k, (i, j) in enumerate(zip(self._i.tolist(), self._j.tolist(), strict=True))]  # fmt: skip

    @property
    def radii(self) -> Array:
        """Of the enclosures."""
        return self._radii

    @property
    def function(self) -> Function:
        """p, q, v_p and v_q of all enclosures, then ω and R of solids, at a state."""
        return self._function

    @property
    def width(self) -> int:
        """How many numbers that are."""
        return self._function.width

    # --- numbers ------------------------------------------------------------------------------------------------

    def at(self, x: Array) -> Array:
        """All numbers at a state (t, q, u, rest)."""
        return self._function(x)

    def along(self, rows: Array) -> Array:
        """The same at some states, one row each."""
        return self._function.many(rows)

    def _split(self, values: Array) -> Array:
        """p, q, v_p, v_q of all enclosures, (..., k, 4, 3)."""
        return values[..., : ENDS * self._count].reshape(*values.shape[:-1], self._count, 4, 3)

    def apart(self, values: Array) -> Array:
        """How far the shapes of contacts with enclosures are apart at least, (k,); what is closed, to rounding, is not.

        Where nothing moves, no pace would wake what already touches.
        """
        ends, i, j = self._split(values), self._i, self._j
        found = apart(ends[i, 0], ends[i, 1], ends[j, 0], ends[j, 1]) - self._radii[i] - self._radii[j]
        k, flat, other = self._above.T
        heights = np.einsum("fei,fi->fe", ends[other, :2] - ends[flat, :1], self._normals).min(axis=1)
        np.maximum.at(found, k, heights - self._radii[other])
        return found - self._closed

    def paces(self, values: Array) -> Array:
        """How fast enclosures can come nearer, (..., k)."""
        v = self._split(values)[..., 2:, :]
        relative = v[..., self._i, :, None, :] - v[..., self._j, None, :, :]
        return fastest_end(relative.reshape(*relative.shape[:-3], 4, 3))

    def poses(self, values: Array, solids: Solids) -> tuple[Pose, Pose]:
        """R and p of the two sides."""
        ends = self._split(values)
        a, b = ((values[start + 3 : start + POSE].reshape(3, 3), ends[center, 0])
                for start, center in zip(solids.turns, solids.centers, strict=True))  # fmt: skip
        return a, b

    def turns(self, values: Array, solids: Solids) -> Array:
        """How fast places of two solids can come nearer, (...,)."""
        ends, order = self._split(values), np.argsort(self._radii[list(solids.centers)], kind="stable")
        (a, b), (s, r) = (np.array(both)[order].tolist() for both in (solids.centers, solids.turns))
        spin, other = values[..., s : s + 3], values[..., r : r + 3]
        arm = ends[..., a, 0, :] - ends[..., b, 0, :]
        passing = ends[..., a, 2, :] - ends[..., b, 2, :] - np.cross(other, arm)
        found: Array = (norm(passing, axis=-1)
                        + norm(spin - other, axis=-1) * self._radii[a])  # fmt: skip
        return found


def fastest_end(v: Array) -> Array:
    """The largest of the sizes of some velocities, (...,) for (..., k, 3)."""
    found: Array = np.sqrt((v**2).sum(axis=-1).max(axis=-1))
    return found


def _sides(contact: Contact) -> tuple[Enclosure, Enclosure] | None:
    """The enclosures of both sides of a contact; none where they tell nothing."""
    if len(contact.shapes) != 2 or any(feature.tracked is not None for feature in contact.features):
        return None
    a, b = map(enclosed, contact.shapes)
    return None if a is None or b is None or not can_be_parted(a, b) else (a, b)


def _content(one: Enclosure) -> tuple[Any, ...]:
    """What makes two enclosures the same."""
    return one.p, one.q, one.radius, None if one.normal is None else one.normal.tobytes()


def end_measures(one: Enclosure) -> list[Any]:
    """p, q, v_p and v_q in N."""
    tree = one.p.tree
    vectors = [point.position(tree.origin) for point in (one.p, one.q)] + [velocity(point) for point in (one.p, one.q)]
    return [m for vector in vectors for m in vector.measures(tree.newtonian)]


def _pose(shape: Shape) -> list[Any]:
    """ω in N and R, its columns the axes of the frame."""
    N = shape.tree.newtonian
    return [*shape.frame.angular_velocity().measures(N), *(e for row in N.direction_cosines(shape.frame) for e in row)]

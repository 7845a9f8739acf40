"""Collisions without lists: shapes of which any two may touch, but for those that are left out.

Pairs are numbers until two shapes come near each other; then a pair becomes a `Contact`, once, by the name
"a on b". Which pairs there are follows from bits, as MuJoCo has them, and from what is left out:

    (contype_a & conaffinity_b) | (contype_b & conaffinity_a) ≠ 0
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.constraint import Constraint
from latchwork.contact.broad_phase.carriers import Carrier, carrier_of_shape, is_ground, neighbours
from latchwork.contact.construction import contact_between
from latchwork.contact.curves import Curve, Surface
from latchwork.contact.law import Contact
from latchwork.contact.materials import Laws, Materials
from latchwork.contact.narrow_phase.pairs import can_meet
from latchwork.contact.shapes.flat import Plane, Segment
from latchwork.contact.shapes.round import Cone, Cylinder, Rim
from latchwork.contact.shapes.solid import Hull
from latchwork.errors import ModelError, did_you_mean
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.symbolic.graph import Graph

Pair = tuple[int, int]
Codes = NDArray[np.int64]  # of pairs: a n + b with a < b
LAZY = 0  # of two solids, features are made where they come near


@dataclass(frozen=True, eq=False)
class Collider:
    """A shape that collides: its name in contacts, its bits, and its material."""

    name: str
    shape: Any
    contype: int = 1
    conaffinity: int = 1
    material: str | None = None
    sides: int | None = None  # of the prism that all but planes meet in the place of a cylinder or cone

    def meets(self, other: Collider) -> bool:
        """Whether bits let two collide."""
        return bool(self.contype & other.conaffinity or other.contype & self.conaffinity)

    @cached_property
    def carrier(self) -> Carrier:
        return carrier_of_shape(self.shape)

    @cached_property
    def prism(self) -> Any:
        """What stands for the shape where no plane meets it: a prism or pyramid, if it has sides."""
        return self.shape if self.sides is None else prism_of(self.shape, self.sides)

    def met_by(self, other: Collider) -> Any:
        """The shape as another one meets it."""
        return self.shape if isinstance(other.shape, Plane) else self.prism


def prism_of(shape: Cylinder | Cone, sides: int) -> Hull:
    """The prism or pyramid that stands for a cylinder or cone, which is what is drawn."""
    prism = shape.sided(sides)
    prism._keep(stands_for=shape)
    return prism


class Row(NamedTuple):
    """What pairs of a collision obey by themselves: their laws, or none, and the law of impact."""

    laws: Laws | None
    impact: str


@dataclass(eq=False)
class Collision:
    """Shapes of which any two may touch: ``contact(a, b)`` is what becomes of a pair when it is near.

    ``without`` are pairs that never touch; ``joined`` lets bodies collide that a joint joins.
    """

    name: str
    graph: Graph = field(repr=False)
    colliders: Sequence[Collider] = field(repr=False)
    materials: Materials = field(repr=False)
    row: Row = field(repr=False)
    without: frozenset[Pair] = frozenset()
    joined: bool = False
    _made: dict[Pair, Contact] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.places = {each.name: i for i, each in enumerate(self.colliders)}
        for a, b in self._kinds():
            _must_meet(self.name, a, b)
        self._must_have_rows()

    def __repr__(self) -> str:
        return f"<Collision '{self.name}': {len(self.colliders)} shapes, {len(self._made)} contacts so far>"

    @property
    def shapes(self) -> tuple[Any, ...]:
        return tuple(each.shape for each in self.colliders)

    # --- contacts -----------------------------------------------------------------------------------------------

    def contact(self, a: str | int, b: str | int) -> Contact:
        """The contact of two of its shapes, by their names or numbers; made once."""
        i, j = sorted(self.place(each) for each in (a, b))
        if (i, j) not in self._made:
            one, other = self.colliders[i], self.colliders[j]
            laws = self.laws(one, other)
            self._made[i, j] = contact_between(f"{one.name} on {other.name}", one.met_by(other), other.met_by(one),
                                               laws.restitution, laws.friction, self.row.impact, self.graph, LAZY,
                                               laws.adhesion)  # fmt: skip
        return self._made[i, j]

    def place(self, collider: str | int) -> int:
        """Where a shape stands."""
        if isinstance(collider, int) and 0 <= collider < len(self.colliders):
            return collider
        if collider not in self.places:
            raise ModelError(f"'{self.name}' has no shape {collider!r}.{did_you_mean(str(collider), self.places)}")
        return self.places[collider]

    def pair_named(self, name: str) -> Pair | None:
        """The pair whose contact has a name, "a on b"; none where there is no such pair."""
        a, on, b = name.partition(" on ")
        while on:
            if a in self.places and b in self.places:
                i, j = self.places[a], self.places[b]
                return (i, j) if i < j else None
            more, on, b = b.partition(" on ")
            a = f"{a} on {more}"
        return None

    def laws(self, a: Collider, b: Collider) -> Laws:
        """What two shapes obey: the row of their materials, else what the collision was given."""
        return self.materials.row(a.material, b.material) or self.row.laws or Laws()

    # --- pairs --------------------------------------------------------------------------------------------------

    def skipped(self, system: System, constraints: Iterable[Constraint], listed: Iterable[Contact]) -> Codes:
        """Pairs that never touch, as sorted codes: left out, neighbours, and those that are listed by themselves."""
        n, number = len(self.colliders), {id(each.shape): i for i, each in enumerate(self.colliders)}
        points = [i for i, each in enumerate(self.colliders) if isinstance(each.shape, Point)]
        found = {*self.without, *combinations(points, 2)}
        for contact in listed:
            sides = [number[id(shape)] for shape in contact.shapes if id(shape) in number]
            if len(sides) == 2:
                found.add((min(sides), max(sides)))
        if not self.joined:
            carried: dict[Carrier, list[int]] = {}
            for i, each in enumerate(self.colliders):
                if not is_ground(each.shape):
                    carried.setdefault(each.carrier, []).append(i)
            for one, other in neighbours(system, constraints):
                found |= {(min(i, j), max(i, j)) for i in carried.get(one, ()) for j in carried.get(other, ())}
        return np.array(sorted(i * n + j for i, j in found), dtype=np.int64)

    @cached_property
    def carriers(self) -> NDArray[np.int64]:
        """The carrier of each shape, as a number."""
        known: dict[Carrier, int] = {}
        return np.array([known.setdefault(each.carrier, len(known)) for each in self.colliders], dtype=np.int64)

    @cached_property
    def bits(self) -> NDArray[np.int64]:
        """contype and conaffinity of each shape, (n, 2)."""
        rows = [(each.contype, each.conaffinity) for each in self.colliders]
        return np.array(rows, dtype=np.int64).reshape(-1, 2)

    def codes(self, skipped: Codes) -> Codes:
        """All pairs that may touch."""
        n, found = len(self.colliders), []
        (contype, conaffinity), carrier = self.bits.T, self.carriers
        for i in range(n - 1):
            later = np.arange(i + 1, n)
            meets = (contype[i] & conaffinity[later]) | (contype[later] & conaffinity[i])
            found.append(i * n + later[(meets != 0) & (carrier[later] != carrier[i])])
        codes = np.concatenate([np.zeros(0, dtype=np.int64), *found])
        return codes[~np.isin(codes, skipped)]

    # --- what is refused ----------------------------------------------------------------------------------------

    def _some(self, key: Any) -> Iterator[tuple[Collider, Collider]]:
        """One pair for each two keys of shapes that bits let collide."""
        groups: dict[Any, list[Collider]] = {}
        for each in self.colliders:
            groups.setdefault(key(each), []).append(each)
        kinds = list(groups.values())
        for k, some in enumerate(kinds):
            for others in kinds[k:]:
                if others is some and len(some) > 1:
                    yield some[0], some[1]
                elif others is not some:
                    yield some[0], others[0]

    def _kinds(self) -> Iterator[tuple[Collider, Collider]]:
        found = self._some(lambda each: (type(each.shape), is_thin(each.shape), each.contype, each.conaffinity,
                                         is_ground(each.shape)))  # fmt: skip
        return ((a, b) for a, b in found if a.meets(b) and not (is_ground(a.shape) and is_ground(b.shape)))

    def _must_have_rows(self) -> None:
        """Refuse materials that may touch and have no row, where the collision says nothing itself."""
        if self.row.laws is not None:
            return
        found = self._some(lambda each: (each.material, each.contype, each.conaffinity, is_ground(each.shape)))
        for a, b in found:
            both = is_ground(a.shape) and is_ground(b.shape)
            if both or not a.meets(b) or (a.material is None and b.material is None):
                continue
            if self.materials.row(a.material, b.material) is None:
                raise ModelError(_no_row(self.name, a, b))


def is_thin(shape: Any) -> bool:
    """Whether a shape has neither a radius nor a side."""
    if isinstance(shape, Rim):
        return isinstance(shape.tube, float) and shape.tube == 0.0
    return isinstance(shape, Point) or (isinstance(shape, Segment) and shape.normal is None)


def _no_row(name: str, a: Collider, b: Collider) -> str:
    both = f"'{a.name}' ({a.material or 'no material'}) and '{b.name}' ({b.material or 'no material'})"
    row = f'model.material_pair("{a.material}", "{b.material}", friction=..., restitution=...)'
    named = a.material is not None and b.material is not None
    say = f"Give {row}, or" if named else "Name their materials (model.material(..., on=[...])), or"
    return (f"{both} of '{name}' may touch, and the table of materials has no row for them. {say} give friction= or "
            "restitution= for all pairs without a row.")  # fmt: skip


def _must_meet(name: str, a: Collider, b: Collider) -> None:
    """Refuse two kinds of shapes that no pair is for; points have no size, and pass each other."""
    if isinstance(a.shape, Point) and isinstance(b.shape, Point):
        return
    if is_thin(a.shape) and is_thin(b.shape):
        raise ModelError(f"'{a.name}' and '{b.name}' of '{name}' are thin, and pass each other. Give a segment a "
                         "normal, or a capsule in its place, a rim a tube; or leave the pair out.")  # fmt: skip
    shapes = a.met_by(b), b.met_by(a)
    if not any(isinstance(each, Curve | Surface) for each in shapes) and not can_meet(*map(type, shapes)):
        kinds = [f"lw.{type(each).__name__}" for each in shapes]
        raise ModelError(
            f"'{a.name}' and '{b.name}' of '{name}' are {kinds[0]} and {kinds[1]}, which no pair is for. Leave such "
            f"pairs out (without=, within=False, masks=), or give one of them another shape, such as lw.Hull."
        )

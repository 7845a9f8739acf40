"""The broad phase of a run: which pairs of many shapes have come near each other, and how long the others stay apart.

Every shape has an enclosure and room about it. Where the rooms of two overlap, sweep and prune finds it, and their pair
becomes a contact, which the watch set watches from then on. All other pairs are apart by both rooms, so that none of
them touches before some shape has used up its own,

    t + ½ min room / pace

which is checked along the steps afterwards, as of contacts that sleep. A pair costs nothing while it is far: the check
is of shapes, not of pairs. Pairs with a shape that has no enclosure are contacts from the start.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np

from latchwork.constraint.terms import Array, Base
from latchwork.contact.broad_phase.enclosures import Enclosure, enclosed
from latchwork.contact.broad_phase.sweep_and_prune import ENDLESS, ENDS, above_planes, overlapping
from latchwork.contact.collision import Codes, Collision
from latchwork.contact.construction import FixedApart
from latchwork.contact.law import Contact
from latchwork.contact.shapes.base import numbers
from latchwork.contact.tolerances import tolerances_in
from latchwork.hybrid.contacts.clearance import end_measures, fastest_end
from latchwork.hybrid.contacts.rooms import SOONER, Rooms
from latchwork.hybrid.contacts.sleeping_contacts import changed_parameters
from latchwork.hybrid.contacts.watch_set import times
from latchwork.hybrid.state_function import state_function
from latchwork.mechanics.point import Point
from latchwork.model import Model
from latchwork.program.function import Function
from latchwork.program.native import address, native
from latchwork.symbolic.expr import Expr

ROOM = 0.25  # of the radius of a shape: what it has about it
FEW_PAIRS = 24  # pairs: with no more, all are contacts from the start


class Sweep:
    """One collision: its enclosures as numbers, and the order in which they were swept last."""

    def __init__(self, collision: Collision, skipped: Codes) -> None:
        self.collision, self.skipped = collision, skipped
        self.codes = collision.codes(skipped)
        n = self.count = len(collision.colliders)
        self.carriers, self.bits = collision.carriers, collision.bits.ravel()
        found = [_bounded(shape) for shape in collision.shapes]
        self._unbounded = np.array([each is None for each in found], dtype=bool)
        self.enclosures = [each or Enclosure(shape.tree.origin, shape.tree.origin, 0.0)
                           for each, shape in zip(found, collision.shapes, strict=True)]  # fmt: skip
        self.radius = np.array([min(each.radius, ENDLESS) for each in self.enclosures])
        self.planes = np.array([i for i, each in enumerate(self.enclosures) if each.normal is not None
                                and not each.is_finite], dtype=np.int64)  # fmt: skip
        self.normals = np.array([self.enclosures[i].normal for i in self.planes], dtype=float).ravel()
        self.endless = np.array([_endless(each) for each in self.enclosures], dtype=bool).reshape(-1, 3)
        N, O = (collision.colliders[0].shape.tree.newtonian, collision.colliders[0].shape.tree.origin) if n else (0, 0)
        self.still = np.array([each.carrier == (N, O) for each in collision.colliders], dtype=bool)
        self.order, self._found = np.arange(n, dtype=np.int64), np.zeros(4 * n + 16, dtype=np.int64)

    def open_pairs(self, changed: set[int]) -> list[int]:
        """Codes of pairs whose enclosures tell nothing: they have none, or have other lengths in this run, by some
        parameters, than in the model. They are contacts from the start, and not looked for."""
        relies = np.array([_relies(each.shape, changed) for each in self.collision.colliders], dtype=bool)
        is_open, bits = self._unbounded | relies, self.collision.bits.copy()
        bits[is_open] = 0
        self.bits = bits.ravel()
        return self.codes[is_open[self.codes // self.count] | is_open[self.codes % self.count]].tolist()

    def contact(self, code: int) -> Contact:
        """The contact of a pair."""
        return self.collision.contact(*divmod(code, self.count))

    def near(self, values: Array, room: Array) -> list[int]:
        """Codes of pairs whose rooms overlap, in order; ``values`` are p, q, v_p and v_q of all enclosures."""
        ends = values.reshape(self.count, 4, 3)[:, :2]
        wide = np.where(self.radius >= ENDLESS, -ENDLESS, self.radius + room)[:, None]  # half-spaces: by themselves
        lo, hi = ends.min(axis=1) - wide, ends.max(axis=1) + wide
        lo[self.endless], hi[self.endless] = -ENDLESS, ENDLESS
        lo, hi, values = (np.ascontiguousarray(each, dtype=float) for each in (lo, hi, values))
        axis = int(np.argmax(_spread(lo, self.radius)))
        shared = (*map(address, (self.bits, self.carriers)), len(self.skipped), address(self.skipped))
        while True:
            most, found = len(self._found), address(self._found)
            count = native(overlapping).function(self.count, address(lo), address(hi), axis, address(self.order),
                                                 *shared, most, found)  # fmt: skip
            count = native(above_planes).function(self.count, address(values), address(self.radius), address(room),
                                                  len(self.planes), address(self.planes), address(self.normals),
                                                  *shared, count, most, found)  # fmt: skip
            if count <= most:
                return np.sort(self._found[:count]).tolist()
            self._found = np.zeros(2 * count, dtype=np.int64)


class BroadPhase:
    """The collisions of a model in one run; ``begin`` lays them out for its equations."""

    def __init__(self, model: Any = None, at_once: bool = False) -> None:
        """``at_once``: every pair is a contact from the start, for nothing is to be made later."""
        collisions = model.collisions if isinstance(model, Model) else ()
        self.sweeps = [Sweep(each, each.skipped(model.system(), model.constraints, model.contacts))
                       for each in collisions]  # fmt: skip
        self._pairs: dict[Contact, tuple[int, int]] = {}  # which collision, and the code, of contacts
        self._fixed: set[tuple[int, int]] = set()  # pairs that never come nearer
        pairs = sum(len(sweep.codes) for sweep in self.sweeps)
        self.is_idle = at_once or pairs <= FEW_PAIRS  # every pair is a contact from the start
        self._base: Base | None = None
        self._presence: Any = None
        self._known: list[set[int]] = []
        self.pairs = pairs

    @property
    def shapes(self) -> list[Any]:
        return [shape for sweep in self.sweeps for shape in sweep.collision.shapes]

    def named(self, name: str) -> Contact | None:
        """The contact of a name; none where no collision has such a pair."""
        for k, sweep in enumerate(self.sweeps):
            pair = sweep.collision.pair_named(name)
            if pair is not None and (code := pair[0] * sweep.count + pair[1]) in sweep.codes:
                return next(iter(self._contacts([(k, code)])), None)
        return None

    def every(self) -> tuple[Contact, ...]:
        """The contacts of all pairs, made now."""
        return tuple(self._contacts((k, code) for k, sweep in enumerate(self.sweeps) for code in sweep.codes.tolist()))

    def place(self, contact: Contact) -> tuple[int, int]:
        """What contacts are ordered by: listed ones first, then by collision and pair."""
        return self._pairs.get(contact, (-1, 0))

    # --- looks --------------------------------------------------------------------------------------------------

    def first(self, base: Base, x: Array) -> list[Contact]:
        """Contacts at the start, at x = (t, q, u, rest): pairs that are near, and all that have no enclosure."""
        if self.is_idle:
            return list(self.every())
        changed = changed_parameters(base, x)
        codes = ((k, code) for k, sweep in enumerate(self.sweeps) for code in sweep.open_pairs(changed))
        open_ones = self._contacts(codes)
        found = [*open_ones, *self.see(base, x, {})[0]]
        return sorted(dict.fromkeys(found), key=self.place)

    def see(self, base: Base, x: Array, presence: Any, ahead: float = 1.0) -> tuple[list[Contact], Rooms]:
        """Pairs that are near at a state and are no contacts of the run yet; the rooms of all shapes that move, while
        there are other pairs. Where some are near, so are those within ``ahead`` times their rooms."""
        self.take_up(base)
        if presence is not self._presence or not self._known:
            self._presence, self._known = presence, [set() for _ in self.sweeps]
            for contact in presence:
                k, code = self.place(contact)
                if k >= 0:
                    self._known[k].add(code)
        far = sum(len(sweep.codes) for sweep in self.sweeps) - sum(map(len, self._known)) - len(self._fixed)
        if not far:
            return [], Rooms(until=math.inf)
        values = self._function(x)
        paces = self.paces(values)
        room = np.where(self._still, 0.0, self._least + tolerances_in(base.scales).awake * paces)
        found = self._overlapping(values, room)
        if found and ahead > 1.0:
            found = self._overlapping(values, ahead * room)
        if len(found) == far:
            return found, Rooms(until=math.inf)
        live = self._live(room)
        until = float(x[0]) + SOONER * float(times(live, self._live(paces)).min(initial=math.inf))
        return found, Rooms(float(x[0]), until, live, np.zeros(len(live)))

    def _overlapping(self, values: Array, room: Array) -> list[Contact]:
        """Contacts of pairs whose rooms overlap, those that are known left out."""
        found: list[Contact] = []
        for k, (sweep, part) in enumerate(zip(self.sweeps, self._parts, strict=True)):
            near = sweep.near(values[ENDS * part.start : ENDS * part.stop], room[part].copy())
            found += self._contacts((k, code) for code in near if code not in self._known[k])
        return found

    def take_up(self, base: Base) -> None:
        """Take up equations."""
        if base is self._base:
            return
        self._base = base
        enclosures = [each for sweep in self.sweeps for each in sweep.enclosures]
        stops = np.cumsum([0, *(sweep.count for sweep in self.sweeps)]).tolist()
        self._parts = [slice(i, j) for i, j in pairwise(stops)]
        radii = np.array([each.radius if each.is_finite else 0.0 for each in enclosures])
        self._least = ROOM * np.where(radii > 0.0, radii, base.scales.length)
        self._still = np.concatenate([sweep.still for sweep in self.sweeps])
        self._function = state_function(base, [e for each in enclosures for e in end_measures(each)])

    def _contacts(self, pairs: Iterable[tuple[int, int]]) -> list[Contact]:
        """The contacts of pairs, by collision and code; none of those whose gap nothing can change, as of a link that
        turns about the normal of the floor."""
        found = []
        for k, code in pairs:
            if (k, code) not in self._fixed:
                try:
                    contact = self.sweeps[k].contact(code)
                except FixedApart:
                    self._fixed.add((k, code))
                    continue
                self._pairs[contact] = k, code
                found.append(contact)
        return found

    def _live(self, numbers_of: Array) -> Array:
        return numbers_of[..., ~self._still]

    # --- how long -----------------------------------------------------------------------------------------------

    def paces(self, values: Array) -> Array:
        """How fast each enclosure moves at most, (..., k)."""
        return fastest_end(values.reshape(*values.shape[:-1], -1, 4, 3)[..., 2:, :])

    def along(self, rows: Array) -> Array:
        """How fast room is used up at some states (t, q, u, rest), one row each."""
        return self._live(self.paces(self._function.many(rows)))

    def clearances(self, rooms: Rooms) -> tuple[Function | None, Array]:
        """The ends of all enclosures, and by how much each shape may move from where they were looked at last."""
        if not rooms.sleeps:
            return None, np.zeros(0)
        clearance = np.full(len(self._still), math.inf)
        clearance[~self._still] = rooms.room
        return self._function, clearance


def every_contact(model: Model) -> tuple[Contact, ...]:
    """The contacts of a model: those that are listed, and those of all pairs that may collide."""
    return (*model.contacts, *BroadPhase(model).every())


def _relies(shape: Any, changed: set[int]) -> bool:
    """Whether a length of a shape depends on some parameters."""
    if not changed or isinstance(shape, Point):
        return False
    given = [getattr(shape, each.name) for each in fields(shape)]
    lengths = [e for value in given for e in (value if isinstance(value, tuple) else (value,)) if isinstance(e, Expr)]
    return any(symbol.node in changed for e in lengths for symbol in e.free_symbols)


def _bounded(shape: Any) -> Enclosure | None:
    """The enclosure of a shape that boxes along the axes of N can hold, or half-spaces; none where it has none."""
    found = enclosed(shape)
    if found is None or (not found.is_finite and found.normal is None):
        return None
    return found if found.axis is None or _along(found) is not None else None


def _along(one: Enclosure) -> int | None:
    """Which axis of N a planar shape is across of."""
    assert one.axis is not None
    axis = numbers(one.p.tree.newtonian, one.axis)
    if axis is None:
        return None
    return next((k for k in range(3) if abs(axis[k]) == 1.0 and abs(axis).sum() == 1.0), None)


def _endless(one: Enclosure) -> list[bool]:
    """Along which axes of N it has no end."""
    return [one.axis is not None and _along(one) == k for k in range(3)]


def _spread(lo: Array, radius: Array) -> Array:
    """How far boxes that end lie apart along each axis."""
    some = lo[radius < ENDLESS]
    some = np.where(some <= -ENDLESS, 0.0, some)
    return some.max(axis=0) - some.min(axis=0) if len(some) else np.zeros(3)

"""The memory of a scene: contact points are written into records once, their states where a reset begins.

There is room for more contact points than there are; where there is none left, memory is laid out again, twice as
large. What holds besides, and how many contacts may be near at once, is in records of their own (`Workspace`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.terms import Array, Base, Terms, some_way_off
from latchwork.contact.complementarity.problem import ContactProblem
from latchwork.contact.complementarity.solution import State
from latchwork.contact.impact.problem import ImpactLaw, ImpactProblem
from latchwork.contact.law import Contact, Zones
from latchwork.contact.narrow_phase.parts import Stud
from latchwork.contact.tolerances import Tolerances
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates
from latchwork.hybrid.contacts.delassus_operator import Delassus
from latchwork.hybrid.contacts.scene import MOST_ZONES, ContactEvent, ContactStateRecord, Scene
from latchwork.program.evaluator import Evaluators
from latchwork.program.function import Function
from latchwork.program.records.memory import lay_out, size_of, write
from latchwork.program.records.shape import words_of
from latchwork.program.records.view import address_of

NEVER = -math.inf
CORNERS = 3  # of a support triangle
STATES = tuple(State)
WIDE, WIDE_EVENT = size_of(ContactStateRecord), size_of(ContactEvent)
KIND, LEAVING, BEHIND, CONE_MARGIN, UNLOADED, SLIP_SIZE, IMPENDING_SIZE, FORCE_SIZE, SLIPPED_MARGIN = words_of(
    ContactStateRecord, "kind", "leaving", "behind", "cone_margin", "unloaded", "slip_size", "impending_size",
    "force_size", "slipped_margin")  # fmt: skip
SLIPPED_AT, SLIP, IMPENDING, FORCE = words_of(ContactStateRecord, "slipped_at", "slip", "impending", "force")
NEVER_WORD = int(np.array(NEVER).view(np.int64))


class Workspace(NamedTuple):
    """Records for contacts that are near, with what holds besides."""

    delassus: Delassus
    problem: ContactProblem
    impact: ImpactProblem
    evaluators: Evaluators


def workspace_of(base: Base, held: Terms, contacts: int, enforced: int) -> Workspace:
    """Room for so many contacts that are near, and so many that the coordinates enforce."""
    n_q, n, m = held.sizes
    rows, most = 3 * contacts, m + 2 * enforced
    work = max(n * n + 2 * n, 2 * n * most + most * most + 3 * most)
    delassus = lay_out(Delassus, n_q=n_q, n=n, most_contacts=contacts, most_rows=rows, most_held=most, held=m,
                    most_enforced=enforced, n_motion=base.motion.width, n_inputs=len(base.arguments), n_work=work,
                    aside=base.units.q * some_way_off(n_q))  # fmt: skip
    programs = Evaluators()
    programs.put(delassus.motion, base.motion)
    if m:
        programs.put(delassus.held_place, held.place_function)
        programs.put(delassus.held_bias, held.bias_function)
    problem = lay_out(ContactProblem, most_contacts=contacts, most_rows=rows)
    return Workspace(delassus, problem, lay_out(ImpactProblem, most_contacts=contacts, most_rows=rows), programs)


class SceneMemory:
    """The records of the contact points of one mechanism; one thread at a time."""

    def __init__(self, base: Base, tolerances: Tolerances) -> None:
        self._base, self._tolerances = base, tolerances
        self._lay_out([])

    # --- contact points -----------------------------------------------------------------------------------------

    def _lay_out(self, points: Sequence[ContactPoint]) -> None:
        """Room for twice as many contact points as there are."""
        n, few = len(self._base.equations.u), 2 * max(len(points), 2)
        self._zones = {zone: i for i, zone in enumerate(dict.fromkeys(z for point in points for z in point.zones))}
        laws, enforced = 2 * sum([law_count(point) for point in points]) + few, sum([is_enforced(p) for p in points])
        widest = max([widest_output(point, n) for point in points], default=0) + 3 * (n + 2)
        self.scene = lay_out(Scene, contacts=few, groups=few, most_triangles=few // CORNERS, zones=len(self._zones),
                             laws=laws, enforced=enforced, n_speeds=n, n_out=widest,
                             tolerances=self._tolerances)  # fmt: skip
        self.states = _words(self.scene, "state", few * WIDE).reshape(few, WIDE)
        self._watch = np.asarray(self.scene.watch)
        self.events = _words(self.scene, "event", few * WIDE_EVENT)
        self._open = np.zeros(WIDE, dtype=np.int64)
        self._open.view(float)[SLIPPED_AT] = NEVER
        self.states[:] = self._open
        self.points: list[ContactPoint] = []
        self.places: dict[ContactPoint, int] = {}
        self.current: ContactStates | None = None  # whose states the records have
        self.room: Workspace | None = None  # that the scene points to
        self._groups, self._laws, self._programs = dict[Contact, int](), 0, Evaluators()
        self._slips: set[int] = set()  # of which contact points it is known how they slip
        for point in points:
            self._add(point)
        self._find_others()
        self.address = address_of(self.scene)

    def hold(self, points: Sequence[ContactPoint]) -> None:
        """Give all of some contact points a place."""
        fresh = [point for point in points if point not in self.places]
        if not fresh:
            return
        scene, n = self.scene, len(self._base.equations.u)
        fits = (
            len(self.points) + len(fresh) <= scene.contacts
            and self._laws + sum([law_count(point) for point in fresh]) <= scene.laws
            and all([zone in self._zones for point in fresh for zone in point.zones])
            and not any([is_enforced(point) for point in fresh])
            and max([widest_output(point, n) for point in fresh]) <= scene.n_out
        )
        if not fits:
            self._lay_out([*[point for point in points if point in self.places], *fresh])
            return
        for point in fresh:
            self._add(point)
        self._find_others()

    def _find_others(self) -> None:
        """Who belongs together: contact points that are corners of a support triangle; and with whom what resists
        turns, or attracts, is closed, the contact point that was made last of a feature."""
        self._triangles = support_triangles(self.points, self._base)
        made, contact = {point.feature: i for i, point in enumerate(self.points)}, self.scene.contact
        for i, point in enumerate(self.points):
            if point.feature.closed_with is not None and point.attracts:
                contact[i].attracts = made[point.feature.closed_with]
                contact[contact[i].attracts].adhesion = i
            elif point.feature.closed_with is not None:
                contact[i].presser = made[point.feature.closed_with]

    def _add(self, point: ContactPoint) -> None:
        i = self.places[point] = len(self.points)
        self.points.append(point)
        record = self.scene.contact[i]
        record.contact = self._groups.setdefault(point.contact, len(self._groups))
        record.bounds, record.without_normal = len(point.feature.within), int(point.without_normal)
        record.enforced, record.bounded = int(is_enforced(point)), int(point.is_bounded)
        record.one_way, record.presser, record.attracts, record.adhesion = int(point.is_one_way), -1, -1, -1
        record.unit, record.row_unit = point.scales.length / self._base.scales.length, point.row_unit
        record.impact = int(ImpactLaw[point.contact.impact.upper()])
        record.ready, record.first_law = 0, self._laws
        record.sharp = (2 if point.is_curved else 1) if point.is_sharp else 0
        record.end = int(point.feature.is_end)
        record.zones, stride = len(point.zones), 1
        for k, zone in enumerate(point.zones):
            record.zone[k], record.stride[k] = self._zones[zone], stride
            stride *= 1 + len(zone.bounds)
        self._laws += law_count(point)
        for k in range(record.first_law, self._laws):
            self.scene.law[k].steady = 1
        self._programs.put(record.gap, point.gap_function)
        if point.without_normal or point.is_ready:
            self.make_ready(i)
        elif point.knows_slip:
            self.put_slip(i)

    def _put_law(self, k: int, known: tuple[float, ...] | Function) -> None:
        law = self.scene.law[k]
        law.steady = int(isinstance(known, tuple))
        if isinstance(known, tuple):
            law.e, law.mu_s, law.mu_d = known
        else:
            self._programs.put(law.program, known)

    def put_slip(self, i: int) -> None:
        """How a contact point can slip, and its laws, which are nothing before; once."""
        point, record = self.points[i], self.scene.contact[i]
        if i in self._slips:
            return
        self._slips.add(i)
        record.tangents, record.turns = len(point.tangents), int(point.upright is not None)
        by_zones = product(*[range(1 + len(zone.bounds)) for zone in reversed(point.zones)])
        for k, numbers in enumerate(by_zones, record.first_law):
            self._put_law(k, point.laws.in_zones(dict(zip(point.zones, reversed(numbers), strict=True))))

    def make_ready(self, i: int) -> None:
        """Compile the rows of a contact point."""
        point, record = self.points[i], self.scene.contact[i]
        self.put_slip(i)
        if point.has_rows:
            self._programs.put(record.place, point.terms.place_function)
            self._programs.put(record.bias, point.terms.bias_function)
        if is_enforced(point):
            self._programs.put(record.force, point.force_function)
        if point.upright is not None:
            self._programs.put(record.upright, point.upright_function)
        if point.is_sharp:
            self._programs.put(record.normal, point.normal_function)
        record.ready = 1

    def ready(self, room: Workspace) -> None:
        """Take machine code that has arrived; the records of what holds besides."""
        self.take_code()
        room.evaluators.ready()
        if room is not self.room:
            self.room = room
            self.scene.delassus, self.scene.problem, self.scene.impact = room.delassus, room.problem, room.impact

    def take_code(self) -> None:
        """Take machine code that has arrived."""
        self._programs.ready()

    def zone(self, zone: Zones) -> int:
        """The place of a zone."""
        return self._zones[zone]

    def zones(self) -> dict[Zones, int]:
        """The zones as they are now."""
        return {zone: self.scene.zone[i] for zone, i in self._zones.items()}

    def watched(self, s: ContactStates) -> list[int]:
        """The places of those that are watched."""
        return [self.places[point] for point in s.contact_points]

    # --- states -------------------------------------------------------------------------------------------------

    def write(self, s: ContactStates) -> None:
        """The states of contacts, where an event begins."""
        scene, places = self.scene, self.places
        watch = self.watched(s)
        scene.watched, self._watch[: len(watch)] = len(watch), watch
        scene.approach_scale, scene.motion_scale, scene.shared = s.approach_scale, s.motion_scale, s.shared
        for zone, i in self._zones.items():
            scene.zone[i], scene.zone_step[i] = s.zones.get(zone, 0), 0
        scene.begun = scene.rounds = scene.impacts = scene.struck = scene.jams = 0
        scene.energy = scene.work = scene.slip_scale = 0.0
        scene.trouble = -1
        self._write_triangles(watch)
        self.events[:] = 0
        self.states[: len(self.points)] = self._open
        known = {*s.closed, *s.leaving_depths, *s.behind, *s.slipped}
        for point in known:
            if point in places:
                self._write(s, point, scene.state[places[point]])

    def _write_triangles(self, watch: Sequence[int]) -> None:
        """The support triangles whose corners are watched."""
        scene, watched = self.scene, set(watch)
        found = [each for each in self._triangles if watched.issuperset(each.corners)]
        scene.triangles = len(found)
        for i, each in enumerate(found):
            write(scene.triangle[i], azimuth=each.azimuth, level=each.level, turns=0, halved=0, aimed=0, rocks=0,
                  low=0.0, high=0.0, corner=each.corners)  # fmt: skip

    def _write(self, s: ContactStates, point: ContactPoint, state: ContactStateRecord) -> None:
        how, (since, margin) = s.closed.get(point), s.slipped.get(point, (NEVER, 0))
        leaving, behind = 1 + s.leaving_depths[point] if point in s.leaving_depths else 0, int(point in s.behind)
        slip, impending = tuple[float, ...](), tuple[float, ...]()
        force: Any = ()
        if how is not None:
            slip, impending, force = how.slip or (), how.impending or (), s.lam.get(point.name, ())
            if not self.scene.contact[self.places[point]].ready:
                self.make_ready(self.places[point])
        write(state, kind=State.OPEN if how is None else how.state, leaving=leaving, behind=behind,
              cone_margin=0 if how is None else how.cone_margin, unloaded=0 if how is None else how.unloaded,
              slip_size=len(slip), impending_size=len(impending), force_size=len(force), slipped_margin=margin,
              slipped_at=since, slip=_padded(slip, 4), impending=_padded(impending, 2),
              force=_padded(force, 3))  # fmt: skip

    def read(self, s: ContactStates) -> None:
        """The states of contacts, where an event has ended."""
        scene = self.scene
        for name, value in self.decoded(s.contact_points, self.states).items():
            setattr(s, name, value)
        s.zones = self.zones_in(s.zones, scene.zone)
        s.approach_scale, s.motion_scale, s.shared = scene.approach_scale, scene.motion_scale, scene.shared
        self.current = s

    def zones_in(self, zones: Mapping[Zones, int], numbers: Any) -> dict[Zones, int]:
        """The zones of a run, those of the scene as they are in its records."""
        return {zone: int(numbers[self._zones[zone]]) if zone in self._zones else i for zone, i in zones.items()}

    def decoded(self, points: Sequence[ContactPoint], states: NDArray[np.int64]) -> dict[str, Any]:
        """What the words of states say of some contact points: the fields of `ContactStates`."""
        closed, leaving, behind, lam, slipped = {}, {}, set(), {}, {}
        some = states[[self.places[point] for point in points]]
        kinds, numbers = some.tolist(), some.view(np.float64)
        for i, point in enumerate(points):
            own, slips, impends, forces = kinds[i], *[kinds[i][k] for k in (SLIP_SIZE, IMPENDING_SIZE, FORCE_SIZE)]
            if own[KIND]:
                slip = tuple(numbers[i, SLIP : SLIP + slips].tolist()) if slips else None
                impending = tuple(numbers[i, IMPENDING : IMPENDING + impends].tolist()) if impends else None
                closed[point] = ContactState(STATES[own[KIND]], slip, impending, own[CONE_MARGIN], own[UNLOADED])
            if own[LEAVING]:
                leaving[point] = own[LEAVING] - 1
            if own[BEHIND]:
                behind.add(point)
            if forces:
                lam[point.name] = numbers[i, FORCE : FORCE + forces].copy()
            if own[SLIPPED_AT] != NEVER_WORD:
                slipped[point] = float(numbers[i, SLIPPED_AT]), own[SLIPPED_MARGIN]
        return {"closed": closed, "leaving_depths": leaving, "behind": behind, "lam": lam, "slipped": slipped}


class Corners(NamedTuple):
    """The contact points that are corners of a support triangle, by place, where its azimuth stands in (t, q, u, rest),
    and how many bounds do not depend on it."""

    corners: tuple[int, ...]
    azimuth: int
    level: int


def support_triangles(points: Sequence[ContactPoint], base: Base) -> list[Corners]:
    """The support triangles of contact points that were made for the present equations."""
    found: dict[tuple[int, int], list[int]] = {}
    places = {node: i for i, node in enumerate(base.arguments)}
    for i, point in enumerate(points):
        support, parts = point.feature.support, point.feature.parts
        if support is not None and parts is not None and point.base is base:
            other = next(part for part in parts if not isinstance(part, Stud))
            found.setdefault((support.azimuth.node, id(other)), []).append(i)
    whole = [corners for corners in found.values() if len(corners) == CORNERS]
    supports = [points[corners[0]].feature.support for corners in whole]
    return [Corners(tuple(corners), places[support.azimuth], support.level)
            for corners, support in zip(whole, supports, strict=True) if support is not None]  # fmt: skip


def _padded(numbers: Sequence[float] | Array, count: int) -> tuple[float, ...]:
    return (*numbers, *(0.0,) * (count - len(numbers)))


def is_enforced(point: ContactPoint) -> bool:
    """Whether the coordinates enforce a contact point, whose normal force is then found with u̇."""
    return point.without_normal and not point.is_bounded


def law_count(point: ContactPoint) -> int:
    """How many laws a contact point has: one for each of its zones."""
    assert len(point.zones) <= MOST_ZONES, "restitution, static and dynamic friction have zones"
    return math.prod([1 + len(zone.bounds) for zone in point.zones])


def widest_output(point: ContactPoint, n: int) -> int:
    """The outputs of any program of a contact point."""
    return max(1 + len(point.feature.within), 3 * (n + 2), 12)


def _words(scene: Any, field: str, count: int) -> NDArray[np.int64]:
    """The words of the records of a scene."""
    first = scene._start + scene._words[scene._start + scene._shape.fields[field].word]
    return np.frombuffer(scene._words, dtype=np.int64)[first : first + count]

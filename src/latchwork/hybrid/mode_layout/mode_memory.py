"""The memory of modes that machine code lays out: programs of contact points are entered in it as they are made.

Nothing is compiled here. Rows, friction and guards that a contact point has not been asked for yet are left out; where
a mode needs them, Python lays it out, and they are entered then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.embedded import executors, sliding_executors
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.final_state import pivot
from latchwork.constraint.embedded.mode_block import quaternions
from latchwork.constraint.embedded.projection import settle
from latchwork.constraint.embedded.slider import slider_layout
from latchwork.constraint.row_sources import RowSource, RowSources
from latchwork.constraint.selection_kernel import MAX_ROWS, SpeedChoice
from latchwork.constraint.terms import Array, Terms
from latchwork.contact.law import Zones
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.guard_table import Piece, forms_in, zone_program, zones_in
from latchwork.hybrid.contacts.guard_values import CLOSED, LEAVING, NO_SLIP, GuardTable, look_at_guards
from latchwork.hybrid.contacts.guards import Form, Guard, contact_guards
from latchwork.hybrid.contacts.reset_requests import SAYS
from latchwork.hybrid.contacts.scene import CLEARED
from latchwork.hybrid.contacts.scene_memory import SceneMemory
from latchwork.hybrid.mode_integration import ModeIntegrations, usual_kind
from latchwork.hybrid.mode_layout.layout_kernel import SCRATCH
from latchwork.hybrid.mode_layout.mode_contents import place_of_form
from latchwork.hybrid.mode_layout.mode_programs import (
    CLOSED_FORMS,
    OPEN_FORMS,
    FrictionPrograms,
    GuardPrograms,
    ModePrograms,
    SourcePrograms,
)
from latchwork.hybrid.mode_layout.mode_record import ASK, ZONE
from latchwork.integrate import problem
from latchwork.integrate.reusable_integration import IntegrationBlock
from latchwork.program.evaluator import evaluator_at
from latchwork.program.function import Function
from latchwork.program.kernel import Kernel
from latchwork.program.native import address, native
from latchwork.program.records.memory import block_of, in_order, lay_out, where, write
from latchwork.program.records.placement import placement
from latchwork.program.records.shape import words_of
from latchwork.symbolic.ops import ZERO

ARENA = 1 << 18  # words at least
FULL = 2  # where less than this part of an arena is left as a call begins, there is another
ROWS_OF_POINT = 3  # at most
(ANY_GUARDS,) = words_of(GuardPrograms, "guards")
(IS_KNOWN,) = words_of(FrictionPrograms, "known")


def record_words(programs: ModePrograms, field: str, count: int) -> NDArray[np.int64]:
    """The words of so many records, one after the other."""
    block, (first, words) = block_of(programs).view(np.int64), where(programs, field)
    return block[first : first + count * words].reshape(count, words)


class Words(NamedTuple):
    """The numbers of a record, and what they point to."""

    numbers: tuple[int, ...]
    alive: tuple[Any, ...]


def says(guard: Guard) -> int:
    """What a guard says of its contact point; nothing where it only ends a mode. None that Python answers."""
    if guard.kind in ("turn", "skew", "law"):
        return 0
    return SAYS[guard.kind] | (CLEARED if guard.kind == "touch" and guard.height > 0.0 else 0)


def is_answered(guard: Guard) -> bool:
    """Whether machine code can answer a guard of a contact point."""
    return guard.kind in SAYS or guard.kind in ("turn", "skew", "law")


def watch_words(point: ContactPoint, form: Form) -> Words | None:
    """What watches a contact point in a form, of which its piece is made; none where Python is asked. The point keeps
    it."""
    known: Words | None = point.watched.get(("words", form))
    if known is None:
        s = ContactStates([point], leaving_depths={point: 0} if form.form == LEAVING else {})
        guards = contact_guards(s, point, form)
        if not all([is_answered(guard) for guard in guards]):
            return None
        known = point.watched["words", form] = _watch_words(point.watched[form], guards)
    return known


def _watch_words(piece: Piece, guards: Sequence[Guard]) -> Words:
    said = np.array([says(guard) for guard in guards], dtype=np.int64)
    kinds = np.array([usual_kind(guard) for guard in guards], dtype=np.int64)
    heights, units = np.array([guard.height for guard in guards]), np.array([guard.unit for guard in guards])
    widest = max([function.width for function in piece.functions], default=0)
    numbers = in_order(GuardPrograms, guards=len(guards), slots=len(piece.slots), widest=widest,
                       by_acceleration=int(piece.by_acceleration), word=address(piece.words), z=address(piece.slots),
                       says=address(said), kind=address(kinds), height=address(heights),
                       unit=address(units))  # fmt: skip
    return Words(numbers, (piece, said, kinds, heights, units))


def source_words(terms: Terms) -> Words:
    """The numbers of `SourcePrograms` of rows that have one source; the terms keep them."""
    known: Words | None = terms.frames.get("words")
    if known is None:
        (source,) = terms.sources
        place, bias, moves = source.place, source.bias, [node != ZERO for node in terms.rows.C_nodes]
        words = np.array(in_order(RowSource, place=evaluator_at(place), bias=evaluator_at(bias), given=source.given,
                                  held=0, first=0, place_at=0, bias_at=0, found_at=0), dtype=np.int64)  # fmt: skip
        slots, still = np.concatenate([place.workspace(), bias.workspace()]), terms.flags
        numbers = in_order(SourcePrograms, known=1, given=source.given, place_slots=place.slots + 1,
                           bias_slots=bias.slots + 1, first_moves=int(any(moves[:1])), moves=int(any(moves)),
                           length=place.length + bias.length, word=address(words), z=address(slots),
                           still=address(still))  # fmt: skip
        known = terms.frames["words"] = Words(numbers, (place, bias, words, slots, still))
    return known


def friction_words(point: ContactPoint, zones: tuple[int, ...]) -> Words:
    """The numbers of `FrictionPrograms` of a contact point in some zones; the point keeps them."""
    known: Words | None = point.watched.get(("friction", zones))
    if known is None:
        slider = point.slider(0, 0, (), dict(zip(point.zones, zones, strict=True)))
        laid, length = slider_layout([slider]), sum([function.length for function in slider.functions])
        numbers = in_order(FrictionPrograms, known=1, slots=len(laid.z), length=length, word=address(laid.words),
                           z=address(laid.z))  # fmt: skip
        known = point.watched["friction", zones] = Words(numbers, (slider, laid))
    return known


class ModeMemory:
    """The programs of modes of some contact points, with constraints held besides, and memory to lay them out in."""

    def __init__(self, memory: SceneMemory, held: Terms, holds: bool, points: Sequence[ContactPoint],
                 user: Sequence[Guard], rest: int) -> None:  # fmt: skip
        scene, (n_q, n, _) = memory.scene, held.sizes
        self._memory, self._base = memory, held.base
        self._side: Function | None = None
        self._zones = list(zones_in(ContactStates([*points], zones=dict.fromkeys(memory.zones(), 0))).items())
        placements = [placement(kind) for kind in (EmbeddedMode, GuardTable, RowSources, SpeedChoice, IntegrationBlock)]
        modes, guards, rows, choices, blocks = placements
        self.programs = programs = lay_out(
            ModePrograms, contacts=scene.contacts, laws=scene.laws, zones=len(self._zones), n_q=n_q, n=n, n_rest=rest,
            most_rows=min(len(held.rows) + ROWS_OF_POINT * scene.contacts, MAX_ROWS),
            holds=int(holds), user_guards=len(user), scratch=SCRATCH, mode_arrays=modes,
            guard_arrays=guards, row_arrays=rows, choice_arrays=choices, block_arrays=blocks,
        )  # fmt: skip
        np.asarray(programs.user_kinds)[:] = [usual_kind(guard) for guard in user]
        self._plain, self._most_guards = np.asarray(programs.plain), np.asarray(programs.most_guards)
        self._alive: list[Any] = [placements]
        self._laws: dict[ContactPoint, tuple[int, list[int]]] = {}  # the first of each, and strides of its zones
        self._friction = record_words(programs, "friction", scene.laws)
        self._watch = record_words(programs, "watch", OPEN_FORMS * scene.contacts + CLOSED_FORMS * scene.laws)
        self._put_base(held)
        write(programs.constraints, *self._numbers(source_words(held)))
        self.take_in(points)
        for i, (zone, point) in enumerate(self._zones):
            self._put_zone(i, zone, point)
        self._workspaces, self._arrivals, self.arena = -1, -1, np.empty(0, dtype=np.int64)
        self._next, self._written = self.arena, 0  # the arena after this one, and how much of it was written to

    # --- programs -----------------------------------------------------------------------------------------------

    def _numbers(self, words: Words) -> tuple[int, ...]:
        """The numbers of a record; what they point to stays alive."""
        self._alive.append(words)
        return words.numbers

    def _kept(self, *arrays: NDArray[Any]) -> list[int]:
        """The addresses of arrays that stay alive."""
        self._alive += arrays
        return [address(each) for each in arrays]

    def _put_base(self, held: Terms) -> None:
        base, plain, slides = held.base, executors, sliding_executors
        motion, spread, fours = base.motion, base.spread, np.array(quaternions(held), dtype=np.int64)
        motion_z, spread_z, quaternion, unit_q, unit_u, aside = self._kept(
            motion.workspace(), spread.workspace(), fours, np.array(base.units.q, dtype=float),
            np.array(base.units.u, dtype=float), held.asides,
        )  # fmt: skip
        kernels: dict[str, Kernel[..., Any]] = {
            "step": plain.embedded, "look": plain.look, "step_sliding": slides.embedded, "look_sliding": slides.look,
            "look_freely": plain.look_freely, "guards": look_at_guards, "settle": settle, "judge": pivot,
            "expand": plain.expand, "forces": plain.forces, "expand_sliding": slides.expand,
            "forces_sliding": slides.forces,
        }  # fmt: skip
        write(
            self.programs.base, motion=motion.entry, motion_code=motion.where[0], motion_z=motion_z,
            motion_slots=motion.slots + 1, motion_width=motion.width, motion_length=motion.length,
            spread=spread.entry, spread_code=spread.where[0], spread_z=spread_z, spread_slots=spread.slots + 1,
            side=0, side_code=0, side_z=0, side_slots=0, side_length=0, inputs=len(motion.inputs),
            turning=len(fours) // 4, quaternion=quaternion, unit_t=float(base.scales.time), unit_q=unit_q,
            unit_u=unit_u, aside=aside, size=math.sqrt(base.scales.energy),
            **{name: native(kernel).address for name, kernel in kernels.items()},
        )  # fmt: skip

    def put_side(self, function: Function) -> None:
        """ẋ where nothing holds."""
        if self._side is None:
            self._side, programs = function, self.programs.base
            programs.side, programs.side_code = function.entry, address(function.code)
            programs.side_slots, programs.side_length = function.slots + 1, function.length
            z = function.workspace()
            programs.side_z = z
            self._alive.append(z)

    def take_in(self, points: Sequence[ContactPoint]) -> None:
        """Take in contact points of the scene, with what each has by now."""
        for point in points:
            if point not in self._laws:
                self._put_point(point)

    def _put_point(self, point: ContactPoint) -> None:
        """What a contact point has by now."""
        i, small = self._memory.places[point], point.tolerances
        contact = self._memory.scene.contact[i]
        self._laws[point] = contact.first_law, list(contact.stride)
        programs = self.programs.contact[i]
        programs.clear, programs.closed, programs.wider, programs.tensile = (
            small.clear, small.closed, small.wider, small.tensile)  # fmt: skip
        for form in [form for form in point.watched if type(form) is Form]:
            self._put_watch(point, form)
            if form.slides != NO_SLIP:
                self._put_friction(point, form.zones)
        if "terms" in point.__dict__:
            self._put_rows(i, point)

    def _put_rows(self, i: int, point: ContactPoint) -> None:
        """Its rows, once."""
        rows = self.programs.contact[i].rows
        if point.has_rows and not rows.known:
            write(rows, *self._numbers(source_words(point.terms)))

    def _put_friction(self, point: ContactPoint, zones: tuple[int, ...]) -> None:
        """Its friction in some zones, once."""
        place = self._law(point, zones)
        needs_force = point.without_normal and not point.is_pressed
        if self._friction[place, IS_KNOWN] or (needs_force and "force_function" not in point.__dict__):
            return
        self._friction[place] = self._numbers(friction_words(point, zones))

    def _law(self, point: ContactPoint, zones: tuple[int, ...]) -> int:
        """The place of its law in some zones."""
        first, stride = self._laws[point]
        return first if not zones else int(first + sum([i * stride[k] for k, i in enumerate(zones)]))

    def _put_watch(self, point: ContactPoint, form: Form) -> None:
        """What watches a contact point in a form, once."""
        law = self._law(point, form.zones) if form.form == CLOSED else 0
        if form.form == CLOSED:
            cones = point.tolerances.cone, point.tolerances.cone_in_space
            self.programs.contact[self._memory.places[point]].cone = cones[len(point.tangents) != 1]
        place = place_of_form(self.programs.contacts, self._memory.places[point], law, form.form, int(form.sticks),
                              form.slides)  # fmt: skip
        words = None if self._watch[place, ANY_GUARDS] else watch_words(point, form)
        if words is not None:
            self._watch[place] = self._numbers(words)

    def _put_zone(self, i: int, zone: Zones, point: ContactPoint) -> None:
        function, by_acceleration = zone_program(point, zone)
        (z,) = self._kept(function.workspace())
        self._alive.append(function)
        write(self.programs.zone[i], place=self._memory.zone(zone), bounds=len(zone.bounds), run=evaluator_at(function),
              slots=function.slots + 1, widest=function.width, by_acceleration=int(by_acceleration),
              unit=point.scales.length, z=z)  # fmt: skip

    def enter(self, s: ContactStates, rows: int | None, user: Function | None) -> None:
        """All that a mode needs that was laid out in Python: its contact states, its rows, and a user's guards."""
        sliding = s.sliding()
        for point, form in zip(s.contact_points, forms_in(s), strict=True):
            self._put_watch(point, form)
            if point in s.closed:
                self._put_rows(self._memory.places[point], point)
            if point in sliding:
                self._put_friction(point, form.zones)
        place = 0 if rows is None else 1 + rows
        if user is not None and place < self.programs.most_rows + 2 and not self.programs.user[place].known:
            (z,) = self._kept(user.workspace())
            self._alive.append(user)
            write(self.programs.user[place], known=1, run=evaluator_at(user), slots=user.slots + 1, widest=user.width,
                  z=z)  # fmt: skip

    def said(self, guard: Guard) -> tuple[int, int, int]:
        """What a guard says, of which contact point or zone, and a step."""
        if guard.kind == "zone":
            return ZONE, self._memory.zone(guard.about), guard.step
        if not is_answered(guard) or guard.about not in self._memory.places:
            return ASK, 0, 0
        return says(guard), self._memory.places[guard.about], 0

    # --- memory -------------------------------------------------------------------------------------------------

    def ready(self, integrations: ModeIntegrations) -> None:
        """Take machine code that has arrived, workspaces that were made, and memory where little is left."""
        programs, arrivals = self.programs, Function.arrivals
        if self._arrivals != arrivals:
            self._arrivals = programs.arrivals = arrivals
            base: Any = programs.base
            base.motion, base.spread = self._base.motion.entry, self._base.spread.entry
            base.side = 0 if self._side is None else self._side.entry
        programs.operations, programs.fewest = problem.OPERATIONS_PER_CALL, problem.FEWEST
        if self._workspaces != integrations.made:
            self._workspaces = integrations.made
            self._plain[:] = 0
            for n, workspace in integrations.workspaces.items():
                self._plain[n], self._most_guards[n] = workspace.at[0], workspace.guards
        self._take_memory()

    def _take_memory(self) -> None:
        """Take another arena where little is left of this one. It has been written to, part by part as this one was
        used: no mode waits for its pages, and no call for all of them."""
        programs = self.programs
        least = max(programs.wanted, programs.room // FULL)
        size = max(ARENA, 4 * programs.wanted)
        used = programs.used / max(programs.room - least, 1) if len(self.arena) else 1.0
        if len(self._next) < size:
            self._next, self._written = np.empty(size, dtype=np.int64), 0
        until = min(int(used * len(self._next)), len(self._next))
        self._next[self._written : until], self._written = 0, max(until, self._written)
        if used >= 1.0:
            self.arena, self._next, self._written = self._next, np.empty(0, dtype=np.int64), 0
            programs.arena, programs.room, programs.used = address(self.arena), len(self.arena), 0

    def words_at(self, at: int, count: int) -> NDArray[np.int64]:
        """So many words of memory at an address."""
        first = (at - self.programs.arena) // self.arena.itemsize
        return self.arena[first : first + count]

    def numbers_at(self, at: int, count: int) -> Array:
        """So many numbers of memory at an address."""
        return self.words_at(at, count).view(np.float64)

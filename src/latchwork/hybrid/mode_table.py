"""Workshop: where equations are made ready for a run. Rows, guards and friction become programs, modes become stages.

What is symbolic (`Prepared`) depends on what holds, not on the state: it is made when first met, or ahead of time, and
remembered by content. What is numerical (independent speeds, shares of redundant forces) is chosen at the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from latchwork.algebra.elimination import lu
from latchwork.constraint.consistency import at_time
from latchwork.constraint.constraint import Constraint
from latchwork.constraint.embedded import executors, layout, sliding_executors
from latchwork.constraint.embedded.final_state import whole
from latchwork.constraint.embedded.friction_rows import FrictionRows
from latchwork.constraint.embedded.layout import frame_of
from latchwork.constraint.embedded.mode import Mode, selected_mode
from latchwork.constraint.embedded.projection import settle
from latchwork.constraint.rows import joined, rows_of
from latchwork.constraint.scales import Scales
from latchwork.constraint.selection import must_agree, worst_entry
from latchwork.constraint.selection_kernel import kept_arguments, select_speeds_kernel, selected_speeds
from latchwork.constraint.singular import choose_regular, mode_beside
from latchwork.constraint.terms import Base, Terms, base_of, terms_of
from latchwork.contact.law import Contact
from latchwork.contact.tolerances import tolerances_in
from latchwork.errors import EvaluationError
from latchwork.hybrid.contacts.contact_point import ContactPoint, Fixed
from latchwork.hybrid.contacts.contact_state import ContactStates, closings, every_zone, slides_in_space
from latchwork.hybrid.contacts.friction import drag_in, share_in
from latchwork.hybrid.contacts.guards import Guard, Guards, contact_guards, zone_guards
from latchwork.hybrid.contacts.reset import Resets
from latchwork.hybrid.contacts.reset_kernel import reset
from latchwork.hybrid.contacts.step_limit import Pacing, longest_at
from latchwork.hybrid.designs import Simulating
from latchwork.hybrid.flow_memory import FlowMemory
from latchwork.hybrid.guard_programs import Part, Watching
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.laps import Laps
from latchwork.hybrid.mode_equations import GOOD, Held, Unconstrained
from latchwork.hybrid.path import Stage
from latchwork.hybrid.right_side import RightSide, unconstrained
from latchwork.hybrid.row_inputs import inputs_in_rows
from latchwork.hybrid.rules import Rules, rule_guards
from latchwork.hybrid.table import Array
from latchwork.integrate.stepper import steps
from latchwork.integrate.workspace import Memory
from latchwork.program.function import Function
from latchwork.program.linking import join
from latchwork.program.native import native
from latchwork.symbolic.expr import Expr

REMEMBERED, PARTS = 400, 4000  # stages, and what they are made of
NO_ROWS = slice(0, 0)
KERNELS = (
    executors.embedded, sliding_executors.embedded, settle, steps, lu, whole, select_speeds_kernel, join, worst_entry,
    longest_at, layout.choose, reset,
)  # fmt: skip


class Hold(NamedTuple):
    """A constraint that holds: whether it always does, and the size of its force beyond which it lets go."""

    constraint: Constraint
    permanent: bool
    limit: float | None
    latched: float | None = None  # the value that its expression has kept since a rule latched it


Holds = Mapping[str, Hold]


class Prepared(NamedTuple):
    """The symbolic part of a mode: its rows (none where nothing holds), friction, guards, and their program."""

    terms: Terms | None
    friction_rows: FrictionRows | None
    guards: Guards
    watch: Function | None


class LaidOut(NamedTuple):
    """The equations of a mode, what watches them, and the rows (t, q, u, rest) at which its speeds were chosen first
    and its redundant forces were shared last."""

    stage: Stage
    guards: Guards
    rows: tuple[Array, ...]


Stages = Mapping[Any, LaidOut]
Embedding = tuple[Terms | None, FrictionRows | None]  # rows that hold, none where nothing does, and what drags


class ModeTable:
    """Programs and stages of one mechanism, as it is driven, for one design of simulator."""

    def __init__(self, driven: Driven, design: Simulating) -> None:
        self.driven, self.design = driven, design
        self._terms: dict[tuple[Constraint, ...], Terms] = {}
        self._functions: dict[Any, tuple[Function, Function]] = {}  # place and bias, by the nodes of rows
        self._prepared: dict[Any, Prepared] = {}
        self._ready: tuple[Terms, tuple[FrictionRows | None, bytes], tuple[Mode, bool]] | None = None
        self._drags: dict[Any, FrictionRows] = {}
        self._embeddings: dict[Any, Embedding] = {}
        self._watching = Watching(driven)
        self._memory = Memory()
        self._with_inputs: tuple[Any, tuple[int, ...]] | None = None
        self.laps = Laps()
        self._flow: FlowMemory | None = None

    @cached_property
    def base(self) -> Base:
        """The programs of the unconstrained equations."""
        d, equations = self.driven, self.driven.equations
        return base_of(equations, d.power, d.laws, (d.arguments[0], *equations.q, *equations.u, *d.held))

    @cached_property
    def resets(self) -> Resets:
        """What happens where guards of contacts fall."""
        return Resets(self.base, tolerances_in(Scales()))

    def flow_of(self, holds: Holds, contact_points: Sequence[ContactPoint], stops: Mapping[str, Any],
                rest: int) -> FlowMemory:  # fmt: skip
        """The memory of runs among the modes of some contact points and constraints; the last one is kept."""
        held = self.held(holds)
        if self._flow is None or not self._flow.serves(self.resets, held, contact_points, stops):
            self._flow = FlowMemory(self.base, self.resets, self.pacing, held, contact_points, stops, rest)
        return self._flow

    @cached_property
    def side(self) -> RightSide:
        """ẋ where nothing holds."""
        return unconstrained(self.driven)

    @property
    def energy(self) -> Function:
        """K + V of (t, q, u, rest)."""
        return self.driven.energy

    @cached_property
    def pacing(self) -> Pacing:
        """Steps that gaps can follow."""
        return Pacing(self.base)

    def get_ready(self, free: bool) -> None:
        """Make now what the first switch would have to wait for: kernels of modes and, where ``free``, the equations
        without constraints."""
        for kernel in KERNELS:
            native(kernel)
        if free:
            with suppress(EvaluationError):  # speeds without mass: something always holds them
                _ = self.side

    def know(self, contact_point: ContactPoint, free: bool, holds: Holds, slides: bool) -> None:
        """Find now how the gap of a contact changes, as it is watched where it is open or has just opened; its rows and
        its friction as it slides and sticks, besides what holds and, where ``free``, alone; and how what watches them
        changes. In space, as it ``slides`` only where that is asked for."""
        contact_point.get_ready()
        _ = self._held_names
        others: list[Holds] = [*([holds] if holds else []), *([{}] if free else [])]
        for zones in every_zone(contact_point):
            contact_point.law_in(zones)
            for contact_state in (
                *closings(contact_point, zones),
                *(slides_in_space(contact_point, zones) if slides else ()),
            ):
                for held in others:
                    self._know_closed(
                        held, ContactStates([contact_point], {contact_point: contact_state}, zones=zones), contact_point
                    )
        opens = ContactStates([contact_point]), ContactStates([contact_point], leaving_depths={contact_point: 0})
        opened = [contact_guards(each, contact_point, ()) for each in opens]
        bounds = [
            zone_guards(contact_point, zone, i) for zone in contact_point.zones for i in range(1 + len(zone.bounds))
        ]
        for guards in (*opened, *bounds):
            self._watching.part(guards, 0)
            if free:
                with suppress(EvaluationError):
                    self._watching.part(guards, None)

    def _know_closed(self, holds: Holds, contact_states: ContactStates, contact_point: ContactPoint) -> None:
        terms, friction_rows = self._embedding(tuple(holds.items()), contact_states.key, holds, contact_states)
        if terms is None:
            with suppress(EvaluationError):
                self._watching.part(contact_guards(contact_states, contact_point, ()), None)
            return
        kept_arguments(terms)
        _, n, rows = terms.sizes
        if rows <= n:
            frame_of(terms, rows, n - rows, len(self.driven.held), friction_rows)
        own = terms.rows.slices.get(contact_point.name, NO_ROWS)
        self._watching.part(
            contact_guards(contact_states, contact_point, self._watching.multipliers(rows)[own]), own.stop
        )

    # --- symbols ------------------------------------------------------------------------------------------------

    def terms_of(
        self, constraints: tuple[Constraint, ...], contact_points: Mapping[Constraint, ContactPoint] | None = None
    ) -> Terms:
        """The programs of some rows; those of contacts are known already."""
        found = self._terms.get(constraints)
        if found is None:
            make_room(self._terms, PARTS)
            found = self._terms[constraints] = self._new_terms(constraints, contact_points or {})
        return found

    def _new_terms(
        self, constraints: tuple[Constraint, ...], contact_points: Mapping[Constraint, ContactPoint]
    ) -> Terms:
        if not contact_points:
            return terms_of(rows_of(self.driven.equations, constraints, self.base.laws), self.base)
        if len(constraints) == 1:
            return contact_points[constraints[0]].terms_of(constraints[0])
        others = tuple(k for k in constraints if k not in contact_points)
        parts = [contact_point.rows(k) for k, contact_point in contact_points.items()]
        rows = joined([*([self.terms_of(others).rows] if others else []), *parts])
        nodes = rows.phi, rows.B_nodes, rows.C_nodes, rows.c_nodes
        known = self._functions.get(nodes)  # however a contact slides, its row is the same
        made = terms_of(rows, self.base) if known is None else Terms(rows, self.base, *known)
        make_room(self._functions, PARTS)
        self._functions[nodes] = made.place_function, made.bias_function
        return made

    def held(self, holds: Holds) -> Terms:
        """The rows of all constraints that hold, contacts apart."""
        return self.terms_of(tuple([hold.constraint for hold in holds.values()]) if holds else ())

    def inputs_in_rows(self, holds: Holds, contacts: tuple[Contact, ...]) -> tuple[int, ...]:
        """Where in ``rest`` the inputs stand on which rows of what holds, and belts of contacts, depend."""
        key = tuple(holds.items()), contacts
        if self._with_inputs is None or self._with_inputs[0] != key:
            self._with_inputs = key, inputs_in_rows(self.driven, self.held(holds).rows, contacts)
        return self._with_inputs[1]

    def key(self, holds: Holds, contact_states: ContactStates, rules: Rules, stops: Mapping[str, Any]) -> Any:
        """What equations and guards are made of."""
        armed = rules.armed((*holds, *contact_states.told)) if rules else ()
        return tuple(holds.items()), contact_states.whole_key, tuple(stops.items()), armed

    def is_prepared(self, holds: Holds, contact_states: ContactStates, rules: Rules, stops: Mapping[str, Any]) -> bool:
        return self.key(holds, contact_states, rules, stops) in self._prepared

    def prepared(self, holds: Holds, contact_states: ContactStates, rules: Rules, stops: Mapping[str, Any]) -> Prepared:
        """The symbolic part of a mode, made when first asked for."""
        return self._prepared_for(self.key(holds, contact_states, rules, stops), holds, contact_states, stops)

    def _prepared_for(
        self, key: Any, holds: Holds, contact_states: ContactStates, stops: Mapping[str, Any]
    ) -> Prepared:
        found = self._prepared.get(key)
        if found is None:
            make_room(self._prepared)
            found = self._prepared[key] = self._prepare(key, holds, contact_states, stops)
        return found

    def _prepare(self, key: Any, holds: Holds, contact_states: ContactStates, stops: Mapping[str, Any]) -> Prepared:
        held, (closed, *_), _, armed = key
        first = [Guard("stop", name, value) for name, value in stops.items()]
        terms, friction_rows = self._embedding(held, closed, holds, contact_states)
        if terms is None:
            rules = rule_guards(armed, contact_states.forces({})) if armed else []
            parts = [(first, 0), *_contact_parts(contact_states, {}, []), (rules, 0)]
            return Prepared(None, None, _guards(parts), self._watching.free(parts))
        rows, slices = len(terms.rows), terms.rows.slices
        lam = self._watching.multipliers(rows)
        for name, hold in holds.items():
            if hold.limit is not None:
                squares = sum((force**2 for force in lam[slices[name]]), start=lam[0] * 0.0)
                first.append(Guard("limit", name, 1.0 - squares / (hold.limit * hold.limit), True))
        rules = []
        if armed:
            forces = contact_states.forces({name: lam[part] for name, part in slices.items()})
            rules = rule_guards(armed, dict(zip(terms.rows.names, lam, strict=True)) | forces)
        parts = [(first, rows), *_contact_parts(contact_states, slices, lam), (rules, rows)]
        return Prepared(terms, friction_rows, _guards(parts), self._watching.held(parts, rows))

    def _embedding(self, held: Any, closed: Any, holds: Holds, contact_states: ContactStates) -> Embedding:
        """The rows of what holds and is closed, and what drags; ``held`` and ``closed`` are what it depends on."""
        found = self._embeddings.get((held, closed))
        if found is None:
            make_room(self._embeddings)
            found = self._embeddings[held, closed] = self._embedded(holds, contact_states)
        return found

    def _embedded(self, holds: Holds, contact_states: ContactStates) -> Embedding:
        contact_points = contact_states.constraints()
        constraints = (*(hold.constraint for hold in holds.values()), *contact_points)
        dragging = dict(contact_states.dragging())
        if not constraints and not dragging:
            return None, None
        terms = self.terms_of(constraints, contact_points)
        fixed = [contact_point.fixed_in(contact_states.closed[contact_point].way) for contact_point in dragging]
        return terms, self._drag(terms, dragging, fixed)

    def _drag(
        self, terms: Terms, dragging: Mapping[ContactPoint, list[int]], fixed: Sequence[Fixed]
    ) -> FrictionRows | None:
        """What drags in a mode of these rows, remembered; ways in space are held in one program for all of them."""
        if not dragging:
            return None
        key = tuple([(contact_point, *nodes) for contact_point, nodes in dragging.items()])
        values = [value for _, way in fixed for value in way]
        known = self._drags.get(key if values else (terms, key))
        if known is not None and not values:
            return known
        symbols, function = [s for symbols, _ in fixed for s in symbols], None if known is None else known.function
        found = drag_in(terms, dragging, symbols, function)
        if known is None:
            make_room(self._drags, PARTS)
            self._drags[key if values else (terms, key)] = found
        return replace(found, function=found.function.bound(values)) if values else found

    # --- numbers ------------------------------------------------------------------------------------------------

    def mode(self, terms: Terms, x: Array, friction_rows: FrictionRows | None = None) -> tuple[Mode, bool]:
        """The mode of some rows at x = (t, q, u, rest), and whether that position is regular; the last one is kept."""
        here, last = (friction_rows, x.tobytes()), self._ready
        if last is None or last[0] is not terms or last[1] != here:
            last = self._ready = terms, here, self._new_mode(terms, x, friction_rows)
        return last[2]

    def _new_mode(self, terms: Terms, x: Array, friction_rows: FrictionRows | None) -> tuple[Mode, bool]:
        quick = selected_speeds(terms, x)
        if quick is not None:
            return selected_mode(terms, quick, x, self._held_names, friction_rows), True
        place, motion = terms.place(x), terms.motion(x)
        n_q, n, _ = terms.sizes
        moving = terms.usual_rows(x), x[1 + n_q : 1 + n_q + n]
        must_agree(terms.rows.names, place.B, place.C, motion.M, at_time(x), motion.c, moving)
        chosen, regular = choose_regular(terms, x)
        return mode_beside(terms, chosen, x, regular, self._held_names, friction_rows), regular is x

    @cached_property
    def _held_names(self) -> tuple[str, ...]:
        return tuple(symbol.name for symbol in self.driven.held)

    def stage(self, key: Any, holds: Holds, contact_states: ContactStates, stops: Mapping[str, Any], x: Array,
              known: Stages) -> Stages:  # fmt: skip
        """The equations of modes, by key, with those of what holds at x: as they are known, where they suit x."""
        found = known.get(key)
        if found is not None and still_good(found.stage, x):
            return known
        stages = {**known}
        make_room(stages)
        stages[key] = self.laid_out(key, holds, contact_states, stops, x, found)
        return stages

    def laid_out(self, key: Any, holds: Holds, contact_states: ContactStates, stops: Mapping[str, Any], x: Array,
                 before: LaidOut | None) -> LaidOut:  # fmt: skip
        """A mode laid out at x, in the speeds that it had ``before`` where they are held all the same."""
        terms, friction_rows, guards, watch = self._prepared_for(key, holds, contact_states, stops)
        if terms is None:
            stage = Unconstrained(self.side, watch, names=contact_states.labels, memory=Memory(self._memory))
            return LaidOut(stage, guards, (x.copy(),))
        again = None if before is None else _at_rest_again(before.stage, x)
        rows = (x.copy(),) if before is None or again is None else (before.rows[0], x.copy())
        mode, regular = again or self.mode(terms, x, friction_rows)
        share = share_in(mode, contact_states) if contact_states.closed else None
        if share is not None:
            mode = replace(mode, share=share)
        alone = not contact_states.contact_points and not contact_states.members
        known = regular and alone and all(hold.permanent for hold in holds.values())
        label = (*holds, *contact_states.labels)
        return LaidOut(self.design.stage(self.driven, mode, watch, known, label, Memory(self._memory)), guards, rows)


def _at_rest_again(stage: Stage, x: Array) -> tuple[Mode, bool] | None:
    """The mode of a stage that holds every speed, with rows that say nothing new, where its choice is good still."""
    if type(stage) is not Held or stage.mode.share is None:
        return None
    mode = stage.mode
    n_q, n, _ = mode.terms.sizes
    if mode.selection.rank < n or not stage.pivot(x) > GOOD * mode.usual_pivot:
        return None
    place, motion = mode.terms.place(x), mode.terms.motion(x)
    moving = mode.terms.usual_rows(x), x[1 + n_q : 1 + n_q + n]
    must_agree(mode.terms.rows.names, place.B, place.C, motion.M, at_time(x), motion.c, moving)
    return replace(mode, share=None, numbers=place.B, course=x[1 + n_q : 1 + n_q + n].copy()), True


def make_room(known: dict[Any, Any], most: int = REMEMBERED) -> None:
    """Forget the oldest where there is no room for another."""
    if len(known) >= most:
        known.pop(next(iter(known)))


def still_good(stage: Stage, x: Array) -> bool:
    """Whether the speeds of a stage that was met before suit the state now, and shares of forces do not matter."""
    return not isinstance(stage, Held) or stage.pivot(x) > least_pivot(stage)


def least_pivot(stage: Stage) -> float:
    """How good the speeds of a stage that was met before must be; no speeds are where shares of forces matter."""
    if not isinstance(stage, Held):
        return 0.0
    return GOOD * stage.mode.usual_pivot if stage.mode.share is None else np.inf


def _contact_parts(contact_states: ContactStates, slices: Mapping[str, slice], lam: Sequence[Expr]) -> list[Part]:
    """What watches each contact, then the zones."""
    parts: list[Part] = []
    for contact_point in contact_states.contact_points:
        own = slices.get(contact_point.name, NO_ROWS)
        parts.append((contact_guards(contact_states, contact_point, lam[own]), own.stop))
    if not contact_states.zones:
        return parts
    zones = {zone: contact_point for contact_point in contact_states.contact_points for zone in contact_point.zones}
    return [
        *parts,
        *[(zone_guards(contact_point, zone, contact_states.zones[zone]), 0) for zone, contact_point in zones.items()],
    ]


def _guards(parts: Sequence[Part]) -> Guards:
    return Guards(chain.from_iterable([guards for guards, _ in parts]))

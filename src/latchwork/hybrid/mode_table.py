"""Mode table: the equations and guards of each combination of constraints and contact states, laid out when met.

A constraint, or a contact, is compiled when it is described: its rows, friction and guards are programs of its own. A
mode lists them (`ModeContents`), with numbers such as slip directions; nothing is derived for it. Independent speeds
and shares of redundant forces are chosen at the state.
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
from latchwork.constraint.embedded import executors, mode_block, sliding_executors
from latchwork.constraint.embedded.final_state import whole
from latchwork.constraint.embedded.mode import Mode, selected_mode
from latchwork.constraint.embedded.mode_block import Watch, frame_of
from latchwork.constraint.embedded.projection import settle
from latchwork.constraint.embedded.slider import ENFORCED, Slider
from latchwork.constraint.rows import joined, rows_of
from latchwork.constraint.selection import Selection, must_agree, worst_entry
from latchwork.constraint.selection_kernel import kept_arguments, select_speeds_kernel, selected_speeds
from latchwork.constraint.singular import choose_regular, mode_beside
from latchwork.constraint.terms import Base, Terms, base_of, terms_of
from latchwork.contact.law import Contact
from latchwork.contact.tolerances import Tolerances, tolerances_in
from latchwork.errors import EvaluationError
from latchwork.hybrid.closed_loop import Controlled
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactStates, closings, every_zone
from latchwork.hybrid.contacts.friction import share_in
from latchwork.hybrid.contacts.guard_table import (
    forms_in,
    functions_of,
    guard_table,
    guards_of,
    near_program,
    piece_of,
    zone_program,
)
from latchwork.hybrid.contacts.guard_values import look_at_guards
from latchwork.hybrid.contacts.guards import Guards, form_of
from latchwork.hybrid.contacts.reset_kernel import reset
from latchwork.hybrid.contacts.reset_requests import Resets
from latchwork.hybrid.contacts.step_limit import Pacing, longest_at
from latchwork.hybrid.designs import Simulating
from latchwork.hybrid.flow_memory import FlowMemory
from latchwork.hybrid.guard_programs import UserGuards
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.mode_dynamics import GOOD, Recombined, Unconstrained
from latchwork.hybrid.mode_integration import ModeIntegrations
from latchwork.hybrid.mode_layout.laid_out_mode import LaidOutMode, LaidOutModes
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.right_side import RightSide, unconstrained
from latchwork.hybrid.row_inputs import inputs_in_rows
from latchwork.hybrid.rules import Rules, Watched
from latchwork.hybrid.table import Array
from latchwork.integrate.problem import StateScales
from latchwork.integrate.stepper import steps
from latchwork.integrate.workspace import Memory
from latchwork.program.function import Function
from latchwork.program.native import native

REMEMBERED, PARTS = 400, 4000  # modes, and what they are made of
COMPILED = 500  # programs that are asked for at once: some ten seconds of the compiler beside
KERNELS = (
    executors.embedded, sliding_executors.embedded, settle, steps, lu, whole, select_speeds_kernel, look_at_guards,
    worst_entry, longest_at, mode_block.choose, reset,
)  # fmt: skip


class Hold(NamedTuple):
    """A constraint that holds: whether it always does, and the size of its force beyond which it lets go."""

    constraint: Constraint
    permanent: bool
    limit: float | None
    latched: float | None = None  # the value that its expression has kept since a rule latched it


Holds = Mapping[str, Hold]


class ModeContents(NamedTuple):
    """What a mode is made of: its rows (none where nothing holds), friction, guards, and what gives their numbers."""

    terms: Terms | None
    sliders: tuple[Slider, ...]
    guards: Guards
    watch: Watch | Function | None  # a function where nothing holds, and no contact is watched


Embedding = tuple[Terms | None, tuple[Slider, ...]]  # rows that hold, none where nothing does, and what slides


def programs_of(driven: Driven) -> Base:
    """The programs of unconstrained equations, as they are driven."""
    equations = driven.equations
    arguments = driven.arguments[0], *equations.q, *equations.u, *driven.rest
    return base_of(equations, driven.power, driven.laws, arguments)


class ModeTable:
    """Programs and modes of one mechanism, as it is driven, for one design of simulator."""

    def __init__(self, driven: Driven, design: Simulating) -> None:
        self.driven, self.design = driven, design
        self._terms: dict[tuple[Constraint, ...], Terms] = {}
        self._contents: dict[Any, ModeContents] = {}
        self._forms: dict[Any, Terms] = {}  # of constraints and contacts, whichever way they slide
        self._ready: tuple[Terms, tuple[tuple[Slider, ...], bytes], tuple[Mode, bool]] | None = None
        self._embeddings: dict[Any, Embedding] = {}
        self._asked: dict[Any, None] = {}  # contact points of which `know` was asked, and how
        self.user = UserGuards(driven)
        self.memory = Memory()
        self._with_inputs: tuple[Any, tuple[int, ...]] | None = None
        self._flow: FlowMemory | None = None

    @cached_property
    def base(self) -> Base:
        """The programs of the unconstrained equations, with the scales and units of the run."""
        base = programs_of(self.driven)
        return base if self.driven.measure is None else base.measured_by(self.driven.measure)

    def measure(self, base: Base) -> None:
        """Take programs that are made already, with the scales and units of the run."""
        if "base" not in self.__dict__ and self.driven.measure is not None:
            self.base = base.measured_by(self.driven.measure)

    @cached_property
    def integrations(self) -> ModeIntegrations:
        """Integrations of its modes, each set up once."""
        return ModeIntegrations(StateScales(self.base.scales.time, self.base.state_units, still=self.base.still))

    @property
    def tolerances(self) -> Tolerances:
        """Small numbers by which contacts are judged."""
        return tolerances_in(self.base.scales)

    @cached_property
    def resets(self) -> Resets:
        """What happens where guards of contacts fall."""
        return Resets(self.base, self.tolerances)

    def flow_of(self, holds: Holds, contact_points: Sequence[ContactPoint], stops: Mapping[str, Any],
                armed: tuple[Watched, ...], rest: int) -> FlowMemory:  # fmt: skip
        """The memory of runs among the modes of some contact points and constraints, with these rules ``armed``; the
        last one is kept."""
        self.resets.memory.hold(contact_points)
        if self._flow is None or not self._flow.serves(holds, contact_points, stops, armed):
            self._flow = FlowMemory(self, holds, contact_points, stops, armed, rest)
        self._flow.watch(contact_points)
        return self._flow

    @cached_property
    def side(self) -> RightSide:
        """ẋ where nothing holds."""
        return unconstrained(self.driven)

    @property
    def is_free_ready(self) -> bool:
        """Whether the equations without constraints are made."""
        return "side" in self.__dict__

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
                _ = self.side, self.free_mode.length

    def know(self, contact_point: ContactPoint, free: bool, holds: Holds) -> None:
        """Find now how the gap of a contact changes, as it is watched where it is open or has just opened; its rows and
        its friction as it slides and sticks, besides what holds and, where ``free``, alone; and how what watches them
        changes."""
        asked = contact_point, free, tuple(holds.items())
        if asked in self._asked:
            return
        make_room(self._asked)
        self._asked[asked] = None
        contact_point.get_ready()
        _ = self.held_names
        others: list[Holds] = [*([holds] if holds else []), *([{}] if free else [])]
        for zones in every_zone(contact_point):
            contact_point.laws.in_zones(zones)
            for contact_state in closings(contact_point, zones):
                for held in others:
                    self._know_closed(
                        held, ContactStates([contact_point], {contact_point: contact_state}, zones=zones), contact_point
                    )
        opens = ContactStates([contact_point]), ContactStates([contact_point], leaving_depths={contact_point: 0})
        for each in opens:
            piece_of(contact_point, each, form_of(each, contact_point))
        near_program(contact_point)
        for zone in contact_point.zones:
            zone_program(contact_point, zone)

    def _know_closed(self, holds: Holds, contact_states: ContactStates, contact_point: ContactPoint) -> None:
        if contact_point.feature.closed_with is not None:  # only another contact closes it
            piece_of(contact_point, contact_states, form_of(contact_states, contact_point))
            return
        terms, sliders = self.embedding(tuple(holds.items()), contact_states.key, holds, contact_states)
        piece_of(contact_point, contact_states, form_of(contact_states, contact_point))
        if terms is None:
            return
        kept_arguments(terms)
        _, n, rows = terms.sizes
        if rows <= n:
            frame_of(terms, rows, n - rows, len(self.driven.rest), sliders)

    # --- symbols ------------------------------------------------------------------------------------------------

    def terms_of(self, constraints: tuple[Constraint, ...]) -> Terms:
        """The programs of constraints, contacts apart."""
        found = self._terms.get(constraints)
        if found is None:
            make_room(self._terms, PARTS)
            rows = rows_of(self.driven.equations, constraints, self.base.laws)
            found = self._terms[constraints] = terms_of(rows, self.base)
        return found

    def _with_contacts(
        self,
        holds: tuple[Constraint, ...],
        contact_points: Mapping[Constraint, ContactPoint],
        enforced: tuple[ContactPoint, ...],
    ) -> Terms:
        """The rows of constraints, then of closed contacts, each by programs of its own; those of a combination are the
        same whichever way contacts slide. Contacts that the coordinates enforce, and that slide, hold no row, but give
        their tangents."""
        sticks = [(contact_point, k is contact_point.sticking) for k, contact_point in contact_points.items()]
        form = holds, tuple(sticks), enforced
        known = self._forms.get(form)
        if known is None:
            make_room(self._forms, PARTS)
            parts = [self.terms_of(holds)] if holds or not contact_points else []
            parts += [contact_point.terms_of(k) for k, contact_point in contact_points.items()]
            sources = [source for part in parts for source in part.sources]
            sources += [contact_point.source(0) for contact_point in enforced]
            known = self._forms[form] = Terms(joined([part.rows for part in parts]), self.base, tuple(sources))
        constraints = (*holds, *contact_points)
        return known if known.rows.constraints == constraints else known.with_constraints(constraints)

    def constraint_terms(self, holds: Holds) -> Terms:
        """The rows of all constraints that hold, contacts apart."""
        return self.terms_of(tuple([hold.constraint for hold in holds.values()]) if holds else ())

    def inputs_in_rows(self, holds: Holds, contacts: tuple[Contact, ...]) -> tuple[int, ...]:
        """Where in ``rest`` the inputs stand on which rows of what holds, and belts of contacts, depend."""
        key = tuple(holds.items()), contacts
        if self._with_inputs is None or self._with_inputs[0] != key:
            self._with_inputs = key, inputs_in_rows(self.driven, self.constraint_terms(holds).rows, contacts)
        return self._with_inputs[1]

    def key(self, holds: Holds, contact_states: ContactStates, rules: Rules, stops: Mapping[str, Any]) -> Any:
        """What equations and guards are made of."""
        armed = rules.armed((*holds, *contact_states.closed_names)) if rules else ()
        return self.key_of(holds, contact_states, armed, stops)

    def key_of(self, holds: Holds, contact_states: ContactStates, armed: tuple[Watched, ...],
               stops: Mapping[str, Any]) -> Any:  # fmt: skip
        """The same with the rules that are armed."""
        return tuple(holds.items()), contact_states.whole_key, tuple(stops.items()), armed

    def has_contents(self, holds: Holds, contact_states: ContactStates, rules: Rules, stops: Mapping[str, Any]) -> bool:
        return self.key(holds, contact_states, rules, stops) in self._contents

    def contents(self, holds: Holds, contact_states: ContactStates, rules: Rules,
                 stops: Mapping[str, Any]) -> ModeContents:  # fmt: skip
        """The symbolic part of a mode, made when first asked for."""
        return self._contents_for(self.key(holds, contact_states, rules, stops), holds, contact_states, stops)

    def _contents_for(
        self, key: Any, holds: Holds, contact_states: ContactStates, stops: Mapping[str, Any]
    ) -> ModeContents:
        found = self._contents.get(key)
        if found is None:
            make_room(self._contents)
            found = self._contents[key] = self._make_contents(key, holds, contact_states, stops)
        return found

    def _make_contents(self, key: Any, holds: Holds, contact_states: ContactStates,
                       stops: Mapping[str, Any]) -> ModeContents:  # fmt: skip
        held, (closed, *_), _, armed = key
        terms, sliders = self.embedding(held, closed, holds, contact_states)
        forms = forms_in(contact_states)
        own = guards_of(contact_states, forms)
        user = self.user.guards(None if terms is None else terms.rows, holds, contact_states, armed, stops)
        program = self.user.program(user, None if terms is None else len(terms.rows))
        guards = Guards([*own, *user])
        if not guards or (terms is None and not own):
            return ModeContents(terms, sliders, guards, program)
        slices = None if terms is None else terms.rows.slices
        return ModeContents(terms, sliders, guards, guard_table(contact_states, forms, len(guards), slices, program))

    def embedding(self, held: Any, closed: Any, holds: Holds, contact_states: ContactStates) -> Embedding:
        """The rows of what holds and is closed, and what slides; ``held`` and ``closed`` are what it depends on."""
        found = self._embeddings.get((held, closed))
        if found is None:
            make_room(self._embeddings)
            found = self._embeddings[held, closed] = self._embedded(holds, contact_states)
        return found

    def _embedded(self, holds: Holds, contact_states: ContactStates) -> Embedding:
        contact_points = contact_states.constraints()
        sliding = contact_states.sliding()
        if not holds and not contact_points and not sliding:
            return (self.constraint_terms({}) if isinstance(self.design, Controlled) else None), ()
        held = tuple([hold.constraint for hold in holds.values()])
        enforced = tuple([contact_point for contact_point in sliding if contact_point.without_normal])
        terms = self.constraint_terms(holds)
        if contact_points or enforced:
            terms = self._with_contacts(held, contact_points, enforced)
        own = [*contact_points.values(), *enforced]
        sources = {contact_point: len(terms.sources) - len(own) + i for i, contact_point in enumerate(own)}
        sliders = []
        for contact_point, slip in sliding.items():
            row = ENFORCED if contact_point.without_normal else terms.rows.slices[contact_point.name].start
            if contact_point.is_pressed and contact_point.feature.closed_with is not None:
                row = terms.rows.slices[contact_point.feature.closed_with.name].start
            sliders.append(contact_point.slider(sources[contact_point], row, slip, contact_states.zones))
        return terms, tuple(sliders)

    # --- numbers ------------------------------------------------------------------------------------------------

    def mode(self, terms: Terms, x: Array, sliders: tuple[Slider, ...] = ()) -> tuple[Mode, bool]:
        """The mode of some rows at x = (t, q, u, rest), and whether that position is regular; the last one is kept."""
        here, last = (sliders, x.tobytes()), self._ready
        if last is None or last[0] is not terms or last[1] != here:
            last = self._ready = terms, here, self._new_mode(terms, x, sliders)
        return last[2]

    def _new_mode(self, terms: Terms, x: Array, sliders: tuple[Slider, ...]) -> tuple[Mode, bool]:
        if not len(terms.rows) and not sliders:
            return self.free_mode, True
        quick = selected_speeds(terms, x)
        if quick is not None:
            return selected_mode(terms, quick, x, self.held_names, sliders), True
        place, motion = terms.place(x), terms.motion(x)
        n_q, n, _ = terms.sizes
        moving = terms.usual_rows(x), x[1 + n_q : 1 + n_q + n]
        must_agree(terms.rows.names, place.B, place.C, motion.M, at_time(x), motion.c, moving, terms.base.units.u,
                   terms.base.scales, terms.typical(x))  # fmt: skip
        chosen, regular = choose_regular(terms, x)
        return mode_beside(terms, chosen, x, regular, self.held_names, sliders), regular is x

    @cached_property
    def free_mode(self) -> Mode:
        """A mode without rows, as memory of guards where nothing holds."""
        terms, n = self.constraint_terms({}), len(self.driven.equations.u)
        free = Selection((), (), tuple(range(n)), ())
        none = np.zeros(0)
        return Mode(terms, free, self.held_names, np.ones(n), none, none, 0.0, np.zeros(n), np.zeros((0, n)))

    @cached_property
    def held_names(self) -> tuple[str, ...]:
        """The names of what is held."""
        return tuple(symbol.name for symbol in self.driven.rest)

    def with_mode(self, key: Any, holds: Holds, contact_states: ContactStates, stops: Mapping[str, Any], x: Array,
                  known: LaidOutModes) -> LaidOutModes:  # fmt: skip
        """The equations of modes, by key, with those of what holds at x: as they are known, where they suit x."""
        found = known.get(key)
        if found is not None and still_good(found.dynamics, x):
            return known
        return with_mode(known, key, self.laid_out(key, holds, contact_states, stops, x))

    def laid_out(self, key: Any, holds: Holds, contact_states: ContactStates, stops: Mapping[str, Any],
                 x: Array) -> LaidOutMode:  # fmt: skip
        """A mode laid out at x."""
        terms, sliders, guards, watch = self._contents_for(key, holds, contact_states, stops)
        if terms is None:
            look = replace(self.free_mode, watch=watch) if isinstance(watch, Watch) else watch
            dynamics = Unconstrained(self.side, look, names=contact_states.labels, memory=Memory(self.memory))
            return LaidOutMode(dynamics, guards, x.copy())
        assert not isinstance(watch, Function), "what holds is watched by a table"
        mode, regular = self.mode(terms, x, sliders)
        share = share_in(mode, contact_states) if contact_states.closed else None
        if share is not None:
            mode = replace(mode, share=share)
        alone = not contact_states.contact_points and not contact_states.members
        known = regular and alone and all(hold.permanent for hold in holds.values())
        label = (*holds, *contact_states.labels)
        return LaidOutMode(self.design.dynamics(self.driven, mode, watch, known, label, Memory(self.memory)), guards,
                           x.copy())  # fmt: skip


def compile_for(table: ModeTable, contact_points: Sequence[ContactPoint]) -> None:
    """Ask for machine code of the programs that modes of some contact points have by now, for a run without end."""
    side = [table.side.function] if table.is_free_ready else []
    points = [(*point.functions, *functions_of(point)) for point in contact_points]
    every = dict.fromkeys([table.base.motion, table.base.spread, *side, *chain.from_iterable(points)])
    for function in list(every)[:COMPILED]:
        function.compiled()


def make_room(known: dict[Any, Any], most: int = REMEMBERED) -> None:
    """Forget the oldest where there is no room for another."""
    if len(known) >= most:
        known.pop(next(iter(known)))


def with_mode(known: LaidOutModes, key: Any, laid: LaidOutMode) -> LaidOutModes:
    """The modes that a state knows, with one more."""
    modes = {**known}
    make_room(modes)
    modes[key] = laid
    return modes


def still_good(dynamics: ModeDynamics, x: Array) -> bool:
    """Whether the speeds of a mode that was met before suit the state now, and shares of forces do not matter."""
    return not isinstance(dynamics, Recombined) or dynamics.pivot(x) > least_pivot(dynamics)


def least_pivot(dynamics: ModeDynamics) -> float:
    """How good the speeds of a mode that was met before must be; no speeds are where shares of forces matter."""
    if not isinstance(dynamics, Recombined):
        return 0.0
    return GOOD * dynamics.mode.usual_pivot if dynamics.mode.share is None else np.inf

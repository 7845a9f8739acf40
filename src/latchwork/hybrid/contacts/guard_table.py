"""Guard tables: the guards of a mode as a record for `guard_values`, from programs that each contact has once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.embedded.mode_block import Watch
from latchwork.constraint.terms import Array, Base
from latchwork.contact.closest_point.search import LEAST
from latchwork.contact.closest_point.states import within_reach
from latchwork.contact.law import Contact, Zones
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.guard_values import (
    BEHIND,
    CLOSED,
    LEAVING,
    PLAIN,
    PRESSED,
    REACHED,
    TINY,
    GuardedContact,
    GuardedZone,
    GuardTable,
    look_at_guards,
)
from latchwork.hybrid.contacts.guards import Form, Guards, contact_guards, depth_shift, form_of, zone_guards
from latchwork.hybrid.stops import rates_in_accelerations
from latchwork.program.evaluator import evaluator_at
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.program.records.memory import blank, block_of, in_order, lay_out, size_of
from latchwork.program.records.shape import shape_of
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.traverse import reachable, rebuild

ROOM = 8  # numbers that a program of one contact gives, at least


class RateProgram(NamedTuple):
    """Values and rates of some expressions, a function of (t, q, u, rest, u̇), and whether u̇ is in them."""

    function: Function
    by_acceleration: bool


class Piece(NamedTuple):
    """The record of a contact in a form, but for what its state and its mode say; its slots and programs, and whether
    u̇ is in them."""

    words: NDArray[np.int64]
    slots: Array
    functions: tuple[Function, ...]
    by_acceleration: bool


class Slots:
    """Slots of programs, one after the other."""

    def __init__(self) -> None:
        self.parts, self.functions, self.size = [np.zeros(0)], list[Function](), 0

    def take(self, slots: Array, functions: Sequence[Function]) -> int:
        """Where slots of some programs begin."""
        at = self.size
        self.parts.append(slots)
        self.functions += functions
        self.size += len(slots)
        return at


def rate_program(base: Base, expressions: Sequence[Expr]) -> RateProgram:
    """Expressions of the model, then their rates, lowered."""
    equations, g = base.equations, base.equations.system.graph
    values, rates = rates_in_accelerations(equations, dict(enumerate(expressions)), base.laws, {})
    nodes = rebuild(g, [*values, *rates], base.laws)
    symbols = g.symbols
    used = any(symbols[i].kind == "acceleration" for i in reachable(g, nodes) if i in symbols)
    return RateProgram(Function(lower(g, nodes, (*base.arguments, *equations.system.u_rates))), used)


def _kept(contact_point: ContactPoint, key: Any, expressions: Any) -> RateProgram:
    """A program of a contact, made once."""
    known: RateProgram | None = contact_point.watched.get(key)
    if known is None:
        known = contact_point.watched[key] = rate_program(contact_point.base, expressions())
    return known


def near_program(contact_point: ContactPoint) -> RateProgram:
    """Its gap, and how far inside its domain it is."""
    feature = contact_point.feature
    return _kept(contact_point, "near", lambda: [feature.gap, *feature.within])


def surface_program(contact_point: ContactPoint) -> RateProgram | None:
    """Whether it is upright; of second order, and within reach, where it is tracked. None where there is nothing."""
    tracked, upright = contact_point.feature.tracked, contact_point.upright
    found = [] if upright is None else [upright]
    if tracked is not None:
        reach = within_reach(tracked)
        found += [tracked.minimum - LEAST, *([] if reach is None else [reach])]
    return _kept(contact_point, "surface", lambda: found) if found else None


def law_program(contact_point: ContactPoint, contact_states: ContactStates, form: Form) -> RateProgram:
    """μ_s and μ_d in the present zones, as they change."""
    g = contact_point.equations.system.graph
    return _kept(contact_point, ("law", form.zones),
                 lambda: [Expr(g, operand(g, mu)) for mu in contact_states.mu(contact_point)])  # fmt: skip


def zone_program(contact_point: ContactPoint, zone: Zones) -> RateProgram:
    """x − every bound."""
    return _kept(contact_point, zone, lambda: [zone.x - bound for bound in zone.bounds])


def functions_of(contact_point: ContactPoint) -> list[Function]:
    """The programs of its guards that are made by now."""
    kept = list(contact_point.watched.values())
    pieces = [function for each in kept if isinstance(each, Piece) for function in each.functions]
    return [*pieces, *[each.function for each in kept if isinstance(each, RateProgram)]]


def piece_of(contact_point: ContactPoint, contact_states: ContactStates, form: Form) -> Piece:
    """The record of a contact in a form, made once."""
    known: Piece | None = contact_point.watched.get(form)
    if known is None:
        known = contact_point.watched[form] = _piece(contact_point, contact_states, form)
    return known


def _piece(contact_point: ContactPoint, contact_states: ContactStates, form: Form) -> Piece:
    closed, tracked = form.form == CLOSED, contact_point.feature.tracked
    has_surface = closed or tracked is not None
    bounds, law = len(contact_point.feature.within), contact_point.laws.in_zones(contact_states.zones) if closed else ()
    found_with_rates = contact_point.without_normal and not contact_point.is_pressed
    programs: dict[str, RateProgram | Function | None] = {
        "near": near_program(contact_point) if bounds or not closed else None,
        "surface": surface_program(contact_point) if has_surface else None,
        "law": law_program(contact_point, contact_states, form) if form.laws else None,
        "coefficients": law if form.sticks and isinstance(law, Function) else None,
        "force": contact_point.force_function if closed and found_with_rates else None,
    }
    reach = None if tracked is None else within_reach(tracked)
    fields: dict[str, Any] = {
        "form": form.form, "enforced": PRESSED if contact_point.is_pressed else int(contact_point.without_normal),
        "slides": form.slides, "bounds": bounds,
        "across": len(contact_point.tangents) if form.sticks else 0,
        "upright": int(has_surface and contact_point.upright is not None),
        "tracked": 0 if tracked is None else PLAIN if reach is None else REACHED, "laws": form.laws,
        "steady": int(isinstance(law, tuple)), "mu_s": law[1] if isinstance(law, tuple) and law else 0.0,
        "narrow": contact_point.narrow if closed else 0.0,
        "bound": contact_point.tolerances.bound, "still": contact_point.tolerances.still,
        "tiny": TINY * contact_point.scales.speed * contact_point.scales.speed,
    }  # fmt: skip
    slots, by_acceleration = Slots(), closed and found_with_rates
    for name, program in programs.items():
        if program is not None:
            function = program.function if isinstance(program, RateProgram) else program
            by_acceleration |= isinstance(program, RateProgram) and program.by_acceleration
            at = slots.take(function.workspace(), (function,))
            fields |= {name: evaluator_at(function), f"{name}_at": at}
    words = block_of(lay_out(GuardedContact, **fields)).view(np.int64)
    return Piece(words, np.concatenate(slots.parts), tuple(slots.functions), by_acceleration)


_SHAPE = shape_of(GuardedContact)
assert _SHAPE is not None, "it is a record"
ROW, NORMAL_ROW, GROUP, SLIDER, CONE_AT, PULL, SHIFT, AT = (
    _SHAPE.fields[name].word for name in ("row", "normal_row", "group", "slider", "cone", "pull", "shift", "at")
)
WORDS = size_of(GuardedContact)


def zones_in(contact_states: ContactStates) -> dict[Zones, ContactPoint]:
    """The zones that watched contacts have, each with one of them."""
    if not contact_states.zones:
        return {}
    return {zone: contact_point for contact_point in contact_states.contact_points for zone in contact_point.zones}


def guards_of(contact_states: ContactStates, forms: Sequence[Form]) -> Guards:
    """What watches each contact, then the zones."""
    found = [contact_guards(contact_states, contact_point, form)
             for contact_point, form in zip(contact_states.contact_points, forms, strict=True)]  # fmt: skip
    found += [zone_guards(contact_point, zone, contact_states.zones[zone])
              for zone, contact_point in zones_in(contact_states).items()]  # fmt: skip
    return Guards([guard for guards in found for guard in guards])


def forms_in(contact_states: ContactStates) -> list[Form]:
    """How each contact is watched."""
    return [form_of(contact_states, contact_point) for contact_point in contact_states.contact_points]


def guard_table(
    contact_states: ContactStates,
    forms: Sequence[Form],
    guards: int,
    slices: Mapping[str, slice] | None,
    user: Function | None,
) -> Watch:
    """So many guards as a record: those of contacts in these forms, of zones, and of a user's program. ``slices`` are
    the rows of the mode; none where nothing holds."""
    slots, zones = Slots(), zones_in(contact_states)
    pieces = [piece_of(contact_point, contact_states, form)
              for contact_point, form in zip(contact_states.contact_points, forms, strict=True)]  # fmt: skip
    programs = [zone_program(contact_point, zone) for zone, contact_point in zones.items()]
    starts, records = [slots.take(piece.slots, piece.functions) for piece in pieces], list[int]()
    for zone, (function, _) in zip(zones, programs, strict=True):
        at = slots.take(function.workspace(), (function,))
        records += in_order(GuardedZone, index=contact_states.zones[zone], bounds=len(zone.bounds), at=at,
                            program=evaluator_at(function))  # fmt: skip
    own = {} if user is None else {"user_guards": user.width // 2, "user_at": slots.take(user.workspace(), (user,)),
                                   "user": evaluator_at(user)}  # fmt: skip
    by_acceleration = [*[piece.by_acceleration for piece in pieces], *[each.by_acceleration for each in programs]]
    widest = max([ROOM, *[function.width for function in slots.functions]])
    empty = blank(GuardTable, contacts=len(pieces), zones=len(zones), slots=slots.size, room=widest)
    words, where = empty.words(), empty.at
    values: dict[str, Any] = {"guards": guards, "zone": records, "free": slices is None, **own,
                              "by_acceleration": slices is None and any(by_acceleration)}  # fmt: skip
    for name, value in values.items():
        words[where[name]] = value
    words.view(np.float64)[where["z"]] = np.concatenate(slots.parts)
    table = words[where["contact"]].reshape(-1, WORDS)
    for i, piece in enumerate(pieces):
        table[i] = piece.words
    table[:, AT] = starts
    _put_states(contact_states, forms, slices or {}, table.view(np.float64), table)
    return Watch(look_at_guards, words.view(np.float64), 2 * guards, tuple(slots.functions))


def _put_states(contact_states: ContactStates, forms: Sequence[Form], slices: Mapping[str, slice], table: Array,
                whole: NDArray[np.int64]) -> None:  # fmt: skip
    """What the states of contacts say: their rows and sliders in the mode, and numbers."""
    sliders = {contact_point: i for i, contact_point in enumerate(contact_states.sliding())}
    first = dict[Contact, int]()
    for i, (contact_point, form) in enumerate(zip(contact_states.contact_points, forms, strict=True)):
        if form.form == LEAVING:
            table[i, SHIFT] = depth_shift(contact_point, contact_states.leaving_depths[contact_point])
        elif form.form == BEHIND:
            table[i, SHIFT] = -contact_point.tolerances.clear
        elif form.form == CLOSED:
            own = slices.get(contact_point.name)
            whole[i, GROUP] = first.setdefault(contact_point.contact, i)
            whole[i, ROW] = 0 if own is None else own.start
            if contact_point.is_pressed and contact_point.feature.closed_with is not None:
                whole[i, NORMAL_ROW] = slices[contact_point.feature.closed_with.name].start
            whole[i, SLIDER] = sliders.get(contact_point, 0)
            small = contact_point.tolerances
            cone = small.cone if len(contact_point.tangents) == 1 else small.cone_in_space
            how = contact_states.closed[contact_point]
            table[i, CONE_AT], table[i, PULL] = cone * small.wider**how.cone_margin, small.tensile * how.unloaded

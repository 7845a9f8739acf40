"""Design III: every way in which some contacts can stand, counted and prepared before a run.  [Patoglu §3, Fig. 6]

Each place of contact is open, has just opened, is met from behind, sticks, or slides one way or the other; each zone is
entered or not. What is met in a run is one of these, save where several contacts hold each other at the limits of their
cones, or opened deeper than rounding: that is prepared when it is met, as in `Embedded`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from latchwork.contact.complementarity.solution import State
from latchwork.contact.law import Zones
from latchwork.errors import ConstraintError
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates
from latchwork.hybrid.mode_table import ModeContents, ModeTable
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array

OPEN, LEAVING, BEHIND = "open", "leaving", "behind"
How = ContactState | str
RIGHT, LEFT, ANY = ContactState(State.SLIDE, (1.0,)), ContactState(State.SLIDE, (-1.0,)), ContactState(State.SLIDE)
STICKS = ContactState(State.STICK)


def ways(contact_point: ContactPoint, contact_states: ContactStates, zones: Mapping[Zones, int], x: Array) -> list[How]:
    """How a place of contact can stand in some zones; friction is what it is at the state x."""
    _, mu_s, mu_d = contact_point.laws.at(x, zones)
    if not contact_point.tangents or mu_s == 0.0:
        closed = [ANY]
    elif len(contact_point.tangents) > 1:
        raise ConstraintError(
            f"'{contact_point.name}' of '{contact_point.equations.name}' slides in space, where the direction "
            "of its slip is part of "
            "the mode: there is no list of modes. Use lw.Embedded(), which embeds those that are met."
        )
    else:
        closed = [STICKS, *([RIGHT, LEFT] if mu_d > 0.0 else [ANY])]
    if contact_point.feature.closed_with is not None:
        return [OPEN, *([ContactState(State.SLIDE, (1.0,), (1.0,))] if contact_point.attracts else closed)]
    if contact_point.without_normal:
        return [*closed]
    behind = [BEHIND] if contact_point.feature.within or contact_point in contact_states.behind else []
    return [OPEN, LEAVING, *behind, *closed]


def every_standing(contact_states: ContactStates, x: Array, most: int, name: str) -> list[ContactStates]:
    """All ways in which the contacts can stand; more than ``most`` are refused."""
    lists = [(zones, [ways(contact_point, contact_states, zones, x) for contact_point in contact_states.contact_points])
             for zones in _zones(contact_states)]  # fmt: skip
    count = sum(math.prod(map(len, each)) for _, each in lists)
    if count > most:
        raise ConstraintError(
            f"the {len(contact_states.contact_points)} places of contact of '{name}' can stand in {count} ways, "
            "and lw.Automaton "
            f"prepares {most} at most. Use lw.Embedded(), which embeds those that are met, or allow more: "
            f"lw.Automaton(most={count})."
        )
    every = (_standing(contact_states, zones, how) for zones, each in lists for how in itertools.product(*each))
    return [each for each in every if _is_pressed_with_its_presser(each)]


def _is_pressed_with_its_presser(contact_states: ContactStates) -> bool:
    """Whether what resists turns is closed with the contact that presses it."""
    closed = {contact_point.feature for contact_point in contact_states.closed}
    return all((point.feature in closed) == (point.feature.closed_with in closed)
               for point in contact_states.contact_points if point.feature.closed_with is not None)  # fmt: skip


def _standing(contact_states: ContactStates, zones: Mapping[Zones, int], hows: tuple[How, ...]) -> ContactStates:
    pairs = list(zip(contact_states.contact_points, hows, strict=True))
    return replace(
        contact_states,
        zones=dict(zones),
        closed={contact_point: how for contact_point, how in pairs if isinstance(how, ContactState)},
        leaving_depths=dict.fromkeys((contact_point for contact_point, how in pairs if how == LEAVING), 0),
        behind={contact_point for contact_point, how in pairs if how == BEHIND},
    )


def _zones(contact_states: ContactStates) -> Iterator[dict[Zones, int]]:
    """Every combination of zones; those along the same expression with the same bounds change together."""
    together: dict[Any, list[Zones]] = {}
    for zone in contact_states.zones:
        together.setdefault((zone.x, zone.bounds), []).append(zone)
    for indices in itertools.product(*(range(len(same[0].values)) for same in together.values())):
        chosen = {zone: i for same, i in zip(together.values(), indices, strict=True) for zone in same}
        yield {zone: chosen[zone] for zone in contact_states.zones}


def prepare_all(table: ModeTable, state: SimState, stops: Mapping[str, Any],
                most: int) -> tuple[tuple[str, ...], ...]:  # fmt: skip
    """Everything that the contacts of a state may need, in machine code; gives what holds in each mode, once."""
    x, contacts = state.row, state.contacts
    every = every_standing(contacts, x, most, table.driven.equations.name)
    table.constraint_terms(state.holds)
    for contact_point in contacts.contact_points:
        contact_point.get_ready()
        contact_point.gap(x)
    for each in every:
        _compile(table, table.contents(state.holds, each, state.rules, stops))
    named = ((*state.holds, *each.labels) for each in every)
    return tuple(dict.fromkeys(named))


def _compile(shop: ModeTable, mode: ModeContents) -> None:
    functions = mode.terms.functions if mode.terms is not None else (shop.side.function,)
    watching = () if mode.watch is None else mode.watch.functions
    for function in (*functions, *watching, *[own for slider in mode.sliders for own in slider.functions]):
        function.compiled(wait=True)

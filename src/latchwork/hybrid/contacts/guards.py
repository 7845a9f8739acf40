"""Guards of a mode: what ends it where it falls through zero, in the order in which `guard_values` gives them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.joints.sides import kinds
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.solution import State
from latchwork.contact.law import Zones
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates
from latchwork.hybrid.contacts.guard_values import BEGINS, BEHIND, CLOSED, GOES_ON, IN_PLANE, LEAVING, NO_SLIP, OPEN
from latchwork.symbolic.expr import Expr


class Guard(NamedTuple):
    """Something that ends a mode where it falls through zero: what it means and whom it is about; its expression where
    a user gave one."""

    kind: str
    about: Any
    value: Expr | None = None
    by_force: bool = False  # in terms of u̇ or λ: it has no rate, and must not be negative to begin with
    step: int = 0  # of a zone: down or up
    height: float = 0.0  # armed once it has been above it; dismissed where it is negative: see `guard_location`
    unit: float = 1.0  # of its value: what is rounding beside it is none


class Guards(tuple[Guard, ...]):
    """All that watches a mode."""

    @cached_property
    def of_rules(self) -> bool:
        """Whether rules are among them."""
        return any(guard.kind == "rule" for guard in self)

    @cached_property
    def on_forces(self) -> list[int]:
        """The places of those on forces."""
        return [i for i, guard in enumerate(self) if guard.by_force]

    @cached_property
    def units(self) -> Array:
        """Those of their values."""
        return np.array([guard.unit for guard in self])

    @cached_property
    def heights(self) -> Array | float:
        """Those by which they are armed or dismissed; 0 where none has any."""
        heights = [guard.height for guard in self]
        return np.array(heights) if any(heights) else 0.0


class Form(NamedTuple):
    """How a contact is watched, in integers: open, leaving, met from behind or closed; how it slides with friction;
    whether it sticks; how many guards its law has; and its zones, where it is closed."""

    form: int
    slides: int = NO_SLIP
    sticks: bool = False
    laws: int = 0
    zones: tuple[int, ...] = ()


def form_of(contact_states: ContactStates, contact_point: ContactPoint) -> Form:
    """How a contact is watched in its state."""
    contact_state = contact_states.closed.get(contact_point)
    if contact_state is not None:
        zones = tuple([contact_states.zones[zone] for zone in contact_point.zones])
        laws = _law_guards(contact_states, contact_point, zones)
        return Form(CLOSED, _slides(contact_point, contact_state), contact_state.state is State.STICK, laws, zones)
    if contact_point in contact_states.leaving_depths:
        return Form(LEAVING)
    return Form(BEHIND if contact_point in contact_states.behind else OPEN)


def _slides(contact_point: ContactPoint, contact_state: ContactState) -> int:
    """How a contact slides with friction; where it is impending, slip is nothing, and has no sign."""
    state, slip, impending = contact_state[:3]
    if state is State.STICK or slip is None or impending is not None or not contact_point.tangents:
        return NO_SLIP
    if len(contact_point.tangents) == 1:
        return IN_PLANE
    return BEGINS if slip[-1] > 0.0 else GOES_ON


def _law_guards(contact_states: ContactStates, contact_point: ContactPoint, zones: tuple[int, ...]) -> int:
    """Friction that changes in the run must stay above zero, and μ_d below μ_s: where it does not, it is refused."""
    known: int | None = contact_point.watched.get(("laws", zones))
    if known is None:
        mu_s, mu_d = contact_states.mu(contact_point)
        moving = any(isinstance(mu, Expr) and set(kinds(mu)) - {"parameter"} for mu in (mu_s, mu_d))
        known = contact_point.watched["laws", zones] = (1 if mu_s is mu_d else 2) if moving else 0
    return known


def contact_guards(contact_states: ContactStates, contact_point: ContactPoint, form: Form) -> tuple[Guard, ...]:
    """What watches one contact: its gap closes, its force turns, its cone is left, its slip or its patch ends."""
    if form.form == LEAVING:  # heights depend on how deep it is
        return (*_leaving(contact_point, contact_states.leaving_depths[contact_point]), *_lost(contact_point))
    kept: tuple[Guard, ...] | None = contact_point.watched.get(("guards", form))
    if kept is None:
        kind, unit = "around" if form.form == BEHIND else "touch", contact_point.scales.length
        own = [Guard(kind, contact_point, unit=unit)]
        found = _closed(contact_point, form) if form.form == CLOSED else own
        kept = contact_point.watched["guards", form] = (*found, *_lost(contact_point))
    return kept


def _lost(contact_point: ContactPoint) -> list[Guard]:
    """A tracked point may be no least distance any more."""
    return [] if contact_point.feature.tracked is None else [Guard("lost", contact_point)]


def _leaving(contact_point: ContactPoint, deep: int) -> list[Guard]:
    """A contact that has just opened may be a little deeper until it is clear."""
    high, unit = contact_point.tolerances.clear, contact_point.scales.length
    heights = high, -high - depth_shift(contact_point, deep)
    return [Guard("touch", contact_point, height=height, unit=unit) for height in heights]


def depth_shift(contact_point: ContactPoint, deep: int) -> float:
    """So many closed gaps and two: by which the gap of a contact that has just opened is watched deeper."""
    return (2.0 + deep) * contact_point.tolerances.closed


def _closed(contact_point: ContactPoint, form: Form) -> list[Guard]:
    scales = contact_point.scales
    force, speed = scales.force, scales.speed
    found = [Guard("release", contact_point, by_force=True, unit=force)]
    found += [Guard("law", contact_point) for _ in range(form.laws)]
    found += [Guard("patch", contact_point, unit=scales.length) for _ in contact_point.feature.within]
    if contact_point.narrow > 0.0:
        found.append(Guard("patch", contact_point, unit=scales.length))
    if contact_point.upright is not None:
        found.append(Guard("skew", contact_point))
    if form.sticks and contact_point.tangents:
        found.append(Guard("slip", contact_point, by_force=True, unit=force * force))
    ends = {NO_SLIP: (), IN_PLANE: ("stick",), GOES_ON: ("stick", "turn", "stick"), BEGINS: ("stick", "turn", "turn")}
    slips = zip(ends[form.slides], (speed, speed, 1.0), strict=False)  # the last is a ratio of speeds
    return [*found, *[Guard(kind, contact_point, unit=unit) for kind, unit in slips]]


def zone_guards(contact_point: ContactPoint, zone: Zones, i: int) -> tuple[Guard, ...]:
    """What watches the zone of number i of a contact: it is left downwards or upwards."""
    kept: tuple[Guard, ...] | None = contact_point.watched.get((zone, i))
    if kept is None:
        steps = [step for step, there in ((-1, i > 0), (1, i < len(zone.bounds))) if there]
        L = contact_point.scales.length
        kept = contact_point.watched[zone, i] = tuple([Guard("zone", zone, step=step, unit=L) for step in steps])
    return kept

"""Which contacts are closed in a run, and how: the part of a mode that contacts make up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.solution import State
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact, Zones
from latchwork.contact.tolerances import Tolerances
from latchwork.errors import ModelError
from latchwork.hybrid.contacts.contact_point import ContactPoint, SlipDirection
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.traverse import rebuild

WORDS = {state: state.name.lower() for state in State}


class ContactState(NamedTuple):
    """How a contact is closed: it slides along ``slip``, or sticks. Slip is ``impending`` at the edge of its cone,
    where it would slide that way if others did not stick.

    One that slipped and stuck again at once, at the very edge of its cone, has a firmer ``cone_margin``. One with
    nothing to carry yet, where a load begins (``unloaded``), may pull by what is rounding of other forces.
    """

    state: State
    slip: SlipDirection = None
    impending: tuple[float, ...] | None = None
    cone_margin: int = 0
    unloaded: int = 0

    def label(self, name: str) -> str:
        return f"{name}: {WORDS[self.state]}"


def closings(contact_point: ContactPoint, zones: Mapping[Zones, int]) -> list[ContactState]:
    """How a contact may be closed, in all forms there are: it sticks; it slides without friction, or slip is impending;
    with friction either way, in space on in some direction, or as slip begins in it."""
    _, mu_s, mu_d = contact_point.laws.coefficients(zones)
    found = [] if _is_nothing(mu_s) else [ContactState(State.STICK)]
    found.append(ContactState(State.SLIDE))
    if not contact_point.tangents or _is_nothing(mu_d):
        return found
    in_space = [(1.0, 0.0, 1.0, begun) for begun in (0.0, 1.0)]
    slips = [(1.0,), (-1.0,)] if len(contact_point.tangents) == 1 else in_space
    return [*found, *(ContactState(State.SLIDE, slip) for slip in slips)]


def _is_nothing(mu: Any) -> bool:
    return not isinstance(mu, Expr) and mu == 0.0


def every_zone(contact_point: ContactPoint) -> list[dict[Zones, int]]:
    """The zones that a contact may be in, those of the same number together."""
    count = max([len(zone.bounds) for zone in contact_point.zones], default=0)
    return [{zone: min(i, len(zone.bounds)) for zone in contact_point.zones} for i in range(1 + count)]


@dataclass(eq=False)
class ContactStates:
    """The contacts of a run as they are now: closed ones with how, those just opened, those met from behind, zones.

    ``contact_points`` are watched. What is far away is ``asleep``, or not made yet; ``members`` are all
    contacts there are.
    """

    contact_points: list[ContactPoint]
    closed: dict[ContactPoint, ContactState] = field(default_factory=dict)
    leaving_depths: dict[ContactPoint, int] = field(default_factory=dict)  # opened before, and so many TOUCH deep then
    behind: set[ContactPoint] = field(default_factory=set)
    zones: dict[Zones, int] = field(default_factory=dict)
    approach_scale: float = 0.0  # the fastest approach so far: what a rebound is measured by
    motion_scale: float = 0.0  # the fastest motion at contacts so far: what slip is measured by
    lam: dict[str, Array] = field(default_factory=dict)  # forces of the contacts where the mode began
    slipped: dict[ContactPoint, tuple[float, int]] = field(
        default_factory=dict
    )  # when each began to slip, and its grip then
    shared: float = -math.inf  # when a load was shared otherwise last
    asleep: tuple[ContactPoint, ...] = ()
    members: tuple[Contact, ...] = ()
    _labelled: tuple[Any, tuple[str, ...]] = (None, ())  # what was closed where labels were made last, and these

    @property
    def labels(self) -> tuple[str, ...]:
        """What is closed and how, in words."""
        if not self.closed:
            return ()
        if self._labelled[0] is not self.closed:
            names = tuple(
                [contact_state.label(contact_point.name) for contact_point, contact_state in self.closed.items()
                 if not contact_point.attracts]
            )
            self._labelled = self.closed, names
        return self._labelled[1]

    @property
    def closed_names(self) -> tuple[str, ...]:
        """What is closed, by all names that rules may use: with how, without, and those of whole contacts."""
        if not self.closed:
            return ()
        closed = dict.fromkeys(
            name for contact_point in self.closed for name in (contact_point.name, contact_point.contact.whole.name)
        )
        return (*self.labels, *closed)

    @property
    def key(self) -> tuple[Any, ...]:
        """All that the equations of the mode depend on."""
        return tuple(
            [
                (contact_point, how, *[self.zones[z] for z in contact_point.zones])
                for contact_point, how in self.closed.items()
            ]
        )

    @property
    def whole_key(self) -> tuple[Any, ...]:
        """All that equations and guards of the mode depend on."""
        return (self.key, frozenset(self.leaving_depths.items()), frozenset(self.behind), tuple(self.zones.items()),
                tuple(self.contact_points))  # fmt: skip

    def mu(self, contact_point: ContactPoint) -> tuple[Any, Any]:
        """Static and dynamic friction where it is now."""
        return contact_point.laws.coefficients(self.zones)[1:]

    def constraints(self) -> dict[Constraint, ContactPoint]:
        """What is closed as constraints, contact by contact."""
        made = {}
        for contact_point, (state, slip, *_) in self.closed.items():
            constraint = (
                contact_point.sticking
                if state is State.STICK
                else contact_point.sliding(slip, self.mu(contact_point)[1])
            )
            if constraint is not None:
                made[constraint] = contact_point
        return made

    def sliding(self) -> dict[ContactPoint, tuple[float, ...]]:
        """Contacts that slide with friction, and their directions."""
        return {
            contact_point: slip
            for contact_point, (state, slip, *_) in self.closed.items()
            if state is State.SLIDE and slip is not None and contact_point.tangents
        }

    @property
    def tracked(self) -> tuple[ContactPoint, ...]:
        """Those whose places on curves or surfaces are tracked."""
        return tuple([point for point in self.contact_points if point.feature.tracked is not None])

    @property
    def names(self) -> tuple[str, ...]:
        """All that contacts may be called: themselves and their features, and these with how they stand."""
        states = (State.SLIDE, State.STICK)
        return tuple(name for contact in self.members for place in contact.names
                     for name in (place, *(ContactState(state).label(place) for state in states)))  # fmt: skip

    def forces(self, lam: Mapping[str, Sequence[Expr]]) -> dict[str, Expr]:
        """The normal forces of what is closed; of friction of joints, what it exerts."""
        found = {contact_point.name: self._force(contact_point, lam) for contact_point in self.closed}
        for contact_point in self.closed:
            name = contact_point.contact.whole.name
            if not contact_point.contact.is_eager or contact_point.contact.place_of is not None:
                found[name] = (
                    found[contact_point.name] if name not in found else found[name] + found[contact_point.name]
                )
        return found

    def _force(self, contact_point: ContactPoint, lam: Mapping[str, Sequence[Expr]]) -> Expr:
        state, slip, *_ = self.closed[contact_point]
        if not contact_point.is_bounded:
            return contact_point.force if contact_point.without_normal else lam[contact_point.name][0]
        if state is State.STICK:
            return lam[contact_point.name][0]
        g, friction = contact_point.equations.system.graph, self.mu(contact_point)[1]
        if contact_point.is_pressed and contact_point.feature.closed_with is not None:
            friction = friction * lam[contact_point.feature.closed_with.name][0]
        return Expr(g, operand(g, 0.0 if slip is None else -slip[0] * friction))

    def places_of(self, contact: Contact, feature: Feature) -> list[ContactPoint]:
        """All that track a place of the same parts as a feature of a contact does."""
        return [contact_point for contact_point in self.contact_points if contact_point.is_place_of(contact, feature)]

    # --- zones --------------------------------------------------------------------------------------------------

    def zone_nodes(self, contact_point: ContactPoint, zone: Zones) -> list[int]:
        """x − bound for every bound, as nodes in t, q, u."""
        g, replaced = contact_point.equations.system.graph, contact_point.equations.derivation.kinematics.replaced
        return rebuild(g, [operand(g, zone.x - bound) for bound in zone.bounds], replaced)

    def _zone_function(self, contact_point: ContactPoint, zone: Zones) -> Function:
        """x − bound for every bound, as a function of (t, q, u, rest); made once for the same programs."""
        base = contact_point.base
        found: Function | None = base.remembered.get(("zone", zone))
        if found is None:
            g = base.equations.system.graph
            nodes = rebuild(g, self.zone_nodes(contact_point, zone), base.laws)
            found = base.remembered["zone", zone] = Function(lower(g, nodes, base.arguments))
        return found

    def enter_zones(self, contact_points: Iterable[ContactPoint], x: Array) -> None:
        """Find the zones at a state, for contacts that are new."""
        for contact_point in contact_points:
            for zone in contact_point.zones:
                if zone not in self.zones:
                    values = self._zone_function(contact_point, zone)(x)
                    if (np.diff(values) >= 0.0).any():
                        bounds = ", ".join(f"{bound:.6g}" for bound in contact_point.lowered(list(zone.bounds))(x))
                        raise ModelError(
                            f"the bounds of zones along {zone.x} of '{contact_point.contact.name}' are {bounds} in "
                            "this run. "
                            "Give parameters that put them in increasing order."
                        )
                    self.zones[zone] = int(np.count_nonzero(values >= 0.0))

    # --- change of the equations --------------------------------------------------------------------------------

    def made_again(self, again: Mapping[ContactPoint, ContactPoint]) -> None:
        """The same states of contacts that were made anew, for other equations."""
        self.contact_points = [again[contact_point] for contact_point in self.contact_points]
        self.asleep = tuple(again[contact_point] for contact_point in self.asleep if contact_point in again)
        self.closed = {again[contact_point]: contact_state for contact_point, contact_state in self.closed.items()}
        self.leaving_depths = {again[contact_point]: deep for contact_point, deep in self.leaving_depths.items()}
        self.behind = {again[contact_point] for contact_point in self.behind}
        self.slipped = {
            again[contact_point]: since for contact_point, since in self.slipped.items() if contact_point in again
        }

    def but(self, **changes: Any) -> ContactStates:
        """The same contact states with some parts of them changed; all others are shared."""
        made: ContactStates = object.__new__(ContactStates)
        made.__dict__ = self.__dict__ | changes
        return made

    def copied(self) -> ContactStates:
        """A copy to work on, that is not touched by what happens to these."""
        return self.but(
            contact_points=list(self.contact_points),
            closed=dict(self.closed),
            leaving_depths=dict(self.leaving_depths),
            behind=set(self.behind),
            zones=dict(self.zones),
            lam=dict(self.lam),
            slipped=dict(self.slipped),
        )

    @property
    def every(self) -> tuple[ContactPoint, ...]:
        """All that are made: those that are watched, then those that are not."""
        return (*self.contact_points, *self.asleep)

    def without(self, contact: Contact) -> ContactStates:
        """The same states with a contact taken away, closed or open, and the zones that only it had."""
        away = {contact_point for contact_point in self.every if contact_point.contact is contact}
        contact_points = [contact_point for contact_point in self.contact_points if contact_point not in away]
        left = {zone for contact_point in contact_points for zone in contact_point.zones}
        names = {contact_point.name for contact_point in away}
        return replace(
            self,
            contact_points=contact_points,
            asleep=tuple(contact_point for contact_point in self.asleep if contact_point not in away),
            members=tuple(each for each in self.members if each is not contact),
            closed={contact_point: how for contact_point, how in self.closed.items() if contact_point not in away},
            leaving_depths={
                contact_point: deep for contact_point, deep in self.leaving_depths.items() if contact_point not in away
            },
            behind=self.behind - away,
            zones={zone: i for zone, i in self.zones.items() if zone in left},
            lam={name: force for name, force in self.lam.items() if name not in names},
        )

    def let_clear(self, x: Array) -> None:
        """Contacts that opened, and are clear at a state, are watched as all others from now on."""
        if self.leaving_depths:
            self.leaving_depths = {
                contact_point: deep
                for contact_point, deep in self.leaving_depths.items()
                if not is_clear(*contact_point.gap(x), contact_point.tolerances)
            }

    def forget_closed(self, x: Array) -> None:
        """Nothing is known to be closed any more, at a state that came about otherwise."""
        self.closed, self.leaving_depths, self.lam = {}, {}, {}
        found = [(contact_point, *contact_point.gap(x)) for contact_point in self.contact_points]
        self.behind = {
            contact_point
            for contact_point, gap, inside in found
            if gap < -contact_point.tolerances.reach and inside >= 0.0 and not contact_point.is_one_way
        }

    def set_at_rest(self, x: Array, forces: Mapping[ContactPoint, Array]) -> None:
        """Contacts that hold everything stick (or touch without friction), with these forces; others just opened."""
        self.closed = {contact_point: ContactState(State.STICK if len(forces[contact_point]) > 1 else State.SLIDE)
                       for contact_point in self.contact_points if contact_point in forces}  # fmt: skip
        features = {contact_point.feature for contact_point in self.closed}
        attracts = [contact_point for contact_point in self.contact_points
                    if contact_point.attracts and contact_point.feature.closed_with in features]  # fmt: skip
        self.closed |= dict.fromkeys(attracts, ContactState(State.SLIDE, (1.0,), (1.0,)))
        self.lam = {contact_point.name: force[1:] if contact_point.is_bounded else force
                    for contact_point, force in forces.items()}  # fmt: skip
        gaps = {
            contact_point: contact_point.gap(x)[0]
            for contact_point in self.contact_points
            if contact_point not in forces and contact_point not in self.behind and not contact_point.is_bounded
        }
        self.leaving_depths = {
            contact_point: deep_in(gap, contact_point.tolerances)
            for contact_point, gap in gaps.items()
            if gap <= contact_point.tolerances.clear
        }


def is_clear(gap: float, inside: float, small: Tolerances) -> bool:
    """Whether a contact that opened is watched as all others: far enough, or as far outside its domain."""
    return max(gap, -inside) > small.clear


def deep_in(gap: float, small: Tolerances) -> int:
    """How deep a contact is that opens, in whole closed gaps, half is none."""
    return max(0, math.ceil(-gap / small.closed - 0.5))

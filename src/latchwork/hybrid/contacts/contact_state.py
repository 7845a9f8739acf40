"""Which contacts are closed in a run, and how: the part of a mode that contacts make up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.joints.sides import kinds
from latchwork.constraint.terms import Array
from latchwork.contact.closest_point.states import within_reach
from latchwork.contact.complementarity.solution import State
from latchwork.contact.feature import Tracked
from latchwork.contact.law import Contact, Zones
from latchwork.errors import ModelError
from latchwork.hybrid.contacts.contact_point import LEAST, NOTHING_FIXED, SKEWED, ContactPoint, Fixed, Way
from latchwork.hybrid.contacts.tolerances import BOUND, CLEAR, CLOSED_GAP, CONE, CONE_IN_SPACE, REACH, WIDER
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr, maximum, operand, sqrt
from latchwork.symbolic.traverse import rebuild

TURN = 0.5  # cosine of the angle by which slip in space may turn in one mode
ENDED, TURNED = 1e4, 1e6  # of the trace that slip in space keeps: slower, it has ended; and where it has turned
STILL = 1e-13  # in units of the model: slip in the plane that is backwards by less may be about to begin
BACK = 1e-6  # of the trace of slip that begins: less of it backwards is rounding
TINY = 1e-60  # of a squared speed: what is divided by never vanishes
SLACK = 1e-9  # by which friction may be off its bounds in the run


WORDS = {state: state.name.lower() for state in State}


class ContactState(NamedTuple):
    """How a contact is closed: it slides a way, or sticks. At its ``limit`` it would slide there, but others stick.

    One that slipped and stuck again at once, at the very edge of its cone, has a firmer ``cone_margin``.
    """

    state: State
    way: Way = None
    limit: tuple[float, ...] | None = None
    cone_margin: int = 0

    def label(self, name: str) -> str:
        return f"{name}: {WORDS[self.state]}"


def closings(contact_point: ContactPoint, zones: Mapping[Zones, int]) -> list[ContactState]:
    """How a contact may be closed; in space, only how it sticks, for it may slide in any direction."""
    _, mu_s, mu_d = contact_point.coefficients(zones)
    sticking = [] if _is_nothing(mu_s) else [ContactState(State.STICK)]
    if not contact_point.tangents or _is_nothing(mu_d):
        return [*sticking, ContactState(State.SLIDE)]
    sliding = (
        [ContactState(State.SLIDE, (1.0,)), ContactState(State.SLIDE, (-1.0,))]
        if len(contact_point.tangents) == 1
        else []
    )
    return [*sticking, *sliding]


def slides_in_space(contact_point: ContactPoint, zones: Mapping[Zones, int]) -> list[ContactState]:
    """How a contact may slide in space, in the only two forms there are: it goes on, or begins, in some direction."""
    if len(contact_point.tangents) < 2 or _is_nothing(contact_point.coefficients(zones)[2]):
        return []
    return [ContactState(State.SLIDE, (1.0, 0.0, 1.0, begun)) for begun in (0.0, 1.0)]


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
    speed: float = 0.0  # the fastest approach so far: what a rebound is measured by
    pace: float = 0.0  # the fastest motion at contacts so far: what slip is measured by
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
                [contact_state.label(contact_point.name) for contact_point, contact_state in self.closed.items()]
            )
            self._labelled = self.closed, names
        return self._labelled[1]

    @property
    def told(self) -> tuple[str, ...]:
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
        return contact_point.coefficients(self.zones)[1:]

    def constraints(self) -> dict[Constraint, ContactPoint]:
        """What is closed as constraints, contact by contact."""
        made = {}
        for contact_point, (state, way, *_) in self.closed.items():
            constraint = (
                contact_point.sticking
                if state is State.STICK
                else contact_point.sliding(way, self.mu(contact_point)[1])
            )
            if constraint is not None:
                made[constraint] = contact_point
        return made

    def dragging(self) -> Iterable[tuple[ContactPoint, list[int]]]:
        """Contacts that slide with friction, and what friction adds to their force rows."""
        for contact_point, (state, way, *_) in self.closed.items():
            if state is State.SLIDE and way is not None and contact_point.tangents:
                yield contact_point, contact_point.friction_rows(way, self.mu(contact_point)[1])

    @property
    def names(self) -> tuple[str, ...]:
        """All that contacts may be called: themselves and their features, and these with how they stand."""
        states = (State.SLIDE, State.STICK)
        return tuple(name for contact in self.members for place in contact.names
                     for name in (place, *(ContactState(state).label(place) for state in states)))  # fmt: skip

    @property
    def contacts(self) -> set[str]:
        """The same, each once."""
        return set(self.names)

    def forces(self, lam: Mapping[str, Sequence[Expr]]) -> dict[str, Expr]:
        """The normal forces of what is closed."""
        found = {
            contact_point.name: contact_point.force if contact_point.held else lam[contact_point.name][0]
            for contact_point in self.closed
        }
        for contact_point in self.closed:
            name = contact_point.contact.whole.name
            if not contact_point.contact.is_eager or contact_point.contact.place_of is not None:
                found[name] = (
                    found[contact_point.name] if name not in found else found[name] + found[contact_point.name]
                )
        return found

    def places_of(self, contact: Contact) -> list[ContactPoint]:
        """All that track a place of the curve or surface of a contact."""
        return [contact_point for contact_point in self.contact_points if contact_point.is_place_of(contact)]

    # --- zones --------------------------------------------------------------------------------------------------

    def zone_nodes(self, contact_point: ContactPoint, zone: Zones) -> list[int]:
        """x − bound for every bound, as nodes in t, q, u."""
        g, replaced = contact_point.equations.system.graph, contact_point.equations.derivation.kinematics.replaced
        return rebuild(g, [operand(g, zone.x - bound) for bound in zone.bounds], replaced)

    def enter_zones(self, contact_points: Iterable[ContactPoint], x: Array) -> None:
        """Find the zones at a state, for contacts that are new."""
        for contact_point in contact_points:
            for zone in contact_point.zones:
                if zone not in self.zones:
                    g = contact_point.equations.system.graph
                    nodes = rebuild(g, self.zone_nodes(contact_point, zone), contact_point.base.laws)
                    values = Function(lower(g, nodes, contact_point.base.arguments))(x)
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
        """The same standings of contacts that were made anew, for other equations."""
        self.contact_points = [again[contact_point] for contact_point in self.contact_points]
        self.asleep = tuple(again[contact_point] for contact_point in self.asleep if contact_point in again)
        self.closed = {again[contact_point]: contact_state for contact_point, contact_state in self.closed.items()}
        self.leaving_depths = {again[contact_point]: deep for contact_point, deep in self.leaving_depths.items()}
        self.behind = {again[contact_point] for contact_point in self.behind}
        self.slipped = {
            again[contact_point]: since for contact_point, since in self.slipped.items() if contact_point in again
        }

    def copied(self) -> ContactStates:
        """A copy that is not touched by what happens to these."""
        return replace(
            self,
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
        """The same standings with a contact taken away, closed or open, and the zones that only it had."""
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
                if not is_clear(*contact_point.gap(x))
            }

    def left(self, x: Array) -> None:
        """Nothing is known to be closed any more, at a state that came about otherwise."""
        self.closed, self.leaving_depths, self.lam = {}, {}, {}
        found = [(contact_point, *contact_point.gap(x)) for contact_point in self.contact_points]
        self.behind = {
            contact_point for contact_point, gap, inside in found if gap < -REACH * CLOSED_GAP and inside >= 0.0
        }

    def rest(self, x: Array, forces: Mapping[ContactPoint, Array]) -> None:
        """Contacts that hold everything stick (or touch without friction), with these forces; others just opened."""
        self.closed = {contact_point: ContactState(State.STICK if len(forces[contact_point]) > 1 else State.SLIDE)
                       for contact_point in self.contact_points if contact_point in forces}  # fmt: skip
        self.lam = {contact_point.name: force for contact_point, force in forces.items()}
        gaps = {
            contact_point: contact_point.gap(x)[0]
            for contact_point in self.contact_points
            if contact_point not in forces and contact_point not in self.behind
        }
        self.leaving_depths = {
            contact_point: deep_in(gap) for contact_point, gap in gaps.items() if gap <= CLEAR * CLOSED_GAP
        }


def is_clear(gap: float, inside: float) -> bool:
    """Whether a contact that opened is watched as all others: far enough, or as far outside its domain."""
    return max(gap, -inside) > CLEAR * CLOSED_GAP


def deep_in(gap: float) -> int:
    """How deep a contact is that opens, in whole `CLOSED_GAP`, half is none."""
    return max(0, math.ceil(-gap / CLOSED_GAP - 0.5))


class Guard(NamedTuple):
    """Something that ends a mode where it falls through zero: what it means, whom it is about, and the expression."""

    kind: str
    about: Any
    value: Expr
    by_force: bool = False  # in terms of u̇ or λ: it has no rate, and must not be negative to begin with
    step: int = 0  # of a zone: down or up
    height: float = 0.0  # armed once it has been above it; dismissed where it is negative: see `integrate.guards`


class Guards(tuple[Guard, ...]):
    """All that watches a mode; ``fixed`` are symbols in it that stand for numbers."""

    fixed: Fixed = NOTHING_FIXED

    @cached_property
    def of_rules(self) -> bool:
        """Whether rules are among them."""
        return any(guard.kind == "rule" for guard in self)

    @cached_property
    def patient(self) -> NDArray[np.bool_]:
        """Those that are armed also below zero, where they may rise: rules apart."""
        return np.array([not (guard.by_force or guard.kind in ("stop", "lost")) for guard in self], dtype=bool)

    @cached_property
    def on_forces(self) -> list[int]:
        """The places of those on forces."""
        return [i for i, guard in enumerate(self) if guard.by_force]

    @cached_property
    def heights(self) -> Array | float:
        """Those by which they are armed or dismissed; 0 where none has any."""
        heights = [guard.height for guard in self]
        return np.array(heights) if any(heights) else 0.0


def touch_guards(contact_states: ContactStates, contact_point: ContactPoint, lam: Sequence[Expr]) -> Guards:
    """What watches one contact: its gap closes, its force turns, its cone is left, its slip or its patch ends.

    ``lam`` are the multipliers of its rows where it is closed. The contact keeps what is made: the same object each
    time.
    """
    contact_state = contact_states.closed.get(contact_point)
    key: tuple[Any, ...] = (contact_states.leaving_depths.get(contact_point), contact_point in contact_states.behind)
    if contact_state is not None:
        key = (
            contact_state,
            *[contact_states.zones[zone] for zone in contact_point.zones],
            *[force.node for force in lam],
        )
    kept: Guards | None = contact_point.watched.get(key)
    if kept is None:
        fixed = NOTHING_FIXED if contact_state is None else contact_point.fixed_in(contact_state.way)
        if contact_state is None or fixed is NOTHING_FIXED:
            found = (
                _open(contact_states, contact_point)
                if contact_state is None
                else _closed(contact_states, contact_point, contact_state, lam)
            )
        else:  # however it slides in space, what watches it is the same in symbols
            form = (
                contact_state.state,
                contact_state.limit is None,
                contact_state.way[-1] > 0.0 if contact_state.way else None,
                *key[1:],
            )
            found = contact_point.watched.get(form) or contact_point.watched.setdefault(
                form, _closed(contact_states, contact_point, contact_state, lam)
            )
        if contact_point.feature.tracked is not None:
            found = [*found, Guard("lost", contact_point, _least(contact_point.feature.tracked))]
        kept = Guards(found)
        kept.fixed = fixed
        contact_point.keep(key, kept)
    return kept


def zone_guards(contact_point: ContactPoint, zone: Zones, i: int) -> Guards:
    """What watches the zone of number i of a contact: it is left downwards or upwards."""
    kept: Guards | None = contact_point.watched.get((zone, i))
    if kept is None:
        found = [Guard("zone", zone, zone.x - zone.bounds[i - 1], step=-1)] if i > 0 else []
        if i < len(zone.bounds):
            found.append(Guard("zone", zone, zone.bounds[i] - zone.x, step=1))
        kept = contact_point.watched[zone, i] = Guards(found)
    return kept


def shifted_gap(contact_point: ContactPoint, deep: int) -> Expr:
    """The gap within the domain of the feature, its bounds included, so many `CLOSED_GAP` and two below zero."""
    gap = contact_point.feature.gap + (2.0 + deep) * CLOSED_GAP if deep > -2 else contact_point.feature.gap
    for inside in contact_point.feature.within:
        gap = maximum(gap, -inside - BOUND)
    return gap


def _least(tracked: Tracked) -> Expr:
    """Falls below zero where an extremal point is no least distance any more; one that waits out of reach is none."""
    reach = within_reach(tracked)
    return tracked.minimum - LEAST if reach is None else maximum(tracked.minimum - LEAST, -reach)


def _open(contact_states: ContactStates, contact_point: ContactPoint) -> list[Guard]:
    """What is watched of a contact that is open: one that has just opened may be a little deeper until it is clear."""
    depth = shifted_gap(contact_point, -2)
    if contact_point in contact_states.leaving_depths:
        deep, high = contact_states.leaving_depths[contact_point], CLEAR * CLOSED_GAP
        return [
            Guard("touch", contact_point, depth, height=high),
            Guard("touch", contact_point, shifted_gap(contact_point, deep), height=-high - (2.0 + deep) * CLOSED_GAP),
        ]
    if contact_point in contact_states.behind:
        return [Guard("around", contact_point, -depth)]
    return [Guard("touch", contact_point, depth)]


def _law_guards(contact_states: ContactStates, contact_point: ContactPoint) -> list[Guard]:
    """Friction that changes in the run must stay above zero, and μ_d below μ_s: where it does not, it is refused."""
    mu_s, mu_d = contact_states.mu(contact_point)
    moving = [mu for mu in (mu_s, mu_d) if isinstance(mu, Expr) and set(kinds(mu)) - {"parameter"}]
    if not moving:
        return []
    found = [Guard("law", contact_point, mu_d + SLACK)]
    return found if mu_s is mu_d else [*found, Guard("law", contact_point, mu_s - mu_d + SLACK)]


def _closed(
    contact_states: ContactStates, contact_point: ContactPoint, contact_state: ContactState, lam: Sequence[Expr]
) -> list[Guard]:
    normal = contact_point.force if contact_point.held else lam[0]
    found = [Guard("release", contact_point, normal, True), *_law_guards(contact_states, contact_point)]
    found += [Guard("patch", contact_point, inside) for inside in contact_point.feature.within]
    if contact_point.upright is not None:
        found.append(Guard("skew", contact_point, contact_point.upright - SKEWED))
    if contact_state.state is State.STICK:
        across = lam if contact_point.held else lam[1:]
        mu = contact_states.mu(contact_point)[0]
        if across:
            squares = sum((force * force for force in across[1:]), start=across[0] * across[0])
            cone = (CONE if len(across) == 1 else CONE_IN_SPACE) * WIDER**contact_state.cone_margin
            limit = (mu * normal) * (mu * normal) * (1.0 + cone)
            found.append(Guard("slip", contact_point, limit - squares, True))
    elif contact_state.limit is not None:
        pass  # its slip is nothing, and has no sign
    elif contact_state.way is not None and len(contact_point.tangents) == 1:
        found.append(Guard("stick", contact_point, contact_point.slips[0] * contact_state.way[0] + STILL))
    elif contact_state.way is not None and contact_point.tangents:
        (a, b), (c, d, trace, begun), begins = (
            contact_point.slips,
            contact_point.way_symbols,
            contact_state.way[-1] > 0.0,
        )
        ahead = a * c + b * d + (BACK * trace if begins else 0.0)
        found.append(Guard("stick", contact_point, ahead))
        found.append(Guard("turn", contact_point, ahead - TURN * sqrt(a * a + b * b)))
        if begins:
            found.append(Guard("turn", contact_point, 1.0 - (a * a + b * b) / begun**2))
        else:
            found.append(Guard("stick", contact_point, _goes_on(a, b, contact_point.way_symbols)))
    return found


def _goes_on(a: Expr, b: Expr, way: tuple[Expr, ...]) -> Expr:
    """v² − v0² − v1² sin²φ, over v0²: below zero, slip v = (a, b) in space has ended; φ is how far it has turned.

    It turns at the rate μ N / (m |v|), which steps can follow only while |v| is well above what they may be off.
    """
    c, d, trace, _ = way
    squares, across = a * a + b * b, a * d - b * c
    return squares / (ENDED * trace) ** 2 - 1.0 - (TURNED / ENDED) ** 2 * (across * across / maximum(squares, TINY))

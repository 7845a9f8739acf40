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
from latchwork.constraint.making.sides import kinds
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity import State
from latchwork.contact.feature import Tracked
from latchwork.contact.following import within_reach
from latchwork.contact.law import Contact, Zones
from latchwork.errors import ModelError
from latchwork.hybrid.touching.scales import BOUND, CLEAR, CONE, CONE_IN_SPACE, FIRMER, REACH, TOUCH
from latchwork.hybrid.touching.touch import LEAST, NOTHING_FIXED, SKEWED, Fixed, Touch, Way
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


class Standing(NamedTuple):
    """How a contact is closed: it slides a way, or sticks. At its ``limit`` it would slide there, but others stick.

    One that slipped and stuck again at once, at the very edge of its cone, has a firmer ``grip``.
    """

    state: State
    way: Way = None
    limit: tuple[float, ...] | None = None
    grip: int = 0

    def label(self, name: str) -> str:
        return f"{name}: {WORDS[self.state]}"


def closings(touch: Touch, zones: Mapping[Zones, int]) -> list[Standing]:
    """How a contact may be closed; in space, only how it sticks, for it may slide in any direction."""
    _, mu_s, mu_d = touch.coefficients(zones)
    sticking = [] if _is_nothing(mu_s) else [Standing(State.STICK)]
    if not touch.tangents or _is_nothing(mu_d):
        return [*sticking, Standing(State.SLIDE)]
    sliding = [Standing(State.SLIDE, (1.0,)), Standing(State.SLIDE, (-1.0,))] if len(touch.tangents) == 1 else []
    return [*sticking, *sliding]


def slides_in_space(touch: Touch, zones: Mapping[Zones, int]) -> list[Standing]:
    """How a contact may slide in space, in the only two forms there are: it goes on, or begins, in some direction."""
    if len(touch.tangents) < 2 or _is_nothing(touch.coefficients(zones)[2]):
        return []
    return [Standing(State.SLIDE, (1.0, 0.0, 1.0, begun)) for begun in (0.0, 1.0)]


def _is_nothing(mu: Any) -> bool:
    return not isinstance(mu, Expr) and mu == 0.0


def every_zone(touch: Touch) -> list[dict[Zones, int]]:
    """The zones that a contact may be in, those of the same number together."""
    count = max([len(zone.bounds) for zone in touch.zones], default=0)
    return [{zone: min(i, len(zone.bounds)) for zone in touch.zones} for i in range(1 + count)]


@dataclass(eq=False)
class Standings:
    """The contacts of a run as they are now: closed ones with how, those just opened, those met from behind, zones.

    ``touches`` are watched. What is far away is ``asleep``, or not made yet; ``members`` are all contacts there are.
    """

    touches: list[Touch]
    closed: dict[Touch, Standing] = field(default_factory=dict)
    grazing: dict[Touch, int] = field(default_factory=dict)  # opened before, and so many TOUCH deep then
    behind: set[Touch] = field(default_factory=set)
    zones: dict[Zones, int] = field(default_factory=dict)
    speed: float = 0.0  # the fastest approach so far: what a rebound is measured by
    pace: float = 0.0  # the fastest motion at contacts so far: what slip is measured by
    lam: dict[str, Array] = field(default_factory=dict)  # forces of the contacts where the mode began
    slipped: dict[Touch, tuple[float, int]] = field(default_factory=dict)  # when each began to slip, and its grip then
    shared: float = -math.inf  # when a load was shared otherwise last
    asleep: tuple[Touch, ...] = ()
    members: tuple[Contact, ...] = ()
    _labelled: tuple[Any, tuple[str, ...]] = (None, ())  # what was closed where labels were made last, and these

    @property
    def labels(self) -> tuple[str, ...]:
        """What is closed and how, in words."""
        if not self.closed:
            return ()
        if self._labelled[0] is not self.closed:
            names = tuple([standing.label(touch.name) for touch, standing in self.closed.items()])
            self._labelled = self.closed, names
        return self._labelled[1]

    @property
    def told(self) -> tuple[str, ...]:
        """What is closed, by all names that rules may use: with how, without, and those of whole contacts."""
        if not self.closed:
            return ()
        closed = dict.fromkeys(name for touch in self.closed for name in (touch.name, touch.contact.whole.name))
        return (*self.labels, *closed)

    @property
    def key(self) -> tuple[Any, ...]:
        """All that the equations of the mode depend on."""
        return tuple([(touch, how, *[self.zones[z] for z in touch.zones]) for touch, how in self.closed.items()])

    @property
    def whole_key(self) -> tuple[Any, ...]:
        """All that equations and guards of the mode depend on."""
        return (self.key, frozenset(self.grazing.items()), frozenset(self.behind), tuple(self.zones.items()),
                tuple(self.touches))  # fmt: skip

    def mu(self, touch: Touch) -> tuple[Any, Any]:
        """Static and dynamic friction where it is now."""
        return touch.coefficients(self.zones)[1:]

    def constraints(self) -> dict[Constraint, Touch]:
        """What is closed as constraints, contact by contact."""
        made = {}
        for touch, (state, way, *_) in self.closed.items():
            constraint = touch.sticking if state is State.STICK else touch.sliding(way, self.mu(touch)[1])
            if constraint is not None:
                made[constraint] = touch
        return made

    def dragging(self) -> Iterable[tuple[Touch, list[int]]]:
        """Contacts that slide with friction, and what friction adds to their force rows."""
        for touch, (state, way, *_) in self.closed.items():
            if state is State.SLIDE and way is not None and touch.tangents:
                yield touch, touch.drag(way, self.mu(touch)[1])

    @property
    def names(self) -> tuple[str, ...]:
        """All that contacts may be called: themselves and their features, and these with how they stand."""
        states = (State.SLIDE, State.STICK)
        return tuple(name for contact in self.members for place in contact.names
                     for name in (place, *(Standing(state).label(place) for state in states)))  # fmt: skip

    @property
    def contacts(self) -> set[str]:
        """The same, each once."""
        return set(self.names)

    def forces(self, lam: Mapping[str, Sequence[Expr]]) -> dict[str, Expr]:
        """The normal forces of what is closed."""
        found = {touch.name: touch.force if touch.held else lam[touch.name][0] for touch in self.closed}
        for touch in self.closed:
            name = touch.contact.whole.name
            if not touch.contact.is_eager or touch.contact.place_of is not None:
                found[name] = found[touch.name] if name not in found else found[name] + found[touch.name]
        return found

    def places_of(self, contact: Contact) -> list[Touch]:
        """All that track a place of the curve or surface of a contact."""
        return [touch for touch in self.touches if touch.is_place_of(contact)]

    # --- zones --------------------------------------------------------------------------------------------------

    def zone_nodes(self, touch: Touch, zone: Zones) -> list[int]:
        """x − bound for every bound, as nodes in t, q, u."""
        g, replaced = touch.equations.system.graph, touch.equations.derivation.kinematics.replaced
        return rebuild(g, [operand(g, zone.x - bound) for bound in zone.bounds], replaced)

    def enter_zones(self, touches: Iterable[Touch], x: Array) -> None:
        """Find the zones at a state, for contacts that are new."""
        for touch in touches:
            for zone in touch.zones:
                if zone not in self.zones:
                    g = touch.equations.system.graph
                    nodes = rebuild(g, self.zone_nodes(touch, zone), touch.base.laws)
                    values = Function(lower(g, nodes, touch.base.arguments))(x)
                    if (np.diff(values) >= 0.0).any():
                        bounds = ", ".join(f"{bound:.6g}" for bound in touch.lowered(list(zone.bounds))(x))
                        raise ModelError(
                            f"the bounds of zones along {zone.x} of '{touch.contact.name}' are {bounds} in this run. "
                            "Give parameters that put them in increasing order."
                        )
                    self.zones[zone] = int(np.count_nonzero(values >= 0.0))

    # --- change of the equations --------------------------------------------------------------------------------

    def made_again(self, again: Mapping[Touch, Touch]) -> None:
        """The same standings of contacts that were made anew, for other equations."""
        self.touches = [again[touch] for touch in self.touches]
        self.asleep = tuple(again[touch] for touch in self.asleep if touch in again)
        self.closed = {again[touch]: standing for touch, standing in self.closed.items()}
        self.grazing = {again[touch]: deep for touch, deep in self.grazing.items()}
        self.behind = {again[touch] for touch in self.behind}
        self.slipped = {again[touch]: since for touch, since in self.slipped.items() if touch in again}

    def copied(self) -> Standings:
        """A copy that is not touched by what happens to these."""
        return replace(self, touches=list(self.touches), closed=dict(self.closed), grazing=dict(self.grazing),
                       behind=set(self.behind), zones=dict(self.zones), lam=dict(self.lam),
                       slipped=dict(self.slipped))  # fmt: skip

    @property
    def every(self) -> tuple[Touch, ...]:
        """All that are made: those that are watched, then those that are not."""
        return (*self.touches, *self.asleep)

    def without(self, contact: Contact) -> Standings:
        """The same standings with a contact taken away, closed or open, and the zones that only it had."""
        away = {touch for touch in self.every if touch.contact is contact}
        touches = [touch for touch in self.touches if touch not in away]
        left = {zone for touch in touches for zone in touch.zones}
        names = {touch.name for touch in away}
        return replace(
            self, touches=touches, asleep=tuple(touch for touch in self.asleep if touch not in away),
            members=tuple(each for each in self.members if each is not contact),
            closed={touch: how for touch, how in self.closed.items() if touch not in away},
            grazing={touch: deep for touch, deep in self.grazing.items() if touch not in away},
            behind=self.behind - away,
            zones={zone: i for zone, i in self.zones.items() if zone in left},
            lam={name: force for name, force in self.lam.items() if name not in names},
        )  # fmt: skip

    def let_clear(self, x: Array) -> None:
        """Contacts that opened, and are clear at a state, are watched as all others from now on."""
        if self.grazing:
            self.grazing = {touch: deep for touch, deep in self.grazing.items() if not is_clear(*touch.gap(x))}

    def left(self, x: Array) -> None:
        """Nothing is known to be closed any more, at a state that came about otherwise."""
        self.closed, self.grazing, self.lam = {}, {}, {}
        found = [(touch, *touch.gap(x)) for touch in self.touches]
        self.behind = {touch for touch, gap, inside in found if gap < -REACH * TOUCH and inside >= 0.0}

    def rest(self, x: Array, forces: Mapping[Touch, Array]) -> None:
        """Contacts that hold everything stick (or touch without friction), with these forces; others just opened."""
        self.closed = {touch: Standing(State.STICK if len(forces[touch]) > 1 else State.SLIDE)
                       for touch in self.touches if touch in forces}  # fmt: skip
        self.lam = {touch.name: force for touch, force in forces.items()}
        gaps = {touch: touch.gap(x)[0] for touch in self.touches if touch not in forces and touch not in self.behind}
        self.grazing = {touch: deep_in(gap) for touch, gap in gaps.items() if gap <= CLEAR * TOUCH}


def is_clear(gap: float, inside: float) -> bool:
    """Whether a contact that opened is watched as all others: far enough, or as far outside its domain."""
    return max(gap, -inside) > CLEAR * TOUCH


def deep_in(gap: float) -> int:
    """How deep a contact is that opens, in whole `TOUCH`, half is none."""
    return max(0, math.ceil(-gap / TOUCH - 0.5))


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


def touch_guards(standings: Standings, touch: Touch, lam: Sequence[Expr]) -> Guards:
    """What watches one contact: its gap closes, its force turns, its cone is left, its slip or its patch ends.

    ``lam`` are the multipliers of its rows where it is closed. The contact keeps what is made: the same object each
    time.
    """
    standing = standings.closed.get(touch)
    key: tuple[Any, ...] = (standings.grazing.get(touch), touch in standings.behind)
    if standing is not None:
        key = (standing, *[standings.zones[zone] for zone in touch.zones], *[force.node for force in lam])
    kept: Guards | None = touch.watched.get(key)
    if kept is None:
        fixed = NOTHING_FIXED if standing is None else touch.fixed_in(standing.way)
        if standing is None or fixed is NOTHING_FIXED:
            found = _open(standings, touch) if standing is None else _closed(standings, touch, standing, lam)
        else:  # however it slides in space, what watches it is the same in symbols
            form = (standing.state, standing.limit is None, standing.way[-1] > 0.0 if standing.way else None, *key[1:])
            found = touch.watched.get(form) or touch.watched.setdefault(form, _closed(standings, touch, standing, lam))
        if touch.feature.tracked is not None:
            found = [*found, Guard("lost", touch, _least(touch.feature.tracked))]
        kept = Guards(found)
        kept.fixed = fixed
        touch.keep(key, kept)
    return kept


def zone_guards(touch: Touch, zone: Zones, i: int) -> Guards:
    """What watches the zone of number i of a contact: it is left downwards or upwards."""
    kept: Guards | None = touch.watched.get((zone, i))
    if kept is None:
        found = [Guard("zone", zone, zone.x - zone.bounds[i - 1], step=-1)] if i > 0 else []
        if i < len(zone.bounds):
            found.append(Guard("zone", zone, zone.bounds[i] - zone.x, step=1))
        kept = touch.watched[zone, i] = Guards(found)
    return kept


def shifted_gap(touch: Touch, deep: int) -> Expr:
    """The gap within the domain of the feature, its bounds included, so many `TOUCH` and two below zero."""
    gap = touch.feature.gap + (2.0 + deep) * TOUCH if deep > -2 else touch.feature.gap
    for inside in touch.feature.within:
        gap = maximum(gap, -inside - BOUND)
    return gap


def _least(tracked: Tracked) -> Expr:
    """Falls below zero where an extremal point is no least distance any more; one that waits out of reach is none."""
    reach = within_reach(tracked)
    return tracked.minimum - LEAST if reach is None else maximum(tracked.minimum - LEAST, -reach)


def _open(standings: Standings, touch: Touch) -> list[Guard]:
    """What is watched of a contact that is open: one that has just opened may be a little deeper until it is clear."""
    depth = shifted_gap(touch, -2)
    if touch in standings.grazing:
        deep, high = standings.grazing[touch], CLEAR * TOUCH
        return [Guard("touch", touch, depth, height=high),
                Guard("touch", touch, shifted_gap(touch, deep), height=-high - (2.0 + deep) * TOUCH)]  # fmt: skip
    if touch in standings.behind:
        return [Guard("around", touch, -depth)]
    return [Guard("touch", touch, depth)]


def _law_guards(standings: Standings, touch: Touch) -> list[Guard]:
    """Friction that changes in the run must stay above zero, and μ_d below μ_s: where it does not, it is refused."""
    mu_s, mu_d = standings.mu(touch)
    moving = [mu for mu in (mu_s, mu_d) if isinstance(mu, Expr) and set(kinds(mu)) - {"parameter"}]
    if not moving:
        return []
    found = [Guard("law", touch, mu_d + SLACK)]
    return found if mu_s is mu_d else [*found, Guard("law", touch, mu_s - mu_d + SLACK)]


def _closed(standings: Standings, touch: Touch, standing: Standing, lam: Sequence[Expr]) -> list[Guard]:
    normal = touch.force if touch.held else lam[0]
    found = [Guard("release", touch, normal, True), *_law_guards(standings, touch)]
    found += [Guard("patch", touch, inside) for inside in touch.feature.within]
    if touch.upright is not None:
        found.append(Guard("skew", touch, touch.upright - SKEWED))
    if standing.state is State.STICK:
        across = lam if touch.held else lam[1:]
        mu = standings.mu(touch)[0]
        if across:
            squares = sum((force * force for force in across[1:]), start=across[0] * across[0])
            cone = (CONE if len(across) == 1 else CONE_IN_SPACE) * FIRMER**standing.grip
            limit = (mu * normal) * (mu * normal) * (1.0 + cone)
            found.append(Guard("slip", touch, limit - squares, True))
    elif standing.limit is not None:
        pass  # its slip is nothing, and has no sign
    elif standing.way is not None and len(touch.tangents) == 1:
        found.append(Guard("stick", touch, touch.slips[0] * standing.way[0] + STILL))
    elif standing.way is not None and touch.tangents:
        (a, b), (c, d, trace, begun), begins = touch.slips, touch.way_symbols, standing.way[-1] > 0.0
        ahead = a * c + b * d + (BACK * trace if begins else 0.0)
        found.append(Guard("stick", touch, ahead))
        found.append(Guard("turn", touch, ahead - TURN * sqrt(a * a + b * b)))
        if begins:
            found.append(Guard("turn", touch, 1.0 - (a * a + b * b) / begun**2))
        else:
            found.append(Guard("stick", touch, _goes_on(a, b, touch.way_symbols)))
    return found


def _goes_on(a: Expr, b: Expr, way: tuple[Expr, ...]) -> Expr:
    """v² − v0² − v1² sin²φ, over v0²: below zero, slip v = (a, b) in space has ended; φ is how far it has turned.

    It turns at the rate μ N / (m |v|), which steps can follow only while |v| is well above what they may be off.
    """
    c, d, trace, _ = way
    squares, across = a * a + b * b, a * d - b * c
    return squares / (ENDED * trace) ** 2 - 1.0 - (TURNED / ENDED) ** 2 * (across * across / maximum(squares, TINY))

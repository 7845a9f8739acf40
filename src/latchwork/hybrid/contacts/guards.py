"""Guards of contacts: what ends a contact state where it falls through zero, and what watches a whole mode."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.joints.sides import kinds
from latchwork.constraint.terms import Array
from latchwork.contact.closest_point.states import within_reach
from latchwork.contact.complementarity.solution import State
from latchwork.contact.feature import Tracked
from latchwork.contact.law import Zones
from latchwork.hybrid.contacts.contact_point import LEAST, NOTHING_FIXED, SKEWED, ContactPoint, Fixed
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates
from latchwork.hybrid.contacts.tolerances import BOUND, CLEAR, CLOSED_GAP, CONE, CONE_IN_SPACE, WIDER
from latchwork.symbolic.expr import Expr, maximum, sqrt

TURN = 0.5  # cosine of the angle by which slip in space may turn in one mode
ENDED, TURNED = 1e4, 1e6  # of the trace that slip in space keeps: slower, it has ended; and where it has turned
STILL = 1e-13  # in units of the model: slip in the plane that is backwards by less may be about to begin
BACK = 1e-6  # of the trace of slip that begins: less of it backwards is rounding
TINY = 1e-60  # of a squared speed: what is divided by never vanishes
SLACK = 1e-9  # by which friction may be off its bounds in the run


class Guard(NamedTuple):
    """Something that ends a mode where it falls through zero: what it means, whom it is about, and the expression."""

    kind: str
    about: Any
    value: Expr
    by_force: bool = False  # in terms of u̇ or λ: it has no rate, and must not be negative to begin with
    step: int = 0  # of a zone: down or up
    height: float = 0.0  # armed once it has been above it; dismissed where it is negative: see `guard_location`


class Guards(tuple[Guard, ...]):
    """All that watches a mode; ``fixed`` are symbols in it that stand for numbers."""

    fixed: Fixed = NOTHING_FIXED

    @cached_property
    def of_rules(self) -> bool:
        """Whether rules are among them."""
        return any(guard.kind == "rule" for guard in self)

    @cached_property
    def on_forces(self) -> list[int]:
        """The places of those on forces."""
        return [i for i, guard in enumerate(self) if guard.by_force]

    @cached_property
    def heights(self) -> Array | float:
        """Those by which they are armed or dismissed; 0 where none has any."""
        heights = [guard.height for guard in self]
        return np.array(heights) if any(heights) else 0.0


def contact_guards(contact_states: ContactStates, contact_point: ContactPoint, lam: Sequence[Expr]) -> Guards:
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

"""Swift: what happens where a mode ends, in the simple cases, which are most: `Reset` says it for all.

Who is near is seen from all gaps. One contact alone comes through by `single_contact_reset`, or by
`enforced_contact_reset` where the coordinates
hold it; a few that neither approach nor part, as where one edge ends and the next begins, settle together. Where that
takes more care, nothing is changed, and `Reset` acts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from latchwork.constraint.terms import Array, Terms
from latchwork.contact.complementarity.single_contact import STATES
from latchwork.contact.complementarity.solution import State
from latchwork.contact.law import Zones
from latchwork.hybrid.contacts.contact_point import ContactPoint, Way
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates, deep_in, is_clear
from latchwork.hybrid.contacts.delassus_programs import DelassusPrograms
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.contacts.impact_reset import Happened
from latchwork.hybrid.contacts.single_contact_reset import AS_IS, LETS_GO, OTHERS, PARTED, Passed

FEW = 4  # contacts that may be near
STICKS = ContactState(State.STICK)

Near = tuple[ContactPoint, float, float]  # a contact, its gap, and how far inside its domain it is


class Alone(NamedTuple):
    """The only contact that was near, if any; its state as a number, and the sign of its slip."""

    near: ContactPoint | None
    state: int = PARTED
    way: int = 0


class Swiftly(NamedTuple):
    """The state after, the energy that was put in, and impacts; where one contact at most was near, what came of it."""

    x: Array
    work: float
    impacts: Sequence[Happened]
    alone: Alone | None = None


@dataclass(slots=True, eq=False)
class Hit:
    """What was hit: contacts that touch, rest, let go, are clear, or whose patch ends; slip to come; zones entered."""

    zones: Mapping[Zones, int]
    touching: list[ContactPoint] = field(default_factory=list)
    leaving: list[ContactPoint] = field(default_factory=list)
    clear: list[ContactPoint] = field(default_factory=list)
    resting: ContactPoint | None = None
    lets_go: ContactPoint | None = None
    slips: ContactPoint | None = None
    must: float = 0.0


def swiftly(
    s: ContactStates,
    delassus_programs: DelassusPrograms,
    held: Terms,
    x: Array,
    hits: Sequence[Guard],
    lam: Mapping[str, Array],
    brief: float,
) -> Swiftly | None:
    """Go through what was hit at x = (t, q, u, rest), and change how contacts stand; none where it takes more care."""
    hit = taken(s.zones, hits, lam)
    if hit is None or not all([contact_point.is_usual for contact_point in s.contact_points]):
        return None
    near: list[Near] = []
    kept: list[ContactPoint] = []
    ended: list[tuple[ContactPoint, float]] = []
    closed, leaving_depths, behind = s.closed, s.leaving_depths, s.behind
    ending = [contact_point.contact for contact_point in hit.leaving]
    small = delassus_programs.tolerances
    reach = small.reach
    for contact_point, gap, inside in delassus_programs.gaps(s.contact_points, x):
        if (
            contact_point in hit.touching and gap < -reach and inside < -gap
        ):  # through the end of a domain, not a surface
            return None
        if contact_point in leaving_depths and is_clear(gap, inside, small):
            hit.clear.append(contact_point)
        if contact_point.held:
            kept.append(contact_point)
        elif contact_point in hit.leaving:
            ended.append((contact_point, gap))
        elif contact_point not in behind:
            stays_out = (
                contact_point in leaving_depths
                and contact_point not in hit.clear
                and contact_point.contact not in ending
            )
            within = inside > 0.0 if stays_out else inside >= -reach
            if contact_point in closed or (gap <= reach and within) or gap != gap:
                near.append((contact_point, gap, inside))
    if len(kept) > 1 or (kept and near) or len(near) > FEW:
        return None
    if hit.clear:
        s.leaving_depths = {
            contact_point: deep for contact_point, deep in leaving_depths.items() if contact_point not in hit.clear
        }
    if kept:
        passed = _keep(s, delassus_programs, held, x, kept[0], hit)
    elif len(near) > 1:
        passed = _stay(s, delassus_programs, held, x, near, hit)
    else:
        passed = _pass(s, delassus_programs, held, x, near[0], hit, brief) if near else _opened(s, x)
    if passed is None:
        s.leaving_depths = leaving_depths
        return None
    if hit.zones is not s.zones:
        s.zones = dict(hit.zones)
    if ended or s.leaving_depths:
        fresh = s.leaving_depths | {
            contact_point: deep_in(gap, small) for contact_point, gap in ended if contact_point not in behind
        }
        s.leaving_depths = {
            contact_point: deep for contact_point, deep in fresh.items() if contact_point not in s.closed
        }
    return passed


def taken(zones: Mapping[Zones, int], hits: Sequence[Guard], lam: Mapping[str, Array]) -> Hit | None:
    """What the guards mean; none where one of them takes more care."""
    hit = Hit(zones)
    for kind, about, _, _, step, height, _ in hits:
        if kind == "touch":
            hit.touching.append(about)
            if height > 0.0:
                hit.clear.append(about)
        elif kind == "patch":
            hit.leaving.append(about)
        elif kind == "zone":
            hit.zones = {zone: i + step if zone is about else i for zone, i in hit.zones.items()}
        elif kind == "release" and hit.lets_go is None:
            hit.lets_go = about
        elif kind == "stick" and hit.resting is None:
            hit.resting = about
        elif kind == "slip" and hit.slips is None and len(about.tangents) == 1:
            hit.slips, force = about, lam[about.name][-1] if about.name in lam else 1.0
            hit.must = -math.copysign(1.0, force)
            if force == 0.0:
                return None
        else:
            return None
    return hit


def _opened(s: ContactStates, x: Array) -> Swiftly:
    """None is near."""
    s.closed, s.lam = {}, {}
    return Swiftly(x, 0.0, (), Alone(None))


def _keep(
    s: ContactStates, delassus_programs: DelassusPrograms, held: Terms, x: Array, contact_point: ContactPoint, hit: Hit
) -> Swiftly | None:
    """One that the coordinates hold, and no other is near."""
    keeping = delassus_programs.keeping(held, contact_point)
    if keeping is None:
        return None
    _, mu_s, mu_d = contact_point.laws(x, hit.zones)
    fastest = max(s.speed, delassus_programs.tolerances.left * s.pace)
    way = keeping(x, (mu_s, mu_d), fastest, hit.resting is contact_point, hit.must)
    if way is None:
        return None
    sticks = way == 0.0 and mu_s > 0.0
    s.closed = {
        contact_point: STICKS if sticks else ContactState(State.SLIDE, (way,) if mu_d > 0.0 and way != 0.0 else None)
    }
    s.lam = {}
    alone = Alone(contact_point, STATES.index(State.STICK if sticks else State.SLIDE), (way > 0.0) - (way < 0.0))
    return Swiftly(x, 0.0, (), alone)


def _pass(s: ContactStates, delassus_programs: DelassusPrograms, held: Terms, x: Array, near: Near, hit: Hit,
          brief: float) -> Swiftly | None:  # fmt: skip
    """One that is near."""
    contact_point, gap, inside = near
    passing = delassus_programs.passing(held, contact_point)
    if passing is None or not math.isfinite(gap):
        return None
    laws = contact_point.laws(x, hit.zones)
    opened = (
        OTHERS if s.closed and contact_point not in s.closed else LETS_GO if contact_point is hit.lets_go else AS_IS
    )
    passed = passing(x, laws, s.speed, s.pace, brief, contact_point is hit.resting, hit.must, opened)
    if passed is None:
        return None
    state = passed.state
    s.speed, s.pace = passed.speed, passed.pace
    s.closed = (
        {} if state is None or state is State.OPEN else {contact_point: ContactState(state, _way(passed, laws[2]))}
    )
    s.lam = {} if state is None else {contact_point.name: passed.lam}
    if state is State.OPEN or (
        contact_point.feature.within and -2.0 * contact_point.tolerances.bound <= inside < -gap
    ):  # opened, or entered from below
        s.leaving_depths = s.leaving_depths | {contact_point: deep_in(gap, contact_point.tolerances)}
    alone = Alone(
        contact_point, PARTED if state is None else STATES.index(state), (passed.way > 0.0) - (passed.way < 0.0)
    )
    return Swiftly(passed.x, passed.gained, _happened(contact_point, passed), alone)


def _stay(
    s: ContactStates, delassus_programs: DelassusPrograms, held: Terms, x: Array, near: Sequence[Near], hit: Hit
) -> Swiftly | None:
    """A few that are near, none of which approaches or parts: which of them stay closed."""
    contact_points, small = tuple([contact_point for contact_point, _, _ in near]), delassus_programs.tolerances
    staying = delassus_programs.staying(held, contact_points) if hit.must == 0.0 else None
    if staying is None:
        return None
    laws = [contact_point.laws(x, hit.zones) for contact_point in contact_points]
    closed = (
        [contact_point in s.closed and contact_point is not hit.lets_go for contact_point in contact_points]
        if s.closed
        else None
    )
    resting = contact_points.index(hit.resting) if hit.resting in contact_points else -1
    stayed = staying(contact_points, x, laws, s.speed, s.pace, resting, closed)
    if stayed is None:
        return None
    s.pace, s.lam = (
        stayed.pace,
        dict(zip([contact_point.name for contact_point in contact_points], stayed.lam, strict=True)),
    )
    s.closed = {
        contact_point: ContactState(State.SLIDE, (way,) if way != 0.0 and law[2] != 0.0 else None)
        for contact_point, slides, way, law in zip(contact_points, stayed.slides, stayed.ways, laws, strict=True)
        if slides
    }
    fresh = {
        contact_point: deep_in(gap, small)
        for contact_point, gap, inside in near
        if contact_point not in s.closed or (contact_point.feature.within and -2.0 * small.bound <= inside < -gap)
    }
    s.leaving_depths = s.leaving_depths | fresh
    return Swiftly(x, 0.0, ())


def _way(passed: Passed, mu_d: float) -> Way:
    """The direction kept in a standing in the plane: a sign, where there is friction."""
    return (passed.way,) if passed.state is State.SLIDE and passed.way != 0.0 and mu_d > 0.0 else None


def _happened(contact_point: ContactPoint, passed: Passed) -> Sequence[Happened]:
    if not passed.impacts:
        return ()
    return (Happened({contact_point.name: passed.impulse} if any(passed.impulse.tolist()) else {}, -passed.struck),)

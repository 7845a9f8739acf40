"""Swift: what happens where a mode ends, in the simple cases, which are most: `Crossing` says it for all.

Who is near is seen from all gaps. One contact alone comes through by `passing`, or by `keeping` where the coordinates
hold it; a few that neither approach nor part, as where one edge ends and the next begins, settle together. Where that
takes more care, nothing is changed, and `Crossing` acts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from latchwork.constraint.terms import Array, Terms
from latchwork.contact.alone import STATES
from latchwork.contact.complementarity import State
from latchwork.contact.law import Zones
from latchwork.hybrid.touching.meetings import Meetings
from latchwork.hybrid.touching.passing import AS_IS, LETS_GO, OTHERS, PARTED, Passed
from latchwork.hybrid.touching.scales import BOUND, LEFT, REACH, TOUCH
from latchwork.hybrid.touching.standing import Guard, Standing, Standings, deep_in, is_clear
from latchwork.hybrid.touching.striking import Happened
from latchwork.hybrid.touching.touch import Touch, Way

FEW = 4  # contacts that may be near
IN_REACH, ON_BOUND = REACH * TOUCH, -2.0 * BOUND
STICKS = Standing(State.STICK)

Near = tuple[Touch, float, float]  # a contact, its gap, and how far inside its domain it is


class Alone(NamedTuple):
    """The only contact that was near, if any; its state as a number, and the sign of its slip."""

    near: Touch | None
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
    touching: list[Touch] = field(default_factory=list)
    leaving: list[Touch] = field(default_factory=list)
    clear: list[Touch] = field(default_factory=list)
    resting: Touch | None = None
    lets_go: Touch | None = None
    slips: Touch | None = None
    must: float = 0.0


def swiftly(s: Standings, meetings: Meetings, held: Terms, x: Array, hits: Sequence[Guard], lam: Mapping[str, Array],
            brief: float) -> Swiftly | None:  # fmt: skip
    """Go through what was hit at x = (t, q, u, rest), and change how contacts stand; none where it takes more care."""
    hit = taken(s.zones, hits, lam)
    if hit is None:
        return None
    near: list[Near] = []
    kept: list[Touch] = []
    ended: list[tuple[Touch, float]] = []
    closed, grazing, behind = s.closed, s.grazing, s.behind
    ending = [touch.contact for touch in hit.leaving]
    for touch, gap, inside in meetings.gaps(s.touches, x):
        if touch in hit.touching and gap < -IN_REACH and inside < -gap:  # through the end of a domain, not a surface
            return None
        if touch in grazing and is_clear(gap, inside):
            hit.clear.append(touch)
        if touch.held:
            kept.append(touch)
        elif touch in hit.leaving:
            ended.append((touch, gap))
        elif touch not in behind:
            stays_out = touch in grazing and touch not in hit.clear and touch.contact not in ending
            within = inside > 0.0 if stays_out else inside >= -IN_REACH
            if touch in closed or (gap <= IN_REACH and within) or gap != gap:
                near.append((touch, gap, inside))
    if len(kept) > 1 or (kept and near) or len(near) > FEW:
        return None
    if hit.clear:
        s.grazing = {touch: deep for touch, deep in grazing.items() if touch not in hit.clear}
    if kept:
        passed = _keep(s, meetings, held, x, kept[0], hit)
    elif len(near) > 1:
        passed = _stay(s, meetings, held, x, near, hit)
    else:
        passed = _pass(s, meetings, held, x, near[0], hit, brief) if near else _opened(s, x)
    if passed is None:
        s.grazing = grazing
        return None
    if hit.zones is not s.zones:
        s.zones = dict(hit.zones)
    if ended or s.grazing:
        fresh = s.grazing | {touch: deep_in(gap) for touch, gap in ended if touch not in behind}
        s.grazing = {touch: deep for touch, deep in fresh.items() if touch not in s.closed}
    return passed


def taken(zones: Mapping[Zones, int], hits: Sequence[Guard], lam: Mapping[str, Array]) -> Hit | None:
    """What the guards mean; none where one of them takes more care."""
    hit = Hit(zones)
    for kind, about, _, _, step, height in hits:
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


def _opened(s: Standings, x: Array) -> Swiftly:
    """None is near."""
    s.closed, s.lam = {}, {}
    return Swiftly(x, 0.0, (), Alone(None))


def _keep(s: Standings, meetings: Meetings, held: Terms, x: Array, touch: Touch, hit: Hit) -> Swiftly | None:
    """One that the coordinates hold, and no other is near."""
    keeping = meetings.keeping(held, touch)
    if keeping is None:
        return None
    _, mu_s, mu_d = touch.laws(x, hit.zones)
    way = keeping(x, (mu_s, mu_d), max(s.speed, LEFT * s.pace), hit.resting is touch, hit.must)
    if way is None:
        return None
    sticks = way == 0.0 and mu_s > 0.0
    s.closed = {touch: STICKS if sticks else Standing(State.SLIDE, (way,) if mu_d > 0.0 and way != 0.0 else None)}
    s.lam = {}
    alone = Alone(touch, STATES.index(State.STICK if sticks else State.SLIDE), (way > 0.0) - (way < 0.0))
    return Swiftly(x, 0.0, (), alone)


def _pass(s: Standings, meetings: Meetings, held: Terms, x: Array, near: Near, hit: Hit,
          brief: float) -> Swiftly | None:  # fmt: skip
    """One that is near."""
    touch, gap, inside = near
    passing = meetings.passing(held, touch)
    if passing is None or not math.isfinite(gap):
        return None
    laws = touch.laws(x, hit.zones)
    opened = OTHERS if s.closed and touch not in s.closed else LETS_GO if touch is hit.lets_go else AS_IS
    passed = passing(x, laws, s.speed, s.pace, brief, touch is hit.resting, hit.must, opened)
    if passed is None:
        return None
    state = passed.state
    s.speed, s.pace = passed.speed, passed.pace
    s.closed = {} if state is None or state is State.OPEN else {touch: Standing(state, _way(passed, laws[2]))}
    s.lam = {} if state is None else {touch.name: passed.lam}
    if state is State.OPEN or (touch.feature.within and ON_BOUND <= inside < -gap):  # opened, or entered from below
        s.grazing = s.grazing | {touch: deep_in(gap)}
    alone = Alone(touch, PARTED if state is None else STATES.index(state), (passed.way > 0.0) - (passed.way < 0.0))
    return Swiftly(passed.x, passed.gained, _happened(touch, passed), alone)


def _stay(s: Standings, meetings: Meetings, held: Terms, x: Array, near: Sequence[Near], hit: Hit) -> Swiftly | None:
    """A few that are near, none of which approaches or parts: which of them stay closed."""
    touches = tuple([touch for touch, _, _ in near])
    staying = meetings.staying(held, touches) if hit.must == 0.0 else None
    if staying is None:
        return None
    laws = [touch.laws(x, hit.zones) for touch in touches]
    closed = [touch in s.closed and touch is not hit.lets_go for touch in touches] if s.closed else None
    resting = touches.index(hit.resting) if hit.resting in touches else -1
    stayed = staying(touches, x, laws, s.speed, s.pace, resting, closed)
    if stayed is None:
        return None
    s.pace, s.lam = stayed.pace, dict(zip([touch.name for touch in touches], stayed.lam, strict=True))
    s.closed = {touch: Standing(State.SLIDE, (way,) if way != 0.0 and law[2] != 0.0 else None)
                for touch, slides, way, law in zip(touches, stayed.slides, stayed.ways, laws, strict=True)
                if slides}  # fmt: skip
    fresh = {touch: deep_in(gap) for touch, gap, inside in near
             if touch not in s.closed or (touch.feature.within and ON_BOUND <= inside < -gap)}  # fmt: skip
    s.grazing = s.grazing | fresh
    return Swiftly(x, 0.0, ())


def _way(passed: Passed, mu_d: float) -> Way:
    """The direction kept in a standing in the plane: a sign, where there is friction."""
    return (passed.way,) if passed.state is State.SLIDE and passed.way != 0.0 and mu_d > 0.0 else None


def _happened(touch: Touch, passed: Passed) -> Sequence[Happened]:
    if not passed.impacts:
        return ()
    return (Happened({touch.name: passed.impulse} if any(passed.impulse.tolist()) else {}, -passed.struck),)

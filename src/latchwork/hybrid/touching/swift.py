"""Swift: what happens where a mode ends, if one contact is near and no other, or none; `Crossing` says it for all.

Who is near is seen from all gaps; the contact comes through by `passing`, or by `keeping` where the coordinates hold
it. Where that takes more care, nothing is changed, and `Crossing` acts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from latchwork.constraint.terms import Array, Terms
from latchwork.contact.complementarity import State
from latchwork.hybrid.touching.meeting import Meetings
from latchwork.hybrid.touching.passing import AS_IS, LETS_GO, OTHERS, Passed
from latchwork.hybrid.touching.scales import LEFT, REACH, TOUCH
from latchwork.hybrid.touching.standing import Guard, Standing, Standings, deep_in
from latchwork.hybrid.touching.striking import Happened
from latchwork.hybrid.touching.touch import Touch, Way

IN_REACH = REACH * TOUCH


class Swiftly(NamedTuple):
    """The state after, the energy that was put in, and impacts."""

    x: Array
    work: float
    impacts: Sequence[Happened]


class Hit(NamedTuple):
    """What was hit: a contact that closes, rests, lets go, or is clear; or the way in which one begins to slip."""

    touching: Touch | None = None
    resting: Touch | None = None
    lets_go: Touch | None = None
    clear: Touch | None = None
    must: float = 0.0


def swiftly(s: Standings, meetings: Meetings, held: Terms, x: Array, hits: Sequence[Guard], lam: Mapping[str, Array],
            brief: float) -> Swiftly | None:  # fmt: skip
    """Go through what was hit at x = (t, q, u, rest), and change how contacts stand; none where it takes more care."""
    hit = NOTHING if not hits else _hit(hits[0], lam) if len(hits) == 1 else None
    if hit is None:
        return None
    near: list[tuple[Touch, float, float]] = []
    kept: list[Touch] = []
    closed, grazing, behind = s.closed, s.grazing, s.behind
    for touch, gap, inside in meetings.gaps(s.touches, x):
        if touch.held:
            kept.append(touch)
        elif touch not in behind:
            within = inside > 0.0 if touch in grazing and touch is not hit.clear else inside >= -IN_REACH
            if touch in closed or (gap <= IN_REACH and within) or gap != gap:
                near.append((touch, gap, inside))
    if len(near) > 1 or len(kept) + len(near) > 1:
        return None
    if kept:
        return _keep(s, meetings, held, x, kept[0], hit)
    return _pass(s, meetings, held, x, near[0], hit, brief) if near else _clear(s, x, hit)


def _hit(guard: Guard, lam: Mapping[str, Array]) -> Hit | None:
    """What one guard means; none for what takes more care."""
    kind, touch = guard.kind, guard.about
    if kind == "touch":
        return Hit(touching=touch)
    if kind == "release":
        return Hit(lets_go=touch)
    if kind == "stick":
        return Hit(resting=touch)
    if kind == "clear":
        return Hit(clear=touch)
    if kind == "slip" and len(touch.tangents) == 1 and lam[touch.name][-1] != 0.0:
        return Hit(must=-math.copysign(1.0, lam[touch.name][-1]))
    return None


NOTHING = Hit()


def _clear(s: Standings, x: Array, hit: Hit) -> Swiftly | None:
    """None is near."""
    if hit.touching is not None:
        return None
    s.closed, s.lam = {}, {}
    _note(s, hit, ())
    return Swiftly(x, 0.0, ())


def _note(s: Standings, hit: Hit, fresh: Iterable[tuple[Touch, int]]) -> None:
    """Contacts that have just opened, or were entered from below, and how deep they are."""
    grazing = s.grazing | dict(fresh)
    s.grazing = {touch: deep for touch, deep in grazing.items() if touch not in s.closed and touch is not hit.clear}


def _keep(s: Standings, meetings: Meetings, held: Terms, x: Array, touch: Touch, hit: Hit) -> Swiftly | None:
    """One that the coordinates hold, and no other is near."""
    keeping = meetings.keeping(held, touch)
    if keeping is None or hit.touching is not None:
        return None
    _, mu_s, mu_d = touch.laws(x, s.zones)
    way = keeping(x, (mu_s, mu_d), max(s.speed, LEFT * s.pace), hit.resting is touch, hit.must)
    if way is None:
        return None
    sticks = way == 0.0 and mu_s > 0.0
    s.closed = {touch: STICKS if sticks else Standing(State.SLIDE, (way,) if mu_d > 0.0 and way != 0.0 else None)}
    s.lam = {}
    _note(s, hit, ())
    return Swiftly(x, 0.0, ())


STICKS = Standing(State.STICK)


def _pass(s: Standings, meetings: Meetings, held: Terms, x: Array, near: tuple[Touch, float, float], hit: Hit,
          brief: float) -> Swiftly | None:  # fmt: skip
    """One that is near."""
    touch, gap, inside = near
    passing = meetings.passing(held, touch)
    through = hit.touching is not None and gap < -IN_REACH and inside < -gap  # the end of a domain, not a surface
    if passing is None or through or hit.touching not in (None, touch) or not math.isfinite(gap):
        return None
    e, mu_s, mu_d = touch.laws(x, s.zones)
    opened = OTHERS if s.closed and touch not in s.closed else LETS_GO if touch is hit.lets_go else AS_IS
    passed = passing(x, (e, mu_s, mu_d), s.speed, s.pace, brief, touch is hit.resting, hit.must, opened)
    if passed is None:
        return None
    state = passed.state
    s.speed, s.pace = passed.speed, passed.pace
    s.closed = {} if state in (None, State.OPEN) else {touch: Standing(state, _way(passed, mu_d))}
    s.lam = {} if state is None else {touch.name: passed.lam}
    fresh = state is State.OPEN or (touch.feature.within and 0.0 <= inside < -gap)
    if fresh or s.grazing:
        _note(s, hit, [(touch, deep_in(gap))] if fresh else ())
    return Swiftly(passed.x, passed.gained, _happened(touch, passed))


def _way(passed: Passed, mu_d: float) -> Way:
    """The direction kept in a standing in the plane: a sign, where there is friction."""
    return (passed.way,) if passed.state is State.SLIDE and passed.way != 0.0 and mu_d > 0.0 else None


def _happened(touch: Touch, passed: Passed) -> Sequence[Happened]:
    if not passed.impacts:
        return ()
    return (Happened({touch.name: passed.impulse} if passed.impulse.any() else {}, -passed.struck),)

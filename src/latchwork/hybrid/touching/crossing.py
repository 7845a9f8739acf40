"""What happens where a mode ends: zones change, impacts are resolved, then complementarity says what stays closed.

The flow chart of Patoglu Fig. 4, for contacts: never from a list of modes, always from gaps, velocities, forces and
accelerations at the state itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from latchwork.algebra.linear import lstsq
from latchwork.algebra.products import dot
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity import Resting, State, Verdict, feasible, hold_on, settle
from latchwork.errors import IntegrationError, Jammed
from latchwork.hybrid.touching.coordinates import HeldContacts, way_in_space
from latchwork.hybrid.touching.meeting import Meeting
from latchwork.hybrid.touching.scales import BOUND, CHATTER, FIRMER, LEFT, NO_SLIP, REACH, ROUNDING, STIRS, TOUCH
from latchwork.hybrid.touching.standing import Guard, Standing, deep_in
from latchwork.hybrid.touching.striking import KEPT, RANK, Striking
from latchwork.hybrid.touching.touch import Touch, Way, touch_of

STILL = 1e-9  # of the accelerations at work: a contact that opens slower stays
CARRIES = 1e-6  # of the largest force: with less, a contact carries nothing
FIRMEST = 2  # times that a grip becomes firmer
MOST = 60  # impacts at one instant, for each contact

NONE_STAYS = Verdict((), (), np.zeros(0), np.zeros(0), 0)


@dataclass(eq=False)
class Crossing(Striking):
    """A state on its way through an event: speeds change by impacts, standings by what follows."""

    # --- what was hit -------------------------------------------------------------------------------------------

    def take(self, hits: Sequence[Guard], lam: Mapping[str, Array]) -> None:
        """Note what the guards say: zones are entered at once, the rest is decided together."""
        s = self.standings
        s.let_clear(self.x)
        for kind, about, _, _, step, height in hits:
            if kind == "touch" and height > 0.0:
                s.grazing = {touch: deep for touch, deep in s.grazing.items() if touch is not about}
            if kind == "zone":
                s.zones = s.zones | {about: s.zones[about] + step}
            elif kind == "around":
                s.behind.discard(about)
                if about.gap(self.x)[0] < -REACH * TOUCH:  # through the end of its domain, not through its surface
                    self.leaving.add(about)
            elif kind == "lost":
                self.x = about.found(self.x, s.places_of(about.contact), about in s.closed)
            elif kind == "patch":
                self.leaving.add(about)
            elif kind == "release":
                self.letting_go.add(about)
            elif kind == "stick":
                self.resting.add(about)
            elif kind == "slip":
                across = lam[about.name] if about.held else lam[about.name][1:]
                self.slipping[about] = -across / max(math.hypot(*across.tolist()), 1e-300)
                self.slipping |= {touch: np.array(how.limit) for touch, how in s.closed.items()
                                  if how.limit is not None and touch not in self.slipping}  # fmt: skip
            elif kind == "touch" and self._from_behind(about):
                s.behind.add(about)

    def _from_behind(self, touch: Touch) -> bool:
        """Whether a feature is met through the end of its domain, not through its surface: the gap is deeper."""
        gap, inside = touch.gap(self.x)
        return gap < -REACH * TOUCH and inside < -gap

    def go(self) -> None:
        """Impacts until nothing approaches, then what stays closed, slides or sticks."""
        meeting: Meeting | None = None
        for _ in range(MOST * (1 + len(self.standings.touches))):
            near = self._near()
            meeting = self._distinct(self.meetings.at(self.x, self.held, near, before=meeting))
            if self._cannot_move(meeting):
                self._leave_as_they_are(meeting)
                return
            if self._approaches(meeting):
                self._impact(meeting)
                continue
            try:
                self._settle(meeting)
            except Jammed as jammed:
                self._jam(meeting, jammed)
                continue
            return
        names = ", ".join(f"'{touch.name}'" for touch in self._near())
        raise IntegrationError(
            f"{names} of '{self.base.equations.name}' come to no rest at t = {self.x[0]:.9g}: impact follows impact "
            f"at one instant. Allow lw.TimeStepping(), or give them a lower restitution."
        )

    def _near(self) -> list[Touch]:
        """Contacts that are closed or whose gap is zero, within their domains; not those the coordinates hold."""
        s, near = self.standings, []
        ending = {touch.contact for touch in self.leaving}
        self.meetings.look(s.touches, self.x)
        for touch in list(s.touches):
            if touch.held or touch in self.leaving or touch in s.behind:
                continue
            gap, inside = touch.gap(self.x)
            if not math.isfinite(gap):
                raise IntegrationError(f"the gap of '{touch.name}' is {gap} at t = {self.x[0]:.9g}. Look at its shape.")
            # one just left stays out, unless another feature of the same contact ends here
            stays_out = touch in s.grazing and touch.contact not in ending
            within = inside > 0.0 if stays_out else inside >= -REACH * TOUCH
            if touch in s.closed or (gap <= REACH * TOUCH and within):
                near.append(self._turned(touch) if touch.axis is not None and touch.is_skewed(self.x) else touch)
        return near

    def _cannot_move(self, meeting: Meeting) -> bool:
        """Whether what is held besides, as a weld, leaves no motion at these contacts: A is zero but for rounding."""
        if not meeting.touches or not len(self.held.rows):
            return False
        alone = np.einsum("ij,ji->i", meeting.J, lstsq(meeting.M, meeting.J.T))
        return bool(np.diag(meeting.A).max() <= ROUNDING * alone.max()) and min(meeting.normal_speeds) > -NO_SLIP

    def _leave_as_they_are(self, meeting: Meeting) -> None:
        """Contacts at which nothing moves carry nothing, and are open until something can."""
        s = self.standings
        s.closed, s.lam = {}, {}
        self._note_grazing(meeting.touches)

    def _distinct(self, meeting: Meeting) -> Meeting:
        """The same without features that are met on the bound of their domains, at a place where another feature of the
        same contact is met in the same way: the end of an edge, where the edge is met as well."""
        touches = meeting.touches
        if len(touches) == len({touch.contact for touch in touches}):
            return meeting
        closed, kept = self.standings.closed, list(range(len(touches)))
        inside = [touch.gap(self.x)[1] for touch in touches]
        on_bound = [i for i in kept if abs(inside[i]) <= REACH * TOUCH]
        for i in sorted(on_bound, key=lambda i: (touches[i] in closed, inside[i], -i)):
            if any(j != i and touches[j].contact is touches[i].contact and _is_same(meeting, i, j) for j in kept):
                kept.remove(i)
        self.doubled |= {touches[i] for i in on_bound if i not in kept}
        return meeting if len(kept) == len(touches) else meeting.only(kept)

    def _turned(self, touch: Touch) -> Touch:
        """The same contact with tangents made from an axis that lies well across its normal."""
        again = touch_of(touch.contact, touch.feature, self.base, self.x)
        self.standings.made_again({each: again if each is touch else each for each in self.standings.every})
        return again

    # --- what stays ---------------------------------------------------------------------------------------------

    def _note_grazing(self, fresh: Iterable[Touch]) -> None:
        """Contacts that have just opened, or were entered from below: how deep they are."""
        s = self.standings
        deep = s.grazing | {touch: self._deep(touch) for touch in fresh}
        s.grazing = {touch: depth for touch, depth in deep.items() if touch not in s.closed} if deep else deep

    def _settle(self, meeting: Meeting) -> None:
        """The next mode: closed contacts and how, from complementarity."""
        s, first = self.standings, meeting.first
        s.pace = max(s.pace, meeting.pace)
        fastest = max(s.speed, meeting.pace, LEFT * s.pace, STIRS * float(np.abs(meeting.b).max(initial=0.0)))
        entered = {touch for touch in meeting.touches if touch.feature.within and self._just_entered(touch)}
        stays = self._staying(meeting)
        if 0 < len(stays) < len(first):
            meeting = meeting.only(stays)
            stays = list(range(len(stays)))
        touches = [meeting.touches[i] for i in stays]
        ways = [self._slip(meeting, i, NO_SLIP * fastest) for i in stays]
        if any([touch.held for touch in s.touches]):
            held = HeldContacts(s, self.meetings, self.held, self.x, self.resting, self.slipping, fastest)
            verdict, sides = held.verdict(touches, lambda m: self._verdict(m, ways))
            closed = dict(sides)
        else:
            verdict, closed = self._verdict(meeting, ways) if stays else NONE_STAYS, {}
        for i, (touch, way, state, d) in enumerate(zip(touches, ways, verdict.states, verdict.directions, strict=True)):
            if state is not State.OPEN:
                must = self.slipping.get(touch, d)
                begins = state is State.SLIDE and way is None
                limit = None
                if begins and must is not None and kept_by_others(meeting, i, verdict.states):
                    limit = tuple(must.tolist())
                grip = self._grip(touch, state)
                closed[touch] = Standing(state, self._way(touch, state, way, d, fastest), limit, grip)
        if stays:
            self._still(meeting, verdict.states, ways)
        s.closed = closed if len(closed) < 2 else {touch: closed[touch] for touch in s.touches if touch in closed}
        opened = {touch for touch in touches if touch not in closed}
        self._note_grazing((*opened, *entered, *self._ended(), *(self.doubled - closed.keys())))
        s.lam = _by_name(touches, meeting, verdict, stays)

    def _grip(self, touch: Touch, state: State) -> int:
        """How firmly a contact sticks: more so where it has only just begun to slip, and slips no more."""
        s, now = self.standings, float(self.x[0])
        before = s.closed.get(touch)
        if state is not State.STICK:
            if before is not None and before.state is State.STICK:
                s.slipped = s.slipped | {touch: (now, before.grip)}
            return 0
        if before is not None and before.state is State.STICK:
            return before.grip + (touch in self.firmer)
        since, grip = s.slipped.get(touch, (-math.inf, 0))
        return min(grip + 1, FIRMEST) if now - since < CHATTER else 0

    def _still(self, meeting: Meeting, states: Sequence[State], ways: Sequence[Array | None]) -> None:
        """End what is left of slip where contacts stick from now on, by impulses A Λ = −v that are no impact."""
        rows: list[int] = []
        left, v = 0.0, meeting.v.tolist()
        for row, k, state, way in zip(meeting.first, meeting.tangents, states, ways, strict=True):
            sticks = state is State.STICK and way is None
            rows += range(row, row + 1 + k * sticks) if state is not State.OPEN else ()
            left = max(left, *map(abs, v[row + 1 : row + 1 + k * sticks]), 0.0)
        if left <= NO_SLIP * meeting.pace:
            return
        impulses = np.zeros(len(meeting.v))
        impulses[rows] = lstsq(meeting.A[np.ix_(rows, rows)], -meeting.v[rows], RANK)
        self._move(meeting, impulses)

    def _deep(self, touch: Touch) -> int:
        """How deep a contact is that opens, in whole `TOUCH`, half is none: it was let in by as much before."""
        return deep_in(touch.gap(self.x)[0])

    def _just_entered(self, touch: Touch) -> bool:
        """Whether the domain of a feature is entered with a gap below zero, if by rounding: its guard falls on."""
        gap, inside = touch.gap(self.x)
        return -2.0 * BOUND <= inside < -gap

    def _ended(self) -> set[Touch]:
        """Features whose patch has ended, so that they open without moving away."""
        return {touch for touch in self.leaving if touch not in self.standings.behind}

    def _slip(self, meeting: Meeting, i: int, none: float) -> Array | None:
        """The direction of slip of a contact; none where it does not slip."""
        touch, k, row = meeting.touches[i], meeting.tangents[i], meeting.first[i]
        slip = meeting.v[row + 1 : row + 1 + k]
        size = math.hypot(*slip.tolist())
        return None if touch in self.resting or size <= none else np.asarray(slip / size)

    def _verdict(self, meeting: Meeting, ways: Sequence[Array | None]) -> Verdict:
        """Complementarity of the contacts of a meeting; those without friction have no tangents."""
        s = self.standings
        if not meeting.touches:
            return NONE_STAYS
        _, mu_s, mu_d = self._laws(meeting)
        rows: list[int] = []
        tangents: list[int] = []
        for first, k, mu in zip(meeting.first, meeting.tangents, mu_s.tolist(), strict=True):
            tangents.append(k if mu > 0.0 else 0)
            rows += range(first, first + 1 + tangents[-1])
        every = len(rows) == len(meeting.C)
        A, b = (meeting.A, meeting.b) if every else (meeting.A[np.ix_(rows, rows)], meeting.b[rows])
        resting = Resting(
            tuple([touch.name for touch in meeting.touches]), A, b, tuple(tangents), mu_s, mu_d,
            tuple(way if k else None for way, k in zip(ways, tangents, strict=True)),
            tuple(self.slipping.get(touch) for touch in meeting.touches),
        )  # fmt: skip
        if self.slipping:
            kept = self._held_on(meeting, resting)
            if isinstance(kept, Verdict):
                return self._whole(meeting, rows, kept)
            resting = kept
        stays = s.closed.keys() - self.letting_go  # a force that has just come to zero is zero but for rounding
        guess = [s.closed[touch].state if touch in stays else State.OPEN for touch in meeting.touches]
        verdict = settle(resting, guess if s.closed else None)
        if self.slipping:
            self._grip_again(meeting, verdict)
        else:
            verdict = calmed(meeting, resting, verdict)
            verdict = together(resting, verdict, [touch not in self.letting_go for touch in meeting.touches])
        return self._whole(meeting, rows, verdict)

    def _grip_again(self, meeting: Meeting, verdict: Verdict) -> None:
        """Contacts that were to slip, and stick after all: they are at the very edges of their cones."""
        s = self.standings
        stuck = {touch for touch, state in zip(meeting.touches, verdict.states, strict=True) if state is State.STICK}
        self.firmer |= {touch for touch in stuck & self.slipping.keys()
                        if touch in s.closed and s.closed[touch].grip < FIRMEST}  # fmt: skip

    def _whole(self, meeting: Meeting, rows: Sequence[int], verdict: Verdict) -> Verdict:
        """The same with λ of all rows."""
        if len(rows) == len(meeting.C):
            return verdict
        lam = np.zeros(len(meeting.C))
        lam[rows] = verdict.lam
        return replace(verdict, lam=lam)

    def _held_on(self, meeting: Meeting, resting: Resting) -> Verdict | Resting:
        """What becomes of contacts that stick, one of which is at the edge of its cone: they go on with the load shared
        otherwise, if some share holds them; else all slip together that are at their edges in every share."""
        s, states, ways = self.standings, [], []
        for touch, slip in zip(meeting.touches, resting.slip, strict=True):
            state, way, limit, _ = s.closed.get(touch, Standing(State.OPEN))
            slides = state is State.SLIDE and limit is None
            states.append(state if state is State.OPEN or slides else State.STICK)
            ways.append(slip if slip is not None or not slides or way is None else np.array(way[: len(touch.tangents)]))
        if State.STICK not in states or self.letting_go:
            return resting
        firm = [FIRMER ** s.closed[touch].grip if touch in s.closed else 1.0 for touch in meeting.touches]
        held = hold_on(resting, states, ways, firm)
        if held.lam is not None:
            if s.shared == self.x[0]:  # it was shared otherwise just now: what is left is at the very edge
                self.firmer = {touch for touch in self.slipping if s.closed[touch].grip < FIRMEST}
                if not self.firmer:
                    return resting
            self.slipping, s.shared = {}, float(self.x[0])
            return Verdict(tuple(states), tuple(ways), held.lam, dot(resting.A, held.lam) + resting.b, 1)
        if not any(way is not None for way in held.must_slip):
            return resting
        self.slipping = {touch: way for touch, way in zip(meeting.touches, held.must_slip, strict=True)
                         if way is not None}  # fmt: skip
        return replace(resting, must_slip=held.must_slip)

    def _way(self, touch: Touch, state: State, slip: Array | None, d: Array | None, fastest: float) -> Way:
        """The direction kept in a standing: a sign in the plane; in space that of the slip, now or to come."""
        mu_d = touch.laws(self.x, self.standings.zones)[2]
        if state is State.STICK or not touch.tangents or mu_d == 0.0 or d is None:
            return None
        if len(touch.tangents) == 1:
            return (1.0 if d[0] > 0.0 else -1.0,)
        return way_in_space(d if slip is None else slip, fastest, slip is None)


def _is_same(meeting: Meeting, i: int, j: int) -> bool:
    """Whether the normal rows of two contacts are one: A_ii = A_ij = A_jj."""
    a, b = meeting.first[i], meeting.first[j]
    own, other, both = float(meeting.A[a, a]), float(meeting.A[b, b]), float(meeting.A[a, b])
    return max(abs(own - both), abs(other - both)) <= KEPT * max(own, other)


def calmed(meeting: Meeting, resting: Resting, verdict: Verdict) -> Verdict:
    """The same where all stick that others keep from slipping, if some forces hold them; what they still slip is ended
    with the slip of the others."""
    if State.STICK not in verdict.states or State.SLIDE not in verdict.states:
        return verdict
    idle = [state is State.SLIDE and k > 0 and mu > 0.0 and rests_with_others(meeting, i, verdict.states)
            for i, (state, k, mu) in enumerate(zip(verdict.states, resting.tangents, resting.mu_s, strict=True))]
    if not any(idle):
        return verdict
    states = tuple(State.STICK if still else state for still, state in zip(idle, verdict.states, strict=True))
    ways = tuple(None if still else way for still, way in zip(idle, verdict.directions, strict=True))
    lam = feasible(resting, states, ways)
    if lam is None:
        return verdict
    return Verdict(states, ways, lam, dot(resting.A, lam) + resting.b, verdict.iterations, verdict.notes)


def together(resting: Resting, verdict: Verdict, may: Sequence[bool]) -> Verdict:
    """The same where nothing slides, with all contacts closed that do not open, if all then carry something: a body at
    rest stands on all its feet."""
    if State.OPEN not in verdict.states or State.STICK not in verdict.states or State.SLIDE in verdict.states:
        return verdict
    first = [sum(resting.tangents[:i]) + i for i in range(len(may))]
    still = STILL * float(np.abs(resting.b).max())
    joins = [state is State.OPEN and allowed and mu > 0.0 and k > 0 and slip is None and abs(verdict.a[row]) <= still
             for state, allowed, mu, k, slip, row in
             zip(verdict.states, may, resting.mu_s, resting.tangents, resting.slip, first, strict=True)]  # fmt: skip
    if not any(joins):
        return verdict
    states = tuple(State.STICK if join else state for join, state in zip(joins, verdict.states, strict=True))
    lam = feasible(resting, states, verdict.directions)
    if lam is None or min(lam[row] for row, join in zip(first, joins, strict=True) if join) <= CARRIES * lam.max():
        return verdict
    return Verdict(states, verdict.directions, lam, dot(resting.A, lam) + resting.b, verdict.iterations, verdict.notes)


def kept_by_others(meeting: Meeting, i: int, states: Sequence[State]) -> bool:
    """Whether contact i cannot slip because others stick: its tangents depend on rows that are held."""
    if State.STICK not in states or not meeting.tangents[i]:
        return False
    own, _, left = _beside_others(meeting, i, states)
    return bool(np.abs(left).max() < KEPT * np.abs(meeting.A[own, own]).max())


def rests_with_others(meeting: Meeting, i: int, states: Sequence[State]) -> bool:
    """Whether contact i is kept by others, and slips no more where these do not: no belt runs under it."""
    if not kept_by_others(meeting, i, states):
        return False
    slip = _beside_others(meeting, i, states)[1]
    return bool(np.abs(slip).max() <= KEPT * max(meeting.pace, float(np.abs(meeting.v).max())))


def _beside_others(meeting: Meeting, i: int, states: Sequence[State]) -> tuple[slice, Array, Array]:
    """The rows of its tangents; what is left of their velocities, and of A, where rows that others hold are zero."""
    held = [row for j, state in enumerate(states) if state is not State.OPEN
            for row in range(meeting.first[j], meeting.first[j] + 1 + meeting.tangents[j] * (state is State.STICK))]
    own, A, v = slice(meeting.first[i] + 1, meeting.first[i] + 1 + meeting.tangents[i]), meeting.A, meeting.v
    carried = lstsq(A[np.ix_(held, held)], np.column_stack((A[held, own], v[held])), RANK)
    left = np.column_stack((A[own, own], v[own])) - dot(A[own, held], carried)
    return own, left[:, -1], left[:, :-1]


def _by_name(touches: Sequence[Touch], meeting: Meeting, verdict: Verdict, stays: Sequence[int]) -> dict[str, Array]:
    """λ of each contact that stays, normal first."""
    ends = list(accumulate((1 + meeting.tangents[i] for i in stays), initial=0))
    return {touch.name: verdict.lam[a:b] for touch, a, b in zip(touches, ends, ends[1:], strict=False)}

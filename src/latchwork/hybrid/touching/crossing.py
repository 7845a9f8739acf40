"""What happens where a mode ends: zones change, impacts are resolved, then complementarity says what stays closed.

The flow chart of Patoglu Fig. 4, for contacts: never from a list of modes, always from gaps, velocities, forces and
accelerations at the state itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

import numpy as np

from latchwork.constraint.terms import Array, Base, Terms
from latchwork.contact.complementarity import Resting, State, Verdict, settle
from latchwork.contact.impact import Impact, jam, resolve
from latchwork.errors import IntegrationError, Jammed
from latchwork.hybrid.touching.coordinates import NO_SLIP, HeldContacts, way_in_space
from latchwork.hybrid.touching.meeting import Meeting, Meetings
from latchwork.hybrid.touching.standing import REACH, TOUCH, Guard, Standing, Standings, deep_in
from latchwork.hybrid.touching.touch import Touch, Way, touch_of

AT_REST = 1e-10  # of the fastest approach so far: slower normal velocities are none
ROUNDING = 1e-12  # of the fastest motion of the same energy: this much of a normal velocity is rounding
CAPTURE = 1e-6  # and slower rebounds end in contact
FASTEST = 1e-3  # of the fastest motion: but none faster than this, however hard it is pressed
LIVELY = 0.99  # a restitution with which rebounds hardly become slower
NUDGE, SLOW = 1e-7, 1e-5  # of the slip, and of the fastest motion
RISE, BRIEF = 1e-16, 1e-6  # in units of the model: a hop lower than this, and slower than that, is none
LEFT = 1e-3  # of the fastest motion so far: slip is measured by no less, for some rounding is left of it
RANK, KEPT = 1e-11, 1e-9  # of A: redundant rows, and rows that are held by others
MOST = 60  # impacts at one instant, for each contact


NONE_STAYS = Verdict((), (), np.zeros(0), np.zeros(0), 0)


@dataclass(frozen=True, eq=False)
class Happened:
    """An impact: the contacts that took part with their impulses, and the energy lost."""

    impulses: Mapping[str, Array]
    energy: float
    notes: tuple[str, ...] = ()


@dataclass(eq=False)
class Crossing:
    """A state on its way through an event: speeds change by impacts, standings by what follows."""

    standings: Standings
    meetings: Meetings
    held: Terms
    x: Array
    impacts: list[Happened] = field(default_factory=list)
    resting: set[Touch] = field(default_factory=set)
    slipping: dict[Touch, Array] = field(default_factory=dict)
    leaving: set[Touch] = field(default_factory=set)
    letting_go: set[Touch] = field(default_factory=set)
    work: float = 0.0
    at_once: bool | None = None  # how several contacts act in an impact: see `impact`
    brief: float = 0.0  # s: a hop shorter than this is none
    _known: tuple[Any, Any] = (None, None)  # a meeting, and the laws of its contacts

    @property
    def base(self) -> Base:
        return self.meetings.base

    # --- what was hit -------------------------------------------------------------------------------------------

    def take(self, hits: Sequence[Guard], lam: Mapping[str, Array]) -> None:
        """Note what the guards say: zones are entered at once, the rest is decided together."""
        s = self.standings
        for kind, about, _, _, step in hits:
            if kind == "zone":
                s.zones[about] += step
            elif kind == "around":
                s.behind.discard(about)
                if about.gap(self.x)[0] < -REACH * TOUCH:  # through the end of its domain, not through its surface
                    self.leaving.add(about)
            elif kind == "clear":
                s.grazing.pop(about, None)
            elif kind == "lost":
                self.x = about.found(self.x)
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
            meeting = self.meetings.at(self.x, self.held, near, before=meeting)
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
        self.meetings.look(s.touches, self.x)
        for touch in list(s.touches):
            if touch.held or touch in self.leaving or touch in s.behind:
                continue
            gap, inside = touch.gap(self.x)
            if not math.isfinite(gap):
                raise IntegrationError(f"the gap of '{touch.name}' is {gap} at t = {self.x[0]:.9g}. Look at its shape.")
            within = inside > 0.0 if touch in s.grazing else inside >= -REACH * TOUCH  # one just left stays out
            if touch in s.closed or (gap <= REACH * TOUCH and within):
                near.append(self._turned(touch) if touch.is_skewed(self.x) else touch)
        return near

    def _turned(self, touch: Touch) -> Touch:
        """The same contact with tangents made from an axis that lies well across its normal."""
        again = touch_of(touch.contact, touch.feature, self.base, self.x)
        self.standings.made_again({each: again if each is touch else each for each in self.standings.touches})
        return again

    # --- impact -------------------------------------------------------------------------------------------------

    def _approaches(self, meeting: Meeting) -> bool:
        """Whether some contact does."""
        v_n = meeting.normal_speeds
        if min(v_n, default=0.0) >= -self._slow(meeting):
            return False
        return any([v < -none for v, none in zip(v_n, self._no_speed(meeting), strict=True)])

    def _staying(self, meeting: Meeting) -> list[int]:
        """The contacts that do not part, or would be back before they had risen by anything."""
        v_n = meeting.normal_speeds
        slow = self._slow(meeting)
        limits = self._no_speed(meeting) if max(v_n, default=0.0) > slow else [slow] * len(v_n)
        # v²/2 over the acceleration downwards
        return [i for i, (v, none) in enumerate(zip(v_n, limits, strict=True))
                if v <= none or (v < BRIEF and 0.5 * v**2 < RISE * -float(meeting.b[meeting.first[i]]))]  # fmt: skip

    def _slow(self, meeting: Meeting) -> float:
        """Slower normal velocities are none, by what moves there."""
        return AT_REST * max(self.standings.speed, meeting.pace)

    def _no_speed(self, meeting: Meeting) -> list[float]:
        """The same, and by what rounding leaves of motion across the normal."""
        slow = self._slow(meeting)
        return [max(slow, ROUNDING * swift) for swift in meeting.swiftest.tolist()]

    def _laws(self, meeting: Meeting) -> tuple[Array, Array, Array]:
        """e, μ_s and μ_d of the contacts, where they are and as they move."""
        if meeting is not self._known[0]:
            laws = [touch.laws(self.x, self.standings.zones) for touch in meeting.touches]
            e, mu_s, mu_d = zip(*laws, strict=True) if laws else ((), (), ())
            self._known = meeting, (np.array(e), np.array(mu_s), np.array(mu_d))
        return self._known[1]

    def _impact(self, meeting: Meeting) -> None:
        """u⁺ = u⁻ + T M̃⁻¹ Tᵀ Jᵀ Λ, with Λ by the laws of the contacts."""
        s, v = self.standings, meeting.v
        slow, (e, mu_s, mu_d) = self._too_slow(meeting), self._laws(meeting)
        if len(meeting.touches) > 1 and max(map(abs, meeting.normal_speeds)) < slow:
            impulses = self._stopped(meeting, slow)
            after = (v + meeting.A @ impulses)[meeting.first]
            if (after >= -np.array(self._no_speed(meeting))).all():
                self._apply(meeting, impulses, ())
                return
            e = np.zeros(len(e))  # features of one place have normals that are nearly one: one of them parts
        s.speed = max(s.speed, -min(meeting.normal_speeds))
        names = tuple(touch.name for touch in meeting.touches)
        impact = Impact(names, meeting.A, v, meeting.tangents, e, mu_s, mu_d)
        laws = [touch.contact.impact for touch in meeting.touches]
        outcome = resolve(impact, laws, self.at_once, max(slow, CAPTURE * s.speed))
        self._apply(meeting, outcome.impulses, outcome.notes)

    def _too_slow(self, meeting: Meeting) -> float:
        """Rebounds slower than this end in contact: a part of the fastest; of several contacts, which rock, and of one
        that loses nothing, which never ends, also those that are too slow to leave what counts as closed.

        Against an acceleration a that presses, v rises by v²/2a, and less than `TOUCH` is nothing; it is back after
        2 v/a, and a hop that is ``brief`` is none.
        """
        speed = self.standings.speed
        alone = speed == 0.0 or (len(meeting.touches) == 1 and self._laws(meeting)[0][0] < LIVELY)
        if alone and self.brief == 0.0:
            return CAPTURE * speed
        pressing = max(0.0, float(-meeting.b[meeting.first].min()))
        if alone:
            return max(CAPTURE * speed, 0.5 * self.brief * pressing)
        fastest = max(speed, self.standings.pace, meeting.pace, float(meeting.swiftest.max()))
        lowest = min(math.sqrt(2.0 * TOUCH * pressing), FASTEST * fastest)
        return max(CAPTURE * speed, lowest, 0.5 * self.brief * pressing)

    def _stopped(self, meeting: Meeting, slow: float) -> Array:
        """Impulses that end all normal velocities, and slip that is as slow where there is friction, A Λ = −v.

        It is the change of speeds of least kinetic energy, so none is gained.
        """
        v = meeting.v
        rows: list[int] = []
        for row, k, mu in zip(meeting.first, meeting.tangents, self._laws(meeting)[1], strict=True):
            across = v[row + 1 : row + 1 + k]
            stops = k > 0 and mu > 0.0 and float(np.abs(across).max()) < slow
            rows += range(row, row + 1 + k) if stops else [row]
        impulses = np.zeros(len(v))
        impulses[rows] = np.linalg.lstsq(meeting.A[np.ix_(rows, rows)], -v[rows], rcond=RANK)[0]
        return impulses

    def _jam(self, meeting: Meeting, jammed: Jammed) -> None:
        """An impact without collision: friction would pull the contact in. [Painlevé]"""
        names = tuple(touch.name for touch in meeting.touches)
        impact = Impact(names, meeting.A, meeting.v, meeting.tangents, *self._laws(meeting))
        laws = [touch.contact.impact for touch in meeting.touches]
        first = next(i for i, name in enumerate(names) if name in jammed.contacts)
        outcome = jam(impact, first, laws, self.at_once)
        impulses = outcome.impulses if outcome.impulses.any() else self._jam_together(impact, jammed)
        pushed = [name for name, row in zip(names, impact.normals, strict=True) if impulses[row] > 0.0]
        who = f"'{pushed[0]}' jams" if len(pushed) == 1 else ", ".join(f"'{name}'" for name in pushed) + " jam together"
        note = f"{who}: friction would pull in what slides, so that an impact without collision ends its slip"
        self._apply(meeting, impulses, (note, *outcome.notes))

    def _jam_together(self, impact: Impact, jammed: Jammed) -> Array:
        """The same where contacts jam only together, as the corners of a box do: those that slide, or all."""
        sliding = [i for i, name in enumerate(impact.names) if name in jammed.contacts]
        for who in (sliding, list(range(len(impact.names)))):
            impulses = driven_in(impact, who)
            if impulses is not None:
                return impulses
        raise jammed

    def _apply(self, meeting: Meeting, impulses: Array, notes: tuple[str, ...]) -> None:
        gained = self._move(meeting, impulses)
        parts = [impulses[row : row + 1 + k] for row, k in zip(meeting.first, meeting.tangents, strict=True)]
        felt = {touch.name: part for touch, part in zip(meeting.touches, parts, strict=True) if part.any()}
        self.impacts.append(Happened(felt, -gained, notes))
        for noted in (self.resting, self.letting_go, self.slipping):
            noted.clear()

    def _move(self, meeting: Meeting, impulses: Array) -> float:
        """Change the speeds by impulses; gives the energy gained."""
        u, M = meeting.moved(impulses), meeting.M
        gained = 0.5 * float(u @ M @ u - meeting.u @ M @ meeting.u)
        n_q = len(self.base.equations.q)
        self.x = self.x.copy()
        self.x[1 + n_q : 1 + n_q + len(u)] = u
        self.work += gained
        return gained

    # --- what stays ---------------------------------------------------------------------------------------------

    def _settle(self, meeting: Meeting) -> None:
        """The next mode: closed contacts and how, from complementarity."""
        s, first = self.standings, meeting.first
        s.pace = max(s.pace, meeting.pace)
        fastest = max(s.speed, meeting.pace, LEFT * s.pace)
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
                closed[touch] = Standing(state, self._way(touch, state, way, d, fastest), limit)
        if stays:
            self._still(meeting, verdict.states, ways)
        s.closed = closed if len(closed) < 2 else {touch: closed[touch] for touch in s.touches if touch in closed}
        opened = {touch for touch in touches if touch not in closed}
        fresh = {touch: self._deep(touch) for touch in (*opened, *entered, *self._ended())}
        s.grazing = {touch: deep for touch, deep in (s.grazing | fresh).items() if touch not in closed}
        s.lam = _by_name(touches, meeting, verdict, stays)

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
        impulses[rows] = np.linalg.lstsq(meeting.A[np.ix_(rows, rows)], -meeting.v[rows], rcond=RANK)[0]
        self._move(meeting, impulses)

    def _deep(self, touch: Touch) -> int:
        """How deep a contact is that opens, in whole `TOUCH`, half is none: it was let in by as much before."""
        return deep_in(touch.gap(self.x)[0])

    def _just_entered(self, touch: Touch) -> bool:
        """Whether the domain of a feature is entered with a gap below zero, if by rounding: its guard falls on."""
        gap, inside = touch.gap(self.x)
        return 0.0 <= inside < -gap

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
        stays = s.closed.keys() - self.letting_go  # a force that has just come to zero is zero but for rounding
        guess = [s.closed[touch].state if touch in stays else State.OPEN for touch in meeting.touches]
        verdict = settle(resting, guess if s.closed else None)
        if every:
            return verdict
        lam = np.zeros(len(meeting.C))
        lam[rows] = verdict.lam
        return replace(verdict, lam=lam)

    def _way(self, touch: Touch, state: State, slip: Array | None, d: Array | None, fastest: float) -> Way:
        """The direction kept in a standing: a sign in the plane; in space that of the slip, now or to come."""
        mu_d = touch.laws(self.x, self.standings.zones)[2]
        if state is State.STICK or not touch.tangents or mu_d == 0.0 or d is None:
            return None
        if len(touch.tangents) == 1:
            return (1.0 if d[0] > 0.0 else -1.0,)
        return way_in_space(d if slip is None else slip, fastest, slip is None)


def driven_in(impact: Impact, who: Sequence[int]) -> Array | None:
    """Λ as if a trace had driven some contacts in; none where that changes no slip, and none can be stopped.

    Where they hardly slip, beside what else slips there, they stop.
    """
    slips = [float(np.linalg.norm(impact.v[impact.rows[i]])) for i in who]
    pace = float(np.abs(impact.v).max())
    slow = [i for i, slip in zip(who, slips, strict=True) if NO_SLIP * pace < slip < SLOW * pace]
    if slow:
        rows = np.concatenate([np.arange(impact.rows[i].start, impact.rows[i].stop) for i in slow])
        impulses = np.zeros(len(impact.v))
        impulses[rows] = np.linalg.lstsq(impact.W[np.ix_(rows, rows)], -impact.v[rows], rcond=RANK)[0]
        return impulses
    v = impact.v.copy()
    v[impact.normals[list(who)]] -= NUDGE * max(slips)
    calm = replace(impact, v=v, e=np.zeros(len(impact.names)))
    impulses = resolve(calm, ["newton"] * len(impact.names), True).impulses
    changes = [float(np.abs((impact.W @ impulses)[impact.rows[i]]).max()) for i in who]
    if any(change > 0.1 * slip > NO_SLIP * pace for change, slip in zip(changes, slips, strict=True)):
        return impulses
    stopped = caught(impact, who)
    return stopped if stopped is not None and np.abs(impact.W @ stopped).max() > NO_SLIP * pace else None


def caught(impact: Impact, who: Sequence[int]) -> Array | None:
    """Λ that stops the slip of some contacts, those that would pull left out; none where cones do not allow it."""
    left = list(who)
    while left:
        rows = np.concatenate([np.arange(impact.rows[i].start, impact.rows[i].stop) for i in left])
        impulses = np.zeros(len(impact.v))
        impulses[rows] = np.linalg.lstsq(impact.W[np.ix_(rows, rows)], -impact.v[rows], rcond=RANK)[0]
        pushes = impulses[impact.normals[left]]
        if pushes.min() >= 0.0:
            break
        left.pop(int(np.argmin(pushes)))
    if not left:
        return None
    after = impact.v + impact.W @ impulses
    across = [float(np.linalg.norm(impulses[impact.rows[i]][1:])) for i in left]
    within = all(t <= impact.mu_s[i] * n for t, i, n in zip(across, left, pushes, strict=True))
    return impulses if within and after[impact.normals].min() >= -NUDGE * np.abs(impact.v).max() else None


def kept_by_others(meeting: Meeting, i: int, states: Sequence[State]) -> bool:
    """Whether contact i cannot slip because others stick: its tangents depend on rows that are held."""
    if State.STICK not in states or not meeting.tangents[i]:
        return False
    held = [row for j, state in enumerate(states) if state is not State.OPEN
            for row in range(meeting.first[j], meeting.first[j] + 1 + meeting.tangents[j] * (state is State.STICK))]
    own, A = slice(meeting.first[i] + 1, meeting.first[i] + 1 + meeting.tangents[i]), meeting.A
    left = A[own, own] - A[own, held] @ np.linalg.lstsq(A[np.ix_(held, held)], A[held, own], rcond=RANK)[0]
    return bool(np.abs(left).max() < KEPT * np.abs(A[own, own]).max())


def _by_name(touches: Sequence[Touch], meeting: Meeting, verdict: Verdict, stays: Sequence[int]) -> dict[str, Array]:
    """λ of each contact that stays, normal first."""
    ends = list(accumulate((1 + meeting.tangents[i] for i in stays), initial=0))
    return {touch.name: verdict.lam[a:b] for touch, a, b in zip(touches, ends, ends[1:], strict=False)}

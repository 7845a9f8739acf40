"""Impacts where a mode ends: who takes part, what each law says, hops that are too slow or too low, and jams."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from latchwork.algebra.linear import lstsq
from latchwork.algebra.products import dot, norm
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.contact.impact import Impact, jam, resolve
from latchwork.errors import Jammed
from latchwork.hybrid.touching.meeting import Meeting
from latchwork.hybrid.touching.meetings import Meetings
from latchwork.hybrid.touching.scales import (
    AT_REST,
    BRIEF,
    CAPTURE,
    FASTEST,
    LIVELY,
    NO_SLIP,
    RISE,
    ROUNDING,
    TOUCH,
)
from latchwork.hybrid.touching.standing import Standings
from latchwork.hybrid.touching.touch import Touch

NUDGE, SLOW = 1e-7, 1e-5  # of the slip, and of the fastest motion
RANK, KEPT = 1e-11, 1e-9  # of A: redundant rows, and rows that are held by others


@dataclass(frozen=True, eq=False)
class Happened:
    """An impact: the contacts that took part with their impulses, and the energy lost."""

    impulses: Mapping[str, Array]
    energy: float
    notes: tuple[str, ...] = ()


@dataclass(eq=False)
class Striking:
    """A state on its way through an event, and the impacts that change its speeds."""

    standings: Standings
    meetings: Meetings
    held: Terms
    x: Array
    impacts: list[Happened] = field(default_factory=list)
    resting: set[Touch] = field(default_factory=set)
    slipping: dict[Touch, Array] = field(default_factory=dict)
    leaving: set[Touch] = field(default_factory=set)
    letting_go: set[Touch] = field(default_factory=set)
    firmer: set[Touch] = field(default_factory=set)  # they stick at the very edges of their cones
    doubled: set[Touch] = field(default_factory=set)  # met where another feature of the same contact is
    work: float = 0.0
    at_once: bool | None = None  # how several contacts act in an impact: see `impact`
    brief: float = 0.0  # s: a hop shorter than this is none
    _known: tuple[Any, Any] = (None, None)  # a meeting, and the laws of its contacts

    @property
    def base(self) -> Base:
        return self.meetings.base

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
                if v <= none or (v < BRIEF and 0.5 * v * v < RISE * -float(meeting.b[meeting.first[i]]))]  # fmt: skip

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
            after = (v + dot(meeting.A, impulses))[meeting.first]
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
        impulses[rows] = lstsq(meeting.A[np.ix_(rows, rows)], -v[rows], RANK)
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
        gained = 0.5 * float(dot(u, M, u) - dot(meeting.u, M, meeting.u))
        n_q = len(self.base.equations.q)
        self.x = self.x.copy()
        self.x[1 + n_q : 1 + n_q + len(u)] = u
        self.work += gained
        return gained


def driven_in(impact: Impact, who: Sequence[int]) -> Array | None:
    """Λ as if a trace had driven some contacts in; none where that changes no slip, and none can be stopped.

    Where they hardly slip, beside what else slips there, they stop.
    """
    slips = [float(norm(impact.v[impact.rows[i]])) for i in who]
    pace = float(np.abs(impact.v).max())
    slow = [i for i, slip in zip(who, slips, strict=True) if NO_SLIP * pace < slip < SLOW * pace]
    if slow:
        rows = np.concatenate([np.arange(impact.rows[i].start, impact.rows[i].stop) for i in slow])
        impulses = np.zeros(len(impact.v))
        impulses[rows] = lstsq(impact.W[np.ix_(rows, rows)], -impact.v[rows], RANK)
        return impulses
    v = impact.v.copy()
    v[impact.normals[list(who)]] -= NUDGE * max(slips)
    calm = replace(impact, v=v, e=np.zeros(len(impact.names)))
    impulses = resolve(calm, ["newton"] * len(impact.names), True).impulses
    changes = [float(np.abs(dot(impact.W, impulses)[impact.rows[i]]).max()) for i in who]
    if any(change > 0.1 * slip > NO_SLIP * pace for change, slip in zip(changes, slips, strict=True)):
        return impulses
    stopped = caught(impact, who)
    return stopped if stopped is not None and np.abs(dot(impact.W, stopped)).max() > NO_SLIP * pace else None


def caught(impact: Impact, who: Sequence[int]) -> Array | None:
    """Λ that stops the slip of some contacts, those that would pull left out; none where cones do not allow it."""
    left = list(who)
    while left:
        rows = np.concatenate([np.arange(impact.rows[i].start, impact.rows[i].stop) for i in left])
        impulses = np.zeros(len(impact.v))
        impulses[rows] = lstsq(impact.W[np.ix_(rows, rows)], -impact.v[rows], RANK)
        pushes = impulses[impact.normals[left]]
        if pushes.min() >= 0.0:
            break
        left.pop(int(np.argmin(pushes)))
    if not left:
        return None
    after = impact.v + dot(impact.W, impulses)
    across = [float(norm(impulses[impact.rows[i]][1:])) for i in left]
    within = all(t <= impact.mu_s[i] * n for t, i, n in zip(across, left, pushes, strict=True))
    return impulses if within and after[impact.normals].min() >= -NUDGE * np.abs(impact.v).max() else None

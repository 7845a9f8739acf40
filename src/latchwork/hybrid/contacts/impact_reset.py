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
from latchwork.contact.impact.resolution import Impact, jam, resolve
from latchwork.contact.tolerances import Tolerances
from latchwork.errors import Jammed
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.delassus import DelassusOperator
from latchwork.hybrid.contacts.delassus_programs import DelassusPrograms

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

    contact_states: ContactStates
    delassus_programs: DelassusPrograms
    held: Terms
    x: Array
    impacts: list[Happened] = field(default_factory=list)
    resting: set[ContactPoint] = field(default_factory=set)
    slipping: dict[ContactPoint, Array] = field(default_factory=dict)
    leaving: set[ContactPoint] = field(default_factory=set)
    letting_go: set[ContactPoint] = field(default_factory=set)
    widened: set[ContactPoint] = field(default_factory=set)  # they stick at the very edges of their cones
    doubled: set[ContactPoint] = field(default_factory=set)  # met where another feature of the same contact is
    work: float = 0.0
    at_once: bool | None = None  # how several contacts act in an impact: see `impact`
    brief: float = 0.0  # s: a hop shorter than this is none
    _known: tuple[Any, Any] = (None, None)  # a meeting, and the laws of its contacts

    @property
    def base(self) -> Base:
        return self.delassus_programs.base

    @property
    def small(self) -> Tolerances:
        """The tolerances of the run."""
        return self.delassus_programs.tolerances

    def _approaches(self, delassus: DelassusOperator) -> bool:
        """Whether some contact does."""
        v_n = delassus.normal_speeds
        if min(v_n, default=0.0) >= -self._slow(delassus):
            return False
        return any([v < -none for v, none in zip(v_n, self._no_speed(delassus), strict=True)])

    def _staying(self, delassus: DelassusOperator) -> list[int]:
        """The contacts that do not part, or would be back before they had risen by anything."""
        v_n, small = delassus.normal_speeds, [contact_point.tolerances for contact_point in delassus.contact_points]
        slow = self._slow(delassus)
        limits = self._no_speed(delassus) if max(v_n, default=0.0) > slow else [slow] * len(v_n)
        down = [-float(delassus.b[row]) for row in delassus.first]  # v²/2 over the acceleration downwards
        return [i for i, (v, none, own, a) in enumerate(zip(v_n, limits, small, down, strict=True))
                if v <= none or (v < own.brief and 0.5 * v * v < own.rise * a)]  # fmt: skip

    def _slow(self, delassus: DelassusOperator) -> float:
        """Slower normal velocities are none, by what moves there."""
        return self.small.at_rest * max(self.contact_states.speed, delassus.pace)

    def _no_speed(self, delassus: DelassusOperator) -> list[float]:
        """The same, and by what rounding leaves of motion across the normal."""
        slow = self._slow(delassus)
        return [max(slow, self.small.rounding * swift) for swift in delassus.swiftest.tolist()]

    def _laws(self, delassus: DelassusOperator) -> tuple[Array, Array, Array]:
        """e, μ_s and μ_d of the contacts, where they are and as they move."""
        if delassus is not self._known[0]:
            laws = [contact_point.laws(self.x, self.contact_states.zones) for contact_point in delassus.contact_points]
            e, mu_s, mu_d = zip(*laws, strict=True) if laws else ((), (), ())
            self._known = delassus, (np.array(e), np.array(mu_s), np.array(mu_d))
        return self._known[1]

    def _impact(self, delassus: DelassusOperator) -> None:
        """u⁺ = u⁻ + T M̃⁻¹ Tᵀ Jᵀ Λ, with Λ by the laws of the contacts."""
        s, v = self.contact_states, delassus.v
        slow, (e, mu_s, mu_d) = self._too_slow(delassus), self._laws(delassus)
        if len(delassus.contact_points) > 1 and max(map(abs, delassus.normal_speeds)) < slow:
            impulses = self._stopped(delassus, slow)
            after = (v + dot(delassus.A, impulses))[delassus.first]
            if (after >= -np.array(self._no_speed(delassus))).all():
                self._apply(delassus, impulses, ())
                return
            e = np.zeros(len(e))  # features of one place have normals that are nearly one: one of them parts
        s.speed = max(s.speed, -min(delassus.normal_speeds))
        names = tuple(contact_point.name for contact_point in delassus.contact_points)
        impact = Impact(names, delassus.A, v, delassus.tangents, e, mu_s, mu_d)
        laws = [contact_point.contact.impact for contact_point in delassus.contact_points]
        outcome = resolve(impact, laws, self.at_once, max(slow, self.small.capture * s.speed))
        self._apply(delassus, outcome.impulses, outcome.notes)

    def _too_slow(self, delassus: DelassusOperator) -> float:
        """Rebounds slower than this end in contact: a part of the fastest; of several contacts, which rock, and of one
        that loses nothing, which never ends, also those that are too slow to leave what counts as closed.

        Against an acceleration a that presses, v rises by v²/2a, less than a closed gap is nothing; it is back after
        2 v/a, and a hop that is ``brief`` is none.
        """
        speed, small = self.contact_states.speed, self.small
        alone = speed == 0.0 or (len(delassus.contact_points) == 1 and self._laws(delassus)[0][0] < small.lively)
        captured = small.capture * speed
        if alone and self.brief == 0.0:
            return captured
        pressing = max(0.0, float(-delassus.b[delassus.first].min()))
        if alone:
            return max(captured, 0.5 * self.brief * pressing)
        fastest = max(speed, self.contact_states.pace, delassus.pace, float(delassus.swiftest.max()))
        closed = min(contact_point.tolerances.closed for contact_point in delassus.contact_points)
        lowest = min(math.sqrt(2.0 * closed * pressing), small.fastest * fastest)
        return max(captured, lowest, 0.5 * self.brief * pressing)

    def _stopped(self, delassus: DelassusOperator, slow: float) -> Array:
        """Impulses that end all normal velocities, and slip that is as slow where there is friction, A Λ = −v.

        It is the change of speeds of least kinetic energy, so none is gained.
        """
        v = delassus.v
        rows: list[int] = []
        for row, k, mu in zip(delassus.first, delassus.tangents, self._laws(delassus)[1], strict=True):
            across = v[row + 1 : row + 1 + k]
            stops = k > 0 and mu > 0.0 and float(np.abs(across).max()) < slow
            rows += range(row, row + 1 + k) if stops else [row]
        impulses = np.zeros(len(v))
        impulses[rows] = lstsq(delassus.A[np.ix_(rows, rows)], -v[rows], RANK)
        return impulses

    def _jam(self, delassus: DelassusOperator, jammed: Jammed) -> None:
        """An impact without collision: friction would pull the contact in. [Painlevé]"""
        names = tuple(contact_point.name for contact_point in delassus.contact_points)
        impact = Impact(names, delassus.A, delassus.v, delassus.tangents, *self._laws(delassus))
        laws = [contact_point.contact.impact for contact_point in delassus.contact_points]
        first = next(i for i, name in enumerate(names) if name in jammed.contacts)
        outcome = jam(impact, first, laws, self.at_once)
        impulses = outcome.impulses if outcome.impulses.any() else self._jam_together(impact, jammed)
        pushed = [name for name, row in zip(names, impact.normals, strict=True) if impulses[row] > 0.0]
        who = f"'{pushed[0]}' jams" if len(pushed) == 1 else ", ".join(f"'{name}'" for name in pushed) + " jam together"
        note = f"{who}: friction would pull in what slides, so that an impact without collision ends its slip"
        self._apply(delassus, impulses, (note, *outcome.notes))

    def _jam_together(self, impact: Impact, jammed: Jammed) -> Array:
        """The same where contacts jam only together, as the corners of a box do: those that slide, or all."""
        sliding = [i for i, name in enumerate(impact.names) if name in jammed.contacts]
        for who in (sliding, list(range(len(impact.names)))):
            impulses = driven_in(impact, who, self.small.no_slip)
            if impulses is not None:
                return impulses
        raise jammed

    def _apply(self, delassus: DelassusOperator, impulses: Array, notes: tuple[str, ...]) -> None:
        gained = self._move(delassus, impulses)
        parts = [impulses[row : row + 1 + k] for row, k in zip(delassus.first, delassus.tangents, strict=True)]
        felt = {
            contact_point.name: part
            for contact_point, part in zip(delassus.contact_points, parts, strict=True)
            if part.any()
        }
        self.impacts.append(Happened(felt, -gained, notes))
        for noted in (self.resting, self.letting_go, self.slipping):
            noted.clear()

    def _move(self, delassus: DelassusOperator, impulses: Array) -> float:
        """Change the speeds by impulses; gives the energy gained."""
        u, M = delassus.moved(impulses), delassus.M
        gained = 0.5 * float(dot(u, M, u) - dot(delassus.u, M, delassus.u))
        n_q = len(self.base.equations.q)
        self.x = self.x.copy()
        self.x[1 + n_q : 1 + n_q + len(u)] = u
        self.work += gained
        return gained


def driven_in(impact: Impact, who: Sequence[int], no_slip: float) -> Array | None:
    """Λ as if a trace had driven some contacts in; none where that changes no slip, and none can be stopped.

    Where they hardly slip, beside what else slips there, they stop.
    """
    slips = [float(norm(impact.v[impact.rows[i]])) for i in who]
    pace = float(np.abs(impact.v).max())
    slow = [i for i, slip in zip(who, slips, strict=True) if no_slip * pace < slip < SLOW * pace]
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
    if any(change > 0.1 * slip > no_slip * pace for change, slip in zip(changes, slips, strict=True)):
        return impulses
    stopped = caught(impact, who)
    return stopped if stopped is not None and np.abs(dot(impact.W, stopped)).max() > no_slip * pace else None


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

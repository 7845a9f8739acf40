"""Contacts that the coordinates themselves hold: their normal force comes from an auxiliary speed, N = N0 + N1 · u̇.

Only friction is left to decide: whether they stick, |λ_t| ≤ μ_s N, or slide with λ_t = −μ_d N d.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from latchwork.algebra.linear import lstsq
from latchwork.algebra.products import dot
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.contact.complementarity.solution import ContactSolution, State
from latchwork.contact.tolerances import Tolerances
from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates
from latchwork.hybrid.contacts.delassus import DelassusOperator
from latchwork.hybrid.contacts.delassus_programs import DelassusPrograms

BEGINS, GOES_ON = 1e-4, 1e-13  # of the fastest motion: the trace that stands for slip that has not begun, and later
BEGUN = 30.0  # so many times the trace, and slip has a direction of its own


class Numbers(NamedTuple):
    """B and c of the tangents, slip velocities, N1 and N0, friction."""

    B: Array
    c: Array
    slip: Array
    N1: Array
    N0: float
    mu_s: float
    mu_d: float


@dataclass(frozen=True, eq=False)
class HeldContacts:
    """Contacts of a crossing that the coordinates hold, and how each of them stands."""

    contact_states: ContactStates
    delassus_programs: DelassusPrograms
    held: Terms
    x: Array
    resting: set[ContactPoint]
    slipping: dict[ContactPoint, Array]
    fastest: float

    @property
    def base(self) -> Base:
        return self.delassus_programs.base

    @property
    def small(self) -> Tolerances:
        """The tolerances of the run."""
        return self.delassus_programs.tolerances

    def solution(
        self, contact_points: Sequence[ContactPoint], others: Callable[[DelassusOperator], ContactSolution]
    ) -> tuple[ContactSolution, list[tuple[ContactPoint, ContactState]]]:
        """How all contacts stand: those of ``contact_points`` by complementarity, given those that coordinates hold."""
        own = {
            contact_point: self._numbers(contact_point)
            for contact_point in self.contact_states.contact_points
            if contact_point.held
        }
        ways = {contact_point: self._start(contact_point, numbers) for contact_point, numbers in own.items()}
        for _ in range(2 + 2 * len(own)):
            extra, drags = [], []
            for contact_point, at in own.items():
                way = ways[contact_point]
                if way is None and at.mu_s > 0.0:
                    extra += [(row, bias) for row, bias in zip(at.B, at.c, strict=True)]
                elif way is not None and at.mu_d > 0.0:
                    drags.append((-at.mu_d * dot(way, at.B), at.N1, at.N0))
            delassus = self.delassus_programs.at(self.x, self.held, contact_points, extra, drags)
            solution = others(delassus)
            udot = delassus.udot + dot(delassus.inverse, dot(delassus.J.T, solution.lam))
            changed = [
                self._check(contact_point, at, ways, udot, delassus, solution.lam) for contact_point, at in own.items()
            ]
            if not any(changed):
                return solution, [
                    (contact_point, self._standing(at, ways[contact_point])) for contact_point, at in own.items()
                ]
        names = ", ".join(f"'{contact_point.name}'" for contact_point in own)
        raise IntegrationError(
            f"{names} of '{self.base.equations.name}' neither stick nor slide at t = {self.x[0]:.9g}. Friction and "
            "motion contradict each other there; start elsewhere."
        )

    def _numbers(self, contact_point: ContactPoint) -> Numbers:
        n = len(self.base.equations.u)
        n_q = len(self.base.equations.q)
        u = self.x[1 + n_q : 1 + n_q + n]
        N = contact_point.force_function(self.x)
        _, mu_s, mu_d = contact_point.laws(self.x, self.contact_states.zones)
        if not contact_point.tangents:
            return Numbers(np.zeros((0, n)), np.zeros(0), np.zeros(0), N[:-1], float(N[-1]), 0.0, 0.0)
        place = contact_point.terms.place(self.x)
        slip = dot(place.B, u) + place.C
        return Numbers(place.B, contact_point.terms.bias_function(self.x), slip, N[:-1], float(N[-1]), mu_s, mu_d)

    def _start(self, contact_point: ContactPoint, at: Numbers) -> Array | None:
        """The direction of slip to begin with; none to try whether it sticks."""
        size = math.hypot(*at.slip.tolist())
        if contact_point in self.slipping:
            return self.slipping[contact_point]
        if contact_point in self.resting or size <= self.small.no_slip * self.fastest:
            return None if at.mu_s > 0.0 else np.zeros(len(at.slip))
        return np.asarray(at.slip / size)

    def _check(
        self,
        contact_point: ContactPoint,
        at: Numbers,
        ways: dict[ContactPoint, Array | None],
        udot: Array,
        delassus: DelassusOperator,
        lam: Array,
    ) -> bool:
        """Whether a contact has to stand otherwise; one that is pulled is refused, for it cannot separate."""
        N = at.N0 + float(dot(at.N1, udot))
        scale = abs(at.N0) + float(np.abs(at.N1 * udot).sum())
        if -self.small.tensile * scale > N:
            raise IntegrationError(
                f"'{contact_point.name}' is pulled at t = {self.x[0]:.9g} (its force is {N:.6g}), but the coordinates "
                "of "
                f"'{self.base.equations.name}' cannot separate. Give the body coordinates that let it leave."
            )
        if ways[contact_point] is not None or at.mu_s == 0.0:
            return False
        force = _along(at.B, dot(delassus.M, udot) - delassus.f - dot(delassus.J.T, lam))
        size = math.hypot(*force.tolist())
        if size <= at.mu_s * N * (1.0 + 0.25 * self.small.cone):
            return False
        ways[contact_point] = np.asarray(-force / size)
        return True

    def _standing(self, at: Numbers, way: Array | None) -> ContactState:
        if way is None:
            return ContactState(State.STICK)
        if at.mu_d == 0.0 or not way.any():
            return ContactState(State.SLIDE)
        if len(way) == 1:
            return ContactState(State.SLIDE, (1.0 if way[0] > 0.0 else -1.0,))
        begins = math.hypot(*at.slip.tolist()) <= self.small.no_slip * self.fastest
        return ContactState(State.SLIDE, way_in_space(way, max(self.fastest, self.small.slowest), begins))


def _along(B: Array, force: Array) -> Array:
    """λ with Bᵀ λ = force, as nearly as can be."""
    if len(B) == 1 and B.any():
        return np.asarray(dot(B, force) / dot(B[0], B[0]))
    return np.asarray(lstsq(B.T, force))


def way_in_space(d: Array, fastest: float, begins: bool) -> tuple[float, ...]:
    """The direction of slip in a mode, a trace of a speed for slip that has not begun, and how far that serves.

    Slip grows from nothing as t², and friction turns with it at the rate μ N / (m |v|): a trace far above what a step
    may be off keeps that rate within reach of an explicit method.
    """
    trace = (BEGINS if begins else GOES_ON) * fastest
    return *d.tolist(), trace, BEGUN * trace if begins else 0.0

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
from latchwork.contact.complementarity.solution import ContactProblem, ContactSolution, State, feasible, hold_on, settle
from latchwork.errors import IntegrationError, Jammed
from latchwork.hybrid.contacts.contact_point import ContactPoint, Way, touch_of
from latchwork.hybrid.contacts.contact_state import ContactState, deep_in
from latchwork.hybrid.contacts.delassus import DelassusOperator
from latchwork.hybrid.contacts.enforced_contacts import HeldContacts, way_in_space
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.contacts.impact_reset import KEPT, RANK, Striking

STILL = 1e-9  # of the accelerations at work: a contact that opens slower stays
CARRIES = 1e-6  # of the largest force: with less, a contact carries nothing
WIDEST = 2  # times that a grip becomes firmer
MOST = 60  # impacts at one instant, for each contact

NONE_STAYS = ContactSolution((), (), np.zeros(0), np.zeros(0), 0)


@dataclass(eq=False)
class Reset(Striking):
    """A state on its way through an event: speeds change by impacts, standings by what follows."""

    # --- what was hit -------------------------------------------------------------------------------------------

    def take(self, hits: Sequence[Guard], lam: Mapping[str, Array]) -> None:
        """Note what the guards say: zones are entered at once, the rest is decided together."""
        s = self.contact_states
        s.let_clear(self.x)
        for kind, about, _, _, step, height, _ in hits:
            if kind == "touch" and height > 0.0:
                s.leaving_depths = {
                    contact_point: deep
                    for contact_point, deep in s.leaving_depths.items()
                    if contact_point is not about
                }
            if kind == "zone":
                s.zones = s.zones | {about: s.zones[about] + step}
            elif kind == "around":
                s.behind.discard(about)
                if about.gap(self.x)[0] < -about.tolerances.reach:  # through the end of its domain, not its surface
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
                self.slipping |= {contact_point: np.array(how.limit) for contact_point, how in s.closed.items()
                                  if how.limit is not None and contact_point not in self.slipping}  # fmt: skip
            elif kind == "touch" and self._from_behind(about):
                s.behind.add(about)

    def _from_behind(self, contact_point: ContactPoint) -> bool:
        """Whether a feature is met through the end of its domain, not through its surface: the gap is deeper."""
        gap, inside = contact_point.gap(self.x)
        return gap < -contact_point.tolerances.reach and inside < -gap

    def go(self) -> None:
        """Impacts until nothing approaches, then what stays closed, slides or sticks."""
        delassus: DelassusOperator | None = None
        for _ in range(MOST * (1 + len(self.contact_states.contact_points))):
            near = self._near()
            delassus = self._distinct(self.delassus_programs.at(self.x, self.held, near, before=delassus))
            if self._cannot_move(delassus):
                self._leave_as_they_are(delassus)
                return
            if self._approaches(delassus):
                self._impact(delassus)
                continue
            try:
                self._settle(delassus)
            except Jammed as jammed:
                self._jam(delassus, jammed)
                continue
            return
        names = ", ".join(f"'{contact_point.name}'" for contact_point in self._near())
        raise IntegrationError(
            f"{names} of '{self.base.equations.name}' come to no rest at t = {self.x[0]:.9g}: impact follows impact "
            f"at one instant. Allow lw.TimeStepping(), or give them a lower restitution."
        )

    def _near(self) -> list[ContactPoint]:
        """Contacts that are closed or whose gap is zero, within their domains; not those the coordinates hold."""
        s, near = self.contact_states, []
        ending = {contact_point.contact for contact_point in self.leaving}
        self.delassus_programs.look(s.contact_points, self.x)
        for contact_point in list(s.contact_points):
            if contact_point.held or contact_point in self.leaving or contact_point in s.behind:
                continue
            (gap, inside), reach = contact_point.gap(self.x), contact_point.tolerances.reach
            if not math.isfinite(gap):
                raise IntegrationError(
                    f"the gap of '{contact_point.name}' is {gap} at t = {self.x[0]:.9g}. Look at its shape."
                )
            # one just left stays out, unless another feature of the same contact ends here
            stays_out = contact_point in s.leaving_depths and contact_point.contact not in ending
            within = inside > 0.0 if stays_out else inside >= -reach
            if contact_point in s.closed or (gap <= reach and within):
                near.append(
                    self._turned(contact_point)
                    if contact_point.axis is not None and contact_point.is_skewed(self.x)
                    else contact_point
                )
        return near

    def _cannot_move(self, delassus: DelassusOperator) -> bool:
        """Whether what is held besides, as a weld, leaves no motion at these contacts: A is zero but for rounding."""
        if not delassus.contact_points or not len(self.held.rows):
            return False
        alone = np.einsum("ij,ji->i", delassus.J, lstsq(delassus.M, delassus.J.T))
        slow = self.small.no_slip * self.base.scales.speed
        return bool(np.diag(delassus.A).max() <= self.small.rounding * alone.max()) and (
            min(delassus.normal_speeds) > -slow
        )

    def _leave_as_they_are(self, delassus: DelassusOperator) -> None:
        """Contacts at which nothing moves carry nothing, and are open until something can."""
        s = self.contact_states
        s.closed, s.lam = {}, {}
        self._note_grazing(delassus.contact_points)

    def _distinct(self, delassus: DelassusOperator) -> DelassusOperator:
        """The same without features that are met on the bound of their domains, at a place where another feature of the
        same contact is met in the same way: the end of an edge, where the edge is met as well."""
        contact_points = delassus.contact_points
        if len(contact_points) == len({contact_point.contact for contact_point in contact_points}):
            return delassus
        closed, kept = self.contact_states.closed, list(range(len(contact_points)))
        inside = [contact_point.gap(self.x)[1] for contact_point in contact_points]
        on_bound = [i for i in kept if abs(inside[i]) <= contact_points[i].tolerances.reach]
        for i in sorted(on_bound, key=lambda i: (contact_points[i] in closed, inside[i], -i)):
            if any(
                j != i and contact_points[j].contact is contact_points[i].contact and _is_same(delassus, i, j)
                for j in kept
            ):
                kept.remove(i)
        self.doubled |= {contact_points[i] for i in on_bound if i not in kept}
        return delassus if len(kept) == len(contact_points) else delassus.only(kept)

    def _turned(self, contact_point: ContactPoint) -> ContactPoint:
        """The same contact with tangents made from an axis that lies well across its normal."""
        again = touch_of(contact_point.contact, contact_point.feature, self.base, self.x)
        self.contact_states.made_again(
            {each: again if each is contact_point else each for each in self.contact_states.every}
        )
        return again

    # --- what stays ---------------------------------------------------------------------------------------------

    def _note_grazing(self, fresh: Iterable[ContactPoint]) -> None:
        """Contacts that have just opened, or were entered from below: how deep they are."""
        s = self.contact_states
        deep = s.leaving_depths | {contact_point: self._deep(contact_point) for contact_point in fresh}
        s.leaving_depths = (
            {contact_point: depth for contact_point, depth in deep.items() if contact_point not in s.closed}
            if deep
            else deep
        )

    def _settle(self, delassus: DelassusOperator) -> None:
        """The next mode: closed contacts and how, from complementarity."""
        s, first = self.contact_states, delassus.first
        s.pace = max(s.pace, delassus.pace)
        small, at_work = self.small, float(np.abs(delassus.b).max(initial=0.0))
        fastest = max(s.speed, delassus.pace, small.left * s.pace, small.stirs * at_work)
        entered = {
            contact_point
            for contact_point in delassus.contact_points
            if contact_point.feature.within and self._just_entered(contact_point)
        }
        stays = self._staying(delassus)
        if 0 < len(stays) < len(first):
            delassus = delassus.only(stays)
            stays = list(range(len(stays)))
        contact_points = [delassus.contact_points[i] for i in stays]
        ways = [self._slip(delassus, i, small.no_slip * fastest) for i in stays]
        if any([contact_point.held for contact_point in s.contact_points]):
            held = HeldContacts(s, self.delassus_programs, self.held, self.x, self.resting, self.slipping, fastest)
            solution, sides = held.solution(contact_points, lambda m: self._verdict(m, ways))
            closed = dict(sides)
        else:
            solution, closed = self._verdict(delassus, ways) if stays else NONE_STAYS, {}
        for i, (contact_point, way, state, d) in enumerate(
            zip(contact_points, ways, solution.states, solution.directions, strict=True)
        ):
            if state is not State.OPEN:
                must = self.slipping.get(contact_point, d)
                begins = state is State.SLIDE and way is None
                limit = None
                if begins and must is not None and kept_by_others(delassus, i, solution.states):
                    limit = tuple(must.tolist())
                cone_margin = self._grip(contact_point, state)
                closed[contact_point] = ContactState(
                    state, self._way(contact_point, state, way, d, fastest), limit, cone_margin
                )
        if stays:
            self._still(delassus, solution.states, ways)
        s.closed = (
            closed
            if len(closed) < 2
            else {contact_point: closed[contact_point] for contact_point in s.contact_points if contact_point in closed}
        )
        opened = {contact_point for contact_point in contact_points if contact_point not in closed}
        self._note_grazing((*opened, *entered, *self._ended(), *(self.doubled - closed.keys())))
        s.lam = _by_name(contact_points, delassus, solution, stays)

    def _grip(self, contact_point: ContactPoint, state: State) -> int:
        """How firmly a contact sticks: more so where it has only just begun to slip, and slips no more."""
        s, now = self.contact_states, float(self.x[0])
        before = s.closed.get(contact_point)
        if state is not State.STICK:
            if before is not None and before.state is State.STICK:
                s.slipped = s.slipped | {contact_point: (now, before.cone_margin)}
            return 0
        if before is not None and before.state is State.STICK:
            return before.cone_margin + (contact_point in self.widened)
        since, cone_margin = s.slipped.get(contact_point, (-math.inf, 0))
        return min(cone_margin + 1, WIDEST) if now - since < self.small.chatter else 0

    def _still(self, delassus: DelassusOperator, states: Sequence[State], ways: Sequence[Array | None]) -> None:
        """End what is left of slip where contacts stick from now on, by impulses A Λ = −v that are no impact."""
        rows: list[int] = []
        left, v = 0.0, delassus.v.tolist()
        for row, k, state, way in zip(delassus.first, delassus.tangents, states, ways, strict=True):
            sticks = state is State.STICK and way is None
            rows += range(row, row + 1 + k * sticks) if state is not State.OPEN else ()
            left = max(left, *map(abs, v[row + 1 : row + 1 + k * sticks]), 0.0)
        if left <= self.small.no_slip * delassus.pace:
            return
        impulses = np.zeros(len(delassus.v))
        impulses[rows] = lstsq(delassus.A[np.ix_(rows, rows)], -delassus.v[rows], RANK)
        self._move(delassus, impulses)

    def _deep(self, contact_point: ContactPoint) -> int:
        """How deep a contact is that opens, in whole closed gaps, half is none: it was let in by as much before."""
        return deep_in(contact_point.gap(self.x)[0], contact_point.tolerances)

    def _just_entered(self, contact_point: ContactPoint) -> bool:
        """Whether the domain of a feature is entered with a gap below zero, if by rounding: its guard falls on."""
        gap, inside = contact_point.gap(self.x)
        return -2.0 * contact_point.tolerances.bound <= inside < -gap

    def _ended(self) -> set[ContactPoint]:
        """Features whose patch has ended, so that they open without moving away."""
        return {contact_point for contact_point in self.leaving if contact_point not in self.contact_states.behind}

    def _slip(self, delassus: DelassusOperator, i: int, none: float) -> Array | None:
        """The direction of slip of a contact; none where it does not slip."""
        contact_point, k, row = delassus.contact_points[i], delassus.tangents[i], delassus.first[i]
        slip = delassus.v[row + 1 : row + 1 + k]
        size = math.hypot(*slip.tolist())
        return None if contact_point in self.resting or size <= none else np.asarray(slip / size)

    def _verdict(self, delassus: DelassusOperator, ways: Sequence[Array | None]) -> ContactSolution:
        """Complementarity of the contacts of a meeting; those without friction have no tangents."""
        s = self.contact_states
        if not delassus.contact_points:
            return NONE_STAYS
        _, mu_s, mu_d = self._laws(delassus)
        rows: list[int] = []
        tangents: list[int] = []
        for first, k, mu in zip(delassus.first, delassus.tangents, mu_s.tolist(), strict=True):
            tangents.append(k if mu > 0.0 else 0)
            rows += range(first, first + 1 + tangents[-1])
        every = len(rows) == len(delassus.C)
        A, b = (delassus.A, delassus.b) if every else (delassus.A[np.ix_(rows, rows)], delassus.b[rows])
        resting = ContactProblem(
            tuple([contact_point.name for contact_point in delassus.contact_points]), A, b, tuple(tangents), mu_s, mu_d,
            tuple(way if k else None for way, k in zip(ways, tangents, strict=True)),
            tuple(self.slipping.get(contact_point) for contact_point in delassus.contact_points),
        )  # fmt: skip
        if self.slipping:
            kept = self._held_on(delassus, resting)
            if isinstance(kept, ContactSolution):
                return self._whole(delassus, rows, kept)
            resting = kept
        stays = s.closed.keys() - self.letting_go  # a force that has just come to zero is zero but for rounding
        guess = [
            s.closed[contact_point].state if contact_point in stays else State.OPEN
            for contact_point in delassus.contact_points
        ]
        solution = settle(resting, guess if s.closed else None)
        if self.slipping:
            self._grip_again(delassus, solution)
        else:
            solution = calmed(delassus, resting, solution)
            solution = together(
                resting, solution, [contact_point not in self.letting_go for contact_point in delassus.contact_points]
            )
        return self._whole(delassus, rows, solution)

    def _grip_again(self, delassus: DelassusOperator, solution: ContactSolution) -> None:
        """Contacts that were to slip, and stick after all: they are at the very edges of their cones."""
        s = self.contact_states
        stuck = {
            contact_point
            for contact_point, state in zip(delassus.contact_points, solution.states, strict=True)
            if state is State.STICK
        }
        self.widened |= {contact_point for contact_point in stuck & self.slipping.keys()
                        if contact_point in s.closed and s.closed[contact_point].cone_margin < WIDEST}  # fmt: skip

    def _whole(self, delassus: DelassusOperator, rows: Sequence[int], solution: ContactSolution) -> ContactSolution:
        """The same with λ of all rows."""
        if len(rows) == len(delassus.C):
            return solution
        lam = np.zeros(len(delassus.C))
        lam[rows] = solution.lam
        return replace(solution, lam=lam)

    def _held_on(self, delassus: DelassusOperator, resting: ContactProblem) -> ContactSolution | ContactProblem:
        """What becomes of contacts that stick, one of which is at the edge of its cone: they go on with the load shared
        otherwise, if some share holds them; else all slip together that are at their edges in every share."""
        s, states, ways = self.contact_states, [], []
        for contact_point, slip in zip(delassus.contact_points, resting.slip, strict=True):
            state, way, limit, _ = s.closed.get(contact_point, ContactState(State.OPEN))
            slides = state is State.SLIDE and limit is None
            states.append(state if state is State.OPEN or slides else State.STICK)
            ways.append(
                slip if slip is not None or not slides or way is None else np.array(way[: len(contact_point.tangents)])
            )
        if State.STICK not in states or self.letting_go:
            return resting
        firm = [
            self.small.wider ** s.closed[contact_point].cone_margin if contact_point in s.closed else 1.0
            for contact_point in delassus.contact_points
        ]
        held = hold_on(resting, states, ways, firm)
        if held.lam is not None:
            if s.shared == self.x[0]:  # it was shared otherwise just now: what is left is at the very edge
                self.widened = {
                    contact_point for contact_point in self.slipping if s.closed[contact_point].cone_margin < WIDEST
                }
                if not self.widened:
                    return resting
            self.slipping, s.shared = {}, float(self.x[0])
            return ContactSolution(tuple(states), tuple(ways), held.lam, dot(resting.A, held.lam) + resting.b, 1)
        if not any(way is not None for way in held.must_slip):
            return resting
        self.slipping = {
            contact_point: way
            for contact_point, way in zip(delassus.contact_points, held.must_slip, strict=True)
            if way is not None
        }
        return replace(resting, must_slip=held.must_slip)

    def _way(
        self, contact_point: ContactPoint, state: State, slip: Array | None, d: Array | None, fastest: float
    ) -> Way:
        """The direction kept in a standing: a sign in the plane; in space that of the slip, now or to come."""
        mu_d = contact_point.laws(self.x, self.contact_states.zones)[2]
        if state is State.STICK or not contact_point.tangents or mu_d == 0.0 or d is None:
            return None
        if len(contact_point.tangents) == 1:
            return (1.0 if d[0] > 0.0 else -1.0,)
        return way_in_space(d if slip is None else slip, max(fastest, self.small.slowest), slip is None)


def _is_same(delassus: DelassusOperator, i: int, j: int) -> bool:
    """Whether the normal rows of two contacts are one: A_ii = A_ij = A_jj."""
    a, b = delassus.first[i], delassus.first[j]
    own, other, both = float(delassus.A[a, a]), float(delassus.A[b, b]), float(delassus.A[a, b])
    return max(abs(own - both), abs(other - both)) <= KEPT * max(own, other)


def calmed(delassus: DelassusOperator, resting: ContactProblem, solution: ContactSolution) -> ContactSolution:
    """The same where all stick that others keep from slipping, if some forces hold them; what they still slip is ended
    with the slip of the others."""
    if State.STICK not in solution.states or State.SLIDE not in solution.states:
        return solution
    idle = [
        state is State.SLIDE and k > 0 and mu > 0.0 and rests_with_others(delassus, i, solution.states)
        for i, (state, k, mu) in enumerate(zip(solution.states, resting.tangents, resting.mu_s, strict=True))
    ]
    if not any(idle):
        return solution
    states = tuple(State.STICK if still else state for still, state in zip(idle, solution.states, strict=True))
    ways = tuple(None if still else way for still, way in zip(idle, solution.directions, strict=True))
    lam = feasible(resting, states, ways)
    if lam is None:
        return solution
    return ContactSolution(states, ways, lam, dot(resting.A, lam) + resting.b, solution.iterations, solution.notes)


def together(resting: ContactProblem, solution: ContactSolution, may: Sequence[bool]) -> ContactSolution:
    """The same where nothing slides, with all contacts closed that do not open, if all then carry something: a body at
    rest stands on all its feet."""
    if State.OPEN not in solution.states or State.STICK not in solution.states or State.SLIDE in solution.states:
        return solution
    first = [sum(resting.tangents[:i]) + i for i in range(len(may))]
    still = STILL * float(np.abs(resting.b).max())
    joins = [state is State.OPEN and allowed and mu > 0.0 and k > 0 and slip is None and abs(solution.a[row]) <= still
             for state, allowed, mu, k, slip, row in
             zip(solution.states, may, resting.mu_s, resting.tangents, resting.slip, first, strict=True)]  # fmt: skip
    if not any(joins):
        return solution
    states = tuple(State.STICK if join else state for join, state in zip(joins, solution.states, strict=True))
    lam = feasible(resting, states, solution.directions)
    if lam is None or min(lam[row] for row, join in zip(first, joins, strict=True) if join) <= CARRIES * lam.max():
        return solution
    return ContactSolution(
        states, solution.directions, lam, dot(resting.A, lam) + resting.b, solution.iterations, solution.notes
    )


def kept_by_others(delassus: DelassusOperator, i: int, states: Sequence[State]) -> bool:
    """Whether contact i cannot slip because others stick: its tangents depend on rows that are held."""
    if State.STICK not in states or not delassus.tangents[i]:
        return False
    own, _, left = _beside_others(delassus, i, states)
    return bool(np.abs(left).max() < KEPT * np.abs(delassus.A[own, own]).max())


def rests_with_others(delassus: DelassusOperator, i: int, states: Sequence[State]) -> bool:
    """Whether contact i is kept by others, and slips no more where these do not: no belt runs under it."""
    if not kept_by_others(delassus, i, states):
        return False
    slip = _beside_others(delassus, i, states)[1]
    return bool(np.abs(slip).max() <= KEPT * max(delassus.pace, float(np.abs(delassus.v).max())))


def _beside_others(delassus: DelassusOperator, i: int, states: Sequence[State]) -> tuple[slice, Array, Array]:
    """The rows of its tangents; what is left of their velocities, and of A, where rows that others hold are zero."""
    held = [
        row
        for j, state in enumerate(states)
        if state is not State.OPEN
        for row in range(delassus.first[j], delassus.first[j] + 1 + delassus.tangents[j] * (state is State.STICK))
    ]
    own, A, v = slice(delassus.first[i] + 1, delassus.first[i] + 1 + delassus.tangents[i]), delassus.A, delassus.v
    carried = lstsq(A[np.ix_(held, held)], np.column_stack((A[held, own], v[held])), RANK)
    left = np.column_stack((A[own, own], v[own])) - dot(A[own, held], carried)
    return own, left[:, -1], left[:, :-1]


def _by_name(
    contact_points: Sequence[ContactPoint], delassus: DelassusOperator, solution: ContactSolution, stays: Sequence[int]
) -> dict[str, Array]:
    """λ of each contact that stays, normal first."""
    ends = list(accumulate((1 + delassus.tangents[i] for i in stays), initial=0))
    return {
        contact_point.name: solution.lam[a:b]
        for contact_point, a, b in zip(contact_points, ends, ends[1:], strict=False)
    }

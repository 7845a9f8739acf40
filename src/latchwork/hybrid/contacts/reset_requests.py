"""The reset of a run: what happens where guards fall, by the kernel `reset_kernel`, with what it has to be given.

What it cannot go on from is said here in words: which contact, the values seen, and what to do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from latchwork.algebra.linear import lstsq
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.contact.complementarity.solution import NamedContactProblem, State, refusal, settle
from latchwork.contact.impact.notes import sentence
from latchwork.contact.impact.problem import Impact, ImpactLaw
from latchwork.contact.impact.resolution import resolve
from latchwork.contact.tolerances import Tolerances
from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts.contact_point import ContactPoint, made_contact_point
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.delassus_operator import GIVEN, Delassus
from latchwork.hybrid.contacts.free_motion import free_motion_of
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.contacts.reset_kernel import reset
from latchwork.hybrid.contacts.reset_outcome import ResetOutcome
from latchwork.hybrid.contacts.scene import AROUND, CLEARED, LEAVES, LETS_GO, RESTS, SLIPS, TOUCHED
from latchwork.hybrid.contacts.scene_memory import SceneMemory, Workspace, workspace_of
from latchwork.program.native import address, native

FIRST_ROOM = 4  # contacts that may be near at once, to begin with
REMEMBERED = 64  # sets of rows that hold besides
TINIEST = 1e-300  # of a force: what is divided by never vanishes
Call = Callable[[SceneMemory, Array], int]  # runs the kernel on a scene and a state (t, q, u, rest)
SAYS = {"around": AROUND, "patch": LEAVES, "release": LETS_GO, "stick": RESTS, "slip": SLIPS, "touch": TOUCHED}


def as_machine_code(memory: SceneMemory, x: Array) -> int:
    """The kernel as every run calls it."""
    outcome: int = native(reset).brief(memory.address, address(x))
    return outcome


def as_python(memory: SceneMemory, x: Array) -> int:
    """The kernel as Python, its meaning: the same bits, and a debugger may stop in it."""
    return reset(memory.scene, x)


@dataclass(frozen=True, eq=False)
class Happened:
    """An impact: the contacts that took part with their impulses, and the energy lost."""

    impulses: Mapping[str, Array]
    energy: float
    notes: tuple[str, ...] = ()


def impulse_of(point: ContactPoint, impulse: Any) -> Array:
    """Of a contact point along its normal, where it has one, and its tangents."""
    return np.array(impulse[int(point.is_bounded) : 1 + len(point.tangents)])


class Passed(NamedTuple):
    """The state (t, q, u, rest) after a reset, the energy that was put in, and the impact, if there was one."""

    x: Array
    work: float
    impacts: tuple[Happened, ...]


class Resets:
    """Resets of one mechanism, as it is driven; one thread at a time."""

    def __init__(self, base: Base, tolerances: Tolerances) -> None:
        self.base, self.memory = base, SceneMemory(base, tolerances)
        self._rooms: dict[Terms, Workspace] = {}
        self._near = FIRST_ROOM

    def room(self, held: Terms) -> Workspace:
        """The records of contacts that are near with some rows that hold besides."""
        found, enforced = self._rooms.get(held), self.memory.scene.enforced
        if found is None or found.delassus.most_contacts < self._near or found.delassus.most_enforced < enforced:
            if len(self._rooms) >= REMEMBERED:
                self._rooms.pop(next(iter(self._rooms)))
            found = self._rooms[held] = workspace_of(self.base, held, self._near, enforced)
        return found

    def get_ready(self, points: Sequence[ContactPoint]) -> None:
        """Make now all that resets of some contact points may ask for, however many of them are near."""
        self.memory.hold(points)
        self._near = max(self._near, len(points))
        for point in points:
            self.memory.make_ready(self.memory.places[point])

    def __call__(self, s: ContactStates, held: Terms, x: Array, hits: Sequence[Guard], lam: Mapping[str, Array],
                 at_once: bool | None, brief: float, call: Call = as_machine_code) -> Passed:  # fmt: skip
        """Go through what was hit at x = (t, q, u, rest); how contacts are is changed in place."""
        for guard in hits:
            if guard.kind == "lost":
                x = guard.about.tracked_place.found(
                    x, s.places_of(guard.about.contact, guard.about.feature), guard.about in s.closed)
        return Passing(self, s, held, x, hits, lam, at_once, brief).go(call)


class Passing:
    """One reset under way."""

    def __init__(self, resets: Resets, s: ContactStates, held: Terms, x: Array, hits: Sequence[Guard],
                 lam: Mapping[str, Array], at_once: bool | None, brief: float) -> None:  # fmt: skip
        self.resets, self.s, self.held, self.x = resets, s, held, x.copy()
        self.lam, self.hits, self.settings = lam, hits, (-1 if at_once is None else int(at_once), brief)
        self.notes: list[str] = []
        self._begin()

    @property
    def memory(self) -> SceneMemory:
        return self.resets.memory

    def _begin(self) -> None:
        """States and guards into the records."""
        memory, s = self.memory, self.s
        memory.hold(s.contact_points)
        self.room = self.resets.room(self.held)
        memory.ready(self.room)
        memory.write(s)
        scene, delassus = memory.scene, self.room.delassus
        scene.at_once, scene.shortest_hop = self.settings
        delassus.calls = delassus.supplied = 0
        for kind, about, _, _, step, height, _ in self.hits:
            if kind == "zone":
                scene.zone_step[memory.zone(about)] += step
            elif kind in SAYS:
                self._say(scene.event[memory.places[about]], kind, about, height)

    def _say(self, event: Any, kind: str, about: ContactPoint, height: float) -> None:
        event.flags |= SAYS[kind] | (CLEARED if kind == "touch" and height > 0.0 else 0)
        if kind == "slip":
            across = (self.lam[about.name] if about.without_normal else self.lam[about.name][1:]).tolist()
            size = _length(across)
            for j, force in enumerate(across):
                event.onset[j] = -force / size

    def go(self, call: Call) -> Passed:
        """Call the kernel until it is done."""
        while True:
            outcome = ResetOutcome(call(self.memory, self.x))
            match outcome:
                case ResetOutcome.DONE:
                    return self._passed()
                case ResetOutcome.NOT_READY:
                    self.memory.make_ready(self.memory.scene.trouble)
                case ResetOutcome.CAREFUL:
                    self._give_free_motion()
                case ResetOutcome.NO_ROOM:
                    self.resets._near *= 2
                    self.room = self.resets.room(self.held)
                    self.memory.ready(self.room)
                case ResetOutcome.SKEW:
                    self._turn(self.memory.points[self.memory.scene.trouble])
                case ResetOutcome.NOTED:
                    self._note()
                case _:
                    self._refuse(outcome)

    def _passed(self) -> Passed:
        """What came of it, read from the records."""
        memory, s = self.memory, self.s
        memory.read(s)
        scene = memory.scene
        if not scene.impacts:
            return Passed(self.x, scene.work, ())
        struck = sorted([(event.struck, i) for i in memory.watched(s) if (event := scene.event[i]).struck])
        points = [memory.points[i] for _, i in struck]
        impulses = {point.name: impulse_of(point, scene.event[memory.places[point]].impulse) for point in points}
        return Passed(self.x, scene.work, (Happened(impulses, scene.energy, tuple(dict.fromkeys(self.notes))),))

    def _give_free_motion(self) -> None:
        """P and u̇₀ where rows that hold, or masses, are close to singular."""
        delassus: Delassus = self.room.delassus
        n, held, extra = delassus.n, delassus.held, delassus.extra
        if delassus.supplied == GIVEN:
            raise self._undecided()
        B = np.asarray(delassus.B)[held * n : (held + extra) * n].reshape(extra, n)
        c = np.asarray(delassus.held_c)[held:]
        friction = np.asarray(delassus.friction)[: delassus.drags * (2 * n + 1)].reshape(-1, 2 * n + 1)
        free = free_motion_of(self.resets.base, self.held, self.x, list(zip(B, c, strict=False)),
                              [(row[:n], row[n:-1], float(row[-1])) for row in friction])  # fmt: skip
        J = np.asarray(delassus.J)[: delassus.rows * n].reshape(-1, n)
        alone = np.einsum("ij,ji->i", J, lstsq(free.M, J.T)).max(initial=0.0)
        for given, values in ((delassus.given_P, free.inverse), (delassus.given_M, free.M),
                              (delassus.given_udot, free.udot), (delassus.given_f, free.f),
                              (delassus.given_unheld, alone)):  # fmt: skip
            np.asarray(given).reshape(GIVEN, -1)[delassus.supplied] = np.ravel(values)
        delassus.supplied += 1

    def _turn(self, point: ContactPoint) -> None:
        """Tangents made from an axis that lies well across the normal of a contact; then the reset begins again."""
        again = made_contact_point(point.contact, point.feature, self.resets.base, self.x)
        self.memory.scene.begun = 0
        self.s.made_again({each: again if each is point else each for each in self.s.every})
        self.hits = [guard._replace(about=again) if guard.about is point else guard for guard in self.hits]
        self._begin()

    def _names(self) -> list[str]:
        """The contacts that are near."""
        delassus = self.room.delassus
        return [self.memory.points[delassus.point[k]].name for k in range(delassus.contacts)]

    def _note(self) -> None:
        """What an impact has to tell."""
        impact, names = self.room.impact, self._names()
        if self.memory.scene.jams:
            rows = self.room.delassus.first
            pushed = [name for k, name in enumerate(names) if impact.impulses[rows[k]] > 0.0]
            who = f"'{pushed[0]}' jams" if len(pushed) == 1 else ", ".join(map(repr, pushed)) + " jam together"
            self.notes.append(f"{who}: friction would pull in what slides, so that an impact without collision ends "
                              "its slip")  # fmt: skip
        self.notes += [sentence(impact.note[i], impact, names) for i in range(impact.notes)]

    def _refuse(self, outcome: ResetOutcome) -> None:
        """Why it cannot go on."""
        scene, t, name, names = self.memory.scene, self.x[0], self.resets.base.equations.name, self._names()
        match outcome:
            case ResetOutcome.NOT_FINITE:
                gap = scene.gap[scene.trouble]
                raise IntegrationError(f"the gap of '{self._trouble.name}' is {gap} at t = {t:.9g}. Look at its shape.")
            case ResetOutcome.UNLAWFUL:
                self._trouble.laws.at(self.x, self.memory.zones())
            case ResetOutcome.BLOCKED:
                self._refused_impact(names)
            case ResetOutcome.JAMMED | ResetOutcome.UNSETTLED:
                self._refused_problem(names)
            case ResetOutcome.PULLED:
                raise IntegrationError(
                    f"'{self._trouble.name}' is pulled at t = {t:.9g} (its force is {scene.number:.6g}), but the "
                    f"coordinates of '{name}' cannot separate. Give the body coordinates that let it leave."
                )
            case ResetOutcome.UNDECIDED:
                raise self._undecided()
        near = ", ".join(f"'{each}'" for each in names)
        raise IntegrationError(
            f"{near} of '{name}' come to no rest at t = {t:.9g}: impact follows impact at one instant. Allow "
            "lw.TimeStepping(), or give them a lower restitution."
        )

    @property
    def _trouble(self) -> ContactPoint:
        """The contact point that something is to be said of."""
        return self.memory.points[self.memory.scene.trouble]

    def _refused_impact(self, names: Sequence[str]) -> None:
        """The impact once more, by name: it says why it cannot be resolved."""
        impact = self.room.impact
        k, r = impact.contacts, impact.rows
        given = Impact(tuple(names), np.array(impact.W[: r * r]).reshape(r, r), np.array(impact.v[:r]),
                       tuple(impact.tangents[:k]), np.array(impact.e[:k]), np.array(impact.mu_s[:k]),
                       np.array(impact.mu_d[:k]))  # fmt: skip
        at_once = None if impact.at_once < 0 else bool(impact.at_once)
        resolve(given, [ImpactLaw(law).name.lower() for law in impact.law[:k]], at_once, impact.capture)

    def _refused_problem(self, names: Sequence[str]) -> None:
        """The contact problem once more, by name: it says why it has no answer."""
        asked = self.room.problem
        if asked.unended:
            raise refusal(asked, names[: asked.contacts])
        k, r = asked.contacts, asked.rows
        slip, must = [tuple(np.array(along[2 * i : 2 * i + asked.tangents[i]]) if flag[i] else None for i in range(k))
                for flag, along in ((asked.slips, asked.slip), (asked.must_slip, asked.onset))]  # fmt: skip
        fixed, first = tuple(map(bool, asked.fixed[:k])), asked.first[:k].tolist()
        limits = [-asked.b[row] / asked.A[row * (r + 1)] if is_fixed else 1.0
                  for row, is_fixed in zip(first, fixed, strict=True)]  # fmt: skip
        given = NamedContactProblem(
            tuple(names[:k]), np.array(asked.A[: r * r]).reshape(r, r), np.array(asked.b[:r]),
            tuple(asked.tangents[:k]), np.array(asked.mu_s[:k]) * limits, np.array(asked.mu_d[:k]) * limits, slip, must,
            fixed,
        )  # fmt: skip
        settle(given, [State(guess) for guess in asked.guess[:k]])

    def _undecided(self) -> IntegrationError:
        held = ", ".join(f"'{point.name}'" for point in self.s.contact_points if point.without_normal)
        return IntegrationError(
            f"{held} of '{self.resets.base.equations.name}' neither stick nor slide at t = {self.x[0]:.9g}. Friction "
            "and motion contradict each other there; start elsewhere."
        )


def _length(force: Sequence[float]) -> float:
    """|f|, in the bits of `flow.say_guards`; never zero, and right where squares vanish."""
    total = 0.0
    for part in force:
        total += part * part
    return math.sqrt(total) or max(math.hypot(*force), TINIEST)

"""The memory of a time-stepped interval: records laid out and filled, and more room where it is asked for."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np

from latchwork.constraint.consistency import assemble_q, assemble_u
from latchwork.constraint.terms import Array, Terms
from latchwork.contact.law import Zones
from latchwork.contact.time_stepping.cone_problem import ConeProblem
from latchwork.contact.time_stepping.pivots import pairs_needed
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.free_motion import left_over
from latchwork.hybrid.contacts.scene_memory import SceneMemory
from latchwork.hybrid.state_function import state_function
from latchwork.hybrid.stops import expressions_of
from latchwork.hybrid.time_stepping.time_step import Asked, Given, NearContacts, Reason, TimeStep
from latchwork.program.evaluator import Evaluators
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.program.records.memory import lay_out
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import rebuild

NEAR = 8  # contacts that may be near at once, to begin with
PAGE = 64  # steps that are written down at once
GIVEN = 4  # answers that there is room for, to begin with


class StepMemory:
    """The records of a time-stepped interval, and what keeps their programs alive."""

    def __init__(self, scene: SceneMemory, held: Terms, s: ContactStates, x: Array, work: float, step: float,
                 calm: float, stops: Mapping[str, Any]) -> None:  # fmt: skip
        self.scene, self.held, self.contacts = scene, held, s
        scene.hold(s.contact_points)
        base, programs = held.base, Evaluators()
        (n_q, n, m), zones = held.sizes, dict.fromkeys(zone for point in s.contact_points for zone in point.zones)
        bounds = {zone: state_function(base, [zone.x - bound for bound in zone.bounds]) for zone in zones}
        widest = max([len(zone.bounds) for zone in zones], default=0)
        room = max(n * n + 2 * n, 2 * n * m + m * m + 3 * m, widest)
        fours = [i for four in held._fours for i in four]
        calm_steps = 0 if math.isinf(calm) else int(calm)
        self.record = record = lay_out(
            TimeStep, n_x=len(x), n_q=n_q, n=n, held=m, contacts=scene.scene.contacts, zones=len(zones),
            stops=len(stops), fours=len(fours) // 4, n_motion=base.motion.width, n_work=room, page=PAGE,
            still=int(is_still(held, s)), step=step, until=float(x[0]), calm_steps=calm_steps, scene=scene.scene,
            four=fours, has_phi=list(held.still), unit=held.base.units.u, length=held.base.scales.length, x=x,
            work=work, zone_place=[scene.zone(zone) for zone in zones],
        )  # fmt: skip
        equations = base.equations
        energy = state_function(base, [equations.kinetic_energy + equations.potential_energy])
        self.busy = (base.motion, base.spread, energy)
        for place, function in zip((record.motion, record.spread, record.energy), self.busy, strict=True):
            programs.put(place, function)
        if m:
            programs.put(record.held_place, held.place_function)
            programs.put(record.held_bias, held.bias_function)
        if stops:
            g = equations.system.graph
            nodes = rebuild(g, expressions_of(equations, stops), base.laws)
            programs.put(record.stop, Function(lower(g, nodes, base.arguments)))
        for place, function in zip(record.zone, bounds.values(), strict=True):
            programs.put(place, function)
        self.programs, self.pairs, self.energy = programs, 0, energy
        scene.write(s)
        scene.current = None
        self._make_room(NEAR)
        self._give_room(GIVEN)

    def _make_room(self, contacts: int) -> None:
        """Records for so many contacts that are near."""
        rows, n = 3 * contacts, self.record.n
        self.cones = lay_out(ConeProblem, most_contacts=contacts, most_rows=rows, most_pairs=self.pairs)
        self.near = lay_out(NearContacts, most_contacts=contacts, most_rows=rows, n=n, cones=self.cones)
        self.record.near = self.near

    def _give_room(self, most: int) -> None:
        """Room for so many answers."""
        record = self.record
        n_x, wide = record.n_x, max(record.n * record.n + record.n, record.n_x)
        self.given = record.given = lay_out(Given, most=most, n_x=n_x, wide=wide)

    def ready(self) -> None:
        """Take machine code that has arrived; what was evaluated in the steps of a page asks for it."""
        for function in self.busy:
            function.used(PAGE)
        self.programs.ready()
        self.scene.take_code()

    def provide(self, reason: Reason) -> bool:
        """What the steps came back for, where it is something that can be made; the same step is taken again then."""
        match reason:
            case Reason.NO_ROOM:
                self._make_room(2 * self.near.most_contacts)
            case Reason.NO_PAIRS:
                self.pairs = 2 * pairs_needed(self.cones)
                self._make_room(self.near.most_contacts)
            case Reason.NOT_READY:
                self.scene.make_ready(self.scene.scene.trouble)
            case Reason.CAREFUL:
                self._give()
            case _:
                return False
        return True

    def _give(self) -> None:
        """An answer at the state that is asked about, by the algorithms for singular positions."""
        record, held, given = self.record, self.held, self.given
        x = np.array(record.asked_x[: record.n_x])
        match Asked(record.asked):
            case Asked.FREE_MOTION:
                motion, B = held.motion(x), held.place(x).B
                inverse, free = left_over(held.base, motion.M, motion.f, B, motion.c, B)
                answer = np.concatenate([inverse.ravel(), free])
            case Asked.PLACE:
                answer = assemble_q(held, x)
            case Asked.SPEEDS:
                answer = assemble_u(held, x)[0]
        if given.count == given.most:
            before = given
            self._give_room(2 * before.most)
            given = self.given
            given.count = before.count
            for name in ("kind", "x", "answer"):
                old = np.asarray(getattr(before, name))
                np.asarray(getattr(given, name))[: len(old)] = old
        i = given.count
        given.kind[i] = record.asked
        np.asarray(given.x)[i * record.n_x : (i + 1) * record.n_x] = x
        np.asarray(given.answer)[i * given.wide : i * given.wide + len(answer)] = answer
        given.count = i + 1

    @property
    def x(self) -> Array:
        """The state reached."""
        return np.array(self.record.x[: self.record.n_x])

    def set_rest(self, rest: Array) -> None:
        """Inputs and the numbers of tables for the next steps."""
        record = self.record
        record.x[record.n_x - len(rest) :] = array("d", rest.tolist())

    def points_near(self) -> list[ContactPoint]:
        """The contact points that are near."""
        return [self.scene.points[i] for i in self.near.who[: self.near.contacts]]

    def zones(self) -> dict[Zones, int]:
        """The zones as they are now."""
        return self.scene.zones_in(self.contacts.zones, self.scene.scene.zone)


def is_still(held: Terms, s: ContactStates) -> bool:
    """Whether nothing moves by itself: no constraint, and no surface."""
    rows = [held.rows, *(point.terms.rows for point in s.contact_points if point.feature.drift is not None)]
    return all(node == ZERO for row in rows for node in row.C_nodes)

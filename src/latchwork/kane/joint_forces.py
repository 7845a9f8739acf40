"""Joint forces: what a joint transmits to everything beyond it ("complete" in Kelly's sense).

Loads less inertia forces are handed down the tree of points, each point receiving from those located from it

    R_P = R_own + Σ R_C,        T_P = T_own + Σ (T_C + p_PC × R_C)

so that R and T at a joint's origin are the resultant of all that rides beyond, in terms of u̇. The joint supplies the
opposite. A joint hands on to its inboard body, whatever its base is located from: O.at("P", 0 * A.x) is a point of A.
A torque on a frame is a torque on the body or link of that frame. Motors and springs across a joint are loads like any
other: where u̇ is the motion they cause, nothing is left for the joint along its own freedoms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from latchwork.errors import ModelError, did_you_mean, must_be
from latchwork.kane.elastic_inertia import inertia_of_elastic
from latchwork.kane.forces import add_load, inertia_torques, load_wrenches, weighted_accelerations
from latchwork.kane.formed import Formed
from latchwork.kane.robotics import settle_for
from latchwork.mechanics.body import Body
from latchwork.mechanics.cuts import Cut, Cuts, path_of
from latchwork.mechanics.elastic_body import ElasticBody
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.loads import Load
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.vector import Vector


class JointForce(NamedTuple):
    """Force and torque on the outboard side of a joint, about a point of it; the inboard side gets the opposite."""

    force: Vector
    torque: Vector
    about: Point


class Resultants:
    """Loads less inertia beyond every point: a force through it, and a torque. ``loads`` act besides all others."""

    def __init__(self, equations: Formed, loads: Sequence[Load] = ()) -> None:
        self.system: System = equations.system
        self.none = Vector(self.system.tree, {})
        self.force: dict[Point, Vector] = {}
        self.torque: dict[Point, Vector] = {}
        self._collect(equations, loads)
        elsewhere = _handed_on(self.system)
        for point in _outermost_first(self.system, elsewhere):
            if point in elsewhere:
                self._add(elsewhere[point], *self._about(point, elsewhere[point], point.position(elsewhere[point])))
            elif point.parent is not None and (point in self.force or point in self.torque):
                self._add(point.parent, *self.at_parent(point))

    def _collect(self, equations: Formed, loads: Sequence[Load]) -> None:
        """Loads at their points, torques at the homes of their frames, inertia (less gravity) at the mass centres."""
        motion = equations.derivation.motion.accelerating()
        self.settle = settle_for(motion)
        wrenches = load_wrenches(motion, self.settle, gravity=False)
        for load in (*equations.added, *loads):
            add_load(wrenches, load)
        for point, force in wrenches.forces.items():
            self._add(point, self.settle(force, point), self.none)
        homes = _homes(self.system)
        for frame, torque in wrenches.torques.items():
            home = next((homes[step] for step in frame.ancestry() if step in homes), self.system.tree.origin)
            self._add(home, self.none, self.settle(Vector(self.system.tree, {frame: torque}), home))
        a = weighted_accelerations(motion, self.settle)
        for body in self.system.bodies:
            torque_of_inertia = Vector(self.system.tree, inertia_torques(motion, body))
            self._add(body.center, a[body.center] * -body.mass, -self.settle(torque_of_inertia, body.center))
        for elastic in self.system.elastic_bodies:
            R, T = inertia_of_elastic(motion, elastic, a[elastic.root])
            self._add(elastic.root, -self.settle(R, elastic.root), -self.settle(T, elastic.root))

    def _add(self, point: Point, force: Vector, torque: Vector) -> None:
        self.force[point] = self.force.get(point, self.none) + force
        self.torque[point] = self.torque.get(point, self.none) + torque

    @cached_property
    def cuts(self) -> Cuts:
        """Where each body is held."""
        return Cuts(self.system)

    def at_parent(self, point: Point) -> tuple[Vector, Vector]:
        """A point's resultant, about its parent and written where the parent rides."""
        assert point.parent is not None
        return self._about(point, point.parent, point.offset)

    def _about(self, point: Point, lower: Point, arm: Vector) -> tuple[Vector, Vector]:
        """A point's resultant about another one, from which ``arm`` leads to it."""
        R, T = self.force.get(point, self.none), self.torque.get(point, self.none)
        turned = self.settle(R, lower)
        return turned, self.settle(T, lower) + self.settle(arm.cross(turned), lower)


def _handed_on(system: System) -> dict[Point, Point]:
    """The origins of joints that are not located from their inboard body, and where that body takes their load."""
    homes, found = _homes(system), dict[Point, Point]()
    frames = {link.frame for link in system.links}
    for link in system.links:
        frame = next((step for step in link.inboard.ancestry() if step in homes), None)
        path = path_of(link.origin)[1:]
        if frame is None or homes[frame] in path or link.origin in path_of(homes[frame]):
            continue
        if frame in frames or not any(_rides(point, frame) for point in path):
            found[link.origin] = homes[frame]
    return found


def _outermost_first(system: System, elsewhere: Mapping[Point, Point]) -> list[Point]:
    """All points, each before the one that it hands its resultant to."""
    depth: dict[Point, int] = {}
    for point in system.tree.points.values():
        steps: Point | None = point
        path = list[Point]()
        while steps is not None and steps not in depth:
            path.append(steps)
            steps = elsewhere.get(steps, steps.parent)
        for step in reversed(path):
            lower = elsewhere.get(step, step.parent)
            depth[step] = 0 if lower is None else 1 + depth[lower]
    order = list(system.tree.points.values())
    return sorted(reversed(order), key=lambda point: -depth[point])


def joint_force(equations: Formed, resultants: Resultants, name: str) -> JointForce:
    """The force of a joint, by its own name or that of a body it carries."""
    system = equations.system
    links = {link.name: link for link in system.links}
    bodies = {body.name: body for body in system.bodies}
    elastic = {body.name: body for body in system.elastic_bodies}
    must_be(name, str, f"the joint or body of '{system.name}' that is asked for", "Give its name.")
    if name in links:
        return of_link(resultants, links[name])
    if name in elastic:
        return of_elastic(resultants, elastic[name])
    if name not in bodies:
        known = did_you_mean(name, [*links, *bodies, *elastic])
        raise ModelError(f"'{name}' is neither a joint nor a body of '{system.name}'.{known}")
    return of_body(resultants, bodies[name])


def of_link(resultants: Resultants, link: Link) -> JointForce:
    """What a joint transmits to everything beyond it, about its outboard origin."""
    return _beyond(resultants, link.origin)


def of_body(resultants: Resultants, body: Body) -> JointForce:
    """The force of the joint that carries a body; where there is none, what its coordinates hold it with."""
    cut = resultants.cuts.of[body]
    return _beyond(resultants, cut.held) if cut.frame is None else _riding(resultants, cut, body)


def of_elastic(resultants: Resultants, body: ElasticBody) -> JointForce:
    """What holds an elastic body, and all that hangs on it, at its root."""
    return _beyond(resultants, body.root)


def _beyond(resultants: Resultants, point: Point) -> JointForce:
    """What holds a point and everything beyond it."""
    none = resultants.none
    return JointForce(-resultants.force.get(point, none), -resultants.torque.get(point, none), point)


def _riding(resultants: Resultants, cut: Cut, body: Body) -> JointForce:
    """What holds a body, and all that rides on its frame from the point where it is held."""
    assert cut.frame is not None
    path, force, torque = path_of(body.center), resultants.none, resultants.none
    for point in body.center.tree.points.values():
        if point.parent is cut.held and (point in path or _rides(point, cut.frame)):
            R, T = resultants.at_parent(point)
            force, torque = force - R, torque - T
    return JointForce(force, torque, cut.held)


def _rides(point: Point, frame: Frame) -> bool:
    """Whether the step to a point is written in a frame, or in one that it carries."""
    return any(frame in other.ancestry() for other in point.offset.parts)


def _homes(system: System) -> dict[Frame, Point]:
    """Where a torque on a frame is taken to act: at the origin of its link, or at the centre of its body."""
    homes = {body.frame: body.center for body in system.bodies if body.frame is not None}
    for elastic in system.elastic_bodies:
        homes |= elastic.stations
    return homes | {link.frame: link.origin for link in system.links}

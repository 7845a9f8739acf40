"""A pointer, a handle and a spring: what a hand needs at least, until the devices are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from latchwork.kane.equations import Equations
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.realtime.board import NOWHERE, Array, Triple

Nine = tuple[float, float, float, float, float, float, float, float, float]


class Reading(NamedTuple):
    """What a hand does now: the body it holds, where on it, where the device is."""

    body: str | None
    arm: Triple
    place: Triple
    velocity: Triple = NOWHERE
    turn: tuple[float, float, float, float] | None = None
    spin: Triple = NOWHERE


class Pointer:
    """A pointer that commands move."""

    damping: float | None = None

    def __init__(self) -> None:
        self._reading = Reading(None, NOWHERE, NOWHERE)

    def grab(self, body: str, arm: Triple, place: Triple) -> None:
        self._reading = Reading(body, arm, place)

    def move(self, place: Triple) -> None:
        self._reading = self._reading._replace(place=place)

    def drop(self) -> None:
        self._reading = self._reading._replace(body=None)

    def read(self, tick: int, t: float) -> Reading:
        return self._reading

    def write(self, tick: int, t: float, force: Triple, torque: Triple) -> None:
        """Nothing feels the force."""

    def close(self) -> None:
        """Nothing is open."""


class Pose(NamedTuple):
    """Where a handle is and how it moves, all measures in N."""

    place: Triple
    velocity: Triple
    rotation: Nine
    omega: Triple
    lever: Triple

    def about_center(self, force: Triple, torque: Triple) -> tuple[Triple, Triple]:
        """A force at the handle and a torque, moved to the mass centre: (F, T + (P − C) × F)."""
        more = np.cross(self.lever, force).tolist()
        return force, (torque[0] + more[0], torque[1] + more[1], torque[2] + more[2])


class Handle:
    """A body that can be taken, with a program for its motion as a function of (t, q, u, p)."""

    def __init__(self, equations: Equations, body: str) -> None:
        system, N = equations.system, equations.system.tree.newtonian
        found = next(each for each in system.bodies if each.name == body)
        frame = found.frame or N
        cosines = [entry for row in N.direction_cosines(frame) for entry in row]
        what = [*found.center.position().measures(N), *cosines, *equations.velocity(found.center).measures(N),
                *equations.angular_velocity(frame).measures(N)]  # fmt: skip
        nodes = equations._closed([equations._node(each) for each in what])
        self._motion = Function(lower(system.graph, nodes, (system.t, *system.q, *system.u, *system.p)))

    def at(self, t: float, x: Array, arm: Triple, p: Array) -> Pose:
        """Where the point at an arm is, and how it moves: p_C + R a, v_C + ω × R a. ``x`` is (q, u)."""
        c = self._motion(np.concatenate([[t], x, p]))
        lever = c[3:12].reshape(3, 3) @ arm
        velocity = c[12:15] + np.cross(c[15:18], lever)
        place = c[:3] + lever
        return Pose(*(tuple(v.tolist()) for v in (place, velocity, c[3:12], c[15:18], lever)))


@dataclass(frozen=True)
class Coupler:
    """A spring and a damper between the device and the handle, and the largest force it exerts."""

    stiffness: float = 200.0
    damping: float = 10.0
    most: float = 500.0

    def wrench(self, reading: Reading, handle: Pose) -> tuple[Triple, Triple]:
        """F = k (device − handle) + b (their velocities' difference)."""
        force = self.stiffness * np.subtract(reading.place, handle.place)
        force = force + self.damping * np.subtract(reading.velocity, handle.velocity)
        size = float(np.linalg.norm(force))
        x, y, z = (force if size <= self.most else force * (self.most / size)).tolist()
        return (x, y, z), NOWHERE

"""Grip: what is between a hand and the body that it holds: the handle, the coupler, and who watches its energy."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from latchwork.algebra.products import dot
from latchwork.errors import LatchworkError
from latchwork.kane.equations import Equations
from latchwork.realtime.answering import answer_of
from latchwork.realtime.board import Array, Hand
from latchwork.realtime.coupler import Coupler, fitted
from latchwork.realtime.devices.device import FREE, NULL, Device, Reading, Showing, Triple
from latchwork.realtime.display import Admittance, InverseDynamics, displayed_by
from latchwork.realtime.hand import Hands
from latchwork.realtime.handle import Handle, Masses, Pose
from latchwork.realtime.observer import Observer
from latchwork.realtime.response import Response
from latchwork.realtime.stepped import Stepped

TAKEN = Masses(1.0, 1.0)  # where nothing is known of the mass at a handle
FREQUENCY = 3.0  # Hz: of a hand that is not tense


class Grip:
    """The hand of a run. Without a coupler of its own, it takes one that fits the mass where it takes hold."""

    def __init__(self, sim: Stepped, own: Equations, device: Device, step: float, asked: Coupler | None,
                 display: str = "impedance") -> None:  # fmt: skip
        self.device, self.step = device, step
        self._displayed = displayed_by(display)
        self._shows = device if isinstance(device, Showing) else None
        self.asked = self._first = asked
        self._sim, self._own = sim, own
        self._bodies = tuple(body.name for body in own.system.bodies)
        self.hands = Hands(sim)
        self.observer = Observer(step, device.damping)
        self.coupler = asked or fitted(TAKEN, FREQUENCY)
        self.display = self._displayed(self.coupler, step)
        self.felt = NULL, NULL
        self.hand = self._hand(-1, NULL, NULL, NULL, NULL)
        self._handles: dict[str, Handle] = {}
        self._at: tuple[str | None, Triple] = (None, NULL)
        self.last = FREE
        self.told = ""  # what is to be said about the coupler
        self.heard: Callable[[Reading], None] | None = None  # who writes down what is read

    def pull(self, tick: int, x: Array) -> None:
        """Read the device, and let what its display makes of it act until the next tick."""
        sim, reading = self._sim, self.device.read(tick, self._sim.t)
        self.last = reading
        if self.heard is not None:
            self.heard(reading)
        body = reading.body
        if body is None or body not in self._bodies:
            return self._free(reading)
        pose = self.pose(body, reading.arm, x)
        if (body, reading.arm) != self._at:
            self._at = body, reading.arm
            self._fit(x)
        force, torque, *felt = self.display.act(reading, pose, lambda: self._answer(body, reading.arm, x))
        self.felt = felt[0], felt[1]
        self.hands.put(sim, body, *pose.about_center(force, torque))
        self._observe(reading, pose, force, torque)
        self.hand = self._hand(self._bodies.index(body), reading.place, pose.place, force, torque)

    def _observe(self, reading: Reading, pose: Pose, force: Triple, torque: Triple) -> None:
        """Energy between device and handle; a device that goes with the handle is where that is."""
        if isinstance(self.display, Admittance):
            reading = reading._replace(place=pose.place, turn=None)
        self.observer.see(reading, pose, force, torque, self.coupler.stored(reading, pose))

    def foresee(self, reading: Reading, rest: Array, x: Array, t: float) -> None:
        """What would be held if this were read where the run is at x = (q, u, work); written into ``rest``."""
        if reading.body is None or reading.body != self._at[0]:
            return
        n_q = len(self._sim.equations.q)
        own = x[:-1] if n_q == len(self._own.q) else np.concatenate([x[: len(self._own.q)], x[n_q:-1]])
        pose = self._handle(reading.body).at(t, own, reading.arm, self._sim.state.parameters)
        self.hands.write(rest, reading.body, *pose.about_center(*self.coupler.wrench(reading, pose)))

    def _free(self, reading: Reading) -> None:
        self._at, self.felt = (None, NULL), (NULL, NULL)
        self.hands.put(self._sim, None, NULL, NULL)
        self.observer.see(reading, None)
        self.hand = self._hand(-1, reading.place, reading.place, NULL, NULL)

    def let_go(self) -> None:
        """The device holds nothing, as is seen from now on, paused or not; the next tick takes away what acts."""
        self.hand = self._hand(-1, NULL, NULL, NULL, NULL)

    def _answer(self, body: str, arm: Triple, x: Array) -> Response:
        return answer_of(self._sim, self.hands, self._handle(body), arm, x)

    def _hand(self, body: int, place: Triple, handle: Triple, force: Triple, torque: Triple) -> Hand:
        return Hand(body, place, handle, force, torque, self.coupler.stiffness, self.coupler.damping)

    def interrupt(self) -> None:
        """The run is somewhere else: what acted until now is not known there, and did no work on the way."""
        self.hands.forget()
        self.observer.interrupt()
        self.display.reset()

    def reset(self) -> None:
        """The run is at its start again."""
        self.interrupt()
        self.observer.reset()
        self.asked, self._at = self._first, (None, NULL)

    def feel(self, tick: int, x: Array) -> None:
        """Tell the device what it feels, and how the handle moves now, if it listens."""
        body, arm = self._at
        if self._shows is not None and body is not None:
            self._shows.show(tick, self._sim.t, self.pose(body, arm, x))
        self.device.write(tick, self._sim.t, *self.felt)

    def ask(self, stiffness: float, damping: float, x: Array) -> str:
        """Another spring and damper, scaled where it would be unstable; gives why it is another one, if it is."""
        self.asked = replace(self.coupler, stiffness=stiffness, damping=damping)
        self._fit(x)
        return self.told

    def _fit(self, x: Array) -> None:
        """The coupler that fits the handle, or the one that was asked for, within its limits there."""
        masses = self._masses(x)
        try:
            wanted = self.asked or fitted(masses, FREQUENCY)
        except LatchworkError:
            wanted = fitted(TAKEN, FREQUENCY)
        damping, damping_turn = self.device.damping, getattr(self.device, "damping_turn", None)
        self.coupler, self.told = wanted.scaled(self.step, damping, masses.mass, masses.inertia, damping_turn)
        self.display = self._displayed(self.coupler, self.step)

    def _masses(self, x: Array) -> Masses:
        """What is felt at the handle, with all that always holds."""
        body, arm = self._at
        if body is None:
            return Masses(math.inf, math.inf)
        sim = self._sim
        always = {name: hold for name, hold in sim.state.holds.items() if hold.permanent}
        rows = sim.mode_table.constraint_terms(always).place(sim.state.row).B if always else None
        return self._handle(body).masses(sim.t, x, arm, sim.state.parameters, rows)

    def mass_at(self, body: str, arm: Triple, x: Array) -> float:
        """The least effective mass of a point of a body, with all that always holds; finite where it cannot move."""
        before, self._at = self._at, (body, arm)
        found, self._at = self._masses(x).mass, before
        return found if math.isfinite(found) else 0.0

    def pose(self, body: str, arm: Triple, x: Array) -> Pose:
        """Where a point of a body is, and how it moves."""
        return self._handle(body).at(self._sim.t, x, arm, self._sim.state.parameters)

    def arm_to(self, body: str, at: Triple, x: Array) -> Triple:
        """From the mass centre of a body to a point of N, in the body's frame."""
        pose = self.pose(body, NULL, x)
        a, b, c = dot(np.reshape(pose.rotation, (3, 3)).T, np.subtract(at, pose.place)).tolist()
        return a, b, c

    def get_ready(self, body: str, x: Array) -> None:
        """Make the programs of a body."""
        with suppress(LatchworkError):
            self._handle(body).masses(self._sim.t, x, NULL, self._sim.state.parameters)
            if isinstance(self.display, InverseDynamics):
                self._answer(body, NULL, x)

    def _handle(self, body: str) -> Handle:
        if body not in self._handles:
            self._handles[body] = Handle(self._own, body)
        return self._handles[body]

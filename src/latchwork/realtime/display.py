"""Three ways to put a mechanism into a hand.  [Gillespie §1]

| display | the device tells | acts on the body | the device is told |
|---|---|---|---|
| impedance | its motion | the coupler's force | that force, reversed |
| admittance | the force of the hand | that force | the handle's motion |
| inverse dynamics | its motion, which the handle must share | the force that takes | that force, reversed |

All act by a force that is held over a tick, and by nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from latchwork.errors import EvaluationError, did_you_mean
from latchwork.realtime.coupler import Coupler, turn_between
from latchwork.realtime.devices.device import NULL, Reading, Triple
from latchwork.realtime.handle import Pose
from latchwork.realtime.response import Response, force_for
from latchwork.realtime.triples import add, capped, minus, times

FIRM = 2.0  # ticks in which the handle comes back to the device, where it has left it


class Action(NamedTuple):
    """What acts on the body, at the handle, and what the device is told to display."""

    force: Triple
    torque: Triple
    felt: Triple
    felt_torque: Triple


class Display(Protocol):
    """What a hand does, turned into what acts; ``answer`` is asked for how the handle would accelerate, if need be."""

    def act(self, reading: Reading, pose: Pose, answer: Callable[[], Response]) -> Action:
        """The action of one tick."""
        ...

    def reset(self) -> None:
        """Another grasp begins."""
        ...


@dataclass(frozen=True)
class Impedance:
    """Motion in, force out: through the coupler."""

    coupler: Coupler

    def act(self, reading: Reading, pose: Pose, answer: Callable[[], Response]) -> Action:
        """F = K e + B ė on the body, −F at the device."""
        return _reversed(*self.coupler.wrench(reading, pose))

    def reset(self) -> None:
        """There is nothing to forget."""


@dataclass(frozen=True)
class Admittance:
    """Force in, motion out: the device measures the hand's force, and goes with the handle."""

    most: float = math.inf
    most_turn: float = math.inf

    def act(self, reading: Reading, pose: Pose, answer: Callable[[], Response]) -> Action:
        """The hand's own force, capped; the device shows motion and no force."""
        return Action(capped(reading.force, self.most), capped(reading.torque, self.most_turn), NULL, NULL)

    def reset(self) -> None:
        """There is nothing to forget."""


@dataclass
class InverseDynamics:
    """Motion in, force out: the handle moves with the device, and the force that this takes is felt.

    A constraint p_handle = p_device(t) needs F with a_free + Λ⁻¹ F = a_device. From ticks the device's acceleration is
    known by differences of its velocity; what the handle has drifted comes back within a few ticks:
    a = a_device + (2/τ)(v_device − v_handle) + (p_device − p_handle)/τ². That is stable by the terms of a held force,
    K T/2 < B < 2 m/T, since K T²/m = (T/τ)² and B T/m = 2 T/τ with τ = 2 T.
    """

    step: float
    most: float = math.inf
    most_turn: float = math.inf
    _before: Reading | None = field(default=None, repr=False)

    def act(self, reading: Reading, pose: Pose, answer: Callable[[], Response]) -> Action:
        """The force and torque of the constraint that the handle moves with the device."""
        before, self._before = self._before, reading
        same = before is not None and (before.body, before.arm) == (reading.body, reading.arm)
        last = before if same and before is not None else reading
        tau, rate = FIRM * self.step, 1.0 / self.step
        wanted = add(times(rate, minus(reading.velocity, last.velocity)),
                     _back(minus(reading.place, pose.place), minus(reading.velocity, pose.velocity), tau))  # fmt: skip
        turning = None
        if reading.turn is not None:
            turning = add(times(rate, minus(reading.spin, last.spin)),
                          _back(turn_between(reading, pose), minus(reading.spin, pose.omega), tau))  # fmt: skip
        force, torque = force_for(answer(), wanted, turning)
        return _reversed(capped(force, self.most), capped(torque, self.most_turn))

    def reset(self) -> None:
        """Forget the last velocity."""
        self._before = None


DISPLAYS: dict[str, Callable[[Coupler, float], Display]] = {  # by name, with a coupler and a step
    "impedance": lambda coupler, step: Impedance(coupler),
    "admittance": lambda coupler, step: Admittance(coupler.most, coupler.most_turn),
    "inverse dynamics": lambda coupler, step: InverseDynamics(step, coupler.most, coupler.most_turn),
}


def displayed_by(name: str) -> Callable[[Coupler, float], Display]:
    """What makes the display of a name."""
    if name not in DISPLAYS:
        raise EvaluationError(f"there is no display '{name}'.{did_you_mean(name, DISPLAYS)}")
    return DISPLAYS[name]


def _reversed(force: Triple, torque: Triple) -> Action:
    return Action(force, torque, times(-1.0, force), times(-1.0, torque))


def _back(gap: Triple, rate: Triple, tau: float) -> Triple:
    """gap/τ² + 2 rate/τ."""
    return add(times(1.0 / (tau * tau), gap), times(2.0 / tau, rate))

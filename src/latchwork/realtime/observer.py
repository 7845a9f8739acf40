"""The passivity observer: has the coupler, which should only store and waste energy, given away more than it got?

A force that is held over a tick does the work F · Δx, exactly. Summed at both ends of the coupler,

    E = E_stored(0) + Σ F · Δx_device − Σ F · Δx_handle  (+ Σ b Δx²/T),

and a passive coupler keeps E ≥ 0. How far E has ever fallen below zero is energy that sampling has made. The last term
is the least that a device with physical damping b has wasted meanwhile, ∫ b v² dt ≥ b Δx²/T. At a wall, a sampled
spring takes Σ K x Δx = ½ K x² − ½ K Σ Δx², and a damper that differences Σ (B/T) Δx⁻ Δx ≥ −(B/T) Σ Δx², equal where
Δx⁻ = −Δx: E ≥ 0 for every motion if and only if b ≥ K T/2 + B, which is Colgate's condition.
"""

from __future__ import annotations

from typing import NamedTuple

from latchwork.realtime.devices.device import NULL, Quadruple, Reading, Triple
from latchwork.realtime.handle import Pose
from latchwork.realtime.triples import add, cross, dot, inverse, minus, product, quaternion, rotation_vector


class Port:
    """Energy that has flowed in at one place, and the least it has ever been."""

    __slots__ = ("energy", "least")

    def __init__(self) -> None:
        self.reset()

    def reset(self, energy: float = 0.0) -> None:
        """Begin again, with some energy inside."""
        self.energy, self.least = energy, min(energy, 0.0)

    def take(self, work: float) -> None:
        """Some more energy flows in."""
        self.energy += work
        if self.energy < self.least:
            self.least = self.energy

    @property
    def generated(self) -> float:
        """Energy that came out without having gone in: −min E."""
        return -self.least if self.least < 0.0 else 0.0


class HeldWrench(NamedTuple):
    """What acts over the tick that has begun, and where both ends were at its beginning."""

    body: str
    arm: Triple
    force: Triple
    torque: Triple
    place: Triple  # of the device
    turn: Quadruple | None
    center: Triple  # of the body's mass
    moment: Triple  # of force and torque about the mass centre: this is what is held
    rotation: Quadruple


class Observer:
    """Energy at the device's port, at the mechanism's, and of the coupler between them, tick by tick.

    ``see`` is called once a tick with what was read and the wrench that will be held. Taking another handle begins
    again; what was generated before stays in ``generated`` until ``reset``.
    """

    def __init__(self, step: float, damping: float | None = None) -> None:
        self.step, self.damping = step, damping or 0.0
        self.device, self.mechanism, self.coupler = Port(), Port(), Port()
        self.wasted = 0.0  # by the damping of the device, at least
        self._before = 0.0
        self._held: HeldWrench | None = None

    @property
    def generated(self) -> float:
        """Energy that the coupler has generated since the last reset, in all grasps together."""
        return self._before + self.coupler.generated

    def reset(self) -> None:
        """Forget everything."""
        self._before, self._held = 0.0, None
        self._begin(0.0)

    def interrupt(self) -> None:
        """What comes next does not follow from what was held: the run was set back, or could not go on."""
        self._held = None

    def see(self, reading: Reading, pose: Pose | None, force: Triple = NULL, torque: Triple = NULL,
            stored: float = 0.0) -> None:  # fmt: skip
        """A tick begins: what was held does its work, and what will be held is kept; ``stored`` counts at a grasp."""
        held = self._held
        now = None if reading.body is None or pose is None else _held(reading, pose, force, torque)
        if held is not None and now is not None and held.body == now.body and held.arm == now.arm:
            self._work(held, now)
        else:
            self._before += self.coupler.generated
            self._begin(stored)
        self._held = now

    def _begin(self, stored: float) -> None:
        self.device.reset()
        self.mechanism.reset()
        self.coupler.reset(stored)
        self.wasted = 0.0

    def _work(self, held: HeldWrench, now: HeldWrench) -> None:
        """F · Δx + T · Δθ at both ends."""
        moved = minus(now.place, held.place)
        given = dot(held.force, moved) + dot(held.torque, _turned(held.turn, now.turn))
        passed = dot(held.force, minus(now.center, held.center))
        passed += dot(held.moment, _turned(held.rotation, now.rotation))
        wasted = self.damping * dot(moved, moved) / self.step
        self.wasted += wasted
        self.device.take(given + wasted)
        self.mechanism.take(-passed)
        self.coupler.take(given + wasted - passed)


def _held(reading: Reading, pose: Pose, force: Triple, torque: Triple) -> HeldWrench:
    moment = add(torque, cross(pose.lever, force))
    return HeldWrench(reading.body or "", reading.arm, force, torque, reading.place, reading.turn,
                minus(pose.place, pose.lever), moment, quaternion(pose.rotation))  # fmt: skip


def _turned(before: Quadruple | None, after: Quadruple | None) -> Triple:
    """The rotation vector from one orientation to the next, in N."""
    return NULL if before is None or after is None else rotation_vector(product(after, inverse(before)))

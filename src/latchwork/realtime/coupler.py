"""The virtual coupler: a spring and a damper between device and handle.  [Gillespie §1]

F = K (p_device − p_handle) + B (v_device − v_handle) acts on the handle and, reversed, on the device; in rotation
likewise, with the rotation vector of R_device R_handleᵀ in the place of the distance. No hand acts in any other way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from latchwork.errors import CouplerError
from latchwork.realtime.devices.device import NULL, Reading, Triple
from latchwork.realtime.handle import Masses, Pose
from latchwork.realtime.limits import Side, why_not, within
from latchwork.realtime.triples import add, capped, dot, inverse, minus, product, quaternion, rotation_vector, times

FREQUENCY = 10.0  # Hz of a hand that holds a mass firmly
ACCELERATION = 100.0  # m/s², rad/s²: what the largest force gives the mass at the handle
IN_TRANSLATION = ("N/m", "N s/m", "kg")
IN_ROTATION = ("N m/rad", "N m s/rad", "kg m²")


@dataclass(frozen=True)
class Coupler:
    """Stiffness and damping in translation and rotation, and the largest force and torque. SI units."""

    stiffness: float
    damping: float
    stiffness_turn: float = 0.0
    damping_turn: float = 0.0
    most: float = math.inf
    most_turn: float = math.inf

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            unbounded = field.name.startswith("most")
            if not isinstance(value, (int, float)) or not value >= 0.0 or (math.isinf(value) and not unbounded):
                raise CouplerError(f"{field.name} of a coupler is {value!r}. Give a finite number, not negative.")

    # --- forces -------------------------------------------------------------------------------------------------

    def wrench(self, reading: Reading, pose: Pose) -> tuple[Triple, Triple]:
        """Force at the handle and torque on the body: F = K e + B ė, T = K_turn θ + B_turn θ̇, capped."""
        stretch, rate = minus(reading.place, pose.place), minus(reading.velocity, pose.velocity)
        force = add(times(self.stiffness, stretch), times(self.damping, rate))
        if reading.turn is None:
            return capped(force, self.most), NULL
        twist, rate = turn_between(reading, pose), minus(reading.spin, pose.omega)
        torque = add(times(self.stiffness_turn, twist), times(self.damping_turn, rate))
        return capped(force, self.most), capped(torque, self.most_turn)

    def stored(self, reading: Reading, pose: Pose) -> float:
        """Energy in the springs, ½ K e² + ½ K_turn θ²; linear in e beyond the largest force."""
        stretch = minus(reading.place, pose.place)
        energy = _energy(self.stiffness, math.sqrt(dot(stretch, stretch)), self.most)
        if reading.turn is None:
            return energy
        twist = turn_between(reading, pose)
        return energy + _energy(self.stiffness_turn, math.sqrt(dot(twist, twist)), self.most_turn)

    # --- limits -------------------------------------------------------------------------------------------------

    def checked(self, step: float, damping: float | None = None, mass: float = math.inf, inertia: float = math.inf,
                damping_turn: float | None = None) -> Coupler:  # fmt: skip
        """Itself, if it is stable with a device of this damping and a mechanism of this mass; an error if not."""
        wrong = why_not(self._sides(damping, mass, inertia, damping_turn), step)
        if wrong:
            other, _ = self.scaled(step, damping, mass, inertia, damping_turn)
            raise CouplerError(f"this coupler would be unstable: {'; '.join(wrong)}. Use {other}, or a shorter step.")
        return self

    def scaled(self, step: float, damping: float | None = None, mass: float = math.inf, inertia: float = math.inf,
               damping_turn: float | None = None) -> tuple[Coupler, str]:  # fmt: skip
        """The nearest stable coupler, and why it is another one; "" where it is the same."""
        sides = self._sides(damping, mass, inertia, damping_turn)
        wrong = why_not(sides, step)
        if not wrong:
            return self, ""
        move, turn = within(sides, step)
        found = replace(self, stiffness=move.stiffness, damping=move.damping,
                        stiffness_turn=turn.stiffness, damping_turn=turn.damping)  # fmt: skip
        return found, f"Scaled to {found}, since {'; '.join(wrong)}."

    def _sides(self, damping: float | None, mass: float, inertia: float,
               damping_turn: float | None) -> tuple[Side, Side]:  # fmt: skip
        return (
            Side("translation", self.stiffness, self.damping, mass, damping, IN_TRANSLATION),
            Side("rotation", self.stiffness_turn, self.damping_turn, inertia, damping_turn, IN_ROTATION),
        )

    def __str__(self) -> str:
        text = f"{self.stiffness:.4g} N/m and {self.damping:.4g} N s/m"
        if self.stiffness_turn or self.damping_turn:
            text += f", {self.stiffness_turn:.4g} N m/rad and {self.damping_turn:.4g} N m s/rad"
        return text


def fitted(masses: Masses, frequency: float = FREQUENCY) -> Coupler:
    """A coupler that pulls like a hand: K = m ω², B = 2 m ω with the mass at the handle, critically damped.

    What cannot move, or has no extent, is coupled as one kilogram, or one kg m², would be. [ω = 2π · frequency]
    """
    omega = 2.0 * math.pi * frequency
    m, inertia = (1.0 if math.isinf(each) else each for each in masses)
    if m <= 0.0:
        raise CouplerError("the handle has a mass of 0, so no force on it is small. Take a body that has mass.")
    return Coupler(m * omega**2, 2.0 * m * omega, inertia * omega**2, 2.0 * inertia * omega,
                   ACCELERATION * m, ACCELERATION * inertia)  # fmt: skip


def turn_between(reading: Reading, pose: Pose) -> Triple:
    """The rotation vector from the handle to the device, in N: that of R_device R_handleᵀ."""
    assert reading.turn is not None
    return rotation_vector(product(reading.turn, inverse(quaternion(pose.rotation))))


def _energy(stiffness: float, stretch: float, most: float) -> float:
    """½ K e² until K e is the largest force, and F e beyond."""
    if stiffness * stretch <= most:
        return 0.5 * stiffness * stretch**2
    return most * (stretch - 0.5 * most / stiffness)

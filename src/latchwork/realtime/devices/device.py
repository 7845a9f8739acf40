"""What a hand is to the loop: it is read once a tick, and told the force that it feels."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

Triple = tuple[float, float, float]  # measures in N, unless said otherwise
Quadruple = tuple[float, float, float, float]  # a unit quaternion, scalar first
Nine = tuple[float, float, float, float, float, float, float, float, float]  # a rotation matrix, row after row
NULL: Triple = (0.0, 0.0, 0.0)


class Reading(NamedTuple):
    """What a hand does now.

    ``turn`` is the orientation that the device asks of the body's frame in N; a device that is taken in another
    orientation brings its own offset along.
    """

    body: str | None  # that it holds; None: nothing
    arm: Triple = NULL  # where on it: from its mass centre, in its frame
    place: Triple = NULL  # where the device is, in N
    velocity: Triple = NULL
    turn: Quadruple | None = None  # None: only translation is coupled
    spin: Triple = NULL  # angular velocity of the device, in N
    force: Triple = NULL  # that the device measures: what the hand does to the body, in N; for admittance display
    torque: Triple = NULL


FREE = Reading(None)  # a hand that holds nothing


class Device(Protocol):
    """A hand. ``read`` and ``write`` are called once a tick, in this order, and never block."""

    damping: float | None  # physical damping, N s/m; None: nothing feels the force (a mouse)
    # A device that feels torques may have a ``damping_turn`` too, N m s/rad, and a ``display`` by name.

    def read(self, tick: int, t: float) -> Reading:
        """What the hand does at the beginning of a tick."""
        ...

    def write(self, tick: int, t: float, force: Triple, torque: Triple) -> None:
        """The force and torque that the hand feels during the tick: the opposite of what acts on the body."""
        ...

    def close(self) -> None:
        """Give back what the device has opened."""
        ...


class Motion(Protocol):
    """How a handle moves, all measures in N: what an admittance display tells the device."""

    @property
    def place(self) -> Triple: ...

    @property
    def velocity(self) -> Triple: ...

    @property
    def rotation(self) -> Nine: ...

    @property
    def omega(self) -> Triple: ...


@runtime_checkable
class Showing(Protocol):
    """A device that is told how the handle moves, each tick before ``write``."""

    def show(self, tick: int, t: float, motion: Motion) -> None:
        """The handle's motion at the beginning of the tick."""
        ...

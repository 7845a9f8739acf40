"""Feature: one place where two shapes may touch. Gap, normal, slip and rows all come from here, so that they agree.

    g(q, t, s) ≥ 0        signed distance, positive apart;  s are tracked parameters, if any
    ġ = n · (v_a − v_b)    where the two spots are the material points that touch, n pointing from b towards a
    slip = (v_a − v_b − drift) without its part along n
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from latchwork.constraint.forces import force_of
from latchwork.constraint.joints.spot import Spot, velocity
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

if TYPE_CHECKING:
    from latchwork.contact.narrow_phase.parts import Part

WAITS, AWAY = 0.15, 1e6  # below an open range; below a closed one, further than anybody goes around


@dataclass(frozen=True, eq=False)
class Tracked:
    """Parameters of extremal points on curves and surfaces: symbols s, and what vanishes there, r(q, t, s) = 0.

    ``low`` and ``high`` bound each parameter; where a parameter is ``periodic`` it has a period instead. ``minimum`` is
    positive where the extremum is a least distance (second order), and falls to zero where it stops being one.

    One side, the host, gives the normal; the other, the guest, is what comes near it. The first ``hosted`` symbols, and
    as many conditions, belong to the host. ``guest`` and ``host`` are where they touch, from the origin, and ``height``
    is that of the guest over the host, its radius not taken off. A ``further`` place is one besides the first.
    """

    symbols: tuple[Expr, ...]
    conditions: tuple[Expr, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    periodic: tuple[bool, ...]
    minimum: Expr
    guest: Vector
    host: Vector
    height: Expr
    hosted: int
    further: bool = False
    crossing: bool = False  # where two edges cross: the least distance, of which the gap off that place tells nothing
    which: str = ""  # of the places at which a contact may be tracked: what its parts are called

    @property
    def waits(self) -> tuple[float, ...]:
        """How far below its range each parameter waits where there is no place for it, in ranges; 0: it never does.

        A closed curve has always a first place, but not always a further one; nor has a circle beside another.
        """
        return tuple((AWAY if self.further else 0.0) if closed else WAITS for closed in self.periodic)

    @property
    def ranges(self) -> Iterator[tuple[Expr, float, float, bool, float]]:
        """Each parameter: from where to where, whether it is closed, and how far below it waits."""
        return zip(self.symbols, self.low, self.high, self.periodic, self.waits, strict=True)


@dataclass(frozen=True, eq=False)
class Support:
    """That a feature is a corner of a support triangle, the three places on which a rim that lies flat stands.

    The rim touches all round: its support is the whole disk, and any triangle in it that holds the center of pressure
    carries the load. The ``azimuth`` of the triangle is a coordinate that stands still but where the load leaves the
    triangle. The first ``level`` bounds of the feature say whether the rim lies flat, wherever its corners are.
    """

    azimuth: Expr
    level: int


def round_about(s: Expr, low: float, high: float, far: float) -> Expr:
    """Not negative where a parameter of a closed curve goes round, and does not wait so many ranges below."""
    return (s - low) / (high - low) + 0.5 * far


@dataclass(frozen=True, eq=False)
class Feature:
    """A signed gap between two shapes, valid where every one of ``within`` is not negative."""

    name: str
    gap: Expr
    normal: Vector  # of unit length, from b towards a: the force on a where the multiplier is 1
    on: Point | Spot | Frame  # the material point of a that touches; a frame where the force is a torque
    other: Point | Spot | Frame  # that of b
    drift: Vector | None = None  # velocity of b's surface relative to b: a belt
    within: tuple[Expr, ...] = ()
    tracked: Tracked | None = None
    rate: Expr | None = None  # the velocity that its row is about, where it is none of a gap: that of a joint
    has_wrench: bool = True  # False where only its row is known: the velocity was given as an expression
    is_end: bool = False  # a corner, an edge or the end of something, met by what is round
    thin: bool = False  # of something thin: what lies behind it may have come around its end
    depth: float | None = None  # of what it lies on, where that ends: what is behind by more has passed it
    closed_with: Feature | None = None  # it has no gap, and goes with this one: what resists turns, or adheres
    parts: tuple[Part, Part] | None = None  # of the two shapes, where it has a closed form for them
    support: Support | None = None  # the triangle that it is a corner of

    @property
    def slip(self) -> Vector:
        """Velocity of a relative to b's surface where they touch, its part along the normal included; of what resists
        turns, the angular velocity."""
        if isinstance(self.on, Frame):
            assert isinstance(self.other, Frame), "turns are of frames"
            return self.on.angular_velocity(self.other)
        assert not isinstance(self.other, Frame), "what slips has points"
        relative = velocity(self.on) - velocity(self.other)
        return relative if self.drift is None else relative - self.drift

    @property
    def is_along_normal(self) -> bool:
        """Whether its force is along the normal: not where it resists turns."""
        return self.closed_with is None or not isinstance(self.on, Frame)

    @property
    def force(self) -> Expr:
        """The normal force while it is closed, else 0: for conditions of rules."""
        return force_of(self.gap.graph, self.name)

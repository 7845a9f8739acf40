"""Robot: a model that was read from a robot file, with what the file says beyond the equations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from latchwork.constraint.constraint import Constraint
from latchwork.errors import ByName
from latchwork.formats.robot.parts import Limits
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import JOINTS, QUATERNION, Link, place, rates_of
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.vector import Vector
from latchwork.mechanics.visual import Surface, Visual
from latchwork.model import NAME, RESERVED, Model
from latchwork.symbolic.expr import Expr

ILLEGAL = re.compile(r"[^A-Za-z0-9_]+", re.ASCII)


@dataclass(frozen=True, eq=False)
class RobotJoint:
    """A joint of a robot file: its symbols, the frames and points on its two sides, its axis, and its limits.

    A joint that follows another (``mimic``) has no symbols of its own; ``value`` says what it turns or slides by.
    """

    name: str
    kind: str
    q: tuple[Expr, ...]
    u: tuple[Expr, ...]
    value: Expr | None
    rate: Expr | None
    inboard: Frame
    base: Point
    frame: Frame
    origin: Point
    axis: Vector | None
    limits: Limits
    link: Link | None = None  # where its coordinates are those of a joint of the model


class Robot(Model):
    """A model from a robot file. Links are frames and points by their names; joints and limits by theirs."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.joints: dict[str, RobotJoint] = ByName({}, f"joint of '{name}'")
        self.drives: dict[str, Expr] = ByName({}, f"drive of '{name}'")
        self.notes: tuple[str, ...] = ()  # what of the file is otherwise here

    def system(self) -> System:
        """What has been described so far, with all joints of the file: those that follow others, or have an offset."""
        return replace(super().system(), joints=tuple(self.joints))

    def bare_speeds(self, names: Iterable[str]) -> tuple[Expr, ...]:
        """Speeds whose meaning a joint gives when it is mounted."""
        return tuple(self._speed(name) for name in names)

    def mount(self, kind: str, name: str, inboard: Frame, base: Point, axis: Vector | None, q: tuple[Expr, ...],
              u: tuple[Expr, ...]) -> Link:  # fmt: skip
        """A joint whose symbols are there already: a robot's are made in the order of its joints, before any frame."""
        row = JOINTS[kind]
        self._direct |= {self._rates[each]: rate for each, rate in zip(q, rates_of(row, q, u), strict=True)}
        if row.turns == QUATERNION:
            self._quaternions.append(q[-4:])
        frame, origin = place(row, name, inboard, base, axis, q)
        self._links[name] = Link(name, row, inboard, base, frame, origin, q, u, axis)
        return self._links[name]

    def visual(self, name: str, frame: Frame, origin: Point, read: Callable[[], Sequence[Surface]]) -> None:
        """What is drawn of a link, with measures in a frame from a point; read when it is first drawn."""
        self._visuals.append(Visual(name, frame, origin, read))

    def keep(self, constraint: Constraint) -> Constraint:
        """A constraint of the file, which holds in every run."""
        return self._constrain(constraint)

    @property
    def limits(self) -> dict[str, Limits]:
        """Limits of every movable joint, by its name in the file."""
        return {name: joint.limits for name, joint in self.joints.items()}


class Names:
    """Names that are free: legal, not reserved, each given once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)

    def symbol(self, name: str, prefix: str = "") -> str:
        """The nearest legal name for a symbol: letters, digits and _, a letter first."""
        legal = prefix + ILLEGAL.sub("_", name)
        if not NAME.match(legal) or legal in RESERVED:
            legal = f"j_{legal.strip('_')}"
        return self.any(legal)

    def any(self, name: str) -> str:
        """The name itself, or with a number after it."""
        fresh, number = name, 2
        while fresh in self.taken:
            fresh, number = f"{name}_{number}", number + 1
        self.taken.add(fresh)
        return fresh


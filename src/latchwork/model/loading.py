"""What acts on a model: gravity, forces, torques, springs, motors."""

from __future__ import annotations

from numbers import Real
from typing import Any

from latchwork.errors import ModelError, did_you_mean, must_be, must_be_name, spelled_methods
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.loads import Force, Load, Spring, Torque, Torsion, require_vector
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.model.building import Building
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr, operand


@spelled_methods
class Loading(Building):
    """The part of a model that holds its loads."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._loads: list[Load] = []
        self._gravity: Vector | None = None

    @property
    def loads(self) -> tuple[Load, ...]:
        """All loads but gravity."""
        return tuple(self._loads)

    @property
    def uniform_gravity(self) -> Vector | None:
        """The acceleration of gravity, if there is one."""
        return self._gravity

    def gravity(self, vector: Vector) -> None:
        """Uniform gravity on every body, also on those added later."""
        if self._gravity is not None:
            raise ModelError(f"'{self.name}' has gravity already ({self._gravity}). Give it once.")
        self._gravity = require_vector(vector, "gravity")

    def force(self, point: Point | Link | Body, vector: Vector, reaction: Point | Link | Body | None = None,
              name: str = "", potential: Expr | None = None) -> Force:  # fmt: skip
        """A force at a point; with ``reaction``, the opposite force at another; with the potential it has, if any."""
        other = None if reaction is None else self._point_of(reaction)
        return self._add_load(Force(self._point_of(point), require_vector(vector, "a force"), other, name, potential))

    def torque(self, on: Frame | Link | Body, vector: Vector, reaction: Frame | Link | Body | None = None,
               name: str = "", potential: Expr | None = None) -> Torque:  # fmt: skip
        """A torque on a body or frame; with ``reaction``, the opposite one on another; with its potential, if any."""
        other = None if reaction is None else self._frame_of(reaction)
        return self._add_load(Torque(self._frame_of(on), require_vector(vector, "a torque"), other, name, potential))

    def spring(self, p: Point | Link | Body, q: Point | Link | Body, stiffness: Any = 0.0, length: Any = 0.0,
               damping: Any = 0.0, name: str = "") -> Spring:  # fmt: skip
        """A linear spring and damper between two points."""
        self._must_be_scalars("the spring", name, stiffness=stiffness, length=length, damping=damping)
        return self._add_load(Spring(self._point_of(p), self._point_of(q), stiffness, length, damping, name))

    def torsion(self, on: Frame | Link | Body, reaction: Frame | Link | Body | None, axis: Vector, angle: Expr,
                stiffness: Any = 0.0, rest: Any = 0.0, damping: Any = 0.0, name: str = "") -> Torsion:  # fmt: skip
        """A torsional spring and damper: -k (angle - rest) - c dt(angle) about an axis."""
        other, what = None if reaction is None else self._frame_of(reaction), f"the torsion spring{_named(name)}"
        require_vector(axis, f"the axis of {what}")
        must_be(angle, Expr, f"the angle of {what}", "Give an expression, such as a coordinate.")
        self._must_be_scalars("the torsion spring", name, stiffness=stiffness, rest=rest, damping=damping)
        return self._add_load(Torsion(self._frame_of(on), other, axis, angle, stiffness, rest, damping, name))

    def _must_be_scalars(self, what: str, name: str, **values: Any) -> None:
        """Refuse coefficients that are neither numbers nor expressions of the model."""
        advice = "Give a number, or an expression of the model."
        for key, value in values.items():
            must_be(value, (Expr, Real), f"{key} of {what}{_named(name)}", advice)
            operand(self.graph, value)

    def actuate(self, link: Link, effort: Any, name: str = "") -> Load:
        """A motor in a revolute joint (torque) or a ram in a prismatic one (force), acting between its two sides."""
        self._must_be_link(link)
        if link.joint.name not in ("revolute", "prismatic") or link.axis is None:
            raise ModelError(
                f"'{link.name}' is a {link.joint.name} joint: an actuator needs one axis. Use model.torque or force."
            )
        if link.joint.name == "revolute":
            return self.torque(link, link.axis * effort, reaction=link.inboard, name=name)
        return self.force(link.origin, link.axis * effort, reaction=link.base, name=name)

    def resist(self, link: Link, stiffness: Any = 0.0, rest: Any = 0.0, damping: Any = 0.0, name: str = "") -> Load:
        """A spring and damper in a revolute or prismatic joint, acting on its coordinate."""
        self._must_be_link(link)
        self._must_be_scalars(f"the resistance of '{link.name}'", name, stiffness=stiffness, rest=rest, damping=damping)
        if link.joint.name == "revolute" and link.axis is not None:
            return self.torsion(link, link.inboard, link.axis, link.q[0], stiffness, rest, damping, name)
        if link.joint.name == "prismatic" and link.axis is not None:
            effort = -1.0 * stiffness * (link.q[0] - rest) - damping * dt(link.q[0])
            potential = 0.5 * stiffness * (link.q[0] - rest) ** 2
            return self.force(link.origin, link.axis * effort, reaction=link.base, name=name, potential=potential)
        raise ModelError(f"'{link.name}' is a {link.joint.name} joint: its spring needs one axis. Use model.torsion.")

    def _must_be_link(self, link: Any) -> None:
        if not isinstance(link, Link):
            advice = "" if not isinstance(link, str) or link in self._links else did_you_mean(link, self._links)
            raise ModelError(
                f"a joint of '{self.name}' is needed here; got {link!r}. Give what model.revolute or model.prismatic "
                f"returned, or model.links[name].{advice}"
            )

    def _add_load(self, load: Any) -> Any:
        if not (isinstance(load.name, str) and load.name == ""):
            must_be_name(load.name, "a load")
        self._loads.append(load)
        return load


def _named(name: Any) -> str:
    return f" '{name}'" if name else ""

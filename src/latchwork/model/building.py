"""What a model is built of: frames and points, bodies, joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latchwork.constraint.joints.methods import Constraining
from latchwork.errors import ByName, ModelError, did_you_mean, listed, must_be, must_be_name, spelled_methods
from latchwork.mechanics.body import Body, steiner
from latchwork.mechanics.elastic_body import ElasticBody
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import JOINTS, QUATERNION, Link, place, rates_of
from latchwork.mechanics.loads import require_vector
from latchwork.mechanics.point import Point
from latchwork.mechanics.tree import Tree
from latchwork.mechanics.vector import Dyadic, Vector
from latchwork.mechanics.visual import Visual
from latchwork.model.naming import Naming
from latchwork.symbolic.expr import Expr, operand


@spelled_methods
class Building(Naming, Constraining):
    """The part of a model that holds its bodies and joints, and the constraints between them."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._tree = Tree(self.graph)
        self._bodies: dict[str, Body] = {}
        self._elastic_bodies: dict[str, ElasticBody] = {}
        self._links: dict[str, Link] = {}
        self._visuals: list[Visual] = []
        self._quaternions: list[tuple[Expr, ...]] = []
        self._constraints = {}

    # --- geometry ------------------------------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """The Newtonian frame N."""
        return self._tree.newtonian

    @property
    def origin(self) -> Point:
        """The origin O, a point fixed in N."""
        return self._tree.origin

    @property
    def frames(self) -> dict[str, Frame]:
        """All frames by name."""
        return ByName(self._tree.frames, f"frame of '{self.name}'")

    @property
    def points(self) -> dict[str, Point]:
        """All points by name."""
        return ByName(self._tree.points, f"point of '{self.name}'")

    @property
    def bodies(self) -> dict[str, Body]:
        """All bodies and particles by name."""
        return ByName(self._bodies, f"body of '{self.name}'")

    @property
    def links(self) -> dict[str, Link]:
        """All joints by name."""
        return ByName(self._links, f"joint of '{self.name}'")

    # --- bodies -------------------------------------------------------------------------------------------------

    def body(self, name: str, frame: Frame | Link, center: Point, mass: Any, inertia: Dyadic | None = None,
             about: Point | None = None) -> Body:  # fmt: skip
        """A rigid body: the frame it is fixed in, its mass centre, mass, and inertia dyadic.

        The inertia is central unless ``about`` names another point fixed in the body.
        """
        frame, center = self._frame_of(frame), self._point_of(center)
        mass_expr = Expr(self.graph, operand(self.graph, mass))
        if inertia is not None:
            if not isinstance(inertia, Dyadic):
                example = f"lw.inertia({frame.name}, zz=J)"
                raise ModelError(f"the inertia of '{name}' must be a dyadic; got {inertia!r}. For example {example}.")
            for square in inertia.parts.values():
                for axis, node in zip("xyz", (square[0][0], square[1][1], square[2][2]), strict=True):
                    moment = self._value_of(Expr(self.graph, node))
                    if moment is not None and moment < 0.0:
                        raise ModelError(f"the moment of inertia {axis}{axis} of '{name}' is {moment:g}. Give one that "
                                         "is not negative.")  # fmt: skip
            if any(left is not right for left, right in inertia.parts):
                inertia = Dyadic(self._tree, {(frame, frame): inertia.components(frame)})
            if about is not None:
                inertia = inertia - steiner(frame, mass_expr, center.position(self._point_of(about)))
        return self._add_body(Body(name, center, mass_expr, frame, inertia))

    def particle(self, name: str, point: Point, mass: Any) -> Body:
        """A particle: a point with mass."""
        return self._add_body(Body(name, point, Expr(self.graph, operand(self.graph, mass))))

    def _add_body(self, body: Body) -> Body:
        must_be_name(body.name, "a body")
        if not isinstance(body.center, Point) or body.center.tree is not self._tree:
            raise ModelError(f"the centre of '{body.name}' must be a point of '{self.name}'; got {body.center!r}.")
        if body.name in self._bodies:
            raise ModelError(f"'{self.name}' has a body named '{body.name}' already. Choose another name.")
        value = self._value_of(body.mass)
        if value is not None and value < 0:
            raise ModelError(f"the mass of '{body.name}' is {value}. Give a mass that is not negative.")
        self._bodies[body.name] = body
        return body

    # --- joints -------------------------------------------------------------------------------------------------

    def joint(self, kind: str, name: str, inboard: Frame | Link | None = None, at: Point | None = None,
              axis: Vector | None = None, q: Sequence[str] | None = None,
              u: Sequence[str] | None = None) -> Link:  # fmt: skip
        """A joint by the name of its row (``latchwork.JOINTS``): the outboard frame and origin it carries.

        ``inboard`` is the frame (or link) it is mounted on, ``at`` a point fixed there (default: the link's origin).
        """
        must_be(kind, str, f"the type of joint '{name}'", f"Give one of {', '.join(JOINTS)}.")
        if kind not in JOINTS:
            raise ModelError(f"joint '{name}': there is no joint type '{kind}'.{did_you_mean(kind, JOINTS)}")
        row = JOINTS[kind]
        base = self._point_of(at) if at is not None else inboard.origin if isinstance(inboard, Link) else self.origin
        frame = self._frame_of(inboard) if inboard is not None else self.frame
        if row.has_axis and axis is None:
            axis = frame.z
        if not row.has_axis and axis is not None:
            raise ModelError(f"joint '{name}': a {kind} joint has no axis of its own; it uses those of '{frame.name}'.")
        if axis is not None:
            require_vector(axis, f"the axis of joint '{name}'")
            if axis.is_zero:
                raise ModelError(f"the axis of joint '{name}' is zero. Give a direction, such as {frame.name}.z.")
        q_names = self._joint_names(name, "q", row.q_suffixes, q)
        u_names = self._joint_names(name, "u", row.u_suffixes, u)
        self._must_be_new(name, q_names, u_names)
        coordinates = self.coordinates(*q_names)
        speeds = tuple(self._speed(each) for each in u_names)
        rates = rates_of(row, coordinates, speeds)
        self._direct |= {self._rates[c]: rate for c, rate in zip(coordinates, rates, strict=True)}
        if row.turns == QUATERNION:
            self._quaternions.append(coordinates[-4:])
        child, origin = place(row, name, frame, base, axis, coordinates)
        self._links[name] = Link(name, row, frame, base, child, origin, coordinates, speeds, axis)
        return self._links[name]

    def _must_be_new(self, name: str, q_names: Sequence[str], u_names: Sequence[str]) -> None:
        """All names of a joint can be taken: it is made whole or not at all."""
        must_be_name(name, "a joint")
        if name in self._tree.frames or f"{name}_o" in self._tree.points:
            raise ModelError(f"'{self.name}' cannot name a joint {name!r}: the name is taken. Choose another.")
        for kind, names in (("coordinate", q_names), ("speed", u_names)):
            for each in names:
                self._must_be_free(each, kind)

    @staticmethod
    def _joint_names(name: str, letter: str, suffixes: tuple[str, ...], given: Sequence[str] | None) -> list[str]:
        if given is not None:
            advice = f"Give names: {letter}={[f'{letter}{i + 1}' for i in range(len(suffixes))]}."
            names = [given] if isinstance(given, str) else listed(given, f"{letter} of joint '{name}'", advice)
            if len(names) != len(suffixes):
                count = f"{len(suffixes)} {letter}'s"
                raise ModelError(f"joint '{name}' has {count}; got the names {names}. Give one for each.")
            return names
        if len(suffixes) == 1:
            return [f"{letter}_{name}"]
        return [f"{letter}_{name}_{suffix}" for suffix in suffixes]

    def revolute(self, name: str, inboard: Frame | Link | None = None, *, at: Point | None = None,
                 axis: Vector | None = None, q: Sequence[str] | None = None,
                 u: Sequence[str] | None = None) -> Link:  # fmt: skip
        """Turns about ``axis`` (default: the inboard z axis)."""
        return self.joint("revolute", name, inboard, at=at, axis=axis, q=q, u=u)

    def prismatic(self, name: str, inboard: Frame | Link | None = None, *, at: Point | None = None,
                  axis: Vector | None = None, q: Sequence[str] | None = None,
                 u: Sequence[str] | None = None) -> Link:  # fmt: skip
        """Slides along ``axis`` (default: the inboard z axis)."""
        return self.joint("prismatic", name, inboard, at=at, axis=axis, q=q, u=u)

    def cylindrical(self, name: str, inboard: Frame | Link | None = None, *, at: Point | None = None,
                    axis: Vector | None = None, q: Sequence[str] | None = None,
                    u: Sequence[str] | None = None) -> Link:  # fmt: skip
        """Slides along and turns about ``axis``."""
        return self.joint("cylindrical", name, inboard, at=at, axis=axis, q=q, u=u)

    def universal(self, name: str, inboard: Frame | Link | None = None, *, at: Point | None = None,
                  q: Sequence[str] | None = None, u: Sequence[str] | None = None) -> Link:  # fmt: skip
        """Turns about the inboard x axis, then about the new y axis (Hooke's joint)."""
        return self.joint("universal", name, inboard, at=at, q=q, u=u)

    def ball(self, name: str, inboard: Frame | Link | None = None, *, at: Point | None = None,
             q: Sequence[str] | None = None, u: Sequence[str] | None = None) -> Link:  # fmt: skip
        """A ball by Euler parameters (scalar first); speeds are ω in the outboard frame."""
        return self.joint("ball", name, inboard, at=at, q=q, u=u)

    def gimbal(self, name: str, inboard: Frame | Link | None = None, *, at: Point | None = None,
               q: Sequence[str] | None = None, u: Sequence[str] | None = None) -> Link:  # fmt: skip
        """A ball by three angles, body-fixed x, y, z."""
        return self.joint("gimbal", name, inboard, at=at, q=q, u=u)

    def planar(self, name: str, inboard: Frame | Link | None = None, *, at: Point | None = None,
               q: Sequence[str] | None = None, u: Sequence[str] | None = None) -> Link:  # fmt: skip
        """Slides along the inboard x and y axes and turns about z."""
        return self.joint("planar", name, inboard, at=at, q=q, u=u)

    def free(self, name: str, inboard: Frame | Link | None = None, *, at: Point | None = None,
             q: Sequence[str] | None = None, u: Sequence[str] | None = None) -> Link:  # fmt: skip
        """Six degrees of freedom: position in the inboard frame, Euler parameters; speeds ṗ and ω (outboard)."""
        return self.joint("free", name, inboard, at=at, q=q, u=u)

    def weld(self, name: str, inboard: Frame | Link | None = None, *, at: Point | None = None) -> Link:
        """No motion: a frame and origin fixed in the inboard frame."""
        return self.joint("weld", name, inboard, at=at)

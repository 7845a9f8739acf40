"""Model: what the analyst writes into. Everything after it is frozen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.making.methods import Constraining
from latchwork.constraint.rule import Latch, Rule
from latchwork.contact.law import Contact
from latchwork.errors import ModelError, did_you_mean
from latchwork.mechanics.body import Body, steiner
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import JOINTS, QUATERNION, Link, place, rates_of
from latchwork.mechanics.loads import Force, Load, Spring, Torque, Torsion, require_vector
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.tree import Tree
from latchwork.mechanics.vector import Dyadic, Vector
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.graph import Graph

if TYPE_CHECKING:
    from latchwork.constraint.constrained import Constrained
    from latchwork.kane.advice import Advice
    from latchwork.kane.equations import Equations

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
RESERVED = frozenset(
    "t dt pi sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log sqrt abs sign min max where "
    "dot cross position velocity angular_velocity magnitude".split()
)


class Model(Constraining):
    """A mechanism: symbols, frames and points, bodies, joints, loads, and how the generalized speeds are defined."""

    def __init__(self, name: str = "mechanism") -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"a model needs a name that is a non-empty text; got {name!r}.")
        self.name = name
        self.graph = Graph(name)
        self._tree = Tree(self.graph)
        self.time = self._symbol("t", "time")
        self._symbols: dict[str, Expr] = {"t": self.time}
        self._coordinates: list[Expr] = []
        self._rates: dict[Expr, Expr] = {}
        self._speeds: list[Expr] = []
        self._accelerations: dict[Expr, Expr] = {}
        self._definitions: dict[Expr, Expr] = {}
        self._direct: dict[Expr, Expr] = {}
        self._zero: list[Expr] = []
        self._speeds_given = False
        self._parameters: list[Expr] = []
        self._inputs: list[Expr] = []
        self._bodies: dict[str, Body] = {}
        self._links: dict[str, Link] = {}
        self._loads: list[Load] = []
        self._gravity: Vector | None = None
        self._quaternions: list[tuple[Expr, ...]] = []
        self._constraints: dict[str, Constraint] = {}
        self._contacts: dict[str, Contact] = {}
        self._rules: dict[str, Rule] = {}

    def __repr__(self) -> str:
        return (
            f"<Model '{self.name}': {len(self._bodies)} bodies, {len(self._coordinates)} coordinates, "
            f"{len(self._loads) + (self._gravity is not None)} loads, {len(self._constraints)} constraints"
            f"{f', {len(self._contacts)} contacts' if self._contacts else ''}>"
        )

    # --- geometry -----------------------------------------------------------------------------------------------

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
        return dict(self._tree.frames)

    @property
    def points(self) -> dict[str, Point]:
        """All points by name."""
        return dict(self._tree.points)

    @property
    def bodies(self) -> dict[str, Body]:
        """All bodies and particles by name."""
        return dict(self._bodies)

    @property
    def links(self) -> dict[str, Link]:
        """All joints by name."""
        return dict(self._links)

    @property
    def loads(self) -> tuple[Load, ...]:
        """All loads but gravity."""
        return tuple(self._loads)

    @property
    def uniform_gravity(self) -> Vector | None:
        """The acceleration of gravity, if there is one."""
        return self._gravity

    @property
    def definitions(self) -> dict[Expr, Expr]:
        """The speeds that were given a definition, u = Y q̇ + Z; those of joints are not among them."""
        return dict(self._definitions)

    @property
    def zero(self) -> tuple[Expr, ...]:
        """The motion constraints built into the speeds."""
        return tuple(self._zero)

    @property
    def symbols(self) -> dict[str, Expr]:
        """Every named symbol: time, parameters, coordinates, speeds, inputs."""
        return dict(self._symbols)

    # --- symbols ------------------------------------------------------------------------------------------------

    def parameter(self, name: str, value: float | None = None) -> Expr:
        """A constant of the mechanism, with the value it has unless another is given."""
        self._parameters.append(self._named(name, "parameter", value))
        return self._parameters[-1]

    def parameters(self, **values: float | None) -> tuple[Expr, ...]:
        """Several parameters: ``m, L = model.parameters(m=1.0, L=0.5)``."""
        return tuple(self.parameter(name, value) for name, value in values.items())

    def input(self, name: str, value: float = 0.0) -> Expr:
        """A quantity given from outside while the mechanism runs (an actuator, a hand), held over a step."""
        self._inputs.append(self._named(name, "input", value))
        return self._inputs[-1]

    def inputs(self, **values: float) -> tuple[Expr, ...]:
        """Several inputs: ``T, F = model.inputs(T=0.0, F=0.0)``."""
        return tuple(self.input(name, value) for name, value in values.items())

    def coordinate(self, name: str) -> Expr:
        """A generalized coordinate q; ``dt(q)`` is its rate."""
        q = self._named(name, "coordinate")
        self._coordinates.append(q)
        self._rates[q] = self._symbol(f"dt({name})", "rate", q)
        return q

    def coordinates(self, *names: str) -> tuple[Expr, ...]:
        """Several generalized coordinates."""
        return tuple(self.coordinate(name) for name in names)

    def speeds(self, *, zero: Sequence[Any] = (), **definitions: Any) -> tuple[Expr, ...]:
        """Generalized speeds: each a definition linear in q̇, ``u1, u2 = model.speeds(u1=dt(q1), u2=r*dt(q2))``.

        ``zero`` lists motion constraints built into the speeds: expressions linear in q̇ that must vanish. Without
        arguments every coordinate that has no speed yet gets its own rate: u1 = q̇1, ...
        """
        if definitions or zero:
            self._speeds_given = True
        else:
            definitions = self._default_definitions()
        made = []
        for name, definition in definitions.items():
            u = self._speed(name)
            self._definitions[u] = Expr(self.graph, operand(self.graph, definition))
            made.append(u)
        self._zero += [Expr(self.graph, operand(self.graph, expression)) for expression in zero]
        return tuple(made)

    def _default_definitions(self) -> dict[str, Expr]:
        defined = {*self._direct, *self._definitions.values()}
        fresh = {}
        for q in self._coordinates:
            if self._rates[q] not in defined:
                name = "u" + q.name[1:] if q.name.startswith("q") else f"u_{q.name}"
                fresh[name] = self._rates[q]
        return fresh

    def _speed(self, name: str) -> Expr:
        u = self._named(name, "speed")
        self._speeds.append(u)
        self._accelerations[u] = self._symbol(f"dt({name})", "acceleration", u)
        return u

    def _must_be_free(self, name: str, kind: str) -> None:
        """A name that nothing else has, and that expressions can use."""
        if not isinstance(name, str) or not NAME.match(name) or name in RESERVED:
            raise ModelError(
                f"'{name}' cannot name a {kind} of '{self.name}': names are letters, digits and _, a letter first, "
                "and are not a function's name. Choose another, e.g. 'q1'."
            )
        if name in self._symbols:
            kind_before = self._symbols[name].kind
            raise ModelError(f"'{self.name}' has a {kind_before} named '{name}' already. Name the {kind} otherwise.")

    def _named(self, name: str, kind: str, value: float | None = None) -> Expr:
        self._must_be_free(name, kind)
        if value is not None:
            try:
                value = float(value)
            except (TypeError, ValueError):
                raise ModelError(f"the value of {kind} '{name}' must be a number; got {value!r}.") from None
            self.graph.constant(value)  # refuses nan and inf
        self._symbols[name] = self._symbol(name, kind, value=value)
        return self._symbols[name]

    def _symbol(self, name: str, kind: str, of: Expr | None = None, value: float | None = None) -> Expr:
        derivative_of = of.node if of is not None else -1
        return Expr(self.graph, self.graph.symbol(name, kind, derivative_of, value))

    # --- bodies -------------------------------------------------------------------------------------------------

    def body(self, name: str, frame: Frame | Link, center: Point, mass: Any, inertia: Dyadic | None = None,
             about: Point | None = None) -> Body:  # fmt: skip
        """A rigid body: the frame it is fixed in, its mass centre, mass, and inertia dyadic.

        The inertia is central unless ``about`` names another point fixed in the body.
        """
        frame = self._frame_of(frame)
        mass_expr = Expr(self.graph, operand(self.graph, mass))
        if inertia is not None:
            if not isinstance(inertia, Dyadic):
                example = f"lw.inertia({frame.name}, zz=J)"
                raise ModelError(f"the inertia of '{name}' must be a dyadic; got {inertia!r}. For example {example}.")
            if any(left is not right for left, right in inertia.parts):
                inertia = Dyadic(self._tree, {(frame, frame): inertia.components(frame)})
            if about is not None:
                inertia = inertia - steiner(frame, mass_expr, center.position(about))
        return self._add_body(Body(name, center, mass_expr, frame, inertia))

    def particle(self, name: str, point: Point, mass: Any) -> Body:
        """A particle: a point with mass."""
        return self._add_body(Body(name, point, Expr(self.graph, operand(self.graph, mass))))

    def _add_body(self, body: Body) -> Body:
        if not isinstance(body.center, Point) or body.center.tree is not self._tree:
            raise ModelError(f"the centre of '{body.name}' must be a point of '{self.name}'; got {body.center!r}.")
        if body.name in self._bodies:
            raise ModelError(f"'{self.name}' has a body named '{body.name}' already. Choose another name.")
        value = float(body.mass) if body.mass.is_constant else self._value_of(body.mass)
        if value is not None and value < 0:
            raise ModelError(f"the mass of '{body.name}' is {value}. Give a mass that is not negative.")
        self._bodies[body.name] = body
        return body

    def _value_of(self, symbol: Expr) -> float | None:
        """The value a symbol has unless another is given."""
        return self.graph.symbols[symbol.node].value if symbol.is_symbol else None

    # --- contacts -----------------------------------------------------------------------------------------------

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """What may touch in every run."""
        return tuple(self._contacts.values())

    def contact(self, name: str, a: Any, b: Any, *, restitution: Any = 0.0, friction: Any = None,
                impact: str = "newton") -> Contact:  # fmt: skip
        """Two shapes that may touch. In a run they collide, slide, roll, stick and separate as their laws say.

        ``restitution`` and ``friction`` are numbers, expressions, or ``lw.zones(...)``; ``lw.Coulomb(static, dynamic)``
        tells the two frictions apart. ``impact`` names a law of ``latchwork.contact.impact.LAWS``.
        """
        from latchwork.contact.making import contact_between, must_be_name

        must_be_name(name)
        if name in self._contacts or name in self._constraints:
            raise ModelError(f"'{self.name}' has a contact or constraint named '{name}' already. Choose another name.")
        self._contacts[name] = contact_between(name, a, b, restitution, friction, impact, self.graph)
        return self._contacts[name]

    # --- rules --------------------------------------------------------------------------------------------------

    @property
    def rules(self) -> tuple[Rule, ...]:
        """What the user says about modes, in every run."""
        return tuple(self._rules.values())

    def rule(self, name: str, when: Any, *, hold: Constraint | Latch | Sequence[Constraint | Latch] = (),
             release: Any = (), reset: Mapping[Any, Any] | None = None, inputs: Mapping[Any, Any] | None = None,
             needs: Any = (), without: Any = (), once: bool = False, stop: bool = False) -> Rule:  # fmt: skip
        """Where ``when`` falls through zero, constraints begin to hold or let go, speeds and inputs jump: `lw.Rule`."""
        if name in self._rules:
            raise ModelError(f"'{self.name}' has a rule named '{name}' already. Choose another name.")
        self._rules[name] = Rule(name, when, hold, release, reset or {}, inputs or {}, needs, without, once, stop)
        return self._rules[name]

    # --- joints -------------------------------------------------------------------------------------------------

    def joint(self, kind: str, name: str, inboard: Frame | Link | None = None, at: Point | None = None,
              axis: Vector | None = None, q: Sequence[str] | None = None,
              u: Sequence[str] | None = None) -> Link:  # fmt: skip
        """A joint by the name of its row (``latchwork.JOINTS``): the outboard frame and origin it carries.

        ``inboard`` is the frame (or link) it is mounted on, ``at`` a point fixed there (default: the link's origin).
        """
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
        if not isinstance(name, str) or not name or name in self._tree.frames or f"{name}_o" in self._tree.points:
            raise ModelError(f"'{self.name}' cannot name a joint {name!r}: the name is taken. Choose another.")
        for kind, names in (("coordinate", q_names), ("speed", u_names)):
            for each in names:
                self._must_be_free(each, kind)

    @staticmethod
    def _joint_names(name: str, letter: str, suffixes: tuple[str, ...], given: Sequence[str] | None) -> list[str]:
        if given is not None:
            names = [given] if isinstance(given, str) else list(given)
            if len(names) != len(suffixes):
                count = f"{len(suffixes)} {letter}'s"
                raise ModelError(f"joint '{name}' has {count}; got the names {names}. Give one for each.")
            return names
        if len(suffixes) == 1:
            return [f"{letter}_{name}"]
        return [f"{letter}_{name}_{suffix}" for suffix in suffixes]

    def revolute(self, name: str, inboard: Frame | Link | None = None, **options: Any) -> Link:
        """Turns about ``axis`` (default: the inboard z axis)."""
        return self.joint("revolute", name, inboard, **options)

    def prismatic(self, name: str, inboard: Frame | Link | None = None, **options: Any) -> Link:
        """Slides along ``axis`` (default: the inboard z axis)."""
        return self.joint("prismatic", name, inboard, **options)

    def cylindrical(self, name: str, inboard: Frame | Link | None = None, **options: Any) -> Link:
        """Slides along and turns about ``axis``."""
        return self.joint("cylindrical", name, inboard, **options)

    def universal(self, name: str, inboard: Frame | Link | None = None, **options: Any) -> Link:
        """Turns about the inboard x axis, then about the new y axis (Hooke's joint)."""
        return self.joint("universal", name, inboard, **options)

    def ball(self, name: str, inboard: Frame | Link | None = None, **options: Any) -> Link:
        """A ball by Euler parameters (scalar first); speeds are ω in the outboard frame."""
        return self.joint("ball", name, inboard, **options)

    def gimbal(self, name: str, inboard: Frame | Link | None = None, **options: Any) -> Link:
        """A ball by three angles, body-fixed x, y, z."""
        return self.joint("gimbal", name, inboard, **options)

    def planar(self, name: str, inboard: Frame | Link | None = None, **options: Any) -> Link:
        """Slides along the inboard x and y axes and turns about z."""
        return self.joint("planar", name, inboard, **options)

    def free(self, name: str, inboard: Frame | Link | None = None, **options: Any) -> Link:
        """Six degrees of freedom: position in the inboard frame, Euler parameters; speeds ṗ and ω (outboard)."""
        return self.joint("free", name, inboard, **options)

    def weld(self, name: str, inboard: Frame | Link | None = None, **options: Any) -> Link:
        """No motion: a frame and origin fixed in the inboard frame."""
        return self.joint("weld", name, inboard, **options)

    # --- loads --------------------------------------------------------------------------------------------------

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
        return self._add_load(Spring(self._point_of(p), self._point_of(q), stiffness, length, damping, name))

    def torsion(self, on: Frame | Link | Body, reaction: Frame | Link | Body | None, axis: Vector, angle: Expr,
                stiffness: Any = 0.0, rest: Any = 0.0, damping: Any = 0.0, name: str = "") -> Torsion:  # fmt: skip
        """A torsional spring and damper: -k (angle - rest) - c dt(angle) about an axis."""
        other = None if reaction is None else self._frame_of(reaction)
        return self._add_load(Torsion(self._frame_of(on), other, axis, angle, stiffness, rest, damping, name))

    def actuate(self, link: Link, effort: Any, name: str = "") -> Load:
        """A motor in a revolute joint (torque) or a ram in a prismatic one (force), acting between its two sides."""
        if link.joint.name not in ("revolute", "prismatic") or link.axis is None:
            raise ModelError(
                f"'{link.name}' is a {link.joint.name} joint: an actuator needs one axis. Use model.torque or force."
            )
        if link.joint.name == "revolute":
            return self.torque(link, link.axis * effort, reaction=link.inboard, name=name)
        return self.force(link.origin, link.axis * effort, reaction=link.base, name=name)

    def resist(self, link: Link, stiffness: Any = 0.0, rest: Any = 0.0, damping: Any = 0.0, name: str = "") -> Load:
        """A spring and damper in a revolute or prismatic joint, acting on its coordinate."""
        if link.joint.name == "revolute" and link.axis is not None:
            return self.torsion(link, link.inboard, link.axis, link.q[0], stiffness, rest, damping, name)
        if link.joint.name == "prismatic" and link.axis is not None:
            from latchwork.symbolic.derivative import dt

            effort = -1.0 * stiffness * (link.q[0] - rest) - damping * dt(link.q[0])
            potential = 0.5 * stiffness * (link.q[0] - rest) ** 2
            return self.force(link.origin, link.axis * effort, reaction=link.base, name=name, potential=potential)
        raise ModelError(f"'{link.name}' is a {link.joint.name} joint: its spring needs one axis. Use model.torsion.")

    def _add_load(self, load: Any) -> Any:
        self._loads.append(load)
        return load

    # --- what follows -------------------------------------------------------------------------------------------

    def system(self) -> System:
        """What has been described so far, frozen."""
        if not self._speeds_given:
            self.speeds()
        symbols = [*self._parameters, *self._inputs]
        values = {s: v for s in symbols if (v := self.graph.symbols[s.node].value) is not None}
        return System(
            name=self.name,
            tree=self._tree,
            t=self.time,
            q=tuple(self._coordinates),
            u=tuple(self._speeds),
            r=tuple(self._inputs),
            p=tuple(self._parameters),
            q_rates=tuple(self._rates[q] for q in self._coordinates),
            u_rates=tuple(self._accelerations[u] for u in self._speeds),
            values=values,
            definitions=dict(self._definitions),
            direct=dict(self._direct),
            zero=tuple(self._zero),
            bodies=tuple(self._bodies.values()),
            loads=tuple(self._loads),
            gravity=self._gravity,
            links=tuple(self._links.values()),
            quaternions=tuple(self._quaternions),
            contacts=tuple(self._contacts),
        )

    def equations(self) -> Equations:
        """Kane's equations, unconstrained: F_r + F_r* = 0."""
        from latchwork.kane.equations import equations  # late: a description needs no machinery yet

        return equations(self.system())

    def constrained(self, *, independent: Sequence[Any] | None = None, at: Any = None, t: float = 0.0,
                    p: Any = None) -> Constrained:  # fmt: skip
        """The equations with the model's constraints embedded, as ``model.equations().embed(...)``."""
        return self.equations().embed(*self.constraints, independent=independent, at=at, t=t, p=p)

    def advise(self) -> Advice:
        """Advice on generalized speeds: alternatives side by side, with their operation counts."""
        from latchwork.kane.advice import advise

        return advise(self.system())

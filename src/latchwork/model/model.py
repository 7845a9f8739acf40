"""Model: what the analyst writes into. Everything after it is frozen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.rule import Latch, Rule
from latchwork.contact.law import Contact
from latchwork.contact.materials import Laws, Material, Materials
from latchwork.errors import ModelError, answering, must_be_name, number_of, spelled
from latchwork.mechanics.system import System
from latchwork.model.loading import Loading

if TYPE_CHECKING:
    from latchwork.constraint.constrained import Constrained
    from latchwork.contact.collision import Collision
    from latchwork.flexible.beam import Beam
    from latchwork.flexible.flexible_body import FlexibleBody
    from latchwork.flexible.support import Support
    from latchwork.kane.advice import Advice
    from latchwork.kane.equations import Equations
    from latchwork.mechanics.frame import Frame
    from latchwork.mechanics.joints import Link
    from latchwork.mechanics.loads import GeneralizedForce
    from latchwork.mechanics.point import Point
    from latchwork.symbolic.expr import Expr

TAKE_A_MODEL = ("simulate", "simulate_many", "minimize", "show", "dump", "Simulation", "Study")  # functions of `lw`


@answering
class Model(Loading):
    """A mechanism: symbols, frames and points, bodies, joints, loads, and how the generalized speeds are defined."""

    def __init__(self, name: str = "mechanism") -> None:
        super().__init__(name)
        self._beams: dict[str, Any] = {}
        self._supports: dict[str, Support] = {}
        self._integrals: list[Expr] = []
        self._contacts: dict[str, Contact] = {}
        self._collisions: dict[str, Collision] = {}
        self._materials = Materials()
        self._rules: dict[str, Rule] = {}

    def __repr__(self) -> str:
        loads = len(self._loads) + (self._gravity is not None)
        counts = {"body": len(self._bodies), "coordinate": len(self._coordinates), "load": loads,
                  "constraint": len(self._constraints)}  # fmt: skip
        rare = {"contact": len(self._contacts), "collision": len(self._collisions)}
        counts |= {kind: n for kind, n in rare.items() if n}
        return f"<Model '{self.name}': {', '.join(number_of(n, kind) for kind, n in counts.items())}>"

    @staticmethod
    def _elsewhere(name: str) -> str:
        """Where a name is that a model does not have: functions that take a model, methods of its equations."""
        if name in TAKE_A_MODEL:
            return f" It is a function: write lw.{name}(model, ...)."
        from latchwork.kane.equations import Equations

        return f" Its equations have: write model.equations().{name}." if hasattr(Equations, name) else ""

    # --- beams --------------------------------------------------------------------------------------------------

    @property
    def beams(self) -> dict[str, Any]:
        """Beams by name."""
        return dict(self._beams)

    @property
    def elastic_bodies(self) -> dict[str, Any]:
        """Bodies that bend, by name: of beams, one for each segment, and those of arrays."""
        return dict(self._elastic_bodies)

    @spelled
    def beam(self, name: str, frame: Frame | Link, root: Point, length: Any, *, EI: Any, rho_A: Any, GJ: Any = None,
             rho_J: Any = None, EA: Any = None, modes: Any = None, shapes: Any = "clamped-free", damping: Any = 0.0,
             stiffening: bool = True, segments: int = 1) -> Any:  # fmt: skip
        """A slender beam along the x axis of a frame from a root, a point fixed there; it bends along y, or y and z.

        ``EI`` is one value, or {"y": ..., "z": ...} by the direction of deflection; ``GJ`` (with ``rho_J``) lets it
        twist, ``EA`` stretch. Each is a number, an expression in parameters, or a function of the arc length s.
        ``modes`` says how many shapes, or how many by direction; ``shapes`` how the ends are held in the frame
        ("clamped-free", "pinned-pinned", ...), or a list of functions of x = s/L. ``damping`` is the time constant τ of
        the material, σ = E (ε + τ ε̇). ``stiffening=False`` leaves foreshortening out, to see what is lost.
        ``segments`` makes a chain of beams for large bending, each small in its own frame, with two cubic shapes each
        unless ``modes`` says more.
        """
        from latchwork.flexible.segments import beam_or_segments

        self._must_be_unused(name, "a beam", "body or beam", self._elastic_bodies, self._bodies)
        section = {"EI": EI, "rho_A": rho_A, "GJ": GJ, "rho_J": rho_J, "EA": EA, "damping": damping}
        made: Any = beam_or_segments(self, name, self._frame_of(frame), self._point_of(root), length, segments, modes,
                                     shapes=shapes, stiffening=stiffening, **section)  # fmt: skip
        for part in made.segments:
            self._elastic_bodies[part.name] = part.body
            self._loads.append(part.elasticity)
        made.recipe.update(section, length=length, modes=modes, shapes=shapes, stiffening=stiffening, segments=segments)
        self._beams[name] = made
        return made

    @spelled
    def flexible_body(self, name: str, frame: Frame | Link, root: Point, *, places: Any, masses: Any, shapes: Any,
                      stiffness: Any, damping: Any = 0.0, turns: Any = None,
                      geometric: Mapping[str, Any] | None = None, mass: Any = None) -> FlexibleBody:  # fmt: skip
        """A body from a finite-element model: N nodes at ``places`` (N, 3) from the root in its frame, with ``masses``
        (N), ``shapes`` (N, 3, n) and, where frames are wanted there, their rotations ``turns``; ``stiffness`` (n, n) of
        the shapes, material ``damping`` (a time), ``geometric`` stiffness by accelerations ("x") and rates ("zz") of
        the frame, and the ``mass`` matrix (n, n) of the shapes where it is not that of the nodes, as a consistent one.
        `lw.craig_bampton` gives shapes from matrices."""
        from latchwork.flexible.flexible_body import flexible_body_of

        self._must_be_unused(name, "a flexible body", "body or beam", self._elastic_bodies, self._bodies)
        made = flexible_body_of(self, name, self._frame_of(frame), self._point_of(root), places=places, masses=masses,
                                shapes=shapes, stiffness=stiffness, damping=damping, turns=turns,
                                geometric=geometric or {}, mass=mass)  # fmt: skip
        self._elastic_bodies[name] = made.body
        self._loads.append(made.elasticity)
        return made

    def _must_be_unused(self, name: str, of: str, kind: str, *known: Mapping[str, Any]) -> None:
        must_be_name(name, of)
        if any(name in each for each in known):
            raise ModelError(f"'{self.name}' has a {kind} named '{name}' already. Choose another name.")

    @property
    def supports(self) -> dict[str, Support]:
        """Points that beams slide over, by name."""
        return dict(self._supports)

    @property
    def integrals(self) -> frozenset[Expr]:
        """The parameters that came with beams: integrals over their shapes."""
        return frozenset(self._integrals)

    @spelled
    def support(self, name: str, beam: Beam, point: Point) -> Support:
        """A point that a beam slides over: the beam passes through it at an arc length ``support.s`` that changes."""
        from latchwork.flexible.support import support_of

        must_be_name(name, "a support")
        self._supports[name] = support_of(self, name, beam, self._point_of(point))
        return self._supports[name]

    @spelled
    def drive(self, support: Support, force: Any, name: str = "") -> GeneralizedForce:
        """A force between a support and the beam on it, along the beam: positive where it pushes the beam outward."""
        from latchwork.flexible.support import drive_of

        made: GeneralizedForce = self._add_load(drive_of(self, support, force, name))
        return made

    # --- contacts -----------------------------------------------------------------------------------------------

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """What may touch in every run."""
        return tuple(self._contacts.values())

    @spelled
    def contact(self, name: str, a: Any, b: Any, *, restitution: Any = 0.0, friction: Any = None,
                impact: str = "newton", adhesion: Any = 0.0) -> Contact:  # fmt: skip
        """Two shapes that may touch. In a run they collide, slide, roll, stick and separate as their laws say.

        ``restitution`` and ``friction`` are numbers, expressions, or ``lw.zones(...)``; ``lw.Coulomb(static, dynamic)``
        tells the two frictions apart, ``rolling=`` and ``pivoting=`` of it resist turns. ``impact`` names a law of
        ``latchwork.contact.impact.resolution.LAWS``. ``adhesion`` is the largest force by which each place pulls.
        """
        from latchwork.contact.construction import contact_between

        return self.add_contact(name, lambda: contact_between(name, a, b, restitution, friction, impact, self.graph,
                                                              adhesion=adhesion))  # fmt: skip

    @property
    def collisions(self) -> tuple[Collision, ...]:
        """Shapes of which any two may touch, as `collide` gave them."""
        return tuple(self._collisions.values())

    @property
    def materials(self) -> Materials:
        """Materials by name, and the table of their pairs."""
        return self._materials

    @spelled
    def material(self, name: str, *, friction: Any = None, restitution: Any = 0.0, adhesion: Any = 0.0,
                 on: Any = ()) -> Material:  # fmt: skip
        """A surface by a name: what it obeys on another of its kind, and the bodies and shapes that are made of it."""
        from latchwork.contact.colliders import things_made_of

        return self._materials.add(name, friction, restitution, things_made_of(name, on), adhesion)

    @spelled
    def material_pair(self, a: Material | str, b: Material | str, *, friction: Any = None,
                      restitution: Any = 0.0, adhesion: Any = 0.0) -> Laws:  # fmt: skip
        """The row of two materials: what their surfaces obey where they touch each other."""
        return self._materials.add_pair(a, b, friction, restitution, adhesion)

    @spelled
    def collide(self, *groups: Any, friction: Any = None, restitution: Any = None, impact: str = "newton",
                within: bool = True, without: Any = (), masks: Any = None, neighbours: bool = False,
                adhesion: Any = None, sides: int | None = None, name: str = "collide") -> Collision:  # fmt: skip
        """Bodies and shapes of which any two may touch, without a list of pairs; each argument is one or several.

        A body stands for the shapes that its methods have made; a mapping gives names, by which contacts are called "a
        on b". Shapes of one body, and of bodies that a joint joins, are left out (``neighbours=True`` keeps these), and
        so are the pairs in ``without``. With ``within=False`` only shapes of different arguments meet; ``masks`` gives
        (contype, conaffinity) by body or shape, as MuJoCo has them. A pair that `contact` lists has the laws it was
        given there. ``friction``, ``restitution`` and ``adhesion`` are for pairs that the table of materials has no row
        for. With ``sides``, cylinders and cones stay what they are on planes, and are prisms and pyramids of so many
        sides for all else, which is quicker.
        """
        from latchwork.contact.colliders import collision_of

        self._must_be_unused(name, "a collision", "collision", self._collisions)
        laws = {"friction": friction, "restitution": restitution, "adhesion": adhesion, "impact": impact}
        self._collisions[name] = collision_of(name, self.graph, groups, self._materials, laws, within=within,
                                              without=without, masks=masks, joined=neighbours, sides=sides)  # fmt: skip
        return self._collisions[name]

    @spelled
    def limit(self, name: str, joint: Link, bounds: Any, *, restitution: Any = 0.0) -> Contact:
        """Stops of a revolute or prismatic joint: its coordinate stays between two ``bounds``, (low, high), with an
        impact where it meets one. None leaves a bound out; bounds may depend on parameters and t."""
        from latchwork.constraint.joints.couplings import only
        from latchwork.contact.joint_limits import limits

        return self.add_contact(name, lambda: limits(name, *only(joint, name), bounds, restitution))

    @spelled
    def friction(self, name: str, joint: Link | Expr, static: Any, dynamic: Any = None) -> Contact:
        """Dry friction of a joint, or of a relative speed: it sticks with a force of ``static`` at most, and slides
        against one of ``dynamic``, which is the same unless given, and never above.

        Numbers, or expressions in coordinates, t, inputs and parameters; forces where the joint slides, torques where
        it turns.
        """
        from latchwork.contact.joint_friction import joint_friction

        return self.add_contact(name, lambda: joint_friction(name, joint, static, dynamic, self.origin))

    @spelled
    def rope(self, name: str, a: Point, b: Point, length: Any, *, restitution: Any = 0.0) -> Contact:
        """A rope without mass between two points: never further apart than its ``length``, a number or an expression
        in t and parameters. It goes slack by itself, and meets its length with an impact. ``rope.force`` is its
        tension."""
        from latchwork.contact.rope import rope

        return self.add_contact(name, lambda: rope(name, a, b, length, restitution))

    @spelled
    def one_way(self, name: str, joint: Link | Expr, *, restitution: Any = 0.0) -> Contact:
        """A one-way clutch: the rate of a joint with one axis, or a relative speed such as ``dt(q1) - dt(q2)``, is
        never negative. It locks where that comes to zero, and lets go where its force would pull."""
        from latchwork.contact.one_way import one_way

        return self.add_contact(name, lambda: one_way(name, joint, restitution, self.origin))

    def add_contact(self, name: str, make: Callable[[], Contact]) -> Contact:
        """A contact under a name that is new."""
        from latchwork.contact.construction import must_name_contact

        must_name_contact(name)
        if name in self._contacts or name in self._constraints:
            raise ModelError(f"'{self.name}' has a contact or constraint named '{name}' already. Choose another name.")
        self._contacts[name] = make()
        return self._contacts[name]

    # --- rules --------------------------------------------------------------------------------------------------

    @property
    def rules(self) -> tuple[Rule, ...]:
        """What the user says about modes, in every run."""
        return tuple(self._rules.values())

    @spelled
    def rule(self, name: str, when: Any, *, hold: Constraint | Latch | Sequence[Constraint | Latch] = (),
             release: Any = (), reset: Mapping[Any, Any] | None = None, inputs: Mapping[Any, Any] | None = None,
             needs: Any = (), without: Any = (), once: bool = False, stop: bool = False) -> Rule:  # fmt: skip
        """Where ``when`` falls through zero, constraints begin to hold or let go, speeds and inputs jump: `lw.Rule`."""
        self._must_be_unused(name, "a rule", "rule", self._rules)
        self._rules[name] = Rule(name, when, hold, release, reset or {}, inputs or {}, needs, without, once, stop)
        return self._rules[name]

    # --- what follows -------------------------------------------------------------------------------------------

    def system(self) -> System:
        """What has been described so far, frozen."""
        if not self._speeds_given:
            self.speeds()
        return frozen(self)

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


def frozen(model: Model) -> System:
    """The description of a model as it is now, frozen."""
    symbols = [*model._parameters, *model._inputs]
    values = {s: v for s in symbols if (v := model.graph.symbols[s.node].value) is not None}
    return System(
        name=model.name,
        tree=model._tree,
        t=model.time,
        q=tuple(model._coordinates),
        u=tuple(model._speeds),
        r=tuple(model._inputs),
        p=tuple(model._parameters),
        q_rates=tuple(model._rates[q] for q in model._coordinates),
        u_rates=tuple(model._accelerations[u] for u in model._speeds),
        values=values,
        definitions=dict(model._definitions),
        direct=dict(model._direct),
        zero=tuple(model._zero),
        bodies=tuple(model._bodies.values()),
        loads=tuple(model._loads),
        gravity=model._gravity,
        links=tuple(model._links.values()),
        joints=tuple(model._links),
        quaternions=tuple(model._quaternions),
        elastic_bodies=tuple(model._elastic_bodies.values()),
        contacts=(*model._contacts, *model._collisions),
        visuals=tuple(model._visuals),
    )

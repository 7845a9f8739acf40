"""What equations of motion tell besides themselves, in symbols: velocities, forces, derivatives, energies, momenta."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from latchwork.errors import ModelError, did_you_mean
from latchwork.kane import derivatives, energy, robotics, tables
from latchwork.kane.columns import tidied_column, tidied_rows
from latchwork.kane.derivatives import partials
from latchwork.kane.formed import Formed
from latchwork.kane.joint_forces import JointForce, Resultants, joint_force
from latchwork.kane.motion import mixed
from latchwork.kane.table import Table
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.matrix import Matrix

Thing = TypeVar("Thing", Point, Frame)


class Quantities(Formed):
    """Velocities, forces, derivatives and energies in terms of t, q, u, r, p, and of u̇ where it is said."""

    # --- velocities ---------------------------------------------------------------------------------------------

    def velocity(self, point: Point) -> Vector:
        """Velocity of a point in N in terms of speeds."""
        return self.derivation.motion.velocities(mixed)[self._own(point, Point)]

    def angular_velocity(self, frame: Frame) -> Vector:
        """Angular velocity of a frame in N in terms of speeds."""
        return Vector(self.system.tree, {frame: self.derivation.motion.w[self._own(frame, Frame)]})

    def acceleration(self, point: Point) -> Vector:
        """Acceleration of a point in N, in terms of u̇: a = Σ v_r u̇_r + a_t."""
        return self.derivation.motion.accelerating().accelerations_t(mixed)[self._own(point, Point)]

    def angular_acceleration(self, frame: Frame) -> Vector:
        """Angular acceleration of a frame in N, in terms of u̇."""
        alpha = self.derivation.motion.accelerating().alpha_t[self._own(frame, Frame)]
        return Vector(self.system.tree, {frame: alpha})

    def _own(self, what: Thing, kind: type[Thing]) -> Thing:
        """A point or frame of this model that was there when the equations were derived."""
        tree = self.system.tree
        known: Mapping[str, object] = tree.points if kind is Point else tree.frames
        if not isinstance(what, kind) or known.get(what.name) is not what:
            hint = did_you_mean(what, known) if isinstance(what, str) else ""
            word = kind.__name__.lower()
            raise ModelError(f"'{self.name}' has no {word} {what!r:.60}. Give the object itself, such as "
                             f"model.{word}s[name].{hint}")  # fmt: skip
        return what

    def jacobian(self, what: Point | Frame) -> Matrix:
        """∂v/∂u of a point or ∂ω/∂u of a frame, measures in N: three rows, a column for each speed."""
        return robotics.jacobian(self.derivation.motion, what)

    def center_of_mass(self) -> Vector:
        """Σ m p / Σ m, from the origin."""
        return robotics.center_of_mass(self.derivation.motion)

    def partial_velocities(self) -> Table:
        """The table of the books: v_r and ω_r of every point and frame that matters."""
        return tables.partial_velocities(self)

    # --- forces --------------------------------------------------------------------------------------------------

    @cached_property
    def inverse_expressions(self) -> Matrix:
        """M u̇ + h - F_r: the generalized forces that a motion needs besides the loads, in terms of u̇."""
        return tidied_column(self.system.graph, robotics.inverse_dynamics(self))

    @cached_property
    def gravity_forces(self) -> Matrix:
        """F_r of gravity alone."""
        return tidied_column(self.system.graph, robotics.gravity_forces(self.derivation.motion))

    def joint_forces(self, name: str) -> JointForce:
        """Force and torque that a joint, named by itself or by a body it carries, exerts on what lies beyond it.

        Both are in terms of u̇; ``evaluate`` puts in the motion that the loads cause.
        """
        return joint_force(self, self._resultants, name)

    @cached_property
    def _resultants(self) -> Resultants:
        return Resultants(self)

    # --- derivatives --------------------------------------------------------------------------------------------

    def inverse_jacobian(self, symbols: Sequence[Expr]) -> Matrix:
        """∂τ/∂symbols of τ = M u̇ + h - F_r, in terms of u̇; symbols are any of t, q, u, u̇, r, p."""
        return tidied_rows(self.system.graph, derivatives.inverse_rows(self, partials(symbols)), len(symbols))

    def forward_jacobian(self, symbols: Sequence[Expr]) -> Matrix:
        """∂u̇/∂symbols = -M⁻¹ ∂τ/∂symbols; symbols are any of t, q, u, r, p."""
        return tidied_rows(self.system.graph, derivatives.forward_rows(self, partials(symbols)), len(symbols))

    # --- energy -------------------------------------------------------------------------------------------------

    @cached_property
    def kinetic_energy(self) -> Expr:
        """K = Σ ½ m v² + ½ ω · I · ω."""
        return energy.kinetic(self.derivation.motion)

    @cached_property
    def potential_energy(self) -> Expr:
        """V of gravity and springs; loads without a potential are not in it."""
        return energy.potential(self.derivation.motion, self.added)

    @cached_property
    def power(self) -> Expr:
        """Power of all loads, Σ R · v + Σ T · ω: the activity A."""
        return energy.power(self.derivation.motion, self.added)

    @cached_property
    def inertia_power(self) -> Expr:
        """The inertia activity A* = Σ R* · v + Σ T* · ω, in terms of u̇.  [Buffinton Eq. 6.4]"""
        return energy.inertia_power(self)

    def linear_momentum(self) -> Vector:
        """Σ m v."""
        return energy.linear_momentum(self.derivation.motion)

    def angular_momentum(self, about: Point | None = None) -> Vector:
        """Σ I · ω + p × m v about a point (default: the origin)."""
        return energy.angular_momentum(self.derivation.motion, about or self.system.tree.origin)

    @cached_property
    def generalized_momenta(self) -> Matrix:
        """∂K/∂u_r."""
        return Matrix.column([self.kinetic_energy.diff(u) for u in self.system.u])

"""Equations: what a derivation gives, frozen. Symbolic matrices to read, programs to evaluate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import EvaluationError
from latchwork.kane import derivatives, energy, robotics, tables
from latchwork.kane.articulated import Swept, swept_udot
from latchwork.kane.carriers import NotATree
from latchwork.kane.coupling import coupled_turns, fewest_by_solving, fewest_in_a_row, ltdl_operations
from latchwork.kane.derivatives import Blocks, partials, tangent
from latchwork.kane.derive import Derivation, derive, shortened
from latchwork.kane.forces import Wrenches, add_load, generalized_forces, inertia_wrenches, load_wrenches
from latchwork.kane.joint_forces import JointForce, Resultants, joint_force
from latchwork.kane.linear import Massless, solve_ltdl
from latchwork.kane.motion import FEW_SPEEDS, mixed
from latchwork.kane.speeds import matrices
from latchwork.kane.values import argument_vector, read
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.loads import Load
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.vector import Vector
from latchwork.program.function import Function
from latchwork.program.ir import Program
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.tidy import SHORT, tidy
from latchwork.symbolic.traverse import (
    Operations,
    chain_of_nodes,
    count_literal,
    count_nodes,
    count_shared,
    reachable,
    rebuild,
)

if TYPE_CHECKING:
    from latchwork.constraint.constrained import Constrained
    from latchwork.constraint.linearizing.equilibrium import Steady
    from latchwork.constraint.linearizing.linear import Linear
    from latchwork.constraint.reacting.reaction_plan import Plan
    from latchwork.constraint.reacting.reactions import Reactions
    from latchwork.kane.early import SmallMotion
    from latchwork.kane.tables import Table

WAITING = 4.2  # operations in the time that one takes which waits for the one before it
MUCH_SHORTER = 3  # times fewer operations, so that what waits for what does not matter
FEWEST_FOR_SWEEPS = 4  # speeds below which solving M u̇ = f is always shorter, and reads better


class Equations:
    """Kane's equations F_r + F_r* = 0, unconstrained: M u̇ = f with q̇ = W u + X."""

    def __init__(self, derivation: Derivation, added: tuple[Load, ...] = ()) -> None:
        self.derivation = derivation
        self.system: System = derivation.system
        self.added = added

    # --- names and symbols --------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.system.name

    @property
    def q(self) -> tuple[Expr, ...]:
        return self.system.q

    @property
    def u(self) -> tuple[Expr, ...]:
        return self.system.u

    @property
    def r(self) -> tuple[Expr, ...]:
        return self.system.r

    @property
    def p(self) -> tuple[Expr, ...]:
        return self.system.p

    @property
    def t(self) -> Expr:
        return self.system.t

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        return tuple(symbol.name for symbol in self.system.q)

    @cached_property
    def u_names(self) -> tuple[str, ...]:
        return tuple(symbol.name for symbol in self.system.u)

    # --- symbolic -----------------------------------------------------------------------------------------------

    @cached_property
    def M(self) -> Matrix:
        """Mass matrix: F_r* = -(M u̇ + h)."""
        rows = [[self._expr(node) for node in row] for row in self.derivation.M]
        return Matrix(rows) if rows else Matrix.zeros(self.system.graph, 0, 0)

    @cached_property
    def f(self) -> Matrix:
        """f = Fr - h, so that M u̇ = f."""
        return self._column(self.derivation.f)

    @cached_property
    def Fr(self) -> Matrix:
        """Generalized active forces, F_r = Σ v_r · R + Σ ω_r · T.  [Gillespie Eq. 32]"""
        d = self.derivation
        wrenches = load_wrenches(d.motion, d.settle)
        for load in self.added:
            add_load(wrenches, load.forces, load.torques)
        return self._tidied(generalized_forces(wrenches, d.settle))

    @cached_property
    def h(self) -> Matrix:
        """What remains of the inertia forces with u̇ = 0: F_r* = -(M u̇ + h)."""
        d = self.derivation
        return self._tidied(generalized_forces(inertia_wrenches(d.motion, d.settle), d.settle))

    @cached_property
    def Fr_star(self) -> Matrix:
        """Generalized inertia forces F_r* = -(M u̇ + h).  [Gillespie Eq. 33]"""
        return -1.0 * (self.M @ Matrix.column(list(self.system.u_rates)) + self.h)

    @cached_property
    def _kinematical(self) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        return matrices(self.system, self.derivation.kinematics)

    @property
    def Y(self) -> Matrix:
        """u = Y q̇ + Z, as the speeds were defined.  [Gillespie Eq. 1]"""
        return self._kinematical[0]

    @property
    def Z(self) -> Matrix:
        """u = Y q̇ + Z, as the speeds were defined.  [Gillespie Eq. 1]"""
        return self._kinematical[1]

    @property
    def W(self) -> Matrix:
        """q̇ = W u + X.  [Gillespie Eq. 2]"""
        return self._kinematical[2]

    @property
    def X(self) -> Matrix:
        """q̇ = W u + X.  [Gillespie Eq. 2]"""
        return self._kinematical[3]

    @cached_property
    def qdot_expressions(self) -> Matrix:
        """q̇ in terms of u: the kinematical differential equations."""
        return self._column(list(self.derivation.kinematics.q_rates))

    @cached_property
    def udot_expressions(self) -> Matrix:
        """u̇ in terms of t, q, u, r, p: the dynamical differential equations, solved.

        By sweeps over the tree or from M u̇ = f, whichever takes less time. Beyond a few speeds M and f are not there
        yet, and stay away where the sweeps take less time than they could.
        """
        found = self._carrier_by_carrier()
        if found is None:
            return self._solved()
        swept = self._column(found.udot)
        if len(self.u) > FEW_SPEEDS and self._surely_faster(found):
            return swept
        if found.operations < self._operations_to_solve() / MUCH_SHORTER:
            return swept
        solved = self._solved()
        reached = reachable(self.system.graph, [e.node for e in solved])
        solving = _time(count_nodes(self.system.graph, reached).total, chain_of_nodes(self.system.graph, reached))
        return solved if solving <= _time(found.operations, found.chain) else swept

    def _surely_faster(self, found: Swept) -> bool:
        """Whether sweeps are faster than M u̇ = f, judged without M and f."""
        rows = coupled_turns(self.derivation.motion)
        fewest = fewest_by_solving(rows, found.operations_of_loads)
        if found.operations < fewest / MUCH_SHORTER:
            return True
        return _time(found.operations, found.chain) < _time(fewest, fewest_in_a_row(rows))

    def _solved(self) -> Matrix:
        """u̇ from M u̇ = f by elimination."""
        d = self.derivation
        try:
            solved = solve_ltdl(self.system.graph, d.M, d.f)
        except Massless as massless:
            raise self.not_determined(massless) from None
        return self._tidied(solved) if self.M.is_diagonal else self._column(solved)

    def _operations_to_solve(self) -> int:
        """Operations of M, f and the elimination, which is not done."""
        d = self.derivation
        lower = [{s for s in range(r) if row[s] != ZERO} for r, row in enumerate(d.M)]
        g = self.system.graph
        reached = reachable(g, [node for row in (*d.M, d.f) for node in row])
        return count_nodes(g, reached).total + ltdl_operations(lower)

    def not_determined(self, massless: Massless) -> EvaluationError:
        """The error that names a speed without mass."""
        name = self.u[massless.k].name
        return EvaluationError(
            f"speed '{name}' of '{self.name}' moves no mass, so dt({name}) is not determined. Give mass or inertia "
            "to a body that it moves, or remove the coordinate."
        )

    def _carrier_by_carrier(self) -> Swept | None:
        """u̇ by sweeps over the tree, where there is a tree with a few speeds at least."""
        if len(self.u) < FEWEST_FOR_SWEEPS:
            return None
        try:
            return swept_udot(self.derivation.motion, self.added)
        except NotATree:
            return None

    @cached_property
    def operations(self) -> Operations:
        """Operations of u̇ after sharing."""
        return count_shared(list(self.udot_expressions))

    @cached_property
    def operations_literal(self) -> Operations:
        """Operations of u̇ as printed, nothing shared: how the papers count."""
        return count_literal(list(self.udot_expressions))

    # --- velocities ---------------------------------------------------------------------------------------------

    def velocity(self, point: Point) -> Vector:
        """Velocity of a point in N in terms of speeds."""
        return self.derivation.motion.velocities(mixed)[point]

    def angular_velocity(self, frame: Frame) -> Vector:
        """Angular velocity of a frame in N in terms of speeds."""
        return Vector(self.system.tree, {frame: self.derivation.motion.w[frame]})

    def acceleration(self, point: Point) -> Vector:
        """Acceleration of a point in N, in terms of u̇: a = Σ v_r u̇_r + a_t."""
        return self.derivation.motion.accelerating().accelerations_t(mixed)[point]

    def angular_acceleration(self, frame: Frame) -> Vector:
        """Angular acceleration of a frame in N, in terms of u̇."""
        return Vector(self.system.tree, {frame: self.derivation.motion.accelerating().alpha_t[frame]})

    def jacobian(self, what: Point | Frame) -> Matrix:
        """∂v/∂u of a point or ∂ω/∂u of a frame, measures in N: three rows, a column for each speed."""
        return robotics.jacobian(self.derivation.motion, what)

    def center_of_mass(self) -> Vector:
        """Σ m p / Σ m, from the origin."""
        return robotics.center_of_mass(self.derivation.motion)

    def partial_velocities(self) -> Table:
        """The table of the books: v_r and ω_r of every point and frame that matters."""
        return tables.partial_velocities(self)

    # --- forces -------------------------------------------------------------------------------------------------

    @cached_property
    def inverse_expressions(self) -> Matrix:
        """M u̇ + h - F_r: the generalized forces that a motion needs besides the loads, in terms of u̇."""
        return self._tidied(robotics.inverse_dynamics(self))

    @cached_property
    def gravity_forces(self) -> Matrix:
        """F_r of gravity alone."""
        return self._tidied(robotics.gravity_forces(self.derivation.motion))

    def joint_forces(self, name: str) -> JointForce:
        """Force and torque that a joint, named by itself or by a body it carries, exerts on what lies beyond it.

        Both are in terms of u̇; ``evaluate`` puts in the motion that the loads cause.
        """
        return joint_force(self, self._resultants, name)

    def reaction_of(self, what: Body | Link | Point, direction: Vector) -> Expr:
        """The force along a direction with which its coordinates, or its joint, hold a body; in terms of u̇.

        An auxiliary speed of the body along the direction brings it into evidence.  [Patoglu §5.4]
        """
        from latchwork.constraint.reacting.auxiliary import reaction_along

        return reaction_along(self, self._resultants, what, direction)

    def reaction_torque_of(self, what: Body | Link | Point, direction: Vector, about: Point | None = None) -> Expr:
        """The torque about a direction with which its coordinates, or its joint, hold a body; in terms of u̇."""
        from latchwork.constraint.reacting.auxiliary import reaction_about

        return reaction_about(self, self._resultants, what, direction, about)

    @cached_property
    def _resultants(self) -> Resultants:
        return Resultants(self)

    # --- derivatives --------------------------------------------------------------------------------------------

    def inverse_jacobian(self, symbols: Sequence[Expr]) -> Matrix:
        """∂τ/∂symbols of τ = M u̇ + h - F_r, in terms of u̇; symbols are any of t, q, u, u̇, r, p."""
        return self._tidied_rows(derivatives.inverse_rows(self, partials(symbols)), len(symbols))

    def forward_jacobian(self, symbols: Sequence[Expr]) -> Matrix:
        """∂u̇/∂symbols = -M⁻¹ ∂τ/∂symbols; symbols are any of t, q, u, r, p."""
        return self._tidied_rows(derivatives.forward_rows(self, partials(symbols)), len(symbols))

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

    # --- numbers ------------------------------------------------------------------------------------------------

    @cached_property
    def arguments(self) -> tuple[Expr, ...]:
        """The inputs of every program: (t, q, u, r, p)."""
        s = self.system
        return (s.t, *s.q, *s.u, *s.r, *s.p)

    def program(self, expressions: Any) -> Program:
        """Straight-line code of expressions (q̇ and u̇ in them are replaced) as functions of (t, q, u, r, p)."""
        return lower(self.system.graph, self._closed([self._node(e) for e in _flat(expressions)]), self.arguments)

    @cached_property
    def udot_program(self) -> Program:
        """u̇ as straight-line code of (t, q, u, r, p)."""
        return lower(self.system.graph, [e.node for e in self.udot_expressions], self.arguments)

    @cached_property
    def _udot(self) -> Function:
        return Function(self.udot_program)

    def udot(self, q: Any = None, u: Any = None, r: Any = None, t: float = 0.0, p: Any = None) -> NDArray[np.float64]:
        """u̇ as numbers. States are sequences in the order of ``q_names``, ``u_names``, or mappings by name."""
        x = argument_vector(self.system, t, q, u, r, p)
        value = self._udot(x)
        if not np.isfinite(value).all():
            self._explain(x, value)
        return value

    def qdot(self, q: Any = None, u: Any = None, t: float = 0.0, p: Any = None) -> NDArray[np.float64]:
        """q̇ as numbers."""
        return np.asarray(self.evaluate(self.qdot_expressions, q, u, t=t, p=p)).ravel()

    @cached_property
    def inverse_program(self) -> Program:
        """Inverse dynamics as straight-line code of (t, q, u, r, p, u̇)."""
        arguments = (*self.arguments, *self.system.u_rates)
        return lower(self.system.graph, [e.node for e in self.inverse_expressions], arguments)

    @cached_property
    def _inverse(self) -> Function:
        return Function(self.inverse_program)

    def inverse(self, q: Any = None, u: Any = None, udot: Any = None, r: Any = None, t: float = 0.0,
                p: Any = None) -> NDArray[np.float64]:  # fmt: skip
        """Inverse dynamics as numbers: the generalized forces, besides the loads, that give this u̇."""
        x = argument_vector(self.system, t, q, u, r, p)
        rates = read(udot, self.u, "accelerations udot", self.name)
        value = self._inverse(np.concatenate([x, rates]))
        if not np.isfinite(value).all():
            raise EvaluationError(f"forces of '{self.name}' are not finite ({value}) at {self._state_text(x)}.")
        return value

    @cached_property
    def inverse_blocks(self) -> Blocks:
        """∂τ/∂q, ∂τ/∂u and M as one program of (t, q, u, r, p, u̇)."""
        return derivatives.inverse_blocks(self, partials(self.q))

    @cached_property
    def inverse_tangent_blocks(self) -> Blocks:
        """As ``inverse_blocks``, q moving along δq = W δu."""
        return derivatives.inverse_blocks(self, tangent(self))

    @cached_property
    def forward_blocks(self) -> Blocks:
        """∂u̇/∂q, ∂u̇/∂u and ∂u̇/∂r as one program of (t, q, u, r, p)."""
        return derivatives.forward_blocks(self, partials(self.q))

    @cached_property
    def forward_tangent_blocks(self) -> Blocks:
        """As ``forward_blocks``, q moving along δq = W δu."""
        return derivatives.forward_blocks(self, tangent(self))

    def inverse_derivatives(self, q: Any = None, u: Any = None, udot: Any = None, r: Any = None, t: float = 0.0,
                            p: Any = None) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
        """∂τ/∂q, ∂τ/∂u and ∂τ/∂u̇ = M of inverse dynamics, as numbers; every coordinate moves by itself."""
        return self._blocks(self.inverse_blocks, t, q, u, r, p, udot)

    def inverse_tangents(self, q: Any = None, u: Any = None, udot: Any = None, r: Any = None, t: float = 0.0,
                         p: Any = None) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
        """∂τ/∂q W, ∂τ/∂u and M of inverse dynamics, as numbers: coordinates move along δq = W δu."""
        return self._blocks(self.inverse_tangent_blocks, t, q, u, r, p, udot)

    def forward_derivatives(self, q: Any = None, u: Any = None, r: Any = None, t: float = 0.0,
                            p: Any = None) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
        """∂u̇/∂q, ∂u̇/∂u and ∂u̇/∂r of forward dynamics, as numbers; every coordinate moves by itself."""
        return self._blocks(self.forward_blocks, t, q, u, r, p)

    def forward_tangents(self, q: Any = None, u: Any = None, r: Any = None, t: float = 0.0,
                         p: Any = None) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
        """∂u̇/∂q W, ∂u̇/∂u and ∂u̇/∂r of forward dynamics, as numbers: coordinates move along δq = W δu."""
        return self._blocks(self.forward_tangent_blocks, t, q, u, r, p)

    def _blocks(self, blocks: Blocks, t: float, q: Any, u: Any, r: Any, p: Any,
                *udot: Any) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
        x = argument_vector(self.system, t, q, u, r, p)
        rates = [read(each, self.u, "accelerations udot", self.name) for each in udot]
        value = blocks(np.concatenate([x, *rates]))
        if not all(np.isfinite(block).all() for block in value):
            raise EvaluationError(f"derivatives of '{self.name}' are not finite at {self._state_text(x)}.")
        return value

    def reactions(self, q: Any = None, u: Any = None, r: Any = None, t: float = 0.0, p: Any = None,
                  at: Point | None = None) -> Reactions:  # fmt: skip
        """Forces and torques of every joint by name, in the motion that the loads cause; torques about ``at``."""
        x, none = argument_vector(self.system, t, q, u, r, p), np.zeros((0, len(self.u)))
        return self.reaction_plan(at).at_state(x, self.udot(q, u, r, t, p), none[:, 0], none, none[:, :0])

    def reaction_plan(self, at: Point | None = None) -> Plan:
        """Reactions as one program of (t, q, u, r, p, u̇), for one state or for many rows."""
        from latchwork.constraint.reacting.reaction_plan import plan_of

        if at not in self._plans:
            self._plans[at] = plan_of(self, None, at)
        return self._plans[at]

    @cached_property
    def _plans(self) -> dict[Point | None, Plan]:
        return {}

    def evaluate(self, what: Any, q: Any = None, u: Any = None, r: Any = None, t: float = 0.0, p: Any = None) -> Any:
        """Numbers for an expression, a matrix, a list of expressions, or a vector (measures in N)."""
        x = argument_vector(self.system, t, q, u, r, p)
        value = Function(self.program(what))(x)
        if not np.isfinite(value).all():
            raise EvaluationError(f"{what} of '{self.name}' is not finite ({value}) at {self._state_text(x)}.")
        if isinstance(what, Matrix):
            return value.reshape(what.shape)
        return float(value[0]) if isinstance(what, Expr) else value

    def _explain(self, x: NDArray[np.float64], value: NDArray[np.float64]) -> None:
        """Why u̇ is not finite: the kinematics, the mass matrix, or a load."""
        raise EvaluationError(tables.why_not_finite(self, x, value))

    def _state_text(self, x: NDArray[np.float64]) -> str:
        names = [symbol.name for symbol in self.arguments[: 1 + len(self.q) + len(self.u)]]
        return ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, x, strict=False))

    # --- further equations --------------------------------------------------------------------------------------

    def with_loads(self, *loads: Load) -> Equations:
        """The equations with loads added afterwards: F_r + v_r · R; nothing is derived again.  [Buffinton §6.3.9]"""
        d = self.derivation
        wrenches = Wrenches(d.motion)
        for load in loads:
            add_load(wrenches, load.forces, load.torques)
        g = self.system.graph
        extra = generalized_forces(wrenches, d.settle)
        derivation = replace(d, system=_with_new_symbols(self.system, extra), write_M=lambda: d.M,
                             write_f=lambda: [g.add(a, b) for a, b in zip(d.f, extra, strict=True)])  # fmt: skip
        return Equations(derivation, (*self.added, *loads))

    def in_speeds(self, **definitions: Expr) -> Equations:
        """The same equations in other speeds w = J u + b, each given as an expression in u (or q̇).

        u = T w + S gives Tᵀ M T ẇ = Tᵀ (f - M (Ṫ w + Ṡ)): joint space to operational space, and back.
        """
        from latchwork.kane.transform import in_speeds

        return in_speeds(self, definitions)

    def embed(self, *constraints: Any, independent: Sequence[Any] | None = None, at: Any = None, t: float = 0.0,
              p: Any = None) -> Constrained:  # fmt: skip
        """The equations with constraints embedded: F̃_r = F_r + Σ D_sr F_s.  [Gillespie Eq. 24]

        Dependent speeds are chosen so that they are well determined at the coordinates ``at`` (default: at random
        ones that can be assembled); ``independent`` names the speeds to keep instead.
        """
        from latchwork.constraint.constrained import embed

        return embed(self, constraints, independent, at, t, p)

    def linearize(self, q: Any = None, u: Any = None, r: Any = None, t: float = 0.0, p: Any = None, *,
                  keep: Sequence[Any] = (), outputs: Mapping[str, Any] | None = None) -> Linear:  # fmt: skip
        """δẋ = A δx + B δr, δy = C δx + D δr about a state: as ``Constrained.linearize``, without constraints."""
        return self._without_constraints.linearize(q, u, r, t, p, keep=keep, outputs=outputs)

    def equilibrium(self, q: Any = None, r: Any = None, t: float = 0.0, p: Any = None, *, hold: Sequence[Any] = (),
                    find: Sequence[Any] = ()) -> Steady:  # fmt: skip
        """A position near q in which everything can stay at rest: as ``Constrained.equilibrium``."""
        return self._without_constraints.equilibrium(q, r, t, p, hold=hold, find=find)

    def steady(self, q: Any = None, u: Any = None, r: Any = None, t: float = 0.0, p: Any = None, *,
               hold: Sequence[Any] = (), find: Sequence[Any] = (),
               vanish: Sequence[Any] | None = None) -> Steady:  # fmt: skip
        """A motion near a given one in which chosen u̇ vanish: as ``Constrained.steady``."""
        return self._without_constraints.steady(q, u, r, t, p, hold=hold, find=find, vanish=vanish)

    def for_small(self, *small: Any) -> SmallMotion:
        """The equations to first order in some coordinates and speeds, made linear early.  [Buffinton §6.5.1]

        Partial velocities are taken from the whole velocities and then made linear; products of small quantities are
        never formed. What is not named stays as it is: a spin, a prescribed motion.
        """
        from latchwork.kane.early import for_small

        return for_small(self, small)

    @cached_property
    def _without_constraints(self) -> Constrained:
        return self.embed()

    def shortened(self) -> Equations:
        """The same equations, rewritten to take fewer operations; small systems are short already."""
        return Equations(shortened(self.derivation), self.added)

    # --- to read ------------------------------------------------------------------------------------------------

    def report(self) -> str:
        """Information report: bodies, tree, q/u map, speeds, equations, counts."""
        from latchwork.kane.report import report

        return report(self)

    def __repr__(self) -> str:
        sizes = f"{len(self.u)} speeds, {len(self.q)} coordinates"
        return f"<Kane's equations of '{self.name}': {sizes}; {self.operations}>"

    def __str__(self) -> str:
        from latchwork.kane.report import literal

        return literal(self)

    def latex(self) -> str:
        from latchwork.kane.report import literal_latex

        return literal_latex(self)

    def html(self) -> str:
        """A page that needs no network: equations as MathML, tables, counts."""
        from latchwork.kane.report import html

        return html(self)

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    # --- helpers ------------------------------------------------------------------------------------------------

    def _expr(self, node: int) -> Expr:
        return Expr(self.system.graph, node)

    def _column(self, nodes: list[int]) -> Matrix:
        entries = [self._expr(node) for node in nodes]
        return Matrix.column(entries) if entries else Matrix.zeros(self.system.graph, 0, 1)

    def _tidied(self, nodes: list[int]) -> Matrix:
        entries = [self._expr(node) for node in nodes]
        short = count_shared(entries).total <= SHORT
        return self._column([e.node for e in (tidy(entries) if short else entries)])

    def _tidied_rows(self, rows: list[list[int]], width: int) -> Matrix:
        entries = list(self._tidied([node for row in rows for node in row]))
        cut = [entries[width * i : width * (i + 1)] for i in range(len(rows))]
        return Matrix(cut) if entries else Matrix.zeros(self.system.graph, len(rows), width)

    def _node(self, value: Any) -> int:
        from latchwork.symbolic.expr import operand

        return operand(self.system.graph, value)

    def _closed(self, nodes: list[int]) -> list[int]:
        """q̇ and u̇ replaced by what they are."""
        g = self.system.graph
        wanted = {symbol.node for symbol in self.system.u_rates}
        replaced = dict(self.derivation.kinematics.replaced)
        from latchwork.symbolic.traverse import reachable

        if wanted & set(reachable(g, nodes)):
            replaced |= {rate.node: e.node for rate, e in zip(self.system.u_rates, self.udot_expressions, strict=True)}
        return rebuild(g, nodes, replaced)


def equations(system: System) -> Equations:
    """Kane's equations of a system."""
    return Equations(derive(system))


def _time(operations: int, chain: int) -> float:
    """How long a program takes, in operations: bound by their number, or by those that wait for each other."""
    return math.hypot(operations, WAITING * chain)


def _flat(what: Any) -> list[Any]:
    if isinstance(what, Vector):
        return list(what.measures(what.tree.newtonian))
    if isinstance(what, Point):
        return _flat(what.position())
    if isinstance(what, Expr) or not hasattr(what, "__iter__"):
        return [what]
    return [entry for item in what for entry in _flat(item)]


def _with_new_symbols(system: System, nodes: list[int]) -> System:
    """The system with inputs and parameters that only later loads mention."""
    known = set(system.r) | set(system.p)
    g = system.graph
    fresh = [Expr(g, i) for i in reachable(g, nodes) if i in g.symbols and g.symbols[i].kind in ("input", "parameter")]
    fresh = [symbol for symbol in fresh if symbol not in known]
    if not fresh:
        return system
    values = {**system.values, **{s: v for s in fresh if (v := g.symbols[s.node].value) is not None}}
    r = system.r + tuple(s for s in fresh if s.kind == "input")
    p = system.p + tuple(s for s in fresh if s.kind == "parameter")
    return replace(system, r=r, p=p, values=values)

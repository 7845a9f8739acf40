"""The handle: where a point of a body is and how it moves, and how much mass is felt there.

P lies on a body at the arm a from its mass centre C, in the body's frame: p = p_C + R a, v = v_C + ω × R a. What
depends on the state alone is one program; the arm comes in afterwards, so that a body can be taken anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.algebra.linear import SingularMatrix, cholesky, singular_values, solve_lower, svd
from latchwork.algebra.products import dot
from latchwork.errors import EvaluationError, did_you_mean
from latchwork.kane.equations import Equations
from latchwork.mechanics.body import Body
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.realtime.devices.device import Nine, Triple
from latchwork.realtime.response import Response
from latchwork.realtime.triples import add, cross, rotated
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.traverse import rebuild

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
IMMOVABLE = 1e-12  # of the largest mobility: what is smaller is rounding


class Pose(NamedTuple):
    """Where a handle is and how it moves, all measures in N."""

    place: Triple
    velocity: Triple
    rotation: Nine  # from the body's frame to N, row after row
    omega: Triple
    lever: Triple  # from the mass centre to the handle

    def about_center(self, force: Triple, torque: Triple) -> tuple[Triple, Triple]:
        """A force at the handle and a torque, moved to the mass centre: (F, T + (P − C) × F)."""
        return force, add(torque, cross(self.lever, force))


class Masses(NamedTuple):
    """What is felt at a handle: the least mass in any direction, the least moment of inertia about any axis."""

    mass: float
    inertia: float


class Handle:
    """A body that can be taken, with programs for its motion as functions of (t, q, u, p) of the equations."""

    def __init__(self, equations: Equations, body: Body | str) -> None:
        self.equations = equations
        self.body = body if isinstance(body, Body) else body_named(equations, body)
        system = equations.system
        self._arguments = (system.t, *system.q, *system.u, *system.p)
        self._states = len(system.q) + len(system.u)
        self._p = np.array([float(system.values[symbol]) for symbol in system.p])
        self._row, self._motion = self._function(self._motion_expressions()).in_place()  # (t, q, u, p)
        self._mobility: Function | None = None
        self._accelerations: Function | None = None

    def at(self, t: float, x: ArrayLike, arm: Triple, p: ArrayLike | None = None) -> Pose:
        """Where the point at an arm is, and how it moves: p_C + R a, v_C + ω × R a. ``x`` is (q, u)."""
        row = self._row
        row[0] = t
        row[1 : 1 + self._states] = x
        if len(self._p):
            row[1 + self._states :] = self._p if p is None else p
        c = self._motion().tolist()
        rotation: Nine = tuple(c[3:12])
        omega = (c[15], c[16], c[17])
        lever = rotated(rotation, arm)
        velocity = add((c[12], c[13], c[14]), cross(omega, lever))
        return Pose((c[0] + lever[0], c[1] + lever[1], c[2] + lever[2]), velocity, rotation, omega, lever)

    def masses(self, t: float, x: ArrayLike, arm: Triple, p: ArrayLike | None = None,
               rows: NDArray[np.float64] | None = None) -> Masses:  # fmt: skip
        """Effective mass 1/λ_max(J M⁻¹ Jᵀ) of the point, and effective inertia, likewise with J of ω.

        With ``rows`` B (of B u + C = 0, one for each speed that is taken away) only motions that they allow count; rows
        only add to both. A body that cannot move at all has infinite mass.
        """
        M, J = self._mass_and_jacobian(t, x, self.at(t, x, arm, p).lever, p)
        T = free_directions(rows, len(M))
        return Masses(*(_least(dot(part, T), dot(T.T, M, T)) for part in (J[:3], J[3:])))

    def _mass_and_jacobian(self, t: float, x: ArrayLike, lever: Triple,
                           p: ArrayLike | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:  # fmt: skip
        """M, and ∂(v_P, ω)/∂u with v_P = v_C + ω × l: six rows."""
        if self._mobility is None:
            self._mobility = self._function(self._mobility_expressions())
        n = len(self.equations.u)
        values = self._mobility(np.concatenate([[t], x, self._p if p is None else p]))
        J = values[n * n :].reshape(6, n)
        a, b, c = lever
        J[:3] += dot(np.array([[0.0, c, -b], [-c, 0.0, a], [b, -a, 0.0]]), J[3:])
        return values[: n * n].reshape(n, n), J

    def acceleration(self, t: float, x: ArrayLike, udot: ArrayLike, arm: Triple,
                     p: ArrayLike | None = None) -> tuple[Triple, Triple]:  # fmt: skip
        """Acceleration of the point and angular acceleration, for any u̇: a_P = a_C + α × l + ω × (ω × l)."""
        if self._accelerations is None:
            self._accelerations = self._function(self._acceleration_expressions(), self.equations.system.u_rates)
        pose = self.at(t, x, arm, p)
        c = self._accelerations(np.concatenate([self._row, udot])).tolist()
        alpha = (c[3], c[4], c[5])
        inward = cross(pose.omega, cross(pose.omega, pose.lever))
        return add(add((c[0], c[1], c[2]), cross(alpha, pose.lever)), inward), alpha

    def answer(self, udots: NDArray[np.float64], t: float, x: ArrayLike, arm: Triple,
               p: ArrayLike | None = None) -> Response:  # fmt: skip
        """How the point answers to a wrench: ``udots`` has u̇ under each of `WRENCHES` there, a row for each.

        Accelerations are linear in u̇, so that differences of u̇ need the Jacobian alone.
        """
        a, alpha = self.acceleration(t, x, udots[0], arm, p)
        _, J = self._mass_and_jacobian(t, x, self.at(t, x, arm, p).lever, p)
        return Response(np.array([*a, *alpha]), dot(J, (udots[1:] - udots[0]).T))

    def _motion_expressions(self) -> list[Expr | float]:
        """Place of the mass centre, rotation, its velocity, angular velocity."""
        e, N = self.equations, self.equations.system.tree.newtonian
        center, frame = self.body.center, self.body.frame
        place, velocity = center.position().measures(N), e.velocity(center).measures(N)
        if frame is None:
            return [*place, *(entry for row in IDENTITY for entry in row), *velocity, 0.0, 0.0, 0.0]
        cosines = [entry for row in N.direction_cosines(frame) for entry in row]
        return [*place, *cosines, *velocity, *e.angular_velocity(frame).measures(N)]

    def _mobility_expressions(self) -> list[Expr | float]:
        """M, ∂v/∂u of the mass centre, ∂ω/∂u, row after row."""
        e, frame = self.equations, self.body.frame
        turning = [0.0] * (3 * len(e.u)) if frame is None else list(e.jacobian(frame))
        return [*e.M, *e.jacobian(self.body.center), *turning]

    def _acceleration_expressions(self) -> list[Expr | float]:
        """a of the mass centre and α, in terms of u̇."""
        e, N, frame = self.equations, self.equations.system.tree.newtonian, self.body.frame
        turning = [0.0] * 3 if frame is None else e.angular_acceleration(frame).measures(N)
        return [*e.acceleration(self.body.center).measures(N), *turning]

    def _function(self, expressions: list[Expr | float], more: Sequence[Expr] = ()) -> Function:
        """A program of (t, q, u, p), and of u̇ where it is asked for; q̇ is replaced."""
        e = self.equations
        g, nodes = e.system.graph, [operand(e.system.graph, expression) for expression in expressions]
        return Function(lower(g, rebuild(g, nodes, dict(e.derivation.kinematics.replaced)), (*self._arguments, *more)))


def body_named(equations: Equations, name: str) -> Body:
    """The body of that name."""
    bodies = {body.name: body for body in equations.system.bodies}
    if name not in bodies:
        raise EvaluationError(f"'{name}' is not a body of '{equations.name}'.{did_you_mean(name, bodies)}")
    return bodies[name]


def free_directions(rows: NDArray[np.float64] | None, n: int) -> NDArray[np.float64]:
    """Columns that span the speeds with B u = 0."""
    if rows is None or not len(rows):
        return np.eye(n)
    _, sizes, right = svd(np.asarray(rows, dtype=float))
    rank = int(np.sum(sizes > IMMOVABLE * max(sizes[0], 1e-300)))
    return right[rank:].T


def _least(J: NDArray[np.float64], M: NDArray[np.float64]) -> float:
    """1/λ_max(J M⁻¹ Jᵀ): the smallest mass that any direction has; infinite where nothing moves."""
    if not J.any():
        return math.inf
    try:
        root = cholesky(M)
    except SingularMatrix:
        return 0.0  # something without mass moves: no force is small
    largest = float(singular_values(solve_lower(root, J.T))[0])
    return 1.0 / (largest * largest) if largest * largest > 0.0 else math.inf

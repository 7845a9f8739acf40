"""The regressor of a mechanism: the forces that a motion needs, linear in the inertial parameters of its bodies.

    τ = M u̇ + h − F_g  =  Y(q, u, u̇) π            [Atkeson, An & Hollerbach, Int. J. Robotics Research 5 (1986) 101]

Of a body B with a reference point O fixed in it, π has the mass m, the first moments m c and the inertia I_O, with
measures in B. With a the acceleration of O less that of gravity, and ω and α those of B, it needs

    force at O    m a + α × mc + ω × (ω × mc)
    torque on B   I_O α + ω × I_O ω + mc × a

each column of Y is what one parameter does to the generalized forces, v_r(O) · force + ω_r · torque.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from latchwork.kane.forces import weighted_accelerations
from latchwork.kane.formed import Formed
from latchwork.kane.motion import Motion
from latchwork.kane.robotics import settle_for
from latchwork.kane.wrenches import Wrenches, generalized_forces
from latchwork.mechanics.algebra import Square, Triple, add3, cross3, matvec
from latchwork.mechanics.body import Body
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import reachable

KINDS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of Ixx, Ixy, ...


class Inertial(NamedTuple):
    """A parameter of a body: which of `KINDS`, and its value in the terms of the model."""

    body: Body
    kind: str
    value: Expr

    @property
    def name(self) -> str:
        return f"{self.kind}_{self.body.name}"


@dataclass(frozen=True)
class Regressor:
    """Columns of Y as nodes, one for each parameter, each of one node for each speed."""

    equations: Formed
    parameters: tuple[Inertial, ...]
    columns: tuple[tuple[int, ...], ...]


def reference_point(body: Body) -> Point:
    """Where the parameters of a body are measured from: what its mass centre is located from, if that is fixed in it;
    as the origin of a link. Else the mass centre."""
    parent = body.center.parent
    if body.frame is None or parent is None:
        return body.center
    if not is_still(body.center.tree.graph, body.center.position(parent).components(body.frame)):
        return body.center
    return parent


def is_still(g: Graph, nodes: Iterable[int]) -> bool:
    """Whether nodes depend on parameters alone."""
    found = reachable(g, list(nodes))
    return all(g.symbols[node].kind == "parameter" for node in found if node in g.symbols)


def regressor(equations: Formed) -> Regressor:
    """Y of all bodies, in symbols."""
    motion = equations.derivation.motion.accelerating()
    settle = settle_for(motion)
    a = weighted_accelerations(motion, settle)
    parameters, columns = list[Inertial](), list[tuple[int, ...]]()
    for body in motion.system.bodies:
        O = reference_point(body)
        for kind, value, wrench in _of_body(motion, body, O, a[O]):
            parameters.append(Inertial(body, kind, value))
            columns.append(tuple(generalized_forces(wrench, settle)))
    return Regressor(equations, tuple(parameters), tuple(columns))


def _of_body(motion: Motion, body: Body, O: Point, a: Vector) -> list[tuple[str, Expr, Wrenches]]:
    """Each parameter of a body with its value, and the wrench that one of it needs."""
    found = [("m", body.mass, _wrench(motion, O, a))]
    B = body.frame
    if B is None:
        return found
    values, g = inertial_values(body, O), motion.g
    w, alpha, a_B = motion.w[B], motion.alpha_t[B], a.components(B)
    for k in range(3):
        e = unit(k)
        force = add3(g, cross3(g, alpha, e), cross3(g, w, cross3(g, w, e)))
        turned = _wrench(motion, O, Vector(a.tree, {B: force}))
        turned.twist(B, cross3(g, e, a_B))
        found.append((KINDS[1 + k], values[1 + k], turned))
    for k, entry in enumerate(ENTRIES):
        E = unit_square(*entry)
        turned = Wrenches(motion)
        turned.twist(B, add3(g, matvec(g, E, alpha), cross3(g, w, matvec(g, E, w))))
        found.append((KINDS[4 + k], values[4 + k], turned))
    return found


def _wrench(motion: Motion, point: Point, force: Vector) -> Wrenches:
    made = Wrenches(motion)
    made.push(point, force)
    return made


def inertial_values(body: Body, O: Point) -> list[Expr]:
    """m, m c and I_O of a body in the terms of its model, with measures in its frame."""
    B, g = body.frame, body.center.tree.graph
    assert B is not None, "a particle has a mass only"
    first = (body.center.position(O) * body.mass).components(B)
    inertia = body.inertia_about(O).components(B)
    nodes = [body.mass.node, *first, *(inertia[i][j] for i, j in ENTRIES)]
    return [Expr(g, node) for node in nodes]


def unit(k: int) -> Triple:
    """e_k."""
    e = [ZERO, ZERO, ZERO]
    e[k] = ONE
    return e[0], e[1], e[2]


def unit_square(i: int, j: int) -> Square:
    """The symmetric matrix with ones at (i, j) and (j, i)."""
    rows = [[ONE if (r, c) in ((i, j), (j, i)) else ZERO for c in range(3)] for r in range(3)]
    return tuple(tuple(row) for row in rows)  # type: ignore[return-value]


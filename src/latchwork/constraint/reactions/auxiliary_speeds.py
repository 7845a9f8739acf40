"""Forces that the coordinates themselves exert, brought into evidence by an auxiliary speed.  [Patoglu §5.4]

A body that cannot leave a ramp, because no coordinate lets it, is given a speed u_a along (or about) n that it does not
have. Its partial velocity is n for everything that goes along, and zero for all else; with u_a = 0 again,

    F_a + F_a* + R = 0      gives      R = −n · Σ (R_i − m_i a_i)          (along n)
                                       R = −n · Σ (T_i + p_i × R_i − ...)  (about n, through a point)

The sums are those that `Resultants` hands down the tree of points, so nothing is derived again, and nothing is placed
by hand. R is in terms of t, q, u, u̇, r, p; what goes along is the body and everything located from it.
"""

from __future__ import annotations

from latchwork.errors import ModelError, must_be
from latchwork.kane.equations import Equations
from latchwork.kane.joint_forces import JointForce, Resultants, of_body, of_link
from latchwork.mechanics.body import Body
from latchwork.mechanics.joints import Link, unit
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.tidy import SHORT, tidy
from latchwork.symbolic.traverse import count_shared


def holding(equations: Equations, resultants: Resultants, what: Body | Link | Point) -> JointForce:
    """Force and torque that hold a body and what it carries: those of its joint, or of its coordinates."""
    place = what.center if isinstance(what, Body) else what.origin if isinstance(what, Link) else what
    if isinstance(place, Point) and place.tree is not equations.system.tree:
        raise ModelError(f"{what!r} is of another model than '{equations.name}'. Give a body, joint or point of it.")
    owner = resultants.cuts.carrier(what) if isinstance(what, Point) else what
    if isinstance(owner, Link):
        return of_link(resultants, owner)
    if isinstance(owner, Body):
        return of_body(resultants, owner)
    raise ModelError(
        f"nothing holds {what!r} of '{equations.name}': it is fixed in the Newtonian frame, or no body. Ask for a "
        "body, a joint, or a point that moves with one."
    )


def reaction_along(equations: Equations, resultants: Resultants, what: Body | Link | Point, n: Vector) -> Expr:
    """The force on a body along n with which its coordinates hold it: −(F_a + F_a*) of the auxiliary speed along n."""
    return _short(holding(equations, resultants, what).force.dot(_along(equations, n)))


def reaction_about(equations: Equations, resultants: Resultants, what: Body | Link | Point, n: Vector,
                   point: Point | None) -> Expr:  # fmt: skip
    """The torque on a body about n through a point (default: where it is held), of the auxiliary speed about n."""
    return _short(moved_to(holding(equations, resultants, what), point).torque.dot(_along(equations, n)))


def _along(equations: Equations, n: Vector) -> Vector:
    must_be(n, Vector, f"the direction of a reaction of '{equations.name}'", "Give a vector, such as N.y.")
    return unit(n)


def moved_to(held: JointForce, point: Point | None) -> JointForce:
    """The same force and torque about another point: T_P = T_Q + p_PQ × R."""
    if point is None or point is held.about:
        return held
    must_be(point, Point, "what a torque is taken about", "Give a point, such as model.origin, or leave it out.")
    return JointForce(held.force, held.torque + held.about.position(point).cross(held.force), point)


def _short(e: Expr) -> Expr:
    """Short expressions as they would be written by hand."""
    return tidy([e])[0] if count_shared([e]).total <= SHORT else e

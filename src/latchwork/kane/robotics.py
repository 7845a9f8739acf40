"""What robotics asks of the equations besides u̇: inverse dynamics, gravity and Jacobians, the centre of mass."""

from __future__ import annotations

from latchwork.errors import ModelError
from latchwork.kane.elastic_inertia import add_gravity
from latchwork.kane.forces import net_wrenches
from latchwork.kane.formed import Formed
from latchwork.kane.moments import base_links
from latchwork.kane.motion import FEW_SPEEDS, Local, Motion, Settle, mixed, newtonian
from latchwork.kane.newton_euler import link_forces
from latchwork.kane.wrenches import Wrenches, generalized_forces
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import cone, count_nodes


def inverse_dynamics(equations: Formed) -> list[int]:
    """The generalized forces that the motion needs besides the loads: M u̇ + h - F_r, by one sweep out and one in.

    Accelerations are worked out with u̇ as symbols, forces handed down the trees; M is not formed.
    """
    d, g = equations.derivation, equations.system.graph
    motion, links = d.motion.accelerating(), base_links(d.motion)
    forms = [] if links is None else [link_forces(motion, links, equations.added)]
    if links is None or len(motion.speeds) <= FEW_SPEEDS:
        settle = settle_for(motion)
        forms.append(generalized_forces(net_wrenches(motion, settle, equations.added), settle))
    return [g.neg(F) for F in min(forms, key=lambda form: count_nodes(g, cone(g, form)).total)]


def gravity_forces(motion: Motion) -> list[int]:
    """F_r of gravity alone."""
    settle, wrenches = settle_for(motion), Wrenches(motion)
    gravity = motion.system.gravity
    if gravity is not None:
        for body in motion.system.bodies:
            wrenches.push(body.center, settle(gravity * body.mass, body.center))
        add_gravity(wrenches)
    return generalized_forces(wrenches, settle)


def jacobian(motion: Motion, what: Point | Frame) -> Matrix:
    """∂v/∂u of a point, or ∂ω/∂u of a frame: three rows (measures in N), a column for each speed."""
    if not isinstance(what, Point | Frame) or what.tree is not motion.system.tree:
        raise ModelError(
            f"a Jacobian of '{motion.system.name}' is that of one of its points or frames; got {what!r}. "
            "Give the object itself: a point, body.center, link.origin or link.frame."
        )
    g, tree = motion.g, motion.system.tree
    columns = []
    for s in range(len(motion.speeds)):
        ws = motion.partial_w(s)
        if isinstance(what, Frame):
            partial = Vector(tree, {what: ws[what]}) if what in ws else Vector(tree, {})
        else:
            partial = motion.partial_v(s, newtonian, ws).get(what, Vector(tree, {}))
        columns.append(partial.measures(tree.newtonian))
    rows = [[column[i] for column in columns] for i in range(3)]
    return Matrix(rows) if columns else Matrix.zeros(g, 3, 0)


def center_of_mass(motion: Motion) -> Vector:
    """Σ m p / Σ m, from the origin."""
    bodies, elastic = motion.system.bodies, motion.system.elastic_bodies
    masses = [*(body.mass for body in bodies), *(body.mass for body in elastic)]
    mass = sum(masses, start=Expr(motion.g, ZERO))
    if mass == 0.0:
        raise ModelError(f"'{motion.system.name}' has no mass, so it has no centre of mass. Add a body with mass.")
    moment = sum((body.center.position() * body.mass for body in bodies), start=Vector(motion.system.tree, {}))
    for each in elastic:
        moment = moment + each.root.position() * each.mass + each.first_moment
    return moment / mass


def settle_for(motion: Motion) -> Settle:
    """As in the books where there are few speeds, where they ride where there are many."""
    return mixed if len(motion.speeds) <= FEW_SPEEDS // 2 else Local(motion.system)

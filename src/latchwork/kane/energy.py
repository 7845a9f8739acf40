"""Energies, momenta and powers of a system in motion."""

from __future__ import annotations

from collections.abc import Iterable

from latchwork.kane.elastic_inertia import kinetic_of_elastic, momentum_vectors
from latchwork.kane.forces import add_load, inertia_wrenches, load_wrenches, net_wrenches
from latchwork.kane.formed import Formed
from latchwork.kane.motion import FEW_SPEEDS, Motion, Settle, mixed, newtonian
from latchwork.kane.wrenches import Wrenches
from latchwork.mechanics.loads import Load
from latchwork.mechanics.point import Point, anchor
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import reachable, rebuild


def _place(motion: Motion) -> Settle:
    """Where velocities are written: as in the books where there are few speeds, in N where there are many."""
    return mixed if len(motion.speeds) <= FEW_SPEEDS else newtonian


def kinetic(motion: Motion) -> Expr:
    """K = Σ ½ m v² + ½ ω · I · ω."""
    v = motion.velocities(_place(motion))
    total = Expr(motion.g, ZERO)
    for body in motion.system.bodies:
        velocity = v[body.center]
        total = total + 0.5 * body.mass * velocity.dot(velocity)
        if body.inertia is not None and body.frame is not None:
            omega = Vector(body.frame.tree, {body.frame: motion.w[body.frame]})
            total = total + 0.5 * omega.dot(body.inertia.dot(omega))
    for elastic in motion.system.elastic_bodies:
        total = total + kinetic_of_elastic(motion, elastic, v[elastic.root])
    return total


def potential(motion: Motion, added: Iterable[Load] = (), gravity: bool = True) -> Expr:
    """V = -Σ m g · p + Σ potentials of springs.

    Gravity on a body that is not located, and a load whose potential an input changes, have none: they only do work.
    """
    system, g = motion.system, motion.g
    total = Expr(g, ZERO)
    if gravity and system.gravity is not None and not _driven(motion, system.gravity.nodes()):
        for body in system.bodies:
            if anchor(body.center) is None and not _driven(motion, [body.mass.node]):
                total = total - body.mass * system.gravity.dot(body.center.position())
        for elastic in system.elastic_bodies:
            if anchor(elastic.root) is None and not _driven(motion, [elastic.mass.node]):
                total = total - system.gravity.dot(elastic.root.position() * elastic.mass + elastic.first_moment)
    for load in (*system.loads, *added):
        if load.potential is not None and not _driven(motion, [load.potential.node]):
            total = total + load.potential
    return Expr(motion.g, rebuild(motion.g, [total.node], motion.kinematics.replaced)[0])


def _driven(motion: Motion, nodes: Iterable[int]) -> bool:
    """Whether an input changes any of these."""
    inputs = {symbol.node for symbol in motion.system.r}
    return bool(inputs) and not inputs.isdisjoint(reachable(motion.g, list(nodes)))


def power(motion: Motion, added: Iterable[Load] = (), gravity: bool = True) -> Expr:
    """A = Σ R · v + Σ T · ω over all loads, with or without gravity."""
    wrenches = load_wrenches(motion, _place(motion), gravity)
    for load in added:
        add_load(wrenches, load)
    return power_of(wrenches)


def energy_rates(equations: Formed) -> tuple[int, int]:
    """A + A_drive and dV/dt, whose sum d(K + V)/dt is what loads without a potential and prescribed motion give.

    Gravity that is the same everywhere and at all times drops out, Σ m g · v - d(Σ m g · p)/dt = 0, and is left out.
    """
    motion, added = equations.derivation.motion, equations.added
    gravity = not gravity_is_uniform(motion)
    V = potential(motion, added, gravity)
    rate = tangents(motion.g, [V.node], motion.kinematics.along)[0]
    return (power(motion, added, gravity) + drive_power(equations)).node, rate


def gravity_is_uniform(motion: Motion) -> bool:
    """Whether g is fixed in N, g and the masses are held, and every body that has mass is located."""
    system, g = motion.system, motion.g
    if system.gravity is None:
        return True
    masses = [*(body.mass for body in system.bodies), *(body.mass for body in system.elastic_bodies)]
    nodes = [*system.gravity.nodes(), *(mass.node for mass in masses)]
    held = all(g.symbols[i].kind == "parameter" for i in reachable(g, nodes) if i in g.symbols)
    fixed = all(frame is system.tree.newtonian for frame in system.gravity.parts)
    places = [*(body.center for body in system.bodies), *(body.root for body in system.elastic_bodies)]
    return held and fixed and all(anchor(place) is None for place in places)


def power_of(wrenches: Wrenches) -> Expr:
    """Σ R · v + Σ T · ω + Σ Q q̇."""
    motion = wrenches.motion
    v = motion.velocities(_place(motion)) if wrenches.forces else {}
    total = Expr(motion.g, ZERO)
    for point, force in wrenches.forces.items():
        total = total + force.dot(v[point])
    for frame, torque in wrenches.torques.items():
        total = total + Vector(frame.tree, {frame: torque}).dot(Vector(frame.tree, {frame: motion.w[frame]}))
    for q, effort in wrenches.efforts.items():
        total = total + Expr(motion.g, effort) * Expr(motion.g, motion.coordinate_rate(q))
    return total


def inertia_power(equations: Formed) -> Expr:
    """A* = Σ R* · v + Σ T* · ω with R* = -m a and T* = -(I · α + ω × I · ω)."""
    motion = equations.derivation.motion.accelerating()
    return -power_of(inertia_wrenches(motion, _place(motion)))


def drive_power(equations: Formed) -> Expr:
    """Power of whatever enforces the motion that is prescribed in time: -(R + R*) · v_t - (T + T*) · ω_t.

    v_t and ω_t are the velocity remainders; without time in the coordinates' rates they vanish.
    """
    motion = equations.derivation.motion
    g = motion.g
    rest = dict.fromkeys(motion.speeds, ZERO)
    if not _moves_at_rest(motion, rest):
        return Expr(g, ZERO)
    wrenches = net_wrenches(motion.accelerating(), mixed, equations.added)
    v = motion.velocities(mixed)
    total = Expr(g, ZERO)
    for point, force in wrenches.forces.items():
        remainder = v[point].rebuilt(rest)
        if not remainder.is_zero:
            total = total - force.dot(remainder)
    for frame, torque in wrenches.torques.items():
        w = rebuild(g, list(motion.w[frame]), rest)
        remainder = Vector(frame.tree, {frame: (w[0], w[1], w[2])})
        if not remainder.is_zero:
            total = total - Vector(frame.tree, {frame: torque}).dot(remainder)
    for q, effort in wrenches.efforts.items():
        total = total - Expr(g, effort) * Expr(g, rebuild(g, [motion.coordinate_rate(q)], rest)[0])
    return total


def _moves_at_rest(motion: Motion, rest: dict[int, int]) -> bool:
    """Whether anything moves while all speeds vanish: whether motion is prescribed in time."""
    steps = [edge.spin for edge in motion.frame_edges.values()]
    for edge in motion.point_edges.values():
        steps += [part.dp for part in edge.parts]
        steps += list(edge.velocity.parts.values()) if edge.velocity is not None else []
    rates = {node for step in steps for node in step} - rest.keys() - {ZERO}
    return any(node != ZERO for node in rebuild(motion.g, list(rates), rest)) if rates else False


def linear_momentum(motion: Motion) -> Vector:
    """Σ m v."""
    v, total = motion.velocities(mixed), Vector(motion.system.tree, {})
    for body in motion.system.bodies:
        total = total + v[body.center] * body.mass
    for elastic in motion.system.elastic_bodies:
        total = total + momentum_vectors(motion, elastic, v[elastic.root])[0]
    return total


def angular_momentum(motion: Motion, about: Point) -> Vector:
    """Σ I · ω + p × m v."""
    v = motion.velocities(mixed)
    total = Vector(motion.system.tree, {})
    for body in motion.system.bodies:
        total = total + body.center.position(about).cross(v[body.center] * body.mass)
        if body.inertia is not None and body.frame is not None:
            total = total + body.inertia.dot(Vector(body.frame.tree, {body.frame: motion.w[body.frame]}))
    for elastic in motion.system.elastic_bodies:
        P, L, _, _ = momentum_vectors(motion, elastic, v[elastic.root])
        total = total + elastic.root.position(about).cross(P) + L
    return total

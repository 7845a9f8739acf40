"""Joint forces: every body of a random tree, cut free, obeys Newton and Euler."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from free_bodies import FreeBodies
from random_trees import build, random_mechanism, random_state

SEEDS = seeds(range(10), range(200))
TOLERANCE = 1e-10


@pytest.mark.parametrize("seed", SEEDS)
def test_every_body_is_in_balance(seed):
    """Joint forces, loads and inertia forces on each body cancel, in force and in moment."""
    mechanism = random_mechanism(seed, bodies=1 + seed % 6)
    built, state = build(mechanism), random_state(mechanism, seed)
    equations, arguments = built.model.equations(), state.arguments
    bodies = FreeBodies(mechanism, state, equations.udot(**arguments))
    bodies.inertia()
    bodies.loads(built, equations, arguments)
    size = max(1.0, np.abs(bodies.total).max())
    bodies.joints(equations.reactions(**arguments), equations, arguments)
    assert np.abs(bodies.total[:-1]).max() < TOLERANCE * size


@pytest.mark.parametrize("seed", seeds(range(5), range(60)))
def test_joints_do_no_work_along_their_freedom(seed):
    """Nothing is transmitted about the axis of a hinge or along that of a slide, motors apart."""
    mechanism = random_mechanism(seed, bodies=5, kinds=["revolute", "prismatic"], aside=0.0)
    built, state = build(mechanism), random_state(mechanism, seed)
    equations, arguments = built.model.equations(), state.arguments
    joints = [(link, equations.joint_forces(link.name)) for link in built.links]
    along = [(a.torque if link.joint.turns else a.force).dot(link.axis) for link, a in joints]
    size = max(1.0, *(np.abs(equations.evaluate(a.torque, **arguments)).max() for _, a in joints))
    assert np.abs(equations.evaluate(along, **arguments)).max() < TOLERANCE * size


def test_for_any_motion_a_hinge_needs_the_torque_of_inverse_dynamics():
    """With u̇ as symbols, λ·T at a hinge is its row of M u̇ + h - F_r."""
    mechanism = random_mechanism(3, bodies=4, kinds=["revolute"], aside=0.0)
    built, state = build(mechanism), random_state(mechanism, 3)
    equations = built.model.equations()
    given = {rate: 0.3 * i - 0.4 for i, rate in enumerate(equations.system.u_rates)}
    torques = [equations.joint_forces(link.name).torque.dot(link.axis).subs(given) for link in built.links]
    found = equations.evaluate(torques, **state.arguments)
    assert found == pytest.approx(equations.inverse(**state.arguments, udot=list(given.values())), rel=1e-11, abs=1e-11)


def two_rods():
    """Two rods, angles from the vertical, described without joints."""
    model = lw.Model("rods")
    q1, q2 = model.coordinates("q1", "q2")
    N, m, L = model.frame, 2.0, 0.5
    A, B = N.rotated("A", q1, N.z), N.rotated("B", q2, N.z)
    elbow = model.origin.at("elbow", -L * A.y)
    model.body("upper", A, model.origin.at("a", -0.5 * L * A.y), m, lw.inertia(A, zz=m * L**2 / 12))
    model.body("lower", B, elbow.at("b", -0.5 * L * B.y), m, lw.inertia(B, zz=m * L**2 / 12))
    model.gravity(-9.81 * N.y)
    return model


def test_bodies_without_joints_are_cut_where_their_frame_begins():
    """Hanging rods that swing through the lowest position: m (g + ω² r), one rod or both."""
    eq = two_rods().equations()
    u1, u2 = 1.5, -0.5
    lower, upper = eq.joint_forces("lower"), eq.joint_forces("upper")
    assert (lower.about.name, upper.about) == ("elbow", eq.system.tree.origin)
    pull = 2.0 * (9.81 + 0.5 * u1**2 + 0.25 * u2**2)
    state = {"q": [0.0, 0.0], "u": [u1, u2]}
    assert eq.evaluate(lower.force, **state) == pytest.approx([0.0, pull, 0.0], rel=1e-13, abs=1e-12)
    both = pull + 2.0 * (9.81 + 0.25 * u1**2)
    assert eq.evaluate(upper.force, **state) == pytest.approx([0.0, both, 0.0], rel=1e-13, abs=1e-12)
    assert eq.evaluate([lower.torque, upper.torque], **state) == pytest.approx(np.zeros(6), abs=1e-12)


def test_values_are_those_of_the_expressions():
    """Numbers of all joints at once, and of each expression."""
    mechanism = random_mechanism(4, bodies=4)
    equations, arguments = build(mechanism).model.equations(), random_state(mechanism, 4).arguments
    for name, reaction in equations.reactions(**arguments).items():
        joint, found = equations.joint_forces(name), [*reaction.force, *reaction.torque]
        values = equations.evaluate([joint.force, joint.torque], **arguments)
        assert values == pytest.approx(found, rel=1e-12, abs=1e-12)


def test_loads_added_afterwards_are_carried_by_the_joints():
    """A push on the last body of a chain that is welded together arrives at the wall."""
    model = lw.Model("bracket")
    first = model.joint("weld", "wall", model.frame, at=model.origin)
    tip = first.origin.at("tip", 2.0 * first.frame.x)
    (q,) = model.coordinates("q")
    model.particle("bead", tip.at("P", q * first.frame.x), 1.0)
    eq = model.equations().with_loads(lw.Force(tip, 3.0 * model.frame.y))
    wall = eq.reactions([0.0], [0.0])["wall"]
    assert [*wall.force, *wall.torque] == pytest.approx([0.0, -3.0, 0.0, 0.0, 0.0, -6.0], abs=1e-14)


def test_bodies_stand_for_the_joint_that_carries_them():
    """A body's name gives the force of its joint."""
    mechanism = random_mechanism(5, bodies=3)
    eq = build(mechanism).model.equations()
    assert eq.joint_forces("B2").about is eq.joint_forces("L2").about


def test_unknown_joints_are_refused():
    """A name that is neither a joint nor a body."""
    eq = two_rods().equations()
    with pytest.raises(lw.ModelError, match=r"'uper' is neither a joint nor a body of 'rods'. Did you mean 'upper'"):
        eq.joint_forces("uper")


def test_a_particle_without_a_joint_is_held_by_its_coordinates():
    """A bead on a wire is carried across it: m (a - g)."""
    model = lw.Model("wire")
    (q,) = model.coordinates("q")
    model.particle("bead", model.origin.at("P", q * model.frame.x), 2.0)
    model.gravity(-9.81 * model.frame.y)
    held = model.equations().reactions([0.3], [0.5])["bead"]
    assert [*held.force, *held.torque] == pytest.approx([0.0, 19.62, 0.0, 0.0, 0.0, 0.0], abs=1e-13)


def test_reactions_that_are_not_finite_are_refused():
    """A load across the way of a slider, which its motion does not feel, grows without bound."""
    model = lw.Model("slider")
    link = model.prismatic("slide", model.frame, at=model.origin, axis=model.frame.x)
    model.particle("bob", link.origin, 1.0)
    model.force(link.origin, model.frame.y / link.q[0])
    with pytest.raises(lw.EvaluationError, match="reactions of 'slider' are not finite at t = 0, q_slide = 0"):
        model.equations().reactions([0.0], [0.0])


@pytest.mark.parametrize("off", [0.0, 0.4])
@pytest.mark.parametrize("inboard", ["joint", "frame"])
def test_a_joint_whose_base_is_located_from_the_ground_loads_its_inboard_body(inboard, off):
    """R_in − R_out + m g = m a of the inner of two rods, wherever their common point is located from."""
    model = lw.Model("rods")
    N, O = model.frame, model.origin
    if inboard == "joint":
        first = model.revolute("s", axis=N.z)
        A, foot, name = first.frame, first.origin, "s"
    else:
        (q1,) = model.coordinates("q1")
        first = A = N.rotated("A", q1, N.z)
        foot, name = O, "a"
    center = foot.at("ca", 1.0 * A.x)
    model.body("a", first, center, 2.0, lw.inertia(A, zz=0.3))
    second = model.revolute("e", first, at=O.at("P", off * A.x), axis=N.z)
    model.body("b", second, second.origin.at("cb", 1.0 * second.frame.y), 1.0, lw.inertia(second.frame, zz=0.1))
    model.gravity(-9.81 * N.y)
    equations = model.equations()
    outer = equations.u_names.index("u_e")
    w, state = 0.4, {"q": [0.3, 0.5], "u": [-0.7 if i == outer else 0.4 for i in range(2)]}
    found, wdot = equations.reactions(**state), equations.udot(**state)[1 - outer]
    x, y = np.array([np.cos(0.3), np.sin(0.3), 0.0]), np.array([-np.sin(0.3), np.cos(0.3), 0.0])
    total = found[name].force - found["e"].force + [0.0, -2.0 * 9.81, 0.0]
    assert found["e"].other == "a"
    assert total == pytest.approx(2.0 * (wdot * y - w * w * x), abs=1e-12)
    assert found["e"].force[:2] != pytest.approx([0.0, 0.0], abs=1.0)

"""Loads: what each does to the generalized active forces, its potential, its power, and loads added afterwards."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
import pytest

import latchwork as lw
from latchwork import cos, dt, sin
from random_trees import build, random_mechanism, random_state, relative_error

STATE = {"q": [0.4, -0.7, 0.3], "u": [0.5, 0.8, -0.6], "t": 0.2}


def robot():
    """Two turns and a slide: a shoulder about N.z, an elbow about A.x, a ram along B.y."""
    model = lw.Model("robot")
    shoulder = model.revolute("A", axis=model.frame.z)
    elbow = model.revolute("B", shoulder, at=shoulder.origin.at("e", 0.5 * shoulder.frame.y), axis=shoulder.frame.x)
    ram = model.prismatic("C", elbow, axis=elbow.frame.y)
    for name, link, mass in (("a", shoulder, 3.0), ("b", elbow, 2.0), ("c", ram, 1.0)):
        center = link.origin.at(f"{name}_c", 0.2 * link.frame.y + 0.1 * link.frame.z)
        model.body(name, link.frame, center, mass, lw.inertia(link.frame, 0.3, 0.2, 0.4, 0.05))
    return model, shoulder, elbow, ram


def forces(model, state=STATE):
    """F_r as numbers."""
    eq = model.equations()
    return eq.evaluate(eq.Fr, **state).ravel()


def partial_velocities(eq, point, state=STATE):
    """Rows v_r, measures in N."""
    return np.array([eq.evaluate(eq.velocity(point).diff(u), **state) for u in eq.u])


def partial_spins(eq, frame, state=STATE):
    """Rows ω_r, measures in N."""
    return np.array([eq.evaluate(eq.angular_velocity(frame).diff(u), **state) for u in eq.u])


def gradient(eq, state=STATE):
    """−∂V/∂q for a model whose speeds are q̇."""
    return np.array([-eq.evaluate(eq.potential_energy.diff(q), **state) for q in eq.q])


# --- one by one -------------------------------------------------------------------------------------------------------


def test_gravity_acts_on_every_mass_centre():
    """F_r = Σ m v_r · g, on bodies made before and after it was given."""
    model, *_ = robot()
    model.gravity(-9.81 * model.frame.z)
    late = model.points["c_c"].at("late", 0.3 * model.frames["C"].x)
    model.particle("late", late, 0.7)
    eq = model.equations()
    true = sum(float(b.mass) * partial_velocities(eq, b.center) @ [0, 0, -9.81] for b in model.bodies.values())
    assert forces(model) == pytest.approx(true, rel=1e-13)
    assert forces(model) == pytest.approx(gradient(eq), rel=1e-13)


def test_gravity_is_given_once():
    """A second gravity is refused."""
    model, *_ = robot()
    model.gravity(-9.81 * model.frame.z)
    with pytest.raises(lw.ModelError, match="'robot' has gravity already"):
        model.gravity(-1.62 * model.frame.z)


def test_gravity_is_a_vector():
    """A number has no direction."""
    model, *_ = robot()
    with pytest.raises(lw.ModelError, match=r"gravity is a vector; got 9\.81"):
        model.gravity(9.81)


def test_a_force_acts_at_its_point():
    """F_r = v_r · R, with R written in any frames, at a point without mass."""
    model, _, elbow, ram = robot()
    tip = ram.origin.at("tip", 0.4 * ram.frame.y + 0.1 * elbow.frame.x)
    R = 3.0 * model.frame.x - 2.0 * elbow.frame.z + sin(model.time) * ram.frame.y
    model.force(tip, R)
    eq = model.equations()
    assert forces(model) == pytest.approx(partial_velocities(eq, tip) @ eq.evaluate(R, **STATE), rel=1e-13)


def test_a_force_with_reaction_acts_on_the_distance():
    """F_r = (v_r^P − v_r^Q) · R."""
    model, shoulder, _, ram = robot()
    P, Q, R = ram.origin, shoulder.origin.at("Q", 0.3 * shoulder.frame.x), 2.0 * ram.frame.x + ram.frame.z
    model.force(P, R, reaction=Q)
    eq = model.equations()
    true = (partial_velocities(eq, P) - partial_velocities(eq, Q)) @ eq.evaluate(R, **STATE)
    assert forces(model) == pytest.approx(true, rel=1e-13)


def test_a_torque_with_reaction_acts_on_the_relative_spin():
    """F_r = (ω_r^C − ω_r^A) · T, on bodies, links and frames alike."""
    model, shoulder, _, ram = robot()
    T = 2.0 * ram.frame.x - 3.0 * model.frame.z
    model.torque(model.bodies["c"], T, reaction=shoulder)
    eq = model.equations()
    true = (partial_spins(eq, ram.frame) - partial_spins(eq, shoulder.frame)) @ eq.evaluate(T, **STATE)
    assert forces(model) == pytest.approx(true, rel=1e-13)


def test_loads_on_the_ground_do_nothing():
    """Forces at fixed points and torques on N have no partial velocities."""
    model, *_ = robot()
    model.force(model.origin.at("peg", 2.0 * model.frame.x), 5.0 * model.frame.y)
    model.torque(model.frame, 5.0 * model.frame.y)
    assert model.equations().Fr.tolist() == [[0], [0], [0]]


@pytest.mark.parametrize("length", [0.0, 0.6])
def test_a_spring_pulls_by_its_stretch(length):
    """k (d − d0) towards each other: the gradient of ½ k (d − d0)²."""
    model, _, _, ram = robot()
    P, Q = ram.origin.at("P", 0.3 * ram.frame.z), model.origin.at("Q", 0.9 * model.frame.x + 0.4 * model.frame.z)
    model.spring(P, Q, stiffness=7.0, length=length)
    eq = model.equations()
    line = eq.evaluate(Q.position(P), **STATE)
    d = np.linalg.norm(line)
    assert eq.evaluate(eq.potential_energy, **STATE) == pytest.approx(0.5 * 7.0 * (d - length) ** 2, rel=1e-14)
    assert forces(model) == pytest.approx(gradient(eq), rel=1e-12)
    assert forces(model) == pytest.approx(partial_velocities(eq, P) @ line / d * 7.0 * (d - length), rel=1e-12)


def test_a_spring_without_length_has_no_square_root():
    """k times the vector: no division by the distance, so its points may meet."""
    model = lw.Model("bob")
    (q,) = model.coordinates("q")
    P = model.origin.at("P", q * model.frame.x)
    model.particle("bob", P, 2.0)
    model.spring(P, model.origin, stiffness=8.0)
    eq = model.equations()
    assert eq.Fr[0] == -8.0 * q
    assert eq.udot(q=[0.0], u=[1.0]).tolist() == [0.0]


def test_a_damper_takes_the_energy_of_the_stretching():
    """Power −c ḋ², force −c ḋ along the line."""
    model, _, _, ram = robot()
    P, Q = ram.origin.at("P", 0.3 * ram.frame.z), model.origin.at("Q", 0.9 * model.frame.x)
    model.spring(P, Q, damping=0.8)
    eq = model.equations()
    line = Q.position(P)
    rate = eq.evaluate(dt(line.magnitude()), **STATE)
    unit = eq.evaluate(line.normalized(), **STATE)
    assert forces(model) == pytest.approx(partial_velocities(eq, P) @ unit * 0.8 * rate, rel=1e-12)
    assert eq.evaluate(eq.power, **STATE) == pytest.approx(-0.8 * rate**2, rel=1e-12)
    assert eq.potential_energy == 0.0


def test_torsion_acts_on_its_angle():
    """−k (θ − θ0) − c θ̇ on the joint's speed and on no other; V = ½ k (θ − θ0)²."""
    model, shoulder, elbow, _ = robot()
    model.torsion(elbow, shoulder, shoulder.frame.x, elbow.q[0], stiffness=3.0, rest=0.2, damping=0.4)
    eq = model.equations()
    assert forces(model) == pytest.approx([0.0, -3.0 * (-0.7 - 0.2) - 0.4 * 0.8, 0.0], abs=1e-15)
    assert eq.evaluate(eq.potential_energy, **STATE) == pytest.approx(0.5 * 3.0 * 0.9**2, rel=1e-15)
    assert eq.evaluate(eq.power, **STATE) == pytest.approx((3.0 * 0.9 - 0.4 * 0.8) * 0.8, rel=1e-14)


def test_torsion_against_the_ground():
    """Without reaction the torque stands alone."""
    model, shoulder, *_ = robot()
    model.torsion(shoulder, None, model.frame.z, shoulder.q[0], stiffness=3.0)
    assert forces(model) == pytest.approx([-3.0 * 0.4, 0.0, 0.0], abs=1e-15)


def test_actuators_act_on_their_joints():
    """A motor's torque and a ram's force are the generalized forces of their own speeds, whatever the axis's length."""
    model = lw.Model("lift")
    turn = model.revolute("turn", axis=2.0 * model.frame.x + 2.0 * model.frame.y)
    slide = model.prismatic("slide", turn, axis=3.0 * turn.frame.z)
    model.body("body", slide.frame, slide.origin, 1.0, lw.inertia(slide.frame, 1.0, 1.0, 1.0))
    T, F = model.inputs(T=2.0, F=3.0)
    model.actuate(turn, T)
    model.actuate(slide, F)
    assert forces(model, {"q": [0.3, 0.4], "u": [0.5, 0.6]}) == pytest.approx([2.0, 3.0], rel=1e-14)


def test_joint_springs_act_on_their_joints():
    """resist: −k (q − q0) − c q̇ in a revolute and in a prismatic joint."""
    model, _, elbow, ram = robot()
    model.resist(elbow, stiffness=3.0, rest=0.1, damping=0.2)
    model.resist(ram, stiffness=5.0, rest=0.1, damping=0.4)
    true = [0.0, -3.0 * (-0.7 - 0.1) - 0.2 * 0.8, -5.0 * (0.3 - 0.1) - 0.4 * -0.6]
    assert forces(model) == pytest.approx(true, rel=1e-14, abs=1e-15)


def test_a_prismatic_axis_is_a_direction():
    """q is the distance along it: K = ½ m q̇², however long the vector was that gave it."""
    model = lw.Model("slider")
    slide = model.prismatic("slide", axis=model.frame.x + 2.0 * model.frame.y)
    model.particle("block", slide.origin, 3.0)
    eq = model.equations()
    assert eq.evaluate(eq.M, q=[0.1], u=[0.2])[0, 0] == pytest.approx(3.0, rel=1e-15)


@pytest.mark.parametrize("how", ["actuate", "resist"])
def test_joints_of_several_axes_have_no_single_effort(how):
    """An actuator on a ball joint is refused, with the way out."""
    model = lw.Model("ball")
    ball = model.ball("B")
    with pytest.raises(lw.ModelError, match=r"'B' is a ball joint: .* one axis"):
        getattr(model, how)(ball, 1.0)


@pytest.mark.parametrize(
    ("load", "match"),
    [
        (lambda m: m.force(m.frame, m.frame.x), "a point, link or body of 'robot' is needed here"),
        (lambda m: m.force(m.origin, 3.0), "a force is a vector; got 3.0"),
        (lambda m: m.torque(m.origin, m.frame.x), "a frame, link or rigid body of 'robot' is needed here"),
        (lambda m: m.torque(m.frame, 3.0), "a torque is a vector; got 3.0"),
        (
            lambda m: m.spring(m.origin, lw.Model("other").origin, 1.0),
            "a point, link or body of 'robot' is needed here",
        ),
    ],
)
def test_loads_on_the_wrong_things_are_refused(load, match):
    """What was given, and what is needed."""
    model, *_ = robot()
    with pytest.raises(lw.ModelError, match=match):
        load(model)


# --- pairs, powers and potentials -------------------------------------------------------------------------------------


def test_internal_forces_along_a_link_do_no_work():
    """A pair of forces between two points of one body, along their line, has no generalized force."""
    model, _, _, ram = robot()
    P, Q = ram.origin.at("P", 0.3 * ram.frame.x), ram.origin.at("Q", 0.2 * ram.frame.y)
    model.force(P, 5.0 * Q.position(P), reaction=Q)
    eq = model.equations()
    assert eq.evaluate(eq.Fr, **STATE) == pytest.approx(np.zeros((3, 1)), abs=1e-15)
    assert eq.evaluate(eq.power, **STATE) == pytest.approx(0.0, abs=1e-15)


def test_power_is_generalized_force_times_speed():
    """Σ R · v + Σ T · ω = Σ F_r u_r, where motion is not prescribed."""
    model, shoulder, elbow, ram = robot()
    model.gravity(-9.81 * model.frame.z)
    model.force(ram, 3.0 * elbow.frame.x, reaction=shoulder.origin.at("P", 0.3 * shoulder.frame.z))
    model.torque(elbow, 2.0 * model.frame.y, reaction=ram)
    model.spring(ram, model.origin.at("Q", 2.0 * model.frame.x), 3.0, 0.3, 0.2)
    eq = model.equations()
    assert eq.evaluate(eq.power, **STATE) == pytest.approx(forces(model) @ STATE["u"], rel=1e-13)


def test_forces_on_moving_points_have_the_power_of_their_velocity():
    """A force on a point that is swung by time alone has power and no generalized force."""
    model = lw.Model("shaker")
    (q,) = model.coordinates("q")
    table = model.origin.at("table", 0.2 * sin(3.0 * model.time) * model.frame.x)
    P = table.at("P", q * model.frame.y)
    model.particle("bob", P, 2.0)
    model.force(P, 5.0 * model.frame.x)
    eq = model.equations()
    assert eq.Fr.tolist() == [[0]]
    assert eq.evaluate(eq.power, q=[0.1], u=[0.2], t=0.4) == pytest.approx(5.0 * 0.6 * math.cos(1.2), rel=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_potential_energies_are_gradients(seed):
    """F_r of gravity, springs and torsion springs is −∂V/∂q_r on random trees whose speeds are rates."""
    kinds = ["revolute", "cylindrical", "universal", "gimbal", "planar", "prismatic", "weld"]
    mechanism = random_mechanism(seed, bodies=4, kinds=kinds, loads=False, rheonomic=False)
    built = build(mechanism)
    for i, link in enumerate(built.links):
        built.model.spring(link, built.model.origin.at(f"S{i}", 1.5 * built.model.frame.x), 2.0 + i, 0.5 * (i % 2))
    eq = built.model.equations()
    state = random_state(mechanism, seed).arguments
    assert relative_error(eq.evaluate(eq.Fr, **state).ravel(), gradient(eq, state)) < 1e-12


# --- added afterwards -------------------------------------------------------------------------------------------------


def added_loads(model):
    """One of each, on what the robot has."""
    P, Q = model.points["c_c"], model.points["a_c"]
    A, C, N = model.frames["A"], model.frames["C"], model.frame
    return [
        lw.Force(P, 2.0 * A.x + cos(model.time) * C.y, Q),
        lw.Torque(C, 3.0 * N.z + C.x, A),
        lw.Spring(P, model.origin, 4.0, 0.2, 0.3),
        lw.Torsion(C, A, A.x, model.links["B"].q[0], 2.0, 0.1, 0.4),
    ]


def add(model, load):
    """The same load, given to the model."""
    makers = {lw.Force: model.force, lw.Torque: model.torque, lw.Spring: model.spring, lw.Torsion: model.torsion}
    makers[type(load)](*(getattr(load, each.name) for each in fields(load)))


def test_added_loads_equal_deriving_again():
    """with_loads gives the f, F_r, V, power and u̇ of a model that had the loads from the start."""
    model, *_ = robot()
    model.gravity(-9.81 * model.frame.z)
    later = model.equations().with_loads(*added_loads(model))
    for load in added_loads(model):
        add(model, load)
    again = model.equations()
    for what in ("f", "Fr", "potential_energy", "power", "M", "udot_expressions"):
        assert later.evaluate(getattr(later, what), **STATE) == pytest.approx(
            again.evaluate(getattr(again, what), **STATE), rel=1e-12
        )


def test_added_loads_leave_the_first_equations_alone():
    """Equations are frozen: the loads are in what is returned."""
    model, *_ = robot()
    first = model.equations()
    before = first.udot(**STATE)
    second = first.with_loads(*added_loads(model))
    assert first.udot(**STATE).tolist() == before.tolist()
    assert np.abs(second.udot(**STATE) - before).max() > 1.0


def test_loads_added_one_after_the_other_add_up():
    """with_loads(a).with_loads(b) = with_loads(a, b)."""
    model, *_ = robot()
    a, b, c, d = added_loads(model)
    steps = model.equations().with_loads(a, b).with_loads(c).with_loads(d)
    once = model.equations().with_loads(a, b, c, d)
    assert steps.udot(**STATE) == pytest.approx(once.udot(**STATE), rel=1e-13)
    assert steps.evaluate(steps.power, **STATE) == pytest.approx(once.evaluate(once.power, **STATE), rel=1e-13)


def test_added_loads_may_act_where_nothing_was():
    """A point, a frame and a peg made after the equations carry loads as any other."""
    model, _, _, ram = robot()
    eq = model.equations()
    _ = eq.M, eq.Fr
    tip = ram.origin.at("tip", 0.4 * ram.frame.y)
    hand = ram.frame.rotated("hand", 0.3, ram.frame.x)
    peg = model.origin.at("peg", 0.5 * model.frame.x)
    loads = [lw.Force(tip, 3.0 * model.frame.x), lw.Torque(hand, 2.0 * hand.y), lw.Spring(tip, peg, 4.0, 0.2, 0.1)]
    later = eq.with_loads(*loads)
    for load in loads:
        add(model, load)
    again = model.equations()
    assert np.abs(later.udot(**STATE) - eq.udot(**STATE)).max() > 1.0
    assert later.udot(**STATE) == pytest.approx(again.udot(**STATE), rel=1e-12)
    assert later.evaluate(later.power, **STATE) == pytest.approx(again.evaluate(again.power, **STATE), rel=1e-12)
    assert eq.evaluate(eq.velocity(tip), **STATE) == pytest.approx(
        again.evaluate(again.velocity(tip), **STATE), rel=1e-13
    )


def test_added_loads_bring_their_symbols():
    """A new input and a new parameter become arguments, with the values they were given."""
    model, _, _, ram = robot()
    eq = model.equations()
    F, k = model.input("F", 2.0), model.parameter("k", 3.0)
    later = eq.with_loads(lw.Force(ram.origin, F * k * ram.frame.y))
    assert [symbol.name for symbol in (*later.r, *later.p)] == ["F", "k"]
    extra = later.evaluate(later.f, **STATE) - eq.evaluate(eq.f, **STATE)
    assert extra[2, 0] == pytest.approx(6.0, rel=1e-14)
    doubled = later.evaluate(later.f, **STATE, r={"F": 4.0}) - eq.evaluate(eq.f, **STATE)
    assert doubled[2, 0] == pytest.approx(12.0, rel=1e-14)


def test_inertia_must_be_a_dyadic():
    """A number is no inertia."""
    model = lw.Model("flywheel")
    with pytest.raises(lw.ModelError, match=r"the inertia of 'wheel' must be a dyadic; got 3\.0"):
        model.body("wheel", model.frame, model.origin, 1.0, 3.0)


def test_a_mass_parameter_cannot_be_negative():
    """A mass given as a parameter is checked like a number."""
    model = lw.Model("negative")
    m = model.parameter("m", -2.0)
    with pytest.raises(lw.ModelError, match=r"the mass of 'P' is -2\.0"):
        model.particle("P", model.origin, m)


# --- a spring whose ends meet -----------------------------------------------------------------------------------------


def plane_spring(**options):
    """A particle of mass 2 in a plane, and a spring to the origin."""
    model = lw.Model("bob")
    x, y = model.coordinates("x", "y")
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("bob", P, 2.0)
    model.spring(model.origin, P, **options)
    return model


@pytest.mark.parametrize("length", [0.0, 0.1])
def test_a_damper_whose_ends_meet_acts_along_their_velocity(length):
    """The limit along the motion: c v, from which the values beside it differ as little as the place does."""
    eq = plane_spring(stiffness=3.0, length=length, damping=0.5).equations()
    assert eq.udot(q=[0.0, 0.0], u=[1.0, 2.0]).tolist() == [-0.25, -0.5]
    assert eq.udot(q=[0.0, 0.0], u=[0.0, 0.0]).tolist() == [0.0, 0.0]
    both = [eq.udot(q=[side * 1e-9, side * 2e-9], u=[1.0, 2.0]) for side in (-1.0, 1.0)]
    assert sum(both) / 2.0 == pytest.approx([-0.25, -0.5], rel=1e-12)


def test_a_run_through_the_place_where_the_ends_of_a_damped_spring_meet():
    """On a line through the origin the motion is the damped oscillator's: x = v/ω e^(−δt) sin ωt."""
    run = lw.simulate(plane_spring(stiffness=3.0, damping=0.5), until=4.0, q=[0.0, 0.0], u=[1.0, 2.0])
    decay, w = 0.125, math.sqrt(1.5 - 0.125**2)
    assert run["x"] == pytest.approx(np.exp(-decay * run.t) * np.sin(w * run.t) / w, abs=1e-7)
    assert run.audit.energy_error < 1e-7


def test_a_spring_with_a_length_begins_where_its_ends_meet():
    """No direction, no force; it goes on where the motion leads, and no linear equations describe it there."""
    model = plane_spring(stiffness=3.0, length=0.1, damping=0.5)
    run = lw.simulate(model, until=1.0, q=[0.0, 0.0], u=[1.0, 2.0])
    assert np.isfinite(run.x).all()
    assert run["y"] == pytest.approx(2.0 * run["x"], abs=1e-12)
    with pytest.raises(lw.EvaluationError, match=r"derivatives of 'bob' are not finite at .*whose ends meet"):
        model.equations().linearize([0.0, 0.0], [0.0, 0.0])

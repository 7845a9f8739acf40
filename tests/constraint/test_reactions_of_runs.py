"""Reactions of runs: between samples, about points of one's choice, with motors or without, and forces of contacts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw

G = 9.81


def driven_arm():
    """A rod of 2 kg and 1 m on a motor, in gravity."""
    model = lw.Model("arm")
    N = model.frame
    (T,) = model.inputs(T=3.0)
    hinge = model.revolute("hinge", axis=N.z, q=["q"], u=["u"])
    center = hinge.origin.at("C", 0.5 * hinge.frame.x)
    model.body("rod", hinge, center, 2.0, lw.inertia(hinge.frame, zz=1.0 / 6.0))
    model.gravity(-G * N.y)
    model.actuate(hinge, T)
    return model, center


def test_motor_torque_is_contained_where_it_is_asked_for():
    """Along its freedom a joint exerts nothing by itself, and with its motor the motor's torque; else the same."""
    model, _ = driven_arm()
    eq = model.equations()
    alone, driven = (eq.reactions([0.3], [0.5], motors=motors)["hinge"] for motors in (False, True))
    assert alone.torque == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    assert driven.torque == pytest.approx([0.0, 0.0, 3.0], rel=1e-12)
    assert driven.force == pytest.approx(alone.force, rel=1e-12)


def test_a_ram_and_a_joint_spring_are_contained_too():
    """A force between the two points of a prismatic joint, and a torsion spring between the two bodies of a hinge."""
    model = lw.Model("ram")
    slide = model.prismatic("slide", axis=model.frame.x, q=["x"], u=["v"])
    hinge = model.revolute("hinge", slide, axis=model.frame.z, q=["q"], u=["u"])
    model.particle("P", hinge.origin.at("P", hinge.frame.x), 2.0)
    model.actuate(slide, 5.0)
    model.resist(hinge, stiffness=4.0, damping=0.5)
    found = model.equations().reactions([0.2, 0.3], [0.0, 1.0], motors=True)
    assert found["slide"].force[0] == pytest.approx(5.0, rel=1e-12)
    assert found["hinge"].torque[2] == pytest.approx(-4.0 * 0.3 - 0.5, rel=1e-12)


def test_points_are_chosen_for_each_joint():
    """T_P = T_Q + p_PQ × R for the joint that is named, and for no other; a name that is none is refused."""
    model, center = driven_arm()
    tip = model.revolute("tip", model.links["hinge"], at=center, axis=model.frame.z, q=["q2"], u=["u2"])
    model.particle("bob", tip.origin.at("bob", tip.frame.x), 0.5)
    eq, state = model.equations(), ([0.3, 0.4], [0.5, -0.2])
    usual, chosen = eq.reactions(*state), eq.reactions(*state, at={"hinge": center})
    arm = eq.evaluate(model.links["hinge"].origin.position(center), *state)
    moved = usual["hinge"].torque + np.cross(arm, usual["hinge"].force)
    assert chosen["hinge"].torque == pytest.approx(moved, rel=1e-12)
    assert chosen["tip"].torque == pytest.approx(usual["tip"].torque, abs=1e-14)
    with pytest.raises(lw.EvaluationError, match=r"no reaction named 'hnge' .* Did you mean 'hinge'"):
        eq.reactions(*state, at={"hnge": center})


def test_reactions_between_samples_are_those_of_the_state_there():
    """At one time and at several, as ``eq.reactions`` at the state that the run has then."""
    model, center = driven_arm()
    eq, run = model.equations(), lw.simulate(model, 1.0, q=[0.3])
    times = np.array([0.1234, 0.5678])
    here = run.at(times)
    several = here.reactions(at=center)["hinge"]
    for i, t in enumerate(times):
        one = run.at(float(t)).reactions(at=center)["hinge"]
        there = eq.reactions(here.q[i], here.u[i], t=t, at=center)["hinge"]
        assert one.force.shape == (3,)
        assert one.force.tolist() == several.force[i].tolist()
        assert one.force == pytest.approx(there.force, rel=1e-9)
        assert one.torque == pytest.approx(there.torque, abs=1e-9)
    assert here.reactions(motors=True)["hinge"].torque[:, 2] == pytest.approx([3.0, 3.0], rel=1e-9)


def test_reactions_are_looked_up_like_in_any_mapping():
    """``in`` and ``get`` say that there is none, at a state and along a run."""
    model, _ = driven_arm()
    for found in (model.equations().reactions([0.3], [0.5]), lw.simulate(model, 0.1, q=[0.3]).reactions()):
        assert "hinge" in found
        assert "floor" not in found
        assert found.get("floor") is None
        assert found.get("hinge") is found["hinge"]


def crate(friction=None):
    """A crate of 3 kg, 1 m by 0.5 m, that comes to lie on a floor."""
    model = lw.Model("crate")
    N, O = model.frame, model.origin
    body = model.planar("body", q=["x", "y", "a"], u=["vx", "vy", "w"])
    block = model.body("block", body, body.origin, 3.0, lw.inertia(body.frame, zz=1.0))
    model.gravity(-G * N.y)
    shape = lw.Box(body.origin, (1.0, 0.5), block)
    return model, model.contact("floor", shape, lw.Line(O, N.x, N.y), friction=friction)


@pytest.mark.parametrize("friction", [None, 0.5])
def test_the_force_of_a_contact_is_that_of_all_its_places(friction):
    """Nothing in the air, then the weight, however its two corners share it; and at any time between the samples."""
    model, floor = crate(friction)
    run = lw.simulate(model, 1.0, q=[0.0, 0.35, 0.0])
    landed = math.sqrt(2.0 * 0.1 / G)
    force = run[floor.force]
    assert force[run.t < landed - 1e-9].tolist() == [0.0] * int((run.t < landed - 1e-9).sum())
    assert force[run.t > landed + 1e-9] == pytest.approx(3.0 * G, rel=1e-9)
    assert run.at(0.9)[floor.force] == pytest.approx(3.0 * G, rel=1e-9)
    assert run.at([0.05, 0.9])[2.0 * floor.force] == pytest.approx([0.0, 6.0 * G], rel=1e-9)
    total = sum(each.force[-1, 1] for name, each in run.reactions().items() if name.startswith("floor"))
    assert total == pytest.approx(3.0 * G, rel=1e-9)


def test_the_force_of_a_contact_that_the_coordinates_hold():
    """A block whose coordinates keep it on a ramp presses with m g cos φ."""
    model = lw.Model("ramp")
    N, O = model.frame, model.origin
    A = N.rotated("A", 0.3, N.z)
    x = model.coordinate("x")
    P = O.at("P", x * A.x)
    model.particle("block", P, 2.0)
    model.gravity(-G * N.y)
    ramp = model.contact("ramp", P, lw.Line(O, A.x, A.y), friction=0.1)
    run = lw.simulate(model, 0.5, q=[0.0], u=[-1.0])
    assert run[ramp.force] == pytest.approx(2.0 * G * math.cos(0.3), rel=1e-12)


def test_the_force_of_a_constraint_along_a_run():
    """``constraint.force`` is its multiplier: the tension m (g cos θ + L θ̇²) of a pendulum's rod."""
    model = lw.Model("bob")
    x, y = model.coordinates("x", "y")
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("bob", P, 2.0)
    model.gravity(-G * model.frame.y)
    rod = model.distance("rod", P, model.origin, 1.0)
    run = lw.simulate(model, 0.5, q=[math.sin(0.4), -math.cos(0.4)])
    tension = 2.0 * (-G * run["y"] + run["u_x**2 + u_y**2"])
    size = np.linalg.norm(run.reactions()["rod"].force, axis=1)
    assert np.abs(run[rod.force]) == pytest.approx(size, rel=1e-9)
    assert size == pytest.approx(tension, rel=1e-8)

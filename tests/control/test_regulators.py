"""Regulators about operating points of constrained mechanisms, impedance, feed-forward, references."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are

import latchwork as lw
from controlled_models import arm, five_bar, on_branch, slider_crank


def test_a_regulator_of_a_constrained_mechanism():
    """The slider-crank held against gravity: K by SciPy on the reduced equations, the run decays by A − B K."""
    model = slider_crank(("f1",))
    start = on_branch(0.6)["q"]
    held = model.constrained().equilibrium(start, find=["f1"], hold=["q1"])
    law = lw.control.lqr(model, held.q, r=held.r, states={"q1": 100.0, "u1": 1.0}, keep=["q1", "u1"])
    A, B = law.linear.A, law.linear.B
    S = solve_continuous_are(A, B, np.diag([100.0, 1.0]), np.eye(1))
    assert pytest.approx(B.T @ S, rel=1e-9) == law.K
    assert law.closed_loop.real.max() < 0.0
    run = lw.simulate(model, 2.0, on_branch(0.601)["q"], controllers=[law])
    linear = [float(np.array([1.0, 0.0]) @ _grown(A - B @ law.K, t) @ [1e-3, 0.0]) for t in run.t]
    assert run["q1"] - 0.6 == pytest.approx(linear, abs=3e-6)


def _grown(A: np.ndarray, t: float) -> np.ndarray:
    values, vectors = np.linalg.eig(A)
    return np.real(vectors @ np.diag(np.exp(values * t)) @ np.linalg.inv(vectors))


def test_an_inverted_pendulum_on_a_cart_stands():
    """An unstable point without constraints, one motor for two freedoms."""
    model = lw.Model("cart-pole")
    F = model.input("F")
    cart = model.prismatic("rail", axis=model.frame.x, q=["x"], u=["v"])
    pole = model.revolute("pole", cart, q=["a"], u=["w"])
    model.particle("cart", cart.origin, 1.0)
    model.particle("bob", cart.origin.at("bob", 0.5 * pole.frame.y), 0.3)
    model.gravity(-9.81 * model.frame.y)
    model.force(cart.origin, F * model.frame.x)
    law = lw.control.lqr(model, {"a": 0.0}, states={"x": 10.0, "a": 100.0, "v": 1.0, "w": 1.0})
    run = lw.simulate(model, 8.0, {"a": 0.2}, controllers=[law])
    assert abs(run.x[-1, :-1]).max() < 1e-3
    held = lw.simulate(model, 8.0, {"a": 0.2}, controllers=[lw.control.Sampled(law, 5e-3)])
    assert abs(held.x[-1, :-1]).max() < 1e-2


def test_a_point_that_does_not_rest_is_refused():
    """Without the torque that holds it."""
    with pytest.raises(lw.EvaluationError, match=r"does not rest where 'lqr' is to hold it: u1 by"):
        lw.control.lqr(slider_crank(("f1",)), on_branch(0.6)["q"], keep=["q1", "u1"])


def test_a_trajectory_is_stabilised():
    """A five-bar follows a run worked out before, pushed off it at the start, where feed-forward alone does not."""
    model = five_bar()
    near = {"q_left": 2.2, "q_right": 0.9, "p_left": -1.2, "p_right": 1.2}
    start = model.constrained().start(near)
    where = dict(zip(model.equations().q_names, start.q, strict=True))
    goal = lw.control.minimum_jerk(model.time, 0.0, 0.5, where["q_left"], where["q_left"] + 0.3)
    law = lw.control.Projected(tracks={"q_left": goal, "q_right": where["q_right"]}, gains=(400.0, 40.0))
    planned = lw.simulate(model, 0.5, start.q, controllers=[law])
    tables = lw.control.feed_forward(planned, ["T_left", "T_right"], 1e-3)
    again = lw.simulate(model, 0.5, start.q, inputs=tables)
    assert again.x[-1, :4] == pytest.approx(planned.x[-1, :4], abs=1e-4), "the same motion by its inputs alone"
    pushed = dict(where, q_left=where["q_left"] + 0.02)
    loose = lw.simulate(model, 0.5, pushed, inputs=tables)
    hold = lw.control.stabilised(model, planned, 5e-3, states=1e3, efforts=1e-2, final=1e3)
    held = lw.simulate(model, 0.5, pushed, controllers=[hold])
    off, left = (abs(run["q_left"][-1] - planned["q_left"][-1]) for run in (loose, held))
    assert left < 0.1 * off


def test_impedance_is_a_spring_to_its_reference():
    """At rest under a push F, the end of an arm gives way by F/K; PD with gravity holds a posture exactly."""
    model = arm(contacts=False)
    push = model.input("push")
    P = model.points["P"]
    model.force(P, push * model.frame.x)
    law = lw.control.Impedance(tracks={P: (0.5, 0.1, 0.0)}, gains=(200.0, 40.0), inputs=["T1", "T2"])
    run = lw.simulate(model, 6.0, {"q1": 1.3, "q2": -2.1}, inputs={"push": 4.0}, controllers=[law])
    assert run[P][-1] == pytest.approx([0.5 + 4.0 / 200.0, 0.1, 0.0], abs=1e-4)
    hold = lw.control.Impedance(tracks={"q1": 0.5, "q2": -0.4}, gains=(50.0, 10.0), inputs=["T1", "T2"])
    posture = lw.simulate(model, 8.0, {"q1": 0.3, "q2": 0.0}, controllers=[hold])
    assert posture.q[-1] == pytest.approx([0.5, -0.4], abs=1e-4)


def test_references_are_smooth():
    """Minimum jerk rests at both ends; a spline goes through its points, and is twice differentiable."""
    model = arm(contacts=False)
    t = model.time
    way = lw.control.minimum_jerk(t, 1.0, 2.0, -1.0, 3.0)
    run = lw.simulate(model, 3.0, {"q1": -math.pi / 2}, keep="steps", every=0.01)
    assert run[way][[0, 100, 150, 200, 300]] == pytest.approx([-1.0, -1.0, 1.0, 3.0, 3.0])
    speed = run[lw.dt(way)]
    assert speed[:100].tolist() == [0.0] * 100
    assert speed.max() == pytest.approx(1.875 * 4.0)
    line = lw.control.spline(t, [0.0, 1.0, 2.5], [0.0, 2.0, -1.0])
    assert run[line][[0, 100, 250, 300]] == pytest.approx([0.0, 2.0, -1.0, -1.0])
    assert abs(np.diff(run[lw.dt(line)])).max() < 0.2, "no jumps of its rate"
    with pytest.raises(lw.EvaluationError, match="Give a later end"):
        lw.control.minimum_jerk(t, 1.0, 1.0, 0.0, 1.0)

"""Advice on generalized speeds."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
import paper_models
from latchwork import dt
from latchwork.kane.advice import advise


def spinning_top() -> lw.Model:
    """Declared angular velocity, and a torque that mentions speeds and rates."""
    model = lw.Model("top")
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")
    C = model.frame.body_fixed("C", "zyz", q1, q2, q3)
    w = C.angular_velocity(model.frame)
    u1, u2, u3 = model.speeds(u1=w.dot(C.x), u2=w.dot(C.y), u3=w.dot(C.z))
    C.spin(model.frame, u1 * C.x + u2 * C.y + u3 * C.z)
    model.body("C", C, model.origin, 1.0, lw.inertia(C, 1.0, 2.0, 3.0))
    model.torque(C, -u1 * u2 * C.x - dt(q1) * C.z)
    return model


def hooke() -> lw.Model:
    """Hooke's joint, then a slide."""
    model = lw.Model("hooke")
    cross = model.universal("cross")
    slide = model.prismatic("slide", cross, axis=cross.frame.x)
    for link in (cross, slide):
        center = link.origin.at(f"{link.name}_c", 0.3 * link.frame.x)
        model.body(link.name, link.frame, center, 1.0, lw.inertia(link.frame, 1.0, 2.0, 3.0))
    return model


def hinges() -> lw.Model:
    """Two hinges about axes that belong to no frame."""
    model = lw.Model("hinges")
    q1, q2 = model.coordinates("q1", "q2")
    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.x + N.y)
    B = A.rotated("B", q2, A.z + A.x)
    model.body("A", A, O, 1.0, lw.inertia(A, 1.0, 2.0, 3.0))
    model.body("B", B, O.at("Bo", A.x + B.y), 1.0, lw.inertia(B, 1.0, 2.0, 3.0))
    return model


def arm_on_a_gimbal() -> lw.Model:
    """Three turns, then one; gravity; damping in the joint's own speed."""
    model = lw.Model("arm on a gimbal")
    gimbal = model.gimbal("G")
    hinge = model.revolute("R", gimbal, at=gimbal.origin.at("e", gimbal.frame.x))
    for link in (gimbal, hinge):
        center = link.origin.at(f"{link.name}_c", 0.3 * link.frame.y)
        model.body(link.name, link.frame, center, 1.0, lw.inertia(link.frame, 1.0, 2.0, 3.0))
    model.gravity(-9.81 * model.frame.z)
    model.torque(gimbal, -0.3 * gimbal.u[0] * gimbal.frame.x)
    return model


ALL = [paper_models.wrist, paper_models.two_revolutes, spinning_top, hooke, hinges, arm_on_a_gimbal]


def acceleration(equations, q, qdot):
    """q̈ = d(W u + X)/dt at q and q̇."""
    W = equations.evaluate(equations.W, q=q, u=np.zeros(len(equations.u)))
    X = equations.evaluate(equations.X, q=q, u=np.zeros(len(equations.u))).ravel()
    u = np.linalg.solve(W, qdot - X)
    return equations.evaluate([lw.dt(rate) for rate in equations.qdot_expressions], q=q, u=u)


@pytest.mark.parametrize("model", ALL)
def test_all_sets_of_speeds_describe_one_motion(model):
    """q̈ at the same q and q̇ is the same in every set."""
    advice = advise(model().system())
    rng = np.random.default_rng(5)
    n = len(advice.choices[0].equations.q)
    q, qdot = rng.uniform(0.3, 1.0, n), rng.uniform(-1.0, 1.0, n)
    found = np.array([acceleration(choice.equations, q, qdot) for choice in advice.choices])
    assert len(found) >= 2
    assert found == pytest.approx(np.tile(found[0], (len(found), 1)), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("rates", [False, True])
def test_the_wrist_is_advised_to_use_components_of_its_angular_velocity(rates):
    """Gillespie's Table 3: u_i = ω · c_i makes M diagonal and the equations short; both counts are shown."""
    advice = advise(paper_models.wrist(rates).system())
    rows = advice.table.rows
    assert advice.best.set.title == "u_i = w.c_i"
    assert advice.speeds == (
        "w = C.angular_velocity(N)\nmodel.speeds(u1=w.dot(C.x), u2=w.dot(C.y), u3=w.dot(C.z))"
    )
    assert "M becomes diagonal" in advice.why
    assert "fail where sin(q2) vanishes" in advice.why
    assert rows["M diagonal"] == ("no", "yes")
    assert rows["M constant"] == ("no", "yes")
    assert [int(rows[f"dt(u) as printed: {kind}"][1]) for kind in KINDS] == [29, 16, 10]
    assert int(rows["dt(u) shared: sin, cos"][1]) <= 5
    assert all(int(rows[f"dt(u) shared: {kind}"][0]) > int(rows[f"dt(u) shared: {kind}"][1]) for kind in KINDS)


KINDS = ["multiply, divide", "add, subtract", "sin, cos"]


def test_planar_chains_are_offered_absolute_rates():
    """For revolutes with parallel axes ω · λ is the absolute rate of the link."""
    advice = advise(paper_models.two_revolutes().system())
    assert advice.choices[1].set.title == "u = absolute rates"
    assert advice.choices[1].set.written == {"u1": "dt(q1)", "u2": "dt(q1) + dt(q2)"}


def test_hookes_joint_is_offered_the_two_components_that_its_turns_determine():
    """Turns about x, then y: ω · x and ω · y of the outer frame; the slide keeps q̇."""
    advice = advise(hooke().system())
    assert advice.choices[1].set.written == {
        "u_cross_wx": "w.dot(cross.x)", "u_cross_wy": "dt(q_cross_ry)", "u_slide": "dt(q_slide)",
    }  # fmt: skip


def test_the_models_own_speeds_are_among_the_choices():
    """Speeds that are none of the sets get a column of their own."""
    advice = advise(paper_models.disk_on_a_ramp().system())
    assert [choice.title for choice in advice.choices] == ["u = dt(q)", "u (as given)"]


def test_speeds_with_constraints_built_in_are_left_alone():
    """Where motion constraints are part of the definition, nothing else is offered."""
    model = lw.Model("skate")
    x, y, q = model.coordinates("x", "y", "q")
    B = model.frame.rotated("B", q, model.frame.z)
    center = model.origin.at("Bo", x * model.frame.x + y * model.frame.y)
    v = center.velocity()
    model.speeds(u1=v.dot(B.x), u2=dt(q), zero=[v.dot(B.y)])
    model.body("B", B, center, 1.0, lw.inertia(B, zz=1.0))
    advice = advise(model.system())
    assert [choice.given for choice in advice.choices] == [True]
    assert "no other set suits this system" in advice.why


def test_speeds_of_joints_are_changed_in_the_equations():
    """A joint brings its own speeds, so the advice is for ``in_speeds``."""
    assert "model.equations().in_speeds(" in advise(arm_on_a_gimbal().system()).speeds


def test_advice_prints():
    """Table, reason, and the definition to paste, as text and as HTML."""
    advice = advise(paper_models.wrist().system())
    assert str(advice).endswith(advice.speeds)
    assert str(advice).startswith("Speeds for 'wrist'\n")
    assert "<pre>w = C.angular_velocity(N)" in advice._repr_html_()

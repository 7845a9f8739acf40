"""The same mechanism in other speeds."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt

Q, U = [0.3, 0.8], [0.5, -0.4]


@pytest.fixture
def arm():
    """Buffinton's robot with two revolute joints, and the tip of it."""
    model = lw.Model("two revolute joints")
    m, L, g = model.parameters(m=1.2, L=0.7, g=9.81)
    T_A, T_B = model.inputs(T_A=0.3, T_B=-0.2)
    q1, q2 = model.coordinates("q1", "q2")
    u1, _ = model.speeds()
    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.z)
    P1 = O.at("P1", L * A.x)
    P2 = P1.at("P2", L * B.x)
    model.particle("P1", P1, m)
    model.particle("P2", P2, m)
    model.gravity(-g * N.y)
    model.torque(A, (T_A - 0.1 * u1) * A.z)
    model.torque(B, T_B * B.z, reaction=A)
    return model, P2


def tip_speeds(equations, P2):
    v, N = equations.velocity(P2), equations.system.tree.newtonian
    return [v.dot(N.x), v.dot(N.y)]


def test_operational_space_is_a_congruence(arm):
    """M_w = Tᵀ M T and f_w = Tᵀ (f - M Ṫ w) with T = J⁻¹."""
    model, P2 = arm
    joint = model.equations()
    tip = joint.in_speeds(**dict(zip(("w1", "w2"), tip_speeds(joint, P2), strict=True)))
    J = np.array([[joint.evaluate(w.diff(u), Q, U) for u in joint.u] for w in tip_speeds(joint, P2)])
    w = J @ U
    T = np.linalg.inv(J)
    assert tip.evaluate(tip.M, Q, w) == pytest.approx(T.T @ joint.evaluate(joint.M, Q, U) @ T, rel=1e-12)
    w_rate = np.array([joint.evaluate(dt(w), Q, U) for w in tip_speeds(joint, P2)])
    assert tip.udot(Q, w) == pytest.approx(w_rate, rel=1e-12)


def test_there_and_back_again(arm):
    """Joint space to operational space and back gives the accelerations of joint space."""
    model, P2 = arm
    joint = model.equations()
    tip = joint.in_speeds(**dict(zip(("w1", "w2"), tip_speeds(joint, P2), strict=True)))
    back = tip.in_speeds(s1=dt(model.symbols["q1"]), s2=dt(model.symbols["q2"]))
    assert back.udot(Q, U) == pytest.approx(joint.udot(Q, U), rel=1e-12)


def test_loads_added_afterwards_come_along(arm):
    """A load added to joint-space equations acts in operational space."""
    model, P2 = arm
    joint = model.equations().with_loads(lw.Force(P2, 3.0 * model.frame.x))
    tip = joint.in_speeds(**dict(zip(("w1", "w2"), tip_speeds(joint, P2), strict=True)))
    J = np.array([[joint.evaluate(w.diff(u), Q, U) for u in joint.u] for w in tip_speeds(joint, P2)])
    w_rate = np.array([joint.evaluate(dt(w), Q, U) for w in tip_speeds(joint, P2)])
    assert tip.udot(Q, J @ U) == pytest.approx(w_rate, rel=1e-12)


def test_dependent_speeds_are_refused(arm):
    """New speeds that do not determine the old ones are refused by name."""
    joint = arm[0].equations()
    u1, u2 = joint.u
    with pytest.raises(lw.SpeedsError, match=r"w1, w2 .* are not independent: they do not determine u1, u2"):
        joint.in_speeds(w1=u1 + u2, w2=2 * u1 + 2 * u2)


def test_too_few_speeds_are_refused(arm):
    """As many new speeds as there are old ones."""
    joint = arm[0].equations()
    with pytest.raises(lw.SpeedsError, match="has 2 speeds; 1 new ones were defined"):
        joint.in_speeds(w1=joint.u[0])


def test_names_in_use_are_refused(arm):
    """A new speed cannot take the name of something else."""
    joint = arm[0].equations()
    with pytest.raises(lw.ModelError, match="uses the name 'q1' already"):
        joint.in_speeds(q1=joint.u[0], w2=joint.u[1])


def test_shortened_equations_are_equal(arm):
    """Rewriting for fewer operations changes no number and never lengthens."""
    joint = arm[0].equations()
    short = joint.shortened()
    assert short.udot(Q, U) == pytest.approx(joint.udot(Q, U), rel=1e-12)
    assert short.operations.total <= joint.operations.total


def test_a_massless_speed_is_named():
    """A coordinate that moves no mass is refused by the name of its speed."""
    model = lw.Model("massless")
    q1, q2 = model.coordinates("q1", "q2")
    model.particle("P", model.origin.at("P", q1 * model.frame.x), 1.0)
    model.origin.at("Q", q2 * model.frame.y)
    with pytest.raises(lw.EvaluationError, match="speed 'u2' of 'massless' moves no mass"):
        model.equations().udot([0, 0], [0, 0])

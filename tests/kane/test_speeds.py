"""Generalized speeds: u = Y q̇ + Z solved for q̇ = W u + X, with and without motion constraints built in."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import latchwork as lw
from latchwork import cos, dt, sin, tan


def plane(name="plane"):
    """Three coordinates of a body that moves in a plane, and its parts."""
    model = lw.Model(name)
    x, y, th = model.coordinates("x", "y", "th")
    N = model.frame
    B = N.rotated("B", th, N.z)
    C = model.origin.at("C", x * N.x + y * N.y)
    model.body("body", B, C, 2.0, lw.inertia(B, zz=0.5))
    return model, B, C, (x, y, th)


STATE = {"q": [0.3, -0.2, 0.7], "u": [0.5, -0.4, 0.9], "t": 0.6}


# --- the matrices -----------------------------------------------------------------------------------------------------


def test_by_default_speeds_are_rates():
    """u = q̇: Y = W = 1, Z = X = 0, and q1 gives u1."""
    model = lw.Model("slider")
    q1, angle = model.coordinates("q1", "angle")
    model.particle("P", model.origin.at("P", q1 * model.frame.x + angle * model.frame.y), 1.0)
    eq = model.equations()
    one = lw.Matrix.identity(model.graph, 2)
    assert eq.u_names == ("u1", "u_angle")
    assert (one, one) == (eq.Y, eq.W)
    assert all(entry == 0.0 for entry in (*eq.Z, *eq.X))


def test_speeds_along_a_turning_frame():
    """u = v · b: W is the transpose of Y, a rotation, for every angle."""
    model, B, C, (_, _, th) = plane()
    v = C.velocity()
    model.speeds(u1=v.dot(B.x), u2=v.dot(B.y), u3=dt(th))
    eq = model.equations()
    assert eq.W == eq.Y.T
    assert eq.evaluate(eq.W, q=[0, 0, math.pi / 2], u=[0, 0, 0]) == pytest.approx(
        np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=1e-15
    )


def test_definitions_and_solution_are_inverse():
    """Y W = 1 and Y X + Z = 0 for definitions with coefficients and remainders in q and t."""
    model, _, _, (x, y, th) = plane()
    t = model.time
    model.speeds(u1=dt(x) * cos(th) + dt(y) + sin(t), u2=dt(y) - x * dt(th) + x * y, u3=2.0 * dt(th) + dt(x) - t)
    eq = model.equations()
    Y, Z, W, X = (eq.evaluate(A, **STATE) for A in (eq.Y, eq.Z, eq.W, eq.X))
    assert pytest.approx(np.eye(3), abs=1e-14) == Y @ W
    assert pytest.approx(np.zeros((3, 1)), abs=1e-14) == Y @ X + Z
    assert np.abs(Z).min() > 0.01
    assert eq.qdot(STATE["q"], STATE["u"], t=0.6) == pytest.approx((W @ STATE["u"]) + X.ravel(), rel=1e-14)


def test_rates_put_into_definitions_give_the_speeds_back():
    """u(q̇(u)) = u."""
    model, _, _, (x, y, th) = plane()
    definitions = {"u1": dt(x) + tan(th) * dt(y), "u2": dt(y) + model.time, "u3": dt(th) - dt(x)}
    model.speeds(**definitions)
    eq = model.equations()
    assert eq.evaluate(list(definitions.values()), **STATE) == pytest.approx(STATE["u"], rel=1e-14)


def test_a_definition_in_time_leaves_the_motion_as_it_is():
    """u = q̇ + c(t) changes u̇ by ċ, and not q̈: a falling particle, X = −c."""
    model = lw.Model("drop")
    (q,) = model.coordinates("q")
    model.speeds(u=dt(q) + sin(3.0 * model.time))
    model.particle("P", model.origin.at("P", q * model.frame.y), 2.0)
    model.gravity(-9.81 * model.frame.y)
    eq = model.equations()
    assert eq.X[0] == -sin(3.0 * model.time)
    assert eq.udot(q=[0.0], u=[0.3], t=0.4) == pytest.approx([-9.81 + 3.0 * math.cos(1.2)], rel=1e-14)
    assert eq.evaluate(dt(eq.qdot_expressions[0]), q=[0.0], u=[0.3], t=0.4) == pytest.approx(-9.81, rel=1e-14)


def test_speeds_of_joints_and_of_coordinates_stand_together():
    """A joint brings its own q̇ = W u; definitions may mention its rates."""
    model = lw.Model("cart and arm")
    (q,) = model.coordinates("q")
    cart = model.origin.at("cart", q * model.frame.x)
    arm = model.revolute("arm", model.frame, at=cart)
    model.particle("load", cart.at("load", 0.5 * arm.frame.x), 1.0)
    model.particle("base", cart, 2.0)
    model.speeds(v=dt(q) + 0.5 * dt(arm.q[0]))
    eq = model.equations()
    assert eq.qdot(q=[0.1, 0.2], u=[3.0, 2.0]) == pytest.approx([2.0 - 1.5, 3.0], rel=1e-15)
    assert (eq.q_names, eq.u_names) == (("q", "q_arm"), ("u_arm", "v"))


@cache
def coupled():
    """Four speeds that hang together, along axes turned by a and by b, so that no rate stands alone."""
    model = lw.Model("two pucks")
    a, b, c, d = q = model.coordinates("a", "b", "c", "d")
    N = model.frame
    for name, x, y in (("P", a, b), ("Q", c, d)):
        model.particle(name, model.origin.at(name, x * N.x + y * N.y), 1.0)
    p, q, r, s = (dt(x) for x in q)
    model.speeds(
        u1=cos(a) * p + sin(a) * q + 0.1 * r,
        u2=-sin(a) * p + cos(a) * q + 0.1 * s,
        u3=cos(b) * r + sin(b) * s + 0.1 * p,
        u4=-sin(b) * r + cos(b) * s + 0.1 * q,
    )
    return model.equations()


@pytest.mark.parametrize("a", [0.0, 0.5 * math.pi, math.pi, 0.3])
@pytest.mark.parametrize("b", [0.0, 0.5 * math.pi, -0.5 * math.pi, 0.7])
def test_regular_speeds_are_solved_everywhere(a, b):
    """Y q̇ + Z = u to rounding, wherever Y is well conditioned: no pivot that vanishes at some angle."""
    eq, u = coupled(), np.array([1.0, 2.0, 3.0, 4.0])
    Y = eq.evaluate(eq.Y, [a, b, 0.1, 0.2], u)
    assert np.linalg.cond(Y) < 1.3
    assert Y @ eq.qdot([a, b, 0.1, 0.2], u) == pytest.approx(u, rel=1e-13)


# --- quaternions ------------------------------------------------------------------------------------------------------


def quaternion_by_hand():
    """Four coordinates, ω in the body, and the unit length as a motion constraint."""
    model = lw.Model("satellite")
    e = model.coordinates("e0", "e1", "e2", "e3")
    B = model.frame.quaternion("B", *e)
    w = B.angular_velocity()
    model.speeds(u1=w.dot(B.x), u2=w.dot(B.y), u3=w.dot(B.z), zero=[sum(x * dt(x) for x in e)])
    model.body("body", B, model.origin, 1.0, lw.inertia(B, 1.0, 2.0, 2.5))
    return model.equations()


def quaternion_by_joint():
    model = lw.Model("satellite")
    ball = model.ball("B")
    model.body("body", ball.frame, ball.origin, 1.0, lw.inertia(ball.frame, 1.0, 2.0, 2.5))
    return model.equations()


@pytest.mark.parametrize("make", [quaternion_by_hand, quaternion_by_joint])
@pytest.mark.parametrize("e", [(1, 0, 0, 0), (0, 1, 0, 0), (0.5, -0.5, 0.5, 0.5), (0.1, 0.7, -0.7, 0.1)])
def test_euler_parameters_turn_with_half_the_angular_velocity(make, e):
    """ė0 = −½ e·ω, ė = ½ (e0 ω + e × ω), also where some of them vanish; the length stays."""
    eq, e = make(), np.array(e) / np.linalg.norm(e)
    e0, v = e[0], e[1:]
    W = 0.5 * np.vstack([-v, e0 * np.eye(3) + np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])])
    assert eq.W.shape == (4, 3)
    assert eq.evaluate(eq.W, q=e, u=[0, 0, 0]) == pytest.approx(W, abs=1e-15)
    assert e @ eq.qdot(e, [0.3, -0.4, 0.5]) == pytest.approx(0.0, abs=1e-16)


@pytest.mark.parametrize("make", [quaternion_by_hand, quaternion_by_joint])
def test_a_satellite_turns_by_eulers_equations(make):
    """u̇ = I⁻¹ (I ω × ω), and the attitude does not enter."""
    eq = make()
    I, w = np.diag([1.0, 2.0, 2.5]), np.array([0.3, -0.4, 0.5])
    assert eq.udot([0.5, 0.5, -0.5, 0.5], w) == pytest.approx(np.linalg.solve(I, np.cross(I @ w, w)), rel=1e-15)
    assert not {symbol.name for symbol in eq.udot_expressions.free_symbols} & set(eq.q_names)


# --- motion constraints among the speeds ------------------------------------------------------------------------------


def test_a_knife_edge():
    """zero=[v · b2]: W is 3 × 2, m u̇1 = F, I u̇2 = T; nothing else is left of the equations."""
    model, B, C, (_, _, th) = plane()
    v = C.velocity()
    u1, u2 = model.speeds(u1=v.dot(B.x), u2=dt(th), zero=[v.dot(B.y)])
    F, T = model.inputs(F=3.0, T=0.7)
    model.force(C, F * B.x + 5.0 * B.y)
    model.torque(B, T * B.z)
    eq = model.equations()
    assert eq.W.tolist() == [[cos(th), 0], [sin(th), 0], [0, 1]]
    assert eq.udot(q=[0.1, 0.2, 0.3], u=[0.4, 0.5]) == pytest.approx([3.0 / 2.0, 0.7 / 0.5], rel=1e-15)
    assert eq.evaluate([v.dot(B.y), v.dot(B.x)], q=[0.1, 0.2, 0.3], u=[0.4, 0.5]) == pytest.approx(
        [0.0, 0.4], abs=1e-16
    )
    assert (u1, u2) == eq.u


def test_a_sled_with_its_mass_off_the_edge():
    """The Chaplygin sled: m (u̇1 − a u2²) = 0 and (I + m a²) u̇2 + m a u1 u2 = 0, from a_C by hand."""
    m, I, a = 2.0, 0.5, 0.3
    model = lw.Model("sled")
    x, y, th = model.coordinates("x", "y", "th")
    B = model.frame.rotated("B", th, model.frame.z)
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    v = P.velocity()
    model.speeds(u1=v.dot(B.x), u2=dt(th), zero=[v.dot(B.y)])
    model.body("sled", B, P.at("C", a * B.x), m, lw.inertia(B, zz=I))
    u1, u2 = 0.8, -0.6
    found = model.equations().udot(q=[0.1, 0.2, 0.3], u=[u1, u2])
    assert found == pytest.approx([a * u2**2, -m * a * u1 * u2 / (I + m * a**2)], rel=1e-14)


def rolling_disk():
    """A disk that rolls upright on a plane: heading and spin remain of four coordinates."""
    m, r, I, J = 2.0, 0.4, 0.1, 0.25
    model = lw.Model("rolling disk")
    x, y, heading, spin = model.coordinates("x", "y", "heading", "spin")
    N = model.frame
    A = N.rotated("A", heading, N.z)
    D = A.rotated("D", spin, A.y)
    C = model.origin.at("C", x * N.x + y * N.y + r * N.z)
    slip = C.velocity() + D.angular_velocity().cross(-r * N.z)
    model.speeds(u1=dt(heading), u2=dt(spin), zero=[slip.dot(A.x), slip.dot(A.y)])
    model.body("disk", D, C, m, lw.inertia(D, I, J, I))
    turn, drive = model.inputs(turn=0.3, drive=0.7)
    model.torque(D, turn * N.z + drive * A.y)
    return model, (m, r, I, J)


def test_a_disk_that_rolls_upright():
    """I u̇1 = T1 and (J + m r²) u̇2 = T2: heading and spin do not disturb each other."""
    model, (m, r, I, J) = rolling_disk()
    found = model.equations().udot(q=[0.1, 0.2, 0.3, 0.4], u=[0.5, -0.6])
    assert found == pytest.approx([0.3 / I, 0.7 / (J + m * r**2)], rel=1e-14)


def test_the_centre_of_a_rolling_disk_moves_with_its_spin():
    """ẋ = r u2 cos ψ, ẏ = r u2 sin ψ, and the centre's acceleration is r (u̇2 a1 + u1 u2 a2)."""
    model, (_, r, _, _) = rolling_disk()
    eq = model.equations()
    q, u = [0.1, 0.2, 0.3, 0.4], [0.5, -0.6]
    assert eq.qdot(q, u) == pytest.approx([-0.6 * r * math.cos(0.3), -0.6 * r * math.sin(0.3), 0.5, -0.6], rel=1e-14)
    A = model.frames["A"]
    a = eq.acceleration(model.points["C"])
    assert eq.evaluate([a.dot(A.x), a.dot(A.y)], q, u) == pytest.approx(
        [r * eq.udot(q, u)[1], r * 0.5 * -0.6], rel=1e-14
    )


def test_constraints_that_move_in_time():
    """zero=[ẋ − c(t)]: a bead's guide is driven; X holds the drive, and the bead feels the centrifugal term only."""
    model = lw.Model("driven bead")
    x, th = model.coordinates("x", "th")
    A = model.frame.rotated("A", th, model.frame.z)
    t = model.time
    model.speeds(u1=dt(x), zero=[dt(th) - (2.0 + sin(t))])
    model.particle("bead", model.origin.at("P", x * A.x), 3.0)
    eq = model.equations()
    assert eq.X.tolist() == [[0], [2.0 + sin(t)]]
    assert eq.udot(q=[0.5, 0.1], u=[0.2], t=0.3) == pytest.approx([0.5 * (2.0 + math.sin(0.3)) ** 2], rel=1e-14)


# --- refused ----------------------------------------------------------------------------------------------------------


def refuse(match, **definitions):
    """The error of definitions that mention the three coordinates of the plane."""
    model, _, _, (x, y, th) = plane("plate")
    written = {name: make(x, y, th) for name, make in definitions.items() if name != "zero"}
    model.speeds(**written, zero=[make(x, y, th) for make in definitions.get("zero", ())])
    with pytest.raises(lw.SpeedsError, match=match):
        model.equations()


def test_dependent_definitions_are_refused():
    """Which speeds are dependent, and which rates cannot be solved for."""
    refuse(
        r"speeds of 'plate' do not determine the motion: u1, u2 are linearly dependent.* so dt\(x\), dt\(y\) cannot",
        u1=lambda x, y, th: dt(x) + sin(th) * dt(y),
        u2=lambda x, y, th: 2.0 * dt(x) + 2.0 * sin(th) * dt(y),
        u3=lambda x, y, th: dt(th),
    )


def test_a_rate_that_no_definition_mentions_is_refused():
    """dt(th) stands in no definition."""
    refuse(
        r"linearly dependent at every state, so .*dt\(th\).* cannot be solved for",
        u1=lambda x, y, th: dt(x),
        u2=lambda x, y, th: dt(y),
        u3=lambda x, y, th: dt(x) + th * dt(y),
    )


def test_too_few_definitions_are_refused():
    """Two speeds for three rates, and the way out."""
    refuse(
        r"2 speeds and 0 motion constraints are given, but there are 3 coordinate rates .* go into zero=",
        u1=lambda x, y, th: dt(x),
        u2=lambda x, y, th: dt(y),
    )


def test_too_many_definitions_are_refused():
    """Three speeds and a motion constraint for three rates."""
    refuse(
        r"3 speeds and 1 motion constraints are given, but there are 3 coordinate rates",
        u1=lambda x, y, th: dt(x),
        u2=lambda x, y, th: dt(y),
        u3=lambda x, y, th: dt(th),
        zero=[lambda x, y, th: dt(x) - dt(y)],
    )


@pytest.mark.parametrize("power", [lambda e: e * e, lambda e: sin(e), lambda e: e**3, lambda e: 1.0 / (2.0 + e)])
def test_definitions_that_are_not_linear_are_refused(power):
    """u = q̇², sin q̇, q̇³, 1/(2 + q̇): the speed is named, and the rate."""
    refuse(
        r"speed 'u2' of 'plate' is not linear in dt\(y\)",
        u1=lambda x, y, th: dt(x),
        u2=lambda x, y, th: power(dt(y)),
        u3=lambda x, y, th: dt(th),
    )


def test_definitions_that_are_linear_in_disguise_are_taken():
    """(q̇ + 1)² − q̇² − 1 = 2 q̇ is linear, and W = 1/2."""
    model = lw.Model("disguise")
    (q,) = model.coordinates("q")
    model.speeds(u=(dt(q) + 1.0) ** 2 - dt(q) ** 2 - 1.0)
    model.particle("P", model.origin.at("P", q * model.frame.x), 1.0)
    assert model.equations().qdot(q=[0.0], u=[3.0]) == pytest.approx([1.5], rel=1e-15)


def test_a_constraint_that_is_not_linear_is_refused():
    """zero=[ẋ² + ẏ² − 1] is no motion constraint of Kane's kind."""
    refuse(
        r"'zero\[0\]' of 'plate' is not linear in dt\(x\), dt\(y\)",
        u1=lambda x, y, th: dt(x),
        u2=lambda x, y, th: dt(th),
        zero=[lambda x, y, th: dt(x) ** 2 + dt(y) ** 2 - 1.0],
    )


def test_a_state_where_the_speeds_are_singular_is_named():
    """u = ω · c of three angles has no q̇ at sin q2 = 0; elsewhere it has."""
    model = lw.Model("wrist")
    q = model.coordinates("q1", "q2", "q3")
    C = model.frame.body_fixed("C", "zxz", *q)
    w = C.angular_velocity()
    model.speeds(u1=w.dot(C.x), u2=w.dot(C.y), u3=w.dot(C.z))
    model.body("C", C, model.origin.at("P", 0.2 * C.x), 1.0, lw.inertia(C, 1.0, 1.0, 1.0))
    model.gravity(-9.81 * model.frame.z)
    eq = model.equations()
    with pytest.raises(lw.EvaluationError, match=r"sin\(q2\)"):
        eq.qdot(q=[0.3, 0.0, 0.2], u=[0.1, 0.2, 0.3])
    assert np.isfinite(eq.qdot(q=[0.3, 0.1, 0.2], u=[0.1, 0.2, 0.3])).all()


def test_names_are_used_once():
    """A speed cannot take the name of a coordinate."""
    model = lw.Model("slider")
    (q,) = model.coordinates("q")
    with pytest.raises(lw.ModelError, match="has a coordinate named 'q' already"):
        model.speeds(q=dt(q))


def test_definitions_of_another_model_are_refused():
    """Two models do not mix."""
    first, second = lw.Model("first"), lw.Model("second")
    (q,) = first.coordinates("q")
    second.coordinates("q")
    with pytest.raises(lw.ExpressionError, match=r"first.*second|second.*first"):
        second.speeds(u=dt(q))

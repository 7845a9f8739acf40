"""Buffinton §6.5.3: partial velocities of Table 6.3, the constraint (6.99), the beam that is drawn out and swung."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import latchwork as lw
from sliding_beam import START, TIME, arm, by_finite_elements

NU, L_A, L_T, L_P, L_D, L_C, L = 2, 0.4, 0.15, 0.3, 0.5, 0.2, 2.0


@cache
def robot():
    """The robot of Fig. 6.5: base A, beam B released from its supports, block C at its end."""
    model = lw.Model("robot")
    theta1, z1, z2, theta2 = model.coordinates("theta1", "z1", "z2", "theta2")
    speeds = model.speeds(w1=lw.dt(theta1), v1=-lw.dt(z1), v2=lw.dt(z2), w2=lw.dt(theta2))
    A = model.frame.rotated("A", theta1, model.frame.z)
    model.body("A", A, model.origin.at("A_star", L_A * A.y), 2.0, lw.inertia(A, zz=0.3))
    P_hat = model.origin.at("P_hat", -L_P * A.x + L_T * A.y)
    R = A.rotated("R", theta2, A.z)
    root = P_hat.at("R_star", -z1 * A.x + z2 * A.y)
    B = model.beam("B", R, root, L, EI=50.0, rho_A=1.2, modes=NU, shapes="free-free")
    C = B.tip_frame
    model.body("C", C, B.tip.at("C_star", L_C * C.x), 0.8, lw.inertia(C, zz=0.02))
    supports = [model.support("P", B, P_hat), model.support("Q", B, P_hat.at("Q_hat", L_D * A.x))]
    model.drive(supports[0], model.input("F"))
    small = [*B.q, z2, theta2]
    return model, B, A, R, P_hat, (theta1, z1, z2, theta2), speeds, small


def first_order(eq, expressions, small, q):
    """Value and slopes of expressions at small = 0."""
    still = {symbol: 0.0 for symbol in small}
    found = []
    for e in expressions:
        parts = [e, *lw.gradient(e, small)]
        found.append(eq.evaluate([part.subs(still) for part in parts], q=q, u=dict.fromkeys(eq.u_names, 0.0)))
    return np.array(found)


@pytest.mark.parametrize("s", [0.0, 0.7, L])
def test_partial_velocities_of_table_6_3(s):
    """v_r^G at a point of B, made linear in q, z2, θ2: every entry of the table, to 1e-12."""
    model, B, _, R, _, (_, z1, z2, theta2), speeds, small = robot()
    G = B.at(s)
    eq = model.equations()
    phi = [shape(s / L) for shape in B.deflection.fields["y"].shapes]
    eps = {key: series(s / L) / L for key, series in B.deflection.fields["y"].foreshortening.items()}
    q1, q2 = B.q
    deflection = phi[0] * q1 + phi[1] * q2
    rows = [
        (-(eps[0, 0] * q1 + eps[0, 1] * q2), phi[0]),
        (-(eps[0, 1] * q1 + eps[1, 1] * q2), phi[1]),
        (-(L_T + z2 + (L_P + z1) * theta2 + deflection), L_T * theta2 - L_P - z1 + s),
        (1.0, -theta2),
        (theta2, 1.0),
        (-deflection, s),
    ]
    u = [model.symbols[f"u_B_y{i}"] for i in (1, 2)] + list(speeds)
    v = eq.velocity(G)
    at = dict.fromkeys(eq.q_names, 0.0) | {"z1": 0.4, "theta1": 0.3}
    for speed, row in zip(u, rows, strict=True):
        partial = v.diff(speed)
        for axis, wanted in zip((R.x, R.y), row, strict=True):
            ours = first_order(eq, [partial.dot(axis)], small, at)
            theirs = first_order(eq, [wanted + 0.0 * z1], small, at)
            assert ours == pytest.approx(theirs, abs=1e-12)


def test_partial_velocities_of_the_block():
    """ω_r^C and v_r^C* of Table 6.3, to 1e-12."""
    model, B, _, R, _, (_, z1, _, _), speeds, small = robot()
    eq = model.equations()
    slope = [shape.derivative(1.0) / L for shape in B.deflection.fields["y"].shapes]
    u = [model.symbols[f"u_B_y{i}"] for i in (1, 2)] + list(speeds)
    at = dict.fromkeys(eq.q_names, 0.0) | {"z1": 0.4}
    w, v, v_tip = eq.angular_velocity(B.tip_frame), eq.velocity(model.points["C_star"]), eq.velocity(B.tip)
    turned = slope[0] * B.q[0] + slope[1] * B.q[1]
    turning = [slope[0], slope[1], 1.0, 0.0, 0.0, 1.0]
    for speed, own in zip(u, turning, strict=True):
        assert first_order(eq, [w.diff(speed).dot(R.z) + 0.0 * z1], small, at)[0, 0] == pytest.approx(own, abs=1e-12)
        beyond = v.diff(speed) - v_tip.diff(speed)
        ours = first_order(eq, [beyond.dot(R.x), beyond.dot(R.y)], small, at)
        theirs = first_order(eq, [-L_C * own * turned, L_C * own + 0.0 * z1], small, at)
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_the_constraint_6_99():
    """The rows of a support, freed of the rate of s, are Eq. 6.99 to first order, to 1e-12."""
    model, B, _, _, _, (_, _, z2, theta2), speeds, small = robot()
    s_P = model.symbols["s_P"]
    eq = model.equations()
    rows = next(constraint for constraint in model.constraints if constraint.name == "P")
    along, across = (lw.dt(e) for e in rows.zero)
    rates = {q: model.symbols[f"u_B_y{i}"] for i, q in enumerate(B.q, start=1)}
    u = [*rates.values(), *speeds]
    slides = [e.diff(lw.dt(s_P)) for e in (along, across)]
    free = [across * slides[0] - along * slides[1]]  # ṡ drops out
    nodes = eq.in_states([e.node for e in free])
    (row,) = (lw.Expr(model.graph, node) for node in nodes)
    at = dict.fromkeys(eq.q_names, 0.0) | {"z1": 0.7, "s_P": 0.7}
    phi = [shape.at(s_P / B.length) for shape in B.deflection.fields["y"].shapes]
    slope = [shape.derivative.at(s_P / B.length) / L for shape in B.deflection.fields["y"].shapes]
    turned = theta2 + slope[0] * B.q[0] + slope[1] * B.q[1]
    wanted = [phi[0], phi[1], 0.0 * z2, -turned, 1.0 + 0.0 * z2, s_P]
    for speed, coefficient in zip(u, wanted, strict=True):
        ours = first_order(eq, [row.diff(speed)], small, at)
        assert ours == pytest.approx(first_order(eq, [coefficient], small, at), abs=1e-12)


def test_the_drive_pushes_the_beam_as_6_101_says():
    """F on s, after the constraints, is F t at the material point and -F t at the support."""
    model, *_ = robot()
    names = model.equations().u_names
    q = dict.fromkeys(model.equations().q_names, 0.0) | {"s_P": 0.7, "s_Q": 1.2, "z1": 0.7, "theta1": 0.2}
    held = model.constrained(at=q)
    at = {"q": q, "u": dict.fromkeys(names, 0.0)}
    pushed, still = (np.array(held.udot(**at, r={"F": F})) for F in (1.0, 0.0))
    change = dict(zip(names, pushed - still, strict=True))
    mass = 1.2 * L + 0.8
    arm_length = L_T  # the push along A_1 turns the base back by its arm about O
    turning = change["w1"]
    assert change["v1"] == pytest.approx(1.0 / mass + arm_length * turning, rel=1e-9)
    assert change["u_P"] == pytest.approx(-change["v1"], rel=1e-9)


@cache
def reference():
    return by_finite_elements(n=16, steps=4000)


def deviation(modes, **options):
    """Largest distance of the tip from that of finite elements, and the run."""
    t, tip = reference()
    model, _, _, deflection = arm(modes, **options)
    run = lw.simulate(model, until=TIME, q=START)
    return np.abs(np.interp(t, run.t, run[deflection]) - tip).max(), run


def test_a_beam_drawn_out_and_swung():
    """Against finite elements with moving supports: supports kept to 1e-11, closer with more modes."""
    found = {n: deviation(n) for n in (1, 3)}
    assert np.abs(reference()[1]).max() > 4e-3
    assert found[3][0] < 4.5e-4
    assert found[3][0] < 0.6 * found[1][0]
    for _, run in found.values():
        assert run.audit.constraint_error < 1e-11
        assert run.audit.energy_error < 1e-9


def test_the_order_of_speeds_does_not_matter():
    """Arc lengths carry no mass; wherever their speeds stand, rows are as far apart as they are."""
    found = []
    for speeds_last in (False, True):
        model, *_ = arm(2, speeds_last=speeds_last)
        run = lw.simulate(model, until=TIME, q=START)
        assert run.audit.energy_error < 1e-9
        assert run.audit.constraint_error < 1e-14
        found.append([run[name][-1] for name in ("z2", "theta2", "q_B_y1", "q_B_y2")])
    assert found[0] == pytest.approx(found[1], abs=1e-12)


@pytest.mark.campaign
def test_the_manoeuvre_converges_with_the_number_of_modes():
    """From 2 to 8 modes the error falls by the power 1.4 of their number: point supports bend shapes sharply."""
    error = {n: deviation(n)[0] for n in (2, 4, 8)}
    order = np.log(error[2] / error[8]) / np.log(4.0)
    assert 1.0 < order < 2.0
    assert error[8] < 1e-4


def test_a_beam_that_leaves_its_support_ends_the_run():
    """A support beyond the end of the beam stops the run there, by name."""
    model = lw.Model("slips off")
    (z,) = model.coordinates("z")
    model.speeds()
    beam = model.beam("B", model.frame, model.origin.at("Ro", z * model.frame.x), 1.0, EI=1e3, rho_A=1.0)
    model.support("P", beam, model.origin)
    run = lw.simulate(model, until=3.0, q={"z": -0.5, "s_P": 0.5}, u={"u_z": -1.0, "u_P": 1.0})
    assert run.t[-1] == pytest.approx(0.5, abs=1e-9)
    assert "B leaves P" in str(run.events[-1])

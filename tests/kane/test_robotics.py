"""Inverse dynamics, gravity, Jacobians and the centre of mass, against the equations they come from."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork import dt
from random_trees import build, random_mechanism, random_state

SEEDS = seeds(range(6), range(60))


@pytest.fixture(params=SEEDS)
def at_state(request):
    """Equations of a random tree, and a state as keyword arguments."""
    mechanism = random_mechanism(request.param, bodies=4)
    equations, state = build(mechanism).model.equations(), random_state(mechanism)
    q, u = np.concatenate(state.q), np.concatenate(state.u)
    return equations, {"t": state.t, "q": q, "u": u}


def test_inverse_dynamics_undoes_forward_dynamics(at_state):
    """The motion that the loads cause needs no further force."""
    equations, state = at_state
    rates = equations.udot(**state)
    size = np.abs(equations.evaluate(equations.M, **state)).max() * max(1.0, np.abs(rates).max())
    assert equations.inverse(**state, udot=rates) == pytest.approx(np.zeros(len(rates)), abs=1e-10 * size)


def test_inverse_dynamics_is_the_equation_of_motion(at_state):
    """M u̇ + h - F_r for any u̇."""
    equations, state = at_state
    rates = np.linspace(-1.0, 1.0, len(equations.u))
    M, f = equations.evaluate(equations.M, **state), equations.evaluate(equations.f, **state).ravel()
    assert equations.inverse(**state, udot=rates) == pytest.approx(M @ rates - f, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("what", ["P", None, 3.0])
def test_jacobians_are_those_of_points_and_frames(what):
    """A name is no point: it is refused, and not taken for one that never moves."""
    model = lw.Model("slider")
    model.particle("P", model.prismatic("s").origin, 1.0)
    with pytest.raises(lw.ModelError, match="of 'slider' is that of one of its points or frames; got"):
        model.equations().jacobian(what)


def test_jacobians_give_velocities(at_state):
    """v = J u + v_t: the derivative of v with respect to each speed is a column of J."""
    equations, state = at_state
    body = equations.system.bodies[-1]
    v = equations.velocity(body.center)
    columns = [equations.evaluate(v.diff(u), **state) for u in equations.u]
    found = equations.evaluate(equations.jacobian(body.center), **state)
    assert found == pytest.approx(np.array(columns).T, rel=1e-11, abs=1e-12)
    w = equations.angular_velocity(body.frame)
    turning = [equations.evaluate(w.diff(u), **state) for u in equations.u]
    assert equations.evaluate(equations.jacobian(body.frame), **state) == pytest.approx(np.array(turning).T, abs=1e-12)


@pytest.fixture
def arm():
    """Two rods in a vertical plane."""
    model = lw.Model("arm")
    m, L, g = model.parameters(m=2.0, L=0.5, g=9.81)
    (q1, q2) = model.coordinates("q1", "q2")
    N = model.frame
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.z)
    elbow = model.origin.at("elbow", L * A.x)
    model.body("upper", A, model.origin.at("a", 0.5 * L * A.x), m, lw.inertia(A, zz=m * L**2 / 12))
    model.body("lower", B, elbow.at("b", 0.5 * L * B.x), m, lw.inertia(B, zz=m * L**2 / 12))
    model.gravity(-g * N.y)
    return model


def test_gravity_forces_are_the_slope_of_the_potential(arm):
    """F_r of gravity = -∂V/∂q_r where u = q̇."""
    equations = arm.equations()
    slope = [-equations.evaluate(equations.potential_energy.diff(q), [0.3, 0.8], [0, 0]) for q in equations.q]
    found = equations.evaluate(equations.gravity_forces, [0.3, 0.8], [0, 0]).ravel()
    assert found == pytest.approx(slope, rel=1e-13)


def test_the_centre_of_mass_moves_with_the_momentum(arm):
    """Σ m times the velocity of the centre of mass is the linear momentum."""
    equations = arm.equations()
    state = {"q": [0.3, 0.8], "u": [0.5, -0.7]}
    x, y, _ = equations.center_of_mass().measures(arm.frame)
    velocity = [equations.evaluate(dt(e), **state) for e in (x, y)]
    momentum = equations.evaluate(equations.linear_momentum(), **state)
    assert 4.0 * np.array(velocity) == pytest.approx(momentum[:2], rel=1e-13)


def test_a_model_without_mass_has_no_centre(arm):
    """No mass, no centre of mass."""
    empty = lw.Model("empty")
    empty.coordinates("q1")
    with pytest.raises(lw.ModelError, match="'empty' has no mass"):
        empty.equations().center_of_mass()


def test_missing_accelerations_are_named(arm):
    """Inverse dynamics asks for every u̇."""
    with pytest.raises(lw.EvaluationError, match="accelerations udot of 'arm': no value for u2"):
        arm.equations().inverse([0, 0], [0, 0], {"u1": 1.0})

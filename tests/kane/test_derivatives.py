"""Derivatives of inverse and forward dynamics, against complex steps through the programs they come from."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.kane.derivatives import _direction_by_direction, _row_by_row, partials, tangent
from latchwork.kane.values import argument_vector
from latchwork.program.interpret import results
from random_trees import build, build_by_hand, random_mechanism, random_state, relative_error

H = 1e-30  # complex step: exact to rounding
SEEDS = seeds(range(4), range(100))
TOLERANCE = 1e-11

COMPLEX = {
    "neg": operator.neg, "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "pow": np.power,
    "lt": lambda a, b: np.real(a) < np.real(b), "select": np.where,
}  # fmt: skip


def complex_steps(program, x):
    """∂ outputs / ∂ inputs of a program, all inputs at once."""
    steps = x[:, None] + 1j * H * np.eye(len(x))
    outputs = results(program, [*steps, *program.constants], COMPLEX)
    return np.array([np.broadcast_to(np.imag(y), len(x)) for y in outputs]) / H


class Case:
    """Equations of a mechanism at a state, with τ and u̇ differentiated by complex steps."""

    def __init__(self, mechanism, built, seed=0):
        self.state = random_state(mechanism, seed).arguments
        self.equations = eq = built.model.equations()
        self.rates = np.linspace(-1.0, 1.0, len(eq.u))
        x = argument_vector(eq.system, **self.state)
        ends = np.cumsum([1, len(eq.q), len(eq.u), len(eq.r), len(eq.p), len(eq.u)])
        inverse = complex_steps(eq.inverse_program, np.concatenate([x, self.rates]))
        self.tau = dict(zip("tqurpa", np.split(inverse, ends[:-1], axis=1), strict=True))
        forward = complex_steps(eq.udot_program, x)
        self.udot = dict(zip("tqurp", np.split(forward, ends[:4], axis=1), strict=True))

    def worst(self, found, true):
        return max(relative_error(a, b) for a, b in zip(found, true, strict=True))


@pytest.fixture(params=SEEDS)
def case(request):
    mechanism = random_mechanism(request.param, bodies=1 + request.param % 4)
    return Case(mechanism, build(mechanism))


def test_inverse_dynamics_is_differentiated(case):
    """∂τ/∂q, ∂τ/∂u and M for any u̇."""
    found = case.equations.inverse_derivatives(**case.state, udot=case.rates)
    assert case.worst(found, [case.tau[x] for x in "qua"]) < TOLERANCE


def test_forward_dynamics_is_differentiated(case):
    """∂u̇/∂q, ∂u̇/∂u and ∂u̇/∂r; across the unit sphere of a quaternion q cannot move, so there nothing is said."""
    W = case.equations.evaluate(case.equations.W, **case.state)
    P = W @ np.linalg.pinv(W)
    by_q, *rest = case.equations.forward_derivatives(**case.state)
    assert case.worst([by_q @ P, *rest], [case.udot["q"] @ P, case.udot["u"], case.udot["r"]]) < TOLERANCE


def test_tangents_follow_the_motion_of_coordinates(case):
    """Tangents are derivatives along δq = W δu; those with respect to u, u̇ and r are the same."""
    W = case.equations.evaluate(case.equations.W, **case.state)
    found = case.equations.inverse_tangents(**case.state, udot=case.rates)
    assert case.worst(found, [case.tau["q"] @ W, case.tau["u"], case.tau["a"]]) < TOLERANCE
    found = case.equations.forward_tangents(**case.state)
    assert case.worst(found, [case.udot["q"] @ W, case.udot["u"], case.udot["r"]]) < TOLERANCE


def test_parameters_and_time_are_symbols_too(case):
    """∂u̇/∂p and ∂u̇/∂t by the same rule."""
    eq = case.equations
    assert relative_error(eq.evaluate(eq.forward_jacobian(eq.p), **case.state), case.udot["p"]) < TOLERANCE
    assert relative_error(eq.evaluate(eq.forward_jacobian([eq.t]), **case.state), case.udot["t"]) < TOLERANCE


def test_both_kinds_of_sweeps_agree(case):
    """Forward and reverse sweeps give the same numbers."""
    eq = case.equations
    tau = [e.node for e in eq.inverse_expressions]
    directions = [*tangent(eq), *partials(eq.u), *partials(eq.p)]
    rows = [sweep(eq.system.graph, tau, directions) for sweep in (_direction_by_direction, _row_by_row)]
    entries = [[lw.Expr(eq.system.graph, node) for row in each for node in row] for each in rows]
    a, b = (eq.evaluate(each, **case.state) for each in entries)
    assert relative_error(a, b) < TOLERANCE


@pytest.mark.parametrize("seed", range(4))
def test_other_speeds_have_their_own_tangents(seed):
    """Where u = S(q) q̇ + c(q, t), W is not the identity."""
    mechanism = random_mechanism(seed, bodies=2, kinds=["revolute", "prismatic", "gimbal"])

    def speeds(rates, q, t):
        return {f"w{i}": rate * (1.5 + lw.sin(q[i])) + 0.2 * lw.cos(t) * q[0] for i, rate in enumerate(rates)}

    case = Case(mechanism, build_by_hand(mechanism, speeds), seed)
    W = case.equations.evaluate(case.equations.W, **case.state)
    assert case.worst(case.equations.forward_tangents(**case.state)[:1], [case.udot["q"] @ W]) < TOLERANCE
    assert case.worst(case.equations.forward_derivatives(**case.state), [case.udot[x] for x in "qur"]) < TOLERANCE


def test_added_loads_and_changed_speeds_are_differentiated():
    """Loads that came later, and equations carried over to other speeds."""
    eq = pendulum().equations()
    P = eq.system.bodies[0].center
    k = lw.Spring(eq.system.tree.origin.at("wall", 2.0 * eq.system.tree.newtonian.x), P, 3.0, 0.4, 0.2)
    (u,), state = eq.u, {"q": [0.7], "u": [0.4], "r": [0.3]}
    for other in (eq.with_loads(k), eq.with_loads(k).in_speeds(w=u * (2.0 + lw.sin(eq.q[0])))):
        true = complex_steps(other.udot_program, argument_vector(other.system, **state))[:, 1:4]
        assert np.hstack(other.forward_derivatives(**state)) == pytest.approx(true, rel=1e-12, abs=1e-12)


def pendulum():
    """A bob on a rod with a motor."""
    model = lw.Model("pendulum")
    m, L, g = model.parameters(m=2.0, L=0.5, g=9.81)
    (q,) = model.coordinates("q")
    T = model.input("T", 0.0)
    A = model.frame.rotated("A", q, model.frame.z)
    model.particle("bob", model.origin.at("P", -L * A.y), m)
    model.gravity(-g * model.frame.y)
    model.torque(A, T * A.z)
    return model


def test_small_systems_can_be_read():
    """u̇ = -g sin(q)/L + T/(m L²), differentiated on paper."""
    eq = pendulum().equations()
    assert str(eq.inverse_jacobian(eq.system.u_rates)[0, 0]) == str(eq.M[0, 0])
    q, m, L, T = 0.7, 2.0, 0.5, 0.3
    state = {"q": [q], "u": [0.4], "r": [T]}
    found = [matrix[0, 0] for matrix in eq.forward_derivatives(**state)]
    assert found == pytest.approx([-9.81 * np.cos(q) / L, 0.0, 1.0 / (m * L**2)], rel=1e-14)
    by_m, by_L, by_g = eq.evaluate(eq.forward_jacobian(eq.p), **state)[0]
    exact = [-T / (m * L) ** 2, 9.81 * np.sin(q) / L**2 - 2.0 * T / (m * L**3), -np.sin(q) / L]
    assert [by_m, by_L, by_g] == pytest.approx(exact, rel=1e-13)


def test_massless_speeds_are_named():
    """Derivatives of u̇ need an M that can be solved."""
    model = lw.Model("idle")
    model.coordinates("q")
    with pytest.raises(lw.EvaluationError, match="speed 'u' of 'idle' moves no mass"):
        model.equations().forward_derivatives([0.0], [0.0])


def test_derivatives_that_are_not_finite_are_refused():
    """A spring without length has no direction, and says so."""
    model = lw.Model("point")
    (q,) = model.coordinates("q")
    P = model.origin.at("P", q * model.frame.x)
    model.particle("bob", P, 1.0)
    model.spring(model.origin, P, 1.0, 0.3)
    with pytest.raises(lw.EvaluationError, match="derivatives of 'point' are not finite at t = 0, q = 0"):
        model.equations().forward_derivatives([0.0], [0.0])
    with pytest.raises(lw.EvaluationError, match="accelerations udot of 'point': no value for u"):
        model.equations().inverse_derivatives([1.0], [0.0])

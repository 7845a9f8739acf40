"""The handle: a point of a body, its motion, and the mass that is felt there."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork.errors import EvaluationError
from latchwork.realtime.handle import Handle
from realtime_mechanisms import block, free_body, random_state, two_links

MODELS = {"free body": (free_body, "stone"), "two links": (two_links, "lower"), "block": (block, "block")}
ARM = (0.3, -0.2, 0.15)


@pytest.fixture(scope="module", params=MODELS)
def taken(request):
    build, name = MODELS[request.param]
    equations = build().equations()
    return equations, Handle(equations, name)


@pytest.mark.parametrize("seed", range(3))
def test_a_handle_is_the_point_at_its_arm(taken, seed):
    """Place and velocity are those of a point that the model itself has at the arm."""
    equations, handle = taken
    q, u = random_state(equations, seed)
    pose = handle.at(0.0, np.concatenate([q, u]), ARM)
    frame = handle.body.frame or equations.system.tree.newtonian
    offset = frame.vector(*ARM)
    center = equations.evaluate(handle.body.center.position(), q, u)
    lever = equations.evaluate(offset, q, u)
    velocity = equations.velocity(handle.body.center)
    if handle.body.frame is not None:
        velocity = velocity + equations.angular_velocity(frame).cross(offset)
        assert pose.omega == pytest.approx(equations.evaluate(equations.angular_velocity(frame), q, u), abs=1e-14)
    assert pose.place == pytest.approx(center + lever, abs=1e-14)
    assert pose.lever == pytest.approx(lever, abs=1e-14)
    assert pose.velocity == pytest.approx(equations.evaluate(velocity, q, u), abs=1e-14)


def test_the_velocity_is_the_derivative_of_the_place():
    """A short step along q̇ moves the handle by its velocity."""
    equations = free_body().equations()
    handle = Handle(equations, "stone")
    q, u = random_state(equations, 7)
    h, rate = 1e-6, equations.qdot(q, u)
    ahead, behind = (handle.at(0.0, np.concatenate([q + s * h * rate, u]), ARM) for s in (1.0, -1.0))
    here = handle.at(0.0, np.concatenate([q, u]), ARM)
    assert (np.array(ahead.place) - behind.place) / (2 * h) == pytest.approx(np.array(here.velocity), abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_a_push_at_the_handle_moves_the_least_mass(taken, seed):
    """Over all directions, the largest acceleration that a unit force at P gives P along itself is 1/m."""
    equations, handle = taken
    q, u = random_state(equations, seed)
    x = np.concatenate([q, 0 * u])
    M = equations.evaluate(equations.M, q, 0 * u)
    speeds = np.eye(len(u))
    moving = [handle.at(0.0, np.concatenate([q, row]), ARM) for row in speeds]
    J, W = (np.array(columns).T for columns in zip(*((p.velocity, p.omega) for p in moving), strict=True))
    rng = np.random.default_rng(seed)
    along = rng.normal(size=(20000, 3))
    along /= np.linalg.norm(along, axis=1)[:, None]
    found = handle.masses(0.0, x, ARM)
    for jacobian, least in ((J, found.mass), (W, found.inertia)):
        mobility = np.einsum("ki,ij,kj->k", along, jacobian @ np.linalg.solve(M, jacobian.T), along)
        assert mobility.max() == pytest.approx(1.0 / least, rel=2e-3)


def test_a_free_body_is_lightest_beside_its_centre():
    """At the mass centre the mass is the body's own; at an arm r on a principal axis 1/m + r²/I is felt."""
    equations = free_body().equations()
    handle = Handle(equations, "stone")
    q, u = random_state(equations, 1)
    x = np.concatenate([q, u])
    assert handle.masses(0.0, x, (0.0, 0.0, 0.0)) == pytest.approx((3.0, 0.4))
    assert handle.masses(0.0, x, (0.0, 0.5, 0.0)).mass == pytest.approx(1.0 / (1.0 / 3.0 + 0.25 / 0.4))


def test_rows_add_mass():
    """With the elbow held, the lower rod is a pendulum: I/r² at its end instead of less; held at both, infinite."""
    equations = two_links().equations()
    handle = Handle(equations, "lower")
    x, end = np.array([0.4, 1.1, 0.0, 0.0]), (0.0, -0.4, 0.0)
    held = handle.masses(0.0, x, end, rows=np.array([[1.0, 0.0]]))
    assert held.mass == pytest.approx((0.08 + 1.5 * 0.16) / 0.64)
    assert handle.masses(0.0, x, end).mass < held.mass
    assert handle.masses(0.0, x, end, rows=np.eye(2)) == (math.inf, math.inf)


def test_parameters_can_be_given():
    """A slider that changes a length changes the place."""
    model = lw.Model("arm")
    (L,) = model.parameters(L=1.0)
    (x,) = model.coordinates("x")
    model.speeds(v=lw.dt(x))
    model.particle("bob", model.origin.at("P", L * x * model.frame.x), 1.0)
    handle = Handle(model.equations(), "bob")
    assert handle.at(0.0, [2.0, 1.0], (0.0, 0.0, 0.0), p=[3.0]).place == (6.0, 0.0, 0.0)
    assert handle.at(0.0, [2.0, 1.0], (0.0, 0.0, 0.0)).place == (2.0, 0.0, 0.0)


def test_a_body_that_is_not_there_is_named():
    """The error says which name, and which was meant."""
    with pytest.raises(EvaluationError, match=r"'lowr' is not a body of 'two links'. Did you mean 'lower'"):
        Handle(two_links().equations(), "lowr")

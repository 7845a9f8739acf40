"""Equations made linear early are those made linear afterwards."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork import cos, dt, sin
from latchwork.errors import ConstraintError, SpeedsError
from random_trees import build, random_mechanism, random_state
from small_mechanisms import G, cart_and_pole, conical, disk

SEEDS = seeds(range(5), range(60))
PLAIN = ["revolute", "prismatic", "cylindrical", "universal", "planar"]  # q̇ vanishes with u, and q may vanish
TOLERANCE = 1e-10


@pytest.fixture(params=SEEDS)
def whole(request):
    """Equations of a random tree, loads and moving mounts included."""
    mechanism = random_mechanism(request.param, bodies=1 + request.param % 3, kinds=PLAIN)
    return build(mechanism).model.equations(), random_state(mechanism, request.param).arguments


def differ(early, late):
    """The largest difference of matrices, relative to the largest number in each."""
    pairs = zip(early, late, strict=True)
    return max(np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)) for a, b in pairs)


def first_order(eq, at, udot):
    """τ = M u̇ + h − F_r and its derivatives in q, u and u̇."""
    return (eq.inverse(**at, udot=udot), *eq.inverse_derivatives(**at, udot=udot))


def test_all_small(whole):
    """About q = 0, u = 0, u̇ = 0, whatever the loads and the mounts do there."""
    eq, state = whole
    at = state | {"q": np.zeros(len(eq.q)), "u": np.zeros(len(eq.u))}
    early = eq.for_small(*eq.q, *eq.u)
    assert differ(first_order(early, at, at["u"]), first_order(eq, at, at["u"])) < TOLERANCE


def test_some_small(whole):
    """The last coordinate and its speed are small, the others are not."""
    eq, state = whole
    q, u, udot = np.array(state["q"]), np.array(state["u"]), np.linspace(-1.0, 1.0, len(eq.u))
    q[-1] = u[-1] = udot[-1] = 0.0
    early = eq.for_small(eq.q[-1], eq.u[-1])
    at = state | {"q": q, "u": u}
    assert differ(first_order(early, at, udot), first_order(eq, at, udot)) < TOLERANCE


def test_linear_equations_are_linear():
    """M is constant and f is linear where every coordinate and speed is small."""
    eq = cart_and_pole().equations().for_small("x", "theta", "v", "w")
    assert eq.M.free_symbols == set() or {s.kind for s in eq.M.free_symbols} == {"parameter"}
    F, theta = eq.r[0], eq.q[1]
    assert eq.evaluate(eq.f, q=[0.3, 0.2], u=[1, 2], r=[5.0]).ravel() == pytest.approx([5.0, 0.5 * G * 0.7 * 0.2])
    assert {s.name for s in eq.f.free_symbols} == {F.name, theta.name}


def spinning_arm() -> lw.Model:
    """A particle on an arm of length L hinged to the rim, of radius R, of a hub that turns at a constant rate."""
    model = lw.Model("spinning arm")
    m, R, L, rate = model.parameters(m=0.7, R=0.5, L=0.3, rate=3.0)
    (q,) = model.coordinates("q")
    model.speeds(u=dt(q))
    N, O = model.frame, model.origin
    hub = N.rotated("hub", rate * model.time, N.z)
    model.particle("tip", O.at("rim", R * hub.x).at("tip", L * (cos(q) * hub.x + sin(q) * hub.y)), m)
    return model


def test_partial_velocities_are_taken_before_anything_is_dropped():
    """q̈ = −(R/L) Ω² q: linear velocities alone would give q̈ = +Ω² q, an arm that does not point outwards."""
    model = spinning_arm()
    early = model.equations().for_small("q", "u")
    assert early.udot(q=[0.01], u=[0.0]) == pytest.approx([-0.5 / 0.3 * 9.0 * 0.01])
    q, u, R, L, rate = (model.symbols[name] for name in ("q", "u", "R", "L", "rate"))
    hub = model.frames["hub"]
    premature = -L * rate * q * hub.x + ((R + L) * rate + L * u) * hub.y  # the velocity, linear
    inertia = premature.diff(u).dot(premature.dt_in(hub) + rate * hub.z.cross(premature))
    residual = inertia.subs({dt(q): u, dt(u): rate**2 * q})
    assert model.equations().evaluate(residual, q=[0.01], u=[0.2]) == pytest.approx(0.0, abs=1e-14)


def test_a_spin_that_is_not_small():
    """The conical pendulum near the vertical, at any spin: θ̈ = (Ω² − g/L) θ, with no sine or cosine left."""
    model = lw.Model("shaft")
    spin = model.parameter("spin", 4.0)
    (angle,) = model.coordinates("angle")
    model.speeds(swing=dt(angle))
    N = model.frame
    A = N.rotated("A", spin * model.time, N.z)
    model.particle("bob", model.origin.at("P", 0.8 * (sin(angle) * A.x - cos(angle) * A.z)), 0.3)
    model.gravity(-G * N.z)
    early = model.equations().for_small("angle", "swing")
    assert early.udot(q=[0.1], u=[0.5]) == pytest.approx([(16.0 - G / 0.8) * 0.1])
    assert early.operations.trig == 0


def test_early_equations_are_shorter():
    """Nothing is formed that would be dropped."""
    eq = disk().equations()
    early = eq.for_small("lean", "yaw", "u_lean", "u_yaw")
    assert early.operations.total < eq.operations.total


def test_constraints_can_be_embedded():
    """A disk that rolls nearly upright: early or late, the same small motions."""
    model = disk()
    at, u = {"z": 0.5, "yaw": 0.0, "lean": 0.0}, {"u_yaw": 0.0, "u_lean": 0.0, "u_roll": 3.0}
    choice = {"independent": ["u_yaw", "u_lean", "u_roll"], "at": at}
    whole = model.constrained(**choice)
    small = model.equations().for_small("lean", "yaw", "u_lean", "u_yaw", "u_z", "u_y")
    small = small.embed(*model.constraints, **choice)
    assert differ([small.linearize(q=at, u=u).A], [whole.linearize(q=at, u=u).A]) < TOLERANCE
    with pytest.raises(ConstraintError, match=r"'disk' is linear in lean, yaw.*cannot be derived again"):
        str(small.equations)


def test_loads_added_afterwards():
    """A load added to linear equations is linear too."""
    model = cart_and_pole()
    eq, theta = model.equations(), model.symbols["theta"]
    push = lw.Force(model.points["P"], 3.0 * sin(theta) * model.frame.x)
    added = eq.for_small("x", "theta", "v", "w").with_loads(push)
    assert added.evaluate(added.f, q=[0.0, 0.4], u=[0, 0])[0, 0] == pytest.approx(3.0 * 0.4)


def test_what_does_not_stay_small():
    """A coordinate whose rate is not small cannot be small, nor can what is unknown."""
    eq = conical().equations()
    with pytest.raises(SpeedsError, match="'azimuth' of 'conical pendulum' is to be small, but its rate spin is not"):
        eq.for_small("azimuth")
    with pytest.raises(SpeedsError, match="'angel' is no coordinate or speed of 'conical pendulum'"):
        eq.for_small("angel")
    with pytest.raises(SpeedsError, match="Exchange speeds first"):
        eq.for_small("angle", "swing").in_speeds(w=eq.u[1])

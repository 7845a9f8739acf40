"""Impedance, admittance and inverse-dynamics display: one interface, each against a closed form or a constraint."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork import cos, sin
from latchwork.realtime.coupler import Coupler
from latchwork.realtime.devices.device import NULL, Reading
from latchwork.realtime.display import Admittance, Impedance, InverseDynamics
from latchwork.realtime.handle import Handle
from latchwork.realtime.response import WRENCHES, Response, force_for
from realtime_mechanisms import free_body, pushed_links, random_state, stepped, still, two_links

STEP = 1e-3
TIP = (0.0, -0.4, 0.0)


def never():
    raise AssertionError("nobody needs to know")


class Mass:
    """A mass m on a spring k, ticked under a held force; its handle moves along N.x."""

    def __init__(self, m, k=0.0):
        self.m, self.k, self.x = m, k, np.zeros(2)

    @property
    def pose(self):
        return still((float(self.x[0]), 0.0, 0.0), (float(self.x[1]), 0.0, 0.0))

    def answer(self):
        mobility = np.diag([1.0 / self.m, 0.0, 0.0, 0.0, 0.0, 0.0])
        return Response(np.array([-self.k / self.m * self.x[0], 0.0, 0.0, 0.0, 0.0, 0.0]), mobility)

    def tick(self, force):
        self.x = stepped(lambda t, x: np.array([x[1], (force[0] - self.k * x[0]) / self.m]), 0.0, self.x, STEP)


def displayed(display, mass, hand, ticks):
    """Forces felt, one a tick, and where the mass then is; ``hand`` gives the reading at a time."""
    felt, places = [], []
    for tick in range(ticks):
        action = display.act(hand(tick * STEP), mass.pose, mass.answer)
        mass.tick(action.force)
        felt.append(action.felt[0])
        places.append(mass.x[0])
    return np.array(felt), np.array(places)


def under(equations, handle, x):
    """u̇ under every unit wrench at the tip: M⁻¹ (f + J_vᵀ F + J_ωᵀ T) about the mass centre, J by unit speeds."""
    q, u = x[:2], x[2:]
    units = [handle.at(0.0, [*q, *row], NULL) for row in np.eye(2)]
    M, free = equations.evaluate(equations.M, q, u), equations.udot(q, u)
    J_v, J_w = np.array([pose.velocity for pose in units]), np.array([pose.omega for pose in units])
    moved = [handle.at(0.0, x, TIP).about_center(*wrench) for wrench in WRENCHES]
    return np.array([free + np.linalg.solve(M, J_v @ force + J_w @ torque) for force, torque in moved])


def moving(x, v, force=0.0):
    return Reading("b", place=(x, 0.0, 0.0), velocity=(v, 0.0, 0.0), force=(force, 0.0, 0.0))


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_impedance_shows_a_mass_behind_a_spring():
    """A device held at rest at distance d from a mass on a critically damped coupler: x = d (1 − (1 + ω t) e^−ωt)."""
    m, omega, d = 0.8, 40.0, 0.05
    coupler = Coupler(m * omega**2, 2.0 * m * omega)
    felt, places = displayed(Impedance(coupler), Mass(m), lambda t: moving(d, 0.0), 300)
    t = STEP * np.arange(1, 301)
    assert felt[0] == pytest.approx(-coupler.stiffness * d)
    assert places == pytest.approx(d * (1.0 - (1.0 + omega * t) * np.exp(-omega * t)), abs=0.025 * d)


def test_impedance_shows_a_spring():
    """Moved slowly, a mass on a spring feels like the spring behind the coupler: k K/(k + K)."""
    K, k = 4000.0, 1000.0
    hand = lambda t: moving(0.02 * min(t, 1.0), 0.02 * (t < 1.0))  # noqa: E731
    felt, _ = displayed(Impedance(Coupler(K, 80.0)), Mass(0.5, k), hand, 2000)
    assert felt[-1] == pytest.approx(-0.02 * k * K / (k + K), rel=1e-4)


def test_admittance_gives_the_hands_force_to_the_mechanism():
    """A force f on a mass: ½ f t²/m, exactly; the device feels no force, and nobody asks for accelerations."""
    display, mass = Admittance(most=10.0), Mass(2.0)
    for _ in range(500):
        action = display.act(moving(9.0, 9.0, force=3.0), mass.pose, never)
        mass.tick(action.force)
        assert (action.felt, action.felt_torque) == (NULL, NULL)
    assert mass.x == pytest.approx([0.5 * 3.0 * 0.25 / 2.0, 3.0 * 0.5 / 2.0], rel=1e-12)
    assert display.act(moving(0.0, 0.0, force=-30.0), mass.pose, never).force == (-10.0, 0.0, 0.0)


def test_admittance_of_a_mass_on_a_spring_settles_where_the_spring_holds():
    """Under f with the hand's own damping the mass comes to rest at f/k."""
    mass, display = Mass(0.5, 200.0), Admittance()
    for _ in range(3000):
        mass.tick(display.act(moving(0.0, 0.0, force=4.0 - 10.0 * mass.x[1]), mass.pose, never).force)
    assert mass.x == pytest.approx([4.0 / 200.0, 0.0], abs=1e-6)


def test_inverse_dynamics_of_a_mass_is_newtons_law():
    """Moved at a constant acceleration the mass follows, and −m a is felt."""
    felt, places = displayed(InverseDynamics(STEP), Mass(1.7), lambda t: moving(1.5 * t**2, 3.0 * t), 200)
    t = STEP * np.arange(1, 201)
    assert felt[100:] == pytest.approx(-1.7 * 3.0, rel=1e-9)
    assert places[100:] == pytest.approx(1.5 * t[100:] ** 2, abs=1e-9)


def test_inverse_dynamics_of_a_spring_is_its_force():
    """Moved at a constant speed, −k x is felt, up to what the spring does within a tick."""
    k, v = 300.0, 0.4
    felt, _ = displayed(InverseDynamics(STEP), Mass(0.9, k), lambda t: moving(v * t, v), 400)
    assert felt[50:] == pytest.approx(-k * v * STEP * np.arange(50, 400), abs=2.0 * k * v * STEP)


# --- mechanisms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_of_a_handle_are_derivatives_of_its_velocity(seed):
    """A short step along q̇ and u̇ changes the velocity by the acceleration."""
    equations = free_body().equations()
    handle, (q, u) = Handle(equations, "stone"), random_state(equations, seed)
    udot = np.random.default_rng(seed).normal(size=len(u))
    arm, h, rate = (0.3, -0.1, 0.2), 1e-6, equations.qdot(q, u)
    ahead, behind = (handle.at(0.0, np.concatenate([q + s * rate, u + s * udot]), arm) for s in (h, -h))
    a, alpha = handle.acceleration(0.0, np.concatenate([q, u]), udot, arm)
    assert a == pytest.approx((np.array(ahead.velocity) - behind.velocity) / (2 * h), abs=1e-7)
    assert alpha == pytest.approx((np.array(ahead.omega) - behind.omega) / (2 * h), abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_the_force_is_that_of_the_constraint(seed):
    """At any state, the force that gives the tip the device's acceleration is λ of a constraint that moves with it."""
    model, lower = pushed_links()
    equations, N, t = model.equations(), model.frame, model.time
    (q, u), rng = random_state(equations, seed), np.random.default_rng(seed)
    handle, x = Handle(equations, "lower"), np.concatenate([q, u])
    pose, wanted = handle.at(0.0, x, TIP), rng.normal(size=2) * 5.0
    tip = lower.center.at("P", -0.4 * lower.frame.y).position()
    path = [pose.place[k] + pose.velocity[k] * t + 0.5 * wanted[k] * t**2 for k in (0, 1)]
    driven = lw.Constraint("driven", [tip.dot(N.x) - path[0], tip.dot(N.y) - path[1]])
    lam = equations.embed(driven, at=q).reactions(q, u, r=[0.0, 0.0])["driven"].lam
    force, torque = force_for(handle.answer(under(equations, handle, x), 0.0, x, TIP), (*wanted, 0.0))
    assert force == pytest.approx((*lam, 0.0), rel=1e-9)
    assert torque == NULL


def test_the_mobility_is_the_inverse_of_the_effective_mass():
    """The largest eigenvalue of the probed Λ⁻¹ is 1/m of the handle."""
    equations = two_links().equations()
    handle, x = Handle(equations, "lower"), np.array([0.3, 0.9, 0.0, 0.0])
    answer = handle.answer(under(equations, handle, x), 0.0, x, TIP)
    assert np.linalg.eigvalsh(answer.mobility[:3, :3]).max() == pytest.approx(1.0 / handle.masses(0.0, x, TIP).mass)


def test_a_driven_mechanism_feels_as_under_a_constraint():
    """Tick by tick along a path, motion and felt force are those of a run with the moving constraint, up to a tick."""
    model, lower = pushed_links()
    equations, N, t = model.equations(), model.frame, model.time
    q0, handle = np.array([0.5, 0.8]), Handle(model.equations(), "lower")
    start = handle.at(0.0, [*q0, 0.0, 0.0], TIP).place
    tip = lower.center.at("P", -0.4 * lower.frame.y).position()
    formulas = (start[0] + 0.1 * (1.0 - cos(4.0 * t)), start[1] + 0.05 * (4.0 * t - sin(4.0 * t)))
    driven = lw.Constraint("driven", [tip.dot(N.x) - formulas[0], tip.dot(N.y) - formulas[1]])
    constrained = equations.embed(driven, at=q0)

    def hand(time):
        s, c = math.sin(4.0 * time), math.cos(4.0 * time)
        place = (start[0] + 0.1 * (1.0 - c), start[1] + 0.05 * (4.0 * time - s), 0.0)
        return Reading("lower", TIP, place, (0.4 * s, 0.2 * (1.0 - c), 0.0))

    def rate(time, x, force):
        return np.concatenate([equations.qdot(x[:2], x[2:]), equations.udot(x[:2], x[2:], force, t=time)])

    display, x = InverseDynamics(STEP), np.array([*q0, 0.0, 0.0])
    for tick in range(300):
        time, pose = tick * STEP, handle.at(tick * STEP, x, TIP)
        answer = handle.answer(under(equations, handle, x), time, x, TIP)
        action = display.act(hand(time), pose, lambda answer=answer: answer)
        x = stepped(lambda s, y, F=action.force[:2]: rate(s, y, F), time, x, STEP)
    assert handle.at(0.3, x, TIP).place == pytest.approx(hand(0.3).place, abs=2e-6)
    lam = constrained.reactions(x[:2], x[2:], r=[0.0, 0.0], t=0.3)["driven"].lam
    assert action.felt[:2] == pytest.approx(-lam, rel=0.02)


@pytest.mark.parametrize("turning", [None, (0.3, -0.2, 0.5)])
@pytest.mark.parametrize("rank", [0, 1, 2, 3, 6])
def test_the_force_is_the_least_that_comes_nearest(turning, rank):
    """Λ (a − a_free) is the least-squares answer of least norm, as NumPy finds it, for any mobility of any rank."""
    rng, n = np.random.default_rng(rank), 3 if turning is None else 6
    mobility = rng.normal(size=(6, rank)) @ rng.normal(size=(rank, 6))
    response, wanted = Response(rng.normal(size=6), mobility), (1.0, -2.0, 0.4)
    missing = np.array([*wanted, *(turning or ())]) - response.free[:n]
    expected = np.linalg.lstsq(mobility[:n, :n], missing, rcond=1e-9)[0]
    force, torque = force_for(response, wanted, turning)
    assert [*force, *torque] == pytest.approx([*expected, *[0.0] * (6 - n)], abs=1e-9)

"""Elastic bodies in the general derivation: the same as a beam cut into particles, energy, momentum, gravity."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import latchwork as lw
from latchwork.flexible.quadrature import gauss_points


def thrown(modes, *, by_particles=False, gravity=True, twist=False):
    """A hub that is free in space with a beam on it; its mass as it is, or as particles at Gauss points."""
    model = lw.Model("thrown")
    hub = model.free("hub")
    model.body("block", hub, hub.origin, 0.7, lw.inertia(hub.frame, 0.3, 0.4, 0.5))
    root = hub.origin.at("corner", hub.frame.vector(0.2, 0.1, -0.3))
    more = {"GJ": 1.5, "rho_J": 0.02} if twist else {}
    beam = model.beam("b", hub.frame, root, 1.3, EI={"y": 2.0, "z": 3.0}, rho_A=0.8, EA=40.0, modes=modes, **more)
    if gravity:
        model.gravity(-9.81 * model.frame.z)
    if by_particles:
        for k, (x, w) in enumerate(zip(*gauss_points(), strict=True)):
            model.particle(f"P{k}", beam.at(1.3 * float(x)), 0.8 * 1.3 * float(w))
        model._elastic_bodies.clear()
    return model, beam


def state(equations, seed=5, bend=1.0):
    rng = np.random.default_rng(seed)
    q, u = rng.normal(size=len(equations.q)), rng.normal(size=len(equations.u))
    q[3:7] /= np.linalg.norm(q[3:7])
    q[7:] *= bend
    u[6:] *= bend
    return q, u


@pytest.mark.parametrize("modes", [{"y": 2}, {"y": 1, "z": 1}, {"y": 2, "z": 1, "stretch": 1}])
def test_a_beam_is_the_sum_of_its_particles(modes):
    """To first order in elastic quantities, forty particles at Gauss points give the same equations in any motion."""
    (whole, _), (cut, _) = thrown(modes), thrown(modes, by_particles=True)
    eq = whole.equations()
    small = [*eq.q_names[7:], *eq.u_names[6:]]
    q, u = state(eq)
    ours, theirs = (model.equations().for_small(*small).udot(q, u) for model in (whole, cut))
    assert ours == pytest.approx(theirs, rel=1e-11, abs=1e-11)


def test_the_equations_differ_from_their_linear_form_in_the_second_order():
    """Halved elastic quantities: the difference between the equations and those for small motions is a quarter."""
    eq = thrown({"y": 1, "z": 1})[0].equations()
    linear = eq.for_small(*eq.q_names[7:], *eq.u_names[6:])
    off = [np.abs(eq.udot(*state(eq, bend=b)) - linear.udot(*state(eq, bend=b))).max() for b in (2e-3, 1e-3)]
    assert off[0] / off[1] == pytest.approx(4.0, abs=0.1)


@cache
def flight():
    model, _ = thrown({"y": 2, "z": 1, "stretch": 1, "twist": 1}, twist=True)
    eq = model.equations()
    q, u = state(eq, bend=0.05)
    return model, eq, lw.simulate(model, until=0.5, q=q.tolist(), u=u.tolist(), method=lw.DormandPrince(rtol=1e-11))


def test_energy_is_kept():
    """K + V of a beam that tumbles, bends, twists and stretches stays as it was."""
    _, _, run = flight()
    assert run.audit.energy_error < 1e-8
    assert abs(run.audit.work) < 1e-12


def test_momentum_changes_as_gravity_says():
    """d/dt of the linear momentum is the weight; that of the angular momentum about the mass centre vanishes."""
    model, eq, run = flight()
    P, H = eq.linear_momentum(), eq.angular_momentum(model.origin)
    N = model.frame
    c = eq.center_of_mass()
    ends = [run[P.dot(axis)] for axis in (N.x, N.y, N.z)]
    mass = 0.7 + 0.8 * 1.3
    change = [each[-1] - each[0] for each in ends]
    assert change == pytest.approx([0.0, 0.0, -9.81 * mass * 0.5], abs=1e-8)
    central = H - c.cross(P)
    for axis in (N.x, N.y, N.z):
        along = run[central.dot(axis)]
        assert along[-1] == pytest.approx(along[0], abs=1e-7)


def test_mass_matrix_is_symmetric_and_gives_the_kinetic_energy():
    """½ uᵀ M u = K; M is symmetric."""
    model, _ = thrown({"y": 2, "z": 2, "stretch": 1, "twist": 1}, twist=True)
    eq = model.equations()
    q, u = state(eq, bend=0.3)
    M = np.array(eq.evaluate(eq.M, q=q, u=u)).reshape(len(u), len(u))
    assert np.array_equal(M, M.T)
    assert 0.5 * u @ M @ u == pytest.approx(float(eq.evaluate([eq.kinetic_energy], q=q, u=u)[0]), rel=1e-13)


def test_the_weight_on_a_joint_is_that_of_the_beam():
    """A cantilever at rest: its clamp carries m g and the moment m g L/2, by the names of joints."""
    model = lw.Model("shelf")
    base = model.weld("wall")
    model.beam("shelf", base, base.origin, 2.0, EI=5e5, rho_A=3.0)
    model.gravity(-9.81 * model.frame.y)
    eq = model.equations()
    rest = eq.equilibrium()
    for name in ("wall", "shelf"):
        held = eq.reactions(**rest.arguments)[name]
        assert held.force == pytest.approx([0.0, 3.0 * 2.0 * 9.81, 0.0], abs=1e-9)
        assert held.torque[2] == pytest.approx(3.0 * 9.81 * 2.0**2 / 2, rel=1e-4)

"""The references reproduce what is published, and what they must keep constant."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from campaign import seeds
from references import andrews, bicycle, bricard, governor, iftomm, rolling
from references.rigid import Body, accelerations, equations, ground, skew
from references.slider_crank import REFERENCE_END, SliderCrank


@pytest.mark.campaign
def test_andrews_end_values() -> None:
    q, u = andrews.solve(rtol=1e-11)
    assert np.abs(q - andrews.PUBLISHED_Q).max() < 2e-9
    assert np.abs(u - andrews.PUBLISHED_U).max() < 6e-7
    assert np.abs(andrews.accelerations(q, u)[1] - andrews.PUBLISHED_LAMBDA).max() < 2e-5
    assert np.abs(q - andrews.REFERENCE_Q).max() < 1e-11
    assert np.abs(u - andrews.REFERENCE_U).max() < 4e-9
    udot, _ = andrews.accelerations(andrews.REFERENCE_Q, andrews.REFERENCE_U)
    assert np.abs(udot - andrews.REFERENCE_UDOT).max() < 1e-7
    assert andrews.energy(q, u) == pytest.approx(andrews.energy(andrews.Q_START, 0 * u), abs=1e-11)


def test_pendulum_obeys_newton() -> None:
    t, h = np.linspace(0.0, 10.0, 41), 1e-4
    y = iftomm.pendulum(t)
    near, far = (iftomm.pendulum(t + d) - iftomm.pendulum(t - d) for d in (h, 2 * h))
    slopes = (8 * near - far) / (12 * h)
    assert np.abs(slopes[:2] - y[2:]).max() < 1e-9
    assert np.abs([iftomm.pendulum_residual(y[:, i], slopes[2:, i]) for i in range(len(t))]).max() < 1e-9
    assert np.ptp((y[2] ** 2 + y[3] ** 2) / 2 + iftomm.G * y[1]) < 1e-12


@pytest.mark.parametrize("windows", seeds([2], [40]))
def test_four_bars_through_the_flat_position(windows: int) -> None:
    angle, rate = iftomm.four_bar(windows)(np.linspace(0.0, 10.0, 201))
    assert angle[-1] < -8 * pi  # round and round
    energies = [iftomm.four_bar_energy(windows, *state) for state in zip(angle, rate, strict=True)]
    assert np.ptp(energies) < 1e-9
    assert max(iftomm.four_bar_residual(windows, *state) for state in zip(angle, rate, strict=True)) < 1e-9
    assert len(iftomm.four_bars(windows)) == 2 * windows + 1


@pytest.mark.campaign
def test_bricard_moves_on_its_closed_form() -> None:
    mechanism, times = bricard.Bricard(), np.linspace(0.0, 1.0, 6)
    states = mechanism.solve(times, rtol=1e-9)
    a, b = np.sin(states[:, 0]), np.sin(states[:, 1])
    assert np.abs(a + b + a * b).max() < 1e-13
    assert np.abs(states[:, :5] - states[:, [0, 1, 0, 1, 0]]).max() < 1e-10
    assert np.ptp([mechanism.energy(y[:5], y[5:]) for y in states]) < 1e-8
    assert np.abs(mechanism.p3(states[-1, :5]) - bricard.REFERENCE_P3[0]).max() < 1e-8
    assert [np.linalg.matrix_rank(mechanism.rows(y[:5], y[5:])[1], tol=1e-9) for y in states] == [4] * 6


def test_governor_keeps_its_curve_and_loses_energy() -> None:
    t, s = governor.reference()
    machine = governor.Governor()
    states = machine.solve(t[:11], rtol=1e-7)
    assert np.abs(states[:, 1] - s[:11]).max() < 1e-7
    energies = [machine.energy(y.tolist()) for y in states]
    assert np.all(np.diff(energies) < 0)
    assert len(t) == 101


def test_governor_agrees_with_newton_and_euler() -> None:
    """Shaft and both rods as a tree, q = (ψ, α1, α2); the slider has one line of its own."""
    machine, y = governor.Governor(), [0.4, 0.61, 0.8, -0.7]
    rate = machine.momentum / machine.turning(y[0])[0]
    q, u = np.array([0.3, y[0], y[0]]), np.array([rate, y[2], y[2]])
    length, speed, on_alpha, on_s = machine.spring(y)
    pull = machine.stiffness * (length - machine.rest) + machine.damping * speed
    shaft = ground(3).turned(np.array([0.0, 0.0, 1.0]), 0, q, u)
    around = machine.turning(pi / 2)[0] * np.diag(
        [0.0, 0.0, 1.0]
    )  # shaft, slider and, to be taken off, rods hanging down
    hanging = machine.rod * (machine.width**2 / 6 + machine.arm**2) + machine.tip * machine.arm**2
    bodies: list[Body] = [(shaft, 0.0, around - 2 * np.diag([0.0, 0.0, hanging]))]
    thick = np.diag([machine.width**2 / 6, (1 + machine.width**2) / 12, (1 + machine.width**2) / 12])
    load = np.zeros(3)
    for k, side in ((1, 1.0), (2, -1.0)):
        hinge = shaft.moved(np.array([side * machine.arm, 0.0, 1.0]), u).turned(np.array([0.0, side, 0.0]), k, q, u)
        middle = hinge.moved(np.array([side / 2, 0.0, 0.0]), u)
        bodies.append((middle, machine.rod, machine.rod * thick))
        bodies.append((hinge.moved(np.array([side, 0.0, 0.0]), u), machine.tip, np.zeros((3, 3))))
        away = middle.x - shaft.moved(np.array([side * machine.arm, 0.0, y[1]]), u).x
        assert np.linalg.norm(away) == pytest.approx(length, abs=1e-14)
        load -= pull * middle.V.T @ away / length
    M, f = equations(bodies, u, np.array([0.0, 0.0, -governor.G]))
    load[0] = 0.0  # the couplers' moment about the shaft is balanced by that on the slider
    udot = np.linalg.solve(M, f + load)
    expected = machine.rates(y)
    assert udot[1:] == pytest.approx([expected[2]] * 2, abs=1e-9)
    assert udot[0] == pytest.approx(-rate * machine.turning(y[0])[1] * y[2] / machine.turning(y[0])[0], abs=1e-10)
    assert expected[3] == pytest.approx(-2 * pull * on_s / machine.slider - governor.G)
    assert on_alpha != 0


def test_bicycle_coefficients_and_eigenvalues() -> None:
    for mine, printed in zip(bicycle.coefficients(), bicycle.PUBLISHED_COEFFICIENTS, strict=True):
        assert np.abs(np.array(mine.tolist(), dtype=float) - printed).max() < 1e-13
    at_rest = bicycle.eigenvalues(0)
    assert np.abs([float(at_rest[2].real), float(at_rest[3].real)] - np.array(bicycle.PUBLISHED_AT_REST)).max() < 1e-14
    for v, printed in enumerate(bicycle.PUBLISHED_EIGENVALUES, start=1):
        roots = bicycle.eigenvalues(v)
        real, (weave,) = [r.real for r in roots if r.imag == 0], [r for r in roots if r.imag > 0]
        found = np.array([weave.real, weave.imag, real[1], real[0]], dtype=float)
        error = np.abs(found - printed)
        assert error[:3].max() < 1e-13
        assert error[3] < 1e-13 if v != 7 else 5.9e-13 < error[3] < 6.1e-13
    assert mpmath.nstr(bicycle.eigenvalues(7)[0].real, 16) == "-18.15788466125202"


def test_bicycle_nonlinear_accelerations() -> None:
    udot, _, A = bicycle.nonlinear(bicycle.BASU_Q, bicycle.BASU_U)
    assert np.abs(bicycle.heights(bicycle.BASU_Q)).max() < 1e-12
    assert np.abs(A @ bicycle.BASU_U).max() < 1e-12
    assert np.abs(udot - bicycle.BASU_UDOT).max() < 2e-12


def test_slider_crank() -> None:
    crank = SliderCrank()
    motion = crank.solve()
    assert np.abs(motion(np.array([10.0]))[:, 0] - REFERENCE_END).max() < 1e-11
    states = motion(np.linspace(0.0, 10.0, 501)).T
    assert np.ptp([crank.energy(*y) for y in states]) < 1e-10
    for theta, rate in states:
        c1, c2, s2 = np.cos(theta), np.cos(2 * theta), -np.sin(2 * theta)  # q2 = 2π − 2θ, Aghili's (66)
        M = np.array([[3 + 2 * c2, 1 + c2], [1 + c2, 1.0]])
        h = np.array([-s2 * (4 * rate**2 - 4 * rate**2) + 3 * crank.g * c1, s2 * rate**2 + crank.g * c1])
        force = M @ np.array([1.0, -2.0]) * crank.acceleration(theta, rate) + h - np.array([crank.f1, crank.f2])
        assert np.abs(force - crank.constraint_force(theta, rate)).max() < 1e-11
        assert force[0] == pytest.approx(2 * force[1], abs=1e-11)  # along Aᵀ = l cos θ [2 1]ᵀ


def test_disk() -> None:
    disk = rolling.Disk()
    for theta, precession in ((1.2, 1.5), (0.6, -2.0), (2.2, 3.0)):
        up, omega = disk.state(theta, precession, disk.steady_spin(theta, precession))
        up_dot, omega_dot = rolling.rates(disk, up, omega)
        turning = np.cross(up_dot, omega) + np.cross(up, omega_dot)  # γ̈; cos θ = γ3
        assert np.abs([up_dot[2], turning[2], omega_dot[2]]).max() < 1e-12
    up, omega = disk.state(1.1, 1.0, 3.0, 0.5)
    states = rolling.solve(disk, up, omega, np.linspace(0.0, 3.0, 7))
    assert np.ptp(states[:, 2]) > 0.3
    assert np.ptp([rolling.energy(disk, y[:3], y[3:]) for y in states]) < 1e-9
    assert np.ptp([disk.momenta(y[:3], y[3:]) for y in states], axis=0).max() < 1e-9


@pytest.mark.parametrize("body", [rolling.Disk(), rolling.Rattleback()], ids=["disk", "rattleback"])
def test_rolling_agrees_with_multipliers(body: rolling.Disk | rolling.Rattleback) -> None:
    """The same by three rows of rolling on a free body."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, u = rng.uniform(-1.0, 1.0, (2, 6))
        frame = replace(ground(6), V=np.eye(6)[:3])
        for k, axis in enumerate(np.eye(3), start=3):
            frame = frame.turned(axis, k, q, u)
        omega, up = frame.W @ u, frame.R[2]
        rho, rho_dot = body.contact(up, np.cross(up, frame.R.T @ omega))
        arm = frame.R @ rho
        u[:3] = -np.cross(omega, arm)  # the contact at rest; the bearings of the frame depend on u[3:] only
        arm_dot = frame.R @ rho_dot + np.cross(omega, arm)
        bias = frame.moving + np.cross(frame.turning, arm) + np.cross(omega, arm_dot)
        M, f = equations([(frame, body.m, body.inertia)], u, np.array([0.0, 0.0, -body.g]))
        udot = accelerations(M, f, frame.V - skew(arm) @ frame.W, bias)
        alpha = frame.R.T @ (frame.W @ udot + frame.turning)
        assert np.abs(alpha - rolling.rates(body, up, frame.R.T @ omega)[1]).max() < 1e-9


def test_rattleback_keeps_its_energy() -> None:
    stone = rolling.Rattleback()
    states = rolling.solve(stone, *stone.state(), np.linspace(0.0, 0.1, 5), rtol=1e-9)
    assert np.ptp([rolling.energy(stone, y[:3], y[3:]) for y in states]) < 1e-10
    assert np.abs(np.linalg.norm(states[:, :3], axis=1) - 1).max() < 1e-9

"""The passivity observer: work of held forces, and energy out of nothing."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.realtime.coupler import Coupler
from latchwork.realtime.devices.device import FREE, Reading
from latchwork.realtime.observer import Observer
from latchwork.realtime.triples import matrix, turned
from realtime_mechanisms import still

STEP = 1e-3


def watched(coupler, device, handle, damping=None, rates=None):
    """An observer that has seen a device and a handle go along two lists of places."""
    observer = Observer(STEP, damping)
    for k, (a, b) in enumerate(zip(device, handle, strict=True)):
        speed = 0.0 if rates is None else rates[k]
        reading, pose = Reading("b", place=(a, 0.0, 0.0), velocity=(speed, 0.0, 0.0)), still((b, 0.0, 0.0))
        observer.see(reading, pose, *coupler.wrench(reading, pose), coupler.stored(reading, pose))
    return observer


def test_work_is_that_of_the_held_force():
    """F · Δx over each tick with the force of its beginning: at both ports, and their difference in the coupler."""
    coupler, rng = Coupler(50.0, 0.0), np.random.default_rng(3)
    device, handle = np.cumsum(rng.normal(size=(2, 30)) * 1e-2, axis=1)
    observer = watched(coupler, device, handle)
    force = 50.0 * (device - handle)[:-1]
    given, passed = np.cumsum(force * np.diff(device)), np.cumsum(force * np.diff(handle))
    stored = 0.5 * 50.0 * (device - handle)[0] ** 2
    assert observer.device.energy == pytest.approx(given[-1])
    assert observer.mechanism.energy == pytest.approx(-passed[-1])
    assert observer.coupler.energy == pytest.approx(stored + given[-1] - passed[-1])
    assert observer.generated == pytest.approx(max(0.0, -(stored + given - passed).min()))


def test_a_sampled_spring_generates_half_k_of_every_move_squared():
    """Out and back in n equal moves d: the spring is as it was, and n K d²/2 have come out of nothing."""
    path = np.concatenate([np.arange(11), np.arange(9, -1, -1)]) * 2e-3
    observer = watched(Coupler(400.0, 0.0), path, 0 * path)
    assert observer.coupler.energy == pytest.approx(-20 * 0.5 * 400.0 * 4e-6)
    assert observer.generated == pytest.approx(20 * 0.5 * 400.0 * 4e-6)


@pytest.mark.parametrize(("over", "seen"), [(0.98, False), (1.02, True)])
def test_the_worst_hand_finds_colgates_bound(over, seen):
    """A hand that goes to and fro with every sample gets energy beyond b = K T/2 + B, none inside, B by differences."""
    K, b = 1000.0, 4.0
    B = over * b - 0.5 * K * STEP
    path = 1e-3 * (np.arange(400) % 2)
    rates = np.diff(path, prepend=0.0) / STEP
    assert (watched(Coupler(K, B), path, 0 * path, damping=b, rates=rates).generated > 0.0) == seen


@pytest.mark.parametrize("seed", range(10))
def test_inside_the_bound_no_motion_gets_energy(seed):
    """Random walks against a wall, within b ≥ K T/2 + B."""
    rng = np.random.default_rng(seed)
    path = np.concatenate([[0.0], np.cumsum(rng.normal(size=300) * rng.choice([1e-4, 1e-2], size=300))])
    rates = np.diff(path, prepend=0.0) / STEP
    K, B = rng.uniform(0, 4000), rng.uniform(0, 3)
    observer = watched(Coupler(K, B), path, 0 * path, damping=0.5 * K * STEP + B, rates=rates)
    assert observer.generated == pytest.approx(0.0, abs=1e-12)


def test_a_turning_handle_takes_the_work_of_the_moment_about_its_centre():
    """A wrench held about the mass centre does F · Δc + (T + l × F) · Δθ, exactly about a fixed axis."""
    observer, angles = Observer(STEP), 0.1 * np.arange(6)
    force, torque, total = (0.0, 2.0, 0.0), (0.0, 0.0, 0.7), 0.0
    for angle in angles:
        lever = (float(np.cos(angle)), float(np.sin(angle)), 0.0)
        pose = still((0.3 + lever[0], lever[1], 0.0))._replace(rotation=matrix(turned((0.0, 0.0, angle))), lever=lever)
        observer.see(Reading("b", (1.0, 0.0, 0.0)), pose, force, torque)
        total += (0.7 + 2.0 * lever[0]) * 0.1 if angle < angles[-1] else 0.0
    assert observer.mechanism.energy == pytest.approx(-total, rel=1e-12)


def test_a_run_that_is_set_back_has_done_no_work_on_the_way():
    """After an interruption the places before it do not count, and what was generated is kept."""
    observer = watched(Coupler(400.0, 0.0), [0.0, 0.01, 0.0], [0.0] * 3)
    observer.interrupt()
    observer.see(Reading("b", place=(5.0, 0.0, 0.0)), still(), (9.0, 0.0, 0.0), stored=0.2)
    assert (observer.device.energy, observer.coupler.energy) == (0.0, 0.2)
    assert observer.generated == pytest.approx(0.04)


def test_another_grasp_begins_again_and_nothing_is_forgotten():
    """Ports start at zero with each grasp; what was generated stays until a reset."""
    observer = watched(Coupler(400.0, 0.0), [0.0, 0.01, 0.0], [0.0] * 3)
    assert observer.generated == pytest.approx(2 * 0.5 * 400.0 * 1e-4)
    observer.see(FREE, None)
    assert (observer.device.energy, observer.generated) == (0.0, pytest.approx(0.04))
    observer.see(Reading("b", place=(0.5, 0.0, 0.0)), still(), (9.0, 0.0, 0.0), stored=0.1)
    assert (observer.coupler.energy, observer.generated) == (0.1, pytest.approx(0.04))
    observer.reset()
    assert (observer.coupler.energy, observer.generated) == (0.0, 0.0)

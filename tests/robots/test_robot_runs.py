"""Robots of example-robot-data, with limits and friction: they run for a second, or say what to change."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from robots.robot_data import installed

FILES = installed("example-robot-data", ".urdf")
NEED_DATA = pytest.mark.skipif(not FILES, reason="example-robot-data is not installed")
REFUSED = {  # what is said of files that describe nothing that could move
    "alex_psyonic_hands": "which is no joint. Did you mean 'Left_index_q1'",
    "quadrotor_base": "load a robot that has none with floating=True",
    "iris_simple": "load a robot that has none with floating=True",
    "romeo": "no inertia that resists it. Give 'LFinger11Link' mass and inertia",
    "romeo_laas_small": "no inertia that resists it. Give 'l_gripper' mass and inertia",
    "ur3": "this robot has no <link>. Add at least one",
}
FEW = ["ur_description/ur5_robot", "talos_data/talos_left_arm",
       "quadruped_description/quadruped", "double_pendulum_description/double_pendulum"]  # fmt: skip
STIFF = ("icub",)  # joints damped by 1 N m s with 1e-6 kg m² behind them: asks for an implicit method
SLOW_WITH_STOPS = ("human", "tiago", "tiago_dual")  # a dozen stops meet at once, or there are a hundred of them


def stem(name):
    return name.rpartition("/")[2]


@NEED_DATA
@pytest.mark.parametrize("name", seeds(FEW, [name for name in FILES if stem(name) not in (*REFUSED, *STIFF)]))
def test_robots_run_for_a_second(name):
    """Loaded by default: losses of joints act, and energy is accounted for; with stops where joints have limits."""
    for limits in (False,) if stem(name) in SLOW_WITH_STOPS else (False, True):
        run = lw.simulate(lw.load(FILES[name], limits=limits), 1.0)
        assert run.t[-1] == 1.0
        assert np.isfinite(run.u).all()
        assert run.audit.least_gap is None or run.audit.least_gap > -1e-8


@NEED_DATA
@pytest.mark.parametrize("name", [name for name in FILES if stem(name) in REFUSED])
def test_files_that_cannot_move_say_what_to_change(name):
    """Six of the sixty-nine files: a joint that is not there, no mass on a joint, no links, no joints."""
    with pytest.raises(lw.LatchworkError, match=REFUSED[stem(name)]):
        lw.simulate(lw.load(FILES[name]), 1.0)


@NEED_DATA
def test_a_robot_with_friction_stands_still():
    """The arm of Talos, undriven, on the friction of its joints: exactly zero speed, with no event."""
    run = lw.simulate(lw.load(FILES["talos_data/talos_left_arm"], limits=True), 1.0)
    assert not run.u.any()
    assert len(run.events) == 0


@NEED_DATA
def test_a_robot_with_friction_comes_to_rest():
    """The hand of Allegro, thrown into motion: every joint sticks in the end, at exactly zero speed."""
    hand = lw.load(FILES["allegro_hand_description/allegro_left_hand"])
    rng = np.random.default_rng(0)
    u = {symbol.name: float(v) for symbol, v in zip(hand.system().u, rng.uniform(-1.0, 1.0, 16), strict=True)}
    run = lw.simulate(hand, 1.0, u=u)
    assert np.abs(run.u[0]).max() > 0.5
    assert not run.u[-1].any()
    assert sum(event.kind == "stick" for event in run.events) >= 16

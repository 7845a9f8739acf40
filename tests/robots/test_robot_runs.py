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
    "icub": "no mass or inertia resists u_neck_roll and u_neck_yaw together",
}
FEW = ["ur_description/ur5_robot", "talos_data/talos_left_arm", "alex_description/alex_nub_hands",
       "quadruped_description/quadruped", "double_pendulum_description/double_pendulum"]  # fmt: skip


def stem(name):
    return name.rpartition("/")[2]


@NEED_DATA
@pytest.mark.parametrize("name", seeds(FEW, [name for name in FILES if stem(name) not in REFUSED]))
def test_robots_run_for_a_second(name):
    """Loaded by default: losses of joints act, and energy is accounted for; with stops where joints have limits."""
    for limits in (False, True):
        run = lw.simulate(lw.load(FILES[name], limits=limits), 1.0)
        assert run.t[-1] == 1.0
        assert np.isfinite(run.u).all()
        assert run.audit.least_gap is None or run.audit.least_gap > -1e-8


@NEED_DATA
@pytest.mark.parametrize("name", [name for name in FILES if stem(name) in REFUSED])
def test_files_that_cannot_move_say_what_to_change(name):
    """Seven of the sixty-nine files: a joint that is not there, no mass on a joint, no links, no joints, and a neck
    whose links have no inertia about a line that two joints turn about."""
    for limits in (False, True):
        with pytest.raises(lw.LatchworkError, match=REFUSED[stem(name)]):
            lw.simulate(lw.load(FILES[name], limits=limits), 1.0)


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


# --- dropped on the floor by one line ---------------------------------------------------------------------------------

DROPPED = {  # until when, in seconds
    "a1_description/a1": 1.5, "laikago_description/laikago": 2.0, "anymal_b_simple_description/anymal": 2.5,
    "go2_description/go2": 2.0,
    "z1_description/z1": 1.0, "kinova_description/kinova": 2.0, "xarm_description/xarm7": 2.5,
    "talos_data/talos_reduced": 4.0,
}  # fmt: skip


@NEED_DATA
@pytest.mark.parametrize("name", seeds(["a1_description/a1"], DROPPED))
def test_robots_dropped_on_the_floor_come_to_rest(name):
    """Quadrupeds, arms and a humanoid; boxes, meshes and cylinders: lifted by 0.2 m and let go, they lie still at
    exactly zero speed, nothing is in the floor, all energy is accounted for; nobody has said how to step them."""
    path = FILES[name]
    share = next(parent.parent for parent in path.parents if parent.name == "example-robot-data")
    robot = lw.load(path, floating=True, ground=True, packages=[share])
    run = lw.simulate(robot, DROPPED[name], q={"root_joint_pz": 0.2})
    assert not run.u[-1].any()
    assert run.audit.least_gap > -1e-9
    assert run.audit.energy_error < 1e-6 * abs(run.energy[0] - run.energy[-1])
    assert run.audit.stepped


@NEED_DATA
def test_a_robot_whose_feet_alone_have_shapes_says_so():
    """The simple humanoid meets the floor by its feet, and falls through it by all else: a note names the links."""
    path = FILES["simple_humanoid_description/simple_humanoid"]
    share = next(parent.parent for parent in path.parents if parent.name == "example-robot-data")
    robot = lw.load(path, floating=True, ground=True, packages=[share])
    assert "and 26 more have no collision geometry and pass through everything" in robot.notes[0]

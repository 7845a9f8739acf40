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
    "icub": "resists u_neck_roll and u_neck_yaw together at neck_yaw = 0.*at this state only, start at another",
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
    """Seven of the sixty-nine files: a joint that is not there, no mass on a joint, no links, no joints, and a head
    that is a point mass, in the plane of two axes of its neck where the file places it."""
    for limits in (False, True):
        with pytest.raises(lw.LatchworkError, match=REFUSED[stem(name)]):
            lw.simulate(lw.load(FILES[name], limits=limits), 1.0)


@NEED_DATA
@pytest.mark.parametrize(("name", "floating", "q"), [
    ("icub_description/icub", False, {"neck_yaw": 0.1}), ("hector_description/quadrotor_base", True, {}),
    ("iris_description/iris_simple", True, {}),
])  # fmt: skip
def test_what_a_refusal_says_is_enough(name, floating, q):
    """Started elsewhere, or on a free joint, as they are told to, they run: energy is accounted for."""
    run = lw.simulate(lw.load(FILES[name], floating=floating), 1.0, q=q)
    assert run.t[-1] == 1.0
    assert run.audit.energy_error < 1e-9


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
    "talos_data/talos_reduced": 4.0, "panda_description/panda_collision": 5.0,
}  # fmt: skip


def over_the_floor(name):
    """A robot on a free joint, its shapes, and a floor."""
    path = FILES[name]
    share = next(parent.parent for parent in path.parents if parent.name == "example-robot-data")
    return lw.load(path, floating=True, ground=True, packages=[share])


def lies_still(run):
    """At exactly zero speed, nothing in the floor, all energy accounted for, stepped without being told to."""
    assert not run.u[-1].any()
    assert run.audit.least_gap > -1e-9
    assert run.audit.energy_error < 1e-6 * abs(run.energy[0] - run.energy[-1])
    assert run.audit.stepped


@NEED_DATA
@pytest.mark.parametrize("name", seeds(["a1_description/a1"], DROPPED))
def test_robots_dropped_on_the_floor_come_to_rest(name):
    """Quadrupeds, arms and a humanoid; boxes, meshes and cylinders: lifted by 0.2 m and let go, they lie still; that
    whose joints have little damping and no friction (Panda) after four seconds."""
    lies_still(lw.simulate(over_the_floor(name), DROPPED[name], q={"root_joint_pz": 0.2}))


@NEED_DATA
@pytest.mark.campaign
@pytest.mark.parametrize(("name", "until"), [("ur_description/ur5_robot", 3.0),
                                             ("g1_description/g1_29dof_rev_1_0", 5.0)])  # fmt: skip
def test_robots_without_losses_lie_still_with_friction_in_their_joints(name, until):
    """A wrist that nothing resists turns for ever, and arms without losses swing; 0.1 N m of dry friction, and all is
    at rest."""
    robot = over_the_floor(name)
    for joint in [joint for joint in robot.joints.values() if joint.axis is not None]:
        robot.friction(f"{joint.name} dry", joint.link or joint.rate, 0.1)
    lies_still(lw.simulate(robot, until, q={"root_joint_pz": 0.2}))


@NEED_DATA
@pytest.mark.campaign
@pytest.mark.parametrize("bent", [1e-6, 1e-3, 0.1])
def test_straight_legs_give_way(bent):
    """Solo 12 stands on legs that nothing holds, which is unstable: bent by a millionth, they fold, and it lies
    still."""
    turns = {"HFE": bent, "KFE": -2.0 * bent}
    legs = {f"{leg}_{joint}": turn for leg in ("FL", "FR", "HL", "HR") for joint, turn in turns.items()}
    run = lw.simulate(over_the_floor("solo_description/solo12"), 2.5, q={"root_joint_pz": 0.2, **legs})
    lies_still(run)
    assert run["root_joint_pz"][-1] < -0.25  # the trunk is down


@NEED_DATA
def test_a_robot_whose_feet_alone_have_shapes_says_so():
    """The simple humanoid meets the floor by its feet, and falls through it by all else: a note names the links."""
    robot = over_the_floor("simple_humanoid_description/simple_humanoid")
    assert "and 26 more have no collision geometry and pass through everything" in robot.notes[0]

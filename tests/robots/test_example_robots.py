"""Published robots: M, bias and u̇ equal Pinocchio's and MuJoCo's, and programs stay as short as they are."""

from __future__ import annotations

import pytest

import latchwork as lw
from robots.robot_data import MJCF, URDF

TOLERANCE = 1e-9
STATES = 20
NEED_DATA = pytest.mark.skipif(not URDF, reason="example-robot-data is not installed")
SMALL = [
    "ur_description/ur5_robot",
    "panda_description/panda",
    "solo_description/solo",
    "finger_edu_description/finger_edu",
]

# Operations of u̇ with the losses left out: at most these.
OPERATIONS = [
    ("ur_description/ur5_robot", False, 674),
    ("panda_description/panda", False, 1772),
    ("solo_description/solo12", True, 3377),
    ("anymal_b_simple_description/anymal", True, 3942),
    ("talos_data/talos_reduced", False, 8146),
    ("talos_data/talos_reduced", True, 10691),
]


def moving(name: str) -> bool:
    """Whether a robot has joints at all."""
    return any(kind in URDF[name].read_text(encoding="utf-8") for kind in ('"revolute"', '"continuous"', '"prismatic"'))


CASES = [(name, floating) for name in URDF for floating in (False, True) if floating or moving(name)]


def against_pinocchio(name, floating):
    pytest.importorskip("pinocchio")
    from robots.pinocchio_states import differences, pinocchio_model

    robot = lw.load(URDF[name], losses=False, floating=floating)
    model = pinocchio_model(URDF[name].read_text(encoding="utf-8"), floating)
    return differences(robot, robot.equations(), model, STATES)


@NEED_DATA
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_small_robots_equal_pinocchio(name, floating):
    """M, bias and u̇ of a few published robots, at random states."""
    assert against_pinocchio(name, floating).max() < TOLERANCE


@NEED_DATA
@pytest.mark.campaign
@pytest.mark.parametrize(("name", "floating"), CASES)
def test_robots_equal_pinocchio(name, floating):
    """M, bias and u̇ of every published robot, fixed and floating, at random states."""
    assert against_pinocchio(name, floating).max() < TOLERANCE


@NEED_DATA
@pytest.mark.parametrize(("name", "floating", "most"), OPERATIONS)
def test_programs_stay_short(name, floating, most):
    """Operations of u̇ do not grow."""
    assert lw.load(URDF[name], losses=False, floating=floating).equations().operations.total <= most


@pytest.mark.skipif(not MJCF, reason="gymnasium is not installed")
@pytest.mark.campaign
@pytest.mark.parametrize("name", [name for name in MJCF if "swimmer" not in name])  # those swim in a fluid
def test_mujoco_models_equal_mujoco(name):
    """M, f and u̇ of MJCF files written for MuJoCo, at random states."""
    pytest.importorskip("mujoco")
    from robots.mujoco_states import differences, mujoco_model

    path = MJCF[name]
    assert differences(lw.load(path).equations(), mujoco_model(path.name, path.parent), STATES).max() < TOLERANCE

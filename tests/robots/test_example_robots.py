"""Published robots: M, bias, u̇, inverse dynamics and derivatives equal Pinocchio's, M, f and u̇ equal MuJoCo's, and

programs stay as short as they are.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

import latchwork as lw
from robots.robot_data import MJCF, MUJOCO, URDF

TOLERANCE = 1e-9
STATES = 20
NEED_DATA = pytest.mark.skipif(not URDF, reason="example-robot-data is not installed")
SMALL = [
    "ur_description/ur5_robot",
    "panda_description/panda",
    "solo_description/solo",
    "finger_edu_description/finger_edu",
]

# Operations of u̇, of inverse dynamics, of the derivatives of inverse and of forward dynamics, losses left out: at most.
OPERATIONS = [
    ("ur_description/ur5_robot", False, (528, 296, 1304, 2392)),
    ("panda_description/panda", False, (1398, 663, 5767, 8718)),
    ("solo_description/solo12", True, (2632, 1225, 8779, 22902)),
    ("anymal_b_simple_description/anymal", True, (2931, 1445, 9839, 24137)),
    pytest.param("talos_data/talos_reduced", False, (6049, 2986, 29734, 50195), marks=pytest.mark.campaign),
    pytest.param("talos_data/talos_reduced", True, (8169, 3709, 52098, 151702), marks=pytest.mark.campaign),
]


def moving(name: str) -> bool:
    """Whether a robot has joints at all."""
    return any(kind in URDF[name].read_text(encoding="utf-8") for kind in ('"revolute"', '"continuous"', '"prismatic"'))


CASES = [(name, floating) for name in URDF for floating in (False, True) if floating or moving(name)]


@cache
def loaded(name, floating):
    """A robot without losses, and its equations."""
    robot = lw.load(URDF[name], losses=False, floating=floating)
    return robot, robot.equations()


def against_pinocchio(name, floating):
    pytest.importorskip("pinocchio")
    from robots.pinocchio_states import differences, pinocchio_model

    model = pinocchio_model(URDF[name].read_text(encoding="utf-8"), floating)
    return differences(*loaded(name, floating), model, STATES)


@NEED_DATA
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_small_robots_equal_pinocchio(name, floating):
    """M, bias, u̇ and inverse dynamics of a few published robots, at random states."""
    assert against_pinocchio(name, floating).max() < TOLERANCE


@NEED_DATA
@pytest.mark.campaign
@pytest.mark.parametrize(("name", "floating"), CASES)
def test_robots_equal_pinocchio(name, floating):
    """M, bias, u̇ and inverse dynamics of every published robot, fixed and floating, at random states."""
    assert against_pinocchio(name, floating).max() < TOLERANCE


@NEED_DATA
@pytest.mark.parametrize(("name", "floating", "most"), OPERATIONS)
def test_programs_stay_short(name, floating, most):
    """Operations of u̇, τ and their derivatives do not grow."""
    _, equations = loaded(name, floating)
    blocks = [equations.inverse_tangent_blocks, equations.forward_tangent_blocks]
    programs = [equations.udot_program, equations.inverse_program, *(block.program for block in blocks)]
    assert all(len(program) <= limit for program, limit in zip(programs, most, strict=True))


def derivatives_against_pinocchio(name, floating):
    pytest.importorskip("pinocchio")
    from robots.pinocchio_derivatives import derivative_differences
    from robots.pinocchio_states import pinocchio_model

    model = pinocchio_model(URDF[name].read_text(encoding="utf-8"), floating)
    return derivative_differences(*loaded(name, floating), model, floating, STATES)


@NEED_DATA
@pytest.mark.parametrize(
    ("name", "floating"),
    [
        ("ur_description/ur5_robot", False),
        ("ur_description/ur5_robot", True),
        ("solo_description/solo12", True),
        pytest.param("talos_data/talos_reduced", False, marks=pytest.mark.campaign),
        pytest.param("talos_data/talos_reduced", True, marks=pytest.mark.campaign),
        pytest.param("anymal_b_simple_description/anymal", True, marks=pytest.mark.campaign),
    ],
)
def test_derivatives_equal_pinocchio(name, floating):
    """Derivatives of inverse and forward dynamics, in Pinocchio's tangents."""
    assert derivatives_against_pinocchio(name, floating).max() < TOLERANCE


@pytest.mark.skipif(not MJCF, reason="gymnasium is not installed")
@pytest.mark.campaign
@pytest.mark.parametrize("name", [name for name in MJCF if "swimmer" not in name])  # those swim in a fluid
def test_mujoco_models_equal_mujoco(name):
    """M, f and u̇ of MJCF files written for MuJoCo, at random states."""
    pytest.importorskip("mujoco")
    from robots.mujoco_states import differences, mujoco_model

    path = MJCF[name]
    assert differences(lw.load(path).equations(), mujoco_model(path.name, path.parent), STATES).max() < TOLERANCE


REFUSED = {  # models of MuJoCo that are not read, and what is said of them
    "arm21": "<muscle> actuators are not read",
    "arm26": "<muscle> actuators are not read",
    "general_dyntype": "dyntype=\"integrator\"> is not known",
    "tendon_force_clamp": "acts by its tendon",
    "constraints": "<fixed> has stiffness, and tendons are not read",
    "convex": "mass of this <geom type=\"mesh\"> is not worked out here",
    "pendula": "<fixed> has stiffness, and tendons are not read",
    "armature": "<spatial> has armature, and tendons are not read",
}
STILL = ("ray",)  # nothing moves in it
CROWDS = tuple(f"{count:02}_humanoids" for count in range(1, 11))  # the same body many times
AGAIN = ("barkour_v0_mjx", "scene_right", "pulley_site", "pulley_wrap", "pulley_site_wrap", "fixed_site_wrap",
         "site_wrap")  # fmt: skip  # as others


def models_of_mujoco(*, read: bool) -> list:
    """MuJoCo's own models, by file; those with many bodies, or as others are, are for the campaign."""
    return [
        pytest.param(path, id=path.stem, marks=pytest.mark.campaign if path.stem in CROWDS + AGAIN else ())
        for path in MUJOCO.values()
        if (path.stem not in REFUSED) == read and path.stem not in STILL
    ]


@pytest.mark.skipif(not MUJOCO, reason="mujoco-mjx is not installed")
@pytest.mark.parametrize("path", models_of_mujoco(read=True))
def test_models_of_mujoco_equal_mujoco(path):
    """M, f and u̇ of the models that MuJoCo tests itself with, at random states."""
    pytest.importorskip("mujoco")
    from robots.mujoco_states import differences, mujoco_model

    eq = lw.load(path).equations()  # frictionloss is no force: a constraint in MuJoCo, a contact here
    assert differences(eq, mujoco_model(path.name, path.parent), STATES).max() < TOLERANCE


@pytest.mark.skipif(not MUJOCO, reason="mujoco-mjx is not installed")
@pytest.mark.parametrize("path", models_of_mujoco(read=False))
def test_models_of_mujoco_that_are_not_read_are_refused(path):
    """What would change the motion and is not known is named, not left out."""
    with pytest.raises(lw.FileError, match=REFUSED[path.stem]):
        lw.load(path)


SLOW = ("tiago_description/tiago", "tiago_description/tiago_dual", "talos_data/talos_reduced_box",
        "talos_data/talos_reduced_corrected")  # fmt: skip


def frictional() -> list:
    """Robots whose joints rub; large ones, and those that are as others are, are for the campaign."""
    given = {name: re.findall(r'<dynamics[^>]*friction="([^"]*)"', path.read_text("utf-8"))
             for name, path in URDF.items()}  # fmt: skip
    found = [name for name, limits in given.items() if any(float(limit) > 0.0 for limit in limits)]
    return [pytest.param(name, id=name, marks=pytest.mark.campaign if name in SLOW else ()) for name in found]


@NEED_DATA
@pytest.mark.parametrize("name", frictional())
def test_robots_with_friction_run(name):
    """A second from rest, without drives: no joint is held by more than its limit, and friction takes power only."""
    robot = lw.load(URDF[name])
    run = lw.simulate(robot, until=1.0)
    for contact in robot.contacts:
        force, rate = run[contact.force], run[contact.features[0].rate]
        assert abs(force).max() <= contact.friction.mu * (1.0 + 1e-9)
        assert (force * rate).max() <= 1e-9
        stuck = [f"{contact.name}: stick" in mode.names for mode in run.modes]
        assert not stuck[-1] or rate[-1] == 0.0

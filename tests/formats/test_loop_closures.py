"""Loops that a URDF file cannot describe, closed by a YAML file beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import latchwork as lw

LINK = """<link name="{0}"><inertial><origin xyz="{1} 0 0"/><mass value="{2}"/>
  <inertia ixx="0.001" iyy="0.01" izz="0.01" ixy="0" iyz="0" ixz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="{4} {5} 0"/>
  <axis xyz="0 0 1"/><limit effort="10" velocity="10" lower="-4" upper="4"/></joint>"""
FIVE_BAR = "\n".join(["<robot name='five bar'><link name='base'/>",
    LINK.format("left", 0.15, 1.0), LINK.format("left_rod", 0.2, 0.7), LINK.format("right", 0.15, 1.0),
    LINK.format("right_rod", 0.2, 0.7), "<link name='tip_A'/><link name='tip_B'/>",
    JOINT.format("mot1", "revolute", "base", "left", -0.1, 0),
    JOINT.format("free1", "revolute", "left", "left_rod", 0.3, 0),
    JOINT.format("mot2", "revolute", "base", "right", 0.1, 0),
    JOINT.format("free2", "revolute", "right", "right_rod", 0.3, 0),
    JOINT.format("end_A", "fixed", "left_rod", "tip_A", 0.4, 0),
    JOINT.format("end_B", "fixed", "right_rod", "tip_B", 0.4, 0),
    "</robot>"])  # fmt: skip
LOOPS = "closed_loop: [['tip_A', 'end_B']]\ntype: ['3d']\nname_mot: ['mot1', 'mot2']\n"


def written(folder: Path, loops: str = LOOPS) -> tuple[Path, Path]:
    robot, closures = folder / "robot.urdf", folder / "robot.yaml"
    robot.write_text(FIVE_BAR)
    closures.write_text(loops)
    return robot, closures


def test_a_five_bar_from_files_is_closed_and_commanded(tmp_path):
    """Four joints, one loop, two motors: two freedoms, and a law moves its tip."""
    robot, closures = written(tmp_path)
    model = lw.load(robot, loops=closures, gravity=(0.0, -9.81, 0.0))
    assert [constraint.name for constraint in model.constraints] == ["loop1"]
    assert list(model.drives) == ["mot1", "mot2"]
    start = model.constrained().start({"mot1": 2.2, "mot2": 0.9, "free1": -1.2, "free2": 1.2})
    law = lw.control.Projected(tracks={"tip_A": (0.0, 0.5, 0.0)}, gains=(100.0, 20.0))
    assert lw.control.controllability(model, start.q).freedoms == 2
    run = lw.simulate(model, 1.0, start.q, controllers=[law])
    assert run["tip_A"][-1] == pytest.approx([0.0, 0.5, 0.0], abs=5e-3)
    assert np.abs(run["tip_A"] - run["tip_B"]).max() < 1e-9


@pytest.mark.parametrize(("loops", "words"), [
    ("closed_loop: [['tip_A', 'tip_C']]", r"robot.yaml:1:25: 'tip_C' is no link or joint of the robot.*tip_"),
    ("closed_loop: [['tip_A']]", r"closed by two frames; 1 are given"),
    ("closed_loop: [['tip_A', 'tip_B']]\ntype: ['6d', '3d']", r"2 types are given for 1 loops"),
    ("closed_loop: [['tip_A', 'tip_B']]\ntype: ['5d']", r"'5d' is no type of a loop"),
    ("name_mot: [mot3]", r"'mot3' is no joint of the robot.*mot"),
    ("closed_lop: []", r"'closed_lop' says nothing about loops. Did you mean 'closed_loop'"),
    ("joint_name: [free1]\njoint_type: [CARDAN]", r"joints of type 'CARDAN' are not read"),
    ("[1, 2]", r"loop closures are a mapping"),
    ("a: &x [1]\nb: *x", r"robot.yaml:1:4"),
])  # fmt: skip
def test_wrong_closures_are_refused_with_their_place(tmp_path, loops, words):
    """File, line and column; nothing is guessed."""
    robot, closures = written(tmp_path, loops)
    with pytest.raises(lw.FileError, match=words):
        lw.load(robot, loops=closures)

"""Equality constraints of MJCF against MuJoCo.

MuJoCo's constraints are soft and take no account of J̇ q̇, so that its own u̇ is another one. Its mass matrix, its forces
and its rows J are taken instead, J̇ from differences, and the hard problem is solved with these.
"""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.formats.robot.mjcf import from_mjcf

mujoco = pytest.importorskip("mujoco")

LOOP = """
<mujoco><option gravity="0.5 0 -9.81"/><compiler angle="radian"/>
<default><equality solref="0.01 1"/><default class="off"><equality active="false"/></default></default>
<worldbody>
  <body name="a" pos="0 0 0"><joint name="ja" axis="0 1 0" ref="0.2"/>
    <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>
    <site name="sa" pos=".4 .1 0"/>
    <body name="b" pos=".4 0 0" euler="0 .7 0"><joint name="jb" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 1 0 0" size=".03"/>
      <site name="sb" pos=".9 .1 .2" euler=".1 .2 .3"/></body></body>
  <body name="c" pos="1.2 0 0" euler="0 -.9 0"><joint name="jc" axis="0 1 .1" damping=".3"/>
    <geom type="box" pos=".4 0 0" size=".4 .02 .05"/>
    <body name="d" pos=".3 .2 0"><joint name="jd" type="ball"/><geom size=".1" pos=".1 .1 0"/></body></body>
  <body name="e" pos="0 1 0" quat="1 .2 .3 0"><freejoint name="je"/><geom type="box" size=".1 .2 .3"/>
    <body name="f" pos=".2 .3 0"><joint name="jf" type="slide" axis="1 1 0" ref=".1"/><geom size=".1"/></body></body>
</worldbody><equality>%s</equality></mujoco>"""

TIES = {
    "connect": '<connect body1="b" body2="c" anchor=".9 .1 .2"/><connect body1="a" class="off" anchor="0 0 0"/>',
    "connect to the world": '<connect body1="e" anchor=".1 .2 .3"/>',
    "connect by sites": '<connect site1="se" site2="sa"/>',
    "weld": '<weld body1="e" body2="d"/>',
    "weld with a pose": '<weld body1="a" body2="e" relpose=".1 .2 .3 .8 .1 .2 .3" anchor=".1 0 0"/>',
    "weld to the world": '<weld body1="f"/>',
    "weld by sites": '<weld site1="sb" site2="se"/>',
    "joints": '<joint joint1="ja" joint2="jf" polycoef=".1 -1.5 .3 .2 .4"/>',
    "one joint": '<joint joint1="jc" polycoef=".4 0 0 0 0"/>',
    "two of them": '<joint joint1="ja" joint2="jb"/><connect body1="c" body2="e" anchor=".1 .2 .3"/>',
}
SITE = '<geom type="box" size=".1 .2 .3"/><site name="se" pos=".1 0 .1" zaxis="1 1 1"/>'


def text(name: str) -> str:
    return LOOP.replace('<geom type="box" size=".1 .2 .3"/>', SITE) % TIES[name]


def rows(model, data) -> np.ndarray:
    """J of the equality constraints at a position."""
    mujoco.mj_fwdPosition(model, data)
    J = np.zeros((data.nefc, model.nv))
    if mujoco.mj_isSparse(model):
        mujoco.mju_sparse2dense(J, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        J[:] = data.efc_J.reshape(-1)[: data.nefc * model.nv].reshape(data.nefc, model.nv)
    return J[data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY]


def moved(model, data, h: float) -> np.ndarray:
    """J after a time h."""
    there = mujoco.MjData(model)
    there.qpos[:] = data.qpos
    mujoco.mj_integratePos(model, there.qpos, data.qvel, h)
    return rows(model, there)


@pytest.mark.parametrize("name", TIES)
def test_equal_to_the_hard_problem_of_mujoco(name):
    """u̇ of the embedded equations solves M u̇ = f + Jᵀ λ, J u̇ + J̇ u = 0 with MuJoCo's terms, where its rows hold."""
    robot = from_mjcf(text(name))
    held = robot.constrained(at=dict.fromkeys(robot.equations().q_names, 0.1) | {"je_e0": 1.0, "jd_e0": 1.0})
    model = mujoco.MjModel.from_xml_string(text(name))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(2)
    guess = data.qpos + 0.1 * rng.normal(size=model.nq)
    data.qpos[:] = list(held.start(guess).q)
    q = np.array(data.qpos)
    data.qvel[:] = list(held.velocities(q, rng.normal(size=model.nv)).values())
    mujoco.mj_forward(model, data)
    equal = data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    assert np.abs(data.efc_pos[: data.nefc][equal]).max() < 1e-9
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    f = data.qfrc_passive + data.qfrc_actuator - data.qfrc_bias
    J, rate = rows(model, data), (moved(model, data, 1e-5) - moved(model, data, -1e-5)) / 2e-5
    assert np.abs(J @ data.qvel).max() < 1e-9
    m = len(J)
    whole = np.block([[M, -J.T], [J, np.zeros((m, m))]])
    expected = np.linalg.lstsq(whole, np.concatenate([f, -rate @ data.qvel]), rcond=1e-11)[0][: model.nv]
    assert held.udot(q, np.array(data.qvel)) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_disabled_constraints_are_left_out():
    """A file that switches equality constraints off has none."""
    switched = text("weld").replace("<option ", '<option><flag equality="disable"/></option><option ')
    assert from_mjcf(switched).constraints == ()


def test_written_and_read():
    """A robot with ties is a model like any other, for files too."""
    import latchwork as lw

    robot = from_mjcf(text("connect"))
    again = lw.loads(lw.dump(robot))
    assert [k.row_names for k in again.constraints] == [k.row_names for k in robot.constraints]

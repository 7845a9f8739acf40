"""The same robot in MuJoCo and in Latchwork: their coordinates, speeds and controls are the same, in the same order."""

from __future__ import annotations

import mujoco
import numpy as np


def mujoco_model(text, folder=None):
    """MuJoCo's model of an MJCF text without what Latchwork leaves out: contacts, limits, and constraint friction."""
    model = mujoco.MjModel.from_xml_string(text) if folder is None else mujoco.MjModel.from_xml_path(str(folder / text))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    return model


def random_state(model, rng):
    """Coordinates of order one, unit quaternions, controls within their ranges."""
    data = mujoco.MjData(model)
    data.qpos[:] = 0.7 * rng.normal(size=model.nq)
    mujoco.mj_normalizeQuat(model, data.qpos)
    data.qvel[:] = rng.normal(size=model.nv)
    low, high = model.actuator_ctrlrange.T
    limited = model.actuator_ctrllimited.astype(bool)
    data.ctrl[:] = np.where(limited, low + (high - low) * rng.random(model.nu), rng.normal(size=model.nu))
    mujoco.mj_forward(model, data)
    return data


def differences(equations, model, states, seed=0):
    """The worst relative differences of M, bias and u̇ over random states."""
    rng, worst = np.random.default_rng(seed), np.zeros(3)
    for _ in range(states):
        data = random_state(model, rng)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        q, u, r = np.array(data.qpos), np.array(data.qvel), np.array(data.ctrl)
        f = data.qfrc_passive + data.qfrc_actuator - data.qfrc_bias
        ours = equations.evaluate(equations.M, q, u, r), equations.evaluate(equations.f, q, u, r).ravel()
        pairs = ((ours[0], M), (ours[1], f), (equations.udot(q, u, r), data.qacc))
        worst = np.maximum(worst, [np.abs(a - b).max() / max(np.abs(b).max(), 1e-12) for a, b in pairs])
    return worst

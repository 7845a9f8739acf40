"""A humanoid on two feet squats with its base unactuated."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latchwork as lw

FILE = "simple_humanoid_description/urdf/simple_humanoid.urdf"


def file_of_humanoid() -> Path:
    """The robot of example-robot-data."""
    try:
        found = [path.locate() for path in files("example-robot-data") or [] if str(path).endswith(FILE)]
    except PackageNotFoundError:
        found = []
    if not found:
        pytest.skip("example-robot-data is not installed")
    return Path(str(found[0]))


def humanoid() -> Any:
    """Its base is free."""
    return lw.load(file_of_humanoid(), floating=True, losses=False)


def scaled(path: Path, unit: float, folder: Path) -> Any:
    """The same with lengths in another unit: places times it, inertias times its square, gravity times it."""
    def times(power: int) -> Any:
        return lambda found: f'{found[1]}="{" ".join(repr(float(x) * unit**power) for x in found[2].split())}"'

    text = re.sub(r'\b(xyz)="([^"]*)"(?=[^>]*rpy)', times(1), path.read_text(encoding="utf-8"))
    text = re.sub(r'\b(i[xyz][xyz])="([^"]*)"', times(2), text)
    (folder / f"in_{unit:g}.urdf").write_text(text, encoding="utf-8")
    return lw.load(folder / f"in_{unit:g}.urdf", floating=True, losses=False, gravity=(0.0, 0.0, -9.81 * unit))


def standing(model: Any, depth: float, bounds: Any = None) -> tuple[lw.Simulation, Any]:
    """On two welded feet with bent knees; base and upper body are tracked: 23 rows for 23 freedoms, 29 motors."""
    bent = {}
    for side in "RL":
        bent |= {f"{side}LEG_HIP_P": -0.4, f"{side}LEG_KNEE": 0.8, f"{side}LEG_ANKLE_P": -0.4}
    upper = [name for name in model.equations().q_names if not name.startswith("root") and "LEG" not in name]
    height = lw.control.minimum_jerk(model.time, 0.0, 0.8, 0.0, depth)
    tracks = {"root_joint_px": 0.0, "root_joint_py": 0.0, "root_joint_pz": height,
              model.frames["root_joint"]: model.frame, **dict.fromkeys(upper, 0.0)}  # fmt: skip
    law = lw.control.Projected(tracks=tracks, gains=(100.0, 20.0), bounds=bounds)
    sim = lw.Simulation(model, bent, controllers=[law])
    for side in "RL":
        sim.weld(f"{side} foot", model.frame, model.links[f"{side}LEG_ANKLE_R"])
    return sim, law


def test_a_humanoid_on_both_feet_is_commanded_by_the_least_torques():
    """Against the KKT matrix of 35 speeds and 12 rows: u̇ to 1e-9, and the torques of least norm to 1e-9."""
    model = humanoid()
    sim, law = standing(model, -0.15)
    found = law.at(sim)
    assert (found.freedoms, len(found.inputs), found.gives_way) == (23, 29, ())
    sim.advance(1e-6)
    terms, row = sim.dynamics.mode.terms, sim.state.row
    names, n = [s.name for s in sim.equations.r], len(sim.equations.u)
    first = 1 + len(sim.equations.q) + n
    row[first : first + len(names)] = 0.0
    motion, B = terms.motion(row), terms.place(row).B
    G = np.zeros((n, len(names)))
    for j, name in enumerate(names):
        loud = row.copy()
        loud[first + j] = 1.0
        G[:, j] = terms.motion(loud).f - motion.f
        assert name in found.inputs
    kkt = np.block([[motion.M, -B.T], [B, np.zeros((12, 12))]])
    right = np.column_stack([np.append(motion.f, -motion.c), np.vstack([G, np.zeros((12, len(names)))])])
    solved = np.linalg.solve(kkt, right)[:n]
    r = np.array([found.inputs[name] for name in names])
    wanted = solved[:, 1:] @ r
    assert np.array(list(found.udot.values())) == pytest.approx(solved[:, 0] + wanted, abs=1e-6)
    least = np.linalg.pinv(solved[:, 1:], rcond=1e-10) @ wanted
    assert r == pytest.approx(least, abs=1e-8 * abs(r).max())


def test_it_squats():
    """15 cm down in 0.8 s: feet stay, the base goes where it is told, and the audit holds."""
    sim, _ = standing(humanoid(), -0.15)
    sim.advance(0.9)
    run = sim.run
    assert sim.q["root_joint_pz"] == pytest.approx(-0.15, abs=1e-9)
    assert run.audit.constraint_error < 1e-10
    assert run.audit.energy_error < 1e-5


def test_torques_stay_within_bounds():
    """Where knees may not push as hard as it takes, they push as hard as they may."""
    model = humanoid()
    motors = dict.fromkeys([symbol.name for symbol in model.equations().r], (-40.0, 40.0))
    sim, law = standing(model, -0.15, motors)
    found = law.at(sim)
    assert max(abs(torque) for torque in found.inputs.values()) <= 40.0 * (1.0 + 1e-12)
    assert "at their bounds" in found.gives_way[0]


def test_its_torques_do_not_depend_on_units(tmp_path):
    """In metres and in millimetres, under bounds that are met: the same torques, to 1e-9; the same motors give way."""
    found = []
    for unit in (1.0, 1000.0):
        model = scaled(file_of_humanoid(), unit, tmp_path)
        motors = dict.fromkeys([symbol.name for symbol in model.equations().r], (-40.0 * unit**2, 40.0 * unit**2))
        sim, law = standing(model, -0.15 * unit, motors)
        command = law.at(sim)
        found.append((np.array([*command.inputs.values()]) / unit**2, command.gives_way))
    (here, told), (there, told_there) = found
    assert there == pytest.approx(here, abs=1e-9 * abs(here).max())
    assert told == told_there

"""Everything in metres and in millimetres: the same physical torques and forces, to 1e-9."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latchwork as lw
from controlled_models import delta, five_bar, hand, on_branch, slider_crank, stewart

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import aghili_arm
import two_arms

GAINS = (100.0, 20.0)
Built = tuple[lw.Model, Any, dict[str, Any]]


def crank(unit: float) -> Built:
    model = slider_crank(length=unit)
    law = lw.control.Projected(tracks={"q1": 1.0}, gains=GAINS, forces=[lw.control.Press("slot", 3.0 * unit)])
    return model, law, on_branch(0.6, 0.4)


def five(unit: float) -> Built:
    model = five_bar(unit)
    law = lw.control.Projected(tracks={model.points["left_end"]: (0.05 * unit, 0.45 * unit, 0.0)}, gains=GAINS)
    start = model.constrained().start({"q_left": 2.2, "q_right": 0.9, "p_left": -1.2, "p_right": 1.2})
    return model, law, {"q": start.q}


def three(unit: float) -> Built:
    """Bounds that are met: motion gives way, and by how much does not depend on units."""
    model = delta(unit)
    bounds = {f"T{i}": (-2.0 * unit**2, 2.0 * unit**2) for i in range(3)}
    tracks = {"x": 0.05 * unit, "y": -0.02 * unit, "z": -0.4 * unit}
    law = lw.control.Projected(tracks=tracks, gains=GAINS, bounds=bounds)
    return model, law, {"q": model.constrained().start({"z": -0.45 * unit, "q0": 0.3, "q1": 0.2, "q2": 0.35}).q}


def six(unit: float) -> Built:
    model = stewart(unit)
    tracks = {model.points["platform_o"]: (0.02 * unit, 0.0, 0.55 * unit), model.frames["platform"]: model.frame}
    near = {"q_platform_pz": 0.5 * unit, **{f"q_ram{i}": 0.6 * unit for i in range(6)}}
    return model, lw.control.Projected(tracks=tracks, gains=GAINS), {"q": model.constrained().start(near).q}


def arms(unit: float) -> Built:
    model = two_arms.build(unit)
    press = lw.control.Press({"left[0]": 0.5, "right[0]": -0.5}, 15.0 * unit)
    law = lw.control.Projected(tracks={"x": 0.05 * unit, "y": 0.6 * unit, "a": 0.1}, gains=GAINS, forces=[press])
    near = two_arms.START | {"y": two_arms.START["y"] * unit}
    return model, law, {"q": model.constrained().start(near).q}


def fingers(unit: float) -> Built:
    """Cones that are at their edge, and a force in each of them."""
    model, q, inputs = hand(unit)
    tracks = {model.points["ball_o"]: (0.0, 0.01 * unit, 0.02 * unit), model.frames["ball"]: model.frame}
    cones = [lw.control.Cone(f"finger{i}", 0.35, least=0.5 * unit) for i in range(3)]
    return model, lw.control.Projected(tracks=tracks, gains=GAINS, cones=cones), {"q": q, "inputs": inputs}


def impeded(unit: float) -> Built:
    """Impedance: stiffness in N/m of the end, which is a torque of the motors."""
    model = five_bar(unit)
    law = lw.control.Impedance(tracks={model.points["left_end"]: (0.05 * unit, 0.45 * unit, 0.0)}, gains=(300.0, 20.0))
    start = model.constrained().start({"q_left": 2.2, "q_right": 0.9, "p_left": -1.2, "p_right": 1.2})
    return model, law, {"q": start.q}


SCENES: list[tuple[Callable[[float], Built], int]] = [
    (crank, 2), (five, 2), (three, 2), (six, 1), (arms, 2), (fingers, 1), (impeded, 2)
]  # fmt: skip


@pytest.mark.parametrize(("scene", "power"), SCENES, ids=lambda each: getattr(each, "__name__", ""))
def test_commands_do_not_depend_on_units(scene, power):
    """Torques are measured in kg L²/s², forces in kg L/s²."""
    here, there = (law.at(model, **state).inputs for model, law, state in map(scene, (1.0, 1000.0)))
    most = max(map(abs, here.values()))
    assert {name: value / 1000.0**power for name, value in there.items()} == pytest.approx(here, abs=1e-9 * most)


@pytest.mark.parametrize("which", ["IDC", "PIDC", "hybrid"])
def test_a_sampled_run_does_not_depend_on_units(which):
    """Aghili's arm in its slider, with dry friction, an error of a millimetre and a lag of its sensor: torques and the
    force in the slider along 50 ms, in metres and in millimetres, to 1e-9."""
    found = []
    for unit in (1.0, 1000.0):
        model = aghili_arm.build(unit=unit)
        run = lw.simulate(model, 0.05, **aghili_arm.start(model), controllers=[aghili_arm.law(model, which, unit)],
                          method=lw.RK4(5e-4)).at(np.linspace(0.0, 0.05, 26))  # fmt: skip
        torques = np.column_stack([run[f"T{i}"] for i in (1, 2, 3)]) / unit**2
        found.append((torques, run.reactions()["slider"].lam[:, 0] / unit))
    for here, there in zip(*found, strict=True):
        assert there == pytest.approx(here, abs=1e-9 * abs(here).max())

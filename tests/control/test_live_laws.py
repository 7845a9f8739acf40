"""Laws on the table: gains as sliders, commands as arrows, targets that are dragged, a berthing at 1 kHz."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latchwork as lw
from latchwork.realtime.live import Live
from latchwork.view.live.picture import picture_of
from latchwork.view.live.shown import Shown

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))


def reaching() -> lw.Exhibit:
    """An arm of two links whose end follows a target; its gain is a slider."""
    model = lw.Model("reaching arm")
    N, link, at = model.frame, None, model.origin
    x, y, pace = model.parameters(x=0.5, y=0.2, pace=6.0)
    for i in (1, 2):
        link = model.revolute(f"link{i}", link, at=at, q=[f"q{i}"], u=[f"u{i}"])
        model.body(f"body{i}", link, at.at(f"c{i}", 0.25 * link.frame.x), 1.0, lw.inertia(link.frame, zz=0.02))
        model.actuate(link, model.input(f"T{i}"))
        at = at.at(f"P{i}", 0.5 * link.frame.x)
    model.gravity(-9.81 * N.y)
    model.origin.at("goal", x * N.x + y * N.y)
    law = lw.control.Projected(tracks={model.points["P2"]: (x, y, 0.0)}, gains=(pace**2, 2.0 * pace))
    return lw.Exhibit(model, q={"q1": 0.9, "q2": -1.6}, controllers=(law,), targets=("goal",), plots=("q1", "T1"),
                      sliders={"x": (-0.9, 0.9), "y": (-0.9, 0.9), "pace": (1.0, 20.0)})  # fmt: skip


def place(live: Live, name: str) -> list[float]:
    model = live.exhibit.model
    return [live.value(each) for each in model.points[name].position().measures(model.frame)]


def test_a_target_is_dragged_and_the_law_goes_after_it():
    """The sliders of its parameters follow, within their ranges; so does the end of the arm."""
    live = Live(reaching())
    answer = live.do({"do": "aim", "name": "goal", "to": [0.3, 0.6, 0.0]})
    assert answer["values"] == pytest.approx({"x": 0.3, "y": 0.6})
    assert live.do({"do": "set", "name": "pace", "value": 12.0})["ok"]
    for _ in range(1500):
        live.tick()
    assert place(live, "P2") == pytest.approx([0.3, 0.6, 0.0], abs=1e-4)
    far = live.do({"do": "aim", "name": "goal", "to": [2.0, 0.1, 0.0]})
    assert far["values"] == pytest.approx({"x": 0.9, "y": 0.1})
    refused = live.do({"do": "aim", "name": "gaol", "to": [0.0, 0.0, 0.0]})
    assert "has no target 'gaol'" in refused["why"]
    assert "goal" in refused["why"]


def test_commands_are_arrows():
    """Torques of the law where they act, and the target where it is, among what a page draws."""
    exhibit = reaching()
    live = Live(exhibit)
    for _ in range(5):
        live.tick()
    shown = Shown(exhibit, picture_of(exhibit))
    rows = next(row["rows"] for row in live.news() if row.get("kind") == "mode")
    assert shown.enter([(name, count) for name, count in rows]) == ["T1 ↻", "T2 ↻", "◎ goal"]
    state = live.state()
    assert shown.arrows is not None
    numbers = shown.arrows.numbers(state.t, state.x, shown.rest, state.lam).reshape(3, 6)
    held = live.sim.dynamics.commanded(live.sim.t, live.sim.x, live.sim.state.rest_now)
    assert numbers[:2, 5] == pytest.approx(held[:2])
    assert numbers[1, :3] == pytest.approx(place(live, "P1"))
    assert numbers[2] == pytest.approx([0.5, 0.2, 0.0, 0.0, 0.0, 0.0])
    plots = shown.picture.plots
    values = np.frombuffer(shown.frame(state, 0), dtype="<f8")
    first = len(values) - len(state.lam) - numbers.size - len(plots)
    assert values[first + list(plots).index("T1")] == pytest.approx(held[0]), "what is plotted is what is commanded"


def test_what_is_no_target_is_refused():
    """A name that no point has."""
    with pytest.raises(lw.ModelError, match=r"'reaching arm' has no point 'gaol'"):
        lw.Exhibit(reaching().model, targets=("gaol",))


def test_a_berthing_by_ticks_keeps_its_momentum():
    """One law brings the hand to the grapple; captured by a weld, the station follows the hand; the port closes the
    loop. Momentum stays what it was, to rounding."""
    berthing: Any = importlib.import_module("kelly_berthing")
    live = Live(berthing.live())

    def apart(a: str, b: str) -> float:
        return float(np.linalg.norm(np.subtract(place(live, a), place(live, b))))

    live.do({"do": "set", "name": "seek", "value": 1.0})
    live.do({"do": "set", "name": "pace", "value": 1.0})
    for _ in range(2500):
        live.tick()
    assert apart("P6", "grapple") < 0.35 * 8.0
    assert live.do({"do": "hold", "name": "capture"}) == {"ok": True}
    reach = apart("P6", "grapple")
    for command in ({"do": "set", "name": "seek", "value": 0.0}, {"do": "set", "name": "pace", "value": 0.2}):
        assert live.do(command)["ok"]
    before = apart("hatch", "port")
    live.do({"do": "set", "name": "goal_z", "value": 2.0})
    for _ in range(700):
        live.tick()
    assert apart("P6", "grapple") == pytest.approx(reach, abs=1e-6), "captured"
    assert apart("hatch", "port") < before
    assert live.do({"do": "hold", "name": "port"}) == {"ok": True}
    for _ in range(200):
        live.tick()
    assert live.sim.dynamics.mode.terms.rows.slices.keys() == {"capture", "port"}
    sim = live.sim
    momentum = np.array(sim.value("momentum"))
    speed = max(abs(sim.u[name]) for name in sim.u if "station" in name)
    assert abs(momentum).max() < 1e-9 * berthing.STATION * max(speed, 1e-3)

"""The swift ways through a switch: the same events as by the general ones, the same bits as Python, and as one run."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import latchwork as lw
from latchwork.hybrid import simulation
from latchwork.hybrid.contacts import enforced_contact_reset, single_contact_reset
from latchwork.program.records.view import record_at
from random_scenes import scene

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import patoglu_1_disk_on_ramp as ramp
import patoglu_2_fence as fence
import patoglu_3_belt as belt

TIGHT = lw.DormandPrince(rtol=1e-11, atol=1e-12)
SCENES = (11, 17, 21, 34, 58)  # random ones in the plane and in space, by adaptive steps or not


def on_the_ramp() -> lw.Trajectory:
    """A contact that the coordinates hold."""
    return lw.simulate(ramp.build(), 8.0, {"q1": 14.0, "q2": 0.0}, {"u1": 7.0, "u2": -4.0}, method=TIGHT)


def at_the_fence() -> lw.Trajectory:
    """An edge that ends where another begins."""
    return fence.feed(fence.build(), 9.6).run


def over_the_belt() -> lw.Trajectory:
    """Impacts by Smith's law, slip, stick, and zones."""
    start = {"q1": -math.pi / 16, "q2": -4 * math.pi / 9}, {"u1": 3.0, "u2": -0.3}
    return lw.simulate(belt.build(), 6.0, *start, method=TIGHT)


RUNS = (on_the_ramp, at_the_fence, over_the_belt)


@pytest.mark.parametrize("run", RUNS)
def test_swiftly_as_by_the_general_way(run: Callable[[], lw.Trajectory], monkeypatch):
    """The same events, at the same times, with the same impulses and energies."""
    swift = run().events
    monkeypatch.setattr(simulation, "swiftly", lambda *given: None)
    general = run().events
    assert len(swift) > 2
    told = [[(e.kind, e.name, e.before, e.after) for e in events] for events in (swift, general)]
    assert told[0] == told[1]
    for one, other in zip(swift, general, strict=True):
        assert one.t == pytest.approx(other.t, abs=1e-10)
        assert one.energy == pytest.approx(other.energy, rel=1e-8, abs=1e-10)
        for name, impulse in one.impulses.items():
            assert impulse == pytest.approx(other.impulses[name], rel=1e-8)


@pytest.mark.parametrize("seed", SCENES)
def test_random_scenes_swiftly_and_by_the_general_way(seed, monkeypatch):
    """The first events are the same, before differences of rounding have grown."""
    swift = scene(seed).play().events[:8]
    monkeypatch.setattr(simulation, "swiftly", lambda *given: None)
    general = scene(seed).play().events[:8]
    assert [(e.kind, e.after) for e in swift] == [(e.kind, e.after) for e in general]
    assert [e.t for e in swift] == pytest.approx([e.t for e in general], abs=1e-7)


@pytest.mark.parametrize("run", RUNS)
def test_laps_have_the_bits_of_planned_runs(run: Callable[[], lw.Trajectory], monkeypatch):
    """Stages that are run again in place give the bits of runs that are set up each time."""
    laps = run()
    monkeypatch.setattr(lw.Simulation, "_lap", lambda *given: None)
    planned = run()
    assert np.array_equal(laps.path.t, planned.path.t)
    assert np.array_equal(laps.path.x, planned.path.x)
    assert laps.path.stats == planned.path.stats


@pytest.mark.parametrize(("module", "kernel", "run"), [(single_contact_reset, "pass_one", over_the_belt),
                                                       (enforced_contact_reset, "keep_one", on_the_ramp)])  # fmt: skip
def test_kernels_of_a_switch_are_the_same_in_python(module, kernel, run, monkeypatch):
    """One contact through its events: machine code and Python give the same bits, wherever a run asks."""
    owner = single_contact_reset.Passing if kernel == "pass_one" else enforced_contact_reset.Keeping
    function, call, asked = getattr(module, kernel), owner.__call__, []

    def both(self, x, *given):
        before = [array.copy() for array in memory(self)]
        found = call(self, x, *given)
        after = [array.copy() for array in memory(self)]
        for array, old in zip(memory(self), before, strict=True):
            array[:] = old
        self.given[:] = after[0]
        self.given[-1:] = before[0][-1:] if kernel == "keep_one" else after[0][-1:]
        again = x.copy()
        answer = function(*arrays(self, again))
        assert bool(answer) == (found is not None)
        if found is not None:
            for array, expected in zip(memory(self), after, strict=True):
                assert np.array_equal(array, expected)
            assert kernel == "keep_one" or np.array_equal(again, found.x)
        asked.append(answer)
        return found

    def memory(self):
        return [self.given, self.found] if kernel == "pass_one" else [self.given]

    def arrays(self, x):
        bundle, gathering = self.bundle, self._keeps
        first = (bundle._code, bundle._z, bundle.out, gathering.delassus)
        if kernel == "pass_one":
            given, found = record_at(module.PassGiven, self.given, 0), record_at(module.PassFound, self.found, 0)
            return (*first, len(x), x, given, found, self.small)
        at, given = record_at(module.KeepAt, self.at, 0), record_at(module.KeepGiven, self.given, 0)
        return (*first, at, len(x), x, given, self._row, self.small)

    monkeypatch.setattr(owner, "__call__", both)
    run()
    assert asked.count(1) > 2


def test_a_lap_that_cannot_go_on_says_why():
    """A force without bound: the error names the time, and the run up to there is kept."""
    model = lw.Model("thrown")
    N, O = model.frame, model.origin
    ball = model.prismatic("ball", axis=N.x)
    model.particle("P", ball.origin, 1.0)
    push = model.input("push")
    model.force(ball.origin, push * N.x)
    model.contact("wall", ball.origin, lw.Line(point=O.at("W", -1.0 * N.x), direction=N.y, normal=N.x))
    with pytest.raises(lw.IntegrationError, match=r"The run from t = 0\.0 to 2\.0 stopped at t = ") as refused:
        lw.simulate(model, 2.0, [0.0], inputs={"push": 1.0 / (1.0 - model.time) ** 2})
    assert refused.value.run.t[-1] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("way", ["laps", "planned"])
def test_a_run_goes_on_where_it_could_not(way, monkeypatch):
    """After an error the simulation stands where the stage began: by another method it runs as if nothing had been."""
    if way == "planned":
        monkeypatch.setattr(lw.Simulation, "_lap", lambda *given: None)
    runs = []
    for first in (lw.DormandPrince(max_steps=3, max_step=1e-2), TIGHT):
        sim = lw.Simulation(belt.build(), {"q1": -math.pi / 16, "q2": -4 * math.pi / 9}, {"u1": 3.0, "u2": -0.3},
                            method=first)  # fmt: skip
        if first is not TIGHT:
            with pytest.raises(lw.IntegrationError, match=r"more steps were needed than allowed") as refused:
                sim.advance(0.5)
            assert refused.value.run.t[-1] > sim.t == 0.0
        sim.method = TIGHT
        sim.advance(0.5)
        runs.append(sim.run)
    assert np.array_equal(runs[0].path.t, runs[1].path.t)
    assert np.array_equal(runs[0].path.x, runs[1].path.x)

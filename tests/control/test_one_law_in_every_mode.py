"""One law, unchanged: an arm swings free, lands on a table, slides along it, meets a wall, lifts off."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import latchwork as lw
from controlled_models import arm


def law_of(model: lw.Model, gains: tuple[float, float] = (0.0, 0.0), unit: float = 1.0, **options: Any) -> Any:
    """Down to the table, along it to the wall, and up again; pressed until three seconds, then less and less."""
    t, N, P = model.time, model.frame, model.points["P"]
    x, y = (P.position().dot(axis) / unit for axis in (N.x, N.y))
    along = 0.5 + 0.2 * lw.minimum(t, 2.0)
    down = 0.1 - 0.42 * lw.minimum(t, 1.0) + 1.5 * lw.maximum(t - 3.0, 0.0)
    table = lw.control.Press("table", unit * (10.0 - 60.0 * lw.maximum(t - 2.9, 0.0)), gains=gains)
    return lw.control.Projected(tracks={x: along, y: down}, gains=(400.0, 40.0),
                                forces=[table, lw.control.Press("wall", 5.0 * unit)], **options)  # fmt: skip


@cache
def run_of(unit: float = 1.0) -> lw.Trajectory:
    model = arm(unit=unit)
    return lw.simulate(model, 3.3, {"q1": 0.8, "q2": -1.4}, controllers=[law_of(model, unit=unit)],
                       method=lw.DormandPrince(rtol=1e-10, atol=1e-12))  # fmt: skip


def test_it_goes_through_all_modes():
    """Free, table, table and wall, wall: each by the same law, and the audit holds."""
    run = run_of()
    assert [span.names for span in run.modes] == [
        (), ("table: slide",), ("table: slide", "wall: slide"), ("wall: slide",)
    ]  # fmt: skip
    assert run.audit.energy_error < 1e-6


def test_forces_are_those_that_are_asked_for():
    """λ = λ_d on the table and at the wall, in every mode in which it holds, to 1e-6."""
    run = run_of()
    forces, wanted = run.reactions(), 10.0 - 60.0 * np.maximum(run.t - 2.9, 0.0)
    for name, aim in (("table", wanted), ("wall", np.full(len(run.t), 5.0))):
        spans = [span for span in run.modes if f"{name}: slide" in span.names]
        held = np.any([(run.t > span.begin) & (run.t < span.end) for span in spans], axis=0)
        assert held.sum() > 20
        assert abs(forces[name].lam[held, 0] - aim[held]).max() < 1e-6


def test_tracking_follows_its_equation_where_it_is_free_and_along_the_table():
    """ë + 40 ė + 400 e = 0 of x, from mode to mode, between the jumps."""
    run = run_of()
    x = run.equations.system.tree.points["P"].position().dot(run.equations.system.tree.newtonian.x)
    e = 0.5 + 0.2 * run.t - run[x]
    first = run.t < run.modes[0].end
    rate = 0.2 - run[lw.dt(x)][0]
    exact = (e[0] + (rate + 20.0 * e[0]) * run.t) * np.exp(-20.0 * run.t)
    assert abs(e - exact)[first].max() < 1e-7


def test_along_the_table_the_error_of_what_it_holds_does_not_matter():
    """y is asked to be 2 cm below the table; x follows its own equation all the same."""
    run = run_of()
    tree = run.equations.system.tree
    x = tree.points["P"].position().dot(tree.newtonian.x)
    begin, end = run.modes[1].begin, run.modes[1].end
    inside = (run.t > begin) & (run.t < end)
    e, rate = 0.5 + 0.2 * run.t[inside] - run[x][inside], 0.2 - run[lw.dt(x)][inside]
    t = run.t[inside] - run.t[inside][0]
    exact = (e[0] + (rate[0] + 20.0 * e[0]) * t) * np.exp(-20.0 * t)
    assert inside.sum() > 20
    assert abs(e - exact).max() < 1e-8


def test_millimetres_and_metres():
    """The same events, and the same torques at every state, but for rounding."""
    one, other = run_of(), run_of(unit=1000.0)
    assert [event.name for event in one.events] == [event.name for event in other.events]
    assert [event.t for event in one.events] == pytest.approx([event.t for event in other.events], abs=1e-9)
    metres, millimetres = arm(), arm(unit=1000.0)
    for q1, q2 in np.random.default_rng(1).uniform((0.5, -1.7), (0.9, -1.3), (5, 2)):
        state = {"q": {"q1": q1, "q2": q2}, "u": {"u1": 0.4, "u2": -0.7}}
        here = law_of(metres).at(metres, **state).inputs
        there = law_of(millimetres, unit=1000.0).at(millimetres, **state).inputs
        assert {name: torque / 1e6 for name, torque in there.items()} == pytest.approx(here, rel=1e-12)


def test_a_force_that_would_pull_is_told_before_it_is_tried():
    """At a state on the table at which the law asks for less than nothing."""
    model = arm()
    law = lw.control.Projected(tracks={"q1": -0.3}, gains=(1.0, 1.0),
                               forces=[lw.control.Press("table", 5.0 - 10.0 * model.time)])  # fmt: skip
    start = {"q1": 0.3, "q2": -np.arcsin(0.6 + np.sin(0.3)) - 0.3}  # on the table
    pressing = {"T1": -1.0, "T2": -8.0}
    for t, told in ((0.0, ()), (1.0, ("a force of -5 in 'table' would pull on it: it can only be pressed",))):
        sim = lw.Simulation(model, start, inputs=pressing, start=t, controllers=[law])
        assert law.at(sim).gives_way == told


def test_sampled_it_presses_as_well():
    """At 1 kHz, the force is within 1 % of what is asked for 0.1 s after it lands."""
    model = arm()
    law = law_of(model)
    run = lw.simulate(model, 1.3, {"q1": 0.8, "q2": -1.4}, controllers=[lw.control.Sampled(law, 1e-3)])
    pressed = run.reactions()["table"].lam[run.t > 1.06, 0]
    assert len(pressed) > 100
    assert abs(pressed - 10.0).max() < 0.1

"""Runs that end at a condition, inputs that come from a table, and samples alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt
from latchwork.errors import EvaluationError, IntegrationError
from latchwork.hybrid.trajectory import RunEvent
from latchwork.view import gallery

TIGHT = lw.DormandPrince(rtol=1e-12, atol=1e-14)
METHODS = pytest.mark.parametrize(
    "method", [TIGHT, lw.RK4(1e-3), lw.SciPy("Radau", 1e-11, 1e-13)], ids=["DormandPrince", "RK4", "Radau"]
)


def cart(stiffness=0.0, damping=0.0):
    """A mass of 2 kg along N.x, pulled by an input, on a spring and a damper."""
    model = lw.Model("cart")
    (x,) = model.coordinates("x")
    model.speeds(v=dt(x))
    P = model.origin.at("P", x * model.frame.x)
    model.particle("mass", P, 2.0)
    model.spring(P, model.origin, stiffness, damping=damping)
    model.force(P, model.input("pull", 0.0) * model.frame.x)
    return model


def ball():
    """A particle that falls."""
    model = lw.Model("ball")
    (y,) = model.coordinates("y")
    model.particle("ball", model.origin.at("P", y * model.frame.y), 0.3)
    model.gravity(-9.81 * model.frame.y)
    return model


# --- conditions that end a run ----------------------------------------------------------------------------------------


@METHODS
def test_a_run_stops_where_a_condition_falls_through_zero(method):
    """The ball is back on the floor after 2 v / g; the event has time and name, and is the last sample."""
    run = lw.simulate(ball(), until=9.0, q=[0.0], u=[3.0], method=method, stop_when={"floor": "y", "deep": "y + 1"})
    assert [event.name for event in run.events] == ["floor"]
    assert run.events[0].t == pytest.approx(6.0 / 9.81, abs=1e-10)
    assert run.t[-1] == run.events[0].t
    assert run.audit.energy_error < 1e-10


@METHODS
@pytest.mark.parametrize("condition", ["0.3 - t", "0.25 - y", "y - 0.25"])
def test_a_run_goes_on_after_a_stop(method, condition):
    """A condition that ended a run must rise before it ends it again, though it may be zero to the last bit there."""
    sim = lw.Simulation(ball(), q=[0.0], u=[3.0], method=method)
    for _ in range(2):
        sim.advance(0.6, stop_when={"once": condition})
    assert sim.t == 0.6
    assert [event.name for event in sim.events] == ["once"]


def test_a_condition_may_be_an_expression_in_time_and_speeds():
    """The apex is where the speed falls through zero; two names for it are two events at one time."""
    model = ball()
    (u,) = model.equations().u
    run = lw.simulate(model, until=9.0, q=[0.0], u=[3.0], stop_when={"apex": u, "same": 2.0 * u, "late": "5 - t"})
    assert [event.name for event in run.events] == ["apex", "same"]
    assert run.events[0].t == pytest.approx(3.0 / 9.81, abs=1e-12)
    late = lw.simulate(model, until=9.0, q=[0.0], u=[3.0], stop_when={"late": "5 - t"})
    assert late.t[-1] == pytest.approx(5.0, abs=1e-11)


def test_a_condition_below_zero_must_rise_first():
    """From under the level: nothing on the way up, the event on the way down."""
    run = lw.simulate(ball(), until=9.0, q=[0.0], u=[3.0], stop_when={"level": "y - 0.2"})
    assert run.events[0].t == pytest.approx((3.0 + math.sqrt(9.0 - 0.4 * 9.81)) / 9.81, abs=1e-11)
    assert lw.simulate(ball(), until=1.0, q=[0.0], u=[3.0], stop_when={"level": "y - 2"}).events == ()


def test_even_samples_end_with_the_event():
    """Samples at even times, and the event."""
    run = lw.simulate(ball(), until=9.0, q=[1.0], u=[0.0], every=0.1, stop_when={"floor": "y"})
    assert run.t == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, math.sqrt(2.0 / 9.81)], abs=1e-12)


@pytest.mark.parametrize(
    ("what", "message"), [("z + 1", "z"), (3.0, "'floor' of 'ball' is 3.0, not a scalar"), ("N.x", "not a scalar")]
)
def test_conditions_are_scalars_of_the_model(what, message):
    """Unknown names, numbers and vectors are refused by name."""
    with pytest.raises(lw.LatchworkError, match=message):
        lw.simulate(ball(), until=1.0, q=[1.0], stop_when={"floor": what})


# --- inputs from a table ----------------------------------------------------------------------------------------------


@METHODS
def test_a_held_input_jumps_at_its_rows(method):
    """4 N, −4 N, then nothing: the cart speeds up, stops and stays; the work is in the audit."""
    table = lw.Table([0.0, 0.5003, 1.0006], [4.0, -4.0, 0.0])
    run = lw.simulate(cart(), until=1.5, q=[0.0], method=method, inputs={"pull": table})
    a, T = 2.0, 0.5003
    t = np.linspace(0.0, 1.5, 301)
    late = np.minimum(t, 2.0 * T) - T
    true = np.where(t < T, 0.5 * a * t**2, 0.5 * a * T**2 + a * T * late - 0.5 * a * late**2)
    assert run.at(t)["x"] == pytest.approx(true, abs=1e-12)
    assert run["v"][-1] == pytest.approx(0.0, abs=1e-12)
    assert set(table.times) <= set(run.t)
    assert run["pull"].tolist() == table.values[table.row(run.t)].tolist()
    assert run.audit.energy_error < 1e-12
    assert (np.diff(run.t) > 0.0).all()


@METHODS
def test_a_linear_input_is_a_law_from_row_to_row(method):
    """A triangle of force: the speed is its integral; between the rows and after the last the value is the table's."""
    table = lw.Table([0.0, 0.7, 1.4], [0.0, 3.0, 1.0], "linear")
    run = lw.simulate(cart(), until=2.0, q=[0.0], method=method, inputs={"pull": table})
    t = np.linspace(0.0, 2.0, 101)
    assert run.at(t)["pull"] == pytest.approx(np.interp(t, table.times, table.values), abs=1e-14)
    assert run["v"][-1] == pytest.approx((0.5 * 0.7 * 3.0 + 0.7 * 2.0 + 0.6) / 2.0, abs=1e-11)
    assert run.audit.energy_error < 1e-11
    assert run.audit.work == pytest.approx(run.audit.energy_end, abs=1e-11)


def test_a_table_is_the_law_that_it_samples():
    """A linear table of a straight line gives the run of that line as an expression."""
    model = cart(stiffness=8.0, damping=0.4)
    law = lw.simulate(model, until=2.0, q=[0.3], inputs={"pull": 1.0 + 0.5 * model.time}, method=TIGHT)
    rows = lw.Table([0.0, 0.31, 1.2, 2.0], [1.0, 1.155, 1.6, 2.0], "linear")
    run = lw.simulate(model, until=2.0, q=[0.3], inputs={"pull": rows}, method=TIGHT)
    assert run.q[-1] == pytest.approx(law.q[-1], abs=1e-11)
    assert run.audit.work == pytest.approx(law.audit.work, abs=1e-11)


@METHODS
def test_a_run_with_a_table_stops_at_its_condition(method):
    """The push starts at a row; the event lies in the piece after it."""
    table = lw.Table([0.0, 1.0], [0.0, 4.0])
    run = lw.simulate(cart(), until=9.0, q=[0.0], method=method, inputs={"pull": table}, stop_when={"far": "1 - x"})
    assert run.events[0].t == pytest.approx(2.0, abs=1e-10)


@pytest.mark.parametrize("method", [TIGHT, lw.RK4(1e-3), lw.SciPy("Radau"), lw.SciPy("LSODA")], ids=str)
def test_rows_one_rounding_apart_are_legal(method):
    """The piece between two such rows is one step, under every method."""
    model = cart(stiffness=8.0)
    model.force(model.origin.at("Q", model.equations().q[0] * model.frame.x), model.input("push") * model.frame.x)
    tables = {"pull": lw.Table([0.0, 0.3], [1.0, 2.0]), "push": lw.Table([0.0, math.nextafter(0.3, 1.0)], [1.0, 2.0])}
    run = lw.simulate(model, until=1.0, q=[0.0], inputs=tables, method=method)
    true = 0.25 * (1.0 - math.cos(2.0)) + 0.25 * (1.0 - math.cos(1.4))
    assert run["x"][-1] == pytest.approx(true, abs=1e-6)


def test_a_jump_of_an_input_may_end_the_run():
    """A condition that a row of the table takes through zero ends the run at that row."""
    table = lw.Table([0.0, 1.0], [0.0, 4.0])
    run = lw.simulate(cart(), until=9.0, q=[0.0], inputs={"pull": table}, stop_when={"pushed": "2 - pull"})
    assert run.events == (RunEvent(1.0, "pushed"),)
    assert run.t[-1] == 1.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lw.Table([0.0, 1.0], [1.0]), r"times of shape \(2,\) and values of shape \(1,\)"),
        (lambda: lw.Table([1.0, 0.0], [1.0, 2.0]), "grow from row to row"),
        (lambda: lw.Table([0.0, 1.0], [1.0, math.nan]), "grow from row to row"),
        (lambda: lw.Table([0.0], [1.0], "cubic"), "cannot be 'cubic'"),
        (lambda: lw.simulate(cart(), 1.0, [0.0], inputs={"pull": lw.Table([0.5], [1.0])}), "first row is at t = 0.5"),
    ],
)
def test_tables_that_say_too_little_are_refused(make, message):
    """Shapes, order, kinds and the start of the run are checked."""
    with pytest.raises(EvaluationError, match=message):
        make()


def test_a_failure_in_a_later_piece_keeps_the_earlier_ones():
    """The error's run starts where the run started."""
    with pytest.raises(IntegrationError, match="more steps were needed") as caught:
        lw.simulate(cart(stiffness=8.0), until=50.0, q=[0.3], method=lw.DormandPrince(max_steps=200),
                    inputs={"pull": lw.Table([0.0, 0.5], [0.0, 1.0])})  # fmt: skip
    assert caught.value.run.t[0] == 0.0
    assert caught.value.run.t[-1] > 0.5


# --- samples alone ----------------------------------------------------------------------------------------------------


@METHODS
def test_samples_alone_are_those_of_the_full_run(method):
    """keep="samples" gives the same samples bit for bit, and keeps no more than them."""
    model, table = cart(stiffness=8.0), lw.Table([0.0, 0.75], [0.0, 1.0])
    for inputs in ({}, {"pull": table}):
        full = lw.simulate(model, until=2.0, q=[0.3], every=0.25, method=method, inputs=inputs)
        few = lw.simulate(model, until=2.0, q=[0.3], every=0.25, method=method, inputs=inputs, keep="samples")
        assert few.x.tobytes() == full.x.tobytes()
        assert len(few.path.t) == 9
        assert few.audit.steps == full.audit.steps


def test_samples_alone_need_an_interval():
    """keep="samples" without every=, and other words, are refused."""
    with pytest.raises(EvaluationError, match="cannot be had"):
        lw.simulate(ball(), until=1.0, q=[1.0], keep="samples")
    with pytest.raises(EvaluationError, match="Keep 'steps', or 'samples'"):
        lw.simulate(ball(), until=1.0, q=[1.0], every=0.1, keep="nothing")


@pytest.mark.parametrize("kind", ["held", "linear"])
def test_a_run_goes_on_from_row_to_row(kind):
    """Where nothing happens but rows of a table, a linkage has one state at each time, and one path through them."""
    example = gallery.load("andrews_squeezer")
    model, times = example.models()[0], np.arange(0.0, 1.0, 1e-3)
    start = example.run(model)
    torque = start.equations.r[0].name
    run = lw.simulate(model, 0.02, q=dict(zip(start.equations.q_names, start.x[0].tolist(), strict=False)),
                      inputs={torque: lw.Table(times, 0.03 + 0.01 * np.sin(times), kind)})  # fmt: skip
    assert (np.diff(run.t) > 0.0).all()
    assert np.isin(times[times <= 0.02], run.t).all()
    assert all(a.solution.event is not None for a in run.path.segments[:-1])

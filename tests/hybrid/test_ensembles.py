"""Many runs of mechanisms whose modes change: each has the bits that it has alone, and a failure is a row."""

from __future__ import annotations

import os
import re
import signal

import numpy as np
import pytest

import latchwork as lw
from aligned_scenes import scene
from campaign import seeds
from latchwork.errors import ArgumentError, EvaluationError, Interrupted
from latchwork.view import gallery
from random_programs import bits
from small_mechanisms import four_bar

BELT = gallery.load("patoglu_3_belt")
FEW = 6
IN_SPACE, MANY, PARTED = 11, 3, 17


@pytest.fixture(scope="module")
def belt():
    """The pendulum over a belt, by Newton's law of impact."""
    return BELT.module.build("newton")


def starts(count, seed=0):
    """Starts of the pendulum over a belt."""
    rng = np.random.default_rng(seed)
    q1, q2 = -0.2 + 0.1 * rng.uniform(-1, 1, count), -1.55 + 0.1 * rng.uniform(-1, 1, count)
    return {"q1": q1, "q2": q2, "u1": 3.0, "m": rng.uniform(0.5, 2.0, count)}


def row(table, i):
    """One row of a table."""
    return {name: float(values if np.ndim(values) == 0 else values[i]) for name, values in table.items()}


def told(events):
    """All there is to an event."""
    return [(e.t.hex(), e.name, e.kind, e.before, e.after, e.energy.hex(), e.notes,
             {name: bits(j) for name, j in e.impulses.items()}) for e in events]  # fmt: skip


def alone(table, i, until=1.0, build=lambda: BELT.module.build("newton"), **options):
    """Run i by itself, of a model made for it alone."""
    own = row(table, i)
    return lw.simulate(build(), until, q={"q1": own["q1"], "q2": own["q2"]}, u={"u1": own["u1"]},
                       parameters={"m": own["m"]}, **options)  # fmt: skip


@pytest.mark.parametrize("workers", [1, 2])
def test_runs_with_contacts_have_the_bits_that_they_have_alone(belt, workers):
    """Impacts, sliding and sticking: states, events and impulses of each run are those of a fresh model, run alone."""
    table = starts(FEW)
    runs = lw.simulate_many(belt, table, 1.0, workers=workers)
    assert runs.failed == {}
    for i in range(FEW):
        run = alone(table, i)
        assert bits(runs.x[i, -1]) == bits(run.x[-1])
        assert told(runs.events[i]) == told(run.events)
    assert sum(map(len, runs.events)) > 2 * FEW


def test_bits_do_not_depend_on_the_order_of_rows(belt):
    """Rows turned around give rows turned around: no run learns from another."""
    table = starts(FEW)
    turned = {name: values[::-1] if np.ndim(values) else values for name, values in table.items()}
    one, two = (lw.simulate_many(belt, each, 1.0, every=0.25, workers=1) for each in (table, turned))
    assert bits(one.x) == bits(two.x[::-1])
    assert [told(events) for events in one.events] == [told(events) for events in two.events[::-1]]


def test_samples_on_the_way_are_those_of_the_run(belt):
    """``every`` gives the states of the run at even times, and expressions of them with constraints in force."""
    table = starts(2)
    runs = lw.simulate_many(belt, table, 1.0, every=0.1, workers=1)
    for i in range(2):
        run = alone(table, i).at(runs.t)
        assert bits(runs.x[i]) == bits(run.x)
        assert runs["dt(u1)"][i] == pytest.approx(run["dt(u1)"], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", seeds([IN_SPACE, MANY, PARTED], range(100)))
def test_scenes_in_the_plane_and_in_space(seed):
    """Aligned scenes from several speeds at once: solids, seams, stacks; each the bits of a scene run alone."""
    def options(s):
        return {"method": s.method, "at_once": getattr(s, "at_once", None)}

    s = scene(seed)
    equations = s.model.equations()
    speeds = np.array(s.u) + np.outer([0.0, 0.125, -0.25], np.eye(len(s.u))[0])
    table = dict(zip((*equations.q_names, *equations.u_names), (*s.q, *speeds.T), strict=True))
    runs = lw.simulate_many(s.model, table, 0.4, workers=1, **options(s))
    for i, u in enumerate(speeds):
        fresh = scene(seed)
        if i in runs.failed:
            with pytest.raises(lw.LatchworkError, match=re.escape(runs.failed[i])):
                lw.simulate(fresh.model, 0.4, q=fresh.q, u=u.tolist(), **options(fresh))
            continue
        run = lw.simulate(fresh.model, 0.4, q=fresh.q, u=u.tolist(), **options(fresh))
        assert bits(runs.x[i, -1]) == bits(run.x[-1])
        assert told(runs.events[i]) == told(run.events)


def test_constraints_hold_in_many_runs():
    """A four-bar from several angles: each start is assembled, and each run is that of `simulate`."""
    angles = np.linspace(0.9, 1.2, 4)
    model = four_bar()
    q = model.equations().q_names[0]
    runs = lw.simulate_many(model, {q: angles}, 0.3)
    for i, angle in enumerate(angles):
        assert bits(runs.x[i, -1]) == bits(lw.simulate(four_bar(), 0.3, q={q: float(angle)}).x[-1])


def ruled():
    """A mass that a rule stops from falling: at x = 0 it is held, and an input pulls."""
    model = lw.Model("caught")
    x = model.coordinate("x")
    v = model.speeds(v=lw.dt(x))[0]
    F = model.input("F")
    model.particle("mass", model.origin.at("P", x * model.frame.y), 2.0)
    model.force(model.origin.at("P2", x * model.frame.y), (F - 4.0) * model.frame.y)
    model.rule("caught", x, hold=lw.Constraint("held", v))
    return model


def test_rules_and_inputs_of_many_runs():
    """Rules fire in each run by itself; tables drive all, numbers of inputs each."""
    table = {"x": [1.0, 2.0, 3.0], "F": [0.0, 1.0, 2.0]}
    runs = lw.simulate_many(ruled(), table, 2.0)
    for i in range(3):
        run = lw.simulate(ruled(), 2.0, q={"x": table["x"][i]}, inputs={"F": table["F"][i]})
        assert bits(runs.x[i, -1]) == bits(run.x[-1])
        assert told(runs.events[i]) == told(run.events)
    pulled = lw.Table([0.0, 0.5, 1.0], [0.0, 2.0, 1.0])
    driven = lw.simulate_many(ruled(), {"x": [1.0, 2.0]}, 0.9, inputs={"F": pulled})
    for i in range(2):
        run = lw.simulate(ruled(), 0.9, q={"x": table["x"][i]}, inputs={"F": pulled})
        assert bits(driven.x[i, -1]) == bits(run.x[-1])


def balanced(sampled):
    """An inverted pendulum on a cart, and the regulator that balances it."""
    model = lw.Model("cart-pole")
    F = model.input("F")
    cart = model.prismatic("rail", axis=model.frame.x, q=["x"], u=["v"])
    pole = model.revolute("pole", cart, q=["a"], u=["w"])
    model.particle("cart", cart.origin, 1.0)
    model.particle("bob", cart.origin.at("bob", 0.5 * pole.frame.y), 0.3)
    model.gravity(-9.81 * model.frame.y)
    model.force(cart.origin, F * model.frame.x)
    law = lw.control.lqr(model, {"a": 0.0}, states={"x": 10.0, "a": 100.0, "v": 1.0, "w": 1.0})
    return model, lw.control.Sampled(law, 0.02) if sampled else law


@pytest.mark.parametrize("sampled", [False, True])
def test_controllers_of_many_runs(sampled):
    """Laws inside the equations, and sampled ones: each run has the bits of one alone, with a controller of its own."""
    tilts = [0.1, -0.2, 0.15]
    model, law = balanced(sampled)
    runs = lw.simulate_many(model, {"a": tilts}, 0.5, controllers=[law])
    for i, tilt in enumerate(tilts):
        fresh, own = balanced(sampled)
        assert bits(runs.x[i, -1]) == bits(lw.simulate(fresh, 0.5, q={"a": tilt}, controllers=[own]).x[-1])


def test_a_failure_is_a_row_with_its_reason(belt):
    """A start inside the belt fails alone, in the words of `simulate`; the others are as without it."""
    table = starts(3)
    table["q2"] = np.array([table["q2"][0], -0.2, table["q2"][2]])
    runs = lw.simulate_many(belt, table, 0.5)
    assert list(runs.failed) == [1]
    assert runs.failed[1].startswith("'part' overlaps at t = 0: the gap of 'part' is -")
    assert np.isnan(runs.x[1]).all()
    assert bits(runs.x[2, -1]) == bits(alone(table, 2, 0.5).x[-1])


def test_outputs_are_asked_of_each_run(belt):
    """Expressions at the samples, forces, functions of a run; what is no number, of another shape, or raises fails its
    row."""
    N, P2 = belt.frame, belt.system().tree.points["P2"]
    height = P2.position(belt.origin).dot(N.y)
    table = starts(FEW)
    asked = {"height": height, "force": belt.contacts[0].force, "events": lambda run: len(run.events)}
    runs = lw.simulate_many(belt, table, 1.0, outputs=asked, workers=2)
    assert runs["height"].shape == runs["force"].shape == (FEW, 2)
    assert runs["height"][:, 1] == pytest.approx(runs[height][:, 1])
    assert runs["events"].tolist() == [len(events) for events in runs.events]

    def odd(run):
        kinds = {0: [1.0], 1: [1.0, 2.0], 2: "many"}
        i = int(np.argmin(np.abs(table["q1"] - run.x[0, 0])))
        if i == 3:
            raise ValueError("three is none")
        return kinds.get(i, [float(i)])

    wrong = lw.simulate_many(belt, table, 0.1, outputs={"odd": odd}).failed
    assert list(wrong) == [1, 2, 3]
    assert wrong[1] == ("output 'odd' has the shape (2,) in run 1, and (1,) in run 0. Let it give as many numbers in "
                        "every run.")  # fmt: skip
    assert wrong[2] == "output 'odd' is 'many', which is no number. Let it give numbers."
    assert wrong[3] == "ValueError: three is none"


def test_runs_that_stop_end_at_their_own_times(belt):
    """``stop_when`` ends each run where its condition falls; the last sample is there."""
    runs = lw.simulate_many(belt, starts(3), 1.0, stop_when={"turned": "u1"})
    for i in range(3):
        run = alone(starts(3), i, stop_when={"turned": "u1"})
        assert runs.ends[i] == run.t[-1] < 1.0
        assert bits(runs.x[i, -1]) == bits(run.x[-1])
    with pytest.raises(EvaluationError, match=r"every = 0.1 with stop_when"):
        lw.simulate_many(belt, starts(2), 1.0, stop_when={"turned": "u1"}, every=0.1)


def test_a_worker_that_is_killed_takes_no_other_run_with_it(belt):
    """A process that ends in the middle of a run is replaced; the run that ends it each time is a row with the reason,
    and so are at most those that it was given with it."""
    here, table = os.getpid(), starts(40)

    def fatal(run):
        if run.x[0, 0] == table["q1"][20] and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return 1.0

    runs = lw.simulate_many(belt, table, 0.05, outputs={"one": fatal}, workers=2)
    assert 20 in runs.failed
    assert len(runs.failed) <= 5
    assert "ended from outside, twice" in runs.failed[20]


def test_runs_inside_runs_make_no_more_processes(belt):
    """A copy of a process makes none of its own: many runs within many runs are made where they are asked for."""
    table = starts(4)

    def inner(run):
        runs = lw.simulate_many(belt, starts(2), 0.05, outputs={"id": lambda run: os.getpid()}, workers=2)
        return [float(os.getpid()), *runs["id"]]

    found = lw.simulate_many(belt, table, 0.05, outputs={"ids": inner}, workers=2)["ids"]
    assert (found[1:, 0] != os.getpid()).all()
    assert (found[1:, 1:] == found[1:, :1]).all()


def test_an_interrupt_keeps_the_runs_that_ended(belt):
    """Ctrl-C between runs: those before it are there, bit for bit; the others say so."""
    table = starts(5)

    def stop(run):
        if run.x[0, 0] == table["q1"][2]:
            signal.raise_signal(signal.SIGINT)
        return 0.0

    with pytest.raises(Interrupted, match="2 of 5 runs of 'pendulum over a belt' came to their end") as caught:
        lw.simulate_many(belt, table, 0.2, outputs={"none": stop}, workers=1)
    made = caught.value.run
    assert list(made.failed) == [2, 3, 4]
    assert bits(made.x[1, -1]) == bits(alone(table, 1, 0.2).x[-1])


@pytest.mark.parametrize("who", ["law", "expressions", "sampled", "rule"])
def test_inputs_that_laws_and_rules_set_are_those_of_each_run(who):
    """At the samples, and what depends on them: the bits of a run alone."""
    model = lw.Model("mass")
    F = model.input("F", 0.5)
    rail = model.prismatic("rail", axis=model.frame.x, q=["x"], u=["v"])
    model.particle("m", rail.origin, 2.0)
    model.force(rail.origin, F * model.frame.x)
    laws = {"law": lw.control.Projected(tracks={"x": 1.0}, gains=(16.0, 8.0)),
            "expressions": lw.control.Law({"F": "-3*x - v"}),
            "sampled": lw.control.Sampled(lw.control.Law({"F": "-3*x - v"}), 0.03)}  # fmt: skip
    if who == "rule":
        model.rule("far", 0.2 - model.symbols["x"], inputs={F: -1.0})
    given = {"controllers": [laws[who]]} if who in laws else {}
    runs = lw.simulate_many(model, {"x": [0.0, 0.1], "v": 0.3}, 1.0, every=0.25, workers=1, **given)
    for i, x in enumerate((0.0, 0.1)):
        alone = lw.simulate(model, 1.0, {"x": x}, {"v": 0.3}, **given).at(runs.t)
        for what in ("F", "dt(v)", "F * v"):
            assert runs[what][i].tolist() == np.broadcast_to(alone[what], len(runs.t)).tolist()
    assert len({*runs["F"][1].tolist()}) > 1


def test_bad_tables_and_settings_are_refused(belt):
    """Names, numbers and workers are checked before anything runs."""
    for table, message in (({"q3": [1.0]}, "'q3' is nothing of 'pendulum over a belt'. Known: d, g, l, m, q1"),
                           ({"q1": "fast"}, "'q1' in the table is 'fast', which are no numbers"),
                           ([1.0], r"the table is \[1.0\]. Give columns by name"),
                           ({"q1": [np.nan, 0.0]}, "'q1' is not finite in row 0")):  # fmt: skip
        with pytest.raises(EvaluationError, match=message):
            lw.simulate_many(belt, table, 1.0)
    for workers in (0, 1.5, True):
        with pytest.raises(ArgumentError, match="Give a whole number of cores"):
            lw.simulate_many(belt, starts(2), 1.0, workers=workers)
    with pytest.raises(ArgumentError, match="Give them by name"):
        lw.simulate_many(belt, starts(2), 1.0, outputs=["q1"])
    with pytest.raises(EvaluationError, match="'hight' is not in the run of 'pendulum over a belt'"):
        lw.simulate_many(belt, starts(2), 1.0, outputs={"height": "hight"})


def test_doubtful_runs_are_refused_or_kept():
    """What the audit finds of a run among modes is its reason to fail, or is told beside it."""
    model = lw.Model("spring")
    x = model.coordinate("x")
    P = model.origin.at("P", x * model.frame.x)
    model.particle("mass", P, 1.0)
    model.force(P, -1.0 * x * model.frame.x)
    model.rule("far", x + 100.0, stop=True)
    options = {"method": lw.RK4(1.5), "until": 30.0, "table": {"x": [0.0, 1.0, 0.0, 2.0]}}
    refused, kept, off = (lw.simulate_many(model, audit=way, **options) for way in ("raise", "warn", "off"))
    assert sorted(refused.failed) == sorted(kept.doubtful) == [1, 3]
    assert "the energy balance is off by" in refused.failed[1]
    assert np.isnan(refused.x[[1, 3], -1]).all()
    assert np.isfinite(kept.x).all()
    assert not off.doubtful

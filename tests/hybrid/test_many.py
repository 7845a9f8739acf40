"""Many runs at once: each has the bits it has alone."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
import paper_models
from latchwork import dt
from latchwork.errors import EvaluationError, ModelError
from latchwork.program import tiers
from random_programs import bits

ROWS = 19


@pytest.fixture
def lanes(monkeypatch, tmp_path):
    """Runs share vectors however few they are."""
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path))
    monkeypatch.setattr(tiers, "EVALUATIONS", 0)
    monkeypatch.setattr(tiers, "OPERATIONS", 0)
    monkeypatch.setattr(tiers, "compile_aside", lambda program, done: None)


@pytest.fixture(scope="module")
def arm():
    """Two revolutes with torques."""
    return paper_models.two_revolutes().equations()


@pytest.fixture(scope="module")
def table():
    """Starts, an input and a parameter for every run; gravity for all."""
    rng = np.random.default_rng(5)
    names = {"q1": 3.0, "q2": 2.0, "u1": 1.0, "T_A": 0.5}
    return {name: size * rng.standard_normal(ROWS) for name, size in names.items()} | {
        "m": rng.uniform(0.5, 2.0, ROWS), "g": 9.0,
    }  # fmt: skip


def alone(equations, table, i, **options):
    """Run i of a table by itself."""
    row = {name: float(np.broadcast_to(values, ROWS)[i]) for name, values in table.items()}
    return lw.simulate(
        equations, 0.5, q={"q1": row["q1"], "q2": row["q2"]}, u={"u1": row["u1"]}, inputs={"T_A": row["T_A"]},
        parameters={"m": row["m"], "g": row["g"]}, **options,
    )  # fmt: skip


@pytest.mark.usefixtures("lanes")
@pytest.mark.parametrize("threads", [1, 2, None])
def test_the_ends_of_runs_that_step_together(arm, table, threads):
    """Under RK4 the last state of each run is equal bit for bit to that of the run alone; the start is as given."""
    runs = lw.simulate_many(arm, table, 0.5, method=lw.RK4(0.0103), workers=threads)
    assert runs.failed == {}
    assert runs.t.tolist() == [0.0, 0.5]
    for i in range(ROWS):
        run = alone(arm, table, i, method=lw.RK4(0.0103))
        assert bits(runs.x[i]) == bits(run.x[[0, -1]])
        assert runs.final["u2"][i] == run["u2"][-1]


@pytest.mark.usefixtures("lanes")
def test_samples_of_runs_that_step_together(arm, table):
    """At even times between the steps, too, each run has its own bits."""
    runs = lw.simulate_many(arm, table, 0.5, method=lw.RK4(0.0103), every=0.07)
    for i in range(ROWS):
        run = alone(arm, table, i, method=lw.RK4(0.0103), every=0.07)
        assert bits(runs.t) == bits(run.t)
        assert bits(runs.x[i]) == bits(run.x)


@pytest.mark.parametrize("method", [None, lw.RK4(0.01), lw.DormandPrince(1e-6)], ids=repr)
@pytest.mark.parametrize("every", [None, 0.1])
def test_runs_that_step_by_themselves(arm, table, method, every):
    """With adaptive steps, or too few to share vectors, each run is the run alone."""
    runs = lw.simulate_many(arm, table, 0.5, method=method, every=every)
    for i in range(ROWS):
        run = alone(arm, table, i, method=method, every=every)
        assert bits(runs.x[i]) == bits(run.x if every else run.x[[0, -1]])


@pytest.mark.usefixtures("lanes")
def test_anything_can_be_asked_of_many_runs(arm, table):
    """Names, expressions and points give numbers for every run and sample."""
    runs = lw.simulate_many(arm, table, 0.5, method=lw.RK4(0.01), every=0.1)
    run = alone(arm, table, 3, method=lw.RK4(0.01), every=0.1)
    assert len(runs) == ROWS
    assert runs["q1"].shape == (ROWS, 6)
    assert runs["P2"].shape == (ROWS, 6, 3)
    assert bits(runs["P2"][3]) == bits(run["P2"])
    assert bits(runs[arm.kinetic_energy][3]) == bits(run[arm.kinetic_energy])


def explosive() -> lw.Equations:
    """``u̇ = u²``: a run that starts above zero ends in a pole."""
    model = lw.Model("explosive")
    (m,) = model.parameters(m=1.0)
    (q,) = model.coordinates("q")
    (u,) = model.speeds(u=dt(q))
    P = model.origin.at("P", q * model.frame.x)
    model.particle("P", P, m)
    model.force(P, u * u * model.frame.x)
    return model.equations()


@pytest.mark.usefixtures("lanes")
@pytest.mark.parametrize("every", [None, 0.25])
@pytest.mark.parametrize("method", [lw.RK4(0.001), lw.DormandPrince()], ids=["RK4", "DormandPrince"])
def test_a_run_that_fails_does_not_disturb_the_others(every, method):
    """A run that stops is named with its reason and is nan; the runs in the same vector go on."""
    equations = explosive()
    start = np.array([-1.0, 0.3, 2.0, -0.5, 0.1, -3.0, 0.2, 0.4, 1.5, -0.2, 0.0])
    runs = lw.simulate_many(equations, {"q": 0.0, "u": start}, 1.0, method=method, every=every)
    assert runs.failed.keys() == {2, 8}
    assert "stopped at t = " in runs.failed[2]
    assert np.isnan(runs.x[[2, 8]]).all()
    for i in sorted(set(range(len(start))) - {2, 8}):
        run = lw.simulate(equations, 1.0, q=[0.0], u=[start[i]], method=method, every=every)
        assert bits(runs.x[i]) == bits(run.x if every else run.x[[0, -1]])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"q1": [0.0, 1.0], "q2": [0.0]}, "no common number of rows"),
        ({"q1": 0.0, "q2": 0.0}, "no common number of rows"),
        ({}, "the table has nothing"),
        ({"q1": [], "q2": []}, "no common number of rows"),
        ({"q1": [[0.0]], "q2": [0.0]}, "no common number of rows"),
        ({"q1": [0.0, 1.0], "q2": 0.0, "q3": 1.0}, "'q3' is nothing of 'two revolutes'"),
        ({"q1": [0.0, np.nan], "q2": 0.0}, "'q1' is not finite in row 1"),
    ],
)
def test_a_table_must_make_sense(arm, table, message):
    """Columns of different length, unknown names, missing and infinite numbers are refused by name."""
    with pytest.raises(EvaluationError, match=message):
        lw.simulate_many(arm, table, 1.0)


def test_something_must_be_able_to_move():
    """A model without coordinates is refused, as by `simulate`."""
    with pytest.raises(ModelError, match="nothing can move"):
        lw.simulate_many(lw.Model("still"), {"a": [1.0]}, 1.0)


def test_equations_of_a_model_with_contacts_are_refused():
    """Equations hold no contacts: many runs of them would leave these out in silence."""
    model = lw.Model("ball")
    y = model.coordinate("y")
    P = model.origin.at("P", y * model.frame.y)
    model.particle("ball", P, 1.0)
    model.contact("floor", P, lw.Line(model.origin, model.frame.x, model.frame.y))
    with pytest.raises(ModelError, match=r"do not hold its contacts .'floor'"):
        lw.simulate_many(model.equations(), {"y": [1.0, 2.0]}, 0.1)
    assert len(lw.simulate_many(model, {"y": [1.0, 2.0]}, 0.1)) == 2

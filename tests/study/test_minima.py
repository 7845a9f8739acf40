"""Minima: closed forms, constraints, failures, resumption; what cannot be is told."""

from __future__ import annotations

import math
import signal

import pytest

import latchwork as lw
from latchwork.errors import ArgumentError, Interrupted, StudyError


def valley(x, y):
    """Rosenbrock's valley, least at (1, 1); its sum is kept by constraints."""
    return {"depth": (1.0 - x) ** 2 + 100.0 * (y - x * x) ** 2, "sum": x + y}


BOX = {"x": (-2.0, 2.0), "y": (-1.0, 3.0)}


@pytest.mark.parametrize("workers", [1, 2])
def test_the_valley_of_rosenbrock(workers):
    """The minimum is found, on one core or two, with the same trials."""
    found = lw.minimize(valley, "depth", BOX, workers=workers)
    assert found.point == pytest.approx({"x": 1.0, "y": 1.0}, abs=1e-4)
    assert found.value < 1e-8
    assert found.best is min(found.trials, key=lambda trial: trial.rank)


def test_minimum_on_a_constraint():
    """Where x + y ≤ 1 the least is on the line; by Lagrange's condition (0.6188, 0.3812)."""
    found = lw.minimize(valley, "depth", BOX, constraints={"sum": (None, 1.0)}, workers=1)
    assert found.point["x"] == pytest.approx(0.6188, abs=2e-3)
    assert found.best.outputs["sum"] <= 1.0


def test_failures_are_worse_than_any_value():
    """Points at which the function fails are left; where all fail it is told with the reason."""
    def fails(x):
        if x < 0.3:
            raise ValueError("too small")
        return {"f": (x - 0.1) ** 2}

    assert lw.minimize(fails, "f", {"x": (0.0, 1.0)}, workers=1).point["x"] == pytest.approx(0.3, abs=1e-3)
    with pytest.raises(StudyError, match=r"no allowed point was found .*too small"):
        lw.minimize(fails, "f", {"x": (0.0, 0.2)}, workers=1, method=lw.NelderMead(20))
    with pytest.raises(StudyError, match="constraints are broken by"):
        lw.minimize(fails, "f", {"x": (0.4, 1.0)}, constraints={"f": (5.0, None)}, workers=1, method=lw.NelderMead(20))


def thrown() -> lw.Model:
    """A ball that is thrown over a floor, and bounces without spin."""
    model = lw.Model("throw")
    x, y = model.coordinates("x", "y")
    model.speeds(vx=lw.dt(x), vy=lw.dt(y))
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("ball", P, 0.5)
    model.gravity(-9.81 * model.frame.y)
    model.contact("floor", P, lw.Line(model.origin, model.frame.x, model.frame.y), restitution=0.8)
    return model


def landed(run):
    """How far from x = 6 it meets the floor for the third time, squared."""
    hits = [event.t for event in run.events if event.kind == "impact"]
    return (run.at(hits[2])["x"] - 6.0) ** 2 if len(hits) > 2 else 36.0 + len(hits)


def test_a_throw_that_lands_after_two_bounces():
    """The speed by which a ball from 1 m lands at 6 m after two bounces, in closed form."""
    few = lw.DifferentialEvolution(generations=4, polish=60)
    found = lw.minimize(thrown(), "off", {"vx": (1.0, 8.0)}, outputs={"off": landed}, until=2.5, q={"y": 1.0},
                        workers=1, method=few)  # fmt: skip
    fall = math.sqrt(2.0 / 9.81)
    time = fall * (1.0 + 2.0 * 0.8 + 2.0 * 0.64)
    assert found.point["vx"] == pytest.approx(6.0 / time, rel=1e-5)
    assert found.run()["x"][-1] > 6.0


def test_from_the_best_of_a_study():
    """A study tells where to begin; what it has of constraints is respected."""
    study = lw.Study(valley, {"x": [0.0, 0.8, 1.5], "y": [0.0, 0.7, 2.0]}).run(workers=1)
    assert study.minimize("depth").point == pytest.approx({"x": 1.0, "y": 1.0}, abs=1e-3)
    kept = study.minimize("depth", constraints={"sum": (None, 1.0)})
    assert kept.best.outputs["sum"] <= 1.0
    with pytest.raises(StudyError, match="'y' has one value in this study"):
        lw.Study(valley, {"x": [0.0, 1.0], "y": [1.0]}).run(workers=1).minimize("depth")


@pytest.mark.campaign
def test_optuna_goes_on_where_it_was(tmp_path):
    """With a storage, a second call adds what is missing to the trials of the first."""
    pytest.importorskip("optuna")
    storage = f"sqlite:///{tmp_path / 'x.db'}"
    first = lw.minimize(valley, "depth", BOX, method=lw.Optuna(15, storage), workers=1)
    again = lw.minimize(valley, "depth", BOX, method=lw.Optuna(20, storage), workers=1)
    assert len(first.trials) == 15
    assert len(again.trials) == 6  # the best so far, and five more
    assert again.value <= first.value


def test_an_interrupt_keeps_the_best():
    """Ctrl-C ends the search; what was found is carried."""
    calls = []

    def slow(x):
        calls.append(x)
        if len(calls) == 30:
            signal.raise_signal(signal.SIGINT)
        return x * x

    with pytest.raises(Interrupted, match="was interrupted after") as caught:
        lw.minimize(slow, "slow", {"x": (-1.0, 1.0)}, workers=1)
    assert caught.value.run.value < 0.1


def test_progress_and_a_picture(tmp_path):
    """Each better trial is told; the picture shows them all."""
    heard = []
    found = lw.minimize(valley, "depth", BOX, workers=1, method=lw.NelderMead(60), progress=heard.append)
    assert [trial.value for trial in heard] == sorted((trial.value for trial in heard), reverse=True)
    assert heard[-1] is found.best
    found.plot(str(tmp_path / "x.png"))
    assert (tmp_path / "x.png").exists()
    assert "after" in str(found)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: lw.minimize(valley, "deep", BOX, workers=1), StudyError, "no output 'deep'"),
        (lambda: lw.minimize(valley, "depth", {}), StudyError, "bounds are {}"),
        (lambda: lw.minimize(valley, "depth", {"x": (1, 0), "y": (0, 1)}), StudyError, "the bounds of 'x' are 1 and 0"),
        (lambda: lw.minimize(valley, "depth", {"x": (0, 1)}), StudyError, "asks for y"),
        (lambda: lw.minimize(valley, "depth", BOX, constraints={"sum": 3}), StudyError, "the constraint on 'sum' is 3"),
        (lambda: lw.minimize(valley, "depth", BOX, constraints={"sum": (3, 1)}), StudyError, "Give the lower"),
        (lambda: lw.minimize(valley, "depth", BOX, start={"x": 9.0, "y": 0.0}), StudyError, "the start of 'x' is"),
        (lambda: lw.minimize(valley, "depth", BOX, start={"x": 0.0, "z": 0.0}), StudyError, "the start gives x, z"),
        (lambda: lw.minimize(valley, "depth", BOX, method="fast"), ArgumentError, "'fast' looks for no minimum"),
    ],
)
def test_minima_that_cannot_be_are_told(make, error, message):
    """Names, bounds, constraints and methods."""
    with pytest.raises(error, match=message):
        make()

"""Studies: points, stores, results; every point once, the same bits however it was computed, bad input in words."""

from __future__ import annotations

import errno
import math
import os
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import latchwork as lw
from latchwork.errors import ArgumentError, EvaluationError, Incomplete, Interrupted, StudyError
from latchwork.study import store as store_module
from latchwork.study.progress import Progress, duration
from latchwork.study.subject import Outcome
from random_programs import bits

zarr = pytest.importorskip("zarr")
pytest.importorskip("pyarrow")


def wave(a, b):
    """A cheap function of two parameters."""
    return {"sum": a + b, "both": [a, b], "wave": math.sin(a) * b}


def picky(a):
    """Fails in two ways, and has another shape in one."""
    if a == 2.0:
        raise ValueError("two is none")
    if a == 3.0:
        return {"x": [1.0, 2.0]}
    return {"x": math.inf if a == 4.0 else a}


def ball() -> lw.Model:
    """A ball that falls on a floor and bounces."""
    model = lw.Model("ball")
    (e,) = model.parameters(e=0.5)
    y = model.coordinate("y")
    model.speeds(v=lw.dt(y))
    P = model.origin.at("P", y * model.frame.y)
    model.particle("ball", P, 1.0)
    model.gravity(-9.81 * model.frame.y)
    model.contact("floor", P, lw.Line(model.origin, model.frame.x, model.frame.y), restitution=e)
    return model


def bounces(run):
    """How often it met the floor."""
    return sum(event.kind == "impact" for event in run.events)


AXES = {"y": [1.0, 1.5, 2.0, 2.5], "e": [0.25, 0.5, 0.75]}
ASKED = {"height": "y", "P": "P", "bounces": bounces}


def of_ball(store=None, **options):
    """A study of the ball."""
    return lw.Study(ball(), AXES, ASKED, store, until=1.0, events=True, **options)


# --- points -------------------------------------------------------------------------------------------------------


def test_a_grid_has_every_combination():
    """The last axis changes fastest, as in the array that results are reshaped to."""
    points = lw.grid(a=[1.0, 2.0], b=[3.0, 4.0, 5.0])
    assert points.values.tolist() == [[1, 3], [1, 4], [1, 5], [2, 3], [2, 4], [2, 5]]
    assert points.shape == (2, 3)
    assert points.at(4) == {"a": 2.0, "b": 4.0}


@pytest.mark.parametrize("sequence", ["sobol", "halton", "latin"])
def test_samples_fill_their_box_evenly(sequence):
    """Points lie in the box, are the same for a seed, and a mean over them is nearer than that of random ones."""
    made = lw.sampled(256, {"a": (0.0, 1.0), "b": (-2.0, 2.0)}, sequence=sequence, seed=3)
    again = lw.sampled(256, {"a": (0.0, 1.0), "b": (-2.0, 2.0)}, sequence=sequence, seed=3)
    assert bits(made.values) == bits(again.values)
    assert (made.values >= [0.0, -2.0]).all()
    assert (made.values <= [1.0, 2.0]).all()
    integral = float((made.values[:, 0] * made.values[:, 1] ** 2).mean())
    assert integral == pytest.approx(2.0 / 3.0, abs=0.02)  # random: 0.05


def test_rows_of_a_table_are_points():
    """Columns by name, a row each."""
    points = lw.points({"a": [1.0, 2.0], "b": [5.0, 4.0]})
    assert points.at(1) == {"a": 2.0, "b": 4.0}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lw.grid(), "a study without parameters has no points"),
        (lambda: lw.grid(a=[]), r"'a' has the shape \(0,\): no values"),
        (lambda: lw.grid(a=[1.0, 1.0]), "'a' has a value twice"),
        (lambda: lw.grid(a=["x"]), r"'a' is \['x'\], which are no numbers"),
        (lambda: lw.grid(a=[1.0, math.nan]), "'a' is not finite at place 1"),
        (lambda: lw.grid(a=range(100_000), b=range(100_000)), "a grid of 100000 a × 100000 b has 10000000000 points"),
        (lambda: lw.sampled(0, a=(0, 1)), "0 points cannot be drawn"),
        (lambda: lw.sampled(4, a=(1, 0)), "the bounds of 'a' are 1 and 0"),
        (lambda: lw.sampled(4, a=3), "the bounds of 'a' are 3. Give two numbers"),
        (lambda: lw.sampled(4, a=(0, 1), sequence="sobel"), "no sequence 'sobel'. Did you mean 'sobol'"),
        (lambda: lw.points({"a": [1.0], "b": [1.0, 2.0]}), "these have a 1, b 2"),
        (lambda: lw.points(3), "the table is 3"),
        (lambda: lw.Study(wave, 3), "the parameters of a study are 3"),
        (lambda: lw.Study(wave, {"a": [1.0]}), "'wave' asks for b, which the points do not give"),
        (lambda: lw.Study(wave, {"a": [1.0], "c": [1.0]}), "'wave' takes no 'c'"),
        (lambda: lw.Study(3, {"a": [1.0]}), "a study cannot be made of 3"),
        (lambda: lw.Study(wave, {"a": [1.0], "b": [1.0]}, until=3.0), "until: settings of a run go with a model"),
        (lambda: lw.Study(ball(), AXES, ASKED), "does not say how long to run"),
        (lambda: lw.Study(ball(), AXES, until=1.0), "asks for nothing"),
        (lambda: lw.Study(ball(), {"z": [1.0]}, ASKED, until=1.0), "'z' is nothing of 'ball' that could be varied"),
        (lambda: of_ball(chunk=0), "chunk = 0. Give a whole number"),
        (lambda: of_ball().points.at(12), "no point 12 in a study of 12"),
        (lambda: lw.Study(ball(), AXES, ASKED, until=1.0, q={"y": 2.0}), "'y' of 'ball' is varied, and q gives it"),
        (lambda: lw.Study(ball(), {"y": [1.0]}, ASKED, until=1.0, constants={"e": math.nan}), "'e' the value nan"),
        (lambda: lw.Study(ball(), {"y": [1.0]}, ASKED, until=1.0, constants=[0.5]), "constants of the study of 'bal"),
        (lambda: lw.Study(wave, {"a": [1.0], "b": [1.0]}, store=3), "the store is 3. Give the path of a folder"),
        (lambda: lw.Study(lambda a: a * 1j, {"a": [1.0]}).run(workers=1), "gives 1j for 'value', which is no number"),
        (lambda: lw.Study(lambda a: None, {"a": [1.0]}).run(workers=1), "gives None for 'value', which is no number"),
        (lambda: lw.Study(wave, {"a": [1.0], "b": [1.0]}).run(workers=1).extreme("sum", 0), "0 extreme points"),
    ],
)
def test_what_has_no_meaning_is_refused(make, message):
    """Unknown names, empty grids, points and settings that are none: each in words."""
    with pytest.raises(StudyError, match=message):
        make()


def test_times_and_executors_that_are_none_are_refused():
    """An end that is no time, samples at no interval, an executor that cannot be given work."""
    with pytest.raises(EvaluationError, match=r"a run goes from start = 0.0 to until = nan"):
        lw.Study(ball(), AXES, ASKED, until=math.nan)
    with pytest.raises(EvaluationError, match=r"samples every -1.0 s cannot be had"):
        lw.Study(ball(), AXES, ASKED, until=1.0, every=-1.0)
    with pytest.raises(ArgumentError, match=r"executor is 3. Give one of concurrent.futures"):
        of_ball().run(executor=3)


def test_unknown_outputs_are_refused():
    """An output that the model does not have is named before anything runs."""
    with pytest.raises(lw.LatchworkError, match="hight"):
        lw.Study(ball(), AXES, ["hight"], until=1.0)


# --- computing ----------------------------------------------------------------------------------------------------


def test_a_model_at_every_point_has_the_bits_of_simulate():
    """Outputs are those of `simulate` of the model as described: by text, at a point, by a function; and events."""
    study = of_ball().run(workers=2)
    heights, places = study["height"], study["P"]
    for i in range(len(study)):
        point = study.points.at(i)
        run = lw.simulate(ball(), 1.0, q={"y": point["y"]}, parameters={"e": point["e"]})
        assert bits(heights[i]) == bits(run["y"][-1])
        assert bits(places[i]) == bits(run["P"][-1])
        assert study["bounces"][i] == bounces(run)
        mine = [(row["t"], row["kind"]) for row in study.events() if row["point"] == i]
        assert mine == [(event.t, event.kind) for event in run.events]
        assert bits(study.rerun(i).x) == bits(run.x)


def test_samples_of_each_run():
    """With ``every``, expressions have a value for each sample."""
    study = lw.Study(ball(), {"y": [1.0, 2.0]}, {"height": "y"}, until=1.0, every=0.25).run(workers=1)
    assert study["height"].shape == (2, 5)
    assert study["height"][:, 0].tolist() == [1.0, 2.0]


def test_inputs_speeds_and_constants_of_a_model():
    """Parameters may be speeds and inputs; what all points share is given by its kind."""
    model = lw.Model("cart")
    (c,) = model.parameters(c=1.0)
    F = model.input("F")
    x = model.coordinate("x")
    v = model.speeds(v=lw.dt(x))[0]
    P = model.origin.at("P", x * model.frame.x)
    model.particle("cart", P, 2.0)
    model.force(P, (F - c * v) * model.frame.x)
    study = lw.Study(model, {"F": [0.0, 2.0], "v": [1.0, 3.0]}, ["x"], until=0.5, q={"x": 0.5}, constants={"c": 0.3})
    assert "x" in study.outputs
    study.run(workers=1)
    for i in range(4):
        point = study.points.at(i)
        given = {"u": {"v": point["v"]}, "inputs": {"F": point["F"]}, "parameters": {"c": 0.3}}
        run = lw.simulate(model, 0.5, q={"x": 0.5}, **given)
        assert bits(study["x"][i]) == bits(run["x"][-1])


@pytest.mark.parametrize("way", ["workers", "executor", "one"])
def test_whoever_computes_gives_the_same(way, tmp_path):
    """Copies of this process, an executor, this process alone: the same arrays, every point once."""
    study = lw.Study(wave, {"a": range(10), "b": range(7)}, store=tmp_path / "s.zarr", chunk=4)
    with ThreadPoolExecutor(2) as pool:
        study.run(**{"workers": {"workers": 2}, "executor": {"executor": pool}, "one": {"workers": 1}}[way])
    a, b = study.points.values.T
    assert study["sum"].tolist() == (a + b).tolist()
    assert study["both"].tolist() == study.points.values.tolist()
    assert study.progress == Progress(70, 0, 0)
    assert np.isfinite(study.store.seconds).all()


def test_failures_are_rows_and_are_tried_again(tmp_path):
    """An error, another shape, what is not finite: a reason each; a later run computes these alone."""
    study = lw.Study(picky, {"a": [1.0, 2.0, 3.0, 4.0, 5.0]}, store=tmp_path / "s.zarr", chunk=2).run(workers=1)
    assert study.failed == {
        1: "ValueError: two is none",
        2: "output 'x' is of the shape (2,), and at the first point of the shape (). Give as many numbers at all.",
        3: "output 'x' is not finite: inf.",
    }
    with pytest.raises(Incomplete, match=r"2 of 5 points are done, 3 failed, 0 are missing. The first .*two is none"):
        study["x"]
    with pytest.raises(Incomplete, match="is not complete"):
        study.statistics()
    assert study.statistics(incomplete=True)["x"]["mean"] == 3.0
    assert np.isnan(study.values("x", incomplete=True)[1:4]).all()


def test_first_points_that_fail_do_not_end_a_study():
    """The shapes of outputs are told by the first point that has some."""
    def late(a):
        if a < 30:
            raise ValueError("early")
        return a

    study = lw.Study(late, {"a": range(40)}).run(workers=1)
    assert study.progress == Progress(10, 30, 0)
    assert study.outputs == ("late",)


@pytest.mark.parametrize(("value", "message"), [("text", "gives 'text' for 'strange', which is no"), ({}, "nothing")])
def test_functions_that_give_no_numbers_are_refused(value, message):
    """What cannot be an output is told with the point."""
    def strange(a):
        return value

    with pytest.raises(StudyError, match=message):
        lw.Study(strange, {"a": [1.0]}).run(workers=1)


def test_a_function_may_give_a_run():
    """Outputs are then asked of it."""
    def dropped(y):
        return lw.simulate(ball(), 0.3, q={"y": y})

    study = lw.Study(dropped, {"y": [1.0, 2.0]}, {"height": "y", "bounces": bounces}).run(workers=1)
    assert study["height"] == pytest.approx(np.array([1.0, 2.0]) - 0.5 * 9.81 * 0.09)
    assert study.rerun(1).x[0, 0] == 2.0


# --- stores -------------------------------------------------------------------------------------------------------


def test_a_study_goes_on_where_it_was(tmp_path):
    """Only what is missing is computed; the whole has the bits of a study in one go."""
    calls, presses = [], [9]

    def counted(a):
        calls.append(a)
        if presses and len(calls) == presses[0]:
            presses.clear()
            signal.raise_signal(signal.SIGINT)
        return {"x": math.sin(a)}

    def study():
        return lw.Study(counted, {"a": range(20)}, store=tmp_path / "s.zarr", chunk=3)

    with pytest.raises(Interrupted, match=r"of 20 points. They are kept; run it again to go on"):
        study().run(workers=1)
    before = study().progress
    assert 0 < before.done < 20
    with pytest.raises(Incomplete, match=f"{before.done} of 20 points are done"):
        study()["x"]
    calls.clear()
    whole = study().run(workers=1)
    assert len(calls) == 20 - before.done
    assert whole["x"].tolist() == [math.sin(a) for a in range(20)]
    assert whole.run().progress.done == 20
    assert len(calls) == 20 - before.done


def test_a_store_of_another_study_is_refused_and_left_alone(tmp_path):
    """Another model, other outputs, settings, points, another version or chunk: words, and nothing is overwritten."""
    path = tmp_path / "s.zarr"
    of_ball(path).run(workers=1)
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    heavier = ball()
    heavier.particle("more", heavier.origin.at("Q", 1.0 * heavier.frame.x), 1.0)
    options = {"until": 1.0, "events": True}
    for make, message in (
        (lambda: lw.Study(heavier, AXES, ASKED, path, **options), "model, outputs or settings were others"),
        (lambda: lw.Study(ball(), AXES, {"tall": "y"}, path, **options), "outputs or settings were others"),
        (lambda: lw.Study(ball(), AXES, ASKED, path, until=2.0, events=True), "settings were others"),
        (lambda: lw.Study(ball(), AXES, ASKED, path, method=lw.RK4(1e-3), **options), "settings were others"),
        (lambda: lw.Study(ball(), AXES | {"y": [1.0]}, ASKED, path, **options), "holds this study at 12 other points"),
        (lambda: lw.Study(wave, {"a": [1.0], "b": [1.0]}, store=path), "holds a study of 'ball', and this one is of"),
        (lambda: of_ball(path, chunk=5), "has tasks of 2 points, and chunk = 5"),
    ):  # fmt: skip
        with pytest.raises(StudyError, match=message):
            make()
    assert before == {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    with pytest.raises(StudyError, match="is no store of a study"):
        of_ball(tmp_path / "notes")


def test_a_store_that_lost_an_array_is_told(tmp_path):
    """What something else has removed is named."""
    path = tmp_path / "s.zarr"
    of_ball(path).run(workers=1)
    shutil.rmtree(path / "output height")
    with pytest.raises(StudyError, match=r"has no array 'output height' any more: something has removed it"):
        of_ball(path)["height"]


def test_results_of_another_version_are_not_mixed(tmp_path, monkeypatch):
    """The version of Latchwork is part of what results are known by."""
    path = tmp_path / "s.zarr"
    lw.Study(wave, {"a": [1.0], "b": [1.0]}, store=path)
    group = zarr.open_group(str(path), mode="r+")
    group.attrs["version"] = "0.0.1"
    with pytest.raises(StudyError, match=r"was computed by Latchwork 0.0.1, and this is"):
        lw.Study(wave, {"a": [1.0], "b": [1.0]}, store=path)


def test_a_function_is_known_by_its_code():
    """Another body, another caught number, another version: another identity; the same function: the same."""
    def made(k, version=""):
        return lw.Study(lambda a: a * k, {"a": [1.0]}, version=version).identity

    assert made(2.0) == made(2.0)
    assert len({made(2.0), made(3.0), made(2.0, "b"), lw.Study(lambda a: a + 2.0, {"a": [1.0]}).identity}) == 4


@pytest.mark.parametrize(
    ("number", "message"),
    [(errno.ENOSPC, "the disk is full. 3 of 12 points are there, and nothing is lost. Make room, and run the study"),
     (errno.EROFS, "it may not be written"), (errno.EIO, "Input/output error")],
)  # fmt: skip
def test_a_disk_that_fails_is_told_and_loses_nothing(tmp_path, monkeypatch, number, message):
    """A chunk that cannot be written has no status: the study ends in words, and goes on once the disk does."""
    path, usual, writes = tmp_path / "s.zarr", store_module.Store.put, []

    def put(self, name, part, values):
        writes.append(name)
        if len(writes) > 14 and name == "status":
            raise OSError(number, os.strerror(number), str(path))
        usual(self, name, part, values)

    monkeypatch.setattr(store_module.Store, "put", put)
    monkeypatch.setattr(store_module, "TOGETHER", 0.0)
    with pytest.raises(StudyError, match=message):
        of_ball(path, chunk=3).run(workers=1)
    monkeypatch.undo()
    done = of_ball(path).progress.done
    assert 0 < done < 12
    assert bits(of_ball(path).run(workers=1)["height"]) == bits(of_ball().run(workers=1)["height"])


@pytest.mark.parametrize("cost", [0.0, 0.06])
def test_points_that_take_no_time_are_written_together(tmp_path, monkeypatch, cost):
    """One piece for all of them; those that take longer than it takes to write are written as they come."""
    usual, pieces = store_module.Store.write_piece, []

    def write(self, part, outcomes):
        pieces.append((part, sorted(outcomes)))
        usual(self, part, outcomes)

    monkeypatch.setattr(store_module.Store, "write_piece", write)
    monkeypatch.setattr(store_module, "TOGETHER", 0.05 if cost else 100.0)
    whole = [Outcome({"x": float(i)}, "", cost) for i in range(12)]
    study = lw.Study(wave, {"a": np.arange(12.0), "b": [1.0]}, store=tmp_path / "s.zarr", chunk=4)
    study.store.shape_outputs({"x": ()})
    waiting = store_module.Waiting(study.store)
    for task in ((0, 1, 2, 3), (8, 9, 10), (4, 5, 6, 7)):
        waiting.add({i: whole[i] for i in task})
    waiting.write()
    assert [some for _, some in pieces] == ([[0, 1, 2, 3], [8, 9, 10], [4, 5, 6, 7]] if cost else [[*range(11)]])
    assert study.store.status.tolist() == [1] * 11 + [0]
    assert study.store.output("x")[:11].tolist() == [*range(11)]


def test_pieces_are_chunks_that_follow_each_other(tmp_path):
    """Points of chunks 0, 1 and 3: two pieces."""
    study = lw.Study(wave, {"a": np.arange(14.0), "b": [1.0]}, chunk=4)
    found = [(part, [*some]) for part, some in study.store.pieces(dict.fromkeys((12, 1, 5, 2)))]
    assert found == [(slice(0, 8), [1, 2, 5]), (slice(12, 14), [12])]


def test_one_process_at_a_time_runs_a_study(tmp_path):
    """Another one is told, and changes nothing."""
    study = of_ball(tmp_path / "s.zarr")
    with study.store.locked(), pytest.raises(StudyError, match="is being run by another process"):
        of_ball(tmp_path / "s.zarr").run()


def test_workers_that_are_killed_fail_their_task_alone(tmp_path):
    """A process that a point ends each time: the points of its task say so; all others are there."""
    here = os.getpid()

    def fatal(a):
        if a == 33.0 and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return a

    study = lw.Study(fatal, {"a": range(60)}, store=tmp_path / "s.zarr", chunk=5).run(workers=2)
    assert sorted(study.failed) == [30, 31, 32, 33, 34]
    assert "ended from outside" in study.failed[33]
    assert study.run(workers=1)["fatal"].tolist() == [*range(60)]


# --- looking ------------------------------------------------------------------------------------------------------


def test_results_as_a_dataset():
    """A grid has its axes as dimensions; samples have time; a table has points."""
    pytest.importorskip("xarray")
    data = of_ball().run(workers=1).dataset()
    assert dict(data.sizes) == {"y": 4, "e": 3, "P_0": 3}
    assert data["height"].sel(y=2.0, e=0.5) == of_ball().run(workers=1)["height"][7]
    sampled = lw.Study(ball(), lw.points({"y": [1.0, 2.0]}), {"height": "y"}, until=1.0, every=0.5).run(workers=1)
    assert sampled.dataset()["height"].dims == ("point", "time")
    assert sampled.dataset()["time"].values.tolist() == [0.0, 0.5, 1.0]


def test_units_and_words_stand_in_the_dataset():
    """What the model says of its symbols, and what follows for expressions; nothing where it is not certain."""
    pytest.importorskip("xarray")
    model = ball()
    model.describe(y="height of the ball [m]", e="restitution")
    asked = {"height": "y", "twice": "2*y", "odd": "y + e", "bounces": lambda run: len(run.events)}
    data = lw.Study(model, {"y": [1.0, 2.0], "e": [0.5, 0.9]}, asked, until=0.1).run(workers=1).dataset()
    assert data["y"].attrs == {"units": "m", "long_name": "height of the ball", "description": "height of the ball"}
    assert data["e"].attrs == {"long_name": "restitution", "description": "restitution"}
    assert data["twice"].attrs == {"units": "m"}
    assert data["height"].attrs == data["y"].attrs
    assert data["odd"].attrs == {}
    assert data["bounces"].attrs == {}
    assert data["status"].attrs == {"description": "1: done, 2: failed, 0: missing"}


def test_extremes_statistics_and_words():
    """The worst cases by number, a summary, and what the study will cost."""
    study = lw.Study(wave, {"a": [0.0, 1.0], "b": [1.0, 2.0, 3.0]})
    told = study.explain(workers=2)
    assert "points    6 (grid of 2 × 3)" in told
    assert "0 done, 0 failed, 6 missing" in told
    study.run(workers=1)
    assert study.extreme("sum", 2) == [(5, 4.0, {"a": 1.0, "b": 3.0}), (2, 3.0, {"a": 0.0, "b": 3.0})]
    assert study.extreme("sum", 1, largest=False)[0][0] == 0
    with pytest.raises(StudyError, match="'both' has 2 numbers at a point"):
        study.extreme("both")
    with pytest.raises(StudyError, match=r"has no 'some'. Known: sum, both, wave, a, b"):
        study["some"]
    assert study.statistics()["sum"] == {"count": 6.0, "mean": 2.5, "std": pytest.approx(0.957427), "min": 1.0,
                                         "median": 2.5, "max": 4.0}  # fmt: skip
    assert "6 done, 0 failed, 0 missing" in study.explain()
    assert repr(study) == "<Study of 'wave': 6 of 6 points>"


def test_indices_of_sobol():
    """Ishigami's function: first and total indices by their closed form.  [Saltelli et al. 2010]"""
    pytest.importorskip("SALib")

    def ishigami(x1, x2, x3):
        return math.sin(x1) + 7.0 * math.sin(x2) ** 2 + 0.1 * x3**4 * math.sin(x1)

    box = {name: (-math.pi, math.pi) for name in ("x1", "x2", "x3")}
    study = lw.Study(ishigami, lw.sampled(1024, box, sequence="saltelli")).run(workers=1)
    found = study.sensitivity("ishigami")
    assert [found[name]["S1"] for name in box] == pytest.approx([0.3139, 0.4424, 0.0], abs=0.03)
    assert [found[name]["ST"] for name in box] == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.03)
    with pytest.raises(StudyError, match="Sobol's indices need Saltelli's points"):
        lw.Study(ishigami, lw.sampled(4, box)).run(workers=1).sensitivity("ishigami")


def test_progress_is_told():
    """Who listens hears of every task, with the time left; settings that exclude each other are refused."""
    heard = []
    lw.Study(wave, {"a": range(10), "b": [1.0]}, chunk=2).run(workers=1, progress=heard.append)
    assert [now.done for now in heard] == [2, 4, 6, 8, 10]
    assert heard[-1].missing == 0
    assert str(Progress(3, 1, 6, 2.0, 90.0)) == "4 of 10 points, 1 failed, about 90 s left"
    assert [duration(t) for t in (0.5, 90.0, 3600.0, 90_000.0, 1e6)] == ["0.5 s", "90 s", "60 min", "25 h", "12 days"]
    study = lw.Study(wave, {"a": [1.0], "b": [1.0]})
    with pytest.raises(ArgumentError, match="Give one of them"):
        study.run(workers=1, client=object())
    with pytest.raises(ArgumentError, match="progress is 3"):
        study.run(progress=3)
    with pytest.raises(ArgumentError, match="workers = 0"):
        study.run(workers=0)
    with pytest.raises(StudyError, match=r"Give a dask.distributed.Client"):
        lw.Study(wave, {"a": [1.0, 2.0], "b": [1.0]}).run(client=object())

"""A model written to a file and read back is the same model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from formats.file_models import MODELS, disk, every_joint, random_tree
from latchwork.formats import read_file
from latchwork.formats.model_file.yaml_reader import RunSettings, read_model

HEAD = "latchwork: 1\nname: x\n"
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


def numbers(equations: lw.Equations) -> np.ndarray:
    """u̇ at a random state."""
    random = np.random.default_rng(1)
    q, u = random.uniform(-1, 1, len(equations.q)), random.uniform(-1, 1, len(equations.u))
    free = {symbol.name: 0.7 for symbol in equations.p if symbol not in equations.system.values}
    return equations.udot(q, u, t=0.3, p=free)


def twins(model: lw.Model) -> tuple[lw.Equations, lw.Equations]:
    """The equations of a model and of what its file says."""
    return model.equations(), lw.loads(lw.dump(model)).equations()


@cache
def known(make: Callable[[], lw.Model]) -> tuple[lw.Equations, lw.Equations]:
    """The same of a model that several tests look at."""
    return twins(make())


@pytest.mark.parametrize("make", MODELS)
def test_counts_survive(make):
    """A model read back needs the same operations."""
    before, after = known(make)
    assert after.operations == before.operations


@pytest.mark.parametrize("make", MODELS)
def test_numbers_survive(make):
    """A model read back gives the same u̇, its coordinates and speeds in the same order."""
    before, after = known(make)
    assert (after.q_names, after.u_names) == (before.q_names, before.u_names)
    assert numbers(after) == pytest.approx(numbers(before), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", seeds(range(8), range(60)))
def test_random_trees_survive(seed):
    """Operations and numbers are the same on random trees."""
    before, after = twins(random_tree(seed))
    assert after.operations == before.operations
    assert numbers(after) == pytest.approx(numbers(before), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("make", MODELS)
def test_names_survive(make):
    """A model read back has the same frames, points, bodies, joints, loads and symbols."""
    before = make()
    after = lw.loads(lw.dump(before))
    for table in ("frames", "points", "bodies", "links", "symbols"):
        assert getattr(after, table).keys() == getattr(before, table).keys()
    assert [load.name for load in after.loads] == [load.name for load in before.loads]


def test_values_survive():
    """Parameters and inputs keep their values, and having none."""
    before, after = twins(every_joint())
    assert {s.name: v for s, v in after.system.values.items()} == {s.name: v for s, v in before.system.values.items()}


def test_dump_changes_nothing():
    """Writing a model adds nothing to it."""
    model = disk()
    size = len(model.graph.nodes)
    lw.dump(model)
    assert len(model.graph.nodes) == size


def test_a_model_without_speeds_stays_without():
    """Writing a model does not settle its speeds: they can still be chosen."""
    model = lw.Model("free choice")
    q = model.coordinate("q")
    lw.dump(model)
    assert model.speeds(u=2 * lw.dt(q))[0].name == "u"


def test_run_settings_survive():
    """How a model is to be run is part of its file."""
    model = disk()
    run = RunSettings(
        until=2.5, start=0.5, q={"q1": 14.0}, u={"u1": 7.0}, parameters={"m": 3.0}, every=0.1, keep="samples",
        method=lw.RK4(0.01, every=10), audit="off",
    )  # fmt: skip
    assert read_model(lw.dump(model, run))[1] == run


def test_the_laws_of_inputs_survive():
    """What inputs do in a run is an expression of the model."""
    model = lw.Model("driven")
    x, T = model.coordinate("x"), model.input("T")
    model.particle("p", model.origin.at("P", x * model.frame.x), 1.0)
    again, run = read_model(lw.dump(model, RunSettings(until=1.0, inputs={"T": T * 0 + lw.sin(2 * model.time)})))
    assert run.inputs == {"T": lw.sin(2 * again.time)}


@pytest.mark.parametrize(
    "method",
    [
        lw.DormandPrince(1e-6, (1e-8, 1e-9, 1e-10), 0.5, 0.01, 500),
        lw.RK4(0.02, 5, 1000),
        lw.SciPy("BDF", 1e-5, 1e-7, 0.1),
        lw.Sundials(max_steps=77),
    ],
    ids=lambda method: type(method).__name__,
)
def test_methods_survive(method):
    """Every option of every method."""
    assert read_model(lw.dump(disk(), RunSettings(method=method)))[1].method == method


def test_a_method_of_ones_own_is_refused():
    """A file can only name what there is."""
    with pytest.raises(lw.FileError, match=r"the method 'Euler' has no name in model files\. Choose one of"):
        lw.dump(disk(), RunSettings(method="Euler"))


def test_guards_and_outputs_survive():
    """Guards, and scalars, vectors and points as outputs, are those of the model."""
    model = lw.Model("ball")
    z1 = model.coordinate("z1")
    P, Q = (model.origin.at(name, z1 * model.frame.y) for name in ("z2", "left arm"))
    run = RunSettings(stop_when={"on the floor": z1}, outputs={"P": P, "Q": Q, "v": z1 * P.velocity(), "e": 2 * z1})
    again, read = read_model(lw.dump(model, run))
    assert read.stop_when == {"on the floor": again.symbols["z1"]}
    assert read.outputs["Q"] is again.points["left arm"]
    assert str(read.outputs["P"]) == "z1*N.y"
    assert (str(read.outputs["v"]), str(read.outputs["e"])) == ("z1*dt(z1)*N.y", "2*z1")


def test_tables_survive():
    """Rows and kind of a table, too long for one line."""
    model = lw.Model("driven")
    model.coordinate("x")
    model.input("T", 0.0)
    times = np.linspace(0.0, 1.0, 4_001)
    run = RunSettings(inputs={"T": lw.Table(times, np.sin(times), "linear")})
    table = read_model(lw.dump(model, run))[1].inputs["T"]
    assert (table.times.tolist(), table.values.tolist()) == (times.tolist(), np.sin(times).tolist())
    assert table.kind == "linear"


def test_what_is_plotted_survives_without_let():
    """A text that used a name under let is written out; one that still says the same stays."""
    text = HEAD + "coordinates: [q]\nlet: {a: 2*q}\nrun: {outputs: {b: a + 1}, plot: [a, 'q + 1', b, O]}\n"
    assert [*read_model(lw.dump(*read_model(text)))[1].plot] == ["2*q", "q + 1", "b", "O"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_files_survive(path):
    """Every example file reads, and what is written of it gives the same equations."""
    model, run = read_file(path)
    again, settings = read_model(lw.dump(model, run))
    assert again.equations().operations == model.equations().operations
    assert settings.plot.keys() == run.plot.keys()
    assert settings.outputs.keys() == run.outputs.keys()
    assert lw.dump(again, settings) == lw.dump(model, run)


def test_the_disk_file_is_the_disk():
    """The example file and the script that says the same give the same equations."""
    file = lw.load(EXAMPLES[0].parent / "disk_on_ramp.yaml").equations()
    assert file.operations == disk().equations().operations
    assert numbers(file) == pytest.approx(numbers(disk().equations()), rel=1e-12)


def test_speeds_without_a_definition_are_refused():
    """A speed that only its model knows how to use cannot be written."""
    model = lw.Model("private")
    model.coordinate("q")
    model._speed("u")
    with pytest.raises(lw.FileError, match="speed 'u' of 'private' has no definition"):
        lw.dump(model)


def test_an_inertia_must_be_symmetric():
    """Six scalars say what an inertia is, and no more."""
    model = lw.Model("lopsided")
    B = model.frame.rotated("B", model.coordinate("q"), model.frame.z)
    model.body("b", B, model.origin, 1.0, B.x.outer(B.y))
    with pytest.raises(lw.FileError, match="the inertia of 'b' is not symmetric"):
        lw.dump(model)

"""A model written to a file and read back is the same model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import latchwork as lw
from formats.file_models import MODELS, disk, every_joint, random_tree
from latchwork.formats import read_file
from latchwork.formats.yaml_reader import RunSettings, read_model

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


@pytest.mark.parametrize("make", MODELS)
def test_counts_survive(make):
    """A model read back needs the same operations."""
    before, after = twins(make())
    assert after.operations == before.operations


@pytest.mark.parametrize("make", MODELS)
def test_numbers_survive(make):
    """A model read back gives the same u̇, its coordinates and speeds in the same order."""
    before, after = twins(make())
    assert (after.q_names, after.u_names) == (before.q_names, before.u_names)
    assert numbers(after) == pytest.approx(numbers(before), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
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
        until=2.5, q={"q1": 14.0}, u={"u1": 7.0}, parameters={"m": 3.0}, every=0.1, method=lw.RK4(0.01),
        plot=("q1", "u1 + u2"),
    )  # fmt: skip
    assert read_model(lw.dump(model, run))[1] == run


def test_the_laws_of_inputs_survive():
    """What inputs do in a run is an expression of the model."""
    model = lw.Model("driven")
    x, T = model.coordinate("x"), model.input("T")
    model.particle("p", model.origin.at("P", x * model.frame.x), 1.0)
    again, run = read_model(lw.dump(model, RunSettings(until=1.0, inputs={"T": T * 0 + lw.sin(2 * model.time)})))
    assert run.inputs == {"T": lw.sin(2 * again.time)}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_files_survive(path):
    """Every example file reads, and what is written of it gives the same equations."""
    model, run = read_file(path)
    again, settings = read_model(lw.dump(model, run))
    assert again.equations().operations == model.equations().operations
    assert settings.plot == run.plot


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

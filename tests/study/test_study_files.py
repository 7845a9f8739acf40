"""The section ``study`` of model files, and ``latchwork study``: exit codes, JSON, what is refused and where."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import latchwork as lw
from latchwork.cli import main
from latchwork.errors import FileError
from latchwork.formats.model_file.study_settings import read_study
from latchwork.study.files import load_study
from random_programs import bits

pytest.importorskip("zarr")
pytest.importorskip("pyarrow")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "belt_study.yaml"
SMALL = """
latchwork: 1
name: falling
parameters: {g: 9.81}
coordinates: [y]
particles: {ball: {point: P, mass: 1}}
points: {P: {from: O, at: y*N.y}}
loads: [{gravity: -g*N.y}]
run: {until: 1, outputs: {height: y}}
"""


@pytest.fixture
def file(tmp_path):
    """A file of a text, and a study."""
    def made(study, text=SMALL):
        path = tmp_path / "falling.yaml"
        path.write_text(text + study)
        return str(path)

    return made


def test_the_example_is_the_study_that_it_says(tmp_path):
    """Points, outputs and numbers are those of the same study made in Python."""
    path = tmp_path / "belt.yaml"
    shutil.copy(EXAMPLE, path)
    study = load_study(path).run(workers=2)
    assert study.points.shape == (2, 12)
    assert (tmp_path / "belt.zarr").is_dir()
    model, run, _ = read_study(path.read_text(), "belt")
    point = study.points.at(17)
    alone = lw.simulate(model, run.until, q={**run.q, "q1": point["q1"]}, u=run.u, parameters={"l": point["l"]})
    assert bits(study["tip"][17]) == bits(alone["l*sin(q1) + l*sin(q2)"][-1])
    assert {row["kind"] for row in study.events()} >= {"impact", "stick"}


def test_a_study_varies_what_a_run_alone_is_given(file):
    """What stands under ``run`` is for all points, but for what is varied."""
    text = SMALL.replace("until: 1", "until: 1, q: {y: 7}")
    study = load_study(file("study: {grid: {y: [1, 2]}}", text), None).run(workers=1)
    assert study.points.values.ravel().tolist() == [1.0, 2.0]
    assert study.rerun(1)["y"][0] == 2.0


def test_samples_and_points_of_a_file(file):
    """The other two kinds of points."""
    drawn = load_study(file("study: {sampled: {count: 8, bounds: {y: [0, 2]}, sequence: halton, seed: 3}}"), None)
    assert bits(drawn.points.values) == bits(lw.sampled(8, y=(0, 2), sequence="halton", seed=3).values)
    rows = load_study(file("study: {points: {y: [1, 2], g: [9, 10]}}"), None)
    assert rows.points.values.tolist() == [[1.0, 9.0], [2.0, 10.0]]


@pytest.mark.parametrize(
    ("study", "message"),
    [
        ("study: {}", "it gives no points. Give one of them"),
        ("study: {grid: {y: [1]}, points: {g: [1]}}", "it gives grid and points"),
        ("study: {grid: {z: [1]}}", "'falling' has no 'z' that could be varied"),
        ("study: {grid: {y: [1]}, outputs: [depth]}", "depth"),
        ("study: {grid: {y: [1]}, stores: x}", "stores"),
        ("study: {sampled: {count: 8, bounds: {y: [0]}}}", "falling.yaml:"),
        ("study: {sampled: {count: 8, bounds: {y: [0, 1]}, sequence: sobel}}", "sobel"),
        ("", "has no section 'study'"),
    ],
)
def test_files_that_say_no_study_are_refused_with_their_place(file, study, message):
    """Wrong names and too few or too many kinds of points: one error, with line and column where there is one."""
    with pytest.raises(FileError, match=message):
        load_study(file(study))


def test_a_store_stays_beside_its_file(file, tmp_path):
    """A path in the file leads nowhere else."""
    study = load_study(file("study: {grid: {y: [1]}, store: ../../elsewhere.zarr}"))
    assert study.store.path == tmp_path / "elsewhere.zarr"


def test_the_command_computes_resumes_and_tells(file, tmp_path, capsys):
    """Codes and words: done, there already, resumed, as JSON, explained; a page and a picture besides."""
    path = file("study: {grid: {y: [1, 2, 3]}}")
    assert main(["study", path, "--explain"]) == 0
    assert "points    3 (grid of 3)" in capsys.readouterr().out
    assert main(["study", path, "--workers", "1"]) == 0
    assert "falling: 3 of 3 points" in capsys.readouterr().out
    assert main(["study", path]) == 2
    assert "Give --resume to go on with it" in capsys.readouterr().err
    extra = ["--page", str(tmp_path / "x.html"), "--plot", str(tmp_path / "x.png")]
    assert main(["study", path, "--resume", "--json", *extra]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["points"] == {"y": [1.0, 2.0, 3.0]}
    assert told["outputs"]["height"] == pytest.approx([1.0 - 4.905, 2.0 - 4.905, 3.0 - 4.905])
    assert (told["done"], told["failed"], told["missing"]) == (3, {}, 0)
    assert (tmp_path / "x.html").exists()
    assert (tmp_path / "x.png").exists()


def test_the_command_ends_with_a_code_for_each_kind_of_failure(file, tmp_path, capsys):
    """Usage 2, a file 3, points that failed 5, a store of another study 6."""
    assert main(["study", file("study: {grid: {y: [1]}}"), "--workers", "0"]) == 2
    assert main(["study", file("study: {grid: {y: [1]}}"), "--workers", "1", "--dask", "x"]) == 2
    assert main(["study", file("study: {grid: {z: [1]}}")]) == 3
    floor = SMALL + "contacts: {floor: {a: P, b: {line: {point: O, direction: N.x, normal: N.y}}}}\n"
    assert main(["study", file("study: {grid: {y: [-1, 1]}, store: a.zarr}", floor)]) == 5
    told = capsys.readouterr()
    assert "point 0 failed: 'floor' overlaps at t = 0" in told.out
    assert "1 of 2 points failed" in told.err
    assert main(["study", file("study: {grid: {y: [1, 2]}, store: a.zarr}", floor), "--resume"]) == 6
    assert "holds this study at 2 other points" in capsys.readouterr().err

"""Pictures and pages of studies: what they show is what was computed, and nothing is loaded from a network."""

from __future__ import annotations

import json
import math
import re
import shutil

import numpy as np
import pytest

import latchwork as lw
from latchwork.errors import StudyError


def hill(a, b):
    """A map with a summit at (1, 2), and a number of whole steps."""
    return {"hill": math.exp(-((a - 1.0) ** 2) - (b - 2.0) ** 2), "steps": float(int(a)), "both": [a, b]}


@pytest.fixture(scope="module")
def grid():
    """Over a grid."""
    return lw.Study(hill, {"a": [0.0, 1.0, 2.0], "b": [1.0, 2.0, 3.0, 4.0]}).run(workers=1)


@pytest.fixture(scope="module")
def scattered():
    """Over samples."""
    return lw.Study(hill, lw.sampled(16, a=(0, 2), b=(0, 4))).run(workers=1)


def test_lines_go_along_the_first_axis(grid):
    """One line for each value of the second, through the values of the grid."""
    panel = grid.plot("hill", kind="lines").axes[0]
    values = grid["hill"].reshape(3, 4)
    assert [line.get_ydata().tolist() for line in panel.lines] == values.T.tolist()
    assert panel.lines[1].get_label() == "b = 2"


def test_a_map_has_the_value_of_every_cell(grid):
    """Cells are those of the grid, in the order of its axes."""
    mesh = grid.plot("hill").axes[0].collections[0]
    assert mesh.get_array().reshape(4, 3).tolist() == grid["hill"].reshape(3, 4).T.tolist()


def test_parallel_coordinates_have_a_line_for_each_point(scattered, tmp_path):
    """Across parameters and outputs; written as a file where a path is given."""
    made = scattered.plot(path=str(tmp_path / "lines.png"))
    assert len(made.axes[0].collections[0].get_paths()) == 16
    assert (tmp_path / "lines.png").stat().st_size > 5000


def test_a_histogram_counts_all_points(scattered):
    """The heights of its bars add up to the number of points."""
    assert sum(bar.get_height() for bar in scattered.plot("hill", kind="histogram").axes[0].patches) == 16


@pytest.mark.parametrize(
    ("kind", "what", "message"),
    [("cake", (), "no picture 'cake' of a study"), ("map", (), "a map is over a"), (None, ("both",), "is not one")],
)
def test_pictures_that_cannot_be_are_refused(scattered, kind, what, message):
    """Kinds and outputs that are none, in words."""
    with pytest.raises(StudyError, match=message):
        scattered.plot(*what, kind=kind)


def numbers(page):
    """What stands in a page."""
    return json.loads(re.search(r"const S = (.*?);\n", page).group(1))


def test_a_page_holds_the_study_and_loads_nothing(grid, tmp_path):
    """Points, axes and outputs by name; no address of anything elsewhere."""
    grid.page(str(tmp_path / "x.html"))
    text = (tmp_path / "x.html").read_text()
    assert not re.search(r"https?://|src=|@import|url\(", text)
    held = numbers(text)
    assert held["names"] == ["a", "b"]
    assert held["outputs"].keys() == {"hill", "steps"}
    assert held["outputs"]["hill"]["values"] == pytest.approx(grid["hill"], rel=1e-6)


def test_names_in_a_page_are_only_text():
    """A name that looks like markup stays a name."""
    study = lw.Study(lambda a: {"</script><b>": a}, {"a": [1.0]}).run(workers=1)
    from latchwork.study.page import page

    assert "</script><b>" not in page(study)
    assert "</script><b>" in numbers(page(study))["outputs"]


def test_sliders_of_a_page_go_through_points(grid, tmp_path):
    """In a browser: moving a slider shows the value of that point."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("there is no chromium")
    grid.page(str(tmp_path / "x.html"))
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page()
        wrong = []
        tab.on("pageerror", lambda error: wrong.append(error))
        tab.goto((tmp_path / "x.html").as_uri())
        tab.locator("input[aria-label=b]").fill("1")
        tab.locator("input[aria-label=a]").fill("2")
        told = tab.locator("#here").inner_text().split()
        tab.select_option("#output", "steps")
        assert tab.locator("#picture polyline").count() == 1
        browser.close()
    assert not wrong
    assert told[-3] == "9"
    assert float(told[-2]) == pytest.approx(grid["hill"][9], rel=1e-4)
    assert np.isfinite(grid["hill"]).all()

"""Every script in benchmarks/ runs to its end, goes on past what fails, and says so."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from latchwork.cli import bench

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
SCRIPTS = (*bench.NAMES, "crowd", "collide", "robots_on_floor", "robot_files", "key_press")
# Those that take long run in campaigns.
LONG = ("derive", "designs", "many", "belts", "first", "realtime", "crowd", "collide", "constraints", "start",
        "settling", "robots_on_floor", "robot_files")  # fmt: skip


@pytest.fixture
def measure(monkeypatch):
    """What the scripts share, and no rival: their programs are not ours to test."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for script in FOLDER.glob("*.py"):  # folders of tests may have the names of scripts
        monkeypatch.delitem(sys.modules, script.stem, raising=False)
    import measure

    monkeypatch.setattr(measure, "installed", lambda module: None)
    return measure


@pytest.fixture
def quickly(measure, monkeypatch, tmp_path):
    """A function that runs a script with as little as shows that it works, and gives its results."""
    monkeypatch.setenv("MPLBACKEND", "Agg")

    def run(name: str) -> dict:
        monkeypatch.setattr(sys, "argv", [f"{name}.py", "--out", str(tmp_path), "--quick"])
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
        return json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))

    return run


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.campaign if name in LONG else ())
                                  for name in SCRIPTS])  # fmt: skip
def test_a_script_runs_to_its_end(name, quickly, tmp_path, capsys):
    """It writes a table and its results, and nothing in it fails."""
    assert quickly(name)
    assert (tmp_path / f"{name}.md").read_text(encoding="utf-8") in capsys.readouterr().out + "\n"


def test_a_row_that_fails_is_told_at_the_end(measure, quickly, monkeypatch, capsys):
    """The rows beside it are measured; the script ends with code 1, the name of the row and the reason."""
    measured = measure.alternate

    def half(ours, theirs, rounds, warm=1):
        if not measure.FAILED:
            raise RuntimeError("no such luck")
        return measured(ours, theirs, rounds, warm)

    monkeypatch.setattr(measure, "alternate", half)
    monkeypatch.setattr(measure, "few", lambda items, quick, count=1: list(items)[:2])
    with pytest.raises(SystemExit, match=r"^1 failed:\n  step of RK4, chain of 2 links: RuntimeError: no such luck$"):
        quickly("steps")
    assert "chain of 3 links" in capsys.readouterr().out
    assert measure.FAILED == {}

"""Promises of the project as a whole: a quick import, one version, files that belong anywhere, pages that run."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import io
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import latchwork
import latchwork as lw
from named_things import stale_names

ROOT = Path(__file__).resolve().parents[1]
SLOW = ["llvmlite", "matplotlib", "numpy", "scipy", "sympy", "yaml", "latchwork.kane.equations", "latchwork.program"]
WRITTEN = {".git", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv", "__pycache__", "_build"}
WRITTEN_AT_TOP = {"build", "demo", "dist"}
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w|(?<!\w)[A-Z]:\\{1,2}Users\\")
BLOCK_AND_OUTPUT = re.compile(r"^```python\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
END = "--- end of a block ---"
PRIVATE = re.compile(r"(?<!\bself)(?<!\bcls)\.(_[a-z]\w*)")
OTHERS = {  # protocols of Python and Jupyter, and what SymPy and argparse keep to themselves
    "_replace", "_fields", "_exit", "_actions", "_repr_html_", "_repr_latex_", "_repr_png_",
    "_render_traceback_", "_t", "_k_nh", "_f_nh", "_k_dnh",
    "_f_dnh", "_f_h", "_udep", "_uaux", "_inertial", "_vel_dict", "_pos_dict", "_acc_dict", "_dcm_dict",
    "_ang_vel_dict", "_ang_acc_dict",
}  # fmt: skip
INSIDE = {  # tests of what is inside, which reach for private names: to be emptied, never to grow
    "constraint/test_singular.py", "flexible/test_elastic_body.py", "formats/test_round_trip.py",
    "hybrid/test_successors.py", "hybrid/test_watch_set.py", "program/test_tiers.py", "view/live/test_fuzz.py",
    "view/live/test_server.py", "view/live/test_serving.py", "view/live/test_shown.py",
}  # fmt: skip
EXAMPLE_AND_OUTPUT = re.compile(r"^```python\n(.*?)^```$.*?^```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def files() -> list[Path]:
    """The project's own files, without what tools and targets write."""
    found = (path for path in ROOT.rglob("*") if path.is_file())
    parts = ((path, path.relative_to(ROOT).parts) for path in found)
    return sorted(path for path, part in parts if WRITTEN.isdisjoint(part) and part[0] not in WRITTEN_AT_TOP)


def run(code: str, where: str) -> str:
    """What a block of documentation prints when it is run as a script."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, where, "exec"), {"__name__": "__main__"})
    return out.getvalue()


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """An empty folder to work in, and no screen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")


def test_import_is_light():
    """``import latchwork`` loads none of the slow libraries, and none of the machinery of derivations and runs."""
    loaded = python("import json, sys, latchwork; print(json.dumps(sorted(sys.modules)))")
    assert sorted(set(SLOW) & set(json.loads(loaded))) == []


def test_one_version():
    """``latchwork.__version__`` is the version in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert latchwork.__version__ == project["version"]


def test_no_file_knows_a_machine():
    """No file names a folder of the machine it was written on."""
    texts = {path: path.read_text(encoding="utf-8", errors="ignore") for path in files()}
    assert [str(path.relative_to(ROOT)) for path, text in texts.items() if MACHINE_PATH.search(text)] == []


def private_names(folder: Path) -> dict[str, set[str]]:
    """The private names of others that the files of a folder use, by file."""
    texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    found = {name: set(PRIVATE.findall(text)) - OTHERS for name, text in texts.items()}
    return {name: names for name, names in found.items() if names}


def test_benchmarks_use_public_names_only():
    """What a benchmark measures is what a user has."""
    assert private_names(ROOT / "benchmarks") == {}


@pytest.mark.parametrize("layer", ["realtime", "view", "cli", "formats"])
def test_what_is_built_on_runs_uses_public_names_only(layer):
    """A run is looked at and changed by its state, which is public."""
    assert private_names(ROOT / "src" / "latchwork" / layer) == {}


def test_tests_use_public_names_only():
    """Tests hold what is promised; the few that look inside are listed, and the list has no name too many."""
    assert sorted(private_names(ROOT / "tests")) == sorted(INSIDE)


def test_classes_are_short():
    """No class has more than 300 lines."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "src").rglob("*.py")]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    assert {node.name for node in classes if (node.end_lineno or 0) - node.lineno >= 300} == set()


def test_what_docstrings_name_is_there():
    """Functions, modules and fields that docstrings and comments name in backticks exist, where they are said to."""
    assert stale_names(ROOT / "src" / "latchwork") == []


@pytest.mark.usefixtures("desk")
def test_readme_example_prints_what_it_says():
    """The first Python block of the README runs, and prints the text block that follows it."""
    example = EXAMPLE_AND_OUTPUT.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert example is not None, "README.md needs a ```python block followed by a ```text block with its output"
    assert run(example[1], "README.md").rstrip() == example[2].rstrip()


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(
    "page",
    ["five-minutes.md", *(f"howto/{page.name}" for page in sorted((ROOT / "docs" / "howto").glob("*.md"))
                          if page.stem != "index"),
     "tutorial.md", "constraints.md", "contact.md", "realtime.md", "devices.md", "small-motions.md", "migrating.md",
     "robots.md", "flexible.md"],
)
def test_pages_run(page):
    """The Python blocks of a page, one after the other, are a script that prints the text blocks that follow them."""
    blocks = BLOCK_AND_OUTPUT.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
    if importlib.util.find_spec("skfem") is None:  # an extra; what it makes is used in its own block only
        blocks = [block for block in blocks if "import skfem" not in block[0]]
    assert blocks
    printed = run("".join(f"{code}\nprint('{END}')\n" for code, _ in blocks), page).split(END)
    said = [(out.strip(), text.strip()) for out, (_, text) in zip(printed, blocks, strict=False) if text]
    assert [out for out, _ in said] == [text for _, text in said]


def test_the_reference_has_every_public_name(monkeypatch):
    """Each name is on the page of one subject; errors and modules have sections of their own."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    import api_pages

    listed = [name for names in api_pages.pages().values() for name in names]
    others = {name for name in lw.__all__ if inspect.ismodule(getattr(lw, name)) or
              getattr(getattr(lw, name), "__module__", "") == "latchwork.errors"}  # fmt: skip
    assert sorted(listed) == sorted(set(lw.__all__) - others)
    assert "Others" not in api_pages.pages()


@pytest.mark.parametrize("page", ["architecture.md", "decisions.md"])
def test_modules_that_a_page_names_exist(page):
    """Every file and folder that the page names is there: a path from the package, or the name of some module."""
    page = (ROOT / "docs" / page).read_text(encoding="utf-8")
    package = ROOT / "src" / "latchwork"
    known = {path.name for path in package.rglob("*.py")} | {path.name for path in (ROOT / "tests").rglob("*.py")}
    known |= {f"{path.name}/" for path in package.rglob("*") if path.is_dir()}
    named = set(re.findall(r"`([a-z_/]+(?:\.py|/))`", page)) - {"examples/", "benchmarks/", "docs/", "tests/"}
    bases = (package, package.parent, package / "program", ROOT)
    missing = [name for name in named if not any((base / name).exists() for base in bases)]
    assert [name for name in missing if name not in known] == []
    assert len(named) > 40

"""The command line: results on stdout, errors in one line on stderr, exit codes that scripts can use."""

from __future__ import annotations

import csv
import importlib.metadata
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import latchwork as lw
from latchwork.cli import bench, main
from latchwork.cli.terminal import Progress

EXAMPLES = Path(__file__).parents[1] / "examples"
DISK, PENDULUM = str(EXAMPLES / "disk_on_ramp.yaml"), str(EXAMPLES / "double_pendulum.yaml")
CRANE = str(EXAMPLES / "gantry_crane.yaml")
ROLLS, BELT = str(EXAMPLES / "disk_that_rolls.yaml"), str(EXAMPLES / "double_pendulum_on_belt.yaml")
HEAD = "latchwork: 1\nname: x\n"


@pytest.fixture
def model_file(tmp_path):
    """A function that writes a model file and gives its path."""

    def write(text: str) -> str:
        path = tmp_path / "model.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def robot_file(folder: Path) -> str:
    """A bar on a hinge, as a URDF file."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    links = f'<link name="base">{inertial}</link><link name="bar">{inertial}</link>'
    hinge = '<joint name="hinge" type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/></joint>'
    path = folder / "bar.urdf"
    path.write_text(f'<robot name="bar">{links}{hinge}</robot>', encoding="utf-8")
    return str(path)


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


# --- derive -------------------------------------------------------------------------------------------------------


def test_derive_prints_the_equations(capsys):
    """Text for people, and nothing on stderr when nobody watches."""
    assert main(["derive", DISK]) == 0
    out, err = capsys.readouterr()
    assert out == f"{lw.load(DISK).equations()}\n"
    assert err == ""


@pytest.mark.parametrize(("form", "method"), [("--latex", "latex"), ("--html", "html")])
def test_derive_in_other_forms(capsys, form, method):
    """The forms of the Python interface."""
    assert main(["derive", form, DISK]) == 0
    assert capsys.readouterr().out.strip() == getattr(lw.load(DISK).equations(), method)().strip()


def test_derive_for_programs(capsys):
    """Assignments in order, with names and counts."""
    assert main(["derive", "--json", PENDULUM]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["q"], facts["u"], facts["r"]) == (["q1", "q2"], ["u1", "u2"], ["T"])
    names = [name for name, _ in facts["assignments"] if not name.startswith("z")]
    assert names == ["qdot[0]", "qdot[1]", "M[0][0]", "M[0][1]", "M[1][0]", "M[1][1]", "f[0]", "f[1]"]


def test_derive_for_sympy(capsys):
    """Python that makes the same matrices in SymPy."""
    assert main(["derive", "--sympy", DISK]) == 0
    made: dict[str, object] = {}
    exec(capsys.readouterr().out, made)
    assert str(made["M"]) == "Matrix([[m, 0], [0, J/r**2]])"


def test_derive_to_a_file(tmp_path, capsys):
    """-o writes to a file and keeps stdout quiet."""
    assert main(["derive", DISK, "-o", str(tmp_path / "disk.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "disk.txt").read_text(encoding="utf-8").startswith("Kane's equations")


# --- info, schema, version ----------------------------------------------------------------------------------------


def test_info_is_the_report(capsys):
    """The information report."""
    assert main(["info", PENDULUM]) == 0
    assert capsys.readouterr().out == lw.load(PENDULUM).equations().report()


def test_info_for_programs(capsys):
    """The same facts as JSON."""
    assert main(["info", "--json", PENDULUM]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["joints"]["elbow"] == {"type": "revolute", "inboard": "shoulder", "at": "E"}
    assert facts["parameters"]["L"] == 0.5


def test_schema(capsys, tmp_path):
    """A JSON Schema, to stdout or to a file."""
    assert main(["schema"]) == 0
    assert main(["schema", "-o", str(tmp_path / "schema.json")]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads((tmp_path / "schema.json").read_text(encoding="utf-8"))


def test_version(capsys, monkeypatch):
    """The version of the installed package."""
    monkeypatch.setattr(importlib.metadata, "version", lambda name: f"1.2.3 of {name}")
    assert main(["version"]) == 0
    assert capsys.readouterr().out == "latchwork 1.2.3 of latchwork\n"


# --- run ----------------------------------------------------------------------------------------------------------


def test_run_ends_where_simulate_ends(capsys):
    """The summary shows the last state and the audit."""
    run = lw.simulate(lw.load(DISK), until=2.0, q={"q1": 14, "q2": 0}, u={"u1": 7, "u2": -4})
    assert main(["run", DISK]) == 0
    out = capsys.readouterr().out
    assert f"{run['q1'][-1]:.12g}" in out
    assert str(run.audit) in out


def test_run_for_programs(capsys):
    """Columns by name, with what the file plots, at the times it asks for."""
    assert main(["run", "--json", PENDULUM, "--until", "0.1"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert list(facts["columns"]) == ["t", "q1", "q2", "u1", "u2", "dot(velocity(B), N.x)"]
    assert facts["columns"]["t"][:3] == pytest.approx([0.0, 0.01, 0.02])
    assert facts["audit"]["energy_error"] < 1e-6


def test_run_as_a_table(capsys):
    """A line of names, then numbers."""
    assert main(["run", "--csv", DISK, "--set", "q1=2*pi", "--set", "m=3"]) == 0
    names, first, *_ = csv.reader(capsys.readouterr().out.splitlines())
    assert names == ["t", "q1", "q2", "u1", "u2", "u1 + u2"]
    assert float(first[1]) == pytest.approx(6.283185307179586)


def test_run_to_a_folder(tmp_path, capsys):
    """Numbers and a picture, and nothing on stdout."""
    folder = tmp_path / "deep" / "out"
    assert main(["run", DISK, "--until", "0.1", "-o", str(folder), "--plot", str(tmp_path / "disk.png")]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["run.csv", "run.json", "run.png"]
    assert (tmp_path / "disk.png").read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out == ""


def test_run_to_a_page_that_plays(tmp_path, capsys):
    """--animate writes one HTML file, seen along the axes that --view names."""
    file = tmp_path / "disk.html"
    assert main(["run", DISK, "--until", "0.1", "--animate", str(file), "--view", "xz"]) == 0
    assert '"view":"xz"' in file.read_text(encoding="utf-8")
    assert main(["run", DISK, "--until", "0.1", "--animate", str(file), "--view", "xyz"]) != 0
    assert "a view is two of the axes" in capsys.readouterr().err


def test_run_to_a_picture_and_a_film(tmp_path, capsys):
    """--animate writes what the name of the file says, as large and as fast as asked, and refuses others beforehand."""
    film, picture = tmp_path / "disk.gif", tmp_path / "disk.png"
    run = ["run", DISK, "--until", "0.1", "--animate"]
    assert main([*run, str(film), "--fps", "10", "--speed", "0.1", "--size", "200x150", "--forces"]) == 0
    assert film.read_bytes().startswith(b"GIF89a\xc8\0\x96\0")
    assert main([*run, str(picture), "--at", "0.05"]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    assert main([*run, str(tmp_path / "disk.avi"), "--progress"]) == 5
    assert "simulating" not in (said := capsys.readouterr().err)
    assert "cannot be written as" in said
    assert main([*run, str(film), "--size", "200"]) == 2
    assert "such as 640x480" in capsys.readouterr().err


def test_run_stops_at_a_guard(capsys):
    """The summary says which guard ended the run, and when; so does JSON, with three columns for a point."""
    assert main(["run", CRANE]) == 0
    assert "stopped at t = 2.42337" in capsys.readouterr().out
    assert main(["run", CRANE, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    (event,) = facts["events"]
    assert (event["name"], event["t"]) == ("arrived", facts["columns"]["t"][-1])
    assert [*facts["columns"]][5:] == ["hook.x", "hook.y", "hook.z", "swing", "power"]
    assert facts["columns"]["hook.x"][-1] == pytest.approx(4.0, abs=1e-9)


def test_run_takes_its_settings_from_the_command_line(capsys, tmp_path):
    """--run says what a file could say: for a model file instead of its own, for a robot at all."""
    more = ["--run", "stop_when: {late: 1 - t}", "--run", "{method: {RK4: {step: 0.01}}, outputs: {v2: v**2}}"]
    assert main(["run", CRANE, "--csv", *more]) == 0
    names, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert (names[-1], float(rows[-1][0])) == ("v2", pytest.approx(1.0, abs=1e-12))
    text = "{until: 2, outputs: {a: 2*hinge}, stop_when: {turned: 1 - hinge}, u: {u_hinge: 1}}"
    assert main(["run", robot_file(tmp_path), "--csv", "--run", text]) == 0
    names, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert (names[-1], float(rows[-1][-1])) == ("a [rad]", pytest.approx(2.0, abs=1e-12))


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("until: [", 3, "--run:2:1: this is not YAML"),
        ("outputs: {o: nothing}", 3, "--run:1:14: unknown name 'nothing'"),
        ("every: 1e-12", 5, "are more than 10000000. Give a longer interval."),
        ("keep: samples, every: 0", 3, "this is not YAML"),
        ("start: 30", 5, "a run goes from start = 30.0 to until = 20.0"),
    ],
)
def test_settings_that_cannot_be_had(capsys, text, code, message):
    """One error, with its exit code."""
    assert main(["run", CRANE, "--run", text]) == code
    assert message in capsys.readouterr().err


def test_quaternions_start_unturned(model_file, capsys):
    """A file need not say where a free body starts."""
    body = "{frame: f, center: f, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}"
    text = HEAD + f"joints: {{f: {{type: free}}}}\nbodies: {{b: {body}}}\n"
    assert main(["run", "--json", model_file(text), "--until", "1", "--set", "u_f_vx=1"]) == 0
    columns = json.loads(capsys.readouterr().out)["columns"]
    assert (columns["q_f_e0"][-1], columns["q_f_px"][-1]) == (pytest.approx(1.0), pytest.approx(1.0))


def test_progress_goes_to_stderr(capsys):
    """--progress says what is being done; stdout stays the result."""
    assert main(["run", "--progress", "--csv", DISK, "--until", "0.1"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("t,q1")
    assert "deriving the equations of disk on a ramp" in err


# --- contacts and rules -------------------------------------------------------------------------------------------

LATCH = HEAD + """joints: {hinge: {type: revolute}}
bodies: {hatch: {frame: hinge, center: hinge, mass: 1, inertia: {zz: 2}}}
loads: [actuate: {joint: hinge, effort: -1}]
switched: {latch: {zero: q_hinge}}
rules: {falls shut: {when: q_hinge, hold: latch}}
run: {until: 3, q: {q_hinge: 1}}
"""


@pytest.mark.parametrize(
    ("file", "lines"),
    [
        (ROLLS, ["stick at t = 0.36513805", "slide at t = 1.719574", "zone at t = 4.157873", "stick at t = 6.125464"]),
        (BELT, ["impact at t = 0.072642", "impact at t = 0.251849", "impact at t = 0.408378", "stick at t = 0.873112",
                "slide at t = 1.034010", "release at t = 1.073767"]),
    ],
    ids=["disk", "pendulum"],
)  # fmt: skip
def test_run_tells_the_events(capsys, file, lines):
    """Patoglu's examples 1 and 3, as files: what happens and when, as their scripts have it."""
    assert main(["run", file]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if " at t = " in line]
    assert [line[: len(start)] for line, start in zip(told, lines, strict=True)] == lines


def test_run_counts_many_events(capsys, monkeypatch):
    """Where too much happens to read, it is counted."""
    monkeypatch.setattr(sys.modules["latchwork.cli.run"], "SHOWN", 3)
    assert main(["run", ROLLS]) == 0
    assert "stick: disk on ramp, 2 ×" in capsys.readouterr().out


def test_run_follows_rules(capsys, model_file):
    """A rule of a file fires in its run: a hatch falls shut at t = 2, and the latch holds."""
    assert main(["run", model_file(LATCH), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    (event,) = facts["events"]
    assert (event["kind"], event["name"], event["t"]) == ("rule", "falls shut", pytest.approx(2.0, abs=1e-9))
    assert facts["columns"]["u_hinge"][-1] == 0.0


def test_info_tells_contacts_and_rules(capsys, model_file):
    """They are there, and no part of the equations."""
    assert main(["info", ROLLS]) == 0
    out = capsys.readouterr().out
    assert "Contacts, which the equations above leave out" in out
    assert "disk on ramp: circle and line, newton" in out
    assert main(["info", model_file(LATCH)]) == 0
    assert "falls shut: where q_hinge falls through zero" in capsys.readouterr().out
    assert main(["info", "--json", BELT]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["contacts"] == {"part": {"a": "point", "b": "line", "impact": "smith", "features": 1}}
    assert facts["rules"] == {}


@pytest.mark.parametrize(("file", "note"), [(ROLLS, "the contacts 'disk on ramp'"), ("", "the rules 'falls shut'")])
def test_what_equations_leave_out_is_told(tmp_path, capsys, model_file, file, note):
    """derive and export write the equations, and say on stderr what of the file is not in them."""
    file = file or model_file(LATCH)
    for command in (["derive", file], ["derive", "--json", file], ["export", file, "--c", str(tmp_path / "c")]):
        assert main(command) == 0
        assert f"latchwork: note: {note} of '" in capsys.readouterr().err


# --- export -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["model file", "robot"])
def test_export_to_c(tmp_path, capsys, kind):
    """The files are named on stdout, and compile without a warning."""
    file = robot_file(tmp_path) if kind == "robot" else PENDULUM
    assert main(["export", file, "--c", str(tmp_path / "c")]) == 0
    paths = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert all(path.is_file() for path in paths)
    assert {path.suffix or path.name for path in paths} == {".c", ".h", "Makefile"}
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-ffp-contract=off"]
    sources = [str(path) for path in paths if path.suffix == ".c"]
    program = str(tmp_path / "example")
    subprocess.run([compiler, *strict, *sources, "-o", program, "-lm"], check=True)
    assert "udot = " in subprocess.run([program], check=True, capture_output=True, text=True).stdout


def test_export_to_python(tmp_path, capsys):
    """One file that runs by itself and gives the numbers of the equations."""
    target = tmp_path / "pendulum.py"
    assert main(["export", PENDULUM, "--python", str(target)]) == 0
    assert capsys.readouterr().out == f"{target}\n"
    made: dict[str, Any] = {}
    exec(target.read_text(encoding="utf-8"), made)
    eq = lw.load(PENDULUM).equations()
    p = [eq.system.values[symbol] for symbol in eq.p]
    assert list(made["udot"](0.0, [0.1, 0.2], [0.3, 0.4], [0.5], p)) == list(eq.udot([0.1, 0.2], [0.3, 0.4], [0.5]))


def test_export_of_outputs_and_guards(tmp_path, capsys):
    """What the file names, and what --run adds, are functions of the exported code."""
    folder, target = tmp_path / "c", tmp_path / "crane.py"
    more = ["--run", "outputs: {v2: v**2}", "--run", "stop_when: {late: 9 - t}"]
    assert main(["export", CRANE, "--c", str(folder), "--python", str(target), *more]) == 0
    names = ["hook", "swing", "power", "v2", "stop_arrived", "stop_too_far", "stop_late"]
    header, module = (folder / "gantry_crane.h").read_text(encoding="utf-8"), target.read_text(encoding="utf-8")
    assert [name for name in names if f"void gantry_crane_{name}(" not in header] == []
    assert [name for name in names if f"def {name}(t, q, u, r, p):" not in module] == []


def test_export_as_a_device(tmp_path, capsys):
    """With a handle the C files become a device: one program more, and a rule that makes it."""
    folder = tmp_path / "c"
    assert main(["export", CRANE, "--c", str(folder), "--hil", "load", "--hil-force", "F,-,-"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == str(folder / "hil.c")
    assert "force_input[3] = {0, -1, -1}" in (folder / "hil.c").read_text(encoding="utf-8")
    assert "hil: hil.c gantry_crane.c" in (folder / "Makefile").read_text(encoding="utf-8")


def test_export_with_a_free_base(tmp_path):
    """--floating gives a robot six more speeds, and is refused for a model file."""
    target = tmp_path / "bar.py"
    assert main(["export", robot_file(tmp_path), "--floating", "--python", str(target)]) == 0
    made: dict[str, Any] = {}
    exec(target.read_text(encoding="utf-8"), made)
    assert len(made["udot"](0.0, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5], [0.1] * 7, [0.0], [])) == 7
    assert main(["export", PENDULUM, "--floating", "--python", str(target)]) == 3


def test_export_of_a_run(capsys, tmp_path):
    """A file with contacts becomes a run in C that starts where the file says."""
    assert main(["export", str(EXAMPLES / "disk_that_rolls.yaml"), "--contacts", "--c", str(tmp_path / "disk")]) == 0
    written = capsys.readouterr().out.split()
    assert [Path(path).suffix for path in written] == [".c", ".h", ".c", ""]
    assert "_NCONTACT 1" in Path(written[1]).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([PENDULUM], 2, "Give --c DIR, --python FILE or --fmu FILE"),
        ([PENDULUM, "--contacts", "--python", "x.py"], 2, "Give --c DIR as well"),
        ([PENDULUM, "--contacts", "--c", "c", "--python", "x.py"], 2, "in two calls"),
        ([PENDULUM, "--fmu", "x.zip"], 5, "ends in .fmu"),
        ([PENDULUM, "--python", "no/such/folder/x.py"], 2, "no/such/folder"),
        (["nothing.urdf", "--c", "c"], 3, "there is no such file"),
        ([PENDULUM, "--python", "x.py", "--hil", "E"], 2, "Give --c DIR as well"),
        ([PENDULUM, "--c", "c", "--hil", "E"], 5, "'Fx' is not an input of 'double pendulum'"),
    ],
)
def test_export_that_cannot_be(capsys, tmp_path, monkeypatch, arguments, code, message):
    """Exit codes as for the other commands."""
    monkeypatch.chdir(tmp_path)
    assert main(["export", *arguments]) == code
    assert message in capsys.readouterr().err


# --- bench --------------------------------------------------------------------------------------------------------


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """Three benchmarks that measure nothing, the first and second of which fail, as a whole and in part."""
    writes = "pathlib.Path(sys.argv[2], 'good.json').write_text('{\"rows\": []}')"
    good = f"import pathlib, sys\nprint('| work |')\n{writes}\n"
    (tmp_path / "good.py").write_text(good, encoding="utf-8")
    (tmp_path / "bad.py").write_text("raise SystemExit(7)\n", encoding="utf-8")
    (tmp_path / "half.py").write_text("print('| half |'); exit('1 failed:\\n  a row: why')\n", encoding="utf-8")
    monkeypatch.setattr(bench, "NAMES", ("bad", "half", "good"))
    monkeypatch.setattr(bench, "folder", lambda: tmp_path)
    return str(tmp_path / "out")


def test_bench_prints_tables(capsys, scripts):
    """The table of a script goes to stdout, its results to the folder."""
    assert main(["bench", "good", "--out", scripts]) == 0
    assert capsys.readouterr().out.startswith("| work |\n")
    assert (Path(scripts) / "good.json").is_file()


def test_bench_for_programs(capsys, scripts):
    """The results of all scripts as one object."""
    assert main(["bench", "--json", "good", "--out", scripts]) == 0
    assert json.loads(capsys.readouterr().out) == {"good": {"rows": []}}


def test_bench_that_fails(capsys, scripts):
    """It goes on past a script that fails, and says at its end what failed; a name that is none is wrong usage."""
    assert main(["bench", "--out", scripts]) == 5
    told = capsys.readouterr()
    assert "| half |" in told.out
    assert "| work |" in told.out
    assert "2 of 3 benchmarks failed, in part or as a whole: bad, half." in told.err
    assert told.err.rstrip().endswith("== bad: it ended with code 7\n== half: 1 failed:\n  a row: why")
    assert main(["bench", "goood", "--out", scripts]) == 2
    assert "there is no benchmark 'goood'" in capsys.readouterr().err


def test_bench_knows_its_scripts():
    """Every name is a script of the checkout."""
    assert [name for name in bench.NAMES if not (bench.folder() / f"{name}.py").is_file()] == []


# --- errors -------------------------------------------------------------------------------------------------------


def test_a_bad_file_is_shown_where_it_is_bad(model_file, capsys):
    """One line that names file, line and column, and the line itself with a caret."""
    path = model_file(HEAD + "coordinates: [q1]\nlet: {a: 2*q2}\n")
    assert main(["derive", path]) == 3
    first, line, caret = capsys.readouterr().err.splitlines()
    assert first == f"latchwork: error: {path}:4:12: unknown name 'q2' in an expression. Known: t, q1, a."
    assert (line, caret) == ("    let: {a: 2*q2}", "               ^")


def test_a_long_line_is_cut(model_file, capsys):
    """The excerpt stays on one line of a terminal, with the caret in it."""
    assert main(["derive", model_file(HEAD + "let: {a: " + "1 + " * 5000 + "oops}\n")]) == 3
    _, line, caret = capsys.readouterr().err.splitlines()
    assert len(line) <= 104
    assert line[caret.index("^") :].startswith("oops")


@pytest.mark.parametrize(
    ("arguments", "text", "code", "message"),
    [
        (["derive"], "", 3, "the file is empty"),
        (["derive"], HEAD + "coordinates: [q1, q2]\nspeeds: {u1: dt(q1)}\n", 4, "speeds"),
        (["run"], HEAD + "joints: {a: {type: prismatic}}\nparticles: {p: {point: a, mass: 1}}\n", 2, "--until"),
        (["run", "--until", "1"], HEAD, 4, "has no coordinates"),
        (["run", "--until", "-1"], HEAD + "joints: {a: {type: revolute}}\nbodies: {b: {frame: a, center: a, mass: 1, "
         "inertia: {zz: 1}}}\n", 5, "a run goes from"),
        (["run", "--until", "1"], HEAD + "parameters: {m: null}\ncoordinates: [q]\npoints: {P: {at: q*N.x}}\n"
         "particles: {p: {point: P, mass: m}}\n", 5, "m"),
        (["run", "--until", "1", "--set", "q=x"], HEAD, 2, "--set takes NAME=VALUE"),
        (["run", "--until", "1", "--set", "q"], HEAD, 2, "there is no '='"),
        (["run", "--until", "1", "--set", "q=1"], HEAD, 2, "has no 'q'"),
    ],
)  # fmt: skip
def test_exit_codes(model_file, capsys, arguments, text, code, message):
    """2 wrong usage, 3 a bad file, 4 a model without equations, 5 a run that failed; no traceback."""
    assert main([arguments[0], model_file(text), *arguments[1:]]) == code
    err = capsys.readouterr().err
    assert err.startswith("latchwork: error: ")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments", [[], ["frobnicate"], ["derive"], ["derive", "--latex", "--html", DISK], ["run", DISK, "--until", "x"]]
)
def test_wrong_usage(capsys, arguments):
    """What argparse refuses is exit code 2."""
    assert main(arguments) == 2
    assert "usage: latchwork" in capsys.readouterr().err


def test_output_that_cannot_be_written(tmp_path, capsys):
    """A path that cannot be written is wrong usage, not a bug."""
    assert main(["derive", DISK, "-o", str(tmp_path / "no" / "such" / "folder")]) == 2
    assert "latchwork: error: " in capsys.readouterr().err


def test_bugs_and_debug(monkeypatch, capsys):
    """An unexpected error is exit code 1 and one line; --debug lets it through."""
    monkeypatch.setattr(lw.Model, "equations", lambda self: 1 / 0)
    assert main(["derive", DISK]) == 1
    assert "This is a bug" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        main(["derive", "--debug", DISK])


def test_interrupted(monkeypatch, capsys):
    """Ctrl-C is exit code 130."""

    def interrupt(self: lw.Model) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(lw.Model, "equations", interrupt)
    assert main(["derive", DISK]) == 130
    assert capsys.readouterr().err == "latchwork: interrupted\n"


def test_an_interrupted_run_is_written_as_far_as_it_came(monkeypatch, capsys):
    """Ctrl-C while it runs: what was computed is given, and the exit code says that it is not all."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(Progress, "__call__", lambda self, text, now=True: now or signal.raise_signal(signal.SIGINT))
    try:
        assert main(["run", "--csv", PENDULUM, "--until", "5000"]) == 130
    finally:
        signal.signal(signal.SIGINT, usual)
    said = capsys.readouterr()
    assert said.err == "latchwork: interrupted\n"
    assert 0.0 < float(said.out.splitlines()[-1].split(",")[0]) < 5000.0


# --- as a process -------------------------------------------------------------------------------------------------


def test_as_a_module():
    """``python -m latchwork`` is the same command."""
    done = python("-m", "latchwork", "derive", str(EXAMPLES / "nothing.yaml"))
    assert (done.returncode, done.stdout) == (3, "")
    assert "there is no such file" in done.stderr


def test_a_reader_that_goes_away():
    """A closed pipe ends the command without a word."""
    command = [sys.executable, "-m", "latchwork", "run", "--csv", PENDULUM]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_start_is_light():
    """Deriving needs neither SymPy nor matplotlib."""
    code = "import sys; from latchwork.cli import main; main(['derive', sys.argv[1]]); print(sorted(sys.modules))"
    loaded = python("-c", code, DISK).stdout
    assert "'yaml'" in loaded
    assert "'sympy'" not in loaded
    assert "'matplotlib'" not in loaded


@pytest.mark.parametrize(
    ("option", "advice"),
    [("--untill=5", "Did you mean '--until'?"), ("--colour", "Known: --"), ("more", "Options: --")],
)
def test_options_that_are_none(capsys, option, advice):
    """The command names what it does not know, and what comes close, or what there is."""
    assert main(["run", DISK, option]) == 2
    said = capsys.readouterr().err
    assert f"latchwork run: error: unrecognized arguments: {option}. {advice}" in said


@pytest.mark.parametrize(
    ("word", "advice"), [("dmeo", "Did you mean 'demo'?"), ("xyz", "Known: derive, run, study, info, export, schema")]
)
def test_commands_that_are_none(capsys, word, advice):
    """The nearest command is named, or all of them."""
    assert main([word]) == 2
    assert f"latchwork: error: argument COMMAND: there is no '{word}'. {advice}" in capsys.readouterr().err


# --- what a newcomer types ------------------------------------------------------------------------------------------

NEWCOMERS = {
    ("run", "examples/four_bar.py"): "is a Python script. Run it with 'python examples/four_bar.py'",
    ("derive", PENDULUM, "-o", "/nowhere/at/all.txt"): "/nowhere/at/all.txt: no such file or directory.",
}


@pytest.mark.parametrize(("typed", "said"), NEWCOMERS.items())
def test_mistakes_are_answered_in_words(typed, said, capsys):
    """No Errno, no traceback: the file, what is wrong, what to do."""
    assert main(list(typed)) == 2
    assert said in (told := capsys.readouterr().err)
    assert "Errno" not in told


def test_version_is_an_option_too(capsys):
    """``latchwork --version`` is ``latchwork version``."""
    assert main(["--version"]) == 0
    said = capsys.readouterr().out
    assert main(["version"]) == 0
    assert capsys.readouterr().out == said


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_options(shell, capsys):
    """Every command, and its options."""
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "derive" in script
    assert "floating" in script


def test_what_is_written_is_told(tmp_path, capsys):
    """"wrote FILE", on stderr, for every file."""
    assert main(["derive", PENDULUM, "-o", str(tmp_path / "eq.txt")]) == 0
    assert capsys.readouterr().err == f"wrote {tmp_path / 'eq.txt'}\n"
    assert main(["run", PENDULUM, "--until", "0.1", "--plot", str(tmp_path / "run.png"), "--show", "energy"]) == 0
    assert f"wrote {tmp_path / 'run.png'}\n" in capsys.readouterr().err


def test_meters_are_columns(capsys):
    """--show adds columns: an energy, a reaction."""
    assert main(["run", PENDULUM, "--until", "0.05", "--csv", "--show", "energy", "--show", "magnitude(momentum)"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(",energy,magnitude(momentum)")

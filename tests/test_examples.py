"""Every script of the gallery runs, agrees with its source, needs no SymPy, and survives a model file."""

from __future__ import annotations

import io
import re
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest

import latchwork as lw
from campaign import seeds
from golden_events import unlike_golden
from latchwork.view import demo, gallery

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
HELPERS = {"published"}
# Not in the gallery: made of arrays or of numbers that are no text, or several mechanisms in one.
APART = {"beam_contacts", "flexible_arm", "flexible_slider_crank"}
VARIANTS = [(name, k) for name in gallery.NAMES for k in range(len(gallery.load(name).models()))]
# Runs of 100 s and of 1,000 periods; their numbers are held in shorter ones, by tests of mechanisms and closed forms.
LONG = ("iftomm_a02_four_bars", "iftomm_a05_governor", "rattleback", "rolling_disk", "stick_slip")

@pytest.fixture(autouse=True)
def without_sympy(monkeypatch):
    """SymPy is out of reach, whatever an example does."""
    monkeypatch.setitem(sys.modules, "sympy", None)


@cache
def model(name: str, k: int = 0) -> lw.Model:
    return gallery.load(name).models()[k]


@cache
def derived(name: str, k: int = 0) -> lw.Equations:
    return model(name, k).equations()


def test_every_script_is_in_the_gallery():
    """A script that lies in examples/ is shown, and tested below."""
    assert {path.stem for path in EXAMPLES.glob("*.py")} - HELPERS - APART == set(gallery.NAMES)


@cache
def shown(name: str) -> tuple[str, list[lw.Trajectory]]:
    """What ``main`` prints, and the runs that it makes of the first model as it stands."""
    example, out, runs = gallery.load(name), io.StringIO(), []
    run, first = example.module.run, lw.dump(model(name))

    def noted(given: lw.Model, *settings: object, **more: object) -> lw.Trajectory:
        moved = run(given, *settings, **more)
        if not settings and not more and lw.dump(given) == first:
            runs.append(moved)
        return moved

    with patch.object(example.module, "run", noted), redirect_stdout(out):
        example.main()
    return out.getvalue(), runs


@pytest.mark.parametrize("name", seeds([name for name in gallery.NAMES if name not in LONG], LONG))
def test_example_agrees_with_its_source(name):
    """``main`` prints the equations and asserts them against the published ones."""
    assert shown(name)[0].strip()


@pytest.mark.parametrize("name", sorted(APART))
def test_example_apart_from_the_gallery_agrees_with_its_source(name):
    """The same of scripts that model files cannot hold."""
    out = io.StringIO()
    with redirect_stdout(out):
        runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]()
    assert out.getvalue().strip()


@pytest.mark.parametrize("name", seeds(["gillespie_1_disk"], gallery.NAMES))
def test_example_is_also_a_script(name):
    """``python examples/name.py`` works from anywhere."""
    done = subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("name", "k"), VARIANTS)
def test_examples_need_no_sympy(name, k):
    """All examples are derived and printed with SymPy out of reach."""
    eq = derived(name, k)
    assert all([str(eq), eq.report(), eq.partial_velocities().html(), eq.latex(), eq.operations])
    with pytest.raises(ImportError, match="sympy"):
        import sympy  # noqa: F401


@pytest.mark.parametrize("name", gallery.NAMES)
def test_energy_of_the_run_is_accounted_for(name):
    """K + V changes by the work of the loads and by nothing else, to 1e-6 of the energy that moves; golden events."""
    made = [] if name in LONG else shown(name)[1]
    run = made[0] if made else gallery.load(name).run(gallery.load(name).models()[0])
    assert run.audit.energy_error < 1e-6 * max(1.0, abs(run.energy).max())
    assert unlike_golden(name, run.events) == ""


def test_golden_events_show_the_first_that_differs():
    """A run without its events is not the one that is held, and the first of them is named, as it was and as it is."""
    assert unlike_golden("patoglu_3_belt", []).split("\n")[1:] == [
        "    was: 0.0726420866762 impact, part: no change",
        "    now: end",
    ]


@pytest.mark.parametrize(("name", "k"), VARIANTS)
def test_round_trip_through_yaml(name, k):
    """A model written to YAML and read again has the same equations: the same counts, the same numbers."""
    eq, again = derived(name, k), lw.loads(lw.dump(model(name, k))).equations()
    assert (again.operations, again.operations_literal) == (eq.operations, eq.operations_literal)
    q, u = [0.3 + 0.1 * i for i in range(len(eq.q))], [0.2 - 0.1 * i for i in range(len(eq.u))]
    assert again.udot(q, u).tolist() == eq.udot(q, u).tolist()


def test_demo_is_one_page_that_needs_no_network(tmp_path, capsys):
    """``latchwork demo`` writes a page with all examples that it is given, and loads nothing from elsewhere."""
    names = gallery.NAMES[::18]
    assert demo.main(str(tmp_path), names=names) == 0
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert [name for name in names if f'id="{name}"' not in page] == []
    assert re.findall(r"""(?:src|href)=["'](?!#|http://127\.0\.0\.1:8321/)|@import|url\((?!#)|fetch\(""", page) == []
    assert len(re.findall("data-thumb=", page)) == len(names)
    assert "http-equiv=\"refresh\"" not in page  # only while it is being written
    assert len(list(tmp_path.glob("*.png"))) == 2 * len(names)
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"open {tmp_path / 'index.html'}")
    assert last.startswith(f"wrote {tmp_path / 'index.html'}")


# --- structural zeros ---------------------------------------------------------------------------------------------

PLANAR = [
    "gillespie_1_disk",
    "gillespie_3_cart",
    "buffinton_3_two_revolute",
    "buffinton_4_revolute_prismatic",
    "buffinton_5_grasp",
    "double_pendulum",
    "chain",
    "aghili_slider_crank",
    "andrews_squeezer",
    "iftomm_a01_pendulum",
    "iftomm_a02_four_bars",
    "four_bar",
]


def test_wrist_mass_matrix_is_diagonal_and_constant():
    """With u_i = ω·c_i nothing but I1 + M L², I2 + M L² and I3 is left of M: zeros that are not computed."""
    M = derived("gillespie_2_wrist").M
    assert [M.is_zero(i, j) for i in range(3) for j in range(3)] == [i != j for i in range(3) for j in range(3)]
    assert {symbol.kind for symbol in M.free_symbols} == {"parameter"}


def test_wrist_counts():
    """Gillespie's Table 3: 29 multiplies and divides, 16 adds, 10 sines and cosines; 5 of these after sharing."""
    eq = derived("gillespie_2_wrist")
    literal, shared = eq.operations_literal, eq.operations
    assert literal.multiplies <= 29
    assert literal.adds <= 16
    assert literal.trig <= 10
    assert shared.trig <= 5


@pytest.mark.parametrize(("name", "k"), [(name, k) for name, k in VARIANTS if name in PLANAR])
def test_nothing_leaves_the_plane(name, k):
    """Velocities have no z component and angular velocities no other, as zeros of the graph, in every frame."""
    eq = derived(name, k)
    tree = eq.system.tree
    for point in tree.points.values():
        assert eq.velocity(point).measures(tree.newtonian)[2] == 0.0
    for frame in tree.frames.values():
        assert eq.angular_velocity(frame).measures(frame)[:2] == (0.0, 0.0)


def test_top_mass_matrix_is_constant():
    """Speeds that are ω in the body make M constant and diagonal."""
    M = derived("spinning_top").M
    assert M.is_diagonal
    assert {symbol.kind for symbol in M.free_symbols} == {"parameter"}


def test_robot_mass_matrix_does_not_know_where_it_points():
    """M of the two-link robot depends on q2 alone, that of the sliding robot on its reach alone."""
    for name in ("buffinton_3_two_revolute", "buffinton_4_revolute_prismatic"):
        kinds = {symbol.name for symbol in derived(name).M.free_symbols if symbol.kind == "coordinate"}
        assert kinds == {"q2"}

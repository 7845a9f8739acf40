"""Timing functions give seconds; how many is nobody's law."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import latchwork as lw
import paper_models
from latchwork import bench
from latchwork.errors import EvaluationError
from latchwork.kane.values import argument_vector
from latchwork.program import tiers
from latchwork.program.function import Function


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    """Few repetitions, and a cache of its own."""
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path))
    monkeypatch.setattr(bench, "OPERATIONS", 1000)


def test_seconds_are_positive():
    """u̇, inverse dynamics, a program and a step each take some time, and none takes a second."""
    equations = paper_models.two_revolutes().equations()
    q, u = [0.1, 0.2], [0.3, 0.4]
    times = [
        lw.bench.time_udot(equations, q, u),
        lw.bench.time_udot(equations, q, u, [1.0, 2.0]),
        lw.bench.time_inverse(equations, q, u, [0.5, 0.6]),
        lw.bench.time_step(equations, q, u, {"T_A": 1.0}),
        lw.bench.time_program(equations.program(equations.M), [0.0, *q, *u, 0.0, 0.0, 1.0, 1.0, 9.81]),
    ]
    assert all(0.0 < seconds < 1.0 for seconds in times)


def test_a_long_step_is_a_loop_over_its_stages(monkeypatch):
    """A step that is too long to be written out is timed as it runs."""
    monkeypatch.setattr(bench, "pays", lambda program, tableau: False)
    equations = paper_models.two_revolutes().equations()
    assert 0.0 < lw.bench.time_step(equations, [0.1, 0.2], [0.3, 0.4], {"T_A": 1.0}) < 1.0


def test_inverse_dynamics_are_those_of_the_equations():
    """The program that is timed gives `Equations.inverse`."""
    equations = paper_models.two_revolutes().equations()
    x = argument_vector(equations.system, 0.0, [0.1, 0.2], [0.3, 0.4])
    forces = Function(bench.inverse_program(equations))([*x, 0.5, 0.6])
    assert forces == pytest.approx(equations.inverse([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]))


def test_the_best_round_counts():
    """The first round only warms up; of the others the shortest is taken, for one repetition."""
    calls: list[int] = []
    assert bench.best(calls.append, times=4, rounds=3) >= 0.0
    assert calls == [4, 4, 4, 4]


def test_what_cannot_be_compiled_is_not_timed(monkeypatch):
    """A program beyond the longest is refused, with its length."""
    monkeypatch.setattr(tiers, "LONGEST", 3)
    equations = paper_models.wrist().equations()
    with pytest.raises(EvaluationError, match="too long to be compiled"):
        bench.time_udot(equations, [0.1, 0.2, 0.3], [0.3, 0.4, 0.5])


# --- the scripts in benchmarks/ -----------------------------------------------------------------------------------


@pytest.fixture
def script(monkeypatch):
    """A function that imports a module of benchmarks/."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    return import_module


def test_a_row_compares_the_best_rounds(script):
    """The ratio is that of the best rounds; the spread is that of single rounds; a promise is kept or not."""
    row = script("measure").Row("work", "rival", 5.0, [1e-6, 2e-6, 1e-6], [4e-6, 10e-6, 5e-6])
    assert row.ratio == pytest.approx(4.0)
    assert row.quartiles == pytest.approx((4.5, 5.0, 5.0))
    assert row.short
    assert row.cells() == ["work", "1 µs (1 µs)", "rival", "4 µs (5 µs)", "4 (short)", "5 (4.5 to 5)", "5"]


def test_a_rival_that_is_not_installed(script):
    """Its row says so, and ours is measured all the same."""
    measure = script("measure")
    ours, theirs = measure.alternate(lambda: 2e-3, None, rounds=2)
    row = measure.Row("work", "rival", 5.0, ours, theirs)
    assert measure.installed("no_such_rival") is None
    assert row.cells() == ["work", "2 ms (2 ms)", "rival", "not installed", "", "", "5"]
    assert (row.facts()["installed"], row.facts()["ratio"], row.short) == (False, None, False)


def test_rounds_alternate(script):
    """Ours, theirs, ours, theirs; the first of each is not counted."""
    calls: list[str] = []

    def noted(name: str) -> float:
        calls.append(name)
        return float(len(calls))

    found = script("measure").alternate(lambda: noted("ours"), lambda: noted("theirs"), rounds=2)
    assert calls == ["ours", "theirs"] * 3
    assert found == ([3.0, 5.0], [4.0, 6.0])


@pytest.mark.parametrize(("kind", "sizes", "crossed"), [("planar", (2, 3, 4, 5), (3, 4)),
                                                       ("spatial", (8, 9, 10, 11), (9, 10))])  # fmt: skip
def test_where_the_two_formulations_cross(script, kind, sizes, crossed):
    """Sweeps over a chain are shorter than LᵀDL from four planar and ten spatial bodies on."""
    growth = script("growth")
    assert growth.crossover([growth.counted(growth.CHAINS[kind](size)) for size in sizes]) == crossed


def test_the_picture_of_growth(script, tmp_path):
    """One SVG text with both crossovers, from counts alone; the table has the shorter in bold."""
    growth = script("growth")
    planar, spatial = ([growth.Count(2, a, b), growth.Count(5, 9, c)] for a, b, c in ((1, 2, 3), (3, 4, 8)))
    found = {"planar": planar, "spatial": spatial}
    growth.draw(found, tmp_path / "growth.svg")
    assert (tmp_path / "growth.svg").read_text(encoding="utf-8").count("2 – 5 bodies") == 2
    assert growth.markdown(found).endswith("| 2 | **1** | 2 | **3** | 4 |\n| 5 | 9 | **3** | 9 | **8** |")


def test_mechanisms_of_the_designs_stay_on_their_constraints(script):
    """Every mechanism of the comparison starts, moves, and keeps Φ and B u + C; every design has its lines."""
    designs = script("designs")
    for mechanism in designs.MECHANISMS:
        found = designs.ran(mechanism, "embedded", lw.Embedded(), lw.RK4(1e-3), 0.05)
        assert (found.ended, found.phi < 1e-12, found.psi < 1e-12) == (None, True, True)
    names = [m.name for m in designs.MECHANISMS]
    found = [designs.Found(name, design, 1e-3, 2e-3, 3e-3, 4e-3, seconds=1e-6)
             for name in names for design in (*designs.DESIGNS, *designs.FORMS)]  # fmt: skip
    assert designs.markdown(found).count("lw") == 0
    assert designs.markdown(found).count("| 1e-03, 2e-03 |") > len(designs.DESIGNS)


def test_what_is_embedded_to_run_is_the_embedding(script):
    """The program that `constraints.py` times gives the u̇ of the embedded equations."""
    constraints = script("constraints")
    model, tip = constraints.chain(3)
    equations, q = model.equations(), {"q_L0": 0.3, "q_L1": -0.4, "q_L2": 0.8}
    held = equations.embed(constraints.direction(model, tip, 1), at=q)
    program = constraints.written(equations, constraints.direction(model, tip, 1), q)
    u = held.start(q, {"u_L0": 1.0}).u
    ind = list(held.selection.independent)
    found = Function(program)([0.0, *q.values(), *u[ind]])
    assert found[3:-1] == pytest.approx(held.udot(list(q.values()), u)[ind], rel=1e-11)


def test_tables_go_between_their_marks(script, tmp_path):
    """What stands between the marks of a script of the page is replaced where it has results, and nothing else."""
    start, end = "<!-- made by benchmarks/{0}.py; replace this -->\n", "<!-- end of benchmarks/{0}.py -->"
    page = "".join(f"{start}old {{0}}\n{end}\n".format(name) for name in ("steps", "many", "derive"))
    for name in ("steps", "derive"):
        (tmp_path / f"{name}.md").write_text("| new |\n", encoding="utf-8")
    filled = script("pages").filled(f"before\n{page}after\n", tmp_path, ("steps", "many"))
    assert filled == f"before\n{page}after\n".replace("old steps\n", "\n| new |\n\n")

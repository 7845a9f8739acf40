"""Timing functions give seconds; how many is nobody's law."""

from __future__ import annotations

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

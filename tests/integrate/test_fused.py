"""A Runge-Kutta step as one program: the same bits as the loop over its stages."""

from __future__ import annotations

import math

import numpy as np
import pytest

from latchwork.errors import IntegrationError
from latchwork.integrate.dense_output import Solution
from latchwork.integrate.fused import SHARED, fused, fused_function
from latchwork.integrate.integration import StateFunction
from latchwork.integrate.methods import RK4, integrate
from latchwork.integrate.problem import Problem
from latchwork.integrate.step import evaluate, step
from latchwork.integrate.tableau import DORMAND_PRINCE_5, RUNGE_KUTTA_4
from latchwork.program import tiers
from latchwork.program.function import Function
from latchwork.program.interpret import evaluate as meaning
from latchwork.program.ir import Program
from latchwork.program.native import invoke
from latchwork.program.records.memory import lay_out
from random_programs import bits, program_of


def pendulum() -> Program:
    """``ẋ = v, v̇ = −g sin x + cos t``, with g held."""
    rows = [("sin", 1), ("mul", 3, 4), ("cos", 0), ("sub", 6, 5)]
    return program_of("t x v g", (), rows, (2, 7))


@pytest.fixture
def at_once(monkeypatch, tmp_path):
    """Machine code is asked for at the first evaluation, and made here."""
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path))
    monkeypatch.setattr(tiers, "EVALUATIONS", 0)
    monkeypatch.setattr(tiers, "OPERATIONS", 0)
    monkeypatch.setattr(tiers, "compile_aside", lambda program, done: done(tiers.compile_now(program)))


@pytest.mark.parametrize("tableau", [RUNGE_KUTTA_4, DORMAND_PRINCE_5], ids=lambda tableau: tableau.name)
@pytest.mark.parametrize("x", [(0.3, -0.7), (-0.0, -0.0), (1e300, 1e-300), (0.1, math.inf)])
def test_a_fused_step_is_the_step(tableau, x):
    """State and derivative after one step are equal bit for bit, also at zeros, huge numbers and infinities."""
    program, t, h, end, g = pendulum(), 0.2, 0.01, 0.21, 9.81
    function, k = Function(program), np.zeros((tableau.stages, 2))
    z = function.workspace()
    z[3] = g
    plain = lay_out(StateFunction, run=function.executor, code=function.code, slots=z)
    invoke(evaluate, plain, 2, t, np.array(x), k)
    k0 = k[0].tolist()
    invoke(step, plain, 2, tableau.stages, tableau.packed, t, h, end, np.array(x), k)
    assert bits(meaning(fused(program, tableau), [t, h, end, *x, *k0, g])) == bits([*z[1:3], *k[-1]])


def test_a_fused_step_names_its_inputs():
    """Times first, then the state, its rate, and what is held."""
    program = fused(pendulum(), RUNGE_KUTTA_4)
    assert program.inputs == ("t", "h", "end", "x", "v", "dt(x)", "dt(v)", "g")
    assert program.inputs[:SHARED] == ("t", "h", "end")


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("every", [1, 7])
def test_a_long_run_takes_fused_steps_with_the_same_bits(monkeypatch, every):
    """Once machine code is there, steps are fused; samples, times and counts do not change."""
    method = RK4(0.001, every)
    quick = integrate(Function(pendulum()), [0.3, 0.0], 0.0, 9.9995, [9.81], method)
    monkeypatch.setattr(tiers, "EVALUATIONS", 10**9)
    slow = integrate(Function(pendulum()), [0.3, 0.0], 0.0, 9.9995, [9.81], method)
    assert bits(quick.x) == bits(slow.x)
    assert bits(quick.dx) == bits(slow.dx)
    assert bits(quick.t) == bits(slow.t)
    assert quick.stats == slow.stats


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("level", [0.0, 5.0])
def test_a_watched_run_takes_fused_steps_with_the_same_bits(monkeypatch, every, level):
    """As without guards; an event is found at the same instant, in the same state."""
    guards = program_of("t x v g", (level,), [("add", 1, 4)], (5, 2))  # x + level, and its rate v
    method, asked = RK4(0.001, every), []

    def run() -> Solution:
        return integrate(Function(pendulum()), [0.3, 0.0], 0.0, 9.9995, [9.81], method, guards=Function(guards))

    fuse = Problem.fuse
    monkeypatch.setattr(Problem, "fuse", lambda *a: asked.append(1) or fuse(*a))
    quick = run()
    monkeypatch.setattr(tiers, "EVALUATIONS", 10**9)
    assert asked
    asked.clear()
    slow = run()
    assert not asked
    assert bits(quick.x) == bits(slow.x)
    assert bits(quick.dx) == bits(slow.dx)
    assert bits(quick.t) == bits(slow.t)
    assert bits(quick.bend) == bits(slow.bend)
    assert quick.stats == slow.stats
    assert (quick.event is None) == (slow.event is None) == (level > 0.0)


@pytest.mark.usefixtures("at_once")
def test_a_fused_run_that_blows_up_says_so():
    """The error of a run whose derivative becomes infinite is that of the plain stepper."""
    square = Function(program_of("t x", (), [("mul", 1, 1)], (2,)))
    with pytest.raises(IntegrationError, match=r"derivative is not finite \(of 'x'\)"):
        integrate(square, [1.0], 0.0, 2.0, [], RK4(0.001))


def test_a_fused_function_is_made_once():
    """The same function gives the same fused function."""
    function = Function(pendulum())
    assert fused_function(function, RUNGE_KUTTA_4) is fused_function(function, RUNGE_KUTTA_4)

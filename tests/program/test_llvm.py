"""Programs as machine code against the interpreter, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from campaign import seeds
from latchwork.program import llvm, tiers
from latchwork.program.function import Function
from latchwork.program.ir import OPS, Program
from latchwork.program.machine import object_code
from latchwork.program.native import Native
from latchwork.program.schedule import schedule
from random_programs import SPECIAL, bits, meaning, program_of, random_inputs, random_program


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A cache of its own for each test."""
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path))


def in_parts(program: Program, units: int) -> Function:
    """The program as machine code, cut into functions of so many units."""
    return Function(program, llvm.linked(object_code(llvm.text(program, chunk=units), llvm.PASSES)))


@pytest.mark.parametrize("seed", seeds(range(10), range(200)))
def test_machine_code_gives_the_bits_of_the_interpreter(seed):
    """Every slot of a random program is equal bit for bit, in one function or in several."""
    program, x = random_program(seed), random_inputs(seed)
    whole = Function(program, llvm.compiled(program))
    assert bits(whole.many(x)) == bits(in_parts(program, 17).many(x)) == meaning(program, x)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_each_operation_at_special_values(op):
    """Operations agree at zeros, infinities, nan, denormals and huge numbers."""
    program = program_of("a b c", (), [(op.name, *range(op.arity))], (3,))
    x = np.array([(a, b, 7.0) for a in SPECIAL for b in SPECIAL])
    assert bits(Function(program, llvm.compiled(program)).many(x)) == meaning(program, x)


@pytest.mark.parametrize("angles", range(1, 20))
def test_angles_side_by_side_have_the_bits_they_have_alone(angles):
    """Sines and cosines agree for any number of angles, with large ones and nan among them or not."""
    rows = [(name, i) for i in range(angles) for name in ("cos", "sin")]
    program = program_of(" ".join(f"x{i}" for i in range(angles)), (), rows, tuple(range(angles, 3 * angles)))
    rng = np.random.default_rng(angles)
    calm = rng.uniform(-10.0, 10.0, (20, angles))
    wild = np.where(rng.random((20, angles)) < 0.1, rng.choice(SPECIAL, (20, angles)), calm * 2.0**18)
    quarters = rng.integers(-9, 9, (60, angles)) * (math.pi / 4) * (1.0 + rng.integers(-2, 3, (60, angles)) * 2.0**-52)
    x = np.concatenate([calm, wild, quarters])
    assert bits(Function(program, llvm.compiled(program)).many(x)) == meaning(program, x)


@pytest.mark.parametrize("units", [1, 2, 100])
def test_outputs_may_be_anything(units):
    """An input, a constant, an intermediate result and a repeated one are outputs like any other."""
    program = program_of("a b", (0.5,), [("sin", 0), ("mul", 3, 2), ("sin", 0), ("add", 5, 1)], (0, 2, 4, 6, 3, 5, 6))
    x = np.array([(0.3, 2.0), (-0.0, math.nan)])
    assert bits(in_parts(program, units).many(x)) == meaning(program, x)


def test_a_program_may_be_empty():
    """A program without operations copies, and one without outputs does nothing."""
    copy = program_of("a", (), [], (0, 0))
    assert Function(copy, llvm.compiled(copy))([3.0]).tolist() == [3.0, 3.0]
    nothing = program_of("a", (), [("sin", 0)], ())
    assert Function(nothing, llvm.compiled(nothing))([3.0]).tolist() == []


@pytest.mark.parametrize("seed", range(10))
def test_a_schedule_computes_each_thing_once_after_what_it_reads(seed):
    """Units cover what the outputs need, and read only inputs, constants and units before them."""
    program = random_program(seed)
    plan = schedule(program, 8)
    known = set(range(program.first))
    for unit in plan.units:
        assert all(i in known for slot in unit for i in plan.reads(slot))
        assert known.isdisjoint(unit)
        known.update(unit)
    assert known.issuperset(plan.outputs)


def test_what_no_output_needs_is_left_out():
    """Operations without effect, and repeated sines, are not computed."""
    program = program_of("a b", (), [("exp", 0), ("sin", 1), ("sin", 1), ("add", 3, 4), ("log", 2)], (5,))
    assert schedule(program, 8).units == [(3,), (5,)]


def test_angles_that_do_not_depend_on_each_other_are_one_unit():
    """Sines are grouped by how many lie beneath them; a sine of a sine comes later."""
    rows = [("sin", 0), ("sin", 2), ("add", 0, 1), ("cos", 4), ("cos", 1)]
    program = program_of("a b", (), rows, (2, 3, 4, 5, 6))
    assert schedule(program, 8).units == [(4,), (2, 5, 6), (3,)]


def test_a_function_compiled_here_and_now():
    """``compiled(wait=True)`` puts machine code in place, once for equal programs, and keeps the numbers."""
    program, x = random_program(7), random_inputs(7)
    function, other = Function(program), Function(program)
    before = bits(function.many(x))
    assert function.compiled(wait=True)
    assert other.compiled()
    assert function.executor is other.executor
    assert isinstance(function.executor, Native)
    assert bits(function.many(x)) == bits([function(row) for row in x]) == before


def test_a_program_that_is_too_long_stays_in_the_machine(monkeypatch):
    """Beyond a number of operations nothing is compiled; decided by counts."""
    monkeypatch.setattr(tiers, "LONGEST", 119)
    assert not Function(random_program(8)).compiled(wait=True)
    assert not Function(random_program(8)).compiled()

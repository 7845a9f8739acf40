"""The bytecode machine against the interpreter, bit for bit."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

from campaign import seeds
from latchwork.program import vm
from latchwork.program.function import Function
from latchwork.program.interpret import evaluate
from latchwork.program.ir import OPCODE, OPS, Program
from latchwork.program.native import interpret
from random_programs import SPECIAL, bits, random_inputs, random_program


@pytest.mark.parametrize("seed", seeds(range(24), range(300)))
def test_the_machine_gives_the_bits_of_the_interpreter(seed):
    """Every slot of a random program is equal bit for bit, whichever executor ran."""
    program, x = random_program(seed), random_inputs(seed)
    function = Function(program)
    meant = [evaluate(program, row.tolist()) for row in x]
    assert bits([function(row) for row in x]) == bits(meant)
    assert bits(function.many(x)) == bits(meant)


@pytest.mark.parametrize("seed", range(5))
def test_the_machine_is_its_own_python_source(seed):
    """The kernel of the machine, run as Python, gives the bits of the interpreter too."""
    program, x = random_program(seed), random_inputs(seed)[0]
    function, out = Function(program), np.zeros(len(program.outputs))
    z = function.workspace()
    z[: len(x)] = x
    interpret(vm.run, function.code, z, out)
    assert bits(out) == bits(evaluate(program, x.tolist()))


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_each_operation_at_special_values(op):
    """Operations agree at zeros, infinities, nan, denormals and huge numbers."""
    rows = [[OPCODE[op.name], *range(op.arity), *[-1] * (3 - op.arity)]]
    program = Program(("a", "b", "c"), (), np.array(rows, dtype=np.int32), (3,))
    x = np.array([(a, b, 7.0) for a in SPECIAL for b in SPECIAL])
    assert bits(Function(program).many(x)) == bits([evaluate(program, row) for row in x.tolist()])


MEANING = [
    ("min", (1.0, math.nan), math.nan), ("min", (math.nan, 1.0), math.nan), ("min", (2.0, -3.0), -3.0),
    ("max", (1.0, math.nan), math.nan), ("max", (math.nan, 1.0), math.nan), ("max", (2.0, -3.0), 2.0),
    ("sign", (-0.0,), -0.0), ("sign", (math.nan,), math.nan), ("sign", (-5e-324,), -1.0), ("sign", (math.inf,), 1.0),
    ("lt", (math.nan, 1.0), 0.0), ("le", (1.0, 1.0), 1.0), ("eq", (math.nan, math.nan), 0.0), ("eq", (0.0, -0.0), 1.0),
    ("select", (math.nan, 1.0, 2.0), 1.0), ("select", (-0.0, 1.0, 2.0), 2.0), ("abs", (-0.0,), 0.0),
    ("div", (1.0, -0.0), -math.inf), ("div", (0.0, 0.0), math.nan), ("sqrt", (-1.0,), math.nan),
    ("sqrt", (-0.0,), -0.0), ("log", (0.0,), -math.inf), ("log", (-1.0,), math.nan), ("pow", (0.0, 0.0), 1.0),
    ("pow", (-8.0, 0.5), math.nan), ("exp", (1000.0,), math.inf), ("acos", (2.0,), math.nan),
    ("atanh", (1.0,), math.inf), ("sin", (-0.0,), -0.0), ("cos", (math.inf,), math.nan), ("neg", (0.0,), -0.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "x", "value"), MEANING)
def test_the_corners_of_each_operation(name, x, value):
    """Comparisons are 1 or 0 and false on nan; min and max keep nan; division and roots follow IEEE 754."""
    rows = np.array([[OPCODE[name], *range(len(x)), *[-1] * (3 - len(x))]], dtype=np.int32)
    program = Program(tuple("abc"[: len(x)]), (), rows, (len(x),))
    assert bits(evaluate(program, x)) == bits(Function(program)(x)) == bits([value])


def test_sine_and_cosine_of_one_angle_are_one_row():
    """A pair becomes one row and a skip; a second sine of the same angle starts another pair."""
    rows = [[OPCODE[name], 0, -1, -1] for name in ("sin", "cos", "cos", "sin", "sin")]
    program = Program(("q",), (), np.array(rows, dtype=np.int32), (1, 2, 3, 4, 5))
    opcodes = vm.encode(program)[vm.HEADER :: 4][:5].tolist()
    assert opcodes == [vm.SINCOS, vm.SKIP, vm.SINCOS, vm.SKIP, vm.SINCOS]
    assert bits(Function(program)([0.7])) == bits(evaluate(program, [0.7]))


def test_opcodes_of_the_machine_are_those_of_the_table():
    """The machine's names are the positions of the operations."""
    assert [getattr(vm, op.name.upper()) for op in OPS] == list(range(len(OPS)))


def test_a_function_can_be_called_from_many_threads():
    """Calls that share one function do not disturb each other."""
    program = random_program(3)
    function, x = Function(program), random_inputs(3, rows=64)
    found: dict[int, list[int]] = {}

    def work(i: int) -> None:
        found[i] = bits([function(row) for row in np.roll(x, i, axis=0)])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = {i: bits([function(row) for row in np.roll(x, i, axis=0)]) for i in range(6)}
    assert found == alone

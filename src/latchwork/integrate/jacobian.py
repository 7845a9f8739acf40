"""The Jacobian of a right-hand side, ``J = ∂ẋ/∂x``, as a program of its own, derived from the program of ẋ."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from latchwork.integrate.dense_output import Array
from latchwork.program.function import Executable, Function
from latchwork.program.ir import Program
from latchwork.program.lower import OPCODE_OF, lower
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE

LARGEST = 20_000  # operations of ẋ times states: beyond it, deriving J takes longer than the differences that it saves
HALF = 2.0**-26  # half of the digits: the step of a difference
OP_OF = {opcode: op for op, opcode in OPCODE_OF.items()}

_functions: WeakKeyDictionary[Function, Function] = WeakKeyDictionary()


def pays(program: Program) -> bool:
    """Whether the system is small enough; otherwise finite differences serve. Decided by counts."""
    return len(program) * len(program.outputs) <= LARGEST


def jacobian_function(function: Function) -> Function:
    """J, row by row, as a function of the inputs of ẋ; made once."""
    if function not in _functions:
        _functions[function] = Function(jacobian(function.program))
    return _functions[function]


def jacobian(program: Program) -> Program:
    """The program's rows as expressions, their derivatives along each state, and these as a program again."""
    g, n = Graph("right-hand side"), len(program.outputs)
    slot = [g.symbol(name, "auxiliary") for name in program.inputs]
    inputs = [Expr(g, node) for node in slot]
    slot += [g.constant(value) for value in program.constants]
    for opcode, *args in program.code.tolist():
        slot.append(g.make(OP_OF[opcode], tuple(slot[a] for a in args if a >= 0)))
    rates = [slot[i] for i in program.outputs]
    columns = [tangents(g, rates, {slot[1 + j]: ONE}) for j in range(n)]
    return lower(g, [columns[j][i] for i in range(n) for j in range(n)], inputs)


def differences(function: Executable, z: Array, n: int) -> Array:
    """J at one set of inputs by forward differences, (n, n); a state that nothing depends on has a column of zeros."""
    steps = HALF * np.maximum(1.0, np.abs(z[1 : 1 + n]))
    rows = np.tile(z, (n + 1, 1))
    rows[1:, 1 : 1 + n] += np.diag(steps)
    rates = function.many(rows)
    return np.asarray(((rates[1:] - rates[0]) / (np.diag(rows[1:, 1 : 1 + n]) - z[1 : 1 + n])[:, None]).T)


def evaluated(function: Function, z: Array, n: int) -> Array:
    """J at one set of inputs, (n, n)."""
    return function(z).reshape(n, n)

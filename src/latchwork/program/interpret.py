"""The meaning of a Program. Every other executor is tested against this one, bit for bit."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from latchwork.errors import EvaluationError
from latchwork.program import scalar, sincos
from latchwork.program.elementary.functions import ELEMENTARY
from latchwork.program.ir import OPS, Program
from latchwork.program.kernel import divide, fabs, sqrt

PYTHON: dict[str, Callable[..., float]] = {
    "neg": operator.neg, "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": divide,
    "sqrt": sqrt, "sin": sincos.sin, "cos": sincos.cos, **ELEMENTARY, "abs": fabs, "sign": scalar.sign,
    "min": scalar.minimum, "max": scalar.maximum, "lt": scalar.less, "le": scalar.less_equal, "eq": scalar.equal,
    "select": scalar.select,
}  # fmt: skip


def evaluate(program: Program, x: Sequence[float]) -> list[float]:
    """The outputs of a program for the inputs x."""
    if len(x) != len(program.inputs):
        raise EvaluationError(f"{len(x)} numbers were given for {len(program.inputs)} inputs. Give one for each.")
    return results(program, [*map(float, x), *program.constants], PYTHON)


def results(program: Program, first: Sequence[Any], table: Mapping[str, Callable[..., Any]]) -> list[Any]:
    """The outputs, given the slots of inputs and constants and a table of the operations, on numbers or on others."""
    slot = list(first)
    for opcode, *args in program.code.tolist():
        op = OPS[opcode]
        slot.append(table[op.name](*(slot[i] for i in args[: op.arity])))
    return [slot[i] for i in program.outputs]

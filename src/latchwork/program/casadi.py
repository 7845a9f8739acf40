"""Programs as CasADi functions. CasADi is an optional extra; it is imported when a program is handed to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from latchwork.program.interpret import results
from latchwork.program.ir import OPS, Program
from latchwork.program.naming import Group

# Where CasADi calls an operation otherwise than we do.
NAMES = {"abs": "fabs", "min": "fmin", "max": "fmax"}
OPERATORS: dict[str, Callable[..., Any]] = {
    "neg": lambda a: -a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "pow": lambda a, b: a**b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
}  # fmt: skip


def casadi_function(name: str, program: Program, groups: Sequence[Group]) -> Any:
    """A ``casadi.Function`` of the groups, which gives one column."""
    import casadi

    table: dict[str, Any] = {op.name: getattr(casadi, NAMES.get(op.name, op.name), None) for op in OPS}
    table |= OPERATORS
    table["select"] = lambda c, a, b: casadi.if_else(c != 0, a, b)
    symbols = [casadi.SX.sym(group.letter, len(group.names)) for group in groups]
    entries = [column[i] for column, group in zip(symbols, groups, strict=True) for i in range(len(group.names))]
    constants = [casadi.SX(value) for value in program.constants]
    column = casadi.vertcat(*results(program, [*entries, *constants], table))
    return casadi.Function(name, symbols, [column], [group.letter for group in groups], [name])

"""A step of a Runge-Kutta method as one Program: the stages of `step.step`, written out, with the same bits.

Inputs are ``(t, h, end, x, k_0, rest)``, where k_0 = ẋ at x; outputs are the new state and its derivative. Compiled,
a step is then one call; over lanes, one call for several instances.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from latchwork.integrate.tableau import Tableau
from latchwork.program.function import Function
from latchwork.program.ir import OPCODE, Program

SHARED = 3  # t, h and end come first
LONGEST = 5_000  # operations of a step: beyond it, code written out four times is no faster than a loop over the stages
ADD, MUL = OPCODE["add"], OPCODE["mul"]

_functions: WeakKeyDictionary[Function, dict[str, Function]] = WeakKeyDictionary()  # by the name of the method


def pays(program: Program, tableau: Tableau) -> bool:
    """Whether a step is short enough to be written out."""
    return len(program) * (tableau.stages - 1) <= LONGEST


def fused_function(function: Function, tableau: Tableau) -> Function:
    """The fused step of a function, made once."""
    known = _functions.setdefault(function, {})
    if tableau.name not in known:
        known[tableau.name] = Function(fused(function.program, tableau))
    return known[tableau.name]


def fused(program: Program, tableau: Tableau) -> Program:
    """One step for a program with inputs (t, x, rest) and outputs ẋ."""
    return _Step(program, tableau).program()


class _Step:
    """The rows of a step while they are written."""

    def __init__(self, program: Program, tableau: Tableau) -> None:
        self.inner, self.tableau, self.n = program, tableau, len(program.outputs)
        names, n = program.inputs, self.n
        rates = tuple(f"dt({name})" for name in names[1 : 1 + n])
        self.inputs = ("t", "h", "end", *names[1 : 1 + n], *rates, *names[1 + n :])
        weights = sorted({float(value) for row in (*tableau.A, tableau.c) for value in row})
        self.constants = (*program.constants, *weights)
        first = len(self.inputs) + len(program.constants)
        self.weight = {value: first + i for i, value in enumerate(weights)}
        self.rows: dict[tuple[int, ...], int] = {}

    def emit(self, *row: int) -> int:
        """The slot of an operation. What all stages share, such as products of parameters, is written once."""
        return self.rows.setdefault(row, len(self.inputs) + len(self.constants) + len(self.rows))

    def program(self) -> Program:
        """ModeDynamics after stage; the argument of the last is the new state."""
        n, x = self.n, list(range(SHARED, SHARED + self.n))
        k = [list(range(SHARED + n, SHARED + 2 * n))]
        for row, c in zip(self.tableau.A[1:], self.tableau.c[1:], strict=True):
            state = [self.state(x[i], [float(a) for a in row], [stage[i] for stage in k]) for i in range(n)]
            k.append(self.inline(self.time(float(c)), state))
        code = np.array(list(self.rows), dtype=np.int32).reshape(-1, 4)
        return Program(self.inputs, self.constants, code, (*state, *k[-1]))

    def time(self, c: float) -> int:
        """``t + c h``, or the end where c is one."""
        return 2 if c == 1.0 else self.emit(ADD, 0, self.emit(MUL, self.weight[c], 1, -1), -1)

    def state(self, x: int, row: list[float], k: list[int]) -> int:
        """``x + h Σ_j a_j k_j``, summed as in `step.combine`: in order, over the stages that have a weight."""
        weighed = [(a, stage) for a, stage in zip(row, k, strict=True) if a != 0.0]
        total, *more = (stage if a == 1.0 else self.emit(MUL, self.weight[a], stage, -1) for a, stage in weighed)
        for term in more:
            total = self.emit(ADD, total, term, -1)
        return self.emit(ADD, x, self.emit(MUL, 1, total, -1), -1)

    def inline(self, t: int, state: list[int]) -> list[int]:
        """The rows of the program for one stage; the slots of its outputs."""
        rest = range(SHARED + 2 * self.n, len(self.inputs) + len(self.inner.constants))
        slot = {i: new for i, new in enumerate([t, *state, *rest])} | {-1: -1}
        for i, (opcode, *args) in enumerate(self.inner.code.tolist(), self.inner.first):
            slot[i] = self.emit(opcode, *(slot[arg] for arg in args))
        return [slot[i] for i in self.inner.outputs]

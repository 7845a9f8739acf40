"""Linking: programs that were lowered apart as one, without another look at the graph.

What two of them have in common is computed twice; every output has the bits it had. `Linked` links bytecode, which is
quicker; the program itself is made where it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import ProgramError
from latchwork.program.function import Function
from latchwork.program.ir import Program
from latchwork.program.kernel import f64p, f64p_at, i32p, i32p_at, i64, i64p, kernel, offset
from latchwork.program.native import address, briefly, native, together
from latchwork.program.vm import HEADER, run

MOVE = 5  # numbers for each program: its operations, its inputs, its first operation, and where constants and those go


@kernel
def moved(slot: i64, given: i64, own: i64, constants: i64, operations: i64) -> i64:
    """Where a slot of a program is once constants and operations have moved; inputs, and none, stay."""
    if slot >= own:
        return slot - own + operations
    return slot - given + constants if slot >= given else slot


@kernel
def move_each(parts: i64, moves: i64p, code: i32p) -> None:
    """Move the slots that the operations of several programs read, one program after the other."""
    row = 0
    for part in range(parts):
        m = offset(moves, MOVE * part)
        for i in range(row, row + m[0]):
            for column in range(1, 4):
                code[4 * i + column] = moved(code[4 * i + column], m[1], m[2], m[3], m[4])
        row += m[0]


@kernel
def join(parts: i64, inputs: i64, table: i64p, code: i32p, constants: f64p) -> None:
    """Bytecode and constants of several programs, whose addresses are in a table, as those of one: see `Linked`."""
    operations, first, outputs = 0, inputs, 0
    for part in range(parts):
        head = i32p_at(table[2 * part])
        operations += head[0]
        first += head[1] - head[3]
        outputs += head[2]
    code[0], code[1], code[2], code[3] = operations, first, outputs, inputs
    constant, operation, spare, row = inputs, first, first + operations, HEADER
    half = HEADER + 4 * operations
    rest = half + outputs // 2
    for part in range(parts):
        head, own_constants = i32p_at(table[2 * part]), f64p_at(table[2 * part + 1])
        count, own, width, taken = head[0], head[1], head[2], head[3]
        rows = offset(head, HEADER)
        for i in range(count):
            code[row] = rows[4 * i]
            for column in range(1, 4):
                slot = rows[4 * i + column]
                code[row + column] = spare if slot == own + count else moved(slot, taken, own, constant, operation)
            row += 4
        for j in range(width):
            slot = moved(rows[4 * count + j], taken, own, constant, operation)
            if j < width // 2:
                code[half] = slot
                half += 1
            else:
                code[rest] = slot
                rest += 1
        for j in range(own - taken):
            constants[constant - inputs + j] = own_constants[j]
        constant, operation = constant + own - taken, operation + count


together(move_each, join)


class Linked(Function):
    """Functions of inputs that are the first of ``inputs``, one after the other, as one.

    Each gives as many values as rates; together they give all values, then all rates. ``fit``: inputs are known to fit.
    """

    def __init__(self, parts: Sequence[Function], inputs: tuple[str, ...], fit: bool = False) -> None:
        if not fit:
            _must_fit(parts, inputs)
        self.parts, self.inputs, self.executor = tuple(parts), inputs, run
        length, first, width = 0, len(inputs), 0
        for part in parts:
            length += part.length
            first += part.first - len(part.inputs)
            width += part.width
        self._begin(length, first, width)

    def put(self, code: int, constants: int) -> None:
        table = np.array([at for part in self.parts for at in part.where], dtype=np.int64)
        native(join).brief(len(self.parts), len(self.inputs), address(table), code, constants)

    @cached_property
    def _put(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        made = np.empty(self.words, dtype=np.int32), np.empty(self.first - len(self.inputs))
        self.put(address(made[0]), address(made[1]))
        made[0].setflags(write=False)
        return made

    @property
    def code(self) -> NDArray[np.int32]:
        return self._put[0]

    @property
    def constants(self) -> NDArray[np.float64]:
        return self._put[1]

    @property
    def where(self) -> tuple[int, int]:
        return address(self.code), address(self.constants)

    @cached_property
    def program(self) -> Program:
        """What it computes."""
        made, at = linked([part.program for part in self.parts], self.inputs), 0
        values, rates = list[int](), list[int]()
        for part in self.parts:
            values += made.outputs[at : at + part.width // 2]
            rates += made.outputs[at + part.width // 2 : at + part.width]
            at += part.width
        return Program(made.inputs, made.constants, made.code, (*values, *rates), made.sound)


def _must_fit(parts: Sequence[Program] | Sequence[Function], inputs: tuple[str, ...]) -> None:
    for part in parts:
        if part.inputs != inputs[: len(part.inputs)]:
            raise ProgramError(f"A program of {part.inputs} cannot be linked where the inputs are {inputs}. Lower it "
                               "for these.")  # fmt: skip


def linked(parts: Sequence[Program], inputs: tuple[str, ...]) -> Program:
    """Programs of inputs that are the first of ``inputs``, one after the other; the outputs are those of all."""
    _must_fit(parts, inputs)
    constants = tuple([value for part in parts for value in part.constants])
    moves, outputs = list[int](), list[int]()
    constant, operation = len(inputs), len(inputs) + len(constants)
    for part in parts:
        move = len(part.inputs), part.first, constant, operation
        moves += len(part.code), *move
        outputs += [moved.function(slot, *move) for slot in part.outputs]
        constant, operation = constant + len(part.constants), operation + len(part.code)
    code = np.concatenate([part.code for part in parts])
    briefly(move_each, len(parts), np.array(moves, dtype=np.int64), code)
    code.setflags(write=False)
    return Program(inputs, constants, code, tuple(outputs), sound=all([part.sound for part in parts]))

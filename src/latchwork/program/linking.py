"""Linking: programs that were lowered apart as one, without another look at the graph.

What two of them have in common is computed twice; every output has the bits it had.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latchwork.errors import ProgramError
from latchwork.program.ir import Program
from latchwork.program.kernel import i32p, i64, i64p, kernel, offset
from latchwork.program.native import briefly, together

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


together(move_each)


def linked(parts: Sequence[Program], inputs: tuple[str, ...]) -> Program:
    """Programs of inputs that are the first of ``inputs``, one after the other; the outputs are those of all."""
    for part in parts:
        if part.inputs != inputs[: len(part.inputs)]:
            raise ProgramError(f"A program of {part.inputs} cannot be linked where the inputs are {inputs}. Lower it "
                               "for these.")  # fmt: skip
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

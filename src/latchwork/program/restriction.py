"""A program restricted to some of its outputs, as a function of the inputs that these need.

Programs that differ in nothing but where their inputs stand, as those of a hundred equal pairs of bodies, become one
and the same: it is compiled once, and each of them is a list of places to read from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.program.ir import Program


class Restriction(NamedTuple):
    """A program, and which inputs of the whole one its own are."""

    program: Program
    inputs: NDArray[np.int64]


def restricted(program: Program, outputs: Sequence[int]) -> Restriction:
    """Some of the outputs, by their numbers, with the inputs, constants and operations that lead to them."""
    n, first, code = len(program.inputs), program.first, program.code
    wanted = [program.outputs[i] for i in outputs]
    used = np.zeros(program.slots, dtype=bool)
    used[wanted] = True
    rows = code.tolist()
    for k in range(len(rows) - 1, -1, -1):
        if used[first + k]:
            for slot in rows[k][1:]:
                if slot >= 0:
                    used[slot] = True
    place = np.full(program.slots + 1, -1, dtype=np.int32)  # the last one stands for −1
    inputs, constants = np.flatnonzero(used[:n]), np.flatnonzero(used[n:first])
    place[:-1][used] = np.arange(np.count_nonzero(used), dtype=np.int32)
    kept = code[used[first:]].copy()
    kept[:, 1:] = place[kept[:, 1:]]
    names = tuple(f"x{i}" for i in range(len(inputs)))
    made = Program(names, tuple(program.constants[i] for i in constants.tolist()), kept,
                   tuple(place[wanted].tolist()))  # fmt: skip
    return Restriction(made, inputs.astype(np.int64))


def is_zero(program: Program, output: int) -> bool:
    """Whether an output is the constant zero."""
    at = program.outputs[output] - len(program.inputs)
    return 0 <= at < len(program.constants) and program.constants[at] == 0.0


"""Linking: programs that were lowered apart as one, without another look at the graph.

What two of them have in common is computed twice; every output has the bits it had.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain

import numpy as np

from latchwork.errors import ProgramError
from latchwork.program.ir import Program


def linked(parts: Sequence[Program], inputs: tuple[str, ...]) -> Program:
    """Programs of inputs that are the first of ``inputs``, one after the other; the outputs are those of all."""
    for part in parts:
        if part.inputs != inputs[: len(part.inputs)]:
            raise ProgramError(f"A program of {part.inputs} cannot be linked where the inputs are {inputs}. Lower it "
                               "for these.")  # fmt: skip
    constants = tuple(chain.from_iterable([part.constants for part in parts]))
    first = len(inputs) + len(constants)
    moves, outputs = [], list[int]()
    places = zip(accumulate([len(part.constants) for part in parts], initial=len(inputs)),
                 accumulate([len(part) for part in parts], initial=first), parts, strict=False)  # fmt: skip
    for constant, operation, part in places:
        given, own = len(part.inputs), part.first
        moves.append((given, own, constant - given, operation - own))
        outputs += [slot + (operation - own if slot >= own else constant - given if slot >= given else 0)
                    for slot in part.outputs]  # fmt: skip
    code = np.concatenate([part.code for part in parts])
    given, own, by_constants, by_operations = np.repeat(
        np.array(moves, dtype=np.int32), [len(part) for part in parts], axis=0
    ).T[:, :, None]
    slots = code[:, 1:]
    slots += np.where(slots >= own, by_operations, np.where(slots >= given, by_constants, np.int32(0)))
    code.setflags(write=False)
    return Program(inputs, constants, code, tuple(outputs), sound=all(part.sound for part in parts))

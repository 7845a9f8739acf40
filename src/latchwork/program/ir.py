"""Program: straight-line code over slots, frozen.

Slots are numbered: the inputs first, then the constants, then one slot per operation, in order. An operation is a row
``(opcode, a, b, c)`` of slots it reads, padded with −1. `interpret.evaluate` is what a program means.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import ProgramError
from latchwork.symbolic.traverse import Operations


class Op(NamedTuple):
    """An operation: how many slots it reads, what it counts as, how it prints."""

    name: str
    arity: int
    kind: str = "others"
    text: str = ""


OPS = (
    Op("neg", 1, "adds", "-{}"), Op("add", 2, "adds", "{} + {}"), Op("sub", 2, "adds", "{} - {}"),
    Op("mul", 2, "multiplies", "{} * {}"), Op("div", 2, "multiplies", "{} / {}"),
    Op("sqrt", 1), Op("exp", 1), Op("log", 1), Op("sin", 1, "trig"), Op("cos", 1, "trig"),
    Op("asin", 1), Op("acos", 1), Op("atan", 1), Op("sinh", 1), Op("cosh", 1), Op("tanh", 1),
    Op("asinh", 1), Op("acosh", 1), Op("atanh", 1), Op("atan2", 2), Op("pow", 2),
    Op("abs", 1), Op("sign", 1), Op("min", 2), Op("max", 2),
    Op("lt", 2, text="{} < {}"), Op("le", 2, text="{} <= {}"), Op("eq", 2, text="{} == {}"), Op("select", 3),
)  # fmt: skip
OPCODE = {op.name: code for code, op in enumerate(OPS)}
LEAST = np.array([[0 if i < op.arity else -1 for i in range(3)] for op in OPS], dtype=np.int32)  # of what it reads


@dataclass(frozen=True, eq=False)
class Program:
    """Straight-line code: names of inputs, constants, rows of operations, slots that are outputs."""

    inputs: tuple[str, ...]
    constants: tuple[float, ...]
    code: NDArray[np.int32]  # (operations, 4), read-only
    outputs: tuple[int, ...]
    sound: bool = field(default=False, repr=False)  # correct by construction: `check` has nothing to look for

    def __post_init__(self) -> None:
        code = self.code.copy() if self.code.flags.writeable else self.code
        code.setflags(write=False)
        object.__setattr__(self, "code", code)

    def __len__(self) -> int:
        return len(self.code)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @cached_property
    def first(self) -> int:
        """The slot of the first operation."""
        return len(self.inputs) + len(self.constants)

    @cached_property
    def slots(self) -> int:
        """How many slots there are."""
        return self.first + len(self)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the content; equal programs have equal fingerprints, in every process."""
        names = repr((*map(str, self.inputs), *self.code.shape, *map(int, self.outputs))).encode()
        numbers = np.array(self.constants, dtype="<f8").tobytes()
        return hashlib.sha256(b"\0".join([names, numbers, self.code.astype("<i4").tobytes()])).hexdigest()

    @cached_property
    def counts(self) -> Operations:
        """Operations by kind."""
        total = dict.fromkeys(("multiplies", "adds", "trig", "others"), 0)
        for op, times in zip(OPS, np.bincount(self.code[:, 0], minlength=len(OPS)).tolist(), strict=True):
            total[op.kind] += times
        return Operations(**total)

    def listing(self) -> str:
        """The program to read, one operation per line: ``z7 = z3 * u1``."""
        names = [*self.inputs, *map(repr, self.constants), *(f"z{i + 1}" for i in range(len(self)))]
        lines = []
        for name, (opcode, *args) in zip(names[self.first :], self.code.tolist(), strict=True):
            op = OPS[opcode]
            text = op.text or f"{op.name}({', '.join(['{}'] * op.arity)})"
            lines.append(f"{name} = " + text.format(*(names[i] for i in args[: op.arity])))
        return "\n".join([*lines, "return " + ", ".join(names[i] for i in self.outputs)])


def check(program: Program) -> Program:
    """The program itself, once every rule of its form holds."""
    if program.sound:
        return program
    _check_names(program)
    _check_shape(program)
    _check_rows(program)
    slots = program.slots
    for i, slot in enumerate(program.outputs):
        if not 0 <= slot < slots:
            raise ProgramError(f"Output {i} reads slot {slot}, but the last is {slots - 1}. Compute it first.")
    return program


def _check_names(program: Program) -> None:
    """Input names are distinct and not empty; constants are floats."""
    if not all(isinstance(name, str) and name for name in program.inputs):
        raise ProgramError(f"An input of {program.inputs!r} has no name. Give each a name of its own.")
    if len(set(program.inputs)) != len(program.inputs):
        twice = next(name for name in program.inputs if program.inputs.count(name) > 1)
        raise ProgramError(f"Two inputs are called '{twice}'. Give each a name of its own.")
    for i, value in enumerate(program.constants):
        if not isinstance(value, float):
            raise ProgramError(f"Constant {i} is {value!r}, which is not a float. Convert it with float().")


def _check_shape(program: Program) -> None:
    """Code is an array of int32, four to a row."""
    code = program.code
    if code.dtype != np.int32 or code.ndim != 2 or code.shape[1] != 4:
        seen = f"{code.dtype} of shape {code.shape}"
        raise ProgramError(f"Code is {seen}, not int32 of shape (operations, 4). Build it with dtype=np.int32.")


def _check_rows(program: Program) -> None:
    """Known opcodes; operands defined before; padding −1."""
    opcode, args = program.code[:, 0], program.code[:, 1:]
    unknown = (opcode < 0) | (opcode >= len(OPS))
    if unknown.any():
        i = int(unknown.argmax())
        raise ProgramError(f"Operation {i} has opcode {opcode[i]}, but opcodes are 0 to {len(OPS) - 1}. See ir.OPS.")
    least, below = LEAST[opcode], np.arange(program.first, program.slots, dtype=np.int32)[:, None]
    wrong = (args < least) | (args >= np.where(least, 0, below))
    if wrong.any():
        i = int(wrong.any(axis=1).argmax())
        op, seen = OPS[opcode[i]], args[i].tolist()
        raise ProgramError(
            f"Operation {i} ('{op.name}') reads slots {seen}: it needs {op.arity} below {program.first + i}, then -1 "
            "as padding. Put what it reads before it."
        )

"""Random programs with every operation, at numbers of every kind: what the executors are compared on."""

from __future__ import annotations

import math

import numpy as np

from latchwork.program.interpret import evaluate
from latchwork.program.ir import OPCODE, OPS, Program

SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.5, -2.5, math.inf, -math.inf, math.nan, 5e-324, -2.2e-308, 1e-310, 1e308, -1.7e308, 1e22,
    math.pi, -math.pi / 2, 700.0, 1e-9, 3.0,
]  # fmt: skip


def bits(values: object) -> list[int]:
    """The 64 bits of each number, with one nan for all."""
    array = np.array(values, dtype=float)
    array[np.isnan(array)] = np.nan
    return array.view(np.int64).ravel().tolist()


def program_of(inputs: str, constants: tuple[float, ...], rows: list[tuple], outputs: tuple[int, ...]) -> Program:
    """A program from rows of names and slots."""
    code = [[OPCODE[name], *slots, *[-1] * (3 - len(slots))] for name, *slots in rows]
    return Program(tuple(inputs.split()), constants, np.array(code, dtype=np.int32).reshape(-1, 4), outputs)


def random_program(seed: int, length: int = 120, inputs: int = 4) -> Program:
    """Every operation at least once, then any, on slots near and far; constants are special values."""
    rng = np.random.default_rng(seed)
    constants = tuple(float(SPECIAL[i]) for i in rng.integers(len(SPECIAL), size=3))
    first, rows = inputs + len(constants), []
    for i, opcode in enumerate([*rng.permutation(len(OPS)), *rng.integers(len(OPS), size=length - len(OPS))]):
        slots = rng.integers(first + i, size=OPS[opcode].arity).tolist()
        rows.append([opcode, *slots, *[-1] * (3 - len(slots))])
    outputs = tuple(range(first, first + length))
    return Program(tuple(f"x{i}" for i in range(inputs)), constants, np.array(rows, dtype=np.int32), outputs)


def random_inputs(seed: int, rows: int = 12, inputs: int = 4) -> np.ndarray:
    """Half special values, half numbers of every size."""
    rng = np.random.default_rng(seed + 10_000)
    any_size = rng.standard_normal((rows, inputs)) * 10.0 ** rng.integers(-12, 12, size=(rows, inputs))
    return np.where(rng.random((rows, inputs)) < 0.5, rng.choice(SPECIAL, size=(rows, inputs)), any_size)


def meaning(program: Program, x: np.ndarray) -> list[int]:
    """The bits of the interpreter for rows of inputs."""
    return bits([evaluate(program, row) for row in x.tolist()])

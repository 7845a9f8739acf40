"""Programs over lanes: several instances in one vector, several vectors in as many threads.

Each lane has the bits that its instance has alone. Numbers of one group of instances stand together: (input, lane).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError
from latchwork.program import vm
from latchwork.program.ir import Program, check
from latchwork.program.native import Native, invoke

LANES = 8
Array = NDArray[np.float64]
T = TypeVar("T")


class Lanes:
    """A program compiled over lanes: an executor whose first ``shared`` inputs are one number for all."""

    def __init__(self, program: Program, shared: int = 0, lanes: int = LANES) -> None:
        self.program, self.shared, self.lanes = check(program), shared, lanes
        self.code = np.array([0, 0, len(program.outputs) * lanes, 0], dtype=np.int32)  # all that `run_many` reads of it

    @cached_property
    def executor(self) -> Native:
        """The machine code, made at first need."""
        from latchwork.program import llvm

        return llvm.compiled(self.program, self.lanes, self.shared)

    def workspace(self) -> Array:
        """Slots for one group."""
        return np.zeros(self.shared + (self.program.slots + 1 - self.shared) * self.lanes)

    def many(self, x: ArrayLike, threads: int | None = None) -> Array:
        """One row of outputs for each row of inputs, where no input is shared."""
        rows = np.ascontiguousarray(x, dtype=np.float64)
        if self.shared or rows.ndim != 2 or rows.shape[1] != len(self.program.inputs):
            raise EvaluationError(
                f"Inputs of shape {rows.shape} do not fit, {self.shared} of them shared. Give rows of "
                f"{len(self.program.inputs)} numbers: {', '.join(self.program.inputs)}."
            )
        groups = grouped(rows, self.lanes)
        out = np.empty((len(groups), len(self.program.outputs), self.lanes))
        parallel(lambda part: self._run(groups[part], out[part]), shares(len(groups), threads), threads)
        return separate(out, len(rows))

    def _run(self, groups: Array, out: Array) -> None:
        k, n = len(groups), groups[0].size if len(groups) else 0
        invoke(vm.run_many, self.executor, k, n, self.code, groups, self.workspace(), out)


def grouped(rows: Array, lanes: int) -> Array:
    """Rows (instance, input) as groups (group, input, lane); the last instance fills what is left of its group."""
    count = -(-len(rows) // lanes) * lanes
    filled = rows[np.minimum(np.arange(count), len(rows) - 1)] if len(rows) else rows
    return np.ascontiguousarray(filled.reshape(-1, lanes, rows.shape[1]).transpose(0, 2, 1))


def separate(groups: Array, count: int) -> Array:
    """Groups (group, output, lane) as rows (instance, output), without the filling."""
    return np.ascontiguousarray(groups.transpose(0, 2, 1).reshape(-1, groups.shape[1])[:count])


def shares(count: int, threads: int | None = None, most: int = 2**62) -> list[slice]:
    """0 to count in even parts: one or more for each thread, none longer than ``most``."""
    workers = threads or os.cpu_count() or 1
    size = max(1, min(most, -(-count // workers)))
    return [slice(i, min(i + size, count)) for i in range(0, count, size)]


def parallel(work: Callable[[slice], T], parts: Iterable[slice], threads: int | None = None) -> list[T]:
    """The work on each part, in threads; machine code holds no lock, so they run on as many cores."""
    given = [(copy_context(), part) for part in parts]  # threads hear of what this one is told
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        return list(pool.map(lambda each: each[0].run(work, each[1]), given))

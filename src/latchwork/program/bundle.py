"""Bundle: several functions of the same inputs, evaluated in one call."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError
from latchwork.program.function import Function
from latchwork.program.kernel import bits, executor_at, f64p, i32p, i64, kernel, offset
from latchwork.program.native import Native, address, native

COUNT, INPUTS, FIRST = range(3)  # header; then, for each program, where its code, its slots and its outputs begin


@kernel
def run_each(code: i32p, z: f64p, out: f64p) -> None:
    """Run programs on the inputs in z, behind the addresses of their executors."""
    count, n = code[COUNT], code[INPUTS]
    for i in range(count):
        at = FIRST + 3 * i
        slots = offset(z, code[at + 1])
        for j in range(n):
            slots[j] = z[count + j]
        run = executor_at(bits(z[i]))
        run(offset(code, code[at]), slots, offset(out, code[at + 2]))


@kernel
def run_at(code: i32p, z: f64p, out: f64p, inputs: i64, x: f64p) -> None:
    """The same at x."""
    read = offset(z, code[COUNT])
    for i in range(inputs):
        read[i] = x[i]
    run_each(code, z, out)


class Bundle:
    """Functions of the same inputs. What it gives is written over by the next call; one thread at a time."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self.functions = tuple(functions)
        count, n = len(self.functions), len(self.functions[0].inputs) if functions else 0
        if any([len(f.inputs) != n for f in self.functions]):
            raise EvaluationError(
                f"a bundle takes functions of the same inputs; these have {[len(f.inputs) for f in self.functions]}. "
                "Lower them with the same arguments."
            )
        codes = _running(FIRST + 3 * count, [len(f.code) for f in self.functions])
        places = _running(count + n, [f.slots + 1 for f in self.functions])
        self.starts = _running(0, [f.width for f in self.functions])  # where the outputs of each begin
        head = [count, n, *itertools.chain(*zip(codes[:-1], places[:-1], self.starts[:-1], strict=True))]
        self._code = np.concatenate([np.array(head, dtype=np.int32), *[f.code for f in self.functions]])
        self._z = np.zeros(places[-1])
        for f, at in zip(self.functions, places, strict=False):
            self._z[at + n : at + f.first] = f.constants
        self.x, self.out = self._z[count : count + n], np.zeros(self.starts[-1])
        self._arrivals = -1
        self._call = native(run_each).brief
        self.addresses = address(self._code), address(self._z), address(self.out)  # what `run_each` takes
        self.ready()

    def __call__(self, x: ArrayLike) -> NDArray[np.float64]:
        """All outputs, function by function."""
        if self._arrivals != Function.arrivals:
            self.ready()
        self.x[:] = x
        self._call(*self.addresses)
        return self.out

    def ready(self) -> None:
        """Take machine code that has arrived."""
        if self._arrivals != Function.arrivals:
            self._arrivals, runs = Function.arrivals, [f.executor for f in self.functions]
            self._z.view(np.int64)[: len(runs)] = [(r if isinstance(r, Native) else native(r)).address for r in runs]


def _running(first: int, sizes: Sequence[int]) -> list[int]:
    return list(itertools.accumulate(sizes, initial=first))

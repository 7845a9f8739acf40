"""A program ready to be called with numbers."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError
from latchwork.program import vm
from latchwork.program.ir import Program, check
from latchwork.program.kernel import Kernel
from latchwork.program.native import Native, invoke, native


class Function:
    """A checked program with its bytecode, its slots, and what executes it. A lock keeps threads apart.

    ``executor`` is called as ``run(code, z, out)``: the bytecode machine, or machine code made for this program.
    """

    def __init__(self, program: Program, executor: Kernel[..., None] | Native = vm.run) -> None:
        self.program = check(program)
        self.code = vm.encode(program)
        self.executor = executor
        self._call = executor.function if isinstance(executor, Native) else native(executor).function
        self._lock = threading.Lock()
        self._z, self._out = self.workspace(), np.empty(len(program.outputs))
        self._x = self._z[: len(program.inputs)]
        self._addresses = (self.code.ctypes.data, self._z.ctypes.data, self._out.ctypes.data)

    def workspace(self) -> NDArray[np.float64]:
        """Fresh slots with the constants in place, and a spare one at the end."""
        z = np.zeros(self.program.slots + 1)
        z[len(self.program.inputs) : self.program.first] = self.program.constants
        return z

    def __call__(self, x: ArrayLike) -> NDArray[np.float64]:
        """The outputs for one set of inputs, as a new array."""
        if len(x) != len(self._x):  # type: ignore[arg-type]
            self._refuse(np.shape(x))
        with self._lock:
            self._x[:] = x
            self._call(*self._addresses)
            return self._out.copy()

    def many(self, x: ArrayLike) -> NDArray[np.float64]:
        """One row of outputs for each row of inputs."""
        rows = np.ascontiguousarray(x, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != len(self._x):
            self._refuse(rows.shape)
        k, n = rows.shape
        out, z = np.empty((k, len(self._out))), self.workspace()
        invoke(vm.run_many, self.executor, k, n, self.code, rows, z, out)
        return out

    def _refuse(self, shape: tuple[int, ...]) -> None:
        names = ", ".join(self.program.inputs)
        raise EvaluationError(f"Inputs of shape {shape} do not fit. Give {len(self._x)} numbers: {names}.")

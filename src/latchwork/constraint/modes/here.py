"""Here: a kernel of a mode at one state after another, with everything in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from latchwork.constraint.modes.mode import Mode
from latchwork.constraint.terms import Array
from latchwork.program.kernel import Kernel
from latchwork.program.native import Native, argument, native


class Here:
    """``kernel(*before, code, z, out)`` of a mode; its slots are as fresh at each call. One thread at a time."""

    def __init__(self, mode: Mode, kernel: Kernel[..., None] | Native, width: int,
                 before: tuple[Any, ...] = ()) -> None:  # fmt: skip
        self.mode, self.out = mode, np.zeros(width)
        self._z = mode.workspace()
        self._fresh, self._functions = self._z.copy(), mode.functions
        self._executors = [function.executor for function in self._functions]
        self._kernel, self._before = kernel, before
        self._given = before, mode.code
        self._call = kernel.brief if isinstance(kernel, Native) else native(kernel).brief
        self._arguments = [argument(item) for item in (*before, mode.code, self._z, self.out)]

    def __call__(self, t: float, x: Array, rest: Array) -> Array:
        """What the kernel gives at (t, x); written over by the next call."""
        z, n, held = self._z, 1 + len(x), len(rest)
        if [function.executor for function in self._functions] != self._executors:  # machine code has arrived
            self.__init__(self.mode, self._kernel, len(self.out), self._before)  # type: ignore[misc]
            z = self._z
        z[:] = self._fresh
        z[0], z[1:n], z[n : n + held] = t, x, rest
        self._call(*self._arguments)
        return self.out

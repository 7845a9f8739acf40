"""Here: kernels of a mode at one state after another, with everything in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from latchwork.constraint.modes.mode import Mode
from latchwork.constraint.terms import Array
from latchwork.program.function import Function
from latchwork.program.kernel import Kernel
from latchwork.program.native import argument, native

Ready = tuple[Callable[..., Any], list[Any], Array]


class Here:
    """``kernel(*before, code, z, out)`` of a mode; its slots are as fresh at each call. One thread at a time."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self._begin()

    def _begin(self) -> None:
        self._arrivals, self._fresh = Function.arrivals, self.mode.fresh()
        self._z = self._fresh.copy()
        self._ready: dict[Kernel[..., None], Ready] = {}

    def __call__(self, kernel: Kernel[..., None], width: int, t: float, x: Array, rest: Array, *before: Any) -> Array:
        """What a kernel gives at (t, x) in states of the mode; written over by its next call.

        ``x`` may be coordinates alone where speeds do not matter.
        """
        call, arguments, out = self.ready(kernel, width, *before)
        z, first = self._z, 1 + self.mode.states
        z[:] = self._fresh
        z[0], z[1 : 1 + len(x)], z[first : first + len(rest)] = t, x, rest
        call(*arguments)
        return out

    def ready(self, kernel: Kernel[..., None], width: int, *before: Any) -> Ready:
        """How a kernel is called, and where it writes."""
        if self._arrivals != Function.arrivals:  # machine code has arrived
            self._begin()
        known = self._ready.get(kernel)
        if known is None:
            out = np.zeros(width)
            given = [argument(item) for item in (*before, self.mode.code, self._z, out)]
            known = self._ready[kernel] = native(kernel).brief, given, out
        return known

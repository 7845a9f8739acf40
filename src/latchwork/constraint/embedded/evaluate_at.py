"""Here: kernels of a mode at one state after another, with everything in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from latchwork.constraint.embedded.final_state import whole
from latchwork.constraint.embedded.mode import Mode
from latchwork.constraint.terms import Array
from latchwork.program.function import Function
from latchwork.program.kernel import Kernel
from latchwork.program.native import address, argument, native

Ready = tuple[Callable[..., Any], list[Any], Array]


class Here:
    """``kernel(code, z, out)`` of a mode; its slots are as fresh at each call. One thread at a time."""

    def __init__(self, mode: Mode) -> None:
        self.mode, self._whole = mode, native(whole).brief
        self._begin()

    def _begin(self) -> None:
        self._arrivals, self._fresh = Function.arrivals, self.mode.fresh()
        self._z = self._fresh.copy()
        self._ready: dict[Kernel[..., None], Ready] = {}
        self._end: tuple[Any, ...] | None = None

    def __call__(self, kernel: Kernel[..., None], width: int, t: float, x: Array, rest: Array) -> Array:
        """What a kernel gives at (t, x) in states of the mode; written over by its next call.

        ``x`` may be coordinates alone where speeds do not matter.
        """
        call, arguments, out = self._ready_for(kernel, width)
        z, first = self._z, 1 + self.mode.states
        z[:] = self._fresh
        z[0], z[1 : 1 + len(x)], z[first : first + len(rest)] = t, x, rest
        call(*arguments)
        return out

    def whole(self, t: float, x: Array, rest: Array) -> tuple[Array, bool]:
        """(q, u, work) from states x, and whether they surely belong to the mode."""
        given = self.get_ready()
        full = np.empty(given[-2] + given[-1] + 1)
        full[-1] = x[-1]
        belongs = self._whole(*given, t, address(x), len(rest), address(rest), address(full))
        return full, belongs == 1

    def get_ready(self) -> tuple[Any, ...]:
        """Make now what `whole` needs."""
        if self._arrivals != Function.arrivals:
            self._begin()
        if self._end is None:
            mode, (n_q, n_u, _) = self.mode, self.mode.terms.sizes
            n = mode.states
            self._out = np.zeros(n + 3 + 2 * n_u)
            self._end = (*map(argument, (mode.expander, mode.code, self._z, self._fresh)), len(self._z),
                         address(self._out), n, n_q, n_u)  # fmt: skip
        return self._end

    def _ready_for(self, kernel: Kernel[..., None], width: int) -> Ready:
        """How a kernel is called, and where it writes."""
        if self._arrivals != Function.arrivals:  # machine code has arrived
            self._begin()
        known = self._ready.get(kernel)
        if known is None:
            out = np.zeros(width)
            given = [address(item) for item in (self.mode.code, self._z, out)]
            known = self._ready[kernel] = native(kernel).brief, given, out
        return known

"""Memory: arrays that the runs of one stage use one after the other, and kernels that know their addresses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.program.function import Executable
from latchwork.program.kernel import Kernel
from latchwork.program.native import Caller, address

Array = NDArray[np.float64]
Shape = int | tuple[int, ...]


class Memory:
    """For one run at a time. What is in an array when it is asked for again is what was left there.

    Stages of which one runs at a time may share their arrays, and what runs kernels on them; not the slots of their
    functions.
    """

    def __init__(self, shared: Memory | None = None) -> None:
        self._arrays: dict[Any, NDArray[Any]] = {} if shared is None else shared._arrays
        self._addresses: dict[int, int] = {} if shared is None else shared._addresses  # of these arrays
        self._callers: dict[tuple[Kernel[..., Any], bool], Caller] = {} if shared is None else shared._callers
        self._slots: dict[str, tuple[Executable, Array]] = {}

    def room(self, name: str, shape: Shape, kind: Any = np.float64) -> NDArray[Any]:
        """An array of this shape; of zeros the first time."""
        found = self._arrays.get((name, shape))
        if found is None:
            found = self._arrays[name, shape] = np.zeros(shape, dtype=kind)
            self._addresses[id(found)] = address(found)
        return found

    def slots(self, name: str, function: Executable) -> Array:
        """The slots of a function, as fresh as those of `workspace`, but for inputs and intermediate results."""
        known = self._slots.get(name)
        if known is None or known[0] is not function:
            known = self._slots[name] = function, function.workspace()
        else:
            function.refill(known[1])
        return known[1]

    def caller(self, kernel: Kernel[..., Any], brief: bool) -> Caller:
        """What runs a kernel; ``brief`` as `native.briefly`."""
        found = self._callers.get((kernel, brief))
        if found is None:
            found = self._callers[kernel, brief] = Caller(kernel, brief, self._addresses)
        return found

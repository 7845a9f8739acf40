"""Memory: arrays that the runs of one stage use one after the other, and kernels that know their addresses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.program.function import Executable
from latchwork.program.kernel import Kernel
from latchwork.program.native import Caller

Array = NDArray[np.float64]
Shape = int | tuple[int, ...]


class Memory:
    """For one run at a time. What is in an array when it is asked for again is what was left there."""

    def __init__(self) -> None:
        self._arrays: dict[Any, NDArray[Any]] = {}
        self._slots: dict[str, tuple[Executable, Array]] = {}
        self._callers: dict[tuple[Kernel[..., Any], bool], Caller] = {}

    def room(self, name: Any, shape: Shape, kind: Any = np.float64) -> NDArray[Any]:
        """An array of this shape; of zeros the first time."""
        found = self._arrays.get(name)
        if found is None or found.shape != (shape if isinstance(shape, tuple) else (shape,)):
            found = self._arrays[name] = np.zeros(shape, dtype=kind)
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
            found = self._callers[kernel, brief] = Caller(kernel, brief)
        return found

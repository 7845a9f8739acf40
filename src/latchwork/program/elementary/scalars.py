"""Elementary functions for code in Python, as machine code: the bits of the kernels in a third of a microsecond.

Python's ``math`` and NumPy call the platform's library, whose last digits differ from machine to machine; nothing that
a run's numbers depend on calls those.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from latchwork.program import sincos
from latchwork.program.elementary.functions import ELEMENTARY
from latchwork.program.kernel import Kernel
from latchwork.program.native import native, together


def _scalar(kernel: Kernel[..., Any]) -> Callable[..., float]:
    """A kernel of numbers as a function of numbers."""

    def function(*x: float) -> float:
        value: float = native(kernel).brief(*x)
        return value

    return function


together(sincos.sin, sincos.cos, *ELEMENTARY.values())
sin, cos = _scalar(sincos.sin), _scalar(sincos.cos)
exp, log, pow, atan2 = (_scalar(ELEMENTARY[name]) for name in ("exp", "log", "pow", "atan2"))


def get_ready() -> None:
    """Make the machine code now, not at the first call."""
    native(sincos.sin)

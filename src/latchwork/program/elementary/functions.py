"""The table of elementary functions: what an operation of that name is in every executor."""

from __future__ import annotations

from typing import Any

from latchwork.program.elementary.exponential import exp
from latchwork.program.elementary.hyperbolic import cosh, sinh, tanh
from latchwork.program.elementary.inverse_hyperbolic import acosh, asinh, atanh
from latchwork.program.elementary.inverse_trigonometric import acos, asin, atan, atan2
from latchwork.program.elementary.logarithm import log
from latchwork.program.elementary.power import pow
from latchwork.program.kernel import Kernel

ELEMENTARY: dict[str, Kernel[..., Any]] = {
    "exp": exp, "log": log, "pow": pow,
    "asin": asin, "acos": acos, "atan": atan, "atan2": atan2,
    "sinh": sinh, "cosh": cosh, "tanh": tanh, "asinh": asinh, "acosh": acosh, "atanh": atanh,
}  # fmt: skip

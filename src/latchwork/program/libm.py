"""The C library's transcendental functions, one pointer for every executor.

Python's ``math`` raises where IEEE 754 says inf or nan. These are the same functions of the platform's own library,
called through their addresses, from Python and from machine code alike: the same bits, and no exceptions.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass, field
from typing import Any

LIBRARIES = {"win32": ("ucrtbase",), "darwin": (None,)}  # None is what the process already has loaded
UNIX = (None, "libm.so.6", "libm.so")


@dataclass(frozen=True)
class Foreign:
    """A C function of ``arity`` doubles that returns a double."""

    name: str
    arity: int
    function: Any = field(repr=False, compare=False)

    @property
    def symbol(self) -> str:
        """The name in machine code, ours so that LLVM does not fold it with another library's digits."""
        return f"latchwork_{self.name}"

    @property
    def address(self) -> int:
        """Where the function starts."""
        return ctypes.cast(self.function, ctypes.c_void_p).value or 0

    def __call__(self, *args: float) -> float:
        return float(self.function(*args))


def _load(name: str, arity: int) -> Foreign:
    """Look the function up where the platform keeps it."""
    for library in LIBRARIES.get(sys.platform, UNIX):
        try:
            function = getattr(ctypes.CDLL(library), name)
        except (OSError, AttributeError):
            continue
        function.argtypes, function.restype = [ctypes.c_double] * arity, ctypes.c_double
        return Foreign(name, arity, function)
    raise ImportError(f"The C library of this platform ({sys.platform}) has no function '{name}'.")


exp = _load("exp", 1)
log = _load("log", 1)
asin = _load("asin", 1)
acos = _load("acos", 1)
atan = _load("atan", 1)
sinh = _load("sinh", 1)
cosh = _load("cosh", 1)
tanh = _load("tanh", 1)
asinh = _load("asinh", 1)
acosh = _load("acosh", 1)
atanh = _load("atanh", 1)
atan2 = _load("atan2", 2)
pow = _load("pow", 2)

FOREIGN = (exp, log, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, atan2, pow)

"""Kernels: functions in a small subset of Python that run as Python and as machine code, with the same bits.

    @kernel
    def dot(n: i64, a: f64p, b: f64p) -> f64:
        total = 0.0
        for i in range(n):
            total += a[i] * b[i]
        return total

    dot(3, a, b)                 # ordinary Python, NumPy arrays as pointers: the meaning
    native(dot)                  # the same source as machine code (module `native`)

The language: assignments, ``while``, ``for i in range(...)``, ``if``, ``break``, ``continue``, ``return``, tuples as
results, subscripts, arithmetic, comparisons, calls of kernels and of the intrinsics below, and, as constants, numbers
and tuples of numbers of a module, and members of an `IntEnum`. A variable has one type. Anything else is refused.

Three rules keep both runs equal. Division is written ``divide(a, b)``, since ``/`` raises on zero in Python. Integers
must stay within 64 bits, since Python's do not wrap. ``int(x)`` needs a finite x within 64 bits.
"""

from __future__ import annotations

import ctypes
import math
import struct
import time
from array import array
from collections.abc import Callable
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import ProgramError

f64: TypeAlias = float
i64: TypeAlias = int
f64p: TypeAlias = NDArray[np.float64]
i64p: TypeAlias = NDArray[np.int64]
i32p: TypeAlias = NDArray[np.int32]
executor: TypeAlias = Callable[[i32p, f64p, f64p], None]  # runs bytecode on slots, writes the outputs
solver: TypeAlias = Callable[[i64, i64, f64p, f64p, f64p, f64p, f64p, f64p, f64p, f64p, f64p], None]
routine: TypeAlias = Callable[[i64p], i64]  # a kernel that takes its arguments as words, see `native.Native.packed`

P = ParamSpec("P")
R = TypeVar("R")


class Kernel(Generic[P, R]):
    """A function of the kernel language. Calling it runs its Python source."""

    def __init__(self, function: Callable[P, R]) -> None:
        self.function = function
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*map(_pointer, args), **kwargs)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


def _pointer(argument: Any) -> Any:
    """Arrays as memoryviews, whose elements are Python's own floats and integers."""
    return argument.reshape(-1).data if isinstance(argument, np.ndarray) else argument


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Mark a function as a kernel; it is compiled when first asked for, never at import."""
    return Kernel(function)


def specialised(kernel: Kernel[P, R], module: str, name: str, **others: Kernel[..., Any]) -> Kernel[P, R]:
    """The same kernel in which ``others`` stand for those that it calls by these names, as another one, called so: an
    algorithm that takes kernels as arguments, which are known when it is compiled."""
    function: Any = kernel.function
    strange = others.keys() - {*function.__code__.co_names}
    if strange:
        raise ProgramError(f"Kernel '{kernel.name}' calls no {', '.join(sorted(strange))}. Name kernels that it calls.")
    made = FunctionType(function.__code__, {**function.__globals__, **others}, name)
    made.__module__, made.__qualname__ = module, name
    made.__annotations__, made.__doc__ = function.__annotations__, function.__doc__
    return Kernel(made)


def offset(p: Any, i: int) -> Any:
    """``p + i``: the pointer i elements further on."""
    return p[i:]


def divide(a: float, b: float) -> float:
    """``a / b`` of IEEE 754: x/0 = ±inf, 0/0 = nan."""
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a or b != b:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def sqrt(x: float) -> float:
    """``√x`` of IEEE 754: nan below zero, √−0 = −0."""
    return math.sqrt(x) if x >= 0.0 else math.nan


def floor(x: float) -> float:
    """The largest integer not above x, as a float; keeps the sign of zero."""
    return math.copysign(float(math.floor(x)), x) if math.fabs(x) < 2.0**52 else x


def fabs(x: float) -> float:
    """``|x|``: the sign bit cleared."""
    return math.fabs(x)


def copysign(x: float, sign: float) -> float:
    """``|x|`` with the sign bit of ``sign``."""
    return math.copysign(x, sign)


def bits(x: float) -> int:
    """The 64 bits of a double as a signed integer."""
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


def from_bits(i: int) -> float:
    """The double whose 64 bits are i."""
    return float(struct.unpack("<d", struct.pack("<q", i))[0])


PACKED = "packed."  # in front of the name of a kernel that takes words
UNBOUNDED_LENGTH = 2**40  # elements behind an address, as far as Python is concerned
_executors: dict[int, Any] = {}  # kernels by the address of their machine code


def executor_at(address: int) -> Any:
    """The executor whose machine code is at an address; as Python, the kernel it was made from."""
    return _executors[address]


def solver_at(address: int) -> Any:
    """The solver whose machine code is at an address: n, m, and nine arrays (`constraint.designs.designs`)."""
    return _executors[address]


def routine_at(address: int) -> Any:
    """The routine whose machine code is at an address; it is called there, as Python too."""
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(address)
    return lambda words: call(ctypes.addressof(ctypes.c_char.from_buffer(words)))


def f64p_at(address: int) -> Any:
    """The doubles at an address."""
    return memoryview((ctypes.c_double * UNBOUNDED_LENGTH).from_address(address)).cast("B").cast("d")


def i64p_at(address: int) -> Any:
    """The integers at an address."""
    return memoryview((ctypes.c_int64 * UNBOUNDED_LENGTH).from_address(address)).cast("B").cast("q")


def i32p_at(address: int) -> Any:
    """The short integers at an address."""
    return memoryview((ctypes.c_int32 * UNBOUNDED_LENGTH).from_address(address)).cast("B").cast("i")


def counter() -> int:
    """A count that grows evenly with time, to tell parts of a call from each other; always 0 where there is none."""
    return time.perf_counter_ns()


def local_f64(n: int) -> Any:
    """n doubles of scratch, undefined until written; n is a constant."""
    return memoryview(array("d", [math.nan] * n))


def local_i64(n: int) -> Any:
    """n integers of scratch, undefined until written; n is a constant."""
    return memoryview(array("q", [-(2**62)] * n))

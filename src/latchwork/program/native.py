"""Machine code from kernels, made when first asked for and kept.

``native(kernel)`` is a C function; pointers are addresses. A call releases Python's lock, so runs go in parallel.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from latchwork.program.kernel import Kernel, _executors
from latchwork.program.machine import link, object_code

CTYPES: dict[str, Any] = {"f64": ctypes.c_double, "i64": ctypes.c_int64}  # everything else is an address
_lock = threading.Lock()
_known: dict[Kernel[..., Any], Native] = {}
_groups: dict[Kernel[..., Any], tuple[Kernel[..., Any], ...]] = {}


@dataclass(frozen=True)
class Native:
    """Machine code of this process: its address, a C function to call it by, and the engine that owns it."""

    name: str
    address: int
    function: Callable[..., Any]
    engine: Any = field(repr=False, compare=False)

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


def native(kernel: Kernel[..., Any]) -> Native:
    """The machine code of a kernel that gives nothing or one number, and of its group."""
    found = _known.get(kernel)
    if found is None:
        with _lock:
            missing = [item for item in _groups.get(kernel, (kernel,)) if item not in _known]
            if missing:
                _build(missing)
        found = _known[kernel]
    return found


def together(*kernels: Kernel[..., Any]) -> None:
    """Say that these kernels are used together: where one is asked for, all are compiled, in one go."""
    _groups.update(dict.fromkeys(kernels, kernels))


def _build(kernels: list[Kernel[..., Any]]) -> None:
    """Compile a module with these kernels in front; the compiler itself is imported here, at first need."""
    from latchwork.program.codegen.emit import emit

    module = emit(kernels)
    outside = {function.symbol: function.address for function in module.foreign.values()}
    linked = link(object_code(str(module)), [kernel.name for kernel in kernels], outside)
    for kernel, address in zip(kernels, linked.addresses, strict=True):
        form = module.kernels[kernel]
        kinds = [CTYPES.get(kind, ctypes.c_void_p) for _, kind in form.parameters]
        result = CTYPES[form.results[0]] if form.results else None
        _executors[address] = kernel
        _known[kernel] = Native(kernel.name, address, ctypes.CFUNCTYPE(result, *kinds)(address), linked.engine)


def invoke(kernel: Kernel[..., Any], *args: Any) -> Any:
    """Run a kernel as machine code, on arrays, numbers and executors."""
    return native(kernel).function(*[_argument(arg) for arg in args])


def interpret(kernel: Kernel[..., Any], *args: Any) -> Any:
    """Run a kernel as Python, on the same arguments: the meaning of `invoke`."""
    return kernel(*args)


def _argument(arg: Any) -> Any:
    """Arrays, kernels and machine code by address; numbers as they are."""
    if isinstance(arg, np.ndarray):
        return arg.ctypes.data
    if isinstance(arg, Kernel):
        return native(arg).address
    return arg.address if isinstance(arg, Native) else arg

"""Machine code from kernels, made when first asked for and kept.

``native(kernel)`` is a C function; pointers are addresses. A call releases Python's lock, so runs go in parallel.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.program.kernel import PACKED, Kernel, _executors, bits
from latchwork.program.machine import LOOPS, PASSES, link, named_code, object_code
from latchwork.program.records.shape import Shape, shape_of
from latchwork.program.records.view import View, address_of
from latchwork.program.sources import HERE, digest

CTYPES: dict[str, Any] = {"f64": ctypes.c_double, "i64": ctypes.c_int64}  # everything else is an address
WORD: Any = ctypes.c_void_p if ctypes.sizeof(ctypes.c_void_p) == 8 else ctypes.c_int64  # passed in a third of the time
OURS = f"{__name__.partition('.')[0]}."  # how the names of our own kernels start
_lock = threading.Lock()
_known: dict[Kernel[..., Any], Native] = {}
_groups: dict[Kernel[..., Any], tuple[Kernel[..., Any], ...]] = {}
_looping: set[Kernel[..., Any]] = set()


@dataclass(frozen=True)
class Native:
    """Machine code of this process: its address, a C function to call it by, and the engine that owns it."""

    name: str
    address: int
    function: Callable[..., Any]
    engine: Any = field(repr=False, compare=False)
    brief: Callable[..., Any] = field(repr=False, compare=False)  # the same, which keeps Python's lock
    packed: int = 0  # the address of the same as a function of `words`

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


def together(*kernels: Kernel[..., Any], loops: bool = False) -> None:
    """Say that these kernels are used together: where one is asked for, all are compiled, in one go.

    Those that spend their time in ``loops`` over matrices are worth a longer compilation; their bits are the same.
    """
    _groups.update(dict.fromkeys(kernels, kernels))
    if loops:
        _looping.update(kernels)


def _build(kernels: list[Kernel[..., Any]]) -> None:
    """Compile a module with these kernels in front, or find it in the cache."""
    names = [kernel.name for kernel in kernels]
    linked = link(_code(kernels), [*names, *(PACKED + name for name in names)], {})
    for kernel, at, packed in zip(kernels, linked.addresses, linked.addresses[len(names) :], strict=False):
        *kinds, result = _types(kernel)
        _executors[at] = kernel
        calls = (make(result, *kinds)(at) for make in (ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE))
        _known[kernel] = Native(kernel.name, at, next(calls), linked.engine, next(calls), packed)


def _code(kernels: list[Kernel[..., Any]]) -> bytes:
    """Our own kernels are known by their sources, those of others by their text."""
    passes = LOOPS if _looping.issuperset(kernels) else PASSES
    if not all(kernel.name.startswith(OURS) for kernel in kernels):
        return object_code(_text(kernels), passes)
    names = [kernel.name for kernel in kernels] + [digest(folder) for folder in sorted(folders(kernels))]
    return named_code(" ".join(names), lambda: _text(kernels), passes)


def folders(kernels: Iterable[Kernel[..., Any]]) -> set[Path]:
    """The sources that kernels of ours are made from: the layers of all kernels that they call, each whole.

    And those of all records that they take or name, and of enumerations.
    """
    seen, left, shapes, enums = set[Kernel[..., Any]](), list(kernels), dict[str, Shape](), set[type]()
    while left:
        kernel = left.pop()
        if kernel not in seen:
            seen.add(kernel)
            names = {*kernel.function.__code__.co_names, *map(str, kernel.function.__annotations__.values())}
            used = [kernel.function.__globals__.get(name) for name in names]
            left += [item for item in used if isinstance(item, Kernel)]
            _take([shape for shape in map(shape_of, used) if shape], shapes)
            enums |= {item for item in used if isinstance(item, type) and issubclass(item, IntEnum)}
    files = [Path(kernel.function.__code__.co_filename).relative_to(HERE.parent) for kernel in seen]
    layers = {file.parts[0] for file in files} | {shape.module.split(".")[1] for shape in shapes.values()}
    layers |= {kind.__module__.split(".")[1] for kind in enums}
    return {HERE} | {HERE.parent / layer for layer in layers}


def _take(found: Iterable[Shape], shapes: dict[str, Shape]) -> None:
    """These shapes and their parts."""
    for shape in found:
        if shape.name not in shapes:
            shapes[shape.name] = shape
            _take(shape.parts, shapes)


def _text(kernels: list[Kernel[..., Any]]) -> str:
    """LLVM's text of some kernels; the translator is imported here, at first need."""
    from latchwork.program.codegen.emit import emit

    return str(emit(kernels))


def _types(kernel: Kernel[..., Any]) -> list[Any]:
    """The C types of a kernel's parameters, and of its result."""
    *kinds, result = kernel.function.__annotations__.values()
    given = CTYPES | {"i64": WORD}
    return [*(given.get(kind, ctypes.c_void_p) for kind in kinds), CTYPES.get(result)]


def _address(array: NDArray[Any]) -> int:
    """Where the numbers of an array are: the first field behind the head of the object."""
    return _at(id(array) + HEAD).value or 0


def _asked(array: NDArray[Any]) -> int:
    """The same, by asking the array, which takes eight times as long."""
    return int(array.ctypes.data)


_at = ctypes.c_void_p.from_address
HEAD = object.__basicsize__
_probe = np.zeros(3)
address = _address if sys.implementation.name == "cpython" and _address(_probe) == _asked(_probe) else _asked


def invoke(kernel: Kernel[..., Any], *args: Any) -> Any:
    """Run a kernel as machine code, on arrays, numbers and executors."""
    return native(kernel).function(*[argument(arg) for arg in args])


def briefly(kernel: Kernel[..., Any], *args: Any) -> Any:
    """As `invoke`, for what takes microseconds: Python's lock is kept, for to get it back may take much longer."""
    return native(kernel).brief(*[argument(arg) for arg in args])


def words(args: Iterable[Any]) -> NDArray[np.int64]:
    """Arguments one after the other in memory: numbers by their bits, all else by address."""
    given = [argument(arg) for arg in args]
    return np.array([bits(arg) if type(arg) is float else arg for arg in given], dtype=np.int64)


def entry(run: Kernel[..., Any] | Native) -> int:
    """The address of what runs something."""
    return run.address if type(run) is Native else native(run).address  # type: ignore[arg-type]


class Caller:
    """Runs one kernel as `invoke` does; the address of what was given before as well is not looked up again.

    ``addresses`` are those of arrays that stay alive, by `id`.
    """

    def __init__(self, kernel: Kernel[..., Any], brief: bool = False, addresses: dict[int, int] | None = None) -> None:
        made = native(kernel)
        self._function = made.brief if brief else made.function
        self._addresses = {} if addresses is None else addresses
        self._given: list[Any] = []
        self._known: list[Any] = []

    def __call__(self, *args: Any) -> Any:
        given, known, addresses = self._given, self._known, self._addresses
        if len(args) != len(given):
            given = self._given = [None] * len(args)
            known = self._known = list(args)
        for i, arg in enumerate(args):
            if arg is not given[i]:
                given[i] = arg
                known[i] = addresses.get(id(arg)) or argument(arg)
        return self._function(*known)


def interpret(kernel: Kernel[..., Any], *args: Any) -> Any:
    """Run a kernel as Python, on the same arguments: the meaning of `invoke`."""
    return kernel(*args)


def argument(arg: Any) -> Any:
    """Arrays, kernels and machine code by address; numbers as they are."""
    kind = type(arg)
    if kind is np.ndarray:
        return address(arg)
    if kind is int or kind is float:
        return arg
    if isinstance(arg, np.ndarray):
        return arg.ctypes.data
    if isinstance(arg, Kernel):
        return native(arg).address
    if isinstance(arg, View):
        return address_of(arg)
    return arg.address if isinstance(arg, Native) else arg

"""A program ready to be called with numbers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, Protocol
from weakref import ref

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError
from latchwork.program import tiers, vm
from latchwork.program.ir import Program, check
from latchwork.program.kernel import Kernel
from latchwork.program.native import Native, address, invoke, native


class Executable(Protocol):
    """What can be evaluated and stepped: ``executor(code, z, out)`` on slots z whose inputs come first."""

    @property
    def executor(self) -> Kernel[..., None] | Native:
        """What runs it."""
        ...

    @property
    def code(self) -> NDArray[np.int32]:
        """The integers that the executor reads."""
        ...

    @property
    def functions(self) -> tuple[Function, ...]:
        """The programs that it runs."""
        ...

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs."""
        ...

    @property
    def width(self) -> int:
        """How many outputs there are."""
        ...

    @property
    def length(self) -> int:
        """How many operations an evaluation takes, about."""
        ...

    def workspace(self) -> NDArray[np.float64]:
        """Fresh slots with everything but the inputs in place."""
        ...

    def refill(self, z: NDArray[np.float64]) -> None:
        """Slots that were used before as fresh ones, but for inputs and intermediate results."""
        ...

    def fresh(self) -> NDArray[np.float64]:
        """The slots that fresh ones are copies of."""
        ...

    def __call__(self, x: ArrayLike) -> NDArray[np.float64]:
        """The outputs for one set of inputs."""
        ...

    def many(self, x: ArrayLike) -> NDArray[np.float64]:
        """One row of outputs for each row of inputs."""
        ...

    def used(self, times: int) -> None:
        """Count evaluations."""
        ...


class Function:
    """A checked program with its bytecode, its slots, and what executes it. A lock keeps threads apart.

    ``executor`` is called as ``run(code, z, out)``: the bytecode machine, or machine code made for this program;
    ``entry`` is its address.
    """

    arrivals: ClassVar[int] = 0  # how often machine code has arrived, for any function
    record: Any = None  # what kernels call it by, where they do, and its address: see `evaluator`
    record_at: int = 0

    def __init__(self, program: Program, executor: Kernel[..., None] | Native = vm.run) -> None:
        self._program, self.executor = check(program), executor
        self.inputs = program.inputs
        self._take_over(vm.encode(program), np.array(program.constants, dtype=np.float64))

    def _take_over(self, code: NDArray[np.int32], constants: NDArray[np.float64]) -> None:
        """Bytecode, whose header says the sizes, and constants."""
        self._code, self._constants = code, constants
        self._where = address(code), address(constants)
        length, first, width, _ = code[: vm.HEADER].tolist()
        self._begin(length, first, width)

    def _begin(self, length: int, first: int, width: int) -> None:
        """Operations, where their results begin, and outputs; memory to be called with is made at the first call."""
        self.length, self.first, self.width, self._lock = length, first, width, threading.Lock()
        self.slots = first + length
        self._run_by(self.executor if isinstance(self.executor, Native) else native(self.executor))

    def _run_by(self, found: Native) -> None:
        self._call, self.entry = found.brief, found.address
        if self.record is not None:
            self.record.run = found.address

    @cached_property
    def _left(self) -> int:
        """Evaluations after which machine code is asked for."""
        return tiers.evaluations_for(self.length)

    @property
    def program(self) -> Program:
        """What it computes."""
        return self._program

    @property
    def code(self) -> NDArray[np.int32]:
        """Its bytecode."""
        return self._code

    @property
    def constants(self) -> NDArray[np.float64]:
        """What stands behind its inputs."""
        return self._constants

    @property
    def where(self) -> tuple[int, int]:
        """The addresses of both."""
        return self._where

    @cached_property
    def _own(self) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[int, int, int]]:
        """Inputs, outputs, and the addresses of code, slots and outputs."""
        z, out = self.workspace(), np.empty(self.width)
        return z[: len(self.inputs)], out, (address(self.code), address(z), address(out))

    @property
    def functions(self) -> tuple[Function, ...]:
        """The program itself."""
        return (self,)

    def workspace(self) -> NDArray[np.float64]:
        """Fresh slots with the constants in place, and a spare one at the end."""
        z = np.zeros(self.slots + 1)
        z[len(self.inputs) : self.first] = self.constants
        return z

    def fresh(self) -> NDArray[np.float64]:
        """The same, for slots change nowhere but in inputs and intermediate results."""
        return self.workspace()

    def refill(self, z: NDArray[np.float64]) -> None:
        """Constants stay in place."""

    def __call__(self, x: ArrayLike) -> NDArray[np.float64]:
        """The outputs for one set of inputs, as a new array."""
        given, found, addresses = self._own
        if len(x) != len(given):  # type: ignore[arg-type]
            self._refuse(np.shape(x))
        with self._lock:
            given[:] = x
            self._call(*addresses)
            out = found.copy()
        self.used(1)
        return out

    def in_place(self) -> tuple[NDArray[np.float64], Callable[[], NDArray[np.float64]]]:
        """Inputs to be written into, and a call that gives the outputs, in memory that belongs to whoever asked."""
        z, out = self.workspace(), np.empty(self.width)
        addresses = address(self.code), address(z), address(out)

        def run() -> NDArray[np.float64]:
            self._call(*addresses)
            self.used(1)
            return out

        return z[: len(self.inputs)], run

    def many(self, x: ArrayLike) -> NDArray[np.float64]:
        """One row of outputs for each row of inputs."""
        rows = np.ascontiguousarray(x, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != len(self.inputs):
            self._refuse(rows.shape)
        k, n = rows.shape
        out, z = np.empty((k, self.width)), self.workspace()
        invoke(vm.run_many, self.executor, k, n, self.code, rows, z, out)
        self.used(k)
        return out

    def compiled(self, wait: bool = False) -> bool:
        """Whether machine code made for this program executes it. Where it does not, it is asked for.

        It is made at the side and taken when ready; with ``wait`` it is made here and now. Numbers never change.
        """
        if not isinstance(self.executor, Native):
            if wait:
                self._take(tiers.compile_now(self.program))
            else:
                tiers.compile_aside(self.program, _taker(self))
        return isinstance(self.executor, Native)

    def used(self, times: int) -> None:
        """Count evaluations; after many of them machine code pays, and is asked for."""
        self._left -= times
        if self._left < 0:
            self._left = tiers.evaluations_for(self.length)
            self.compiled()

    def _take(self, found: Native | None) -> None:
        if found is not None:
            self.executor = found
            self._run_by(found)
            Function.arrivals += 1

    def _refuse(self, shape: tuple[int, ...]) -> None:
        names = ", ".join(self.inputs)
        raise EvaluationError(f"Inputs of shape {shape} do not fit. Give {len(self.inputs)} numbers: {names}.")


def _taker(function: Function) -> Any:
    """Hands machine code to a function, if it is still there."""
    there = ref(function)

    def take(found: Native) -> None:
        waiting = there()
        if waiting is not None:
            waiting._take(found)

    return take

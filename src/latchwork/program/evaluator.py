"""Evaluator: a lowered function with slots of its own, as a record, so that kernels call it by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from latchwork.program.function import Function
from latchwork.program.kernel import executor, f64p, i32p, i64, i64p, kernel
from latchwork.program.native import address
from latchwork.program.records.memory import lay_out, write
from latchwork.program.records.record import record
from latchwork.program.records.view import address_of


@record
class Evaluator:
    """What runs a program, its bytecode and slots, and how many inputs and outputs it has."""

    run: executor
    code: i32p
    z: f64p
    inputs: i64
    width: i64


@kernel
def evaluate(function: Evaluator, x: f64p, out: f64p) -> None:
    """The outputs of a function at x."""
    for i in range(function.inputs):
        function.z[i] = x[i]
    function.run(function.code, function.z, out)


@record
class Gathered:
    """The same of a function that takes some of the entries of x, by their places."""

    run: executor
    code: i32p
    z: f64p
    inputs: i64
    width: i64
    place: i64p


@kernel
def evaluate_gathered(function: Gathered, x: f64p, out: f64p) -> None:
    """The outputs of a function at the entries of x that it takes."""
    for i in range(function.inputs):
        function.z[i] = x[function.place[i]]
    function.run(function.code, function.z, out)


def evaluator_at(function: Function) -> int:
    """Where the record of a function is, which the function keeps: machine code that arrives is written there.

    It has no slots (z = 0): those who run it bring their own.
    """
    if function.record is None:
        made = lay_out(
            Evaluator, run=function.entry, code=function.code, inputs=len(function.inputs), width=function.width
        )
        function.record_at, function.record = address_of(made), made
    return function.record_at


class Evaluators:
    """Functions whose records stand in some memory: their slots stay alive here, their machine code is taken up."""

    def __init__(self) -> None:
        self._each: list[tuple[Evaluator, Function, NDArray[np.float64]]] = []
        self._arrivals = Function.arrivals

    def put(self, place: Evaluator, function: Function) -> None:
        """Write the record of a function."""
        z = function.workspace()
        self._each.append((place, function, z))
        write(place, function.entry, address(function.code), address(z), len(function.inputs), function.width)

    def ready(self) -> None:
        """Take machine code that has arrived."""
        if self._arrivals != Function.arrivals:
            self._arrivals = Function.arrivals
            for place, function, z in self._each:
                write(place, function.entry, address(function.code), address(z), len(function.inputs), function.width)

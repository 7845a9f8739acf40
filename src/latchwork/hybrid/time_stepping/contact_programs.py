"""Programs of contact points for time steps: gaps and rows as functions of what they depend on, without zeros.

A row of a contact has entries for the speeds of the blocks that it touches, in their order, and no others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.time_stepping.blocks import Blocks
from latchwork.program.evaluator import Gathered
from latchwork.program.function import Function
from latchwork.program.native import address
from latchwork.program.records.memory import write
from latchwork.program.restriction import Restriction, is_zero, restricted


class ContactRows(NamedTuple):
    """The rows of a contact point: which blocks they touch; entries row by row, then C of each."""

    blocks: tuple[int, ...]
    program: Restriction
    wide: int


def gap_program(point: ContactPoint) -> Restriction:
    """The gap, and how far inside its domain it is."""
    whole = point.gap_function.program
    return restricted(whole, range(len(whole.outputs)))


def row_program(point: ContactPoint, blocks: Blocks) -> ContactRows:
    """B and C of the normal row, unless it has none, and of the tangents."""
    whole, n = point.terms.place_function.program, len(blocks.speeds)
    rows = len(point.terms.rows)
    moved = {j for r in range(rows) for j in range(n) if not is_zero(whole, rows + r * n + j)}
    touched = tuple(sorted({int(blocks.of_speed[j]) for j in moved}))
    speeds = [j for b in touched for j in blocks.members[b]]
    places = [rows + r * n + j for r in range(rows) for j in speeds]
    return ContactRows(touched, restricted(whole, [*places, *range(rows + rows * n, 2 * rows + rows * n)]), len(speeds))


class GatheredFunctions:
    """Functions of restricted programs with slots of their own; equal programs have one, and machine code is taken
    where it arrives."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Function, NDArray[np.float64], int]] = {}
        self._places: list[tuple[Gathered, str, NDArray[np.int64]]] = []
        self._arrivals = Function.arrivals

    def clear(self) -> None:
        """Forget the records that were written; functions stay."""
        self._places.clear()

    def put(self, record: Gathered, restriction: Restriction) -> None:
        """Write the record of a function."""
        key = restriction.program.fingerprint
        if key not in self._known:
            function = Function(restriction.program)
            self._known[key] = function, function.workspace(), 0
        function, z, users = self._known[key]
        self._known[key] = function, z, users + 1
        self._places.append((record, key, restriction.inputs))
        self._write(record, function, z, restriction.inputs)

    def _write(self, record: Gathered, function: Function, z: NDArray[np.float64], inputs: NDArray[np.int64]) -> None:
        write(record, function.entry, address(function.code), address(z), len(inputs), function.width, address(inputs))

    def used(self, times: int) -> None:
        """Count evaluations of every record."""
        for function, _, users in self._known.values():
            if users:
                function.used(times * users)

    def ready(self) -> None:
        """Take machine code that has arrived."""
        if self._arrivals != Function.arrivals:
            self._arrivals = Function.arrivals
            for record, key, inputs in self._places:
                function, z, _ = self._known[key]
                self._write(record, function, z, inputs)

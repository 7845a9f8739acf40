"""Programs of contact points for time steps: gaps and rows as functions of what they depend on, without zeros.

A row of a contact has entries for the speeds of the branches on the way to its bodies, in their order, and no others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.terms import Terms
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.time_stepping.blocks import Blocks, blocks_of
from latchwork.program.function import Function
from latchwork.program.ir import Program
from latchwork.program.native import address
from latchwork.program.restriction import Restriction, is_zero, restricted


class ContactRows(NamedTuple):
    """The rows of a contact point: which branches they touch; entries row by row, then C of each."""

    branches: tuple[int, ...]
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
    touched = tuple(sorted({b for j in moved for b in blocks.branches[blocks.of_speed[j]].path}))
    speeds = [j for b in touched for j in blocks.branches[b].speeds]
    places = [rows + r * n + j for r in range(rows) for j in speeds]
    return ContactRows(touched, restricted(whole, [*places, *range(rows + rows * n, 2 * rows + rows * n)]), len(speeds))


class KnownPrograms:
    """The programs of the contact points of a mechanism, made once; runs of it share them. Equal programs are one."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.gaps: dict[ContactPoint, Restriction] = {}
        self.rows: dict[ContactPoint, ContactRows] = {}
        self._functions: dict[str, Function] = {}

    def function(self, program: Program) -> Function:
        """The function of a program."""
        found = self._functions.get(program.fingerprint)
        return found or self._functions.setdefault(program.fingerprint, Function(program))

    def gap(self, point: ContactPoint) -> Restriction:
        """The program of its gap."""
        if point not in self.gaps:
            self.gaps[point] = gap_program(point)
        return self.gaps[point]

    def make_ready(self, point: ContactPoint) -> ContactRows:
        """Compile the rows of a contact point."""
        point.get_ready()
        self.rows[point] = row_program(point, self.blocks)
        return self.rows[point]


def programs_for(held: Terms, split: bool = True) -> KnownPrograms:
    """The programs of a mechanism with rows that hold, as far as they were made before; blocks split into branches."""
    known: dict[Any, KnownPrograms] = held.base.remembered.setdefault("programs of time steps", {})
    if (held, split) not in known:
        known[held, split] = KnownPrograms(blocks_of(held, split))
    return known[held, split]


class ContactPrograms:
    """The same for one run, as words of records: with slots that no other run writes into."""

    def __init__(self, known: KnownPrograms) -> None:
        self.known = known
        self._slots: dict[Function, NDArray[np.float64]] = {}
        self._users: dict[Function, int] = {}
        self._words: dict[tuple[ContactPoint, bool], tuple[int, ...]] = {}
        self._arrivals = Function.arrivals

    def words(self, restriction: Restriction) -> tuple[int, ...]:
        """The record of a function; it stays right until machine code arrives."""
        function = self.known.function(restriction.program)
        if function not in self._slots:
            self._slots[function] = function.workspace()
        self._users[function] = self._users.get(function, 0) + 1
        return (function.entry, address(function.code), address(self._slots[function]), len(restriction.inputs),
                function.width, address(restriction.inputs))  # fmt: skip

    def gap(self, point: ContactPoint) -> tuple[int, ...]:
        """The words of its gap."""
        if (point, False) not in self._words:
            self._words[point, False] = self.words(self.known.gap(point))
        return self._words[point, False]

    def row(self, point: ContactPoint) -> tuple[int, ...]:
        """The words of its rows, which are known."""
        if (point, True) not in self._words:
            self._words[point, True] = self.words(self.known.rows[point].program)
        return self._words[point, True]

    def used(self, times: int) -> None:
        """Count evaluations of every record."""
        for function, users in self._users.items():
            function.used(times * users)

    def is_stale(self) -> bool:
        """Whether machine code has arrived, so that all words have to be written again; they are forgotten then."""
        if self._arrivals == Function.arrivals:
            return False
        self._arrivals = Function.arrivals
        self._words.clear()
        self._users.clear()
        return True

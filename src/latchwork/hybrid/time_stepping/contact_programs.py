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
from latchwork.program.native import Native, address
from latchwork.program.restriction import Restriction, is_zero, restricted

GAP, ROWS, MOTION, SPREAD = "gap", "rows", "motion", "spread"
Place = tuple[str, ContactPoint | None]  # which record a function is in, and of which contact point


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


def run_programs(kept: dict[KnownPrograms, ContactPrograms], known: KnownPrograms) -> ContactPrograms:
    """The programs of a run, which it keeps from one time-stepped interval to the next."""
    if known not in kept:
        kept[known] = ContactPrograms(known)
    return kept[known]


class ContactPrograms:
    """The same for one run, as words of records: with slots that no other run writes into.

    Words stay right when machine code arrives; those that name it are told by `arrived`.
    """

    def __init__(self, known: KnownPrograms) -> None:
        self.known = known
        self._slots: dict[Function, NDArray[np.float64]] = {}
        self._users: dict[Function, list[Place]] = {}  # of those that machine code may still arrive for,
        self._entries: dict[Function, int] = {}  # and what runs them
        self._words: dict[Place, tuple[int, ...]] = {}
        self._arrivals = Function.arrivals

    def words(self, place: Place, restriction: Restriction) -> tuple[int, ...]:
        """The record of a function in its place."""
        if place not in self._words:
            function = self.known.function(restriction.program)
            if function not in self._slots:
                self._slots[function] = function.workspace()
            if not isinstance(function.executor, Native):
                self._users.setdefault(function, []).append(place)
                self._entries.setdefault(function, function.entry)
            self._words[place] = (function.entry, address(function.code), address(self._slots[function]),
                                  len(restriction.inputs), function.width, address(restriction.inputs))  # fmt: skip
        return self._words[place]

    def gap(self, point: ContactPoint) -> tuple[int, ...]:
        """The words of its gap."""
        return self._words.get((GAP, point)) or self.words((GAP, point), self.known.gap(point))

    def row(self, point: ContactPoint) -> tuple[int, ...]:
        """The words of its rows, which are known."""
        return self._words.get((ROWS, point)) or self.words((ROWS, point), self.known.rows[point].program)

    def used(self, times: int) -> None:
        """Count evaluations of every record whose function has no machine code yet."""
        for function, users in self._users.items():
            function.used(times * len(users))

    def arrived(self) -> list[Place]:
        """The places whose functions have got machine code since it was asked last: their words are other ones now."""
        if self._arrivals == Function.arrivals:
            return []
        self._arrivals, found = Function.arrivals, list[Place]()
        for function in [function for function, entry in self._entries.items() if function.entry != entry]:
            del self._entries[function]
            for place in self._users.pop(function):
                self._words[place] = (function.entry, *self._words[place][1:])
                found.append(place)
        return found

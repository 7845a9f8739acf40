"""Row sources: the rows of a mode, program by program.

A constraint, or a contact point, is compiled when it is described; a mode is a list of such programs. Each gives Φ, B
and C, and c = Ḃ u + Ċ, of all its rows, of which a mode holds the first: all where a contact sticks, the normal one
where it slides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.program.evaluator import Evaluator, evaluator_at
from latchwork.program.function import Function
from latchwork.program.kernel import f64p, i64, kernel, offset
from latchwork.program.records.memory import blank, in_order
from latchwork.program.records.record import array, pointer, record
from latchwork.program.records.view import record_at

NO_SLOTS = np.zeros(0)


class RowPrograms(NamedTuple):
    """Programs of some rows, functions of (t, q, u, rest): how many rows they give, and how many of them are held."""

    place: Function
    bias: Function
    given: int
    held: int


@record
class RowSource:
    """The programs of some rows, where their slots and results are, and where the rows held stand in a mode."""

    place: Evaluator = pointer()
    bias: Evaluator = pointer()
    given: i64
    held: i64
    first: i64
    place_at: i64  # in the slots of all sources
    bias_at: i64
    found_at: i64  # in their results: Φ, B, C, then c of all rows given


@record
class RowSources:
    """The rows of several sources at a state, by themselves."""

    sources: i64
    n_slots: i64
    n_found: i64
    source: list[RowSource] = array("sources")
    z: f64p = array("n_slots")
    found: f64p = array("n_found")


@kernel
def numbers_of(given: i64, n: i64) -> i64:
    """Numbers that programs of so many rows give: Φ, B, C and c."""
    return given * (n + 3)


@kernel
def read_place(source: RowSource, n: i64, rows: i64, z: f64p, found: f64p, place: f64p) -> None:
    """Φ, B and C of a source, and of the rows it holds among those of all; its inputs are in place."""
    given, own = source.given, offset(found, source.found_at)
    source.place.run(source.place.code, offset(z, source.place_at), own)
    for i in range(source.held):
        row = source.first + i
        place[row] = own[i]
        place[rows + rows * n + row] = own[given + given * n + i]
        for j in range(n):
            place[rows + row * n + j] = own[given + i * n + j]


@kernel
def read_bias(source: RowSource, n: i64, z: f64p, found: f64p, bias: f64p) -> None:
    """c of a source, and of the rows it holds among those of all; its inputs are in place."""
    own = offset(found, source.found_at + source.given * (n + 2))
    source.bias.run(source.bias.code, offset(z, source.bias_at), own)
    for i in range(source.held):
        bias[source.first + i] = own[i]


class SourceLayout(NamedTuple):
    """Where several sources have their slots and results: records of each, and their slots when fresh."""

    words: NDArray[np.int64]
    z: NDArray[np.float64]
    n_found: int


def source_layout(sources: Sequence[RowPrograms], n: int) -> SourceLayout:
    """Sources one after the other, for n speeds."""
    words, slots, first, at, found = list[int](), [NO_SLOTS], 0, 0, 0
    for place, bias, given, held in sources:
        words += in_order(RowSource, place=evaluator_at(place), bias=evaluator_at(bias), given=given, held=held,
                          first=first, place_at=at, bias_at=at + place.slots + 1, found_at=found)  # fmt: skip
        slots += place.workspace(), bias.workspace()
        first, at, found = first + held, at + place.slots + bias.slots + 2, found + numbers_of(given, n)
    return SourceLayout(np.array(words, dtype=np.int64), np.concatenate(slots), found)


def sources_by_themselves(sources: Sequence[RowPrograms], n: int) -> RowSources:
    """Sources in memory of their own."""
    laid = source_layout(sources, n)
    empty = blank(RowSources, sources=len(sources), n_slots=len(laid.z), n_found=laid.n_found)
    words = empty.words()
    words[empty.at["source"]] = laid.words
    words.view(np.float64)[empty.at["z"]] = laid.z
    return record_at(RowSources, words, empty.start)

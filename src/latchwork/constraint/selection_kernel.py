"""The selection kernel: rows and speeds of a mode chosen at a state, with all that goes with the choice, in one call.

What `selection.select`, `Terms.typical` and `mode_of` find, for rows that are not faded, and clearly independent or
clearly redundant, on speeds that all have mass. Elsewhere it gives nothing, and those act. Both are tested to agree.

Rows are clearly redundant where elimination with complete pivoting leaves nothing of them after pivots that are all
large, and where they have the same rank some way off, on no constraint in particular. Rank never falls nearby: where it
is the usual one, the position is not singular. They also agree: what moves the rows kept, C and c, is what moves them.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from latchwork.algebra.elimination import cholesky, lu, lu_in_units, lu_solve
from latchwork.constraint.row_sources import RowSources, read_bias, read_place
from latchwork.constraint.selection import AGREES, CLEAR_REMAINDER, FAIR, TIE, VANISHED, Selection
from latchwork.constraint.terms import MASSLESS, NOTHING, SMALLEST_WEIGHT, STATES, Array, Terms
from latchwork.program.kernel import divide, executor, f64, f64p, fabs, i32p, i64, i64p, kernel, offset, sqrt
from latchwork.program.native import address, argument, native, together
from latchwork.program.records.memory import blank
from latchwork.program.records.record import array, record
from latchwork.program.records.view import address_of, record_at
from latchwork.program.scalar import maximum

MAX_ROWS = 30  # speeds, and rows: beyond, libraries are quicker
FADING = 0.02  # of what a row usually is: shorter ones may be close to a singular position, which takes more care
KEPT_SELECTIONS = 1000  # selections
CLEAR, GONE = 1e-3, 1e-12  # of rows of unit length: pivots that are clearly none of rounding, and what is left by it
MAX_PIVOTS = 12  # pivots: with that many, all of them clear, the least singular value is far from 1e-9
WELL = 1e-3  # the least pivot of √M in units of the speeds, where rank in its metric is that of the rows
APART = 2.0 * 0.02  # of the pivot some way off: `singular.NEAR_PIVOT`, and not by little
NOWHERE = np.zeros(0)


@record
class SpeedChoice:
    """Rows and speeds of a mode that are chosen at a state, with what goes with the choice."""

    n: i64  # speeds
    rows: i64
    pivot: f64  # the least of the rows that are kept, in the columns of the dependent speeds, in units of both
    dependent: i64p = array("n")  # 1 for each speed that is,
    kept: i64p = array("rows")  # and for each row
    typical: f64p = array("rows")  # the largest entry of each row,
    length: f64p = array("rows")  # and what it is in the kinetic metric
    weight: f64p = array("n")  # of each speed: the diagonal of M
    B: f64p = array("rows * n")


@kernel
def place_at(rows: RowSources, inputs: i64, n_q: i64, n: i64, m: i64, x: f64p, aside: f64p, out: f64p) -> None:
    """Φ, B and C some way aside of x."""
    for s in range(rows.sources):
        source = rows.source[s]
        z = offset(rows.z, source.place_at)
        for i in range(inputs):
            z[i] = x[i]
        for i in range(n_q):
            z[1 + i] = x[1 + i] + aside[i]
        read_place(source, n, m, rows.z, rows.found, out)


@kernel
def finite_size(value: f64) -> f64:
    """|value|; 0 where it is not finite."""
    return fabs(value) if value - value == 0.0 else 0.0


@kernel
def lengthen(m: i64, n: i64, B: f64p, unit: f64p, typical: f64p) -> None:
    """The largest entry of each row so far, in units of speeds."""
    for i in range(m):
        for j in range(n):
            typical[i] = maximum(typical[i], finite_size(B[i * n + j] * unit[j]))


@kernel
def scale_rows(m: i64, n: i64, A: f64p) -> None:
    """Rows of unit length."""
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += A[i * n + j] * A[i * n + j]
        length = sqrt(total)
        for j in range(n):
            A[i * n + j] = divide(A[i * n + j], length)


@kernel
def independent(m: i64, n: i64, A: f64p) -> i64:
    """1 where rows of unit length are clearly independent: see `selection.apart`."""
    for i in range(m):
        total = 0.0
        for k in range(m):
            cosine = 0.0
            for j in range(n):
                cosine += A[i * n + j] * A[k * n + j]
            total += fabs(cosine)
        if not (total < 2.0 - CLEAR_REMAINDER and total > CLEAR_REMAINDER):
            return 0
    return 1


@kernel
def regular_in_metric(m: i64, n: i64, packed: f64p, weight: f64p, A: f64p, L: f64p, whole: f64p) -> i64:
    """1 where rows are clearly independent also in the metric of M."""
    for i in range(n):
        for j in range(i + 1):
            L[i * n + j] = packed[i * (i + 1) // 2 + j] * weight[i] * weight[j]
    cholesky(n, L)
    for r in range(m):
        for i in range(n):
            total = A[r * n + i]
            for j in range(i):
                total -= L[i * n + j] * whole[r * n + j]
            whole[r * n + i] = divide(total, L[i * n + i])
    scale_rows(m, n, whole)
    return independent(m, n, whole)


@kernel
def pivots(m: i64, n: i64, A: f64p, first: i64p, choice: SpeedChoice, least: f64) -> i64:
    """Columns, then rows, of pivots, each the largest entry left (of equal ones the first), in the rows ``first`` as
    long as that is fair: how many there are. −1 where one is below ``least``, and yet not nothing."""
    for j in range(n):
        choice.dependent[j] = 0
    for i in range(m):
        choice.kept[i] = 0
    for k in range(m if m < n else n):
        fair = 0.0
        for i in range(m):
            for j in range(n):
                if first[i] % 2 != 0:
                    fair = maximum(fair, fabs(A[i * n + j]))
        row, column, largest = 0, 0, 0.0
        for i in range(m):
            for j in range(n):
                if (first[i] % 2 != 0 or not fair > FAIR) and fabs(A[i * n + j]) > (1.0 + TIE) * largest:
                    row, column, largest = i, j, fabs(A[i * n + j])
        if not largest > (GONE if least > 0.0 else 0.0):
            return k
        if largest < least:
            return -1
        choice.dependent[column], choice.kept[row] = 1, 1
        for i in range(m):
            if i != row:
                part = divide(A[i * n + column], A[row * n + column])
                for j in range(n):
                    A[i * n + j] -= part * A[row * n + j]
        for j in range(n):
            A[row * n + j] = 0.0
        for i in range(m):
            A[i * n + column] = 0.0
    left = 0.0
    for i in range(m * n):
        left = maximum(left, fabs(A[i]))
    return (m if m < n else n) if not left > GONE or least == 0.0 else -1


@kernel
def chosen_pivot(m: i64, n: i64, B: f64p, choice: SpeedChoice, length: f64p, inertia: f64p, r: i64, A: f64p,
                 order: f64p, row: f64p) -> f64:  # fmt: skip
    """The least pivot of the r rows and columns that are chosen, rows in units of their lengths, speeds in those of
    their inertia."""
    speed, i = offset(row, r), 0
    for k in range(m):
        if choice.kept[k] != 0:
            column = 0
            for j in range(n):
                if choice.dependent[j] != 0:
                    A[i * r + column], speed[column] = B[k * n + j], sqrt(inertia[j])
                    column += 1
            row[i] = length[k]
            i += 1
    return lu_in_units(r, A, order, row, speed)


@kernel
def redundant(m: i64, n: i64, packed: f64p, weight: f64p, usual: f64p, first: i64p, inertia: f64p, B: f64p, A: f64p,
              L: f64p, room: f64p, choice: SpeedChoice) -> i64:  # fmt: skip
    """The rank of rows A of unit length that are clearly redundant, at a position that is clearly regular: the rows and
    speeds that are chosen; 0 for more care. ``usual``: rows some way off."""
    for i in range(n):
        for j in range(i + 1):
            L[i * n + j] = packed[i * (i + 1) // 2 + j] * weight[i] * weight[j]
    cholesky(n, L)
    for i in range(n):
        if not L[i * n + i] > WELL:
            return 0
    for i in range(m * n):
        room[i] = usual[i] * weight[i % n]
    lengths = offset(room, m * n)
    for i in range(m):
        square = 0.0
        for j in range(n):
            square += room[i * n + j] * room[i * n + j]
        lengths[i] = sqrt(square)
        if not lengths[i] > 0.0:
            return 0
    scale_rows(m, n, room)
    elsewhere = pivots(m, n, room, first, choice, CLEAR)
    rank = pivots(m, n, A, first, choice, CLEAR)
    if rank < 1 or rank > MAX_PIVOTS or (rank < n and elsewhere != rank):
        return 0
    if rank < n:
        order, row = L, offset(lengths, m)
        here = chosen_pivot(m, n, B, choice, lengths, inertia, rank, A, order, row)
        if not here > APART * chosen_pivot(m, n, usual, choice, lengths, inertia, rank, A, order, row):
            return 0
    return rank


@kernel
def bias_at(rows: RowSources, inputs: i64, n: i64, x: f64p, out: f64p) -> None:
    """c at x."""
    for s in range(rows.sources):
        z = offset(rows.z, rows.source[s].bias_at)
        for i in range(inputs):
            z[i] = x[i]
        read_bias(rows.source[s], n, rows.z, rows.found, out)


@kernel
def disagreement(m: i64, n: i64, rank: i64, B: f64p, choice: SpeedChoice, lengths: f64p, moved: f64p, A: f64p,
                 order: f64p, v: f64p) -> f64:  # fmt: skip
    """By how much redundant rows ask for something else than those kept, ``Σ |C_red − B_red v|`` in units of the rows,
    with ``B_kept v = C_kept`` for the dependent speeds; C is what moves rows, or their c."""
    i, total = 0, 0.0
    for k in range(m):
        if choice.kept[k] != 0:
            v[i], column = moved[k], 0
            for j in range(n):
                if choice.dependent[j] != 0:
                    A[i * rank + column] = B[k * n + j]
                    column += 1
            i += 1
    lu(rank, A, order)
    lu_solve(rank, A, order, v)
    for k in range(m):
        if choice.kept[k] == 0:
            left, column = moved[k], 0
            for j in range(n):
                if choice.dependent[j] != 0:
                    left -= B[k * n + j] * v[column]
                    column += 1
            total += divide(fabs(left), lengths[k])
    return total


@kernel
def select_speeds_kernel(
    sources: RowSources, motion: executor, motion_code: i32p, motion_z: f64p, inputs: i64, n_q: i64, x: f64p,
    asides: f64p, unit: f64p, first: i64p, size: f64, time: f64, choice: SpeedChoice, w: f64p,
) -> i64:  # fmt: skip
    """Rows that are kept, and dependent speeds, with what goes with them; 0 where it takes more care. ``size``: √ of
    the energy of the model; ``w``: room, see `room_of`."""
    n, m, B = choice.n, choice.rows, choice.B
    typical, lengths, diagonal = choice.typical, choice.length, choice.weight
    A, out = w, offset(w, m * n)
    weight, L = offset(out, m + m * n + m), offset(out, m + m * n + m + n)
    whole, room = offset(L, n * n), offset(L, n * n + m * n)
    moved = offset(room, m * n + 3 * m + n)
    for i in range(inputs):
        motion_z[i] = x[i]
    motion(motion_code, motion_z, moved)
    packed, heaviest = offset(moved, n_q), 0.0
    for j in range(n):
        diagonal[j] = packed[j * (j + 1) // 2 + j]
        heaviest = maximum(heaviest, diagonal[j] * unit[j] * unit[j])
    for j in range(n):
        if not diagonal[j] * unit[j] * unit[j] > MASSLESS * heaviest:
            return 0
        weight[j] = divide(1.0, sqrt(diagonal[j]))
        diagonal[j] = maximum(diagonal[j], divide(divide(heaviest * SMALLEST_WEIGHT, unit[j]), unit[j]))
    for i in range(m):
        typical[i] = 0.0
    for s in range(2 + STATES):  # at x itself, then where rows are usual, then about x
        place_at(sources, inputs, n_q, n, m, x, offset(asides, s * n_q), out)
        rows = offset(out, m)
        if s == 1:
            for i in range(m * n):
                whole[i] = rows[i]
        else:
            lengthen(m, n, rows, unit, typical)
        if s == 0:
            for i in range(m * n):
                B[i] = rows[i]
    for i in range(m):
        longest = 0.0
        for k in range(m):
            longest = maximum(longest, typical[k] if first[k] // 2 == first[i] // 2 else 0.0)
        lengths[i] = longest
    for i in range(m):
        if not typical[i] > NOTHING * lengths[i]:
            typical[i] = lengths[i] if lengths[i] > 0.0 else 1.0
    for i in range(m):
        square, often = 0.0, 0.0
        for j in range(n):
            A[i * n + j] = B[i * n + j] * weight[j]
            square += A[i * n + j] * A[i * n + j]
            often += finite_size(whole[i * n + j]) * weight[j] * (finite_size(whole[i * n + j]) * weight[j])
        lengths[i] = sqrt(square)
        if not lengths[i] > FADING * sqrt(often):
            return 0
    least, most = 1.0e300, 0.0
    for i in range(m):
        own = divide(lengths[i], typical[i])
        least, most = (own if not own >= least else least), maximum(most, own)
    scale_rows(m, n, A)
    if not least > VANISHED * most:
        return 0
    rank, elsewhere = m, offset(out, m)
    for i in range(m * n):
        elsewhere[i] = whole[i]
    if m > n or (
        m > 1 and (independent(m, n, A) == 0 or regular_in_metric(m, n, packed, weight, A, L, whole) == 0)
    ):
        rank = redundant(m, n, packed, weight, elsewhere, first, diagonal, B, A, L, room, choice)
        if rank == 0:
            return 0
        bias, v = room, offset(room, m)
        place_at(sources, inputs, n_q, n, m, x, asides, out)
        bias_at(sources, inputs, n, x, bias)
        off = disagreement(m, n, rank, B, choice, lengths, offset(out, m + m * n), A, L, v)
        late = disagreement(m, n, rank, B, choice, lengths, bias, A, L, v)
        if rank < m and not (off <= AGREES * size and late * time <= AGREES * size):
            return 0
    elif pivots(m, n, A, first, choice, 0.0) != m:
        return 0
    choice.pivot = chosen_pivot(m, n, B, choice, lengths, diagonal, rank, A, L, whole)
    return 1


together(select_speeds_kernel)


class SelectedSpeeds(NamedTuple):
    """Rows and speeds, B, the typical entries of its rows and their lengths in the kinetic metric, the diagonal of M as
    weights of the speeds, and the pivot of those that are dependent, in units of both."""

    selection: Selection
    B: Array
    typical: Array
    lengths: Array
    weights: Array
    pivot: float


@lru_cache(KEPT_SELECTIONS)
def selection_of(kept: tuple[int, ...], dependent: tuple[int, ...]) -> Selection:
    """The rows that are kept, or not, and the speeds that are dependent, or not."""
    (rows, lost), (held, free) = (
        (tuple([i for i, flag in enumerate(flags) if flag]), tuple([i for i, flag in enumerate(flags) if not flag]))
        for flags in (kept, dependent)
    )
    return Selection(rows, held, free, lost)


@kernel
def room_of(m: i64, n: i64, width: i64) -> i64:
    """Numbers that the kernel needs for m rows of n speeds, with a program of the motion of so many outputs."""
    return 5 * m + 2 * n + 4 * m * n + n * n + width


def arguments(terms: Terms, x: Array, choice: SpeedChoice | None, w: Array) -> tuple[Any, ...]:
    """What the kernel takes: `select_speeds_kernel`."""
    motion, (sources, motion_z), n_q = terms.base.motion, terms.rooms, terms.sizes[0]
    scales = terms.base.scales
    return (sources, motion.executor, motion.code, motion_z, len(motion.inputs), n_q, x, terms.asides,
            terms.base.units.u, terms.flags, math.sqrt(scales.energy), scales.time, choice, w)  # fmt: skip


def kept_arguments(terms: Terms) -> tuple[Any, ...]:
    """The arguments that stay, by address; the terms keep them. Those that change are 0."""
    found: tuple[tuple[Any, ...], tuple[Any, ...]] | None = terms.frames.get("selection")
    if found is None:
        given = arguments(terms, NOWHERE, None, NOWHERE)
        found = terms.frames["selection"] = tuple([0 if each is None else argument(each) for each in given]), given
    return found[0]


def _run(terms: Terms, x: Array, choice: SpeedChoice, w: Array) -> int:
    """Run the kernel."""
    sources, _, motion_code, motion_z, inputs, n_q, _, *fixed, _, _ = kept_arguments(terms)
    return int(native(select_speeds_kernel).brief(sources, terms.base.motion.entry, motion_code, motion_z, inputs, n_q,
                                                  address(x), *fixed, address_of(choice), address(w)))  # fmt: skip


def selected_speeds(terms: Terms, x: Array) -> SelectedSpeeds | None:
    """Rows and speeds at x = (t, q, u, rest), where that takes no special care; rows that are redundant agree with
    those that are kept."""
    _, n, m = terms.sizes
    if not (0 < n <= MAX_ROWS and m <= MAX_ROWS):
        return None
    words, w = blank(SpeedChoice, n=n, rows=m).words(), np.empty(room_of(m, n, terms.base.motion.width))
    choice = record_at(SpeedChoice, words, 0)
    return speeds_of(choice) if _run(terms, x, choice, w) else None


def speeds_of(choice: SpeedChoice) -> SelectedSpeeds:
    """What a record says that the kernel has filled."""
    B, typical, length, weight = map(np.asarray, (choice.B, choice.typical, choice.length, choice.weight))
    selection = selection_of(tuple(choice.kept), tuple(choice.dependent))
    return SelectedSpeeds(selection, B.reshape(choice.rows, choice.n), typical, length, weight, choice.pivot)

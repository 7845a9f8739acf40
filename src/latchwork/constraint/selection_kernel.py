"""Surveying: rows and speeds of a mode chosen at a state, with all that goes with the choice, in one call.

What `selection.select`, `Terms.typical` and `mode_of` find, for rows that are clearly independent and not faded, on
speeds that all have mass. Elsewhere it gives nothing, and those act. Both are tested to agree.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.elimination import cholesky, lu_in_units
from latchwork.constraint.row_sources import RowSources, read_place
from latchwork.constraint.selection import FAIR, FAR, TIE, VANISHED, Selection
from latchwork.constraint.terms import MASSLESS, NOTHING, SMALLEST_WEIGHT, STATES, Array, Terms
from latchwork.program.kernel import divide, executor, f64, f64p, fabs, i32p, i64, i64p, kernel, offset, sqrt
from latchwork.program.native import address, argument, native, together
from latchwork.program.scalar import maximum

MOST = 30  # speeds, and rows: beyond, libraries are quicker
FADING = 0.02  # of what a row usually is: shorter ones may be close to a singular position, which takes more care
KEPT = 1000  # selections
NOWHERE, NO_SPEEDS = np.zeros(0), np.zeros(0, dtype=np.int64)


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
        if not (total < 2.0 - FAR and total > FAR):
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
def pivots(m: i64, n: i64, A: f64p, first: i64p, dependent: i64p) -> i64:
    """Columns of m pivots, each the largest entry left (of equal ones the first), in the rows ``first`` as long as that
    is fair; 0 for none."""
    for j in range(n):
        dependent[j] = 0
    for _ in range(m):
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
        if largest == 0.0:
            return 0
        dependent[column] = 1
        for i in range(m):
            if i != row:
                part = divide(A[i * n + column], A[row * n + column])
                for j in range(n):
                    A[i * n + j] -= part * A[row * n + j]
        for j in range(n):
            A[row * n + j] = 0.0
        for i in range(m):
            A[i * n + column] = 0.0
    return 1


@kernel
def select_speeds_kernel(
    sources: RowSources, motion: executor, motion_code: i32p, motion_z: f64p, inputs: i64, n_q: i64, n: i64, m: i64,
    x: f64p, asides: f64p, unit: f64p, first: i64p, dependent: i64p, w: f64p,
) -> i64:  # fmt: skip
    """Dependent speeds; into w the pivot of their columns, typical entries and lengths of rows, weights of speeds, and
    B. 0: more care."""
    typical, lengths, diagonal, B = offset(w, 1), offset(w, 1 + m), offset(w, 1 + 2 * m), offset(w, 1 + 2 * m + n)
    A, out = offset(B, m * n), offset(B, 2 * m * n)
    weight, L = offset(out, m + m * n + m), offset(out, m + m * n + m + n)
    whole, usual = offset(L, n * n), offset(L, n * n + m * n)
    moved = offset(usual, m)
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
    if m > 1 and (independent(m, n, A) == 0 or regular_in_metric(m, n, packed, weight, A, L, whole) == 0):
        return 0
    if pivots(m, n, A, first, dependent) == 0:
        return 0
    row, speed = whole, offset(whole, m)
    for i in range(m):
        column = 0
        for j in range(n):
            if dependent[j] != 0:
                A[i * m + column], speed[column] = B[i * n + j], sqrt(diagonal[j])
                column += 1
        row[i] = lengths[i]
    w[0] = lu_in_units(m, A, L, row, speed)
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


@lru_cache(KEPT)
def selection_of(m: int, dependent: tuple[int, ...]) -> Selection:
    """All of m rows, and the speeds that are dependent, or not."""
    speeds = range(len(dependent))
    return Selection(tuple(range(m)), tuple([j for j in speeds if dependent[j]]),
                     tuple([j for j in speeds if not dependent[j]]), ())  # fmt: skip


def arguments(terms: Terms, x: Array, dependent: NDArray[np.int64], w: Array) -> tuple[Any, ...]:
    """What the kernel takes: `select_speeds_kernel`."""
    motion, (sources, motion_z), (n_q, n, m) = terms.base.motion, terms.rooms, terms.sizes
    return (sources, motion.executor, motion.code, motion_z, len(motion.inputs), n_q, n, m, x, terms.asides,
            terms.base.units.u, terms.flags, dependent, w)  # fmt: skip


def kept_arguments(terms: Terms) -> tuple[Any, ...]:
    """The arguments that stay, by address; the terms keep them. Those that change are 0."""
    found: tuple[tuple[Any, ...], tuple[Any, ...]] | None = terms.frames.get("survey")
    if found is None:
        given = arguments(terms, NOWHERE, NO_SPEEDS, NOWHERE)
        found = terms.frames["survey"] = tuple([argument(each) for each in given]), given
    return found[0]


def _run(terms: Terms, x: Array, dependent: NDArray[np.int64], w: Array) -> int:
    """Run the kernel."""
    sources, _, motion_code, motion_z, inputs, n_q, n, m, _, asides, unit, flags, *_ = kept_arguments(terms)
    motion = terms.base.motion.entry
    return int(
        native(select_speeds_kernel).brief(
            sources,
            motion,
            motion_code,
            motion_z,
            inputs,
            n_q,
            n,
            m,
            address(x),
            asides,
            unit,
            flags,
            address(dependent),
            address(w),
        )
    )


def selected_speeds(terms: Terms, x: Array) -> SelectedSpeeds | None:
    """Rows and speeds at x = (t, q, u, rest), where that takes no special care."""
    _, n, m = terms.sizes
    if not (m <= n and 0 < n <= MOST):
        return None
    dependent = np.zeros(n, dtype=np.int64)
    w = np.zeros(1 + 4 * m + 2 * n + 4 * m * n + n * n + m + terms.base.motion.width)
    regular = _run(terms, x, dependent, w)
    if not regular:
        return None
    typical, lengths, weights, B, _ = np.split(w[1:], np.cumsum([m, m, n, m * n]))
    chosen = selection_of(m, tuple(dependent.tolist()))
    return SelectedSpeeds(chosen, B.reshape(m, n), typical, lengths, weights, float(w[0]))

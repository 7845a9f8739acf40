"""Which rows to keep and which speeds are dependent: rank by SVD, then complete pivoting.  [Gillespie §4, block 2]

Speeds are measured by the kinetic energy they carry (a column of B is divided by √M_jj, the whole by the Cholesky
factor of M where rank is judged), rows by their own length, so that neither depends on units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.elimination import lu, lu_solve
from latchwork.algebra.linear import SingularMatrix, cholesky, left_vectors, singular_values, solve_lower
from latchwork.algebra.products import dot, norm
from latchwork.constraint.scales import UNSCALED, Scales
from latchwork.constraint.terms import MASSLESS, Array
from latchwork.errors import ConstraintError
from latchwork.program.kernel import divide, f64, f64p, fabs, i32p, i64, kernel, sqrt
from latchwork.program.native import briefly, together
from latchwork.program.scalar import maximum

Units = Array | float  # of speeds, or of rows

RANK = 1e-9  # singular values below this part of the largest are zero
VANISHED = 1e-13  # rows shorter than this part of the longest, in their units, are zero
FADED = 1e-8  # and so are those shorter than this part of what they usually are
FAINT = 1e-2  # of what rows usually are: shorter ones are not lengthened beyond it, since residuals turn them about
AGREES = 1e-8  # a redundant row may ask for a speed that differs by this part of what it names
SHARE = 1e-6  # of a null vector: smaller entries take no part in it
LIGHTEST = 1e-12  # of the largest inertia: speeds with less count as this
FIRST = 1e6  # massless speeds are made dependent first
FAIR = 1e-2  # a pivot in rows of unit length that is large enough
CLEAR_REMAINDER = 1e-6  # what is left of one where rows are clearly independent
TIE = 1e-9  # pivots that differ by less than this part are equal, and the first of them is taken
TINIEST = 1e-300  # of an inertia: what is divided by never vanishes
POOR = 1e6  # dependent speeds chosen by hand may be worse conditioned by this factor, no more


@dataclass(frozen=True)
class Selection:
    """Rows kept, dependent and independent speeds (each in the order of the model), and rows that are redundant."""

    kept: tuple[int, ...]
    dependent: tuple[int, ...]
    independent: tuple[int, ...]
    redundant: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.kept)

    @property
    def parts(self) -> tuple[tuple[int, ...], ...]:
        """Rows kept, dependent and independent speeds, redundant rows."""
        return self.kept, self.dependent, self.independent, self.redundant

    @cached_property
    def packed(self) -> NDArray[np.int32]:
        """Rows kept, dependent and independent speeds behind each other."""
        return np.array([*self.kept, *self.dependent, *self.independent], dtype=np.int32)


@dataclass(frozen=True)
class Scaled:
    """B with rows of unit length in the kinetic metric: by columns (√M_jj) to choose speeds, whole to judge rank.

    Rows that are faint beside what they usually are stay shorter than that.
    """

    lengths: Array  # by which rows were divided
    columns: Array
    weights: Array  # of the columns
    M: Array

    @cached_property
    def whole(self) -> Array:
        """Rows in the metric of M itself, of unit length."""
        try:
            weighted = self.M * self.weights * self.weights[:, None]
            whole = solve_lower(cholesky(weighted), self.columns.T).T
        except SingularMatrix:  # massless speeds: the constraints hold them, or the embedded M̃ will tell
            return self.columns
        length, own = _lengths(whole), _lengths(self.columns)
        faint = np.where(own < 1.0 - FAINT, own, 1.0)
        return np.asarray(whole / np.where(length > 0.0, length, 1.0)[:, None] * faint[:, None])


def weights_of(M: Array, unit: Units = 1.0) -> Array:
    """1/√M_jj; massless speeds have no metric of their own: they count as the heaviest, and do not drown the others.

    ``unit`` are those of the speeds: inertias are compared by M_jj ū_j².
    """
    inertia = M.diagonal() * unit * unit
    largest = max(float(inertia.max(initial=0.0)), TINIEST)
    return np.asarray(1.0 / np.sqrt(np.where(inertia > MASSLESS * largest, M.diagonal(), largest / unit / unit)))


def scaled(B: Array, M: Array, usual: Array | None = None, unit: Units = 1.0, rows: Units = 1.0) -> Scaled:
    """Rows and columns of B freed of their units. ``usual`` is B elsewhere: what its rows have faded against.

    ``unit`` are those of the speeds, ``rows`` those of the rows.
    """
    weights = weights_of(M, unit)
    columns = B * weights
    lengths = _lengths(columns)
    gone = lengths / rows <= VANISHED * (lengths / rows).max(initial=0.0)
    if usual is not None:
        elsewhere = _lengths(usual * weights)
        gone |= lengths <= FADED * elsewhere
        lengths = np.maximum(lengths, FAINT * elsewhere)
    lengths = np.where(gone, np.inf, lengths)
    return Scaled(lengths, columns / lengths[:, None], weights, M)


def _lengths(rows: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))


def apart(rows: Array) -> bool:
    """Whether rows of unit length, or faint, are clearly independent: cosines do not add up to one. [Gershgorin]"""
    gram = np.abs(dot(rows, rows.T))
    return bool((gram.sum(axis=1) < 2.0 * gram.diagonal() - CLEAR_REMAINDER).all())


def rank_of(whole: Array) -> int:
    """How many singular values of rows of unit length are not zero."""
    if not whole.size:
        return 0
    if len(whole) <= whole.shape[1] and apart(whole):
        return len(whole)
    singular = _lengths(whole) if len(whole) == 1 else singular_values(whole)
    return int((singular > RANK * max(singular[0], 1e-300)).sum()) if singular[0] > 0.0 else 0


def select(B: Array, M: Array, rank: int | None = None, independent: Sequence[int] | None = None,
           usual: Array | None = None, first: Sequence[int] = (), unit: Units = 1.0,
           rows: Units = 1.0) -> Selection:  # fmt: skip
    """Rows and dependent speeds by complete pivoting; ``independent`` pins the choice, ``rank`` is kept if given.

    Rows named in ``first`` are preferred: those with a Φ, onto which coordinates can be brought back.
    """
    forms = scaled(B, M, usual, unit, rows)
    m, n = B.shape
    if rank is not None:
        r = rank
    else:
        r = int(forms.lengths[0] < np.inf) if m == 1 else rank_of(forms.whole)
    A = forms.columns
    if independent is not None:
        allowed = np.ones(n, dtype=bool)
        allowed[list(independent)] = False
        A = np.where(allowed, A, 0.0)
    inertia = M.diagonal() * unit * unit
    massless = inertia <= MASSLESS * float(inertia.max(initial=0.0))
    if massless.any():
        A = A * np.where(massless, FIRST, 1.0)
    kept, dependent = _pivots(A, r, first)
    return Selection(
        tuple(sorted(kept)), tuple(sorted(dependent)), tuple(j for j in range(n) if j not in dependent),
        tuple(i for i in range(m) if i not in kept),
    )  # fmt: skip


def select_speeds(B: Array, M: Array, old: Selection, unit: Units, rows: Array) -> Selection:
    """Dependent speeds anew, for the rows that are kept already; the old ones where these have lost rank."""
    kept = list(old.kept)
    found = select(B[kept], M, old.rank, unit=unit, rows=rows[kept])
    if found.rank < old.rank:
        return old
    return Selection(old.kept, found.dependent, found.independent, old.redundant)


def _pivots(A: Array, r: int, first: Sequence[int]) -> tuple[set[int], set[int]]:
    """Rows and columns of r pivots, each the largest entry left; in the rows ``first`` as long as that is fair."""
    if len(A) == 1 and r == 1:
        j = _first_largest(np.abs(A[0]))
        return ({0}, {j}) if A[0, j] != 0.0 else (set(), set())
    A = A.copy()
    later = np.array([i not in first for i in range(len(A))], dtype=bool)
    rows: set[int] = set()
    columns: set[int] = set()
    for left in range(r, 0, -1):
        sizes = np.abs(A)
        if sizes[~later].max(initial=0.0) > FAIR:
            sizes[later] = 0.0
        i, j = divmod(_first_largest(sizes), A.shape[1])
        if A[i, j] == 0.0:
            break
        rows.add(i)
        columns.add(j)
        if left == 1:
            break
        A -= np.outer(A[:, j] / A[i, j], A[i])
        A[i], A[:, j] = 0.0, 0.0
    return rows, columns


def _first_largest(sizes: Array) -> int:
    """Where the largest is; the first of those that equal it but for rounding."""
    return int(briefly(first_largest, sizes.size, np.ascontiguousarray(sizes)))


@kernel
def first_largest(n: i64, sizes: f64p) -> i64:
    """The same."""
    best, largest = 0, 0.0
    for i in range(n):
        if sizes[i] > (1.0 + TIE) * largest:
            best, largest = i, sizes[i]
    return best


@kernel
def worst_entry(n: i64, m: i64, k: i64, chosen: i32p, B: f64p, M: f64p, A: f64p, order: f64p, column: f64p) -> f64:
    """The largest |D_ij| √M_ii / √M_jj of D = −B1⁻¹ B2; ``chosen`` are rows, then speeds. −1 where B1 is singular."""
    heaviest, worst = 0.0, 0.0
    for j in range(n):
        heaviest = maximum(heaviest, M[j * n + j])
    for i in range(m):
        for j in range(m):
            A[i * m + j] = B[chosen[i] * n + chosen[m + j]]
    if not lu(m, A, order) > 0.0:
        return -1.0
    for j in range(k):
        speed = chosen[2 * m + j]
        for i in range(m):
            column[i] = B[chosen[i] * n + speed]
        lu_solve(m, A, order, column)
        own = sqrt(maximum(M[speed * n + speed], heaviest * LIGHTEST))
        for i in range(m):
            other = chosen[m + i]
            weight = sqrt(maximum(M[other * n + other], heaviest * LIGHTEST))
            worst = maximum(worst, divide(fabs(column[i]) * weight, own))
    return worst


def conditioning(B: Array, M: Array, selection: Selection, unit: Units = 1.0) -> float:
    """The largest entry of D = −B1⁻¹ B2, in units of kinetic energy: of order one where the choice is good."""
    m, k, n = selection.rank, len(selection.independent), len(M)
    if not m or not k:
        return 1.0
    room, own = np.empty(m * m + 2 * m), np.broadcast_to(unit, n)
    worst = briefly(worst_entry, n, m, k, selection.packed, np.ascontiguousarray(B * own),
                    np.ascontiguousarray(M * own * own[:, None]), room, room[m * m :], room[m * m + m :])  # fmt: skip
    return float(worst) if worst >= 0.0 else np.inf


together(worst_entry, first_largest)


def must_agree(names: Sequence[str], B: Array, C: Array, M: Array, where: str, c: Array | None = None,
               moving: tuple[Array, Array] | None = None, unit: Units = 1.0, scales: Scales = UNSCALED,
               rows: Units = 1.0) -> None:  # fmt: skip
    """Refuse rows B u + C = 0 that no u can meet, naming those that contradict each other and by how much.

    With ``c`` also rows B u̇ + c = 0 that no u̇ can meet. ``moving`` is B elsewhere, and u: rows that became short are
    judged by what they ask for where they are not; ``unit`` and ``rows`` are those of speeds and rows, ``scales`` of
    the mechanism.
    """
    if not len(C) or (len(C) == 1 and B.any()):  # one row that names some speed can be met
        return
    forms = scaled(B, M, unit=unit, rows=rows)
    if len(C) <= B.shape[1] and apart(forms.columns):
        return
    left, singular = left_vectors(forms.columns)
    r = int((singular > RANK * max(singular[0], 1e-300)).sum()) if singular.size and singular[0] > 0.0 else 0
    if r == len(C):
        return
    lengths = np.where(np.isfinite(forms.lengths), forms.lengths, 1.0)
    usual, u = moving if moving is not None else (np.zeros_like(B), np.zeros(B.shape[1]))
    sizes = _lengths(usual * forms.weights) * float(norm(u / forms.weights))
    size = math.sqrt(scales.energy)
    _must_balance(names, left[:, r:], C, lengths, sizes, where, "speeds", size)
    if c is not None:
        pace = float(np.abs(u / unit).max(initial=0.0))
        _must_balance(names, left[:, r:], c, lengths, sizes * pace, where, "accelerations", size / scales.time)


def _must_balance(names: Sequence[str], left: Array, C: Array, lengths: Array, sizes: Array, where: str,
                  what: str, one: float) -> None:  # fmt: skip
    """Refuse a right-hand side that is not zero along a left null vector; ``sizes`` are what it may be made of."""
    target = C / lengths
    for y in left.T:
        gap, slack = float(dot(y, target)), float(dot(np.abs(y), sizes / lengths))
        if abs(gap) > AGREES * (max(one, float(np.abs(target).max())) + slack):
            involved = [i for i in range(len(y)) if abs(y[i]) > SHARE]
            shown = ", ".join(f"'{names[i]}'" for i in involved)
            asks = ", ".join(f"{-C[i]:.6g}" for i in involved)
            raise ConstraintError(
                f"{shown} cannot hold together{where}: what moves them asks for {asks} where they depend on each "
                f"other, which no {what} can meet (off by {abs(gap):.3g}). Release one of them, or make them agree."
            )

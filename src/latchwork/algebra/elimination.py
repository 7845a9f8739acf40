"""Dense elimination as kernels: LU with row pivots, Cholesky. Matrices are row by row and overwritten; n may be zero.

Pivots are kept as floats, so that one array serves as workspace. Small systems are meant: loops that can be read.
"""

from __future__ import annotations

from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, sqrt
from latchwork.program.scalar import maximum, minimum


@kernel
def swap(A: f64p, i: i64, j: i64) -> None:
    """Two entries exchanged."""
    A[i], A[j] = A[j], A[i]


@kernel
def eliminate_below(n: i64, k: i64, A: f64p) -> None:
    """Column k below its pivot: ``l_ik = a_ik / a_kk``, kept in its place, ``a_ij −= l_ik a_kj``."""
    for i in range(k + 1, n):
        if A[i * n + k] != 0.0:
            part = divide(A[i * n + k], A[k * n + k])
            A[i * n + k] = part
            for j in range(k + 1, n):
                A[i * n + j] -= part * A[k * n + j]


@kernel
def lu(n: i64, A: f64p, p: f64p) -> f64:
    """A becomes its factors, P A = L U; ``p`` are the rows exchanged, step by step. Returns the least |u_ii|."""
    least = 1.0e300
    for k in range(n):
        row = k
        for i in range(k + 1, n):
            if fabs(A[i * n + k]) > fabs(A[row * n + k]):
                row = i
        p[k] = float(row)
        if row != k:
            for j in range(n):
                swap(A, k * n + j, row * n + j)
        pivot = A[k * n + k]
        least = minimum(least, fabs(pivot))
        eliminate_below(n, k, A)
    return least


@kernel
def sparse_lu(n: i64, A: f64p, order: i64p, count: i64p, columns: i64p, small: f64) -> i64:
    """A becomes its factors, with pivots on its diagonal: the one of the fewest entries next [Markowitz 1957], ties by
    index. ``order``: the pivots. 0 where only pivots of no more than ``small`` are left: A is spoilt then."""
    for i in range(n):
        order[i], count[i] = i, 0
        for j in range(n):
            count[i] += 1 if A[i * n + j] != 0.0 else 0
    for k in range(n):
        best = -1
        for m in range(k, n):
            i, chosen = order[m], order[best if best >= 0 else m]
            first = best < 0 or count[i] < count[chosen] or (count[i] == count[chosen] and i < chosen)
            if fabs(A[i * n + i]) > small and first:
                best = m
        if best < 0:
            return 0
        order[k], order[best] = order[best], order[k]
        row, wide = order[k], 0
        for m in range(k + 1, n):
            if A[row * n + order[m]] != 0.0:
                columns[wide] = order[m]
                wide += 1
        pivot = A[row * n + row]
        for m in range(k + 1, n):
            i = order[m]
            if A[i * n + row] != 0.0:
                part = divide(A[i * n + row], pivot)
                A[i * n + row] = part
                count[i] -= 1
                for c in range(wide):
                    j = columns[c]
                    count[i] += 1 if A[i * n + j] == 0.0 else 0
                    A[i * n + j] -= part * A[row * n + j]
    return 1


@kernel
def sparse_lu_solve(n: i64, A: f64p, order: i64p, b: f64p) -> None:
    """``b ← A⁻¹ b``, given the factors of `sparse_lu`."""
    for k in range(n):
        i, total = order[k], b[order[k]]
        for m in range(k):
            if A[i * n + order[m]] != 0.0:
                total -= A[i * n + order[m]] * b[order[m]]
        b[i] = total
    for k in range(n - 1, -1, -1):
        i, total = order[k], b[order[k]]
        for m in range(k + 1, n):
            if A[i * n + order[m]] != 0.0:
                total -= A[i * n + order[m]] * b[order[m]]
        b[i] = divide(total, A[i * n + i])


@kernel
def lu_in_units(n: i64, A: f64p, p: f64p, row: f64p, column: f64p) -> f64:
    """As `lu`, with rows and columns compared in units of their own: an entry counts as |a_ij| / (row_i column_j).

    The factors are those of A itself; ``row`` is exchanged along with its rows. Returns the least |u_ii| in its units.
    """
    least = 1.0e300
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if fabs(A[i * n + k]) * row[best] > fabs(A[best * n + k]) * row[i]:
                best = i
        p[k] = float(best)
        if best != k:
            swap(row, k, best)
            for j in range(n):
                swap(A, k * n + j, best * n + j)
        pivot = A[k * n + k]
        least = minimum(least, divide(fabs(pivot), row[k] * column[k]))
        eliminate_below(n, k, A)
    return least


@kernel
def largest_pivot(n: i64, A: f64p) -> f64:
    """The largest |u_ii| of factors."""
    most = 0.0
    for k in range(n):
        most = maximum(most, fabs(A[k * n + k]))
    return most


@kernel
def lu_solve(n: i64, A: f64p, p: f64p, b: f64p) -> None:
    """``b ← A⁻¹ b``, given the factors of `lu`."""
    for k in range(n):
        swap(b, k, int(p[k]))
    for i in range(n):
        total, row = b[i], i * n
        for j in range(row, row + i):
            if A[j] != 0.0:
                total -= A[j] * b[j - row]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total, row = b[i], i * n
        for j in range(row + i + 1, row + n):
            if A[j] != 0.0:
                total -= A[j] * b[j - row]
        b[i] = divide(total, A[row + i])


@kernel
def lu_solve_transposed(n: i64, A: f64p, p: f64p, b: f64p) -> None:
    """``b ← A⁻ᵀ b``, given the factors of `lu`."""
    for i in range(n):
        for j in range(i):
            b[i] -= A[j * n + i] * b[j]
        b[i] = divide(b[i], A[i * n + i])
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= A[j * n + i] * b[j]
    for k in range(n - 1, -1, -1):
        swap(b, k, int(p[k]))


@kernel
def lu_solve_columns(n: i64, columns: i64, A: f64p, p: f64p, B: f64p) -> None:
    """``B ← A⁻¹ B`` for all columns at once, given the factors of `lu`: the sums of `lu_solve`, row by row of B."""
    for k in range(n):
        row = int(p[k])
        if row != k:
            for c in range(columns):
                swap(B, k * columns + c, row * columns + c)
    for i in range(n):
        for j in range(i):
            subtract_row(columns, A[i * n + j], B, j * columns, i * columns)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            subtract_row(columns, A[i * n + j], B, j * columns, i * columns)
        divide_row(columns, A[i * n + i], B, i * columns)


@kernel
def lu_solve_transposed_columns(n: i64, columns: i64, A: f64p, p: f64p, B: f64p) -> None:
    """``B ← A⁻ᵀ B`` for all columns at once, given the factors of `lu`."""
    for i in range(n):
        for j in range(i):
            subtract_row(columns, A[j * n + i], B, j * columns, i * columns)
        divide_row(columns, A[i * n + i], B, i * columns)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            subtract_row(columns, A[j * n + i], B, j * columns, i * columns)
    for k in range(n - 1, -1, -1):
        row = int(p[k])
        if row != k:
            for c in range(columns):
                swap(B, k * columns + c, row * columns + c)


@kernel
def add_row(count: i64, factor: f64, source: f64p, target: f64p) -> None:
    """``target += factor source``."""
    if factor != 0.0:
        for a in range(count):
            target[a] += factor * source[a]


@kernel
def subtract_row(columns: i64, factor: f64, B: f64p, source: i64, target: i64) -> None:
    """``B_target −= factor B_source``, rows of B by where they begin."""
    if factor != 0.0:
        for c in range(columns):
            B[target + c] -= factor * B[source + c]


@kernel
def divide_row(columns: i64, by: f64, B: f64p, row: i64) -> None:
    """A row of B over a number."""
    for c in range(columns):
        B[row + c] = divide(B[row + c], by)


@kernel
def cholesky(n: i64, A: f64p) -> None:
    """The lower triangle of A becomes L, A = L Lᵀ; nan where A is not positive. Above it stands Lᵀ, row by row."""
    for c in range(n):
        root = sqrt(A[c * n + c])
        A[c * n + c] = root
        for i in range(c + 1, n):
            A[i * n + c] = divide(A[i * n + c], root)
            A[c * n + i] = A[i * n + c]
        for i in range(c + 1, n):
            factor = A[i * n + c]
            if factor != 0.0:
                for j in range(c + 1, i + 1):
                    A[i * n + j] -= factor * A[c * n + j]


@kernel
def cholesky_solve(n: i64, A: f64p, x: f64p) -> None:
    """x becomes A⁻¹ x, from the factor."""
    for i in range(n):
        total = x[i]
        for j in range(i):
            total -= A[i * n + j] * x[j]
        x[i] = divide(total, A[i * n + i])
    for step in range(n):
        i = n - 1 - step
        total = x[i]
        for j in range(i + 1, n):
            total -= A[i * n + j] * x[j]
        x[i] = divide(total, A[i * n + i])


@kernel
def cholesky_solve_columns(n: i64, columns: i64, A: f64p, B: f64p) -> None:
    """``B ← A⁻¹ B`` for all columns at once, from the factor: the sums of `cholesky_solve`, row by row of B."""
    for i in range(n):
        for j in range(i):
            subtract_row(columns, A[i * n + j], B, j * columns, i * columns)
        divide_row(columns, A[i * n + i], B, i * columns)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            subtract_row(columns, A[i * n + j], B, j * columns, i * columns)
        divide_row(columns, A[i * n + i], B, i * columns)

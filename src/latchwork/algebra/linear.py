"""Linear systems, least squares, singular values and eigenvalues by kernels, in the manner of ``numpy.linalg``.

    A x = b              solve, by elimination with row pivots
    A = L Lᵀ             cholesky
    A = U Σ Vᵀ           svd, by one-sided Jacobi rotations      [Golub and Van Loan §8.6.3]
    S = V Λ Vᵀ           eigh, by Jacobi rotations               [Golub and Van Loan §8.5]
    least ‖A x − b‖      lstsq, of least norm, by svd

LAPACK's rounding depends on the processor. Where a run decides by rank, by a null space, by an impulse, it asks here,
and what it finds on one machine it finds on the next. Matrices are small: a hundred rows are many.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from latchwork.algebra.elimination import cholesky as factor
from latchwork.algebra.elimination import lu, lu_solve_columns
from latchwork.algebra.factors import DUST, eigen
from latchwork.algebra.factors import svd as jacobi
from latchwork.algebra.products import Array, dot, norm
from latchwork.program.kernel import divide, f64, f64p, i64, kernel, offset
from latchwork.program.native import briefly, together
from latchwork.program.scalar import maximum

EPS = float(np.finfo(np.float64).eps)
SEPARATE = 0.5  # of the largest: entries that are not small, parts of a unit vector that are left beside others


class SingularMatrix(ArithmeticError):
    """A matrix has no inverse, or no Cholesky factor."""


class SVD(NamedTuple):
    """A = U diag(s) Vt, largest singular values first."""

    U: Array
    s: Array
    Vt: Array

    @property
    def thin(self) -> SVD:
        """Without the vectors that no singular value belongs to."""
        return SVD(self.U[:, : len(self.s)], self.s, self.Vt[: len(self.s)])


@kernel
def solve_columns(n: i64, columns: i64, A: f64p, B: f64p, order: f64p) -> f64:
    """``B ← A⁻¹ B``; A becomes its factors. Returns the least pivot."""
    least = lu(n, A, order)
    lu_solve_columns(n, columns, A, order, B)
    return least


@kernel
def substitute(n: i64, columns: i64, L: f64p, B: f64p) -> None:
    """``B ← L⁻¹ B`` for a lower triangle."""
    for j in range(columns):
        for i in range(n):
            total = B[i * columns + j]
            for k in range(i):
                total -= L[i * n + k] * B[k * columns + j]
            B[i * columns + j] = divide(total, L[i * n + i])


@kernel
def invert_square(n: i64, rcond: f64, s: f64p) -> i64:
    """``s ← 1/s`` of squared singular values, 0 where one is below ``rcond`` of the largest, or rounding; gives the
    rank."""
    largest, whole, rank = 0.0, 0.0, 0
    for j in range(n):
        largest = maximum(largest, s[j])
        whole += s[j]
    least = maximum(rcond * rcond * largest, 4.0 * DUST * whole)
    for j in range(n):
        rank += 1 if s[j] > least else 0
        s[j] = divide(1.0, s[j]) if s[j] > least else 0.0
    return rank


@kernel
def least_tall(m: i64, n: i64, columns: i64, rcond: f64, A: f64p, B: f64p, V: f64p, s: f64p, X: f64p) -> i64:
    """``X = V Σ⁻² (A V)ᵀ B`` for no fewer rows than columns; A becomes A V. Gives the rank."""
    jacobi(m, n, A, V, s)
    rank = invert_square(n, rcond, s)
    for c in range(columns):
        for i in range(n):
            X[i * columns + c] = 0.0
        for j in range(n):
            part = 0.0
            for k in range(m):
                part += A[k * n + j] * B[k * columns + c]
            part *= s[j]
            for i in range(n):
                X[i * columns + c] += V[i * n + j] * part
    return rank


@kernel
def least_wide(m: i64, n: i64, columns: i64, rcond: f64, A: f64p, B: f64p, V: f64p, s: f64p, X: f64p) -> i64:
    """``X = (Aᵀ V) Σ⁻² Vᵀ B`` for fewer rows than columns; A is given transposed, and becomes Aᵀ V. Gives the rank."""
    jacobi(n, m, A, V, s)
    rank = invert_square(m, rcond, s)
    for c in range(columns):
        for i in range(n):
            X[i * columns + c] = 0.0
        for j in range(m):
            part = 0.0
            for k in range(m):
                part += V[k * m + j] * B[k * columns + c]
            part *= s[j]
            for i in range(n):
                X[i * columns + c] += A[i * m + j] * part
    return rank


@kernel
def solve_each(count: i64, n: i64, rcond: f64, A: f64p, B: f64p, V: f64p, s: f64p, X: f64p) -> None:
    """``X = A⁺ B`` for each of many systems of n rows."""
    for k in range(count):
        least_tall(n, n, 1, rcond, offset(A, k * n * n), offset(B, k * n), V, s, offset(X, k * n))


together(solve_columns, substitute, jacobi, eigen, factor, least_tall, least_wide, solve_each)


def _square(A: ArrayLike) -> Array:
    """A copy, row by row, of a square matrix."""
    M = np.array(A, dtype=np.float64, order="C")
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise ValueError(f"a square matrix is needed, and this is of shape {M.shape}.")
    return M


def solve(A: ArrayLike, b: ArrayLike) -> Array:
    """x of A x = b, for one right-hand side or for columns of them; `SingularMatrix` where a pivot is zero."""
    M, x = _square(A), np.array(b, dtype=np.float64, order="C")
    n = len(M)
    if n and not briefly(solve_columns, n, x.size // n, M, x, np.empty(n)) > 0.0:
        raise SingularMatrix(f"the matrix of {n} rows is singular.")
    return x


def inv(A: ArrayLike) -> Array:
    """A⁻¹."""
    return solve(A, np.eye(len(np.asarray(A))))


def cholesky(A: ArrayLike) -> Array:
    """L of A = L Lᵀ, from the lower triangle of A; `SingularMatrix` where A is not positive."""
    M = np.tril(_square(A))
    briefly(factor, len(M), M)
    if not (M.diagonal() > 0.0).all():
        raise SingularMatrix(f"the matrix of {len(M)} rows is not positive.")
    return np.asarray(np.tril(M))


def solve_lower(L: Array, b: ArrayLike) -> Array:
    """x of L x = b for a lower triangle, such as a factor of Cholesky."""
    x = np.array(b, dtype=np.float64, order="C")
    if len(L):
        briefly(substitute, len(L), x.size // len(L), np.ascontiguousarray(L), x)
    return x


def svd(A: ArrayLike) -> SVD:
    """Singular values and vectors, U and V whole (square)."""
    A = np.asarray(A, dtype=np.float64)
    if A.shape[0] < A.shape[1]:
        V, s, Ut = svd(A.T)
        return SVD(Ut.T, s, V.T)
    columns, sizes, V, exponent = _turned(A)
    return SVD(_completed(columns, sizes), np.ldexp(sizes, exponent), V.T)


def left_vectors(A: ArrayLike) -> tuple[Array, Array]:
    """Singular vectors on the left, U whole, and singular values: those of `svd`."""
    A = np.asarray(A, dtype=np.float64)
    if A.shape[0] > A.shape[1]:
        U, s, _ = svd(A)
        return U, s
    _, sizes, V, exponent = _turned(A.T)
    return V, np.asarray(np.ldexp(sizes, exponent))


def singular_values(A: ArrayLike) -> Array:
    """The singular values of A, largest first."""
    A = np.asarray(A, dtype=np.float64)
    _, sizes, _, exponent = _turned(A if A.shape[0] >= A.shape[1] else A.T)
    return np.asarray(np.ldexp(sizes, exponent))


def _turned(A: Array) -> tuple[Array, Array, Array, int]:
    """U S, S and V of a matrix that is not wide, the largest singular value first; entries are scaled by a power of
    two, which is given last."""
    if not np.isfinite(A).all():
        raise SingularMatrix(f"the matrix of shape {A.shape} has entries that are not finite.")
    m, n = A.shape
    exponent = int(np.frexp(np.abs(A).max(initial=0.0))[1])
    columns, V, squares = np.ldexp(A, -exponent).copy(order="C"), np.empty((n, n)), np.empty(n)
    if m and n:
        briefly(jacobi, m, n, columns, V, squares)
    sizes = np.sqrt(squares)
    order = np.argsort(-sizes, kind="stable")
    return columns[:, order], sizes[order], V[:, order], exponent


def _completed(columns: Array, sizes: Array) -> Array:
    """An orthogonal matrix whose first columns are those given, of unit length; others where they are too short."""
    m = len(columns)
    U = np.zeros((m, m))
    clear = sizes > 2.0 * math.sqrt(DUST) * norm(sizes)  # shorter ones were not turned: they are rounding
    count = int(clear.sum())
    U[:, :count] = columns[:, :count] / np.where(clear, sizes, 1.0)[:count]
    units = iter(np.eye(m))
    while count < m:
        unit = next(units)
        rest = unit - dot(U[:, :count], dot(U[:, :count].T, unit))
        size = norm(rest)
        if size > SEPARATE / np.sqrt(m):
            rest = rest / size
            rest -= dot(U[:, :count], dot(U[:, :count].T, rest))
            U[:, count] = rest / norm(rest)
            count += 1
    return U


def lstsq(A: ArrayLike, b: ArrayLike, rcond: float | None = None) -> Array:
    """x of least norm with least ‖A x − b‖; singular values below ``rcond`` of the largest count as zero."""
    return least_squares(A, b, rcond)[0]


def least_squares(A: ArrayLike, b: ArrayLike, rcond: float | None = None) -> tuple[Array, int]:
    """The same, and the rank of A."""
    A, B = np.asarray(A, dtype=np.float64), np.array(b, dtype=np.float64, order="C")
    (m, n), columns = A.shape, 1 if B.ndim == 1 else B.shape[1]
    x, rank = np.zeros((n, columns)), 0
    if not (np.isfinite(A).all() and np.isfinite(B).all()):
        raise SingularMatrix(f"the system of {m} rows has entries that are not finite.")
    if A.size and columns:
        exponent = int(np.frexp(np.abs(A).max())[1])
        cut, few = max(m, n) * EPS if rcond is None else float(rcond), min(m, n)
        scaled = np.ldexp(A if m >= n else A.T, -exponent).copy(order="C")
        rank = briefly(least_tall if m >= n else least_wide, m, n, columns, cut, scaled, B, np.empty((few, few)),
                       np.empty(few), x)  # fmt: skip
        x = np.ldexp(x, -exponent)
    return (x[:, 0] if B.ndim == 1 else x), rank


def lstsq_each(A: Array, b: Array, rcond: float = EPS) -> Array:
    """`lstsq` of many square systems: A of shape (count, n, n), b of (count, n)."""
    count, n = b.shape
    x = np.zeros((count, n))
    briefly(solve_each, count, n, rcond, np.array(A, order="C"), np.ascontiguousarray(b), np.empty(n * n),
            np.empty(n), x)  # fmt: skip
    return x


def pinv(A: ArrayLike, rcond: float | None = None) -> Array:
    """A⁺; singular values below ``rcond`` of the largest count as zero."""
    return lstsq(A, np.eye(len(np.asarray(A))), rcond)


def matrix_rank(A: ArrayLike, tol: float | None = None) -> int:
    """How many singular values are above ``tol``; by default above rounding."""
    A = np.asarray(A, dtype=np.float64)
    s = singular_values(A)
    return int((s > (max(A.shape) * EPS * s.max(initial=0.0) if tol is None else tol)).sum())


def cond(A: ArrayLike) -> float:
    """The largest singular value over the smallest."""
    s = singular_values(A)
    return float(divide(float(s[0]), float(s[-1]))) if s.size else 0.0


def eigh(S: ArrayLike) -> tuple[Array, Array]:
    """Eigenvalues of a symmetric matrix, smallest first, and its eigenvectors as columns; the first entry of each that
    is not small is positive."""
    M = _square(S)
    if not np.isfinite(M).all():
        raise SingularMatrix(f"the matrix of {len(M)} rows has entries that are not finite.")
    exponent = int(np.frexp(np.abs(M).max(initial=0.0))[1])
    M, V = np.ldexp(0.5 * (M + M.T), -exponent), np.empty(M.shape)
    if len(M):
        briefly(eigen, len(M), M, V)
    order = np.argsort(M.diagonal(), kind="stable")
    V = V[:, order]
    first = np.argmax(np.abs(V) > SEPARATE * np.abs(V).max(axis=0), axis=0) if len(V) else np.zeros(0, dtype=int)
    signs = np.where(V[first, range(len(V))] < 0.0, -1.0, 1.0)
    return np.ldexp(M.diagonal()[order], exponent), V * signs


def qr(A: ArrayLike) -> tuple[Array, Array]:
    """Q with orthonormal columns and R, upper and with a positive diagonal, of A = Q R; A has independent columns.

    By Gram and Schmidt, twice, which is as orthogonal as Householder's way.  [Golub and Van Loan §5.2]
    """
    A = np.asarray(A, dtype=np.float64)
    m, n = A.shape
    Q, R = np.zeros((m, n)), np.zeros((n, n))
    for j in range(n):
        rest = A[:, j]
        for _ in range(2):
            part = dot(Q[:, :j].T, rest)
            rest, R[:j, j] = rest - dot(Q[:, :j], part), R[:j, j] + part
        R[j, j] = norm(rest)
        Q[:, j] = rest / R[j, j] if R[j, j] > 0.0 else 0.0
    return Q, R

"""Products of matrices and vectors, each sum taken in the order of its index.

    dot(A, x)        A x
    dot(T.T, M, T)   Tᵀ M T, from the left

NumPy's ``@`` calls BLAS, which adds up in an order that depends on the processor: its last bits do too, and with them
every decision that is close. What a run decides by is multiplied here.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, sqrt
from latchwork.program.native import address, native, together
from latchwork.program.scalar import maximum

Array = NDArray[np.float64]
FLOAT = np.dtype(np.float64)
ITEM = 8  # bytes of a number
TINY, HUGE = 1e-280, 1e280  # sums of squares between these have lost nothing


@kernel
def multiply(
    rows: i64, inner: i64, columns: i64, A: f64p, a_down: i64, a_right: i64, B: f64p, b_down: i64, b_right: i64,
    C: f64p,
) -> None:  # fmt: skip
    """``C_ij = Σ_k A_ik B_kj``; entries of A and B are so far apart, down and to the right."""
    for i in range(rows):
        for j in range(columns):
            total = 0.0
            for k in range(inner):
                total += A[i * a_down + k * a_right] * B[k * b_down + j * b_right]
            C[i * columns + j] = total


@kernel
def length(n: i64, x: f64p) -> f64:
    """``√Σ x_i²``; entries are scaled where their squares would leave the range of numbers."""
    total, largest = 0.0, 0.0
    for i in range(n):
        total += x[i] * x[i]
        largest = maximum(largest, fabs(x[i]))
    if (total > TINY and total < HUGE) or largest == 0.0:
        return sqrt(total)
    total = 0.0
    for i in range(n):
        part = divide(x[i], largest)
        total += part * part
    return largest * sqrt(total)


together(multiply, length)


def dot(*factors: ArrayLike) -> Any:
    """The product of matrices and vectors as NumPy's ``@`` shapes it, from the left; a number for two vectors."""
    return reduce(_product, factors)


def _product(a: ArrayLike, b: ArrayLike) -> Any:
    A, B = np.asarray(a, FLOAT), np.asarray(b, FLOAT)
    flat, right = A.ndim, B.ndim
    if flat > 2 or right > 2:
        return _stacked(A, B)
    (rows, inner), (down, across) = (A.shape, A.strides) if flat == 2 else ((1, A.size), (0, A.strides[0]))
    (others, columns), (under, beside) = (B.shape, B.strides) if right == 2 else ((B.size, 1), (B.strides[0], 0))
    if inner != others:
        raise ValueError(f"matrices of shapes {A.shape} and {B.shape} cannot be multiplied: {inner} is not {others}.")
    C = np.empty((rows, columns) if flat == right == 2 else rows if right == 1 else columns)
    native(multiply).brief(rows, inner, columns, address(A), down // ITEM, across // ITEM, address(B), under // ITEM,
                           beside // ITEM, address(C))  # fmt: skip
    return float(C[0]) if flat == right == 1 else C


def _stacked(A: Array, B: Array) -> Array:
    """Products of stacks of matrices, one by one."""
    if B.ndim <= 2:
        last = dot(A.reshape(-1, A.shape[-1]), B)
        return np.asarray(last).reshape(*A.shape[:-1], *B.shape[1:])
    if A.ndim <= 2:
        return np.stack([np.asarray(_product(A, each)) for each in B])
    return np.stack([np.asarray(_product(one, other)) for one, other in zip(A, B, strict=True)])


def norm(x: ArrayLike, axis: int | None = None, keepdims: bool = False) -> Any:
    """``√Σ x_i²`` of all entries, or along an axis."""
    x = np.asarray(x, dtype=np.float64)
    if axis is None:
        return float(native(length).brief(x.size, address(x if x.flags.c_contiguous else x.copy())))
    return np.sqrt((x * x).sum(axis=axis, keepdims=keepdims))

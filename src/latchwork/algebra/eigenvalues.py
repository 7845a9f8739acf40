"""Eigenvalues of a general real matrix as kernels: balanced, reduced to Hessenberg's form, then Francis's QR.

Wilkinson and Reinsch, Handbook for Automatic Computation II, 1971: balance (II/11), elmhes (II/13), hqr (II/14). The
same bits on every machine, so that a run may decide by them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.program.kernel import copysign, divide, f64, f64p, fabs, i64, kernel, sqrt
from latchwork.program.native import briefly, together

RADIX = 2.0
BALANCED = 0.95  # rows and columns are scaled as long as their lengths fall below this part
TRIES = 60  # of QR for one eigenvalue
EXCEPTIONAL = 10  # after so many, shifts are chosen otherwise
EPSILON = 2.0**-52


@kernel
def balance(n: i64, A: f64p) -> None:
    """Rows and columns scaled by powers of two, until they are about as long as each other."""
    moved = 1
    while moved == 1:
        moved = 0
        for i in range(n):
            row, column = 0.0, 0.0
            for j in range(n):
                if j != i:
                    column += fabs(A[j * n + i])
                    row += fabs(A[i * n + j])
            if column > 0.0 and row > 0.0 and column - column == 0.0 and row - row == 0.0:
                f, total = 1.0, column + row
                while column < divide(row, RADIX):
                    f, column = f * RADIX, column * RADIX * RADIX
                while column >= row * RADIX:
                    f, column = divide(f, RADIX), divide(column, RADIX * RADIX)
                if divide(column + row, f) < BALANCED * total:
                    moved = 1
                    for j in range(n):
                        A[i * n + j] = divide(A[i * n + j], f)
                    for j in range(n):
                        A[j * n + i] = A[j * n + i] * f


@kernel
def hessenberg(n: i64, A: f64p) -> None:
    """Zeros below the diagonal next to the main one, by elimination with row pivots."""
    for m in range(1, n - 1):
        x, row = 0.0, m
        for j in range(m, n):
            if fabs(A[j * n + m - 1]) > fabs(x):
                x, row = A[j * n + m - 1], j
        if row != m:
            for j in range(m - 1, n):
                A[row * n + j], A[m * n + j] = A[m * n + j], A[row * n + j]
            for j in range(n):
                A[j * n + row], A[j * n + m] = A[j * n + m], A[j * n + row]
        if x != 0.0:
            for i in range(m + 1, n):
                y = A[i * n + m - 1]
                if y != 0.0:
                    y = divide(y, x)
                    for j in range(m, n):
                        A[i * n + j] -= y * A[m * n + j]
                    for j in range(n):
                        A[j * n + m] += y * A[j * n + i]
    for i in range(2, n):
        for j in range(i - 1):
            A[i * n + j] = 0.0


@kernel
def small_entry(n: i64, A: f64p, last: i64, norm: f64) -> i64:
    """Where the block that ends at ``last`` begins: above it is an entry below the diagonal that vanishes."""
    low = last
    while low > 0:
        size = fabs(A[(low - 1) * n + low - 1]) + fabs(A[low * n + low])
        size = norm if size == 0.0 else size
        if fabs(A[low * n + low - 1]) <= EPSILON * size:
            A[low * n + low - 1] = 0.0
            break
        low -= 1
    return low


@kernel
def pair(n: i64, A: f64p, last: i64, shift: f64, re: f64p, im: f64p) -> None:
    """The eigenvalues of the block of two that ends at ``last``."""
    x, y = A[last * n + last], A[(last - 1) * n + last - 1]
    w = A[last * n + last - 1] * A[(last - 1) * n + last]
    p = 0.5 * (y - x)
    q = p * p + w
    z = sqrt(fabs(q))
    x += shift
    if q >= 0.0:
        z = p + copysign(z, p)
        re[last - 1], im[last - 1] = x + z, 0.0
        re[last], im[last] = x - divide(w, z) if z != 0.0 else x + z, 0.0
    else:
        re[last - 1], im[last - 1], re[last], im[last] = x + p, z, x + p, -z


@kernel
def francis(n: i64, A: f64p, low: i64, last: i64, x: f64, y: f64, w: f64) -> None:
    """One double step of QR on a block, with the shifts that x, y and w tell."""
    m, p, q, r = last - 2, 0.0, 0.0, 0.0
    while m >= low:
        z = A[m * n + m]
        one, two = x - z, y - z
        p = divide(one * two - w, A[(m + 1) * n + m]) + A[m * n + m + 1]
        q, r = A[(m + 1) * n + m + 1] - z - one - two, A[(m + 2) * n + m + 1]
        s = fabs(p) + fabs(q) + fabs(r)
        p, q, r = divide(p, s), divide(q, s), divide(r, s)
        if m == low:
            break
        u = fabs(A[m * n + m - 1]) * (fabs(q) + fabs(r))
        v = fabs(p) * (fabs(A[(m - 1) * n + m - 1]) + fabs(z) + fabs(A[(m + 1) * n + m + 1]))
        if u <= EPSILON * v:
            break
        m -= 1
    for i in range(m + 2, last + 1):
        A[i * n + i - 2] = 0.0
        if i != m + 2:
            A[i * n + i - 3] = 0.0
    for k in range(m, last):
        size = 0.0
        if k != m:
            p, q = A[k * n + k - 1], A[(k + 1) * n + k - 1]
            r = A[(k + 2) * n + k - 1] if k != last - 1 else 0.0
            size = fabs(p) + fabs(q) + fabs(r)
            if size != 0.0:
                p, q, r = divide(p, size), divide(q, size), divide(r, size)
        s = copysign(sqrt(p * p + q * q + r * r), p)
        if s == 0.0:
            continue
        if k == m:
            if low != m:
                A[k * n + k - 1] = -A[k * n + k - 1]
        else:
            A[k * n + k - 1] = -s * size
        p += s
        a, b, c = divide(p, s), divide(q, s), divide(r, s)
        q, r = divide(q, p), divide(r, p)
        for j in range(k, last + 1):
            t = A[k * n + j] + q * A[(k + 1) * n + j]
            if k != last - 1:
                t += r * A[(k + 2) * n + j]
                A[(k + 2) * n + j] -= t * c
            A[(k + 1) * n + j] -= t * b
            A[k * n + j] -= t * a
        end = last if last < k + 3 else k + 3
        for i in range(low, end + 1):
            t = a * A[i * n + k] + b * A[i * n + k + 1]
            if k != last - 1:
                t += c * A[i * n + k + 2]
                A[i * n + k + 2] -= t * r
            A[i * n + k + 1] -= t * q
            A[i * n + k] -= t


@kernel
def eigenvalues_kernel(n: i64, A: f64p, re: f64p, im: f64p) -> i64:
    """Eigenvalues of A, which is overwritten; 0 where QR does not converge."""
    balance(n, A)
    hessenberg(n, A)
    norm, shift, last, tries = 0.0, 0.0, n - 1, 0
    for i in range(n):
        for j in range(i - 1 if i > 0 else 0, n):
            norm += fabs(A[i * n + j])
    if norm - norm != 0.0:
        return 0
    while last >= 0:
        low = small_entry(n, A, last, norm)
        x = A[last * n + last]
        if low == last:
            re[last], im[last] = x + shift, 0.0
            last, tries = last - 1, 0
            continue
        y, w = A[(last - 1) * n + last - 1], A[last * n + last - 1] * A[(last - 1) * n + last]
        if low == last - 1:
            pair(n, A, last, shift, re, im)
            last, tries = last - 2, 0
            continue
        if tries == TRIES:
            return 0
        if tries > 0 and tries % EXCEPTIONAL == 0:
            shift += x
            for i in range(last + 1):
                A[i * n + i] -= x
            s = fabs(A[last * n + last - 1]) + fabs(A[(last - 1) * n + last - 2])
            x, y, w = 0.75 * s, 0.75 * s, -0.4375 * s * s
        tries += 1
        francis(n, A, low, last, x, y, w)
    return 1


def eigenvalues(A: ArrayLike) -> NDArray[np.complex128] | None:
    """Eigenvalues of a square matrix; none where QR does not converge, or A is not finite."""
    work = np.array(A, dtype=float)
    n = len(work)
    re, im = np.zeros(n), np.zeros(n)
    if not briefly(eigenvalues_kernel, n, work, re, im):
        return None
    return np.asarray(re + 1j * im)


together(eigenvalues_kernel)

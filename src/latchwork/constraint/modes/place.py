"""Where a mode is, as kernels: rows at (t, q), dependent columns, and the way back onto Φ = 0 (memory: `layout`).

    D = −B1⁻¹ B2;   δ_p = (−B1⁻¹ Φ, 0),  δ = δ_p − T (Tᵀ w T)⁻¹ Tᵀ w δ_p,  q ← q + W δ
"""

from __future__ import annotations

from latchwork.algebra.elimination import cholesky, cholesky_solve, lu_in_units, lu_solve
from latchwork.constraint.modes.layout import (
    B1,
    DEP,
    GAMMA,
    IND,
    INPUTS,
    KEPT,
    LARGEST_D,
    LEAST_PIVOT,
    LENGTH,
    MASS,
    NOTES,
    NQ,
    ORDER,
    PIVOT,
    PLACE,
    PLACE_CODE,
    PLACE_RUN,
    PLACE_Z,
    QUATERNION,
    ROW_UNIT,
    ROWS,
    SPEED_UNIT,
    SPREAD,
    SPREAD_CODE,
    SPREAD_RUN,
    SPREAD_Z,
    STEP,
    STILL,
    TEMP,
    TURNING,
    TYPICAL,
    WEIGHT,
    D,
    K,
    M,
    N,
    U,
)
from latchwork.constraint.terms import NEAR
from latchwork.program.kernel import (
    bits,
    divide,
    executor_at,
    f64,
    f64p,
    fabs,
    i32p,
    i64,
    kernel,
    offset,
    sqrt,
)
from latchwork.program.scalar import maximum, minimum

NEWTON = 4  # corrections of one evaluation
UNIT = 1e-14  # how far from 1 the square of a quaternion's length may be


@kernel
def fill(code: i32p, z: f64p, first: i64) -> None:
    """(t, q, u, rest) into the inputs of a program."""
    n_q, n, k = code[NQ], code[N], code[K]
    held = code[INPUTS] - 2 - n_q - k
    u = offset(z, code[U])
    for i in range(1 + n_q):
        z[first + i] = z[i]
    for j in range(n):
        z[first + 1 + n_q + j] = u[j]
    for i in range(held):
        z[first + 1 + n_q + n + i] = z[2 + n_q + k + i]


@kernel
def read_rows(code: i32p, z: f64p) -> None:
    """Φ, B and C at (t, q), and the factors of B1; pivots are those of rows of unit length in the kinetic metric."""
    n, m, rows = code[N], code[M], code[ROWS]
    notes = offset(z, code[NOTES])
    fill(code, z, code[PLACE_Z])
    run = executor_at(bits(notes[PLACE_RUN]))
    run(offset(code, code[PLACE_CODE]), offset(z, code[PLACE_Z]), offset(z, code[PLACE]))
    B, A = offset(z, code[PLACE] + rows), offset(z, code[B1])
    row, speed = offset(z, code[ROW_UNIT]), offset(z, code[SPEED_UNIT])
    for i in range(m):
        row[i], speed[i] = z[code[LENGTH] + code[code[KEPT] + i]], sqrt(z[code[WEIGHT] + code[code[DEP] + i]])
        for j in range(m):
            A[i * m + j] = B[code[code[KEPT] + i] * n + code[code[DEP] + j]]
    notes[PIVOT] = lu_in_units(m, A, offset(z, code[ORDER]), row, speed)
    notes[LEAST_PIVOT] = minimum(notes[LEAST_PIVOT], notes[PIVOT])


@kernel
def dependent_columns(code: i32p, z: f64p) -> None:
    """D = −B1⁻¹ B2, and its largest entry where speeds are measured by their kinetic energy."""
    n, m, k, rows = code[N], code[M], code[K], code[ROWS]
    B, d, weight = offset(z, code[PLACE] + rows), offset(z, code[D]), offset(z, code[WEIGHT])
    column = offset(z, code[GAMMA])
    largest = 0.0
    for c in range(k):
        for i in range(m):
            column[i] = -B[code[code[KEPT] + i] * n + code[code[IND] + c]]
        lu_solve(m, offset(z, code[B1]), offset(z, code[ORDER]), column)
        for i in range(m):
            d[i * k + c] = column[i]
            ratio = divide(weight[code[code[DEP] + i]], weight[code[code[IND] + c]])
            largest = maximum(largest, fabs(column[i]) * sqrt(ratio))
    z[code[NOTES] + LARGEST_D] = largest


@kernel
def correct(code: i32p, z: f64p) -> f64:
    """One Newton step of least norm onto Φ = 0, in place; rows and D have been read. Returns its length.

    ``δ_p = (−B1⁻¹ Φ, 0)``, ``δ = δ_p − T (Tᵀ w T)⁻¹ Tᵀ w δ_p``, ``q ← q + W δ``.
    """
    n_q, n, m, k = code[NQ], code[N], code[M], code[K]
    phi, d, weight = offset(z, code[PLACE]), offset(z, code[D]), offset(z, code[WEIGHT])
    right, part, step, A = offset(z, code[TEMP]), offset(z, code[GAMMA]), offset(z, code[STEP]), offset(z, code[MASS])
    for i in range(m):
        part[i] = -phi[code[code[KEPT] + i]] if code[code[STILL] + code[code[KEPT] + i]] != 0 else 0.0
    lu_solve(m, offset(z, code[B1]), offset(z, code[ORDER]), part)
    for a in range(k):
        for b in range(a + 1):
            total = weight[code[code[IND] + a]] if a == b else 0.0
            for i in range(m):
                total += d[i * k + a] * weight[code[code[DEP] + i]] * d[i * k + b]
            A[a * k + b] = total
        total = 0.0
        for i in range(m):
            total += d[i * k + a] * weight[code[code[DEP] + i]] * part[i]
        right[a] = total
    cholesky(k, A)
    cholesky_solve(k, A, right)
    for a in range(k):
        step[code[code[IND] + a]] = -right[a]
    for i in range(m):
        total = part[i]
        for a in range(k):
            total -= d[i * k + a] * right[a]
        step[code[code[DEP] + i]] = total
    length = 0.0
    for j in range(n):
        length = maximum(length, fabs(step[j]))
    spread_step(code, z, n_q, n)
    return length


@kernel
def spread_step(code: i32p, z: f64p, n_q: i64, n: i64) -> None:
    """``q ← q + W δ``."""
    step, W = offset(z, code[STEP]), offset(z, code[SPREAD])
    fill(code, z, code[SPREAD_Z])
    run = executor_at(bits(z[code[NOTES] + SPREAD_RUN]))
    run(offset(code, code[SPREAD_CODE]), offset(z, code[SPREAD_Z]), W)
    for i in range(n_q):
        total = z[1 + i]
        for j in range(n):
            total += W[i * n + j] * step[j]
        z[1 + i] = total


@kernel
def measured(code: i32p, z: f64p, row: i64, value: f64) -> f64:
    """|value| over the length of its row, or over the typical one where the row is close to vanishing."""
    n, rows = code[N], code[ROWS]
    typical, length = z[code[TYPICAL] + row], 0.0
    for j in range(n):
        length = maximum(length, fabs(z[code[PLACE] + rows + row * n + j]))
    return divide(fabs(value), length if length > NEAR * typical else typical)


@kernel
def largest_residual(code: i32p, z: f64p) -> f64:
    """The largest |Φ_i| of the rows kept, measured; nan where Φ is."""
    largest = 0.0
    for i in range(code[M]):
        row = code[code[KEPT] + i]
        if code[code[STILL] + row] != 0:
            value = measured(code, z, row, z[code[PLACE] + row])
            largest = value if value > largest else largest
    return largest


@kernel
def unit_quaternions(code: i32p, z: f64p) -> i64:
    """Quaternions brought to unit length; 1 where one was off."""
    changed = 0
    for i in range(code[TURNING]):
        square = 0.0
        for j in range(4):
            e = z[1 + code[code[QUATERNION] + 4 * i + j]]
            square += e * e
        if fabs(square - 1.0) > UNIT:
            for j in range(4):
                place = 1 + code[code[QUATERNION] + 4 * i + j]
                z[place] = divide(z[place], sqrt(square))
            changed = 1
    return changed

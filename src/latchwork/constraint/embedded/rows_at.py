"""Where a mode is, as kernels: rows at (t, q), dependent columns, and the way back onto Φ = 0 (`embedded_mode`).

    D = −B1⁻¹ B2;   δ_p = (−B1⁻¹ Φ, 0),  δ = δ_p − T (Tᵀ w T)⁻¹ Tᵀ w δ_p,  q ← q + W δ
"""

from __future__ import annotations

from latchwork.algebra.elimination import cholesky, cholesky_solve, lu_in_units, lu_solve, lu_solve_columns
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.row_sources import read_bias, read_place
from latchwork.constraint.terms import SHORT_ROW
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum

NEWTON = 4  # corrections of one evaluation
UNIT = 1e-14  # how far from 1 the square of a quaternion's length may be


@kernel
def fill(mode: EmbeddedMode, inputs: f64p) -> None:
    """(t, q, u, rest) into the inputs of a program."""
    n_q, n = mode.n_q, mode.n
    x, u, rest = mode.x, mode.u, mode.rest
    inputs[0] = mode.time[0]
    for i in range(n_q):
        inputs[1 + i] = x[i]
    for j in range(n):
        inputs[1 + n_q + j] = u[j]
    for i in range(mode.n_rest):
        inputs[1 + n_q + n + i] = rest[i]


@kernel
def read_places(mode: EmbeddedMode) -> None:
    """Φ, B and C at (t, q)."""
    for i in range(mode.sources):
        source = mode.source[i]
        fill(mode, offset(mode.source_z, source.place_at))
        read_place(source, mode.n, mode.rows, mode.source_z, mode.found, mode.place)


@kernel
def read_rows(mode: EmbeddedMode) -> None:
    """Φ, B and C at (t, q), and the factors of B1; pivots are those of rows of unit length in the kinetic metric."""
    n, m, rows = mode.n, mode.m, mode.rows
    notes = mode.notes
    read_places(mode)
    B, A = offset(mode.place, rows), mode.B1
    row, speed = mode.row_unit, mode.speed_unit
    for i in range(m):
        row[i], speed[i] = mode.length[mode.kept[i]], sqrt(mode.weight[mode.dep[i]])
        for j in range(m):
            A[i * m + j] = B[mode.kept[i] * n + mode.dep[j]]
    notes.pivot = lu_in_units(m, A, mode.order, row, speed)
    notes.least_pivot = minimum(notes.least_pivot, notes.pivot)


@kernel
def read_biases(mode: EmbeddedMode) -> None:
    """c at (t, q, u)."""
    for i in range(mode.sources):
        source = mode.source[i]
        fill(mode, offset(mode.source_z, source.bias_at))
        read_bias(source, mode.n, mode.source_z, mode.found, mode.bias)


@kernel
def dependent_columns(mode: EmbeddedMode) -> None:
    """D = −B1⁻¹ B2, and its largest entry where speeds are measured by their kinetic energy."""
    n, m, k, rows = mode.n, mode.m, mode.k, mode.rows
    B, d, weight, unit = offset(mode.place, rows), mode.D, mode.weight, mode.temp
    for c in range(k):
        unit[c] = divide(1.0, sqrt(weight[mode.ind[c]]))
    for i in range(m):
        for c in range(k):
            d[i * k + c] = -B[mode.kept[i] * n + mode.ind[c]]
    lu_solve_columns(m, k, mode.B1, mode.order, d)
    largest = 0.0
    for i in range(m):
        most = 0.0
        for c in range(k):
            most = maximum(most, fabs(d[i * k + c]) * unit[c])
        largest = maximum(largest, most * sqrt(weight[mode.dep[i]]))
    mode.notes.largest_d = largest


@kernel
def correct(mode: EmbeddedMode) -> f64:
    """One Newton step of least norm onto Φ = 0, in place; rows and D have been read. Returns its length, in units.

    ``δ_p = (−B1⁻¹ Φ, 0)``, ``δ = δ_p − T (Tᵀ w T)⁻¹ Tᵀ w δ_p``, ``q ← q + W δ``.
    """
    n_q, n, m, k = mode.n_q, mode.n, mode.m, mode.k
    phi, d, weight = mode.place, mode.D, mode.weight
    right, part, step, A = mode.temp, mode.gamma, mode.step, mode.mass
    for i in range(m):
        part[i] = -phi[mode.kept[i]] if mode.still[mode.kept[i]] % 2 != 0 else 0.0
    lu_solve(m, mode.B1, mode.order, part)
    for a in range(k):
        for b in range(a + 1):
            total = weight[mode.ind[a]] if a == b else 0.0
            for i in range(m):
                total += d[i * k + a] * weight[mode.dep[i]] * d[i * k + b]
            A[a * k + b] = total
        total = 0.0
        for i in range(m):
            total += d[i * k + a] * weight[mode.dep[i]] * part[i]
        right[a] = total
    cholesky(k, A)
    cholesky_solve(k, A, right)
    for a in range(k):
        step[mode.ind[a]] = -right[a]
    for i in range(m):
        total = part[i]
        for a in range(k):
            total -= d[i * k + a] * right[a]
        step[mode.dep[i]] = total
    length = 0.0
    for j in range(n):
        length = maximum(length, divide(fabs(step[j]), mode.unit_u[j]))
    spread_step(mode, n_q, n)
    return length


@kernel
def spread_step(mode: EmbeddedMode, n_q: i64, n: i64) -> None:
    """``q ← q + W δ``."""
    x, step, W = mode.x, mode.step, mode.spread
    fill(mode, mode.spread_z)
    mode.notes.spread_run(mode.spread_code, mode.spread_z, W)
    for i in range(n_q):
        total = x[i]
        for j in range(n):
            total += W[i * n + j] * step[j]
        x[i] = total


@kernel
def measured(mode: EmbeddedMode, row: i64, value: f64) -> f64:
    """|value| over the length max_j |B_ij| ū_j of its row, or over the typical one where it is close to vanishing."""
    n, rows = mode.n, mode.rows
    typical, length = mode.typical[row], 0.0
    for j in range(n):
        length = maximum(length, fabs(mode.place[rows + row * n + j]) * mode.unit_u[j])
    return divide(fabs(value), length if length > SHORT_ROW * typical else typical)


@kernel
def largest_residual(mode: EmbeddedMode) -> f64:
    """The largest |Φ_i| of the rows kept, measured; nan where Φ is."""
    largest = 0.0
    for i in range(mode.m):
        row = mode.kept[i]
        if mode.still[row] % 2 != 0:
            value = measured(mode, row, mode.place[row])
            largest = value if value > largest else largest
    return largest


@kernel
def unit_quaternions(mode: EmbeddedMode) -> i64:
    """Quaternions brought to unit length; 1 where one was off."""
    changed = 0
    for i in range(mode.turning):
        square = 0.0
        for j in range(4):
            e = mode.x[mode.quaternion[4 * i + j]]
            square += e * e
        if fabs(square - 1.0) > UNIT:
            for j in range(4):
                place = mode.quaternion[4 * i + j]
                mode.x[place] = divide(mode.x[place], sqrt(square))
            changed = 1
    return changed

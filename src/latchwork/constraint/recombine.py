"""Recombination as kernels: the terms of the unconstrained equations and the rows, any mode as data (`layout`).

    u_dep = −B1⁻¹ (B2 u_ind + C);   D = −B1⁻¹ B2;   γ_dep = −B1⁻¹ c
    Tᵀ M T u̇_ind = Tᵀ (f − M γ);   u̇ = T u̇_ind + γ          [Patoglu Eqs. 11-16]

Where B1 comes near a singular position, coordinates are first brought back onto Φ = 0: the rows then point where the
motion goes, and the equations stay smooth across.
"""

from __future__ import annotations

from latchwork.constraint.dense import cholesky, cholesky_solve, lu_solve, lu_solve_transposed
from latchwork.constraint.layout import (
    B1,
    BIAS,
    BIAS_CODE,
    BIAS_RUN,
    BIAS_Z,
    COURSE,
    DEP,
    GAMMA,
    GUARD_CODE,
    GUARD_RUN,
    GUARD_Z,
    IND,
    INPUTS,
    KEPT,
    LAMBDA,
    MASS,
    MOTION,
    MOTION_CODE,
    MOTION_RUN,
    MOTION_Z,
    MOVING,
    MT,
    NOTES,
    NQ,
    ORDER,
    PIVOT,
    RESULT,
    ROWS,
    SAVED,
    STEP,
    TEMP,
    TOTAL,
    UDOT,
    USUAL_PIVOT,
    D,
    K,
    M,
    N,
    U,
)
from latchwork.constraint.place import NEWTON, correct, dependent_columns, fill, read_rows, spread_step
from latchwork.constraint.settle import all_speeds
from latchwork.program.kernel import bits, divide, executor, executor_at, f64, f64p, fabs, i32p, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.scalar import maximum

CAREFUL = 0.02  # of the usual pivot: below it coordinates are corrected before rows are read
NEAR = 0.0025  # of the usual pivot: below it the equations are taken from beside, a few times as far
BLIND = 1e-6  # of the usual pivot: below it rows do not tell the course any more
ASIDE = 0.01  # how far beside, in units of the coordinates
POINTS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0)
SHARES = (0.75, 0.75, -0.3, -0.3, 0.05, 0.05)
CLOSE = 1e-11  # a correction this short is the last


@kernel
def consistent_place(code: i32p, z: f64p) -> None:
    """Rows and D at (t, q), corrected where B1 is close to singular, then all speeds: u_dep = −B1⁻¹ (B2 u_ind + C)."""
    notes = offset(z, code[NOTES])
    read_rows(code, z)
    dependent_columns(code, z)
    if notes[PIVOT] < CAREFUL * notes[USUAL_PIVOT]:
        for _ in range(NEWTON):
            length = correct(code, z)
            read_rows(code, z)
            dependent_columns(code, z)
            if length < CLOSE:
                break
    all_speeds(code, z)


@kernel
def accelerate(code: i32p, z: f64p) -> None:
    """M, f and c at (t, q, u), then u̇."""
    n_q, n, m, k = code[NQ], code[N], code[M], code[K]
    fill(code, z, code[MOTION_Z])
    run = executor_at(bits(z[code[NOTES] + MOTION_RUN]))
    run(offset(code, code[MOTION_CODE]), offset(z, code[MOTION_Z]), offset(z, code[MOTION]))
    fill(code, z, code[BIAS_Z])
    turn = executor_at(bits(z[code[NOTES] + BIAS_RUN]))
    turn(offset(code, code[BIAS_CODE]), offset(z, code[BIAS_Z]), offset(z, code[BIAS]))
    packed, bias = offset(z, code[MOTION] + n_q), offset(z, code[BIAS])
    f = offset(packed, n * (n + 1) // 2)
    gamma, right, udot = offset(z, code[GAMMA]), offset(z, code[TEMP]), offset(z, code[UDOT])
    for i in range(m):
        right[i] = -bias[code[code[KEPT] + i]]
    lu_solve(m, offset(z, code[B1]), offset(z, code[ORDER]), right, gamma)
    for i in range(n):
        total = f[i]
        for s in range(m):
            total -= entry(packed, i, code[code[DEP] + s]) * gamma[s]
        udot[i] = total
    recombine(code, z, packed)
    solve_independent(code, z)
    for s in range(m):
        total = gamma[s]
        for a in range(k):
            total += z[code[D] + s * k + a] * right[a]
        udot[code[code[DEP] + s]] = total
    for a in range(k):
        udot[code[code[IND] + a]] = right[a]


@kernel
def entry(packed: f64p, i: i64, j: i64) -> f64:
    """M_ij of a lower triangle, row by row."""
    return packed[i * (i + 1) // 2 + j] if i >= j else packed[j * (j + 1) // 2 + i]


@kernel
def recombine(code: i32p, z: f64p, packed: f64p) -> None:
    """M T, then the lower triangle of M̃ = Tᵀ M T."""
    n, m, k = code[N], code[M], code[K]
    d, MTs, Mt = offset(z, code[D]), offset(z, code[MT]), offset(z, code[MASS])
    for i in range(n):
        for a in range(k):
            total = entry(packed, i, code[code[IND] + a])
            for s in range(m):
                total += entry(packed, i, code[code[DEP] + s]) * d[s * k + a]
            MTs[i * k + a] = total
    for a in range(k):
        for b in range(a + 1):
            total = MTs[code[code[IND] + a] * k + b]
            for s in range(m):
                total += d[s * k + a] * MTs[code[code[DEP] + s] * k + b]
            Mt[a * k + b] = total


@kernel
def solve_independent(code: i32p, z: f64p) -> None:
    """u̇_ind of M̃ u̇_ind = Tᵀ (f − M γ); the difference is in the place of u̇, the result in that of ``TEMP``."""
    m, k = code[M], code[K]
    rest, right, d = offset(z, code[UDOT]), offset(z, code[TEMP]), offset(z, code[D])
    for a in range(k):
        total = rest[code[code[IND] + a]]
        for s in range(m):
            total += d[s * k + a] * rest[code[code[DEP] + s]]
        right[a] = total
    cholesky(k, offset(z, code[MASS]))
    cholesky_solve(k, offset(z, code[MASS]), right)


@kernel
def evaluate(code: i32p, z: f64p, out: f64p) -> None:
    """(q̇, u, u̇, power) at (t, q, u_ind)."""
    n_q, n = code[NQ], code[N]
    consistent_place(code, z)
    accelerate(code, z)
    motion, udot, u = offset(z, code[MOTION]), offset(z, code[UDOT]), offset(z, code[U])
    packed = offset(motion, n_q)
    f = offset(packed, n * (n + 1) // 2)
    share = offset(f, n)
    for i in range(n_q):
        out[i] = motion[i]
    power = share[n]
    for j in range(n):
        out[n_q + j] = u[j]
        out[n_q + n + j] = udot[j]
        power += share[j] * udot[j]
    if code[MOVING] != 0:
        for i in range(n):
            force = -f[i]
            for j in range(n):
                force += entry(packed, i, j) * udot[j]
            power += force * u[i]
    out[n_q + 2 * n] = power


@kernel
def aside(code: i32p, z: f64p, by: f64) -> None:
    """q a way along the course, from where it was saved, and back onto Φ = 0."""
    n_q, n = code[NQ], code[N]
    course, step, saved = offset(z, code[COURSE]), offset(z, code[STEP]), offset(z, code[SAVED])
    largest = 0.0
    for j in range(n):
        largest = maximum(largest, fabs(course[j]))
    for i in range(n_q):
        z[1 + i] = saved[i]
    for j in range(n):
        step[j] = divide(by * course[j], largest) if largest > 0.0 else 0.0
    spread_step(code, z, n_q, n)
    for _ in range(NEWTON):
        read_rows(code, z)
        dependent_columns(code, z)
        if correct(code, z) < CLOSE:
            break


@kernel
def smooth(code: i32p, z: f64p) -> None:
    """(q̇, u, u̇, power) at (t, q, u_ind) into RESULT.

    Too close to a singular position rows are 0/0, yet their limit along the branch is smooth: it is taken from six
    points beside it, where u_ind is the same, ``g(0) = Σ w_i (g(iη) + g(−iη))`` with ``w = (15, −6, 1) / 20``.
    """
    n_q, n = code[NQ], code[N]
    notes, result, total = offset(z, code[NOTES]), offset(z, code[RESULT]), offset(z, code[TOTAL])
    saved, course, size = offset(z, code[SAVED]), offset(z, code[COURSE]), n_q + 2 * n + 1
    for i in range(n_q):
        saved[i] = z[1 + i]
    evaluate(code, z, result)
    if notes[PIVOT] > BLIND * notes[USUAL_PIVOT]:
        for j in range(n):
            course[j] = result[n_q + j]
    if notes[PIVOT] < NEAR * notes[USUAL_PIVOT]:
        for i in range(size):
            total[i] = 0.0
        for point in range(6):
            aside(code, z, POINTS[point] * ASIDE)
            evaluate(code, z, result)
            for i in range(size):
                total[i] += SHARES[point] * result[i]
        for i in range(size):
            result[i] = total[i]
        for i in range(n_q):
            z[1 + i] = saved[i]


@kernel
def embedded(code: i32p, z: f64p, out: f64p) -> None:
    """ẋ = (q̇, u̇_ind, power) at (t, x): the right-hand side of an embedded mode."""
    n_q, n, k = code[NQ], code[N], code[K]
    smooth(code, z)
    result = offset(z, code[RESULT])
    for i in range(n_q):
        out[i] = result[i]
    for a in range(k):
        out[n_q + a] = result[n_q + n + code[code[IND] + a]]
    out[n_q + k] = result[n_q + 2 * n]


@kernel
def expand(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇) of all speeds at (t, x)."""
    smooth(code, z)
    for j in range(2 * code[N]):
        out[j] = z[code[RESULT] + code[NQ] + j]


@kernel
def multipliers(code: i32p, z: f64p) -> None:
    """λ of the rows kept, B1ᵀ λ = (M u̇ − f)_dep; 0 for the others."""
    n_q, n, m, rows = code[NQ], code[N], code[M], code[ROWS]
    packed = offset(z, code[MOTION] + n_q)
    f, udot = offset(packed, n * (n + 1) // 2), offset(z, code[UDOT])
    right, part, lam = offset(z, code[TEMP]), offset(z, code[GAMMA]), offset(z, code[LAMBDA])
    for i in range(rows):
        lam[i] = 0.0
    for s in range(m):
        i = code[code[DEP] + s]
        force = -f[i]
        for j in range(n):
            force += entry(packed, i, j) * udot[j]
        right[s] = force
    lu_solve_transposed(m, offset(z, code[B1]), offset(z, code[ORDER]), right, part)
    for s in range(m):
        lam[code[code[KEPT] + s]] = part[s]


@kernel
def look(code: i32p, z: f64p, out: f64p) -> None:
    """Guards and their rates at (t, x): a program of (t, q, u, rest, u̇, λ)."""
    n_q, n, k, rows = code[NQ], code[N], code[K], code[ROWS]
    held = code[INPUTS] - 2 - n_q - k
    consistent_place(code, z)
    accelerate(code, z)
    multipliers(code, z)
    fill(code, z, code[GUARD_Z])
    inputs = offset(z, code[GUARD_Z] + 1 + n_q + n + held)
    for j in range(n):
        inputs[j] = z[code[UDOT] + j]
    for i in range(rows):
        inputs[n + i] = z[code[LAMBDA] + i]
    run = executor_at(bits(z[code[NOTES] + GUARD_RUN]))
    run(offset(code, code[GUARD_CODE]), offset(z, code[GUARD_Z]), out)


@kernel
def forces(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇, λ) at (t, x)."""
    n, rows = code[N], code[ROWS]
    expand(code, z, out)
    multipliers(code, z)
    for i in range(rows):
        out[2 * n + i] = z[code[LAMBDA] + i]


@kernel
def at_each(run: executor, rows: i64, n: i64, width: i64, code: i32p, x: f64p, z: f64p, out: f64p) -> None:
    """Run an executor on rows of n inputs; rows of so many outputs."""
    for row in range(rows):
        for i in range(n):
            z[i] = x[row * n + i]
        run(code, z, offset(out, row * width))


together(embedded, expand, look, forces, at_each)

"""Recombination as kernels: the terms of the unconstrained equations and the rows, any mode as data (`layout`).

    u_dep = −B1⁻¹ (B2 u_ind + C);   D = −B1⁻¹ B2;   γ_dep = −B1⁻¹ c
    Tᵀ M T u̇_ind = Tᵀ (f − M γ);   u̇ = T u̇_ind + γ          [Patoglu Eqs. 11-16]

Where B1 comes near a singular position, coordinates are first brought back onto Φ = 0: the rows then point where the
motion goes, and the equations stay smooth across.
"""

from __future__ import annotations

from latchwork.algebra.elimination import cholesky, cholesky_solve, lu_solve, lu_solve_transposed
from latchwork.constraint.modes.circuit import CLOSE
from latchwork.constraint.modes.layout import (
    B1,
    BIAS,
    BIAS_CODE,
    BIAS_RUN,
    BIAS_Z,
    DEP,
    GAMMA,
    IND,
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
    ROWS,
    TEMP,
    UDOT,
    USUAL_PIVOT,
    D,
    K,
    M,
    N,
    U,
)
from latchwork.constraint.modes.place import NEWTON, correct, dependent_columns, fill, read_rows
from latchwork.constraint.modes.settle import all_speeds
from latchwork.program.kernel import bits, executor_at, f64, f64p, i32p, i64, kernel, offset

CAREFUL = 0.02  # of the usual pivot: below it coordinates are corrected before rows are read


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
def read_motion(code: i32p, z: f64p) -> None:
    """M, f and c at (t, q, u)."""
    fill(code, z, code[MOTION_Z])
    run = executor_at(bits(z[code[NOTES] + MOTION_RUN]))
    run(offset(code, code[MOTION_CODE]), offset(z, code[MOTION_Z]), offset(z, code[MOTION]))
    fill(code, z, code[BIAS_Z])
    turn = executor_at(bits(z[code[NOTES] + BIAS_RUN]))
    turn(offset(code, code[BIAS_CODE]), offset(z, code[BIAS_Z]), offset(z, code[BIAS]))


@kernel
def accelerate(code: i32p, z: f64p) -> None:
    """M, f and c at (t, q, u), then u̇."""
    n_q, n, m, k = code[NQ], code[N], code[M], code[K]
    read_motion(code, z)
    packed, bias = offset(z, code[MOTION] + n_q), offset(z, code[BIAS])
    f = offset(packed, n * (n + 1) // 2)
    gamma, right, udot = offset(z, code[GAMMA]), offset(z, code[TEMP]), offset(z, code[UDOT])
    for i in range(m):
        gamma[i] = -bias[code[code[KEPT] + i]]
    lu_solve(m, offset(z, code[B1]), offset(z, code[ORDER]), gamma)
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
def multipliers(code: i32p, z: f64p) -> None:
    """λ of the rows kept, B1ᵀ λ = (M u̇ − f)_dep; 0 for the others."""
    n_q, n, m, rows = code[NQ], code[N], code[M], code[ROWS]
    packed = offset(z, code[MOTION] + n_q)
    f, udot = offset(packed, n * (n + 1) // 2), offset(z, code[UDOT])
    part, lam = offset(z, code[GAMMA]), offset(z, code[LAMBDA])
    for i in range(rows):
        lam[i] = 0.0
    for s in range(m):
        i = code[code[DEP] + s]
        force = -f[i]
        for j in range(n):
            force += entry(packed, i, j) * udot[j]
        part[s] = force
    lu_solve_transposed(m, offset(z, code[B1]), offset(z, code[ORDER]), part)
    for s in range(m):
        lam[code[code[KEPT] + s]] = part[s]


@kernel
def evaluate(code: i32p, z: f64p, out: f64p) -> None:
    """(q̇, u, u̇, power) at (t, q, u_ind)."""
    consistent_place(code, z)
    accelerate(code, z)
    report(code, z, code[MOVING], out)


@kernel
def report(code: i32p, z: f64p, working: i64, out: f64p) -> None:
    """(q̇, u, u̇, power) once u̇ is known; where constraints are working, with their power (M u̇ − f)·u."""
    n_q, n = code[NQ], code[N]
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
    if working != 0:
        for i in range(n):
            force = -f[i]
            for j in range(n):
                force += entry(packed, i, j) * udot[j]
            power += force * u[i]
    out[n_q + 2 * n] = power

"""Settling a step, as kernels: back onto Φ = 0, then a look at every row, kept or not (memory: `layout`)."""

from __future__ import annotations

from latchwork.algebra.elimination import lu_solve
from latchwork.constraint.modes.circuit import leaves_circuit
from latchwork.constraint.modes.layout import (
    B1,
    CORRECTIONS,
    DEP,
    FLOOR,
    GAMMA,
    IND,
    KEPT,
    LARGEST_D,
    LIMIT_D,
    LIMIT_PIVOT,
    LONGEST_STEP,
    NOTES,
    NQ,
    ORDER,
    PIVOT,
    PLACE,
    RESIDUAL,
    ROWS,
    STILL,
    D,
    K,
    M,
    N,
    U,
)
from latchwork.constraint.modes.place import (
    NEWTON,
    correct,
    dependent_columns,
    largest_residual,
    measured,
    read_rows,
    unit_quaternions,
)
from latchwork.program.kernel import f64p, fabs, i32p, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.scalar import maximum

EXACT = 1e-13  # a residual of Φ that is left alone, in units of the coordinates
WORST_D = 5.0  # in units of kinetic energy: beyond it other speeds are chosen
WORST_PIVOT = 0.005  # of the usual one: below it other rows and speeds are looked for
FAR = 1e-2  # of the coordinates and 1: a residual that no step leaves behind; it is not corrected, but told
ELSEWHERE = 2.0  # what is noted where a step has led to another circuit
HOLDS = 5e-10  # a residual up to which a row holds, in units of the coordinates, or of the speeds and 1


@kernel
def all_speeds(code: i32p, z: f64p) -> None:
    """u = T u_ind + S."""
    n_q, n, m, k, rows = code[NQ], code[N], code[M], code[K], code[ROWS]
    C, d, u = offset(z, code[PLACE] + rows + rows * n), offset(z, code[D]), offset(z, code[U])
    e = offset(z, code[GAMMA])
    for i in range(m):
        e[i] = -C[code[code[KEPT] + i]]
    lu_solve(m, offset(z, code[B1]), offset(z, code[ORDER]), e)
    for a in range(k):
        u[code[code[IND] + a]] = z[1 + n_q + a]
    for i in range(m):
        total = e[i]
        for a in range(k):
            total += d[i * k + a] * z[1 + n_q + a]
        u[code[code[DEP] + i]] = total


@kernel
def departs(code: i32p, z: f64p) -> i64:
    """1 where some row does not hold, whether it is kept or says nothing new: Φ, or B u + C; all speeds are known."""
    n, rows = code[N], code[ROWS]
    u, fastest = offset(z, code[U]), 1.0
    for j in range(n):
        fastest = maximum(fastest, fabs(u[j]))
    for row in range(rows):
        rate = z[code[PLACE] + rows + rows * n + row]
        for j in range(n):
            rate += z[code[PLACE] + rows + row * n + j] * u[j]
        if measured(code, z, row, rate) > HOLDS * fastest:
            return 1
        if code[code[STILL] + row] != 0 and measured(code, z, row, z[code[PLACE] + row]) > HOLDS:
            return 1
    return 0


@kernel
def settle(code: i32p, z: f64p, x: f64p) -> None:
    """After a step: quaternions of unit length, coordinates on Φ = 0. Then 1 where x changed; 1 where speeds are poor,
    or where some row does not hold, 2 where the step has led to another circuit.

    Dependent speeds follow from x, so nothing else is to do; both notes stand behind the states.
    """
    n_q, m, k = code[NQ], code[M], code[K]
    notes, states = offset(z, code[NOTES]), n_q + k + 1
    for i in range(states):
        z[1 + i] = x[i]
    changed = unit_quaternions(code, z)
    read_rows(code, z)
    residual = largest_residual(code, z)
    notes[RESIDUAL] = residual
    tries, size = 0, 1.0
    for i in range(n_q):
        size = maximum(size, fabs(z[1 + i]))
    while residual > EXACT and residual < FAR * size and tries < NEWTON:
        dependent_columns(code, z)
        length = correct(code, z)
        unit_quaternions(code, z)
        notes[CORRECTIONS] += 1.0
        notes[LONGEST_STEP] = maximum(notes[LONGEST_STEP], length)
        changed = 1
        tries += 1
        read_rows(code, z)
        before = residual
        residual = largest_residual(code, z)
        if residual > 0.5 * before:
            break
    dependent_columns(code, z)
    for i in range(n_q):
        x[i] = z[1 + i]
    poor = notes[LARGEST_D] > notes[LIMIT_D] or notes[PIVOT] < notes[LIMIT_PIVOT]
    if notes[LARGEST_D] < 0.5 * WORST_D and notes[PIVOT] > 2.0 * notes[FLOOR]:
        notes[LIMIT_D] = WORST_D
        notes[LIMIT_PIVOT] = notes[FLOOR]
    x[states] = float(changed)
    all_speeds(code, z)
    x[states + 1] = 1.0 if (poor and m > 0) or departs(code, z) != 0 else 0.0
    if m > 0 and leaves_circuit(code, z) != 0:
        x[states + 1] = ELSEWHERE


together(settle)

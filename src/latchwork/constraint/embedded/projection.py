"""Settling a step, as kernels: back onto Φ = 0, then a look at every row, kept or not (`embedded_mode`)."""

from __future__ import annotations

from latchwork.algebra.elimination import lu_solve
from latchwork.constraint.embedded.circuit import leaves_circuit
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.rows_at import (
    NEWTON,
    correct,
    dependent_columns,
    largest_residual,
    measured,
    read_rows,
    unit_quaternions,
)
from latchwork.program.kernel import divide, f64p, fabs, i32p, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.records.view import record_at
from latchwork.program.scalar import maximum

EXACT = 1e-13  # a residual of Φ that is left alone, in units of the coordinates
WORST_D = 5.0  # in units of kinetic energy: beyond it other speeds are chosen
WORST_PIVOT = 0.005  # of the usual one: below it other rows and speeds are looked for
MAX_RESIDUAL = 1e-2  # of the coordinates and 1: a residual that no step leaves behind; it is not corrected, but told
ELSEWHERE = 2.0  # what is noted where a step has led to another circuit
FAR = 1e2  # times as far as a residual that holds, nothing is moved for it: rows depend on each other but for so much
HOLDS = 5e-10  # a residual up to which a row holds, in units of the coordinates, or of the fastest speed and of 1/T


@kernel
def all_speeds(mode: EmbeddedMode) -> None:
    """u = T u_ind + S."""
    n_q, n, m, k, rows = mode.n_q, mode.n, mode.m, mode.k, mode.rows
    C, d, u = offset(mode.place, rows + rows * n), mode.D, mode.u
    e, u_ind = mode.gamma, offset(mode.x, n_q)
    for i in range(m):
        e[i] = -C[mode.kept[i]]
    lu_solve(m, mode.B1, mode.order, e)
    for a in range(k):
        u[mode.ind[a]] = u_ind[a]
    for i in range(m):
        total = e[i]
        for a in range(k):
            total += d[i * k + a] * u_ind[a]
        u[mode.dep[i]] = total


@kernel
def departs(mode: EmbeddedMode) -> i64:
    """1 where some row does not hold, whether it is kept or says nothing new: Φ, or B u + C; all speeds are known."""
    n, rows = mode.n, mode.rows
    u, fastest = mode.u, divide(1.0, mode.unit_t)
    for j in range(n):
        fastest = maximum(fastest, divide(fabs(u[j]), mode.unit_u[j]))
    for row in range(rows):
        rate = mode.place[rows + rows * n + row]
        for j in range(n):
            rate += mode.place[rows + row * n + j] * u[j]
        if measured(mode, row, rate) > HOLDS * fastest:
            return 1
        if mode.still[row] % 2 != 0 and measured(mode, row, mode.place[row]) > HOLDS:
            return 1
    return 0


@kernel
def settle(code: i32p, z: f64p, x: f64p) -> None:
    """After a step: quaternions of unit length, coordinates on Φ = 0. Then 1 where x changed; 1 where speeds are poor,
    or where some row does not hold, 2 where the step has led to another circuit.

    Dependent speeds follow from x, so nothing else is to do; both notes stand behind the states.
    """
    mode = record_at(EmbeddedMode, z, code[0])
    n_q, m, k = mode.n_q, mode.m, mode.k
    notes, states = mode.notes, n_q + k + 1
    for i in range(states):
        mode.x[i] = x[i]
    changed = unit_quaternions(mode)
    read_rows(mode)
    residual = largest_residual(mode)
    notes.residual = residual
    tries, size = 0, 1.0
    for i in range(n_q):
        size = maximum(size, divide(fabs(mode.x[i]), mode.unit_q[i]))
    while residual > EXACT and residual < MAX_RESIDUAL * size and tries < NEWTON:
        dependent_columns(mode)
        length = correct(mode)
        if length > FAR * residual and residual <= HOLDS:
            for i in range(n_q):
                mode.x[i] = x[i]
            changed = unit_quaternions(mode)
            read_rows(mode)
            break
        unit_quaternions(mode)
        notes.corrections += 1.0
        notes.longest_step = maximum(notes.longest_step, length)
        changed = 1
        tries += 1
        read_rows(mode)
        before = residual
        residual = largest_residual(mode)
        if residual > 0.5 * before:
            break
    dependent_columns(mode)
    for i in range(n_q):
        x[i] = mode.x[i]
    poor = notes.largest_d > notes.limit_d or notes.pivot < notes.limit_pivot
    if notes.largest_d < 0.5 * WORST_D and notes.pivot > 2.0 * notes.floor:
        notes.limit_d = WORST_D
        notes.limit_pivot = notes.floor
    x[states] = float(changed)
    all_speeds(mode)
    x[states + 1] = 1.0 if (poor and m > 0) or departs(mode) != 0 else 0.0
    if m > 0 and leaves_circuit(mode) != 0:
        x[states + 1] = ELSEWHERE


together(settle)

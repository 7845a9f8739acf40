"""What moves at a state with the constraints of the run held, as kernels: q̇, M, f, P and u̇₀ without contacts.

    P = M⁻¹ − M⁻¹ Bᵀ S⁻¹ B M⁻¹,    u̇₀ = P f − M⁻¹ Bᵀ S⁻¹ c,    S = B M⁻¹ Bᵀ

M is inverted again only where it has changed. Products with M and P go over the entries that are not zero: bodies that
only contacts couple have no others than their own.
"""

from __future__ import annotations

from latchwork.hybrid.contacts.delassus_operator import hold, invert_frictional
from latchwork.hybrid.time_stepping.time_step import CAREFUL, DONE, FREE_MOTION, Given, TimeStep
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, offset
from latchwork.program.scalar import maximum


@kernel
def list_entries(rows: i64, n: i64, A: f64p, count: i64p, index: i64p) -> None:
    """Where entries of each row are not zero."""
    for i in range(rows):
        k = 0
        for j in range(n):
            if A[i * n + j] != 0.0:
                index[i * n + k] = j
                k += 1
        count[i] = k


@kernel
def multiply_listed(rows: i64, n: i64, A: f64p, count: i64p, index: i64p, x: f64p, out: f64p) -> None:
    """``A x``."""
    for i in range(rows):
        total = 0.0
        for k in range(count[i]):
            j = index[i * n + k]
            total += A[i * n + j] * x[j]
        out[i] = total


@kernel
def largest(step: TimeStep, speeds: f64p) -> f64:
    """The largest of some speeds, or of their rates or changes, at the length of the model: ``L max |u_j| / ū_j``."""
    most = 0.0
    for j in range(step.n):
        most = maximum(most, divide(fabs(speeds[j]), step.unit[j]))
    return step.length * most


@kernel
def read_motion(step: TimeStep, x: f64p) -> None:
    """q̇, M, f, a and b at a state, and M⁻¹."""
    n, packed, known = step.n, offset(step.moved, step.n_q), step.packed
    evaluate(step.motion, x, step.moved)
    size = n * (n + 1) // 2
    if step.known == 1:
        same = 1
        for i in range(size):
            if packed[i] != known[i]:
                same = 0
                break
        if same == 1:
            return
    for i in range(n):
        for j in range(i + 1):
            value = packed[i * (i + 1) // 2 + j]
            known[i * (i + 1) // 2 + j] = value
            step.M[i * n + j], step.M[j * n + i] = value, value
    list_entries(n, n, step.M, step.M_count, step.M_index)
    step.regular = invert_frictional(n, known, step.M, step.M_inverse, step.out)
    step.known, step.listed = 1, 0


@kernel
def kinetic_energy(step: TimeStep, u: f64p) -> f64:
    """½ uᵀ M u, with M where it was read last."""
    multiply_listed(step.n, step.n, step.M, step.M_count, step.M_index, u, step.row)
    total = 0.0
    for i in range(step.n):
        total += u[i] * step.row[i]
    return 0.5 * total


@kernel
def answer_for(given: Given, kind: i64, x: f64p) -> i64:
    """Which answer was given for a state; −1 for none."""
    for g in range(given.count):
        if given.kind[g] == kind:
            same = 1
            for i in range(given.n_x):
                if given.x[g * given.n_x + i] != x[i]:
                    same = 0
                    break
            if same == 1:
                return g
    return -1


@kernel
def ask(step: TimeStep, kind: i64, x: f64p) -> i64:
    """Ask for something at a state."""
    step.asked = kind
    for i in range(step.n_x):
        step.asked_x[i] = x[i]
    return CAREFUL


@kernel
def read_held(step: TimeStep, x: f64p) -> None:
    """Φ, B and C of the rows that hold."""
    evaluate(step.held_place, x, step.held_out)
    for i in range(step.held * step.n):
        step.B[i] = step.held_out[step.held + i]


@kernel
def free_motion(step: TimeStep, x: f64p) -> i64:
    """P and u̇₀ at a state; `CAREFUL` where they have to be given."""
    n, P = step.n, step.P
    read_motion(step, x)
    f = offset(step.moved, step.n_q + n * (n + 1) // 2)
    if step.regular == 1:
        if step.listed == 0 or step.held > 0:
            for i in range(n * n):
                P[i] = step.M_inverse[i]
            list_entries(n, n, P, step.P_count, step.P_index)
            step.listed = 1
        multiply_listed(n, n, P, step.P_count, step.P_index, f, step.free)
        if step.held == 0:
            return DONE
        read_held(step, x)
        evaluate(step.held_bias, x, step.held_c)
        if hold(n, step.held, step.B, step.held_c, P, step.free, step.out) == 1:
            list_entries(n, n, P, step.P_count, step.P_index)
            return DONE
    g = answer_for(step.given, FREE_MOTION, x)
    if g < 0:
        return ask(step, FREE_MOTION, x)
    answer = offset(step.given.answer, g * step.given.wide)
    for i in range(n * n):
        P[i] = answer[i]
    for i in range(n):
        step.free[i] = answer[n * n + i]
    list_entries(n, n, P, step.P_count, step.P_index)
    step.listed = 0
    return DONE


@kernel
def energy_at(step: TimeStep, x: f64p) -> f64:
    """K + V."""
    evaluate(step.energy, x, step.value)
    return step.value[0]

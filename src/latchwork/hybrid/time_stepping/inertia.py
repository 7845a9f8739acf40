"""What moves at a state with the constraints of the run held, as kernels: q̇, M, f, P and u̇₀ without contacts.

    P = M⁻¹ − M⁻¹ Bᵀ S⁻¹ B M⁻¹,    u̇₀ = P f − M⁻¹ Bᵀ S⁻¹ c,    S = B M⁻¹ Bᵀ

All of them block by block: bodies that only contacts couple have blocks of their own. A block of M is factored again
only where it has changed. P = Z Zᵀ gives speeds whose inertia is one, u = Z ξ. Where no rows hold, Z = L⁻¹ with
M = Lᵀ L has the zeros of the tree, and stands for P [Featherstone 2005].
"""

from __future__ import annotations

from latchwork.constraint.inertia import invert, is_regular, unpack
from latchwork.hybrid.contacts.delassus_operator import hold
from latchwork.hybrid.time_stepping.time_step import Asked, Given, Reason, TimeStep
from latchwork.program.evaluator import evaluate, evaluate_gathered
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

FLAT = 1e-14  # of an entry of P: what is left of it is rounding, and nothing moves that way


@kernel
def multiply_blocks(step: TimeStep, A: f64p, x: f64p, out: f64p) -> None:
    """``A x``, A block by block."""
    for b in range(step.blocks):
        start, at = step.block_start[b], step.square_at[b]
        size = step.block_start[b + 1] - start
        for i in range(size):
            total = 0.0
            for j in range(size):
                total += A[at + i * size + j] * x[step.speed[start + j]]
            out[step.speed[start + i]] = total


@kernel
def largest(step: TimeStep, speeds: f64p) -> f64:
    """The largest of some speeds, or of their rates or changes, at the length of the model: ``L max |u_j| / ū_j``."""
    most = 0.0
    for j in range(step.n):
        most = maximum(most, divide(fabs(speeds[j]), step.unit[j]))
    return step.length * most


@kernel
def forces(step: TimeStep) -> f64p:
    """f where motion was read last; behind it a and b."""
    return offset(step.moved, step.n_q + step.n_packed)


@kernel
def read_motion(step: TimeStep, x: f64p) -> None:
    """q̇, M, f, a and b at a state, and M⁻¹."""
    packed, known = offset(step.moved, step.n_q), step.packed
    evaluate_gathered(step.motion, x, step.moved)
    changed = 0
    for b in range(step.blocks):
        first, last = step.packed_at[b], step.packed_at[b + 1]
        same = step.known
        for i in range(first, last):
            if packed[i] != known[i]:
                same = 0
                break
        if same == 0:
            for i in range(first, last):
                known[i] = packed[i]
            changed = 1
            size = step.block_start[b + 1] - step.block_start[b]
            unpack(size, offset(known, first), offset(step.M, step.square_at[b]))
            if step.held > 0:
                invert_block(step, b)
            elif root_block(step, b) == 0:
                step.Z[step.square_at[b]] = 0.0
    step.known = 1
    if changed == 1:
        check_regular(step)


@kernel
def invert_block(step: TimeStep, b: i64) -> None:
    """M⁻¹ of a block; it begins with zero where M is close to singular."""
    size = step.block_start[b + 1] - step.block_start[b]
    M, inverse = offset(step.M, step.square_at[b]), offset(step.M_inverse, step.square_at[b])
    for i in range(size):
        inverse[i] = M[i * size + i]
    if invert(size, M, inverse, step.out) == 0:
        inverse[0] = 0.0


@kernel
def root_block(step: TimeStep, b: i64) -> i64:
    """``Z = L⁻¹`` of a block, M = Lᵀ L, from the tips of the tree to its root; 0 where M is close to singular."""
    start, end, M, L = step.block_start[b], step.block_start[b + 1], step.M, step.Z
    for i in range(step.square_at[b], step.square_at[b + 1]):
        L[i] = M[i]
    for k in range(end - 1, start - 1, -1):
        row, first, last = step.row_at[k], step.way_at[k], step.way_at[k + 1]
        if is_regular(L[row + k], M[row + k]) == 0:
            return 0
        L[row + k] = sqrt(L[row + k])
        for a in range(first, last):
            L[row + step.way[a]] = divide(L[row + step.way[a]], L[row + k])
        for a in range(first, last):
            i = step.way[a]
            factor, above = L[row + i], step.row_at[i]
            for c in range(first, a + 1):
                L[above + step.way[c]] -= factor * L[row + step.way[c]]
    for k in range(start, end):
        row, first, last = step.row_at[k], step.way_at[k], step.way_at[k + 1]
        L[row + k] = divide(1.0, L[row + k])
        for a in range(first, last):
            j, total = step.way[a], 0.0
            for c in range(a, last):
                i = step.way[c]
                total += L[row + i] * L[step.row_at[i] + j]
            L[row + j] = -L[row + k] * total
    return 1


@kernel
def apply_P(step: TimeStep, x: f64p, out: f64p) -> None:
    """``P x``."""
    if step.dense == 1:
        multiply_blocks(step, step.P, x, out)
        return
    Z, xi = step.Z, step.unit_push
    for k in range(step.n):
        xi[k] = 0.0
    for k in range(step.n):
        row, own = step.row_at[k], x[step.speed[k]]
        if own != 0.0:
            for a in range(step.way_at[k], step.way_at[k + 1]):
                xi[step.way[a]] += Z[row + step.way[a]] * own
            xi[k] += Z[row + k] * own
    for k in range(step.n):
        row = step.row_at[k]
        total = Z[row + k] * xi[k]
        for a in range(step.way_at[k], step.way_at[k + 1]):
            total += Z[row + step.way[a]] * xi[step.way[a]]
        out[step.speed[k]] = total


@kernel
def check_regular(step: TimeStep) -> None:
    """M has an inverse where all of its blocks have."""
    step.regular, inverse = 1, step.M_inverse if step.held > 0 else step.Z
    for b in range(step.blocks):
        if not inverse[step.square_at[b]] > 0.0:
            step.regular = 0


@kernel
def find_roots(step: TimeStep) -> None:
    """``P = Z Zᵀ``, Z below the diagonal; a column is zero where P does not move anything more."""
    for b in range(step.blocks):
        size = step.block_start[b + 1] - step.block_start[b]
        P, Z = offset(step.P, step.square_at[b]), offset(step.Z, step.square_at[b])
        for i in range(size * size):
            Z[i] = 0.0
        for j in range(size):
            pivot = P[j * size + j]
            for k in range(j):
                pivot -= Z[j * size + k] * Z[j * size + k]
            if pivot > FLAT * P[j * size + j]:
                root = sqrt(pivot)
                Z[j * size + j] = root
                for i in range(j + 1, size):
                    total = P[i * size + j]
                    for k in range(j):
                        total -= Z[i * size + k] * Z[j * size + k]
                    Z[i * size + j] = divide(total, root)


@kernel
def kinetic_energy(step: TimeStep, u: f64p) -> f64:
    """½ uᵀ M u, with M where it was read last."""
    multiply_blocks(step, step.M, u, step.row)
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
    return Reason.CAREFUL


@kernel
def read_held(step: TimeStep, x: f64p) -> None:
    """Φ, B and C of the rows that hold."""
    evaluate(step.held_place, x, step.held_out)
    for i in range(step.held * step.n):
        step.B[i] = step.held_out[step.held + i]


@kernel
def free_motion(step: TimeStep, x: f64p) -> i64:
    """P, Z and u̇₀ at a state; `Reason.CAREFUL` where they have to be given."""
    n, P = step.n, step.P
    read_motion(step, x)
    step.dense = 0 if step.held == 0 and step.regular == 1 else 1
    if step.dense == 0:
        apply_P(step, forces(step), step.free)
        return Reason.DONE
    if step.regular == 1:
        for i in range(step.n_square):
            P[i] = step.M_inverse[i]
        multiply_blocks(step, P, forces(step), step.free)
        read_held(step, x)
        evaluate(step.held_bias, x, step.held_c)
        if hold(n, step.held, step.B, step.held_c, P, step.free, step.out) == 1:
            find_roots(step)
            return Reason.DONE
    g = answer_for(step.given, Asked.FREE_MOTION, x)
    if g < 0:
        return ask(step, Asked.FREE_MOTION, x)
    given, udot = offset(step.given.P, g * n * n), offset(step.given.udot, g * n)
    for b in range(step.blocks):
        start, at = step.block_start[b], step.square_at[b]
        size = step.block_start[b + 1] - start
        for i in range(size):
            for j in range(size):
                P[at + i * size + j] = given[step.speed[start + i] * n + step.speed[start + j]]
    for i in range(n):
        step.free[i] = udot[i]
    find_roots(step)
    step.known = 0
    return Reason.DONE


@kernel
def energy_at(step: TimeStep, x: f64p) -> f64:
    """K + V."""
    evaluate(step.energy, x, step.value)
    return step.value[0]

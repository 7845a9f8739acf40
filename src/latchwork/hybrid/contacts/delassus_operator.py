"""Delassus operator of the contacts that are near, as a kernel: relative velocities, and what unit forces do there.

    v = J u + C,    a = A λ + b,    A = J P Jᵀ,    b = J u̇₀ + c
    P = M⁻¹ − M⁻¹ Bᵀ S⁻¹ B M⁻¹,    u̇₀ = P f − M⁻¹ Bᵀ S⁻¹ c_B,    S = B M⁻¹ Bᵀ

J are the rows of the contacts, normal first; B those that hold besides. Friction of a joint has no normal row: there
J, v and a are zero. Impulses change speeds by P Jᵀ Λ. Friction of
contacts that the coordinates enforce, g (N0 + N1 · u̇), is part of M and f. Where M or S is close to singular, P and u̇₀
are given (`Delassus.given_P`).  [Delassus 1917; Brogliato, Nonsmooth Mechanics §5.2]
"""

from __future__ import annotations

from latchwork.algebra.elimination import lu, lu_solve
from latchwork.constraint.inertia import invert, square, times
from latchwork.program.evaluator import Evaluator, evaluate
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, offset, sqrt
from latchwork.program.records.record import array, record
from latchwork.program.scalar import maximum

ROUNDING = 1e-14  # of the terms of a sum that cancel
APART = 1e-6  # pivots of S, whose diagonal is made 1: below it rows are close to depending on each other
ROUNDED = 1e-13  # of the kinetic energy: changes below it are rounding
GIVEN = 8  # P and u̇₀ that may be given at one state


@record
class Delassus:
    """Room for contacts and rows, and what is known of those that are near."""

    n_q: i64
    n: i64
    most_contacts: i64
    most_rows: i64
    most_held: i64
    most_enforced: i64
    n_motion: i64
    n_inputs: i64
    n_work: i64
    contacts: i64  # that are near
    rows: i64
    collide: i64  # the first of them, which take part in impacts; behind them dry friction of joints
    collide_rows: i64
    held: i64  # rows that always hold besides
    extra: i64  # and rows that hold besides for now: behind them in B and c_B
    drags: i64  # contacts that slide where the coordinates enforce them
    calls: i64  # how often it was assembled at this state
    supplied: i64  # how many P and u̇₀ are given for this state
    motion_scale: f64  # the largest Σ |J u| + |C|: differences of speeds are judged by it
    unheld: f64  # the largest entry of J M⁻¹ Jᵀ: what moves where nothing holds besides
    motion: Evaluator
    held_place: Evaluator
    held_bias: Evaluator
    point: i64p = array("most_contacts")  # contact points of the scene
    first: i64p = array("most_contacts")  # their normal rows
    tangents: i64p = array("most_contacts")
    kinetic_bound: f64p = array("most_contacts")  # √(A_nn · uᵀ M u)
    row_unit: f64p = array("most_rows")  # of velocities along rows, over that of the model: of angles other than 1
    slip_unit: f64p = array("most_rows")  # the same where rates of joints are judged; else 1
    normals: f64p = array("4 * most_contacts")  # of those that are sharp, and 1 where another contact has the same row
    v: f64p = array("most_rows")
    b: f64p = array("most_rows")
    summed: f64p = array("most_rows")  # Σ |(J P)_j f_j| and |c|: what b is summed from
    C: f64p = array("most_rows")
    c: f64p = array("most_rows")
    A: f64p = array("most_rows * most_rows")
    J: f64p = array("most_rows * n")
    M: f64p = array("n * n")  # with friction of enforced contacts in it
    mass: f64p = array("n * n")  # without
    inverse: f64p = array("n * n")  # P
    f: f64p = array("n")
    udot: f64p = array("n")
    B: f64p = array("most_held * n")
    held_c: f64p = array("most_held")
    held_out: f64p = array("most_held * (n + 2)")
    aside: f64p = array("n_q")  # a change of coordinates, to where rows are as usual
    beside: f64p = array("n_inputs")  # (t, q, u, rest) there
    reaction: f64p = array("most_held")  # λ of the rows that hold besides
    held_system: f64p = array("most_held * most_held")  # room to find them
    held_right: f64p = array("most_held")
    held_scale: f64p = array("most_held")
    held_tau: f64p = array("most_held")
    held_turned: f64p = array("most_held")
    held_order: f64p = array("most_held")
    friction: f64p = array("most_enforced * (2 * n + 1)")  # g, N1, N0 of each that drags
    moved: f64p = array("n_motion")  # q̇, M, f, power
    given_P: f64p = array(f"{GIVEN} * n * n")  # P, one after the other, where they are given, with M, u̇₀ and f
    given_M: f64p = array(f"{GIVEN} * n * n")
    given_udot: f64p = array(f"{GIVEN} * n")
    given_f: f64p = array(f"{GIVEN} * n")
    given_unheld: f64p = array(GIVEN)
    work: f64p = array("n_work")
    lam: f64p = array("most_rows")  # forces of the contacts that stay
    impulse: f64p = array("most_rows")
    picked: i64p = array("most_rows")  # rows of a linear system, and room to solve it
    system: f64p = array("most_rows * most_rows")
    right: f64p = array("most_rows")
    answer: f64p = array("most_rows")
    column: f64p = array("most_rows")
    tau: f64p = array("most_rows")
    turned: f64p = array("most_rows")
    order: f64p = array("most_rows")
    soon: f64p = array("most_rows")  # b a moment later at the same place
    firmness: f64p = array("most_contacts")  # how many times further each contact that sticks may be beyond its cone
    kept_lam: f64p = array("most_rows")  # λ of an answer while another one is tried
    unmatched: f64p = array(6)  # of the tangents of a contact: what rows that others hold leave of A and v, by rows
    unlimited: f64p = array(2)  # impulses along the tangents of a contact, before they are brought to their limit


@kernel
def read_inertia(delassus: Delassus, x: f64p) -> None:
    """M and f at x = (t, q, u, rest), with the friction of contacts that the coordinates enforce."""
    n, M, f = delassus.n, delassus.M, delassus.f
    evaluate(delassus.motion, x, delassus.moved)
    packed = offset(delassus.moved, delassus.n_q)
    for i in range(n):
        for j in range(i + 1):
            M[i * n + j] = packed[i * (i + 1) // 2 + j]
            M[j * n + i] = packed[i * (i + 1) // 2 + j]
            delassus.mass[i * n + j], delassus.mass[j * n + i] = M[i * n + j], M[i * n + j]
        f[i] = packed[n * (n + 1) // 2 + i]
    for d in range(delassus.drags):
        g = offset(delassus.friction, d * (2 * n + 1))
        N1 = offset(g, n)
        for i in range(n):
            f[i] += g[i] * N1[n]
            for j in range(n):
                M[i * n + j] -= g[i] * N1[j]


@kernel
def read_held(delassus: Delassus, x: f64p) -> None:
    """B and c of the rows that always hold."""
    n, held = delassus.n, delassus.held
    if held > 0:
        evaluate(delassus.held_place, x, delassus.held_out)
        for i in range(held * n):
            delassus.B[i] = delassus.held_out[held + i]
        evaluate(delassus.held_bias, x, delassus.held_c)


@kernel
def invert_frictional(n: i64, packed: f64p, M: f64p, inverse: f64p, work: f64p) -> i64:
    """M⁻¹, speeds measured by their inertia without friction, ``packed``; 0 where M is close to singular."""
    for i in range(n):
        inverse[i] = packed[i * (i + 3) // 2]
    return invert(n, M, inverse, work)


@kernel
def hold(n: i64, m: i64, B: f64p, c: f64p, inverse: f64p, udot: f64p, work: f64p) -> i64:
    """P and u̇₀ from M⁻¹ and M⁻¹ f, with m rows B held; 0 where they are close to depending on each other."""
    G, H, S = work, offset(work, n * m), offset(work, 2 * n * m)  # M⁻¹ Bᵀ by rows of Bᵀ, B M⁻¹, and S
    scale, order, right = offset(S, m * m), offset(S, m * m + m), offset(S, m * m + 2 * m)
    for r in range(m):
        for i in range(n):
            G[r * n + i] = times(n, offset(inverse, i * n), offset(B, r * n))
            total = 0.0
            for j in range(n):
                total += B[r * n + j] * inverse[j * n + i]
            H[r * n + i] = total
    for r in range(m):
        scale[r] = sqrt(divide(1.0, times(n, offset(B, r * n), offset(G, r * n))))
    for r in range(m):
        for s in range(m):
            S[r * m + s] = times(n, offset(B, r * n), offset(G, s * n)) * scale[r] * scale[s]
    if not lu(m, S, order) > APART:
        return 0
    for r in range(m):
        right[r] = (times(n, offset(B, r * n), udot) + c[r]) * scale[r]
    lu_solve(m, S, order, right)
    for i in range(n):
        for r in range(m):
            udot[i] -= G[r * n + i] * scale[r] * right[r]
    for j in range(n):
        for r in range(m):
            right[r] = H[r * n + j] * scale[r]
        lu_solve(m, S, order, right)
        for i in range(n):
            for r in range(m):
                inverse[i * n + j] -= G[r * n + i] * scale[r] * right[r]
    return 1


@kernel
def square_length(n: i64, M: f64p, row: f64p) -> f64:
    """Σ B_j²/M_jj of a row."""
    total = 0.0
    for j in range(n):
        total += divide(row[j] * row[j], M[j * n + j])
    return total


@kernel
def fades(delassus: Delassus, x: f64p) -> i64:
    """1 where a row that always holds is next to nothing beside what it is some way off: it may be at a singular
    position. Rows are not compared with each other: one may be of an angle, and another of a length."""
    n, held, beside = delassus.n, delassus.held, delassus.beside
    if held == 0:
        return 0
    for i in range(delassus.held_place.inputs):
        beside[i] = x[i]
    for i in range(delassus.n_q):
        beside[1 + i] += delassus.aside[i]
    evaluate(delassus.held_place, beside, delassus.held_out)
    for r in range(held):
        usual = square_length(n, delassus.M, offset(delassus.held_out, held + r * n))
        usual = usual if usual - usual == 0.0 else 0.0
        if not square_length(n, delassus.M, offset(delassus.B, r * n)) > APART * APART * usual:
            return 1
    return 0


@kernel
def largest_unheld(delassus: Delassus) -> f64:
    """The largest entry of the diagonal of J M⁻¹ Jᵀ."""
    n, most = delassus.n, 0.0
    for i in range(delassus.rows):
        total = 0.0
        for j in range(n):
            total += delassus.J[i * n + j] * times(n, offset(delassus.inverse, j * n), offset(delassus.J, i * n))
        most = maximum(most, total)
    return most


@kernel
def free_motion(delassus: Delassus, x: f64p) -> i64:
    """M and f with friction in them, P and u̇₀; 0 where they have to be given."""
    n, m = delassus.n, delassus.held + delassus.extra
    inverse, udot = delassus.inverse, delassus.udot
    read_inertia(delassus, x)
    read_held(delassus, x)
    call = delassus.calls
    delassus.calls = call + 1
    packed = offset(delassus.moved, delassus.n_q)
    if fades(delassus, x) == 0 and invert_frictional(n, packed, delassus.M, inverse, delassus.work) == 1:
        delassus.unheld = largest_unheld(delassus)
        for i in range(n):
            udot[i] = times(n, offset(inverse, i * n), delassus.f)
        if m == 0 or hold(n, m, delassus.B, delassus.held_c, inverse, udot, delassus.work) == 1:
            return 1
    if call >= delassus.supplied:
        delassus.calls = call
        return 0
    for i in range(n * n):
        inverse[i], delassus.M[i] = delassus.given_P[call * n * n + i], delassus.given_M[call * n * n + i]
    for i in range(n):
        udot[i], delassus.f[i] = delassus.given_udot[call * n + i], delassus.given_f[call * n + i]
    delassus.unheld = delassus.given_unheld[call]
    return 1


@kernel
def operate(delassus: Delassus, x: f64p) -> None:
    """v, b, A, and by what they are judged, once P and u̇₀ are known."""
    n, rows, u = delassus.n, delassus.rows, offset(x, 1 + delassus.n_q)
    v, b, C, c, J, A = delassus.v, delassus.b, delassus.C, delassus.c, delassus.J, delassus.A
    udot, inverse, work = delassus.udot, delassus.inverse, delassus.work
    pace, energy = 0.0, square(n, delassus.mass, u)
    for i in range(rows):
        v[i] = times(n, offset(J, i * n), u) + C[i]
        b[i] = times(n, offset(J, i * n), udot) + c[i]
        moves, size = fabs(C[i]), fabs(c[i])
        for j in range(n):
            moves += fabs(J[i * n + j] * u[j])
            size += fabs(J[i * n + j] * udot[j])
            total = 0.0
            for k in range(n):
                total += J[i * n + k] * inverse[k * n + j]
            work[j] = total
        pace = maximum(pace, divide(moves, delassus.slip_unit[i]))
        b[i] = b[i] if fabs(b[i]) > ROUNDING * size else 0.0
        delassus.summed[i] = size
        for j in range(n):
            delassus.summed[i] += fabs(work[j] * delassus.f[j])
        for k in range(rows):
            A[i * rows + k] = times(n, work, offset(J, k * n))
    for k in range(delassus.contacts):
        row = delassus.first[k]
        delassus.kinetic_bound[k] = sqrt(maximum(A[row * rows + row], 0.0) * maximum(energy, 0.0))
    delassus.motion_scale = pace


@kernel
def keep_only(delassus: Delassus, count: i64, some: i64p) -> None:
    """Only some of its contacts, in increasing order, and their rows."""
    n, rows, A, J, row = delassus.n, delassus.rows, delassus.A, delassus.J, 0
    kept, collide, collide_rows = 0, 0, 0
    for s in range(count):
        kept += 1 + delassus.tangents[some[s]]
    line = 0
    for s in range(count):
        i = some[s]
        for a in range(1 + delassus.tangents[i]):
            column = 0
            for r in range(count):
                j = some[r]
                for b in range(1 + delassus.tangents[j]):
                    A[line * kept + column] = A[(delassus.first[i] + a) * rows + delassus.first[j] + b]
                    column += 1
            line += 1
    for s in range(count):
        i = some[s]
        first, tangents = delassus.first[i], delassus.tangents[i]
        for a in range(1 + tangents):
            delassus.v[row + a], delassus.b[row + a] = delassus.v[first + a], delassus.b[first + a]
            delassus.C[row + a], delassus.c[row + a] = delassus.C[first + a], delassus.c[first + a]
            delassus.row_unit[row + a] = delassus.row_unit[first + a]
            delassus.slip_unit[row + a] = delassus.slip_unit[first + a]
            delassus.summed[row + a] = delassus.summed[first + a]
            for j in range(n):
                J[(row + a) * n + j] = J[(first + a) * n + j]
        delassus.point[s], delassus.tangents[s], delassus.first[s] = delassus.point[i], tangents, row
        delassus.kinetic_bound[s] = delassus.kinetic_bound[i]
        row += 1 + tangents
        if i < delassus.collide:
            collide, collide_rows = s + 1, row
    delassus.contacts, delassus.rows, delassus.collide, delassus.collide_rows = count, row, collide, collide_rows


@kernel
def move(delassus: Delassus, impulse: f64p, u: f64p) -> f64:
    """u⁺ = u⁻ + P Jᵀ Λ in place; the energy gained, 0 where it is the rounding of ½ uᵀ M u."""
    n, push = delassus.n, delassus.work
    before = square(n, delassus.mass, u)
    for j in range(n):
        push[j] = 0.0
        for r in range(delassus.rows):
            push[j] += delassus.J[r * n + j] * impulse[r]
    for i in range(n):
        u[i] += times(n, offset(delassus.inverse, i * n), push)
    after = square(n, delassus.mass, u)
    return 0.5 * (after - before) if fabs(after - before) > ROUNDED * maximum(before, after) else 0.0

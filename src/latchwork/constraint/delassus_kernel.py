"""What contacts are asked at one state, as a kernel: speeds, accelerations, and what unit forces do.

    v = J u + C,    A = J P Jᵀ,    b = J u̇₀ + c
    P = M⁻¹ − M⁻¹ Bᵀ S⁻¹ B M⁻¹,    u̇₀ = P f − M⁻¹ Bᵀ S⁻¹ c_B,    S = B M⁻¹ Bᵀ

J are the rows of the contacts, B those that hold besides. It gives up where M or S is close to singular.
"""

from __future__ import annotations

from latchwork.algebra.elimination import lu, lu_in_units, lu_solve
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.native import together
from latchwork.program.records.record import array, record
from latchwork.program.scalar import maximum, minimum

ROUNDING = 1e-14  # of the terms of a sum that cancel
REGULAR = 1e-12  # pivots of M, whose diagonal is made 1: below it M is close to singular
APART = 1e-6  # pivots of S, whose diagonal is made 1: below it rows are close to depending on each other


@record
class ContactRows:
    """How many rows a contact has, and where its programs give their outputs: Φ, J, C; then c."""

    rows: i64
    place: i64
    bias: i64


@record
class Delassus:
    """Contacts with what holds besides: sizes, where outputs are, and what is known of them at one state."""

    n_q: i64
    n: i64
    rows: i64  # of all contacts
    held: i64  # rows that hold besides
    place: i64  # where these are given: Φ, B, C
    bias: i64  # and their c
    contact_points: i64
    n_work: i64
    pace: f64  # the largest Σ |J u|
    contacts: list[ContactRows] = array("contact_points")
    swiftest: f64p = array("contact_points")  # √(A_nn · uᵀ M u)
    v: f64p = array("rows")
    b: f64p = array("rows")
    C: f64p = array("rows")
    c: f64p = array("rows")
    f: f64p = array("n")
    udot: f64p = array("n")
    A: f64p = array("rows * rows")
    J: f64p = array("rows * n")
    M: f64p = array("n * n")
    inverse: f64p = array("n * n")  # P
    work: f64p = array("n_work")


@kernel
def unpack(n: i64, packed: f64p, M: f64p) -> None:
    """A symmetric matrix from its lower triangle, row by row."""
    for i in range(n):
        for j in range(i + 1):
            M[i * n + j] = packed[i * (i + 1) // 2 + j]
            M[j * n + i] = packed[i * (i + 1) // 2 + j]


@kernel
def invert(n: i64, M: f64p, factors: f64p, order: f64p, inverse: f64p, column: f64p) -> i64:
    """M⁻¹; 0 where M, with speeds measured by √M_jj, is close to singular."""
    row = inverse
    for i in range(n):
        if not M[i * n + i] > 0.0:
            return 0
        row[i] = sqrt(M[i * n + i])
        column[i] = row[i]
    for i in range(n * n):
        factors[i] = M[i]
    if n > 0 and not lu_in_units(n, factors, order, row, column) > REGULAR:
        return 0
    for j in range(n):
        for i in range(n):
            column[i] = 1.0 if i == j else 0.0
        lu_solve(n, factors, order, column)
        for i in range(n):
            inverse[i * n + j] = column[i]
    return 1


@kernel
def times(n: i64, a: f64p, b: f64p) -> f64:
    """a · b."""
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@kernel
def square(n: i64, M: f64p, u: f64p) -> f64:
    """uᵀ M u."""
    total = 0.0
    for i in range(n):
        total += u[i] * times(n, offset(M, i * n), u)
    return total


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
def stack(known: Delassus, out: f64p) -> None:
    """Rows of all contacts below each other."""
    n, row, J, C, c = known.n, 0, known.J, known.C, known.c
    for k in range(known.contact_points):
        contact = known.contacts[k]
        rows, place, bias = contact.rows, contact.place, contact.bias
        for i in range(rows):
            for j in range(n):
                J[(row + i) * n + j] = out[place + rows + i * n + j]
            C[row + i] = out[place + rows + rows * n + i]
            c[row + i] = out[bias + i]
        row += rows


@kernel
def free(known: Delassus, out: f64p, extra: i64, more: f64p, drags: i64, friction_rows: f64p) -> i64:
    """M and f with friction in them, P and u̇₀; 0 where that takes more care. ``more`` are rows (B, c) besides."""
    n_q, n, held = known.n_q, known.n, known.held
    M, f, inverse, udot, work = known.M, known.f, known.inverse, known.udot, known.work
    unpack(n, offset(out, n_q), M)
    for i in range(n):
        f[i] = out[n_q + n * (n + 1) // 2 + i]
    for d in range(drags):
        g, N1 = offset(friction_rows, d * (2 * n + 1)), offset(friction_rows, d * (2 * n + 1) + n)
        for i in range(n):
            f[i] += g[i] * N1[n]
            for j in range(n):
                M[i * n + j] -= g[i] * N1[j]
    if invert(n, M, work, offset(work, n * n), inverse, offset(work, n * n + n)) == 0:
        return 0
    for i in range(n):
        udot[i] = times(n, offset(inverse, i * n), f)
    m = held + extra
    if m == 0:
        return 1
    B, c = work, offset(work, m * n)
    for r in range(held):
        for j in range(n):
            B[r * n + j] = out[known.place + held + r * n + j]
        c[r] = out[known.bias + r]
    for r in range(extra):
        for j in range(n):
            B[(held + r) * n + j] = more[r * (n + 1) + j]
        c[held + r] = more[r * (n + 1) + n]
    return hold(n, m, B, c, inverse, udot, offset(work, m * n + m))


@kernel
def square_length(n: i64, packed: f64p, row: f64p) -> f64:
    """Σ B_j²/M_jj of a row."""
    total = 0.0
    for j in range(n):
        total += divide(row[j] * row[j], packed[j * (j + 1) // 2 + j])
    return total


@kernel
def fades(known: Delassus, out: f64p) -> i64:
    """1 where a row that holds is next to nothing beside the others: it may be at a singular position."""
    n, held, packed, least, most = known.n, known.held, offset(out, known.n_q), 1.0e300, 0.0
    for r in range(held):
        square = square_length(n, packed, offset(out, known.place + held + r * n))
        least, most = minimum(least, square), maximum(most, square)
    for i in range(known.rows):
        most = maximum(most, square_length(n, packed, offset(known.J, i * n)))
    return 1 if held > 0 and not least > APART * APART * most else 0


@kernel
def gather(known: Delassus, out: f64p, x: f64p, extra: i64, more: f64p, drags: i64, friction_rows: f64p) -> i64:
    """What is known of contacts at a state; 0 where M or the rows that hold take more care."""
    n, rows, u = known.n, known.rows, offset(x, 1 + known.n_q)
    v, b, C, c, J, A, M = known.v, known.b, known.C, known.c, known.J, known.A, known.M
    udot, inverse, work = known.udot, known.inverse, known.work
    stack(known, out)
    if fades(known, out) != 0 or free(known, out, extra, more, drags, friction_rows) == 0:
        return 0
    pace, energy = 0.0, square(n, M, u)
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
        pace = maximum(pace, moves)
        b[i] = b[i] if fabs(b[i]) > ROUNDING * size else 0.0
        for k in range(rows):
            A[i * rows + k] = times(n, work, offset(J, k * n))
    row = 0
    for k in range(known.contact_points):
        known.swiftest[k] = sqrt(maximum(A[row * rows + row], 0.0) * maximum(energy, 0.0))
        row += known.contacts[k].rows
    known.pace = pace
    return 1


together(gather)

"""Projected inverse dynamics of a mode as a kernel: the least inputs that move and press as asked.

    M u̇ = f + G r + Bᵀ λ,   B u̇ + c = 0        u̇ = u̇₀ + U r,   λ = λ₀ + V r      (`response`)
    motion   J u̇ = a                           J U r = a − J u̇₀
    force    λ = λ*                            V r = λ* − λ₀
    least    ‖r‖_W = √(rᵀ W⁻¹ r)               [Aghili Eqs. 43, 44, 47-50, 52, 53-60]

With a motor in every joint G = I, and the first is f∥ = P (M u̇* − f), the second f⊥: P = I − B⁺B is what the mode does
to a force, and it changes with the mode by itself. With passive joints, the least r is (I + H) f∥.

An output that the rows of the mode hold altogether drops out. Of other motion that they do not allow, the nearest is
taken by Gauss's principle, in the metric (J M⁻¹ Jᵀ)⁻¹: P M (u̇ − u̇*) = 0, which is what (43) does. Motion goes first,
then force; within bounds as well.
"""

from __future__ import annotations

from latchwork.algebra.elimination import cholesky
from latchwork.algebra.factors import least_norm, null_vector
from latchwork.constraint.embedded.circuit import ASIDE, POINTS, SHARES, aside
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.near_singular import evaluate_near
from latchwork.constraint.embedded.recombination import entry, multipliers
from latchwork.constraint.embedded.rows_at import fill
from latchwork.control.bounded_least_squares import FREE, least_within
from latchwork.control.response import evaluate_open, respond
from latchwork.hybrid.closed_loop import ClosedLoop
from latchwork.program.evaluator import Evaluator
from latchwork.program.kernel import bits, divide, f64, f64p, i32p, i64, i64p, i64p_at, kernel, offset, sqrt
from latchwork.program.native import together
from latchwork.program.records.record import array, pointer, record
from latchwork.program.records.view import record_at
from latchwork.program.scalar import maximum

CUT = 1e-9  # of the largest: what inputs do to a motion or a force in a smaller part is nothing
HELD = 1e-10  # of J M⁻¹ Jᵀ: outputs that a mode accelerates by less are held
MEETS = 1e-7  # accelerations that inputs are to give may be off by this part of what cancels
PRESS, LITTLE = 1e-3, 1e-7  # weights of force and of small inputs beside motion, where bounds are met
FINE, MOTION, FORCE, BOUNDS, DEPENDENT = 0, 1, 2, 4, 8  # what gives way: sums of these
NAN = float("nan")


@record
class Law:
    """A law in a mode: its program, sizes, and workspace."""

    program: Evaluator = pointer()  # of (t, q, u, held): G, J, a, λ*, rates of memory, bounds
    n: i64
    p: i64  # inputs
    k: i64  # rows of motion
    presses: i64  # of force
    memory: i64
    rows: i64  # of the mode
    slides: i64  # 1 where forces do not lie along the rows kept
    bounded: i64
    by_force: i64  # 1 where a generalized force on every speed is wanted, not accelerations
    slots: i64
    width: i64
    stack: i64  # k + presses + p
    most: i64  # the largest of stack, p and rows
    work_words: i64
    gives_way: i64
    singular: i64  # 1 where the command is a limit along the branch of motion
    unknowns: i64  # inputs that the law does not know of
    place: i64p = array("p")
    unknown: i64p = array("unknowns")
    kept: f64p = array("unknowns")
    present: i64p = array("presses")  # 1 where what is pressed on holds in this mode
    source: i64p = array("memory")  # the press whose force each memory follows
    speed: i64p = array("presses")  # on which its generalized force acts; −1 where it is a multiplier
    pressed: f64p = array("presses * rows")  # how its force is made of multipliers
    weight: f64p = array("p")  # W^(1/2)
    z: f64p = array("slots")
    out: f64p = array("width")
    udot: f64p = array("n")
    lam: f64p = array("rows")
    dropped: i64p = array("k")  # 1 where the mode holds an output
    effect: f64p = array("p * n")  # Uᵀ
    force: f64p = array("p * rows")  # Vᵀ
    chol: f64p = array("n * n")
    half: f64p = array("k * n")  # L⁻¹ Jᵀ by rows, M = L Lᵀ
    metric: f64p = array("k * k")
    A: f64p = array("k * p")
    b: f64p = array("k")
    cost: f64p = array("k")  # what cancels in b
    press_A: f64p = array("presses * p")
    press_b: f64p = array("presses")
    C: f64p = array("k * k")
    side: i64p = array("p")
    rho: f64p = array("p")
    low: f64p = array("p")
    high: f64p = array("p")
    F: f64p = array("stack * p")
    basis: f64p = array("p * p")
    right: f64p = array("most")
    x: f64p = array("most")
    tau: f64p = array("most")
    turned: f64p = array("most")
    order: f64p = array("most")
    work: f64p = array("work_words")
    part: f64p = array("p + memory")


@kernel
def command(code: i32p, z: f64p, out: f64p) -> None:
    """Inputs, then rates of the memory, at (t, x) of a mode; nan where motion that could be had cannot be commanded.

    Near a singular position they are the limit along the branch of motion, from beside (`near_singular`).
    """
    mode = record_at(EmbeddedMode, z, code[0])
    loop = record_at(ClosedLoop, i64p_at(bits(mode.settings[0])), 0)
    law = record_at(Law, i64p_at(loop.law), 0)
    for i in range(law.p):
        mode.held[law.place[i]] = 0.0
    for i in range(law.unknowns):
        law.kept[i] = mode.held[law.unknown[i]]
        mode.held[law.unknown[i]] = 0.0
    command_in(mode, law, out)
    for i in range(law.unknowns):
        mode.held[law.unknown[i]] = law.kept[i]


@kernel
def command_in(mode: EmbeddedMode, law: Law, out: f64p) -> None:
    """The command where no input acts that is commanded, or unknown."""
    law.gives_way, law.singular = FINE, 0
    if law.slides == 0 and evaluate_near(mode) == 1:
        law.singular = 1
        from_beside(mode, law, out)
        return
    if law.slides == 0:
        multipliers(mode)
    else:
        evaluate_open(mode, 1)
    command_here(mode, law, out)


@kernel
def from_beside(mode: EmbeddedMode, law: Law, out: f64p) -> None:
    """The limit of the command along the course, at the place saved."""
    for i in range(law.p + law.memory):
        out[i] = 0.0
    for point in range(6):
        aside(mode, POINTS[point] * ASIDE)
        evaluate_open(mode, 0)
        command_here(mode, law, law.part)
        for i in range(law.p + law.memory):
            out[i] += SHARES[point] * law.part[i]
    for i in range(mode.n_q):
        mode.x[i] = mode.saved[i]


@kernel
def command_here(mode: EmbeddedMode, law: Law, out: f64p) -> None:
    """The command where the mode has been evaluated with no inputs."""
    n, p, rows = law.n, law.p, law.rows
    for j in range(n):
        law.udot[j] = mode.udot[j]
    for i in range(rows):
        law.lam[i] = mode.multiplier[i]
    fill(mode, law.z)
    law.program.run(law.program.code, law.z, law.out)
    wants_forces = 1 if law.presses > 0 else 0
    for c in range(p):
        respond(mode, law.slides, wants_forces, offset(law.out, c * n), offset(law.effect, c * n),
                offset(law.force, c * rows))  # fmt: skip
    diagonal_metric(mode, law)
    motion_rows(mode, law)
    force_rows(mode, law)
    if solve(law, 0) < law.k:
        drop_held(mode, law)
        gauss_metric(mode, law)
        motion_rows(mode, law)
        solve(law, 0)
    if law.bounded != 0:
        within_bounds(mode, law)
    judge(mode, law)
    for c in range(p):
        out[c] = law.weight[c] * law.rho[c]
        if law.gives_way % 2 == 1 or law.gives_way >= DEPENDENT:
            out[c] = NAN
    remember(mode, law, out)


@kernel
def diagonal_metric(mode: EmbeddedMode, law: Law) -> None:
    """Lengths of rows of J where speeds are measured by M_jj alone: enough where all motion can be had."""
    n, k, J, N = law.n, law.k, offset(law.out, law.p * law.n), law.metric
    packed = offset(mode.motion, mode.n_q)
    for j in range(n):
        law.x[j] = divide(1.0, entry(packed, j, j))
    for r in range(k):
        law.dropped[r] = 0
        total = 0.0
        for j in range(n):
            if J[r * n + j] != 0.0:
                total += J[r * n + j] * J[r * n + j] * law.x[j]
        for s in range(r):
            N[r * k + s] = 0.0
        N[r * k + r] = sqrt(total)


@kernel
def drop_held(mode: EmbeddedMode, law: Law) -> None:
    """Outputs that no force accelerates in this mode, J S Jᵀ = 0: they are held, whatever their errors."""
    n, J = law.n, offset(law.out, law.p * law.n)
    for r in range(law.k):
        respond(mode, law.slides, 0, offset(J, r * n), law.half, law.turned)
        total, size = 0.0, law.metric[r * law.k + r]
        for j in range(n):
            total += J[r * n + j] * law.half[j]
        if size > 0.0 and not total > HELD * size * size:
            law.dropped[r] = 1


@kernel
def gauss_metric(mode: EmbeddedMode, law: Law) -> None:
    """The factor of J M⁻¹ Jᵀ: of its inverse, motion that cannot be had is measured."""
    n, k, J = law.n, law.k, offset(law.out, law.p * law.n)
    packed, L, half, N = offset(mode.motion, mode.n_q), law.chol, law.half, law.metric
    for i in range(n):
        for j in range(i + 1):
            L[i * n + j] = entry(packed, i, j)
    cholesky(n, L)
    for r in range(k):
        for i in range(n):
            total = J[r * n + i] if law.dropped[r] == 0 else 0.0
            for j in range(i):
                total -= L[i * n + j] * half[r * n + j]
            half[r * n + i] = divide(total, L[i * n + i])
    for r in range(k):
        for s in range(r + 1):
            total = 0.0
            for j in range(n):
                total += half[r * n + j] * half[s * n + j]
            N[r * k + s] = total if r != s or law.dropped[r] == 0 else 1.0
    for r in range(k):
        law.cost[r] = N[r * k + r]
    cholesky(k, N)
    for r in range(k):
        if not N[r * k + r] > CUT * sqrt(law.cost[r]):
            law.gives_way = DEPENDENT  # whatever else


@kernel
def motion_rows(mode: EmbeddedMode, law: Law) -> None:
    """A = L⁻¹ J U W^(1/2) and b = L⁻¹ (a − J u̇₀) with L Lᵀ = J M⁻¹ Jᵀ; and the size of what cancels in b.

    Where a generalized force h is wanted, J = 1 and b is what h does.
    """
    n, p, k = law.n, law.p, law.k
    J, wanted = offset(law.out, p * n), offset(law.out, p * n + k * n)
    if law.by_force != 0:
        respond(mode, law.slides, 0, wanted, law.x, law.turned)
    for r in range(k):
        total, size = wanted[r], wanted[r] * wanted[r]
        for j in range(n):
            term = J[r * n + j] * law.udot[j]
            total -= term
            size += term * term
        law.b[r], law.cost[r] = total, sqrt(size)
        if law.by_force != 0:
            law.b[r], law.cost[r] = law.x[r], law.x[r] if law.x[r] > 0.0 else -law.x[r]
        for c in range(p):
            law.A[r * p + c] = 0.0
        for j in range(n):
            if J[r * n + j] != 0.0:
                for c in range(p):
                    law.A[r * p + c] += J[r * n + j] * law.effect[c * n + j] * law.weight[c]
        if law.dropped[r] != 0:
            law.b[r], law.cost[r] = 0.0, 0.0
            for c in range(p):
                law.A[r * p + c] = 0.0
        pivot = law.metric[r * k + r]
        for s in range(r):
            factor = law.metric[r * k + s]
            if factor != 0.0:
                law.b[r] -= factor * law.b[s]
                law.cost[r] += (factor if factor > 0.0 else -factor) * law.cost[s]
                for c in range(p):
                    law.A[r * p + c] -= factor * law.A[s * p + c]
        law.b[r], law.cost[r] = divide(law.b[r], pivot), divide(law.cost[r], pivot)
        for c in range(p):
            law.A[r * p + c] = divide(law.A[r * p + c], pivot)


@kernel
def share_of(mode: EmbeddedMode, law: Law, i: i64, row: i64) -> f64:
    """How much the multiplier of a row is of a force that is pressed with: a factor, and B where it is on a speed."""
    factor, n = law.pressed[i * law.rows + row], law.n
    return factor if law.speed[i] < 0 else factor * mode.place[law.rows + row * n + law.speed[i]]


@kernel
def force_rows(mode: EmbeddedMode, law: Law) -> None:
    """Rows V W^(1/2) and λ* − λ₀ of what is pressed on, each of unit length; zero where it does not hold."""
    p, rows, targets = law.p, law.rows, offset(law.out, law.p * law.n + law.k * law.n + law.k)
    for i in range(law.presses):
        total, size = targets[i], 0.0
        for j in range(rows):
            total -= share_of(mode, law, i, j) * law.lam[j]
        for c in range(p):
            effect = 0.0
            for j in range(rows):
                effect += share_of(mode, law, i, j) * law.force[c * rows + j]
            law.press_A[i * p + c] = effect * law.weight[c]
            size += law.press_A[i * p + c] * law.press_A[i * p + c]
        unit = divide(1.0, sqrt(size)) if law.present[i] != 0 and size > 0.0 else 0.0
        law.press_b[i] = total * unit
        for c in range(p):
            law.press_A[i * p + c] *= unit


@kernel
def solve(law: Law, bound: i64) -> i64:
    """ρ of least norm by motion, then by force among what motion leaves; those at a bound stay where they are.

    Gives the rank of the motion.
    """
    p, k, presses, F, right = law.p, law.k, law.presses, law.F, law.right
    for i in range(k):
        total = law.b[i]
        for c in range(p):
            held = bound != 0 and law.side[c] != FREE
            F[i * p + c] = 0.0 if held else law.A[i * p + c]
            if held:
                total -= law.A[i * p + c] * law.rho[c]
        right[i] = total
    for c in range(p):
        law.x[c] = 0.0
        law.order[c] = float(c)
    rank = least_norm(k, p, CUT, F, law.tau, law.turned, law.order, right, law.x)
    for c in range(p):
        if not (bound != 0 and law.side[c] != FREE):
            law.rho[c] = law.x[c]
    if presses > 0 and rank < p:
        press_within(law, bound, rank)
    return rank


@kernel
def press_within(law: Law, bound: i64, rank: i64) -> None:
    """Add to ρ what presses as asked and does not move: the least of the null space of the motion."""
    p, presses, left, basis = law.p, law.presses, law.p - rank, law.basis
    for l in range(left):
        null_vector(p, rank, l, law.F, law.turned, law.order, law.right, offset(basis, l * p))
        for c in range(p):
            if bound != 0 and law.side[c] != FREE:
                basis[l * p + c] = 0.0
    for i in range(presses):
        total = law.press_b[i]
        for c in range(p):
            total -= law.press_A[i * p + c] * law.rho[c]
        law.right[i] = total
        for l in range(left):
            total = 0.0
            for c in range(p):
                total += law.press_A[i * p + c] * basis[l * p + c]
            law.F[i * left + l] = total
    least_norm(presses, left, CUT, law.F, law.tau, law.turned, law.order, law.right, law.x)
    for l in range(left):
        for c in range(p):
            law.rho[c] += basis[l * p + c] * law.x[l]


@kernel
def is_outside(law: Law) -> i64:
    """1 where an input is outside of its bounds."""
    for c in range(law.p):
        if law.rho[c] < law.low[c] or law.rho[c] > law.high[c]:
            return 1
    return 0


@kernel
def within_bounds(mode: EmbeddedMode, law: Law) -> None:
    """Inputs within their bounds: which of them are at one is found by least squares, then all others solved again."""
    p, k, presses = law.p, law.k, law.presses
    bounds = offset(law.out, p * law.n + k * law.n + k + presses + 2 * law.memory)
    for c in range(p):
        law.low[c], law.high[c] = divide(bounds[c], law.weight[c]), divide(bounds[p + c], law.weight[c])
    if is_outside(law) == 0:
        return
    law.gives_way += BOUNDS
    gauss_metric(mode, law)
    motion_rows(mode, law)
    F, right, rows = law.F, law.right, k + presses + p
    for i in range(rows):
        right[i] = 0.0
        for c in range(p):
            F[i * p + c] = 0.0
            if i < k:
                F[i * p + c] = law.A[i * p + c]
            elif i < k + presses:
                F[i * p + c] = PRESS * law.press_A[(i - k) * p + c]
            elif i - k - presses == c:
                F[i * p + c] = LITTLE
        if i < k:
            right[i] = law.b[i]
        elif i < k + presses:
            right[i] = PRESS * law.press_b[i - k]
    least_within(rows, p, F, right, law.low, law.high, law.rho, law.side, law.work)
    for c in range(p):
        law.basis[c] = law.rho[c]
    solve(law, 1)
    if is_outside(law) == 1:
        for c in range(p):
            law.rho[c] = law.basis[c]


@kernel
def judge(mode: EmbeddedMode, law: Law) -> None:
    """What gives way: motion that forces on all speeds could give, and force that is asked for."""
    p, k, off, size = law.p, law.k, 0.0, 0.0
    for i in range(k):
        total = law.b[i]
        for c in range(p):
            total -= law.A[i * p + c] * law.rho[c]
        law.right[i] = total
        off += total * total
        size = maximum(size, law.cost[i])
    if off > MEETS * MEETS * size * size and can_be_had(mode, law, size) == 1 and law.gives_way < BOUNDS:
        law.gives_way += MOTION
    off = 0.0
    for i in range(law.presses):
        total, size = law.press_b[i], 0.0
        for c in range(p):
            total -= law.press_A[i * p + c] * law.rho[c]
            size = maximum(size, law.rho[c] if law.rho[c] > 0.0 else -law.rho[c])
        size = maximum(size, law.press_b[i] if law.press_b[i] > 0.0 else -law.press_b[i])
        if total * total > MEETS * MEETS * size * size:
            off = 1.0
    if off > 0.0:
        law.gives_way += FORCE


@kernel
def can_be_had(mode: EmbeddedMode, law: Law, size: f64) -> i64:
    """1 where some generalized force gives a part of what is left, b, of the motion: Cᵀ b ≠ 0, C = L⁻¹ J S Jᵀ L⁻ᵀ.

    What no force gives, the rows of the mode hold.
    """
    n, k, J, C = law.n, law.k, offset(law.out, law.p * law.n), law.C
    for r in range(k):
        respond(mode, law.slides, 0, offset(J, r * n), law.half, law.turned)
        for s in range(k):
            total = 0.0
            for j in range(n):
                total += J[s * n + j] * law.half[j]
            C[s * k + r] = total if law.dropped[r] + law.dropped[s] == 0 else 0.0
    for r in range(k):
        lower_solve(k, law.metric, C, r, k)
    for r in range(k):
        row = offset(C, r * k)
        lower_solve(k, law.metric, row, 0, 1)
    off = 0.0
    for r in range(k):
        total = 0.0
        for s in range(k):
            total += C[s * k + r] * law.right[s]
        off = maximum(off, total if total > 0.0 else -total)
    return 1 if off > MEETS * size else 0


@kernel
def lower_solve(k: i64, L: f64p, x: f64p, first: i64, stride: i64) -> None:
    """``x ← L⁻¹ x`` of numbers that stand a stride apart."""
    for i in range(k):
        total = x[first + i * stride]
        for j in range(i):
            total -= L[i * k + j] * x[first + j * stride]
        x[first + i * stride] = divide(total, L[i * k + i])


@kernel
def remember(mode: EmbeddedMode, law: Law, out: f64p) -> None:
    """The rates of the memory, a + b λ with the λ that comes of the command; at rest where nothing is pressed on."""
    p, rows = law.p, law.rows
    rates = offset(law.out, p * law.n + law.k * law.n + law.k + law.presses)
    for i in range(law.memory):
        press, total = law.source[i], 0.0
        for j in range(rows):
            force = law.lam[j]
            for c in range(p):
                force += law.force[c * rows + j] * out[c]
            total += share_of(mode, law, press, j) * force
        out[p + i] = rates[i] + rates[law.memory + i] * total if law.present[press] != 0 else 0.0


together(command)

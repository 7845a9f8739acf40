"""Newton's method on the proximal cone problem of an island, in speeds, as a kernel.

    F(ξ) = ξ − Gᵀ Π(y) = 0,    y = P₀ − (G ξ + b + s)/R,    H = 1 + Gᵀ (∂Π/∂y / R) G

s is a shift of normal velocities. There are as many unknowns as speeds, however many contacts there are: redundant ones
add to H, which is never singular where Π is convex. A step ends where its slope −F · δ changes sign; where Π is convex,
F is the gradient of a convex function, and this leads to its minimum. H is factored in its profile, without pivots,
where regions of the cones have changed.
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import ConeProblem, along, island_size, push, row_of
from latchwork.contact.time_stepping.projection import CONVEX, COULOMB, HELD_BACK, SLIDES, differentiate, project
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset
from latchwork.program.scalar import maximum

STEPS = 20
SAME = 5e-11  # of the velocities at hand: what is left of F, which rounding keeps from less than 1e-16 A/R
LEAST_PIVOT = 1e-6  # of H, whose least eigenvalue is 1 where it is symmetric
LESS = 1e-2  # of the slope where a search began: what is left of it where it ends
SEARCH = 12  # places along a step
SHORT = 0.1  # a part of a step that is short; with Coulomb's projection few in a row lead on
MOST_SHORT = 2
CONVERGED, ENDED = range(2)


@kernel
def dot(n: i64, a: f64p, b: f64p) -> f64:
    """a · b, by four sums, so that none waits for the one before."""
    p, q, r, s, i = 0.0, 0.0, 0.0, 0.0, 0
    while i + 4 <= n:
        p += a[i] * b[i]
        q += a[i + 1] * b[i + 1]
        r += a[i + 2] * b[i + 2]
        s += a[i + 3] * b[i + 3]
        i += 4
    while i < n:
        p += a[i] * b[i]
        i += 1
    return (p + q) + (r + s)


@kernel
def residual(problem: ConeProblem, island: i64, kind: i64, xi: f64p) -> f64:
    """``F`` at ξ, with w, y, P and regions; the largest |F|."""
    n, P, F, largest = island_size(problem, island), problem.P, problem.F, 0.0
    for i in range(n):
        F[i] = xi[i]
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        first, R = problem.first[c], problem.soft * problem.R[c]
        for i in range(1 + problem.tangents[c]):
            w = along(problem, c, i, xi) + problem.b[first + i]
            problem.w[first + i] = w
            problem.y[first + i] = problem.center[first + i] - divide(w + (problem.shift[c] if i == 0 else 0.0), R)
        problem.region[c] = project(problem, c, kind, P)
        for i in range(1 + problem.tangents[c]):
            if P[first + i] != 0.0:
                push(problem, c, i, -P[first + i], F)
    for i in range(n):
        largest = maximum(largest, fabs(F[i]))
    return largest


@kernel
def assemble(problem: ConeProblem, island: i64, kind: i64, n: i64) -> None:
    """``H``: its lower half in L, its upper half, column by column, in U."""
    for i in range(problem.row_at[n - 1] + n - problem.left[n - 1]):
        problem.L[i], problem.U[i] = 0.0, 0.0
    for i in range(n):
        problem.U[problem.row_at[i] + i - problem.left[i]] = 1.0
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        problem.factored[c] = problem.region[c]
        differentiate(problem, c, kind, problem.P)
        D, R = offset(problem.D, 9 * c), problem.soft * problem.R[c]
        for i in range(1 + problem.tangents[c]):
            for j in range(1 + problem.tangents[c]):
                if D[3 * i + j] != 0.0:
                    add_product(problem, c, i, j, divide(D[3 * i + j], R))


@kernel
def add_product(problem: ConeProblem, c: i64, i: i64, j: i64, factor: f64) -> None:
    """``H ← H + factor g_iᵀ g_j`` with two rows of a contact: left of the diagonal in L, else in U."""
    wide, column = problem.wide[c], offset(problem.column, problem.column_at[c])
    g, other = row_of(problem, c, i), row_of(problem, c, j)
    L, U, row_at, left = problem.L, problem.U, problem.row_at, problem.left
    for a in range(wide):
        p, part = column[a], g[a] * factor
        if part != 0.0:
            below, at = row_at[p] - left[p], 0
            for b in range(wide):
                q = column[b]
                if q < p:
                    L[below + q] += part * other[b]
                else:
                    at = row_at[q] + p - left[q]
                    U[at] += part * other[b]


@kernel
def factor(problem: ConeProblem, n: i64, symmetric: i64) -> i64:
    """``H = L U`` in its profile, L with a unit diagonal; 0 where a pivot is small."""
    L, U = problem.L, problem.U
    for i in range(n):
        left, at = problem.left[i], problem.row_at[i]
        for j in range(left, i):
            own, start = problem.row_at[j], problem.left[j]
            from_ = left if left > start else start
            count, a, b = j - from_, at + from_ - left, own + from_ - start
            lower = L[at + j - left] - dot(count, offset(L, a), offset(U, b))
            U[at + j - left] = lower if symmetric == 1 else U[at + j - left] - dot(count, offset(U, a), offset(L, b))
            L[at + j - left] = divide(lower, U[own + j - start])
        pivot = U[at + i - left] - dot(i - left, offset(L, at), offset(U, at))
        if not fabs(pivot) > LEAST_PIVOT:
            return 0
        U[at + i - left] = pivot
    return 1


@kernel
def substitute(problem: ConeProblem, n: i64, x: f64p) -> None:
    """``x ← H⁻¹ x``."""
    L, U = problem.L, problem.U
    for i in range(n):
        left, at = problem.left[i], problem.row_at[i]
        x[i] -= dot(i - left, offset(L, at), offset(x, left))
    for i in range(n - 1, -1, -1):
        left, at = problem.left[i], problem.row_at[i]
        x[i] = divide(x[i], U[at + i - left])
        for j in range(left, i):
            x[j] -= U[at + j - left] * x[i]


@kernel
def is_factored(problem: ConeProblem, island: i64) -> i64:
    """1 where H is the one that was factored: all regions are the same, and no slip turns."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        if problem.region[c] != problem.factored[c]:
            return 0
        if problem.tangents[c] == 2 and (problem.region[c] == SLIDES or problem.region[c] == HELD_BACK):
            return 0
    return 1


@kernel
def is_symmetric(problem: ConeProblem, island: i64) -> i64:
    """1 where no contact slides."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        if problem.region[problem.listed[k]] == SLIDES:
            return 0
    return 1


@kernel
def slopes(problem: ConeProblem, island: i64) -> None:
    """``G δ``: how velocities change along a step."""
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        for i in range(1 + problem.tangents[c]):
            problem.slope[problem.first[c] + i] = along(problem, c, i, problem.step)


@kernel
def push_back(problem: ConeProblem, island: i64, kind: i64, size: f64) -> f64:
    """``Π(y) · G δ`` at a part of a step."""
    P, total = problem.trial_P, 0.0
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        first, R = problem.first[c], problem.soft * problem.R[c]
        for i in range(1 + problem.tangents[c]):
            w = problem.w[first + i] - size * problem.slope[first + i] + (problem.shift[c] if i == 0 else 0.0)
            problem.y[first + i] = problem.center[first + i] - divide(w, R)
        project(problem, c, kind, P)
        for i in range(1 + problem.tangents[c]):
            total += P[first + i] * problem.slope[first + i]
    return total


@kernel
def part_of_step(problem: ConeProblem, island: i64, n: i64, kind: i64) -> f64:
    """How much of a step is taken: to where its slope, −F · δ, changes sign, or all of it."""
    low, high, slope_low, slope_high, size = 0.0, 1.0, 0.0, 0.0, 1.0
    forward, square = dot(n, problem.xi, problem.step), dot(n, problem.step, problem.step)
    slope_low = -dot(n, problem.F, problem.step)
    enough = -LESS * slope_low
    for turn in range(SEARCH):
        slope = push_back(problem, island, kind, size) - (forward - size * square)
        if fabs(slope) <= enough or (turn == 0 and slope <= 0.0):
            break
        if slope < 0.0:
            low, slope_low = size, slope
        else:
            high, slope_high = size, slope
        part = divide(slope_low, slope_low - slope_high)
        size = low + (high - low) * (part if part > 0.05 else 0.05)
    return size


@kernel
def newton(problem: ConeProblem, island: i64, n: i64, kind: i64) -> i64:
    """P and ξ of the proximal problem from ξ on; `ENDED` where Coulomb's projection leads nowhere."""
    off, short = residual(problem, island, kind, problem.xi), 0
    for _ in range(STEPS):
        if off * problem.longest <= SAME * problem.scale:
            return CONVERGED
        if is_factored(problem, island) == 0:
            assemble(problem, island, kind, n)
            symmetric = 1 if kind == CONVEX else is_symmetric(problem, island)
            if factor(problem, n, symmetric) == 0:
                problem.factored[problem.listed[problem.island_contact[island]]] = -1
                return ENDED
        problem.steps += 1
        for i in range(n):
            problem.step[i] = problem.F[i]
        substitute(problem, n, problem.step)
        slopes(problem, island)
        size = part_of_step(problem, island, n, kind)
        short = short + 1 if size < SHORT and kind == COULOMB else 0
        if short > MOST_SHORT:
            return ENDED
        for i in range(n):
            problem.xi[i] -= size * problem.step[i]
        off = residual(problem, island, kind, problem.xi)
    return CONVERGED if off * problem.longest <= SAME * problem.scale else ENDED

"""Newton's method on the proximal cone problem of an island, in speeds, as a kernel.

    F(ξ) = ξ − Gᵀ Π(y) = 0,    y = Λ₀ − (G ξ + b + s)/R,    H = 1 + Gᵀ (∂Π/∂y / R) G

s is a shift of normal velocities. There are as many unknowns as speeds, however many contacts there are: redundant ones
add to H, which is never singular where Π is convex. A step ends where its slope −F · δ changes sign; where Π is convex,
F is the gradient of a convex function, and this leads to its minimum. H is factored in its profile, without pivots,
where regions of the cones have changed. Where a whole step changes none, Π is linear along it, and what is left of F is
rounding.
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import (
    ConeProblem,
    island_size,
    push_all,
    put_velocity,
    row_of,
    take_velocities,
)
from latchwork.contact.time_stepping.projection import CONVEX, COULOMB, HELD_BACK, OPEN, SLIDES, differentiate, project
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset
from latchwork.program.scalar import maximum, minimum

STEPS, CONVEX_STEPS = 10, 40  # where Π is convex each of them descends
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
def two_dots(n: i64, a: f64p, b: f64p, c: f64p, d: f64p) -> tuple[f64, f64]:
    """a · b and c · d, by two sums each."""
    p, q, r, s, i = 0.0, 0.0, 0.0, 0.0, 0
    while i + 2 <= n:
        p += a[i] * b[i]
        q += a[i + 1] * b[i + 1]
        r += c[i] * d[i]
        s += c[i + 1] * d[i + 1]
        i += 2
    if i < n:
        p += a[i] * b[i]
        r += c[i] * d[i]
    return p + q, r + s


@kernel
def residual(problem: ConeProblem, island: i64, kind: i64, xi: f64p) -> f64:
    """``F`` at ξ, of which w is known, with y, Λ and regions; the largest |F|."""
    n, impulse, F, largest = island_size(problem, island), problem.impulse, problem.F, 0.0
    for i in range(n):
        F[i] = xi[i]
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        first, stiff = problem.first[c], problem.stiff[c]
        for i in range(first, first + 1 + problem.tangents[c]):
            problem.y[i] = problem.center[i] - (problem.w[i] + (problem.shift[c] if i == first else 0.0)) * stiff
        problem.region[c] = project(problem, c, kind, impulse)
        push_all(problem, c, -1.0, impulse, F)
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
        differentiate(problem, c, kind, problem.impulse)
        D, stiff = offset(problem.D, 9 * c), problem.stiff[c]
        if problem.region[c] != OPEN:
            add_products(problem, c, D, stiff)


@kernel
def add_products(problem: ConeProblem, c: i64, D: f64p, stiff: f64) -> None:
    """``H ← H + Gᵀ D G / R`` of a contact: left of the diagonal in L, else in U."""
    wide, column, tangents = problem.wide[c], offset(problem.column, problem.column_at[c]), problem.tangents[c]
    L, U, row_at, left = problem.L, problem.U, problem.row_at, problem.left
    g = row_of(problem, c, 0)
    one, other = offset(g, wide), offset(g, 2 * wide)
    for a in range(wide):
        p, n, s, t = column[a], D[0] * g[a], 0.0, 0.0
        if tangents == 1:
            n, s = n + D[3] * one[a], D[1] * g[a] + D[4] * one[a]
        elif tangents == 2:
            n = n + (D[3] * one[a] + D[6] * other[a])
            s = D[1] * g[a] + (D[4] * one[a] + D[7] * other[a])
            t = D[2] * g[a] + (D[5] * one[a] + D[8] * other[a])
        n, s, t, below = n * stiff, s * stiff, t * stiff, row_at[p] - left[p]
        for b in range(wide):
            q, entry = column[b], n * g[b]
            if tangents == 1:
                entry += s * one[b]
            elif tangents == 2:
                entry += s * one[b] + t * other[b]
            if q < p:
                L[below + q] += entry
            else:
                at = row_at[q] + p - left[q]
                U[at] += entry


@kernel
def factor(problem: ConeProblem, n: i64, symmetric: i64) -> i64:
    """``H = L U`` in its profile, L with a unit diagonal, 1/U in that of U; 0 where a pivot is small."""
    L, U, row_at, first = problem.L, problem.U, problem.row_at, problem.left
    for i in range(n):
        left, at = first[i], row_at[i]
        for j in range(left, i):
            own, start, entry = row_at[j], first[j], at + j - left
            from_ = left if left > start else start
            count, a, b = j - from_, at + from_ - left, own + from_ - start
            if symmetric == 1:
                lower = L[entry] - dot(count, offset(L, a), offset(U, b))
                U[entry] = lower
            else:
                low, up = two_dots(count, offset(L, a), offset(U, b), offset(U, a), offset(L, b))
                lower = L[entry] - low
                U[entry] -= up
            L[entry] = lower * U[own + j - start]
        pivot = U[at + i - left] - dot(i - left, offset(L, at), offset(U, at))
        if not fabs(pivot) > LEAST_PIVOT:
            return 0
        U[at + i - left] = divide(1.0, pivot)
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
        x[i] *= U[at + i - left]
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
        put_velocity(problem, problem.listed[k], problem.step, problem.slope)


@kernel
def push_in_plane(problem: ConeProblem, c: i64, size: f64) -> f64:
    """The same of one contact with one tangent."""
    first, stiff = problem.first[c], problem.stiff[c]
    w, slope, center = offset(problem.w, first), offset(problem.slope, first), offset(problem.center, first)
    n = maximum(center[0] - (w[0] - size * slope[0] + problem.shift[c]) * stiff, problem.least[c])
    n = problem.least[c] if problem.fixed[c] == 1 else n
    t, limit = center[1] - (w[1] - size * slope[1]) * stiff, problem.mu[c] * n
    return n * slope[0] + maximum(-limit, minimum(t, limit)) * slope[1]


@kernel
def push_back(problem: ConeProblem, island: i64, kind: i64, size: f64) -> f64:
    """``Π(y) · G δ`` at a part of a step."""
    impulse, total = problem.trial_impulse, 0.0
    for k in range(problem.island_contact[island], problem.island_contact[island + 1]):
        c = problem.listed[k]
        first, last, stiff = problem.first[c], problem.first[c] + problem.tangents[c], problem.stiff[c]
        if last == first + 1 and kind == COULOMB:
            total += push_in_plane(problem, c, size)
            continue
        for i in range(first, last + 1):
            w = problem.w[i] - size * problem.slope[i] + (problem.shift[c] if i == first else 0.0)
            problem.y[i] = problem.center[i] - w * stiff
        project(problem, c, kind, impulse)
        for i in range(first, last + 1):
            total += impulse[i] * problem.slope[i]
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
    """Λ, ξ and w of the proximal problem from ξ and w on; `ENDED` where Coulomb's projection leads nowhere."""
    off, short, whole = residual(problem, island, kind, problem.xi), 0, 0
    for _ in range(CONVEX_STEPS if kind == CONVEX else STEPS):
        if off * problem.longest <= SAME * problem.scale:
            return CONVERGED
        if is_factored(problem, island) == 0:
            assemble(problem, island, kind, n)
            symmetric = 1 if kind == CONVEX else is_symmetric(problem, island)
            if factor(problem, n, symmetric) == 0:
                problem.factored[problem.listed[problem.island_contact[island]]] = -1
                return ENDED
        elif whole == 1:
            return CONVERGED
        problem.steps += 1
        for i in range(n):
            problem.step[i] = problem.F[i]
        substitute(problem, n, problem.step)
        slopes(problem, island)
        size = part_of_step(problem, island, n, kind)
        whole = 1 if size == 1.0 else 0
        short = short + 1 if size < SHORT and kind == COULOMB else 0
        if short > MOST_SHORT:
            return ENDED
        for i in range(n):
            problem.xi[i] -= size * problem.step[i]
        take_velocities(problem, island, problem.xi)
        off = residual(problem, island, kind, problem.xi)
    return CONVERGED if off * problem.longest <= SAME * problem.scale else ENDED

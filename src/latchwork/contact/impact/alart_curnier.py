"""Impulses of several contacts that act at once: complementarity with Coulomb friction.

    0 ≤ Λ_n ⟂ v_n⁺ − a ≥ 0,   |Λ_t| ≤ μ Λ_n,   Λ_t = −μ Λ_n v_t⁺/|v_t⁺| where v_t⁺ ≠ 0,      v⁺ = v + W Λ

From the impulses without friction, sweeps over the contacts, each solved exactly while the others wait, come near: all
of them half way together, which keeps what is its own mirror image so, then one after the other. Newton's method on

    Λ_n − (Λ_n − (v_n⁺ − a))₊ = 0,   Λ_t − P(Λ_t − v_t⁺; μ (Λ_n − (v_n⁺ − a))₊) = 0       [Alart and Curnier 1991]

(P: nearest point in a disk of that radius; rows scaled so that W_nn = 1) gives the rest of the digits.
"""

from __future__ import annotations

from latchwork.algebra.factors import least_norm
from latchwork.contact.complementarity.lemke import complementary_path
from latchwork.contact.impact.coulomb import coulomb
from latchwork.contact.impact.nonnegative import nonnegative
from latchwork.contact.impact.problem import ImpactProblem
from latchwork.contact.impact.tolerances import CUT
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, local_f64, sqrt
from latchwork.program.scalar import maximum, minimum

SWEEPS = (0, 6, 30, 3, 15, 60, 240)  # Newton's method is tried after so many more;
TOGETHER = 3  # the first of them of all contacts at once
TRIES = len(SWEEPS)
STEPS, PIVOTS = 30, 50
CONVERGED = 1e-15  # sweeps that change less, as a part of the impulses, have come to an end
EXACT = 1e-16
DUST = 1e-13  # of the hardest push: less is rounding
DONE = 1e-13  # residual, as a part of the speeds
GOOD = 1e-10  # one that will do
ASTRAY = 1e6  # one that leads nowhere


@kernel
def largest_of(n: i64, x: f64p) -> f64:
    """``max |x_i|``; nan where any is."""
    most = 0.0
    for i in range(n):
        most = maximum(most, fabs(x[i]))
    return most


@kernel
def smooth(problem: ImpactProblem) -> None:
    """``cone_x``: the normal impulses without friction, exactly."""
    k, W, b = problem.members, problem.cone_W, problem.cone_b
    for c in range(k):
        row = problem.group_first[c]
        b[c] = problem.scaled_v[row] - problem.scaled_least[c]
        for d in range(k):
            W[c * k + d] = smooth_entry(problem, c, d)
    nonnegative(k, W, b, problem.cone_x, problem.cone_free, problem.cone_V, problem.cone_A, problem.cone_c,
                problem.cone_z, problem.cone_r, problem.cone_y, problem.factors, problem.tau, problem.order,
                problem.turned)  # fmt: skip
    if is_off(problem) == 1:
        pivoted(problem)


@kernel
def is_off(problem: ImpactProblem) -> i64:
    """1 where ``cone_x`` leaves a speed: W is singular but for rounding, and b out of its range by more, as of two
    places that are nearly one. They ask for different pushes, of which the larger serves both."""
    for c in range(problem.members):
        left = problem.cone_b[c]
        for d in range(problem.members):
            left += smooth_entry(problem, c, d) * problem.cone_x[d]
        if left < -GOOD or (problem.cone_x[c] > 0.0 and left > GOOD):
            return 1
    return 0


@kernel
def smooth_entry(problem: ImpactProblem, c: i64, d: i64) -> f64:
    """W between the normals of two contacts of the group."""
    return problem.scaled_W[problem.group_first[c] * problem.group_rows + problem.group_first[d]]


@kernel
def pivoted(problem: ImpactProblem) -> None:
    """``cone_x`` by Lemke's method, where it comes to an end."""
    k, table, basic = problem.members, problem.pivots, problem.pivot_basic
    wide = k + 3
    for c in range(k):
        for d in range(k):
            table[c * wide + d] = smooth_entry(problem, c, d)
        table[c * wide + k], table[c * wide + k + 1], table[c * wide + k + 2] = 1.0, problem.cone_b[c], 0.0
    if complementary_path(k, PIVOTS * (k + 1), table, basic, problem.pivot_outside) < 0:
        return
    for c in range(k):
        problem.cone_x[c] = 0.0
    for c in range(k):
        if basic[c] >= k and basic[c] < 2 * k:
            problem.cone_x[basic[c] - k] = maximum(table[c * wide + k + 1], 0.0)


@kernel
def scale_group(problem: ImpactProblem) -> None:
    """A group's W, v and ``least`` in units in which W_nn = 1, and the largest of all is 1, and its impulses without
    friction; none of these where its ``size`` is 0."""
    n, size, smallest = problem.group_rows, 0.0, 0.0
    for c in range(problem.members):
        row, i = problem.group_first[c], problem.member[c]
        scale = divide(1.0, sqrt(problem.group_W[row * n + row]))
        smallest = scale if c == 0 else minimum(smallest, scale)
        size = maximum(size, fabs(scale * problem.least[c]))
        for r in range(row, row + 1 + problem.tangents[i]):
            problem.scale[r] = scale
            size = maximum(size, fabs(scale * problem.group_v[r]))
    size = maximum(size, problem.fastest * smallest)
    problem.size = size
    if size == 0.0:
        return
    for c in range(problem.members):
        problem.scaled_least[c] = divide(problem.scale[problem.group_first[c]] * problem.least[c], size)
    for i in range(n):
        problem.scaled_v[i] = divide(problem.scale[i] * problem.group_v[i], size)
        for j in range(n):
            problem.scaled_W[i * n + j] = problem.group_W[i * n + j] * (problem.scale[i] * problem.scale[j])
    smooth(problem)


@kernel
def swept(problem: ImpactProblem, times: i64, together: i64) -> None:
    """x: each contact in turn, the others waiting, over and over; with ``together`` = 1 all go half way at once."""
    n, W, x, before = problem.group_rows, problem.scaled_W, problem.x, problem.before
    own, free, push = local_f64(9), local_f64(3), local_f64(3)
    for _ in range(times):
        change = 0.0
        for i in range(n):
            before[i] = x[i]
        for c in range(problem.members):
            row, wide = problem.group_first[c], 1 + problem.tangents[problem.member[c]]
            for i in range(wide):
                free[i], push[i] = problem.scaled_v[row + i], 0.0
                for j in range(n):
                    if j < row or j >= row + wide:
                        free[i] += W[(row + i) * n + j] * (before[j] if together == 1 else x[j])
                for j in range(wide):
                    own[wide * i + j] = W[(row + i) * n + row + j]
            rise, mu, found = problem.scaled_least[c] - free[0], problem.mu[c], 0
            if rise > 0.0:
                found = coulomb(wide, own, free, rise, mu, mu, push)
            for i in range(wide):
                fresh = push[i] if found == 1 else 0.0
                x[row + i] = 0.5 * (before[row + i] + fresh) if together == 1 else fresh
        for i in range(n):
            change = maximum(change, fabs(x[i] - before[i]))
        if change <= CONVERGED * largest_of(n, x):
            break


@kernel
def slipping(problem: ImpactProblem, row: i64, tangents: i64, mu: f64, push: f64, toward: f64p, size: f64) -> None:
    """The equations of a contact that slips, and their Jacobian, in the rows of its tangents: s = toward/size,

        Λ_t − μ push s = 0,   ∂: 1 − μ s ∂push − (μ push/size) (1 − s sᵀ) ∂toward.
    """
    n, W, J, x = problem.group_rows, problem.scaled_W, problem.slope, problem.trial
    s, own = local_f64(2), local_f64(2)
    for i in range(tangents):
        s[i] = divide(toward[i], size)
    for i in range(tangents):
        problem.value[row + 1 + i] = x[row + 1 + i] - mu * push * s[i]
    turn = divide(mu * push, size)
    for j in range(n):
        down, along = (1.0 if j == row else 0.0) - W[row * n + j], 0.0
        for i in range(tangents):
            own[i] = (1.0 if j == row + 1 + i else 0.0) - W[(row + 1 + i) * n + j]
            along += s[i] * own[i]
        for i in range(tangents):
            unit = 1.0 if j == row + 1 + i else 0.0
            J[(row + 1 + i) * n + j] = unit - mu * s[i] * down - turn * (own[i] - s[i] * along)


@kernel
def equations(problem: ImpactProblem) -> f64:
    """The equations above at ``trial`` and their Jacobian, contact by contact; gives the largest residual.

    What does not push: Λ = 0.  What pushes: v_n⁺ = a, and v_t⁺ = 0 where it sticks.
    """
    n, W, J, x, value = problem.group_rows, problem.scaled_W, problem.slope, problem.trial, problem.value
    after, toward = local_f64(3), local_f64(2)
    for c in range(problem.members):
        row, tangents, mu = problem.group_first[c], problem.tangents[problem.member[c]], problem.mu[c]
        square = 0.0
        for i in range(1 + tangents):
            after[i] = problem.scaled_v[row + i]
            for j in range(n):
                after[i] += W[(row + i) * n + j] * x[j]
        lack = after[0] - problem.scaled_least[c]
        push = x[row] - lack
        for i in range(tangents):
            toward[i] = x[row + 1 + i] - after[1 + i]
            square += toward[i] * toward[i]
        size = sqrt(square)
        for i in range(1 + tangents):
            value[row + i] = x[row + i] if push <= 0.0 else (lack if i == 0 else after[i])
            for j in range(n):
                unit = 1.0 if j == row + i else 0.0
                J[(row + i) * n + j] = unit if push <= 0.0 else W[(row + i) * n + j]
        if push > 0.0 and size > mu * push:
            slipping(problem, row, tangents, mu, push, toward, size)
    return largest_of(n, value)


@kernel
def newton_steps(problem: ImpactProblem) -> f64:
    """``best``: the best of a few of Newton's steps from x, the shortest where they are not unique; its residual."""
    n, trial, best = problem.group_rows, problem.trial, problem.best
    for i in range(n):
        trial[i], best[i] = problem.x[i], problem.x[i]
    least = equations(problem)
    for _ in range(STEPS):
        if least <= EXACT:
            break
        for i in range(n):
            problem.right[i] = problem.value[i]
            for j in range(n):
                problem.factors[i * n + j] = problem.slope[i * n + j]
        least_norm(n, n, CUT, problem.factors, problem.tau, problem.turned, problem.order, problem.right, problem.step)
        for i in range(n):
            trial[i] -= problem.step[i]
        size = equations(problem)
        if not size <= ASTRAY:
            break
        stalls = size >= 0.5 * least and least <= DONE
        if size < least:
            least = size
            for i in range(n):
                best[i] = trial[i]
        if stalls:
            break
    return least


@kernel
def clip(problem: ImpactProblem) -> None:
    """``found`` from ``best``, in its own units; rounding taken away: no contact pulls, none is outside its cone, and
    what pushes by no more than rounding does not push."""
    x, hardest = problem.best, 0.0
    for c in range(problem.members):
        hardest = maximum(hardest, problem.best[problem.group_first[c]])
    for c in range(problem.members):
        row, tangents, square = problem.group_first[c], problem.tangents[problem.member[c]], 0.0
        x[row] = x[row] if x[row] > DUST * hardest else 0.0
        for i in range(tangents):
            square += x[row + 1 + i] * x[row + 1 + i]
        size, most = sqrt(square), problem.mu[c] * x[row]
        for i in range(tangents):
            if size > most:
                x[row + 1 + i] *= divide(most, size)
    for i in range(problem.group_rows):
        problem.found[i] = x[i] * problem.scale[i] * problem.size


@kernel
def solve_scaled(problem: ImpactProblem) -> i64:
    """``found``: Λ of contacts that act at once, with the friction ``mu``; 0 where none was found."""
    rough = 0
    for c in range(problem.members):
        rough = 1 if problem.mu[c] != 0.0 else rough
    if problem.size == 0.0:
        for i in range(problem.group_rows):
            problem.found[i] = 0.0
        return 1
    for i in range(problem.group_rows):
        problem.x[i] = 0.0
    for c in range(problem.members):
        problem.x[problem.group_first[c]] = problem.cone_x[c]
    for k in range(TRIES if rough == 1 else 1):
        swept(problem, SWEEPS[k], 1 if k < TOGETHER else 0)
        residual = newton_steps(problem)
        if residual <= DONE or (residual <= GOOD and (k == 0 or k == TRIES - 1)):
            clip(problem)
            return 1
    return 0

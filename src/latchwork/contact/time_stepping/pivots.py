"""The cone problem by Lemke's method, circles of friction made polygons: one linear complementarity problem.

    0 ≤ P_n − least ⊥ w_n ≥ 0,    0 ≤ β_j ⊥ e_j · w_t + σ ≥ 0,    0 ≤ σ ⊥ μ P_n − Σ β_j ≥ 0,    P_t = Σ β_j e_j

[Stewart and Trinkle 1996]. In the plane slip is taken apart, w_t = v_R − v_L, and the answer is exact:

    0 ≤ μ P_n + P_t ⊥ v_R = w_t + v_L ≥ 0,    0 ≤ v_L ⊥ μ P_n − P_t ≥ 0        [Glocker and Pfeiffer 1992]
"""

from __future__ import annotations

from latchwork.contact.complementarity.lemke import complementary_path
from latchwork.contact.complementarity.polygonal_cone import FACETS
from latchwork.contact.directions import all_round
from latchwork.contact.time_stepping.cone_problem import ConeProblem, row_times
from latchwork.program.kernel import f64, f64p, i64, kernel
from latchwork.program.scalar import maximum

CIRCLE = tuple(all_round(FACETS).ravel().tolist())
MOST = 4  # pivots for each unknown, at most
NORMAL, FACET, RIGHT, SLIP, LEFT = range(5)  # kinds of pairs: P_n, β and μ P_n + P_t; σ and v_L


@kernel
def pairs_of(problem: ConeProblem, c: i64) -> i64:
    """How many pairs a contact has."""
    if problem.tangents[c] == 0 or problem.mu[c] <= 0.0:
        return 1
    return 3 if problem.tangents[c] == 1 else 2 + FACETS


@kernel
def pairs_needed(problem: ConeProblem) -> i64:
    """How many pairs there are."""
    total = 0
    for c in range(problem.contacts):
        total += pairs_of(problem, c)
    return total


@kernel
def lay_pairs(problem: ConeProblem) -> i64:
    """The pairs of all contacts; gives how many."""
    p = 0
    for c in range(problem.contacts):
        own = pairs_of(problem, c)
        for k in range(own):
            problem.owner[p], problem.kind[p] = c, NORMAL
            if k > 0 and own == 3:
                problem.kind[p] = RIGHT if k == 1 else LEFT
            elif k > 0:
                problem.kind[p] = FACET if k <= FACETS else SLIP
            if problem.kind[p] == FACET:
                problem.along[2 * p], problem.along[2 * p + 1] = CIRCLE[2 * (k - 1)], CIRCLE[2 * (k - 1) + 1]
            p += 1
    return p


@kernel
def pull(problem: ConeProblem, p: i64, row: i64) -> f64:
    """P of one unit of a pair along a row of its own contact."""
    c, kind = problem.owner[p], problem.kind[p]
    at = row - problem.first[c]
    if kind == NORMAL:
        return 1.0 if at == 0 else (-problem.mu[c] if problem.tangents[c] == 1 else 0.0)
    if kind == RIGHT:
        return 1.0 if at == 1 else 0.0
    return problem.along[2 * p + at - 1] if kind == FACET and at > 0 else 0.0


@kernel
def watch(problem: ConeProblem, p: i64, row: i64) -> f64:
    """The part of the velocity along a row of its own contact in what a pair is complementary to."""
    kind = problem.kind[p]
    if kind == NORMAL:
        return 1.0 if row == problem.first[problem.owner[p]] else 0.0
    return pull(problem, p, row)


@kernel
def entry(problem: ConeProblem, p: i64, r: i64) -> f64:
    """M of a pair of pairs."""
    a, b, n, total = problem.owner[p], problem.owner[r], problem.rows, 0.0
    one, other = problem.kind[p], problem.kind[r]
    if one >= SLIP:
        if a != b:
            return 0.0
        if other == NORMAL:
            return problem.mu[a] if one == SLIP else 2.0 * problem.mu[a]
        return -1.0 if other < SLIP else 0.0
    if other >= SLIP:
        return 1.0 if a == b and one != NORMAL else 0.0
    for k in range(problem.first[a], problem.first[a] + 1 + problem.tangents[a]):
        side = watch(problem, p, k)
        if side != 0.0:
            for m in range(problem.first[b], problem.first[b] + 1 + problem.tangents[b]):
                total += side * problem.A[k * n + m] * pull(problem, r, m)
    return total


@kernel
def by_pivots(problem: ConeProblem) -> i64:
    """``trial``: P at the end of the path; 0 where it ends on a ray."""
    n, count, table, P = problem.rows, lay_pairs(problem), problem.table, problem.trial
    wide = count + 3
    for i in range(n):
        P[i] = 0.0
    for c in range(problem.contacts):
        i = problem.first[c]
        P[i] = problem.least[c]
        if problem.tangents[c] == 1:
            P[i + 1] = -problem.mu[c] * problem.least[c]
    for i in range(n):
        problem.w[i] = row_times(problem, i, P) + problem.b[i]
    for p in range(count):
        for r in range(count):
            table[p * wide + r] = entry(problem, p, r)
        table[p * wide + count] = 1.0
        table[p * wide + count + 1] = start_of(problem, p, problem.w)
    if complementary_path(count, MOST * count + 50, table, problem.basic, problem.outside) < 0:
        return 0
    for p in range(count):
        r = problem.basic[p] - count
        if r >= 0 and r < count:
            c, value = problem.owner[r], maximum(table[p * wide + count + 1], 0.0)
            for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
                P[i] += pull(problem, r, i) * value
    return 1


@kernel
def start_of(problem: ConeProblem, p: i64, w: f64p) -> f64:
    """w of a pair where nothing but the least impulses act."""
    c, total = problem.owner[p], 0.0
    if problem.kind[p] == SLIP:
        return problem.mu[c] * problem.least[c]
    if problem.kind[p] == LEFT:
        return 2.0 * problem.mu[c] * problem.least[c]
    for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
        total += watch(problem, p, i) * w[i]
    return total

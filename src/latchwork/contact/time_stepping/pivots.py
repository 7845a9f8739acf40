"""The cone problem by Lemke's method, circles of friction made polygons: one linear complementarity problem.

    0 ≤ P_n − least ⊥ w_n ≥ 0,    0 ≤ β_j ⊥ e_j · w_t + σ ≥ 0,    0 ≤ σ ⊥ μ P_n − Σ β_j ≥ 0,    P_t = Σ β_j e_j

[Stewart and Trinkle 1996]. In the plane its answer is exact.
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
NORMAL, FACET, SLIP = range(3)  # kinds of pairs: P_n, β and σ


@kernel
def facets(problem: ConeProblem, c: i64) -> i64:
    """Directions of friction of a contact."""
    if problem.tangents[c] == 0 or problem.mu[c] <= 0.0:
        return 0
    return 2 if problem.tangents[c] == 1 else FACETS


@kernel
def pairs_needed(problem: ConeProblem) -> i64:
    """How many pairs there are."""
    total = 0
    for c in range(problem.contacts):
        sides = facets(problem, c)
        total += 1 + sides + (1 if sides > 0 else 0)
    return total


@kernel
def lay_pairs(problem: ConeProblem) -> i64:
    """The pairs of all contacts; gives how many."""
    p = 0
    for c in range(problem.contacts):
        sides = facets(problem, c)
        for k in range(1 + sides + (1 if sides > 0 else 0)):
            problem.owner[p], problem.kind[p] = c, NORMAL if k == 0 else (SLIP if k > sides else FACET)
            x, y = 0.0, 0.0
            if k > 0 and k <= sides and problem.tangents[c] == 1:
                x = 1.0 if k == 1 else -1.0
            elif k > 0 and k <= sides:
                x, y = CIRCLE[2 * (k - 1)], CIRCLE[2 * (k - 1) + 1]
            problem.along[2 * p], problem.along[2 * p + 1] = x, y
            p += 1
    return p


@kernel
def pull(problem: ConeProblem, p: i64, row: i64) -> f64:
    """The part of a pair along a row of its own contact: P of one unit."""
    at = row - problem.first[problem.owner[p]]
    if problem.kind[p] == NORMAL:
        return 1.0 if at == 0 else 0.0
    return problem.along[2 * p + at - 1] if problem.kind[p] == FACET and at > 0 else 0.0


@kernel
def entry(problem: ConeProblem, p: i64, r: i64) -> f64:
    """M of a pair of pairs."""
    a, b, n = problem.owner[p], problem.owner[r], problem.rows
    one, other = problem.kind[p], problem.kind[r]
    if one == SLIP:
        if a != b or other == SLIP:
            return 0.0
        return problem.mu[a] if other == NORMAL else -1.0
    if other == SLIP:
        return 1.0 if a == b and one == FACET else 0.0
    i, j, total = problem.first[a], problem.first[b], 0.0
    for k in range(i, i + 1 + problem.tangents[a]):
        for m in range(j, j + 1 + problem.tangents[b]):
            total += pull(problem, p, k) * problem.A[k * n + m] * pull(problem, r, m)
    return total


@kernel
def by_pivots(problem: ConeProblem) -> i64:
    """``trial``: P at the end of the path; 0 where it ends on a ray."""
    n, count, table, P = problem.rows, lay_pairs(problem), problem.table, problem.trial
    wide = count + 3
    for i in range(n):
        P[i] = 0.0
    for c in range(problem.contacts):
        P[problem.first[c]] = problem.least[c]
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
    for i in range(problem.first[c], problem.first[c] + 1 + problem.tangents[c]):
        total += pull(problem, p, i) * w[i]
    return total

"""Coulomb's law as one linear complementarity problem, the circle of friction directions made a polygon.

    0 ≤ λ_n ⊥ a_n ≥ 0,    0 ≤ β_j ⊥ e_j · a_t + σ ≥ 0,    0 ≤ σ ⊥ mu λ_n − Σ β_j ≥ 0,    λ_t = Σ β_j e_j

[Stewart, Trinkle 1996].  In the plane e = ±1 and nothing is lost. A contact that slides already has λ_n alone, with
λ_t = −mu λ_n d. Without such contacts the matrix is copositive, and Lemke's method ends at a solution.

What it proposes is made exact: with mu_s, then again with mu_d for all that slid, until none more does. More and more
contacts slide, so that it ends. In space polygons become narrower about the directions found.
"""

from __future__ import annotations

import math

from latchwork.contact.complementarity.active_set import change_states, is_lawful
from latchwork.contact.complementarity.lemke import complementary_path, scattered
from latchwork.contact.complementarity.linear_system import accelerations
from latchwork.contact.complementarity.problem import (
    FOUND,
    FREE,
    NONE,
    OPEN,
    PATH,
    SLIDE,
    TRIED,
    ContactProblem,
    close_contact,
    copy_choices,
    copy_forces,
    is_moving,
    is_rough,
    largest_size,
    must_begin,
    set_choice,
    tangent_part,
)
from latchwork.contact.complementarity.trial import judge_states, solve_forces
from latchwork.contact.directions import all_round
from latchwork.program.kernel import divide, f64, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum
from latchwork.program.sincos import cos, sin

FACETS = 8
FAN = tuple(all_round(FACETS).ravel().tolist())
NEAR, WIDE = (-3.0, -1.0, 0.0, 1.0, 3.0), (0.0, 0.5 * math.pi, -0.5 * math.pi)  # of a narrow fan: against the aim, in
# units of its width; then along it and across
TURNS = len(NEAR)
SAME = 1e-7
COVERS = 3  # paths of Lemke's method
FIRST, NARROW = 0.5, 0.02  # rad between directions of a polygon, at first, and at which refinement ends


@kernel
def fan_direction(problem: ContactProblem, i: i64, j: i64, narrow: f64) -> tuple[f64, f64]:
    """e_j of contact i: ±1 in the plane; else of an even fan, or of one that is narrow about ± its aim."""
    if problem.tangents[i] == 1:
        return (1.0 if j == 0 else -1.0), 0.0
    if problem.aims[i] == 0:
        return FAN[2 * j], FAN[2 * j + 1]
    angle = NEAR[j] * narrow if j < TURNS else WIDE[j - TURNS]
    back = -1.0 if j < TURNS else 1.0
    c, s, x, y = back * cos(angle), back * sin(angle), problem.aim[2 * i], problem.aim[2 * i + 1]
    return c * x - s * y, s * x + c * y


@kernel
def add_pair(problem: ContactProblem, m: i64, i: i64, n: f64, x: f64, y: f64) -> i64:
    """A pair of contact i with λ = (n, x, y) z; gives how many there are then."""
    problem.owner[m] = i
    problem.pull[3 * m], problem.pull[3 * m + 1], problem.pull[3 * m + 2] = n, x, y
    problem.watch[3 * m], problem.watch[3 * m + 1], problem.watch[3 * m + 2] = n, x, y
    return m + 1


@kernel
def list_pairs(problem: ContactProblem, narrow: f64) -> i64:
    """H and K of λ = H z and of w = K a: for each contact λ_n, then β and σ where it may slide or stick."""
    m = 0
    for i in range(problem.contacts):
        m = add_pair(problem, m, i, 1.0, 0.0, 0.0)
        if is_moving(problem, i) == 0:
            for j in range(2 if problem.tangents[i] == 1 else FACETS):
                x, y = fan_direction(problem, i, j, narrow)
                m = add_pair(problem, m, i, 0.0, x, y)
            m = add_pair(problem, m, i, 0.0, 0.0, 0.0)
        elif is_rough(problem, i) == 1:
            problem.pull[3 * m - 2] = -problem.mu_d[i] * problem.slip[2 * i]
            problem.pull[3 * m - 1] = -problem.mu_d[i] * problem.slip[2 * i + 1]
    return m


@kernel
def pair_entry(problem: ContactProblem, p: i64, q: i64) -> f64:
    """``K A H``, one entry."""
    i, j, n, total = problem.owner[p], problem.owner[q], problem.rows, 0.0
    for r in range(1 + problem.tangents[i]):
        for c in range(1 + problem.tangents[j]):
            entry = problem.W[(problem.first[i] + r) * n + problem.first[j] + c]
            total += problem.watch[3 * p + r] * entry * problem.pull[3 * q + c]
    return total


@kernel
def form_table(problem: ContactProblem, narrow: f64, cover: i64) -> i64:
    """M, a cover and q of the linear complementarity problem; gives its size."""
    m, T = list_pairs(problem, narrow), problem.table
    wide, sigma = m + 3, 0
    for p in range(m):
        for q in range(m):
            T[p * wide + q] = pair_entry(problem, p, q)
        T[p * wide + m] = 1.0 if cover == 0 else 0.1 + 0.9 * scattered(p, cover)
        total = 0.0
        for r in range(1 + problem.tangents[problem.owner[p]]):
            total += problem.watch[3 * p + r] * problem.y[problem.first[problem.owner[p]] + r]
        T[p * wide + m + 1] = total
    for i in range(problem.contacts):
        normal = sigma
        if is_moving(problem, i) == 0:
            sigma += 3 if problem.tangents[i] == 1 else FACETS + 1
            T[sigma * wide + normal] = problem.mu_d[i] if problem.slid[i] == 1 else problem.mu_s[i]
            for j in range(normal + 1, sigma):
                T[j * wide + sigma], T[sigma * wide + j] = 1.0, -1.0
        sigma += 1
    return m


@kernel
def follow_path(problem: ContactProblem, narrow: f64, cover: i64) -> i64:
    """States and forces of the linear complementarity problem, as `PATH`; gives how many pivots, −1 on a ray."""
    n, m = problem.rows, form_table(problem, narrow, cover)
    lam, a = offset(problem.force, PATH * n), offset(problem.motion, PATH * n)
    count = complementary_path(m, 50 * m + 50, problem.table, problem.basic, problem.outside)
    if count < 0:
        return -1
    for j in range(n):
        lam[j] = 0.0
    for row in range(m):
        q = problem.basic[row] - m
        if q >= 0 and q < m:
            value, i = maximum(problem.table[row * (m + 3) + m + 1], 0.0), problem.owner[q]
            for c in range(1 + problem.tangents[i]):
                lam[problem.first[i] + c] += problem.pull[3 * q + c] * value
    accelerations(problem, lam, a)
    path_states(problem)
    return count


@kernel
def path_states(problem: ContactProblem) -> None:
    """States that forces of `PATH` and accelerations show; a contact that neither presses nor parts stays closed."""
    k, n, most = problem.contacts, problem.rows, 0.0
    lam, a = offset(problem.force, PATH * n), offset(problem.motion, PATH * n)
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += fabs(problem.W[i * n + j]) * fabs(lam[j])
        most = maximum(most, fabs(problem.y[i]) + total)
    for i in range(k):
        choice = problem.choices[PATH * k + i]
        x, y = tangent_part(problem, i, a)
        pace = sqrt(x * x + y * y)
        if a[problem.first[i]] > SAME * most:
            set_choice(choice, OPEN, NONE, 0.0, 0.0)
        elif is_moving(problem, i) == 1 or pace <= SAME * most:
            close_contact(problem, i, choice)
        else:
            set_choice(choice, SLIDE, FREE, divide(x, pace), divide(y, pace))


@kernel
def take_path(problem: ContactProblem, at_limit: i64) -> None:
    """States of the `PATH` are to be tried; those that must slide, at the limit of their cones in the direction given,
    or as they are."""
    k = problem.contacts
    copy_choices(problem, PATH, TRIED)
    for i in range(k):
        choice = problem.choices[TRIED * k + i]
        if at_limit == 1 and choice.direction == FREE and must_begin(problem, i) == 1:
            close_contact(problem, i, choice)


@kernel
def same_forces(problem: ContactProblem) -> i64:
    """1 where forces of `TRIED` and `FOUND` differ by rounding only: they are unique."""
    n, off = problem.rows, 0.0
    one, other = offset(problem.force, TRIED * n), offset(problem.force, FOUND * n)
    for j in range(n):
        off = maximum(off, fabs(one[j] - other[j]))
    return 1 if off <= SAME * largest_size(n, other) else 0


@kernel
def polish_path(problem: ContactProblem, at_limit: i64) -> tuple[i64, i64]:
    """An answer from states and forces that are nearly right, `PATH`: with forces near to these, or after a change.

    Lemke's forces are those of a vertex, which leaves contacts without any where forces are not unique: contacts of the
    same states share the load evenly instead, if that is lawful.
    """
    take_path(problem, at_limit)
    solve_forces(problem, TRIED, 1)
    moves, broken = judge_states(problem, TRIED)
    if moves == 0 and broken == 0:
        copy_choices(problem, TRIED, FOUND)
        copy_forces(problem, TRIED, FOUND)
        if is_lawful(problem) == 0 or same_forces(problem) == 1:
            copy_choices(problem, FOUND, TRIED)
            copy_forces(problem, FOUND, TRIED)
        return 1, 2
    take_path(problem, at_limit)
    return change_states(problem)


@kernel
def refine_path(problem: ContactProblem) -> i64:
    """Take up which contacts began to slide on the `PATH`, and where; gives 1 where none of them is new."""
    k, steady = problem.contacts, 1
    for i in range(k):
        choice = problem.choices[PATH * k + i]
        begins = choice.state == SLIDE and is_moving(problem, i) == 0
        problem.aims[i] = 1 if begins else 0
        problem.aim[2 * i], problem.aim[2 * i + 1] = choice.x, choice.y
        if begins and problem.slid[i] == 0:
            problem.slid[i], steady = 1, 0
    return steady


@kernel
def follow_paths(problem: ContactProblem) -> tuple[i64, i64]:
    """Lemke's method along a few paths: 1 where it leads to a lawful answer, which is `TRIED` then; and the tries."""
    k, tries, turning, forced = problem.contacts, 0, 0, 0
    for i in range(k):
        turning = 1 if problem.tangents[i] == 2 else turning
    for cover in range(COVERS):
        for i in range(k):
            problem.slid[i] = must_begin(problem, i)
            problem.aims[i] = must_begin(problem, i)
            problem.aim[2 * i], problem.aim[2 * i + 1] = problem.onset[2 * i], problem.onset[2 * i + 1]
        narrow = FIRST
        while narrow > 0.0:
            count = follow_path(problem, narrow, cover)
            if count < 0:
                break
            tries += count
            forced = 0
            for i in range(k):
                if problem.choices[PATH * k + i].direction == FREE and must_begin(problem, i) == 1:
                    forced = 1
            for limit in range(forced, -1, -1):
                found, more = polish_path(problem, limit)
                tries += more
                if found == 1:
                    return 1, tries
            if refine_path(problem) == 1 and (turning == 0 or narrow < NARROW):
                break
            narrow *= 0.5
    return 0, tries

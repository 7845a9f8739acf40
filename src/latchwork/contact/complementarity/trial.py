"""One set of states tried: the forces it needs, and which contacts break their laws.

open    λ = 0,  a_n ≥ 0             slide   a_n = 0,  λ_n ≥ 0,  λ_t = −mu_d λ_n d
stick   a_n = 0,  a_t = 0,  |λ_t| ≤ mu_s λ_n        begins to slide:  as it slides, with d = a_t/|a_t|
"""

from __future__ import annotations

from latchwork.contact.complementarity.linear_system import (
    accelerations,
    form_system,
    know_limits,
    least_forces,
    place_forces,
)
from latchwork.contact.complementarity.problem import (
    FREE,
    NONE,
    OPEN,
    PATH,
    SLIDE,
    STICK,
    ContactProblem,
    close_contact,
    first_felt,
    largest_felt,
    must_begin,
    set_choice,
    tangent_part,
)
from latchwork.contact.complementarity.slip_onset import TOL, begin_slip, redirect
from latchwork.program.kernel import divide, f64, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

LIMIT = 1e-6  # a contact that must slide may leave the limit of its cone this slowly
SLOWLY = LIMIT / TOL
ACCELERATION_FLOOR = 1e-4  # of the largest acceleration at hand: what rounding is measured by is not below
MOST_FORCE = 1e10  # without units: a force above it holds nothing


@kernel
def solve_forces(problem: ContactProblem, c: i64, near: i64) -> None:
    """λ of least norm for choices c, or (near = 1) the nearest to that of `PATH`; directions that are free are found
    with it."""
    k, n, r = problem.contacts, problem.rows, form_system(problem, c)
    lam, a, guide = offset(problem.force, c * n), offset(problem.motion, c * n), offset(problem.force, PATH * n)
    for p in range(r):
        total = -problem.y[problem.unknown[p]]
        if near == 1:
            for q in range(r):
                total -= problem.S[p * r + q] * guide[problem.unknown[q]]
        problem.right[p] = total
    problem.spare = 1 if r > 0 and least_forces(problem, r, problem.x) < r else 0
    if near == 1:
        for p in range(r):
            problem.x[p] += guide[problem.unknown[p]]
    know_limits(problem, r, problem.x)
    place_forces(problem, c, problem.x, lam)
    turns = 0
    for i in range(k):
        if problem.choices[c * k + i].direction == FREE and problem.tangents[i] == 2:
            turns = 1
    if turns == 1:
        problem.spare = begin_slip(problem, c)
    accelerations(problem, lam, a)
    if turns == 1:
        redirect(problem, c)


@kernel
def judge_states(problem: ContactProblem, c: i64) -> tuple[i64, i64]:
    """Every law of every contact: how many contacts should do something else (``problem.instead``), and 1 where some
    acceleration could not be had at all."""
    k, n, W = problem.contacts, problem.rows, problem.W
    lam, sizes = offset(problem.force, c * n), problem.trial
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += fabs(W[i * n + j]) * fabs(lam[j])
        sizes[i] = fabs(problem.y[i]) + total
    most, noise = largest_felt(problem, lam), ACCELERATION_FLOOR * largest_felt(problem, sizes)
    moves, broken = 0, 0 if most <= MOST_FORCE else 1
    for i in range(k):
        own = noise
        for row in range(first_felt(problem, i), problem.first[i + 1]):
            own = maximum(own, sizes[row])
        problem.instead[i].state = -1
        push = TOL * (problem.mu_s[i] * fabs(lam[problem.first[i]]) if problem.fixed[i] == 1 else most)
        if judge_one(problem, c, i, TOL * own, push) == 1:
            broken = 1
        if problem.instead[i].state >= 0:
            moves += 1
    return moves, broken


@kernel
def judge_one(problem: ContactProblem, c: i64, i: i64, tol: f64, push: f64) -> i64:
    """The laws of contact i, to such accelerations and forces."""
    n, at = problem.rows, problem.first[i]
    lam, a = offset(problem.force, c * n), offset(problem.motion, c * n)
    choice, instead = problem.choices[c * problem.contacts + i], problem.instead[i]
    if choice.state == OPEN:
        if a[at] < -tol or problem.fixed[i] == 1:
            close_contact(problem, i, instead)
        return 0
    broken = 1 if problem.fixed[i] == 0 and fabs(a[at]) > tol else 0
    f_x, f_y = tangent_part(problem, i, lam)
    if lam[at] < -push:
        set_choice(instead, OPEN, NONE, 0.0, 0.0)
    elif choice.state == STICK:
        a_x, a_y = tangent_part(problem, i, a)
        if must_begin(problem, i) == 1 or fabs(a_x) > tol or fabs(a_y) > tol:
            broken = 1
        friction = sqrt(f_x * f_x + f_y * f_y)
        if friction > problem.mu_s[i] * maximum(lam[at], 0.0) + push:
            set_choice(instead, SLIDE, FREE, divide(-f_x, friction), divide(-f_y, friction))
    elif choice.direction != NONE and problem.slips[i] == 0:
        most = problem.mu_d[i] * lam[at]
        off_x, off_y = f_x + most * choice.x, f_y + most * choice.y
        if sqrt(off_x * off_x + off_y * off_y) > push:
            broken = 1
        judge_onset(problem, c, i, tol)
    return broken


@kernel
def judge_onset(problem: ContactProblem, c: i64, i: i64, tol: f64) -> None:
    """What contact i should do instead where it does not begin to slide along its direction."""
    choice, instead = problem.choices[c * problem.contacts + i], problem.instead[i]
    x, y = tangent_part(problem, i, offset(problem.motion, c * problem.rows))
    along, size = x * choice.x + y * choice.y, sqrt(x * x + y * y)
    forward = maximum(along, 0.0)
    off_x, off_y = x - forward * choice.x, y - forward * choice.y
    leaves = must_begin(problem, i) == 1
    if sqrt(off_x * off_x + off_y * off_y) <= (SLOWLY * tol if leaves and choice.direction != FREE else tol):
        return
    if along > 0.0 or (leaves and size > tol and not (choice.direction == FREE and along < 0.0)):
        set_choice(instead, SLIDE, FREE, divide(x, size), divide(y, size))
    else:
        close_contact(problem, i, instead)

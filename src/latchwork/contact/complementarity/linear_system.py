"""The linear system of a set of states: unknown is λ_n of each closed contact, and λ_t of those that stick.

    open    λ = 0        slide   a_n = 0,  λ_t = −mu_d λ_n d        stick   a_n = 0,  a_t = 0

As many accelerations vanish as there are unknown forces, S x = −b; x is of least norm where it is not unique.
"""

from __future__ import annotations

from latchwork.algebra.factors import least_norm
from latchwork.contact.complementarity.problem import NONE, OPEN, STICK, Choice, ContactProblem
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel

RANK = 1e-11  # pivots below this part of the largest are redundancy


@kernel
def lean(problem: ContactProblem, i: i64, choice: Choice) -> tuple[f64, f64]:
    """``λ_t = lean λ_n`` of contact i: −mu_d d where it slides with friction, else zero."""
    if choice.direction == NONE:
        return 0.0, 0.0
    return -problem.mu_d[i] * choice.x, -problem.mu_d[i] * choice.y


@kernel
def list_unknown(problem: ContactProblem, c: i64) -> i64:
    """Rows of the unknown forces of choices, into ``problem.unknown``; gives how many."""
    k, r = problem.contacts, 0
    for i in range(k):
        state, at = problem.choices[c * k + i].state, problem.first[i]
        held = 0 if state == OPEN else (1 + problem.tangents[i] if state == STICK else 1)
        for j in range(held):
            problem.unknown[r] = at + j
            r += 1
    return r


@kernel
def form_system(problem: ContactProblem, c: i64) -> i64:
    """S of the forces that choices need, S x = −b; gives its rows, which are listed in ``problem.unknown``."""
    k, n, W, S = problem.contacts, problem.rows, problem.W, problem.S
    r, column = list_unknown(problem, c), 0
    for i in range(k):
        choice, at = problem.choices[c * k + i], problem.first[i]
        if choice.state == OPEN:
            continue
        x, y = lean(problem, i, choice)
        for p in range(r):
            row = problem.unknown[p] * n + at
            total = W[row]
            if choice.direction != NONE:
                total += W[row + 1] * x
                if problem.tangents[i] == 2:
                    total += W[row + 2] * y
            S[p * r + column] = total
        column += 1
        if choice.state == STICK:
            for j in range(problem.tangents[i]):
                for p in range(r):
                    S[p * r + column] = W[problem.unknown[p] * n + at + 1 + j]
                column += 1
    return r


@kernel
def least_forces(problem: ContactProblem, n: i64, x: f64p) -> i64:
    """x of least norm with S x = ``problem.right`` as nearly as can be; gives the rank. S becomes its factors."""
    rank = least_norm(n, n, RANK, problem.S, problem.tau, problem.turned, problem.order, problem.right, x)
    if rank > 0 and not fabs(problem.S[0]) > RANK:
        for j in range(n):
            x[j] = 0.0
        return 0
    return rank


@kernel
def know_limits(problem: ContactProblem, r: i64, x: f64p) -> None:
    """x of rows of limits, which nothing else moves: as they are, to the last bit."""
    for i in range(problem.contacts):
        row = problem.first[i]
        if problem.fixed[i] == 1:
            for p in range(r):
                if problem.unknown[p] == row:
                    x[p] = divide(-problem.y[row], problem.W[row * (problem.rows + 1)])


@kernel
def place_forces(problem: ContactProblem, c: i64, x: f64p, lam: f64p) -> None:
    """λ of the unknown forces of choices."""
    k, column = problem.contacts, 0
    for j in range(problem.rows):
        lam[j] = 0.0
    for i in range(k):
        choice, at = problem.choices[c * k + i], problem.first[i]
        if choice.state == OPEN:
            continue
        lam[at] = x[column]
        if choice.direction != NONE:
            along, beside = lean(problem, i, choice)
            lam[at + 1] = along * x[column]
            if problem.tangents[i] == 2:
                lam[at + 2] = beside * x[column]
        column += 1
        if choice.state == STICK:
            for j in range(problem.tangents[i]):
                lam[at + 1 + j] = x[column]
                column += 1


@kernel
def accelerations(problem: ContactProblem, lam: f64p, a: f64p) -> None:
    """``a = A λ + b``."""
    n, W = problem.rows, problem.W
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += W[i * n + j] * lam[j]
        a[i] = total + problem.y[i]

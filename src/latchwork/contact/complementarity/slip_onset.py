"""Slip in space that begins: its direction is that of an acceleration, which depends on the forces.

    a_n = 0,    λ_t + mu λ_n a_t/|a_t| = 0

by Newton's method, damped. Slip that hardly begins turns quickly with the forces, while its acceleration does not:

    a_n = 0,    mu λ_n a_t + s λ_t = 0,    |λ_t|² = mu² λ_n²,    unknown λ and s = |a_t|

Where s is zero, this is a contact that sticks at the limit of its cone: nothing is divided by |a_t|.

Steps end after `NEWTON` of them, converged or not: nothing is taken unseen, since every answer is judged by the laws
(`trial.judge_states`), and what breaks them is not one.
"""

from __future__ import annotations

from latchwork.contact.complementarity.linear_system import accelerations, least_forces
from latchwork.contact.complementarity.problem import (
    FREE,
    NONE,
    OPEN,
    SLIDE,
    STICK,
    Choice,
    ContactProblem,
    largest_size,
    set_choice,
    tangent_part,
)
from latchwork.program.kernel import divide, f64, f64p, i64, kernel, offset, sqrt

TOL = 1e-8  # laws hold to this part of the forces and accelerations at hand
CONVERGED, NEWTON = 1e-14, 30
NO_DIRECTION = 1e-13  # a slower acceleration has no direction
PARTS = (1.0, 0.5, 0.25, 0.1, 0.02)  # of a step
HALVINGS = len(PARTS)


@kernel
def onset_direction(problem: ContactProblem, i: i64, choice: Choice, a: f64p) -> tuple[f64, f64, f64]:
    """Direction of friction of a sliding contact, and the pace at which it turns (0 if it is fixed)."""
    x, y = tangent_part(problem, i, a)
    pace = sqrt(x * x + y * y)
    if choice.direction != FREE or not pace > NO_DIRECTION:
        return choice.x, choice.y, 0.0
    return divide(x, pace), divide(y, pace), pace


@kernel
def redirect(problem: ContactProblem, c: i64) -> None:
    """Free directions become those of the accelerations."""
    k, a = problem.contacts, offset(problem.motion, c * problem.rows)
    for i in range(k):
        choice = problem.choices[c * k + i]
        if choice.direction == FREE:
            x, y, _ = onset_direction(problem, i, choice, a)
            set_choice(choice, choice.state, FREE, x, y)


@kernel
def list_closed(problem: ContactProblem, c: i64) -> i64:
    """All rows of closed contacts, into ``problem.unknown``; gives how many."""
    k, r = problem.contacts, 0
    for i in range(k):
        if problem.choices[c * k + i].state != OPEN:
            for row in range(problem.first[i], problem.first[i + 1]):
                problem.unknown[r] = row
                r += 1
    return r


@kernel
def onset_residual(problem: ContactProblem, c: i64, lam: f64p) -> f64:
    """−F into ``problem.right``, a row for each of the closed contacts; gives max |F|."""
    k, r, a = problem.contacts, 0, offset(problem.motion, c * problem.rows)
    accelerations(problem, lam, a)
    for i in range(k):
        choice, at = problem.choices[c * k + i], problem.first[i]
        if choice.state == OPEN:
            continue
        x, y, _ = onset_direction(problem, i, choice, a)
        for j in range(1 + problem.tangents[i]):
            F = a[at + j]
            if choice.state == SLIDE and j > 0:
                F = lam[at + j]
                if choice.direction != NONE:
                    F += problem.mu_d[i] * lam[at] * (x if j == 1 else y)
            problem.right[r] = -F
            r += 1
    return largest_size(r, problem.right)


@kernel
def onset_slope(problem: ContactProblem, c: i64, lam: f64p, r: i64) -> None:
    """∂F/∂λ into S: where d turns, mu d eₙᵀ + mu λ_n/|a_t| (1 − d dᵀ) A_t."""
    k, n, W, S, p = problem.contacts, problem.rows, problem.W, problem.S, 0
    a = offset(problem.motion, c * n)
    for i in range(k):
        choice, at, t = problem.choices[c * k + i], problem.first[i], problem.tangents[i]
        if choice.state == OPEN:
            continue
        x, y, pace = onset_direction(problem, i, choice, a)
        turns = divide(problem.mu_d[i] * lam[at], pace) if pace > 0.0 else 0.0
        for j in range(1 + t):
            for q in range(r):
                column = problem.unknown[q]
                entry = W[(at + j) * n + column]
                if choice.state == SLIDE and j > 0:
                    entry = 1.0 if column == at + j else 0.0
                    d = x if j == 1 else y
                    if choice.direction != NONE and column == at:
                        entry += problem.mu_d[i] * d
                    if choice.direction != NONE and pace > 0.0:
                        along = x * W[(at + 1) * n + column]
                        if t == 2:
                            along += y * W[(at + 2) * n + column]
                        entry += turns * (W[(at + j) * n + column] - d * along)
                S[p * r + q] = entry
            p += 1


@kernel
def slow_residual(problem: ContactProblem, c: i64, v: f64p) -> f64:
    """−F of the slow equations at v = (λ, s) into ``problem.right``, and its slope into S; gives max |F|."""
    k, n, W, S, right = problem.contacts, problem.rows, problem.W, problem.S, problem.right
    N, a = n + count_turning(problem, c), offset(problem.motion, c * n)
    s = n
    accelerations(problem, v, a)
    for p in range(N):
        right[p] = -v[p] if p < n else 0.0
        for q in range(N):
            S[p * N + q] = 1.0 if p == q else 0.0
    for i in range(k):
        choice, at, t = problem.choices[c * k + i], problem.first[i], problem.tangents[i]
        if choice.state == OPEN:
            continue
        for p in range(at, at + 1 + t if choice.state == STICK else at + 1):
            right[p] = -a[p]
            for q in range(n):
                S[p * N + q] = W[p * n + q]
        mu, normal = problem.mu_d[i], v[at]
        if choice.direction == FREE and t == 2:
            square = 0.0
            S[s * N + s], S[s * N + at] = 0.0, -(mu * mu) * normal
            for p in range(at + 1, at + 3):
                right[p] = -(mu * normal * a[p] + v[s] * v[p])
                for q in range(n):
                    S[p * N + q] = mu * normal * W[p * n + q] + (v[s] if p == q else 0.0)
                S[p * N + at] += mu * a[p]
                S[p * N + s], S[s * N + p] = v[p], v[p]
                square += v[p] * v[p]
            right[s] = -0.5 * (square - mu * normal * (mu * normal))
            s += 1
        elif choice.direction != NONE:
            for p in range(at + 1, at + 1 + t):
                d = choice.x if p == at + 1 else choice.y
                right[p] = -(v[p] + mu * normal * d)
                S[p * N + at] += mu * d
    return largest_size(N, right)


@kernel
def count_turning(problem: ContactProblem, c: i64) -> i64:
    """How many contacts in space have free directions."""
    k, count = problem.contacts, 0
    for i in range(k):
        if problem.choices[c * k + i].direction == FREE and problem.tangents[i] == 2:
            count += 1
    return count


@kernel
def begin_slowly(problem: ContactProblem, c: i64) -> None:
    """λ by Newton's method on the slow equations, from that in ``problem.x``; damped."""
    k, n, N, v, trial = problem.contacts, problem.rows, problem.rows, problem.x, problem.trial
    a = offset(problem.motion, c * n)
    accelerations(problem, v, a)
    for i in range(k):
        choice = problem.choices[c * k + i]
        if choice.direction == FREE and problem.tangents[i] == 2:
            x, y = tangent_part(problem, i, a)
            v[N] = choice.x * x + choice.y * y
            N += 1
    size = slow_residual(problem, c, v)
    for _ in range(NEWTON):
        if size < CONVERGED * (1.0 + largest_size(N, v)):
            break
        least_forces(problem, N, problem.step)
        better, after = 0, size
        for part in range(HALVINGS):
            for j in range(N):
                trial[j] = v[j] + PARTS[part] * problem.step[j]
            after = slow_residual(problem, c, trial)
            if after < size * (1.0 - 0.1 * PARTS[part]):
                better = 1
                break
        if better == 0:
            break
        size = after
        for j in range(N):
            v[j] = trial[j]
    for i in range(k):
        closed = problem.choices[c * k + i].state != OPEN
        for j in range(problem.first[i], problem.first[i + 1]):
            problem.force[c * n + j] = v[j] if closed else 0.0


@kernel
def begin_slip(problem: ContactProblem, c: i64) -> i64:
    """λ of choices with free directions, by Newton's method from the λ that is there; gives 1 where others are too."""
    n, r, spare = problem.rows, list_closed(problem, c), 0
    lam, trial = offset(problem.force, c * n), problem.trial
    for j in range(n):
        problem.x[j] = lam[j]
    size = onset_residual(problem, c, lam)
    for _ in range(NEWTON):
        if size < CONVERGED * (1.0 + largest_size(n, lam)):
            break
        onset_slope(problem, c, lam, r)
        spare = 1 if least_forces(problem, r, problem.step) < r else 0
        better, after = 0, size
        for part in range(HALVINGS):
            for j in range(n):
                trial[j] = lam[j]
            for q in range(r):
                trial[problem.unknown[q]] += PARTS[part] * problem.step[q]
            after = onset_residual(problem, c, trial)
            if after < size * (1.0 - 0.1 * PARTS[part]):
                better = 1
                break
        if better == 0:
            break
        size = after
        for j in range(n):
            lam[j] = trial[j]
    if size > TOL * (1.0 + largest_size(n, lam)) or size != size:
        begin_slowly(problem, c)
    return spare

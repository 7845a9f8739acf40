"""A few contacts with one tangent or none: the laws of `complementarity` as a kernel, where they say one thing.

    open    λ = 0                       slide   a_n = 0,  λ_t = −mu_d λ_n d,  d = ±1
    stick   a_n = 0,  a_t = 0

States are tried, judged and changed as in `trial` and `search`, without units as in `problem`. Where forces are not
unique or W is close to singular, where friction presses, where a contact has just left its cone, and where a few
changes lead to no lawful answer, there is none here, and the methods for many contacts act. Both are tested to agree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latchwork.contact.complementarity.problem import ContactProblem, ContactSolution, State
from latchwork.contact.complementarity.slip_onset import RANK, REGULAR
from latchwork.contact.complementarity.trial import TOL
from latchwork.program.kernel import (
    copysign,
    divide,
    f64,
    f64p,
    fabs,
    i64,
    i64p,
    kernel,
    local_f64,
    local_i64,
    offset,
    sqrt,
)
from latchwork.program.native import briefly, together
from latchwork.program.scalar import maximum

MOST = 8  # rows, and contacts
SQUARE = MOST * MOST
CHANGES = 12  # sets of states tried
HUGE = 1e10  # forces beyond this are none
OPEN, SLIDE, STICK = 0, 1, 2
STATES = (State.OPEN, State.SLIDE, State.STICK)


@kernel
def without_units(k: i64, n: i64, tangents: i64p, A: f64p, b: f64p, W: f64p, y: f64p, s: f64p) -> f64:
    """W = s A s and y = s b / β; gives β, or 0 where something is not finite."""
    row = 0
    for i in range(k):
        mass = A[row * n + row]
        if tangents[i] > 0:
            mass = maximum(mass, A[(row + 1) * n + row + 1])
        for j in range(1 + tangents[i]):
            s[row + j] = divide(1.0, sqrt(mass if mass > 0.0 else 1.0))
        row += 1 + tangents[i]
    beta, total = 0.0, 0.0
    for i in range(n):
        y[i] = s[i] * b[i]
        beta = maximum(beta, fabs(y[i]))
        total += b[i]
        for j in range(n):
            W[i * n + j] = s[i] * A[i * n + j] * s[j]
            total += A[i * n + j]
    beta = beta if beta > 0.0 else 1.0
    for i in range(n):
        y[i] = divide(y[i], beta)
    return beta if total - total == 0.0 else 0.0


@kernel
def closed(tangents: i64, mu_s: f64, slip: f64) -> i64:
    """What a contact does first if it stays closed."""
    return STICK if tangents > 0 and mu_s > 0.0 and slip == 0.0 else SLIDE


@kernel
def invert(n: i64, S: f64p, inverse: f64p) -> i64:
    """S⁻¹ by elimination with row pivots, S is used up; 0 where an entry is not below `REGULAR`."""
    for i in range(n):
        for j in range(n):
            inverse[i * n + j] = 1.0 if i == j else 0.0
    for c in range(n):
        row = c
        for i in range(c + 1, n):
            row = i if fabs(S[i * n + c]) > fabs(S[row * n + c]) else row
        for j in range(n):
            S[c * n + j], S[row * n + j] = S[row * n + j], S[c * n + j]
            inverse[c * n + j], inverse[row * n + j] = inverse[row * n + j], inverse[c * n + j]
        pivot = S[c * n + c]
        for j in range(n):
            S[c * n + j] = divide(S[c * n + j], pivot)
            inverse[c * n + j] = divide(inverse[c * n + j], pivot)
        for i in range(n):
            part = S[i * n + c]
            if i != c and part != 0.0:
                for j in range(n):
                    S[i * n + j] -= part * S[c * n + j]
                    inverse[i * n + j] -= part * inverse[c * n + j]
    for i in range(n * n):
        if not fabs(inverse[i]) < REGULAR:
            return 0
    return 1


@kernel
def solve(k: i64, n: i64, tangents: i64p, mu_d: f64p, W: f64p, y: f64p, state: i64p, d: f64p, lam: f64p,
          a: f64p) -> i64:  # fmt: skip
    """λ and a = W λ + y of states; 0 where λ is not unique, or nearly so."""
    S, inverse = local_f64(SQUARE), local_f64(SQUARE)
    E, rows = local_f64(SQUARE), local_i64(MOST)
    r, row = 0, 0
    for j in range(n * n):
        E[j] = 0.0
    for i in range(k):
        if state[i] != OPEN:
            rows[r] = row
            E[row * n + r] = 1.0
            if state[i] == SLIDE and tangents[i] > 0:
                E[(row + 1) * n + r] = -(mu_d[i] * d[i])
            r += 1
            if state[i] == STICK:
                rows[r] = row + 1
                E[(row + 1) * n + r] = 1.0
                r += 1
        row += 1 + tangents[i]
    for i in range(r):
        for j in range(r):
            total = 0.0
            for c in range(n):
                total += W[rows[i] * n + c] * E[c * n + j]
            S[i * r + j] = total
    if r == 1 and not fabs(S[0]) > RANK:
        return 0
    if r == 1:
        inverse[0] = divide(1.0, S[0])
    elif invert(r, S, inverse) == 0:
        return 0
    for i in range(n):
        lam[i] = 0.0
        for j in range(r):
            total = 0.0
            for c in range(r):
                total -= inverse[j * r + c] * y[rows[c]]
            lam[i] += E[i * n + j] * total
    for i in range(n):
        a[i] = y[i]
        for j in range(n):
            a[i] += W[i * n + j] * lam[j]
    return 1


@kernel
def judge(k: i64, n: i64, tangents: i64p, mu_s: f64p, mu_d: f64p, slip: f64p, W: f64p, y: f64p, state: i64p, d: f64p,
          lam: f64p, a: f64p, instead: i64p, way: f64p) -> tuple[i64, i64]:  # fmt: skip
    """How many contacts should do something else, −1 for none in ``instead``; and 1 where no force gives this."""
    sizes = local_f64(MOST)
    most, largest = 0.0, 0.0
    for i in range(n):
        most = maximum(most, fabs(lam[i]))
        sizes[i] = fabs(y[i])
        for j in range(n):
            sizes[i] += fabs(W[i * n + j]) * fabs(lam[j])
        largest = maximum(largest, sizes[i])
    moves, row = 0, 0
    broken = 0 if most <= HUGE else 1
    for i in range(k):
        noise = maximum(1e-4 * largest, sizes[row])
        if tangents[i] > 0:
            noise = maximum(noise, sizes[row + 1])
        tol, across, along = TOL * noise, 0.0, 0.0
        if tangents[i] > 0:
            across, along = lam[row + 1], a[row + 1]
        instead[i], way[i] = -1, 0.0
        if state[i] == OPEN:
            if a[row] < -tol:
                instead[i] = closed(tangents[i], mu_s[i], slip[i])
                way[i] = slip[i]
        else:
            broken = 1 if fabs(a[row]) > tol else broken
            if lam[row] < -TOL * most:
                instead[i] = OPEN
            elif state[i] == STICK:
                broken = 1 if fabs(along) > tol else broken
                if fabs(across) > mu_s[i] * lam[row] + TOL * most:
                    instead[i] = SLIDE
                    way[i] = -copysign(1.0, across)
            elif d[i] != 0.0 and slip[i] == 0.0:
                broken = 1 if fabs(across + mu_d[i] * lam[row] * d[i]) > TOL * most else broken
                if along * d[i] < 0.0 and fabs(along) > tol:
                    instead[i] = STICK
        moves += 1 if instead[i] >= 0 else 0
        row += 1 + tangents[i]
    return moves, broken


@kernel
def is_plain(k: i64, n: i64, tangents: i64p, mu_s: f64p, mu_d: f64p, slip: f64p, W: f64p, state: i64p, d: f64p,
             a: f64p) -> i64:  # fmt: skip
    """1 where no friction presses, and nothing that was to begin to slide stays: there is one answer."""
    row = 0
    for i in range(k):
        if tangents[i] > 0:
            way = slip[i] if state[i] == OPEN else d[i]
            slides = state[i] == SLIDE or (state[i] == OPEN and closed(tangents[i], mu_s[i], slip[i]) == SLIDE)
            if slides and way != 0.0 and W[row * n + row] - mu_d[i] * W[row * n + row + 1] * way <= 0.0:
                return 0
            if state[i] == SLIDE and d[i] != 0.0 and slip[i] == 0.0 and fabs(a[row + 1]) <= TOL:
                return 0
        row += 1 + tangents[i]
    return 1


@kernel
def settle_few(k: i64, n: i64, tangents: i64p, A: f64p, b: f64p, mu: f64p, state: i64p, d: f64p, lam: f64p,
               a: f64p) -> i64:  # fmt: skip
    """From ``state``, every contact that breaks its law changes; gives how many sets of states were tried, 0 for none.

    ``mu`` are static, then dynamic coefficients, then directions of slip, 0 for none.
    """
    mu_s, mu_d, slip = mu, offset(mu, k), offset(mu, 2 * k)
    W, y, s = local_f64(SQUARE), local_f64(MOST), local_f64(MOST)
    instead, way, seen = local_i64(MOST), local_f64(MOST), local_i64(CHANGES)
    beta = without_units(k, n, tangents, A, b, W, y, s)
    if beta == 0.0:
        return 0
    for i in range(k):
        state[i] = closed(tangents[i], mu_s[i], slip[i]) if state[i] != OPEN else OPEN
        d[i] = slip[i] if state[i] == SLIDE else 0.0
    for tries in range(CHANGES):
        if solve(k, n, tangents, mu_d, W, y, state, d, lam, a) == 0:
            return 0
        moves, broken = judge(k, n, tangents, mu_s, mu_d, slip, W, y, state, d, lam, a, instead, way)
        if moves == 0:
            if broken != 0 or is_plain(k, n, tangents, mu_s, mu_d, slip, W, state, d, a) == 0:
                return 0
            for i in range(n):
                lam[i] = beta * s[i] * lam[i]
                a[i] = divide(beta, s[i]) * a[i]
            return tries + 1
        name, again = 0, 0
        for i in range(k):
            kind = 3 if d[i] > 0.0 else (4 if d[i] < 0.0 else state[i])
            name = 8 * name + (5 if state[i] == STICK else kind)
        seen[tries] = name
        for before in range(tries):
            again = 1 if seen[before] == name else again
        for i in range(k):
            if instead[i] >= 0 and again < 2:
                state[i] = instead[i]
                d[i] = way[i] if state[i] == SLIDE else 0.0
                again = 2 if again == 1 else again
    return 0


together(settle_few)


def settle_together(resting: ContactProblem, guess: Sequence[State] | None) -> ContactSolution | None:
    """The verdict on a few contacts; none where it takes more care."""
    k, n = len(resting.names), len(resting.tangents) + sum(resting.tangents)
    parts = (resting.tangents, resting.mu_s, resting.mu_d, resting.slip, resting.must_slip)
    if not n <= MOST or max(resting.tangents) > 1 or any([must is not None for must in resting.must_slip]):
        return None
    if resting.A.shape != (n, n) or resting.b.shape != (n,) or any([len(part) != k for part in parts]):
        return None
    slips = [0.0 if way is None or not t or not mu > 0.0 else float(way[0])
             for way, t, mu in zip(resting.slip, resting.tangents, resting.mu_s, strict=True)]  # fmt: skip
    mu = np.array([*resting.mu_s, *resting.mu_d, *slips], dtype=np.float64)
    start = [SLIDE] * k if guess is None else [OPEN if state is State.OPEN else SLIDE for state in guess]
    ints, numbers = np.array([*resting.tangents, *start], dtype=np.int64), np.zeros(k + 2 * n)
    A, b = np.ascontiguousarray(resting.A, dtype=np.float64), np.ascontiguousarray(resting.b, dtype=np.float64)
    state, d, lam, a = ints[k:], numbers[:k], numbers[k : k + n], numbers[k + n :]
    tries = briefly(settle_few, k, n, ints, A, b, mu, state, d, lam, a)
    if not tries:
        return None
    states = tuple([STATES[i] for i in state.tolist()])
    directions = tuple([np.array([way]) if way != 0.0 else None for way in d.tolist()])
    return ContactSolution(states, directions, lam, a, tries)

"""The rows that hold, kept at a state, as kernels: q onto Φ = 0, u onto B u + C = 0, both by the least change.

    δu = −M⁻¹ Bᵀ S⁻¹ Φ,  q ← q + W δu, until Φ is rounding;    u ← u − M⁻¹ Bᵀ S⁻¹ (B u + C),    S = B M⁻¹ Bᵀ

Where S is close to singular, or Newton's method does not lead there, the state has to be given.
"""

from __future__ import annotations

from latchwork.algebra.elimination import lu, lu_solve
from latchwork.constraint.inertia import times
from latchwork.hybrid.contacts.delassus_operator import APART
from latchwork.hybrid.time_stepping.inertia import answer_for, ask, read_held, read_motion
from latchwork.hybrid.time_stepping.time_step import Asked, Reason, TimeStep
from latchwork.program.evaluator import evaluate_gathered
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

EXACT = 1e-13  # a residual this small, in units of the mechanism, is rounding
ROUGH = 1e-11  # and one this small, where a step does not help
ASSEMBLED = 1e-9  # a residual that can be accepted where Newton's method ends
MAX_NEWTON_STEPS = 20  # Newton steps
UNKNOWN = 1e300


@kernel
def correction(step: TimeStep, only: i64) -> i64:
    """``shift`` = −M⁻¹ Bᵀ S⁻¹ right, of all rows or only of those that have a Φ; 0 where S is close to singular."""
    n, m, G, B = step.n, step.held, step.out, step.B
    S = offset(G, n * m)
    scale, order, right = offset(S, m * m), offset(S, m * m + m), offset(S, m * m + 2 * m)
    count = 0
    for r in range(m):
        if only == 0 or step.has_phi[r] == 1:
            for i in range(n):
                G[count * n + i] = times(n, offset(step.M_inverse, i * n), offset(B, r * n))
            for i in range(n):
                B[count * n + i] = B[r * n + i]
            right[count] = step.held_right[r]
            count += 1
    for r in range(count):
        scale[r] = sqrt(divide(1.0, times(n, offset(B, r * n), offset(G, r * n))))
        right[r] *= scale[r]
    for r in range(count):
        for s in range(count):
            S[r * count + s] = times(n, offset(B, r * n), offset(G, s * n)) * scale[r] * scale[s]
    if step.regular == 0 or not lu(count, S, order) > APART:
        return 0
    lu_solve(count, S, order, right)
    for i in range(n):
        step.shift[i] = 0.0
        for r in range(count):
            step.shift[i] -= G[r * n + i] * scale[r] * right[r]
    return 1


@kernel
def take_given(step: TimeStep, kind: i64, start: f64p, x: f64p) -> i64:
    """The state that was given for where it began, or ask for it."""
    g = answer_for(step.given, kind, start)
    if g < 0:
        return ask(step, kind, start)
    for i in range(step.n_x):
        x[i] = step.given.state[g * step.n_x + i]
    return Reason.DONE


@kernel
def normalize(step: TimeStep, x: f64p) -> None:
    """Quaternions brought to unit length."""
    for k in range(step.fours):
        total = 0.0
        for j in range(4):
            total += x[step.four[4 * k + j]] * x[step.four[4 * k + j]]
        size = sqrt(total)
        for j in range(4):
            x[step.four[4 * k + j]] = divide(x[step.four[4 * k + j]], size)


@kernel
def shift_place(step: TimeStep, x: f64p, change: f64p) -> None:
    """``q ← q + W δu``."""
    n = step.n
    evaluate_gathered(step.spread, x, step.W)
    for k in range(step.n_spread):
        place = step.spread_place[k]
        x[1 + place // n] += step.W[k] * change[place % n]
    normalize(step, x)


@kernel
def residual(step: TimeStep) -> f64:
    """The largest |Φ_i|, each over the length of its row, in units of the mechanism."""
    n, worst = step.n, 0.0
    for r in range(step.held):
        step.held_right[r] = step.held_out[r]
        size = 0.0
        for j in range(n):
            size = maximum(size, fabs(step.B[r * n + j]) * step.unit[j])
        if step.has_phi[r] == 1 and step.held_out[r] != 0.0:
            worst = maximum(worst, divide(fabs(step.held_out[r]), size))
    return worst


@kernel
def keep_place(step: TimeStep, x: f64p) -> i64:
    """x with coordinates that meet Φ = 0."""
    count, before, start = 0, UNKNOWN, step.trial
    for r in range(step.held):
        count += step.has_phi[r]
    if count == 0:
        return Reason.DONE
    for i in range(step.n_x):
        start[i] = x[i]
    for _ in range(MAX_NEWTON_STEPS):
        read_held(step, x)
        size = residual(step)
        if size <= EXACT or (size <= ROUGH and size >= 0.5 * before):
            return Reason.DONE
        before = size
        read_motion(step, x)
        if not size < UNKNOWN or correction(step, 1) == 0:
            return take_given(step, Asked.PLACE, start, x)
        shift_place(step, x, step.shift)
    read_held(step, x)
    return Reason.DONE if residual(step) <= ASSEMBLED else take_given(step, Asked.PLACE, start, x)


@kernel
def keep_speeds(step: TimeStep, x: f64p) -> i64:
    """x with speeds that meet B u + C = 0."""
    n, m = step.n, step.held
    if m == 0:
        return Reason.DONE
    u = offset(x, 1 + step.n_q)
    for i in range(step.n_x):
        step.trial[i] = x[i]
    read_motion(step, x)
    for _ in range(2):
        read_held(step, x)
        for r in range(m):
            step.held_right[r] = times(n, offset(step.B, r * n), u) + step.held_out[m + m * n + r]
        if correction(step, 0) == 0:
            return take_given(step, Asked.SPEEDS, step.trial, x)
        for i in range(n):
            u[i] += step.shift[i]
    return Reason.DONE

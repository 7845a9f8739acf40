"""Steps that are settled: after each one the state is brought back to where it belongs, then guards are looked at.

``settle(code, z, w)``, on its own slots, takes the new state in w, its time in z[0], and leaves the settled state;
behind it stand 1 where it changed something, and 1 where the equations ask to be written otherwise (the stepper then
comes back), 2 where the state is none that can be reached: the step is taken back, and a shorter one tried.
"""

from __future__ import annotations

from latchwork.integrate.adaptive import COMPONENT, RECORDED, REJECTED, SHRINK, STEPS, H, T, advance_adaptive
from latchwork.integrate.guard_location import NONE
from latchwork.integrate.status import ELSEWHERE, END, EVENT, FULL, NO_NUMBER, NOT_FINITE, REWRITE
from latchwork.integrate.steppers import advance_fixed, derivative, not_finite, record
from latchwork.integrate.watched import copy, look
from latchwork.program.kernel import executor, f64, f64p, i32p, i64, i64p, kernel, local_i64, offset
from latchwork.program.native import together


@kernel
def settled(
    run: executor, code: i32p, z: f64p, n: i64, t: f64, x: f64p, k: f64p, settle: executor, settle_code: i32p,
    settle_z: f64p, w: f64p,
) -> i64:  # fmt: skip
    """Settle (t, x), with ẋ anew where x changed; 1 where the equations ask to be written otherwise, 2: see above."""
    settle_z[0] = t
    copy(n, x, w)
    settle(settle_code, settle_z, w)
    if w[n] != 0.0 and w[n + 1] != 2.0:
        copy(n, w, x)
        derivative(run, code, z, n, t, x, k)
    return int(w[n + 1])


@kernel
def begin_settled(n: i64, t: f64, x: f64p, settle: executor, settle_code: i32p, settle_z: f64p, w: f64p) -> None:
    """Let what settles know from which state the steps begin."""
    settle_z[0] = t
    copy(n, x, w)
    settle(settle_code, settle_z, w)


@kernel
def settled_fixed(
    run: executor, code: i32p, z: f64p, n: i64, s: i64, m: f64p, t0: f64, h: f64, t_end: f64, first: i64, stop: i64,
    last: i64, every: i64, x: f64p, k: f64p, counts: i64p, out_t: f64p, out_x: f64p, out_dx: f64p, out_bend: f64p,
    look_run: executor, look_code: i32p, look_z: f64p, guards: i64, w: f64p, flags: i64p, settle: executor,
    settle_code: i32p, settle_z: f64p, y: f64p,
) -> i64:  # fmt: skip
    """`steppers.advance_fixed`, settled and watched, until an event or until other equations are asked for."""
    inner = local_i64(3)
    inner[1] = 0
    counts[0] = 0
    begin_settled(n, t0 + float(first) * h, x, settle, settle_code, settle_z, y)
    for i in range(first, stop):
        r = counts[0]
        t, end = t0 + float(i) * h, t0 + float(i + 1) * h if i + 1 < last else t_end
        copy(n, x, w)
        copy(n, k, offset(w, n))
        advance_fixed(
            run, code, z, n, s, m, t0, h, t_end, i, i + 1, last, 1, x, k, inner, offset(out_t, r), offset(out_x, r * n),
            offset(out_dx, r * n),
        )  # fmt: skip
        counts[1] += 1
        counts[2] = inner[2]
        if counts[2] >= 0:
            counts[0] += 1
            return NOT_FINITE
        asks = settled(run, code, z, n, end, x, k, settle, settle_code, settle_z, y)
        if asks == 2:
            return ELSEWHERE
        counts[2] = not_finite(n, k)
        record(r, n, end, x, k, out_t, out_x, out_dx)
        if counts[2] >= 0:
            counts[0] += 1
            return NOT_FINITE
        if guards > 0:
            theta = look(
                run, code, z, n, look_run, look_code, look_z, guards, w, flags, t, x, k, offset(out_t, r),
                offset(out_x, r * n), offset(out_dx, r * n), offset(out_bend, r * n),
            )  # fmt: skip
            if theta < NONE:
                counts[0] += 0 if theta == 0.0 and i % every == 0 else 1
                return EVENT
            if theta != theta:
                return NO_NUMBER
        if (i + 1) % every == 0 or i + 1 == last or asks != 0:
            counts[0] += 1
        if asks != 0 and i + 1 < last:
            return REWRITE
    return END if stop == last else FULL


@kernel
def settled_adaptive(
    run: executor, code: i32p, z: f64p, n: i64, s: i64, m: f64p, t_end: f64, rtol: f64, atol: f64p, max_step: f64,
    max_steps: i64, memory: f64p, counts: i64p, x: f64p, k: f64p, e: f64p, capacity: i64,
    out_t: f64p, out_x: f64p, out_dx: f64p, out_bend: f64p,
    look_run: executor, look_code: i32p, look_z: f64p, guards: i64, w: f64p, flags: i64p, settle: executor,
    settle_code: i32p, settle_z: f64p, y: f64p,
) -> i64:  # fmt: skip
    """`adaptive.advance_adaptive`, settled and watched, until an event or until other equations are asked for."""
    status = FULL
    r = 0
    begin_settled(n, memory[T], x, settle, settle_code, settle_z, y)
    while status == FULL and r < capacity:
        t = memory[T]
        copy(n, x, w)
        copy(n, k, offset(w, n))
        status = advance_adaptive(
            run, code, z, n, s, m, t_end, rtol, atol, max_step, max_steps, memory, counts, x, k, e, 1,
            offset(out_t, r), offset(out_x, r * n), offset(out_dx, r * n), offset(out_bend, r * n),
        )  # fmt: skip
        if counts[RECORDED] == 0:
            break
        asks = settled(run, code, z, n, memory[T], x, k, settle, settle_code, settle_z, y)
        if asks == 2:
            copy(n, w, x)
            copy(n, offset(w, n), k)
            memory[H], memory[T], status = SHRINK * (memory[T] - t), t, FULL
            counts[STEPS] -= 1
            counts[REJECTED] += 1
            continue
        record(r, n, memory[T], x, k, out_t, out_x, out_dx)
        counts[COMPONENT] = not_finite(n, k)
        if counts[COMPONENT] >= 0:
            r += 1
            status = NOT_FINITE
            break
        theta = NONE
        if guards > 0:
            theta = look(
                run, code, z, n, look_run, look_code, look_z, guards, w, flags, t, x, k, offset(out_t, r),
                offset(out_x, r * n), offset(out_dx, r * n), offset(out_bend, r * n),
            )  # fmt: skip
        if theta < NONE:
            status = EVENT
        if theta != theta:
            status = NO_NUMBER
        if asks != 0 and status == FULL:
            status = REWRITE
        r += 0 if theta == 0.0 else 1
    counts[RECORDED] = r
    return status


together(settled_fixed, settled_adaptive)

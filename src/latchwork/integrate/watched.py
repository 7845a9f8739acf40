"""Steps under the guard watch: the steppers one step at a time, each step looked at before the next; the same bits."""

from __future__ import annotations

from latchwork.integrate.adaptive import RECORDED, T, advance_adaptive
from latchwork.integrate.fused import advance_fused
from latchwork.integrate.guard_location import NONE, probe, watch
from latchwork.integrate.status import END, EVENT, FULL, NO_NUMBER, NOT_FINITE
from latchwork.integrate.steppers import advance_fixed, derivative, record
from latchwork.program.kernel import executor, f64, f64p, i32p, i64, i64p, kernel, local_i64, offset
from latchwork.program.native import together


@kernel
def copy(n: i64, a: f64p, b: f64p) -> None:
    """b becomes a."""
    for i in range(n):
        b[i] = a[i]


@kernel
def look(
    run: executor, code: i32p, z: f64p, n: i64, look_run: executor, look_code: i32p, look_z: f64p, m: i64, w: f64p,
    flags: i64p, t: f64, x: f64p, k: f64p, out_t: f64p, out_x: f64p, out_dx: f64p, out_bend: f64p,
) -> f64:  # fmt: skip
    """Watch the step from (x, ẋ) at t, kept in w, to the row just recorded; at an event, the row is cut short there.

    ``x(θ φ)`` is a quartic in φ whose leading term is ``θ⁴ bend``. Returns θ as `watch`.
    """
    end = out_t[0]
    copy(n, out_x, offset(w, 2 * n))
    copy(n, out_dx, offset(w, 3 * n))
    copy(n, out_bend, offset(w, 4 * n))
    theta = watch(look_run, look_code, look_z, n, m, w, flags, t, end)
    if theta < 1.0:
        probe(look_run, look_code, look_z, n, m, w, t, end - t, theta)
        copy(n, offset(w, 5 * n), x)
        derivative(run, code, z, n, t + theta * (end - t), x, k)
        record(0, n, t + theta * (end - t), x, k, out_t, out_x, out_dx)
        for i in range(n):
            out_bend[i] = theta * theta * theta * theta * w[4 * n + i]
    return theta


@kernel
def after_step(
    run: executor, code: i32p, z: f64p, n: i64, t: f64, i: i64, last: i64, every: i64, bad: i64, x: f64p, k: f64p,
    counts: i64p, out_t: f64p, out_x: f64p, out_dx: f64p, out_bend: f64p,
    look_run: executor, look_code: i32p, look_z: f64p, guards: i64, w: f64p, flags: i64p,
) -> i64:  # fmt: skip
    """Look at step i, just written to the next row, and keep the row or not; FULL where the run goes on."""
    r = counts[0]
    counts[1] += 1
    counts[2] = bad
    if bad >= 0:
        counts[0] += 1
        return NOT_FINITE
    theta = look(
        run, code, z, n, look_run, look_code, look_z, guards, w, flags, t, x, k, offset(out_t, r),
        offset(out_x, r * n), offset(out_dx, r * n), offset(out_bend, r * n),
    )  # fmt: skip
    if theta < NONE:
        counts[0] += 0 if theta == 0.0 and i % every == 0 else 1  # at the start of the step: recorded already
        return EVENT
    if theta != theta:
        return NO_NUMBER
    if (i + 1) % every == 0 or i + 1 == last:
        counts[0] += 1
    return FULL


@kernel
def watched_fixed(
    run: executor, code: i32p, z: f64p, n: i64, s: i64, m: f64p, t0: f64, h: f64, t_end: f64, first: i64, stop: i64,
    last: i64, every: i64, x: f64p, k: f64p, counts: i64p, out_t: f64p, out_x: f64p, out_dx: f64p, out_bend: f64p,
    look_run: executor, look_code: i32p, look_z: f64p, guards: i64, w: f64p, flags: i64p,
) -> i64:  # fmt: skip
    """`steppers.advance_fixed`, until the first event."""
    inner = local_i64(3)
    inner[1] = 0
    counts[0] = 0
    for i in range(first, stop):
        r = counts[0]
        copy(n, x, w)
        copy(n, k, offset(w, n))
        advance_fixed(
            run, code, z, n, s, m, t0, h, t_end, i, i + 1, last, 1, x, k, inner, offset(out_t, r), offset(out_x, r * n),
            offset(out_dx, r * n),
        )  # fmt: skip
        status = after_step(
            run, code, z, n, t0 + float(i) * h, i, last, every, inner[2], x, k, counts, out_t, out_x, out_dx, out_bend,
            look_run, look_code, look_z, guards, w, flags,
        )  # fmt: skip
        if status != FULL:
            return status
    return END if stop == last else FULL


@kernel
def watched_fused(
    step: executor, step_code: i32p, y: f64p, out: f64p, run: executor, code: i32p, z: f64p, n: i64, t0: f64, h: f64,
    t_end: f64, first: i64, stop: i64, last: i64, every: i64, x: f64p, k: f64p, counts: i64p, out_t: f64p, out_x: f64p,
    out_dx: f64p, out_bend: f64p, look_run: executor, look_code: i32p, look_z: f64p, guards: i64, w: f64p, flags: i64p,
) -> i64:  # fmt: skip
    """`fused.advance_fused` on slots y, until the first event; the program itself gives ẋ there."""
    inner = local_i64(3)
    inner[1] = 0
    counts[0] = 0
    for i in range(first, stop):
        r = counts[0]
        copy(n, x, w)
        copy(n, k, offset(w, n))
        advance_fused(
            step, step_code, y, out, n, t0, h, t_end, i, i + 1, last, 1, inner, offset(out_t, r), offset(out_x, r * n),
            offset(out_dx, r * n),
        )  # fmt: skip
        copy(n, out, x)
        copy(n, offset(out, n), k)
        status = after_step(
            run, code, z, n, t0 + float(i) * h, i, last, every, inner[2], x, k, counts, out_t, out_x, out_dx, out_bend,
            look_run, look_code, look_z, guards, w, flags,
        )  # fmt: skip
        if status != FULL:
            return status
    return END if stop == last else FULL


@kernel
def watched_adaptive(
    run: executor, code: i32p, z: f64p, n: i64, s: i64, m: f64p, t_end: f64, rtol: f64, atol: f64p, max_step: f64,
    max_steps: i64, memory: f64p, counts: i64p, x: f64p, k: f64p, e: f64p, capacity: i64,
    out_t: f64p, out_x: f64p, out_dx: f64p, out_bend: f64p,
    look_run: executor, look_code: i32p, look_z: f64p, guards: i64, w: f64p, flags: i64p,
) -> i64:  # fmt: skip
    """`adaptive.advance_adaptive`, until the first event."""
    status = FULL
    r = 0
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
        theta = look(
            run, code, z, n, look_run, look_code, look_z, guards, w, flags, t, x, k, offset(out_t, r),
            offset(out_x, r * n), offset(out_dx, r * n), offset(out_bend, r * n),
        )  # fmt: skip
        if theta < NONE:
            status = EVENT
        if theta != theta:
            status = NO_NUMBER
        r += 0 if theta == 0.0 else 1
    counts[RECORDED] = r
    return status


together(watch, watched_fixed, watched_fused, watched_adaptive)

"""Steps of a time-stepped interval, as one kernel: smooth motion that gains no energy, penetration out, impacts.

K + V changes by the work that is booked. Where the midpoint rule is off by more than `FINE` of the kinetic energy, or
penetration out lifts by more what has no speed to give for it, two halves take the place of a step. Where something
has to be given, or told, it comes back and is called again: it goes on with the part of the step that it was at.
"""

from __future__ import annotations

from latchwork.hybrid.time_stepping.clearances import are_used_up
from latchwork.hybrid.time_stepping.contact_rows import count_at_start, keep_gaps, list_near, measure
from latchwork.hybrid.time_stepping.impacts import strike
from latchwork.hybrid.time_stepping.inertia import energy_at, kinetic_energy, read_motion
from latchwork.hybrid.time_stepping.penetration import balance, take_out
from latchwork.hybrid.time_stepping.rest import comes_to_rest
from latchwork.hybrid.time_stepping.settings import MANY
from latchwork.hybrid.time_stepping.smooth_step import smooth_step
from latchwork.hybrid.time_stepping.time_step import HALVINGS, Reason, TimeStep
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import f64, f64p, fabs, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.scalar import maximum, minimum

FINE = 1e-6  # of the kinetic energy: what a step may lose or gain by itself
LITTLE = 1e-2  # of the most there was: what is slower need not be as exact
ROUNDING = 1e-12  # of all energy: less is rounding
SLIVER = 1e-9  # of a step: shorter ones are not taken


@kernel
def part_of_step(step: TimeStep, h: f64, halvings: i64) -> i64:
    """One step of this length: `Reason.DONE`, `Reason.AT_REST`, or why nothing has changed."""
    x, after = step.x, step.moved_x
    step.off_of_step = 0.0
    status = list_near(step, x, 0)
    if status != Reason.DONE:
        return status
    count_at_start(step)
    energy = energy_at(step, x)
    read_motion(step, x)
    K = kinetic_energy(step, offset(x, 1 + step.n_q))
    status = smooth_step(step, h)
    if status != Reason.DONE:
        return status
    surplus = energy_at(step, after) - energy - step.work_of_step
    most = maximum(step.most_energy, K)
    if halvings > 0 and fabs(surplus) > FINE * maximum(K, LITTLE * most) + ROUNDING * fabs(energy):
        step.most_energy = most
        return Reason.COARSE
    if surplus > 0.0:
        balance(step, after, surplus)
    smoothed = energy_at(step, after)
    status = take_out(step, after)
    if status != Reason.DONE:
        return status
    for i in range(step.n):
        step.u_mean[i] = step.mean[i]
    status, hard = strike(step, after, h)
    if status != Reason.DONE:
        return status
    ended = energy_at(step, after)
    if halvings > 0 and ended - energy - step.work_of_step > FINE * maximum(K, LITTLE * most) + ROUNDING * fabs(energy):
        step.most_energy = most
        return Reason.COARSE
    work = step.work_of_step + minimum(surplus, 0.0) + (ended - smoothed)
    status = Reason.DONE if hard == 1 else comes_to_rest(step, after, h)
    if status != Reason.DONE and status != Reason.AT_REST:
        return status
    step.most_energy = most
    step.work += work
    step.lost -= minimum(surplus, 0.0)
    step.kept += maximum(surplus, 0.0)
    commit(step, after, hard)
    for i in range(step.n_x):
        if x[i] - x[i] != 0.0:
            return Reason.NOT_FINITE
    return status


@kernel
def commit(step: TimeStep, after: f64p, hard: i64) -> None:
    """The state after a step becomes the state, and a row of the page."""
    n_q, n, x, scene, row = step.n_q, step.n, step.x, step.scene, step.filled
    for i in range(step.n_x):
        x[i] = after[i]
    for i in range(n):
        step.udot[i] = step.u_mean[i]
    for k in range(step.broad.candidates):
        i = step.broad.candidate[k]
        if step.real[i] == 1:
            step.deepest = maximum(step.deepest, -scene.gap[i])
        for j in range(3):
            step.warm[3 * i + j] = step.impulses[3 * i + j]
    keep_gaps(step)
    for z in range(step.zones):
        evaluate(step.zone[z], x, step.out)
        entered = 0
        for j in range(step.zone[z].width):
            entered += 1 if step.out[j] >= 0.0 else 0
        scene.zone[step.zone_place[z]] = entered
    step.impacts += hard
    step.calm = 0 if hard == 1 else step.calm + 1
    step.off = maximum(step.off, step.off_of_step)
    step.given.count = 0
    step.page_t[row] = x[0]
    for i in range(n_q + n):
        step.page_x[row * (n_q + n + 1) + i] = x[1 + i]
    step.page_x[row * (n_q + n + 1) + n_q + n] = step.work
    for i in range(n_q):
        step.page_rates[row * n_q + i] = step.rates[i]
    one, other = 1, 1
    for k in range(step.broad.candidates):
        i = step.broad.candidate[k]
        if step.mode[i] > 0:
            one = (one * 8191 + 3 * i + step.mode[i]) % 2147483647
            other = (other * 131071 + 3 * i + step.mode[i]) % 2147483629
    step.page_mode[2 * row], step.page_mode[2 * row + 1] = one, other
    step.filled = row + 1


@kernel
def put_part(step: TimeStep, h: f64, halvings: i64) -> None:
    """A part of a step that is to be taken next."""
    step.part[step.depth], step.halvings[step.depth] = h, halvings
    step.depth += 1


@kernel
def stops_fell(step: TimeStep) -> i64:
    """How many stops fell through zero since they were looked at last."""
    fell = 0
    if step.stops > 0:
        evaluate(step.stop, step.x, step.stop_now)
        for i in range(step.stops):
            fell += 1 if step.stop_before[i] >= 0.0 and step.stop_now[i] < 0.0 else 0
            if fell == 0:
                step.stop_before[i] = step.stop_now[i]
    return fell


@kernel
def end_step(step: TimeStep) -> i64:
    """What is looked at where a whole step has ended."""
    step.open = 0
    if step.x[0] >= step.until - SLIVER * step.step:
        step.x[0] = step.until
        if step.filled > 0:
            step.page_t[step.filled - 1] = step.until
    if stops_fell(step) > 0:
        return Reason.STOPPED
    if step.x[0] >= step.until:
        return Reason.END
    if step.calm_steps == 0 or step.calm < step.calm_steps:
        return Reason.DONE
    closed = 0
    for k in range(step.broad.candidates):
        closed += 1 if step.mode[step.broad.candidate[k]] > 0 else 0
    return Reason.CALM if closed <= MANY else Reason.DONE


@kernel
def next_part(step: TimeStep) -> i64:
    """The part of a step that is to be taken next, or its halves in its place; it stays to be taken where it cannot."""
    if step.filled == step.page:
        return Reason.FULL
    step.depth -= 1
    h, halvings = step.part[step.depth], step.halvings[step.depth]
    status = part_of_step(step, h, halvings)
    if status == Reason.COARSE:
        put_part(step, 0.5 * h, halvings - 1)
        put_part(step, 0.5 * h, halvings - 1)
        return Reason.DONE
    if status != Reason.DONE and status != Reason.AT_REST:
        put_part(step, h, halvings)
    return status


@kernel
def steps(step: TimeStep, most: i64) -> i64:
    """Steps until all may be at rest, things are calm, a stop falls, the end, or as many as are asked for."""
    if step.measured == 0:
        status = list_near(step, step.x, 0)
        if status != Reason.DONE:
            return status
        measure(step, step.x)
        keep_gaps(step)
        if step.stops > 0:
            evaluate(step.stop, step.x, step.stop_before)
        step.measured = 1
    taken, status = 0, Reason.DONE
    while status == Reason.DONE:
        if step.depth > 0:
            status = next_part(step)
        elif step.open == 1:
            status = end_step(step)
        elif taken < most:
            left = step.until - step.x[0]
            if are_used_up(step.clearances, step.x, step.step) == 1:
                return Reason.USED_UP
            put_part(step, left if left < (1.0 + SLIVER) * step.step else step.step, HALVINGS)
            step.open = 1
            taken += 1
        else:
            status = Reason.FULL
    return status


together(steps, stops_fell, end_step)

"""The stepper: one kernel for fixed and adaptive steps, with or without guards, with or without projection.

    begin   (t, x) and the inputs put in place, guards armed, ẋ, the first step chosen
    steps   a step by the tableau, projected, watched, recorded; until a time, an event, or a full page
    tick    one fixed step with other inputs

A fixed step ends at ``origin + i h``, without accumulation, and the last one exactly at the end; a run that begins
between two such times makes a shorter step to the next of them. Adaptive steps are controlled as in `adaptive`, those
of an implicit method as in `radau`. After a step the state may be projected (`Projection`): where it cannot be reached,
an adaptive step is taken back and a shorter one tried. Then the guards are watched (`guard_location`): at an event the
step is cut short, and ends with the ẋ of the equations there; an implicit one, with the slope of its dense output.
Python and machine code give the same bits.
"""

from __future__ import annotations

from latchwork.integrate.adaptive import GROW, SHRINK, STRETCH, factor, first_step, trial_error
from latchwork.integrate.fused import SHARED
from latchwork.integrate.guard_location import NO_INSTANT, probe, slopes_at, watch
from latchwork.integrate.integration import NOT_BELOW, PATIENT, SPENT, STRICT, Integration, StateFunction
from latchwork.integrate.radau import implicit_step
from latchwork.integrate.status import Status
from latchwork.integrate.step import accept, combine, copy, evaluate, not_finite, step
from latchwork.program.kernel import divide, f64, f64p, floor, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.scalar import maximum, minimum

SLIVER = 1e-9  # of a step: a remainder this short joins the step before it
CALM = 1e-4  # the error assumed before the first step, and the least that counts as the one before
COUNTLESS = 2.0**62  # steps: more are not counted
FOREVER = 1e300  # s
UNREACHED = 2  # what a projection notes of a state that is none of the mechanism as it is assembled


@kernel
def restore(program: StateFunction) -> None:
    """Slots as they are before a run."""
    copy(program.size, program.fresh, program.slots)


@kernel
def put_rest(integration: Integration, rest: f64p) -> None:
    """Put the inputs into the slots of all programs."""
    count, equations, guards, projection = (
        integration.n_rest, integration.equations, integration.guards, integration.projection,
    )  # fmt: skip
    copy(count, rest, offset(equations.slots, equations.rest_at))
    if integration.is_fused == 1:
        copy(count, rest, offset(integration.fused.slots, integration.fused.rest_at))
    if guards.m > 0:
        copy(count, rest, offset(guards.program.slots, guards.program.rest_at))
    if projection.given == 1:
        copy(count, rest, offset(projection.program.slots, projection.program.rest_at))


@kernel
def stand(integration: Integration, state: f64p, rest: f64p) -> None:
    """Slots as before a run, with the inputs in place, and x from the full state."""
    restore(integration.equations)
    if integration.guards.m > 0:
        restore(integration.guards.program)
    if integration.projection.given == 1:
        restore(integration.projection.program)
    put_rest(integration, rest)
    for i in range(integration.n):
        integration.x[i] = state[integration.kept[i]]


@kernel
def judged(integration: Integration, t: f64) -> f64:
    """How good the speeds of the equations are at (t, x): the more the better."""
    projection, n = integration.projection, integration.n
    z = projection.program.slots
    z[0] = t
    copy(n, integration.x, offset(z, 1))
    projection.judge(projection.program.code, z, projection.state)
    return projection.state[0]


@kernel
def arm(integration: Integration) -> None:
    """Arm guards by their kinds and heights where they are."""
    guards = integration.guards
    for i in range(guards.m):
        g, height = guards.first[i], guards.heights[i]
        armed = 1 if g >= 0.0 or guards.kinds[i] == PATIENT else 0
        if guards.kinds[i] == SPENT:
            armed = 1 if g > 0.0 else 0
        if height > 0.0:
            armed = 1 if g > height else 0
        elif height < 0.0:
            armed = 0 if g > -height else 1
        guards.armed[i] = armed


@kernel
def fallen(integration: Integration) -> i64:
    """Whether guards fall at once where they are, or are not numbers: EVENT, NO_NUMBER, else FULL; they are hit."""
    guards, status = integration.guards, Status.FULL
    m, now = guards.m, guards.first
    for i in range(m):
        g, kind, falls = now[i], guards.kinds[i], 0
        if g < 0.0 and (kind == NOT_BELOW or (kind == STRICT and guards.armed[i] == 1)):
            falls = 1
        if g <= 0.0 and now[m + i] < 0.0 and guards.armed[i] == 1:
            falls = 1
        guards.hit[i] = falls
        if falls == 1 and status == Status.FULL:
            status = Status.EVENT
        if g != g:
            status = Status.NO_NUMBER
    for i in range(m):
        if status == Status.NO_NUMBER:
            guards.hit[i] = 1 if now[i] != now[i] else 0
    return status


@kernel
def look(integration: Integration, t: f64, arms: i64) -> i64:
    """Guards and rates at (t, x), as `fallen`; armed first where that is asked for."""
    guards, n = integration.guards, integration.n
    if guards.m == 0:
        return Status.FULL
    evaluate(guards.program, n, t, integration.x, guards.first)
    copy(2 * guards.m, guards.first, guards.step.g0)
    if arms == 1:
        arm(integration)
    return fallen(integration)


@kernel
def recorded(integration: Integration, row: i64) -> None:
    """Record t, x, ẋ and the quartic term of the step that ends here as a row."""
    page, n, x, bend = integration.page, integration.n, integration.x, integration.guards.step.bend
    rows, slopes, bends = offset(page.x, row * n), offset(page.dx, row * n), offset(page.bend, row * n)
    page.t[row] = integration.control.t
    for i in range(n):
        rows[i], slopes[i], bends[i] = x[i], x[n + i], bend[i]


@kernel
def begin(integration: Integration, t: f64, state: f64p, rest: f64p, least: f64) -> i64:
    """Stand at t in a full state; FULL where steps can be made from there.

    EVENT where a guard falls at once, NO_NUMBER and NOT_FINITE as `steps`; REWRITE where ``least`` is above 0 and the
    speeds are judged no better than that. The state becomes the first row, on the first that is free.
    """
    control, n, x = integration.control, integration.n, integration.x
    k = offset(x, n)
    stand(integration, state, rest)
    if least > 0.0:
        if not judged(integration, t) > least:
            return Status.REWRITE
        stand(integration, state, rest)  # judging leaves marks in the slots
    control.since, control.origin, control.t, control.h, control.error, control.made = t, t, t, control.first, CALM, 0
    if control.fixed == 1:
        control.origin = control.grid
        control.made = fixed_steps_before(integration, t)
    control.steps, control.rejected, control.tried, control.component, control.evaluations = 0, 0, 0, -1, 1
    if control.implicit == 1:
        integration.collocation.is_known, integration.collocation.before = 0, 0.0
    status = look(integration, t, integration.guards.arms)
    if status != Status.FULL:
        return status
    evaluate(integration.equations, n, t, x, k)
    control.component = not_finite(n, k)
    if control.component >= 0:
        return Status.NOT_FINITE
    if control.fixed == 0:
        for i in range(n):
            control.atol[i] = control.absolute[integration.kept[i]]
    if control.fixed == 0 and control.first == 0.0:
        control.h = first_step(integration.equations, n, t, control.rtol, control.atol, x, k, control.unit)
        control.evaluations += 1
    integration.first, integration.last = integration.page.free, integration.page.free
    recorded(integration, integration.first)
    return Status.FULL


@kernel
def fixed_steps_before(integration: Integration, t: f64) -> i64:
    """How many fixed steps from the origin have ended at t, but for a sliver."""
    origin, h = integration.control.origin, integration.control.step
    count = divide(t - origin, h)
    nearest = floor(count + 0.5)
    return int(nearest) if origin + nearest * h == t else int(floor(count + SLIVER))


@kernel
def steps_in(span: f64, h: f64) -> i64:
    """How many fixed steps a span of time takes."""
    count = divide(span, h)
    return int(minimum(maximum(-floor(SLIVER - count), 1.0 if count > 0.0 else 0.0), COUNTLESS))


@kernel
def fixed_step(integration: Integration, until: f64, total: i64) -> f64:
    """The next of so many fixed steps, the last of which ends at ``until``: where it ends."""
    control, n, x = integration.control, integration.n, integration.x
    i, t = control.made, control.t
    whole = control.origin + float(i + 1) * control.step
    end = whole if i + 1 < total else until
    h = control.step if end == whole and t == control.origin + float(i) * control.step else end - t
    if integration.is_fused == 1:
        z = integration.fused.slots
        z[0], z[1], z[2] = t, h, end
        copy(2 * n, x, offset(z, SHARED))
        integration.fused.run(integration.fused.code, z, x)  # x and ẋ, one behind the other
    else:
        step(integration.equations, n, control.stages, control.tableau, t, h, end, x, offset(x, n))
        accept(integration.equations, n, control.stages, x, offset(x, n))
    control.evaluations += control.stages - 1
    return end


@kernel
def adaptive_step(integration: Integration, until: f64) -> i64:
    """Try steps until one is accepted, FULL; or the reason why none is."""
    control, equations, n, x = integration.control, integration.equations, integration.n, integration.x
    k, s, m, e, grow = offset(x, n), control.stages, control.tableau, integration.scratch, GROW
    bend = integration.guards.step.bend
    while control.tried + control.steps + control.rejected < control.max_steps:
        t, h = control.t, minimum(control.h, minimum(control.step, control.longest))
        if t + 0.0625 * h == t:
            return Status.TOO_SMALL if control.component < 0 else Status.NOT_FINITE
        end = until if t + STRETCH * h >= until else t + h
        h = end - t
        step(equations, n, s, m, t, h, end, x, k)
        control.evaluations += s - 1
        err = trial_error(n, s, m, h, control.rtol, control.atol, x, equations.slots, k, e)
        control.component = not_finite(n, e)
        if err <= 1.0:
            combine(n, s, offset(m, s * s + 2 * s), k, bend)
            for i in range(n):
                bend[i] = h * bend[i]
            accept(equations, n, s, x, k)
            control.t, control.h = end, h * minimum(grow, factor(err, control.error))
            control.error = maximum(err, CALM)
            return Status.FULL
        control.rejected += 1
        control.h = h * (minimum(0.9, factor(err, 1.0)) if err - err == 0.0 else SHRINK)
        grow = 1.0
    return Status.TOO_MANY


@kernel
def projected(integration: Integration) -> i64:
    """Project (t, x), with ẋ anew where x changed; what is noted of the state."""
    projection, n, x, t = integration.projection, integration.n, integration.x, integration.control.t
    program, state = projection.program, projection.state
    program.slots[0] = t
    copy(n, x, state)
    program.run(program.code, program.slots, state)
    notes = int(state[n + 1])
    if state[n] != 0.0 and notes != UNREACHED:
        copy(n, state, x)
        if integration.control.implicit == 0:
            evaluate(integration.equations, n, t, x, offset(x, n))
    return notes


@kernel
def begin_projection(integration: Integration) -> None:
    """Evaluate the projection at the state from which steps begin: whether a step stays on its circuit is judged by the
    position before it (`circuit`)."""
    program, state = integration.projection.program, integration.projection.state
    program.slots[0] = integration.control.t
    copy(integration.n, integration.x, state)
    program.run(program.code, program.slots, state)


@kernel
def advance(integration: Integration, until: f64, total: i64) -> i64:
    """One step by the tableau, projected where there is a projection: FULL; or why none could be made.

    REWRITE: one was made, and the equations ask for other speeds.
    """
    control, before, n, x = integration.control, integration.guards.step, integration.n, integration.x
    t, k, projects, notes = control.t, offset(x, n), integration.projection.given, UNREACHED
    if projects == 1 or integration.guards.m > 0:
        copy(n, x, before.x0)
        copy(n, k, before.dx0)
    while notes == UNREACHED:
        notes = 0
        if control.fixed == 1:
            control.t = fixed_step(integration, until, total)
        else:
            status = implicit_step(integration, until) if control.implicit == 1 else adaptive_step(integration, until)
            if status != Status.FULL:
                return status
        if projects == 1 and not_finite(n, k) < 0:
            notes = projected(integration)
        if notes == UNREACHED:
            control.h, control.t = SHRINK * (control.t - t), t
            control.rejected += 1
            copy(n, before.x0, x)
            copy(n, before.dx0, k)
            integration.collocation.before = 0.0
            if control.fixed == 1:
                return Status.ELSEWHERE
    control.made += 1
    control.steps += 1
    if control.fixed == 1 or projects == 1:
        control.component = not_finite(n, k)
    return Status.FULL if notes == 0 else Status.REWRITE


@kernel
def watched(integration: Integration, t: f64) -> f64:
    """Watch the step that began at t; at an event it is cut short there. θ, as `watch` gives it."""
    control, guards, n, x = integration.control, integration.guards, integration.n, integration.x
    made, end = guards.step, control.t
    copy(n, x, made.x1)
    copy(n, offset(x, n), made.dx1)
    theta = watch(guards, t, end)
    if theta < 1.0:
        probe(guards, t, end - t, theta)
        copy(n, made.x, x)
        control.t = t + theta * (end - t)
        if control.implicit == 1:
            slopes_at(guards, end - t, theta, offset(x, n))
        else:
            evaluate(integration.equations, n, control.t, x, offset(x, n))
            control.evaluations += 1
        for i in range(n):
            made.bend[i] = theta * theta * theta * theta * made.bend[i]
    return theta


@kernel
def steps(integration: Integration, until: f64, most: i64) -> i64:
    """So many steps at most, until a time: END, or why the stepper came back earlier.

    FULL: more can be made. EVENT: a guard fell; REWRITE: the equations ask for other speeds; both stand where it was.
    NO_NUMBER, NOT_FINITE, TOO_SMALL, TOO_MANY, ELSEWHERE: no further.
    """
    control, guards, fixed, left, total = integration.control, integration.guards, integration.control.fixed, most, 0
    if fixed == 1:
        if control.t != control.origin + float(control.made) * control.step:
            control.made = fixed_steps_before(integration, control.t)
        total = steps_in(until - control.origin, control.step)
        if total <= control.made and control.t < until:
            total = control.made + 1
        for i in range(integration.n):
            guards.step.bend[i] = 0.0
    if integration.projection.given == 1:
        begin_projection(integration)
    while control.made < total if fixed == 1 else control.t < until:
        if left <= 0 or integration.last + 1 >= integration.page.room:
            return Status.FULL
        t, left = control.t, left - 1
        status = advance(integration, until, total)
        if status != Status.FULL and status != Status.REWRITE:
            return status
        kept = 1 if control.made % control.every == 0 or control.made == total or status == Status.REWRITE else 0
        if control.component >= 0:
            status, kept = Status.NOT_FINITE, 1
        elif guards.m > 0:
            theta = watched(integration, t)
            if theta != theta:
                status, kept = Status.NO_NUMBER, 1
            elif theta < NO_INSTANT:  # at the start of the step: the row before it may have it already
                status, kept = Status.EVENT, 1
                if theta == 0.0 and ((control.made - 1) % control.every == 0 or t == control.since):
                    kept = 0
        if kept == 1:
            integration.last += 1
            recorded(integration, integration.last)
        if status != Status.FULL:
            return status
    return Status.END


@kernel
def tick(integration: Integration, rest: f64p) -> i64:
    """One fixed step on, with these inputs; as `steps` where nothing is in its way: FULL or REWRITE. No row is kept."""
    control, n, x = integration.control, integration.n, integration.x
    integration.last = integration.first
    control.t = control.origin + float(control.made) * control.step
    put_rest(integration, rest)
    evaluate(integration.equations, n, control.t, x, offset(x, n))
    status = look(integration, control.t, 0)
    return steps(integration, FOREVER, 1) if status == Status.FULL else status


together(begin, stand, steps, tick, watch)

"""Guards of contacts as numbers: one kernel looks at all watched contact points, each as its state asks for.

    open      touch: max(g + shift, −d_i − bound);  met from behind: around, its negative, once it is clear in front
    closed    release: λ_n, or N = N0 + N1·u̇;  law: μ_d, μ_s − μ_d;  patch: d_i, |B_i − B_j|;  skew: 1 − (n·a)²
    sticks    slip: (μ_s λ_n)² (1 + cone) − |λ_t|²
    slides    stick: v·d;  in space also turn, and where slip has ended
    tracked   lost: of second order, and within reach
    zones     x − bound, and bound − x of the next

g is the gap, d_i how far inside the domain of its feature a contact is; v = B_t u + C_t is slip, v̇ = B_t u̇ + c_t. All
values come first, then their rates; guards on forces have none. What a program gives that is neither a row nor a force
(gap, domain, laws, zones) is compiled once, when the contact is described. Slip directions, shifts and cones are
numbers. User guards are one program, behind all others.
"""

from __future__ import annotations

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.friction_recombination import slip_rate, slip_speed
from latchwork.constraint.embedded.recombination import accelerate
from latchwork.constraint.embedded.rows_at import fill
from latchwork.hybrid.contacts.contact_point import SKEWED
from latchwork.program.evaluator import Evaluator
from latchwork.program.kernel import divide, f64, f64p, fabs, i32p, i64, kernel, offset, sqrt
from latchwork.program.native import together
from latchwork.program.records.record import array, pointer, record
from latchwork.program.records.view import record_at
from latchwork.program.scalar import maximum, minimum

OPEN, LEAVING, BEHIND, CLOSED = range(4)  # how a contact is watched
NO_SLIP, IN_PLANE, GOES_ON, BEGINS = range(4)  # how it slides with friction, if it does
PRESSED = 2  # without a normal row, and by that of another contact
PLAIN, REACHED = 1, 2  # how it is tracked: always, or where it is within reach

TURN = 0.5  # cosine of the angle by which slip in space may turn in one mode
ENDED, TURNED = 1e4, 1e6  # of the trace that slip in space keeps: slower, it has ended; and where it has turned
BACK = 1e-6  # of the trace of slip that begins: less of it backwards is rounding
TINY = 1e-60  # of a squared speed, over that of the model: what is divided by never vanishes
FAR = 1e6  # times `GuardedContact.narrow`: so far features are from each other at most, as a guard sees it
SLACK = 1e-9  # by which friction may be off its bounds in the run


@record
class GuardedContact:
    """A watched contact point in its state."""

    form: i64
    enforced: i64  # 1 where it has no normal row: the coordinates keep its gap at zero, or it has none; or PRESSED
    row: i64  # its first multiplier
    normal_row: i64  # that of the contact that presses it
    group: i64  # the first closed feature of its contact
    across: i64  # multipliers of its tangents where it sticks, else 0
    slides: i64
    slider: i64  # among those of the mode
    bounds: i64  # of the domain of its feature
    upright: i64  # 1 where its normal may turn towards the axis of its tangents
    tracked: i64
    laws: i64  # guards on its law: 0, 1, 2
    steady: i64  # 1 where μ_s is a number
    narrow: f64  # how near another feature of its contact may come; 0 where none does
    bound: f64  # rounding across the ends of its domain
    still: f64  # slip in the plane that is backwards by less may be about to begin
    tiny: f64  # of a squared speed: what is divided by never vanishes
    mu_s: f64
    cone: f64  # by which its cone is wider
    pull: f64  # by which it may pull, of the largest force; 0 but where a load begins
    shift: f64  # by which the gap of one that has just opened is watched deeper; of one met from behind, less deep
    at: i64  # where its slots begin
    near_at: i64  # from there on
    surface_at: i64
    law_at: i64
    coefficients_at: i64
    force_at: i64
    near: Evaluator = pointer()  # gap and bounds, then their rates
    surface: Evaluator = pointer()  # upright, second order, reach, as far as there are, then their rates
    law: Evaluator = pointer()  # μ_s, μ_d, then their rates
    coefficients: Evaluator = pointer()  # e, μ_s, μ_d
    force: Evaluator = pointer()  # N1, N0


@record
class GuardedZone:
    """Zones along some x: guards where the present one is left, by x − bounds and their rates."""

    index: i64
    bounds: i64
    at: i64
    program: Evaluator = pointer()


@record
class GuardTable:
    """All guards of a mode."""

    guards: i64
    contacts: i64
    zones: i64
    slots: i64
    room: i64
    free: i64  # 1 where nothing holds,
    by_acceleration: i64  # and where guards depend on u̇ nevertheless
    user_guards: i64
    user_at: i64
    user: Evaluator = pointer()  # values, then rates
    contact: list[GuardedContact] = array("contacts")
    zone: list[GuardedZone] = array("zones")
    z: f64p = array("slots")
    found: f64p = array("room")


@kernel
def fill_rates(mode: EmbeddedMode, inputs: f64p) -> None:
    """(t, q, u, rest, u̇) into the inputs of a program."""
    fill(mode, inputs)
    rates = offset(inputs, 1 + mode.n_q + mode.n + mode.n_rest)
    for j in range(mode.n):
        rates[j] = mode.udot[j]


@kernel
def touch(contact: GuardedContact, shift: f64, near: f64p, sign: f64, value: f64p, rate: f64p) -> None:
    """max(g + shift, −d_i − bound) with its sign; the rate is that of the first of equal ones."""
    bounds = contact.bounds
    found, falls = near[0] + shift, near[1 + bounds]
    for i in range(bounds):
        outside = -near[1 + i] - contact.bound
        if not outside <= found:
            falls = -near[2 + bounds + i]
        found = maximum(found, outside)
    value[0] = sign * found
    rate[0] = sign * falls


@kernel
def open_guards(mode: EmbeddedMode, table: GuardTable, contact: GuardedContact, values: f64p, rates: f64p) -> i64:
    """Guards of a contact that is open; how many there are."""
    z = offset(table.z, contact.at + contact.near_at)
    fill_rates(mode, z)
    contact.near.run(contact.near.code, z, table.found)
    if contact.form == BEHIND:
        touch(contact, contact.shift, table.found, -1.0, values, rates)
        return 1
    touch(contact, 0.0, table.found, 1.0, values, rates)
    if contact.form == OPEN:
        return 1
    touch(contact, contact.shift, table.found, 1.0, offset(values, 1), offset(rates, 1))
    return 2


@kernel
def normal_force(mode: EmbeddedMode, table: GuardTable, contact: GuardedContact) -> f64:
    """λ_n, or N = N0 + N1 · u̇ where the coordinates enforce the contact."""
    if contact.enforced == 0:
        return mode.multiplier[contact.row]
    if contact.enforced == PRESSED:
        return mode.multiplier[contact.normal_row]
    z = offset(table.z, contact.at + contact.force_at)
    fill(mode, z)
    contact.force.run(contact.force.code, z, table.found)
    total = table.found[mode.n]
    for j in range(mode.n):
        total += table.found[j] * mode.udot[j]
    return total


@kernel
def eased(mode: EmbeddedMode, contact: GuardedContact, normal: f64) -> f64:
    """The normal force that a guard sees: of a contact with nothing to carry yet, more by what is rounding."""
    most = 0.0
    if contact.pull > 0.0:
        for i in range(mode.rows):
            most = maximum(most, fabs(mode.multiplier[i]))
    return normal + contact.pull * most


@kernel
def law_guards(mode: EmbeddedMode, table: GuardTable, contact: GuardedContact, values: f64p, rates: f64p) -> i64:
    """μ_d, and μ_s − μ_d, of a law that changes in the run."""
    if contact.laws == 0:
        return 0
    z, found = offset(table.z, contact.at + contact.law_at), table.found
    fill_rates(mode, z)
    contact.law.run(contact.law.code, z, found)
    values[0] = found[1] + SLACK
    rates[0] = found[3]
    if contact.laws == 2:
        values[1] = found[0] - found[1] + SLACK
        rates[1] = found[2] - found[3]
    return contact.laws


@kernel
def patch_guards(mode: EmbeddedMode, table: GuardTable, contact: GuardedContact, values: f64p, rates: f64p) -> i64:
    """How far inside its domain a closed contact is."""
    bounds = contact.bounds
    if bounds > 0:
        z = offset(table.z, contact.at + contact.near_at)
        fill_rates(mode, z)
        contact.near.run(contact.near.code, z, table.found)
        for i in range(bounds):
            values[i] = table.found[1 + i]
            rates[i] = table.found[2 + bounds + i]
    return bounds


@kernel
def narrow_guard(mode: EmbeddedMode, table: GuardTable, i: i64, values: f64p, rates: f64p) -> i64:
    """How far a closed contact is from one before it of the same pair of solids, by their rows, less `narrow`: where
    two faces that slide along each other part, both of their ends become one row, and only the sum of forces is known.
    """
    contact, n, least = table.contact[i], mode.n, 1.0e300
    if contact.narrow == 0.0:
        return 0
    B = offset(mode.place, mode.rows)
    for k in range(i):
        other, far = table.contact[k], 0.0
        if other.form == CLOSED and other.group == contact.group and other.narrow > 0.0:
            for j in range(n):
                far = maximum(far, fabs(B[contact.row * n + j] - B[other.row * n + j]) * mode.unit_u[j])
            least = minimum(least, far)
    values[0] = minimum(least, FAR * contact.narrow) - contact.narrow
    rates[0] = 0.0
    return 1


@kernel
def surface_values(mode: EmbeddedMode, table: GuardTable, contact: GuardedContact) -> i64:
    """What the surfaces say, and their rates; how many numbers of each."""
    count = contact.upright + contact.tracked
    if count > 0:
        z = offset(table.z, contact.at + contact.surface_at)
        fill_rates(mode, z)
        contact.surface.run(contact.surface.code, z, table.found)
    return count


@kernel
def slip_guard(
    mode: EmbeddedMode, table: GuardTable, contact: GuardedContact, normal: f64, values: f64p, rates: f64p
) -> i64:
    """(μ_s λ_n)² (1 + cone) − |λ_t|² of a contact that sticks."""
    if contact.across == 0:
        return 0
    mu = contact.mu_s
    if contact.steady == 0:
        z = offset(table.z, contact.at + contact.coefficients_at)
        fill(mode, z)
        contact.coefficients.run(contact.coefficients.code, z, table.found)
        mu = table.found[1]
    first = contact.row if contact.enforced != 0 else contact.row + 1
    squares = 0.0
    for i in range(contact.across):
        squares += mode.multiplier[first + i] * mode.multiplier[first + i]
    values[0] = mu * normal * (mu * normal) * (1.0 + contact.cone) - squares
    rates[0] = 0.0
    return 1


@kernel
def stick_guards(mode: EmbeddedMode, contact: GuardedContact, values: f64p, rates: f64p) -> i64:
    """v · d of a contact that slides; in space, where it turns, and where it has ended or begun."""
    if contact.slides == NO_SLIP:
        return 0
    slider = mode.slider[contact.slider]
    slip, a, a_rate = slider.slip, slip_speed(mode, slider, 0), slip_rate(mode, slider, 0)
    if contact.slides == IN_PLANE:
        values[0] = a * slip[0] + contact.still
        rates[0] = a_rate * slip[0]
        return 1
    b, b_rate = slip_speed(mode, slider, 1), slip_rate(mode, slider, 1)
    c, d, trace = slip[0], slip[1], slip[2]
    squares, squares_rate = a * a + b * b, 2.0 * (a * a_rate + b * b_rate)
    ahead, ahead_rate = a * c + b * d, a_rate * c + b_rate * d
    if contact.slides == BEGINS:
        ahead += BACK * trace
    length = sqrt(squares)
    values[0] = ahead
    rates[0] = ahead_rate
    values[1] = ahead - TURN * length
    rates[1] = ahead_rate - TURN * divide(0.5 * squares_rate, length)
    if contact.slides == BEGINS:
        begun = slip[3] * slip[3]
        values[2] = 1.0 - divide(squares, begun)
        rates[2] = -divide(squares_rate, begun)
    else:
        goes_on(contact.tiny, squares, squares_rate, a * d - b * c, a_rate * d - b_rate * c, trace,
                offset(values, 2), offset(rates, 2))  # fmt: skip
    return 3


@kernel
def goes_on(
    tiny: f64, squares: f64, squares_rate: f64, across: f64, across_rate: f64, trace: f64, value: f64p, rate: f64p
) -> None:
    """v² − v0² − v1² sin²φ, over v0²: below zero, slip in space has ended; φ is how far it has turned.

    It turns at the rate μ N / (m |v|), which steps can follow only while |v| is well above what they may be off.
    """
    unit = ENDED * trace * (ENDED * trace)
    ratio = divide(TURNED, ENDED)
    turned, least = across * across, maximum(squares, tiny)
    least_rate = squares_rate if squares >= tiny else 0.0
    share = divide(turned, least)
    value[0] = divide(squares, unit) - 1.0 - ratio * ratio * share
    share_rate = divide(2.0 * across * across_rate - share * least_rate, least)
    rate[0] = divide(squares_rate, unit) - ratio * ratio * share_rate


@kernel
def closed_guards(mode: EmbeddedMode, table: GuardTable, i: i64, values: f64p, rates: f64p) -> i64:
    """Guards of contact i, which is closed; how many there are."""
    contact = table.contact[i]
    normal = eased(mode, contact, normal_force(mode, table, contact))
    values[0] = normal if contact.enforced != PRESSED else 1.0  # who presses it lets go
    rates[0] = 0.0
    count = 1
    count += law_guards(mode, table, contact, offset(values, count), offset(rates, count))
    count += patch_guards(mode, table, contact, offset(values, count), offset(rates, count))
    count += narrow_guard(mode, table, i, offset(values, count), offset(rates, count))
    if contact.upright != 0:
        numbers = surface_values(mode, table, contact)
        values[count] = table.found[0] - SKEWED
        rates[count] = table.found[numbers]
        count += 1
    count += slip_guard(mode, table, contact, normal, offset(values, count), offset(rates, count))
    return count + stick_guards(mode, contact, offset(values, count), offset(rates, count))


@kernel
def lost_guard(mode: EmbeddedMode, table: GuardTable, contact: GuardedContact, values: f64p, rates: f64p) -> i64:
    """Of second order: below zero where an extremal point is no least distance any more; one that waits out of reach
    is none."""
    if contact.tracked == 0:
        return 0
    count = surface_values(mode, table, contact)
    found = offset(table.found, contact.upright)
    values[0] = found[0]
    rates[0] = found[count]
    if contact.tracked == REACHED:
        if not -found[1] <= found[0]:
            rates[0] = -found[count + 1]
        values[0] = maximum(found[0], -found[1])
    return 1


@kernel
def zone_guards(mode: EmbeddedMode, table: GuardTable, zone: GuardedZone, values: f64p, rates: f64p) -> i64:
    """x − the bound below, then the bound above − x."""
    z, found, count = offset(table.z, zone.at), table.found, 0
    fill_rates(mode, z)
    zone.program.run(zone.program.code, z, found)
    if zone.index > 0:
        values[0] = found[zone.index - 1]
        rates[0] = found[zone.bounds + zone.index - 1]
        count = 1
    if zone.index < zone.bounds:
        values[count] = -found[zone.index]
        rates[count] = -found[zone.bounds + zone.index]
        count += 1
    return count


@kernel
def user_guards(mode: EmbeddedMode, table: GuardTable, values: f64p, rates: f64p) -> None:
    """A program of (t, q, u, rest, u̇, λ); where nothing holds, of (t, q, u, work, rest)."""
    count = table.user_guards
    if count == 0:
        return
    z, n = offset(table.z, table.user_at), mode.n
    if table.free != 0:
        z[0] = mode.time[0]
        for i in range(mode.n_q + n + 1):
            z[1 + i] = mode.x[i]
        for i in range(mode.n_rest):
            z[2 + mode.n_q + n + i] = mode.rest[i]
    else:
        fill_rates(mode, z)
        forces = offset(z, 1 + mode.n_q + 2 * n + mode.n_rest)
        for i in range(mode.rows):
            forces[i] = mode.multiplier[i]
    table.user.run(table.user.code, z, table.found)
    for i in range(count):
        values[i] = table.found[i]
        rates[i] = table.found[count + i]


@kernel
def look_at_guards(code: i32p, z: f64p, out: f64p) -> None:
    """All guards, then their rates, once u, u̇ and λ are known; without rows, u̇ is found where guards depend on it."""
    mode = record_at(EmbeddedMode, z, code[0])
    table = record_at(GuardTable, mode.guards, 0)
    if table.by_acceleration != 0:
        accelerate(mode)
    place = 0
    for i in range(table.contacts):
        contact, values, rates = table.contact[i], offset(out, place), offset(out, table.guards + place)
        count = 0
        if contact.form == CLOSED:
            count = closed_guards(mode, table, i, values, rates)
        else:
            count = open_guards(mode, table, contact, values, rates)
        place += count + lost_guard(mode, table, contact, offset(values, count), offset(rates, count))
    for i in range(table.zones):
        place += zone_guards(mode, table, table.zone[i], offset(out, place), offset(out, table.guards + place))
    user_guards(mode, table, offset(out, place), offset(out, table.guards + place))


together(look_at_guards)

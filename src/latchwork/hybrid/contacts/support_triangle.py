"""Support triangles of rims that lie flat, as kernels: they turn to where the load is.

A disk that lies flat on something touches all round, and whatever presses it within its rim holds it. Three places e_i
of the rim, 120° apart, carry a load whose center of pressure

    c = Σ λ_i e_i / Σ λ_i        [Vukobratović and Borovac 2004]

is in their triangle. Any c within the rim is in the triangle that has a corner along c. So where a force of a corner
comes to zero, the triangle turns to c, and the load stays: an event without a jump. Where c is on the rim itself, the
corner that is left there is where the disk tips.

Along a rim that lies flat, velocities and accelerations normal to the plane are a wave,

    a(θ) = a_0 + a_1 cos θ + a_2 sin θ,

of which three corners tell all. Where it is below zero at its lowest, between corners, the triangle turns until it is
not: to the lowest place, or half way to what is known of the place that carries, as in a search for a root.
"""

from __future__ import annotations

import math

from latchwork.constraint.inertia import times
from latchwork.hybrid.contacts.impact_reset import picked_answer, picked_system
from latchwork.hybrid.contacts.reset_outcome import ResetOutcome
from latchwork.hybrid.contacts.scene import LEAVES, LETS_GO, OPEN, SLIPS, Scene, SupportTriangle, clear_flag, has_flag
from latchwork.hybrid.contacts.step_limit import FOREVER
from latchwork.program.elementary.inverse_trigonometric import acos, atan2
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum
from latchwork.program.sincos import cos, sin

TURN, NAN = 6.283185307179586, math.nan  # 2π
ROOT_THREE = 1.7320508075688772
PLACES = 24  # of a rim, at which it is looked who carries it
GOLDEN, SECTIONS = 0.6180339887498949, 40
BELOW = 1e-13  # of the accelerations at work: a rim that is accelerated downwards by less is at rest
ASIDE = 1e-12  # of them: a rim that tips about its first corner is lowest there; its slope is none
SHARE = 1e-9  # of what presses: a corner that has less is to be where the load is
AIMED = 1e-9  # rad: a corner that is nearer to a direction points along it
AFFINE = 1e-7  # of a row: places of one plane
MOST_TURNS = 80  # of one triangle in one event


@kernel
def is_touching(scene: Scene, triangle: SupportTriangle, x: f64p) -> i64:
    """1 where a rim lies flat and touches, wherever its corners are."""
    i, tol = triangle.corner[0], scene.tolerances
    if scene.state[i].behind == 1:
        return 0
    evaluate(scene.contact[i].gap, x, scene.out)
    gap, reach = scene.out[0], tol.reach * scene.contact[i].unit
    if not (gap <= reach and gap >= -tol.slop * scene.contact[i].unit):
        return 0
    for j in range(triangle.level):
        if not scene.out[1 + j] >= 0.0:
            return 0
    return 1


@kernel
def inside_at(scene: Scene, triangle: SupportTriangle, x: f64p, azimuth: f64) -> f64:
    """How far inside its domain the first corner is at an azimuth."""
    contact, before, inside = scene.contact[triangle.corner[0]], x[triangle.azimuth], FOREVER
    x[triangle.azimuth] = azimuth
    evaluate(contact.gap, x, scene.out)
    x[triangle.azimuth] = before
    for j in range(contact.bounds):
        inside = minimum(inside, scene.out[1 + j])
    return inside


@kernel
def read_corners(scene: Scene, triangle: SupportTriangle, x: f64p) -> i64:
    """The normal rows of the three corners, then C and c of each; what they lack."""
    delassus = scene.delassus
    n = delassus.n
    for k in range(3):
        contact = scene.contact[triangle.corner[k]]
        if contact.ready == 0:
            scene.trouble = triangle.corner[k]
            return ResetOutcome.NOT_READY
        rows = 1 + contact.tangents
        evaluate(contact.place, x, scene.out)
        for j in range(n):
            scene.corner[k * n + j] = scene.out[rows + j]
        scene.corner[3 * n + k] = scene.out[rows + rows * n]
        evaluate(contact.bias, x, scene.out)
        scene.corner[3 * n + 3 + k] = scene.out[0]
    return ResetOutcome.DONE


@kernel
def wave_of(first: f64, second: f64, third: f64, wave: f64p) -> None:
    """The mean, the amplitude, and how far round from the first corner it is lowest, of a wave along the rim."""
    cosine, sine = divide(2.0 * first - second - third, 3.0), divide(second - third, ROOT_THREE)
    wave[0] = divide(first + second + third, 3.0)
    wave[1] = sqrt(cosine * cosine + sine * sine)
    wave[2] = atan2(-sine, -cosine) if wave[1] > 0.0 else 0.0


@kernel
def velocity_wave(scene: Scene, u: f64p, wave: f64p) -> None:
    """How the rim moves along the normal."""
    n, corner = scene.delassus.n, scene.corner
    wave_of(times(n, corner, u) + corner[3 * n], times(n, offset(corner, n), u) + corner[3 * n + 1],
            times(n, offset(corner, 2 * n), u) + corner[3 * n + 2], wave)  # fmt: skip


@kernel
def acceleration_wave(scene: Scene, wave: f64p) -> f64:
    """How the rim is accelerated along the normal, by the forces of the contacts that stay: u̇ = u̇₀ + P Jᵀ λ; the
    largest acceleration there without them."""
    delassus, corner, size = scene.delassus, scene.corner, 0.0
    n, push, udot = delassus.n, delassus.work, scene.accelerated
    for j in range(n):
        push[j] = 0.0
        for r in range(delassus.rows):
            push[j] += delassus.J[r * n + j] * delassus.lam[r]
    for i in range(n):
        udot[i] = delassus.udot[i] + times(n, offset(delassus.inverse, i * n), push)
    for k in range(3):
        free = times(n, offset(corner, k * n), delassus.udot) + corner[3 * n + 3 + k]
        size = maximum(size, fabs(free))
    for i in range(delassus.rows):
        size = maximum(size, fabs(delassus.b[i]))
    c = offset(corner, 3 * n + 3)
    wave_of(times(n, corner, udot) + c[0], times(n, offset(corner, n), udot) + c[1],
            times(n, offset(corner, 2 * n), udot) + c[2], wave)  # fmt: skip
    return size


@kernel
def turn_to(scene: Scene, triangle: SupportTriangle, x: f64p, azimuth: f64) -> None:
    """The first corner at an azimuth, within half a turn of zero; nothing is known of the corners there."""
    whole = TURN if azimuth > 0.5 * TURN else -TURN if azimuth < -0.5 * TURN else 0.0
    x[triangle.azimuth] = azimuth - whole
    triangle.turns += 1
    triangle.low -= whole
    triangle.high -= whole
    for k in range(3):
        event = scene.event[triangle.corner[k]]
        clear_flag(event, LETS_GO + LEAVES + SLIPS)
        event.left, event.widened = 0, 0
        scene.state[triangle.corner[k]].leaving = 0


@kernel
def is_closed(scene: Scene, triangle: SupportTriangle) -> i64:
    """1 where a corner was closed before the event."""
    for k in range(3):
        if scene.state[triangle.corner[k]].kind != OPEN:
            return 1
    return 0


@kernel
def point_to_widest(scene: Scene, triangle: SupportTriangle, x: f64p) -> None:
    """A corner where the rim is furthest inside what carries it, if not all of it is: by golden sections [Kiefer 1953]
    about the best of some places, for it may have come there at a single one."""
    most, best, least, before = -FOREVER, 0.0, FOREVER, x[triangle.azimuth]
    step = divide(TURN, float(PLACES))
    for k in range(PLACES):
        inside = inside_at(scene, triangle, x, before + step * float(k))
        least = minimum(least, inside)
        if inside > most:
            most, best = inside, before + step * float(k)
    if least >= 0.0:
        return
    low, high = best - step, best + step
    one, two = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    first, second = inside_at(scene, triangle, x, one), inside_at(scene, triangle, x, two)
    for _ in range(SECTIONS):
        if first > second:
            high, two, second = two, one, first
            one = high - GOLDEN * (high - low)
            first = inside_at(scene, triangle, x, one)
        else:
            low, one, first = one, two, second
            two = low + GOLDEN * (high - low)
            second = inside_at(scene, triangle, x, two)
    best = 0.5 * (low + high) if maximum(first, second) > most else best
    if inside_at(scene, triangle, x, best) >= 0.0 and best != before:
        turn_to(scene, triangle, x, best)


@kernel
def point_to_motion(scene: Scene, x: f64p) -> i64:
    """Corners of rims that touch now, and did not before: where they come down first; what this lacks."""
    wave, u = offset(scene.out, 0), offset(x, 1 + scene.delassus.n_q)
    for i in range(scene.triangles):
        triangle = scene.triangle[i]
        if is_touching(scene, triangle, x) == 1 and is_closed(scene, triangle) == 0:
            found = read_corners(scene, triangle, x)
            if found != ResetOutcome.DONE:
                return found
            velocity_wave(scene, u, wave)
            amplitude, lowest = wave[1], x[triangle.azimuth] + wave[2]
            rocks = amplitude > scene.tolerances.at_rest * maximum(scene.approach_scale, amplitude + fabs(wave[0]))
            if rocks and inside_at(scene, triangle, x, lowest) >= 0.0:
                turn_to(scene, triangle, x, lowest)
            else:
                point_to_widest(scene, triangle, x)
    return ResetOutcome.DONE


@kernel
def may_turn(scene: Scene, triangle: SupportTriangle, x: f64p) -> i64:
    """1 where a rim lies flat and touches, and its corners are known; not where its triangle has turned too often."""
    if triangle.turns >= MOST_TURNS or is_touching(scene, triangle, x) == 0:
        return 0
    return 1 if read_corners(scene, triangle, x) == ResetOutcome.DONE else 0


@kernel
def slowest_rocking(scene: Scene) -> f64:
    """Velocities across a rim that are slower are none."""
    tol = scene.tolerances
    return maximum(tol.at_rest * maximum(scene.approach_scale, scene.delassus.motion_scale), tol.nothing)


@kernel
def turn_to_approach(scene: Scene, x: f64p) -> i64:
    """1 where a rim that lies flat comes down between the places that are held, or rocks, and only one place of it
    stays: it has now a corner there."""
    slow, wave, u = slowest_rocking(scene), offset(scene.out, 0), offset(x, 1 + scene.delassus.n_q)
    for i in range(scene.triangles):
        triangle = scene.triangle[i]
        triangle.rocks = 0
        if may_turn(scene, triangle, x) == 1:
            velocity_wave(scene, u, wave)
            mean, amplitude, round_by = wave[0], wave[1], wave[2]
            away = minimum(fabs(round_by), fabs(fabs(round_by) - divide(TURN, 3.0)))
            lowest = x[triangle.azimuth] + round_by
            triangle.rocks = 1 if amplitude > slow else 0
            moves = mean - amplitude < -slow or (amplitude > slow and mean - amplitude <= slow)
            if moves and away > AIMED and inside_at(scene, triangle, x, lowest) >= 0.0:
                turn_to(scene, triangle, x, lowest)
                return 1
    return 0


@kernel
def turn_to_fall(scene: Scene, x: f64p) -> i64:
    """1 where a rim that lies flat is accelerated downwards between the places that hold it, and has now a corner
    nearer to the one that carries."""
    for i in range(scene.triangles):
        triangle, turned = scene.triangle[i], 0
        if triangle.rocks == 0 and may_turn(scene, triangle, x) == 1:
            turned = turns_down(scene, triangle, x)
        if turned == 1:
            for j in range(scene.triangles):
                scene.triangle[j].halved = scene.triangle[j].halved if j == i else 0
            return 1
    return 0


@kernel
def turns_down(scene: Scene, triangle: SupportTriangle, x: f64p) -> i64:
    """1 where the rim is accelerated downwards somewhere, and has now a corner nearer to what carries it.

    The place that carries is on that side of the first corner where the rim is lowest: each turn leaves less than half
    of what is left, or goes to the lowest place if that is between.
    """
    wave, before = offset(scene.out, 0), x[triangle.azimuth]
    size = acceleration_wave(scene, wave)
    mean, amplitude, round_by = wave[0], wave[1], wave[2]
    tips = fabs(mean - amplitude * cos(round_by)) <= BELOW * size and fabs(amplitude * sin(round_by)) > ASIDE * size
    if not amplitude - mean > BELOW * size and not tips:
        return 0
    lowest = before + round_by
    if not inside_at(scene, triangle, x, lowest) >= 0.0:
        return 0
    if triangle.halved == 0:
        wide = maximum(acos(maximum(minimum(divide(mean, amplitude), 1.0), -1.0)), 2.0 * fabs(round_by))
        triangle.low, triangle.high, triangle.halved = lowest - wide, lowest + wide, 1
        turn_to(scene, triangle, x, lowest)
        return 1
    if round_by > 0.0:
        triangle.low = before
    else:
        triangle.high = before
    middle = 0.5 * (triangle.low + triangle.high)
    if middle == before or triangle.high - triangle.low < AIMED * AIMED:
        return 0
    triangle.halved += 1
    within = lowest > triangle.low and lowest < triangle.high and triangle.halved % 2 == 0
    turn_to(scene, triangle, x, lowest if within else middle)
    return 1


@kernel
def held_tangents(scene: Scene, k: i64) -> i64:
    """Rows along which contact k would be held besides its normal: those of its tangents where it sticks."""
    i = scene.delassus.point[k]
    return scene.delassus.tangents[k] if scene.event[i].slips == 0 and scene.mu_s[i] > 0.0 else 0


@kernel
def forces_if_all_hold(scene: Scene) -> None:
    """``pressing``: normal forces, of any sign, with which no contact that stays opens and none that sticks slips; of
    least norm where they are redundant. Of those that slide, friction goes with the normal force."""
    delassus, count, column = scene.delassus, 0, 0
    rows, picked, system, A = delassus.rows, delassus.picked, delassus.system, delassus.A
    for k in range(delassus.collide):
        for j in range(1 + held_tangents(scene, k)):
            picked[count] = delassus.first[k] + j
            count += 1
    picked_system(scene, count, delassus.b)
    for k in range(delassus.collide):
        i, row = delassus.point[k], delassus.first[k]
        slides = scene.event[i].slips == 1 and scene.mu_d[i] > 0.0
        for a in range(count if slides else 0):
            both = delassus.row_unit[picked[a]] * delassus.row_unit[row]
            for j in range(delassus.tangents[k]):
                push = scene.mu_d[i] * scene.event[i].slip_direction[j]
                system[a * count + column] -= divide(push * A[picked[a] * rows + row + 1 + j], both)
        column += 1 + held_tangents(scene, k)
    picked_answer(scene, count)
    column = 0
    for k in range(delassus.collide):
        scene.pressing[k] = divide(delassus.answer[column], delassus.row_unit[delassus.first[k]])
        column += 1 + held_tangents(scene, k)


@kernel
def turn_to_pressure(scene: Scene, x: f64p) -> i64:
    """1 where the center of pressure has left a triangle, or a force of its corners is at the end of what it may be,
    and it has now a corner there."""
    known = 0
    for i in range(scene.triangles):
        triangle, falls = scene.triangle[i], 0
        if triangle.aimed == 0 and triangle.rocks == 0 and may_turn(scene, triangle, x) == 1:
            triangle.aimed = 1
            if known == 0:
                forces_if_all_hold(scene)
                known = 1
            for k in range(3):
                falls += has_flag(scene.event[triangle.corner[k]], LETS_GO + SLIPS)
            azimuth = pressed_at(scene, triangle, x, 1 if falls > 0 else 0)
            if azimuth - azimuth == 0.0 and inside_at(scene, triangle, x, azimuth) >= 0.0:
                turn_to(scene, triangle, x, azimuth)
                return 1
    return 0


@kernel
def pressed_at(scene: Scene, triangle: SupportTriangle, x: f64p, falls: i64) -> f64:
    """The azimuth of the center of pressure of a rim, where the triangle is to have a corner; else no number.

    The corners have the shares 1/3 + 2/3 c · e_i of what presses at c.
    """
    delassus, group = scene.delassus, scene.contact[triangle.corner[0]].contact
    total, along, across = 0.0, 0.0, 0.0
    for k in range(delassus.collide):
        if scene.contact[delassus.point[k]].contact == group and place_on(scene, k) == 1:
            total += scene.pressing[k]
            along += scene.pressing[k] * scene.out[0]
            across += scene.pressing[k] * scene.out[1]
    if not total > 0.0:
        return NAN
    along, across = divide(along, total), divide(across, total)
    aside = 0.5 * ROOT_THREE * fabs(across)
    least = minimum(1.0 + 2.0 * along, 1.0 - along - 2.0 * aside)
    far = sqrt(along * along + across * across)
    if least > SHARE and (falls == 0 or not far > SHARE):
        return NAN
    round_by = atan2(across, along)
    return x[triangle.azimuth] + round_by if fabs(round_by) > AIMED else NAN


@kernel
def place_on(scene: Scene, k: i64) -> i64:
    """Where in its plane contact k is, over the radius, from the centre of the rim: along its first corner, and across,
    as its normal row is affine in its place; 1 where it is in that plane."""
    delassus, n, corner, out = scene.delassus, scene.delassus.n, scene.corner, scene.out
    row = offset(delassus.J, delassus.first[k] * n)
    aa, bb, ab, ar, br, size = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(n):
        weight = divide(1.0, delassus.mass[j * n + j])
        first, second, third = corner[j], corner[n + j], corner[2 * n + j]
        mean = divide(first + second + third, 3.0)
        a, b = divide(2.0 * first - second - third, 3.0), divide(second - third, ROOT_THREE)
        left = row[j] - mean
        aa += weight * a * a
        bb += weight * b * b
        ab += weight * a * b
        ar += weight * a * left
        br += weight * b * left
        size += weight * maximum(row[j] * row[j], mean * mean)
    det = aa * bb - ab * ab
    if not det > AFFINE * aa * bb:
        return 0
    along, across, apart = divide(ar * bb - br * ab, det), divide(br * aa - ar * ab, det), 0.0
    for j in range(n):
        weight = divide(1.0, delassus.mass[j * n + j])
        first, second, third = corner[j], corner[n + j], corner[2 * n + j]
        left = row[j] - divide(first + second + third, 3.0) - along * divide(2.0 * first - second - third, 3.0)
        left -= across * divide(second - third, ROOT_THREE)
        apart += weight * left * left
    out[0], out[1] = along, across
    return 1 if apart <= AFFINE * AFFINE * size else 0

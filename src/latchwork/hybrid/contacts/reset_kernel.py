"""The reset of the hybrid automaton as a kernel: from the state and the guards that fell to the state after.

Zones are entered; impacts are resolved until nothing approaches; then the contact problem says what stays closed, and
slides or sticks. The flow chart of Patoglu Fig. 4, for contacts: never from a list of modes, always from gaps,
velocities, forces and accelerations at the state itself. Where something has to be given, or told, it comes back and is
called again: it goes on where it was, for all that it knows stands in the scene.
"""

from __future__ import annotations

from latchwork.contact.impact.jam import RESOLVED
from latchwork.contact.impact.sequential import UNENDING
from latchwork.hybrid.contacts.delassus_operator import keep_only
from latchwork.hybrid.contacts.enforced_contacts import decide_enforced, put_enforced
from latchwork.hybrid.contacts.event_slip import read_slip
from latchwork.hybrid.contacts.extreme_places import drop_between, drop_overtaken
from latchwork.hybrid.contacts.impact_reset import approaches, find_staying, read_law, resolve_jammed, resolve_near
from latchwork.hybrid.contacts.near_set import (
    apply_guards,
    assemble,
    drop_doubled,
    drop_ending,
    drop_faded,
    find_near,
    measure_gaps,
    only_passes_by,
    stay_in_domains,
)
from latchwork.hybrid.contacts.reset_outcome import ResetOutcome
from latchwork.hybrid.contacts.scene import Scene
from latchwork.hybrid.contacts.separating_normal import forget_passed, keep_one_normal
from latchwork.hybrid.contacts.state_reset import (
    choose_contact_states,
    end_slip,
    is_entered,
    open_others,
    put_states,
)
from latchwork.hybrid.contacts.support_triangle import (
    point_to_motion,
    turn_to_approach,
    turn_to_fall,
    turn_to_pressure,
)
from latchwork.program.kernel import divide, f64p, fabs, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.scalar import maximum

MAX_IMPACTS = 60  # impacts at one instant, for each contact
UNENDED = 15  # what a sequence that did not end counts for besides: what one tick takes is bounded
ROUNDING_OF_HOPS = 1e-3  # of the speed of brief hops: slower, where nothing can move, is rounding


@kernel
def operator_of_near(scene: Scene, x: f64p) -> i64:
    """The contacts that are near, each place once, their Delassus operator and their laws."""
    delassus = scene.delassus
    delassus.extra, delassus.drags = 0, 0
    stay_in_domains(scene, x)
    forget_passed(scene)
    found = find_near(scene, x)
    if found != ResetOutcome.DONE:
        return found
    delassus.motion_scale = 0.0
    if delassus.contacts == 0:
        return ResetOutcome.DONE
    found = assemble(scene, x)
    if found != ResetOutcome.DONE:
        return found
    drop_faded(scene, x)
    drop_ending(scene, x)
    keep_one_normal(scene, x)
    drop_overtaken(scene, x)
    drop_doubled(scene)
    drop_between(scene)
    for k in range(delassus.contacts):
        attraction = scene.contact[delassus.point[k]].adhesion
        if read_law(scene, delassus.point[k], x) == 0 or (attraction >= 0 and read_law(scene, attraction, x) == 0):
            return ResetOutcome.UNLAWFUL
    return ResetOutcome.DONE


@kernel
def cannot_move(scene: Scene) -> i64:
    """1 where what is held besides, as a weld, leaves no motion at these contacts: A is zero but for rounding."""
    tol = scene.tolerances
    delassus, most, slowest = scene.delassus, 0.0, 0.0
    if delassus.contacts == 0 or delassus.held == 0:
        return 0
    for i in range(delassus.rows):
        most = maximum(most, delassus.A[i * delassus.rows + i])
    for k in range(delassus.contacts):
        slowest = slowest if slowest < delassus.v[delassus.first[k]] else delassus.v[delassus.first[k]]
    return 1 if most <= tol.rounding * delassus.unheld and slowest > -ROUNDING_OF_HOPS * tol.brief else 0


@kernel
def leave_as_they_are(scene: Scene) -> None:
    """Contacts at which nothing moves carry nothing, and are open until something can."""
    delassus = scene.delassus
    for k in range(delassus.contacts):
        scene.event[delassus.point[k]].doubled = 1
    delassus.contacts, delassus.rows = 0, 0


@kernel
def scale_of_slip(scene: Scene) -> None:
    """The fastest motion that slip is measured by; and who enters its domain from below."""
    tol = scene.tolerances
    delassus, largest = scene.delassus, 0.0
    scene.motion_scale = maximum(scene.motion_scale, delassus.motion_scale)
    for i in range(delassus.rows):
        largest = maximum(largest, divide(fabs(delassus.b[i]), delassus.slip_unit[i]))
    fastest = maximum(scene.approach_scale, delassus.motion_scale)
    scene.slip_scale = maximum(fastest, maximum(tol.left * scene.motion_scale, tol.stirs * largest))
    for k in range(delassus.contacts):
        event = scene.event[delassus.point[k]]
        event.entered, event.jammed = is_entered(scene, delassus.point[k]), 0


@kernel
def next_states(scene: Scene, x: f64p) -> i64:
    """The next mode: contacts that stay closed, and how."""
    delassus = scene.delassus
    scale_of_slip(scene)
    staying = find_staying(scene)
    keep_only(delassus, staying, scene.near)
    read_slip(scene)
    if turn_to_pressure(scene, x) == 1:
        return ResetOutcome.TURNED
    shared = scene.shared
    outcome = decide_enforced(scene, x) if scene.enforced > 0 else choose_contact_states(scene, x)
    if outcome != ResetOutcome.DONE:
        return outcome
    if turn_to_fall(scene, x) == 1:
        scene.shared = shared
        return ResetOutcome.TURNED
    put_states(scene, x[0])
    end_slip(scene, offset(x, 1 + delassus.n_q))
    if scene.enforced > 0:
        put_enforced(scene)
    open_others(scene)
    return ResetOutcome.DONE


@kernel
def did_not_end(scene: Scene) -> i64:
    """1 where the last impact was a sequence that did not end by itself: hundreds of acts."""
    for i in range(scene.impact.notes):
        if scene.impact.note[i].code == UNENDING:
            return 1
    return 0


@kernel
def steps_of_zones(scene: Scene) -> i64:
    """How many zones are left here."""
    count = 0
    for z in range(scene.zones):
        count += 1 if scene.zone_step[z] != 0 else 0
    return count


@kernel
def reset(scene: Scene, x: f64p) -> i64:
    """From x = (t, q, u, rest) and what guards say, through impacts, to the next contact states, in place."""
    u = offset(x, 1 + scene.delassus.n_q)
    if scene.begun == 0:
        found = measure_gaps(scene, x)
        if found != ResetOutcome.DONE:
            return found
        steps = steps_of_zones(scene)
        apply_guards(scene)
        scene.begun = 1
        if steps == 0 and only_passes_by(scene) == 1:
            return ResetOutcome.DONE
    if scene.begun == 1:
        if scene.triangles > 0:
            found = point_to_motion(scene, x)
            if found != ResetOutcome.DONE:
                return found
            measure_gaps(scene, x)
        scene.begun = 2
    while scene.rounds < MAX_IMPACTS * (1 + scene.watched):
        scene.delassus.calls = 0
        found = operator_of_near(scene, x)
        if found != ResetOutcome.DONE:
            return found
        if cannot_move(scene) == 1:
            leave_as_they_are(scene)
        if approaches(scene) == 1:
            scene.rounds += 1
            if resolve_near(scene, u) != RESOLVED:
                return ResetOutcome.BLOCKED
            if scene.impact.notes > 0:
                scene.rounds += UNENDED * did_not_end(scene)
                return ResetOutcome.NOTED
        elif turn_to_approach(scene, x) == 1:
            scene.rounds += 1
            measure_gaps(scene, x)
        else:
            outcome = next_states(scene, x)
            if outcome == ResetOutcome.TURNED:
                scene.rounds += 1
                measure_gaps(scene, x)
                continue
            if outcome != ResetOutcome.JAMMED:
                return outcome
            scene.rounds += 1
            scene.delassus.calls = 0
            found = operator_of_near(scene, x)
            if found != ResetOutcome.DONE:
                return found
            if resolve_jammed(scene, u) != RESOLVED:
                return ResetOutcome.JAMMED
            return ResetOutcome.NOTED
    return ResetOutcome.NO_REST


together(reset)

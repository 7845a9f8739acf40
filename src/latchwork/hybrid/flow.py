"""Flow and reset as one kernel: steps until a guard falls, the reset there, and on in the next mode.  [Patoglu Fig. 4]

    x ∈ flow set of a mode:  ẋ = f(t, x)        where guards fall:  x⁺, contact states⁺ = R(x⁻, contact states⁻)

Machine code goes on as long as nothing has to be asked or made. It comes back at a time, a full page, a guard of the
user, a reset that has to be given something, or a mode that is not laid out yet; what happened on the way is noted, and
put down afterwards (`flow_changes`).
"""

from __future__ import annotations

from latchwork.constraint.embedded.final_state import placed, whole
from latchwork.hybrid.contacts.reset_kernel import reset
from latchwork.hybrid.contacts.reset_outcome import ResetOutcome
from latchwork.hybrid.contacts.scene import SLIPS, ContactEvent, ContactStateRecord, Scene, forget_turns, set_flag
from latchwork.hybrid.contacts.step_limit import FOREVER, MAX_TURN
from latchwork.hybrid.mode_layout.layout_kernel import lay_out_mode
from latchwork.hybrid.mode_layout.mode_programs import ModePrograms
from latchwork.hybrid.mode_layout.mode_record import ASK, ZONE, ModeRecord
from latchwork.hybrid.rule_state import is_rising, is_still_spent, same_instant
from latchwork.integrate.guard_location import armed_kind
from latchwork.integrate.integration import NOT_BELOW, STRICT, Integration
from latchwork.integrate.reusable_integration import few_rows
from latchwork.integrate.status import Status
from latchwork.integrate.step import evaluate as evaluate_at
from latchwork.integrate.stepper import begin, recorded, steps
from latchwork.program.evaluator import Evaluator, evaluate
from latchwork.program.kernel import (
    bits,
    counter,
    divide,
    f64,
    f64p,
    i64,
    i64p,
    i64p_at,
    kernel,
    offset,
    sqrt,
)
from latchwork.program.records.memory import size_of
from latchwork.program.records.record import array, pointer, record
from latchwork.program.records.view import record_at
from latchwork.program.scalar import maximum

FELL = int(Status.EVENT)  # the status of steps where a call begins with guards that have fallen
NOT_YET = -1  # how a mode began: it is to be made ready
NO_ROW = -1  # the last row of a mode that fell as it began
FEW_ROWS = few_rows()
STATE_WORDS, EVENT_WORDS = size_of(ContactStateRecord), size_of(ContactEvent)  # of a contact point
KEY = 14  # words of a key, for each contact point


@record
class FlowNote:
    """A change that was made: from which mode to which, −1 for one that is not laid out, the rows of the one that
    ended, and when, by the counter."""

    before: i64
    after: i64
    first: i64
    last: i64
    steps: i64
    rejected: i64
    evaluations: i64
    impacts: i64
    ended: i64
    ready: i64
    t: f64
    energy: f64
    approach_scale: f64
    motion_scale: f64
    shared: f64
    longest: f64


@record
class Flow:
    """A run of one simulation: where it is, the modes that are laid out, and what happened in this call."""

    n_q: i64
    n_u: i64
    n_rest: i64
    contacts: i64
    zones: i64
    states: i64  # that a mode has at most
    room: i64  # of modes
    most: i64  # changes in one call
    bodies: i64
    most_guards: i64
    mode: i64  # the mode that the run is in
    modes: i64
    allowed: i64  # changes in this call
    changes: i64
    begun: i64  # how the last mode began
    ended: i64  # 1 where the steps of the first mode have ended in an event already
    arrivals: i64
    alone: i64  # 1 where nobody hears the notes of impacts
    passed: i64  # changes so far
    most_known: i64
    rules: i64  # that are armed: the last guards of every mode
    limited: i64  # 1 where a constraint holds up to a force: an impact may break it
    known: i64  # modes that the state knows, and that are not laid out here
    belongs: i64  # whether the state after a tick with changes surely belongs to its mode
    began: i64
    done: i64
    reached: f64
    longest: f64
    scene: Scene = pointer()
    programs: ModePrograms = pointer()
    known_hash: i64p = array("most_known")
    state_words: i64p  # of the scene
    event_words: i64p
    rest: f64p
    unit_time: f64  # the time of the model
    rule_small: f64p = array("rules")  # what is zero of the condition of each rule,
    rule_spent: i64p = array("rules")  # 1 where it must come above zero first,
    rule_since: f64p = array("rules")  # and since when it is armed
    turning: Evaluator  # ω · ω of every body that turns
    squares: f64p = array("bodies")
    x: f64p = array("1 + n_q + n_u + n_rest")  # (t, q, u, rest)
    state: f64p = array("n_q + n_u + 1")  # (q, u, work)
    key: i64p = array(f"2 + {KEY} * contacts + zones")
    table: i64p = array("room + 1")  # addresses of modes; the last is that of a mode in other speeds
    note: list[FlowNote] = array("most")
    after: f64p = array("most * (n_q + n_u + 1)")  # (q, u, work) after each change
    before: f64p = array("most * states")  # states of the mode that it ended
    contact_states: i64p = array(f"most * contacts * {STATE_WORDS}")
    contact_events: i64p = array(f"most * contacts * {EVENT_WORDS}")
    zone: i64p = array("most * zones")
    hit: i64p = array("most * most_guards")  # 1 for each guard that took part
    conditions: f64p = array("most * 2 * rules")  # of rules, and their rates, where the mode after it began


@kernel
def write_key(run: Flow) -> None:
    """What equations and guards depend on, as words: how many contact points are watched, which, and their states;
    zones; then a number made of them."""
    scene, place, total = run.scene, 1, 1
    run.key[0] = scene.watched
    for k in range(scene.watched):
        state, key = scene.state[scene.watch[k]], offset(run.key, place)
        key[12], key[13] = scene.watch[k], state.unloaded
        key[0], key[1], key[2], key[3] = state.kind, state.leaving, state.behind, state.cone_margin
        key[4], key[5] = state.slip_size, state.impending_size
        for j in range(4):
            key[6 + j] = bits(state.slip[j]) if j < state.slip_size else 0
        for j in range(2):
            key[10 + j] = bits(state.impending[j]) if j < state.impending_size else 0
        place += KEY
    for z in range(scene.zones):
        run.key[place] = scene.zone[z]
        place += 1
    for i in range(place):
        total = (31 * total + run.key[i] % 1000003) % 4294967291
    run.key[place] = total


@kernel
def key_words(scene: Scene) -> i64:
    """The words of a key of the contact points that are watched, and zones."""
    return 1 + KEY * scene.watched + scene.zones


@kernel
def find_mode(run: Flow) -> i64:
    """The mode of the contact states as they are; −1 where it is not laid out."""
    write_key(run)
    words = key_words(run.scene)
    for i in range(run.modes):
        mode, same = record_at(ModeRecord, i64p_at(run.table[i]), 0), 1
        if mode.hash == run.key[words] and mode.key[0] == run.key[0]:
            for j in range(words):
                same = same if mode.key[j] == run.key[j] else 0
            if same == 1:
                return i
    return -1


@kernel
def find_or_lay_out(run: Flow) -> i64:
    """The mode of the contact states as they are, laid out at x where it is met for the first time; −1 where Python has
    to do it, or knows in which speeds it was met before."""
    found, words = find_mode(run), key_words(run.scene)
    if found >= 0 or run.modes == run.room or run.known > run.most_known:
        return found
    for i in range(run.known):
        if run.known_hash[i] == run.key[words]:
            return -1
    return lay_out_next(run)


@kernel
def lay_out_next(run: Flow) -> i64:
    """The place of a new mode of the contact states, whose key is written, laid out at x; −1 where Python has to."""
    if run.modes == run.room or run.known > run.most_known:
        return -1
    words = key_words(run.scene)
    made = lay_out_mode(run.programs, run.scene, run.key, words, run.x)
    if made == 0:
        return -1
    run.table[run.modes] = made
    run.modes += 1
    return run.modes - 1


@kernel
def begin_mode(run: Flow, place: i64, t: f64, grid: f64, is_new: i64) -> i64:
    """Begin a mode where the run stands: how it began, REWRITE where one that was met before has poor speeds here."""
    mode = record_at(ModeRecord, i64p_at(run.table[place]), 0)
    integration = mode.block.integration
    page = integration.page
    if mode.block.arrived != run.arrivals or page.room - page.free < FEW_ROWS:
        return NOT_YET
    integration.control.grid = grid
    return begin(integration, t, run.state, run.rest, 0.0 if is_new == 1 else mode.least)


@kernel
def begin_with_rules(run: Flow, place: i64, t: f64, grid: f64, is_new: i64) -> i64:
    """Begin a mode where the run stands, with the guards of rules armed as these stand: EVENT where one is due."""
    status = begin_mode(run, place, t, grid, is_new)
    if run.rules == 0 or (status != Status.FULL and status != Status.EVENT):
        return status
    mode = record_at(ModeRecord, i64p_at(run.table[place]), 0)
    guards, otherwise = mode.block.integration.guards, 0
    first = guards.m - run.rules
    kinds, noted = offset(guards.kinds, first), offset(run.conditions, 2 * run.rules * (run.changes - 1))
    for k in range(run.rules):
        g, rate, small = guards.first[first + k], guards.first[guards.m + first + k], run.rule_small[k]
        if run.rule_spent[k] == 1:
            recent = same_instant(t, run.rule_since[k], run.unit_time)
            run.rule_spent[k] = is_still_spent(g, small, recent)
        kinds[k] = armed_kind(run.rule_spent[k], is_rising(run.rule_spent[k], g, rate, small))
        otherwise = otherwise if kinds[k] == STRICT else 1
        noted[2 * k], noted[2 * k + 1] = g, rate
        if run.rule_spent[k] == 0 and g < -small:
            status = Status.EVENT
            otherwise = -1
            break
    if otherwise == 1:
        status = begin_mode(run, place, t, grid, is_new)
    for k in range(run.rules):
        kinds[k] = STRICT
    return status


@kernel
def full_state(run: Flow, mode: ModeRecord, t: f64, x: f64p) -> i64:
    """(t, q, u, rest) of the states of a mode; 0 where they may not belong to it."""
    n_q, n_u = run.n_q, run.n_u
    run.x[0] = t
    for i in range(run.n_rest):
        run.x[1 + n_q + n_u + i] = run.rest[i]
    if mode.embedded == 0:
        for i in range(n_q + n_u):
            run.x[1 + i] = x[i]
        return 1
    return whole(mode.expand, mode.code, mode.z, mode.fresh, mode.size, mode.out, mode.block.integration.n, n_q, n_u, t,
                 x, run.n_rest, run.rest, offset(run.x, 1))  # fmt: skip


@kernel
def read_forces(run: Flow, mode: ModeRecord, t: f64, work: f64) -> None:
    """(u, u̇, λ) of a mode at the full state, into its outputs."""
    n, out, kept = mode.block.integration.n, mode.out, mode.block.integration.kept
    for i in range(n - 1):
        out[i] = run.x[1 + kept[i]]
    out[n - 1] = work
    placed(mode.size, mode.fresh, mode.z, t, n, out, run.n_rest, run.rest)
    mode.forces(mode.code, mode.z, out)


@kernel
def clear_event(scene: Scene) -> None:
    """Nothing has happened yet at this instant."""
    scene.begun, scene.rounds, scene.impacts, scene.struck, scene.jams = 0, 0, 0, 0, 0
    scene.energy, scene.work, scene.slip_scale = 0.0, 0.0, 0.0
    scene.delassus.calls, scene.delassus.supplied = 0, 0
    for z in range(scene.zones):
        scene.zone_step[z] = 0
    forget_turns(scene)
    for k in range(scene.watched):
        event = scene.event[scene.watch[k]]
        event.flags, event.doubled, event.entered, event.left, event.widened, event.struck = 0, 0, 0, 0, 0, 0
        event.stays, event.idle, event.kept, event.jammed, event.slips, event.torn = 0, 0, 0, 0, 0, 0
        event.unloaded, event.passed = 0, 0
        for j in range(2):
            event.onset[j], event.slip_direction[j] = 0.0, 0.0
        for j in range(3):
            event.impulse[j] = 0.0


@kernel
def asks(run: Flow, mode: ModeRecord) -> i64:
    """1 where a guard fell that only the user, or Python, can answer."""
    hit = mode.block.integration.guards.hit
    if mode.guards > run.most_guards:
        return 1
    for i in range(mode.guards):
        if hit[i] != 0 and mode.says[i] == ASK:
            return 1
    return 0


@kernel
def say_guards(run: Flow, mode: ModeRecord, t: f64, work: f64) -> i64:
    """What the guards that fell say of their contact points; 0 where slip would begin in no direction."""
    scene, hit, slips = run.scene, mode.block.integration.guards.hit, 0
    for i in range(mode.guards):
        if hit[i] != 0 and mode.says[i] == ZONE:
            scene.zone_step[mode.about[i]] += mode.step[i]
        elif hit[i] != 0 and mode.says[i] > 0:
            set_flag(scene.event[mode.about[i]], mode.says[i])
            slips += 1 if mode.says[i] == SLIPS else 0
    if slips == 0:
        return 1
    read_forces(run, mode, t, work)
    for i in range(mode.guards):
        if hit[i] != 0 and mode.says[i] == SLIPS:
            event, tangents = scene.event[mode.about[i]], scene.contact[mode.about[i]].tangents
            force, size = offset(mode.out, mode.row[mode.about[i]]), 0.0
            for j in range(tangents):
                size += force[j] * force[j]
            if not size > 0.0:
                return 0
            for j in range(tangents):
                event.onset[j] = divide(-force[j], sqrt(size))
    return 1


@kernel
def longest_step(run: Flow) -> f64:
    """A step in which nothing turns far, so that gaps can be followed."""
    fastest = 0.0
    if run.bodies > 0:
        evaluate(run.turning, run.x, run.squares)
    for i in range(run.bodies):
        fastest = maximum(fastest, run.squares[i])
    fastest = sqrt(fastest)
    return divide(MAX_TURN, fastest) if fastest > 0.0 and fastest - fastest == 0.0 else FOREVER


@kernel
def note_change(run: Flow, integration: Integration, after: i64, at_once: i64) -> None:
    """Put down a change: the mode that ended, or fell ``at_once`` as it began, and all that is known after it."""
    scene, c, wide = run.scene, run.changes, run.n_q + run.n_u + 1
    note = run.note[c]
    note.before, note.after, note.first, note.last = run.mode, after, integration.first, integration.last
    if at_once == 1:
        note.first, note.last = 0, NO_ROW
    note.steps, note.rejected = integration.control.steps, integration.control.rejected
    note.evaluations = integration.control.evaluations
    note.impacts, note.t, note.energy = scene.impacts, integration.control.t, scene.energy
    note.approach_scale, note.motion_scale = scene.approach_scale, scene.motion_scale
    note.shared, note.longest = scene.shared, run.longest
    for i in range(integration.guards.m):
        run.hit[c * run.most_guards + i] = integration.guards.hit[i]
    for i in range(wide):
        run.after[c * wide + i] = run.state[i]
    for i in range(integration.n):
        run.before[c * run.states + i] = integration.x[i]
    for z in range(scene.zones):
        run.zone[c * scene.zones + z] = scene.zone[z]
    for k in range(scene.watched):
        i = scene.watch[k]
        state, event = offset(run.state_words, i * STATE_WORDS), offset(run.event_words, i * EVENT_WORDS)
        kept = offset(run.contact_states, (c * run.contacts + i) * STATE_WORDS)
        felt = offset(run.contact_events, (c * run.contacts + i) * EVENT_WORDS)
        for j in range(STATE_WORDS):
            kept[j] = state[j]
        for j in range(EVENT_WORDS):
            felt[j] = event[j]


@kernel
def change_mode(run: Flow, mode: ModeRecord, t: f64) -> i64:
    """The reset where guards of a mode have fallen, and the next mode, begun: 1 where steps can be made in it.

    0 where Python is asked: by the reset, and nothing has changed; by a mode that is not laid out, or does not begin.
    """
    run.note[run.changes].ended = counter()
    if full_state(run, mode, t, mode.block.integration.x) == 0:
        return 0
    return reset_and_enter(run, mode, t, 0)


@kernel
def pull_at_once(run: Flow, mode: ModeRecord) -> i64:
    """1 where forces are below zero as a mode begins: their guards alone have fallen."""
    guards, pulls = mode.block.integration.guards, 0
    for i in range(guards.m):
        pulls += 1 if guards.kinds[i] == NOT_BELOW and guards.first[i] < 0.0 else 0
    if pulls == 0:
        return 0
    for i in range(guards.m):
        guards.hit[i] = 1 if guards.kinds[i] == NOT_BELOW and guards.first[i] < 0.0 else 0
    return 1


@kernel
def stand_still(integration: Integration) -> None:
    """A mode that ends as it begins has one row."""
    n, x = integration.n, integration.x
    evaluate_at(integration.equations, n, integration.control.t, x, offset(x, n))
    integration.first, integration.last = integration.page.free, integration.page.free
    recorded(integration, integration.first)


@kernel
def change_at_once(run: Flow, t: f64) -> i64:
    """Resets where a mode has begun with guards that fall at once, as long as the next one does: see `change_mode`."""
    while run.begun == Status.EVENT:
        mode, before = record_at(ModeRecord, i64p_at(run.table[run.mode]), 0), run.changes
        if run.rules > 0 or before == run.allowed or asks(run, mode) == 1:
            return 0
        if pull_at_once(run, mode) == 1:
            run.note[before].ended = counter()
            reset_and_enter(run, mode, t, 1)
        else:
            stand_still(mode.block.integration)
            change_mode(run, mode, t)
        if run.changes == before:
            return 0
    return 1 if run.begun == Status.FULL else 0


@kernel
def reset_and_enter(run: Flow, mode: ModeRecord, t: f64, at_once: i64) -> i64:
    """The reset of a mode at (t, q, u, rest), and the next mode, begun: see `change_mode`."""
    integration = mode.block.integration
    note, work = run.note[run.changes], integration.x[integration.n - 1]
    clear_event(run.scene)
    if say_guards(run, mode, t, work) == 0:
        return 0
    outcome = reset(run.scene, run.x)
    while outcome == ResetOutcome.NOTED and run.alone == 1:
        outcome = reset(run.scene, run.x)
    if outcome != ResetOutcome.DONE or (run.limited == 1 and run.scene.impacts > 0):
        return 0
    known = run.modes
    found = find_or_lay_out(run)
    for i in range(run.n_q + run.n_u):
        run.state[i] = run.x[1 + i]
    run.state[run.n_q + run.n_u] = work + run.scene.work
    run.longest = longest_step(run)
    note_change(run, integration, found, at_once)
    if at_once == 0:
        integration.page.free = integration.last + 1
    run.changes += 1
    run.passed += 1
    run.begun = NOT_YET
    if found < 0:
        note.ready = counter()
        return 0
    enter_mode(run, found, t, integration.control.grid, 1 if found >= known else 0)
    note.after, note.ready = run.mode, counter()
    return 1 if run.begun == Status.FULL else 0


@kernel
def enter_mode(run: Flow, found: i64, t: f64, grid: f64, is_new: i64) -> None:
    """Begin a mode where the run stands, in other speeds where those of one that was met before are poor here."""
    run.begun = begin_with_rules(run, found, t, grid, is_new)
    if run.begun == Status.REWRITE and is_new == 0:
        again = lay_out_next(run)
        if again >= 0:
            poor = record_at(ModeRecord, i64p_at(run.table[found]), 0)
            poor.hash, found = -1, again
            run.begun = begin_with_rules(run, found, t, grid, 1)
    run.mode = found


@kernel
def flow(run: Flow, until: f64) -> i64:
    """Steps, resets, and on in the next mode: the status of the steps that ended it.

    Where it is EVENT, guards of the mode have fallen, and nothing is changed yet: they are to be passed; as those of
    an impact, where a constraint has a limit of its force. Changes are
    noted, and no more are made than are allowed; as many steps as one mode makes in a call, but at least one in each.
    """
    run.changes, run.begun, run.began = 0, Status.FULL, counter()
    status = flow_on(run, until)
    run.done = counter()
    return status


@kernel
def flow_on(run: Flow, until: f64) -> i64:
    """The same, after the changes that are noted already."""
    status, left = FELL, 1.0
    while True:
        mode = record_at(ModeRecord, i64p_at(run.table[run.mode]), 0)
        integration = mode.block.integration
        integration.control.longest = run.longest
        if run.ended == 0:
            before, most = integration.control.steps, int(left * float(mode.block.most))
            status = steps(integration, until, most if most > 0 else 1)
            left -= divide(float(integration.control.steps - before), float(mode.block.most))
        run.ended, t = 0, integration.control.t
        run.reached = t
        if status != Status.EVENT or run.changes == run.allowed or t >= until or asks(run, mode) == 1:
            break
        if change_mode(run, mode, t) == 0 and (run.begun != Status.EVENT or change_at_once(run, t) == 0):
            break
    return status

"""The guards of a mode in its memory, `GuardTable`: of contacts in their forms, of zones, and of a user.

What `contacts.guard_table` does in Python, with the same bytes.
"""

from __future__ import annotations

from latchwork.hybrid.contacts.guard_values import GuardedContact, GuardedZone, GuardTable
from latchwork.hybrid.contacts.scene import OPEN, Scene
from latchwork.hybrid.mode_layout.mode_contents import form_at, has_row, slides_with_friction
from latchwork.hybrid.mode_layout.mode_programs import ModePrograms
from latchwork.hybrid.mode_layout.mode_record import ASK, ZONE
from latchwork.integrate.guard_location import FLOOR
from latchwork.integrate.integration import PATIENT
from latchwork.program.kernel import f64p, i64, i64p, kernel, offset
from latchwork.program.records.memory import size_of
from latchwork.program.records.placement import place_arrays
from latchwork.program.records.shape import words_of
from latchwork.program.records.view import record_at

GUARD_WORDS, ZONE_WORDS, TABLE_WORDS = size_of(GuardedContact), size_of(GuardedZone), size_of(GuardTable)
CONTACT, ZONES, USER, N_CONTACTS, N_ZONES = words_of(GuardTable, "contact", "zone", "user", "contacts", "zones")
GUARD_SLOTS, GUARD_ROOM, N_GUARDS = words_of(GuardTable, "slots", "room", "guards")
(ZONE_PROGRAM,) = words_of(GuardedZone, "program")


@kernel
def table_size(programs: ModePrograms, scene: Scene) -> i64:
    """Words of the guard table, its own into ``own``."""
    own = programs.own
    for i in range(TABLE_WORDS):
        own[i] = 0
    own[N_CONTACTS], own[N_ZONES], own[GUARD_SLOTS] = scene.watched, programs.zones, programs.guard_slots
    own[GUARD_ROOM], own[N_GUARDS] = programs.widest, programs.guards
    return place_arrays(programs.guard_arrays, programs.own)


@kernel
def first_of(scene: Scene, k: i64) -> i64:
    """The first watched feature that is closed of the contact of feature k."""
    group = scene.contact[scene.watch[k]].contact
    for j in range(k):
        if scene.contact[scene.watch[j]].contact == group and scene.state[scene.watch[j]].kind != OPEN:
            return j
    return k


@kernel
def put_guards(programs: ModePrograms, scene: Scene, word: i64p, size: i64, user: i64, is_free: i64, says: i64p,
               about: i64p, steps: i64p, kinds: i64p, heights: f64p, floors: f64p) -> None:  # fmt: skip
    """The guard table of a mode; what each guard says, of whom, and a step; where each is armed."""
    for i in range(size):
        word[i] = programs.own[i] if i < TABLE_WORDS else 0
    table, g, at = record_at(GuardTable, word, 0), 0, 0
    table.free, table.by_acceleration = is_free, programs.by_acceleration if is_free == 1 else 0
    for k in range(scene.watched):
        i = scene.watch[k]
        own, state, numbers = programs.watch[form_at(programs, scene, i)], scene.state[i], programs.contact[i]
        here = offset(word, word[CONTACT] + GUARD_WORDS * k)
        for j in range(GUARD_WORDS):
            here[j] = own.word[j]
        contact = record_at(GuardedContact, here, 0)
        contact.at = at
        if state.kind != OPEN:
            wider = 1.0
            for _ in range(state.cone_margin):
                wider *= numbers.wider
            contact.group = first_of(scene, k)
            contact.row = programs.row_of[i] if has_row(state, scene.contact[i]) == 1 else 0
            if scene.contact[i].presser >= 0:
                contact.normal_row = programs.row_of[scene.contact[i].presser]
            contact.slider = programs.slider_of[i] if slides_with_friction(state, scene.contact[i]) == 1 else 0
            contact.cone, contact.pull = numbers.cone * wider, numbers.tensile * float(state.unloaded)
        elif state.leaving > 0:
            contact.shift = (2.0 + float(state.leaving - 1)) * numbers.closed
        elif state.behind == 1:
            contact.shift = -numbers.clear
        for j in range(own.guards):
            says[g], about[g], steps[g] = own.says[j], i, 0
            kinds[g], heights[g], floors[g] = own.kind[j], own.height[j], FLOOR * own.unit[j]
            if state.kind == OPEN and state.leaving > 0 and j == 1:
                heights[g] = -numbers.clear - contact.shift
            g += 1
        for j in range(own.slots):
            table.z[at + j] = own.z[j]
        at += own.slots
    for z in range(programs.zones):
        zone, here = programs.zone[z], offset(word, word[ZONES] + ZONE_WORDS * z)
        guarded, index = record_at(GuardedZone, here, 0), scene.zone[zone.place]
        guarded.index, guarded.bounds, guarded.at, here[ZONE_PROGRAM] = index, zone.bounds, at, zone.run
        for side in range(2):
            step = 2 * side - 1
            if (step < 0 and index > 0) or (step > 0 and index < zone.bounds):
                says[g], about[g], steps[g] = ZONE, zone.place, step
                kinds[g], heights[g], floors[g] = PATIENT, 0.0, FLOOR * zone.unit
                g += 1
        for j in range(zone.slots):
            table.z[at + j] = zone.z[j]
        at += zone.slots
    if programs.user_guards > 0:
        given = programs.user[user]
        table.user_guards, table.user_at, word[USER] = programs.user_guards, at, given.run
        for j in range(given.slots):
            table.z[at + j] = given.z[j]
        for j in range(programs.user_guards):
            says[g], about[g], steps[g] = ASK, 0, 0
            kinds[g], heights[g], floors[g] = programs.user_kinds[j], 0.0, FLOOR
            g += 1

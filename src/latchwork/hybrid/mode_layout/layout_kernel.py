"""Laying out modes in machine code: a mode is a list of contact points with their states, each with its own programs.

    rows     constraints that hold, then contacts that are closed: all rows where one sticks, the first where it slides
    speeds   chosen at the state where the mode is met (`selection_kernel`)
    guards   of each contact in its form, of zones, of a user
    steps    an integration in the workspace of so many states (`reusable_integration.lay_out`)

The memory of a mode comes from an arena, at the end of which are slots: one mode is run at a time, and begins with
fresh ones. Where something is not made yet, rows say nothing new, or memory is used up,
nothing is laid out, and Python does it: `mode_table`, with the same bytes.
"""

from __future__ import annotations

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.row_sources import RowSources
from latchwork.constraint.selection_kernel import MAX_ROWS, SpeedChoice, room_of, select_speeds_kernel
from latchwork.hybrid.contacts.friction import PART, room_of_forces
from latchwork.hybrid.contacts.scene import OPEN, Scene
from latchwork.hybrid.mode_dynamics import GOOD
from latchwork.hybrid.mode_layout.mode_contents import list_guards, list_rows
from latchwork.hybrid.mode_layout.mode_equations import (
    EMBEDDED_WORDS,
    INFINITY,
    found_rows,
    mode_length,
    mode_size,
    put_equations,
    put_share,
    put_sources,
    put_speeds,
    still_rows,
)
from latchwork.hybrid.mode_layout.mode_guards import TABLE_WORDS, put_guards, table_size
from latchwork.hybrid.mode_layout.mode_programs import CONSTRAINTS, ModePrograms
from latchwork.hybrid.mode_layout.mode_record import ModeRecord
from latchwork.integrate.integration import Integration
from latchwork.integrate.problem import MOST_STEPS, steps_within
from latchwork.integrate.reusable_integration import IntegrationBlock, lay_out
from latchwork.program.kernel import executor_at, f64, f64p, f64p_at, i32p_at, i64, i64p, i64p_at, kernel, offset
from latchwork.program.records.memory import size_of
from latchwork.program.records.placement import place_arrays
from latchwork.program.records.shape import words_of
from latchwork.program.records.view import record_at

WORD = 8  # bytes
MODE_WORDS, BLOCK_WORDS = size_of(ModeRecord), size_of(IntegrationBlock)
SOURCES_WORDS, CHOICE_WORDS = size_of(RowSources), size_of(SpeedChoice)
ROWS_SOURCE, ROWS_SOURCES, ROWS_SLOTS, ROWS_FOUND = words_of(RowSources, "source", "sources", "n_slots", "n_found")
CHOICE_SPEEDS, CHOICE_ROWS = words_of(SpeedChoice, "n", "rows")
BLOCK_GUARDS, BLOCK_STATES, BLOCK_FRESH = words_of(IntegrationBlock, "guards", "states", "fresh")
FRONT, FRESH_SLOTS = *words_of(EmbeddedMode, "time"), *words_of(IntegrationBlock, "fresh_slots")
SCRATCH = max(EMBEDDED_WORDS, TABLE_WORDS, SOURCES_WORDS, CHOICE_WORDS, BLOCK_WORDS)


@kernel
def take(programs: ModePrograms, words: i64) -> i64:
    """Where so many words of memory begin."""
    at = programs.arena + WORD * programs.used
    programs.used += words
    return at


@kernel
def spare(programs: ModePrograms, words: i64) -> i64:
    """Where so many words of memory begin that are needed while a mode is laid out: at the end, before the slots."""
    programs.spare += words
    return programs.arena + WORD * (programs.room - programs.spare)


@kernel
def put_own(programs: ModePrograms, word: i64p, words: i64) -> None:
    """So many words of a record whose arrays are placed, where it is to be."""
    for i in range(words):
        word[i] = programs.own[i]


@kernel
def choice_size(programs: ModePrograms) -> i64:
    """Words of the speeds that are chosen, the record's own into ``own``."""
    for i in range(CHOICE_WORDS):
        programs.own[i] = 0
    programs.own[CHOICE_SPEEDS], programs.own[CHOICE_ROWS] = programs.n, programs.rows
    return place_arrays(programs.choice_arrays, programs.own)


@kernel
def sources_size(programs: ModePrograms) -> i64:
    """Words of the sources of all rows, the record's own into ``own``."""
    for i in range(SOURCES_WORDS):
        programs.own[i] = 0
    programs.own[ROWS_SOURCES], programs.own[ROWS_SLOTS] = programs.sources, programs.source_slots
    programs.own[ROWS_FOUND] = found_rows(programs)
    return place_arrays(programs.row_arrays, programs.own)


@kernel
def block_size(programs: ModePrograms, states: i64, fresh: i64) -> i64:
    """Words of an integration with so many states and fresh slots, the record's own into ``own``; the slots it runs on
    are at the end of the arena."""
    for i in range(BLOCK_WORDS):
        programs.own[i] = 0
    programs.own[BLOCK_GUARDS], programs.own[BLOCK_STATES], programs.own[BLOCK_FRESH] = programs.guards, states, fresh
    return place_arrays(programs.block_arrays, programs.own)


@kernel
def choose_speeds(programs: ModePrograms, x: f64p) -> i64:
    """Rows and dependent speeds at x, by sources in memory of their own (`select_speeds_kernel`); 0 for more care."""
    base, n, m = programs.base, programs.n, programs.rows
    choice, word = i64p_at(take(programs, choice_size(programs))), i64p_at(spare(programs, sources_size(programs)))
    room = f64p_at(spare(programs, room_of(m, n, base.motion_width)))
    still, motion = i64p_at(spare(programs, m)), f64p_at(spare(programs, base.motion_slots))
    if programs.used + programs.spare > programs.room:
        return 0
    put_own(programs, word, SOURCES_WORDS)
    choice_size(programs)
    put_own(programs, choice, CHOICE_WORDS)
    sources, programs.choice = record_at(RowSources, word, 0), record_at(SpeedChoice, choice, 0)
    put_sources(programs, offset(word, word[ROWS_SOURCE]), sources.z)
    still_rows(programs, still)
    for i in range(base.motion_slots):
        motion[i] = base.motion_z[i]
    found = select_speeds_kernel(sources, base.motion, base.motion_code, motion, base.inputs, programs.n_q, x,
                                 base.aside, base.unit_u, still, base.size, base.unit_t, programs.choice,
                                 room)  # fmt: skip
    programs.rank = 0
    for i in range(m):
        programs.rank += programs.choice.kept[i]
    return found


@kernel
def shares_forces(programs: ModePrograms, scene: Scene) -> i64:
    """1 where rows are redundant, and some contact is closed: forces are shared."""
    for k in range(scene.watched):
        if scene.state[scene.watch[k]].kind != OPEN and programs.rank < programs.rows:
            return 1
    return 0


@kernel
def put_integration(programs: ModePrograms, scene: Scene, here: i64, states: i64, is_free: i64, code: i64, fresh: f64p,
                    size: i64, kept: i64p) -> None:  # fmt: skip
    """The integration of a mode at an address, its guards apart: see `reusable_integration.lay_out`."""
    given, base, k = programs.programs, programs.base, states - programs.n_q - 1
    plain = i64p_at(programs.plain[states])
    workspace = record_at(Integration, plain, 0)
    stages = workspace.control.stages
    length = base.side_length if is_free == 1 else mode_length(programs, scene, programs.rank, k)
    given.m, given.n_rest, given.arrived = programs.guards, programs.n_rest, programs.arrivals
    given.most = steps_within(programs.operations, programs.fewest, MOST_STEPS, length, states, stages)
    given.judge, given.shared = 0, 1
    first, second, third = given.each[0], given.each[1], given.each[2]
    first.run = base.step_sliding if programs.sliders > 0 else base.step
    second.run = base.look_sliding if programs.sliders > 0 or programs.shared > 0 else base.look
    first.code, second.code, third.code = code, code, code
    first.rest_at, second.rest_at, third.rest_at = 1 + states, 1 + states, 1 + states
    first.size, second.size, third.size, third.run = size, size, size, base.settle
    count = size
    if is_free == 1:
        first.run, first.code, first.size = base.side, base.side_code, base.side_slots
        second.run, third.size, given.shared = base.look_freely, 0, 0
        second.size = size - base.side_slots
    else:
        given.judge = base.judge
    lay_out(here, plain, given, kept, fresh, count)


@kernel
def put_record(programs: ModePrograms, scene: Scene, key: i64p, words: i64, is_free: i64, least: f64) -> None:
    """The record of a mode: where all that is its own is (`ModeParts`)."""
    parts, base = programs.parts, programs.base
    word, own_key = i64p_at(parts.record), i64p_at(parts.key)
    for i in range(MODE_WORDS):
        word[i] = 0
    mode = record_at(ModeRecord, word, 0)
    for i in range(words + 1):
        own_key[i] = key[i]
    mode.block = record_at(IntegrationBlock, i64p_at(parts.integration), 0)
    mode.hash, mode.guards, mode.embedded, mode.least = key[words], programs.guards, 1 - is_free, least
    mode.says, mode.about, mode.step = i64p_at(parts.says), i64p_at(parts.about), i64p_at(parts.step)
    mode.key, mode.row = own_key, i64p_at(parts.row)
    mode.code, mode.fresh, mode.size = i32p_at(parts.code), f64p_at(parts.fresh), parts.size
    for i in range(programs.contacts):
        mode.row[i] = 0
    if is_free == 1:
        return
    for s in range(programs.sources):
        i = programs.source[s]
        if i != CONSTRAINTS and programs.held[s] > 0:
            mode.row[i] = 2 * programs.n + programs.row_of[i] + (0 if scene.contact[i].without_normal == 1 else 1)
    mode.expand = executor_at(base.expand_sliding if programs.sliders > 0 else base.expand)
    mode.forces = executor_at(base.forces_sliding if programs.sliders > 0 or programs.shared > 0 else base.forces)
    mode.z, mode.out = f64p_at(parts.slots), f64p_at(parts.out)
    mode.choice = programs.choice


@kernel
def lay_out_mode(programs: ModePrograms, scene: Scene, key: i64p, words: i64, x: f64p) -> i64:
    """The mode of the contact states of a scene, met at x = (t, q, u, rest): where its record is, 0 for none."""
    mark = programs.used
    programs.spare = programs.scratch_slots
    made = lay_out_chosen(programs, scene, key, words, x)
    needed = programs.used - mark + programs.spare
    programs.wanted = needed if needed > programs.wanted else programs.wanted
    if made == 0:
        programs.used = mark
    return made


@kernel
def lay_out_chosen(programs: ModePrograms, scene: Scene, key: i64p, words: i64, x: f64p) -> i64:
    """The same, in memory of which as much is used as lasts."""
    n_q, n = programs.n_q, programs.n
    if n > MAX_ROWS or list_rows(programs, scene) == 0:
        return 0
    rows, base = programs.rows, programs.base
    is_free = 1 if programs.holds == 0 and programs.sliders == 0 and rows == 0 else 0
    user = 0 if is_free == 1 else 1 + rows
    if rows > programs.most_rows or (is_free == 1 and base.side_code == 0) or list_guards(programs, scene, user) == 0:
        return 0
    programs.rank, programs.shared = 0, 0
    if is_free == 0:
        if choose_speeds(programs, x) == 0:
            return 0
        programs.shared = (rows - programs.rank) * shares_forces(programs, scene)
    m = programs.rank
    states, count, watched = n_q + n - m + 1, programs.guards, table_size(programs, scene)
    if programs.plain[states] == 0 or programs.most_guards[states] < count:
        return 0
    size = mode_size(programs)
    start, side, block = -programs.own[FRONT], base.side_slots if is_free == 1 else 0, size + watched
    parts = programs.parts
    parts.record = take(programs, MODE_WORDS)
    parts.code, parts.key = take(programs, 1), take(programs, words + 1)
    parts.says, parts.about, parts.step = take(programs, count), take(programs, count), take(programs, count)
    parts.row, parts.out = take(programs, programs.contacts), take(programs, n_q + n + 4 + 2 * n + rows)
    slots = block + (side + block if is_free == 1 else 3 * block)
    parts.integration = take(programs, block_size(programs, states, side + block))
    fresh = parts.integration + WORD * programs.own[FRESH_SLOTS]
    parts.slots, parts.size = programs.arena + WORD * (programs.room - block), block
    programs.programs.slots = programs.arena + WORD * (programs.room - slots)
    kept, part, lam = spare(programs, states), spare(programs, PART * rows), spare(programs, rows)
    room = spare(programs, room_of_forces(rows, n, m) if programs.shared > 0 else 0)
    programs.scratch_slots = slots if slots > programs.scratch_slots else programs.scratch_slots
    programs.spare = slots if slots > programs.spare else programs.spare
    if programs.used + programs.spare > programs.room:
        return 0
    at, integration = fresh + WORD * side, i64p_at(parts.integration)
    parts.fresh = at
    put_own(programs, integration, BLOCK_WORDS)
    mode_size(programs)
    put_equations(programs, scene, i64p_at(at), f64p_at(at), start, size)
    mode, places, least = record_at(EmbeddedMode, f64p_at(at), start), i64p_at(kept), 0.0
    if is_free == 1:
        before = f64p_at(fresh)
        for i in range(side):
            before[i] = base.side_z[i]
        for j in range(n):
            mode.ind[j], mode.weight[j], mode.course[j] = j, 1.0, 0.0
    else:
        put_speeds(programs, mode, offset(x, 1 + n_q))
        least = GOOD * programs.choice.pivot
        if programs.shared > 0:
            put_share(programs, scene, mode, i64p_at(part), f64p_at(lam), f64p_at(room))
            least = INFINITY
    begins = i32p_at(parts.code)
    begins[0] = start
    for i in range(n_q):
        places[i] = i
    for a in range(n - m):
        places[n_q + a] = n_q + mode.ind[a]
    places[states - 1] = n_q + n
    table_size(programs, scene)
    armed = record_at(IntegrationBlock, integration, 0)
    put_guards(programs, scene, i64p_at(at + WORD * size), watched, user, is_free, i64p_at(parts.says),
               i64p_at(parts.about), i64p_at(parts.step), armed.kinds, armed.heights, armed.floors)  # fmt: skip
    put_integration(programs, scene, parts.integration, states, is_free, parts.code, f64p_at(fresh), side + block,
                    places)  # fmt: skip
    put_record(programs, scene, key, words, is_free, least)
    return parts.record

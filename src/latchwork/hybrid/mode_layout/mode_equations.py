"""The equations of a mode in its memory, `EmbeddedMode`: rows, friction, and the speeds that were chosen.

What `constraint.embedded.mode_block` does in Python from symbols, with the same bytes: a mode that no program of its
contacts is made for yet is laid out there. Both place the same records, and count operations by the same kernels.
"""

from __future__ import annotations

from latchwork.constraint.embedded.embedded_mode import UNKNOWN, EmbeddedMode
from latchwork.constraint.embedded.mode_block import embedding_operations, friction_operations
from latchwork.constraint.embedded.projection import WORST_D, WORST_PIVOT
from latchwork.constraint.embedded.slider import ENFORCED, SLIP_NUMBERS, SliderRecord
from latchwork.constraint.row_sources import RowSource, numbers_of
from latchwork.hybrid.contacts.friction import PART, put_part, share_forces
from latchwork.hybrid.contacts.scene import Scene
from latchwork.hybrid.mode_layout.mode_contents import law_at
from latchwork.hybrid.mode_layout.mode_programs import (
    CONSTRAINTS,
    ModePrograms,
    SourcePrograms,
)
from latchwork.program.kernel import executor_at, f64p, i64, i64p, kernel, offset
from latchwork.program.records.memory import size_of
from latchwork.program.records.placement import place_arrays
from latchwork.program.records.shape import words_of
from latchwork.program.records.view import record_at

INFINITY = float("inf")
EMBEDDED_WORDS, SOURCE_WORDS, SLIDER_WORDS = size_of(EmbeddedMode), size_of(RowSource), size_of(SliderRecord)
SOURCE, SLIDER = words_of(EmbeddedMode, "source", "slider")
N_Q, N, ROWS, DEPENDENT, INDEPENDENT, N_REST = words_of(EmbeddedMode, "n_q", "n", "rows", "m", "k", "n_rest")
TURNING, N_MOTION, N_SOURCES, SOURCE_SLOTS = words_of(EmbeddedMode, "turning", "n_motion", "sources", "source_slots")
N_FOUND, MOTION_SLOTS, SPREAD_SLOTS = words_of(EmbeddedMode, "n_found", "motion_slots", "spread_slots")
SLIDING, SHARED, N_SLIDERS, SLIDER_SLOTS = words_of(EmbeddedMode, "sliding", "shared", "sliders", "slider_slots")
LAW, FORCE = words_of(SliderRecord, "law", "force")


@kernel
def found_rows(programs: ModePrograms) -> i64:
    """Numbers that all sources give."""
    total = 0
    for s in range(programs.sources):
        i = programs.source[s]
        given = programs.constraints.given
        if i != CONSTRAINTS:
            given = programs.contact[i].rows.given
        total += numbers_of(given, programs.n)
    return total


@kernel
def put_source(own: SourcePrograms, held: i64, first: i64, at: i64, found: i64, word: i64p, z: f64p) -> None:
    """A source whose slots begin at a place: its record, and its slots."""
    for i in range(SOURCE_WORDS):
        word[i] = own.word[i]
    source = record_at(RowSource, word, 0)
    source.held, source.first = held, first
    source.place_at, source.bias_at, source.found_at = at, at + own.place_slots, found
    for i in range(own.place_slots + own.bias_slots):
        z[at + i] = own.z[i]


@kernel
def put_sources(programs: ModePrograms, word: i64p, z: f64p) -> None:
    """All sources of a mode, one after the other."""
    first, at, found = 0, 0, 0
    for s in range(programs.sources):
        i, held, here = programs.source[s], programs.held[s], offset(word, SOURCE_WORDS * s)
        if i == CONSTRAINTS:
            put_source(programs.constraints, held, first, at, found, here, z)
            at += programs.constraints.place_slots + programs.constraints.bias_slots
            found += numbers_of(programs.constraints.given, programs.n)
        else:
            own = programs.contact[i].rows
            put_source(own, held, first, at, found, here, z)
            at += own.place_slots + own.bias_slots
            found += numbers_of(own.given, programs.n)
        first += held


@kernel
def put_sliders(programs: ModePrograms, scene: Scene, word: i64p, z: f64p) -> None:
    """What slides with friction, in its direction."""
    at = 0
    for s in range(programs.sliders):
        i, here = programs.slides[s], offset(word, SLIDER_WORDS * s)
        own, state = programs.friction[law_at(scene, i)], scene.state[i]
        for j in range(SLIDER_WORDS):
            here[j] = own.word[j]
        slider = record_at(SliderRecord, here, 0)
        slider.source = programs.source_of[i]
        slider.row = ENFORCED if scene.contact[i].without_normal == 1 else programs.row_of[i]
        if scene.contact[i].presser >= 0:
            slider.row = programs.row_of[scene.contact[i].presser]
        slider.law_at += at if here[LAW] != 0 else 0
        slider.force_at += at if here[FORCE] != 0 else 0
        for j in range(SLIP_NUMBERS):
            slider.slip[j] = state.slip[j] if j < state.slip_size else 0.0
        for j in range(own.slots):
            z[at + j] = own.z[j]
        at += own.slots


@kernel
def still_rows(programs: ModePrograms, still: i64p) -> i64:
    """For each row 1 if it has a Φ, and twice the number of its constraint; returns 1 where a row moves by itself."""
    row, moves, group = 0, 0, 0
    for s in range(programs.sources):
        i, held = programs.source[s], programs.held[s]
        for j in range(held):
            if i == CONSTRAINTS:
                still[row + j] = programs.constraints.still[j] + 2 * group
            else:
                still[row + j] = programs.contact[i].rows.still[j] + 2 * group
        row += held
        if held > 0:
            group = still[row - 1] // 2 + 1
        if i == CONSTRAINTS:
            moves = moves | programs.constraints.moves
        elif held > 0:
            own = programs.contact[i].rows
            moves = moves | (own.moves if held == own.given else own.first_moves)
    return moves


@kernel
def mode_length(programs: ModePrograms, scene: Scene, m: i64, k: i64) -> i64:
    """About how many operations an evaluation takes: see `mode_block.frame`."""
    n, total = programs.n, programs.base.motion_length
    for s in range(programs.sources):
        i = programs.source[s]
        if i == CONSTRAINTS:
            total += programs.constraints.length
        else:
            total += programs.contact[i].rows.length
    total += embedding_operations(n, m, k)
    if programs.sliders > 0:
        for s in range(programs.sliders):
            total += programs.friction[law_at(scene, programs.slides[s])].length
        total += friction_operations(n, k)
    return total


@kernel
def mode_size(programs: ModePrograms) -> i64:
    """Words of the mode, its own into ``own``."""
    own, base, m = programs.own, programs.base, programs.rank
    for i in range(EMBEDDED_WORDS):
        own[i] = 0
    own[N_Q], own[N], own[ROWS], own[SHARED] = programs.n_q, programs.n, programs.rows, programs.shared
    own[DEPENDENT], own[INDEPENDENT] = m, programs.n - m
    own[N_REST], own[TURNING], own[N_MOTION] = programs.n_rest, base.turning, base.motion_width
    own[N_SOURCES], own[SOURCE_SLOTS], own[N_FOUND] = programs.sources, programs.source_slots, found_rows(programs)
    own[MOTION_SLOTS], own[SPREAD_SLOTS] = base.motion_slots, base.spread_slots
    own[SLIDING] = programs.n if programs.sliders > 0 or programs.shared > 0 else 0
    own[N_SLIDERS], own[SLIDER_SLOTS] = programs.sliders, programs.slider_slots
    return place_arrays(programs.mode_arrays, programs.own)


@kernel
def put_equations(programs: ModePrograms, scene: Scene, word: i64p, z: f64p, start: i64, size: i64) -> None:
    """A mode in its memory, but for its speeds."""
    for i in range(size):
        word[i] = 0
    for i in range(EMBEDDED_WORDS):
        word[start + i] = programs.own[i]
    mode, base, own = record_at(EmbeddedMode, z, start), programs.base, offset(word, start)
    mode.motion_code, mode.spread_code = base.motion_code, base.spread_code
    mode.moving = still_rows(programs, mode.still)
    for i in range(4 * base.turning):
        mode.quaternion[i] = base.quaternion[i]
    mode.unit_t = base.unit_t
    for i in range(programs.n_q):
        mode.unit_q[i] = base.unit_q[i]
    for i in range(programs.n):
        mode.unit_u[i] = base.unit_u[i]
    for i in range(base.motion_slots):
        mode.motion_z[i] = base.motion_z[i]
    for i in range(base.spread_slots):
        mode.spread_z[i] = base.spread_z[i]
    put_sources(programs, offset(own, own[SOURCE]), mode.source_z)
    put_sliders(programs, scene, offset(own, own[SLIDER]), mode.slider_z)
    notes = mode.notes
    notes.motion_run, notes.spread_run, notes.guard_run = base.motion, base.spread, executor_at(base.guards)
    notes.least_pivot, notes.gap, notes.limit_d = INFINITY, UNKNOWN, WORST_D


@kernel
def put_speeds(programs: ModePrograms, mode: EmbeddedMode, course: f64p) -> None:
    """The rows and speeds that were chosen, with what goes with them."""
    n, rows, notes, d, i, k, lost, choice = mode.n, mode.rows, mode.notes, 0, 0, 0, 0, programs.choice
    for j in range(n):
        if choice.dependent[j] != 0:
            mode.dep[d] = j
            d += 1
        else:
            mode.ind[i] = j
            i += 1
        mode.weight[j], mode.course[j] = choice.weight[j], course[j]
    for r in range(rows):
        mode.typical[r], mode.length[r] = choice.typical[r], choice.length[r]
        if choice.kept[r] != 0:
            mode.kept[k] = r
            k += 1
        elif mode.shared > 0:
            mode.lost[lost] = r
            lost += 1
    notes.usual_pivot, notes.floor = choice.pivot, WORST_PIVOT * choice.pivot
    notes.limit_pivot = notes.floor


@kernel
def put_share(programs: ModePrograms, scene: Scene, mode: EmbeddedMode, part: i64p, lam: f64p, room: f64p) -> None:
    """How redundant rows share their forces, from those of their contacts: see `share_forces`."""
    n, rows, parts, first, choice = mode.n, mode.rows, 0, 0, programs.choice
    for s in range(programs.sources):
        i, held = programs.source[s], programs.held[s]
        for j in range(held):
            lam[first + j] = 0.0
        if i != CONSTRAINTS and held > 0:
            contact, state = scene.contact[i], scene.state[i]
            for j in range(held if held < state.force_size else state.force_size):
                lam[first + j] = state.force[j]
            put_part(offset(part, PART * parts), first, held, state.force_size, contact.without_normal, contact.bounded)
            parts += 1
        else:
            for j in range(held):
                put_part(offset(part, PART * parts), first + j, 1, 0, 1, 0)
                parts += 1
        first += held
    share_forces(rows, n, mode.m, choice.B, choice.kept, parts, part, lam, mode.share, room)

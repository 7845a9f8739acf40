"""ModePrograms: what modes of some contact points are made of, as records from which a kernel lays them out.

A contact point is compiled when it is described: the programs of its rows, of its friction in each of its zones, and of
its guards in each form in which it may be watched. They are entered here as they are made, each with its slots when
fresh; `layout_kernel` copies what the contact states of a scene ask for into the memory of a mode.
"""

from __future__ import annotations

from latchwork.constraint.selection_kernel import SpeedChoice
from latchwork.hybrid.contacts.guard_values import BEGINS, CLOSED
from latchwork.integrate.reusable_integration import Programs
from latchwork.program.kernel import executor, f64, f64p, i32p, i64, i64p
from latchwork.program.records.record import array, pointer, record

OPEN_FORMS, CLOSED_FORMS = CLOSED, 2 + BEGINS  # of a contact point, and of each of its laws: see `place_of_form`
CONSTRAINTS = -1  # in the place of a contact point: the constraints that hold besides


@record
class SourcePrograms:
    """The rows of a contact point, or of all constraints: words of their `RowSource`, and their slots when fresh."""

    known: i64
    given: i64
    place_slots: i64
    bias_slots: i64
    first_moves: i64  # 1 where the first row has a C that is not zero,
    moves: i64  # and where any row has
    length: i64
    word: i64p
    z: f64p
    still: i64p  # for each row 1 if it has a Φ, and twice the number of its constraint


@record
class FrictionPrograms:
    """The friction of a contact point in some zones: words of its `SliderRecord`, and its slots when fresh."""

    known: i64
    slots: i64
    length: i64
    word: i64p
    z: f64p


@record
class GuardPrograms:
    """What watches a contact point in one form: words of its `GuardedContact`, its slots when fresh, and its guards."""

    guards: i64  # 0 where they are not made
    slots: i64
    widest: i64  # outputs of a program
    by_acceleration: i64
    word: i64p
    z: f64p
    says: i64p
    kind: i64p
    height: f64p
    unit: f64p


@record
class ContactPrograms:
    """What a contact point gives to modes besides, and the numbers of its guards."""

    rows: SourcePrograms
    clear: f64
    closed: f64
    cone: f64
    wider: f64
    tensile: f64


@record
class ZonePrograms:
    """What watches a zone: x − every bound."""

    place: i64  # among the zones of the scene
    bounds: i64
    run: i64  # where its evaluator is
    slots: i64
    widest: i64
    by_acceleration: i64
    unit: f64
    z: f64p


@record
class UserPrograms:
    """The guards that a user gave, in a mode of so many rows."""

    known: i64
    run: i64  # where their evaluator is
    slots: i64
    widest: i64
    z: f64p


@record
class BasePrograms:
    """The unconstrained equations: q̇, M, f; W; and ẋ where nothing holds; with units, and what kernels run."""

    motion: executor
    motion_code: i32p
    motion_z: f64p
    motion_slots: i64
    motion_width: i64
    motion_length: i64
    spread: executor
    spread_code: i32p
    spread_z: f64p
    spread_slots: i64
    side: i64  # addresses of what runs ẋ where nothing holds, and of its code
    side_code: i64
    side_z: f64p
    side_slots: i64
    side_length: i64
    inputs: i64
    turning: i64
    quaternion: i64p
    unit_t: f64
    unit_q: f64p
    unit_u: f64p
    aside: f64p
    size: f64  # √ of the energy of the model
    step: i64  # addresses of kernels, without friction, and with it:
    look: i64
    step_sliding: i64
    look_sliding: i64
    look_freely: i64
    guards: i64
    settle: i64
    judge: i64
    expand: i64
    forces: i64
    expand_sliding: i64
    forces_sliding: i64


@record
class ModeParts:
    """Where the parts of the mode that is laid out begin, as addresses."""

    record: i64  # its `ModeRecord`
    code: i64
    key: i64
    says: i64  # what guards say,
    about: i64  # about what,
    step: i64  # and the steps of zones
    row: i64
    out: i64
    integration: i64
    fresh: i64  # its slots as they are when it begins
    slots: i64  # and those in which it is run
    size: i64  # words of its equations and guards


@record
class ModePrograms:
    """All programs of modes, memory to lay them out in, and what the mode that is laid out consists of."""

    contacts: i64
    laws: i64
    zones: i64
    n_q: i64
    n: i64
    n_rest: i64
    most_rows: i64
    holds: i64  # 1 where constraints hold besides
    user_guards: i64
    scratch: i64  # words of the longest of the records whose arrays are placed
    base: BasePrograms
    mode_arrays: i64p  # placements: of `EmbeddedMode`,
    guard_arrays: i64p  # of `GuardTable`,
    row_arrays: i64p  # of `RowSources`,
    choice_arrays: i64p  # of `SpeedChoice`,
    block_arrays: i64p  # and of `IntegrationBlock`
    constraints: SourcePrograms
    contact: list[ContactPrograms] = array("contacts")
    friction: list[FrictionPrograms] = array("laws")
    watch: list[GuardPrograms] = array(f"{OPEN_FORMS} * contacts + {CLOSED_FORMS} * laws")
    zone: list[ZonePrograms] = array("zones")
    user: list[UserPrograms] = array("most_rows + 2")  # where nothing holds, then by rows
    user_kinds: i64p = array("user_guards")  # where each of a user's guards is armed
    plain: i64p = array("n_q + n + 2")  # integrations of so many states, as a workspace has them,
    most_guards: i64p = array("n_q + n + 2")  # and guards that it has room for
    operations: i64  # of a call of the stepper,
    fewest: i64  # in steps at least
    arrivals: i64
    arena: i64  # memory: where it is,
    room: i64  # words,
    used: i64  # how many are used,
    spare: i64  # and, from the end on, while a mode is laid out;
    wanted: i64  # as many as the longest mode takes,
    scratch_slots: i64  # and slots of the mode that is run, at the end of the memory
    sources: i64  # of the mode that is laid out: sources of rows,
    rows: i64
    rank: i64  # rows that are kept,
    shared: i64  # and those that share their forces
    choice: SpeedChoice = pointer()
    source_slots: i64
    sliders: i64
    slider_slots: i64
    guards: i64
    guard_slots: i64
    widest: i64
    by_acceleration: i64
    source: i64p = array("contacts + 1")  # the contact point of each source,
    held: i64p = array("contacts + 1")  # and how many of its rows are held
    source_of: i64p = array("contacts")  # of each contact point: its source,
    row_of: i64p = array("contacts")  # its first row,
    slider_of: i64p = array("contacts")
    slides: i64p = array("contacts")  # the contact point of each slider
    own: i64p = array("scratch")  # words of a record whose arrays are placed
    parts: ModeParts
    programs: Programs

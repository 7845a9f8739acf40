"""TimeStep: what a time-stepped interval is stepped with, as records: the state, the contacts that are near, notes.

x = (t, q, u, rest); contacts are those of a `Scene`, by their places there.
"""

from __future__ import annotations

from enum import IntEnum

from latchwork.contact.time_stepping.cone_problem import ConeProblem
from latchwork.hybrid.contacts.scene import Scene
from latchwork.hybrid.time_stepping.broad_phase import BroadPhase
from latchwork.hybrid.time_stepping.clearances import Clearances
from latchwork.program.evaluator import Evaluator, Gathered
from latchwork.program.kernel import f64, f64p, i64, i64p
from latchwork.program.records.record import array, pointer, record

HALVINGS = 6  # of a step, at most


class Reason(IntEnum):
    """Why steps came back."""

    DONE = 0
    COARSE = 1  # two halves are to take the place of a step
    FULL = 2  # the page, or as many steps as were asked for
    END = 3
    CALM = 4
    STOPPED = 5  # a stop fell through zero
    AT_REST = 6  # contacts can stop all that moves: is it held?
    NO_ROOM = 7  # more contacts are near than there is room for
    NOT_READY = 8  # the rows of a contact have to be compiled
    CAREFUL = 9  # something has to be given, see `Asked`
    UNLAWFUL = 10  # a coefficient of a contact is out of bounds
    NOT_FINITE = 11
    NOT_MADE = 12  # contact points of pairs that came near have to be made
    USED_UP = 13  # the clearance of a shape may be: pairs that are no contacts may have come near


class Asked(IntEnum):
    """What has to be given at a state where M, or the rows that hold, are close to singular."""

    FREE_MOTION = 0  # P and u̇₀
    PLACE = 1  # x with Φ = 0
    SPEEDS = 2  # x with B u + C = 0


@record
class Given:
    """Answers that were given, each for one state."""

    most: i64
    n: i64
    n_x: i64
    count: i64
    kind: i64p = array("most")  # `Asked` of each, and x where it was asked
    x: f64p = array("most * n_x")
    P: f64p = array("most * n * n")  # P and u̇₀ of FREE_MOTION
    udot: f64p = array("most * n")
    state: f64p = array("most * n_x")  # x of PLACE and SPEEDS


@record
class NearContacts:
    """The contacts that take part in something, their rows J u + C, and what is known of them.

    J has the layout of G in `ConeProblem`, whose blocks are branches here: those that a contact touches, and entries
    for their speeds.
    """

    most_contacts: i64
    most_rows: i64
    most_entries: i64
    contacts: i64
    rows: i64
    who: i64p = array("most_contacts")  # places in the scene
    first: i64p = array("most_contacts")  # the normal row of each
    tangents: i64p = array("most_contacts")
    J: f64p = array("most_entries")
    C: f64p = array("most_rows")
    v: f64p = array("most_rows")
    free: f64p = array("most_rows")
    mean: f64p = array("most_rows")
    impulse: f64p = array("most_rows")
    gap: f64p = array("most_contacts")
    e: f64p = array("most_contacts")
    mu: f64p = array("most_contacts")
    unit: f64p = array("most_contacts")  # that rates of joints are measured in here, over that of the model; else 1
    fixed: i64p = array("most_contacts")  # 1 for friction of a joint: its normal row stands for
    one_way: i64p = array("most_contacts")  # 1 where its normal row is about a speed, not a gap
    pull: f64p = array("most_contacts")  # the force of its adhesion while it is closed
    presser: i64p = array("most_contacts")  # who here multiplies its limit by a normal impulse; −1 where nobody does
    limit: f64p = array("most_contacts")  # its limit, with a coefficient of 1; else 0
    turned: i64p = array("most_contacts")  # 1 where friction is to act against the mean velocity
    cones: ConeProblem = pointer()


@record
class TimeStep:
    """A time-stepped interval: programs, settings, the state reached, and the page that steps are written on."""

    n_x: i64
    n_q: i64
    n: i64
    held: i64  # rows that hold
    contacts: i64  # places of the scene
    zones: i64
    stops: i64
    fours: i64  # quaternions
    blocks: i64  # of speeds that are coupled otherwise than by contacts
    branches: i64  # of all blocks
    n_ways: i64  # speeds on the ways to all speeds
    n_square: i64  # entries of the matrices of all blocks
    n_packed: i64  # and of their lower triangles
    n_spread: i64  # entries of W that are not zero
    most_touched: i64  # branches of one contact
    n_work: i64
    page: i64  # rows there is room for
    still: i64  # 1 where no surface and no constraint moves by itself
    step: f64
    until: f64
    calm_steps: i64  # steps without an impact that are calm; 0 for none
    scene: Scene = pointer()
    broad: BroadPhase = pointer()
    clearances: Clearances = pointer()
    near: NearContacts = pointer()
    given: Given = pointer()
    motion: Gathered  # q̇, M block by block, f, a, b
    spread: Gathered
    energy: Evaluator
    gaps: list[Gathered] = array("contacts")  # of each contact: its gap, and how far inside its bounds it is
    rows: list[Gathered] = array("contacts")  # J over the branches that it touches, and C
    ready: i64p = array("contacts")  # 1 where rows are compiled
    touches: i64p = array("contacts")  # how many branches a contact touches
    touched: i64p = array("contacts * most_touched")
    block_start: i64p = array("blocks + 1")  # where the speeds of a block begin in ``speed``
    square_at: i64p = array("blocks + 1")
    packed_at: i64p = array("blocks + 1")
    branch_start: i64p = array("branches + 1")  # where the speeds of a branch begin in ``speed``
    speed: i64p = array("n")
    way_at: i64p = array("n + 1")  # where the places on the way to each place of ``speed`` begin in ``way``
    way: i64p = array("n_ways")
    row_at: i64p = array("n")  # of a place in ``speed``: where its row of a matrix of its block begins, less its block
    spread_place: i64p = array("n_spread")  # of each entry in W
    held_place: Evaluator
    held_bias: Evaluator
    stop: Evaluator
    zone: list[Evaluator] = array("zones")  # x − bound, for every bound
    zone_place: i64p = array("zones")  # where each stands in the scene
    four: i64p = array("4 * fours")  # where quaternions stand in x
    has_phi: i64p = array("held")
    length: f64  # of the model
    unit: f64p = array("n")  # of the speeds
    # the state
    x: f64p = array("n_x")
    work: f64
    udot: f64p = array("n")  # mean accelerations of the last step
    warm: f64p = array("3 * contacts")  # impulses of the last step
    before: f64p = array("contacts")  # gaps at x
    inside: f64p = array("contacts")  # and how far inside its domain each feature is
    measured: i64  # 1 where they are known
    most_energy: f64  # the largest kinetic energy so far
    depth: i64  # parts of a step that are still to be taken
    open: i64  # 1 where a step is under way
    part: f64p = array("16")  # how long each is
    halvings: i64p = array("16")  # and how often it may be halved
    stop_before: f64p = array("stops")
    stop_now: f64p = array("stops")
    # notes
    impacts: i64
    calm: i64  # steps since the last impact
    lost: f64  # energy that smooth motion lost by the step itself: booked as work
    kept: f64  # and that it would have gained: taken from all speeds
    off: f64  # by how much contact laws were not met
    deepest: f64
    filled: i64
    page_t: f64p = array("page")
    page_x: f64p = array("page * (n_q + n + 1)")  # q, u, work
    page_rates: f64p = array("page * n_q")  # q̇ at the start of each step
    page_mode: i64p = array("2 * page")  # two numbers of each set of closed contacts with how each stands
    # M, P and u̇₀ at a state
    moved: f64p = array("n_q + n_packed + 2 * n + 1")  # q̇, M, f, a, b
    packed: f64p = array("n_packed")  # M of which the inverse is known
    known: i64  # 1 where it is
    regular: i64  # 1 where M has an inverse
    M: f64p = array("n_square")  # block by block, as all of these
    M_inverse: f64p = array("n_square")  # where rows hold
    P: f64p = array("n_square")  # where it is not the inverse of M
    Z: f64p = array("n_square")  # P = Z Zᵀ, below the diagonal, along the ways
    dense: i64  # 1 where P is there, 0 where it is the inverse of M and Z stands for it
    unit_push: f64p = array("n")  # Zᵀ x
    column: i64p = array("n")  # of each place of ``speed`` in the rows of a contact
    free: f64p = array("n")  # u̇₀
    asked: i64
    asked_x: f64p = array("n_x")
    # rows that hold
    B: f64p = array("held * n")
    held_out: f64p = array("held * (n + 2)")
    held_c: f64p = array("held")
    held_right: f64p = array("held")
    # one step
    listed_now: i64p = array("contacts")  # whether a contact is a candidate of the broad phase
    real: i64p = array("contacts")
    mode: i64p = array("contacts")  # `State` of each
    impulses: f64p = array("3 * contacts")
    penetration: f64p = array("contacts")  # p: impulses that take it out
    rates: f64p = array("n_q")
    middle: f64p = array("n_x")
    moved_x: f64p = array("n_x")
    trial: f64p = array("n_x")
    mean: f64p = array("n")
    u_mean: f64p = array("n")
    change: f64p = array("n")
    shift: f64p = array("n")
    push: f64p = array("n")
    row: f64p = array("n")
    W: f64p = array("n_spread")
    value: f64p = array(1)
    work_of_step: f64
    off_of_step: f64
    out: f64p = array("n_work")

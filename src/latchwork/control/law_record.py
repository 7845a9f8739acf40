"""The memory of a law in a mode: its program, the entries of G and J, presses, cones, and workspace.

Inputs are counted by ρ = W^(−1/2) r throughout, so that least ‖r‖_W is least ‖ρ‖.
"""

from __future__ import annotations

from latchwork.program.evaluator import Evaluator
from latchwork.program.kernel import f64p, i64, i64p
from latchwork.program.records.record import array, pointer, record

CUTS = 24  # planes that a cone in space is cut by, at most


@record
class Law:
    """A law in a mode. Its program of (t, q, u, rest) gives entries of G and J, then what stands at ``at_...``."""

    program: Evaluator = pointer()
    n: i64
    p: i64  # inputs
    k: i64  # rows of motion
    presses: i64  # of force
    memory: i64
    rows: i64  # of the mode
    cones: i64
    slides: i64  # 1 where forces do not lie along the rows kept
    bounded: i64
    by_force: i64  # 1 where a generalized force on every speed is wanted, not accelerations
    slots: i64
    width: i64
    wide: i64  # the larger of p and k
    most_cuts: i64
    columns: i64  # p + most_cuts
    limits: i64  # planes and bounds, at most
    stack: i64  # most_cuts + k + presses + p
    most: i64  # the largest of stack, columns, rows and n
    work_words: i64
    unknowns: i64  # inputs that the law does not know of
    entries_G: i64
    entries_J: i64
    at_wanted: i64
    at_targets: i64
    at_rates: i64
    at_bounds: i64
    at_cones: i64
    cuts: i64  # planes just now
    left: i64  # what motion and force leave free: rows of ``basis``
    lost_motion: i64  # 1 where motion that could be had cannot be commanded; what gives way
    lost_force: i64
    at_bound: i64  # 1 where inputs are at their bounds, and where forces are at the edge of cones
    at_edge: i64
    dependent: i64  # 1 where outputs depend on each other
    singular: i64  # 1 where the command is a limit along the branch of motion
    place: i64p = array("p")
    unknown: i64p = array("unknowns")
    kept: f64p = array("unknowns")
    G_input: i64p = array("entries_G")
    G_speed: i64p = array("entries_G")
    J_row: i64p = array("entries_J")
    J_speed: i64p = array("entries_J")
    reads: i64p = array("n")  # 1 where the effect on a speed is needed
    every: i64p = array("n")  # 1 for all of them
    present: i64p = array("presses")  # 1 where what is pressed on holds in this mode
    source: i64p = array("memory")  # the press whose force each memory follows
    speed: i64p = array("presses")  # on which its generalized force acts; −1 where it is a multiplier
    pressed: f64p = array("presses * rows")  # how its force is made of multipliers
    cone_row: i64p = array("3 * cones")  # rows of its normal and tangents; −1 where there is none
    cone_value: i64p = array("cones")  # which of the given cones it is
    weight: f64p = array("p")  # W^(1/2)
    z: f64p = array("slots")
    out: f64p = array("width")
    udot: f64p = array("n")
    lam: f64p = array("rows")
    dropped: i64p = array("k")  # 1 where the mode holds an output
    G: f64p = array("n * p")  # W^(1/2) in it, as in U and V
    effect: f64p = array("n * p")  # U
    force: f64p = array("rows * p")  # V
    along: f64p = array("n * k")  # Jᵀ, and what forces along it do
    along_effect: f64p = array("n * k")
    block: f64p = array("n * wide")
    spare: f64p = array("rows * wide")
    J: f64p = array("k * n")
    chol: f64p = array("n * n")
    half: f64p = array("k * n")  # L⁻¹ Jᵀ by rows, M = L Lᵀ
    metric: f64p = array("k * k")
    A: f64p = array("k * p")
    b: f64p = array("k")
    cost: f64p = array("k")  # what cancels in b
    press_A: f64p = array("presses * p")
    press_b: f64p = array("presses")
    C: f64p = array("k * k")
    cut_A: f64p = array("most_cuts * p")
    cut_b: f64p = array("most_cuts")
    active_A: f64p = array("most_cuts * p")
    active_b: f64p = array("most_cuts")
    side: i64p = array("columns")
    rho: f64p = array("columns")
    low: f64p = array("columns")
    high: f64p = array("columns")
    F: f64p = array("stack * columns")
    basis: f64p = array("p * p")
    turned_basis: f64p = array("p * p")
    right: f64p = array("most")
    x: f64p = array("most")
    tau: f64p = array("most")
    turned: f64p = array("most")
    order: f64p = array("most")
    work: f64p = array("work_words")
    part: f64p = array("p")
    plain: f64p = array("p")  # ρ without limits
    limit_of: i64p = array("limits")  # the input, or p and the number of the plane
    limit_G: f64p = array("limits * p")
    limit_h: f64p = array("limits")
    limit_E: f64p = array("limits * (p + 1)")
    limit_F: f64p = array("limits * (p + 1)")
    limit_c: f64p = array("p + 1")
    limit_u: f64p = array("limits")
    limit_free: i64p = array("limits")
    limit_z: f64p = array("limits")
    limit_r: f64p = array("limits + p + 1")
    limit_part: f64p = array("limits")
    limit_tau: f64p = array("limits")
    limit_order: f64p = array("limits")
    limit_turned: f64p = array("limits")
    beside: f64p = array("p + memory")  # commands at places beside a singular position,
    nearest: f64p = array("p + memory")  # and the mean of the two nearest

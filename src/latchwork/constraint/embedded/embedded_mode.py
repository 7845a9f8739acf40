"""EmbeddedMode: the memory of a mode as a record, so that one kernel serves every mode (laid out by `layout`).

Its inputs t, x = (q, u_ind, work) and ``rest`` lie in front, as in the slots of any program; behind its arrays is
the record of the guards that watch it.
"""

from __future__ import annotations

from latchwork.constraint.embedded.slider import SliderRecord
from latchwork.constraint.row_sources import RowSource
from latchwork.program.kernel import executor, f64, f64p, i32p, i64, i64p, solver
from latchwork.program.records.record import array, record

UNKNOWN = -1.0  # of a gap: it has not been looked at


@record
class Notes:
    """What is called; then what is known of the last evaluation, and of the run."""

    motion_run: executor
    spread_run: executor
    guard_run: executor
    largest_d: f64  # of D where speeds are measured by their kinetic energy
    pivot: f64  # the least of B1
    usual_pivot: f64
    least_pivot: f64
    corrections: f64
    longest_step: f64  # of corrections
    residual: f64  # of Φ before corrections
    limit_d: f64
    limit_pivot: f64
    floor: f64
    solve_run: solver
    gap: f64  # between circuits; see `circuit`
    side: f64  # the sign of det B1
    unresolved: f64


@record
class EmbeddedMode:
    """Rows kept, speeds chosen, programs, and workspace of a mode."""

    time: f64p = array("1", front=True)
    x: f64p = array("n_q + k + 1", front=True)  # (q, u_ind, work)
    rest: f64p = array("n_rest", front=True)
    n_q: i64
    n: i64
    rows: i64
    m: i64  # dependent speeds, and rows kept
    k: i64  # independent speeds
    n_rest: i64
    moving: i64  # 1 where constraints do work
    turning: i64  # quaternions
    notes: Notes
    motion_code: i32p  # of programs of (t, q, u, rest)
    spread_code: i32p
    sources: i64
    source_slots: i64
    n_found: i64
    motion_slots: i64
    spread_slots: i64
    n_motion: i64
    n_settings: i64
    n_scratch: i64
    kept: i64p = array("m")
    dep: i64p = array("m")
    ind: i64p = array("k")
    still: i64p = array("rows")  # 1 where a row has a Φ, and twice the number of its constraint
    quaternion: i64p = array("4 * turning")  # places in q
    unit_t: f64  # one of time, of each coordinate, and of each speed times that of time: see `Base.units`
    unit_q: f64p = array("n_q")
    unit_u: f64p = array("n")
    weight: f64p = array("n")  # of the speeds
    source: list[RowSource] = array("sources")
    source_z: f64p = array("source_slots")
    found: f64p = array("n_found")  # Φ, B, C and c of all rows that sources give, held or not
    motion_z: f64p = array("motion_slots")
    spread_z: f64p = array("spread_slots")
    place: f64p = array("rows * (n + 2)")  # Φ, B, C
    bias: f64p = array("rows")  # c
    motion: f64p = array("n_motion")  # q̇, M, f, and the power
    spread: f64p = array("n_q * n")  # W
    B1: f64p = array("m * m")  # its factors
    order: f64p = array("m")
    D: f64p = array("m * k")
    u: f64p = array("n")
    udot: f64p = array("n")
    gamma: f64p = array("n")
    mass: f64p = array("n * n")
    MT: f64p = array("n * k")
    temp: f64p = array("n + m")
    step: f64p = array("n")
    multiplier: f64p = array("rows")  # λ
    result: f64p = array("n_q + 2 * n + 3")  # (q̇, u, u̇, power)
    total: f64p = array("n_q + 2 * n + 1")
    saved: f64p = array("n_q")
    typical: f64p = array("rows")  # largest entries of rows
    course: f64p = array("n")
    length: f64p = array("rows")  # of rows, in the kinetic metric
    row_unit: f64p = array("m")
    speed_unit: f64p = array("m")
    last: f64p = array("n_q")
    now: f64p = array("n_q")
    high: f64p = array("n_q")
    four: f64p = array("n_q")
    beside: f64p = array("6 * (rows + 1)")
    settings: f64p = array("n_settings")  # of a solver
    scratch: f64p = array("n_scratch")
    sliding: i64  # n where forces do not lie along the rows kept, else 0; see `sliding`
    shared: i64
    sliders: i64
    slider_slots: i64
    lost: i64p = array("shared")  # redundant rows
    slider: list[SliderRecord] = array("sliders")
    slider_z: f64p = array("slider_slots")
    friction: f64p = array("sliders * (2 * n + 1)")  # E, or g, N1, N0
    share: f64p = array("shared * (m + 1)")  # [R c]
    force_rows: f64p = array("rows * sliding")  # G
    full: f64p = array("n * sliding")  # M'
    push: f64p = array("sliding")  # f'
    system: f64p = array("n * sliding")
    exchanged: f64p = array("sliding")
    answer: f64p = array("sliding")
    guards: f64p = array(...)  # the record of those that watch it

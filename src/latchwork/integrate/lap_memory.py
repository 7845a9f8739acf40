"""What machine code knows of a problem that is run again and again, as records; see `again`."""

from __future__ import annotations

from latchwork.program.kernel import f64, f64p, i64, i64p
from latchwork.program.records.record import pointer, record


@record
class DeskMemory:
    """Rows of a page, and what steppers are given that work on it."""

    room: i64  # rows
    free: i64  # the first that nobody keeps
    wide: i64  # bytes of one
    t_at: i64  # where t, x, ẋ and bend are
    x_at: i64
    dx_at: i64
    bend_at: i64
    counts: i64p
    states: i64
    state: f64p
    rows_at: i64  # where steppers take the rows
    fixed: i64  # whether steps are
    step: f64  # the longest one, or the fixed one


@record
class LapMemory:
    """A problem: who steps, and with which words; who begins, and with which; the desk, and the run on it."""

    runs: i64
    run: i64p
    begins: i64
    start: i64p
    desk: DeskMemory = pointer()
    first: i64  # rows of this run
    last: i64
    made: i64  # fixed steps
    began: f64
    guards: i64
    hit: i64p  # those that took part
    follows: i64  # changes that are known: how many, and where
    following: i64p
    arrived: i64  # of which arrivals it is
    most: i64  # steps of a call

"""Flow without Python: a run that goes on by itself, in machine code and as C, keeping nothing of its past.

What `flow` comes back for is done here as far as kernels can: rows of the past are given up where a page is full, modes
are forgotten where there is no room for another, equations are written in other speeds where they ask for it. A run
ends at a time, or with the reason why it cannot go on.
"""

from __future__ import annotations

from enum import IntEnum

from latchwork.hybrid.flow import (
    NOT_YET,
    Flow,
    asks,
    change_at_once,
    change_mode,
    enter_mode,
    find_or_lay_out,
    flow,
    full_state,
    lay_out_next,
    write_key,
)
from latchwork.hybrid.mode_layout.mode_record import ModeRecord
from latchwork.integrate.integration import Integration
from latchwork.integrate.status import Status
from latchwork.integrate.step import evaluate
from latchwork.integrate.stepper import look, put_rest, recorded
from latchwork.program.kernel import f64, i64, i64p_at, kernel, offset
from latchwork.program.records.view import record_at


class Halt(IntEnum):
    """Why a run that has no Python beside it cannot go on; the numbers up to 8 are those of the stepper's `Status`."""

    ASKED = 20  # a guard fell that only Python can answer
    RESET = 21  # the reset has no answer: no lawful force, or one that takes symbols
    NO_MODE = 22  # a mode cannot be laid out: rows that are neither clearly independent nor clearly redundant
    NO_TIME = 23  # contacts change again and again at one instant


@kernel
def give_up_rows(integration: Integration) -> None:
    """The rows of the past are given up: where the steps stand is the first row."""
    integration.page.free, integration.first, integration.last = 0, 0, 0
    recorded(integration, 0)


@kernel
def take_inputs(run: Flow) -> i64:
    """ẋ and guards anew where the run stands, with the inputs as they are now: the status of `look`."""
    integration = record_at(ModeRecord, i64p_at(run.table[run.mode]), 0).block.integration
    t, n, x = integration.control.t, integration.n, integration.x
    put_rest(integration, run.rest)
    evaluate(integration.equations, n, t, x, offset(x, n))
    return look(integration, t, 0)


@kernel
def lay_out_again(run: Flow) -> i64:
    """The next mode, after all others are forgotten: its place, −1 where it cannot be laid out."""
    run.modes, run.programs.used = 0, 0
    return find_or_lay_out(run)


@kernel
def change_speeds(run: Flow, mode: ModeRecord, t: f64) -> i64:
    """Go on in other speeds, chosen where the run stands; 0 where there are none."""
    integration = mode.block.integration
    grid, n = integration.control.grid, run.n_q + run.n_u
    if full_state(run, mode, t, integration.x) == 0:
        return 0
    for i in range(n):
        run.state[i] = run.x[1 + i]
    run.state[n] = integration.x[integration.n - 1]
    write_key(run)
    mode.hash = -1
    found = lay_out_next(run)
    if found < 0:
        found = lay_out_again(run)
    if found < 0:
        return 0
    record_at(ModeRecord, i64p_at(run.table[found]), 0).block.integration.page.free = 0
    enter_mode(run, found, t, grid, 1)
    return 1 if run.begun == Status.FULL else 0


@kernel
def begin_next(run: Flow, t: f64, grid: f64) -> i64:
    """Begin the mode after the last change, which `change_mode` could not: FULL, EVENT where guards fall at once, or
    the reason why it does not begin."""
    while True:
        found, is_new = run.mode, 0
        if run.note[run.changes - 1].after < 0:
            found, is_new = lay_out_again(run), 1
            if found < 0:
                run.begun = Halt.NO_MODE
                break
        record_at(ModeRecord, i64p_at(run.table[found]), 0).block.integration.page.free = 0
        if run.begun == NOT_YET:
            enter_mode(run, found, t, grid, is_new)
        if run.begun != Status.EVENT or change_at_once(run, t) == 1 or run.begun == Status.EVENT:
            break
    return run.begun


@kernel
def go_on(run: Flow, until: f64) -> i64:
    """One flow, and what it came back for: FULL or EVENT where another follows, END at the time, else why none does."""
    grid = record_at(ModeRecord, i64p_at(run.table[run.mode]), 0).block.integration.control.grid
    status = flow(run, until)
    mode, t = record_at(ModeRecord, i64p_at(run.table[run.mode]), 0), run.reached
    if run.changes > 0 and run.begun != Status.FULL:
        return begin_next(run, t, grid)
    if status == Status.FULL:
        give_up_rows(mode.block.integration)
    elif status == Status.REWRITE:
        status = Status.FULL if change_speeds(run, mode, t) == 1 else Halt.NO_MODE
    if status != Status.EVENT:
        return status
    if asks(run, mode) == 1:
        return Halt.ASKED
    if run.changes == run.allowed:
        return Status.EVENT
    if t < until:
        return Halt.RESET
    run.changes = 0
    if change_mode(run, mode, t) == 1:
        return Status.FULL
    return begin_next(run, t, grid) if run.changes > 0 else Halt.RESET


@kernel
def advance_alone(run: Flow, until: f64) -> i64:
    """Flow until a time, with the inputs in ``run.rest``: END, with the state in ``run.x``; else why it stopped."""
    status, instant, at_once = take_inputs(run), run.reached, 0
    while status != Status.END:
        if status != Status.FULL and status != Status.EVENT:
            return status
        run.ended = 1 if status == Status.EVENT else 0
        status = go_on(run, until)
        at_once = at_once + run.changes if run.reached == instant else 0
        instant = run.reached
        if at_once > run.most:
            return Halt.NO_TIME
    mode = record_at(ModeRecord, i64p_at(run.table[run.mode]), 0)
    return Status.END if full_state(run, mode, run.reached, mode.block.integration.x) == 1 else Halt.NO_MODE

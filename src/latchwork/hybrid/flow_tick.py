"""A tick as one kernel: a fixed step of a flow with other inputs, through all changes of mode that happen in it.

It is made whole, or not at all: where Python is asked for something, what it has done so far is forgotten.
"""

from __future__ import annotations

from latchwork.hybrid.autonomous_flow import take_inputs
from latchwork.hybrid.flow import Flow, change_at_once, flow, flow_on, full_state
from latchwork.hybrid.mode_layout.mode_record import ModeRecord
from latchwork.integrate.status import Status
from latchwork.integrate.step import copy
from latchwork.integrate.stepper import recorded
from latchwork.program.kernel import counter, f64, f64p, i64, i64p_at, kernel, offset
from latchwork.program.native import together
from latchwork.program.records.view import record_at


@kernel
def expanded_state(run: Flow, mode: ModeRecord) -> None:
    """(q, u, work) of the states in which a mode stands, as a step has left them."""
    integration, n_q, n_u, out = mode.block.integration, run.n_q, run.n_u, mode.out
    equations, n, x, u = integration.equations, integration.n, integration.x, offset(integration.x, n_q)
    if mode.embedded == 1:
        equations.slots[0] = integration.control.t
        copy(n, x, offset(equations.slots, 1))
        mode.expand(equations.code, equations.slots, out)
        u = out
    copy(n_q, x, run.state)
    copy(n_u, u, offset(run.state, n_q))
    run.state[n_q + n_u] = x[n - 1]


@kernel
def settled_state(run: Flow, mode: ModeRecord) -> None:
    """(q, u, work) of the states in which a mode stands, settled as where a run ends."""
    integration, n = mode.block.integration, run.n_q + run.n_u
    run.belongs = full_state(run, mode, integration.control.t, integration.x)
    copy(n, offset(run.x, 1), run.state)
    run.state[n] = integration.x[integration.n - 1]


@kernel
def change_where_it_begins(run: Flow, t: f64, rest: f64p) -> i64:
    """The changes where guards have fallen at the state (q, u, work) from which a tick begins: see `change_at_once`."""
    n = run.n_q + run.n_u
    run.x[0], run.begun = t, Status.EVENT
    copy(n, run.state, offset(run.x, 1))
    copy(run.n_rest, rest, offset(run.x, 1 + n))
    return change_at_once(run, t)


@kernel
def tick(run: Flow, rest: f64p) -> i64:
    """One fixed step on from where a mode stands, with these inputs: END where it was made, with the state (q, u, work)
    and the changes on the way; REWRITE where the equations ask for other speeds at its end; FULL where it was not."""
    mode = record_at(ModeRecord, i64p_at(run.table[run.mode]), 0)
    integration, control = mode.block.integration, mode.block.integration.control
    run.changes, run.begun, run.began, run.ended, run.belongs, run.rest = 0, Status.FULL, counter(), 0, 1, rest
    control.t = control.origin + float(control.made) * control.step
    until = control.origin + float(control.made + 1) * control.step
    integration.last, run.reached = integration.first, control.t
    status = take_inputs(run)
    recorded(integration, integration.first)
    if status == Status.EVENT:
        status = Status.FULL if change_where_it_begins(run, control.t, rest) == 1 else Status.EVENT
    if status == Status.FULL:
        status = flow_on(run, until)
    run.done = counter()
    if run.reached != until or (status != Status.END and status != Status.REWRITE):
        return Status.FULL
    mode = record_at(ModeRecord, i64p_at(run.table[run.mode]), 0)
    if run.changes > 0:
        settled_state(run, mode)
    else:
        expanded_state(run, mode)
    return status


together(flow, tick)

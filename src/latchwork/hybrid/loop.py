"""The loop of a run: flow until a guard falls, reset, flow on.  [Patoglu Fig. 4]

A step of the loop takes the simulation from one state to the next: it is assigned where a change is whole, so that an
error leaves the simulation where the last whole step did.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.constraint.residuals import are_dependent
from latchwork.errors import EvaluationError, IntegrationError
from latchwork.hybrid.audit import Auditing, entry, judge
from latchwork.hybrid.closed_loop import ControlledDynamics
from latchwork.hybrid.contacts.friction import forces_in
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings
from latchwork.hybrid.controllers import looked
from latchwork.hybrid.event import Events, RunEvent
from latchwork.hybrid.horizon import flow_to, horizon, joined, jumped
from latchwork.hybrid.interference.rollback import go_back, keep_watch, must_not_pass
from latchwork.hybrid.interference.watch import Passed
from latchwork.hybrid.interrupted import interruptible
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.mode_integration import Broken, Departed, FlowResult, is_ours
from latchwork.hybrid.modes import enumerate_modes, mode_at
from latchwork.hybrid.online import fire, follow_inputs, release
from latchwork.hybrid.online_contacts import bounds_entered, fetched
from latchwork.hybrid.partial_run import explained_error, with_run
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.prefetch import prepare_successors
from latchwork.hybrid.reset import reset
from latchwork.hybrid.row_inputs import next_jump
from latchwork.hybrid.rules import Watched
from latchwork.hybrid.smooth_flow import run_smooth
from latchwork.hybrid.start import chosen_method, seconds, times_of
from latchwork.hybrid.state import SimState
from latchwork.hybrid.stepper_flow import Call, FlowSetup, counted, flow_by_steps, flow_setup, grid_of
from latchwork.hybrid.stops import stops_of
from latchwork.hybrid.table import Array
from latchwork.hybrid.time_stepping.interval import step_through
from latchwork.integrate.methods import Method
from latchwork.integrate.problem import StateScales
from latchwork.integrate.status import Status
from latchwork.integrate.stiffness import Stiffness, stiffness_of
from latchwork.program.interrupt import interrupted

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

NEAR = "near "  # a guard of this name, and that of the contact, falls where a bound is entered


@interruptible
def advance(sim: Simulation, until: Any, stop_when: Mapping[str, Any] | None, samples: Any, method: Method | None,
            audit: Auditing) -> Events:  # fmt: skip
    """Run until a time, or until the first of ``stop_when`` falls through zero; gives the events on the way."""
    seen, t_end = len(sim.record.events), seconds("until", until)
    if not (np.isfinite(t_end) and t_end >= sim.state.t):
        raise EvaluationError(f"a run at t = {sim.state.t:.6g} cannot be advanced to {until}. Give a later time.")
    if samples is not None:
        samples = np.atleast_1d(times_of(samples, "the samples of a run"))
        if samples.ndim != 1:
            raise EvaluationError(f"the samples of a run are {samples.ndim} deep. Give a list of times.")
    sim.world.ahead.wait()
    sim.stepper = None
    try:
        run(sim, t_end, stops_of(stop_when), samples, method, audit)
    except IntegrationError as error:
        raise with_run(sim, error) from None
    return Events(sim.record.events[seen:])


def run(sim: Simulation, t_end: float, asked: Mapping[str, Any], samples: Array | None, method: Method | None,
        audit: Auditing) -> None:  # fmt: skip
    """Flow, reset, and flow on, until a time, or until the first of some conditions falls through zero."""
    since = None if audit == "off" else entry(sim)
    step: float | None = getattr(method, "step", None)
    grid = sim.state.t if step is None else grid_of(sim.state, step)
    crossings = Crossings(sim.equations.name, sim.mode_table.base.scales.time)
    call = Call(method or chosen_method(sim.state.stiffness), samples, crossings, grid)
    if step is not None:
        sim.state = sim.state.but(grid=(grid, step))
    fetch(sim, bounds_entered(sim.state))
    passed, limit, first, onward, reached = None, t_end, len(sim.record.segments), set[int](), None
    while (sim.state.t < t_end or sim.state.rules.pending) and not interrupted():
        jump, row = decide_contacts(sim, passed)
        passed, waiting = None, sim.state.waiting
        stops = {**asked, **{NEAR + name: late.gap for name, late in waiting.items()}} if waiting else asked
        if sim.state.event_rate.is_thick:
            if step_through(sim, t_end, stops):
                break
            continue
        enumerate_modes(sim, stops)
        x = sim.state.row if row is None else row
        mode = mode_at(sim, stops, x)
        if mode is None:
            continue
        dynamics, guards = mode
        if sim.state.controllers.is_due(sim.state.t):
            sim.state = looked(sim, dynamics)
            continue
        if isinstance(dynamics, ControlledDynamics):
            sim.state = sim.state.but(rest=dynamics.commanded(sim.state.t, sim.state.x, sim.state.rest))
            x = sim.state.row
        limit = min(_next_limit(sim, limit if sim.state.t < limit else t_end), jump,
                    sim.state.controllers.next_time(sim.state.t, call.grid, step))  # fmt: skip
        values = dynamics.look(sim.state.t, sim.state.x, x[len(sim.state.x) :])
        if pass_at_once(sim, call.crossings, dynamics, guards, values):
            continue
        rule = due(sim, guards, values)
        if rule is not None:
            if _fire(sim, rule):
                break
            continue
        if sim.state.t >= t_end:
            break
        if method is None and sim.state.stiffness is None:
            sim.state = sim.state.but(stiffness=stiffness_in(sim, dynamics))
            call.method = chosen_method(sim.state.stiffness)
        until = horizon(sim, step, call.grid, limit)
        if until is None:
            continue
        sim.record.note_backs(sim.state)
        ready = flow_setup(sim, dynamics, stops, x)
        if sim.state.x is reached:
            onward.add(len(sim.record.segments))
        prepare_successors(sim, guards, stops, values)
        keep_watch(sim, x)
        try:
            result = flow_to(sim, until, samples, partial(_run, sim, call, dynamics, guards, stops, ready))
            must_not_pass(sim, result.segments if result is not None else (), samples is None)
        except Passed as found:
            limit = go_back(sim, found)
            continue
        except Departed as error:
            if not sim.state.contacts.closed:
                raise explained_error(sim, call.method, error) from None
            limit = _depart(sim, call, error)
            continue
        except Broken as error:
            if not has_no_forces(sim, dynamics, error):
                raise explained_error(sim, call.method, error) from None
            sim.state = sim.state.but(event_rate=sim.state.event_rate.without_events())
            continue
        finally:
            sim.world.ahead.wait()
        if result is None:
            continue
        if sim.state.driven.columns and result.end < min(t_end, jump):
            result = jumped(sim.state, result)
        sim.went(result.segments, result.x)
        sim.state = sim.state.but(standing=(result.dynamics, result.x))
        if isinstance(result.dynamics, ControlledDynamics):  # what a reset decides by acts now
            sim.state = sim.state.but(rest=result.dynamics.commanded(sim.state.t, result.x, sim.state.rest))
        reached = None if result.hit else result.x
        sim.record.worked("integrate", result.dynamics.names, result.t, result.began)
        if not (sim.state.rules or stops):
            passed = _pass(sim, call.crossings, result.dynamics, result.hits)
        elif _pass_all(sim, call, result.dynamics, result.hits, asked):
            break
        if isinstance(result.dynamics, ControlledDynamics) and sim.state.x is not result.x:
            passed, sim.state = None, _commanded_after(sim.state, result.dynamics)
    if sim.state.driven.columns:
        sim.record.segments[first:] = joined(sim.record.segments, first, onward)
    if since is not None:
        judge(sim, since, call.method, audit)


def decide_contacts(sim: Simulation, row: Array | None = None) -> tuple[float, Array | None]:
    """See which contacts are watched where a run stands, and decide those that are not decided; the time of the next
    jump of inputs that is known, and the row (t, q, u, rest) after it all, where it is known as it was before."""
    sim.state = sim.world.seen(sim.state)
    jump = _follow_inputs(sim)
    if not (sim.state.settled or sim.state.event_rate.is_thick):
        row = _reset(sim, (), {}, sim.state.begun)
        sim.state = sim.world.seen(sim.state)
    return jump, row


def has_no_forces(sim: Simulation, dynamics: ModeDynamics, error: Broken) -> bool:
    """Whether a mode cannot begin since rows of its contacts depend on each other just there, as where a load passes
    from one thing to another that is flush with it; then the run is stepped from there, where that may be."""
    rate = sim.state.event_rate
    return (error.reason is Status.NO_NUMBER and not error.segments and isinstance(dynamics, Recombined)
            and bool(sim.state.contacts.closed) and rate.settings is not None and not rate.stuck
            and are_dependent(dynamics.mode, sim.state.row))  # fmt: skip


def stiffness_in(sim: Simulation, dynamics: ModeDynamics) -> Stiffness:
    """How stiff the equations of a mode are where the run stands."""
    time, units, _ = sim.mode_table.integrations.scales
    scales = StateScales(time, dynamics.reduced(np.asarray(units)))
    return stiffness_of(dynamics.function, sim.state.t, dynamics.reduced(sim.state.x), sim.state.held, scales)


def _run(sim: Simulation, call: Call, dynamics: ModeDynamics, guards: Guards, stops: Mapping[str, Any],
         ready: FlowSetup, until: float, whole: bool) -> FlowResult | None:  # fmt: skip
    """Flow from where the run stands, by steps of our own or by those of another method."""
    if is_ours(call.method):
        return flow_by_steps(sim, call, call.method, dynamics, guards, stops, ready, until, whole)
    return run_smooth(sim, call, dynamics, guards, ready.longest, until, whole)


def _pass_all(sim: Simulation, call: Call, dynamics: ModeDynamics, hits: Sequence[Guard],
              asked: Mapping[str, Any]) -> bool:  # fmt: skip
    """Go through guards among which are conditions and rules; whether the run ends there."""
    sim.state = sim.state.but(rules=sim.state.rules.hit(hits))
    named = [guard.about for guard in hits if guard.kind == "stop"]
    stopped = [name for name in named if name in asked]
    _stop(sim, stopped)
    changes = [guard for guard in hits if guard.kind not in ("stop", "rule")]
    _pass(sim, call.crossings, dynamics, changes)
    fetch(sim, (name.removeprefix(NEAR) for name in named if name not in asked))
    rule = None if changes else sim.state.rules.first
    return (rule is not None and _fire(sim, rule)) or bool(stopped)


def fetch(sim: Simulation, names: Iterable[str]) -> None:
    """Ask for shapes that were only bounded so far."""
    for name in names:
        before = sim.state.active
        sim.state = fetched(sim.world, sim.state, name)
        sim.record.tell(RunEvent(sim.state.t, name, before, before, kind="near"))


def _follow_inputs(sim: Simulation) -> float:
    """Let speeds follow inputs of rows that have jumped; the time of the next jump that is known."""
    table, state = sim.mode_table, sim.state
    sim.state, changed = follow_inputs(table, state)
    if changed is not None:
        changed.noted(sim.record)
    if not state.driven.equations.r:
        return math.inf
    return next_jump(state.driven, table.inputs_in_rows(state.holds, state.contacts.members), state.t)


def _stop(sim: Simulation, names: Sequence[str]) -> None:
    """Tell of conditions that ended the run."""
    if names:
        t, state = sim.state.t, sim.state
        sim.record.tell(*(RunEvent(t, name, state.active, state.active) for name in names))
        before = state.stopped[1] if state.stopped[0] == t else frozenset()
        sim.state = state.but(stopped=(t, before | {*names}))


def _commanded_after(state: SimState, dynamics: ControlledDynamics) -> SimState:
    """After an impact contacts are decided by what the law commands at the speeds that came of it."""
    rest = dynamics.commanded(state.t, state.x, state.rest)
    return state.but(rest=rest, settled=not state.contacts.members)


# --- rules ------------------------------------------------------------------------------------------------------------


def due(sim: Simulation, guards: Guards, values: Array) -> Watched | None:
    """Look at the rules; the first that is due."""
    state = sim.state
    if not state.rules:
        return None
    begins = not (state.begun or sim.record.events)
    looked = state.rules.look(state.row, sim.mode_table.base, state.told, guards, values, begins)
    sim.state = state.but(rules=looked)
    return sim.state.rules.first


def _fire(sim: Simulation, rule: Watched) -> bool:
    """A rule fires; whether the run stops there."""
    began, before = time.perf_counter(), sim.state.active
    sim.state, event = fire(sim.mode_table, sim.state, rule)
    sim.record.tell(event)
    if sim.record.pending is None:
        sim.record.begin_switch(event.t, before, event.after, began)
    return rule.rule.stop


# --- contacts ---------------------------------------------------------------------------------------------------------


def pass_at_once(sim: Simulation, crossings: Crossings, dynamics: ModeDynamics, guards: Guards, values: Array) -> bool:
    """Pass the guards on forces that are below zero to begin with; whether there were any."""
    hits = [guards[i] for i in guards.on_forces if values[i] < 0.0]
    if hits:
        _pass(sim, crossings, dynamics, hits)
    return bool(hits)


def _pass(sim: Simulation, crossings: Crossings, dynamics: ModeDynamics, hits: Sequence[Guard]) -> Array | None:
    """Go through what was hit: constraints let go at their limits, contacts change. The state after, if known."""
    touched, slips = [], False
    for guard in hits:
        if guard.kind == "limit":
            changed = release(sim.mode_table, sim.state, guard.about)
            sim.state = changed.state
            changed.noted(sim.record)
        else:
            touched.append(guard)
            slips = slips or guard.kind == "slip"
    if not touched:
        return None
    sim.state = state = counted(sim.state, touched, crossings)
    lam = forces_in(dynamics, state.t, state.x, state.held) if slips else {}
    return _reset(sim, touched, lam)


def _reset(sim: Simulation, hits: Sequence[Guard], lam: Mapping[str, Array], tell: bool = False) -> Array | None:
    """From one mode to the next; the row (t, q, u, rest) after it, none where it may only be stepped through."""
    sim.state, notes = reset(sim.world, sim.state, hits, lam, tell)
    notes.noted(sim.state.t, sim.record)
    return notes.row


# --- how far ----------------------------------------------------------------------------------------------------------


def _next_limit(sim: Simulation, limit: float) -> float:
    """The time until which to run: in short steps where shapes may pass unseen."""
    short, t = sim.state.short, sim.state.t
    if short is None or t < short[0]:
        return limit
    if t < short[1]:
        return min(limit, short[1])
    sim.state = sim.state.but(short=None)
    return limit


def _depart(sim: Simulation, call: Call, error: Departed) -> float:
    """Contacts that hold together cannot go on so, as where what grips a thing begins to lift it off the floor: run to
    where they contradict each other, and decide there. Gives the time until which to run next; that is the end again,
    once it is there."""
    t = sim.state.t
    if error.t - t > sim.mode_table.tolerances.blink:
        return t + 0.5 * (error.t - t)
    if sim.state.parted == error.t:
        raise explained_error(sim, call.method, error) from None
    sim.went(error.segments, error.x, error.t)
    sim.state = counted(sim.state.but(parted=error.t, settled=False), (), call.crossings)
    return error.t

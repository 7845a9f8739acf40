"""The loop of a run: flow until a guard falls, reset, flow on.  [Patoglu Fig. 4]

    decide_contacts    what is watched, and how contacts stand where the run stands
    plan_flow          the mode of it, what is due at once, and how far it may flow
    flow_on            flow until then, or until guards fall
    reset_at_end       what follows from the guards that have fallen

A step of the loop takes the simulation from one state to the next: it is assigned where a change is whole, so that an
error leaves the simulation where the last whole step did.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latchwork.constraint.residuals import are_dependent
from latchwork.errors import EvaluationError, IntegrationError
from latchwork.hybrid.audit import Auditing, entry, judge
from latchwork.hybrid.closed_loop import ControlledDynamics
from latchwork.hybrid.contacts.guards import Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings
from latchwork.hybrid.controllers import looked
from latchwork.hybrid.event import Events
from latchwork.hybrid.fallen_guards import (
    NEAR,
    fetch,
    fire_rule,
    look_at_rules,
    pass_at_once,
    pass_guards,
    pass_guards_and_rules,
    reset_contacts,
)
from latchwork.hybrid.horizon import flow_to, joined, jumped, look_around
from latchwork.hybrid.interference.rollback import go_back, keep_watch, must_not_pass
from latchwork.hybrid.interference.watch import Passed
from latchwork.hybrid.interrupted import interruptible
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.mode_integration import Broken, Departed, FlowResult, is_ours
from latchwork.hybrid.modes import enter_mode, enumerate_modes
from latchwork.hybrid.online import follow_inputs
from latchwork.hybrid.online_contacts import bounds_entered
from latchwork.hybrid.partial_run import explained_error, with_run
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.prefetch import prepare_successors
from latchwork.hybrid.row_inputs import next_jump
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


@dataclass(eq=False)
class Course:
    """A call of ``advance`` under way: what was asked for, and what one round of the loop leaves to the next."""

    call: Call
    end: float  # the time until which was asked for
    asked: Mapping[str, Any]  # conditions that end the run
    step: float | None  # of a method with fixed steps
    first: int  # its first segment in the record
    horizon: float  # the time until which to run next: the end, or before it
    chooses: bool  # whether it is left to the run which method it takes
    jump: float = math.inf  # the time of the next jump of inputs that is known
    row: Array | None = None  # (t, q, u, rest) after a reset, where it is known
    reached: Array | None = None  # the state that a flow came to without an event
    onward: set[int] = field(default_factory=set)  # segments that go on from one that no event ended
    is_over: bool = False  # a condition or a rule has ended the run


class PlannedFlow(NamedTuple):
    """A mode that is to be flown in from x = (t, q, u, rest), and how far; its guards and their rates are ``values``
    there."""

    dynamics: ModeDynamics
    guards: Guards
    stops: Mapping[str, Any]
    x: Array
    values: Array
    until: float


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
    course = begin(sim, t_end, asked, samples, method)
    while not course.is_over and (sim.state.t < t_end or sim.state.rules.pending) and not interrupted():
        grid = None if course.step is None else (course.call.grid, course.step)
        course.jump, row = decide_contacts(sim, course.row, grid)
        course.row = None
        stops = stops_here(asked, sim.state)
        if sim.state.event_rate.is_thick:
            course.is_over = step_through(sim, t_end, stops)
            continue
        planned = plan_flow(sim, course, stops, row)
        result = None if planned is None else flow_on(sim, course, planned)
        if result is not None:
            reset_at_end(sim, course, stops, result)
    if sim.state.driven.columns:
        sim.record.segments[course.first :] = joined(sim.record.segments, course.first, course.onward)
    if since is not None:
        judge(sim, since, course.call.method, audit)


def begin(sim: Simulation, t_end: float, asked: Mapping[str, Any], samples: Array | None,
          method: Method | None) -> Course:  # fmt: skip
    """Enter the grid of fixed steps in the state, and ask for shapes whose bounds are entered already."""
    step: float | None = getattr(method, "step", None)
    grid = sim.state.t if step is None else grid_of(sim.state, step)
    crossings = Crossings(sim.equations.name, sim.mode_table.base.scales.time)
    call = Call(method or chosen_method(sim.state.stiffness), samples, crossings, grid)
    if step is not None:
        sim.state = sim.state.but(grid=(grid, step))
    fetch(sim, bounds_entered(sim.state))
    return Course(call, t_end, asked, step, len(sim.record.segments), t_end, method is None)


def stops_here(asked: Mapping[str, Any], state: SimState) -> Mapping[str, Any]:
    """Conditions at which a flow ends: those asked for, and the bounds of shapes that are asked for where they are
    entered."""
    waiting = state.waiting
    return {**asked, **{NEAR + name: late.gap for name, late in waiting.items()}} if waiting else asked


# --- contacts ---------------------------------------------------------------------------------------------------------


def decide_contacts(sim: Simulation, row: Array | None = None,
                    grid: tuple[float, float] | None = None) -> tuple[float, Array | None]:  # fmt: skip
    """See which contacts are watched where a run stands, and decide those that are not decided; the time of the next
    jump of inputs that is known, and the row (t, q, u, rest) after it all, where it is known as it was before."""
    sim.state = sim.world.seen(sim.state, grid)
    jump = follow_jumps(sim)
    if not (sim.state.settled or sim.state.event_rate.is_thick):
        row = reset_contacts(sim, (), {}, sim.state.begun)
        sim.state = sim.world.seen(sim.state, grid)
    return jump, row


def follow_jumps(sim: Simulation) -> float:
    """Let speeds follow inputs of rows that have jumped; the time of the next jump that is known."""
    table, state = sim.mode_table, sim.state
    sim.state, changed = follow_inputs(table, state)
    if changed is not None:
        changed.noted(sim.record)
    if not state.driven.equations.r:
        return math.inf
    return next_jump(state.driven, table.inputs_in_rows(state.holds, state.contacts.members), state.t)


# --- the mode, and how far it may flow --------------------------------------------------------------------------------


def plan_flow(sim: Simulation, course: Course, stops: Mapping[str, Any], row: Array | None) -> PlannedFlow | None:
    """Enter the mode of what holds, and see how far it may flow; none where the state is another one by what was due
    at once: a controller, forces below zero, a rule, another place of a curve."""
    enumerate_modes(sim, stops)
    x = sim.state.row if row is None else row
    mode = enter_mode(sim, stops, x)
    if mode is None:
        return None
    dynamics, guards = mode
    if sim.state.controllers.is_due(sim.state.t):
        sim.state = looked(sim, dynamics)
        return None
    if isinstance(dynamics, ControlledDynamics):
        sim.state = commanded(sim.state, dynamics)
        x = sim.state.row
    next_look = sim.state.controllers.next_time(sim.state.t, course.call.grid, course.step)
    course.horizon = min(limit_short_steps(sim, course), course.jump, next_look)
    values = dynamics.look(sim.state.t, sim.state.x, x[len(sim.state.x) :])
    if pass_at_once(sim, course.call.crossings, dynamics, guards, values) or fire_due_rule(sim, course, guards, values):
        return None
    if sim.state.t >= course.end:
        course.is_over = True
        return None
    choose_method(sim, course, dynamics)
    until = look_around(sim, course.horizon)
    return None if until is None else PlannedFlow(dynamics, guards, stops, x, values, until)


def limit_short_steps(sim: Simulation, course: Course) -> float:
    """The time until which to run: in short steps where shapes may pass unseen, until that is over."""
    short, t = sim.state.short, sim.state.t
    limit = course.horizon if t < course.horizon else course.end
    if short is None or t < short[0]:
        return limit
    if t < short[1]:
        return min(limit, short[1])
    sim.state = sim.state.but(short=None)
    return limit


def fire_due_rule(sim: Simulation, course: Course, guards: Guards, values: Array) -> bool:
    """Fire the first rule that is due, if any is; it may end the run."""
    rule = look_at_rules(sim, guards, values)
    if rule is None:
        return False
    course.is_over = fire_rule(sim, rule)
    return True


def choose_method(sim: Simulation, course: Course, dynamics: ModeDynamics) -> None:
    """Where it is left to the run, and this begins: take the method by how stiff the equations are here."""
    if course.chooses and sim.state.stiffness is None:
        sim.state = sim.state.but(stiffness=stiffness_in(sim, dynamics))
        course.call.method = chosen_method(sim.state.stiffness)


def stiffness_in(sim: Simulation, dynamics: ModeDynamics) -> Stiffness:
    """How stiff the equations of a mode are where the run stands."""
    full = sim.mode_table.integrations.scales
    scales = StateScales(full.time, dynamics.reduced(np.asarray(full.states)))
    return stiffness_of(dynamics.function, sim.state.t, dynamics.reduced(sim.state.x), sim.state.rest_now, scales)


# --- flow -------------------------------------------------------------------------------------------------------------


def flow_on(sim: Simulation, course: Course, planned: PlannedFlow) -> FlowResult | None:
    """Flow as planned, under watch; none where the state was changed, or a nearer time is to be run to instead."""
    sim.record.note_backs(sim.state)
    ready = flow_setup(sim, planned.dynamics, planned.stops, planned.x)
    if sim.state.x is course.reached:
        course.onward.add(len(sim.record.segments))
    prepare_successors(sim, planned.guards, planned.stops, planned.values)
    keep_watch(sim, planned.x)
    try:
        result = flow_to(sim, planned.until, course.call.samples, partial(_flow, sim, course.call, planned, ready))
        must_not_pass(sim, result.segments if result is not None else (), course.call.samples is None)
    except Passed as found:
        course.horizon = go_back(sim, found)
    except Departed as error:
        if not sim.state.contacts.closed:
            raise explained_error(sim, course.call.method, error) from None
        course.horizon = run_to_departure(sim, course.call, error)
    except Broken as error:
        if not has_no_forces(sim, planned.dynamics, error):
            raise explained_error(sim, course.call.method, error) from None
        sim.state = sim.state.but(event_rate=sim.state.event_rate.without_events())
    else:
        return result
    finally:
        sim.world.ahead.wait()
    return None


def _flow(sim: Simulation, call: Call, planned: PlannedFlow, ready: FlowSetup, until: float,
          whole: bool) -> FlowResult | None:  # fmt: skip
    """Flow from where the run stands, by steps of our own or by those of another method."""
    dynamics, guards, stops = planned.dynamics, planned.guards, planned.stops
    if is_ours(call.method):
        return flow_by_steps(sim, call, call.method, dynamics, guards, stops, ready, until, whole)
    return run_smooth(sim, call, dynamics, guards, ready.longest, until, whole)


def has_no_forces(sim: Simulation, dynamics: ModeDynamics, error: Broken) -> bool:
    """Whether a mode cannot begin since rows of its contacts depend on each other just there, as where a load passes
    from one thing to another that is flush with it; then the run is stepped from there, where that may be."""
    rate = sim.state.event_rate
    return (error.reason is Status.NO_NUMBER and not error.segments and isinstance(dynamics, Recombined)
            and bool(sim.state.contacts.closed) and rate.settings is not None and not rate.stuck
            and are_dependent(dynamics.mode, sim.state.row))  # fmt: skip


def run_to_departure(sim: Simulation, call: Call, error: Departed) -> float:
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


# --- reset ------------------------------------------------------------------------------------------------------------


def reset_at_end(sim: Simulation, course: Course, stops: Mapping[str, Any], result: FlowResult) -> None:
    """The run has flowed so far: take its state over, and do what follows from the guards that have fallen there."""
    if sim.state.driven.columns and result.end < min(course.end, course.jump):
        result = jumped(sim.state, result)
    dynamics, hits = result.dynamics, result.hits
    sim.went(result.segments, result.x)
    sim.state = sim.state.having_slept(result.sleeping).but(standing=(dynamics, result.x))
    if isinstance(dynamics, ControlledDynamics):  # what a reset decides by acts now
        sim.state = commanded(sim.state, dynamics)
    course.reached = None if result.hit else result.x
    sim.record.worked("integrate", dynamics.names, result.t, result.began)
    if not (sim.state.rules or stops):
        course.row = pass_guards(sim, course.call.crossings, dynamics, hits)
    elif pass_guards_and_rules(sim, course.call.crossings, dynamics, hits, course.asked):
        course.is_over = True
        return
    if isinstance(dynamics, ControlledDynamics) and sim.state.x is not result.x:
        # contacts are decided by what the law commands at the speeds that came of an impact
        course.row, state = None, commanded(sim.state, dynamics)
        sim.state = state.but(settled=not state.contacts.members)


def commanded(state: SimState, dynamics: ControlledDynamics) -> SimState:
    """With the inputs that a law of a closed loop commands where the run stands."""
    return state.but(rest=dynamics.commanded(state.t, state.x, state.rest))

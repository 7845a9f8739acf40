"""Ticking: a simulation one fixed step at a time, for a loop that cannot wait. Of the past only the events are told.

A tick is a step of `RK4`. Where nothing changes, the stage, its programs and their memory stay in place from tick to
tick (`Course`), and a tick takes microseconds, with the bits of one ``advance``. Where something does, ``advance``
takes over until the end of that tick.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.hybrid.contacts.guards import Guards
from latchwork.hybrid.event import Events
from latchwork.hybrid.input_laws import Column
from latchwork.hybrid.interference.passing import keep_watch
from latchwork.hybrid.loop import advance, due
from latchwork.hybrid.mode_equations import Held
from latchwork.hybrid.modes import staged
from latchwork.hybrid.path import Stage
from latchwork.hybrid.piece_flow import looked
from latchwork.hybrid.plan import Flags, armed_at
from latchwork.hybrid.rules import Rules, eager, waiting
from latchwork.hybrid.start import seconds
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.integrate.methods import RK4
from latchwork.integrate.problem import problem
from latchwork.integrate.status import Status
from latchwork.integrate.ticks import MADE, Ticks
from latchwork.program.native import address, argument, invoke, native

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

OFTEN = 64  # ticks after which steps are counted, rows verified, and machine code that has arrived is taken
KEPT = 1000  # switches that are kept
FAR = 1e9  # s: a course has no end of its own


class Course:
    """One stage, ticked: from where the simulation stands, as long as nothing changes."""

    def __init__(self, sim: Simulation, stage: Stage, guards: Guards, values: Array, step: float,
                 until: float) -> None:  # fmt: skip
        state, rest = sim.state, sim.state.held
        patient, armed = _armed(guards, values, state.rules)
        given = problem(stage.function, stage.reduced(state.x), state.t, state.t + FAR, rest, invoke, None,
                        stage.guards, None if stage.guards is None else armed, settle=stage.settle,
                        heights=guards.heights,
                        scales=sim.mode_table.laps.scales._replace(guards=guards.units))  # fmt: skip
        self.stage, self.guards, self.step, self.until = stage, guards, step, until
        self.ticks, self.state = Ticks(given, step, patient.tolist(), *grid(state, step)), state
        self._reached = address(self.ticks.x)
        self.expand = Expand(stage, sim) if isinstance(stage, Held) else None
        sim.world.watch.stand(state.row)

    def taken_up(self, sim: Simulation, values: Array, until: float) -> Course:
        """The same from where the simulation stands now."""
        state = sim.state
        patient, armed = _armed(self.guards, values, state.rules)
        self.ticks.restart(self.stage.reduced(state.x), armed.tolist(), patient.tolist(), *grid(state, self.step))
        self.until, self.state = until, state
        sim.world.watch.stand(state.row)
        return self

    def goes_on(self, sim: Simulation, step: float) -> bool:
        """Whether the simulation stands where this left it, and the next step is like the last."""
        now, left = sim.state, self.state
        if now is not left and not (
            now.x is left.x and now.settled and now.holds is left.holds and now.contacts is left.contacts
            and now.rules is left.rules and now.driven.equations is left.driven.equations
            and now.waiting is left.waiting
        ):  # fmt: skip
            return False
        watch_set = sim.world.watch_set
        return (not sim.record.events and step == self.step and self.ticks.t + step <= self.until
                and not (watch_set.sleeps and watch_set.is_used_up(now.row, step)))  # fmt: skip

    def tick(self, sim: Simulation) -> bool:
        """Make a step; whether it was made. Where it was not, the simulation is as it was."""
        ticks, state = self.ticks, sim.state
        rest = state.driven.rest_at(state.rest, ticks.t)
        status = ticks.tick(rest)
        if status not in MADE or sim.world.watch.ticked(t := ticks.t, self._reached):
            return False
        x = ticks.x.copy() if self.expand is None else self.expand(t, ticks.x, rest)
        self.state = sim.moved(t, x)
        if status is Status.REWRITE:
            sim.course = self._again(sim, self.stage.rewritten(t, x, rest))
        elif ticks.i % OFTEN == 0:
            ticks.used(OFTEN)
            self.stage.verify(t, x, rest)
            sim.course = self if ticks.is_current else self._again(sim, self.stage)
        return True

    def _again(self, sim: Simulation, stage: Stage) -> Course:
        """The same from here on, in other speeds, or by machine code that has arrived."""
        values = stage.look(sim.t, sim.state.x, sim.state.held)
        return course_of(sim, stage, self.guards, values, self.step, self.until)


class Expand:
    """(q, u, work) of the states (q, u_ind, work) of a mode."""

    def __init__(self, stage: Held, sim: Simulation) -> None:
        mode = stage.mode
        self.n_q, n = len(sim.equations.q), len(sim.equations.u)
        self.z, self.out, self.code = mode.workspace(), np.zeros(2 * n), mode.code
        self.states, self.held = len(mode.inputs) - 1 - len(mode.rest), len(mode.rest)
        self.speeds = self.out[:n]
        kernel = mode.expander
        self._run = native(kernel).brief
        self._arguments = [argument(item) for item in (self.code, self.z, self.out)]

    def __call__(self, t: float, x: Array, rest: Array) -> Array:
        self.z[0] = t
        self.z[1 : 1 + self.states] = x
        self.z[1 + self.states : 1 + self.states + self.held] = rest
        self._run(*self._arguments)
        return np.concatenate((x[: self.n_q], self.speeds, x[-1:]))


def tick(sim: Simulation, step: float) -> Events:
    """Go on by one step: see `Simulation.tick`."""
    course = sim.course
    if course is not None and course.goes_on(sim, step) and course.tick(sim):
        return Events([])
    step = seconds("step", step)
    if not 0.0 < step < np.inf:
        raise EvaluationError(f"a tick of {step!r} s cannot be made. Give a positive number of seconds: step=1e-3.")
    origin, i = grid(sim.state, step)
    sim.course, method = None, stepping(step)
    end = origin + float(i + 1) * step
    advance(sim, end, None, None, method, "off")  # steps that are forgotten add up to nothing that could be judged
    events = _forgotten(sim)
    follows = sim.equations.r and sim.mode_table.inputs_in_rows(sim.state.holds, sim.state.contacts.members)
    sim.course = None if follows else begun(sim, step)
    return events


@lru_cache(KEPT)
def stepping(step: float) -> RK4:
    """The method of ticks of a length: one object, so that laps are found again."""
    return RK4(step)


def grid(state: SimState, step: float) -> tuple[float, int]:
    """Origin and number of the step that a run stands at: from where it began, if it is at such a step.

    So times are the same to the last bit, wherever a course was taken up.
    """
    i = round((state.t - state.began) / step)
    return (state.began, i) if state.began + float(i) * step == state.t else (state.t, 0)


def begun(sim: Simulation, step: float) -> Course | None:
    """A course from here, where something stands that can go on."""
    state = sim.state
    if state.event_rate.is_thick or not state.settled or state.waiting or state.rules.pending:
        return None
    sim.state = state = sim.world.seen(state)
    stage, guards = staged(sim, {}, state.row)
    until = looked(sim, stepping(step), np.inf)
    if until is None:
        return None
    state = sim.state
    until = min(until, float(state.driven.pieces(state.t, np.inf)[1]))
    keep_watch(sim, state.row)
    values = stage.look(state.t, state.x, state.held)
    if any([values[i] < 0.0 for i in guards.on_forces]):
        return None
    if due(sim, guards, values) is not None:
        return None
    return course_of(sim, stage, guards, values, step, until)


def course_of(sim: Simulation, stage: Stage, guards: Guards, values: Array, step: float, until: float) -> Course:
    """The course of a stage, taken up again where it was ticked before."""
    table = sim.mode_table
    known = table.courses.get(stage)
    if known is not None and known.guards is guards and known.step == step and known.ticks.is_current:
        return known.taken_up(sim, values, until)
    table.keep_course(stage, made := Course(sim, stage, guards, values, step, until))
    return made


def _armed(guards: Guards, values: Array, rules: Rules) -> tuple[Flags, Flags]:
    """Which guards may be below zero while they rise, and which are armed where they have these values."""
    patient = eager(guards, rules)
    armed = armed_at(values[: len(guards)], patient, guards.heights)
    return patient, armed & ~waiting(guards, rules) if guards.of_rules else armed


def _forgotten(sim: Simulation) -> Events:
    """Tell what has happened, and keep nothing of it but what the next step needs."""
    events = Events(sim.record.taken())
    sim.record.forget(KEPT)
    sim.state = _without_past(sim.state)
    return events


def _without_past(state: SimState) -> SimState:
    """Inputs from tables that have come to their last row are held at it from now on."""
    over = [column for column in state.driven.columns
            if len(column.places) == 1 and column.table.times[-1] <= state.t]  # fmt: skip
    if not over:
        return state
    rest = state.rest.copy()
    for column in over:
        rest[list(column.places)] = column.table.numbers(state.t)
    others: tuple[Column, ...] = tuple(column for column in state.driven.columns if column not in over)
    return state.but(driven=replace(state.driven, columns=others), rest=rest)

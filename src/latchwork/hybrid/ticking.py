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

from latchwork.constraint.embedded import executors, sliding_executors
from latchwork.errors import EvaluationError
from latchwork.hybrid.contacts.guards import Guards
from latchwork.hybrid.event import Events
from latchwork.hybrid.input_laws import Column, Driven
from latchwork.hybrid.mode_equations import Held
from latchwork.hybrid.path import Stage
from latchwork.hybrid.plan import Flags, armed_at
from latchwork.hybrid.rules import eager, waiting
from latchwork.hybrid.running import Running
from latchwork.hybrid.start import seconds
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

    def __init__(self, sim: Running, stage: Stage, guards: Guards, values: Array, step: float,
                 until: float) -> None:  # fmt: skip
        rest = sim.driven.rest_at(sim._rest, sim.t)
        patient, armed = _armed(guards, values)
        watched = stage.guards is not None
        given = problem(stage.function, stage.reduced(sim._x), sim.t, sim.t + FAR, rest, invoke, None, stage.guards,
                        armed if watched else None, settle=stage.settle, heights=guards.heights,
                        scales=sim._mode_table.laps.scales._replace(guards=guards.units))  # fmt: skip
        self.stage, self.guards, self.step, self.until = stage, guards, step, until
        self.ticks, self.mode_table = Ticks(given, step, patient.tolist(), *grid(sim, step)), sim._mode_table
        self.x, self.rules, self._reached = sim._x, len(sim._rules.watched), address(self.ticks.x)
        self._expand = Expand(stage, sim) if isinstance(stage, Held) else None
        sim._watch.stand(sim._state())

    def taken_up(self, sim: Running, values: Array, until: float) -> Course:
        """The same from where the simulation stands now."""
        patient, armed = _armed(self.guards, values)
        self.ticks.restart(self.stage.reduced(sim._x), armed.tolist(), patient.tolist(), *grid(sim, self.step))
        self.until, self.x, self.rules = until, sim._x, len(sim._rules.watched)
        sim._watch.stand(sim._state())
        return self

    def goes_on(self, sim: Running, step: float) -> bool:
        """Whether the simulation stands where this left it, and the next step is like the last."""
        return (
            sim._x is self.x and sim._settled and not sim._events and sim._mode_table is self.mode_table
            and step == self.step and self.ticks.t + step <= self.until and not sim._waiting
            and len(sim._rules.watched) == self.rules
            and not (sim._sight.sleeps and sim._sight.is_used_up(sim._state(), step))
        )  # fmt: skip

    def tick(self, sim: Running) -> bool:
        """Make a step; whether it was made. Where it was not, the simulation is as it was."""
        ticks = self.ticks
        rest = sim.driven.rest_at(sim._rest, ticks.t)
        status = ticks.tick(rest)
        if status not in MADE or sim._watch.ticked(ticks.t, self._reached):
            return False
        x = ticks.x.copy() if self._expand is None else self._expand(ticks.t, ticks.x, rest)
        sim.t, sim._x, self.x = ticks.t, x, x
        if status is Status.REWRITE:
            sim._course = self._again(sim, self.stage.rewritten(sim.t, x, rest))
        elif ticks.i % OFTEN == 0:
            ticks.used(OFTEN)
            self.stage.verify(sim.t, x, rest)
            sim._course = self if ticks.is_current else self._again(sim, self.stage)
        return True

    def _again(self, sim: Running, stage: Stage) -> Course:
        """The same from here on, in other speeds, or by machine code that has arrived."""
        rest = sim.driven.rest_at(sim._rest, sim.t)
        return course_of(sim, stage, self.guards, stage.look(sim.t, sim._x, rest), self.step, self.until)


class Expand:
    """(q, u, work) of the states (q, u_ind, work) of a mode."""

    def __init__(self, stage: Held, sim: Running) -> None:
        mode = stage.mode
        self.n_q, n = len(sim.equations.q), len(sim.equations.u)
        self.z, self.out, self.code = mode.workspace(), np.zeros(2 * n), mode.code
        self.states, self.held = len(mode.inputs) - 1 - len(mode.rest), len(mode.rest)
        self.speeds = self.out[:n]
        kernel = (executors if mode.friction_rows is None else sliding_executors).expand
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
    course = sim._course
    if course is not None and course.goes_on(sim, step) and course.tick(sim):
        return Events([])
    step = seconds("step", step)
    if not 0.0 < step < np.inf:
        raise EvaluationError(f"a tick of {step!r} s cannot be made. Give a positive number of seconds: step=1e-3.")
    origin, i = grid(sim, step)
    end = origin + float(i + 1) * step
    sim._course, kept = None, (sim.method, sim.audit)
    sim.method, sim.audit = stepping(step), "off"  # steps that are forgotten add up to nothing that could be judged
    try:
        sim.advance(end)
    finally:
        sim.method, sim.audit = kept
    events = _forgotten(sim)
    sim._course = None if sim.equations.r and sim._may_jump else begun(sim, step)
    return events


@lru_cache(KEPT)
def stepping(step: float) -> RK4:
    """The method of ticks of a length: one object, so that laps are found again."""
    return RK4(step)


def grid(sim: Running, step: float) -> tuple[float, int]:
    """Origin and number of the step that a simulation stands at: from where it began, if it is at such a step.

    So times are the same to the last bit, wherever a course was taken up.
    """
    i = round((sim.t - sim._began) / step)
    return (sim._began, i) if sim._began + float(i) * step == sim.t else (sim.t, 0)


def begun(sim: Simulation, step: float) -> Course | None:
    """A course from here, where something stands that can go on."""
    rules = sim._rules
    if sim._thicket.is_thick or not sim._settled or sim._waiting or rules.pending:
        return None
    sim._see()
    stage, guards = sim._mode_table.stage(sim._holds, sim._contact_states, {}, sim._state())
    looked = sim._look(np.inf)
    if looked is None:
        return None
    until = min(looked, float(sim.driven.pieces(sim.t, np.inf)[1]))
    sim._keep_watch(sim._state())
    rest = sim.driven.rest_at(sim._rest, sim.t)
    values = stage.look(sim.t, sim._x, rest)
    if any([values[i] < 0.0 for i in guards.on_forces]):
        return None
    if rules and rules.look(sim.t, (*sim._holds, *sim._contact_states.told), guards, values, False) is not None:
        return None
    return course_of(sim, stage, guards, values, step, until)


def course_of(sim: Running, stage: Stage, guards: Guards, values: Array, step: float, until: float) -> Course:
    """The course of a stage, taken up again where it was ticked before."""
    known = sim._mode_table.courses.get(stage)
    if known is not None and known.guards is guards and known.step == step and known.ticks.is_current:
        return known.taken_up(sim, values, until)
    sim._mode_table.keep_course(stage, made := Course(sim, stage, guards, values, step, until))
    return made


def _armed(guards: Guards, values: Array) -> tuple[Flags, Flags]:
    """Which guards may be below zero while they rise, and which are armed where they have these values."""
    patient = eager(guards)
    armed = armed_at(values[: len(guards)], patient, guards.heights)
    return patient, armed & ~waiting(guards) if guards.of_rules else armed


def _forgotten(sim: Running) -> Events:
    """Tell what has happened, and keep nothing of it but what the next step needs."""
    events = Events(sim._events)
    sim._events = []
    del sim._segments[:-1], sim._work[:], sim.switches[:-KEPT], sim._backs[:-1]
    sim.driven, sim._rest = _without_past(sim.driven, sim._rest, sim.t)
    return events


def _without_past(driven: Driven, rest: Array, t: float) -> tuple[Driven, Array]:
    """Inputs from tables that have come to their last row are held at it from now on."""
    over = [column for column in driven.columns if len(column.places) == 1 and column.table.times[-1] <= t]
    if not over:
        return driven, rest
    held = rest.copy()
    for column in over:
        held[list(column.places)] = column.table.numbers(t)
    others: tuple[Column, ...] = tuple(column for column in driven.columns if column not in over)
    return replace(driven, columns=others), held

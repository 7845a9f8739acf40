"""A time-stepped interval of a run: step after step, until things are calm, a stop, or the end.

The steps are a kernel (`step_kernel`); here it is given what it asks for, and its pages become a part of the path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.problem import State
from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.path import Segment
from latchwork.hybrid.time_stepping.rest import holding_forces
from latchwork.hybrid.time_stepping.settings import MANY
from latchwork.hybrid.time_stepping.step_kernel import end_step, steps
from latchwork.hybrid.time_stepping.step_memory import StepMemory
from latchwork.hybrid.time_stepping.stepped_dynamics import Stepped
from latchwork.hybrid.time_stepping.time_step import Reason, TimeStep
from latchwork.integrate.dense_output import Solution, Stats
from latchwork.program.interrupt import interrupted
from latchwork.program.native import invoke

WORTH_TELLING = 1e-9  # of the energy, velocities and length of the model: what notes of an interval name
AT_ONCE = 16  # steps between looks at interrupts and progress

Forces = Mapping[ContactPoint, Array]


class Pairs(Protocol):
    """Pairs of shapes that are no contacts yet."""

    def looked(self, memory: StepMemory) -> StepMemory:
        """The memory to step on with, where clearances were used up: with contacts of pairs that have come near."""
        ...


class SteppedInterval:
    """States of the steps so far, what was left over of contact laws, penetration, and the modes that were met."""

    def __init__(self, memory: StepMemory) -> None:
        self.memory = memory
        self.n_q, self.n = self.record.n_q, self.record.n
        self.t, self.states = [float(self.record.x[0])], [np.append(memory.x[1 : 1 + self.n_q + self.n], self.work)]
        self.slopes: list[Array] = []  # q̇ at the start of each step
        self.modes: set[tuple[int, int]] = set()
        self.rests: Forces | None = None  # what holds it, where everything is at rest
        self._asked = 0  # how often steps were
        self.rests_from: float | None = None  # where it goes on at rest
        self.stopped: list[str] = []

    @property
    def record(self) -> TimeStep:
        return self.memory.record

    @property
    def x(self) -> Array:
        """The state reached."""
        return self.memory.x

    @property
    def is_crowd(self) -> bool:
        """Whether more contacts hold what is at rest than events would be followed with."""
        return self.rests is not None and len(self.rests) > MANY

    @property
    def work(self) -> float:
        return float(self.record.work)

    def take_page(self) -> None:
        """The rows that were written since it was looked at last."""
        record, rows = self.record, self.record.filled
        wide = self.n_q + self.n + 1
        if not rows:
            return
        self.t += record.page_t[:rows].tolist()
        self.states += list(np.array(record.page_x[: rows * wide]).reshape(rows, wide))
        self.slopes += list(np.array(record.page_rates[: rows * self.n_q]).reshape(rows, self.n_q))
        modes = record.page_mode[: 2 * rows].tolist()
        self.modes.update(zip(modes[::2], modes[1::2], strict=True))
        record.filled = 0

    def advance(self, until: float, most: int) -> Reason:
        """Steps to a time, until something ends them or as many as are asked for are made."""
        memory = self.memory
        memory.record.until = until
        if self._asked % max(AT_ONCE // most, 1) == 0:  # of code that has arrived: not before every step
            memory.ready()
        self._asked += 1
        while True:
            record = memory.record
            reason = Reason(invoke(steps, record, most))
            self.take_page()
            self.t[-1] = float(record.x[0])
            if reason is Reason.AT_REST:
                if self._comes_to_rest():
                    return Reason.STOPPED if self._ends_stopped() else reason
            elif not memory.provide(reason):
                return reason

    def _comes_to_rest(self) -> bool:
        """Whether contacts hold what they have stopped: then everything is at rest from now on, and what is left of
        kinetic energy is lost."""
        memory, record = self.memory, self.record
        points = memory.points_near()
        found = holding_forces(record, [point.name for point in points])
        if found is None:
            return False
        self.rests = {points[i]: force for i, force in found.items()}
        x = memory.x
        x[1 + self.n_q : 1 + self.n_q + self.n] = 0.0
        record.work += float(memory.energy(x)[0] - memory.energy(memory.x)[0])
        np.asarray(record.x)[:] = x
        self.states[-1] = np.append(x[1 : 1 + self.n_q + self.n], self.work)
        return True

    def rest_until(self, t: float) -> None:
        """What is at rest, and held, goes on so: one step of any length."""
        self.rests_from = self.t[-1]
        self.record.x[0] = t
        self.t.append(t)
        self.states.append(self.states[-1])
        self.slopes.append(np.zeros(self.n_q))

    def _ends_stopped(self) -> bool:
        """Whether a stop falls where the last step ends at rest."""
        return Reason(invoke(end_step, self.record)) is Reason.STOPPED

    def fell(self, names: Mapping[str, Any]) -> None:
        """Note the stops that fell."""
        record = self.record
        self.stopped = [name for i, name in enumerate(names) if record.stop_before[i] >= 0.0 > record.stop_now[i]]

    def segment(self) -> Segment:
        """The interval as a part of the path: q by parabolas, u and work by straight lines."""
        t, x, n_q = np.array(self.t), np.array(self.states), self.n_q
        chords = np.diff(x, axis=0) / np.diff(t)[:, None]
        starts, ends = chords.copy(), chords.copy()
        starts[:, :n_q] = self.slopes
        ends[:, :n_q] = 2.0 * chords[:, :n_q] - starts[:, :n_q]
        count = len(chords)
        solution = Solution(t, x, np.vstack([starts, ends[-1:]]), np.zeros_like(chords), Stats(count, 0, 2 * count),
                            None, ends)  # fmt: skip
        record = self.record
        stepped = Stepped(t, chords[:, n_q:-1], self.memory.held, record.lost, record.kept, record.off)
        return Segment(solution, stepped)

    def labels(self) -> tuple[str, ...]:
        """What is closed at the end, and how."""
        points = self.memory.scene.points
        mode = np.array(self.record.mode[: len(points)])
        names = {points[i].name: int(mode[i]) for i in np.flatnonzero(mode)}
        return tuple(f"{name}: {'slide' if names[name] == State.SLIDE else 'stick'}" for name in sorted(names))

    def told(self) -> tuple[str, ...]:
        """What is worth knowing of it."""
        record = self.record
        notes = [f"{len(self.slopes)} steps, {record.impacts} with impacts; {len(self.modes)} modes"]
        if self.rests_from is not None:
            notes.append(f"at rest from t = {self.rests_from:.6g} on")
        scales = self.memory.held.base.scales
        if max(record.lost, record.kept) > WORTH_TELLING * scales.energy:
            notes.append(f"the steps lost an energy of {record.lost:.2g}, and were kept from gaining {record.kept:.2g}")
        if record.off > WORTH_TELLING:
            notes.append(f"contact laws are met to {record.off:.2g} of the velocities")
        if record.deepest > WORTH_TELLING * scales.length:
            notes.append(f"a penetration of {record.deepest:.3g} could not be taken out")
        return tuple(notes)


def stepped(memory: StepMemory, driven: Driven, rest: Array, until: float, stops: Mapping[str, Any],
            progress: Callable[[float], Any] | None, pairs: Pairs, stays: bool = False,
            crowds: bool = False) -> SteppedInterval:  # fmt: skip
    """Steps until all is at rest, it is calm, a stop falls through zero, or the end.

    With ``stays`` it is stepped on at rest. With ``crowds`` a crowd of contacts that is at rest stays so to the end,
    where nothing depends on time. ``pairs`` may come near on the way.
    """
    going_on = {Reason.END, Reason.FULL, Reason.USED_UP} | ({Reason.AT_REST} if stays else set())
    made = SteppedInterval(memory)
    pieces = driven.pieces(float(memory.record.x[0]), until)[1:].tolist()
    while pieces:
        t = float(memory.record.x[0])
        memory.set_rest(driven.rest_at(rest, t))
        reason = made.advance(pieces[0], AT_ONCE)
        _must_go_on(memory, reason, t)
        if reason is Reason.AT_REST and crowds and made.is_crowd and not driven.columns and memory.is_autonomous:
            made.rest_until(until)
            break
        if reason is Reason.END:
            pieces.pop(0)
        if reason is Reason.USED_UP:
            memory = made.memory = pairs.looked(memory)
        if reason is Reason.STOPPED:
            made.fell(stops)
        if progress is not None:
            progress(float(memory.record.x[0]))
        if reason not in going_on or interrupted():
            break
    memory.set_rest(driven.rest_at(rest, float(memory.record.x[0])))
    return made


def _must_go_on(memory: StepMemory, reason: Reason, t: float) -> None:
    """Refuse what steps cannot go on from."""
    name = memory.held.base.equations.name
    if reason is Reason.UNLAWFUL:
        x = np.array(memory.record.asked_x[: memory.record.n_x])
        memory.scene.points[memory.scene.scene.trouble].laws.at(x, memory.zones())
    if reason is Reason.NOT_FINITE:
        raise IntegrationError(f"'{name}' has no finite state after a time step at t = {t:.9g}. Take a smaller step.")

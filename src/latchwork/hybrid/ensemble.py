"""Ensemble: runs of one mechanism from many starts, with many parameters; each has the bits that it has alone.

They share what is derived, lowered and compiled (`Mechanism`); modes are laid out for each at its own states. A run is
dropped once its row is made: the states at some times, events, and what was asked of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from latchwork.errors import AuditError, LatchworkError
from latchwork.hybrid.event import Events
from latchwork.hybrid.mechanism import Mechanism
from latchwork.hybrid.path import Path, Segment
from latchwork.hybrid.simulation import Simulation
from latchwork.hybrid.start_table import Start
from latchwork.hybrid.table import Array
from latchwork.hybrid.trajectory import Trajectory
from latchwork.program.function import Function
from latchwork.program.interrupt import interrupted
from latchwork.program.tiers import evaluations_for

Outputs = Mapping[str, Any]  # expressions and their like, and functions of a run


class Row(NamedTuple):
    """What is kept of one run: (sample, state) and accelerations, when it ended, its events, what was asked of it."""

    x: Array
    udot: Array | None
    end: float
    steps: int
    events: Events
    outputs: Mapping[str, Any]
    doubt: str = ""
    inputs: Array | None = None  # (sample, input), where laws or rules set some


class Failure(NamedTuple):
    """Why there is no row."""

    reason: str


class Member(Simulation):
    """A run of an ensemble: nothing is prepared beside it, for the runs before it have."""

    looks_ahead = False


class Untold(Member):
    """A run of an ensemble of which no function is asked: nobody replays its resets."""

    replays = False


@dataclass(frozen=True)
class Ensemble:
    """A mechanism, and how its runs are made."""

    mechanism: Mechanism
    times: Array  # the start, and samples up to the end
    outputs: Outputs = field(default_factory=dict)
    stop_when: Mapping[str, Any] | None = None
    keeps_doubtful: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)  # of a `Simulation`

    def rows(self, starts: Sequence[Start]) -> Iterator[Row | Failure]:
        """What comes of each start; fewer than asked for after an interrupt."""
        for start in starts:
            row = self.row(start)
            if interrupted():
                return
            yield row

    def row(self, start: Start, like: int = 1) -> Row | Failure:
        """One run, the first of so many ``like`` it. Whatever goes wrong in it is the reason that it failed for, and no
        other's."""
        try:
            sim, doubt = self._simulated(start, Member if self.outputs else Untold)
            row = self._row(sim, doubt)
            if like > 1:
                compile_for(sim.record.segments, like)
            return row
        except LatchworkError as error:
            return Failure(str(error))
        except Exception as error:  # of a function of the user
            return Failure(f"{type(error).__name__}: {error}")

    def run(self, start: Start) -> Trajectory:
        """The trajectory from a start."""
        return self._simulated(start)[0].trajectory()

    def _simulated(self, start: Start, kind: type[Member] = Member) -> tuple[Simulation, str]:
        """A simulation run to its end, and what the audit says of it."""
        shared = self.mechanism.with_inputs(start.r) if start.r else self.mechanism
        sim = kind(shared, start.q, start.u, parameters=start.p, start=float(self.times[0]), **self.settings)
        try:
            sim.advance(float(self.times[-1]), stop_when=self.stop_when)
        except AuditError as error:
            if not self.keeps_doubtful:
                raise
            return sim, str(error)
        return sim, ""

    def _row(self, sim: Simulation, doubt: str) -> Row:
        """What is kept of a run; its samples are laid out only where it is asked for more than states."""
        times = self.times if self.stop_when is None else np.array([self.times[0], sim.t])
        path = Path(sim.driven, tuple(sim.record.segments), sim.state.rest)
        x, udot = path.at(times)
        n = len(self.mechanism.equations.q)  # curves that contacts track have coordinates behind these
        own = [*range(n), *range(len(sim.equations.q), x.shape[1])]
        events = Events([event if event.reset is None else replace(event, reset=None) for event in sim.record.events])
        run = sim.trajectory() if self.outputs else None
        outputs = {name: asked(run, times, what) for name, what in self.outputs.items()} if run is not None else {}
        inputs = None
        if self.mechanism.plan.owners or sim.state.rules.watched:
            inputs = path.rest_at(sim.state.rest, times, x)[:, : len(self.mechanism.equations.r)]
        return Row(x[:, own], udot, float(sim.t), path.stats.steps, events, outputs, doubt, inputs)


def compile_for(segments: Sequence[Segment], runs: int) -> None:
    """Machine code for programs that so many runs, as long as this one, evaluate so often that it pays: by counts."""
    evaluations = dict[Function, int]()
    for solution, dynamics in segments:
        for function in dynamics.function.functions:
            evaluations[function] = evaluations.get(function, 0) + solution.stats.evaluations
        for function in () if dynamics.guards is None else dynamics.guards.functions:
            evaluations[function] = evaluations.get(function, 0) + solution.stats.steps
    for function, count in evaluations.items():
        if runs * count > evaluations_for(function.length):
            function.compiled(wait=True)


def asked(run: Trajectory, times: Array, what: Any) -> Any:
    """What a run is asked for: a function of it, or anything that it can be indexed by, at the samples."""
    if is_function(what):
        return what(run)
    return run.at(times)[what]


def is_function(what: Any) -> bool:
    """Whether an output is a function of a run, and not a thing of the model."""
    return isinstance(what, Callable) and not hasattr(what, "tree") and not hasattr(what, "node")  # type: ignore[arg-type]

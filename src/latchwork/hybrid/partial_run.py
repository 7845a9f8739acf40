"""A run so far: its trajectory, and the error of one that could not go on, with the run up to there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from latchwork.errors import IntegrationError
from latchwork.hybrid.event import Events
from latchwork.hybrid.gaps import Presence
from latchwork.hybrid.mode_integration import Broken
from latchwork.hybrid.path import Path, Segment
from latchwork.hybrid.start import even_times
from latchwork.hybrid.trajectory import Trajectory
from latchwork.integrate.methods import Method
from latchwork.integrate.status import Status

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation


def explained_error(sim: Simulation, method: Method, error: Broken) -> IntegrationError:
    """The error with the names of a mechanism, and its run up to there, as far as it is finite.

    The simulation stays where that dynamics began, and may go on from there otherwise.
    """
    run, segments = None, [*sim.record.segments, *error.segments]
    if segments:
        segments[-1] = _finite(segments[-1])
        run = trajectory_of(sim, segments)
    limit = f" {method} was used." if error.reason is Status.TOO_MANY else ""
    return IntegrationError(f"'{sim.equations.name}': {error}{limit}", None if run is None else run.path, run,
                            error.reason)  # fmt: skip


def with_run(sim: Simulation, error: IntegrationError) -> IntegrationError:
    """An error that ends a run, with the run up to there; without one where nothing was run."""
    if error.run is None and sim.record.segments:
        error.run = trajectory_of(sim, sim.record.segments)
        error.solution = error.run.path
    return error


def trajectory_of(sim: Simulation, segments: Sequence[Segment], every: float | None = None) -> Trajectory:
    """The trajectory of a simulation over some segments, sampled at even times where ``every`` is given."""
    state, record = sim.state, sim.record
    path = Path(state.driven, tuple(segments), state.rest)
    t, x, udot = path.t, path.x, path.udot
    if every is not None:
        t = even_times(float(t[0]), float(t[-1]), every)
        x, udot = path.at(t)
    return Trajectory(state.driven, t, x, state.rest, path, Events(record.events), start=sim.start, udot=udot,
                      timeline=record.timeline, contacts=state.contacts.members,
                      colliding=tuple(sim.world.broad_phase.shapes),
                      presence=Presence(dict(state.presence), tuple(record.backs)),
                      listed=tuple(dict.fromkeys(chain(*record.listed.values()))),
                      stiffness=state.stiffness)  # fmt: skip


def _finite(segment: Segment) -> Segment:
    """A segment as far as it is finite."""
    solution, dynamics = segment
    last = int(np.flatnonzero(np.isfinite(solution.x).all(axis=1))[-1]) + 1
    ends = None if solution.ends is None else solution.ends[: last - 1]
    return Segment(replace(solution, t=solution.t[:last], x=solution.x[:last], dx=solution.dx[:last],
                           bend=solution.bend[: last - 1], event=None, ends=ends), dynamics)  # fmt: skip

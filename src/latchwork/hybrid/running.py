"""Running: the state of a simulation, and what can be read from it at any time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latchwork.constraint.consistency import Start, consistent
from latchwork.constraint.constrained import Constrained
from latchwork.constraint.constraint import Constraint
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact
from latchwork.errors import ArgumentError, EvaluationError, IntegrationError, must_be, spelled
from latchwork.hybrid.audit import Auditing, auditing
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.events import told
from latchwork.hybrid.contacts.initial_contacts import contacts_of, must_run_contacts, one_of_three
from latchwork.hybrid.contacts.watch_set import WatchSet
from latchwork.hybrid.designs import Simulating, design_of
from latchwork.hybrid.energy_balance import Balance
from latchwork.hybrid.event import Events, RunEvent
from latchwork.hybrid.gaps import Presence
from latchwork.hybrid.input_laws import driven
from latchwork.hybrid.inputs import Inputs
from latchwork.hybrid.interference.watch import Watch
from latchwork.hybrid.late import Waiting
from latchwork.hybrid.mode_table import Hold, ModeTable
from latchwork.hybrid.path import Path, Segment
from latchwork.hybrid.plan import Broken
from latchwork.hybrid.prefetch import Ahead
from latchwork.hybrid.rules import Rules
from latchwork.hybrid.start import even_times, given_constraints, mechanism, method_of, seconds, start_of
from latchwork.hybrid.table import Array
from latchwork.hybrid.time_stepping.settings import Thicket, TimeStepping
from latchwork.hybrid.timeline import Timeline, Work
from latchwork.hybrid.trajectory import Trajectory
from latchwork.integrate.methods import Method
from latchwork.integrate.status import Status
from latchwork.kane.equations import Equations
from latchwork.model import Model
from latchwork.program.interrupt import hearing

if TYPE_CHECKING:
    from latchwork.hybrid.ticking import Course


class Switch(NamedTuple):
    """A change of mode: when, the constraints before and after, and what it took from request to ready equations."""

    t: float
    before: tuple[str, ...]
    after: tuple[str, ...]
    microseconds: float


@spelled
class Running:
    """A mechanism as it stands in a run: time, state, what holds and touches, and what has happened so far."""

    def __init__(self, model: Model | Equations | Constrained, q: Any = None, u: Any = None, *,
                 constraints: Sequence[Constraint] = (), inputs: Mapping[str, Any] | None = None,
                 parameters: Mapping[str, float] | None = None,
                 start: float = 0.0, method: Method | None = None, design: Simulating | None = None,
                 at_once: bool | None = None, thick: TimeStepping | None = None,
                 progress: Callable[[float], None] | None = None, audit: Auditing = "raise") -> None:  # fmt: skip
        self._born, self._work = time.perf_counter(), list[tuple[str, tuple[str, ...], float, float, float]]()
        self.equations, own = mechanism(model)
        must_run_contacts(model, self.equations)
        permanent = (*own, *given_constraints(self.equations.name, constraints))
        if progress is not None and not callable(progress):
            raise ArgumentError(f"progress is {progress!r}. Give a function that hears the time reached.")
        self.method, self.design, self.progress = method_of(method), design_of(design), progress and hearing(progress)
        self.is_cut = False  # interrupted where its state was not whole
        self.at_once, self.audit = one_of_three(at_once), auditing(audit)
        self._balance = Balance()
        self.driven, held = driven(self.equations, inputs)
        self._holds = {k.name: Hold(k, True, None) for k in permanent}
        self._mode_table = ModeTable(self.driven, self.design)
        self._ahead = Ahead()
        self._segments: list[Segment] = []
        self._all_told: list[RunEvent] = []
        self._untold: list[tuple[Any, ...]] = []  # what `told` is to be asked, where a run could not wait for it
        self.switches: list[Switch] = []
        self._contact_states = ContactStates([])
        self._sight, self._watch = WatchSet(), Watch()
        self._presence: dict[Contact, tuple[float, float]] = {}  # from when until when there is each contact
        self._waiting: dict[str, Waiting] = {}
        self._listed: dict[Any, tuple[tuple[str, ...], ...]] = {}  # modes that were made ready before they are met
        self._backs: list[tuple[float, frozenset[Feature]]] = []
        self._settled = True
        self._course: Course | None = None  # what is ticked, where nothing changes
        must_be(thick, (TimeStepping, type(None)), "thick", "Give lw.TimeStepping(step), or leave it out.")
        self._thicket = Thicket(thick)
        self._pending: tuple[float, tuple[str, ...], tuple[str, ...], float] | None = None
        self.t = self._began = seconds("start", start)
        given = start_of(self.equations, q, u, held, parameters, self.t)
        n = len(self.equations.q) + len(self.equations.u)
        x, rest = given.x, given.x[1 + n :]
        self._rest = np.append(rest, np.zeros(len(self.driven.held) - len(rest)))
        self._mode_table.measure(self._padded(x), contacts_of(model))
        self.start: Start | None = None
        if permanent:
            x, self.start = consistent(self._mode_table.held(self._holds), self._padded(x), given.q_held, given.u_held)
        self._x = np.append(x[1 : 1 + n], 0.0)
        self._begin(model)

    def _begin(self, model: Model | Equations | Constrained) -> None:
        """What else a model brings into the run."""

    def __repr__(self) -> str:
        held = ", ".join(self.active) or "nothing"
        return f"<Simulation of '{self.equations.name}' at t = {self.t:.6g}, with {held} held>"

    # --- what holds ---------------------------------------------------------------------------------------------

    @property
    def active(self) -> tuple[str, ...]:
        """The constraints that hold now, by name."""
        return (*self._holds, *self._contact_states.labels)

    @property
    def _limited(self) -> set[str]:
        """Constraints that hold up to a force: they pass on no impulse, whose force has no bound."""
        return {name for name, hold in self._holds.items() if hold.limit is not None}

    @property
    def q(self) -> dict[str, float]:
        """Coordinates now, by name."""
        return dict(zip(self.equations.q_names, self._x.tolist(), strict=False))

    @property
    def u(self) -> dict[str, float]:
        """Speeds now, by name."""
        return dict(zip(self.equations.u_names, self._x[len(self.equations.q) : -1].tolist(), strict=True))

    @property
    def x(self) -> Array:
        """(q, u, work) now, as in a trajectory."""
        return self._x.copy()

    @property
    def inputs(self) -> Inputs:
        """Inputs now, by name; ``sim.inputs["F"] = 2.0`` holds one at a number from now on."""
        return Inputs(self)

    @property
    def places(self) -> dict[str, bool]:
        """Places where contacts may touch, as far as they were made, by name: whether each is watched, or sleeps."""
        watched = {contact_point.name: True for contact_point in self._contact_states.contact_points}
        return watched | {contact_point.name: False for contact_point in self._contact_states.asleep}

    @property
    def modes_known(self) -> int:
        """How many modes are ready to be run."""
        return len(self._mode_table.stages)

    def _padded(self, x: Array) -> Array:
        """(t, q, u, rest) with room for the numbers of tables."""
        n = 1 + len(self.equations.q) + len(self.equations.u)
        return np.concatenate([x[:n], self.driven.rest_at(self._rest, x[0])])

    def _inputs(self) -> Array:
        return self._rest[: len(self.equations.r)]

    def _parameters(self) -> Array:
        return self._rest[len(self.equations.r) :][: len(self.equations.p)]

    def _state(self) -> Array:
        n, rest = len(self._x), self.driven.rest_at(self._rest, self.t)
        x = np.empty(n + len(rest))
        x[0], x[1:n], x[n:] = self.t, self._x[:-1], rest
        return x

    def _worked(self, lane: str, names: tuple[str, ...], t: float, began: float, ended: float | None = None) -> None:
        self._work.append((lane, names, t, began, time.perf_counter() if ended is None else ended))

    @property
    def _rules(self) -> Rules:
        return self._mode_table.rules

    # --- looking back -------------------------------------------------------------------------------------------

    @property
    def timeline(self) -> Timeline:
        """What was worked on so far, by the clock."""
        born = self._born
        return Timeline(tuple(Work(lane, ", ".join(names) or "free", t, began - born, ended - born)
                              for lane, names, t, began, ended in self._work), born)  # fmt: skip

    @property
    def _events(self) -> list[RunEvent]:
        """What happened so far."""
        if self._untold:
            self._all_told += [event for given in self._untold for event in told(*given)]
            self._untold.clear()
        return self._all_told

    @_events.setter
    def _events(self, events: list[RunEvent]) -> None:
        self._all_told = events
        self._untold.clear()

    @property
    def events(self) -> Events:
        """What happened so far."""
        return Events(self._events)

    @property
    def run(self) -> Trajectory:
        """The trajectory so far."""
        return self.trajectory()

    @property
    def known(self) -> Trajectory | None:
        """The same, or nothing where it has not run yet."""
        return self.trajectory() if self._segments else None

    def trajectory(self, every: float | None = None) -> Trajectory:
        """The trajectory so far, sampled at even times where ``every`` is given."""
        path = self._path()
        t, x, udot = path.t, path.x, path.udot
        if every is not None:
            t = even_times(float(t[0]), float(t[-1]), every)
            x, udot = path.at(t)
        contacts = self._contact_states.members
        return Trajectory(self.driven, t, x, self._rest, path, Events(self._events), start=self.start, udot=udot,
                          timeline=self.timeline, contacts=contacts,
                          presence=Presence(dict(self._presence), tuple(self._backs)),
                          listed=tuple(dict.fromkeys(chain(*self._listed.values()))))  # fmt: skip

    def _path(self) -> Path:
        if not self._segments:
            raise EvaluationError(f"'{self.equations.name}' has not run yet. Call sim.advance(until) first.")
        return Path(self.driven, tuple(self._segments), self._rest)

    def _explained(self, error: Broken) -> IntegrationError:
        """The error with the names of this mechanism, and the run up to there, as far as it is finite.

        The simulation stays where that stage began, and may go on from there otherwise.
        """
        run, before = None, self._segments[: len(self._segments) - len(error.segments)]
        if self._segments:
            solution, stage = self._segments[-1]
            last = int(np.flatnonzero(np.isfinite(solution.x).all(axis=1))[-1]) + 1
            parts = (solution.t[:last], solution.x[:last], solution.dx[:last], solution.bend[: last - 1])
            ends = None if solution.ends is None else solution.ends[: last - 1]
            self._segments[-1] = Segment(replace(solution, t=parts[0], x=parts[1], dx=parts[2], bend=parts[3],
                                                 event=None, ends=ends), stage)  # fmt: skip
            run = self.trajectory()
        self._segments = before
        limit = f" {self.method} was used." if error.reason is Status.TOO_MANY else ""
        return IntegrationError(f"'{self.equations.name}': {error}{limit}", None if run is None else run.path, run,
                                error.reason)  # fmt: skip

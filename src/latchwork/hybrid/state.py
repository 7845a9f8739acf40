"""SimState: all that decides how a run goes on from where it stands, as one value.

States are equal where they are written alike (`checkpoint`), and are pickled so.

A state is never changed: whoever changes a run makes another state from it, and who keeps one can go back to it. So a
change that is refused leaves nothing to be undone, and to rewind is to keep states. What a run has done is in its
`record`; what is derived from the model alone, and remembered, is in its mode table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from latchwork.contact.law import Contact
from latchwork.hybrid.checkpoint import Checkpoint, written
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.rooms import Sleeping
from latchwork.hybrid.controllers import Controllers
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.mode_layout.laid_out_mode import LaidOutModes
from latchwork.hybrid.mode_table import Hold
from latchwork.hybrid.names import Names
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.pending_contact import PendingContact
from latchwork.hybrid.rules import Rules
from latchwork.hybrid.table import Array
from latchwork.hybrid.time_stepping.settings import EventRate
from latchwork.integrate.stiffness import Stiffness


@dataclass(frozen=True, eq=False, repr=False)
class SimState:
    """All that decides how a run goes on, as a value: two equal states go on with the same bits. It can be pickled.

    ``x`` is (q, u, work), as in a trajectory; ``rest`` holds inputs, parameters and the numbers of tables as the user
    gave them (what laws and tables of ``driven`` give replaces them in a step). Arrays and mappings in it are not to be
    written into: ``state.but(x=...)`` makes another state.
    """

    t: float
    x: Array
    rest: Array
    driven: Driven  # equations, laws and tables of inputs
    event_rate: EventRate
    began: float  # when the run began
    holds: Mapping[str, Hold] = field(default_factory=dict)
    contacts: ContactStates = field(default_factory=lambda: ContactStates([]))
    sleeping: Sleeping = field(default_factory=Sleeping)  # what is far away, as it was seen last
    rules: Rules = field(default_factory=Rules)
    modes: LaidOutModes = field(default_factory=dict)  # equations of modes that were met, in the speeds chosen there
    standing: tuple[ModeDynamics, Array] | None = None  # equations of the last steps, and x after them
    begun: bool = False  # whether it has made steps
    settled: bool = True  # whether contacts are decided as they stand; else they are before the next step
    presence: Mapping[Contact, tuple[float, float]] = field(default_factory=dict)  # from when until when there is each
    waiting: Mapping[str, PendingContact] = field(default_factory=dict)  # contacts whose shapes are only bounded yet
    overlaps: frozenset[Contact] = frozenset()  # shapes that lie in each other, and are not looked at until apart
    inputs_seen: Mapping[int, float] = field(default_factory=dict)  # inputs in rows that speeds follow, by place
    stopped: tuple[float, frozenset[str]] = (-math.inf, frozenset())  # when conditions ended it last, and which
    parted: float = -math.inf  # when rows of contacts that contradict each other were left last
    names: Names = field(default_factory=Names)  # of what came into the run, for states that are written down
    short: tuple[float, float] | None = None  # from when until when steps are short, as shapes may pass unseen there
    grid: tuple[float, float] | None = None  # from when fixed steps are counted, and how long they are
    controllers: Controllers = field(default_factory=Controllers)  # sampled laws, and how each stands
    stiffness: Stiffness | None = None  # where its first mode began, by which its method was chosen

    def but(self, **changes: Any) -> SimState:
        """The same state with some parts of it changed."""
        made: SimState = object.__new__(SimState)
        object.__setattr__(made, "__dict__", self.__dict__ | changes)  # much quicker than dataclasses.replace
        return made

    @property
    def active(self) -> tuple[str, ...]:
        """The constraints that hold, and the contacts that are closed, by name."""
        return (*self.holds, *self.contacts.labels)

    def stands_in(self, dynamics: ModeDynamics) -> bool:
        """Whether steps of these equations ended here, and nothing has moved since: they go on, however good they
        are."""
        return self.standing is not None and self.standing[0] is dynamics and self.standing[1] is self.x

    @property
    def held_names(self) -> tuple[str, ...]:
        """The same by all names that rules may use."""
        return (*self.holds, *self.contacts.closed_names)

    @property
    def limited(self) -> set[str]:
        """Constraints that hold up to a force: they pass on no impulse, whose force has no bound."""
        return {name for name, hold in self.holds.items() if hold.limit is not None}

    @property
    def rest_now(self) -> Array:
        """Inputs, parameters and the numbers of tables now: what stands behind (t, q, u)."""
        return self.driven.rest_at(self.rest, self.t)

    @property
    def row(self) -> Array:
        """(t, q, u, rest) now: what programs are evaluated at."""
        n, rest = len(self.x), self.rest_now
        row = np.empty(n + len(rest))
        row[0], row[1:n], row[n:] = self.t, self.x[:-1], rest
        return row

    @property
    def inputs(self) -> Array:
        return self.rest[: len(self.driven.equations.r)]

    @property
    def parameters(self) -> Array:
        return self.rest[len(self.driven.equations.r) :][: len(self.driven.equations.p)]

    @property
    def place(self) -> bytes:
        """Coordinates and parameters."""
        return self.x[: len(self.driven.equations.q)].tobytes() + self.parameters.tobytes()

    @property
    def asleep_with(self) -> tuple[tuple[Any, ...], ...]:
        """What looks at pairs, at contacts and at curves depend on, besides the place."""
        equations, s = self.driven.equations, self.contacts
        return (equations, self.presence), (equations, s.members), (equations, *s.tracked)

    def having_slept(self, sleeping: Sleeping | None) -> SimState:
        """The same, where a run has come with so much spent of the rooms of what sleeps."""
        return self if sleeping is None else self.but(sleeping=sleeping.at(self.place))

    def at(self, row: Array) -> SimState:
        """The same at the coordinates and speeds of another row (t, q, u, rest); time and work stay."""
        return self.but(x=np.append(row[1 : len(self.x)], self.x[-1]))

    def unsettled(self) -> SimState:
        """The same, with contacts to be decided anew before the next step."""
        return self.but(settled=not self.contacts.members)

    def __reduce__(self) -> Any:
        return Checkpoint, tuple(getattr(written(self), part.name) for part in fields(Checkpoint))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Checkpoint):
            return written(self) == other
        return isinstance(other, SimState) and (self is other or written(self) == written(other))

    def __hash__(self) -> int:
        return hash((self.t, self.x.tobytes()))

    def __repr__(self) -> str:
        held = ", ".join(self.active) or "nothing"
        return f"<SimState of '{self.driven.equations.name}' at t = {self.t:.9g}, with {held} held>"

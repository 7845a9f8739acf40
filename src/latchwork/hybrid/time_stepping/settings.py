"""TimeStepping: whether and how a run may be stepped through events that come too thick."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Literal

from latchwork.errors import EvaluationError, must_be, spelled

MANY = 12  # contacts, or speeds of a tree that collides: then a run is stepped where events come too thick
AUTOMATIC = 2.0**-9  # of the time of the model: a step where none was given
SPEEDS = 24  # coupled by closed contacts at an event that counts twice: to follow it costs the cube, a step as many
LONGER = 2  # times as many steps each time that events were too thick again


@spelled
@dataclass(frozen=True)
class TimeStepping:
    """Time stepping with impulses (Moreau), where following each event would take too long.

    It begins where more than ``most`` events fall within ten times the ``step``, and ends after ``calm`` steps without
    an impact, unless more than a dozen contacts are closed; ``always`` steps the whole run, until all is at rest: what
    contacts can stop within a step, and hold, has stopped. Impacts lie at the ends of steps then, and a rebound that is
    shorter than a step does not leave the ground.
    """

    step: float = 1e-3
    most: int = 20
    calm: int = 50
    always: bool = False

    def __post_init__(self) -> None:
        for name in ("step", "most", "calm"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0.0 < value < math.inf):
                raise EvaluationError(f"lw.TimeStepping has {name} = {value!r}. Give a positive number.")
        must_be(self.always, bool, "always of lw.TimeStepping", "Give True or False.")


@dataclass(frozen=True)
class EventRate:
    """The event-rate monitor of a run: the times of its last events, whether they are too thick, and how long it is
    stepped then. Each change of it gives another one."""

    settings: TimeStepping | None
    times: tuple[float, ...] = ()
    stuck: bool = False
    rests: bool = False
    visits: int = 0
    by_itself: bool = False  # whether nobody asked for it
    speeds: int = 0  # of the model, where events of closed contacts weigh more
    loads: tuple[float, ...] = ()  # what each of the last events counts
    stays: bool = False  # whether it rests where events cannot be followed: it is stepped on at rest
    follows: bool = False  # whether events are followed however thick they come, as long as the run gets on

    @property
    def is_thick(self) -> bool:
        s = self.settings
        if s is None or self.rests:
            return False
        return self.stuck or (not self.follows and (s.always or sum(self.loads) > s.most))

    @property
    def allowed(self) -> bool:
        """Whether the run may be stepped where events come thick."""
        return self.settings is not None and not self.follows

    @property
    def left(self) -> float:
        """How many more events there may be before they are too thick."""
        if self.stuck:
            return 0.0
        if self.settings is None or self.follows:
            return math.inf
        return max(self.settings.most - sum(self.loads), 0.0) / (self.loads[-1] if self.loads else 1.0)

    def count(self, t: float, closed: int = 0) -> EventRate:
        """With one more event, at which so many contacts are closed."""
        if self.settings is None or self.follows:
            return self
        since, load = t - 10.0 * self.settings.step, 1.0 + (min(3 * closed, self.speeds) / SPEEDS) ** 2
        times = (*dropwhile(lambda time: time < since, self.times), t)
        made: EventRate = object.__new__(EventRate)
        changes = {"times": times, "loads": (*self.loads, load)[-len(times) :], "rests": False}
        object.__setattr__(made, "__dict__", self.__dict__ | changes)  # much quicker than dataclasses.replace
        return made

    def without_events(self) -> EventRate:
        """Events cannot be followed from here: the equations of what holds have no unique answer."""
        return replace(self, stuck=True, rests=False, stays=self.rests)

    def leave(self, rests: bool) -> EventRate:
        """Events are followed again; where everything is at rest, until there is one."""
        return replace(self, times=(), loads=(), stuck=False, stays=False, rests=rests, visits=self.visits + 1)

    @property
    def least(self) -> int:
        """Calm steps asked for: more each time, for who comes back often leaves too early."""
        assert self.settings is not None, "only a run that may be stepped counts steps"
        return int(self.settings.calm * LONGER ** min(self.visits, 8))


def event_rate_of(thick: TimeStepping | Literal[False] | None, contacts: int, time: float, speeds: int,
                  tree: int = 0) -> EventRate:  # fmt: skip
    """The monitor of a run: as it was asked for, not at all, or by itself where there are many contacts.

    By itself, an event at which k contacts are closed, which couple n = 3 k speeds, or all, counts 1 + (n/24)² times:
    to follow it exactly costs factors of matrices of that size, n³, and a time step of bodies that touch their
    neighbours costs n. Balls that collide and part again are followed, however many there are.
    Where a tree of many speeds collides without lists of contacts, a robot on the floor, a second event is too thick,
    for what its contacts decide together at an event takes as long as tens of steps. A run of few contacts follows
    events however thick they come; only where it cannot get on from an instant it is stepped from there.
    """
    if not (thick or thick is False) and tree >= MANY:
        return EventRate(TimeStepping(AUTOMATIC * time, most=1), by_itself=True)
    if thick or thick is False or contacts == 0:
        return EventRate(thick or None)
    return EventRate(TimeStepping(AUTOMATIC * time), by_itself=True, speeds=speeds, follows=contacts <= MANY)

"""TimeStepping: whether and how a run may be stepped through events that come too thick."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from latchwork.errors import EvaluationError

LONGER = 2  # times as many steps each time that events were too thick again


@dataclass(frozen=True)
class TimeStepping:
    """A run is stepped where events come too thick, and follows events again when things are calm.

    ``step`` is the time of one step; more than ``most`` events within ten steps are too thick, and ``calm`` steps
    without an impact are calm. With ``always`` the whole run is stepped, until all is at rest: what contacts can stop
    within a step, and hold, has stopped. Impacts lie at the ends of steps then, and a
    rebound shorter than a step is none.
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


@dataclass
class Thicket:
    """Counts the events of a run: whether they are too thick, and how long it is stepped then."""

    settings: TimeStepping | None
    times: deque[float] = field(default_factory=deque)
    stuck: bool = False
    rests: bool = False
    visits: int = 0

    @property
    def is_thick(self) -> bool:
        s = self.settings
        return s is not None and not self.rests and (s.always or self.stuck or len(self.times) > s.most)

    @property
    def allowed(self) -> bool:
        """Whether the run may be stepped."""
        return self.settings is not None

    @property
    def left(self) -> float:
        """How many more events there may be before they are too thick."""
        return math.inf if self.settings is None else max(self.settings.most - len(self.times), 0)

    def count(self, t: float) -> None:
        """One more event."""
        if self.settings is not None:
            self.times.append(t)
            self.rests = False
            while self.times and self.times[0] < t - 10.0 * self.settings.step:
                self.times.popleft()

    def leave(self, rests: bool) -> None:
        """Events are followed again; where everything is at rest, until there is one."""
        self.times.clear()
        self.stuck, self.rests = False, rests
        self.visits += 1

    @property
    def least(self) -> int:
        """Calm steps asked for: more each time, for who comes back often leaves too early."""
        assert self.settings is not None, "only a run that may be stepped counts steps"
        return int(self.settings.calm * LONGER ** min(self.visits, 8))

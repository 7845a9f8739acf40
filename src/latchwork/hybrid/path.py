"""The path of a run: solutions that follow each other, each in the states of its own dynamics.

A mode is how the mechanism is stepped for a while: the unconstrained equations in x = (q, u, work), or a mode, whose
states are (q, u_ind, work). `full` gives all speeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.table import Array
from latchwork.integrate.dense_output import Solution, Stats
from latchwork.integrate.problem import Settle
from latchwork.integrate.status import Status
from latchwork.integrate.workspace import Memory
from latchwork.program.function import Executable


class ModeDynamics(Protocol):
    """How a mechanism is stepped for a while."""

    @property
    def function(self) -> Executable:
        """ẋ."""
        ...

    @property
    def guards(self) -> Executable | None:
        """What ends the dynamics."""
        ...

    @property
    def settle(self) -> Settle | None:
        """What brings a state back to where it belongs after a step."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The constraints that hold."""
        ...

    @property
    def memory(self) -> Memory:
        """What steps it, kept from run to run."""
        ...

    def reduced(self, x: Array) -> Array:
        """The states of this dynamics, from (q, u, work)."""
        ...

    def places(self, full: int) -> NDArray[np.intp]:
        """Where its states stand in (q, u, work), of so many."""
        ...

    def full(self, t: Array, x: Array, rest: Array) -> tuple[Array, Array | None]:
        """(q, u, work) and u̇ for rows of states; no u̇ where the equations give it."""
        ...

    def get_ready(self) -> None:
        """Make now what is needed where a run of it ends."""
        ...

    def end(self, t: float, x: Array, rest: Array) -> tuple[Array, bool]:
        """(q, u, work) of the state at which a run ends, and whether it surely belongs to the mode: else `verify`."""
        ...

    def look(self, t: float, x: Array, rest: Array) -> Array:
        """The guards at (q, u, work), then their rates."""
        ...

    def accelerations(self, t: Array, x: Array, rest: Array) -> Array:
        """u̇ for rows of states."""
        ...

    def off(self, t: Array, x: Array, rest: Array) -> dict[str, float]:
        """By how much rows are not met, at most, at any of some states."""
        ...

    def verify(self, t: float, x: Array, rest: Array) -> None:
        """Refuse a state (q, u, work) that does not belong to the dynamics."""
        ...

    def told(self, t: float, x: Array, rest: Array, reason: Status | None) -> str:
        """What is worth knowing where a run could not go on."""
        ...

    def rewritten(self, t: float, x: Array, rest: Array) -> ModeDynamics:
        """The dynamics in speeds that suit the state (q, u, work) better."""
        ...


class Commanding(ModeDynamics, Protocol):
    """A mode in which a law commands inputs."""

    @property
    def inputs(self) -> list[int]:
        """Where they stand among the inputs."""
        ...

    def commands(self, t: Array, x: Array, rest: Array) -> Array:
        """The inputs at rows of states."""
        ...


def is_commanding(dynamics: ModeDynamics) -> TypeGuard[Commanding]:
    """Whether a law commands inputs in a mode; a mode that was time-stepped may be asked, too."""
    return hasattr(dynamics, "commands")


class Segment(NamedTuple):
    """A solution and the dynamics it was made in."""

    solution: Solution
    dynamics: ModeDynamics


@dataclass(frozen=True, eq=False)
class Path:
    """Segments in the order of time; at a jump, both states are kept, and the later one counts."""

    driven: Driven
    segments: tuple[Segment, ...]
    rest: Array

    @cached_property
    def _all(self) -> tuple[Array, Array, Array | None]:
        parts = self._together([(s, s.solution.t, s.solution.x) for s in self.segments])
        times = [s.solution.t for s in self.segments]
        for i in range(1, len(parts)):
            if np.array_equal(parts[i][0][0], parts[i - 1][0][-1]):  # no jump: one sample is enough
                x, udot = parts[i - 1]
                times[i - 1] = times[i - 1][:-1]
                parts[i - 1] = (x[:-1], None if udot is None else udot[:-1])
        return np.concatenate(times), np.concatenate([x for x, _ in parts]), _joined([udot for _, udot in parts])

    def _together(self, items: list[tuple[Segment, Array, Array]]) -> list[tuple[Array, Array | None]]:
        """(q, u, work) and u̇ of rows of states, segment by segment; where one has u̇, all have."""
        rest = [self._held(segment, t) for segment, t, _ in items]
        parts = [self._full(*item, held) for item, held in zip(items, rest, strict=True)]
        if all(udot is None for _, udot in parts):
            return parts
        return [(full, segment.dynamics.accelerations(t, x, r) if udot is None else udot)
                for (full, udot), (segment, t, x), r in zip(parts, items, rest, strict=True)]  # fmt: skip

    def _full(self, segment: Segment, t: Array, x: Array, rest: Array) -> tuple[Array, Array | None]:
        full, udot = segment.dynamics.full(t, x, rest)
        n_q, late = full.shape[1] - 1 - len(self.driven.equations.u), self._width - full.shape[1]
        if late:  # coordinates that came into the run later have no value yet
            full = np.insert(full, [n_q] * late, np.nan, axis=1)
        return full, udot

    def _held(self, segment: Segment, t: Array) -> Array:
        """Inputs at some times of a segment: at its end, where an input of its rows jumps, what was before."""
        if getattr(segment.dynamics, "follows_inputs", False):
            end, begin = segment.solution.t[-1], segment.solution.t[0]
            t = np.where((t == end) & (end > begin), np.nextafter(end, -np.inf), t)
        return self.driven.rest_at(self.rest, t)

    def rest_at(self, rest: Array, t: Array, x: Array) -> Array:
        """Inputs at samples (q, u, work) of the run, with the inputs that laws of its modes command there."""
        held = self.driven.rest_at(rest, t)
        if not any(is_commanding(segment.dynamics) for segment in self.segments):
            return held
        which = at_jumps([segment.solution.t[0] for segment in self.segments], t)
        for i in np.unique(which):
            dynamics, here = self.segments[i].dynamics, np.flatnonzero(which == i)
            if is_commanding(dynamics):
                rows = x[here][:, dynamics.places(x.shape[1])]
                held[here[:, None], dynamics.inputs] = dynamics.commands(t[here], rows, held[here])
        return held

    @property
    def _width(self) -> int:
        return len(self.driven.equations.q) + len(self.driven.equations.u) + 1

    @property
    def t(self) -> Array:
        """The times of all samples."""
        return self._all[0]

    @property
    def x(self) -> Array:
        """(q, u, work) of all samples."""
        return self._all[1]

    @property
    def udot(self) -> Array | None:
        """u̇ of all samples, where constraints act."""
        return self._all[2]

    @property
    def stats(self) -> Stats:
        """What all segments cost together."""
        sums = [sum(numbers) for numbers in zip(*(s.solution.stats for s in self.segments), strict=True)]
        return Stats(*sums)

    @cached_property
    def constraint_error(self) -> float:
        """The largest Φ, or B u + C, at any sample, each over the length of its row."""
        return max((value for segment in self.segments for value in self.off(segment).values()), default=0.0)

    def off(self, segment: Segment) -> dict[str, float]:
        """By how much rows are not met, at most, at any sample of a segment."""
        t, x = segment.solution.t, segment.solution.x
        return segment.dynamics.off(t, x, self.driven.rest_at(self.rest, t))

    def at(self, t: Array) -> tuple[Array, Array | None]:
        """(q, u, work) at any times of the run, and u̇ where constraints act."""
        starts = np.array([s.solution.t[0] for s in self.segments])
        last = float(self.segments[-1].solution.t[-1])
        outside = ~((t >= starts[0]) & (t <= last))
        if outside.any():
            raise EvaluationError(
                f"t = {float(t[outside][0])!r} lies outside the solution, which runs from {float(starts[0])!r} to "
                f"{last!r}. Integrate further, or ask within."
            )
        if not len(t):
            return np.empty((0, self.x.shape[1])), None
        which = np.searchsorted(starts, t, side="right") - 1
        order = np.argsort(which, kind="stable")
        which, t = which[order], t[order]
        first = [0, *(np.flatnonzero(which[1:] != which[:-1]) + 1).tolist(), len(t)]
        items: list[tuple[Segment, Array, Array]] = []
        for a, b in pairwise(first):
            segment = self.segments[which[a]]
            solution = segment.solution
            when = np.minimum(t[a:b], solution.t[-1])
            is_sample = b - a == 1 and (when[0] == solution.t[0] or when[0] == solution.t[-1])
            x = solution.x[:1] if when[0] == solution.t[0] else solution.x[-1:]
            items.append((segment, when, x if is_sample else solution.at(when)))
        rows, back = self._together(items), np.argsort(order)
        udot = _joined([u for _, u in rows])
        return np.concatenate([x for x, _ in rows])[back], None if udot is None else udot[back]


def at_jumps(starts: ArrayLike, t: Array) -> NDArray[np.intp]:
    """The piece that each sample belongs to, of pieces that begin at ``starts``.

    At a jump there is a sample on either side: the first of two equal times belongs to the earlier piece.
    """
    after, before = (np.maximum(np.searchsorted(starts, t, side=side) - 1, 0) for side in ("right", "left"))
    same = t[1:] == t[:-1]
    return np.where(np.append(same, False) & ~np.append(False, same), before, after)


def _joined(parts: list[Array | None]) -> Array | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None

"""A solution of ẋ = f(t, x): samples, and what lies between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError

Array = NDArray[np.float64]
Rates = Callable[[Array, Array], Array]


class Stats(NamedTuple):
    """What a run cost: accepted steps, rejected steps, evaluations of the right-hand side."""

    steps: int
    rejected: int
    evaluations: int


class Event(NamedTuple):
    """Guards that fell through zero, by their numbers; when; and the state there, at which none of them is above 0.

    No guards at all: the equations ask to be written in other speeds.
    """

    t: float
    guards: tuple[int, ...]
    x: Array


@dataclass(eq=False, slots=True)
class Solution:
    """Samples t, x and ẋ, and for each interval the quartic term of its dense output; the event that ended it, if any.

    Where ẋ jumps at samples (an input that is held between the rows of a table), ``dx`` is ẋ after the jump, and
    ``ends`` holds ẋ at the end of each interval; otherwise the interval ends with the ẋ of its sample.
    """

    t: Array  # (samples,)
    x: Array  # (samples, n)
    dx: Array  # (samples, n)
    bend: Array  # (samples − 1, n)
    stats: Stats
    event: Event | None = None
    ends: Array | None = None  # (samples − 1, n)

    def at(self, t: ArrayLike) -> Array:
        """The state at any time of the run, (n,) for a number, (m, n) for an array; exact at the samples."""
        when = np.atleast_1d(np.asarray(t, dtype=float))
        inside = (when >= self.t[0]) & (when <= self.t[-1])
        if not inside.all():
            raise EvaluationError(
                f"t = {float(when[~inside][0])!r} lies outside the solution, which runs from {float(self.t[0])!r} to "
                f"{float(self.t[-1])!r}. Integrate further, or ask within."
            )
        x = self._between(when)
        return x if np.ndim(t) else np.asarray(x[0])

    def _between(self, when: Array) -> Array:
        """Each time in the interval that it starts or lies in."""
        if len(self.t) == 1:
            return np.repeat(self.x, len(when), axis=0)
        i = np.clip(np.searchsorted(self.t, when, side="right") - 1, 0, len(self.t) - 2)
        h = (self.t[i + 1] - self.t[i])[:, None]
        theta = (when - self.t[i])[:, None] / h
        ends = self.dx[1:] if self.ends is None else self.ends
        x = dense(theta, h, self.x[i], self.x[i + 1], self.dx[i], ends[i], self.bend[i])
        return np.where(when[:, None] == self.t[i + 1][:, None], self.x[i + 1], x)


def dense(theta: Array, h: Array, x0: Array, x1: Array, dx0: Array, dx1: Array, bend: Array) -> Array:
    """``x(θ) = x0 + θ (Δ + (1−θ) (β + θ (Δ − h ẋ1 − β + (1−θ) bend)))``, Δ = x1 − x0, β = h ẋ0 − Δ.

    The cubic of Hermite through both ends, and ``θ² (1−θ)² bend``.
    """
    delta = x1 - x0
    beta = h * dx0 - delta
    rest = 1.0 - theta
    result: Array = x0 + theta * (delta + rest * (beta + theta * (delta - h * dx1 - beta + rest * bend)))
    return result


def join(parts: Sequence[Solution]) -> Solution:
    """Solutions that follow each other as one; ẋ may jump in between."""
    if len(parts) == 1:
        return parts[0]
    t, x, dx = (np.concatenate([*(a[:-1] for a in columns[:-1]), columns[-1]])
                for columns in zip(*((part.t, part.x, part.dx) for part in parts), strict=True))  # fmt: skip
    bend = np.concatenate([part.bend for part in parts])
    ends = np.concatenate([part.dx[1:] if part.ends is None else part.ends for part in parts])
    sums = [sum(numbers) for numbers in zip(*(part.stats for part in parts), strict=True)]
    return Solution(t, x, dx, bend, Stats(*sums), parts[-1].event, ends)


class Record:
    """The samples of a run while it goes on; each call of a stepper fills some rows more.

    With ``samples`` the steps themselves are forgotten once the times that lie in them have been sampled.
    """

    def __init__(self, t: float, x: Array, dx: Array, samples: Array | None = None, rates: Rates | None = None) -> None:
        self.parts = [(np.array([t]), x[None].copy(), dx[None].copy(), np.empty((0, len(x))))]
        self.samples, self.sampled, self.rates = samples, [np.empty((0, len(x)))], rates

    def room(self, rows: int) -> tuple[Array, Array, Array, Array]:
        """Fresh rows of t, x, ẋ and bend."""
        n = self.parts[0][1].shape[1]
        return np.zeros(rows), np.zeros((rows, n)), np.zeros((rows, n)), np.zeros((rows, n))

    def keep(self, columns: tuple[Array, Array, Array, Array], rows: int) -> None:
        """Keep the first rows of the columns."""
        t, x, dx, bend = columns
        self.parts.append((t[:rows].copy(), x[:rows].copy(), dx[:rows].copy(), bend[:rows].copy()))
        if self.samples is not None and rows:
            self._sample(self.samples)

    def _sample(self, samples: Array) -> None:
        """Sample the steps at hand, and forget all but the end of the last."""
        steps, done = self._steps(Stats(0, 0, 0)), sum(map(len, self.sampled))
        self.sampled.append(steps.at(samples[done : np.searchsorted(samples, steps.t[-1], side="right")]))
        self.parts = [(steps.t[-1:], steps.x[-1:], steps.dx[-1:], steps.bend[:0])]

    @property
    def t(self) -> float:
        """The time of the last step."""
        return float(next(part[0][-1] for part in reversed(self.parts) if len(part[0])))

    @property
    def steps(self) -> int:
        """How many rows there are after the first."""
        return sum(len(part[0]) for part in self.parts) - 1

    def solution(self, stats: Stats, event: Event | None = None) -> Solution:
        """All rows together; or the samples and the end, with cubics in between."""
        if self.samples is None or self.rates is None:
            return self._steps(stats, event)
        self._sample(self.samples)
        x = np.concatenate(self.sampled)
        t = self.samples[: len(x)]
        if not len(t) or t[-1] < self.t:
            t, x = np.append(t, self.t), np.concatenate([x, self.parts[-1][1]])
        return Solution(t, x, self.rates(t, x), np.zeros((len(t) - 1, x.shape[1])), stats, event)

    def _steps(self, stats: Stats, event: Event | None = None) -> Solution:
        t, x, dx, bend = (np.concatenate(column) for column in zip(*self.parts, strict=True))
        return Solution(t, x, dx, bend, stats, event)

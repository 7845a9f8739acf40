"""A solution of ẋ = f(t, x): samples, and what lies between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Stats:
    """What a run cost: accepted steps, rejected steps, evaluations of the right-hand side."""

    steps: int
    rejected: int
    evaluations: int


@dataclass(frozen=True, eq=False)
class Solution:
    """Samples t, x and ẋ, and for each interval the quartic term of its dense output."""

    t: Array  # (samples,)
    x: Array  # (samples, n)
    dx: Array  # (samples, n)
    bend: Array  # (samples − 1, n)
    stats: Stats

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
        x = dense(theta, h, self.x[i], self.x[i + 1], self.dx[i], self.dx[i + 1], self.bend[i])
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


class Record:
    """The samples of a run while it goes on; each call of a stepper fills some rows more."""

    def __init__(self, t: float, x: Array, dx: Array) -> None:
        self.parts = [(np.array([t]), x[None].copy(), dx[None].copy(), np.empty((0, len(x))))]

    def room(self, rows: int) -> tuple[Array, Array, Array, Array]:
        """Fresh rows of t, x, ẋ and bend."""
        n = self.parts[0][1].shape[1]
        return np.zeros(rows), np.zeros((rows, n)), np.zeros((rows, n)), np.zeros((rows, n))

    def keep(self, columns: tuple[Array, Array, Array, Array], rows: int) -> None:
        """Keep the first rows of the columns."""
        t, x, dx, bend = columns
        self.parts.append((t[:rows], x[:rows], dx[:rows], bend[:rows]))

    @property
    def t(self) -> float:
        """The time of the last sample."""
        return float(next(part[0][-1] for part in reversed(self.parts) if len(part[0])))

    @property
    def steps(self) -> int:
        """How many samples there are after the first."""
        return sum(len(part[0]) for part in self.parts) - 1

    def solution(self, stats: Stats) -> Solution:
        """All rows together."""
        t, x, dx, bend = (np.concatenate(column) for column in zip(*self.parts, strict=True))
        return Solution(t, x, dx, bend, stats)

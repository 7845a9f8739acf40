"""Stepped: a stretch of a run that was time-stepped, as a mode of its path."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.terms import Terms
from latchwork.errors import EvaluationError
from latchwork.hybrid.table import Array
from latchwork.integrate.workspace import Memory

if TYPE_CHECKING:
    from latchwork.hybrid.path import Path


@dataclass(frozen=True, eq=False)
class Stepped:
    """States (q, u, work) at even times; u̇ is the mean over each step, impacts included. It cannot be integrated."""

    t: Array
    udot: Array  # (steps, n)
    held: Terms = field(repr=False)
    lost: float = 0.0  # energy that the steps lost by themselves, and what they were kept from gaining
    kept: float = 0.0
    unmet: float = 0.0  # of the velocities at hand: the most by which laws of contact were not met
    names: tuple[str, ...] = ("time stepping",)
    guards: None = None
    settle: None = None
    memory: Memory = field(default_factory=Memory, repr=False)

    @property
    def function(self) -> Any:
        raise EvaluationError("a stretch that was time-stepped has no right-hand side. Ask for its samples.")

    def reduced(self, x: Array) -> Array:
        return x

    def places(self, full: int) -> NDArray[np.intp]:
        return np.arange(full, dtype=np.intp)

    def full(self, t: Array, x: Array, rest: Array) -> tuple[Array, Array]:
        step = np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.udot) - 1)
        return x, self.udot[step]

    def get_ready(self) -> None:
        """Nothing is needed where a run of it ends."""

    def end(self, t: float, x: Array, rest: Array) -> tuple[Array, bool]:
        return x, True

    def look(self, t: float, x: Array, rest: Array) -> Array:
        return np.empty(0)

    def accelerations(self, t: Array, x: Array, rest: Array) -> Array:
        return self.full(t, x, rest)[1]

    def off(self, t: Array, x: Array, rest: Array) -> dict[str, float]:
        """For each row that holds the largest Φ, or B u + C, over its length."""
        if not len(self.held.rows):
            return {}
        states = np.column_stack([t, x[:, :-1], rest])
        off = self.held.off(states, self.held.typical(states[0]))
        return dict(zip(self.held.rows.names, off.tolist(), strict=True))

    def verify(self, t: float, x: Array, rest: Array) -> None:
        """Every state belongs to it."""

    def told(self, t: float, x: Array, rest: Array, reason: Any) -> str:
        return ""

    def rewritten(self, t: float, x: Array, rest: Array) -> Stepped:
        return self


def numerical(path: Path) -> tuple[float, float]:
    """What time steps lost of the energy by themselves, and what they were kept from gaining."""
    intervals = [s.dynamics for s in path.segments if isinstance(s.dynamics, Stepped)]
    return sum(each.lost for each in intervals), sum(each.kept for each in intervals)


def contact_error(path: Path) -> float:
    """The most by which laws of contact were not met in time steps, as a part of the velocities at hand."""
    return max([s.dynamics.unmet for s in path.segments if isinstance(s.dynamics, Stepped)], default=0.0)


def stretches(path: Path) -> tuple[tuple[float, float, int], ...]:
    """From when to when a run was time-stepped, and in how many steps; what follows at once is one."""
    found: list[tuple[float, float, int]] = []
    for segment in path.segments:
        if isinstance(segment.dynamics, Stepped):
            t, steps = segment.solution.t, segment.solution.stats.steps
            start, end = float(t[0]), float(t[-1])
            if found and found[-1][1] == start:
                start, _, before = found.pop()
                steps += before
            found.append((start, end, steps))
    return tuple(found)

"""Contacts that touch at one state: what is asked about them, what is answered, and the problem without units.

    a = A λ + b,    A = J M̃⁻¹ Jᵀ symmetric, not negative;    rows: normal, tangents of each contact in turn
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.errors import EvaluationError


class State(Enum):
    """What a contact does next."""

    OPEN = "opens"
    SLIDE = "slides"
    STICK = "sticks"

    __hash__ = object.__hash__  # each is one object; it is a key wherever modes are remembered


@dataclass(frozen=True, eq=False)
class ContactProblem:
    """k contacts whose gaps and normal velocities are zero, all other constraints already eliminated from A and b."""

    names: tuple[str, ...]
    A: Array  # (n, n)
    b: Array  # (n,) free relative accelerations, velocity terms included
    tangents: tuple[int, ...]  # 0, 1 or 2 orthonormal ones of each contact
    mu_s: Array  # (k,)
    mu_d: Array  # (k,) not above mu_s
    slip: tuple[Array | None, ...]  # unit direction of the slip velocity; None where it is zero
    must_slip: tuple[Array | None, ...]  # where it has just left its cone: how it begins to slide


@dataclass(frozen=True, eq=False)
class ContactSolution:
    """States that obey the laws of contact, with forces and accelerations that prove it."""

    states: tuple[State, ...]
    directions: tuple[Array | None, ...]  # of the slip, of those that slide with friction
    lam: Array
    a: Array
    iterations: int
    notes: tuple[str, ...] = ()


class Choice(NamedTuple):
    """A state tried for one contact; ``free`` where the direction follows from the acceleration."""

    state: State
    direction: Array | None = None
    free: bool = False


OPEN, STICK, SMOOTH = Choice(State.OPEN), Choice(State.STICK), Choice(State.SLIDE)


class Problem(NamedTuple):
    """The same without units: λ = beta s λ', s a = beta a', so that A' = s A s is 1 and b' is 1 at most.

    s is one number for each contact, the root of an effective mass, so that cones of friction stay as they are.
    """

    names: tuple[str, ...]
    A: Array
    b: Array
    at: list[int]  # first row of each contact
    t: tuple[int, ...]
    mu_s: list[float]
    mu_d: list[float]
    slip: tuple[Array | None, ...]
    must: tuple[Array | None, ...]
    s: Array
    beta: float

    def rough(self, i: int) -> bool:
        """Whether contact i has friction."""
        return self.t[i] > 0 and self.mu_s[i] > 0.0

    def closed(self, i: int) -> Choice:
        """What contact i does first if it stays closed: slides on, begins to slide where it must, or else sticks."""
        if not self.rough(i):
            return SMOOTH
        slip, must = self.slip[i], self.must[i]
        if slip is not None:
            return Choice(State.SLIDE, slip)
        return STICK if must is None else Choice(State.SLIDE, must)

    def moving(self, i: int) -> bool:
        """Whether friction of contact i has a direction already, or needs none."""
        return self.slip[i] is not None or not self.rough(i)


def scaled(resting: ContactProblem) -> Problem:
    """The problem without units, checked."""
    A, b = np.asarray(resting.A, dtype=float), np.asarray(resting.b, dtype=float)
    at, n = [], 0
    for count in resting.tangents:
        at.append(n)
        n += 1 + count
    _check(resting, A, b, n)
    if not n:
        return Problem(resting.names, A, b, at, resting.tangents, [], [], (), (), b, 1.0)
    masses = np.maximum.reduceat(A.diagonal(), at)
    masses[masses <= 0.0] = 1.0
    s = np.repeat(1.0 / np.sqrt(masses), [1 + count for count in resting.tangents])
    b = s * b
    beta = float(np.abs(b).max()) or 1.0
    mu_s, mu_d = (np.asarray(mu, dtype=float).tolist() for mu in (resting.mu_s, resting.mu_d))
    return Problem(
        resting.names, s[:, None] * A * s, b / beta, at, resting.tangents, mu_s, mu_d, resting.slip, resting.must_slip,
        s, beta,
    )


def _check(resting: ContactProblem, A: Array, b: Array, n: int) -> None:
    """Shapes and numbers."""
    k = len(resting.names)
    parts = (resting.tangents, resting.mu_s, resting.mu_d, resting.slip, resting.must_slip)
    if A.shape != (n, n) or b.shape != (n,) or any(len(part) != k for part in parts):
        raise EvaluationError(
            f"{k} contacts with {n} rows have A of shape {A.shape}, b of shape {b.shape} and {[len(p) for p in parts]} "
            "tangents, mu_s, mu_d, slip and must_slip. Give one row for each normal and tangent, and one of each per "
            "contact."
        )
    if not math.isfinite(b.sum() + A.sum()):
        bad = [name for name, i, t in zip(resting.names, _starts(resting), resting.tangents, strict=True)
               if not np.isfinite(b[i : i + 1 + t].sum() + A[i : i + 1 + t].sum())]
        raise EvaluationError(
            f"contacts {', '.join(map(repr, bad))} have accelerations that are not finite. Look for a state where "
            "a normal or a mass is not defined."
        )


def _starts(resting: ContactProblem) -> list[int]:
    return [sum(resting.tangents[:i]) + i for i in range(len(resting.tangents))]

"""Contacts with friction in the plane, resolved by trying every combination of open, sticking and slipping.

    M Δu = h + Σ (w_n N + w_t T),    a_n = w_n·Δu + b_n,  a_t = w_t·Δu + b_t

``resolve`` looks for N ≥ 0, a_n ≥ 0, N a_n = 0, and T within ±μ_s N with a_t = 0, or T = −μ_d N sign(a_t). With Δu the
accelerations these are forces; with Δu the jump of the speeds and b the velocities before, they are impulses and a_n,
a_t are the velocities after (plus e times those before): Kane's rule, and Moreau's.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

OPEN, STICK, FORWARD, BACKWARD = "open", "stick", "forward", "backward"


@dataclass(frozen=True)
class ContactPoint:
    """One contact: rows, what they add, friction; ``slip`` is the sign of the slip it already has, 0 if at rest."""

    normal: np.ndarray
    tangent: np.ndarray
    b_n: float = 0.0
    b_t: float = 0.0
    mu_s: float = 0.0
    mu_d: float = 0.0
    slip: int = 0

    @property
    def choices(self) -> tuple[str, ...]:
        moving = {1: (FORWARD,), -1: (BACKWARD,), 0: (STICK, FORWARD, BACKWARD)}[self.slip]
        return (OPEN, *moving)


@dataclass(frozen=True)
class Resolved:
    """Δu, and for each contact its state, N and T."""

    du: np.ndarray
    states: tuple[str, ...]
    N: np.ndarray
    T: np.ndarray


def resolve(M: np.ndarray, h: np.ndarray, contact_points: list[ContactPoint], tol: float = 1e-10) -> list[Resolved]:
    """Every consistent combination; one, unless the contacts are redundant or Painlevé's."""
    trials = (
        _trial(M, h, contact_points, states)
        for states in itertools.product(*(touch.choices for touch in contact_points))
    )
    return [trial for trial in trials if trial is not None and _consistent(trial, contact_points, tol)]


def _trial(
    M: np.ndarray, h: np.ndarray, contact_points: list[ContactPoint], states: tuple[str, ...]
) -> Resolved | None:
    """Solve the linear equations of one combination."""
    columns, rows, right, place = [], [], [], []
    for touch, state in zip(contact_points, states, strict=True):
        if state == OPEN:
            place.append((-1, 0.0))
            continue
        drag = {STICK: 0.0, FORWARD: -touch.mu_d, BACKWARD: touch.mu_d}[state]
        place.append((len(columns), drag))
        columns.append(touch.normal + drag * touch.tangent)
        rows.append(touch.normal)
        right.append(-touch.b_n)
        if state == STICK:
            columns.append(touch.tangent)
            rows.append(touch.tangent)
            right.append(-touch.b_t)
    n, k = len(h), len(rows)
    if k > n:
        return None
    system = np.block([[M, -np.reshape(columns, (k, n)).T], [np.reshape(rows, (k, n)), np.zeros((k, k))]])
    try:
        found = np.linalg.solve(system, np.concatenate([h, right]))
    except np.linalg.LinAlgError:
        return None
    du, force = found[:n], found[n:]
    N = np.array([force[i] if i >= 0 else 0.0 for i, _ in place])
    T = np.array([force[i + 1] if state == STICK else drag * N[j]
                  for j, ((i, drag), state) in enumerate(zip(place, states, strict=True))])  # fmt: skip
    return Resolved(du, states, N, T)


def _consistent(trial: Resolved, contact_points: list[ContactPoint], tol: float) -> bool:
    for touch, state, N, T in zip(contact_points, trial.states, trial.N, trial.T, strict=True):
        a_n, a_t = touch.normal @ trial.du + touch.b_n, touch.tangent @ trial.du + touch.b_t
        size = tol * (1.0 + abs(a_n) + abs(a_t) + abs(N))
        if (state == OPEN and a_n < -size) or (state != OPEN and -size * tol > N):
            return False
        if state == STICK and abs(T) > touch.mu_s * N + size * tol:
            return False
        if touch.slip == 0 and ((state == FORWARD and a_t <= size) or (state == BACKWARD and a_t >= -size)):
            return False
    return True

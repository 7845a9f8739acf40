"""Frames that carry velocities and accelerations as linear functions of q̇ and q̈: Newton-Euler for small mechanisms.

    ω = W q̇,   α = W q̈ + turning;    at the origin  v = V q̇,   a = V q̈ + moving        (all in space axes)

``equations`` sums Vᵀ m (a − g) + Wᵀ (I α + ω × I ω) over bodies: M q̈ = f. ``accelerations`` adds rows A q̈ + b = 0 by
the pseudo-inverse (Udwadia and Kalaba), so that dependent rows do no harm.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

Body = tuple["Frame", float, np.ndarray]  # at the mass centre; mass; inertia matrix in body axes


def skew(r: np.ndarray) -> np.ndarray:
    """The matrix of r ×."""
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


@dataclass(frozen=True)
class Frame:
    """A rigid frame and its origin x."""

    x: np.ndarray
    R: np.ndarray
    W: np.ndarray
    turning: np.ndarray
    V: np.ndarray
    moving: np.ndarray

    def moved(self, r: np.ndarray, u: np.ndarray) -> Frame:
        """The origin carried to r, given in body axes."""
        arm, omega = self.R @ r, self.W @ u
        bias = np.cross(self.turning, arm) + np.cross(omega, np.cross(omega, arm))
        return replace(self, x=self.x + arm, V=self.V - skew(arm) @ self.W, moving=self.moving + bias)

    def turned(self, axis: np.ndarray, k: int, q: np.ndarray, u: np.ndarray) -> Frame:
        """Turned by coordinate k about an axis through the origin, given in body axes."""
        along, W, K = self.R @ axis, self.W.copy(), skew(axis)
        W[:, k] += along
        R = self.R @ (np.eye(3) + np.sin(q[k]) * K + (1 - np.cos(q[k])) * K @ K)
        return replace(self, R=R, W=W, turning=self.turning + np.cross(self.W @ u, along) * u[k])


def ground(n: int) -> Frame:
    """Space, for n coordinates."""
    none = np.zeros((3, n))
    return Frame(np.zeros(3), np.eye(3), none, np.zeros(3), none, np.zeros(3))


def equations(bodies: Iterable[Body], u: np.ndarray, gravity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M and f of M q̈ = f."""
    M, f = np.zeros((len(u), len(u))), np.zeros(len(u))
    for body, mass, local in bodies:
        inertia, omega = body.R @ local @ body.R.T, body.W @ u
        M += mass * body.V.T @ body.V + body.W.T @ inertia @ body.W
        f -= mass * body.V.T @ (body.moving - gravity)
        f -= body.W.T @ (inertia @ body.turning + np.cross(omega, inertia @ omega))
    return M, f


def accelerations(M: np.ndarray, f: np.ndarray, A: np.ndarray, b: np.ndarray, rcond: float = 1e-9) -> np.ndarray:
    """q̈ = M⁻¹ f + L⁻ᵀ (A L⁻ᵀ)⁺ (−b − A M⁻¹ f) with M = L Lᵀ."""
    back = np.linalg.inv(np.linalg.cholesky(M)).T
    free = back @ (back.T @ f)
    return np.asarray(free + back @ (np.linalg.pinv(A @ back, rcond=rcond) @ (-b - A @ free)))

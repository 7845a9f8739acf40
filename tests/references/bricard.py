"""Bricard's mechanism, problem A04 of the IFToMM library: a closed chain of six revolute joints that should not move.

Five rods of 1 m, 1 kg and 0.1 m × 0.1 m and the ground make a loop; each rod's two axes are at right angles to it and
to each other. Released from rest, gravity 9.81 m/s² along −y, 10 s. Sources: ``references.iftomm``.

Coordinates are the five angles at P0 to P4; five rows close the loop at P5, four of them independent:

    M q̈ = f + Aᵀ λ,   A q̈ + b = 0,   by the pseudo-inverse.

The loop has a closed form, not used to solve it: q = (a, b, a, b, a) with sin a + sin b + sin a sin b = 0 (the
threefold-symmetric Bricard linkage: cos θ + cos φ + cos θ cos φ = 0, Chen, You and Tarnai, Int. J. Solids Struct. 42
(2005) 2287).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from references.rigid import Frame, accelerations, equations, ground

G = 9.81
POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)  # P0 to P5
AXES = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)  # at P0 to P5
WIDTH = 0.1  # 0 for thin rods

# x, y, z of P3 after 1, 2, ... 10 s (tolerances 1e-11 and 1e-13 agree to 1e-11, the energy to 1e-11 J).
REFERENCE_P3 = np.array(
    [
        [0.510501461187, -1.649167599395, 0.140123114553],
        [-0.969340344778, -1.221246894956, 0.754278010780],
        [-0.967199800049, -1.228020214674, 0.745983176176],
        [0.524899593391, -1.643876001336, 0.148835846116],
        [0.999999997738, -1.000067257698, 0.999932740040],
        [0.495873449943, -1.654324512274, 0.131605204045],
        [-0.971373849243, -1.214541874856, 0.762444017111],
        [-0.964948571670, -1.234859545230, 0.737560951778],
        [0.539064288495, -1.638453308240, 0.157735378358],
        [0.999999963806, -1.000269012696, 0.999730951120],
    ]
)


class Bricard:
    """Five angles at P0 to P4; rows: the end of rod 5 stays at P5, and its axis there along x (four of five count)."""

    def __init__(self, width: float = WIDTH) -> None:
        self.rods = np.diff(POINTS, axis=0)
        across, along = (1 + width**2) / 12, width**2 / 6
        self.inertias = [across * np.eye(3) + (along - across) * np.outer(rod, rod) for rod in self.rods]

    def frames(self, q: np.ndarray, u: np.ndarray) -> list[Frame]:
        """Frames of the rods with origins at P0 to P4, and the last carried to P5."""
        frames, frame = [], ground(5)
        for k, rod in enumerate(self.rods):
            frame = frame.turned(AXES[k], k, q, u)
            frames.append(frame)
            frame = frame.moved(rod, u)
        return [*frames, frame]

    def rows(self, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Φ, ∂Φ/∂q and the bias of Φ̈."""
        end = self.frames(q, u)[-1]
        axis, omega = end.R @ AXES[5], end.W @ u
        turn = np.array([np.cross(w, axis) for w in end.W.T]).T
        bias = np.cross(end.turning, axis) + np.cross(omega, np.cross(omega, axis))
        phi = np.concatenate([end.x - POINTS[5], axis[1:]])
        return phi, np.vstack([end.V, turn[1:]]), np.concatenate([end.moving, bias[1:]])

    def accelerations(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        frames = self.frames(q, u)
        bodies = [(f.moved(rod / 2, u), 1.0, I) for f, rod, I in zip(frames, self.rods, self.inertias, strict=False)]
        M, f = equations(bodies, u, np.array([0.0, -G, 0.0]))
        _, A, b = self.rows(q, u)
        return accelerations(M, f, A, b, rcond=1e-6)

    def energy(self, q: np.ndarray, u: np.ndarray) -> float:
        frames = self.frames(q, u)
        centres = [f.moved(rod / 2, u) for f, rod in zip(frames, self.rods, strict=False)]
        M, _ = equations([(c, 1.0, I) for c, I in zip(centres, self.inertias, strict=True)], u, np.zeros(3))
        return float(u @ M @ u / 2 + G * sum(c.x[1] for c in centres))

    def project(self, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        for _ in range(4):
            phi, A, _ = self.rows(q, u)
            q = q - np.linalg.pinv(A, rcond=1e-6) @ phi
        A = self.rows(q, u)[1]
        return q, u - np.linalg.pinv(A, rcond=1e-6) @ (A @ u)

    def solve(self, times: np.ndarray, rtol: float = 1e-11) -> np.ndarray:
        """Rows (q, u) at rising times, the first of them 0; projected at each."""
        states = [np.zeros(10)]
        for start, stop in pairwise(times):
            run = solve_ivp(
                lambda _, y: np.concatenate([y[5:], self.accelerations(y[:5], y[5:])]),
                (start, stop),
                states[-1],
                method="DOP853",
                rtol=rtol,
                atol=rtol,
            )
            states.append(np.concatenate(self.project(run.y[:5, -1], run.y[5:, -1])))
        return np.array(states)

    def p3(self, q: np.ndarray) -> np.ndarray:
        """Where rods 3 and 4 meet."""
        return self.frames(q, np.zeros(5))[3].x

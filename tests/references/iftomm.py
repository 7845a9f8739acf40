"""Problems A01 to A05 of the IFToMM library of computational benchmark problems; A01 and A02 solved.

M. González, D. Dopico, U. Lugrís, J. Cuadrado, A benchmarking system for MBS simulation software, Multibody System
Dynamics 16 (2006) 179-190, and http://lim.ii.udc.es/mbsbenchmark; the runs of 10 s and the geometry of A04 and A05 as
in L. Tagliapietra, M. Vivian, M. Reggiani et al., Multi-Body System Benchmark in OpenSim (2013-2015).

    A01   l φ̈ = −g sin φ                                     in Jacobi's elliptic functions
    A02   (N + (N+1)/3) l θ̈ = −(N + (N+1)/2) g cos θ          exact while all windows stay parallelograms

A03 is ``references.andrews``, A04 ``references.bricard``, A05 ``references.governor``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

G = 9.81
Solution = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Problem:
    """Length of the run, what is compared, and where known the largest error allowed (low and high precision).

    Errors are relative, with ``threshold`` in place of smaller magnitudes, over equally spaced outputs.
    """

    seconds: float
    compared: str
    outputs: int | None = None
    allowed: tuple[float, float] | None = None
    threshold: float | None = None


PROBLEMS = {
    "A01": Problem(10.0, "x, y of the particle; energy"),
    "A01 (2006)": Problem(2000.0, "x, y of the particle", 4000, (1e-1, 1e-3), 1e-3),
    "A02": Problem(10.0, "x, y of B0; energy"),  # N = 2
    "A02 (2006)": Problem(20.0, "x, y, ẋ, ẏ of B0", 400, (1e-1, 1e-3), 1e-3),  # N = 40
    "A03": Problem(0.05, "x, y of F; energy less the motor's work"),  # β(0) = −0.0620
    "A04": Problem(10.0, "x, y, z of P3; energy"),
    "A05": Problem(10.0, "s of the slider"),
}


# --- A01: a particle of 1 kg on a massless rod of 1 m, released from rest, horizontal; gravity −y ---------------------


def pendulum(t: np.ndarray, side: float = -1.0) -> np.ndarray:
    """Rows x, y, ẋ, ẏ; ``side`` is x(0), −1 (IFToMM) or 1 (2006)."""
    k2, rate = 0.5, np.sqrt(G)  # sin²(amplitude/2), amplitude π/2 from the lowest point
    sn, cn, dn, _ = ellipj(ellipk(k2) - rate * np.asarray(t), k2)
    half = np.sqrt(k2) * sn
    angle, speed = 2 * np.arcsin(half), -2 * np.sqrt(k2) * rate * cn * dn / np.sqrt(1 - half**2)
    s, c = np.sin(angle), np.cos(angle)
    return np.array([side * s, -c, side * speed * c, speed * s])


def pendulum_residual(y: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """ẍ = λ x, ÿ = λ y − g, x² + y² = 1 with λ eliminated: rows along and across the rod, and the rod's length."""
    x, v = y[:2], y[2:]
    across = x[0] * (acceleration[1] + G) - x[1] * acceleration[0]
    return np.array([x @ acceleration + v @ v, across, x @ x - 1.0])


# --- A02: N four-bar windows, 2 N + 1 uniform rods of 1 m and 1 kg, upright at the start; gravity −y ------------------


def four_bars(windows: int) -> list[tuple[str, tuple[float, float], tuple[float, float]]]:
    """Rods as (name, end, end) at the start: A_i B_i upright on ground pins A_i = (i, 0), B_(i−1) B_i on top."""
    uprights = [(f"A{i} B{i}", (float(i), 0.0), (float(i), 1.0)) for i in range(windows + 1)]
    couplers = [(f"B{i - 1} B{i}", (i - 1.0, 1.0), (float(i), 1.0)) for i in range(1, windows + 1)]
    return uprights + couplers


def four_bar_energy(windows: int, angle: float, rate: float) -> float:
    """Joule, above the ground pins; ``angle`` of the uprights from x."""
    inertia, lift = windows + (windows + 1) / 3, windows + (windows + 1) / 2
    return inertia * rate**2 / 2 + lift * G * sin(angle)


def four_bar_residual(windows: int, angle: float, rate: float) -> float:
    """How far the motion is from obeying d'Alembert's principle for the rods, N per kg.

    Rods in coordinates of their ends (M: m/3 for an end, m/6 between ends), held by their lengths; accelerations from
    the exact equation. What multipliers cannot balance is left; they grow without bound towards the flat position.
    """
    n, along, across = windows + 1, np.array([cos(angle), sin(angle)]), np.array([-sin(angle), cos(angle)])
    bend = -G * (windows + n / 2) / (windows + n / 3) * cos(angle)
    a = np.tile(bend * across - rate**2 * along, n)
    M, rows, load = np.zeros((2 * n, 2 * n)), np.zeros((2 * windows + 1, 2 * n)), np.zeros(2 * n)
    for i in range(n):
        here = slice(2 * i, 2 * i + 2)
        M[here, here] += np.eye(2) / 3
        load[2 * i + 1] -= G / 2
        rows[i, here] = along
        if i:
            before = slice(2 * i - 2, 2 * i)
            M[here, here] += np.eye(2) / 3
            M[before, before] += np.eye(2) / 3
            M[here, before] = M[before, here] = np.eye(2) / 6
            load[[2 * i - 1, 2 * i + 1]] -= G / 2
            rows[windows + i, 2 * i], rows[windows + i, 2 * i - 2] = 1.0, -1.0
    left = M @ a - load
    return float(np.abs(left - rows.T @ np.linalg.lstsq(rows.T, left, rcond=None)[0]).max())


def four_bar(windows: int, t_end: float = 10.0, rtol: float = 1e-13) -> Solution:
    """Rows angle and rate of the uprights; B0 = (cos, sin), with ẋ(0) = 1 m/s. Flat where sin angle = 0."""
    stiffness = G * (windows + (windows + 1) / 2) / (windows + (windows + 1) / 3)
    run = solve_ivp(
        lambda _, y: (y[1], -stiffness * cos(y[0])),
        (0.0, t_end),
        (pi / 2, -1.0),
        method="DOP853",
        rtol=rtol,
        atol=rtol,
        max_step=0.01,
        dense_output=True,
    )
    return lambda t: np.asarray(run.sol(t))

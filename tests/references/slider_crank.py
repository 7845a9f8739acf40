"""Aghili's slider-crank of equal lengths in exact one-degree-of-freedom form.

    m l² (3 − 2 cos 2θ) θ̈ + 2 m l² sin 2θ θ̇² + m g l cos θ = f1 − 2 f2,    q1 = θ,  q2 = 2π − 2θ

Two particles of mass m sit at the ends B and C of two massless links of length l; C slides on the x axis. The one
constraint y_C = l (sin q1 + sin(q1 + q2)) = 0 is singular where cos q1 = 0, the motion is not.

F. Aghili, A unified approach for inverse and direct dynamics of constrained multibody systems based on linear
projection operator, IEEE Trans. Robotics 21 (2005), §VIII: m = 1 kg, l = 1 m, θ(0) = 2π/3, f1 = 1 N m. He gives neither
gravity nor the initial speed nor the length of the run; here 9.81 m/s², rest and 10 s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
from scipy.integrate import solve_ivp

# θ and θ̇ after 10 s with the parameters below, in 32-digit arithmetic (extrapolation, order 20).
REFERENCE_END = (39.450832268551828352, 3.8556413386490567530)


@dataclass(frozen=True)
class SliderCrank:
    """Parameters of §VIII; f1 and f2 are the torques at the joints A and B."""

    m: float = 1.0
    l: float = 1.0
    g: float = 9.81
    f1: float = 1.0
    f2: float = 0.0
    theta: float = 2 * pi / 3
    rate: float = 0.0

    def acceleration(self, theta: float, rate: float) -> float:
        """θ̈."""
        m, l = self.m, self.l
        turning = self.f1 - 2 * self.f2 - m * self.g * l * cos(theta) - 2 * m * l**2 * sin(2 * theta) * rate**2
        return turning / (m * l**2 * (3 - 2 * cos(2 * theta)))

    def energy(self, theta: float, rate: float) -> float:
        """Kinetic and potential energy less the work of the torques: constant."""
        kinetic = self.m * self.l**2 * (3 - 2 * cos(2 * theta)) * rate**2 / 2
        return kinetic + self.m * self.g * self.l * sin(theta) - (self.f1 - 2 * self.f2) * theta

    def solve(self, t_end: float = 10.0, rtol: float = 1e-13) -> Callable[[np.ndarray], np.ndarray]:
        """The motion as a function of time, rows θ and θ̇, to about 1e-11."""
        run = solve_ivp(
            lambda _, y: (y[1], self.acceleration(y[0], y[1])),
            (0.0, t_end),
            (self.theta, self.rate),
            method="DOP853",
            rtol=rtol,
            atol=rtol,
            max_step=0.005,
            dense_output=True,
        )
        return lambda t: np.asarray(run.sol(t))

    def constraint_force(self, theta: float, rate: float) -> np.ndarray:
        """The generalized constraint force F_c in M q̈ + h = f + F_c; unique and smooth, where λ in F_c = Aᵀ λ is not.

        By Newton's law for the two particles: F_c = Σ (∂x/∂q)ᵀ m (ẍ − gravity) − f.
        """
        l, along = self.l, self.acceleration(theta, rate)
        s, c = sin(theta), cos(theta)
        weight = np.array([0.0, -self.g])
        turn = rate**2
        a_b = l * np.array([-s * along - c * turn, c * along - s * turn])
        a_c = l * np.array([-2 * s * along - 2 * c * turn, 0.0])  # C is at (2 l cos θ, 0)
        J_b = l * np.array([[-s, 0.0], [c, 0.0]])
        J_c = l * np.array([[0.0, s], [2 * c, c]])  # q1 + q2 = 2π − θ
        inertia = J_b.T @ (a_b - weight) + J_c.T @ (a_c - weight)
        return np.asarray(self.m * inertia - np.array([self.f1, self.f2]))

    def multiplier(self, theta: float, rate: float) -> float:
        """λ in F_c = Aᵀ λ with A = l cos θ [2 1]: the vertical force on C. It has a pole where cos θ = 0."""
        return float(self.constraint_force(theta, rate)[1] / (self.l * cos(theta)))

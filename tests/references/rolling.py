"""Bodies that roll without slip on a horizontal plane: the thin disk and the rattleback.

With γ the upward vertical and ρ(γ) the place of contact from the mass centre, in body axes, the contact at rest gives
v = ρ × ω, and Newton and Euler about the mass centre, the force of contact eliminated,

    I ω̇ + m ρ × (ω̇ × ρ) = −ω × I ω + m ρ × (ω × v − ω × ρ̇ + g γ),     γ̇ = γ × ω,    ρ̇ = (∂ρ/∂γ) γ̇

Energy ½ ω·I ω + ½ m v² − m g γ·ρ is constant.

Disk, θ from the vertical to the axle, Ω the rate of precession, ω3 the rate about the axle; a = m r² / (I3 + m r²) and
b = I3 / I1, both moments about the centre. Steady motions, θ constant:

    I1 Ω² sin θ cos θ − (I3 + m r²) Ω ω3 sin θ = m g r cos θ

In any motion ω3 is a solution of Legendre's equation in x = cos θ (Appell; Korteweg, 1900),

    ((1 − x²) w′)′ = a b w,    (1 − x²) w′ = −a Ω sin²θ,

so the two coefficients on its even and odd solutions are integrals, linear in the speeds.

Rattleback: T. R. Kane, D. A. Levinson, Realistic mathematical modeling of the rattleback, Int. J. Non-Linear Mechanics
17 (1982) 175-186: a, b, c, h = 20, 3, 2, 1 cm; A, B, C, D = 2, 16, 17, −0.2 cm² times the mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
from scipy.integrate import solve_ivp


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b of two vectors, ten times as fast as NumPy's of any arrays."""
    (a1, a2, a3), (b1, b2, b3) = a.tolist(), b.tolist()
    return np.array([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])


@dataclass(frozen=True)
class Disk:
    """A thin uniform disk; e3 is its axle."""

    m: float = 1.0
    r: float = 1.0
    g: float = 9.81

    @property
    def inertia(self) -> np.ndarray:
        return self.m * self.r**2 * np.diag([0.25, 0.25, 0.5])

    def contact(self, up: np.ndarray, up_dot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ρ and ρ̇."""
        flat, flat_dot = up * (1, 1, 0), up_dot * (1, 1, 0)
        size = np.sqrt(flat @ flat)
        return -self.r * flat / size, -self.r * (flat_dot / size - flat * (flat @ flat_dot) / size**3)

    def steady_spin(self, theta: float, precession: float) -> float:
        """ω3 that keeps θ constant at this precession Ω."""
        I1, rolling = self.inertia[0, 0], self.inertia[2, 2] + self.m * self.r**2
        tilting = I1 * precession - self.m * self.g * self.r / (precession * sin(theta))
        return float(tilting * cos(theta) / rolling)

    def critical_rate(self) -> float:
        """ω3 above which rolling upright and straight is stable: I1 m g r = I3 (I3 + m r²) ω3²."""
        I1, I3 = self.inertia[0, 0], self.inertia[2, 2]
        return float(np.sqrt(I1 * self.m * self.g * self.r / (I3 * (I3 + self.m * self.r**2))))

    def state(
        self, theta: float, precession: float, spin: float, theta_dot: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """γ and ω for the angles above: at this instant e1 is horizontal and θ turns about it."""
        return np.array([0.0, sin(theta), cos(theta)]), np.array([theta_dot, precession * sin(theta), spin])

    def momenta(self, up: np.ndarray, omega: np.ndarray) -> tuple[float, float]:
        """The two integrals: ω3 = c0 w_even(cos θ) + c1 w_odd(cos θ)."""
        a = self.m * self.r**2 / (self.inertia[2, 2] + self.m * self.r**2)
        ab = a * self.inertia[2, 2] / self.inertia[0, 0]
        x, w = float(up[2]), float(omega[2])
        slope = -a * float(up[0] * omega[0] + up[1] * omega[1]) / (1 - x * x)  # Ω sin²θ = the horizontal part of γ·ω
        with mpmath.workdps(30):
            order = (-1 + mpmath.sqrt(1 - 4 * mpmath.mpf(ab))) / 2  # ν (ν + 1) = −a b
            even, even_slope = _series(-order / 2, (order + 1) / 2, 0.5, x)
            odd, odd_slope = _series((1 - order) / 2, 1 + order / 2, 1.5, x)
            odd, odd_slope = x * odd, odd + x * odd_slope
            wronskian = even * odd_slope - odd * even_slope  # 1 / (1 − x²)
            return float((w * odd_slope - slope * odd) / wronskian), float((slope * even - w * even_slope) / wronskian)


def _series(a: Any, b: Any, c: float, x: float) -> tuple[Any, Any]:
    """₂F₁(a, b; c; x²), real here, and its derivative in x."""
    value, slope = mpmath.hyp2f1(a, b, c, x * x), mpmath.hyp2f1(a + 1, b + 1, c + 1, x * x)
    return value.real, (2 * x * a * b / c * slope).real


@dataclass(frozen=True)
class Rattleback:
    """An ellipsoid with semi-axes a, b, c along e1, e2, e3 (e3 down at rest), its mass centre h below its middle.

    The entry D of the inertia matrix between e1 and e2 makes it prefer a direction. Kane and Levinson's figures in SI
    units, with m = 1 kg; their equations depend on moments over mass only. The start (tilts and spin) is chosen here;
    the spin reverses within 4 s.
    """

    semiaxes: tuple[float, float, float] = (0.2, 0.03, 0.02)
    h: float = 0.01
    A: float = 2e-4
    B: float = 1.6e-3
    C: float = 1.7e-3
    D: float = -2e-5
    m: float = 1.0
    g: float = 9.81
    tilts: tuple[float, float] = (radians(0.5), radians(0.5))  # about e1, then about e2
    spin: float = -5.0

    @property
    def inertia(self) -> np.ndarray:
        return np.array([[self.A, self.D, 0.0], [self.D, self.B, 0.0], [0.0, 0.0, self.C]])

    def contact(self, up: np.ndarray, up_dot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ρ and ρ̇: from the middle −S γ / √(γ·S γ), S = diag(a², b², c²)."""
        stretched, stretched_dot = np.square(self.semiaxes) * up, np.square(self.semiaxes) * up_dot
        size = np.sqrt(up @ stretched)
        rho = -stretched / size - np.array([0.0, 0.0, self.h])
        return rho, -stretched_dot / size + stretched * (up @ stretched_dot) / size**3

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """γ and ω at the start: body axes turned about e1 and then about e2, spinning about e3."""
        s1, c1, s2, c2 = sin(self.tilts[0]), cos(self.tilts[0]), sin(self.tilts[1]), cos(self.tilts[1])
        return np.array([c1 * s2, -s1, -c1 * c2]), np.array([0.0, 0.0, self.spin])


def rates(body: Disk | Rattleback, up: np.ndarray, omega: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """γ̇ and ω̇ in body axes."""
    up_dot = cross(up, omega)
    rho, rho_dot = body.contact(up, up_dot)
    v, I = cross(rho, omega), body.inertia
    total = I + body.m * (rho @ rho * np.eye(3) - np.outer(rho, rho))
    pull = cross(omega, v) - cross(omega, rho_dot) + body.g * up
    return up_dot, np.linalg.solve(total, body.m * cross(rho, pull) - cross(omega, I @ omega))


def energy(body: Disk | Rattleback, up: np.ndarray, omega: np.ndarray) -> float:
    rho, _ = body.contact(up, np.zeros(3))
    v = cross(rho, omega)
    return float(omega @ body.inertia @ omega / 2 + body.m * (v @ v) / 2 - body.m * body.g * (up @ rho))


def solve(
    body: Disk | Rattleback, up: np.ndarray, omega: np.ndarray, times: np.ndarray, rtol: float = 1e-11
) -> np.ndarray:
    """Rows γ, ω at the times."""
    run = solve_ivp(
        lambda _, y: np.concatenate(rates(body, y[:3], y[3:])),
        (0.0, times[-1]),
        np.concatenate([up, omega]),
        method="DOP853",
        t_eval=times,
        rtol=rtol,
        atol=1e-1 * rtol,
    )
    return np.asarray(run.y.T)

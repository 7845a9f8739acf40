"""A coin rolls, leans more and more, and slips when the friction it needs is not there; then it slides until it lies
flat.

While it rolls, ``rolling.rates``; the force on it is F = m (v̇ + ω × v + g γ) in body axes, N = F·γ. It slips where
|F − N γ| = μ N, and then, with c = v + ω × ρ the velocity of the touching point and s = c/|c|,

    m (v̇ + ω × v) = N (γ − μ s) − m g γ,     I ω̇ + ω × I ω = ρ × N (γ − μ s),     d(c·γ)/dt = 0  gives N
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp

from references.flow import Guard, advance, until
from references.rolling import Disk, cross, rates


@dataclass(frozen=True)
class Coin:
    """Started upright but for a lean, rolling slowly: θ from the vertical to the axle, ω3 about the axle."""

    disk: Disk = field(default_factory=lambda: Disk(m=0.01, r=0.02))
    mu: float = 0.2
    theta: float = 1.45
    theta_dot: float = -0.5
    precession: float = 0.5
    spin: float = -4.0

    def start(self) -> np.ndarray:
        """γ and ω."""
        return np.concatenate(self.disk.state(self.theta, self.precession, self.spin, self.theta_dot))

    def rolling(self, _: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate(rates(self.disk, y[:3], y[3:6]))

    def force(self, y: np.ndarray) -> tuple[float, np.ndarray]:
        """N and the friction force while it rolls, in body axes."""
        up, omega = y[:3], y[3:6]
        up_dot, omega_dot = rates(self.disk, up, omega)
        rho, rho_dot = self.disk.contact(up, up_dot)
        v, v_dot = cross(rho, omega), cross(rho_dot, omega) + cross(rho, omega_dot)
        force = self.disk.m * (v_dot + cross(omega, v) + self.disk.g * up)
        N = float(force @ up)
        return N, force - N * up

    def margin(self, _: float, y: np.ndarray) -> float:
        N, friction = self.force(y)
        return (self.mu * N - float(np.linalg.norm(friction))) / (self.disk.m * self.disk.g)

    def slips(self, horizon: float = 20.0) -> tuple[float, np.ndarray]:
        """When the friction needed passes μ N, and γ, ω then; the horizon if it never does."""
        t, y, _ = until(self.rolling, 0.0, self.start(), [self.margin], horizon)
        return t, y

    def tilt(self, t: float) -> float:
        """θ at t, while it rolls."""
        return float(np.arccos(advance(self.rolling, 0.0, self.start(), t)[2]))

    # --- after that it slides -------------------------------------------------------------------------------------

    def sliding(self, y: np.ndarray, towards: np.ndarray | None = None) -> tuple[np.ndarray, float]:
        """Rates of γ, ω, v, and N; ``towards`` is the direction of slip where it has no velocity yet."""
        up, omega, v, disk = y[:3], y[3:6], y[6:9], self.disk
        up_dot = cross(up, omega)
        rho, rho_dot = disk.contact(up, up_dot)
        slip = v + cross(omega, rho)
        slip = slip - (slip @ up) * up
        size = float(np.linalg.norm(slip))
        s = slip / size if towards is None or size > 1e-9 else towards
        push = up - self.mu * s
        free_v, free_w = -cross(omega, v) - disk.g * up, -cross(omega, disk.inertia @ omega)
        per_N = push / disk.m, np.linalg.solve(disk.inertia, cross(rho, push))
        w0 = np.linalg.solve(disk.inertia, free_w)
        # d/dt (v + ω × ρ)·γ = (v̇ + ω̇ × ρ + ω × ρ̇)·γ + (v + ω × ρ)·γ̇
        rest = (free_v + cross(w0, rho) + cross(omega, rho_dot)) @ up + (v + cross(omega, rho)) @ up_dot
        N = -rest / ((per_N[0] + cross(per_N[1], rho)) @ up)
        return np.concatenate([up_dot, w0 + N * per_N[1], free_v + N * per_N[0]]), float(N)

    def falls(self, theta: float, horizon: float = 20.0) -> tuple[float, np.ndarray, str]:
        """(t, (γ, ω, v), how): after the slip began, when it leans at θ, sticks again, or leaves the plane."""
        t, y = self.slips(horizon)
        N, friction = self.force(y)
        towards = -friction / np.linalg.norm(friction)
        rho, _ = self.disk.contact(y[:3], np.zeros(3))
        y = np.concatenate([y, cross(rho, y[3:6])])
        # the direction of a slip that grows from zero is stiff: an implicit method for the first two milliseconds
        onset = solve_ivp(
            lambda _, s: self.sliding(s, towards)[0], (t, t + 2e-3), y, method="Radau", rtol=1e-10, atol=1e-14
        )
        guards: list[Guard] = [
            lambda _, s: np.cos(theta) - s[2],
            lambda _, s: self.slip_speed(s) - 1e-7,
            lambda _, s: self.sliding(s)[1] / N,
        ]
        at, y, which = until(lambda _, s: self.sliding(s)[0], t + 2e-3, onset.y[:, -1], guards, horizon, rtol=1e-12)
        return at, y, ("leans", "sticks", "leaves", "ends")[which]

    def slip_speed(self, y: np.ndarray) -> float:
        rho, _ = self.disk.contact(y[:3], np.zeros(3))
        return float(np.linalg.norm(y[6:9] + cross(y[3:6], rho)))

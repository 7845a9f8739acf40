"""The stiff flyball governor, problem A05 of the IFToMM library, in minimal coordinates.

    L = T − V in (α, s) with ψ̇ = h / J(α);   d/dt ∂L/∂(α̇, ṡ) − ∂L/∂(α, s) = −pull ∂length/∂(α, s) of both couplers

The shaft's angle ψ is cyclic, so h = J(α) ψ̇ stays as it starts. ``governor_s.csv`` holds s(t) over 10 s, by DOP853
with steps as small as stiffness asks for (tolerances 1e-12 and 1e-13 agree to 6e-15; Radau IIA agrees to 5e-11).
Sources: ``references.iftomm``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import cos, hypot, pi, sin
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

G = 9.81
REFERENCE = Path(__file__).with_name("governor_s.csv")


@dataclass(frozen=True)
class Governor:
    """Shaft and rods 1 m × 0.01 m × 0.01 m, slider 0.1 m cubed, 3000 kg/m³; 5 kg at the tip of each rod.

    The rods hang from (±0.05, 0, 1) on the shaft, α below the horizontal; spring-dampers reach from (±0.05, 0, s) on
    the slider to their middles. The shaft turns freely, 2π rad/s at the start. By symmetry both rods move alike.
    """

    rod: float = 0.3
    slider: float = 3.0
    tip: float = 5.0
    arm: float = 0.05
    width: float = 0.01
    stiffness: float = 8e5
    damping: float = 4e4
    rest: float = 0.5
    spin: float = 2 * pi
    start: tuple[float, float] = (pi / 6, 0.5)  # α, s

    def turning(self, alpha: float) -> tuple[float, float]:
        """J(α) of everything about the shaft, and dJ/dα."""
        s, c = sin(alpha), cos(alpha)
        across, along = self.rod * (1 + self.width**2) / 12, self.rod * self.width**2 / 6
        half, full = self.arm + c / 2, self.arm + c
        fixed = self.rod * self.width**2 / 6 + self.slider * 0.1**2 / 6
        each = along * s * s + across * c * c + self.rod * half**2 + self.tip * full**2
        slope = 2 * s * c * (along - across) - self.rod * half * s - 2 * self.tip * full * s
        return fixed + 2 * each, 2 * slope

    @cached_property
    def momentum(self) -> float:
        """About the shaft: constant."""
        return self.spin * self.turning(self.start[0])[0]

    def spring(self, y: Sequence[float]) -> tuple[float, float, float, float]:
        """Length, its rate, and its slopes ∂/∂α, ∂/∂s."""
        across, up = cos(y[0]) / 2, 1 - sin(y[0]) / 2 - y[1]
        length = hypot(across, up)
        slope = (-across * sin(y[0]) - up * cos(y[0])) / (2 * length), -up / length
        return length, slope[0] * y[2] + slope[1] * y[3], *slope

    def rates(self, y: Sequence[float]) -> tuple[float, float, float, float]:
        """(α, s, α̇, ṡ)˙, exact."""
        J, dJ = self.turning(y[0])
        length, rate, on_alpha, on_s = self.spring(y)
        pull = self.stiffness * (length - self.rest) + self.damping * rate
        inertia = self.rod * (1 + self.width**2) / 12 + self.rod / 4 + self.tip
        weight = (self.rod / 2 + self.tip) * G * cos(y[0])
        alpha = (weight + dJ * (self.momentum / J) ** 2 / 4 - pull * on_alpha) / inertia
        return y[2], y[3], alpha, -2 * pull * on_s / self.slider - G

    def energy(self, y: Sequence[float]) -> float:
        inertia = self.rod * (1 + self.width**2) / 12 + self.rod / 4 + self.tip
        kinetic = self.momentum**2 / self.turning(y[0])[0] / 2 + inertia * y[2] ** 2 + self.slider * y[3] ** 2 / 2
        heights = self.slider * y[1] + self.rod * (2 - sin(y[0])) + 2 * self.tip * (1 - sin(y[0]))
        return float(kinetic + G * heights + self.stiffness * (self.spring(y)[0] - self.rest) ** 2)

    def solve(self, times: np.ndarray, rtol: float = 1e-9) -> np.ndarray:
        """Columns α, s, α̇, ṡ at rising times, by Radau IIA: with this tolerance s is good to about 1e-10."""
        run = solve_ivp(
            lambda _, y: self.rates(y.tolist()),
            (0.0, times[-1]),
            (*self.start, 0.0, 0.0),
            method="Radau",
            t_eval=times,
            rtol=rtol,
            atol=1e-2 * rtol,
        )
        return np.asarray(run.y.T)


def reference() -> tuple[np.ndarray, np.ndarray]:
    """Times and s(t), every 0.1 s."""
    t, s = np.loadtxt(REFERENCE, delimiter=",", skiprows=1).T
    return t, s

"""One frictional impact in the plane by Routh's process, under three laws of restitution; a rod, and Painlevé's.

As the normal impulse p grows, the velocities of the contact change by d(v_t, v_n) = A (dT, dp): dT = −μ sign(v_t) dp
while it slips, and dT = −(A_tn / A_tt) dp where it has stopped and that is within μ; else it slips back. Each phase is
linear in p, and the work of the normal impulse, W = ∫ v_n dp, is exact. The end is where

    Newton      v_n = −e v_n⁻
    Poisson     p = (1 + e) p_c,       p_c the impulse of compression (v_n = 0)
    energetic   W = (1 − e²) W_c       (Stronge)

Rod of mass m and length 2 l at angle θ to the ground, its lower end touching at (−l cos θ, −l sin θ) from the centre.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin, sqrt

import numpy as np

LAWS = ("newton", "poisson", "energetic")


@dataclass(frozen=True)
class Phase:
    """Linear in p from here on, for a length of normal impulse: slopes of v_t, v_n and T."""

    length: float
    slope_t: float
    slope_n: float
    slope_T: float


def _phase(A: np.ndarray, v_t: float, mu: float) -> Phase:
    """A in the order (t, n)."""
    tiny = 1e-14 * (1 + abs(v_t))
    hold = -A[0, 1] / A[0, 0]
    if abs(v_t) <= tiny and abs(hold) <= mu:
        return Phase(np.inf, 0.0, A[1, 1] + A[0, 1] * hold, hold)
    sign = np.sign(v_t) if abs(v_t) > tiny else np.sign(A[0, 1])  # it slips where friction cannot hold
    slope_T = -mu * sign
    slope_t, slope_n = A[0, 1] + A[0, 0] * slope_T, A[1, 1] + A[0, 1] * slope_T
    length = -v_t / slope_t if abs(v_t) > tiny and v_t * slope_t < 0 else np.inf
    return Phase(length, slope_t, slope_n, slope_T)


def routh(A: np.ndarray, v: tuple[float, float], mu: float, e: float, law: str) -> tuple[float, float, float, float]:
    """(v_t, v_n, T, p) after the impact; v = (v_t, v_n) before, A = W M⁻¹ Wᵀ in the order (t, n)."""
    v_t, v_n, T, p, W = v[0], v[1], 0.0, 0.0, 0.0
    turned: tuple[float, float] | None = None  # p_c, W_c
    start = v_n
    while True:
        phase = _phase(A, v_t, mu)
        stop = _stop(phase, (v_n, p, W), turned, (start, e), law)
        step = min(phase.length, stop)
        W += v_n * step + phase.slope_n * step**2 / 2
        v_t, v_n, T, p = v_t + phase.slope_t * step, v_n + phase.slope_n * step, T + phase.slope_T * step, p + step
        if step == phase.length:
            v_t = 0.0
        elif turned is not None:
            return v_t, v_n, T, p
        else:
            v_n, turned = 0.0, (p, W)
            if e == 0.0:
                return v_t, v_n, T, p


def _stop(
    phase: Phase, now: tuple[float, float, float], turned: tuple[float, float] | None,
    wanted: tuple[float, float], law: str,
) -> float:  # fmt: skip
    """Impulse left until the end of compression, or of restitution by the law."""
    (v_n, p, W), (start, e), slope = now, wanted, phase.slope_n
    if turned is None:
        return -v_n / slope if slope > 0 else np.inf
    if law == "poisson":
        return (1 + e) * turned[0] - p
    if law == "newton":
        return (-e * start - v_n) / slope if slope > 0 else np.inf
    left = (1 - e * e) * turned[1] - W  # v_n s + ½ slope s² = left
    return (-v_n + sqrt(v_n**2 + 2 * slope * left)) / slope if slope else left / v_n


@dataclass(frozen=True)
class Rod:
    """State: x, y of the centre and θ; the lower end touches the ground y = 0."""

    m: float = 1.0
    l: float = 0.5
    g: float = 9.81

    @property
    def J(self) -> float:
        return self.m * self.l**2 / 3

    def rows(self, theta: float) -> np.ndarray:
        """(ẋ, ẏ) of the lower end from (ẋ, ẏ, θ̇) of the rod."""
        return np.array([[1.0, 0.0, self.l * sin(theta)], [0.0, 1.0, -self.l * cos(theta)]])

    def A(self, theta: float) -> np.ndarray:
        W = self.rows(theta)
        return W @ np.diag([1 / self.m, 1 / self.m, 1 / self.J]) @ W.T

    def impact(self, theta: float, u: np.ndarray, mu: float, e: float, law: str) -> np.ndarray:
        """(ẋ, ẏ, θ̇) after."""
        W = self.rows(theta)
        v_t, v_n = W @ u
        _, _, T, p = routh(self.A(theta), (v_t, v_n), mu, e, law)
        return u + W.T @ (T, p) / (self.m, self.m, self.J)

    def kinetic(self, u: np.ndarray) -> float:
        return float((self.m * (u[0] ** 2 + u[1] ** 2) + self.J * u[2] ** 2) / 2)

    # --- Painlevé -------------------------------------------------------------------------------------------------

    def sliding(self, theta: float, omega: float, mu: float, sign: float) -> tuple[float, float]:
        """(b, a): the normal acceleration of the end is b + a N while it slips with this sign.

        b < 0 < a: it slides with N = −b / a. a < 0 and b < 0: no force will do, an impact must stop the slip.
        a < 0 < b: it may slide or leave (Painlevé's two cases).
        """
        A = self.A(theta)
        return self.l * sin(theta) * omega**2 - self.g, A[1, 1] - mu * sign * A[0, 1]

    def critical(self, theta: float) -> float:
        """The least μ for which a falls to zero: (1 + 3 cos²θ) / (3 sin θ cos θ); never below 4/3."""
        return (1 + 3 * cos(theta) ** 2) / (3 * sin(theta) * cos(theta))

    def jam(self, theta: float, u: np.ndarray, mu: float) -> np.ndarray:
        """(ẋ, ẏ, θ̇) after the impact without collision: Routh's process from v_n = 0 with a < 0, to v_n = 0 again."""
        return self.impact(theta, u, mu, 0.0, "poisson")

"""A block 2b wide and 2h high that rocks on its corners. G. W. Housner, Bull. Seism. Soc. Am. 53 (1963) 403-417.

With R² = b² + h², tan α = b/h, p² = m g R / I_O = 3 g / (4 R) it turns about a corner by

    θ̈ = −p² sin(α − θ),      θ̇² = 2 p² (cos(α − θ₀) − cos(α − θ))

At each impact the moment of momentum about the new corner is kept: θ̇⁺ = (1 − (3/2) sin²α) θ̇⁻.
"""

from __future__ import annotations

from dataclasses import dataclass

import mpmath  # type: ignore[import-untyped]


@dataclass(frozen=True)
class RockingBlock:
    b: float = 0.1
    h: float = 0.4
    theta: float = 0.15
    g: float = 9.81

    @property
    def R(self) -> float:
        return float(mpmath.hypot(self.b, self.h))

    @property
    def alpha(self) -> float:
        return float(mpmath.atan2(self.b, self.h))

    @property
    def p(self) -> float:
        return float(mpmath.sqrt(3 * self.g / (4 * self.R)))

    @property
    def ratio(self) -> float:
        """θ̇⁺ / θ̇⁻."""
        return float(1 - 1.5 * (self.b / self.R) ** 2)

    def quarter(self, amplitude: float) -> float:
        """From rest at this angle to the impact, θ = A (1 − s²) so that the integrand is smooth."""
        a, A = self.alpha, amplitude

        def slope(s: float) -> mpmath.mpf:
            half = A * s * s / 2  # cos(α − A) − cos(α − θ) = 2 sin(α − A + ½(A − θ)) sin ½(A − θ), exact for s → 0
            return 2 * A * s / mpmath.sqrt(2 * mpmath.sin(a - A + half) * mpmath.sin(half))

        return float(mpmath.quad(slope, [0, 0.5, 1]) / (self.p * mpmath.sqrt(2)))

    def small(self, amplitude: float) -> float:
        """Housner's closed form for slender blocks: acosh(1 / (1 − A/α)) / p."""
        return float(mpmath.acosh(1 / (1 - amplitude / self.alpha)) / self.p)

    def impacts(self, count: int) -> list[tuple[float, float, float]]:
        """(t, |θ̇| before, |θ̇| after), released at rest at θ."""
        found, t, amplitude = [], 0.0, self.theta
        for _ in range(count):
            t += self.quarter(amplitude)
            fall = mpmath.cos(self.alpha - amplitude) - mpmath.cos(self.alpha)
            before = float(self.p * mpmath.sqrt(2 * fall))
            found.append((t, before, self.ratio * before))
            amplitude = float(self.alpha - mpmath.acos(mpmath.cos(self.alpha) + self.ratio**2 * fall))
            t += self.quarter(amplitude)
        return found

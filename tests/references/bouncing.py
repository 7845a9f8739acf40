"""A ball dropped from a height h with restitution e: impact times, and the time at which infinitely many are over.

    t_1 = √(2h/g),    t_{k+1} = t_k + 2 e^k v / g,  v = g t_1,      t_∞ = t_1 (1 + e) / (1 − e)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Bouncing:
    h: float = 1.0
    e: float = 0.9
    g: float = 9.81

    def times(self, bounces: int) -> np.ndarray:
        """t_1, t_2, ..."""
        k = np.arange(bounces)
        return np.sqrt(2 * self.h / self.g) * (1 + 2 * self.e * (1 - self.e**k) / (1 - self.e))

    def speeds(self, bounces: int) -> np.ndarray:
        """Just before each impact."""
        return np.sqrt(2 * self.g * self.h) * self.e ** np.arange(bounces)

    def zeno(self) -> float:
        return float(np.sqrt(2 * self.h / self.g) * (1 + self.e) / (1 - self.e))

"""A pin in a larger hole: the play of a worn joint.

Without gravity or friction, a pin of radius r in a fixed hole of radius R is a point in a circle of radius c = R − r:
it flies along chords, meets the wall at the same angle each time when e = 1, and its chords all take the same time,

    t = 2 c cos β / v,     β from the wall's normal.      With restitution e the tangential speed stays: v_n ← e v_n.

A slider-crank whose crank pin has such play has no closed form; what must hold is that the pin never leaves the hole,
that the energy never grows at an impact, and that with c → 0 the slider follows x = a cos φ + √(l² − a² sin²φ).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PinInHole:
    """The pin starts at (x, y) from the centre of the hole, with a velocity."""

    c: float = 0.05
    e: float = 0.8
    start: tuple[float, float] = (0.01, -0.02)
    velocity: tuple[float, float] = (1.0, 0.6)

    def impacts(self, count: int) -> list[tuple[float, np.ndarray, np.ndarray]]:
        """(t, place, velocity after)."""
        t, x, v, found = 0.0, np.array(self.start), np.array(self.velocity), []
        for _ in range(count):
            b, a = float(x @ v), float(v @ v)
            inside = max(self.c**2 - float(x @ x), 0.0)
            step = (-b + np.sqrt(b * b + a * inside)) / a
            t, x = t + step, x + v * step
            n = x / np.linalg.norm(x)
            x, v = self.c * n, v - (1 + self.e) * (v @ n) * n
            found.append((t, x, v))
        return found


def slider(a: float, length: float, phi: float) -> float:
    """Where the slider is without play."""
    return float(a * np.cos(phi) + np.sqrt(length**2 - (a * np.sin(phi)) ** 2))

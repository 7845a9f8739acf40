"""Equal frictionless disks on a table without walls: from collision to collision in closed form.

Balls i and j, Δx and Δv between them, touch where |Δx + Δv t| = 2 r for the first time, and then the speed along the
line of centres is exchanged and multiplied by e:  v_i += ½ (1 + e) (Δv·n) n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Collision:
    t: float
    i: int
    j: int
    impulse: float  # over the mass


@dataclass(frozen=True)
class Billiard:
    """Sixteen balls: the cue ball, number 0, on the left; fifteen in a triangle, spread so that no two touch."""

    r: float = 0.02625
    e: float = 1.0
    spread: float = 1.01  # distance of neighbours over 2 r
    speed: float = 5.0
    offset: float = 0.004  # of the cue ball from the axis

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Places and velocities, 16 × 2. Each ball is a little off its place, so that no two collisions coincide."""
        step = 2 * self.r * self.spread
        rack = [(row * np.sqrt(3) / 2 * step, (k - row / 2) * step) for row in range(5) for k in range(row + 1)]
        x = np.array([(-0.5, self.offset), *rack])
        k = np.arange(1, 16)
        x[1:, 0] += 0.002 * self.r * np.sin(7.0 * k)
        x[1:, 1] += 0.002 * self.r * np.cos(11.0 * k)
        v = np.zeros((16, 2))
        v[0, 0] = self.speed
        return x, v

    def run(self, collisions: int) -> tuple[list[Collision], np.ndarray, np.ndarray]:
        """The first collisions, and places and velocities just after the last of them."""
        x, v = self.start()
        t, found = 0.0, list[Collision]()
        while len(found) < collisions:
            step, i, j = self._first(x, v)
            if not np.isfinite(step):
                break
            x, t = x + v * step, t + step
            n = (x[i] - x[j]) / np.linalg.norm(x[i] - x[j])
            impulse = -(1 + self.e) / 2 * float((v[i] - v[j]) @ n)
            v[i], v[j] = v[i] + impulse * n, v[j] - impulse * n
            found.append(Collision(t, i, j, impulse))
        return found, x, v

    def _first(self, x: np.ndarray, v: np.ndarray) -> tuple[float, int, int]:
        i, j = np.triu_indices(len(x), 1)
        dx, dv = x[i] - x[j], v[i] - v[j]
        b, a = np.einsum("kc,kc->k", dx, dv), np.einsum("kc,kc->k", dv, dv)
        c = np.einsum("kc,kc->k", dx, dx) - 4 * self.r**2
        with np.errstate(invalid="ignore", divide="ignore"):
            root = np.sqrt(b * b - a * c)
            times = np.where((b < 0) & (b * b > a * c), c / (root - b), np.inf)  # stable form of (−b − root) / a
        k = int(np.argmin(times))
        return float(times[k]), int(i[k]), int(j[k])

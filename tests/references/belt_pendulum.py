"""Patoglu, Example 3: a double pendulum of two particles over a conveyor belt, with two kinds of parts on it.

Angles from the downward vertical; P2 = (l1 sin q1 + l2 sin q2, −l1 cos q1 − l2 cos q2). The belt lies at y = −d and
moves at v_b towards growing angles. Zone 1 (μ_s1, μ_d1, e1) lies at x < x_b, zone 2 beyond.

Three modes: free; sliding, with one freedom and the force (−σ μ_d N, N) on P2; stuck, with none: P2 goes with the belt,
the angles follow from x alone, and the force from M u̇ = f + w_n N + w_t T. It ends where |T| = μ_s N or N = 0.

Impacts by Kane's rule: the impulse that stops the slip if it is within μ_s, else μ_d against the slip *after*; by
Smith's law the second case has T = −μ_d N s,  s = (|v_A| v_A + |v_S| v_S) / (v_A² + v_S²), approach and separation
alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, pi, sin

import numpy as np
from scipy.optimize import brentq

from references.flow import Guard, advance, until
from references.planar import OPEN, STICK, ContactPoint, resolve

FREE, SLIDING, STUCK = "free", "sliding", "stuck"


@dataclass(frozen=True)
class Event:
    """What happens at t, the mode after it, and the state (q1, q2, u1, u2) after it."""

    t: float
    kind: str  # impact, slip, stick, lift, zone, end
    mode: str
    state: tuple[float, ...] = field(repr=False)
    before: tuple[float, ...] = field(repr=False, default=())


@dataclass(frozen=True)
class BeltPendulum:
    """Table II, with the initial angle that gives the published times; ``q1 = −pi / 9`` is the printed one."""

    l1: float = 1.0
    l2: float = 1.0
    m1: float = 1.0
    m2: float = 1.0
    d: float = 1.2
    g: float = 9.8
    belt: float = 2.5
    boundary: float = -0.3
    mu_s: tuple[float, float] = (0.4978, 0.2489)
    mu_d: tuple[float, float] = (0.4, 0.2)
    e: tuple[float, float] = (0.9, 0.0)
    q1: float = -pi / 16
    q2: float = -4 * pi / 9
    u1: float = 3.0
    u2: float = -0.3
    law: str = "kane"

    # --- mechanics ------------------------------------------------------------------------------------------------

    def equations(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M and f of M u̇ = f."""
        q1, q2, u1, u2 = y
        across, m = self.m2 * self.l1 * self.l2, self.m1 + self.m2
        M = np.array([[m * self.l1**2, across * cos(q1 - q2)], [across * cos(q1 - q2), self.m2 * self.l2**2]])
        turning = across * sin(q1 - q2) * np.array([-(u2**2), u1**2])
        return M, turning - self.g * np.array([m * self.l1 * sin(q1), self.m2 * self.l2 * sin(q2)])

    def rows(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
        """w_n, w_t with ẏ_P2 = w_n·u, ẋ_P2 = w_t·u, and what ÿ_P2, ẍ_P2 have beyond w·u̇."""
        (s1, s2), (c1, c2), lengths = np.sin(y[:2]), np.cos(y[:2]), np.array([self.l1, self.l2])
        square = lengths * y[2:] ** 2
        return lengths * (s1, s2), lengths * (c1, c2), square @ (c1, c2), -square @ (s1, s2)

    def place(self, y: np.ndarray) -> tuple[float, float]:
        """P2."""
        return (self.l1 * sin(y[0]) + self.l2 * sin(y[1]), -self.l1 * cos(y[0]) - self.l2 * cos(y[1]))

    def zone(self, y: np.ndarray) -> int:
        return int(self.place(y)[0] >= self.boundary)

    def slip(self, y: np.ndarray) -> float:
        """Velocity of P2 relative to the belt."""
        return float(self.rows(y)[1] @ y[2:]) - self.belt

    def energy(self, y: np.ndarray) -> float:
        M, _ = self.equations(y)
        return float(y[2:] @ M @ y[2:] / 2 - self.g * (self.m1 * self.l1 * cos(y[0]) - self.m2 * self.place(y)[1]))

    # --- modes ----------------------------------------------------------------------------------------------------

    def free(self, _: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[2:], np.linalg.solve(*self.equations(y))])

    def sliding(self, y: np.ndarray, sign: float) -> tuple[np.ndarray, float]:
        """u̇ and N where P2 stays on the belt and slips with this sign."""
        (M, f), (w_n, w_t, b_n, _) = self.equations(y), self.rows(y)
        pull = w_n - sign * self.mu_d[self.zone(y)] * w_t
        found = np.linalg.solve(np.block([[M, -pull[:, None]], [w_n, 0.0]]), [*f, -b_n])
        return found[:2], float(found[2])

    def stuck(self, t: float, y0: np.ndarray, t0: float) -> np.ndarray:
        """State at t while P2 goes with the belt from y0 at t0: the angles by two circles, on the side of y0."""
        x, y = self.place(y0)[0] + self.belt * (t - t0), -self.d
        reach = np.hypot(x, y)
        aim, bend = np.arctan2(x, -y), np.arccos((self.l1**2 + reach**2 - self.l2**2) / (2 * self.l1 * reach))
        q1 = aim + np.sign(y0[0] - np.arctan2(self.place(y0)[0], self.d)) * bend
        q2 = np.arctan2(x - self.l1 * sin(q1), -y - self.l1 * cos(q1))
        w_n, w_t, _, _ = self.rows(np.array([q1, q2, 0.0, 0.0]))
        return np.array([q1, q2, *np.linalg.solve([w_n, w_t], [0.0, self.belt])])

    def forces(self, y: np.ndarray) -> tuple[float, float]:
        """N and T on P2 while it is stuck."""
        (M, f), (w_n, w_t, b_n, b_t) = self.equations(y), self.rows(y)
        u_dot = np.linalg.solve([w_n, w_t], [-b_n, -b_t])
        N, T = np.linalg.solve(np.column_stack([w_n, w_t]), M @ u_dot - f)
        return float(N), float(T)

    # --- impacts --------------------------------------------------------------------------------------------------

    def impact(self, y: np.ndarray) -> tuple[np.ndarray, str]:
        """State after, and whether the tangential impulse stopped the slip."""
        zone, (M, _), (w_n, w_t, _, _) = self.zone(y), self.equations(y), self.rows(y)
        touch = ContactPoint(
            w_n, w_t, (1 + self.e[zone]) * (w_n @ y[2:]), self.slip(y), self.mu_s[zone], self.mu_d[zone]
        )
        found = resolve(M, np.zeros(2), [touch])  # stick first, where it is possible
        if self.law == "kane" or found[0].states[0] == STICK:
            return y + np.array([0, 0, *found[0].du]), found[0].states[0]
        return y + np.array([0, 0, *self._smith(np.linalg.inv(M), touch)]), "weighted"

    def _smith(self, inverse: np.ndarray, touch: ContactPoint) -> np.ndarray:
        before = touch.b_t

        def jump(after: float) -> np.ndarray:
            along = (abs(before) * before + abs(after) * after) / (before**2 + after**2)
            push = inverse @ (touch.normal - touch.mu_d * along * touch.tangent)
            return -touch.b_n / (touch.normal @ push) * push

        far = 50.0 * abs(before)
        return jump(brentq(lambda v: before + touch.tangent @ jump(v) - v, -far, far, xtol=1e-15, rtol=1e-14))

    # --- the run --------------------------------------------------------------------------------------------------

    def run(self, end: float, limit: int = 100) -> list[Event]:
        """Events up to ``end``; the last is the end itself."""
        t, y, mode, events = 0.0, np.array([self.q1, self.q2, self.u1, self.u2]), FREE, list[Event]()
        while t < end and len(events) < limit:
            t, before, kind = self._leg(t, y, mode, end)
            y, mode = self._next(before, mode, kind)
            events.append(Event(t, kind, mode, tuple(y), tuple(before)))
        return events

    def _leg(self, t: float, y: np.ndarray, mode: str, end: float) -> tuple[float, np.ndarray, str]:
        if mode == STUCK:
            return self._held(t, y, end)
        if mode == FREE:
            at, state, i = until(self.free, t, y, [lambda _, s: self.place(s)[1] + self.d], end)
            return at, state, ("impact" if i == 0 else "end")
        sign = np.sign(self.slip(y)) or np.sign(self._onset(y))
        side = 1 if self.zone(y) else -1
        guards: list[Guard] = [
            lambda _, s: self.sliding(s, sign)[1],
            lambda _, s: sign * self.slip(s),
            lambda _, s: side * (self.place(s)[0] - self.boundary),
        ]
        at, state, i = until(lambda _, s: np.concatenate([s[2:], self.sliding(s, sign)[0]]), t, y, guards, end)
        return at, state, ("lift", "stick", "zone", "end")[i]

    def _held(self, t: float, y: np.ndarray, end: float) -> tuple[float, np.ndarray, str]:
        mu = self.mu_s[self.zone(y)]

        def margin(at: float) -> float:
            N, T = self.forces(self.stuck(at, y, t))
            return mu * N - abs(T)

        straight = t + (np.sqrt((self.l1 + self.l2) ** 2 - self.d**2) - self.place(y)[0]) / self.belt
        times = np.linspace(t + 1e-9, min(end, straight - 1e-9), 4001)
        bad = [i for i, at in enumerate(times) if margin(at) < 0]
        if not bad:
            return end, self.stuck(end, y, t), "end"
        at = brentq(margin, times[bad[0] - 1], times[bad[0]], xtol=1e-15, rtol=1e-15)
        return at, self.stuck(at, y, t), "slip"

    def _next(self, y: np.ndarray, mode: str, kind: str) -> tuple[np.ndarray, str]:
        if kind == "impact":
            after, how = self.impact(y)
            resting = self.e[self.zone(y)] == 0.0
            return after, (STUCK if how == STICK else SLIDING) if resting else FREE
        if kind in ("slip", "stick"):
            return y, {OPEN: FREE, STICK: STUCK}.get(self._at_rest(y), SLIDING)
        return y, FREE if kind == "lift" else mode

    def _at_rest(self, y: np.ndarray) -> str:
        """What follows where the slip is zero: by accelerations, all cases tried; the cone of μ_s has been left."""
        zone, (M, f), (w_n, w_t, b_n, b_t) = self.zone(y), self.equations(y), self.rows(y)
        inside = 1 - 1e-9  # at the cone's edge itself, it slips
        found = resolve(M, f, [ContactPoint(w_n, w_t, b_n, b_t, self.mu_s[zone] * inside, self.mu_d[zone])])
        return found[0].states[0]

    def _onset(self, y: np.ndarray) -> float:
        return 1.0 if self._at_rest(y) == "forward" else -1.0

    def at(self, t: float, events: list[Event]) -> np.ndarray:
        """The state at a time, in a free or stuck mode, or sliding."""
        start = Event(0.0, "start", FREE, (self.q1, self.q2, self.u1, self.u2))
        last = [start, *(e for e in events if e.t <= t)][-1]
        y = np.array(last.state)
        if last.mode == STUCK:
            return self.stuck(t, y, last.t)
        if last.mode == FREE:
            return advance(self.free, last.t, y, t)
        sign = np.sign(self.slip(y)) or np.sign(self._onset(y))
        return advance(lambda _, s: np.concatenate([s[2:], self.sliding(s, sign)[0]]), last.t, y, t)

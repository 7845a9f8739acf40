"""The woodpecker toy: a sleeve with play on a pole, a bird on a torsion spring, impacts with friction at three places.

R. I. Leine, Ch. Glocker, D. H. van Campen, Nonlinear dynamics of the woodpecker toy, Proc. ASME DETC 2001, VIB-21608;
after F. Pfeiffer, Ch. Glocker, Multibody dynamics with unilateral contacts, 1996. Linear in q = (y, φ_M, φ_S): height,
sleeve, bird.

    M = ⎡m_S + m_M      m_S l_M            m_S l_G       ⎤        ⎡−(m_S + m_M) g                  ⎤
        ⎢m_S l_M     J_M + m_S l_M²      m_S l_M l_G     ⎥   h =  ⎢−c (φ_M − φ_S) − m_S g l_M      ⎥
        ⎣m_S l_G      m_S l_M l_G      J_S + m_S l_G²    ⎦        ⎣−c (φ_S − φ_M) − m_S g l_G      ⎦

    beak     gap  l_M + l_G − l_S − r_0 − h_S φ_S,     slip  ẏ + l_M φ̇_M + (l_G − l_S) φ̇_S
    sleeve   gaps  r_M − r_0 + h_M φ_M  (below),  r_M − r_0 − h_M φ_M  (above),     slip  ẏ + r_M φ̇_M
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from references.flow import Guard, Rates, advance, until
from references.planar import BACKWARD, FORWARD, OPEN, STICK, ContactPoint, resolve

SIGN = {FORWARD: 1, BACKWARD: -1, STICK: 0}
NEAR = 1e-10


@dataclass(frozen=True)
class Event:
    """What happens at t to the contact of this name; the mode and the state (q, u) after it."""

    t: float
    kind: str  # impact, lift, stick, slip
    contact: str
    mode: tuple[str, ...]
    state: np.ndarray


@dataclass(frozen=True)
class Woodpecker:
    m_M: float = 0.0003
    J_M: float = 5e-9
    m_S: float = 0.0045
    J_S: float = 7e-7
    c: float = 0.0056
    r_0: float = 0.0025
    r_M: float = 0.0031
    h_M: float = 0.0058
    l_M: float = 0.010
    l_G: float = 0.015
    h_S: float = 0.020
    l_S: float = 0.0201
    g: float = 9.81
    mu: float = 0.3
    e: tuple[float, float, float] = (0.5, 0.0, 0.0)
    start: tuple[float, ...] = (0.0, -0.1036, -0.2788, -0.3411, 0.0, -7.4583)  # about the limit cycle

    names = ("beak", "below", "above")

    @cached_property
    def M(self) -> np.ndarray:
        m, a, b = self.m_S, self.l_M, self.l_G
        return np.array(
            [
                [m + self.m_M, m * a, m * b],
                [m * a, self.J_M + m * a**2, m * a * b],
                [m * b, m * a * b, self.J_S + m * b**2],
            ]
        )

    def h(self, q: np.ndarray) -> np.ndarray:
        twist, weight = self.c * (q[1] - q[2]), self.m_S * self.g
        return np.array([-weight - self.m_M * self.g, -twist - weight * self.l_M, twist - weight * self.l_G])

    def gaps(self, q: np.ndarray) -> np.ndarray:
        play = self.r_M - self.r_0
        beak = self.l_M + self.l_G - self.l_S - self.r_0 - self.h_S * q[2]
        return np.array([beak, play + self.h_M * q[1], play - self.h_M * q[1]])

    @cached_property
    def normals(self) -> np.ndarray:
        return np.array([[0.0, 0.0, -self.h_S], [0.0, self.h_M, 0.0], [0.0, -self.h_M, 0.0]])

    @cached_property
    def tangents(self) -> np.ndarray:
        return np.array([[1.0, self.l_M, self.l_G - self.l_S], [1.0, self.r_M, 0.0], [1.0, self.r_M, 0.0]])

    def energy(self, y: np.ndarray) -> float:
        q, u = y[:3], y[3:]
        height = self.m_M * q[0] + self.m_S * (q[0] + self.l_M * q[1] + self.l_G * q[2])
        return float(u @ self.M @ u / 2 + self.c * (q[1] - q[2]) ** 2 / 2 + self.g * height)

    # --- modes ----------------------------------------------------------------------------------------------------

    def solve(self, y: np.ndarray, mode: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """u̇, N and T (in the order of the contacts) in a mode."""
        inverse, places = _inverse(self, mode)
        found = inverse @ self.h(y[:3])
        forces = np.zeros(6)
        forces[places] = found[3:]
        return found[:3], forces[:3], forces[3:]

    def _guards(self, mode: tuple[str, ...]) -> list[tuple[str, int, Guard]]:
        """(kind, contact, value), each positive while the mode holds."""
        found: list[tuple[str, int, Guard]] = []
        for i, state in enumerate(mode):
            if state == OPEN:
                found.append(("impact", i, lambda _, y, i=i: self.gaps(y[:3])[i] / NEAR * 1e-8))
                continue
            found.append(("lift", i, lambda _, y, i=i: self.solve(y, mode)[1][i]))
            if state == STICK:
                found += [("slip", i, lambda _, y, i=i, s=s: self._margin(y, mode, i, s)) for s in (1, -1)]
            else:
                found.append(("stick", i, lambda _, y, i=i, s=SIGN[state]: s * self.tangents[i] @ y[3:]))
        return found

    def _margin(self, y: np.ndarray, mode: tuple[str, ...], i: int, sign: int) -> float:
        _, N, T = self.solve(y, mode)
        return float(self.mu * N[i] - sign * T[i])

    # --- the run --------------------------------------------------------------------------------------------------

    def run(self, end: float, y: np.ndarray | None = None, mode: tuple[str, ...] | None = None) -> list[Event]:
        t, y = 0.0, np.array(self.start) if y is None else y
        y[1] = max(y[1], -(self.r_M - self.r_0) / self.h_M)  # the printed start is rounded: on the pole, not in it
        mode = self._mode(y) if mode is None else mode
        events: list[Event] = []
        while True:
            guards = self._guards(mode)
            at, y, which = until(self.rates(mode), t, y, [guard for _, _, guard in guards], min(end, t + 0.2))
            t = at
            if which < 0:
                return events
            kind, i, _ = guards[which]
            y = self.impact(y) if kind == "impact" else y
            mode = self._mode(y, {i: self._slip_after(y, mode, kind, i)} if kind in ("stick", "slip") else {})
            events.append(Event(t, kind, self.names[i], mode, y))

    def _slip_after(self, y: np.ndarray, mode: tuple[str, ...], kind: str, i: int) -> int:
        """Where one cone serves both, a slip begins with no acceleration: its sign is that against T."""
        return 0 if kind == "stick" else -int(np.sign(self.solve(y, mode)[2][i]))

    def rates(self, mode: tuple[str, ...]) -> Rates:
        return lambda _, y: np.concatenate([y[3:], self.solve(y, mode)[0]])

    def _touching(self, y: np.ndarray) -> list[int]:
        return [i for i, gap in enumerate(self.gaps(y[:3])) if gap < NEAR]

    def impact(self, y: np.ndarray) -> np.ndarray:
        """Newton's and Coulomb's laws for all that touch, at once."""
        touching = self._touching(y)
        contact_points = [
            ContactPoint(self.normals[i], self.tangents[i], (1 + self.e[i]) * (self.normals[i] @ y[3:]),
                  self.tangents[i] @ y[3:], self.mu, self.mu) for i in touching
        ]  # fmt: skip
        (found, *_) = resolve(self.M, np.zeros(3), contact_points)
        return np.concatenate([y[:3], y[3:] + found.du])

    def _mode(self, y: np.ndarray, known: dict[int, int] | None = None) -> tuple[str, ...]:
        """By accelerations, all combinations tried, for the contacts that touch and do not part."""
        resting = [i for i in self._touching(y) if abs(self.normals[i] @ y[3:]) < 1e-8]
        contact_points = []
        for i in resting:
            slip = float(self.tangents[i] @ y[3:])
            sign = (known or {}).get(i, 0 if abs(slip) < 1e-9 else int(np.sign(slip)))
            contact_points.append(
                ContactPoint(self.normals[i], self.tangents[i], mu_s=self.mu, mu_d=self.mu, slip=sign)
            )
        (found, *_) = resolve(self.M, self.h(y[:3]), contact_points, tol=1e-9)
        states = dict(zip(resting, found.states, strict=True))
        return tuple(states.get(i, OPEN) for i in range(3))

    def cycle(self, settle: float = 3.0) -> tuple[float, float, list[Event]]:
        """Period, fall in a period, and the events of one, from one hit of the beak to the next; after a while."""
        events = self.run(settle)
        beaks = [k for k, event in enumerate(events) if event.contact == "beak" and event.kind == "impact"]
        first, last = beaks[-2], beaks[-1]
        return (
            events[last].t - events[first].t,
            float(events[first].state[0] - events[last].state[0]),
            events[first:last],
        )

    def between(self, event: Event, t: float) -> np.ndarray:
        """The state at t, before the next event."""
        return advance(self.rates(event.mode), event.t, event.state, t)


@cache
def _inverse(toy: Woodpecker, mode: tuple[str, ...]) -> tuple[np.ndarray, list[int]]:
    """What gives u̇ and the forces from h in a mode, and where in (N, T) the forces belong."""
    columns, rows, places = [], [], []
    for i, state in enumerate(mode):
        if state == OPEN:
            continue
        columns.append(toy.normals[i] - SIGN[state] * toy.mu * toy.tangents[i])
        rows.append(toy.normals[i])
        places.append(i)
        if state == STICK:
            columns.append(toy.tangents[i])
            rows.append(toy.tangents[i])
            places.append(3 + i)
    k = len(rows)
    system = np.block([[toy.M, -np.reshape(columns, (k, 3)).T], [np.reshape(rows, (k, 3)), np.zeros((k, k))]])
    return np.linalg.inv(system)[:, :3], places

"""Collisions of shapes in the plane: one shape flies or falls onto another; laws that know nothing of features."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import latchwork as lw
from drawn_plane import FRONT, Drawn, Pen, depth, meets_back

Array = np.ndarray
SEEN = 2e-4  # m: outlines of so many places tell depths by no less
CLEAR = 5e-3  # m: what would be deeper than this without a contact has met
SAMPLES = 80
MASSES, INERTIA = (1.0, 2.0), 0.2


@dataclass(frozen=True)
class Start:
    """Where the one that comes begins, and how fast: x, y, angle, and the same of speeds."""

    x: float = 0.0
    y: float = 2.5
    angle: float = 0.0
    vx: float = 0.0
    vy: float = -2.0
    spin: float = 0.0
    until: float = 1.75


STARTS = {
    "generic": Start(x=0.13, angle=0.43, vx=0.17, spin=0.61),
    "generic back": Start(x=-0.21, angle=-1.17, vx=-0.11, spin=-0.83),
    "aligned": Start(),
    "aligned aside": Start(x=0.5),
    "aligned across": Start(x=0.25, angle=math.pi / 2),
    "diagonal": Start(x=-0.25, angle=math.pi / 4),
}


@dataclass
class Meeting:
    """Shape a of a free body A, and b of another B, or fixed in N."""

    model: lw.Model
    a: Drawn
    b: Drawn
    fixed: bool
    turned: float  # a has a front, which looks down

    def run(self, start: Start) -> lw.Trajectory:
        q = {"q_A_px": start.x, "q_A_py": start.y, "q_A_rz": start.angle + self.turned}
        u = {"u_A_vx": start.vx, "u_A_vy": start.vy, "u_A_wz": start.spin}
        return lw.simulate(self.model, until=start.until, q=q, u=u)

    def poses(self, samples: object) -> tuple[Array, Array]:
        """Poses of A and B along a run."""
        a = np.column_stack([samples[f"q_A_{name}"] for name in ("px", "py", "rz")])
        if self.fixed:
            return a, np.zeros_like(a)
        return a, np.column_stack([samples[f"q_B_{name}"] for name in ("px", "py", "rz")])

    def free(self, start: Start, t: Array, gravity: float) -> Array:
        """Poses of A as it would move without a contact."""
        return np.column_stack([start.x + start.vx * t, start.y + start.vy * t - 0.5 * gravity * t * t,
                                start.angle + self.turned + start.spin * t])  # fmt: skip

    def depths(self, a: Array, b: Array) -> Array:
        return np.array([depth(self.a, x, self.b, y) for x, y in zip(a, b, strict=True)])


def meeting(a: str | Callable[[Pen], Drawn], b: str | Callable[[Pen], Drawn], fixed: bool = False,
            restitution: float = 1.0, friction: float | None = None, gravity: float = 0.0) -> Meeting:  # fmt: skip
    """a on a free body A; b on a free body B, or in N: shapes of a pen by name, or drawn with it."""
    model = lw.Model("meeting")
    N, O = model.frame, model.origin
    link = model.planar("A")
    body = model.body("A", link, link.origin, MASSES[0], lw.inertia(link.frame, zz=INERTIA))
    one = drawn(Pen("a", link.origin, link.frame, body), a)
    if fixed:
        other = drawn(Pen("b", O, N, N), b)
    else:
        base = model.planar("B")
        bulk = model.body("B", base, base.origin, MASSES[1], lw.inertia(base.frame, zz=INERTIA))
        other = drawn(Pen("b", base.origin, base.frame, bulk), b)
    if gravity:
        model.gravity(-gravity * N.y)
    model.contact("pair", one.shape, other.shape, restitution=restitution, friction=friction)
    return Meeting(model, one, other, fixed, math.pi if a in FRONT else 0.0)


def drawn(pen: Pen, shape: str | Callable[[Pen], Drawn]) -> Drawn:
    return getattr(pen, shape)() if isinstance(shape, str) else shape(pen)


def broken(m: Meeting, start: Start, run: lw.Trajectory, gravity: float = 0.0) -> list[str]:
    """The laws that a meeting breaks."""
    t = np.linspace(0.0, start.until, SAMPLES)
    dense = run.at(t)
    wrong = []
    deep = m.depths(*m.poses(dense))
    if deep.max() > SEEN and not came_from_behind(m, run, t[:int((deep > SEEN).argmax()) + 1]):
        wrong.append(f"lie {deep.max():.3g} deep in each other at t = {t[int((deep > SEEN).argmax())]:.3g}")
    free = m.free(start, t, gravity)
    would = m.depths(free, np.zeros_like(free))
    met = [event.t for event in run.events if event.kind == "impact"]
    if would.max() > CLEAR:
        fine = np.linspace(0.0, t[int((would > CLEAR).argmax())], 2 * SAMPLES)
        near = m.depths(m.free(start, fine, gravity), np.zeros((len(fine), 3))) > -CLEAR
        first = fine[max(int(near.argmax()) - 1, 0)]
        if not met or not first <= met[0] <= fine[-1]:
            wrong.append(f"would meet between {first:.3g} and {fine[-1]:.3g}, met at {met[:1]}")
    elif met and would.max() < -CLEAR - 3.0 * t[1] and len(m.a.outline) > 1 and len(m.b.outline) > 1:
        wrong.append(f"met at {met[0]}, and would not")
    if met:
        apart = -m.depths(*m.poses(run.at(np.array(met))))
        wrong += [f"impact at {t}, {gap:.3g} apart" for t, gap in zip(met, apart, strict=True) if gap > CLEAR]
    E = np.ravel(dense.energy)
    if np.max(E - np.minimum.accumulate(E)) > 1e-7 * (1.0 + abs(E[0])):
        wrong.append(f"energy grows by {np.max(E - np.minimum.accumulate(E)):.3g}")
    if not m.fixed:
        wrong += momentum(m, dense)
        if abs(E[-1] - E[0]) > 1e-7:
            wrong.append(f"an elastic impact takes {E[0] - E[-1]:.3g}")
    return wrong


def came_from_behind(m: Meeting, run: lw.Trajectory, t: Array) -> bool:
    """Whether what lies in each other at the last of some times, and not before, came there past the back of something
    thin, which is touched in front only."""
    if len(t) < 2 or m.a.outside is not None or m.b.outside is not None:
        return False
    a, b = m.poses(run.at(np.linspace(t[-2], t[-1], SAMPLES)))
    apart = m.depths(a, b) < 0.0
    last = int(np.flatnonzero(apart)[-1]) if apart.any() else 0
    return bool(apart[last]) and meets_back(m.a, a[last], m.b, b[last])


def momentum(m: Meeting, dense: object) -> list[str]:
    """Of two bodies adrift: Σ m v, and Σ (x × m v + I ω)."""
    q = m.poses(dense)
    u = [np.column_stack([dense[f"u_{body}_{name}"] for name in ("vx", "vy", "wz")]) for body in "AB"]
    linear = sum(mass * v[:, :2] for mass, v in zip(MASSES, u, strict=True))
    angular = sum(mass * (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) + INERTIA * v[:, 2]
                  for mass, x, v in zip(MASSES, q, u, strict=True))  # fmt: skip
    off = max(float(np.abs(linear - linear[0]).max()), float(np.abs(angular - angular[0]).max()))
    return [f"momentum changes by {off:.3g}"] if off > 1e-7 else []

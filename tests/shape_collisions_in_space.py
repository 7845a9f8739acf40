"""Collisions of shapes in space: one body flies onto another; laws that know nothing of features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

import latchwork as lw
from drawn_space import FRONT, Drawn, Pen, depth

Array = np.ndarray
SAMPLES = 100
MASSES, INERTIAS = (1.0, 2.0), ((0.2, 0.25, 0.3), (0.3, 0.25, 0.2))


@dataclass(frozen=True)
class Start:
    """Where the one that comes begins, turned about an axis, and its speed and spin."""

    place: tuple[float, float, float] = (0.0, 0.0, 1.5)
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    angle: float = 0.0
    velocity: tuple[float, float, float] = (0.0, 0.0, -2.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    until: float = 1.2


STARTS = {
    "generic": Start((0.13, 0.07, 1.5), (0.3, 0.5, 0.8), 0.7, (0.1, -0.07, -2.0), (0.4, -0.3, 0.5)),
    "generic back": Start((-0.17, 0.21, 1.5), (0.8, -0.5, 0.1), -0.4, (-0.1, -0.1, -2.0), (-0.2, 0.6, 0.1)),
    "aligned": Start(),
    "aligned aside": Start((0.25, 0.25, 1.5)),
    "aligned across": Start((0.25, 0.0, 1.5), (0.0, 0.0, 1.0), math.pi / 2),
    "upright": Start((0.0, 0.25, 1.5), (0.0, 1.0, 0.0), math.pi / 2),
}


def product(p: Array, q: Array) -> Array:
    """Of quaternions."""
    a, u, b, v = p[0], p[1:], q[0], q[1:]
    return np.array([a * b - u @ v, *(a * v + b * u + np.cross(u, v))])


def turned(axis: tuple[float, float, float], angle: float) -> Array:
    n = np.array(axis) / np.linalg.norm(axis)
    return np.array([math.cos(0.5 * angle), *(math.sin(0.5 * angle) * n)])


@dataclass
class Meeting:
    """Shape a of a free body A, and b of another B, or fixed in N."""

    model: lw.Model
    a: Drawn
    b: Drawn
    front: bool
    fixed: bool = False

    def turn(self, start: Start) -> Array:
        e = turned(start.axis, start.angle)
        return product(e, turned((1.0, 0.0, 0.0), math.pi)) if self.front else e

    def run(self, start: Start) -> lw.Trajectory:
        q, u = [*start.place, *self.turn(start).tolist()], [*start.velocity, *start.spin]
        if not self.fixed:
            q, u = [*q, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [*u, *(0.0,) * 6]
        return lw.simulate(self.model, until=start.until, q=q, u=u)

    def poses(self, samples: object) -> list[Array]:
        names = ("px", "py", "pz", "e0", "e1", "e2", "e3")
        poses = [np.column_stack([samples[f"q_{body}_{name}"] for name in names]) for body in "AB"[: 2 - self.fixed]]
        still = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(poses[0]), 1))
        return [*poses, still] if self.fixed else poses

    def depths(self, poses: list[Array]) -> Array:
        return np.array([depth(self.a, x, self.b, y) for x, y in zip(*poses, strict=True)])


def meeting(a: str, b: str, restitution: float = 1.0, alone: bool = False, fixed: bool = False,
            friction: float | None = None, gravity: float = 0.0) -> Meeting:  # fmt: skip
    """a on a free body A; b on a free body B, or in N; ``alone``: without their contact."""
    model = lw.Model("meeting")
    made = []
    for tag, name, mass, inertia in zip("AB", (a, b), MASSES, INERTIAS, strict=True):
        if fixed and tag == "B":
            made.append(getattr(Pen("b", model.origin, model.frame, model.frame), name)())
            continue
        link = model.free(tag)
        body = model.body(tag, link, link.origin, mass, lw.inertia(link.frame, *inertia))
        made.append(getattr(Pen(tag.lower(), link.origin, link.frame, body), name)())
    if gravity:
        model.gravity(-gravity * model.frame.z)
    if not alone:
        model.contact("pair", made[0].shape, made[1].shape, restitution=restitution, friction=friction)
    return Meeting(model, *made, a in FRONT, fixed)


@cache
def alone(start: Start, front: bool, fixed: bool = False, gravity: float = 0.0) -> lw.Trajectory:
    """The motion of two bodies, whatever their shapes, that do not meet."""
    return meeting(FRONT[0] if front else "sphere", "sphere", alone=True, fixed=fixed, gravity=gravity).run(start)


def broken(m: Meeting, free: lw.Trajectory, start: Start, run: lw.Trajectory) -> list[str]:
    """The laws that a meeting breaks, beside the same motion without a contact."""
    t = np.linspace(0.0, start.until, SAMPLES)
    seen = max(m.a.close, m.b.close)
    clear = 10.0 * seen
    dense, wrong = run.at(t), []
    deep = m.depths(m.poses(dense))
    if deep.max() > seen:
        wrong.append(f"lie {deep.max():.3g} deep in each other at t = {t[int((deep > seen).argmax())]:.3g}")
    would = m.depths(m.poses(free.at(t)))
    met = [event.t for event in run.events if event.kind == "impact"]
    if would.max() > clear:
        last = int((would > clear).argmax())
        near = would[:last + 1] > -clear - 0.05  # what comes with 2 m/s, from look to look
        first = t[max(int(near.argmax()) - 1, 0)]
        if not met or not first <= met[0] <= t[last]:
            wrong.append(f"would meet between {first:.3g} and {t[last]:.3g}, met at {met[:1]}")
    elif met and would.max() < -clear and min(len(m.a.places), len(m.b.places)) > 1:
        wrong.append(f"met at {met[0]}, and would not")
    E = np.ravel(dense.energy)
    if m.fixed:
        rise = float(np.max(E - np.minimum.accumulate(E)))
        return [*wrong, f"energy grows by {rise:.3g}"] if rise > 1e-6 * (1.0 + abs(E[0])) else wrong
    if np.abs(E - E[0]).max() > 1e-6:
        wrong.append(f"energy changes by {np.abs(E - E[0]).max():.3g}")
    linear = sum(mass * np.column_stack([dense[f"u_{body}_{v}"] for v in ("vx", "vy", "vz")])
                 for mass, body in zip(MASSES, "AB", strict=True))  # fmt: skip
    if np.abs(linear - linear[0]).max() > 1e-6:
        wrong.append(f"momentum changes by {np.abs(linear - linear[0]).max():.3g}")
    return wrong

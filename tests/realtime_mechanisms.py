"""Mechanisms and hands that tests of `realtime` share."""

from __future__ import annotations

import numpy as np

import latchwork as lw
from latchwork import dt
from latchwork.mechanics.body import Body
from latchwork.realtime.handle import Pose

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def block(mass: float = 2.0) -> lw.Model:
    """A block that slides along N.x."""
    model = lw.Model("block")
    (x,) = model.coordinates("x")
    model.speeds(v=dt(x))
    model.particle("block", model.origin.at("P", x * model.frame.x), mass)
    return model


def free_body() -> lw.Model:
    """A body of mass 3 with six degrees of freedom, three moments of inertia and no weight."""
    model = lw.Model("free body")
    link = model.joint("free", "stone", model.frame)
    inertia = lw.inertia(link.frame, xx=0.4, yy=0.6, zz=0.7)
    model.body("stone", frame=link.frame, center=link.origin, mass=3.0, inertia=inertia)
    return model


def two_links() -> lw.Model:
    """A double pendulum of rods, each of length 0.8 and mass 1.5."""
    model = lw.Model("two links")
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=dt(q1), u2=dt(q2))
    N = model.frame
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.z)
    elbow = model.origin.at("E", -0.8 * A.y)
    for name, frame, start in (("upper", A, model.origin), ("lower", B, elbow)):
        center = start.at(f"{name}_c", -0.4 * frame.y)
        model.body(name, frame=frame, center=center, mass=1.5, inertia=lw.inertia(frame, zz=0.08, xx=0.08))
    model.gravity(-9.81 * N.y)
    return model


def still(place=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0)) -> Pose:
    """A handle at the mass centre of a body that does not turn."""
    return Pose(tuple(place), tuple(velocity), IDENTITY, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def random_state(equations, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates (quaternions of length one) and speeds."""
    rng = np.random.default_rng(seed)
    q, u = rng.normal(size=len(equations.q)), rng.normal(size=len(equations.u))
    names = [symbol.name for symbol in equations.q]
    for group in equations.system.quaternions:
        index = [names.index(symbol.name) for symbol in group]
        q[index] /= np.linalg.norm(q[index])
    return q, u


def pushed_links() -> tuple[lw.Model, Body]:
    """The double pendulum with a force Fx, Fy at the end of its lower rod."""
    model = two_links()
    lower = model.bodies["lower"]
    Fx, Fy = model.inputs(Fx=0.0, Fy=0.0)
    model.force(lower.center.at("tip", -0.4 * lower.frame.y), Fx * model.frame.x + Fy * model.frame.y)
    return model, lower


def stepped(rate, t, x, h):
    """One step of Runge and Kutta's, the classical one."""
    a = rate(t, x)
    b = rate(t + h / 2, x + h / 2 * a)
    c = rate(t + h / 2, x + h / 2 * b)
    d = rate(t + h, x + h * c)
    return x + h / 6 * (a + 2 * b + 2 * c + d)

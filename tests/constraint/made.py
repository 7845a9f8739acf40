"""One constraint of each maker between two bodies in space, and what tests need to judge it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np

import latchwork as lw
from latchwork import cos, sin
from latchwork.constraint.consistency import assemble_q
from latchwork.constraint.constrained import Constrained

CURVE = 0.7


def two_bodies() -> lw.Model:
    """Two free bodies; the first carries a crank and a spindle, the second a slider."""
    model = lw.Model("two bodies")
    a, b = model.free("a"), model.free("b")
    crank = model.revolute("crank", a, axis=a.frame.x)
    spindle = model.cylindrical("spindle", a, axis=a.frame.y + a.frame.z)
    slider = model.prismatic("slider", b, axis=b.frame.x)
    for i, link in enumerate((a, b, crank, spindle, slider), start=1):
        center = link.origin.at(f"c{i}", 0.1 * i * link.frame.x - 0.2 * link.frame.z)
        model.body(f"body {i}", link, center, 1.0 + 0.1 * i, lw.inertia(link.frame, 0.3, 0.4, 0.5, xy=0.02))
    model.gravity(-9.81 * model.frame.z)
    a.origin.at("P", 0.3 * a.frame.x + 0.2 * a.frame.y - 0.1 * a.frame.z)
    b.origin.at("Q", -0.2 * b.frame.x + 0.1 * b.frame.y + 0.4 * b.frame.z)
    return model


def parts(model: lw.Model) -> tuple[lw.Link, lw.Link, lw.Point, lw.Point]:
    return model.links["a"], model.links["b"], model.points["P"], model.points["Q"]


def closed(kind: str, pair: bool = False) -> Callable[[lw.Model], lw.Constraint]:
    def make(model: lw.Model) -> lw.Constraint:
        a, b, P, Q = parts(model)
        has_axis = kind in ("revolute", "prismatic", "cylindrical", "planar")
        oblique = a.frame.x + 0.5 * a.frame.y - 0.3 * a.frame.z
        axes = (oblique, b.frame.y) if pair else oblique if has_axis else None
        return model.close(kind, "made", a, b, at=P, to=Q, axis=axes)

    return make


def rolling(on_body: bool, contact: str) -> Callable[[lw.Model], lw.Constraint]:
    def make(model: lw.Model) -> lw.Constraint:
        a, b, P, Q = parts(model)
        ground = b if on_body else None
        up = b.frame.z if on_body else model.frame.z
        along = [b.frame.x, b.frame.y] if on_body else [model.frame.x, model.frame.y]
        foot = partial(lw.wheel_foot, a.frame.z, up, 0.4)
        r = {"disk": foot(), "wheel": foot(0.05), "ball": -0.4 * up}[contact]
        return model.roll("made", a, r, along, on=ground, at=Q if on_body else None, normal=up, center=P)

    return make


def on_curve(model: lw.Model) -> lw.Constraint:
    _, b, P, Q = parts(model)
    s = model.coordinate("s")
    x, y, z = b.frame.x, b.frame.y, b.frame.z
    return model.curve("made", P, s, CURVE * s * x + sin(s) * y + s**2 * z, on=b, at=Q)


def surface(x: lw.Expr, y: lw.Expr, z: lw.Expr) -> lw.Expr:
    return x**2 + 2 * y**2 + x * z - 1


MADE: dict[str, Callable[[lw.Model], lw.Constraint]] = {
    **{kind: closed(kind) for kind in ("weld", "revolute", "prismatic", "cylindrical", "universal", "ball", "planar")},
    "revolute by a pair": closed("revolute", pair=True),
    "universal by a pair": closed("universal", pair=True),
    "disk on N": rolling(False, "disk"),
    "disk on b": rolling(True, "disk"),
    "wheel on b": rolling(True, "wheel"),
    "ball on b": rolling(True, "ball"),
    "distance": lambda m: m.distance("made", m.points["P"], m.points["Q"], 1.3),
    "distance in time": lambda m: m.distance("made", m.points["P"], m.points["Q"], 1.3 + 0.2 * sin(m.time)),
    "slot": lambda m: m.slot("made", m.points["P"], m.links["b"].frame.x, on=m.links["b"], at=m.points["Q"]),
    "plane": lambda m: m.plane("made", m.points["P"], m.links["b"].frame.vector(1, 2, 3), on=m.links["b"]),
    "curve": on_curve,
    "implicit": lambda m: m.implicit("made", m.points["P"], surface, on=m.links["b"]),
    "gear": lambda m: m.gear("made", m.links["crank"], m.links["slider"], -1.7, 0.2),
    "rack": lambda m: m.rack("made", m.links["slider"], m.links["crank"], 0.3),
    "screw": lambda m: m.screw("made", m.links["spindle"], m.links["spindle"], 0.4),
    "cam": lambda m: m.cam("made", m.links["slider"], m.links["crank"], 0.2 * cos(m.links["crank"].q[0]) + 0.1),
    "mesh": lambda m: m.mesh("made", m.links["crank"], m.links["b"], 2.5, m.links["a"].frame.x, m.links["a"]),
    "prescribed joint": lambda m: m.prescribe("made", m.links["crank"], sin(2 * m.time)),
    "prescribed coordinate": lambda m: m.prescribe("made", m.links["slider"].q[0], m.time**2),
}


@cache
def embedded(name: str) -> tuple[lw.Model, Constrained, np.ndarray]:
    """The model of a maker, embedded, and (t, q, u, p) on the constraint at t = 0.3."""
    model = two_bodies()
    MADE[name](model)
    held = model.constrained(t=0.3)
    x = held.x
    rng = np.random.default_rng(3)
    x[0] = 0.3
    n_q, n = len(held.unconstrained.q), len(held.unconstrained.u)
    x[1 + n_q : 1 + n_q + n] = rng.uniform(-1.0, 1.0, n)
    return model, held, assemble_q(held.terms, x)


def one_coordinate(mpmath, kinetic, potential, theta: float, rate: float, torque: float = 0.0) -> float:
    """θ̈ of T = ½ I(θ) θ̇²: I θ̈ + ½ I' θ̇² + V' = τ, derivatives of closed-form geometry at 40 digits."""
    with mpmath.workdps(40):
        slope, force = mpmath.diff(kinetic, theta), mpmath.diff(potential, theta)
        return float((torque - slope * rate**2 / 2 - force) / kinetic(mpmath.mpf(theta)))


TURN = 2.0 * math.pi

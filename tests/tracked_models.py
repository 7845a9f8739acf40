"""Bodies over curves and surfaces, for tests of tracking."""

from __future__ import annotations

import numpy as np

import latchwork as lw
from latchwork import cos, sin
from latchwork.contact.curves import Curve, Surface
from latchwork.contact.feature import Feature
from latchwork.contact.narrow_phase.pairs import features_of

Ball, Plane = lw.Circle, lw.Plane


def tracked_features(name: str, a: object, b: object) -> tuple[Feature, ...]:
    """Those features of two shapes whose closest points are tracked."""
    return tuple(feature for feature in features_of(name, a, b) if feature.tracked is not None)


def sine_ground(model: lw.Model, low: float = -5.0, high: float = 5.0) -> Curve:
    """y = 0.1 sin 3x."""
    N = model.frame
    return Curve(model.origin, lambda s: s * N.x + 0.1 * sin(3 * s) * N.y, (low, high))


def disk(gravity: float = 0.0, stiffness: float = 0.0, radius: float = 0.1) -> tuple[lw.Model, Ball]:
    """A disk in the plane: x, y, angle; springs may hold it at (0, 0.45)."""
    model = lw.Model("disk")
    x, y, angle = model.coordinates("x", "y", "angle")
    N = model.frame
    B = N.rotated("B", angle, N.z)
    C = model.origin.at("C", x * N.x + y * N.y)
    model.body("disk", B, C, 2.0, lw.inertia(B, zz=0.01))
    model.gravity(-gravity * N.y)
    model.force(C, -stiffness * (y - 0.45) * N.y - 0.1 * stiffness * x * N.x)
    return model, Ball(C, radius, B)


def over_sine(**options: float) -> tuple[lw.Model, Feature]:
    """A disk over sine ground, and its feature."""
    model, ball = disk(**options)
    return model, tracked_features("ground", ball, sine_ground(model))[0]


def ellipse(center: lw.Point, frame: lw.Frame, a: float, b: float) -> Curve:
    """An ellipse, the material inside."""
    return Curve(center, lambda s: a * cos(s) * frame.x + b * sin(s) * frame.y, (0.0, 2 * np.pi), closed=True, side=-1)


def planar(model: lw.Model, name: str) -> tuple[lw.Frame, lw.Point]:
    """A body that moves in the plane."""
    x, y, angle = model.coordinates(f"x{name}", f"y{name}", f"q{name}")
    frame = model.frame.rotated(name, angle, model.frame.z)
    center = model.origin.at(f"{name}o", x * model.frame.x + y * model.frame.y)
    model.body(f"body {name}", frame, center, 1.0, lw.inertia(frame, zz=0.3))
    return frame, center


def spatial(model: lw.Model, name: str) -> lw.Link:
    """A body that moves in space."""
    link = model.free(name)
    model.body(f"body {name}", link, link.origin, 1.0, lw.inertia(link.frame, 0.2, 0.3, 0.4))
    return link


def ellipsoid(link: lw.Link, axes: tuple[float, float, float]) -> Surface:
    """An ellipsoid without its poles."""
    f = link.frame
    a, b, c = axes
    return Surface(link.origin, lambda p, q: a * sin(p) * cos(q) * f.x + b * sin(p) * sin(q) * f.y + c * cos(p) * f.z,
                   ((0.1, np.pi - 0.1), (0.0, 2 * np.pi)), periodic=(False, True))  # fmt: skip


def bowl(model: lw.Model, k: float) -> Surface:
    """z = k (x² + y²), open upwards."""
    N = model.frame
    return Surface(model.origin, lambda a, b: a * N.x + b * N.y + k * (a**2 + b**2) * N.z, ((-2.0, 2.0), (-2.0, 2.0)))

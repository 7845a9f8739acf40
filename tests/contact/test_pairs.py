"""Every pair of shapes: gaps are distances, their rates follow the two material points, normals are of unit length."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from contact_scenes import Sampler, Scene, World, distance, sampled

FAR = 40.0


def ground(world):
    """A half-plane as a convex piece, wide and deep enough: its own line, and a line below."""
    return [([world.at(None, x, y) for x in (-FAR, FAR) for y in (0.0, -FAR)], 0.0)]


def circle_line():
    w = World()
    a = w.bodies[0].circle(0.4, w.at(0, 0.2, 0.1))
    return Scene(w, a, lw.Line(w.O, w.N.x, w.N.y), [([a.center], 0.4)], ground(w))


def circle_moving_line():
    w = World()
    p = w.at(1, 0.3, -0.2)
    B = w.frame(1)
    a = w.bodies[0].circle(0.4)
    line = lw.Line(p, B.x, B.y)
    piece = [([p.at(f"far{x}{y}", B.vector(x, y)) for x in (-FAR, FAR) for y in (0.0, -FAR)], 0.0)]
    return Scene(w, a, line, [([a.center], 0.4)], piece)


def point_line():
    w = World()
    a = w.at(0, 0.5, 0.2)
    return Scene(w, a, lw.Line(w.O, w.N.x, w.N.y), [([a], 0.0)], ground(w))


def sphere_plane():
    w = World("free")
    a = w.bodies[0].sphere(0.4, w.at(0, 0.1, 0.2, 0.3))
    piece = [([w.at(None, x, y, z) for x in (-FAR, FAR) for y in (-FAR, FAR) for z in (0.0, -FAR)], 0.0)]
    return Scene(w, a, lw.Plane(w.O, w.N.z), [([a.center], 0.4)], piece)


def circle_circle():
    w = World()
    a, b = w.bodies[0].circle(0.4, w.at(0, 0.5)), w.bodies[1].circle(0.7, w.at(1, 0.0, 0.3))
    return Scene(w, a, b, [([a.center], 0.4)], [([b.center], 0.7)])


def sphere_sphere():
    w = World("free")
    a, b = w.bodies[0].sphere(0.4, w.at(0, 0.5)), w.bodies[1].sphere(0.7, w.at(1, 0.0, 0.3))
    return Scene(w, a, b, [([a.center], 0.4)], [([b.center], 0.7)])


def circle_wire():
    w = World()
    p, q = w.at(1, -1.0, 0.2), w.at(1, 1.2, 0.5)
    a = w.bodies[0].circle(0.4)
    return Scene(w, a, lw.Segment(p, q), [([a.center], 0.4)], [([p, q], 0.0)])


def sphere_wire():
    w = World("free")
    p, q = w.at(1, -1.0, 0.2), w.at(1, 1.2, 0.5, 0.3)
    a = w.bodies[0].sphere(0.4)
    return Scene(w, a, lw.Segment(p, q), [([a.center], 0.4)], [([p, q], 0.0)])


def circle_capsule():
    w = World()
    p, q = w.at(1, -1.0, 0.2), w.at(1, 1.2, 0.5)
    a = w.bodies[0].circle(0.4, w.at(0, 0.3))
    return Scene(w, a, w.bodies[1].capsule(p, q, 0.25), [([a.center], 0.4)], [([p, q], 0.25)])


def sphere_capsule():
    w = World("free")
    p, q = w.at(1, -1.0, 0.2), w.at(1, 1.2, 0.5, 0.3)
    a = w.bodies[0].sphere(0.4)
    return Scene(w, a, w.bodies[1].capsule(p, q, 0.25), [([a.center], 0.4)], [([p, q], 0.25)])


def capsule_line():
    w = World()
    p, q = w.at(0, -1.0, 0.2), w.at(0, 1.2, 0.5)
    return Scene(w, lw.Capsule(p, q, 0.3), lw.Line(w.O, w.N.x, w.N.y), [([p, q], 0.3)], ground(w))


def capsule_plane():
    w = World("free")
    p, q = w.at(0, -1.0, 0.2), w.at(0, 1.2, 0.5, 0.4)
    piece = [([w.at(None, x, y, z) for x in (-FAR, FAR) for y in (-FAR, FAR) for z in (0.0, -FAR)], 0.0)]
    return Scene(w, lw.Capsule(p, q, 0.3), lw.Plane(w.O, w.N.z), [([p, q], 0.3)], piece)


def circle_solid_polyline():
    """A triangle, clockwise, on a body."""
    w = World()
    corners = [w.at(1, -1.0, -0.5), w.at(1, 0.2, 1.0), w.at(1, 1.2, -0.5)]
    a = w.bodies[0].circle(0.4, w.at(0, 0.3))
    return Scene(w, a, lw.Polyline(corners, closed=True), [([a.center], 0.4)], [(corners, 0.0)])


def circle_notch():
    """A closed outline with a concave corner, in two convex pieces."""
    w = World()
    A, B, C, D, E, F = (w.at(1, x, y) for x, y in ((0, 0), (0, 2), (1, 2), (1, 1), (2, 1), (2, 0)))
    a = w.bodies[0].circle(0.3)
    pieces = [([A, B, C, D], 0.0), ([A, D, E, F], 0.0)]
    return Scene(w, a, lw.Polyline([A, B, C, D, E, F], closed=True), [([a.center], 0.3)], pieces)


def box_corners(w, base, x, y, z=None):
    """The corners of a box about the origin of a body."""
    if z is None:
        return [w.at(base, a * x / 2, b * y / 2) for a in (1, -1) for b in (1, -1)]
    return [w.at(base, a * x / 2, b * y / 2, c * z / 2) for a in (1, -1) for b in (1, -1) for c in (1, -1)]


def circle_box():
    w = World()
    a = w.bodies[0].circle(0.3, w.at(0, 0.4))
    return Scene(w, a, w.bodies[1].box((2.0, 0.8)), [([a.center], 0.3)], [(box_corners(w, 1, 2.0, 0.8), 0.0)])


def sphere_box():
    w = World("free")
    a = w.bodies[0].sphere(0.3, w.at(0, 0.4))
    piece = [(box_corners(w, 1, 2.0, 0.8, 1.2), 0.0)]
    return Scene(w, a, w.bodies[1].box((2.0, 0.8, 1.2)), [([a.center], 0.3)], piece)


HEAP = np.array([[1.1, 0, 0], [-1, 0.2, 0.1], [0.1, 1, -0.3], [0.2, -0.9, 0.4], [0, 0.1, 1.2], [-0.3, -0.2, -1]])
FIVE = np.array([[1.1, 0], [-1, 0.2], [0.1, 1], [0.2, -0.9], [-0.6, -0.7], [0.1, 0.1]])


def sphere_hull():
    w = World("free")
    a = w.bodies[0].sphere(0.3)
    corners = [w.at(1, *x) for x in HEAP]
    return Scene(w, a, lw.Hull(corners, w.bodies[1]), [([a.center], 0.3)], [(corners, 0.0)])


def circle_hull():
    w = World()
    a = w.bodies[0].circle(0.3)
    return Scene(w, a, w.bodies[1].hull(FIVE), [([a.center], 0.3)], [([w.at(1, *x) for x in FIVE], 0.0)])


def capsule_capsule():
    w = World()
    p, q, r, s = w.at(0, -1.0, 0.2), w.at(0, 1.2, 0.5), w.at(1, -0.5), w.at(1, 1.5, 0.3)
    return Scene(w, lw.Capsule(p, q, 0.2), lw.Capsule(r, s, 0.3), [([p, q], 0.2)], [([r, s], 0.3)])


def capsule_capsule_in_space():
    w = World("free")
    p, q, r, s = w.at(0, -1.0, 0.2), w.at(0, 1.2, 0.5, 0.4), w.at(1, -0.5), w.at(1, 1.5, 0.3)
    return Scene(w, lw.Capsule(p, q, 0.2), lw.Capsule(r, s, 0.3), [([p, q], 0.2)], [([r, s], 0.3)])


def capsule_outline():
    w = World()
    p, q = w.at(0, -1.0, 0.2), w.at(0, 1.2, 0.5)
    corners = [w.at(1, -1.0, -0.5), w.at(1, 0.2, 1.0), w.at(1, 1.2, -0.5)]
    return Scene(w, lw.Capsule(p, q, 0.2), lw.Polyline(corners, closed=True), [([p, q], 0.2)], [(corners, 0.0)])


def capsule_box():
    w = World("free")
    p, q = w.at(0, -1.0, 0.2), w.at(0, 1.2, 0.5, 0.4)
    piece = [(box_corners(w, 1, 1.5, 0.8, 1.2), 0.0)]
    return Scene(w, lw.Capsule(p, q, 0.2), w.bodies[1].box((1.5, 0.8, 1.2)), [([p, q], 0.2)], piece)


def box_line():
    w = World()
    return Scene(w, w.bodies[0].box((2.0, 0.8)), lw.Line(w.O, w.N.x, w.N.y), [(box_corners(w, 0, 2.0, 0.8), 0.0)],
                 ground(w))  # fmt: skip


def hull_plane():
    w = World("free")
    piece = [([w.at(None, x, y, z) for x in (-FAR, FAR) for y in (-FAR, FAR) for z in (0.0, -FAR)], 0.0)]
    corners = [w.at(0, *x) for x in HEAP]
    return Scene(w, lw.Hull(corners), lw.Plane(w.O, w.N.z), [(corners, 0.0)], piece)


SCENES = [
    circle_line, circle_moving_line, point_line, sphere_plane, circle_circle, sphere_sphere, circle_wire, sphere_wire,
    circle_capsule, sphere_capsule, capsule_line, capsule_plane, circle_solid_polyline, circle_notch,
    circle_box, sphere_box, sphere_hull, circle_hull, capsule_capsule, capsule_capsule_in_space, capsule_outline,
    capsule_box, box_line, hull_plane,
]  # fmt: skip
STATES = 60


@pytest.mark.parametrize("scene", SCENES)
def test_the_least_gap_is_the_distance(scene):
    """Where two shapes are apart, the least gap of the features that are valid there is their distance."""
    sampler, rng, seen = sampled(scene), np.random.default_rng(1), 0
    for _ in range(STATES):
        found, places = sampler.at(rng)
        true = distance(sampler.scene, places)
        if true > 1e-6:
            assert min(f.gap for f in found if f.valid) == pytest.approx(true, abs=1e-9)
            seen += 1
    assert seen > 10


@pytest.mark.parametrize("scene", SCENES)
def test_rates_follow_the_material_points(scene):
    """ġ = n · (v_on − v_other) and |n| = 1 at random states and speeds."""
    sampler, rng = sampled(scene), np.random.default_rng(2)
    for _ in range(STATES):
        found, _ = sampler.at(rng)
        for f in found:
            assert f.approach == pytest.approx(f.rate, abs=1e-9)
            assert np.linalg.norm(f.normal) == pytest.approx(1.0, abs=1e-12)


MOVING = [scene for scene in SCENES if "line" not in scene.__name__ and "plane" not in scene.__name__]


@pytest.mark.parametrize("scene", [*MOVING, circle_moving_line])
def test_material_points_are_where_they_touch(scene):
    """Between two bodies that move, the two material points are apart by the gap along the normal, or are one place."""
    sampler, rng = sampled(scene), np.random.default_rng(7)
    for _ in range(10):
        for f in sampler.at(rng)[0]:
            along = f.apart @ f.normal
            assert f.apart == pytest.approx(along * f.normal, abs=1e-9)
            assert min(abs(along - f.gap), abs(along)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("scene", SCENES)
def test_swapping_turns_the_normal_around(scene):
    """b against a has the gaps of a against b, and normals that point the other way."""
    one, other = sampled(scene), Sampler(sampled(scene).scene, swap=True)
    found, _ = one.at(np.random.default_rng(3))
    turned, _ = other.at(np.random.default_rng(3))
    key = sorted(range(len(found)), key=lambda i: (found[i].gap, tuple(found[i].normal)))
    back = sorted(range(len(turned)), key=lambda i: (turned[i].gap, tuple(-turned[i].normal)))
    for i, j in zip(key, back, strict=True):
        assert turned[j].gap == pytest.approx(found[i].gap, abs=1e-12)
        assert turned[j].normal == pytest.approx(-found[i].normal, abs=1e-12)

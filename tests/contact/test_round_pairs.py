"""Arcs, rings, boundaries and rims: gaps against the least distance to many points of the curve."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import latchwork as lw
from campaign import rows
from contact_scenes import Sampler, Scene, World
from latchwork.contact.narrow_phase.pairs import features_of

MANY = 4001


def tripod(w, base, center):
    """A point and those one further along x, y and z, to know where a body is."""
    frame = w.frame(base)
    tips = [center.at(f"{center.name}{k}", axis) for k, axis in zip("xyz", (frame.x, frame.y, frame.z), strict=True)]
    return [([center, *tips], 0.0)]


def curve(hulls, places, radius, start, angle, axes=(0, 1)):
    """Points of an arc about a tripod, and the outward directions there."""
    center, *tips = (places[point] for point in hulls[0][0])
    x, y = (tips[k] - center for k in axes)
    s = (start + np.linspace(0.0, angle, MANY))[:, None]
    out = np.cos(s) * x + np.sin(s) * y
    return center + radius * out, out


def off(points, x):
    return np.linalg.norm(points - x, axis=1)


@pytest.mark.parametrize(
    ("inside", "angle"),
    rows([(False, 1.0), (True, -2.0), (False, 4.5), (True, math.pi)],
         product([False, True], [1.0, -2.0, 4.5, math.pi])),
)  # fmt: skip
def test_circle_on_arc(inside, angle):
    """The least gap of a circle to an arc on a moving body, and to its ends, is the distance to the curve."""
    w = World()
    center, B = w.at(1, 0.3, 0.1), w.frame(1)
    arc = lw.Arc(center, 1.5, start=math.cos(0.4) * B.x + math.sin(0.4) * B.y, angle=angle, inside=inside)
    made = Scene(w, w.bodies[0].circle(0.2), arc, tripod(w, 0, w.links[0].origin), tripod(w, 1, center))
    sampler, rng, seen = Sampler(made), np.random.default_rng(1), 0
    for _ in range(200):
        found, places = sampler.at(rng)
        x = places[w.links[0].origin]
        points, out = curve(made.hulls_b, places, 1.5, 0.4, angle)
        distance = off(points, x)
        i = int(distance.argmin())
        in_front = (x - points[i]) @ out[i] * (-1.0 if inside else 1.0) > 0.0 or i in (0, MANY - 1)
        if distance[i] > 0.2 and in_front:
            assert min(f.gap for f in found if f.valid) == pytest.approx(distance[i] - 0.2, abs=1e-5)
            seen += 1
    assert seen > 30


@pytest.mark.parametrize("inside", [False, True])
def test_circle_on_ring(inside):
    """A ring has one feature: g = |d| − R − ρ from outside, R − ρ − |d| from inside, also finite in the middle."""
    w = World()
    ring = lw.Arc(w.O, 3.0, inside=inside)
    made = Scene(w, w.bodies[0].circle(0.2), ring, tripod(w, 0, w.links[0].origin), [])
    sampler, rng = Sampler(made), np.random.default_rng(2)
    for _ in range(20):
        (f,), places = sampler.at(rng)
        size = np.linalg.norm(places[w.links[0].origin])
        assert f.gap == pytest.approx(2.8 - size if inside else size - 3.2)
    (f,), _ = sampler.numbers(np.zeros(6), np.ones(6))
    assert np.isfinite([f.gap, f.rate, f.approach]).all()


def test_rocker_on_line():
    """A convex arc on a body touches a line with its lowest place, or with its ends."""
    w = World()
    center, A = w.at(0, 0.3, 0.1), w.frame(0)
    arc = lw.Arc(center, 0.8, start=A.x, angle=2.0)
    made = Scene(w, arc, lw.Line(w.O, w.N.x, w.N.y), tripod(w, 0, center), [])
    sampler, rng = Sampler(made), np.random.default_rng(3)
    for _ in range(100):
        found, places = sampler.at(rng)
        points, _ = curve(made.hulls_a, places, 0.8, 0.0, 2.0)
        assert min(f.gap for f in found if f.valid) == pytest.approx(points[:, 1].min(), abs=1e-6)


def test_capsule_on_convex_arc():
    """A rod lies on an arc, or touches it with its ends, or the arc's ends touch the rod."""
    w = World()
    p, q, center, B = w.at(0, -0.7), w.at(0, 0.9), w.at(1, 0.1, 0.2), w.frame(1)
    arc = lw.Arc(center, 1.0, start=B.x, angle=2.5)
    made = Scene(w, w.bodies[0].capsule(p, q, 0.1), arc, [([p, q], 0.1)], tripod(w, 1, center))
    sampler, rng, seen = Sampler(made), np.random.default_rng(4), 0
    for _ in range(200):
        found, places = sampler.at(rng)
        points, out = curve(made.hulls_b, places, 1.0, 0.0, 2.5)
        along = places[q] - places[p]
        s = np.clip((points - places[p]) @ along / (along @ along), 0.0, 1.0)
        way = places[p] + s[:, None] * along - points
        distance = np.linalg.norm(way, axis=1)
        i = int(distance.argmin())
        if distance[i] > 0.1 and (way[i] @ out[i] > 0.0 or i in (0, MANY - 1)):
            assert min(f.gap for f in found if f.valid) == pytest.approx(distance[i] - 0.1, abs=1e-5)
            seen += 1
    assert seen > 30


def test_arc_in_arc():
    """A convex arc inside a ring: g = R − r − |d| where it touches on the arc."""
    w = World()
    center, A = w.at(0, 0.2), w.frame(0)
    arc = lw.Arc(center, 0.5, start=A.x, angle=3.0)
    made = Scene(w, arc, lw.Arc(w.O, 4.0, inside=True), tripod(w, 0, center), [], spread=1.0)
    sampler, rng = Sampler(made), np.random.default_rng(5)
    for _ in range(100):
        found, places = sampler.at(rng)
        points, _ = curve(made.hulls_a, places, 0.5, 0.0, 3.0)
        assert min(f.gap for f in found if f.valid) == pytest.approx(4.0 - off(points, 0.0).max(), abs=1e-6)


def fence(w):
    """A ramp, a fence that bends up from it, and a wall that turns back from the fence's end."""
    A = w.N.rotated("ramp", -0.3, w.N.z)
    P = w.O.at("end of ramp", 3.0 * A.x)
    C = P.at("C", 2.0 * A.y)
    end = C.at("end of fence", 2.0 * (math.sin(1.2) * A.x - math.cos(1.2) * A.y))
    top = end.at("top", 1.0 * w.N.x)
    return lw.Boundary([
        lw.Segment(w.O, P, normal=A.y),
        lw.Arc(C, 2.0, start=-A.y, angle=1.2, inside=True),
        lw.Segment(end, top, normal=w.N.y),
    ])  # fmt: skip


def test_boundary_is_one_line():
    """A circle above a boundary of pieces is as far from it as its nearest piece; a smooth joint has no corner."""
    w = World()
    boundary = fence(w)
    assert boundary.joints == ("smooth", "out")
    made = Scene(w, w.bodies[0].circle(0.3), boundary, tripod(w, 0, w.links[0].origin), [], spread=4.0)
    sampler, rng, seen = Sampler(made), np.random.default_rng(6), 0
    A = np.array([[math.cos(0.3), -math.sin(0.3), 0.0], [math.sin(0.3), math.cos(0.3), 0.0]])
    s = np.linspace(0.0, 1.0, MANY)[:, None]
    C = 3.0 * A[0] + 2.0 * A[1]
    bend = C + 2.0 * (np.sin(1.2 * s) * A[0] - np.cos(1.2 * s) * A[1])
    points = np.vstack([3.0 * s * A[0], bend, bend[-1] + s * np.array([1.0, 0.0, 0.0])])
    normals = np.vstack([np.tile(A[1], (MANY, 1)), (C - bend) / 2.0, np.tile([0.0, 1.0, 0.0], (MANY, 1))])
    for _ in range(300):
        found, places = sampler.at(rng)
        x = places[w.links[0].origin]
        distance = off(points, x)
        i = int(distance.argmin())
        if distance[i] > 0.3 and ((x - points[i]) @ normals[i] > 1e-3 * distance[i] or i in (0, len(points) - 1)):
            assert min(f.gap for f in found if f.valid) == pytest.approx(distance[i] - 0.3, abs=1e-4)
            seen += 1
    assert seen > 30


def test_pieces_take_over_from_each_other():
    """Across a smooth joint one of the two pieces is valid, and both gaps are one: to rounding, at the joint itself."""
    w = World()
    made = Scene(w, w.bodies[0].circle(0.3), fence(w), tripod(w, 0, w.links[0].origin), [])
    sampler = Sampler(made)
    along, up = np.array([math.cos(0.3), -math.sin(0.3)]), np.array([math.sin(0.3), math.cos(0.3)])
    for s in np.concatenate([3.0 + np.linspace(-1e-9, 1e-9, 21), [3.0 - 1e-16, 3.0]]):
        x = s * along + 0.3 * up
        found, _ = sampler.numbers(np.array([*x, 0.0, 0.0, 0.0, 0.0]), np.zeros(6))
        assert sum(f.valid for f in found[:2]) >= 1
        assert [f.gap for f in found[:2]] == pytest.approx([0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("hollow", [False, True])
def test_a_closed_boundary_has_no_ends(hollow):
    """A stadium of two segments and two half circles is a capsule, from outside; a closed track, from inside."""
    w = World()
    N, (a, b, c, d) = w.N, (w.at(None, x, y) for x, y in ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)))
    out = -1.0 if hollow else 1.0
    track = lw.Boundary([
        lw.Segment(a, b, normal=-out * N.y),
        lw.Arc(w.at(None, 1.0), 1.0, start=-N.y, angle=math.pi, inside=hollow),
        lw.Segment(c, d, normal=out * N.y),
        lw.Arc(w.at(None, -1.0), 1.0, start=N.y, angle=math.pi, inside=hollow),
    ])  # fmt: skip
    assert track.closed
    assert track.joints == ("smooth",) * 4
    made = Scene(w, w.bodies[0].circle(0.1), track, tripod(w, 0, w.links[0].origin), [], spread=3.0)
    sampler, rng, seen = Sampler(made), np.random.default_rng(10), 0
    for _ in range(200):
        found, places = sampler.at(rng)
        x = places[w.links[0].origin]
        distance = (np.linalg.norm(x - np.array([np.clip(x[0], -1.0, 1.0), 0.0, 0.0])) - 1.0) * out - 0.1
        if distance > 0.0:
            assert min(f.gap for f in found if f.valid) == pytest.approx(distance, abs=1e-12)
            seen += 1
    assert seen > 20


@pytest.mark.parametrize("tube", [0.0, 0.1])
def test_rim_on_plane(tube):
    """The lowest of the points of a rim is its gap to a plane, and its spot is there."""
    w = World("free")
    rim = w.bodies[0].rim(w.frame(0).z, 0.6, tube=tube)
    made = Scene(w, rim, lw.Plane(w.O, w.N.z), tripod(w, 0, w.links[0].origin), [])
    sampler, rng = Sampler(made), np.random.default_rng(7)
    for _ in range(40):
        (f, *studs), places = sampler.at(rng)
        points, _ = curve(made.hulls_a, places, 0.6, 0.0, 2.0 * math.pi)
        assert f.gap == pytest.approx(points[:, 2].min() - tube, abs=1e-5)
        assert f.approach == pytest.approx(f.rate, abs=1e-9)
        assert f.within.min() > 0.0  # it does not lie flat, and only where it does is it met at fixed places
        assert all(stud.within.min() < 0.0 and stud.gap >= f.gap for stud in studs)


def test_ball_on_rim():
    """A ball is as far from a rim as from the nearest of its points."""
    w = World("free")
    made = Scene(w, w.bodies[0].sphere(0.2), w.bodies[1].rim(w.frame(1).z, 0.6, tube=0.05),
                 tripod(w, 0, w.links[0].origin), tripod(w, 1, w.links[1].origin))  # fmt: skip
    sampler, rng = Sampler(made), np.random.default_rng(8)
    for _ in range(40):
        (f, *_), places = sampler.at(rng)
        points, _ = curve(made.hulls_b, places, 0.6, 0.0, 2.0 * math.pi)
        assert f.gap == pytest.approx(off(points, places[w.links[0].origin]).min() - 0.25, abs=1e-5)
        assert f.approach == pytest.approx(f.rate, abs=1e-9)


def moving_arcs():
    """Pairs with arcs in which both sides move."""
    w = World()
    A, B = w.frame(0), w.frame(1)
    convex = lw.Arc(w.at(0, 0.2), 0.5, start=A.x, angle=2.0)
    hollow = lw.Arc(w.at(1, 0.1), 3.0, start=B.y, angle=4.0, inside=True)
    rod = lw.Capsule(w.at(1, -1.0), w.at(1, 1.0), 0.1)
    box = w.bodies[0].box((0.5, 0.4))
    line = lw.Line(w.at(1, 0.4, 0.3), B.x, B.y)
    return [Scene(w, a, b) for a, b in ((convex, hollow), (convex, rod), (convex, line), (box, hollow))]


@pytest.mark.parametrize("i", range(4))
def test_rates_of_arcs_follow_the_material_points(i):
    """ġ = n · (v_on − v_other) for arcs on moving bodies."""
    sampler, rng = Sampler(moving_arcs()[i]), np.random.default_rng(9)
    for _ in range(30):
        for f in sampler.at(rng)[0]:
            assert f.approach == pytest.approx(f.rate, abs=1e-9)
            assert np.linalg.norm(f.normal) == pytest.approx(1.0, abs=1e-12)


def test_belts_move_the_surface():
    """slip = v_on − v_other − drift: at rest on a belt of speed v along its direction the slip is −v."""
    w = World()
    N, circle = w.N, w.bodies[0].circle(0.5)
    belts = [lw.Line(w.O, N.x, N.y, belt=2.0), lw.Segment(w.at(None, -9.0), w.at(None, 9.0), N.y, belt=2.0 * N.x),
             lw.Polyline([w.at(None, -9.0), w.at(None, 9.0)], belt=2.0)]  # fmt: skip
    equations = w.model.equations()
    for belt in belts:
        here, there = features_of("c", circle, belt)[0], features_of("c", belt, circle)[0]
        for feature, sign in ((here, -1.0), (there, 1.0)):
            slip = equations.evaluate(feature.slip, q=[0.0, 0.5, 0.0, 0.0, 0.0, 0.0], u=[0.0] * 6)
            assert slip == pytest.approx([sign * 2.0, 0.0, 0.0])
    roller = features_of("c", circle, lw.Arc(w.O, 1.0, belt=2.0))[0]
    slip = equations.evaluate(roller.slip, q=[0.0, 1.5, 0.0, 0.0, 0.0, 0.0], u=[0.0] * 6)
    assert slip == pytest.approx([2.0, 0.0, 0.0])

"""Enclosures hold shapes with all that can be touched of them, and picked parts are all that are near."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import latchwork as lw
from contact_scenes import Sampler, Scene, World, hull_distance, sampled
from latchwork.constraint.terms import base_of
from latchwork.contact.broad_phase.enclosures import apart, can_be_parted, enclosed
from latchwork.contact.construction import contact_between
from latchwork.contact.narrow_phase.convex_pairs import Picker
from latchwork.contact.narrow_phase.nearest_points import by_coal, by_gjk
from latchwork.hybrid.contacts.clearance import Bounds
from latchwork.hybrid.input_laws import driven
from latchwork.kane.values import argument_vector

HEAP = np.array([[1.1, 0, 0], [-1, 0.2, 0.1], [0.1, 1, -0.3], [0.2, -0.9, 0.4], [0, 0.1, 1.2], [-0.3, -0.2, -1]])
METHODS = {"gjk": by_gjk, "coal": by_coal}


def walls(w):
    """Shapes of a planar world that have an enclosure, fixed in N or on the second body."""
    p, q = w.at(1, 0.5), w.at(1, -0.5, 0.8)
    corners = [w.at(1, *xy) for xy in ((0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.2, 0.0))]
    return [
        lw.Line(w.O, w.N.x, w.N.y), lw.Segment(w.O, w.at(None, 2.0), w.N.y), lw.Segment(p, q), lw.Capsule(p, q, 0.2),
        lw.Segment(p, q, w.links[1].frame.z.cross(q.position(p)), depth=0.4), lw.Polyline(corners, closed=True),
        lw.Arc(w.O, 1.0, w.N.x, 1.2, inside=True), lw.Arc(w.O, 1.0), w.bodies[1].box((0.8, 0.5)), p,
        w.bodies[1].circle(0.3),
    ]  # fmt: skip


def bounds_and_row(w, contact):
    """The bounds of one contact, and how a state becomes a row for them."""
    equations = w.model.equations()
    d, _ = driven(equations, None)
    base = base_of(equations, d.power, d.laws, (d.arguments[0], *equations.q, *equations.u, *d.rest))
    return Bounds(base, [contact]), lambda q, u: argument_vector(equations.system, 0.0, q, u, None, None)


@pytest.mark.parametrize("which", range(11))
def test_nothing_is_met_while_enclosures_are_apart(which):
    """Where enclosures are apart, no feature has a gap below zero within its domain, from in front or from behind."""
    w = World()
    other = walls(w)[which]
    contact = contact_between("pair", w.bodies[0].circle(0.3), other, 0.0, None, "newton")
    sampler, rng = Sampler(Scene(w, *contact.shapes)), np.random.default_rng(which)
    bounds, row = bounds_and_row(w, contact)
    assert bounds.bounded.tolist() == [0]
    seen = 0
    for _ in range(300):
        q, u = sampler.state(rng)
        room = bounds.apart(bounds.at(row(q, u)))[0]
        if room > 0.0:
            seen += 1
            found, _ = sampler.numbers(q, u)
            assert min(max([f.gap, *-f.within]) for f in found) > 0.0
            assert min([f.gap for f in found if f.valid], default=np.inf) >= room - 1e-9
    assert seen > 10


@pytest.mark.parametrize("which", range(11))
def test_room_is_used_up_no_faster_than_the_pace(which):
    """The change of the room over a short time is at most the pace."""
    w = World()
    contact = contact_between("pair", w.bodies[0].circle(0.3), walls(w)[which], 0.0, None, "newton")
    bounds, row = bounds_and_row(w, contact)
    sampler, rng = Sampler(Scene(w, *contact.shapes)), np.random.default_rng(which)
    for _ in range(30):
        q, u = sampler.state(rng)
        h = 1e-6
        now, then = (bounds.at(row(q + s * h * u, u)) for s in (0.0, 1.0))
        change = abs(bounds.apart(then)[0] - bounds.apart(now)[0]) / h
        assert change <= max(bounds.paces(now)[0], bounds.paces(then)[0]) * (1.0 + 1e-6) + 1e-6


def test_what_has_no_end_has_no_enclosure():
    """Open outlines, rooms, curves, and lines that turn are met at any distance; planar shapes in space as well."""
    w = World()
    p, q = w.at(None, -1.0), w.at(None, 1.0)
    assert enclosed(lw.Polyline([p, q])) is None
    assert enclosed(lw.Polyline([w.O, q, w.at(None, 0.0, 1.0)], closed=True)) is None
    turning = w.links[1].frame
    assert enclosed(lw.Line(w.links[1].origin, turning.x, turning.y)) is None
    space = World("free")
    ball, ring = enclosed(space.bodies[0].sphere(0.3)), enclosed(lw.Arc(space.O, 1.0))
    plane = enclosed(lw.Plane(space.O, space.N.z))
    assert not can_be_parted(ball, ring)
    assert can_be_parted(ball, plane)
    assert not can_be_parted(plane, plane)
    assert can_be_parted(enclosed(w.bodies[0].circle(0.3)), enclosed(lw.Arc(w.O, 1.0)))
    wall, leaning = lw.Segment(space.O, space.at(None, 1.0), space.N.y), space.at(None, 0.0, 2.0, 1.0)
    assert not can_be_parted(enclosed(wall), enclosed(lw.Capsule(space.at(None, 0.0, 2.0), leaning, 0.1)))
    particle = w.model.particle("dust", w.at(0, 0.5), 1.0)
    assert enclosed(particle) == enclosed(particle.center)


def test_segments_are_apart_by_their_least_distance():
    """The closed form is the least distance over both parameters, also of points and of parallel segments."""
    rng = np.random.default_rng(5)
    p, q, r, s = rng.normal(size=(4, 60, 3))
    q[:10], s[5:15] = p[:10], r[5:15]
    s[20:30] = r[20:30] + 0.7 * (q - p)[20:30]
    found = apart(p, q, r, s)
    for k in range(60):
        def squared(ab, k=k):
            return float((((p + ab[0] * (q - p)) - (r + ab[1] * (s - r)))[k] ** 2).sum())

        best = minimize(squared, (0.4, 0.6), bounds=[(0, 1)] * 2, tol=1e-14).fun  # it is convex: any start will do
        assert found[k] == pytest.approx(math.sqrt(best), abs=1e-6)
        assert found[k] ** 2 <= best + 1e-12


def hull_on_box():
    w = World("free")
    return Scene(w, w.bodies[0].hull(HEAP), w.bodies[1].box((1.6, 0.5, 1.0)), spread=1.2)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_near_is_picked(method):
    """All features within reach in their domains are picked, whatever finds the nearest places; and few others are."""
    if method == "coal":
        pytest.importorskip("coal")
    sampler, rng, seen = sampled(hull_on_box), np.random.default_rng(4), 0
    picker, reach = Picker("pair", sampler.scene.a, sampler.scene.b, METHODS[method]), 0.3
    for _ in range(80):
        q, u = sampler.state(rng)
        poses = [(Rotation.from_quat(np.roll(q[k + 3 : k + 7], -1)).as_matrix(), q[k : k + 3]) for k in (0, 7)]
        found, _ = sampler.numbers(q, u)
        near = picker.near(*poses, reach)
        names = {picker.feature(pair).name for pair in near.pairs}
        real = {f.name for f, n in zip(sampler.features, found, strict=True) if n.valid and 0.0 <= n.gap <= reach}
        assert real <= names
        assert len(names) < len(sampler.features)
        assert (near.apart <= reach).all()
        seen += bool(real)
    assert seen > 10


@pytest.mark.parametrize("method", METHODS)
def test_solids_are_as_deep_as_the_shallowest_axis_says(method):
    """Apart, the separation is the distance of the hulls; in each other, the least overlap along all axes there are."""
    if method == "coal":
        pytest.importorskip("coal")
    w = World("free")
    picker = Picker("pair", w.bodies[0].hull(HEAP), w.bodies[1].box((1.6, 0.5, 1.0)), METHODS[method])
    rng, deep = np.random.default_rng(6), 0
    for _ in range(60):
        turned = [Rotation.random(random_state=rng).as_matrix() for _ in range(2)]
        a, b = (turned[0], rng.normal(size=3)), (turned[1], np.zeros(3))
        x, y = (side.corners @ R.T + p for side, (R, p) in zip(picker.sides, (a, b), strict=True))
        gap, depth = hull_distance(x, y), picker.depth(a, b)
        if gap > 1e-6:
            assert -depth == pytest.approx(gap, abs=1e-6)
        else:
            deep += 1
            assert depth > 0.0
            (one, (R, _)), (two, (S, _)) = zip(picker.sides, (a, b), strict=True)
            across = np.cross((one.along @ R.T)[:, None], two.along @ S.T).reshape(-1, 3)
            axes = np.vstack([across, one.normals @ R.T, two.normals @ S.T])
            axes = axes / np.linalg.norm(axes, axis=1)[:, None]
            ways = [min((y @ n).max() - (x @ n).min(), (x @ n).max() - (y @ n).min()) for n in axes]
            assert depth == pytest.approx(min(ways), abs=1e-12)
    assert deep > 5

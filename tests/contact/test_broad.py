"""Bounds hold their shapes, and picking never loses the parts that can touch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import latchwork as lw
from contact_scenes import Scene, World, hull_distance, sampled
from latchwork.contact.broad_phase.spheres import bounding
from latchwork.contact.narrow_phase.convex_pairs import Picker
from latchwork.contact.narrow_phase.nearest_points import by_coal, by_gjk, gjk

HEAP = np.array([[1.1, 0, 0], [-1, 0.2, 0.1], [0.1, 1, -0.3], [0.2, -0.9, 0.4], [0, 0.1, 1.2], [-0.3, -0.2, -1]])


def test_bounds_hold_their_shapes():
    """A bound is a point of the shape and a radius that holds all of it; lines and planes have none."""
    w = World()
    N, p, q = w.N, w.at(0, 1.0), w.at(0, 4.0, 4.0)
    assert bounding(w.bodies[0].circle(0.5)) == (w.links[0].origin, 0.5)
    assert bounding(p) == (p, 0.0)
    assert bounding(lw.Capsule(p, q, 0.5)) == (p, 5.5)
    assert bounding(lw.Segment(p, q)) == (p, 5.0)
    assert bounding(w.bodies[0].box((3.0, 4.0))) == (w.links[0].origin, 2.5)
    assert bounding(w.bodies[0].rim(N.z, 1.0, tube=0.1)) == (w.links[0].origin, 1.1)
    assert bounding(lw.Polyline([p, q, w.at(0, 1.0, -9.0)])) == (p, 9.0)
    assert bounding(lw.Arc(w.O, 3.0)) == (w.O, 3.0)
    assert bounding(w.bodies[0].hull(HEAP)) == (w.links[0].origin, pytest.approx(np.linalg.norm(HEAP, axis=1).max()))
    ramp = lw.Segment(w.O, w.at(None, 3.0), N.y)
    fence = lw.Arc(w.at(None, 3.0, 1.0), 1.0, -N.y, math.pi / 2, inside=True)
    assert bounding(lw.Boundary([ramp, fence])) == (w.O, pytest.approx(math.hypot(4.0, 1.0) + 2.0))
    assert bounding(lw.Line(w.O, N.x, N.y)) is None
    assert bounding(lw.Plane(w.O, N.z)) is None
    assert bounding(w.bodies[0].circle(w.model.parameter("unknown"))) is None


def test_gjk_is_the_least_distance():
    """The nearest places are as far apart as the least norm over all differences; overlapping hulls share one."""
    rng = np.random.default_rng(3)
    for _ in range(100):
        x, y = rng.normal(size=(12, 3)), rng.normal(size=(9, 3)) + rng.normal(size=3) * 3.0
        p, q = gjk(x, y)
        assert np.linalg.norm(p - q) == pytest.approx(hull_distance(x, y), abs=1e-6)


def hull_on_box():
    w = World("free")
    return Scene(w, w.bodies[0].hull(HEAP), w.bodies[1].box((1.6, 0.5, 1.0)), spread=2.0)


@pytest.mark.parametrize("method", ["gjk", "coal"])
def test_picked_features_hold_the_nearest(method):
    """Of all features of a hull on a box, the one with the least gap is among the few that are picked."""
    if method == "coal":
        pytest.importorskip("coal")
    method = {"gjk": by_gjk, "coal": by_coal}[method]
    sampler, rng, seen = sampled(hull_on_box), np.random.default_rng(4), 0
    picker = Picker("pair", sampler.scene.a, sampler.scene.b, method)
    names = [feature.name for feature in sampler.features]
    for _ in range(30):
        q, u = sampler.state(rng)
        found, _ = sampler.numbers(q, u)
        poses = [(Rotation.from_quat(np.roll(q[k + 3 : k + 7], -1)).as_matrix(), q[k : k + 3]) for k in (0, 7)]
        near = picker.near(*poses, max(0.0, picker.separation(*poses)[1]) + 1e-6)
        picked = [made for pair in near.pairs if (made := picker.feature(pair)) is not None]
        best = min((i for i, f in enumerate(found) if f.valid), key=lambda i: found[i].gap, default=None)
        x, y = (c @ R.T + p for c, (R, p) in zip((s.corners for s in picker.sides), poses, strict=True))
        if best is not None and found[best].gap == pytest.approx(hull_distance(x, y), abs=1e-8):
            assert names[best] in [feature.name for feature in picked]
            assert len(picked) <= 24
            seen += 1
    assert seen > 5


def test_picking_wants_solids_in_space():
    """Shapes without faces, edges and corners are refused."""
    w = World("free")
    with pytest.raises(lw.ModelError, match=r"'c' picks among the parts of .*Give lw.Box or lw.Hull in space"):
        Picker("c", w.bodies[0].sphere(1.0), w.bodies[1].box((1.0, 1.0, 1.0)))
    with pytest.raises(lw.ModelError, match=r"lw.Box in the plane. Watch all of them"):
        Picker("c", w.bodies[0].box((1.0, 1.0)), w.bodies[1].box((1.0, 1.0, 1.0)))

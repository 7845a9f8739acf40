"""Solids with corners against each other: what touches is a corner on a face, or two edges that cross."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

import latchwork as lw
from campaign import seeds
from contact_scenes import Sampler, Scene, World, sampled

HEAP = np.array([[1.1, 0, 0], [-1, 0.2, 0.1], [0.1, 1, -0.3], [0.2, -0.9, 0.4], [0, 0.1, 1.2], [-0.3, -0.2, -1]])
FIVE = np.array([[1.1, 0], [-1, 0.2], [0.1, 1], [0.2, -0.9], [-0.6, -0.7]])


def corners(w, base, *sizes):
    return [w.at(base, *(s * size / 2 for s, size in zip(signs, sizes, strict=True)))
            for signs in np.array(np.meshgrid(*[[1, -1]] * len(sizes))).reshape(len(sizes), -1).T]  # fmt: skip


def boxes_in_the_plane():
    w = World()
    return Scene(w, w.bodies[0].box((1.0, 0.6)), w.bodies[1].box((1.6, 0.5)), [(corners(w, 0, 1.0, 0.6), 0.0)],
                 [(corners(w, 1, 1.6, 0.5), 0.0)])  # fmt: skip


def box_on_outline():
    w = World()
    around = [w.at(1, -1.0, -0.5), w.at(1, 0.2, 1.0), w.at(1, 1.2, -0.5)]
    return Scene(w, w.bodies[0].box((1.0, 0.6)), lw.Polyline(around, closed=True), [(corners(w, 0, 1.0, 0.6), 0.0)],
                 [(around, 0.0)])  # fmt: skip


def hull_on_box_in_the_plane():
    w = World()
    return Scene(w, w.bodies[0].hull(FIVE), w.bodies[1].box((1.6, 0.5)), [([w.at(0, *x) for x in FIVE], 0.0)],
                 [(corners(w, 1, 1.6, 0.5), 0.0)])  # fmt: skip


def boxes_in_space():
    w = World("free")
    return Scene(w, w.bodies[0].box((1.0, 0.6, 0.8)), w.bodies[1].box((1.6, 0.5, 1.0)),
                 [(corners(w, 0, 1.0, 0.6, 0.8), 0.0)], [(corners(w, 1, 1.6, 0.5, 1.0), 0.0)], 1.5)  # fmt: skip


def hull_on_box():
    w = World("free")
    return Scene(w, w.bodies[0].hull(HEAP), w.bodies[1].box((1.6, 0.5, 1.0)), [([w.at(0, *x) for x in HEAP], 0.0)],
                 [(corners(w, 1, 1.6, 0.5, 1.0), 0.0)], 1.8)  # fmt: skip


PLANAR = [boxes_in_the_plane, box_on_outline, hull_on_box_in_the_plane]
SCENES = [*PLANAR, boxes_in_space, hull_on_box]


def nearest(scene, places):
    """The way from b to a, and how many corners of each hold its two ends."""
    (p, _), (q, _) = scene.hulls_a[0], scene.hulls_b[0]
    x, y = (np.array([places[point] for point in points]) for points in (p, q))
    V = (x[:, None, :] - y[None, :, :]).reshape(-1, 3).T
    lam, _ = nnls(np.vstack([V, np.ones(V.shape[1])]), np.array([0.0, 0.0, 0.0, 1.0]))
    table = lam.reshape(len(p), len(q)) / lam.sum()
    held = tuple(int((table.sum(axis=axis) > 1e-9).sum()) for axis in (1, 0))
    return V @ lam / lam.sum(), held


@pytest.mark.parametrize("scene", SCENES)
def test_gaps_are_distances_of_places(scene):
    """No valid gap is below the distance, and where a corner is nearest to a face, or edges cross, one equals it."""
    sampler, rng, seen = sampled(scene), np.random.default_rng(4), 0
    made, full = sampler.scene, ((1, 2), (2, 1)) if scene in PLANAR else ((1, 3), (3, 1), (2, 2))
    for _ in range(100):
        found, places = sampler.at(rng)
        way, held = nearest(made, places)
        size = np.linalg.norm(way)
        if size > 1e-6:
            gaps = [f.gap for f in found if f.valid]
            assert min(gaps, default=np.inf) > size - 1e-9
            if held in full:
                best = min((f for f in found if f.valid), key=lambda f: f.gap)
                assert best.gap == pytest.approx(size, abs=1e-9)
                assert best.normal == pytest.approx(way / size, abs=1e-7)
                seen += 1
    assert seen > 10


@pytest.mark.parametrize("scene", SCENES)
def test_just_touching_has_one_feature(scene):
    """Moved along the normal until they overlap by 1e-7, the feature that was nearest is the only one that says so."""
    sampler, rng, seen = sampled(scene), np.random.default_rng(5), 0
    dimension, full = (2, ((1, 2), (2, 1))) if scene in PLANAR else (3, ((1, 3), (3, 1), (2, 2)))
    for _ in range(60):
        q, u = sampler.state(rng)
        way, held = nearest(sampler.scene, sampler.numbers(q, u)[1])
        size = np.linalg.norm(way)
        if size > 1e-6 and held in full:
            q[:dimension] -= (way * (1.0 + 1e-7 / size))[:dimension]
            found, _ = sampler.numbers(q, u)
            touching = [f for f in found if f.valid and f.gap < 0.0]
            assert [f.gap for f in touching] == [pytest.approx(-1e-7, abs=1e-10)]
            assert touching[0].normal == pytest.approx(way / size, abs=1e-6)
            seen += 1
    assert seen > 5


@pytest.mark.parametrize("scene", SCENES)
def test_rates_follow_the_material_points(scene):
    """ġ = n · (v_on − v_other) and |n| = 1 at random states and speeds."""
    sampler, rng = sampled(scene), np.random.default_rng(6)
    for _ in range(20):
        found, _ = sampler.at(rng)
        for f in found:
            assert f.approach == pytest.approx(f.rate, rel=1e-8, abs=1e-8)
            assert np.linalg.norm(f.normal) == pytest.approx(1.0, abs=1e-9)


def flush(world, sizes, shift, angle=0.0):
    """What touches where a box stands flush on another, moved and turned: names and normals."""
    n = len(sizes[0])
    a, b = world.bodies[0].box(sizes[0]), world.bodies[1].box(sizes[1])
    sampler = Sampler(Scene(world, a, b))
    height = 0.5 * (sizes[0][-1] + sizes[1][-1])
    c, s = np.cos(angle), np.sin(angle)
    if n == 2:
        x = [*(np.array([[c, -s], [s, c]]) @ [shift[0], height]), angle, 0.0, 0.0, angle]
    else:
        turn = [np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0]
        place = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ [*shift, height]
        x = [*place, *turn, 0.0, 0.0, 0.0, *turn]
    found, _ = sampler.numbers(np.array(x), np.zeros(len(sampler.equations.u_names)))
    up = np.array([-s, c, 0.0] if n == 2 else [0.0, -s, c])
    kept = [(feature.name, f) for feature, f in zip(sampler.features, found, strict=True)
            if f.valid and f.gap < 1e-9]  # fmt: skip
    for _, f in kept:
        assert f.gap == pytest.approx(0.0, abs=1e-12)
        assert f.normal == pytest.approx(up, abs=1e-12)
    return [name for name, _ in kept]


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.1, 2.7])
def test_boxes_stacked_flush_in_the_plane(angle):
    """Of two boxes of one width, one on the other, all four corners touch, and none of them sideways."""
    assert len(flush(World(), [(1.0, 0.7), (1.0, 0.4)], [0.0], angle)) == 4


@pytest.mark.parametrize("angle", seeds([0.0, 1.1], [0.3, 2.7]))
def test_a_box_that_hangs_over(angle):
    """A box that hangs over stands with one corner on the other box, and that one with a corner under it."""
    assert len(flush(World(), [(1.0, 0.7), (1.6, 0.4)], [0.5], angle)) == 2
    space = flush(World("free"), [(1.0, 0.8, 0.7), (1.6, 1.0, 0.4)], [0.5, 0.0], angle)
    assert sum("edge" in name for name in space) == 2
    assert sum("corner" in name for name in space) == 2


@pytest.mark.parametrize("angle", seeds([0.0, 0.3], [2.7]))
def test_boxes_stacked_flush_in_space(angle):
    """Of two boxes of one base, one on the other, all eight corners touch, and nothing touches sideways."""
    names = flush(World("free"), [(1.0, 0.8, 0.7), (1.0, 0.8, 0.4)], [0.0, 0.0], angle)
    assert sum("edge" not in name for name in names) == 8


@pytest.mark.parametrize("size", [1.0, 4.0**-8, 4.0**5])
def test_corner_on_the_edge_of_a_side(size):
    """A corner beyond the end of a side by 4e-10 of the smaller box stands on it, as rounding may leave one that is
    flush; by 4e-9 it does not. So it is on, and far below, where a long step may have taken it."""
    model = lw.Model("edge")
    link = model.planar("B", q=["x", "y", "a"], u=["u", "v", "w"])
    body = model.body("box", link, link.origin, 1.0, lw.inertia(link.frame, zz=1.0))
    contact = model.contact("boxes", lw.Box(link.origin, (0.25 * size, 0.25 * size), body=body),
                            lw.Box(model.origin, (0.5 * size, 0.25 * size), body=model.frame))  # fmt: skip
    (feature,) = [each for each in contact.features if each.name == "boxes: corner -x-y on side +y"]
    eq = model.equations()

    def stands(off: float, deep: float) -> bool:
        q = [(0.375 + 0.25 * off) * size, (0.25 - 0.25 * deep) * size, 0.0]
        return min(eq.evaluate([*feature.within], q, [0.0, 0.0, 0.0])) >= 0.0

    for deep in (0.0, 1e-6, 1e-3):
        assert stands(-0.5, deep)
        assert stands(4e-10, deep)
        assert not stands(4e-9, deep)

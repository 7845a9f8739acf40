"""The true signed distance of two shapes: closed forms, hulls by SciPy, all directions by brute force."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

import latchwork as lw
from latchwork.contact.interference import gjk
from latchwork.contact.interference.outlines import convex_parts
from latchwork.program.native import invoke
from random_outlines import letter_corners

AT_HOME = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def told(make, places, turns=None, plane=True):
    """The signed distance of a shape that is moved to some places, turned by angles, from one that stands."""
    model = lw.Model("two")
    N, O = model.frame, model.origin
    x, y, z, a = model.coordinates("x", "y", "z", "a")
    model.speeds()
    C = O.at("C", x * N.x + y * N.y + z * N.z)
    body = model.body("body", N.rotated("B", a, N.z if plane else N.x + 2.0 * N.y + 3.0 * N.z), C, 1.0,
                      lw.inertia(N, 1.0, 1.0, 1.0))  # fmt: skip
    shapes = make(body, N, O)
    turns = np.zeros(len(places)) if turns is None else turns
    rows = zip(np.column_stack([places, turns]), strict=True)
    return np.array([lw.simulate(model, 1e-9, q=row, method=lw.RK4(1e-9)).interference(*shapes)[0] for (row,) in rows])


def along(n, x, y):
    """How far x is beyond y, along each of some directions."""
    return (x @ n.T).min(axis=0) - (y @ n.T).max(axis=0)


def rotated(corners, axis, angle):
    """Corners turned about an axis.  [Rodrigues]"""
    k = np.array(axis) / np.linalg.norm(axis)
    return (corners * np.cos(angle) + np.cross(k, corners) * np.sin(angle)
            + np.outer(corners @ k, k) * (1.0 - np.cos(angle)))  # fmt: skip


def test_the_distance_of_hulls_is_the_least_there_is():
    """Least |Σ λ x − Σ μ y|, by a general optimizer; 0 where they overlap. Machine code gives the bits of Python."""
    rng = np.random.default_rng(3)
    for _ in range(25):
        n, m = (int(k) for k in rng.integers(1, 9, 2))
        x, y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3)) + rng.normal(size=3) * 2.0
        ways = [np.array([1.0, 0.0, 0.0]) for _ in range(2)]
        found = [invoke(gjk.distance, n, x, m, y, AT_HOME, 1e-9, ways[0]),
                 gjk.distance(n, x, m, y, AT_HOME, 1e-9, ways[1])]  # fmt: skip
        assert found[0] == found[1]
        assert (ways[0] == ways[1]).all()
        whole = [LinearConstraint(np.r_[np.ones(n), np.zeros(m)], 1.0, 1.0),
                 LinearConstraint(np.r_[np.zeros(n), np.ones(m)], 1.0, 1.0)]  # fmt: skip
        d, even = np.vstack([x, -y]), np.r_[np.full(n, 1 / n), np.full(m, 1 / m)]
        best = minimize(lambda w, d=d: ((w @ d) ** 2).sum(), even, bounds=[(0.0, 1.0)] * (n + m), constraints=whole,
                        method="SLSQP", options={"ftol": 1e-16, "maxiter": 500})  # fmt: skip
        assert found[0] == pytest.approx(np.sqrt(best.fun), abs=2e-5)
        if found[0] > 0.0:
            assert along(ways[0][None], x, y)[0] == pytest.approx(found[0], rel=1e-9)


def test_round_things_and_planes_have_closed_forms():
    """|C| − ρ − R of disks, y − ρ over a line, R − ρ − |C| in a ring, the nearest place of a capsule and of a box."""
    places = np.array([[1.0, 0.3, 0.0], [0.2, -0.1, 0.0], [-0.7, 0.9, 0.0]])
    far = np.hypot(*places.T[:2])
    disk = lambda body, N, O: body.circle(0.1)  # noqa: E731
    assert told(lambda b, N, O: (disk(b, N, O), lw.Circle(O, 0.2)), places) == pytest.approx(far - 0.3, abs=1e-15)
    assert told(lambda b, N, O: (disk(b, N, O), lw.Line(O, N.x, N.y)), places) == pytest.approx(places[:, 1] - 0.1)
    assert told(lambda b, N, O: (disk(b, N, O), lw.Arc(O, 2.0, inside=True)), places) == pytest.approx(1.9 - far)
    rod = np.hypot(np.maximum(np.abs(places[:, 0]) - 0.5, 0.0), places[:, 1])
    capsule = lambda b, N, O: (disk(b, N, O), lw.Capsule(O.at("P", -0.5 * N.x), O.at("Q", 0.5 * N.x), 0.05))  # noqa: E731
    assert told(capsule, places) == pytest.approx(rod - 0.15, abs=1e-15)
    out = np.maximum(np.abs(places[:, :2]) - [0.5, 0.25], 0.0)
    deep = np.minimum((np.abs(places[:, :2]) - [0.5, 0.25]).max(axis=1), 0.0)
    box = np.hypot(*out.T) + deep - 0.1
    assert told(lambda b, N, O: (disk(b, N, O), lw.Box(O, (1.0, 0.5))), places) == pytest.approx(box, abs=1e-14)


def test_a_hoop_over_a_plane_and_a_ball():
    """z − R |n × k| − ρ; √(h² + (r − R)²) − ρ − tube."""
    turn = np.array([0.0, 0.7])
    places = np.array([[0.1, 0.2, 1.0], [0.4, -0.3, 0.2]])
    k = rotated(np.array([[0.0, 0.0, 1.0]]), (1, 2, 3), turn[1])[0]
    lean = np.array([0.0, np.hypot(*k[:2])])
    over = told(lambda b, N, O: (b.rim(b.frame.z, 0.5, tube=0.05), lw.Plane(O, N.z)), places, turn, plane=False)
    assert over == pytest.approx(places[:, 2] - 0.5 * lean - 0.05, abs=1e-14)
    ball = told(lambda b, N, O: (b.sphere(0.1), lw.Rim(O, N.z, 0.5, body=N)), places)
    assert ball == pytest.approx(np.hypot(np.hypot(*places.T[:2]) - 0.5, places[:, 2]) - 0.1, abs=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_boxes_in_space_are_as_deep_as_no_direction_denies(seed):
    """The largest of min x·n − max y·n over all unit vectors n, drawn and then refined; apart, it is the distance."""
    rng = np.random.default_rng(seed)
    places, turns = rng.uniform(-1.0, 1.0, (4, 3)), rng.uniform(-3.0, 3.0, 4)
    half = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    found = told(lambda b, N, O: (b.box((0.8, 0.6, 1.0)), lw.Box(O, (1.0, 1.2, 0.4))), places, turns, plane=False)
    for place, turn, distance in zip(places, turns, found, strict=True):
        x, y = rotated(half * [0.4, 0.3, 0.5], (1, 2, 3), turn) + place, half * [0.5, 0.6, 0.2]
        n = rng.normal(size=(20_000, 3))
        for width in (0.1, 0.01, 1e-3, 1e-4, 1e-5):
            n /= np.linalg.norm(n, axis=1)[:, None]
            best = n[along(n, x, y).argsort()[-20:]]
            n = np.vstack([best, *(best + width * rng.normal(size=best.shape) for _ in range(200))])
        n /= np.linalg.norm(n, axis=1)[:, None]
        assert distance == pytest.approx(along(n, x, y).max(), abs=1e-4)
        assert distance >= along(n, x, y).max() - 1e-12


def test_an_outline_that_is_not_convex_is_cut_up():
    """Triangles of its area, none of which leaves it; the notch of an L is no part of it."""
    corners = np.array([(0, 0, 0), (0, 2, 0), (1, 2, 0), (1, 1, 0), (2, 1, 0), (2, 0, 0)], dtype=float)
    parts = convex_parts(corners, np.array([0.0, 0.0, 1.0]))
    area = sum(0.5 * abs(np.cross(p[1] - p[0], p[2] - p[0])[2]) for p in parts)
    assert area == pytest.approx(3.0)
    shape = lambda b, N, O: (b.circle(0.1), lw.Polyline(  # noqa: E731
        [O.at(f"P{i}", x * N.x + y * N.y) for i, (x, y, _) in enumerate(corners)], closed=True))
    assert told(shape, np.array([[1.5, 1.5, 0.0], [3.0, 0.5, 0.0], [0.5, 1.5, 0.0]]))[:2] == pytest.approx([0.4, 0.9])
    assert told(shape, np.array([[0.5, 1.5, 0.0]]))[0] < -0.1


def test_a_room_is_what_is_behind_its_walls():
    """Inside of a convex outline that runs counterclockwise, the distance from the nearest wall."""
    shape = lambda b, N, O: (b.circle(0.1), lw.Polyline(  # noqa: E731
        [O.at(f"P{i}", x * N.x + y * N.y) for i, (x, y) in enumerate(((0, 0), (3, 0), (3, 2), (0, 2)))], closed=True))
    assert told(shape, np.array([[1.0, 1.5, 0.0], [2.95, 1.0, 0.0]])) == pytest.approx([0.4, -0.05])


@pytest.mark.parametrize("seed", range(60))
def test_convex_parts_make_up_an_outline(seed):
    """Areas by Gauss's formula: what the parts have together is what the outline has; also with corners in line."""
    corners = np.array([(*place, 0.0) for place in letter_corners(random.Random(seed), seed % 2 == 0)])

    def area(x):
        ahead = np.roll(x, -1, axis=0)
        return 0.5 * abs((x[:, 0] * ahead[:, 1] - ahead[:, 0] * x[:, 1]).sum())

    for x in (corners, corners[::-1]):
        parts = convex_parts(x, np.array([0.0, 0.0, 1.0]))
        assert sum(area(part) for part in parts) == pytest.approx(area(corners), rel=1e-12)

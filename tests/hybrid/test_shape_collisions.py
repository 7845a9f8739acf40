"""Every shape against every shape: two bodies that fly onto each other, judged by the sets that are drawn.

They meet when these do, lie in each other at no time, and keep energy and momentum; the laws know nothing of features.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

import drawn_plane
import drawn_space
import latchwork as lw
import random_outlines
import shape_collisions
import shape_collisions_in_space
from campaign import asked, rows, seeds
from drawn_plane import Pen
from latchwork.errors import IntegrationError
from shape_table import PLANE, REFUSED, SPACE, cell

NOTHING = {("point", "point"), ("point", "segment"), ("line", "line")}
# Corner on corner, or along a side: what is flush may meet, or may not.
FLUSH = {("box", "outline", "aligned"), ("outline", "segment", "aligned across")}
IN_PLANE = [
    ("segment", "box", "generic"), ("segment", "hull", "diagonal"), ("outline", "segment", "generic"),
    ("segment", "segment", "aligned"), ("segment", "arc", "generic back"), ("circle", "curve", "aligned aside"),
    ("box", "curve", "aligned"), ("capsule", "curve", "generic"), ("segment", "curve", "generic"),
    ("line", "curve", "diagonal"), ("arc", "oval", "generic"), ("oval", "cup", "aligned"),
    ("segment", "polyline", "aligned"), ("cup", "cup", "generic"),
]  # fmt: skip
MORE_IN_PLANE = [
    ("segment", "box", "aligned"), ("segment", "wall", "generic"), ("box", "curve", "generic"),
    ("curve", "oval", "generic"), ("curve", "curve", "aligned"), *((*pair, "generic back") for pair in product(
        ("circle", "capsule", "box", "hull", "outline"), ("segment", "curve", "oval"))),
]  # fmt: skip
SEVERAL = ("generic", "generic back", "aligned", "upright")
IN_SPACE = [
    ("tyre", "capsule", "generic"), ("rim", "box", "upright"), ("tyre", "tyre", "aligned"), ("tyre", "wire", "aligned"),
    ("box", "wire", "generic"), ("surface", "sphere", "generic back"), ("surface", "plane", "aligned"),
    ("cylinder", "capsule", "generic"), ("cylinder", "plane", "aligned"), ("cone", "sphere", "generic"),
    ("cylinder", "box", "generic"), ("cone", "hull", "generic back"), ("cone", "capsule", "generic"),
    ("cone", "hull", "aligned"), ("cone", "wire", "aligned"),
]  # fmt: skip
MORE_IN_SPACE = [
    *product(("cylinder",), ("sphere", "capsule", "cylinder", "plane"), SEVERAL),
    *product(("cylinder", "cone"), ("box", "hull", "wire"), SEVERAL),
    *product(("cone",), ("sphere", "capsule", "plane"), SEVERAL),
    *product(("tyre", "rim"), ("sphere", "capsule", "box", "hull", "plane"), ("generic", "aligned")),
    *product(("surface",), ("sphere", "capsule", "wire", "plane", "surface"), ("generic", "aligned")),
    *product(("surface",), ("tyre", "rim"), ("generic",)),
    *product(("tyre",), ("tyre", "rim", "wire"), SEVERAL),
    ("box", "surface", "generic"), ("box", "donut", "generic"),
]


def every(names, starts):
    """All pairs of some shapes, from all starts."""
    return [(*pair, start) for pair, start in product(combinations_with_replacement(names, 2), starts)
            if pair not in NOTHING and (*pair, start) not in FLUSH]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "start"), rows(IN_PLANE, [*MORE_IN_PLANE, *every(PLANE, ("generic", "aligned"))]))
def test_shapes_meet_in_the_plane(a, b, start):
    """Elastic, adrift: they meet, never overlap, and keep energy and momentum."""
    begin = shape_collisions.STARTS[start]
    m = shape_collisions.meeting(a, b)
    assert shape_collisions.broken(m, begin, m.run(begin)) == []


@pytest.mark.parametrize(("a", "b", "start"), rows(IN_SPACE, MORE_IN_SPACE))
def test_shapes_meet_in_space(a, b, start):
    """The same in space, beside the same motion without the contact."""
    begin = shape_collisions_in_space.STARTS[start]
    m = shape_collisions_in_space.meeting(a, b)
    alone = shape_collisions_in_space.alone(begin, m.front)
    assert shape_collisions_in_space.broken(m, alone, begin, m.run(begin)) == []


DROPPED = {  # from a height, or from the side; in the plane and in space
    "dropped": (replace(shape_collisions.STARTS["generic"], y=1.5, vy=0.0, until=0.6),
                replace(shape_collisions_in_space.STARTS["generic"], velocity=(0.0, 0.0, 0.0), until=0.6)),
    "slid": (shape_collisions.Start(x=-0.4, y=1.25, vx=1.5, vy=0.0, until=0.6),
             shape_collisions_in_space.Start((-0.4, 0.0, 1.25), velocity=(1.5, 0.0, 0.0), until=0.6)),
}  # fmt: skip
ON_GROUND = [("box", "segment", "dropped"), ("hull", "curve", "dropped"), ("segment", "polyline", "dropped"),
             ("circle", "outline", "slid"), ("box", "wall", "slid"), ("curve", "curve", "slid"),
             ("polyline", "curve", "dropped")]  # fmt: skip
MADE_IN_SPACE = [
    (*pair, start) for pair, start in product(combinations_with_replacement(SPACE, 2), DROPPED)
    if asked and cell(drawn_space.Pen, "free", *pair) != REFUSED
]  # fmt: skip
ON_GROUND_IN_SPACE = [("cylinder", "plane", "dropped"), ("sphere", "box", "slid")]


@pytest.mark.parametrize(("a", "b", "start"), rows(ON_GROUND, every(PLANE, DROPPED)))
def test_shapes_come_to_rest_on_each_other(a, b, start):
    """On ground with friction: no overlap, energy only lost, met when free fall says."""
    begin = DROPPED[start][0]
    m = shape_collisions.meeting(a, b, fixed=True, restitution=0.0, friction=0.3, gravity=9.81)
    assert shape_collisions.broken(m, begin, m.run(begin), 9.81) == []


@pytest.mark.parametrize(("a", "b", "start"), rows(ON_GROUND_IN_SPACE, MADE_IN_SPACE))
def test_shapes_come_to_rest_on_each_other_in_space(a, b, start):
    """The same in space."""
    begin, given = DROPPED[start][1], {"fixed": True, "gravity": 9.81}
    m = shape_collisions_in_space.meeting(a, b, restitution=0.0, friction=0.3, **given)
    alone = shape_collisions_in_space.alone(begin, m.front, **given)
    assert shape_collisions_in_space.broken(m, alone, begin, m.run(begin)) == []


@pytest.mark.parametrize("seed", seeds(range(6), range(2000)))
def test_random_outlines_meet_as_they_are_drawn(seed):
    """Outlines that are not convex: they meet where they are drawn and nowhere else, and keep the laws."""
    s = random_outlines.scene(seed)
    if s.begins_apart:
        assert shape_collisions.broken(s.meeting, s.start, s.meeting.run(s.start), s.gravity) == []


@pytest.mark.parametrize("x", [-0.8, 0.66, 0.7])
def test_what_falls_beside_a_bin_lands_on_the_floor(x):
    """A ball falls freely from 1.5 m to the floor: √(2 (1.5 − r) / g), past walls that are thin beside their floor."""
    corners = [(-0.55, 0.45), (-0.55, 1.0), (-0.5, 1.0), (-0.5, 0.5), (0.5, 0.5), (0.5, 1.0), (0.55, 1.0), (0.55, 0.45)]
    model = lw.Model("bin")
    N, O, link = model.frame, model.origin, model.planar("ball", q=["x", "y", "a"])
    ball = model.body("ball", link.frame, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    disk = ball.circle(0.1)
    points = [O.at(f"P{i}", px * N.x + py * N.y) for i, (px, py) in enumerate(corners)]
    model.contact("bin", disk, lw.Polyline(points, closed=True))
    model.contact("floor", disk, lw.Line(O, N.x, N.y))
    model.gravity(-9.81 * N.y)
    event = lw.simulate(model, until=1.0, q={"x": x, "y": 1.5}).events[0]
    assert (event.name, event.t) == ("floor", pytest.approx(math.sqrt(2.0 * 1.4 / 9.81), rel=1e-12))


def test_a_level_behind_a_bump_is_no_floor_before_it():
    """A ball falls onto level ground; past a bump the road goes on 1 cm higher."""
    corners = [(-50.0, 0.0), (0.0, 0.0), (0.5, 0.05), (1.0, 0.05), (1.5, 0.01), (100.0, 0.01)]
    model = lw.Model("road")
    N, O, link = model.frame, model.origin, model.planar("ball", q=["x", "y", "a"])
    ball = model.body("ball", link.frame, link.origin, 1.0, lw.inertia(link.frame, zz=0.02))
    points = [O.at(f"P{i}", px * N.x + py * N.y) for i, (px, py) in enumerate(corners)]
    model.contact("road", ball.circle(0.2), lw.Polyline(points), friction=0.5, restitution=0.0)
    model.gravity(-9.81 * N.y)
    run = lw.simulate(model, until=0.2, q={"x": -1.0, "y": 0.25})
    assert run.events[0].t == pytest.approx(math.sqrt(2.0 * 0.05 / 9.81), rel=1e-12)
    assert run["y"][-1] == pytest.approx(0.2, abs=1e-12)


def test_a_rounded_box_that_rocks_comes_to_lie_flat():
    """Its rocking dies away in a geometric series of impacts; then two of its arcs carry it, level."""
    model = lw.Model("box with rounded edges")
    N, O, link = model.frame, model.origin, model.planar("box", q=["x", "y", "a"])
    box = model.body("box", link.frame, link.origin, 1.0, lw.inertia(link.frame, zz=0.05))
    rounded = random_outlines.rounded_box(random.Random(1), round_numbers=True)(Pen("b", link.origin, link.frame, box))
    model.contact("floor", rounded.shape, lw.Line(O, N.x, N.y), friction=0.3)
    model.gravity(-9.81 * N.y)
    run = lw.simulate(model, until=2.0, q={"y": 0.7, "a": 0.15})
    assert len(run.events) < 40
    assert len(run.events[-1].after) == 2
    assert abs(run["a"][-1]) < 1e-9


def test_what_lies_behind_a_boundary_is_outside_it():
    """A ball over a stadium 1.6 m long and 0.5 m thick falls freely by 0.3 m; no face of it reaches through it."""
    model = lw.Model("stadium")
    N, O, link = model.frame, model.origin, model.planar("ball", q=["x", "y", "a"])
    ball = model.body("ball", link.frame, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    a, r = 0.8, 0.25
    corners = (("P", -a, r), ("Q", a, r), ("R", a, -r), ("S", -a, -r))
    P, Q, R, S = (O.at(name, x * N.x + y * N.y) for name, x, y in corners)
    stadium = lw.Boundary([lw.Segment(P, Q, N.y), lw.Arc(O.at("right", a * N.x), r, N.y, -math.pi),
                           lw.Segment(R, S, -N.y), lw.Arc(O.at("left", -a * N.x), r, -N.y, -math.pi)])  # fmt: skip
    model.contact("pair", ball.circle(0.1), stadium, restitution=0.5)
    model.gravity(-9.81 * N.y)
    for x in (0.0, 0.5):
        event = lw.simulate(model, until=0.4, q={"x": x, "y": 0.65}).events[0]
        assert event.t == pytest.approx(math.sqrt(2.0 * 0.3 / 9.81), rel=1e-12)


@pytest.mark.parametrize("low", [-1e-3, 0.0, 1e-4, 0.1])
def test_drawn_lines_are_as_deep_as_the_shortest_arm_where_they_cross(low):
    """A V whose tip hangs below a level line: the middle of the line between its sides is off them by low/√2."""
    level, tip = np.array([(-1.0, 0.0), (1.0, 0.0)]), np.array([(-0.5, 0.5 - low), (0.0, -low), (0.5, 0.5 - low)])
    assert drawn_plane.crossing(level, tip) == pytest.approx(min(low, low / math.sqrt(2)), abs=2e-7)


@pytest.mark.parametrize(("x", "back"), [(0.4, False), (-0.4, True)])
def test_what_has_a_front_is_met_from_behind_where_it_is_not_met_in_front(x, back):
    """A short line beside a cup whose side stands upright: inside, and outside; its back is the convex side."""
    cup = drawn_plane.Drawn(None, drawn_plane.around((0.0, 0.0), 1.0, math.pi, math.pi / 2), front=1)
    line = drawn_plane.Drawn(None, drawn_plane.along([(-1.0 + x, -0.1), (-1.0 + 0.1 * x, -0.1)]))
    still = np.zeros(3)
    assert drawn_plane.meets_back(cup, still, line, still) is back
    assert drawn_plane.meets_back(line, still, cup, still) is back


def test_an_outline_keeps_its_corners_where_it_is_thinned_out():
    """Chords of a polyline are its edges; those of a circle are nowhere far from it."""
    corners = [(0.0, 0.0), (1.0, 0.3), (1.5, -0.2)]
    assert drawn_plane.chords(drawn_plane.along(corners)) == pytest.approx(np.array(corners))
    ring = drawn_plane.around((0.0, 0.0), 0.1)
    few = drawn_plane.chords(ring)
    assert len(few) < 0.5 * len(ring)
    assert drawn_plane.distances(ring, few).max() <= drawn_plane.CLOSE


def test_a_rim_that_comes_to_lie_round_a_surface_is_refused():
    """A cap z = −0.4 r² in a rim of radius 1/2 about one axis: no place of the circle is nearer than the others."""
    m = shape_collisions_in_space.meeting("surface", "rim")
    with pytest.raises(IntegrationError, match=r"'pair' is met at no one place at t = 0\.8.*: its shapes lie against"):
        m.run(shape_collisions_in_space.STARTS["aligned"])


def test_what_never_touches_is_refused():
    """Two points, a point and something thin: where neither has a radius or a side, the contact is refused."""
    for a, b in NOTHING:
        assert cell(drawn_plane.Pen, "planar", a, b) == REFUSED
    for a, b in (("plane", "plane"), *combinations_with_replacement(("point", "wire", "rim"), 2)):
        assert cell(drawn_space.Pen, "free", a, b) == REFUSED

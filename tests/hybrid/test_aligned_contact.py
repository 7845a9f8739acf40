"""Contact as people build it: aligned, equal and flush, against closed forms."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import latchwork as lw
from aligned_scenes import scene, wrong
from campaign import rows, seeds

G = 9.81


def planar(names="A", sizes=(1.0, 1.0), mass=1.0, floor=None, gravity=True, **law):
    """Equal boxes in the plane, each against each, and against a floor."""
    model = lw.Model("boxes")
    N, O, made = model.frame, model.origin, []
    for name in names:
        link = model.planar(name)
        J = mass * (sizes[0] ** 2 + sizes[1] ** 2) / 12.0
        made.append(model.body(name, link, link.origin, mass, lw.inertia(link.frame, zz=J)).box(sizes))
    if gravity:
        model.gravity(-G * N.y)
        ground = [lw.Line(O, N.x, N.y)] if floor is None else floor(N, O)
        for (name, box), (k, each) in product(zip(names, made, strict=True), enumerate(ground)):
            model.contact(f"{name} on ground {k}", box, each, **law)
    for i, j in product(range(len(made)), range(len(made))):
        if i < j:
            model.contact(f"{names[j]} on {names[i]}", made[j], made[i], **law)
    return model


def spatial(names="A", gravity=True, **law):
    """Cubes of size 1 and mass 1 in space, over a plane or in the air."""
    model = lw.Model("boxes in space")
    N, O, made = model.frame, model.origin, []
    for name in names:
        link = model.free(name)
        made.append(model.body(name, link, link.origin, 1.0, lw.inertia(link.frame, *[1.0 / 6.0] * 3)).box((1, 1, 1)))
    if gravity:
        model.gravity(-G * N.z)
        for name, box in zip(names, made, strict=True):
            model.contact(f"{name} on ground", box, lw.Plane(O, N.z), **law)
    for i, j in product(range(len(made)), range(len(made))):
        if i < j:
            model.contact(f"{names[j]} on {names[i]}", made[j], made[i], **law)
    return model


def pose(x, y, z, axis=(0.0, 0.0, 1.0), angle=0.0):
    """Coordinates of a free body."""
    k = np.array(axis) / math.sqrt(sum(a * a for a in axis))
    return [x, y, z, math.cos(0.5 * angle), *(math.sin(0.5 * angle) * k).tolist()]


# --- in the air -------------------------------------------------------------------------------------------------------


SIZES, SPEEDS = (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 7.0), (0.1, 0.5, 1.0, 1.3, 2.0, 5.0, 10.0)
PAIRS = list(product(SIZES, SPEEDS, [0.0, 0.5, 1.0], [None, 0.3], [0.0, 1e-9]))  # the last is a part of the size


@pytest.mark.parametrize(
    ("size", "speed", "e", "mu", "shift"),
    rows([(1.0, 1.0, 0.5, None, 0.0), (0.3, 5.0, 1.0, 0.3, 0.0), (2.0, 0.5, 0.0, 0.3, 1e-9)], PAIRS),
)
def test_equal_boxes_meet_face_to_face(size, speed, e, mu, shift):
    """They meet when the gap is used up, and share the speed by e: (1 ∓ e)/2 of it; nothing turns or leaves it."""
    model = planar("AB", (size, size), gravity=False, restitution=e, friction=mu)
    run = lw.simulate(model, until=1.0, q=[0, 0, 0, size + 0.5 * speed, shift * size, 0], u=[speed, 0, 0, 0, 0, 0])
    assert run.events[0].t == pytest.approx(0.5, abs=1e-9)
    after = [0.5 * (1 - e) * speed, 0, 0, 0.5 * (1 + e) * speed, 0, 0]
    assert run.x[-1, 6:12] == pytest.approx(after, abs=1e-7 * speed)
    assert run.audit.least_gap > -1e-9


MEETINGS = {  # how A and B, of size 1, stand to each other, and how far apart their centres are where they meet
    "face to face": (pose(0, 0, 0), ((0, 0, 1), 0.0), 1.0),
    "edge on face": (pose(0, 0, 0), ((0, 0, 1), math.pi / 4), 0.5 + math.sqrt(0.5)),
    "edge on edge": (pose(0, 0, 0, (0, 0, 1), math.pi / 4), ((0, 0, 1), math.pi / 4), math.sqrt(2.0)),
    "crossed edges": (pose(0, 0, 0, (0, 0, 1), math.pi / 4), ((0, 1, 0), math.pi / 4), math.sqrt(2.0)),
    "corner on corner": (pose(0, 0, 0, (0, 1, -1), math.acos(1 / math.sqrt(3))), None, math.sqrt(3.0)),
}


@pytest.mark.parametrize("e", [0.0, 1.0])
@pytest.mark.parametrize("name", MEETINGS)
def test_cubes_meet_head_on_in_space(name, e):
    """However they meet, through their centres: the relative speed is −e of what it was, and no cube turns."""
    first, turn, apart = MEETINGS[name]
    second = pose(apart + 0.5, 0, 0, *turn) if turn else [apart + 0.5, *first[1:]]
    model = spatial("AB", gravity=False, restitution=e)
    run = lw.simulate(model, until=1.0, q=[*first, *second], u=[1.0, *[0.0] * 11])
    u = run.x[-1, 14:26]
    assert run.events[0].t == pytest.approx(0.5, abs=1e-9)
    assert u[[0, 6]] == pytest.approx([0.5 * (1 - e), 0.5 * (1 + e)], abs=1e-7)
    assert np.delete(u, [0, 6]) == pytest.approx(np.zeros(10), abs=1e-7)
    assert run.audit.least_gap > -1e-9


@pytest.mark.parametrize("e", [0.5, 1.0])
@pytest.mark.parametrize("size", [0.5, 1.0])
def test_squares_meet_corner_on_corner(size, e):
    """Tips head on: both normals act alike, so that the blow is along the line of centres."""
    model = planar("AB", (size, size), gravity=False, restitution=e)
    turn = math.pi / 4
    run = lw.simulate(model, until=1.0, q=[0, 0, turn, math.sqrt(2.0) * size + 0.5, 0, turn], u=[1.0, 0, 0, 0, 0, 0])
    assert run.events[0].t == pytest.approx(0.5, abs=1e-9)
    assert run.x[-1, 6:12] == pytest.approx([0.5 * (1 - e), 0, 0, 0.5 * (1 + e), 0, 0], abs=1e-9)


def test_a_corner_passes_a_corner_that_it_does_not_approach():
    """A square slides along the side of another, corner past corner, without a blow: one normal does not approach."""
    model = planar("AB", gravity=False, restitution=0.5)
    run = lw.simulate(model, until=3.0, q=[0, 0, 0, -1.5, 1.0, 0], u=[0, 0, 0, 1.0, 0, 0])
    assert not [event for event in run.events if event.kind == "impact"]
    assert run.x[-1, :6] == pytest.approx([0, 0, 0, 1.5, 1.0, 0], abs=1e-12)


# --- at rest and in stacks --------------------------------------------------------------------------------------------


def test_flush_crates_at_rest_stay_without_an_event():
    """Side by side on a floor, touching: nothing pushes, nothing changes."""
    run = lw.simulate(planar("AB", friction=0.5), until=1.0, q=[0, 0.5, 0, 1.0, 0.5, 0])
    assert run.events == ()
    assert np.array_equal(run.x[-1, :6], run.x[0, :6])


def test_a_stack_of_ten_dropped_aligned():
    """Ten boxes, each 0.1 above the one below: all lie on each other in the end, upright, as high as they are."""
    names = "ABCDEFGHIJ"
    q = [c for i in range(10) for c in (0.0, 0.6 + 1.1 * i, 0.0)]
    run = lw.simulate(planar(names, friction=0.5), until=0.6, q=q)
    x = run.x[-1]
    assert x[1:30:3] == pytest.approx(0.5 + np.arange(10.0), abs=1e-8)
    assert np.abs(x[30:60]).max() < 1e-9
    assert np.abs(x[[*range(0, 30, 3), *range(2, 30, 3)]]).max() < 1e-8
    assert run.audit.least_gap > -1e-8


@pytest.mark.parametrize("size", [0.25, 1.0])
def test_a_column_stands(size):
    """Four equal boxes that stand on each other to begin with: no event, no motion."""
    q = [c for i in range(4) for c in (0.0, (0.5 + i) * size, 0.0)]
    run = lw.simulate(planar("ABCD", (size, size), friction=0.5), until=1.0, q=q)
    assert run.events == ()
    assert run.x[-1, :12] == pytest.approx(q, abs=1e-12)


def test_a_column_of_cubes_stands():
    """The same of two cubes in space."""
    q = [c for i in range(2) for c in pose(0.0, 0.0, 0.5 + i)]
    run = lw.simulate(spatial("AB", friction=0.5), until=0.5, q=q)
    assert run.x[-1, :14] == pytest.approx(q, abs=1e-10)
    assert run.audit.least_gap > -1e-9


# --- seams ------------------------------------------------------------------------------------------------------------


def tables(N, O, name="T"):
    """Two boxes flush with each other, their tops at height 0."""
    return [lw.Box(O.at(f"{name}{i}", x * N.x - 0.5 * N.y), (10.0, 1.0), N) for i, x in enumerate((-5.0, 5.0))]


@pytest.mark.parametrize("mu", [None, 0.2])
def test_a_box_slides_from_a_table_onto_another(mu):
    """x = v t − μ g t²/2 across the joint, without a jump of any speed."""
    run = lw.simulate(planar(floor=tables, friction=mu), until=1.0, q=[-1.0, 0.5, 0.0], u=[3.0, 0.0, 0.0])
    assert run["q_A_px"][-1] == pytest.approx(-1.0 + 3.0 - 0.5 * (mu or 0.0) * G, abs=1e-9)
    assert not [event for event in run.events if event.kind == "impact"]
    assert run.audit.least_gap > -1e-9


def test_a_box_crosses_fifty_flat_seams_without_an_event():
    """An outline of fifty edges in line is one edge."""
    def outline(N, O):
        return [lw.Polyline([O.at(f"G{i}", 0.2 * (i - 5) * N.x) for i in range(52)])]

    run = lw.simulate(planar(floor=outline, friction=0.1), until=1.5, q=[0.0, 0.5, 0.0], u=[6.0, 0.0, 0.0])
    assert run.events == ()
    assert run["q_A_px"][-1] == pytest.approx(6.0 * 1.5 - 0.05 * G * 1.5**2, abs=1e-9)


@pytest.mark.parametrize("slides", [True, False], ids=["slides", "rolls"])
def test_a_ball_over_the_joint_of_two_boxes(slides):
    """It goes on as on one plane: without friction at its speed, rolling at its speed."""
    model = lw.Model("ball")
    link, N, O = model.free("b"), model.frame, model.origin
    ball = model.body("b", link, link.origin, 1.0, lw.inertia(link.frame, 0.1, 0.1, 0.1)).sphere(0.5)
    model.gravity(-G * N.z)
    for i, x in enumerate((-5.0, 5.0)):
        table = lw.Box(O.at(f"T{i}", x * N.x - 0.5 * N.z), (10.0, 10.0, 1.0), N)
        model.contact(f"table {i}", ball, table, friction=None if slides else 0.5)
    spin = 0.0 if slides else 4.0
    run = lw.simulate(model, until=1.0, q=pose(-1.0, 0.0, 0.5), u=[2.0, 0.0, 0.0, 0.0, spin, 0.0])
    assert run.x[-1, :3] == pytest.approx([1.0, 0.0, 0.5], abs=1e-9)
    assert run.x[-1, 7:13] == pytest.approx([2.0, 0.0, 0.0, 0.0, spin, 0.0], abs=1e-9)
    assert not [event for event in run.events if event.kind == "impact"]


def test_a_box_at_the_very_edge_of_tipping_slides_over_a_joint():
    """As wide as μ times its height, it slides on its front corner alone: x = v t − μ g t²/2, and then rests."""
    model = planar(floor=tables, sizes=(0.25, 0.5), friction=0.5)
    run = lw.simulate(model, until=0.75, q=[-0.5, 0.25, 0.0], u=[2.0, 0.0, 0.0])
    assert run.x[-1, :3] == pytest.approx([-0.5 + 2.0**2 / G, 0.25, 0.0], abs=1e-8)
    assert not [event for event in run.events if event.kind == "impact"]
    assert run.events[-1].t == pytest.approx(2.0 / (0.5 * G), abs=1e-9)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_cube_that_starts_with_an_edge_on_a_joint_slides_on(way):
    """At the very edge of tipping, μ = 1, all its weight on the front edge: the joint of two tables is there as it
    starts, or at its rear edge. x = v t − μ g t²/2, without an impact."""
    model = lw.Model("cube")
    link, N, O = model.free("A"), model.frame, model.origin
    cube = model.body("A", link, link.origin, 1.0, lw.inertia(link.frame, *[1.0 / 6.0] * 3)).box((1, 1, 1))
    model.gravity(-G * N.z)
    for k, x in enumerate((-5.0, 5.0)):
        table = lw.Box(O.at(f"T{k}", x * N.x - 0.5 * N.z), (10.0, 10.0, 1.0), N)
        model.contact(f"table {k}", cube, table, friction=1.0, restitution=0.5)
    run = lw.simulate(model, until=0.09, q=pose(-0.5, 0.0, 0.5), u=[way, *[0.0] * 5])
    assert run.x[-1, :3] == pytest.approx([-0.5 + way * (0.09 - 0.5 * G * 0.09**2), 0.0, 0.5], abs=1e-9)
    assert not [event for event in run.events if event.kind == "impact"]


def test_a_box_without_friction_that_nothing_struck_slides_over_a_joint():
    """From rest, pushed: x = F t²/2m, without an impact. Its rows know nothing of its speed."""
    model = planar(floor=tables)
    model.force(model.links["A"].origin, 20.0 * model.frame.x)
    run = lw.simulate(model, until=0.75, q=[-1.0, 0.5, 0.0])
    assert run.x[-1, :3] == pytest.approx([-1.0 + 10.0 * 0.75**2, 0.5, 0.0], abs=1e-9)
    assert not [event for event in run.events if event.kind == "impact"]


# --- loads that begin -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 1.0])
def test_a_push_that_begins_at_zero_moves_a_row_that_touches_without_an_impact(e):
    """F = F₀ sin ωt on the first of three: each has x = F₀ (ωt − sin ωt)/(3 m ω²), for nothing has closed."""
    model, made = lw.Model("row"), []
    for name in "ABC":
        link = model.prismatic(name, model.frame, axis=model.frame.x)
        body = model.body(name, link, link.origin, 1.0, lw.inertia(link.frame, zz=1.0))
        made.append(body.box((1.0, 1.0)))
    for one, other in ((0, 1), (1, 2)):
        model.contact(f"{one} on {other}", made[other], made[one], restitution=e)
    model.force(model.links["A"].origin, 20.0 * lw.sin(5.0 * model.time) * model.frame.x)
    run = lw.simulate(model, until=0.6, q=[0.0, 1.0, 2.0])
    x = 20.0 * (3.0 - math.sin(3.0)) / (3.0 * 25.0)
    assert run.x[-1, :3] == pytest.approx([x, 1.0 + x, 2.0 + x], abs=1e-9)
    assert not [event for event in run.events if event.kind == "impact"]


@pytest.mark.parametrize("e", [0.0, 1.0])
def test_disks_in_a_row_roll_on_as_a_push_begins_that_makes_them_slide_on_each_other(e):
    """F = F₀ sin ωt on the first of three that stand on two tables. They roll, and rub where they touch, so that with
    I = m + J/r² the pushes are N₂ = I a/(1 − μ), N₁ = (I a + (1 + μ) N₂)/(1 − μ), and F = I a + (1 + μ) N₁."""
    model, made, r, mu, J = lw.Model("row"), [], 0.5, 0.5, 1.0 / 6.0
    for name in "ABC":
        link = model.planar(name)
        made.append(model.body(name, link, link.origin, 1.0, lw.inertia(link.frame, zz=J)).circle(r))
        for k, table in enumerate(tables(model.frame, model.origin, name)):
            model.contact(f"{name} on table {k}", made[-1], table, restitution=e, friction=mu)
    for one, other in ((0, 1), (1, 2)):
        model.contact(f"{one} on {other}", made[other], made[one], restitution=e, friction=mu)
    model.gravity(-G * model.frame.y)
    model.force(model.links["A"].origin, 2.5 * lw.sin(5.0 * model.time) * model.frame.x)
    run = lw.simulate(model, until=0.6, q=[0.0, r, 0.0, 2.0 * r, r, 0.0, 4.0 * r, r, 0.0])
    inertia = 1.0 + J / r**2
    last = inertia / (1.0 - mu)
    first = (inertia + (1.0 + mu) * last) / (1.0 - mu)
    x = 2.5 * (3.0 - math.sin(3.0)) / 25.0 / (inertia + (1.0 + mu) * first)
    assert run.x[-1, [0, 3, 6]] == pytest.approx([x, 2.0 * r + x, 4.0 * r + x], abs=1e-9)
    assert run.x[-1, [2, 5, 8]] == pytest.approx([-x / r] * 3, abs=1e-9)
    assert not [event for event in run.events if event.kind == "impact"]


def test_a_disk_that_jams_another_slides_on_the_ground_alone():
    """μ = 1, two disks that touch, F = F₀ sin ωt on the first: they are jammed at the very edge of the cone between
    them until F = m g. Then the first slides on the ground, and the second rolls as the first turns against it: with
    k = J/m r², (2 + k) m a = F − m g."""
    model, made, r, J = lw.Model("two"), [], 0.5, 1.0 / 6.0
    for name in "AB":
        link = model.planar(name)
        made.append(model.body(name, link, link.origin, 1.0, lw.inertia(link.frame, zz=J)).circle(r))
        model.contact(f"{name} on floor", made[-1], lw.Line(model.origin, model.frame.x, model.frame.y), friction=1.0)
    model.contact("B on A", made[1], made[0], friction=1.0)
    model.gravity(-G * model.frame.y)
    model.force(model.links["A"].origin, 20.0 * lw.sin(5.0 * model.time) * model.frame.x)
    run = lw.simulate(model, until=0.5, q=[0.0, r, 0.0, 2.0 * r, r, 0.0])
    begin, end = math.asin(G / 20.0) / 5.0, 0.5
    push = 0.8 * (math.sin(5.0 * begin) - math.sin(5.0 * end)) + 4.0 * math.cos(5.0 * begin) * (end - begin)
    x = (push - 0.5 * G * (end - begin) ** 2) / (2.0 + J / r**2)
    assert run.events[-1].t == pytest.approx(begin, abs=1e-8)
    assert run.x[-1, :6] == pytest.approx([x, r, x / r, 2.0 * r + x, r, -x / r], abs=1e-8)


# --- bodies that fall together ----------------------------------------------------------------------------------------


def test_boxes_that_fall_together_have_no_event():
    """Free fall, one on the other, with friction: nothing presses, and nothing happens until they meet the floor."""
    run = lw.simulate(planar("AB", friction=1.0), until=0.6, q=[0.0, 3.0, 0.0, 0.25, 4.0, 0.0])
    assert not [event for event in run.events if event.kind != "release"]
    assert run.x[-1, :6] == pytest.approx([0.0, 3.0 - 0.18 * G, 0.0, 0.25, 4.0 - 0.18 * G, 0.0], abs=1e-9)


# --- corners that take turns ------------------------------------------------------------------------------------------


def quarter(p2, alpha, top):
    """How long a block falls from rest at a tilt: ∫ dθ/√(2 p² (cos(α − θ₀) − cos(α − θ))), θ = θ₀ (1 − s²)."""
    s, w = np.polynomial.legendre.leggauss(60)
    s, w = 0.5 * (s + 1.0), 0.5 * w
    theta = top * (1.0 - s * s)
    speed = np.sqrt(2.0 * p2 * (np.cos(alpha - top) - np.cos(alpha - theta)))
    return float((w * 2.0 * top * s / speed).sum())


def test_a_block_rocks_from_corner_to_corner():
    """Times of its first blows: a fall from its tilt, then twice the fall from each lower one; θ̈ = −p² sin(α − θ) with
    p² = 3g/4R, and ω⁺ = (1 − 3/2 sin²α) ω⁻.  [Housner 1963]"""
    width, height, top = 0.2, 0.8, 0.1
    R, alpha = 0.5 * math.hypot(width, height), math.atan2(width, height)
    p2, r = 0.75 * G / R, 1.0 - 1.5 * math.sin(alpha) ** 2
    expected, t = [], quarter(p2, alpha, top)
    for _ in range(4):
        expected.append(t)
        lower = alpha - math.acos(math.cos(alpha) + r * r * (math.cos(alpha - top) - math.cos(alpha)))
        t, top = t + 2.0 * quarter(p2, alpha, lower), lower
    x, y = 0.5 * width, 0.5 * height
    at = [-x * math.cos(0.1) + y * math.sin(0.1) + x, x * math.sin(0.1) + y * math.cos(0.1)]
    run = lw.simulate(planar(sizes=(width, height), friction=5.0), until=1.6, q=[-at[0], at[1], 0.1])
    blows = [event.t for event in run.events if event.kind == "impact"]
    assert blows[:4] == pytest.approx(expected, abs=1e-8)


def test_a_hexagon_rolls_down_an_incline():
    """From corner to corner: ω²/2 grows by g R (cos(α − 30°) − cos(α + 30°))/k² in each sixth of a turn, and
    ω⁺ = ω⁻ (J + m R² cos 60°)/(J + m R²) at each blow."""
    R, J, slope = 0.5, 0.1, math.radians(20.0)
    model = lw.Model("hexagon")
    link, N, O = model.planar("h"), model.frame, model.origin
    corners = [(R * math.cos(a), R * math.sin(a), 0.0) for a in (math.pi / 3.0 * i for i in range(6))]
    hexagon = model.body("h", link, link.origin, 1.0, lw.inertia(link.frame, zz=J)).hull(np.array(corners))
    A = N.rotated("A", -slope, N.z)
    model.gravity(-G * N.y)
    model.contact("slope", hexagon, lw.Line(O, A.x, A.y), friction=50.0)
    flat = R * math.cos(math.pi / 6.0)
    run = lw.simulate(model, until=1.5, q=[flat * math.sin(slope), flat * math.cos(slope), -slope], u=[0.0, 0.0, 0.0])
    blows = [event for event in run.events if event.kind == "impact"]
    I, ratio = J + R * R, (J + 0.5 * R * R) / (J + R * R)
    assert slope < math.pi / 6.0
    assert not blows  # less steep than 30° it stands
    w, t, expected = 1.5, 0.0, []
    for _ in range(2):
        t, w = t + fall(w, I, R, slope), math.sqrt(w * w + 2.0 * G * R * rise(slope) / I)
        expected.append(t)
        w *= ratio
    start = [flat * math.sin(slope), flat * math.cos(slope), -slope]
    c, s = math.cos(slope), math.sin(slope)
    back = np.array([-0.5 * R * c + flat * s, 0.5 * R * s + flat * c])  # centre seen from the lower corner
    run = lw.simulate(model, until=1.1, q=start, u=[1.5 * back[1], -1.5 * back[0], -1.5])
    blows = [event.t for event in run.events if event.kind == "impact"]
    assert blows[:2] == pytest.approx(expected, abs=1e-8)


def rise(slope):
    """How much lower the centre is after a sixth of a turn, over R: cos(30° − slope) − cos(30° + slope)."""
    return math.cos(math.pi / 6.0 - slope) - math.cos(math.pi / 6.0 + slope)


def fall(w, I, R, slope):
    """How long a corner is rolled over: ∫ dφ/ω, ω² = w² + 2 g R (cos(30° + slope ...) − cos φ)/I."""
    s, weight = np.polynomial.legendre.leggauss(60)
    low, high = slope - math.pi / 6.0, slope + math.pi / 6.0  # the line to the centre, from the vertical
    phi = low + 0.5 * (high - low) * (s + 1.0)
    speed = np.sqrt(w * w + 2.0 * G * R * (math.cos(low) - np.cos(phi)) / I)
    return float((0.5 * (high - low) * weight / speed).sum())


# --- what is thin and fast --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_needle_at_a_kilometre_a_second_meets_a_thin_plate(e):
    """A needle of 1 mm, along its way, and a plate of 1 mm across it, free in the air: they share momentum."""
    model = lw.Model("needle")
    made = []
    for name, sizes, mass in (("plate", (1e-3, 0.5), 2.0), ("needle", (0.1, 1e-3), 0.01)):
        link = model.planar(name)
        made.append(model.body(name, link, link.origin, mass, lw.inertia(link.frame, zz=0.1 * mass)).box(sizes))
    model.contact("plate", made[1], made[0], restitution=e)
    run = lw.simulate(model, until=0.02, q=[0.0, 0.0, 0.0, -10.0, 0.0, 0.0], u=[0.0, 0.0, 0.0, 1000.0, 0.0, 0.0])
    u, (event,) = run.x[-1, 6:12], [event for event in run.events if event.kind == "impact"]
    assert event.t == pytest.approx((10.0 - 0.05 - 5e-4) / 1000.0, abs=1e-9)
    assert 2.0 * u[0] + 0.01 * u[3] == pytest.approx(10.0, rel=1e-9)
    assert u[0] - u[3] == pytest.approx(1000.0 * e, abs=1e-6)
    assert event.energy == pytest.approx(0.5 * (0.02 / 2.01) * (1.0 - e * e) * 1e6, rel=1e-9)


def test_dominoes_fall_one_after_the_other():
    """Equal tall boxes in a row: each strikes the next, in their order, none passes through another or gains energy."""
    height, width, gap = 1.0, 0.2, 0.4
    model = planar("ABC", (width, height), friction=0.5)
    q = [c for i in range(3) for c in (i * gap, 0.5 * height, 0.0)]
    run = lw.simulate(model, until=1.5, q=q, u=[1.0, -0.2, -2.0, *[0.0] * 6])
    first = {name: next(event.t for event in run.events if name in event.name) for name in ("B on A", "C on B")}
    assert first["B on A"] < first["C on B"]
    assert run.audit.least_gap > -1e-6
    assert run.x[-1, [2, 5, 8]].max() < -0.2


# --- mechanisms -------------------------------------------------------------------------------------------------------


def test_a_pendulum_grazes_the_floor():
    """Its lowest point is on the floor: it swings as if there were none, and hangs there."""
    model = lw.Model("pendulum")
    link, N, O = model.revolute("p"), model.frame, model.origin
    bob = link.origin.at("bob", -1.0 * link.frame.y)
    body = model.body("bob", link, bob, 1.0, lw.inertia(link.frame, zz=0.1))
    model.gravity(-G * N.y)
    model.contact("floor", lw.Circle(bob, 0.25, body=body), lw.Line(O.at("F", -1.25 * N.y), N.x, N.y), friction=0.5)
    run = lw.simulate(model, until=3.0, q=[1.0])
    assert run.events == ()
    assert run.audit.energy_error < 1e-7
    assert lw.simulate(model, until=1.0, q=[0.0]).x[-1, :2] == pytest.approx([0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("shape", ["box", "circle", "capsule", "hull"])
def test_carts_with_bumpers_on_one_rail(shape):
    """They exchange their speeds, whatever their bumpers are."""
    model, made = lw.Model("carts"), []
    for name in "AB":
        link = model.prismatic(name, model.frame, axis=model.frame.x)
        body = model.body(name, link, link.origin, 1.0, lw.inertia(link.frame, zz=1.0))
        ends = [link.origin.at(f"{name}{x}", x * link.frame.x) for x in (-0.25, 0.25)]
        corners = np.array([(-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (0.5, 0.5, 0.0), (-0.5, 0.5, 0.0)])
        made.append({"box": lambda b=body: b.box((1.0, 1.0)), "circle": lambda b=body: b.circle(0.5),
                     "capsule": lambda b=body, e=ends: b.capsule(*e, 0.25),
                     "hull": lambda b=body, c=corners: b.hull(c)}[shape]())  # fmt: skip
    model.contact("bumpers", made[1], made[0], restitution=1.0, friction=0.5)
    run = lw.simulate(model, until=1.0, q=[0.0, 1.5], u=[1.0, 0.0])
    assert [event.t for event in run.events] == pytest.approx([0.5], abs=1e-9)
    assert run.x[-1, 2:4] == pytest.approx([0.0, 1.0], abs=1e-12)


def test_two_boxes_hinged_in_line_slide_over_a_joint():
    """On two flush tables, at their speed, for the hinge carries nothing."""
    model = planar(floor=tables)
    link, N = model.planar("B"), model.frame
    body = model.body("B", link, link.origin, 1.0, lw.inertia(link.frame, zz=1.0 / 6.0)).box((1.0, 1.0))
    for k, table in enumerate(tables(N, model.origin, "S")):
        model.contact(f"B on ground {k}", body, table)
    first = model.links["A"]
    model.close("revolute", "hinge", first, link, at=first.origin.at("p", 0.5 * first.frame.x),
                to=link.origin.at("e", -0.5 * link.frame.x))  # fmt: skip
    run = lw.simulate(model, until=1.0, q=[-2.0, 0.5, 0.0, -1.0, 0.5, 0.0], u=[3.0, 0, 0, 3.0, 0, 0])
    assert run.x[-1, :6] == pytest.approx([1.0, 0.5, 0.0, 2.0, 0.5, 0.0], abs=1e-9)


# --- aligned scenes ---------------------------------------------------------------------------------------------------


ONCE = [2070, 3030, 3156, 3197, 3306, 3430, 3518, 3686, 3840, 4407, 4830, 6429, 6954, 7410, 30573, 30894, 31236,
        32107, 34581, 34909, 35586, 50835, 51648, 53157, 53431, 54288, 60501, 63373]  # that failed once
LONG = [5767, 6001, 6451, 6520, 7351, 7456, 30762, 30841, 34083, 51559,
        51574, 52783]  # so did these, of the campaign
SUITE = [0, 1, 2, 6, 8, 9, 10, 12, 14, 15, 16, 17, 24, 25, 27, 28, 29, *ONCE]  # short, of every family


@pytest.mark.parametrize("seed", seeds(SUITE, [*range(10_000), *(seed for seed in LONG if seed >= 10_000)]))
def test_laws_hold_in_aligned_scenes(seed):
    """Nothing sinks, gains energy, pulls or creeps; momentum and symmetry are kept; seams are none."""
    s = scene(seed)
    assert wrong(s, s.play()) == []

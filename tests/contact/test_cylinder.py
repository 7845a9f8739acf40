"""Cylinders and cones: gaps against least distances found another way, and runs by closed forms."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest

import latchwork as lw
from contact_scenes import place
from latchwork.contact.closest_point.states import azimuths_of
from latchwork.contact.narrow_phase.parts import Crossing

RADIUS, HALF = 0.3, 0.5


def free_cylinder(**extra):
    model = lw.Model("can")
    link = model.free("can")
    xx, zz = (3.0 * RADIUS**2 + 4.0 * HALF**2) / 12.0, 0.5 * RADIUS**2
    body = model.body("can", link, link.origin, 1.0, lw.inertia(link.frame, xx, xx, zz))
    z = link.frame.z
    shape = body.cylinder(link.origin.at("p", -HALF * z), link.origin.at("q", HALF * z), RADIUS)
    return model, body, shape


def turned(rng):
    e = rng.normal(size=4)
    return e / np.linalg.norm(e)


def matrix(e):
    w, x, y, z = e
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip


def named(place, e):
    return dict(zip(("q_can_px", "q_can_py", "q_can_pz", "q_can_e0", "q_can_e1", "q_can_e2", "q_can_e3"), (*place, *e),
                    strict=True))  # fmt: skip


def least(equations, contact, q):
    """The least gap of all features whose domain holds."""
    u, still = [0.0] * len(equations.u), dict.fromkeys(azimuths_of(contact.features), 0.0)
    wanted = [[e.subs(still) for e in (f.gap, *f.within)] for f in contact.features]
    rows = [equations.evaluate(each, list(q.values()), u) for each in wanted]
    return min((row[0] for row in rows if (row[1:] >= 0.0).all()), default=math.inf)


def test_gap_on_a_plane_is_that_of_the_lowest_place():
    """h = z − ½ L |k_z| − R √(1 − k_z²), at random poses."""
    model, _, shape = free_cylinder()
    contact = model.contact("floor", shape, lw.Plane(model.origin, model.frame.z))
    equations, rng = model.equations(), np.random.default_rng(1)
    for _ in range(50):
        e, place = turned(rng), rng.normal(size=3)
        k = matrix(e)[2, 2]
        expected = place[2] - HALF * abs(k) - RADIUS * math.sqrt(1.0 - k * k)
        assert least(equations, contact, named(place, e)) == pytest.approx(expected, abs=1e-12)


def test_rims_that_lie_flat_cross_on_both_circles():
    """Two upright cans at random places: the rims cross at the height between them, at one radius from each axis."""
    model, _, shape = free_cylinder()
    N, O, rng = model.frame, model.origin, np.random.default_rng(3)
    drum = lw.Cylinder(O.at("low", -1.0 * N.z), O, 0.4)
    contact = model.contact("pair", shape, drum)
    found = [f for f in contact.features if f.parts is not None and all(isinstance(p, Crossing) for p in f.parts)]
    equations, seen = model.equations(), 0
    for _ in range(40):
        far, way, height = rng.uniform(0.05, 0.8), rng.uniform(0.0, 2.0 * math.pi), rng.uniform(0.0, 0.3)
        turn = rng.uniform(0.0, math.pi)
        center = (far * math.cos(way), far * math.sin(way), HALF + height)
        q = list(named(center, (math.cos(turn), 0.0, 0.0, math.sin(turn))).values())
        for f in found:
            gap, *within = equations.evaluate([f.gap, *f.within, *place(f.on).measures(N)], q, [0.0] * 6).tolist()
            if min(within[:-3]) >= 0.0:
                on = np.array(within[-3:])
                assert [gap, on[2]] == pytest.approx([height, height], abs=1e-12)
                assert math.hypot(*on[:2]) == pytest.approx(0.4, abs=1e-12)
                assert math.hypot(*(on - center)[:2]) == pytest.approx(RADIUS, abs=1e-12)
                seen += 1
        assert seen % 2 == 0
    assert seen > 20


def test_gap_of_a_ball_is_its_distance():
    """Of a ball outside, clamped to the solid: |C − nearest| − ρ, at random places beside, above and off the rim."""
    model, _, shape = free_cylinder()
    ball = lw.Sphere(model.origin, 0.2)
    contact = model.contact("ball", shape, ball)
    equations, rng = model.equations(), np.random.default_rng(2)
    seen = 0
    for _ in range(200):
        e, place = turned(rng), rng.normal(size=3)
        d = matrix(e).T @ -place  # the ball's centre in the cylinder's frame
        rho, z = math.hypot(d[0], d[1]), d[2]
        if rho < RADIUS and abs(z) < HALF:
            continue
        distance = math.hypot(max(rho - RADIUS, 0.0), max(abs(z) - HALF, 0.0)) - 0.2
        assert least(equations, contact, named(place, e)) == pytest.approx(distance, abs=1e-12)
        seen += 1
    assert seen > 100


def test_it_falls_onto_its_end_and_stands():
    """Dropped upright, it lands flat at √(2h/g) and stands on three places of a rim; nothing moves."""
    model, _, shape = free_cylinder()
    model.contact("floor", shape, lw.Plane(model.origin, model.frame.z), friction=0.5)
    model.gravity(-9.81 * model.frame.z)
    run = lw.simulate(model, 1.0, q=named((0.0, 0.0, HALF + 0.1), (1.0, 0.0, 0.0, 0.0)))
    assert run.events[0].t == pytest.approx(math.sqrt(0.2 / 9.81), abs=1e-9)
    assert np.abs(run.u[-1]).max() < 1e-12
    assert run["q_can_pz"][-1] == pytest.approx(HALF, abs=1e-9)


def test_it_rolls_down_an_incline():
    """On its side: a = 2/3 g sin θ, the law of a solid cylinder that rolls without slip."""
    model, _, shape = free_cylinder()
    theta = 0.2
    model.contact("slope", shape, lw.Plane(model.origin, model.frame.z), friction=0.6)
    model.gravity(9.81 * (math.sin(theta) * model.frame.x - math.cos(theta) * model.frame.z))
    half = math.sqrt(0.5)
    run = lw.simulate(model, 0.5, q=named((0.0, 0.0, RADIUS), (half, half, 0.0, 0.0)))
    assert run["u_can_vx"][-1] == pytest.approx(2.0 / 3.0 * 9.81 * math.sin(theta) * 0.5, rel=1e-7)
    assert run.audit.least_gap > -1e-9


def test_what_it_does_not_meet_is_refused_with_what_to_do():
    model, _, shape = free_cylinder()
    end = model.origin.at("x", model.frame.x)
    for other in (lw.Rim(model.origin, model.frame.x, 1.0), lw.Cone(model.origin, end, 1.0)):
        with pytest.raises(lw.ModelError, match=r"no pair.*Capsule, Cylinder, Plane.*cylinder\.sided\(12\)"):
            model.contact("wrong", shape, other)
    with pytest.raises(lw.ModelError, match="Give a whole number from 3 to 200"):
        shape.sided(2)


def test_the_prism_of_a_cylinder_lies_in_it():
    """Corners of the prism are on the rims, and its contact with a box can be made."""
    model, _, shape = free_cylinder()
    prism = shape.sided(16)
    assert len(prism.vertices) == 32
    assert np.hypot(*prism.vertices[:, :2].T) == pytest.approx(RADIUS, abs=1e-12)
    assert sorted(set(np.round(prism.vertices[:, 2], 12))) == [0.0, 2 * HALF]
    assert model.contact("box", prism, lw.Box(model.origin.at("B", 5.0 * model.frame.x), (1.0, 1.0, 1.0))).features


# --- on each other ----------------------------------------------------------------------------------------------------


UPRIGHT, LYING = (1.0, 0.0, 0.0, 0.0), (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
FALLS = math.sqrt(0.2 / 9.81)


def fallen(under, place, e, until=0.4):
    """A cylinder that falls by 0.1 onto something fixed, by whom it is carried first, and the run."""
    model, _, shape = free_cylinder()
    model.contact("on", shape, under(model.origin, model.frame), friction=0.5)
    model.gravity(-9.81 * model.frame.z)
    return lw.simulate(model, until, q=named(place, e))


def post(O, N):
    """A cylinder that stands below the origin."""
    return lw.Cylinder(O.at("P", -N.z), O, 0.5)


@pytest.mark.parametrize("x", [0.0, 0.3])
def test_a_can_stands_on_a_can(x):
    """Coaxial, and off by a part of the radius: flat, where its rim is on the other's end, and where rims cross."""
    run = fallen(post, (x, 0.0, HALF + 0.1), UPRIGHT)
    assert run.events[0].t == pytest.approx(FALLS, abs=1e-9)
    assert run["q_can_pz"][-1] == pytest.approx(HALF, abs=1e-9)
    assert np.abs(run.u[-1]).max() < 1e-9


def test_a_can_lies_on_the_end_of_a_can():
    """On its side, across the rim of the other, at two places."""
    run = fallen(post, (0.1, 0.0, RADIUS + 0.1), LYING)
    assert run.events[0].t == pytest.approx(FALLS, abs=1e-9)
    assert run["q_can_pz"][-1] == pytest.approx(RADIUS, abs=1e-9)


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
def test_crossed_rods_balance(kind):
    """Side on side, at right angles: one place, in balance."""
    made = {"cylinder": lw.Cylinder, "capsule": lw.Capsule}[kind]
    run = fallen(lambda O, N: made(O.at("P", -N.x - 0.4 * N.z), O.at("Q", N.x - 0.4 * N.z), 0.4),
                 (0.1, 0.0, RADIUS + 0.1), LYING)  # fmt: skip
    assert [event.kind for event in run.events] == ["impact"]
    assert run.events[0].t == pytest.approx(FALLS, abs=1e-9)
    assert run["q_can_pz"][-1] == pytest.approx(RADIUS, abs=1e-9)


# --- cones ------------------------------------------------------------------------------------------------------------


def free_cone():
    """A cone of radius 0.4 and height 0.6, its mass centre a quarter above its base."""
    model = lw.Model("cone")
    link = model.free("can")
    J = 3.0 / 20.0 * (0.4**2 + 0.25 * 0.6**2)
    body = model.body("can", link, link.origin, 1.0, lw.inertia(link.frame, J, J, 0.3 * 0.4**2))
    z = link.frame.z
    return model, body.cone(link.origin.at("p", -0.15 * z), link.origin.at("q", 0.45 * z), 0.4)


def test_gap_of_a_cone_on_a_plane_is_that_of_its_lowest_place():
    """The lower of its tip and the lowest place of its rim, at random poses."""
    model, shape = free_cone()
    contact = model.contact("floor", shape, lw.Plane(model.origin, model.frame.z))
    equations, rng = model.equations(), np.random.default_rng(3)
    for _ in range(50):
        e, place = turned(rng), rng.normal(size=3)
        k = matrix(e)[2, 2]
        expected = place[2] + min(0.45 * k, -0.15 * k - 0.4 * math.sqrt(1.0 - k * k))
        assert least(equations, contact, named(place, e)) == pytest.approx(expected, abs=1e-12)


def test_gap_of_a_ball_on_a_cone_is_its_distance():
    """To the triangle in the half-plane of the ball's centre."""
    model, shape = free_cone()
    contact = model.contact("ball", shape, lw.Sphere(model.origin, 0.2))
    equations, rng = model.equations(), np.random.default_rng(4)
    corners, seen = np.array([(0.0, 0.45), (0.4, -0.15), (0.0, -0.15)]), 0
    for _ in range(200):
        e, place = turned(rng), rng.normal(size=3)
        d = matrix(e).T @ -place
        y = np.array([math.hypot(d[0], d[1]), d[2]])
        if y[1] > -0.15 and 0.6 * y[0] + 0.4 * (y[1] - 0.45) < 0.0:
            continue
        spans = [(p, q, np.clip((y - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0))
                 for p, q in ((corners[0], corners[1]), (corners[1], corners[2]))]  # fmt: skip
        distance = min(np.linalg.norm(y - p - s * (q - p)) for p, q, s in spans)
        assert least(equations, contact, named(place, e)) == pytest.approx(distance - 0.2, abs=1e-12)
        seen += 1
    assert seen > 100


def test_a_cone_stands_on_its_base_and_falls_from_its_tip():
    """Upright it lands flat and stands; on its tip, off by a little, it does not stay."""
    model, shape = free_cone()
    model.contact("floor", shape, lw.Plane(model.origin, model.frame.z), friction=0.8)
    model.gravity(-9.81 * model.frame.z)
    stands = lw.simulate(model, 0.5, q=named((0.0, 0.0, 0.25), UPRIGHT))
    assert stands.events[0].t == pytest.approx(FALLS, abs=1e-9)
    assert stands["q_can_pz"][-1] == pytest.approx(0.15, abs=1e-9)
    falls = lw.simulate(model, 1.0, q=named((0.0, 0.0, 0.46), (math.sin(0.05), math.cos(0.05), 0.0, 0.0)))
    assert falls["q_can_pz"][-1] < 0.3
    assert falls.audit.least_gap > -1e-8


def test_the_pyramid_of_a_cone_lies_in_it():
    """Corners on the rim, and the tip."""
    _, shape = free_cone()
    x = shape.sided(16).vertices
    assert len(x) == 17
    assert np.hypot(*x[:16, :2].T) == pytest.approx(0.4, abs=1e-12)
    assert x[16] == pytest.approx([0.0, 0.0, 0.6], abs=1e-12)


# --- on boxes ---------------------------------------------------------------------------------------------------------


ALONG_X, ALONG_Y = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0), LYING


def table(x, y):
    """A table of some width and depth, 1 high, the middle of its top at the origin."""
    return lambda O, N: lw.Box(O.at("T", -0.5 * N.z), (x, y, 1.0))


def lands(run, height):
    """It falls by 0.1, and stays where it lands."""
    impact, *others = run.events
    assert (impact.kind, impact.t) == ("impact", pytest.approx(FALLS, abs=1e-9))
    assert {event.kind for event in others} <= {"stick"}
    assert np.abs(run.u[-1]).max() < 1e-12
    assert run["q_can_pz"][-1] == pytest.approx(height, abs=1e-9)
    assert run.audit.least_gap > -1e-9


@pytest.mark.parametrize(("x", "y", "size"), [(0.0, 0.0, 2.0), (0.8, 0.0, 2.0), (0.7, 0.0, 2.0), (0.9, 0.9, 2.0),
                                              (0.0, 0.0, 0.2), (0.0, 0.7, 2.0)])  # fmt: skip
def test_a_can_stands_on_a_table(x, y, size):
    """In the middle, out over an edge or a corner, its rim flush with an edge, and on a table smaller than it is."""
    lands(fallen(table(size, size), (x, y, HALF + 0.1), UPRIGHT), HALF)


@pytest.mark.parametrize("e", [ALONG_X, ALONG_Y])
@pytest.mark.parametrize(("x", "sizes"), [(0.0, (2.0, 2.0)), (0.0, (1.0, 1.0)), (0.0, (0.5, 0.5)), (0.95, (2.0, 2.0))])
def test_a_can_lies_on_a_table(x, sizes, e):
    """Along and across, on a wide one, on one of its own length, on a narrow one, and out over an edge."""
    lands(fallen(table(*sizes), (x, 0.0, RADIUS + 0.1), e), RADIUS)


def test_a_can_too_far_over_the_edge_tips():
    """Its mass centre 0.1 beyond the edge, it turns about the chord of its rim: ω̇ = m g a / (J + m (a² + h²))."""
    run = fallen(table(2.0, 2.0), (1.1, 0.0, HALF), UPRIGHT, until=1e-3)
    assert {event.kind for event in run.events} <= {"impact", "stick"}
    xx = (3.0 * RADIUS**2 + 4.0 * HALF**2) / 12.0
    expected = 9.81 * 0.1 / (xx + 0.1**2 + HALF**2) * 1e-3
    assert np.abs(run.u[-1][3:]).max() == pytest.approx(expected, rel=1e-5)


def test_a_can_rolls_off_a_table():
    """Parallel to the edge, with 1 m/s, it rolls to it at constant speed, and about it until it slips."""
    model, _, shape = free_cylinder()
    model.contact("on", shape, table(2.0, 2.0)(model.origin, model.frame), friction=0.5)
    model.gravity(-9.81 * model.frame.z)
    start = named((0.5, 0.0, RADIUS), ALONG_Y)
    run = lw.simulate(model, 1.0, q=start, u={"u_can_vx": 1.0, "u_can_wy": 0.0, "u_can_wz": -1.0 / RADIUS})
    over, slip = run.events[0], next(event for event in run.events if event.kind == "slide")
    assert over.t == pytest.approx(0.5, abs=1e-8)  # a face ends 1e-9 of a size beyond its edge
    then = run.at([slip.t])
    angle = math.asin((then["q_can_px"][0] - 1.0) / RADIUS)
    v = math.hypot(*(then[name][0] for name in ("u_can_vx", "u_can_vz")))
    assert v == pytest.approx(math.sqrt(1.0 + 4.0 / 3.0 * 9.81 * RADIUS * (1.0 - math.cos(angle))), rel=1e-6)


@pytest.mark.parametrize(
    ("x", "e", "height"), [(0.0, UPRIGHT, 0.15), (0.8, UPRIGHT, 0.15), (0.0, (0.0, 1.0, 0.0, 0.0), 0.45)]
)
def test_a_cone_stands_on_a_table(x, e, height):
    """On its base, in the middle and out over an edge; and, in balance, on its tip."""
    model, shape = free_cone()
    model.contact("on", shape, table(2.0, 2.0)(model.origin, model.frame), friction=0.5)
    model.gravity(-9.81 * model.frame.z)
    lands(lw.simulate(model, 0.4, q=named((x, 0.0, height + 0.1), e)), height)


@pytest.mark.parametrize("kind", ["cylinder", "cone"])
def test_the_gap_to_a_box_vanishes_where_they_touch(kind):
    """Lifted along z until neither rims and tip are in the box nor its edges in the solid, the least gap vanishes."""
    model, shape = free_cylinder()[::2] if kind == "cylinder" else free_cone()
    half = np.array([0.5, 0.4, 0.25])
    contact = model.contact("box", shape, lw.Box(model.origin, tuple(2.0 * half)))
    equations, rng = model.equations(), np.random.default_rng(5)
    a = np.linspace(0.0, 2.0 * math.pi, 720, endpoint=False)
    circle = np.column_stack([np.cos(a), np.sin(a), 0.0 * a])
    bottom, top, r = (-HALF, HALF, RADIUS) if kind == "cylinder" else (-0.15, 0.45, 0.4)
    rims = np.vstack([r * circle + [0.0, 0.0, bottom], (kind == "cylinder") * r * circle + [0.0, 0.0, top]])
    corners = np.array(list(product((-1, 1), repeat=3))) * half
    edges = np.vstack([np.linspace(p, q, 2000) for p, q in combinations(corners, 2) if (p != q).sum() == 1])

    def is_in(place, R):
        x = (edges - place) @ R
        rho, z = np.hypot(x[:, 0], x[:, 1]), x[:, 2]
        side = rho - r if kind == "cylinder" else 0.6 * rho + 0.4 * (z - top)
        in_solid = (side < 0.0) & (bottom < z) & (z < top)
        return in_solid.any() or (np.abs(rims @ R.T + place) < half).all(axis=1).any()

    for _ in range(30):
        e, (x, y) = turned(rng), rng.uniform(-0.7, 0.7, 2)
        R, heights = matrix(e), np.arange(1.5, -0.2, -0.02)
        first = next((z for z in heights if is_in(np.array([x, y, z]), R)), None)
        if first is None:
            continue
        low, high = first, first + 0.02
        for _ in range(20):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if is_in(np.array([x, y, middle]), R) else (low, middle)
        assert least(equations, contact, named((x, y, high), e)) == pytest.approx(0.0, abs=3e-4)

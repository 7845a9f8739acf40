"""Scenes as people draw them: wedges, stairs, notches, grooves, arches, bins; flush and touching, by closed forms."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import latchwork as lw

G = 9.81


class Drawing:
    """A model in the plane, or in space, whose bodies are added with their start."""

    def __init__(self, space: bool = False, **law):
        self.model, self.space, self.law, self.q, self.u, self.shapes = lw.Model("drawing"), space, law, [], [], {}
        self.N, self.O = self.model.frame, self.model.origin
        self.model.gravity(-G * (self.N.z if space else self.N.y))

    def body(self, name, x, y, turn=0.0, v=(0.0, 0.0), mass=1.0):
        """A free body in the plane."""
        link = self.model.planar(name)
        self.q += [x, y, turn]
        self.u += [*v, 0.0]
        return self.model.body(name, link, link.origin, mass, lw.inertia(link.frame, zz=mass / 6.0))

    def cube(self, name, x, y, z, v=(0.0, 0.0, 0.0)):
        """A free cube of size 1 in space."""
        link = self.model.free(name)
        self.q += [x, y, z, 1.0, 0.0, 0.0, 0.0]
        self.u += [*v, 0.0, 0.0, 0.0]
        body = self.model.body(name, link, link.origin, 1.0, lw.inertia(link.frame, *[1.0 / 6.0] * 3))
        return body.box((1.0, 1.0, 1.0))

    def at(self, x, y):
        """A point of the ground."""
        return self.O.at(f"P{len(self.model.points)}", x * self.N.x + y * self.N.y)

    def block(self, x, y, width, height):
        """A box fixed in the ground, by its middle."""
        return lw.Box(self.at(x, y), (width, height), self.N)

    def floor(self):
        return lw.Plane(self.O, self.N.z) if self.space else lw.Line(self.O, self.N.x, self.N.y)

    def outline(self, *points):
        return lw.Polyline([self.at(x, y) for x, y in points])

    def touch(self, ones, others=()):
        """Contacts of each of some shapes with each other, and with each of others."""
        pairs = [*combinations(ones, 2), *((one, other) for one in ones for other in others)]
        for one, other in pairs:
            self.model.contact(f"contact {len(self.model.contacts)}", one, other, **self.law)

    def run(self, until):
        """The run, in which nothing sinks and energy never grows."""
        found = lw.simulate(self.model, until=until, q=self.q, u=self.u)
        energy = np.asarray(found.energy)
        assert found.audit.least_gap > -1e-9
        assert np.diff(energy).max() < 1e-9 * max(1.0, float(np.ptp(energy)))
        return found


def outline_of(*points):
    """Corners of a hull in the plane."""
    return np.array([[x, y, 0.0] for x, y in points])


# --- on slopes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [30, 45, 60])
def test_a_block_slides_down_a_wedge_that_gives_way(degrees):
    """Without friction the wedge goes back by m g sin α cos α/(M + m sin² α); nothing turns."""
    d, a = Drawing(), math.radians(degrees)
    wedge = d.body("W", 0.0, 0.0, mass=2.0).hull(outline_of((-1, 0), (1, 0), (-1, 2 * math.tan(a))))
    block = d.body("B", 0.25 * math.sin(a), math.tan(a) + 0.25 * math.cos(a), -a).box((0.5, 0.5))
    d.touch([block, wedge], [d.floor()])
    x = d.run(0.15).x[-1]
    back = G * math.sin(a) * math.cos(a) / (2.0 + math.sin(a) ** 2)
    assert x[[0, 2, 5]] == pytest.approx([-0.5 * back * 0.15**2, 0.0, -a], abs=1e-9)


@pytest.mark.parametrize("lift", [0.0, 0.25])
@pytest.mark.parametrize("mu", [None, 0.5])
@pytest.mark.parametrize("ground", ["outline", "boxes"])
def test_a_disk_lies_in_a_groove(ground, mu, lift):
    """On both faces of a V of 90°, laid there or dropped: in its middle, at √2 r, from then on."""
    d, r = Drawing(friction=mu), 0.5
    disk = d.body("D", 0.0, math.sqrt(2.0) * r + lift).circle(r)
    faces = [d.outline((-3, 3), (0, 0), (3, 3))]
    if ground == "boxes":
        frames = [d.N.rotated(f"F{side}", side * math.pi / 4, d.N.z) for side in (-1, 1)]
        middles = [2 * side * frame.x - 0.5 * frame.y for side, frame in zip((-1, 1), frames, strict=True)]
        faces = [lw.Box(d.O.at(frame.name, middle), (4.0, 1.0), frame)
                 for frame, middle in zip(frames, middles, strict=True)]  # fmt: skip
    d.touch([disk], faces)
    run = d.run(0.8)
    assert run.x[-1, :2] == pytest.approx([0.0, math.sqrt(2.0) * r], abs=1e-9)
    assert lift > 0.0 or run.events == ()


@pytest.mark.parametrize("mu", [None, 0.25, 0.5])
@pytest.mark.parametrize("degrees", [15, 30])
def test_a_keystone_rests_between_its_neighbours(degrees, mu):
    """Its slanting faces flush with theirs, no face below it: it stays, without an event."""
    d, a = Drawing(friction=mu), math.radians(degrees)
    t = 0.5 * math.tan(a)
    corners = outline_of((-0.5 + t, -0.5), (0.5 - t, -0.5), (0.5 + t, 0.5), (-0.5 - t, 0.5))
    stone = d.body("K", 0.0, 0.0).hull(corners)
    for side in (-1, 1):
        normal = d.N.vector(-side * math.cos(a), math.sin(a), 0.0)
        along = d.N.vector(math.sin(a), side * math.cos(a), 0.0)
        d.touch([stone], [lw.Line(d.at(0.5 * side, 0.0), along, normal)])
    run = d.run(0.5)
    assert run.events == ()
    assert run.x[-1, :3] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("mu", [0.75, 1.0])
def test_an_arch_of_three_is_its_own_mirror_image(mu):
    """Two stones on posts and a key between them, flush: the key stays in the middle, upright."""
    d, t = Drawing(friction=mu), 0.5 * math.tan(math.radians(15))
    key = d.body("K", 0.0, 0.0).hull(outline_of((-0.5 + t, -0.5), (0.5 - t, -0.5), (0.5 + t, 0.5), (-0.5 - t, 0.5)))
    half = [(-2.0, -0.5), (-0.5 + t, -0.5), (-0.5 - t, 0.5), (-2.0, 0.5)]
    for name, side in (("L", 1), ("R", -1)):
        stone = d.body(name, 0.0, 0.0, mass=3.0).hull(outline_of(*((side * x, y) for x, y in half)))
        d.touch([stone], [d.block(-2.0 * side, -1.0, 2.0, 1.0), key])
    x = d.run(0.5).x[-1]
    assert x[[0, 2]] == pytest.approx([0.0, 0.0], abs=1e-8)
    assert x[3:6] == pytest.approx(x[6:9] * [-1.0, 1.0, -1.0], abs=1e-8)


def test_a_ladder_leaves_the_wall():
    """Without friction, where the sine of its slope is 2/3 of what it was."""
    d, a, r = Drawing(), math.radians(60), 0.0625
    body = d.body("L", math.cos(a) + r, math.sin(a) + r, math.pi - a)
    p, q = (body.center.at(name, side * d.model.links["L"].frame.x) for name, side in (("p", -1.0), ("q", 1.0)))
    ladder = body.capsule(p, q, r)
    d.model.contact("floor", ladder, d.floor())
    d.model.contact("wall", ladder, lw.Line(d.O, -d.N.y, d.N.x))
    run = d.run(1.0)
    left = next(event for event in run.events if event.kind == "release" and "wall" in event.name)
    assert math.sin(float(run.at(left.t)["q_L_rz"])) == pytest.approx(2.0 / 3.0 * math.sin(a), abs=1e-8)


# --- in notches, bins and boxes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.5])
@pytest.mark.parametrize("mu", [None, 0.25])
@pytest.mark.parametrize("ground", ["outline", "boxes"])
def test_a_box_falls_into_a_notch_of_its_own_width(ground, mu, e):
    """Nothing presses its sides: it falls freely, and meets the bottom after √(2 h/g)."""
    d = Drawing(friction=mu, restitution=e)
    box = d.body("B", 0.0, 1.5).box((1.0, 1.0))
    walls = [d.outline((-3, 2), (-0.5, 2), (-0.5, 0), (0.5, 0), (0.5, 2), (3, 2))]
    d.touch([box], walls if ground == "outline" else [d.floor(), d.block(-1, 1, 1, 2), d.block(1, 1, 1, 2)])
    run = d.run(0.7)
    assert run.events[0].t == pytest.approx(math.sqrt(2.0 / G), abs=1e-9)
    assert run.x[-1, [0, 2]] == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("lift", [0.0, 0.25])
@pytest.mark.parametrize("mu", [None, 0.5])
@pytest.mark.parametrize("ground", ["lines", "boxes", "outline"])
def test_three_disks_in_a_bin_of_twice_their_width(ground, mu, lift):
    """Two fill it, the third lies on both, √3 r higher."""
    d, r = Drawing(friction=mu), 0.5
    top = (1.0 + math.sqrt(3.0)) * r
    disks = [d.body(name, x, y).circle(r) for name, x, y in (("A", -r, r), ("B", r, r), ("C", 0.0, top + lift))]
    walls = {"lines": [d.floor(), lw.Line(d.at(-1, 0), -d.N.y, d.N.x), lw.Line(d.at(1, 0), d.N.y, -d.N.x)],
             "boxes": [d.block(0, -0.5, 2, 1), d.block(-1.5, 1, 1, 4), d.block(1.5, 1, 1, 4)],
             "outline": [d.outline((-1, 4), (-1, 0), (1, 0), (1, 4))]}  # fmt: skip
    d.touch(disks, walls[ground])
    run = d.run(0.5)
    assert run.x[-1, [0, 1, 3, 4, 6, 7]] == pytest.approx([-r, r, r, r, 0.0, top], abs=1e-8)
    assert lift > 0.0 or run.events == ()


@pytest.mark.parametrize(("e", "mu"), [(1.0, None), (0.5, 0.5), (0.0, None)])
@pytest.mark.parametrize("ground", ["outline", "boxes"])
def test_a_box_tumbles_in_a_box(ground, e, mu):
    """It stays inside, and keeps its energy where nothing takes it."""
    d = Drawing(friction=mu, restitution=e)
    box = d.body("B", 0.0, 0.0, v=(1.0, 0.5)).box((1.0, 1.0))
    d.u[-1] = 2.0
    walls = [d.block(0, -1.5, 2, 1), d.block(0, 1.5, 2, 1), d.block(-1.5, 0, 1, 2), d.block(1.5, 0, 1, 2)]
    if ground == "outline":
        walls = [lw.Polyline([d.at(-1, -1), d.at(1, -1), d.at(1, 1), d.at(-1, 1)], closed=True)]
    d.touch([box], walls)
    run = d.run(1.0)
    assert np.abs(run.x[:, :2]).max() <= 0.5 + 1e-9
    assert mu is not None or e < 1.0 or run.energy[-1] == pytest.approx(run.energy[0], rel=1e-8)


def test_a_triangle_falls_along_a_wall_and_slides_out_of_the_corner_it_meets():
    """Its lower corner meets that of floor and wall, two boxes side by side: it turns there, slides out of the corner
    and comes to lie on the floor, flat."""
    d, half = Drawing(), 0.25 * math.sqrt(3.0)
    triangle = d.body("T", -0.75, half + 0.25).hull(outline_of((0.5, 0.0), (-0.25, half), (-0.25, -half)))
    d.touch([triangle], [d.block(0, -0.5, 2, 1), d.block(-1.5, 1.5, 1, 5)])
    x = d.run(0.6).x[-1]
    assert x[1:3] == pytest.approx([0.25, -math.pi / 6.0], abs=1e-8)


def test_a_triangle_rattles_in_the_corner_of_a_floor_and_a_wall():
    """Hops that end before others begin lie within one step, at the end of the floor: none lets it through, and it
    comes to slide on the floor, flat."""
    d = Drawing(restitution=0.5)
    link = d.model.planar("T")
    d.q, d.u = [-0.25, 0.25, 0.0], [1.0, 0.0, 0.0]
    body = d.model.body("T", link, link.origin, 1.0, lw.inertia(link.frame, zz=1.0 / 24.0))
    triangle = body.hull(outline_of((-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25)))
    d.touch([triangle], [d.block(0, -0.5, 1, 1), d.block(-1, 1.5, 1, 5), d.block(1, 1.5, 1, 5)])
    x = d.run(2.0).x[-1]
    assert x[1:3] == pytest.approx([0.25, 0.0], abs=1e-8)


@pytest.mark.parametrize("mu", [None, 0.5])
def test_cubes_in_a_tray_carry_a_third(mu):
    """Two fill the tray, side by side, and one falls on the joint of both: it lies there, level."""
    d = Drawing(space=True, friction=mu)
    cubes = [d.cube(name, x, 0.0, z) for name, x, z in (("A", -0.5, 0.5), ("B", 0.5, 0.5), ("C", 0.0, 1.75))]
    walls = [lw.Plane(d.O.at(f"W{side}", side * d.N.x), -side * d.N.x) for side in (-1, 1)]
    d.touch(cubes, [d.floor(), *walls])
    x = d.run(0.5).x[-1]
    assert x[:21] == pytest.approx([*d.q[:16], 1.5, 1.0, 0.0, 0.0, 0.0], abs=1e-8)


# --- on edges and corners ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lift", [0.0, 0.25])
def test_a_t_hangs_on_two_posts(lift):
    """By its arms, its stem between the posts: it stays, or falls back to where it hangs."""
    d = Drawing(friction=0.5)
    body = d.body("T", 0.0, 0.625 + lift)
    up = d.model.links["T"].frame.y
    parts = [body.box((2.0, 0.25), body.center.at("arms", 0.5 * up)),
             body.box((0.25, 1.0), body.center.at("stem", -0.125 * up))]  # fmt: skip
    for part in parts:
        d.touch([part], [d.block(-0.75, 0.5, 0.5, 1.0), d.block(0.75, 0.5, 0.5, 1.0)])
    run = d.run(0.8)
    assert run.x[-1, :3] == pytest.approx([0.0, 0.625, 0.0], abs=1e-8)
    assert lift > 0.0 or run.events == ()


@pytest.mark.parametrize("lift", [0.0, 0.25])
def test_a_plank_on_the_tip_of_a_prism_stays_level(lift):
    """Under two equal boxes, laid on its ends or dropped there at once."""
    d = Drawing(friction=0.5)
    plank = d.body("P", 0.0, 0.55).box((4.0, 0.1))
    boxes = [d.body(name, x, 0.85 + lift).box((0.5, 0.5)) for name, x in (("A", -1.5), ("B", 1.5))]
    prism = lw.Hull([d.at(-0.5, 0.0), d.at(0.5, 0.0), d.at(0.0, 0.5)])
    d.touch([plank], [*boxes, prism])
    x = d.run(0.4).x[-1]
    assert x[:9] == pytest.approx([0.0, 0.55, 0.0, -1.5, 0.85, 0.0, 1.5, 0.85, 0.0], abs=1e-8)


@pytest.mark.parametrize("mu", [None, 0.5])
def test_a_diamond_falls_through_a_gap_as_wide_as_it_is(mu):
    """Its corners along both walls: nothing presses them, and it falls freely, upright."""
    d, half = Drawing(friction=mu), math.sqrt(0.5)
    box = d.body("B", 0.0, 0.0, math.pi / 4).box((1.0, 1.0))
    d.touch([box], [d.block(-half - 0.5, 0, 1, 4), d.block(half + 0.5, 0, 1, 4)])
    run = d.run(0.5)
    assert run.events == ()
    assert run.x[-1, :3] == pytest.approx([0.0, -0.5 * G * 0.25, math.pi / 4], abs=1e-9)


@pytest.mark.parametrize("mu", [None, 0.5])
@pytest.mark.parametrize("ground", ["outline", "boxes"])
def test_a_box_goes_down_stairs(ground, mu):
    """Pushed off the first step: it tumbles, and no step lets it through."""
    d = Drawing(friction=mu)
    box = d.body("B", 0.25, 0.125, v=(3.0, 0.0)).box((0.25, 0.25))
    steps = [d.outline(*((0.5 * (i + side), -0.25 * i) for i in range(6) for side in (0, 1)))]
    if ground == "boxes":
        steps = [d.block(0.5 * i + 0.25, -0.125 * i - 1.0, 0.5, 2.0 - 0.25 * i) for i in range(6)]
    d.touch([box], steps)
    assert d.run(0.8).x[-1, 1] < -0.1


# --- pushed, pressed and hinged ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("push", [10.0, 50.0])
def test_boxes_are_held_in_a_vice(push):
    """Three on a floor, flush, the outer two pressed against the middle one: nothing moves, and nothing happens."""
    d = Drawing(friction=0.5)
    boxes = [d.body(name, x, 0.5).box((1.0, 1.0)) for name, x in (("A", -1.0), ("B", 0.0), ("C", 1.0))]
    d.touch(boxes, [d.floor()])
    for name, side in (("A", 1.0), ("C", -1.0)):
        d.model.force(d.model.links[name].origin, side * push * d.N.x)
    run = d.run(0.5)
    assert run.events == ()
    assert run.x[-1, :9] == pytest.approx(d.q, abs=1e-12)


@pytest.mark.parametrize("turn", [0.0, math.pi / 4])
@pytest.mark.parametrize("mu", [None, 0.25])
@pytest.mark.parametrize("apart", [0.4, 0.5])
def test_a_crate_slides_on_two_rails(apart, mu, turn):
    """Under its sides or flush with them, straight or turned by 45°: x = v t − μ g t²/2, level."""
    d = Drawing(space=True, friction=mu)
    crate = d.cube("C", 0.0, 0.0, 0.5, (2.0, 0.0, 0.0))
    d.q[3:] = [math.cos(0.5 * turn), 0.0, 0.0, math.sin(0.5 * turn)]
    rails = [lw.Box(d.O.at(f"R{side}", side * apart * d.N.y - 0.05 * d.N.z), (20.0, 0.1, 0.1), d.N) for side in (-1, 1)]
    d.touch([crate], rails)
    x = d.run(0.4).x[-1]
    assert x[:7] == pytest.approx([0.8 - 0.08 * G * (mu or 0.0), 0.0, 0.5, *d.q[3:]], abs=1e-8)


@pytest.mark.parametrize("mu", [None, 0.5])
@pytest.mark.parametrize("quarter", [0, 1])
def test_a_box_hinged_to_a_box_lies_flush_on_the_floor(quarter, mu):
    """Laid beside the other it stays; opened by a quarter of a turn it falls shut, and lies there."""
    d = Drawing(friction=mu)
    base = d.body("A", 0.0, 0.25, mass=2.0)
    first = d.model.links["A"]
    hinge = first.origin.at("hinge", 0.5 * first.frame.x + 0.25 * first.frame.y)
    link = d.model.revolute("lid", first.frame, at=hinge)
    middle = link.origin.at("middle", 0.5 * link.frame.x - 0.25 * link.frame.y)
    lid = d.model.body("lid", link, middle, 1.0, lw.inertia(link.frame, zz=0.1))
    d.q.append(quarter * math.pi / 2)
    d.u.append(0.0)
    for box in (base.box((1.0, 0.5)), lid.box((1.0, 0.5))):
        d.touch([box], [d.floor()])
    run = d.run(1.0 if quarter else 0.5)
    assert run.x[-1, [1, 2]] == pytest.approx([0.25, 0.0], abs=1e-8)
    assert quarter == 1 or run.events == ()


@pytest.mark.parametrize("shape", ["box", "circle"])
def test_a_cradle_keeps_its_energy(shape):
    """Four pendulums that touch, the first drawn aside, e = 1: what it brings goes on, and comes back."""
    model, made = lw.Model("cradle"), []
    for i in range(4):
        link = model.revolute(f"P{i}", at=model.origin.at(f"A{i}", 0.5 * i * model.frame.x))
        bob = link.origin.at(f"B{i}", -1.0 * link.frame.y)
        body = model.body(f"bob {i}", link, bob, 1.0, lw.inertia(link.frame, zz=0.05))
        made.append(body.box((0.5, 0.5)) if shape == "box" else body.circle(0.25))
    model.gravity(-G * model.frame.y)
    for i in range(3):
        model.contact(f"{i + 1} on {i}", made[i + 1], made[i], restitution=1.0)
    run = lw.simulate(model, until=1.5, q=[-0.5, 0.0, 0.0, 0.0])
    assert run.energy[-1] == pytest.approx(run.energy[0], rel=1e-7)
    assert run.audit.least_gap > -1e-9


@pytest.mark.parametrize("space", [False, True])
def test_the_last_of_carts_that_touch_goes_off_alone(space):
    """Boxes on one rail, e = 1, three of them at rest in a row: the last has the speed of the one that came."""
    model, made = lw.Model("carts"), []
    for i in range(4):
        link = model.prismatic(f"C{i}", model.frame, axis=model.frame.x)
        body = model.body(f"cart {i}", link, link.origin, 1.0, lw.inertia(link.frame, zz=1.0))
        made.append(body.box((0.5, 0.5, 0.5) if space else (0.5, 0.5)))
    for i in range(3):
        model.contact(f"{i + 1} on {i}", made[i + 1], made[i], restitution=1.0)
    run = lw.simulate(model, until=1.0, q=[-0.75, 0.5, 1.0, 1.5], u=[1.0, 0.0, 0.0, 0.0])
    assert run.x[-1, 4:8] == pytest.approx([0.0, 0.0, 0.0, 1.0], abs=1e-9)


@pytest.mark.parametrize("e", [0.0, 1.0])
@pytest.mark.parametrize("mu", [None, 0.5])
def test_a_pendulum_between_two_walls_that_it_touches_hangs(mu, e):
    """Both walls at once, nothing presses: no event, no motion."""
    model = lw.Model("pendulum")
    link, N = model.revolute("P"), model.frame
    body = model.body("bob", link, link.origin.at("bob", -1.0 * link.frame.y), 1.0, lw.inertia(link.frame, zz=0.1))
    disk = body.circle(0.25)
    model.gravity(-G * N.y)
    for side in (-1, 1):
        wall = lw.Line(model.origin.at(f"W{side}", 0.25 * side * N.x), side * N.y, -side * N.x)
        model.contact(f"wall {side}", disk, wall, restitution=e, friction=mu)
    run = lw.simulate(model, until=0.5, q=[0.0])
    assert run.events == ()
    assert run.x[-1, :2] == pytest.approx([0.0, 0.0], abs=1e-15)

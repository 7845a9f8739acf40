"""Parts of shapes that are near each other: what time steps leave out is not met, and changes no bit."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.contact.narrow_phase.convex_pairs import Picker
from latchwork.contact.narrow_phase.part_numbers import part_numbers
from latchwork.contact.narrow_phase.shape_parts import decompose
from latchwork.hybrid.time_stepping import interval, near_pairs
from latchwork.hybrid.time_stepping.near_pairs import NearPairs
from latchwork.hybrid.time_stepping.near_parts import farthest_moved, keep_poses, parts_apart, place_parts
from latchwork.program.native import interpret, invoke

THICK = lw.TimeStepping(step=1e-3, always=True)


def solids_of(model, kinds, **laws):
    """Bodies in space of 1 kg, each a box, a ball or the hull of some points, any of which may touch each other."""
    shapes = []
    for i, kind in enumerate(kinds):
        link = model.free(f"b{i}")
        body = model.body(f"b{i}", link, link.origin, 1.0, lw.inertia(link.frame, 0.004, 0.005, 0.006))
        shapes.append({"box": lambda b=body: b.box((0.2, 0.16, 0.12)), "ball": lambda b=body: b.sphere(0.1),
                       "hull": lambda b=body, i=i: b.hull(points(i))}[kind]())  # fmt: skip
    model.collide(*shapes, **({"friction": 0.5, "restitution": 0.0} | laws))
    return shapes


def points(seed, n=7):
    """Points about an ellipsoid."""
    x = np.random.default_rng(seed).normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=1)[:, None] * (0.1, 0.08, 0.12)


def poses(rng, names, wide):
    """Random places within a cube, turned at random."""
    q = {}
    for name in names:
        turn = rng.normal(size=4)
        q |= dict(zip((f"q_{name}_p{c}" for c in "xyz"), rng.uniform(-wide, wide, 3), strict=True))
        q |= dict(zip((f"q_{name}_e{k}" for k in range(4)), turn / np.linalg.norm(turn), strict=True))
    return q


def apart(model, kinds, seed):
    """The parts of all pairs of shapes at a random state, placed; and the run that it is."""
    rng = np.random.default_rng(seed)
    solids_of(model, kinds)
    names = [f"b{i}" for i in range(len(kinds))]
    q = poses(rng, names, 0.02)
    for i, name in enumerate(names):
        q[f"q_{name}_px"] += 0.3 * i
    sim = lw.Simulation(model, q)
    sim.world.watch_set.bound(sim.state.contacts, sim.mode_table.base, sim.state.row, sim.world.may_sleep)
    pairs = NearPairs(sim.state.contacts.copied(), sim.mode_table.base, sim.world.watch_set)
    return sim, pairs


def moved(sim, rng, wide):
    """A state in which two free bodies stand elsewhere, with quaternions of unit length."""
    x = sim.state.row.copy()
    x[1:15] += rng.normal(scale=wide, size=14)
    for k in (4, 11):
        x[k : k + 4] /= np.linalg.norm(x[k : k + 4])
    return x


@pytest.mark.parametrize("seed", seeds(range(1), range(40)))
@pytest.mark.parametrize("kinds", [("box", "box"), ("box", "ball"), ("hull", "box"), ("hull", "hull")])
def test_a_feature_within_its_domain_is_no_further_than_its_gap(kinds, seed):
    """What looks tell of two parts is a bound: no feature that counts has a gap below it; the same bits as Python."""
    model = lw.Model("two")
    sim, pairs = apart(model, kinds, seed)
    x, parts, rows, counted, rng = sim.state.row, pairs.parts, pairs.part_rows[0], 0, np.random.default_rng(seed)
    pairs.row_features[0] = {row: each for row in range(len(rows.pairs)) if (each := rows.feature(row)) is not None}
    pairs.make(x)
    for _ in range(40):
        x = moved(sim, rng, 0.3)
        ends = sim.world.watch_set.bounds.at(x)
        invoke(place_parts, parts, ends)
        placed = np.array(parts.placed)
        interpret(place_parts, parts, ends)
        assert np.array(parts.placed).tobytes() == placed.tobytes()
        for row, feature in pairs.row_features[0].items():
            i, j = parts.part[row], parts.other[row]
            least = invoke(parts_apart, parts, i, j)
            assert interpret(parts_apart, parts, i, j) == least
            gap, inside = pairs.points[feature].gap(x)
            counted += inside >= 0.0
            assert inside < 0.0 or abs(gap) >= least - 1e-9
    assert counted > 0


@pytest.mark.parametrize("seed", seeds(range(3), range(30)))
def test_no_corner_moves_farther_than_its_shape(seed):
    """|Δp| + ρ ‖ΔR‖_F / √2 is no less than the way of any corner; the same bits as Python."""
    sim, pairs = apart(lw.Model("two"), ("box", "hull"), seed)
    bounds, rng, parts = sim.world.watch_set.bounds, np.random.default_rng(seed), pairs.parts
    before = bounds.at(sim.state.row)
    invoke(keep_poses, parts, before)
    after, ways = bounds.at(moved(sim, rng, 0.05)), []
    for ends in (before, after):
        invoke(place_parts, parts, ends)
        ways.append(np.array([parts.placed[parts.at[k]] for k in range(parts.parts) if parts.form[k] == 0]))
    most = invoke(farthest_moved, parts, after)
    assert interpret(farthest_moved, parts, after) == most
    assert 0.0 < np.abs(ways[1] - ways[0]).max() <= most


@pytest.mark.parametrize(("kinds", "friction"), [(("box", "ball", "box"), 0.5), (("hull", "ball", "box"), None)])
def test_parts_that_are_left_out_change_no_bit(kinds, friction, monkeypatch):
    """Steps that are short beside the reach, with features of near parts alone and with all, are the same; few are
    made. (Tangents of a face that is along no axis depend on where they are made, and friction on them by rounding.)"""
    def run():
        model = lw.Model("heap")
        shapes = solids_of(model, kinds, friction=friction)
        for i, shape in enumerate(shapes):
            model.contact(f"floor {i}", shape, lw.Plane(model.origin, model.frame.z), friction=friction)
        model.gravity(-9.81 * model.frame.z)
        q = {f"q_b{i}_p{c}": x for i in range(3) for c, x in zip("xyz", (0.02 * i, 0.01 * i, 0.15 + 0.25 * i),
                                                               strict=True)}  # fmt: skip
        sim = lw.Simulation(model, q, {"u_b2_wx": 1.0}, thick=THICK)
        sim.advance(0.4)
        return sim

    few = run()
    monkeypatch.setattr(near_pairs, "REACH", 1e9)
    every = run()
    assert 2 * len(few.state.contacts.every) < len(every.state.contacts.every)
    assert few.run.x.tobytes() == every.run.x.tobytes()


def planar_pile(kinds, ground):
    """Boxes and disks of 1 kg in the plane, by turns over each other, over stairs without an end or over a floor."""
    model, shapes = lw.Model("pile"), []
    N, O = model.frame, model.origin
    for i, kind in enumerate(kinds):
        link = model.planar(f"b{i}")
        body = model.body(f"b{i}", link.frame, link.origin, 1.0, lw.inertia(link.frame, 0.002, 0.002, 0.004))
        shapes.append(body.circle(0.1) if kind == "disk" else body.box((0.2, 0.16)))
    corners = [(0.0, 3.0), (0.0, 0.0), (0.5, 0.0), (0.5, -0.1), (1.0, -0.1), (1.0, -0.2), (9.0, -0.2)]
    stairs = lw.Polyline([O.at(f"s{k}", x * N.x + y * N.y) for k, (x, y) in enumerate(corners)])
    floor = stairs if ground == "stairs" else lw.Line(O, N.x, N.y)
    for i, shape in enumerate(shapes):
        model.contact(f"floor {i}", shape, floor, friction=0.5)
        for j in range(i):
            model.contact(f"{i} on {j}", shape, shapes[j], friction=0.5)
    model.gravity(-9.81 * N.y)
    q = {f"q_b{i}_{c}": x for i in range(len(kinds))
         for c, x in (("px", 0.3 + 0.03 * i), ("py", 0.15 + 0.25 * i), ("rz", 0.3 * i))}  # fmt: skip
    return model, q


@pytest.mark.parametrize("ground", ["floor", "stairs"])
@pytest.mark.parametrize("kinds", [("box", "box", "box"), ("disk", "box", "disk", "box"), ("disk", "disk", "disk")])
def test_in_the_plane_parts_that_are_left_out_change_nothing(kinds, ground, monkeypatch):
    """The same of boxes and disks in the plane, and of stairs that stand still and have no enclosure, but for what the
    cone problem leaves: what is within reach of a move out of penetration takes part in it."""
    def run():
        model, q = planar_pile(kinds, ground)
        sim, candidates = lw.Simulation(model, q, thick=lw.TimeStepping(step=5e-4, always=True)), []
        listed = NearPairs.lay_out
        monkeypatch.setattr(NearPairs, "lay_out", lambda self, scene: candidates.append(self) or listed(self, scene))
        sim.advance(0.35)
        monkeypatch.setattr(NearPairs, "lay_out", listed)
        return sim, candidates[-1].record.candidates

    few, near = run()
    monkeypatch.setattr(near_pairs, "REACH", 1e9)
    every, all_of_them = run()
    assert near < all_of_them or (ground == "floor" and "box" not in kinds)
    assert np.abs(few.run.x - every.run.x).max() <= 1e-9


@pytest.mark.parametrize("speed", [60.0, 100.0, 150.0])
@pytest.mark.parametrize("space", [False, True])
def test_what_moves_farther_in_a_step_than_parts_reach_is_met(space, speed):
    """A box that moves by half its height in a step ends on the box it meets, at the mean of the speeds."""
    for gap in (0.7, 0.75, 0.8):
        model, shapes = lw.Model("fast"), []
        for k in range(2):
            link = model.free(f"b{k}") if space else model.planar(f"b{k}")
            body = model.body(f"b{k}", link.frame, link.origin, 1.0, lw.inertia(link.frame, 0.01, 0.01, 0.01))
            shapes.append(body.box((0.4, 0.4, 0.4) if space else (0.4, 0.4)))
        model.contact("both", *shapes, friction=0.5)
        z = "z" if space else "y"
        sim = lw.Simulation(model, {f"q_b1_p{z}": gap}, {f"u_b1_v{z}": -speed},
                            thick=lw.TimeStepping(step=2e-3, always=True))  # fmt: skip
        sim.advance(0.02)
        run = sim.run
        assert run[f"u_b0_v{z}"][-1] == pytest.approx(-0.5 * speed)
        assert run[f"q_b1_p{z}"][-1] - run[f"q_b0_p{z}"][-1] == pytest.approx(0.4)


def test_pairs_that_are_made_ahead_change_no_bit(monkeypatch):
    """What becomes a contact along with pairs that are near is met when it is near, and not before."""
    def run(rooms):
        monkeypatch.setattr(interval, "AHEAD", rooms)
        model = lw.Model("row")
        solids_of(model, ("box", "ball") * 4, friction=None)
        q = {f"q_b{i}_p{c}": x for i in range(8) for c, x in zip("xyz", (0.5 * i, 0.01 * i, 0.0), strict=True)}
        u = {f"u_b{i}_vx": 3.0 * (1.75 - 0.5 * i) for i in range(8)}
        sim = lw.Simulation(model, q, u, thick=THICK)
        sim.advance(0.3)
        return sim

    one_by_one, ahead = run(1.0), run(20.0)
    assert 0 < len(one_by_one.state.contacts.members) < len(ahead.state.contacts.members)
    assert ahead.run.x.tobytes() == one_by_one.run.x.tobytes()


def test_equal_parts_of_a_solid_are_numbers_once():
    """Contacts of one solid share what is known of its parts; where sizes are expressions each works it out anew."""
    model = lw.Model("boxes")
    size = model.parameter("a", 0.2)
    boxes = []
    for i in range(3):
        link = model.free(f"b{i}")
        body = model.body(f"b{i}", link, link.origin, 1.0, lw.inertia(link.frame, 0.1, 0.1, 0.1))
        boxes.append(body.box((size if i == 2 else 0.2, 0.3, 0.4)))
    one, other, third = (Picker(f"{i}{j}", boxes[i], boxes[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    assert one.sides[0] is other.sides[0]
    assert one.sides[1] is third.sides[0]
    assert other.sides[1] is not third.sides[1]


def test_numbers_of_a_face_hold_its_domain():
    """n · x = d on a face of a box, and v · x + l ≥ 0 for its corners and no others but beyond its middle."""
    model = lw.Model("box")
    link = model.free("b")
    body = model.body("b", link, link.origin, 1.0, lw.inertia(link.frame, 0.1, 0.1, 0.1))
    box = body.box((2.0, 3.0, 4.0))
    face = next(part for part in decompose(box) if part.label == "face +y")
    n, *bounds = np.reshape(part_numbers(face, box.center).values, (-1, 4))
    bounds = np.array(bounds)
    assert n.tolist() == [0.0, 1.0, 0.0, 1.5]
    corners = np.array([[x, 1.5, z] for x in (-1.0, 1.0) for z in (-2.0, 2.0)])
    assert (corners @ bounds[:, :3].T + bounds[:, 3]).min() == 0.0
    assert ([1.1, 1.5, 0.0] @ bounds[:, :3].T + bounds[:, 3]).min() == pytest.approx(-0.1)


def test_tangents_are_made_of_what_closes():
    """Of the places that are watched in a stepped run, those that were never near to closed have no tangents."""
    model = lw.Model("pair")
    solids_of(model, ["box", "box"])
    sim = lw.Simulation(model, {"q_b1_pz": 0.13}, {"u_b1_vz": -1.0}, thick=THICK)
    sim.advance(0.05)
    points = sim.state.contacts.every
    known = [point for point in points if point.knows_slip]
    assert 4 <= len(known) < len(points) / 2
    assert all(len(point.tangents) == 2 for point in points)

"""Collisions without lists: which pairs there are, materials, sweep and prune; wrong arguments answered in words."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import latchwork as lw
from latchwork.contact.broad_phase.sweep_and_prune import overlapping
from latchwork.hybrid.contacts.broad_phase import BroadPhase
from latchwork.program.native import address, native
from latchwork.view.posing import shapes_of


def disks(count=3, model=None):
    """Free disks of 1 kg in the plane."""
    model = model or lw.Model("disks")
    bodies = []
    for k in range(count):
        link = model.planar(f"d{k}")
        bodies.append(model.body(f"disk{k}", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01)))
        bodies[-1].circle(0.1)
    return model, bodies


def pairs(model):
    """The names of all pairs that may touch."""
    return [contact.name for contact in BroadPhase(model).every()]


def floor(model):
    return lw.Line(model.origin, model.frame.x, model.frame.y)


# --- which pairs ------------------------------------------------------------------------------------------------------


def test_all_with_all():
    """Every body may touch every other and the floor, by names "a on b", in the order in which they were given."""
    model, bodies = disks()
    model.collide(bodies, {"floor": floor(model)})
    assert pairs(model) == ["disk0 on disk1", "disk0 on disk2", "disk0 on floor", "disk1 on disk2", "disk1 on floor",
                            "disk2 on floor"]  # fmt: skip


def test_only_between_groups():
    """With within=False, only shapes of different arguments meet."""
    model, bodies = disks()
    model.collide(bodies[:2], bodies[2], {"floor": floor(model)}, within=False)
    assert pairs(model) == ["disk0 on disk2", "disk0 on floor", "disk1 on disk2", "disk1 on floor", "disk2 on floor"]


def test_masks_are_those_of_mujoco():
    """Two collide where (contype_a & conaffinity_b) | (contype_b & conaffinity_a): all 16 ways of two bits each."""
    rng = np.random.default_rng(3)
    for _ in range(8):
        model, bodies = disks(4)
        bits = {body: tuple(int(b) for b in rng.integers(0, 4, 2)) for body in bodies}
        model.collide(bodies, masks=bits)
        expected = [f"{a} on {b}" for a, b in combinations(bodies, 2)
                    if bits[a][0] & bits[b][1] or bits[b][0] & bits[a][1]]  # fmt: skip
        assert pairs(model) == expected


def test_pairs_left_out_and_pairs_listed():
    """``without`` leaves pairs out, by bodies or by names; what `contact` lists has its own laws, and is there once."""
    model, bodies = disks()
    ground = floor(model)
    model.collide(bodies, {"floor": ground}, without=[(bodies[0], bodies[1]), ("disk2", "floor")], friction=0.5)
    model.contact("slippery", bodies[1].shapes[0], ground)
    assert pairs(model) == ["disk0 on disk2", "disk0 on floor", "disk1 on disk2"]


def test_shapes_of_one_body_and_neighbours_are_left_out():
    """A chain: links that a joint joins never collide, others do; neighbours=True lets all meet."""
    for joined, expected in ((False, ["a on c"]), (True, ["a on b", "a on c", "b on c"])):
        model = lw.Model("chain")
        inboard, at, bodies = model.frame, model.origin, []
        for name in "abc":
            link = model.revolute(f"joint_{name}", inboard, at=at)
            center = link.origin.at(f"c{name}", 0.5 * link.frame.x)
            bodies.append(model.body(name, link, center, 1.0, lw.inertia(link.frame, zz=0.1)))
            bodies[-1].circle(0.05)
            inboard, at = link, link.origin.at(f"e{name}", 1.0 * link.frame.x)
        model.collide(bodies, neighbours=joined)
        assert pairs(model) == expected


def test_a_body_of_several_shapes_never_meets_itself():
    """Shapes of one carrier are fixed to each other, however their frames and points are made."""
    model, (one, two) = disks(2)
    one.circle(0.02, one.center.at("tip", 0.1 * one.frame.x))
    welded = model.weld("plate", one.frame, at=one.center)
    extra = lw.Circle(welded.origin, 0.01, body=welded)
    model.collide(one, two, {"extra": extra})
    assert pairs(model) == ["disk0 1 on disk1", "disk0 2 on disk1", "disk1 on extra"]


def test_a_loop_joint_joins_too():
    """Bodies that close a loop overlap at its pin, and are left out."""
    model, (a, b, c) = disks(3)
    model.close("revolute", "pin", a, b)
    model.collide(a, b, c)
    assert pairs(model) == ["disk0 on disk2", "disk1 on disk2"]


def test_a_pendulum_meets_the_wall():
    """What is fixed in N itself is nobody's neighbour."""
    model = lw.Model("pendulum")
    link = model.revolute("arm")
    bob = model.body("bob", link, link.origin.at("c", link.frame.x), 1.0, lw.inertia(link.frame, zz=0.1))
    bob.circle(0.1)
    model.collide(bob, {"wall": floor(model)})
    assert pairs(model) == ["bob on wall"]


def test_cylinders_with_sides_are_exact_on_planes_alone():
    """With sides= planes meet the cylinder and the cone itself; balls, and another cylinder, a prism of so many sides,
    which is drawn as what it stands for. A model file keeps it."""
    model = lw.Model("cans")
    N, O = model.frame, model.origin
    things = {}
    for k, kind in enumerate((lw.Cylinder, lw.Cone, lw.Sphere)):
        link = model.free(f"b{k}")
        body = model.body(f"body{k}", link, link.origin, 1.0, lw.inertia(link.frame, xx=1.0, yy=1.0, zz=1.0))
        ends = (link.origin, link.origin.at(f"top{k}", link.frame.z)) if kind is not lw.Sphere else (link.origin,)
        things[kind.__name__] = kind(*ends, 0.5, body=body)
    found = model.collide({"floor": lw.Plane(O, N.z)}, things, sides=12)
    read = lw.loads(lw.dump(model)).collisions[0]
    for collision in (found, read):
        for name in ("Cylinder", "Cone"):
            shape = collision.shapes[collision.place(name)]
            assert collision.contact("floor", name).shapes[1] is shape
            prism = next(each for each in collision.contact(name, "Sphere").shapes if isinstance(each, lw.Hull))
            assert prism.stands_for is shape
            assert len(prism.vertices) == {"Cylinder": 24, "Cone": 13}[name]
        assert {type(each) for each in collision.contact("Cylinder", "Cone").shapes} == {lw.Hull}
    drawn = shapes_of(lw.simulate(model, 0.01, q={"q_b0_pz": 2.0, "q_b1_pz": 5.0, "q_b2_pz": 8.0}))
    assert [type(each).__name__ for each in drawn].count("Hull") == 0
    assert len(drawn) == 4


def test_particles_collide_as_points():
    model = lw.Model("points")
    q, v = model.coordinates("x", "y"), model.frame
    stone = model.particle("stone", model.origin.at("P", q[0] * v.x + q[1] * v.y), 1.0)
    grain = model.particle("grain", model.origin.at("G", q[1] * v.x + q[0] * v.y), 1.0)
    model.collide(stone, grain, {"floor": floor(model)})
    assert pairs(model) == ["stone on floor", "grain on floor"]  # points pass each other


# --- materials --------------------------------------------------------------------------------------------------------


def test_a_pair_has_the_row_of_its_materials():
    """A material with itself, two by their row, others by what the collision was given."""
    model, bodies = disks(4)
    model.material("rubber", friction=0.9, restitution=0.4, on=bodies[:2])
    model.material("ice", friction=0.02, on=bodies[2])
    model.material_pair("rubber", "ice", friction=lw.Coulomb(0.2, 0.1))
    laws = model.collide(bodies, friction=0.5, restitution=0.3)
    found = {pair: laws.contact(*pair) for pair in (("disk0", "disk1"), ("disk1", "disk2"), ("disk0", "disk3"))}
    assert [(c.friction.mu, c.friction.sliding, c.restitution) for c in found.values()] == [
        (0.9, 0.9, 0.4), (0.2, 0.1, 0.0), (0.5, 0.5, 0.3)]  # fmt: skip


def test_a_shape_may_differ_from_its_body():
    """The material of a shape goes before that of its body."""
    model, bodies = disks(2)
    model.material("steel", friction=0.3, on=bodies)
    model.material("rubber", friction=0.9, on=bodies[0].shapes)
    model.material_pair("steel", "rubber", friction=0.6)
    assert model.collide(bodies).contact(0, 1).friction.mu == 0.6


# --- sweep and prune --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_sweep_and_prune_finds_what_brute_force_does(seed):
    """Random boxes, some equal, some touching: the pairs are those that overlap along all axes, as machine code and as
    Python."""
    rng = np.random.default_rng(seed)
    n = 40
    lo = np.round(rng.uniform(-1.0, 1.0, (n, 3)), 1)
    hi = lo + np.round(rng.uniform(0.0, 0.6, (n, 3)), 1)
    bits, carrier = rng.integers(0, 4, (n, 2)), rng.integers(0, 30, n)
    skip = np.unique([i * n + j for i, j in np.sort(rng.integers(0, n, (30, 2)), axis=1)])
    expected = [i * n + j for i, j in combinations(range(n), 2)
                if (lo[i] <= hi[j]).all() and (lo[j] <= hi[i]).all() and carrier[i] != carrier[j]
                and (bits[i, 0] & bits[j, 1] or bits[j, 0] & bits[i, 1]) and i * n + j not in skip]  # fmt: skip
    for axis in range(3):
        order, found = rng.permutation(n), np.zeros(n * n, dtype=np.int64)
        arrays = [np.ascontiguousarray(a) for a in (lo, hi, order, bits, carrier, skip, found)]
        low, high, order, bits64, carriers, skips, found = arrays
        count = native(overlapping).function(
            n,
            address(low),
            address(high),
            axis,
            address(order),
            address(bits64),
            address(carriers),
            len(skips),
            address(skips),
            n * n,
            address(found),
        )
        assert sorted(found[:count].tolist()) == expected
        if axis == 0:
            again = np.zeros(n * n, dtype=np.int64)
            assert overlapping(n, low, high, axis, order, bits64, carriers, len(skips), skips, n * n, again) == count
            assert_array_equal(again[:count], found[:count])


# --- what is refused --------------------------------------------------------------------------------------------------


def _wrong(call, match, kind=lw.LatchworkError):
    with pytest.raises(kind, match=match):
        call()


def test_wrong_arguments_are_answered_in_words():
    """Each says what is wrong with which thing, and what to do."""
    model, bodies = disks(3)
    _, strangers = disks(2, lw.Model("other"))
    bare = model.body("bare", bodies[0].frame, bodies[0].center, 1.0)
    rim = lw.Rim(model.origin.at("R", model.frame.x), model.frame.y, 0.2)
    another = lw.Rim(bodies[0].center, bodies[0].frame.y, 0.2, body=bodies[0])
    _wrong(lambda: model.collide(bodies, frction=0.5), "takes no argument 'frction'.*Did you mean 'friction'")
    _wrong(lambda: model.collide(bodies[0]), "has 1 shapes in 1 groups: two shapes can touch")
    _wrong(lambda: model.collide(bodies, within=False), "two groups can touch")
    _wrong(lambda: model.collide(bodies, bodies[0]), "twice. List every shape once")
    _wrong(lambda: model.collide(bodies, bare), "body 'bare' of 'collide' has no shape. Make one by its methods")
    _wrong(lambda: model.collide(bodies, model.links["d0"]), "'d0' of 'collide' is a joint")
    _wrong(lambda: model.collide(bodies, "floor"), "'floor', which is neither a body nor a shape")
    _wrong(lambda: model.collide(bodies, strangers), "belongs to the model 'other', not to 'disks'")
    _wrong(lambda: model.collide(bodies, without=[("disk0", "disk9")]), "'disk9', which does not collide.*Did you mean")
    _wrong(lambda: model.collide(bodies, without=[bodies[0]]), "Give pairs: without=")
    _wrong(lambda: model.collide(bodies, masks={bodies[0]: 1}), "Give .contype, conaffinity., two whole numbers")
    _wrong(lambda: model.collide(bodies, masks={bodies[0]: (-1, 1)}), "two whole numbers of 32 bits")
    _wrong(lambda: model.collide(bodies[:2], masks={bodies[2]: (1, 1)}), "does not collide in it")
    _wrong(lambda: model.collide(bodies, friction=-1.0), "not negative")
    _wrong(lambda: model.collide(bodies, restitution=1.5), "Give a number from 0 to 1")
    _wrong(lambda: model.collide(bodies, impact="newtn"), "Did you mean 'newton'")
    _wrong(lambda: model.collide({"rim": rim, "other": another}), "are thin, and pass each other. Give .* a rim a tube")
    pin = lw.Cylinder(model.origin.at("P", model.frame.z), model.origin, 0.2)
    _wrong(lambda: model.collide({"pin": pin, "rim": another}), "lw.Cylinder and lw.Rim, which no pair is for.")
    _wrong(lambda: model.collide(bodies, {"pin": pin}, sides=2), "a solid of 2 sides cannot be had")
    wide = lw.Cylinder(model.origin.at("W", model.frame.z), model.origin, model.parameter("wide", 0.2))
    _wrong(lambda: model.collide(bodies, {"wide": wide}, sides=12), "'wide' is .*no prism of 12 sides follows those")
    wires = {"wire": lw.Segment(bodies[0].center, bodies[0].center.at("w", bodies[0].frame.x), body=bodies[0]),
             "other": lw.Segment(model.origin, model.origin.at("x", model.frame.x))}  # fmt: skip
    _wrong(lambda: model.collide(wires), "are thin, and pass each other. Give a segment a")
    model.collide(bodies)
    _wrong(lambda: model.collide(bodies), "has a collision named 'collide' already")
    _wrong(lambda: model.collisions[0].contact("disk0", "disc1"), "has no shape 'disc1'. Did you mean 'disk1'")
    assert len(model.collisions) == 1


def test_wrong_materials_are_answered_in_words():
    model, bodies = disks(3)
    model.material("rubber", friction=0.9, on=bodies[0])
    model.material("ice", friction=0.02, on=[bodies[1]])
    _wrong(lambda: model.material("rubber"), "a material named 'rubber' already")
    _wrong(lambda: model.material("steel", on=[bodies[0]]), "made of 'rubber' already")
    _wrong(lambda: model.material("steel", on=["disk0"]), "neither a body nor a shape")
    _wrong(lambda: model.material("steel", friction="much"), "friction of 'steel' is 'much'")
    _wrong(lambda: model.material_pair("rubber", "icee", friction=0.1), "no material 'icee'. Did you mean 'ice'")
    _wrong(lambda: model.material_pair("rubber", "rubber"), "is one material")
    _wrong(lambda: model.collide(bodies[:2]), r'no row for them. Give model.material_pair\("rubber", "ice"')
    _wrong(lambda: model.collide(bodies[1:]), "'disk2' .no material.*Name their materials")
    model.material_pair("rubber", "ice", friction=0.1)
    _wrong(lambda: model.material_pair("ice", "rubber"), "have a row already")
    assert model.collide(bodies[:2]).contact(0, 1).friction.mu == 0.1


def test_equations_alone_do_not_forget_what_collides():
    """Equations hold no contacts: to run them, or many at once, is refused by name."""
    model, bodies = disks(2)
    model.collide(bodies)
    _wrong(lambda: lw.simulate(model.equations(), 1.0), "do not hold its contacts .'collide'")
    name = model.equations().q_names[0]
    _wrong(lambda: lw.simulate_many(model.equations(), {name: [0.0]}, 1.0), "do not hold its contacts .'collide'")

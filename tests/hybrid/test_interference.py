"""The watch on interference: what people build, aligned, flush and equal, never passes through itself in silence."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import latchwork as lw
from campaign import rows
from latchwork.hybrid.interference import penetration_search
from latchwork.hybrid.interference.scene import Scene, told_of
from latchwork.hybrid.right_side import right_side
from latchwork.program.native import interpret, invoke
from latchwork.program.records.memory import copied, lay_out

WEIGHT = 9.81


def boxes(sizes, restitution=0.5, friction=None, floor=True, shape="box"):
    """Boxes in the plane, each with a contact with each, on a floor or in the air."""
    model = lw.Model("boxes")
    N, O = model.frame, model.origin
    symbols = [model.coordinates(f"x{i}", f"y{i}", f"a{i}") for i in range(len(sizes))]
    model.speeds()
    shapes = []
    for i, ((x, y, a), (w, h)) in enumerate(zip(symbols, sizes, strict=True)):
        B, C = N.rotated(f"B{i}", a, N.z), O.at(f"C{i}", x * N.x + y * N.y)
        body = model.body(f"b{i}", B, C, 1.0, lw.inertia(B, zz=(w * w + h * h) / 12.0))
        corners = [(0.5 * p * w, 0.5 * q * h, 0.0) for p, q in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
        made = {"box": lambda b=body, s=(w, h): b.box(s), "hull": lambda b=body, c=corners: b.hull(np.array(c)),
                "outline": lambda b=body, c=corners, C=C, B=B, i=i: lw.Polyline(
                    [C.at(f"P{i}{k}", p * B.x + q * B.y) for k, (p, q, _) in enumerate(c)], closed=True, body=b)}
        shapes.append(made[shape]())
    if floor:
        model.gravity(-WEIGHT * N.y)
        for i, each in enumerate(shapes):
            model.contact(f"floor {i}", each, lw.Line(O, N.x, N.y), friction=friction)
    for i in range(len(shapes)):
        for j in range(i):
            model.contact(f"{i} on {j}", shapes[i], shapes[j], restitution=restitution, friction=friction)
    return model


def first_impact(run, name="1 on 0"):
    """When a contact is first met."""
    return next(event.t for event in run.events if name in event.name)


@pytest.mark.parametrize(
    ("size", "speed"),
    rows([(1.0, 0.5), (1.0, 1.3), (0.5, 5.0), (2.0, 1.3)], product([1.0, 0.5, 2.0], [0.5, 1.3, 5.0])),
)
def test_a_crate_meets_its_equal_on_a_floor(size, speed):
    """They meet when the gap between them is used up, exchange speed by e, and never lie in each other."""
    model = boxes([(size, size)] * 2)
    run = lw.simulate(model, until=0.2 / speed + 0.2, q={"x0": -size - 0.2, "y0": 0.5 * size, "y1": 0.5 * size},
                      u={"u_x0": speed})  # fmt: skip
    assert first_impact(run) == pytest.approx(0.2 / speed, abs=1e-9)
    assert run["u_x0"][-1] == pytest.approx(0.25 * speed, abs=1e-9)
    assert run["u_x1"][-1] == pytest.approx(0.75 * speed, abs=1e-9)
    assert run.audit.least_gap > -1e-9


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_a_crate_with_friction_meets_its_equal(restitution):
    """v² = v₀² − 2 μ g d where it meets the other."""
    model = boxes([(1.0, 1.0)] * 2, restitution, 0.3)
    run = lw.simulate(model, until=0.3, q={"x0": -1.2, "y0": 0.5, "y1": 0.5}, u={"u_x0": 2.0})
    met = (2.0 - np.sqrt(4.0 - 2.0 * 0.3 * WEIGHT * 0.2)) / (0.3 * WEIGHT)
    assert first_impact(run) == pytest.approx(met, abs=1e-9)
    assert run.audit.least_gap > -1e-9


SHIFTS = [0.0, 1e-9, -1e-9, 1e-8, 1e-7, 1e-5]


@pytest.mark.parametrize(
    ("shift", "shape"),
    rows([*product(SHIFTS, ["box"]), (0.0, "hull"), (1e-9, "hull"), (0.0, "outline"), (1e-8, "outline")],
         product(SHIFTS, ["box", "hull", "outline"])),
)  # fmt: skip
def test_equal_boxes_meet_face_to_face_in_the_air(shift, shape):
    """However little off flush they are, they meet when their faces do."""
    model = boxes([(1.0, 1.0)] * 2, 1.0, floor=False, shape=shape)
    run = lw.simulate(model, until=0.3, q={"x0": -1.3, "y0": shift}, u={"u_x0": 1.7})
    assert first_impact(run) == pytest.approx(0.3 / 1.7, abs=1e-9)
    assert run["x0"].max() - run["x1"].max() < -1.0 + 1e-9
    assert run.audit.least_gap > -1e-9


def test_columns_of_equal_boxes_fall_onto_each_other():
    """Three boxes above each other end as a tower, each as high as those below."""
    model = boxes([(0.5, 0.5)] * 3, 0.0, 0.3)
    run = lw.simulate(model, until=0.6, q={"y0": 0.25, "y1": 0.8, "y2": 1.4})
    assert [run[f"y{i}"][-1] for i in range(3)] == pytest.approx([0.25, 0.75, 1.25], abs=1e-9)
    assert run.audit.least_gap > -1e-9


def in_space(sizes, restitution=0.5):
    """Boxes in space, in the air."""
    model = lw.Model("boxes")
    shapes = []
    for i, (a, b, c) in enumerate(sizes):
        link = model.free(f"b{i}")
        body = model.body(f"b{i}", link, link.origin, 1.0, lw.inertia(link.frame, b * b + c * c, a * a + c * c, a + b))
        shapes.append(body.box((a, b, c)))
    model.contact("1 on 0", shapes[1], shapes[0], restitution=restitution)
    return model


@pytest.mark.parametrize("shift", [0.0, 1e-9])
def test_equal_boxes_meet_face_to_face_in_space(shift):
    """The same in space."""
    model = in_space([(0.5, 0.5, 0.5)] * 2, 1.0)
    run = lw.simulate(model, until=0.2, q={"q_b0_px": -0.7, "q_b0_py": shift, "q_b0_e0": 1.0, "q_b1_e0": 1.0},
                      u={"u_b0_vx": 2.0})  # fmt: skip
    assert first_impact(run) == pytest.approx(0.1, abs=1e-9)
    assert run.audit.least_gap > -1e-9


# --- what has no feature ends the run ---------------------------------------------------------------------------------


def over_a_shelf(shape="box", sides=False):
    """A crate above a thin shelf, whose two sides are taken away: nothing but its ends is a feature of the two."""
    model = lw.Model("shelf")
    link, N, O = model.planar("b"), model.frame, model.origin
    crate = model.body("crate", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(-WEIGHT * N.y)
    corners = [(-0.1, -0.1, 0.0), (-0.1, 0.1, 0.0), (0.1, 0.1, 0.0), (0.1, -0.1, 0.0)]
    outline = [link.origin.at(f"P{k}", x * link.frame.x + y * link.frame.y) for k, (x, y, _) in enumerate(corners)]
    made = {"box": lambda: crate.box((0.2, 0.2)), "hull": lambda: crate.hull(np.array(corners)),
            "outline": lambda: lw.Polyline(outline, closed=True, body=crate)}[shape]()  # fmt: skip
    shelf = model.contact("shelf", made, lw.Segment(O.at("P", -N.x), O.at("Q", N.x)))
    if not sides:
        ends = tuple(feature for feature in shelf.features if "end" in feature.name)
        object.__setattr__(shelf, "features", ends)
    return model


FALLS = {"q": {"q_b_py": 0.6}}  # its lower side meets the shelf after √(2 · 0.5 m / g)
MEETS = np.sqrt(1.0 / WEIGHT)


@pytest.mark.parametrize("method", [lw.DormandPrince(), lw.RK4(0.2), lw.RK4(1e-3)], ids=["adaptive", "long", "short"])
@pytest.mark.parametrize("shape", ["box", "hull", "outline"])
def test_what_falls_through_a_thin_segment_ends_the_run(shape, method):
    """The error names both shapes and the contact, when and how deep, says what to do, and has the run up to there."""
    with pytest.raises(lw.Interference, match=r"'crate' and lw.Segment at 'P' of contact 'shelf'.* Give .* thick") as e:
        lw.simulate(over_a_shelf(shape), until=1.0, method=method, **FALLS)
    assert e.value.contact == "shelf"
    assert e.value.t == pytest.approx(MEETS, abs=1e-5)
    assert 0.0 < e.value.depth < 1e-5
    assert e.value.run.t[-1] <= e.value.t
    assert e.value.run["q_b_py"][-1] == pytest.approx(0.1, abs=1e-5)


def test_nothing_thin_is_jumped_over_by_one_step():
    """A crate that is thrown through a shelf, and is clear of it at both ends and in the middle of the step."""
    with pytest.raises(lw.Interference, match="'shelf'"):
        lw.simulate(over_a_shelf(), until=0.5, q={"q_b_py": 8.0}, u={"u_b_vy": -100.0}, method=lw.RK4(0.5))


def test_an_advance_that_fails_may_be_gone_on_otherwise():
    """The simulation stays before the passing; with the contact removed it falls on."""
    sim = lw.Simulation(over_a_shelf(), **FALLS)
    with pytest.raises(lw.Interference, match="'shelf'"):
        sim.advance(1.0)
    assert sim.t < MEETS
    sim.remove("shelf")
    sim.advance(1.0)
    assert sim.q["q_b_py"] == pytest.approx(0.6 - 0.5 * WEIGHT, abs=1e-9)


def test_ticks_end_where_shapes_pass():
    """Tick after tick the watch looks; the tick in which shapes pass is refused."""
    sim = lw.Simulation(over_a_shelf(), **FALLS)
    made = int(MEETS / 1e-3)
    assert [event for _ in range(made) for event in sim.tick(1e-3)] == []
    with pytest.raises(lw.Interference, match="'shelf'"):
        sim.tick(1e-3)
    assert 1e-3 * made <= sim.t < MEETS


def test_time_stepping_ends_where_shapes_pass():
    """It allows a hundredth of the size, and no more."""
    with pytest.raises(lw.Interference, match="'shelf'") as e:
        lw.simulate(over_a_shelf(), until=1.0, thick=lw.TimeStepping(1e-3, always=True), **FALLS)
    assert 1e-3 < e.value.depth < 1e-2
    assert e.value.run.t[-1] == pytest.approx(e.value.t)


def test_a_start_astride_a_thin_segment_is_refused():
    """No feature says so: the shapes lie in each other."""
    sim = lw.Simulation(over_a_shelf("outline"), q={"q_b_py": 0.05})
    for _ in range(2):
        with pytest.raises(lw.ModelError, match=r"'shelf' overlaps at t = 0: .* by 0\.354 of the size"):
            sim.advance(1.0)


@pytest.mark.parametrize("thick", [None, lw.TimeStepping(1e-3, always=True)], ids=["events", "steps"])
@pytest.mark.parametrize("shape", ["box", "hull", "outline"])
def test_what_is_thin_carries(shape, thick):
    """With its sides, the crate meets the shelf at √(2 h / g), and comes to lie on it."""
    run = lw.simulate(over_a_shelf(shape, sides=True), until=1.0, thick=thick, **FALLS)
    assert run["q_b_py"][-1] == pytest.approx(0.1, abs=1e-9)
    if thick is None:
        assert first_impact(run, "shelf") == pytest.approx(MEETS, abs=1e-9)
    assert run.audit.least_gap > (-1e-9 if thick is None else -1e-3)


def test_what_is_thin_is_met_from_below():
    """Thrown up at the shelf from below it comes back: with e = 0 it leaves the shelf at rest."""
    run = lw.simulate(over_a_shelf(sides=True), until=0.4, q={"q_b_py": -0.6}, u={"u_b_vy": 5.0})
    assert run["q_b_py"].max() == pytest.approx(-0.1, abs=1e-9)
    meets = (5.0 - np.sqrt(25.0 - 2.0 * WEIGHT * 0.5)) / WEIGHT
    assert first_impact(run, "shelf") == pytest.approx(meets, abs=1e-9)
    assert run["q_b_py"][-1] == pytest.approx(-0.1 - 0.5 * WEIGHT * (0.4 - meets) ** 2, abs=1e-9)


@pytest.mark.parametrize("other", ["capsule", "box", "rim"])
def test_a_rim_that_passes_ends_the_run(other):
    """Without the features of its circle a rim would fall through; the watch looks at places of it."""
    model = lw.Model("rim")
    link, N, O = model.free("r"), model.frame, model.origin
    body = model.body("r", link, link.origin, 1.0, lw.inertia(link.frame, 0.1, 0.1, 0.2))
    rim = body.rim(link.frame.z, 0.5, tube=0.1)
    model.gravity(-WEIGHT * N.z)
    below = {"capsule": lambda: lw.Capsule(O.at("P", -N.x), O.at("Q", N.x), 0.2, body=N),
             "box": lambda: lw.Box(O, (2.0, 0.2, 0.4), body=N),
             "rim": lambda: lw.Rim(O.at("C", 0.5 * N.x), N.z, 0.5, body=N, tube=0.1)}[other]()  # fmt: skip
    contact = model.contact("pair", rim, below)
    kept = tuple(feature for feature in contact.features if "flat" in feature.name or "end" in feature.name)
    object.__setattr__(contact, "features", kept)
    with pytest.raises(lw.Interference, match=r"lw.Rim of 'r' and .* 'pair' have passed into each other"):
        lw.simulate(model, until=1.0, q=[0.0, 0.0, 1.0, 0.995, 0.0998749, 0.0, 0.0])


def test_what_is_thick_carries():
    """The same crate on a thick shelf lies there: the watch says nothing."""
    model = over_a_shelf()
    N, O = model.frame, model.origin
    model.contact("plank", model.contacts[0].shapes[0], lw.Box(O.at("S", 0.1 * N.y), (2.0, 0.1)), restitution=0.0)
    run = lw.simulate(model, until=1.0, **FALLS)
    assert run["q_b_py"][-1] == pytest.approx(0.25, abs=1e-9)


# --- the audit --------------------------------------------------------------------------------------------------------


def test_the_audit_tells_the_least_true_distance():
    """Of a box that flies past the corner of another one, √2 times the offset of both; sharp features never meet."""
    model = boxes([(1.0, 1.0)] * 2, floor=False)
    run = lw.simulate(model, until=2.0, q={"x0": -2.0, "y0": 2.5, "a0": 0.0}, u={"u_x0": 1.0, "u_y0": -0.5},
                      method=lw.RK4(1e-2))  # fmt: skip
    away = np.hypot(np.maximum(np.abs(run["x0"]) - 1.0, 0.0), np.maximum(np.abs(run["y0"]) - 1.0, 0.0))
    assert run.events == ()
    assert away.min() > 0.0
    assert run.audit.least_gap == pytest.approx(away.min(), rel=1e-12)
    assert run.audit.least_gap_of == "1 on 0"
    assert run.interference(*model.contacts[-1].shapes) == pytest.approx(away, rel=1e-9)


def test_the_audit_tells_how_deep_a_failed_run_came():
    """The run that the error has ends as deep as the error says."""
    with pytest.raises(lw.Interference, match="deep in") as e:
        lw.simulate(over_a_shelf(), until=1.0, method=lw.RK4(1e-3), **FALLS)
    depth = 0.1 - e.value.run["q_b_py"].min()
    assert e.value.run.audit.least_gap == pytest.approx(-depth, abs=1e-12)


def test_a_plank_lies_flush_on_two_posts():
    """Ends of segments are flush with the bound of its end faces, and deep behind these: it touches, and rests."""
    model = lw.Model("plank")
    link, N, O = model.planar("p"), model.frame, model.origin
    plank = model.body("p", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.35)).box((2.0, 0.5))
    model.gravity(-10.0 * N.y)
    for name, low, high in (("left", -1.0, -0.5), ("right", 0.5, 1.0)):
        post = lw.Segment(O.at(f"{name} a", low * N.x), O.at(f"{name} b", high * N.x), normal=N.y)
        model.contact(name, plank, post, friction=0.3)
    run = lw.simulate(model, until=0.5, q=[0.0, 0.25, 0.0])
    assert not run.events
    assert run.x[-1] == pytest.approx(run.x[0], abs=1e-12)


def test_looks_mean_what_their_source_says():
    """Boxes that fly through each other on random ways: step, pair, depth and times, as Python and as machine code."""
    model, rng = boxes([(1.0, 0.4), (0.3, 0.3), (0.6, 1.1)], floor=False), np.random.default_rng(7)
    driven, found = right_side(model.equations(), None)[0].driven, set[int]()
    for _ in range(6):
        t, x = np.array([0.0, 0.4, 1.0]), rng.uniform(-2.0, 2.0, (3, 9))
        dx, bend = rng.uniform(-3.0, 3.0, (3, 9)), rng.uniform(-0.1, 0.1, (2, 9))
        scene = Scene(driven, told_of(model.contacts), np.zeros(1 + 9 + 9))
        scene.allow(1e-6)
        samples = lay_out(penetration_search.Samples, rows=3, states=9, t=t, x=x, dx=dx, bend=bend, ends=dx[1:],
                          between=1)  # fmt: skip
        seen = []
        for call in (interpret, invoke):
            memory, ways = copied(scene.memory), np.tile([1.0, 0.0, 0.0], (len(scene.pairs), 1))
            memory.directions = ways
            step = call(penetration_search.passed, memory, samples)
            found.add(step)
            seen.append((step, memory.who, memory.depth, memory.before, memory.after, bytes(memory.gaps)))
            seen[-1] += (ways.tobytes(),)
        assert seen[0] == seen[1]
    assert found - {-1}

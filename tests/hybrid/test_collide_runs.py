"""Runs with collisions: the same events as with every pair listed, laws kept, and pairs that come near when they do."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import latchwork as lw

LAWS = {"friction": 0.4, "restitution": 0.3}


def in_plane(listed, seed=0, count=12, boxes=True):
    """Disks and boxes that fall into a trough; every pair listed, or none."""
    rng = np.random.default_rng(seed)
    model = lw.Model("trough")
    N, O = model.frame, model.origin
    shapes, q = {}, {}
    for k in range(count):
        link = model.planar(f"d{k}", q=[f"x{k}", f"y{k}", f"a{k}"])
        body = model.body(f"b{k}", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.006))
        shapes[f"b{k}"] = body.box((0.17, 0.15)) if boxes and k % 3 == 0 else body.circle(0.1)
        up, along = divmod(k, 4)
        q |= {f"x{k}": 0.3 * (along - 1.5) + 0.03 * rng.uniform(-1, 1), f"y{k}": 0.2 + 0.3 * up, f"a{k}": 0.3 * k}
    walls = {"floor": lw.Line(O, N.x, N.y), "left": lw.Line(O.at("L", -0.7 * N.x), N.y, N.x),
             "right": lw.Line(O.at("R", 0.7 * N.x), N.y, -N.x)}  # fmt: skip
    model.gravity(-9.81 * N.y)
    return _described(model, shapes, walls, listed), q


def in_space(listed, seed=0, count=8):
    """Balls, capsules and a box that fly into each other without gravity."""
    rng = np.random.default_rng(seed)
    model = lw.Model("swarm")
    shapes, q, u = {}, {}, {}
    for k in range(count):
        link = model.free(f"d{k}")
        body = model.body(f"b{k}", link, link.origin, 1.0, lw.inertia(link.frame, 0.01, 0.01, 0.01))
        z = link.frame.z
        if k % 4 == 3:
            shapes[f"b{k}"] = body.capsule(link.origin.at(f"p{k}", -0.1 * z), link.origin.at(f"q{k}", 0.1 * z), 0.05)
        else:
            shapes[f"b{k}"] = body.sphere(0.1)
        place = rng.normal(size=3)
        place /= np.linalg.norm(place)
        q |= {f"q_d{k}_p{axis}": float(0.9 * (1 + 0.2 * k) * x) for axis, x in zip("xyz", place, strict=True)}
        u |= {f"u_d{k}_v{axis}": float(-2.0 * x) for axis, x in zip("xyz", place, strict=True)}
    return _described(model, shapes, {}, listed), q, u


def _described(model, shapes, walls, listed):
    if not listed:
        model.collide(shapes, walls, **LAWS)
        return model
    every = shapes | walls
    for a, b in combinations(every, 2):
        if not (a in walls and b in walls):
            model.contact(f"{a} on {b}", every[a], every[b], **LAWS)
    return model


def told(run):
    return [(event.name, event.kind, event.before, event.after) for event in run.events]


# --- as if all were listed --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(1))
def test_events_in_the_plane_are_those_of_listed_pairs(seed):
    """The same events at the same times, of a third of the contacts; energy is audited, and nothing penetrates."""
    runs = []
    for listed in (True, False):
        model, q = in_plane(listed, seed)
        runs.append(lw.simulate(model, 0.28, q=q))
    listed, run = runs
    assert told(run) == told(listed)
    assert len(run.events) > 10
    np.testing.assert_allclose([e.t for e in run.events], [e.t for e in listed.events], rtol=0, atol=1e-9)
    assert len(run.contacts) < 0.6 * len(listed.contacts)
    assert run.audit.energy_error < 1e-6 * run.energy[0]
    assert run.audit.least_gap > -1e-9


@pytest.mark.parametrize("seed", range(2))
def test_events_in_space_are_those_of_listed_pairs(seed):
    """The same of balls and capsules in space; momentum is kept."""
    runs = []
    for listed in (True, False):
        model, q, u = in_space(listed, seed)
        runs.append(lw.simulate(model, 0.7, q=q, u=u))
    listed, run = runs
    assert told(run) == told(listed)
    assert len(run.events) > 2
    np.testing.assert_allclose([e.t for e in run.events], [e.t for e in listed.events], rtol=0, atol=1e-9)
    for axis in "xyz":
        momentum = sum(run[f"u_d{k}_v{axis}"] for k in range(8))
        assert np.ptp(momentum) < 1e-9


def test_time_steps_have_the_same_bits():
    """Steps with the pairs that are near go as with all of them; others come as the pile settles. (Disks: where a gap
    is a longer sum, its terms stand in the order in which the model was written, and pairs are written late.)"""
    ends = []
    for listed in (True, False):
        model, q = in_plane(listed, 1, boxes=False)
        run = lw.simulate(model, 0.8, q=q, thick=lw.TimeStepping(2e-3, always=True))
        ends.append((run.t, run.q, run.u))
    assert len(run.contacts) < len(model.collisions[0].colliders) ** 2 / 2 - 30
    for one, other in zip(*ends, strict=True):
        assert_array_equal(one, other)


def test_few_pairs_have_the_same_bits():
    """Where there are few pairs all are watched from the start, and a run is that of listed ones to the last bit."""
    runs = [lw.simulate(in_plane(listed, 2, 4)[0], 0.3, q=in_plane(listed, 2, 4)[1]) for listed in (True, False)]
    assert_array_equal(runs[0].q, runs[1].q)
    assert told(runs[0]) == told(runs[1])
    assert len(runs[0].events) > 3


# --- what comes near in a run -----------------------------------------------------------------------------------------


def row_of_posts(count=40):
    """A ball that flies past posts, and hits the last."""
    model = lw.Model("posts")
    link = model.planar("ball", q=["x", "y", "a"], u=["vx", "vy", "w"])
    ball = model.body("ball", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.001))
    ball.circle(0.05)
    N, O = model.frame, model.origin
    posts = {f"post{k}": lw.Circle(O.at(f"P{k}", (1.0 + k) * N.x + (0.0 if k == count - 1 else 0.16) * N.y), 0.1)
             for k in range(count)}  # fmt: skip
    model.collide(ball, posts, restitution=1.0)
    return model


def test_a_fast_ball_misses_nothing():
    """At 100 m/s past 39 posts onto the last: one impact, at the instant of the closed form; posts passed came near."""
    model = row_of_posts()
    sim = lw.Simulation(model, u={"vx": 100.0})
    assert len(sim.state.contacts.members) < 4
    sim.advance(0.5)
    (hit,) = [event for event in sim.events if event.kind == "impact"]
    assert hit.name == "ball on post39"
    assert hit.t == pytest.approx((40.0 - 0.15) / 100.0, abs=1e-12)
    assert sim.u["vx"] == pytest.approx(-100.0, abs=1e-9)
    assert len(sim.state.contacts.members) == 40


def test_ticks_meet_what_steps_do():
    """Ticked, the ball hits the same post."""
    sim = lw.Simulation(row_of_posts(30), u={"vx": 20.0})
    events = [event for _ in range(1600) for event in sim.tick(1e-3)]
    assert [event.name for event in events if event.kind == "impact"] == ["ball on post29"]


def test_a_run_goes_on_in_another_simulation():
    """Pairs that came near are named in a checkpoint: another simulation, in which none is yet, reads it."""
    one, other = (lw.Simulation(row_of_posts(), u={"vx": 100.0}) for _ in range(2))
    one.advance(0.2)
    kept = pickle.loads(pickle.dumps(one.state))
    other.state = kept
    for sim in (one, other):
        sim.advance(0.45)
    assert_array_equal(one.x, other.x)
    assert one.state == other.state


def test_a_run_taken_back_goes_the_same_way():
    sim = lw.Simulation(row_of_posts(), u={"vx": 100.0})
    sim.advance(0.1)
    kept, ends = sim.state, []
    for _ in range(2):
        sim.state = kept
        sim.advance(0.45)
        ends.append(sim.x)
    assert_array_equal(*ends)


def test_a_pair_taken_away_stays_away():
    """A pair by its name, near or far: what is removed is passed."""
    sim = lw.Simulation(row_of_posts(), u={"vx": 100.0})
    sim.remove("ball on post39")
    with pytest.raises(lw.LatchworkError, match="has no contact 'ball on post99'"):
        sim.remove("ball on post99")
    sim.advance(0.5)
    assert sim.u["vx"] == 100.0


def test_rules_name_pairs():
    """A rule that needs a pair, and one that reads its force, far away as they are."""
    model = row_of_posts(30)
    far = model.collisions[0].contact("ball", "post29")
    q = model.symbols["x"]
    model.rule("passes", 15.0 - q, without=["ball on post28"], inputs={}, stop=False, reset={"vx": 50.0})
    model.rule("pushed", 1.0 - far.force, stop=True)
    run = lw.simulate(model, 1.0, u={"vx": 100.0})
    assert [event.name for event in run.events if event.kind == "rule"] == ["passes"]
    assert run["vx"][-1] < 0.0


def test_parameters_of_the_run_count():
    """A radius that is another in the run than in the model: the impact is where the run's radius says."""
    model = lw.Model("grown")
    r = model.parameter("r", 0.05)
    link = model.planar("ball", q=["x", "y", "a"], u=["vx", "vy", "w"])
    ball = model.body("ball", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.001))
    ball.circle(r)
    N, O = model.frame, model.origin
    model.collide(ball, {f"post{k}": lw.Circle(O.at(f"P{k}", 2.0 * N.x + 2.0 * k * N.y), 0.1) for k in range(30)})
    run = lw.simulate(model, 1.2, u={"vx": 1.0}, parameters={"r": 0.9})
    assert run.events[0].name == "ball on post0"
    assert run.events[0].t == pytest.approx(1.0, abs=1e-12)


def test_overlap_at_the_start_is_refused_by_name():
    model = row_of_posts(30)
    with pytest.raises(lw.ModelError, match="'ball on post0' overlaps"):
        lw.Simulation(model, q={"x": 0.95, "y": 0.16})


def test_shapes_that_never_came_near_are_drawn():
    """Of a run, all shapes that collide are drawn, also those that nothing came near to."""
    from latchwork.view.posing import shapes_of

    run = lw.simulate(row_of_posts(), 0.01, u={"vx": 1.0})
    assert len(run.contacts) < 10
    assert len(shapes_of(run)) == 41


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_has_collisions_and_materials():
    """Written and read back: the same text, the same run."""
    model = lw.Model("file")
    N, O = model.frame, model.origin
    bodies = []
    for k in range(4):
        link = model.planar(f"d{k}", q=[f"x{k}", f"y{k}", f"a{k}"])
        bodies.append(model.body(f"b{k}", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.006)))
        bodies[-1].circle(0.1)
    floor, stone = lw.Line(O, N.x, N.y), model.particle("stone", O.at("S", 3.0 * N.x), 0.0)
    model.material("rubber", friction=lw.Coulomb(0.9, 0.7), restitution=0.4, on=bodies)
    model.material("ice", friction=0.02, on=[floor])
    model.material_pair("rubber", "ice", friction=0.1, restitution=0.2)
    model.gravity(-9.81 * N.y)
    model.collide(bodies, {"floor": floor, "stone": stone}, restitution=0.1, without=[("b0", "b1")],
                  masks={bodies[3]: (2, 3)}, neighbours=True, name="pile")  # fmt: skip
    text = lw.dump(model)
    again = lw.loads(text)
    assert lw.dump(again) == text
    q = {f"x{k}": 0.15 * k for k in range(4)} | {f"y{k}": 0.15 + 0.3 * k for k in range(4)}
    one, other = (lw.simulate(each, 0.4, q=q) for each in (model, again))
    assert_array_equal(one.q, other.q)
    assert told(one) == told(other)
    assert len(one.events) > 2


@pytest.mark.parametrize(("wrong", "match"), [
    ("{shapes: {a: {point: O}, b: {point: O}}, frction: 1}", "Did you mean 'friction'"),
    ("{shapes: {a: {point: O, material: rubbr}, b: {point: O}}}", "no material 'rubbr'. Did you mean 'rubber'"),
    ("{shapes: {a: {point: O, contype: -1}, b: {point: O}}}", "a whole number from 0"),
    ("{shapes: {a: {point: O}}}", "two shapes can touch"),
    ("{shapes: {a: {point: O}, b: {circle: {center: O, radius: 1}}}, without: [[a, c]]}", "'c', which does not"),
    ("{shapes: {a: {sphre: {center: O, radius: 1}}}}", "Did you mean 'sphere'"),
])  # fmt: skip
def test_wrong_files_are_answered_in_words(wrong, match):
    text = f"latchwork: 1\nname: wrong\nmaterials: {{rubber: {{friction: 0.9}}}}\ncollide:\n  c: {wrong}\n"
    with pytest.raises(lw.FileError, match=match):
        lw.loads(text)

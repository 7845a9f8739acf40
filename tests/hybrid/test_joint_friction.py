"""Dry friction of joints: it sticks, slides and reverses where closed forms and brute force say."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt

FINE = lw.DormandPrince(rtol=1e-12, atol=1e-14)
G = 9.81


def oscillator(static, dynamic=None, *, stiffness=50.0, mass=2.0, pulled=0.0):
    """A block on a rail, held by a spring whose other end is pulled along."""
    model = lw.Model("oscillator")
    rail = model.prismatic("rail", axis=model.frame.x, q=["x"], u=["v"])
    model.particle("block", rail.origin, mass)
    model.force(rail.origin, stiffness * (pulled * model.time - rail.q[0]) * model.frame.x)
    return model, model.friction("rubs", rail, static, dynamic)


def chain(count, static, dynamic=None, gravity=G):
    """Rods of 1 m and 1 kg, hinged to each other, each hinge with friction."""
    model = lw.Model("chain")
    N, link, tip, links = model.frame, None, model.origin, []
    for i in range(count):
        link = model.revolute(f"j{i}", link, at=tip, axis=N.z, q=[f"q{i}"], u=[f"u{i}"])
        center, tip = link.origin.at(f"C{i}", 0.5 * link.frame.x), link.origin.at(f"T{i}", link.frame.x)
        model.body(f"rod {i}", link, center, 1.0, lw.inertia(link.frame, zz=1.0 / 12.0))
        links.append(link)
    model.gravity(-gravity * N.y)
    lower = [None] * count if dynamic is None else dynamic
    given = enumerate(zip(links, static, lower, strict=True))
    found = [model.friction(f"f{i}", link, *limits) for i, (link, *limits) in given]
    return model, links, found, tip


def kinds(run):
    """What happened, in order."""
    return [event.kind for event in run.events]


# --- closed forms ---------------------------------------------------------------------------------------------------


def test_each_half_swing_loses_twice_the_friction_over_the_stiffness():
    """x = 1 − 2 n f/k at t = n π/ω, until the spring cannot move it: then it rests, at exactly zero speed."""
    model, _ = oscillator(3.0)
    run, swing = lw.simulate(model, until=6.0, q=[1.0], method=FINE), math.pi / 5.0
    assert kinds(run) == ["reversal"] * 7 + ["stick"]
    assert [event.t for event in run.events] == pytest.approx([swing * (n + 1) for n in range(8)], abs=1e-9)
    turns = [run.at(event.t)["x"] for event in run.events]
    assert turns == pytest.approx([(-1.0) ** (n + 1) * (1.0 - 0.12 * (n + 1)) for n in range(8)], abs=1e-9)
    assert (run["v"][run.t > run.events[-1].t] == 0.0).all()


def test_a_block_pulled_by_a_spring_sticks_and_slips():
    """Slip begins at k v t = static, ends after φ = 2 π − 2 atan(A ω/v), and the next begins as long after as this."""
    static, dynamic, v, stiffness, omega = 8.0, 3.0, 0.5, 50.0, 5.0
    model, _ = oscillator(static, dynamic, pulled=v)
    run = lw.simulate(model, until=4.0, method=FINE)
    A = (static - dynamic) / stiffness
    begins, phi = static / stiffness / v, 2.0 * math.pi - 2.0 * math.atan(A * omega / v)
    left = dynamic / stiffness + A * math.cos(phi) + v / omega * math.sin(phi)
    times = [begins, begins + phi / omega]
    period = phi / omega + (static / stiffness - left) / v
    assert kinds(run) == ["slide", "stick"] * 3
    assert [event.t for event in run.events] == pytest.approx([t + n * period for n in range(3) for t in times],
                                                              abs=1e-9)  # fmt: skip


def test_a_block_on_a_belt_is_the_same_from_the_belt():
    """Friction of a relative speed, dt(x) − v: the block of the test before, seen by who stands on the belt."""
    model = lw.Model("belt")
    rail = model.prismatic("rail", axis=model.frame.x, q=["x"], u=["v"])
    model.particle("block", rail.origin, 2.0)
    model.force(rail.origin, -50.0 * rail.q[0] * model.frame.x)
    model.friction("belt", dt(rail.q[0]) - 0.5, 8.0, 3.0)
    run = lw.simulate(model, until=4.0, u=[0.5], method=FINE)
    pulled, _ = oscillator(8.0, 3.0, pulled=-0.5)
    seen = lw.simulate(pulled, until=4.0, method=FINE)
    assert kinds(run) == kinds(seen)
    assert [event.t for event in run.events] == pytest.approx([event.t for event in seen.events], abs=1e-9)
    sticks = [mode.names == ("belt: stick",) for mode in run.modes]
    assert sticks[0]
    assert run.at(0.2)["v"] == 0.5


def test_a_pendulum_with_a_frictional_hinge():
    """Each half swing, m g l (cos θ' − cos θ) = −f (θ + θ'); it stops where m g l |sin θ| ≤ f."""
    model, _, (friction,), _ = chain(1, [0.4])
    run = lw.simulate(model, until=20.0, q=[-math.pi / 2 + 1.2], method=FINE)
    weight, angles, now = 0.5 * G, [1.2], 1.2
    while weight * math.sin(now) > 0.4:
        low, high = -now, now  # the turn on the other side, by bisection
        for _ in range(200):
            middle = 0.5 * (low + high)
            gained = weight * (math.cos(middle) - math.cos(now)) - 0.4 * (now + middle)
            low, high = (middle, high) if gained > 0.0 else (low, middle)
        now = 0.5 * (low + high)
        angles.append(now)
    turns = [abs(run.at(event.t)["q0"] + math.pi / 2) for event in run.events]
    assert kinds(run) == ["reversal"] * (len(turns) - 1) + ["stick"]
    assert turns == pytest.approx([abs(angle) for angle in angles[1:]], abs=1e-9)
    assert run["u0"][-1] == 0.0
    assert run[friction.force][-1] == pytest.approx(weight * math.sin(run["q0"][-1] + math.pi / 2), abs=1e-9)


def test_an_arm_on_its_brakes():
    """Two joints hold until the load of the first one exceeds its brake; then it turns about its base alone."""
    model, links, frictions, _ = chain(2, [25.0, 6.0], [20.0, 6.0])
    model.torque(links[0].frame, -8.0 * model.time * model.frame.z)
    run = lw.simulate(model, until=0.7, method=FINE)
    begins = (25.0 - 2.0 * G) / 8.0
    assert kinds(run) == ["slide"]
    assert run.events[0].t == pytest.approx(begins, abs=1e-9)
    alone = (5.0 - 0.0) / (8.0 / 3.0)  # static less dynamic over the inertia of both rods about the base
    later = run.at(run.events[0].t + 1e-6)
    assert later["u0"] == pytest.approx(-alone * 1e-6, rel=1e-5)
    assert (run["u1"] == 0.0).all()
    torques = run.reactions(at=None)
    assert torques["f0"].torque[0] == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-9)
    assert torques["f1"].torque[0] == pytest.approx([0.0, 0.0, 0.5 * G], abs=1e-9)
    assert run[frictions[0].force][0] == pytest.approx(2.0 * G, abs=1e-9)


# --- several at once ------------------------------------------------------------------------------------------------


def sticks_and_slides(M, f, limits):
    """The one combination of sticking and beginning to slide that obeys the laws, by trying all."""
    count, found = len(limits), []
    for how in itertools.product((-1, 0, 1), repeat=count):
        stuck = [i for i in range(count) if how[i] == 0]
        moving = [i for i in range(count) if how[i] != 0]
        lam, a = -np.array(how) * limits, np.zeros(count)
        a[moving] = np.linalg.solve(M[np.ix_(moving, moving)], (f + lam)[moving])
        lam[stuck] = (M @ a - f)[stuck]
        if (np.abs(lam[stuck]) <= limits[stuck]).all() and (a[moving] * np.array(how)[moving] > 0.0).all():
            found.append((how, a))
    ((how, a),) = found
    return how, a


@pytest.mark.parametrize("seed", range(12))
def test_joints_that_begin_to_slide_together(seed):
    """From rest, which of three joints stick and which slide, and how fast: as brute force says, which is unique."""
    rng = np.random.default_rng(seed)
    limits = 10.0 ** rng.uniform(-1.0, 1.3, 3)
    model, _, frictions, _ = chain(3, limits)
    q, eq = rng.uniform(-2.0, 2.0, 3), model.equations()
    how, a = sticks_and_slides(eq.evaluate(eq.M, q, np.zeros(3)), eq.evaluate(eq.f, q, np.zeros(3)).ravel(), limits)
    run = lw.simulate(model, until=1e-4, q=q)
    assert run.modes[0].names == tuple(f"f{i}: {'slide' if side else 'stick'}" for i, side in enumerate(how))
    assert [run[f"u{i}"][-1] for i in range(3)] == pytest.approx(a * 1e-4, rel=1e-3, abs=1e-9)
    for i, friction in enumerate(frictions):
        assert how[i] == 0 or run[friction.force][0] == -how[i] * limits[i]


def test_gears_share_what_their_shafts_hold():
    """Two frictional shafts, geared 1 to 2: a torque is held up to f_a + f_b/2, however they share it."""
    model = lw.Model("gears")
    a, b = (model.revolute(name, axis=model.frame.z, q=[f"q{name}"], u=[f"u{name}"]) for name in "ab")
    for link, inertia in ((a, 1.0), (b, 2.0)):
        model.body(f"wheel {link.name}", link, link.origin, 1.0, lw.inertia(link.frame, zz=inertia))
    model.gear("gear", a, b, -2.0)
    torque = model.input("T")
    model.torque(a.frame, torque * model.frame.z)
    model.friction("fa", a, 3.0, 1.0)
    model.friction("fb", b, 4.0, 2.0)
    held = lw.simulate(model, until=1.0, inputs={torque: 4.999999})
    slips = lw.simulate(model, until=1.0, inputs={torque: 5.000001})
    assert held["ua"][-1] == 0.0
    assert slips["ua"][-1] == pytest.approx((5.000001 - 2.0) / 1.5, rel=1e-9)


def test_friction_that_is_made_smooth_gives_nearly_the_same():
    """−f tanh(u/ε) differs from dry friction by the order of ε."""
    model, _, _, _ = chain(2, [0.3, 0.2])
    run = lw.simulate(model, until=2.0, q=[0.4, 0.5])
    smooth, links, _, _ = chain(2, [0.0, 0.0])
    for link, f in zip(links, (0.3, 0.2), strict=True):
        smooth.torque(link.frame, -f * lw.tanh(link.u[0] / 1e-4) * smooth.frame.z, reaction=link.inboard)
    near = lw.simulate(smooth, until=2.0, q=[0.4, 0.5])
    assert [run["q0"][-1], run["q1"][-1]] == pytest.approx([near["q0"][-1], near["q1"][-1]], abs=2e-4)


# --- with contacts, stops and impacts -------------------------------------------------------------------------------


def test_an_arm_falls_on_the_floor_and_comes_to_rest():
    """Impacts take no impulse from friction, which is bounded; all speeds end at exactly zero."""
    model, links, frictions, tip = chain(2, [0.6, 0.4], [0.5, 0.4])
    floor = lw.Plane(model.origin.at("F", -0.8 * model.frame.y), model.frame.y)
    model.contact("floor", lw.Sphere(tip, 0.05, body=links[-1]), floor, friction=0.4, restitution=0.4)
    run = lw.simulate(model, until=4.0)
    assert {"impact", "reversal", "stick"} <= set(kinds(run))
    assert all(set(event.impulses) <= {"floor"} for event in run.events)
    assert run.modes[-1].names == ("f0: stick", "f1: stick", "floor: stick")
    assert (run["u0"][-1], run["u1"][-1]) == (0.0, 0.0)
    for friction, limit in zip(frictions, (0.6, 0.4), strict=True):
        force = run[friction.force]
        assert np.abs(force).max() <= limit * (1.0 + 1e-9)
        assert (force * np.ravel(run[friction.features[0].rate])).max() <= 1e-12


def test_a_blow_breaks_what_sticks_loose():
    """A block held by friction is struck by another with e = 1: it leaves with the other's speed, and stops after
    m v²/2f."""
    model = lw.Model("struck")
    N = model.frame
    a, b = (model.prismatic(name, axis=N.x, q=[f"x{name}"], u=[f"v{name}"]) for name in "ab")
    for link in (a, b):
        model.particle(f"block {link.name}", link.origin, 1.0)
    model.contact("strikes", lw.Sphere(a.origin, 0.1, body=N), lw.Sphere(b.origin, 0.1, body=N), restitution=1.0)
    model.friction("rubs", b, 5.0, 4.0)
    run = lw.simulate(model, until=3.0, q=[0.0, 1.2], u=[2.0, 0.0])
    assert kinds(run) == ["impact", "slide", "stick"]
    assert set(run.events[0].impulses) == {"strikes"}
    assert run["xb"][-1] == pytest.approx(1.2 + 4.0 / 8.0, abs=1e-9)
    assert run["vb"][-1] == 0.0


def test_a_stop_carries_what_friction_need_not():
    """A joint that rests on its stop, and sticks: friction carries next to nothing, and nothing happens any more."""
    model, links, (friction,), _ = chain(1, [0.2])
    model.limit("stop", links[0], (-0.5, None))
    run = lw.simulate(model, until=3.0)
    assert run.modes[-1].names == ("f0: stick", "stop: low: slide")
    assert run.reactions()["stop: low"].torque[-1][2] + run[friction.force][-1] == pytest.approx(
        0.5 * G * math.cos(0.5), abs=1e-9)  # fmt: skip
    assert abs(run[friction.force][-1]) < 0.2


def test_a_joint_that_a_constraint_holds_rubs_on_nothing():
    """Where nothing can move, friction does nothing."""
    model, links, (friction,), _ = chain(1, [0.2])
    model.constraint("held", links[0].q[0])
    run = lw.simulate(model, until=0.5)
    assert not run.events
    assert run[friction.force][-1] == 0.0


def test_a_ball_joint_rubs_about_each_axis():
    """Each speed is resisted alike; all three end at zero."""
    model = lw.Model("ball")
    ball = model.ball("B")
    center = ball.origin.at("C", 0.3 * ball.frame.x)
    model.body("body", ball, center, 1.0, lw.inertia(ball.frame, xx=0.1, yy=0.2, zz=0.3))
    model.gravity(-G * model.frame.z)
    friction = model.friction("rubs", ball, 0.4)
    run = lw.simulate(model, until=6.0)
    assert [feature.name for feature in friction.features] == ["rubs: rx", "rubs: ry", "rubs: rz"]
    assert [run[u][-1] for u in ball.u] == [0.0, 0.0, 0.0]


# --- limits that change, methods, states ----------------------------------------------------------------------------


def brake(limit):
    """A wheel that a torque of 1 turns, with a brake."""
    model = lw.Model("wheel")
    axle = model.revolute("axle", axis=model.frame.z, q=["q"], u=["u"])
    model.body("wheel", axle, axle.origin, 1.0, lw.inertia(axle.frame, zz=1.0))
    model.torque(axle.frame, model.frame.z)
    model.friction("brake", axle, limit(model, axle))
    return model


def test_a_brake_that_is_let_go_slowly():
    """A limit 2 − t lets a torque of 1 go at t = 1; u = (t − 1)²/2 from then on."""
    run = lw.simulate(brake(lambda model, axle: 2.0 - model.time), until=1.9, method=FINE)
    assert [(event.kind, event.t) for event in run.events] == [("slide", pytest.approx(1.0, abs=1e-9))]
    assert run["u"][-1] == pytest.approx(0.405, abs=1e-9)


def test_a_limit_along_the_coordinate():
    """A limit 2 q, from u = 1 on: q̈ = 1 − 2 q, until it sticks where q = (1 + √3)/2."""
    run = lw.simulate(brake(lambda model, axle: 2.0 * axle.q[0]), until=4.0, u=[1.0], method=FINE)
    assert kinds(run) == ["stick"]
    assert run["q"][-1] == pytest.approx(0.5 * (1.0 + math.sqrt(3.0)), abs=1e-9)


def test_a_brake_by_an_input():
    """An input that jumps lets go at once, and one that comes back holds again."""
    model = brake(lambda model, axle: model.input("F"))
    sim = lw.Simulation(model, inputs={"F": 5.0})
    sim.advance(1.0)
    assert sim.active == ("brake: stick",)
    sim.inputs["F"] = 0.5
    sim.advance(2.0)
    assert sim.u["u"] == pytest.approx(0.5, rel=1e-9)
    sim.inputs["F"] = 6.0
    sim.advance(3.0)
    assert (sim.active, sim.u["u"]) == (("brake: stick",), 0.0)


def test_limits_out_of_bounds_in_the_run_are_refused():
    """A limit that becomes negative is refused where it does."""
    with pytest.raises(lw.ModelError, match=r"limits of friction 'brake' are -1e-09 .static. .* at t = 2"):
        lw.simulate(brake(lambda model, axle: 2.0 - model.time), until=3.0)


def test_rules_read_what_friction_exerts():
    """`friction.force` stands in conditions, and stops a run."""
    model, links, (friction,), _ = chain(1, [10.0])
    model.torque(links[0].frame, -model.time * model.frame.z)
    model.rule("loaded", 6.0 - abs(friction.force), stop=True)
    run = lw.simulate(model, until=3.0)
    assert run.t[-1] == pytest.approx(6.0 - 0.5 * G, abs=1e-9)


def test_going_on_from_a_pickled_state():
    """A state that is kept goes on with the same bits."""
    model, _, _, _ = chain(2, [0.5, 0.5])
    one, other = (lw.Simulation(model, q=[0.2, 0.0]) for _ in range(2))
    one.advance(0.7)
    kept = pickle.loads(pickle.dumps(one.state))
    one.advance(2.0)
    other.state = kept
    other.advance(2.0)
    assert (one.state.x == other.state.x).all()


def test_modes_listed_before_the_run():
    """`lw.Automaton` lists three ways for each joint, with the same events."""
    model, _, _, _ = chain(2, [0.5, 0.5])
    listed, met = (lw.simulate(model, until=2.0, q=[0.3, 0.2], design=design)
                   for design in (lw.Automaton(), lw.Embedded()))  # fmt: skip
    assert [(event.kind, event.t) for event in listed.events] == [(event.kind, event.t) for event in met.events]


def test_time_stepping_comes_to_the_same_rest():
    """Steps of 1 ms end where events do, to the order of a step, at exactly zero speed."""
    model, _ = oscillator(8.0, 3.0)
    run = lw.simulate(model, until=6.0, q=[1.0], thick=lw.TimeStepping(1e-3, always=True))
    assert run["x"][-1] == pytest.approx(-0.16, abs=1e-5)
    assert run["v"][-1] == 0.0


# --- what is refused ------------------------------------------------------------------------------------------------


def rail_and_weld():
    model = lw.Model("refused")
    rail = model.prismatic("rail", q=["x"], u=["v"])
    return model, rail, model.weld("fixed", rail)


@pytest.mark.parametrize(
    ("give", "said"),
    [
        (lambda m, rail, weld: (rail, -1.0), "static friction of 'f' is -1.0. Give the largest force"),
        (lambda m, rail, weld: (rail, "much"), "static friction of 'f' is 'much'"),
        (lambda m, rail, weld: (rail, 1.0, 2.0), "dynamic friction 2 of 'f' is above its static friction 1"),
        (lambda m, rail, weld: (rail, abs(rail.u[0])), "contains 'v'. Give a number, or an expression in coordinates"),
        (lambda m, rail, weld: (rail, 1.0 + dt(rail.u[0])), "static friction of 'f'.*contains"),
        (lambda m, rail, weld: (weld, 1.0), "'f' resists a joint that moves, or a speed; got 'fixed', which is a weld"),
        (lambda m, rail, weld: ("rail", 1.0), "'f' resists a joint that moves, or a speed; got 'rail'"),
        (lambda m, rail, weld: (dt(rail.q[0]) - m.input("r"), 1.0), "without inputs"),
        (lambda m, rail, weld: (rail, lw.zones(rail.u[0], [0.0], [1.0, 2.0])), "zones along v, which contains 'v'"),
    ],
)
def test_wrong_arguments_are_refused(give, said):
    """In words: what is wrong, the values, what to do."""
    model, rail, weld = rail_and_weld()
    with pytest.raises(lw.ModelError, match=said):
        model.friction("f", *give(model, rail, weld))

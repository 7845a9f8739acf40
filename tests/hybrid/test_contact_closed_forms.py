"""Contact, impact, stick and slip against closed forms and minimal-coordinate models integrated by SciPy."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import latchwork as lw
from campaign import rows
from latchwork import dt
from latchwork.view import gallery
from references.belt_pendulum import BeltPendulum
from references.billiard import Billiard
from references.bouncing import Bouncing
from references.clearance import PinInHole, slider
from references.coin import Coin
from references.disk_on_ramp import DiskOnRamp
from references.dry_friction import Sphere, StickSlip, incline
from references.fence import Fence
from references.planar import ContactPoint, resolve
from references.rocking_block import RockingBlock
from references.rod_impact import Rod
from references.woodpecker import Woodpecker

TIGHT = lw.DormandPrince(rtol=1e-12, atol=1e-14)


def example(name):
    """The script of the gallery, as a module."""
    return gallery.load(name).module


def times(run, *kinds):
    """When events of these kinds happened; all if none is named."""
    return [event.t for event in run.events if not kinds or event.kind in kinds]


def jumps(run):
    """Speeds just before and just after each impact."""
    last = np.searchsorted(run.t, times(run, "impact"), side="right") - 1
    return run.u[last - 1], run.u[last]


# --- Patoglu's three examples -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("free", [False, True])
def test_disk_on_a_ramp(free):
    """Four events at their closed-form times, and where it is after them; in two coordinates and in three."""
    module, disk = example("patoglu_1_disk_on_ramp"), DiskOnRamp()
    run = module.run(module.build(free))
    assert times(run) == pytest.approx([t for t, *_ in disk.states()], abs=1e-9)
    assert [event.kind for event in run.events] == ["stick", "slide", "zone", "stick"]
    assert (run["q1"][-1], run["u1"][-1]) == pytest.approx(disk.end(8.0), abs=1e-9)


def test_fence_that_arrives_in_the_run():
    """Met and left at the closed-form times, the same as one known at the start; then it flies."""
    module, fence = example("patoglu_2_fence"), Fence()
    late, early = module.run(module.build()), module.known_at_start()
    expected = [float(fence.met()[0]), float(fence.left()[0])]
    assert sorted(set(times(late))) == pytest.approx(expected, abs=1e-9)
    assert times(early) == pytest.approx(times(late), abs=1e-9)
    assert (late["q1"][-1], late["q2"][-1]) == pytest.approx(fence.center(9.6), abs=1e-9)


@pytest.mark.parametrize(
    ("q1", "law"),
    rows([(-math.pi / 16, "newton"), (-math.pi / 9, "smith")],
         product([-math.pi / 16, -math.pi / 9], ["newton", "smith"])),
)  # fmt: skip
def test_pendulum_over_a_belt(q1, law):
    """Impacts, slide, stick, slip and lift-off as in a hand-written model, by Kane's rule and by Smith's law."""
    module, model = example("patoglu_3_belt"), BeltPendulum(q1=q1, law="kane" if law == "newton" else law)
    expected = model.run(1.2)
    run = module.run(module.build(law), q1)
    assert [event.kind for event in run.events] == ["impact", "impact", "impact", "stick", "slide", "release"]
    assert times(run) == pytest.approx([event.t for event in expected[:-1]], abs=1e-9)
    stuck = 0.5 * (run.events[3].t + run.events[4].t)
    found = run.at(stuck)
    assert [found[name] for name in ("q1", "q2", "u1", "u2")] == pytest.approx(model.at(stuck, expected), abs=1e-8)


# --- one contact ------------------------------------------------------------------------------------------------------


def test_bouncing_ball():
    """Fifty impacts, the end of them all, and rest after that."""
    module, ball = example("bouncing_ball"), Bouncing()
    run = module.run(module.build())
    assert times(run, "impact")[:50] == pytest.approx(ball.times(50), abs=1e-9)
    assert times(run)[-1] == pytest.approx(ball.zeno(), abs=1e-4)
    assert abs(run["y"][run.t > ball.zeno()] - 0.1).max() < 1e-12
    assert abs(run["v"][run.t > ball.zeno()]).max() == 0.0


@pytest.mark.parametrize("e", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_restitution_is_what_was_asked_for(e):
    """The ratio of the speeds after and before the first impact."""
    module = example("bouncing_ball")
    run = lw.simulate(module.build(), 1.0, q={"y": 1.1}, parameters={"e": e}, method=TIGHT)
    before, after = jumps(run)
    assert -after[0] / before[0] == pytest.approx(e, abs=1e-9)


@pytest.mark.parametrize(("along", "impacts"), [(1.0, 2), (0.0, 70)])
def test_hops_that_lose_nothing(along, impacts):
    """With e = 1, hops of 1e-11 m end where it moves on otherwise; where they are all its motion, they go on."""
    model = lw.Model("hops")
    x, y = model.coordinates("x", "y")
    model.speeds()
    N, O = model.frame, model.origin
    P = O.at("P", x * N.x + y * N.y)
    model.particle("ball", P, 1.0)
    model.gravity(-9.81 * N.y)
    model.contact("floor", P, lw.Line(O, N.x, N.y), restitution=1.0)
    up = math.sqrt(2e-11 * 9.81)
    run = lw.simulate(model, until=70.5 * 2.0 * up / 9.81, q={"x": 0.0, "y": 0.0}, u={"u_x": along, "u_y": up})
    assert len(run.events) == impacts


@pytest.mark.parametrize("fraction", [0.999, 1.001])
def test_block_on_an_incline(fraction):
    """Just below the limit it slides by ½ a t², just above it does not move at all."""
    module = example("block_on_incline")
    run = module.run(module.build(fraction))
    assert run["x"][-1] == pytest.approx(-incline(module.BETA, fraction, 5.0), abs=1e-12)


@pytest.mark.parametrize("free", [False, True])
def test_friction_changes_from_zone_to_zone(free):
    """v² falls by 2 μ g along each zone, also where a body slides the same way through all of them, and rests then."""
    model, mu, bounds, g, v = lw.Model("zones"), (0.1, 0.4, 0.05, 0.3), (1.0, 1.5, 3.0), 10.0, 3.0
    N, O = model.frame, model.origin
    q = model.coordinates(*("xy" if free else "x"))
    place = O.at("P", q[0] * N.x + (q[1] * N.y if free else 0.0 * N.y))
    model.particle("block", place, 2.0)
    model.gravity(-g * N.y)
    floor = lw.Line(point=O, direction=N.x, normal=N.y)
    model.contact("floor", place, floor, friction=lw.Coulomb(lw.zones(q[0], bounds, mu)))
    run = lw.simulate(model, 4.0, [0.0, 0.0][: len(q)], [v, 0.0][: len(q)])
    t, expected = 0.0, []
    for width, m in zip((1.0, 0.5, 1.5), mu, strict=False):
        after = math.sqrt(v * v - 2.0 * m * g * width)
        t, v = t + (v - after) / (m * g), after
        expected.append(t)
    assert times(run, "zone") == pytest.approx(expected, abs=1e-9)
    assert times(run, "stick") == pytest.approx([t + v / (mu[-1] * g)], abs=1e-9)


def test_stick_does_not_creep():
    """A thousand seconds on the incline, and nothing has moved."""
    module = example("block_on_incline")
    run = module.run(module.build(1.001), until=1000.0)
    assert abs(run.q[:, :2] - run.q[0, :2]).max() < 1e-12


def test_stick_slip_oscillator():
    """Slip and stick by turns at closed-form times, 1e-9 of the time that has passed; the way in between."""
    module, block = example("stick_slip"), StickSlip()
    run = module.run(module.build(), periods=100)
    changes = times(run, "slide", "stick")[-200:]
    assert changes == pytest.approx(block.events(100), rel=1e-9, abs=1e-9)
    at = np.linspace(0.01, 2.9 * block.period, 40)
    assert [run.at(t)["x"] for t in at] == pytest.approx([block.x(t) for t in at], abs=1e-9)


def test_sphere_from_sliding_to_rolling():
    """At t = 2 v0 / (7 μ g), thrown aslant over a plane."""
    module, ball = example("sphere_slip"), Sphere()
    run = module.run(module.build())
    assert times(run, "stick") == pytest.approx([ball.rolls()[0]], abs=1e-9)
    assert np.hypot(run["x"][-1], run["y"][-1]) == pytest.approx(ball.x(1.0), abs=1e-9)


# --- rocking, rods, jams ----------------------------------------------------------------------------------------------


def test_rocking_block():
    """Impact times by quadrature, and Housner's ratio of angular velocities."""
    module, block = example("rocking_block"), RockingBlock()
    run = module.run(module.build())
    expected = block.impacts(4)
    assert times(run, "impact") == pytest.approx([t for t, _, _ in expected], abs=1e-9)
    before, after = jumps(run)
    assert abs(before[:, 2]) == pytest.approx([w for _, w, _ in expected], abs=1e-9)
    assert after[:, 2] / before[:, 2] == pytest.approx(np.full(4, block.ratio), abs=1e-9)


def rod(law="newton", e=0.6, mu=0.4, g=0.0):
    """A uniform rod of length 1, free in the plane; its lower end may touch the ground."""
    model = lw.Model("rod")
    m, l = model.parameters(m=1.0, l=0.5)
    N, O = model.frame, model.origin
    link = model.planar("rod", N, q=["x", "y", "turn"], u=["vx", "vy", "w"])
    model.body("rod", link, link.origin, m, lw.inertia(link.frame, zz=m * l**2 / 3))
    model.gravity(-g * N.y)
    end = link.origin.at("end", -l * link.frame.x)
    model.contact("ground", end, lw.Line(point=O, direction=N.x, normal=N.y), restitution=e, friction=mu, impact=law)
    return model


@pytest.mark.parametrize("law", ["newton", "poisson", "energetic"])
@pytest.mark.parametrize("turn", [0.5, 1.0, 1.3])
@pytest.mark.parametrize("speeds", [(0.0, -1.0, 0.0), (1.0, -1.0, 0.0), (-1.0, -1.0, 0.8)])
def test_rod_impact_with_friction(law, turn, speeds):
    """Coulomb between impulses with Newton's restitution; Routh's process with Poisson's and the energetic one."""
    start = {"x": 0.0, "y": 0.01 + 0.5 * math.sin(turn), "turn": turn}
    run = lw.simulate(rod(law), 0.05, q=start, u=speeds, method=TIGHT)
    before, after = (u[0] for u in jumps(run))
    assert after == pytest.approx(_rod_after(law, run.at(times(run, "impact")[0])["turn"], before), abs=1e-9)
    assert Rod().kinetic(after) < Rod().kinetic(before)


def _rod_after(law, turn, before):
    body = Rod()
    if law != "newton":
        return body.impact(turn, before, 0.4, 0.6, law)
    W, M = body.rows(turn), np.diag([body.m, body.m, body.J])
    v_t, v_n = W @ before
    (found, *_) = resolve(M, np.zeros(3), [ContactPoint(W[1], W[0], 1.6 * v_n, v_t, 0.4, 0.4)])
    return before + found.du


def test_painleve_rod_jams():
    """Above the critical friction no force holds a rod that is dragged: an impact without collision stops it."""
    body, turn = Rod(), 1.1
    mu = 1.2 * body.critical(turn)
    run = lw.simulate(rod(mu=mu, e=0.0, g=9.81), 0.01, q={"x": 0.0, "y": 0.5 * math.sin(turn), "turn": turn},
                      u=(-1.0, 0.0, 0.0), method=TIGHT)  # fmt: skip
    assert times(run, "impact")[0] == 0.0
    assert run.u[run.t == 0.0][-1] == pytest.approx(body.jam(turn, np.array([-1.0, 0.0, 0.0]), mu), abs=1e-9)


def test_rod_slides_below_the_critical_friction():
    """N = −b / a there, so the first acceleration is known."""
    body, turn, mu = Rod(), 1.1, 0.5
    b, a = body.sliding(turn, 0.0, mu, -1.0)
    sim = lw.Simulation(rod(mu=mu, e=0.0, g=9.81), q={"x": 0.0, "y": 0.5 * math.sin(turn), "turn": turn},
                        u=(-1.0, 0.0, 0.0), method=TIGHT)  # fmt: skip
    sim.advance(until=1e-3)
    N = -b / a
    assert sim.events == ()
    assert sim.trajectory().at(0.0)[dt(sim.equations.u[0])] == pytest.approx(mu * N / body.m, abs=1e-9)


# --- several contacts -------------------------------------------------------------------------------------------------


def test_woodpecker_toy():
    """Twenty-seven events of three pecks, of what kind and where, at the times of a hand-written model."""
    module = example("woodpecker")
    run, expected = module.run(module.build(), until=0.46), Woodpecker().run(0.46)
    kinds = {"lift": "release", "slip": "slide", "stick": "stick", "impact": "impact"}
    found = [(event.kind, event.name) for event in run.events]
    assert found == [(kinds[event.kind], event.contact) for event in expected]
    assert times(run) == pytest.approx([event.t for event in expected], abs=1e-8)


def test_billiard_break():
    """Which balls collide and when, momentum and energy kept."""
    module = example("billiard")
    run = module.run(module.build())
    expected, _, v = Billiard().run(60)
    assert [event.name for event in run.events] == [f"{hit.i} and {hit.j}" for hit in expected]
    assert times(run) == pytest.approx([hit.t for hit in expected], abs=1e-9)
    assert run.u[-1] == pytest.approx(v.ravel(), abs=1e-9)
    assert abs(run.u[:, ::2].sum(axis=1) - module.SPEED).max() < 1e-12
    assert abs(run.energy - run.energy[0]).max() < 1e-12


def test_pin_in_a_hole():
    """Chord after chord in closed form; they shorten, and the pin ends up running around along the wall."""
    model, pin = lw.Model("pin in a hole"), PinInHole()
    x, y = model.coordinates("x", "y")
    model.speeds(vx=dt(x), vy=dt(y))
    N, O = model.frame, model.origin
    P = O.at("P", x * N.x + y * N.y)
    model.particle("pin", P, 1.0)
    model.contact("hole", lw.Circle(P, 0.1, body=N), lw.Arc(O, 0.1 + pin.c, inside=True), restitution=pin.e)
    run = lw.simulate(model, 1.0, q=pin.start, u=pin.velocity, method=TIGHT)
    expected = pin.impacts(20)
    assert times(run, "impact")[:20] == pytest.approx([t for t, _, _ in expected], abs=1e-9)
    (px, py), (vx, vy) = expected[0][1:]
    assert np.linalg.norm(run.u[-1]) == pytest.approx(abs(px * vy - py * vx) / pin.c, abs=1e-9)
    assert np.linalg.norm(run.q[-1]) == pytest.approx(pin.c, abs=1e-12)


def slider_crank(play):
    """Crank, rod and slider; the crank pin has play in the hole of the rod. φ, ψ and s are free of each other."""
    model = lw.Model("slider-crank with clearance")
    a, length, pin = model.parameters(a=0.1, length=0.3, pin=0.01)
    N, O = model.frame, model.origin
    crank = model.revolute("crank", q=["phi"], u=["w"])
    model.body("crank", crank, O, 1.0, lw.inertia(crank.frame, zz=0.02))
    slider = model.prismatic("slider", axis=N.x, q=["s"], u=["v"])
    model.particle("slider", slider.origin, 0.5)
    link = model.revolute("rod", slider, q=["psi"], u=["w_rod"])
    middle = link.origin.at("middle", -length / 2 * link.frame.x)
    rod_body = model.body("rod", link, middle, 0.3, lw.inertia(link.frame, zz=0.3 * 0.3**2 / 12))
    hole = lw.Arc(link.origin.at("hole", -length * link.frame.x), pin + play, inside=True, body=rod_body)
    model.contact("pin", lw.Circle(O.at("crank pin", a * crank.frame.x), pin, body=crank.frame), hole, restitution=0.6,
                  friction=0.1)  # fmt: skip
    return model


def test_slider_crank_with_clearance():
    """The pin never leaves its hole, comes to the wall all round, and no impact adds energy."""
    play, phi = 1e-3, 0.3
    q = {"phi": phi, "s": slider(0.1, 0.3, phi), "psi": -math.asin(0.1 * math.sin(phi) / 0.3)}
    run = lw.simulate(slider_crank(play), 1.0, q=q, u={"w": 6.0})
    apart = np.linalg.norm(run["crank pin"] - run["hole"], axis=1)
    assert (apart - play).max() < 1e-9
    assert len(times(run, "impact")) > 10
    assert min(event.energy for event in run.events) > -1e-12
    assert np.diff(run.energy).max() < 1e-9
    assert apart.max() > 0.99 * play


# --- in space ---------------------------------------------------------------------------------------------------------


def test_coin_rolls_until_it_slips():
    """The tilt of a hand-written disk while it rolls, and the instant at which friction no longer suffices."""
    module, coin = example("rolling_coin"), Coin()
    slips, _ = coin.slips(1.0)
    run = lw.simulate(module.build(), slips - 1e-3, **module.start(), method=TIGHT)
    assert run.events == ()
    at = np.linspace(0.0, slips - 1e-3, 12)[1:]
    assert [math.asin(run.at(t)["z"] / module.R) for t in at] == pytest.approx([coin.tilt(t) for t in at], abs=1e-8)
    run = lw.simulate(module.build(), slips + 1e-9, **module.start(), method=TIGHT)
    assert times(run, "slide")[:1] == pytest.approx([slips], abs=1e-9)


def test_coin_falls_over():
    """After that it slides: its tilt falls to 0.2 when the hand-written disk says so."""
    module, coin = example("rolling_coin"), Coin()
    t, state, _ = coin.falls(0.2, 1.0)
    run = lw.simulate(module.build(), t, **module.start(), method=lw.DormandPrince(rtol=1e-9, atol=1e-12))
    assert math.asin(run["z"][-1] / module.R) == pytest.approx(0.2, abs=1e-6)
    assert (run["w1"][-1], run["w3"][-1]) == pytest.approx((state[3], state[5]), rel=1e-6)


def test_crate_comes_to_rest():
    """A crate dropped onto a plane in space, spinning, rocks to rest on its corners after finitely many impacts."""
    model = lw.Model("crate")
    link = model.free("crate")
    inertia = lw.inertia(link.frame, xx=0.02, yy=0.03, zz=0.04)
    crate = model.body("crate", link, link.origin, 2.0, inertia)
    model.gravity(-9.81 * model.frame.z)
    table = lw.Plane(model.origin, model.frame.z)
    model.contact("table", crate.box((0.2, 0.3, 0.1)), table, friction=0.4, restitution=0.1)
    start = {"q_crate_px": 0.0, "q_crate_py": 0.0, "q_crate_pz": 0.5}
    run = lw.simulate(model, 3.0, q=start, u={"u_crate_wx": 2.0, "u_crate_vx": 1.0, "u_crate_wy": 0.3})
    assert np.abs(run.u[-1]).max() == 0.0
    assert len(run.events) < 300


def test_friction_that_grows_from_nothing():
    """μ = k x, nothing where the block begins to slide: ẍ = −k g x, and it rests at v/√(k g)."""
    model = lw.Model("rougher")
    N, (x, y) = model.frame, model.coordinates("x", "y")
    P = model.origin.at("P", x * N.x + y * N.y)
    model.particle("block", P, 1.0)
    model.gravity(-10.0 * N.y)
    model.contact("floor", P, lw.Plane(model.origin, N.y), friction=0.5 * x)
    run = lw.simulate(model, until=2.0, q=[0.0, 0.0], u=[1.0, 0.0])
    assert [event.kind for event in run.events] == ["stick"]
    assert run.events[0].t == pytest.approx(0.5 * math.pi / math.sqrt(5.0), abs=1e-8)
    assert run["x"][-1] == pytest.approx(1.0 / math.sqrt(5.0), abs=1e-8)

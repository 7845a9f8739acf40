"""Contacts that come, are reshaped and go while a run goes on."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt

G = 9.81
TIGHT = lw.DormandPrince(rtol=1e-12, atol=1e-13)


def ball(friction=None, floor=True):
    """A disk of radius 0.1 over a floor, with points and frames for other shapes."""
    model = lw.Model("ball")
    x, y, a = model.coordinates("x", "y", "a")
    model.speeds(u=dt(x), v=dt(y), w=dt(a))
    N, O = model.frame, model.origin
    B = N.rotated("B", a, N.z)
    P = O.at("P", x * N.x + y * N.y)
    disk = model.body("disk", frame=B, center=P, mass=2.0, inertia=lw.inertia(B, zz=0.01))
    model.gravity(-G * N.y)
    if floor:
        model.contact("floor", disk.circle(0.1, P), lw.Line(O, N.x, N.y), friction=friction)
    return model, disk.circle(0.1, P)


def tilted(model, angle, name="tilted"):
    """A line through the origin that falls to the right."""
    A = model.frame.rotated(name, -angle, model.frame.z)
    return lw.Line(model.origin, A.x, A.y)


def test_reshaped_where_it_stands():
    """A floor that becomes a valley through the place of contact holds the disk on: energy says how fast."""
    model, _ = ball()
    sim = lw.Simulation(model, q=[0.0, 0.1, 0.0], u={"u": 1.0}, method=TIGHT)
    sim.advance(0.5)
    R, N = 4.0, model.frame
    C = model.origin.at("C", 0.5 * N.x + R * N.y)  # right above the disk at 0.5 s
    told = sim.reshape("floor", lw.Arc(C, R, start=-N.y - N.x, angle=math.pi / 2, inside=True))
    assert (told.kind, told.before, told.after) == ("reshape", ("floor: slide",), ("floor: arc: slide",))
    sim.advance(1.0)
    theta = sim.run.at(1.0)["atan2(x - 0.5, 4 - y)"]
    rate = math.sqrt(2 * (0.5 + G * (3.9 * math.cos(theta) - 3.9)))  # energy
    assert math.hypot(sim.u["u"], sim.u["v"]) == pytest.approx(rate, rel=1e-10)
    assert math.hypot(sim.q["x"] - 0.5, sim.q["y"] - 4.0) == pytest.approx(3.9, rel=1e-12)


def test_a_smooth_joint_is_no_impact_where_motion_is_along_an_axis():
    """From a level floor onto an arc that touches it: nothing approaches but rounding, and energy says how fast."""
    model, disk = ball(floor=False)
    N, O = model.frame, model.origin
    E, C = O.at("E", 0.3 * N.x), O.at("C", 0.3 * N.x + 0.7 * N.y)
    floor = lw.Segment(O.at("S", -1.0 * N.x), E, normal=N.y)
    bend = lw.Arc(C, 0.7, start=-N.y, angle=1.0, inside=True)
    model.contact("way", disk, lw.Boundary([floor, bend]))
    run = lw.simulate(model, 0.6, q=[0.0, 0.1, 0.0], u=[1.0, 0.0, 0.0], method=TIGHT)
    assert [event.kind for event in run.events] == ["release", "slide"]
    assert [event.t for event in run.events] == pytest.approx([0.3, 0.3], abs=1e-12)
    assert math.hypot(run["x"][-1] - 0.3, run["y"][-1] - 0.7) == pytest.approx(0.6, abs=1e-12)
    assert run["u**2 + v**2"][-1] == pytest.approx(1.0 - 2.0 * G * (run["y"][-1] - 0.1), abs=1e-11)


def test_reshaped_with_another_normal_is_an_impact():
    """The velocity into the new shape is lost at once; what runs along it stays. A shape that cuts in is refused."""
    model, _ = ball()
    slope = tilted(model, 0.3)
    sim = lw.Simulation(model, q=[0.0, 0.1, 0.0], u={"u": 1.0}, method=TIGHT)
    sim.advance(0.2)
    C = model.origin.at("foot", 0.2 * model.frame.x)  # a slope through the lowest point cuts the disk
    with pytest.raises(lw.ModelError, match=r"'floor' overlaps at t = 0\.2"):
        sim.reshape("floor", lw.Line(C, slope.direction, slope.normal))
    assert sim.active == ("floor: slide",)
    P = C.at("up", 0.1 * model.frame.y)
    sim.reshape("floor", lw.Line(P.at("edge", -0.1 * slope.normal), slope.direction, slope.normal))
    assert (sim.active, sim.u["u"]) == ((), 1.0)  # it falls away under the disk
    rising = tilted(model, -0.3, "rising")
    sim.reshape("floor", lw.Line(P.at("edge 2", -0.1 * rising.normal), rising.direction, rising.normal))
    kinds = [event.kind for event in sim.events]
    assert kinds == ["reshape", "impact", "reshape"]
    assert (sim.u["u"], sim.u["v"]) == pytest.approx((math.cos(0.3) ** 2, math.cos(0.3) * math.sin(0.3)), rel=1e-12)


def test_reshaped_away_opens():
    """A floor that sinks leaves the disk in the air; it falls, and lands on the new one."""
    model, _ = ball()
    sim = lw.Simulation(model, q=[0.0, 0.1, 0.0], method=TIGHT)
    sim.advance(0.3)
    low = model.origin.at("low", -0.5 * model.frame.y)
    told = sim.reshape("floor", lw.Line(low, model.frame.x, model.frame.y))
    assert told.after == ()
    sim.advance(1.0)
    assert sim.events[-1].t == pytest.approx(0.3 + math.sqrt(2 * 0.5 / G), abs=1e-10)
    assert sim.q["y"] == pytest.approx(-0.4, abs=1e-12)


def test_a_curve_is_reshaped_while_the_disk_is_on_it():
    """A tracked curve replaced by an equal one changes nothing; it stays on a steeper one."""
    def ran(change):
        model, disk = ball(floor=False)
        N, O = model.frame, model.origin

        def valley(k):
            return lw.Curve(O, lambda s: s * N.x + (k * s**2) * N.y, (-2.0, 2.0))

        sim = lw.Simulation(model, q=[0.0, 1.0, 0.0], method=TIGHT)
        sim.contact("valley", disk, valley(0.2))
        sim.advance(1.0)
        assert sim.active == ("valley: slide",)
        if change is not None:
            sim.reshape("valley", valley(change))
        sim.advance(1.5)
        return sim

    same, again, other = ran(None), ran(0.2), ran(0.4)
    assert again.q["y"] == pytest.approx(same.q["y"], abs=1e-11)
    assert other.active == ("valley: slide",)
    assert again.run.audit.energy_error < 1e-9


def test_removed_contact_lets_go():
    """A disk whose floor is taken away falls freely; the name can be used again, also for a curve."""
    model, disk = ball()
    N, O = model.frame, model.origin
    sim = lw.Simulation(model, q=[0.0, 0.1, 0.0], method=TIGHT)
    sim.advance(0.25)
    told = sim.remove("floor")
    assert (told.kind, told.before, told.after) == ("remove", ("floor: slide",), ())
    sim.advance(0.5)
    assert sim.q["y"] == pytest.approx(0.1 - 0.5 * G * 0.25**2, rel=1e-11)
    for depth in (2.0, 3.0):
        sim.contact("floor", disk, lw.Curve(O, lambda s, d=depth: s * N.x + (0.1 * s**2 - d) * N.y, (-2.0, 2.0)))
        sim.advance(sim.t + 0.05)
        sim.remove("floor")
    sim.advance(1.0)
    assert sim.q["y"] == pytest.approx(0.1 - 0.5 * G * 0.75**2, rel=1e-10)
    assert sim.active == ()


def test_open_contact_replaced_by_an_open_one():
    """Guards are those of the new shape, though as many contacts are open as before."""
    model, _ = ball()
    sim = lw.Simulation(model, q=[0.0, 1.1, 0.0], method=TIGHT)
    sim.advance(0.1)
    step = model.origin.at("step", 0.2 * model.frame.y)
    sim.reshape("floor", lw.Line(step, model.frame.x, model.frame.y))
    sim.advance(1.0)
    assert sim.events[-1].t == pytest.approx(math.sqrt(2 * 0.8 / G), abs=1e-10)


def test_zones_keep_their_place():
    """Friction by zone goes on where it was when the floor is reshaped; after removal it is looked for again."""
    model, disk = ball(floor=False)
    N, O = model.frame, model.origin
    friction = lw.Coulomb(lw.zones(model.symbols["x"], [1.0], [0.3, 0.0]))
    line = lw.Line(O, N.x, N.y)
    sim = lw.Simulation(model, q=[0.0, 0.1, 0.0], u={"u": 3.0}, method=TIGHT)
    sim.contact("floor", disk, line, friction=friction)
    sim.advance(0.1)
    sim.reshape("floor", line)
    sim.advance(0.2)
    sim.remove("floor")
    sim.contact("floor", disk, lw.Line(O.at("deep", -2.0 * N.y), N.x, N.y), friction=friction)
    sim.advance(2.0)
    model, disk = ball(floor=False)
    other = lw.Simulation(model, q=[0.0, 0.1, 0.0], u={"u": 3.0}, method=TIGHT)
    other.contact("floor", disk, lw.Line(model.origin, model.frame.x, model.frame.y), friction=0.3)
    other.advance(0.2)
    assert sim.run.at(0.2)["u"] == pytest.approx(other.u["u"], rel=1e-11)
    assert sim.u["u"] == pytest.approx(other.u["u"], rel=1e-11)  # it lands where there is no friction


@pytest.mark.parametrize("change", ["reshape", "remove"])
def test_unknown_names_are_refused(change):
    """The error says which contacts there are."""
    model, _ = ball()
    sim = lw.Simulation(model, q=[0.0, 0.1, 0.0])
    with pytest.raises(lw.ModelError, match=r"no contact 'flor' now\. Did you mean 'floor'"):
        getattr(sim, change)("flor")


def test_a_refused_contact_leaves_nothing_behind():
    """A tracked contact that overlaps is refused; the run goes on as if it had not been tried."""
    model, disk = ball()
    N, O = model.frame, model.origin
    sim, plain = (lw.Simulation(model, q=[0.0, 0.5, 0.0], u={"u": 0.3}) for _ in range(2))
    for each in (sim, plain):
        each.advance(0.1)
    with pytest.raises(lw.ModelError, match="'hill' overlaps"):
        sim.contact("hill", disk, lw.Curve(O, lambda s: s * N.x + (0.48 - 0.01 * s**2) * N.y, (-2.0, 2.0)))
    for each in (sim, plain):
        each.advance(1.0)
    assert np.array_equal(sim.run.x, plain.run.x)
    assert sim.q == plain.q

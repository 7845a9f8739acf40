"""One-way clutches: they lock where the speed comes to zero, and let go where they would pull."""

from __future__ import annotations

import math

import pytest

import latchwork as lw
from latchwork import dt

FINE = lw.DormandPrince(rtol=1e-12, atol=1e-14)


def two_wheels():
    """Wheels of 1 and 2 kg m² on one axis."""
    model = lw.Model("wheels")
    a, b = (model.revolute(name, axis=model.frame.z, q=[f"q{name}"], u=[f"u{name}"]) for name in "ab")
    for link, inertia in ((a, 1.0), (b, 2.0)):
        model.body(f"wheel {link.name}", link, link.origin, 1.0, lw.inertia(link.frame, zz=inertia))
    return model, a, b


def test_a_ratchet_holds_what_would_turn_back():
    """Driven backwards from u = 2 by a torque of 1, it locks at t = 2, and carries the torque."""
    model, a, _ = two_wheels()
    model.torque(a.frame, -model.frame.z)
    ratchet = model.one_way("ratchet", a)
    run = lw.simulate(model, until=4.0, u=[2.0, 0.0], method=FINE)
    assert [(event.kind, event.t) for event in run.events] == [("slide", pytest.approx(2.0, abs=1e-9))]
    assert (run["ua"][run.t > 2.0] == 0.0).all()
    assert run[ratchet.force][-1] == pytest.approx(1.0, rel=1e-12)
    assert run.reactions()["ratchet"].torque[-1] == pytest.approx([0.0, 0.0, 1.0])


def test_an_overrunning_clutch():
    """A driver with 3 cos t catches up where 3 sin t = 1, drives both until π/2, and falls back."""
    model, a, b = two_wheels()
    model.torque(a.frame, 3.0 * lw.cos(model.time) * model.frame.z)
    clutch = model.one_way("clutch", dt(b.q[0]) - dt(a.q[0]))
    run = lw.simulate(model, until=6.0, u=[0.0, 1.0], method=FINE)
    catches, lets_go = math.asin(1.0 / 3.0), 0.5 * math.pi
    assert [event.kind for event in run.events] == ["slide", "release"]
    assert [event.t for event in run.events] == pytest.approx([catches, lets_go], abs=1e-9)
    assert run["ub"][-1] == pytest.approx(1.0 + 2.0 / 3.0, abs=1e-9)
    locked = run.at(1.0)
    assert locked[clutch.force] == pytest.approx(2.0 * math.cos(1.0), rel=1e-9)  # what drives b alone
    assert (run["ub"] - run["ua"]).min() >= -1e-12


def test_a_blow_against_a_ratchet():
    """A slider on a ratchet meets a wall with e = 1: it cannot come back, and all its energy is lost."""
    model = lw.Model("blow")
    rail = model.prismatic("rail", axis=model.frame.x, q=["x"], u=["v"])
    model.particle("P", rail.origin, 2.0)
    model.limit("wall", rail, (None, 1.0), restitution=1.0)
    model.one_way("ratchet", rail)
    run = lw.simulate(model, until=2.0, u=[3.0])
    (impact,) = run.events
    assert (impact.kind, impact.t, impact.energy) == ("impact", pytest.approx(1.0 / 3.0), pytest.approx(9.0))
    assert run["v"][-1] == 0.0


@pytest.mark.parametrize("at_once", [None, False, True])
def test_a_ratchet_that_is_locked_takes_part_in_impacts(at_once):
    """A ball strikes a block that leans on its ratchet: the same happens as where it leans on a stop, impulse for
    impulse; at once, it is thrown back as from a wall."""
    runs = []
    for what in ("ratchet", "stop"):
        model = lw.Model("struck")
        N = model.frame
        a, b = (model.prismatic(name, axis=N.x, q=[f"x{name}"], u=[f"v{name}"]) for name in "ab")
        for link in (a, b):
            model.particle(f"ball {link.name}", link.origin, 1.0)
        model.contact("strikes", lw.Sphere(a.origin, 0.1, body=N), lw.Sphere(b.origin, 0.1, body=N), restitution=0.5)
        model.force(a.origin, -1.0 * N.x)
        _ = model.one_way("leans", a) if what == "ratchet" else model.limit("leans", a, (0.0, None))
        runs.append(lw.simulate(model, until=1.0, q=[0.0, 1.2], u=[0.0, -2.0], at_once=at_once))
    by_ratchet, by_stop = (next(event for event in run.events if event.kind == "impact") for run in runs)
    assert by_ratchet.t == pytest.approx(0.5)
    assert [float(part[0]) for part in by_ratchet.impulses.values()] == pytest.approx(
        [float(part[0]) for part in by_stop.impulses.values()], rel=1e-9)  # fmt: skip
    assert runs[0]["vb"][-1] == pytest.approx(runs[1]["vb"][-1], abs=1e-9)
    assert at_once is not True or by_ratchet.impulses["strikes"] == pytest.approx([3.0])


def test_time_stepping_locks_and_lets_go():
    """Steps of 1 ms end as events do, to the order of a step; the clutch never runs back."""
    model, a, b = two_wheels()
    model.torque(a.frame, 3.0 * lw.cos(model.time) * model.frame.z)
    model.one_way("clutch", dt(b.q[0]) - dt(a.q[0]))
    run = lw.simulate(model, until=4.0, u=[0.0, 1.0], thick=lw.TimeStepping(1e-3, always=True))
    assert run["ub"][-1] == pytest.approx(5.0 / 3.0, abs=1e-5)
    assert (run["ub"] - run["ua"]).min() >= -1e-9


def test_wrong_arguments_are_refused():
    """In words: what is wrong, the values, what to do."""
    model, a, _ = two_wheels()
    ball = model.ball("B", a)
    with pytest.raises(lw.ModelError, match=r"'w' lets run one way a joint with one speed.*'B' is a ball joint with 3"):
        model.one_way("w", ball)
    with pytest.raises(lw.ModelError, match=r"'w' lets run one way a joint that moves, or a speed; got 3.0"):
        model.one_way("w", 3.0)
    with pytest.raises(lw.ModelError, match=r"restitution of 'w' is -1.0"):
        model.one_way("w", a, restitution=-1.0)


def test_a_clutch_that_runs_backwards_at_the_start():
    """Its speed is told, and what to do."""
    model, a, _ = two_wheels()
    model.one_way("ratchet", a)
    with pytest.raises(lw.ModelError, match=r"'ratchet' runs backwards at t = 0: its speed is -2. Start with a speed"):
        lw.simulate(model, until=1.0, u=[-2.0, 0.0])

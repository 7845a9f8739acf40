"""Changes of mode made again from lap to lap: as often as they can be, with the same bits, whatever comes between."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest

import latchwork as lw
from contact_ways import TIGHT, disk
from latchwork.constraint.scales import Scales
from latchwork.contact.tolerances import tolerances_in
from latchwork.hybrid import going, relay
from latchwork.hybrid.contacts.contact_state import deep_in
from latchwork.hybrid.contacts.handover_kernel import depth
from latchwork.integrate import again
from latchwork.integrate.again import LapMemory
from latchwork.program.function import Function
from latchwork.program.kernel import i64p_at
from latchwork.program.native import invoke
from latchwork.program.records.view import record_at
from latchwork.view import gallery


def bouncing(friction=0.0, **more):
    """A disk that bounces on a floor, thrown to the side; and a wall that it would meet, if it was there."""
    model, shape = disk()
    N, O = model.frame, model.origin
    model.contact("floor", shape, lw.Line(O, N.x, N.y), restitution=0.9, friction=friction)
    sim = lw.Simulation(model, {"x": 0.0, "y": 0.6, "a": 0.0}, {"u": 1.0}, method=TIGHT, **more)
    return sim, (shape, lw.Line(O.at("wall", 4.6 * N.x), N.y, -N.x))


def everything(sim):
    """The path, and all that is told of the events."""
    events = [(e.t, e.kind, e.name, e.before, e.after, e.energy, {k: v.tolist() for k, v in e.impulses.items()})
              for e in sim.events]  # fmt: skip
    path = sim.run.path
    return path.t.tobytes(), path.x.tobytes(), events, [(s.t, s.before, s.after) for s in sim.switches]


def unhanded(monkeypatch, run):
    """What a run gives where nothing is handed over."""
    monkeypatch.setattr(going, "MOST", 0)
    return run()


@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_a_bounce_that_was_made_is_made_again(friction, handed, monkeypatch):
    """All but the first bounces are handed over; events, path and switches are those of a run in which none is."""
    def run():
        sim = bouncing(friction)[0]
        sim.advance(5.0)
        return sim

    sim = run()
    impacts = [e for e in sim.events if e.kind == "impact"]
    assert len(handed) >= len(impacts) - 4 > 5
    assert everything(sim) == everything(unhanded(monkeypatch, run))


@pytest.mark.parametrize("free", [False, True], ids=["held by its coordinate", "free"])
def test_stick_and_slip_by_turns(free, handed, monkeypatch):
    """Of ten periods all changes but the first are handed over, whether the coordinates hold the contact or not."""
    module = gallery.load("stick_slip").module

    def run():
        start = {"x": module.MIDDLE - module.REACH, **({"y": 0.0} if free else {})}
        sim = lw.Simulation(module.build(free), start, {"v": module.V}, method=TIGHT)
        sim.advance(10.0 * (module.STICK + module.SLIP))
        return sim

    sim = run()
    assert len(handed) >= len(sim.events) - 7 > 10
    assert everything(sim) == everything(unhanded(monkeypatch, run))


def test_to_and_fro_over_zones(handed, monkeypatch):
    """A block on a spring that crosses a bound of its friction over and over: the zone is entered anew each time."""
    def run():
        model = lw.Model("zones")
        x, y = model.coordinates("x", "y")
        model.speeds(u=lw.dt(x), v=lw.dt(y))
        N, O = model.frame, model.origin
        P = O.at("P", x * N.x + y * N.y)
        model.particle("block", P, 1.0)
        model.gravity(-9.81 * N.y)
        model.force(P, -400.0 * x * N.x)
        model.contact("floor", P, lw.Line(O, N.x, N.y), friction=lw.zones(x, [0.0], [0.05, 0.01]))
        sim = lw.Simulation(model, {"x": 0.1, "y": 0.0}, method=TIGHT)
        sim.advance(3.0)
        return sim

    sim = run()
    assert len([event for event in sim.events if event.kind == "zone"]) > 10
    assert len(handed) > 15
    assert everything(sim) == everything(unhanded(monkeypatch, run))


def test_long_laps_take_several_pages(monkeypatch):
    """A page of eight rows, then as many as the rest takes: the same bits as on large ones."""
    def run():
        sim = bouncing(0.2)[0]
        sim.advance(3.0)
        return sim

    large = run()
    monkeypatch.setattr(again, "FEWEST_ROWS", 8)
    monkeypatch.setattr(again, "MOST_ROWS", 8)
    assert everything(run()) == everything(large)


def test_what_changes_between_is_heard(handed, monkeypatch):
    """An interruption, machine code that arrives, a wall that comes and goes: handed over before and after each."""
    def run():
        calls = []

        def interrupts(t):
            calls.append(t)
            if len(calls) == 2:
                raise KeyboardInterrupt

        sim, wall = bouncing(0.2, progress=interrupts)
        with suppress(KeyboardInterrupt):
            sim.advance(2.5)
        assert sim.t < 2.5
        sim.advance(2.5)
        Function.arrivals += 1
        sim.advance(3.5)
        sim.contact("wall", *wall, restitution=0.5)
        sim.advance(5.0)
        sim.remove("wall")
        sim.advance(5.6)
        return sim

    sim = run()
    assert {np.searchsorted([2.5, 3.5, 5.0], t) for t in handed} == {0, 1, 2, 3}
    assert everything(sim) == everything(unhanded(monkeypatch, run))


def test_a_change_is_known_after_it_was_made_once(handed):
    """The first bounce leads to where a contact has just opened; a bounce from there is made once, then it is known."""
    sim = bouncing()[0]
    sim.advance(2.0)
    impacts = [event.t for event in sim.events if event.kind == "impact"]
    assert handed == impacts[2:]
    assert len(impacts) > 3


def test_more_changes_than_one_call_notes(handed, monkeypatch):
    """With room for two notes, all is as with room for many."""
    def run():
        sim = bouncing(0.2)[0]
        sim.advance(4.0)
        return sim

    large = run()
    monkeypatch.setattr(relay, "MOST", 2)
    monkeypatch.setattr(going, "MOST", 2)
    handed.clear()
    assert everything(run()) == everything(large)
    assert len(handed) > 5


def test_where_it_may_be_stepped(handed, monkeypatch):
    """As long as events are not too thick they are handed over; then it is stepped, at the same event as before."""
    def run():
        sim = bouncing(0.2, thick=lw.TimeStepping(1e-3, most=5))[0]
        sim.advance(7.0)
        return sim

    sim = run()
    assert sum(event.kind == "time stepping" for event in sim.events) == 2
    assert len(handed) > 10
    events = [(event.t, event.kind) for event in sim.events]
    again = unhanded(monkeypatch, run)
    assert events == [(event.t, event.kind) for event in again.events]
    assert sim.q == again.q


def test_a_change_where_the_run_ends(monkeypatch):
    """Advanced to each bounce in turn, nothing is run where there is no time left."""
    whole = bouncing()[0]
    whole.advance(3.0)
    bounces = [event.t for event in whole.events if event.kind == "impact"]

    def run():
        sim = bouncing()[0]
        for t in bounces:
            sim.advance(t)
        return sim

    sim = run()
    assert all(len(segment.solution.t) > 1 for segment in sim.run.path.segments)
    assert everything(sim) == everything(unhanded(monkeypatch, run))


def test_from_lap_to_lap_as_python_and_as_machine_code(handed, monkeypatch):
    """The kernel that goes from lap to lap means what its source says."""
    def run():
        sim = bouncing(0.2)[0]
        sim.advance(1.5)
        return sim

    native = everything(run())
    handed.clear()

    def spelled_out(self, states):
        plain(self, states)
        own = self.scales, self._marks, self._numbers

        def call(at, *given):
            lap = record_at(LapMemory, i64p_at(at), 0)
            return relay.relay(lap, *given[: -len(own) - 1], *own, given[-1])

        self._call = call

    plain = relay.Relay.__init__
    monkeypatch.setattr(relay.Relay, "__init__", spelled_out)
    assert everything(run()) == native
    assert handed


def test_switches_are_timed_in_order():
    """Where laps end and begin by the clock: one after the other, also within one call."""
    sim = bouncing()[0]
    sim.advance(3.0)
    works = [work for work in sim.timeline if work.lane in ("integrate", "embed")]
    assert len(sim.switches) > 5
    assert all(0.0 < switch.microseconds < 1e6 for switch in sim.switches)
    assert all(work.began <= work.ended for work in works)
    assert all(a.began <= b.began for a, b in pairwise(works))


@pytest.mark.parametrize("gap", [0.0, 1e-12, -4.9e-11, -5e-11, -5.1e-11, -1.5e-10, -1.51e-10, -3e-9, -1.0, 0.3])
def test_depth_is_that_of_contacts_that_open(gap):
    """One more than `deep_in`, as Python and as machine code."""
    small = tolerances_in(Scales())
    assert depth(gap, small) == invoke(depth, gap, small) == 1 + deep_in(gap, small)


def test_constraints_between_advances(handed, monkeypatch):
    """Stopped at bounces and slowed down for a while: what a bounce leads to depends on what holds."""
    whole, _ = bouncing()
    whole.advance(3.0)
    bounces = [event.t for event in whole.events][1:4]

    def run():
        sim, _ = bouncing()
        for k, t in enumerate(bounces):
            sim.advance(t)
            sim.constrain("slow", lw.dt(sim.equations.q[0]) - 0.1 * k)
            sim.advance(t + 0.01)
            sim.release("slow")
        sim.advance(4.0)
        return sim

    sim = run()
    assert handed
    assert everything(sim) == everything(unhanded(monkeypatch, run))


def test_a_lap_that_went_on_in_other_speeds_is_handed_over(handed, monkeypatch):
    """A block pushed to and fro, its speeds along axes that turn: which of them is dependent changes all the time."""
    def run():
        model = lw.Model("turning speeds")
        x, y = model.coordinates("x", "y")
        t = model.time
        model.speeds(u=lw.dt(x) * lw.cos(5.0 * t) + lw.dt(y) * lw.sin(5.0 * t),
                     v=lw.dt(y) * lw.cos(5.0 * t) - lw.dt(x) * lw.sin(5.0 * t))  # fmt: skip
        N, O = model.frame, model.origin
        P = O.at("P", x * N.x + y * N.y)
        model.particle("block", P, 1.0)
        model.gravity(-9.81 * N.y)
        model.force(P, 4.0 * lw.sin(2.0 * t) * N.x)
        model.contact("floor", P, lw.Line(O, N.x, N.y), friction=0.2)
        sim = lw.Simulation(model, {"x": 0.0, "y": 0.0}, method=TIGHT)
        sim.advance(12.0)
        return sim

    sim = run()
    pairs = list(pairwise(sim.run.path.segments))
    rewritten = {after.solution.t[0] for before, after in pairs if before.solution.event.guards == ()}
    ended = [after.solution.t[0] for before, after in pairs if before.solution.t[0] in rewritten]
    assert len(rewritten) > 10
    assert len(set(ended) & set(handed)) > 3
    assert everything(sim) == everything(unhanded(monkeypatch, run))

"""Scenes that change while they run: the same by every way, interrupted or not, by ticks, and in several threads."""

from __future__ import annotations

import contextlib
import gc
import math
import threading
import tracemalloc
from itertools import product

import numpy as np
import pytest

import latchwork as lw
from campaign import rows
from switching_scenes import SCENES, TIGHT, WAYS, corner, disk, four_bar


def told(events):
    return [(e.kind, e.before, e.after) for e in events]


@pytest.fixture(scope="module")
def known():
    """The scenes as they run, each once."""
    runs = {}

    def run(name):
        if name not in runs:
            runs[name] = SCENES[name]()
        return runs[name]

    return run


@pytest.mark.parametrize("name", SCENES)
def test_the_laws_hold(name, known):
    """Energy balances, nothing sinks, no impact but one on a belt or by a constraint gains, and something happens."""
    sim = known(name)
    audit = sim.run.audit
    assert np.isfinite(sim.x).all()
    assert audit.energy_error < 2e-8
    assert audit.least_gap > -1e-9
    assert all(e.energy > -1e-9 for e in sim.events if e.kind == "impact" and name != "belt")
    assert sim.events


EACH = [*product(SCENES, WAYS)]


@pytest.mark.parametrize(("name", "way"), rows(EACH[::2], EACH))
def test_the_same_by_every_way(name, way, known, monkeypatch):
    """In one call or many, from mode to mode or stopped at every event (to the last bit), asleep or awake: the same
    events."""
    sim = known(name)
    WAYS[way](monkeypatch)
    other = SCENES[name]()
    assert told(sim.events) == told(other.events)
    assert [e.t for e in sim.events] == pytest.approx([e.t for e in other.events], abs=1e-8)
    assert sim.x == pytest.approx(other.x, abs=1e-7)
    if way == "stopped at events":
        assert np.array_equal(sim.run.path.t, other.run.path.t)
        assert np.array_equal(sim.run.path.x, other.run.path.x)


@pytest.mark.parametrize("method", [TIGHT, lw.RK4(1e-3)], ids=["DormandPrince", "RK4"])
def test_interrupted_runs_go_on(method, monkeypatch):
    """Whoever interrupts a run in its progress may go on with it: the path is that of one that was left alone."""
    calls = []

    def interrupts(t):
        calls.append(t)
        if len(calls) % 2 == 0:
            raise KeyboardInterrupt

    sims = [corner(0.5, 0.3, method, progress) for progress in (None, interrupts)]
    WAYS["stopped at events"](monkeypatch)
    for sim in sims:
        while sim.t < 1.4:
            with contextlib.suppress(KeyboardInterrupt):
                sim.advance(1.4)
    assert len(calls) > 3
    assert np.array_equal(sims[0].run.path.t, sims[1].run.path.t)
    assert np.array_equal(sims[0].run.path.x, sims[1].run.path.x)


def test_simulations_in_threads_do_not_mix(known):
    """Several at a time, some of the same scene, have the bits that they have alone."""
    names, found = ["corner, rough", "zones", "rod, slides", "four-bar, smith", "corner, rough"], {}
    threads = [threading.Thread(target=lambda i=i, name=name: found.update({i: SCENES[name]().run.path}))
               for i, name in enumerate(names)]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, name in enumerate(names):
        assert np.array_equal(found[i].x, known(name).run.path.x)


@pytest.mark.parametrize("begun", [lambda: corner(0.5, 0.3, lw.RK4(1e-3)),
                                   lambda: four_bar(0.2, 0.4, method=lw.RK4(1e-3))], ids=["corner", "four-bar"])
def test_ticks_are_one_run_by_fixed_steps(begun):
    """Tick by tick and in one go: the same events and states."""
    ticked, whole = begun(), begun()
    events = [event for _ in range(700) for event in ticked.tick(1e-3)]
    whole.advance(ticked.t)
    assert told(events) == told(whole.events)
    assert [e.t for e in events] == pytest.approx([e.t for e in whole.events], abs=1e-9)
    assert ticked.x[:-1] == pytest.approx(whole.x[:-1], abs=1e-9)


def bouncing(method=None):
    """A disk that loses nothing, and the time between two of its bounces."""
    model, shape = disk()
    model.contact("floor", shape, lw.Line(model.origin, model.frame.x, model.frame.y), restitution=1.0)
    sim = lw.Simulation(model, {"x": 0.0, "y": 0.2, "a": 0.0}, {"u": 1.0}, method=method)
    return sim, 2.0 * math.sqrt(2.0 * 0.1 / 9.81)


def test_bounces_without_loss_go_on():
    """Hundreds of them: at their times, at the height they began from, and each keeps no more than its states need."""
    sim, period = bouncing()
    sim.advance(50.0 * period)
    gc.collect()
    tracemalloc.start()
    sim.advance(850.0 * period)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert [e.t for e in sim.events] == pytest.approx((np.arange(850) + 0.5) * period, abs=1e-8)
    assert sim.run["y"].max() == pytest.approx(0.2, abs=1e-10)
    assert grown / 800 < 6000.0  # bytes: about ten arrays of a step or two, an event, a note in the time line


def test_ticks_keep_nothing():
    """However long a loop of ticks bounces, it needs no more memory."""
    sim, _ = bouncing(lw.RK4(1e-2))
    for _ in range(1000):
        sim.tick(1e-2)
    gc.collect()
    tracemalloc.start()
    bounces = sum(len(sim.tick(1e-2)) for _ in range(2000))
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert bounces > 50
    assert grown < 1e5


def test_samples_alone_are_those_of_all_steps():
    """With contacts, too, a run that keeps its samples only has the samples and events of one that keeps all."""
    model, shape = disk()
    model.contact("floor", shape, lw.Line(model.origin, model.frame.x, model.frame.y), restitution=0.6, friction=0.3)
    given = {"q": {"x": 0.0, "y": 0.5, "a": 0.0}, "u": {"u": 1.0, "w": 9.0}, "every": 0.03, "method": TIGHT}
    whole, kept = (lw.simulate(model, 3.0, **given, keep=keep) for keep in ("steps", "samples"))
    assert kept.t == pytest.approx(whole.t, abs=1e-14)
    assert kept.x == pytest.approx(whole.x, abs=1e-12)
    assert [e.t for e in kept.events] == [e.t for e in whole.events]


def test_ways_without_end_take_no_memory():
    """A ball driven around on a rough plane slips in another direction all the time; its graph does not grow."""
    model = lw.Model("driven")
    N, O, t = model.frame, model.origin, model.time
    link = model.free("A")
    ball = model.body("ball", link, link.origin, 1.0, lw.inertia(link.frame, 0.1, 0.1, 0.1))
    model.gravity(-9.81 * N.z)
    model.force(link.origin, 30.0 * (lw.cos(3.0 * t) * N.x + lw.sin(3.0 * t) * N.y))
    model.contact("floor", ball.sphere(0.5), lw.Plane(O, N.z), friction=0.3)
    sim = lw.Simulation(model, q=[0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0])
    sim.advance(until=1.0)
    graph = sim.equations.system.graph
    nodes, constants, switches = len(graph.nodes), len(graph.constants), len(sim.switches)
    sim.advance(until=5.0)
    assert len(sim.switches) > switches + 8
    assert (len(graph.nodes), len(graph.constants)) == (nodes, constants)

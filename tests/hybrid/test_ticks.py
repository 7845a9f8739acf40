"""A simulation tick by tick: the steps of a run, and nothing of the past."""

from typing import Any

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt
from latchwork.hybrid import fixed_stepper
from latchwork.hybrid.simulation import Simulation
from latchwork.program.function import Function
from latchwork.view import gallery

STEP = 2.0**-10  # sums of it are exact


def simulation(name: str) -> tuple[Simulation, Simulation]:
    """An example where its run starts, twice."""
    example = gallery.load(name)
    model = example.models()[0]
    moved = example.run(model)
    eq = moved.equations
    q = dict(zip(eq.q_names, moved.x[0], strict=False))
    u = dict(zip(eq.u_names, moved.x[0][len(eq.q) : -1], strict=True))
    return tuple(Simulation(model, q=q, u=u, method=lw.RK4(STEP)) for _ in range(2))  # type: ignore[return-value]


@pytest.mark.parametrize("name", ["double_pendulum", "gillespie_3_cart", "four_bar", "whipple_bicycle"])
def test_ticks_are_the_steps_of_a_run(name):
    """Where nothing changes, 300 ticks and one run by RK4 have the same bits."""
    ticked, run = simulation(name)
    for _ in range(300):
        assert not ticked.tick(STEP)
    run.advance(300 * STEP)
    assert ticked.t == run.t
    assert np.array_equal(ticked.x, run.x)


@pytest.mark.parametrize("name", ["patoglu_1_disk_on_ramp", "patoglu_3_belt", "caster", "latch", "bouncing_ball"])
def test_ticks_go_through_the_events_of_a_run(name):
    """The same events and modes as where each step is a run of its own; these choose other speeds a little later."""
    ticked, run = simulation(name)
    told = []
    for k in range(1, 901):
        told += ticked.tick(STEP)
        run.advance(k * STEP)
    expected = run.events
    assert [(event.name, event.after) for event in told[-len(expected) :]] == [(e.name, e.after) for e in expected]
    assert np.allclose([event.t for event in told[-len(expected) :]], [e.t for e in expected], rtol=0.0, atol=1e-8)
    assert ticked.active == run.active
    assert np.allclose(ticked.x, run.x, rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("name", ["patoglu_3_belt", "bouncing_ball", "rocking_block", "billiard", "woodpecker"])
def test_ticks_through_events_have_the_bits_of_one_run(name):
    """Machine code goes on from mode to mode within a tick as within a run: the same bits, of events as well."""
    ticked, run = simulation(name)
    told = [event for _ in range(700) for event in ticked.tick(STEP)]
    run.advance(700 * STEP)
    expected = run.events[len(run.events) - len(told) :]
    assert [(e.t, e.name, e.after) for e in told] == [(e.t, e.name, e.after) for e in expected]
    assert ticked.x.tobytes() == run.x.tobytes()


def test_a_tick_with_changes_is_one_call(monkeypatch):
    """Once modes and contacts were met, a tick that changes the mode runs no loop in Python."""
    ticked, _ = simulation("woodpecker")
    for _ in range(300):
        ticked.tick(STEP)
    monkeypatch.setattr(fixed_stepper, "advance", None)
    assert sum(bool(ticked.tick(STEP)) for _ in range(600)) > 20


def pressed(force: float, **options: Any) -> Simulation:
    """Two balls on a line between walls, pushed about by F."""
    model = lw.Model("two balls")
    F, = model.inputs(F=force)
    N, O = model.frame, model.origin
    places = [O.at(f"P{i}", x * N.x) for i, x in enumerate(model.coordinates("x0", "x1"))]
    shapes = []
    for i, place in enumerate(places):
        model.particle(f"ball {i}", place, 1.0 + i)
        model.force(place, (F - 0.1 * i) * N.x)
        shapes.append(lw.Circle(place, 0.1, body=N))
        for side, x in ((1.0, -1.0), (-1.0, 1.0)):
            wall = lw.Line(point=O.at(f"W{i}{x}", x * N.x), direction=N.y, normal=side * N.x)
            model.contact(f"wall {i} {x}", shapes[i], wall)
    model.contact("balls", *shapes)
    return Simulation(model, q={"x0": -0.5, "x1": 0.5}, u=[0.0, 0.0], method=lw.RK4(STEP), **options)


def test_changes_where_a_tick_begins_have_the_bits_of_runs():
    """A force that jumps between ticks opens and closes contacts at once: as where each tick is a run of its own."""
    forces = 60.0 * np.sign(np.sin(np.arange(2000) / 70.0))
    ticked, run = pressed(forces[0]), pressed(forces[0])
    told = []
    for k, force in enumerate(forces, 1):
        ticked.inputs["F"] = run.inputs["F"] = force
        told += ticked.tick(STEP)
        run.advance(k * STEP)
    assert len({event.t for event in told if event.t % STEP == 0.0}) > 3
    assert [(e.t, e.name, e.after) for e in told] == [(e.t, e.name, e.after) for e in run.events]
    assert ticked.x.tobytes() == run.x.tobytes()


def pulled() -> Simulation:
    """A block of 2 kg, pulled by F along a line."""
    model = lw.Model("block")
    m, = model.parameters(m=2.0)
    F, = model.inputs(F=0.0)
    q, = model.coordinates("q")
    P = model.origin.at("P", q * model.frame.x)
    model.particle("block", P, m)
    model.force(P, F * model.frame.x)
    return Simulation(model, q={"q": 0.0}, u=[0.0])


def test_inputs_may_change_between_ticks():
    """F is held over a tick: u grows by F h / m, whatever F was before."""
    sim = pulled()
    forces = np.sin(np.arange(40.0))
    for force in forces:
        sim.inputs["F"] = force
        sim.tick(STEP)
    assert float(sim.x[1]) == pytest.approx(forces.sum() * STEP / 2.0, rel=1e-13)


def test_a_constraint_between_ticks_is_heard_of():
    """What is imposed and released between two ticks acts from the next one on, and is told by it."""
    sim = pulled()
    sim.inputs["F"] = 1.0
    for _ in range(10):
        sim.tick(STEP)
    q = sim.equations.q[0]
    sim.constrain("held", dt(q))
    (event,) = sim.tick(STEP)
    assert (event.kind, sim.active) == ("constrain", ("held",))
    stood = sim.q["q"]
    for _ in range(10):
        assert not sim.tick(STEP)
    assert sim.q["q"] == stood
    sim.release("held")
    (event,) = sim.tick(STEP)
    assert (event.kind, sim.active) == ("release", ())
    sim.tick(STEP)
    assert float(sim.x[1]) > 0.0


def test_a_force_that_jumps_opens_a_contact_at_once():
    """A block that is pressed on the floor, then pulled up harder than it weighs, leaves the floor in that tick."""
    model = lw.Model("block on a floor")
    F, = model.inputs(F=-1.0)
    y, = model.coordinates("y")
    N, O = model.frame, model.origin
    P = O.at("P", y * N.y)
    model.particle("block", P, 1.0)
    model.gravity(-10.0 * N.y)
    model.force(P, F * N.y)
    model.contact("floor", P, lw.Line(point=O, direction=N.x, normal=N.y))
    sim = Simulation(model, q={"y": 0.0}, u=[0.0])
    for _ in range(5):
        sim.tick(STEP)
    sim.inputs["F"] = 11.0
    (event,) = sim.tick(STEP)
    assert (event.name, event.t, sim.active) == ("floor", 5 * STEP, ())
    assert float(sim.x[1]) == pytest.approx(STEP, rel=1e-12)


def test_nothing_of_the_past_is_kept():
    """A ball that bounces for a while: what has happened was told, and is gone."""
    ticked, _ = simulation("bouncing_ball")
    told = [event for _ in range(6000) for event in ticked.tick(STEP)]
    assert len(told) > 3
    assert not ticked.events
    assert len(ticked.run.path.segments) <= 1
    assert not len(ticked.timeline)


def test_ticks_in_time_steps_derive_nothing(monkeypatch):
    """Where ticks are time steps, the energy and the programs of contacts are those of the tick before."""
    sim = pressed(1.0, thick=lw.TimeStepping(STEP, always=True))
    for _ in range(5):
        sim.tick(STEP)
    made = []
    monkeypatch.setattr(Function, "__init__", lambda *given: made.append(given))
    for _ in range(20):
        sim.tick(STEP)
    assert not made


def test_an_interrupted_simulation_ticks_on_in_machine_code(monkeypatch):
    """Where it is looked at anew between two ticks, as at the marks of a live run, the mode begins again in place: the
    same bits as in one go, and no loop in Python."""
    ticked, run = simulation("woodpecker")
    for _ in range(100):
        ticked.tick(STEP)
    monkeypatch.setattr(fixed_stepper, "advance", None)
    for _ in range(20):
        ticked.stepper = None
        ticked.tick(STEP)
    monkeypatch.undo()
    run.advance(120 * STEP)
    assert ticked.x.tobytes() == run.x.tobytes()

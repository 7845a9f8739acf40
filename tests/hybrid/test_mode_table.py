"""The mode table: what a switch to a mode that was never met before has to do."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import latchwork as lw
from latchwork.constraint import terms
from latchwork.constraint.embedded import mode_block
from latchwork.hybrid import guard_programs, mode_table
from latchwork.hybrid.contacts.step_limit import FOREVER, MAX_TURN
from latchwork.integrate import reusable_integration
from latchwork.program.kernel import f64p_at, i32p_at, i64p_at
from latchwork.program.native import native
from latchwork.program.records.view import record_at

MU = 0.4


def thrown(held: bool, zones: bool) -> lw.Simulation:
    """A block above a floor that it meets while it slides; it may turn, or that is held."""
    model = lw.Model("block on a floor")
    x, y, a = model.coordinates("x", "y", "a")
    model.speeds(vx=lw.dt(x), vy=lw.dt(y), w=lw.dt(a))
    N, O = model.frame, model.origin
    center = O.at("C", x * N.x + y * N.y)
    model.body("block", frame=N.rotated("B", a, N.z), center=center, mass=1.0, inertia=lw.inertia(N, zz=0.1))
    model.gravity(-9.81 * N.y)
    floor = lw.Line(point=O, direction=N.x, normal=N.y)
    friction = lw.Coulomb(lw.zones(x, [0.2], [MU, 0.0]) if zones else MU)
    sim = lw.Simulation(model, q=[0.0, 0.02, 0.0], u=[1.0, 0.0, 0.0])
    if held:
        sim.constrain("still", a)
    sim.contact("floor", center, floor, friction=friction)
    return sim


@pytest.mark.parametrize("held", [False, True], ids=["alone", "besides a constraint"])
@pytest.mark.parametrize("zones", [False, True], ids=["one zone", "two zones"])
def test_a_mode_of_one_contact_lowers_nothing(held, zones, monkeypatch):
    """Falling, sliding, smooth, sticking: each is met for the first time, and no expression is lowered any more."""
    sim = thrown(held, zones)
    sim.advance(0.01)
    lowered = []
    for module in (terms, guard_programs):
        monkeypatch.setattr(module, "lower", lambda *given: lowered.append(given))
    before = len(sim.switches)
    sim.advance(1.0)
    assert len(sim.switches) >= before + 2
    assert lowered == []


@pytest.mark.parametrize("held", [False, True], ids=["alone", "besides a constraint"])
def test_it_slides_and_stops_where_coulomb_says(held):
    """Where the floor is met plastically, friction takes μ v_y at once and μ g from then on, until the block stops."""
    sim = thrown(held, zones=False)
    sim.advance(1.0)
    fall = np.sqrt(2 * 9.81 * 0.02)
    met = fall / 9.81
    assert sim.run.events[-1].t == pytest.approx(met + (1.0 - MU * fall) / (MU * 9.81), rel=1e-7)
    assert float(sim.run["vx"][-1]) == pytest.approx(0.0, abs=1e-12)


def test_nor_does_one_in_space_whichever_way_it_slides(monkeypatch):
    """A ball thrown on a floor slides, turns the way it slides by its spin, and rolls: nothing is lowered any more."""
    model = lw.Model("ball")
    N, O = model.frame, model.origin
    link = model.free("ball", q=["x", "y", "z", "e0", "e1", "e2", "e3"], u=["vx", "vy", "vz", "w1", "w2", "w3"])
    ball = model.body("ball", link, link.origin, 1.0, lw.inertia(link.frame, xx=0.004, yy=0.004, zz=0.004))
    model.gravity(-9.81 * N.z)
    model.contact("floor", ball.sphere(0.1), lw.Plane(point=O, normal=N.z), friction=MU)
    sim = lw.Simulation(model, q={"x": 0.0, "y": 0.0, "z": 0.15, "e0": 1.0}, u={"vx": 2.0, "w1": 40.0, "w2": -30.0})
    sim.advance(0.01)
    lowered = []
    for module in (terms, guard_programs):
        monkeypatch.setattr(module, "lower", lambda *given: lowered.append(given))
    sim.advance(2.0)
    kinds = [event.kind for event in sim.events]
    assert {"impact", "stick"} <= set(kinds)
    assert len({tuple(switch.after) for switch in sim.switches}) == 3  # free, sliding, rolling
    assert not lowered


def shaken(until=3.0):
    """A box on a floor, pushed to and fro: it slides, and comes to rest on two corners, again and again."""
    model = lw.Model("box")
    link = model.planar("box", model.frame, q=["x", "y", "a"], u=["u", "v", "w"])
    body = model.body("box", link, link.origin, 2.0, lw.inertia(link.frame, zz=0.1))
    N = model.frame
    model.gravity(-9.81 * N.y)
    model.force(link.origin, 14.0 * lw.sin(9.0 * model.time) * N.x)
    model.contact("floor", body.box((0.4, 0.2)), lw.Line(model.origin, N.x, N.y), friction=0.5)
    sim = lw.Simulation(model, {"x": 0.0, "y": 0.1, "a": 0.0}, method=lw.DormandPrince(rtol=1e-10, atol=1e-12))
    sim.advance(until)
    return sim


def test_a_box_that_rests_again_is_laid_out_in_machine_code(monkeypatch):
    """Two corners hold every speed with a row to spare. What they carry is found anew each time, and Python lays out
    none of these modes once it knows the corners."""
    laid, plain = [], mode_table.ModeTable.laid_out
    monkeypatch.setattr(mode_table.ModeTable, "laid_out", lambda *given: laid.append(given[-1][0]) or plain(*given))
    sim = shaken()
    rests = [event.t for event in sim.events if event.kind == "stick" and event.name.endswith("+x-y")]
    assert len(rests) > 5
    assert not any(t in laid for t in rests)


def in_python(kernel, made):
    """A stand-in for `native` that runs one kernel as Python, on what is at its addresses."""
    views = {"i64p": i64p_at, "i32p": i32p_at, "f64p": f64p_at,
             "Programs": lambda at: record_at(reusable_integration.Programs, i64p_at(at), 0)}  # fmt: skip
    kinds = list(kernel.function.__annotations__.values())

    def call(*given):
        made.append(len(given))
        both = zip(kinds, given, strict=False)
        kernel.function(*[views[kind](each) if kind in views else each for kind, each in both])

    return lambda asked: SimpleNamespace(brief=call) if asked is kernel else native(asked)


@pytest.mark.parametrize("held", [False, True], ids=["alone", "besides a constraint"])
def test_memory_is_laid_out_alike_in_python_and_in_machine_code(held, monkeypatch):
    """A block that falls, slides through two zones and stops: its modes laid out by kernels, run either way,
    give the same bits."""
    first = thrown(held, zones=True)
    first.advance(0.5)
    made = []
    for module, kernel in ((reusable_integration, reusable_integration.lay_out), (mode_block, mode_block.choose)):
        monkeypatch.setattr(module, "native", in_python(kernel, made))
    second = thrown(held, zones=True)
    second.advance(0.5)
    assert len(set(made)) == 2  # both were run
    assert np.array_equal(first.run.t, second.run.t)
    assert np.array_equal(first.run.x, second.run.x)


def test_the_longest_step_is_that_in_which_nothing_turns_far():
    """A body that turns at 4 rad/s may step an eighth of a second; one that does not turn, as far as it likes."""
    sim = thrown(held=False, zones=False)
    pacing, x = sim.mode_table.pacing, sim.state.row
    assert pacing(x) == FOREVER
    x[6] = -4.0
    assert pacing(x) == pytest.approx(MAX_TURN / 4.0, rel=1e-15)

"""The state of a run is a value: kept, compared, pickled, and gone on from, with the bits of going on."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from random_scenes import scene as random_scene
from scaled_scenes import CONTACTS, MECHANISMS, Units
from switching_scenes import corner, disk, four_bar
from tracked_models import disk as tracked_disk
from tracked_models import sine_ground

SCENES = {**CONTACTS, **MECHANISMS}
Bits = tuple[float, bytes, tuple[tuple[float, str, tuple[str, ...]], ...]]


def scene(name: str) -> Callable[[], lw.Simulation]:
    def begun() -> lw.Simulation:
        s = SCENES[name](Units())
        return lw.Simulation(s.model, q=s.q, u=s.u)

    return begun


def bits(sim: lw.Simulation, since: float) -> Bits:
    """All bits of where a simulation stands, and of what happened after a time."""
    told = tuple((event.t, event.name, event.after) for event in sim.events if event.t > since)
    return sim.t, sim.x.tobytes(), told


def again(state: lw.SimState) -> lw.SimState:
    return pickle.loads(pickle.dumps(state))


def latched() -> lw.Simulation:
    """A pendulum that a rule latches where it comes to rest, and lets go a while later."""
    model = lw.Model("pendulum")
    q = model.coordinate("q")
    (u,) = model.speeds(u=lw.dt(q))
    (n,) = model.inputs(n=0.0)
    B = model.frame.rotated("B", q, model.frame.z)
    P = model.origin.at("P", -1.0 * B.y)
    model.particle("bob", P, 1.0)
    model.gravity(-9.81 * model.frame.y)
    held = lw.Latch("held", q)
    model.rule("catch", u, hold=held, without="held", inputs={"n": n + 1.0})
    model.rule("let go", "sin(12*t)", needs="held", release="held")
    return lw.Simulation(model, q=[1.0], u=[0.5])


def many() -> lw.Simulation:
    """Balls in a box, most pairs of which sleep."""
    model = lw.Model("balls")
    N, q, u, shapes = model.frame, {}, {}, []
    rng = np.random.default_rng(5)
    for i in range(7):
        x, y = model.coordinates(f"x{i}", f"y{i}")
        model.speeds(**{f"u{i}": lw.dt(x), f"v{i}": lw.dt(y)})
        P = model.origin.at(f"P{i}", x * N.x + y * N.y)
        body = model.particle(f"ball {i}", P, 1.0)
        shapes.append(lw.Circle(P, 0.1, body=body))
        q |= {f"x{i}": 0.6 * i, f"y{i}": 0.5 + 0.1 * i}
        u |= {f"u{i}": rng.uniform(-1.0, 1.0), f"v{i}": rng.uniform(-1.0, 1.0)}
    model.gravity(-9.81 * N.y)
    for i, a in enumerate(shapes):
        model.contact(f"{i} on floor", a, lw.Line(model.origin, N.x, N.y), restitution=0.6)
        for j, b in enumerate(shapes[:i]):
            model.contact(f"{j} on {i}", a, b, restitution=0.8)
    return lw.Simulation(model, q, u)


def on_a_curve() -> lw.Simulation:
    """A disk that rolls and hops over a sine, whose place on it is tracked."""
    model, ball = tracked_disk(gravity=9.81)
    model.contact("ground", ball, sine_ground(model), restitution=0.3, friction=0.5)
    return lw.Simulation(model, q={"x": 0.2, "y": 1.5}, u={})


def box() -> lw.Simulation:
    """A box that slides to rest on a floor in space: its four corners share the load."""
    model = lw.Model("box")
    link = model.free("b")
    body = model.body("b", link, link.origin, 1.0, lw.inertia(link.frame, 0.01, 0.012, 0.014))
    model.gravity(-9.81 * model.frame.z)
    model.contact("floor", body.box((0.3, 0.2, 0.1)), lw.Plane(model.origin, model.frame.z), friction=0.4)
    return lw.Simulation(model, q={"q_b_pz": 0.06}, u={"u_b_vx": 1.0, "u_b_vy": 0.3, "u_b_wz": 2.0})


def by_table() -> lw.Simulation:
    """A disk that tables push to and fro."""
    model, shape = disk()
    (push,) = model.inputs(push=0.0)
    model.force(shape.center, push * model.frame.x)
    model.contact("floor", shape, lw.Line(model.origin, model.frame.x, model.frame.y), restitution=0.3, friction=0.3)
    t = np.linspace(0.0, 2.0, 21)
    return lw.Simulation(model, {"y": 0.3}, inputs={"push": lw.Table(t, 20.0 * np.sin(5.0 * t), "linear")})


RUNS = {
    "corner": (lambda: corner(0.5, 0.3), 0.7, 1.2),
    "latch": (latched, 0.9, 2.0),
    "sleeping": (many, 0.5, 0.9),
    "curve": (on_a_curve, 0.9, 1.6),
    "box": (box, 0.15, 0.6),
    "table": (by_table, 0.33, 1.1),
    "four-bar at walls": (lambda: four_bar(0.2, 0.4), 0.5, 1.0),
    **{name: (scene(name), 0.4, 0.8) for name in SCENES},
}


@pytest.mark.parametrize("name", RUNS)
def test_going_on_from_a_state(name):
    """From a state that was kept, and from one that was pickled, in this simulation and in another one."""
    begun, first, last = RUNS[name]
    sim = begun()
    sim.advance(first)
    kept = sim.state
    written = pickle.dumps(kept)
    sim.advance(last)
    ended, state = bits(sim, first), sim.state
    assert state != kept
    sim.state = kept
    sim.advance(last)
    assert bits(sim, first) == ended
    assert pickle.dumps(kept) == written, "nobody changes a state that another holds"
    for other in (sim, begun()):
        other.state = pickle.loads(written)
        assert other.state == kept
        other.advance(last)
        assert bits(other, first) == ended


@pytest.mark.parametrize("seed", seeds(range(1, 13), range(13, 1000)))
def test_going_on_from_a_state_of_a_random_scene(seed):
    """Half of a random scene, and the other half by the same simulation and by another one: the same bits, or words."""

    def begun() -> lw.Simulation:
        s = random_scene(seed)
        return lw.Simulation(s.model, q=s.q, u=s.u, inputs=s.inputs, method=s.method)

    def went_on(sim: lw.Simulation) -> Bits | str:
        try:
            sim.advance(until)
        except lw.IntegrationError as error:
            return str(error)
        return bits(sim, 0.5 * until)

    sim, until = begun(), random_scene(seed).until
    sim.advance(0.5 * until)
    kept = sim.state
    written, ended, other = pickle.dumps(kept), went_on(sim), begun()
    sim.state = kept
    assert went_on(sim) == ended
    other.state = pickle.loads(written)
    assert other.state == kept
    assert went_on(other) == ended


def test_what_was_added_in_the_run():
    """Contacts, constraints and welds that came in the run are part of the state; reshaped ones are told apart."""
    sim = corner(0.5, 0.3)
    N, O = sim.equations.system.tree.newtonian, sim.equations.system.tree.origin
    sim.advance(0.3)
    shape = sim.state.contacts.members[0].shapes[0]
    sim.contact("lid", shape, lw.Line(O.at("lid", 1.5 * N.y), N.x, -N.y), restitution=0.5)
    sim.constrain("still", sim.equations.u[2])
    sim.advance(0.5)
    first = sim.state
    sim.release("still")
    sim.reshape("lid", lw.Line(O.at("higher", 1.7 * N.y), N.x, -N.y))
    sim.constrain("still", sim.equations.u[0])
    sim.advance(0.7)
    second = sim.state
    ends = []
    for state in (first, again(first), second, again(second)):
        sim.state = state
        assert sim.active == state.active if isinstance(state, lw.SimState) else sim.state == state
        sim.advance(0.9)
        ends.append(bits(sim, 0.7))
    assert ends[0] == ends[1] != ends[2] == ends[3]
    with pytest.raises(lw.EvaluationError, match=r"has a contact 'lid', which <SimState of 'disk' .* does not know"):
        corner(0.5, 0.3).state = again(first)


def test_a_state_has_its_own_scales():
    """What a run is measured by comes from its start, and goes with its states: also to a run that began elsewhere."""
    model = lw.Model("points")
    x, y = model.coordinates("x", "y")
    model.speeds(u=lw.dt(x), v=lw.dt(y))
    N, O = model.frame, model.origin
    P = O.at("P", x * N.x + y * N.y)
    model.particle("P", P, 1.0)
    model.gravity(-9.81 * N.y)
    model.contact("floor", P, lw.Line(O, N.x, N.y), restitution=0.5, friction=0.3)
    near, far = (lw.Simulation(model, {"y": height}, {"u": 1.0}) for height in (0.5, 500.0))
    near.advance(0.5)
    written = pickle.dumps(near.state)
    near.advance(1.5)
    ended, scales = bits(near, 0.5), near.state.driven.measure
    assert far.state.driven.measure != scales
    far.state = pickle.loads(written)
    assert far.state.driven.measure == scales
    far.advance(1.5)
    assert bits(far, 0.5) == ended


def test_a_state_that_is_not_settled():
    """Contacts that are to be decided, and inputs in rows whose jump is to be followed, are part of the state."""

    def begun() -> lw.Simulation:
        model, shape = disk()
        (pull,) = model.inputs(pull=0.5)
        model.contact("floor", shape, lw.Line(model.origin, model.frame.x, model.frame.y), friction=0.3)
        model.constraint("driven", model.equations().u[0] - pull)
        return lw.Simulation(model, {"y": 0.3}, {"w": 3.0})

    sim = begun()
    sim.advance(0.4)
    sim.inputs["pull"] = 1.5
    kept = sim.state
    assert not kept.settled
    sim.advance(0.6)
    ended, told = bits(sim, 0.3), [str(event) for event in sim.events[-3:]]
    assert [event.kind for event in sim.events][-3:] == ["input", "slide", "stick"]
    for other in (sim, begun()):
        other.state = again(kept)
        assert other.state == kept
        other.advance(0.6)
        assert bits(other, 0.3)[:2] == ended[:2]
        assert [str(event) for event in other.events[-3:]] == told


@pytest.mark.parametrize("begun", [lambda: corner(0.3, 0.3), many, box, latched, on_a_curve])
def test_ticks_from_a_state(begun):
    """Ticks after a state that was kept, and one that was pickled, in another simulation: the same bits."""
    sim, step = begun(), 2.0**-10
    for _ in range(300):
        sim.tick(step)
    kept = sim.state

    def ticked(sim: lw.Simulation) -> bytes:
        return b"".join([(sim.tick(step), sim.x.tobytes())[1] for _ in range(300)])

    ended = ticked(sim)
    sim.state = kept
    assert ticked(sim) == ended
    other = begun()
    other.state = again(kept)
    assert ticked(other) == ended


def test_what_is_refused_leaves_the_state():
    """A change that cannot be made leaves the very state that there was, and tells nothing."""
    sim = corner(0.0, 0.3)
    sim.advance(0.3)
    state, told, shape = sim.state, sim.events, sim.state.contacts.members[0].shapes[0]
    N, O = sim.equations.system.tree.newtonian, sim.equations.system.tree.origin
    through = lw.Line(O.at("mid", 0.5 * N.y), N.x, N.y)
    refused = [
        lambda: sim.constrain("far", sim.equations.q[0] - 3.0),
        lambda: sim.contact("through", shape, through),
        lambda: sim.reshape("one", through),
        lambda: sim.rule("one", sim.equations.q[0], release=["one"]),
        lambda: sim.release("one"),
    ]
    for change in refused:
        with pytest.raises(lw.LatchworkError, match=r"\."):
            change()
        assert sim.state is state
        assert sim.events == told


def test_a_state_is_printed():
    """With the time, and what holds."""
    sim = scene("disk on ramp")()
    assert repr(sim.state).startswith("<SimState of 'disk on a ramp' at t = 0, with nothing held>")

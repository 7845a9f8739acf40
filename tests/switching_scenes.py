"""Small scenes that change in many ways while they run, and other ways to run them that must come to the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import latchwork as lw
from latchwork import dt
from latchwork.contact import construction
from latchwork.hybrid import stepper_flow
from latchwork.hybrid.contacts import sleeping_contacts, watch_set
from latchwork.integrate import problem
from scaled_scenes import Units, arm_with_friction

G, R, TILT = 9.81, 0.1, 0.5
TIGHT = lw.DormandPrince(rtol=1e-11, atol=1e-13)
Runs = Callable[[], lw.Simulation]


def stopped_at_events(monkeypatch: Any) -> None:
    """Machine code comes back at every event."""
    monkeypatch.setattr(stepper_flow, "CHANGES", 0)


def step_by_step(monkeypatch: Any) -> None:
    """Machine code comes back after every step."""
    monkeypatch.setattr(problem, "OPERATIONS_PER_CALL", 0)
    monkeypatch.setattr(problem, "FEWEST", 1)


def asleep(monkeypatch: Any) -> None:
    """All sleeps that can, however few there are."""
    monkeypatch.setattr(sleeping_contacts, "FEWEST", 0)
    monkeypatch.setattr(watch_set, "FEW_FEATURES", 0)
    monkeypatch.setattr(construction, "EAGER", 0)


WAYS = {"stopped at events": stopped_at_events, "step by step": step_by_step, "asleep": asleep}


def disk() -> tuple[lw.Model, Any]:
    """A disk of radius 0.1 that falls in the plane, and its shape."""
    model = lw.Model("disk")
    x, y, a = model.coordinates("x", "y", "a")
    model.speeds(u=dt(x), v=dt(y), w=dt(a))
    N = model.frame
    B, P = N.rotated("B", a, N.z), model.origin.at("P", x * N.x + y * N.y)
    body = model.body("disk", B, P, 2.0, lw.inertia(B, zz=0.01))
    model.gravity(-G * N.y)
    return model, body.circle(R, P)


def corner(restitution: float, friction: float, method: Any = TIGHT, progress: Any = None) -> lw.Simulation:
    """A disk that spins in a corner of two walls with friction."""
    model, shape = disk()
    A = model.frame.rotated("A", -TILT, model.frame.z)
    for name, direction, normal in (("one", A.x, A.y), ("two", A.y, -A.x)):
        model.contact(name, shape, lw.Line(model.origin, direction, normal), restitution=restitution, friction=friction)
    q = {"x": 0.6 * math.sin(TILT) - 0.3 * math.cos(TILT), "y": 0.6 * math.cos(TILT) + 0.3 * math.sin(TILT), "a": 0.0}
    return lw.Simulation(model, q, {"u": 0.5, "w": 20.0}, method=method, progress=progress)


def in_a_corner(restitution: float, friction: float) -> lw.Simulation:
    sim = corner(restitution, friction)
    sim.advance(1.4)
    return sim


def rod(push: Callable[[Any], Any], frictions: tuple[float, float], **start: float) -> lw.Simulation:
    """A rod on two pegs, pushed at its end: it leaves one while it sticks to the other, or slides on it."""
    model = lw.Model("rod")
    x, y, a = model.coordinates("x", "y", "a")
    model.speeds(u=dt(x), v=dt(y), w=dt(a))
    N, O = model.frame, model.origin
    B, P = N.rotated("B", a, N.z), O.at("P", x * N.x + y * N.y)
    body = model.body("rod", B, P, 1.0, lw.inertia(B, zz=0.1))
    model.gravity(-G * N.y)
    bar = lw.Capsule(P.at("left", -0.5 * B.x), P.at("right", 0.5 * B.x), 0.02, body=body)
    for name, place, mu in zip(("one", "two"), (-0.3, 0.4), frictions, strict=True):
        peg = lw.Circle(O.at(name, place * N.x), 0.05)
        model.contact(name, bar, peg, restitution=0.4, friction=mu)
    model.force(P.at("end", 0.5 * B.x), model.input("push") * N.y)
    sim = lw.Simulation(model, {"x": 0.0, "y": 0.07, "a": 0.0}, start, inputs={"push": push(model.time)}, method=TIGHT)
    sim.advance(1.0)
    return sim


def over_zones() -> lw.Simulation:
    """A disk between a floor and a lid, both with zones of friction and restitution, some of which end together."""
    model, shape = disk()
    N, O, x = model.frame, model.origin, model.equations().q[0]
    bouncy = lw.zones(x, [0.5, 1.2], [0.0, 0.5, 0.9])
    floor = lw.zones(x, [0.5, 1.0, 1.0001, 1.5], [0.3, 0.0, 0.8, 0.1, 0.4])
    lid = lw.zones(x, [0.5, 0.9], [0.1, 0.5, 0.0])
    model.contact("floor", shape, lw.Line(O, N.x, N.y), restitution=bouncy, friction=floor)
    model.contact("lid", shape, lw.Line(O.at("T", 2.0 * R * N.y), N.x, -N.y), restitution=bouncy, friction=lid)
    sim = lw.Simulation(model, {"x": 0.0, "y": R, "a": 0.0}, {"u": 3.0, "w": 5.0}, method=TIGHT)
    sim.advance(1.5)
    return sim


def off_a_belt() -> lw.Simulation:
    """A particle that sticks to a belt until it ends, and falls on a floor."""
    model = lw.Model("belt")
    x, y = model.coordinates("x", "y")
    model.speeds(u=dt(x), v=dt(y))
    N, O = model.frame, model.origin
    P = O.at("P", x * N.x + y * N.y)
    model.particle("P", P, 1.0)
    model.gravity(-G * N.y)
    belt = lw.Segment(O.at("S", -1.0 * N.x), O.at("E", 0.5 * N.x), N.y, belt=0.7 * N.x)
    model.contact("belt", P, belt, friction=0.5)
    model.contact("floor", P, lw.Line(O.at("F", -0.4 * N.y), N.x, N.y), friction=0.5, restitution=0.5)
    sim = lw.Simulation(model, {"x": 0.0, "y": 0.0}, {"u": 0.1}, method=TIGHT)
    sim.advance(1.8)
    return sim


def changed(change: Callable[[lw.Simulation, Any], Any], back: Callable[[lw.Simulation, Any], Any]) -> lw.Simulation:
    """A disk that slides on a floor towards a wall; something is changed meanwhile, and changed back."""
    model, shape = disk()
    N, O = model.frame, model.origin
    model.contact("floor", shape, lw.Line(O, N.x, N.y), restitution=0.2, friction=0.3)
    model.contact("wall", shape, wall(model, 1.0), restitution=0.6, friction=0.2)
    sim = lw.Simulation(model, {"x": 0.0, "y": R, "a": 0.0}, {"u": 2.0}, method=TIGHT)
    for t, act in ((0.2, change), (0.45, back)):
        sim.advance(t)
        act(sim, (model, shape))
    sim.advance(1.2)
    return sim


def wall(model: lw.Model, place: float) -> lw.Line:
    return lw.Line(model.origin.at(f"wall at {place}", place * model.frame.x), model.frame.y, -model.frame.x)


def lid(sim: lw.Simulation, scene: Any) -> None:
    """Another contact, that touches as it comes."""
    model, shape = scene
    sim.contact("lid", shape, lw.Line(model.origin.at("T", 2.0 * R * model.frame.y), model.frame.x, -model.frame.y),
                friction=0.5)  # fmt: skip


def shortened(sim: lw.Simulation, scene: Any) -> None:
    """The floor ends from now on."""
    N, O = scene[0].frame, scene[0].origin
    sim.reshape("floor", lw.Segment(O.at("S", -1.0 * N.x), O.at("E", 0.8 * N.x), N.y))


CHANGES: Mapping[str, tuple[Any, Any]] = {  # what is done first, and what then
    "a wall goes and comes": (lambda sim, _: sim.remove("wall"),
                              lambda sim, s: sim.contact("wall", s[1], wall(s[0], 2.0))),
    "the floor goes": (lambda sim, _: sim.remove("floor"), lambda sim, _: None),
    "a wall comes nearer": (lambda sim, s: sim.reshape("wall", wall(s[0], 0.7)), lambda sim, _: None),
    "the floor is shortened": (shortened, lambda sim, _: None),
    "a lid comes and goes": (lid, lambda sim, _: sim.remove("lid")),
    "it may not turn": (lambda sim, _: sim.constrain("held", sim.equations.u[2]), lambda sim, _: sim.release("held")),
    "it is stopped": (lambda sim, _: sim.constrain("held", sim.equations.u[0]), lambda sim, _: sim.release("held")),
    "it may not turn, up to a torque": (lambda sim, _: sim.constrain("held", sim.equations.u[2], limit=0.3),
                                        lambda sim, _: None),
    "it may not rise": (lambda sim, _: sim.constrain("held", sim.equations.u[1]), lambda sim, _: sim.release("held")),
}


def four_bar(friction: float, restitution: float, impact: str = "newton", method: Any = TIGHT) -> lw.Simulation:
    """A four-bar linkage, its loop a permanent constraint, whose coupler hits two walls."""
    model = lw.Model("four-bar")
    N, O = model.frame, model.origin
    a, b, c = model.coordinates("a", "b", "c")
    model.speeds(ua=dt(a), ub=dt(b), uc=dt(c))
    A, B, C = (N.rotated(name, q, N.z) for name, q in (("A", a), ("B", b), ("C", c)))
    P, S = O.at("P", 0.4 * A.x), O.at("S", 1.0 * N.x)
    Q, T = P.at("Q", 0.8 * B.x), P.at("T", 0.4 * B.x + 0.3 * B.y)
    model.body("crank", A, O.at("Ao", 0.2 * A.x), 1.0, lw.inertia(A, zz=0.02))
    coupler = model.body("coupler", B, P.at("Bo", 0.4 * B.x), 1.0, lw.inertia(B, zz=0.05))
    model.body("rocker", C, S.at("Co", 0.3 * C.x), 1.0, lw.inertia(C, zz=0.03))
    model.gravity(-G * N.y)
    way = Q.position(S.at("R", 0.6 * C.x))
    model.constraint("loop", [way.dot(N.x), way.dot(N.y)])
    walls = {"below": lw.Line(O.at("W", 0.35 * N.y), N.x, N.y), "beside": lw.Line(O.at("V", 0.95 * N.x), N.y, -N.x)}
    for name, shape in walls.items():
        model.contact(name, lw.Circle(T, 0.05, body=coupler), shape, restitution=restitution, friction=friction,
                      impact=impact)  # fmt: skip
    return lw.Simulation(model, {"a": 1.2, "b": 0.3, "c": 1.8}, {"ua": 3.0}, method=method)


def linked(friction: float, restitution: float, impact: str = "newton") -> lw.Simulation:
    sim = four_bar(friction, restitution, impact)
    sim.advance(1.2)
    return sim


def stopped() -> lw.Simulation:
    """Stops by conditions, one of which is the gap that closes, and going on after each."""
    model, shape = disk()
    model.contact("floor", shape, lw.Line(model.origin, model.frame.x, model.frame.y), restitution=0.5, friction=0.2)
    sim = lw.Simulation(model, {"x": 0.0, "y": 0.6, "a": 0.0}, {"u": 1.0}, method=TIGHT)
    while sim.t < 1.5:
        sim.advance(1.5, stop_when={"low": "y - 0.1", "falls": "v", "rolls": "u + 0.1*w"})
    return sim


def by_table(kind: str) -> lw.Simulation:
    """A disk that is pushed by tables, to and fro, up, and against a wall."""
    model, shape = disk()
    N = model.frame
    across, up = model.inputs(across=0.0, up=0.0)
    model.force(shape.center, across * N.x + up * N.y)
    model.contact("floor", shape, lw.Line(model.origin, N.x, N.y), restitution=0.3, friction=0.3)
    model.contact("wall", shape, wall(model, 1.0), restitution=0.6, friction=0.2)
    t = np.linspace(0.0, 2.0, 21)
    tables = {"across": lw.Table(t, 20.0 * np.sin(5.0 * t), kind),
              "up": lw.Table([0.0, 0.5, 0.6, 1.0], [0.0, 30.0, 0.0, 0.0], kind)}  # fmt: skip
    sim = lw.Simulation(model, {"x": 0.0, "y": R, "a": 0.0}, inputs=tables, method=TIGHT)
    sim.advance(1.5)
    return sim


def ruled() -> lw.Simulation:
    """A disk that rules push to and fro between a wall and a place, over a rough floor, and stop at last."""
    model, shape = disk()
    N = model.frame
    across, spin = model.inputs(across=4.0, spin=0.0)
    model.force(shape.center, across * N.x)
    model.torque(shape.body, spin * N.z)
    model.contact("floor", shape, lw.Line(model.origin, N.x, N.y), restitution=0.5, friction=0.3)
    model.contact("wall", shape, wall(model, 1.0), restitution=0.6, friction=0.2)
    model.rule("back", when="0.7 - x", inputs={"across": -12.0})
    model.rule("forth", when="x - 0.2", inputs={"across": 12.0, "spin": 0.1})
    model.rule("apex", when="v", inputs={"spin": "0.02*w"})
    model.rule("ends", when="1.3 - t", hold=lw.Constraint("held", model.equations().u[2]), once=True)
    sim = lw.Simulation(model, {"x": 0.3, "y": 0.3, "a": 0.0}, {"u": 1.0}, method=TIGHT)
    sim.advance(1.6)
    return sim


def by_many_methods() -> lw.Simulation:
    """The method is changed between advances."""
    sim = corner(0.5, 0.3)
    methods = (TIGHT, lw.RK4(1e-4), lw.DormandPrince(rtol=1e-10, atol=1e-12), lw.SciPy("Radau", 1e-11, 1e-13),
               lw.DormandPrince(rtol=1e-11, atol=1e-13, first_step=1e-4), TIGHT)  # fmt: skip
    for k, sim.method in enumerate(methods):
        sim.advance(0.15 * (k + 1))
    return sim


def crate(restitution: float, friction: float, method: Any = TIGHT) -> lw.Simulation:
    """A box in space that is dropped on a floor, a little askew: up to four corners hold it, with rows to spare."""
    model, sides, m = lw.Model("crate"), (0.3, 0.2, 0.16), 1.2
    N, link = model.frame, model.free("B")
    moments = (m * sum(side * side for side in sides if side is not own) / 12.0 for own in sides)
    body = model.body("box", link, link.origin, m, lw.inertia(link.frame, *moments))
    model.gravity(-G * N.z)
    model.contact("floor", body.box(sides), lw.Plane(model.origin, N.z), restitution=restitution, friction=friction)
    return lw.Simulation(model, [0.0, 0.0, 0.1, math.sqrt(0.998), 0.04, 0.02, 0.0], [0.5, 0.2, 0.0, 0.0, 0.0, 0.8],
                         method=method)  # fmt: skip


def on_its_corners() -> lw.Simulation:
    sim = crate(0.0, 0.4)
    sim.advance(0.3)
    return sim


def rubbing() -> lw.Simulation:
    """An arm whose joints stick and slip, with a ratchet and a rope."""
    scene = arm_with_friction(Units())
    sim = lw.Simulation(scene.model, scene.q, scene.u, method=TIGHT)
    sim.advance(scene.until)
    return sim


SCENES: Mapping[str, Runs] = {
    "arm with friction": rubbing,
    "crate in space": on_its_corners,
    "corner, plastic": lambda: in_a_corner(0.0, 0.3),
    "corner, rough": lambda: in_a_corner(0.5, 2.0),
    "corner, lively": lambda: in_a_corner(1.0, 0.3),
    "rod, pulled up": lambda: rod(lambda t: 40.0 * t, (0.5, 0.5)),
    "rod, pressed down": lambda: rod(lambda t: -60.0 * t, (0.3, 0.05)),
    "rod, to and fro": lambda: rod(lambda t: 20.0 * lw.sin(9.0 * t), (0.0, 0.5)),
    "rod, slides": lambda: rod(lambda t: -20.0 * lw.sin(9.0 * t), (0.3, 0.3), u=0.5),
    "zones": over_zones,
    "belt": off_a_belt,
    **{name: partial(changed, *pair) for name, pair in CHANGES.items()},
    **{f"four-bar, {law}": partial(linked, 0.2, 0.4, law) for law in ("newton", "poisson", "smith")},
    "four-bar, plastic": lambda: linked(0.5, 0.0),
    "stopped": stopped,
    "ruled": ruled,
    "table, held": lambda: by_table("held"),
    "table, linear": lambda: by_table("linear"),
    "methods": by_many_methods,
}

"""Events of a run as they read."""

import numpy as np
import pytest

import latchwork as lw
from latchwork.hybrid.event import Events, RunEvent

A, AB = ({name: np.ones(1) for name in names} for names in ("a", "ab"))
LINES = {
    "impact": (RunEvent(0.5, "a, b", ("c: stick",), ("a: slide", "c: stick"), AB, "impact", 2.0),
               "  0.500000000  impact     a open -> slide, b, energy lost 2"),
    "rebound": (RunEvent(0.5, "a", (), (), A, "impact", -1.5),
                "  0.500000000  impact     a: energy gained 1.5"),
    "stick": (RunEvent(1.0, "a", ("a: slide", "b: slide"), ("a: stick", "b: stick"), kind="stick"),
              "  1.000000000  stick      a: slide -> stick"),
    "feature": (RunEvent(1.0, "a: edge", ("a: edge: stick",), (), kind="release"),
                "  1.000000000  release    a: edge: stick -> open"),
    "rule": (RunEvent(2.0, "opens", ("latch", "a: stick"), ("a: stick",), kind="rule"),
             "  2.000000000  rule       opens: latch is let go"),
    "constrain": (RunEvent(2.0, "weld", (), ("weld",), {"weld": np.ones(3)}, "constrain", 0.25),
                  "  2.000000000  constrain  weld: holds, energy lost 0.25"),
    "stop": (RunEvent(3.25, "high", ("a: stick",), ("a: stick",)), "  3.250000000  stop       high"),
    "note": (RunEvent(0.0, "a", (), (), A, "impact", 0.0, ("why",)), "  0.000000000  impact     a: why"),
}  # fmt: skip


@pytest.mark.parametrize(("event", "line"), LINES.values(), ids=LINES)
def test_lines(event, line):
    """An event is a line: time, kind, whom it concerns, what changed, what it cost."""
    assert str(event) == line


def test_events_of_a_run():
    """The events of a run, printed, are a line each; they are still a tuple."""
    first, second = LINES["rule"][0], LINES["stop"][0]
    assert str(Events((first, second))) == f"{first}\n{second}"
    assert str(Events()) == "no events"
    assert Events((first,)) == (first,)


def test_many_contacts_in_one_impact():
    """Of many contacts the first four are named."""
    names = [f"c{i}" for i in range(9)]
    event = RunEvent(1.0, ", ".join(names), impulses=dict.fromkeys(names, np.ones(1)), kind="impact", energy=1.0)
    assert str(event).endswith("c0, c1, c2, c3 and 5 more, energy lost 1")


def test_what_a_rule_opens():
    """A contact that a rule lets open is told of, after the rule: 1 kg on the ground, lifted by 20 N at 0.5 s."""
    model = lw.Model("lift")
    (y,) = model.coordinates("y")
    model.speeds()
    lift = model.input("lift", 0.0)
    P = model.origin.at("P", y * model.frame.y)
    model.particle("load", P, 1.0)
    model.gravity(-9.8 * model.frame.y)
    model.force(P, lift * model.frame.y, name="rope")
    model.contact("ground", P, lw.Line(model.origin, model.frame.x, model.frame.y))
    model.rule("pull", 0.5 - model.time, inputs={lift: 20.0})
    run = lw.simulate(model, 1.0, q={"y": 0.0})
    assert [(event.kind, event.name) for event in run.events] == [("rule", "pull"), ("release", "ground")]
    assert run["y"][-1] == pytest.approx(0.5 * 10.2 * 0.25, rel=1e-9)


def test_energy_of_a_constraint_imposed():
    """Two wheels coupled in the run lose ½ J1 J2 / (J1 + J2) ω², and the event says so."""
    model = lw.Model("clutch")
    wheels = [model.revolute(f"w{k}", q=[f"q{k}"], u=[f"u{k}"]) for k in (1, 2)]
    for k, (wheel, J) in enumerate(zip(wheels, (2.0, 3.0), strict=True)):
        model.body(f"wheel {k}", wheel, wheel.origin, 1.0, lw.inertia(wheel.frame, zz=J))
    sim = lw.Simulation(model, q=[0.0, 0.0], u={"u1": 10.0})
    event = sim.constrain("clutch", wheels[0].u[0] - wheels[1].u[0])
    assert event.energy == pytest.approx(60.0, rel=1e-12)


def test_what_happened_is_told_from_the_first_step_after_it():
    """A ball dropped from 1 m: whoever asks in the run knows of all impacts that time has passed."""
    model = lw.Model("ball")
    (y,) = model.coordinates("y")
    model.speeds(v=lw.dt(y))
    N, O = model.frame, model.origin
    ball = O.at("P", y * N.y)
    model.particle("ball", ball, mass=1.0)
    model.gravity(-9.81 * N.y)
    told = []
    sim = lw.Simulation(model, q=[1.0], u=[0.0], progress=lambda t: told.append((t, [e.t for e in sim.events])))
    sim.contact("floor", ball, lw.Line(point=O, direction=N.x, normal=N.y), restitution=0.5)
    sim.advance(1.5)
    hits = [event.t for event in sim.events]
    assert len(hits) >= 3
    assert all(known == [hit for hit in hits if hit <= t] for t, known in told if t not in hits)


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
def test_slip_that_turns_around_is_an_event(space):
    """A block on a spring k with friction stops at x_(i+1) = −(x_i − 2 μ m g / k) every π √(m/k), and slides back."""
    model = lw.Model("block")
    N, O = model.frame, model.origin
    q = model.coordinates(*("xyz" if space else "xy"))
    up = N.z if space else N.y
    P = O.at("P", sum((each * axis for each, axis in zip(q, (N.x, N.y, N.z), strict=False)), start=0.0 * N.x))
    model.particle("P", P, 1.0)
    model.gravity(-10.0 * up)
    model.force(P, -80.0 * q[0] * N.x)
    model.contact("floor", P, lw.Plane(O, up) if space else lw.Line(O, N.x, up), friction=0.1)
    run = lw.simulate(model, until=2.0, q=[1.0, *[0.0] * (len(q) - 1)])
    assert [event.kind for event in run.events] == ["reversal"] * 5
    times = [i * np.pi / np.sqrt(80.0) for i in range(1, 6)]
    stops = [(-1.0) ** i * (1.0 - 0.025 * i) for i in range(1, 6)]
    assert [event.t for event in run.events] == pytest.approx(times, abs=1e-8)
    assert [float(run.at(t)["x"]) for t in times] == pytest.approx(stops, abs=1e-8)
    assert {event.before for event in run.events} == {event.after for event in run.events} == {("floor: slide",)}


@pytest.mark.parametrize("speed", [0.3, 1.0 / 3.0, 2.7, 31.0])
def test_rounding_is_no_energy(speed):
    """An elastic impact of two disks takes nothing, and no event says that 1e-16 was gained or lost."""
    model = lw.Model("disks")
    for k, mass in enumerate((1.0, 0.7)):
        joint = model.planar(f"d{k}", q=[f"x{k}", f"y{k}", f"a{k}"], u=[f"vx{k}", f"vy{k}", f"w{k}"])
        model.body(f"d{k}", joint, joint.origin, mass, lw.inertia(joint.frame, zz=0.1))
    one, other = (model.bodies[f"d{k}"].circle(0.1) for k in range(2))
    model.contact("strike", one, other, restitution=1.0)
    run = lw.simulate(model, 0.8 / speed, {"x1": 0.5, "y1": 0.07}, {"vx0": speed, "w1": 0.3})
    (event,) = run.events
    assert event.kind == "impact"
    assert event.energy == 0.0
    assert "energy" not in str(event)

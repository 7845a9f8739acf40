"""Limits of joints: stops that a joint meets, rests at and leaves."""

from __future__ import annotations

import math

import pytest

import latchwork as lw


def pendulum(bounds: object, restitution: float = 0.0) -> lw.Model:
    """A rod of 1 m that hangs from a hinge with stops."""
    model = lw.Model("limits")
    N = model.frame
    hinge = model.revolute("hinge", axis=N.z, q=["q"], u=["u"])
    model.body("arm", hinge, hinge.origin.at("C", -0.5 * hinge.frame.y), 1.0, lw.inertia(hinge.frame, zz=1.0 / 12.0))
    model.gravity(-9.81 * N.y)
    model.limit("stops", hinge, bounds, restitution=restitution)
    return model


def test_a_pendulum_meets_its_stop():
    """From rest at a it meets b with u² = 3 g (cos b − cos a), and leaves with e times that."""
    run = lw.simulate(pendulum((-0.3, None), 0.5), until=1.0, q=[1.0])
    (impact, *_) = run.events
    assert (impact.kind, impact.name) == ("impact", "stops: low")
    speed = math.sqrt(3.0 * 9.81 * (math.cos(0.3) - math.cos(1.0)))
    assert impact.impulses["stops: low"] == pytest.approx([1.5 * speed / 3.0], rel=1e-8)
    assert impact.energy == pytest.approx(0.75 * speed**2 / 6.0, rel=1e-8)


def test_a_pendulum_rests_at_its_stop():
    """A stop on the way down carries it, with the torque m g L/2 sin b; nothing else is held."""
    run = lw.simulate(pendulum((0.4, 2.0)), until=3.0, q=[1.0])
    assert run["q"][-1] == pytest.approx(0.4, abs=1e-12)
    assert run.modes[-1].names == ("stops: low: slide",)
    torque = run.reactions()["stops: low"].torque[-1]
    assert torque == pytest.approx([0.0, 0.0, 9.81 * 0.5 * math.sin(0.4)], abs=1e-9)


def test_a_slider_between_two_stops():
    """Without losses it goes to and fro for ever: 2 d/v for each round."""
    model = lw.Model("slider")
    rail = model.prismatic("rail", axis=model.frame.x, q=["q"], u=["u"])
    model.particle("P", rail.origin, 2.0)
    model.limit("ends", rail, (-1.0, 1.0), restitution=1.0)
    run = lw.simulate(model, until=10.0, q=[0.0], u=[2.0])
    assert [event.t for event in run.events] == pytest.approx([0.5 + i for i in range(10)], abs=1e-9)


def test_limits_that_are_pulled():
    """A stop that turns by itself takes the joint with it."""
    model = lw.Model("pushed")
    hinge = model.revolute("hinge", axis=model.frame.z, q=["q"], u=["u"])
    model.body("arm", hinge, hinge.origin, 1.0, lw.inertia(hinge.frame, zz=1.0))
    model.limit("cam", hinge, (0.1 * model.time**2, None))
    run = lw.simulate(model, until=2.0, q=[0.0])
    assert run["q"][-1] == pytest.approx(0.4, abs=1e-9)


def test_animated_and_drawn(tmp_path):
    """A run with limits is animated like any other."""
    run = lw.simulate(pendulum((-0.3, 0.3), 0.5), until=0.5, q=[0.2])
    run.animate(tmp_path / "limits.html", forces=True)
    assert (tmp_path / "limits.html").stat().st_size > 1000


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (0.3, r"the limits of 'stops' are 0.3\. Give two bounds"),
        ((None, None), r"'stops' has no limit"),
        ((0.4, 0.1), r"are 0.4 and 0.1\. Give the lower one first"),
        ((math.nan, 1.0), r"a limit of 'stops' is nan\. Give a finite number"),
    ],
)
def test_limits_that_are_none(bounds, words):
    """What is no pair of bounds is refused by name."""
    with pytest.raises(lw.ModelError, match=words):
        pendulum(bounds)


def test_limits_at_the_start_and_in_files():
    """A joint beyond its limit at the start is refused; so is giving limits other shapes. Files hold them."""
    with pytest.raises(lw.ModelError, match=r"q is 1 at t = 0, beyond 'stops: high' by 0.5\. Start it between -0.3"):
        lw.simulate(pendulum((-0.3, 0.5)), until=1.0, q=[1.0])
    runs = [lw.simulate(each, until=2.0, q=[1.0]) for model in (pendulum((-0.3, None), 0.5), pendulum((-0.2, 1.0)))
            for each in (model, lw.loads(lw.dump(model)))]  # fmt: skip
    for before, after in (runs[:2], runs[2:]):
        assert [event.t for event in after.events] == [event.t for event in before.events]
        assert after["q"].tolist() == before["q"].tolist()
    with pytest.raises(lw.ModelError, match="'stops' limits a joint, and has no shapes"):
        lw.Simulation(pendulum((-0.3, 0.5)), q=[0.0]).reshape("stops")


@pytest.mark.parametrize(("bounds", "start"), [((0.2, 1.0), 0.2), ((-1.0, -0.3), -0.3), ((-0.1, 0.1), 0.0),
                                               ((None, -0.5), -0.5)])  # fmt: skip
def test_a_start_that_is_not_given_is_between_the_stops(bounds, start):
    """A coordinate that is not given starts at zero, or at the stop nearest to it, in one run and in many."""
    assert lw.simulate(pendulum(bounds), until=0.01)["q"][0] == start
    many = lw.simulate_many(pendulum(bounds), {"u": [0.0, 0.0]}, until=1e-6)
    assert many.final["q"] == pytest.approx([start, start], abs=1e-6)


URDF = """<robot name="arm"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
<limit lower="-0.4" upper="0.9" effort="1" velocity="1"/></joint></robot>"""


def test_robots_stop_at_their_limits(tmp_path):
    """Limits of a file are data, and stops where they are asked for."""
    path = tmp_path / "arm.urdf"
    path.write_text(URDF, encoding="utf-8")
    assert lw.load(path).contacts == ()
    free = lw.simulate(lw.load(path), until=1.0, q=[0.9])
    assert free["hinge"].min() < -0.8
    run = lw.simulate(lw.load(path, limits=True), until=1.0, q=[0.9])
    assert run["hinge"].min() == pytest.approx(-0.4, abs=1e-9)
    assert run.events[0].name == "hinge limits: low"

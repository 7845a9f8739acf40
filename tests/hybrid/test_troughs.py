"""A disk in a trough that is tighter than itself: it touches two places of one curve."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq

import latchwork as lw
from campaign import rows

R, MIDDLE = 0.5, -math.pi / 8  # the disk, and the lowest place of y = 0.2 sin 4x, whose radius there is 0.3125


def rolled(ranges: dict[str, tuple[float, float]], friction: float | None) -> lw.Trajectory:
    """A disk let go beside the trough, over parts of the curve, a contact for each."""
    model = lw.Model("trough")
    link, N, O = model.planar("A"), model.frame, model.origin
    body = model.body("disk", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(-9.81 * N.y)
    for name, part in ranges.items():
        curve = lw.Curve(O, lambda x: x * N.x + 0.2 * lw.sin(4.0 * x) * N.y, part)
        model.contact(name, lw.Circle(link.origin, R, body=body), curve, friction=friction)
    return lw.simulate(model, until=1.5, q=[MIDDLE - 0.45, 0.85, 0.0])


HALVES, WHOLE = {"left": (-3.0, MIDDLE), "right": (MIDDLE, 3.0)}, {"ground": (-3.0, 3.0)}


@pytest.mark.parametrize(
    ("ranges", "friction"), rows([(HALVES, 0.3), (WHOLE, None)], product([HALVES, WHOLE], [None, 0.3]))
)
def test_a_disk_rests_at_two_places_of_a_trough(ranges, friction):
    """It ends on two places, δ off the middle with δ² (1 + 1/f′²) = R², f = −0.2 cos 4δ, whose forces carry it."""
    run = rolled(ranges, friction)
    slope = lambda d: 0.8 * math.sin(4.0 * d)  # noqa: E731
    d = brentq(lambda d: d * d * (1.0 + 1.0 / slope(d) ** 2) - R * R, 1e-3, 0.38)
    x, y = run["q_A_px"], run["q_A_py"]
    assert [x[-1], y[-1]] == pytest.approx([MIDDLE, d / slope(d) - 0.2 * math.cos(4.0 * d)], abs=1e-8)
    s = np.linspace(-1.5, 0.5, 20001)
    assert min(np.hypot(s - a, 0.2 * np.sin(4.0 * s) - b).min() for a, b in zip(x, y, strict=True)) > R - 1e-9


def let_fall(friction: float | None = None) -> lw.Simulation:
    """A disk above the middle of the trough, which meets two places at once."""
    model = lw.Model("trough")
    link, N, O = model.planar("A"), model.frame, model.origin
    body = model.body("disk", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(-9.81 * N.y)
    curve = lw.Curve(O, lambda x: x * N.x + 0.2 * lw.sin(4.0 * x) * N.y, (-3.0, 3.0))
    ground = model.contact("ground", lw.Circle(link.origin, R, body=body), curve, friction=friction)
    model.rule("weighs", 9.0 - ground.force, stop=True, once=True)
    return lw.Simulation(model, q=[MIDDLE, 1.0, 0.0])


def test_two_places_are_met_at_once():
    """One impact at both, and the force of the contact is that of both: by symmetry m g / 2 upwards at each."""
    sim = let_fall()
    sim.advance(until=2.0)
    impact, rule = sim.events
    assert list(impact.impulses) == ["ground", "ground (place 2)"]
    assert (rule.name, rule.t) == ("weighs", impact.t)
    sim.advance(until=1.0)
    forces = sim.run.reactions()
    assert [forces[name].force[-1][1] for name in impact.impulses] == pytest.approx([0.5 * 9.81] * 2)


def test_a_contact_is_removed_at_all_its_places():
    """Taken away, nothing holds any more; its name is free again, and the further place cannot be named."""
    sim = let_fall()
    sim.advance(until=0.5)
    sim.advance(until=0.5)
    with pytest.raises(lw.ModelError, match=r"no contact 'ground \(place 2\)' now"):
        sim.remove("ground (place 2)")
    sim.remove("ground")
    assert sim.active == ()
    y = sim.q["q_A_py"]
    sim.advance(until=1.0)
    assert sim.q["q_A_py"] == pytest.approx(y - 0.5 * 9.81 * 0.25)


@pytest.mark.parametrize("rate", [0.0, 4.0])
def test_a_disk_in_the_end_of_an_ellipse(rate):
    """In x²/4 + y² = 1 a disk of 0.6 rests at two places (2 cos s, ± sin s), with its center at 1.5 cos s.

    There (0.5 cos s)² + sin² s = 0.36. Pushed away, it comes back to the same places.
    """
    model = lw.Model("ellipse")
    link, N, O = model.planar("A"), model.frame, model.origin
    body = model.body("disk", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(9.81 * N.x)
    curve = lw.Curve(O, lambda s: 2.0 * lw.cos(s) * N.x + lw.sin(s) * N.y, (0.0, 2.0 * math.pi), closed=True)
    model.contact("wall", lw.Circle(link.origin, 0.6, body=body), curve)
    model.rule("push", 2.0 - model.time, reset={"u_A_vx": -rate}, once=True)
    run = lw.simulate(model, until=5.0, q=[0.5, 0.1, 0.0])
    c = math.sqrt((1.0 - 0.36) / 0.75)
    assert [run["q_A_px"][-1], run["q_A_py"][-1]] == pytest.approx([1.5 * c, 0.0], abs=1e-8)
    assert run.modes[-1].names == ("wall: slide", "wall (place 2): slide")
    assert run.at(2.0 + rate / 9.81)["q_A_px"] == pytest.approx(1.5 * c - rate**2 / (2.0 * 9.81), abs=1e-8)


def test_a_ball_in_a_surface_that_is_tighter_one_way():
    """On z = x²/4 + 2 y² a ball of 0.5 rests at y = ±d, d² + 1/16 = R², its center at 2 d² + 1/4."""
    model = lw.Model("bowl")
    N, O = model.frame, model.origin
    link = model.free("A")
    body = model.body("ball", link, link.origin, 1.0, lw.inertia(link.frame, 0.1, 0.1, 0.1))
    model.gravity(-9.81 * N.z)
    spans = (-2.0, 2.0), (-1.0, 1.0)
    bowl = lw.Surface(O, lambda a, b: a * N.x + b * N.y + (0.25 * a * a + 2.0 * b * b) * N.z, spans)
    model.contact("bowl", body.sphere(R), bowl)
    run = lw.simulate(model, until=2.0, q={"q_A_px": 0.0, "q_A_py": 0.02, "q_A_pz": 0.8, "q_A_e0": 1.0})
    d2 = R * R - 0.0625
    assert run["q_A_pz"][-1] == pytest.approx(2.0 * d2 + 0.25, abs=1e-8)
    assert run["q_A_py"][-1] == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("aside", [0.0, 1e-9])
def test_a_disk_falls_along_the_axis_of_a_parabola(aside):
    """Where its centre passes the middle of curvature two nearest places become one: they are followed all the same."""
    model = lw.Model("parabola")
    link, N, O = model.planar("A"), model.frame, model.origin
    body = model.body("disk", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(-9.81 * N.y)
    curve = lw.Curve(O, lambda s: s * N.x + s * s * N.y, (-2.0, 2.0))
    model.contact("bowl", body.circle(0.3), curve, restitution=0.5)
    run = lw.simulate(model, until=3.0, q=[aside, 1.6, 0.0])
    assert run.events[0].t == pytest.approx(math.sqrt(2.0 * 1.3 / 9.81), abs=1e-9)
    assert run["q_A_py"][-1] == pytest.approx(0.3, abs=1e-9)

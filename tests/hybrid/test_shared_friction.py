"""Bodies that stand on several contacts with friction: which carries how much is not unique, when they slip is."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import latchwork as lw
from campaign import rows

WEIGHT = 9.81  # of 1 kg


def in_the_plane(mu: lw.Coulomb, height: float) -> lw.Trajectory:
    """A box of 0.2 m, pushed by F = t so far above its middle."""
    model = lw.Model("pushed")
    link, N, O = model.planar("b"), model.frame, model.origin
    body = model.body("b", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(-WEIGHT * N.y)
    model.force(link.origin.at("H", height * link.frame.y), model.time * N.x)
    model.contact("floor", body.box((0.2, 0.2)), lw.Line(O, N.x, N.y), friction=mu)
    return lw.simulate(model, until=6.0, q=[0.0, 0.1, 0.0])


def in_space(mu: lw.Coulomb, heading: float, feet: int, height: float = 0.0) -> lw.Trajectory:
    """A box, or a body on some feet, pushed by F = t in a direction, in the height of its middle or elsewhere."""
    model = lw.Model("pushed")
    link, N, O = model.free("b"), model.frame, model.origin
    body = model.body("b", link, link.origin, 1.0, lw.inertia(link.frame, 0.01, 0.01, 0.01))
    model.gravity(-WEIGHT * N.z)
    way = math.cos(heading) * N.x + math.sin(heading) * N.y
    model.force(link.origin.at("H", height * link.frame.z), model.time * way)
    if feet:
        for i in range(feet):
            angle = 2.0 * math.pi * i / feet + 0.1
            arm = 0.1 * (math.cos(angle) * link.frame.x + math.sin(angle) * link.frame.y) - 0.1 * link.frame.z
            model.contact(f"foot {i}", link.origin.at(f"P{i}", arm), lw.Plane(O, N.z), friction=mu)
    else:
        model.contact("floor", body.box((0.2, 0.2, 0.2)), lw.Plane(O, N.z), friction=mu)
    return lw.simulate(model, until=6.0, q=[0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0])


def way_of_a_particle(static: float, dynamic: float, until: float = 6.0) -> float:
    """∫∫ (t − μ_d W) dt dt from t = μ_s W on, where it begins to slip."""
    s = until - static * WEIGHT
    return s**3 / 6.0 + (static - dynamic) * WEIGHT * s**2 / 2.0


@pytest.mark.parametrize("dynamic", [0.5, 0.45, 0.3])
@pytest.mark.parametrize("height", [0.0, 0.05, -0.08])
def test_a_box_slips_at_static_friction(dynamic, height):
    """F = μ_s W, wherever it is pushed and however the corners share; then all slide, and it moves as a particle."""
    run = in_the_plane(lw.Coulomb(0.5, dynamic), height)
    assert {event.kind for event in run.events} == {"slide"}
    assert [event.t for event in run.events] == pytest.approx([0.5 * WEIGHT] * 2, abs=1e-7)
    assert run["q_b_px"][-1] == pytest.approx(way_of_a_particle(0.5, dynamic), abs=1e-7)


@pytest.mark.parametrize(
    ("dynamic", "feet", "heading"),
    rows([(0.5, 0, 0.7), (0.4, 0, 0.0), (0.4, 3, 0.7), (0.4, 4, 0.7)], product([0.5, 0.4], [0, 3, 4], [0.0, 0.7])),
)
def test_a_body_in_space_slips_at_static_friction(dynamic, feet, heading):
    """The same on the four corners of a box, or on three or four feet; it goes straight, and does not turn."""
    run = in_space(lw.Coulomb(0.5, dynamic), heading, feet)
    assert run.at(0.5 * WEIGHT - 1e-6)["q_b_px"] == pytest.approx(0.0, abs=1e-12)
    gone = way_of_a_particle(0.5, dynamic)
    end = [run[name][-1] for name in ("q_b_px", "q_b_py", "q_b_e3")]
    assert end == pytest.approx([gone * math.cos(heading), gone * math.sin(heading), 0.0], abs=1e-5)


def test_a_box_pushed_low_presses_on_its_front_corners():
    """Pushed below its middle the load moves; it still slips at μ_s W."""
    run = in_space(lw.Coulomb(0.5), 0.3, 0, height=-0.05)
    assert math.hypot(run["q_b_px"][-1], run["q_b_py"][-1]) == pytest.approx(way_of_a_particle(0.5, 0.5), abs=1e-5)


def test_a_die_that_has_come_to_rest_is_not_stressed():
    """All four corners stick where nothing moves, and together they carry the weight and nothing else."""
    model = lw.Model("die")
    link, N, O = model.free("c"), model.frame, model.origin
    body = model.body("c", link, link.origin, 1.0, lw.inertia(link.frame, 0.01, 0.01, 0.01))
    model.gravity(-WEIGHT * N.z)
    model.contact("table", body.box((0.2, 0.2, 0.2)), lw.Plane(O, N.z), friction=0.3)
    s = math.sin(0.2)
    run = lw.simulate(model, until=2.0, q=[0.0, 0.0, 0.3, math.cos(0.2), 0.6 * s, 0.8 * s, 0.0],
                      u={"u_c_vx": 1.0, "u_c_wz": 3.0})  # fmt: skip
    assert len(run.modes[-1].names) == 4
    assert all(name.endswith(": stick") for name in run.modes[-1].names)
    forces = np.array([force.force[-1] for name, force in run.reactions().items() if name.startswith("table")])
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, WEIGHT], abs=1e-9)
    assert np.abs(forces[:, :2]).max() < 1e-9


def gripped(law: str) -> lw.Trajectory:
    """Two fingers that press a disk on the floor between them with 8 N each, and are lifted by a law of t."""
    model = lw.Model("gripper")
    N, O, t = model.frame, model.origin, model.time
    lift = model.prismatic("lift", axis=N.y)
    model.particle("palm", lift.origin, 1.0)
    fingers = {side: model.prismatic(side, lift, axis=N.x) for side in ("left", "right")}
    for finger in fingers.values():
        model.particle(f"tip {finger.name}", finger.origin, 0.1)
    link = model.planar("obj")
    disk = model.body("obj", link, link.origin, 0.3, lw.inertia(link.frame, zz=1.35e-4))
    model.gravity(-WEIGHT * N.y)
    model.actuate(fingers["left"], 8.0), model.actuate(fingers["right"], -8.0)
    model.prescribe("lifting", lift, {"jerk": 0.1 * (t - lw.sin(t)), "steep": 0.1 * t**4,
                                      "late": lw.where(t > 1.0, 0.05 * (t - 1.0) ** 2, 0.0)}[law])  # fmt: skip
    for side, normal in (("left", N.x), ("right", -N.x)):
        face = lw.Line(fingers[side].origin, N.y, normal, body=fingers[side])
        model.contact(side, disk.circle(0.03), face, friction=0.5)
    model.contact("floor", disk.circle(0.03), lw.Line(O.at("F", -0.03 * N.y), N.x, N.y), friction=0.5)
    return lw.simulate(model, until=2.0, q={"q_lift": 0.0, "q_left": -0.03, "q_right": 0.03, "q_obj_px": 0.0,
                                            "q_obj_py": 0.0, "q_obj_rz": 0.0})  # fmt: skip


@pytest.mark.parametrize("law", ["jerk", "steep", "late"])
def test_what_is_gripped_is_lifted_off_the_floor(law):
    """The floor, the fingers and the lift agree at first, and contradict each other as soon as it rises: then the floor
    lets go, and the disk goes with the fingers."""
    run = gripped(law)
    assert run.modes[-1].names == ("lifting", "left: stick", "right: stick")
    assert run["q_obj_py"][-1] == pytest.approx(run["q_lift"][-1], abs=1e-9)
    assert run["q_lift"][-1] > 0.04
    assert run.audit.least_gap > -1e-9


@pytest.mark.parametrize("friction", [None, 0.3])
def test_a_box_is_welded_where_it_slides_and_let_go(friction):
    """Welded to the ground nothing moves at its corners, whatever rounding says; let go, it rests on them again."""
    model = lw.Model("welded")
    link, N, O = model.planar("d"), model.frame, model.origin
    body = model.body("b", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(-WEIGHT * N.y)
    model.contact("floor", body.box((0.4, 0.2)), lw.Line(O, N.x, N.y), friction=friction)
    sim = lw.Simulation(model, q={"q_d_py": 0.1}, u={"u_d_vx": 1.0})
    sim.advance(0.1)
    sim.weld("weld", body, N)
    sim.advance(0.3)
    x = sim.q["q_d_px"]
    sim.release("weld")
    sim.advance(1.0)
    assert [sim.q["q_d_px"], sim.q["q_d_py"]] == pytest.approx([x, 0.1], abs=1e-12)
    assert len(sim.active) == 2

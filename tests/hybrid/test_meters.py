"""Meters of a run: energies, momenta, forces, reactions, loads and motors, by name and in expressions; their units."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork.view.plots import _without_noise

Q = lw.quantity


@pytest.fixture(scope="module")
def swung() -> lw.Trajectory:
    """A pendulum of one rod with a motor and a spring to the ground, in SI units."""
    model = lw.Model("pendulum")
    m, L, g, k = model.parameters(m=Q(2.0, "kg", "mass of the rod"), L=Q(0.5, "m", "its length"), g=Q(9.81, "m/s^2"),
                                  k=Q(30.0, "N/m", "stiffness"))  # fmt: skip
    T = model.input("T", Q(unit="N m", description="torque of the motor"))
    N, O = model.frame, model.origin
    arm = model.revolute("arm", at=O, q=["q"], u=["w"])
    center = arm.origin.at("center", L / 2 * arm.frame.x)
    tip = arm.origin.at("tip", L * arm.frame.x)
    model.body("rod", arm, center, m, lw.inertia(arm.frame, zz=m * L**2 / 12))
    model.actuate(arm, T, name="motor")
    model.spring(tip, O.at("wall", 1.0 * N.x), stiffness=k, name="spring")
    model.gravity(-g * N.y)
    model.describe(q=Q(description="angle of the rod"))
    return lw.simulate(model, 0.5, q={"q": 0.3}, u={"w": 2.0}, inputs={"T": 1.5}, every=0.01)


def test_energies_and_momenta_have_names(swung):
    """energy is K + V, momentum m v, angular momentum about O that of the rod, work what the motor did."""
    m, L = 2.0, 0.5
    w = swung["w"]
    assert swung["kinetic_energy"] == pytest.approx(m * L**2 / 6 * w**2)
    assert swung["energy"] == pytest.approx(swung.energy)
    assert swung["energy - kinetic_energy - potential_energy"] == pytest.approx(0.0, abs=1e-12)
    assert swung["work"] == pytest.approx(swung.work)
    assert np.linalg.norm(swung["momentum"], axis=1) == pytest.approx(abs(m * L / 2 * w))
    assert swung["dot(angular_momentum, N.z)"] == pytest.approx(m * L**2 / 3 * w)
    assert swung["work"][-1] == pytest.approx(1.5 * (swung["q"][-1] - swung["q"][0]), rel=1e-6)


def test_reactions_are_vectors_of_expressions(swung):
    """reaction(arm) is what run.reactions() gives, and obeys m a = reaction + spring + weight."""
    along = swung.reactions()["arm"]
    assert np.array_equal(swung["reaction(arm)"], along.force)
    assert np.array_equal(swung["reaction_torque(arm)"], along.torque)
    assert swung["magnitude(reaction(arm))"] == pytest.approx(np.linalg.norm(along.force, axis=1))
    q, w, wdot = swung["q"], swung["w"], swung["dt(w)"]
    radial, across = np.column_stack([np.cos(q), np.sin(q)]), np.column_stack([-np.sin(q), np.cos(q)])
    acceleration = 0.25 * (wdot[:, None] * across - (w**2)[:, None] * radial)
    net = swung["reaction(arm)"][:, :2] + swung["load(spring)"][:, :2] + np.array([0.0, -2.0 * 9.81])
    assert net == pytest.approx(2.0 * acceleration, abs=1e-9)


def test_motors_and_loads_by_name(swung):
    """motor(arm) is the torque of what drives the joint, load(spring) pulls towards the wall."""
    assert swung["motor(arm)"] == pytest.approx(1.5)
    assert swung["load(spring)"] == pytest.approx(30.0 * (np.array([1.0, 0, 0]) - swung["tip"]))


def test_one_sample_and_times_between(swung):
    """Meters between the samples, and at one time, where a scalar is a number."""
    assert swung.at(0.123)["motor(arm)"] == 1.5
    assert swung.at(0.123)["reaction(arm)"].shape == (3,)
    assert swung.at([0.1, 0.2])["energy"].shape == (2,)


def test_contact_forces_by_name():
    """A block pressed on the floor: the normal force is its weight, and the reaction has friction in it."""
    model = lw.Model("block")
    block = model.planar("block", q=["x", "y", "a"], u=["vx", "vy", "w"])
    body = model.body("crate", block, block.origin, 3.0, lw.inertia(block.frame, zz=0.1))
    model.gravity(-10.0 * model.frame.y)
    model.contact("floor", body.box([1.0, 0.5]), lw.Line(model.origin, model.frame.x, model.frame.y), friction=0.4)
    run = lw.simulate(model, 0.2, q={"y": 0.25}, u={"vx": 2.0}, every=0.05)
    assert run["force(floor)"][1:] == pytest.approx(30.0)
    total = sum(run[f"reaction(`{name}`)"][-1] for name in run.contacts[0].names)
    assert total == pytest.approx([-12.0, 30.0, 0.0], abs=1e-9)


UNKNOWN = {
    "energi": "'energi' is not in the run of 'pendulum'. Did you mean 'energy'",
    "reaction(arn)": "there is no constraint or contact 'arn'. Did you mean 'arm'",
    "force(arm)": r"'arm' has no force here. Ask for motor\(arm\) or reaction\(arm\)",
    "load(arm)": "'arm' has no load here",
}


@pytest.mark.parametrize(("asked", "said"), UNKNOWN.items())
def test_a_wrong_name_is_answered_by_the_nearest(swung, asked, said):
    """One sentence, with what there is."""
    with pytest.raises(lw.LatchworkError, match=said):
        swung[asked]


def test_a_constraint_without_directions_says_so():
    """Rows that are only expressions have multipliers, but no force vector."""
    model = lw.Model("held")
    x, y = model.coordinates("x", "y")
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("P", P, 1.0)
    model.gravity(-10.0 * model.frame.y)
    model.constraint("rail", y)
    run = lw.simulate(model, 0.1, q={"x": 0.0, "y": 0.0})
    assert run["force(rail)"] == pytest.approx(10.0)
    with pytest.raises(lw.EvaluationError, match="says what must be zero, not where it acts"):
        run["reaction(rail)"]


LABELS = {
    "q": ("rad", "angle of the rod"), "w": ("rad/s", ""), "t": ("s", ""), "L": ("m", "its length"), "tip": ("m", ""),
    "L*w": ("m/s", ""), "m*g": ("N", ""), "energy": ("J", "kinetic and potential energy"),
    "motor(arm)": ("N m", "torque of the motor"),
    "reaction(arm)": ("N", ""), "reaction_torque(arm)": ("N m", ""), "magnitude(reaction(arm))/m": ("m/s^2", ""),
    "q + m": ("", ""), "0.37*L": ("", ""), "momentum": ("kg m/s", "linear momentum"), "dt(w)": ("rad/s^2", ""),
}  # fmt: skip


@pytest.mark.parametrize(("what", "expected"), LABELS.items())
def test_units_follow_from_those_that_were_given(swung, what, expected):
    """Rates, speeds, expressions, forces and energies; none where it is not certain."""
    assert tuple(swung.label(what)) == expected


def test_axes_and_panels_show_units(swung):
    """run.plot writes units at the axes, and descriptions above."""
    figure = swung.plot("q", "reaction(arm)")
    first, second = figure.axes
    assert first.get_ylabel() == "q in rad"
    assert [text.get_text() for text in first.texts] == ["angle of the rod"]
    assert second.get_ylabel() == "reaction(arm) in N"
    assert second.get_xlabel() == "t in s"


def test_rounding_is_shown_as_zero(swung):
    """A component that is rounding beside the others is drawn as 0, and so is a scalar beside the state."""
    values = np.column_stack([np.ones(4), 1e-16 * np.arange(4), np.zeros(4)])
    assert _without_noise(swung, values)[:, 1].tolist() == [0.0] * 4
    assert _without_noise(swung, np.full((4, 1), 1e-17)).tolist() == [[0.0]] * 4
    assert _without_noise(swung, np.full((4, 1), 1e-3)).tolist() == [[1e-3]] * 4

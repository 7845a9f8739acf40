"""Close to a singular position and exactly there: what is asked of a mechanism is the limit along its branch."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork.errors import ConstraintError, EvaluationError
from singular_models import LENGTH as L
from singular_models import MASS as M
from singular_models import G, four_bar, slider_crank

RATE = 1.5
DISTANCES = [1e-2, 1e-4, 1e-6, 1e-8]
UPRIGHT = [math.pi / 2.0, math.pi]


def embedded(copies=1):
    return slider_crank(copies).constrained(at={"q1": 1.0, "q2": 2.0 * math.pi - 2.0})


def exact(theta, rate, torque):
    """θ̈ of one degree of freedom, and what the slot exerts: F = m (g + tan θ · ẍ_Q) with x_Q = 2 l cos θ."""
    c, s = math.cos(theta), math.sin(theta)
    inertia = M * L * L * (3.0 - 2.0 * math.cos(2.0 * theta))
    bend = (torque - 2.0 * M * L * L * math.sin(2.0 * theta) * rate**2 - M * G * L * c) / inertia
    return bend, M * (G + s / c * 2.0 * L * (-s * bend - c * rate**2))


def state(distance, rate=RATE):
    theta = UPRIGHT[0] - distance
    return theta, [theta, 2.0 * math.pi - 2.0 * theta], [rate, -2.0 * rate]


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("torque", [0.0, 3.0])
@pytest.mark.parametrize("distance", DISTANCES)
def test_reactions_are_those_of_the_closed_form(distance, torque, copies):
    """To 1e-6, where the force has a limit and where it grows without bound; copies of a row share it."""
    theta, q, u = state(distance)
    bend, force = exact(theta, RATE, torque)
    crank = embedded(copies)
    assert crank.udot(q, u, [torque]) == pytest.approx([bend, -2.0 * bend], abs=1e-8)
    lam = crank.multipliers(q, u, [torque])
    assert sum((1.0 + i) * lam[f"slot {i}"][0] for i in range(copies)) == pytest.approx(force, rel=1e-6)
    reactions = crank.reactions(q, u, [torque])
    assert reactions["slot 0"].lam == pytest.approx(lam["slot 0"], rel=1e-12)
    assert len(reactions["slot 0"].undetermined) == min(copies - 1, 1)


@pytest.mark.parametrize("distance", [*DISTANCES[1:], 0.0])
def test_independent_speeds_are_enough_beside_and_all_are_needed_there(distance):
    """A mapping without the dependent speed is completed beside the position, and refused at it, by name."""
    _, q, u = state(distance)
    crank = embedded()
    name = crank.independent[0].name
    given = {name: dict(zip(("u1", "u2"), u, strict=True))[name]}
    if distance:
        assert crank.udot(q, given) == pytest.approx(crank.udot(q, u), abs=1e-6)
        return
    with pytest.raises(EvaluationError, match=r"do not determine u\d at .*q1 = 1\.5708.*Give all speeds, along"):
        crank.udot(q, given)


def test_exactly_there_values_are_the_limit_of_the_branch_that_speeds_tell():
    """Sliding on, the slot exerts what it does close by; turning as one link, both particles swing about O."""
    crank = embedded()
    _, force = exact(UPRIGHT[0] - 1e-5, RATE, 0.0)
    assert crank.udot(UPRIGHT, [RATE, -2.0 * RATE], [3.0]) == pytest.approx([0.78125, -1.5625], abs=1e-9)
    assert crank.multipliers(UPRIGHT, [RATE, -2.0 * RATE])["slot 0"] == pytest.approx([force], rel=1e-6)
    folded = crank.udot(UPRIGHT, [RATE, 0.0], [3.0])
    assert folded == pytest.approx([3.0 / (M * L * L), 0.0], abs=1e-9)


def test_what_has_no_limit_is_refused_by_name():
    """A torque at the dead point needs an infinite force; speeds along no branch, and rest, have no branch."""
    crank = embedded()
    with pytest.raises(EvaluationError, match=r"'slot 0' .*would need an infinite force at .*q1 = 1\.5708"):
        crank.reactions(UPRIGHT, [RATE, -2.0 * RATE], [3.0])
    with pytest.raises(ConstraintError, match=r"singular position and moves as no branch .*q1 = 1\.5708"):
        crank.udot(UPRIGHT, [RATE, -RATE])
    with pytest.raises(ConstraintError, match=r"singular position and stands still.*q1 = 1\.5708"):
        crank.linearize(UPRIGHT, [0.0, 0.0])
    with pytest.raises(ConstraintError, match=r"singular position and stands still.*q1 = 1\.5708"):
        crank.operator(UPRIGHT, [0.0, 0.0]).inverse_dynamics([1.0, -2.0])


@pytest.mark.parametrize("distance", [*DISTANCES, 0.0])
def test_linear_equations_are_those_of_one_degree_of_freedom(distance):
    """∂θ̈/∂θ and ∂θ̈/∂θ̇ by differences of the closed form."""
    theta, q, u = state(distance)
    linear = embedded().linearize(q, u, [3.0], keep=["q1", "u1"])
    h = 1e-4
    by_angle = (exact(theta + h, RATE, 3.0)[0] - exact(theta - h, RATE, 3.0)[0]) / (2.0 * h)
    by_rate = (exact(theta, RATE + h, 3.0)[0] - exact(theta, RATE - h, 3.0)[0]) / (2.0 * h)
    assert linear.states == ("q1", "u1")
    assert pytest.approx(np.array([[0.0, 1.0], [by_angle, by_rate]]), abs=1e-6) == linear.A
    inertia = M * L * L * (3.0 - 2.0 * math.cos(2.0 * theta))
    assert pytest.approx(np.array([[0.0], [1.0 / inertia]]), abs=1e-7) == linear.B


@pytest.mark.parametrize("distance", [*DISTANCES, 0.0])
def test_inverse_dynamics_follow_the_branch(distance):
    """The force of least norm is Aghili's Eq. 71 as corrected; accelerations off the branch are refused."""
    theta, q, u = state(distance)
    operator = embedded().operator(q, u)
    c1, c2, s2, wanted = math.cos(theta), math.cos(2.0 * theta), -math.sin(2.0 * theta), 1.9
    force = M * L**2 * (3.0 - 2.0 * c2) * wanted / 5.0 + M * G * L * c1 / 5.0 - 2.0 * M * L**2 * s2 * RATE**2 / 5.0
    assert operator.inverse_dynamics([wanted, -2.0 * wanted]) == pytest.approx([force, -2.0 * force], abs=1e-7)
    with pytest.raises(ConstraintError, match=r"cannot have the accelerations \[1\.0, 1\.0\]"):
        operator.inverse_dynamics([1.0, 1.0])


@pytest.mark.parametrize("copies", [1, 2])
def test_reactions_along_a_run_through_the_position(copies):
    """At every sample of a run that starts there the slot exerts what the closed form says."""
    run = lw.simulate(slider_crank(copies), until=0.5, q=UPRIGHT, u=[RATE, -2.0 * RATE], every=0.0005)
    along = run.reactions()
    found = sum((1.0 + i) * along[f"slot {i}"].lam[1:, 0] for i in range(copies))
    expected = [exact(theta, rate, 0.0)[1] for theta, rate in zip(run["q1"][1:], run["u1"][1:], strict=True)]
    assert found == pytest.approx(expected, rel=1e-5)


# --- what happens exactly there ---------------------------------------------------------------------------------------


def at_flat():
    """A parallelogram that has come to its flat position at t = 0.5, with u = (−2, 0, −2)."""
    model = four_bar()
    sim = lw.Simulation(model, q=[1.0, 0.0, 1.0], u=[-2.0, 0.0, -2.0])
    sim.advance(0.5)
    assert abs(sim.q["q1"]) < 1e-9
    return model, sim


def test_a_drive_imposed_and_released_at_the_flat_position():
    """The impulse is M̃ δu1 of the branch on which bars turn alike; then the bars go on as one."""
    model, sim = at_flat()
    inertia = 1.0 / 3.0 + 2.0 + 1.5 / 3.0  # of two cranks about their pins, and a coupler that goes in a circle
    event = sim.constrain("drive", lw.dt(model.equations().q[0]) + 1.0)
    assert event.impulses["drive"] == pytest.approx([inertia])
    assert event.energy == pytest.approx(0.5 * inertia * (4.0 - 1.0))
    sim.release("drive")
    sim.advance(1.0)
    assert [sim.q["q1"], sim.q["q3"], sim.u["u3"]] == pytest.approx([-0.5, -0.5, -1.0], abs=1e-8)


def test_what_the_branch_does_already_changes_nothing():
    """The coupler does not turn where bars turn alike: to hold it costs nothing."""
    model, sim = at_flat()
    event = sim.constrain("level", lw.dt(model.equations().q[1]))
    assert event.energy == pytest.approx(0.0, abs=1e-9)
    sim.advance(1.0)
    assert [sim.q["q1"], sim.q["q3"]] == pytest.approx([-1.0, -1.0], abs=1e-8)


def test_a_weld_that_locks_the_flat_position_is_refused_by_name():
    """Crank and coupler in one are as long as ground and rocker: a triangle without height, held by infinite forces."""
    model, sim = at_flat()
    with pytest.raises(ConstraintError, match=r"singular position and is locked in it.*loop, weld hold 2 .* 3 close"):
        sim.weld("weld", model.bodies["A"], model.bodies["B"])
    assert sim.active == ("loop",)
    sim.advance(1.0)
    assert sim.q["q1"] == pytest.approx(-1.0, abs=1e-8)


def above_floor(restitution, height):
    """A parallelogram whose coupler, 0.1 thick, meets a floor when it is this high above the pins."""
    model = four_bar()
    floor = lw.Line(model.origin.at("floor", (height - 0.1) * model.frame.y), model.frame.x, model.frame.y)
    model.contact("floor", model.bodies["B"].circle(0.1), floor, restitution=restitution)
    return model


@pytest.mark.parametrize("height", [0.0, 1e-13, -1e-11, 1e-9, -1e-6])
def test_an_impact_at_the_flat_position(height):
    """A coupler that meets the floor when all bars lie flat, or almost, goes up again with half its speed."""
    run = lw.simulate(above_floor(0.5, height), until=1.0, q=[1.0, 0.0, 1.0], u=[-2.0, 0.0, -2.0])
    assert [event.kind for event in run.events] == ["impact"]
    assert run.events[0].t == pytest.approx(0.5 - 0.5 * height, abs=1e-9)
    end = height + 0.5 + 0.5 * height
    assert [run["q1"][-1], run["q3"][-1], run["u1"][-1]] == pytest.approx([end, end, 1.0], abs=1e-7)
    assert run["q2"] == pytest.approx(0.0, abs=1e-9)
    assert run.audit.energy_error < 1e-6


@pytest.mark.parametrize("place", [0.0, 1e-12, 1e-8])
def test_an_impact_of_the_upright_slider_crank(place):
    """The slider meets a wall where its row vanishes: it goes back on its branch, with half its speed."""
    model = slider_crank()
    wall = lw.Line(model.origin.at("wall", place * model.frame.x), model.frame.y, model.frame.x)
    model.contact("wall", model.points["Q"], wall, restitution=0.5)
    run = lw.simulate(model, until=0.2, q=[UPRIGHT[0] - 0.5, UPRIGHT[1] + 1.0], u=[6.0, -12.0])
    before, after = (run["u1"][i] for i in np.flatnonzero(run.t == run.events[0].t))
    assert after == pytest.approx(-0.5 * before, rel=1e-9)
    assert run["q2"] + 2.0 * run["q1"] == pytest.approx(2.0 * math.pi, abs=1e-9)
    assert run.audit.energy_error < 1e-6


def test_rest_at_the_flat_position_is_refused_by_name():
    """Without restitution the bars would stop where nobody knows which branch follows."""
    with pytest.raises(ConstraintError, match=r"'four-bar' is at a singular position and stands still.*q1 = "):
        lw.simulate(above_floor(0.0, 0.0), until=1.0, q=[1.0, 0.0, 1.0], u=[-2.0, 0.0, -2.0])


@pytest.mark.parametrize(("scale", "speed", "height"), [(1.0, -2.0, 1e-5), (1e-3, -20.0, 1e-3), (1e3, -60.0, 1e-7)])
def test_rows_that_agree_are_not_taken_to_contradict_each_other(scale, speed, height):
    """Another row keeps the bars parallel; where the loop's own row is short, what is left of both by the step is no
    contradiction, and the row holds nothing that the other does not."""
    model = above_floor(0.5, height)
    q1, _, q3 = model.equations().q
    model.constraint("alike", scale * (q1 - q3))
    method = lw.DormandPrince(rtol=1e-6, atol=1e-6)
    run = lw.simulate(model, until=1.3 / abs(speed), q=[1.0, 0.0, 1.0], u=[speed, 0.0, speed], method=method)
    assert [event.kind for event in run.events] == ["impact"]
    assert run["u1"][-1] == pytest.approx(-0.5 * speed, rel=1e-5)

"""Aghili's slider-crank (§VIII): his laws, as corrected, out of the general code."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from controlled_models import on_branch, slider_crank

GAINS = (25.0, 10.0)


def states(count: int) -> list[tuple[float, float, float]]:
    """Random angles away from the singular position, rates and references."""
    rng = np.random.default_rng(7)
    found = []
    while len(found) < count:
        theta, rate, goal = rng.uniform(-3.0, 3.0, 3)
        if abs(math.cos(theta)) > 0.05:
            found.append((float(theta), float(rate), float(goal)))
    return found


def parallel(theta: float, rate: float, wanted: float) -> float:
    """f1 of Eq. 71, as corrected: m = l = 1."""
    c1, c2, s2 = math.cos(theta), math.cos(-2.0 * theta), math.sin(-2.0 * theta)
    return (3.0 - 2.0 * c2) * wanted / 5.0 + 9.81 * c1 / 5.0 - 2.0 * s2 * rate**2 / 5.0


def perpendicular(theta: float, rate: float, wanted: float, force: float) -> float:
    """f1 of Eq. 72, as corrected."""
    c1, c2, s2 = math.cos(theta), math.cos(-2.0 * theta), math.sin(-2.0 * theta)
    return 2.0 * (1.0 + c2) * wanted / 5.0 + force + 14.0 * 9.81 * c1 / 5.0 + 2.0 * s2 * rate**2 / 5.0


@pytest.mark.parametrize(("theta", "rate", "goal"), states(12))
def test_two_motors_give_the_least_torques_of_equation_71(theta, rate, goal):
    """f = f∥ (1, −2) with u* = G_P e − G_D q̇."""
    law = lw.control.Projected(tracks={"q1": goal}, gains=GAINS)
    found, wanted = law.at(slider_crank(), **on_branch(theta, rate)), 25.0 * (goal - theta) - 10.0 * rate
    f1 = parallel(theta, rate, wanted)
    assert found["f1"] == pytest.approx(f1, rel=1e-12)
    assert found["f2"] == pytest.approx(-2.0 * f1, rel=1e-12)
    assert found.udot["u1"] == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize(("theta", "rate", "goal"), states(12))
def test_pressing_adds_equation_72(theta, rate, goal):
    """f = f∥ + f⊥; his 𝓕 is the opposite of Bᵀλ, and u2* the 𝓕 that is asked for on u1."""
    model = slider_crank()
    law = lw.control.Projected(tracks={"q1": goal}, gains=GAINS, forces=[lw.control.Press("slot", -goal, speed="u1")])
    found, wanted = law.at(model, **on_branch(theta, rate)), 25.0 * (goal - theta) - 10.0 * rate
    f, g = parallel(theta, rate, wanted), perpendicular(theta, rate, wanted, goal)
    assert found["f1"] == pytest.approx(f + g, abs=1e-12 * (abs(f) + abs(g)))
    assert found["f2"] == pytest.approx(-2.0 * f + 0.5 * g, abs=1e-12 * (abs(f) + abs(g)))


@pytest.mark.parametrize(("theta", "rate", "goal"), states(12))
def test_one_motor_takes_all_of_equation_75(theta, rate, goal):
    """With joint B passive f1 is five times f∥1, which is (I + H) f∥."""
    law = lw.control.Projected(tracks={"q1": goal}, gains=GAINS)
    found, wanted = law.at(slider_crank(("f1",)), **on_branch(theta, rate)), 25.0 * (goal - theta) - 10.0 * rate
    assert found["f1"] == pytest.approx(5.0 * parallel(theta, rate, wanted), rel=1e-12)


def test_the_correction_for_a_passive_joint_is_equation_74():
    """H = (0, −2; 0, −1)."""
    found = lw.control.controllability(slider_crank(("f1",)), **on_branch(0.7))
    assert found
    assert found.freedoms == 1
    assert pytest.approx(np.array([[0.0, -2.0], [0.0, -1.0]]), abs=1e-12) == found.H


def test_at_the_singular_position_two_motors_command_and_one_is_refused():
    """Upright the slot holds nothing for an instant: two freedoms, and one motor works on one of them only."""
    law = lw.control.Projected(tracks={"q1": 1.0}, gains=GAINS)
    found = law.at(slider_crank(), **on_branch(math.pi / 2, 0.5))
    wanted = 25.0 * (1.0 - math.pi / 2) - 5.0
    assert found.at_singular
    assert found["f1"] == pytest.approx(parallel(math.pi / 2, 0.5, wanted), rel=1e-7)
    with pytest.raises(lw.ControlError, match=r"2 degrees of freedom here, and f1 cannot command 1 of them: no motor "
                                              r"works on 1 u2"):  # fmt: skip
        law.at(slider_crank(("f1",)), **on_branch(math.pi / 2, 0.5))
    judged = lw.control.controllability(slider_crank(("f1",)), **on_branch(math.pi / 2))
    assert not judged
    assert judged.motions == [{"u2": 1.0}]


@pytest.mark.parametrize("part", [0.96, 0.99, 0.995, 1.0, 1.005, 1.02, 1.04])
def test_bounds_are_kept_at_the_singular_position(part):
    """|f1| ≤ its bound, also where only one side of the position has it at its bound; motion does not give way."""
    free = lw.control.Projected(tracks={"q1": 1.0}, gains=GAINS).at(slider_crank(), **on_branch(math.pi / 2, 0.5))
    most = part * abs(free["f1"])
    law = lw.control.Projected(tracks={"q1": 1.0}, gains=GAINS, bounds={"f1": (-most, most)})
    found = law.at(slider_crank(), **on_branch(math.pi / 2, 0.5))
    assert abs(found["f1"]) <= most
    assert abs(found["f1"]) == pytest.approx(min(most, abs(free["f1"])), rel=0.005)
    assert found.udot["u1"] == pytest.approx(free.udot["u1"], rel=1e-3)


def test_errors_follow_their_own_equations():
    """ë + G_D ė + G_P e = 0 and (1 + G_F) ė + G_I e = 0, in the run, to 1e-9."""
    model = slider_crank()
    press = lw.control.Press("slot", 3.0, gains=(1.0, 20.0))
    law = lw.control.Projected(tracks={"q1": math.pi / 3}, gains=GAINS, forces=[press])
    start = on_branch(math.pi / 6)
    start["q"]["control_integral_slot"] = 0.25
    run = lw.simulate(model, 1.0, **start, controllers=[law], method=lw.DormandPrince(rtol=1e-11, atol=1e-13))
    e = math.pi / 3 - run["q1"]
    assert abs(e - math.pi / 6 * (1.0 + 5.0 * run.t) * np.exp(-5.0 * run.t)).max() < 1e-9
    off = 3.0 - run.reactions()["slot"].lam[:, 0]
    assert abs(off + 2.5 * np.exp(-10.0 * run.t)).max() < 1e-9, "e(0) = −G_I z / (1 + G_F)"


def test_a_filter_has_its_own_equation():
    """τ ë + (1 + G_F) ė + G_I e = 0 of the force behind a lag."""
    press = lw.control.Press("slot", 2.0, gains=(3.0, 10.0), filter=0.05)
    law = lw.control.Projected(tracks={"q1": 0.6}, gains=GAINS, forces=[press])
    run = lw.simulate(slider_crank(), 0.5, **on_branch(0.5), controllers=[law],
                      method=lw.DormandPrince(rtol=1e-11, atol=1e-13))  # fmt: skip
    a, b = np.roots([0.05, 4.0, 10.0])
    exact = 2.0 * (b * np.exp(a * run.t) - a * np.exp(b * run.t)) / (b - a)
    slope = 2.0 * a * b / (b - a) * (np.exp(a * run.t) - np.exp(b * run.t))
    seen, summed = run["control_filtered_slot"], run["control_integral_slot"]
    start = -(4.0 * 2.0 + 0.0) / 0.05  # ė(0) = −((1 + G_F) e + G_I z)/τ, e(0) = 2, z(0) = 0
    exact = exact + (start - slope[0]) * (np.exp(a * run.t) - np.exp(b * run.t)) / (a - b)
    assert abs((2.0 - seen) - exact).max() < 1e-8
    assert summed[0] == 0.0
    assert abs(summed[-1]) > 0.0


def test_through_the_singular_position():
    """Driven upright and over, two motors follow the reference all the way."""
    model = slider_crank()
    goal = lw.control.minimum_jerk(model.time, 0.0, 1.0, math.pi / 3, 2.0 * math.pi / 3)
    law = lw.control.Projected(tracks={"q1": goal}, gains=(100.0, 20.0))
    run = lw.simulate(model, 1.2, **on_branch(math.pi / 3), controllers=[law],
                      method=lw.DormandPrince(rtol=1e-10, atol=1e-12))  # fmt: skip
    assert abs(run["q1"] - run[goal]).max() < 1e-6
    assert abs(run["q2"] + 2.0 * run["q1"] - 2.0 * math.pi).max() < 1e-9
    ratio = np.abs(run["f2"] + 2.0 * run["f1"]).max()
    assert ratio < 1e-6 * np.abs(run["f1"]).max(), "no torque that only loads the slot"


def test_one_motor_needs_the_root_of_five_times_as_much():
    """For one motion, ‖f‖ with one active joint is √5 times that with two (Table I, first two rows)."""
    norms = []
    for motors in (("f1", "f2"), ("f1",)):
        model = slider_crank(motors)
        goal = lw.control.minimum_jerk(model.time, 0.0, 1.0, math.pi / 6, math.pi / 3)
        law = lw.control.Projected(tracks={"q1": goal}, gains=GAINS)
        run = lw.simulate(model, 1.0, **on_branch(math.pi / 6), controllers=[law]).at(np.linspace(0.0, 1.0, 101))
        norms.append(np.sqrt(sum(run[name] ** 2 for name in motors)))
    assert norms[1] == pytest.approx(math.sqrt(5.0) * norms[0], rel=1e-6)

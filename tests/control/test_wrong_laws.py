"""Laws that cannot be: refused with names and values, before or in the run, which is kept."""

from __future__ import annotations

import math

import pytest

import latchwork as lw
from controlled_models import arm, on_branch, slider_crank

Press, Projected = lw.control.Press, lw.control.Projected
START = {"q1": 0.8, "q2": -1.4}

WRONG = [
    ({"tracks": {"q3": 1.0}, "gains": (1.0, 1.0)}, r"'q3', which a law is to track, is not in 'arm'.*q1"),
    ({"tracks": {"q1": 1.0}}, r"tracks q1 and has no gains"),
    ({"tracks": {"q1": 1.0}, "gains": 3.0}, r"the gains of law 'control' are 3.0"),
    ({"tracks": {"q1": 1.0}, "gains": ([1.0, 2.0], 1.0)}, r"G_P of law 'control' has the shape .2,., and 1"),
    ({"tracks": {"q1": 1.0}, "gains": (float("nan"), 1.0)}, r"G_P of law 'control' contains nan"),
    ({"tracks": {"q1": "q2"}, "gains": (1.0, 1.0)}, r"the reference of 'q1' .* contains q2, which move"),
    ({"tracks": {"P": 1.0}, "gains": (1.0, 1.0)}, r"the reference of the point 'P' .* is 1.0"),
    ({"tracks": {"q1": 1.0}, "gains": (1.0, 1.0), "inputs": ["T3"]}, r"'T3', which law 'control' is to command, is no"),
    ({"tracks": {"q1": 1.0}, "gains": (1.0, 1.0), "bounds": {"T3": (0, 1)}}, r"bounds 'T3', which it does not command"),
    ({"tracks": {"q1": 1.0}, "gains": (1.0, 1.0), "bounds": {"T1": (2.0, 1.0)}}, r"Give the smaller one first"),
    ({"tracks": {"q1": 1.0}, "gains": (1.0, 1.0), "metric": {"T1": 1.0}}, r"weighs T1; it commands T1, T2"),
    ({"forces": [Press("tabel", 1.0)]}, r"'tabel', in which a law is to keep a force, .*'table'"),
    ({"forces": [Press("table", -1.0)]}, r"a force of -1 in the contact 'table' of 'arm' would pull on it"),
    ({"tracks": {"q1": 0, "q2": 0, "P": (0, 0, 0)}, "gains": (1, 1)}, r"tracks 4 outputs, q1, q2, P.x, P.y, .*2 sp"),
]


@pytest.mark.parametrize(("law", "words"), WRONG)
def test_a_law_that_does_not_fit_its_model_is_refused(law, words):
    """Names that are not there, shapes that do not fit, numbers that are none."""
    with pytest.raises(lw.ModelError, match=words):
        lw.simulate(arm(), 0.1, START, controllers=[Projected(**law)])


def test_more_outputs_than_freedoms_are_refused():
    """Of a mechanism that constraints hold."""
    law = Projected(tracks={"q1": 1.0, "q2": 0.0}, gains=(1.0, 1.0))
    with pytest.raises(lw.ModelError, match=r"tracks 2 outputs, q1, q2, and 'slider-crank' has 1 degrees of freedom"):
        lw.simulate(slider_crank(), 0.1, **on_branch(0.5), controllers=[law])


def test_an_output_that_loses_rank_ends_the_run_and_keeps_it():
    """The arm stretches: x and y of its end depend on each other, and the run so far is there."""
    model = arm(contacts=False)
    goal = lw.control.minimum_jerk(model.time, 0.0, 1.0, 0.55, 1.1)
    law = Projected(tracks={"P": (goal, 0.0, 0.0)}, gains=(100.0, 20.0))
    with pytest.raises(lw.IntegrationError, match=r"P.x, P.y that law 'control' tracks depend on each other") as raised:
        lw.simulate(model, 2.0, {"q1": 0.988, "q2": -1.976}, controllers=[law])
    assert 0.3 < raised.value.run.t[-1] < 1.0


def test_a_reference_without_a_value_ends_the_run_and_keeps_it():
    """√(1/2 − t) ends at half a second."""
    model = slider_crank()
    law = Projected(tracks={"q1": lw.sqrt(0.5 - model.time)}, gains=(100.0, 20.0))
    with pytest.raises(lw.IntegrationError, match=r"law 'control' has no finite value") as raised:
        lw.simulate(model, 1.0, **on_branch(math.sqrt(0.5)), controllers=[law])
    assert 0.3 < raised.value.run.t[-1] <= 0.5


def test_passive_joints_that_cannot_follow_are_named():
    """A double pendulum with one motor cannot track both angles."""
    model = arm()
    law = Projected(tracks={"q1": 0.5, "q2": 0.1}, gains=(100.0, 20.0), inputs=["T1"])
    with pytest.raises(lw.IntegrationError, match=r"cannot command q1, q2 by T1 alone: the passive joints"):
        lw.simulate(model, 1.0, START, controllers=[law])
    judged = lw.control.controllability(model.equations().embed(), START, inputs=["T1"])
    assert str(judged).endswith("cannot command 1 of them: no motor works on 1 u2")


def test_bounds_are_kept_and_what_gives_way_is_said():
    """Motion gives way to a motor that is at its bound; the other still does what it can."""
    model = arm()
    law = Projected(tracks={"q1": 3.0, "q2": 0.0}, gains=(100.0, 20.0), bounds={"T1": (-5.0, 5.0)})
    found = law.at(model, START)
    assert abs(found["T1"]) <= 5.0
    assert "T1 of law 'control' are at their bounds" in found.gives_way[0]
    run = lw.simulate(model, 0.2, START, controllers=[law])
    assert abs(run["T1"]).max() <= 5.0 * (1 + 1e-12)

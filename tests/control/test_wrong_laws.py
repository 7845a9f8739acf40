"""Laws that cannot be: refused with names and values, before or in the run, which is kept."""

from __future__ import annotations

import math

import pytest

import latchwork as lw
from controlled_models import arm, on_branch, slider_crank

Press, Projected, Sampled = lw.control.Press, lw.control.Projected, lw.control.Sampled
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
    ({"tracks": {"q1": 1.0}, "gains": ("a", 1.0)}, r"G_P of law 'control' is 'a'. Give a finite number"),
    ({"tracks": {"q1": 1.0}, "gains": (1.0, 1.0), "inputs": []}, r"'control' is to command no input.*Known: T1, T2"),
    ({"tracks": {"q1": 1.0}, "gains": (1, 1), "metric": {"T1": "a", "T2": 1}}, r"the metric .* 'a'.*Give positive"),
    ({"tracks": {"u1": 2.0}, "gains": (50.0, 0.0)}, r"'u1' is tracked as a rate .* G_P = 50.0 does .*0.0, 50.0"),
    ({"forces": [Press("table[9]", 1.0)]}, r"'table.9.', .* is no row of the contact 'table' of 'arm'"),
    ({"tracks": {"q1": 0, "q2": 0, "P": (0, 0, 0)}, "gains": (1, 1)}, r"tracks 4 outputs, q1, q2, P.x, P.y, .*2 sp"),
]


@pytest.mark.parametrize(("law", "words"), WRONG)
def test_a_law_that_does_not_fit_its_model_is_refused(law, words):
    """Names that are not there, shapes that do not fit, numbers that are none."""
    with pytest.raises(lw.ModelError, match=words):
        lw.simulate(arm(), 0.1, START, controllers=[Projected(**law)])


def idle(t, q, u, memory):
    """No torques."""
    return {"T1": 0.0, "T2": 0.0}


MISMADE = [
    (lambda: Press({}, 1.0), r"a force is to be kept in \{\}. Give the name of a constraint"),
    (lambda: Press(None, 1.0, speed="u1"), r"a force is to be kept in None"),
    (lambda: Press({"left": "a"}, 1.0), r"a force is to be kept in \{'left': 'a'\}"),
    (lambda: Press("table", 1.0, gain=3.0), r"Press takes no argument 'gain' .*'gains'"),
    (lambda: Projected(forces=[Press("table", 1.0), Press("table", 2.0)]), r"to keep the force in 'table' twice"),
    (lambda: Projected(tracks={"q1": 0.0}, gains=(1.0, 1.0), inputs="T1").at(arm()), r"to command is 'T1' .str., not"),
    (lambda: lw.control.gyro("gyro", 3), r"what gyro 'gyro' is fixed to is 3 .int."),
    (lambda: lw.control.stabilised(arm(contacts=False), 3, 0.01), r"the run to follow is 3 .int."),
    (lambda: lw.control.feed_forward(lw.simulate(arm(), 0.01, START), ["T1"], -0.01), r"every = -0.01 is no time"),
    (lambda: lw.control.minimum_jerk(0.0, 1.0, 0.0, 0.1, 0.2), r"what a reference is in is 0.0 .float.. Give the time"),
    (lambda: lw.control.minimum_jerk(arm().time, 0.0, "1 s", 0.1, 0.2), r"the end of a way is '1 s' .str.. Give a num"),
    (lambda: lw.control.spline(arm().time, [0.0, 1.0], ["a", 1.0]), r"a spline through .'a', 1.0. at the times"),
    (lambda: lw.control.spline(arm().time, 0.0, 1.0), r"a spline through 1 values at the times 0.0 cannot be made"),
    (lambda: Sampled(idle, 0.0, inputs=["T1"]), r"the period of 'idle' is 0.0. Give seconds"),
    (lambda: Sampled(idle, "1 ms", inputs=["T1"]), r"the period of 'idle' is '1 ms'"),
    (lambda: Sampled(idle, 0.01, inputs=["T1"], delay=-1e-3), r"the delay of 'idle' is -0.001"),
    (lambda: Sampled(idle, 0.01), r"the function 'idle' commands no inputs. Name them"),
    (lambda: Sampled(idle, 0.01, inputs=["T1"], sensors=["q1"]), r"the sensors of 'idle' are .'q1'.. Give them"),
    (lambda: Sampled(3, 0.01), r"'sampled' samples 3, which is no law"),
]


@pytest.mark.parametrize(("made", "words"), MISMADE)
def test_what_cannot_be_made_is_refused_where_it_is_made(made, words):
    """Forces in nothing, periods that are none, sensors without names."""
    with pytest.raises((lw.ModelError, lw.ArgumentError, lw.EvaluationError), match=words):
        made()


MISSAMPLED = [
    ({"inputs": ["T9"]}, r"'T9', which controller 'idle' commands, is no input of 'arm'"),
    ({"bounds": (1.0, -1.0)}, r"the bounds of 'idle' are .1.0, -1.0.. Give .least, most."),
    ({"bounds": {"T9": (0.0, 1.0)}}, r"'idle' has bounds for T9, which it does not command. Known: T1, T2"),
    ({"quantum": -1.0}, r"the quantum of 'idle' is -1.0"),
    ({"noise": {"q9": 1.0}}, r"the noise of 'idle' is given for q9, which it does not read"),
    ({"sensors": {"tilt": "q9"}}, r"'q9' is not in the run of 'arm'"),
]


@pytest.mark.parametrize(("given", "words"), MISSAMPLED)
def test_a_sampled_law_that_does_not_fit_its_model_is_refused(given, words):
    """Quanta, bounds, noise and sensors of what is not there."""
    with pytest.raises((lw.ModelError, lw.EvaluationError), match=words):
        lw.simulate(arm(), 0.1, START, controllers=[Sampled(idle, 0.01, **{"inputs": ["T1", "T2"], **given})])


ANSWERS = [
    (lambda t: {"T1": math.nan if t > 0.05 else 0.0, "T2": 0.0}, r"it gives 'T1' the value nan. Look at its law there"),
    (lambda t: {"T1": "a" if t > 0.05 else 0.0, "T2": 0.0}, r"it returned .'T1': 'a', 'T2': 0.0.. Return numbers"),
    (lambda t: None if t > 0.05 else {"T1": 0.0, "T2": 0.0}, r"it returned None. Return a dictionary with T1, T2"),
    (lambda t: {"T1": 0.0, "T2": {}["q9"] if t > 0.05 else 0.0}, r"it failed with KeyError: 'q9'"),
]


@pytest.mark.parametrize(("answer", "words"), ANSWERS)
def test_an_answer_that_is_none_ends_the_run_and_keeps_it(answer, words):
    """A function that gives what no input can be: where, at which state, and the run so far."""
    law = Sampled(lambda t, q, u, memory: answer(t), 0.01, inputs=["T1", "T2"], name="wrong")
    with pytest.raises(lw.ControlError, match=r"'wrong' of 'arm' at t = 0.06, q = .*" + words) as raised:
        lw.simulate(arm(), 0.2, START, controllers=[law])
    assert raised.value.run.t[-1] == pytest.approx(0.06)


def test_a_row_that_a_constraint_has_not_is_refused():
    """Of a force in a row, and of the rows of a cone: the rows that there are, by name."""
    with pytest.raises(lw.ModelError, match=r"has no row '.*9.', in which a law is to keep a force. Its rows are "):
        held_by(lambda name: Projected(forces=[Press(f"{name}[9]", 1.0)]))
    with pytest.raises(lw.ModelError, match=r"names the row .*9., and the rows are .*. Name the one that is normal"):
        held_by(lambda name: Projected(forces=[Press(f"{name}[0]", 1.0)], cones=[
            lw.control.Cone(name, 0.5, rows=[f"{name}[0]", f"{name}[9]"])]))  # fmt: skip


def held_by(law):
    """What a law commands an arm whose end is held."""
    model = arm(contacts=False)
    x, y = (model.points["P"].position().dot(axis) for axis in (model.frame.x, model.frame.y))
    model.constraint("grip", [lw.dt(x), lw.dt(y)])
    return law("grip").at(model, START)


def test_an_input_that_a_law_commands_is_not_set():
    """Continuous or sampled, and also after sampled laws were exchanged; others are."""
    law = Projected(tracks={"q1": 1.0}, gains=(100.0, 20.0), inputs=["T1"], name="reach")
    sim = lw.Simulation(arm(contacts=False), START, controllers=[law])
    sim.inputs["T2"] = 1.0
    with pytest.raises(lw.EvaluationError, match="input 'T1' of 'arm' is commanded by 'reach', which would take back"):
        sim.inputs["T1"] = 3.0
    sim = lw.Simulation(arm(contacts=False), START, controllers=[Sampled(idle, 0.01, inputs=["T1", "T2"])])
    with pytest.raises(lw.EvaluationError, match="input 'T1' of 'arm' is commanded by 'idle'"):
        sim.inputs["T1"] = 3.0
    sim.advance(0.1)
    sim.control()
    sim.inputs["T1"] = 3.0
    assert sim.inputs["T1"] == 3.0


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

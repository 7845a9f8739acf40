"""What a wrong argument is told, and what objects look like when they are printed."""

from __future__ import annotations

import pytest

import latchwork as lw
from latchwork import ConstraintError, EvaluationError, ExpressionError, ModelError, dt
from latchwork.export import equations as export


def crank():
    """A particle on a crank whose speed is prescribed."""
    model = lw.Model("crank")
    arm = model.revolute("arm", axis=model.frame.z, q=["q"], u=["u"])
    model.particle("P", arm.origin.at("P", 0.5 * arm.frame.x), 2.0)
    model.constraint("motor", arm.u[0] - 3.0)
    return model, arm


@pytest.mark.parametrize("design", ["Embedded", lw.Embedded, 4])
def test_a_design_is_an_object(design):
    """Names and classes are refused before anything runs, also where nothing is held."""
    with pytest.raises(ConstraintError, match=r"is no design of a simulator. Give an object such as lw.Embedded"):
        lw.simulate(crank()[0], until=1.0, design=design)


def test_projection_is_of_designs_that_need_it():
    """An embedded design does not drift."""
    with pytest.raises(ConstraintError, match=r"cannot be projected.*needs no projection"):
        lw.Projected(lw.Embedded())


def test_guards_have_names():
    """stop_when is a mapping."""
    with pytest.raises(EvaluationError, match=r"stop_when is 'q'. Give expressions by name"):
        lw.simulate(crank()[0], until=1.0, stop_when="q")


def test_outputs_have_names():
    """So are the outputs of linear equations."""
    with pytest.raises(ConstraintError, match=r"the outputs of 'crank' are .*Give expressions by name"):
        crank()[0].constrained().linearize(outputs=["q"])


@pytest.mark.parametrize("name", ["moter", 3])
def test_release_of_something_unknown(name):
    """The name, and those that hold."""
    with pytest.raises(ConstraintError, match=rf"'{name}' does not hold now\. .*'?motor"):
        lw.Simulation(crank()[0]).release(name)


def test_embed_takes_constraints():
    """An expression or a name is none."""
    model, _ = crank()
    with pytest.raises(ConstraintError, match=r"'motor' is no constraint of 'crank'. Give lw.Constraint"):
        model.equations().embed("motor")


def test_export_takes_equations():
    """A model or embedded constraints have equations, and are none."""
    model, _ = crank()
    with pytest.raises(EvaluationError, match=r"cannot be exported: .*Give .*model\.constrained\(\)\.equations"):
        lw.export_c(model.constrained(), "nowhere")


@pytest.mark.parametrize("target", ["export_c", "export_python", "to_casadi", "to_jax"])
def test_exports_leave_contacts_and_rules_out(target):
    """Equations hold neither: who exports a model with some is told so, by name, whatever the target."""
    model, arm = crank()
    model.contact("stop", model.points["P"], lw.Line(model.origin, model.frame.x, model.frame.y))
    model.rule("late", 1 - model.time, stop=True)
    where = ["nowhere"] if target.startswith("export") else []
    with pytest.raises(EvaluationError, match=r"be exported: .*Contacts and rules \('stop', 'late'\) are left out"):
        getattr(export, target)(model, *where)
    assert arm.u[0].name in {name for group in export.groups(model.equations()) for name in group.names}


def test_reactions_are_about_a_point():
    """Its name is no point."""
    with pytest.raises(EvaluationError, match=r"asked for about 'O'\. Give a point of the model"):
        crank()[0].constrained().reactions({"q": 0.0}, at="O")


def test_a_curve_by_an_equation_is_a_function():
    """An expression in coordinates is sent to model.constraint."""
    model, arm = crank()
    with pytest.raises(ConstraintError, match=r"the function of 'arc' is .*Give a function .*use model\.constraint"):
        model.implicit("arc", arm, arm.q[0])


def test_two_models_of_one_name():
    """A constraint of the other one is refused in words that tell them apart."""
    with pytest.raises(ExpressionError, match="belongs to another model that is named 'crank' too"):
        crank()[0].equations().embed(*crank()[0].constraints)


def test_rows_that_contradict_each_other_are_no_redundant_rows():
    """They are refused when they are embedded, so that no equations are printed or written with one of them lost."""
    model, arm = crank()
    model.constraint("other motor", dt(arm.q[0]) - 4.0)
    with pytest.raises(ConstraintError, match=r"'motor', 'other motor' cannot hold together at t = .*asks for 3, 4"):
        model.constrained()


@pytest.mark.parametrize(("part", "advice"), [
    (lambda model, arm: crank()[1], "It belongs to another model"),
    (lambda model, arm: "arm", "Give the object itself, not its name"),
    (lambda model, arm: model.particle("Q", arm.origin, 1.0), "A particle has no frame"),
    (lambda model, arm: 3.0, "Give what model.body"),
])  # fmt: skip
def test_parts_of_a_model(part, advice):
    """What was given, and what to give instead."""
    model, arm = crank()
    with pytest.raises(ModelError, match=f"a frame, link or rigid body of 'crank' is needed here; got .*{advice}"):
        model.roll("roll", part(model, arm), model.frame.x, model.frame.y)


def test_what_is_printed():
    """Objects of a run name themselves in one line."""
    model, _ = crank()
    sim = lw.Simulation(model)
    sim.advance(0.1)
    reaction = sim.run.reactions()["arm"]
    assert repr(model) == "<Model 'crank': 1 body, 1 coordinate, 0 loads, 1 constraint>"
    assert repr(sim) == "<Simulation of 'crank' at t = 0.1, with motor held>"
    assert repr(reaction).startswith("<Reaction 'arm' on P from N at arm_o: force, torque and lam of ")
    assert model.constrained()._repr_latex_().startswith("$$")
    assert "with no constraints" in str(model.equations().embed())


def test_no_damping_is_no_negative_damping():
    """ζ of an undamped oscillation is 0, not −0."""
    model = lw.Model("swing")
    arm = model.revolute("arm", axis=model.frame.z, q=["q"])
    model.particle("P", arm.origin.at("P", -1.0 * arm.frame.y), 1.0)
    model.gravity(-9.81 * model.frame.y)
    (mode,) = model.equations().embed().linearize().modes()
    assert "damping   0.0000" in str(mode)

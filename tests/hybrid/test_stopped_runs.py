"""What a run says that cannot go on: which term has no value at which state, or which limit was reached."""

from __future__ import annotations

import pytest

import latchwork as lw
from latchwork.hybrid.contacts.initial_contacts import Crossings


def slider(force=lambda x: 0.0 * x):
    """A particle in a plane under F + force(x) along N.x."""
    model = lw.Model("slider")
    x, y = model.coordinates("x", "y")
    (F,) = model.inputs(F=0.0)
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("P", P, 1.0)
    model.force(P, (F + force(x)) * model.frame.x)
    return model, x, y


def refusal(model, q=(0.0, 0.0), u=(1.0, 0.0), **options):
    """The words of a run that cannot reach t = 5."""
    with pytest.raises(lw.IntegrationError, match="stopped at t") as caught:
        lw.simulate(model, until=5.0, q=q, u=u, **options)
    return str(caught.value)


METHODS = [lw.RK4(0.01), lw.RK4(0.01, every=7), lw.DormandPrince(), lw.SciPy()]


@pytest.mark.parametrize("method", METHODS, ids=["RK4", "RK4 every 7", "Dormand-Prince", "Radau"])
def test_the_term_without_a_value_is_named_with_its_state(method):
    """As ``eq.udot`` says it at that state: the load, the operation in it, its number and where."""
    words = refusal(slider(lambda x: lw.sqrt(1.0 - x))[0], method=method)
    assert "the generalized active force F_r of 'slider' for u_x is not finite: sqrt(1 - x) = nan at x = 1" in words


def test_the_division_that_grows_is_named_with_its_state():
    """Steps become too small before 1/(1 − x) is infinite."""
    words = refusal(slider(lambda x: 1.0 / (1.0 - x))[0])
    assert "division by 1 - x = " in words
    assert "The state there is t = 0.65568, x = 1, y = 0, u_x = " in words


def test_a_load_beside_a_constraint_is_named():
    """The same with rows embedded."""
    model, x, y = slider(lambda x: lw.sqrt(1.0 - x))
    model.constraint("tie", x - y)
    assert "sqrt(1 - x) = nan at x = 1" in refusal(model, u=(1.0, 1.0))


def test_a_row_without_a_value_is_named():
    """The constraint whose row it is."""
    model, x, y = slider()
    model.constraint("path", y - lw.sqrt(1.0 - x))
    assert "the row 'path' of 'slider' is not finite: sqrt(1 - x) = nan" in refusal(model, q=(0.0, 1.0))


def test_an_input_without_a_value_is_named():
    """The law of an input."""
    model, *_ = slider()
    assert "the input 'F' of 'slider' is nan at t = 1" in refusal(model, inputs={"F": lw.log(1.0 - model.time)})


@pytest.mark.parametrize("method", [lw.DormandPrince(max_steps=30), lw.SciPy(max_steps=30)], ids=["ours", "SciPy"])
def test_a_limit_of_steps_says_that_it_is_one(method):
    """Which limit, of which method, and what to do; the model is not to blame."""
    words = refusal(slider(lambda x: -100.0 * x)[0], method=method)
    assert "a limit of the method, not of the model: give it a larger max_steps" in words
    assert "max_steps=30" in words


def test_changes_without_end_at_one_instant_name_time_stepping():
    """After 40 of them the run ends, and the way out is named."""
    crossings = Crossings("pile", 1.0)
    for _ in range(40):
        crossings.count(1.5, ())
    with pytest.raises(lw.IntegrationError, match=r"'pile' change 40 times at t = 1\.5 .*thick=lw\.TimeStepping\(\)"):
        crossings.count(1.5, ())


def test_a_run_that_changes_without_end_keeps_what_was_run(monkeypatch):
    """The error has the run up to there: a ball that falls for √(2 h/g), where no change at all is allowed."""
    monkeypatch.setattr("latchwork.hybrid.contacts.initial_contacts.MAX_SWITCHES", 0)
    model = lw.Model("ball")
    link = model.planar("ball")
    ball = model.body("ball", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.1))
    model.gravity(-9.81 * model.frame.y)
    model.contact("floor", ball.circle(0.5), lw.Line(model.origin, model.frame.x, model.frame.y))
    with pytest.raises(lw.IntegrationError, match="change 0 times") as caught:
        lw.simulate(model, until=2.0, q=[0.0, 1.5, 0.0], thick=False)
    assert caught.value.run.t[-1] == pytest.approx((2.0 / 9.81) ** 0.5, abs=1e-9)
    assert caught.value.run.x[-1, 1] == pytest.approx(0.5, abs=1e-9)

"""What a simulation shows of itself, and inputs that are set while it runs."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt


def pulled(**options):
    """A block of 2 kg that a force F pulls along x, from rest."""
    model = lw.Model("pulled")
    (F,), (x,) = model.inputs(F=1.0), model.coordinates("x")
    model.speeds(v=dt(x))
    P = model.origin.at("P", x * model.frame.x)
    model.particle("block", P, 2.0)
    model.force(P, F * model.frame.x)
    return lw.Simulation(model, [0.0], **options)


def test_an_input_is_held_from_now_on():
    """m v = ∫ F dt, whatever F is set to in between; what it was before stays part of the run."""
    sim = pulled()
    for until, force in ((1.0, 4.0), (2.0, -2.0), (3.0, 6.0)):
        sim.inputs["F"] = force
        assert sim.inputs == {"F": force}
        sim.advance(until)
    assert sim.u["v"] == pytest.approx((4.0 - 2.0 + 6.0) / 2.0, rel=1e-12)
    assert sim.run.at([0.5, 1.5, 2.5])["F"] == pytest.approx([4.0, -2.0, 6.0])
    assert sim.run.audit.work == pytest.approx(sim.u["v"] ** 2, rel=1e-12)


def test_a_table_is_followed_until_an_input_is_set():
    """The rows to come are forgotten, those before are not."""
    sim = pulled(inputs={"F": lw.Table([0.0, 1.0, 2.0], [2.0, 4.0, 100.0])})
    sim.advance(1.5)
    assert sim.inputs["F"] == 4.0
    sim.inputs["F"] = 0.0
    sim.advance(3.0)
    assert sim.u["v"] == pytest.approx((2.0 + 0.5 * 4.0) / 2.0, rel=1e-12)
    assert sim.run.at([0.5, 1.25, 2.5])["F"] == pytest.approx([2.0, 4.0, 0.0])


def test_a_contact_hears_of_an_input():
    """A block that is pulled up harder than it weighs leaves the floor at once."""
    model = lw.Model("on a floor")
    (F,), (y,) = model.inputs(F=0.0), model.coordinates("y")
    P = model.origin.at("P", y * model.frame.y)
    model.particle("block", P, 1.0)
    model.gravity(-10.0 * model.frame.y)
    model.force(P, F * model.frame.y)
    model.contact("floor", P, lw.Line(model.origin, model.frame.x, model.frame.y))
    sim = lw.Simulation(model, [0.0])
    sim.advance(1.0)
    assert (sim.q["y"], sim.places) == (pytest.approx(0.0, abs=1e-12), {"floor": True})
    sim.inputs["F"] = 12.0
    sim.advance(2.0)
    assert sim.q["y"] == pytest.approx(1.0, rel=1e-9)


def test_what_cannot_be_set():
    """Names that are none, numbers that are none, and what follows a law."""
    sim = pulled()
    with pytest.raises(lw.EvaluationError, match=r"'G' is not an input of 'pulled'.*F"):
        sim.inputs["G"] = 1.0
    with pytest.raises(lw.EvaluationError, match=r"input 'F' cannot be held at nan\. Give a finite number\."):
        sim.inputs["F"] = np.nan
    with pytest.raises(lw.EvaluationError, match=r"input 'F' cannot be held at '2'"):
        sim.inputs["F"] = "2"
    driven = pulled(inputs={"F": "2*t"})
    driven.advance(1.5)
    assert driven.inputs["F"] == pytest.approx(3.0)
    with pytest.raises(lw.EvaluationError, match=r"input 'F' of 'pulled' follows an expression or a linear table"):
        driven.inputs["F"] = 1.0


def test_the_state_is_a_copy():
    """What is read does not change when the run goes on, and changes nothing when it is written into."""
    sim = pulled()
    x = sim.x
    x[:] = 7.0
    sim.advance(1.0)
    assert sim.x == pytest.approx([0.25, 0.5, 0.25])
    assert (x == 7.0).all()

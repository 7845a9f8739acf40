"""Stiff beams: implicit steps chosen by frequencies and counts, in the flow, with events and a note."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import latchwork as lw


def dropped(damping, contact=True, modes=3):
    """A stiff arm on a pin falls with its end onto a floor, and bounces."""
    model = lw.Model("stiff arm")
    pin = model.revolute("pin", q=["theta"], u=["omega"])
    model.body("hub", pin, pin.origin, 1.0, lw.inertia(pin.frame, zz=0.1))
    arm = model.beam("arm", pin, pin.origin, 2.0, EI=4e4, rho_A=1.5, modes=modes, damping=damping)
    model.particle("tip", arm.tip, 0.5)
    model.gravity(-9.81 * model.frame.y)
    if contact:
        floor = lw.Line(model.origin.at("F", -1.0 * model.frame.y), model.frame.x, normal=model.frame.y)
        model.contact("floor", arm.tip, floor, restitution=0.5)
    return model


def test_a_stiff_beam_with_contacts_takes_implicit_steps():
    """The same events at the same times as by explicit steps, in fewer steps; the audit says so, and why."""
    model = dropped(damping=0.01)
    run = lw.simulate(model, 1.0)
    explicit = lw.simulate(model, 1.0, method=lw.DormandPrince())
    assert [event.t for event in run.events] == pytest.approx([event.t for event in explicit.events], abs=1e-8)
    assert [(event.kind, event.name) for event in run.events] == [(event.kind, event.name) for event in explicit.events]
    assert len(run.events) > 5
    assert run["theta"][-1] == pytest.approx(explicit["theta"][-1], abs=1e-9)
    assert 5 * run.audit.steps < explicit.audit.steps
    assert 5 * run.audit.evaluations < explicit.audit.evaluations
    assert "implicit steps (Radau IIA): the fastest motions decay at 6.04e+04 1/s" in str(run.audit)
    assert explicit.audit.stiffness is None


def test_vibration_that_lasts_is_stepped_explicitly():
    """Without damping fast modes have to be resolved by any method."""
    run = lw.simulate(dropped(damping=0.0, contact=False), 0.1)
    assert not run.stiffness.implicit
    assert run.stiffness.lasting == run.stiffness.fastest > 1e3
    assert "implicit" not in str(run.audit)


def test_a_method_that_is_given_is_taken():
    """Nothing is chosen then."""
    run = lw.simulate(dropped(damping=0.01, contact=False), 0.05, method=lw.DormandPrince())
    assert run.stiffness is None


def test_the_choice_is_part_of_the_state():
    """Pieces, a state that was pickled, and another simulation go on by the method that was chosen."""
    model = dropped(damping=0.01, contact=False)
    sim = lw.Simulation(model)
    sim.advance(0.1)
    kept = pickle.loads(pickle.dumps(sim.state))
    sim.advance(0.2)
    other = lw.Simulation(model)
    other.state = kept
    other.advance(0.2)
    assert isinstance(other.method, lw.Radau)
    assert other.x.tobytes() == sim.x.tobytes()


@pytest.mark.parametrize("contact", [False, True])
def test_many_runs_are_what_each_is_alone(contact):
    """Batches choose for every run, by its own parameters: the bits of a run alone."""
    model = dropped(damping=0.01, contact=contact)
    table = {"theta": np.array([0.0, 0.2, -0.1])}
    runs = lw.simulate_many(model, table, 0.5)
    for i, theta in enumerate(table["theta"]):
        alone = lw.simulate(model, 0.5, q={"theta": theta})
        assert alone.stiffness.implicit
        assert runs.x[i, -1].tobytes() == alone.x[-1].tobytes()

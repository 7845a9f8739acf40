"""Design III with contacts: every mode made ready before the run, and the same run as on line."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import latchwork as lw
from latchwork.hybrid.mode_table import ModeTable
from latchwork.hybrid.simulation import Simulation
from latchwork.view import gallery

TIGHT = lw.DormandPrince(rtol=1e-12, atol=1e-13)
RAMP = {"q": {"q1": 14.0, "q2": 0.0}, "u": {"u1": 7.0, "u2": -4.0}}
FREE = {"q": {"q1": 14.0, "q2": 0.0, "q3": 1.0}, "u": {"u1": 7.0, "u2": -4.0}}
BELT = {"q": {"q1": -np.pi / 16, "q2": -4 * np.pi / 9}, "u": {"u1": 3.0, "u2": -0.3}}
CASES = [("patoglu_1_disk_on_ramp", 0, RAMP, 8.0), ("patoglu_1_disk_on_ramp", 1, FREE, 8.0),
         ("patoglu_3_belt", 0, BELT, 1.2), ("patoglu_3_belt", 1, BELT, 1.2)]  # fmt: skip


def model_of(name, k):
    return gallery.load(name).models()[k]


@pytest.mark.parametrize(("name", "k", "start", "until"), CASES)
def test_same_run_as_on_line(name, k, start, until):
    """Patoglu's Examples 1 and 3, from the list of modes: events and states are those of lw.Embedded, bit for bit."""
    runs = [lw.simulate(model_of(name, k), until, **start, method=TIGHT, design=design)
            for design in (lw.Automaton(), lw.Embedded())]  # fmt: skip
    assert [(e.t, e.kind, e.after) for e in runs[0].events] == [(e.t, e.kind, e.after) for e in runs[1].events]
    assert np.array_equal(runs[0].t, runs[1].t)
    assert np.array_equal(runs[0].x, runs[1].x)
    met = {frozenset(span.names) for span in runs[0].modes}
    assert met <= {frozenset(names) for names in runs[0].listed}
    assert runs[1].listed == ()


@pytest.mark.parametrize(("name", "k", "start", "until"), CASES)
def test_nothing_symbolic_happens_in_the_run(name, k, start, until, monkeypatch):
    """After the first instant no mode is prepared any more, and no expression is written."""
    made = []
    original = ModeTable._make_contents
    monkeypatch.setattr(ModeTable, "_make_contents", lambda *args: made.append(1) or original(*args))
    sim = Simulation(model_of(name, k), **start, method=TIGHT, design=lw.Automaton())
    sim.advance(1e-9)
    before, nodes = len(made), len(sim.equations.system.graph.nodes)
    sim.advance(until)
    assert sim.events
    assert (len(made), len(sim.equations.system.graph.nodes)) == (before, nodes)


def boxes(count, friction=0.5):
    """Boxes in a row on a floor: four corners each."""
    model = lw.Model("boxes")
    N, O = model.frame, model.origin
    for k in range(count):
        link = model.joint("planar", f"J{k}")
        box = model.body(f"box {k}", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.1))
        model.contact(f"on floor {k}", box.box((0.2, 0.1)), lw.Line(O, N.x, N.y), friction=friction)
    model.gravity(-9.81 * N.y)
    return model


def test_too_many_modes_are_counted_and_refused():
    """The error says how many there are and what to use instead."""
    model = boxes(2)
    q = [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]
    with pytest.raises(lw.ConstraintError, match=r"8 places of contact of 'boxes' .* \d{6} ways.*200 at most"):
        lw.simulate(model, 0.1, q=q, design=lw.Automaton())
    with pytest.raises(lw.ConstraintError, match=r"\d{6} ways.*lw\.Embedded\(\)"):
        lw.simulate(model, 0.1, q=q, design=lw.Automaton(most=1000))


def test_slip_in_space_has_no_list():
    """Directions of slip in space cannot be enumerated: the error names the contact."""
    module = gallery.load("rolling_coin").module
    with pytest.raises(lw.ConstraintError, match="slides in space"):
        lw.simulate(module.build(), 0.1, **module.start(), design=lw.Automaton())


def test_contacts_that_come_later_are_listed_too():
    """A contact added in the run is enumerated with the others before it goes on."""
    module = gallery.load("patoglu_1_disk_on_ramp").module
    model = module.build(free=True)
    sim = Simulation(model, **FREE, method=TIGHT, design=lw.Automaton())
    sim.advance(0.1)
    few = len(sim.run.listed)
    A = model.frames["A"]
    stop = lw.Line(model.origin.at("stop", 40.0 * A.x), A.y, -A.x)
    sim.contact("stop", model.bodies["disk"].circle(1.0, model.points["Bo"]), stop)
    sim.advance(0.2)
    assert len(sim.run.listed) > few == 3


def test_modes_that_were_not_visited_are_drawn_lightly():
    """The picture has a numbered box for each mode visited, and a pale one for each of the others."""
    run = lw.simulate(model_of("patoglu_1_disk_on_ramp", 1), 1.0, **FREE, method=TIGHT, design=lw.Automaton())
    root = ElementTree.fromstring(run.automaton())
    groups = [item.attrib for item in root.iter("{http://www.w3.org/2000/svg}g")]
    assert sum("data-mode" in each for each in groups) == 2  # slides, rolls
    assert sum("data-other" in each for each in groups) == 1  # off the ramp

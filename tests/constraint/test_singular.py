"""Embedded equations at a position where the constraints do not determine the dependent speeds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from constraint_models import slider_crank
from latchwork.constraint import singular
from latchwork.errors import EvaluationError


def test_singular_position_is_refused_by_name():
    """At q1 = π/2 the row vanishes: an error says so instead of numbers that are rounding over rounding."""
    constrained = slider_crank()
    with pytest.raises(EvaluationError, match=r"C 0 of 'slider-crank' do not determine u\d at .*B1 is singular there"):
        constrained.udot(q=[math.pi / 2, math.pi], u={"u2": 1.0})


def test_next_to_it_the_motion_is_regular():
    """A thousandth of a radian away u̇ is that of the exact equation with one degree of freedom."""
    m, l, g, theta, rate = 1.2, 0.8, 9.81, math.pi / 2 + 1e-3, -0.5
    udot = slider_crank().udot(q=[theta, 2 * math.pi - 2 * theta], u={"u2": -2 * rate})
    inertia = m * l * l * (3 - 2 * math.cos(2 * theta))
    expected = -(2 * m * l * l * math.sin(2 * theta) * rate**2 + m * g * l * math.cos(theta)) / inertia
    assert udot == pytest.approx(np.array([expected, -2 * expected]), abs=1e-9)


@pytest.fixture
def looked(monkeypatch):
    """How often states were looked at from beside."""
    calls = []
    plain = singular._beside
    monkeypatch.setattr(singular, "_beside", lambda *given: calls.append(given) or plain(*given))
    return calls


def test_redundant_rows_are_looked_at_from_beside_once(looked):
    """What tells redundant rows from a singular position is true of the rows; where they lose more, it is asked."""
    terms, parameters = slider_crank(3).terms, (1.2, 0.8, 9.81)
    regular = [np.array([0.0, q, 2 * math.pi - 2 * q, 0.5, -1.0, *parameters]) for q in (1.0, 0.7)]
    folded = np.array([0.0, math.pi / 2, math.pi, 0.5, -1.0, *parameters])
    for x in regular:
        chosen, state = singular.choose_regular(terms, x)
        assert (chosen.rank, len(chosen.redundant)) == (1, 2)
        assert state is x
    assert len(looked) == 1
    chosen, state = singular.choose_regular(terms, folded)
    assert chosen.rank == 1
    assert state is not folded
    assert len(looked) == 2


def test_rows_that_hold_every_speed_are_not(looked):
    """No more than all speeds can be held: a box that lies on two corners, which stick."""
    model = lw.Model("box")
    link = model.planar("box", model.frame, q=["x", "y", "a"], u=["u", "v", "w"])
    body = model.body("box", link, link.origin, 2.0, lw.inertia(link.frame, zz=0.1))
    model.gravity(-9.81 * model.frame.y)
    floor = lw.Line(model.origin, model.frame.x, model.frame.y)
    model.contact("floor", body.box((0.4, 0.2)), floor, friction=0.5)
    sim = lw.Simulation(model, {"x": 0.0, "y": 0.3, "a": 0.0}, {"u": 0.4})
    sim.advance(2.0)
    assert sim.active == ("floor: corner +x-y: stick", "floor: corner -x-y: stick")
    assert looked == []

"""Scales of a mechanism: homogeneous in lengths, times and masses, and not where things happen to be."""

from __future__ import annotations

import pytest

import latchwork as lw
from latchwork.constraint.given_state import rest_coordinates
from latchwork.constraint.scales import Scales, measured
from latchwork.constraint.terms import base_of
from latchwork.kane.sample import vanish
from latchwork.kane.values import argument_vector
from scaled_scenes import CONTACTS, MECHANISMS, Scaled, Units

POWERS = Units(4.0**-7, 4.0**5, 4.0**-3)


def scales_of(s: Scaled) -> Scales:
    """Those of the points of a mechanism, without its shapes."""
    equations = s.model.equations()
    q, u = rest_coordinates(equations) | dict(s.q), dict.fromkeys(equations.u_names, 0.0) | dict(s.u)
    x = argument_vector(equations.system, 0.0, q, u, None, None)
    return measured(base_of(equations), x).scales


@pytest.mark.parametrize("scene", {**CONTACTS, **MECHANISMS})
def test_scales_are_homogeneous(scene):
    """Powers of four of lengths, times and masses scale them, without rounding."""
    make = {**CONTACTS, **MECHANISMS}[scene]
    one, other = (scales_of(make(units)) for units in (Units(), POWERS))
    assert other == Scales(one.length * POWERS.length, one.time * POWERS.time, one.mass * POWERS.mass)


@pytest.mark.parametrize("at", [0.0, 3.0, -200.0])
def test_the_length_is_that_of_parts_not_of_places(at):
    """A rod of a metre has the length 1, wherever it is: up to a thousand of its lengths away."""
    model = lw.Model("rod")
    link = model.planar("B", q=["x", "y", "a"], u=["u_x", "u_y", "u_a"])
    model.particle("end", link.origin.at("P", 1.0 * link.frame.x), 1.0)
    assert scales_of(Scaled(model, 1.0, {"x": at})).length == 1.0


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
def test_a_sum_vanishes_in_any_units(size):
    """k (x + y)² − k x² − 2 k x y − k y² is rounding, and with a part of 1e-6 more it is not."""
    model = lw.Model("sum")
    x, y = model.coordinates("x", "y")
    model.speeds(u=lw.dt(x), v=lw.dt(y))
    model.particle("P", model.origin.at("P", x * model.frame.x + y * model.frame.y), 1.0)
    system = model.equations().system
    parts = [(size * (x + y) * (x + y)).node, (-size * x * x).node, (-2.0 * size * x * y).node]
    assert vanish(system, [*parts, (-size * y * y).node])
    assert not vanish(system, [*parts, (-1.000001 * size * y * y).node])

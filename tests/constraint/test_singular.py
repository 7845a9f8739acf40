"""Embedded equations at a position where the constraints do not determine the dependent speeds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from constraint_models import slider_crank
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

"""States at which nothing can be solved: an error that says where, never a bare one of linear algebra."""

from __future__ import annotations

import pytest

from latchwork.errors import EvaluationError
from small_mechanisms import conical, four_bar


def test_mass_matrix_that_is_singular():
    """A conical pendulum that hangs straight down has no azimuth."""
    with pytest.raises(EvaluationError, match="the accelerations of 'conical pendulum' are not finite"):
        conical().equations().embed().udot(q=[0, 0], u=[1, 0])
    with pytest.raises(EvaluationError, match="the accelerations of 'conical pendulum' are not finite"):
        conical().equations().linearize(q=[0, 0], u=[1, 0])


def test_dependent_speeds_that_are_not_determined():
    """A flat parallelogram can go two ways, so that the speed of one bar does not give the others."""
    flat = four_bar(0.5, 1.0, 0.5, 1.0).constrained(at={"q1": 1.0, "q2": 0.0, "q3": 1.0})
    with pytest.raises(EvaluationError, match=r"loop of 'four-bar' do not determine u2, u3 at .*: B1 is singular"):
        flat.udot(q=[0, 0, 0], u=[1.0])

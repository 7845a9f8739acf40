"""Branches of motion at singular positions are listed, and never chosen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from constraint_models import four_bar, slider_crank, surface
from latchwork.constraint.bifurcation import Kind, bifurcation
from latchwork.errors import ConstraintError, EvaluationError


def lines(report):
    """Directions of branches of one dimension, each with its first entry that is not zero made one."""
    columns = [branch.directions[:, 0] for branch in report.branches]
    return sorted((column / column[np.abs(column) > 1e-9][0]).round(9).tolist() for column in columns)


@pytest.mark.parametrize("copies", [1, 3])
def test_equal_slider_crank_has_two_branches_when_folded(copies):
    """At q1 = π/2 it may slide on (u2 = −2 u1) or turn as one link (u2 = 0); copies of the row change nothing."""
    report = bifurcation(slider_crank(copies), q=[math.pi / 2, math.pi])
    assert report.kind is Kind.CROSSING
    assert report.freedoms == 2
    assert report.follows is None
    assert np.array(lines(report)) == pytest.approx(np.array([[1.0, -2.0], [1.0, 0.0]]), abs=1e-6)
    assert all(branch.confirmed for branch in report.branches)


@pytest.mark.parametrize(("u", "line"), [([0.5, -1.0], [1.0, -2.0]), ([0.5, 0.0], [1.0, 0.0])])
def test_velocity_tells_the_branch(u, line):
    """A mechanism that arrives with a velocity stays on the branch in which it lies."""
    report = bifurcation(slider_crank(), q=[math.pi / 2, math.pi], u=u)
    followed = report.branches[report.follows].directions[:, 0]
    assert followed / followed[0] == pytest.approx(line, abs=1e-6)
    assert "the velocity given lies in it" in str(report)


@pytest.mark.parametrize("copies", [1, 3])
def test_elsewhere_it_is_regular(copies):
    """One degree of freedom, one branch, also where rows are redundant."""
    report = bifurcation(slider_crank(copies), q=[1.0, 2 * math.pi - 2.0])
    assert (report.kind, report.freedoms, len(report.branches)) == (Kind.REGULAR, 1, 1)
    assert lines(report)[0] == pytest.approx([1.0, -2.0])


def test_flat_parallelogram():
    """Cranks turn alike (the coupler keeps its direction), or against each other."""
    report = bifurcation(four_bar((2.0, 1.0, 2.0, 1.0)), q=[0.0, 0.0, math.pi])
    assert report.kind is Kind.CROSSING
    assert np.array(lines(report)) == pytest.approx(np.array([[1.0, -2.0, -3.0], [1.0, 0.0, 1.0]]), abs=1e-6)


def test_crossing_lines_of_a_curve():
    """x² = 4 y²: two lines."""
    report = bifurcation(surface("cross"), q=[0.0, 0.0])
    assert report.kind is Kind.CROSSING
    assert np.array(lines(report)) == pytest.approx(np.array([[1.0, -0.5], [1.0, 0.5]]), abs=1e-9)


def test_isolated_point():
    """x² + 2 y² = 0 holds at one point, although no row restrains a velocity there."""
    report = bifurcation(surface("point"), q=[0.0, 0.0])
    assert (report.kind, report.freedoms, report.branches) == (Kind.ISOLATED, 2, ())
    assert "no motion leads away" in str(report)


@pytest.mark.parametrize("curve", ["cusp", "tacnode", "cubed"])
def test_what_the_second_order_does_not_decide_is_said(curve):
    """A cusp, two branches that touch, a row that vanishes along its whole curve: undecided, not guessed."""
    report = bifurcation(surface(curve), q=[0.0, 0.0])
    assert report.kind is Kind.UNDECIDED
    assert not any(branch.confirmed for branch in report.branches)


def test_position_must_be_assembled():
    """Branches are those of positions that meet the constraints."""
    with pytest.raises(ConstraintError, match=r"not assembled at this position .*Take coordinates from"):
        bifurcation(slider_crank(), q=[1.0, 2.0])


def test_branches_are_asked_of_the_mechanism():
    """`Constrained.branches` is the same report, and the error at a singular position names it."""
    crank = slider_crank()
    assert str(crank.branches([math.pi / 2, math.pi])) == str(bifurcation(crank, [math.pi / 2, math.pi]))
    with pytest.raises(EvaluationError, match=r"which branches of motion meet there: \.branches\(q\)"):
        crank.udot([math.pi / 2, math.pi], [1.0])

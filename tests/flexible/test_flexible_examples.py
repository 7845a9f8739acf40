"""Mechanisms that bend against published numbers, and under control."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import latchwork as lw

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import flexible_slider_crank
import kelly_berthing


def test_the_slider_crank_of_the_test_set_with_proper_masses():
    """Consistent longitudinal masses, as a beam has them, change φ₂, x₃ and q₁ by less than 1e-3 of the published end
    values; the axial force in bending, which the problem leaves out, changes q₁ by 23 %, and the others by 4e-6."""
    known = flexible_slider_crank.PUBLISHED
    names = {"phi2": "phi2", "x3": "x3", "q1": "q_rod_y1"}
    linear, stiffened = (flexible_slider_crank.run(flexible_slider_crank.proper(each)) for each in (False, True))
    for name, own in names.items():
        assert linear[own][-1] == pytest.approx(known[name], rel=1e-4)
    for name in ("phi2", "x3"):
        assert stiffened[name][-1] == pytest.approx(known[name], rel=1e-5)
    assert stiffened["q_rod_y1"][-1] == pytest.approx(1.23 * known["q1"], rel=1e-3)
    assert linear.audit.constraint_error < 1e-11


def bent(model, place):
    """How far the middle of the rod is from the line between its ends, along a run from a straight rod."""
    ends, middle = (point.position(model.points["A"]) for point in (model.points["C"], place))
    x, y = model.frame.x, model.frame.y
    across = (ends.dot(x) * middle.dot(y) - ends.dot(y) * middle.dot(x)) / flexible_slider_crank.ROD
    run = lw.simulate(model, 0.05, q={"phi2": 0.0, "x3": 0.45}, u={"u_phi2": -75.0}, audit="off",
                      method=lw.DormandPrince(rtol=1e-8, atol=1e-13))  # fmt: skip
    return np.interp(np.linspace(0.0, 0.05, 301), run.t, run[across])


def test_the_axial_force_in_bending_by_a_second_derivation():
    """A chain of segments, each small in its own frame, bends as the rod of two sines with stiffening does; without, as
    the problem has it, the rod is off by a tenth of its largest deflection."""
    crank = flexible_slider_crank
    ways = []
    for stiffening in (True, False):
        model = crank.proper(stiffening)
        ways.append(bent(model, model.beams["rod"].at(0.5 * crank.ROD)))
    model, rod, pin, slider = crank.mechanism("chain")
    chain = model.beam("rod", rod, pin, crank.ROD, EI=crank.E * crank.AREA * crank.WIDTH**2 / 12.0,
                       rho_A=crank.RHO * crank.AREA, segments=4)  # fmt: skip
    crank.close(model, chain.tip, slider)
    reference = bent(model, chain.at(0.5 * crank.ROD))
    right, wrong = (np.abs(way - reference).max() / np.abs(reference).max() for way in ways)
    assert right < 0.01
    assert wrong > 0.08


def test_a_mass_matrix_is_checked():
    """As large as there are shapes, and symmetric."""
    model = lw.Model("plate")
    shapes = np.ones((3, 3, 2)) + np.eye(3)[:, :, None] * [1.0, 2.0]
    given = {"places": np.eye(3), "masses": np.ones(3), "shapes": shapes, "stiffness": np.eye(2)}
    with pytest.raises(lw.ModelError, match=r"mass matrix of flexible body 'p' are an array of shape \(3, 3\)"):
        model.flexible_body("p", model.frame, model.origin, mass=np.eye(3), **given)
    with pytest.raises(lw.ModelError, match="mass matrix of flexible body 'p' is not symmetric"):
        model.flexible_body("p", model.frame, model.origin, mass=[[1.0, 0.2], [0.0, 1.0]], **given)


@pytest.mark.campaign
def test_a_boom_that_bends_on_the_berthing_arm():
    """The hand comes to the grapple as that of the rigid arm does; then the boom swings, and momentum is kept."""
    rigid = kelly_berthing.run(kelly_berthing.build())
    model = kelly_berthing.build(boom=True)
    run = kelly_berthing.run_with_boom(model, rigid)
    at = run.at(kelly_berthing.REACHED + 3.0 - 1e-3)
    assert np.linalg.norm(at["P6"] - at["grapple"]) < 0.01
    assert 0.05 < np.abs(run["q_boom_z1"]).max() < 0.4
    assert np.abs(run["momentum"]).max() < 1e-6
    assert run.audit.constraint_error < 1e-11

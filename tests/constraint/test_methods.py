"""Every method of integration stays on the constraints, through singular positions and other choices of speeds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork.hybrid.input_laws import driven
from latchwork.hybrid.right_side import unconstrained
from latchwork.integrate.jacobian import differences, evaluated, jacobian_function

METHODS = pytest.mark.parametrize(
    "method",
    [lw.DormandPrince(), lw.RK4(2e-3), lw.SciPy("Radau"), lw.SciPy("BDF"), lw.SciPy("LSODA")],
    ids=["DormandPrince", "RK4", "Radau", "BDF", "LSODA"],
)


def linkage(lengths):
    """Bars in a row from O, the last one back on N.x: angles against N, each bar uniform and of 1 kg."""
    model = lw.Model("linkage")
    N, P = model.frame, model.origin
    for i, length in enumerate(lengths):
        A = N.rotated(f"A{i}", model.coordinate(f"q{i}"), N.z)
        model.body(f"bar {i}", A, P.at(f"C{i}", 0.5 * length * A.x), 1.0, lw.inertia(A, zz=length**2 / 12.0))
        P = P.at(f"P{i}", length * A.x)
    return model, P


@METHODS
def test_a_turning_four_bar_stays_closed(method):
    """Three turns of the crank: the loop is closed to rounding at every sample, and energy is kept."""
    model, end = linkage([0.3, 1.0, 0.9])
    loop = end.position(model.origin) - 1.1 * model.frame.x
    model.constraint("loop", loop)
    run = lw.simulate(model, until=3.0, q={"q0": 0.3, "q1": 0.9, "q2": -1.3}, u={"u0": 6.5}, method=method)
    assert run["q0"][-1] > 18.0
    assert np.abs(run[loop]).max() < 1e-12
    assert run.audit.energy_error < 1e-4


@METHODS
def test_the_slider_crank_of_equal_lengths_passes_its_singular_positions(method):
    """q1 = −q0 is kept through q0 = π/2, 3π/2, ..., where other speeds are chosen."""
    model, end = linkage([1.0, 1.0])
    model.constraint("slider", end.position(model.origin).dot(model.frame.y))
    run = lw.simulate(model, until=10.0, q={"q0": 0.0, "q1": 0.0}, u={"u0": 1.0}, method=method)
    assert run["q0"][-1] > 2.0 * math.pi
    assert run["q0"] + run["q1"] == pytest.approx(0.0, abs=1e-9)
    assert run.audit.energy_error < 1e-4


def test_differences_are_the_derived_jacobian():
    """Forward differences agree with the derived J to half of the digits, with zeros for the work."""
    model, _ = linkage([0.3, 1.0, 0.9])
    side = unconstrained(driven(model.equations(), None)[0]).function
    n = side.width
    z = np.concatenate([np.linspace(0.1, 1.0, 1 + n), np.zeros(len(side.inputs) - 1 - n)])
    J = differences(side, z, n)
    assert pytest.approx(evaluated(jacobian_function(side), z, n), rel=1e-6, abs=1e-6) == J
    assert J[:, -1] == pytest.approx(0.0, abs=0.0)

"""The Whipple bicycle from rolling constraints, against an independent derivation and 40-digit eigenvalues."""

from __future__ import annotations

import math

import numpy as np
import pytest

from latchwork.view import gallery
from references import bicycle as reference

TURNED = np.array([-1, -1, 1, 1, -1, 1, 1, 1, 1.0])  # from the reference's axes to those of the example
SHIFT = np.array([0, 0, 0, 0, math.pi / 2, -math.pi, 0, 0, 0])


@pytest.fixture(scope="module")
def example():
    return gallery.load("whipple_bicycle").module


@pytest.fixture(scope="module")
def bicycle(example):
    return example.embedded(example.build())


def test_accelerations_of_basu_mandal(bicycle):
    """All nine, with multipliers and with the published digits."""
    found = TURNED * bicycle.udot(TURNED * reference.BASU_Q + SHIFT, TURNED * reference.BASU_U)
    assert found == pytest.approx(reference.nonlinear(reference.BASU_Q, reference.BASU_U)[0], abs=1e-11)
    assert found == pytest.approx(reference.BASU_UDOT, abs=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_accelerations_at_random_states(bicycle, seed):
    """Leaning, steered and pitched to touch the ground, at random speeds that roll."""
    rng = np.random.default_rng(seed)
    lean, steer, yaw = rng.uniform(-0.5, 0.5, 3)
    q = bicycle.assemble({"lean": lean, "steer": steer, "yaw": yaw})
    x = bicycle.arguments(q, dict(zip(("u_lean", "u_steer", "u_rear"), rng.normal(0.0, 3.0, 3), strict=True)))
    true = reference.nonlinear(TURNED * (x[1:10] - SHIFT), TURNED * x[10:19])[0]
    assert TURNED * bicycle.udot(x[1:10], x[10:19]) == pytest.approx(true, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("v", range(11))
def test_eigenvalues(example, bicycle, v):
    """Castering, capsize and weave to 1e-10 of 40 digits."""
    true = np.array([complex(value) for value in reference.eigenvalues(v)])
    assert abs(example.lean_and_steer(bicycle, v).eigenvalues - true).max() < 1e-10


def test_linear_equations_are_meijaards(example, bicycle):
    """M q̈ + v C1 q̇ + (g K0 + v² K2) q = 0 in lean and steer, which has the opposite sign there."""
    M, C1, K0, K2 = (np.array(matrix.tolist(), dtype=float) for matrix in reference.coefficients())
    v, flip = 5.0, np.diag([1.0, -1.0])
    A = example.lean_and_steer(bicycle, v).A
    assert A[2:, :2] == pytest.approx(-flip @ np.linalg.solve(M, 9.81 * K0 + v**2 * K2) @ flip, abs=1e-11)
    assert A[2:, 2:] == pytest.approx(-flip @ np.linalg.solve(M, v * C1) @ flip, abs=1e-11)


def test_circling_hands_free(bicycle):
    """A steady turn: lean and speed are found for a steer angle; the place, the heading and the wheels go on."""
    found = bicycle.steady(q={"lean": 0.1, "steer": 0.1}, u={"u_rear": 17.0}, hold=["steer", "yaw"], find=["u_rear"])
    assert abs(bicycle.udot(**found.arguments)[[4, 6, 7]]).max() < 1e-9
    linear = bicycle.linearize(**found.arguments)
    assert linear.drifting == ("x", "y", "yaw", "rear", "front")
    assert abs(linear.steady().eigenvalues).min() < 1e-9  # along the family of turns

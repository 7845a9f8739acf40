"""Design I: multipliers, augmented Lagrangian, penalty forces."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.constraint.designs.table import DESIGNS
from latchwork.constraint.selection import select
from latchwork.constraint.solve import accelerations
from random_constraints import random_problem, weighed

AUGMENTED = DESIGNS["augmented Lagrangian"]


def residual(problem, iterations, penalty):
    """How far the augmented Lagrangian is from meeting the rows, each of unit length."""
    n = len(problem.f)
    settings = AUGMENTED.settings(n, iterations=iterations, penalty=penalty)
    w, _, _, A, a = weighed(problem)
    return np.abs(A @ (AUGMENTED.accelerations(*problem, settings=settings) / w) + a).max()


def test_augmented_lagrangian_converges_as_its_penalty_is_stiff():
    """Each iteration shrinks the residual by 1/(1 + κσ²), σ² the least eigenvalue of B M⁻¹ Bᵀ."""
    problem = random_problem("independent", 2)
    _, K, _, A, _ = weighed(problem)
    least = np.linalg.eigvalsh(A @ np.linalg.solve(K, A.T))[0]
    steps = [residual(problem, k, 30.0) for k in range(4, 9)]
    assert np.array(steps[1:]) / steps[:-1] == pytest.approx(1.0 / (1.0 + 30.0 * least), rel=0.2)


def test_augmented_lagrangian_near_a_singularity_needs_a_stiffer_penalty():
    """With rows that differ by 1e-4 the usual penalty is short of κσ² = 1; a stiffer one is mended as it iterates."""
    for seed in range(6):
        problem = random_problem("nearly singular", seed)
        settings = AUGMENTED.settings(len(problem.f), penalty=1e12)
        expected = accelerations(*problem, select(problem.B, problem.M))
        assert AUGMENTED.accelerations(*problem, settings=settings) == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_penalty_forces_are_springs_and_dampers_of_the_rows():
    """u̇ = M⁻¹ (f − Bᵀ(ω²Φ + 2ζωψ)/|b|²) for one row, |b| its length in the metric of M_jj; f alone where it is met."""
    M, f, B, c = random_problem("independent", 4)
    B, c = B[:1], c[:1]
    design = DESIGNS["penalty forces"]
    settings = design.settings(len(f), omega=40.0, zeta=0.7)
    psi, phi = np.array([0.3]), np.array([-0.02])
    stiff = (1600.0 * phi + 2 * 0.7 * 40.0 * psi) / (B[0] ** 2 / np.diag(M)).sum()
    expected = np.linalg.solve(M, f - B.T @ stiff)
    assert design.accelerations(M, f, B, c, psi, phi, settings) == pytest.approx(expected, rel=1e-11)
    assert design.accelerations(M, f, B, c) == pytest.approx(np.linalg.solve(M, f), rel=1e-11)


def test_contradictory_rows_are_met_in_the_mean():
    """Where two copies of a row ask for different accelerations, the multipliers take a finite middle."""
    B = np.array([[1.0, 0.0], [1.0, 0.0]])
    udot = DESIGNS["multipliers"].accelerations(np.eye(2), np.zeros(2), B, np.array([-1.0, -3.0]))
    assert 1.0 <= udot[0] <= 3.0
    assert udot[1] == pytest.approx(0.0, abs=1e-12)

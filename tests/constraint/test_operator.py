"""Aghili's projection operator as kernels."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.constraint.designs.projection_operator import products, scalar, skew, symmetric
from latchwork.constraint.designs.projector import project_pseudoinverse, project_svd
from latchwork.constraint.designs.table import DESIGNS
from latchwork.program.native import invoke
from random_constraints import KINDS, random_problem, weighed

PROJECTORS = [project_svd, project_pseudoinverse]


def projector(kernel, A, a):
    """P and Ṗu of a kernel."""
    m, n = A.shape
    P, rate, work = np.zeros((n, n)), np.zeros(n), np.zeros(n * n + 2 * n * m + 5 * m + 2 * n)
    invoke(kernel, n, m, 1e-9, A.copy(), a.copy(), P, rate, work)
    return P, rate


def matrices(problem):
    """P, M and the three constraint inertia matrices, as the kernels form them."""
    _, K, g, A, a = weighed(problem)
    n = len(g)
    P, rate = projector(project_svd, A, a)
    PM, forced, carried = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    invoke(products, n, K, g, P, rate, PM, forced, carried)
    found = []
    for kernel in (skew, symmetric, scalar):
        Mc = np.zeros((n, n))
        invoke(kernel, n, 0.0, K, P, PM, rate, carried, Mc, forced.copy())
        found.append(Mc)
    return P, K, *found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kernel", PROJECTORS, ids=lambda item: item.name.split(".")[-1])
def test_projector_laws(kernel, kind):
    """P² = P = Pᵀ, B P = 0, tr P = n − rank, and Ṗu = −B⁺c is normal."""
    for seed in range(12):
        problem = random_problem(kind, seed)
        _, _, _, A, a = weighed(problem)
        P, rate = projector(kernel, A, a)
        loose = 1e-15 * max(problem.condition, 100.0)
        rank = np.linalg.matrix_rank(A, tol=1e-9) if len(A) else 0
        assert pytest.approx(P.T, abs=1e-13) == P
        assert pytest.approx(P, abs=1e-13) == P @ P
        assert np.abs(A @ P).max(initial=0.0) < 1e-13
        assert np.trace(P) == pytest.approx(len(P) - rank, abs=1e-12)
        assert P @ rate == pytest.approx(np.zeros(len(P)), abs=max(1e-12, loose) * max(1.0, np.abs(rate).max()))
        assert rate == pytest.approx(-np.linalg.pinv(A, rcond=1e-9) @ a, rel=100 * loose, abs=100 * loose)


def test_constraint_inertia_matrices():
    """M_c is positive, M_c' positive and symmetric, M_c'' invertible; all agree with M on tangent motion."""
    for seed in range(12):
        P, M, Mc, Mc1, Mc2 = matrices(random_problem("redundant", seed))
        assert np.linalg.eigvalsh(Mc + Mc.T).min() > 0.0
        assert Mc1 == pytest.approx(Mc1.T, abs=1e-13)
        assert np.linalg.eigvalsh(Mc1).min() > 0.0
        assert np.linalg.cond(Mc2) < 1e4
        for form in (Mc, Mc1, Mc2):
            assert P @ form @ P == pytest.approx(P @ M @ P, abs=1e-12)


def test_gamma_changes_the_condition_and_not_the_result():
    """M_c'' with γ over eight decades: the same u̇, conditioned best where γ is among the eigenvalues of M∥."""
    design = DESIGNS["operator Mc'' by SVD"]
    problem = random_problem("independent", 2)
    expected = design.accelerations(*problem)
    for gamma in (1e-4, 1e-2, 1.0, 1e2, 1e4):
        found = design.accelerations(*problem, settings=design.settings(len(problem.f), gamma=gamma))
        assert found == pytest.approx(expected, rel=1e-9)

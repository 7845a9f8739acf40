"""Eigenvalues as kernels: against LAPACK, defective and unbalanced matrices, what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.algebra.eigenvalues import eigenvalues, eigenvalues_kernel
from latchwork.program.native import interpret, invoke


def apart(a, b):
    """The largest distance from an eigenvalue of one set to the nearest of the other, both ways."""
    distances = np.abs(np.asarray(a)[:, None] - np.asarray(b)[None, :])
    return max(distances.min(axis=0).max(), distances.min(axis=1).max())


@pytest.mark.parametrize("n", [1, 2, 3, 6, 13, 30])
def test_random_matrices(n):
    """As LAPACK finds them, to rounding of the largest; rows of very different lengths too."""
    rng = np.random.default_rng(n)
    for _ in range(10):
        A = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, (n, 1))
        known = np.linalg.eigvals(A)
        assert apart(eigenvalues(A), known) < 1e-12 * np.abs(known).max()


def test_vibration_with_damping():
    """λ² + d λ + k = 0 for each of three, far apart in frequency: small ones to many digits as well."""
    k = np.array([1e2, 1e6, 1e10])
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.diag(k), -1e-3 * np.diag(k)]])
    found = eigenvalues(A)
    for each in k:
        for root in np.roots([1.0, 1e-3 * each, each]):
            assert np.abs(found - root).min() < 1e-9 * abs(root)


def test_special_matrices():
    """Zeros, a rotation, a companion matrix, a permutation that needs exceptional shifts."""
    assert eigenvalues(np.zeros((4, 4))) == pytest.approx(np.zeros(4))
    assert apart(eigenvalues([[0.0, -2.0], [2.0, 0.0]]), [2j, -2j]) < 1e-15
    assert apart(eigenvalues([[6.0, -11.0, 6.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), [1.0, 2.0, 3.0]) < 1e-12
    turning = np.roll(np.eye(8), 1, axis=0)
    assert apart(eigenvalues(turning), np.exp(2j * np.pi * np.arange(8) / 8)) < 1e-13


def test_what_is_not_finite_has_none():
    """inf and nan."""
    assert eigenvalues([[1.0, np.inf], [0.0, 1.0]]) is None
    assert eigenvalues([[np.nan, 1.0], [0.0, 1.0]]) is None


def test_python_and_machine_code_give_the_same_bits():
    """Kernels as Python and as machine code."""
    A = np.random.default_rng(4).normal(size=(7, 7))
    found = []
    for call in (invoke, interpret):
        work, re, im = A.copy(), np.zeros(7), np.zeros(7)
        assert call(eigenvalues_kernel, 7, work, re, im) == 1
        found.append((re.tobytes(), im.tobytes()))
    assert found[0] == found[1]

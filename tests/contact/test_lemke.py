"""Lemke's method against all complementary bases."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from latchwork.contact.complementarity.lemke import lemke


def every_solution(M, q):
    """z of every choice of z_i = 0 or w_i = 0 that is lawful."""
    found = []
    for basis in itertools.product((False, True), repeat=len(q)):
        rows = np.flatnonzero(basis)
        z = np.zeros(len(q))
        z[rows] = np.linalg.solve(M[np.ix_(rows, rows)], -q[rows])
        if z.min() >= -1e-12 and (M @ z + q).min() >= -1e-10:
            found.append(z)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_positive_matrices_have_one_solution(seed):
    """Where M is positive definite, not symmetric, the one solution is found."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    X, skew = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    M, q = X @ X.T + 0.1 * np.eye(n) + skew - skew.T, rng.normal(size=n)
    z, _ = lemke(M, q)
    (only,) = every_solution(M, q)
    assert z == pytest.approx(only, abs=1e-8)


@pytest.mark.parametrize("n", [40, 200])
def test_large_and_redundant(n):
    """M of half rank, q in its range: w ≥ 0, z ≥ 0, wᵀz = 0."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, n // 2))
    M, q = X @ X.T / n, X @ rng.normal(size=n // 2)
    z, count = lemke(M, q)
    w = M @ z + q
    assert count < 5 * n
    assert min(w.min(), z.min()) > -1e-8
    assert np.abs(w * z).max() < 1e-8


def test_a_ray_shows_that_there_is_none():
    """w = −z − 1 has no solution; q ≥ 0 needs no pivot."""
    assert lemke(np.array([[-1.0]]), np.array([-1.0]))[0] is None
    assert lemke(np.array([[-1.0]]), np.array([1.0])) == (0.0, 0)


def test_degenerate_problems_end():
    """Problems of zeros and ones, full of ties, end well within the limit."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.integers(-1, 2, (6, 3)).astype(float)
        z, count = lemke(X @ X.T, X @ rng.integers(-1, 2, 3).astype(float))
        assert z is not None
        assert count < 60

"""Bases of the null space."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.algebra.elimination import lu, lu_solve, lu_solve_transposed
from latchwork.algebra.factors import eigen, qr, reflect, svd
from latchwork.constraint.designs.null_space_bases import by_eigenvalues, by_gauss, by_qr, by_svd
from latchwork.program.native import invoke
from random_constraints import KINDS, random_problem, weighed

BASES = [by_svd, by_qr, by_gauss, by_eigenvalues]


def basis(kernel, A, a, cut=1e-9):
    """N and γ of a kernel."""
    m, n = A.shape
    N, gamma, work = np.zeros((n, n)), np.zeros(n), np.zeros(2 * n * n + n * m + 2 * m + n)
    k = invoke(kernel, n, m, cut, A.copy(), a.copy(), N, gamma, work)
    return N[:, :k], gamma


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kernel", BASES, ids=lambda item: item.name.split(".")[-1])
def test_basis_spans_the_null_space(kernel, kind):
    """B N = 0, B γ = −c, and N has n − rank independent columns; squares cost BᵀB half of the digits."""
    for seed in range(12):
        _, _, _, A, a = weighed(random_problem(kind, seed))
        N, gamma = basis(kernel, A, a)
        rank = np.linalg.matrix_rank(A, tol=1e-9) if len(A) else 0
        assert N.shape[1] == A.shape[1] - rank == np.linalg.matrix_rank(N)
        near, loose = (1e-10, 1e-8) if kernel is by_eigenvalues and kind == "nearly singular" else (1e-13, 1e-11)
        assert np.abs(A @ N).max(initial=0.0) < near * max(1.0, np.abs(N).max(initial=0.0))
        assert np.abs(A @ gamma + a).max(initial=0.0) < loose * max(1.0, np.abs(gamma).max())


@pytest.mark.parametrize("kernel", [by_svd, by_qr, by_eigenvalues], ids=lambda item: item.name.split(".")[-1])
def test_orthogonal_bases_give_the_least_norm(kernel):
    """N is orthonormal and γ = −B⁺c."""
    for seed in range(12):
        _, _, _, A, a = weighed(random_problem("redundant", seed))
        N, gamma = basis(kernel, A, a)
        assert pytest.approx(np.eye(N.shape[1]), abs=1e-13) == N.T @ N
        assert gamma == pytest.approx(-np.linalg.pinv(A, rcond=1e-9) @ a, rel=1e-9, abs=1e-10)


def test_rows_closer_than_the_cut_are_one():
    """Two rows that differ by less than the cut leave the columns of one."""
    rng = np.random.default_rng(5)
    row, other = rng.normal(size=(2, 4))
    A = np.vstack([row, row + 1e-8 * other])
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    for kernel in BASES:
        assert basis(kernel, A, np.zeros(2), cut=1e-6)[0].shape[1] == 3
    for kernel in BASES[:3]:
        assert basis(kernel, A, np.zeros(2), cut=1e-10)[0].shape[1] == 2


@pytest.mark.parametrize("size", [(1, 1), (3, 5), (5, 3), (6, 6)])
def test_singular_values(size):
    """One-sided Jacobi: V orthogonal, A V orthogonal, σ those of LAPACK."""
    m, n = size
    A = np.random.default_rng(m + n).normal(size=size)
    AV, V, s = A.copy(), np.zeros((n, n)), np.zeros(n)
    invoke(svd, m, n, AV, V, s)
    expected = np.zeros(n)
    expected[: min(m, n)] = np.linalg.svd(A, compute_uv=False)
    assert pytest.approx(np.eye(n), abs=1e-14) == V.T @ V
    assert pytest.approx(AV, abs=1e-14) == A @ V
    assert np.sort(np.sqrt(s))[::-1] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_eigenvalues(n):
    """Cyclic Jacobi: VᵀSV is diagonal with the eigenvalues of LAPACK."""
    root = np.random.default_rng(n).normal(size=(n, n))
    S = root + root.T
    D, V = S.copy(), np.zeros((n, n))
    invoke(eigen, n, D, V)
    assert pytest.approx(np.diag(np.diag(D)), abs=1e-13) == V.T @ S @ V
    assert np.sort(np.diag(D)) == pytest.approx(np.linalg.eigvalsh(S), abs=1e-13)


@pytest.mark.parametrize("size", [(4, 3), (3, 4), (5, 5)])
def test_qr_factors(size):
    """Qᵀ A Π is upper triangular with a falling diagonal."""
    rows, cols = size
    A = np.random.default_rng(rows).normal(size=size)
    R, tau, p, room = A.copy(), np.zeros(cols), np.zeros(cols), np.zeros(cols)
    rank = invoke(qr, rows, cols, 0.0, R, tau, p, room)
    turned = A[:, p.astype(int)].copy()
    for j in range(cols):
        column = turned[:, j].copy()
        for k in range(rank):
            invoke(reflect, rows, cols, k, R, tau, column)
        turned[:, j] = column
    assert rank == min(size)
    assert turned == pytest.approx(np.triu(R), abs=1e-13)
    assert (np.diff(np.abs(np.diag(R))) <= 1e-14).all()


def test_lu_solves_and_tells_what_is_singular():
    """A⁻¹ b and A⁻ᵀ b to rounding; the least pivot vanishes with the determinant."""
    A, b = np.random.default_rng(1).normal(size=(6, 6)), np.arange(6.0)
    F, p, x = A.copy(), np.zeros(6), b.copy()
    assert invoke(lu, 6, F, p) > 1e-3
    invoke(lu_solve, 6, F, p, x)
    assert A @ x == pytest.approx(b, abs=1e-12)
    y = b.copy()
    invoke(lu_solve_transposed, 6, F, p, y)
    assert A.T @ y == pytest.approx(b, abs=1e-12)
    A[3] = A[0] + A[1]
    assert invoke(lu, 6, A.copy(), p) < 1e-15

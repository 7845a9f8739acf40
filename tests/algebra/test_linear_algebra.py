"""Products, elimination, singular values and eigenvalues by kernels, against NumPy, and as Python bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.algebra import factors, linear
from latchwork.algebra.elimination import lu, lu_in_units
from latchwork.algebra.linear import (
    SingularMatrix,
    cholesky,
    cond,
    eigh,
    inv,
    least_squares,
    lstsq,
    lstsq_each,
    matrix_rank,
    pinv,
    qr,
    solve,
    solve_lower,
    svd,
)
from latchwork.algebra.products import dot, multiply, norm
from latchwork.program.native import interpret, invoke

SEEDS = range(40)


def random_matrix(seed: int) -> tuple[np.ndarray, int]:
    """A matrix of any shape up to six, of any rank, some with a row of zeros or of whole numbers; and its rank."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 7, 2)
    A = rng.normal(size=(m, rng.integers(0, min(m, n) + 1)))
    A = A @ rng.normal(size=(A.shape[1], n)) if A.shape[1] else np.zeros((m, n))
    A = np.round(A) if seed % 3 == 0 else A
    if seed % 4 == 0:
        A[rng.integers(m)] = 0.0
    A *= 10.0 ** rng.integers(-12, 13)
    return A, int(np.linalg.matrix_rank(A))


@pytest.mark.parametrize("seed", SEEDS)
def test_singular_values_and_vectors(seed):
    """A = U Σ Vᵀ with U and V orthogonal, whole, and the singular values of LAPACK; rank by what is above rounding."""
    A, rank = random_matrix(seed)
    U, s, Vt = svd(A)
    size = max(float(np.abs(A).max()), 1e-300)
    assert pytest.approx(np.eye(len(U)), abs=1e-14) == U @ U.T
    assert Vt @ Vt.T == pytest.approx(np.eye(len(Vt)), abs=1e-14)
    assert (U[:, : len(s)] * s) @ Vt[: len(s)] / size == pytest.approx(A / size, abs=1e-13)
    assert s / size == pytest.approx(np.linalg.svd(A, compute_uv=False) / size, abs=1e-13)
    assert matrix_rank(A, 1e-12 * size) == rank


@pytest.mark.parametrize("seed", SEEDS)
def test_least_squares_of_least_norm(seed):
    """x = A⁺ b as LAPACK finds it, for one b and for several, and the rank."""
    A, rank = random_matrix(seed)
    B = np.random.default_rng(seed).normal(size=(len(A), 3))
    size = max(float(np.abs(A).max()), 1e-300)
    expected = np.linalg.lstsq(A, B, rcond=1e-11)[0] * size
    assert lstsq(A, B, 1e-11) * size == pytest.approx(expected, abs=1e-11)
    assert lstsq(A, B[:, 0], 1e-11) * size == pytest.approx(expected[:, 0], abs=1e-11)
    assert least_squares(A, B, 1e-11)[1] == rank
    assert pinv(A, 1e-11) * size == pytest.approx(np.linalg.pinv(A, rcond=1e-11) * size, abs=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_complete_orthogonal_decomposition(seed):
    """x of least norm as LAPACK finds it, the rank, and unit vectors at right angles that span the null space; the same
    bits as Python and as machine code."""
    rng = np.random.default_rng(seed)
    m, n, rank = (int(size) for size in rng.integers(1, 9, 3))
    A = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n)) if seed % 3 else np.round(rng.normal(size=(m, n)))
    b, results, known = rng.normal(size=m), [], int(np.linalg.matrix_rank(A))
    for call in (interpret, invoke):
        factored, tau, turned, order, x, z = A.copy(), *(np.zeros(n) for _ in range(5))
        found = call(factors.least_norm, m, n, 1e-11, factored, tau, turned, order, np.append(b, np.zeros(n)), x)
        N = np.zeros((n - found, n))
        for i in range(n - found):
            call(factors.null_vector, n, found, i, factored, turned, order, z, N[i])
        results.append((found, x.tobytes(), N.tobytes()))
    assert results[0] == results[1]
    assert found == known
    assert x == pytest.approx(np.linalg.lstsq(A, b, rcond=1e-11)[0], abs=1e-9)
    assert pytest.approx(np.eye(n - found), abs=1e-13) == N @ N.T
    assert pytest.approx(np.zeros((m, n - found)), abs=1e-12) == A @ N.T


def test_a_copy_of_a_row_is_rounding_whatever_is_cut():
    """A system whose rows are copies is solved as one, also where nothing is said to be cut off."""
    row = np.array([0.3, -1.7, 0.2])
    A = np.vstack([row, row, 1.0 * row])
    assert lstsq(A, np.full(3, 2.0), 1e-30) == pytest.approx(row * 2.0 / (row @ row), rel=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_symmetric_and_square_systems(seed):
    """Eigenvalues, Cholesky, LU, inverse, condition and QR of a positive matrix are those of LAPACK."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    F, b = rng.normal(size=(n, n)), rng.normal(size=(n, 2))
    S = F @ F.T + 0.1 * np.eye(n)
    values, vectors = eigh(S)
    assert values == pytest.approx(np.linalg.eigvalsh(S), rel=1e-12)
    assert S @ vectors == pytest.approx(vectors * values, abs=1e-12)
    assert cholesky(S) == pytest.approx(np.linalg.cholesky(S), rel=1e-12)
    assert solve_lower(cholesky(S), b) == pytest.approx(np.linalg.solve(np.linalg.cholesky(S), b), rel=1e-9, abs=1e-12)
    assert solve(S, b) == pytest.approx(np.linalg.solve(S, b), rel=1e-9, abs=1e-12)
    assert inv(S) @ S == pytest.approx(np.eye(n), abs=1e-10)
    assert cond(S) == pytest.approx(np.linalg.cond(S), rel=1e-9)
    Q, R = qr(F)
    assert pytest.approx(F, abs=1e-13) == Q @ R
    assert pytest.approx(np.eye(n), abs=1e-14) == Q.T @ Q


def test_many_systems_at_once():
    """Each of many small systems as alone; a singular one by least norm."""
    rng = np.random.default_rng(7)
    A, b = rng.normal(size=(9, 2, 2)), rng.normal(size=(9, 2))
    A[4, 1] = 2.0 * A[4, 0]
    found = lstsq_each(A, b)
    assert all(np.array_equal(found[k], linear.lstsq_each(A[k : k + 1], b[k : k + 1])[0]) for k in range(9))
    assert found == pytest.approx(np.array([np.linalg.pinv(a) @ y for a, y in zip(A, b, strict=True)]), rel=1e-9)


def test_what_has_no_inverse_is_refused():
    """Singular, not positive, not finite, not square: each in its own words."""
    with pytest.raises(SingularMatrix, match="2 rows is singular"):
        solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 1.0])
    with pytest.raises(SingularMatrix, match="not positive"):
        cholesky([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(SingularMatrix, match="not finite"):
        svd([[np.nan, 1.0]])
    with pytest.raises(SingularMatrix, match="not finite"):
        lstsq([[np.inf, 1.0]], [1.0])
    with pytest.raises(ValueError, match=r"square matrix is needed, and this is of shape \(1, 2\)"):
        solve([[1.0, 2.0]], [1.0])
    with pytest.raises(ValueError, match="3 is not 2"):
        dot(np.ones((2, 3)), np.ones(2))


@pytest.mark.parametrize("seed", SEEDS)
def test_products_are_those_of_numpy(seed):
    """Vectors, matrices, transposed and stacked, in any order; and lengths, also of numbers whose squares overflow."""
    rng = np.random.default_rng(seed)
    m, n, k = rng.integers(1, 6, 3)
    A, B, x, y = rng.normal(size=(m, n)), rng.normal(size=(k, n)), rng.normal(size=n), rng.normal(size=m)
    stack = rng.normal(size=(3, m, n))
    pairs = [((A, x), A @ x), ((y, A), y @ A), ((A, B.T), A @ B.T), ((y, A, x), y @ A @ x), ((x, x), x @ x),
             ((stack, x), stack @ x), ((y, stack), y @ stack), ((stack, B.T), stack @ B.T),
             ((A[:, ::-1], x), A[:, ::-1] @ x)]  # fmt: skip
    for factors_, expected in pairs:
        assert dot(*factors_) == pytest.approx(expected, abs=1e-13)
    for scale in (1.0, 1e-200, 1e200):
        assert norm(scale * x) == pytest.approx(scale * np.linalg.norm(x), rel=1e-14)
    assert norm(A, axis=1) == pytest.approx(np.linalg.norm(A, axis=1), rel=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_kernels_give_the_same_bits_as_python(seed):
    """Each kernel as Python, and as machine code."""
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(5, 5)), rng.normal(size=(5, 2))
    results = []
    for call in (interpret, invoke):
        work, V, s, X, product = A.copy(), np.empty((5, 5)), np.empty(5), np.empty((5, 2)), np.empty((5, 2))
        call(linear.least_tall, 5, 5, 2, 1e-12, work, b.copy(), V, s, X)
        call(multiply, 5, 5, 2, A, 5, 1, b, 2, 1, product)
        units, LU, order = np.linspace(1.0, 3.0, 5), A.copy(), np.empty(5)
        call(lu_in_units, 5, LU, order, units, np.full(5, 2.0))
        S, W = A + A.T, np.empty((5, 5))
        call(factors.eigen, 5, S, W)
        results.append([each.tobytes() for each in (work, V, s, X, product, LU, order, units, S, W)])
    assert results[0] == results[1]


@pytest.mark.parametrize("seed", range(10))
def test_units_of_rows_do_not_change_factors(seed):
    """Rows times powers of two, with units that go along, are exchanged alike: the same pivots, the same solution."""
    rng = np.random.default_rng(seed)
    A, powers = rng.normal(size=(4, 4)), 2.0 ** rng.integers(-30, 30, 4)
    plain, scaled, p, q = A.copy(), A * powers[:, None], np.empty(4), np.empty(4)
    least = invoke(lu_in_units, 4, plain, p, np.ones(4), np.ones(4))
    assert invoke(lu_in_units, 4, scaled, q, powers.copy(), np.ones(4)) == least
    assert np.array_equal(p, q)
    same = A.copy()
    assert invoke(lu, 4, same, q) == least
    assert np.array_equal(same, plain)

"""Random constrained problems at a state, and the designs written in NumPy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.designs.table import DESIGNS, Design
from latchwork.program.native import interpret, invoke

Array = NDArray[np.float64]
KINDS = ("independent", "redundant", "nearly singular", "none left", "no rows")


class Problem(NamedTuple):
    """M u̇ = f + Bᵀλ, B u̇ + c = 0."""

    M: Array
    f: Array
    B: Array
    c: Array

    @property
    def metric(self) -> Array:
        return np.diag(self.M)

    @property
    def rows(self) -> Array:
        """B in the kinetic metric, rows of unit length."""
        A = self.B / np.sqrt(self.metric)
        return A / np.linalg.norm(A, axis=1, keepdims=True)

    @property
    def condition(self) -> float:
        """The largest singular value of the rows over the smallest that is not zero."""
        if not len(self.B):
            return 1.0
        s = np.linalg.svd(self.rows, compute_uv=False)
        return float(s[0] / s[s > 1e-9 * s[0]].min())


def random_problem(kind: str, seed: int) -> Problem:
    """Inertias over two decades, one to seven speeds."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n = int(rng.integers(3, 8))
    factor, sizes = rng.normal(size=(n, n)), 10.0 ** rng.uniform(-1.0, 1.0, n)
    M = (factor @ factor.T + 0.3 * np.eye(n)) * np.outer(sizes, sizes)
    m = {"none left": n, "no rows": 0}.get(kind, int(rng.integers(2, n)))
    B = rng.normal(size=(m, n))
    if kind == "redundant":
        B = np.vstack([B, rng.normal(size=(2, m)) @ B])
    if kind == "nearly singular":
        B[-1] = B[0] + 1e-4 * B[-1]
    return Problem(M, 10.0 * rng.normal(size=n), B, B @ rng.normal(size=n))


def run(design: Design, problem: Problem, settings: Array, how: str, spare: int = 8) -> tuple[Array, Array]:
    """u̇ by a kernel as machine code or as Python, and what lies beyond its workspace."""
    M, f, B, c = problem
    m, n = B.shape
    size = design.work_size(n, m)
    udot, work = np.full(n, np.nan), np.full(size + spare, np.nan)
    zero = np.zeros(m)
    arrays = (np.ascontiguousarray(M), f, np.ascontiguousarray(B), c, zero, zero, settings, udot, work)
    {"native": invoke, "python": interpret}[how](design.solve, n, m, *arrays)
    return udot, work[size:]


def weighed(problem: Problem) -> tuple[Array, Array, Array, Array, Array]:
    """w, K, g, A, a of `constraint.weigh`."""
    M, f, B, c = problem
    w = 1.0 / np.sqrt(problem.metric)
    lengths = np.linalg.norm(B * w, axis=1)
    return w, M * np.outer(w, w), w * f, B * w / lengths[:, None], c / lengths


def by_null_space(problem: Problem) -> Array:
    """u̇ = N (NᵀMN)⁻¹ Nᵀ(f − Mγ) + γ, N from NumPy's SVD."""
    w, K, g, A, a = weighed(problem)
    _, s, Vt = np.linalg.svd(A)
    N = Vt[int((s > 1e-9).sum()) :].T
    gamma = -np.linalg.pinv(A, rcond=1e-9) @ a
    return w * (N @ np.linalg.solve(N.T @ K @ N, N.T @ (g - K @ gamma)) + gamma)


def by_operator(problem: Problem, which: str) -> Array:
    """u̇ = M_c⁻¹ (P f + C_c u) with one of Aghili's three matrices."""
    w, K, g, A, a = weighed(problem)
    inverse, one = np.linalg.pinv(A, rcond=1e-9), np.eye(len(g))
    P, rate = one - inverse @ A, -inverse @ a
    gamma = np.trace(P @ K) / np.trace(P) if np.trace(P) > 0.5 else 1.0
    Mc, x = {
        "Mc": (K + P @ K - K @ P, K @ rate),
        "Mc'": (P @ K @ P + (one - P) @ K @ (one - P), (one - 2.0 * P) @ K @ rate),
        "Mc''": (P @ K + gamma * (one - P), gamma * rate),
    }[which]
    return w * np.linalg.solve(Mc, P @ g + x)


def by_multipliers(problem: Problem) -> Array:
    """[M −Bᵀ; B 0][u̇; λ] = [f; −c], of least norm."""
    w, K, g, A, a = weighed(problem)
    whole = np.block([[K, -A.T], [A, np.zeros((len(a), len(a)))]])
    return w * np.linalg.lstsq(whole, np.concatenate([g, -a]), rcond=1e-13)[0][: len(g)]


def reference(design: Design, problem: Problem) -> Array:
    """The same design in NumPy."""
    family, *rest = design.name.split()
    if family == "operator":
        return by_operator(problem, rest[0])
    return by_null_space(problem) if family == "null" else by_multipliers(problem)


EXACT = [design for design in DESIGNS.values() if design.exact]

"""The constrained problem at a state, freed of its units: where every design by numbers starts.

    K x = g + Aᵀ λ,   A x + a = 0,   u̇ = W^(−1/2) x
    K = W^(−1/2) M W^(−1/2),   g = W^(−1/2) f,   A = B W^(−1/2),   a = c + 2α ψ + β² Φ      [Aghili Eqs. 8-10, §VII-B]

W is a diagonal metric of the speeds: M_jj, so that all components are √(energy), unless weights are given. Rows of A,
with a, are divided by their lengths. α and β are Baumgarte's; a design that projects after its steps has them zero.
"""

from __future__ import annotations

from latchwork.program.kernel import divide, f64p, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

CUT, VANISHED, ALPHA, BETA, FIRST, SECOND, WEIGHTS = 0, 1, 2, 3, 4, 5, 6  # places of the settings
SHORTEST = 1e-13  # rows shorter than this part of the longest are zero
LIGHTEST = 1e-18  # of the largest inertia: speeds with less are massless, and weighed as the heaviest


@kernel
def room(n: i64, m: i64) -> i64:
    """How much workspace `metric` fills: A, a, K, g, w in this order."""
    return m * n + m + n * n + 2 * n


@kernel
def weigh(
    n: i64, m: i64, M: f64p, f: f64p, B: f64p, c: f64p, psi: f64p, phi: f64p, settings: f64p,
    A: f64p, a: f64p, K: f64p, g: f64p, w: f64p,
) -> None:  # fmt: skip
    """A, a, K, g and ``w_j = W_j^(−1/2)``. Rows that vanish, measured in this metric, become zero."""
    largest = 1e-300
    for j in range(n):
        largest = maximum(largest, M[j * n + j])
    for j in range(n):
        own = M[j * n + j] if M[j * n + j] > LIGHTEST * largest else largest
        w[j] = divide(1.0, sqrt(settings[WEIGHTS + j] if settings[WEIGHTS + j] > 0.0 else own))
    for i in range(n):
        g[i] = w[i] * f[i]
        for j in range(n):
            K[i * n + j] = w[i] * M[i * n + j] * w[j]
    longest = 0.0
    for i in range(m):
        total = 0.0
        for j in range(n):
            A[i * n + j] = B[i * n + j] * w[j]
            total += A[i * n + j] * A[i * n + j]
        a[i] = sqrt(total)
        longest = maximum(longest, a[i])
    for i in range(m):
        present = a[i] > maximum(SHORTEST, settings[VANISHED]) * longest
        scale = divide(1.0, a[i]) if present else 0.0
        a[i] = scale * (c[i] + 2.0 * settings[ALPHA] * psi[i] + settings[BETA] * settings[BETA] * phi[i])
        for j in range(n):
            A[i * n + j] *= scale


@kernel
def weighed(
    n: i64, m: i64, M: f64p, f: f64p, B: f64p, c: f64p, psi: f64p, phi: f64p, settings: f64p, work: f64p,
) -> None:  # fmt: skip
    """A, a, K, g, w at the beginning of the workspace."""
    K = m * n + m
    A, a = work, offset(work, m * n)
    weigh(n, m, M, f, B, c, psi, phi, settings, A, a, offset(work, K), offset(work, K + n * n),
          offset(work, K + n * n + n))  # fmt: skip


@kernel
def unweigh(n: i64, w: f64p, x: f64p, udot: f64p) -> None:
    """``u̇ = W^(−1/2) x``."""
    for j in range(n):
        udot[j] = w[j] * x[j]


@kernel
def times(rows: i64, cols: i64, A: f64p, x: f64p, y: f64p) -> None:
    """``y = A x``."""
    for i in range(rows):
        total = 0.0
        for j in range(cols):
            total += A[i * cols + j] * x[j]
        y[i] = total

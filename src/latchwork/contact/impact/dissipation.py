"""Friction under normal impulses that are given: what loses most energy.

    min ½ Λᵀ W Λ + Λᵀ v  over Λ_t with |Λ_t| ≤ μ Λ_n at each contact:   v_t⁺ = 0, or Λ_t = −μ Λ_n v_t⁺/|v_t⁺|

Convex, so that each projected step towards it loses energy: the result never has more than the start.
"""

from __future__ import annotations

from latchwork.contact.impact.problem import ImpactProblem
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, local_f64, sqrt
from latchwork.program.scalar import maximum

SWEEPS = 500
DONE = 1e-15


@kernel
def stiffest(n: i64, W: f64p, t: i64, tangents: i64) -> f64:
    """The largest eigenvalue of W_tt, of one or two rows from t on."""
    if tangents == 1:
        return W[t * n + t]
    a, b, c = W[t * n + t], W[t * n + t + 1], W[(t + 1) * n + t + 1]
    half = 0.5 * (a - c)
    return 0.5 * (a + c) + sqrt(half * half + b * b)


@kernel
def rub(n: i64, W: f64p, v: f64p, t: i64, tangents: i64, radius: f64, x: f64p) -> None:
    """One projected step of a contact whose tangents begin at row t: the nearest point of its disk."""
    weight, to, square = stiffest(n, W, t, tangents), local_f64(2), 0.0
    if not weight > 0.0:
        return
    for i in range(tangents):
        speed = v[t + i]
        for j in range(n):
            speed += W[(t + i) * n + j] * x[j]
        to[i] = x[t + i] - divide(speed, weight)
        square += to[i] * to[i]
    size = sqrt(square)
    share = 1.0 if size <= radius else divide(radius, size)
    for i in range(tangents):
        x[t + i] = to[i] * share


@kernel
def rubbed(problem: ImpactProblem, v: f64p, x: f64p) -> None:
    """Λ of a group with the normal impulses of x and friction within ``mu`` that loses most, from that of x on."""
    n, before = problem.group_rows, problem.before
    for _ in range(SWEEPS):
        for i in range(n):
            before[i] = x[i]
        for c in range(problem.members):
            row, tangents = problem.group_first[c], problem.tangents[problem.member[c]]
            if tangents > 0:
                rub(n, problem.group_W, v, row + 1, tangents, problem.mu[c] * x[row], x)
        change, largest = 0.0, 0.0
        for i in range(n):
            change, largest = maximum(change, fabs(x[i] - before[i])), maximum(largest, fabs(x[i]))
        if change <= DONE * largest:
            break

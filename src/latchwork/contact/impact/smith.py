"""Smith's law: the tangential impulse is along a mean of the slip before and after, each weighted with its size.

    Λ_t = −μ_d Λ_n φ,   φ = (|a| a + |b| b)/(|a|² + |b|²),   a = v_t⁻,  b = v_t⁺          [Smith 1991, Eq. 15]

|φ| ≤ 1 keeps it in the cone, and φ·(a + b) ≥ (|a| + |b|)(|a| − |b|)²/(|a|² + |b|²) ≥ 0 keeps it from gaining energy.
It is implicit in b. With one tangent ρ + μ φ(a, b(ρ)) grows with ρ, so it has one root; with two it maps the cone into
itself, so it has one at least.
"""

from __future__ import annotations

import numpy as np

from latchwork.algebra.linear import solve
from latchwork.algebra.products import dot, norm
from latchwork.contact.directions import all_round
from latchwork.contact.impact import planar
from latchwork.contact.impact.coulomb import Array, impulse_of, stick

TINY = 1e-13


def mean(a: Array, b: Array) -> Array:
    """φ; where nothing slips before nor after, zero."""
    size = dot(a, a) + dot(b, b)
    if size == 0.0:
        return np.zeros_like(a)
    return (norm(a) * a + norm(b) * b) / size


def residual(W: Array, v: Array, rise: float, mu: float, rho: Array) -> Array | None:
    """ρ + μ φ; None beyond the pole of Λ_n."""
    impulse = impulse_of(W, rise, rho)
    return None if impulse is None else rho + mu * mean(v[1:], v[1:] + dot(W[1:], impulse))


def newton(W: Array, v: Array, rise: float, mu: float, rho: Array) -> Array | None:
    """The root next to ``rho`` by Newton's method with halved steps, Jacobian by central differences."""
    here = residual(W, v, rise, mu, rho)
    for _ in range(60):
        if here is None or norm(here) <= TINY * mu:
            break
        J = jacobian(W, v, rise, mu, rho)
        if J is None or abs(J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]) < 1e-14:
            return None
        step = solve(J, -here)
        for _ in range(30):
            there = residual(W, v, rise, mu, rho + step)
            if there is not None and norm(there) < norm(here):
                break
            step = 0.5 * step
        else:
            break
        rho, here = rho + step, there
    return rho if here is not None and norm(here) <= 1e-10 * mu else None


def jacobian(W: Array, v: Array, rise: float, mu: float, rho: Array) -> Array | None:
    """∂(ρ + μ φ)/∂ρ."""
    columns = []
    for unit in np.eye(len(rho)):
        ahead, behind = (residual(W, v, rise, mu, rho + sign * 1e-6 * mu * unit) for sign in (1.0, -1.0))
        if ahead is None or behind is None:
            return None
        columns.append((ahead - behind) / (2e-6 * mu))
    return np.column_stack(columns)


def in_a_plane(W: Array, v: Array, rise: float, mu: float) -> Array | None:
    """A root with two tangents: from where it slips before, from no friction, then from all round the cone."""
    a = v[1:]
    size = norm(a)
    around = [-mu * k * d for k in (0.99, 0.5) for d in all_round(12)]
    starts = [-mu * a / size] if size > 0.0 else []
    for start in [*starts, np.zeros(2), *around]:
        rho = newton(W, v, rise, mu, start)
        if rho is not None:
            return rho
    return None


def smith(W: Array, v: Array, rise: float, mu_s: float, mu_d: float) -> Array | None:
    """Λ that lifts v_n by ``rise``: stick if the cone of μ_s allows, else along Smith's mean with μ_d."""
    held = stick(W, v, rise, mu_s) if len(v) > 1 else None
    if held is not None or mu_d == 0.0 or len(v) == 1:
        return impulse_of(W, rise, np.zeros(len(v) - 1)) if held is None else held
    if len(v) == 2:
        return planar.found(planar.mean, W, v, rise, mu_d)
    rho = in_a_plane(W, v, rise, mu_d)
    return None if rho is None else impulse_of(W, rise, rho)

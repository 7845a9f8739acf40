"""One contact with Coulomb friction between impulses: stick if the cone allows, else slip along what slips after.

    v⁺ = v⁻ + W Λ,   v_n⁺ given,   v_t⁺ = 0 and |Λ_t| ≤ μ_s Λ_n   or   Λ_t = −μ_d Λ_n v_t⁺/|v_t⁺|      [Kane, Dynamics]

With ρ = Λ_t/Λ_n and one tangent, v_t⁺ grows with ρ wherever D = W_nn + W_nt ρ > 0 (its slope is det W Λ_n²/rise), and
falls without bound towards the pole D = 0. So if no ρ inside the cone gives v_t⁺ = 0, just one end of the cone has
v_t⁺ against ρ: exactly one of stick, slip forwards and slip backwards is consistent, however large μ. With two tangents
a solution exists wherever D > 0 all over the cone (a variational inequality on a disk); beyond, there may be none.
"""

from __future__ import annotations

import math

import numpy as np

from latchwork.algebra.linear import eigh
from latchwork.algebra.products import dot
from latchwork.contact.impact import planar
from latchwork.contact.impact.planar import EDGE, LIFT, MET
from latchwork.contact.impact.spatial import slip_in_space, stop_in_space

Array = np.ndarray

CUT = 1e-12  # eigenvalues below this part of the largest are zero: contacts may be redundant


def least(W: Array, b: Array) -> Array | None:
    """The shortest x with W x = b, W symmetric and positive semi-definite; None where there is none."""
    diagonal = np.diag(W)
    scale = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 1.0)
    A, right = W * np.outer(scale, scale), b * scale
    values, vectors = eigh(A)
    keep = values > CUT * max(values[-1], 0.0)
    x = dot(vectors[:, keep], dot(vectors[:, keep].T, right) / values[keep])
    if np.abs(dot(A, x) - right).max() > MET * np.abs(right).max():
        return None
    return scale * x


def within(impulse: Array, mu: float) -> bool:
    """|Λ_t| ≤ μ Λ_n."""
    normal, *across = impulse.tolist()
    return math.hypot(*across) <= mu * normal * (1.0 + EDGE)


def impulse_of(W: Array, rise: float, rho: Array) -> Array | None:
    """Λ = Λ_n (1, ρ) that lifts v_n by ``rise``; None beyond the pole, where pushing harder makes it approach."""
    lift = W[0, 0] + dot(W[0, 1:], rho)
    if lift <= LIFT * W[0, 0]:
        return None
    return np.concatenate(([1.0], rho)) * (rise / lift)


def slip(W: Array, v: Array, rise: float, mu: float) -> Array | None:
    """Λ_t = −μ Λ_n v_t⁺/|v_t⁺|; where several are consistent, that of the least energy; None where none is."""
    if mu == 0.0 or len(v) == 1:
        return impulse_of(W, rise, np.zeros(len(v) - 1))
    if len(v) == 2:
        return planar.found(planar.slip, W, v, rise, mu)
    return planar.found(slip_in_space, W, v, rise, mu)


def stick(W: Array, v: Array, rise: float, mu: float) -> Array | None:
    """Λ with v_t⁺ = 0, if it is in the cone of μ."""
    impulse = planar.found(planar.stop if len(v) == 2 else stop_in_space, W, v, rise)
    if impulse is None:
        impulse = least(W, np.concatenate(([rise], -v[1:])))
    return impulse if impulse is not None and impulse[0] > 0.0 and within(impulse, mu) else None


def coulomb(W: Array, v: Array, rise: float, mu_s: float, mu_d: float) -> Array | None:
    """Λ that lifts v_n by ``rise`` > 0: stick if |Λ_t| ≤ μ_s Λ_n, else slip with μ_d; None where neither fits."""
    if len(v) == 1:
        return impulse_of(W, rise, np.zeros(0))
    held = stick(W, v, rise, mu_s)
    return slip(W, v, rise, mu_d) if held is None else held

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

from latchwork.contact.impacting import line
from latchwork.contact.impacting.line import EDGE, LIFT, MET
from latchwork.contact.impacting.space import slip_in_space, stop_in_space

Array = np.ndarray

CUT = 1e-12  # eigenvalues below this part of the largest are zero: contacts may be redundant


def least(W: Array, b: Array) -> Array | None:
    """The shortest x with W x = b, W symmetric and positive semi-definite; None where there is none."""
    diagonal = np.diag(W)
    scale = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 1.0)
    A, right = W * np.outer(scale, scale), b * scale
    values, vectors = np.linalg.eigh(A)
    keep = values > CUT * max(values[-1], 0.0)
    x = vectors[:, keep] @ ((vectors[:, keep].T @ right) / values[keep])
    if np.abs(A @ x - right).max() > MET * np.abs(right).max():
        return None
    return scale * x


def within(impulse: Array, mu: float) -> bool:
    """|Λ_t| ≤ μ Λ_n."""
    normal, *across = impulse.tolist()
    return math.hypot(*across) <= mu * normal * (1.0 + EDGE)


def impulse_of(W: Array, rise: float, rho: Array) -> Array | None:
    """Λ = Λ_n (1, ρ) that lifts v_n by ``rise``; None beyond the pole, where pushing harder makes it approach."""
    lift = W[0, 0] + W[0, 1:] @ rho
    if lift <= LIFT * W[0, 0]:
        return None
    return np.concatenate(([1.0], rho)) * (rise / lift)


def slip_angles(W: Array, v: Array, rise: float, mu: float) -> list[float]:
    """Angles θ of s with s × (D v_t + rise (W_tn − μ W_tt s)) = 0: roots of a trigonometric polynomial of degree 2."""
    angles = np.arange(8) * (math.pi / 4.0)
    c = np.fft.fft([turning(W, v, rise, mu, angle) for angle in angles]) / 8.0
    quartic = np.array([c[2], c[1], c[0], c[-1], c[-2]])
    big = np.abs(quartic).max()
    if big == 0.0:
        return []
    roots = np.roots(np.where(np.abs(quartic) > 1e-15 * big, quartic, 0.0))
    return [polished(W, v, rise, mu, float(np.angle(z))) for z in roots if abs(abs(z) - 1.0) < 1e-3]


def turning(W: Array, v: Array, rise: float, mu: float, angle: float) -> float:
    """s × (D v_t⁺), which vanishes where what slips after the impact slips along s."""
    s = np.array([math.cos(angle), math.sin(angle)])
    after = (W[0, 0] - mu * (W[0, 1:] @ s)) * v[1:] + rise * (W[1:, 0] - mu * (W[1:, 1:] @ s))
    return float(s[0] * after[1] - s[1] * after[0])


def polished(W: Array, v: Array, rise: float, mu: float, angle: float) -> float:
    """A root of ``turning`` by secants from next to it."""
    previous, at_previous = angle + 1e-4, turning(W, v, rise, mu, angle + 1e-4)
    for _ in range(20):
        here = turning(W, v, rise, mu, angle)
        if here == 0.0 or here == at_previous:
            break
        step = here * (angle - previous) / (here - at_previous)
        if not abs(step) < 0.1:
            break
        previous, at_previous, angle = angle, here, angle - step
    return angle


def slip(W: Array, v: Array, rise: float, mu: float) -> Array | None:
    """Λ_t = −μ Λ_n v_t⁺/|v_t⁺|; where several are consistent, that of the least energy; None where none is."""
    if mu == 0.0 or len(v) == 1:
        return impulse_of(W, rise, np.zeros(len(v) - 1))
    if len(v) == 2:
        return line.found(line.slip, W, v, rise, mu)
    quick = line.found(slip_in_space, W, v, rise, mu)
    return _slip(W, v, rise, mu) if quick is None else quick


def _slip(W: Array, v: Array, rise: float, mu: float) -> Array | None:
    """The same by the roots of a polynomial."""
    size = np.abs(v).max() + rise * np.abs(W[1:, :]).max() / W[0, 0]
    found = []
    for s in [np.array([math.cos(a), math.sin(a)]) for a in slip_angles(W, v, rise, mu)]:
        impulse = impulse_of(W, rise, -mu * s)
        if impulse is None:
            continue
        after = v[1:] + W[1:] @ impulse
        along = after @ s
        if along >= -EDGE * size and np.linalg.norm(after - along * s) <= MET * size:
            found.append((float(impulse @ (v + 0.5 * (W @ impulse))), impulse))
    return min(found, key=lambda item: item[0])[1] if found else None


def stick(W: Array, v: Array, rise: float, mu: float) -> Array | None:
    """Λ with v_t⁺ = 0, if it is in the cone of μ."""
    impulse = line.found(line.stop if len(v) == 2 else stop_in_space, W, v, rise)
    if impulse is None:
        impulse = least(W, np.concatenate(([rise], -v[1:])))
    return impulse if impulse is not None and impulse[0] > 0.0 and within(impulse, mu) else None


def coulomb(W: Array, v: Array, rise: float, mu_s: float, mu_d: float) -> Array | None:
    """Λ that lifts v_n by ``rise`` > 0: stick if |Λ_t| ≤ μ_s Λ_n, else slip with μ_d; None where neither fits."""
    if len(v) == 1:
        return impulse_of(W, rise, np.zeros(0))
    held = stick(W, v, rise, mu_s)
    return slip(W, v, rise, mu_d) if held is None else held

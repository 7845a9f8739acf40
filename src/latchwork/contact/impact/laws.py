"""Laws for one contact, as rows: what e means in each, and Λ from W, v⁻ and the coefficients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from latchwork.contact.impact import keller
from latchwork.contact.impact.coulomb import Array, coulomb
from latchwork.contact.impact.smith import smith

One = Callable[[Array, Array, float, float, float], Array | None]  # Λ of (W, v⁻, e, μ_s, μ_d); None: no such impulse


@dataclass(frozen=True, eq=False)
class Law:
    """A law of impact: what its coefficient of restitution is the ratio of, and the impulse of one contact."""

    name: str
    meaning: str
    one: One


def newton(W: Array, v: Array, e: float, mu_s: float, mu_d: float) -> Array | None:
    """v_n⁺ = −e v_n⁻; friction opposes what slips after the impact, or stops it within the cone. Kane's rule."""
    return coulomb(W, v, -(1.0 + e) * float(v[0]), mu_s, mu_d)


def smiths(W: Array, v: Array, e: float, mu_s: float, mu_d: float) -> Array | None:
    """v_n⁺ = −e v_n⁻; friction opposes a mean of the slip before and after."""
    return smith(W, v, -(1.0 + e) * float(v[0]), mu_s, mu_d)


def poisson(W: Array, v: Array, e: float, mu_s: float, mu_d: float) -> Array | None:
    """Λ_n = (1 + e) Λ_c, Λ_c the normal impulse of compression; friction at every instant."""
    return keller.follow(W, v, e, mu_s, mu_d, keller.poisson)


def energetic(W: Array, v: Array, e: float, mu_s: float, mu_d: float) -> Array | None:
    """Work of the normal impulse in restitution = −e² times that in compression; friction at every instant."""
    return keller.follow(W, v, e, mu_s, mu_d, keller.stronge)


LAWS = {
    law.name: law
    for law in (
        Law("newton", "normal speed after over before", newton),
        Law("poisson", "normal impulse of restitution over that of compression", poisson),
        Law("smith", "normal speed after over before", smiths),
        Law("energetic", "root of normal work returned over normal work absorbed", energetic),
    )
}

"""Laws for one contact, as rows: what e means in each; and Λ from W, v⁻ and the coefficients, as kernels.

    newton      v_n⁺ = −e v_n⁻; friction opposes what slips after the impact, or stops it within the cone: Kane's rule
                [Newton 1687; Kane, Levinson 1987]
    smith       v_n⁺ = −e v_n⁻; friction opposes a mean of the slip before and after [Smith 1991]
    poisson     Λ_n = (1 + e) Λ_c, Λ_c the normal impulse of compression, v_n = 0 at its end; friction at every instant
                [Poisson 1833; Routh 1891; Keller 1986]
    energetic   ∫ v_n dp over restitution = −e² that over compression; friction at every instant [Stronge 1990]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latchwork.contact.impact.coulomb import coulomb
from latchwork.contact.impact.keller import follow
from latchwork.contact.impact.problem import Array, ImpactLaw, NoteCode
from latchwork.contact.impact.smith import smith
from latchwork.contact.impact.tolerances import GAIN
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel
from latchwork.program.native import briefly, together

NEWTON, SMITH, ENERGETIC = int(ImpactLaw.NEWTON), int(ImpactLaw.SMITH), int(ImpactLaw.ENERGETIC)
AS_ASKED, GAINS, NO_SLIP = -1, int(NoteCode.GAINS), int(NoteCode.NO_SLIP)


@kernel
def by_law(law: i64, n: i64, W: f64p, v: f64p, e: f64, mu_s: f64, mu_d: f64, impulse: f64p) -> i64:
    """Λ of one contact by a law; none where there is no such impulse."""
    rise = -(1.0 + e) * v[0]
    if law == NEWTON:
        return coulomb(n, W, v, rise, mu_s, mu_d, impulse)
    if law == SMITH:
        return smith(n, W, v, rise, mu_s, mu_d, impulse)
    return follow(law, n, W, v, e, mu_s, mu_d, impulse)


@kernel
def gained(n: i64, W: f64p, v: f64p, impulse: f64p, floor: f64) -> f64:
    """½ Λᵀ(v⁻ + v⁺) where it is above rounding and ``floor``, else zero."""
    energy, moved = 0.0, 0.0
    for i in range(n):
        change = 0.0
        for j in range(n):
            change += W[i * n + j] * impulse[j]
        after = v[i] + change
        energy += impulse[i] * (v[i] + after)
        moved += fabs(impulse[i]) * (fabs(v[i]) + fabs(after))
    energy *= 0.5
    return energy if energy > floor and energy > floor + GAIN * moved else 0.0


@kernel
def act_alone(
    law: i64, n: i64, W: f64p, v: f64p, e: f64, mu_s: f64, mu_d: f64, floor: f64, impulse: f64p
) -> tuple[i64, i64, i64, f64]:
    """A contact by its law; by the energetic law where its own would gain energy or has no answer; without friction
    where that cannot act either.

    Gives the law that acted, `AS_ASKED` or why another did, 1 where friction would have wedged, and the energy that
    its own law would have gained. Energy below ``floor`` is none.
    """
    found = by_law(law, n, W, v, e, mu_s, mu_d, impulse)
    energy = gained(n, W, v, impulse, floor) if found == 1 else 0.0
    why, surplus = AS_ASKED, energy
    if law != ENERGETIC and (found == 0 or energy > 0.0):
        why = GAINS if energy > 0.0 else NO_SLIP
        law, found = ENERGETIC, by_law(ENERGETIC, n, W, v, e, mu_s, mu_d, impulse)
        energy = gained(n, W, v, impulse, floor) if found == 1 else 0.0
    if found == 1 and energy == 0.0:
        return law, why, 0, surplus
    impulse[0] = divide(-(1.0 + e) * v[0], W[0])
    for i in range(1, n):
        impulse[i] = 0.0
    return law, why, 1, surplus


together(by_law, act_alone)


@dataclass(frozen=True, eq=False)
class Law:
    """A law of impact: what its coefficient of restitution is the ratio of, and the impulse of one contact."""

    name: str
    meaning: str
    code: ImpactLaw

    def one(self, W: Array, v: Array, e: float, mu_s: float, mu_d: float) -> Array | None:
        """Λ of one contact; none where there is no such impulse."""
        W, v = np.ascontiguousarray(W, dtype=float), np.ascontiguousarray(v, dtype=float)
        impulse = np.zeros(len(v))
        return impulse if briefly(by_law, int(self.code), len(v), W, v, e, mu_s, mu_d, impulse) else None


LAWS = {
    law.name: law
    for law in (
        Law("newton", "normal speed after over before", ImpactLaw.NEWTON),
        Law("poisson", "normal impulse of restitution over that of compression", ImpactLaw.POISSON),
        Law("smith", "normal speed after over before", ImpactLaw.SMITH),
        Law("energetic", "root of normal work returned over normal work absorbed", ImpactLaw.ENERGETIC),
    )
}

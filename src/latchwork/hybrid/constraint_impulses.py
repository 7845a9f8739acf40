"""Impulses of constraints in an impact: what loops, gears and welds transmit while contacts, or another row, push.

    M (u⁺ − u⁻) = Jᵀ Λ_c + Bᵀ Λ        J, Λ_c of the contacts that took part; B of all that holds; Λ of least norm
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.solve import multipliers
from latchwork.constraint.terms import Array, Terms
from latchwork.hybrid.contacts.contact_point import ContactPoint

NOTHING = 1e-9  # of the largest generalized impulse: less is rounding


def constraint_impulses(held: Terms, before: Array, after: Array, contact_points: Iterable[ContactPoint],
                        impulses: Mapping[str, Array]) -> dict[str, Array]:  # fmt: skip
    """Λ by the names of constraints that took part; states are (t, q, u, rest) on both sides of the impact."""
    if not len(held.rows):
        return {}
    n_q, n, _ = held.sizes
    speeds = slice(1 + n_q, 1 + n_q + n)
    M, B = held.motion(after).M, held.place(after).B
    left = whole = dot(M, after[speeds] - before[speeds])
    for contact_point in contact_points:
        if contact_point.name in impulses:
            left = left - dot(contact_point.terms.place(after).B.T, impulses[contact_point.name])
    found = multipliers(B, left, M, held.base.units.u, held.typical(after))
    return felt(held, B, {name: found[part] for name, part in held.rows.slices.items()}, whole)


def felt(held: Terms, B: Array, impulses: Mapping[str, Array], whole: Array) -> dict[str, Array]:
    """The impulses that are more than rounding of the whole generalized impulse."""
    unit, slices = held.base.units.u, held.rows.slices
    least = NOTHING * float(np.abs(whole * unit).max(initial=0.0))
    return {name: impulse for name, impulse in impulses.items()
            if float(np.abs(dot(B[slices[name]].T, impulse) * unit).max(initial=0.0)) > least}  # fmt: skip

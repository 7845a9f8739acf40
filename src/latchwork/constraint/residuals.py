"""What is to be said of the rows of a mode at a state: which do not hold, which come to depend on each other."""

from __future__ import annotations

import numpy as np

from latchwork.algebra.linear import svd
from latchwork.algebra.products import dot
from latchwork.constraint.embedded.mode import Mode
from latchwork.constraint.embedded.projection import HOLDS
from latchwork.constraint.selection import SHARE, rank_of, scaled
from latchwork.constraint.terms import Array, lengths_of
from latchwork.errors import ConstraintError

NEAR_SINGULAR = 1e-3  # singular values below this part of the largest: close to a singular position


def must_hold(mode: Mode, x: Array) -> None:
    """Refuse a state x = (t, q, u, rest) at which some row is not met, kept or not."""
    terms = mode.terms
    n_q, n, _ = terms.sizes
    place, u = terms.place(x), x[1 + n_q : 1 + n_q + n]
    rates = dot(place.B, u) + place.C
    T, units = terms.base.scales.time, terms.base.units
    lengths = lengths_of(place.B * units.u, mode.typical)
    off, slip = np.abs(place.Phi / lengths), T * np.abs(rates / lengths)
    fastest = max(1.0, T * float(np.abs(u / units.u).max(initial=0.0)))
    broken = np.flatnonzero(~((off <= HOLDS) & (slip <= HOLDS * fastest)))
    if not len(broken):
        return
    names = ", ".join(f"'{terms.rows.names[i]}'" for i in broken[:6])
    worst = broken[np.argmax(np.maximum(off, slip)[broken])]
    if rank_of(scaled(place.B, terms.motion(x).M, unit=units.u, rows=terms.typical(x)).whole) > mode.selection.rank:
        why = (f"Where speeds were chosen, {terms.sizes[2] - mode.selection.rank} rows said nothing that others did "
               "not say (a singular position), and the motion has left it. Start elsewhere, or write rows whose "
               "derivative does not vanish where they are met.")  # fmt: skip
    elif involved := _dependent(mode, place.B):
        why = involved
    else:
        why = ("No motion of the mechanism meets them together with the others, or the step was too long for it. "
               "Release one, make them agree, or take shorter steps.")  # fmt: skip
    raise ConstraintError(
        f"{names} cannot be held at t = {x[0]:.6g}: '{terms.rows.names[worst]}' is off by {place.Phi[worst]:.3g}, its "
        f"rate by {rates[worst]:.3g}. {why}"
    )


def closeness(mode: Mode, x: Array) -> str:
    """The rows that hold at a state, and how close they are to depending on each other."""
    terms, names = mode.terms, ", ".join(f"'{name}'" for name in mode.terms.rows.slices)
    place = terms.place(x)
    if not np.isfinite(place.B).all():
        return f"The rows of {names} are not finite there."
    return _dependent(mode, place.B) or f"What holds there is {names or 'no row'}."


def are_dependent(mode: Mode, x: Array) -> bool:
    """Whether the rows kept come close to depending on each other at a state, so that multipliers have no values."""
    return bool(_dependent(mode, mode.terms.place(x).B))


def _dependent(mode: Mode, B: Array) -> str:
    """The rows kept that come close to depending on each other; nothing where none do."""
    kept, names = list(mode.selection.kept), mode.terms.rows.names
    unit = mode.terms.base.units.u
    weights = mode.weights * unit * unit
    rows = B[kept] * unit / mode.typical[kept, None] / np.sqrt(weights / weights.max(initial=1e-300))
    if not (rows.size and np.isfinite(rows).all()):
        return ""
    left, singular, _ = svd(rows).thin
    if singular[-1] > NEAR_SINGULAR * singular[0] > NEAR_SINGULAR * NEAR_SINGULAR:
        return ""
    involved = ", ".join(f"'{names[kept[i]]}'" for i in np.flatnonzero(np.abs(left[:, -1]) > SHARE))
    return (
        f"There, {involved} come close to vanishing or to depending on each other (singular values from "
        f"{singular[0]:.2g} to {singular[-1]:.2g}): a dead point, or the end of reach. Prescribe a motion within "
        "reach, or release one."
    )

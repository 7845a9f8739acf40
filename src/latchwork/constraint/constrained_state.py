"""States of equations with constraints embedded: dependent speeds are computed, or refused where no row says them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.algebra.linear import singular_values
from latchwork.algebra.products import norm
from latchwork.constraint.given_state import by_name
from latchwork.constraint.selection import must_agree
from latchwork.constraint.solve import all_speeds
from latchwork.constraint.terms import Array
from latchwork.errors import EvaluationError
from latchwork.kane.values import argument_vector

if TYPE_CHECKING:
    from latchwork.constraint.branch_limit import BranchLimit
    from latchwork.constraint.constrained import Constrained

SINGULAR = 1e-13  # of B1, where its rows are one at the state at which speeds were chosen


def complete_state(constrained: Constrained, q: Any, u: Any, r: Any, t: float, p: Any) -> Array:
    """(t, q, u, r, p), dependent speeds by u_dep = D u_ind + E. Where B1 is singular, all speeds must be given."""
    equations, terms = constrained.unconstrained, constrained.terms
    names = [symbol.name for symbol in constrained.independent]
    if isinstance(u, Sequence | np.ndarray) and len(u) == len(names) != len(equations.u):
        u = dict(zip(names, u, strict=True))
    u, given = by_name(u, dict.fromkeys(equations.u_names, 0.0))
    x = argument_vector(equations.system, t, q, u, r, p)
    first, independent = 1 + len(equations.q), constrained.selection.independent
    span, free = slice(first, first + len(equations.u)), [first + j for j in independent]
    place, base = terms.place(x), terms.base
    metric = np.diag(base.scales.mass / base.units.u**2)  # inertias may not be known there
    must_agree(terms.rows.names, place.B, place.C, metric, f" at t = {t:.6g}", unit=base.units.u,
               scales=base.scales, rows=terms.typical(x))  # fmt: skip
    whole = not isinstance(u, Mapping) or len(given) == len(equations.u)
    if constrained.is_close(x) and whole and x[span].any() and constrained.meets(place.B, place.C, x[span]):
        return x
    must_determine(constrained, place.B, x)
    speeds = all_speeds(place.B, place.C, constrained.selection, x[free])
    must_be_finite(constrained, speeds, x, "speeds")
    x[span] = speeds
    return x


def must_determine(constrained: Constrained, B: Array, x: Array) -> None:
    """Refuse positions where B1 is singular, measured by its rows where speeds were chosen."""
    kept, dependent = list(constrained.selection.kept), list(constrained.selection.dependent)
    if not dependent:
        return
    usual = norm(constrained.B_chosen[np.ix_(kept, dependent)], axis=1)
    singular = singular_values(B[np.ix_(kept, dependent)] / usual[:, None])
    if singular[-1] < SINGULAR:
        names = ", ".join(symbol.name for symbol in constrained.dependent)
        raise EvaluationError(
            f"{', '.join(constrained.rows.slices)} of '{constrained.name}' do not determine {names} at "
            f"{constrained.unconstrained._state_text(x)}: B1 is singular there (by {singular[-1]:.1e}). Give all "
            "speeds, along a branch of motion, embed again at that state (at=...), or see which branches of motion "
            "meet there: .branches(q)."
        )


def must_be_finite(constrained: Constrained, value: Array, x: Array, what: str = "accelerations") -> None:
    """Refuse what is not finite, with the state."""
    if not np.isfinite(value).all():
        rows = ", ".join(constrained.rows.slices) or "no constraints"
        raise EvaluationError(
            f"the {what} of '{constrained.name}' are not finite ({value}) with {rows} embedded, at "
            f"{constrained.unconstrained._state_text(x)}. The equations cannot be solved there: embed again at that "
            "state (at=...), check masses, or choose coordinates that are not singular there."
        )


def bounded_multipliers(constrained: Constrained, limit: BranchLimit) -> Array:
    """λ, refused where it is infinite: at a dead point that a force holds."""
    lam = limit.multipliers
    if not np.isfinite(lam).all():
        rows = ", ".join(repr(constrained.rows.names[i]) for i in np.flatnonzero(~np.isfinite(lam)))
        raise EvaluationError(
            f"{rows} of '{constrained.name}' would need an infinite force at "
            f"{constrained.unconstrained._state_text(limit.x)}: a singular position, in which the forces that act do "
            "not balance along what the rows do not hold. Ask beside it."
        )
    return lam

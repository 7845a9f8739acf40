"""Where the equations of a run have no value: the state at which ẋ is not finite, and the term that has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from latchwork.constraint.inertia import least_inertia
from latchwork.constraint.terms import Base
from latchwork.errors import EvaluationError
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.table import Array
from latchwork.kane.singular import cause_of, steep
from latchwork.program.function import Executable, Function
from latchwork.program.lower import lower
from latchwork.program.native import invoke
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import rebuild

SUSPECT = 1e-12  # of the inertia of a speed: where no more is left, it is looked whether any is
DOUBLINGS = 50  # of the last bit of t, to a tenth of it: how far along the motion the place is looked for


def undefined_at(function: Executable, t: float, x: Array, rest: Array) -> tuple[float, Array] | None:
    """The first of the states x + s ẋ, s doubled from nothing, at which ẋ(t + s, x) is not finite."""

    def rates(t: float, x: Array) -> Array:
        return np.asarray(function(np.concatenate([[t], x, rest])))

    dx = rates(t, x)
    if not np.isfinite(dx).all():
        return t, x
    for s in np.spacing(max(abs(t), 1.0)) * 2.0 ** np.arange(DOUBLINGS):
        if not np.isfinite(rates(t + s, x + s * dx)).all():
            return float(t + s), x + s * dx
    return None


def cause(driven: Driven, t: float, x: Array, rest: Array, rows: Mapping[str, Sequence[Expr]] | None = None) -> str:
    """Which input, or which term of the equations, has no value at (q, u, work): empty where all have one."""
    equations, state = driven.equations, _arguments(driven, t, x, rest)
    for symbol, value in zip(equations.arguments, state, strict=True):
        if not np.isfinite(value) and symbol in equations.r:
            return f"the input '{symbol.name}' of '{equations.name}' is {value:g} at t = {t:.6g}. Keep its law finite."
    return cause_of(equations, np.nan_to_num(state), rows)


def must_have_inertia(base: Base, driven: Driven, t: float, x: Array, rest: Array) -> None:
    """Refuse to begin where no inertia resists some speeds: u̇ would be rounding, as fast as numbers are long."""
    n_q, n = len(base.equations.q), len(base.equations.u)
    packed = base.motion(np.concatenate([[t], x[:-1], driven.rest_at(rest, t)]))[n_q : n_q + n * (n + 1) // 2].copy()
    if not invoke(least_inertia, n, packed, np.zeros(n * n)) > SUSPECT:
        found = cause(driven, t, x, rest)
        if found:
            raise EvaluationError(found)


def steepest(driven: Driven, t: float, x: Array, rest: Array) -> str:
    """The division that gives the largest number at (q, u, work), where that is large; and the state."""
    state = _arguments(driven, t, x, rest)
    return steep(driven.equations, state) + f" The state there is {driven.equations._state_text(state)}."


def _arguments(driven: Driven, t: float, x: Array, rest: Array) -> Array:
    """(t, q, u, r, p), with the inputs that follow laws."""
    equations, held = driven.equations, driven.rest_at(rest, t)
    g, n_r, n_p = equations.system.graph, len(equations.r), len(equations.p)
    laws = lower(g, rebuild(g, [symbol.node for symbol in equations.r], driven.laws), driven.arguments)
    r = Function(laws)(np.concatenate([[t], x, held])) if n_r else np.empty(0)
    return np.concatenate([[t], x[:-1], r, held[n_r : n_r + n_p]])

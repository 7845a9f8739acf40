"""Why u̇ is not finite: the kinematics, the mass matrix, or a load, looked for in this order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from latchwork.kane.formed import Formed
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import DIV
from latchwork.symbolic.traverse import reachable

Values = NDArray[np.float64]

SINGULAR = 1e-13  # M scaled to a unit diagonal is singular where its condition is worse than this
SHARE = 1e-6  # of a null vector: smaller entries take no part in it
LARGE = 1e3  # a quotient that is worth a word where steps become too small
SHOWN = 8  # values in a message
ELSEWHERE = "Choose another set of angles, or generalized speeds that stay independent there."
GIVE_MASS = "Give mass or inertia to what moves with {them}"
ONLY_HERE = ", or, where this is so at this state only, start at another (q=...) or choose another set of angles."
KEEP_AWAY = "Keep away from this state, or write the constraint so that it stays finite there."
KEEP_FINITE = "Keep away from this state, or write the load so that it stays finite there (lw.where)."


def cause_of(equations: Formed, x: Values, rows: Mapping[str, Sequence[Expr]] | None = None) -> str:
    """The term of q̇ = W u + X, M u̇ = f, or of constraint rows by name, that has no value at x = (t, q, u, r, p).

    Nothing where there is none. With rows M may be singular by itself; without (None) it may not.
    """
    mass = _mass if rows is None else _mass_entries
    reasons = (reason(equations, x) for reason in (_kinematics, mass, _loads, partial(_rows, rows=rows or {})))
    return next(filter(None, reasons), "")


def why_not_finite(equations: Formed, x: Values, value: Values) -> str:
    """What is not finite in q̇ = W u + X, M u̇ = f at the arguments x = (t, q, u, r, p), where, and what to do."""
    found = cause_of(equations, x)
    if found:
        return found
    udot = ", ".join(f"dt({u.name}) = {number:.6g}" for u, number in zip(equations.u, value, strict=True))
    where = _state(equations, x, equations.arguments)
    return (
        f"the accelerations of '{equations.name}' are not finite ({udot}) at {where}. "
        "Numbers too large or too small meet there: check units, parameters and speeds."
    )


def _kinematics(equations: Formed, x: Values) -> str:
    found = _infinite(equations, x, list(equations.qdot_expressions))
    if found is None:
        return ""
    i, cause = found
    return (
        f"the kinematical equations of '{equations.name}' are singular: dt({equations.q[i].name}) is not finite, "
        f"{cause}. {ELSEWHERE}"
    )


def _mass_entries(equations: Formed, x: Values) -> str:
    found = _infinite(equations, x, list(equations.M))
    if found is None:
        return ""
    where = ", ".join(equations.u[k].name for k in divmod(found[0], len(equations.u)))
    return f"the mass matrix of '{equations.name}' is not finite at ({where}): {found[1]}. {ELSEWHERE}"


def _mass(equations: Formed, x: Values) -> str:
    entries, n = list(equations.M), len(equations.u)
    if infinite := _mass_entries(equations, x):
        return infinite
    null = _null_vector(_numbers(equations, x, entries).reshape(n, n))
    if null is None:
        return ""
    parts = [i for i, share in enumerate(null) if abs(share) > SHARE]
    them = [equations.u[i].name for i in parts]
    where = _state(equations, x, frozenset().union(*(equations.M[i, k].free_symbols for i in parts for k in parts)))
    advice = GIVE_MASS.format(them=" and ".join(them)) + (ONLY_HERE if len(them) > 1 else ".")
    return (
        f"the mass matrix of '{equations.name}' is singular: no mass or inertia resists {_together(them)}"
        f"{f' at {where}' if where else ''}. {advice}"
    )


def _loads(equations: Formed, x: Values) -> str:
    found = _infinite(equations, x, list(equations.Fr))
    if found is None:
        return ""
    r, cause = found
    what = f"the generalized active force F_r of '{equations.name}' for {equations.u[r].name}"
    return f"{what} is not finite: {cause}. {KEEP_FINITE}"


def _rows(equations: Formed, x: Values, rows: Mapping[str, Sequence[Expr]]) -> str:
    for name, entries in rows.items():
        found = _infinite(equations, x, entries)
        if found is not None:
            return f"the row '{name}' of '{equations.name}' is not finite: {found[1]}. {KEEP_AWAY}"
    return ""


def steep(equations: Formed, x: Values) -> str:
    """The division in q̇, M and F_r that gives the largest number at x; nothing where none is large."""
    g = equations.system.graph
    every = [e.node for e in (*equations.qdot_expressions, *equations.M, *equations.Fr)]
    quotients = [Expr(g, node) for node in reachable(g, every) if node >= 0 and g.nodes[node][0] == DIV]
    values = np.abs(_numbers(equations, x, quotients)) if quotients else np.zeros(1)
    if not values.max() > LARGE:
        return ""
    return f" The largest term there comes from a {_cause(equations, x, quotients[int(values.argmax())])}."


def _together(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} together"


# --- numbers ------------------------------------------------------------------------------------------------------


def _numbers(equations: Formed, x: Values, expressions: Sequence[Expr]) -> Values:
    return Function(lower(equations.system.graph, [e.node for e in expressions], equations.arguments))(x)


def _null_vector(M: Values) -> Values | None:
    """v with M v = 0, where there is one; rows and columns are scaled to a unit diagonal."""
    scale = np.sqrt(np.abs(np.diag(M)))
    if np.any(scale == 0.0):
        return (scale == 0.0).astype(float)
    _, singular, vt = np.linalg.svd(M / np.outer(scale, scale))
    null = vt[-1] / scale
    return null / np.abs(null).max() if singular[-1] <= SINGULAR * singular[0] else None


def _infinite(equations: Formed, x: Values, expressions: Sequence[Expr]) -> tuple[int, str] | None:
    """The first expression that is not finite, and the operation in it where that begins."""
    bad = np.flatnonzero(~np.isfinite(_numbers(equations, x, expressions)))
    if not len(bad):
        return None
    g, i = equations.system.graph, int(bad[0])
    inside = [Expr(g, node) for node in reachable(g, [expressions[i].node])]
    values = _numbers(equations, x, inside)
    first = next(e for e, value in zip(inside, values, strict=True) if not np.isfinite(value))
    return i, _cause(equations, x, first)


def _cause(equations: Formed, x: Values, broken: Expr) -> str:
    """``division by sin(q2) = 0 at q2 = 0``."""
    op, *args = broken.graph.nodes[broken.node]
    seen = Expr(broken.graph, args[1]) if op == DIV else broken
    what = f"division by {seen}" if op == DIV else f"{seen}"
    value = _numbers(equations, x, [seen])[0]
    where = _state(equations, x, seen.free_symbols)
    return f"{what} = {value:.6g}" + (f" at {where}" if where and not seen.is_symbol else "")


def _state(equations: Formed, x: Values, symbols: Iterable[Expr]) -> str:
    """``q1 = 0.5, q2 = 0`` for the arguments among symbols."""
    wanted = set(symbols)
    pairs = [f"{s.name} = {value:.6g}" for s, value in zip(equations.arguments, x, strict=True) if s in wanted]
    return ", ".join(pairs[:SHOWN]) + (", ..." if len(pairs) > SHOWN else "")

"""The expressions of a law, as one program of (t, q, u, held) that `inverse_dynamics` reads.

    entries of G and of J · a (k) · λ* (presses) · α, β of the rates α + β λ of the memory · bounds (2 p) · (μ, least)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.control.actuation import actuation, inputs_of
from latchwork.control.law_program import LawProgram, Sparse
from latchwork.control.tracks import Row, motion_nodes, name_of, rows_of
from latchwork.errors import ModelError, did_you_mean
from latchwork.hybrid.controllers import Extended
from latchwork.hybrid.symbol_lookup import look_up
from latchwork.kane.equations import Equations
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import rebuild

if TYPE_CHECKING:
    from latchwork.control.projected import _Law

UNBOUNDED = 1e300


def law_program(law: _Law, extended: Extended, constraints: Sequence[str], contacts: Sequence[str]) -> LawProgram:
    """The nodes of a law for equations that have its memory."""
    from latchwork.control.projected import gain_matrices

    equations, g = extended.equations, extended.equations.system.graph
    for press in law.forces:
        press.must_be_known(equations.name, [*constraints, *contacts], contacts)
    for cone in law.cones:
        cone.must_be_known(equations.name, [*constraints, *contacts])
    others = (*extended.rates, *map(name_of, law.unknown))
    inputs = inputs_of(equations, law.inputs, f"law '{law.name}'", others if law.inputs is None else extended.rates)
    G = actuation(equations, inputs, f"law '{law.name}'")
    rows = rows_of(equations, law.tracks)
    _must_be_few(law, equations, rows)
    J, bias = motion_nodes(equations, rows)
    proportional, derivative = gain_matrices(law, [row.name for row in rows], [row.track for row in rows])
    _must_feed_back_rates(law, rows, proportional, derivative)
    demand = [_feedback(g, rows, proportional[i], derivative[i]) for i in range(len(rows))]
    if law.by_force:
        J, wanted = _force_demand(equations, rows, J, demand)
    else:
        wanted = [g.sub(g.add(row.forward, d), b) for row, d, b in zip(rows, demand, bias, strict=True)]
    targets, alpha, beta, sources = _forces(law, extended)
    low, high = _bounds(law, equations, inputs)
    cones = [_scalar(equations, value, f"the {what} of the cone in '{cone.on}'", law).node for cone in law.cones
             for value, what in ((cone.friction, "friction"), (cone.least, "least force"))]  # fmt: skip
    replaced, n = equations.derivation.kinematics.replaced, len(equations.u)
    (at_G, G), (at_J, J) = (Sparse.of(rebuild(g, part, replaced), n) for part in (G, J))
    nodes = [*G, *J, *rebuild(g, [*wanted, *targets, *alpha, *beta, *low, *high, *cones], replaced)]
    shown = tuple(rows)
    if law.by_force:
        shown = tuple(Row(u.name, i, u.node, ZERO, ZERO, ZERO) for i, u in enumerate(equations.u))
    return LawProgram(law, equations, inputs, extended.rates, shown, at_G, at_J, tuple(nodes),
                      law.bounds is not None, frozenset(constraints), tuple(sources),
                      _unknown(law, equations, inputs), tuple(_speeds(law, equations)))  # fmt: skip


def _unknown(law: _Law, equations: Equations, inputs: Sequence[str]) -> tuple[int, ...]:
    """Where inputs stand that the law does not know of."""
    names, known = [symbol.name for symbol in equations.r], [name_of(each) for each in law.unknown]
    for name in known:
        if name not in names or name in inputs:
            raise ModelError(f"'{name}', which law '{law.name}' is not to know of, is no input of '{equations.name}' "
                             f"besides those that it commands.{did_you_mean(name, names)}")  # fmt: skip
    return tuple(names.index(name) for name in known)


def _must_be_few(law: _Law, equations: Equations, rows: Sequence[Row]) -> None:
    if len(rows) > len(equations.u):
        raise ModelError(f"law '{law.name}' tracks {len(rows)} outputs, {', '.join(row.name for row in rows)}, and "
                         f"'{equations.name}' has {len(equations.u)} speeds. Track no more than it has "
                         "freedoms.")  # fmt: skip


def _must_feed_back_rates(law: _Law, rows: Sequence[Row], proportional: Sequence[Any],
                          derivative: Sequence[Any]) -> None:  # fmt: skip
    """Refuse a rate that is tracked by G_P, which has no error of place."""
    for i, row in enumerate(rows):
        gain = proportional[i][i]
        if row.error == ZERO and not _is_zero(gain) and all(map(_is_zero, derivative[i])):
            raise ModelError(f"'{row.name}' is tracked as a rate by law '{law.name}', where G_P = {gain} does nothing "
                             f"and G_D, which would, is 0. Give gains=(0.0, {gain}).")  # fmt: skip


def _is_zero(gain: Any) -> bool:
    return isinstance(gain, int | float) and gain == 0.0


def _feedback(g: Any, rows: Sequence[Row], proportional: Sequence[Any], derivative: Sequence[Any]) -> int:
    """G_P e + G_D ė, one row."""
    total = ZERO
    for row, gain, damping in zip(rows, proportional, derivative, strict=True):
        total = g.add(total, g.mul(operand(g, gain), row.error))
        total = g.add(total, g.mul(operand(g, damping), row.rate))
    return int(total)


def _force_demand(equations: Equations, rows: Sequence[Row], J: Sequence[int],
                  demand: Sequence[int]) -> tuple[list[int], list[int]]:  # fmt: skip
    """J = 1, and Jᵀ (K e + D ė) − f at rest with no inputs: a generalized force on every speed."""
    g, n = equations.system.graph, len(equations.u)
    still = {s.node: ZERO for s in (*equations.u, *equations.r)}
    loads = rebuild(g, rebuild(g, list(equations.derivation.f), equations.derivation.kinematics.replaced), still)
    wanted = []
    for j in range(n):
        total = g.neg(loads[j])
        for r in range(len(rows)):
            total = g.add(total, g.mul(J[r * n + j], demand[r]))
        wanted.append(total)
    return [ONE if i == j else ZERO for i in range(n) for j in range(n)], wanted


def _forces(law: _Law, extended: Extended) -> tuple[list[int], list[int], list[int], list[int]]:
    """λ* of each press; α, β of the rate α + β λ of each memory, and its press."""
    equations, g = extended.equations, extended.equations.system.graph
    memory = iter(extended.symbols)
    targets, alpha, beta, sources = [], [], [], []
    for i, press in enumerate(law.forces):
        wanted = _scalar(equations, press.force, f"the force in '{press.name}'", law)
        proportional, integral = (_scalar(equations, gain, f"a gain of the force in '{press.name}'", law)
                                  for gain in press.gains)  # fmt: skip
        summed = next(memory) if press.integrates else None
        seen = next(memory) if press.lags else None
        target = wanted
        if seen is not None:
            target = target + proportional * (wanted - seen)
        if summed is not None:
            target = target + integral * summed / (1.0 if seen is not None else 1.0 + proportional)
            alpha.append((wanted if seen is None else wanted - seen).node)
            beta.append(g.constant(-1.0) if seen is None else ZERO)
            sources.append(i)
        if seen is not None:
            alpha.append((-1.0 / press.filter * seen).node)
            beta.append(g.constant(1.0 / press.filter))
            sources.append(i)
        targets.append(operand(g, target))
    return targets, alpha, beta, sources


def _speeds(law: _Law, equations: Equations) -> list[int]:
    """The speed on which each press acts by a generalized force; −1 where it is a multiplier."""
    found = []
    for press in law.forces:
        name = getattr(press.speed, "name", press.speed)
        if name is not None and name not in equations.u_names:
            raise ModelError(f"'{name}', on which the force in '{press.name}' is to act, is no speed of "
                             f"'{equations.name}'.{did_you_mean(str(name), equations.u_names)}")  # fmt: skip
        found.append(-1 if name is None else list(equations.u_names).index(name))
    return found


def _bounds(law: _Law, equations: Equations, inputs: Sequence[str]) -> tuple[list[int], list[int]]:
    """The bounds of all inputs; far away where there are none."""
    g, bounds = equations.system.graph, dict.fromkeys(inputs, (-UNBOUNDED, UNBOUNDED))
    for key, pair in (law.bounds or {}).items():
        name = name_of(key)
        if name not in bounds:
            raise ModelError(f"law '{law.name}' bounds '{name}', which it does not command."
                             f"{did_you_mean(name, inputs)}")  # fmt: skip
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ModelError(f"the bounds of '{name}' in law '{law.name}' are {pair!r}. Give (least, most).")
        if all(isinstance(each, (int, float)) for each in pair) and not pair[0] <= pair[1]:
            raise ModelError(f"the bounds of '{name}' in law '{law.name}' are {pair!r}. Give the smaller one first.")
        bounds[name] = pair
    sides = [[operand(g, _scalar(equations, bounds[name][i], f"a bound of '{name}'", law)) for name in inputs]
             for i in (0, 1)]  # fmt: skip
    return sides[0], sides[1]


def _scalar(equations: Equations, what: Any, whose: str, law: _Law) -> Expr:
    g = equations.system.graph
    if isinstance(what, str):
        what = look_up(equations, what)
    if not isinstance(what, (int, float, Expr)) or isinstance(what, bool):
        raise ModelError(f"{whose} in law '{law.name}' is {what!r}. Give a number or an expression.")
    if isinstance(what, (int, float)) and not np.isfinite(what):
        raise ModelError(f"{whose} in law '{law.name}' is {what!r}. Give a finite number.")
    return Expr(g, operand(g, what))

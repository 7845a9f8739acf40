"""The unit of a condition: how much a unit of time, of a coordinate, a speed, an acceleration or a force changes it.

    ḡ = max_i |∂g/∂z_i| z̄_i,        z = (t, q, u, u̇, λ),   z̄ = (T, q̄, ū/T, ū/T², min(F, F L))

at the most of some states about zero, always the same ones, so that a run which goes on from any of its states has the
same. What is small beside it is zero but for rounding, in any units of length, time and mass. The λ of a row may be a
force or a torque: the smaller of both is taken.
"""

from __future__ import annotations

import numpy as np

from latchwork.constraint.forces import forces_in
from latchwork.constraint.scales import power_of_four
from latchwork.constraint.terms import Array, Base, steps_aside
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import rebuild


def unit_of_condition(value: Expr, base: Base, rest: Array) -> float:
    """ḡ with these inputs, parameters and numbers of tables, rounded to a power of four; 1 where all slopes vanish."""
    equations, scales, (n_q, n) = base.equations, base.scales, (len(base.equations.q), len(base.equations.u))
    g, (q, u), T = equations.system.graph, base.units, base.scales.time
    node = rebuild(g, [value.node], equations.derivation.kinematics.replaced)[0]
    forces, rates = [*forces_in(g, [node])], [rate.node for rate in equations.system.u_rates]
    symbols = [base.arguments[0].node, *(s.node for s in (*equations.q, *equations.u)), *rates, *forces]
    units = np.concatenate([[T], q, u / T, u / T / T, np.full(len(forces), min(scales.force, scales.energy))])
    slopes = [tangents(g, [node], {symbol: ONE})[0] for symbol in symbols]
    still = rebuild(g, rebuild(g, slopes, dict.fromkeys([*rates, *forces], ZERO)), base.laws)
    aside = steps_aside(n_q + n) * units[1 : 1 + n_q + n]
    states = np.column_stack([np.zeros(len(aside)), aside, np.tile(rest, (len(aside), 1))])
    states[:, 1 + n_q + n : 1 + n_q + n + len(equations.r)] = 0.0  # inputs change in a run
    with np.errstate(all="ignore"):
        found = np.abs(Function(lower(g, still, base.arguments)).many(states)) * units
    most = float(np.where(np.isfinite(found), found, 0.0).max(initial=0.0))
    return power_of_four(most) if most > 0.0 else 1.0

"""The same mechanism in other speeds: joint space to operational space, and back.  [Buffinton §6.3.9]

    w = J u + b,   u = T w + S with T = J⁻¹, S = -J⁻¹ b
    Tᵀ M T ẇ = Tᵀ (f - M (Ṫ w + Ṡ))

The kinematics are rewritten in w and the forces handed down once more, which gives exactly these products, shorter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from latchwork.errors import ModelError, SpeedsError
from latchwork.kane.derive import derive
from latchwork.kane.equations import Equations
from latchwork.kane.linear import solve_small
from latchwork.kane.sample import numbers
from latchwork.kane.speeds import RANK_TOLERANCE
from latchwork.mechanics.system import System
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.tidy import tidy
from latchwork.symbolic.traverse import rebuild


def in_speeds(equations: Equations, definitions: Mapping[str, Any]) -> Equations:
    """Equations in speeds w, each defined by an expression linear in u (or q̇)."""
    system, g = equations.system, equations.system.graph
    _must_fit(system, definitions)
    replaced = equations.derivation.kinematics.replaced
    rows = rebuild(g, [operand(g, definition) for definition in definitions.values()], replaced)
    w = [_fresh_speed(system, name) for name in definitions]
    u = _solve_for_speeds(system, list(definitions), rows, [symbol for symbol, _ in w])
    back = {old.node: node for old, node in zip(system.u, u, strict=True)}
    rates = rebuild(g, list(equations.derivation.kinematics.q_rates), back)
    former = {old: Expr(g, node) for old, node in zip(system.u, u, strict=True)}
    earlier = rebuild(g, [e.node for e in system.former_speeds.values()], back)
    former |= {old: Expr(g, node) for old, node in zip(system.former_speeds, earlier, strict=True)}
    new = replace(
        system,
        u=tuple(symbol for symbol, _ in w),
        u_rates=tuple(rate for _, rate in w),
        definitions={},
        direct={rate: Expr(g, node) for rate, node in zip(system.q_rates, rates, strict=True)},
        zero=(),
        loads=(*system.loads, *equations.added),
        former_speeds=former,
    )
    return Equations(derive(new))


def _must_fit(system: System, definitions: Mapping[str, Any]) -> None:
    if len(definitions) != len(system.u):
        raise SpeedsError(
            f"'{system.name}' has {len(system.u)} speeds; {len(definitions)} new ones were defined "
            f"({', '.join(definitions)}). Define as many as there are."
        )
    taken = {symbol.name for symbol in (*system.q, *system.u, *system.r, *system.p)}
    for name in definitions:
        if name in taken:
            raise ModelError(f"'{system.name}' uses the name '{name}' already. Choose another for the new speed.")


def _fresh_speed(system: System, name: str) -> tuple[Expr, Expr]:
    g = system.graph
    w = g.symbol(name, "speed")
    return Expr(g, w), Expr(g, g.symbol(f"dt({name})", "acceleration", w))


def _solve_for_speeds(system: System, names: list[str], rows: list[int], w: list[Expr]) -> list[int]:
    """u in terms of w: J u = w - b."""
    g, n = system.graph, len(rows)
    speeds = [u.node for u in system.u]
    J = [[tangents(g, [row], {u: ONE})[0] for u in speeds] for row in rows]
    b = rebuild(g, rows, dict.fromkeys(speeds, ZERO))
    values = numbers(system, [node for row in J for node in row]).reshape(-1, n, n)[0]
    singular = np.linalg.svd(values, compute_uv=False)
    if not singular[-1] > RANK_TOLERANCE * singular[0]:
        raise SpeedsError(
            f"the new speeds {', '.join(names)} of '{system.name}' are not independent: they do not determine "
            f"{', '.join(u.name for u in system.u)}. Choose independent combinations."
        )
    targets = [g.sub(symbol.node, rest) for symbol, rest in zip(w, b, strict=True)]
    return solve_small(g, J, targets, values, lambda nodes: [e.node for e in tidy([Expr(g, i) for i in nodes])])

"""Units of a system's symbols: those that were given, and those that follow from them.

The rate of a coordinate is measured in its unit over that of time, a speed as its definition is, an angle in radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from latchwork.mechanics.joints import QUATERNION
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.units import ANGLE, PURE, Unit, read, same, unit_of, written

ENERGY = read("J")
SECOND = read("s")


class Label(NamedTuple):
    """What is written beside numbers: their unit, and what they are."""

    unit: str = ""
    description: str = ""


def known_units(system: System) -> dict[int, Unit]:
    """The units of symbols, by their nodes; symbols of which none is known are left out."""
    symbols = system.graph.symbols
    found = {node: read(symbol.unit) for node, symbol in symbols.items() if symbol.unit}
    for link in system.links:
        turning = link.q[len(link.joint.slides) :]
        for q in turning:
            found.setdefault(q.node, PURE if link.joint.turns == QUATERNION else ANGLE)
    if any("s" in unit for unit in found.values()):
        found.setdefault(system.t.node, SECOND)
    time = found.get(system.t.node)
    if time is None:
        return found
    second = {name: -power for name, power in time.items()}
    for q, rate in zip(system.q, system.q_rates, strict=True):
        if q.node in found:
            found.setdefault(rate.node, _times(found[q.node], second))
    defined = {value: rate for rate, value in system.direct.items() if value.is_symbol} | dict(system.definitions)
    for u, acceleration in zip(system.u, system.u_rates, strict=True):
        unit = found.get(u.node) or (unit_of(system.graph, defined[u].node, found) if u in defined else None)
        if unit is not None:
            found[u.node] = unit
            found.setdefault(acceleration.node, _times(unit, second))
    return found


def _times(a: Unit, b: Unit) -> Unit:
    total = {name: a.get(name, 0) + b.get(name, 0) for name in {**a, **b}}
    return {name: power for name, power in total.items() if power}  # type: ignore[misc]


def label_of(system: System, what: object, besides: Mapping[int, Unit] | None = None) -> Label:
    """The unit and the description of a symbol, an expression, a vector or a point; empty where they are not known."""
    known = known_units(system) | dict(besides or {})
    if isinstance(what, Point):
        what = what.position(system.tree.origin)
    if isinstance(what, Vector):
        parts = [unit_of(system.graph, e.node, known) for e in what.measures(system.tree.newtonian) if e != 0.0]
        certain = parts and all(part is not None and same(part, parts[0] or PURE) for part in parts)
        return Label(written(parts[0] or PURE) if certain else "")
    if not isinstance(what, Expr):
        return Label()
    unit = unit_of(system.graph, what.node, known)
    return Label(what.unit or ("" if unit is None else written(unit)), what.description)


def is_si(system: System, energy: Expr) -> bool:
    """Whether the units that are known make the kinetic energy joules: then forces are newtons."""
    unit = unit_of(system.graph, energy.node, known_units(system))
    return unit is not None and same(unit, ENERGY)

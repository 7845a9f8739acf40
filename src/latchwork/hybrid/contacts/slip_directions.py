"""Directions of slip of a contact: tangents across its normal along which something can move, and velocities there.

In space two tangents t₁ = n × a / |n × a| and t₂ = n × t₁ come from an axis a: one that lies across the normal at all
times, or an axis of N that lies well across it now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from latchwork.constraint.terms import Array, Base
from latchwork.constraint.units import Units
from latchwork.contact.adhesion import is_adhesion
from latchwork.contact.feature import Feature
from latchwork.contact.rolling_resistance import is_rolling
from latchwork.kane.equations import Equations
from latchwork.kane.sample import numbers
from latchwork.mechanics.joints import unit
from latchwork.mechanics.vector import Vector
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr, operand, sqrt
from latchwork.symbolic.traverse import rebuild

NOTHING = 1e-11  # of the length of the model, at random states: less is rounding


class Slips(NamedTuple):
    """Unit vectors along which something can slip, or that about which it turns; and slip velocities, in terms of u."""

    tangents: tuple[Vector, ...]
    velocities: tuple[Expr, ...]


def slips_of(feature: Feature, has_friction: bool, axis: Vector | None, base: Base) -> Slips:
    """How a feature can slip, its tangents made from an axis; of those along which nothing moves it has none."""
    candidates = _candidates(feature, has_friction, axis)
    if not candidates:
        return Slips((), ())
    slip = feature.slip if feature.rate is None else None
    slips = [feature.rate] if slip is None else [slip.dot(t) for t in candidates]
    g, replaced = base.equations.system.graph, base.equations.derivation.kinematics.replaced
    nodes = rebuild(g, [operand(g, each) for each in slips], replaced)
    always = feature.rate is not None or is_adhesion(feature)
    moves = [True] if always else are_something(base.equations, nodes, base.units, base.scales.length)
    some = [(t, Expr(g, node)) for t, node, moved in zip(candidates, nodes, moves, strict=True) if moved]
    return Slips(tuple(t for t, _ in some), tuple(v for _, v in some))


def _candidates(feature: Feature, has_friction: bool, axis: Vector | None) -> tuple[Vector, ...]:
    """The directions in which it might slip, whether anything moves along them or not."""
    if feature.closed_with is not None and not is_rolling(feature):
        return (feature.normal,)
    if not has_friction:
        return ()
    return (feature.normal,) if feature.rate is not None else _tangents(feature.normal, axis)


def _tangents(n: Vector, axis: Vector | None) -> tuple[Vector, Vector]:
    """Two unit vectors across n, the first across an axis too; without one, an axis that lies across n, and n × it."""
    if axis is None:
        axis = _axis_across(n)
        assert axis is not None, "an axis is given where none lies across"
        return n.cross(axis), axis
    flat = n.cross(axis)
    first = flat / sqrt(flat.dot(flat)) if not flat.is_zero else unit(flat)
    return first, n.cross(first)


def _axis_across(n: Vector) -> Vector | None:
    """An axis of a frame that lies across n at all times; none where there is none."""
    axes = (axis for frame in (*n.parts, n.tree.newtonian) for axis in (frame.z, frame.y, frame.x))
    return next((axis for axis in axes if n.dot(axis) == 0.0), None)


def axis_number_at(n: Vector, base: Base, x: Array, number: int | None) -> int | None:
    """The axis of N that lies best across n at a state, unless it is given; none where another axis always does."""
    if _axis_across(n) is not None:
        return None
    if number is not None:
        return number
    g, replaced = n.tree.graph, base.equations.derivation.kinematics.replaced
    nodes = rebuild(g, rebuild(g, [m.node for m in n.measures(n.tree.newtonian)], replaced), base.laws)
    return int(np.argmin(np.abs(Function(lower(g, nodes, base.arguments))(x))))


def are_something(equations: Equations, nodes: Sequence[int], units: Units | None, length: float) -> list[bool]:
    """Whether lengths, or speeds, are more than rounding at random states."""
    values = numbers(equations.system, list(nodes), units=units).T
    return [not (np.isfinite(own).all() and np.abs(own).max() < NOTHING * length) for own in values]

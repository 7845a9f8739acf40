"""Steps that gaps can follow: bodies that turn must not turn far in one step, however smooth their motion is.

A body in free flight turns at a constant rate, which any step integrates exactly, while its corners come and go.
"""

from __future__ import annotations

import math

from latchwork.constraint.terms import Array, Base
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import operand
from latchwork.symbolic.traverse import rebuild

FAR = 0.5  # rad in one step


def turning(base: Base) -> Function:
    """ω · ω of every body that turns."""
    system = base.equations.system
    g, frames = system.graph, dict.fromkeys(body.frame for body in system.bodies if body.frame is not None)
    squares = [omega.dot(omega) for omega in (frame.angular_velocity() for frame in frames)]
    nodes = rebuild(g, [operand(g, square) for square in squares], base.equations.derivation.kinematics.replaced)
    return Function(lower(g, rebuild(g, nodes, base.laws), base.arguments))


def longest_step(squares: Array) -> float:
    """A step in which nothing turns further than `FAR`, given ω · ω of all that turns."""
    fastest = max(squares.tolist(), default=0.0) ** 0.5
    return FAR / fastest if 0.0 < fastest < math.inf else math.inf

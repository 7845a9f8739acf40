"""Steps that gaps can follow: bodies that turn must not turn far in one step, however smooth their motion is.

A body in free flight turns at a constant rate, which any step integrates exactly, while its corners come and go.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latchwork.constraint.terms import Array, Base
from latchwork.integrate.method import Method
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


def paced(method: Method, squares: Array) -> Method:
    """The method with steps in which nothing turns further than `FAR`, where it chooses its steps itself."""
    longest = getattr(method, "max_step", None)
    fastest = float(squares.max(initial=0.0)) ** 0.5
    if longest is None or not 0.0 < fastest < np.inf or FAR / fastest >= longest:
        return method
    return replace(method, max_step=FAR / fastest)  # type: ignore[type-var]

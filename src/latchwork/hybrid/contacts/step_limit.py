"""Steps that gaps can follow: bodies that turn must not turn far in one step, however smooth their motion is.

A body in free flight turns at a constant rate, which any step integrates exactly, while its corners come and go.
"""

from __future__ import annotations

from latchwork.constraint.terms import Array, Base
from latchwork.program.bundle import Bundle, run_at
from latchwork.program.function import Function
from latchwork.program.kernel import divide, f64, f64p, i32p, i64, kernel, sqrt
from latchwork.program.lower import lower
from latchwork.program.native import address, native
from latchwork.program.scalar import maximum
from latchwork.symbolic.expr import operand
from latchwork.symbolic.traverse import rebuild

MAX_TURN = 0.5  # rad in one step
FOREVER = 1e300  # s


def turning(base: Base) -> Function:
    """ω · ω of every body that turns."""
    system = base.equations.system
    g, frames = system.graph, dict.fromkeys(body.frame for body in system.bodies if body.frame is not None)
    squares = [omega.dot(omega) for omega in (frame.angular_velocity() for frame in frames)]
    nodes = rebuild(g, [operand(g, square) for square in squares], base.equations.derivation.kinematics.replaced)
    return Function(lower(g, rebuild(g, nodes, base.laws), base.arguments))


@kernel
def longest_at(code: i32p, z: f64p, squares: f64p, inputs: i64, x: f64p, bodies: i64) -> f64:
    """A step in which nothing turns further than `FAR`, by programs of ω · ω at x."""
    run_at(code, z, squares, inputs, x)
    fastest = 0.0
    for i in range(bodies):
        fastest = maximum(fastest, squares[i])
    fastest = sqrt(fastest)
    return divide(MAX_TURN, fastest) if fastest > 0.0 and fastest - fastest == 0.0 else FOREVER


class Pacing:
    """The longest step of one mechanism at its states (t, q, u, rest); one thread at a time."""

    def __init__(self, base: Base) -> None:
        self.function = turning(base)
        self.bundle = Bundle([self.function])
        self.bodies = self.bundle.starts[-1]
        self._given, self._call = (*self.bundle.addresses, len(self.bundle.x)), native(longest_at).brief

    def __call__(self, x: Array) -> float:
        self.bundle.ready()
        return float(self._call(*self._given, address(x), self.bodies))

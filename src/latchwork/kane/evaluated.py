"""Numbers: the programs of equations, and their values at a state."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import EvaluationError
from latchwork.kane import derivatives
from latchwork.kane.derivatives import Blocks, partials, tangent
from latchwork.kane.quantities import Quantities
from latchwork.kane.singular import why_not_finite
from latchwork.kane.values import argument_vector, read
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.program.function import Function
from latchwork.program.ir import Program
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.matrix import Matrix


class Evaluated(Quantities):
    """Values at a state. States are sequences in the order of ``q_names``, ``u_names``, or mappings by name."""

    def program(self, expressions: Any) -> Program:
        """Straight-line code of expressions (q̇ and u̇ in them are replaced) as functions of (t, q, u, r, p)."""
        g = self.system.graph
        return lower(g, self.in_states([operand(g, e) for e in _flat(expressions)]), self.arguments)

    @cached_property
    def udot_program(self) -> Program:
        """u̇ as straight-line code of (t, q, u, r, p)."""
        return lower(self.system.graph, [e.node for e in self.udot_expressions], self.arguments)

    @cached_property
    def udot_function(self) -> Function:
        """u̇ as a function of (t, q, u, r, p)."""
        return Function(self.udot_program)

    def udot(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0,
             p: Any = None) -> NDArray[np.float64]:  # fmt: skip
        """u̇ as numbers. States are sequences in the order of ``q_names``, ``u_names``, or mappings by name."""
        x = argument_vector(self.system, t, q, u, r, p)
        value = self.udot_function(x)
        if not np.isfinite(value).all():
            self._explain(x, value)
        return value

    def qdot(self, q: Any = None, u: Any = None, *, t: float = 0.0, p: Any = None) -> NDArray[np.float64]:
        """q̇ as numbers."""
        return np.asarray(self.evaluate(self.qdot_expressions, q, u, t=t, p=p)).ravel()

    @cached_property
    def energy_function(self) -> Function:
        """K + V as a function of (t, q, u, r, p)."""
        return Function(self.program(self.kinetic_energy + self.potential_energy))

    @cached_property
    def inverse_program(self) -> Program:
        """Inverse dynamics as straight-line code of (t, q, u, r, p, u̇)."""
        arguments = (*self.arguments, *self.system.u_rates)
        return lower(self.system.graph, [e.node for e in self.inverse_expressions], arguments)

    @cached_property
    def _inverse(self) -> Function:
        return Function(self.inverse_program)

    def inverse(self, q: Any = None, u: Any = None, udot: Any = None, *, r: Any = None, t: float = 0.0,
                p: Any = None) -> NDArray[np.float64]:  # fmt: skip
        """Inverse dynamics as numbers: the generalized forces, besides the loads, that give this u̇."""
        x = argument_vector(self.system, t, q, u, r, p)
        rates = read(udot, self.u, "accelerations udot", self.name)
        value = self._inverse(np.concatenate([x, rates]))
        if not np.isfinite(value).all():
            raise EvaluationError(f"forces of '{self.name}' are not finite ({value}) at {self._state_text(x)}.")
        return value

    @cached_property
    def inverse_blocks(self) -> Blocks:
        """∂τ/∂q, ∂τ/∂u and M as one program of (t, q, u, r, p, u̇)."""
        return derivatives.inverse_blocks(self, partials(self.q))

    @cached_property
    def inverse_tangent_blocks(self) -> Blocks:
        """As ``inverse_blocks``, q moving along δq = W δu."""
        return derivatives.inverse_blocks(self, tangent(self))

    @cached_property
    def forward_blocks(self) -> Blocks:
        """∂u̇/∂q, ∂u̇/∂u and ∂u̇/∂r as one program of (t, q, u, r, p)."""
        return derivatives.forward_blocks(self, partials(self.q))

    @cached_property
    def forward_tangent_blocks(self) -> Blocks:
        """As ``forward_blocks``, q moving along δq = W δu."""
        return derivatives.forward_blocks(self, tangent(self))

    def inverse_derivatives(self, q: Any = None, u: Any = None, udot: Any = None, *, r: Any = None, t: float = 0.0,
                            p: Any = None) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
        """∂τ/∂q, ∂τ/∂u and ∂τ/∂u̇ = M of inverse dynamics, as numbers; every coordinate moves by itself."""
        return self._blocks(self.inverse_blocks, t, q, u, r, p, udot)

    def inverse_tangents(self, q: Any = None, u: Any = None, udot: Any = None, *, r: Any = None, t: float = 0.0,
                         p: Any = None) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
        """∂τ/∂q W, ∂τ/∂u and M of inverse dynamics, as numbers: coordinates move along δq = W δu."""
        return self._blocks(self.inverse_tangent_blocks, t, q, u, r, p, udot)

    def forward_derivatives(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0,
                            p: Any = None) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
        """∂u̇/∂q, ∂u̇/∂u and ∂u̇/∂r of forward dynamics, as numbers; every coordinate moves by itself."""
        return self._blocks(self.forward_blocks, t, q, u, r, p)

    def forward_tangents(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0,
                         p: Any = None) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
        """∂u̇/∂q W, ∂u̇/∂u and ∂u̇/∂r of forward dynamics, as numbers: coordinates move along δq = W δu."""
        return self._blocks(self.forward_tangent_blocks, t, q, u, r, p)

    def _blocks(self, blocks: Blocks, t: float, q: Any, u: Any, r: Any, p: Any,
                *udot: Any) -> tuple[NDArray[np.float64], ...]:  # fmt: skip
        x = argument_vector(self.system, t, q, u, r, p)
        rates = [read(each, self.u, "accelerations udot", self.name) for each in udot]
        value = blocks(np.concatenate([x, *rates]))
        if not all(np.isfinite(block).all() for block in value):
            raise EvaluationError(f"derivatives of '{self.name}' are not finite at {self._state_text(x)}.")
        return value

    def evaluate(self, what: Any, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None) -> Any:
        """Numbers for an expression, a matrix, a list of expressions, or a vector (measures in N)."""
        x = argument_vector(self.system, t, q, u, r, p)
        value = Function(self.program(what))(x)
        if not np.isfinite(value).all():
            raise EvaluationError(f"{what} of '{self.name}' is not finite ({value}) at {self._state_text(x)}.")
        if isinstance(what, Matrix):
            return value.reshape(what.shape)
        return float(value[0]) if isinstance(what, Expr) else value

    def _explain(self, x: NDArray[np.float64], value: NDArray[np.float64]) -> None:
        """Why u̇ is not finite: the kinematics, the mass matrix, or a load."""
        raise EvaluationError(why_not_finite(self, x, value))

    def _state_text(self, x: NDArray[np.float64]) -> str:
        names = [symbol.name for symbol in self.arguments[: 1 + len(self.q) + len(self.u)]]
        return ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, x, strict=False))


def _flat(what: Any) -> list[Any]:
    if isinstance(what, str | bytes | Mapping):
        raise EvaluationError(
            f"{what!r:.60} is no expression. Give one made of the model's symbols, a vector, a point, or a list of "
            "them; texts are read by run[...] and in model files."
        )
    if isinstance(what, Vector):
        return list(what.measures(what.tree.newtonian))
    if isinstance(what, Point):
        return _flat(what.position())
    if isinstance(what, Expr) or not hasattr(what, "__iter__"):
        return [what]
    return [entry for item in what for entry in _flat(item)]

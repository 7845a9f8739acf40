"""Programs as JAX functions: to differentiate, to map, to compile. JAX is an optional extra, imported when needed.

JAX computes in single precision unless it is told otherwise: ``jax.config.update("jax_enable_x64", True)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from latchwork.program.interpret import results
from latchwork.program.ir import OPS, Program
from latchwork.program.naming import Group

# Where ``jax.numpy`` calls an operation otherwise than we do.
NAMES = {
    "neg": "negative", "sub": "subtract", "mul": "multiply", "div": "divide", "asin": "arcsin", "acos": "arccos",
    "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "atan2": "arctan2", "pow": "power",
    "min": "minimum", "max": "maximum",
}  # fmt: skip
COMPARISONS = {"lt": "less", "le": "less_equal", "eq": "equal"}


def jax_function(program: Program, groups: Sequence[Group]) -> Callable[..., Any]:
    """A function of the groups (arrays, or a number where scalar) that gives one array; ready for ``jax.jit``."""
    import jax.numpy as jnp

    table: dict[str, Any] = {op.name: getattr(jnp, NAMES.get(op.name, op.name), None) for op in OPS}
    table |= {name: _as_number(jnp, getattr(jnp, other)) for name, other in COMPARISONS.items()}
    table["select"] = lambda c, a, b: jnp.where(c != 0.0, a, b)

    def function(*arguments: Any) -> Any:
        given = zip(arguments, groups, strict=True)
        x = [a if group.scalar else a[i] for a, group in given for i in range(len(group.names))]
        return jnp.array(results(program, [*x, *program.constants], table))

    return function


def _as_number(jnp: Any, compare: Callable[..., Any]) -> Callable[..., Any]:
    """A comparison that gives 1 or 0."""
    return lambda a, b: jnp.where(compare(a, b), 1.0, 0.0)

"""What NumPy may do with expressions: its scalars leave the operators to us, its functions are refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latchwork.errors import ExpressionError

OPERATORS = {  # NumPy's name, ours where the expression stands on the left, and on the right
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "power": ("__pow__", "__rpow__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
    "equal": ("__eq__", "__eq__"),
    "not_equal": ("__ne__", "__ne__"),
}
OURS = {name: f"lw.{name}" for name in "sin cos tan sinh cosh tanh exp log sqrt sign minimum maximum".split()}
OURS |= {f"arc{name}": f"lw.a{name}" for name in "sin cos tan tan2 sinh cosh tanh".split()}
OURS |= {"absolute": "abs", "fabs": "abs", "square": "x**2"}


def answered(it: Any, ufunc: Any, method: str, inputs: Sequence[Any], options: Any) -> Any:
    """The operator that NumPy was asked for, of an expression; or an error that names the function to use."""
    name = ufunc.__name__
    if name in OPERATORS and method == "__call__" and not options:
        (a, b), (left, right) = inputs, OPERATORS[name]
        return getattr(a, left)(b) if isinstance(a, type(it)) else getattr(b, right)(a)
    advice = f"Use {OURS[name]}." if name in OURS else "Evaluate it first, e.g. with eq.evaluate(...)."
    raise ExpressionError(f"NumPy's {name} takes numbers, and '{it}' is an expression. {advice}")

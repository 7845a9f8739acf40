"""Expressions: an interned graph, its derivatives, its printed forms, and SymPy in and out."""

from latchwork.symbolic.derivative import dt, gradient, jacobian
from latchwork.symbolic.expr import (
    Expr,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    equal,
    exp,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.printing import latex, listing, mathml, text
from latchwork.symbolic.sympy_bridge import from_sympy, to_sympy
from latchwork.symbolic.traverse import Operations, count_literal, count_shared, substitute

__all__ = [
    "Expr", "Graph", "Matrix", "Operations", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh",
    "count_literal", "count_shared", "dt", "equal", "exp", "from_sympy", "gradient",
    "jacobian", "latex", "listing", "log", "mathml", "maximum", "minimum", "sign", "sin", "sinh", "sqrt", "substitute",
    "tan", "tanh", "text", "to_sympy", "where",
]  # fmt: skip

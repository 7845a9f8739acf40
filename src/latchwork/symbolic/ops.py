"""The operations of the expression graph, one row each.

A node is a tuple ``(op, argument, ...)``; arguments are nodes (indices ≥ 0) or constants (indices < 0). The derivative
column holds the partial derivatives of the operation with respect to its arguments, written with the graph's own
arithmetic; ``z`` is the node itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from latchwork.symbolic.graph import Graph

Partials = Callable[["Graph", int, tuple[int, ...]], tuple[int, ...]]

SYMBOL = 0
(NEG, ADD, SUB, MUL, DIV, POW, SQRT, EXP, LOG, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, ASINH, ACOSH, ATANH,
 ATAN2, ABS, SIGN, MIN, MAX, LT, LE, EQ, SELECT) = range(1, 31)  # fmt: skip

ZERO, ONE, MINUS_ONE, TWO, HALF = -1, -2, -3, -4, -5  # indices of the constants every graph starts with
FIRST_CONSTANTS = (0.0, 1.0, -1.0, 2.0, 0.5)


class Op(NamedTuple):
    """A row: how the operation is called, how many arguments it takes, its partial derivatives."""

    name: str
    arity: int
    partials: Partials


def _none(g: Graph, z: int, x: tuple[int, ...]) -> tuple[int, ...]:
    """Piecewise constant: all partial derivatives vanish (almost everywhere)."""
    return (ZERO,) * len(x)


def _pow(g: Graph, z: int, x: tuple[int, ...]) -> tuple[int, ...]:
    a, b = x
    first = g.mul(b, g.pow(a, g.sub(b, ONE)))
    return (first, ZERO) if b < 0 else (first, g.mul(z, g.log(a)))


def _atan2(g: Graph, z: int, x: tuple[int, ...]) -> tuple[int, ...]:
    r2 = g.add(g.mul(x[0], x[0]), g.mul(x[1], x[1]))
    return g.div(x[1], r2), g.neg(g.div(x[0], r2))


def _one_minus_square(g: Graph, x: int) -> int:
    return g.sub(ONE, g.mul(x, x))


def _square_plus(g: Graph, x: int, c: int) -> int:
    return g.add(g.mul(x, x), c)


OPS: dict[int, Op] = {
    NEG: Op("neg", 1, lambda g, z, x: (MINUS_ONE,)),
    ADD: Op("add", 2, lambda g, z, x: (ONE, ONE)),
    SUB: Op("sub", 2, lambda g, z, x: (ONE, MINUS_ONE)),
    MUL: Op("mul", 2, lambda g, z, x: (x[1], x[0])),
    DIV: Op("div", 2, lambda g, z, x: (g.div(ONE, x[1]), g.neg(g.div(z, x[1])))),
    POW: Op("pow", 2, _pow),
    SQRT: Op("sqrt", 1, lambda g, z, x: (g.div(HALF, z),)),
    EXP: Op("exp", 1, lambda g, z, x: (z,)),
    LOG: Op("log", 1, lambda g, z, x: (g.div(ONE, x[0]),)),
    SIN: Op("sin", 1, lambda g, z, x: (g.cos(x[0]),)),
    COS: Op("cos", 1, lambda g, z, x: (g.neg(g.sin(x[0])),)),
    TAN: Op("tan", 1, lambda g, z, x: (g.add(ONE, g.mul(z, z)),)),
    ASIN: Op("asin", 1, lambda g, z, x: (g.div(ONE, g.sqrt(_one_minus_square(g, x[0]))),)),
    ACOS: Op("acos", 1, lambda g, z, x: (g.neg(g.div(ONE, g.sqrt(_one_minus_square(g, x[0])))),)),
    ATAN: Op("atan", 1, lambda g, z, x: (g.div(ONE, _square_plus(g, x[0], ONE)),)),
    SINH: Op("sinh", 1, lambda g, z, x: (g.unary(COSH, x[0]),)),
    COSH: Op("cosh", 1, lambda g, z, x: (g.unary(SINH, x[0]),)),
    TANH: Op("tanh", 1, lambda g, z, x: (_one_minus_square(g, z),)),
    ASINH: Op("asinh", 1, lambda g, z, x: (g.div(ONE, g.sqrt(_square_plus(g, x[0], ONE))),)),
    ACOSH: Op("acosh", 1, lambda g, z, x: (g.div(ONE, g.sqrt(_square_plus(g, x[0], MINUS_ONE))),)),
    ATANH: Op("atanh", 1, lambda g, z, x: (g.div(ONE, _one_minus_square(g, x[0])),)),
    ATAN2: Op("atan2", 2, _atan2),
    ABS: Op("abs", 1, lambda g, z, x: (g.unary(SIGN, x[0]),)),
    SIGN: Op("sign", 1, _none),
    MIN: Op("min", 2, lambda g, z, x: (g.select(g.compare(LE, x[0], x[1]), ONE, ZERO),
                                       g.select(g.compare(LE, x[0], x[1]), ZERO, ONE))),
    MAX: Op("max", 2, lambda g, z, x: (g.select(g.compare(LE, x[1], x[0]), ONE, ZERO),
                                       g.select(g.compare(LE, x[1], x[0]), ZERO, ONE))),
    LT: Op("lt", 2, _none),
    LE: Op("le", 2, _none),
    EQ: Op("eq", 2, _none),
    SELECT: Op("select", 3, lambda g, z, x: (ZERO, g.select(x[0], ONE, ZERO), g.select(x[0], ZERO, ONE))),
}  # fmt: skip

BY_NAME = {row.name: op for op, row in OPS.items()}
COMPARISONS = frozenset({LT, LE, EQ})

"""Expressions of model files, and of anyone who has one as text: ``parse("m*dot(velocity(P), N.x)", model)``."""

from __future__ import annotations

from collections.abc import Mapping

from latchwork.formats.expressions.evaluate import evaluated
from latchwork.formats.expressions.functions import SCALAR, VECTOR
from latchwork.formats.expressions.postfix import Code, compiled
from latchwork.formats.expressions.scope import Exerting, Held, Scope, Value
from latchwork.formats.places import Place, Text, shown
from latchwork.mechanics.tree import Tree
from latchwork.mechanics.vector import Vector
from latchwork.model import Model
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph


def parse(text: str, model: Model, source: str = "expression") -> Expr | Vector:
    """A scalar or vector expression of a model; every error is a FileError with the column."""
    return _parsed(text, Scope.of(model), source)


def parse_in(text: str, symbols: Mapping[str, Expr | Vector], tree: Tree, exerting: Exerting) -> Expr | Vector:
    """A scalar or vector expression of these symbols, of the frames and points of a tree, and of what exerts forces."""
    named = {name: Value(VECTOR if isinstance(it, Vector) else SCALAR, it) for name, it in symbols.items()}
    held = {name: Held(name, asked) for name, asked in exerting.items()}
    return _parsed(text, Scope(tree.graph, tree, named, held=held), "expression")


def _parsed(text: str, scope: Scope, source: str) -> Expr | Vector:
    code = compiled(Text(text, Place(source)))
    value = evaluated(code, scope)
    return value.it if value.kind == VECTOR else _must_be_scalar(code, value)


def scalar(code: Code, scope: Scope) -> Expr:
    """An expression that must be a scalar."""
    return _must_be_scalar(code, evaluated(code, scope))


def _must_be_scalar(code: Code, value: Value) -> Expr:
    if value.kind != SCALAR:
        advice = "Take a component, e.g. dot(v, N.x)." if value.kind == VECTOR else "Write where(condition, 1, 0)."
        raise code.text.place.error(f"a scalar is needed here; '{shown(code.text.value)}' is a {value.kind}. {advice}")
    return value.it


def vector(code: Code, scope: Scope) -> Vector:
    """An expression that must be a vector; the number 0 stands for the zero vector."""
    value = evaluated(code, scope)
    if value.kind == SCALAR and value.it == 0.0 and scope.tree is not None:
        return Vector(scope.tree, {})
    if value.kind != VECTOR:
        raise code.text.place.error(
            f"a vector is needed here; '{shown(code.text.value)}' is a {value.kind}. Write e.g. L*N.x."
        )
    return value.it


def constant(code: Code) -> float:
    """An expression that must be a number: no names but pi."""
    return float(scalar(code, Scope(Graph("numbers"))))


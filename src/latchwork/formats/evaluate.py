"""From postfix steps to expressions and vectors of a model, kinds checked at every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from latchwork.errors import ExpressionError, FileError, LatchworkError, did_you_mean
from latchwork.formats.expressions import Code, Step, compiled
from latchwork.formats.functions import ADVICE, CONDITION, FRAME, FUNCTIONS, INFIX, NAMED, POINT, PREFIX, SCALAR, VECTOR
from latchwork.formats.places import Place, Text, shown
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point
from latchwork.mechanics.tree import Tree
from latchwork.mechanics.vector import Vector
from latchwork.model import Model
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.graph import Graph

LARGEST = 20_000  # new operations that one expression may cause


class Value(NamedTuple):
    """What an expression is so far: its kind and the thing itself."""

    kind: str
    it: Any


@dataclass
class Scope:
    """The names an expression may use: symbols (and what a file defines under ``let``), frames and points.

    ``aliases`` lets a joint or body stand for its frame and point; ``declared`` holds names that are still to be made, for
    hints.
    """

    graph: Graph
    tree: Tree | None = None
    symbols: dict[str, Value] = field(default_factory=dict)
    aliases: dict[tuple[str, str], Frame | Point] = field(default_factory=dict)
    declared: Mapping[str, Iterable[str]] = field(default_factory=dict)
    memo: dict[tuple[str, ...], Value] = field(default_factory=dict)

    @staticmethod
    def of(model: Model) -> Scope:
        """All names of a model."""
        scope = Scope(model.graph, model.frame.tree, {name: Value(SCALAR, e) for name, e in model.symbols.items()})
        for item in (*model.links.values(), *model.bodies.values()):
            scope.alias(item)
        return scope

    def alias(self, item: Link | Body) -> None:
        """Let the name of a joint or body stand for its frame and its point."""
        point = item.origin if isinstance(item, Link) else item.center
        self.aliases.setdefault((POINT, item.name), point)
        if item.frame is not None:
            self.aliases.setdefault((FRAME, item.name), item.frame)

    def find(self, kind: str, name: str) -> Any:
        """A frame or point by its own name or an alias, or None."""
        if self.tree is None:
            return None
        own: Mapping[str, Any] = self.tree.frames if kind == FRAME else self.tree.points
        return own.get(name) or self.aliases.get((kind, name))

    def look_up(self, kind: str, name: str, text: Text, offset: int = 0) -> Any:
        """A frame or point that a text names, or an error that says which there are."""
        found = self.find(kind, name)
        if found is None:
            hint = did_you_mean(name, self.names(kind))
            raise text.at(offset).error(f"there is no {kind} '{shown(name)}'.{hint}")
        return found

    def names(self, kind: str) -> list[str]:
        """The names of a kind, for a hint."""
        made: Iterable[str] = self.symbols
        if kind in NAMED and self.tree is not None:
            made = self.tree.frames if kind == FRAME else self.tree.points
        return list(dict.fromkeys((*made, *self.declared.get(kind, ()))))


def evaluated(code: Code, scope: Scope) -> Value:
    """The value of an expression: scalar, vector or condition."""
    stack: list[Value] = []
    step, budget = code.steps[0], LARGEST
    try:
        for step in code.steps:
            before = len(scope.graph.nodes)
            stack.append(ACTIONS[step.action](code, scope, step, stack))
            budget -= 0 if _is_kinematic(step) else len(scope.graph.nodes) - before
            if budget < 0:
                raise ExpressionError(
                    f"this expression grows beyond {LARGEST} operations here, as nested dt(...) does. Introduce a speed, and "
                    "differentiate that."
                )
    except FileError:
        raise
    except (LatchworkError, ArithmeticError) as problem:
        raise code.text.at(step.offset).error(str(problem)) from None
    return stack[0]


def _is_kinematic(step: Step) -> bool:
    """Velocities and positions are as large as the model makes them, and worked out once."""
    return step.action == "call" and all(kind in NAMED for kind in FUNCTIONS[step.value].takes)


def scalar(code: Code, scope: Scope) -> Expr:
    """An expression that must be a scalar."""
    return _must_be_scalar(code, evaluated(code, scope))


def _must_be_scalar(code: Code, value: Value) -> Expr:
    if value.kind != SCALAR:
        advice = "Take a component, e.g. dot(v, N.x)." if value.kind == VECTOR else "Write where(condition, 1, 0)."
        raise code.text.place.error(f"a scalar is needed here; '{shown(code.text.value)}' is a {value.kind}. {advice}")
    return value.it  # type: ignore[no-any-return]


def vector(code: Code, scope: Scope) -> Vector:
    """An expression that must be a vector; the number 0 stands for the zero vector."""
    value = evaluated(code, scope)
    if value.kind == SCALAR and value.it == 0.0 and scope.tree is not None:
        return Vector(scope.tree, {})
    if value.kind != VECTOR:
        raise code.text.place.error(
            f"a vector is needed here; '{shown(code.text.value)}' is a {value.kind}. Write e.g. {_as_example(code)}*N.x."
        )
    return value.it  # type: ignore[no-any-return]


def constant(code: Code) -> float:
    """An expression that must be a number: no names but pi."""
    return float(scalar(code, Scope(Graph("numbers"))))


def parse(text: str, model: Model, source: str = "expression") -> Expr | Vector:
    """A scalar or vector expression of a model from text, e.g. ``parse("m*dot(velocity(P), N.x)", model)``."""
    code = compiled(Text(text, Place(source)))
    value = evaluated(code, Scope.of(model))
    return value.it if value.kind == VECTOR else _must_be_scalar(code, value)


def _as_example(code: Code) -> str:
    written = code.text.value
    return "L" if len(code.steps) > 1 or len(written) > 20 else written.strip()


# --- one function for each kind of step ---------------------------------------------------------------------------


def _number(code: Code, scope: Scope, step: Step, stack: list[Value]) -> Value:
    return Value(SCALAR, Expr(scope.graph, operand(scope.graph, step.value)))


def _symbol(code: Code, scope: Scope, step: Step, stack: list[Value]) -> Value:
    found = scope.symbols.get(step.value)
    if found is not None:
        return found
    name = shown(step.value)
    hint = did_you_mean(step.value, scope.names(SCALAR))
    if scope.find(FRAME, step.value) is not None:
        hint = f" It is a frame: write {name}.x, {name}.y or {name}.z."
    elif scope.find(POINT, step.value) is not None:
        hint = f" It is a point: write position({name}) or velocity({name})."
    raise code.text.at(step.offset).error(f"unknown name '{name}' in an expression.{hint}")


def _axis(code: Code, scope: Scope, step: Step, stack: list[Value]) -> Value:
    name, axis = step.value
    frame = scope.look_up(FRAME, name, code.text, step.offset)
    return Value(VECTOR, getattr(frame, axis))


def _named(code: Code, scope: Scope, step: Step, stack: list[Value]) -> Value:
    return Value(step.action, scope.look_up(step.action, step.value, code.text, step.offset))


def _prefix(code: Code, scope: Scope, step: Step, stack: list[Value]) -> Value:
    value = stack.pop()
    row = PREFIX.get((step.value, value.kind)) or PREFIX.get((step.value, _as_number(value.kind)))
    if row is None:
        raise code.text.at(step.offset).error(
            f"'{step.value}' cannot stand before a {value.kind}. {ADVICE.get(step.value, '')}".rstrip()
        )
    return Value(row[0], row[1](value.it))


def _infix(code: Code, scope: Scope, step: Step, stack: list[Value]) -> Value:
    right, left = stack.pop(), stack.pop()
    row = INFIX.get((step.value, left.kind, right.kind)) or INFIX.get(
        (step.value, _as_number(left.kind), _as_number(right.kind))
    )
    if row is None:
        raise code.text.at(step.offset).error(
            f"'{step.value}' cannot join a {left.kind} and a {right.kind}. {ADVICE.get(step.value, '')}".rstrip()
        )
    if step.value == "/" and right.it == 0.0:
        raise code.text.at(step.offset).error("division by zero in an expression: the divisor is the number 0. Change it.")
    return _finite(code, step, Value(row[0], row[1](left.it, right.it)), (left, right))


def _call(code: Code, scope: Scope, step: Step, stack: list[Value]) -> Value:
    function, args = FUNCTIONS[step.value], stack[len(stack) - step.count :]
    del stack[len(stack) - step.count :]
    for kind, arg in zip(function.takes, args, strict=False):
        if kind not in (arg.kind, _as_number(arg.kind)):
            raise code.text.at(step.offset).error(
                f"{step.value}(...) takes a {kind} here, not a {arg.kind}. {CALL_ADVICE.get(kind, '')}".rstrip()
            )
    if _is_kinematic(step):
        return _remembered(scope, step.value, function.gives, function.call, args)
    return _finite(code, step, Value(function.gives, function.call(*(arg.it for arg in args))), args)


def _remembered(scope: Scope, name: str, gives: str, call: Callable[..., Any], args: list[Value]) -> Value:
    """Velocities and positions are worked out once."""
    key = (name, *(arg.it.name for arg in args))
    if key not in scope.memo:
        scope.memo[key] = Value(gives, call(*(arg.it for arg in args)))
    return scope.memo[key]


def _as_number(kind: str) -> str:
    """A condition used as a number is 1 or 0."""
    return SCALAR if kind == CONDITION else kind


def _finite(code: Code, step: Step, value: Value, args: Iterable[Value]) -> Value:
    """Numbers must give numbers: sqrt(-1) and 10**400 are errors here, not in the middle of a run."""
    is_number = all(isinstance(arg.it, Expr) and arg.it.is_constant for arg in args)
    if is_number and isinstance(value.it, Expr) and not value.it.is_constant:
        raise code.text.at(step.offset).error(
            f"'{value.it}' has no finite value. Change the numbers it is made of."
        )
    return value


CALL_ADVICE = {
    CONDITION: "Write a comparison such as q1 < 0.",
    VECTOR: "Write a vector such as L*N.x.",
    SCALAR: "Take a component, e.g. dot(v, N.x).",
}
ACTIONS: dict[str, Callable[[Code, Scope, Step, list[Value]], Value]] = {
    "number": _number, "symbol": _symbol, "axis": _axis, FRAME: _named, POINT: _named,
    "prefix": _prefix, "infix": _infix, "call": _call,
}  # fmt: skip

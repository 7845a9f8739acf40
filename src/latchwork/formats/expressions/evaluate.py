"""From postfix steps to expressions and vectors of a model, kinds checked at every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from latchwork.errors import ExpressionError, FileError, LatchworkError, did_you_mean
from latchwork.formats.expressions.functions import (
    ADVICE,
    CONDITION,
    FRAME,
    FUNCTIONS,
    HELD,
    INFIX,
    NAMED,
    POINT,
    PREFIX,
    SCALAR,
    VECTOR,
)  # fmt: skip
from latchwork.formats.expressions.postfix import Code, Step
from latchwork.formats.expressions.scope import Scope, Value
from latchwork.formats.places import shown
from latchwork.symbolic.expr import Expr

LARGEST = 10_000  # operations that an expression may cause beyond those it writes


def evaluated(code: Code, scope: Scope) -> Value:
    """The value of an expression: scalar, vector or condition."""
    stack: list[Value] = []
    step, budget = code.steps[0], LARGEST + 2 * len(code.steps)
    try:
        for step in code.steps:
            before = len(scope.graph.nodes)
            stack.append(ACTIONS[step.action](scope, step, stack))
            budget -= 0 if _is_kinematic(step) else len(scope.graph.nodes) - before
            if budget < 0:
                raise ExpressionError(
                    f"this expression grows by more than {LARGEST} operations, as nested dt(...) does. Introduce a "
                    "speed and differentiate that."
                )
    except FileError:
        raise
    except (LatchworkError, ArithmeticError) as problem:
        raise code.text.at(step.offset).error(str(problem)) from None
    return stack[0]


def _is_kinematic(step: Step) -> bool:
    """Velocities and positions are as large as the model makes them, and worked out once."""
    return step.action == "call" and all(kind in NAMED for kind in FUNCTIONS[step.value].takes)


# --- one function for each kind of step ---------------------------------------------------------------------------


def _number(scope: Scope, step: Step, stack: list[Value]) -> Value:
    return Value(SCALAR, Expr(scope.graph, scope.graph.constant(step.value)))


def _symbol(scope: Scope, step: Step, stack: list[Value]) -> Value:
    found = scope.symbols.get(step.value)
    if found is not None:
        return found
    name = shown(step.value)
    hint = did_you_mean(step.value, scope.names(SCALAR))
    if scope.find(FRAME, step.value) is not None:
        hint = f" It is a frame: write {name}.x, {name}.y or {name}.z."
    elif scope.find(POINT, step.value) is not None:
        hint = f" It is a point: write position({name}) or velocity({name})."
    raise ExpressionError(f"unknown name '{name}' in an expression.{hint}")


def _axis(scope: Scope, step: Step, stack: list[Value]) -> Value:
    name, axis = step.value
    return Value(VECTOR, getattr(scope.look_up(FRAME, name), axis))


def _named(scope: Scope, step: Step, stack: list[Value]) -> Value:
    return Value(step.action, scope.look_up(step.action, step.value))


def _prefix(scope: Scope, step: Step, stack: list[Value]) -> Value:
    value = stack.pop()
    row = PREFIX.get((step.value, value.kind)) or PREFIX.get((step.value, _as_number(value.kind)))
    if row is None:
        raise ExpressionError(
            f"'{step.value}' cannot stand before a {value.kind}. {ADVICE.get(step.value, '')}".rstrip()
        )
    return Value(row[0], row[1](value.it))


def _infix(scope: Scope, step: Step, stack: list[Value]) -> Value:
    right, left = stack.pop(), stack.pop()
    row = INFIX.get((step.value, left.kind, right.kind)) or INFIX.get(
        (step.value, _as_number(left.kind), _as_number(right.kind))
    )
    if row is None:
        raise ExpressionError(
            f"'{step.value}' cannot join a {left.kind} and a {right.kind}. {ADVICE.get(step.value, '')}".rstrip()
        )
    if step.value == "/" and right.it == 0.0:
        raise ExpressionError("division by zero in an expression: the divisor is the number 0. Change it.")
    return _finite(Value(row[0], row[1](left.it, right.it)), (left, right))


def _call(scope: Scope, step: Step, stack: list[Value]) -> Value:
    function, args = FUNCTIONS[step.value], stack[len(stack) - step.arity :]
    del stack[len(stack) - step.arity :]
    for kind, arg in zip(function.takes, args, strict=False):
        if kind not in (arg.kind, _as_number(arg.kind)):
            raise ExpressionError(
                f"{step.value}(...) takes a {kind} here, not a {arg.kind}. {CALL_ADVICE.get(kind, '')}".rstrip()
            )
    if _is_kinematic(step):
        return _remembered(scope, step.value, function.gives, function.call, args)
    return _finite(Value(function.gives, function.call(*(arg.it for arg in args))), args)


def _remembered(scope: Scope, name: str, gives: str, call: Callable[..., Any], args: list[Value]) -> Value:
    """Velocities and positions are worked out once."""
    key = (name, *(arg.it.name for arg in args))
    if key not in scope.memo:
        scope.memo[key] = Value(gives, call(*(arg.it for arg in args)))
    return scope.memo[key]


def _as_number(kind: str) -> str:
    """A condition used as a number is 1 or 0."""
    return SCALAR if kind == CONDITION else kind


def _finite(value: Value, args: Iterable[Value]) -> Value:
    """Numbers must give numbers: sqrt(-1) and 10**400 are errors here, not in the middle of a run."""
    is_number = all(isinstance(arg.it, Expr) and arg.it.is_constant for arg in args)
    if is_number and isinstance(value.it, Expr) and not value.it.is_constant:
        raise ExpressionError(f"'{value.it}' has no finite value. Change the numbers it is made of.")
    return value


CALL_ADVICE = {
    CONDITION: "Write a comparison such as q1 < 0.",
    VECTOR: "Write a vector such as L*N.x.",
    SCALAR: "Take a component, e.g. dot(v, N.x).",
}
ACTIONS: dict[str, Callable[[Scope, Step, list[Value]], Value]] = {
    "number": _number, "symbol": _symbol, "axis": _axis, FRAME: _named, POINT: _named, HELD: _named,
    "prefix": _prefix, "infix": _infix, "call": _call,
}  # fmt: skip

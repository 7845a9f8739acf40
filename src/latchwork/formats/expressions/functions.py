"""What an expression may say: operators and functions, one row each, with the kinds they take and give.

A kind is scalar, vector, condition (a comparison; used as a number it is 1 where it holds and 0 elsewhere), or the name
of a frame, a point, or a constraint or contact.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import apply

SCALAR, VECTOR, CONDITION, FRAME, POINT = "scalar", "vector", "condition", "frame", "point"
HELD = "constraint or contact"
NAMED = (FRAME, POINT, HELD)  # kinds that an argument gives by name
CONSTANTS = {"pi": 3.141592653589793}


@dataclass(frozen=True)
class Function:
    """A row: kinds of the arguments (the last ``optional`` may be left out), kind of the result, what is done."""

    takes: tuple[str, ...]
    gives: str
    call: Callable[..., Any]
    optional: int = 0

    @property
    def arity(self) -> str:
        """How many arguments, in words."""
        most, least = len(self.takes), len(self.takes) - self.optional
        return f"{least} or {most} arguments" if least < most else f"{most} argument{'s' * (most != 1)}"

    def accepts(self, count: int) -> bool:
        return len(self.takes) - self.optional <= count <= len(self.takes)


def _applied(name: str) -> Callable[..., Any]:
    return lambda *args: apply(name, *args)


def _exerted(word: str) -> Callable[..., Any]:
    return lambda held: held.exerts(word)


ONE_SCALAR = "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log sqrt abs sign".split()
TWO_SCALARS = "atan2 min max".split()

FUNCTIONS: dict[str, Function] = {
    **{name: Function((SCALAR,), SCALAR, _applied(name)) for name in ONE_SCALAR},
    **{name: Function((SCALAR, SCALAR), SCALAR, _applied(name)) for name in TWO_SCALARS},
    "where": Function((CONDITION, SCALAR, SCALAR), SCALAR, _applied("select")),
    "equal": Function((SCALAR, SCALAR), CONDITION, _applied("eq")),
    "dt": Function((SCALAR,), SCALAR, dt),
    "dot": Function((VECTOR, VECTOR), SCALAR, lambda a, b: a.dot(b)),
    "cross": Function((VECTOR, VECTOR), VECTOR, lambda a, b: a.cross(b)),
    "magnitude": Function((VECTOR,), SCALAR, lambda v: v.magnitude()),
    "position": Function((POINT, POINT), VECTOR, lambda p, *other: p.position(*other), optional=1),
    "velocity": Function((POINT,), VECTOR, lambda p: p.velocity()),
    "angular_velocity": Function((FRAME, FRAME), VECTOR, lambda b, *a: b.angular_velocity(*a), optional=1),
    "force": Function((HELD,), SCALAR, lambda held: held.exerts("force")),
    "motor": Function((HELD,), SCALAR, lambda held: held.exerts("motor")),
    **{word: Function((HELD,), VECTOR, _exerted(word)) for word in ("reaction", "reaction_torque", "load")},
}

# How tightly an operator binds, as in Python: comparisons least, powers most (and from the right).
BINDS = {"<": 1, "<=": 1, ">": 1, ">=": 1, "==": 1, "|": 2, "&": 3, "+": 4, "-": 4, "*": 5, "/": 5, "**": 7}
BINDS_PREFIX = {"-": 6, "+": 6, "~": 6}
COMPARISONS = frozenset(sign for sign, level in BINDS.items() if level == 1)
FROM_THE_RIGHT = frozenset({"**"})

Row = tuple[str, Callable[..., Any]]  # kind of the result, what is done

INFIX: dict[tuple[str, str, str], Row] = {
    ("+", SCALAR, SCALAR): (SCALAR, operator.add),
    ("+", VECTOR, VECTOR): (VECTOR, operator.add),
    ("-", SCALAR, SCALAR): (SCALAR, operator.sub),
    ("-", VECTOR, VECTOR): (VECTOR, operator.sub),
    ("*", SCALAR, SCALAR): (SCALAR, operator.mul),
    ("*", SCALAR, VECTOR): (VECTOR, lambda k, v: v * k),
    ("*", VECTOR, SCALAR): (VECTOR, operator.mul),
    ("/", SCALAR, SCALAR): (SCALAR, operator.truediv),
    ("/", VECTOR, SCALAR): (VECTOR, operator.truediv),
    ("**", SCALAR, SCALAR): (SCALAR, operator.pow),
    ("<", SCALAR, SCALAR): (CONDITION, operator.lt),
    ("<=", SCALAR, SCALAR): (CONDITION, operator.le),
    (">", SCALAR, SCALAR): (CONDITION, operator.gt),
    (">=", SCALAR, SCALAR): (CONDITION, operator.ge),
    ("==", SCALAR, SCALAR): (CONDITION, _applied("eq")),
    ("&", CONDITION, CONDITION): (CONDITION, _applied("min")),
    ("|", CONDITION, CONDITION): (CONDITION, _applied("max")),
}

PREFIX: dict[tuple[str, str], Row] = {
    ("-", SCALAR): (SCALAR, operator.neg),
    ("-", VECTOR): (VECTOR, operator.neg),
    ("+", SCALAR): (SCALAR, operator.pos),
    ("+", VECTOR): (VECTOR, lambda v: v),
    ("~", CONDITION): (CONDITION, lambda c: 1.0 - c),
}

# What to write instead of an operator between kinds that it does not join.
ADVICE = {
    "+": "Multiply the scalar by a unit vector, e.g. L*N.x, or take a component, e.g. dot(v, N.x).",
    "-": "Multiply the scalar by a unit vector, e.g. L*N.x, or take a component, e.g. dot(v, N.x).",
    "*": "Write dot(a, b) or cross(a, b).",
    "/": "Divide by a scalar, e.g. by magnitude(v).",
    "**": "Write dot(v, v) for the square of a vector.",
    "&": "Put each comparison in parentheses: (a < b) & (c < d).",
    "|": "Put each comparison in parentheses: (a < b) | (c < d).",
    "~": "It negates a comparison: ~(a < b).",
}

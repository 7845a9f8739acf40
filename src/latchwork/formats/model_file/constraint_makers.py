"""How the constraints of a model file are made: each word is a method of the model, each key one of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.joints.methods import Constraining
from latchwork.formats.expressions.evaluate import evaluated
from latchwork.formats.expressions.functions import SCALAR, VECTOR
from latchwork.formats.expressions.parser import scalar
from latchwork.formats.expressions.postfix import Code
from latchwork.formats.expressions.scope import Value
from latchwork.formats.model_file.build import Build
from latchwork.formats.model_file.constraint_tables import WORDS
from latchwork.formats.model_file.grammar import Item, Listed, Shape
from latchwork.formats.model_file.shapes import Given
from latchwork.symbolic.expr import Expr


def constraint(build: Build, given: Given, keeper: Constraining) -> Constraint:
    """A constraint by its word; the model, or else what keeps it, has a method for each."""
    ((word, entry),) = given.value.values.items()
    name = given.name.value
    if word == "zero":
        return keeper.constraint(name, [_zero(build, code) for code in entry])
    shape = WORDS[word].item
    assert isinstance(shape, Shape)
    made = {key: _argument(build, shape.fields[key].item, value) for key, value in entry.values.items()
            if (word, key) != ("implicit", "zero")}  # fmt: skip
    if word == "close":
        return keeper.close(made.pop("type"), name, **made)
    if word == "distance":
        p, q = made["between"]
        return keeper.distance(name, p, q, made["length"])
    if word == "implicit":
        return keeper.implicit(name, zero=_function(build, entry["zero"]), **made)
    made_of: Constraint = getattr(keeper, word)(name, **made)
    return made_of


def _zero(build: Build, code: Code) -> Any:
    """A vector, or else a scalar."""
    value = evaluated(code, build.scope)
    return value.it if value.kind == VECTOR else build.scalar(code)


def _argument(build: Build, item: Item, value: Any) -> Any:
    if isinstance(item, Listed):
        found = [_argument(build, item.item, each) for each in value]
        return found[0] if item.or_one and len(found) == 1 else found
    return ARGUMENTS[str(item)](build, value)


def part(build: Build, reference: Any) -> Any:
    """A joint or body, which has a point of its own, or else a frame."""
    name, model = reference.text.value, build.model
    frame = build.found(reference)
    body = model.bodies.get(name)
    return model.links.get(name) or (body if name not in model.frames and body is not None else frame)


def _function(build: Build, code: Code) -> Callable[[Expr, Expr, Expr], Any]:
    """What an expression says of x, y and z, which stand for places and for nothing else in it."""

    def f(x: Expr, y: Expr, z: Expr) -> Any:
        places = {name: Value(SCALAR, place) for name, place in zip("xyz", (x, y, z), strict=True)}
        return scalar(code, replace(build.scope, symbols=build.scope.symbols | places, memo={}))

    return f


ARGUMENTS: dict[str, Callable[[Build, Any], Any]] = {
    "joint type": lambda build, value: value,
    "frame": part,
    "point": lambda build, value: build.found(value),
    "joint": lambda build, value: build.found(value),
    "scalar": lambda build, value: build.scalar(value),
    "vector": lambda build, value: build.vector(value),
}

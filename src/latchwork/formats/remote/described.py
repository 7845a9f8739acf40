"""Shapes described in numbers and texts, as JSON has them: every key known, every value of the right kind and size.

    {"shape": "arc", "center": [0, 20], "radius": 20, "start": [0, -1], "angle": 0.48, "inside": true}
    {"shape": "curve", "x": "R*sin(s/R)", "y": "R - R*cos(s/R)", "span": [0, 9.6], "numbers": {"R": 20}}

Lengths are measured from a point along the axes of a frame, which whoever reads it gives. Expressions know the
parameters of the shape, its ``numbers``, and the functions of model files; nothing of the model.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from latchwork.contact.curves import Curve, Surface
from latchwork.contact.shapes import Arc, Boundary, Circle, Line, Plane, Polyline, Segment, Sphere
from latchwork.errors import FileError, did_you_mean
from latchwork.formats.expressions.functions import CONSTANTS, FUNCTIONS, SCALAR
from latchwork.formats.expressions.parser import scalar
from latchwork.formats.expressions.postfix import Code, compiled
from latchwork.formats.expressions.scope import Scope, Value
from latchwork.formats.places import Place, Text, shown
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.model import NAME
from latchwork.symbolic.expr import Expr

LARGEST = 1e9  # of a number
LONGEST = 2000  # characters of an expression
MAX_PARTS = 200  # corners, pieces or names


@dataclass(frozen=True)
class Home:
    """Where descriptions are at home: from a point, along the axes of a frame; ``name`` and ``source`` for errors."""

    point: Point
    frame: Frame
    name: str
    source: str
    _count: itertools.count[int] = field(default_factory=lambda: itertools.count(1), repr=False)

    def error(self, message: str) -> FileError:
        return FileError(f"'{self.name}' {message}", self.source)

    def at(self, place: tuple[float, ...]) -> Point:
        """A new point of the model there, under a name that is free."""
        known = self.point.tree.points
        label = next(label for k in self._count if (label := f"{self.name} {k}") not in known)
        return self.point.at(label, self.along(place))

    def along(self, way: tuple[Any, ...]) -> Vector:
        return self.frame.vector(*way)


# --- values -------------------------------------------------------------------------------------------------------


def number(home: Home, key: str, value: Any) -> float:
    """A finite number of reasonable size; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise home.error(f"has {key} = {_short(value)}. Give a number of at most {LARGEST:g}.")
    return float(value)


def _length(home: Home, key: str, value: Any) -> float:
    if not number(home, key, value) > 0.0:
        raise home.error(f"has {key} = {_short(value)}. Give a length above zero.")
    return float(value)


def _truth(home: Home, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise home.error(f"has {key} = {_short(value)}. Give true or false.")
    return value


def _side(home: Home, key: str, value: Any) -> int:
    if number(home, key, value) not in (1.0, -1.0):
        raise home.error(f"has {key} = {_short(value)}. Give 1 or -1.")
    return int(value)


def _listed(home: Home, key: str, value: Any, least: int, most: int, what: str) -> list[Any]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise home.error(f"has {key} = {_short(value)}. Give {what}.")
    return value


def _place(home: Home, key: str, value: Any) -> tuple[float, ...]:
    return tuple(number(home, key, each) for each in _listed(home, key, value, 2, 3, "two or three numbers"))


def _way(home: Home, key: str, value: Any) -> tuple[float, ...]:
    way = _place(home, key, value)
    if not math.hypot(*way) > 1e-9:
        raise home.error(f"has {key} = {_short(value)}, which points nowhere. Give a direction.")
    return way


def _places(home: Home, key: str, value: Any) -> list[tuple[float, ...]]:
    return [_place(home, key, each) for each in _listed(home, key, value, 2, MAX_PARTS, f"2 to {MAX_PARTS} places")]


def _span(home: Home, key: str, value: Any) -> tuple[float, float]:
    low, high = (number(home, key, each) for each in _listed(home, key, value, 2, 2, "two numbers"))
    if not low < high:
        raise home.error(f"has {key} = {_short(value)}. Give two numbers in increasing order.")
    return low, high


def _spans(home: Home, key: str, value: Any) -> tuple[tuple[float, float], ...]:
    return tuple(_span(home, key, each) for each in _listed(home, key, value, 2, 2, "two spans"))


def _expression(home: Home, key: str, value: Any) -> Code:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = repr(number(home, key, value))
    if not isinstance(value, str) or len(value) > LONGEST:
        raise home.error(f"has {key} = {_short(value)}. Give an expression of at most {LONGEST} characters.")
    return compiled(Text(value, Place(f"{home.source}: '{home.name}' {key}")))


def _numbers(home: Home, key: str, value: Any) -> dict[str, float]:
    if not isinstance(value, dict) or len(value) > MAX_PARTS:
        raise home.error(f"has {key} = {_short(value)}. Give up to {MAX_PARTS} numbers by name.")
    for name in value:
        if not NAME.match(name) or name in {"s", "a", "b", *CONSTANTS, *FUNCTIONS}:
            raise home.error(f"names a number '{shown(name)}'. Names are letters, digits and _, and not s, a, b or the "
                             "name of a function.")  # fmt: skip
    return {name: number(home, f"{key}.{name}", each) for name, each in value.items()}


def _pieces(home: Home, key: str, value: Any) -> list[Any]:
    return [described(home, each, only=("segment", "arc"))
            for each in _listed(home, key, value, 1, MAX_PARTS, f"1 to {MAX_PARTS} segments and arcs")]  # fmt: skip


def _short(value: Any) -> str:
    return shown(str(value) if not isinstance(value, dict | list) else f"a {type(value).__name__} of {len(value)}")


# --- shapes -------------------------------------------------------------------------------------------------------

Reader = Callable[[Home, str, Any], Any]


class Row(NamedTuple):
    """A kind of shape: the keys it needs, those it may have, and how it is made."""

    needs: dict[str, Reader]
    may: dict[str, Reader]
    make: Callable[..., Any]


def _arc(home: Home, center: Any, radius: float, start: Any = None, angle: float | None = None,
         inside: bool = False) -> Arc:  # fmt: skip
    first = None if start is None else home.along(start)
    return Arc(home.at(center), radius, first, angle, axis=home.frame.z, inside=inside, body=home.frame)


def _segment(home: Home, p: Any, q: Any, normal: Any = None) -> Segment:
    return Segment(home.at(p), home.at(q), None if normal is None else home.along(normal), body=home.frame)


def _curve(home: Home, x: Code, y: Code, span: tuple[float, float], z: Code | None = None, closed: bool = False,
           side: int = 1, ends: bool | None = None, numbers: Mapping[str, float] | None = None) -> Curve:  # fmt: skip
    def arm(s: Expr) -> Vector:
        return home.along(_worked_out((x, y, z), {"s": s}, numbers))

    return Curve(home.point, arm, span, home.frame, closed, side, home.frame.z, ends)


def _surface(home: Home, x: Code, y: Code, z: Code, spans: Any, side: int = 1,
             numbers: Mapping[str, float] | None = None) -> Surface:  # fmt: skip
    def arm(a: Expr, b: Expr) -> Vector:
        return home.along(_worked_out((x, y, z), {"a": a, "b": b}, numbers))

    return Surface(home.point, arm, spans, home.frame, side=side)


def _worked_out(codes: tuple[Code | None, ...], symbols: Mapping[str, Expr],
                numbers: Mapping[str, float] | None) -> tuple[Any, ...]:  # fmt: skip
    """Expressions in terms of some symbols; nothing else has a name there."""
    g = next(iter(symbols.values())).graph
    constants = {name: Expr(g, g.constant(value)) for name, value in (numbers or {}).items()}
    scope = Scope(g, None, {name: Value(SCALAR, e) for name, e in {**constants, **symbols}.items()})
    return tuple(0.0 if code is None else scalar(code, scope) for code in codes)


_NUMBERED: dict[str, Reader] = {"side": _side, "numbers": _numbers}
_XY: dict[str, Reader] = {"x": _expression, "y": _expression}
SHAPES: dict[str, Row] = {
    "arc": Row({"center": _place, "radius": _length}, {"start": _way, "angle": number, "inside": _truth}, _arc),
    "segment": Row({"p": _place, "q": _place}, {"normal": _way}, _segment),
    "line": Row({"point": _place, "direction": _way, "normal": _way}, {},
                lambda h, point, direction, normal: Line(h.at(point), h.along(direction), h.along(normal), h.frame)),
    "plane": Row({"point": _place, "normal": _way}, {},
                 lambda h, point, normal: Plane(h.at(point), h.along(normal), h.frame)),
    "circle": Row({"center": _place, "radius": _length}, {},
                  lambda h, center, radius: Circle(h.at(center), radius, h.frame)),
    "sphere": Row({"center": _place, "radius": _length}, {},
                  lambda h, center, radius: Sphere(h.at(center), radius, h.frame)),
    "polyline": Row({"points": _places}, {"closed": _truth},
                    lambda h, points, closed=False: Polyline([h.at(p) for p in points], closed, h.frame.z, h.frame)),
    "boundary": Row({"pieces": _pieces}, {}, lambda h, pieces: Boundary(pieces)),
    "curve": Row({**_XY, "span": _span}, {"z": _expression, "closed": _truth, "ends": _truth, **_NUMBERED}, _curve),
    "surface": Row({**_XY, "z": _expression, "spans": _spans}, _NUMBERED, _surface),
}  # fmt: skip
BOUNDS = ("circle", "sphere", "line", "plane")  # what may bound a shape: all of it lies inside, or behind


def described(home: Home, description: Any, only: tuple[str, ...] = tuple(SHAPES)) -> Any:
    """The shape that a description says; what it does not say clearly is refused."""
    if not isinstance(description, dict):
        raise home.error(f"is described by {_short(description)}. Give an object with the key 'shape'.")
    kind = description.get("shape")
    if kind not in only:
        raise home.error(f"is a shape '{_short(kind)}'.{did_you_mean(str(kind), only)}")
    row = SHAPES[kind]
    given = {key: value for key, value in description.items() if key != "shape"}
    for key in given:
        if key not in row.needs and key not in row.may:
            raise home.error(f"has a key '{shown(key)}' that a {kind} does not know."
                             f"{did_you_mean(key, (*row.needs, *row.may))}")  # fmt: skip
    for key in row.needs:
        if key not in given:
            raise home.error(f"is a {kind} without '{key}'. Give {', '.join(row.needs)}.")
    readers = row.needs | row.may
    with Place(f"{home.source}: '{home.name}'", 0, 0).blamed():
        return row.make(home, **{key: readers[key](home, key, value) for key, value in given.items()})

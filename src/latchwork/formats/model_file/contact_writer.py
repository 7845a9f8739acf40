"""Contacts to model files: the shapes they were made of, by word, and their laws; what has no word is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, replace
from os import PathLike
from typing import Any

from latchwork.contact.curves import Curve, Surface
from latchwork.contact.law import Contact, Coulomb, Zones
from latchwork.contact.rolling_resistance import is_nothing
from latchwork.contact.shapes import Hull
from latchwork.errors import FileError
from latchwork.formats.expressions.literal import Literal, copied
from latchwork.formats.expressions.vector_text import vector_text
from latchwork.formats.model_file.constraint_writer import Texts
from latchwork.formats.model_file.contact_makers import CLASSES
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.model import Model
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import reachable

WORDS = {kind: word for word, kind in CLASSES.items()}
FACE = {"beam": None, "side": 1, "height": 0.0, "ends": True}  # what is not written of the curve of a beam


def contact_text(texts: Texts, model: Model, contact: Contact) -> dict[str, Any]:
    """The entry of a contact, without what is as usual."""
    if len(contact.shapes) != 2:
        raise FileError(f"'{contact.name}' was made without shapes: it cannot be written to a file. Leave it out, and "
                        "add it after loading.")  # fmt: skip
    both = all(isinstance(shape, Curve | Surface) for shape in contact.shapes)
    suffixes = ("1", "2") if both else ("", "")
    a, b = (ShapeText(texts, model, contact.name, suffix).side(shape)
            for shape, suffix in zip(contact.shapes, suffixes, strict=True))  # fmt: skip
    written = {"a": a, "b": b}
    if isinstance(contact.restitution, Zones) or contact.restitution != 0.0:
        written["restitution"] = value_text(texts, contact.restitution)
    if contact.friction is not None:
        written["friction"] = friction_text(texts, contact.friction)
    if not is_nothing(contact.adhesion):
        written["adhesion"] = value_text(texts, contact.adhesion)
    return written if contact.impact == "newton" else {**written, "impact": contact.impact}


def limit_text(texts: Texts, model: Model, contact: Contact) -> dict[str, Any]:
    """The entry of the limits of a joint, without what is as usual."""
    assert contact.bounds is not None
    q, low, high = contact.bounds
    joint = next((link.name for link in model.links.values() if link.q[:1] == (q,)), None)
    if joint is None:
        raise FileError(f"'{contact.name}' limits '{q}', which is no coordinate of a joint of the model: it cannot be "
                        "written to a file. Leave it out, and add it after loading.")  # fmt: skip
    bounds = {key: texts.scalar(bound) for key, bound in (("low", low), ("high", high)) if bound is not None}
    usual = not isinstance(contact.restitution, Zones) and contact.restitution == 0.0
    return {"joint": joint, **bounds} | ({} if usual else {"restitution": value_text(texts, contact.restitution)})


def without_shapes(texts: Texts, contacts: Sequence[Contact], word: str) -> dict[str, dict[str, Any]]:
    """The entries of friction of joints, ropes or one-way clutches, without what is as usual."""
    written = {}
    for contact in contacts:
        if word in contact.recipe:
            usual = not isinstance(contact.restitution, Zones) and contact.restitution == 0.0
            made = dict(contact.recipe[word]) | ({} if usual else {"restitution": contact.restitution})
            written[contact.name] = {
                key: value_text(texts, value) if isinstance(value, Zones | Expr | float) else value.name
                for key, value in made.items()
            }
    return written


def value_text(texts: Texts, value: Any) -> Any:
    if not isinstance(value, Zones):
        return texts.scalar(value)
    bounds, values = ([texts.scalar(each) for each in row] for row in (value.bounds, value.values))
    return {"zones": {"along": texts.scalar(value.x), "bounds": bounds, "values": values}}


def friction_text(texts: Texts, friction: Coulomb) -> Any:
    turns = {key: length for key in ("rolling", "pivoting") if not is_nothing(length := getattr(friction, key))}
    if friction.dynamic is None and not isinstance(friction.mu, Zones) and not turns:
        return texts.scalar(friction.mu)
    given = turns if friction.dynamic is None else {"dynamic": friction.dynamic, **turns}
    return {"static": value_text(texts, friction.mu), **{key: value_text(texts, each) for key, each in given.items()}}


def _is_of_numbers(shape: Any) -> bool:
    """Whether a hull was made of numbers or a mesh, not of points of the model."""
    if not isinstance(shape, Hull):
        return False
    return isinstance(shape.points, (str, PathLike)) or not isinstance(shape.points[0], Point)


class ShapeText:
    """The shapes of one contact; ``suffix`` tells the parameters of two curves apart, as their symbols have it."""

    def __init__(self, texts: Texts, model: Model, contact: str, suffix: str) -> None:
        self.texts, self.model, self.contact, self.suffix = texts, model, contact, suffix

    def side(self, shape: Any) -> Any:
        """A point by its name, or a shape by its word."""
        if isinstance(shape, Body):
            shape = shape.center
        if isinstance(shape, Point):
            return shape.name
        if isinstance(shape, Curve) and shape.recipe is not None:
            return {"face": {key: self._text(value) for key, value in shape.recipe.items() if value != FACE[key]}}
        if type(shape) not in WORDS:
            raise FileError(
                f"contact '{self.contact}' has {shape!r:.60}, which has no word in model files. Give a shape of "
                f"Latchwork's own: {', '.join(CLASSES)}."
            )
        given = {key: SPECIAL[key](self, shape) if key in SPECIAL else self._text(value)
                 for key, value in _given(shape)}  # fmt: skip
        if _is_of_numbers(shape):
            given["vertices"] = given.pop("points")
        return {WORDS[type(shape)]: given}

    def points(self, shape: Any) -> list[Any]:
        """Corners: points of the body, or the numbers that a hull was made of."""
        if _is_of_numbers(shape):
            return [[self.texts.scalar(float(x)) for x in row] for row in shape.vertices]
        return [point.name for point in shape.points]

    def _text(self, value: Any) -> Any:
        if isinstance(value, (str, bool)):
            return str(value).lower()
        if isinstance(value, (list, tuple)):
            return [self._text(each) for each in value]
        if isinstance(value, Vector):
            return self.texts.vector(value)
        if isinstance(value, (Frame, Link, Body)):
            return self._part(value)
        return value.name if isinstance(value, Point) else self.texts.scalar(value)

    def _part(self, part: Frame | Link | Body) -> str:
        """What a shape is fixed in: its body where the name means nothing else, else its frame."""
        if not isinstance(part, Body):
            return part.name
        if part.frame is None:
            return self.model.frame.name
        taken = part.name in self.model.frames or part.name in self.model.links
        return part.frame.name if taken else part.name

    def function(self, shape: Curve | Surface) -> str:
        """The expression of a curve or surface, in the parameters that it has in a file."""
        g = self.model.graph
        known = {symbol.name: Expr(g, node) for node, symbol in g.symbols.items() if symbol.kind == "auxiliary"}
        own = [known[f"{self.contact}.{letter}{self.suffix}"] for letter in shape.letters]
        v, mine = shape.shape(*own), {symbol.node: letter for symbol, letter in zip(own, shape.letters, strict=True)}
        nodes = reachable(g, [node for part in v.parts.values() for node in part if node != ZERO])
        taken = {g.symbols[i].name for i in nodes if i in g.symbols and i not in mine} & set(shape.letters)
        if taken:
            raise self._refused(shape, f"another symbol is called {' or '.join(sorted(taken))}")
        literal = Literal(_renamed(g, mine))
        written = vector_text(literal, v)
        if literal.let:
            raise self._refused(shape, "it is too long")
        return written

    def _refused(self, shape: Curve | Surface, why: str) -> FileError:
        return FileError(
            f"the {shape.what} of contact '{self.contact}' cannot be written: {why}. Rename the symbol, or write a "
            "shorter expression."
        )


# Arguments of shapes that are no single values.
SPECIAL: dict[str, Callable[[ShapeText, Any], Any]] = {
    "shape": ShapeText.function,
    "points": ShapeText.points,
    "pieces": lambda text, boundary: [text.side(piece) for piece in boundary.pieces],
}


def _given(shape: Any) -> list[tuple[str, Any]]:
    """What a shape was given, besides what it would have anyway."""
    kept: dict[str, Any] = getattr(shape, "given", {})
    found = [(f, kept.get(f.name, getattr(shape, f.name))) for f in fields(shape) if f.init]
    return [(f.name, value) for f, value in found if f.default is MISSING or not _is_usual(value, f.default)]


def _is_usual(value: Any, usual: Any) -> bool:
    return value is usual or (isinstance(value, (bool, int, float, tuple)) and value == usual)


def _renamed(g: Graph, names: dict[int, str]) -> Graph:
    """A graph with the same nodes, some symbols by other names, which no other symbol has there."""
    twin, taken = copied(g), set(names.values())
    twin.symbols = {i: replace(symbol, name=names.get(i, symbol.name)) for i, symbol in g.symbols.items()
                    if i in names or symbol.name not in taken}  # fmt: skip
    return twin

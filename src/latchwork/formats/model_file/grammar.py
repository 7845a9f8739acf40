"""What the tables of model files are made of: mappings, lists, choices of form, and kinds of single values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from latchwork.contact.impact.laws import LAWS
from latchwork.mechanics.joints import JOINTS


@dataclass(frozen=True)
class Shape:
    """A mapping with these keys; of ``one_of``, exactly one is given."""

    name: str
    fields: Mapping[str, Field]
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True)
class Named:
    """A mapping from names that the file gives to items, no more than ``most`` where that is given."""

    item: Item
    most: int = 0


@dataclass(frozen=True)
class Listed:
    """A list of items; with ``or_one`` a single item stands for a list of one.

    ``count`` fixes the length; ``most`` bounds it.
    """

    item: Item
    or_one: bool = False
    count: int = 0
    most: int = 0


@dataclass(frozen=True)
class Either:
    """A single value, or a mapping."""

    single: str
    shape: Shape


Item = str | Shape | Named | Listed | Either  # a text names a row of KINDS


@dataclass(frozen=True)
class Field:
    """What stands under a key, and what it means."""

    item: Item
    about: str
    needed: bool = False


# Kinds of values that are one of a few words.
CHOICES: dict[str, tuple[str, ...]] = {
    "joint type": tuple(JOINTS),
    "law of impact": tuple(LAWS),
    "kind of table": ("held", "linear"),
    "kind of record": ("steps", "samples"),
    "way to audit": ("raise", "warn", "off"),
    "kind of sequence": ("sobol", "halton", "latin", "saltelli"),
    "stiff method": ("Radau", "BDF", "LSODA"),
}

# Kinds of single values, and what they are, in words.
KINDS: dict[str, str] = {
    "version": "the number 1",
    "text": "any text",
    "truth": "true or false",
    "name": "a name: letters, digits and _, starting with a letter",
    "number": "a number, or an expression of numbers such as pi/12",
    "value": "a number, an expression of numbers, or null where a run must give it",
    "scalar": "a scalar expression",
    "definition": "a scalar expression linear in dt(q), or null for a speed that a joint defines",
    "vector": "a vector expression such as L*A.x + q1*A.y; 0 is the zero vector",
    "expression": "a scalar or vector expression",
    "frame": "the name of a frame, or of the joint or body that carries it",
    "point": "the name of a point, or of the joint (its origin) or body (its mass centre) it belongs to",
    "joint": "the name of a joint",
    "count": "a whole number, 1 or more",
    "bits": "a whole number from 0 to 2147483647, whose bits say what collides",
    "guard": "a scalar expression, which acts where it falls through zero",
    "output": "a scalar or vector expression, or the name of a point for its position",
    **{kind: f"one of {', '.join(words)}" for kind, words in CHOICES.items()},
}

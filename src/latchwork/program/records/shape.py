"""What a record is made of: its fields, where they are, and where its arrays begin once their sizes are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Any

NUMBERS = ("i64", "f64")
ELEMENTS = {"f64p": 1.0, "i64p": 1.0, "i32p": 0.5}  # words of an element
CALLED = ("executor", "solver", "routine")
KINDS = (*NUMBERS, *ELEMENTS, *CALLED)
NOTHING: dict[str, Any] = {"__builtins__": {}}
OPEN = "..."  # the size of what is behind all else


@dataclass(frozen=True, eq=False)
class Field:
    """A field: its type, where it is in the fixed part and how long; elements of an array, or its size as text."""

    name: str
    type: str  # of the kernel language; 'Name' is a record, 'Name[]' records one after the other
    word: int
    words: int
    count: int | None = None
    size: str = ""
    front: bool = False
    is_pointer: bool = False

    @cached_property
    def is_number(self) -> bool:
        return self.type in NUMBERS

    @cached_property
    def is_address(self) -> bool:
        """Whether the word says where something outside the block is."""
        is_array = bool(self.size) or self.count is not None
        return self.is_pointer or self.type in CALLED or (self.type in ELEMENTS and not is_array)

    @cached_property
    def unit(self) -> float:
        """Words of an element of an array."""
        return ELEMENTS.get(self.type) or SHAPES[self.type[:-2]].words

    def room(self, count: int) -> int:
        """Words of so many elements."""
        return int(count * self.unit + 0.5)


@dataclass(frozen=True, eq=False)
class Shape:
    """What a record is made of: its fields by name, and so many words of its own."""

    name: str
    fields: dict[str, Field]
    words: int
    laid_out: tuple[Field, ...]  # arrays of a size known when it is laid out, those in front first
    sizes: CodeType  # their elements, as a tuple
    given: frozenset[str]  # the integers that sizes are made of
    module: str

    @cached_property
    def order(self) -> dict[str, int]:
        """Which of the arrays laid out has a name."""
        return {field.name: i for i, field in enumerate(self.laid_out)}

    def counts(self, given: dict[str, int]) -> tuple[int, ...]:
        """Elements of the arrays laid out; none of what is open."""
        counts: tuple[int, ...] = eval(self.sizes, NOTHING, given)
        return counts

    @cached_property
    def layout(self) -> Callable[..., tuple[int, int, tuple[int, ...]]]:
        """A function of ``given``: words in front, words of all, and what the record's own words are at first."""
        made: dict[str, Any] = {}
        exec(_layout(self), NOTHING, made)
        layout: Callable[..., tuple[int, int, tuple[int, ...]]] = made["layout"]
        return layout

    @property
    def parts(self) -> list[Shape]:
        """Records that are inside, or pointed to."""
        kinds = dict.fromkeys(field.type.removesuffix("[]") for field in self.fields.values())
        return [SHAPES[kind] for kind in kinds if kind in SHAPES]

    @property
    def has_addresses(self) -> bool:
        """Whether its bytes mean something in this process only."""
        inside = [field.type.removesuffix("[]") for field in self.fields.values() if not field.is_address]
        return any(field.is_address for field in self.fields.values()) or any(
            SHAPES[kind].has_addresses for kind in inside if kind in SHAPES)  # fmt: skip


def _layout(shape: Shape) -> str:
    """The text of `Shape.layout`: ``end_i`` is where array i ends, were the record itself without words."""
    sized, fronts = [field for field in shape.laid_out if field.size != OPEN], [f for f in shape.laid_out if f.front]
    lines, own = [f"def layout({', '.join(shape.given)}):", " end_0 = 0"], ["0"] * shape.words
    for i, field in enumerate(sized):
        room = f"({field.size} + 1) // 2" if field.type == "i32p" else f"({field.size}) * {int(field.unit)}"
        lines.append(f" end_{i + 1} = end_{i} + {room}")
    for name in shape.given:
        own[shape.fields[name].word] = name
    for i, field in enumerate(shape.laid_out):
        own[field.word] = f"end_{i} - start" if field.front else f"end_{i} - start + {shape.words}"
    result = f" return start, end_{len(sized)} + {shape.words}, ({', '.join(own)},)"
    return "\n".join([*lines, f" start = end_{len(fronts)}", result])


SHAPES: dict[str, Shape] = {}  # by the name of their type


def shape_of(kind: Any) -> Shape | None:
    """The shape of a record class; None for anything else."""
    return SHAPES.get(f"{kind.__module__}.{kind.__qualname__}") if isinstance(kind, type) else None


def words_of(kind: type, *fields: str) -> tuple[int, ...]:
    """Where fields are in a record: their values, or where their arrays begin."""
    shape = shape_of(kind)
    assert shape is not None, "it is a record"
    return tuple([shape.fields[field].word for field in fields])

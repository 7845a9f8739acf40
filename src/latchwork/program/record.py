"""Records of the kernel language: named fields over 8-byte words, the same in Python, LLVM and C.

    @record
    class Mode:
        n: i64                                 # a word
        limit: f64
        run: executor                          # the address of machine code
        code: i32p                             # the address of numbers elsewhere
        axis: f64p = array(3)                  # inside the record
        weight: f64p = array("n")              # in the same block, behind the record: a size known when it is laid out
        notes: Notes                           # another record, inside
        parent: Node = pointer()               # another record, by its address
        contacts: list[Contact] = array("n")   # records one after the other

    @kernel
    def last(mode: Mode) -> f64:
        return mode.weight[mode.n - 1] * mode.limit

An array whose size is known when the record is laid out is a word that says how many words further on it begins, so
that a block can be copied, compared and written down as bytes: nothing in it says where it is. Its size is arithmetic
on integer fields of the record; such a field is set when the record is laid out, and stays. ``array(size, front=True)``
lies in front of the record, for memory that others fill from its beginning; ``array(...)``, the last field, is what a
block has behind all else. Python's view of a record is in `record_view`, its memory in `record_memory`.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from types import CodeType
from typing import Any, NamedTuple, TypeVar

from latchwork.errors import ProgramError

T = TypeVar("T")
NUMBERS = ("i64", "f64")
ELEMENTS = {"f64p": 1.0, "i64p": 1.0, "i32p": 0.5}  # words of an element
CALLED = ("executor", "solver", "routine")
KINDS = (*NUMBERS, *ELEMENTS, *CALLED)
OPEN = "..."  # the size of what is behind all else
ARITHMETIC = (ast.Expression, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Name, ast.Load, ast.Constant)


class Room(NamedTuple):
    """How a field that is no plain word is kept: so many elements, or an address."""

    size: int | str = 0
    front: bool = False
    is_pointer: bool = False


def array(size: Any, front: bool = False) -> Any:
    """So many elements in the record's block: a number, arithmetic on integer fields, or ``...`` for all the rest."""
    return Room(OPEN if size is ... else size, front)


def pointer() -> Any:
    """A record by its address."""
    return Room(is_pointer=True)


@dataclass(frozen=True)
class Field:
    """A field: its type, where it is in the fixed part and how long; elements of an array, or its size as text."""

    name: str
    type: str  # of the kernel language; 'Name' a record, 'Name[]' records one after the other
    word: int
    words: int
    count: int | None = None
    size: str = ""
    front: bool = False
    is_pointer: bool = False

    @property
    def is_number(self) -> bool:
        return self.type in NUMBERS

    @property
    def is_address(self) -> bool:
        """Whether the word says where something outside the block is."""
        is_array = bool(self.size) or self.count is not None
        return self.is_pointer or self.type in CALLED or (self.type in ELEMENTS and not is_array)

    @property
    def unit(self) -> float:
        """Words of an element of an array."""
        return ELEMENTS.get(self.type) or SHAPES[self.type[:-2]].words


@dataclass(frozen=True)
class Shape:
    """What a record is made of: its fields by name, and so many words of its own."""

    name: str
    fields: dict[str, Field]
    words: int
    sizes: CodeType  # of all arrays laid out, as a tuple
    given: frozenset[str]  # the integers that sizes are made of
    module: str

    @property
    def laid_out(self) -> list[Field]:
        """Arrays of a size known when the record is laid out."""
        return [field for field in self.fields.values() if field.size]

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


SHAPES: dict[str, Shape] = {}  # by the name of their type


def shape_of(kind: Any) -> Shape | None:
    """The shape of a record class; None for anything else."""
    return SHAPES.get(f"{kind.__module__}.{kind.__qualname__}") if isinstance(kind, type) else None


def record(cls: type[T]) -> type[T]:
    """Make a class of annotated fields a record; see above."""
    from latchwork.program.record_view import view_class

    shape = _shape(cls)
    SHAPES[shape.name] = shape
    return view_class(cls, shape)


def _shape(cls: type) -> Shape:
    """Read the annotations of a class, and place its fields one after the other."""
    name, fields, word = f"{cls.__module__}.{cls.__qualname__}", dict[str, Field](), 0
    for field, annotation in cls.__annotations__.items():
        made = _field(cls, field, str(annotation), cls.__dict__.get(field, None), word)
        fields[field] = made
        word += made.words
    if not fields:
        raise ProgramError(f"Record '{name}' has no fields. Give each one a name and a type.")
    sizes = [field.size for field in fields.values() if field.size]
    if OPEN in sizes[:-1]:
        raise ProgramError(f"Record '{name}': only the last array may be open ('...'); the sizes are {sizes}.")
    names = _names(cls, fields, sizes)
    text = "".join(f"{'0' if size == OPEN else size}," for size in sizes)
    return Shape(name, fields, word, compile(f"({text})", name, "eval"), names, cls.__module__)


def _field(cls: type, name: str, annotation: str, room: Any, word: int) -> Field:
    """One field, from its annotation and its default."""
    kind = _kind(cls, name, annotation)

    def refuse(why: str) -> ProgramError:
        return ProgramError(f"Record '{cls.__qualname__}', field '{name}: {annotation}': {why}")

    is_record, is_list = kind in SHAPES, kind.endswith("[]")
    if name.startswith("_"):
        raise refuse("its name begins with an underscore. Use another one.")
    if room is None:
        if is_list:
            raise refuse("how many are there? Give array(...).")
        if is_record and SHAPES[kind].laid_out:
            raise refuse("its size is known only when it is laid out. Keep it by pointer().")
        return Field(name, kind, word, SHAPES[kind].words if is_record else 1)
    if not isinstance(room, Room):
        raise refuse(f"{room!r} is no default. Give array(...) or pointer(), or values to lay_out.")
    if room.is_pointer:
        if not is_record:
            raise refuse("only a record is kept by pointer(). Pointers to numbers are plain f64p, i64p, i32p.")
        return Field(name, kind, word, 1, is_pointer=True)
    if kind not in ELEMENTS and not is_list:
        raise refuse("only f64p, i64p, i32p and lists of records are arrays.")
    if is_list and SHAPES[kind[:-2]].laid_out:
        raise refuse("records in a list have arrays of a fixed size only.")
    if isinstance(room.size, int):
        if room.size <= 0 or room.front:
            raise refuse(f"the size {room.size} is not positive, or it is to lie in front, where sizes are texts.")
        return Field(name, kind, word, _whole(room.size * Field(name, kind, 0, 0).unit), room.size)
    return Field(name, kind, word, 1, None, room.size, room.front)


def _whole(words: float) -> int:
    """Words are not divided."""
    return int(words + 0.5)


def _kind(cls: type, name: str, annotation: str) -> str:
    """The type of the kernel language that an annotation names."""
    if annotation in KINDS:
        return annotation
    inner = annotation.removeprefix("list[").removesuffix("]")
    shape = shape_of(vars(sys.modules[cls.__module__]).get(inner))
    if shape is None:
        raise ProgramError(
            f"Record '{cls.__qualname__}', field '{name}': '{annotation}' is no type of a field. Use one of "
            f"{', '.join(KINDS)}, a record defined above it, or a list of those."
        )
    return shape.name if inner == annotation else f"{shape.name}[]"


def _names(cls: type, fields: dict[str, Field], sizes: list[str]) -> frozenset[str]:
    """The integer fields that sizes are made of; anything but arithmetic on them is refused."""
    names = set[str]()
    for size in [size for size in sizes if size != OPEN]:
        nodes = list(ast.walk(ast.parse(size, mode="eval")))
        found = {node.id for node in nodes if isinstance(node, ast.Name)}
        poor = [node for node in nodes if not isinstance(node, ARITHMETIC)]
        if poor or any(name not in fields or fields[name].type != "i64" for name in found):
            raise ProgramError(
                f"Record '{cls.__qualname__}': the size '{size}' is no sum, difference, product or quotient (//) of "
                f"its integer fields and of numbers. They are: {[f.name for f in fields.values() if f.type == 'i64']}."
            )
        names |= found
    return frozenset(names)



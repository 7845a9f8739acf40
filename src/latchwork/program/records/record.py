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
block has behind all else. Python's view of a record is in `view`, its memory in `memory`.
"""

from __future__ import annotations

import ast
import sys
from typing import Any, NamedTuple, TypeVar

from latchwork.errors import ProgramError
from latchwork.program.records.shape import ELEMENTS, KINDS, OPEN, SHAPES, Field, Shape, shape_of
from latchwork.program.records.view import view_class

T = TypeVar("T")
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


def record(cls: type[T]) -> type[T]:
    """Make a class of annotated fields a record; see above."""
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
    laid = [field for field in fields.values() if field.size]
    sizes = [field.size for field in laid]
    if OPEN in sizes[:-1]:
        raise ProgramError(f"Record '{name}': only the last array may be open ('...'); the sizes are {sizes}.")
    names, placed = _names(cls, fields, sizes), sorted(laid, key=lambda field: not field.front)
    counts = ["0" if field.size == OPEN else f"({field.size})" for field in placed]
    sized = compile(f"({''.join(f'{count}, ' for count in counts)})", name, "eval")
    return Shape(name, fields, word, tuple(placed), sized, names, cls.__module__)


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
    if room.size == OPEN and room.front:
        raise refuse("what is open lies behind all else, not in front.")
    if isinstance(room.size, int):
        if room.size <= 0 or room.front:
            raise refuse(f"the size {room.size} is not positive, or it is to lie in front, where sizes are texts.")
        return Field(name, kind, word, Field(name, kind, 0, 0).room(room.size), room.size)
    return Field(name, kind, word, 1, None, room.size, room.front)


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



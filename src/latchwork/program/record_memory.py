"""The memory of records: laid out from sizes, written at once, copied.

    mode = lay_out(Mode, n=3, limit=0.5, weight=[1.0, 2.0, 3.0])
    copied(mode) == mode  # bytes
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from latchwork.errors import ProgramError
from latchwork.program.record import Field, Shape, shape_of
from latchwork.program.record_view import WORD, _word, content, extent, record_at, restored

T = TypeVar("T")


def lay_out(kind: type[T], tail: int = 0, **values: Any) -> T:
    """A record in a block of its own, zero where no value is given; ``tail`` words behind it are open."""
    shape = _known(kind, values)
    sizes = {name: _word(shape.fields[name], shape, values[name]) for name in shape.given}
    rooms, start = _rooms(shape, sizes)
    made: Any = record_at(kind, np.zeros(shape.words + sum(rooms) + tail), start)
    front, behind = -start, shape.words
    for field, room in zip(shape.laid_out, rooms, strict=True):
        made._words[start + field.word] = front if field.front else behind
        front, behind = front + room * field.front, behind + room * (not field.front)
    for name, value in sizes.items():
        made._words[start + shape.fields[name].word] = value
    for name in set(values) - shape.given:
        _set(made, shape.fields[name], values[name])
    return made


def _known(kind: type, values: dict[str, Any]) -> Shape:
    """The shape of a record whose sizes are given, and no fields that it does not have."""
    shape = shape_of(kind)
    if shape is None:
        raise ProgramError(f"{kind!r} is no record. Mark the class with @record.")
    missing, unknown = sorted(shape.given - set(values)), sorted(set(values) - set(shape.fields))
    if missing or unknown:
        raise ProgramError(
            f"'{shape.name}' is laid out by {sorted(shape.given)}: missing are {missing}; no fields are {unknown}."
        )
    return shape


def _rooms(shape: Shape, sizes: dict[str, int]) -> tuple[list[int], int]:
    """Words of the arrays laid out, and how many of them are in front of the record."""
    counts = eval(shape.sizes, {"__builtins__": {}}, sizes)
    if any(count < 0 for count in counts):
        named = {field.name: count for field, count in zip(shape.laid_out, counts, strict=True) if count < 0}
        raise ProgramError(f"'{shape.name}' with {sizes} has arrays of {named} elements. Give sizes of 0 or more.")
    rooms = [int(count * field.unit + 0.5) for field, count in zip(shape.laid_out, counts, strict=True)]
    return rooms, sum(room for field, room in zip(shape.laid_out, rooms, strict=True) if field.front)


def _set(view: Any, field: Field, value: Any) -> None:
    """A value of a fresh record; arrays element by element."""
    if field.size or field.count is not None:
        place = getattr(view, field.name)
        if field.type.endswith("[]") or len(place) != len(value):
            raise ProgramError(f"'{view._shape.name}.{field.name}' has {len(place)} elements; {len(value)} are given.")
        for i, item in enumerate(value):
            place[i] = item
        return
    setattr(view, field.name, value)


def write(view: Any, *values: Any) -> None:
    """All fields of a record without arrays, in order: numbers as they are, all else as addresses."""
    view._packing.pack_into(view._words, WORD * view._start, *values)


def words_of(view: Any) -> np.ndarray:
    """The words of a record and of all its arrays, as numbers, in the memory where they are."""
    first, last = extent(view)
    return np.frombuffer(view._numbers[first:last])


def copied(view: T) -> T:
    """The same record in a block of its own."""
    return restored(type(view), *content(view))  # type: ignore[arg-type]

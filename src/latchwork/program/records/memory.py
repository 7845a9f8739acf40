"""The memory of records: laid out from sizes, written at once, copied.

    mode = lay_out(Mode, n=3, limit=0.5, weight=[1.0, 2.0, 3.0])
    copied(mode) == mode  # bytes
"""

from __future__ import annotations

from array import array
from collections import namedtuple
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import ProgramError
from latchwork.program.records.shape import ELEMENTS, Field, Shape, shape_of
from latchwork.program.records.view import WORD, content, elements, record_at, restored

T = TypeVar("T")
BLANKS = 1000  # sizes of records that are kept


def lay_out(kind: type[T], tail: int = 0, **values: Any) -> T:
    """A record in a block of its own, zero where no value is given; ``tail`` words behind it are open."""
    shape = _known(kind, values)
    sizes, counts = _sizes(shape, values)
    start, size, own = shape.layout(**sizes)
    made: Any = record_at(kind, np.zeros(size + tail), start)
    write(made, *own)
    for name in values.keys() - sizes.keys():
        field, i = shape.fields[name], shape.order.get(name)
        if i is not None:
            _fill(shape, field, elements(made, field, start + own[field.word], counts[i]), values[name])
        elif field.count is not None:
            _fill(shape, field, getattr(made, name), values[name])
        else:
            setattr(made, name, values[name])
    return made


class Blank(NamedTuple):
    """What records of the same sizes have in common: words of all, where the record begins, its own words at first, and
    where its fields are, arrays where their elements are."""

    size: int
    start: int
    own: NDArray[np.int64]
    at: dict[str, slice]

    def words(self) -> NDArray[np.int64]:
        """A new one, all else zero."""
        made = np.zeros(self.size, dtype=np.int64)
        made[self.start : self.start + len(self.own)] = self.own
        return made


def blank(kind: type, **sizes: int) -> Blank:
    """A record that is laid out by its sizes alone, worked out once for them."""
    return _blank(kind, tuple(sizes.items()))


@lru_cache(BLANKS)
def _blank(kind: type, sizes: tuple[tuple[str, int], ...]) -> Blank:
    shape = _known(kind, dict(sizes))
    given, counts = _sizes(shape, dict(sizes))
    start, size, own = shape.layout(**given)
    room = {field.name: field.room(count) for field, count in zip(shape.laid_out, counts, strict=True)}
    at = {}
    for name, field in shape.fields.items():
        first = start + (own[field.word] if name in room else field.word)
        at[name] = slice(first, first + room.get(name, field.words))
    return Blank(size, start, np.array(own, dtype=np.int64), at)


def _shape(kind: type) -> Shape:
    shape = shape_of(kind)
    if shape is None:
        raise ProgramError(f"{kind!r} is no record. Mark the class with @record.")
    return shape


def _known(kind: type, values: dict[str, Any]) -> Shape:
    """The shape of a record whose sizes are given, and no fields that it does not have."""
    shape = _shape(kind)
    if not shape.given <= values.keys() <= shape.fields.keys():
        missing, unknown = sorted(shape.given - values.keys()), sorted(values.keys() - shape.fields.keys())
        raise ProgramError(
            f"'{shape.name}' is laid out by {sorted(shape.given)}: missing are {missing}; no fields are {unknown}."
        )
    return shape


def _sizes(shape: Shape, values: dict[str, Any]) -> tuple[dict[str, int], tuple[int, ...]]:
    """The integers that sizes are made of, and the elements of the arrays laid out."""
    sizes = {name: values[name] for name in shape.given}
    for name, value in sizes.items():
        if type(value) is not int:
            raise ProgramError(f"'{shape.name}.{name}' is i64; {value!r} is {type(value).__name__}. Give an integer.")
    counts = shape.counts(sizes)
    if counts and min(counts) < 0:
        poor = {field.name: count for field, count in zip(shape.laid_out, counts, strict=True) if count < 0}
        raise ProgramError(f"'{shape.name}' with {sizes} has arrays of {poor} elements. Give sizes of 0 or more.")
    return sizes, counts


def _fill(shape: Shape, field: Field, place: Any, value: Any) -> None:
    """The elements of an array of numbers."""
    if field.type not in ELEMENTS or len(place) != len(value):
        raise ProgramError(
            f"'{shape.name}.{field.name}' has {len(place)} elements; {len(value)} are given, or they are no numbers."
        )
    if isinstance(value, np.ndarray):
        np.copyto(np.asarray(place), value, casting="same_kind")
    elif value:
        place[:] = array(place.format, value)


def size_of(kind: type) -> int:
    """The words of a record itself."""
    return _shape(kind).words


def write(view: Any, /, *values: Any, **named: Any) -> None:
    """All fields of a record without arrays: numbers as they are, all else as addresses; in order, or by name."""
    given = in_order(type(view), **named) if named else values
    view._packing.pack_into(view._words, WORD * view._start, *given)


def in_order(kind: type, /, **values: Any) -> tuple[Any, ...]:
    """The values of all fields of a record, in their order; those of an array inside one after the other."""
    fields = _shape(kind).fields
    if values.keys() != fields.keys():
        missing, unknown = sorted(fields.keys() - values.keys()), sorted(values.keys() - fields.keys())
        raise ProgramError(f"'{kind.__qualname__}' is given no value of {missing}; no fields are {unknown}. Give each.")
    if all([field.words == 1 for field in fields.values()]):
        return tuple([values[name] for name in fields])
    return tuple([word for name, field in fields.items() for word in _words(field, values[name])])


def _words(field: Field, value: Any) -> Any:
    """The values of a field, as many as it has words."""
    given = value if field.words > 1 else (value,)
    if len(given) != field.words:
        raise ProgramError(f"'{field.name}' has {field.words} elements; {len(given)} are given.")
    return given


def values(view: Any) -> Any:
    """The same, read: addresses as numbers; a tuple with the names of the fields."""
    kind: type = type(view)
    return _named(kind)._make(view._packing.unpack_from(view._words, WORD * view._start))


@cache
def _named(kind: type) -> Any:
    """Tuples of the fields of a record, each of which is one word."""
    shape = _shape(kind)
    if any(field.words != 1 for field in shape.fields.values()):
        raise ProgramError(f"'{shape.name}' has fields of several words. Read them one by one.")
    return namedtuple(kind.__name__, [*shape.fields])


def where(view: Any, field: str) -> tuple[int, int]:
    """Where in its block the array of a record begins, and the words of one element."""
    known: Field = view._shape.fields[field]
    return view._start + view._words[view._start + known.word], int(known.unit)


def block_of(view: Any) -> np.ndarray:
    """The block that a record lies in, as numbers: its words and whatever else is there."""
    return np.frombuffer(view._numbers)


def copied(view: T) -> T:
    """The same record in a block of its own."""
    return restored(type(view), *content(view))  # type: ignore[arg-type]

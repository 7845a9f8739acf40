"""Records in Python: views of a block of words whose attributes are the fields.

    mode = record_at(Mode, z, 12)              # the words that begin at z[12]
    mode.weight[2], last(mode), invoke(last, mode)

Numbers are Python's own; arrays are memoryviews of their length, so that a kernel run as Python cannot pass their end.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np

from latchwork.errors import ProgramError
from latchwork.program import kernel as language
from latchwork.program.records.shape import OPEN, SHAPES, Field, Shape, shape_of

T = TypeVar("T")
WORD, LARGEST = 8, 2**63  # bytes of a word; above its integers
KINDS: dict[str, type[View]] = {}  # view classes by the name of their type
AT = {"f64p": language.f64p_at, "i64p": language.i64p_at, "i32p": language.i32p_at,
      "executor": language.executor_at, "solver": language.solver_at, "routine": language.routine_at}  # fmt: skip


class View:
    """A record: the words of the block it lies in, and where it begins."""

    __slots__ = ("_arrays", "_numbers", "_start", "_words")
    __hash__ = None  # type: ignore[assignment]
    _shape: Shape
    _packing: struct.Struct
    _words: memoryview
    _numbers: Any
    _start: int
    _arrays: dict[str, Any]  # those laid out that were asked for: they stay where they are

    def __init__(self) -> None:
        raise ProgramError(f"'{self._shape.name}' is a view of memory. Make one by lay_out(...), or by record_at(...).")

    def __eq__(self, other: object) -> bool:
        """Equal bytes."""
        return isinstance(other, View) and type(self) is type(other) and content(self) == content(other)

    def __repr__(self) -> str:
        shown = (f"{name}={_shown(self, field)}" for name, field in self._shape.fields.items())
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._shape.has_addresses:
            raise ProgramError(f"'{self._shape.name}' holds addresses: they mean nothing elsewhere. Pickle numbers.")
        return restored, (type(self), *content(self))


def view_class(cls: type[T], shape: Shape) -> type[T]:
    """The class whose instances are views of a shape."""
    inside = {"__slots__": (), "__doc__": cls.__doc__, "__module__": cls.__module__, "__qualname__": cls.__qualname__,
              "_shape": shape, "_packing": _packing(shape)}  # fmt: skip
    made: Any = type(cls.__name__, (View,), inside | {f.name: _property(f, shape) for f in shape.fields.values()})
    KINDS[shape.name] = made
    return made


def _packing(shape: Shape) -> struct.Struct:
    """All words of a record: numbers, and all else as integers."""
    real = [f.type == "f64" or (f.type == "f64p" and f.count is not None) for f in shape.fields.values()]
    kinds = [f"{f.words}{'d' if is_real else 'q'}" for f, is_real in zip(shape.fields.values(), real, strict=True)]
    return struct.Struct("=" + "".join(kinds))


def _property(field: Field, shape: Shape) -> property:
    """Reading and writing one field."""
    word = field.word

    def refuse(self: View, value: Any) -> None:
        raise ProgramError(f"'{shape.name}.{field.name}' is part of the record. Write its elements or fields.")

    def fixed(self: View, value: Any) -> None:
        raise ProgramError(f"'{shape.name}.{field.name}' is the size of an array: it is set by lay_out, and stays.")

    def put_real(self: View, value: Any) -> None:
        self._numbers[self._start + word] = value if type(value) is float else word_of(field, shape, value)

    def put(self: View, value: Any) -> None:
        plain = type(value) is int and -LARGEST <= value < LARGEST
        self._words[self._start + word] = value if plain else word_of(field, shape, value)

    if field.type == "f64":
        return property(lambda self: self._numbers[self._start + word], put_real)
    if field.type == "i64":
        return property(lambda self: self._words[self._start + word], fixed if field.name in shape.given else put)
    if field.is_pointer:
        return property(lambda self: record_at(KINDS[field.type], language.i64p_at(self._words[self._start + word]), 0),
                        put)  # fmt: skip
    if field.is_address:
        at = AT[field.type]
        return property(lambda self: at(self._words[self._start + word]), put)
    if field.type in SHAPES:
        return property(lambda self: _view(KINDS[field.type], self._words, self._numbers, self._start + word), refuse)
    return property(lambda self: _array(self, field), refuse)


def word_of(field: Field, shape: Shape, value: Any) -> Any:
    """What is kept of a value; one of another type is refused."""
    wanted: Any = {"f64": float, "i64": int}.get(field.type, object)
    if not isinstance(value, wanted) or isinstance(value, bool):
        given = f"{value!r} is {type(value).__name__}"
        raise ProgramError(f"'{shape.name}.{field.name}' is {field.type}; {given}. Convert it with float() or int().")
    if field.type == "i64" and not -LARGEST <= int(value) < LARGEST:
        raise ProgramError(f"'{shape.name}.{field.name}' has 64 bits; {value} does not fit.")
    return value if field.is_number else address_of(value)


def address_of(value: Any) -> int:
    """Where something is: an integer says so itself."""
    if type(value) is int:
        return value
    if isinstance(value, View):
        return address_of(value._words) + WORD * value._start
    from latchwork.program.native import address, argument

    if isinstance(value, memoryview):
        return address(np.frombuffer(value, dtype=np.uint8)) if value.nbytes else 0
    return int(argument(value))


def _array(view: View, field: Field) -> Any:
    """The elements of an array."""
    if field.count is not None:
        return elements(view, field, view._start + field.word, field.count)
    found = view._arrays.get(field.name)
    if found is None:
        first, count = view._start + view._words[view._start + field.word], counts_of(view)[field.name]
        found = view._arrays[field.name] = elements(view, field, first, count)
    return found


def elements(view: View, field: Field, first: int, count: int) -> Any:
    """So many elements from a word on; records one after the other as a `Records`."""
    if field.type.endswith("[]"):
        return Records(KINDS[field.type[:-2]], view, first, count)
    if field.type == "i32p":
        return view._words[first : first + field.room(count)].cast("B").cast("i")[:count]
    return (view._numbers if field.type == "f64p" else view._words)[first : first + count]


def counts_of(view: View) -> dict[str, int]:
    """How many elements the arrays laid out have."""
    known: dict[str, int] | None = view._arrays.get("")
    if known is None:
        known = view._arrays[""] = _counted(view)
    return known


def _counted(view: View) -> dict[str, int]:
    shape = view._shape
    given = {name: view._words[view._start + shape.fields[name].word] for name in shape.given}
    counts = dict(zip([field.name for field in shape.laid_out], shape.counts(given), strict=True))
    last = shape.laid_out[-1]
    if last.size == OPEN:
        begin = view._start + view._words[view._start + last.word]
        counts[last.name] = int((len(view._words) - begin) / last.unit)
    return counts


class Records:
    """Records one after the other."""

    def __init__(self, kind: type[View], view: View, first: int, count: int) -> None:
        self._kind, self._view, self._first, self._count = kind, view, first, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, i: int) -> Any:
        if not 0 <= i < self._count:
            raise IndexError(f"{self._kind._shape.name} {i} of {self._count}")
        start = self._first + i * self._kind._shape.words
        return _view(self._kind, self._view._words, self._view._numbers, start)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self._count))


def _view(kind: type[Any], words: Any, numbers: Any, start: int) -> Any:
    made = object.__new__(kind)
    made._words, made._numbers, made._start, made._arrays = words, numbers, start, {}
    return made


def record_at(kind: type[T], p: Any, i: int) -> T:
    """The record that begins i words behind a pointer; in kernels too."""
    if not issubclass(kind, View):
        raise ProgramError(f"{kind!r} is no record. Mark the class with @record.")
    memory = p.reshape(-1).data if isinstance(p, np.ndarray) else p
    plain = memory.cast("B")
    made: T = _view(kind, plain.cast("q"), plain.cast("d"), i)
    return made


def local_record(kind: type[T]) -> T:
    """A record of scratch, in kernels, undefined until written; its arrays are of fixed size."""
    shape = shape_of(kind)
    if shape is None or shape.laid_out:
        raise ProgramError(f"{kind!r} is no record of a fixed size.")
    return record_at(kind, language.local_f64(shape.words), 0)


def extent(view: View) -> tuple[int, int]:
    """The first word of a record or of its arrays, and the one behind the last."""
    shape, first, last = view._shape, view._start, view._start + view._shape.words
    counts = counts_of(view) if shape.laid_out else {}
    for field in shape.laid_out:
        begin = view._start + view._words[view._start + field.word]
        first, last = min(first, begin), max(last, begin + field.room(counts[field.name]))
    return first, last


def content(view: View) -> tuple[bytes, int]:
    """The bytes of a record with its arrays, and the word where it begins in them."""
    first, last = extent(view)
    return bytes(view._words[first:last]), view._start - first


def restored(kind: type[T], content: bytes, start: int) -> T:
    """A record from its `content`."""
    return record_at(kind, np.frombuffer(content, dtype=np.int64).copy(), start)


def _shown(view: View, field: Field) -> str:
    """A value, an array by its elements, an address by its type."""
    if field.is_address:
        return f"<{field.type}>"
    value = getattr(view, field.name)
    if isinstance(value, memoryview):
        return str(value.tolist())
    return str(list(value)) if isinstance(value, Records) else repr(value)

"""Placement: where the arrays of a record begin, found by a kernel from the sizes in it.

What `memory.blank` works out in Python. The sizes are sums of products of a number and of at most two integer fields;
each such term is three words: the number, and the fields, −1 for none.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import ProgramError
from latchwork.program.kernel import i64, i64p, kernel
from latchwork.program.records.shape import OPEN, Shape, shape_of

HEAD, PER_ARRAY, PER_TERM = 3, 3, 3  # words of a placement: of all, of an array, and of a term of its size
NO_FIELD = -1
Terms = dict[tuple[str, ...], int]


@cache
def placement(kind: type) -> NDArray[np.int64]:
    """The arrays of a record, for `place_arrays`."""
    shape = shape_of(kind)
    if shape is None:
        raise ProgramError(f"{kind!r} is no record. Mark the class with @record.")
    words = [sum(field.front for field in shape.laid_out), len(shape.laid_out), shape.words]
    for field in shape.laid_out:
        terms = {} if field.size == OPEN else _terms(ast.parse(field.size, mode="eval").body)
        words += [field.word, 0 if field.type == "i32p" else int(field.unit), len(terms)]
        for names, number in terms.items():
            words += [number, *_fields(shape, names)]
    return np.array(words, dtype=np.int64)


def _fields(shape: Shape, names: tuple[str, ...]) -> list[int]:
    """The words of at most two fields."""
    if len(names) > PER_TERM - 1:
        raise ProgramError(f"'{shape.name}': a size has the product {' * '.join(names)}. Give products of two fields.")
    return [*[shape.fields[name].word for name in names], *[NO_FIELD] * (PER_TERM - 1 - len(names))]


def _terms(size: ast.expr) -> Terms:
    """A size as a sum of products."""
    match size:
        case ast.Constant(int() as number):
            return {(): number}
        case ast.Name(name):
            return {(name,): 1}
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            return _sum([(_terms(left), 1), (_terms(right), 1 if isinstance(op, ast.Add) else -1)])
        case ast.BinOp(left, ast.Mult(), right):
            others = _terms(right)
            return _sum([({tuple(sorted((*a, *b))): x * y for b, y in others.items()}, 1)
                         for a, x in _terms(left).items()])  # fmt: skip
    raise ProgramError(f"The size '{ast.unparse(size)}' is no sum of products. Use +, − and * alone.")


def _sum(parts: list[tuple[Terms, int]]) -> Terms:
    total: Terms = defaultdict(int)
    for terms, sign in parts:
        for names, number in terms.items():
            total[names] += sign * number
    return dict(total)


@kernel
def place_arrays(placement: i64p, own: i64p) -> i64:
    """Where the arrays of a record begin, into its own words, in which its sizes are; returns the words of all."""
    fronts, arrays, words, end, start, place = placement[0], placement[1], placement[2], 0, 0, HEAD
    for i in range(arrays):
        unit, count = placement[place + 1], 0
        own[placement[place]] = end
        terms = placement[place + 2]
        place += PER_ARRAY
        for _ in range(terms):
            product, a, b = placement[place], placement[place + 1], placement[place + 2]
            product *= own[a] if a != NO_FIELD else 1
            product *= own[b] if b != NO_FIELD else 1
            count += product
            place += PER_TERM
        end += unit * count if unit > 0 else (count + 1) // 2
        start = end if i == fronts - 1 else start
    place = HEAD
    for i in range(arrays):
        own[placement[place]] += -start if i < fronts else words - start
        place += PER_ARRAY + PER_TERM * placement[place + 2]
    return end + words

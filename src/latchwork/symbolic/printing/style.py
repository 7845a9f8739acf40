"""What a form of writing must provide, and the parts that the typeset forms have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from fractions import Fraction
from typing import NamedTuple

from latchwork.symbolic.exact import RATIONAL, Exact, rounded
from latchwork.symbolic.printing.numbers import typeset


class Level(IntEnum):
    """How tightly a piece holds together, loosest first."""

    COMPARE = 1
    OR = 2
    AND = 3
    SUM = 4
    PRODUCT = 5
    FACTOR = 6
    POWER = 7
    ATOM = 8


class Piece(NamedTuple):
    """Something written: its text, how tightly it holds together, and whether it reaches right, as sin x does."""

    body: str
    level: int
    reaches: bool = False


class Style(NamedTuple):
    """A form of writing: one function for each thing that can be written."""

    number: Callable[[float], Piece]
    symbol: Callable[[str, int], Piece]  # name, number of time derivatives
    sum: Callable[[Sequence[tuple[bool, Piece]]], Piece]  # (negative, term)
    product: Callable[[Sequence[float], Sequence[Piece], Sequence[float], Sequence[Piece]], Piece]  # top, under
    power: Callable[[Piece, Piece], Piece]
    call: Callable[[str, Sequence[Piece], int], Piece]  # name of the operation, arguments, whole exponent
    summary: Callable[[int, Sequence[Piece]], Piece]  # operations, symbols


def signed_sum(terms: Sequence[tuple[bool, Piece]], wrap: Callable[[Piece, int], str]) -> Piece:
    """Terms with their signs between them; 0 where there are none."""
    if not terms:
        return Piece("0", Level.ATOM)
    (negative, first), *rest = terms
    signed = [(" - " if minus else " + ") + wrap(piece, Level.PRODUCT) for minus, piece in rest]
    return Piece("-" * negative + wrap(first, Level.PRODUCT) + "".join(signed), Level.SUM)


def fractioned(
    number: Callable[[float], Piece],
    numbers: Sequence[float],
    factors: Sequence[Piece],
    under_numbers: Sequence[float],
    under: Sequence[Piece],
) -> tuple[list[Piece], list[Piece]]:
    """What to set above and below the bar: ½ x has no bar, x / (2 y) has one; functions come last."""
    ordered, below = (sorted(pieces, key=lambda piece: piece.reaches) for pieces in (factors, under))
    plain = [*map(number, numbers), *ordered] or [number(1.0)], [*map(number, under_numbers), *below]
    coefficient, unit = Fraction(1), RATIONAL
    for value, exponent in [(value, 1) for value in numbers] + [(value, -1) for value in under_numbers]:
        found = typeset(value)
        if found is None or (found.unit != RATIONAL and (unit != RATIONAL or exponent < 0)):
            return plain
        coefficient, unit = coefficient * found.c**exponent, unit if found.unit == RATIONAL else found.unit
    q = coefficient.denominator if below else 1
    p = rounded(Exact(coefficient * q, unit))
    return [number(p)] * (p != 1.0 or not ordered) + ordered, [number(q)] * (q != 1) + below

"""Expressions as program text: Python's operators, the package's functions, numbers that read back exactly."""

from __future__ import annotations

from collections.abc import Sequence

from latchwork.symbolic.printing.numbers import plain
from latchwork.symbolic.printing.style import Level, Piece, Style, signed_sum

INFIX = {
    "lt": (" < ", Level.COMPARE),
    "le": (" <= ", Level.COMPARE),
    "and": (" & ", Level.AND),
    "or": (" | ", Level.OR),
}
WORDS = {"eq": "equal", "select": "where"}


def wrap(piece: Piece, level: int) -> str:
    """The piece, in parentheses where it holds together more loosely than asked."""
    return piece.body if piece.level >= level else f"({piece.body})"


def number(value: float) -> Piece:
    body = plain(value)
    return Piece(body, Level.FACTOR if body[0] == "-" else Level.PRODUCT if set("/*") & set(body) else Level.ATOM)


def symbol(name: str, dots: int) -> Piece:
    return Piece("dt(" * dots + name + ")" * dots, Level.ATOM)


def total(terms: Sequence[tuple[bool, Piece]]) -> Piece:
    return signed_sum(terms, wrap)


def product(
    numbers: Sequence[float], factors: Sequence[Piece], under: Sequence[float], below: Sequence[Piece]
) -> Piece:
    top = [*map(number, numbers), *factors] or [Piece("1", Level.ATOM)]
    bottom = [*map(number, under), *below]
    if len(top) == 1 and not bottom:
        return top[0]
    body = "*".join([wrap(top[0], Level.PRODUCT), *(wrap(piece, Level.FACTOR) for piece in top[1:])])
    if bottom:
        divisor = "*".join(wrap(piece, Level.FACTOR) for piece in bottom)
        body += f"/({divisor})" if len(bottom) > 1 else f"/{divisor}"
    return Piece(body, Level.PRODUCT)


def power(base: Piece, exponent: Piece) -> Piece:
    return Piece(f"{wrap(base, Level.ATOM)}**{wrap(exponent, Level.ATOM)}", Level.POWER)


def call(name: str, args: Sequence[Piece], exponent: int) -> Piece:
    if exponent != 1:
        return power(call(name, args, 1), number(exponent))
    if name == "pow":
        return power(*args)
    if name == "not":
        return Piece("~" + wrap(args[0], Level.ATOM), Level.FACTOR)
    if name in INFIX:
        sign, level = INFIX[name]
        return Piece(sign.join(wrap(piece, level + 1) for piece in args), level)
    return Piece(f"{WORDS.get(name, name)}({', '.join(piece.body for piece in args)})", Level.ATOM)


def summary(operations: int, symbols: Sequence[Piece]) -> Piece:
    return Piece(f"<{operations} operations of {', '.join(piece.body for piece in symbols)}>", Level.ATOM)


TEXT = Style(number, symbol, total, product, power, call, summary)

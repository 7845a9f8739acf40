"""Expressions as presentation MathML (the core elements only)."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from latchwork.symbolic.exact import PI, RATIONAL
from latchwork.symbolic.printing.names import GREEK, split_name
from latchwork.symbolic.printing.numbers import decimal, typeset
from latchwork.symbolic.printing.style import Level, Piece, Style, fractioned

TIMES, THIN, DOT, MINUS = "<mo>&#x2062;</mo>", '<mspace width="0.17em"/>', "<mo>&#xB7;</mo>", "<mo>&#x2212;</mo>"
ACCENTS = {1: "<mo>&#x2D9;</mo>", 2: "<mo>&#xA8;</mo>"}
INFIX = {
    "lt": ("<mo>&lt;</mo>", Level.COMPARE), "le": ("<mo>&#x2264;</mo>", Level.COMPARE),
    "eq": ("<mo>=</mo>", Level.COMPARE), "and": ("<mo>&#x2227;</mo>", Level.AND),
    "or": ("<mo>&#x2228;</mo>", Level.OR),
}  # fmt: skip
FUNCTIONS = {name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "min", "max", "atan2")} | {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln", "sign": "sgn",
    "asinh": "arsinh", "acosh": "arcosh", "atanh": "artanh",
}  # fmt: skip
UNITS = {RATIONAL: "", PI: "<mi>π</mi>", 2: "<msqrt><mn>2</mn></msqrt>", 3: "<msqrt><mn>3</mn></msqrt>"}
AROUND = {
    "abs": "<mrow><mo>|</mo>{}<mo>|</mo></mrow>",
    "sqrt": "<msqrt>{}</msqrt>",
    "exp": "<msup><mi>e</mi>{}</msup>",
}


def row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def in_parentheses(*parts: str) -> str:
    return row("<mo>(</mo>", *parts, "<mo>)</mo>")


def in_brackets(*parts: str) -> str:
    return row("<mo>[</mo>", *parts, "<mo>]</mo>")


def wrap(piece: Piece, level: int) -> str:
    """The piece, in parentheses where it holds together more loosely than asked."""
    return piece.body if piece.level >= level else in_parentheses(piece.body)


def number(value: float) -> Piece:
    if value < 0:
        return Piece(row(MINUS, number(-value).body), Level.SUM)
    found = typeset(value)
    if found is not None and (found.c.denominator != 1 or found.unit != RATIONAL):
        p, q = found.c.as_integer_ratio()
        parts = [f"<mn>{p}</mn>"] * (p != 1 or found.unit == RATIONAL) + [UNITS[found.unit]] * (found.unit != RATIONAL)
        top = parts[0] if len(parts) == 1 else row(TIMES.join(parts))
        if q == 1:
            return Piece(top, Level.PRODUCT if p != 1 else Level.FACTOR)
        return Piece(f"<mfrac>{top}<mn>{q}</mn></mfrac>", Level.FACTOR)
    mantissa, _, exponent = decimal(value).partition("e")
    if exponent:
        front = "" if mantissa == "1" else f"<mn>{mantissa}</mn>{DOT}"
        return Piece(row(front, f"<msup><mn>10</mn>{number(float(exponent)).body}</msup>"), Level.PRODUCT)
    return Piece(f"<mn>{mantissa}</mn>", Level.ATOM)


def letters(word: str) -> str:
    return f"<mn>{word}</mn>" if word.isdigit() else f"<mi>{escape(GREEK.get(word, word))}</mi>"


def symbol(name: str, dots: int) -> Piece:
    base, subscripts = split_name(name)
    body = letters(base)
    if dots:
        body = f'<mover>{body}{ACCENTS[dots]}</mover>'
    if not subscripts:
        return Piece(body, Level.ATOM)
    below = "<mo>,</mo>".join(map(letters, subscripts))
    return Piece(f"<msub>{body}{row(below) if len(subscripts) > 1 else below}</msub>", Level.ATOM)


def total(terms: Sequence[tuple[bool, Piece]]) -> Piece:
    if not terms:
        return number(0.0)
    (negative, first), *rest = terms
    signed = [(MINUS if minus else "<mo>+</mo>") + wrap(piece, Level.PRODUCT) for minus, piece in rest]
    return Piece(row(MINUS * negative, wrap(first, Level.PRODUCT), *signed), Level.SUM)


def product(
    numbers: Sequence[float], factors: Sequence[Piece], under: Sequence[float], below: Sequence[Piece]
) -> Piece:
    top, bottom = fractioned(number, numbers, factors, under, below)
    if bottom:
        return Piece(f"<mfrac>{_joined(top).body}{_joined(bottom).body}</mfrac>", Level.FACTOR)
    return _joined(top)


def _joined(pieces: Sequence[Piece]) -> Piece:
    """Factors side by side, with a dot where two numbers would meet."""
    if len(pieces) == 1:
        return pieces[0]
    parts = [wrap(pieces[0], Level.PRODUCT)]
    for piece in pieces[1:]:
        factor = wrap(piece, Level.FACTOR)
        apart = THIN if piece.reaches else TIMES  # a function's name stands apart from the factor before it
        parts += [DOT if factor.startswith(("<mn>", "<msup><mn>")) else apart, factor]
    return Piece(row(*parts), Level.PRODUCT, pieces[-1].reaches)


def power(base: Piece, exponent: Piece) -> Piece:
    return Piece(f"<msup>{wrap(base, Level.ATOM)}{exponent.body}</msup>", Level.POWER)


def call(name: str, args: Sequence[Piece], exponent: int) -> Piece:
    bodies = [piece.body for piece in args]
    if name in FUNCTIONS:
        word = f"<mi>{FUNCTIONS[name]}</mi>"
        raised = f"<msup>{word}<mn>{exponent}</mn></msup>" if exponent != 1 else word
        bare = len(args) == 1 and args[0].level == Level.ATOM
        return Piece(
            row(raised, THIN, bodies[0] if bare else in_parentheses("<mo>,</mo>".join(bodies))), Level.FACTOR, True
        )
    if exponent != 1:
        return power(call(name, args, 1), number(exponent))
    if name == "pow":
        return power(*args)
    if name == "not":
        return Piece(row("<mo>&#xAC;</mo>", wrap(args[0], Level.ATOM)), Level.FACTOR)
    if name == "select":
        return Piece(_cases(*bodies), Level.FACTOR)
    if name in AROUND:
        return Piece(AROUND[name].format(bodies[0]), Level.POWER if name == "exp" else Level.ATOM)
    sign, level = INFIX[name]
    return Piece(row(sign.join(wrap(piece, level + 1) for piece in args)), level)


def _cases(condition: str, a: str, b: str) -> str:
    rows = table([[a, row("<mtext>if&#xA0;</mtext>", condition)], [b, "<mtext>otherwise</mtext>"]])
    return row("<mo>{</mo>", rows)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows and columns of MathML."""
    cells = ("".join(f"<mtd>{entry}</mtd>" for entry in entries) for entries in rows)
    return f"<mtable>{''.join(f'<mtr>{line}</mtr>' for line in cells)}</mtable>"


def summary(operations: int, symbols: Sequence[Piece]) -> Piece:
    names = "<mo>,</mo>".join(piece.body for piece in symbols)
    opening = f"<mo>&#x27E8;</mo><mn>{operations}</mn><mtext>&#xA0;operations of&#xA0;</mtext>"
    return Piece(row(opening, names, "<mo>&#x27E9;</mo>"), Level.ATOM)


MATHML = Style(number, symbol, total, product, power, call, summary)

"""Expressions as LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from latchwork.symbolic.exact import PI, RATIONAL
from latchwork.symbolic.printing.names import GREEK, SPELLED, split_name
from latchwork.symbolic.printing.numbers import decimal, typeset
from latchwork.symbolic.printing.style import Level, Piece, Style, fractioned, signed_sum

INFIX = {
    "lt": (" < ", Level.COMPARE), "le": (r" \le ", Level.COMPARE), "eq": (" = ", Level.COMPARE),
    "and": (r" \land ", Level.AND), "or": (r" \lor ", Level.OR),
}  # fmt: skip
AROUND = {"abs": r"\left|{}\right|", "sqrt": r"\sqrt{{{}}}", "exp": "e^{{{}}}"}
FUNCTIONS = {
    name: "\\" + name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "min", "max")
} | {
    "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "log": r"\ln", "sign": r"\operatorname{sgn}",
    "asinh": r"\operatorname{arsinh}", "acosh": r"\operatorname{arcosh}", "atanh": r"\operatorname{artanh}",
    "atan2": r"\operatorname{atan2}",
}  # fmt: skip
UNITS = {RATIONAL: "", PI: r"\pi", 2: r"\sqrt{2}", 3: r"\sqrt{3}"}
ESCAPED = {"\\": r"\backslash{}", "^": r"\text{\textasciicircum}", "~": r"\text{\textasciitilde}"}


def wrap(piece: Piece, level: int) -> str:
    """The piece, in parentheses where it holds together more loosely than asked."""
    return piece.body if piece.level >= level else rf"\left({piece.body}\right)"


def number(value: float) -> Piece:
    found = typeset(value)
    if found is not None and (found.c.denominator != 1 or found.unit != RATIONAL):
        sign, (p, q) = "-" if found.c < 0 else "", abs(found.c).as_integer_ratio()
        top = UNITS[found.unit] if p == 1 and found.unit != RATIONAL else f"{p} {UNITS[found.unit]}".rstrip()
        body = top if q == 1 else rf"\frac{{{top}}}{{{q}}}"
        return Piece(sign + body, Level.SUM if sign else Level.PRODUCT if q == 1 != p else Level.FACTOR)
    mantissa, _, exponent = decimal(value).partition("e")
    if exponent:
        front = "" if mantissa == "1" else rf"{mantissa} \cdot "
        return Piece(rf"{front}10^{{{exponent}}}", Level.SUM if value < 0 else Level.PRODUCT)
    return Piece(mantissa, Level.SUM if value < 0 else Level.ATOM)


def letters(word: str) -> str:
    """A Greek letter, a single letter or a number as it is, a word upright."""
    word = SPELLED.get(word, word)
    if word in GREEK:
        return "\\" + word
    if (len(word) == 1 and word.isalpha()) or word.isdigit():
        return word
    return rf"\mathrm{{{''.join(_escape(character) for character in word)}}}"


def _escape(character: str) -> str:
    if character.isalnum() or character == "'":
        return character
    return ESCAPED.get(character) or (rf"\{character}" if character in "#$%&_{}" else rf"\text{{{character}}}")


def symbol(name: str, dots: int) -> Piece:
    base, subscripts = split_name(name)
    body = letters(base)
    if dots:
        body = rf"\{'d' * dots}ot{{{body}}}"
    return Piece(body + (f"_{{{','.join(map(letters, subscripts))}}}" if subscripts else ""), Level.ATOM)


def total(terms: Sequence[tuple[bool, Piece]]) -> Piece:
    return signed_sum(terms, wrap)


def product(
    numbers: Sequence[float], factors: Sequence[Piece], under: Sequence[float], below: Sequence[Piece]
) -> Piece:
    top, bottom = fractioned(number, numbers, factors, under, below)
    if bottom:
        return Piece(rf"\frac{{{_joined(top).body}}}{{{_joined(bottom).body}}}", Level.FACTOR)
    return _joined(top)


def _joined(pieces: Sequence[Piece]) -> Piece:
    """Factors side by side, with a dot where two numbers would meet."""
    if len(pieces) == 1:
        return pieces[0]
    body = ""
    for piece in pieces:
        factor = wrap(piece, Level.FACTOR if body else Level.PRODUCT)
        dot = r" \cdot " if factor[0].isdigit() else " "
        body += (dot if body else "") + factor
    return Piece(body, Level.PRODUCT, pieces[-1].reaches)


def power(base: Piece, exponent: Piece) -> Piece:
    return Piece(f"{wrap(base, Level.ATOM)}^{{{exponent.body}}}", Level.POWER)


def call(name: str, args: Sequence[Piece], exponent: int) -> Piece:
    bodies = [piece.body for piece in args]
    if name in FUNCTIONS:
        raised = f"^{{{exponent}}}" if exponent != 1 else ""
        bare = len(args) == 1 and args[0].level == Level.ATOM
        return Piece(
            FUNCTIONS[name] + raised + (f" {bodies[0]}" if bare else rf"\left({', '.join(bodies)}\right)"),
            Level.FACTOR,
            True,
        )
    if exponent != 1:
        return power(call(name, args, 1), number(exponent))
    if name == "pow":
        return power(*args)
    if name == "not":
        return Piece(r"\lnot " + wrap(args[0], Level.ATOM), Level.FACTOR)
    if name == "select":
        rows = rf"{bodies[1]} & \text{{if }} {bodies[0]} \\ {bodies[2]} & \text{{otherwise}}"
        return Piece(rf"\begin{{cases}} {rows} \end{{cases}}", Level.FACTOR)
    if name in AROUND:
        return Piece(AROUND[name].format(bodies[0]), Level.POWER if name == "exp" else Level.ATOM)
    sign, level = INFIX[name]
    return Piece(sign.join(wrap(piece, level + 1) for piece in args), level)


def summary(operations: int, symbols: Sequence[Piece]) -> Piece:
    names = ", ".join(piece.body for piece in symbols)
    return Piece(rf"\langle {operations} \text{{ operations of }} {names} \rangle", Level.ATOM)


LATEX = Style(number, symbol, total, product, power, call, summary)

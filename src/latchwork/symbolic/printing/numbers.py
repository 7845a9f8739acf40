"""Constants as a reader sees them: 2 rather than 2.0, 1/3 rather than 0.3333333333333333, pi/36 as it was given."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from latchwork.symbolic.exact import MAX_MANTISSAS, PI, RATIONAL, Exact, exact, is_decimal, rounded

LARGEST_DENOMINATOR = 64
LARGEST_NUMERATOR = 1000
UNITS = {PI: "pi", 2: "sqrt(2)", 3: "sqrt(3)"}


def explained(value: float) -> Exact | None:
    """The number c · unit that a double is the nearest one to, where no decimal writes it out."""
    found = exact(value)
    if found is None or is_decimal(found) or rounded(found) != value:
        return None
    return found if abs(found.c.numerator) * found.c.denominator <= MAX_MANTISSAS else None


def ratio(value: float) -> Exact | None:
    """The number that a double stands for, where it is a ratio of small whole numbers or no decimal."""
    found = exact(value)
    if found is None or not is_decimal(found):
        return explained(value)
    p, q = found.c.as_integer_ratio()
    return found if q <= LARGEST_DENOMINATOR and abs(p) <= LARGEST_NUMERATOR and rounded(found) == value else None


def typeset(value: float) -> Exact | None:
    """What to set as a fraction: halves, quarters, thirds, ..., π/36; tenths and fifths read better as decimals."""
    found = ratio(value)
    return found if found is not None and (found.c.denominator % 5 or not is_decimal(found)) else None


def decimal(value: float) -> str:
    """The shortest decimal that reads back as the same double: ``2``, ``0.1``, ``1e-7``."""
    if value == int(value) and abs(value) < 1e16:
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa


def plain(value: float) -> str:
    """A number in program text: a decimal of few digits, else a ratio or a multiple of a unit, else all its digits."""
    found = explained(value)
    if found is None:
        return decimal(value)
    p, q = found.c.as_integer_ratio()
    if found.unit == RATIONAL:
        return f"{p}/{q}"
    front = {1: "", -1: "-"}.get(p, f"{p}*")
    return f"{front}{UNITS[found.unit]}" + (f"/{q}" if q != 1 else "")


def gathered(values: Iterable[float]) -> tuple[float, ...]:
    """Factors multiplied together as far as that is exact; ones are left out."""
    result: list[float] = []
    for value in values:
        product = result[-1] * value if result else value
        if result and abs(product) < 1e300 and Fraction(result[-1]) * Fraction(value) == Fraction(product):
            result[-1] = product
        else:
            result.append(value)
    return tuple(value for value in result if value != 1.0)

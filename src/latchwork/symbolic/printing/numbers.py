"""Constants as a reader sees them: 2 rather than 2.0, 1/3 rather than 0.3333333333333333."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

LARGEST_DENOMINATOR = 64
LARGEST_NUMERATOR = 1000
SHORT = 8  # digits of a decimal that nobody minds reading


def ratio(value: float) -> Fraction | None:
    """The ratio of small whole numbers that a double stands for, if there is one."""
    found = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return found if abs(found.numerator) <= LARGEST_NUMERATOR and float(found) == value else None


def typeset_ratio(value: float) -> Fraction | None:
    """The ratio to set as a fraction: halves, quarters, thirds, ...; tenths and fifths read better as decimals."""
    found = ratio(value)
    return found if found is not None and found.denominator % 5 else None


def decimal(value: float) -> str:
    """The shortest decimal that reads back as the same double: ``2``, ``0.1``, ``1e-7``."""
    if value == int(value) and abs(value) < 1e16:
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa


def plain(value: float) -> str:
    """A number in program text: a short decimal, else a small ratio, else all the digits it takes."""
    written, found = decimal(value), ratio(value)
    return written if found is None or len(written) <= SHORT else f"{found.numerator}/{found.denominator}"


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

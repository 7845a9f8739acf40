"""Monomials, terms and sums of them: Σ c · Π atom ** exponent."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from latchwork.symbolic import exact

Monomial = tuple[tuple[int, int], ...]  # (atom, exponent), atoms ascending, exponents not 0
Term = tuple[float, Monomial]  # coefficient times monomial
Poly = dict[Monomial, float]  # Σ coefficient · monomial

CANCELLED = 2.0**-50  # a coefficient this much smaller than its parts is rounding


def times(a: Monomial, b: Monomial, power: int = 1) -> Monomial:
    """a · b ** power."""
    if not b:
        return a
    exponents = dict(a)
    for atom, e in b:
        exponents[atom] = exponents.get(atom, 0) + power * e
    return tuple(sorted([factor for factor in exponents.items() if factor[1]]))


def common(a: Monomial, b: Monomial) -> Monomial:
    """The largest monomial in both: factors with factors, divisors with divisors."""
    other = dict(b)
    both = [(atom, e, other[atom]) for atom, e in a if atom in other]
    return tuple([(atom, min(e, f, key=abs)) for atom, e, f in both if e * f > 0])


def common_of(monomials: Iterable[Monomial]) -> Monomial:
    first, *rest = monomials
    for m in rest:
        if not first:
            break
        first = common(first, m)
    return first


@lru_cache(maxsize=1 << 14)
def degrees(m: Monomial) -> tuple[int, int]:
    """How many factors, how many divisors."""
    top = sum(e for _, e in m if e > 0)
    return top, top - sum(e for _, e in m)


def multiplies(c: float, top: int, bottom: int) -> int:
    """Multiplications and divisions of a term as written."""
    return max(top - 1, 0) + bottom + int(top > 0 and abs(c) != 1.0)


def accumulate(poly: Poly, m: Monomial, c: float) -> None:
    """poly += c m; a term that cancels goes."""
    before = poly.get(m, 0.0)
    total = exact.plus(before, c)
    if total == 0.0 or abs(total) < CANCELLED * max(abs(before), abs(c)):
        poly.pop(m, None)
    else:
        poly[m] = total


def plus(a: Poly, b: Poly, scale: float = 1.0) -> Poly:
    """a + scale · b."""
    total = dict(a)
    for m, c in b.items():
        accumulate(total, m, exact.times(scale, c))
    return total


def product(a: Term, b: Term, power: int = 1) -> Term:
    """a · b ** power."""
    return exact.times(a[0], _whole_power(b[0], power)), times(a[1], b[1], power)


def _whole_power(c: float, n: int) -> float:
    """cⁿ by products: Python's ``**`` is the platform's library."""
    product = 1.0
    for _ in range(abs(n)):
        product = exact.times(product, c)
    return product if n >= 0 else exact.over(1.0, product)

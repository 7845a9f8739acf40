"""Polynomials on 0 ≤ x ≤ 1 as Legendre series, p(x) = Σ c_k P_k(2x - 1): products, derivatives, integrals without loss.

Coefficients of powers of x grow like 6ⁿ with the degree and cancel; those of a Legendre series stay of the order of p.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from latchwork.flexible.quadrature import gauss_points
from latchwork.symbolic.expr import Expr

Array = np.ndarray
MAX_POWER = 7  # degree up to which powers of x are used in expressions: shorter, and without loss
HIGHEST = 36  # degree of a series that a function is fitted by
ROUNDING = 2e-14  # of the largest coefficient: what is left of a polynomial beyond its degree
RESOLVED = 1e-12  # of the largest coefficient: what the last coefficients of a fitted function stay below


@dataclass(frozen=True)
class Series:
    """Coefficients c_k of P_k(2x - 1)."""

    c: tuple[float, ...]

    def __call__(self, x: Any) -> Any:
        return legendre.legval(2.0 * np.asarray(x, dtype=float) - 1.0, self.c)

    def __add__(self, other: Series) -> Series:
        return Series(tuple(legendre.legadd(self.c, other.c)))

    def __mul__(self, other: Series) -> Series:
        return Series(tuple(legendre.legmul(self.c, other.c)))

    def scaled(self, k: float) -> Series:
        return Series(tuple(k * c for c in self.c))

    @property
    def derivative(self) -> Series:
        """dp/dx."""
        return Series(tuple(2.0 * legendre.legder(self.c))) if len(self.c) > 1 else Series((0.0,))

    @property
    def integral(self) -> Series:
        """∫₀ˣ p dx."""
        return Series(tuple(0.5 * legendre.legint(self.c, lbnd=-1.0)))

    def at(self, x: Expr | float) -> Expr | float:
        """p(x): a number, or an expression (powers of x where they are few, Clenshaw's recurrence otherwise)."""
        if not isinstance(x, Expr) or x.is_constant:
            value = float(self(float(x)))
            return 0.0 if abs(value) <= ROUNDING * sum(abs(c) for c in self.c) else value
        return _horner(self.powers, x) if len(self.c) <= MAX_POWER + 1 else _clenshaw(self.c, x)

    @property
    def powers(self) -> tuple[float, ...]:
        """Coefficients of 1, x, x², ...; those that are rounding alone are zero."""
        total: Array = np.zeros(1)
        power, base = np.ones(1), np.array([-1.0, 2.0])
        for c in legendre.leg2poly(self.c):
            total = np.polynomial.polynomial.polyadd(total, c * power)
            power = np.polynomial.polynomial.polymul(power, base)
        size = np.abs(total).max()
        return tuple(0.0 if abs(c) < 64 * np.finfo(float).eps * size else float(c) for c in total)


def _horner(c: tuple[float, ...], x: Expr) -> Expr | float:
    total: Expr | float = 0.0
    for each in reversed(c):
        total = total * x + each
    return total


def _clenshaw(c: tuple[float, ...], x: Expr) -> Expr:
    """b_k = c_k + (2k + 1)/(k + 1) z b_{k+1} - (k + 1)/(k + 2) b_{k+2},  p = c_0 + z b_1 - b_2 / 2."""
    z = 2.0 * x - 1.0
    b, after = c[-1] + 0.0 * z, 0.0 * z
    for k in range(len(c) - 2, 0, -1):
        b, after = c[k] + (2 * k + 1) / (k + 1) * (z * b) - (k + 1) / (k + 2) * after, b
    return c[0] + z * b - 0.5 * after


def basis(degree: int) -> Series:
    """P_n(2x - 1)."""
    return Series((*([0.0] * degree), 1.0))


X = Series((0.5, 0.5))
ONE_LESS_X = Series((0.5, -0.5))


def _number(value: Any) -> float:
    """A number; nan where a function gives something else."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def fitted(function: Callable[[float], Any]) -> Series | None:
    """The series of a function of x, c_k = (2k + 1) ∫₀¹ f P_k dx; None where it is not resolved to rounding."""
    x, w = gauss_points()
    values = np.array([_number(function(float(each))) for each in x])
    c = [float((2 * k + 1) * np.sum(w * values * basis(k)(x))) for k in range(HIGHEST + 1)]
    size = max(abs(each) for each in c)
    if not np.isfinite(size) or max(abs(each) for each in c[-3:]) > RESOLVED * max(size, 1e-300):
        return None
    c = [0.0 if abs(each) <= ROUNDING * size else each for each in c]
    while len(c) > 1 and c[-1] == 0.0:
        c.pop()
    return Series(tuple(c))

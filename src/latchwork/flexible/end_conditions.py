"""Shapes of a beam: its lowest modes of vibration between given ends, by Ritz's method in polynomials.

    Σ_j (∫ κ b_i'' b_j'' dx - μ ∫ r b_i b_j dx) c_j = 0,      b_k = x^a (1 - x)^b P_k(2x - 1)

r and κ are mass and stiffness along the beam, relative to those by which they are measured; a and b are how many of φ
and φ' vanish at an end: 0 free, 1 pinned, 2 clamped. Stretch and twist have first derivatives in place of second.

n modes are taken from n + 1 polynomials, 6 at least. More of them would make the highest frequencies exact (they are 6
to 20 % too high), and everything else worse: true modes of a beam at rest follow a load, a spin or a support slowly,
polynomials follow them at once; stretch and twist, which are loaded more than they vibrate, are all polynomials, and
exact at the tip under any load. Six modes give the first frequency of a blade at γ = 4 to 6e-8, six true ones to 6e-6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from latchwork.algebra.linear import cholesky, eigh, solve_lower
from latchwork.errors import ModelError, did_you_mean
from latchwork.flexible.legendre import HIGHEST, ONE_LESS_X, Series, X, basis, fitted
from latchwork.flexible.quadrature import integral

Array = np.ndarray
Profile = Callable[[Array], Array] | None  # of x, relative; None where it is the same all along

ENDS = {"free": 0, "pinned": 1, "clamped": 2}
WHOLE = {"clamped": "clamped-free", "cantilever": "clamped-free", "pinned": "pinned-pinned", "free": "free-free"}
FEWEST = 6  # polynomials, at least
MAX_MODES = 16  # modes in one direction
INDEPENDENT = 1e-9  # smallest singular value of normalised shapes


def ends_of(name: str, shapes: str) -> tuple[int, int]:
    """How many of φ and φ' vanish at the root and at the tip."""
    words = WHOLE.get(shapes, shapes).split("-") if isinstance(shapes, str) else [repr(shapes)]
    for word in words:
        if word not in ENDS or len(words) != 2:
            known = [*WHOLE, *(f"{a}-{b}" for a in ENDS for b in ENDS)]
            raise ModelError(f"the ends of beam '{name}' are {shapes!r}: what holds them is clamped, pinned or free, "
                             f"as in 'clamped-free'.{did_you_mean(str(shapes), known)}")  # fmt: skip
    return ENDS[words[0]], ENDS[words[1]]


def bending_modes(name: str, ends: tuple[int, int], count: int, mass: Profile,
                  stiffness: Profile) -> tuple[Series, ...]:  # fmt: skip
    """The lowest elastic modes of bending; what a beam does as a rigid body its frame does."""
    rigid = max(0, 2 - sum(ends))
    found = _modes(name, ends, count, rigid, 2, mass, stiffness, rigid + max(count + 1, FEWEST))
    return tuple(_normalised(mode, ends[1] == 0) for mode in found)


def polynomial_shapes(ends: str, count: int) -> tuple[Series, ...]:
    """All polynomials up to a degree that fit the ends, x² ... xⁿ⁺¹ for a cantilever, as orthogonal shapes.

    They follow loads, supports and buckling better than modes of vibration do, and their upper frequencies, which are
    far too high, take shorter steps.
    """
    held = ends_of("polynomial_shapes", ends)
    if not isinstance(count, int) or isinstance(count, bool):
        raise ModelError(f"polynomial_shapes was asked for {count!r} shapes. Give a whole number.")
    rigid = max(0, 2 - sum(held))
    found = _modes("polynomial_shapes", held, count, rigid, 2, None, None, rigid + count)
    return tuple(_normalised(mode, held[1] == 0) for mode in found)


def axial_modes(name: str, count: int, mass: Profile, stiffness: Profile) -> tuple[Series, ...]:
    """The lowest modes of stretch or twist of a beam that is held at its root."""
    found = _modes(name, (1, 0), count, 0, 1, mass, stiffness, count)
    return tuple(_normalised(mode, True) for mode in found)


@cache
def _modes(name: str, ends: tuple[int, int], count: int, rigid: int, order: int, mass: Profile,
           stiffness: Profile, functions_in_all: int) -> tuple[Series, ...]:  # fmt: skip
    if not 1 <= count <= MAX_MODES:
        raise ModelError(f"beam '{name}' is to have {count} modes in one direction. Give 1 to {MAX_MODES}; for more, "
                         "or for large bending, take segments=.")  # fmt: skip
    held = _power(X, ends[0]) * _power(ONE_LESS_X, ends[1])
    functions = [held * basis(k) for k in range(functions_in_all)]
    M, K = gram(name, functions, mass), gram(name, [_derived(f, order) for f in functions], stiffness)
    shift = 100.0 * K[rigid, rigid] / M[rigid, rigid] if rigid else 0.0
    L = cholesky(K + shift * M)
    half = solve_lower(L, M)
    values, vectors = eigh(solve_lower(L, half.T))  # of (K + shift M)⁻¹ M: the largest come from the lowest modes
    order_of = np.argsort(-values, kind="stable")[rigid : rigid + count]
    coefficients = [_back(L, vectors[:, i]) for i in order_of]
    return tuple(_combined(functions, c) for c in coefficients)


def gram(name: str, functions: Sequence[Series], weight: Profile) -> Array:
    """∫ w f_i f_j dx."""

    def products(x: Array) -> Array:
        values = np.array([f(x) for f in functions])
        w = 1.0 if weight is None else weight(x)
        return np.asarray(values[:, None, :] * values[None, :, :] * w)

    return integral(products, weight is None, f"the section of '{name}'")


def _back(L: Array, y: Array) -> Array:
    """x of Lᵀ x = y."""
    x = np.array(y, dtype=float)
    for i in range(len(x) - 1, -1, -1):
        x[i] = (x[i] - np.sum(L[i + 1 :, i] * x[i + 1 :])) / L[i, i]
    return x


def _power(f: Series, n: int) -> Series:
    total = Series((1.0,))
    for _ in range(n):
        total = total * f
    return total


def _derived(f: Series, order: int) -> Series:
    for _ in range(order):
        f = f.derivative
    return f


def _combined(functions: Sequence[Series], c: Array) -> Series:
    total = Series((0.0,))
    for f, each in zip(functions, c, strict=True):
        total = total + f.scaled(float(each))
    return total


def _normalised(mode: Series, by_tip: bool) -> Series:
    """1 at the tip where that is free, else 1 at the largest, and the first half wave is positive."""
    if by_tip:
        return mode.scaled(1.0 / float(mode(1.0)))
    x = np.linspace(0.0, 1.0, 2001)
    values = mode(x)
    size = np.abs(values).max()
    first = values[np.argmax(np.abs(values) > 0.3 * size)]
    return mode.scaled(float(np.sign(first) / size))


def given_shapes(name: str, shapes: Any) -> tuple[Series, ...]:
    """Functions of x = s/L that a user gives, as series; they must be smooth and independent."""
    if not isinstance(shapes, Sequence) or not shapes or not all(callable(each) for each in shapes):
        raise ModelError(f"the shapes of beam '{name}' are {shapes!r}. Name the ends, such as 'clamped-free', or give "
                         "a list of functions of x = s/L, such as [lambda x: x**2, lambda x: x**3].")  # fmt: skip
    found = []
    for i, shape in enumerate(shapes, start=1):
        series = shape if isinstance(shape, Series) else fitted(shape)
        if series is None:
            raise ModelError(f"shape {i} of beam '{name}' is not smooth between x = 0 and 1 (x = s/L): no polynomial "
                             f"of degree {HIGHEST} follows it to rounding. Give a function without kinks and "
                             "poles.")  # fmt: skip
        if not any(series.c):
            raise ModelError(f"shape {i} of beam '{name}' is zero everywhere. Leave it out.")
        found.append(series)
    must_be_independent(name, found)
    return tuple(found)


def must_be_independent(name: str, shapes: Sequence[Series]) -> None:
    """Refuse shapes of which one is a sum of others."""
    G = gram(name, shapes, None)
    d = 1.0 / np.sqrt(np.diag(G))
    values, vectors = eigh(G * d[:, None] * d[None, :])
    if values.min() < INDEPENDENT**2 * len(shapes) or values.min() < 1e-13:
        weights = vectors[:, int(np.argmin(values))] * d
        parts = [f"{w / np.abs(weights).max():+.3g} φ{i}" for i, w in enumerate(weights, start=1)
                 if abs(w) > 1e-6 * np.abs(weights).max()]  # fmt: skip
        raise ModelError(f"the shapes of beam '{name}' are not independent: {' '.join(parts)} vanishes. Leave one out.")


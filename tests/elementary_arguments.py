"""Arguments of the elementary functions: drawn over their domains, hard ones, and what the functions mean there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from latchwork.program.elementary.functions import (
    ELEMENTARY,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cosh,
    exp,
    log,
    pow,
    sinh,
    tanh,
)
from latchwork.program.kernel import f64p, i64, kernel
from latchwork.program.native import invoke, together
from latchwork.program.sincos import cos, sin

FUNCTIONS = ("sin", "cos", *ELEMENTARY)
OF_TWO = ("pow", "atan2")
DIGITS = 60
Pair = tuple[np.ndarray, np.ndarray]


@kernel
def tabulated(which: i64, n: i64, x: f64p, y: f64p, out: f64p) -> None:
    """A function, by its place in FUNCTIONS, of many arguments."""
    for i in range(n):
        if which == 0:
            out[i] = sin(x[i])
        elif which == 1:
            out[i] = cos(x[i])
        elif which == 2:
            out[i] = exp(x[i])
        elif which == 3:
            out[i] = log(x[i])
        elif which == 4:
            out[i] = pow(x[i], y[i])
        elif which == 5:
            out[i] = asin(x[i])
        elif which == 6:
            out[i] = acos(x[i])
        elif which == 7:
            out[i] = atan(x[i])
        elif which == 8:
            out[i] = atan2(x[i], y[i])
        elif which == 9:
            out[i] = sinh(x[i])
        elif which == 10:
            out[i] = cosh(x[i])
        elif which == 11:
            out[i] = tanh(x[i])
        elif which == 12:
            out[i] = asinh(x[i])
        elif which == 13:
            out[i] = acosh(x[i])
        else:
            out[i] = atanh(x[i])


together(tabulated)


def machine_code(name: str, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
    """What machine code gives for each argument."""
    out = np.empty(len(x))
    invoke(tabulated, FUNCTIONS.index(name), len(x), x, x if y is None else y, out)
    return out


def exact(name: str, x: float, y: float) -> Any:
    """The value in DIGITS digits; sines and cosines of huge angles in as many more as the angle has."""
    a, b = mpmath.mpf(x), mpmath.mpf(y)
    if name in ("sin", "cos"):
        with mpmath.workdps(DIGITS + max(0, int(mpmath.log10(abs(a) + 1)))):
            return getattr(mpmath, name)(a)
    with mpmath.workdps(DIGITS):
        return mpmath.power(a, b) if name == "pow" else mpmath.atan2(a, b) if name == "atan2" else _one(name, a)


def _one(name: str, a: Any) -> Any:
    """Near 1 mpmath's own formulas for some of these lose digits; with twice as many enough are left."""
    with mpmath.workdps(2 * DIGITS):
        return getattr(mpmath, name)(a)


def units(value: float, truth: Any) -> float:
    """The error in units in the last place of the true value."""
    near = float(truth)
    if not np.isfinite(near):
        return 0.0 if value == near else np.inf
    with mpmath.workdps(DIGITS):
        return float(abs(mpmath.mpf(value) - truth) / mpmath.mpf(float(np.spacing(abs(near)))))


def worst(name: str, x: np.ndarray, y: np.ndarray, found: np.ndarray) -> float:
    """The largest error among some arguments, in units in the last place, by mpmath."""
    rows = zip(x.tolist(), y.tolist(), found.tolist(), strict=True)
    return max(units(value, exact(name, a, b)) for a, b, value in rows)


# --- drawn over the domains ---------------------------------------------------------------------------------------


def binary(rng: np.random.Generator, low: float, high: float, n: int) -> np.ndarray:
    """Positive numbers, evenly by their exponent."""
    whole = rng.integers(int(low), int(high), n)
    return np.ldexp(rng.uniform(1.0, 2.0, n), whole)


def signed(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    return np.where(rng.random(len(x)) < 0.5, -x, x)


def drawn(name: str, rng: np.random.Generator, n: int) -> Pair:
    """n arguments: half where the function is used, half evenly by exponent over all of its domain."""
    half = n // 2
    usual, wide = DRAWN[name](rng, half, n - half)
    if name in OF_TWO:
        return np.concatenate([usual[0], wide[0]]), np.concatenate([usual[1], wide[1]])
    x = np.concatenate([usual, wide])
    return x, np.zeros(n)


def _angles(rng: np.random.Generator, n: int, m: int) -> Any:
    return rng.uniform(-20.0, 20.0, n), signed(rng, binary(rng, -30, 1023, m))


def _exponents(rng: np.random.Generator, n: int, m: int) -> Any:
    return rng.uniform(-20.0, 20.0, n), rng.uniform(-745.2, 709.8, m)


def _powers(rng: np.random.Generator, n: int, m: int) -> Any:
    """Results of every size; bases of every size, half of them close to 1."""
    x = np.where(rng.random(m) < 0.5, 1.0 + signed(rng, binary(rng, -52, -1, m)), binary(rng, -1022, 1023, m))
    x = np.where(x == 1.0, 2.0, x)
    y = rng.uniform(-745.0, 709.0, m) / np.log(x)
    return (rng.uniform(0.0, 10.0, n), rng.uniform(-10.0, 10.0, n)), (x, y)


def _ratios(rng: np.random.Generator, n: int, m: int) -> Any:
    wide = signed(rng, binary(rng, -1074, 1023, m))
    near = signed(rng, np.abs(wide) * binary(rng, -60, 0, m))
    steep = rng.random(m) < 0.5
    return rng.uniform(-2.0, 2.0, (2, n)), (np.where(steep, wide, near), np.where(steep, near, wide))


def _units(rng: np.random.Generator, n: int, m: int) -> Any:
    """−1 to 1, half of the second kind close to ±1."""
    close = signed(rng, 1.0 - binary(rng, -53, -1, m))
    return rng.uniform(-1.0, 1.0, n), np.where(rng.random(m) < 0.5, close, signed(rng, binary(rng, -60, -1, m)))


DRAWN: dict[str, Callable[[np.random.Generator, int, int], Any]] = {
    "sin": _angles, "cos": _angles, "exp": _exponents, "pow": _powers, "asin": _units, "acos": _units, "atanh": _units,
    "log": lambda rng, n, m: (rng.uniform(0.0, 3.0, n), binary(rng, -1074, 1023, m)),
    "atan": lambda rng, n, m: (rng.uniform(-4.0, 4.0, n), signed(rng, binary(rng, -60, 60, m))),
    "atan2": _ratios,
    "sinh": lambda rng, n, m: (rng.uniform(-4.0, 4.0, n), rng.uniform(-710.4, 710.4, m)),
    "cosh": lambda rng, n, m: (rng.uniform(-4.0, 4.0, n), rng.uniform(-710.4, 710.4, m)),
    "tanh": lambda rng, n, m: (rng.uniform(-4.0, 4.0, n), signed(rng, binary(rng, -60, 6, m))),
    "asinh": lambda rng, n, m: (rng.uniform(-4.0, 4.0, n), signed(rng, binary(rng, -60, 1023, m))),
    "acosh": lambda rng, n, m: (rng.uniform(1.0, 4.0, n), np.maximum(1.0, 1.0 + binary(rng, -52, 1022, m))),
}  # fmt: skip


# --- hard ones ----------------------------------------------------------------------------------------------------


def around(*centers: float) -> np.ndarray:
    """Numbers, and their five neighbours on either side."""
    found = [list(centers)]
    for end in (-np.inf, np.inf):
        here = np.array(centers)
        for _ in range(5):
            here = np.nextafter(here, end)
            found.append(here.tolist())
    return np.array(sorted({x for row in found for x in row}))


def near_quarter_turns() -> np.ndarray:
    """Neighbours of k π/2, k small and of hundreds of digits, and the double that is closest to one of them at all."""
    with mpmath.workdps(400):
        ks = [1, 2, 3, 4, 7, 22, 355, 710, 2**19 - 1, 2**20 + 1, 10**9, 10**15, 3**50, 7**120, 10**300 + 1]
        centers = [float(k * mpmath.pi / 2) for k in ks]
    return around(*centers, 6381956970095103 * 2.0**797)  # Muller, Elementary Functions, §11.3.2


TINY = (5e-324, 1e-310, 2.2250738585072014e-308, 1e-300, 1e-20, 2.0**-28, 1e-8, 2.0**-26)
SMALL = around(*TINY)
HARD: dict[str, np.ndarray] = {
    "sin": np.concatenate([near_quarter_turns(), SMALL]), "cos": near_quarter_turns(),
    "exp": around(709.782712893384, 709.0, -708.3964185322641, -708.0, -745.1332191019411, -744.4400719213812, -740.0,
                  -720.0, 1e-17, -1e-17, 1e-300, *(i * 0.010830424696249145 * 0.5 for i in range(-40, 41, 3))),
    "log": np.concatenate([around(1.0, 0.69921875, 1.3984375, 0.99609375, 1.0078125, 2.0, 0.5, 1.797e308),
                           SMALL[SMALL > 0.0]]),
    "asin": np.concatenate([around(0.5, -0.5, 0.25), around(1.0 - 1e-15, -1.0 + 1e-15)[5:-5], SMALL]),
    "acos": np.concatenate([around(0.5, -0.5, 0.25), around(1.0 - 1e-15, -1.0 + 1e-15)[5:-5], SMALL]),
    "atan": np.concatenate([around(1.0, 1e16, 1e300, *(np.arange(1.0, 33.0, 2.0) / 32.0)), SMALL,
                            1.0 / SMALL[SMALL > 1e-300]]),
    "sinh": np.concatenate([around(0.25, 22.0, 710.4, 710.4758600739438, 709.78), SMALL]),
    "cosh": np.concatenate([around(0.25, 22.0, 710.4, 710.4758600739438, 709.78), SMALL]),
    "tanh": np.concatenate([around(0.25, 22.0, 19.0, 0.5), SMALL]),
    "asinh": np.concatenate([around(2.0**28, 1e300, 1.797e308, 1.0, 0.5, 1e-5), SMALL]),
    "acosh": np.concatenate([around(2.0**28, 1e300, 1.797e308, 1.5, 2.0), around(1.0)[6:]]),
    "atanh": np.concatenate([around(0.5, 0.9, 1e-5), around(1.0)[:5], SMALL]),
}  # fmt: skip
HARD_PAIRS: dict[str, list[tuple[float, float]]] = {
    "pow": [
        *((1.0 + s * 2.0**-e, y * 2.0**e) for e in (52, 40, 30, 20) for s in (1, -0.5) for y in (1, -1, 700)),
        *((x, y) for x in (1e-310, 5e-324, 1.7e308, 3.0, 0.1) for y in (0.5, -0.5, 1.0, -1.0, 1e-300, 1.0000001)),
        *((2.0, float(y)) for y in (-1074, -1073, -1022.5, -1022, 1023, 1023.99, 0.1)),
        *((10.0, float(y)) for y in (-323, -308, -307.7, 22, 23, 308)),
        (0.9999999999999999, 1e18), (1.0000000000000002, 1e17), (-3.0, 33.0), (-1.5, -701.0),
    ],
    "atan2": [
        *((y, x) for y in (5e-324, 1e-310, 1.0, 1e308) for x in (5e-324, -1e-310, 1.0, -1.0, 1e308, -1e308)),
        *((y, x) for y in (1e-17, 0.03125, 0.5, 0.96875, 1.0) for x in (1.0, -1.0, 0.9999999999999999, 1.7e308)),
        (3e-308, 1.5), (2e-323, 3.0), (1e-300, 1e20), (1.0, 2.0**60), (1.0, -(2.0**61)), (2.0**59, 1.0),
    ],
}  # fmt: skip


def hard(name: str) -> Pair:
    """Arguments where an implementation is likely to be wrong."""
    if name in OF_TWO:
        x, y = (np.array(column) for column in zip(*HARD_PAIRS[name], strict=True))
        return x, y
    return HARD[name], np.zeros(len(HARD[name]))

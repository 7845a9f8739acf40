"""Gauss-Legendre quadrature on 0 ≤ x ≤ 1: exact for polynomials up to degree 79, to rounding for smooth functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import cache

import numpy as np

from latchwork.errors import ModelError
from latchwork.program.sincos import cos

Array = np.ndarray
NODES = 40
DIGITS = 34  # of the nodes, so that their floats are the same on every machine
MOST_PANELS = 256
AGREES = 1e-13  # relative, between one division into panels and the next


@cache
def gauss_points() -> tuple[Array, Array]:
    """Nodes and weights, x_i from P_n(z_i) = 0 by Newton's method, w_i = 1 / ((1 - z_i²) P_n'(z_i)²)."""
    nodes, weights = [], []
    with localcontext() as context:
        context.prec = DIGITS
        for i in range(NODES):
            z = Decimal(-cos(math.pi * (i + 0.75) / (NODES + 0.5)))
            for _ in range(6):
                p, dp = _legendre(z)
                z -= p / dp
            dp = _legendre(z)[1]
            nodes.append(float((z + 1) / 2))
            weights.append(float(1 / ((1 - z * z) * dp * dp)))
    return np.array(nodes), np.array(weights)


def _legendre(z: Decimal) -> tuple[Decimal, Decimal]:
    """P_n and its derivative, by (k + 1) P_{k+1} = (2k + 1) z P_k - k P_{k-1}."""
    before, p = Decimal(1), z
    for k in range(1, NODES):
        before, p = p, ((2 * k + 1) * z * p - k * before) / (k + 1)
    return p, NODES * (z * p - before) / (z * z - 1)


def integral(function: Callable[[Array], Array], smooth: bool, what: str) -> Array:
    """∫₀¹ f dx of an array of functions, the last axis running over x; more panels until two divisions agree."""
    panels, found = 1, _on_panels(function, 1)
    while not smooth:
        panels *= 2
        before, found = found, _on_panels(function, panels)
        size = np.abs(found).max(initial=0.0)
        if np.abs(found - before).max(initial=0.0) <= AGREES * size:
            break
        if panels >= MOST_PANELS:
            raise ModelError(
                f"{what} cannot be integrated along the beam: {panels} panels still change the result by "
                f"{np.abs(found - before).max() / size:.1e} of its size. Give functions without jumps and kinks; a "
                "beam that changes in steps is several beams."
            )
    return found


def _on_panels(function: Callable[[Array], Array], panels: int) -> Array:
    x, w = gauss_points()
    total = 0.0
    for k in range(panels):
        total = total + np.sum(function((k + x) / panels) * w, axis=-1) / panels
    return np.asarray(total)

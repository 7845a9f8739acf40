"""Numbers for expressions, vectors and frames by substitution, and rotations a second way."""

from __future__ import annotations

import numpy as np

STENCIL = {-3: -1 / 60, -2: 3 / 20, -1: -3 / 4, 1: 3 / 4, 2: -3 / 20, 3: 1 / 60}  # central, of order six
STEP = 0.01  # error about STEP⁶/140, 1e-14


def value(expression, values):
    """An expression with numbers for its symbols."""
    return float(expression.subs(values)) if hasattr(expression, "subs") else float(expression)


def measures(vector, frame, values):
    """Measure numbers of a vector in a frame."""
    return np.array([value(e, values) for e in vector.measures(frame)])


def cosines(frame, other, values):
    """R with a_frame = R a_other."""
    return np.array([[value(e, values) for e in row] for row in frame.direction_cosines(other)])


def along(function, values, rates):
    """d/ds of a function of numbers along values + s rates, by central differences."""
    moved = {k: {symbol: x + k * STEP * rates.get(symbol, 0.0) for symbol, x in values.items()} for k in STENCIL}
    return sum(weight * np.asarray(function(moved[k])) for k, weight in STENCIL.items()) / STEP


def skew(a):
    """[a×]."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def rotation(axis, angle):
    """Rodrigues: R = U + sin θ [λ×] + (1 − cos θ) [λ×]²."""
    K = skew(np.asarray(axis, dtype=float) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K

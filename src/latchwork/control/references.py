"""References: smooth ways from place to place as expressions in t, which a law differentiates by itself.

    minimum jerk    a + (b − a) (10 s³ − 15 s⁴ + 6 s⁵),   s = (t − t₀)/(t₁ − t₀) within 0 and 1    (Flash, Hogan 1985)
    spline          a cubic through points, at rest at both ends
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from latchwork.errors import EvaluationError, must_be, spelled
from latchwork.symbolic.expr import Expr, maximum, minimum, where


@spelled
def minimum_jerk(t: Expr, begin: float, end: float, start: Any, goal: Any) -> Expr:
    """From ``start`` at the time ``begin`` to ``goal`` at ``end``, at rest before and after."""
    must_be(t, Expr, "what a reference is in", "Give the time of the model: lw.control.minimum_jerk(model.time, ...).")
    must_be(begin, int | float, "the begin of a way", "Give a number of seconds.")
    must_be(end, int | float, "the end of a way", "Give a number of seconds.")
    if not (np.isfinite(begin) and np.isfinite(end) and end > begin):
        raise EvaluationError(f"a way from t = {begin} to {end} cannot be made. Give a later end.")
    s = minimum(maximum((t - begin) / (end - begin), 0.0), 1.0)
    return start + (goal - start) * (s**3 * (10.0 - 15.0 * s + 6.0 * s**2))


@spelled
def spline(t: Expr, times: Sequence[float], values: Sequence[float]) -> Expr:
    """A cubic spline through values at times, twice differentiable, at rest at both ends and outside of them."""
    from scipy.interpolate import CubicSpline

    must_be(t, Expr, "what a reference is in", "Give the time of the model: lw.control.spline(model.time, ...).")
    try:
        when, what = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise EvaluationError(f"a spline through {values!r:.60} at the times {times!r:.60} cannot be made. Give "
                              "numbers.") from None  # fmt: skip
    if when.ndim != 1 or when.shape != what.shape or len(when) < 2 or not (np.diff(when) > 0.0).all():
        raise EvaluationError(f"a spline through {what.size} values at the times {times!r:.60} cannot be made. Give as "
                              "many times as values, two or more, each later than the one before.")  # fmt: skip
    if not (np.isfinite(when).all() and np.isfinite(what).all()):
        raise EvaluationError("a spline was given times or values that are not finite. Give finite numbers.")
    pieces = CubicSpline(when, what, bc_type="clamped").c
    inside = minimum(maximum(t, float(when[0])), float(when[-1]))
    result: Any = None
    for k in reversed(range(len(when) - 1)):
        s = inside - float(when[k])
        c = [float(each) for each in pieces[:, k]]
        piece = ((c[0] * s + c[1]) * s + c[2]) * s + c[3]
        result = piece if result is None else where(inside < float(when[k + 1]), piece, result)
    assert isinstance(result, Expr), "there is a piece"
    return result

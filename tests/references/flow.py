"""An ordinary differential equation up to the instant where a guard falls (or rises) through zero.

DOP853 at rtol 1e-13 brackets the event on its dense output; a Newton correction on re-integrated states then removes
the error of the interpolant, so that the time is as good as the integration itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import solve_ivp

Rates = Callable[[float, np.ndarray], np.ndarray]
Guard = Callable[[float, np.ndarray], float]
EARLY = 1e-9  # an event this soon after the start is the one that was just left


def advance(rates: Rates, t: float, y: np.ndarray, end: float, rtol: float = 1e-13) -> np.ndarray:
    """The state at ``end``."""
    if end == t:
        return np.array(y, dtype=float)
    return np.asarray(solve_ivp(rates, (t, end), y, method="DOP853", rtol=rtol, atol=1e-2 * rtol).y[:, -1])


def until(
    rates: Rates, t: float, y: np.ndarray, guards: Sequence[Guard], horizon: float, rtol: float = 1e-13
) -> tuple[float, np.ndarray, int]:
    """(t, y, i): the first instant where guard i falls through zero from above; i = −1 if none does by the horizon."""
    watched = [_armed(guard, t) for guard in guards]
    run = solve_ivp(
        rates, (t, horizon), y, method="DOP853", rtol=rtol, atol=1e-2 * rtol, events=watched,
        max_step=(horizon - t) / 50,
    )  # fmt: skip
    hits = [(times[0], i) for i, times in enumerate(run.t_events) if len(times)]
    if not hits:
        return horizon, np.asarray(run.y[:, -1]), -1
    at, which = min(hits)
    return *_polished(rates, t, y, guards[which], float(at), rtol), which


def _armed(guard: Guard, start: float) -> Guard:
    def value(t: float, y: np.ndarray) -> float:
        return guard(t, y) if t > start + EARLY else max(guard(t, y), 1e-300)

    value.terminal, value.direction = True, -1  # type: ignore[attr-defined]
    return value


def _polished(
    rates: Rates, t: float, y: np.ndarray, guard: Guard, at: float, rtol: float
) -> tuple[float, np.ndarray]:
    """Newton on g(t) with states integrated anew; the slope from a difference across 1e-6."""
    state = advance(rates, t, y, at, rtol)
    for _ in range(3):
        before, after = (guard(at + d, state + d * rates(at, state)) for d in (-1e-6, 1e-6))
        step = -guard(at, state) / ((after - before) / 2e-6)
        state, at = advance(rates, at, state, at + step, rtol), at + step
    return at, state

"""The energy balance of a run, and by how much it may be off.

The exact motion keeps b = K + V − W, where the work W of loads without a potential, of prescribed motion and of impacts
is a state like q and u. Step n leaves the exact motion by a local error of at most τ_i = atol + rtol |x_i| in state i,
and so changes b; the exact motion keeps that change from there on. Over N steps, hence,

    |b_N − b_0|  ≤  Σ_n Σ_i |b(x_n + τ_i e_i) − b(x_n)|  ≤  N max_n Σ_i |b(x_n + τ_i e_i) − b(x_n)| .

It is the sum of transported local errors [Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, §II.3],
and transport along the flow does not change a first integral: there is no factor for the growth of errors, and chaotic
motion is held to it as well. Where modes change, states are met to `HOLDS` (x̄_i + |x_i|) more, x̄_i their units.
Estimates of local errors are no bounds, so that `SAFETY` times as much is allowed.

Whatever the tolerance, and for fixed steps, which promise none, an error of `GROSS` in every state at once bounds what
can pass for an error of integration: the energy of a run that blows up is beyond it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.embedded.projection import HOLDS
from latchwork.hybrid.table import Array
from latchwork.program.function import Function

SAFETY = 10.0  # times what a tolerance promises
GROSS = 0.1  # of every coordinate and speed
ROUNDING = 2.0**-52  # of a state in each step, however small its tolerance


class Balance(NamedTuple):
    """By how much the balance of a run is off so far, and may be."""

    off: float = 0.0
    allowed: float = 0.0

    @property
    def holds(self) -> bool:
        return abs(self.off) <= self.allowed


class Allowance(NamedTuple):
    """What errors of q and u do to K + V, at some states: those of a step, of a change of mode, and gross ones."""

    step: Array
    change: Array
    gross: Array

    @property
    def most(self) -> Allowance:
        """The largest of each."""
        return Allowance(*(part.max(keepdims=True) for part in self))


def allowance(energy: Function, states: Array, units: Array, method: Any) -> Allowance:
    """What is allowed at states (t, q, u, rest), one in a row; ``units`` are those of (q, u, W)."""
    count = len(units) - 1
    x = np.abs(states[:, 1 : 1 + count])
    rtol, atol = tolerances(method, units[:-1])
    met = SAFETY * HOLDS * (units[:-1] + x)
    gross = displacements(energy, states, GROSS * x + met)
    if rtol is None:
        return Allowance(np.zeros_like(gross), np.zeros_like(gross), gross)
    step = displacements(energy, states, SAFETY * (atol + max(rtol, ROUNDING) * x))
    return Allowance(step, displacements(energy, states, met), gross)


def displacements(energy: Function, states: Array, by: Array) -> Array:
    """``Σ_i |E(x + δ_i e_i) − E(x)|`` at states (t, x, rest): what errors δ of x do to the energy."""
    runs, count = by.shape
    rows, each = np.repeat(states[:, None], 1 + count, axis=1), np.arange(count)
    rows[:, 1 + each, 1 + each] += by
    E = energy.many(rows.reshape(runs * (1 + count), -1)).reshape(runs, 1 + count)
    changes = np.abs(E[:, 1:] - E[:, :1])
    return np.asarray(np.where(np.isfinite(changes), changes, 0.0).sum(axis=1))


def allowed(
    method: Any, steps: float | Array, changes: int, work: float | Array, each: Allowance, units: Array
) -> Array:
    """By how much b may be off after some steps, changes of mode, and work W: see above."""
    gross = each.gross + GROSS * np.abs(work)
    if getattr(method, "rtol", None) is None:
        return np.asarray(gross)
    promised = steps * each.step + changes * each.change + by_work(method, steps, work, units)
    return np.asarray(np.minimum(promised, gross))


def by_work(method: Any, steps: Any, work: Any, units: Array) -> Any:
    """The part of it that needs no state, for ∂b/∂W = −1."""
    rtol, atol = tolerances(method, units[-1:])
    return steps * SAFETY * (float(atol[0]) + (rtol or 0.0) * abs(work))


def tolerances(method: Any, units: Array) -> tuple[float | None, Array]:
    """rtol, none for fixed steps, and atol of states in these units; the largest where states were given their own."""
    rtol, atol = getattr(method, "rtol", None), getattr(method, "atol", 0.0)
    if atol is None:
        return rtol, np.asarray(method.absolute(units))
    return rtol, np.full(len(units), max(atol) if isinstance(atol, tuple) else atol)

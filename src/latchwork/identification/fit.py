"""The fit of parameters to a recorded motion, by weighted least squares, with its covariance.

    τ_k = Y(q_k, u_k, u̇_k) π + noise,     π̂ = (Wᵀ S W)⁻¹ Wᵀ S τ,     cov π̂ = (Wᵀ S W)⁻¹

W is Y at all samples, one below the other, and S has the inverse variance of the noise of each speed, which is found
from the residuals of a first fit.  [Gautier & Poignet, Control Engineering Practice 9 (2001) 1361]

π has the base parameters, and those parameters of the loads that are to be found: coefficients of friction, stiffness
and damping, in which the loads are linear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError, ModelError, did_you_mean, listed, spelled
from latchwork.identification.base_parameters import BaseParameters, base_parameters, compiled, states
from latchwork.kane.equations import Equations
from latchwork.kane.forces import applied_loads
from latchwork.kane.robotics import settle_for
from latchwork.kane.wrenches import generalized_forces
from latchwork.model import Model
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import rebuild

Array = NDArray[np.float64]
WORST = 1e8  # condition of scaled columns beyond which a motion does not tell the parameters apart
PASSES = 3  # of least squares: the noise of the first is that of equal weights, the last has the covariance


@dataclass(frozen=True, eq=False)
class Fit:
    """Estimates by name, their covariance, the noise of each speed, and the condition of the scaled regressor."""

    names: tuple[str, ...]
    values: Array
    covariance: Array
    noise: Array
    condition: float
    base: BaseParameters

    @property
    def deviations(self) -> Array:
        """The standard deviation of each estimate."""
        return np.sqrt(np.diag(self.covariance))

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise EvaluationError(f"no '{name}' was fitted.{did_you_mean(str(name), self.names)}")
        return float(self.values[self.names.index(name)])

    def __str__(self) -> str:
        width = max(map(len, self.names))
        rows = zip(self.names, self.values, self.deviations, strict=True)
        return "\n".join(f"{name:{width}}  {value: .6g} ± {off:.2g}" for name, value, off in rows)


@spelled
def identify(model: Model | Equations, q: ArrayLike, u: ArrayLike, udot: ArrayLike, tau: ArrayLike | None = None, *,
             inputs: Mapping[str, ArrayLike] | None = None, loads: Sequence[str] = ()) -> Fit:  # fmt: skip
    """Base parameters of a mechanism from a recorded motion: rows of q, u and u̇, and what drove it.

    ``tau`` are generalized forces besides the loads of the model, a column for each speed; ``inputs`` are those of the
    model, recorded, by name. ``loads`` names parameters of the model to be fitted with them, in which its loads are
    linear, such as coefficients of friction and stiffness; all others have the values of the model.
    """
    equations = model.equations() if isinstance(model, Model) else model
    base = base_parameters(equations)
    q, u, udot = (_rows(name, values, count) for name, values, count in (
        ("q", q, len(equations.q)), ("u", u, len(equations.u)), ("udot", udot, len(equations.u))))  # fmt: skip
    if len({len(q), len(u), len(udot)}) > 1:
        raise EvaluationError(f"q, u and udot have {len(q)}, {len(u)} and {len(udot)} rows. Give as many of each.")
    columns, known = _of_loads(equations, loads)
    rows = states(equations, q, u, udot, r=_inputs(equations, inputs, len(q)))
    n = len(equations.u)
    W = base.function.many(rows).reshape(len(q), n, len(base))
    nodes = [column[r] for r in range(n) for column in columns]
    of_loads = compiled(equations, nodes).many(rows).reshape(len(q), n, len(columns)) if columns else W[:, :, :0]
    driven = compiled(equations, known).many(rows)
    right = driven + (np.zeros_like(driven) if tau is None else _rows("tau", tau, n))
    return _solved(base, np.concatenate([W, -of_loads], axis=2), right, (*base.names, *loads))


def _solved(base: BaseParameters, W: Array, right: Array, names: tuple[str, ...]) -> Fit:
    """Least squares, weighted by the noise of each speed: of its residuals, σ_i² = Σ r² / (N − Σ h), where h is the
    leverage of its rows, the part of them that the fit takes up."""
    samples, n, count = W.shape
    if samples * n <= count:
        raise EvaluationError(f"{samples} samples of {n} speeds cannot tell {count} parameters. Record more.")
    noise = np.ones(n)
    for _ in range(PASSES):
        A, b = (W / noise[:, None]).reshape(-1, count), (right / noise).reshape(-1)
        scale = np.sqrt((A**2).sum(axis=0))
        if not (scale > 0.0).all():
            idle = names[int(np.argmin(scale))]
            raise EvaluationError(f"'{idle}' has no effect in this motion. Record one that does: see lw.exciting.")
        U, s, Vt = np.linalg.svd(A / scale, full_matrices=False)
        if s[0] > WORST * s[-1]:
            worst = names[int(np.argmax(np.abs(Vt[-1])))]
            raise EvaluationError(f"this motion does not tell '{worst}' from others: the condition of its regressor is "
                                  f"{s[0] / s[-1]:.1e}. Record one that excites it: lw.exciting(...).")  # fmt: skip
        values = (Vt.T @ ((U.T @ b) / s)) / scale
        off = right - (W @ values)
        leverage = (U**2).reshape(samples, n, count).sum(axis=(0, 2))
        noise = np.sqrt((off**2).sum(axis=0) / np.maximum(samples - leverage, 1.0))
        noise = np.maximum(noise, 1e-12 * max(float(np.abs(right).max()), 1e-300))
    inverse = (Vt.T / s) / scale[:, None]
    return Fit(names, values, inverse @ inverse.T, noise, float(s[0] / s[-1]), base)


def _of_loads(equations: Equations, names: Sequence[str]) -> tuple[list[list[int]], list[int]]:
    """∂F/∂p of the loads but gravity for some parameters, column by column, and F where these are zero."""
    by_name = {symbol.name: symbol for symbol in equations.p}
    names = listed(names, "loads", "Give names of parameters: loads=[\"friction\"].")
    for name in names:
        if name not in by_name:
            raise ModelError(f"'{name}' is no parameter of '{equations.name}'.{did_you_mean(str(name), by_name)}")
    motion, g = equations.derivation.motion.accelerating(), equations.system.graph
    settle = settle_for(motion)
    F = generalized_forces(applied_loads(motion, settle, equations.added), settle)
    chosen = [by_name[name].node for name in names]
    columns = [list(tangents(g, F, {node: ONE})) for node in chosen]
    for name, column in zip(names, columns, strict=True):
        for other in chosen:
            if any(node != ZERO for node in tangents(g, column, {other: ONE})):
                raise ModelError(f"the loads of '{equations.name}' are not linear in '{name}'. Fit what they are "
                                 "linear in, or vary it with lw.minimize.")  # fmt: skip
    return columns, list(rebuild(g, F, dict.fromkeys(chosen, ZERO)))


def _rows(name: str, values: ArrayLike, count: int) -> Array:
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise EvaluationError(f"{name} is {values!r:.60}, which are no numbers. Give a row for each sample.") from None
    if found.ndim != 2 or found.shape[1] != count or not np.isfinite(found).all():
        raise EvaluationError(f"{name} has the shape {found.shape}; finite numbers of shape (samples, {count}) are "
                              "asked for.")  # fmt: skip
    return found


def _inputs(equations: Equations, inputs: Mapping[str, ArrayLike] | None, count: int) -> Array | None:
    names = [symbol.name for symbol in equations.r]
    given: Mapping[str, Any] = inputs or {}
    for name in given:
        if name not in names:
            raise EvaluationError(f"'{name}' is no input of '{equations.name}'.{did_you_mean(str(name), names)}")
    missing = [name for name in names if name not in given]
    if missing:
        raise EvaluationError(f"'{equations.name}' was driven by {', '.join(missing)}, which was not given. Give what "
                              "was recorded: inputs={...}.")  # fmt: skip
    columns = [np.broadcast_to(np.asarray(given[name], dtype=float), count) for name in names]
    return np.column_stack(columns) if columns else None

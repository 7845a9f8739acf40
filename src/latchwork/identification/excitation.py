"""Exciting trajectories: motions that tell the parameters of a mechanism apart as well as its limits allow.

    q_i(t) = q_i0 + Σ_k (a_ik sin kω t − b_ik cos kω t) / kω

is periodic, so that noise can be averaged over periods, and known in closed form. Its coefficients are chosen so that
the condition of the scaled regressor, and with it the error of the fit, is small.  [Swevers et al., IEEE Trans.
Robotics and Automation 13 (1997) 730]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError, must_measure, spelled
from latchwork.identification.base_parameters import BaseParameters, base_parameters
from latchwork.kane.equations import Equations
from latchwork.model import Model

Array = NDArray[np.float64]
SAMPLES = 60  # of a period, at which the condition is looked at


@dataclass(frozen=True, eq=False)
class Excitation:
    """A periodic motion: Fourier coefficients of each coordinate, and the condition of the regressor along it."""

    base: BaseParameters
    center: Array  # (coordinates,)
    a: Array  # (coordinates, harmonics)
    b: Array
    period: float
    condition: float

    def at(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """q, q̇ and q̈ at some times, a row each."""
        return motion(self.center, self.a, self.b, self.period, np.atleast_1d(np.asarray(t, dtype=float)))


def motion(center: Array, a: Array, b: Array, period: float, t: Array) -> tuple[Array, Array, Array]:
    """q, q̇ and q̈ of a Fourier series."""
    w = 2.0 * np.pi / period * np.arange(1, a.shape[1] + 1)
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    return center + s @ (a / w).T - c @ (b / w).T, c @ a.T + s @ b.T, -(s * w) @ a.T + (c * w) @ b.T


@spelled
def exciting(model: Model | Equations, period: float, *, harmonics: int = 5, reach: float | Mapping[str, float] = 1.5,
             speed: float | Mapping[str, float] = 2.0, center: Mapping[str, float] | None = None, seed: int = 0,
             tries: int = 40, progress: Callable[[float], None] | None = None) -> Excitation:  # fmt: skip
    """An exciting trajectory for identification: a Fourier series of one ``period`` with few ``harmonics``, whose
    regressor has a small condition number, found from ``tries`` random starts.

    Coordinates stay within ``reach`` of the ``center`` and speeds below ``speed``, each a number or one by name. Speeds
    have to be the rates of coordinates, one of each. ``progress`` is called with the least condition number so far.
    """
    equations = model.equations() if isinstance(model, Model) else model
    n = len(equations.u)
    if len(equations.q) != n or [str(e) for e in equations.qdot_expressions] != list(equations.u_names):
        raise EvaluationError(f"speeds of '{equations.name}' are not the rates of its coordinates. Describe it with "
                              "u = dt(q), one for each.")  # fmt: skip
    must_measure(period, "the period of an exciting motion", "Give a number of seconds above 0.", above=0.0,
                 kind=EvaluationError)  # fmt: skip
    for what, count in (("harmonics", harmonics), ("tries", tries)):
        must_measure(count, f"{what} of an exciting motion", "Give a whole number, 1 or more.", 1, whole=True,
                     kind=EvaluationError)  # fmt: skip
    base = base_parameters(equations)
    far, fast = (_by_name(equations, what, given) for what, given in (("reach", reach), ("speed", speed)))
    middle = np.array([(center or {}).get(name, 0.0) for name in equations.q_names])
    t, rng = np.linspace(0.0, period, SAMPLES, endpoint=False), np.random.default_rng(seed)

    def made(x: Array) -> tuple[Array, Array]:
        """Coefficients from free numbers, shortened until both limits hold."""
        a, b = x.reshape(2, n, harmonics)
        q, u, _ = motion(np.zeros(n), a, b, period, t)
        over = np.maximum(np.abs(q).max(axis=0) / far, np.abs(u).max(axis=0) / fast)
        return a / over[:, None], b / over[:, None]

    def condition(x: Array) -> float:
        a, b = made(x)
        W = base.matrix(*motion(middle, a, b, period, t))
        scale = np.sqrt((W**2).sum(axis=0))
        s = np.linalg.svd(W / np.where(scale > 0.0, scale, 1.0), compute_uv=False)
        return float(s[0] / max(s[-1], 1e-300))

    best, least = rng.standard_normal(2 * n * harmonics), np.inf
    size = 1.0
    for k in range(tries * 10):  # random steps from the best, shorter as they succeed less
        x = rng.standard_normal(best.shape) if k < tries else best + size * rng.standard_normal(best.shape)
        found = condition(x)
        if found < least:
            best, least = x, found
            if progress is not None:
                progress(least)
        elif k >= tries:
            size = max(0.97 * size, 0.02)
    return Excitation(base, middle, *made(best), period, least)


def _by_name(equations: Equations, what: str, given: float | Mapping[str, float]) -> Array:
    advice = f"Give a positive number, or one for each of {', '.join(equations.q_names)}."
    values = [given.get(name) if isinstance(given, Mapping) else given for name in equations.q_names]
    for value in values:
        must_measure(value, f"{what} of an exciting motion", advice, above=0.0, kind=EvaluationError)
    return np.array(values, dtype=float)

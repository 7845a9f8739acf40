"""Linear-quadratic regulators about an operating point, or a motion, of a constrained mechanism.

    min ∫ δxᵀ Q δx + δrᵀ R δr dt,   δẋ = A δx + B δr:     δr = −K δx,   K = R⁻¹ Bᵀ S
    AᵀS + S A − S B R⁻¹ BᵀS + Q = 0
    sampled along a motion, x' = F x + G r:   K = (R h + GᵀS G)⁻¹ GᵀS F,   S ← Q h + FᵀS (F − G K), backwards

The states are those of `linearize`: independent coordinates and speeds, by name; dependent ones follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.constrained import Constrained
from latchwork.constraint.linearization.linear import Linear
from latchwork.constraint.terms import Array
from latchwork.control.actuation import inputs_of
from latchwork.control.law import Law
from latchwork.control.sampled import Sampled
from latchwork.errors import EvaluationError, ModelError, must_be, spelled
from latchwork.hybrid.trajectory import Trajectory
from latchwork.model import Model


@dataclass(frozen=True, eq=False)
class Regulator(Law):
    """A law r = r₀ − K (x − x₀), with its gains, and the linear equations it was made for."""

    K: Array = field(default_factory=lambda: np.zeros((0, 0)), kw_only=True)
    linear: Linear | None = field(default=None, kw_only=True)

    @property
    def closed_loop(self) -> NDArray[np.complex128]:
        """Eigenvalues of A − B K."""
        assert self.linear is not None, "a regulator has them"
        columns = [self.linear.inputs.index(name) for name in self.expressions]
        return np.asarray(np.sort_complex(np.linalg.eigvals(self.linear.A - self.linear.B[:, columns] @ self.K)))


@spelled
def lqr(model: Model, q: Any = None, u: Any = None, r: Any = None, *, inputs: Sequence[Any] | None = None,
        states: Any = 1.0, efforts: Any = 1.0, keep: Sequence[Any] = (), name: str = "lqr") -> Regulator:  # fmt: skip
    """A linear-quadratic regulator about a state that the inputs r hold: ``model.constrained().equilibrium`` finds one.

    ``states`` and ``efforts`` are the weights Q and R: one for all, or by name. ``keep`` names coordinates and speeds
    that are to be states, as in ``linearize``.
    """
    constrained = _constrained(model)
    chosen = inputs_of(constrained.unconstrained, inputs, f"'{name}'")
    linear = constrained.linearize(q, u, r, keep=keep)
    _must_be_steady(linear, name)
    A, B = linear.A, linear.B[:, [linear.inputs.index(each) for each in chosen]]
    K = _gains(name, A, B, _weights(states, linear.states, name, "states"), _weights(efforts, chosen, name, "efforts"))
    symbols = {symbol.name: symbol for symbol in constrained.unconstrained.arguments}
    expressions = {}
    for i, each in enumerate(chosen):
        law: Any = linear.at.get(each, 0.0) + 0.0 * symbols[linear.states[0]]
        for j, state in enumerate(linear.states):
            law = law - float(K[i, j]) * (symbols[state] - linear.at[state])
        expressions[each] = law
    return Regulator(expressions, name, K=K, linear=linear)


def _constrained(model: Any) -> Constrained:
    if isinstance(model, Constrained):
        return model
    if not isinstance(model, Model):
        raise ModelError(f"a regulator for {model!r} cannot be made. Give a model, or model.constrained().")
    return model.constrained() if model.constraints else model.equations().embed()


def _weights(given: Any, names: Sequence[str], whose: str, what: str) -> Array:
    """Diagonal weights: one for all, or by name, 0 for those that are left out."""
    if isinstance(given, Mapping):
        values = {getattr(key, "name", str(key)): value for key, value in given.items()}
        if unknown := [each for each in values if each not in names]:
            raise ModelError(f"the weights of '{whose}' name {', '.join(unknown)}; its {what} are {', '.join(names)}. "
                             "Weigh these, or choose others with keep.")  # fmt: skip
        found = np.array([float(values.get(each, 0.0)) for each in names])
    else:
        found = np.full(len(names), float(given))
    if not (np.isfinite(found).all() and (found >= 0.0).all()) or (what == "efforts" and not (found > 0.0).all()):
        raise ModelError(f"the weights of the {what} of '{whose}' are {given!r}. Give numbers that are not negative, "
                         "and positive ones for efforts.")  # fmt: skip
    return np.diag(found)


def _must_be_steady(linear: Linear, name: str) -> None:
    """Refuse a point that does not stay where it is."""
    drift = {state: rate for state, rate in zip(linear.states, linear.rates.tolist(), strict=True) if abs(rate) > 1e-6}
    if drift:
        shown = ", ".join(f"{state} by {rate:.3g}" for state, rate in drift.items())
        raise EvaluationError(f"'{linear.name}' does not rest where '{name}' is to hold it: {shown} a second. Find "
                              "inputs that hold it: model.constrained().equilibrium(q, find=[...]).")  # fmt: skip


def _gains(name: str, A: Array, B: Array, Q: Array, R: Array) -> Array:
    """K by the algebraic Riccati equation."""
    from scipy.linalg import solve_continuous_are

    try:
        S = solve_continuous_are(A, B, Q, R)
    except (np.linalg.LinAlgError, ValueError):
        values, vectors = np.linalg.eig(A.T)
        stuck = [value for value, v in zip(values, vectors.T, strict=True)
                 if value.real >= -1e-9 and np.abs(B.T @ v).max(initial=0.0) < 1e-9]  # fmt: skip
        shown = ", ".join(f"{value:.4g}" for value in stuck) or "none found"
        raise EvaluationError(
            f"no regulator '{name}' exists: motions with the eigenvalues {shown} are not reached by its inputs, or are "
            "not weighed. Add inputs, or weigh more states."
        ) from None
    return np.asarray(np.linalg.solve(R, B.T @ S))


@spelled
def stabilised(model: Model, run: Trajectory, period: float, *, inputs: Sequence[Any] | None = None, states: Any = 1.0,
               efforts: Any = 1.0, final: Any = 1.0, name: str = "stabilised") -> Sampled:  # fmt: skip
    """A run held by feedback: its inputs as they were, and −K(t) (x − x(t)) with the gains of the Riccati equation
    backwards along it; ``final`` weighs the states at its end."""
    constrained = _constrained(model)
    chosen = inputs_of(constrained.unconstrained, inputs, f"'{name}'")
    times = _times_of(run, period, "period")
    at = run.at(np.minimum(times, run.t[-1]))
    feed = np.column_stack([at[each] for each in chosen])
    every = [symbol.name for symbol in constrained.unconstrained.r]
    r = np.column_stack([np.broadcast_to(at[each], len(times)) for each in every])
    linear = constrained.linearize(at.q[0], at.u[0], r[0])
    Q, R = _weights(states, linear.states, name, "states"), _weights(efforts, chosen, name, "efforts")
    S, gains, goal = _weights(final, linear.states, name, "states"), [], []
    columns = [linear.inputs.index(each) for each in chosen]
    for k in reversed(range(len(times))):
        here = constrained.linearize(at.q[k], at.u[k], r[k], t=float(times[k]), keep=linear.states)
        K, S = _backwards(S, here.A, here.B[:, columns], Q, R, period)
        gains.append(K)
        goal.append([here.at[state] for state in linear.states])
    feedback, x = np.array(gains[::-1]), np.array(goal[::-1])

    def law(t: float, q: dict[str, float], u: dict[str, float], memory: Any) -> dict[str, float]:
        i = min(max(round((t - times[0]) / period), 0), len(times) - 1)
        now = q | u
        off = np.array([now[state] for state in linear.states]) - x[i]
        return dict(zip(chosen, (feed[i] - feedback[i] @ off).tolist(), strict=True))

    return Sampled(law, period, inputs=chosen, name=name)


def _backwards(S: Array, A: Array, B: Array, Q: Array, R: Array, step: float) -> tuple[Array, Array]:
    """K of a step over which inputs are held, and S before it."""
    from scipy.linalg import expm

    n, m = B.shape
    whole = expm(step * np.block([[A, B], [np.zeros((m, n + m))]]))
    F, G = whole[:n, :n], whole[:n, n:]
    K = np.linalg.solve(R * step + G.T @ S @ G, G.T @ S @ F)
    made = Q * step + F.T @ S @ (F - G @ K)
    return K, 0.5 * (made + made.T)


def feed_forward(run: Trajectory, inputs: Sequence[Any], every: float) -> dict[str, Any]:
    """The inputs of a run as tables, to be given to another: constrained inverse dynamics, worked out before."""
    from latchwork.hybrid.table import Table

    times = _times_of(run, every, "every")
    at = run.at(np.minimum(times, run.t[-1]))
    names = [getattr(each, "name", str(each)) for each in inputs]
    return {name: Table(times, np.broadcast_to(at[name], len(times)), "linear") for name in names}


def _times_of(run: Trajectory, step: float, what: str) -> Array:
    """Times along a run, a step apart."""
    must_be(run, Trajectory, "the run to follow", "Give what lw.simulate does.")
    if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0.0 < step < np.inf:
        raise EvaluationError(f"{what} = {step!r} is no time from one look to the next. Give seconds: {what}=1e-3.")
    return np.arange(run.t[0], run.t[-1] + 0.5 * step, step)

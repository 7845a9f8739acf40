"""Aghili's analysis of a constrained mechanism at a state: what a force does, and what force a motion needs.

    P = I − B⁺B,   f = P f + (I − P) f,   potent and impotent      [Aghili §II-V, VII; numbers as in papers' errata]

Speeds of unequal units are measured by a metric W (a weight for each speed, or a matrix): P is then that of B W^(−1/2),
and forces have the norm √(fᵀW⁻¹f). Rows are measured by their length near by, so that a row that vanishes at a singular
position, and only there, constrains nothing: the number of degrees of freedom rises, as it does in Aghili's Eq. 68.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from latchwork.algebra.linear import cond, eigh, inv, lstsq, qr, solve, svd
from latchwork.algebra.products import dot, norm
from latchwork.constraint.constrained import Constrained
from latchwork.constraint.given_state import by_name
from latchwork.constraint.linearization.linear import finite_numbers
from latchwork.constraint.terms import Array, Terms
from latchwork.errors import ConstraintError, EvaluationError
from latchwork.kane.values import argument_vector

CUT = 1e-9  # singular values below this part of what they are near by are zero
AROUND = 0.1  # how far "near by" is, in units of the coordinates
ROUNDING_OF_ACCELERATION = 1e-6  # of the units of speeds over that of time, squared: less is rounding
NEARLY = 1e-6  # the same of accelerations close to a singular position
MEETS = 1e-8  # accelerations and forces may be off by this part


def usual_lengths(terms: Terms, x: Array, shape: Array) -> Array:
    """The length of each row of B·shape, at x or near by: what it is when it does not vanish."""
    n_q, n, _ = terms.sizes
    W = terms.spread(x)
    aside = AROUND * np.diag(terms.base.units.u)
    steps = [np.zeros(n), *(sign * step for step in aside for sign in (1.0, -1.0))]
    lengths = []
    for step in steps:
        near = x.copy()
        near[1 : 1 + n_q] += dot(W, step)
        lengths.append(norm(dot(terms.place(near).B, shape), axis=1))
    most = np.max(lengths, axis=0)
    return np.where(most > 0.0, most, 1.0)


@dataclass(frozen=True, eq=False)
class Operator:
    """P and all that follows from it. ``root`` is W^(1/2); ``A`` is B W^(−1/2), its rows of order one."""

    constrained: Constrained
    x: Array
    M: Array
    f: Array
    c: Array
    A: Array
    root: Array

    @cached_property
    def _units(self) -> Array:
        """One of each acceleration."""
        base = self.constrained.terms.base
        return np.asarray(base.units.u / base.scales.time / base.scales.time)

    @cached_property
    def _inverse(self) -> Array:
        """A⁺, with what is smaller than the cut left out."""
        U, s, Vt = svd(self.A).thin
        keep = s > CUT
        return np.asarray(dot(Vt[keep].T / s[keep], U[:, keep].T))

    @cached_property
    def weighed(self) -> Array:
        """P_W = I − A⁺A, in the metric."""
        return np.asarray(np.eye(len(self.f)) - dot(self._inverse, self.A))

    @cached_property
    def P(self) -> Array:
        """What P does to velocities: W^(−1/2) P_W W^(1/2). It does its transpose to forces."""
        return np.asarray(solve(self.root, dot(self.weighed, self.root)), dtype=np.float64)

    @property
    def freedoms(self) -> int:
        """Degrees of freedom: n − rank."""
        return round(float(np.trace(self.weighed)))

    def potent(self, force: Any) -> Array:
        """P f: the part of a generalized force that moves the mechanism.  [Aghili Remark 2]"""
        return np.asarray(dot(self.P.T, np.asarray(force, dtype=float)))

    def impotent(self, force: Any) -> Array:
        """(I − P) f: the part that only loads the constraints."""
        return np.asarray(force, dtype=float) - self.potent(force)

    # --- what a motion needs --------------------------------------------------------------------------------------

    def inverse_dynamics(self, udot: Any) -> Array:
        """The generalized force of least norm that, added to what acts, gives u̇: P (M u̇ − f).  [Aghili Eqs. 21, 43]

        Close to a singular position P is the limit along the branch of motion.
        """
        udot = np.asarray(udot, dtype=float)
        limit = self.constrained.limit_at(self.x)
        if limit.mode is None:
            self._must_be_possible(udot)
            return self.potent(dot(self.M, udot) - self.f)
        off, size = (np.abs(part / self._units).max(initial=0.0) for part in (limit.following(udot) - udot, udot))
        if off > NEARLY * max(1.0, size):
            raise ConstraintError(
                f"'{self.constrained.name}' cannot have the accelerations {udot.tolist()} at a singular position, "
                f"{self.constrained.unconstrained._state_text(self.x)}: along its branch of motion they are "
                f"{limit.following(udot).tolist()}. Give such as `udot` gives, or speeds along another branch."
            )
        P = limit(lambda state: _operator(self.constrained, state, self.root).P)
        return np.asarray(dot(P.T, dot(self.M, udot) - self.f))

    def _must_be_possible(self, udot: Array) -> None:
        """Refuse accelerations that break a row."""
        B, names = self.constrained.terms.place(self.x).B, self.constrained.rows.names
        off, little = dot(B, udot) + self.c, ROUNDING_OF_ACCELERATION * np.abs(B * self._units).max(axis=1, initial=0.0)
        allowed = MEETS * (dot(np.abs(B), np.abs(udot)) + np.abs(self.c) + little)
        worst = [i for i in range(len(off)) if abs(off[i]) > allowed[i]]
        if worst:
            shown = ", ".join(f"'{names[i]}' by {off[i]:.3g}" for i in worst)
            raise ConstraintError(
                f"'{self.constrained.name}' cannot have the accelerations {udot.tolist()}: they break {shown}. Give "
                "accelerations with B u̇ + c = 0, e.g. those that `udot` gives."
            )

    def hybrid(self, udot: Any, constraint_force: Any) -> Array:
        """The force that gives u̇ and, besides, this generalized constraint force Bᵀλ.  [Aghili Eq. 52]"""
        moving, held = self.inverse_dynamics(udot), np.asarray(constraint_force, dtype=float)
        moves = self.potent(held)
        work, energy = self.constrained.terms.base.units.u, self.constrained.terms.base.scales.energy
        if np.abs(moves * work).max(initial=0.0) > MEETS * max(energy, np.abs(held * work).max(initial=0.0)):
            raise ConstraintError(
                f"{held.tolist()} is no constraint force of '{self.constrained.name}': its part {moves.tolist()} would "
                "move it. Give Bᵀλ, or its impotent part."
            )
        return moving + self.impotent(dot(self.M, np.asarray(udot, dtype=float)) - self.f) - held

    def actuated(self, force: Any, active: Sequence[Any]) -> Array:
        """The force of least norm with the same effect that acts on the ``active`` speeds only.  [Aghili Eqs. 53-62]"""
        names = self.constrained.unconstrained.u_names
        chosen = [getattr(item, "name", item) for item in active]
        if unknown := [name for name in chosen if name not in names]:
            raise EvaluationError(f"{unknown} are no speeds of '{self.constrained.name}'. Choose from {list(names)}.")
        E = np.eye(len(names))[:, [names.index(name) for name in chosen]]
        E_W, wanted = solve(self.root, E), solve(self.root, self.potent(force))
        Q, R = qr(E_W)  # in the metric, forces on active speeds are Q y with the norm of y
        y = lstsq(dot(self.weighed, Q), wanted, CUT)
        off = float(norm(dot(self.weighed, Q, y) - wanted))
        if off > MEETS * max(float(norm(wanted)), 1e-300):
            raise ConstraintError(
                f"'{self.constrained.name}' has {self.freedoms} degrees of freedom here, and forces on "
                f"{', '.join(chosen)} alone cannot do what was asked (a part of {off:.3g} is left). Make more joints "
                "active, or keep away from this position."
            )
        return np.asarray(dot(E, solve(R, y)))

    # --- inertia ----------------------------------------------------------------------------------------------------

    @cached_property
    def _inertia(self) -> Array:
        return np.asarray(solve(self.root, solve(self.root, self.M).T))

    def inertia(self, gamma: float | None = None) -> Array:
        """M_c = M + PM − MP, or with a γ M_c'' = PM + γ(I − P), in the metric.  [Aghili Eqs. 23, 29]"""
        M, P = self._inertia, self.weighed
        if gamma is None:
            return np.asarray(M + dot(P, M) - dot(M, P))
        return np.asarray(dot(P, M) + gamma * (np.eye(len(P)) - P))

    def condition(self, gamma: float | None = None) -> float:
        """The condition number of M_c, or of M_c'' with this γ."""
        return float(cond(self.inertia(gamma)))

    @property
    def coupling(self) -> float:
        """‖(I − P) M P‖ as a part of ‖M‖: by how much moving forces reach the constraints.  [Aghili Eq. 80]"""
        M, P = self._inertia, self.weighed
        return float(norm(dot(np.eye(len(P)) - P, M, P)) / norm(M))

    def constraint_force(self) -> Array:
        """F_c = Bᵀλ by the operator: −(f⊥ − μ f∥ − μ M Ṗu) with μ = (I − P) M M_c⁻¹.  [Aghili Eq. 32]"""
        M, P, f = self._inertia, self.weighed, solve(self.root, self.f)
        lengths = usual_lengths(self.constrained.terms, self.x, np.asarray(inv(self.root)))
        normal = dot(-self._inverse, self.c / lengths)
        moving = solve(self.inertia(), dot(P, f) + dot(M, normal))
        return np.asarray(dot(self.root, dot(np.eye(len(P)) - P, dot(M, moving) - f)))


def state_at(constrained: Constrained, q: Any, u: Any, r: Any, t: float, p: Any) -> Array:
    """(t, q, u, r, p): speeds as given where they meet the rows, also where no selection is regular; else completed."""
    equations = constrained.unconstrained
    if isinstance(u, Mapping) or u is None or len(u) == len(equations.u):
        filled, _ = by_name(u, dict.fromkeys(equations.u_names, 0.0))
        x = argument_vector(equations.system, t, q, filled, r, p)
        place, speeds = constrained.terms.place(x), x[1 + len(equations.q) :][: len(equations.u)]
        if constrained.meets(place.B, place.C, speeds):
            return x
    return constrained.arguments(q, u, r, t=t, p=p)


def operator_at(constrained: Constrained, q: Any = None, u: Any = None, r: Any = None, t: float = 0.0, p: Any = None, *,
                metric: Any = None) -> Operator:  # fmt: skip
    """Aghili's operator at a state. ``metric``: a weight for each speed, or a matrix; ones if left out."""
    x, n = state_at(constrained, q, u, r, t, p), len(constrained.unconstrained.u)
    W = np.eye(n) if metric is None else finite_numbers(metric, "the weights of a metric")
    W = np.diag(W) if W.ndim == 1 else W
    values, vectors = eigh(W) if W.shape == (n, n) else (np.zeros(1), W)
    if not values.min() > 0.0:
        raise EvaluationError(
            f"the metric of '{constrained.name}' must be {n} positive weights, or a positive {n} × {n} matrix; "
            f"got {metric}. Speeds of one unit need none."
        )
    return _operator(constrained, x, np.asarray(dot(vectors * np.sqrt(values), vectors.T)))


def _operator(constrained: Constrained, x: Array, root: Array) -> Operator:
    """The operator in the metric of a root."""
    motion, shape = constrained.terms.motion(x), inv(root)
    B, lengths = constrained.terms.place(x).B, usual_lengths(constrained.terms, x, shape)
    return Operator(constrained, x, motion.M, motion.f, motion.c, dot(B, shape) / lengths[:, None], root)

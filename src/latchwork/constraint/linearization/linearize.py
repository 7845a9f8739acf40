"""A constrained mechanism near an operating point: δẋ = A δx + B δr, with x independent coordinates and speeds.

    Φ_q δq = 0                    ties coordinates:  δq = T_q δq_ind    (the unit length of a quaternion is a row too)
    B δu + (B u + C)_q δq = 0     ties speeds:       δu = T δu_ind + G δq_ind
    δq̇ = (W u + X)_q δq + W δu,   δu̇ = u̇_q δq + u̇_u δu + u̇_r δr                        [Buffinton §6.5.1, §6.5.2]

Nothing is dropped before it is differentiated: the partial velocities in u̇ are those of the moved state. Coordinates
that only motion constraints tie keep states of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latchwork.algebra.linear import pinv
from latchwork.algebra.products import dot
from latchwork.constraint.constrained_state import must_be_finite
from latchwork.constraint.linearization.linear import Linear
from latchwork.constraint.linearization.variation import Variation
from latchwork.constraint.selection import POOR, Selection, conditioning, rank_of, scaled, select
from latchwork.constraint.solve import partition, solved
from latchwork.constraint.terms import Array
from latchwork.errors import ConstraintError, EvaluationError, did_you_mean, listed
from latchwork.kane.derivatives import partials
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.traverse import reachable, rebuild

if TYPE_CHECKING:
    from latchwork.constraint.constrained import Constrained

TIED = 1e-8  # a redundant row may be violated by this part of what moves it
LIGHT = 1e-6  # a coordinate that carries a smaller part of the kinetic energy is measured as if it carried this


class Ties(NamedTuple):
    """δq = T_q δq_ind and δu = T δu_ind + G δq_ind, with the places of the independent ones."""

    q: tuple[int, ...]
    u: tuple[int, ...]
    Tq: Array
    T: Array
    G: Array

    @property
    def whole(self) -> Array:
        """(δq, δu) from (δq_ind, δu_ind)."""
        return np.block([[self.Tq, np.zeros((len(self.Tq), self.T.shape[1]))], [self.G, self.T]])


def linearize(constrained: Constrained, x: Array, keep: Sequence[Any] = (),
              outputs: Mapping[str, Any] | None = None) -> Linear:  # fmt: skip
    """A, B, C, D at a consistent state x = (t, q, u, r, p); close to a singular position the limit along the branch."""
    equations = constrained.unconstrained
    q_keep, u_keep = _named(constrained, keep)
    if outputs is not None and not isinstance(outputs, Mapping):
        raise ConstraintError(
            f"the outputs of '{constrained.name}' are {outputs!r}. Give expressions by name, such as {{\"angle\": q1}}."
        )
    _must_hold_without_inputs(constrained)
    limit = constrained.limit_at(x)
    about = limit.states[0]
    selection = _speeds(constrained, about, u_keep)
    must_be_finite(constrained, limit.udot, x)
    chosen = _coordinates(constrained, about, constrained.slopes.at(about, selection), q_keep)
    n_q, n_r, ny = len(equations.q), len(equations.r), len(outputs) if outputs is not None else 0
    names = [equations.q_names[i] for i in chosen.independent] + [equations.u_names[j] for j in selection.independent]
    states, inputs = len(names), slice(n_q + len(equations.u), n_q + len(equations.u) + n_r)

    def linear(state: Array) -> Array:
        at = constrained.slopes.at(state, selection)
        ties = tie(constrained, state, at, selection, chosen)
        dy_z, dy_udot = _outputs(constrained, state, at, outputs)
        d = np.vstack([at.dq_rates[list(ties.q)], at.dudot[list(ties.u)], dy_z + dot(dy_udot, at.dudot)])
        rates = np.concatenate([at.q_rates[list(ties.q)], at.udot[list(ties.u)], np.zeros(ny)])
        return np.column_stack([dot(d[:, : ties.whole.shape[0]], ties.whole), d[:, inputs], rates])

    found = limit(linear)
    if not np.isfinite(found).all():
        raise EvaluationError(
            f"derivatives of '{constrained.name}' are not finite at {equations._state_text(x)}: a load, constraint or "
            "output has a corner or a jump there, such as a spring whose ends meet. Linearize at another state."
        )
    return Linear(
        name=constrained.name, states=tuple(names), inputs=tuple(s.name for s in equations.r),
        outputs=tuple(outputs) if outputs is not None else tuple(names),
        A=found[:states, :states], B=found[:states, states:-1],
        C=found[states:, :states] if outputs is not None else np.eye(states),
        D=found[states:, states:-1] if outputs is not None else np.zeros((states, n_r)),
        rates=found[:states, -1],
        at={s.name: float(v) for s, v in zip(equations.arguments, x, strict=True)},
    )  # fmt: skip


def _must_hold_without_inputs(constrained: Constrained) -> None:
    """Refuse rows that move with an input: speeds would follow its rate, which linear equations do not have."""
    rows, inputs = constrained.rows, {symbol.node: symbol.name for symbol in constrained.unconstrained.r}
    for name, phi, B, C in zip(rows.names, rows.phi, rows.B_nodes, rows.C_nodes, strict=True):
        nodes = [*B, C, *(() if phi is None else (phi,))]
        found = set(reachable(constrained.unconstrained.system.graph, nodes)) & inputs.keys()
        if found:
            raise ConstraintError(
                f"the row '{name}' of '{constrained.name}' moves with the input '{inputs[found.pop()]}': speeds would "
                "depend on it and accelerations on its rate. Make it a parameter to linearize."
            )


def _holonomic(constrained: Constrained, x: Array, at: Variation) -> Array:
    """Rows of Φ_q δq = 0, and those that keep the unit length of quaternions."""
    n_q = len(constrained.unconstrained.q)
    return np.vstack([at.dPhi[constrained.rows.configuration, :n_q], lengths(constrained, x)])


def _coordinates(constrained: Constrained, x: Array, at: Variation, keep: Sequence[int] = ()) -> Selection:
    """Which coordinates are independent."""
    equations, J = constrained.unconstrained, _holonomic(constrained, x, at)
    unit, typical = constrained.terms.base.units.q, constrained.terms.typical(x)[constrained.rows.configuration]
    rows = np.append(typical, np.ones(len(J) - len(typical)))
    chosen = select(J, _metric(constrained, x, at), independent=keep, unit=unit, rows=rows)
    if chosen.rank < rank_of(scaled(J, np.diag(1.0 / unit / unit), unit=unit, rows=rows).whole):
        raise _cannot_keep(constrained, [equations.q_names[i] for i in keep])
    return chosen


def tie(constrained: Constrained, x: Array, at: Variation, selection: Selection, chosen: Selection) -> Ties:
    """How coordinates and speeds follow those that are independent: of the speeds, and of the coordinates chosen."""
    n_q, n = len(constrained.unconstrained.q), len(constrained.unconstrained.u)
    Tq, _ = partition(_holonomic(constrained, x, at), chosen)
    T, B1 = partition(at.B, selection)
    psi_q = dot(at.dpsi[:, :n_q], Tq)
    G = np.zeros((n, Tq.shape[1]))
    G[list(selection.dependent)] = -solved(B1, psi_q[list(selection.kept)])
    base, typical = constrained.terms.base, constrained.terms.typical(x)
    one = base.units.q[list(chosen.independent)] * base.scales.time / typical[:, None]
    _must_follow(constrained, one * (dot(at.B, G) + psi_q), one * (dot(np.abs(at.B), np.abs(G)) + np.abs(psi_q)))
    return Ties(chosen.independent, selection.independent, Tq, T, G)


def lengths(constrained: Constrained, x: Array) -> Array:
    """Rows e · δe = 0: quaternions keep unit length."""
    equations = constrained.unconstrained
    place = {symbol: i for i, symbol in enumerate(equations.q)}
    rows = np.zeros((len(equations.system.quaternions), len(place)))
    for row, four in zip(rows, equations.system.quaternions, strict=True):
        columns = [place[e] for e in four]
        row[columns] = x[1:][columns]
    return rows


def _metric(constrained: Constrained, x: Array, at: Variation) -> Array:
    """Kinetic energy that the rate of each coordinate carries, by itself: Yᵀ M Y with Y = W⁺, its diagonal."""
    Y = pinv(constrained.terms.spread(x))
    unit = constrained.terms.base.units.q
    energy = np.einsum("iq,ij,jq->q", Y, at.M, Y) * unit * unit
    return np.diag(np.maximum(energy, LIGHT * max(float(energy.max(initial=0.0)), 1e-300)) / unit / unit)


def _speeds(constrained: Constrained, x: Array, keep: Sequence[int]) -> Selection:
    """Dependent speeds at this state; those of the embedding stay independent where they can."""
    terms, names = constrained.terms, constrained.unconstrained.u_names
    B, M, unit, rows = terms.place(x).B, terms.motion(x).M, terms.base.units.u, terms.typical(x)
    rank = rank_of(scaled(B, M, unit=unit, rows=rows).whole)
    if rank != constrained.selection.rank:
        raise ConstraintError(
            f"'{constrained.name}' is in a singular position: its constraints have rank {rank} there and "
            f"{constrained.selection.rank} elsewhere, so that motions branch and no linear equations describe them. "
            "Linearize at another position."
        )
    found = select(B, M, rank, keep if keep else constrained.selection.independent, unit=unit,
                   rows=rows)  # fmt: skip
    if found.rank < rank and keep:
        raise _cannot_keep(constrained, [names[j] for j in keep])
    best = select(B, M, rank, unit=unit, rows=rows)
    poor = found.rank < rank or conditioning(B, M, found, unit) > POOR * conditioning(B, M, best, unit)
    return best if poor else found


def _named(constrained: Constrained, keep: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Places of the coordinates and speeds that are to be states."""
    equations = constrained.unconstrained
    every = listed(keep, f"what is to be kept of '{equations.name}'", "Give a list of coordinates and speeds.")
    names = [item.name if isinstance(item, Expr) else str(item) for item in every]
    states = (*equations.q_names, *equations.u_names)
    for name in names:
        if name not in states:
            hint = did_you_mean(name, states)
            raise ConstraintError(f"'{name}' is no coordinate or speed of '{equations.name}'.{hint}")
    q, u = equations.q_names, equations.u_names
    return [q.index(name) for name in names if name in q], [u.index(name) for name in names if name in u]


def _cannot_keep(constrained: Constrained, names: Sequence[str]) -> ConstraintError:
    return ConstraintError(
        f"{', '.join(names)} of '{constrained.name}' cannot all be independent under "
        f"{', '.join(constrained.rows.slices)}: they do not leave enough others to meet the constraints. Keep fewer."
    )


def _must_follow(constrained: Constrained, off: Array, size: Array) -> None:
    """Redundant rows stay redundant when the state is moved; where they do not, motions branch. All in units."""
    worse = np.abs(off) > TIED * np.maximum(size.max(initial=0.0), 1.0)
    if worse.any():
        names = ", ".join(f"'{constrained.rows.names[i]}'" for i in np.flatnonzero(worse.any(axis=1)))
        raise ConstraintError(
            f"{names} of '{constrained.name}' depend on other rows at this state and not near it (off by "
            f"{float(np.abs(off).max()):.3g}): the state is singular, and no linear equations describe motions there. "
            "Linearize at another state."
        )


def _outputs(constrained: Constrained, x: Array, at: Variation,
             outputs: Mapping[str, Any] | None) -> tuple[Array, Array]:  # fmt: skip
    """∂y/∂z and ∂y/∂u̇ of named expressions."""
    equations = constrained.unconstrained
    g, system = equations.system.graph, equations.system
    moved = (*equations.q, *equations.u, *equations.r, *system.u_rates)
    given = [operand(g, e) for e in (outputs or {}).values()]
    nodes = rebuild(g, given, equations.derivation.kinematics.replaced)
    columns = [tangents(g, nodes, direction) for direction in partials(moved)]
    every = [column[i] for i in range(len(nodes)) for column in columns]
    program = lower(g, every, (*equations.arguments, *system.u_rates))
    value = Function(program)(np.concatenate([x, at.udot])).reshape(len(nodes), len(moved))
    return value[:, : len(moved) - len(equations.u)], value[:, len(moved) - len(equations.u) :]

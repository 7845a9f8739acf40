"""Reactions as one program of (t, q, u, r, p, u̇, λ): for one state, or for many rows at once.

Every row that has a pull is a load of size λ_i; with these, loads less inertia are handed down the tree of points, and
what a joint supplies follows in terms of u̇ and λ (kinetostatics). Numbers for u̇ and λ come from the embedded equations:

    F_c = M u̇ − f = Bᵀ λ,    the part of the force in the orthogonal complement of the motions  [Aghili §V-B]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latchwork.algebra.linear import svd
from latchwork.algebra.products import dot
from latchwork.constraint.reactions.reaction_items import About, Item, items_of
from latchwork.constraint.reactions.reactions import Reaction, Reactions
from latchwork.constraint.rows import Rows
from latchwork.constraint.terms import Array
from latchwork.errors import ConstraintError, EvaluationError
from latchwork.kane.equations import Equations
from latchwork.kane.forces import add_load
from latchwork.kane.wrenches import Wrenches, generalized_forces
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ONE
from latchwork.symbolic.traverse import rebuild

OPEN = 1e-9  # of a reaction per unit of λ: what redundant rows change by less is determined
FITS = 1e-6  # of a row: a pull may differ by this at an assembled state


@dataclass(frozen=True, eq=False)
class Plan:
    """The reactions of some equations under some rows, about points that were chosen."""

    equations: Equations
    items: tuple[Item, ...]
    lam: tuple[Expr, ...]
    function: Function

    @property
    def physical(self) -> list[Item]:
        """The reactions that have a force and a torque, in the order of ``wrenches``."""
        return [item for item in self.items if item.wrench is not None]

    def wrenches(self, x: Array, udot: Array, lam: Array) -> Array:
        """Six numbers (force, torque, in N) for each physical reaction, for one row x = (t, q, u, r, p) or for many."""
        rows = np.concatenate([x, udot, lam], axis=-1)
        out = self.function(rows) if rows.ndim == 1 else self.function.many(rows)
        return out.reshape(*rows.shape[:-1], len(self.physical), 6)

    def at_state(self, x: Array, udot: Array, lam: Array, B: Array, free: Array) -> Reactions:
        """Reactions by name. Columns of ``free`` span the λ that no motion feels, Bᵀ y = 0."""
        wrenches = self.wrenches(x, udot, lam)
        if not np.isfinite(wrenches).all():
            where = self.equations._state_text(x)
            raise EvaluationError(
                f"reactions of '{self.equations.name}' are not finite at {where}. A load or a pull has no direction "
                "there; look at springs without length."
            )
        numbers = dict(zip((item.name for item in self.physical), wrenches, strict=True))
        loose = dict(zip(numbers, self._loose(x, udot, free), strict=True))
        found = {}
        for item in self.items:
            own, part = list(item.rows), numbers.get(item.name)
            unsure = loose[item.name] if item.name in loose else _span(dot(B[own].T, free[own]).T, _size(B))
            found[item.name] = Reaction(
                item.name, item.on, item.other, None if item.wrench is None else item.wrench.about,
                None if part is None else part[:3], None if part is None else part[3:],
                lam[own], dot(B[own].T, lam[own]) if own else None, unsure,
                lambda vector: Function(self.equations.program(vector))(x),
            )  # fmt: skip
        return Reactions(self.equations.name, found)

    def _loose(self, x: Array, udot: Array, free: Array) -> list[Array]:
        """For each physical reaction the wrenches that redundant rows leave open: they are linear in λ."""
        count = free.shape[1]
        if not count:
            return [np.zeros((0, 6))] * len(self.physical)
        lam = np.vstack([np.zeros(free.shape[0]), free.T])
        rows = self.wrenches(np.tile(x, (count + 1, 1)), np.tile(udot, (count + 1, 1)), lam)
        change = rows[1:] - rows[0]
        size = max(_size(change), OPEN * _size(rows[0]))
        return [_span(change[:, k], size) for k in range(len(self.physical))]


def _size(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))


def _span(change: Array, size: float) -> Array:
    """An orthonormal basis of some rows, without those that are rounding."""
    _, singular, right = svd(change)
    return np.asarray(right[: int((singular > OPEN * size).sum())])


def plan_of(equations: Equations, rows: Rows | None, at: About, motors: bool = False) -> Plan:
    """The plan of all reactions; torques about ``at``, or about each joint's own point; with motors, or without."""
    g = equations.system.graph
    lam = tuple(Expr(g, g.symbol(f"lam({name})", "input")) for name in (rows.names if rows is not None else ()))
    items = items_of(equations, rows, lam, at, motors)
    N = equations.system.tree.newtonian
    vectors = [v for item in items if item.wrench is not None for v in (item.wrench.force, item.wrench.torque)]
    nodes = rebuild(g, [node for v in vectors for node in v.components(N)], equations.derivation.kinematics.replaced)
    arguments = (*equations.arguments, *equations.system.u_rates, *lam)
    return Plan(equations, tuple(items), lam, Function(lower(g, nodes, arguments)))


def pulls_must_fit(rows: Rows, x: Array, B: Array, M: Array) -> None:
    """Refuse a pull that does not do the work of its row: Σ v_r · pull = B_r on the constraint.  [Kelly Eq. 18]

    A speed without mass (where along a curve a point is) may move nothing but the row: Bᵀ λ is zero there anyway.
    """
    weighed = np.diag(M) > FITS * FITS * _size(M)
    d, g = rows.equations.derivation, rows.equations.system.graph
    one, least = Expr(g, ONE), FITS * _size(B)
    for i, pull in enumerate(rows.pulls):
        if pull is None:
            continue
        wrenches = Wrenches(d.motion)
        load = pull.load(one)
        add_load(wrenches, load)
        found = Function(lower(g, generalized_forces(wrenches, d.settle), rows.equations.arguments))(x)
        off, sizes = np.abs(found - B[i]) * weighed, np.abs([found, B[i]])
        if not off.max(initial=0.0) <= FITS * sizes.max(initial=least):
            j = int(np.argmax(off))
            name = rows.equations.u[j].name
            raise ConstraintError(
                f"the pull of '{rows.names[i]}' does not do the work of its row: per unit of {name} the row changes "
                f"by {B[i, j]:.6g}, the pull by {found[j]:.6g}. Give the direction and the two places whose "
                "relative velocity is the rate of the row."
            )

"""Embedding: D and E of u_dep = D u_ind + E, and the equations that are left, F̃_r = F_r + Σ D_sr F_s.

    u = T u_ind + S,   u̇ = T u̇_ind + γ with γ = Ṫ u_ind + Ṡ  (γ_dep = −B1⁻¹ c)
    M̃ = Tᵀ M T,        f̃ = Tᵀ (f − M γ)                        [Gillespie Eqs. 20-23, Patoglu Eqs. 11-15]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from latchwork.constraint.eliminate import eliminate
from latchwork.constraint.rows import Rows
from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array
from latchwork.errors import ConstraintError
from latchwork.kane.derive import derive
from latchwork.kane.early import SmallMotion
from latchwork.kane.equations import Equations
from latchwork.kane.linear import Simplify, solve_ltdl, solve_small
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.tidy import SHORT, tidy
from latchwork.symbolic.traverse import count_shared, rebuild

LITERAL = 3  # dependent speeds up to which D is written by cofactors
Nodes = list[list[int]]


class Embedding:
    """The matrices of an embedding as nodes; ``numbers`` is B at the state where speeds were chosen.

    ``simplify`` is applied to what is solved for: `tidied` to be read, nothing where there is no time for it.
    """

    def __init__(self, rows: Rows, selection: Selection, numbers: Array, simplify: Simplify | None = None) -> None:
        self.rows, self.selection, self.numbers = rows, selection, numbers
        self.g: Graph = rows.equations.system.graph
        self.simplify: Simplify = simplify or self.tidied
        kept, dep, ind = selection.kept, selection.dependent, selection.independent
        minus = [[self.g.neg(rows.B_nodes[i][j]) for j in ind] + [self.g.neg(rows.C_nodes[i])] for i in kept]
        solved = self.solve(minus)
        self.D: Nodes = [row[:-1] for row in solved]
        self.E: list[int] = [row[-1] for row in solved]
        u = rows.equations.u
        self.back = {u[j].node: self._speed(s) for s, j in enumerate(dep)}

    def solve(self, right: Nodes) -> Nodes:
        """B1⁻¹ R, short where it can be."""
        s, g = self.selection, self.g
        B1 = [[self.rows.B_nodes[i][j] for j in s.dependent] for i in s.kept]
        values = self.numbers[np.ix_(s.kept, s.dependent)]
        if len(s.kept) > LITERAL:
            return eliminate(g, B1, right, values)
        columns = [solve_small(g, B1, [row[c] for row in right], values, self.simplify) for c in range(len(right[0]))] \
            if right else []  # fmt: skip
        return [[column[i] for column in columns] for i in range(len(s.kept))]

    def _speed(self, s: int) -> int:
        """u_dep[s] = Σ D_sr u_r + E_s."""
        g, u = self.g, self.rows.equations.u
        total = self.E[s]
        for entry, j in zip(self.D[s], self.selection.independent, strict=True):
            total = g.add(total, g.mul(entry, u[j].node))
        return total

    @property
    def T(self) -> Nodes:
        """u = T u_ind + S: rows of the identity and of D, in the order of u."""
        dep, ind = self.selection.dependent, self.selection.independent
        place = {j: s for s, j in enumerate(dep)}
        n = len(dep) + len(ind)
        return [self.D[place[j]] if j in place else [ONE if j == i else ZERO for i in ind] for j in range(n)]

    @property
    def S(self) -> list[int]:
        """E on the dependent rows, 0 elsewhere."""
        place = {j: s for s, j in enumerate(self.selection.dependent)}
        return [self.E[place[j]] if j in place else ZERO for j in range(len(self.rows.equations.u))]

    @property
    def gamma(self) -> list[int]:
        """Ṫ u_ind + Ṡ: −B1⁻¹ c on the dependent rows, in terms of independent speeds."""
        place = {j: s for s, j in enumerate(self.selection.dependent)}
        minus = [[self.g.neg(node)] for node in self.reduced([self.rows.c_nodes[i] for i in self.selection.kept])]
        solved = self.solve(minus)
        return [solved[place[j]][0] if j in place else ZERO for j in range(len(self.rows.equations.u))]

    def reduced(self, nodes: list[int]) -> list[int]:
        """Dependent speeds replaced by what they are."""
        return rebuild(self.g, nodes, self.back)

    def recombined(self) -> tuple[Nodes, list[int]]:
        """M̃ and f̃ from the unconstrained terms."""
        g, T, gamma = self.g, self.T, self.gamma
        d = self.rows.equations.derivation
        f = self.reduced(list(d.f))
        n, k = len(f), len(self.selection.independent)
        MT = [[self._sum(zip(row, (T[j][r] for j in range(n)), strict=True)) for r in range(k)] for row in d.M]
        rest = [g.sub(f[i], self._sum(zip(d.M[i], gamma, strict=True))) for i in range(n)]
        M = [[self._sum((T[i][r], MT[i][s]) for i in range(n)) for s in range(r + 1)] for r in range(k)]
        f_tilde = [self._sum((T[i][r], rest[i]) for i in range(n)) for r in range(k)]
        return self._symmetric(M, f_tilde)

    def rates(self, power: int) -> list[int]:
        """(q̇, u̇_ind, power) in terms of (t, q, u_ind): the right-hand side of the mode, straight-line."""
        g, equations = self.g, self.rows.equations
        udot_ind = solve_ltdl(g, *self.recombined())
        T, gamma = self.T, self.gamma
        udot = [g.add(self._sum(zip(row, udot_ind, strict=True)), rest) for row, rest in zip(T, gamma, strict=True)]
        rates = {rate.node: node for rate, node in zip(equations.system.u_rates, udot, strict=True)}
        total = self.reduced(rebuild(g, [power], rates))[0]
        if any(node != ZERO for node in self.rows.C_nodes):  # moving constraints do work: (M u̇ − f) · u
            d, f = equations.derivation, self.reduced(list(equations.derivation.f))
            u = self.reduced([symbol.node for symbol in equations.u])
            force = [g.sub(self._sum(zip(row, udot, strict=True)), load) for row, load in zip(d.M, f, strict=True)]
            total = g.add(total, self._sum(zip(force, u, strict=True)))
        return [*self.reduced(list(equations.derivation.kinematics.q_rates)), *udot_ind, total]

    def _sum(self, products: Iterable[tuple[int, int]]) -> int:
        total, g = ZERO, self.g
        for a, b in products:
            total = g.add(total, g.mul(a, b))
        return total

    def _symmetric(self, M: Nodes, f: list[int]) -> tuple[Nodes, list[int]]:
        nodes = iter(self.simplify([node for row in M for node in row] + f))
        M = [[next(nodes) for _ in row] for row in M]
        return [[M[max(i, j)][min(i, j)] for j in range(len(M))] for i in range(len(M))], list(nodes)

    def tidied(self, nodes: list[int]) -> list[int]:
        """Short expressions as they would be written by hand."""
        entries = [Expr(self.g, node) for node in nodes]
        return [e.node for e in tidy(entries)] if 0 < count_shared(entries).total <= SHORT else nodes


def directly(embedding: Embedding) -> Equations:
    """Kane's equations derived in the independent speeds: ṽ_r and ω̃_r, then F̃_r + F̃_r* = 0."""
    equations, g = embedding.rows.equations, embedding.g
    if isinstance(equations, SmallMotion):
        raise ConstraintError(
            f"'{equations.name}' is linear in {', '.join(s.name for s in equations.small)} and cannot be derived again "
            "in fewer speeds without what was dropped. Read M and f of the embedded equations, or embed the whole ones."
        )
    system, ind = equations.system, embedding.selection.independent
    rates = embedding.reduced(list(equations.derivation.kinematics.q_rates))
    earlier = embedding.reduced([e.node for e in system.former_speeds.values()])
    former = dict(zip(system.former_speeds, (Expr(g, node) for node in earlier), strict=True))
    former |= {Expr(g, u): Expr(g, node) for u, node in embedding.back.items()}
    return Equations(derive(replace(
        system,
        u=tuple(system.u[j] for j in ind),
        u_rates=tuple(system.u_rates[j] for j in ind),
        definitions={},
        direct={rate: Expr(g, node) for rate, node in zip(system.q_rates, rates, strict=True)},
        zero=(),
        loads=(*system.loads, *equations.added),
        former_speeds=former,
    )))  # fmt: skip

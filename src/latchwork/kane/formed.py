"""What a derivation forms: the matrices of Kane's equations in symbols, and the equations solved for q̇ and u̇."""

from __future__ import annotations

from functools import cached_property

from latchwork.kane.columns import column, rows, tidied_column
from latchwork.kane.derive import Derivation
from latchwork.kane.forces import add_load, inertia_wrenches, load_wrenches
from latchwork.kane.solving import solved
from latchwork.kane.speeds import matrices
from latchwork.kane.wrenches import generalized_forces
from latchwork.mechanics.loads import Load
from latchwork.mechanics.system import System
from latchwork.symbolic.arguments import Arguments
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.traverse import Operations, count_literal, count_shared, reachable, rebuild


class Formed:
    """M u̇ = f and q̇ = W u + X in symbols, with the names that stand in them."""

    def __init__(self, derivation: Derivation, added: tuple[Load, ...] = ()) -> None:
        self.derivation = derivation
        self.system: System = derivation.system
        self.added = added

    # --- names and symbols ---------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.system.name

    @property
    def q(self) -> tuple[Expr, ...]:
        return self.system.q

    @property
    def u(self) -> tuple[Expr, ...]:
        return self.system.u

    @property
    def r(self) -> tuple[Expr, ...]:
        return self.system.r

    @property
    def p(self) -> tuple[Expr, ...]:
        return self.system.p

    @property
    def t(self) -> Expr:
        return self.system.t

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        return tuple(symbol.name for symbol in self.system.q)

    @cached_property
    def u_names(self) -> tuple[str, ...]:
        return tuple(symbol.name for symbol in self.system.u)

    @cached_property
    def arguments(self) -> Arguments:
        """The inputs of every program: (t, q, u, r, p)."""
        s = self.system
        return Arguments((s.t, *s.q, *s.u, *s.r, *s.p))

    # --- matrices ------------------------------------------------------------------------------------------------

    @cached_property
    def M(self) -> Matrix:
        """Mass matrix: F_r* = -(M u̇ + h)."""
        return rows(self.system.graph, self.derivation.M, len(self.u))

    @cached_property
    def f(self) -> Matrix:
        """f = Fr - h, so that M u̇ = f."""
        return column(self.system.graph, self.derivation.f)

    @cached_property
    def Fr(self) -> Matrix:
        """Generalized active forces, F_r = Σ v_r · R + Σ ω_r · T.  [Gillespie Eq. 32]"""
        d = self.derivation
        wrenches = load_wrenches(d.motion, d.settle)
        for load in self.added:
            add_load(wrenches, load)
        return tidied_column(self.system.graph, generalized_forces(wrenches, d.settle))

    @cached_property
    def h(self) -> Matrix:
        """What remains of the inertia forces with u̇ = 0: F_r* = -(M u̇ + h)."""
        d = self.derivation
        return tidied_column(self.system.graph, generalized_forces(inertia_wrenches(d.motion, d.settle), d.settle))

    @cached_property
    def Fr_star(self) -> Matrix:
        """Generalized inertia forces F_r* = -(M u̇ + h).  [Gillespie Eq. 33]"""
        return -1.0 * (self.M @ Matrix.column(list(self.system.u_rates)) + self.h)

    @cached_property
    def _kinematical(self) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        return matrices(self.system, self.derivation.kinematics)

    @property
    def Y(self) -> Matrix:
        """u = Y q̇ + Z, as the speeds were defined.  [Gillespie Eq. 1]"""
        return self._kinematical[0]

    @property
    def Z(self) -> Matrix:
        """u = Y q̇ + Z, as the speeds were defined.  [Gillespie Eq. 1]"""
        return self._kinematical[1]

    @property
    def W(self) -> Matrix:
        """q̇ = W u + X.  [Gillespie Eq. 2]"""
        return self._kinematical[2]

    @property
    def X(self) -> Matrix:
        """q̇ = W u + X.  [Gillespie Eq. 2]"""
        return self._kinematical[3]

    # --- solved for the rates ------------------------------------------------------------------------------------

    @cached_property
    def qdot_expressions(self) -> Matrix:
        """q̇ in terms of u: the kinematical differential equations."""
        return column(self.system.graph, list(self.derivation.kinematics.q_rates))

    @cached_property
    def udot_expressions(self) -> Matrix:
        """u̇ in terms of t, q, u, r, p: the dynamical differential equations, solved."""
        return solved(self.derivation, self.added)

    @cached_property
    def operations(self) -> Operations:
        """Operations of u̇ after sharing."""
        return count_shared(list(self.udot_expressions))

    @cached_property
    def operations_literal(self) -> Operations:
        """Operations of u̇ as printed, nothing shared: how the papers count."""
        return count_literal(list(self.udot_expressions))

    def in_states(self, nodes: list[int]) -> list[int]:
        """Nodes with q̇ and u̇ replaced by what they are, in terms of t, q, u, r and p."""
        g = self.system.graph
        wanted = {symbol.node for symbol in self.system.u_rates}
        replaced = dict(self.derivation.kinematics.replaced)
        if wanted & set(reachable(g, nodes)):
            replaced |= {rate.node: e.node for rate, e in zip(self.system.u_rates, self.udot_expressions, strict=True)}
        return rebuild(g, nodes, replaced)

"""Equations: what a derivation gives, frozen. Symbolic matrices to read, programs to evaluate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.errors import answering, must_be, number_of, spelled_methods
from latchwork.kane.derive import derive, shortened
from latchwork.kane.evaluated import Evaluated
from latchwork.kane.forces import add_load
from latchwork.kane.values import argument_vector
from latchwork.kane.wrenches import Wrenches, generalized_forces
from latchwork.mechanics.body import Body
from latchwork.mechanics.joints import Link
from latchwork.mechanics.loads import Load
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import reachable

if TYPE_CHECKING:
    from latchwork.constraint.constrained import Constrained
    from latchwork.constraint.linearization.equilibrium import Steady
    from latchwork.constraint.linearization.linear import Linear
    from latchwork.constraint.reactions.reaction_plan import Plan
    from latchwork.constraint.reactions.reactions import Reactions
    from latchwork.kane.early import SmallMotion


@answering
@spelled_methods
class Equations(Evaluated):
    """Kane's equations F_r + F_r* = 0, unconstrained: M u̇ = f with q̇ = W u + X."""

    # --- reactions -----------------------------------------------------------------------------------------------

    def reaction_of(self, what: Body | Link | Point, direction: Vector) -> Expr:
        """The force along a direction with which its coordinates, or its joint, hold a body; in terms of u̇.

        An auxiliary speed of the body along the direction brings it into evidence.  [Patoglu §5.4]
        """
        from latchwork.constraint.reactions.auxiliary_speeds import reaction_along

        return reaction_along(self, self._resultants, what, direction)

    def reaction_torque_of(self, what: Body | Link | Point, direction: Vector, about: Point | None = None) -> Expr:
        """The torque about a direction with which its coordinates, or its joint, hold a body; in terms of u̇."""
        from latchwork.constraint.reactions.auxiliary_speeds import reaction_about

        return reaction_about(self, self._resultants, what, direction, about)

    def reactions(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None,
                  at: Any = None, motors: bool = False) -> Reactions:  # fmt: skip
        """Forces and torques of every joint by name, in the motion that the loads cause.

        Torques are about where each joint is, or about ``at``: a point, or points by the names of joints. What drives a
        joint (``model.actuate``, ``resist``, a torque between its two bodies) is a load of its own, so that nothing is
        left along the joint's freedoms; with ``motors`` it is contained in the joint's force and torque.
        """
        x, none = argument_vector(self.system, t, q, u, r, p), np.zeros((0, len(self.u)))
        return self.reaction_plan(at, motors).at_state(x, self.udot(q, u, r, t=t, p=p), none[:, 0], none, none[:, :0])

    def reaction_plan(self, at: Any = None, motors: bool = False) -> Plan:
        """Reactions as one program of (t, q, u, r, p, u̇), for one state or for many rows."""
        from latchwork.constraint.reactions.reaction_items import about, must_be_names
        from latchwork.constraint.reactions.reaction_plan import plan_of

        key = about(self.system, at), bool(motors)
        if key not in self._plans:
            self._plans[key] = plan_of(self, None, *key)
            must_be_names(self, self._plans[key].items, key[0])
        return self._plans[key]

    @cached_property
    def _plans(self) -> dict[Any, Plan]:
        return {}

    # --- further equations --------------------------------------------------------------------------------------

    def with_loads(self, *loads: Load) -> Equations:
        """The equations with loads added afterwards: F_r + v_r · R; nothing is derived again.  [Buffinton §6.3.9]"""
        d = self.derivation
        wrenches = Wrenches(d.motion)
        for load in loads:
            must_be(load, Load, "an added load", "Give lw.Force, lw.Torque, lw.Spring or lw.Torsion.")
            add_load(wrenches, load)
        g = self.system.graph
        extra = generalized_forces(wrenches, d.settle)
        derivation = replace(d, system=_with_new_symbols(self.system, extra), write_M=lambda: d.M,
                             write_f=lambda: [g.add(a, b) for a, b in zip(d.f, extra, strict=True)])  # fmt: skip
        return Equations(derivation, (*self.added, *loads))

    def in_speeds(self, **definitions: Expr) -> Equations:
        """The same equations in other speeds w = J u + b, each given as an expression in u (or q̇).

        u = T w + S gives Tᵀ M T ẇ = Tᵀ (f - M (Ṫ w + Ṡ)): joint space to operational space, and back.
        """
        from latchwork.kane.transform import in_speeds

        return in_speeds(self, definitions)

    def embed(self, *constraints: Any, independent: Sequence[Any] | None = None, at: Any = None, t: float = 0.0,
              p: Any = None) -> Constrained:  # fmt: skip
        """The equations with constraints embedded: F̃_r = F_r + Σ D_sr F_s.  [Gillespie Eq. 24]

        Dependent speeds are chosen so that they are well determined at the coordinates ``at`` (default: at random
        ones that can be assembled); ``independent`` names the speeds to keep instead.
        """
        from latchwork.constraint.constrained import embed

        return embed(self, constraints, independent, at, t, p)

    def linearize(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None,
                  keep: Sequence[Any] = (), outputs: Mapping[str, Any] | None = None) -> Linear:  # fmt: skip
        """δẋ = A δx + B δr, δy = C δx + D δr about a state: as ``Constrained.linearize``, without constraints."""
        return self._without_constraints.linearize(q, u, r, t=t, p=p, keep=keep, outputs=outputs)

    def equilibrium(self, q: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None, hold: Sequence[Any] = (),
                    find: Sequence[Any] = ()) -> Steady:  # fmt: skip
        """A position near q in which everything can stay at rest: as ``Constrained.equilibrium``."""
        return self._without_constraints.equilibrium(q, r, t=t, p=p, hold=hold, find=find)

    def steady(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None,
               hold: Sequence[Any] = (), find: Sequence[Any] = (),
               vanish: Sequence[Any] | None = None) -> Steady:  # fmt: skip
        """A motion near a given one in which chosen u̇ vanish: as ``Constrained.steady``."""
        return self._without_constraints.steady(q, u, r, t=t, p=p, hold=hold, find=find, vanish=vanish)

    def for_small(self, *small: Any) -> SmallMotion:
        """The equations to first order in some coordinates and speeds, made linear early.  [Buffinton §6.5.1]

        Partial velocities are taken from the whole velocities and then made linear; products of small quantities are
        never formed. What is not named stays as it is: a spin, a prescribed motion.
        """
        from latchwork.kane.early import for_small

        return for_small(self, small)

    @cached_property
    def _without_constraints(self) -> Constrained:
        return self.embed()

    def shortened(self) -> Equations:
        """The same equations, rewritten to take fewer operations; small systems are short already."""
        return Equations(shortened(self.derivation), self.added)

    # --- to read ------------------------------------------------------------------------------------------------

    def report(self) -> str:
        """Information report: bodies, tree, q/u map, speeds, equations, counts."""
        from latchwork.kane.report import report

        return report(self)

    def __repr__(self) -> str:
        sizes = f"{number_of(len(self.u), 'speed')}, {number_of(len(self.q), 'coordinate')}"
        return f"<Kane's equations of '{self.name}': {sizes}; {self.operations}>"

    def __str__(self) -> str:
        from latchwork.kane.report import literal

        return literal(self)

    def latex(self) -> str:
        from latchwork.kane.report import literal_latex

        return literal_latex(self)

    def html(self) -> str:
        """A page that needs no network: equations as MathML, tables, counts."""
        from latchwork.kane.report import html

        return html(self)

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def _repr_html_(self) -> str:
        from latchwork.kane.page import equations_html

        return equations_html(self)


def equations(system: System) -> Equations:
    """Kane's equations of a system."""
    return Equations(derive(system))


def _with_new_symbols(system: System, nodes: list[int]) -> System:
    """The system with inputs and parameters that only later loads mention."""
    known = set(system.r) | set(system.p)
    g = system.graph
    fresh = [Expr(g, i) for i in reachable(g, nodes) if i in g.symbols and g.symbols[i].kind in ("input", "parameter")]
    fresh = [symbol for symbol in fresh if symbol not in known]
    if not fresh:
        return system
    values = {**system.values, **{s: v for s in fresh if (v := g.symbols[s.node].value) is not None}}
    r = system.r + tuple(s for s in fresh if s.kind == "input")
    p = system.p + tuple(s for s in fresh if s.kind == "parameter")
    return replace(system, r=r, p=p, values=values)

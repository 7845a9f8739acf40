"""Elastic bodies: mass spread along a frame R, displaced by elastic coordinates q_j.  [Buffinton §6.5.3]

A particle of the body is at p(q) from the root O, a point fixed in R. All that its inertia needs are moments of p and
of its derivatives p_j = ∂p/∂q_j over the mass, functions of q that hold few coefficients:

    m = ∫ dm,   S = ∫ p dm,   J = ∫ (p·p U - p p) dm,   H_j = ∫ p × p_j dm,   M_jk = ∫ p_j · p_k dm

    K = ½ m v² + v · (ω × S + Σ S_j q̇_j) + ½ ω · J · ω + ω · Σ H_j q̇_j + ½ Σ Σ M_jk q̇_j q̇_k,     S_j = ∂S/∂q_j

with v of O and ω of R. Kept are terms of K up to the second order in q and q̇ together: S and J to the second, H to the
first, M to the zeroth. Then the equations of q are linear in q and q̇, with everything that is linear in them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

Three = tuple[Expr, Expr, Expr]


@dataclass(frozen=True, eq=False)
class ElasticBody:
    """The moments of a body that bends, measures in its frame; ``M`` by coordinates that are coupled, j ≤ k."""

    name: str
    frame: Frame
    root: Point
    q: tuple[Expr, ...]
    mass: Expr
    S: Three
    J: tuple[Three, Three, Three]
    H: tuple[Three, ...]
    M: dict[tuple[int, int], Expr]
    slopes: tuple[Expr, ...] = ()  # what must stay small: turns of sections in the frame
    stations: dict[Frame, Point] = field(default_factory=dict, init=False, repr=False)  # sections, where they are
    places: list[Expr] = field(default_factory=list, init=False, repr=False)  # s/L of what slides along it

    def __repr__(self) -> str:
        return self.name

    @property
    def first_moment(self) -> Vector:
        """S as a vector."""
        return self.frame.vector(*self.S)

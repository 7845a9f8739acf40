"""The deflection of a beam: how its axis and sections move with elastic coordinates.  [Buffinton Eqs. 6.76, 6.87]

    p(s) = (s + Σ ψ_a q_a - ½ ΣΣ ε_ij q_i q_j) x + Σ φ_i q_i y + Σ φ_k q_k z,     ε_ij(s) = ∫₀ˢ φ_i' φ_j' dσ

The second-order term is the foreshortening of an axis that bends without getting longer. Velocities found from p keep
it in the partial velocities, -Σ ε_ij q_i x + φ_j y, where it is linear; without it, it would be lost for good.
A section turns by η' about z, -ζ' about y and θ about x, body-fixed in this order; θ is the twist, less ∫ η'' ζ' dσ
which bending about two axes turns a section back by, so that the twist per length is what strains the beam.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from latchwork.flexible.legendre import Series
from latchwork.symbolic.expr import Expr

Number = Expr | float
DIRECTIONS = ("y", "z", "twist", "stretch")


@dataclass(frozen=True)
class Field:
    """One direction of a beam: shapes of x = s/L with their coordinates."""

    shapes: tuple[Series, ...]
    q: tuple[Expr, ...]

    @cached_property
    def foreshortening(self) -> dict[tuple[int, int], Series]:
        """e_ij(x) = ∫₀ˣ φ_i' φ_j' dx, i ≤ j; ε_ij = e_ij / L."""
        slopes = [shape.derivative for shape in self.shapes]
        return {(i, j): (slopes[i] * slopes[j]).integral for i in range(len(slopes)) for j in range(i, len(slopes))}

    def value(self, x: Number, order: int = 0) -> Any:
        """Σ dⁿφ_i/dxⁿ(x) q_i."""
        total: Any = 0.0
        for shape, q in zip(self.shapes, self.q, strict=True):
            for _ in range(order):
                shape = shape.derivative
            total = total + shape.at(x) * q
        return total

    def products(self) -> Iterator[tuple[int, int, Expr]]:
        """i, j, q_i q_j for i ≤ j, doubled where i < j: the terms of a quadratic form."""
        for i, a in enumerate(self.q):
            for j in range(i, len(self.q)):
                yield i, j, a * a if i == j else 2.0 * (a * self.q[j])

    def shortened(self, x: Number) -> Any:
        """ΣΣ e_ij(x) q_i q_j."""
        total: Any = 0.0
        for i, j, product in self.products():
            total = total + self.foreshortening[i, j].at(x) * product
        return total


NOTHING = Field((), ())


@dataclass(frozen=True)
class Deflection:
    """The fields of a beam, and its length."""

    fields: dict[str, Field]
    length: Number
    stiffening: bool

    def field(self, direction: str) -> Field:
        return self.fields.get(direction, NOTHING)

    def position(self, x: Number) -> tuple[Any, Any, Any]:
        """Measures of p from the root, in the frame of the beam."""
        along = x * self.length + self.field("stretch").value(x)
        for direction in ("y", "z") if self.stiffening else ():
            if direction in self.fields:
                along = along - 0.5 / self.length * self.fields[direction].shortened(x)
        return along, self.field("y").value(x), self.field("z").value(x)

    def slopes(self, x: Number) -> tuple[Any, Any]:
        """η', ζ'."""
        y, z = (self.field(d).value(x, 1) / self.length for d in "yz")
        return y, z

    def curvatures(self, x: Number) -> tuple[Any, Any]:
        """η'', ζ''."""
        y, z = (self.field(d).value(x, 2) / (self.length * self.length) for d in "yz")
        return y, z

    def turn(self, x: Number) -> Any:
        """θ = Σ χ_k q_k - ∫ η'' ζ' dσ."""
        total = self.field("twist").value(x)
        y, z = self.field("y"), self.field("z")
        for phi, q in zip(y.shapes, y.q, strict=True) if self.stiffening else ():
            for other, p in zip(z.shapes, z.q, strict=True):
                back = (phi.derivative.derivative * other.derivative).integral.at(x)
                total = total - back * (q * p) / (self.length * self.length)
        return total

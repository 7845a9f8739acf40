"""Integrals of a beam's mass over its shapes, done once, and its moments m, S, J, H, M made of them.

With r the mass per length relative to ρ, e_ij(x) = ∫₀ˣ φ_i' φ_j' dx, and x from 0 to 1:

    r_n = ∫ r xⁿ,   Φ_i = ∫ r φ_i,   Ψ_i = ∫ r x φ_i,   M_ij = ∫ r φ_i φ_j,   E_ij = ∫ r e_ij,   X_ij = ∫ r x e_ij

    S_x = ρ L² r₁ + ρ L Σ Φ_a q_a - ½ ρ ΣΣ E_ij q_i q_j,    S_y = ρ L Σ Φ_i q_i
    ∫ ξ² dm = ρ L³ r₂ + ... - ρ L ΣΣ X_ij q_i q_j,          H_i = ρ L² Ψ_i z

They are parameters of the model, by names such as blade_E_y1_y2, without units; those that vanish or are one by
orthogonality and normalisation are numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from latchwork.flexible.deflection import Deflection, Field
from latchwork.flexible.legendre import Series, X
from latchwork.flexible.quadrature import integral
from latchwork.flexible.section import Along
from latchwork.mechanics.elastic_body import ElasticBody
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.graph import Graph

Array = np.ndarray
Triple = tuple[Any, Any, Any]
Name = Callable[[str, float], Any]  # a parameter with this name and value, or a number
VANISHES = 1e-12  # of the size of what is integrated: rounding of integrals that are zero by symmetry or orthogonality


@dataclass(frozen=True)
class Integrals:
    """Integrals ∫ w f dx over a beam, each named when it is first asked for."""

    beam: str
    weight: Along
    name: Name

    def __call__(self, label: str, *factors: Series) -> Any:
        """∫ w Π f dx."""
        w = self.weight

        def values(x: Array) -> Array:
            found = np.array([f(x) for f in factors]).prod(axis=0) * w.at(x) if factors else w.at(x)
            return np.array([found, found * found])

        total, square = integral(values, w.profile is None, f"the section of '{self.beam}'")
        return self.name(label, 0.0 if total * total <= VANISHES**2 * square else float(total))


class Moments:
    """S, J, H and M of a beam as expressions in its elastic coordinates."""

    def __init__(self, beam: str, deflection: Deflection, rho_A: Along, rho_J: Along | None, name: Name) -> None:
        self.d, self.rho, self.L = deflection, rho_A.scale, deflection.length
        self.mass_of = Integrals(beam, rho_A, name)
        self.turning = None if rho_J is None else (rho_J.scale, Integrals(beam, rho_J, name))
        self.axes = {axis: deflection.field(d) for axis, d in {"x": "stretch", "y": "y", "z": "z"}.items()}
        self.r = [self.mass_of(f"r{n}", *[X] * n) for n in range(3)]
        self._kept: dict[str, Any] = {}

    def of(self, frame: Frame, root: Point, name: str) -> ElasticBody:
        """The elastic body."""
        q = tuple(each for field in self.d.fields.values() for each in field.q)
        H = [self._H(direction, i) for direction, field in self.d.fields.items() for i in range(len(field.q))]
        g, (a, b, c) = frame.graph, self._J()
        M = {pair: _expr(g, entry) for pair, entry in self._M().items()}
        J = _three(g, a), _three(g, b), _three(g, c)
        mass = _expr(g, self.rho * self.L * self.r[0])
        return ElasticBody(name, frame, root, q, mass, _three(g, self._S()), J, tuple(_three(g, h) for h in H), M)

    # --- integrals by name --------------------------------------------------------------------------------------

    def _once(self, label: str, *factors: Series) -> Any:
        if label not in self._kept:
            self._kept[label] = self.mass_of(label, *factors)
        return self._kept[label]

    def _phi(self, axis: str, i: int, moment: bool = False) -> Any:
        """Φ_i or Ψ_i."""
        label = f"{'Psi' if moment else 'Phi'}_{axis}{i + 1}"
        return self._once(label, *([X] if moment else []), self.axes[axis].shapes[i])

    def _cross(self, a: str, i: int, b: str, j: int) -> Any:
        """∫ r φ_i φ_j."""
        (a, i), (b, j) = sorted(((a, i), (b, j)))
        return self._once(f"M_{a}{i + 1}_{b}{j + 1}", self.axes[a].shapes[i], self.axes[b].shapes[j])

    def _shortening(self, letter: str, axis: str, i: int, j: int) -> Any:
        """E_ij or X_ij."""
        factor = [X] if letter == "X" else []
        return self._once(f"{letter}_{axis}{i + 1}_{axis}{j + 1}", *factor, self.axes[axis].foreshortening[i, j])

    def _shortened(self, letter: str) -> Any:
        """ΣΣ E_ij q_i q_j (or X_ij) over both directions of bending."""
        total: Any = 0.0
        for axis in "yz" if self.d.stiffening else "":
            for i, j, qq in self.axes[axis].products():
                total = total + self._shortening(letter, axis, i, j) * qq
        return total

    def _linear(self, axis: str, moment: bool = False) -> Any:
        """Σ Φ_i q_i or Σ Ψ_i q_i."""
        return _sum(self._phi(axis, i, moment) * q for i, q in enumerate(self.axes[axis].q))

    def _bilinear(self, a: str, b: str) -> Any:
        """∫ r (Σ φ_i q_i) (Σ φ_j q_j)."""
        if a == b:
            return _sum(self._cross(a, i, a, j) * qq for i, j, qq in self.axes[a].products())
        pairs = product(enumerate(self.axes[a].q), enumerate(self.axes[b].q))
        return _sum(self._cross(a, i, b, j) * (p * q) for (i, p), (j, q) in pairs)

    def _with(self, axis: str, i: int, b: str) -> Any:
        """∫ r φ_i (Σ φ_j q_j)."""
        return _sum(self._cross(axis, i, b, j) * q for j, q in enumerate(self.axes[b].q))

    # --- moments ------------------------------------------------------------------------------------------------

    def _S(self) -> Triple:
        rho, L = self.rho, self.L
        along = rho * L * L * self.r[1] + rho * L * self._linear("x") - 0.5 * rho * self._shortened("E")
        return along, rho * L * self._linear("y"), rho * L * self._linear("z")

    def _J(self) -> tuple[Triple, Triple, Triple]:
        """J = ∫ (p·p U - p p) dm, and the section's own about x."""
        rho, L = self.rho, self.L
        stretched = 2.0 * L * self._linear("x", True) + self._bilinear("x", "x")
        xx = rho * L * (L * L * self.r[2] + stretched - self._shortened("X"))
        yy, zz, yz = (rho * L * self._bilinear(a, b) for a, b in ("yy", "zz", "yz"))
        xy, xz = (rho * L * (L * self._linear(b, True) + self._bilinear("x", b)) for b in "yz")
        own = 0.0 if self.turning is None else self.turning[0] * L * self.turning[1]("J0")
        return (yy + zz + own, -xy, -xz), (-xy, xx + zz, -yz), (-xz, -yz, xx + yy)

    def _H(self, direction: str, i: int) -> Triple:
        """∫ p × p_i dm to first order."""
        rho, L = self.rho, self.L
        if direction == "twist":
            assert self.turning is not None
            scale, integrals = self.turning
            return scale * L * integrals(f"Phi_twist{i + 1}", self.d.fields["twist"].shapes[i]), 0.0, 0.0
        axis = "x" if direction == "stretch" else direction
        with_x, with_y, with_z = (rho * L * self._with(axis, i, b) for b in "xyz")
        if axis == "x":
            return 0.0, with_z, -with_y
        arm = rho * L * L * self._phi(axis, i, True) + with_x
        return (-with_z, 0.0, arm) if axis == "y" else (with_y, -arm, 0.0)

    def _M(self) -> dict[tuple[int, int], Any]:
        """∫ p_i · p_j dm, where it does not vanish."""
        found, first = {}, 0
        for direction, field in self.d.fields.items():
            for i, j in combinations_with_replacement(range(len(field.q)), 2):
                entry = self._M_entry(direction, field, i, j)
                if not (isinstance(entry, float) and entry == 0.0) and not (isinstance(entry, Expr) and entry == 0.0):
                    found[first + i, first + j] = entry
            first += len(field.q)
        return found

    def _M_entry(self, direction: str, field: Field, i: int, j: int) -> Any:
        if direction == "twist":
            assert self.turning is not None
            scale, integrals = self.turning
            return scale * self.L * integrals(f"M_twist{i + 1}_twist{j + 1}", field.shapes[i], field.shapes[j])
        axis = "x" if direction == "stretch" else direction
        return self.rho * self.L * self._cross(axis, i, axis, j)


def _expr(g: Graph, value: Any) -> Expr:
    return Expr(g, operand(g, value))


def _three(g: Graph, a: Triple) -> tuple[Expr, Expr, Expr]:
    return _expr(g, a[0]), _expr(g, a[1]), _expr(g, a[2])


def _sum(terms: Any) -> Any:
    total: Any = 0.0
    for term in terms:
        total = total + term
    return total

"""Elastic forces of a beam on its coordinates, with material damping.  [Buffinton Eqs. 6.94, 6.95, integrated by parts]

    V = ½ ΣΣ K_ij q_i q_j,   K_ij = ∫ EI φ_i'' φ_j'' ds   (EA, GJ with first derivatives for stretch and twist)
    Q_i = -Σ K_ij (q_j + τ q̇_j)                            σ = E (ε + τ ε̇), Kelvin and Voigt
"""

from __future__ import annotations

from typing import Any

from latchwork.flexible.deflection import Deflection
from latchwork.flexible.inertia_integrals import Integrals, Name
from latchwork.flexible.section import Along
from latchwork.mechanics.loads import GeneralizedForce
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr

ORDER = {"y": 2, "z": 2, "twist": 1, "stretch": 1}


def elastic_forces(beam: str, deflection: Deflection, stiffness: dict[str, Along], damping: Any,
                   name: Name) -> GeneralizedForce:  # fmt: skip
    """The load that bends a beam back."""
    efforts: list[tuple[Expr, Expr]] = []
    potential: Any = 0.0
    for direction, field in deflection.fields.items():
        K = stiffness_matrix(beam, deflection, direction, stiffness[direction], name)
        for i, q in enumerate(field.q):
            pull: Any = 0.0
            for j, other in enumerate(field.q):
                entry = K[min(i, j), max(i, j)]
                pull = pull - entry * (other + damping * dt(other))
                potential = potential + 0.5 * entry * (q * other)
            efforts.append((q, pull))
    return GeneralizedForce(tuple(efforts), f"elasticity of {beam}", potential)


def stiffness_matrix(beam: str, deflection: Deflection, direction: str, section: Along,
                     name: Name) -> dict[tuple[int, int], Any]:  # fmt: skip
    """K_ij, i ≤ j, of one direction."""
    order, field = ORDER[direction], deflection.fields[direction]
    scale = section.scale / deflection.length ** (2 * order - 1)
    curved = list(field.shapes)
    for _ in range(order):
        curved = [shape.derivative for shape in curved]
    integral = Integrals(beam, section, name)
    found = {}
    for i, a in enumerate(curved):
        for j in range(i, len(curved)):
            found[i, j] = scale * integral(f"K_{direction}{i + 1}_{direction}{j + 1}", a, curved[j])
    return found

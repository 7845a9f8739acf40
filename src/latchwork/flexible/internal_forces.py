"""Internal forces of a beam at an arc length, as expressions: for runs, plots, rules and reports.

    M = EI (η'' + τ η̇''),   V = -(EI (η'' + τ η̇''))',   N = EA (u' + τ u̇'),   T = GJ (θ' + τ θ̇')
    ε = u' - y η'' - z ζ''                                       the strain at (y, z) of the section

They come from the shapes, so that M, and V more than M, needs more modes than the deflection; where the force of the
clamp is wanted, ask for reactions. M bends the tip towards positive y; V is what the part beyond s exerts along y.
"""

from __future__ import annotations

from typing import Any

from latchwork.errors import ModelError, must_be
from latchwork.flexible.deflection import Deflection
from latchwork.flexible.legendre import Series, fitted
from latchwork.flexible.section import Along
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr

NAMES = {"y": "EI", "z": "EI", "twist": "GJ", "stretch": "EA"}


def _field_must_be(beam: str, deflection: Deflection, direction: str) -> None:
    must_be(direction, str, f"the direction of a force in beam '{beam}'", f"Give one of {', '.join(NAMES)}.")
    if direction not in deflection.fields:
        known = ", ".join(deflection.fields)
        raise ModelError(f"beam '{beam}' has no modes along '{direction}', so it has no force there; it has {known}. "
                         f"Give {NAMES.get(direction, 'EI')} and modes.")  # fmt: skip


def _series_of(beam: str, section: Along) -> Series:
    """The profile of a section as a polynomial of x."""
    if section.profile is None:
        return Series((1.0,))
    profile = section.profile
    found = fitted(lambda x: float(profile(x)))  # type: ignore[arg-type]
    if found is None:
        raise ModelError(f"the section of beam '{beam}' is not smooth enough to have a shear force at every s.")
    return found


def stress_resultant(beam: str, deflection: Deflection, section: dict[str, Along], damping: Any, direction: str, x: Any,
                     derivative: bool = False) -> Any:  # fmt: skip
    """M, N or T of one direction at x, or the derivative of M with respect to s."""
    _field_must_be(beam, deflection, direction)
    field, along = deflection.fields[direction], section[direction]
    order = 2 if direction in "yz" else 1
    profile = _series_of(beam, along)
    total: Any = 0.0
    for shape, q in zip(field.shapes, field.q, strict=True):
        for _ in range(order):
            shape = shape.derivative
        product = profile * shape
        total = total + (product.derivative if derivative else product).at(x) * (q + damping * dt(q))
    return along.scale * total / deflection.length ** (order + int(derivative))


def strain(deflection: Deflection, x: Any, y: Any, z: Any) -> Expr:
    """u' - y η'' - z ζ''."""
    stretch = deflection.field("stretch").value(x, 1) / deflection.length
    bent_y, bent_z = deflection.curvatures(x)
    total: Expr = stretch - y * bent_y - z * bent_z + 0.0 * deflection.length
    return total

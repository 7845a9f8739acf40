"""Supports that a beam slides over: a place on the beam that changes, held at a point of another body.

    p(s) = p_support along every axis in which the beam moves                     [Buffinton Eqs. 6.96-6.100]

The arc length s of the material that is at the support now is a coordinate without mass. Its rate takes up what slides
through, so that the rows that are left say no more than n · (v^G(s) - v^P) = 0, with n across the beam: Eq. 6.99.
What drives the beam along its axis, F t at the material point and -F t at the support, has the power -F ṡ; it is a
force on s (Eq. 6.101).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.errors import must_be
from latchwork.flexible.beam import Beam
from latchwork.mechanics.loads import GeneralizedForce
from latchwork.mechanics.point import Point
from latchwork.symbolic.expr import Expr, minimum, operand

if TYPE_CHECKING:
    from latchwork.model.model import Model


@dataclass(frozen=True, eq=False)
class Support:
    """A support of a beam: the arc length ``s`` at which the beam passes it, the point, the constraint."""

    name: str
    beam: Beam
    point: Point
    s: Expr
    constraint: Constraint


def support_of(model: Model, name: str, beam: Any, point: Point) -> Support:
    """A point that a beam slides over, entered into a model; a run ends where the beam leaves it."""
    must_be(beam, Beam, f"what slides over support '{name}'", "Give a beam without segments, from model.beam.")
    (s,) = model.coordinates(f"s_{name}")
    model._direct[model._rates[s]] = model._speed(f"u_{name}")
    place = beam.at(s, f"{beam.name}_at_{name}")
    axes = [beam.frame.x, beam.frame.y] + ([beam.frame.z] if "z" in beam.deflection.fields else [])
    rows = [place.position(point).dot(axis) for axis in axes]
    held = model._constrain(Constraint(name, rows, [Pull(axis, place, point) for axis in axes]))
    model.rule(f"{beam.name} leaves {name}", minimum(s, beam.length - s), stop=True)
    return Support(name, beam, point, s, held)


def drive_of(model: Model, support: Any, force: Any, name: str) -> GeneralizedForce:
    """The force with which a support pushes its beam along the axis, towards the tip."""
    must_be(support, Support, "what drives a beam along its axis", "Give what model.support returned.")
    push = Expr(model.graph, operand(model.graph, force))
    return GeneralizedForce(((support.s, -push),), name or f"drive of {support.name}")

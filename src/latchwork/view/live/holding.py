"""What the names of a mode mean: constraints of a model, its rules and an exhibit, and contacts that are closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.rule import Latch
from latchwork.constraint.terms import base_of
from latchwork.contact.closest_point.states import tracked_equations
from latchwork.contact.law import Contact
from latchwork.hybrid.contacts.broad_phase import every_contact
from latchwork.hybrid.contacts.contact_point import ContactPoint, made_contact_point
from latchwork.hybrid.input_laws import Driven
from latchwork.kane.equations import Equations
from latchwork.realtime.exhibit import Exhibit
from latchwork.symbolic.expr import Expr
from latchwork.view.live.posture import Posture

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Known:
    """Constraints and contacts by name; contacts as functions of (t, q, s, u, rest), s being what they track."""

    constraints: dict[str, Constraint]
    touches: dict[str, ContactPoint]
    equations: Equations  # with s as coordinates
    driven: Driven  # without

    @property
    def arguments(self) -> tuple[Expr, ...]:
        """(t, q, s, u, rest)"""
        return (self.driven.arguments[0], *self.equations.q, *self.equations.u, *self.driven.rest)

    def state(self, t: float, x: Array, rest: Array, closed: Iterable[str]) -> Array:
        """(t, q, s, u, rest) with s where those contacts touch; all others at zero."""
        n, more = len(self.driven.equations.q), len(self.equations.q) - len(self.driven.equations.q)
        row = np.concatenate([[t], x[:n], np.zeros(more), x[n:], self.driven.rest_at(rest, t)])
        for name in closed:
            touch = self.touches.get(name)
            if touch is not None and touch.feature.tracked is not None:
                row = touch.tracked_place.found(row)
        return row


def known_of(exhibit: Exhibit, start: Posture, more: Sequence[Contact] = ()) -> Known:
    """All that may hold in an exhibit, with contacts that have come in the run."""
    model, equations = exhibit.model, start.equations
    constraints = {item.name: item.at(0.0) if isinstance(item, Latch) else item for item in _holdable(exhibit)}
    contacts = (*every_contact(model), *more)
    there = {q.node for q in equations.q}
    missing = [
        feature for contact in contacts for feature in contact.features
        if feature.tracked is not None or (feature.support and feature.support.azimuth.node not in there)
    ]  # fmt: skip
    if missing:
        equations = tracked_equations(equations, missing)
    d = start.driven
    known = Known(constraints, {}, equations, d)
    base = base_of(equations, d.power, d.laws, known.arguments)
    x = known.state(0.0, start.start, start.rest, ())
    for contact in contacts:
        known.touches.update({f.name: made_contact_point(contact, f, base, x) for f in contact.features})
    return known


def _holdable(exhibit: Exhibit) -> list[Constraint | Latch]:
    """Constraints of the model and of the exhibit, and those that rules hold."""
    model = exhibit.model
    return [*model.constraints, *exhibit.constraints, *(item for rule in model.rules for item in rule.held)]


def latches_of(exhibit: Exhibit) -> list[Latch]:
    """Those that keep what an expression is when they begin to hold."""
    return [item for item in _holdable(exhibit) if isinstance(item, Latch)]


def bare(label: str) -> tuple[str, str]:
    """A name as a mode tells it, and how it stands: ``"disk on ramp: stick"``."""
    name, colon, how = label.rpartition(": ")
    return (name, how) if colon and how in ("stick", "slide") else (label, "")

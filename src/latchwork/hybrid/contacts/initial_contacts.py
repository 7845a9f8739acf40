"""Where contacts begin: which a model has, whether shapes overlap, and a count of what happens at one instant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from latchwork.constraint.joints.spot import Spot
from latchwork.constraint.terms import Array
from latchwork.contact.law import Contact
from latchwork.errors import EvaluationError, IntegrationError, ModelError
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.guards import Guard
from latchwork.kane.equations import Equations
from latchwork.model import Model

MAX_SWITCHES = 40  # switches at one instant before a run is given up
PLACES = 8  # at which one curve or surface may be met
INSTANT = 1e-13  # of the time, or of that of the model: closer than this is one instant


def contacts_of(model: Any) -> tuple[Contact, ...]:
    """The contacts of a model; equations have none."""
    return model.contacts if isinstance(model, Model) else ()


def must_run_contacts(model: Any, equations: Equations) -> None:
    """Refuse equations of a model that has contacts: they would be left out in silence."""
    if not isinstance(model, Model) and equations.system.contacts:
        names = ", ".join(f"'{name}'" for name in equations.system.contacts)
        raise ModelError(f"'{equations.name}' was given as equations, which do not hold its contacts ({names}). Give "
                         "the model itself; or leave contacts out of it.")  # fmt: skip


def one_of_three(at_once: Any) -> bool | None:
    """How contacts act in one impact: together, one after the other, or as they come."""
    if at_once is not None and not isinstance(at_once, bool):
        raise EvaluationError(f"at_once is {at_once!r}. Give True (together), False (one after the other), or None (as "
                              "they come).")  # fmt: skip
    return at_once


def must_be_apart(contact: Contact, contact_points: Sequence[ContactPoint], x: Array) -> None:
    """Refuse shapes that overlap: the nearest feature whose domain holds is met from inside, and none just touches."""
    found = []
    for contact_point in contact_points:
        gap, inside = contact_point.gap(x)
        if not gap > -float("inf"):
            raise ModelError(
                f"the gap of '{contact_point.name}' is {gap} at t = {x[0]:.6g}. Look at its shapes: some length, "
                "root or division has no value there."
            )
        if np.isnan(inside):
            raise ModelError(
                f"where '{contact_point.name}' ends has no value at t = {x[0]:.6g}. Look at its shapes: some "
                "length is zero, or some root or division has no value there."
            )
        if inside >= 0.0 and not contact_point.without_normal and not contact_point.feature.thin:
            found.append((abs(gap + _radius(contact_point, x)), gap, contact_point))
    if found and min(abs(gap) for _, gap, _ in found) > contact_points[0].tolerances.closed:
        _, gap, contact_point = min(found, key=lambda item: item[0])
        if gap < -contact_point.tolerances.closed and (contact.recipe or contact.bounds):
            raise ModelError(_begins_outside(contact, contact_point, gap, x))
        radius, depth = _radius(contact_point, x), contact_point.feature.depth
        has_passed = gap < -2.0 * radius - (depth or 0.0) and (radius > 0.0 or depth is not None)
        if gap < -contact_point.tolerances.closed and not (has_passed and contact_point.feature.within):
            raise ModelError(
                f"'{contact.name}' overlaps at t = {x[0]:.6g}: the gap of '{contact_point.name}' is {gap:.6g}. Start "
                "with the shapes apart or just touching, or turn the normal around if it points into the material."
            )


def _begins_outside(contact: Contact, contact_point: ContactPoint, gap: float, x: Array) -> str:
    """What is wrong with a rope, a one-way clutch or the stops of a joint where a run begins."""
    if contact.bounds is not None:
        q, low, high = contact.bounds
        value = float(contact_point.lowered([q])(x)[0])
        between = f"{'anything' if low is None else low} and {'anything' if high is None else high}"
        return (f"{q} is {value:.6g} at t = {x[0]:.6g}, beyond '{contact_point.name}' by {-gap:.6g}. Start it between "
                f"{between}.")  # fmt: skip
    if "rope" in contact.recipe:
        given = contact.recipe["rope"]
        r = given["b"].position(given["a"])
        square, length = contact_point.lowered([r.dot(r), given["length"]])(x)
        return (
            f"the ends of rope '{contact.name}' are {math.sqrt(square):.6g} apart at t = {x[0]:.6g}, and it is "
            f"{length:.6g} long. Start with a rope that is slack or just taut, or give it a greater length."
        )
    return (
        f"'{contact.name}' runs backwards at t = {x[0]:.6g}: its speed is {gap:.6g}. Start with a speed that is not "
        "negative, or turn its sense around: model.one_way(name, -dt(q))."
    )


def _radius(contact_point: ContactPoint, x: Array) -> float:
    """The radius of the round side of a feature; 0 for points."""
    on = contact_point.feature.on
    if not isinstance(on, Spot):
        return 0.0
    return math.sqrt(max(float(contact_point.lowered([on.arm.dot(on.arm)])(x)[0]), 0.0))  # rounding may be below zero


def lies_behind(contact_point: ContactPoint, x: Array) -> bool:
    """Whether a feature is met from behind, as a wall by a ball on its other side."""
    gap, inside = contact_point.gap(x)
    return bool(gap < -contact_point.tolerances.closed and inside >= 0.0)


def must_be_few(contact: Contact, places: int, t: float) -> None:
    """Refuse a curve or surface that is met at very many places: the shapes fit together along a piece of it."""
    if places > PLACES:
        refuse_fit(contact, f"more than {PLACES} places", t)


def refuse_fit(contact: Contact, where: str, t: float) -> NoReturn:
    """Refuse a curve or surface that the other shape fits."""
    raise IntegrationError(
        f"'{contact.name}' is met at {where} at t = {t:.9g}: its shapes lie against each other "
        "along a piece of the curve or surface. Give it a bend that does not fit the other so well."
    )


@dataclass
class Crossings:
    """How many switches came at one instant: a run that cannot go on is given up, with names."""

    name: str
    scale: float  # of time
    t: float = float("-inf")
    times: int = 0

    def count(self, t: float, hits: Sequence[Guard]) -> None:
        """One more at time t, by what was hit."""
        self.times = self.times + 1 if t - self.t <= INSTANT * max(self.scale, abs(t)) else 1
        self.t = t
        if self.times > MAX_SWITCHES:
            names = dict.fromkeys(guard.about.name for guard in hits if isinstance(guard.about, ContactPoint))
            shown = ", ".join(f"'{name}'" for name in names) or "its contacts"
            raise IntegrationError(
                f"{shown} of '{self.name}' change {MAX_SWITCHES} times at t = {t:.9g} without getting on. Friction or "
                "impacts contradict each other there: allow time stepping through it, thick=lw.TimeStepping(), change "
                "their coefficients a little, or start elsewhere."
            )

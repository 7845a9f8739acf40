"""A contact from what a user gives: two shapes, restitution, friction and a law of impact."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from latchwork.contact.impact import LAWS
from latchwork.contact.law import Contact, Coulomb, Zones
from latchwork.contact.pairs import features_of
from latchwork.errors import ModelError, did_you_mean
from latchwork.symbolic.expr import Expr


def contact_between(name: str, a: Any, b: Any, restitution: Any, friction: Any, impact: str) -> Contact:
    """Two shapes that may touch; numbers out of bounds are refused."""
    if not isinstance(name, str) or not name.strip():
        raise ModelError(f"a contact needs a name that is a non-empty text; got {name!r}.")
    if impact not in LAWS:
        raise ModelError(f"contact '{name}' has the law of impact {impact!r}.{did_you_mean(str(impact), LAWS)}")
    for value in restitution.values if isinstance(restitution, Zones) else (restitution,):
        if not isinstance(value, (int, float, Expr)) or (not isinstance(value, Expr) and not 0.0 <= value <= 1.0):
            raise ModelError(f"the restitution of '{name}' is {value!r}. Give a number from 0 to 1, an expression, or "
                             "lw.zones(...).")  # fmt: skip
    return Contact(name, features_of(name, a, b), restitution, _coulomb(name, friction), impact, (a, b))


def renamed(contact: Contact, name: str) -> Contact:
    """The same contact under another name; symbols of tracked parameters keep theirs."""
    old = contact.name
    features = tuple(replace(feature, name=name + feature.name.removeprefix(old)) for feature in contact.features)
    return replace(contact, name=name, features=features)


def _coulomb(name: str, friction: Any) -> Coulomb | None:
    """Friction as it was given: none, a law, or a coefficient."""
    if friction is None or isinstance(friction, Coulomb):
        return friction
    if isinstance(friction, (int, float, Expr, Zones)):
        return Coulomb(friction)
    raise ModelError(f"the friction of '{name}' is {friction!r}. Give a coefficient, or lw.Coulomb(static, dynamic).")

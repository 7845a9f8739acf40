"""Contact laws: restitution and friction of a contact point in each of its zones, as numbers or as functions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.contact.law import Value, Zones
from latchwork.contact.rolling_resistance import is_rolling
from latchwork.errors import ModelError
from latchwork.program.function import Function

if TYPE_CHECKING:
    from latchwork.hybrid.contacts.contact_point import ContactPoint

Indices = Mapping[Zones, int]


class ContactLaws:
    """e, μ_s and μ_d of a contact point by its zones; of what resists turns or attracts, its limit instead of μ.

    They are numbers, or expressions of the state, which are lowered once for each combination of zones.
    """

    def __init__(self, point: ContactPoint) -> None:
        self.point, self.contact, self.feature = point, point.contact, point.feature
        self._by_zones: dict[Any, Function | tuple[float, ...]] = {}

    @cached_property
    def zones(self) -> tuple[Zones, ...]:
        """What differs from place to place."""
        friction = self.contact.friction
        values = [self.contact.restitution, *([] if friction is None else [friction.mu, friction.sliding])]
        values = [self.limit] if self.feature.closed_with is not None else values
        return tuple(dict.fromkeys(value for value in values if isinstance(value, Zones)))

    @property
    def limit(self) -> Value:
        """Of adhesion, the force; of what resists turns, the largest torque over the normal force."""
        if self.point.attracts:
            return self.contact.adhesion
        assert self.contact.friction is not None, "what resists turns is friction"
        return self.contact.friction.rolling if is_rolling(self.feature) else self.contact.friction.pivoting

    def coefficients(self, indices: Indices) -> tuple[Any, Any, Any]:
        """e, μ_s and μ_d as they are in the present zones: numbers or expressions."""
        friction = self.contact.friction
        if self.feature.closed_with is not None:
            limit = here(self.limit, indices)
            return 0.0, limit, limit
        e = here(self.contact.restitution, indices)
        if friction is None or not self.point.tangents:
            return e, 0.0, 0.0
        return e, here(friction.mu, indices), here(friction.sliding, indices)

    def in_zones(self, indices: Indices) -> tuple[float, ...] | Function:
        """e, μ_s and μ_d in some zones: as numbers where they are, else as a function of the state."""
        key = tuple([indices[zone] for zone in self.zones])
        known = self._by_zones.get(key)
        if known is None:
            given = self.coefficients(indices)
            constant = all([isinstance(value, (int, float)) for value in given])
            known = self._by_zones[key] = tuple(map(float, given)) if constant else self.point.lowered(list(given))
        return known

    def at(self, x: Array, indices: Indices) -> tuple[float, float, float]:
        """e, μ_s and μ_d at a state; what is out of bounds is refused."""
        known = self._by_zones.get(tuple([indices[zone] for zone in self.zones]))
        if known is None:
            known = self.in_zones(indices)
        e, mu_s, mu_d = known if isinstance(known, tuple) else known(x).tolist()
        self._must_be_lawful(e, mu_s, mu_d, x[0])
        return e, mu_s, mu_d

    def _must_be_lawful(self, e: float, mu_s: float, mu_d: float, t: float) -> None:
        """Refuse coefficients that no law of contact has."""
        if self.feature.closed_with is not None and not 0.0 <= mu_s < np.inf:
            what = "force by which it pulls" if self.point.attracts else "torque over the normal force"
            raise ModelError(f"'{self.point.name}' is {mu_s:.6g} at t = {t:.6g}. Give the largest {what}: it is not "
                             "negative.")  # fmt: skip
        if self.point.is_bounded and not 0.0 <= mu_d <= mu_s < np.inf:
            raise ModelError(
                f"the limits of friction '{self.contact.name}' are {mu_s:.6g} (static) and {mu_d:.6g} (dynamic) at "
                f"t = {t:.6g}. Give limits that are not negative, dynamic not above static: lw.maximum(limit, 0.0)."
            )
        if not (0.0 <= e <= 1.0 and 0.0 <= mu_d <= mu_s < np.inf):
            raise ModelError(
                f"'{self.contact.name}' has restitution {e:.6g}, static friction {mu_s:.6g} and dynamic friction "
                f"{mu_d:.6g} at t = {t:.6g}. Restitution lies in [0, 1]; friction is not negative, and dynamic "
                "friction not above static."
            )


def here(value: Value, indices: Indices) -> Any:
    """A value in the zone where it is now."""
    return value.values[indices[value]] if isinstance(value, Zones) else value

"""What a contact obeys: friction, restitution, by zone where it differs from place to place; and the contact itself."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

from latchwork.constraint.forces import force_of
from latchwork.contact.feature import Feature
from latchwork.errors import ModelError, spelled
from latchwork.symbolic.expr import Expr

if TYPE_CHECKING:
    from latchwork.contact.narrow_phase.convex_pairs import Picker

Value = Any  # a number, an expression of the model, or Zones


def plain(value: Any) -> Any:
    """A number of any kind as a float, anything else as it is."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else value


@dataclass(frozen=True, eq=False)
class Zones:
    """A value by zone: ``values[i]`` where x lies between ``bounds[i-1]`` and ``bounds[i]``, which are guards."""

    x: Expr
    bounds: tuple[Any, ...]
    values: tuple[Any, ...]

    def __repr__(self) -> str:
        parts = [f"{self.values[0]} where {self.x} < {self.bounds[0]}"] if self.bounds else [str(self.values[0])]
        parts += [f"{value} from {bound}" for bound, value in zip(self.bounds, self.values[1:], strict=True)]
        return f"<Zones: {', '.join(parts)}>"


def zones(x: Expr, bounds: Sequence[Any], values: Sequence[Any]) -> Zones:
    """``zones(x, [L1, L2], [v0, v1, v2])``: v0 where x < L1, v1 between, v2 beyond. For friction and restitution."""
    if not isinstance(x, Expr):
        raise ModelError(f"zones lie along an expression of the model; got {x!r}. For example lw.zones(q1, [L], ...).")
    for what, given in (("bounds", bounds), ("values", values)):
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise ModelError(f"the {what} of zones along {x} are {given!r}. Give a list: lw.zones(x, [L], [0.2, 0.0]).")
    bounds, values = [plain(b) for b in bounds], [plain(v) for v in values]
    if len(values) != len(bounds) + 1:
        raise ModelError(
            f"zones along {x} have {len(bounds)} bounds and {len(values)} values. Give one value more than bounds."
        )
    for item in (*bounds, *values):
        if not isinstance(item, (Expr, float)) or (isinstance(item, float) and not math.isfinite(item)):
            raise ModelError(f"zones along {x} are given {item!r}. Give finite numbers or expressions.")
    numbers = [b for b in bounds if isinstance(b, float)]
    if any(a >= b for a, b in itertools.pairwise(numbers)):
        raise ModelError(f"the bounds of zones along {x} are {bounds}. Give them in increasing order.")
    return Zones(x, tuple(bounds), tuple(values))


def each(value: Value) -> tuple[Any, ...]:
    """The values in all zones, or the one there is."""
    return value.values if isinstance(value, Zones) else (value,)


def restitution_of(name: str, value: Value) -> Value:
    """The restitution of a contact; numbers out of bounds are refused."""
    value = plain(value)
    for number in each(value):
        if not isinstance(number, Expr) and not (isinstance(number, float) and 0.0 <= number <= 1.0):
            raise ModelError(f"the restitution of '{name}' is {number!r}. Give a number from 0 to 1, an expression, or "
                             "lw.zones(...).")  # fmt: skip
    return value


def adhesion_of(name: str, value: Value) -> Value:
    """The largest force by which a contact pulls; numbers out of bounds are refused."""
    value = plain(value)
    for number in each(value):
        if not isinstance(number, Expr) and not (isinstance(number, float) and 0.0 <= number < math.inf):
            raise ModelError(f"the adhesion of '{name}' is {number!r}. Give the largest force by which it pulls: a "
                             "finite number that is not negative, an expression, or lw.zones(...).")  # fmt: skip
    return value


@spelled
@dataclass(frozen=True, eq=False)
class Coulomb:
    """Dry friction: sticks while the friction force is within ``mu`` times the normal force; slides with ``dynamic``.

    ``dynamic`` is ``mu`` unless given, and never above it. Each is a number, a parameter, an expression, or `zones`.
    ``rolling`` ρ and ``pivoting`` ρ_n are lengths: torques |M_t| ≤ ρ λ_n resist rolling, and |M_n| ≤ ρ_n λ_n turning
    about the normal. [Johnson, Contact Mechanics §8; MuJoCo's condim 6 and 4]
    """

    mu: Value
    dynamic: Value = None
    rolling: Value = 0.0
    pivoting: Value = 0.0

    def __post_init__(self) -> None:
        for name in ("mu", "dynamic", "rolling", "pivoting"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        for name in ("rolling", "pivoting"):
            for value in each(getattr(self, name)):
                if not isinstance(value, Expr) and not (isinstance(value, float) and 0.0 <= value < math.inf):
                    raise ModelError(f"the length of {name} friction is {value!r}. Give a finite number that is not "
                                     "negative, an expression, or lw.zones(...): the largest torque over the normal "
                                     "force.")  # fmt: skip
        for value in (*each(self.mu), *(() if self.dynamic is None else each(self.dynamic))):
            if not isinstance(value, Expr) and not (isinstance(value, float) and 0.0 <= value < math.inf):
                raise ModelError(f"a coefficient of friction is {value!r}. Give a finite number that is not negative, "
                                 "an expression, or lw.zones(...).")  # fmt: skip
        if isinstance(self.mu, float) and isinstance(self.dynamic, float) and self.dynamic > self.mu:
            raise ModelError(
                f"dynamic friction {self.dynamic} is above static friction {self.mu}. Give lw.Coulomb(static, dynamic) "
                "with dynamic not above static."
            )

    @property
    def sliding(self) -> Value:
        """The coefficient while it slides."""
        return self.mu if self.dynamic is None else self.dynamic


def coulomb_of(name: str, friction: Any) -> Coulomb | None:
    """Friction as it was given: none, a law, or a coefficient."""
    if friction is None or isinstance(friction, Coulomb):
        return friction
    if isinstance(plain(friction), (float, Expr, Zones)):
        try:
            return Coulomb(friction)
        except ModelError as error:
            raise ModelError(f"contact '{name}': {error}") from None
    raise ModelError(f"the friction of '{name}' is {friction!r}. Give a coefficient, or lw.Coulomb(static, dynamic).")


@dataclass(frozen=True, eq=False)
class Contact:
    """Two shapes that may touch: their features, and what they obey when they do.

    ``impact`` names the law of impact (``contact.impact.laws.LAWS``). Friction acts in all directions across the normal
    in which the two bodies can move. ``contact.force`` is the normal force, in rules and in ``run[contact.force]``.
    """

    name: str
    features: Sequence[Feature]  # of two large solids, those that were near so far: the picker makes them
    restitution: Value = 0.0
    friction: Coulomb | None = None
    impact: str = "newton"
    adhesion: Value = 0.0  # the largest force by which each of its places pulls
    shapes: tuple[Any, ...] = ()  # a and b, to draw
    picker: Picker | None = None  # of two solids in space
    bounds: tuple[Expr, Any, Any] | None = None  # coordinate, low, high: of the limits of a joint
    recipe: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # its word and arguments, without shapes
    place_of: Contact | None = None  # whose further place it is: a curve or surface may be met at several

    @property
    def whole(self) -> Contact:
        """What the user knows it by: itself, or that whose further place it is."""
        return self if self.place_of is None else self.place_of

    @property
    def is_eager(self) -> bool:
        """Whether all its features are made."""
        return self.picker is None or self.features is not self.picker.features

    def every(self) -> Sequence[Feature]:
        """All its features; those of large solids are made now, where they are not too many."""
        return self.features if self.is_eager or self.picker is None else self.picker.every()

    @property
    def force(self) -> Expr:
        """The normal forces of all its features together, for conditions of rules."""
        if not self.is_eager:
            return force_of(self.features[0].gap.graph, self.name)
        first, *others = (feature.force for feature in self.features if feature.is_along_normal)
        return sum(others, start=first)

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset((self.name, *(feature.name for feature in self.features)))

    def goes_by(self, name: str) -> bool:
        """Whether it, or one of its features, has a name."""
        return name in self._named or (not self.is_eager and self.picker is not None and name in self.picker.names())

    @property
    def names(self) -> Iterator[str]:
        """Its name, and those of its features."""
        yield self.name
        if self.is_eager or self.picker is None:
            yield from (feature.name for feature in self.features)
        else:
            yield from self.picker.names()

    def __repr__(self) -> str:
        sides = " on ".join(type(shape).__name__ for shape in self.shapes) or " ".join(self.recipe) or "limits"
        count = f"{len(self.features)} feature{'s' * (len(self.features) != 1)}{' so far' * (not self.is_eager)}"
        return f"<Contact '{self.name}': {sides}, {count}>"

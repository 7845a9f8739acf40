"""Constraint: a name, and what must be zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from latchwork.errors import ConstraintError
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.loads import Force, Load, Torque
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr


@dataclass(frozen=True, eq=False)
class Pull:
    """What one row exerts where λ = 1: a unit force at a point, or a unit torque on a frame; the other side gets −1.

    The row's rate is then ``(v_P − v_Q) · direction``, or ``(ω_A − ω_B) · direction``, on the constraint.
    """

    direction: Vector
    on: Point | Frame
    other: Point | Frame

    def load(self, amount: Expr) -> Load:
        """The load of a row whose multiplier is ``amount``."""
        vector = self.direction * amount
        if isinstance(self.on, Point) and isinstance(self.other, Point):
            return Force(self.on, vector, self.other)
        assert isinstance(self.on, Frame)
        assert isinstance(self.other, Frame)
        return Torque(self.on, vector, self.other)


class Constraint:
    """Expressions that must vanish: in q and t (configuration), or linear in u (motion).

    ``Constraint("rolling", u1 + u2)``; a vector stands for its three measures in N. ``pulls`` says, where it is known,
    which unit force or torque each row stands for; reactions are then physical.
    """

    def __init__(self, name: str, zero: Any, pulls: Sequence[Pull | None] = ()) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ConstraintError(f"a constraint needs a name that is a non-empty text; got {name!r}.")
        self.name = name
        self.zero: tuple[Expr, ...] = tuple(_scalars(name, zero))
        self.pulls: tuple[Pull | None, ...] = tuple(pulls) or (None,) * len(self.zero)
        if not self.zero or len(self.pulls) != len(self.zero):
            raise ConstraintError(
                f"constraint '{name}' has {len(self.zero)} expressions and {len(self.pulls)} pulls. Give at least one "
                "expression that must be zero, and a pull for each or none."
            )

    @property
    def row_names(self) -> tuple[str, ...]:
        """``rolling``, or ``loop[0], loop[1], ...`` where there are several rows."""
        if len(self.zero) == 1:
            return (self.name,)
        return tuple(f"{self.name}[{i}]" for i in range(len(self.zero)))

    def __repr__(self) -> str:
        return f"Constraint({self.name!r}, {', '.join(f'{e} = 0' for e in self.zero)})"


def _scalars(name: str, what: Any) -> list[Expr]:
    if isinstance(what, Expr):
        return [what]
    if isinstance(what, Vector):
        return list(what.measures(what.tree.newtonian))
    if isinstance(what, (list, tuple)):
        return [e for item in what for e in _scalars(name, item)]
    raise ConstraintError(
        f"constraint '{name}' asks that {what!r} be zero, which is no expression. Give an expression in q, t and u, "
        "a vector, or a list of them."
    )

"""Constraint: a name, and what must be zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from latchwork.constraint.forces import force_of
from latchwork.constraint.joints.spot import Spot, exerted
from latchwork.errors import ConstraintError, listed, must_be_name
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.loads import Force, Load, Torque, Wrench
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr


@dataclass(frozen=True, eq=False)
class Pull:
    """The force or torque that belongs to a multiplier: what a row of a constraint exerts where λ = 1.

    A unit force at a point, or a unit torque on a frame; the opposite acts on the other side. The row's rate is then
    ``(v_P − v_Q) · direction``, or ``(ω_A − ω_B) · direction``, on the constraint. ``also`` is what acts with it in
    proportion (the other wheel of a pair of gears), and adds its own rates.
    """

    direction: Vector
    on: Point | Frame | Spot
    other: Point | Frame | Spot
    also: tuple[Pull, ...] = ()

    def load(self, amount: Expr) -> Load:
        """The load of a row whose multiplier is ``amount``."""
        vector = self.direction * amount
        if not self.also and isinstance(self.on, Point) and isinstance(self.other, Point):
            return Force(self.on, vector, self.other)
        if not self.also and isinstance(self.on, Frame) and isinstance(self.other, Frame):
            return Torque(self.on, vector, self.other)
        sides: list[Load] = [exerted(self.on, vector), exerted(self.other, -vector)]
        sides += [pull.load(amount) for pull in self.also]
        efforts = chain(*(side.efforts for side in sides if isinstance(side, Wrench)))
        return Wrench(tuple(chain(*(side.forces for side in sides))), tuple(chain(*(side.torques for side in sides))),
                      efforts=tuple(efforts))  # fmt: skip

    def times(self, factor: Any) -> Pull:
        """The same places, pulled ``factor`` times as much."""
        return Pull(self.direction * factor, self.on, self.other, tuple(pull.times(factor) for pull in self.also))


class Constraint:
    """Expressions that must vanish: in q and t (configuration), or linear in u (motion).

    ``Constraint("rolling", u1 + u2)``; a vector stands for its measures in N, without those that are zero anyway.
    ``pulls`` says, where it is known, which unit force or torque each row stands for; reactions are then physical.
    ``recipe`` is how a model file writes it: the name of its maker, and the arguments that it was given.
    """

    def __init__(self, name: str, zero: Any, pulls: Sequence[Pull | None] = (),
                 recipe: Mapping[str, Mapping[str, Any]] | None = None) -> None:  # fmt: skip
        must_be_name(name, "a constraint", ConstraintError)
        self.name = name
        self.zero: tuple[Expr, ...] = tuple(_scalars(name, zero))
        self.recipe: Mapping[str, Mapping[str, Any]] = recipe or {}
        given = listed(pulls, f"the pulls of '{name}'", "Give a list with a lw.Pull, or None, for each row.")
        self._pulls: tuple[Pull | None, ...] = tuple(given) or (None,) * len(self.zero)
        if not self.zero or len(self._pulls) != len(self.zero):
            raise ConstraintError(
                f"constraint '{name}' has {len(self.zero)} expressions and {len(self._pulls)} pulls. Give at least one "
                "expression that must be zero, and a pull for each or none."
            )

    @property
    def pulls(self) -> tuple[Pull | None, ...]:
        """What each row exerts, where that is known."""
        return self._pulls

    @property
    def row_names(self) -> tuple[str, ...]:
        """``rolling``, or ``loop[0], loop[1], ...`` where there are several rows."""
        if len(self.zero) == 1:
            return (self.name,)
        return tuple(f"{self.name}[{i}]" for i in range(len(self.zero)))

    @property
    def forces(self) -> tuple[Expr, ...]:
        """The multipliers of its rows while it holds, else 0: for conditions of rules."""
        return tuple(force_of(self.zero[0].graph, row) for row in self.row_names)

    @property
    def force(self) -> Expr:
        """The multiplier of its only row while it holds, else 0: for conditions of rules."""
        if len(self.zero) != 1:
            raise ConstraintError(f"constraint '{self.name}' has {len(self.zero)} rows. Say which of its forces you "
                                  f"mean: .forces[0] ... .forces[{len(self.zero) - 1}].")  # fmt: skip
        return self.forces[0]

    def __repr__(self) -> str:
        return f"Constraint({self.name!r}, {', '.join(f'{e} = 0' for e in self.zero)})"


def _scalars(name: str, what: Any) -> list[Expr]:
    if isinstance(what, Expr):
        return [what]
    if isinstance(what, Vector):
        return [measure for measure in what.measures(what.tree.newtonian) if measure != 0.0]
    if isinstance(what, (list, tuple)):
        return [e for item in what for e in _scalars(name, item)]
    raise ConstraintError(
        f"constraint '{name}' asks that {what!r} be zero, which is no expression. Give an expression in q, t and u, "
        "a vector, or a list of them."
    )

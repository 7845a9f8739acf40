"""Dry friction of a joint: a force or torque against its rate that is no larger than a limit.

    sticks   q̇ = 0,  |λ| ≤ static           slides   λ = −dynamic sign(q̇)

It is a contact that is always closed, pressed by a force that does not depend on the motion: one tangent row, and no
normal one. A joint with several speeds has such a row for each of them. A force that is bounded exerts no impulse: what
sticks may slip after an impact.  [Glocker 2001, §5.3: the set-valued force law of dry friction]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from latchwork.constraint.constraint import Pull
from latchwork.constraint.joints.couplings import slide, turn
from latchwork.constraint.joints.sides import kinds
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact, Coulomb, Zones, each, plain
from latchwork.errors import ModelError
from latchwork.mechanics.joints import QUATERNION, Link
from latchwork.mechanics.point import Point
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr

KNOWN = ("coordinate", "time", "input", "parameter")  # kinds of symbols that a limit may contain


class Freedom(NamedTuple):
    """One rate of a joint, what a unit force along it exerts, and whether that is all it does: turns about axes that
    are not at right angles have a row alone."""

    suffix: str
    rate: Expr
    pull: Pull
    has_wrench: bool


def freedoms_of(what: Any, name: str, verb: str, origin: Point) -> list[Freedom]:
    """The rates of a joint, or the one that is given: a coordinate stands for its rate."""
    if isinstance(what, Link) and what.q:
        return list(freedoms(what, name))
    if isinstance(what, Expr):
        rate = dt(what) if set(kinds(what)) <= {"coordinate", "parameter", "time"} else what
        if set(kinds(rate)) & {"rate", "speed"} and not set(kinds(rate)) & {"acceleration", "multiplier", "input"}:
            return [Freedom("", rate, Pull(origin.tree.newtonian.x, origin, origin), False)]
    got = f"'{what.name}', which is a {what.joint.name}" if isinstance(what, Link) else repr(what)
    raise ModelError(f"'{name}' {verb} a joint that moves, or a speed; got {got}. Give what model.revolute(...), "
                     "model.prismatic(...) or another joint returned, a coordinate, or an expression in rates: "
                     "dt(q1) - dt(q2), without inputs.")  # fmt: skip


def freedoms(link: Link, name: str) -> Iterator[Freedom]:
    """The rates of a joint, slides first."""
    row, q = link.joint, link.q
    if row.has_axis:
        for suffix, of, there in (("slide", slide, row.slides), ("turn", turn, row.turns)):
            if there:
                angle, pull = of(link, name)
                yield Freedom(suffix if row.slides and row.turns else "", dt(angle), pull, True)
        return
    for axis, distance in zip(row.slides, q, strict=False):
        yield Freedom(axis, dt(distance), Pull(getattr(link.inboard, axis), link.origin, link.base), False)
    rates = link.u[len(row.slides) :] if row.turns == QUATERNION else [dt(angle) for angle in q[len(row.slides) :]]
    for axis, rate in zip("xyz" if row.turns == QUATERNION else row.turns, rates, strict=True):
        pull = Pull(getattr(link.frame, axis), link.frame, link.inboard)
        yield Freedom(f"r{axis}", rate, pull, row.turns == QUATERNION)


def joint_friction(name: str, what: Any, static: Any, dynamic: Any, origin: Point) -> Contact:
    """The contact that resists the rates of a joint, each alike, or a rate that is given."""
    return friction_of(name, freedoms_of(what, name, "resists", origin), what, friction_limits(name, static, dynamic))


def friction_of(name: str, found: Sequence[Freedom], what: Link | Expr, limits: Coulomb) -> Contact:
    """The contact that resists some rates, each alike; they are those of ``what``."""
    given = {"joint" if isinstance(what, Link) else "rate": what, "static": limits.mu}
    given |= {} if limits.dynamic is None else {"dynamic": limits.dynamic}
    features = tuple([rate_feature(name, freedom, found, freedom.rate * 0.0) for freedom in found])
    return Contact(name, features, friction=limits, recipe={"friction": given})


def rate_feature(name: str, freedom: Freedom, among: Sequence[Freedom], gap: Expr) -> Feature:
    """A feature that is about a rate, not about a gap."""
    suffix, rate, pull, has_wrench = freedom
    named = f"{name}: {suffix}" if len(among) > 1 else name
    return Feature(named, gap, pull.direction, pull.on, pull.other, rate=rate, has_wrench=has_wrench)


def friction_limits(name: str, static: Any, dynamic: Any) -> Coulomb:
    """The static and the dynamic limit: not negative, dynamic not above static, and known where the joint is."""
    values = {"static": plain(static)} | ({} if dynamic is None else {"dynamic": plain(dynamic)})
    for which, value in values.items():
        for number in each(value):
            if isinstance(number, Expr):
                others = [symbol for kind, symbol in kinds(number).items() if kind not in KNOWN]
                if others:
                    raise ModelError(
                        f"the {which} friction of '{name}', {number}, contains '{others[0]}'. Give a number, or an "
                        "expression in coordinates, t, inputs and parameters; what depends on speeds is a load: "
                        "model.torque(...)."
                    )
            elif not (isinstance(number, float) and 0.0 <= number < math.inf):
                raise ModelError(f"the {which} friction of '{name}' is {number!r}. Give the largest force or torque of "
                                 "the joint: a finite number that is not negative, or an expression.")  # fmt: skip
        if isinstance(value, Zones) and (others := [s for kind, s in kinds(value.x).items() if kind not in KNOWN]):
            raise ModelError(f"the {which} friction of '{name}' has zones along {value.x}, which contains "
                             f"'{others[0]}'. Give zones along coordinates, t, inputs and parameters.")  # fmt: skip
    low, high = values.get("dynamic"), values["static"]
    if isinstance(low, float) and isinstance(high, float) and low > high:
        raise ModelError(f"the dynamic friction {low:g} of '{name}' is above its static friction {high:g}. Give "
                         "model.friction(name, joint, static, dynamic) with dynamic not above static.")  # fmt: skip
    return Coulomb(high, low)

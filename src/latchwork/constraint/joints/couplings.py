"""Joints that move together, and motion that is prescribed.

    q_a − law(q_b, t) = 0 with a force on a, and −∂law/∂q_b times it on b;   x − law(t) = 0   [Kelly Eqs. 18-21]
"""

from __future__ import annotations

import math
from typing import Any

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.constraint.joints.sides import constrained, direction, kinds, scalar
from latchwork.errors import ConstraintError
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import derivative
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import reachable

Freedom = tuple[Expr, Pull]


def slide(link: Link, name: str) -> Freedom:
    """The distance that a prismatic or cylindrical joint slides, and the unit force along it."""
    if not isinstance(link, Link) or link.joint.name not in ("prismatic", "cylindrical") or link.axis is None:
        raise _unfit(name, "slides along one axis", link, "prismatic")
    return link.q[0], Pull(link.axis, link.origin, link.base)


def turn(link: Link, name: str) -> Freedom:
    """The angle that a revolute or cylindrical joint turns, and the unit torque about its axis."""
    if not isinstance(link, Link) or link.joint.name not in ("revolute", "cylindrical") or link.axis is None:
        raise _unfit(name, "turns about one axis", link, "revolute")
    return link.q[-1], Pull(link.axis, link.frame, link.inboard)


def only(link: Link, name: str) -> Freedom:
    """The one coordinate of a revolute or prismatic joint, and its unit torque or force."""
    if not isinstance(link, Link) or link.joint.name not in ("revolute", "prismatic"):
        raise _unfit(name, "has one coordinate and one axis", link, "revolute or prismatic")
    return turn(link, name) if link.joint.name == "revolute" else slide(link, name)


def couple(name: str, a: Freedom, b: Freedom, law: Any, recipe: dict[str, dict[str, Any]]) -> Constraint:
    """q_a = law(q_b, t): a unit force on a, and −∂law/∂q_b of it on b."""
    (qa, on_a), (qb, on_b) = a, b
    value = scalar(qa.graph, name, "the law", law)
    g = qa.graph
    others = [s.name for i in reachable(g, [value.node]) if (s := g.symbols.get(i)) and i != qb.node
              and s.kind not in ("parameter", "time")]  # fmt: skip
    slope = derivative(value, qb)
    if others or slope == 0.0 or qa.node == qb.node:
        seen = f"{value}, which contains {', '.join(others)}" if others else f"{value}"
        raise ConstraintError(
            f"'{name}' moves '{qa.name}' by the law {seen}. Write it in '{qb.name}', of another joint."
        )
    return constrained(name, [(qa - value, Pull(on_a.direction, on_a.on, on_a.other, (on_b.times(-slope),)))], recipe)


def gear(name: str, a: Link, b: Link, ratio: Any, offset: Any = 0.0) -> Constraint:
    """q_a = ratio q_b + offset; λ is the torque (or force) on a. Wheels that touch outside turn in opposite senses."""
    first, second = only(a, name), only(b, name)
    qb = second[0]
    k, c = scalar(qb.graph, name, "the ratio", ratio), scalar(qb.graph, name, "the offset", offset)
    made = {"a": a, "b": b, "ratio": k} | ({} if c == 0.0 else {"offset": c})
    return couple(name, first, second, k * qb + c, {"gear": made})


def rack(name: str, rack: Link, pinion: Link, radius: Any) -> Constraint:
    """s = R θ: a rack on a pinion of pitch radius R; λ is the force on the rack."""
    s, theta = slide(rack, name), turn(pinion, name)
    R = scalar(s[0].graph, name, "the radius", radius)
    return couple(name, s, theta, R * theta[0], {"rack": {"rack": rack, "pinion": pinion, "radius": R}})


def screw(name: str, nut: Link, spindle: Link, pitch: Any) -> Constraint:
    """s = p θ / 2π: the nut slides by the pitch in each turn of the spindle; both may be one cylindrical joint."""
    s, theta = slide(nut, name), turn(spindle, name)
    p = scalar(s[0].graph, name, "the pitch", pitch)
    law = p * theta[0] / (2.0 * math.pi)
    return couple(name, s, theta, law, {"screw": {"nut": nut, "spindle": spindle, "pitch": p}})


def cam(name: str, follower: Link, cam: Link, profile: Any) -> Constraint:
    """q_follower = profile(q_cam): an expression in the coordinate of the cam; λ is the force on the follower."""
    law = scalar(cam.q[0].graph, name, "the profile", profile) if isinstance(cam, Link) else profile
    made = {"follower": follower, "cam": cam, "profile": law}
    return couple(name, only(follower, name), only(cam, name), law, {"cam": made})


def mesh(name: str, a: Frame, b: Frame, ratio: Any, axes: tuple[Vector, Vector], carrier: Frame) -> Constraint:
    """(ω_a − ω_c) · k_a = ratio (ω_b − ω_c) · k_b: wheels on a carrier that may turn itself; λ is the torque on a."""
    k_a = direction(carrier, name, "the first axis", axes[0])
    k_b = direction(carrier, name, "the second axis", axes[1])
    k = scalar(carrier.graph, name, "the ratio", ratio)
    row = a.angular_velocity(carrier).dot(k_a) - k * b.angular_velocity(carrier).dot(k_b)
    pull = Pull(k_a, a, carrier, (Pull(k_b * (-k), b, carrier),))
    made = {"a": a, "b": b, "ratio": k, "axis": [k_a, k_b], "carrier": carrier}
    return constrained(name, [(row, pull)], {"mesh": made})


def prescribe(name: str, what: Expr, law: Any, pull: Pull | None = None) -> Constraint:
    """x = law(t); λ is the force that it needs, in the sense that λ ẋ is its power.  [Kelly Eqs. 18-21]"""
    if not isinstance(what, Expr):
        raise ConstraintError(f"'{name}' prescribes {what!r}. Give a coordinate, a speed, or an expression in them.")
    value = scalar(what.graph, name, "the law", law)
    others = {kind: symbol for kind, symbol in kinds(value).items() if kind not in ("parameter", "time")}
    if others:
        raise ConstraintError(
            f"'{name}' prescribes {what} by the law {value}, which contains {', '.join(others.values())}. Write the "
            "law in t and parameters, or use model.constraint."
        )
    return constrained(name, [(what - value, pull)], {"prescribe": {"what": what, "law": value}})


def _unfit(name: str, needed: str, link: object, kind: str) -> ConstraintError:
    got = f"'{link.name}', which is {link.joint.name}" if isinstance(link, Link) else repr(link)
    return ConstraintError(f"'{name}' needs a joint that {needed}; got {got}. Give a {kind} joint of the model.")

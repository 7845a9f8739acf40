"""Carriers: which rigid body carries a shape, and which bodies are neighbours in the tree of joints.

A carrier is the topmost frame and point that a place is fixed to. Shapes of one carrier never move relative to each
other; those of bodies that a joint joins overlap where the joint is, and are left out of collisions, as MuJoCo and
SRDF files do. What is fixed in N itself, a floor or a wall, is nobody's neighbour.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.joints.sides import kinds
from latchwork.contact.broad_phase.spheres import bounding
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.topology import body_connection, edge_nodes, joints_between
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

Carrier = tuple[Frame, Point]
JOINS_NOTHING = ("free", "planar")  # bodies on such joints may meet side by side


def carrier_of(frame: Frame, point: Point) -> Carrier:
    """The topmost frame that a frame is fixed in, and the topmost point fixed there that leads to a point."""
    root = _rigid(frame)
    while point.parent is not None and point.located and point.moved is None and _is_fixed(point.offset, root):
        point = point.parent
    return root, point


def _rigid(frame: Frame) -> Frame:
    while frame.parent is not None and not any(_moves(frame, node) for node in edge_nodes(frame)):
        frame = frame.parent
    return frame


def _moves(frame: Frame, node: int) -> bool:
    return bool(kinds(Expr(frame.graph, node)).keys() - {"parameter"})


def _is_fixed(offset: Vector, root: Frame) -> bool:
    return all(_rigid(frame) is root for frame in offset.parts) and not kinds(offset).keys() - {"parameter"}


def place_of(shape: Any) -> Point:
    """A point fixed in a shape."""
    if isinstance(shape, Point):
        return shape
    found = bounding(shape)
    point: Point = found[0] if found is not None else getattr(shape, "point", None) or shape.tree.origin
    return point


def carrier_of_shape(shape: Any) -> Carrier:
    """What carries a shape, or a point."""
    return carrier_of(shape.tree.newtonian if isinstance(shape, Point) else shape.frame, place_of(shape))


def is_ground(shape: Any) -> bool:
    """Whether a shape is fixed in N by itself, and is no part of a body."""
    body = getattr(shape, "body", None)
    return body is None or body is shape.tree.newtonian


def neighbours(system: System, constraints: Iterable[Constraint]) -> set[frozenset[Carrier]]:
    """Carriers of bodies that a joint joins: in the tree, or where it closes a loop."""
    carriers = [_carrier(body) for body in system.bodies]
    found = set()
    joints = joints_between(system)
    for body, (below, links) in enumerate(zip(body_connection(system), joints, strict=True)):
        if below and not any(link.joint.name in JOINS_NOTHING for link in links):
            found.add(frozenset({carriers[body], carriers[below - 1]}))
    for made in (constraint.recipe["close"] for constraint in constraints if "close" in constraint.recipe):
        found.add(frozenset({carrier_of(made["a"], made["at"]), carrier_of(made["b"], made["to"])}))
    return {pair for pair in found if len(pair) == 2}


def _carrier(body: Body) -> Carrier:
    return carrier_of(body.frame or body.center.tree.newtonian, body.center)

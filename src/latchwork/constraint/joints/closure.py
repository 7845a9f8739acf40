"""Loops closed by a joint, from the rows of ``JOINTS``: what the joint does not let move must be zero.

    (p_Q − p_P) · e_k = 0   for the axes e_k, fixed in a, along which it does not slide
    e_i · g_j = 0           for axes e_i fixed in a and g_j fixed in b that stay perpendicular while it turns
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.constraint.joints.sides import Row, Side, constrained, direction, movers, triad
from latchwork.constraint.joints.spot import spot
from latchwork.errors import ConstraintError, did_you_mean
from latchwork.mechanics.frame import AXES
from latchwork.mechanics.joints import JOINTS, QUATERNION
from latchwork.mechanics.vector import Vector

if TYPE_CHECKING:
    from latchwork.constraint.terms import Array

Axes = dict[str, Vector]

DUST = 1e-14

# Pairs (axis of a, axis of b) that are perpendicular in a joint with these turns; their row's torque is along b × a.
PERPENDICULAR: dict[str, tuple[tuple[str, str], ...]] = {
    "": (("z", "y"), ("x", "z"), ("y", "x")),
    "z": (("x", "z"), ("y", "z")),
    "xy": (("x", "y"),),
    "xyz": (),
    QUATERNION: (),
}
# The axis of a, and that of b, which ``axis`` gives.
GIVEN = {kind: ("z", "z") for kind in ("revolute", "prismatic", "cylindrical", "planar")} | {"universal": ("x", "y")}


def close(kind: str, name: str, a: Side, b: Side, axis: Vector | Sequence[Vector] | None = None) -> Constraint:
    """A joint between b and a at points of theirs; where it turns, it lets the frames turn as the joint's do.

    ``axis`` is fixed in a; in b it is the same vector where it is fixed there too, else the one with the same measures
    there. A pair gives both. Of a universal joint it is the pair: the first axis in a, the second in b.
    """
    if kind not in JOINTS or kind == "free":
        closing = [each for each in JOINTS if each != "free"]
        hint = did_you_mean(str(kind), closing)
        raise ConstraintError(f"'{name}' cannot be closed by a joint of type '{kind}'.{hint}")
    row = JOINTS[kind]
    e, g, given = _axes(kind, name, a, b, axis)
    p = b.point.position(a.point)
    against = spot(a.point, a.frame, p) if row.slides else a.point
    rows: list[Row] = [(p.dot(e[k]), Pull(e[k], b.point, against)) for k in AXES if k not in row.slides]
    for i, j in PERPENDICULAR[row.turns]:
        rows.append((e[i].dot(g[j]), Pull(g[j].cross(e[i]), b.frame, a.frame)))
    made = {"type": kind, "a": a.frame, "b": b.frame, "at": a.point, "to": b.point} | ({"axis": given} if given else {})
    return constrained(name, rows, {"close": made})


def latch(name: str, a: Side, b: Side, turn: Array, offset: Array) -> Constraint:
    """b welded to a as it is: ``turn[i, j] = a_i · b_j`` and ``offset``, the way from a to b in a, are numbers.

        (p_Q − p_P − offset) · a_k = 0;   e_i · b_j = 0 for the axes e of b as they stand in a now
    """
    frame = a.frame
    there = frame.vector(*_clean(offset))
    e = _named(*(frame.vector(*_clean(turn[:, j])) for j in range(3)))
    g = _named(b.frame.x, b.frame.y, b.frame.z)
    gap, against = b.point.position(a.point), spot(a.point, frame, there)
    rows: list[Row] = [((gap - there).dot(axis), Pull(axis, b.point, against)) for axis in (frame.x, frame.y, frame.z)]
    rows += [(e[i].dot(g[j]), Pull(g[j].cross(e[i]), b.frame, frame)) for i, j in PERPENDICULAR[""]]
    return constrained(name, rows, {})


def _clean(numbers: Array) -> list[float]:
    """Numbers without the dust of rounding: what is almost −1, 0 or 1 is meant to be."""
    return [float(round(x)) if abs(x - round(x)) < DUST and abs(x) < 1.5 else float(x) for x in numbers]


def _axes(kind: str, name: str, a: Side, b: Side, axis: Any) -> tuple[Axes, Axes, list[Vector]]:
    """Axes x, y, z of the joint as they are fixed in a, and in b; and the two that were given or understood."""
    if kind not in GIVEN:
        if axis is not None:
            raise ConstraintError(f"'{name}' is closed by a {kind} joint, which has no axis; got {axis}. Leave it out.")
        return _named(a.frame.x, a.frame.y, a.frame.z), _named(b.frame.x, b.frame.y, b.frame.z), []
    in_a, in_b = GIVEN[kind]
    if axis is None:
        first, second = getattr(a.frame, in_a), getattr(b.frame, in_b)
    elif isinstance(axis, Vector):
        if in_a != in_b:
            raise ConstraintError(
                f"'{name}' is closed by a {kind} joint, which has two axes; got {axis}. Give a pair: one fixed in "
                f"'{a.frame.name}', one fixed in '{b.frame.name}'."
            )
        first = direction(a.frame, name, "the axis", axis)
        second = _seen_from(b, first, a)
    elif len(axis) == 2:
        first = direction(a.frame, name, "the first axis", axis[0])
        second = direction(b.frame, name, "the second axis", axis[1])
    else:
        raise ConstraintError(f"'{name}' has {len(axis)} axes. Give one vector, or one for each of its two sides.")
    return _around(a, in_a, first), _around(b, in_b, second), [first, second]


def _seen_from(b: Side, axis: Vector, a: Side) -> Vector:
    """The axis itself where it is fixed in b, else the vector that has in b the measures it has in a."""
    there = axis.to(b.frame)
    return there if not movers(there) else b.frame.vector(*axis.measures(a.frame))


def _around(side: Side, letter: str, axis: Vector) -> Axes:
    """A triad in which the axis has this letter."""
    first, second, third = triad(side.frame, axis)
    return _named(first, second, third) if letter == "z" else \
        _named(third, first, second) if letter == "x" else _named(second, third, first)  # fmt: skip


def _named(x: Vector, y: Vector, z: Vector) -> Axes:
    return {"x": x, "y": y, "z": z}

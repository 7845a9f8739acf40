"""Rolling: the spot of a body that touches the ground moves as the ground does there.

    (v_C + ω × r − v_ground) · d = 0   for directions d without slip;   (p_C + r − p_G) · n = 0   to stay on the ground
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.constraint.joints.sides import Row, Side, constrained, direction
from latchwork.constraint.joints.spot import at_home, spot, velocity
from latchwork.errors import ConstraintError, must_be
from latchwork.mechanics.joints import unit
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import sqrt


def roll(name: str, body: Side, contact: Vector, ground: Side, along: Sequence[Vector],
         normal: Vector | None = None) -> Constraint:  # fmt: skip
    """No slip in the directions ``along`` at the end of ``contact``, the vector from a point of the body.

    With ``normal``, a vector fixed in the ground, the contact also stays in the plane through the ground's point; the
    contact must then be the body's lowest place (``wheel_foot`` gives it), so that its force is along the normal.
    """
    if not isinstance(contact, Vector) or contact.is_zero:
        raise ConstraintError(
            f"the contact of '{name}' is {contact!r}. Give the vector from '{body.point.name}' to where "
            f"'{body.frame.name}' touches, such as -r*N.z, or lw.rim(axis, normal, radius)."
        )
    for each in along:
        if not isinstance(each, Vector):
            raise ConstraintError(f"'{name}' rolls along {each!r}. Give vectors, such as [N.x, N.y].")
    touching = spot(body.point, body.frame, contact)
    made: dict[str, Any] = {"body": body.frame, "center": body.point, "contact": contact, "along": list(along),
                            "on": ground.frame, "at": ground.point}  # fmt: skip
    still = ground.frame.parent is None
    under = ground.point if still else spot(ground.point, ground.frame, body.point.position(ground.point) + contact)
    slip = velocity(touching) if still else velocity(touching) - velocity(under)
    rows: list[Row] = [(slip.dot(d), Pull(d, touching, under)) for d in map(unit, along)]
    if normal is not None:
        up = direction(ground.frame, name, "the normal", normal)
        made["normal"] = up
        rows.append(((body.point.position(ground.point) + contact).dot(up), Pull(up, touching, under)))
    return constrained(name, rows, {"roll": made})


def wheel_foot(axis: Vector, normal: Vector, radius: Any, tube: Any = 0.0) -> Vector:
    """From the centre of a wheel to its lowest place: r = −R (n − (n·k) k) / √(1 − (n·k)²) − ρ n.

    k is the wheel's axis, n the normal of the ground, ρ the radius of the tyre's cross-section; R is that of the circle
    on which the middle of the tyre lies (of the wheel itself where it is thin). Where a frame L leans with the wheel
    and does not spin with it, −R L.z says the same in fewer operations.
    """
    for vector, what in ((axis, "the axis of a wheel"), (normal, "the normal of the ground")):
        must_be(vector, Vector, what, "Give a vector, such as B.y.")
    k, n = at_home(unit(axis)), at_home(unit(normal))
    c = n.dot(k)
    down = (k * c - n) * (radius / sqrt(1.0 - c * c))
    return down - n * tube if not (isinstance(tube, (int, float)) and tube == 0.0) else down

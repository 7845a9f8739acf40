"""Symbols of a mechanism, as solids: pins, sleeves, balls and motors of joints, supports on the ground, particles, and
boxes of inertia for bodies of which nothing else is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from latchwork.mechanics import primitives
from latchwork.mechanics.body import Body
from latchwork.mechanics.joints import QUATERNION, Link
from latchwork.view.members import Bars, Carriers, has_motor, inertia_boxes
from latchwork.view.mesh import Mesh, welded
from latchwork.view.sketch import Array, Measured, Outline, Part, behind

FOOT = np.array([[0.0, -4.0], [3.4, -4.0], [3.4, -3.2], [1.4, -0.4], [0.0, -0.4]])  # radius and height
PIN, MOTOR = "#e6e9ee", "#3d4654"  # colours of pins and of motors


def particles(bodies: Iterable[Body], radius: float, m: Measured, carriers: Carriers) -> Iterator[Outline]:
    """Balls, larger for those that are heavier."""
    found = [(body, max(m.number(body.mass), 0.0)) for body in bodies
             if body.is_particle and body.name not in carriers.solid]  # fmt: skip
    most = max((mass for _, mass in found), default=0.0) or 1.0
    for body, mass in found:
        size = radius * (1.3 + 1.2 * float(np.cbrt(mass / most)))
        yield Outline(body.center, body.center.tree.newtonian, (), solid=_mesh(primitives.ball(size)), body=body.name)


def unknown(bodies: Iterable[Body], bars: Bars, radius: float, m: Measured) -> Iterator[Outline]:
    """A box of the same inertia for each body that has neither shapes nor bars."""
    joined = {body for *_, body, _ in bars.pairs} | bars.carriers.solid
    for body, edges in inertia_boxes((body for body in bodies if body.name not in joined), m):
        assert body.frame is not None
        reach = m.size or 1.0
        sizes = np.clip(edges, 1.2 * radius, 0.25 * reach)
        yield Outline(body.center, body.frame, (), solid=_mesh(primitives.box(sizes)), body=body.name)


def joints(links: Iterable[Link], loads: Any, radius: float, m: Measured, carriers: Carriers) -> Iterator[Outline]:
    """A symbol for each joint that joins bars; those of bodies with meshes of their own show by themselves."""
    for link in links:
        name = carriers.body(link.frame)
        if name in (carriers.solid - carriers.outlined) or link.joint.name in ("weld", "planar", "free"):
            continue
        driven = has_motor(link, loads)
        made = _joint(link, radius, m, driven)
        color = MOTOR if driven else PIN
        yield Outline(link.base if link.joint.slides else link.origin, link.inboard, (), solid=made, color=color)


def _joint(link: Link, radius: float, m: Measured, driven: bool) -> Mesh:
    if link.axis is None:
        return _mesh(primitives.ball(1.7 * radius) if link.joint.turns == QUATERNION else primitives.ball(1.5 * radius))
    (axis,) = m.local(link.inboard, link.axis)
    turn = primitives.along(axis)
    if link.joint.slides:
        return _mesh(primitives.placed(primitives.box(np.array([3.6, 3.6, 5.0]) * radius), turn))
    wide, half = 2.6 * radius if driven else 1.45 * radius, max(2.0 * radius, 0.7 * m.thick)
    return _mesh(primitives.placed(primitives.cylinder(wide, -half, half, 28), turn))


def pins(bars: Bars, links: Iterable[Link], radius: float, m: Measured, flat: bool) -> Iterator[Outline]:
    """Where several bars meet that no joint of the model joins: loops that are closed by constraints, or by hand."""
    taken = {bars.key(point) for link in links for point in (link.origin, link.base) if point in bars.places}
    for point, count in bars.ends.items():
        if bars.key(point) in taken or (count < 2 and not bars.is_grounded(point)):
            continue
        frame = point.tree.newtonian
        (axis,) = m.local(frame, m.across)
        half = max(2.0 * radius, 0.7 * m.thick)
        pin = primitives.cylinder(1.45 * radius, -half, half, 28)
        turned = primitives.placed(pin, primitives.along(axis))
        yield Outline(point, frame, (), solid=_mesh(turned if flat else primitives.ball(1.5 * radius)), color=PIN)


def supports(bars: Bars, links: Iterable[Link], radius: float, m: Measured, up: Array, flat: bool) -> Iterator[Outline]:
    """What stands under the places of the ground where bars begin: a triangle, hatched below; in space, a foot."""
    seen: set[bytes] = set()
    based = [link.base for link in links if link.joint.turns and not link.joint.slides and link.base in bars.places]
    for point in (*bars.ends, *(based if flat else ())):
        rows = bars.places[point]
        if not bars.is_grounded(point) or (key := np.round(rows[0] / bars.size, 7).tobytes()) in seen:
            continue
        seen.add(key)
        frame = point.tree.newtonian
        (out,) = m.local(frame, m.across)
        right = np.cross(up, out)
        if flat:
            low = -4.2 * radius * up
            corners = np.array([0.4 * radius * up, low - 3.2 * radius * right, low + 3.2 * radius * right])
            solid = _mesh(primitives.slab(corners, out, radius))
            base = np.array([low - 5.0 * radius * right, low + 5.0 * radius * right])
            yield Outline(point, frame, (Part("edge", base), behind(base, -up, m)), solid=solid)
        else:
            foot = primitives.turned(radius * FOOT)
            yield Outline(point, frame, (), solid=_mesh(primitives.placed(foot, primitives.along(up))))


def _mesh(triangles: Array) -> Mesh:
    return welded(triangles)

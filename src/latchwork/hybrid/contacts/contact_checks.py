"""What must be true of a contact that comes into a run: lengths above zero, and solids that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.constraint.terms import Array
from latchwork.contact.law import Contact
from latchwork.contact.narrow_phase.nearest_points import Pose
from latchwork.contact.narrow_phase.parts import Ball, Flat, Rod
from latchwork.contact.narrow_phase.shape_parts import decompose
from latchwork.contact.shapes import Box, Capsule, Hull, Segment
from latchwork.errors import ModelError
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

LENGTHS = {"radius": "the radius", "length": "the length", "sizes": "a size", "lengths": "an edge"}
PARALLEL = 1e-6  # of the longest normal, or product of edges: shorter products are of parallel edges
MAX_CORNERS = 200  # corners of two solids that are looked at


def must_have_lengths(contact: Contact, contact_points: Sequence[ContactPoint], x: Array) -> None:
    """Refuse lengths that the parameters of the run make zero or negative."""
    found = [(f"{role} of lw.{type(shape).__name__}", value) for shape in contact.shapes
             for role, value in _lengths(shape) if isinstance(value, Expr)]  # fmt: skip
    if found and contact_points:
        for (what, value), size in zip(found, contact_points[0].lowered([value for _, value in found])(x), strict=True):
            if not size > 0.0:
                raise ModelError(f"{what} of contact '{contact.name}', {value}, is {size:.6g} in this run. Give "
                                 "parameters that make it positive.")  # fmt: skip


def _lengths(shape: Any) -> Iterable[tuple[str, Any]]:
    for attribute, role in LENGTHS.items():
        given = getattr(shape, attribute, None)
        yield from ((role, value) for value in (given if isinstance(given, tuple) else (given,)))


def must_not_cross(contact: Contact, contact_points: Sequence[ContactPoint], x: Array) -> None:
    """Refuse solids that lie in each other, also where no corner of one is inside of the other.

    Convex solids overlap if they do so along all normals of faces, and t₁ × t₂ of edges (in the plane t and z × t).
    """
    sides = [side for side in map(_corners, contact.shapes) if side is not None]
    if len(sides) != 2 or sum(len(corners) for corners, _, _ in sides) > MAX_CORNERS:
        return
    vectors = [v for corners, normals, edges in sides for v in (*corners, *normals, *edges)]
    N = vectors[0].tree.newtonian
    values = contact_points[0].lowered([m for v in vectors for m in v.measures(N)])(x).reshape(-1, 3)
    (a, faces_a, edges_a), (b, faces_b, edges_b) = _split(values, sides)
    closed = contact_points[0].tolerances.closed
    flat = np.ptp(np.vstack([a, b])[:, 2]) <= closed
    edges = np.vstack([edges_a, edges_b])
    across = [np.cross([0.0, 0.0, 1.0], edges), edges] if flat else [np.cross(edges_a[:, None], edges_b).reshape(-1, 3)]
    axes = np.vstack([faces_a, faces_b, *across])
    sizes = norm(axes, axis=1)
    some = sizes > PARALLEL * sizes.max(initial=0.0)
    axes = axes[some] / sizes[some, None]
    if not len(axes):
        return
    p, q = dot(a, axes.T), dot(b, axes.T)
    depth = float(np.minimum(p.max(axis=0) - q.min(axis=0), q.max(axis=0) - p.min(axis=0)).min())
    _must_be_shallow(contact, depth, closed, float(x[0]))


def must_not_overlap(contact: Contact, poses: tuple[Pose, Pose], closed: float, t: float) -> None:
    """The same of two solids with a picker, as large as they may be."""
    assert contact.picker is not None, "only solids have poses"
    _must_be_shallow(contact, contact.picker.depth(*poses), closed, t)


def _must_be_shallow(contact: Contact, depth: float, closed: float, t: float) -> None:
    if depth > closed:
        raise ModelError(f"'{contact.name}' overlaps at t = {t:.6g}: its shapes lie {depth:.6g} deep in each other. "
                         "Start with the shapes apart or just touching.")  # fmt: skip


def _corners(shape: Any) -> tuple[list[Vector], list[Vector], list[Vector]] | None:
    """Corners, normals of faces, and edges of a solid or thin rod; none for what has another shape."""
    if not isinstance(shape, (Box, Hull, Capsule)) and not (isinstance(shape, Segment) and shape.normal is None):
        return None
    parts = decompose(shape)
    return ([part.place.point.position() + part.place.arm for part in parts if isinstance(part, Ball)],
            [part.normal for part in parts if isinstance(part, Flat)],
            [part.along for part in parts if isinstance(part, Rod)])  # fmt: skip


def _split(values: Array, sides: Sequence[Any]) -> list[tuple[Array, Array, Array]]:
    """Numbers as they were asked for: of each side its corners, normals and edges."""
    counts = [len(part) for side in sides for part in side]
    parts = np.split(values, np.cumsum(counts)[:-1])
    return [(parts[0], parts[1], parts[2]), (parts[3], parts[4], parts[5])]

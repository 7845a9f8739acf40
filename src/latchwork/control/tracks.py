"""Tracks: what a law is to move, and along which reference, as rows of motion J u̇ + J̇u = a.

    θ̈ = θ̈_d + G_D ė + G_P e,   e = θ_d − θ          J = ∂θ̇/∂u          [Aghili Eqs. 38, 39, 44]

A row is a quasi-velocity v, linear in u, with its error and the error's rate. Of a coordinate, or any expression θ(q),
v = θ̇; a point has three; the orientation of a frame has three without any angles: v = ω, e = ½ Σ b_i × d_i, which turns
the axes b_i of the frame onto those of the reference, d_i, unless they are half a turn apart. A direction b of a body
that is to point along d has two, about axes c of the body at right angles to b, of b × b̈ = d × d̈ + G_D ė + G_P e:
v = (ω − d × ḋ) · c, e = b × d · c; spin about b is free, and what it does is taken up. At an angle φ from their
references, about one axis, both obey φ̈ + G_D φ̇ + G_P sin φ = 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from latchwork.errors import ModelError, did_you_mean
from latchwork.hybrid.symbol_lookup import look_up
from latchwork.kane.equations import Equations
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import reachable, rebuild

AXES = "xyz"


class Row(NamedTuple):
    """One row of motion, in t, q and u: quasi-velocity, error, rate of the error, and what is to be reached without
    one."""

    name: str
    track: int  # which track it is of
    speed: int
    error: int
    rate: int
    forward: int


def name_of(what: Any) -> str:
    """What a thing is called: its name, or its text."""
    return str(what) if isinstance(what, Expr) and not what.is_symbol else getattr(what, "name", None) or str(what)


def rows_of(equations: Equations, tracks: Mapping[Any, Any]) -> list[Row]:
    """The rows of all tracks, in their order."""
    if not isinstance(tracks, Mapping):
        raise ModelError(f"tracks of a law for '{equations.name}' are {tracks!r}. Give what is to move with its "
                         "reference: tracks={q1: 0.5, P: (1.0, 0.0, 0.0)}.")  # fmt: skip
    found = []
    for i, (what, reference) in enumerate(tracks.items()):
        found += _rows(equations, i, what, reference)
    return found


def _rows(equations: Equations, i: int, what: Any, reference: Any) -> list[Row]:
    name = name_of(what)
    if isinstance(what, str):
        frames, turns = equations.system.tree.frames, isinstance(reference, (Frame, Link))
        what = frames[what] if turns and what in frames else _named(equations, what)
    if isinstance(what, Link):
        what = what.frame
    if isinstance(what, Frame):
        return _turning(equations, i, name, what, reference)
    if isinstance(what, Point):
        return _moving(equations, i, name, what, reference)
    if isinstance(what, Vector):
        return _pointing(equations, i, name, what, reference)
    if isinstance(what, Expr):
        return [_scalar(equations, i, name, what, _expression(equations, name, reference))]
    raise ModelError(f"a law for '{equations.name}' cannot track {what!r}. Give a coordinate, an expression in q, a "
                     "point, a frame, or a direction of a body.")  # fmt: skip


def _named(equations: Equations, name: str) -> Any:
    known = [*equations.q_names, *equations.u_names, *equations.system.tree.points, *equations.system.tree.frames]
    if name.isidentifier() and name not in known:
        raise ModelError(f"'{name}', which a law is to track, is not in '{equations.name}'."
                         f"{did_you_mean(name, known)}")  # fmt: skip
    return look_up(equations, name)


def _expression(equations: Equations, name: str, reference: Any) -> Expr:
    """A reference that is a number, or an expression in t, parameters and inputs."""
    g = equations.system.graph
    if isinstance(reference, str):
        reference = look_up(equations, reference)
    try:
        given = Expr(g, operand(g, reference))
    except Exception:
        raise ModelError(f"the reference of '{name}' in a law for '{equations.name}' is {reference!r}. Give a number, "
                         "or an expression in t and parameters.") from None  # fmt: skip
    moving = {s.node: s.name for s in (*equations.q, *equations.u)}
    inside = [moving[node] for node in reachable(g, rebuild(g, [given.node], _replaced(equations))) if node in moving]
    if inside:
        raise ModelError(f"the reference of '{name}' in a law for '{equations.name}' contains {', '.join(inside)}, "
                         "which move. A reference is in t, parameters and inputs; put the rest into what is "
                         "tracked.")  # fmt: skip
    return given


def _replaced(equations: Equations) -> dict[int, int]:
    return equations.derivation.kinematics.replaced


def _rate(equations: Equations, node: int) -> int:
    """The rate along the motion with u̇ = 0."""
    g, kinematics = equations.system.graph, equations.derivation.kinematics
    return rebuild(g, tangents(g, [node], kinematics.along), kinematics.replaced)[0]


def _scalar(equations: Equations, i: int, name: str, what: Expr, reference: Expr) -> Row:
    """A row of an expression θ(q, t), or of one that is linear in u, whose rate is tracked."""
    g, u = equations.system.graph, {s.node for s in equations.u}
    theta, target = rebuild(g, [operand(g, what), reference.node], _replaced(equations))
    if not u.isdisjoint(reachable(g, [theta])):
        return Row(name, i, theta, g.constant(0.0), g.sub(target, theta), _rate(equations, target))
    if not {s.node for s in equations.q} & set(reachable(g, [theta])):
        raise ModelError(f"'{name}', which a law for '{equations.name}' is to track, does not move: it is {what}. Give "
                         "an expression in coordinates or speeds.")  # fmt: skip
    rate, aimed = _rate(equations, theta), _rate(equations, target)
    return Row(name, i, rate, g.sub(target, theta), g.sub(aimed, rate), _rate(equations, aimed))


def _moving(equations: Equations, i: int, name: str, point: Point, reference: Any) -> list[Row]:
    """Three rows of a point, in N; the reference is a point, a vector from O, or three numbers or expressions."""
    tree = equations.system.tree
    if isinstance(reference, Point):
        reference = reference.position(tree.origin)
    if isinstance(reference, Vector):
        reference = reference.measures(tree.newtonian)
    wanted = _three(equations, name, reference)
    where = point.position(tree.origin).measures(tree.newtonian)
    return [_scalar(equations, i, f"{name}.{axis}", Expr(tree.graph, operand(tree.graph, theta)), aim)
            for axis, theta, aim in zip(AXES, where, wanted, strict=True)
            if reachable(tree.graph, [operand(tree.graph, theta)])]  # fmt: skip


def _three(equations: Equations, name: str, reference: Any) -> list[Expr]:
    if not isinstance(reference, Sequence) or isinstance(reference, str) or len(reference) != 3:
        raise ModelError(f"the reference of the point '{name}' in a law for '{equations.name}' is {reference!r}. Give "
                         "a point, a vector, or three numbers or expressions in N.")  # fmt: skip
    return [_expression(equations, f"{name}.{axis}", each) for axis, each in zip(AXES, reference, strict=True)]


def _turning(equations: Equations, i: int, name: str, frame: Frame, reference: Any) -> list[Row]:
    """Three rows of the orientation of a frame; the reference is a frame that turns with time, or with a body."""
    tree, g = equations.system.tree, equations.system.graph
    if isinstance(reference, Link):
        reference = reference.frame
    if not isinstance(reference, Frame):
        raise ModelError(f"the reference of the frame '{name}' in a law for '{equations.name}' is {reference!r}. Give "
                         "a frame: N, or one that is turned in N by expressions in t and parameters.")  # fmt: skip
    N, moving = tree.newtonian, {s.node for s in (*equations.q, *equations.u)}
    error: Any = None
    for b, d in zip((frame.x, frame.y, frame.z), (reference.x, reference.y, reference.z), strict=True):
        error = b.cross(d) if error is None else error + b.cross(d)
    aimed = reference.angular_velocity(N)
    parts = zip(frame.angular_velocity(N).measures(N), error.measures(N), aimed.measures(N), strict=True)
    rows = []
    for axis, (omega, off, omega_d) in zip(AXES, parts, strict=True):
        v, e, v_d = rebuild(g, [operand(g, each) for each in (omega, 0.5 * off, omega_d)], _replaced(equations))
        if not moving.isdisjoint(reachable(g, [v_d])):  # one body is turned onto another
            rows.append(Row(f"{name}.{axis}", i, g.sub(v, v_d), e, g.sub(v_d, v), ZERO))
        elif not moving.isdisjoint(reachable(g, [v])):
            rows.append(Row(f"{name}.{axis}", i, v, e, g.sub(v_d, v), _rate(equations, v_d)))
    return rows


def _pointing(equations: Equations, i: int, name: str, direction: Vector, reference: Any) -> list[Row]:
    """Two rows of a direction that is fixed in a body; the reference is a vector that does not vanish."""
    tree, g, moving = equations.system.tree, equations.system.graph, {s.node for s in (*equations.q, *equations.u)}
    if not isinstance(reference, Vector):
        raise ModelError(f"the reference of the direction '{name}' in a law for '{equations.name}' is {reference!r}. "
                         "Give a vector: N.x, or a sum such as lw.cos(t) * N.x + lw.sin(t) * N.y.")  # fmt: skip
    frame, b = _fixed_direction(equations, name, direction)
    d = reference.normalized()
    omega, aimed, fixed = frame.angular_velocity(tree.newtonian), d.cross(d.dt_in(tree.newtonian)), frame.vector(*b)
    rows = []
    for c in _across(b):
        about = frame.vector(*c)
        forward = omega.dot(fixed) * omega.cross(fixed).dot(about) - aimed.dot(omega.cross(about))
        parts = (omega - aimed).dot(about), fixed.cross(d).dot(about), forward
        v, e, ahead = rebuild(g, [operand(g, part) for part in parts], _replaced(equations))
        if not moving.isdisjoint(reachable(g, [v])):
            rows.append(Row(f"{name} about ({', '.join(f'{each:g}' for each in c)})", i, v, e, g.neg(v), ahead))
    return rows


def _fixed_direction(equations: Equations, name: str, direction: Vector) -> tuple[Frame, list[float]]:
    """The frame in which a direction stands still, and its measures there, of unit length."""
    g = equations.system.graph
    ((frame, part), *more) = direction.parts.items() or [(equations.system.tree.newtonian, (ZERO, ZERO, ZERO))]
    if more or not all(node < 0 for node in part) or all(node == ZERO for node in part):
        raise ModelError(f"the direction '{name}' that a law for '{equations.name}' is to track does not stand still "
                         "in one frame. Give an axis of a body, or numbers in its frame: link.frame.vector(0.6, 0.8, "
                         "0.0).")  # fmt: skip
    return frame, _unit([g.value(node) for node in part])


def _across(b: list[float]) -> tuple[list[float], list[float]]:
    """Two unit vectors at right angles to one, and to each other."""
    axis = min(range(3), key=lambda j: abs(b[j]))
    first = _unit(_cross(b, [float(j == axis) for j in range(3)]))
    return first, _cross(b, first)


def _cross(a: list[float], b: list[float]) -> list[float]:
    return [a[j - 2] * b[j - 1] - a[j - 1] * b[j - 2] for j in range(3)]


def _unit(a: list[float]) -> list[float]:
    return [each / math.hypot(*a) for each in a]


def motion_nodes(equations: Equations, rows: Sequence[Row]) -> tuple[list[int], list[int]]:
    """J by rows, and J̇u."""
    g, u = equations.system.graph, [s.node for s in equations.u]
    columns = [tangents(g, [row.speed for row in rows], {node: g.constant(1.0)}) for node in u]
    J = [column[r] for r in range(len(rows)) for column in columns]
    return J, [_rate(equations, row.speed) for row in rows]

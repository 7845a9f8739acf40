"""Points that are guided: at a distance, along a line, in a plane, on a curve.

    ((p_P − p_Q)² − L²) / 2L = 0,   (p_P − p_Q) · e = 0,   p_P − p_Q − c(s) = 0,   f(x, y, z) / |∇f| = 0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.constraint.joints.sides import Row, Side, constrained, direction, kinds, scalar, triad
from latchwork.constraint.joints.spot import spot
from latchwork.errors import ConstraintError
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import gradient
from latchwork.symbolic.expr import Expr, sqrt
from latchwork.symbolic.traverse import rebuild


def distance(name: str, p: Point, q: Point, length: Any) -> Constraint:
    """Two points at a distance, which may depend on t: a massless rod. λ > 0 pushes them apart."""
    L = scalar(p.tree.graph, name, "the length", length)
    if L.is_constant and float(L) <= 0.0:
        raise ConstraintError(f"the length of '{name}' is {float(L):g}. Give a positive one, or close a ball joint.")
    _only(name, "the length", L, {"parameter", "time"}, "t and parameters")
    d = p.position(q)
    row = (d.dot(d) - L * L) / (2.0 * L)
    return constrained(name, [(row, Pull(d / L, p, q))], {"distance": {"between": [p, q], "length": L}})


def slot(name: str, point: Point, on: Side, axis: Vector) -> Constraint:
    """A point on a line that is fixed in a frame: a pin in a slot, a bead on a wire."""
    along = direction(on.frame, name, "the axis", axis)
    made = {"point": point, "on": on.frame, "at": on.point, "axis": along}
    return constrained(name, _against(point, on, *triad(on.frame, along)[:2]), {"slot": made})


def plane(name: str, point: Point, on: Side, normal: Vector) -> Constraint:
    """A point in a plane that is fixed in a frame."""
    up = direction(on.frame, name, "the normal", normal)
    made = {"point": point, "on": on.frame, "at": on.point, "normal": up}
    return constrained(name, _against(point, on, up), {"plane": made})


def curve(name: str, point: Point, on: Side, parameter: Expr, path: Vector) -> Constraint:
    """A point on a curve c(s) in a frame, seen from a point of it; s is a coordinate of its own, without mass.

    Its equation says that the force has no part along the curve: c'(s) · R = 0.
    """
    if not isinstance(parameter, Expr) or parameter.kind != "coordinate":
        raise ConstraintError(
            f"the parameter of '{name}' is {parameter!r}. Give a coordinate of its own: s = model.coordinate('s')."
        )
    if not isinstance(path, Vector) or path.diff(parameter).is_zero:
        raise ConstraintError(
            f"the path of '{name}' is {path!r}, which does not depend on '{parameter.name}'. Give a vector such as "
            f"{parameter.name}*{on.frame.name}.x + {parameter.name}**2*{on.frame.name}.y."
        )
    d, frame = point.position(on.point), on.frame
    off, against = d - path, spot(on.point, frame, d)
    rows: list[Row] = [(off.dot(e), Pull(e, point, against)) for e in (frame.x, frame.y, frame.z)]
    made = {"point": point, "on": frame, "at": on.point, "parameter": parameter, "path": path}
    return constrained(name, rows, {"curve": made})


def implicit(name: str, point: Point, on: Side, zero: Callable[[Expr, Expr, Expr], Any]) -> Constraint:
    """A point where f(x, y, z) = 0, f a function of its measures in a frame, seen from a point of it."""
    if not callable(zero):
        raise ConstraintError(
            f"the function of '{name}' is {zero!r}. Give a function of the point's measures, such as "
            "lambda x, y, z: y - x**2; for an expression in coordinates, use model.constraint."
        )
    d, g = point.position(on.point), point.tree.graph
    places = [Expr(g, g.symbol(f"{name}.{axis}", "parameter")) for axis in "xyz"]
    try:
        value = zero(*places)
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise ConstraintError(f"the function of '{name}' cannot be evaluated at x, y, z ({error}). Give a function of "
                              "the point's measures, such as lambda x, y, z: y - x**2.") from error  # fmt: skip
    f = scalar(g, name, "the function", value)
    slopes = gradient(f, places)
    if all(slope == 0.0 for slope in slopes):
        raise ConstraintError(f"the function of '{name}' is {f}, which depends on no place. Use x, y or z in it.")
    _only(name, "the function", f, {"parameter", "time"}, "x, y, z, t and parameters")
    measured = dict(zip((each.node for each in places), d.components(on.frame), strict=True))
    made = {"point": point, "on": on.frame, "at": on.point, "zero": f, "places": places}
    nodes = rebuild(g, [f.node, *(slope.node for slope in slopes)], measured)
    f, *slopes = (Expr(g, node) for node in nodes)
    size = sqrt(sum((slope * slope for slope in slopes[1:]), start=slopes[0] * slopes[0]))
    normal = on.frame.vector(*slopes) / size
    row = f / size, Pull(normal, point, spot(on.point, on.frame, d))
    return constrained(name, [row], {"implicit": made})


def _against(point: Point, on: Side, *directions: Vector) -> list[Row]:
    """(p_P − p_Q) · e = 0 for directions fixed in a frame; the force acts where P is."""
    d = point.position(on.point)
    return [(d.dot(e), Pull(e, point, spot(on.point, on.frame, d))) for e in directions]


def _only(name: str, what: str, e: Expr, allowed: set[str], words: str) -> None:
    others = {kind: symbol for kind, symbol in kinds(e).items() if kind not in allowed}
    if others:
        raise ConstraintError(f"{what} of '{name}' contains {', '.join(others.values())}. Write it in {words} alone.")

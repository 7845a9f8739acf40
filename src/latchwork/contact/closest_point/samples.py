"""Curves and surfaces as numbers, in their own body: whether they are finite, smooth and closed, and how they join."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.products import norm
from latchwork.contact.curves import Curve, Patch, patch
from latchwork.errors import ModelError, must_be
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import reachable

Array = NDArray[np.float64]

SAMPLES = (257, 33)  # along each parameter, of a curve and of a surface
ZOOM = 16  # times closer, each time that the slowest place of a curve is looked at
CLOSER = 10  # times that it is looked at
HUGE = 1e150  # beyond, squares are not finite
CUSP_SPEED = 1e-7  # of the largest |p′|: slower is a cusp, or a pole
MEET = 1e-9  # how far apart ends may be, over the size of the curve, and how much tangents may differ


def must_be_regular(made: Patch) -> None:
    """Refuse a shape that is not finite somewhere in its range, that stands still, or that does not close as it says.

    Judged by samples at the model's parameter values; where a parameter has none, nothing is judged.
    """
    function = _function(made)
    if function is None:
        return
    rows = _rows(made, grid(made, SAMPLES[len(made.symbols) - 1]))
    values = function.many(rows)
    _must_be_finite(made, rows, values)
    _must_move(made, rows, values, function)
    _must_lie_across(made, rows, values)
    _must_close(made, function)


def grid(made: Patch, count: int) -> Array:
    """Rows of parameters, evenly over their ranges, ends included."""
    axes = [np.linspace(low, high, count) for low, high in made.shape.spans]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


def _function(made: Patch) -> Function | None:
    """p, N and ∂p/∂s in the body's frame, not bent, as a program of s and the parameters; None where one has no
    value."""
    g = made.shape.point.tree.graph
    nodes = _nodes(made)
    parameters = _parameters(made, nodes)
    if any(g.symbols[e.node].value is None for e in parameters):
        return None
    return Function(lower(g, nodes, [*made.symbols, *parameters]))


def _parameters(made: Patch, nodes: list[int]) -> list[Expr]:
    g = made.shape.point.tree.graph
    return [Expr(g, i) for i in reachable(g, nodes) if i in g.symbols and g.symbols[i].kind == "parameter"]


def _nodes(made: Patch) -> list[int]:
    straight = dict.fromkeys(made.shape.bends, 0.0)
    return [node for v in (made.arm, made.outward, *made.slopes) for node in v.subs(straight).components(made.frame)]


def _rows(made: Patch, s: Array) -> Array:
    """Parameters of the shape with those of the model behind them."""
    g = made.shape.point.tree.graph
    held = [g.symbols[e.node].value or 0.0 for e in _parameters(made, _nodes(made))]
    return np.hstack([s, np.tile(held, (len(s), 1))])


def _at(made: Patch, row: Array) -> str:
    return ", ".join(f"{letter} = {value:.6g}" for letter, value in zip(made.shape.letters, row, strict=False))


def _must_be_finite(made: Patch, rows: Array, values: Array) -> None:
    fine = np.abs(values) < HUGE
    bad = ~fine.all(axis=1)
    if bad.any():
        i = int(np.argmax(bad))
        shape = made.shape
        wrong = "place" if not fine[i, :3].all() else "tangent"
        seen = values[i, :3] if wrong == "place" else values[i, 6:]
        spans = ", ".join(f"{letter} from {low:.6g} to {high:.6g}"
                          for letter, (low, high) in zip(shape.letters, shape.spans, strict=True))  # fmt: skip
        raise ModelError(
            f"the {shape.what} of '{made.name}' has no {wrong} at {_at(made, rows[i])}: it is {seen.tolist()}. Change "
            f"its expression, or its range ({spans}), so that it is smooth there."
        )


def _must_move(made: Patch, rows: Array, values: Array, function: Function) -> None:
    """|N| falls to zero where a curve has a cusp, and where a surface has a pole or a crease."""
    size = norm(values[:, 6:9] if len(made.symbols) == 1 else values[:, 3:6], axis=1)
    i = int(size.argmin())
    least, where = size[i], rows[i]
    if len(made.symbols) == 1:
        least, where = _slowest(rows, i, function)
    if least <= CUSP_SPEED * size.max():
        what = "a cusp or stands still" if len(made.symbols) == 1 else "a pole or a crease"
        raise ModelError(
            f"the {made.shape.what} of '{made.name}' has {what} at {_at(made, where)}, where its tangents are "
            f"{least:.3g} long, and so no normal. Leave that place out of its range, or use another parameter."
        )


def _slowest(rows: Array, i: int, function: Function) -> tuple[float, Array]:
    """The least |p′| of a curve, looked for ever closer about the slowest sample."""
    low, high = rows[0, 0], rows[-1, 0]
    where, cell = rows[i].copy(), (high - low) / (len(rows) - 1)
    least = np.inf
    for _ in range(CLOSER):
        near = np.tile(where, (2 * ZOOM + 1, 1))
        near[:, 0] = np.clip(where[0] + cell * np.linspace(-1.0, 1.0, 2 * ZOOM + 1), low, high)
        size = norm(function.many(near)[:, 6:9], axis=1)
        if not np.isfinite(size).all():
            return 0.0, near[int(np.argmax(~np.isfinite(size)))]
        where, least, cell = near[int(size.argmin())], float(size.min()), cell / ZOOM
    return least, where


def _must_lie_across(made: Patch, rows: Array, values: Array) -> None:
    """|up × p′| = |p′| for a curve that lies in the plane across a unit vector ``up``."""
    if len(made.symbols) == 2:
        return
    N, slope = norm(values[:, 3:6], axis=1), norm(values[:, 6:9], axis=1)
    i = int(np.abs(N / slope - 1.0).argmax())
    if abs(N[i] / slope[i] - 1.0) > MEET:
        raise ModelError(
            f"the curve of '{made.name}' leaves its plane at {_at(made, rows[i])}: |up × p′| is {N[i] / slope[i]:.6g} "
            "of |p′|. Give up=... of unit length, across the plane of the curve, or use lw.Surface."
        )


def _must_close(made: Patch, function: Function) -> None:
    for k, closed in enumerate(made.shape.periodic):
        if closed:
            middle = np.array([[0.5 * (low + high) for low, high in made.shape.spans]] * 2)
            middle[:, k] = made.shape.spans[k]
            one, two = function.many(_rows(made, middle))
            size = max(1.0, float(np.abs(one).max()))
            if np.abs(one - two).max() > MEET * size:
                raise ModelError(
                    f"the {made.shape.what} of '{made.name}' does not close along {made.shape.letters[k]}: its places "
                    f"at both ends of the range differ by {np.abs(one - two)[:3].max():.3g}, its tangents by "
                    f"{np.abs(one - two)[6:].max():.3g}. Give a range of one period, or leave closed out."
                )


def joined(*curves: Curve, corners: tuple[int, ...] = ()) -> tuple[Curve, ...]:
    """Curves that follow each other, as parts of one contact: what touches goes from one to the next.

    Each begins where the one before it ends, in the same direction; ``corners`` are the numbers of the joints, from 0,
    where the direction may change.
    """
    for curve in curves:
        must_be(curve, Curve, "what is joined", "Give curves: lw.joined(lw.Curve(...), lw.Curve(...)).")
    if not curves:
        raise ModelError("no curves are joined. Give two or more: lw.joined(lw.Curve(...), lw.Curve(...)).")
    for i, (one, two) in enumerate(pairwise(curves)):
        end, begin = (_end_of(i, curve, high, one) for curve, high in ((one, True), (two, False)))
        gap, turn = np.abs(end[0] - begin[0]).max(), np.abs(end[1] - begin[1]).max()
        if gap > MEET or one.side != two.side:
            raise ModelError(
                f"curves {i} and {i + 1} do not join: one ends at {end[0].tolist()} with side {one.side}, the other "
                f"begins at {begin[0].tolist()} with side {two.side}. Let them meet to {MEET}, on one side."
            )
        if turn > MEET and i not in corners:
            raise ModelError(
                f"curves {i} and {i + 1} meet at a corner: their directions are {end[1].tolist()} and "
                f"{begin[1].tolist()}. Make them one direction, or say corners=({i},)."
            )
    return curves


def _end_of(i: int, curve: Curve, high: bool, first: Curve) -> tuple[Array, Array]:
    """Place, from the point of the first curve, and direction of an end, in the frame of that curve."""
    made, frame = patch(f"joint {i}", curve), patch(f"joint {i}", first).frame
    g = curve.point.tree.graph
    nodes = [*made.place(first.point).components(frame), *made.slopes[0].components(frame)]
    symbols = [Expr(g, k) for k in reachable(g, nodes) if k in g.symbols and g.symbols[k].kind != "auxiliary"]
    values = [value for e in symbols if (value := g.symbols[e.node].value) is not None]
    if len(values) < len(symbols):
        raise ModelError(
            f"where curves {i} and {i + 1} join depends on {', '.join(e.name for e in symbols)}. Give curves that are "
            "fixed in one body, and values for their parameters."
        )
    out = Function(lower(g, nodes, [*made.symbols, *symbols]))([curve.span[high], *values])
    return out[:3], out[3:] / norm(out[3:])

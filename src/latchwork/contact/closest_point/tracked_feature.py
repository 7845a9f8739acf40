"""Features of curves and surfaces: gap, normal and what vanishes at the extremal points, which are tracked.

One side is the host: a curve, a surface or a plane, with the outward normal N; the other, the guest, comes near it:

    r_h = (p_g − p_h) · ∂p_h = 0       the host's point is the foot of the guest's
    r_g = ∂p_g · N_h = 0               the guest's point is the one that is least high; defined at zero gap too
    gap = (p_g − p_h) · n_h − ρ        ρ where the guest is a ball

Where it is a least distance, A = −∂r_h/∂s_h and S = ∂r_g/∂s_g + ∂r_g/∂s_h A⁻¹ ∂r_h/∂s_g are positive. Over the
metric, A is 1 − d κ.  [Patoglu §5.2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from latchwork.constraint.joints.spot import Spot, spot
from latchwork.contact.closest_point.samples import must_be_regular
from latchwork.contact.closest_point.square_matrices import Square, adjugated, determinant, positive
from latchwork.contact.curves import Curve, Patch, Surface, patch
from latchwork.contact.feature import Feature, Tracked, round_about
from latchwork.errors import ModelError
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import unit
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, minimum, sqrt


@dataclass(frozen=True, eq=False)
class Ball:
    """A guest without parameters: anything with a center and a radius, or a point."""

    center: Point
    radius: Any
    frame: Frame | None


@dataclass(frozen=True, eq=False)
class Plane:
    """A host without parameters: anything with a point and a normal."""

    point: Point
    normal: Vector
    frame: Frame


Side = Ball | Plane | Patch


def tracked_features(name: str, a: Any, b: Any) -> tuple[Feature, ...]:
    """The features between a curve or surface and a ball, a point, a line, a plane, or another curve or surface."""
    both = isinstance(a, Curve | Surface) and isinstance(b, Curve | Surface)
    one, two = _side(name, a, "1" if both else ""), _side(name, b, "2" if both else "")
    if not isinstance(one, Patch) and not isinstance(two, Patch):
        raise ModelError(f"'{name}' is between {a!r} and {b!r}, of which none is a curve or surface. Give a curve.")
    swapped = _hosting(one) > _hosting(two)
    guest, host = (two, one) if swapped else (one, two)
    main = _feature(name, guest, host, swapped)
    if isinstance(guest, Ball) and isinstance(host, Patch) and isinstance(host.shape, Curve) and host.shape.ends:
        return main, *(_end(name, guest, host, high, swapped) for high in (False, True))
    return (main,)


def further(feature: Feature) -> Feature:
    """The same feature as a further place: where there is none, its parameters wait, those of a closed curve too."""
    tracked = feature.tracked
    assert tracked is not None, "only what is tracked has further places"
    tracked = replace(tracked, further=True)
    round_abouts = [round_about(s, low, high, far) for s, low, high, closed, far in tracked.ranges if closed]
    return replace(feature, tracked=tracked, within=(*feature.within, *round_abouts))


def _side(name: str, what: Any, suffix: str) -> Side:
    if isinstance(what, Curve | Surface):
        made = patch(name, what, suffix)
        must_be_regular(made)
        return made
    if isinstance(what, Point):
        return Ball(what, 0.0, None)
    if hasattr(what, "center") and hasattr(what, "radius"):
        return Ball(what.center, what.radius, what.frame)
    if hasattr(what, "point") and hasattr(what, "normal"):
        return Plane(what.point, unit(what.normal), what.frame or what.point.tree.newtonian)
    raise ModelError(
        f"'{name}' has {what!r} on one side, which a curve or surface cannot touch. Give a point, a ball or circle, a "
        "line or plane, or another curve or surface."
    )


def _hosting(side: Side) -> int:
    """How well a side serves as host: planes and surfaces before curves; a ball never."""
    if isinstance(side, Patch):
        return len(side.symbols)
    return 3 if isinstance(side, Plane) else 0


def _feature(name: str, guest: Side, host: Side, swapped: bool) -> Feature:
    """The feature of a pair; ``swapped`` where the host is a, so that the normal, from b to a, points into it."""
    origin, frame = host.shape.point if isinstance(host, Patch) else _plane(host).point, host.frame
    assert frame is not None
    top = guest.center.position(origin) if isinstance(guest, Ball) else _patch(guest).place(origin)
    N = host.outward if isinstance(host, Patch) else _plane(host).normal
    n = unit(N)
    arm = host.arm if isinstance(host, Patch) else None
    D = top if arm is None else top.to(frame) - arm
    height = D.dot(n)
    radius = guest.radius if isinstance(guest, Ball) else 0.0
    foot = top - n * height if arm is None else arm
    below = spot(origin, frame, foot)
    above = _touching(guest, n)
    tracked = _tracked(guest, host, D, N, height, origin.position() + top, origin.position() + foot)
    on, other = (below, above) if swapped else (above, below)
    within = tuple(e for s, low, high, closed, _ in tracked.ranges if not closed
                   for e in ((s - low) / (high - low), (high - s) / (high - low)))  # fmt: skip
    return Feature(name, height - radius, -n if swapped else n, on, other, within=within, tracked=tracked)


def _plane(side: Side) -> Plane:
    assert isinstance(side, Plane), "a ball is never the host"
    return side


def _patch(side: Side) -> Patch:
    assert isinstance(side, Patch), "a plane is never the guest"
    return side


def _touching(guest: Side, n: Vector) -> Point | Spot:
    """The material point of the guest: C − ρ n of a ball, p(s) of a patch."""
    if isinstance(guest, Ball):
        return guest.center if guest.frame is None else spot(guest.center, guest.frame, n * (-guest.radius))
    made = _patch(guest)
    return spot(made.shape.point, made.frame, made.arm)


def _tracked(guest: Side, host: Side, D: Vector, N: Vector, height: Expr, top: Vector, foot: Vector) -> Tracked:
    h, g = (side if isinstance(side, Patch) else None for side in (host, guest))
    own = [D.dot(slope) for slope in h.slopes] if h else []
    theirs = [slope.dot(N) for slope in g.slopes] if g else []
    patches = [side for side in (h, g) if side]
    spans = [span for side in patches for span in side.shape.spans]
    return Tracked(
        symbols=tuple(s for side in patches for s in side.symbols),
        conditions=(*own, *theirs),
        low=tuple(float(low) for low, _ in spans),
        high=tuple(float(high) for _, high in spans),
        periodic=tuple(closed for side in patches for closed in side.shape.periodic),
        minimum=_least(h, g, own, theirs, N),
        guest=top, host=foot, height=height, hosted=len(own),
    )  # fmt: skip


def _least(h: Patch | None, g: Patch | None, own: Sequence[Expr], theirs: Sequence[Expr], N: Vector) -> Expr:
    """The lesser of A, over the metric of the host, and S, over that of the guest, as `positive` numbers."""
    A: Square = [[-r.diff(s) for s in h.symbols] for r in own] if h else []
    if g is None or not theirs:
        assert h is not None
        return positive(A, _metric(h))
    S: Square = [[r.diff(s) for s in g.symbols] for r in theirs]
    length = sqrt(_metric(g)[0][0]) * (g.shape.spans[0][1] - g.shape.spans[0][0])
    if h is None:
        return positive([[e * length for e in row] for row in S], _metric(g))
    det, adjugate = determinant(A), adjugated(A)
    across = [[r.diff(s) for s in g.symbols] for r in own]
    back = [[r.diff(s) for s in h.symbols] for r in theirs]
    k, m = range(len(A)), range(len(S))
    scale = length / (determinant(_metric(h)) * N.magnitude())
    S = [[(S[i][j] * det + sum(back[i][p] * adjugate[p][q] * across[q][j] for p in k for q in k)) * scale for j in m]
         for i in m]  # fmt: skip
    return minimum(positive(A, _metric(h)), positive(S, _metric(g)))


def _metric(made: Patch) -> Square:
    return [[x.dot(y) for y in made.slopes] for x in made.slopes]


def _end(name: str, ball: Ball, host: Patch, high: bool, swapped: bool) -> Feature:
    """A ball at an end of a curve: |C − E| − ρ, where the center lies beyond the end."""
    (s,), (span,) = host.symbols, host.shape.spans
    at = {s: float(span[high])}
    arm, way = host.arm.subs(at), host.slopes[0].subs(at)
    D = ball.center.position(host.shape.point).to(host.frame) - arm
    n = D.normalized()
    beyond = D.dot(way) / way.magnitude() * (1.0 if high else -1.0)
    below, above = spot(host.shape.point, host.frame, arm), _touching(ball, n)
    on, other = (below, above) if swapped else (above, below)
    label = f"{name} {'high' if high else 'low'} end"
    return Feature(label, D.magnitude() - ball.radius, -n if swapped else n, on, other, within=(beyond,))

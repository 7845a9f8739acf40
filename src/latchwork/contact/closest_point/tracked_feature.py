"""Features of curves and surfaces: gap, normal and what vanishes at the extremal points, which are tracked.

One side is the host: a curve, a surface or a plane, with the outward normal N; the other, the guest, comes near it:

    r_h = (p_g − p_h) · ∂p_h = 0       the host's point is the foot of the guest's
    r_g = ∂p_g · N_h = 0               the guest's point is the one that is least high; defined at zero gap too
    gap = (p_g − p_h) · n_h − ρ        ρ where the guest is round: a ball, a rod, the tyre of a rim

Where it is a least distance, A = −∂r_h/∂s_h and S = ∂r_g/∂s_g + ∂r_g/∂s_h A⁻¹ ∂r_h/∂s_g are positive. Over the
metric, A is 1 − d κ.  [Patoglu §5.2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from latchwork.contact.closest_point.square_matrices import Square, adjugated, determinant, positive
from latchwork.contact.curves import Patch
from latchwork.contact.feature import Feature, Tracked, round_about
from latchwork.contact.narrow_phase.parts import Place
from latchwork.mechanics.joints import unit
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, minimum, sqrt


@dataclass(frozen=True, eq=False)
class Plane:
    """A host without parameters: a plane so far from a place along its normal."""

    place: Place
    normal: Vector
    offset: Any = 0.0


def place_of(made: Patch) -> Place:
    """The material place p(s)."""
    return Place(made.shape.point, made.frame, made.arm, made.shape.bends)


def hosted_feature(name: str, guest: Place | Patch, host: Plane | Patch, radius: Any = 0.0) -> Feature:
    """The feature of a guest, a place or a patch, round by a radius, on a host, whose normal points to the guest."""
    above = place_of(guest) if isinstance(guest, Patch) else guest
    if isinstance(host, Patch):
        origin = host.shape.point
        N = host.outward
        D = (above.point.position(origin) + above.arm).to(host.frame) - host.arm
        n, below = unit(N), place_of(host)
        height = D.dot(n)
    else:
        N = n = host.normal
        D = above.seen_from(host.place)
        height = D.dot(n) - host.offset
        below = host.place.beside(D - n * height)
    tracked = _tracked(guest, host, D, N, height, where_is(above), where_is(below))
    return Feature(name, height - radius, n, above.touching(n * -radius), below.touching(Vector(n.tree, {})),
                   within=in_range(tracked), tracked=tracked,
                   depth=host.shape.depth if isinstance(host, Patch) else None)  # fmt: skip


def in_range(tracked: Tracked) -> tuple[Expr, ...]:
    """Not negative where every parameter is within its range."""
    return tuple(e for s, low, high, closed, _ in tracked.ranges if not closed
                 for e in ((s - low) / (high - low), (high - s) / (high - low)))  # fmt: skip


def swapped(feature: Feature) -> Feature:
    """The same feature with a and b in the other order."""
    drift = None if feature.drift is None else -feature.drift
    return replace(feature, normal=-feature.normal, on=feature.other, other=feature.on, drift=drift)


def further(feature: Feature) -> Feature:
    """The same feature as a further place: where there is none, its parameters wait, those of a closed curve too."""
    tracked = feature.tracked
    assert tracked is not None, "only what is tracked has further places"
    tracked = replace(tracked, further=True)
    round_abouts = [round_about(s, low, high, far) for s, low, high, closed, far in tracked.ranges if closed]
    return replace(feature, tracked=tracked, within=(*feature.within, *round_abouts))


def where_is(place: Place) -> Vector:
    """From the origin."""
    return place.point.position() + place.arm


def _tracked(guest: Place | Patch, host: Plane | Patch, D: Vector, N: Vector, height: Expr, top: Vector,
             foot: Vector) -> Tracked:  # fmt: skip
    h, g = (side if isinstance(side, Patch) else None for side in (host, guest))
    own = [D.dot(slope) for slope in h.slopes] if h else []
    theirs = [slope.dot(N) for slope in g.slopes] if g else []
    return tracking([side for side in (h, g) if side], (*own, *theirs), _least(h, g, own, theirs, N), top, foot, height,
                    len(own))  # fmt: skip


def tracking(patches: Sequence[Patch], conditions: Sequence[Expr], least: Expr, guest: Vector, host: Vector,
             height: Expr, hosted: int) -> Tracked:  # fmt: skip
    """Parameters of some patches, and what vanishes where they belong."""
    spans = [span for side in patches for span in side.shape.spans]
    return Tracked(
        symbols=tuple(s for side in patches for s in side.symbols),
        conditions=tuple(conditions),
        low=tuple(float(low) for low, _ in spans),
        high=tuple(float(high) for _, high in spans),
        periodic=tuple(closed for side in patches for closed in side.shape.periodic),
        minimum=least, guest=guest, host=host, height=height, hosted=hosted,
    )  # fmt: skip


def _least(h: Patch | None, g: Patch | None, own: Sequence[Expr], theirs: Sequence[Expr], N: Vector) -> Expr:
    """The lesser of A, over the metric of the host, and S, over that of the guest, as `positive` numbers."""
    A: Square = [[-r.diff(s) for s in h.symbols] for r in own] if h else []
    if g is None or not theirs:
        assert h is not None
        return positive(A, metric(h))
    S: Square = [[r.diff(s) for s in g.symbols] for r in theirs]
    length = sqrt(metric(g)[0][0]) * (g.shape.spans[0][1] - g.shape.spans[0][0])
    if h is None:
        return positive([[e * length for e in row] for row in S], metric(g))
    det, adjugate = determinant(A), adjugated(A)
    across = [[r.diff(s) for s in g.symbols] for r in own]
    back = [[r.diff(s) for s in h.symbols] for r in theirs]
    k, m = range(len(A)), range(len(S))
    scale = length / (determinant(metric(h)) * N.magnitude())
    S = [[(S[i][j] * det + sum(back[i][p] * adjugate[p][q] * across[q][j] for p in k for q in k)) * scale for j in m]
         for i in m]  # fmt: skip
    return minimum(positive(A, metric(h)), positive(S, metric(g)))


def metric(made: Patch) -> Square:
    """∂p · ∂p."""
    return [[x.dot(y) for y in made.slopes] for x in made.slopes]

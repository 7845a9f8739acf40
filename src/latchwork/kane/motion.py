"""Velocities, accelerations and partial velocities in terms of generalized speeds.

    ω_B = ω_A + r,                      α_B = α_A + ṙ + ω_A × r                         (measures in B)
    v_P = v_Q + Σ_F (ṗ_F + ω_F × p_F),  a_P = a_Q + Σ_F (p̈ + α × p + 2 ω × ṗ + ω × (ω × p))_F

r is the spin of a frame relative to its parent, p the vector from a point's parent to it, split by the frames F it is
written in. Remainders are taken with u̇ = 0 (or with u̇ as symbols: ``accelerating``); partial velocities are the
coefficients of u.  [Gillespie Eqs. 23, 35]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar

from latchwork.kane.recognise import recognise, short_relative_spins
from latchwork.kane.speeds import Kinematics
from latchwork.mechanics.algebra import NULL, Triple, add3, cross3
from latchwork.mechanics.frame import Frame, Turn, relative_spin
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import reachable, rebuild

T = TypeVar("T")
Settle = Callable[[Vector, Point], Vector]
FEW_SPEEDS = 8  # up to here vectors stay in mixed frames, and every form of the equations is tried


@dataclass(frozen=True)
class FrameEdge:
    """Spin of a frame relative to ``parent`` (None: relative to the Newtonian frame, as declared or recognised)."""

    frame: Frame
    parent: Frame | None
    spin: Triple
    rate: Triple
    partials: dict[int, Triple]


@dataclass(frozen=True)
class PointPart:
    """The share of one frame in the vector from a point's parent: p, ṗ, p̈ (u̇ = 0) and ∂ṗ/∂u_r."""

    frame: Frame
    p: Triple
    dp: Triple
    ddp: Triple
    partials: dict[int, Triple]


@dataclass(frozen=True)
class PointEdge:
    """A point relative to its parent, or (``velocity`` given) relative to the Newtonian frame."""

    point: Point
    parent: Point | None
    parts: tuple[PointPart, ...]
    velocity: Vector | None


class Motion:
    """The kinematics of one system; everything is worked out once, on demand.

    Frames and points that are made later (where a load is added afterwards) are worked out when they are met.
    """

    def __init__(self, system: System, kinematics: Kinematics) -> None:
        self.system = system
        self.kinematics = kinematics
        self.g = system.graph
        self.speeds = [u.node for u in system.u]
        self._speed_index = {u: r for r, u in enumerate(self.speeds)}
        self._short_spins: dict[Frame, Triple] = {}
        self._short_spins = short_relative_spins(self)
        self._declared_frames, self._declared_points = recognise(self)
        self._forget()

    def _forget(self) -> None:
        """Start with nothing worked out."""
        N = self.system.tree.newtonian
        self._frame_edges: dict[Frame, FrameEdge] = {}
        self._point_edges: dict[Point, PointEdge] = {}
        self._w: dict[Frame, Triple] = {N: NULL}
        self._alpha_t: dict[Frame, Triple] = {N: NULL}
        self._kept: dict[tuple[object, int, int], Any] = {}

    def kept(self, what: object, make: Callable[[], T]) -> T:
        """What is made from all frames and points, made once and again when there are more of them."""
        key = what, len(self.system.tree.frames), len(self.system.tree.points)
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    def accelerating(self) -> Motion:
        """The same motion with u̇ as symbols instead of 0: its remainders are the whole accelerations."""
        other = copy(self)
        rates = {u.node: rate.node for u, rate in zip(self.system.u, self.system.u_rates, strict=True)}
        other.kinematics = replace(self.kinematics, along=self.kinematics.along | rates)
        other._forget()
        return other

    # --- building blocks ----------------------------------------------------------------------------------------

    def rate(self, a: Triple) -> Triple:
        """Time derivative of measure numbers along q̇ = W u + X, with u̇ = 0."""
        d = tangents(self.g, list(a), self.kinematics.along)
        return d[0], d[1], d[2]

    def partials(self, a: Triple) -> dict[int, Triple]:
        """∂a/∂u_r for the speeds r that a depends on."""
        found = {}
        for u in reachable(self.g, a):
            if u in self._speed_index:
                d = tangents(self.g, a, {u: ONE})
                if d != [ZERO, ZERO, ZERO]:
                    found[self._speed_index[u]] = (d[0], d[1], d[2])
        return found

    def coordinate_rate(self, q: int) -> int:
        """q̇ of a coordinate, in terms of u."""
        return self.kinematics.along[q]

    def rate_partials(self, q: int) -> dict[int, int]:
        """∂q̇/∂u_r of a coordinate, for the speeds r that move it."""
        rate = (self.kinematics.along[q], ZERO, ZERO)
        return self.kept((Motion.rate_partials, q), lambda: {r: a for r, (a, _, _) in self.partials(rate).items()})

    def in_speeds(self, a: Triple) -> Triple:
        """q̇ replaced by W u + X."""
        b = rebuild(self.g, list(a), self.kinematics.replaced)
        return b[0], b[1], b[2]

    def relative_spin(self, frame: Frame) -> Triple:
        """Spin relative to the parent frame, in terms of u."""
        if isinstance(frame.edge, Turn):
            theta = tangents(self.g, [frame.edge.angle], self.kinematics.along)[0]
            k = frame.edge.axis
            return tuple(theta if i == k else ZERO for i in range(3))  # type: ignore[return-value]
        return self._short_spins[frame] if frame in self._short_spins else self.in_speeds(relative_spin(frame))

    # --- frames -------------------------------------------------------------------------------------------------

    @property
    def frame_edges(self) -> dict[Frame, FrameEdge]:
        for frame in _later(self.system.tree.frames, len(self._frame_edges) + 1):
            declared = self._declared_frames.get(frame)
            spin = declared if declared is not None else self.relative_spin(frame)
            parent = None if declared is not None or frame.parent.parent is None else frame.parent
            self._frame_edges[frame] = FrameEdge(frame, parent, spin, self.rate(spin), self.partials(spin))
        return self._frame_edges

    @property
    def w(self) -> dict[Frame, Triple]:
        """Angular velocity of each frame, measures in itself."""
        found = self._w
        for frame in _later(self.system.tree.frames, len(found)):
            edge = self.frame_edges[frame]
            base = NULL if edge.parent is None else edge.parent.carry(found[edge.parent], frame)
            found[frame] = add3(self.g, base, edge.spin)
        return found

    @property
    def alpha_t(self) -> dict[Frame, Triple]:
        """Angular acceleration with u̇ = 0, measures in the frame itself."""
        g, found = self.g, self._alpha_t
        for frame in _later(self.system.tree.frames, len(found)):
            edge = self.frame_edges[frame]
            total = edge.rate
            if edge.parent is not None:
                alpha, omega = (edge.parent.carry(a[edge.parent], frame) for a in (found, self.w))
                total = add3(g, add3(g, alpha, total), cross3(g, omega, edge.spin))
            found[frame] = total
        return found

    def partial_w(self, s: int) -> dict[Frame, Triple]:
        """∂ω/∂u_s of each frame that has one, measures in itself."""
        found: dict[Frame, Triple] = {}
        for frame, edge in self.frame_edges.items():
            own = edge.partials.get(s, NULL)
            if edge.parent in found:
                own = add3(self.g, edge.parent.carry(found[edge.parent], frame), own)
            if own != NULL:
                found[frame] = own
        return found

    # --- points -------------------------------------------------------------------------------------------------

    @property
    def point_edges(self) -> dict[Point, PointEdge]:
        for point in _later(self.system.tree.points, len(self._point_edges) + 1):
            declared = self._declared_points.get(point)
            if declared is not None:
                self._point_edges[point] = PointEdge(point, None, (), declared)
            else:
                parts = tuple(self._part(frame, p) for frame, p in point.offset.parts.items())
                self._point_edges[point] = PointEdge(point, point.parent, parts, None)
        return self._point_edges

    def _part(self, frame: Frame, p: Triple) -> PointPart:
        dp = self.rate(p)
        return PointPart(frame, p, dp, self.rate(dp) if dp != NULL else NULL, self.partials(dp))

    def velocities(self, settle: Settle) -> dict[Point, Vector]:
        """v of every point, written where ``settle`` wants it."""
        g, tree = self.g, self.system.tree
        found = {tree.origin: Vector(tree, {})}
        for point, edge in self.point_edges.items():
            if edge.velocity is not None:
                found[point] = settle(edge.velocity, point)
                continue
            assert edge.parent is not None
            shares = {part.frame: add3(g, part.dp, cross3(g, self.w[part.frame], part.p)) for part in edge.parts}
            found[point] = settle(found[edge.parent] + Vector(tree, shares), point)
        return found

    def accelerations_t(self, settle: Settle, origin: Vector | None = None) -> dict[Point, Vector]:
        """a of every point with u̇ = 0; an acceleration of the origin stands for uniform gravity upside down."""
        tree = self.system.tree
        base = Vector(tree, {}) if origin is None else origin
        found = {tree.origin: base}
        for point, edge in self.point_edges.items():
            if edge.velocity is not None:
                found[point] = settle(base + self._derivative(edge.velocity), point)
                continue
            assert edge.parent is not None
            shares = Vector(tree, {part.frame: self._acceleration_share(part) for part in edge.parts})
            found[point] = settle(found[edge.parent] + shares, point)
        return found

    def _acceleration_share(self, part: PointPart) -> Triple:
        """p̈ + α × p + ω × ṗ + ω × (ṗ + ω × p)."""
        g, w = self.g, self.w[part.frame]
        total = add3(g, part.ddp, cross3(g, self.alpha_t[part.frame], part.p))
        share = add3(g, part.dp, cross3(g, w, part.p))
        return add3(g, add3(g, total, cross3(g, w, part.dp)), cross3(g, w, share))

    def _derivative(self, v: Vector) -> Vector:
        """Time derivative in N with u̇ = 0: Σ (v̇_F + ω_F × v_F)."""
        g = self.g
        parts = {f: add3(g, self.rate(part), cross3(g, self.w[f], part)) for f, part in v.parts.items()}
        return Vector(v.tree, parts)

    def partial_v(self, s: int, settle: Settle, ws: dict[Frame, Triple]) -> dict[Point, Vector]:
        """∂v/∂u_s of each point that has one."""
        g, tree = self.g, self.system.tree
        found: dict[Point, Vector] = {}
        for point, edge in self.point_edges.items():
            if edge.velocity is not None:
                total = Vector(tree, {f: self.partials(a).get(s, NULL) for f, a in edge.velocity.parts.items()})
            else:
                shares = {}
                for part in edge.parts:
                    share = part.partials.get(s, NULL)
                    if part.frame in ws:
                        share = add3(g, share, cross3(g, ws[part.frame], part.p))
                    shares[part.frame] = share
                base = found.get(edge.parent)  # type: ignore[arg-type]
                total = Vector(tree, shares) if base is None else base + Vector(tree, shares)
            if not total.is_zero:
                found[point] = settle(total, point)
        return found


def _later(table: dict[str, Any], known: int) -> Iterable[Any]:
    """What a tree has got beyond the first few: a parent always stands before its children."""
    return islice(table.values(), known, None) if known < len(table) else ()


def mixed(v: Vector, point: Point) -> Vector:
    """Leave the vector in the frames it came in: the literal form of the books."""
    return v


def newtonian(v: Vector, point: Point) -> Vector:
    """Write everything in N: short where frames turn about one axis."""
    return v if v.is_zero else v.to(point.tree.newtonian)


class Local:
    """Write what belongs to a point in the frame it rides on: the recursive form, short for long spatial chains."""

    def __init__(self, system: System) -> None:
        self.home: dict[Point, Frame] = {system.tree.origin: system.tree.newtonian}
        for point in system.tree.points.values():
            if point.parent is not None:
                frames = sorted(point.offset.parts, key=lambda frame: frame.depth)
                self.home[point] = frames[-1] if frames else self.home[point.parent]
        for body in system.bodies:
            if body.frame is not None:
                self.home[body.center] = body.frame

    def __call__(self, v: Vector, point: Point) -> Vector:
        return v if v.is_zero else v.to(self._frame_of(point))

    def _frame_of(self, point: Point) -> Frame:
        """Where a point rides; one that was made later, where its vector is written."""
        if point not in self.home:
            assert point.parent is not None
            deepest = max(point.offset.parts, key=lambda frame: frame.depth, default=None)
            self.home[point] = self._frame_of(point.parent) if deepest is None else deepest
        return self.home[point]

"""The table of partial velocities, as the books draw it: a row for each ω_r and v_r that enters the equations."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from latchwork.kane.formed import Formed
from latchwork.kane.motion import FrameEdge, Local, Motion, mixed
from latchwork.kane.table import Cell, Sign, Table
from latchwork.mechanics.algebra import NULL, Triple
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.loads import Load
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.printing import FORMS
from latchwork.symbolic.tidy import SHORT, tidy
from latchwork.symbolic.traverse import count_literal, rebuild

__all__ = ["Table", "partial_velocities"]

Row = tuple[Vector, ...]  # one partial velocity for each speed, then the remainder

OMEGA = Sign("w", r"\boldsymbol{\omega}", '<mi style="font-weight:bold">&#x3C9;</mi>')
VELOCITY = Sign("v", r"\mathbf{v}", '<mi mathvariant="normal" style="font-weight:bold">v</mi>')


def partial_velocities(equations: Formed) -> Table:
    """ω = Σ ω_r u_r + ω_t and v = Σ v_r u_r + v_t: the coefficients, a column for each speed.  [Gillespie Eq. 35]

    Rows are the frames of bodies and those that torques act on, mass centres and points that forces act on. The
    remainders stand in a last column where any of them is not zero.
    """
    motion, loads = equations.derivation.motion, (*equations.system.loads, *equations.added)
    rows = {_label(OMEGA, frame.name): _spins(motion, frame) for frame in _frames(motion, loads)}
    rows |= {_label(VELOCITY, point.name): row for point, row in _velocities(motion, loads).items()}
    last = None if any(not row[-1].is_zero for row in rows.values()) else -1
    heads: tuple[Cell, ...] = ("r", *equations.u, "t")
    cells = tuple(tuple(_tidied(v) for v in row[:last]) for row in rows.values())
    return Table(f"Partial velocities of '{equations.name}'", heads[:last], tuple(rows), cells)


def _tidied(v: Vector) -> Vector:
    """The vector with its measure numbers as short as they can be written, where that is quickly found."""
    measures = [Expr(v.tree.graph, node) for node in v.nodes()]
    if not 0 < count_literal(measures).total <= SHORT:
        return v
    return v.rebuilt({old.node: new.node for old, new in zip(measures, tidy(measures), strict=True) if old != new})


def _label(letter: Sign, name: str) -> Sign:
    """ω_r^B or v_r^P."""
    above = FORMS["latex"].symbol(name, 0).body
    mathml = f"<msubsup>{letter.mathml}<mi>r</mi><mtext>{escape(name)}</mtext></msubsup>"
    return Sign(f"{letter.text}_r^{name}", f"{letter.latex}_{{r}}^{{{above}}}", mathml)


# --- angular velocities -------------------------------------------------------------------------------------------


def _frames(motion: Motion, loads: Sequence[Load]) -> list[Frame]:
    """Frames of bodies and frames that torques act on, in the order of the tree."""
    system = motion.system
    wanted = {body.frame for body in system.bodies} | {frame for load in loads for frame, _ in load.torques}
    return [frame for frame in system.tree.frames.values() if frame in wanted and frame.parent is not None]


def _spins(motion: Motion, frame: Frame) -> Row:
    """ω_r for each speed and ω_t: turn by turn, or read off ω in the frame itself where that is shorter."""
    whole, rest = motion.partials(motion.w[frame]), _at_rest(motion, motion.w[frame])
    edges = _chain(motion, frame)
    row = []
    for r in range(len(motion.speeds) + 1):
        remainder = r == len(motion.speeds)
        turns = [_at_rest(motion, e.spin) if remainder else e.partials.get(r, NULL) for e in edges]
        own = Vector(frame.tree, {frame: rest if remainder else whole.get(r, NULL)})
        row.append(min(_turn_by_turn(frame, edges, turns), own, key=_length))
    return tuple(row)


def _chain(motion: Motion, frame: Frame) -> list[FrameEdge]:
    """The edges whose spins add up to ω of a frame."""
    chain, step = [], motion.frame_edges.get(frame)
    while step is not None:
        chain.append(step)
        step = motion.frame_edges.get(step.parent) if step.parent is not None else None
    return chain[::-1]


def _turn_by_turn(frame: Frame, edges: Sequence[FrameEdge], shares: Sequence[Triple]) -> Vector:
    total = Vector(frame.tree, {})
    for edge, share in zip(edges, shares, strict=True):
        total = total + Vector(frame.tree, {edge.frame: share})
    return _on_own_axes(total, frame)


def _length(v: Vector) -> int:
    """What there is to read: operations, and one for each unit vector."""
    measures = [Expr(v.tree.graph, node) for node in v.nodes() if node != ZERO]
    return count_literal(measures).total + len(measures)


def _on_own_axes(v: Vector, frame: Frame) -> Vector:
    """The vector with what lies along an axis that a frame shares written with that frame's unit vector."""
    g, own, parts = v.tree.graph, [ZERO, ZERO, ZERO], {}
    for f, part in v.parts.items():
        shared = [f.axis_homes[k] is frame.axis_homes[k] for k in range(3)]
        own = [g.add(a, b) if here else a for a, b, here in zip(own, part, shared, strict=True)]
        rest = [ZERO if here else b for b, here in zip(part, shared, strict=True)]
        parts[f] = (rest[0], rest[1], rest[2])
    parts[frame] = (own[0], own[1], own[2])
    return Vector(v.tree, parts)


def _at_rest(motion: Motion, a: Triple) -> Triple:
    """What remains with u = 0."""
    b = rebuild(motion.g, list(a), dict.fromkeys(motion.speeds, ZERO))
    return b[0], b[1], b[2]


# --- velocities ---------------------------------------------------------------------------------------------------


def _velocities(motion: Motion, loads: Sequence[Load]) -> dict[Point, Row]:
    """v_r for each speed and v_t of mass centres, and of points that forces act on unless they are fixed in N."""
    centers = {body.center for body in motion.system.bodies}
    wanted = centers | {point for load in loads for point, _ in load.forces}
    whole, home = motion.velocities(mixed), Local(motion.system).home
    columns = [motion.partial_v(r, mixed, motion.partial_w(r)) for r in range(len(motion.speeds))]
    rows = {}
    for point in motion.system.tree.points.values():
        if point in wanted:
            v = whole[point]
            partials = [
                min(column.get(point, v * 0.0), v.diff(u), key=_length)
                for column, u in zip(columns, motion.system.u, strict=True)
            ]
            remainder = v.rebuilt(dict.fromkeys(motion.speeds, ZERO))
            rows[point] = tuple(_on_own_axes(entry, home[point]) for entry in (*partials, remainder))
    return {point: row for point, row in rows.items() if point in centers or any(not v.is_zero for v in row)}

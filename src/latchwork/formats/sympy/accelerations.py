"""Accelerations that a SymPy model declares: they must be the time derivatives of its velocities, as ours are.

    a = Σ v̇_F + ω_F × v_F,    α = Σ ω̇_F + ω_F × (ω)_F        over the frames F in which v and ω are written
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from latchwork.errors import ModelError
from latchwork.formats.sympy.frames import Frames, agree
from latchwork.formats.sympy.kinematics import Description
from latchwork.formats.sympy.points import Points
from latchwork.formats.sympy.symbols import Symbols
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import dt, tangents
from latchwork.symbolic.expr import Expr


def must_follow_velocities(given: Description, points: Points) -> None:
    """Refuse accelerations of mass centres and bodies that differ from those that are derived."""
    frames = points.frames
    along = frames.kinematics.along | {u.node: dt(u).node for u in frames.model.system().u}
    symbols = _with_accelerations(given, frames, along)
    declared = list(_declared(given, points))
    pairs = [(frames.in_speeds(frames.vector(value, what, symbols.motion)), _derivative(frames, v, along))
             for what, value, v in declared]  # fmt: skip
    for (what, value, _), same in zip(declared, agree(frames.model.system(), pairs), strict=True):
        if not same:
            raise ModelError(
                f"{what} is declared as {value}, which is not the time derivative of the velocity. SymPy's equations "
                "would take what is declared, ours what follows from the velocity: correct it, or leave it out."
            )


def _declared(given: Description, points: Points) -> Iterator[tuple[str, Any, Vector]]:
    """What SymPy was told of the accelerations of bodies: what it is of, its value, and the velocity it belongs to."""
    N = points.frames.newtonian
    for body in given.bodies:
        center, frame = body.masscenter, getattr(body, "frame", None)
        if N in center._acc_dict and center in points.velocity:
            yield f"the acceleration of point '{center.name}'", center._acc_dict[N], points.velocity[center]
        if frame is not None and frame is not N and N in frame._ang_acc_dict:
            omega = points.frames.omega(frame)
            yield f"the angular acceleration of frame '{frame.name}'", frame._ang_acc_dict[N], omega


def _with_accelerations(given: Description, frames: Frames, along: dict[int, int]) -> Symbols:
    """The symbols of the model, with q̈ and u̇ as they follow from the kinematics."""
    g, symbols = frames.tree.graph, copy.copy(frames.symbols)
    moving = [*given.u, *given.dependent]
    rates = tangents(g, [symbols.known[u].node for u in moving], along)
    second = tangents(g, list(frames.kinematics.q_rates), along)
    symbols.known = symbols.known | {
        item: Expr(g, node) for item, node in zip(
            (*(u.diff(symbols.time) for u in moving), *(q.diff(symbols.time, 2) for q in given.q)), (*rates, *second),
            strict=True)
    }  # fmt: skip
    return symbols


def _derivative(frames: Frames, v: Vector, along: dict[int, int]) -> Vector:
    """Time derivative in N of a vector in terms of speeds."""
    total = Vector(frames.tree, {})
    for frame, part in v.parts.items():
        rate = tangents(frames.tree.graph, list(part), along)
        total = total + Vector(frames.tree, {frame: (rate[0], rate[1], rate[2])})
        total = total + frames.omega(frames.items[frame]).cross(Vector(frames.tree, {frame: part}))
    return total

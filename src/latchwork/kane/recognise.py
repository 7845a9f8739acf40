"""Velocities that the chosen speeds make short.

With u_i = ω·c_i the angular velocity *is* u1 c1 + u2 c2 + u3 c3, however long it looks in terms of q̇. Velocities are
declared by the analyst (``spin``, ``moves``) and checked here against the coordinates, or recognised here: where every
coefficient of u is the same whole number at random states, the short form replaces the long one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from latchwork.errors import VelocityError
from latchwork.kane.sample import numbers
from latchwork.mechanics.algebra import NULL, Triple, add3, cross3
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.ops import ONE, SYMBOL, ZERO
from latchwork.symbolic.traverse import rebuild

if TYPE_CHECKING:
    from latchwork.kane.motion import Motion

TOLERANCE = 1e-9  # of velocities at random states of order one
MANY = 24  # speeds beyond which nothing is looked for


def recognise(motion: Motion) -> tuple[dict[Frame, Triple], dict[Point, Vector]]:
    """Frames and points whose velocity in N is declared, or turns out short."""
    tree = motion.system.tree
    declared = any(f.spun is not None for f in tree.frames.values()) or any(p.moved is not None for p in tree.points.values())
    searched = len(motion.speeds) <= MANY and _has_long_rates(motion)
    if not declared and not searched:
        return {}, {}
    spins = _worked_out_spins(motion)
    frames = _declared_frames(motion, spins)
    worked = _worked_out_velocities(motion, spins)
    points = _declared_points(motion, worked)
    if searched:
        for frame, spin in spins.items():
            if frame not in frames and not _is_plain(motion, spin):
                short = _short_form(motion, spin)
                if short is not None:
                    frames[frame] = short
        for point, velocity in worked.items():
            if point not in points and not all(_is_plain(motion, part) for part in velocity.parts.values()):
                found = _short_velocity(motion, point, velocity)
                if found is not None:
                    points[point] = found
    return frames, points


def _has_long_rates(motion: Motion) -> bool:
    """Whether some q̇ is anything but one of the speeds."""
    g = motion.g
    return any(node < 0 or g.nodes[node][0] != SYMBOL for node in motion.kinematics.q_rates)


def _worked_out_spins(motion: Motion) -> dict[Frame, Triple]:
    """ω of every frame in itself, from the coordinates."""
    found: dict[Frame, Triple] = {motion.system.tree.newtonian: NULL}
    for frame in motion.system.tree.frames.values():
        if frame.parent is not None:
            base = frame.parent.carry(found[frame.parent], frame)
            found[frame] = add3(motion.g, base, motion.relative_spin(frame))
    return found


def _worked_out_velocities(motion: Motion, spins: dict[Frame, Triple]) -> dict[Point, Vector]:
    """v of every point, from the coordinates; where a point is not located, as declared."""
    g, tree = motion.g, motion.system.tree
    found = {tree.origin: Vector(tree, {})}
    for point in tree.points.values():
        if not point.located and point.moved is not None:
            found[point] = point.moved.rebuilt(motion.kinematics.replaced)
        elif point.parent is not None:
            shares = {f: add3(g, motion.rate(p), cross3(g, spins[f], p)) for f, p in point.offset.parts.items()}
            found[point] = found[point.parent] + Vector(tree, shares)
    return found


def _declared_frames(motion: Motion, spins: dict[Frame, Triple]) -> dict[Frame, Triple]:
    found = {}
    for frame in spins:
        if frame.spun is not None:
            declared = motion.in_speeds(frame.spun.components(frame))
            _must_agree(motion, f"angular velocity of frame '{frame.name}'", frame, declared, spins[frame])
            found[frame] = declared
    return found


def _declared_points(motion: Motion, worked: dict[Point, Vector]) -> dict[Point, Vector]:
    found, N = {}, motion.system.tree.newtonian
    for point, velocity in worked.items():
        if point.moved is not None:
            declared = point.moved.rebuilt(motion.kinematics.replaced)
            what = f"velocity of point '{point.name}'"
            _must_agree(motion, what, N, declared.components(N), velocity.components(N))
            found[point] = declared
    return found


def _must_agree(motion: Motion, what: str, frame: Frame, declared: Triple, worked: Triple) -> None:
    """The declared velocity equals the one that follows from the coordinates at random states."""
    values = numbers(motion.system, [*declared, *worked])
    gap = np.abs(values[:, :3] - values[:, 3:])
    if not gap.max() <= TOLERANCE * (1.0 + np.abs(values).max()):
        state, axis = np.unravel_index(int(np.nan_to_num(gap, nan=np.inf).argmax()), gap.shape)
        raise VelocityError(
            f"the declared {what} in N disagrees with the coordinates: along {frame.name}.{'xyz'[axis]} it is "
            f"{values[state, axis]:.6g} where the coordinates give {values[state, axis + 3]:.6g} at a random state. "
            "Correct the declaration, or the definition of the speeds."
        )


def _is_plain(motion: Motion, a: Triple) -> bool:
    """Constant coefficients of u already."""
    return all(x < 0 for u in motion.speeds for x in tangents(motion.g, a, {u: ONE}))


def _short_form(motion: Motion, a: Triple) -> Triple | None:
    """Σ c_r u_r for each measure number, where all coefficients are whole numbers of at most 1; else None."""
    g = motion.g
    coefficients = [tangents(g, a, {u: ONE}) for u in motion.speeds]
    rest = rebuild(g, list(a), dict.fromkeys(motion.speeds, ZERO))
    values = numbers(motion.system, [node for column in coefficients for node in column] + rest)
    whole = np.rint(values[0])
    if np.abs(values - whole).max() > TOLERANCE or np.abs(whole).max() > 1 or np.any(whole[-3:]):
        return None
    total = [ZERO, ZERO, ZERO]
    for r, u in enumerate(motion.speeds):
        for k in range(3):
            total[k] = g.add(total[k], g.mul(g.constant(float(whole[3 * r + k])), u))
    return total[0], total[1], total[2]


def _short_velocity(motion: Motion, point: Point, velocity: Vector) -> Vector | None:
    """The velocity in the first frame of the tree in which it is short."""
    for frame in motion.system.tree.frames.values():
        short = _short_form(motion, velocity.components(frame))
        if short is not None:
            return Vector(velocity.tree, {frame: short})
    return None

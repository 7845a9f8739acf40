"""Velocities that the chosen speeds make short.

With u_i = ω·c_i the angular velocity *is* u1 c1 + u2 c2 + u3 c3, however long it looks in terms of q̇. Velocities are
declared by the analyst (``spin``, ``moves``) and checked here against the coordinates, or recognised here: where every
coefficient of u is the same whole number at random states, the short form replaces the long one. So is the spin of a
frame relative to its parent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from latchwork.errors import VelocityError
from latchwork.kane.sample import STATES, numbers, random_states
from latchwork.mechanics.algebra import NULL, Triple, add3, cross3
from latchwork.mechanics.frame import Cosines, Frame, Turn
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.ops import SYMBOL, ZERO

if TYPE_CHECKING:
    from latchwork.kane.motion import Motion

MOST_STATES = 64  # tried for the few at which a declared velocity is defined
TOLERANCE = 1e-9  # of velocities at random states of order one
MANY = 24  # speeds beyond which nothing is looked for


def recognise(motion: Motion) -> tuple[dict[Frame, Triple], dict[Point, Vector]]:
    """Frames and points whose velocity in N is declared, or turns out short."""
    tree = motion.system.tree
    given = [frame.spun for frame in tree.frames.values()] + [point.moved for point in tree.points.values()]
    declared = any(velocity is not None for velocity in given)
    searched = len(motion.speeds) <= MANY and _has_long_rates(motion)
    if not declared and not searched:
        return {}, {}
    spins = _worked_out_spins(motion)
    frames = _declared_frames(motion, spins)
    worked = _worked_out_velocities(motion, spins)
    points = _declared_points(motion, worked)
    if searched:
        frames |= {f: w for f, w in spins.items() if f not in frames and _hides_long_steps(motion, f, w)}
        long_spins = {f: w for f, w in spins.items() if f not in frames and not _is_plain(motion, w)}
        long_velocities = {p: v for p, v in worked.items() if p not in points and not _all_plain(motion, v)}
        at_random = _AtRandomStates(motion, long_spins, long_velocities)
        frames |= at_random.short_spins()
        points |= at_random.short_velocities()
    return frames, points


def _hides_long_steps(motion: Motion, frame: Frame, spin: Triple) -> bool:
    """A spin in N that folded to its short form already, while the spin in the parent is long."""
    return frame.parent is not None and _is_plain(motion, spin) and not _is_plain(motion, motion.relative_spin(frame))


def _all_plain(motion: Motion, v: Vector) -> bool:
    return all(_is_plain(motion, a) for a in v.parts.values())


def short_relative_spins(motion: Motion) -> dict[Frame, Triple]:
    """Frames whose spin in their parent turns out short, as that of a ball joint does: ω = u1 b1 + u2 b2 + u3 b3."""
    frames = [frame for frame in motion.system.tree.frames.values() if isinstance(frame.edge, Cosines)]
    spins = {frame: motion.relative_spin(frame) for frame in frames}
    return _AtRandomStates(motion, {f: w for f, w in spins.items() if not _is_plain(motion, w)}, {}).short_spins()


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
    values = numbers(motion.system, [*declared, *worked], count=MOST_STATES)
    values = values[np.isfinite(values).all(axis=1)][:STATES]
    if not len(values):
        raise VelocityError(
            f"the declared {what} in N cannot be checked: it, or what follows from the coordinates, is not finite at "
            f"{MOST_STATES} random states. Write it so that it is defined for coordinates and parameters of order one."
        )
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
    return all(x < 0 for partial in motion.partials(a).values() for x in partial)


class _AtRandomStates:
    """Coefficients of u and remainders of velocities as numbers, from one program: v = Σ v_r u_r + v_t at u = e_r."""

    def __init__(self, motion: Motion, spins: dict[Frame, Triple], velocities: dict[Point, Vector]) -> None:
        self.motion, self.spins, self.velocities = motion, spins, velocities
        parts = [part for v in velocities.values() for part in v.parts.values()]
        nodes = [node for a in (*spins.values(), *parts) for node in a]
        nodes += self._orientation_nodes() if velocities else []
        self.values = self._evaluated(nodes) if spins or velocities else np.empty((0, 0, 0))

    def _orientation_nodes(self) -> list[int]:
        edges = [frame.edge for frame in self.motion.system.tree.frames.values() if frame.edge is not None]
        return [x for e in edges for x in ([e.angle] if isinstance(e, Turn) else [x for row in e.matrix for x in row])]

    def _evaluated(self, nodes: list[int]) -> np.ndarray:
        """Axes: state, speed (the last one: none), node; coefficients are differences from the remainder."""
        system, n = self.motion.system, len(self.motion.speeds)
        x = np.repeat(random_states(system)[:, None], n + 1, axis=1)
        first = 1 + len(system.q)
        x[:, :, first : first + n] = np.eye(n + 1, n)
        rows = x.reshape(-1, x.shape[-1])
        return Function(lower(system.graph, nodes, system.arguments)).many(rows).reshape(len(x), n + 1, -1)

    def short_spins(self) -> dict[Frame, Triple]:
        """ω of frames that turn out short, in themselves."""
        found = {}
        for i, frame in enumerate(self.spins):
            short = self._short(self.values[:, :, 3 * i : 3 * i + 3])
            if short is not None:
                found[frame] = short
        return found

    def short_velocities(self) -> dict[Point, Vector]:
        """v of points that turn out short, in the first frame of the tree in which they are."""
        found: dict[Point, Vector] = {}
        if not self.velocities:
            return found
        orientations, first = self._orientations(), 3 * len(self.spins)
        for point, velocity in self.velocities.items():
            total = np.zeros((*self.values.shape[:2], 3))
            for frame in velocity.parts:
                total += np.einsum("sij,srj->sri", orientations[frame], self.values[:, :, first : first + 3])
                first += 3
            for frame, R in orientations.items():
                short = self._short(np.einsum("sji,srj->sri", R, total))
                if short is not None:
                    found[point] = Vector(velocity.tree, {frame: short})
                    break
        return found

    def _orientations(self) -> dict[Frame, np.ndarray]:
        """R with a_N = R a_F at every state, for every frame F."""
        tree = self.motion.system.tree
        found = {tree.newtonian: np.tile(np.eye(3), (len(self.values), 1, 1))}
        i = self.values.shape[2] - len(self._orientation_nodes())
        for frame in tree.frames.values():
            if isinstance(frame.edge, Turn):
                R, i = _turns(frame.edge.axis, self.values[:, -1, i]), i + 1
            elif frame.edge is not None:
                R, i = self.values[:, -1, i : i + 9].reshape(-1, 3, 3), i + 9
            else:
                continue
            assert frame.parent is not None
            found[frame] = found[frame.parent] @ R
        return found

    def _short(self, values: np.ndarray) -> Triple | None:
        """Σ c_r u_r for each measure number, where all coefficients are whole numbers of at most 1; else None."""
        coefficients = values[:, :-1] - values[:, -1:]
        whole = np.rint(coefficients[0])
        agree = np.abs(coefficients - whole).max() <= TOLERANCE and np.abs(values[:, -1]).max() <= TOLERANCE
        if not agree or np.abs(whole).max() > 1:
            return None
        g, total = self.motion.g, [ZERO, ZERO, ZERO]
        for row, u in zip(whole, self.motion.speeds, strict=True):
            for k in range(3):
                total[k] = g.add(total[k], g.mul(g.constant(float(row[k])), u))
        return total[0], total[1], total[2]


def _turns(axis: int, angles: np.ndarray) -> np.ndarray:
    """Rotations about coordinate axis 0, 1 or 2."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.tile(np.eye(3), (len(angles), 1, 1))
    R[:, i, i] = R[:, j, j] = np.cos(angles)
    R[:, j, i] = np.sin(angles)
    R[:, i, j] = -R[:, j, i]
    return R

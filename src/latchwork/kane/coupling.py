"""Which speeds move mass together, read off the trees before M is written down.

M_rs = Σ m v_r · v_s + ω_r · I · ω_s has an entry only where some body is moved by both speeds. So its zeros, and with
them the operations of M = Lᵀ D L, are known without M.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from latchwork.kane.motion import Motion
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point

FIRST, FURTHER = 4, 7  # operations of M and f for two speeds that move mass together, besides the loads: 4.0 with
# pendulums on a cart, where each speed goes with one other, 7.1 and more for every further one in chains

IN_A_ROW = 7  # operations that wait for each other, for each speed in a row: 7.2 and more in chains


def coupled(motion: Motion) -> list[set[int]]:
    """For each speed the speeds before it that move a body with it: where the lower half of M may differ from zero."""
    below = [0] * len(motion.speeds)
    for moved in _speeds_of_bodies(motion):
        for r in range(len(below)):
            if moved >> r & 1:
                below[r] |= moved & ((1 << r) - 1)
    return [{s for s in range(r) if below[r] >> s & 1} for r in range(len(below))]


def largest_tree(motion: Motion) -> int:
    """How many speeds the largest tree has: speeds that move bodies together, directly or by way of others."""
    trees = list[int]()
    for moved in _speeds_of_bodies(motion):
        apart = [tree for tree in trees if not tree & moved]
        trees = [*apart, reduce(or_, (tree for tree in trees if tree & moved), moved)]
    return max((tree.bit_count() for tree in trees), default=0)


def _speeds_of_bodies(motion: Motion) -> set[int]:
    """The speeds that move each body, a bit for each."""
    frames: dict[Frame | None, int] = {motion.system.tree.newtonian: 0, None: 0}
    for frame, edge in motion.frame_edges.items():
        frames[frame] = frames[edge.parent] | _bits(edge.partials)
    points: dict[Point | None, int] = {motion.system.tree.origin: 0, None: 0}
    for point, step in motion.point_edges.items():
        points[point] = points[step.parent]
        for part in step.parts:
            points[point] |= frames[part.frame] | _bits(part.partials)
        for part_of_velocity in step.velocity.parts.values() if step.velocity is not None else ():
            points[point] |= _bits(motion.partials(part_of_velocity))
    moved = {
        points[body.center] | (frames[body.frame] if body.inertia is not None else 0) for body in motion.system.bodies
    }
    for elastic in motion.system.elastic_bodies:
        bends = [_bits(motion.rate_partials(q.node)) for q in elastic.q]
        moved.add(points[elastic.root] | frames[elastic.frame] | reduce(or_, bends, 0))
    return moved


def _bits(speeds: object) -> int:
    total = 0
    for r in speeds:  # type: ignore[attr-defined]
        total |= 1 << r
    return total


def coupled_turns(motion: Motion) -> list[set[int]]:
    """As `coupled`, of the speeds that turn something: what slides may move with others by constant entries only."""
    turning = {r for edge in motion.frame_edges.values() for r in edge.partials}
    return [row & turning if r in turning else set() for r, row in enumerate(coupled(motion))]


def ltdl_operations(filled: Sequence[set[int]]) -> int:
    """How many operations `linear.solve_ltdl` takes for these entries of M's lower half, without making them."""
    rows, total = [set(row) for row in filled], 0
    for k in range(len(rows) - 1, -1, -1):
        active = rows[k]
        total += 1 + 5 * len(active) + len(active) * (len(active) + 1)
        for i in active:
            rows[i] |= {j for j in active if j < i}
    return total


def fewest_in_a_row(filled: Sequence[set[int]]) -> int:
    """Operations by solving that wait for each other, at least: for each speed three inward, two outward, two for f."""
    rows, depth = [set(row) for row in filled], [0] * len(filled)
    for k in range(len(rows) - 1, -1, -1):
        for i in rows[k]:
            depth[i] = max(depth[i], depth[k] + 1)
            rows[i] |= {j for j in rows[k] if j < i}
    return IN_A_ROW * max(depth, default=0)


def fewest_by_solving(rows: Sequence[set[int]], loads: int) -> int:
    """Operations that M, f and M u̇ = f take at least for speeds that turn something, given those of the loads in f."""
    entries = sum(FIRST + FURTHER * (len(row) - 1) for row in rows if row)
    return loads + entries + ltdl_operations(rows)

"""Blocks of speeds that are coupled by bodies, or by rows that hold: free bodies, trees, mechanisms.

M has no entries, and rows that hold have none, from one block to another; contacts alone couple blocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.terms import Terms
from latchwork.kane.coupling import coupled
from latchwork.program.restriction import Restriction, is_zero, restricted


@dataclass(frozen=True, eq=False)
class Blocks:
    """The speeds of each block, and programs of what is not zero by structure."""

    held: Terms
    members: tuple[tuple[int, ...], ...]

    @property
    def start(self) -> list[int]:
        """The first place of each block among the speeds in the order of blocks."""
        return list(accumulate(map(len, self.members), initial=0))

    @property
    def square_at(self) -> list[int]:
        """Where the matrix of each block begins."""
        return list(accumulate([len(block) ** 2 for block in self.members], initial=0))

    @property
    def packed_at(self) -> list[int]:
        """Where the lower triangle of each block begins."""
        return list(accumulate([len(block) * (len(block) + 1) // 2 for block in self.members], initial=0))

    @cached_property
    def speeds(self) -> list[int]:
        """The speeds, block by block."""
        return [j for block in self.members for j in block]

    @cached_property
    def of_speed(self) -> NDArray[np.int64]:
        """The block of each speed."""
        found = np.zeros(len(self.speeds), dtype=np.int64)
        for b, block in enumerate(self.members):
            found[list(block)] = b
        return found

    @cached_property
    def motion(self) -> Restriction:
        """q̇, the lower triangle of M of each block, f, a and b: `Base.motion` without what is zero."""
        whole, (n_q, n, _) = self.held.base.motion.program, self.held.sizes
        packed = [n_q + packed_place(i, j)
                  for block in self.members for k, i in enumerate(block) for j in block[: k + 1]]  # fmt: skip
        rest = range(n_q + n * (n + 1) // 2, len(whole.outputs))
        return restricted(whole, [*range(n_q), *packed, *rest])

    @cached_property
    def spread(self) -> tuple[Restriction, NDArray[np.int64]]:
        """The entries of W that are not zero by structure, and their places in it."""
        whole = self.held.base.spread.program
        some = [k for k in range(len(whole.outputs)) if not is_zero(whole, k)]
        return restricted(whole, some), np.array(some, dtype=np.int64)


def packed_place(i: int, j: int) -> int:
    """Where an entry of a symmetric matrix stands in its lower triangle."""
    return max(i, j) * (max(i, j) + 1) // 2 + min(i, j)


def blocks_of(held: Terms) -> Blocks:
    """The blocks of a mechanism: one where rows hold, else speeds that move a body together, or that M couples."""
    n_q, n, m = held.sizes
    if m:
        return Blocks(held, (tuple(range(n)),))
    motion, together = held.base.motion.program, coupled(held.base.equations.derivation.motion)
    edges = [(i, j) for i in range(n) for j in range(i)
             if j in together[i] or not is_zero(motion, n_q + packed_place(i, j))]  # fmt: skip
    return Blocks(held, components(n, edges))


def components(n: int, edges: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """The connected components of a graph, by their first members."""
    root = list(range(n))

    def top(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    for i, j in edges:
        a, b = top(i), top(j)
        root[max(a, b)] = min(a, b)
    groups: dict[int, list[int]] = {}
    for i in range(n):
        groups.setdefault(top(i), []).append(i)
    return tuple(map(tuple, groups.values()))

"""Blocks of speeds that are coupled by bodies, or by rows that hold: free bodies, trees, mechanisms; their branches.

M has no entries, and rows that hold have none, from one block to another; contacts alone couple blocks.

Within a block M couples a speed with those on its way to the root of the tree, and with those beyond it: M = Lᵀ L has
no entries elsewhere, nor has Z = L⁻¹ (branch-induced sparsity [Featherstone 2005]). A branch is a chain of speeds
between two forks. A row of a contact, in speeds whose inertia is one, has entries in the branches on the way to its
bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.terms import Terms
from latchwork.kane.coupling import coupled
from latchwork.program.restriction import Restriction, is_zero, restricted


@dataclass(frozen=True, eq=False)
class Branch:
    """Speeds between two forks, and the branches on the way to them from the root, the branch itself among them."""

    speeds: tuple[int, ...]
    path: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The branches of each block, from the root on, and programs of what is not zero by structure."""

    held: Terms
    trees: tuple[tuple[Branch, ...], ...]

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """The branches of all blocks."""
        return tuple(branch for tree in self.trees for branch in tree)

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The speeds of each block, branch by branch."""
        return tuple(tuple(j for branch in tree for j in branch.speeds) for tree in self.trees)

    @property
    def branch_start(self) -> list[int]:
        """The first place of each branch among the speeds in the order of blocks."""
        return list(accumulate([len(branch.speeds) for branch in self.branches], initial=0))

    @cached_property
    def ways(self) -> list[list[int]]:
        """The places of the speeds on the way from the root to each, which M couples it with."""
        start, found = self.branch_start, list[list[int]]()
        for b, branch in enumerate(self.branches):
            above = [place for k in branch.path[:-1] for place in range(start[k], start[k + 1])]
            found += [[*above, *range(start[b], place)] for place in range(start[b], start[b + 1])]
        return found

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

    @property
    def row_at(self) -> list[int]:
        """Of each place: where its row begins in the matrix of its block, less the first place of the block."""
        parts = zip(self.members, self.start[:-1], self.square_at[:-1], strict=True)
        return [at + k * len(block) - start for block, start, at in parts for k in range(len(block))]

    @cached_property
    def speeds(self) -> list[int]:
        """The speeds, block by block."""
        return [j for block in self.members for j in block]

    @cached_property
    def of_speed(self) -> NDArray[np.int64]:
        """The branch of each speed."""
        found = np.zeros(len(self.speeds), dtype=np.int64)
        for b, branch in enumerate(self.branches):
            found[list(branch.speeds)] = b
        return found

    @property
    def is_split(self) -> bool:
        """Whether a block has several branches."""
        return len(self.branches) > len(self.trees)

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


def blocks_of(held: Terms, split: bool = True) -> Blocks:
    """The blocks of a mechanism: one where rows hold, else speeds that move a body together, or that M couples.

    Without ``split`` a block is one branch, whatever the zeros of M: for matrices that are not the inverse of M.
    """
    n_q, n, m = held.sizes
    if m:
        return Blocks(held, (whole(range(n), 0),))
    motion, together = held.base.motion.program, coupled(held.base.equations.derivation.motion)
    coupled_by_M = [{j for j in range(i) if not is_zero(motion, n_q + packed_place(i, j))} for i in range(n)]
    edges = [(i, j) for i in range(n) for j in range(i) if j in together[i] or j in coupled_by_M[i]]
    trees, count = list[tuple[Branch, ...]](), 0
    for block in components(n, edges):
        trees.append(branches_of(block, coupled_by_M, count) if split else whole(block, count))
        count += len(trees[-1])
    return Blocks(held, tuple(trees))


def whole(speeds: Iterable[int], first: int) -> tuple[Branch, ...]:
    """A block that is one branch, by the number that it has."""
    return (Branch(tuple(speeds), (first,)),)


def branches_of(block: Sequence[int], coupled_with: Sequence[set[int]], first: int) -> tuple[Branch, ...]:
    """The branches of a block, by the elimination tree of M from its last speed to its first [Liu 1990]; numbers of
    branches begin with ``first``. Where M is that of a tree whose speeds are in its order, nothing is filled in."""
    lower = {i: set(coupled_with[i]) for i in block}
    parent, forks = dict[int, int](), dict.fromkeys(block, 0)
    for i in reversed(block):
        if lower[i]:
            above = parent[i] = max(lower[i])
            forks[above] += 1
            lower[above] |= lower[i] - {above}
    found, of = list[list[int]](), dict[int, int]()
    paths = list[tuple[int, ...]]()
    for i in block:
        above = parent.get(i, -1)
        if above >= 0 and forks[above] == 1:
            of[i] = of[above]
            found[of[i]].append(i)
        else:
            of[i] = len(found)
            found.append([i])
            paths.append((*(paths[of[above]] if above >= 0 else ()), first + of[i]))
    return tuple(Branch(tuple(speeds), path) for speeds, path in zip(found, paths, strict=True))


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

"""Gathering: everything that a crossing asks about some contacts at one state, in two calls of machine code.

    v = J u + C,    A = J P Jᵀ,    b = J u̇₀ + c
    P = M⁻¹ − M⁻¹ Bᵀ S⁻¹ B M⁻¹,    u̇₀ = P f − M⁻¹ Bᵀ S⁻¹ c_B,    S = B M⁻¹ Bᵀ

B are the rows that hold besides the contacts. P is T M̃⁻¹ Tᵀ of `meeting`, which takes over where M or S is close to
singular, and where there is much to calculate: then libraries are quicker. Both are tested to agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from latchwork.constraint.gather import gather
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.hybrid.touching.touch import Touch
from latchwork.program.bundle import Bundle
from latchwork.program.native import address, native

MOST_SPEEDS, MOST_ROWS = 40, 24
KEPT = 200  # layouts


class Pool:
    """The programs of contacts and of what holds besides; how many rows each contact has, and where its outputs are."""

    def __init__(self, base: Base, held: Terms, touches: Sequence[Touch]) -> None:
        terms = [touch.terms for touch in touches]
        besides = [held.place_function, held.bias_function] if held.sizes[2] else []
        self.bundle = Bundle([base.motion, *besides, *(t.place_function for t in terms),
                              *(t.bias_function for t in terms)])  # fmt: skip
        starts, first, k = self.bundle.starts, 1 + len(besides), len(terms)
        self.held_at = starts[1:3] if besides else [0, 0]
        places = zip(starts[first : first + k], starts[first + k : first + 2 * k], strict=True)
        counts = [len(each.rows) for each in terms]
        self.at = {touch: (count, *place) for touch, count, place in zip(touches, counts, places, strict=True)}

    def code(self, held: Terms, touches: Sequence[Touch]) -> list[int]:
        """What `gather` is told of some of the contacts: sizes, and where outputs are."""
        (n_q, n, m), each = held.sizes, [i for touch in touches for i in self.at[touch]]
        return [n_q, n, sum(each[::3]), m, len(touches), *self.held_at, *each]


def memory_size(held: Terms, touches: int, rows: int) -> int:
    """Numbers that `gather` needs."""
    _, n, m = held.sizes
    most = m + 2 * n
    return _parts(n, touches, rows)[0] + max(n * n + 2 * n, most * n + most + 2 * n * most + most * most + 3 * most)


class Gathering:
    """Some contacts of a pool, and memory for their numbers; one thread at a time."""

    def __init__(self, base: Base, held: Terms, touches: Sequence[Touch], pool: Pool | None = None) -> None:
        n = held.sizes[1]
        pool = Pool(base, held, touches) if pool is None else pool
        self.bundle, k = pool.bundle, len(touches)
        self._first = list(accumulate([len(touch.terms.rows) for touch in touches], initial=0))
        self.rows = self._first.pop()
        self.code = np.array(pool.code(held, touches), dtype=np.int64)
        self._size, self._parts = _parts(n, k, self.rows)
        self.memory = np.zeros(memory_size(held, k, self.rows))
        self._more, self._drag, self._room = np.zeros(2 * n * (n + 1)), np.zeros(2 * n * (2 * n + 1)), 2 * n
        self._x = np.zeros(len(base.arguments))
        self._call, self._at = native(gather).brief, tuple(map(address, (self.code, self.bundle.out, self._x)))
        self._to = address(self.memory)

    def at(self, x: Array, extra: Sequence[tuple[Array, Any]] = (),
           drags: Sequence[tuple[Array, Array, float]] = ()) -> dict[str, Any] | None:  # fmt: skip
        """All numbers at x = (t, q, u, rest) by name; none where they take more care. See `Meetings.at`."""
        if max(len(extra), len(drags)) > self._room:
            return None
        if extra:
            self._more[: len(extra) * (len(extra[0][0]) + 1)] = np.concatenate([np.append(*row) for row in extra])
        if drags:
            numbers = np.concatenate([part for g, N1, N0 in drags for part in (g, N1, [N0])])
            self._drag[: len(numbers)] = numbers
        self.bundle(x)
        self._x[:] = x
        if not self._call(*self._at, len(extra), address(self._more), len(drags), address(self._drag), self._to):
            return None
        numbers = self.memory[: self._size].copy()
        found: dict[str, Any] = {"pace": float(numbers[0]), "first": self._first}
        for name, part, shape in self._parts:
            found[name] = numbers[part] if shape is None else numbers[part].reshape(shape)
        return found


@lru_cache(KEPT)
def _parts(n: int, k: int, r: int) -> tuple[int, list[tuple[str, slice, tuple[int, ...] | None]]]:
    """How many numbers the kernel gives for n speeds and r rows of k contacts; their names, places and shapes."""
    sizes = {"pace": 1, "swiftest": k, "v": r, "b": r, "C": r, "c": r, "f": n, "udot": n, "A": r * r, "J": r * n,
             "M": n * n, "inverse": n * n}  # fmt: skip
    ends = list(accumulate(sizes.values(), initial=0))
    shapes = {"A": (r, r), "J": (r, n), "M": (n, n), "inverse": (n, n)}
    return ends[-1], [(name, slice(a, b), shapes.get(name)) for name, a, b in zip(sizes, ends, ends[1:], strict=False)
                      if name != "pace"]  # fmt: skip


def pays(speeds: int, rows: int) -> bool:
    """Whether loops in machine code are quicker than libraries that have to be called one after the other."""
    return speeds <= MOST_SPEEDS and rows <= MOST_ROWS

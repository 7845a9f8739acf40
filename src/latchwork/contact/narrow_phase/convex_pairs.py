"""Which parts of two solids are near each other now, so that of large ones only these are made and watched.

For any unit vector n, from b towards a, two places are at least as far apart as the solids are along n, and each of
them is back from the foremost of its side:

    |x − y| ≥ (x·n − min_a x·n) + (max_b y·n − y·n) + (min_a x·n − max_b y·n)

The direction between the nearest places is the best n. It is found by one of two methods to pass in: ``by_gjk``, in
NumPy, or ``by_coal``, with the library coal where it is installed. What is picked does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.contact.broad_phase.enclosures import apart
from latchwork.contact.feature import Feature
from latchwork.contact.narrow_phase.nearest_points import Nearest, Pose, by_coal, by_gjk, has_coal
from latchwork.contact.narrow_phase.pairs import between_parts, can_close
from latchwork.contact.narrow_phase.parts import Ball, Flat, Rod
from latchwork.contact.narrow_phase.solid_geometry import side_of
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.errors import ModelError

Array = np.ndarray
Pair = tuple[int, int]
Method = Callable[[Array, Array], Nearest]
TOUCHING = 1e-6  # of the size: nearer places than this have no direction of their own
EAGER = 1000  # pairs of parts whose features are all made with the contact
MAX_PAIRS = 10_000  # and that can all be made and watched at once
AT_A_TIME = 10_000  # directions that are looked along
PARALLEL = 1e-6  # a sine: edges closer to parallel than this have no direction across both
KINDS = ((Ball, Flat), (Flat, Ball), (Rod, Rod))  # sharp parts that can meet


class Near(NamedTuple):
    """Pairs of parts within reach, in the order in which all pairs come, and how far apart they are at least; and how
    far the solids are."""

    pairs: list[Pair]
    apart: Array
    gap: float


class Picker:
    """Two solids in space; a feature is made when it is first asked for, and kept in ``features``."""

    def __init__(self, name: str, a: Box | Hull, b: Box | Hull, method: Method | None = None) -> None:
        self.name, self.shapes, self._method = name, (a, b), method
        self.sides = (side_of(name, a), side_of(name, b))
        self.features: list[Feature] = []
        self._made: dict[Pair, Feature | None] = {}

    @property
    def count(self) -> int:
        """How many pairs of parts there are."""
        return len(self.sides[0].parts) * len(self.sides[1].parts)

    @cached_property
    def size(self) -> float:
        """The radius of the smaller solid about its centre."""
        return min(float(norm(side.corners, axis=1).max()) for side in self.sides)

    @cached_property
    def nearest(self) -> Nearest:
        method = self._method or (by_coal if has_coal() else by_gjk)
        return method(self.sides[0].corners, self.sides[1].corners)

    def renamed(self, name: str) -> Picker:
        """The same under another name; its features are made anew."""
        return Picker(name, *self.shapes, self._method)

    # --- features -----------------------------------------------------------------------------------------------

    def feature(self, pair: Pair) -> Feature | None:
        """Where two parts may touch, made once; none where they never do."""
        if pair not in self._made:
            i, j = pair
            made = between_parts(self.name, self.sides[0].parts[i], self.sides[1].parts[j])
            made = self._made[pair] = made if made is not None and can_close(made) else None
            if made is not None:
                self.features.append(made)
        return self._made[pair]

    def made(self) -> list[tuple[Pair, Feature]]:
        """The features that are made by now, by their parts."""
        return [(pair, feature) for pair, feature in self._made.items() if feature is not None]

    def first(self) -> Feature:
        """Some feature: a corner on a face."""
        found = self.feature((int(self.sides[0].where[0][0]), int(self.sides[1].where[2][0])))
        assert found is not None, "a corner and a face always meet"
        return found

    def every(self) -> list[Feature]:
        """All features, where they are not too many."""
        a, b = (len(side.parts) for side in self.sides)
        if self.count > MAX_PAIRS:
            raise ModelError(
                f"contact '{self.name}' has {a} parts on one side and {b} on the other, too many to watch all their "
                "pairs, as lw.Automaton and other values of parameters that its shapes depend on ask for, and "
                "lw.TimeStepping beyond a million. Give hulls of fewer points, or leave these out."
            )
        pairs = ((i, j) for i in range(a) for j in range(b))
        return [made for pair in pairs if (made := self.feature(pair)) is not None]

    def names(self) -> set[str]:
        """What its features are called, also those not made yet, where they are not too many."""
        if self.count > MAX_PAIRS:
            return {feature.name for feature in self.features}
        labels = [[part.label for part in side.parts] for side in self.sides]
        return {f"{self.name}: {a} on {b}" for a in labels[0] for b in labels[1]}

    # --- numbers ------------------------------------------------------------------------------------------------

    def separation(self, pose_a: Pose, pose_b: Pose) -> tuple[Array, float]:
        """n, and how far the solids are apart along it, min x·n − max y·n.

        Where they are apart n leads from one nearest place to the other; else it is the best normal of a face.
        """
        x, y = self._corners(pose_a, pose_b)
        p, q = self.nearest(pose_a, pose_b)
        size = float(norm(p - q))
        if size > TOUCHING * self.size:
            n = (p - q) / size
            along = float(dot(x, n).min() - dot(y, n).max())
            if along > 0.0:
                return n, along
        normals = np.vstack([dot(self.sides[1].normals, pose_b[0].T), dot(-self.sides[0].normals, pose_a[0].T)])
        gaps = dot(x, normals.T).min(axis=0) - dot(y, normals.T).max(axis=0)
        best = int(gaps.argmax())
        return normals[best], float(gaps[best])

    def depth(self, pose_a: Pose, pose_b: Pose) -> float:
        """How deep the solids lie in each other; below zero, by how much they are apart along some direction.

        Convex solids overlap if they do so along all normals of faces, and all t₁ × t₂ of edges. Where edges say how
        deep, they are as far from each other, so that only those count which are nearer than faces say.
        """
        _, gap = self.separation(pose_a, pose_b)
        if gap >= 0.0:
            return -gap
        x, y = self._corners(pose_a, pose_b)
        pairs = np.array(self.near(pose_a, pose_b, -gap).pairs, dtype=int).reshape(-1, 2)
        pairs = pairs[np.isin(pairs[:, 0], self.sides[0].where[1])]
        t, s = (dot(side.along_of(parts), R.T) for side, parts, (R, _) in zip(self.sides, pairs.T, (pose_a, pose_b),
                                                                         strict=True))  # fmt: skip
        axes = np.cross(t, s)
        sizes = norm(axes, axis=1)
        axes = axes[sizes > PARALLEL] / sizes[sizes > PARALLEL, None]
        for some in np.array_split(axes, 1 + len(axes) // AT_A_TIME):
            p, q = dot(x, some.T), dot(y, some.T)
            ways = np.maximum(q.min(axis=0) - p.max(axis=0), p.min(axis=0) - q.max(axis=0))
            gap = max(gap, float(ways.max(initial=gap)))
        return -gap

    def near(self, pose_a: Pose, pose_b: Pose, reach: float) -> Near:
        """All pairs of parts that may be within reach of each other."""
        n, gap = self.separation(pose_a, pose_b)
        if gap > reach:
            return Near([], np.empty(0), gap)
        x, y = self._corners(pose_a, pose_b)
        back = self.sides[0].lowest(dot(x, n)), self.sides[1].lowest(-dot(y, n))
        back = back[0] - back[0].min(), back[1] - back[1].min()
        found = [self._between(kinds, back, gap, reach, (pose_a, pose_b)) for kinds in KINDS]
        pairs, least = np.concatenate([pair for pair, _ in found]), np.concatenate([gaps for _, gaps in found])
        order = np.lexsort((pairs[:, 1], pairs[:, 0]))
        return Near([(int(i), int(j)) for i, j in pairs[order]], least[order], gap)

    def _corners(self, pose_a: Pose, pose_b: Pose) -> tuple[Array, Array]:
        """All corners in N."""
        x, y = (dot(side.corners, R.T) + p for side, (R, p) in zip(self.sides, (pose_a, pose_b), strict=True))
        return x, y

    def _between(self, kinds: tuple[type, type], back: tuple[Array, Array], gap: float, reach: float,
                 poses: Sequence[Pose]) -> tuple[Array, Array]:  # fmt: skip
        """Pairs of two kinds of parts within reach, (k, 2), and how far apart they are at least."""
        rows = [side.where[(Ball, Rod, Flat).index(kind)] for side, kind in zip(self.sides, kinds, strict=True)]
        some = [row[b[row] + gap <= reach] for row, b in zip(rows, back, strict=True)]
        i, j = (grid.ravel() for grid in np.meshgrid(*some, indexing="ij"))
        least = back[0][i] + back[1][j] + gap
        keep = least <= reach
        i, j, least = i[keep], j[keep], least[keep]
        if len(i):
            least = np.maximum(least, self._distances(kinds, i, j, poses))
        keep = least <= reach
        return np.column_stack([i[keep], j[keep]]).astype(int), least[keep]

    def _distances(self, kinds: tuple[type, type], i: Array, j: Array, poses: Sequence[Pose]) -> Array:
        """How far parts are apart at least: edges exactly, a corner and a face to a factor √2 or so."""
        a, b = self.sides
        (R, p), (S, r) = poses
        if kinds == (Rod, Rod):
            return apart(*(dot(a.ends(i), R.T) + p), *(dot(b.ends(j), S.T) + r))
        if kinds == (Ball, Flat):
            return b.over(j, dot(dot(a.corner(i), R.T) + p - r, S))
        return a.over(i, dot(dot(b.corner(j), S.T) + r - p, R))


def picker_of(name: str, a: Any, b: Any) -> Picker | None:
    """Who picks among the parts of two solids in space that have numbers; none for other shapes."""
    if not (is_solid(a) and is_solid(b)):
        return None
    try:
        return Picker(name, a, b)
    except ModelError:
        return None



def is_solid(shape: Any) -> bool:
    """A box or hull in space."""
    return not shape.is_flat if isinstance(shape, Hull) else isinstance(shape, Box) and len(shape.sizes) == 3

"""A solid as numbers: its corners, edges and faces, in its frame and from its centre."""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

import numpy as np

from latchwork.algebra.products import dot
from latchwork.contact.narrow_phase.parts import Ball, Flat, Rod
from latchwork.contact.narrow_phase.shape_parts import decompose
from latchwork.contact.shapes.base import numbers, numeric
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.errors import ModelError
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

Array = np.ndarray
ON = 1e-7  # of the size: a corner this near a face belongs to it


class Side:
    """One of two solids: its parts as numbers. ``where`` are the places of corners, edges and faces among its parts."""

    def __init__(self, name: str, shape: Box | Hull) -> None:
        if not isinstance(shape, (Box, Hull)):
            raise ModelError(f"'{name}' picks among the parts of {shape!r}. Give lw.Box or lw.Hull in space.")
        self.parts = decompose(shape)
        if not any(isinstance(part, Rod) for part in self.parts):
            raise ModelError(f"'{name}' picks among the parts of {shape.what} in the plane. Watch all of them.")
        balls = [part for part in self.parts if isinstance(part, Ball)]
        rods = [part for part in self.parts if isinstance(part, Rod)]
        flats = [part for part in self.parts if isinstance(part, Flat)]
        kinds = np.array([(Ball, Rod, Flat).index(type(part)) for part in self.parts])
        self.where = [np.flatnonzero(kinds == k) for k in range(3)]
        self._rank = np.zeros(len(kinds), dtype=int)  # of a part among those of its kind
        for rows in self.where:
            self._rank[rows] = np.arange(len(rows))
        self.corners = _rows((part, part.place.arm) for part in balls)
        self._starts = _rows((part, part.place.arm) for part in rods)
        self.along = _rows((part, part.along) for part in rods)
        self._stops = self._starts + self.along * np.array([numeric(part.length) for part in rods])[:, None]
        self.normals = _rows((part, part.normal) for part in flats)
        self._offsets = np.array([numeric(part.offset) for part in flats])
        most = max(len(part.bounds) for part in flats)
        self._sides, self._limits = np.zeros((len(flats), most, 3)), np.full((len(flats), most), np.inf)
        for k, part in enumerate(flats):
            self._sides[k, : len(part.bounds)] = _rows((part, half.vector) for half in part.bounds)
            self._limits[k, : len(part.bounds)] = [numeric(half.offset) for half in part.bounds]
        size = float(np.abs(self.corners).max())
        self._on = np.abs(dot(self.normals, self.corners.T) - self._offsets[:, None]) <= ON * size
        self._ends = [((self.corners[None] - x[:, None]) ** 2).sum(axis=2).argmin(axis=1)
                      for x in (self._starts, self._stops)]  # fmt: skip

    def corner(self, parts: Array) -> Array:
        """Where corners are, (k, 3)."""
        return self.corners[self._rank[parts]]

    def along_of(self, parts: Array) -> Array:
        """Unit vectors along edges, (k, 3)."""
        found: Array = self.along[self._rank[parts]]
        return found

    def ends(self, parts: Array) -> Array:
        """Where edges begin and end, (2, k, 3)."""
        return np.array([self._starts[self._rank[parts]], self._stops[self._rank[parts]]])

    def lowest(self, height: Array) -> Array:
        """The least of the heights of the corners of each part, given those of all corners."""
        found = np.empty(len(self.parts))
        balls, rods, flats = self.where
        found[balls] = height
        found[rods] = np.minimum(height[self._ends[0]], height[self._ends[1]])
        found[flats] = np.where(self._on, height, np.inf).min(axis=1)
        return found

    def over(self, faces: Array, x: Array) -> Array:
        """How far places (k, 3) are from faces at least: above or below, or beyond a side."""
        k = self._rank[faces]
        beyond = (-np.einsum("fsi,fi->fs", self._sides[k], x) - self._limits[k]).max(axis=1)
        height = np.einsum("fi,fi->f", self.normals[k], x) - self._offsets[k]
        found: Array = np.maximum(np.abs(height), beyond)
        return found


def side_of(name: str, shape: Box | Hull) -> Side:
    """A solid as numbers: made once where none of its measures is an expression."""
    if not isinstance(shape, Hull) and (not isinstance(shape, Box) or any(isinstance(x, Expr) for x in shape.sizes)):
        return Side(name, shape)
    return _known.get(shape) or _known.setdefault(shape, Side(name, shape))


_known: WeakKeyDictionary[Box | Hull, Side] = WeakKeyDictionary()


def _rows(vectors: Iterable[tuple[Ball | Rod | Flat, Vector]]) -> Array:
    """Measures in the frame of each part, (n, 3)."""
    found = []
    for part, vector in vectors:
        row = numbers(part.place.frame, vector)
        if row is None:
            raise ModelError(f"'{part.label}' of '{part.place.point.name}' has no numbers. Give its parameters values.")
        found.append(row)
    return np.array(found)

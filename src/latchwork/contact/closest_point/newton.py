"""Finder: the programs of a tracked feature as functions of its parameters, at a state, and Newton's method on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.algebra.linear import lstsq_each
from latchwork.contact.feature import Feature, Tracked
from latchwork.errors import ModelError
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ONE

Array = NDArray[np.float64]

STEPS = 60
STRIDE = 1.0 / 128  # of the range: the longest step of Newton's method
EXACT = 1e-10  # of the range: a step below it is the last, and leaves its square
EDGE = 1e-9  # of the range, by which a solution may lie outside


@dataclass(frozen=True, eq=False)
class Finder:
    """The programs of a feature as functions of (x, s): x = (t, q, u, r, p) and more, as ``arguments`` has them.

    ``beyond`` says how far past the ends of open ranges, in ranges, solutions are looked for too.
    """

    name: str
    tracked: Tracked
    beyond: float
    columns: tuple[int, ...]
    guests: Function  # p_g
    hosts: Function  # p_h
    tops: Function  # gap, height, minimum
    newton: Function  # r, ∂r/∂s
    domain: Function | None  # how far inside the bounds of its parts, besides the ranges, where it has any
    last: dict[bytes, Array] = field(default_factory=dict, repr=False)  # what was found at the last state
    last_samples: dict[bytes, Array] = field(default_factory=dict, repr=False)  # and from where it was looked for

    @cached_property
    def span(self) -> Array:
        """How far each parameter ranges."""
        return np.subtract(self.tracked.high, self.tracked.low)

    @cached_property
    def reach(self) -> tuple[Array, Array]:
        """The bounds of the search."""
        more = np.where(self.tracked.periodic, 0.0, self.beyond) * self.span
        return self.tracked.low - more, self.tracked.high + more

    def held(self, x: ArrayLike) -> Array:
        """x without the parameters of the feature."""
        return np.asarray(x, dtype=float)[list(self.columns)]

    def rows(self, x: ArrayLike, s: Array) -> Array:
        """x with each row of s behind it."""
        return np.hstack([np.tile(self.held(x), (len(s), 1)), s])

    def gap(self, x: ArrayLike, s: ArrayLike) -> float:
        """The gap at some parameters."""
        return float(self.tops.many(self.rows(x, np.atleast_2d(np.asarray(s, dtype=float))))[0, 0])

    def valid(self, x: ArrayLike, s: Array, slack: float = 0.0) -> NDArray[np.bool_]:
        """Which rows lie within the bounds of the parts that meet, or little outside."""
        if self.domain is None:
            return np.ones(len(s), dtype=bool)
        return np.asarray((self.domain.many(self.rows(x, s)) >= -slack).all(axis=1))

    def inside(self, s: Array) -> NDArray[np.bool_]:
        """Which rows lie in range."""
        low, high = np.asarray(self.tracked.low), np.asarray(self.tracked.high)
        free, slack = np.asarray(self.tracked.periodic), EDGE * self.span
        return np.asarray((free | ((s >= low - slack) & (s <= high + slack))).all(axis=1))


def finder(feature: Feature, arguments: Sequence[Expr], beyond: float = 0.0) -> Finder:
    """The programs that a search needs; ``arguments`` say what its numbers stand for: ``equations.arguments``."""
    tracked = feature.tracked
    if tracked is None:
        raise ModelError(f"'{feature.name}' has a closed form: nothing of it is tracked. Give a feature of a curve.")
    own = set(tracked.symbols)
    columns = tuple(i for i, e in enumerate(arguments) if e not in own)
    inputs = [*(arguments[i] for i in columns), *tracked.symbols]
    g, N = tracked.symbols[0].graph, tracked.guest.tree.newtonian
    r = [e.node for e in tracked.conditions]
    J = np.array([tangents(g, r, {s.node: ONE}) for s in tracked.symbols]).T.ravel().tolist()
    nodes = (tracked.guest.components(N), tracked.host.components(N),
             [e.node for e in (feature.gap, tracked.height, tracked.minimum)], [*r, *J])  # fmt: skip
    guests, hosts, tops, newton = (Function(lower(g, list(each), inputs)) for each in nodes)
    bounds = [e.node for e in feature.within if set(e.free_symbols) - own]
    domain = Function(lower(g, bounds, inputs)) if bounds else None
    return Finder(feature.name, tracked, beyond, columns, guests, hosts, tops, newton, domain)


def polished(find: Finder, x: ArrayLike, s: Array) -> Array:
    """Solutions of r = 0, by s ← s − (∂r/∂s)⁻¹ r, that are reached from some s; periodic ones within one period."""
    span, step = find.span, np.zeros_like(s)
    for _ in range(STEPS):
        step = np.clip(_newton(find, x, s), -STRIDE * span, STRIDE * span)
        s = s + step
        near = _reached(find, s, STRIDE)
        s, step = s[near], step[near]
        if np.abs(step / span).max(initial=0.0) < EXACT:
            break
    s = s[(np.abs(step / span) < EXACT).all(axis=1) & _reached(find, s, EDGE)]
    low = np.asarray(find.tracked.low)
    return np.asarray(np.where(find.tracked.periodic, low + np.mod(s - low, span), s))


def continued(find: Finder, x: ArrayLike, s: Array, slack: float) -> tuple[Array, NDArray[np.bool_]]:
    """Where Newton's method leads from each row of s, held within the range and some more; and whether r = 0 there."""
    (low, high), span, s = (find.tracked.low, find.tracked.high), find.span, s.copy()
    there, going = np.zeros(len(s), dtype=bool), np.ones(len(s), dtype=bool)
    for _ in range(STEPS):
        step = np.clip(_newton(find, x, s[going]), -slack * span, slack * span)
        moved = np.clip(s[going] + step, low - slack * span, high + slack * span)
        there[going] = (np.abs(step / span) < EXACT).all(axis=1)
        stuck = (moved == s[going]).all(axis=1)
        s[going] = moved
        going[going] = ~(there[going] | stuck)
        if not going.any():
            break
    return s, there


def _reached(find: Finder, s: Array, slack: float) -> NDArray[np.bool_]:
    """Which rows lie within the bounds of the search, and some more."""
    (low, high), more = find.reach, slack * find.span
    return np.asarray((np.asarray(find.tracked.periodic) | ((s >= low - more) & (s <= high + more))).all(axis=1))


def _newton(find: Finder, x: ArrayLike, s: Array) -> Array:
    """−(∂r/∂s)⁻¹ r for each row; nothing where that is not finite, so that it stays, and is no minimum."""
    out, m = find.newton.many(find.rows(x, s)), len(find.span)
    out[~np.isfinite(out).all(axis=1)] = 0.0
    J = out[:, m:].reshape(-1, m, m) * find.span
    return -lstsq_each(J, out[:, :m]) * find.span

"""Where extremal points are, at one state: all least distances, found by a search over the whole curve or surface.

The shapes are sampled; from the least samples Newton's method goes on, s ← s − (∂r/∂s)⁻¹ r, and what it finds is kept
where it lies in range and is a least distance of second order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.contact.feature import Feature, Tracked
from latchwork.errors import EvaluationError, ModelError
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ONE

Array = NDArray[np.float64]

SAMPLES = (1, 256, 32)  # along each parameter, of a ball, a curve, a surface
MOST = 64  # least samples from which Newton's method begins
STEPS = 60
EXACT = 1e-11  # of the range: a last step below it has converged
EQUAL = 1e-7  # of the range: closer together, two solutions are one
EDGE = 1e-9  # of the range, by which a solution may lie outside
OUTSIDE = 0.05  # of the range, by which parameters are followed outside
NEARER = 1e-9  # relative: of two minima that are equally close, the present one stays


@dataclass(frozen=True, eq=False)
class Finder:
    """The programs of a feature as functions of (x, s): x = (t, q, u, r, p) and more, as ``arguments`` has them."""

    name: str
    tracked: Tracked
    columns: tuple[int, ...]
    guests: Function
    hosts: Function
    tops: Function  # gap, height, minimum
    newton: Function  # r, ∂r/∂s

    @property
    def span(self) -> Array:
        return np.subtract(self.tracked.high, self.tracked.low)

    def rows(self, x: ArrayLike, s: Array) -> Array:
        """x with each row of s behind it."""
        held = np.asarray(x, dtype=float)[list(self.columns)]
        return np.hstack([np.tile(held, (len(s), 1)), s])

    def gap(self, x: ArrayLike, s: ArrayLike) -> float:
        """The gap at some parameters."""
        return float(self.tops.many(self.rows(x, np.atleast_2d(np.asarray(s, dtype=float))))[0, 0])


def finder(feature: Feature, arguments: Sequence[Expr]) -> Finder:
    """The programs that `seed` needs; ``arguments`` say what its numbers stand for: ``equations.arguments``."""
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
    return Finder(feature.name, tracked, columns, *(Function(lower(g, list(each), inputs)) for each in nodes))


def seed(find: Finder, x: ArrayLike) -> list[Array]:
    """All least distances at a state, as rows of parameters, the one with the least gap first; none may lie in range.

    What looks like one from inside the material, past a part of the host that is nearer, is none.
    """
    found = _polished(find, x, _least_samples(find, x))
    if not len(found):
        return []
    gap, height, minimum = find.tops.many(find.rows(x, found)).T
    keep = (minimum > 0.0) & ((height >= 0.0) | (-height <= _nearest(find, x, found) * (1.0 + EDGE) + EQUAL))
    found, gap = found[keep], gap[keep]
    best: list[Array] = []
    for i in np.argsort(gap, kind="stable"):
        if all(apart(find, found[i], other) > EQUAL for other in best):
            best.append(found[i])
    return best


def beyond(find: Finder, x: ArrayLike) -> Array:
    """Parameters outside the range, where none lies in it: the extremal point of the curve continued, or just outside.

    From there an extremal point that comes into range is tracked into it.
    """
    low, high, span = np.asarray(find.tracked.low), np.asarray(find.tracked.high), find.span
    best, nearest = low - OUTSIDE * span, np.inf
    for end in (low, high):
        s = end.copy()
        for _ in range(STEPS):
            out = find.newton.many(find.rows(x, s[None]))[0]
            m = len(s)
            if not np.isfinite(out).all():
                break
            step = np.clip(-np.linalg.pinv(out[m:].reshape(m, m)) @ out[:m], -0.05 * span, 0.05 * span)
            s = np.clip(s + step, low - OUTSIDE * span, high + OUTSIDE * span)
            if np.abs(step / span).max() < EXACT:
                break
        gap = abs(find.gap(x, s))
        if gap < nearest and ((s < low) | (s > high)).any():
            best, nearest = s, gap
    return best


def another_wins(find: Finder, x: ArrayLike, s: ArrayLike) -> Array | None:
    """The parameters of another least distance that is less than the one at s, or None where s is the least."""
    best = seed(find, x)
    here = np.asarray(s, dtype=float)
    if not best or apart(find, best[0], here) <= EQUAL:
        return None
    gap, _, minimum = find.tops.many(find.rows(x, here[None]))[0]
    size = abs(gap) + float(np.abs(find.guests.many(find.rows(x, here[None]))).max())
    return best[0] if minimum <= 0.0 or find.gap(x, best[0]) < gap - NEARER * size else None


def lead(find: Finder, x: ArrayLike, s: ArrayLike) -> float:
    """By how much the gap at s is less than at the next least distance; inf where there is none.

    While the two shapes move past each other at most at v, s stays the least for lead / (2 v), as far as the next least
    distance is there already.
    """
    here = np.asarray(s, dtype=float)
    others = [find.gap(x, other) for other in seed(find, x) if apart(find, other, here) > EQUAL]
    return min(others, default=np.inf) - find.gap(x, here)


def apart(find: Finder, one: Array, two: Array) -> float:
    """The largest difference of parameters, over their ranges; around a period the shorter way."""
    way = np.abs(one - two) / find.span
    return float(np.where(find.tracked.periodic, np.abs(way - np.round(way)), way).max())


# --- the samples ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Grid:
    """Evenly spaced parameters of one side, and which of them close on themselves."""

    s: Array
    shape: tuple[int, ...]
    periodic: tuple[bool, ...]


def _grid(tracked: Tracked, part: slice) -> _Grid:
    low, high, periodic = tracked.low[part], tracked.high[part], tracked.periodic[part]
    n = SAMPLES[len(low)]
    axes = [np.linspace(a, b, n, endpoint=not closed) for a, b, closed in zip(low, high, periodic, strict=True)]
    s = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes)) if axes else np.zeros((1, 0))
    return _Grid(s, (n,) * len(axes), periodic)


def _points(find: Finder, x: ArrayLike, grid: _Grid, hosted: bool) -> Array:
    """Places of the host, or of the guest, at the samples of one side; what the other's parameters are is nothing."""
    k = find.tracked.hosted
    s = np.tile(np.asarray(find.tracked.low), (len(grid.s), 1))
    s[:, :k] = grid.s if hosted else s[:, :k]
    s[:, k:] = s[:, k:] if hosted else grid.s
    points = (find.hosts if hosted else find.guests).many(find.rows(x, s))
    bad = ~np.isfinite(points).all(axis=1)
    if bad.any():
        names = [e.name for e in (find.tracked.symbols[:k] if hosted else find.tracked.symbols[k:])]
        row = grid.s[int(np.argmax(bad))]
        at = ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, row, strict=True)) or "this state"
        raise EvaluationError(
            f"'{find.name}' has no place at {at}: it is {points[int(np.argmax(bad))].tolist()}. Change the "
            "expression or the range of its curve or surface, or the state."
        )
    return points


def _least_samples(find: Finder, x: ArrayLike) -> Array:
    """Samples that are no farther than their neighbours: (s_h, s_g), where each s_h is the nearest to its s_g."""
    k = find.tracked.hosted
    host, guest = _grid(find.tracked, slice(0, k)), _grid(find.tracked, slice(k, None))
    tops = _points(find, x, guest, False)
    if not guest.shape:
        far = np.linalg.norm(_points(find, x, host, True) - tops, axis=1)
        return host.s[_valleys(host, far)]
    s = guest.s
    if host.shape:
        s = np.hstack([host.s[_feet(tops, _points(find, x, host, True))], s])
    return s[_valleys(guest, find.tops.many(find.rows(x, s))[:, 0])]


def _feet(tops: Array, points: Array) -> NDArray[np.intp]:
    """The nearest of some points to each of some others."""
    middle = points.mean(axis=0)
    a, b = tops - middle, points - middle
    return np.asarray(((b**2).sum(axis=1)[None] - 2.0 * a @ b.T).argmin(axis=1))


def _valleys(grid: _Grid, values: Array) -> NDArray[np.intp]:
    """The samples that no neighbour is below, the least of them first."""
    f = np.nan_to_num(values, nan=np.inf).reshape(grid.shape)
    for axis, closed in enumerate(grid.periodic):
        width = [(1, 1) if k == axis else (0, 0) for k in range(f.ndim)]
        f = np.pad(f, width, mode="wrap") if closed else np.pad(f, width, constant_values=np.inf)
    inner = tuple(slice(1, -1) for _ in grid.shape)
    least = np.isfinite(f[inner])
    for shift in product((-1, 0, 1), repeat=f.ndim):
        moved = tuple(slice(1 + d, n + 1 + d) for d, n in zip(shift, grid.shape, strict=True))
        least &= f[inner] <= f[moved]
    found = np.flatnonzero(least)
    return found[np.argsort(f[inner].ravel()[found], kind="stable")][:MOST]


def _nearest(find: Finder, x: ArrayLike, found: Array) -> Array:
    """How near the host comes to the guest's point of each solution, anywhere; inf where it has no samples."""
    host = _grid(find.tracked, slice(0, find.tracked.hosted))
    if not host.shape:
        return np.full(len(found), np.inf)
    tops, points = find.guests.many(find.rows(x, found)), _points(find, x, host, True)
    return np.asarray(np.linalg.norm(tops[:, None] - points[None], axis=2).min(axis=1))


# --- Newton's method --------------------------------------------------------------------------------------------


def _polished(find: Finder, x: ArrayLike, s: Array) -> Array:
    """Solutions of r = 0 from some samples, those that converge in range; periodic parameters within one period."""
    m, span, low = len(find.span), find.span, np.asarray(find.tracked.low)
    cells = span / np.array([SAMPLES[n] for n in (find.tracked.hosted, m - find.tracked.hosted) for _ in range(n)])
    s, step = s.copy(), np.full((len(s), m), np.inf)
    for _ in range(STEPS):
        out = find.newton.many(find.rows(x, s))
        out[~np.isfinite(out)] = 0.0  # a start that leads nowhere stays where it is, and is no minimum
        r, J = out[:, :m], out[:, m:].reshape(-1, m, m) * span
        step = -np.einsum("kij,kj->ki", np.linalg.pinv(J), r) * span
        step = np.clip(step, -2.0 * cells, 2.0 * cells)
        s = s + step
        if not len(s) or np.abs(step / span).max() < 1e-15:
            break
    periodic = np.asarray(find.tracked.periodic)
    s = np.where(periodic, low + np.mod(s - low, span), s)
    inside = np.where(periodic, True, (s >= low - EDGE * span) & (s <= low + span * (1.0 + EDGE)))
    done = (np.abs(step / span) < EXACT).all(axis=1) & inside.all(axis=1)
    return np.asarray(s[done])

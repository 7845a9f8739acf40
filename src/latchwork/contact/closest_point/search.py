"""Where extremal points are, at one state: all least distances, found by a search over the whole curve or surface.

Both sides are sampled, and each sample of the guest is given the nearest one of the host as its foot. From those that
are nearer than their neighbours Newton's method goes on; what it finds is kept where it is a least distance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.algebra.products import dot, norm
from latchwork.contact.closest_point.newton import EDGE, Array, Finder, continued, polished
from latchwork.errors import EvaluationError

SAMPLES = (1, 256, 32)  # along each parameter, of a ball or plane, a curve, a surface
MAX_SAMPLES = 64  # least samples from which Newton's method begins
EQUAL = 1e-7  # of the range: closer together, two solutions are one
NEAR_BY, LEVEL = 0.02, 1e-9  # of the range, within which no rise is looked for; and how much is none
SAME_PLACE = 1e-5  # of the range: as close to what is tracked elsewhere, a solution is that one
OUTSIDE = 0.05  # of the range, by which parameters are followed outside
LEAST = 1e-3  # of second order: closer to zero, an extremal point is no least distance any more
LEVEL_PIECE = 1e-9  # of second order: no more than that is rounding, and all along a piece the distance is the same
NEAR_BOUND = 0.05  # how far outside the bounds of the parts that meet a place may be that is looked out for
NEARER = 1e-9  # relative: of two minima that are equally close, the present one stays


def seed(find: Finder, x: ArrayLike, taken: Iterable[Array] = ()) -> list[Array]:
    """All least distances at a state, as parameters: in range first, then within the bounds of the parts that meet, the
    one with the least gap first; maybe none.

    What looks like one from inside the material, past a part of the host that is nearer, is none. Those that others
    have ``taken`` are left out.
    """
    known = [s for s in taken if not is_waiting(find, s)]
    best: list[Array] = []
    for s in _least_distances(find, x):
        if all(apart(find, s, other) > EQUAL for other in best) and not any(_is_one(find, x, s, k) for k in known):
            best.append(s)
    return best


def _least_distances(find: Finder, x: ArrayLike) -> Array:
    """All least distances at a state, in the order of `seed`, whoever has taken them. The last ones are kept: a look
    asks for them several times."""
    state = find.held(x).tobytes()
    found = find.last.get(state)
    if found is None:
        found = polished(find, x, _least_samples(find, x))
        if len(found):
            gap, height, minimum = find.tops.many(find.rows(x, found)).T
            keep, deep = minimum > 0.0, height < 0.0
            keep[deep] &= -height[deep] <= _nearest(find, x, found[deep]) * (1.0 + EDGE) + EDGE
            found, gap = found[keep], gap[keep]
            found = found[np.lexsort((gap, ~find.valid(x, found), ~find.inside(found)))]
        find.last.clear()
        find.last[state] = found
    return found


def _is_one(find: Finder, x: ArrayLike, s: Array, other: Array) -> bool:
    """Whether a least distance is that which is tracked at other parameters: they are nearly the same, or are near by
    with nothing that is further away between them."""
    off = apart(find, s, other)
    if off <= SAME_PLACE or off > NEAR_BY:
        return off <= SAME_PLACE
    ends = find.gap(x, s), find.gap(x, other)
    return find.gap(x, 0.5 * (s + other)) <= max(ends) + LEVEL * (1.0 + abs(ends[0]))


def beyond(find: Finder, x: ArrayLike, least: float = 0.0) -> Array:
    """Parameters outside the range, where none lies in it: the least distance of the curve continued, or out of reach.

    It must be more than ``least`` of second order.
    From there one that comes into range is tracked into it; out of reach, parameters wait until one is looked for.
    """
    low, high = np.asarray(find.tracked.low), np.asarray(find.tracked.high)
    free, ends = ~np.asarray(find.tracked.periodic), np.array([low, high])
    s, there = continued(find, x, ends, OUTSIDE) if free.any() else (ends, np.zeros(2, dtype=bool))
    s = s[there & (((s < low) | (s > high)) & free).any(axis=1)]
    gap, _, minimum = find.tops.many(find.rows(x, s)).T
    s, gap = s[minimum > least], np.abs(gap[minimum > least])
    return np.asarray(s[gap.argmin()]) if len(s) else out_of_reach(find)


def out_of_reach(find: Finder) -> Array:
    """Where parameters wait that have no place."""
    return np.asarray(find.tracked.low - np.asarray(find.tracked.waits) * find.span)


def is_waiting(find: Finder, s: ArrayLike) -> bool:
    """Whether parameters have no place."""
    below = (np.asarray(find.tracked.low) - s) / find.span
    return any(far > 0.0 and b > 0.9 * far for far, b in zip(find.tracked.waits, below.tolist(), strict=True))


def another_wins(find: Finder, x: ArrayLike, s: ArrayLike, taken: Iterable[Array] = ()) -> Array | None:
    """The parameters of another least distance that is less than the one at s, or None where s is the least.

    Where s is out of range, any that is in it wins.
    """
    best, here = _firm(find, x, seed(find, x, taken)), np.atleast_2d(np.asarray(s, dtype=float))
    if not best or apart(find, best[0], here[0]) <= EQUAL:
        return None
    if find.inside(best[0][None])[0] and not find.inside(here)[0]:
        return best[0]
    if find.domain is not None and find.valid(x, best[0][None])[0] and not find.valid(x, here)[0]:
        return best[0]
    gap, _, minimum = find.tops.many(find.rows(x, here))[0]
    size = abs(gap) + float(np.abs(find.guests.many(find.rows(x, here))).max())
    return best[0] if minimum <= 0.0 or find.gap(x, best[0]) < gap - NEARER * size else None


def next_gap(find: Finder, x: ArrayLike, s: ArrayLike, taken: Iterable[Array] = ()) -> tuple[float, bool]:
    """The gap at the next least distance but that at s, and whether it lies in range; inf where there is none.

    Those far outside the bounds of the parts that meet, or hardly a least distance, count as none.
    """
    here = np.asarray(s, dtype=float)
    others = [other for other in seed(find, x, taken) if not _is_one(find, x, other, here)]
    others = [other for other in _firm(find, x, others) if find.valid(x, other[None], NEAR_BOUND)[0]]
    gaps = [find.gap(x, other) for other in others]
    least = int(np.argmin(gaps)) if gaps else 0
    return (gaps[least], bool(find.inside(others[least][None])[0])) if gaps else (np.inf, False)


def _firm(find: Finder, x: ArrayLike, found: list[Array]) -> list[Array]:
    """Least distances without those that hardly are, where parameters of parts that have bounds may wait."""
    if not found or not (find.tracked.further or (find.domain is not None and max(find.tracked.waits) > 0.0)):
        return found
    least = find.tops.many(find.rows(x, np.array(found)))[:, 2]
    return [s for s, value in zip(found, least.tolist(), strict=True) if value > 2.0 * LEAST]


def lies_along(find: Finder, x: ArrayLike, s: Array) -> bool:
    """Whether the two sides lie along each other at some parameters: a least distance by rounding only."""
    return float(find.tops.many(find.rows(x, s[None]))[0, 2]) <= LEVEL_PIECE


def prospects(find: Finder, x: ArrayLike) -> Array:
    """Samples, with their feet, that would be firm least distances if the two sides were parallel there: where one may
    come to be as they turn."""
    if find.tracked.crossing:
        return np.zeros((0, len(find.span)))
    s = _samples(find, x)
    return s[find.tops.many(find.rows(x, s))[:, 2] > 2.0 * LEAST]


def apart(find: Finder, one: Array, two: Array) -> float:
    """The largest difference of parameters, over their ranges; around a period the shorter way."""
    way = np.abs(one - two) / find.span
    return float(np.where(find.tracked.periodic, np.abs(way - np.round(way)), way).max())


# --- the samples ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Grid:
    """Evenly spaced parameters of one side, as rows, and which of them close on themselves."""

    s: Array
    shape: tuple[int, ...]
    periodic: tuple[bool, ...]


def _side(find: Finder, hosted: bool) -> slice:
    k = find.tracked.hosted
    return slice(0, k) if hosted else slice(k, len(find.span))


def _grid(find: Finder, hosted: bool) -> _Grid:
    part, (low, high) = _side(find, hosted), find.reach
    periodic = find.tracked.periodic[part]
    n = SAMPLES[len(periodic)]
    axes = [np.linspace(a, b, n, endpoint=not closed)
            for a, b, closed in zip(low[part], high[part], periodic, strict=True)]  # fmt: skip
    s = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes)) if axes else np.zeros((1, 0))
    return _Grid(s, (n,) * len(axes), periodic)


def _points(find: Finder, x: ArrayLike, grid: _Grid, hosted: bool) -> Array:
    """Places of one side at its samples, which do not depend on the other's parameters."""
    s = np.tile(np.asarray(find.tracked.low), (len(grid.s), 1))
    s[:, _side(find, hosted)] = grid.s
    points = (find.hosts if hosted else find.guests).many(find.rows(x, s))
    bad = ~np.isfinite(points).all(axis=1) & find.inside(s)
    if bad.any():
        i = int(np.argmax(bad))
        names = [e.name for e in find.tracked.symbols[_side(find, hosted)]]
        at = ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, grid.s[i], strict=True)) or "this state"
        raise EvaluationError(
            f"'{find.name}' has no place at {at}: it is {points[i].tolist()}. Change the expression or the range of "
            "its curve or surface, or the state."
        )
    return points


def _least_samples(find: Finder, x: ArrayLike) -> Array:
    """Samples that are no farther than their neighbours: (s_h, s_g), where each s_h is the nearest to its s_g."""
    host, guest = _grid(find, True), _grid(find, False)
    s = _samples(find, x)
    if not guest.shape:
        tops = _points(find, x, guest, False)
        return s[_valleys(host, norm(_points(find, x, host, True) - tops, axis=1))]
    if find.tracked.crossing:
        rows = find.rows(x, s)
        return s[_valleys(guest, norm(find.guests.many(rows) - find.hosts.many(rows), axis=1))]
    return s[_valleys(guest, find.tops.many(find.rows(x, s))[:, 0])]


def _samples(find: Finder, x: ArrayLike) -> Array:
    """All samples, (s_h, s_g): each of the guest with its foot, or those of the host where the guest is one place. The
    last ones are kept."""
    host, guest = _grid(find, True), _grid(find, False)
    if not guest.shape:
        return host.s
    if find.tracked.crossing or not host.shape:
        return guest.s
    state = find.held(x).tobytes()
    found = find.last_samples.get(state)
    if found is None:
        feet = _feet(_points(find, x, guest, False), _points(find, x, host, True))
        found = np.hstack([host.s[feet], guest.s])
        find.last_samples.clear()
        find.last_samples[state] = found
    return found


def _feet(tops: Array, points: Array) -> NDArray[np.intp]:
    """The nearest of some points to each of some others: |b|² − 2 a · b is least."""
    middle = np.nanmean(points, axis=0)
    a, b = tops - middle, points - middle
    far = (b**2).sum(axis=1)[None] - dot(2.0 * a, b.T)
    return np.asarray(np.where(np.isnan(far), np.inf, far).argmin(axis=1))


def _valleys(grid: _Grid, values: Array) -> NDArray[np.intp]:
    """The samples that no neighbour is below, the least of them first."""
    f = np.where(np.isnan(values), np.inf, values).reshape(grid.shape)
    for axis, closed in enumerate(grid.periodic):
        width = [(1, 1) if k == axis else (0, 0) for k in range(f.ndim)]
        f = np.pad(f, width, mode="wrap") if closed else np.pad(f, width, constant_values=np.inf)
    inner = tuple(slice(1, -1) for _ in grid.shape)
    least = np.isfinite(f[inner])
    for shift in product((-1, 0, 1), repeat=f.ndim):
        least &= f[inner] <= f[tuple(slice(1 + d, n + 1 + d) for d, n in zip(shift, grid.shape, strict=True))]
    found = np.flatnonzero(least)
    return found[np.argsort(f[inner].ravel()[found], kind="stable")][:MAX_SAMPLES]


def _nearest(find: Finder, x: ArrayLike, found: Array) -> Array:
    """How near the host comes to the guest's point of each solution, anywhere; inf where it has no samples."""
    host = _grid(find, True)
    if not host.shape or not len(found):
        return np.full(len(found), np.inf)
    tops, points = find.guests.many(find.rows(x, found)), _points(find, x, host, True)
    return np.asarray(np.nanmin(norm(tops[:, None] - points[None], axis=2), axis=1))

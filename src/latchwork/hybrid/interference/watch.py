"""The watch: it looks at all that was integrated, before the run goes on from there.

The guards of features decide when shapes touch. The watch knows nothing of features: it measures how deep two shapes
lie in each other, and what lies deeper than `TOLERANCE` of its size has passed its guards. The run goes back to the
instant before that and takes short steps from there, in which guards are found that long steps leap over; where none is
found, it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.contact.law import Contact
from latchwork.errors import ModelError
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.interference import penetration_search
from latchwork.hybrid.interference.scene import Scene, told_of
from latchwork.hybrid.path import Segment
from latchwork.hybrid.table import Array
from latchwork.integrate.dense_output import Solution
from latchwork.kane.equations import Equations
from latchwork.program.native import address, native

TOLERANCE = 1e-6  # of the size of the smaller shape: what lies deeper has passed into the other
STEPPED = 1e-2  # the same in time stepping, where steps are looked at once penetration was taken out
CLEAR = 0.1  # of the tolerance: how far apart the two are at the instant to which a run goes back
HALVINGS = 60
SCENES = 8  # that are kept


class Passing(NamedTuple):
    """Two shapes that have passed into each other: seen at t, so deep; they were apart at ``before`` still, and at
    ``after`` as deep as they may be."""

    contact: Contact
    t: float
    depth: float
    before: float
    after: float


class Passed(Exception):
    """What was integrated must not be gone on from."""

    def __init__(self, passing: Passing, segments: Sequence[Segment]) -> None:
        super().__init__(passing.contact.name)
        self.passing, self.segments = passing, list(segments)


class Scenes:
    """Scenes of contacts with some parameters, which runs of one mechanism share, one run at a time."""

    def __init__(self) -> None:
        self._known: dict[tuple[Equations, tuple[Contact, ...], bytes], Scene | None] = {}

    def at(self, driven: Driven, members: tuple[Contact, ...], lengths: bytes, x: Array) -> Scene | None:
        """The scene of some contacts at a state (t, q, u, rest), as if nothing had been looked at before; none where no
        distance can be told."""
        key = driven.equations, members, lengths
        if key in self._known:
            found = self._known[key]
            if found is not None:
                found.begin(x)
            return found
        if len(self._known) >= SCENES:
            self._known.pop(next(iter(self._known)))
        told = told_of(members)
        made = self._known[key] = Scene(driven, told, x) if told else None
        return made


class Watch:
    """Looks at the contacts of one run; one thread at a time. ``scenes`` are those of runs before it, see `Scenes`."""

    def __init__(self, scenes: Scenes) -> None:
        self._scenes = scenes
        self._members: tuple[Contact, ...] = ()
        self._scene: Scene | None = None
        self._lengths = b""
        self._key: tuple[frozenset[Contact] | None, frozenset[Contact]] | None = None
        self.overlaps: frozenset[Contact] = frozenset()
        self._call: Callable[..., Any]
        self._tick: Callable[..., Any]

    def see(self, driven: Driven, members: tuple[Contact, ...], x: Array, awake: Iterable[Contact] | None,
            overlaps: frozenset[Contact]) -> None:  # fmt: skip
        """Take up contacts that have come, gone or changed at a state (t, q, u, rest), and look at those that are awake
        from now on; at what ``overlaps`` already, or was met from behind, once it is apart."""
        self.overlaps = overlaps
        if members is self._members and self._scene is None:
            return
        lengths = x[_parameters(driven)].tobytes()
        if members is not self._members or lengths != self._lengths:
            self._begin(driven, members, x)
            self._lengths = lengths
        elif overlaps and self._scene is not None:
            self.overlaps = overlaps & _deep(self._scene, x).keys()
            self._key = None
        if self._scene is not None:
            self._choose(self._scene, None if awake is None else frozenset(awake))

    def _begin(self, driven: Driven, members: tuple[Contact, ...], x: Array) -> None:
        """Take up contacts; refuse those that are new, have no front, and come with shapes that lie in each other."""
        scene = self._scenes.at(driven, members, x[_parameters(driven)].tobytes(), x)
        told = () if scene is None else scene.told
        deep = {} if scene is None else _deep(scene, x)
        has_front = {one.contact for one in told if one.has_front} if deep else set()
        for contact, depth in deep.items():
            if contact not in has_front and contact not in self._members and contact not in self.overlaps:
                raise ModelError(
                    f"'{contact.name}' overlaps at t = {float(x[0]):.6g}: its shapes lie in each other by {depth:.3g} "
                    "of the size of the smaller. Start with the shapes apart or just touching."
                )
        self._members, self._scene, self.overlaps, self._key = members, scene, frozenset(deep), None
        if told:
            self._call, self._tick = native(penetration_search.passed_in).brief, native(penetration_search.ticked).brief

    def _choose(self, scene: Scene, awake: frozenset[Contact] | None) -> None:
        key = awake, self.overlaps
        if key != self._key:
            self._key = key
            scene.watch([one.contact not in self.overlaps and (awake is None or one.contact in awake)
                         for one in scene.told])  # fmt: skip

    def first(self, solutions: Sequence[Solution], rest: Array, tolerance: float = TOLERANCE,
              between: bool = True) -> tuple[int, Passing] | None:  # fmt: skip
        """The first passing in some solutions, and in which; also between their samples."""
        scene = self._scene
        if scene is None or not len(scene.watched):
            return None
        scene.allow(tolerance)
        scene.take(rest)
        kept, rows = _laid(solutions, between)
        at, found = address(rows), 0
        while (found := self._call(scene.at, found, len(solutions), at)) >= 0:
            passing = self._located(scene, at + 8 * penetration_search.WORDS * found)
            if passing is not None:
                return found, passing
            scene.allow(tolerance)
        del kept
        return None

    def _located(self, scene: Scene, rows: int) -> Passing | None:
        """When what was seen in a solution began; none where it came from behind: left alone then until it is apart."""
        seen = scene.memory
        start, t, depth, i, k = seen.before, seen.after, seen.depth, seen.step, seen.who
        most, distance = float(scene.deep[k]), native(penetration_search.distance_at).brief

        def last(level: float) -> float:
            """The last time, seen from the start, at which they are further apart than a level."""
            low, high = start, t
            if not distance(scene.at, rows, i, k, low) > level:
                return low
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if distance(scene.at, rows, i, k, middle) > level else (low, middle)
            return low

        after, before = last(-most), last(CLEAR * most)
        distance(scene.at, rows, i, k, before)
        if not scene.is_behind(k):
            return Passing(scene.contact(k), t, -depth, before, after)
        self.overlaps |= {scene.contact(k)}
        self._choose(scene, None if self._key is None else self._key[0])
        return None

    # --- ticks --------------------------------------------------------------------------------------------------

    def stand(self, x: Array) -> None:
        """Look at a state (t, q, u, rest) from which it is ticked."""
        scene = self._scene
        if scene is not None and len(scene.watched):
            scene.allow(TOLERANCE)
            scene.take(x)
            native(penetration_search.stand).brief(scene.at, address(x))

    def ticked(self, t: float, x: int) -> bool:
        """Whether a tick that ends at the (q, ...) of an address has to be looked at more closely."""
        scene = self._scene
        return scene is not None and self._tick(scene.at, t, x) != 0


def _deep(scene: Scene, x: Array) -> dict[Contact, float]:
    """Contacts whose shapes lie deeper in each other at a state than they may, and how deep, over their size."""
    return {one.contact: -depth for one, depth in zip(scene.told, scene.depths(x).tolist(), strict=True)
            if one.contact is not None and depth < -TOLERANCE}  # fmt: skip


def _laid(solutions: Sequence[Solution], between: bool) -> tuple[list[Array], NDArray[np.int64]]:
    """Solutions as `penetration_search.Samples`, one behind the other; the arrays that must live as long."""
    kept: list[Array] = []
    words: list[int] = []
    for s in solutions:
        t, x, dx, bend = arrays = _solid(s.t), _solid(s.x), _solid(s.dx), _solid(s.bend)
        n, ends = x.shape[1], s.ends
        last = address(dx) + 8 * n  # the row that follows
        if ends is not None:
            ends = _solid(ends)
            kept.append(ends)
            last = address(ends)
        kept += arrays
        words += (len(t), n, address(t), address(x), address(dx), address(bend), last, between)
    return kept, np.array(words, dtype=np.int64)


def _solid(array: Array) -> Array:
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def _parameters(driven: Driven) -> slice:
    """Where the parameters stand in (t, q, u, rest)."""
    e = driven.equations
    first = 1 + len(e.q) + len(e.u) + len(e.r)
    return slice(first, first + len(e.p))

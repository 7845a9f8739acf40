"""Meeting: numbers of some contacts at one state, with everything else that holds held.

    v = J u + C,    a = A λ + b,    A = J T M̃⁻¹ Tᵀ Jᵀ,    b = J u̇₀ + c,    u̇₀ = T M̃⁻¹ Tᵀ (f − M γ) + γ

T spans the speeds that the constraints B u + C = 0 leave, γ is an acceleration that meets B γ + c = 0. Impulses change
speeds by T M̃⁻¹ Tᵀ Jᵀ Λ. Friction of contacts that the coordinates hold, g (N0 + N1 · u̇), is part of M and f.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.gather import ROUNDING
from latchwork.constraint.selection import RANK, weights_of
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.errors import ConstraintError
from latchwork.hybrid.touching.gathering import Gathering, Pool, pays
from latchwork.hybrid.touching.keeping import Keeping
from latchwork.hybrid.touching.passing import Passing, can_pass
from latchwork.hybrid.touching.touch import Touch
from latchwork.program.bundle import Bundle

REMEMBERED = 400  # sets of contacts


class Free(NamedTuple):
    """M and f, the inverse inertia that is left to contacts, T M̃⁻¹ Tᵀ, and accelerations without them, u̇₀."""

    M: Array
    f: Array
    inverse: Array
    udot: Array


@dataclass(frozen=True, eq=False)
class Held:
    """What holds at a state besides the contacts: rows of ``terms``, rows (B, c) more, and friction (g, N1, N0)."""

    base: Base
    terms: Terms
    x: Array
    extra: Sequence[tuple[Array, Array]]
    drags: Sequence[tuple[Array, Array, float]]
    before: Held | None = None  # the same at the same place, with other speeds

    @cached_property
    def inertia(self) -> tuple[Array, Array]:
        """M and T M̃⁻¹ Tᵀ, which no speed changes."""
        if self.extra or self.drags or len(self.terms.rows):
            return self.free.M, self.free.inverse
        if self.before is not None:
            return self.before.inertia
        M = self.terms.motion(self.x).M
        return M, _solved(self.base, M, np.eye(len(M)))

    @cached_property
    def free(self) -> Free:
        motion = self.terms.motion(self.x)
        if not (self.extra or self.drags or len(self.terms.rows)):
            M, inverse = self.inertia
            return Free(M, motion.f, inverse, inverse @ motion.f)
        M, f, B, c = motion.M, motion.f, self.terms.place(self.x).B, motion.c
        for row, bias in self.extra:
            B, c = np.vstack([B, row]), np.append(c, bias)
        for g, N1, N0 in self.drags:
            M, f = M - np.outer(g, N1), f + g * N0
        return Free(M, f, *left_over(self.base, M, f, B, c))


@dataclass(frozen=True, eq=False)
class Meeting:
    """J and C of some contacts, row by row, the normal first; forces and accelerations are found where asked for."""

    touches: tuple[Touch, ...]
    u: Array
    J: Array
    C: Array
    held: Held
    tangents: tuple[int, ...]

    @cached_property
    def M(self) -> Array:
        return self.held.inertia[0]

    @cached_property
    def f(self) -> Array:
        return self.held.free.f

    @cached_property
    def inverse(self) -> Array:
        """T M̃⁻¹ Tᵀ."""
        return self.held.inertia[1]

    @cached_property
    def udot(self) -> Array:
        """u̇₀."""
        return self.held.free.udot

    @cached_property
    def c(self) -> Array:
        """Ḃ u + Ċ of the contacts."""
        return _stacked([touch.terms.bias_function(self.held.x) for touch in self.touches], np.zeros(0))

    @cached_property
    def v(self) -> Array:
        """Relative velocities: for each contact the normal one, then along the tangents."""
        return np.asarray(self.J @ self.u + self.C)

    @cached_property
    def normal_speeds(self) -> list[float]:
        """The normal ones alone."""
        v = self.v.tolist()
        return [v[row] for row in self.first]

    @cached_property
    def pace(self) -> float:
        """How fast things move there: Σ |J_ij u_j| + |C_i| at most. Differences of speeds are judged by it."""
        return float((np.abs(self.J) @ np.abs(self.u) + np.abs(self.C)).max(initial=0.0))

    @cached_property
    def swiftest(self) -> Array:
        """√(A_ii · uᵀ M u): no normal velocity of contact i is above it, whichever way the same energy moves. [Schwarz]

        Where all motion is across the normal, this is what rounding of the normal velocity is judged by.
        """
        if not self.touches:
            return np.zeros(0)
        energy = max(float(self.u @ self.M @ self.u), 0.0)
        return np.asarray(np.sqrt(np.maximum(np.diag(self.A)[self.first], 0.0) * energy))

    @cached_property
    def A(self) -> Array:
        return np.asarray(self.J @ self.inverse @ self.J.T)

    @cached_property
    def b(self) -> Array:
        """Accelerations without contact forces; what is left of terms that cancel is rounding, and none."""
        b, sizes = self.J @ self.udot + self.c, np.abs(self.J) @ np.abs(self.udot) + np.abs(self.c)
        return np.where(np.abs(b) > ROUNDING * sizes, b, 0.0)

    @cached_property
    def first(self) -> list[int]:
        """The normal row of each contact."""
        return list(accumulate((1 + k for k in self.tangents), initial=0))[:-1]

    def only(self, some: Sequence[int]) -> Meeting:
        """The same of some of its contacts."""
        first = self.first
        rows = [row for i in some for row in range(first[i], first[i] + 1 + self.tangents[i])]
        return Meeting(tuple(self.touches[i] for i in some), self.u, self.J[rows], self.C[rows], self.held,
                       tuple(self.tangents[i] for i in some))  # fmt: skip

    def moved(self, impulses: Array) -> Array:
        """Speeds after impulses."""
        return np.asarray(self.u + self.inverse @ (self.J.T @ impulses))


class Meetings:
    """The meetings of one mechanism; what serves a set of contacts at every state is kept."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self._known: dict[tuple[Terms, tuple[Touch, ...]], Gathering] = {}
        self._keepings: dict[tuple[Terms, Touch], Keeping | None] = {}
        self._passings: dict[tuple[Terms, Touch], Passing | None] = {}
        self._gaps: tuple[list[Touch], Bundle] | None = None
        self._pool: tuple[Terms, Pool] | None = None

    def at(self, x: Array, held: Terms, touches: Sequence[Touch], extra: Sequence[tuple[Array, Array]] = (),
           drags: Sequence[tuple[Array, Array, float]] = (), before: Meeting | None = None) -> Meeting:  # fmt: skip
        """Some contacts at x = (t, q, u, rest), the rows of ``held`` held.

        ``extra`` are rows (B, c) that hold besides; ``drags`` are (g, N1, N0) of friction where the coordinates hold;
        ``before`` is a meeting at the same place, with other speeds.
        """
        n_q, n, _ = held.sizes
        u, tangents = x[1 + n_q : 1 + n_q + n], tuple([len(touch.tangents) for touch in touches])
        besides = Held(self.base, held, x, extra, drags, None if before is None else before.held)
        if pays(n, len(tangents) + sum(tangents)):
            numbers = self._gathering(held, tuple(touches)).at(x, extra, drags)
            if numbers is not None:
                meeting = Meeting(tuple(touches), u, numbers["J"], numbers["C"], besides, tangents)
                meeting.__dict__.update(numbers)
                return meeting
        places = [touch.terms.place(x) for touch in touches]
        J = _stacked([place.B for place in places], np.zeros((0, n)))
        C = _stacked([place.C for place in places], np.zeros(0))
        return Meeting(tuple(touches), u, J, C, besides, tangents)

    def numbers(self, held: Terms, touches: tuple[Touch, ...], x: Array) -> dict[str, Any] | None:
        """J, v, A, b and all else of some contacts at x, by name; none where that takes more care."""
        if not pays(held.sizes[1], sum([1 + len(touch.tangents) for touch in touches])):
            return None
        return self._gathering(held, touches).at(x)

    def look(self, touches: Sequence[Touch], x: Array) -> None:
        """Find the gaps of several contacts at once; asked for theirs, they know it."""
        if len(touches) > 1:
            here = x.tobytes()
            for touch, gap, inside in self.gaps(touches, x):
                touch.knows(here, gap, inside)

    def gaps(self, touches: Sequence[Touch], x: Array) -> list[tuple[Touch, float, float]]:
        """Signed distances of contacts, and how far inside their domains they are; see `Touch.gap`."""
        if not touches:
            return []
        known = self._gaps
        bundle = known[1] if known is not None and known[0] == touches else self.gaps_of(touches)
        found, ends = bundle(x).tolist(), bundle.starts
        return [(touch, found[a], min(found[a + 1 : b]) if b > a + 1 else math.inf)
                for touch, a, b in zip(touches, ends, ends[1:], strict=False)]  # fmt: skip

    def gaps_of(self, touches: Sequence[Touch]) -> Bundle:
        """The programs of their gaps, kept for the last ones asked for."""
        if self._gaps is None or self._gaps[0] != touches:
            self._gaps = list(touches), Bundle([touch.gap_function for touch in touches])
        return self._gaps[1]

    def get_ready(self, held: Terms, touch: Touch) -> None:
        """Make now what the first meeting of a contact alone would have to wait for."""
        for touches in ((), () if touch.held else (touch,)):
            self._gathering(held, touches)
        self.keeping(held, touch) if touch.held else self.passing(held, touch)

    def keeping(self, held: Terms, touch: Touch) -> Keeping | None:
        """What takes a contact that the coordinates hold through an event while no other is near."""
        key = held, touch
        if key not in self._keepings:
            if len(self._keepings) >= REMEMBERED:
                self._keepings.pop(next(iter(self._keepings)))
            can = touch.held and len(touch.tangents) == 1 and pays(held.sizes[1], 1)
            self._keepings[key] = Keeping(self.base, held, touch) if can else None
        return self._keepings[key]

    def passing(self, held: Terms, touch: Touch) -> Passing | None:
        """What takes a contact through an event while it is alone; none where that takes more care."""
        key = held, touch
        if key not in self._passings:
            if len(self._passings) >= REMEMBERED:
                self._passings.pop(next(iter(self._passings)))
            can = can_pass(touch) and pays(held.sizes[1], 1 + len(touch.tangents))
            self._passings[key] = Passing(self._gathering(held, (touch,)), touch.contact.impact) if can else None
        return self._passings[key]

    def _gathering(self, held: Terms, touches: tuple[Touch, ...]) -> Gathering:
        found = self._known.get((held, touches))
        if found is None:
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            pool = None
            if self._pool is not None and self._pool[0] is held and len(touches) > 1:
                pool = self._pool[1] if all([touch in self._pool[1].at for touch in touches]) else None
            found = self._known[held, touches] = Gathering(self.base, held, touches, pool)
        return found

    def pool(self, held: Terms, touches: Sequence[Touch]) -> None:
        """Make now the programs of all contacts that may meet, so that any of them meet soon."""
        self._pool = held, Pool(self.base, held, [touch for touch in touches if not touch.held])


def _stacked(parts: list[Array], none: Array) -> Array:
    """Rows below each other."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else none


def left_over(base: Base, M: Array, f: Array, B: Array, c: Array) -> tuple[Array, Array]:
    """T M̃⁻¹ Tᵀ and u̇₀."""
    n = len(M)
    if not len(B):
        inverse = _solved(base, M, np.eye(n))
        return inverse, np.asarray(inverse @ f)
    weights = weights_of(M)
    scaled = B * weights
    lengths = np.linalg.norm(scaled, axis=1)
    keep = lengths > RANK * lengths.max(initial=0.0)
    left, singular, right = np.linalg.svd(scaled[keep] / lengths[keep, None])
    rank = int((singular > RANK * singular.max(initial=0.0)).sum())
    T = right[rank:].T * weights[:, None]
    goal = left[:, :rank].T @ (-c[keep] / lengths[keep]) / singular[:rank]
    gamma = (right[:rank].T @ goal) * weights
    inverse = T @ _solved(base, T.T @ M @ T, T.T) if T.shape[1] else np.zeros((n, n))
    return inverse, inverse @ (f - M @ gamma) + gamma


def _solved(base: Base, M: Array, right: Array) -> Array:
    """M⁻¹ R, where all speeds have inertia."""
    try:
        return np.asarray(np.linalg.solve(M, right))
    except np.linalg.LinAlgError:
        light = ", ".join(name for name, m in zip(base.equations.u_names, np.diag(M), strict=True) if m == 0.0)
        raise ConstraintError(
            f"'{base.equations.name}' has speeds without inertia ({light or 'some of them together'}) that nothing "
            "holds where bodies touch. Give every body a mass and an inertia, or hold such speeds by constraints."
        ) from None

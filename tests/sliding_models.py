"""Drag for tests: random programs with the same numbers in NumPy, and designs that make the modes of a run slide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import latchwork as lw
from latchwork.constraint.embedded.mode import Mode, mode_of
from latchwork.constraint.embedded.redundant_forces import least_norm_share
from latchwork.constraint.embedded.slider import ENFORCED, Slider
from latchwork.constraint.row_sources import RowPrograms
from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Terms
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import operand
from latchwork.symbolic.traverse import rebuild
from random_held import random_case

Array = NDArray[np.float64]


def function_of(terms: Terms, entries: list[Any]) -> Function:
    """Numbers and expressions as a program of (t, q, u, rest)."""
    g, base = terms.rows.equations.system.graph, terms.base
    return Function(lower(g, rebuild(g, [operand(g, e) for e in entries], base.laws), base.arguments))


def with_sliders(terms: Terms, along: list[list[Any]], sliders: list[tuple[int, Any, Any]]) -> tuple[Terms, Any]:
    """Terms with one more source, whose rows ``along`` are tangents and are not held; and sliders, each on a row or
    `ENFORCED`, with μ, so that E = −μ d·B_t has d = −1, and N1, N0 where it is enforced."""
    count, n = len(along), terms.sizes[1]
    place = function_of(terms, [*[0.0] * count, *[e for row in along for e in row], *[0.0] * count])
    assert all(len(row) == n for row in along)
    tangents = RowPrograms(place, function_of(terms, [0.0] * count), count, 0)
    made = []
    for i, (row, mu, force) in enumerate(sliders):
        law = mu if isinstance(mu, float) else function_of(terms, [0.0, mu, mu])
        made.append(Slider(len(terms.sources), row, i, 1, law, (-1.0,),
                           None if force is None else function_of(terms, force)))  # fmt: skip
    return Terms(terms.rows, terms.base, (*terms.sources, tangents)), tuple(made)


# --- runs -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sliding:
    """A design whose modes slide: E_i = μ B_t by row, made of the terms as (μ, B_t); redundant rows share at the start
    by least norm."""

    E: Callable[[Terms], dict[int, tuple[Any, list[Any]]]]
    fair: bool = False

    def dynamics(self, driven, mode, watch, known, label, memory):
        every = self.E(mode.terms)
        terms, sliders = with_sliders(
            mode.terms, [along for _, along in every.values()], [(i, mu, None) for i, (mu, _) in every.items()]
        )
        share = least_norm_share(mode.numbers, mode.selection) if self.fair else None
        return Recombined(driven, replace(mode, terms=terms, sliders=sliders, share=share), watch, label=label,
                          memory=memory)  # fmt: skip


# --- random programs --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Numbers:
    """Rows of entries a + b sin q: as expressions of a model, and as numbers."""

    a: Array
    b: Array

    @classmethod
    def random(cls, rng: np.random.Generator, rows: int, n: int, size: float) -> Numbers:
        return cls(*(size * rng.normal(size=(rows, n)) for _ in range(2)))

    def entries(self, terms: Terms) -> list[list[Any]]:
        """With the first coordinate."""
        q = terms.rows.equations.q[0]
        return [[lw.sin(q) * float(b) + float(a) for a, b in zip(*row, strict=True)]
                for row in zip(self.a, self.b, strict=True)]  # fmt: skip

    def at(self, q: float) -> Array:
        return self.a + self.b * np.sin(q)


@dataclass(frozen=True, eq=False)
class Problem:
    """A mode that slides at a state x = (t, q, u, rest), and E of all rows, g, N1, N0 and R by NumPy."""

    mode: Mode
    x: Array
    E: Array
    g: Array
    N1: Array
    N0: Array
    R: Array

    @property
    def row(self) -> Array:
        """(t, q, u_ind, work, rest), as one row."""
        n_q, n, _ = self.mode.terms.sizes
        return np.concatenate([self.x[:1], self.mode.reduced(np.append(self.x[1 : 1 + n_q + n], 0.0)),
                               self.x[1 + n_q + n :]])[None]  # fmt: skip

    def kkt(self) -> tuple[Array, Array]:
        """u̇ and λ of all rows: M' u̇ − Gᵀ λ = f', B_kept u̇ + c_kept = 0, λ_red − R λ_kept = c_red; in one system."""
        terms, selection = self.mode.terms, self.mode.selection
        B, motion = terms.place(self.x).B, terms.motion(self.x)
        m, n = B.shape
        kept, lost = list(selection.kept), list(selection.redundant)
        A, b = np.zeros((n + m, n + m)), np.zeros(n + m)
        A[:n, :n] = motion.M - self.g.T @ self.N1
        A[:n, n:] = -(B + self.E).T
        b[:n] = motion.f + self.N0 @ self.g
        A[n : n + len(kept), :n], b[n : n + len(kept)] = B[kept], -motion.c[kept]
        A[n + len(kept) + np.arange(len(lost)), n + np.array(lost, dtype=int)] = 1.0
        A[n + len(kept) :, n + np.array(kept, dtype=int)] -= self.R[:, :-1]
        b[n + len(kept) :] = self.R[:, -1]
        found = np.linalg.solve(A, b)
        return found[:n], found[n:]


def other_selection(rng: np.random.Generator, B: Array, M: Array, first: Selection) -> Selection:
    """Other rows and speeds of the same rank, the best conditioned of some at random."""
    m, n = B.shape
    scaled = B / np.sqrt(M.diagonal())
    draws = [(sorted(rng.permutation(m)[: first.rank]), sorted(rng.permutation(n)[: first.rank])) for _ in range(60)]
    kept, dep = min(draws, key=lambda d: np.linalg.cond(scaled[np.ix_(*d)]) if first.rank else 0.0)
    return Selection(tuple(map(int, kept)), tuple(map(int, dep)), tuple(j for j in range(n) if j not in dep),
                     tuple(i for i in range(m) if i not in kept))  # fmt: skip


def fresh(seed: int) -> tuple[lw.Constrained, Array]:
    """A random constrained mechanism, and a state in which its rows hold."""
    case = random_case(seed)
    constrained = case.model.constrained(at=case.q)
    start = constrained.start(case.q, case.u)
    return constrained, constrained.arguments(start.q, start.u)


known = cache(fresh)  # for all that leave its programs as they are


def sliding_case(seed: int, other: bool, shared: bool, start: Callable[[int], Any] = known) -> Problem:
    """A random constrained mechanism that slides on about half its rows and on up to two contacts that coordinates
    enforce."""
    rng, (constrained, x) = np.random.default_rng(seed), start(seed)
    terms, selection = constrained.terms, constrained.selection
    B, M = terms.place(x).B, terms.motion(x).M
    if other:
        selection = other_selection(rng, B, M, selection)
    terms, sliders, E, g, N1, N0 = random_friction(rng, terms, x, float(np.abs(B).max()))
    R = rng.normal(size=(len(selection.redundant), selection.rank + 1)) * 0.3 if shared else None
    rest = tuple(s.name for s in (*constrained.unconstrained.r, *constrained.unconstrained.p))
    mode = mode_of(terms, selection, x, rest, sliders, R)
    return Problem(mode, x, E, g, N1, N0, np.zeros((len(selection.redundant), selection.rank + 1)) if R is None else R)


def random_friction(rng: np.random.Generator, terms: Terms, x: Array, size: float) -> tuple[Any, ...]:
    """Terms with what slides, the sliders, and E of all rows, g, N1 and N0 at x = (t, q, u, rest); μ depends on u."""
    n_q, n, m = terms.sizes
    rows = [int(i) for i in np.flatnonzero(rng.random(m) < 0.5)]
    held, (q, u) = int(rng.integers(0, 3)), (float(x[1]), float(x[n_q + n]))
    E, g, N1, N0 = (Numbers.random(rng, count, width, part) for count, width, part in
                    ((len(rows), n, 0.1 * size), (held, n, 0.3), (held, n, 0.1), (held, 1, 1.0)))  # fmt: skip
    mus = [1.0 + 0.1 * terms.rows.equations.u[-1] * i for i in range(len(rows) + held)]
    forces = [[*a, *b] for a, b in zip(N1.entries(terms), N0.entries(terms), strict=True)]
    slides = zip([*rows, *[ENFORCED] * held], mus, [*[None] * len(rows), *forces], strict=True)
    terms, sliders = with_sliders(terms, [*E.entries(terms), *g.entries(terms)], list(slides))
    at = [1.0 + 0.1 * u * i for i in range(len(mus))]
    every = np.zeros((m, n))
    every[rows] = E.at(q) * np.array(at[: len(rows)])[:, None]
    return terms, sliders, every, g.at(q) * np.array(at[len(rows) :])[:, None], N1.at(q), N0.at(q)[:, 0]


# --- models -----------------------------------------------------------------------------------------------------------


def incline(angle: float, copies: int = 1) -> lw.Model:
    """A block of 2 kg in a plane, held on a slope by a row, or by some that say the same."""
    model = lw.Model("incline")
    x, y = model.coordinates("x", "y")
    model.particle("block", model.origin.at("P", x * model.frame.x + y * model.frame.y), 2.0)
    model.gravity(-9.81 * model.frame.y)
    for i in range(copies):
        model.constraint(f"slope{i}", y * np.cos(angle) - x * np.sin(angle))
    return model


def swinging_cart(lifts: bool) -> lw.Model:
    """A cart of 3 kg with a pendulum of 1 kg on 0.8 m; it may lift, held by a row, or its coordinates hold it."""
    model = lw.Model("cart")
    N, O = model.frame, model.origin
    names = ("x", "y", "th") if lifts else ("x", "th")
    q = dict(zip(names, model.coordinates(*names), strict=True))
    height = q["y"] if lifts else 0.0
    C = O.at("C", q["x"] * N.x + height * N.y)
    model.particle("cart", C, 3.0)
    model.particle("bob", C.at("B", 0.8 * (lw.sin(q["th"]) * N.x - lw.cos(q["th"]) * N.y)), 1.0)
    model.gravity(-9.81 * N.y)
    if lifts:
        model.constraint("floor", q["y"])
    return model

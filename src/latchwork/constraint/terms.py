"""Numbers of a constrained mechanism at a state: what every way of solving it starts from.

Programs of (t, q, u, r, p), apart so that speeds may be made consistent in between:

    place   → Φ, B, C             the same for every u
    motion  → q̇, M, f, c, a, b    where a·u̇ + b is the power that changes the energy
    spread  → W                   how coordinates move with speeds, for corrections
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.rows import Rows
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import rebuild

Array = NDArray[np.float64]

OFF = 0.1  # some way off, in units of the coordinates


class Place(NamedTuple):
    """Φ (0 for motion rows), B and C."""

    Phi: Array
    B: Array
    C: Array


class Motion(NamedTuple):
    """q̇, M, f, c = Ḃ u + Ċ, and the power a·u̇ + b."""

    q_rates: Array
    M: Array
    f: Array
    c: Array
    a: Array
    b: float


@dataclass(frozen=True, eq=False)
class Terms:
    """The programs of some rows, ready to be called; x = (t, q, u, rest)."""

    rows: Rows
    place_function: Function
    motion_function: Function
    spread_function: Function

    @property
    def functions(self) -> tuple[Function, Function, Function]:
        """All three."""
        return self.place_function, self.motion_function, self.spread_function

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Coordinates, speeds, rows."""
        return len(self.rows.equations.q), len(self.rows.equations.u), len(self.rows)

    def place(self, x: Array) -> Place:
        """Φ, B and C at a state."""
        _, n, m = self.sizes
        Phi, B, C = np.split(self.place_function(x), np.cumsum([m, m * n]))
        return Place(Phi, B.reshape(m, n), C)

    def spread(self, x: Array) -> Array:
        """W at a state: δq = W δu."""
        n_q, n, _ = self.sizes
        return self.spread_function(x).reshape(n_q, n)

    def usual_rows(self, x: Array) -> Array:
        """B some way off x, on no constraint in particular: how long its rows usually are."""
        n_q, n, m = self.sizes
        moved = x.copy()
        moved[1 : 1 + n_q] += OFF * np.cos(np.arange(1.0, n_q + 1.0))
        B = self.place_function(moved)[m : m + m * n].reshape(m, n)
        return np.asarray(np.where(np.isfinite(B), B, 0.0))

    def motion(self, x: Array) -> Motion:
        """q̇, M, f and c at a state."""
        n_q, n, m = self.sizes
        lower_part = n * (n + 1) // 2
        rates, packed, f, c, a, b = np.split(self.motion_function(x), np.cumsum([n_q, lower_part, n, m, n]))
        return Motion(rates, unpacked(packed, n), f, c, a, float(b[0]))


def unpacked(packed: Array, n: int) -> Array:
    """A symmetric matrix from its lower triangle, row by row."""
    M = np.zeros((n, n))
    i, j = np.tril_indices(n)
    M[i, j] = packed
    M[j, i] = packed
    return M


def terms_of(rows: Rows, power: int = ZERO, laws: dict[int, int] | None = None,
             arguments: Sequence[Expr] | None = None) -> Terms:  # fmt: skip
    """The programs of some rows. ``laws`` are put in for inputs; ``power`` is a node in u̇ besides (t, q, u, r, p)."""
    equations = rows.equations
    system, g, d = equations.system, equations.system.graph, equations.derivation
    names = tuple(arguments or equations.arguments)
    W = [tangents(g, d.kinematics.q_rates, {u.node: ONE}) for u in system.u]
    place = [*(ZERO if node is None else node for node in rows.phi), *(b for row in rows.B_nodes for b in row),
             *rows.C_nodes]  # fmt: skip
    spread = [W[j][i] for i in range(len(system.q)) for j in range(len(system.u))]
    rates = [symbol.node for symbol in system.u_rates]
    a = [tangents(g, [power], {rate: ONE})[0] for rate in rates]
    b = rebuild(g, [power], dict.fromkeys(rates, ZERO))
    M = [d.M[i][j] for i in range(len(system.u)) for j in range(i + 1)]
    motion = [*d.kinematics.q_rates, *M, *d.f, *rows.c_nodes, *a, *b]
    programs = [lower(g, rebuild(g, nodes, laws or {}), names) for nodes in (place, motion, spread)]
    return Terms(rows, *map(Function, programs))

"""How u̇ and the constraints change when a state is moved a little: exact, by differentiating what they come from.

    ρ = M u̇ + h − F_r − Bᵀ λ = 0,   σ = B u̇ + c = 0                      define u̇(t, q, u, r) and λ
    M δu̇ − Bᵀ δλ = −δρ,   B δu̇ = −δσ                                      with u̇ and λ held in δρ and δσ
    δu̇ = T δu̇_ind + γ,   γ_dep = −B1⁻¹ δσ,   M̃ δu̇_ind = −Tᵀ (δρ + M γ)    since Tᵀ Bᵀ = 0

Only expressions are differentiated, on the graph; the rest is algebra with numbers. It holds off the constraints too,
so that Newton's method may use it before they are met.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.rows import Rows
from latchwork.constraint.selection import Selection
from latchwork.constraint.solve import accelerations, partition, solved
from latchwork.constraint.terms import Array, Terms
from latchwork.kane.derivatives import derivative_rows, partials
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.ops import ZERO


@dataclass(frozen=True, eq=False)
class Variation:
    """Values at a state, and derivatives with respect to z = (q, u, r), a column for each."""

    B: Array
    T: Array
    M: Array
    f: Array
    udot: Array
    q_rates: Array
    Phi: Array
    psi: Array  # B u + C
    dudot: Array
    dq_rates: Array
    dPhi: Array
    dpsi: Array


@dataclass(frozen=True, eq=False)
class Slopes:
    """The program of all derivatives: of τ = M u̇ + h − F_r, B, C, c, Φ and q̇, as functions of (t, q, u, r, p, u̇)."""

    terms: Terms
    function: Function
    entries: tuple[tuple[int, int], ...]  # row and column of each number that the program gives
    heights: tuple[int, ...]

    def __call__(self, x: Array, udot: Array) -> list[Array]:
        equations = self.terms.rows.equations
        whole = np.zeros((sum(self.heights), len(equations.q) + len(equations.u) + len(equations.r)))
        if self.entries:
            rows, columns = zip(*self.entries, strict=True)
            whole[rows, columns] = self.function(np.concatenate([x, udot]))
        return np.split(whole, np.cumsum(self.heights)[:-1])

    def at(self, x: Array, selection: Selection) -> Variation:
        """Values and derivatives at x = (t, q, u, r, p); not numbers where accelerations are not determined."""
        n_q, n, m = self.terms.sizes
        place, motion = self.terms.place(x), self.terms.motion(x)
        udot = accelerations(motion.M, motion.f, place.B, motion.c, selection)
        dtau, dB, dC, dc, dPhi, dq_rates = self(x, udot)
        dB = dB.reshape(m, n, dB.shape[1])
        T, B1 = partition(place.B, selection)
        kept, dep = list(selection.kept), list(selection.dependent)
        lam = solved(B1.T, (dot(motion.M, udot) - motion.f)[dep])
        rho = dtau - np.einsum("ijz,i->jz", dB[kept], lam)
        gamma = np.zeros_like(dtau)
        gamma[dep] = -solved(B1, (np.einsum("ijz,j->iz", dB, udot) + dc)[kept])
        dudot = gamma - dot(T, solved(dot(T.T, motion.M, T), dot(T.T, rho + dot(motion.M, gamma))))
        u = x[1 + n_q : 1 + n_q + n]
        dpsi = np.einsum("ijz,j->iz", dB, u) + dC
        dpsi[:, n_q : n_q + n] += place.B
        return Variation(place.B, T, motion.M, motion.f, udot, motion.q_rates, place.Phi, dot(place.B, u) + place.C,
                         dudot, dq_rates, dPhi, dpsi)  # fmt: skip


def slopes_of(terms: Terms) -> Slopes:
    """Derivatives of all terms of a constrained mechanism; zeros of the graph are not computed."""
    rows: Rows = terms.rows
    equations = rows.equations
    g = equations.system.graph
    directions = partials((*equations.q, *equations.u, *equations.r))
    tau = [e.node for e in equations.inverse_expressions]
    B, Phi = [b for row in rows.B_nodes for b in row], [ZERO if node is None else node for node in rows.phi]
    groups = [B, rows.C_nodes, rows.c_nodes, Phi, equations.derivation.kinematics.q_rates]
    others = [node for group in groups for node in group]
    columns = [tangents(g, others, direction) for direction in directions]
    whole = derivative_rows(g, tau, directions) + [[column[i] for column in columns] for i in range(len(others))]
    entries = tuple((i, j) for i, row in enumerate(whole) for j, node in enumerate(row) if node != ZERO)
    arguments = (*equations.arguments, *equations.system.u_rates)
    program = lower(g, [whole[i][j] for i, j in entries], arguments)
    return Slopes(terms, Function(program), entries, (len(tau), *map(len, groups)))

"""M and f as numbers, from SymPy's own equations and from the model that was taken over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sympy import Matrix, lambdify
from sympy.physics.mechanics import KanesMethod, System, dynamicsymbols, find_dynamicsymbols

from latchwork.kane.equations import Equations

t = dynamicsymbols._t
Numbers = dict[Any, float]


def formed(given: KanesMethod | System) -> KanesMethod:
    """SymPy's equations, formed by SymPy."""
    if isinstance(given, System):
        given.form_eoms()
        return given.eom_method
    given.kanes_equations()
    return given


class Peer:
    """SymPy's M and f, dependent accelerations eliminated: M̃ = M_i - M_d B_d⁻¹ B_i, f̃ = f_i - M_d B_d⁻¹ f_d."""

    def __init__(self, kane: KanesMethod) -> None:
        self.kane, self.independent = kane, len(kane.u) - len(kane._udep)
        at_rest = {speed: 0 for u in kane._uaux for speed in (u.diff(t), u)}
        rows = [kane._k_nh, kane._f_nh] if kane._udep else [Matrix(), Matrix()]
        matrices = [matrix.xreplace(at_rest) for matrix in (kane.mass_matrix, kane.forcing, *rows)]
        found = {leaf for matrix in matrices for leaf in matrix.free_symbols | find_dynamicsymbols(matrix)}
        self.leaves = sorted({t, *kane.q, *kane.u, *found}, key=str)
        self.function = lambdify(self.leaves, matrices, cse=True)

    def matrices(self, x: Numbers) -> list[np.ndarray]:
        return [np.asarray(matrix, dtype=float) for matrix in self.function(*(x[leaf] for leaf in self.leaves))]

    def complete(self, x: Numbers) -> Numbers:
        """Dependent speeds that the velocity constraints ask for."""
        _, _, B, C = self.matrices(x)
        n, u = self.independent, list(self.kane.u)
        if len(u) == n:
            return x
        right = -(B[:, :n] @ [x[speed] for speed in u[:n]] + C.ravel())
        return x | dict(zip(u[n:], np.linalg.solve(B[:, n:], right), strict=True))

    def equations(self, x: Numbers) -> tuple[np.ndarray, np.ndarray]:
        M, f, *_ = self.matrices(x)
        n = self.independent
        gain = M[:n, n:] @ np.linalg.inv(M[n:, n:])
        return M[:n, :n] - gain @ M[n:, :n], (f[:n] - gain @ f[n:]).ravel()


def random_states(peer: Peer, known: dict[Any, Any], count: int, unit: list[Any]) -> Iterator[Numbers]:
    """Numbers for every symbol of both sides; those in ``unit`` are Euler parameters."""
    rng = np.random.default_rng(7)
    leaves = [*peer.leaves, *sorted(known.keys() - set(peer.leaves), key=str)]
    for _ in range(count):
        x = dict(zip(leaves, rng.uniform(0.3, 1.2, len(leaves)), strict=True))
        norm = np.sqrt(sum(x[e] ** 2 for e in unit))
        yield peer.complete(x | {e: x[e] / norm for e in unit})


def ours(eq: Equations, known: dict[Any, Any], x: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """M and f of the model at a state given for SymPy's symbols."""
    value = {made.name: x[leaf] for leaf, made in known.items() if made.is_symbol}
    q, u, r, p = ({symbol.name: value[symbol.name] for symbol in group} for group in (eq.q, eq.u, eq.r, eq.p))
    M, f = (eq.evaluate(each, q, u, r, t=x[t], p=p) for each in (eq.M, eq.f))
    return M, f.ravel()

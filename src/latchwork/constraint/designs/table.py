"""The designs by numbers, a row each: the same mechanism, the same u̇, other algorithms.  [Patoglu §3]

    design = DESIGNS["null space by SVD"]
    design.accelerations(M, f, B, c)              # in NumPy arrays, by machine code
    design.solve, design.work_size, design.settings(n)    # for a compiled stepper

Rows that are redundant or vanish are no special case in any of them; how near to singular each can go differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.constraint.designs import multipliers, null_space, projection_operator
from latchwork.constraint.terms import Array
from latchwork.errors import ConstraintError, did_you_mean
from latchwork.program.kernel import Kernel
from latchwork.program.native import invoke

COMMON = (("cut", 1e-9), ("vanished", 1e-12), ("alpha", 0.0), ("beta", 0.0))
NONE = (("", 0.0), ("", 0.0))


@dataclass(frozen=True)
class Design:
    """``solve(n, m, M, f, B, c, psi, phi, settings, udot, work)``, its workspace, and its six numbers with defaults.

    ``cut``: singular values below this part of the largest are zero; ``vanished``: rows shorter than this part of the
    longest, in the metric of `metric`, are left out (Aghili's ε); ``alpha`` and ``beta`` are Baumgarte's, in 1/s;
    two are its own.
    """

    name: str
    solve: Kernel[..., None]
    work_size: Callable[[int, int], int]  # (n, m) → number of floats
    numbers: tuple[tuple[str, float], ...]
    exact: bool = True  # whether B u̇ + c = 0 is met; penalty forces only pull that way

    def settings(self, n: int, weights: Sequence[float] | None = None, **changes: float) -> Array:
        """The settings as the kernel reads them; ``weights`` are the metric of the speeds instead of M_jj."""
        values = dict(self.numbers)
        for name, value in changes.items():
            if name not in values or not name:
                raise ConstraintError(
                    f"the design '{self.name}' has no setting '{name}' (= {value}).{did_you_mean(name, values)}"
                )
        metric = np.zeros(n) if weights is None else np.asarray(weights, dtype=float)
        if metric.shape != (n,) or (weights is not None and not (metric > 0.0).all()):
            raise ConstraintError(
                f"the design '{self.name}' was given the weights {weights} for {n} speeds. Give {n} positive numbers."
            )
        return np.array([*(changes.get(name, value) for name, value in self.numbers), *metric])

    def accelerations(self, M: Array, f: Array, B: Array, c: Array, psi: Array | None = None,
                      phi: Array | None = None, settings: Array | None = None) -> Array:  # fmt: skip
        """u̇ at a state; ψ = B u + C and Φ are needed where the settings stabilise or the rows are springs."""
        m, n = B.shape
        zero = np.zeros(m)
        udot, work = np.empty(n), np.empty(self.work_size(n, m))
        given = (M, f, B, c, zero if psi is None else psi, zero if phi is None else phi,
                 self.settings(n) if settings is None else settings)  # fmt: skip
        invoke(self.solve, n, m, *(np.ascontiguousarray(a, dtype=float) for a in given), udot, work)
        return udot


def _row(name: str, solve: Kernel[..., None], size: Callable[[int, int], int], own: Any = NONE, exact: bool = True,
         **common: float) -> Design:  # fmt: skip
    numbers = [(key, common.get(key, value)) for key, value in COMMON]
    return Design(name, solve, size, (*numbers, *own), exact)


_GAMMA = (("gamma", 0.0), ("", 0.0))  # 0: the mean eigenvalue of the inertia that moves
_BAYO = (("penalty", 1e7), ("iterations", 30.0))
_SPRING = (("omega", 1e3), ("zeta", 1.0))

DESIGNS: dict[str, Design] = {
    row.name: row
    for row in (
        _row("null space by SVD", null_space.solve_svd, null_space.work_size),
        _row("null space by QR", null_space.solve_qr, null_space.work_size),
        _row("null space by Gauss", null_space.solve_gauss, null_space.work_size),
        _row("null space by zero eigenvalues", null_space.solve_eigenvalues, null_space.work_size),
        _row("operator Mc by SVD", projection_operator.solve_skew_svd, projection_operator.work_size),
        _row(
            "operator Mc by pseudoinverse", projection_operator.solve_skew_pseudoinverse, projection_operator.work_size
        ),
        _row("operator Mc' by SVD", projection_operator.solve_symmetric_svd, projection_operator.work_size),
        _row(
            "operator Mc' by pseudoinverse",
            projection_operator.solve_symmetric_pseudoinverse,
            projection_operator.work_size,
        ),
        _row("operator Mc'' by SVD", projection_operator.solve_scalar_svd, projection_operator.work_size, _GAMMA),
        _row(
            "operator Mc'' by pseudoinverse",
            projection_operator.solve_scalar_pseudoinverse,
            projection_operator.work_size,
            _GAMMA,
        ),
        _row("multipliers", multipliers.solve_bordered, multipliers.bordered_size),
        _row(
            "multipliers with Baumgarte", multipliers.solve_bordered, multipliers.bordered_size, alpha=20.0, beta=20.0
        ),
        _row("augmented Lagrangian", multipliers.solve_augmented, multipliers.work_size, _BAYO),
        _row("penalty forces", multipliers.solve_penalty, multipliers.work_size, _SPRING, exact=False),
    )
}

"""Stiffness: whether an implicit method pays, by the eigenvalues of J = ∂f/∂x where a run begins, and by counts.

    explicit:  max(ρ / 3.3, 22 ω) steps a second of 6 evaluations            [stability; accuracy at rtol = 1e-9]
    implicit:  57 ω steps a second of 9 evaluations, 14 n² and 0.3 n³ operations of elimination

ρ is the largest |λ|; ω the largest of motions that last, which do not decay to e⁻²⁰ in the time scale T of the
mechanism, and 1/T at least. What lasts has to be resolved by any method, so that vibration without damping is stepped
explicitly, however fast; what has decayed limits explicit steps for ever.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from latchwork.algebra.eigenvalues import eigenvalues
from latchwork.integrate.dense_output import Array
from latchwork.integrate.problem import StateScales
from latchwork.integrate.radau import HALF, LEAST_STATE
from latchwork.program.function import Executable

STABLE = 3.3  # |λ| h at most for steps of Dormand and Prince
EXPLICIT, IMPLICIT = 22.0, 57.0  # steps a radian of a swing at rtol = 1e-9
EVALUATIONS = 6.0, 9.0  # of a step, J included, which serves for many
SOLVES, FACTORS = 14.0, 0.3  # operations of a step, in n² and n³
DECAYED = 20.0  # −Re λ T beyond which a motion does not last
CLEARLY = 20.0  # times the work: then steps are implicit; every event starts what has decayed again
MAX_OPERATIONS = 2_000_000  # operations of J: larger systems are not looked at


class Stiffness(NamedTuple):
    """The fastest rate |λ| of a system, that of the fastest motion that lasts, and whether implicit steps pay."""

    fastest: float
    lasting: float
    implicit: bool

    def __str__(self) -> str:
        return (f"implicit steps (Radau IIA): the fastest motions decay at {self.fastest:.3g} 1/s, and what lasts has "
                f"{self.lasting:.3g} rad/s at most")  # fmt: skip


NOT_STIFF = Stiffness(0.0, 0.0, False)


def stiffness_of(function: Executable, t: float, x: Array, rest: Array, scales: StateScales) -> Stiffness:
    """The stiffness of ẋ = f(t, x, rest) at a state."""
    n, length = len(x), function.length
    if n * length > MAX_OPERATIONS:
        return NOT_STIFF
    found = eigenvalues(jacobian_at(function, np.concatenate([[t], x, rest]), n, scales.states))
    if found is None:
        return NOT_STIFF
    both = [(real, math.sqrt(real * real + imag * imag))
            for real, imag in zip(found.real.tolist(), found.imag.tolist(), strict=True)]  # fmt: skip
    fastest = max([size for _, size in both], default=0.0)
    lasting = max([1.0 / scales.time, *[size for real, size in both if -real * scales.time < DECAYED]])
    explicit = max(fastest / STABLE, EXPLICIT * lasting) * EVALUATIONS[0] * length
    implicit = IMPLICIT * lasting * (EVALUATIONS[1] * length + SOLVES * n * n + FACTORS * n * n * n)
    return Stiffness(fastest, lasting, explicit > CLEARLY * implicit)


def jacobian_at(function: Executable, z: Array, n: int, units: ArrayLike) -> Array:
    """J at one set of inputs by differences, (n, n), of parts of the states or of their units."""
    x, rows = z[1 : 1 + n], np.empty((n + 1, len(z)))
    rows[:] = z
    moved = rows.ravel()[1 + len(z) :: 1 + len(z)][:n]  # x_i in row 1 + i
    moved += HALF * np.maximum(np.abs(x), LEAST_STATE * np.asarray(units))
    rates = function.many(rows)
    return np.asarray(((rates[1:] - rates[0]) / (moved - x)[:, None]).T)

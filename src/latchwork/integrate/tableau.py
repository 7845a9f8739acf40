"""Explicit Runge-Kutta methods as data.

    k_0 = f(t, x),  k_i = f(t + c_i h, x + h Σ_j a_ij k_j),  x₊ = the argument of the last stage

The last row of A is the row b of the books, so the last stage is the derivative at the new point and serves as the
first of the next step. RK4 written so has five rows and still costs four evaluations per step.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction as F
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Row = tuple[F, ...]


@dataclass(frozen=True)
class Tableau:
    """Coefficients of a method: rows of A, the error weights b − b̂, and the weights of the quartic of dense output."""

    name: str
    order: int
    A: tuple[Row, ...]
    error: Row
    dense: Row

    @property
    def stages(self) -> int:
        """LaidOutModes, counting the last, which the next step reuses."""
        return len(self.A)

    @property
    def c(self) -> Row:
        """``c_i = Σ_j a_ij``."""
        return tuple(sum(row, F(0)) for row in self.A)

    @cached_property
    def packed(self) -> NDArray[np.float64]:
        """A in full square, then c, error and dense: the form the steppers read."""
        square = [[*row, *[F(0)] * (self.stages - len(row))] for row in self.A]
        data = np.array([float(value) for row in (*square, self.c, self.error, self.dense) for value in row])
        data.setflags(write=False)
        return data


RUNGE_KUTTA_4 = Tableau(
    name="Runge-Kutta 4",
    order=4,
    A=((), (F(1, 2),), (F(0), F(1, 2)), (F(0), F(0), F(1)), (F(1, 6), F(1, 3), F(1, 3), F(1, 6))),
    error=(F(0),) * 5,
    dense=(F(0),) * 5,
)

# Dormand and Prince 1980, J. Comput. Appl. Math. 6, 19-26; dense output of Shampine 1986, Math. Comp. 46, 135-150.
DORMAND_PRINCE_5 = Tableau(
    name="Dormand-Prince 5(4)",
    order=5,
    A=(
        (),
        (F(1, 5),),
        (F(3, 40), F(9, 40)),
        (F(44, 45), F(-56, 15), F(32, 9)),
        (F(19372, 6561), F(-25360, 2187), F(64448, 6561), F(-212, 729)),
        (F(9017, 3168), F(-355, 33), F(46732, 5247), F(49, 176), F(-5103, 18656)),
        (F(35, 384), F(0), F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84)),
    ),
    error=(F(71, 57600), F(0), F(-71, 16695), F(71, 1920), F(-17253, 339200), F(22, 525), F(-1, 40)),
    dense=(
        F(-12715105075, 11282082432), F(0), F(87487479700, 32700410799), F(-10690763975, 1880347072),
        F(701980252875, 199316789632), F(-1453857185, 822651844), F(69997945, 29380423),
    ),
)  # fmt: skip

"""The differential-algebraic equations themselves, by backward differences: a method for designs of kind I and II."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from latchwork.constraint.designs.bdf import GGL, INDEX_2, INDEX_3, bdf
from latchwork.constraint.embedded.all_speeds import AllSpeeds
from latchwork.errors import IntegrationError, did_you_mean
from latchwork.integrate.checks import must_be_numbers
from latchwork.integrate.dense_output import Solution, Stats
from latchwork.integrate.problem import Problem

SLIVER = 1e-9  # of a step: no step of its own
FORMS = {"index 3": INDEX_3, "index 2": INDEX_2, "GGL": GGL}


@dataclass(frozen=True)
class BackwardDifferences:
    """Backward differences of order two with a fixed step, on the differential-algebraic equations: with Φ = 0 ("index
    3"), B u + C = 0 ("index 2"), or both and a second multiplier ("GGL", Gear, Gupta and Leimkuhler).

    A method to compare with, in NumPy, for designs in all speeds: ``lw.simulate(..., design=lw.Multipliers(),
    method=lw.BackwardDifferences(1e-3))``.
    """

    step: float
    form: str = "GGL"

    def __post_init__(self) -> None:
        must_be_numbers(self)
        if not isinstance(self.form, str) or self.form not in FORMS:
            raise IntegrationError(f"there is no form {self.form!r}.{did_you_mean(str(self.form), FORMS)}")
        if not (0.0 < self.step < math.inf):
            raise IntegrationError(f"{self} cannot step. Give a positive step.")

    def solve(self, problem: Problem) -> Solution:
        """Even steps from start to end, no longer than asked for."""
        mode = problem.function
        if not isinstance(mode, AllSpeeds):
            raise IntegrationError(
                f"{self} solves for all speeds and multipliers at once; the design at hand integrates others. Give "
                "design=lw.Multipliers()."
            )
        n = mode.width - 1
        x = np.concatenate([[problem.t], problem.x[:n], problem.rest])
        steps = max(1, math.ceil((problem.t_end - problem.t) / self.step - SLIVER))
        path = bdf(mode.terms, x, problem.t_end, steps, FORMS[self.form], problem.progress)
        states = np.column_stack([path.q, path.u])
        rows = np.column_stack([path.t, states, np.zeros(len(states)), np.tile(problem.rest, (len(states), 1))])
        dx = mode.many(rows)
        gained = 0.5 * np.diff(path.t) * (dx[1:, -1] + dx[:-1, -1])
        work = problem.x[-1] + np.concatenate([[0.0], np.cumsum(gained)])
        bend = np.zeros((len(states) - 1, n + 1))
        return Solution(path.t, np.column_stack([states, work]), dx, bend, Stats(len(states) - 1, 0, len(states) - 1))

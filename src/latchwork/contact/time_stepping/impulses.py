"""Impulses of many contacts over a time step: the cone problem solved to rounding, as a kernel.

Sweeps of projected Gauss-Seidel find which contacts open, slide and stick; Newton's method on the projections then
makes the answer exact. Where sweeps go round in circles, Lemke's method takes their place: its path ends at a solution,
in the plane an exact one; where it ends on a ray, sweeps go on. Where A is singular (more contacts than freedoms),
impulses are not unique and stay near those of the sweeps.
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import ConeProblem, begin
from latchwork.contact.time_stepping.gauss_seidel import sweep
from latchwork.contact.time_stepping.newton import newton
from latchwork.contact.time_stepping.pivots import by_pivots, pairs_needed
from latchwork.program.kernel import divide, f64, i64, kernel

EXACT = 1e-13  # of the velocities at hand: what is left of w
ROUNDS = 3  # each with four times the sweeps of the one before
NEAR = 1e-8  # of the velocities at hand: what is as good as this after the second round is taken
SWEEPS = 20  # of the first round
UNKNOWN = 1e300
SOLVED, NO_ROOM = range(2)


@kernel
def take(problem: ConeProblem, off: f64, best: f64) -> f64:
    """Keep what was found where it is better than the best so far; how good the best is."""
    if off < best:
        for i in range(problem.rows):
            problem.best[i] = problem.found[i]
        return off
    return best


@kernel
def round_of_sweeps(problem: ConeProblem, most: i64, small: f64, best: f64) -> f64:
    """So many sweeps more, and Newton's method from where they end; how good the best is then."""
    sweep(problem, most, small)
    for i in range(problem.rows):
        problem.trial[i] = problem.P[i]
    return take(problem, newton(problem, problem.trial, small), best)


@kernel
def finish(problem: ConeProblem, best: f64) -> i64:
    """The best is the answer."""
    for i in range(problem.rows):
        problem.P[i] = problem.best[i]
    problem.off = divide(best, problem.scale)
    return SOLVED


@kernel
def solve_cones(problem: ConeProblem) -> i64:
    """P, and by how much the laws are not met; `NO_ROOM` where more pairs would be needed than there is room for."""
    begin(problem)
    n, small, best, most = problem.rows, EXACT * problem.scale, UNKNOWN, SWEEPS
    problem.off = 0.0
    if problem.scale == 0.0:
        for i in range(n):
            problem.P[i] = 0.0
        return SOLVED
    for i in range(n):
        problem.best[i] = problem.P[i]
    for turn in range(ROUNDS):
        best = round_of_sweeps(problem, most, small, best)
        most *= 4
        if best <= 10.0 * small or (turn > 0 and best <= NEAR * problem.scale):
            return finish(problem, best)
    if pairs_needed(problem) > problem.most_pairs:
        return NO_ROOM
    if by_pivots(problem) == 1:
        best = take(problem, newton(problem, problem.trial, small), best)
    if best > NEAR * problem.scale:
        best = round_of_sweeps(problem, most, small, best)
    return finish(problem, best)

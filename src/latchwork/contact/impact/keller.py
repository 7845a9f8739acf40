"""The two laws that follow the impulse: Poisson's, a ratio of impulses, and Stronge's, a ratio of works.

    compression: until v_n = 0, at p_c;  restitution: until     p = (1 + e) p_c                       (Poisson)
                                                      ∫ v_n dp over restitution = −e² that over compression   (Stronge)

[Poisson 1833; Keller 1986; Stronge 1990], with the velocity at every p from `impulse_path`. Where v_n falls to zero
again before the end, what came before is all compression.
"""

from __future__ import annotations

from latchwork.algebra.products import length
from latchwork.contact.impact.impulse_path import (
    GOES_ON,
    NOWHERE,
    TURNS,
    ImpulsePath,
    advance_straight,
    is_wedged,
    straight_slip,
)
from latchwork.contact.impact.problem import ImpactLaw
from latchwork.contact.impact.turning_slip import advance_turning
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset
from latchwork.program.records.view import local_record
from latchwork.program.scalar import maximum

POISSON = int(ImpactLaw.POISSON)
PHASES = 10000
TURNS_BACK = 100


@kernel
def aim(path: ImpulsePath, i: i64, p: f64, v_n: f64, work: f64, constant: f64) -> None:
    """Goal i of a path."""
    goal = path.goal[i]
    goal.p, goal.v_n, goal.work, goal.constant = p, v_n, work, constant


@kernel
def reach_goal(path: ImpulsePath) -> i64:
    """From phase to phase until a goal is met: which one; where all has stopped for good, that is the end, the first.
    `NOWHERE` where none is met."""
    d = path.n - 1
    for _ in range(PHASES):
        if is_wedged(path) == 1:
            return 0
        v_t, met = offset(path.v, 1), GOES_ON
        if straight_slip(path, v_t, length(d, v_t)) == TURNS:
            met = advance_turning(path)
        else:
            met = advance_straight(path)
        if met != GOES_ON:
            return met
    return NOWHERE


@kernel
def begin_path(path: ImpulsePath, n: i64, W: f64p, v: f64p, mu_s: f64, mu_d: f64, size: f64) -> None:
    """The start of a path: W over W_nn, v over the largest."""
    path.n, path.mu_s, path.mu_d, path.work, path.length = n, mu_s, mu_d, 0.0, 0.0
    steepest, stiffest = 0.0, 0.0
    for i in range(n * n):
        path.W[i] = divide(W[i], W[0])
    for i in range(n):
        path.impulse[i], path.v[i] = 0.0, divide(v[i], size)
    for i in range(1, n):
        steepest = maximum(steepest, fabs(path.W[i * n]))
        for j in range(1, n):
            stiffest = maximum(stiffest, fabs(path.W[i * n + j]))
    path.turning = steepest + mu_d * stiffest


@kernel
def follow(law: i64, n: i64, W: f64p, v: f64p, e: f64, mu_s: f64, mu_d: f64, impulse: f64p) -> i64:
    """Λ of one impact, or of a jam (v_n⁻ = 0 where slip makes it fall); none where nothing ends compression."""
    size, path = 0.0, local_record(ImpulsePath)
    for i in range(n):
        size, impulse[i] = maximum(size, fabs(v[i])), 0.0
    if size == 0.0:
        return 1
    begin_path(path, n, W, v, mu_s, mu_d, size)
    for _ in range(TURNS_BACK):
        path.goals = 1
        aim(path, 0, 0.0, 1.0, 0.0, 0.0)  # v_n rises through zero
        if reach_goal(path) == NOWHERE:
            return 0
        path.v[0] = 0.0
        pressed, met = path.impulse[0], 0
        if e != 0.0 and pressed != 0.0:
            path.goals = 2
            if law == POISSON:
                aim(path, 0, 1.0, 0.0, 0.0, -(1.0 + e) * pressed)
            else:
                aim(path, 0, 0.0, 0.0, 1.0, -(1.0 - e * e) * path.work)
            aim(path, 1, 0.0, -1.0, 0.0, 0.0)  # v_n falls through zero
            met = reach_goal(path)
        if met == NOWHERE:
            return 0
        if met == 0:
            for i in range(n):
                impulse[i] = path.impulse[i] * divide(size, W[0])
            return 1
    return 0

"""Inputs within their bounds, and forces within their cones.

Where motion and force can be had within them, the least inputs are those of `least_distance`. Else which limits are
reached is found by bounded least squares,

    least  ‖A ρ − b‖² + PRESS² ‖V ρ − λ*‖² + LITTLE² ‖ρ‖²    over  low ≤ ρ ≤ high,   C ρ − s = d,  s ≥ 0

s are what is left to the planes of cones, C ρ ≥ d. Then all that are at a limit stay there, and the rest is solved as a
hierarchy. Limits go first, then motion, then force; where limits exclude each other, cones give way to bounds.
"""

from __future__ import annotations

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.control.bounded_least_squares import FREE, least_within
from latchwork.control.force_cones import begin_cuts, crossed_cuts, cut_again
from latchwork.control.law_record import Law
from latchwork.control.least_distance import least_distance
from latchwork.control.least_inputs import solve_hierarchy
from latchwork.control.motion_task import gauss_metric, motion_rows
from latchwork.program.kernel import divide, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

FIRM, PRESS, LITTLE = 1e3, 1e-3, 1e-7  # weights of cones, of force, and of small inputs beside motion
NO_BOUND = 1e300  # no bound
ROUNDS = 40  # of planes that are added


@kernel
def read_bounds(law: Law) -> None:
    """Bounds of ρ."""
    bounds = offset(law.out, law.at_bounds)
    for c in range(law.p):
        law.low[c], law.high[c] = -NO_BOUND, NO_BOUND
        if law.bounded != 0:
            law.low[c], law.high[c] = divide(bounds[c], law.weight[c]), divide(bounds[law.p + c], law.weight[c])


@kernel
def is_outside(law: Law) -> i64:
    """1 where an input is outside of its bounds."""
    for c in range(law.p):
        if law.rho[c] < law.low[c] or law.rho[c] > law.high[c]:
            return 1
    return 0


@kernel
def keep_within(mode: EmbeddedMode, law: Law) -> None:
    """ρ within all limits, where those without leave one; motion and force give way only where they must."""
    read_bounds(law)
    begin_cuts(law)
    cut_again(law)
    if is_outside(law) == 0 and crossed_cuts(law) == 0:
        return
    for c in range(law.p):
        law.plain[c] = law.rho[c]
    for _ in range(ROUNDS):
        if least_distance(law) == 0:
            break
        if cut_again(law) == 0:
            return
    gauss_metric(mode, law)
    motion_rows(mode, law)
    for _ in range(ROUNDS):
        nearest_within(law)
        if cut_again(law) == 0:
            break


@kernel
def nearest_within(law: Law) -> None:
    """ρ within its bounds, on the right side of all planes, as near as can be to what is asked for."""
    p, cols = law.p, law.p + law.cuts
    stack_rows(law)
    for i in range(law.cuts):
        law.low[p + i], law.high[p + i] = 0.0, NO_BOUND
    least_within(law.cuts + law.k + law.presses + p, cols, law.F, law.right, law.low, law.high, law.rho, law.side,
                 law.work)  # fmt: skip
    active, law.at_bound, law.at_edge = 0, 0, 0
    for i in range(law.cuts):
        if law.side[p + i] != FREE:
            law.at_edge = 1
            law.active_b[active] = law.cut_b[i]
            for c in range(p):
                law.active_A[active * p + c] = law.cut_A[i * p + c]
            active += 1
    for c in range(p):
        law.part[c] = law.rho[c]
        if law.side[c] != FREE:
            law.at_bound = 1
    solve_hierarchy(law, 1, active)
    if is_outside(law) == 1 or crossed_cuts(law) == 1:
        for c in range(p):
            law.rho[c] = law.part[c]


@kernel
def stack_rows(law: Law) -> None:
    """Planes, motion, force and the inputs themselves, each by its weight; motion in units of its largest row."""
    p, k, presses, cuts = law.p, law.k, law.presses, law.cuts
    cols, F, right, longest = p + cuts, law.F, law.right, 0.0
    for i in range((cuts + k + presses + p) * cols):
        F[i] = 0.0
    for i in range(k):
        size = 0.0
        for c in range(p):
            size += law.A[i * p + c] * law.A[i * p + c]
        longest = maximum(longest, size)
    unit = divide(1.0, sqrt(longest)) if longest > 0.0 else 1.0
    for i in range(cuts):
        right[i] = FIRM * law.cut_b[i]
        F[i * cols + p + i] = -FIRM
        for c in range(p):
            F[i * cols + c] = FIRM * law.cut_A[i * p + c]
    for i in range(k):
        right[cuts + i] = unit * law.b[i]
        for c in range(p):
            F[(cuts + i) * cols + c] = unit * law.A[i * p + c]
    for i in range(presses):
        right[cuts + k + i] = PRESS * law.press_b[i]
        for c in range(p):
            F[(cuts + k + i) * cols + c] = PRESS * law.press_A[i * p + c]
    for c in range(p):
        right[cuts + k + presses + c] = 0.0
        F[(cuts + k + presses + c) * cols + c] = LITTLE

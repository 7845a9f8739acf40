"""Impacts at the end of a step, all at once, as a kernel: Poisson's law with Coulomb's cones, never with a gain of
energy.

    u_c = u + P Jᵀ Λ_c,    0 ≤ Λ_cn ⟂ v_cn ≥ 0                  compression
    u⁺ = u_c + P Jᵀ Λ_e,   0 ≤ Λ_en − e Λ_cn ⟂ v_n⁺ ≥ 0          expansion

both with tangential impulses within the cone, against v_t at the end of the phase [Glocker, Pfeiffer 1995]. One contact
alone parts at e times its approach. Newton's law for several at once may have no answer, where one is wedged between
others; this one always has. e is 0 where the rebound would be turned within a step. Where expansion would gain more
than compression lost, only a part of it takes place.
"""

from __future__ import annotations

from latchwork.constraint.inertia import times
from latchwork.contact.time_stepping.cone_problem import times_A
from latchwork.hybrid.time_stepping.contact_rows import (
    ALL,
    assemble,
    choose_closed,
    drift,
    pace,
    read_laws,
    read_rows,
    solve,
    spread_impulse,
    velocities,
)
from latchwork.hybrid.time_stepping.held_rows import keep_speeds
from latchwork.hybrid.time_stepping.inertia import free_motion
from latchwork.hybrid.time_stepping.time_step import NearContacts, Reason, TimeStep
from latchwork.program.kernel import divide, f64, f64p, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum


@kernel
def strike(step: TimeStep, x: f64p, h: f64) -> tuple[i64, i64]:
    """The impacts of contacts that are closed at x: how it ended, and 1 where there were any. What approaches more
    slowly than a step can turn is left to the next step, where no other of its island is faster. Rows stay where they
    are."""
    near, cones, u, tol = step.near, step.near.cones, offset(x, 1 + step.n_q), step.scene.tolerances
    status = keep_speeds(step, x)
    if status == Reason.DONE:
        status = choose_closed(step)
    if status == Reason.DONE:
        status = read_rows(step, x, ALL)
    if status != Reason.DONE:
        return status, 0
    v, moves, fastest = near.v, pace(step, u) + drift(near), 0.0
    velocities(step, u)
    for k in range(near.contacts):
        fastest = maximum(fastest, -v[near.first[k]])
    if fastest <= tol.rounding * moves:
        return Reason.DONE, 0
    status = free_motion(step, x)
    if status != Reason.DONE:
        return status, 0
    turned = h * pace(step, step.free) + tol.no_slip * moves  # what a step may change of the velocity
    if fastest <= turned:
        return Reason.DONE, 0
    assemble(step)
    cones.idle = turned
    status = read_laws(step, x, v)
    if status != Reason.DONE:
        return status, 0
    for r in range(near.rows):
        cones.b[r] = v[r]
    solve(step)
    for r in range(near.rows):
        near.impulse[r] = cones.impulse[r]
    step.off_of_step = maximum(step.off_of_step, cones.off)
    expand(step, turned)
    spread_impulse(step, near.impulse, step.change)
    for i in range(step.n):
        u[i] += step.change[i]
    return Reason.DONE, 1


@kernel
def expand(step: TimeStep, turned: f64) -> None:
    """Add the impulses of expansion to those of compression."""
    near, cones, v, lively = step.near, step.near.cones, step.near.v, 0
    for k in range(near.contacts):
        row, e = near.first[k], near.e[k]
        cones.least[k] = e * near.impulse[row] if -e * v[row] > turned else 0.0
        lively = 1 if -e * v[row] > turned else lively
    if lively == 0:
        return
    times_A(near.cones, near.impulse, near.mean)
    for r in range(near.rows):
        cones.b[r], cones.impulse[r] = v[r] + near.mean[r], 0.0
    solve(step)
    step.off_of_step = maximum(step.off_of_step, cones.off)
    part = lawful_part(near, near.impulse, cones.impulse)
    for r in range(near.rows):
        near.impulse[r] += part * cones.impulse[r]


@kernel
def lawful_part(near: NearContacts, first: f64p, d: f64p) -> f64:
    """The greatest s ≤ 1 for which ``ΔK = v·Λ + ½ Λ·AΛ ≤ 0`` with Λ = first + s d; ``mean`` is A first."""
    n, v = near.rows, near.v
    c = times(n, v, first) + 0.5 * times(n, first, near.mean)
    b = times(n, v, d) + times(n, near.mean, d)
    times_A(near.cones, d, near.free)
    a = 0.5 * times(n, d, near.free)
    if c + b + a <= 0.0 or a <= 0.0:
        return 1.0
    root = sqrt(maximum(b * b - 4.0 * a * minimum(c, 0.0), 0.0))
    return minimum(maximum(divide(-b + root, 2.0 * a), 0.0), 1.0)

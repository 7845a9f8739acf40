"""Impacts without collision: contacts at rest whose slip drives them in (Painlevé), alone or together; as kernels.
[Painlevé 1895; Génot, Brogliato 1999]

    W_nn − μ_d W_nt·s < 0:  slip makes v_n fall from zero, stops or turns, and v_n comes back

Compression, then restitution, by Stronge's law. Where contacts jam only together, as the corners of a box do, they act
as if a trace had driven them in.
"""

from __future__ import annotations

from latchwork.algebra.factors import least_norm
from latchwork.algebra.products import length
from latchwork.contact.impact.alart_curnier import largest_of
from latchwork.contact.impact.laws import ENERGETIC, NEWTON
from latchwork.contact.impact.problem import ImpactProblem, Order, Status
from latchwork.contact.impact.sequential import (
    act_of_one,
    add_part,
    begin_impact,
    conclude_impact,
    finish_impact,
    resolve_impact,
)
from latchwork.program.kernel import f64, fabs, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.scalar import maximum

NUDGE, SLOW = 1e-7, 1e-5  # of the slip, and of the fastest motion
NO_SLIP = 1e-9  # of the fastest motion: slower slip is none
CHANGES = 0.1  # of the slip
RANK = 1e-11  # of W: redundant rows

RESOLVED, NOTHING, AT_ONCE = int(Status.RESOLVED), int(Status.NOTHING), int(Order.AT_ONCE)


@kernel
def resolve_jam(problem: ImpactProblem, contact: i64) -> i64:
    """An impact without collision of one contact at rest; where slip does not drive it in, nothing. A status."""
    status = begin_impact(problem)
    if status != RESOLVED:
        return status
    for i in range(problem.rows):
        problem.now[i] = problem.v[i]
    problem.now[problem.first[contact]] = 0.0
    problem.member[0], problem.members = contact, 1
    add_part(problem, act_of_one(problem, contact, ENERGETIC, problem.now, problem.e[contact]))
    return finish_impact(problem, 0.0)


@kernel
def stop_rows(problem: ImpactProblem, n: i64) -> i64:
    """``impulses``, the shortest, that end the speeds of the n rows of ``group_row``, W Λ = −v; a status."""
    rows = problem.rows
    for i in range(n):
        row = problem.group_row[i]
        problem.right[i] = -problem.v[row]
        for j in range(n):
            problem.factors[i * n + j] = problem.W[row * rows + problem.group_row[j]]
    least_norm(n, n, RANK, problem.factors, problem.tau, problem.turned, problem.order, problem.right, problem.step)
    for i in range(rows):
        problem.impulses[i] = 0.0
    for i in range(n):
        problem.impulses[problem.group_row[i]] = problem.step[i]
    return conclude_impact(problem)


@kernel
def rows_of_members(problem: ImpactProblem) -> i64:
    """``group_row``: all rows of the ``members``; how many."""
    n = 0
    for c in range(problem.members):
        i = problem.member[c]
        for j in range(1 + problem.tangents[i]):
            problem.group_row[n] = problem.first[i] + j
            n += 1
    return n


@kernel
def slip_of(problem: ImpactProblem, i: i64) -> f64:
    """How fast the surfaces of a contact move past each other."""
    return length(1 + problem.tangents[i], offset(problem.v, problem.first[i]))


@kernel
def caught(problem: ImpactProblem) -> i64:
    """Λ that stops the slip of the ``chosen`` contacts, those that would pull left out; `NOTHING` where cones do not
    allow it, else `RESOLVED`."""
    status = begin_impact(problem)
    if status != RESOLVED:
        return status
    for i in range(problem.contacts):
        if problem.chosen[i] == 1:
            problem.member[problem.members] = i
            problem.members += 1
    while problem.members > 0:
        status = stop_rows(problem, rows_of_members(problem))
        worst, least = 0, 0.0
        for c in range(problem.members):
            push = problem.impulses[problem.first[problem.member[c]]]
            if c == 0 or push < least:
                worst, least = c, push
        if status != RESOLVED:
            return status
        if least >= 0.0:
            break
        problem.members -= 1
        for c in range(worst, problem.members):
            problem.member[c] = problem.member[c + 1]
    if problem.members == 0:
        return NOTHING
    for c in range(problem.members):
        i = problem.member[c]
        row, d = problem.first[i], problem.tangents[i]
        if not length(d, offset(problem.impulses, row + 1)) <= problem.mu_s[i] * problem.impulses[row]:
            return NOTHING
    for i in range(problem.contacts):
        if not problem.after[problem.first[i]] >= -NUDGE * problem.fastest:
            return NOTHING
    return RESOLVED


@kernel
def nudged(problem: ImpactProblem, slip: f64) -> i64:
    """Λ as if a trace had driven the ``chosen`` contacts in: at once, by Newton's law with e = 0; a status."""
    k, order = problem.contacts, problem.at_once
    for i in range(problem.rows):
        problem.kept_v[i] = problem.v[i]
    for i in range(k):
        problem.kept_e[i], problem.kept_law[i] = problem.e[i], problem.law[i]
        problem.e[i], problem.law[i] = 0.0, NEWTON
        if problem.chosen[i] == 1:
            problem.v[problem.first[i]] -= NUDGE * slip
    capture, problem.capture, problem.at_once = problem.capture, 0.0, AT_ONCE
    status = resolve_impact(problem)
    problem.capture, problem.at_once = capture, order
    for i in range(problem.rows):
        problem.v[i] = problem.kept_v[i]
    for i in range(k):
        problem.e[i], problem.law[i] = problem.kept_e[i], problem.kept_law[i]
    return conclude_impact(problem) if status == RESOLVED else status


@kernel
def changes_slip(problem: ImpactProblem, pace: f64) -> i64:
    """1 where the impulses change the slip of a ``chosen`` contact by a good part of it."""
    for i in range(problem.contacts):
        slip, change, row = slip_of(problem, i), 0.0, problem.first[i]
        for j in range(row, row + 1 + problem.tangents[i]):
            change = maximum(change, fabs(problem.after[j] - problem.v[j]))
        if problem.chosen[i] == 1 and change > CHANGES * slip and CHANGES * slip > NO_SLIP * pace:
            return 1
    return 0


@kernel
def driven_in(problem: ImpactProblem) -> i64:
    """Λ as if a trace had driven the ``chosen`` contacts in; `NOTHING` where that changes no slip, and none can be
    stopped, else a status. Where they hardly slip, beside what else slips there, they stop."""
    status, fastest_slip = begin_impact(problem), 0.0
    if status != RESOLVED:
        return status
    pace = problem.fastest
    for i in range(problem.contacts):
        if problem.chosen[i] == 1:
            slip = slip_of(problem, i)
            fastest_slip = maximum(fastest_slip, slip)
            if NO_SLIP * pace < slip and slip < SLOW * pace:
                problem.member[problem.members] = i
                problem.members += 1
    if problem.members > 0:
        return stop_rows(problem, rows_of_members(problem))
    status = nudged(problem, fastest_slip)
    if status != RESOLVED or changes_slip(problem, pace) == 1:
        return status
    status = caught(problem)
    if status != RESOLVED:
        return status
    moved = 0.0
    for i in range(problem.rows):
        moved = maximum(moved, fabs(problem.after[i] - problem.v[i]))
    return RESOLVED if moved > NO_SLIP * pace else NOTHING


@kernel
def jam_together(problem: ImpactProblem) -> i64:
    """An impact without collision of contacts that jam only together: the ``chosen``, which slide, or all. A status."""
    status = driven_in(problem)
    if status != NOTHING:
        return status
    for i in range(problem.contacts):
        problem.chosen[i] = 1
    return driven_in(problem)


@kernel
def stop_slow(problem: ImpactProblem, slow: f64) -> i64:
    """Λ that ends all normal velocities, and slip that is as slow where there is friction, W Λ = −v; a status.

    It is the change of speeds of least kinetic energy, so none is gained.
    """
    status, n = begin_impact(problem), 0
    if status != RESOLVED:
        return status
    for i in range(problem.contacts):
        row, tangents = problem.first[i], problem.tangents[i]
        stops = tangents > 0 and problem.mu_s[i] > 0.0 and largest_of(tangents, offset(problem.v, row + 1)) < slow
        for j in range(1 + tangents if stops else 1):
            problem.group_row[n] = row + j
            n += 1
    return stop_rows(problem, n)


together(resolve_impact, resolve_jam, jam_together, driven_in, caught, stop_slow)

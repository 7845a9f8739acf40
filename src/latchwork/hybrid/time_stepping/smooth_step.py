"""A step without impacts: the midpoint rule, with impulses of contacts that are closed.

    M (u⁺ − u) = h f + Bᵀ(...) + Jᵀ P   at   q_m = q + h/2 q̇,  u_m = (u + u⁺)/2;     q⁺ = q + h q̇(q_m, u_m)
    0 ≤ P_n ⟂ g/h + (v_n + v_n⁺)/2 ≥ 0,    P_t within the cone, against v_t⁺

A gap ends at zero or above to second order, and a normal impulse does no work. Nor does friction: where it would, for
slip turns within the step, it acts against (v_t + v_t⁺)/2. v_n is small here: contacts that
approach faster than a step can turn them are left to the impact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.constraint.terms import Array
from latchwork.contact.time_stepping.impulses import Cones, impulses
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.time_stepping.gaps import Flags, Rows
from latchwork.hybrid.time_stepping.inertia import Moving
from latchwork.hybrid.time_stepping.scene import Scene

PASSES = 4  # evaluations at the midpoint at most
LAWFUL = 1e-10  # of the velocities: by so much the laws of contact may not be met
SAME = 1e-12  # of the speeds: passes that change less have ended


@dataclass(frozen=True, eq=False)
class Smooth:
    """The state after a step, mean accelerations, the work that contacts and loads did, impulses of the contacts."""

    x: Array
    udot: Array
    work: float
    impulses: Mapping[ContactPoint, Array]
    mode: frozenset[tuple[ContactPoint, bool]]  # closed contacts, and whether they slide
    off: float  # by how much the laws of contact are not met


def smooth(scene: Scene, x: Array, h: float, gap: Array, real: Flags, udot: Array,
           warm: Mapping[ContactPoint, Array]) -> Smooth:  # fmt: skip
    """One step; ``udot`` is a guess of the mean accelerations, ``warm`` of the impulses."""
    q, u, half = scene.q(x), scene.u(x), x[0] + 0.5 * h
    here = scene.inertia.at(x)
    contact_points, gaps = _closed(scene, x, h, gap, real, here)
    q_m = q + 0.5 * h * here.motion.q_rates
    u_m = u + 0.5 * h * udot
    middle = scene.state(half, q_m, u_m)
    moving, rows = scene.inertia.at(middle), scene.rows(contact_points, middle)
    for _ in range(PASSES):
        P, mu, off = _impulses(scene, rows, contact_points, middle, u, h, gaps, moving, warm)
        warm = _parts(contact_points, rows, P)
        u_new = u + h * moving.udot + dot(moving.inverse, dot(rows.J.T, P))
        u_m = 0.5 * (u + u_new)
        middle = scene.with_speeds(middle, u_m)
        again = scene.inertia.at(middle)
        change = scene.most(h * (again.udot - moving.udot))
        moving = again
        if change <= SAME * scene.most(u_new):
            break
    after = scene.state(x[0] + h, q + h * moving.motion.q_rates, u_new)
    gain = max(0.0, float(dot(P, dot(rows.J, u_m) + rows.C)))  # static friction on a slip that is none but for the step
    work = _work(moving, dot(rows.J.T, P), u_new - u, u_m, h, bool(len(scene.held.rows))) - gain
    return Smooth(after, (u_new - u) / h, work,
                  _parts(contact_points, rows, P), _mode(contact_points, rows, P, mu), off)  # fmt: skip


def _closed(
    scene: Scene, x: Array, h: float, gap: Array, real: Flags, here: Moving
) -> tuple[list[ContactPoint], Array]:
    """Contacts that a step from rest would close, and that do not approach faster than that; and their gaps."""
    size = scene.most(here.udot)
    some = np.flatnonzero(real & (gap <= 10.0 * h * h * size + scene.small.stepped))
    contact_points = [scene.contact_points[i] for i in some]
    rows = scene.rows(contact_points, x)
    J, C = rows.J[rows.first], rows.C[rows.first]
    turned = h * rows.pace(here.udot) + scene.small.no_slip * rows.pace(scene.u(x))  # what a step changes at most
    keep = np.flatnonzero((gap[some] <= 0.5 * h * turned + scene.small.stepped) & (dot(J, scene.u(x)) + C >= -turned))
    return [contact_points[i] for i in keep], np.maximum(gap[some][keep], 0.0)


def _impulses(
    scene: Scene,
    rows: Rows,
    contact_points: Sequence[ContactPoint],
    middle: Array,
    u: Array,
    h: float,
    gaps: Array,
    moving: Moving,
    warm: Mapping[ContactPoint, Array],
) -> tuple[Array, Array, float]:
    """P of the step, the friction that acts, and by how much the laws are not met."""
    v = dot(rows.J, u) + rows.C
    _, mu = scene.laws(contact_points, middle, rows, v)
    A, n, none = dot(rows.J, moving.inverse, rows.J.T), rows.first, np.zeros(len(contact_points))
    free = v + h * dot(rows.J, moving.udot)
    b = free.copy()
    b[n] += v[n] + 2.0 * gaps / h
    known = [
        warm.get(contact_point, np.zeros(1 + k)) for contact_point, k in zip(contact_points, rows.tangents, strict=True)
    ]
    P, off = impulses(Cones(A, b, rows.tangents, mu, none), np.concatenate([none[:0], *known]))
    if off > LAWFUL:  # wedged: what approaches cannot part as fast
        b[n] -= np.minimum(v[n], 0.0)
        P, off = impulses(Cones(A, b, rows.tangents, mu, none), P)
    turned: set[int] = set()
    while dot(P, mean := v + free + dot(A, P)) > SAME * float(dot(np.abs(P), np.abs(mean))):  # twice the mean velocity
        turns = sorted(set(_turning(rows, P, mean)) - turned)
        if not turns:
            break
        turned |= set(turns)
        b[turns] += v[turns]
        P, off = impulses(Cones(A, b, rows.tangents, mu, none), P)
    return P, mu, off


def _turning(rows: Rows, P: Array, mean: Array) -> list[int]:
    """Rows of tangents along which friction would do work: it is to act against the mean velocity there."""
    found: list[int] = []
    for i, k in zip(rows.first, rows.tangents, strict=True):
        across = slice(i + 1, i + 1 + k)
        if dot(P[across], mean[across]) > 0.0:
            found += range(across.start, across.stop)
    return found


def _work(moving: Moving, pushed: Array, change: Array, u_m: Array, h: float, held: bool) -> float:
    """Of contacts, of loads without a potential, and of constraints that move: all at the midpoint."""
    motion = moving.motion
    work = float(dot(pushed, u_m) + dot(motion.a, change)) + h * motion.b
    if held:
        work += float(dot(dot(motion.M, change) - h * motion.f - pushed, u_m))
    return work


def _parts(contact_points: Sequence[ContactPoint], rows: Rows, P: Array) -> dict[ContactPoint, Array]:
    return {
        contact_point: P[i : i + 1 + k]
        for contact_point, i, k in zip(contact_points, rows.first, rows.tangents, strict=True)
    }


def _mode(
    contact_points: Sequence[ContactPoint], rows: Rows, P: Array, mu: Array
) -> frozenset[tuple[ContactPoint, bool]]:
    found = []
    for contact_point, i, k, m in zip(contact_points, rows.first, rows.tangents, mu, strict=True):
        if P[i] > 0.0:
            found.append((contact_point, bool(norm(P[i + 1 : i + 1 + k]) >= m * P[i] * (1.0 - 1e-12))))
    return frozenset(found)

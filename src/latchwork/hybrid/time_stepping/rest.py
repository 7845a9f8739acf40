"""Whether everything comes to rest within a step, and stays there: then nothing is left to be stepped.

    0 = u + h u̇₀ + T M̃⁻¹ Tᵀ Jᵀ P       the contacts that are closed can stop what moves,
    0 = J u̇₀ + J T M̃⁻¹ Tᵀ Jᵀ λ         and hold it, both within their cones.

λ is not unique where there are more contacts than freedoms; it is taken well inside the cones, so that what rests goes
on to rest. What rolls on a plane is not stopped by this, however slow it is.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.solution import ContactProblem, State, feasible
from latchwork.contact.time_stepping.impulses import Cones, impulses
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.time_stepping.gaps import Flags, Rows
from latchwork.hybrid.time_stepping.inertia import Moving
from latchwork.hybrid.time_stepping.scene import Scene

STILL = 1e-6  # of what a step without contacts would change: velocities that are none
SLOW = 4.0  # times that: what is faster is not tried
IDLE = 1e-9  # of the largest force: a contact with less carries nothing

Forces = Mapping[ContactPoint, Array]


def at_rest(scene: Scene, x: Array, h: float, gap: Array, real: Flags) -> Forces | None:
    """Forces with which the contacts that are closed at x hold everything, where they can stop it; else None."""
    if not scene.is_still:
        return None
    contact_points, u = scene.chosen(real & (gap <= scene.small.stepped)), scene.u(x)
    rows = scene.rows(contact_points, x)
    still = scene.with_speeds(x, np.zeros(len(u)))
    moving = scene.inertia.at(still)
    if not contact_points or not _stopped(scene, contact_points, still, rows, moving, u, h):
        return None
    return _held(scene, contact_points, still, rows, moving)


def _stopped(
    scene: Scene, contact_points: list[ContactPoint], x: Array, rows: Rows, moving: Moving, u: Array, h: float
) -> bool:
    """Whether impulses within the cones stop all speeds within a step."""
    free = u + h * moving.udot
    size = h * rows.pace(moving.udot)
    loose = np.abs(rows.J).max(axis=0) == 0.0
    if free[loose].any() or rows.pace(u) > SLOW * size:
        return False
    _, mu = scene.laws(contact_points, x, rows, np.zeros(len(rows.J)))
    A, none = dot(rows.J, moving.inverse, rows.J.T), np.zeros(len(contact_points))
    P, _ = impulses(Cones(A, dot(rows.J, free), rows.tangents, mu, none))
    return rows.pace(free + dot(moving.inverse, dot(rows.J.T, P))) <= STILL * size


def _held(scene: Scene, contact_points: list[ContactPoint], x: Array, rows: Rows, moving: Moving) -> Forces | None:
    """λ of contacts that stick, well inside their cones; those that carry nothing are left out."""
    _, mu = scene.laws(contact_points, x, rows, np.zeros(len(rows.J)))
    some = list(range(len(contact_points)))
    while some:
        k = [rows.tangents[i] if mu[i] > 0.0 else 0 for i in some]
        own = [row for i, count in zip(some, k, strict=True) for row in range(rows.first[i], rows.first[i] + 1 + count)]
        J, none = rows.J[own], (None,) * len(some)
        resting = ContactProblem(
            tuple(contact_points[i].name for i in some),
            dot(J, moving.inverse, J.T),
            dot(J, moving.udot),
            tuple(k),
            mu[some],
            mu[some],
            none,
            none,
        )
        lam = feasible(resting, [State.STICK] * len(some), none)
        if lam is None:
            return None
        udot = moving.udot + dot(moving.inverse, dot(J.T, lam))
        if scene.most(udot) > STILL * scene.most(moving.udot):
            return None
        parts = np.split(lam, np.cumsum([1 + count for count in k])[:-1])
        least = IDLE * max(part[0] for part in parts)
        busy = [part[0] > least for part in parts]
        if all(busy):
            return {contact_points[i]: part for i, part in zip(some, parts, strict=True)}
        some = [i for i, carries in zip(some, busy, strict=True) if carries]
    return None

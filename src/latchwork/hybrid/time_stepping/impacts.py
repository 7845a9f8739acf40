"""Impacts at the end of a step, all at once: Poisson's law with Coulomb's cones, never with a gain of energy.

    u_c = u + T M̃⁻¹ Tᵀ Jᵀ Λ_c,    0 ≤ Λ_cn ⟂ v_cn ≥ 0                  compression
    u⁺ = u_c + T M̃⁻¹ Tᵀ Jᵀ Λ_e,   0 ≤ Λ_en − e Λ_cn ⟂ v_n⁺ ≥ 0          expansion

both with tangential impulses within the cone, against v_t at the end of the phase [Glocker, Pfeiffer 1995]. One contact
alone parts at e times its approach. Newton's law for several at once may have no answer, where one is wedged between
others; this one always has. e is 0 where the rebound would be turned within a step. Where expansion would gain more
than compression lost, only a part of it takes place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.consistency import assemble_u
from latchwork.constraint.terms import Array
from latchwork.contact.time_stepping.impulses import Cones, impulses
from latchwork.hybrid.time_stepping.gaps import Flags
from latchwork.hybrid.time_stepping.scene import Scene

AT_REST = 1e-12  # of how fast things move: slower approaches are none


@dataclass(frozen=True, eq=False)
class Struck:
    """The state after impacts, and whether any was more than what keeps contacts closed."""

    x: Array
    hard: bool
    off: float = 0.0


def struck(scene: Scene, x: Array, h: float, gap: Array, real: Flags) -> Struck:
    """The impacts of contacts that are closed at x."""
    if len(scene.held.rows):
        x, _ = assemble_u(scene.held, x)
    contact_points = scene.chosen(real & (gap <= scene.small.stepped))
    rows, u = scene.rows(contact_points, x), scene.u(x)
    v, n = dot(rows.J, u) + rows.C, rows.first
    pace = rows.pace(u) + float(np.abs(rows.C).max(initial=0.0))
    if v[n].min(initial=0.0) >= -AT_REST * pace:
        return Struck(x, False)
    moving = scene.inertia.at(x)
    turned = h * rows.pace(moving.udot) + scene.small.no_slip * pace  # what a step may change of the velocity
    e, mu = scene.laws(contact_points, x, rows, v)
    e = np.where(-e * v[n] > turned, e, 0.0)
    A = dot(rows.J, moving.inverse, rows.J.T)
    none = np.zeros(len(n))
    found, off = impulses(Cones(A, v, rows.tangents, mu, none))
    if e.any():
        v_c = v + dot(A, found)
        expansion, more = impulses(Cones(A, v_c, rows.tangents, mu, e * found[n]))
        found, off = found + _part(A, v, found, expansion) * expansion, max(off, more)
    after = u + dot(moving.inverse, dot(rows.J.T, found))
    return Struck(scene.with_speeds(x, after), bool((v[n] < -turned).any()), off)


def _part(A: Array, v: Array, first: Array, d: Array) -> float:
    """The greatest s ≤ 1 for which ``ΔK = v·P + ½ P·AP ≤ 0`` with P = first + s d."""
    c, b, a = dot(v, first) + 0.5 * dot(first, A, first), dot(v + dot(A, first), d), 0.5 * dot(d, A, d)
    if c + b + a <= 0.0 or a <= 0.0:
        return 1.0
    return float(np.clip((-b + np.sqrt(max(b * b - 4.0 * a * min(c, 0.0), 0.0))) / (2.0 * a), 0.0, 1.0))

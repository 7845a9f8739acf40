"""Friction of a mode: how redundant contacts share their forces, and the forces of a mode."""

from __future__ import annotations

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.embedded.mode import Mode
from latchwork.constraint.embedded.redundant_forces import least_norm_share
from latchwork.constraint.terms import Array
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.path import ModeDynamics

LIMITED = 2e-4  # friction of joints, whose force is limited, takes so much less of what comes: within STEEP
LIGHT = 1e-3  # of the most that presses: what is pressed by less shares as if by this
STEEP = 1e4  # a row that would carry so many times another does not stand for it


def share_in(mode: Mode, contact_states: ContactStates) -> Array | None:
    """How redundant rows share the load; none where there are none."""
    return _share(mode, contact_states) if mode.selection.redundant else None


def _share(mode: Mode, contact_states: ContactStates) -> Array:
    """λ_red = R λ_kept + c: as the forces were where the mode began; what comes later goes where more is carried.

    Each contact takes its part of the load with a friction that leans as it did, and of what leans more or less in
    proportion to what presses it: then all of them come to the edges of their cones together. That is the λ of least
    norm λᵀ K⁻¹ λ, K = λ_n (1, ρᵀ; ρ, 1 + ρρᵀ) for each contact, ρ = λ_t/λ_n.
    """
    rows, chosen = mode.terms.rows, mode.selection
    lam, K = np.full(len(rows), np.nan), np.eye(len(rows))
    held = {contact_point.name for contact_point in contact_states.closed if contact_point.without_normal}
    bounded = {contact_point.name for contact_point in contact_states.closed if contact_point.is_bounded}
    pressed = {name: float(lam[0]) for name, lam in contact_states.lam.items() if name not in held and len(lam)}
    most = max(pressed.values(), default=0.0)
    for name, part in rows.slices.items():
        if name in bounded:
            K[part, part] *= LIMITED
        if name in contact_states.lam:
            forces = contact_states.lam[name]
            size = part.stop - part.start
            lam[part] = forces[:size] if len(forces) >= size else np.append(forces, np.zeros(size - len(forces)))
            if name in pressed and most > 0.0:
                lean = lam[part] / max(pressed[name], LIGHT * most)
                lean[0] = 1.0
                K[part, part] = np.outer(lean, lean) + np.diag([0.0] + [1.0] * (size - 1))
                K[part, part] *= max(pressed[name] / most, LIGHT)
    share = least_norm_share(dot(K, mode.numbers), chosen)
    if not np.abs(share).max(initial=0.0) < STEEP:
        share = least_norm_share(mode.numbers, chosen)
    kept, lost = lam[list(chosen.kept)], lam[list(chosen.redundant)]
    share[np.ix_(np.isfinite(lost), np.append(np.isnan(kept), False))] = 0.0  # what others carry is not known
    stress = lost - dot(share[:, :-1], np.where(np.isfinite(kept), kept, 0.0))
    share[:, -1] = np.where(np.isfinite(stress), stress, 0.0)
    return share


def forces_in(dynamics: ModeDynamics, t: float, x: Array, rest: Array) -> dict[str, Array]:
    """λ of all that holds in a mode, by name."""
    if not isinstance(dynamics, Recombined):
        return {}
    lam = dynamics.forces(t, x, rest)
    return {name: lam[part] for name, part in dynamics.mode.terms.rows.slices.items()}

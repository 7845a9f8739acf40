"""Friction of a mode: what drags, how redundant contacts share their forces, and the forces of a stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from latchwork.constraint.modes.drag import Drag, drag_of
from latchwork.constraint.modes.mode import Mode
from latchwork.constraint.modes.share import least_norm_share
from latchwork.constraint.terms import Array, Terms
from latchwork.hybrid.path import Stage
from latchwork.hybrid.stages import Held
from latchwork.hybrid.touching.standing import Standings
from latchwork.hybrid.touching.touch import Touch
from latchwork.program.function import Function
from latchwork.symbolic.expr import Expr


def drag_in(terms: Terms, dragging: Mapping[Touch, list[int]], more: Sequence[Expr] = (),
            function: Function | None = None) -> Drag:  # fmt: skip
    """What drags in a mode of these rows: contacts that slide, and what friction adds to their force rows.

    ``more`` are symbols behind (t, q, u, rest); ``function`` is its program, where it is known.
    """
    held = [(E, *touch.force_parts) for touch, E in dragging.items() if touch.held]
    dragged = {terms.rows.slices[touch.name].start: E for touch, E in dragging.items() if not touch.held}
    return drag_of(terms, dragged, held, more, function)


def share_in(mode: Mode, standings: Standings) -> Array | None:
    """How redundant rows share the load; none where there are none."""
    return _share(mode, standings) if mode.selection.redundant else None


def _share(mode: Mode, standings: Standings) -> Array:
    """λ_red = R λ_kept: as the forces were where the mode began; of least norm for what is no contact."""
    rows, chosen = mode.terms.rows, mode.selection
    share = least_norm_share(mode.numbers, chosen)
    lam = np.full(len(rows), np.nan)
    for name, part in rows.slices.items():
        if name in standings.lam:
            forces = standings.lam[name]
            size = part.stop - part.start
            lam[part] = forces[:size] if len(forces) >= size else np.append(forces, np.zeros(size - len(forces)))
    kept, lost = lam[list(chosen.kept)], lam[list(chosen.redundant)]
    known = np.where(np.isfinite(kept), kept, 0.0)
    size = float(known @ known)
    if size > 0.0:
        by_force = np.isfinite(lost)
        share[by_force] = np.outer(lost[by_force], known / size)
    return share


def forces_in(stage: Stage, t: float, x: Array, rest: Array) -> dict[str, Array]:
    """λ of all that holds in a stage, by name."""
    if not isinstance(stage, Held):
        return {}
    lam = stage.forces(t, x, rest)
    return {name: lam[part] for name, part in stage.mode.terms.rows.slices.items()}

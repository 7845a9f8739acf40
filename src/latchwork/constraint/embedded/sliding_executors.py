"""What steppers and readers of a mode that slides call: `executors`, with friction (memory: `embedded_mode`)."""

from __future__ import annotations

from latchwork.constraint.embedded import executors
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.friction_recombination import shared_multipliers, slide
from latchwork.constraint.embedded.recombination import consistent_place, report
from latchwork.program.kernel import kernel, specialised
from latchwork.program.native import together


@kernel
def evaluate(mode: EmbeddedMode) -> None:
    """(q̇, u, u̇, power) at (t, q, u_ind, work) into ``result``; friction does work, whatever moves."""
    consistent_place(mode)
    slide(mode)
    report(mode, 1, mode.result)


@kernel
def evaluate_forces(mode: EmbeddedMode) -> None:
    """The same, and λ."""
    evaluate(mode)
    shared_multipliers(mode)


@kernel
def find_forces(mode: EmbeddedMode) -> None:
    """u, u̇ and λ at (t, q, u_ind, work)."""
    consistent_place(mode)
    slide(mode)
    shared_multipliers(mode)


embedded = specialised(executors.embedded, __name__, "embedded", near_singular=evaluate)
expand = specialised(executors.expand, __name__, "expand", near_singular=evaluate)
look = specialised(executors.look, __name__, "look", forces_near_singular=find_forces)
forces = specialised(executors.forces, __name__, "forces", forces_near_singular=evaluate_forces)

together(embedded, expand, look, forces)

"""ModeRecord: a mode as `flow` knows it, laid out by Python or in machine code."""

from __future__ import annotations

from latchwork.constraint.selection_kernel import SpeedChoice
from latchwork.integrate.reusable_integration import IntegrationBlock
from latchwork.program.kernel import executor, f64, f64p, i32p, i64, i64p
from latchwork.program.records.record import pointer, record

ASK, ZONE = -1, -2  # what guards say, besides what the scene knows: the user is asked; a zone is left


@record
class ModeRecord:
    """A mode that is laid out: its integration, its guards, and how its states become those of all speeds."""

    block: IntegrationBlock = pointer()
    hash: i64
    guards: i64
    embedded: i64  # 1 where constraints are embedded, so that there are fewer states
    least: f64  # how good its speeds must be where it is entered again
    says: i64p  # what each guard says of its contact point; ASK, or ZONE
    about: i64p  # the contact point, or the zone
    step: i64p  # of a zone: down or up
    key: i64p
    row: i64p  # of each contact point: where the forces along its tangents begin in (u, u̇, λ), 0 for none
    expand: executor
    forces: executor
    code: i32p
    z: f64p
    fresh: f64p
    size: i64
    out: f64p
    choice: SpeedChoice = pointer()  # where machine code laid it out, and constraints are embedded: its speeds

"""Slip at an event, as kernels: which contacts slip, along which directions, and what guards say of their cones."""

from __future__ import annotations

from latchwork.hybrid.contacts.scene import RESTS, SLIPS, Scene, clear_flag, has_flag
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt


@kernel
def length(count: i64, v: f64p) -> f64:
    """|v| of one or two numbers."""
    if count == 1:
        return fabs(v[0])
    return sqrt(v[0] * v[0] + v[1] * v[1]) if count == 2 else 0.0


@kernel
def read_slip(scene: Scene) -> None:
    """The directions in which contacts slip; none where they do not."""
    tol = scene.tolerances
    delassus = scene.delassus
    for k in range(delassus.contacts):
        event, tangents = scene.event[delassus.point[k]], delassus.tangents[k]
        slip = offset(delassus.v, delassus.first[k] + 1)
        size = divide(length(tangents, slip), delassus.slip_unit[delassus.first[k] + tangents])
        event.slips = 0 if has_flag(event, RESTS) == 1 or size <= tol.no_slip * scene.slip_scale else 1
        size = length(tangents, slip)
        for j in range(tangents):
            event.slip_direction[j] = divide(slip[j], size) if event.slips == 1 else 0.0


@kernel
def any_has(scene: Scene, flag: i64) -> i64:
    """1 where guards say so of some contact: that it has left its cone (`SLIPS`), that its force has come to zero
    (`LETS_GO`)."""
    for k in range(scene.watched):
        if has_flag(scene.event[scene.watch[k]], flag) == 1:
            return 1
    return 0


@kernel
def forget_slipping(scene: Scene) -> None:
    """No contact is to slip."""
    for k in range(scene.watched):
        clear_flag(scene.event[scene.watch[k]], SLIPS)

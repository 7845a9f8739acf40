"""Projected inverse dynamics of a mode as a kernel: the least inputs that move and press as asked.

    M u̇ = f + G r + Bᵀ λ,   B u̇ + c = 0        u̇ = u̇₀ + U r,   λ = λ₀ + V r                (`response`)
    motion   J u̇ = a                           J U r = a − J u̇₀                             (`motion_task`)
    force    λ = λ*                            V r = λ* − λ₀                                (`force_task`)
    least    ‖r‖_W = √(rᵀ W⁻¹ r)               [Aghili Eqs. 43, 44, 47-50, 52, 53-60]       (`least_inputs`)
    within   low ≤ r ≤ high,  λ in cones                                                   (`limits`, `force_cones`)

With a motor in every joint G = I, and the first is f∥ = P (M u̇* − f), the second f⊥: P = I − B⁺B is what the mode does
to a force, and it changes with the mode by itself. With passive joints, the least r is (I + H) f∥. An output that the
rows of the mode hold altogether drops out. Motion goes first, then force; within limits as well.
"""

from __future__ import annotations

from latchwork.constraint.embedded.circuit import ASIDE, POINTS, SHARES, aside
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.near_singular import evaluate_near
from latchwork.constraint.embedded.recombination import multipliers
from latchwork.constraint.embedded.rows_at import fill
from latchwork.control.force_task import force_rows, loses_force, remember
from latchwork.control.law_record import Law
from latchwork.control.least_inputs import solve_hierarchy
from latchwork.control.limits import keep_within
from latchwork.control.motion_task import (
    diagonal_metric,
    drop_held,
    gauss_metric,
    loses_motion,
    motion_rows,
)
from latchwork.control.response import evaluate_open, respond
from latchwork.hybrid.closed_loop import ClosedLoop
from latchwork.program.kernel import bits, f64p, i32p, i64p_at, kernel
from latchwork.program.native import together
from latchwork.program.records.view import record_at

NAN = float("nan")
NEAREST = 2  # of the places beside a singular position: one on each side


@kernel
def command(code: i32p, z: f64p, out: f64p) -> None:
    """Inputs, then rates of the memory, at (t, x) of a mode; nan where motion that could be had cannot be commanded.

    Near a singular position they are the limit along the branch of motion, from beside (`near_singular`).
    """
    mode = record_at(EmbeddedMode, z, code[0])
    loop = record_at(ClosedLoop, i64p_at(bits(mode.settings[0])), 0)
    law = record_at(Law, i64p_at(loop.law), 0)
    for i in range(law.p):
        mode.rest[law.place[i]] = 0.0
    for i in range(law.unknowns):
        law.kept[i] = mode.rest[law.unknown[i]]
        mode.rest[law.unknown[i]] = 0.0
    command_in(mode, law, out)
    for i in range(law.unknowns):
        mode.rest[law.unknown[i]] = law.kept[i]


@kernel
def command_in(mode: EmbeddedMode, law: Law, out: f64p) -> None:
    """The command where no input acts that is commanded, or unknown."""
    law.singular = 0
    if law.slides == 0 and evaluate_near(mode) == 1:
        law.singular = 1
        from_beside(mode, law, out)
        return
    if law.slides == 0:
        multipliers(mode)
    else:
        evaluate_open(mode, 1)
    command_here(mode, law, out)


@kernel
def from_beside(mode: EmbeddedMode, law: Law, out: f64p) -> None:
    """The limit of the command along the course, at the place saved.

    Without limits it is smooth, and follows from six places. Where it is at a limit it has corners; then it is the mean
    of the two nearest, which is within all limits, as bounds and cones are convex.
    """
    limited, lost_force, at_bound, at_edge = 0, 0, 0, 0
    for i in range(law.p + law.memory):
        out[i], law.nearest[i] = 0.0, 0.0
    for point in range(6):
        aside(mode, POINTS[point] * ASIDE)
        evaluate_open(mode, 0)
        command_here(mode, law, law.beside)
        limited = limited | law.at_bound | law.at_edge
        for i in range(law.p + law.memory):
            out[i] += SHARES[point] * law.beside[i]
        if point < NEAREST:
            for i in range(law.p + law.memory):
                law.nearest[i] += 0.5 * law.beside[i]
            lost_force, at_bound, at_edge = lost_force | law.lost_force, at_bound | law.at_bound, at_edge | law.at_edge
    law.lost_force, law.at_bound, law.at_edge = lost_force, at_bound, at_edge
    if limited == 1:
        for i in range(law.p + law.memory):
            out[i] = law.nearest[i]
    for i in range(mode.n_q):
        mode.x[i] = mode.saved[i]


@kernel
def command_here(mode: EmbeddedMode, law: Law, out: f64p) -> None:
    """The command where the mode has been evaluated with no inputs."""
    for j in range(law.n):
        law.udot[j] = mode.udot[j]
    for i in range(law.rows):
        law.lam[i] = mode.multiplier[i]
    law.lost_motion, law.lost_force, law.at_bound, law.at_edge, law.dependent, law.cuts = 0, 0, 0, 0, 0, 0
    fill(mode, law.z)
    law.program.run(law.program.code, law.z, law.out)
    effects(mode, law)
    diagonal_metric(mode, law)
    motion_rows(mode, law)
    force_rows(mode, law)
    if solve_hierarchy(law, 0, 0) < law.k:
        drop_held(mode, law)
        gauss_metric(mode, law)
        motion_rows(mode, law)
        solve_hierarchy(law, 0, 0)
    if law.bounded != 0 or law.cones > 0:
        keep_within(mode, law)
    if law.at_bound + law.at_edge == 0:
        law.lost_motion = loses_motion(mode, law)
    law.lost_force = loses_force(law)
    remember(mode, law, out)
    for c in range(law.p):
        out[c] = law.weight[c] * law.rho[c] if law.lost_motion + law.dependent == 0 else NAN


@kernel
def effects(mode: EmbeddedMode, law: Law) -> None:
    """U and V: what one of each input, in the metric, does to all speeds that are read, and to the multipliers."""
    n, p = law.n, law.p
    for i in range(n * p):
        law.G[i] = 0.0
    for e in range(law.entries_G):
        c = law.G_input[e]
        law.G[law.G_speed[e] * p + c] = law.out[e] * law.weight[c]
    forces = 1 if law.presses + law.cones > 0 else 0
    respond(mode, law.slides, forces, p, law.G, law.reads, law.block, law.effect, law.force)


together(command, loops=True)

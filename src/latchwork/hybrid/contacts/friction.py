"""Friction of a mode: how redundant contacts share their forces, and the forces of a mode."""

from __future__ import annotations

import numpy as np

from latchwork.constraint.embedded.mode import Mode
from latchwork.constraint.embedded.redundant_forces import kept_rows, room_of_share, share_by_least_norm
from latchwork.constraint.terms import Array
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.path import ModeDynamics
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, offset
from latchwork.program.native import briefly, together
from latchwork.program.records.memory import size_of
from latchwork.program.records.record import record
from latchwork.program.records.view import record_at
from latchwork.program.scalar import maximum

LIMITED = 2e-4  # friction of joints, whose force is limited, takes so much less of what comes: within STEEP
LIGHT = 1e-3  # of the most that presses: what is pressed by less shares as if by this
STEEP = 1e4  # a row that would carry so many times another does not stand for it


@record
class LoadPart:
    """Rows that take their part of a load together: those of a contact, or one of a constraint."""

    first: i64
    rows: i64
    known: i64  # 1 where their forces are known,
    pressed: i64  # where a normal one presses,
    bounded: i64  # and where they are limited


PART = size_of(LoadPart)


@kernel
def put_part(part: i64p, first: i64, rows: i64, known: i64, without_normal: i64, bounded: i64) -> None:
    """Some rows that belong together, as a `LoadPart`."""
    own = record_at(LoadPart, part, 0)
    own.first, own.rows, own.known, own.bounded = first, rows, known, bounded
    own.pressed = 1 if known != 0 and without_normal == 0 else 0


@kernel
def room_of_forces(rows: i64, n: i64, rank: i64) -> i64:
    """Numbers that `share_forces` needs as room."""
    return rows * n + rows + room_of_share(rows, n, rank)


@kernel
def weigh_rows(n: i64, part: LoadPart, most: f64, B: f64p, lam: f64p, KB: f64p) -> None:
    """K B of the rows of a part: see `share_forces`."""
    first, rows = part.first, part.rows
    scale, pressure, leans = (LIMITED if part.bounded != 0 else 1.0), 1.0, part.pressed != 0 and most > 0.0
    if leans:
        pressure = maximum(lam[first], LIGHT * most)
        scale = maximum(divide(lam[first], most), LIGHT)
    for i in range(rows):
        for j in range(n):
            KB[(first + i) * n + j] = 0.0
        for k in range(rows):
            weight = 1.0 if i == k and (i > 0 or not leans) else 0.0
            if leans:
                one = divide(lam[first + i], pressure) if i > 0 else 1.0
                weight += one * (divide(lam[first + k], pressure) if k > 0 else 1.0)
            for j in range(n):
                KB[(first + i) * n + j] += weight * scale * B[(first + k) * n + j]


@kernel
def share_forces(rows: i64, n: i64, rank: i64, B: f64p, kept: i64p, parts: i64, part: i64p, lam: f64p, share: f64p,
                 room: f64p) -> None:  # fmt: skip
    """λ_red = R λ_kept + c, as [R c]: as the forces λ were where the mode began; what comes later goes where more is
    carried.

    Each contact takes its part of the load with a friction that leans as it did, and of what leans more or less in
    proportion to what presses it: then all of them come to the edges of their cones together. That is the λ of least
    norm λᵀ K⁻¹ λ, K = λ_n (1, ρᵀ; ρ, 1 + ρρᵀ) for each contact, ρ = λ_t/λ_n.
    """
    KB, known, work = room, offset(room, rows * n), offset(room, rows * n + rows)
    most, steepest, wide = 0.0, 0.0, rank + 1
    for p in range(parts):
        own = record_at(LoadPart, part, PART * p)
        most = maximum(most, lam[own.first] if own.pressed != 0 else 0.0)
        for i in range(own.rows):
            known[own.first + i] = 1.0 if own.known != 0 else 0.0
    for p in range(parts):
        weigh_rows(n, record_at(LoadPart, part, PART * p), most, B, lam, KB)
    share_by_least_norm(rows, n, rank, KB, kept, share, work)
    for i in range((rows - rank) * wide):
        steepest = maximum(steepest, fabs(share[i]))
    if not steepest < STEEP:
        share_by_least_norm(rows, n, rank, B, kept, share, work)
    r = 0
    for i in range(rows):
        if kept[i] == 0:
            carried, k = 0.0, 0
            for j in range(rows):
                if kept[j] != 0:
                    if known[i] != 0.0 and known[j] == 0.0:  # what others carry is not known
                        share[r * wide + k] = 0.0
                    carried += share[r * wide + k] * (lam[j] if known[j] != 0.0 else 0.0)
                    k += 1
            share[r * wide + rank] = lam[i] - carried if known[i] != 0.0 else 0.0
            r += 1


together(share_forces)


def share_in(mode: Mode, contact_states: ContactStates) -> Array | None:
    """How redundant rows share the load (`share_forces`); none where there are none."""
    return _share(mode, contact_states) if mode.selection.redundant else None


def _share(mode: Mode, contact_states: ContactStates) -> Array:
    chosen, (rows, n) = mode.selection, mode.numbers.shape
    closed, slices = {point.name: point for point in contact_states.closed}, mode.terms.rows.slices
    lam, part = np.zeros(rows), np.zeros((len(slices), PART), dtype=np.int64)
    for own, (name, rows_of) in zip(part, slices.items(), strict=True):
        forces, point = contact_states.lam.get(name, ()), closed.get(name)
        held = min(rows_of.stop - rows_of.start, len(forces))
        lam[rows_of.start : rows_of.start + held] = forces[:held]
        put_part(own, rows_of.start, rows_of.stop - rows_of.start, int(len(forces) > 0),
                 int(point is None or point.without_normal), int(point is not None and point.is_bounded))  # fmt: skip
    share, room = np.zeros((len(chosen.redundant), chosen.rank + 1)), np.empty(room_of_forces(rows, n, chosen.rank))
    briefly(share_forces, rows, n, chosen.rank, np.ascontiguousarray(mode.numbers), kept_rows(chosen), len(part),
            part, lam, share, room)  # fmt: skip
    return share


def forces_in(dynamics: ModeDynamics, t: float, x: Array, rest: Array) -> dict[str, Array]:
    """λ of all that holds in a mode, by name."""
    if not isinstance(dynamics, Recombined):
        return {}
    lam = dynamics.forces(t, x, rest)
    return {name: lam[part] for name, part in dynamics.mode.terms.rows.slices.items()}

"""Laying out modes: the record `EmbeddedMode` in a block of words ``z``, and a few integers ``code``.

The integers say where the record begins in z; behind them is the bytecode of the guards. Kernels are called with both,
as programs are: ``run(code, z, out)``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.friction_rows import FrictionRows
from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array, Terms
from latchwork.program.function import Function
from latchwork.program.kernel import f64p, i32p, i64, kernel, offset
from latchwork.program.native import address, native, together
from latchwork.program.records.memory import block_of, lay_out
from latchwork.program.records.view import record_at

GUARDS = 1  # where the bytecode of guards begins in code
OFTEN = 3  # programs that every evaluation runs: place, bias, motion
NO_SETTINGS: Array = np.zeros(0)


class Block(NamedTuple):
    """Integers and numbers of a mode, and where its record begins."""

    code: NDArray[np.int32]
    z: Array
    start: int


class Frame(NamedTuple):
    """What modes of the same rows and rank have in common: their memory before speeds are chosen, where its record
    begins, and about how many operations an evaluation takes."""

    z: Array
    start: int
    length: int


def frame(
    terms: Terms,
    m: int,
    k: int,
    held: int,
    friction_rows: FrictionRows | None = None,
    lost: tuple[int, ...] = (),
    share: Array | None = None,
    settings: Array = NO_SETTINGS,
    scratch: int = 0,
) -> Frame:
    """Lay out modes of m dependent and k independent speeds; so many numbers are ``held``.

    With what drags, and the share of the redundant rows ``lost``; ``settings`` and ``scratch`` are for a solver.
    """
    n_q, n, rows = terms.sizes
    place, bias, motion, spread = terms.functions
    fours, start = _quaternions(terms), 2 + n_q + k + held
    z = block_of(lay_out(
        EmbeddedMode, n_q=n_q, n=n, rows=rows, m=m, k=k, n_held=held, moving=int(terms.is_moving),
        turning=len(fours) // 4, quaternion=fours, still=terms.still, n_motion=motion.width, n_scratch=scratch,
        n_settings=len(settings), settings=settings, place_slots=place.slots + 1, bias_slots=bias.slots + 1,
        motion_slots=motion.slots + 1, spread_slots=spread.slots + 1, unit_t=terms.base.scales.time,
        unit_q=terms.base.units.q, unit_u=terms.base.units.u, **_sliding(n, friction_rows, lost, share),
    ))  # fmt: skip
    given = [item for f in terms.functions for item in (*f.where, f.first - len(f.inputs))]
    native(put_programs).brief(address(z) + 8 * start, len(place.inputs), *given)
    length = sum([f.length for f in terms.functions[:OFTEN]]) + 2 * _dense(n, m, k)
    if friction_rows is not None:
        length += friction_rows.function.length + 2 * (n**3 // 3 - n * k * k - k**3 // 6)
    return Frame(z, start, length)


def frame_of(terms: Terms, m: int, k: int, held: int, friction_rows: FrictionRows | None) -> Frame:
    """The frame of modes of m dependent and k independent speeds, with what drags; the terms keep it."""
    found: Frame | None = terms.frames.get((m, k, held, friction_rows))
    if found is None:
        found = terms.frames[m, k, held, friction_rows] = frame(terms, m, k, held, friction_rows)
    return found


def _dense(n: int, m: int, k: int) -> int:
    """Multiplications of a recombination."""
    return m**3 // 3 + m * m * (k + 2) + n * n * k + n * k * k + k**3 // 6


def _sliding(n: int, friction_rows: FrictionRows | None, lost: tuple[int, ...], share: Array | None) -> dict[str, Any]:
    """Fields of a mode that slides, or whose redundant rows share the load."""
    slides = friction_rows is not None or share is not None
    shares = np.zeros(0) if share is None else np.ravel(share)
    found = {"sliding": n * slides, "shared": len(lost), "lost": lost, "share": shares}
    if friction_rows is None:
        return found | {"dragging": 0, "holding": 0, "drag_slots": 0}
    slots = friction_rows.function.workspace()
    return found | {
        "dragging": len(friction_rows.rows),
        "dragged": friction_rows.rows,
        "holding": friction_rows.held,
        "drag_slots": len(slots),
        "drag_z": slots,
        "drag_code": friction_rows.function.where[0],
    }


@kernel
def put_programs(
    mode: EmbeddedMode, inputs: i64, place_code: i32p, place: f64p, n_place: i64, bias_code: i32p, bias: f64p,
    n_bias: i64, motion_code: i32p, motion: f64p, n_motion: i64, spread_code: i32p, spread: f64p, n_spread: i64,
) -> None:  # fmt: skip
    """Bytecode of the programs, and their constants into their slots, behind the inputs."""
    mode.place_code, mode.bias_code = place_code, bias_code
    mode.motion_code, mode.spread_code = motion_code, spread_code
    put(n_place, place, offset(mode.place_z, inputs))
    put(n_bias, bias, offset(mode.bias_z, inputs))
    put(n_motion, motion, offset(mode.motion_z, inputs))
    put(n_spread, spread, offset(mode.spread_z, inputs))


@kernel
def put(n: i64, constants: f64p, slots: f64p) -> None:
    """n numbers."""
    for i in range(n):
        slots[i] = constants[i]


@kernel
def choose(
    z: f64p, start: i64, size: i64, frame_z: f64p, slots: i64, chosen: i32p, weights: f64p, typical: f64p, course: f64p,
    lengths: f64p,
) -> None:  # fmt: skip
    """The memory of a mode, in that of its frame; so many slots for guards behind it are 0."""
    for i in range(size):
        z[i] = frame_z[i]
    for i in range(slots):
        z[size + i] = 0.0
    mode = record_at(EmbeddedMode, z, start)
    m = mode.m
    for i in range(m):
        mode.kept[i], mode.dep[i] = chosen[i], chosen[m + i]
    for a in range(mode.k):
        mode.ind[a] = chosen[2 * m + a]
    for i in range(mode.n):
        mode.weight[i], mode.course[i] = weights[i], course[i]
    for i in range(mode.rows):
        mode.typical[i], mode.length[i] = typical[i], lengths[i]


together(put_programs, choose)


def block(frame: Frame, selection: Selection, weights: Array, typical: Array, course: Array, lengths: Array,
          guards: Function | None = None) -> Block:  # fmt: skip
    """The memory of a mode: ``weights`` are those of the speeds, ``typical`` the largest entries of rows, ``lengths``
    what they are in the kinetic metric, ``course`` all speeds where it begins; ``guards``, a function of
    (t, q, u, held, u̇, λ) that watches it, lie behind all else."""
    size = len(frame.z)
    words, slots = (0, 0) if guards is None else (guards.words, guards.slots + 1)
    code, z = np.empty(GUARDS + words, dtype=np.int32), np.empty(size + slots)
    code[0] = frame.start
    native(choose).brief(
        address(z), frame.start, size, address(frame.z), slots, address(selection.packed), address(weights),
        address(typical), address(course), address(lengths),
    )  # fmt: skip
    if guards is not None:
        guards.put(address(code) + 4 * GUARDS, address(z) + 8 * (size + len(guards.inputs)))
    return Block(code, z, frame.start)


def _quaternions(terms: Terms) -> list[int]:
    """Where quaternions stand in q, four numbers for each."""
    if not terms.rows.equations.system.quaternions:
        return []
    place = {symbol: i for i, symbol in enumerate(terms.rows.equations.q)}
    return [place[e] for four in terms.rows.equations.system.quaternions for e in four]

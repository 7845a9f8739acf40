"""Where things are: the memory of an embedded mode, so that one kernel serves every mode.

A mode is two blocks of data. ``code`` holds integers: this header, the rows kept, dependent and independent speeds, the
quaternions, and the bytecode of the programs. ``z`` holds numbers: the inputs (t, q, u_ind, work, rest), the notes
below, and workspace. The header says where each of them begins.
"""

from __future__ import annotations

import struct
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array, Terms
from latchwork.program.function import Function
from latchwork.program.kernel import f64p, i32p, i64, kernel
from latchwork.program.native import address, native

# Header: sizes, then places of integers in code, then places of numbers in z.
NQ, N, ROWS, M, K, INPUTS, MOVING, TURNING = range(8)
PLACE_CODE, BIAS_CODE, MOTION_CODE, SPREAD_CODE, GUARD_CODE, KEPT, DEP, IND, STILL, QUATERNION = range(8, 18)
(NOTES, WEIGHT, PLACE_Z, BIAS_Z, MOTION_Z, SPREAD_Z, GUARD_Z, PLACE, BIAS, MOTION, SPREAD, B1, ORDER, D, U, UDOT, GAMMA,
 MASS, MT, TEMP, STEP, LAMBDA, RESULT, TOTAL, SAVED, TYPICAL, COURSE, LENGTH, ROW_UNIT, SPEED_UNIT, LAST, NOW, HIGH,
 FOUR, BESIDE, SETTINGS, WORK) = range(18, 55)  # fmt: skip
HEADER = 55

# Notes: executors by address, then what is known of the last evaluation, and of the run.
(PLACE_RUN, BIAS_RUN, MOTION_RUN, SPREAD_RUN, GUARD_RUN, LARGEST_D, PIVOT, USUAL_PIVOT, LEAST_PIVOT, CORRECTIONS,
 LONGEST_STEP, RESIDUAL, LIMIT_D, LIMIT_PIVOT, FLOOR, SOLVE_RUN, DRAG_RUN, GAP, SIDE,
 UNRESOLVED) = range(20)  # fmt: skip
N_NOTES = 20
PACKED = struct.Struct("=5q10d2q3d")  # of all notes
UNKNOWN = -1.0  # of a gap: it has not been looked at
OFTEN = 3  # programs that every evaluation runs: place, bias, motion

NO_SETTINGS: Array = np.zeros(0)
NO_CODE: NDArray[np.int32] = np.zeros(0, dtype=np.int32)


class Block(NamedTuple):
    """Integers and numbers of a mode, and where its notes begin."""

    code: NDArray[np.int32]
    z: Array
    notes: int


class Frame(NamedTuple):
    """What modes of the same rows and rank have in common: their memory before speeds are chosen.

    Integers and numbers; where rows kept and speeds are named; where the notes, the weights of speeds and the typical
    entries of rows (behind them the course and the lengths) are; about how many operations an evaluation takes.
    """

    code: NDArray[np.int32]
    z: Array
    chosen: int
    notes: int
    weights: int
    typical: int
    length: int


def frame(terms: Terms, m: int, k: int, rest: int, settings: Array = NO_SETTINGS, work: int = 0) -> Frame:
    """Lay out modes of m dependent and k independent speeds; ``rest`` numbers are held.

    ``settings`` and so much ``work`` are for a solver.
    """
    n_q, n, rows = terms.sizes
    functions, fours = terms.functions, _quaternions(terms)
    slots = [f.workspace() for f in functions]
    inputs = 2 + n_q + k + rest
    sizes = [
        N_NOTES, n, *map(len, slots), 0, *(f.width for f in functions), m * m, m,
        m * k, n, n, n, n * n, n * k, n + m, n, rows, n_q + 2 * n + 3, n_q + 2 * n + 1, n_q, rows, n,
        rows, m, m, n_q, n_q, n_q, n_q, 6 * (rows + 1), len(settings), work,
    ]  # fmt: skip
    head = [n_q, n, rows, m, k, inputs, int(terms.is_moving), len(fours) // 4]
    places = list(accumulate([*(len(f.code) for f in functions), 0, m, m, k, rows], initial=HEADER))
    numbers = list(accumulate(sizes, initial=inputs))
    at = dict(zip(range(NOTES, HEADER), numbers, strict=False))
    ints = np.array([*[0] * (2 * m + k), *terms.still, *fours], dtype=np.int32)
    header = np.array([*head, *places, *numbers[:-1]], dtype=np.int32)
    z = np.zeros(numbers[-1])
    z[at[PLACE_Z] : at[GUARD_Z]] = np.concatenate(slots)
    z[at[SETTINGS] : at[WORK]] = settings
    code = np.concatenate([header, *(f.code for f in functions), ints])
    dense = m**3 // 3 + m * m * (k + 2) + n * n * k + n * k * k + k**3 // 6
    length = sum([f.length for f in functions[:OFTEN]]) + 2 * dense
    return Frame(code, z, places[5], at[NOTES], at[WEIGHT], at[TYPICAL], length)


@kernel
def lay_out(
    code: i32p, z: f64p, slots: i64, length: i64, frame_code: i32p, size: i64, frame_z: f64p, chosen: i64,
    choices: i64, packed: i32p, weighed: i64, n: i64, weights: f64p, long: i64, rows: i64, typical: f64p, course: f64p,
    lengths: f64p,
) -> None:  # fmt: skip
    """The memory of a mode, in that of its frame; so many slots for guards behind it are 0."""
    for i in range(length):
        code[i] = frame_code[i]
    for i in range(size):
        z[i] = frame_z[i]
    for i in range(slots):
        z[size + i] = 0.0
    if slots > 0:
        code[GUARD_CODE], code[GUARD_Z] = length, size
    for i in range(choices):
        code[chosen + i] = packed[i]
    for i in range(n):
        z[weighed + i], z[long + rows + i] = weights[i], course[i]
    for i in range(rows):
        z[long + i], z[long + rows + n + i] = typical[i], lengths[i]


def block(frame: Frame, selection: Selection, weights: Array, typical: Array, course: Array, lengths: Array,
          guards: Function | None = None) -> Block:  # fmt: skip
    """The memory of a mode: ``weights`` are those of the speeds, ``typical`` the largest entries of rows, ``lengths``
    what they are in the kinetic metric, ``course`` all speeds where it begins; ``guards``, a function of
    (t, q, u, rest, u̇, λ) that watches it, lie behind all else."""
    length, size, packed = len(frame.code), len(frame.z), selection.packed
    words, slots = (0, 0) if guards is None else (guards.words, guards.slots + 1)
    code, z = np.empty(length + words, dtype=np.int32), np.empty(size + slots)
    at, numbers = address(code), address(z)
    native(lay_out).brief(
        at, numbers, slots, length, address(frame.code), size, address(frame.z), frame.chosen, len(packed),
        address(packed), frame.weights, len(weights), address(weights), frame.typical, len(typical), address(typical),
        address(course), address(lengths),
    )  # fmt: skip
    if guards is not None:
        guards.put(at + 4 * length, numbers + 8 * (size + len(guards.inputs)))
    return Block(code, z, frame.notes)


def _quaternions(terms: Terms) -> list[int]:
    """Where quaternions stand in q, four numbers for each."""
    if not terms.rows.equations.system.quaternions:
        return []
    place = {symbol: i for i, symbol in enumerate(terms.rows.equations.q)}
    return [place[e] for four in terms.rows.equations.system.quaternions for e in four]

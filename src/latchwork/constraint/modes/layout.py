"""Where things are: the memory of an embedded mode, so that one kernel serves every mode.

A mode is two blocks of data. ``code`` holds integers: this header, the rows kept, dependent and independent speeds, the
quaternions, and the bytecode of the programs. ``z`` holds numbers: the inputs (t, q, u_ind, work, rest), the notes
below, and workspace. The header says where each of them begins.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array, Terms
from latchwork.program.function import Function

# Header: sizes, then places of integers in code, then places of numbers in z.
NQ, N, ROWS, M, K, INPUTS, MOVING, TURNING = range(8)
PLACE_CODE, BIAS_CODE, MOTION_CODE, SPREAD_CODE, GUARD_CODE, KEPT, DEP, IND, STILL, QUATERNION = range(8, 18)
(NOTES, WEIGHT, PLACE_Z, BIAS_Z, MOTION_Z, SPREAD_Z, GUARD_Z, PLACE, BIAS, MOTION, SPREAD, B1, ORDER, D, U, UDOT, GAMMA,
 MASS, MT, TEMP, STEP, LAMBDA, RESULT, TOTAL, SAVED, TYPICAL, COURSE, SETTINGS, WORK) = range(18, 47)  # fmt: skip
HEADER = 47

# Notes: executors by address, then what is known of the last evaluation, and of the run.
(PLACE_RUN, BIAS_RUN, MOTION_RUN, SPREAD_RUN, GUARD_RUN, LARGEST_D, PIVOT, USUAL_PIVOT, LEAST_PIVOT, CORRECTIONS,
 LONGEST_STEP, RESIDUAL, LIMIT_D, LIMIT_PIVOT, FLOOR, SOLVE_RUN, DRAG_RUN) = range(17)  # fmt: skip
N_NOTES = 17


NO_SETTINGS: Array = np.zeros(0)
NO_CODE: NDArray[np.int32] = np.zeros(0, dtype=np.int32)


class Block(NamedTuple):
    """Integers and numbers of a mode."""

    code: NDArray[np.int32]
    z: Array


def block(terms: Terms, selection: Selection, rest: int, weights: Array, typical: Array, moving: bool,
          course: Array, guards: Function | None = None, settings: Array = NO_SETTINGS,
          work: int = 0) -> Block:  # fmt: skip
    """Lay out a mode: rows that are moving do work; ``rest`` numbers are held; ``weights`` are those of the speeds.

    ``typical`` are the lengths of rows; ``course`` are all speeds where the mode begins; ``guards`` is a function of
    (t, q, u, rest, u̇, λ) that watches it; ``settings`` and so much ``work`` are for a solver.
    """
    n_q, n, rows = terms.sizes
    kept, dependent, independent, _ = selection.parts
    m, k, together, fours = len(dependent), len(independent), terms.together, _quaternions(terms)
    length, slots = (0, 0) if guards is None else (len(guards.code), guards.slots + 1)
    inputs = 2 + n_q + k + rest
    sizes = [
        N_NOTES, n, *together.slots, slots, *together.widths, m * m, m,
        m * k, n, n, n, n * n, n * k, n + m, n, rows, n_q + 2 * n + 3, n_q + 2 * n + 1, n_q, rows, n,
        len(settings), work,
    ]  # fmt: skip
    head = [n_q, n, rows, m, k, inputs, int(moving), len(fours) // 4]
    places = accumulate([*together.codes, length, len(kept), m, k, rows], initial=HEADER)
    numbers = list(accumulate(sizes, initial=inputs))
    header = np.array([*head, *places, *numbers[:-1]], dtype=np.int32)
    ints = np.array([*kept, *dependent, *independent, *terms.still, *fours], dtype=np.int32)
    code = np.concatenate([header, together.code, NO_CODE if guards is None else guards.code, ints])
    z, at = np.zeros(numbers[-1]), numbers[1] + n
    z[numbers[1] : at] = weights
    z[at : at + len(together.z)] = together.z
    if guards is not None:
        at += len(together.z) + len(guards.inputs)
        z[at : at + len(guards.constants)] = guards.constants
    z[numbers[-5] : numbers[-4]] = typical
    z[numbers[-4] : numbers[-3]] = course
    z[numbers[-3] : numbers[-2]] = settings
    return Block(code, z)


def _quaternions(terms: Terms) -> list[int]:
    """Where quaternions stand in q, four numbers for each."""
    if not terms.rows.equations.system.quaternions:
        return []
    place = {symbol: i for i, symbol in enumerate(terms.rows.equations.q)}
    return [place[e] for four in terms.rows.equations.system.quaternions for e in four]

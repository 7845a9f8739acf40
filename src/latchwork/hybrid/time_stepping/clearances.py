"""Clearances of shapes that may collide and are no contacts yet, as a record and a kernel: how much of each is spent.

A shape may move by its clearance before any pair that the broad phase left out can touch. Each step spends what the
faster end of its enclosure moves; where one is used up, the broad phase looks again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from latchwork.hybrid.contacts.rooms import FASTER, FULL
from latchwork.hybrid.time_stepping.near_parts import ENDS
from latchwork.program.evaluator import Evaluator, Evaluators, evaluate
from latchwork.program.function import Function
from latchwork.program.kernel import f64, f64p, i64, kernel, offset, sqrt
from latchwork.program.records.memory import lay_out
from latchwork.program.records.record import array, record
from latchwork.program.scalar import maximum


@record
class Clearances:
    """The enclosures of shapes, and what each may move and has moved since the broad phase looked."""

    shapes: i64  # 0 where all pairs are contacts
    n_out: i64
    ends: Evaluator  # p, q, v_p, v_q of every enclosure
    clearance: f64p = array("shapes")
    spent: f64p = array("shapes")
    out: f64p = array("n_out")


@kernel
def are_used_up(clearances: Clearances, x: f64p, h: f64) -> i64:
    """1 where the clearance of a shape may be used up by a step from x."""
    used = 0
    if clearances.shapes == 0:
        return 0
    evaluate(clearances.ends, x, clearances.out)
    for i in range(clearances.shapes):
        fastest = 0.0
        for end in range(2):
            v, total = offset(clearances.out, ENDS * i + 6 + 3 * end), 0.0
            for k in range(3):
                total += v[k] * v[k]
            fastest = maximum(fastest, total)
        clearances.spent[i] += FASTER * h * sqrt(fastest)
        used = 1 if clearances.spent[i] > FULL * clearances.clearance[i] else used
    return used


class ClearanceMemory:
    """The record, and what keeps its program alive."""

    def __init__(self, ends: Function | None, clearance: NDArray[np.float64]) -> None:
        self._programs = Evaluators()
        self.record = lay_out(Clearances, shapes=len(clearance), n_out=0 if ends is None else ends.width,
                              clearance=clearance)  # fmt: skip
        if ends is not None:
            self._programs.put(self.record.ends, ends)

    def ready(self) -> None:
        """Take machine code that has arrived."""
        self._programs.ready()

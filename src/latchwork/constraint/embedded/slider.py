"""Sliders: contacts that slide with friction in a mode.

    M u̇ = f + Σ_i G_iᵀ λ_i + Σ_h g_h (N0_h + N1_h · u̇),   G_i = B_i + E_i,   E_i, g_h = −μ d·B_t

B_t are the tangent rows that the programs of the contact give beside its normal row, d is the direction of its slip
v = B_t u + C_t: a sign in the plane, ±v/|v| in space. E_i goes with the multiplier of the normal row i; the terms in h
are contacts that the coordinates themselves enforce, whose normal force is N0 + N1·u̇. Directions are numbers of a mode:
one that slides another way is the same mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.program.evaluator import Evaluator, evaluator_at
from latchwork.program.function import Function
from latchwork.program.kernel import divide, f64p, i64, kernel, sqrt
from latchwork.program.records.memory import blank, block_of, write
from latchwork.program.records.record import array, pointer, record
from latchwork.program.records.view import record_at

ENFORCED = -1  # in the place of a row: the coordinates enforce the contact
SLIP_NUMBERS = 4  # of a direction at most: in space two, a trace of a speed, and how fast slip that begins may get
LAW = 3  # e, μ_s, μ_d
NO_WORDS, NO_SLOTS = np.zeros(0, dtype=np.int64), np.zeros(0)


class Slider(NamedTuple):
    """A contact that slides: the source of its rows, its normal row in the mode or `ENFORCED`, the first of its
    tangents among the rows of the source and how many there are; μ, or a program of (t, q, u, rest) that gives e, μ_s
    and μ_d; the direction where the mode began; N1, N0 where the coordinates enforce it; the name of the contact."""

    source: int
    row: int
    first: int
    tangents: int
    mu: float | Function
    slip: tuple[float, ...]
    force: Function | None = None
    name: str = ""

    @property
    def form(self) -> Slider:
        """All but its direction."""
        return self._replace(slip=())

    @property
    def functions(self) -> tuple[Function, ...]:
        """Its programs."""
        return tuple([each for each in (self.mu, self.force) if isinstance(each, Function)])


@record
class SliderRecord:
    """A slider in the memory of a mode."""

    source: i64
    row: i64
    first: i64
    tangents: i64
    moving: i64  # 1 where μ is found by a program
    law: Evaluator = pointer()
    force: Evaluator = pointer()
    law_at: i64  # in the slots of all sliders
    force_at: i64
    coefficients: f64p = array(LAW)  # e, μ_s, μ_d
    slip: f64p = array(SLIP_NUMBERS)


@kernel
def slip_direction(tangents: i64, slip: f64p, v: f64p, d: f64p) -> None:
    """The direction d of slip v in measures of the tangents: a sign in the plane, ±v/|v| in space.

    In space the sign is that of v · d, d the direction where the mode began, so that nothing flips where slip ends; a
    trace of d is added to v, for slip that begins has no direction of its own yet; it fades as v grows.
    """
    if tangents == 1:
        d[0] = slip[0]
        return
    trace = slip[2]
    fading = divide(trace, 1.0 + divide(v[0] * v[0] + v[1] * v[1], trace * trace))
    a, b = v[0] + fading * slip[0], v[1] + fading * slip[1]
    length = sqrt(a * a + b * b)
    sign = divide(-1.0 if a * slip[0] + b * slip[1] < 0.0 else 1.0, length)
    d[0] = a * sign
    d[1] = b * sign


class SliderLayout(NamedTuple):
    """Records of sliders, their directions apart, and their slots when fresh."""

    words: NDArray[np.int64]
    z: NDArray[np.float64]


def slider_layout(sliders: Sequence[Slider]) -> SliderLayout:
    """Sliders one after the other."""
    words, slots, at = [NO_WORDS], [NO_SLOTS], 0
    for slider in sliders:
        places, records = [0, 0], [0, 0]
        for i, function in enumerate((slider.mu, slider.force)):
            if isinstance(function, Function):
                places[i], records[i] = at, evaluator_at(function)
                slots.append(function.workspace())
                at += function.slots + 1
        mu_d = 0.0 if isinstance(slider.mu, Function) else slider.mu
        own = record_at(SliderRecord, blank(SliderRecord).words(), 0)
        write(own, source=slider.source, row=slider.row, first=slider.first, tangents=slider.tangents,
              moving=int(isinstance(slider.mu, Function)), law=records[0], force=records[1], law_at=places[0],
              force_at=places[1], coefficients=(0.0, 0.0, mu_d), slip=(0.0,) * SLIP_NUMBERS)  # fmt: skip
        words.append(block_of(own).view(np.int64))
    return SliderLayout(np.concatenate(words), np.concatenate(slots))


def directions(sliders: Sequence[Slider]) -> NDArray[np.float64]:
    """The directions of all sliders, `SLIP_NUMBERS` numbers each."""
    found = np.zeros(SLIP_NUMBERS * len(sliders))
    for i, slider in enumerate(sliders):
        found[SLIP_NUMBERS * i : SLIP_NUMBERS * i + len(slider.slip)] = slider.slip
    return found

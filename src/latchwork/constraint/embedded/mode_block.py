"""Laying out modes: the record `EmbeddedMode` in a block of words ``z``, and an integer ``code``.

The integer says where the record begins in z. Kernels are called with both, as programs are: ``run(code, z, out)``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.slider import SLIP_NUMBERS, Slider, directions, slider_layout
from latchwork.constraint.row_sources import source_layout
from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array, Terms
from latchwork.program.function import Function
from latchwork.program.kernel import Kernel, f64p, i32p, i64, kernel
from latchwork.program.native import address, native, together
from latchwork.program.records.memory import blank
from latchwork.program.records.view import record_at

NO_SETTINGS: Array = np.zeros(0)


class Block(NamedTuple):
    """Integers and numbers of a mode, and where its record begins."""

    code: NDArray[np.int32]
    z: Array
    start: int


class Watch(NamedTuple):
    """Guards of a mode: a kernel that gives them and their rates, its record, and the programs that this names."""

    kernel: Kernel[..., None]
    block: Array
    width: int
    functions: tuple[Function, ...]


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
    n_rest: int,
    sliders: tuple[Slider, ...] = (),
    lost: tuple[int, ...] = (),
    share: Array | None = None,
    settings: Array = NO_SETTINGS,
    scratch: int = 0,
) -> Frame:
    """Lay out modes of m dependent and k independent speeds; so many inputs stand behind the states.

    With what slides, and the share of the redundant rows ``lost``; ``settings`` and ``scratch`` are for a solver.
    """
    n_q, n, rows = terms.sizes
    motion, spread, shares = terms.base.motion, terms.base.spread, NO_SETTINGS if share is None else np.ravel(share)
    sources, slides = source_layout(terms.sources, n), slider_layout(sliders)
    fours = quaternions(terms)
    empty = blank(
        EmbeddedMode, n_q=n_q, n=n, rows=rows, m=m, k=k, n_rest=n_rest, turning=len(fours) // 4, n_motion=motion.width,
        n_scratch=scratch, n_settings=len(settings), sources=len(terms.sources), source_slots=len(sources.z),
        n_found=sources.n_found, motion_slots=motion.slots + 1, spread_slots=spread.slots + 1, shared=len(lost),
        sliding=n * (bool(sliders) or share is not None), sliders=len(sliders), slider_slots=len(slides.z),
    )  # fmt: skip
    words = empty.words()
    z, at = words.view(np.float64), empty.at
    for name, integers in (("moving", int(terms.is_moving)), ("motion_code", motion.where[0]), ("quaternion", fours),
                           ("spread_code", spread.where[0]), ("still", terms.flags), ("source", sources.words),
                           ("slider", slides.words), ("lost", lost)):  # fmt: skip
        words[at[name]] = integers
    for name, numbers in (("motion_z", motion.workspace()), ("spread_z", spread.workspace()), ("settings", settings),
                          ("source_z", sources.z), ("slider_z", slides.z), ("share", shares),
                          ("unit_t", terms.base.scales.time), ("unit_q", terms.base.units.q),
                          ("unit_u", terms.base.units.u)):  # fmt: skip
        z[at[name]] = numbers
    length = sum([f.length for f in terms.often]) + embedding_operations(n, m, k)
    if sliders:
        own = sum([f.length for slider in sliders for f in slider.functions])
        length += own + friction_operations(n, k)
    return Frame(z, empty.start, length)


def frame_of(terms: Terms, m: int, k: int, n_rest: int, sliders: tuple[Slider, ...]) -> Frame:
    """The frame of modes of m dependent and k independent speeds, with what slides, whichever way; the terms keep
    it."""
    key = m, k, n_rest, *[slider.form for slider in sliders]
    found: Frame | None = terms.frames.get(key)
    if found is None:
        found = terms.frames[key] = frame(terms, m, k, n_rest, sliders)
    return found


@kernel
def embedding_operations(n: i64, m: i64, k: i64) -> i64:
    """Operations of a recombination: m rows eliminated, M̃ = Tᵀ M T, and its factors."""
    return 2 * (m * m * m // 3 + m * m * (k + 2) + n * n * k + n * k * k + k * k * k // 6)


@kernel
def friction_operations(n: i64, k: i64) -> i64:
    """How many more there are where friction makes M̃ unsymmetric: all speeds are eliminated."""
    return 2 * (n * n * n // 3 - n * k * k - k * k * k // 6)


@kernel
def choose(
    z: f64p, start: i64, size: i64, frame_z: f64p, words: i64, guards: f64p, chosen: i32p, weights: f64p, typical: f64p,
    course: f64p, lengths: f64p, slips: f64p,
) -> None:  # fmt: skip
    """The memory of a mode, in that of its frame, with the record of its guards behind it."""
    for i in range(size):
        z[i] = frame_z[i]
    for i in range(words):
        z[size + i] = guards[i]
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
    for s in range(mode.sliders):
        for i in range(SLIP_NUMBERS):
            mode.slider[s].slip[i] = slips[SLIP_NUMBERS * s + i]


together(choose)


def block(frame: Frame, selection: Selection, weights: Array, typical: Array, course: Array, lengths: Array,
          sliders: tuple[Slider, ...] = (), guards: Watch | None = None) -> Block:  # fmt: skip
    """The memory of a mode: ``weights`` are those of the speeds, ``typical`` the largest entries of rows, ``lengths``
    what they are in the kinetic metric, ``course`` all speeds where it begins; ``sliders`` have directions; ``guards``,
    which watch it, lie behind all else."""
    size, own = len(frame.z), NO_SETTINGS if guards is None else guards.block
    code, z, slips = np.array([frame.start], dtype=np.int32), np.empty(size + len(own)), directions(sliders)
    native(choose).brief(
        address(z), frame.start, size, address(frame.z), len(own), address(own), address(selection.packed),
        address(weights), address(typical), address(course), address(lengths), address(slips),
    )  # fmt: skip
    return Block(code, z, frame.start)


def quaternions(terms: Terms) -> list[int]:
    """Where quaternions stand in q, four numbers for each."""
    if not terms.rows.equations.system.quaternions:
        return []
    place = {symbol: i for i, symbol in enumerate(terms.rows.equations.q)}
    return [place[e] for four in terms.rows.equations.system.quaternions for e in four]

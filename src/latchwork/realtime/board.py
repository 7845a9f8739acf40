"""The board: the state of a running mechanism in shared memory, under a sequence lock.

One writes, many read. The writer makes the number in front odd, writes, and makes it even again; a reader that saw an
odd number, or another one afterwards, reads again. A checksum goes with it, so that no order of memory is relied on.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Triple = tuple[float, float, float]
NOWHERE: Triple = (0.0, 0.0, 0.0)
MOST_FORCES = 240  # numbers of all that holds
HEAD = struct.Struct("<QQ")  # sequence number, checksum
TRIES = 1000


class Hand(NamedTuple):
    """What the hand does: the body it holds (-1: none), where the device and the handle are, and what it exerts."""

    body: int = -1
    place: Triple = NOWHERE
    handle: Triple = NOWHERE
    force: Triple = NOWHERE
    torque: Triple = NOWHERE
    stiffness: float = 0.0
    damping: float = 0.0


class Beat(NamedTuple):
    """How the loop keeps time, by the clock. Times in µs; those of busy ticks and the jitter are of the last second.

    ``late`` ticks began more than half a step after their time, ``missed`` ones were given up, ``overruns`` took longer
    than a step. ``ahead`` is by how much the last event that was predicted came later than predicted.
    """

    ticks: int = 0
    late: int = 0
    missed: int = 0
    overruns: int = 0
    median: float = 0.0
    p99: float = 0.0
    most: float = 0.0
    jitter: float = 0.0
    switches: int = 0
    switch: float = 0.0
    dropped: int = 0
    rss: int = 0
    ahead: float = math.nan


class State(NamedTuple):
    """A mechanism at a tick: q and u of its own model, what holds by number and its forces, the hand, and the beat."""

    tick: int
    t: float
    x: Array
    mode: int
    lam: Array
    hand: Hand
    energy: float
    generated: float
    paused: bool
    speed: float
    recording: bool
    beat: Beat


def _flat(values: Any) -> Iterator[float]:
    for value in values:
        if isinstance(value, tuple):
            yield from _flat(value)
        else:
            yield float(value)


HAND, BEAT = len(list(_flat(Hand()))), len(Beat())
INTEGERS = {"ticks", "late", "missed", "overruns", "switches", "dropped", "rss"}
FIXED = 8 + HAND + BEAT + 1  # tick ... recording, hand, beat, how many forces


def numbers_of(state: State) -> Array:
    """A state as a row of numbers: what has a fixed place, x, then the forces."""
    lam = state.lam[:MOST_FORCES]
    row = [state.tick, state.t, state.mode, state.energy, state.generated, state.paused, state.speed, state.recording]
    fixed = [*_flat(chain(row, state.hand, state.beat)), float(len(lam))]
    return np.concatenate([fixed, state.x, lam, np.zeros(MOST_FORCES - len(lam))])


def state_of(row: Array) -> State:
    """The state of a row of numbers."""
    tick, t, mode, energy, generated, paused, speed, recording = row[:8].tolist()
    h = row[8 : 8 + HAND].tolist()
    place, handle, force, torque = ((h[i], h[i + 1], h[i + 2]) for i in (1, 4, 7, 10))
    hand = Hand(int(h[0]), place, handle, force, torque, h[13], h[14])
    beat = [int(v) if name in INTEGERS else v
            for name, v in zip(Beat._fields, row[8 + HAND : FIXED - 1].tolist(), strict=True)]  # fmt: skip
    end = len(row) - MOST_FORCES
    lam = row[end : end + int(row[FIXED - 1])]
    return State(int(tick), t, row[FIXED:end].copy(), int(mode), lam.copy(), hand, energy,
                 generated, bool(paused), speed, bool(recording), Beat(*beat))  # fmt: skip


class Board:
    """A row of numbers in shared memory, of a length that is fixed by the number of coordinates and speeds."""

    def __init__(self, memory: memoryview, width: int) -> None:
        self._memory, self._size = memory, self.size(width)
        self._number = HEAD.unpack_from(memory)[0]

    @staticmethod
    def size(width: int) -> int:
        """How many bytes are needed."""
        return HEAD.size + 8 * (FIXED + width + MOST_FORCES)

    def write(self, state: State) -> None:
        data = numbers_of(state).tobytes()
        self._number += 1
        HEAD.pack_into(self._memory, 0, self._number, 0)
        self._memory[HEAD.size : self._size] = data
        self._number += 1
        HEAD.pack_into(self._memory, 0, self._number, zlib.crc32(data))

    def read(self) -> State | None:
        """The last state that was written; None where there is none yet."""
        for _ in range(TRIES):
            number, check = HEAD.unpack_from(self._memory)
            if number == 0:
                return None
            data = bytes(self._memory[HEAD.size : self._size])
            if number % 2 == 0 and HEAD.unpack_from(self._memory)[0] == number and zlib.crc32(data) == check:
                return state_of(np.frombuffer(data))
        return None

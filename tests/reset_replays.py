"""Resets of runs, made again as Python and as machine code: both leave the same bytes in every record."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts.reset_requests import as_machine_code, as_python
from latchwork.hybrid.contacts.scene_memory import SceneMemory
from latchwork.hybrid.reset import KeptReset, Reset
from latchwork.program.records.memory import block_of
from random_scenes import scene

SCENES, OF_EACH = 10_000, 5  # from which resets are drawn; and as many of one scene at most


def in_both(memory: SceneMemory, x: Array) -> int:
    """Run the kernel of resets as Python, and again as machine code; the words of all records must be the same."""
    assert memory.room is not None
    blocks = [block_of(record) for record in (memory.scene, *memory.room[:3])]
    before, start = [block.copy() for block in blocks], x.copy()
    outcome = as_python(memory, x)
    python = [x.tobytes(), *[block.tobytes() for block in blocks]]
    x[:] = start
    for block, words in zip(blocks, before, strict=True):
        block[:] = words
    assert as_machine_code(memory, x) == outcome
    assert [x.tobytes(), *[block.tobytes() for block in blocks]] == python
    return outcome


def replayed(resets: Iterable[KeptReset]) -> list[Reset]:
    """Resets made again in both ways, each from the state before it; they come to what the run came to."""
    return [reset.replay(in_both) for reset in resets]


def resets_of(seed: int) -> list[KeptReset]:
    """The resets of a random scene, up to where it may be refused."""
    s = scene(seed)
    with suppress(IntegrationError):
        s.play()
    return list(s.sim.record.resets)


def drawn(draw: int, count: int) -> list[KeptReset]:
    """Resets drawn at random, a few of each scene, and scenes of all that there are."""
    rng, found = np.random.default_rng([draw, 77]), list[KeptReset]()
    while len(found) < count:
        resets = resets_of(int(rng.integers(SCENES)))
        some = rng.permutation(len(resets))[: min(OF_EACH, count - len(found))]
        found += [resets[i] for i in some]
    return found

"""Digests of runs, a line each: ``python run_digests.py four_bar 23 ...``; numbers are random scenes of contact."""

from __future__ import annotations

import hashlib
import sys

import latchwork as lw
from latchwork.view import gallery
from random_scenes import scene


def digest(run: lw.Trajectory) -> str:
    """A name for every bit of a run: its samples, and its events with their times and modes."""
    found = hashlib.sha256(run.t.tobytes() + run.x.tobytes())
    for event in run.events:
        found.update(f"{event.t.hex()} {event.name} {event.before} {event.after}\n".encode())
    return found.hexdigest()[:16]


def digest_of(name: str) -> str:
    """The digest of an example's run, or of a scene's; of what is said where it is refused."""
    try:
        example = None if name.isdigit() else gallery.load(name)
        return digest(scene(int(name)).play() if example is None else example.run(example.models()[0]))
    except lw.IntegrationError as error:
        return hashlib.sha256(str(error).encode()).hexdigest()[:16]


if __name__ == "__main__":
    for wanted in sys.argv[1:] or gallery.NAMES:
        print(wanted, digest_of(wanted), flush=True)

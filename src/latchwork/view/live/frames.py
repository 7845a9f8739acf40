"""Frames: a state as a row of float64 for pages. First what always stands at the same place, then what is drawn.

    HEAD · tracks · quantities to plot · arrows (six numbers each) · forces λ
"""

from __future__ import annotations

import numpy as np

from latchwork.realtime.board import Beat, State

Array = np.ndarray
HAND = ("hand", *(f"{what} {axis}" for what in ("device", "handle", "force", "torque") for axis in "xyz"),
        "stiffness", "damping")  # fmt: skip
HEAD = ("tick", "t", "mode", "paused", "speed", "recording", "energy", "generated", *HAND, *Beat._fields, "arrows",
        "forces")  # fmt: skip


def framed(state: State, mode: int, drawn: Array, arrows: Array) -> bytes:
    """One frame; ``mode`` is its number as pages know it."""
    h, lam = state.hand, state.lam
    head = [
        state.tick, state.t, mode, state.paused, state.speed, state.recording, state.energy, state.generated,
        h.body, *h.place, *h.handle, *h.force, *h.torque, h.stiffness, h.damping, *state.beat,
        len(arrows) // 6, len(lam),
    ]  # fmt: skip
    return np.concatenate([np.array(head, dtype=float), drawn, arrows, lam]).astype("<f8").tobytes()


def named(frame: bytes) -> dict[str, float]:
    """The head of a frame by name."""
    return dict(zip(HEAD, np.frombuffer(frame, "<f8", count=len(HEAD)).tolist(), strict=True))

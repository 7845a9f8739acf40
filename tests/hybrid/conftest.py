"""What several tests of runs look at."""

from __future__ import annotations

import pytest

import latchwork as lw


@pytest.fixture
def handed(monkeypatch):
    """When changes of mode were made from lap to lap."""
    times = []
    plain = lw.Simulation._handed

    def counted(sim, lap, notes, *more):
        times.extend(note.t for note in notes)
        return plain(sim, lap, notes, *more)

    monkeypatch.setattr(lw.Simulation, "_handed", counted)
    return times

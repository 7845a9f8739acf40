"""What several tests of runs look at."""

from __future__ import annotations

import pytest

from latchwork.hybrid import lap_flow


@pytest.fixture
def handed(monkeypatch):
    """When changes of mode were made from lap to lap."""
    times = []
    plain = lap_flow.handed

    def counted(sim, lap, notes, *more):
        times.extend(note.t for note in notes)
        return plain(sim, lap, notes, *more)

    monkeypatch.setattr(lap_flow, "handed", counted)
    return times

"""Looking ahead: one thread at a time works on symbols."""

from __future__ import annotations

import math
import sys
import threading

import pytest

import latchwork as lw
from latchwork.symbolic.graph import Graph


@pytest.fixture
def often():
    """Threads take turns very often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def over_edges() -> lw.Simulation:
    """A disk that bounces along ground of many edges: more contacts than are made ready beforehand."""
    model = lw.Model("edges")
    link, N, O = model.planar("A"), model.frame, model.origin
    body = model.body("disk", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(-9.81 * N.y)
    points = [O.at(f"P{i}", (0.5 * i - 1.0) * N.x + 0.1 * math.sin(i) * N.y) for i in range(24)]
    model.contact("ground", lw.Circle(link.origin, 0.2, body=body), lw.Polyline(points), friction=0.2)
    return lw.Simulation(model, q=[0.0, 1.0, 0.0], u=[1.5, 0.0, 0.0])


@pytest.mark.usefixtures("often")
def test_symbols_are_made_by_one_thread_at_a_time(monkeypatch):
    """While something is prepared beside the integration, no other thread makes a node of the graph."""
    sim = over_edges()
    main, made = threading.get_ident(), {"beside": 0, "at once": 0}

    def counted(plain):
        def call(self, key):
            if threading.get_ident() != main:
                made["beside"] += 1
            elif sim.world.ahead.is_busy:
                made["at once"] += 1
            return plain(self, key)

        return call

    for name in ("_node", "new"):
        monkeypatch.setattr(Graph, name, counted(getattr(Graph, name)))
    for i in range(1, 31):
        sim.advance(until=0.1 * i)
    assert made["beside"] > 0
    assert made["at once"] == 0

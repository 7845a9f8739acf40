"""Resets replayed: from the state before each, as Python and as machine code, the same bytes as in the run."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.errors import EvaluationError, IntegrationError
from latchwork.hybrid import record
from latchwork.hybrid.contacts.reset_requests import as_python
from random_scenes import LONG, ONCE
from reset_replays import drawn, replayed, resets_of
from switching_scenes import in_a_corner, rod

QUICK = [23, 400, 883, 1475, 3481, 6638, 8340]


def crate() -> lw.Simulation:
    """A crate that falls on a floor in space, first on one corner."""
    model = lw.Model("crate")
    link, N = model.free("crate"), model.frame
    body = model.body("crate", link, link.origin, 1.0, lw.inertia(link.frame, 0.02, 0.02, 0.02))
    model.gravity(-9.81 * N.z)
    model.contact("floor", body.box((0.3, 0.3, 0.3)), lw.Plane(model.origin, N.z), restitution=0.3, friction=0.4)
    sim = lw.Simulation(model, q={"q_crate_pz": 0.4, "q_crate_e0": 0.8, "q_crate_e1": 0.6}, u={"u_crate_vx": 0.5})
    sim.advance(0.35)
    return sim


@pytest.mark.parametrize("made", [
    lambda: in_a_corner(0.5, 0.3), lambda: rod(lambda t: 8.0 * t, (0.3, 0.3)), crate,
], ids=["corner", "rod", "crate"])  # fmt: skip
def test_resets_are_the_same_in_python(made):
    """Every reset of a run leaves the same words in all records and the same state, as Python and as machine code."""
    assert len(replayed(list(made().record.resets)[-50:])) > 2


@pytest.mark.parametrize("seed", seeds(QUICK, [*ONCE, *LONG]))
def test_resets_of_scenes_that_failed_once(seed):
    """All resets of a random scene that broke a law once are the same in Python."""
    assert replayed(resets_of(seed))


@pytest.mark.parametrize("draw", seeds([0], range(80)))
def test_resets_drawn_at_random(draw):
    """Some resets of random scenes, drawn by a seed, are the same in Python."""
    assert len(replayed(drawn(draw, 25))) == 25


def test_an_impact_is_replayed():
    """An event gives the state before and after it and what it took: m Δv is the sum of its impulses; the run goes on
    as it would have."""
    sim, other = crate(), crate()
    event = next(event for event in sim.events if event.kind == "impact")
    found = event.replay()
    assert found.before.t == found.after.t == event.t
    assert found.energy == event.energy > 0.0
    assert {name: part.tolist() for name, part in found.impulses.items()} == {
        name: part.tolist() for name, part in event.impulses.items()}  # fmt: skip
    vz = 7 + [speed.name for speed in sim.equations.u].index("u_crate_vz")
    lifted = found.after.x[vz] - found.before.x[vz]
    assert lifted == pytest.approx(sum(part[0] for part in event.impulses.values()), rel=1e-12)
    for each in (sim, other):
        each.advance(0.5)
    assert sim.state == other.state


def test_other_bits_are_told():
    """A reset that comes to other bits than the run did is an error that says where they differ."""

    def other(memory, x):
        outcome = as_python(memory, x)
        x[-1] = np.nextafter(x[-1], 1.0)
        return outcome

    kept = crate().record.resets[-1]
    with pytest.raises(IntegrationError, match=r"other bits than the run did, in x\."):
        kept.replay(other)


def test_what_cannot_be_replayed(monkeypatch):
    """Events of others, resets that were dropped, and those of a pickle say that they cannot, and what to do."""
    monkeypatch.setattr(record, "RESETS", 2)
    sim = crate()
    sim.constrain("held", sim.equations.u[0])
    with pytest.raises(EvaluationError, match=r"no reset of contacts made 'held' at t = 0.35 \(constrain\)"):
        sim.events[-1].replay()
    with pytest.raises(EvaluationError, match="keeps its last resets"):
        sim.events[0].replay()
    last = next(event for event in reversed(sim.events) if event.reset is not None)
    assert last.replay().after.t == last.t
    with pytest.raises(EvaluationError, match="a pickle none"):
        pickle.loads(pickle.dumps(last)).replay()

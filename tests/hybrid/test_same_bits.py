"""The same inputs give the same bits: again, beside others in threads, in pieces, by ticks, after being put away."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.flow_memory import FlowMemory
from latchwork.hybrid.mode_integration import ModeIntegration
from latchwork.integrate import workspace
from scaled_scenes import CONTACTS, MECHANISMS, Units
from switching_scenes import crate

STEP = 2.0**-9  # sums of it are exact
PIECE = 2.0**-4
SCENES = {**CONTACTS, **MECHANISMS}
Bits = tuple[float, bytes, tuple[tuple[float, str, tuple[str, ...], tuple[str, ...]], ...]]


def begun(scene: str, method: lw.RK4 | lw.DormandPrince | None = None) -> lw.Simulation:
    """A scene at its start."""
    s = SCENES[scene](Units())
    return lw.Simulation(s.model, q=s.q, u=s.u, method=method or lw.RK4(STEP))


def ended(sim: lw.Simulation, events: Sequence[RunEvent] | None = None) -> Bits:
    """All bits of where a simulation stands, and of what happened."""
    told = sim.events if events is None else events
    state = np.array([*sim.q.values(), *sim.u.values()])
    return sim.t, state.tobytes(), tuple((event.t, event.name, event.before, event.after) for event in told)


def in_one_go(scene: str, until: float, method: lw.RK4 | lw.DormandPrince | None = None) -> Bits:
    sim = begun(scene, method)
    sim.advance(until)
    return ended(sim)


def in_pieces(scene: str, until: float, method: lw.RK4 | lw.DormandPrince | None = None) -> Bits:
    sim = begun(scene, method)
    for k in range(1, round(until / PIECE) + 1):
        sim.advance(k * PIECE)
    return ended(sim)


def by_ticks(scene: str, until: float) -> Bits:
    sim, told = begun(scene), list[RunEvent]()
    for _ in range(round(until / STEP)):
        told += sim.tick(STEP)
    return ended(sim, told)


def by_steps(scene: str, until: float) -> Bits:
    sim = begun(scene)
    for k in range(1, round(until / STEP) + 1):
        sim.advance(k * STEP)
    return ended(sim)


def put_away(scene: str, until: float) -> Bits:
    """Half of a run, whose state is pickled, and the other half by another simulation."""
    sim, other = begun(scene), begun(scene)
    sim.advance(0.5 * until)
    other.state = pickle.loads(pickle.dumps(sim.state))
    other.advance(until)
    return ended(other, [*sim.events, *other.events])


def forgetful(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the kernel of flows know no mode but the one that runs, wherever it is called; how many it forgot."""
    forgot, enter = list[int](), FlowMemory.enter

    def entered(self: FlowMemory, lap: ModeIntegration, least: float) -> int:
        forgot.append(len(self.modes))
        self.forget()
        return enter(self, lap, least)

    monkeypatch.setattr(FlowMemory, "enter", entered)
    return forgot


@pytest.mark.parametrize("method", [None, lw.DormandPrince()], ids=["RK4", "DormandPrince"])
@pytest.mark.parametrize("scene", sorted(CONTACTS))
def test_modes_that_are_forgotten(scene, method, monkeypatch):
    """Every change leads to a mode that machine code does not know, as if it were the first: the bits are the same."""
    whole = in_one_go(scene, 1.0, method)
    forgot = forgetful(monkeypatch)
    assert in_one_go(scene, 1.0, method) == whole
    assert max(forgot, default=0) <= 1


@pytest.mark.parametrize("scene", ["block on spring", "stick-slip", "slider-crank"])
def test_again(scene):
    """A second run of the same model, and one of the model made anew, have the bits of the first."""
    s = SCENES[scene](Units())
    first, second = (lw.simulate(s.model, 0.5, q=s.q, u=s.u) for _ in range(2))
    anew = SCENES[scene](Units())
    third = lw.simulate(anew.model, 0.5, q=s.q, u=s.u)
    assert np.array_equal(first.x, second.x)
    assert np.array_equal(first.x, third.x)
    assert [event.t for event in first.events] == [event.t for event in second.events]


def test_beside_others_in_threads():
    """Runs in four threads at once end in the bits of runs one after the other."""
    names = ["bouncing ball", "stick-slip", "pendulum at wall", "four-bar"] * 2
    with ThreadPoolExecutor(4) as pool:
        beside = list(pool.map(lambda name: in_one_go(name, 0.5), names))
    assert beside == [in_one_go(name, 0.5) for name in names]


# Forces of redundant contacts are shared anew where a piece begins, as under crates that rest.
UNSHARED = sorted(SCENES.keys() - {"crates in space"})


@pytest.mark.parametrize("scene", seeds(["bouncing ball", "slider-crank", "cart with rules"], SCENES))
def test_in_pieces_of_fixed_steps(scene):
    """A run of fixed steps in pieces, each of so many steps, is the run in one go."""
    assert in_pieces(scene, 1.0) == in_one_go(scene, 1.0)


@pytest.mark.parametrize("scene", ["four-bar", "stick-slip"])
def test_in_pieces_of_steps_by_tolerance(scene):
    """Steps that are chosen by tolerance end where a piece ends: a run in pieces is another run, as exact as the one in
    one go, and the same again."""
    pieces = in_pieces(scene, 0.5, lw.DormandPrince())
    assert in_pieces(scene, 0.5, lw.DormandPrince()) == pieces
    _, whole, events = in_one_go(scene, 0.5, lw.DormandPrince())
    assert np.frombuffer(pieces[1]) == pytest.approx(np.frombuffer(whole), rel=1e-8, abs=1e-8)
    assert [event[1:] for event in pieces[2]] == [event[1:] for event in events]


@pytest.mark.parametrize("scene", seeds(["slider-crank", "stick-slip", "rolling ball"], UNSHARED))
def test_by_ticks(scene):
    """Ticks are the steps of a run in one go, through events and where other speeds are chosen."""
    assert by_ticks(scene, 1.0) == in_one_go(scene, 1.0)


@pytest.mark.parametrize("scene", seeds(["bouncing ball", "rolling ball"], SCENES))
def test_ticks_are_pieces(scene):
    """Ticks are pieces of one step each, also through events."""
    assert by_ticks(scene, 0.5) == by_steps(scene, 0.5)


@pytest.mark.parametrize("method", [lw.DormandPrince(), lw.RK4(STEP), lw.RK4(STEP, every=5)], ids=repr)
@pytest.mark.parametrize("scene", ["bouncing ball", "rolling ball", "stick-slip", "four-bar"])
def test_at_samples(scene, method):
    """To keep samples instead of steps changes nothing of a run; of steps that are kept, the samples are read."""
    sim, times = begun(scene, method), np.array([0.0, 0.1, 0.25, 0.5])
    sim.advance(0.5, samples=times)
    whole = begun(scene, method)
    whole.advance(0.5)
    assert ended(sim) == ended(whole)
    assert np.isin(times, sim.run.t).all()
    assert len(sim.run.t) < len(whole.run.t)
    assert np.array_equal(sim.run.path.at(times)[0], whole.run.path.at(times)[0])


@pytest.mark.parametrize("scene", ["bouncing ball", "stick-slip"])
def test_in_pieces_that_end_anywhere(scene):
    """Pieces that end between two fixed steps leave all others where they are: the times are those of one grid."""
    sim = begun(scene)
    for until in (0.1, 0.2345, 0.5):
        sim.advance(until)
    events = {event.t for event in sim.events}
    others = [t for t in sim.run.t.tolist() if t not in events | {0.1, 0.2345}]
    assert all((t / STEP).is_integer() for t in others)
    assert len(others) > 200


@pytest.mark.parametrize("scene", seeds(["bouncing ball", "rolling ball", "slider-crank"], SCENES))
def test_after_being_put_away(scene):
    """A run whose state was pickled goes on as it would have."""
    assert put_away(scene, 0.5) == in_one_go(scene, 0.5)


def test_guards_are_looked_at_once_for_all(monkeypatch):
    """What guards are at a part of a step is kept, as far as there is room: fewer looks, and the same bits."""
    found = []
    for room in ((16, 1 << 14), (1, 1)):
        monkeypatch.setattr(workspace, "FEWEST_PARTS", room[0])
        monkeypatch.setattr(workspace, "LOOKS", room[1])
        sim = crate(0.3, 0.5)
        sim.advance(1.0)
        looks = sum(each.step.looks for each in sim.mode_table.integrations.workspaces.values())
        found.append((looks, ended(sim)))
    (few, kept), (many, again) = found
    assert kept == again
    assert few < many

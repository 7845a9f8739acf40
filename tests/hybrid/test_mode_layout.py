"""Modes that machine code lays out: the bytes that Python lays out, run as Python too, whatever memory there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import latchwork as lw
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.row_sources import RowSources
from latchwork.constraint.selection_kernel import SpeedChoice
from latchwork.hybrid.contacts.guard_values import GuardTable
from latchwork.hybrid.flow import KEY
from latchwork.hybrid.flow_memory import FlowMemory
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.mode_layout import mode_memory
from latchwork.hybrid.mode_layout.layout_kernel import lay_out_mode
from latchwork.hybrid.mode_table import ModeTable
from latchwork.integrate.reusable_integration import IntegrationBlock
from latchwork.program.native import interpret, invoke
from latchwork.program.records.memory import blank
from latchwork.program.records.placement import place_arrays, placement
from latchwork.program.records.shape import shape_of
from random_scenes import scene
from switching_scenes import SCENES, crate


class Taken:
    """Modes that machine code laid out in a run: what it laid out, and what Python lays out at the same state."""

    def __init__(self, monkeypatch: Any) -> None:
        self.pairs: list[tuple[Any, Any]] = []
        take_over = FlowMemory.take_over

        def taken(memory: FlowMemory, *given: Any) -> Any:
            key, laid = take_over(memory, *given)
            table, holds, s = memory.mode_table, memory.holds, memory.contacts_after(given[1])
            self.pairs.append((laid, table.laid_out(key, holds, s, dict(memory.stops), laid.row)))
            return key, laid

        monkeypatch.setattr(FlowMemory, "take_over", taken)


def same(laid: Any, other: Any) -> None:
    """The same rows, speeds, guards and memory."""
    assert type(laid.dynamics) is type(other.dynamics)
    assert laid.dynamics.names == other.dynamics.names
    assert [guard[:2] + guard[3:] for guard in laid.guards] == [guard[:2] + guard[3:] for guard in other.guards]
    assert laid.dynamics.guards.fresh().tobytes() == other.dynamics.guards.fresh().tobytes()
    assert laid.dynamics.function.fresh().tobytes() == other.dynamics.function.fresh().tobytes()
    if isinstance(laid.dynamics, Recombined):
        a, b = laid.dynamics.mode, other.dynamics.mode
        assert a.selection == b.selection
        assert a.usual_pivot == b.usual_pivot
        for name in ("weights", "typical", "lengths", "course", "numbers", "share"):
            assert np.array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("name", SCENES)
def test_the_bytes_of_python(name, monkeypatch):
    """Each mode of a run that machine code has laid out, and the same laid out by Python."""
    taken = Taken(monkeypatch)
    SCENES[name]()
    for laid, other in taken.pairs:
        same(laid, other)


def test_modes_are_laid_out(monkeypatch):
    """In random scenes: modes in the plane and in space, with and without friction, free and held."""
    taken = Taken(monkeypatch)
    for number in range(0, 120, 3):
        scene(number).play()
    for laid, other in taken.pairs:
        same(laid, other)
    found = [laid.dynamics for laid, _ in taken.pairs]
    assert len(found) > 20
    assert {type(dynamics).__name__ for dynamics in found} == {"Recombined", "Unconstrained"}
    assert {bool(dynamics.mode.sliders) for dynamics in found if isinstance(dynamics, Recombined)} == {True, False}


def test_redundant_rows_are_laid_out(monkeypatch):
    """A box that comes to rest on four corners: more rows than speeds, and fewer; all share their forces by what they
    carried, and Python lays out none of these modes."""
    taken, laid, plain = Taken(monkeypatch), [], ModeTable.laid_out
    monkeypatch.setattr(ModeTable, "laid_out", lambda *given: laid.append(given[-1][0]) or plain(*given))
    sim = SCENES["crate in space"]()
    modes = [made.dynamics.mode for made, _ in taken.pairs if isinstance(made.dynamics, Recombined)]
    lost = {(len(mode.selection.redundant), mode.selection.rank) for mode in modes if mode.share is not None}
    assert {(1, 3), (6, 6)} <= lost
    assert all(np.abs(mode.share[:, -1]).max() > 0.0 for mode in modes if len(mode.selection.redundant) == 6)
    first = sim.events[0].t
    assert [t for t in laid if t > first] == [made.row[0] for made, _ in taken.pairs if made.row[0] > first]


def falls_on_two() -> lw.Simulation:
    """A disk with friction that falls onto a slope and rolls against a wall."""
    return SCENES["corner, rough"]()


def test_run_as_python(monkeypatch):
    """The kernel that lays out modes, run as Python and as machine code in the same memory: the same bytes."""
    lengths, take_over = [], FlowMemory.take_over

    def taken(memory: FlowMemory, *given: Any) -> Any:
        run, programs, arena = memory.run, memory.layout.programs, memory.layout.arena
        before, used, made = arena.copy(), programs.used, []
        for call in (invoke, interpret):
            programs.used = 0
            arena[:] = 0
            words = KEY * run.scene.watched + run.scene.zones
            at = call(lay_out_mode, programs, run.scene, np.asarray(run.key), words, np.array(run.x))
            made.append((at, arena[: programs.used].tobytes()))
        assert made[0] == made[1]
        lengths.append(len(made[0][1]))
        arena[:], programs.used = before, used
        return take_over(memory, *given)

    monkeypatch.setattr(FlowMemory, "take_over", taken)
    monkeypatch.setattr(mode_memory, "ARENA", 20_000)
    for name in ("corner, rough", "zones"):
        SCENES[name]()
    assert max(lengths) > 2000
    monkeypatch.setattr(mode_memory, "ARENA", 100_000)
    sim = crate(0.0, 0.4)
    while not sim.switches or len(sim.switches[-1].after) < 4:
        sim.advance(sim.t + 0.01)


def test_little_memory(monkeypatch):
    """Where memory is used up, Python lays out a mode, and there is more for the next one: the run is the same."""
    whole = falls_on_two()
    monkeypatch.setattr(mode_memory, "ARENA", 100)
    again = falls_on_two()
    assert again.x.tobytes() == whole.x.tobytes()
    assert [event.t for event in again.events] == [event.t for event in whole.events]


@pytest.mark.parametrize("kind", [EmbeddedMode, GuardTable, RowSources, SpeedChoice, IntegrationBlock])
def test_arrays_are_placed_as_in_python(kind):
    """Where arrays begin, for many sizes: by the kernel, as Python and as machine code, and by `blank`."""
    rng, found = np.random.default_rng(4), placement(kind)
    shape = blank(kind, **dict.fromkeys(shape_of(kind).given, 0))
    for _ in range(20):
        sizes = {name: int(rng.integers(0, 9)) for name in shape_of(kind).given}
        wanted = blank(kind, **sizes)
        for call in (invoke, interpret):
            own = np.zeros(len(shape.own), dtype=np.int64)
            for name, size in sizes.items():
                own[shape_of(kind).fields[name].word] = size
            assert call(place_arrays, found, own) == wanted.size
            assert np.array_equal(own, wanted.own)

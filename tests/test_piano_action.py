"""The piano action: the order of a blow, one strike, the catch, repetition; by a script and by the pointer."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import latchwork as lw
from latchwork.integrate.reusable_integration import SharedWorkspace
from latchwork.program.function import Function
from latchwork.realtime.exhibit import exhibit_of
from latchwork.realtime.live import Live
from latchwork.view import gallery

PIANO = gallery.load("piano_action").module
BLOWS = {"fortissimo": (0.02, 0.025), **{level: touch for level, touch in PIANO.TOUCHES.items() if level != "too slow"}}


@cache
def model():
    return PIANO.build()


@cache
def blow(level):
    within, depth = BLOWS[level]
    return PIANO.run(model(), 0.35 + within, PIANO.press(within, depth))


@pytest.mark.parametrize("level", BLOWS)
def test_a_blow_goes_through_its_parts_in_order(level):
    """The damper leaves, the jack trips and lets go, the hammer strikes once, flies back, and stays in the check."""
    moved = blow(level)
    (strike,), end = PIANO.strikes(moved), moved.t[-1]
    (damper, *_), (letoff, *_) = PIANO.opens(moved, "damper"), PIANO.closes(moved, "let-off button")
    assert damper < letoff < strike < PIANO.closes(moved, "backcheck")[0]
    assert not any(name.startswith(("jack:", "repetition lever:")) for name in _mode_at(moved, strike - 1e-6))
    assert any(name.startswith("backcheck") for name in _mode_at(moved, end))
    assert 10.0 < PIANO.below_string(moved, end) < 20.0  # Gillespie et al. 2011: 12 to 15 mm
    assert moved.at(end)["jack"] > 0.1


@pytest.mark.parametrize("level", BLOWS)
def test_the_energy_of_a_blow_is_balanced(level):
    """K + V changes by the work of the hand and by what impacts, friction and felt take, and no gap is below zero."""
    audit = blow(level).audit
    assert audit.energy_error < 1e-8
    assert audit.least_gap > -1e-9


def test_louder_is_faster_and_sooner():
    """A faster hand: a faster hammer, sooner at the string; the key is down after the strike in piano, before it in
    forte (Askenfelt and Jansson 1990: 12 ms after to 3 ms before)."""
    found = []
    for level in BLOWS:
        moved = blow(level)
        (strike,) = PIANO.strikes(moved)
        found.append((PIANO.arrives(moved, strike), -strike, strike - PIANO.closes(moved, "front rail")[0]))
    speeds, times, downs = np.transpose(found)
    assert (np.diff(speeds) < 0.0).all()
    assert (np.diff(times) < 0.0).all()
    assert downs[0] > 0.0
    assert downs[1] > 0.0
    assert -0.015 < downs[-1] < -0.005


@pytest.mark.parametrize("within", [0.4, 0.6])
def test_a_slow_press_makes_no_sound(within):
    """The jack trips all the same, and the hammer sinks back on the repetition lever."""
    moved = PIANO.run(model(), 0.2 + within, PIANO.press(within, 0.0125))
    assert PIANO.strikes(moved) == []
    assert PIANO.closes(moved, "let-off button")
    assert 1.0 < PIANO.below_string(moved, moved.t[-1]) < 15.0


@pytest.mark.parametrize("up", [0.003, 0.004, 0.005])
def test_a_second_blow_sounds_before_the_key_is_up(up):
    """The key comes up by half; the jack is back under the knuckle, and the hammer strikes again, once."""
    hand = ((0.05, 0.0), (0.11, -0.014), (0.25, -0.014), (0.30, -up), (0.42, -up), (0.47, -0.016))
    moved = PIANO.run(model(), 0.7, hand)
    first, second = PIANO.strikes(moved)
    between = moved.at(np.linspace(0.25, 0.42, 300))
    assert between["key"].min() * 220.0 > 2.0  # mm of 10
    assert between["jack"].min() < 1e-3
    assert first < 0.25
    assert second > 0.42


@pytest.mark.parametrize(("spring", "sounds"), [(0.05, 2), (0.01, 1)])
def test_the_repetition_spring_lets_it_repeat(spring, sounds):
    """From 6.5 mm on the jack slips back where the lever bears the hammer; without its spring a blow is lost."""
    hand = ((0.0, 0.0), (0.05, 0.0), (0.11, -0.014), (0.25, -0.014), (0.30, -0.0065), (0.45, -0.0065), (0.50, -0.018))
    table = lw.Table(*zip(*hand, (2.0, -0.018), strict=True), "linear")
    moved = lw.simulate(model(), 0.6, parameters={"repetition": spring}, inputs={"hand": table})
    assert len(PIANO.strikes(moved)) == sounds


def pressed(live, ticks=700):
    """The angle and the speed of the hammer after every tick, as the pointer presses the key twice."""
    front, hammer = (-0.22, 0.012, 0.0), [symbol.name for symbol in live.sim.equations.q].index("hammer")
    assert live.do({"do": "grab", "body": "key", "at": list(front)})["ok"]
    found = []
    way = ((0.05, 0.0), (0.10, -0.03), (0.30, -0.03), (0.35, -0.005), (0.5, -0.005), (0.55, -0.03), (0.7, -0.03))
    for tick in range(ticks):
        place = float(np.interp(1e-3 * tick, *zip(*way, strict=True)))
        assert tick % 8 or live.do({"do": "move", "to": [front[0], front[1] + place, 0.0]})["ok"]
        live.tick()
        found.append((live.x[hammer], live.x[len(live.sim.equations.q) + hammer]))
    assert not live.paused
    return np.array(found).T


def test_the_pointer_plays_it():
    """Pressed on the page at 125 messages a second: one strike, the hammer in the check, and a second strike."""
    live = Live(exhibit_of("piano_action"))
    angles, fast = pressed(live)
    struck = np.flatnonzero((fast[:-1] > 0.5) & (fast[1:] < -0.1) & (angles[1:] > angles.max() - 0.02))
    assert len(struck) == 2
    assert 0.2 < angles[295] < 0.3  # in the check
    assert live.grip.observer.generated == 0.0


def test_nothing_is_derived_while_it_is_played(monkeypatch):
    """Programs of all contacts, and memory for all modes, are there before the first tick: none is made in a press."""
    live, made = Live(exhibit_of("piano_action")), []
    monkeypatch.setattr(Function, "__init__", lambda *given: made.append(given))
    monkeypatch.setattr(SharedWorkspace, "__init__", lambda *given: made.append(given))
    pressed(live, 200)
    assert not made


def test_machine_code_changes_nothing():
    """A loop asks for machine code of all programs as it begins: the same bits as without."""
    plain, compiled = Live(exhibit_of("piano_action")), Live(exhibit_of("piano_action"))
    table, points = compiled.sim.mode_table, compiled.sim.state.contacts.contact_points
    for function in [table.base.motion, *[function for point in points for function in point.functions]]:
        function.compiled(wait=True)
    compiled.compile()
    assert pressed(plain, 150).tobytes() == pressed(compiled, 150).tobytes()


def _mode_at(moved, t):
    """What is closed at a time."""
    events = [event for event in moved.events if event.t <= t]
    return events[-1].after

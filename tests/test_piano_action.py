"""The piano action: the order of a blow, one strike, the catch, repetition; by a script and by the pointer."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import latchwork as lw
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


def test_the_pointer_plays_it():
    """Pressed on the page at 125 messages a second: one strike, the hammer in the check, and a second strike."""
    live, front = Live(exhibit_of("piano_action")), (-0.22, 0.012, 0.0)
    hammer = [symbol.name for symbol in live.sim.equations.q].index("hammer")
    assert live.do({"do": "grab", "body": "key", "at": list(front)})["ok"]
    angles, speeds = [], []
    way = ((0.05, 0.0), (0.10, -0.03), (0.30, -0.03), (0.35, -0.005), (0.5, -0.005), (0.55, -0.03), (0.7, -0.03))
    for tick in range(700):
        place = float(np.interp(1e-3 * tick, *zip(*way, strict=True)))
        assert tick % 8 or live.do({"do": "move", "to": [front[0], front[1] + place, 0.0]})["ok"]
        live.tick()
        angles.append(live.x[hammer])
        speeds.append(live.x[len(live.sim.equations.q) + hammer])
    assert not live.paused
    string, fast = max(angles), np.array(speeds)
    struck = np.flatnonzero((fast[:-1] > 0.5) & (fast[1:] < -0.1) & (np.array(angles)[1:] > string - 0.02))
    assert len(struck) == 2
    assert 0.2 < angles[295] < 0.3  # in the check
    assert live.grip.observer.generated == 0.0


def _mode_at(moved, t):
    """What is closed at a time."""
    events = [event for event in moved.events if event.t <= t]
    return events[-1].after

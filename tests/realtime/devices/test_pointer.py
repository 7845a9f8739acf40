"""The page's pointer: messages as they come, motion without jumps."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from latchwork.realtime.devices.device import FREE
from latchwork.realtime.devices.pointer import Pointer

STEP = 1e-3


def dragged(messages, until):
    """Readings of a pointer that is told of places at ticks; taken at the first."""
    pointer, readings = Pointer(STEP), []
    for tick in range(until):
        if tick in messages:
            place = (messages[tick], 0.0, 0.0)
            pointer.move(tick, place) if readings else pointer.grab(tick, "b", (0.1, 0.2, 0.3), place)
        readings.append(pointer.read(tick, tick * STEP))
    return readings


def test_messages_at_sixty_hertz_give_a_smooth_motion():
    """A sine told every 17 ticks is read one message late, in steps no longer than its speed allows."""
    sine = {tick: math.sin(4.0 * tick * STEP) for tick in range(0, 1000, 17)}
    places = [reading.place[0] for reading in dragged(sine, 1000)]
    assert max(abs(b - a) for a, b in pairwise(places)) < 1.01 * 4.0 * STEP
    for tick in range(200, 1000):
        assert places[tick] == pytest.approx(math.sin(4.0 * (tick - 17) * STEP), abs=2e-3)


def test_the_velocity_is_that_until_the_next_tick():
    """Place plus velocity times the step is the next place: a held damper sees what will happen."""
    readings = dragged({0: 0.0, 20: 1.0, 33: 0.4, 90: -2.0}, 200)
    for before, after in pairwise(readings):
        assert before.place[0] + STEP * before.velocity[0] == pytest.approx(after.place[0], abs=1e-14)


def test_it_comes_to_rest_where_the_last_message_said():
    """After the last message the hand arrives and stays, and holds what it took."""
    last = dragged({0: 0.0, 5: 0.3, 12: 0.7}, 100)[-1]
    assert (last.body, last.arm) == ("b", (0.1, 0.2, 0.3))
    assert (last.place, last.velocity) == ((0.7, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_several_messages_in_one_tick_are_one():
    """Only the last of them counts, and nothing divides by zero."""
    pointer = Pointer(STEP)
    pointer.grab(0, "b", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for target in (1.0, 2.0, 3.0):
        pointer.move(30, (target, 0.0, 0.0))
    assert pointer.read(30, 0.03).place == (0.0, 0.0, 0.0)
    assert pointer.read(80, 0.08).place == (3.0, 0.0, 0.0)


def test_the_same_messages_give_the_same_bits():
    """Readings depend on ticks and places alone."""
    messages = {0: 0.1, 7: 0.3, 29: -0.2, 60: 0.9}
    assert dragged(messages, 120) == dragged(messages, 120)


def test_a_dropped_body_is_free():
    """Nothing is held before a grab and after a drop."""
    pointer = Pointer(STEP)
    assert pointer.read(0, 0.0) is FREE
    pointer.grab(0, "b", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    pointer.drop()
    assert pointer.read(1, STEP) is FREE

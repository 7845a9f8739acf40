"""The pointer on mechanisms of the gallery: the fitted coupler leads the body, and makes no energy."""

from __future__ import annotations

import math

import pytest

from latchwork.realtime.exhibit import exhibit_of
from latchwork.realtime.live import Live


@pytest.mark.parametrize("source", ["double_pendulum", "caster", "patoglu_2_fence", "stick_slip"])
def test_dragging_generates_no_energy(source):
    """Messages at 60 Hz along a circle: the handle stays near the pointer, and the observer reports nothing."""
    exhibit = exhibit_of(source)
    live, (right, up) = Live(exhibit), ("xyz".index(axis) for axis in exhibit.view)
    at = list(live.grip.pose(exhibit.taken, (0.0, 0.0, 0.0), live.x).place)
    assert live.do({"do": "grab", "body": exhibit.taken, "at": at})["ok"]
    for tick in range(600):
        place = list(at)
        place[right] += 0.1 * math.sin(0.005 * tick)
        place[up] += 0.02 * (1.0 - math.cos(0.005 * tick))
        assert tick % 17 or live.do({"do": "move", "to": place})["ok"]
        live.tick()
    hand = live.grip.hand
    assert not live.paused
    assert math.dist(hand.place, hand.handle) < 0.06
    assert live.grip.observer.generated == 0.0

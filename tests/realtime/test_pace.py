"""How a loop keeps time, with a clock that the test moves."""

import math

import pytest

from latchwork.realtime.pace import BEHIND, Pace

STEP = 1e-3


def paced(busy: list[float], begins: list[float] | None = None) -> Pace:
    """Ticks of these lengths, each begun when it is due or when the one before has ended, or at a given delay."""
    pace, now = Pace(), 100.0
    pace.rests(now)
    for k, length in enumerate(busy):
        now = max(now, pace.due) + (begins[k] if begins else 0.0)
        pace.begins(now, STEP)
        pace.ends(now, now + length, STEP)
        now += length
    pace.measure()
    return pace


def test_short_ticks_are_never_late():
    """Whoever ends before the next tick is due begins it in time."""
    pace = paced([2e-4] * 100)
    assert (pace.ticks, pace.late, pace.missed, pace.overruns) == (100, 0, 0, 0)
    assert pace.beat(0, 0.0, 0, 0, math.nan).median == pytest.approx(200.0)


def test_a_long_tick_is_an_overrun_and_is_caught_up():
    """After a tick of 2.7 steps the next begin late, until they are in time again; none is missed."""
    pace = paced([2.7e-3] + [2e-4] * 50)
    assert (pace.overruns, pace.missed) == (1, 0)
    assert 0 < pace.late <= 3


def test_what_is_far_behind_is_given_up():
    """A tick of 300 steps costs as many ticks but those that are caught up, and then all is in time."""
    pace = paced([0.3] + [2e-4] * 50)
    assert 299 - BEHIND <= pace.missed <= 299
    assert pace.late <= BEHIND + 1


def test_ticks_that_are_always_too_long_do_not_pile_up():
    """Ticks of 1.5 steps make two thirds of the ticks; the rest is missed, and time does not run away."""
    pace = paced([1.5e-3] * 1200)
    assert pace.overruns == 1200
    assert pace.missed == pytest.approx(600, abs=BEHIND + 1)


def test_the_histogram_has_all_ticks():
    """Every tick is counted, and quantiles are those of the busy times, to the width of a bin."""
    pace = paced([1e-4] * 900 + [5e-4] * 100)
    assert pace.histogram.sum() == 1000
    assert pace.quantile(0.5) == pytest.approx(100.0, rel=0.15)
    assert pace.quantile(0.999) == pytest.approx(500.0, rel=0.15)

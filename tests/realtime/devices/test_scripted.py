"""The scripted hand: rows and formulas, and the same as data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation, Slerp

from latchwork.errors import EvaluationError, FileError
from latchwork.realtime.devices.device import FREE
from latchwork.realtime.devices.paths import Formulas, Rows
from latchwork.realtime.devices.scripted import scripted

ROWS = ((0.0, 0.0, 0.0, 0.0), (0.5, 1.0, 0.2, 0.0), (0.8, 0.4, 0.1, 1.0), (2.0, 0.0, 0.0, 0.0))
TIMES = np.linspace(0.0, 2.0, 41)


def test_cubics_are_those_of_hermite():
    """Through the rows, with the speed of their neighbours, at rest at both ends: SciPy's own spline."""
    t, p = np.array(ROWS)[:, 0], np.array(ROWS)[:, 1:]
    slopes = np.zeros_like(p)
    slopes[1:-1] = (p[2:] - p[:-2]) / (t[2:] - t[:-2])[:, None]
    spline, path = CubicHermiteSpline(t, p, slopes[:, None][:, 0]), Rows(ROWS)
    for time in TIMES:
        going = path(float(time))
        assert going.place == pytest.approx(spline(time), abs=1e-14)
        assert going.velocity == pytest.approx(spline(time, 1), abs=1e-13)


def test_lines_are_straight():
    """Halfway in time is halfway in place, at a steady speed."""
    going = Rows(ROWS, "linear")(0.25)
    assert (going.place, going.velocity) == ((0.5, 0.1, 0.0), (2.0, 0.4, 0.0))


def test_it_rests_before_and_after():
    """Outside the rows the hand stays where it begins and ends."""
    path = Rows(ROWS)
    assert path(-1.0) == path(0.0)
    assert path(5.0).place == (0.0, 0.0, 0.0)
    assert path(5.0).velocity == (0.0, 0.0, 0.0)


def test_turns_are_steady_the_shorter_way():
    """Quaternions in rows are joined as SciPy's Slerp joins them, and the spin is its rate."""
    turns = Rotation.random(3, random_state=4)
    when = (0.0, 0.4, 1.5)
    rows = [(t, 0.0, 0.0, 0.0, *turn) for t, turn in zip(when, turns.as_quat(scalar_first=True), strict=True)]
    path, slerp = Rows(tuple(rows)), Slerp(when, turns)
    for time in (0.1, 0.39, 0.9):
        going = path(time)
        assert Rotation.from_quat(going.turn, scalar_first=True).approx_equal(slerp(time), atol=1e-12)
        ahead = (slerp(time + 1e-6) * slerp(time - 1e-6).inv()).as_rotvec() / 2e-6
        assert going.spin == pytest.approx(ahead, abs=1e-6)


def test_formulas_know_their_velocity():
    """A circle in t: place and velocity in closed form."""
    path = Formulas("0.2*cos(3*t)", "0.2*sin(3*t)", 0)
    going = path(0.7)
    assert going.place == pytest.approx((0.2 * math.cos(2.1), 0.2 * math.sin(2.1), 0.0))
    assert going.velocity == pytest.approx((-0.6 * math.sin(2.1), 0.6 * math.cos(2.1), 0.0))


def test_a_script_is_data():
    """One mapping for each grasp; of two that hold at once the later one counts, and between them the hand is free."""
    hand = scripted(
        [
            {"body": "a", "path": [[0.0, 0, 0, 0], [1.0, 1, 0, 0]], "kind": "linear"},
            {"body": "b", "arm": [0, 0.1, 0], "path": ["t", "0", "0"], "from": 2.0, "until": 3.0},
            {"body": "c", "path": [[2.5, 0, 0, 0], [2.7, 0, 1, 0]]},
        ]
    )
    assert [hand.read(0, t).body for t in (0.0, 0.99, 1.0, 2.0, 2.6, 2.8, 3.0)] == ["a", "a", None, "b", "c", "b", None]
    assert hand.read(0, 2.2)[:4] == ("b", (0.0, 0.1, 0.0), (2.2, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert hand.read(0, 1.5) is FREE


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"body": "a"}, "grasp 1 of a script says 'body'. Give 'body' and 'path'"),
        ({"body": "a", "path": ROWS, "speed": 1}, "grasp 1 of a script says 'body', 'path', 'speed'"),
        ({"body": "a", "path": [[0, 1, 2]]}, "row 1 of a path is"),
        ({"body": "a", "path": [[0, 1, 2, 3], [0, 1, 2, 3]]}, r"the times of a path are \[0.0, 0.0\]"),
        ({"body": "a", "path": [[0, 1, 2, math.nan]]}, "row 1 of a path is"),
        ({"body": "a", "path": [[0, 1, 2, 3, 0, 0, 0, 0]]}, "turns by the quaternion 0"),
        ({"body": "a", "path": ROWS, "kind": "quick"}, "a path cannot be 'quick'"),
        ({"body": "a", "path": ["N.x", "0", "0"]}, "'N.x' in the path of a hand is a vector"),
    ],
)
def test_a_script_that_makes_no_sense_is_refused(data, words):
    """The grasp or row, what it says, and what it should."""
    with pytest.raises(EvaluationError, match=words):
        scripted([data])


def test_formulas_are_parsed_and_never_evaluated():
    """What is no formula is an error with its column."""
    with pytest.raises(FileError, match="path of a hand"):
        Formulas("__import__('os')", "0", "0")

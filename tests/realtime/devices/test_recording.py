"""Recordings: the same readings at the same ticks, through a file too."""

from __future__ import annotations

import json
import math

import pytest

from latchwork.errors import FileError
from latchwork.realtime.devices.device import FREE
from latchwork.realtime.devices.recording import FORMAT, Recorder, load, save
from latchwork.realtime.devices.scripted import scripted

HAND = [
    {"body": "a", "path": ["sin(7*t)/3", "exp(-t)", "0"], "from": 0.01, "until": 0.05},
    {"body": "b", "path": [[0.07, 0, 0, 0, 1, 0, 0, 0], [0.1, 0, 0.1, 0, 0.6, 0.8, 0, 0]]},
]
ROW = [1, "a", *([[0, 0, 0]] * 3), None, *([[0, 0, 0]] * 3)]


def readings(device):
    return [device.read(tick, tick * 1e-3) for tick in range(120)]


def test_a_recording_plays_what_was_read(tmp_path):
    """Recorded, saved, loaded and played: the readings of the first time, bit for bit."""
    recorder = Recorder(scripted(HAND, damping=2.5))
    first = readings(recorder)
    again = load(save(recorder.recording(), tmp_path / "hand.jsonl"))
    assert readings(recorder.recording()) == first
    assert readings(again) == first
    assert again.damping == 2.5


def test_only_changes_are_kept():
    """A hand that holds nothing, or holds still, takes one row."""
    recorder = Recorder(scripted([{"body": "a", "path": [[0.01, 0, 0, 0], [0.02, 0, 0, 0]], "until": 0.09}]))
    readings(recorder)
    assert [(tick, reading.body) for tick, reading in recorder.rows] == [(10, "a"), (90, None)]
    assert recorder.recording().read(5, 0.005) is FREE


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "1: no JSON"),
        ([{"format": "another"}], "not a recording of a hand"),
        ([{"format": FORMAT}, [1, "a"]], "2: a row is a tick and 8 parts"),
        ([{"format": FORMAT}, [1.5, *ROW[1:]]], "a row is a tick"),
        ([{"format": FORMAT}, [1, 3, *ROW[2:]]], "the body of a row is 3"),
        ([{"format": FORMAT}, [1, "a", [0, 0, math.inf], *ROW[3:]]], r"arm of a row is \[0, 0, inf\]. Give 3 numbers"),
        ([{"format": FORMAT}, [1, "a", [0, 0, True], *ROW[3:]]], "arm of a row is"),
        ([{"format": FORMAT}, ROW, ROW], "3: tick 1 comes after tick 1"),
    ],
)
def test_a_file_that_is_no_recording_is_refused(tmp_path, lines, words):
    """With its line, and what is wrong in it."""
    path = tmp_path / "hand.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    with pytest.raises(FileError, match=words):
        load(path)

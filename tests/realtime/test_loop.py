"""The loop in a process of its own. No times are asserted: only that things happen, and in which order."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from latchwork.errors import EvaluationError
from latchwork.realtime.process import Loop
from latchwork.realtime.replay import replay
from latchwork.realtime.scripts import folder

PARENT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from latchwork.realtime.process import Loop
loop = Loop("bouncing_ball")
loop.start()
loop.wait()
print(loop.pid, flush=True)
time.sleep(60)
"""
SRC = Path(__file__).resolve().parents[2] / "src"


def until(true: Callable[[], object], seconds: float = 30.0) -> object:
    """What a condition gives, as soon as it gives something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = true()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError("it did not happen")


def test_a_loop_runs_is_told_and_stops(tmp_path):
    """It ticks, answers, pauses, makes single steps; its session is written when it stops, and is what it did."""
    path = tmp_path / "session.jsonl"
    loop = Loop("double_pendulum", record=path)
    assert loop.state() is None
    assert not loop.send({"do": "pause"})
    with loop:
        first = loop.wait()
        assert loop.alive
        until(lambda: loop.state().tick > first.tick + 20)
        assert loop.send({"do": "grab", "body": "lower", "at": [0.5, -1.0, 0.0], "id": 1})
        assert loop.send({"do": "move", "to": [0.9, -0.8, 0.0]})
        assert loop.send({"do": "grab", "body": "nobody", "at": [0.5, -1.0, 0.0], "id": 2})
        answers: list[dict] = []
        until(lambda: answers.extend(r for r in loop.news() if r["kind"] == "answer") or len(answers) == 2)
        assert [(row["id"], row["ok"]) for row in answers] == [(1, True), (2, False)]
        until(lambda: loop.state().hand.body == 1)
        loop.send({"do": "pause"})
        until(lambda: loop.state().paused)
        stood = loop.state().tick
        loop.send({"do": "step", "ticks": 7})
        until(lambda: loop.state().tick == stood + 7)
        last = loop.state()
    assert not loop.alive
    assert loop.state() is None
    again = replay(path)
    assert len(again.t) == last.tick + 1
    assert np.array_equal(again.x[-1], last.x)


def test_a_loop_that_cannot_begin_says_why(tmp_path):
    """What the process says last comes with the error."""
    script = tmp_path / "broken.py"
    script.write_text((folder() / "bouncing_ball.py").read_text().replace("from published", "# from published"))
    loop = Loop(str(script))
    script.write_text("raise ValueError('not today')\n")
    with loop, pytest.raises(EvaluationError, match=r"did not begin.*not today"):
        loop.wait()


@pytest.fixture(scope="module")
def ball():
    """A loop that several tests use, whatever was done to it before."""
    with Loop("bouncing_ball") as loop:
        loop.wait()
        yield loop


def test_a_killed_loop_is_seen_and_can_be_started_again(ball):
    """Whoever holds the handle sees that the process is gone; a new one begins at the start."""
    os.kill(ball.pid, 9)
    until(lambda: not ball.alive)
    ball.start()
    assert ball.wait().t < 60.0
    with pytest.raises(EvaluationError, match="runs already"):
        ball.start()


def test_a_loop_ends_with_its_parent():
    """A parent that is killed leaves no loop behind, and no memory that the next would have to clean up."""
    before = _shared()
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(SRC)], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until(lambda: not _runs(pid))
    assert _shared() <= before


def _shared() -> set[str]:
    """What has a name of ours in the place for shared memory."""
    return {str(each) for each in Path("/dev/shm").glob("latchwork-*")}


def test_no_room_for_shared_memory_is_said(monkeypatch):
    """Where every byte is not there, it is said before the loop starts, not by its death."""
    monkeypatch.setattr("latchwork.realtime.link.tempfile.TemporaryFile", Full)
    with pytest.raises(EvaluationError, match=r"no room for \d+ bytes of shared memory \(No space left"), Loop("chain"):
        pass


class Full:
    """A file on a full disk."""

    def __init__(self, **_: object) -> None:
        pass

    def write(self, data: bytes) -> int:
        return len(data) // 2

    def close(self) -> None:
        pass


def _runs(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_flood_of_commands_stops_nothing(ball):
    """Commands beyond the room for them are refused and counted; bad ones are answered; the loop ticks on."""
    junk = [{"do": "x" * 300}, [1, 2], "pause", {"do": "move", "to": [1e300, None]}, {"do": "set", "name": 3}, None]
    taken = sum(ball.send(junk[k % len(junk)]) for k in range(6_000))
    assert taken + ball.refused == 6_000
    state = ball.state()
    until(lambda: ball.state().tick > state.tick + 100)
    assert ball.alive
    until(lambda: ball.send({"do": "pause"}))

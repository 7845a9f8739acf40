"""Sessions: recorded by tick, and made again bit for bit, also elsewhere."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from latchwork.errors import FileError, IntegrationError
from latchwork.realtime.devices.scripted import scripted
from latchwork.realtime.exhibit import exhibit_of
from latchwork.realtime.live import Live
from latchwork.realtime.replay import replay
from latchwork.realtime.session import Log

SRC = Path(__file__).resolve().parents[2] / "src"
ELSEWHERE = "import sys; sys.path.insert(0, sys.argv[1]); from latchwork.realtime.replay import replay; \
r = replay(sys.argv[2]); print(r.checksum, r.x[-1].tobytes().hex())"


def recorded(path: Path) -> Live:
    """A caster dragged about, rewound, its mass changed, its bearing held and released; what it came to."""
    live = Live(exhibit_of("caster"), source="caster")
    at = live.grip.pose("basket", (0.0, 0.0, 0.0), live.x).place
    for k in range(1500):
        if k == 20:
            live.do({"do": "grab", "body": "basket", "at": list(at)})
        if 20 < k < 1200 and k % 17 == 0:
            live.do({"do": "move", "to": [at[0] + 3e-4 * k, at[1] + 0.1 * np.sin(k / 90), 0.0]})
        if k == 300:
            live.do({"do": "rewind", "seconds": 0.1})
            live.do({"do": "grab", "body": "basket", "at": [0.1, 0.1, 0.0]})
        if k == 700:
            live.do({"do": "set", "name": "m_B", "value": 33.0})
        if k == 900:
            live.do({"do": "hold", "name": "caster is stuck"})
        live.tick()
    live.save(path)
    return live


@pytest.mark.campaign
def test_a_session_is_the_same_in_another_process(tmp_path):
    """Every state of the recording comes again, there as here: one checksum, the same last bits."""
    path = tmp_path / "session.jsonl"
    live = recorded(path)
    here = replay(path)
    assert here.checksum == live.log.checksum
    assert np.array_equal(here.x[-1], live.x)
    there = subprocess.run([sys.executable, "-c", ELSEWHERE, str(SRC), str(path)], capture_output=True, text=True,
                           check=True, timeout=120)  # fmt: skip
    assert there.stdout.split() == [live.log.checksum, live.x.tobytes().hex()]


def test_what_another_device_read_is_recorded(tmp_path):
    """A scripted hand is recorded by its readings, and its session needs no script."""
    script = [{"body": "lower", "arm": [0.0, -0.5, 0.0], "path": [[0.0, 0.9, -1.4, 0.0], [0.2, 1.2, -1.2, 0.0]]}]
    live = Live(exhibit_of("double_pendulum"), device=scripted(script), source="double_pendulum")
    live.tick()
    with pytest.raises(FileError, match="Record, then reset"):
        live.save(tmp_path / "session.jsonl")
    live.do({"do": "record", "on": True})
    live.do({"do": "reset"})
    for _ in range(300):
        live.tick()
    again = replay(live.save(tmp_path / "session.jsonl"))
    assert again.checksum == live.log.checksum
    assert np.array_equal(again.x[-1], live.x)


def test_a_recording_that_was_changed_is_noticed(tmp_path):
    """A command that is not what it was gives other states, and the replay says from where on."""
    path = tmp_path / "session.jsonl"
    recorded(path)
    text = path.read_text()
    path.write_text(text.replace('"value": 33.0', '"value": 34.0'))
    with pytest.raises(IntegrationError, match="differs from the recording within the ticks before 1000"):
        replay(path)


@pytest.mark.parametrize(("line", "text", "words"), [
    (0, "{}", "this is no session"),
    (0, "[" * 10000, "no JSON"),
    (0, None, "this is no session"),
    (1, '["do", -1, {}]', "a tick that is not before"),
    (1, '["do", 1e9, {}]', "a tick that is not before"),
    (1, '["run", 3, "rm"]', "no row begins with 'run'"),
    (1, '["hand", 3, "a", [0, 0], [0, 0, 0], [0, 0, 0], null, [0, 0, 0]]', "no reading of a hand"),
    (1, '["hand", 3, "a", [0, 0, NaN], [0, 0, 0], [0, 0, 0], null, [0, 0, 0]]', "no reading of a hand"),
    (1, "x" * 200_000, "longer than any session"),
    (1, '["do", 3, {"do": "record", "on": false}]', "no row begins with 'do'"),
    (-1, '["sum", 9, "0"]', "it has no end"),
    (-1, '["end", 100000000, "0"]', "claims 100000000 ticks, and has no checksum at 1000"),
])  # fmt: skip
def test_files_that_are_no_sessions_are_refused(tmp_path, line, text, words):
    """Nothing in a file is believed before it fits."""
    live = Live(exhibit_of("bouncing_ball"), source="bouncing_ball")
    for _ in range(5):
        live.tick()
    path = live.save(tmp_path / "session.jsonl")
    lines = path.read_text().splitlines()
    if text is not None:
        lines[line:] = [text, *([] if line == -1 else lines[line + 1 :])] if line else [text, *lines[1:]]
    path.write_text("\n".join(lines if text is not None else []))
    with pytest.raises(FileError, match=words):
        replay(path)


def test_another_version_of_the_mechanism_is_refused(tmp_path):
    """The source has to be what it was."""
    live = Live(exhibit_of("bouncing_ball"), source="bouncing_ball")
    live.tick()
    path = live.save(tmp_path / "session.jsonl")
    head, *rest = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(head) | {"digest": "0"}), *rest]))
    with pytest.raises(FileError, match="is not what it was"):
        replay(path)


def test_a_session_that_is_too_long_says_so(tmp_path):
    """What is kept is bounded; a session that was cut is not written."""
    log = Log(most=3)
    for _ in range(5):
        log.command({"do": "drop"})
    with pytest.raises(FileError, match="longer than 3 rows"):
        log.save(tmp_path / "x.jsonl", "bouncing_ball", 1e-3, "pointer")


MINE = """from pathlib import Path
from latchwork.realtime.exhibit import exhibit_of
Path(__file__).with_suffix(".ran").touch()
live = lambda: exhibit_of("bouncing_ball")
"""


def scripted_session(folder: Path, **head: object) -> tuple[Path, Path]:
    """A session of a script, with another head where one is given, and a mark that stands where the script has run."""
    script, ran = folder / "mine.py", folder / "mine.ran"
    script.write_text(MINE)
    live = Live(exhibit_of(str(script)), source=str(script))
    live.tick()
    path = live.save(folder / "session.jsonl")
    ran.unlink()
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(json.loads(first) | head), *rest]))
    return path, ran


def test_a_session_never_executes_a_script(tmp_path):
    """It names none, and one that was written into it is not opened; whoever replays it names the script."""
    path, ran = scripted_session(tmp_path)
    with pytest.raises(FileError, match=r"executed only where you name it yourself"):
        replay(path)
    assert not ran.exists()
    assert replay(path, script=tmp_path / "mine.py").checksum
    assert ran.exists()


@pytest.mark.parametrize("named", ["mine.py", "./mine.py", "../mine", "mine", "mine.pyc", "/dev/stdin", 7, ["mine.py"]])
def test_a_session_names_an_example_or_a_model_file(tmp_path, monkeypatch, named):
    """Whatever else stands there is refused, and not looked at."""
    monkeypatch.chdir(tmp_path)
    path, ran = scripted_session(tmp_path, source=named)
    with pytest.raises(FileError, match=r"neither an example nor a model file|there is no example"):
        replay(path)
    assert not ran.exists()


def test_a_session_of_a_model_file_needs_no_more(tmp_path):
    """A model file is read, and executes nothing."""
    source = Path(__file__).resolve().parents[2] / "examples" / "double_pendulum.yaml"
    live = Live(exhibit_of(str(source)), source=str(source))
    live.tick()
    path = live.save(tmp_path / "session.jsonl")
    assert replay(path).checksum == live.log.checksum
    with pytest.raises(FileError, match=r"not from a script. Leave script= out"):
        replay(path, script="mine.py")

"""``latchwork serve`` and ``latchwork demo``: the address is printed, the page is there, and it ends when asked to."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import latchwork as lw
from latchwork.cli import main
from latchwork.errors import FileError
from latchwork.realtime.exhibit import exhibit_of
from latchwork.realtime.live import Live
from latchwork.realtime.session import digest
from latchwork.view import demo
from latchwork.view.live import serving
from latchwork.view.live.picture import picture_of
from latchwork.view.live.server import Server
from latchwork.view.live.serving import gate_for, source_of
from live_house import FEEDER

FILES = ("double_pendulum.yaml", "four_bar.yaml")
PENDULUM = str(Path(__file__).parents[3] / "examples" / "double_pendulum.yaml")


@pytest.fixture
def served():
    """A function that starts a command in a process of its own, and waits for the address it prints."""
    made: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> tuple[str, subprocess.Popen[str]]:
        process = subprocess.Popen([sys.executable, "-m", "latchwork", *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=os.environ | {"CI": "1"})  # fmt: skip
        made.append(process)
        line = process.stdout.readline()
        return re.search(r"http://\S+", line)[0], process

    yield start
    for process in made:
        process.kill()
        process.communicate()


def apart(work: Callable[..., Any], *given: Any) -> Any:
    """In a thread of its own: a browser that is driven from this one has its event loop here."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work, *given).result(120)


def status(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def ended(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str, str]:
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_demo_serves_until_interrupted(served, tmp_path):
    """No plots, no files: the page is there until Ctrl-C, which ends it in order, without a word on stderr."""
    address, process = served("demo", "--serve", "-o", str(tmp_path / "demo"))
    assert status(address) == 200
    assert list(tmp_path.iterdir()) == []
    assert ended(process, signal.SIGINT) == (0, "stopped\n", "")


def test_a_robot_is_served_as_it_was_asked_for():
    """What is said of a robot travels with its source: base, floor and stops are those of `lw.load`; so do replays."""
    dog = Path(__file__).resolve().parents[3] / "examples" / "dog.urdf"
    (source,) = source_of(str(dog), {"floating": True, "ground": True}).values()
    exhibit = exhibit_of(source)
    own = lw.load(dog, floating=True, ground=True)
    assert exhibit.model.equations().q_names == own.equations().q_names
    assert len(exhibit.model.collisions) == len(own.collisions) == 1
    assert digest(source) == digest(str(dog))
    with pytest.raises(FileError, match=r"floating: only robots .* take options; four_bar.yaml is none"):
        source_of(str(dog.with_name("four_bar.yaml")), {"floating": True})


def test_any_other_host_needs_the_token_that_is_printed(served):
    """With it the page is served, without it it is not; a request to terminate ends it as well."""
    address, process = served("serve", FEEDER, "--host", "0.0.0.0", "--port", "0")
    token = re.search(r"\?token=([\w-]{20,})#live_feeder$", address)[1]
    here = f"http://127.0.0.1:{urlsplit(address).port}/"
    assert [status(here), status(f"{here}?token={token}")] == [403, 200]
    assert ended(process, signal.SIGTERM) == (0, "stopped\n", "")


def test_the_usual_port_gives_way(monkeypatch):
    """Without --port, a port that is taken is no obstacle."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(serving, "PORT", taken.getsockname()[1])
        server = Server({}, gate_for("127.0.0.1"))

        async def start() -> int:
            port = await serving._bound(server, server.gate, None)
            await server.stop()
            return port

        assert apart(asyncio.run, start()) not in (0, serving.PORT)


def test_a_model_that_says_nothing_can_be_touched():
    """A file starts where its run does, or at rest; parameters slide that no loop is made of, coordinates are held."""
    pendulum, linkage = (exhibit_of(str(Path(PENDULUM).with_name(name))) for name in FILES)
    assert set(pendulum.sliders) == {"m", "L", "g", "c"}
    assert [latch.name for latch in pendulum.constraints] == ["hold q1", "hold q2"]
    assert not set(linkage.sliders) & {"a", "b", "c", "d"}
    live = Live(pendulum)
    live.do({"do": "hold", "name": "hold q2"})
    for _ in range(100):
        live.tick()
    assert live.x[1] == pytest.approx(pendulum.q["q2"], abs=1e-12)


def test_a_script_with_a_model_alone_is_at_rest(tmp_path):
    """Coordinates that nobody gave are zero, and the picture is made."""
    script = tmp_path / "arm.py"
    script.write_text("""
import latchwork as lw
def build():
    model = lw.Model("arm")
    ball = model.ball("shoulder")
    center = ball.origin.at("c", -0.5 * ball.frame.z)
    model.body("arm", frame=ball, center=center, mass=1.0, inertia=lw.inertia(ball.frame, 0.1, 0.1, 0.1))
    return model
""", encoding="utf-8")  # fmt: skip
    exhibit = exhibit_of(str(script))
    assert sorted(exhibit.q.values()) == [0.0, 0.0, 0.0, 1.0]
    assert not picture_of(exhibit).scene["flat"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["serve", "nothing.py"], 3, "there is no file nothing.py"),
        (["serve", __file__], 3, "has neither live\\(\\) nor build\\(\\)"),
        (["serve", PENDULUM, "--port", "70000"], 2, "is no port"),
        (["serve", PENDULUM, "--port", "x"], 2, "is no port"),
    ],
)
def test_what_cannot_be_served_is_refused(arguments, code, words, capsys):
    """A file that is not there, a script that shows nothing, a port that is none."""
    assert main(arguments) == code
    assert re.search(words, capsys.readouterr().err)


def test_a_port_that_is_taken_is_said(capsys):
    """The message names the port, and a way out."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert apart(main, ["serve", PENDULUM, "--port", str(port)]) == 2
    assert re.search(f"port {port} of 127.0.0.1 cannot be listened on: .* --port 0", capsys.readouterr().err)


def test_demo_without_a_terminal_ends_by_itself(tmp_path, capsys, monkeypatch):
    """After the plots it says how the gallery is served, having started and stopped the server once."""
    monkeypatch.setattr(demo.gallery, "NAMES", ("double_pendulum",))
    monkeypatch.setattr(demo.main, "__defaults__", ("demo", False, ("double_pendulum",)))
    assert apart(main, ["demo", "-o", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert (tmp_path / "index.html").is_file()
    assert "latchwork demo --serve" in out.splitlines()[-1]
    assert "http://127.0.0.1:8321/" in out


KILLED = """
import os, sys
sys.path[:] = sys.argv[1].split(os.pathsep)
from latchwork.view.live import aside
pool = aside.workers()
print(pool.submit(os.getpid).result(), flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_killed_server_leaves_no_process_behind():
    """What typesets and draws for it ends as well."""
    with subprocess.Popen([sys.executable, "-c", KILLED, os.pathsep.join(sys.path)], stdout=subprocess.PIPE) as server:
        stat = Path(f"/proc/{int(server.stdout.readline())}/stat")
    end = time.monotonic() + 60.0
    while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end
        time.sleep(0.02)

"""The live page as a widget: its sockets are relayed, and the page runs in a frame that asks no network."""

from __future__ import annotations

import base64
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import time

import pytest

import latchwork as lw
from latchwork.view import gallery
from latchwork.view.widget import Relay, _source, _text, page, show
from live_house import until

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
HARNESS = """<div id="cell"></div><script type="module">
const heard = [];
window.down = (message, bytes) => {
  const data = bytes ? Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)) : null;
  for (const each of heard) each(message, data ? [new DataView(data.buffer)] : []);
};
const model = { get: (key) => window.given[key], send: (message) => window.up(message),
                on: (_, each) => heard.push(each), off() {} };
const module = await import(URL.createObjectURL(new Blob([window.given.esm], { type: "text/javascript" })));
module.default.render({ model, el: document.getElementById("cell") });
</script>"""


def pendulum() -> tuple[str, str]:
    return _source(gallery.load("double_pendulum").models()[0], {"q1": 0.5}, {})


def test_the_page_is_one_text():
    """Nothing is loaded: scripts and style are inside, sockets go to the window around."""
    text = page("pendulum")
    assert not re.search(r"""(?:src|href)=["']""", text.replace('href="#"', ""))
    assert text.index("class RelayedSocket") < text.index("class Wire")


def test_sockets_are_relayed():
    """A socket that the page opens hears the room: words and frames, until it is closed."""
    name, source = pendulum()
    said: queue.Queue = queue.Queue()
    relay = Relay({name: source}, lambda message, buffers: said.put((message["latchwork"], buffers)))
    try:
        relay.hear({"latchwork": "open", "id": "1", "path": f"/live?name={name}"})
        kinds, until = set(), time.monotonic() + 60.0
        while not {"opened", "text", "frame"} <= kinds and time.monotonic() < until:
            kind, buffers = said.get(timeout=60.0)
            kinds.add(kind)
            assert (kind == "frame") == bool(buffers)
        assert {"opened", "text", "frame"} <= kinds
        relay.hear({"latchwork": "close", "id": "1"})
        while kind != "closed":
            kind, _ = said.get(timeout=20.0)
        relay.hear("what is no message is not heard")
    finally:
        relay.stop()
    assert not relay.thread.is_alive()


@pytest.mark.parametrize("goes", ["says so", "falls silent"])
def test_a_mechanism_that_nobody_looks_at_ends(goes):
    """A page that is closed, or is not heard any more, leaves its room; the loop of an empty room is stopped."""
    name, source = pendulum()
    said: queue.Queue = queue.Queue()
    relay = Relay({name: source}, lambda message, buffers: said.put(message["latchwork"]),
                  silent=300.0 if goes == "says so" else 0.5, idle=0.4)  # fmt: skip
    try:
        relay.hear({"latchwork": "open", "id": "1", "path": f"/live?name={name}"})
        while said.get(timeout=60.0) != "opened":
            pass
        if goes == "says so":
            relay.hear({"latchwork": "close", "id": "1"})
        while said.get(timeout=60.0) != "closed":
            pass
        until(lambda: not relay.server.rooms, 60.0)
    finally:
        relay.stop()


def test_a_mechanism_ends_with_its_interpreter(tmp_path):
    """A script that shows a model and ends leaves no process behind, and says nothing."""
    script = tmp_path / "show.py"
    script.write_text("""
import time
from latchwork.view import gallery
from latchwork.view.widget import Relay, _source
name, source = _source(gallery.load("double_pendulum").models()[0], {}, {})
relay = Relay({name: source}, lambda message, buffers: None)
while not (relay.server.rooms[name].desk.loop and relay.server.rooms[name].desk.loop.pid):
    time.sleep(0.02)
print(relay.server.rooms[name].desk.loop.pid)
""")
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=True)
    assert not ended.stderr
    until(lambda: not runs(int(ended.stdout)), 20.0)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_what_is_missing_is_said(monkeypatch):
    """Without anywidget, the words say how to have it; what is no model is refused."""
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(lw.EvaluationError, match=r"lw\.show needs anywidget, which is not installed"):
        show(gallery.load("double_pendulum").models()[0])
    with pytest.raises(lw.LatchworkError, match="Give a model"):
        show("pendulum")


@pytest.mark.campaign
def test_the_mechanism_runs_in_a_frame():
    """In a browser without a network: the script of the widget, the page in its frame, and a clock that goes on."""
    playing = pytest.importorskip("playwright.sync_api")
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        pytest.skip("there is no chromium")
    name, source = pendulum()
    said: queue.Queue = queue.Queue()
    relay = Relay({name: source}, lambda message, buffers: said.put((message, buffers)))
    with playing.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        try:
            shown = browser.new_context(offline=True).new_page()
            shown.expose_function("up", relay.hear)
            given = {"page": page(name), "height": 600, "esm": _text("widget.js")}
            shown.add_init_script(f"window.given = {json.dumps(given)}")
            shown.goto("about:blank")
            shown.set_content(HARNESS)
            frame, times = shown.frame_locator("iframe"), []
            until = time.monotonic() + 60.0
            while time.monotonic() < until and len(set(times)) < 3:
                while not said.empty():
                    message, buffers = said.get()
                    data = base64.b64encode(buffers[0]).decode() if buffers else None
                    shown.evaluate("([message, data]) => window.down(message, data)", [message, data])
                shown.wait_for_timeout(50)
                clock = frame.locator("#clock")
                if clock.count():
                    times.append(clock.first.inner_text())
            assert len(set(times)) >= 3
        finally:
            browser.close()
            relay.stop()


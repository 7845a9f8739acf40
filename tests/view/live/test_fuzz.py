"""Hostile pages: truncated, huge, of wrong types, not numbers, floods. The loop ticks on, and nothing grows."""

from __future__ import annotations

import contextlib
import json
import random
import threading

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

from campaign import seeds
from latchwork.realtime.commands import COMMANDS
from latchwork.view.live import visitor
from live_house import House, Listener, in_a_thread

ODD = [None, True, -1, 0, 1e308, -1e308, 1e-320, "", "lower", "caster is stuck", "x" * 5000, [], {}, [[]], [1, 2],
       [0, 0, 0], [1e9, -1e9, 0], ["a", "b", "c"], [[0, 0], [1, 1]], [[0, 0]] * 500, {"do": "go"},
       "NaN", 2**80, 0.5]  # fmt: skip
LITERAL = ["NaN", "Infinity", "-Infinity", "1e999", "9" * 400, "tru", "\u0000", "\ud800"]


def message(rng: random.Random) -> str | bytes:
    """One message that no page of ours would send, or nearly one."""
    do = rng.choice([*COMMANDS, "eval", "__import__", "", 7])
    body = {"do": do} | {name: rng.choice(ODD) for name in COMMANDS.get(do, {}) if rng.random() < 0.9}
    if rng.random() < 0.3:
        body["id"] = rng.choice(ODD)
    text = json.dumps(body)
    kind = rng.randrange(8)
    if kind == 0:
        return text[: rng.randrange(len(text))]
    if kind == 1:
        return text.replace("null", rng.choice(LITERAL)).encode("utf-8", "replace").decode()
    if kind == 2:
        return rng.randbytes(rng.randrange(200))
    if kind == 3:
        return "[" * rng.randrange(3000)
    if kind == 4 and rng.random() < 0.05:
        return "x" * rng.randrange(60_000)
    return text


def attack(house: House, count: int, seed: int) -> int:
    """Send so many messages, opening another page when one is closed; how many went out."""
    rng, sent = random.Random(seed), 0
    while sent < count:
        with contextlib.suppress(ConnectionClosed, OSError, TimeoutError), house.socket("/live?name=caster") as made:
            reader = threading.Thread(target=_drain, args=(made,), daemon=True)
            reader.start()
            while sent < count:
                sent += 1
                made.send(message(rng))
    return sent


def _drain(made) -> None:
    with contextlib.suppress(ConnectionClosed, OSError):
        for _ in made:
            pass


def survives(count: int) -> None:
    with House({"caster": "caster"}, workers=in_a_thread) as house, house.socket("/live?name=caster") as made:
        page = Listener(made)
        page.wait(lambda: page.frames and page.head["tick"] > 100)
        before = dict(page.head)
        attacker = threading.Thread(target=attack, args=(house, count, 6))
        attacker.start()
        while attacker.is_alive():
            frames = page.frames
            page.wait(lambda frames=frames: page.frames > frames)
        page.say(do="reset", id="after")
        page.wait(lambda: [word for word in page.told("answer") if word["id"] == "after"])
        page.say(do="go")
        page.wait(lambda: page.head["paused"] == 0.0 and page.head["tick"] > before["tick"])
        tick = page.head["tick"]
        page.wait(lambda: page.head["tick"] > tick + 500)
        room = house.server.rooms["caster"]
        assert room.desk.loop.alive
        assert np.isfinite(room.state.x).all()
        assert room._tries == 0
        assert page.head["rss"] < before["rss"] + 60e6
        assert len(room.desk._asked) <= 1000


@pytest.fixture(params=seeds(["heard"], ["limited"]))
def rate(request, monkeypatch):
    """Messages pass at the usual rate, or all of them do."""
    if request.param == "heard":
        monkeypatch.setattr(visitor, "RATE", 1e9)
        monkeypatch.setattr(visitor, "AT_ONCE", 1e9)


def test_two_hundred_hostile_messages(rate):
    """The loop ticks on, its state is finite, another page has its frames, memory stays."""
    survives(200)


@pytest.mark.campaign
def test_ten_thousand_hostile_messages(rate):
    """The same, fifty times as many."""
    survives(10_000)

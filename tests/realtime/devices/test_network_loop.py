"""A client of the network device, and a loop that runs by the clock in a process of its own."""

from __future__ import annotations

import socket
import time

import pytest

from latchwork.realtime.devices.client import Client
from latchwork.realtime.process import Loop


@pytest.fixture(scope="module")
def port():
    """A port that is free."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(found, seconds=60.0):
    """What a function gives, once it gives something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.002)
    raise AssertionError("nothing came")


def test_a_client_holds_a_body_of_a_running_loop(port):
    """Packets of the reference client: the body follows, the force comes back, noise is harmless, silence lets go."""
    device = f"network:{port},damping=20,stale=0.5"
    noise = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with noise, Loop("double_pendulum", device=device) as loop, Client(port) as client:
        loop.wait(120.0)
        names = loop.exhibit.bodies
        told = until(lambda: client.send(body=len(names) - 1) and client.receive(0.05))
        home = told.place
        goal = (home[0] - 0.2, home[1] + 0.1, home[2])

        def near():
            noise.sendto(b"noise", ("127.0.0.1", port))
            client.send(body=len(names) - 1, place=goal)
            felt = client.receive(0.05)
            return felt if felt and abs(felt.place[0] - goal[0]) < 0.1 else None

        felt = until(near)
        state = until(lambda: (found := loop.state()) and found.hand.body >= 0 and found)
        assert state.hand.body == felt.body == len(names) - 1
        assert any(felt.force)
        assert state.hand.stiffness * loop.exhibit.step / 2.0 + state.hand.damping < 20.0
        until(lambda: loop.state().hand.body == -1)
        assert loop.alive

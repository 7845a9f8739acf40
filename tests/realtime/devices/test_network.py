"""The network device: its packets, what it believes, and what it drops."""

from __future__ import annotations

import math
import random
import socket
import struct
import time

import pytest

from latchwork.errors import EvaluationError
from latchwork.realtime.devices.client import Client
from latchwork.realtime.devices.device import FREE, Reading, Showing
from latchwork.realtime.devices.network import AT_ONCE, NetworkDevice
from latchwork.realtime.devices.protocol import (
    FORCE,
    HAND,
    ForcePacket,
    HandPacket,
    newer,
    pack_force,
    pack_hand,
    unpack_force,
    unpack_hand,
)
from realtime_mechanisms import still

FULL = HandPacket(7, 1, (0.1, 0.2, 0.3), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (0.6, 0.8, 0.0, 0.0), (0.7, 0.8, 0.9),
                  (10.0, 11.0, 12.0), (13.0, 14.0, 15.0))  # fmt: skip
STEP = 1e-3


@pytest.fixture
def device():
    device = NetworkDevice(["a", "b"])
    yield device
    device.close()


@pytest.fixture
def wire(device):
    """A client that sends any bytes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        wire.connect(("127.0.0.1", device.port))
        yield wire


@pytest.fixture
def client(device):
    with Client(device.port) as client:
        yield client


def heard(device, count, t=0.0):
    """The reading once so many packets have arrived, good or bad; packets need a moment even on one machine."""
    for _ in range(2000):
        reading = device.read(0, t)
        if device.counts.accepted + device.counts.malformed + device.counts.late + device.counts.strangers >= count:
            break
        time.sleep(0.001)
    return reading


def test_packets_have_the_documented_size_and_go_there_and_back():
    """192 and 184 bytes, little-endian; every field comes back as it was."""
    assert (HAND.size, FORCE.size) == (192, 184)
    assert unpack_hand(pack_hand(FULL), 2) == FULL
    assert unpack_hand(pack_hand(HandPacket(3)), 2) == HandPacket(3)
    told = ForcePacket(9, 12345678901, 0.25, 1, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), (7.0, 8.0, 9.0), (1.0, 1.0, 1.0),
                       (0.0, 1.0, 0.0, 0.0), (2.0, 2.0, 2.0))  # fmt: skip
    assert unpack_force(pack_force(told)) == told
    assert pack_hand(FULL)[:16] == b"LWHD" + struct.pack("<HHIi", 1, 7, 7, 1)


def test_a_hand_packet_becomes_a_reading(device, wire):
    """Body by number, everything else as it was sent."""
    wire.send(pack_hand(FULL))
    assert heard(device, 1) == Reading("b", *FULL[2:])


def test_the_force_comes_back_with_the_handles_motion(device, client):
    """The packet that is answered, the tick, what is felt, and how the handle moves."""
    assert isinstance(device, Showing)
    sequence = client.send(body=0, place=(0.5, 0.0, 0.0))
    heard(device, 1)
    device.show(4, 0.004, still((0.1, 0.2, 0.3), (1.0, 0.0, 0.0)))
    device.write(4, 0.004, (1.0, 2.0, 3.0), (0.0, 0.0, 4.0))
    felt = client.receive(timeout=2.0)
    assert felt[:6] == (sequence, 4, 0.004, 0, (1.0, 2.0, 3.0), (0.0, 0.0, 4.0))
    assert felt[6:] == ((0.1, 0.2, 0.3), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert client.receive() is None


def test_velocity_is_worked_out_where_it_is_not_sent(device, client):
    """From the places of two packets and the time between the ticks that heard them."""
    client.send(body=0, place=(0.5, 0.0, 0.0))
    assert heard(device, 1).velocity == (0.0, 0.0, 0.0)
    client.send(body=0, place=(0.6, 0.0, 0.0))
    assert heard(device, 2, t=0.02).velocity == pytest.approx((5.0, 0.0, 0.0))


def test_a_silent_client_has_let_go(device, client):
    """After the time that makes a packet stale; another client may come then."""
    client.send(body=0, place=(0.5, 0.0, 0.0))
    assert heard(device, 1).body == "a"
    assert device.read(99, 0.099).body == "a"
    assert device.read(101, 0.101) is FREE
    device.write(102, 0.102, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    assert client.receive() is None
    with Client(device.port) as other:
        other.send(body=1)
        assert heard(device, 2, t=0.2).body == "b"
    assert device.counts.silences == 1


def test_letting_go_is_a_packet_too(device, client):
    """A packet without a body."""
    client.send(body=0)
    assert heard(device, 1).body == "a"
    client.drop()
    assert heard(device, 2) is FREE


def test_old_packets_and_second_clients_are_dropped(device, wire):
    """The newest sequence number counts, around the end of 32 bits; a second client waits until the first is silent."""
    assert newer(0, 0xFFFFFFFF)
    assert not newer(0xFFFFFFFF, 0)
    wire.send(pack_hand(HandPacket(5, 0, place=(1.0, 0.0, 0.0))))
    heard(device, 1)
    wire.send(pack_hand(HandPacket(4, 0, place=(2.0, 0.0, 0.0))))
    assert heard(device, 2).place == (1.0, 0.0, 0.0)
    with Client(device.port) as other:
        other.send(body=1)
        assert heard(device, 3).body == "a"
    assert (device.counts.accepted, device.counts.late, device.counts.strangers) == (1, 1, 1)


def changed(**fields):
    """A good packet with one thing wrong."""
    return pack_hand(FULL._replace(**fields))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        pack_hand(FULL)[:-1],
        pack_hand(FULL) + b"\0",
        b"LWFC" + pack_hand(FULL)[4:],
        pack_hand(FULL)[:4] + b"\2\0" + pack_hand(FULL)[6:],
        pack_hand(FULL)[:6] + b"\xff\xff" + pack_hand(FULL)[8:],
        changed(body=2),
        changed(place=(math.nan, 0.0, 0.0)),
        changed(velocity=(0.0, math.inf, 0.0)),
        changed(arm=(0.0, 0.0, 1e7)),
        changed(turn=(1.0, 1.0, 0.0, 0.0)),
        changed(force=(math.nan, 0.0, 0.0)),
    ],
)
def test_what_is_malformed_is_counted_and_dropped(device, wire, data):
    """Size, magic, version, flags, body, NaN, range, quaternion: the hand stays as it was."""
    wire.send(pack_hand(HandPacket(1, 0, place=(0.5, 0.0, 0.0))))
    before = heard(device, 1)
    wire.send(data)
    assert heard(device, 2) == before
    assert (device.counts.accepted, device.counts.malformed) == (1, 1)


def test_noise_never_becomes_a_reading_that_is_not_finite():
    """10,000 random and damaged packets: what is believed at all is finite and in range."""
    rng, good, believed = random.Random(5), pack_hand(FULL), 0
    for _ in range(10_000):
        data = bytearray(good) if rng.random() < 0.8 else bytearray(rng.randbytes(rng.choice([0, 16, 192, 193])))
        for _ in range(rng.randrange(4)):
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
        found = unpack_hand(bytes(data), 2)
        if found is not None:
            numbers = [*found.arm, *found.place, *(found.velocity or ()), *(found.turn or ()), *found.spin,
                       *found.force, *found.torque]  # fmt: skip
            assert all(abs(number) <= 1e6 for number in numbers)
            assert -1 <= found.body < 2
            believed += 1
    assert 2_000 < believed < 8_000  # a fourth of those that begin as good ones are not damaged


def test_a_flood_costs_a_tick_no_more_than_its_share(device, wire):
    """Of a thousand packets at once a tick looks at a few dozen."""
    for _ in range(200):
        wire.send(b"noise")
    heard(device, 1)
    assert device.counts.malformed <= AT_ONCE * 2


def test_a_port_that_is_taken_is_refused(device):
    """Its number, why, and what to do."""
    with pytest.raises(EvaluationError, match=rf"port {device.port} on 127.0.0.1 cannot be used \(.*\). Give another"):
        NetworkDevice(["a"], device.port)

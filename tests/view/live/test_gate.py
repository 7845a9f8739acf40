"""Who may come in, and how much each may say."""

from __future__ import annotations

import pytest

from latchwork.view.live.gate import Bucket, Gate, Refused, is_loopback, new_token
from latchwork.view.live.serving import address_of, gate_for


@pytest.mark.parametrize("host", ["127.0.0.1:80", "localhost:8000", "LOCALHOST", "[::1]:8321", "127.0.0.1"])
def test_this_machine_is_let_in(host):
    """Every name of loopback, with any port, names a server that listens there."""
    Gate("127.0.0.1").must_name_us(host)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:80", "192.168.0.7:8000", "", None, "[::1", "a@b"]
)
def test_other_names_are_refused(host):
    """A name that only leads here (DNS rebinding), another address, and what is no address."""
    with pytest.raises(Refused, match="is not an address of this server"):
        Gate("127.0.0.1").must_name_us(host)


def test_an_address_in_the_network_needs_its_token():
    """Bound elsewhere than to loopback, numbers are let in by name, and everything by token only."""
    gate = gate_for("0.0.0.0")
    gate.must_name_us("192.168.0.7:8000")
    gate.must_carry_token(gate.token)
    for wrong in (None, "", "x", gate.token[:-1], gate.token + "x", "é"):
        with pytest.raises(Refused, match="needs its token"):
            gate.must_carry_token(wrong)
    with pytest.raises(Refused, match="is not an address"):
        gate.must_name_us("evil.example")


def test_loopback_needs_no_token():
    """On this machine the address is enough; what is not loopback is known as such."""
    assert gate_for("127.0.0.1").token is None
    assert [is_loopback(host) for host in ("::1", "127.9.9.9", "localhost", "0.0.0.0", "example.org")] == [
        True, True, True, False, False]  # fmt: skip
    assert len({new_token() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "origin", [None, "", "null", "http://evil.example", "http://127.0.0.1:81", "file://", "ftp://127.0.0.1:80", "http://"]
)
def test_a_socket_is_opened_by_our_own_page_only(origin):
    """The origin is the very address that the socket is opened at."""
    with pytest.raises(Refused, match="Only pages of this server"):
        Gate("127.0.0.1").must_come_from_us(origin, "127.0.0.1:80")
    Gate("127.0.0.1").must_come_from_us("http://127.0.0.1:80", "127.0.0.1:80")


def test_a_bucket_gives_what_has_flowed_in():
    """So many at once, then as many as the rate allows."""
    bucket = Bucket(10.0, 5.0)
    assert [bucket.takes(100.0) for _ in range(6)] == [True] * 5 + [False]
    assert [bucket.takes(100.25) for _ in range(3)] == [True, True, False]
    assert sum(bucket.takes(200.0) for _ in range(99)) == 5


def test_the_address_that_is_printed_carries_what_is_needed():
    """Host, port, token and mechanism, with brackets where the host has colons."""
    assert address_of(Gate("127.0.0.1"), 80, "a b") == "http://127.0.0.1:80/#a%20b"
    assert address_of(Gate("::1", "t"), 80) == "http://[::1]:80/?token=t"

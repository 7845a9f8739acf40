"""Who may come in: hosts, origins and tokens; and how much each may say.

A page of another site can make a browser call this server, under a name that leads here (DNS rebinding): so the name in
the address must be one of ours, and whoever opens a socket must come from a page of that very address.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
LENGTH = 18  # bytes of a token


class Refused(Exception):
    """Someone who may not come in: a status, and why in words."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine."""
    if host in LOCAL:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    return secrets.token_urlsafe(LENGTH)


def host_in(address: str | None) -> str:
    """The host of ``host:port``, without port and brackets; nothing for what is no address."""
    try:
        return (urlsplit(f"//{address}").hostname or "") if address else ""
    except ValueError:
        return ""


@dataclass(frozen=True)
class Gate:
    """The host that is listened on, and the token that an address must carry, if any."""

    host: str
    token: str | None = None

    def must_name_us(self, host: str | None) -> None:
        """Refuse an address that is not one of ours: ``Host`` must be this machine, or with a token any number."""
        name = host_in(host)
        known = LOCAL | {self.host} if is_loopback(self.host) else LOCAL | {self.host, socket.gethostname().lower()}
        if name in known or (self.token is not None and _is_number(name)):
            return
        raise Refused(HTTPStatus.MISDIRECTED_REQUEST, f"'{name}' is not an address of this server.")

    def must_carry_token(self, token: str | None) -> None:
        """Refuse an address without the token, where there is one."""
        if self.token is not None and not hmac.compare_digest((token or "").encode(), self.token.encode()):
            raise Refused(HTTPStatus.FORBIDDEN, "The address needs its token: open the one that was printed at start.")

    def must_come_from_us(self, origin: str | None, host: str | None) -> None:
        """Refuse a socket that no page of this very address has opened."""
        parts = urlsplit(origin or "")
        if parts.scheme not in ("http", "https") or not host or parts.netloc.lower() != host.lower():
            raise Refused(HTTPStatus.FORBIDDEN, "Only pages of this server may open a socket here.")


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Bucket:
    """So many messages in a second, and some at once: each takes one from a bucket that fills at a rate."""

    def __init__(self, rate: float, room: float) -> None:
        self.rate, self.room = rate, room
        self.left, self.since = room, 0.0

    def takes(self, now: float) -> bool:
        """Whether one more may pass at a time, in s."""
        self.left = min(self.room, self.left + self.rate * (now - self.since))
        self.since = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True

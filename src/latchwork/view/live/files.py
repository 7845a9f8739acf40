"""What is served besides the socket: a few files of this package, by name. No path that is asked for is ever read."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from importlib.resources import files

from websockets.datastructures import Headers
from websockets.http11 import Response

KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "txt": "text/plain"}
FILES = {
    "/": ("live", "index.html"), "/draw.js": ("", "draw.js"), "/gl.js": ("", "gl.js"),
    "/wire.js": ("live", "wire.js"),
    "/bench.js": ("live", "bench.js"), "/panels.js": ("live", "panels.js"), "/plot.js": ("live", "plot.js"),
    "/gallery.js": ("live", "gallery.js"), "/main.js": ("live", "main.js"), "/live.css": ("live", "live.css"),
    "/icon.svg": ("live", "icon.svg"),
}  # fmt: skip
SAFE = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
}  # fmt: skip


@cache
def _read(folder: str, name: str) -> bytes:
    place = files("latchwork.view")
    return (place.joinpath(folder, name) if folder else place.joinpath(name)).read_bytes()


def answer(path: str) -> Response:
    """The file of a path, or that there is none."""
    if path not in FILES:
        return words(HTTPStatus.NOT_FOUND, "There is nothing here.")
    folder, name = FILES[path]
    return _response(HTTPStatus.OK, KINDS[name.rpartition(".")[2]], _read(folder, name))


def words(status: HTTPStatus, text: str) -> Response:
    """A plain answer."""
    return _response(status, KINDS["txt"], f"{text}\n".encode())


def _response(status: HTTPStatus, kind: str, body: bytes) -> Response:
    about = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body)), "Connection": "close"}
    return Response(status.value, status.phrase, Headers(**about, **SAFE), body)

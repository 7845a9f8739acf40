"""One browser for all tests of the page; they are skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from latchwork.view.live import room
from live_house import House
from live_page import Page

ARGUMENTS = ("--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update "
             "--disable-sync --disable-quic").split()  # fmt: skip
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("there is no chromium")
    with api.sync_playwright() as playing:
        made = playing.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield made
        made.close()


@pytest.fixture(scope="session")
def house() -> Iterator[House]:
    """A server with loops of its own, for all tests of the page; it shows half as many frames as usual."""
    with pytest.MonkeyPatch.context() as patched, House() as made:
        patched.setattr(room, "FRAME", 0.05)
        yield made


@pytest.fixture
def opened(browser: Any, house: House) -> Iterator[Any]:
    """Opens pages, and closes them again; none may have complained."""
    pages: list[Page] = []

    def open_page(name: str = "", **context: Any) -> Page:
        pages.append(Page(browser, house, name, **context))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()
    assert [complaint for page in pages for complaint in page.complaints] == []

"""Screenshots of every exhibit, the gallery, the demo page and a player: ``python docs/screenshots.py [folder]``.

At laptop and phone size, light and dark, to ``docs/_build/screenshots`` unless another folder is given; with sheets of
all of them, to be looked at. Needs Playwright and a chromium. The demo page is taken where ``make demo`` has put it.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

from page_pictures import NAMES, served
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from latchwork.view import gallery

ROOT = Path(__file__).resolve().parents[1]
SIZES = {"laptop": (1280, 800), "phone": (390, 844)}
MOVED = 0.7  # s that a mechanism has run when it is taken
PATIENCE = 40.0  # s
SHEET = 4  # pictures in a row


def main(folder: Path = ROOT / "docs" / "_build" / "screenshots") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    names = gallery.live_names()
    with served(names) as address, sync_playwright() as playing:
        path = next(filter(None, map(shutil.which, NAMES)))
        browser = playing.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for size in SIZES:
            for scheme in ("light", "dark"):
                taken = [_exhibit(browser, f"{address}#{name}", folder / f"{name}_{size}_{scheme}.png", size, scheme)
                         for name in names]  # fmt: skip
                _sheet(taken, folder / f"sheet_{size}_{scheme}.png")
                _still(browser, address, folder / f"gallery_{size}_{scheme}.png", size, scheme, 6000)
                demo = ROOT / "demo" / "index.html"
                if demo.is_file():
                    _still(browser, demo.as_uri(), folder / f"demo_{size}_{scheme}.png", size, scheme, 2500)
        browser.close()
    print(f"wrote {folder}")


def _opened(browser: Browser, address: str, size: str, scheme: str) -> Page:
    wide, high = SIZES[size]
    page = browser.new_page(viewport={"width": wide, "height": high}, color_scheme=scheme)  # type: ignore[arg-type]
    page.on("console", lambda message: print(address, message.text) if message.type == "error" else None)
    page.goto(address)
    return page


def _exhibit(browser: Browser, address: str, path: Path, size: str, scheme: str) -> Path:
    page, end = _opened(browser, address, size, scheme), time.monotonic() + PATIENCE
    while time.monotonic() < end and not page.evaluate(f"Boolean(app.bench && app.bench.head.t > {MOVED})"):
        page.wait_for_timeout(100)
    page.wait_for_timeout(300)
    page.screenshot(path=path)
    page.close()
    return path


def _still(browser: Browser, address: str, path: Path, size: str, scheme: str, wait: int) -> None:
    page = _opened(browser, address, size, scheme)
    page.wait_for_timeout(wait)
    page.screenshot(path=path)
    page.close()


def _sheet(paths: list[Path], out: Path) -> None:
    """All pictures beside and under each other, half as large."""
    pictures = [Image.open(path).convert("RGB").reduce(2) for path in paths]
    wide, high = pictures[0].size
    sheet = Image.new("RGB", (SHEET * wide, -(-len(pictures) // SHEET) * high), "white")
    for k, picture in enumerate(pictures):
        sheet.paste(picture, (k % SHEET * wide, k // SHEET * high))
    sheet.save(out)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))

"""Screenshots of every exhibit, the gallery, the demo page, three notebooks and six pages of the documentation:
``python docs/screenshots.py [folder]``.

At laptop and phone size, light and dark, to ``docs/_build/screenshots`` unless another folder is given; with sheets of
all of them, to be looked at. Needs Playwright, a chromium, nbconvert and ipykernel. The demo page is taken where ``make
demo`` has put it, the documentation where ``make docs`` has.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from page_pictures import BOOKS, NAMES, notebook_page, served
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from latchwork.view import gallery

ROOT = Path(__file__).resolve().parents[1]
SIZES = {"laptop": (1280, 800), "phone": (390, 844)}
MOVED = 0.7  # s that a mechanism has run when it is taken
PATIENCE = 40.0  # s
SHEET = 4  # pictures in a row
DOCS = ("index", "five-minutes", "howto/notebook", "howto/reaction-forces", "robots", "gallery")


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
        with TemporaryDirectory() as made:
            pages = dict(_pages(Path(made)))
            for size in SIZES:
                for scheme in ("light", "dark"):
                    paths = {name: folder / f"{name}_{size}_{scheme}.png" for name in pages}
                    for name, path in paths.items():
                        _still(browser, pages[name].as_uri(), path, size, scheme, 2500)
                    _sheet([*paths.values()], folder / f"sheet_pages_{size}_{scheme}.png")
        browser.close()
    print(f"wrote {folder}")


def _pages(folder: Path) -> Iterator[tuple[str, Path]]:
    """Pages that stand in files: the demo, notebooks that were run, the documentation; as far as they are there."""
    for book in sorted(BOOKS.glob("*.ipynb")):
        yield f"notebook_{book.stem}", notebook_page(book, folder)
    files = {"demo": ROOT / "demo" / "index.html"}
    files |= {f"docs_{name.replace('/', '_')}": ROOT / "docs" / "_build" / "html" / f"{name}.html" for name in DOCS}
    yield from ((name, path) for name, path in files.items() if path.is_file())


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

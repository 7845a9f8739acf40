"""Pictures of the live page and of a notebook, as a browser shows them: ``python docs/page_pictures.py [name ...]``
writes docs/images/page_*.png, all of them or those named.

Needs Playwright, a chromium, and for the notebook nbconvert and ipykernel. The mechanisms run in loops of their own; a
hand pulls them as a visitor would.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from latchwork.view import gallery
from latchwork.view.live.gate import Gate
from latchwork.view.live.server import Server

HERE = Path(__file__).resolve().parent
IMAGES = HERE / "images"
BOOKS = HERE.parent / "examples" / "notebooks"
LARGEST = 200_000  # bytes
NAMES = ("chromium", "chromium-browser", "google-chrome")
PLACE = """([x, y]) => { const d = app.bench.drawing, box = d.canvas.getBoundingClientRect(), p = d.screen([x, y, 0]);
           return [p[0] + box.left, p[1] + box.top]; }"""
DOT = """(name) => { const b = app.bench, item = b.scene.dots.find((dot) => dot.name === name);
         return Array.from(b.drawing.row(item.at, 3)); }"""


def study(browser: Browser) -> None:
    """The page of a study: sliders, a curve, the extremes."""
    import numpy as np

    import latchwork as lw

    model = gallery.load("patoglu_3_belt").module.build("newton")
    axes = {"q1": np.linspace(-0.35, -0.1, 40), "l": np.linspace(0.92, 1.0, 5)}
    made = lw.Study(model, axes, {"angle": "q1", "speed": "u1"}, until=1.2, q={"q2": -1.6}, u={"u1": 3.0}).run()
    with TemporaryDirectory() as folder:
        made.page(f"{folder}/study.html")
        page = browser.new_page(viewport={"width": 1000, "height": 620})
        page.goto(f"file://{folder}/study.html")
        page.locator("input[aria-label=q1]").fill("22")
        page.screenshot(path=IMAGES / "study_page.png")


def main(chosen: list[str]) -> None:
    names = gallery.live_names()
    pictures: dict[str, Any] = {
        "gallery": lambda browser, address: gallery_page(browser, address, len(names)), "cart": cart, "fence": fence,
        "phone": belt, "study": lambda browser, _: study(browser), "five_minutes": lambda browser, _: linkage(browser),
        "notebook": lambda browser, _: notebook(browser),
    }  # fmt: skip
    with served(names) as address, sync_playwright() as playing:
        path = next(filter(None, map(shutil.which, NAMES)))
        browser = playing.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name in chosen or pictures:
            pictures[name](browser, address)
        browser.close()


@contextmanager
def served(names: list[str] | dict[str, str]) -> Iterator[str]:
    """A server in a thread, at a free port; of examples by name, or of other sources."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    def call(work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(60)

    server = Server(names if isinstance(names, dict) else {name: name for name in names}, Gate("127.0.0.1"))
    try:
        yield f"http://127.0.0.1:{call(server.start(0))}/"
    finally:
        call(server.stop())
        loop.call_soon_threadsafe(loop.stop)


def opened(browser: Browser, address: str, ready: str, **context: Any) -> Page:
    """A page, once something is true on it."""
    page = browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | context).new_page()
    page.goto(address)
    wait(page, ready)
    return page


def wait(page: Page, what: str) -> None:
    """Until something is true on a page; a minute at most."""
    for _ in range(6000):
        if page.evaluate(what):
            return
        page.wait_for_timeout(10)
    raise TimeoutError(what)


def shot(page: Page, name: str) -> None:
    path = IMAGES / f"page_{name}.png"
    page.screenshot(path=path)
    size = path.stat().st_size
    print(f"docs/images/{path.name}: {size} bytes")
    assert size < LARGEST, f"{path.name} is larger than {LARGEST} bytes"
    page.close()


def pulled(page: Page, places: list[tuple[float, float]]) -> None:
    """A hand goes along some places, and holds on."""
    page.mouse.move(*page.evaluate(PLACE, places[0]))
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*page.evaluate(PLACE, place))
        page.wait_for_timeout(25)


def gallery_page(browser: Browser, address: str, count: int) -> None:
    made = f"document.querySelectorAll('#cards li:not(.waiting)').length === {count}"
    shot(opened(browser, address, made), "gallery")


RUNS = "app.bench && app.bench.head.t > 0.5 && document.querySelectorAll('#equations math').length > 1"


def cart(browser: Browser, address: str) -> None:
    """The cart whose caster sticks, pulled at its handle."""
    page = opened(browser, f"{address}#caster", RUNS)
    x, y, _ = page.evaluate(DOT, "P1")
    pulled(page, [(x, y), *((x - 0.018 * k, y + 0.008 * k) for k in range(30))])
    shot(page, "cart")


def fence(browser: Browser, address: str) -> None:
    """The parts feeder: a fence is drawn before the disk."""
    page = opened(browser, f"{address}#patoglu_2_fence", RUNS, color_scheme="dark")
    page.click("#play")
    page.click("#reset")
    page.click("#fence")
    pulled(page, [(32.0 + 0.7 * k, -2.6 + 0.03 * k * k) for k in range(16)])
    page.mouse.up()
    wait(page, "app.bench.fence.length > 1")
    page.click("#fence")
    page.click("#trail")
    page.click("#play")
    wait(page, "app.bench.panels.mode.names.some((name) => name.startsWith('fence'))")
    page.wait_for_timeout(150)
    shot(page, "fence")


def belt(browser: Browser, address: str) -> None:
    """The pendulum, pushed onto the belt, on a phone."""
    page = opened(browser, f"{address}#patoglu_3_belt", RUNS, viewport={"width": 390, "height": 844})
    x, y, _ = page.evaluate(DOT, "P2")
    pulled(page, [(x, y), *((x + 0.01 * k, y - 0.012 * k) for k in range(25))])
    shot(page, "phone")


def linkage(browser: Browser) -> None:
    """What the first page of the documentation serves at its end."""
    text = (HERE / "five-minutes.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    with TemporaryDirectory() as folder:
        script = Path(folder) / "linkage.py"
        described = [block for block in blocks if "run" not in block and "print(eq" not in block]
        script.write_text("\n".join(described), encoding="utf-8")
        with served({"linkage": str(script)}) as address:
            page = opened(browser, address, RUNS)
            page.click("#trail")
            wait(page, "app.bench.head.t > 4.2")
            shot(page, "five_minutes")


def notebook(browser: Browser) -> None:
    """The first notebook, run and kept as a page, without a network."""
    with TemporaryDirectory() as folder:
        page = browser.new_context(viewport={"width": 1000, "height": 1250}, offline=True).new_page()
        page.goto(notebook_page(BOOKS / "four_bar.ipynb", Path(folder)).as_uri())
        frame = page.frame_locator("iframe").first
        frame.locator("#play").wait_for()
        page.evaluate("document.querySelector('iframe').closest('.jp-Cell, .jp-OutputArea, div').scrollIntoView()")
        page.mouse.wheel(0, -170)
        page.wait_for_timeout(1500)
        shot(page, "notebook")


def notebook_page(book: Path, folder: Path) -> Path:
    """A notebook, executed in a folder, as one HTML page."""
    import nbclient
    import nbformat
    from nbconvert.exporters import HTMLExporter

    read = nbformat.read(book, as_version=4)
    nbclient.NotebookClient(read, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    path = folder / f"{book.stem}.html"
    path.write_text(HTMLExporter(embed_images=True).from_notebook_node(read)[0], encoding="utf-8")
    return path


if __name__ == "__main__":
    main(sys.argv[1:])

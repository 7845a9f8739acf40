"""Sixty seconds of the loop by the clock, while two pages are open, one of them drags, and kernels are compiled.

    python benchmarks/two_pages.py [--out FOLDER] [--seconds S] [--browser PATH]

`latchwork demo --serve` runs as anybody would start it. Two pages in a headless Chromium (Playwright) show the shopping
cart; in one of them the pointer takes the basket and goes round. Meanwhile another process compiles chains of links,
one after the other, without a cache. Ticks are those that the loop itself counts.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import RESULTS, machine, table

NAME = "caster"
QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync",
         "--disable-component-update", "--disable-quic")  # fmt: skip
COMPILES = """
import sys, time
sys.path.insert(0, sys.argv[1])
from derive import chain
from latchwork.program.function import Function
for links in range(3, 200):
    Function(chain(links, "relative").equations().udot_program).compiled(wait=True)
    print(links, flush=True)
"""
HEADS = ("seconds", "ticks", "late", "missed", "busy, median", "99 %", "longest of the last second", "switches",
         "programs compiled meanwhile")  # fmt: skip


def serving() -> tuple[subprocess.Popen[str], str]:
    """The server, and the address that it prints."""
    made = subprocess.Popen([sys.executable, "-m", "latchwork", "demo", "--serve", "--port", "0"],
                            stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert made.stdout is not None
    return made, made.stdout.readline().split()[0]


def compiling(folder: str) -> subprocess.Popen[str]:
    """Someone who compiles, one program after the other."""
    given = os.environ | {"LATCHWORK_CACHE": folder}
    return subprocess.Popen([sys.executable, "-c", COMPILES, str(Path(__file__).parent)], stdout=subprocess.PIPE,
                            text=True, env=given)  # fmt: skip


def head(page: Any) -> dict[str, float]:
    return dict(page.evaluate("Object.assign({}, app.bench.head)"))


def dragged(page: Any, seconds: float) -> None:
    """The basket taken where its centre is drawn, and pulled round."""
    script = """() => { const b = app.bench, box = b.drawing.canvas.getBoundingClientRect();
        const dot = b.scene.dots.find((item) => item.name === 'basket');
        const at = b.drawing.screen(b.drawing.row(dot.at, 3));
        return [at[0] + box.left, at[1] + box.top]; }"""
    x, y = page.evaluate(script)
    page.mouse.move(x, y)
    page.mouse.down()
    end, began = time.monotonic() + seconds, time.monotonic()
    while time.monotonic() < end:
        angle = 1.3 * (time.monotonic() - began)
        page.mouse.move(x + 90.0 * math.sin(angle), y + 60.0 * math.sin(1.7 * angle))
        page.wait_for_timeout(16)
    page.mouse.up()


def measured(browser: str, seconds: float) -> dict[str, Any]:
    """The loop's own figures, from when both pages show it until the time is over."""
    from playwright.sync_api import sync_playwright

    server, address = serving()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        worker = compiling(folder)
        try:
            chromium = play.chromium.launch(executable_path=browser, args=list(QUIET))
            pages = [chromium.new_page(viewport={"width": 1000, "height": 700}) for _ in range(2)]
            for page in pages:
                page.goto(f"{address}#{NAME}")
                while not page.evaluate("app.bench && app.bench.head.t > 0.5"):
                    page.wait_for_timeout(100)
            before, began = head(pages[0]), time.monotonic()
            dragged(pages[0], seconds)
            after, took = head(pages[0]), time.monotonic() - began
            chromium.close()
        finally:
            server.terminate()
            worker.kill()
        done = len(worker.communicate()[0].split())
    gained = {key: after[key] - before[key] for key in ("ticks", "late", "missed", "switches")}
    return {"seconds": took, **gained, "compiled": done, **{key: after[key] for key in ("median", "p99", "most")}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--browser", default=shutil.which("chromium"), help="an executable of Chromium")
    options = parser.parse_args()
    if options.browser is None:
        raise SystemExit("no chromium is installed. Name one with --browser.")
    row = measured(options.browser, options.seconds)
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "not known"
    cells = [f"{row['seconds']:.2f}", *(f"{row[key]:.0f}" for key in ("ticks", "late", "missed")),
             *(f"{row[key]:.0f} µs" for key in ("median", "p99", "most")),
             *(f"{row[key]:.0f}" for key in ("switches", "compiled"))]  # fmt: skip
    text = f"{table(HEADS, [cells])}\n\nOn {os.cpu_count()} cores. Load at the end {load}."
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "two_pages.json").write_text(json.dumps({"rows": [row], "machine": machine()}, indent=2),
                                                encoding="utf-8")  # fmt: skip
    (options.out / "two_pages.md").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

"""What the page costs: ``python docs/page_table.py`` measures ten exhibits and Talos with its meshes in a browser, and
writes docs/images/page_table.md. Needs Playwright, a chromium and the robots (``make peers``)."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from importlib.metadata import files
from pathlib import Path
from typing import Any

from page_pictures import NAMES, served
from playwright.sync_api import Browser, Page, sync_playwright

EXHIBITS = ("double_pendulum", "four_bar", "stick_slip", "spinning_top", "whipple_bicycle", "billiard", "pile",
            "gripper", "caster", "robot_on_floor")  # fmt: skip
TALOS = '''"""Talos, held at its base."""
import latchwork as lw
def live():
    model = lw.load({path!r})
    return lw.Exhibit(model, {{q.name: 0.0 for q in model.system().q}}, {{}}, view="xz", step=2e-3)
'''
HEAD = ("exhibit", "triangles", "draw calls", "JavaScript of a frame, ms", "frame without a graphics card, ms",
        "bytes of a frame", "scene, kB", "first picture from its card, ms", "from a cold address, ms",
        "memory, MB")  # fmt: skip
OUT = Path(__file__).resolve().parent / "images" / "page_table.md"
PATIENCE = 120.0  # s
DRAWS = 25  # over which a frame is timed
MEASURE = f"""() => {{ const d = app.bench.drawing, gl = shared.gl, one = new Uint8Array(4), times = [], own = [];
    const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
    shared.fine = 1;
    for (let k = 0; k < {DRAWS}; k++) {{ const begin = performance.now(); d.draw();
      if (gl) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, one); times.push(performance.now() - begin); }}
    let calls = 0, corners = 0;
    const real = {{ drawElements: gl.drawElements, drawArrays: gl.drawArrays }}, copy = d.pen.drawImage;
    gl.drawElements = (mode, count) => {{ calls++; if (mode === gl.TRIANGLES) corners += count; }};
    gl.drawArrays = () => {{ calls++; }}; // what the page does itself, without a rasteriser
    d.pen.drawImage = () => {{}};
    for (let k = 0; k < {DRAWS}; k++) {{ calls = corners = 0; const begin = performance.now(); app.bench.draw();
      own.push(performance.now() - begin); }}
    Object.assign(gl, real);
    d.pen.drawImage = copy;
    return {{ frame: median(times), own: median(own), calls, triangles: corners / 3,
      bytes: app.bench.frame.byteLength, scene: JSON.stringify(d.scene).length,
      memory: performance.memory ? performance.memory.usedJSHeapSize : NaN }}; }}"""
PICTURE = """() => { const found = performance.getEntriesByName('first picture');
              return found.length ? found[0].startTime - (window.begun || 0) : null; }"""


def main(out: Path = OUT) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playing:
        path = next(filter(None, map(shutil.which, NAMES)))
        browser = playing.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        lines = [f"| {' | '.join(HEAD)} |", "|---|" + "---:|" * (len(HEAD) - 1)]
        for row in _rows(browser, Path(folder)):
            lines.append(row)
            out.write_text("\n".join(lines) + "\n", encoding="utf-8")
        browser.close()
    print("\n".join(lines))


def _rows(browser: Browser, folder: Path) -> Iterator[str]:
    with served(list(EXHIBITS)) as address:
        for name in EXHIBITS:
            yield _row(name, _measured(browser, address, name))
    found = files("example-robot-data") or []
    urdf = next((str(file.locate()) for file in found if file.name == "talos_reduced.urdf"), "")
    if urdf:
        script = folder / "talos.py"
        script.write_text(TALOS.format(path=urdf), encoding="utf-8")
        with served({"talos": str(script)}) as address:
            yield _row("Talos, with meshes", _measured(browser, address, "talos"))


def _row(name: str, found: Mapping[str, Any]) -> str:
    print(json.dumps({"name": name, **found}), file=sys.stderr, flush=True)
    first, cold = ("–" if found[key] is None else f"{found[key]:.0f}" for key in ("picture", "cold"))
    return (f"| {name.replace('_', ' ')} | {found['triangles']:.0f} | {found['calls']} | {found['own']:.2f} | "
            f"{found['frame']:.0f} | {found['bytes']} | {found['scene'] / 1e3:.0f} | {first} | {cold} | "
            f"{found['memory'] / 1e6:.0f} |")  # fmt: skip


def _measured(browser: Browser, address: str, name: str) -> dict[str, Any]:
    """From the click on its card, where there is one; and from its address, opened first of all."""
    cold = _opened(browser, f"{address}#{name}", "true")
    found = {"cold": cold.evaluate(PICTURE)}
    cold.close()
    page = _opened(browser, address, f"app.bench || (app.gallery.cards.get('{name}') || {{}}).drawing")
    page.evaluate(f"() => {{ window.begun = performance.now(); if (!app.bench) location.hash = '#{name}'; }}")
    _until(page, "app.bench && app.bench.head.t > 0")
    page.wait_for_timeout(600)
    _until(page, "app.bench.frame")
    found |= {"picture": page.evaluate(PICTURE), **page.evaluate(MEASURE)}
    page.close()
    return found


def _opened(browser: Browser, address: str, ready: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    drawn = "performance.getEntriesByName('first picture').length || app.bench.frame"
    _until(page, f"({ready}) && (app.bench ? {drawn} : 1)")
    return page


def _until(page: Page, condition: str) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not page.evaluate(f"Boolean({condition})"):
        page.wait_for_timeout(20)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))

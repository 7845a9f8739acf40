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
from playwright.sync_api import Browser, sync_playwright

EXHIBITS = ("double_pendulum", "four_bar", "stick_slip", "spinning_top", "whipple_bicycle", "billiard", "pile",
            "gripper", "caster", "robot_on_floor")  # fmt: skip
TALOS = '''"""Talos, held at its base."""
import latchwork as lw
def live():
    model = lw.load({path!r})
    return lw.Exhibit(model, {{q.name: 0.0 for q in model.system().q}}, {{}}, view="xz", step=2e-3)
'''
HEAD = ("exhibit", "faces", "first picture, ms", "first frame, s", "time of a frame, ms", "scene, kB", "memory, MB")
OUT = Path(__file__).resolve().parent / "images" / "page_table.md"
PATIENCE = 120.0  # s
DRAWS = 40  # over which a frame is timed
MEASURE = f"""() => {{ const d = app.bench.drawing, gl = shared.gl, one = new Uint8Array(4), times = [];
    for (let k = 0; k < {DRAWS}; k++) {{ const begin = performance.now(); d.draw();
      if (gl) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, one); times.push(performance.now() - begin); }}
    times.sort((a, b) => a - b);
    const meshes = meshesOf(d.scene), all = d.scene.shapes.concat(d.scene.members);
    const faces = all.filter((s) => s.mesh !== undefined).reduce((n, s) => n + meshes[s.mesh].faces.length / 3, 0);
    return {{ frame: times[{DRAWS} >> 1], faces, scene: JSON.stringify(d.scene).length,
      memory: performance.memory ? performance.memory.usedJSHeapSize : NaN }}; }}"""


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
    first = "–" if found["picture"] is None else f"{found['picture']:.0f}"
    return (f"| {name.replace('_', ' ')} | {found['faces']:.0f} | {first} | {found['begun']:.1f} | "
            f"{found['frame']:.1f} | {found['scene'] / 1e3:.0f} | {found['memory'] / 1e6:.0f} |")  # fmt: skip


def _measured(browser: Browser, address: str, name: str) -> dict[str, Any]:
    """From the click on its card, or from its address where there is none."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    card = f"app.gallery.cards.get('{name}')"
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not page.evaluate(f"Boolean(app.bench || ({card} && {card}.drawing))"):
        page.wait_for_timeout(50)
    begin = time.monotonic()
    page.evaluate(f"() => {{ window.begun = performance.now(); if (!app.bench) location.hash = '#{name}'; }}")
    while time.monotonic() < end and not page.evaluate("Boolean(app.bench && app.bench.head.t > 0)"):
        page.wait_for_timeout(20)
    begun = time.monotonic() - begin
    page.wait_for_timeout(600)
    found: dict[str, Any] = page.evaluate(MEASURE)
    marked = page.evaluate("""() => { const found = performance.getEntriesByName('first picture');
                           return found.length ? found[0].startTime - window.begun : null; }""")
    page.close()
    return found | {"begun": begun, "picture": marked}


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))

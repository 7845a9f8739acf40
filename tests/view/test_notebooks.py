"""The notebooks of examples/notebooks: they run, and what nbconvert makes of them plays without kernel and network."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from campaign import seeds

BOOKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "notebooks").glob("*.ipynb"))
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def executed(book: Path, folder: Path) -> object:
    """The notebook with its outputs, run in a folder of its own."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("pandas")
    read = nbformat.read(book, as_version=4)
    nbclient.NotebookClient(read, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    return read


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_cells_run(book, tmp_path, monkeypatch):
    """The cells of every notebook, one after the other, as a script; each of them is kept without outputs."""
    monkeypatch.chdir(tmp_path)
    cells = json.loads(book.read_text(encoding="utf-8"))["cells"]
    names: dict[str, object] = {}
    for number, cell in enumerate(cell for cell in cells if cell["cell_type"] == "code"):
        assert cell["outputs"] == []
        if "to_dataframe" in "".join(cell["source"]):
            pytest.importorskip("pandas")
        exec(compile("".join(cell["source"]), f"{book.stem}[{number}]", "exec"), names)


@pytest.mark.filterwarnings("ignore")  # of the libraries that run notebooks
@pytest.mark.parametrize("book", seeds([], BOOKS), ids=lambda book: book.stem)
def test_notebook_runs_and_its_player_plays(book, tmp_path):
    """No output is a bare text of a figure; pages come with pictures, and a player whose clock goes on by itself."""
    exporters = pytest.importorskip("nbconvert.exporters")
    read = executed(book, tmp_path)
    outputs = [output for cell in read.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not any("<Figure" in str(output.get("data", {}).get("text/html", "")) for output in outputs)
    page = tmp_path / "page.html"
    page.write_text(exporters.HTMLExporter(embed_images=True).from_notebook_node(read)[0], encoding="utf-8")
    plays(page)


def plays(page: Path) -> None:
    """With the network off, the clock of the player moves on when it is told to play."""
    playing = pytest.importorskip("playwright.sync_api")
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        pytest.skip("there is no chromium")
    with playing.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        try:
            shown = browser.new_context(offline=True).new_page()
            shown.goto(page.as_uri(), wait_until="domcontentloaded")
            frame = shown.frame_locator("iframe").first
            shown.locator("iframe").first.scroll_into_view_if_needed()
            before = frame.locator("#clock").inner_text()
            if frame.locator("#play").inner_text() == "Play":
                frame.locator("#play").click()
            playing.expect(frame.locator("#clock")).not_to_have_text(before, timeout=20_000)
        finally:
            browser.close()
